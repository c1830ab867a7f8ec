//===- FuseRows.cpp - Chains of groups over the same rows -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax reads its rows four times: for the maximum, the exponentials, their
// sum and the quotients. Where whole rows fit into data memory, such groups
// become the stages of one, which reads every row once and leaves what is
// between the stages in data memory.
//
// The stages share their loops: rows, which are cut into tiles and spread over
// slices, and one column, which stays whole. The column counts as two loops,
// the inner one as long as a flit, so that a reduction along it first adds
// flits lane by lane and then eight lanes: an eighth of the time that element
// by element takes.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "sequin/Machine/Cycles.h"
#include <numeric>

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

/// Groups of which each reads what one before has left, by the loops of the
/// first one. Others may stand between them that read nothing of theirs.
class ChainBuilder {
public:
  ChainBuilder(Program &program, size_t begin)
      : program(program), machine(*program.machine), begin(begin) {}

  /// Finds as many groups as can be stages.
  bool match(const llvm::DenseMap<Tensor *, unsigned> &uses,
             const llvm::DenseMap<Tensor *, unsigned> &writes);
  /// A chain takes the place of the last of them, if it is faster.
  bool replace();

private:
  struct Stage {
    std::unique_ptr<Group> *place;
    Group *group;
    SmallVector<LoopId, 6> loops; ///< by the group's loops, the first group's
  };

  const Group &head() const { return *program.groups[begin]; }
  bool isInside(const Tensor *tensor, size_t stages) const {
    return llvm::any_of(ArrayRef(members).take_front(stages),
                        [&](const Stage &stage) {
                          return stage.group->result.tensor == tensor;
                        });
  }
  bool join(std::unique_ptr<Group> &place);
  bool endsChain(size_t stages, const llvm::DenseMap<Tensor *, unsigned> &uses,
                 const llvm::DenseMap<Tensor *, unsigned> &writes) const;
  Access remap(const Access &access, const Stage &stage) const;
  void addStage(Group &chain, const Stage &stage);
  void addReduction(Group &chain, Group stage);
  bool planTiles(Group &chain) const;
  bool isFaster(Group &chain) const;

  Program &program;
  const TcpMachine &machine;
  size_t begin;
  std::vector<Stage> members;
  std::optional<LoopId> column;
  bool hasEnd = false; ///< nothing can follow the last member
  /// What is known of tensors: the loops that are their dimensions.
  llvm::DenseMap<Tensor *, LoopList> dims;
};

} // namespace

/// The loops that the dimensions of all of a tensor are, in a row.
static std::optional<LoopList> plainDims(const Group &group,
                                         const Access &access) {
  auto byDim = getLoopsByDim(group, access);
  if (!byDim)
    return std::nullopt;
  LoopList loops;
  for (std::optional<LoopId> loop : *byDim)
    if (loop)
      loops.push_back(*loop);
  return loops;
}

