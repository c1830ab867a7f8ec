//===- KeepLoops.h - Loops that take time -----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A PE that loops for ever is a mistake that a run has to show, and one that
// polls its memory waits for a microthread. MLIR takes a loop that writes
// nothing, and whose results nobody needs, for dead code, whether it ends or
// not. One that ends takes its time: whether it seems dead depends on how much
// of it has been simplified already, which a trip through source changes.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_KEEPLOOPS_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_KEEPLOOPS_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Pass/Pass.h"

namespace sequin::csl_to_wafer {

/// What exists between the passes of this conversion alone.
class MarkDialect : public mlir::Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkDialect)
  explicit MarkDialect(mlir::MLIRContext *context);
  static llvm::StringRef getDialectNamespace() { return "csl_to_wafer"; }
};

/// Becomes nothing; its effects are unknown, so what contains it stays.
class KeepOp
    : public mlir::Op<KeepOp, mlir::OpTrait::ZeroOperands,
                      mlir::OpTrait::ZeroResults, mlir::OpTrait::ZeroRegions,
                      mlir::OpTrait::ZeroSuccessors> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepOp)
  using Op::Op;
  static llvm::StringRef getOperationName() { return "csl_to_wafer.keep"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
};

/// Marks each loop of scf.
std::unique_ptr<mlir::Pass> createKeepLoopsPass();

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_KEEPLOOPS_H
