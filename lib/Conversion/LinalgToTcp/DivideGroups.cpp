//===- DivideGroups.cpp - What one chip does of a group -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop divides over chips if its iterations do and if every tensor that it
// indexes then has its blocks on the chips that want them: iterations of a chip
// stay inside one block of one dimension, whatever the group's other loops do.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "sequin/Machine/Cycles.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static Tensor *addLike(std::vector<std::unique_ptr<Tensor>> &owner,
                       const Tensor &tensor, ArrayRef<int64_t> shape,
                       Type element) {
  owner.push_back(std::make_unique<Tensor>(tensor));
  Tensor &copy = *owner.back();
  copy.type = RankedTensorType::get(shape, element);
  return &copy;
}

Tensor *ChipTensors::get(const Tensor *tensor, Spread spread) {
  Tensor *&mine = known[{tensor, spread}];
  if (mine)
    return mine;
  SmallVector<int64_t, 4> shape(tensor->type.getShape());
  if (spread)
    shape[*spread] /= chips;
  mine = addLike(owner, *tensor, shape, tensor->elementType());
  mine->chipDim = spread;
  mine->isAlone &= chips == 1;
  if (written.contains(tensor)) {
    mine->origin = Tensor::Origin::Computed;
    mine->mayReorder = false;
  }
  return mine;
}

void ChipTensors::write(const Tensor *argument, Spread spread) {
  std::erase_if(known, [&](const auto &entry) {
    auto [tensor, lies] = entry.first;
    return tensor == argument && lies != spread;
  });
  written.insert(argument);
}

Tensor *ChipTensors::makePartial(const Tensor &result, Type type) {
  Tensor *partial = addLike(owner, result, result.type.getShape(), type);
  partial->chipDim = std::nullopt;
  return partial;
}

Tensor *ChipTensors::makePartials(const Tensor &result, Type type) {
  SmallVector<int64_t, 4> shape{chips};
  llvm::append_range(shape, result.type.getShape());
  Tensor *partials = addLike(owner, result, shape, type);
  partials->chipDim = std::nullopt;
  for (unsigned &dim : partials->order)
    ++dim;
  partials->order.insert(partials->order.begin(), 0);
  if (partials->inner)
    ++*partials->inner;
  return partials;
}

//===----------------------------------------------------------------------===//
// Which loops divide
//===----------------------------------------------------------------------===//

/// How a tensor lies if every chip has a block of the loop's iterations;
/// nothing if these need parts of several blocks.
static std::optional<Spread> spreadOf(const Group &group, const Access &access,
                                      LoopId loop, int64_t chips) {
  int64_t uses = access.countDims(loop);
  if (uses == 0)
    return Spread();
  if (uses > 1)
    return std::nullopt;
  const Tensor &tensor = *access.tensor;
  for (auto [dim, index] : llvm::enumerate(access.dims)) {
    int64_t size = tensor.type.getDimSize(dim), block = size / chips;
    int64_t first = index.offset, last = index.offset, step = 0;
    for (auto [id, coefficient] : index.terms) {
      int64_t extent = group.loops[id].extent;
      if (id == loop) {
        step = coefficient;
        extent /= chips;
      }
      (coefficient < 0 ? first : last) += coefficient * (extent - 1);
    }
    if (step == 0)
      continue;
    bool fits = size % chips == 0 &&
                step * (group.loops[loop].extent / chips) == block &&
                first >= 0 && last < block;
    // The host sends and gets whole bytes.
    if (!fits || (tensor.inner == dim && block * tensor.bits() % 8 != 0))
      return std::nullopt;
    return Spread(static_cast<unsigned>(dim));
  }
  return std::nullopt;
}

static bool isOperand(Group &group, const Access *access) {
  for (Step &step : group.steps)
    if (access == &step.operand || access == &step.second)
      return true;
  return false;
}

/// Whether the program fixes what the division would be.
static bool breaksPin(const Group &group, const Division &division,
                      int64_t chips) {
  for (auto [i, loop] : llvm::enumerate(group.loops)) {
    bool divided = division.kind != Division::Kind::Whole && division.loop == i;
    if (loop.pinnedChips != 0 && loop.pinnedChips != (divided ? chips : 1))
      return true;
  }
  return false;
}

