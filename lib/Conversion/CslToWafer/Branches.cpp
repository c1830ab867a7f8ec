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
#include "sequin/Conversion/CslToWafer/Passes.h"

namespace sequin {
#define GEN_PASS_DEF_CSLLOWERSWITCHES
#define GEN_PASS_DEF_CSLTHREADBRANCHES
#define GEN_PASS_DEF_CSLMEMTOREG
#include "sequin/Conversion/CslToWafer/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

//===----------------------------------------------------------------------===//
// Switches
//===----------------------------------------------------------------------===//

namespace {
struct LowerSwitches
    : public sequin::impl::CslLowerSwitchesBase<LowerSwitches> {
  using CslLowerSwitchesBase::CslLowerSwitchesBase;

  void runOnOperation() override {
    auto function = cast<FunctionOpInterface>(getOperation());
    if (function.isExternal())
      return;
    llvm::SmallVector<cf::SwitchOp> switches;
    function.getFunctionBody().walk(
        [&](cf::SwitchOp op) { switches.push_back(op); });
    if (switches.empty())
      markAllAnalysesPreserved();
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

namespace {
/// Which block dominates which, while branches are threaded. One that goes
/// round a block makes no path that was not there but for that block: what
/// other blocks dominate they still do.
class Dominance {
public:
  bool dominates(Block *block, Block *other) {
    if (!info || leftOut.contains(block)) {
      info.emplace();
      leftOut.clear();
    }
    return info->dominates(block, other);
  }
  void leaveOut(Block *block) { leftOut.insert(block); }

private:
  std::optional<DominanceInfo> info;
  llvm::SmallPtrSet<Block *, 8> leftOut;
};
} // namespace

/// Whether only `branch`, which ends the block of `argument` and has nothing
/// before it, and what comes behind its other side than `next` read `argument`:
/// whoever goes to `next` without it misses nothing.
static bool isReadBeside(BlockArgument argument, cf::CondBranchOp branch,
                         Block *next, Dominance &dominance) {
  Block *other = branch.getTrueDest() == next ? branch.getFalseDest()
                                              : branch.getTrueDest();
  return llvm::all_of(argument.getUsers(), [&](Operation *user) {
    return user == branch || (other != next && other->getSinglePredecessor() &&
                              dominance.dominates(other, user->getBlock()));
  });
}

/// Where a branch to `target` goes on to at once, with what.
static Block *getNext(Block *from, std::optional<bool> taken, Value asked,
                      Block *target, ValueRange operands,
                      llvm::SmallVectorImpl<Value> &next,
                      Dominance &dominance) {
  auto branch = dyn_cast<cf::CondBranchOp>(target->front());
  if (!branch)
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
  for (BlockArgument argument : target->getArguments())
    if (!isReadBeside(argument, branch, result, dominance))
      return nullptr;
  for (Value value :
       *known ? branch.getTrueDestOperands() : branch.getFalseDestOperands())
    next.push_back(given(value));
  return result;
}

namespace {
/// Behind a branch its condition is known: whoever asks for it there is given
/// the number. A true `and` has two true sides, a false `or` two false ones.
class TakenBranches {
public:
  explicit TakenBranches(Region &body) : body(body) {}

  /// Whether anything changed.
  bool use() {
    if (body.hasOneBlock())
      return false;
    visit(dominance.getRootNode(&body));
    return changed;
  }

private:
  using Node = llvm::DomTreeNodeBase<Block>;

  /// The blocks that a block dominates, without recursion: there may be
  /// thousands in a row.
  void visit(Node *root) {
    struct Frame {
      Node *node;
      unsigned next, facts;
    };
    llvm::SmallVector<Frame> stack;
    auto enter = [&](Node *node) {
      stack.push_back({node, 0, unsigned(learnt.size())});
      learn(node->getBlock());
      replaceIn(node->getBlock());
    };
    enter(root);
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.next < top.node->getNumChildren()) {
        enter(*(top.node->begin() + top.next++));
        continue;
      }
      for (; learnt.size() > top.facts; learnt.pop_back())
        known.erase(learnt.back());
      stack.pop_back();
    }
  }

  void learn(Block *block) {
    // A loop comes back from where its entry's branch was taken as well.
    Block *before = nullptr;
    for (Block *each : block->getPredecessors()) {
      if (dominance.dominates(block, each))
        continue;
      if (before)
        return;
      before = each;
    }
    auto branch = before ? dyn_cast<cf::CondBranchOp>(before->getTerminator())
                         : cf::CondBranchOp();
    if (branch && branch.getTrueDest() != branch.getFalseDest())
      learn(branch.getCondition(), branch.getTrueDest() == block);
  }

  void learn(Value condition, bool value) {
    llvm::SmallVector<std::pair<Value, bool>> facts{{condition, value}};
    while (!facts.empty()) {
      auto [fact, is] = facts.pop_back_val();
      if (matchPattern(fact, m_Constant()) || !known.insert({fact, is}).second)
        continue;
      learnt.push_back(fact);
      Operation *op = fact.getDefiningOp();
      if (op && (is ? isa<arith::AndIOp>(op) : isa<arith::OrIOp>(op)))
        for (Value side : op->getOperands())
          facts.push_back({side, is});
      else if (isa_and_nonnull<arith::XOrIOp>(op) &&
               matchPattern(op->getOperand(1), m_One()))
        facts.push_back({op->getOperand(0), !is});
    }
  }

  void replaceIn(Block *block) {
    if (known.empty())
      return;
    for (Operation &op : *block)
      for (OpOperand &operand : op.getOpOperands()) {
        if (!operand.get().getType().isInteger(1))
          continue;
        auto found = known.find(operand.get());
        if (found == known.end())
          continue;
        operand.set(constant(found->second));
        changed = true;
      }
  }

  Value constant(bool value) {
    Value &result = constants[value];
    if (!result) {
      OpBuilder builder = OpBuilder::atBlockBegin(&body.front());
      result = arith::ConstantOp::create(builder, body.getLoc(),
                                         builder.getBoolAttr(value));
    }
    return result;
  }

  Region &body;
  DominanceInfo dominance;
  llvm::DenseMap<Value, bool> known;
  /// The keys of `known`, in their order.
  llvm::SmallVector<Value> learnt;
  Value constants[2];
  bool changed = false;
};

struct ThreadBranches
    : public sequin::impl::CslThreadBranchesBase<ThreadBranches> {
  using CslThreadBranchesBase::CslThreadBranchesBase;

  explicit ThreadBranches(std::shared_ptr<CanonicalPatterns> patterns)
      : patterns(std::move(patterns)) {}

  LogicalResult initialize(MLIRContext *context) override {
    patterns->make(context);
    return success();
  }

  void runOnOperation() override {
    auto function = cast<FunctionOpInterface>(getOperation());
    if (function.isExternal())
      return;
    Region &body = function.getFunctionBody();
    // What one leaves is seen by the other; a round that is not the last leaves
    // fewer conditions or edges.
    constexpr int kRounds = 10;
    for (int round = 0; round < kRounds; ++round) {
      bool changed = TakenBranches(body).use();
      changed |= threadAll(body);
      if (!changed && round == 0)
        markAllAnalysesPreserved();
      if (!changed)
        return;
      simplifyFunction(getOperation(), *patterns);
      getAnalysis<Simplified>();
      markAnalysesPreserved<Simplified>();
    }
  }

private:
  std::shared_ptr<CanonicalPatterns> patterns =
      std::make_shared<CanonicalPatterns>();

  static bool threadAll(Region &body) {
    // Each change leaves fewer edges to blocks that only branch; those that
    // branch to each other may go round.
    unsigned rounds = 4 * std::distance(body.begin(), body.end());
    Dominance dominance;
    bool anyChange = false, changed = true;
    while (changed && rounds-- > 0) {
      changed = false;
      for (Block &block : body)
        changed |= thread(block, dominance);
      anyChange |= changed;
    }
    return anyChange;
  }

  static bool thread(Block &block, Dominance &dominance) {
    Operation *terminator = block.getTerminator();
    llvm::SmallVector<Value> next;
    if (auto branch = dyn_cast<cf::BranchOp>(terminator)) {
      Block *target = getNext(&block, std::nullopt, {}, branch.getDest(),
                              branch.getDestOperands(), next, dominance);
      if (!target)
        return false;
      dominance.leaveOut(branch.getDest());
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
                              next, dominance);
      if (!target)
        continue;
      dominance.leaveOut(old);
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

std::unique_ptr<Pass> csl_to_wafer::createThreadBranchesPass(
    std::shared_ptr<CanonicalPatterns> patterns) {
  return std::make_unique<ThreadBranches>(std::move(patterns));
}

//===----------------------------------------------------------------------===//
// Variables in registers
//===----------------------------------------------------------------------===//

namespace {
struct MemToReg : public sequin::impl::CslMemToRegBase<MemToReg> {
  using CslMemToRegBase::CslMemToRegBase;

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
    if (variables.empty()) {
      markAllAnalysesPreserved();
      return;
    }
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
