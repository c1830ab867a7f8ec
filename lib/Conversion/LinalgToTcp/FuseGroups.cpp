//===- FuseGroups.cpp - Elementwise groups behind others ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group whose result only one elementwise group reads, element by element,
// takes over that group's steps. It runs where the reader stood, so that the
// reader's other operands are there.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

SmallVector<Access *, 4> Group::reads() {
  SmallVector<Access *, 4> list;
  for (Access *access : {&stream, &lhs, &rhs, &scale})
    if (*access)
      list.push_back(access);
  for (Step &step : steps)
    for (Access *access : {&step.operand, &step.second})
      if (*access)
        list.push_back(access);
  for (auto [i, stage] : llvm::enumerate(stages))
    for (Access *access : stage->reads()) {
      auto isSame = [&](const Access *other) { return *other == *access; };
      auto leaves = [&](const auto &before) {
        return before->result.tensor == access->tensor;
      };
      if (llvm::none_of(ArrayRef(stages).take_front(i), leaves) &&
          llvm::none_of(list, isSame))
        list.push_back(access);
    }
  return list;
}

/// The loops that the dimensions are, each a different one and all of `count`.
static std::optional<LoopList> getLoopsOf(const Access &access, size_t count) {
  LoopList loops;
  for (const Index &index : access.dims) {
    std::optional<LoopId> loop = index.loop();
    if (!loop || llvm::is_contained(loops, *loop))
      return std::nullopt;
    loops.push_back(*loop);
  }
  if (loops.size() != count)
    return std::nullopt;
  return loops;
}

/// What the steps leave.
static Type getTypeAfter(const Group &group) {
  return group.steps.empty() ? group.computeType : group.steps.back().type;
}

/// Whether `tensor` is read by a second operand of a step.
static bool isOperand(const Step &step, const Tensor *tensor) {
  return step.operand && step.operand.tensor == tensor;
}

/// Whether steps of the reader may look back at the producer's sums: these are
/// few, so that a register file holds them.
static bool keepsHead(const Group &producer, const Group &reader,
                      const TcpMachine &machine) {
  const Tensor *tensor = producer.result.tensor;
  if (producer.kind != Group::Kind::Contraction || !producer.steps.empty() ||
      producer.resultType() != producer.computeType ||
      reader.computeType != producer.computeType)
    return false;
  int64_t left = 1, right = 1;
  for (LoopId loop : producer.parallel())
    (producer.lhs.uses(loop) ? left : right) *= producer.loops[loop].extent;
  return std::min(left, right) <= machine.rowsPerSlice &&
         llvm::all_of(reader.steps, [&](const Step &step) {
           return (!step.second || step.second.tensor != tensor) &&
                  (!isOperand(step, tensor) ||
                   (step.operand == reader.stream &&
                    step.type == producer.computeType));
         });
}

static bool fuse(Group &producer, Group &reader, const TcpMachine &machine) {
  if (reader.kind != Group::Kind::Stream ||
      producer.kind == Group::Kind::Gather ||
      (producer.kind == Group::Kind::Stream && producer.steps.empty()))
    return false;
  // A result that is only a part of a tensor, or joins dimensions, limits how
  // the loops can be cut.
  if (reader.steps.empty() && !getLoopsOf(reader.result, reader.loops.size()))
    return false;
  Tensor *between = producer.result.tensor;
  bool looksBack = llvm::any_of(
      reader.steps, [&](const Step &step) { return isOperand(step, between); });
  if (looksBack && !keepsHead(producer, reader, machine))
    return false;
  std::optional<LoopList> written =
      getLoopsOf(producer.result, producer.parallel().size());
  std::optional<LoopList> read = getLoopsOf(reader.stream, reader.loops.size());
  if (!written || !read)
    return false;
  SmallVector<Index, 4> loops(reader.loops.size());
  for (auto [to, from] : llvm::zip(*written, *read))
    loops[from] = {0, {{to, 1}}};
  if (Type type = producer.resultType(); getTypeAfter(producer) != type) {
    Step narrow;
    narrow.kind = Step::Kind::Narrow;
    narrow.type = type;
    narrow.source = producer.root;
    producer.steps.push_back(std::move(narrow));
  }
  for (Step &step : reader.steps) {
    if (isOperand(step, between)) {
      step.operand = Access();
      step.head = true;
    }
    for (Access *access : {&step.operand, &step.second})
      if (*access)
        *access = access->substitute(loops);
    producer.steps.push_back(std::move(step));
  }
  producer.result = reader.result.substitute(loops);
  return true;
}

void linalg_to_tcp::fuseGroups(Program &program) {
  DenseMap<Tensor *, unsigned> uses, writes;
  DenseMap<Tensor *, std::unique_ptr<Group> *> writer;
  for (Tensor *tensor : program.results)
    ++uses[tensor];
  for (auto &group : program.groups) {
    for (Access *access : group->reads())
      ++uses[access->tensor];
    ++writes[group->result.tensor];
  }
  for (auto &group : program.groups) {
    Tensor *from = group->stream.tensor;
    auto found = writer.find(from);
    unsigned mine = llvm::count_if(
        group->reads(), [&](Access *access) { return access->tensor == from; });
    if (found != writer.end() && uses[from] == mine && writes[from] == 1 &&
        *found->second && fuse(**found->second, *group, *program.machine))
      group = std::move(*found->second);
    writer[group->result.tensor] = &group;
  }
  llvm::erase_if(program.groups, [](const auto &group) { return !group; });
}
