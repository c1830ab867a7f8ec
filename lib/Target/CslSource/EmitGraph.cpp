//===- EmitGraph.cpp - Blocks that branch to each other -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block is followed by what it dominates. A block that several others branch
// to stands behind a labelled block that holds those; a block with an edge back
// to it is a loop; the block that the program goes on with after a loop stands
// behind it. (Ramsey, Beyond Relooper: recursive translation of unstructured
// control flow to structured control flow, 2022, with the labels dropped again
// where control gets there by itself.)
//
// What blocks are given becomes variables. Arguments of which one is given to
// the other, and that are not needed at one time, have one: nested loops have
// one sum, an else-if chain one result.
//
//   var sum: f32 = 0.0;                    cf.br ^header(%zero, %0.0)
//   for (@range(u16, n)) |i| {           ^header(%i, %sum): ...
//     sum += x[i];                         cf.br ^header(%next, %more)
//   }
//
//===----------------------------------------------------------------------===//

#include "CodeEmitter.h"
#include "CountedLoops.h"
#include "Structure.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;
using Kind = Statement::Kind;

namespace sequin::csl_to_source {

/// The shape of a region's graph, and the statements that are made of it.
class GraphEmitter {
public:
  GraphEmitter(CodeEmitter &code, Region &body)
      : code(code), body(body), dominance(body.getParentOp()),
        info(dominance.getDomTree(&body)) {}
  void run();

private:
  struct Loop {
    const CFGLoop *blocks = nullptr;
    /// What stands behind the loop; may be null.
    Block *exit = nullptr;
    /// Where the way from the exit meets others out of the loop, in order; they
    /// stand behind what stands behind the loop.
    std::vector<Block *> joins;
    /// The only edge to the exit, from the block and by the successor, if what
    /// it gives is there behind the loop as well.
    Block *leaves = nullptr;
    unsigned leavesBy = 0;
    std::optional<CountedLoop> counted;
    Expression low;
    Statement *statement = nullptr;
  };
  /// Blocks of which each branches to the next or gives `join` a known bool;
  /// the last gives it what it computes.
  struct Connection {
    llvm::SmallVector<Block *> links;
    Block *join = nullptr;
  };

  // Shape.
  void findConnections();
  void findLoops();
  void findExit(Loop &loop);
  void findLeaving(Loop &loop);
  void findJoins(Loop &loop);
  void findEscaping(Loop &loop);
  void addEscaping(Value value, const CFGLoop &blocks);
  void shareVariables();
  bool interfere(BlockArgument one, BlockArgument other);
  bool isLiveAt(Value value, Block *block);
  bool hasPlainExit(const Loop &loop);
  Loop *getLoop(Block *header) {
    auto found = loops.find(header);
    return found == loops.end() ? nullptr : &found->second;
  }
  /// Whether `block` stands behind a loop around what is being emitted.
  bool isBehindLoop(Block *block);
  bool isMerge(Block *block) const;
  bool isBackEdge(Block *from, Block *to) const {
    return order.lookup(to) <= order.lookup(from);
  }
  bool isCounter(BlockArgument argument) {
    Loop *loop = getLoop(argument.getOwner());
    return loop && loop->counted && loop->counted->counter == argument;
  }

  // Statements.
  void emitTree(Block *block, Statements &out);
  Statements &
  emitLoopHead(Block *header, Loop &loop, Statements &out,
               std::vector<std::pair<Block *, Statements *>> &joins);
  void emitWithin(Block *block, ArrayRef<Block *> after, Statements &out);
  void emitTerminator(Block *block, Statements &out);
  void emitReturn(Operation *op, Statements &out);
  void emitEdge(Block *from, unsigned successor, Statements &out);
  void emitJump(Block *from, Block *to, Statements &out);
  Expression connect(ArrayRef<Block *> links, BlockArgument result);
  void takeLow(Loop &loop, Value low);
  IntType typeOfRange(const CountedLoop &counted);

  // Variables.
  void declareArguments(Block *block);
  /// The variable of an argument, empty if it has none.
  std::string slotOf(BlockArgument argument) {
    return variables.contains(argument)
               ? slots.lookup(variables.getLeaderValue(argument))
               : std::string();
  }
  void declare(BlockArgument argument, Value init);
  /// Runs `emit` with its lines in a statement of their own.
  template <typename F> void lines(Statements &out, F emit);

