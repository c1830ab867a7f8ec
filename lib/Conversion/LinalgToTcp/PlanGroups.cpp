//===- PlanGroups.cpp - Tiles, slices and padding -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every loop of a group is cut into tiles, a tile into parts that lie on slices
// of their own. Tiles are all of one size: the last one may run past the end of
// the loop, over memory that every tensor has behind its dimensions for that
// and that nobody looks at. Sums run to their end exactly.
//
//===----------------------------------------------------------------------===//

#include "PlanGroups.h"
#include "sequin/Machine/Cycles.h"
#include "sequin/Support/Interrupt.h"
#include "sequin/Support/Progress.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// How often sizes are cut before a group is given up.
static constexpr int kMaxCuts = 400;

static int64_t largestDivisor(int64_t n, int64_t limit) {
  for (int64_t d = std::min(n, limit); d > 1; --d)
    if (n % d == 0)
      return d;
  return 1;
}

//===----------------------------------------------------------------------===//
// Roles of the loops
//===----------------------------------------------------------------------===//

GroupPlanner::GroupPlanner(Group &group, const TcpMachine &machine,
                           int64_t budget)
    : group(group), machine(machine), budget(budget),
      units(group.loops.size(), 1), rigid(group.loops.size()),
      whole(group.loops.size()),
      passes(assignPasses(group.steps, group.computeType, group.resultType())) {
  findRigidLoops();
  findPacket();
  if (group.kind == Group::Kind::Contraction)
    findRoles();
  for (LoopId loop : group.parallel())
    if (!group.loops[loop].single)
      used.push_back(loop);
  setUnits();
  setExactLoops();
}

/// Loops that end where they end: those whose neighbours in a sum of loops, or
/// in the result, would be overwritten.
void GroupPlanner::findRigidLoops() {
  auto isInside = [&](const auto &term) {
    return !group.loops[term.first].single;
  };
  auto visit = [&](const Access &access) {
    for (const Index &index : access.dims)
      if (llvm::count_if(index.terms, isInside) > 1)
        for (auto [loop, coefficient] : index.terms)
          rigid.set(loop);
  };
  for (Access *access : group.reads())
    visit(*access);
  visit(group.result);
  group.exact = false;
  for (auto [size, index] :
       llvm::zip(group.result.tensor->type.getShape(), group.result.dims)) {
    std::optional<LoopId> loop = index.loop();
    bool covers = loop ? group.loops[*loop].extent == size
                       : size == 1 && index.terms.empty();
    group.exact |= !covers;
  }
}

/// The loop along the result's packets: that of its contiguous dimension, or
/// else the longest. Elements of half a byte leave and come in along their
/// contiguous dimension only.
void GroupPlanner::findPacket() {
  bool readsHalves = group.stream && group.stream.tensor->inner &&
                     sharesBytes(*group.stream.tensor);
  auto fits = [&](LoopId loop) {
    return (group.loops[loop].extent > 1 || readsHalves ||
            group.result.tensor->bits() < 8) &&
           !group.loops[loop].single && !group.loops[loop].reduced &&
           (!rigid.test(loop) ||
            group.loops[loop].extent % getLeastLanes() == 0);
  };
  group.packet = std::nullopt;
  const Tensor &tensor = *group.result.tensor;
  if (readsHalves) {
    std::optional<LoopId> along =
        group.stream.dims[*group.stream.tensor->inner].finest();
    if (along && fits(*along))
      group.packet = along;
  } else if (tensor.inner) {
    std::optional<LoopId> along = group.result.dims[*tensor.inner].finest();
    if (along && fits(*along))
      group.packet = along;
  }
  if (group.packet)
    return;
  for (LoopId loop : group.parallel())
    if (fits(loop) && (!group.packet || group.loops[loop].extent >
                                            group.loops[*group.packet].extent))
      group.packet = loop;
}

