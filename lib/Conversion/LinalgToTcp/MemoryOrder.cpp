//===- MemoryOrder.cpp - Tensors in the order they are read ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryOrder.h"
#include <numeric>

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

int64_t Tensor::distanceInDigits(unsigned dim, int64_t step) const {
  int64_t distance = 0;
  while (step > 0) {
    const Digit *largest = nullptr;
    for (const Digit &digit : digits)
      if (digit.dim == dim && digit.count > 1 && digit.unit <= step &&
          (!largest || digit.unit > largest->unit))
        largest = &digit;
    if (!largest)
      break;
    distance += step / largest->unit * largest->stride;
    step %= largest->unit;
  }
  return distance;
}

std::string linalg_to_tcp::describeDigits(
    const Tensor &tensor,
    llvm::function_ref<std::string(unsigned dim)> nameOf) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::ListSeparator comma;
  SmallVector<int64_t, 4> positions(tensor.rank(), 1);
  for (const Tensor::Digit &digit : tensor.digits)
    positions[digit.dim] *= digit.count;
  for (const Tensor::Digit &digit : tensor.digits) {
    if (digit.count == 1 && digit.allocated == 1)
      continue;
    os << comma << nameOf(digit.dim);
    if (positions[digit.dim] != tensor.allocated[digit.dim])
      os << " # " << positions[digit.dim];
    if (digit.unit * digit.count != positions[digit.dim])
      os << " % " << digit.unit * digit.count;
    if (digit.unit != 1)
      os << " / " << digit.unit;
    if (digit.allocated != digit.count)
      os << " # " << digit.allocated;
  }
  return text.empty() ? "1" : text;
}

void MemoryOrder::add(LoopDigit digit, int64_t allocated) {
  for (auto [dim, index] : llvm::enumerate(access.dims))
    for (auto [loop, coefficient] : index.terms)
      if (loop == digit.loop)
        digits.push_back({static_cast<unsigned>(dim), coefficient * digit.unit,
                          digit.count, std::max(digit.count, allocated)});
}

