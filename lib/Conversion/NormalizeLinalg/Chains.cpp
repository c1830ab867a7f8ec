//===- Chains.cpp - Scalar code as chains --------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector engine takes one stream; every step has one further operand, a
// constant or an element of a tensor. Code in which two computed values meet is
// therefore cut: one of them becomes a tensor first. So does a value that is
// used twice, unless computing it again is cheap, one that is rounded, and one
// that depends on fewer loops than what is made of it.
//
//===----------------------------------------------------------------------===//

#include "Nest.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

static bool isNarrowing(Operation *op) {
  return isa<arith::TruncFOp, arith::TruncIOp>(op);
}

/// Widens a value that is rounded: it has to be a tensor in between.
static Value roundedBy(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(op) &&
      op->getOperand(0).getDefiningOp())
    return op->getOperand(0);
  return {};
}

bool Nest::isRecomputable(Value value) {
  // Two steps cost less than writing and reading a tensor.
  unsigned steps = 0;
  while (!isAtom(value)) {
    Operation *op = value.getDefiningOp();
    if (isNarrowing(op) || isa<arith::ExtFOp, arith::ExtSIOp>(op) ||
        isa<arith::DivFOp>(op) || op->getDialect()->getNamespace() == "math")
      return false;
    if (!isa<arith::BitcastOp>(op) && ++steps > 2)
      return false;
    Value next;
    for (Value operand : op->getOperands()) {
      if (isAtom(operand))
        continue;
      if (next)
        return false;
      next = operand;
    }
    if (!next)
      return true;
    value = next;
  }
  return true;
}

unsigned Nest::depthOf(Value value) {
  unsigned depth = 0;
  while (!isAtom(value)) {
    Operation *op = value.getDefiningOp();
    Value next;
    for (Value operand : op->getOperands())
      if (!isAtom(operand))
        next = operand;
    ++depth;
    if (!next)
      break;
    value = next;
  }
  return depth;
}

void Nest::replaceByTensor(Value value, Value tensor,
                           ArrayRef<unsigned> loops) {
  leaves.push_back({tensor, mapOf(loops)});
  BlockArgument element = block->addArgument(value.getType(), getLoc());
  value.replaceAllUsesWith(element);
  s->ranges.try_emplace(element, s->range(value));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (isOpTriviallyDead(&op)) {
      for (Value result : op.getResults())
        s->ranges.erase(result);
      op.erase();
    }
}

Value Nest::broadcast(Value tensor, ArrayRef<unsigned> loops,
                      ArrayRef<unsigned> order) {
  SmallVector<unsigned> units;
  LoopIds kept;
  for (auto [i, loop] : llvm::enumerate(order)) {
    if (sizes[loop] == 1 && !llvm::is_contained(loops, loop))
      units.push_back(i);
    else
      kept.push_back(loop);
  }
  return addUnitDims(b, getLoc(), makeCopy(tensor, mapOf(loops), kept), units);
}

Value Nest::materialize(Value value, ArrayRef<unsigned> order) {
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return makeFill(order, constant.getValue());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Leaf leaf = leafOf(argument);
    LoopIds loops = loopsOf(leaf.map);
    if (llvm::all_of(order, [&](unsigned loop) {
          return sizes[loop] > 1 || llvm::is_contained(loops, loop);
        }))
      return makeCopy(leaf.tensor, leaf.map, order);
    Leaf &plain = leafOf(argument);
    resolve(plain);
    LoopIds dims;
    for (AffineExpr expr : plain.map.getResults())
      dims.push_back(cast<AffineDimExpr>(expr).getPosition());
    return broadcast(plain.tensor, dims, order);
  }
  LoopIds loops = loopsOf(value);
  if (loops.size() != order.size()) {
    LoopIds own;
    llvm::copy_if(order, std::back_inserter(own), [&](unsigned loop) {
      return llvm::is_contained(loops, loop);
    });
    return broadcast(emitChain(value, own), own, order);
  }
  return emitChain(value, order);
}

/// Leaves at most one computed operand, which the chain continues with.
Value Nest::prepareOperands(Operation *op, ArrayRef<unsigned> loops) {
  while (true) {
    llvm::SmallSetVector<Value, 3> computed;
    for (Value operand : op->getOperands())
      if (!isAtom(operand))
        computed.insert(operand);
    Value best;
    unsigned bestDepth = 0;
    for (Value operand : computed) {
      bool onlyHere = llvm::all_of(operand.getUsers(),
                                   [&](Operation *user) { return user == op; });
      if (roundedBy(operand) || isNarrowing(operand.getDefiningOp()) ||
          !(onlyHere || isRecomputable(operand)) ||
          ArrayRef<unsigned>(loopsOf(operand)) != loops)
        continue;
      unsigned depth = depthOf(operand);
      if (!best || depth > bestDepth)
        best = operand, bestDepth = depth;
    }
    auto other =
        llvm::find_if(computed, [&](Value operand) { return operand != best; });
    if (other == computed.end())
      return best;
    // This may make tensors of other operands, too.
    Value rounded = roundedBy(*other);
    Value source = rounded ? rounded : *other;
    LoopIds own = loopsOf(source);
    replaceByTensor(source, emitChain(source, own), own);
  }
}

Value Nest::emitChain(Value value, ArrayRef<unsigned> order) {
  SmallVector<Operation *> steps;
  if (!elementOf(value)) {
    LoopIds loops = loopsOf(value);
    for (Value next = value; next;) {
      Operation *op = next.getDefiningOp();
      steps.push_back(op);
      next = prepareOperands(op, loops);
    }
  }

  // The elements that the steps read, and the ways they read them.
  llvm::SetVector<BlockArgument> elements;
  llvm::SetVector<Operation *> access;
  auto addAccess = [&](Value operand) {
    if (BlockArgument element = elementOf(operand))
      elements.insert(element);
    SmallVector<Operation *, 2> path;
    while (Operation *op = operand.getDefiningOp()) {
      path.push_back(op);
      if (op->getNumOperands() == 0)
        break;
      operand = op->getOperand(0);
    }
    for (Operation *op : llvm::reverse(path))
      access.insert(op);
  };
  if (steps.empty())
    addAccess(value);
  for (Operation *op : llvm::reverse(steps))
    for (Value operand : op->getOperands())
      if (isAtom(operand))
        addAccess(operand);
  SmallVector<Leaf> inputs;
  for (BlockArgument element : elements) {
    resolve(leafOf(element));
    inputs.push_back(leafOf(element));
  }
  Value empty =
      tensor::EmptyOp::create(b, getLoc(), shapeOf(order), value.getType());
  return makeGeneric(inputs, empty, order, order,
                     [&](OpBuilder &nested, ValueRange arguments) {
                       IRMapping mapping;
                       for (auto [element, argument] :
                            llvm::zip(elements, arguments))
                         mapping.map(element, argument);
                       for (Operation *op : access)
                         nested.clone(*op, mapping);
                       for (Operation *op : llvm::reverse(steps))
                         nested.clone(*op, mapping);
                       return mapping.lookup(value);
                     })
      .getResult(0);
}

Value Nest::materializeRoot(unsigned index, ArrayRef<unsigned> order) {
  return materialize(getRootValue(index), order);
}
