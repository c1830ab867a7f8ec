//===- CheckCommit.cpp - Checks of the end of the pipeline ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/ExecCheck.h"
#include "Engine/ContractPlan.h"
#include "sequin/Config/Footprint.h"

using namespace sequin;
using namespace sequin::sim;
using llvm::StringRef;
using llvm::Twine;

llvm::Error ExecCheck::checkSink() {
  if (const auto *commit = std::get_if<config::CommitStage>(&exec.sink))
    return checkCommit(*commit);
  if (std::holds_alternative<std::monostate>(exec.sink))
    return trap("commit", "the stream goes nowhere");
  StringRef name = std::holds_alternative<config::ToTrfStage>(exec.sink)
                       ? "to_trf"
                       : "to_vrf";
  if (exec.contract || exec.vector || exec.cast || exec.transpose)
    return trap(name, "the register files are loaded right behind collect");
  if (const auto *toTrf = std::get_if<config::ToTrfStage>(&exec.sink))
    return checkToTrf(*toTrf);
  return checkToVrf(std::get<config::ToVrfStage>(exec.sink));
}

llvm::Error ExecCheck::checkCommit(const config::CommitStage &stage) {
  constexpr StringRef name = "commit";
  const config::Sequencer &sequencer = stage.sequencer;
  const SequencerLimits &limits =
      isMain ? machine.mainCommit : machine.subCommit;
  if (llvm::Error error = typeIs(name, stage.type, stream))
    return error;
  if (llvm::Error error = entries(name, sequencer.entries, limits))
    return error;
  if (llvm::Error error =
          between(name, "number of packet entries", sequencer.packetEntries, 0,
                  sequencer.entries.size()))
    return error;
  if (llvm::Error error = oneOf(name, "commit_in_size", stage.commitInBytes,
                                machine.commitInBytes))
    return error;
  if (llvm::Error error =
          oneOf(name, "access size", stage.accessBytes, limits.accessBytes))
    return error;
  if (stage.commitInBytes % stage.accessBytes)
    return trap(name, "access size is " + Twine(stage.accessBytes) +
                          ", it must divide commit_in_size " +
                          Twine(stage.commitInBytes));
  if (!stage.sliceBitmap.empty())
    if (llvm::Error error = checkSliceBitmap(stage.sliceBitmap))
      return error;
  if (stage.packing)
    return checkPacking(stage);
  llvm::ArrayRef<Loop> all = sequencer.entries;
  llvm::Expected<int64_t> steps = count(
      name, "commit steps", tripCount(all.drop_back(sequencer.packetEntries)));
  if (!steps)
    return steps.takeError();
  if (*steps != plan.outputFlits)
    return trap(name, "the sequencer makes " + Twine(*steps) +
                          " steps, the stream has " + Twine(plan.outputFlits) +
                          " flits");
  llvm::Expected<int64_t> elements =
      count(name, "elements of a packet",
            tripCount(all.take_back(sequencer.packetEntries)));
  if (!elements)
    return elements.takeError();
  int64_t bits = getBitWidth(stage.type);
  if (*elements * bits != stage.commitInBytes * 8)
    return trap(name, "commit_in_size is " + Twine(stage.commitInBytes) +
                          " bytes, the packet entries walk " +
                          Twine(*elements) + " elements of " + Twine(bits) +
                          " bits");
  if (llvm::Error error = checkCommitAddresses(stage))
    return error;
  if (llvm::Error error = checkInPlace(stage))
    return error;
  addStage(name, plan.outputFlits * (stage.commitInBytes / stage.accessBytes));
  return llvm::Error::success();
}

/// The first results are written while the last operands are still to come, so
/// no byte may be both.
llvm::Error ExecCheck::checkInPlace(const config::CommitStage &stage) {
  bool sameSlice = llvm::any_of(plan.accesses, [&](const Access &access) {
    if (access.space != Space::Dm || access.write)
      return false;
    for (auto [read, written] : llvm::zip(access.slices, active))
      if (read & written)
        return true;
    return false;
  });
  if (!sameSlice)
    return llvm::Error::success();
  std::optional<int64_t> common = config::findCommonByte(
      exec.fetch, stage.sequencer, getBitWidth(stage.type));
  if (common)
    return trap("commit", "writes address " + Twine(*common) +
                              " of a slice, which the fetch of the same pass "
                              "reads");
  return llvm::Error::success();
}

/// It selects some of the slices that take part.
llvm::Error ExecCheck::checkSliceBitmap(llvm::ArrayRef<uint64_t> bitmap) {
  bool any = false;
  for (auto [index, word] : llvm::enumerate(bitmap)) {
    any |= word != 0;
    uint64_t others =
        word & ~(index < active.size() ? active[index] : uint64_t(0));
    if (others)
      return trap("commit", "the slice bitmap selects slice " +
                                Twine(index * 64 + llvm::countr_zero(others)) +
                                ", which takes no part");
  }
  if (!any)
    return trap("commit", "the slice bitmap selects no slice");
  active = bitmap;
  return llvm::Error::success();
}

