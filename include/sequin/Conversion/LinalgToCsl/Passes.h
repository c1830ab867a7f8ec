//===- Passes.h - From linalg to csl ----------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_LINALGTOCSL_PASSES_H
#define SEQUIN_CONVERSION_LINALGTOCSL_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace sequin {

#define GEN_PASS_DECL_LINALGTOCSL
#include "sequin/Conversion/LinalgToCsl/Passes.h.inc"

namespace linalg_to_csl {
#define GEN_PASS_REGISTRATION
#include "sequin/Conversion/LinalgToCsl/Passes.h.inc"
} // namespace linalg_to_csl

} // namespace sequin

#endif // SEQUIN_CONVERSION_LINALGTOCSL_PASSES_H
