//===- ValidCountFormula.h - vc(s, t) by its formula ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two readings of the counts of a stream: the generator's formula as the manual
// writes it, and what the mappings say position by position.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_STREAM_VALIDCOUNTFORMULA_H
#define SEQUIN_TEST_UNIT_STREAM_VALIDCOUNTFORMULA_H

#include "sequin/Machine/Machine.h"
#include "sequin/Stream/ValidCount.h"
#include <algorithm>
#include <vector>

namespace sequin::testing {

/// By slice, then by time.
using Counts = std::vector<std::vector<int64_t>>;

inline const ValidCountLimits &limitsOfRngd() {
  return lookupTcpMachine("rngd")->validCount;
}

/// The formula, for any struct with the fields of ValidCountConfig.
template <class Config>
int64_t countAt(const Config &config, int64_t lanes, int64_t slice,
                int64_t time) {
  std::vector<int64_t> index(Config::kFirstGate + config.gates.size());
  int64_t stride = lanes;
  bool found = false;
  for (const auto &counter : config.counters) {
    int64_t count = time % counter.limit;
    time /= counter.limit;
    if (counter.dim != Config::kUnassigned)
      index[counter.dim] += count * counter.stride;
    if (counter.dim == Config::kPacketDim && !found) {
      stride = counter.stride;
      found = true;
    }
  }
  int64_t count =
      std::min(stride, std::max<int64_t>(0, config.packetValid - index[0]));
  for (size_t g = 0; g < config.gates.size(); ++g) {
    const auto &gate = config.gates[g];
    int64_t masked = slice & gate.mask;
    bool below = index[Config::kFirstGate + g] < gate.valid;
    bool open = masked < gate.match    ? true
                : masked == gate.match ? below
                                       : gate.transposed && below;
    count *= open;
  }
  return count;
}

inline Counts countsOf(const ValidCountConfig &config,
                       const ValidCountStream &stream) {
  Counts counts(stream.slice.size());
  for (int64_t s = 0; s < stream.slice.size(); ++s)
    for (int64_t t = 0; t < stream.time.size(); ++t)
      counts[s].push_back(countAt(config, stream.packet.size(), s, t));
  return counts;
}

/// Slices of which the mapping says that they hold nothing take no part.
inline bool takesPart(const ValidCountStream &stream, int64_t s) {
  return stream.slice.at(s).has_value();
}

/// What is needed in one cluster, position by position: with an axis of `axes`
/// in the packet the leading positions that hold data; otherwise whole flits,
/// since what pads the packet then is nobody's. Axes that are not counted must
/// not be padded in slice and time.
inline Counts neededCounts(const ValidCountStream &stream,
                           llvm::ArrayRef<llvm::StringRef> axes,
                           int64_t cluster = 0) {
  Mapping outer = llvm::cantFail(
      Mapping::pair(stream.cluster,
                    llvm::cantFail(Mapping::pair(stream.slice, stream.time))));
  Mapping all = llvm::cantFail(Mapping::pair(outer, stream.packet));
  bool inPacket = llvm::any_of(axes, [&](llvm::StringRef axis) {
    return stream.packet.str().find(axis) != std::string::npos;
  });
  int64_t lanes = stream.packet.size(), steps = stream.time.size();
  Counts counts(stream.slice.size());
  for (int64_t s = 0; s < stream.slice.size(); ++s)
    for (int64_t t = 0; t < steps; ++t) {
      int64_t flit = (cluster * stream.slice.size() + s) * steps + t;
      int64_t count = 0;
      if (!inPacket)
        count = outer.at(flit) ? lanes : 0;
      else
        while (count < lanes && all.at(flit * lanes + count))
          ++count;
      counts[s].push_back(count);
    }
  return counts;
}

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_STREAM_VALIDCOUNTFORMULA_H
