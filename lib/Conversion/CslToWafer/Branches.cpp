//===- Branches.cpp - One graph of blocks for one course ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/Mem2Reg.h"

using namespace mlir;
using namespace sequin;

//===----------------------------------------------------------------------===//
// Switches
//===----------------------------------------------------------------------===//

namespace {
struct LowerSwitches : public PassWrapper<LowerSwitches, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerSwitches)

  void runOnOperation() override {
    auto function = cast<FunctionOpInterface>(getOperation());
    if (function.isExternal())
      return;
    llvm::SmallVector<cf::SwitchOp> switches;
    function.getFunctionBody().walk(
        [&](cf::SwitchOp op) { switches.push_back(op); });
    for (cf::SwitchOp op : switches) {
      OpBuilder builder(op);
      Location loc = op.getLoc();
      llvm::SmallVector<APInt> values;
      if (DenseIntElementsAttr cases = op.getCaseValuesAttr())
        values.assign(cases.value_begin<APInt>(), cases.value_end<APInt>());
      for (auto [index, target] : llvm::enumerate(op.getCaseDestinations())) {
        Value number = arith::ConstantOp::create(
            builder, loc,
            builder.getIntegerAttr(op.getFlag().getType(), values[index]));
        Value isIt = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, op.getFlag(), number);
        Block *here = builder.getInsertionBlock();
        Block *next = new Block();
        here->getParent()->getBlocks().insertAfter(here->getIterator(), next);
        cf::CondBranchOp::create(builder, loc, isIt, target,
                                 op.getCaseOperands(index), next, ValueRange());
        builder.setInsertionPointToEnd(next);
      }
      cf::BranchOp::create(builder, loc, op.getDefaultDestination(),
                           op.getDefaultOperands());
      op.erase();
    }
  }
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createLowerSwitchesPass() {
  return std::make_unique<LowerSwitches>();
}

//===----------------------------------------------------------------------===//
// Branches that are decided before
//===----------------------------------------------------------------------===//

/// What `condition` is at the end of `block`, as far as the branches that lead
/// there say.
static std::optional<bool> getKnown(Value condition, Block *block) {
  APInt number;
  if (matchPattern(condition, m_ConstantInt(&number)))
    return !number.isZero();
  llvm::SmallPtrSet<Block *, 8> seen;
  while (seen.insert(block).second) {
    Block *before = block->getSinglePredecessor();
    if (!before)
      return std::nullopt;
    auto branch = dyn_cast<cf::CondBranchOp>(before->getTerminator());
    if (branch && branch.getCondition() == condition &&
        branch.getTrueDest() != branch.getFalseDest())
      return branch.getTrueDest() == block;
    block = before;
  }
  return std::nullopt;
}

/// Where a branch to `target` goes on to at once, with what.
static Block *getNext(Block *from, std::optional<bool> taken, Value asked,
                      Block *target, ValueRange operands,
                      llvm::SmallVectorImpl<Value> &next) {
  auto branch = dyn_cast<cf::CondBranchOp>(target->front());
  if (!branch)
    return nullptr;
  // What it is given is nobody else's.
  for (Value argument : target->getArguments())
    for (Operation *user : argument.getUsers())
      if (user != branch)
        return nullptr;
  auto given = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == target
               ? operands[argument.getArgNumber()]
               : value;
  };
  Value condition = given(branch.getCondition());
  std::optional<bool> known =
      taken && condition == asked ? taken : getKnown(condition, from);
  if (!known)
    return nullptr;
  Block *result = *known ? branch.getTrueDest() : branch.getFalseDest();
  if (result == target)
    return nullptr;
  for (Value value :
       *known ? branch.getTrueDestOperands() : branch.getFalseDestOperands())
    next.push_back(given(value));
  return result;
}

namespace {
struct ThreadBranches : public PassWrapper<ThreadBranches, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ThreadBranches)

  void runOnOperation() override {
    auto function = cast<FunctionOpInterface>(getOperation());
    if (function.isExternal())
      return;
    Region &body = function.getFunctionBody();
    // Each change leaves fewer edges to blocks that only branch; those that
    // branch to each other may go round.
    unsigned rounds = 4 * std::distance(body.begin(), body.end());
    bool changed = true;
    while (changed && rounds-- > 0) {
      changed = false;
      for (Block &block : body)
        changed |= thread(block);
    }
  }

private:
  static bool thread(Block &block) {
    Operation *terminator = block.getTerminator();
    llvm::SmallVector<Value> next;
    if (auto branch = dyn_cast<cf::BranchOp>(terminator)) {
      Block *target = getNext(&block, std::nullopt, {}, branch.getDest(),
                              branch.getDestOperands(), next);
      if (!target)
        return false;
      OpBuilder builder(branch);
      cf::BranchOp::create(builder, branch.getLoc(), target, next);
      branch.erase();
      return true;
    }
    auto branch = dyn_cast<cf::CondBranchOp>(terminator);
    if (!branch || branch.getTrueDest() == branch.getFalseDest())
      return false;
    Value condition = branch.getCondition();
    for (bool taken : {true, false}) {
      Block *old = taken ? branch.getTrueDest() : branch.getFalseDest();
      Block *target = getNext(&block, taken, condition, old,
                              taken ? branch.getTrueDestOperands()
                                    : branch.getFalseDestOperands(),
                              next);
      if (!target)
        continue;
      OpBuilder builder(branch);
      if (taken)
        cf::CondBranchOp::create(builder, branch.getLoc(), condition, target,
                                 next, branch.getFalseDest(),
                                 branch.getFalseDestOperands());
      else
        cf::CondBranchOp::create(builder, branch.getLoc(), condition,
                                 branch.getTrueDest(),
                                 branch.getTrueDestOperands(), target, next);
      branch.erase();
      return true;
    }
    return false;
  }
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createThreadBranchesPass() {
  return std::make_unique<ThreadBranches>();
}

//===----------------------------------------------------------------------===//
// Variables in registers
//===----------------------------------------------------------------------===//

namespace {
struct KeepInRegisters : public PassWrapper<KeepInRegisters, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepInRegisters)

  void runOnOperation() override {
    auto function = cast<FunctionOpInterface>(getOperation());
    if (function.isExternal() || function.getFunctionBody().empty())
      return;
    DominanceInfo dominance(function);
    llvm::SmallVector<PromotableAllocationOpInterface> variables;
    for (auto variable :
         function.getFunctionBody().front().getOps<memref::AllocaOp>())
      if (variable.getType().getRank() == 0 &&
          isWrittenFirst(variable, dominance))
        variables.push_back(
            cast<PromotableAllocationOpInterface>(variable.getOperation()));
    if (variables.empty())
      return;
    OpBuilder builder(function.getFunctionBody());
    (void)tryToPromoteMemorySlots(variables, builder,
                                  DataLayout::closest(function), dominance);
  }

private:
  /// Whether one store is before all loads: whoever reads what nothing has
  /// written is to be told.
  static bool isWrittenFirst(memref::AllocaOp variable,
                             DominanceInfo &dominance) {
    auto users = variable->getUsers();
    return llvm::all_of(users,
                        [](Operation *user) {
                          return isa<memref::LoadOp, memref::StoreOp>(user);
                        }) &&
           llvm::any_of(users, [&](Operation *first) {
             return isa<memref::StoreOp>(first) &&
                    llvm::all_of(users, [&](Operation *user) {
                      return !isa<memref::LoadOp>(user) ||
                             dominance.properlyDominates(first, user);
                    });
           });
  }
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createKeepInRegistersPass() {
  return std::make_unique<KeepInRegisters>();
}
