//===- CheckCommit.cpp - Checks of the end of the pipeline ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractPlan.h"
#include "ExecCheck.h"

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
  if (exec.contract || exec.vector || exec.cast)
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
  TrfPart part = trfPart(machine, stage.address);
  if (llvm::Error error =
          between(name, "number of bytes per row", stage.bytesPerRow,
                  machine.flitBytes, part.bytes))
    return error;
  if (llvm::Error error = multipleOf(name, "number of bytes per row",
                                     stage.bytesPerRow, machine.flitBytes))
    return error;
  int64_t total = stage.rows * stage.bytesPerRow;
  if (total != plan.flits * machine.flitBytes)
    return trap(name, "the rows take " + Twine(total) +
                          " bytes, the stream has " +
                          Twine(plan.flits * machine.flitBytes));
  addAccess(Space::Trf, true, part.begin, part.begin + part.bytes);
  addStage(name, plan.flits);
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
