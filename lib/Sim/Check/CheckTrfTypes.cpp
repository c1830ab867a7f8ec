//===- CheckTrfTypes.cpp - Types in the tensor register file --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commands take effect in program order, so what a contraction finds is what
// the last load before it has left there (TCP, TRF Memory Layout).
//
//===----------------------------------------------------------------------===//

#include "Check/CommandCheck.h"
#include "sequin/Sim/TrfLayout.h"

using namespace sequin;
using namespace sequin::sim;
using llvm::Twine;

namespace {

/// Bytes of every bank, in some slices of a chip.
struct Region {
  int64_t begin, end;
  std::vector<uint64_t> slices;

  bool overlaps(const Region &other) const {
    if (begin >= other.end || other.begin >= end)
      return false;
    for (auto [a, b] : llvm::zip(slices, other.slices))
      if (a & b)
        return true;
    return false;
  }
};

struct Load {
  Region region;
  ElementType type;
  size_t command; ///< its number
};

/// What the register files of a chip hold, in regions without overlap.
class Contents {
public:
  void load(const Load &load);
  /// A load of another type that left something in the region.
  const Load *findOther(const Region &region, ElementType type) const;

private:
  std::vector<Load> loads;
};

} // namespace

void Contents::load(const Load &next) {
  std::vector<Load> kept;
  for (Load &old : loads) {
    if (!old.region.overlaps(next.region)) {
      kept.push_back(std::move(old));
      continue;
    }
    // Of the slices that are loaded, what lies before and behind; all of the
    // other slices.
    Load both = old;
    bool others = false;
    for (auto [left, shared, loaded] :
         llvm::zip(old.region.slices, both.region.slices, next.region.slices)) {
      shared &= loaded;
      left &= ~loaded;
    }
    for (uint64_t left : old.region.slices)
      others |= left != 0;
    if (both.region.begin < next.region.begin) {
      Load part = both;
      part.region.end = next.region.begin;
      kept.push_back(std::move(part));
    }
    if (both.region.end > next.region.end) {
      Load part = both;
      part.region.begin = next.region.end;
      kept.push_back(std::move(part));
    }
    if (others)
      kept.push_back(std::move(old));
  }
  loads = std::move(kept);
  loads.push_back(next);
}

const Load *Contents::findOther(const Region &region, ElementType type) const {
  for (const Load &load : loads)
    if (load.type != type && load.region.overlaps(region))
      return &load;
  return nullptr;
}

/// The part of each bank that `bytes` of a row from `first` on take.
static Region regionOf(const TrfLayout &layout, int64_t first, int64_t last,
                       const std::vector<uint64_t> &slices) {
  int64_t bank = layout.bankBytes(), begin = layout.bankBegin();
  // A row may go on in the next bank.
  if (first / bank != (last - 1) / bank)
    return {begin, begin + bank, slices};
  first %= bank;
  return {begin + first, begin + (last - 1) % bank + 1, slices};
}

llvm::Error sim::checkTrfTypes(const config::UnrolledProgram &program,
                               llvm::ArrayRef<CommandPlan> plans,
                               const TcpMachine &machine) {
  std::vector<Contents> chips(program.getProgram().chips);
  for (auto [index, plan] : llvm::enumerate(plans)) {
    const config::Command &command = program.getWritten(index);
    const auto *exec = std::get_if<config::ExecCommand>(&command.body);
    if (!exec)
      continue;
    if (const auto &stage = exec->contract) {
      Extent reach =
          extentOf(stage->trf.entries, 0, getBitWidth(stage->type), 0);
      int64_t base = stage->trf.baseAddress;
      Region region = regionOf(
          TrfLayout(machine, stage->trfAddress, stage->rows),
          base + static_cast<int64_t>(reach.begin / 8),
          base + static_cast<int64_t>(reach.end / 8) + stage->regReadBytes,
          exec->sliceMask);
      if (const Load *other = chips[exec->chip].findOther(region, stage->type))
        return llvm::make_error<Trap>(program.getName(index), "contract",
                                      ("reads " + getName(stage->type) +
                                       " from the TRF, where '" +
                                       program.getName(other->command) +
                                       "' has loaded " + getName(other->type))
                                          .str());
    }
    if (const auto *load = std::get_if<config::ToTrfStage>(&exec->sink))
      chips[exec->chip].load(
          {regionOf(TrfLayout(machine, load->address, load->rows), 0,
                    load->bytesPerRow, exec->sliceMask),
           *plan.trfType, index});
  }
  return llvm::Error::success();
}
