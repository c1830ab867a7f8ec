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
    for (Access *access : stage.reads()) {
      auto isSame = [&](const Access *other) { return *other == *access; };
      auto leaves = [&](const auto &before) {
        return before.result.tensor == access->tensor;
      };
      if (llvm::none_of(ArrayRef(stages).take_front(i), leaves) &&
          llvm::none_of(list, isSame))
        list.push_back(access);
    }
  return list;
}

void linalg_to_tcp::dropUnitLoops(Group &group) {
  if (group.movesRows() || group.kind == Group::Kind::Rows)
    return;
  // Of a contraction they are the roles of dimensions.
  bool hasRoles = group.kind == Group::Kind::Contraction;
  SmallVector<Index, 6> indices(group.loops.size());
  SmallVector<Loop, 6> kept;
  for (auto [id, index] : llvm::enumerate(indices)) {
    const Loop &loop = group.loops[id];
    bool isOnly = id + 1 == group.loops.size() && kept.empty();
    bool isFree =
        !hasRoles && !loop.pinnedTile && !loop.pinnedParts && !loop.pinnedChips;
    if (loop.extent == 1 && !loop.reduced && !loop.single && !isOnly &&
        (isFree || !group.result.uses(id)))
      continue;
    index = {0, {{static_cast<LoopId>(kept.size()), 1}}};
    kept.push_back(loop);
  }
  for (Access *access : group.reads())
    *access = access->substitute(indices);
  group.result = group.result.substitute(indices);
  group.loops = std::move(kept);
}

std::optional<SmallVector<std::optional<LoopId>, 6>>
linalg_to_tcp::getLoopsByDim(const Group &group, const Access &access) {
  SmallVector<std::optional<LoopId>, 6> loops;
  for (auto [index, size] :
       llvm::zip(access.dims, access.tensor->type.getShape())) {
    std::optional<LoopId> loop = index.loop();
    bool isUnit = size == 1 && index == Index();
    if (!isUnit && (!loop || group.loops[*loop].extent != size ||
                    llvm::is_contained(loops, loop)))
      return std::nullopt;
    loops.push_back(loop);
  }
  return loops;
}

/// The same in a row, if they are all parallel loops of the group. Loops of one
/// iteration do not count.
static std::optional<LoopList> getLoopsOf(const Access &access,
                                          const Group &group) {
  auto repeats = [&](LoopId loop) { return group.loops[loop].extent > 1; };
  auto byDim = getLoopsByDim(group, access);
  if (!byDim)
    return std::nullopt;
  LoopList loops;
  for (std::optional<LoopId> loop : *byDim)
    if (loop && repeats(*loop))
      loops.push_back(*loop);
  if (loops.size() !=
      static_cast<size_t>(llvm::count_if(group.parallel(), repeats)))
    return std::nullopt;
  return loops;
}

bool linalg_to_tcp::joinsEvenly(const Group &group) {
  const Access &access = group.result;
  for (auto [index, size] :
       llvm::zip(access.dims, access.tensor->type.getShape())) {
    if (index.loop() && group.loops[*index.loop()].extent == size)
      continue;
    auto terms = index.terms;
    llvm::sort(terms, [](const auto &a, const auto &b) {
      return a.second < b.second;
    });
    int64_t covered = 1;
    for (auto [loop, coefficient] : terms) {
      int64_t extent = group.loops[loop].extent;
      if (coefficient != covered || access.countDims(loop) != 1 ||
          !llvm::isPowerOf2_64(extent))
        return false;
      covered *= extent;
    }
    if (index.offset != 0 || covered != size)
      return false;
  }
  return true;
}

unsigned linalg_to_tcp::getRowDim(const Group &scatter) {
  auto *found = llvm::find(scatter.result.dims, Index());
  return found - scatter.result.dims.begin();
}