  CodeEmitter &code;
  Region &body;
  DominanceInfo dominance;
  CFGLoopInfo info;
  std::optional<Liveness> liveness;
  llvm::SmallVector<Block *> blocks;
  llvm::DenseMap<Block *, unsigned> order;
  llvm::DenseMap<Block *, Loop> loops;
  llvm::DenseMap<Block *, Connection> connections;
  /// Arguments that have one variable, and its name by the first of them.
  llvm::EquivalenceClasses<Value> variables;
  llvm::DenseMap<Value, std::string> slots;
  llvm::DenseSet<Value> bound;
  llvm::DenseMap<Block *, Statement *> labelled;
  /// Loops around what is being emitted.
  std::vector<Block *> around;
  /// What the line of a loop over a range says.
  llvm::DenseSet<Operation *> skipped;
  /// What a return leaves where there is none.
  Statement *whole = nullptr;
};

} // namespace sequin::csl_to_source

template <typename F> void GraphEmitter::lines(Statements &out, F emit) {
  auto statement = std::make_unique<Statement>(Kind::Lines);
  statement->lines = code.out->inner();
  Text *outside = std::exchange(code.out, &statement->lines);
  emit(*statement);
  code.out = outside;
  if (!statement->lines.empty())
    out.push_back(std::move(statement));
}

//===----------------------------------------------------------------------===//
// `and`, `or`
//===----------------------------------------------------------------------===//

/// Whether a block computes what it gives in one expression: each value but
/// names of places is used once, and behind it.
static bool isOneExpression(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (isa<arith::ConstantOp, csl::GetVarOp, csl::AsMemrefOp>(op))
      continue;
    if (op.getNumResults() != 1 || op.getNumRegions() ||
        !op.getResult(0).hasOneUse() ||
        (*op.user_begin())->getBlock() != &block)
      return false;
  }
  return true;
}

namespace {
/// A branch of which one side is a bool that is known.
struct KnownSide {
  unsigned successor;
  bool value;
};
} // namespace

static std::optional<KnownSide> getKnownSide(cf::CondBranchOp branch,
                                             Block *join) {
  for (unsigned side : {0u, 1u}) {
    Block *target = branch->getSuccessor(side);
    OperandRange operands =
        branch.getSuccessorOperands(side).getForwardedOperands();
    APInt number;
    if ((!join || target == join) && operands.size() == 1 &&
        operands[0].getType().isInteger(1) &&
        matchPattern(operands[0], m_ConstantInt(&number)))
      return KnownSide{side, number.getBoolValue()};
  }
  return std::nullopt;
}

void GraphEmitter::findConnections() {
  for (Block *first : blocks) {
    Connection found;
    Block *link = first;
    while (auto branch = dyn_cast<cf::CondBranchOp>(link->getTerminator())) {
      std::optional<KnownSide> known = getKnownSide(branch, found.join);
      if (!known)
        break;
      found.join = branch->getSuccessor(known->successor);
      Block *next = branch->getSuccessor(1 - known->successor);
      if (next == found.join || next->getSinglePredecessor() != link ||
          next->getNumArguments() || !isOneExpression(*next))
        break;
      found.links.push_back(link);
      link = next;
    }
    auto last = dyn_cast<cf::BranchOp>(link->getTerminator());
    if (found.links.empty() || !last || last.getDest() != found.join)
      continue;
    found.links.push_back(link);
    auto ways = llvm::count_if(found.join->getPredecessors(),
                               [](Block *) { return true; });
    if (size_t(ways) == found.links.size() &&
        info.getLoopFor(found.join) == info.getLoopFor(first))
      connections[first] = std::move(found);
  }
}

