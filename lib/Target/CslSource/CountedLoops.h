//===- CountedLoops.h - Loops over a range ----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of blocks that is one of CSL over a range:
//
//     cf.br ^header(%low)
//   ^header(%counter):
//     %more = arith.cmpi slt, %counter, %high
//     cf.cond_br %more, ^body, ^exit
//   ^body:
//     %next = arith.addi %counter, %step
//     cf.br ^header(%next)
//
// Other variables may be carried along, and the body may leave the loop or go
// on with it wherever it likes. `%high` is known before the loop, `%step` is a
// number, and the counter never gets past the numbers of its type.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLSOURCE_COUNTEDLOOPS_H
#define SEQUIN_LIB_TARGET_CSLSOURCE_COUNTEDLOOPS_H

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <optional>

namespace sequin::csl_to_source {

struct CountedLoop {
  mlir::BlockArgument counter;
  mlir::Value low, high;
  llvm::APInt step;
  bool isUnsigned = false;
  mlir::arith::CmpIOp test;
  /// Which successors of the header go on and end.
  unsigned body = 0, exit = 1;
  /// What adds the step.
  llvm::SmallVector<mlir::arith::AddIOp, 1> steps;
};

std::optional<CountedLoop> getCountedLoop(const mlir::CFGLoop &loop);

} // namespace sequin::csl_to_source

#endif // SEQUIN_LIB_TARGET_CSLSOURCE_COUNTEDLOOPS_H
