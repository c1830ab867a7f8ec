//===- AssignMemory.cpp - Groups one by one, then their tensors
//------------===//
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
#include "sequin/Machine/Cycles.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

void linalg_to_tcp::countReaders(Program &program) {
  for (auto &tensor : program.tensors)
    tensor->readers = 0;
  for (auto &group : program.groups)
    for (Access *access : group->reads())
      ++access->tensor->readers;
}

/// By index of the first group that needs a tensor and of the last one.
struct Lifetime {
  int first, last;
};

/// Of all tensors that have memory.
static DenseMap<Tensor *, Lifetime> getLifetimes(Program &program) {
  DenseMap<Tensor *, Lifetime> lifetimes;
  for (auto [i, group] : llvm::enumerate(program.groups)) {
    auto use = [&, at = static_cast<int>(i)](Tensor *tensor) {
      lifetimes.try_emplace(tensor, Lifetime{at, at}).first->second.last = at;
    };
    for (Access *access : group->reads())
      use(access->tensor);
    use(group->result.tensor);
  }
  // Arguments are there from the start, results until the end.
  for (auto &[tensor, life] : lifetimes) {
    bool isSent = tensor->origin != Tensor::Origin::Computed;
    if (isSent)
      life.first = 0;
    if (isSent || llvm::is_contained(program.results, tensor))
      life.last = program.groups.size();
  }
  return lifetimes;
}

/// Bytes between rows in HBM are multiples of this, a packet of a contraction.
static constexpr int64_t kRowBytes = 64;

/// Room for all positions that an access may touch; a tensor that has its size
/// must have it.
static LogicalResult reserve(const Group &group, const Access &access) {
  Tensor &tensor = *access.tensor;
  for (auto [dim, index] : llvm::enumerate(access.dims)) {
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
    int64_t &size = tensor.allocated[dim];
    int64_t needed = std::max({size, last + 1, steps});
    if (tensor.size > 0 && needed > size)
      return group.emitOpError()
             << "touches " << needed << " positions of dimension " << dim
             << " of '" << tensor.name << "', whose layout allocates " << size;
    size = needed;
  }
  return success();
}

/// With `gap` units of HBM behind every row. Rows of more than `unitsFrom`
/// bytes are whole units.
static void setStrides(Tensor &tensor, const TcpMachine &machine,
                       int64_t unitsFrom, int64_t gap = 0) {
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
    if (getByteSize(tensor.kind(), stride) > unitsFrom)
      stride = llvm::alignTo(stride, machine.hbm.unitBytes * 8 / tensor.bits());
    stride += gap * machine.hbm.unitBytes * 8 / tensor.bits();
  }
  tensor.size = llvm::alignTo(stride, row);
}

/// Addresses by first fit among the tensors that live at the same time.
static LogicalResult place(Program &program, ArrayRef<Tensor *> placedBefore) {
  const TcpMachine &machine = *program.machine;
  SmallVector<std::pair<Tensor *, Lifetime>> placed;
  auto bytes = [&](const Tensor &tensor) {
    return static_cast<int64_t>(llvm::alignTo(
        getByteSize(tensor.kind(), tensor.size), machine.dmaRequestBytes));
  };
  auto lifetimes = getLifetimes(program);
  // Those that have a place keep it.
  for (Tensor *tensor : placedBefore)
    placed.push_back({tensor, lifetimes.lookup(tensor)});
  for (auto &tensor : program.tensors) {
    auto used = lifetimes.find(tensor.get());
    if (used == lifetimes.end() ||
        llvm::is_contained(placedBefore, tensor.get()))
      continue;
    Lifetime life = used->second;
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (auto [other, its] : placed)
      if (its.last >= life.first && life.last >= its.first)
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
      return program.emitOpError()
             << "needs " << address + bytes(*tensor)
             << " bytes of HBM at once, machine \"" << machine.name << "\" has "
             << machine.hbmBytes;
    tensor->address = address;
    placed.push_back({tensor.get(), life});
  }
  return success();
}

LogicalResult linalg_to_tcp::assignMemory(Program &program) {
  const TcpMachine &machine = *program.machine;
  countReaders(program);
  SmallVector<Tensor *> placed;
  for (auto &tensor : program.tensors)
    if (tensor->size > 0)
      placed.push_back(tensor.get());
    else if (tensor->allocated.empty())
      tensor->allocated.assign(tensor->type.getShape().begin(),
                               tensor->type.getShape().end());
  DenseMap<Tensor *, std::vector<EngineStarts>> movers;
  // What rings write of rows of more than a unit are whole units, so these rows
  // are, too; and all rows that stores have with their padding.
  DenseMap<Tensor *, int64_t> ofRings;
  for (auto &group : program.groups) {
    if (group->ring) {
      int64_t from = group->ring->unitRows ? 0 : machine.hbm.unitBytes;
      int64_t &found =
          ofRings.try_emplace(group->result.tensor, from).first->second;
      found = std::min(found, from);
    }
    auto use = [&](Access &access) {
      if (failed(reserve(*group, access)))
        return failure();
      EngineStarts starts = getEngineStarts(*group, access, machine);
      if (starts.size() > 1)
        movers[access.tensor].push_back(std::move(starts));
      return success();
    };
    for (Access *access : group->reads())
      if (failed(use(*access)))
        return failure();
    if (failed(use(group->result)))
      return failure();
  }
  // What the host sends or gets, and rows that are moved by indices, come
  // without gaps.
  DenseSet<Tensor *> keepsRows(program.results.begin(), program.results.end());
  // Rows that are gathered go side by side as they are.
  for (auto &group : program.groups) {
    if (group->kind == Group::Kind::Gather) {
      Tensor &from = *group->stream.tensor, &to = *group->result.tensor;
      for (int64_t i = 1; i < from.rank(); ++i) {
        int64_t &a = from.allocated[from.rank() - i],
                &b = to.allocated[to.rank() - i];
        a = b = std::max(a, b);
      }
      keepsRows.insert(&from);
      keepsRows.insert(&to);
      ofRings.erase(&from);
    }
    if (group->kind == Group::Kind::Scatter)
      for (const Access *access : {&group->stream, &group->result})
        keepsRows.insert(access->tensor);
  }
  // The host has one array for all copies of an argument; on several chips it
  // counts what the program has (KernelEmitter::axesOf).
  for (auto &tensor : program.tensors)
    for (auto &other : program.tensors)
      if (program.chipsUsed == 1 &&
          tensor->origin == Tensor::Origin::Argument &&
          other->origin == Tensor::Origin::Argument &&
          tensor->argument == other->argument && tensor->readers > 0 &&
          other->readers > 0)
        for (auto [a, b] : llvm::zip(tensor->allocated, other->allocated))
          a = b = std::max(a, b);
  orderWeightMemory(program);
  orderRingMemory(program);
  for (auto [used, life] : getLifetimes(program)) {
    Tensor &tensor = *used;
    if (llvm::is_contained(placed, used))
      continue;
    auto ofRing = ofRings.find(used);
    int64_t unitsFrom = ofRing == ofRings.end() ? INT64_MAX : ofRing->second;
    setStrides(tensor, machine, unitsFrom);
    if (keepsRows.contains(&tensor) ||
        tensor.origin != Tensor::Origin::Computed || tensor.rank() < 2 ||
        !tensor.inner || !tensor.digits.empty())
      continue;
    int64_t gap =
        choosePadding(tensor, movers[&tensor], machine, [&](int64_t units) {
          setStrides(tensor, machine, unitsFrom, units);
        });
    setStrides(tensor, machine, unitsFrom, gap);
  }
  return place(program, placed);
}