bool MemoryOrder::fits() {
  const Tensor &tensor = *access.tensor;
  for (unsigned dim = 0; dim < tensor.rank(); ++dim) {
    int64_t product = 1, allocated = tensor.allocated[dim];
    for (const Tensor::Digit &digit : digits)
      if (digit.dim == dim)
        product *= digit.count;
    if (product == allocated)
      continue;
    // Whose digits leave some positions out reads no whole tensor.
    if (product > allocated || product < tensor.type.getDimSize(dim))
      return false;
    int64_t count = llvm::divideCeil(allocated, product);
    digits.insert(digits.begin(), {dim, product, count, count});
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

int64_t linalg_to_tcp::countTouchedUnits(const TcpMachine &machine,
                                         int64_t bytes) {
  int64_t unit = machine.hbm.unitBytes;
  return llvm::divideCeil(bytes, unit) + (bytes > unit && bytes % unit != 0);
}

int64_t linalg_to_tcp::hbmBytesOfRun(const TcpMachine &machine, int64_t bytes) {
  int64_t unit = machine.hbm.unitBytes;
  int64_t requests = llvm::divideCeil(bytes, machine.dmaRequestBytes);
  return requests * (unit - std::gcd(bytes, unit)) + bytes;
}

int64_t linalg_to_tcp::engineCyclesOfRun(const TcpMachine &machine,
                                         int64_t bytes) {
  int64_t requests = llvm::divideCeil(bytes, machine.dmaRequestBytes);
  int64_t each = machine.dmaRequestBytes / machine.dmnBytesPerCycle;
  // The last ones wait at the slice while the engine goes on.
  int64_t waited = each * (requests - machine.dmQueueEntries) + 1;
  return std::max(requests, waited);
}

RequestRun linalg_to_tcp::getRequestRun(const Tensor &tensor,
                                        int64_t contiguous, int64_t count,
                                        const TcpMachine &machine) {
  constexpr int64_t kMostRows = 4;
  int64_t part =
      std::gcd(machine.dmaRequestBytes * 8 / tensor.bits(), contiguous);
  RequestRun best{part, 1};
  auto cyclesOf = [&](const RequestRun &run) {
    int64_t bytes = getByteSize(tensor.kind(), run.elements) * run.rows;
    // HBM is for all engines.
    double hbm = static_cast<double>(hbmBytesOfRun(machine, bytes) *
                                     machine.dmaEngines) /
                 static_cast<double>(machine.hbmBytesPerCycle);
    double engine = static_cast<double>(engineCyclesOfRun(machine, bytes));
    return std::max(hbm, engine) / static_cast<double>(run.elements * run.rows);
  };
  for (int64_t rows = 1; rows <= kMostRows; rows *= 2)
    if (RequestRun run{contiguous, rows};
        count % rows == 0 && cyclesOf(run) < cyclesOf(best))
      best = run;
  return best;
}

SmallVector<LoopDigit, 10>
linalg_to_tcp::getRingOrder(const Group &group, const Access &access,
                            const TcpMachine &machine) {
  const RingPlan &plan = *group.ring;
  const Loop &sum = group.loops[group.k.back()];
  bool spreads = &access == &group.lhs && plan.spreads;
  // Slices, outermost first; those that are alike have a count only.
  SmallVector<LoopDigit, 8> slices;
  for (LoopId loop : plan.slices)
    if (!spreads || group.lhs.uses(loop))
      slices.push_back({loop, 1, group.loops[loop].extent});
  int64_t run = sum.tile;
  if (spreads) {
    run /= plan.ringSums;
    slices.push_back({group.k.back(), run, plan.ringSums});
    slices.push_back({*plan.streamed, 1, plan.ringTurns});
  }
  // The outer ones count networks of data memory, between which engines
  // alternate. Chunks are outside of everything.
  SmallVector<LoopDigit, 10> order;
  for (LoopId loop : group.k)
    if (group.loops[loop].countsTiles)
      order.push_back({loop, 1, group.loops[loop].tile});
  SmallVector<LoopDigit, 4> networks, inside;
  int64_t left = machine.slicesPerDmn;
  for (LoopDigit digit : llvm::reverse(slices)) {
    int64_t mine = std::gcd(left, digit.count);
    left /= mine;
    if (digit.count > mine)
      networks.push_back({digit.loop, digit.unit * mine, digit.count / mine});
    if (mine > 1)
      inside.push_back({digit.loop, digit.unit, mine});
  }
  llvm::append_range(order, llvm::reverse(inside));
  std::reverse(networks.begin(), networks.end());
  // What a slice has, up to the run of a request.
  for (std::optional<LoopId> loop : {plan.pieces, plan.refills})
    if (loop)
      order.push_back({*loop, 1, group.loops[*loop].extent});
  for (const LoopList *list : {&group.batch, &group.m, &group.n, &group.k})
    for (LoopId id : *list) {
      const Loop &loop = group.loops[id];
      if (loop.parts > 1 || id == plan.pieces || id == plan.refills ||
          id == group.k.back() || loop.countsTiles || loop.tile == 1)
        continue;
      int64_t turns = spreads && id == plan.streamed ? plan.ringTurns : 1;
      order.push_back({id, turns, loop.tile / turns});
    }
  auto isNothing = [&](const LoopDigit &digit) {
    return digit.count == 1 || !access.uses(digit.loop);
  };
  llvm::erase_if(order, isNothing);
  int64_t count = order.empty() ? 1 : order.back().count;
  RequestRun request = getRequestRun(*access.tensor, run, count, machine);
  LoopDigit rows;
  if (request.rows > 1) {
    rows = {order.back().loop, order.back().unit, request.rows};
    order.back().unit *= request.rows;
    order.back().count /= request.rows;
  }
  order.push_back({group.k.back(), request.elements, run / request.elements});
  order.append(networks);
  if (plan.cluster)
    order.push_back({*plan.cluster, 1, group.loops[*plan.cluster].extent});
  order.push_back(rows);
  order.push_back({group.k.back(), 1, request.elements});
  llvm::erase_if(order, isNothing);
  // Nothing comes between rows and those outside of them.
  auto *inner = llvm::find_if(order, [&](const LoopDigit &digit) {
    return rows.count > 1 && digit.loop == rows.loop && digit.unit == rows.unit;
  });
  if (inner != order.end() && inner != order.begin() &&
      std::prev(inner)->loop == rows.loop &&
      std::prev(inner)->unit == rows.unit * rows.count) {
    inner->count *= std::prev(inner)->count;
    order.erase(std::prev(inner));
  }
  return order;
}

bool linalg_to_tcp::mayReorder(const Tensor &tensor) {
  return tensor.origin != Tensor::Origin::Computed && tensor.mayReorder &&
         tensor.inner;
}

/// The order in which the ring of `group` reads what it reads by `access`.
static MemoryOrder getMemoryOrder(const Group &group, const Access &access,
                                  const TcpMachine &machine) {
  MemoryOrder order(access);
  for (LoopId loop : group.ring->order) {
    const Loop &l = group.loops[loop];
    order.add({loop, l.tile, l.tiles()});
  }
  const Loop &sum = group.loops[group.k.back()];
  order.add({group.k.back(), sum.tile, sum.tiles()});
  for (LoopDigit digit : getRingOrder(group, access, machine))
    if (!group.loops[digit.loop].countsTiles)
      order.add(digit);
  return order;
}

void linalg_to_tcp::orderRingMemory(Program &program) {
  // Copies of what several groups read, with the tensor each was made of.
  SmallVector<std::pair<Tensor *, Tensor *>> copies;
  for (auto &group : program.groups) {
    if (!group->ring)
      continue;
    for (Access *access : {&group->lhs, &group->rhs}) {
      Tensor *tensor = access->tensor;
      if (!mayReorder(*tensor) || tensor->size > 0 ||
          (!tensor->isAlone &&
           ArrayRef(tensor->allocated) != tensor->type.getShape()) ||
          llvm::any_of(access->dims,
                       [](const Index &index) { return index.offset != 0; }))
        continue;
      MemoryOrder order = getMemoryOrder(*group, *access, *program.machine);
      if (!order.fits())
        continue;
      auto *same = llvm::find_if(copies, [&](const auto &copy) {
        return copy.first == tensor &&
               llvm::equal(copy.second->digits, order.getDigits());
      });
      if (same == copies.end() && tensor->readers > 1) {
        Tensor *copy = program.addTensor(tensor->type);
        *copy = *tensor;
        copy->readers = 0;
        copies.push_back({tensor, copy});
        same = std::prev(copies.end());
      }
      if (same != copies.end()) {
        --tensor->readers;
        access->tensor = same->second;
        ++access->tensor->readers;
      }
      order.apply();
    }
  }
}