std::vector<Division> linalg_to_tcp::getDivisions(Group &group, int64_t chips,
                                                  int64_t writers) {
  std::vector<Division> divisions;
  SmallVector<Access *, 4> reads = group.reads();
  Division &whole = divisions.emplace_back();
  whole.reads.assign(reads.size(), Spread());
  auto blocks = [&](LoopId loop) {
    Division division;
    division.kind = Division::Kind::Blocks;
    division.loop = loop;
    std::optional<Spread> result = spreadOf(group, group.result, loop, chips);
    // A loop of a result goes over it.
    if (!result || !*result)
      return;
    division.result = *result;
    for (Access *access : reads) {
      std::optional<Spread> spread = spreadOf(group, *access, loop, chips);
      if (!spread)
        return;
      division.reads.push_back(*spread);
    }
    divisions.push_back(std::move(division));
  };
  auto dims = getLoopsByDim(group, group.result);
  bool mayAdd =
      dims && writers == 1 && group.result.tensor->bits() >= 8 &&
      (group.kind == Group::Kind::Contraction ||
       group.kind == Group::Kind::Reduction) &&
      llvm::none_of(group.steps, [](const Step &step) { return step.head; });
  // The sums are left whole, or in blocks of a dimension.
  auto sums = [&](LoopId loop, std::optional<unsigned> scatter) {
    Division division;
    division.kind = Division::Kind::Sums;
    division.loop = loop;
    division.result = scatter;
    for (Access *access : reads) {
      std::optional<Spread> spread;
      if (!isOperand(group, access))
        spread = spreadOf(group, *access, loop, chips);
      else if (access->uses(loop))
        spread = std::nullopt;
      else if (scatter)
        spread = spreadOf(group, *access, *(*dims)[*scatter], chips);
      else
        spread = Spread();
      if (!spread)
        return;
      division.reads.push_back(*spread);
    }
    divisions.push_back(std::move(division));
  };
  for (LoopId i = 0; i < group.loops.size(); ++i) {
    const Loop &loop = group.loops[i];
    if (loop.extent % chips != 0)
      continue;
    if (!loop.reduced) {
      blocks(i);
      continue;
    }
    if (!mayAdd || loop.single)
      continue;
    sums(i, std::nullopt);
    for (auto [dim, loop] : llvm::enumerate(*dims))
      if (loop && spreadOf(group, group.result, *loop, chips) &&
          group.loops[*loop].extent % chips == 0)
        sums(i, dim);
  }
  llvm::erase_if(divisions, [&](const Division &division) {
    return breaksPin(group, division, chips);
  });
  return divisions;
}

std::string Division::describe(const Group &group, int64_t chips) const {
  if (kind == Kind::Whole)
    return "";
  std::string text = std::to_string(chips) + " chips over " +
                     (kind == Kind::Sums ? "the sum, " : "") + "loop " +
                     std::to_string(loop) + " of " +
                     std::to_string(group.loops[loop].extent);
  if (kind == Kind::Sums)
    text += result ? ", reduce-scatter over dimension " +
                         std::to_string(*result) + " of the result"
                   : ", all-reduce";
  return text;
}

//===----------------------------------------------------------------------===//
// What one chip does
//===----------------------------------------------------------------------===//

/// The groups that exchange what the chips have added up and add that.
static void addUp(Group &sums, const Group &group, Tensor *result,
                  const Division &division, ChipTensors &tensors, int64_t chips,
                  std::vector<std::unique_ptr<Group>> &groups) {
  Tensor *partial = tensors.makePartial(*group.result.tensor, sums.computeType);
  Tensor *partials = tensors.makePartials(*result, sums.computeType);
  auto exchange = std::make_unique<Group>(Group::of(group));
  exchange->kind = Group::Kind::Collective;
  exchange->computeType = sums.computeType;
  auto added = std::make_unique<Group>(Group::of(group));
  added->kind = Group::Kind::Reduction;
  added->combiner = group.combiner;
  added->computeType = sums.computeType;

  // Loop 0 of both goes over the chips that have added, loop i + 1 over
  // dimension i of what one chip has of the result.
  SmallVector<Index, 4> loops(group.loops.size());
  for (Group *one : {exchange.get(), added.get()}) {
    one->loops.emplace_back().extent = chips;
    for (int64_t size : result->type.getShape())
      one->loops.emplace_back().extent = size;
  }
  added->loops[0].reduced = true;
  Collective &collective = exchange->collective.emplace();
  collective.source = 0;
  exchange->stream.tensor = partial;
  exchange->result.tensor = added->stream.tensor = partials;
  added->result.tensor = result;
  exchange->result.dims.push_back({0, {{0, 1}}});
  for (auto [dim, index] : llvm::enumerate(group.result.dims)) {
    LoopId loop = dim + 1;
    Index mine{0, {{loop, 1}}};
    if (std::optional<LoopId> its = index.loop())
      loops[*its] = mine;
    exchange->result.dims.push_back(mine);
    added->result.dims.push_back(mine);
    if (division.result == dim) {
      LoopId over = exchange->loops.size();
      exchange->loops.emplace_back().extent = chips;
      collective.destination = over;
      mine.terms.insert(mine.terms.begin(),
                        {over, exchange->loops[loop].extent});
    }
    exchange->stream.dims.push_back(mine);
  }
  collective.name = division.result ? "reduce-scatter" : "all-reduce";
  added->stream.dims = exchange->result.dims;
  added->steps = std::move(sums.steps);
  sums.steps.clear();
  for (Step &step : added->steps)
    for (Access *access : {&step.operand, &step.second})
      if (*access)
        *access = access->substitute(loops);
  sums.result.tensor = partial;
  groups.push_back(std::move(exchange));
  groups.push_back(std::move(added));
}