/// Adds a group if its loops are those of the first one.
bool ChainBuilder::join(std::unique_ptr<Group> &place) {
  Group &group = *place;
  if ((group.kind != Group::Kind::Stream &&
       group.kind != Group::Kind::Reduction) ||
      group.record)
    return false;
  for (const Loop &loop : group.loops)
    if (loop.single || loop.pinnedTile || loop.pinnedParts ||
        (loop.pinnedChips && loop.extent == 1))
      return false;
  // What is narrower needs longer packets.
  for (const Step &step : group.steps)
    if (step.kind == Step::Kind::Narrow &&
        step.type.getIntOrFloatBitWidth() < 8)
      return false;
  // A result that joins dimensions is the last one.
  if (hasEnd || getBitWidth(group.result.tensor->kind()) < 8)
    return false;
  bool ends = !plainDims(group, group.result);
  if (ends && (group.kind != Group::Kind::Stream || !joinsEvenly(group)))
    return false;
  constexpr LoopId kNone = ~0u;
  Stage stage{&place, &group,
              SmallVector<LoopId, 6>(group.loops.size(), kNone)};
  bool isFirst = members.empty(), readsInside = isFirst;
  for (LoopId i = 0; isFirst && i < group.loops.size(); ++i)
    stage.loops[i] = i;
  for (Access *access : group.reads()) {
    // Packets of the chain need not run along it.
    if (sharesBytes(*access->tensor))
      return false;
    readsInside |= isInside(access->tensor, members.size());
    auto known = dims.find(access->tensor);
    if (known == dims.end())
      continue;
    std::optional<LoopList> loops = plainDims(group, *access);
    if (!loops)
      return false;
    for (auto [mine, first] : llvm::zip(*loops, known->second)) {
      if (stage.loops[mine] != kNone && stage.loops[mine] != first)
        return false;
      stage.loops[mine] = first;
    }
  }
  if (!readsInside)
    return false;
  // A different loop for each, of the same length; at most the column is not in
  // what the group has in common with those before.
  llvm::SmallBitVector taken(head().loops.size());
  for (LoopId &loop : stage.loops) {
    if (loop == kNone && column && !llvm::is_contained(stage.loops, *column))
      loop = *column;
    if (loop == kNone || taken.test(loop) ||
        head().loops[loop].extent !=
            group.loops[&loop - stage.loops.data()].extent)
      return false;
    taken.set(loop);
  }
  std::optional<LoopId> summed = column;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (group.loops[i].reduced) {
      if (summed && summed != stage.loops[i])
        return false;
      summed = stage.loops[i];
    }
  // Every row in every stage.
  for (LoopId i = 0; i < head().loops.size(); ++i)
    if (!taken.test(i) && i != summed)
      return false;
  column = summed;
  auto learn = [&](const Access &access) {
    std::optional<LoopList> loops = plainDims(group, access);
    if (!loops)
      return;
    for (LoopId &loop : *loops)
      loop = stage.loops[loop];
    dims.try_emplace(access.tensor, std::move(*loops));
  };
  for (Access *access : group.reads())
    learn(*access);
  learn(group.result);
  hasEnd = ends;
  members.push_back(std::move(stage));
  return true;
}

/// Whether the first stages make a chain whose last result is all that anybody
/// else reads.
bool ChainBuilder::endsChain(
    size_t stages, const llvm::DenseMap<Tensor *, unsigned> &uses,
    const llvm::DenseMap<Tensor *, unsigned> &writes) const {
  const Stage &last = members[stages - 1];
  if (last.group->kind != Group::Kind::Stream ||
      !llvm::is_contained(last.loops, *column))
    return false;
  llvm::DenseMap<Tensor *, unsigned> inside;
  bool reduces = false;
  for (const Stage &stage : ArrayRef(members).take_front(stages)) {
    reduces |= stage.group->kind == Group::Kind::Reduction;
    for (Access *access : stage.group->reads())
      ++inside[access->tensor];
  }
  if (!reduces)
    return false;
  for (const Stage &stage : ArrayRef(members).take_front(stages)) {
    Tensor *tensor = stage.group->result.tensor;
    if (writes.lookup(tensor) != 1)
      return false;
    bool isLast = &stage == &last;
    if (isLast ? inside.lookup(tensor) > 0
               : uses.lookup(tensor) != inside.lookup(tensor))
      return false;
  }
  // In HBM, rows are runs of the column.
  auto isAlongColumn = [&](const Stage &stage, const Access &access) {
    const Tensor &tensor = *access.tensor;
    if (!tensor.inner || tensor.bits() < 8)
      return false;
    const Index &index = access.dims[*tensor.inner];
    std::optional<LoopId> loop = index.loop();
    return loop && stage.loops[*loop] == *column;
  };
  for (const Stage &stage : ArrayRef(members).take_front(stages))
    for (Access *access : stage.group->reads())
      if (!isInside(access->tensor, stages) && !isAlongColumn(stage, *access))
        return false;
  return isAlongColumn(last, last.group->result);
}

