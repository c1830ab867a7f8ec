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

GroupPlanner::GroupPlanner(Group &group, const TcpMachine &machine)
    : group(group), machine(machine), units(group.loops.size(), 1),
      rigid(group.loops.size()), whole(group.loops.size()),
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
/// else the longest.
void GroupPlanner::findPacket() {
  auto fits = [&](LoopId loop) {
    // Less than a byte cannot leave alone.
    return (group.loops[loop].extent > 1 || group.result.tensor->bits() < 8) &&
           !group.loops[loop].single && !group.loops[loop].reduced &&
           (!rigid.test(loop) ||
            group.loops[loop].extent % machine.outputLanes == 0);
  };
  group.packet = std::nullopt;
  const Tensor &tensor = *group.result.tensor;
  if (tensor.inner) {
    const Index &index = group.result.dims[*tensor.inner];
    if (index.terms.size() == 1 && index.terms[0].second == 1 &&
        fits(index.terms[0].first))
      group.packet = index.terms[0].first;
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
      return tensor.inner && access.dims[*tensor.inner].loop() == loop;
    };
    int64_t extent = group.loops[loop].extent;
    bool both = group.lhs.uses(loop) && group.rhs.uses(loop);
    return (both ? 1 << 20 : 0) + (along(group.lhs) + along(group.rhs)) * 64 +
           std::min<int64_t>(extent, 128);
  };
  llvm::sort(group.k, [&](LoopId a, LoopId b) {
    return std::pair(weight(a), a) < std::pair(weight(b), b);
  });
}

