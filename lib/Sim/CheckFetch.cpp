//===- CheckFetch.cpp - Checks of the fetch and collect stages ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecCheck.h"

using namespace sequin;
using namespace sequin::sim;
using llvm::StringRef;
using llvm::Twine;

llvm::Error ExecCheck::checkFetch() {
  const config::FetchStage &fetch = exec.fetch;
  const config::Sequencer &sequencer = fetch.sequencer;
  if (llvm::Error error =
          entries("fetch", sequencer.entries,
                  isMain ? machine.mainFetch : machine.subFetch))
    return error;
  if (llvm::Error error =
          between("fetch", "number of packet entries", sequencer.packetEntries,
                  0, sequencer.entries.size()))
    return error;
  if (fetch.from == ElementType::I5 || fetch.from == ElementType::I9)
    return trap("fetch", "memories hold no " + getName(fetch.from));
  if (!machine.canFetchCast(fetch.from, fetch.to))
    return trap("fetch", "machine '" + machine.name + "' cannot convert " +
                             getName(fetch.from) + " to " + getName(fetch.to));
  // They come with the zero-point subtraction, which the stage does not have.
  if (fetch.to == ElementType::I5 || fetch.to == ElementType::I9)
    return trap("fetch",
                "streams of " + getName(fetch.to) + " are not supported");

  llvm::ArrayRef<Loop> all = sequencer.entries;
  llvm::ArrayRef<Loop> time = all.drop_back(sequencer.packetEntries);
  llvm::ArrayRef<Loop> packet = all.take_back(sequencer.packetEntries);
  llvm::Expected<int64_t> packets = count("fetch", "packets", tripCount(time));
  if (!packets)
    return packets.takeError();
  llvm::Expected<int64_t> elements =
      count("fetch", "elements of a packet", tripCount(packet));
  if (!elements)
    return elements.takeError();
  if (*elements != fetch.packetElements)
    return trap("fetch", "a packet has " + Twine(fetch.packetElements) +
                             " elements, the packet entries walk " +
                             Twine(*elements));
  int64_t fromBits = getBitWidth(fetch.from), toBits = getBitWidth(fetch.to);
  if (llvm::Error error = multipleOf("fetch", "the size of a packet in bits",
                                     *elements * fromBits, 8))
    return error;
  plan.packets = *packets;
  plan.sourcePacketBytes = *elements * fromBits / 8;
  plan.streamPacketBytes = *elements * toBits / 8;
  // Nothing larger can hold different data, and a packet is buffered whole.
  if (llvm::Error error =
          between("fetch", "the size of a packet in bytes",
                  plan.sourcePacketBytes, 1, machine.dmBytesPerSlice))
    return error;
  if (llvm::Error error =
          multipleOf("fetch", "the size of an output packet",
                     *elements * toBits, machine.fetchAlignBytes * 8))
    return error;
  if (llvm::Error error = checkFetchAccess(*elements * fromBits))
    return error;
  if (fetch.mask)
    if (llvm::Error error = checkMask())
      return error;

  Extent bits = extentOf(all, 0, fromBits, fromBits);
  __int128 base = sequencer.baseAddress;
  Extent bytes{bits.begin < 0 ? base - (7 - bits.begin) / 8
                              : base + bits.begin / 8,
               base + (bits.end + 7) / 8};
  if (llvm::Error error =
          inside("fetch", bytes, "the DM of a slice", machine.dmBytesPerSlice))
    return error;
  plan.fetchBegin = static_cast<int64_t>(bytes.begin);
  plan.fetchEnd = static_cast<int64_t>(bytes.end);
  addAccess(Space::Dm, false, plan.fetchBegin, plan.fetchEnd);
  addStage("fetch",
           plan.packets * (plan.sourcePacketBytes / fetch.accessBytes));
  stream = fetch.to;
  return llvm::Error::success();
}

/// Elements of the innermost contiguous run: sizes are multiplied from the
/// innermost entry while the next stride continues the run (TCP, Fetch Engine,
/// contiguous_sram_access_size). `outer` receives the entries that do not.
static int64_t contiguousElements(llvm::ArrayRef<Loop> entries,
                                  llvm::ArrayRef<Loop> &outer) {
  int64_t run = 1;
  outer = entries;
  for (; !outer.empty() && run <= kMaxCount; outer = outer.drop_back()) {
    const Loop &entry = outer.back();
    if (entry.size == 1)
      continue;
    if (entry.stride != run)
      break;
    run *= entry.size;
  }
  return run;
}

