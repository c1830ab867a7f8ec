//===- PlanProgram.cpp - Groups one by one, then their tensors ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every group is planned by itself. What the plans touch says how much room
// every tensor needs; which chips have it, its strides and its address follow.
//
//===----------------------------------------------------------------------===//

#include "MemoryOrder.h"
#include "Padding.h"
#include "PlanGroups.h"
#include "sequin/Machine/Cycles.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// A name per loop, by role.
static void nameLoops(Group &group) {
  if (group.kind == Group::Kind::Collective) {
    for (auto [i, loop] : llvm::enumerate(group.loops))
      loop.name = i == group.collective.source        ? "E"
                  : i == group.collective.destination ? "C"
                                                      : "D" + std::to_string(i);
    return;
  }
  llvm::StringMap<unsigned> counts;
  for (LoopId i = 0; i < group.loops.size(); ++i) {
    StringRef letter = group.loops[i].reduced               ? "K"
                       : llvm::is_contained(group.n, i)     ? "N"
                       : llvm::is_contained(group.batch, i) ? "B"
                       : llvm::is_contained(group.m, i)     ? "M"
                                                            : "D";
    unsigned &count = counts[letter];
    group.loops[i].name =
        count == 0 ? letter.str() : letter.str() + std::to_string(count);
    ++count;
    for (auto &stage : group.stages)
      stage->loops[i].name = group.loops[i].name;
  }
}

/// Bytes between rows in HBM are multiples of this, a packet of a contraction.
static constexpr int64_t kRowBytes = 64;

/// Room for all positions that an access may touch.
static void reserve(const Group &group, const Access &access) {
  for (auto [index, size] : llvm::zip(access.dims, access.tensor->allocated)) {
    int64_t last = index.offset, steps = 1;
    for (auto [loop, coefficient] : index.terms) {
      const Loop &l = group.loops[loop];
      if (l.countsTiles)
        continue;
      int64_t count = l.padded();
      last += std::max<int64_t>(0, coefficient * (count - 1));
      // Whole steps, as views have them.
      if (!l.single)
        steps = std::max(steps, index.offset + coefficient * count);
      // The step of a diagonal is longer than a row.
      if (access.countDims(loop) > 1)
        steps = std::max(steps, last + 2);
    }
    size = std::max({size, last + 1, steps});
  }
}

/// With `gap` units of HBM behind every row.
static void setStrides(Tensor &tensor, const TcpMachine &machine,
                       int64_t gap = 0) {
  if (!tensor.digits.empty()) {
    int64_t stride = 1;
    for (Tensor::Digit &digit : llvm::reverse(tensor.digits)) {
      digit.stride = stride;
      stride *= digit.allocated;
    }
    tensor.size = stride;
    return;
  }
  int64_t word = machine.dmaAlignBytes * 8 / tensor.bits();
  int64_t row = kRowBytes * 8 / tensor.bits();
  tensor.strides.assign(tensor.rank(), 0);
  int64_t stride = tensor.inner ? 1 : word;
  for (unsigned dim : llvm::reverse(tensor.order)) {
    tensor.strides[dim] = stride;
    stride *= tensor.allocated[dim];
    if (tensor.inner != dim)
      continue;
    stride = llvm::alignTo(stride, row);
    stride += gap * machine.hbm.unitBytes * 8 / tensor.bits();
  }
  tensor.size = llvm::alignTo(stride, row);
}

/// Addresses by first fit among the tensors that live at the same time.
static LogicalResult place(Program &program) {
  const TcpMachine &machine = *program.machine;
  SmallVector<Tensor *> placed;
  auto bytes = [&](const Tensor &tensor) {
    return static_cast<int64_t>(llvm::alignTo(
        getByteSize(tensor.kind(), tensor.size), machine.dmaRequestBytes));
  };
  int last = program.groups.size();
  for (auto &tensor : program.tensors) {
    if (tensor->firstUse < 0)
      continue;
    // Arguments are there from the start, results until the end.
    if (tensor->origin != Tensor::Origin::Computed)
      tensor->firstUse = 0;
    if (tensor->origin != Tensor::Origin::Computed ||
        llvm::is_contained(program.results, tensor.get()))
      tensor->lastUse = last;
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (Tensor *other : placed)
      if (other->lastUse >= tensor->firstUse &&
          tensor->lastUse >= other->firstUse)
        taken.push_back({other->address, other->address + bytes(*other)});
    llvm::sort(taken);
    // What fills the rows of all channels starts with them.
    int64_t rows = openRowBytes(machine);
    int64_t alignment = bytes(*tensor) >= rows ? rows : machine.dmaRequestBytes;
    int64_t address = 0;
    for (auto [begin, end] : taken) {
      if (address + bytes(*tensor) <= begin)
        break;
      address = llvm::alignTo(std::max(address, end), alignment);
    }
    if (address + bytes(*tensor) > machine.hbmBytes)
      return program.func.emitOpError()
             << "needs " << address + bytes(*tensor)
             << " bytes of HBM at once, machine \"" << machine.name << "\" has "
             << machine.hbmBytes;
    tensor->address = address;
    placed.push_back(tensor.get());
  }
  return success();
}