bool ChainBuilder::match(const llvm::DenseMap<Tensor *, unsigned> &uses,
                         const llvm::DenseMap<Tensor *, unsigned> &writes) {
  // The chain runs where its last member stands.
  auto scattersInto = [&](const Group &group) {
    return group.kind == Group::Kind::Scatter &&
           llvm::any_of(members, [&](const Stage &stage) {
             return llvm::any_of(stage.group->reads(), [&](Access *access) {
               return access->tensor == group.result.tensor;
             });
           });
  };
  for (auto &place : llvm::drop_begin(program.groups, begin)) {
    if (place && scattersInto(*place))
      break;
    if (place && !join(place) &&
        (members.empty() || llvm::any_of(place->reads(), [&](Access *access) {
           return isInside(access->tensor, members.size());
         })))
      break;
  }
  if (!column || head().loops[*column].extent % machine.outputLanes != 0 ||
      head().loops[*column].extent < 2 * machine.outputLanes)
    return false;
  size_t stages = members.size();
  while (stages > 1 && !endsChain(stages, uses, writes))
    --stages;
  members.resize(stages);
  return stages > 1;
}

/// The loops of the chain: those of the first group, and the column's flits
/// behind them.
Access ChainBuilder::remap(const Access &access, const Stage &stage) const {
  SmallVector<Index, 4> loops;
  for (LoopId loop : stage.loops) {
    Index &index = loops.emplace_back();
    if (loop == *column)
      index.terms.push_back({loop, machine.outputLanes});
    index.terms.push_back({loop == *column ? head().loops.size() : loop, 1});
  }
  return access.substitute(loops);
}

void ChainBuilder::addStage(Group &chain, const Stage &stage) {
  const Group &from = *stage.group;
  Group copy = Group::of(from);
  copy.kind = from.kind;
  copy.combiner = from.combiner;
  copy.computeType = from.computeType;
  copy.stream = remap(from.stream, stage);
  copy.result = remap(from.result, stage);
  for (const Step &step : from.steps) {
    Step &mine = copy.steps.emplace_back(step);
    for (Access *access : {&mine.operand, &mine.second})
      if (*access)
        *access = remap(*access, stage);
  }
  if (llvm::is_contained(stage.loops, *column) &&
      from.kind == Group::Kind::Stream)
    copy.packet = head().loops.size();
  if (from.kind == Group::Kind::Reduction)
    return addReduction(chain, std::move(copy));
  chain.stages.push_back(std::move(copy));
}

/// Flits lane by lane, then the lanes.
void ChainBuilder::addReduction(Group &chain, Group stage) {
  LoopId lanes = head().loops.size();
  Group flits = Group::of(stage);
  flits.kind = Group::Kind::Reduction;
  flits.combiner = stage.combiner;
  flits.computeType = stage.computeType;
  flits.stream = stage.stream;
  SmallVector<int64_t, 4> shape(stage.result.tensor->type.getShape());
  shape.push_back(machine.outputLanes);
  Tensor *partial =
      program.addTensor(RankedTensorType::get(shape, stage.computeType));
  partial->inner = shape.size() - 1;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    partial->order.push_back(dim);
  flits.result = stage.result;
  flits.result.tensor = partial;
  flits.result.dims.push_back({0, {{lanes, 1}}});
  flits.packet = lanes;
  stage.stream = flits.result;
  chain.stages.push_back(std::move(flits));
  chain.stages.push_back(std::move(stage));
}