/// Everything but the counts, which are known when the pass runs. Every flit
/// takes its time, however much of it is kept.
llvm::Error ExecCheck::checkPacking(const config::CommitStage &stage) {
  constexpr StringRef name = "commit";
  if (isMain)
    return trap(name, "the main context has no valid count packing");
  int64_t bits = getBitWidth(stage.type);
  if (bits % 8 != 0)
    return trap(name, "valid count packing takes whole bytes, the stream "
                      "carries " +
                          getName(stage.type));
  if (stage.commitInBytes != machine.flitBytes)
    return trap(name, "commit_in_size is " + Twine(stage.commitInBytes) +
                          ", valid count packing takes whole flits of " +
                          Twine(machine.flitBytes));
  int64_t run = 1;
  for (const Loop &entry : llvm::reverse(stage.sequencer.entries)) {
    if (entry.size != 1 && entry.stride != run)
      return trap(name, "valid count packing fills one run, stride is " +
                            Twine(entry.stride) + " behind " + Twine(run) +
                            " elements");
    run *= entry.size; // bounded by checkCommitAddresses
    if (run > machine.dmBytesPerSlice)
      break;
  }
  if (llvm::Error error = checkCommitAddresses(stage))
    return error;
  const config::Sequencer &counts = stage.packing->counts;
  if (llvm::Error error = entries(name, counts.entries, machine.subFetch))
    return error;
  std::optional<int64_t> steps = tripCount(counts.entries);
  if (!steps || *steps != plan.outputFlits)
    return trap(name, "the counts are walked in " +
                          (steps ? Twine(*steps) : Twine("too many")) +
                          " steps, the stream has " + Twine(plan.outputFlits) +
                          " flits");
  constexpr int64_t kBits = 32;
  if (llvm::Error error = multipleOf(name, "address of the counts",
                                     counts.baseAddress, kBits / 8))
    return error;
  Extent range = extentOf(counts.entries, 0, kBits / 8, kBits / 8);
  range.begin += counts.baseAddress;
  range.end += counts.baseAddress;
  if (llvm::Error error =
          inside(name, range, "the DM of a slice", machine.dmBytesPerSlice))
    return error;
  plan.countBegin = static_cast<int64_t>(range.begin);
  plan.countEnd = static_cast<int64_t>(range.end);
  if (plan.countBegin < plan.commitEnd && plan.commitBegin < plan.countEnd)
    return trap(name, "the counts at bytes " + Twine(plan.countBegin) + " to " +
                          Twine(plan.countEnd - 1) + " lie in what is written");
  addAccess(Space::Dm, false, plan.countBegin, plan.countEnd);
  addStage(name, plan.outputFlits * (stage.commitInBytes / stage.accessBytes));
  return llvm::Error::success();
}

