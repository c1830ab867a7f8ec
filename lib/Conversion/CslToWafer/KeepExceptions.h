//===- KeepExceptions.h - Float operations that may stop a PE ---*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR takes an operation on floats for a computation without effect: it is
// dropped if nobody needs its result, computed once for two, and folded where
// its operands are known. A program that sets its PE's exception mask asks for
// more: each operation that the source has at run time is done where the source
// has it, because it may stop the PE. Other programs are not touched.
//
// What parameters and constants say alone, with a parameter among them, is
// computed at comptime in CSL and raises nothing; it stays as it is.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_KEEPEXCEPTIONS_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_KEEPEXCEPTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

namespace sequin::csl_to_wafer {

/// What exists between the passes of this conversion alone.
class MarkDialect : public mlir::Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkDialect)
  explicit MarkDialect(mlir::MLIRContext *context);
  static llvm::StringRef getDialectNamespace() { return "csl_to_wafer"; }
};

/// Stands for an operation on floats, whose name and attributes it has. Its
/// effects are unknown; it writes no memory.
class RaisingOp
    : public mlir::Op<RaisingOp, mlir::OpTrait::VariadicOperands,
                      mlir::OpTrait::OneResult, mlir::OpTrait::ZeroRegions,
                      mlir::OpTrait::ZeroSuccessors> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RaisingOp)
  using Op::Op;
  static llvm::StringRef getOperationName() { return "csl_to_wafer.raising"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
};

/// Replaces operations on floats, in the programs of which some code may write
/// the exception mask.
void hideRaisingFloats(mlir::ModuleOp module);
/// Puts them back in a function.
void showRaisingFloats(mlir::Operation *function);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_KEEPEXCEPTIONS_H
