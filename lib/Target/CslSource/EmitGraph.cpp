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
//===----------------------------------------------------------------------===//

#include "CodeEmitter.h"
#include "Structure.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;
using Kind = Statement::Kind;

namespace sequin::csl_to_source {

/// The shape of a region's graph, and the statements that are made of it.
class GraphEmitter {
public:
  GraphEmitter(CodeEmitter &code, Region &body) : code(code), body(body) {}
  void run();

private:
  struct Loop {
    llvm::DenseSet<Block *> blocks;
    /// What stands behind the loop; may be null.
    Block *exit = nullptr;
    /// Where the way from the exit meets others out of the loop, in order; they
    /// stand behind what stands behind the loop.
    std::vector<Block *> joins;
    Statement *statement = nullptr;
  };
  bool isReducible();
  void findLoops();
  void findJoins(Loop &loop);
  /// Whether `block` stands behind a loop around what is being emitted.
  bool isBehindLoop(Block *block);
  void addEscaping(Value value, const llvm::DenseSet<Block *> &blocks);
  bool isMerge(Block *block) const;
  bool isBackEdge(Block *from, Block *to) const {
    return order.lookup(to) <= order.lookup(from);
  }
  void emitTree(Block *block, Statements &out);
  void emitWithin(Block *block, ArrayRef<Block *> after, Statements &out);
  void emitTerminator(Block *block, Statements &out);
  void emitEdge(Block *from, Block *to, ValueRange operands, Statements &out);
  void emitJump(Block *from, Block *to, Statements &out);
  void declareArguments(Block *block, Text &lines);
  /// Runs `emit` with its lines in a statement of their own.
  template <typename F> void lines(Statements &out, F emit);

