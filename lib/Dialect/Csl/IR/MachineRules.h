//===- MachineRules.h - Ranges and features of a machine --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that several operations need. Without a machine (a module that names
// none) they accept what some machine accepts.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_DIALECT_CSL_IR_MACHINERULES_H
#define SEQUIN_LIB_DIALECT_CSL_IR_MACHINERULES_H

#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin::csl {

/// `what` is `found` and the machine (or rule) `who` allows low to high, both
/// included: "'csl.constant' op color is 24, wse3 allows 0 to 23".
llvm::LogicalResult checkRange(mlir::Operation *op, const llvm::Twine &what,
                               int64_t found, int64_t low, int64_t high,
                               llvm::StringRef who);

/// `what` exists only on machines of `generation`.
llvm::LogicalResult checkGeneration(mlir::Operation *op, unsigned generation,
                                    const llvm::Twine &what);

/// What @block, @unblock and `.unblock` take is of a type of the machine: color
/// (WSE-2) or input queue (WSE-3), task ids, a microthread (WSE-3).
llvm::LogicalResult checkBlockable(mlir::Operation *op, mlir::Value id,
                                   const llvm::Twine &what);

/// Switches, color swap and filter of a color configuration; `color` is its
/// number where that is known.
llvm::LogicalResult checkColorConfig(mlir::Operation *op,
                                     std::optional<int64_t> color,
                                     RoutesAttr routes, SwitchesAttr switches);

/// The symbol `name` in the program around `op`, an operation of type Op;
/// failure with an error that says what it is instead.
template <typename Op>
mlir::FailureOr<Op>
lookupInProgram(mlir::Operation *op, mlir::SymbolTableCollection &table,
                mlir::FlatSymbolRefAttr name, llvm::StringRef what) {
  mlir::Operation *found = table.lookupNearestSymbolFrom(op, name);
  if (!found)
    return op->emitOpError()
           << "names " << what << " " << name << ", which does not exist";
  if (auto result = llvm::dyn_cast<Op>(found))
    return result;
  mlir::InFlightDiagnostic error = op->emitOpError() << "names " << what << " "
                                                     << name << ", which is a '"
                                                     << found->getName() << "'";
  error.attachNote(found->getLoc()) << "defined here";
  return error;
}

} // namespace sequin::csl

#endif // SEQUIN_LIB_DIALECT_CSL_IR_MACHINERULES_H