void GroupPlanner::findRoles() {
  auto isRow = [&](LoopId loop) {
    return !group.loops[loop].single &&
           (!rigid.test(loop) ||
            group.loops[loop].extent % machine.rowsPerSlice == 0);
  };
  auto onlyIn = [&](const Access &one, const Access &other, LoopId loop) {
    return one.uses(loop) && !other.uses(loop);
  };
  // Rows come from the operand that has the packet's loop, or any that can be
  // rows.
  auto rowsOf = [&](const Access &one, const Access &other) {
    int64_t best = 0;
    for (LoopId loop : group.parallel())
      if (onlyIn(one, other, loop) && isRow(loop))
        best = std::max(best, group.packet == loop ? INT64_MAX
                                                   : group.loops[loop].extent);
    return best;
  };
  if (rowsOf(group.lhs, group.rhs) > rowsOf(group.rhs, group.lhs))
    std::swap(group.lhs, group.rhs);
  for (LoopId i = 0; i < group.loops.size(); ++i) {
    if (group.loops[i].single)
      continue;
    bool left = group.lhs.uses(i), right = group.rhs.uses(i);
    LoopList &list = group.loops[i].reduced ? group.k
                     : left && right        ? group.batch
                     : right                ? group.n
                                            : group.m;
    list.push_back(i);
  }
  // The rows last; packets of a sum run along what both factors have.
  group.hasRows = false;
  std::optional<size_t> rows;
  for (auto [i, loop] : llvm::enumerate(group.n))
    if (isRow(loop) &&
        (!rows || group.packet == loop ||
         (group.packet != group.n[*rows] &&
          group.loops[loop].extent > group.loops[group.n[*rows]].extent)))
      rows = i;
  if (rows) {
    group.hasRows = true;
    std::swap(group.n[*rows], group.n.back());
    group.packet = group.n.back();
  } else {
    group.packet = std::nullopt;
  }
  auto weight = [&](LoopId loop) {
    auto along = [&](const Access &access) {
      const Tensor &tensor = *access.tensor;
      return tensor.inner && access.dims[*tensor.inner].finest() == loop;
    };
    int64_t extent = group.loops[loop].extent;
    bool both = group.lhs.uses(loop) && group.rhs.uses(loop);
    // Only the last may be cut into parts that do not divide it.
    auto ragged = [&](const Access &access) {
      return along(access) && extent % getDmaWord(*access.tensor) != 0;
    };
    bool cutLast = ragged(group.lhs) || ragged(group.rhs);
    return (both ? 1 << 20 : 0) + (cutLast ? 1 << 10 : 0) +
           (along(group.lhs) + along(group.rhs)) * 64 +
           std::min<int64_t>(extent, 128);
  };
  llvm::sort(group.k, [&](LoopId a, LoopId b) {
    return std::pair(weight(a), a) < std::pair(weight(b), b);
  });
}

/// Elements of a packet of the result and of what passes leave for each other:
/// parts are whole words.
int64_t GroupPlanner::getLeastLanes() const {
  int64_t bits = group.result.tensor->bits();
  for (const VectorPass &pass : passes)
    bits = std::min<int64_t>(bits, pass.result.getIntOrFloatBitWidth());
  return std::max(machine.outputLanes, machine.dmaAlignBytes * 8 / bits);
}

/// Elements in the least that a DMA engine moves.
int64_t GroupPlanner::getDmaWord(const Tensor &tensor) const {
  return machine.dmaAlignBytes * 8 / tensor.bits();
}

/// Parts of loops along which memory is contiguous are whole words.
void GroupPlanner::setUnits() {
  for (Access *access : group.reads()) {
    const Tensor &tensor = *access->tensor;
    if (!tensor.inner)
      continue;
    std::optional<LoopId> finest = access->dims[*tensor.inner].finest();
    if (!finest || group.loops[*finest].reduced)
      continue;
    LoopId loop = *finest;
    int64_t word = getDmaWord(tensor);
    units[loop] = std::max(units[loop], word);
    if (group.loops[loop].extent % word != 0 && rigid.test(loop))
      whole.set(loop);
  }
  if (group.packet) {
    int64_t lanes = getLeastLanes();
    // Pure copies fill flits where they can.
    LoopId packet = *group.packet;
    int64_t flit = machine.flitBytes * 8 / group.result.tensor->bits();
    group.lanes = lanes;
    if (isCopy() &&
        (!rigid.test(packet) || group.loops[packet].extent % flit == 0))
      group.lanes = flit;
    units[packet] = std::max(units[packet], group.lanes);
  }
}

/// Where the result must end with its loops, only the packet's may run on, in
/// one tile that is cut when it leaves for HBM.
void GroupPlanner::setExactLoops() {
  if (!group.exact)
    return;
  for (LoopId loop : used)
    if (loop == group.packet && group.loops[loop].extent % units[loop] != 0)
      oneTile.push_back(loop);
    else
      rigid.set(loop);
  for (LoopId loop : rigid.set_bits())
    if (group.loops[loop].extent % units[loop] != 0)
      whole.set(loop);
}

