//===- Passes.h - From linalg to tcp ----------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_LINALGTOTCP_PASSES_H
#define SEQUIN_CONVERSION_LINALGTOTCP_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "sequin/Conversion/Attributes.h"

namespace sequin {

/// Where the arguments of a program lie in HBM.
enum class ArgumentLayout : uint8_t {
  OfMachine, ///< what the machine's row says
  Chosen,    ///< as their readers like
  RowMajor,  ///< in the order of their dimensions, rows padded to 64 bytes
};

#define GEN_PASS_DECL
#include "sequin/Conversion/LinalgToTcp/Passes.h.inc"

namespace linalg_to_tcp {
#define GEN_PASS_REGISTRATION
#include "sequin/Conversion/LinalgToTcp/Passes.h.inc"
} // namespace linalg_to_tcp

} // namespace sequin

#endif // SEQUIN_CONVERSION_LINALGTOTCP_PASSES_H