/// Rows side by side in HBM go to slices in turn; of each as many as fit into
/// the memories of a slice.
bool ChainBuilder::planTiles(Group &chain) const {
  Group &first = chain.stages.front();
  LoopId lanes = head().loops.size();
  auto isRow = [&](LoopId loop) { return loop != *column && loop != lanes; };
  // Rows from the innermost.
  LoopList rows;
  for (unsigned dim : llvm::reverse(first.stream.tensor->order))
    for (auto [loop, coefficient] : first.stream.dims[dim].terms)
      if (isRow(loop) && !llvm::is_contained(rows, loop))
        rows.push_back(loop);
  for (LoopId loop = 0; loop < lanes; ++loop)
    if (isRow(loop) && !llvm::is_contained(rows, loop))
      rows.push_back(loop);

  // Bytes of one row in a slice: everything in DM at once, and what one stage
  // has in the vector register file.
  int64_t length = head().loops[*column].extent;
  constexpr int64_t kBytes = 4;
  int64_t row = 0, fixed = 0, vrfRow = 0, vrfFixed = 0;
  SmallVector<const Access *> loaded;
  auto elements = [&](const Access &access) {
    return access.uses(lanes)
               ? access.uses(*column) ? length : machine.outputLanes
               : int64_t(1);
  };
  auto hasRows = [&](const Access &access) {
    return llvm::any_of(rows, [&](LoopId loop) { return access.uses(loop); });
  };
  for (auto &stage : chain.stages) {
    int64_t vrf = 0, vrfOnce = 0;
    for (Step &step : stage.steps)
      for (const Access *access : step.tensors()) {
        int64_t bytes =
            llvm::alignTo(elements(*access), machine.outputLanes) * kBytes;
        (hasRows(*access) ? vrf : vrfOnce) += bytes;
      }
    vrfRow = std::max(vrfRow, vrf);
    vrfFixed = std::max(vrfFixed, vrfOnce);
    size_t passes =
        assignPasses(stage.steps, stage.computeType, stage.resultType()).size();
    int64_t places = 1 + std::min<size_t>(2, passes - 1);
    if (stage.kind == Group::Kind::Reduction)
      ++places;
    row += places * llvm::alignTo(elements(stage.result) * kBytes,
                                  machine.commitAlignBytes);
    fixed += places * (machine.macWidthBytes + machine.dmaRequestBytes);
  }
  for (Access *access : chain.reads()) {
    int64_t bytes = getByteSize(access->tensor->kind(), elements(*access));
    (hasRows(*access) ? row : fixed) += bytes;
    fixed += machine.macWidthBytes + machine.dmaRequestBytes;
  }
  int64_t most = (machine.dmBytesPerSlice - fixed) / row;
  if (vrfRow > 0)
    most = std::min(most, (machine.vrfBytesPerSlice - vrfFixed) / vrfRow);
  // Two tiles at a time, if there will be several.
  int64_t slices = machine.slicesPerCluster * machine.clustersPerChip;
  int64_t all = 1;
  for (LoopId id : rows)
    all *= chain.loops[id].extent;
  if (most < static_cast<int64_t>(llvm::divideCeil(all, slices)))
    most = std::max<int64_t>(std::min<int64_t>(most, 1), most / 2);
  if (most < 1 || vrfFixed > machine.vrfBytesPerSlice)
    return false;

  // Behind the end of a loop that shares a dimension is somebody else's row.
  auto sharesDim = [](const Access &access, LoopId id) {
    return llvm::any_of(access.dims, [&](const Index &index) {
      return index.terms.size() > 1 &&
             llvm::any_of(index.terms,
                          [&](const auto &term) { return term.first == id; });
    });
  };
  for (LoopId id : rows) {
    Loop &loop = chain.loops[id];
    if (llvm::any_of(chain.reads(), [&](const Access *access) {
          return sharesDim(*access, id);
        })) {
      loop.parts = std::gcd(llvm::bit_floor<uint64_t>(slices), loop.extent);
      loop.local = std::min(most, loop.extent / loop.parts);
      while (loop.extent / loop.parts % loop.local != 0)
        --loop.local;
    } else {
      loop.parts = llvm::bit_floor<uint64_t>(std::min(slices, loop.extent));
      loop.local =
          std::min<int64_t>(most, llvm::divideCeil(loop.extent, loop.parts));
    }
    slices /= loop.parts;
    if (sharesDim(chain.result, id))
      loop.local = llvm::bit_floor<uint64_t>(loop.local);
    most /= loop.local;
    loop.tile = loop.parts * loop.local;
    if (!chain.dealt && loop.parts > 1)
      chain.dealt = id;
  }
  return true;
}

