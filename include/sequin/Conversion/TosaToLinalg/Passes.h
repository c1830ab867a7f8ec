//===- Passes.h - TOSA to linalg --------------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_TOSATOLINALG_PASSES_H
#define SEQUIN_CONVERSION_TOSATOLINALG_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace sequin {

#define GEN_PASS_DECL_LOWERTOSA
#include "sequin/Conversion/TosaToLinalg/Passes.h.inc"

namespace tosa_to_linalg {
#define GEN_PASS_REGISTRATION
#include "sequin/Conversion/TosaToLinalg/Passes.h.inc"
} // namespace tosa_to_linalg

} // namespace sequin

#endif // SEQUIN_CONVERSION_TOSATOLINALG_PASSES_H
