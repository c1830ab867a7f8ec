//===- EvaluatorControl.h - State of a region of running code ---*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLIMPORT_EVALUATORCONTROL_H
#define SEQUIN_LIB_TARGET_CSLIMPORT_EVALUATORCONTROL_H

#include "Evaluator.h"

namespace sequin::csl_import {

/// What code before a branch left behind: the SSA values of variables, and how
/// control goes on.
struct Evaluator::RegionState {
  std::vector<Value> values;
  bool left = false;
  llvm::SmallVector<Jump, 2> exits;
};

/// The last operation among the operands of a builtin by which control may have
/// left, and what was known behind it.
struct Evaluator::ExitPoint {
  mlir::Operation *op = nullptr;
  RegionState state;
  ExitPoint *outer = nullptr;
};

/// Regions that stand one inside of the other because each holds what follows
/// a jump that only running code takes: whatever is jumped over is skipped at
/// once. After so many it is asked again whether control has left, so that the
/// depth of the code, and the time to compile it, do not grow with its length.
inline constexpr unsigned kNestedRests = 32;

/// Whether a function takes the address of a variable (Frame::addressTaken).
inline bool isAddressTaken(const llvm::StringSet<> &taken, llvm::StringRef name,
                           const Type *type) {
  return taken.contains(name) ||
         (!type->isPointer() && taken.contains((name + ".").str()));
}

/// Visits what running code computes of a value that exists at comptime.
inline void forEachRunning(Value &value,
                           llvm::function_ref<void(Value &)> visit) {
  if (value.isRuntime())
    return visit(value);
  if (value.isAggregate() && !value.isComptime())
    for (Value &part : value.mutableElements())
      forEachRunning(part, visit);
}

} // namespace sequin::csl_import

#endif // SEQUIN_LIB_TARGET_CSLIMPORT_EVALUATORCONTROL_H