std::vector<std::unique_ptr<Group>>
linalg_to_tcp::divideGroup(Group &group, const Division &division,
                           ChipTensors &tensors, int64_t chips) {
  std::vector<std::unique_ptr<Group>> groups;
  groups.push_back(std::make_unique<Group>(group));
  Group &mine = *groups.front();
  mine.division = division.describe(group, chips);
  for (auto [access, spread] : llvm::zip_equal(mine.reads(), division.reads))
    access->tensor = tensors.get(access->tensor, spread);
  if (division.kind != Division::Kind::Whole)
    mine.loops[division.loop].extent /= chips;
  Tensor *result = tensors.get(group.result.tensor, division.result);
  mine.result.tensor = result;
  if (division.kind == Division::Kind::Sums)
    addUp(mine, group, result, division, tensors, chips, groups);
  return groups;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

std::unique_ptr<Group> linalg_to_tcp::makeCollective(const Tensor *tensor,
                                                     Spread from, Spread to,
                                                     ChipTensors &tensors,
                                                     int64_t chips,
                                                     const Group &reader) {
  auto group = std::make_unique<Group>(Group::of(reader));
  group->kind = Group::Kind::Collective;
  group->computeType = tensor->elementType();
  group->stream.tensor = tensors.get(tensor, from);
  group->result.tensor = tensors.get(tensor, to);
  for (auto [dim, size] : llvm::enumerate(tensor->type.getShape()))
    group->loops.emplace_back().extent =
        from == dim || to == dim ? size / chips : size;
  group->stream.dims = group->result.dims = wholeOf(group->stream.tensor).dims;
  auto addBlocks = [&](Access &access, unsigned dim) {
    LoopId loop = group->loops.size();
    access.dims[dim].terms.insert(access.dims[dim].terms.begin(),
                                  {loop, group->loops[dim].extent});
    group->loops.emplace_back().extent = chips;
    return loop;
  };
  Collective &collective = group->collective.emplace();
  if (from)
    collective.source = addBlocks(group->result, *from);
  if (to)
    collective.destination = addBlocks(group->stream, *to);
  collective.name = !from ? "slice" : to ? "all-to-all" : "all-gather";
  return group;
}

int64_t linalg_to_tcp::getCollectiveCycles(const Group &group,
                                           const TcpMachine &machine) {
  const Tensor &from = *group.stream.tensor, &to = *group.result.tensor;
  auto bytesOf = [](const Tensor &tensor) {
    return getByteSize(tensor.kind(), tensor.type.getNumElements());
  };
  if (!group.collective->source) {
    int64_t bytes = bytesOf(to);
    return machine.dmaStoreDescriptorCycles +
           dmaCycles(machine, llvm::divideCeil(bytes, machine.dmaRequestBytes),
                     2, 2 * bytes, /*dmBytes=*/0);
  }
  // Every chip has its own part already; what it gets, others send.
  int64_t chips = group.loops[*group.collective->source].extent;
  int64_t sent = bytesOf(from);
  if (group.collective->destination)
    sent /= chips;
  return interChipCycles(machine, sent * (chips - 1));
}
