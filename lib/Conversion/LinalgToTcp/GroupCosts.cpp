//===- GroupCosts.cpp - What a tiling of a group costs --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles of a group in one tiling, for GroupPlanner to compare: transfers and
// passes of a tile follow each other, all tiles take the same time.
//
//===----------------------------------------------------------------------===//

#include "PlanGroups.h"
#include "sequin/Machine/Cycles.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// What stores in runs of less than a unit of HBM cost where some meet in the
/// queue of their channel.
static constexpr int64_t kPartialWrites = 8;
/// What DMA engines that read far from each other take of HBM's time. Measured:
/// 110 to 700 by how the rows meet in banks.
static constexpr int64_t kApartPercent = 250;

/// By how much longer partial writes of rows take that do not meet all channels
/// of HBM alike. Measured: 2 at strides of 4,096 bytes.
static constexpr int64_t kRowChannels = 2;

/// Passes over all chunks of a contraction's sum, and one over its result.
int64_t GroupPlanner::contractionCycles() const {
  int64_t m = 1, n = 1, batch = 1;
  for (LoopId loop : group.m)
    m *= group.loops[loop].local;
  for (LoopId loop : group.n)
    n *= group.loops[loop].local;
  for (LoopId loop : group.batch)
    batch *= group.loops[loop].local;
  int64_t flits = llvm::divideCeil(
      getByteSize(group.rhs.tensor->kind(), sumElements()), machine.flitBytes);
  int64_t blocks =
      group.hasRows ? llvm::divideCeil(n, machine.rowsPerSlice) : n;
  // Packets run along the sum; of a factor that does not, each element is
  // fetched by itself.
  auto fetchesOf = [&](const Access &access, int64_t packets, int64_t cycles) {
    const Tensor &tensor = *access.tensor;
    bool isAlong =
        group.k.empty() ||
        (tensor.inner && access.dims[*tensor.inner].finest() == group.k.back());
    return isAlong ? cycles : std::max(cycles, packets * sumElements());
  };
  int64_t streamed =
      fetchesOf(group.lhs, batch * m, batch * m * blocks * flits) +
      fetchesOf(group.rhs, batch * n, batch * n * flits * 4);
  return passCycles(machine, streamed * chunks()) +
         passCycles(machine, resultElements());
}

/// Passes of the vector engine over all chunks of one tile: what a slice
/// streams in comes lane by lane where packets run along its memory, else each
/// element is fetched by itself.
int64_t GroupPlanner::vectorCycles() const {
  bool hasLanes = group.packet && group.loops[*group.packet].local > 1;
  int64_t packets = 1;
  for (LoopId loop : used) {
    int64_t local = group.loops[loop].local;
    packets *= hasLanes && loop == group.packet
                   ? llvm::divideCeil(local, group.lanes)
                   : local;
  }
  const Tensor &tensor = *group.stream.tensor;
  bool isAlong =
      tensor.inner && group.stream.dims[*tensor.inner].finest() == group.packet;
  int64_t fetches = hasLanes && !isAlong ? group.lanes : 1;
  int64_t cycles = 0;
  // The float stages and sums over time take half a packet at a time.
  auto addPass = [&](int64_t count, bool inHalves) {
    cycles += passCycles(machine,
                         count * std::max<int64_t>(fetches, inHalves ? 2 : 1));
    fetches = 1;
  };
  if (group.kind == Group::Kind::Reduction) {
    int64_t elements = packets;
    for (const Loop &loop : group.loops)
      elements *= loop.reduced ? loop.local : 1;
    for (const Loop &loop : llvm::reverse(group.loops))
      if (loop.reduced && loop.local > 1) {
        addPass(elements, hasLanes);
        elements /= loop.local;
      }
  }
  for (const VectorPass &pass : passes)
    addPass(packets, hasLanes && llvm::any_of(pass.steps, [](auto &placed) {
                       return placed.stage == PlacedStep::Stage::Float;
                     }));
  return cycles * chunks();
}

int64_t GroupPlanner::estimate() const {
  int64_t tiles = 1;
  for (LoopId loop : group.parallel())
    tiles *= group.loops[loop].tiles();
  int64_t moved = 0;
  for (Access *access : const_cast<Group &>(group).reads())
    moved += transferCycles(*access, /*stores=*/false);
  int64_t stored = transferCycles(group.result, /*stores=*/true);
  int64_t passed = group.kind == Group::Kind::Contraction ? contractionCycles()
                                                          : vectorCycles();
  return tiles * (passed + moved * chunks() + stored);
}

/// Whether DMA engines that work at the same time are far from each other in
/// HBM, where their rows meet in banks.
bool GroupPlanner::isApart(const Access &access) const {
  auto engines = [&](LoopId loop) {
    return group.loops[loop].parts > 1 && access.uses(loop);
  };
  std::optional<LoopId> apart = group.dealt;
  if (!apart || group.loops[*apart].parts == 1) {
    apart = std::nullopt;
    for (LoopId loop : used)
      if (!apart && group.loops[loop].parts > 1)
        apart = loop;
  }
  if (!apart || !engines(*apart))
    return false;
  // Gaps behind rows part what only the program itself reads again.
  if (transposes() && access.tensor->origin == Tensor::Origin::Computed &&
      access.tensor->readers > 0)
    return false;
  // Bytes from one engine's to the next one's, rows packed.
  int64_t elements = 1;
  for (unsigned dim : llvm::reverse(access.tensor->order)) {
    for (auto [loop, coefficient] : access.dims[dim].terms)
      if (loop == *apart) {
        const Loop &l = group.loops[loop];
        int64_t step =
            group.dealt == loop
                ? group.dealtUnit
                : l.local * std::max<int64_t>(1, l.parts / machine.dmaEngines);
        return getByteSize(access.tensor->kind(),
                           elements * step * std::abs(coefficient)) >=
               openRowBytes(machine);
      }
    elements *= access.tensor->type.getDimSize(dim);
  }
  return false;
}

