//===- Sizes.cpp - Programs out of proportion to their text ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line of text can name a tensor of any size, and forty functions that call
// the next one twice stand for 2^40 operations. Both are refused before
// anything is made of them.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

/// Elements of a tensor: sizes and byte counts further on then fit into 64
/// bits. The largest machine has 2^42 bytes of memory.
static constexpr int64_t kMostElements = int64_t(1) << 44;

/// Operations of a function with its calls inlined. Compiling takes some
/// microseconds for each.
static constexpr uint64_t kMostOperations = 1 << 20;

static LogicalResult checkElements(Operation *op, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (isa<RankedTensorType>(type) &&
      !shaped.getElementType().isIntOrIndexOrFloat())
    return op->emitOpError() << "has a tensor of type " << type
                             << ", elements are integers or floats";
  if (!shaped || !shaped.hasStaticShape())
    return success();
  int64_t count = 1;
  for (int64_t size : shaped.getShape()) {
    std::optional<int64_t> product = llvm::checkedMul(count, size);
    if (!product || *product > kMostElements)
      return op->emitOpError()
             << "has a tensor of type " << type << ", which has more than "
             << kMostElements << " elements";
    count = *product;
  }
  return success();
}

LogicalResult sequin::normalize_linalg::checkSizes(ModuleOp module) {
  WalkResult walked = module.walk([](Operation *op) {
    auto check = [&](TypeRange types) {
      return llvm::all_of(
          types, [&](Type type) { return succeeded(checkElements(op, type)); });
    };
    bool fits = check(op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        fits = fits && check(block.getArgumentTypes());
    return fits ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

namespace {

/// Counts the operations of functions with their calls inlined.
class InlinedSizes {
public:
  explicit InlinedSizes(ModuleOp module) : table(module) {}

  LogicalResult check(ModuleOp module);

private:
  struct Node {
    uint64_t own = 0;
    SmallVector<func::FuncOp> callees;
    std::optional<uint64_t> size;
    bool open = false;
  };
  Node &nodeOf(func::FuncOp func);

  SymbolTable table;
  llvm::DenseMap<Operation *, std::unique_ptr<Node>> nodes;
};

} // namespace

InlinedSizes::Node &InlinedSizes::nodeOf(func::FuncOp func) {
  std::unique_ptr<Node> &node = nodes[func];
  if (node)
    return *node;
  node = std::make_unique<Node>();
  func.walk([&](Operation *op) {
    ++node->own;
    if (auto call = dyn_cast<func::CallOp>(op))
      if (auto callee = table.lookup<func::FuncOp>(call.getCallee()))
        node->callees.push_back(callee);
  });
  return *node;
}

LogicalResult InlinedSizes::check(ModuleOp module) {
  for (auto root : module.getOps<func::FuncOp>()) {
    // Depth first, without recursion: chains of calls may be long.
    SmallVector<func::FuncOp> path{root};
    while (!path.empty()) {
      func::FuncOp func = path.back();
      Node &node = nodeOf(func);
      if (node.size) {
        path.pop_back();
        continue;
      }
      node.open = true;
      func::FuncOp next;
      uint64_t size = node.own;
      for (func::FuncOp callee : node.callees) {
        Node &inner = nodeOf(callee);
        if (inner.size)
          size = llvm::SaturatingAdd(size, *inner.size);
        else if (inner.open)
          return func.emitOpError()
                 << "calls itself, by way of '" << callee.getName()
                 << "': unroll the recursion";
        else
          next = callee;
      }
      if (next) {
        path.push_back(next);
        continue;
      }
      if (size > kMostOperations)
        return func.emitOpError()
               << "has more than " << kMostOperations
               << " operations once its calls are inlined, as programs are";
      node.size = size;
      node.open = false;
      path.pop_back();
    }
  }
  return success();
}

LogicalResult sequin::normalize_linalg::checkCalls(ModuleOp module) {
  return InlinedSizes(module).check(module);
}