/// Parts of loops along which memory is contiguous are whole words.
void GroupPlanner::setUnits() {
  for (Access *access : group.reads()) {
    const Tensor &tensor = *access->tensor;
    if (!tensor.inner)
      continue;
    const Index &index = access->dims[*tensor.inner];
    if (index.terms.empty())
      continue;
    LoopId loop = index.terms[0].first;
    if (group.loops[loop].reduced)
      continue;
    int64_t word = machine.dmaAlignBytes * 8 / tensor.bits();
    units[loop] = std::max(units[loop], word);
    if (group.loops[loop].extent % word != 0 && rigid.test(loop))
      whole.set(loop);
  }
  if (group.packet) {
    // Parts of the result are whole words.
    int64_t lanes =
        std::max(machine.outputLanes,
                 machine.dmaAlignBytes * 8 / group.result.tensor->bits());
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
  bool along =
      tensor.inner &&
      llvm::any_of(access.dims[*tensor.inner].terms, [&](const auto &term) {
        return group.loops[term.first].tile > 1;
      });
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
    for (auto [loop, coefficient] : access.dims[*tensor.inner].terms)
      inner *= group.loops[loop].local;
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
  constexpr int64_t kBytes = 4;
  int64_t dm = 0;
  auto vrfBytes = [&](int64_t elements, bool hasPacket) -> int64_t {
    if (!hasPacket)
      elements *= machine.outputLanes;
    return llvm::alignTo(elements * kBytes, machine.flitBytes);
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
    if (vrf > machine.vrfBytesPerSlice)
      return Memory::Vrf;
  }
  for (Access *access : group.reads())
    dm += dmBytes(*access);
  // What passes leave for the next one, and two sums so far.
  int64_t results = 4;
  if (chunks() > 1)
    results += 3;
  dm += results * dmBytesWithMargin(resultElements() * kBytes, machine);
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
  for (int64_t all :
       {int64_t(machine.slicesPerCluster) * machine.clustersPerChip,
        int64_t(machine.slicesPerCluster)}) {
    int64_t left = all;
    if (group.kind == Group::Kind::Contraction) {
      int64_t rows = std::min(rowParts, left), others = left / rows;
      spread(group.batch, others);
      spread(group.m, others);
      spread(llvm::to_vector(llvm::reverse(group.n)), rows);
    } else {
      // The packet's loop last: its parts are whole flits.
      LoopList order = used;
      if (group.packet) {
        llvm::erase(order, *group.packet);
        order.push_back(*group.packet);
      }
      spread(order, left);
    }
    if (fitsClusters())
      return;
  }
}

/// Cuts a loop that takes part in what does not fit; false if none can be cut.
bool GroupPlanner::cut(Memory memory) {
  auto takesPart = [&](LoopId loop) {
    if (memory == Memory::Trf)
      return llvm::is_contained(group.n, loop) ||
             llvm::is_contained(group.batch, loop);
    if (memory == Memory::Vrf)
      return chunks() > 1 || llvm::any_of(group.steps, [&](const Step &step) {
               return llvm::any_of(step.tensors(), [&](const Access *operand) {
                 return operand->uses(loop);
               });
             });
    return true;
  };
  std::optional<LoopId> best;
  for (LoopId loop : used) {
    const Loop &l = group.loops[loop];
    bool fixed = rigid.test(loop)
                     ? whole.test(loop) || l.extent % units[loop] != 0 ||
                           l.tile <= units[loop]
                     : l.local <= units[loop];
    fixed |= l.pinnedTile != 0;
    if (takesPart(loop) && !fixed && !llvm::is_contained(oneTile, loop) &&
        (!best || l.local > group.loops[*best].local))
      best = loop;
  }
  // A sum is cut where nothing else helps, or where it is most of what is read.
  LoopList sums;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (group.loops[i].reduced && !group.loops[i].single)
      sums.push_back(i);
  if (!group.k.empty())
    sums = group.k;
  bool preferSum = memory == Memory::Dm && !sums.empty() &&
                   (!best || group.loops[*best].local <= 4 * units[*best]);
  if (best && !preferSum) {
    Loop &loop = group.loops[*best];
    int64_t half =
        rigid.test(*best)
            ? largestDivisor(loop.tile, loop.tile / 2)
            : loop.parts * llvm::alignTo(loop.local / 2, units[*best]);
    limits[*best] = std::max<int64_t>(1, std::min(half, loop.tile - 1));
    return true;
  }
  if (memory == Memory::Vrf)
    return false;
  // Outer loops of the sum one by one, then the packets' loop in whole packets.
  for (LoopId id : sums) {
    Loop &loop = group.loops[id];
    bool last = id == sums.back();
    if (loop.tile == 1 || loop.pinnedTile ||
        (last && sums.size() > 1 && loop.tile <= 64))
      continue;
    int64_t unit = last && group.kind == Group::Kind::Contraction
                       ? machine.lanes(group.lhs.tensor->kind())
                       : 1;
    for (Access *access : group.reads()) {
      const Tensor &tensor = *access->tensor;
      if (tensor.inner && access->dims[*tensor.inner].loop() == id)
        unit = std::max(unit, machine.dmaAlignBytes * 8 / tensor.bits());
    }
    if (loop.tile <= unit)
      continue;
    int64_t half = llvm::divideCeil(loop.tile, 2);
    // Only the innermost one may end in the middle of a tile.
    limits[id] = last ? llvm::alignTo(half, unit)
                      : largestDivisor(loop.extent, loop.tile / 2);
    if (limits[id] >= loop.tile)
      limits[id] = loop.tile - unit;
    return true;
  }
  if (best) {
    Loop &loop = group.loops[*best];
    limits[*best] = std::max<int64_t>(1, loop.tile / 2);
    return true;
  }
  return false;
}

int64_t GroupPlanner::estimate() const {
  int64_t tiles = 1;
  for (LoopId loop : group.parallel())
    tiles *= group.loops[loop].tiles();
  int64_t streamed = 1;
  if (group.kind == Group::Kind::Contraction) {
    int64_t m = 1, n = 1, batch = 1;
    for (LoopId loop : group.m)
      m *= group.loops[loop].local;
    for (LoopId loop : group.n)
      n *= group.loops[loop].local;
    for (LoopId loop : group.batch)
      batch *= group.loops[loop].local;
    int64_t flits =
        llvm::divideCeil(getByteSize(group.rhs.tensor->kind(), sumElements()),
                         machine.flitBytes);
    int64_t blocks =
        group.hasRows ? llvm::divideCeil(n, machine.rowsPerSlice) : n;
    streamed = batch * m * blocks * flits + batch * n * flits * 4;
    streamed *= chunks();
  }
  // A DM network feeds its slices by turns.
  int64_t moved = 0;
  for (Access *access : const_cast<Group &>(group).reads())
    moved += dmBytes(*access);
  moved = moved * machine.slicesPerDmn / machine.dmnBytesPerCycle;
  int64_t start = machine.dmaStartupCycles * 4;
  return tiles * (streamed + moved * chunks() + start + resultElements());
}

LogicalResult GroupPlanner::plan() {
  std::optional<int64_t> best;
  SmallVector<Loop, 6> chosen;
  int64_t all = machine.slicesPerCluster * machine.clustersPerChip;
  Memory exceeded = Memory::None;
  for (int64_t rows = 1; rows <= all; rows *= 2) {
    limits.assign(group.loops.size(), INT64_MAX);
    bool fits = false;
    for (int i = 0; i < kMaxCuts; ++i) {
      assign(rows);
      Memory memory = firstExceeded();
      if (memory == Memory::None) {
        // Only pinned parts can be too many.
        fits = fitsClusters();
        break;
      }
      exceeded = memory;
      if (!cut(memory))
        break;
    }
    if (fits) {
      int64_t cycles = estimate();
      if (!best || cycles < *best) {
        best = cycles;
        chosen = group.loops;
      }
    }
    if (group.kind != Group::Kind::Contraction || group.n.empty())
      break;
  }
  if (best) {
    group.loops = std::move(chosen);
    return checkPins();
  }
  if (exceeded == Memory::None)
    return group.root->emitOpError()
           << "pins parts on " << slices() << " slices, machine \""
           << machine.name << "\" has " << machine.clustersPerChip << " x "
           << machine.slicesPerCluster
           << ", and one loop in as many parts as clusters";
  StringRef name = exceeded == Memory::Trf   ? "the tensor register file"
                   : exceeded == Memory::Vrf ? "the vector register file"
                                             : "data memory";
  return group.root->emitOpError()
         << "does not fit into " << name << " of machine \"" << machine.name
         << "\" in any tiling" << (hasPins() ? " that its pin allows" : "");
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
    InFlightDiagnostic diag = group.root->emitOpError()
                              << "pins " << (tile ? "tiles of " : "")
                              << (tile ? loop.pinnedTile : loop.pinnedParts)
                              << (tile ? "" : " parts") << " for loop " << i
                              << " of " << loop.extent << " iterations, which ";
    if (loop.single)
      diag << "runs one by one";
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
  }
}

