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
// hidden from folding while a function is brought into its form. Of a known NaN
// the result is the canonical one at once.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_TRANSFORMS_KEEPFLOATS_H
#define SEQUIN_DIALECT_CSL_TRANSFORMS_KEEPFLOATS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace sequin::csl {

/// Hides the constants that would fold an operation on floats away.
void hideNeutralFloats(mlir::FunctionOpInterface function);
/// Puts them back, at the beginning of the function.
void showNeutralFloats(mlir::FunctionOpInterface function);

} // namespace sequin::csl

#endif // SEQUIN_DIALECT_CSL_TRANSFORMS_KEEPFLOATS_H
