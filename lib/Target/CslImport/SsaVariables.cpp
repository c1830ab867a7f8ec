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

using namespace sequin::csl_import;
using Variable = SsaVariables::Variable;

namespace {
/// One way to a block: a branch may have several.
struct Edge {
  mlir::BranchOpInterface branch;
  unsigned successor;

  mlir::SuccessorOperands operands() const {
    return mlir::BranchOpInterface(branch).getSuccessorOperands(successor);
  }
};
} // namespace

static llvm::SmallVector<Edge> getEdges(mlir::Block *block) {
  llvm::SmallVector<Edge> edges;
  for (auto it = block->pred_begin(), end = block->pred_end(); it != end; ++it)
    edges.push_back({cast<mlir::BranchOpInterface>((*it)->getTerminator()),
                     unsigned(it.getSuccessorIndex())});
  // The order in which they were made.
  std::reverse(edges.begin(), edges.end());
  return edges;
}

Variable SsaVariables::declare(mlir::Type type, mlir::Location loc) {
  declared.emplace_back(type, loc);
  return declared.size() - 1;
}

void SsaVariables::write(Variable variable, mlir::Block *block,
                         mlir::Value value) {
  noted[block][variable] = value;
}

mlir::Value SsaVariables::read(Variable variable, mlir::Block *block) {
  // Straight up as far as there is one predecessor.
  llvm::SmallVector<mlir::Block *> passed;
  mlir::Value value;
  for (mlir::Block *at = block; at;) {
    if (auto found = noted.find(at); found != noted.end())
      if (auto known = found->second.find(variable);
          known != found->second.end()) {
        value = known->second;
        break;
      }
    passed.push_back(at);
    if (auto origin = origins.find(at); origin != origins.end()) {
      at = origin->second;
    } else if (mlir::Block *only = headers.contains(at)
                                       ? nullptr
                                       : at->getUniquePredecessor()) {
      at = only;
    } else {
      value = readFromPredecessors(variable, at);
      break;
    }
  }
  if (value)
    for (mlir::Block *at : passed)
      write(variable, at, value);
  return value;
}

mlir::Value SsaVariables::readFromPredecessors(Variable variable,
                                               mlir::Block *block) {
  if (block->hasNoPredecessors() && !openHeaders.contains(block))
    return {};
  if (headers.contains(block)) {
    // First the argument, which the way round the loop may come to.
    mlir::BlockArgument argument = addArgument(variable, block);
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
  llvm::SmallVector<mlir::Value> values;
  for (const Edge &edge : edges)
    values.push_back(read(variable, edge.branch->getBlock()));
  if (llvm::all_equal(values))
    return values.front();
  mlir::BlockArgument argument = addArgument(variable, block);
  for (auto [edge, value] : llvm::zip(edges, values))
    edge.operands().append(value);
  return argument;
}

mlir::BlockArgument SsaVariables::addArgument(Variable variable,
                                              mlir::Block *block) {
  auto [type, loc] = declared[variable];
  mlir::BlockArgument argument = block->addArgument(type, loc);
  arguments.push_back(argument);
  return argument;
}

void SsaVariables::open(mlir::Block *header) {
  headers.insert(header);
  openHeaders[header];
}

void SsaVariables::seal(mlir::Block *header) {
  std::vector<Incomplete> incomplete = std::move(openHeaders[header]);
  openHeaders.erase(header);
  llvm::SmallVector<Edge> edges = getEdges(header);
  for (const Incomplete &entry : incomplete)
    for (const Edge &edge : edges)
      edge.operands().append(read(entry.variable, edge.branch->getBlock()));
}

void SsaVariables::enter(mlir::Block *entry, mlir::Block *origin) {
  origins[entry] = origin;
}

void SsaVariables::forget(mlir::Region &region) {
  for (mlir::Block &block : region) {
    noted.erase(&block);
    headers.erase(&block);
    openHeaders.erase(&block);
    origins.erase(&block);
  }
  llvm::erase_if(arguments, [&](mlir::BlockArgument argument) {
    return argument.getOwner()->getParent() == &region;
  });
}

/// What an argument is from everywhere but itself; null where that differs.
static mlir::Value getOnlyValue(mlir::BlockArgument argument,
                                llvm::ArrayRef<Edge> edges) {
  mlir::Value only;
  for (const Edge &edge : edges) {
    mlir::Value operand = edge.operands()[argument.getArgNumber()];
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
  llvm::DenseSet<mlir::BlockArgument> made(arguments.begin(), arguments.end());
  llvm::SetVector<mlir::BlockArgument> left(arguments.begin(), arguments.end());
  while (!left.empty()) {
    mlir::BlockArgument argument = left.pop_back_val();
    mlir::Block *block = argument.getOwner();
    llvm::SmallVector<Edge> edges = getEdges(block);
    mlir::Value only = getOnlyValue(argument, edges);
    if (!only)
      continue;
    for (mlir::OpOperand &use : argument.getUses())
      if (auto branch = dyn_cast<mlir::BranchOpInterface>(use.getOwner()))
        if (std::optional<mlir::BlockArgument> other =
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