/// Room for all positions that an access may touch.
static void reserve(const Group &group, const Access &access) {
  for (auto [index, size] : llvm::zip(access.dims, access.tensor->allocated)) {
    int64_t last = index.offset, steps = 1;
    for (auto [loop, coefficient] : index.terms) {
      const Loop &l = group.loops[loop];
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

/// Bytes between rows in HBM are multiples of this, a packet of a contraction.
static constexpr int64_t kRowBytes = 64;

static void setStrides(Tensor &tensor, const TcpMachine &machine) {
  int64_t word = machine.dmaAlignBytes * 8 / tensor.bits();
  int64_t row = kRowBytes * 8 / tensor.bits();
  tensor.strides.assign(tensor.rank(), 0);
  int64_t stride = tensor.inner ? 1 : word;
  for (unsigned dim : llvm::reverse(tensor.order)) {
    tensor.strides[dim] = stride;
    stride *= tensor.allocated[dim];
    if (tensor.inner == dim)
      stride = llvm::alignTo(stride, row);
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
    int64_t address = 0;
    for (auto [begin, end] : taken) {
      if (address + bytes(*tensor) <= begin)
        break;
      address = std::max(address, end);
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

LogicalResult linalg_to_tcp::planGroups(Program &program) {
  const TcpMachine &machine = *program.machine;
  for (auto [i, group] : llvm::enumerate(program.groups)) {
    if (group->kind == Group::Kind::Gather) {
      for (Loop &loop : group->loops)
        loop.tile = loop.local = loop.extent;
    } else if (failed(GroupPlanner(*group, machine).plan())) {
      return failure();
    }
    nameLoops(*group);
    auto use = [&](Access &access) {
      reserve(*group, access);
      Tensor &tensor = *access.tensor;
      if (tensor.firstUse < 0)
        tensor.firstUse = static_cast<int>(i);
      tensor.lastUse = static_cast<int>(i);
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
  // The host has one array for all copies of an argument.
  for (auto &tensor : program.tensors)
    for (auto &other : program.tensors)
      if (tensor->origin == Tensor::Origin::Argument &&
          other->origin == Tensor::Origin::Argument &&
          tensor->argument == other->argument && tensor->firstUse >= 0 &&
          other->firstUse >= 0)
        for (auto [a, b] : llvm::zip(tensor->allocated, other->allocated))
          a = b = std::max(a, b);
  for (auto &tensor : program.tensors)
    if (tensor->firstUse >= 0)
      setStrides(*tensor, machine);
  return place(program);
}