TilePart linalg_to_tcp::getTilePart(const Group &group, const Access &access,
                                    const TcpMachine &machine,
                                    function_ref<int64_t(LoopId)> tileOf) {
  const Tensor &tensor = *access.tensor;
  const int64_t span = openRowBytes(machine);
  auto bytesOf = [&](int64_t elements) {
    return tensor.inner ? getByteSize(tensor.kind(), elements)
                        : elements * machine.dmaAlignBytes;
  };
  TilePart part;
  int64_t memory = 1;
  bool isRun = true;
  for (unsigned dim : llvm::reverse(tensor.order)) {
    int64_t size = tensor.type.getDimSize(dim), covered = 1;
    for (auto [loop, coefficient] : access.dims[dim].terms)
      covered += std::abs(coefficient) * (tileOf(loop) - 1);
    covered = std::min(covered, size);
    if (isRun)
      part.run *= covered;
    isRun &= covered == size;
    // Positions that rows which are open together have of the dimension.
    if (bytesOf(memory) < span) {
      int64_t inside = std::min<int64_t>(
          size, llvm::divideCeil(span, std::max<int64_t>(1, bytesOf(memory))));
      part.had *= std::min(covered, inside);
      part.all *= inside;
    }
    memory *= size;
  }
  return part;
}

/// What a tile takes of DMA. An opened row of HBM gives its eight units for
/// what one costs, so a tile that has only a part of every row of memory pays
/// for all of it.
int64_t GroupPlanner::transferCycles(const Access &access, bool stores) const {
  const Tensor &tensor = *access.tensor;
  int64_t elementBytes =
      tensor.inner ? 0 : machine.dmaAlignBytes; // 0: less than a byte, maybe
  auto bytesOf = [&](int64_t elements) {
    return elementBytes ? elements * elementBytes
                        : getByteSize(tensor.kind(), elements);
  };
  int64_t moved = 1, copies = 1;
  for (LoopId loop : used)
    (access.uses(loop) ? moved : copies) *=
        access.uses(loop) ? group.loops[loop].tile : group.loops[loop].parts;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (group.loops[i].reduced && access.uses(i))
      moved *= group.loops[i].tile;
  TilePart part = getTilePart(group, access, machine, [&](LoopId loop) {
    return group.loops[loop].tile;
  });
  int64_t bytes = bytesOf(moved) * (stores ? 1 : copies);
  int64_t unit = machine.hbm.unitBytes;
  // Requests are of what one slice has. Where a part of a unit costs no more
  // than the whole one, neighbours come at the same time.
  int64_t run = part.run;
  if (transposes() || (stores && !machine.hbm.mergesPartialWrites))
    run = getTilePart(group, access, machine, [&](LoopId loop) {
            return group.loops[loop].local;
          }).run;
  int64_t runBytes = std::max<int64_t>(1, std::min(bytesOf(run), bytes));
  int64_t units = bytes / runBytes * llvm::divideCeil(runBytes, unit) + 1;
  int64_t touched =
      llvm::SaturatingMultiply<uint64_t>(units * unit, part.all) / part.had;
  if (stores && !machine.hbm.mergesPartialWrites)
    touched =
        std::max(touched, hbmBytesToWrite(machine, bytes / runBytes, runBytes));
  else if (stores && runBytes % unit != 0 && part.had != part.all)
    touched *= kPartialWrites;
  // No request can open more than a row of its own.
  if (isApart(access))
    touched = std::min(touched * kApartPercent / 100,
                       std::max(touched, units * machine.hbm.rowBytes));
  return dmaCycles(machine, units, stores ? 2 : 1, touched, bytes);
}

int64_t linalg_to_tcp::getRowCycles(const Group &group,
                                    const TcpMachine &machine) {
  int64_t elements = 1;
  for (const Loop &loop : group.loops)
    elements *= loop.extent;
  const Tensor &tensor = *group.result.tensor;
  int64_t bytes = getByteSize(tensor.kind(), elements);
  if (group.kind == Group::Kind::Gather)
    return dmaCycles(machine, llvm::divideCeil(bytes, machine.dmaRequestBytes),
                     2, 2 * bytes, /*dmBytes=*/0);
  // A row is one run of memory or several.
  int64_t run =
      !tensor.inner
          ? 1
          : getTilePart(group, group.result, machine, [&](LoopId loop) {
              return group.loops[loop].extent;
            }).run;
  int64_t runs = elements / run;
  int64_t runBytes = getByteSize(tensor.kind(), run);
  int64_t written =
      machine.hbm.mergesPartialWrites
          ? bytes
          : hbmBytesToWrite(machine, runs, runBytes) *
                (runBytes % machine.hbm.unitBytes == 0 ? 1 : kRowChannels);
  return dmaCycles(machine,
                   runs * llvm::divideCeil(runBytes, machine.dmaRequestBytes),
                   2, bytes + written, /*dmBytes=*/0);
}
