//===- BuildClasses.cpp - Dimensions that belong together -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanAssignment.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;

namespace {
/// Groups of nodes with relative origins; programs are small, so joining two
/// goes over all nodes.
class ClassBuilder {
public:
  explicit ClassBuilder(Program &program) : program(program) {}
  ClassTable run(ArrayRef<bool> summa);

private:
  void visitLoop(LoopNest &op, unsigned loop, unsigned result);
  void join(unsigned into, unsigned from, int64_t shift);
  template <typename Visit> void forEachNode(Visit visit);

  Program &program;
  unsigned count = 0;
  SmallVector<bool> fixed;
};
} // namespace

template <typename Visit> void ClassBuilder::forEachNode(Visit visit) {
  for (Storage &storage : program.storages)
    for (auto [node, size] : llvm::zip(storage.nodes, storage.shape))
      visit(node, size);
  for (LoopNest &op : program.ops)
    for (Node &node : op.nodes)
      visit(node, 0);
}

/// Members of `from` move by `shift` and become members of `into`.
void ClassBuilder::join(unsigned into, unsigned from, int64_t shift) {
  if (into == from)
    return;
  forEachNode([&](Node &node, int64_t) {
    if (node.dim != from)
      return;
    node.dim = into;
    node.origin += shift;
  });
}

void ClassBuilder::visitLoop(LoopNest &op, unsigned loop, unsigned result) {
  // What the loop reads: a dimension, and the span of offsets there.
  struct Read {
    Node *node;
    int64_t low, high;
  };
  SmallVector<Read> reads;
  auto add = [&](const Access &access) {
    for (auto [d, which] : llvm::enumerate(access.loops)) {
      if (which != int(loop))
        continue;
      Node *node = &program.storages[access.storage].nodes[d];
      int64_t offset = access.offsets[d];
      auto known = llvm::find_if(
          reads, [&](const Read &read) { return read.node == node; });
      if (known == reads.end()) {
        reads.push_back({node, offset, offset});
        continue;
      }
      known->low = std::min(known->low, offset);
      known->high = std::max(known->high, offset);
    }
  };
  for (const Input &input : op.inputs)
    if (input.access)
      add(*input.access);
  if (op.start) {
    // The start is indexed as the result is.
    Access start = *op.start;
    add(start);
  }
  Node &own = op.nodes[loop];
  if (reads.empty()) {
    own = {count++, 0};
    fixed.push_back(false);
  } else {
    // The widest stencil decides where the loop's index 0 is: in its middle.
    auto widest = llvm::max_element(reads, [](const Read &a, const Read &b) {
      return a.high - a.low < b.high - b.low;
    });
    own.dim = widest->node->dim;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (const Read &read : reads)
      if (read.node->dim == own.dim) {
        low = std::min(low, read.low + read.node->origin);
        high = std::max(high, read.high + read.node->origin);
      }
    own.origin = low + (high - low) / 2;
    for (const Read &read : reads)
      join(own.dim, read.node->dim,
           own.origin - (read.low + (read.high - read.low) / 2) -
               read.node->origin);
  }
  for (auto [d, which] : llvm::enumerate(op.resultLoops))
    if (which == loop)
      program.storages[result].nodes[d] = own;
}

ClassTable ClassBuilder::run(ArrayRef<bool> summa) {
  // Every dimension that no operation writes begins on its own.
  for (Storage &storage : program.storages)
    for (Node &node : storage.nodes) {
      node = {count++, 0};
      fixed.push_back(false);
    }
  for (auto [number, op] : llvm::enumerate(program.ops)) {
    std::optional<std::array<unsigned, 3>> loops =
        summa[number] ? getSummaLoops(op) : std::nullopt;
    for (unsigned loop = 0; loop < op.sizes.size(); ++loop) {
      if (loops && (*loops)[2] == loop) {
        op.nodes[loop] = {count++, 0};
        fixed.push_back(false);
        continue;
      }
      visitLoop(op, loop, op.result);
    }
    for (const Input &input : op.inputs)
      if (input.access)
        for (auto [d, loop] : llvm::enumerate(input.access->loops))
          if (loop < 0)
            fixed[program.storages[input.access->storage].nodes[d].dim] = true;
  }

  // Number the classes that are left and let each begin at 0.
  SmallVector<int64_t> low(count, INT64_MAX), high(count, INT64_MIN);
  forEachNode([&](Node &node, int64_t size) {
    if (!size)
      return;
    low[node.dim] = std::min(low[node.dim], node.origin);
    high[node.dim] = std::max(high[node.dim], node.origin + size);
  });
  // Loops of SUMMA own no storage's dimension.
  for (LoopNest &op : program.ops)
    for (auto [node, size] : llvm::zip(op.nodes, op.sizes))
      if (low[node.dim] == INT64_MAX) {
        low[node.dim] = node.origin;
        high[node.dim] = node.origin + size;
      }
  ClassTable table;
  SmallVector<int> numbers(count, -1);
  // Marks may have been made before two classes were joined.
  SmallVector<bool> isFixed(count, false);
  for (LoopNest &op : program.ops)
    for (const Input &input : op.inputs)
      if (input.access)
        for (auto [d, loop] : llvm::enumerate(input.access->loops))
          if (loop < 0)
            isFixed[program.storages[input.access->storage].nodes[d].dim] =
                true;
  forEachNode([&](Node &node, int64_t) {
    unsigned old = node.dim;
    if (numbers[old] < 0) {
      numbers[old] = table.extents.size();
      table.extents.push_back(high[old] - low[old]);
      table.fixed.push_back(isFixed[old]);
    }
    node.dim = numbers[old];
    node.origin -= low[old];
  });
  return table;
}

ClassTable linalg_to_csl::buildClasses(Program &program, ArrayRef<bool> summa) {
  return ClassBuilder(program).run(summa);
}

std::optional<std::array<unsigned, 3>>
linalg_to_csl::getSummaLoops(const LoopNest &op) {
  if (op.kind != OpKind::Contract || op.sizes.size() != 3 ||
      op.inputs.size() != 2)
    return std::nullopt;
  const Access &left = *op.inputs[op.left].access;
  const Access &right = *op.inputs[op.right].access;
  if (left.loops.size() != 2 || right.loops.size() != 2)
    return std::nullopt;
  std::array<int, 3> loops = {-1, -1, -1};
  for (int loop = 0; loop < 3; ++loop) {
    bool inLeft = llvm::is_contained(left.loops, loop);
    bool inRight = llvm::is_contained(right.loops, loop);
    loops[op.reduced[loop] ? 2 : inLeft ? 0 : 1] = loop;
    if (op.reduced[loop] ? !(inLeft && inRight) : inLeft == inRight)
      return std::nullopt;
  }
  if (llvm::is_contained(loops, -1))
    return std::nullopt;
  return std::array<unsigned, 3>{unsigned(loops[0]), unsigned(loops[1]),
                                 unsigned(loops[2])};
}
