//===- KeepFloats.h - Float operations that stay ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation on floats that is no number gives the canonical NaN, whatever
// NaN its operand was. Folding `x * 1.0`, `x / 1.0`, `x + -0.0` and `x - 0.0`
// to `x` keeps the operand's bits instead, and running code would tell from the
// bits whether an operand was known. So these operations stay: the constant is
// hidden from folding while a function is brought into its form.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_KEEPFLOATS_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_KEEPFLOATS_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace sequin::csl_to_wafer {

/// Hides the constants that would fold an operation on floats away.
std::unique_ptr<mlir::Pass> createHideNeutralFloatsPass();
/// Puts them back, at the beginning of the function.
std::unique_ptr<mlir::Pass> createShowNeutralFloatsPass();

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_KEEPFLOATS_H