Expression GraphEmitter::connect(ArrayRef<Block *> links,
                                 BlockArgument result) {
  Block *link = links.front();
  Operation *end = link->getTerminator();
  if (links.size() == 1)
    return code.use(end->getOperand(0));
  auto branch = cast<cf::CondBranchOp>(end);
  KnownSide known = *getKnownSide(branch, result.getOwner());
  bool isOr = known.value, isFirst = known.successor == 0;
  Expression test = isFirst == isOr ? code.use(branch.getCondition())
                                    : code.negate(branch.getCondition());
  Effects effects = code.takeEffects();
  code.flushAll();
  Text text = code.out->inner();
  Text *outside = std::exchange(code.out, &text);
  for (Operation &op : links[1]->without_terminator())
    code.emitOp(op);
  Expression value = connect(links.drop_front(), result);
  effects.add(code.takeEffects());
  code.out = outside;
  if (text.empty()) {
    code.current = effects;
    return code.connect(result, isOr, test, value);
  }
  // Something took a line of its own after all.
  std::string slot = code.declareSlot(result, {});
  code.out->open("if (" + (isOr ? opposite(test, false) : test).text + ") {");
  code.out->append(text);
  code.out->line(slot + " = " + value.text + ";");
  code.out->reopen("} else {");
  code.out->line(slot + (isOr ? " = true;" : " = false;"));
  code.out->close();
  const void *root = code.slotRoot(slot);
  code.privateRoots.insert(root);
  code.current = Effects::reading(root);
  return leaf(slot);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool GraphEmitter::isMerge(Block *block) const {
  unsigned forward = 0;
  for (Block *from : block->getPredecessors())
    forward += !isBackEdge(from, block);
  return forward > 1;
}

/// Places and casts that cost nothing are written as their operands.
static bool isWrittenAsOperands(Operation *op) {
  return isa<csl::AddressOfOp, csl::AsMemrefOp, csl::ElementPtrOp,
             csl::FieldPtrOp, memref::CastOp, memref::SubViewOp,
             arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
             arith::TruncIOp>(op);
}

void GraphEmitter::addEscaping(Value value, const CFGLoop &blocks) {
  if (!code.escaping.insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  if (!op || !isWrittenAsOperands(op))
    return;
  for (Value operand : op->getOperands())
    if (blocks.contains(operand.getParentBlock()))
      addEscaping(operand, blocks);
}

void GraphEmitter::findExit(Loop &loop) {
  Block *header = loop.blocks->getHeader();
  for (Block *block : loop.blocks->getBlocks())
    for (Block *next : block->getSuccessors()) {
      if (loop.blocks->contains(next))
        continue;
      auto *idom = dominance.getNode(next)->getIDom();
      if (!idom || !loop.blocks->contains(idom->getBlock()))
        continue;
      // Of several, the one behind the header, else the one that comes last.
      auto rank = [&](Block *exit) {
        return std::pair(llvm::is_contained(header->getSuccessors(), exit),
                         order.lookup(exit));
      };
      if (!loop.exit || rank(next) > rank(loop.exit))
        loop.exit = next;
    }
}

void GraphEmitter::findLeaving(Loop &loop) {
  // A block that leaves the loop for good is none of its blocks, but stands in
  // it.
  unsigned edges = 0;
  for (auto it = loop.exit->pred_begin(); it != loop.exit->pred_end(); ++it) {
    if (isBackEdge(*it, loop.exit))
      continue;
    ++edges;
    loop.leaves = *it;
    loop.leavesBy = it.getSuccessorIndex();
  }
  auto isThereBehind = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return !loop.blocks->contains(value.getParentBlock()) ||
           (argument && argument.getOwner() == loop.blocks->getHeader() &&
            !isCounter(argument));
  };
  if (edges > 1 || !loop.blocks->contains(loop.leaves) ||
      !llvm::all_of(cast<BranchOpInterface>(loop.leaves->getTerminator())
                        .getSuccessorOperands(loop.leavesBy)
                        .getForwardedOperands(),
                    isThereBehind))
    loop.leaves = nullptr;
}

void GraphEmitter::findJoins(Loop &loop) {
  llvm::DenseSet<Block *> seen{loop.exit};
  llvm::SmallVector<Block *> work{loop.exit};
  while (!work.empty()) {
    Block *from = work.pop_back_val();
    for (Block *next : from->getSuccessors()) {
      if (isBackEdge(from, next) || loop.blocks->contains(next) ||
          !seen.insert(next).second)
        continue;
      work.push_back(next);
      auto *idom = dominance.getNode(next)->getIDom();
      if (isMerge(next) && idom && loop.blocks->contains(idom->getBlock()))
        loop.joins.push_back(next);
    }
  }
  llvm::sort(loop.joins, [&](Block *left, Block *right) {
    return order.lookup(left) < order.lookup(right);
  });
}

/// What the exit and those behind it use of the loop has to be declared before
/// it.
void GraphEmitter::findEscaping(Loop &loop) {
  auto addIfUsedBehind = [&](Value value) {
    for (Operation *user : value.getUsers()) {
      Block *where = body.findAncestorBlockInRegion(*user->getBlock());
      auto leadsThere = [&](Block *behind) {
        return dominance.dominates(behind, where);
      };
      if (where && !loop.blocks->contains(where) &&
          (leadsThere(loop.exit) || llvm::any_of(loop.joins, leadsThere)))
        addEscaping(value, *loop.blocks);
    }
  };
  for (Block *block : loop.blocks->getBlocks()) {
    // The loop's own variables stand in front of it.
    if (block != loop.blocks->getHeader())
      llvm::for_each(block->getArguments(), addIfUsedBehind);
    for (Operation &op : *block)
      llvm::for_each(op.getResults(), addIfUsedBehind);
  }
}

bool GraphEmitter::isBehindLoop(Block *block) {
  return llvm::any_of(around, [&](Block *header) {
    Loop *loop = getLoop(header);
    return loop->exit == block || llvm::is_contained(loop->joins, block);
  });
}

void GraphEmitter::findLoops() {
  for (CFGLoop *blocks : info.getLoopsInPreorder()) {
    Loop &loop = loops[blocks->getHeader()];
    loop.blocks = blocks;
    loop.counted = getCountedLoop(*blocks);
    findExit(loop);
    // What ends the range stands behind the loop.
    Operation *end = blocks->getHeader()->getTerminator();
    if (loop.counted && loop.exit &&
        loop.exit != end->getSuccessor(loop.counted->exit))
      loop.counted.reset();
    if (loop.exit) {
      findLeaving(loop);
      findJoins(loop);
      findEscaping(loop);
    }
  }
  // The first number of a range is said in front of it.
  for (auto &[header, loop] : loops)
    if (Loop *next = loop.exit && !loop.leaves ? getLoop(loop.exit) : nullptr;
        next && !loop.counted)
      next->counted.reset();
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Whether `value`, or what is written with it, is needed where `block` begins.
bool GraphEmitter::isLiveAt(Value value, Block *block) {
  llvm::SmallVector<Value> work{value};
  llvm::SmallPtrSet<const void *, 8> seen;
  const LivenessBlockInfo *alive = liveness->getLiveness(block);
  while (!work.empty()) {
    Value one = work.pop_back_val();
    if (!seen.insert(one.getAsOpaquePointer()).second)
      continue;
    if (alive->isLiveIn(one))
      return true;
    for (Operation *user : one.getUsers())
      if (isWrittenAsOperands(user))
        work.push_back(user->getResult(0));
  }
  return false;
}

bool GraphEmitter::interfere(BlockArgument one, BlockArgument other) {
  Block *here = one.getOwner(), *there = other.getOwner();
  return here == there || isLiveAt(one, there) || isLiveAt(other, here);
}

/// The operands that a branch gives its successors, by argument.
static void forEachGiven(Block *block,
                         llvm::function_ref<void(BlockArgument, Value)> visit) {
  auto branch = dyn_cast<BranchOpInterface>(block->getTerminator());
  if (!branch)
    return;
  for (auto [index, next] : llvm::enumerate(block->getSuccessors()))
    for (auto [argument, operand] :
         llvm::zip(next->getArguments(),
                   branch.getSuccessorOperands(index).getForwardedOperands()))
      visit(argument, operand);
}

void GraphEmitter::shareVariables() {
  liveness.emplace(body.getParentOp());
  llvm::DenseSet<Block *> connected;
  for (auto &[first, connection] : connections)
    connected.insert(connection.join);
  for (Block *block : blocks)
    if (!block->isEntryBlock() && !connected.contains(block))
      for (BlockArgument argument : block->getArguments())
        if (!isCounter(argument))
          variables.insert(argument);
  auto isSameType = [&](Value one, Value other) {
    Type type = one.getType();
    return type == other.getType() && !isa<BaseMemRefType>(type) &&
           (!hasSign(type) || code.typeOf(one) == code.typeOf(other));
  };
  for (Block *block : blocks)
    forEachGiven(block, [&](BlockArgument argument, Value operand) {
      if (!variables.contains(argument) || !variables.contains(operand) ||
          variables.isEquivalent(argument, operand) ||
          !isSameType(argument, operand))
        return;
      for (Value one : variables.members(argument))
        for (Value other : variables.members(operand))
          if (interfere(cast<BlockArgument>(one), cast<BlockArgument>(other)))
            return;
      variables.unionSets(argument, operand);
    });
  for (Block *block : blocks)
    if (Loop *loop = getLoop(block);
        loop && loop->counted && !hasPlainExit(*loop)) {
      variables.insert(loop->counted->counter);
      loop->counted.reset();
    }
}

/// Whether a loop that ends with its range does so without assigning anything
/// that who leaves it earlier would lose.
bool GraphEmitter::hasPlainExit(const Loop &loop) {
  Block *header = loop.blocks->getHeader();
  auto branch = cast<cf::CondBranchOp>(header->getTerminator());
  Block *exit = branch->getSuccessor(loop.counted->exit);
  if (exit != loop.exit || exit->getSinglePredecessor())
    return true;
  for (auto [argument, operand] : llvm::zip(
           exit->getArguments(), branch.getSuccessorOperands(loop.counted->exit)
                                     .getForwardedOperands()))
    if (!variables.contains(operand) || !variables.contains(argument) ||
        !variables.isEquivalent(argument, operand))
      return false;
  return true;
}

void GraphEmitter::declare(BlockArgument argument, Value init) {
  std::string &slot = slots[variables.getLeaderValue(argument)];
  if (slot.empty())
    slot = code.declareSlot(argument, init);
  if (bound.insert(argument).second)
    code.bindSlot(argument, slot);
}

void GraphEmitter::declareArguments(Block *block) {
  for (BlockArgument argument : block->getArguments())
    if (variables.contains(argument))
      declare(argument, {});
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

void GraphEmitter::emitJump(Block *from, Block *to, Statements &out) {
  auto jump = [&](Jump::Kind kind, const Statement *target) {
    auto statement = std::make_unique<Statement>(Kind::Jump);
    statement->jump = {kind, target};
    out.push_back(std::move(statement));
  };
  if (isBackEdge(from, to))
    return jump(Jump::Kind::Continue, getLoop(to)->statement);
  for (Block *header : llvm::reverse(around))
    if (Loop *loop = getLoop(header); loop->exit == to)
      return jump(Jump::Kind::Break, loop->statement);
  if (auto label = labelled.find(to); label != labelled.end())
    return jump(Jump::Kind::Break, label->second);
  emitTree(to, out);
}

/// The first number of a range is known before anything changes that the edge
/// assigns.
void GraphEmitter::takeLow(Loop &loop, Value low) {
  loop.low = code.use(low, typeOfRange(*loop.counted));
  Effects effects = code.takeEffects();
  if (!effects.acts && effects.reads.empty() && effects.writes.empty())
    return;
  code.flush(effects);
  std::string name = code.program.takeLocal(code.names, "start");
  code.out->write("const " + name + " = ", Doc(loop.low), ";");
  loop.low = leaf(name);
}

void GraphEmitter::emitEdge(Block *from, unsigned successor, Statements &out) {
  Operation *branch = from->getTerminator();
  Block *to = branch->getSuccessor(successor);
  OperandRange operands = cast<BranchOpInterface>(branch)
                              .getSuccessorOperands(successor)
                              .getForwardedOperands();
  Loop *loop = getLoop(to);
  bool isBack = isBackEdge(from, to);
  for (Block *header : llvm::reverse(around))
    if (Loop *inside = getLoop(header); inside->exit == to) {
      // What it gives is given behind the loop.
      if (inside->leaves == from && inside->leavesBy == successor)
        return emitJump(from, to, out);
      break;
    }
  lines(out, [&](Statement &statement) {
    statement.isStep = isBack;
    std::vector<std::string> targets(operands.size());
    // New variables first: their values may be in those that change.
    for (auto [argument, operand, target] :
         llvm::zip(to->getArguments(), operands, targets)) {
      if (isCounter(argument)) {
        if (!isBack)
          takeLow(*loop, operand);
        continue;
      }
      target = slotOf(argument);
      if (!target.empty())
        continue;
      declare(argument, operand);
      code.takeEffects();
    }
    code.assignTogether(targets, operands);
    code.takeEffects();
    for (BlockArgument argument : to->getArguments())
      if (variables.contains(argument))
        declare(argument, {});
  });
  emitJump(from, to, out);
}

void GraphEmitter::emitReturn(Operation *op, Statements &out) {
  if (op->getNumOperands() == 0) {
    auto statement = std::make_unique<Statement>(Kind::Jump);
    if (whole)
      statement->jump = {Jump::Kind::Break, whole};
    out.push_back(std::move(statement));
    return;
  }
  lines(out, [&](Statement &statement) {
    code.emitReturn(*op);
    code.takeEffects();
    statement.ends = true;
  });
}

void GraphEmitter::emitTerminator(Block *block, Statements &out) {
  Operation *op = block->getTerminator();
  if (Loop *loop = getLoop(block); loop && loop->counted)
    return emitEdge(block, loop->counted->body, out);
  if (isa<cf::BranchOp>(op))
    return emitEdge(block, 0, out);
  if (auto branch = dyn_cast<cf::CondBranchOp>(op)) {
    auto choice = std::make_unique<Statement>(Kind::If);
    choice->condition = code.use(branch.getCondition());
    choice->isInteger =
        branch.getCondition().getDefiningOp<arith::CmpIOp>() != nullptr;
    Effects effects = code.takeEffects();
    choice->acts = effects.acts || !effects.writes.empty();
    emitEdge(block, 0, choice->body);
    emitEdge(block, 1, choice->otherwise);
    out.push_back(std::move(choice));
    return;
  }
  if (auto branch = dyn_cast<cf::SwitchOp>(op)) {
    auto choice = std::make_unique<Statement>(Kind::Switch);
    IntType type = code.intType(branch.getFlag());
    choice->condition = code.useTyped(branch.getFlag());
    code.takeEffects();
    if (DenseIntElementsAttr cases = branch.getCaseValuesAttr())
      for (const APInt &value : cases.getValues<APInt>())
        choice->values.push_back(spellInteger(value, type.isSigned));
    for (unsigned index = 0; index < choice->values.size(); ++index)
      emitEdge(block, index + 1, choice->cases.emplace_back());
    emitEdge(block, 0, choice->otherwise);
    out.push_back(std::move(choice));
    return;
  }
  if (isa<func::ReturnOp, csl::ReturnOp>(op))
    return emitReturn(op, out);
  code.refuse(op, "branches in a way that CSL has no statement for");
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void GraphEmitter::emitWithin(Block *block, ArrayRef<Block *> after,
                              Statements &out) {
  if (after.empty())
    return emitTerminator(block, out);
  Block *last = after.back();
  auto wrapper = std::make_unique<Statement>(Kind::Block);
  labelled[last] = wrapper.get();
  emitWithin(block, after.drop_back(), wrapper->body);
  labelled.erase(last);
  out.push_back(std::move(wrapper));
  emitTree(last, out);
}

IntType GraphEmitter::typeOfRange(const CountedLoop &counted) {
  IntType type = code.intType(counted.counter);
  if (!counted.counter.getType().isIndex())
    return type.withSign(!counted.isUnsigned);
  return counted.isUnsigned ? IntType{32, /*isSigned=*/false} : type;
}

/// What stands in front of a loop, and its first line; where its body goes.
Statements &GraphEmitter::emitLoopHead(
    Block *header, Loop &loop, Statements &out,
    std::vector<std::pair<Block *, Statements *>> &joins) {
  auto statement = std::make_unique<Statement>(Kind::Loop);
  // Variables that outlive the loop, and those of what stands behind it.
  lines(out, [&](Statement &) {
    declareArguments(header);
    auto declareValue = [&](Value value) {
      if (code.escaping.contains(value) &&
          !isa<BaseMemRefType>(value.getType()) &&
          !code.escapeSlots.count(value))
        code.escapeSlots[value] = code.declareSlot(value, {});
    };
    if (loop.exit)
      declareArguments(loop.exit);
    for (Block *inside : loop.blocks->getBlocks()) {
      if (!loop.exit)
        break;
      for (BlockArgument argument : inside->getArguments()) {
        if (!code.escaping.contains(argument))
          continue;
        if (variables.contains(argument))
          declare(argument, {});
        else
          declareValue(argument);
      }
      for (Operation &op : *inside)
        llvm::for_each(op.getResults(), declareValue);
    }
    for (auto &[join, outside] : joins)
      declareArguments(join);
    if (!loop.counted)
      return;
    const CountedLoop &counted = *loop.counted;
    IntType type = typeOfRange(counted);
    Expression high = code.use(counted.high, type);
    code.takeEffects();
    llvm::SmallString<16> step;
    counted.step.toStringUnsigned(step);
    std::string numbers =
        loop.low.text == "0" && counted.step.isOne()
            ? high.text
            : loop.low.text + ", " + high.text + ", " + step.str().str();
    statement->counter = code.freshName(counted.counter);
    statement->range = "@range(" + type.str() + ", " + numbers + ")";
    code.defineLeaf(counted.counter,
                    code.convert(leaf(statement->counter), type,
                                 code.intType(counted.counter)));
  });
  Statements *place = &out;
  for (auto &[join, outside] : llvm::reverse(joins)) {
    auto wrapper = std::make_unique<Statement>(Kind::Block);
    labelled[join] = wrapper.get();
    outside = place;
    place = &wrapper->body;
    outside->push_back(std::move(wrapper));
  }
  loop.statement = statement.get();
  place->push_back(std::move(statement));
  return *place;
}

void GraphEmitter::emitTree(Block *block, Statements &out) {
  Statements *target = &out, *place = &out;
  Loop *loop = getLoop(block);
  // What joins behind this loop and none around it, and where it stands.
  std::vector<std::pair<Block *, Statements *>> joins;
  if (loop) {
    for (Block *join : loop->joins)
      if (!isBehindLoop(join))
        joins.emplace_back(join, nullptr);
    place = &emitLoopHead(block, *loop, out, joins);
    target = &loop->statement->body;
    around.push_back(block);
  }
  auto connection = connections.find(block);
  // What joins below this block, in the order in which it comes.
  llvm::SmallVector<Block *> after;
  if (connection == connections.end())
    for (auto *child : dominance.getNode(block)->children()) {
      Block *below = child->getBlock();
      if (isMerge(below) && !isBehindLoop(below))
        after.push_back(below);
    }
  llvm::sort(after, [&](Block *left, Block *right) {
    return order.lookup(left) < order.lookup(right);
  });
  lines(*target, [&](Statement &) {
    if (loop && loop->counted)
      code.saveEscaping(loop->counted->counter, "");
    for (Operation &op : block->without_terminator())
      if (!skipped.contains(&op))
        code.emitOp(op);
    // What is computed before a branch is not computed in it.
    Operation *end = block->getTerminator();
    code.flushUnless(isa<cf::CondBranchOp, cf::SwitchOp>(end)
                         ? ValueRange(end->getOperands().take_front())
                         : ValueRange(end->getOperands()));
    for (Block *below : after)
      declareArguments(below);
    if (connection == connections.end())
      return;
    BlockArgument result = connection->second.join->getArgument(0);
    Expression value = connect(connection->second.links, result);
    code.define(result, value);
  });
  if (connection != connections.end())
    emitTree(connection->second.join, *target);
  else
    emitWithin(block, after, *target);
  if (!loop)
    return;
  around.pop_back();
  if (loop->counted)
    emitEdge(block, loop->counted->exit, *place);
  else if (loop->leaves)
    emitEdge(loop->leaves, loop->leavesBy, *place);
  else if (loop->exit)
    emitJump(block, loop->exit, *place);
  for (auto [join, outside] : joins) {
    labelled.erase(join);
    emitTree(join, *outside);
  }
}

void GraphEmitter::run() {
  llvm::ReversePostOrderTraversal<Block *> traversal(&body.front());
  for (Block *block : traversal) {
    order[block] = blocks.size();
    blocks.push_back(block);
  }
  if (llvm::containsIrreducibleCFG<Block *>(traversal, info)) {
    code.refuse(body.getParentOp(),
                "has a loop with two entries, which no loop of CSL has");
    return;
  }
  findConnections();
  findLoops();
  shareVariables();
  for (auto &[header, loop] : loops) {
    if (!loop.counted)
      continue;
    skipped.insert(loop.counted->test);
    // A step that is nothing else is said by the range.
    for (arith::AddIOp step : loop.counted->steps)
      if (llvm::all_of(step->getUses(), [&](OpOperand &use) {
            auto branch = dyn_cast<BranchOpInterface>(use.getOwner());
            std::optional<BlockArgument> to =
                branch
                    ? branch.getSuccessorBlockArgument(use.getOperandNumber())
                    : std::nullopt;
            return to && *to == loop.counted->counter;
          }))
        skipped.insert(step);
  }
  Statements statements;
  Statements *out = &statements;
  if (isa<csl::ComptimeOp>(body.getParentOp())) {
    statements.push_back(std::make_unique<Statement>(Kind::Block));
    whole = statements.back().get();
    out = &whole->body;
  }
  emitTree(&body.front(), *out);
  simplify(statements);
  write(statements, *code.out, code.names);
}

void CodeEmitter::emitGraph(Region &body) { GraphEmitter(*this, body).run(); }
