//===- Comparisons.h - What comparisons ask ---------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a comparison and its opposite one is asked for, so that choices that ask
// the same are seen to: `equal` or `less`, since of two branches that follow
// each other one jumps. `x <= 3` is `x < 4`, `x > 3` is not `x < 4`, `x >= y`
// is not `x < y`.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_COMPARISONS_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_COMPARISONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <optional>

namespace sequin::csl_to_wafer {

/// Of integers, the maximum or minimum that a choice between `yes` and `no`
/// is: `a > b ? a : b` and the like; `x < 4 ? x : 3` is the smaller of x and 3.
/// Null where it is none.
mlir::Value makeExtremum(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value condition, mlir::Value yes,
                         mlir::Value no);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_COMPARISONS_H
