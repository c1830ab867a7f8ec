//===- SsaVariables.cpp - Local variables as SSA values -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SsaVariables.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sequin::csl_import;
using Variable = SsaVariables::Variable;

namespace {
/// One way to a block: a branch may have several.
struct Edge {
  BranchOpInterface branch;
  unsigned successor;

  SuccessorOperands operands() const {
    return BranchOpInterface(branch).getSuccessorOperands(successor);
  }
};
} // namespace

static llvm::SmallVector<Edge> getEdges(Block *block) {
  llvm::SmallVector<Edge> edges;
  for (auto it = block->pred_begin(), end = block->pred_end(); it != end; ++it)
    edges.push_back({cast<BranchOpInterface>((*it)->getTerminator()),
                     unsigned(it.getSuccessorIndex())});
  // The order in which they were made.
  std::reverse(edges.begin(), edges.end());
  return edges;
}

Variable SsaVariables::declare(Type type, Location loc) {
  declared.emplace_back(type, loc);
  return declared.size() - 1;
}

void SsaVariables::write(Variable variable, Block *block, Value value) {
  noted[block][variable] = value;
}

Value SsaVariables::read(Variable variable, Block *block) {
  // Straight up as far as there is one predecessor.
  llvm::SmallVector<Block *> passed;
  Value value;
  for (Block *at = block; at;) {
    if (auto found = noted.find(at); found != noted.end())
      if (auto known = found->second.find(variable);
          known != found->second.end()) {
        value = known->second;
        break;
      }
    passed.push_back(at);
    if (auto origin = origins.find(at); origin != origins.end()) {
      at = origin->second;
    } else if (Block *only = headers.contains(at)
                                 ? nullptr
                                 : at->getUniquePredecessor()) {
      at = only;
    } else {
      value = readFromPredecessors(variable, at);
      break;
    }
  }
  if (value)
    for (Block *at : passed)
      write(variable, at, value);
  return value;
}

Value SsaVariables::readFromPredecessors(Variable variable, Block *block) {
  if (block->hasNoPredecessors() && !openHeaders.contains(block))
    return {};
  if (headers.contains(block)) {
    // First the argument, which the way round the loop may come to.
    BlockArgument argument = addArgument(variable, block);
    write(variable, block, argument);
    if (auto open = openHeaders.find(block); open != openHeaders.end()) {
      open->second.push_back({variable, argument});
      return argument;
    }
    for (const Edge &edge : getEdges(block))
      edge.operands().append(read(variable, edge.branch->getBlock()));
    return argument;
  }
  llvm::SmallVector<Edge> edges = getEdges(block);
  llvm::SmallVector<Value> values;
  for (const Edge &edge : edges)
    values.push_back(read(variable, edge.branch->getBlock()));
  if (llvm::all_equal(values))
    return values.front();
  BlockArgument argument = addArgument(variable, block);
  for (auto [edge, value] : llvm::zip(edges, values))
    edge.operands().append(value);
  return argument;
}

BlockArgument SsaVariables::addArgument(Variable variable, Block *block) {
  auto [type, loc] = declared[variable];
  BlockArgument argument = block->addArgument(type, loc);
  arguments.push_back(argument);
  return argument;
}

void SsaVariables::open(Block *header) {
  headers.insert(header);
  openHeaders[header];
}

void SsaVariables::seal(Block *header) {
  std::vector<Incomplete> incomplete = std::move(openHeaders[header]);
  openHeaders.erase(header);
  llvm::SmallVector<Edge> edges = getEdges(header);
  for (const Incomplete &entry : incomplete)
    for (const Edge &edge : edges)
      edge.operands().append(read(entry.variable, edge.branch->getBlock()));
}

void SsaVariables::enter(Block *entry, Block *origin) {
  origins[entry] = origin;
}

void SsaVariables::forget(Region &region) {
  for (Block &block : region) {
    noted.erase(&block);
    headers.erase(&block);
    openHeaders.erase(&block);
    origins.erase(&block);
  }
  llvm::erase_if(arguments, [&](BlockArgument argument) {
    return argument.getOwner()->getParent() == &region;
  });
}

/// What an argument is from everywhere but itself; null where that differs.
static Value getOnlyValue(BlockArgument argument, llvm::ArrayRef<Edge> edges) {
  Value only;
  for (const Edge &edge : edges) {
    Value operand = edge.operands()[argument.getArgNumber()];
    if (operand == argument || operand == only)
      continue;
    if (only)
      return {};
    only = operand;
  }
  return only;
}

void SsaVariables::finish() {
  // An argument less may make those trivial that it was an operand of.
  llvm::DenseSet<BlockArgument> made(arguments.begin(), arguments.end());
  llvm::SetVector<BlockArgument> left(arguments.begin(), arguments.end());
  while (!left.empty()) {
    BlockArgument argument = left.pop_back_val();
    Block *block = argument.getOwner();
    llvm::SmallVector<Edge> edges = getEdges(block);
    Value only = getOnlyValue(argument, edges);
    if (!only)
      continue;
    for (OpOperand &use : argument.getUses())
      if (auto branch = dyn_cast<BranchOpInterface>(use.getOwner()))
        if (std::optional<BlockArgument> other =
                branch.getSuccessorBlockArgument(use.getOperandNumber());
            other && *other != argument && made.contains(*other))
          left.insert(*other);
    made.erase(argument);
    argument.replaceAllUsesWith(only);
    unsigned number = argument.getArgNumber();
    for (const Edge &edge : edges)
      edge.operands().erase(number);
    block->eraseArgument(number);
  }
  *this = SsaVariables();
}