llvm::Error ExecCheck::checkFetchAccess(int64_t packetBits) {
  const config::FetchStage &fetch = exec.fetch;
  int64_t fromBits = getBitWidth(fetch.from), toBits = getBitWidth(fetch.to);
  bool widensI4 = fetch.from == ElementType::I4 && fetch.to == ElementType::I32;
  llvm::ArrayRef<int64_t> allowed =
      isMain     ? machine.mainFetch.accessBytes
      : widensI4 ? llvm::ArrayRef<int64_t>(machine.subFetchI4ToI32Bytes)
                 : machine.subFetch.accessBytes;
  if (llvm::Error error =
          oneOf("fetch", "access size", fetch.accessBytes, allowed))
    return error;
  int64_t accessBits = fetch.accessBytes * 8;
  if (packetBits % accessBits)
    return trap("fetch", "access size is " + Twine(fetch.accessBytes) +
                             ", it must divide the packet of " +
                             Twine(packetBits / 8) + " bytes");
  llvm::ArrayRef<Loop> outer;
  int64_t runBits =
      contiguousElements(fetch.sequencer.entries, outer) * fromBits;
  if (runBits % accessBits)
    return trap("fetch", "access size is " + Twine(fetch.accessBytes) +
                             ", it must divide the contiguous run of " +
                             Twine(runBits / 8) + " bytes");
  if (accessBits / fromBits * toBits > machine.flitBytes * 8)
    return trap("fetch", "one access makes " +
                             Twine(accessBits / fromBits * toBits / 8) +
                             " bytes after the conversion, allowed are " +
                             Twine(machine.flitBytes));
  // Accesses start at whole bytes, which only i4 can miss.
  for (const Loop &entry : outer)
    if (entry.size > 1 && entry.stride % 8 * fromBits % 8)
      return trap("fetch", "stride is " + Twine(entry.stride) +
                               " elements of " + getName(fetch.from) +
                               ", it must be whole bytes");
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkMask() {
  const config::FetchMask &mask = *exec.fetch.mask;
  if (!isMain)
    return trap("fetch", "the sub context has no masking");
  int64_t timeEntries =
      exec.fetch.sequencer.entries.size() - exec.fetch.sequencer.packetEntries;
  for (int64_t loop : mask.lastLoops)
    if (llvm::Error error =
            between("fetch", "loop of the mask", loop, 0, timeEntries - 1))
      return error;
  return between("fetch", "valid count of the mask", mask.validCount, 0,
                 exec.fetch.packetElements);
}

/// All slices of every ring that has a slice in `mask`, of `slices` in all.
static std::vector<uint64_t> widenToRings(llvm::ArrayRef<uint64_t> mask,
                                          int64_t ring, int64_t slices) {
  std::vector<uint64_t> wide(llvm::divideCeil(slices, 64), 0);
  for (int64_t first = 0; first < slices; first += ring) {
    bool any = false;
    for (int64_t slice = first; slice < first + ring; ++slice)
      any |= takesPart(mask, slice);
    for (int64_t slice = first; any && slice < first + ring; ++slice)
      wide[slice / 64] |= uint64_t(1) << (slice % 64);
  }
  return wide;
}

/// What the functional model holds of one ring at a time, in bytes; far beyond
/// any stream whose cycles somebody would wait for.
static constexpr int64_t kMaxRingBytes = int64_t(1) << 30;

llvm::Error ExecCheck::checkBroadcast(const config::SwitchStage &stage) {
  constexpr StringRef name = "switch";
  for (auto [what, value] :
       {std::pair<StringRef, int64_t>{"slice1", stage.slice1},
        {"slice0", stage.slice0}})
    if (llvm::Error error =
            between(name, what, value, 1, machine.slicesPerCluster))
      return error;
  int64_t ring = stage.slice1 * stage.slice0;
  if (machine.slicesPerCluster % ring != 0)
    return trap(name,
                "a ring has " + Twine(ring) + " slices, it must divide the " +
                    Twine(machine.slicesPerCluster) + " slices of a cluster");
  if (llvm::Error error = between(name, "time0", stage.time0, 1, plan.packets))
    return error;
  if (plan.packets % stage.time0 != 0)
    return trap(name, "time0 is " + Twine(stage.time0) +
                          ", it must divide the " + Twine(plan.packets) +
                          " packets of a slice");
  // Every packet passes every slice of its ring (SWI-19).
  std::optional<int64_t> product =
      tripCount(std::initializer_list<Loop>{{plan.packets, 0}, {ring, 0}});
  llvm::Expected<int64_t> packets = count(name, "packets", product);
  if (!packets)
    return packets.takeError();
  plan.packets = *packets;
  std::optional<int64_t> flits = tripCount(std::initializer_list<Loop>{
      {plan.packets, 0},
      {static_cast<int64_t>(
           llvm::divideCeil(plan.streamPacketBytes, machine.flitBytes)),
       0}});
  llvm::Expected<int64_t> cycles = count(name, "flits", flits);
  if (!cycles)
    return cycles.takeError();
  if (*cycles > kMaxRingBytes / machine.flitBytes)
    return trap(name, "a ring passes on " + Twine(*cycles) +
                          " flits, the simulator takes at most " +
                          Twine(kMaxRingBytes / machine.flitBytes));
  addStage(name, *cycles);
  // The fetch reads in all slices of the ring, whoever takes part afterwards.
  plan.accesses.back().slices = widenToRings(
      exec.sliceMask, ring, machine.clustersPerChip * machine.slicesPerCluster);
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkCollect() {
  const config::CollectStage &collect = exec.collect;
  if (collect.packetBytes != plan.streamPacketBytes)
    return trap("collect", "packets have " + Twine(collect.packetBytes) +
                               " bytes, fetch delivers " +
                               Twine(plan.streamPacketBytes));
  int64_t flits = llvm::divideCeil(plan.streamPacketBytes, machine.flitBytes);
  if (collect.flitsPerPacket != flits)
    return trap("collect", "a packet makes " + Twine(collect.flitsPerPacket) +
                               " flits, " + Twine(plan.streamPacketBytes) +
                               " bytes need " + Twine(flits));
  std::optional<int64_t> product =
      tripCount(std::initializer_list<Loop>{{plan.packets, 0}, {flits, 0}});
  llvm::Expected<int64_t> total = count("collect", "flits", product);
  if (!total)
    return total.takeError();
  plan.flits = plan.outputFlits = *total;
  addStage("collect", plan.flits);
  return llvm::Error::success();
}
