//===- RunningConstants.h - What running code makes of numbers --*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR does not define some operations on numbers, and neither does the manual.
// The ruling, which simulator and reference interpreter follow: a division by
// zero gives all ones and the dividend as rest, the most negative number by -1
// itself and 0; a shift by the width or more what a shift bit by bit leaves; a
// float beyond an integer type the nearest number of the type, and 0 for what
// is not a number. A float is rounded to the nearest of a narrower type, ties
// to even, beyond its range to infinity.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_TRANSFORMS_RUNNINGCONSTANTS_H
#define SEQUIN_DIALECT_CSL_TRANSFORMS_RUNNINGCONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"

namespace mlir {
class Location;
class OpBuilder;
class Operation;
class RewritePatternSet;
class Value;
namespace scf {
class ForOp;
} // namespace scf
} // namespace mlir

namespace sequin::csl {

/// Patterns that replace such an operation on constants by its value.
void populateRunningConstantPatterns(mlir::RewritePatternSet &patterns);

/// Whether an operation of arith has an index as an operand or result.
bool isAboutIndices(mlir::Operation *op);
/// What such an operation makes of known operands, in the 32 bits that an index
/// of a PE has; null where one is not known.
mlir::IntegerAttr foldIndex(mlir::Operation *op,
                            llvm::ArrayRef<mlir::Attribute> operands);
/// Computes with known indices in the 32 bits that an index of a PE has; MLIR's
/// folders take 64.
void foldIndices(mlir::Operation *function);

/// How often a loop of CSL over a range runs; all are numbers of 32 bits. The
/// step of a range of numbers with a sign may be negative; the distance between
/// its bounds, and so the count, need all bits, without a sign. A known
/// negative step is to come as its size, with the bounds the other way round.
mlir::Value countRounds(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value from, mlir::Value to, mlir::Value step,
                        bool isUnsigned);

/// Whether a counter that is increased by the step and compared with the end
/// does what the loop says: it never gets past the numbers of its type.
bool staysInType(mlir::scf::ForOp loop);
/// A loop that does not count from 0 by 1 counts its rounds.
void countFromZero(mlir::scf::ForOp loop);

} // namespace sequin::csl

#endif // SEQUIN_DIALECT_CSL_TRANSFORMS_RUNNINGCONSTANTS_H
