//===- Specialise.h - Programs for the parameters of their PEs --*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters are comptime: the compiler of a PE decides branches on them. PEs
// share code (csl.param), so a program is divided into those whose PEs decide
// alike, and what has one value at all PEs of a part is a constant there. So a
// program takes the same cycles whether its branches on parameters are in the
// module or were decided where it was imported.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_SPECIALISE_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_SPECIALISE_H

#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin::csl_to_wafer {

/// The value of `param` at a PE; null if the layout gives none.
mlir::Attribute getParameterValue(csl::TileCodeOp tile, csl::ParamOp param,
                                  int64_t x, int64_t y);

/// What the PEs of the rectangle run, row by row.
struct Specialisation {
  /// Null where there is none. Parts of a program are copies of it, next to it
  /// in the module and of its name; parameters stay declared in all of them.
  std::vector<csl::ProgramOp> programs;
  /// What a program computes of its parameters alone is a parameter of its own,
  /// declared behind the others with the attribute `kDerived`: the values at
  /// each PE, in that order.
  std::vector<llvm::SmallVector<uint64_t, 0>> derived;
};
inline constexpr llvm::StringLiteral kDerived = "derived";

Specialisation specialise(mlir::ModuleOp module, csl::LayoutOp layout);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_SPECIALISE_H
