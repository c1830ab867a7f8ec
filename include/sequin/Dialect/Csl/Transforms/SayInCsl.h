//===- SayInCsl.h - What CSL has no operation for ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_TRANSFORMS_SAYINCSL_H
#define SEQUIN_DIALECT_CSL_TRANSFORMS_SAYINCSL_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace sequin::csl {

/// Says with operations of CSL what it has none for: an order of bools,
/// `arith.minnumf`,
/// `arith.maxnumf` and `math.absf` by comparisons and bits, with the same bits
/// as a result; relations of floats that hold, or do not, where one is no
/// number by those that CSL has; a value with an element or field replaced by
/// an assignment, in place where the value is read and written back, else to a
/// copy. Fields of packed structs are bits of a number and stay.
///
/// `listener` is told what is erased. Source is written after this, and code is
/// made after this: a program takes as long as its source does.
void sayInCsl(mlir::FunctionOpInterface function,
              mlir::RewriterBase::Listener *listener = nullptr);

} // namespace sequin::csl

#endif // SEQUIN_DIALECT_CSL_TRANSFORMS_SAYINCSL_H
