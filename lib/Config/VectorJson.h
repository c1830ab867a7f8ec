//===- VectorJson.h - The intra-slice block as JSON -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONFIG_VECTORJSON_H
#define SEQUIN_LIB_CONFIG_VECTORJSON_H

#include "JsonFields.h"
#include "sequin/Config/Config.h"
#include <array>

namespace sequin::config {

inline llvm::StringRef toText(VectorOpcode opcode) { return getName(opcode); }
inline auto valuesOf(VectorOpcode) {
  return std::array{
#define SEQUIN_VECTOR_OPCODE(NAME, TEXT, STAGE, ALU, TYPE) VectorOpcode::NAME,
#include "sequin/Config/VectorOpcodes.def"
  };
}

inline llvm::StringRef toText(ArgMode mode) {
  static constexpr llvm::StringLiteral kNames[] = {
      "default", "0",   "1",   "00",  "01",  "10",  "11",
      "012",     "002", "102", "112", "020", "021", "120"};
  return kNames[static_cast<unsigned>(mode)];
}
inline auto valuesOf(ArgMode) {
  using enum ArgMode;
  return std::array{Default, M0,   M1,   M00,  M01,  M10,  M11,
                    M012,    M002, M102, M112, M020, M021, M120};
}

inline llvm::StringRef toText(BranchMode mode) {
  static constexpr llvm::StringLiteral kNames[] = {
      "unconditional", "axis_toggle", "valid_count", "comparison", "vrf"};
  return kNames[static_cast<unsigned>(mode)];
}
inline auto valuesOf(BranchMode) {
  using enum BranchMode;
  return std::array{Unconditional, AxisToggle, ValidCount, Comparison, Vrf};
}

inline llvm::StringRef toText(InputCompare compare) {
  static constexpr llvm::StringLiteral kNames[] = {
      "never",   "less",          "less_equal",
      "equal",   "not_equal",     "greater_equal",
      "greater", "less_unsigned", "greater_unsigned"};
  return kNames[static_cast<unsigned>(compare)];
}
inline auto valuesOf(InputCompare) {
  using enum InputCompare;
  return std::array{Never,   Less,         LessEqual,
                    Equal,   NotEqual,     GreaterEqual,
                    Greater, LessUnsigned, GreaterUnsigned};
}

/// No key: no operand; "constant": 32 bits; "vrf": a sequencer; "source":
/// "stash" or "register".
template <class Io>
  requires Io::isWriter
void describe(Io &io, const VectorOperand &operand) {
  switch (operand.kind) {
  case VectorOperand::Kind::None:
    break;
  case VectorOperand::Kind::Constant:
    io.field("constant", operand.constant);
    break;
  case VectorOperand::Kind::Vrf:
    io.field("vrf", operand.vrf);
    break;
  case VectorOperand::Kind::Stash:
    io.field("source", std::string("stash"));
    break;
  case VectorOperand::Kind::Register:
    io.field("source", std::string("register"));
    break;
  }
}
inline void describe(detail::Reader &io, VectorOperand &operand) {
  bool constant = io.has("constant"), vrf = io.has("vrf"),
       source = io.has("source");
  if (constant + vrf + source > 1)
    io.fail(vrf ? "vrf" : "source",
            "an operand is one of 'constant', 'vrf' and 'source'");
  std::string from;
  io.optionalField("constant", operand.constant);
  io.optionalField("vrf", operand.vrf);
  io.optionalField("source", from);
  if (source && from != "stash" && from != "register")
    io.fail("source",
            "found '" + excerpt(from) + "', allowed are stash, register");
  operand.kind = constant          ? VectorOperand::Kind::Constant
                 : vrf             ? VectorOperand::Kind::Vrf
                 : from == "stash" ? VectorOperand::Kind::Stash
                 : source          ? VectorOperand::Kind::Register
                                   : VectorOperand::Kind::None;
}

template <class Io> void describe(Io &io, detail::Fields<Io, VectorOp> op) {
  io.field("opcode", op.opcode);
  io.field("operand", op.operand);
  io.optionalField("operand1", op.operand1);
  io.optionalField("ids", op.ids, VectorOp().ids);
  io.optionalField("groups", op.groups, VectorOp().groups);
  io.optionalField("mode", op.mode);
  io.field("int_width", op.intWidth);
  io.optionalField("write_ids", op.writeIds);
  io.optionalField("zip", op.zip);
  io.optionalField("elements", op.elements);
}

template <class Io>
void describe(Io &io, detail::Fields<Io, InputCmp> comparison) {
  io.field("compare", comparison.compare);
  io.field("constant", comparison.constant);
}

template <class Io>
void describe(Io &io, detail::Fields<Io, BranchStage> branch) {
  io.field("mode", branch.mode);
  io.optionalField("toggle", branch.toggle);
  io.optionalField("comparisons", branch.comparisons);
  io.optionalField("vrf", branch.vrf);
  io.field("log_address", branch.logAddress);
}

template <class Io>
void describe(Io &io, detail::Fields<Io, VectorStage> stage) {
  io.field("type", stage.type);
  io.field("ops", stage.ops);
  io.field("inter_slice", stage.interSlice);
  io.optionalField("ops_after", stage.opsAfter);
  io.optionalField("branch", stage.branch);
  io.field("valid_count", stage.validCount);
  io.field("intra_slice_reduce", stage.intraSliceReduce);
  io.optionalField("unzip", stage.unzip);
}

} // namespace sequin::config

#endif // SEQUIN_LIB_CONFIG_VECTORJSON_H
