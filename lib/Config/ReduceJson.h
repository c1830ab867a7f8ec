//===- ReduceJson.h - Reduction inside a slice as JSON ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONFIG_REDUCEJSON_H
#define SEQUIN_LIB_CONFIG_REDUCEJSON_H

#include "JsonFields.h"
#include "sequin/Config/Config.h"
#include <array>

namespace sequin::config {

inline llvm::StringRef toText(IntraSliceReduceOp op) {
  switch (op) {
  case IntraSliceReduceOp::AddSat:
    return "AddSat";
  case IntraSliceReduceOp::Max:
    return "Max";
  case IntraSliceReduceOp::Min:
    return "Min";
  case IntraSliceReduceOp::AddF:
    return "AddF";
  case IntraSliceReduceOp::MaxF:
    return "MaxF";
  case IntraSliceReduceOp::MinF:
    return "MinF";
  }
  return "";
}
inline auto valuesOf(IntraSliceReduceOp) {
  return std::array{IntraSliceReduceOp::AddSat, IntraSliceReduceOp::Max,
                    IntraSliceReduceOp::Min,    IntraSliceReduceOp::AddF,
                    IntraSliceReduceOp::MaxF,   IntraSliceReduceOp::MinF};
}

/// [limit, dim, stride].
inline auto tuple(ValidCountGenerator::Counter &counter) {
  return std::array{&counter.limit, &counter.dim, &counter.stride};
}
inline auto tuple(const ValidCountGenerator::Counter &counter) {
  return std::array{&counter.limit, &counter.dim, &counter.stride};
}

template <class Io>
void describe(Io &io, detail::Fields<Io, ValidCountGenerator::Gate> gate) {
  io.field("mask", gate.mask);
  io.field("match", gate.match);
  io.field("valid", gate.valid);
  io.field("transposed", gate.transposed);
}

template <class Io>
void describe(Io &io, detail::Fields<Io, ValidCountGenerator> generator) {
  io.field("counters", generator.counters);
  io.field("packet_valid", generator.packetValid);
  io.field("gates", generator.gates);
}

template <class Io> void describe(Io &io, detail::Fields<Io, ReduceLoop> loop) {
  io.field("size", loop.size);
  io.field("slot_stride", loop.slotStride);
  io.field("reduced", loop.reduced);
}

template <class Io>
void describe(Io &io, detail::Fields<Io, IntraSliceReduceStage> stage) {
  io.field("op", stage.op);
  io.field("tree", stage.tree);
  io.field("loops", stage.loops);
}

} // namespace sequin::config

#endif // SEQUIN_LIB_CONFIG_REDUCEJSON_H