bool GroupPlanner::isCopy() const {
  return group.kind == Group::Kind::Stream && group.steps.empty() &&
         group.computeType == group.resultType() &&
         group.stream.tensor->elementType() == group.resultType();
}

/// Whether elements that are side by side in what is read are not in what is
/// written.
bool GroupPlanner::transposes() const {
  if (group.kind != Group::Kind::Stream || !group.stream.tensor->inner ||
      !group.result.tensor->inner)
    return false;
  return group.stream.dims[*group.stream.tensor->inner].finest() !=
         group.result.dims[*group.result.tensor->inner].finest();
}

/// Parts of the loops along which memory is contiguous are whole units of HBM,
/// or all there is.
void GroupPlanner::setHbmUnits() {
  for (const Access *access : {&group.stream, &group.result}) {
    if (!*access || !access->tensor->inner)
      continue;
    std::optional<LoopId> loop = access->dims[*access->tensor->inner].finest();
    if (!loop || rigid.test(*loop) || !llvm::is_contained(used, *loop))
      continue;
    int64_t unit = machine.hbm.unitBytes * 8 / access->tensor->bits();
    units[*loop] =
        llvm::alignTo(std::min(unit, group.loops[*loop].extent), units[*loop]);
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LoopList linalg_to_tcp::getMemoryLoops(const Group &group,
                                       const Access &access) {
  LoopList loops;
  for (unsigned dim : access.tensor->order) {
    auto terms = access.dims[dim].terms;
    llvm::sort(terms, [](const auto &a, const auto &b) {
      return a.second > b.second;
    });
    for (auto [loop, coefficient] : terms)
      if (group.loops[loop].tile > 1 && !llvm::is_contained(loops, loop))
        loops.push_back(loop);
  }
  return loops;
}

int64_t linalg_to_tcp::getOverrunBytes(const Group &group, const Access &access,
                                       const TcpMachine &machine) {
  const Tensor &tensor = *access.tensor;
  if (group.kind != Group::Kind::Contraction || group.k.empty() ||
      (&access != &group.lhs && &access != &group.rhs))
    return 0;
  LoopId inner = group.k.back();
  int64_t tile = group.loops[inner].tile;
  int64_t word = machine.dmaAlignBytes * 8 / tensor.bits();
  int64_t missing = llvm::alignTo(tile, machine.lanes(tensor.kind())) - tile;
  // Elements from one iteration to the next.
  std::optional<LoopId> finest =
      tensor.inner ? access.dims[*tensor.inner].finest() : std::nullopt;
  bool along = finest && group.loops[*finest].tile > 1;
  int64_t stride = along ? 1 : word;
  LoopList loops = getMemoryLoops(group, access);
  for (LoopId loop : llvm::reverse(loops)) {
    if (loop == inner)
      return getByteSize(tensor.kind(), missing * stride);
    int64_t local = group.loops[loop].local;
    stride *= along ? llvm::alignTo(local, word) : local;
    along = false;
  }
  return 0;
}

int64_t GroupPlanner::localElements(const Access &access) const {
  int64_t elements = 1;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (access.uses(i))
      elements *= group.loops[i].local;
  return elements;
}

/// Of one slice, in DM.
int64_t GroupPlanner::dmBytes(const Access &access) const {
  const Tensor &tensor = *access.tensor;
  int64_t elements = localElements(access);
  int64_t word = machine.dmaAlignBytes * 8 / tensor.bits();
  int64_t inner = 1;
  if (tensor.inner)
    if (std::optional<LoopId> along = access.dims[*tensor.inner].finest())
      inner = group.loops[*along].local;
  elements = elements / inner * llvm::alignTo(inner, word);
  return dmBytesWithMargin(getByteSize(tensor.kind(), elements) +
                               getOverrunBytes(group, access, machine),
                           machine);
}

int64_t GroupPlanner::resultElements() const {
  int64_t elements = 1;
  for (LoopId loop : used)
    elements *= group.loops[loop].local;
  // Without lanes every element has a word of its own.
  if (!group.packet)
    elements *= machine.dmaAlignBytes;
  return elements;
}

int64_t GroupPlanner::sumElements() const {
  int64_t elements = 1;
  int64_t lanes = machine.lanes(group.lhs.tensor->kind());
  for (auto [i, loop] : llvm::enumerate(group.k)) {
    int64_t local = group.loops[loop].local;
    elements *= i + 1 == group.k.size() ? llvm::alignTo(local, lanes) : local;
  }
  return group.k.empty() ? lanes : elements;
}

int64_t GroupPlanner::chunks() const {
  int64_t count = 1;
  for (const Loop &loop : group.loops)
    if (loop.reduced)
      count *= loop.tiles();
  return count;
}

int64_t GroupPlanner::sumsBetweenPassesBytes() const {
  if (group.kind != Group::Kind::Reduction)
    return 0;
  int64_t bytes = 0;
  int64_t left = resultElements();
  bool isLastPass = true;
  for (const Loop &loop : group.loops) {
    if (!loop.reduced || loop.tile == 1)
      continue;
    // The pass over the first of them leaves the result, counted as such.
    if (!isLastPass)
      bytes += dmBytesWithMargin(left * kSumBytes, machine);
    isLastPass = false;
    left *= loop.local;
  }
  return bytes;
}

Memory GroupPlanner::firstExceeded() const {
  if (group.kind == Group::Kind::Contraction) {
    int64_t blocks = 1;
    for (LoopId loop : group.n)
      blocks *= group.loops[loop].local;
    if (group.hasRows)
      blocks = llvm::divideCeil(blocks, machine.rowsPerSlice);
    for (LoopId loop : group.batch)
      blocks *= group.loops[loop].local;
    int64_t bytes =
        getByteSize(group.rhs.tensor->kind(), sumElements() * blocks);
    if (bytes > machine.trfBytesPerRow)
      return Memory::Trf;
  }
  // Operands of one pass at a time; sums so far are one of the first pass.
  int64_t dm = 0;
  auto vrfBytes = [&](int64_t elements, bool hasPacket) -> int64_t {
    if (!hasPacket)
      elements *= machine.outputLanes;
    return llvm::alignTo(elements * kSumBytes, machine.flitBytes);
  };
  int64_t first = 0;
  if (chunks() > 1) {
    int64_t elements = resultElements();
    first = vrfBytes(group.packet ? elements : elements / machine.dmaAlignBytes,
                     group.packet.has_value());
  }
  for (const VectorPass &pass : passes) {
    int64_t vrf = &pass == &passes.front() ? first : 0;
    for (const PlacedStep &placed : pass.steps)
      for (const Access *operand : placed.step->tensors())
        vrf += vrfBytes(localElements(*operand),
                        group.packet && operand->uses(*group.packet));
    vrf += vrfBytes(resultElements(), group.packet.has_value()) *
           llvm::count_if(pass.steps, [](const PlacedStep &placed) {
             return placed.step->head;
           });
    if (vrf > machine.vrfBytesPerSlice)
      return Memory::Vrf;
  }
  for (Access *access : group.reads())
    dm += dmBytes(*access);
  // What passes leave for the next one, and two sums so far.
  int64_t results = 5, bytes = resultElements() * kSumBytes;
  if (chunks() > 1)
    results += 3;
  if (isCopy()) {
    results = 1;
    bytes = getByteSize(group.result.tensor->kind(), resultElements());
  }
  dm += results * dmBytesWithMargin(bytes, machine);
  dm += sumsBetweenPassesBytes();
  return dm > machine.dmBytesPerSlice ? Memory::Dm : Memory::None;
}

//===----------------------------------------------------------------------===//
// Tiles and parts
//===----------------------------------------------------------------------===//

/// Spreads what there is of each loop over slices, in the order given.
void GroupPlanner::spread(ArrayRef<LoopId> loops, int64_t &slices) {
  for (LoopId id : loops) {
    Loop &loop = group.loops[id];
    int64_t most = std::min(loop.extent, limits[id]);
    if (loop.pinnedTile)
      most = std::min(loop.extent, loop.pinnedTile);
    int64_t available = loop.pinnedParts ? loop.pinnedParts : slices;
    if (rigid.test(id)) {
      // A divisor in whole units.
      loop.tile = loop.extent;
      if (!whole.test(id) && most < loop.extent && loop.extent % units[id] == 0)
        loop.tile =
            units[id] * largestDivisor(loop.extent / units[id],
                                       std::max<int64_t>(1, most / units[id]));
      int64_t unit = loop.tile % units[id] == 0 ? units[id] : loop.tile;
      loop.parts =
          whole.test(id) ? 1 : largestDivisor(loop.tile / unit, available);
      loop.local = loop.tile / loop.parts;
    } else {
      // Cut to its extent where it leaves for HBM, which parts could not be.
      int64_t parts =
          llvm::is_contained(oneTile, id)
              ? 1
              : std::min<int64_t>(available, llvm::divideCeil(most, units[id]));
      loop.local = llvm::alignTo(llvm::divideCeil(most, parts), units[id]);
      loop.parts = llvm::divideCeil(most, loop.local);
      loop.tile = loop.parts * loop.local;
    }
    slices = std::max<int64_t>(1, slices / loop.parts);
  }
}

int64_t GroupPlanner::slices() const {
  int64_t product = 1;
  for (LoopId loop : used)
    product *= group.loops[loop].parts;
  return product;
}

/// Whether clusters and slices can be told apart.
bool GroupPlanner::fitsClusters() const {
  int64_t all = slices();
  if (all <= machine.slicesPerCluster)
    return true;
  return all <= machine.slicesPerCluster * machine.clustersPerChip &&
         llvm::any_of(used, [&](LoopId loop) {
           return group.loops[loop].parts % machine.clustersPerChip == 0;
         });
}

/// Sizes for the current limits.
void GroupPlanner::assign(int64_t rowParts) {
  for (Loop &loop : group.loops) {
    loop.tile = loop.local = loop.parts = 1;
    if (loop.reduced && !loop.single) {
      LoopId id = &loop - group.loops.data();
      loop.tile = loop.local =
          std::min(loop.extent, loop.pinnedTile ? loop.pinnedTile : limits[id]);
    }
  }
  auto dealtFirst = [&](LoopList &order) {
    if (!group.dealt)
      return;
    llvm::erase(order, *group.dealt);
    order.insert(order.begin(), *group.dealt);
  };
  for (int64_t all :
       {int64_t(machine.slicesPerCluster) * machine.clustersPerChip,
        int64_t(machine.slicesPerCluster)}) {
    int64_t left = all;
    if (group.kind == Group::Kind::Contraction) {
      int64_t rows = std::min(rowParts, left), others = left / rows;
      LoopList order = group.batch;
      llvm::append_range(order, group.m);
      dealtFirst(order);
      spread(order, others);
      spread(llvm::to_vector(llvm::reverse(group.n)), rows);
    } else {
      // The packet's loop last: its parts are whole flits.
      LoopList order = used;
      if (group.packet) {
        llvm::erase(order, *group.packet);
        order.push_back(*group.packet);
      }
      dealtFirst(order);
      spread(order, left);
    }
    if (fitsClusters())
      return;
  }
}

/// Cuts a loop that takes part in what does not fit; false if none can be cut.
bool GroupPlanner::cut(Memory memory, bool outerFirst) {
  auto takesPart = [&](LoopId loop) {
    if (memory == Memory::Trf)
      return llvm::is_contained(group.n, loop) ||
             llvm::is_contained(group.batch, loop);
    if (memory == Memory::Vrf)
      return chunks() > 1 || llvm::any_of(group.steps, [&](const Step &step) {
               return step.head ||
                      llvm::any_of(step.tensors(), [&](const Access *operand) {
                        return operand->uses(loop);
                      });
             });
    return true;
  };
  LoopList memoryOrder;
  for (unsigned dim : group.result.tensor->order)
    for (auto [loop, coefficient] : group.result.dims[dim].terms)
      memoryOrder.push_back(loop);
  auto depth = [&](LoopId loop) {
    return llvm::find(memoryOrder, loop) - memoryOrder.begin();
  };
  std::optional<LoopId> best;
  for (LoopId loop : used) {
    const Loop &l = group.loops[loop];
    bool fixed = rigid.test(loop)
                     ? whole.test(loop) || l.extent % units[loop] != 0 ||
                           l.tile <= units[loop]
                     : (outerFirst ? l.tile : l.local) <= units[loop];
    fixed |= l.pinnedTile != 0;
    if (!takesPart(loop) || fixed || llvm::is_contained(oneTile, loop))
      continue;
    // Rows of memory stay whole, or the longest loop is cut.
    if (!best || (outerFirst ? depth(loop) < depth(*best)
                             : l.local > group.loops[*best].local))
      best = loop;
  }
  // A sum is cut where nothing else helps, or where it is most of what is read.
  LoopList sums;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (group.loops[i].reduced && !group.loops[i].single)
      sums.push_back(i);
  if (!group.k.empty())
    sums = group.k;
  bool preferSum =
      memory == Memory::Dm && !sums.empty() &&
      (!best || (!outerFirst && group.loops[*best].local <= 4 * units[*best]));
  if (best && !preferSum) {
    Loop &loop = group.loops[*best];
    int64_t half =
        rigid.test(*best) ? largestDivisor(loop.tile, loop.tile / 2)
        : outerFirst ? llvm::alignTo(loop.tile / 2, units[*best])
                     : loop.parts * llvm::alignTo(loop.local / 2, units[*best]);
    limits[*best] = std::max<int64_t>(1, std::min(half, loop.tile - 1));
    return true;
  }
  if (memory == Memory::Vrf)
    return false;
  // Outer loops of the sum one by one, then the packets' loop in whole packets.
  auto cutSum = [&](int64_t leastOfLast) {
    for (LoopId id : sums) {
      Loop &loop = group.loops[id];
      bool last = id == sums.back();
      if (loop.tile == 1 || loop.pinnedTile ||
          (last && sums.size() > 1 && loop.tile <= leastOfLast))
        continue;
      int64_t unit = last && group.kind == Group::Kind::Contraction
                         ? machine.lanes(group.lhs.tensor->kind())
                         : 1;
      for (Access *access : group.reads()) {
        const Tensor &tensor = *access->tensor;
        if (tensor.inner && access->dims[*tensor.inner].finest() == id)
          unit = std::max(unit, getDmaWord(tensor));
      }
      if (loop.tile <= unit)
        continue;
      // Only the innermost one may end in the middle of a tile.
      if (!last && loop.extent % unit != 0)
        continue;
      int64_t half = llvm::divideCeil(loop.tile, 2);
      limits[id] =
          last ? llvm::alignTo(half, unit)
               : unit * largestDivisor(loop.extent / unit,
                                       std::max<int64_t>(1, half / unit));
      if (limits[id] >= loop.tile)
        limits[id] = loop.tile - unit;
      return true;
    }
    return false;
  };
  constexpr int64_t kLongRun = 64;
  if (cutSum(kLongRun))
    return true;
  if (best) {
    Loop &loop = group.loops[*best];
    limits[*best] = std::max<int64_t>(1, loop.tile / 2);
    return true;
  }
  return cutSum(/*leastOfLast=*/1);
}

/// Loops that slices can take in turn: where rows of memory follow each other,
/// as each of the tensors has them.
LoopList GroupPlanner::dealable() const {
  LoopList loops;
  auto consider = [&](const Access &access) {
    if (!access.tensor->inner)
      return;
    for (unsigned dim : llvm::reverse(access.tensor->order))
      for (auto [loop, coefficient] : access.dims[dim].terms)
        if (dim != *access.tensor->inner && coefficient == 1 &&
            llvm::is_contained(used, loop) && group.loops[loop].extent > 1) {
          bool isStationary = llvm::is_contained(group.n, loop);
          if (loop != group.packet && units[loop] == 1 && !isStationary &&
              !llvm::is_contained(oneTile, loop) &&
              !llvm::is_contained(loops, loop))
            loops.push_back(loop);
          return;
        }
  };
  if (group.kind == Group::Kind::Contraction)
    consider(group.lhs);
  else
    consider(group.stream);
  consider(group.result);
  return loops;
}

static StringRef describeMemory(Memory memory) {
  return memory == Memory::Trf   ? "the tensor register file"
         : memory == Memory::Vrf ? "the vector register file"
                                 : "data memory";
}

LogicalResult GroupPlanner::plan() {
  std::optional<int64_t> best;
  SmallVector<Loop, 6> chosen;
  std::optional<LoopId> chosenDealt;
  int64_t chosenDealtUnit = 1;
  int64_t all = machine.slicesPerCluster * machine.clustersPerChip;
  Memory exceeded = Memory::None;
  const SmallVector<int64_t, 6> leastUnits = units;
  auto attempt = [&](int64_t rows, bool outerFirst, bool wholeUnits) {
    units = leastUnits;
    if (wholeUnits)
      setHbmUnits();
    limits.assign(group.loops.size(), INT64_MAX);
    for (int i = 0; i < kMaxCuts; ++i) {
      assign(rows);
      Memory memory = firstExceeded();
      if (memory == Memory::None) {
        // Only pinned parts can be too many.
        if (!fitsClusters())
          return;
        group.dealtUnit = group.dealt ? units[*group.dealt] : 1;
        if (group.dealtUnit > 1 &&
            group.loops[*group.dealt].local != group.dealtUnit)
          return;
        int64_t cycles = estimate();
        if (!best || cycles < *best) {
          best = cycles;
          chosen = group.loops;
          chosenDealt = group.dealt;
          chosenDealtUnit = group.dealtUnit;
        }
        return;
      }
      exceeded = memory;
      if (!cut(memory, outerFirst))
        return;
    }
  };
  SmallVector<std::optional<LoopId>> deals{std::nullopt};
  llvm::append_range(deals, dealable());
  size_t plainDeals = deals.size();
  if (transposes())
    for (const Access *access : {&group.stream, &group.result})
      deals.push_back(access->dims[*access->tensor->inner].finest());
  for (auto [number, dealt] : llvm::enumerate(deals)) {
    group.dealt = dealt;
    for (int64_t rows = 1; rows <= all; rows *= 2) {
      bool isPlain = number < plainDeals;
      bool mayFillUnits =
          transposes() ||
          (isPlain && !machine.hbm.mergesPartialWrites && !hasPins());
      for (bool outerFirst : {false, true})
        for (bool wholeUnits : {false, true})
          if (wholeUnits ? mayFillUnits : isPlain)
            attempt(rows, outerFirst, wholeUnits);
      if (group.kind != Group::Kind::Contraction || group.n.empty())
        break;
    }
  }
  group.dealt = std::nullopt;
  units = leastUnits;
  // Weight streams follow HBM's order, which the other estimates do not see.
  int64_t streams = getWeightStreamCycles(group, machine);
  constexpr int64_t kMargin = 16;
  if (planRings(group, machine,
                std::min(best ? *best : INT64_MAX, streams - streams / kMargin),
                budget))
    return success();
  // Packets that are picked element by element cost more than the estimate of
  // the other plans says.
  if (streams < (best ? *best : INT64_MAX) || streamsAcross(group, machine)) {
    planWeightStream(group, machine);
    return success();
  }
  if (best) {
    group.loops = std::move(chosen);
    group.dealt = chosenDealt;
    group.dealtUnit = chosenDealtUnit;
    if (!group.record)
      group.record.emplace();
    group.record->cycles = *best;
    return checkPins();
  }
  if (exceeded == Memory::None)
    return group.emitOpError()
           << "pins parts on " << slices() << " slices, machine \""
           << machine.name << "\" has " << machine.clustersPerChip << " x "
           << machine.slicesPerCluster
           << ", and one loop in as many parts as clusters";
  return group.emitOpError()
         << "does not fit into " << describeMemory(exceeded) << " of machine \""
         << machine.name << "\" in any tiling"
         << (hasPins() ? " that its pin allows" : "");
}

LogicalResult GroupPlanner::check() const {
  for (auto [i, loop] : llvm::enumerate(group.loops)) {
    auto refuse = [&](const Twine &why) {
      return group.emitOpError()
             << "has tiles of " << loop.tile << " in " << loop.parts
             << " parts for loop d" << i << " of " << loop.extent
             << " iterations, " << why;
    };
    bool isPart =
        loop.local % units[i] != 0 && (loop.parts > 1 || !rigid.test(i));
    if (loop.single && loop.tile != 1)
      return refuse("which runs one by one");
    if (loop.reduced ? loop.parts != 1 : isPart)
      return refuse(loop.reduced
                        ? "which is summed, and slices share no sums"
                        : "a part is whole multiples of " + Twine(units[i]));
    if (!loop.reduced && rigid.test(i) && loop.extent % loop.tile != 0)
      return refuse("which tiles must divide");
    if ((whole.test(i) || llvm::is_contained(oneTile, i)) && !loop.reduced &&
        (loop.tiles() > 1 || loop.parts > 1))
      return refuse("which cannot be cut");
  }
  if (!fitsClusters())
    return group.emitOpError()
           << "has parts on " << slices() << " slices, machine \""
           << machine.name << "\" has " << machine.clustersPerChip << " x "
           << machine.slicesPerCluster
           << ", and one loop in as many parts as clusters";
  if (Memory memory = firstExceeded(); memory != Memory::None)
    return group.emitOpError()
           << "does not fit into " << describeMemory(memory) << " of machine \""
           << machine.name << "\" in its tiles";
  return success();
}

LogicalResult linalg_to_tcp::checkMapping(const Group &group,
                                          const TcpMachine &machine) {
  if (!group.loops.empty() && !isMapped(group))
    return group.emitOpError() << "has loops without a mapping; run "
                                  "tcp-plan-choose-mappings first";
  if (group.ring || group.weightStream || group.movesRows() ||
      group.kind == Group::Kind::Rows || group.kind == Group::Kind::Collective)
    return success();
  Group trial = group;
  for (LoopList *list : {&trial.batch, &trial.m, &trial.n, &trial.k})
    list->clear();
  return GroupPlanner(trial, machine, /*budget=*/1).check();
}

bool GroupPlanner::hasPins() const {
  return llvm::any_of(group.loops, [](const Loop &loop) {
    return loop.pinnedTile || loop.pinnedParts;
  });
}

/// Whether everything pinned could be kept.
LogicalResult GroupPlanner::checkPins() const {
  for (auto [i, loop] : llvm::enumerate(group.loops)) {
    bool tile = loop.pinnedTile &&
                loop.tile != std::min(loop.pinnedTile, loop.extent) &&
                loop.pinnedTile != loop.tile;
    bool parts = loop.pinnedParts && loop.parts != loop.pinnedParts;
    if (!tile && !parts)
      continue;
    InFlightDiagnostic diag = group.emitOpError()
                              << "pins " << (tile ? "tiles of " : "")
                              << (tile ? loop.pinnedTile : loop.pinnedParts)
                              << (tile ? "" : " parts") << " for loop " << i
                              << " of " << loop.extent << " iterations, which ";
    if (loop.single)
      diag << "runs one by one";
    else if (loop.reduced && !tile)
      diag << "is summed, and slices share no sums"
           << (group.kind == Group::Kind::Contraction
                   ? " but on rings, by powers of two"
                   : "");
    else if (rigid.test(i))
      diag << "is cut into tiles and parts that divide it";
    else
      diag << "is cut into parts of whole multiples of " << units[i] << " on "
           << machine.slicesPerCluster * machine.clustersPerChip << " slices";
    return diag << ": " << loop.tile << " iterations in " << loop.parts
                << " parts would fit";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

/// A name per loop, by role.
static void nameLoops(Group &group) {
  if (group.kind == Group::Kind::Collective) {
    for (auto [i, loop] : llvm::enumerate(group.loops))
      loop.name = i == group.collective->source ? "E"
                  : i == group.collective->destination
                      ? "C"
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
      stage.loops[i].name = group.loops[i].name;
  }
}

bool linalg_to_tcp::isMapped(const Group &group) {
  return !group.loops.empty() &&
         llvm::none_of(group.loops,
                       [](const Loop &loop) { return loop.name.empty(); });
}

LogicalResult linalg_to_tcp::planGroups(Program &program, int64_t budget) {
  const TcpMachine &machine = *program.machine;
  countReaders(program);
  bool refused = false;
  for (auto [index, group] : llvm::enumerate(program.groups)) {
    reportProgress({"plan", "", static_cast<int64_t>(index),
                    static_cast<int64_t>(program.groups.size()), "groups"});
    if (isMapped(*group))
      continue;
    if (group->movesRows() || group->kind == Group::Kind::Collective) {
      for (Loop &loop : group->loops)
        loop.tile = loop.local = loop.extent;
      if (group->kind == Group::Kind::Scatter) {
        if (!group->record)
          group->record.emplace();
        group->record->cycles = getRowCycles(*group, machine);
      }
    } else if (group->kind == Group::Kind::Rows) {
      // Planned where it was fused.
    } else if (needsWeightStream(*group)) {
      if (failed(requireWeightStream(*group, machine))) {
        refused = true;
        continue;
      }
    } else {
      // Tiles and parts that somebody has set already are fixed.
      for (Loop &loop : group->loops) {
        loop.pinnedTile = loop.tile > 1 ? loop.tile : loop.pinnedTile;
        loop.pinnedParts = loop.parts > 1 ? loop.parts : loop.pinnedParts;
      }
      if (failed(GroupPlanner(*group, machine, budget).plan())) {
        refused = true;
        continue;
      }
    }
    if (group->record && !group->record->complete)
      emitWarning(Location(group->loc))
          << "search over mappings ends after " << group->record->evaluated
          << " of them, as "
          << (isSearchEnded() ? "Ctrl-C asked for" : "its budget says")
          << "; the best of these is used";
    nameLoops(*group);
  }
  if (refused)
    return failure();
  cutFollowedWeights(program);
  return success();
}
