//===- VectorOps.h - Operations of the vector engine ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_VECTOROPS_H
#define SEQUIN_LIB_SIM_ENGINE_VECTOROPS_H

#include "sequin/Config/Config.h"
#include "sequin/Support/Arithmetic.h"

namespace sequin::sim {

/// Pipeline stages, in order (TCP, Intra-Slice Block, Stages). A stash is none
/// of them.
enum class VectorStageKind : uint8_t {
  Logic,
  Fxp,
  FxpToFp,
  Narrow,
  Float,
  IntraSliceReduce,
  FpDiv,
  Widen,
  FpToFxp,
  Clip,
  Filter,
  Stash,
};

enum class VectorAlu : uint8_t {
  None,
  LogicAnd,
  LogicOr,
  LogicXor,
  LogicLshift,
  LogicRshift,
  FxpAdd,
  FxpLshift,
  FxpMul,
  FxpRshift,
  FpFma,
  FpFpu,
  FpExp,
  FpMul0,
  FpMul1,
  ClipMin,
  ClipMax,
  ClipAdd,
};

/// Applies an operation to `count` elements. Every argument is an array of that
/// length, none of which is `out`.
struct VectorCall {
  uint32_t *out;
  const uint32_t *arguments[3];
  int64_t count;
  int64_t intWidth;
  const ArithmeticRules &rules;
};
using VectorFunction = void (*)(const VectorCall &call);

struct VectorOpcodeInfo {
  llvm::StringRef name;
  VectorStageKind stage;
  VectorAlu alu;
  llvm::StringRef aluName;
  /// What it works on; none for an opcode that takes any element.
  std::optional<ElementType> type;
  /// Arguments of the operation: 0 for those that only move elements.
  int arity;
  /// int_width matters.
  bool converts;
  /// Null for opcodes of arity 0.
  VectorFunction function;
};

/// What computes `opcode` by the rules of a machine; null for arity 0.
VectorFunction functionOf(config::VectorOpcode opcode,
                          const ArithmeticRules &rules);

const VectorOpcodeInfo &infoOf(config::VectorOpcode opcode);

/// Where each argument comes from: 0 the stream (or group 0), 1 and 2 the
/// operands (or group 1). `mode` fits `arity`, or is Default.
llvm::SmallVector<int, 3> argumentSources(config::ArgMode mode, int arity);
/// Number of arguments that a mode is for; 0 for Default.
int arityOf(config::ArgMode mode);

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_VECTOROPS_H
