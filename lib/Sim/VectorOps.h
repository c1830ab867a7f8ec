//===- VectorOps.h - Operations of the vector engine ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_VECTOROPS_H
#define SEQUIN_LIB_SIM_VECTOROPS_H

#include "sequin/Config/Config.h"

namespace sequin::sim {

/// Pipeline stages, in order (TCP, Intra-Slice Block, Stages).
enum class VectorStageKind : uint8_t {
  Fxp,
  FxpToFp,
  Narrow,
  Float,
  Widen,
  FpToFxp,
  Clip,
};

enum class VectorAlu : uint8_t {
  None,
  FxpAdd,
  FxpLshift,
  FxpMul,
  FxpRshift,
  FpFma,
  FpMul0,
  FpMul1,
  FpFpu,
  ClipMin,
  ClipMax,
  ClipAdd,
};

/// Applies an operation to `count` elements in place. `operands` has one
/// element per stream element, or is null and every operand is `constant`.
struct VectorCall {
  uint32_t *stream;
  int64_t count;
  const uint32_t *operands;
  uint32_t constant;
  bool swapped;
  int64_t intWidth;
};
using VectorFunction = void (*)(const VectorCall &call);

struct VectorOpcodeInfo {
  llvm::StringRef name;
  VectorStageKind stage;
  VectorAlu alu;
  llvm::StringRef aluName;
  ElementType type;
  /// Takes a second operand.
  bool binary;
  /// Null for Split and Concat, which move no data (elements keep their order).
  VectorFunction function;
};

const VectorOpcodeInfo &infoOf(config::VectorOpcode opcode);

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_VECTOROPS_H