/// Alignment, range, and that no byte is written twice.
llvm::Error ExecCheck::checkCommitAddresses(const config::CommitStage &stage) {
  constexpr StringRef name = "commit";
  const config::Sequencer &sequencer = stage.sequencer;
  int64_t bits = getBitWidth(stage.type);
  int64_t align = machine.commitAlignBytes;
  if (llvm::Error error =
          multipleOf(name, "base address", sequencer.baseAddress, align))
    return error;
  // Entries inside an access advance by one element; every other stride is
  // aligned.
  int64_t run = 1;
  llvm::SmallVector<Loop, 8> outer; // innermost first, in access units
  for (const Loop &entry : llvm::reverse(sequencer.entries)) {
    if (entry.size == 1)
      continue;
    if (run * bits < stage.accessBytes * 8) {
      if (entry.stride != run)
        break;
      run *= entry.size;
      continue;
    }
    if (entry.stride > machine.dmBytesPerSlice * 8 ||
        entry.stride < -machine.dmBytesPerSlice * 8)
      return trap(name, "stride is " + Twine(entry.stride) +
                            ", which leaves the DM of a slice");
    if (entry.stride * bits % (align * 8))
      return trap(name, "stride is " + Twine(entry.stride) + " elements of " +
                            getName(stage.type) +
                            ", it must be a multiple of " + Twine(align) +
                            " bytes");
    outer.push_back(entry);
  }
  if (run * bits % (stage.accessBytes * 8))
    return trap(name, "access size is " + Twine(stage.accessBytes) +
                          ", it must divide the contiguous run of " +
                          Twine(run * bits / 8) + " bytes");
  Extent range = extentOf(sequencer.entries, 0, bits, bits);
  // A negative number of bits rounds down, away from the tensor.
  range.begin = sequencer.baseAddress +
                (range.begin < 0 ? -((7 - range.begin) / 8) : range.begin / 8);
  range.end = sequencer.baseAddress + (range.end + 7) / 8;
  if (llvm::Error error =
          inside(name, range, "the DM of a slice", machine.dmBytesPerSlice))
    return error;

  // All addresses are in range and aligned, so there are few words to tick off,
  // and more writes than words cannot be disjoint.
  int64_t words = machine.dmBytesPerSlice / align;
  std::vector<bool> written(words, false);
  llvm::SmallVector<Loop, 8> loops;
  for (const Loop &entry : llvm::reverse(outer))
    loops.push_back({entry.size, entry.stride * bits / 8});
  int64_t runBytes = run * bits / 8;
  std::optional<int64_t> runs = tripCount(loops);
  Odometer odometer(loops);
  for (int64_t i = 0; !runs || i < *runs; ++i, odometer.advance()) {
    int64_t address = sequencer.baseAddress + odometer.offset();
    for (int64_t at = address; at < address + runBytes; at += align) {
      if (written[at / align])
        return trap(name, "address " + Twine(at) +
                              " of the DM of a slice is written twice");
      written[at / align] = true;
    }
  }
  plan.commitBegin = static_cast<int64_t>(range.begin);
  plan.commitEnd = static_cast<int64_t>(range.end);
  addAccess(Space::Dm, true, plan.commitBegin, plan.commitEnd);
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkToTrf(const config::ToTrfStage &stage) {
  constexpr StringRef name = "to_trf";
  if (llvm::Error error =
          oneOf(name, "number of rows", stage.rows, machine.rowCounts))
    return error;
  if (machine.regType(stream) < 0)
    return trap(name, "machine '" + machine.name + "' cannot contract " +
                          getName(stream));
  TrfLayout layout(machine, stage.address, stage.rows);
  if (llvm::Error error =
          between(name, "number of bytes per row", stage.bytesPerRow,
                  machine.flitBytes, layout.bytesPerRow()))
    return error;
  if (llvm::Error error = multipleOf(name, "number of bytes per row",
                                     stage.bytesPerRow, machine.flitBytes))
    return error;
  int64_t total = stage.rows * stage.bytesPerRow;
  if (total != plan.flits * machine.flitBytes)
    return trap(name, "the rows take " + Twine(total) +
                          " bytes, the stream has " +
                          Twine(plan.flits * machine.flitBytes));
  plan.trfType = stream;
  addAccess(Space::Trf, true, layout.bankBegin(),
            layout.bankBegin() + layout.bankBytes());
  if (stage.shortCommand)
    if (llvm::Error error = checkShortCommand())
      return error;
  addStage(name,
           plan.flits + (stage.shortCommand ? 0 : machine.trfFullPathCycles));
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkToVrf(const config::ToVrfStage &stage) {
  constexpr StringRef name = "to_vrf";
  int64_t total = plan.flits * machine.flitBytes;
  if (stage.bytes > total || stage.bytes <= total - machine.flitBytes)
    return trap(name, "the tensor has " + Twine(stage.bytes) +
                          " bytes, the stream has " + Twine(plan.flits) +
                          " flits of " + Twine(machine.flitBytes));
  if (llvm::Error error =
          multipleOf(name, "address", stage.address, sizeof(uint32_t)))
    return error;
  Extent range{stage.address,
               static_cast<__int128>(stage.address) + stage.bytes};
  if (llvm::Error error =
          inside(name, range, "the VRF of a slice", machine.vrfBytesPerSlice))
    return error;
  addAccess(Space::Vrf, true, stage.address, stage.address + stage.bytes);
  addStage(name, plan.flits);
  return llvm::Error::success();
}

llvm::Error sim::checkGenerate(CommandCheck check,
                               const config::GenerateCommand &generate) {
  constexpr StringRef name = "generate";
  constexpr int64_t kBytes = sizeof(generate.value);
  const TcpMachine &machine = check.machine;
  CommandPlan &plan = check.plan;
  if (llvm::Error error = check.chip(name, generate.chip))
    return error;
  int64_t slices = machine.clustersPerChip * machine.slicesPerCluster;
  bool any = false;
  for (int64_t slice = 0;
       slice < static_cast<int64_t>(generate.sliceMask.size()) * 64; ++slice) {
    if (!takesPart(generate.sliceMask, slice))
      continue;
    any = true;
    if (slice >= slices)
      return check.trap(name, "the slice mask has a bit beyond slice " +
                                  Twine(slices - 1));
  }
  if (!any)
    return check.trap(name, "the slice mask selects no slice");
  if (llvm::Error error =
          check.multipleOf(name, "address", generate.address, kBytes))
    return error;
  Extent range{generate.address,
               static_cast<__int128>(generate.address) + kBytes};
  if (llvm::Error error = check.inside(name, range, "the DM of a slice",
                                       machine.dmBytesPerSlice))
    return error;
  plan.resource = Resource::Sub;
  plan.chips = {generate.chip};
  plan.accesses.push_back({Space::Dm, true, generate.chip, generate.address,
                           generate.address + kBytes, generate.sliceMask});
  plan.stages.push_back({name.str(), machine.generateCycles});
  plan.cycles = machine.generateCycles;
  plan.steps = 1;
  // One access of one word.
  plan.banks = config::countBankRuns(config::Sequencer{generate.address, {}, 0},
                                     kBytes * 8, kBytes, machine);
  return llvm::Error::success();
}