bool linalg_to_tcp::isScatteredBetween(const Program &program, size_t first,
                                       size_t second, Group &group) {
  for (size_t i = first + 1; i < second; ++i)
    if (const auto &other = program.groups[i];
        other && other->kind == Group::Kind::Scatter &&
        llvm::any_of(group.reads(), [&](const Access *access) {
          return access->tensor == other->result.tensor;
        }))
      return true;
  return false;
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
  if (reader.kind != Group::Kind::Stream || producer.movesRows() ||
      (producer.kind == Group::Kind::Stream && producer.steps.empty()))
    return false;
  // A result that is only a part of a tensor, or joins dimensions, limits how
  // the loops can be cut.
  if (reader.steps.empty() && !getLoopsOf(reader.result, reader) &&
      !joinsEvenly(reader))
    return false;
  Tensor *between = producer.result.tensor;
  bool looksBack = llvm::any_of(
      reader.steps, [&](const Step &step) { return isOperand(step, between); });
  if (looksBack && !keepsHead(producer, reader, machine))
    return false;
  std::optional<LoopList> written = getLoopsOf(producer.result, producer);
  std::optional<LoopList> read = getLoopsOf(reader.stream, reader);
  if (!written || !read)
    return false;
  SmallVector<Index, 4> loops(reader.loops.size());
  for (auto [to, from] : llvm::zip(*written, *read))
    loops[from] = {0, {{to, 1}}};
  if (Type type = producer.resultType(); getTypeAfter(producer) != type) {
    Step narrow;
    narrow.kind = Step::Kind::Narrow;
    narrow.type = type;
    narrow.loc = producer.loc;
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
  if (!producer.note)
    producer.note = reader.note;
  dropUnitLoops(producer);
  return true;
}

/// Whether a product has many sums, of so many products that the tensor unit
/// has time for steps behind them, and is likely to be divided over all slices.
static bool isLarge(const Group &group) {
  constexpr int64_t kLeastSums = int64_t(1) << 20, kLeastProducts = 1024;
  constexpr int64_t kDivides = 64;
  int64_t sums = 1, products = 1;
  for (const Loop &loop : group.loops) {
    if (loop.extent % kDivides != 0)
      return false;
    (loop.reduced ? products : sums) *= loop.extent;
  }
  return sums >= kLeastSums && products >= kLeastProducts;
}

/// The step that brings the product `second` to a chain that starts with
/// `first`; none if the chain cannot be split there.
static std::optional<size_t> findGate(const Group &first, const Group &second,
                                      const Group &reader) {
  for (const Group *product : {&first, &second})
    if (product->kind != Group::Kind::Contraction || product->scale ||
        !product->steps.empty() ||
        product->resultType() != product->computeType || !isLarge(*product))
      return std::nullopt;
  if (reader.computeType != first.computeType ||
      second.computeType != first.computeType ||
      getLoopsOf(reader.result, reader) == std::nullopt)
    return std::nullopt;
  const Tensor *x = first.result.tensor, *y = second.result.tensor;
  std::optional<size_t> gate;
  for (auto [i, step] : llvm::enumerate(reader.steps)) {
    if (step.head || step.partial)
      return std::nullopt;
    for (const Access *access : step.tensors()) {
      if (access->tensor == x &&
          (gate || !isOperand(step, x) || !(*access == reader.stream) ||
           step.type != first.computeType))
        return std::nullopt;
      if (access->tensor != y)
        continue;
      if (gate || step.kind != Step::Kind::Arithmetic || !isOperand(step, y) ||
          step.second || step.type != second.computeType ||
          (step.op != ArithmeticOp::Mul && step.op != ArithmeticOp::Add) ||
          !getLoopsOf(*access, reader))
        return std::nullopt;
      gate = i;
    }
    if (!gate && step.type != first.computeType)
      return std::nullopt;
  }
  return gate;
}

/// The gate of a network, x / (1 + exp(-x)) * y for two products x and y: the
/// first steps follow x, and what they leave is an operand of the others, which
/// follow y. No group of its own reads both.
static bool fuseGate(Group &first, Group &second, Group &reader) {
  std::optional<size_t> gate = findGate(first, second, reader);
  if (!gate)
    return false;
  // The reader's loops by those of a product.
  auto loopsOf = [&](const Group &product, const Access &read) {
    std::optional<LoopList> to = getLoopsOf(product.result, product);
    std::optional<LoopList> from = getLoopsOf(read, reader);
    SmallVector<Index, 4> loops;
    if (!to || !from)
      return loops;
    loops.resize(reader.loops.size());
    for (auto [mine, its] : llvm::zip(*from, *to))
      loops[mine] = {0, {{its, 1}}};
    return loops;
  };
  SmallVector<Index, 4> left = loopsOf(first, reader.stream),
                        right = loopsOf(second, reader.steps[*gate].operand);
  if (left.empty() || right.empty())
    return false;
  Tensor *between = first.result.tensor;
  for (auto [i, step] : llvm::enumerate(reader.steps)) {
    Group &product = i < *gate ? first : second;
    if (isOperand(step, between)) {
      step.operand = Access();
      step.head = true;
    }
    if (i == *gate) {
      step.operand = reader.stream;
      step.mode = tcp::ArgMode::Mode01;
    }
    for (Access *access : {&step.operand, &step.second})
      if (*access)
        *access = access->substitute(i < *gate ? left : right);
    product.steps.push_back(std::move(step));
  }
  second.result = reader.result.substitute(right);
  dropUnitLoops(second);
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
  // A group runs where its reader stands; the first product of a gate gets the
  // reader's operands.
  auto mayMeet = [&](const std::unique_ptr<Group> &first,
                     const std::unique_ptr<Group> &second) {
    size_t begin = &first - program.groups.data(),
           end = &second - program.groups.data();
    return !isScatteredBetween(program, begin, end, *first) &&
           !isScatteredBetween(program, begin, end, *second);
  };
  for (auto &group : program.groups) {
    Tensor *from = group->stream.tensor;
    auto found = writer.find(from);
    if (found != writer.end() && *found->second &&
        !mayMeet(*found->second, group))
      found = writer.end();
    unsigned mine = llvm::count_if(
        group->reads(), [&](Access *access) { return access->tensor == from; });
    if (found != writer.end() && uses[from] == mine && writes[from] == 1 &&
        *found->second && fuse(**found->second, *group, *program.machine))
      group = std::move(*found->second);
    else if (found != writer.end() && *found->second && uses[from] == mine &&
             writes[from] == 1)
      for (Access *access : group->reads()) {
        auto second = writer.find(access->tensor);
        if (second == writer.end() || second->second <= found->second ||
            !*second->second || uses[access->tensor] != 1 ||
            writes[access->tensor] != 1 || !mayMeet(*second->second, group) ||
            !fuseGate(**found->second, **second->second, *group))
          continue;
        group = std::move(*second->second);
        break;
      }
    writer[group->result.tensor] = &group;
  }
  llvm::erase_if(program.groups, [](const auto &group) { return !group; });
}