  CodeEmitter &code;
  Region &body;
  llvm::DenseMap<Block *, unsigned> order;
  DominanceInfo dominance;
  llvm::DenseMap<Block *, Loop> loops;
  llvm::DenseMap<Block *, std::vector<std::string>> slots;
  llvm::DenseMap<Block *, Statement *> labelled;
  /// Loops around what is being emitted.
  std::vector<Block *> around;
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
// Shape
//===----------------------------------------------------------------------===//

bool GraphEmitter::isReducible() {
  llvm::ReversePostOrderTraversal<Block *> traversal(&body.front());
  unsigned number = 0;
  for (Block *block : traversal)
    order[block] = number++;
  for (auto [block, position] : order)
    for (Block *next : block->getSuccessors())
      if (isBackEdge(block, next) && !dominance.dominates(next, block))
        return false;
  return true;
}

bool GraphEmitter::isMerge(Block *block) const {
  unsigned forward = 0;
  llvm::DenseSet<Block *> seen;
  for (Block *from : block->getPredecessors())
    if (order.count(from) && !isBackEdge(from, block)) {
      // Both ways of one branch may lead here.
      forward += llvm::count(from->getSuccessors(), block) > 1 &&
                         seen.insert(from).second
                     ? 2
                     : 1;
    }
  return forward > 1;
}

void GraphEmitter::addEscaping(Value value,
                               const llvm::DenseSet<Block *> &blocks) {
  if (!code.escaping.insert(value).second)
    return;
  // A place or a cast that costs nothing is written as its operands.
  Operation *op = value.getDefiningOp();
  if (!op || !isa<csl::AddressOfOp, csl::AsMemrefOp, csl::ElementPtrOp,
                  csl::FieldPtrOp, memref::CastOp, memref::SubViewOp,
                  arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
                  arith::TruncIOp>(op))
    return;
  for (Value operand : op->getOperands())
    if (blocks.contains(operand.getParentBlock()))
      addEscaping(operand, blocks);
}

void GraphEmitter::findJoins(Loop &loop) {
  llvm::DenseSet<Block *> seen{loop.exit};
  llvm::SmallVector<Block *> work{loop.exit};
  while (!work.empty()) {
    Block *from = work.pop_back_val();
    for (Block *next : from->getSuccessors()) {
      if (isBackEdge(from, next) || loop.blocks.contains(next) ||
          !seen.insert(next).second)
        continue;
      work.push_back(next);
      auto *idom = dominance.getNode(next)->getIDom();
      if (isMerge(next) && idom && loop.blocks.contains(idom->getBlock()))
        loop.joins.push_back(next);
    }
  }
  llvm::sort(loop.joins, [&](Block *left, Block *right) {
    return order.lookup(left) < order.lookup(right);
  });
}

bool GraphEmitter::isBehindLoop(Block *block) {
  return llvm::any_of(around, [&](Block *header) {
    const Loop &loop = loops[header];
    return loop.exit == block || llvm::is_contained(loop.joins, block);
  });
}

void GraphEmitter::findLoops() {
  for (auto [block, position] : order)
    for (Block *next : block->getSuccessors()) {
      if (!isBackEdge(block, next))
        continue;
      // Everything that reaches the back edge without passing the header.
      Loop &loop = loops[next];
      loop.blocks.insert(next);
      llvm::SmallVector<Block *> work{block};
      while (!work.empty()) {
        Block *one = work.pop_back_val();
        if (!loop.blocks.insert(one).second)
          continue;
        for (Block *from : one->getPredecessors())
          if (order.count(from))
            work.push_back(from);
      }
    }
  for (auto &[header, loop] : loops) {
    for (Block *block : loop.blocks)
      for (Block *next : block->getSuccessors()) {
        if (loop.blocks.contains(next))
          continue;
        auto *idom = dominance.getNode(next)->getIDom();
        if (!idom || !loop.blocks.contains(idom->getBlock()))
          continue;
        // Of several, the one behind the header, else the one that comes last.
        auto rank = [&](Block *exit) {
          return std::pair(llvm::is_contained(header->getSuccessors(), exit),
                           order.lookup(exit));
        };
        if (!loop.exit || rank(next) > rank(loop.exit))
          loop.exit = next;
      }
    if (!loop.exit)
      continue;
    findJoins(loop);
    // What the exit and those behind it use of the loop has to be declared
    // before it.
    auto addIfUsedBehind = [&](Value value) {
      for (Operation *user : value.getUsers()) {
        Block *where = body.findAncestorBlockInRegion(*user->getBlock());
        auto leadsThere = [&](Block *behind) {
          return dominance.dominates(behind, where);
        };
        if (where && !loop.blocks.contains(where) &&
            (leadsThere(loop.exit) || llvm::any_of(loop.joins, leadsThere)))
          addEscaping(value, loop.blocks);
      }
    };
    for (Block *block : loop.blocks) {
      // The loop's own variables stand in front of it.
      if (block != header)
        llvm::for_each(block->getArguments(), addIfUsedBehind);
      for (Operation &op : *block)
        llvm::for_each(op.getResults(), addIfUsedBehind);
    }
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void GraphEmitter::declareArguments(Block *block, Text &lines) {
  auto &names = slots[block];
  if (!names.empty())
    return;
  for (BlockArgument argument : block->getArguments()) {
    names.push_back(code.declareSlot(argument, {}));
    code.bindSlot(argument, names.back());
  }
}

void GraphEmitter::emitJump(Block *from, Block *to, Statements &out) {
  auto jump = [&](Jump::Kind kind, const Statement *target) {
    auto statement = std::make_unique<Statement>(Kind::Jump);
    statement->jump = {kind, target};
    out.push_back(std::move(statement));
  };
  if (isBackEdge(from, to))
    return jump(Jump::Kind::Continue, loops[to].statement);
  for (Block *header : llvm::reverse(around))
    if (loops[header].exit == to)
      return jump(Jump::Kind::Break, loops[header].statement);
  if (auto label = labelled.find(to); label != labelled.end())
    return jump(Jump::Kind::Break, label->second);
  emitTree(to, out);
}

void GraphEmitter::emitEdge(Block *from, Block *to, ValueRange operands,
                            Statements &out) {
  bool isExit = llvm::any_of(
      around, [&](Block *header) { return loops[header].exit == to; });
  bool isJoin = isMerge(to) || isBackEdge(from, to) || isExit;
  lines(out, [&](Statement &statement) {
    // A loop inside of another whose variables stand in front of that.
    bool isDeclared = loops.count(to) && !slots[to].empty();
    if (isJoin || isDeclared) {
      code.assignTogether(slots[to], operands);
    } else if (loops.count(to)) {
      // A loop that begins here: its variables get their first values.
      for (auto [argument, operand] : llvm::zip(to->getArguments(), operands)) {
        slots[to].push_back(code.declareSlot(argument, operand));
        code.bindSlot(argument, slots[to].back());
      }
    } else {
      for (auto [argument, operand] : llvm::zip(to->getArguments(), operands)) {
        Expression value = code.useFor(argument, operand);
        Effects effects = code.takeEffects();
        // A variable may change; the argument does not.
        if (!effects.reads.empty()) {
          code.bindConst(argument, value, effects);
        } else {
          code.defineLeaf(argument, value);
          code.saveEscaping(argument, "");
        }
      }
    }
    code.takeEffects();
  });
  emitJump(from, to, out);
}

void GraphEmitter::emitTerminator(Block *block, Statements &out) {
  Operation *op = block->getTerminator();
  if (auto branch = dyn_cast<cf::BranchOp>(op))
    return emitEdge(block, branch.getDest(), branch.getDestOperands(), out);
  if (auto branch = dyn_cast<cf::CondBranchOp>(op)) {
    auto choice = std::make_unique<Statement>(Kind::If);
    choice->condition = code.use(branch.getCondition());
    choice->isInteger =
        branch.getCondition().getDefiningOp<arith::CmpIOp>() != nullptr;
    Effects effects = code.takeEffects();
    choice->acts = effects.acts || !effects.writes.empty();
    emitEdge(block, branch.getTrueDest(), branch.getTrueDestOperands(),
             choice->body);
    emitEdge(block, branch.getFalseDest(), branch.getFalseDestOperands(),
             choice->otherwise);
    out.push_back(std::move(choice));
    return;
  }
  if (auto branch = dyn_cast<cf::SwitchOp>(op)) {
    auto choice = std::make_unique<Statement>(Kind::Switch);
    IntType type = code.intType(branch.getFlag());
    choice->condition = code.useTyped(branch.getFlag());
    code.takeEffects();
    llvm::SmallVector<APInt> values;
    if (DenseIntElementsAttr cases = branch.getCaseValuesAttr())
      values.assign(cases.value_begin<APInt>(), cases.value_end<APInt>());
    for (auto [index, target] : llvm::enumerate(branch.getCaseDestinations())) {
      choice->values.push_back(spellInteger(values[index], type.isSigned));
      emitEdge(block, target, branch.getCaseOperands(index),
               choice->cases.emplace_back());
    }
    emitEdge(block, branch.getDefaultDestination(), branch.getDefaultOperands(),
             choice->otherwise);
    out.push_back(std::move(choice));
    return;
  }
  if (isa<func::ReturnOp, csl::ReturnOp>(op)) {
    if (op->getNumOperands() == 0) {
      auto statement = std::make_unique<Statement>(Kind::Jump);
      out.push_back(std::move(statement));
      return;
    }
    lines(out, [&](Statement &statement) {
      code.emitReturn(*op);
      code.takeEffects();
      statement.ends = true;
    });
    return;
  }
  code.refuse(op, "branches in a way that CSL has no statement for");
}

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

void GraphEmitter::emitTree(Block *block, Statements &out) {
  Statements *target = &out, *place = &out;
  auto loop = loops.find(block);
  // What joins behind this loop and none around it, and where it stands.
  std::vector<std::pair<Block *, Statements *>> joins;
  if (loop != loops.end()) {
    for (Block *join : loop->second.joins)
      if (!isBehindLoop(join))
        joins.emplace_back(join, nullptr);
    // Variables that outlive the loop, and those of what stands behind it.
    lines(out, [&](Statement &statement) {
      declareArguments(block, statement.lines);
      if (Block *exit = loop->second.exit) {
        declareArguments(exit, statement.lines);
        auto declare = [&](Value value) {
          if (code.escaping.contains(value) &&
              !isa<BaseMemRefType>(value.getType()) &&
              !code.escapeSlots.count(value))
            code.escapeSlots[value] = code.declareSlot(value, {});
        };
        for (Block *inside : loop->second.blocks) {
          bool escapes =
              llvm::any_of(inside->getArguments(), [&](Value argument) {
                return code.escaping.contains(argument);
              });
          if (inside != block && escapes) {
            if (isMerge(inside) || loops.count(inside))
              declareArguments(inside, statement.lines);
            else
              llvm::for_each(inside->getArguments(), declare);
          }
          for (Operation &op : *inside)
            llvm::for_each(op.getResults(), declare);
        }
      }
      for (auto &[join, outside] : joins)
        declareArguments(join, statement.lines);
    });
    for (auto &[join, outside] : llvm::reverse(joins)) {
      auto wrapper = std::make_unique<Statement>(Kind::Block);
      labelled[join] = wrapper.get();
      outside = place;
      place = &wrapper->body;
      outside->push_back(std::move(wrapper));
    }
    auto statement = std::make_unique<Statement>(Kind::Loop);
    loop->second.statement = statement.get();
    target = &statement->body;
    place->push_back(std::move(statement));
    around.push_back(block);
  }
  // What joins below this block, in the order in which it comes.
  llvm::SmallVector<Block *> after;
  for (auto *child : dominance.getNode(block)->children()) {
    Block *below = child->getBlock();
    if (isMerge(below) && !isBehindLoop(below))
      after.push_back(below);
  }
  llvm::sort(after, [&](Block *left, Block *right) {
    return order.lookup(left) < order.lookup(right);
  });
  lines(*target, [&](Statement &statement) {
    for (Operation &op : block->without_terminator())
      code.emitOp(op);
    // What is computed before a branch is not computed in it.
    Operation *end = block->getTerminator();
    code.flushUnless(isa<cf::CondBranchOp, cf::SwitchOp>(end)
                         ? ValueRange(end->getOperands().take_front())
                         : ValueRange(end->getOperands()));
    for (Block *below : after)
      declareArguments(below, statement.lines);
  });
  emitWithin(block, after, *target);
  if (loop != loops.end()) {
    around.pop_back();
    if (Block *exit = loops[block].exit)
      emitJump(block, exit, *place);
    for (auto [join, outside] : joins) {
      labelled.erase(join);
      emitTree(join, *outside);
    }
  }
}

void GraphEmitter::run() {
  if (!isReducible()) {
    code.refuse(body.getParentOp(),
                "has a loop with two entries, which no loop of CSL has");
    return;
  }
  findLoops();
  Statements statements;
  emitTree(&body.front(), statements);
  simplify(statements);
  write(statements, *code.out, code.names);
}

void CodeEmitter::emitGraph(Region &body) { GraphEmitter(*this, body).run(); }