LogicalResult linalg_to_tcp::planGroups(Program &program, int64_t budget) {
  const TcpMachine &machine = *program.machine;
  DenseMap<Tensor *, unsigned> readers;
  for (auto &group : program.groups)
    for (Access *access : group->reads())
      access->tensor->readers = ++readers[access->tensor];
  DenseMap<Tensor *, std::vector<EngineStarts>> movers;
  for (auto [i, group] : llvm::enumerate(program.groups)) {
    if (group->kind == Group::Kind::Gather ||
        group->kind == Group::Kind::Collective) {
      for (Loop &loop : group->loops)
        loop.tile = loop.local = loop.extent;
    } else if (group->kind == Group::Kind::Rows) {
      // Planned where it was fused.
    } else if (needsWeightStream(*group)) {
      if (failed(requireWeightStream(*group, machine)))
        return failure();
    } else if (failed(GroupPlanner(*group, machine, budget).plan())) {
      return failure();
    }
    if (group->record && !group->record->complete)
      group->root->emitWarning()
          << "search over mappings ends after " << group->record->evaluated
          << " of them, as its budget says; the best of these is used";
    nameLoops(*group);
    auto use = [&](Access &access) {
      reserve(*group, access);
      Tensor &tensor = *access.tensor;
      if (tensor.firstUse < 0)
        tensor.firstUse = static_cast<int>(i);
      tensor.lastUse = static_cast<int>(i);
      EngineStarts starts = getEngineStarts(*group, access, machine);
      if (starts.size() > 1)
        movers[&tensor].push_back(std::move(starts));
    };
    for (Access *access : group->reads())
      use(*access);
    use(group->result);
  }
  // Rows that are gathered go side by side as they are.
  for (auto &group : program.groups)
    if (group->kind == Group::Kind::Gather) {
      Tensor &from = *group->stream.tensor, &to = *group->result.tensor;
      for (int64_t i = 1; i < from.rank(); ++i) {
        int64_t &a = from.allocated[from.rank() - i],
                &b = to.allocated[to.rank() - i];
        a = b = std::max(a, b);
      }
    }
  for (auto &group : program.groups)
    if (group->kind == Group::Kind::Gather)
      for (Tensor *tensor : {group->stream.tensor, group->result.tensor})
        tensor->keepsRows = true;
  // What the host sends or gets comes without gaps.
  for (auto &tensor : program.tensors)
    if (tensor->origin != Tensor::Origin::Computed ||
        llvm::is_contained(program.results, tensor.get()))
      tensor->keepsRows = true;
  // The host has one array for all copies of an argument; on several chips it
  // counts what the program has (KernelEmitter::axesOf).
  for (auto &tensor : program.tensors)
    for (auto &other : program.tensors)
      if (program.chipsUsed == 1 &&
          tensor->origin == Tensor::Origin::Argument &&
          other->origin == Tensor::Origin::Argument &&
          tensor->argument == other->argument && tensor->firstUse >= 0 &&
          other->firstUse >= 0)
        for (auto [a, b] : llvm::zip(tensor->allocated, other->allocated))
          a = b = std::max(a, b);
  finishWeightStreams(program);
  orderRingMemory(program);
  for (auto &tensor : program.tensors) {
    if (tensor->firstUse < 0)
      continue;
    setStrides(*tensor, machine);
    if (tensor->keepsRows || tensor->rank() < 2 || !tensor->inner ||
        !tensor->digits.empty())
      continue;
    int64_t gap = choosePadding(
        *tensor, movers[tensor.get()], machine,
        [&](int64_t units) { setStrides(*tensor, machine, units); });
    setStrides(*tensor, machine, gap);
  }
  return place(program);
}
