//===- CountedLoops.cpp - Loops over a range ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountedLoops.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;
using P = arith::CmpIPredicate;

/// The test of a loop that goes on while its counter is less than something.
static bool matchTest(const CFGLoop &loop, CountedLoop &counted) {
  Block *header = loop.getHeader();
  auto branch = dyn_cast<cf::CondBranchOp>(header->getTerminator());
  if (!branch)
    return false;
  counted.body = loop.contains(branch.getTrueDest()) ? 0 : 1;
  counted.exit = 1 - counted.body;
  counted.test = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  if (loop.contains(branch->getSuccessor(counted.exit)) || !counted.test ||
      counted.test->getBlock() != header || !counted.test->hasOneUse())
    return false;
  P predicate = counted.test.getPredicate();
  if (counted.body == 1)
    predicate = arith::invertPredicate(predicate);
  Value less = counted.test.getLhs(), more = counted.test.getRhs();
  if (predicate == P::sgt || predicate == P::ugt)
    std::swap(less, more);
  else if (predicate != P::slt && predicate != P::ult)
    return false;
  counted.isUnsigned = predicate == P::ult || predicate == P::ugt;
  counted.counter = dyn_cast<BlockArgument>(less);
  counted.high = more;
  return counted.counter && counted.counter.getOwner() == header &&
         !loop.contains(more.getParentBlock());
}

/// What each way into the header gives the counter.
static bool matchSteps(const CFGLoop &loop, CountedLoop &counted) {
  Block *header = loop.getHeader();
  for (auto it = header->pred_begin(); it != header->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    Value given =
        branch ? branch.getSuccessorOperands(
                     it.getSuccessorIndex())[counted.counter.getArgNumber()]
               : Value();
    if (!given)
      return false;
    if (!loop.contains(*it)) {
      if (counted.low)
        return false;
      counted.low = given;
      continue;
    }
    auto sum = given.getDefiningOp<arith::AddIOp>();
    APInt step;
    if (!sum || sum.getLhs() != counted.counter ||
        !matchPattern(sum.getRhs(), m_ConstantInt(&step)) ||
        !step.isStrictlyPositive() ||
        (!counted.steps.empty() && step != counted.step))
      return false;
    counted.step = step;
    if (!llvm::is_contained(counted.steps, sum))
      counted.steps.push_back(sum);
  }
  return counted.low && !counted.steps.empty();
}

/// Whether the counter stays within its type up to the first number that ends
/// the loop. An index has more bits than it needs.
static bool staysInType(const CountedLoop &counted) {
  if (counted.step.isOne() || counted.counter.getType().isIndex())
    return true;
  APInt high;
  bool overflows = true;
  if (matchPattern(counted.high, m_ConstantInt(&high))) {
    APInt rest = counted.step - 1;
    (void)(counted.isUnsigned ? high.uadd_ov(rest, overflows)
                              : high.sadd_ov(rest, overflows));
  }
  return !overflows;
}

std::optional<CountedLoop> csl_to_source::getCountedLoop(const CFGLoop &loop) {
  CountedLoop counted;
  if (!matchTest(loop, counted) || !matchSteps(loop, counted) ||
      !staysInType(counted))
    return std::nullopt;
  // The test is all that is done before it.
  Block *header = loop.getHeader();
  for (Operation &op : header->without_terminator())
    if (&op != counted.test && !op.hasTrait<OpTrait::ConstantLike>())
      return std::nullopt;
  Region *region = header->getParent();
  for (Operation *user : counted.counter.getUsers()) {
    Block *where = region->findAncestorBlockInRegion(*user->getBlock());
    if (!loop.contains(where) || (where == header && user != counted.test))
      return std::nullopt;
  }
  return counted;
}