/// Whether stages in data memory save more than they cost where the rows do not
/// occupy all slices.
bool ChainBuilder::isFaster(Group &chain) const {
  int64_t tiles = 1, local = 1, all = 1;
  for (const Loop &loop : chain.loops) {
    tiles *= loop.tiles();
    local *= loop.local;
    all *= loop.extent;
  }
  int64_t stages = llvm::count_if(chain.stages, [&](const auto &stage) {
    return stage.stream.uses(*column);
  });
  // Two cycles for a flit, as long as a half at a time is computed.
  auto passes = [&](int64_t elements) {
    return stages * 2 * llvm::divideCeil(elements, machine.outputLanes);
  };
  int64_t slices = machine.slicesPerCluster * machine.clustersPerChip;
  auto transfer = [&](const Tensor &tensor) {
    int64_t bytes = getByteSize(tensor.kind(), tensor.type.getNumElements());
    return dmaCycles(machine, llvm::divideCeil(bytes, machine.dmaRequestBytes),
                     1, bytes, bytes);
  };
  int64_t apart = passes(llvm::divideCeil(all, slices)), together = 0;
  int64_t length = head().loops[*column].extent;
  for (const Stage &stage : members) {
    // By themselves, reductions take eight rows at a time, element by element.
    if (stage.group->kind == Group::Kind::Reduction)
      apart += length *
               llvm::divideCeil(all / length / machine.outputLanes, slices) *
               machine.outputLanes;
    for (Access *access : stage.group->reads())
      apart += transfer(*access->tensor);
    apart += transfer(*stage.group->result.tensor);
  }
  for (Access *access : chain.reads())
    together += transfer(*access->tensor);
  together += tiles * passes(local) + transfer(*chain.result.tensor) +
              2 * tiles * machine.dmaStartupCycles;
  chain.record.emplace().cycles = together;
  return together < apart;
}

bool ChainBuilder::replace() {
  auto chain = std::make_unique<Group>(Group::of(*members.back().group));
  chain->kind = Group::Kind::Rows;
  for (const Loop &loop : head().loops)
    chain->loops.emplace_back().extent = loop.extent;
  chain->loops.emplace_back().extent = machine.outputLanes;
  chain->loops[*column].extent /= machine.outputLanes;
  for (const Stage &stage : members)
    addStage(*chain, stage);
  for (Loop *loop : {&chain->loops[*column], &chain->loops.back()})
    loop->tile = loop->local = loop->extent;
  chain->result = chain->stages.back().result;
  chain->computeType = chain->stages.back().computeType;
  if (!planTiles(*chain) || !isFaster(*chain))
    return false;
  for (auto &stage : chain->stages) {
    stage.loops = chain->loops;
    stage.dealt = chain->dealt;
    if (stage.kind != Group::Kind::Reduction)
      continue;
    bool second = !stage.stream.uses(*column);
    stage.loops[second ? head().loops.size() : *column].reduced = true;
  }
  // One element of a row has a word of its own.
  for (auto &stage : chain->stages)
    if (!stage.packet)
      stage.result.tensor->inner = std::nullopt;
  for (const Stage &stage : members)
    stage.place->reset();
  *members.back().place = std::move(chain);
  return true;
}

void linalg_to_tcp::fuseRows(Program &program) {
  llvm::DenseMap<Tensor *, unsigned> uses, writes;
  for (Tensor *tensor : program.results)
    ++uses[tensor];
  for (auto &group : program.groups) {
    for (Access *access : group->reads())
      ++uses[access->tensor];
    ++writes[group->result.tensor];
  }
  for (size_t i = 0; i < program.groups.size(); ++i) {
    ChainBuilder builder(program, i);
    if (program.groups[i] && builder.match(uses, writes))
      builder.replace();
  }
  llvm::erase_if(program.groups, [](const auto &group) { return !group; });
}
