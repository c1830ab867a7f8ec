//===- SsaVariables.h - Local variables as SSA values -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Braun et al., "Simple and Efficient Construction of Static Single Assignment
// Form" (CC 2013), for a front end that emits blocks in the order of the text.
// Each block notes the value that a variable has at its end so far. A variable
// that is read where nothing is noted is looked for in the predecessors; where
// they differ, it becomes an argument of the block and an operand of each
// branch there.
//
// Invariants:
//  * A block is read from only when all its predecessors branch to it, but for
//    the header of a loop, between open() and seal(): there each variable that
//    is read becomes an argument, whose operands seal() adds.
//  * Every cycle of blocks goes through a header: what is not one is looked
//    through without an argument in its place, and gets one only if its
//    predecessors differ.
//  * Whoever holds a value may hold an argument of a header that turns out to
//    be one value or itself. So arguments stay until the whole function is
//    there; finish() erases those that are trivial.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLIMPORT_SSAVARIABLES_H
#define SEQUIN_LIB_TARGET_CSLIMPORT_SSAVARIABLES_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace sequin::csl_import {

class SsaVariables {
public:
  using Variable = unsigned;

  /// A new variable without a value.
  Variable declare(mlir::Type type, mlir::Location loc);

  /// From here on `block` has the variable as `value`.
  void write(Variable variable, mlir::Block *block, mlir::Value value);

  /// The value at the end of `block`; null if no way there writes it.
  mlir::Value read(Variable variable, mlir::Block *block);

  /// Further branches to a loop's header are to come.
  void open(mlir::Block *header);
  /// All branches to the header are there.
  void seal(mlir::Block *header);

  /// What is read in `entry`, the first block of a region of its own, is what
  /// the variables are in `origin`.
  void enter(mlir::Block *entry, mlir::Block *origin);
  /// Forgets the blocks of a region, which is about to be erased.
  void forget(mlir::Region &region);

  /// Erases the arguments that are one value, or itself, from everywhere, and
  /// forgets all variables.
  void finish();

private:
  /// An argument to be, for a variable of an open header.
  struct Incomplete {
    Variable variable;
    mlir::BlockArgument argument;
  };

  mlir::Value readFromPredecessors(Variable variable, mlir::Block *block);
  mlir::BlockArgument addArgument(Variable variable, mlir::Block *block);

  std::vector<std::pair<mlir::Type, mlir::Location>> declared;
  llvm::DenseMap<mlir::Block *, llvm::DenseMap<Variable, mlir::Value>> noted;
  /// Headers, and what is incomplete while they are open.
  llvm::DenseMap<mlir::Block *, std::vector<Incomplete>> openHeaders;
  llvm::DenseSet<mlir::Block *> headers;
  llvm::DenseMap<mlir::Block *, mlir::Block *> origins;
  std::vector<mlir::BlockArgument> arguments;
};

} // namespace sequin::csl_import

#endif // SEQUIN_LIB_TARGET_CSLIMPORT_SSAVARIABLES_H
