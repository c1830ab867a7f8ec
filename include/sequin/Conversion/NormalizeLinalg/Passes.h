//===- Passes.h - linalg to core operations ---------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_NORMALIZELINALG_PASSES_H
#define SEQUIN_CONVERSION_NORMALIZELINALG_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace sequin {

#define GEN_PASS_DECL_NORMALIZELINALG
#define GEN_PASS_DECL_TENSORIZESCALARS
#include "sequin/Conversion/NormalizeLinalg/Passes.h.inc"

namespace normalize_linalg {
#define GEN_PASS_REGISTRATION
#include "sequin/Conversion/NormalizeLinalg/Passes.h.inc"
} // namespace normalize_linalg

} // namespace sequin

#endif // SEQUIN_CONVERSION_NORMALIZELINALG_PASSES_H
