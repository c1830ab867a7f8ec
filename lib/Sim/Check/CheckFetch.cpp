//===- CheckFetch.cpp - Checks of the fetch stage -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/ExecCheck.h"
#include "sequin/Machine/TcpIsa.h"

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
  if (isStreamOnly(fetch.from))
    return trap("fetch", "memories hold no " + getName(fetch.from));
  if (llvm::Error error = checkAdapter())
    return error;

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
  // Interleaved tensors take turns.
  if (!fetch.zeroPoints.empty())
    if (llvm::Error error = multipleOf("fetch", "the number of packets",
                                       plan.packets, fetch.zeroPoints.size()))
      return error;
  if (fetch.mask)
    if (llvm::Error error = checkMask())
      return error;

  if (llvm::Error error = checkFetchRange())
    return error;
  int64_t perCycle = fetch.dualChannel ? machine.dualChannelAccesses : 1;
  addStage("fetch",
           plan.packets * llvm::divideCeil(fetch.fetchesPerPacket, perCycle));
  plan.alsoSub = fetch.dualChannel;
  stream = fetch.to;
  return llvm::Error::success();
}

/// The stages of the adapter behind masking.
llvm::Error ExecCheck::checkAdapter() {
  const config::FetchStage &fetch = exec.fetch;
  if (fetch.dualChannel && !isMain)
    return trap("fetch", "dual-channel mode belongs to the main context");
  ElementType castFrom = fetch.from;
  if (fetch.table) {
    if (!isMain)
      return trap("fetch", "the sub context has no table indexing");
    unsigned bits = getBitWidth(fetch.from);
    if (bits > tcp_isa::kTableIndexBits)
      return trap("fetch", "a table is indexed by elements of at most " +
                               Twine(tcp_isa::kTableIndexBits) +
                               " bits, not by " + getName(fetch.from));
    int64_t entries = int64_t(1) << bits;
    if (static_cast<int64_t>(fetch.table->values.size()) != entries)
      return trap("fetch", "the table has " +
                               Twine(fetch.table->values.size()) +
                               " entries, elements of " + getName(fetch.from) +
                               " index " + Twine(entries));
    castFrom = fetch.table->type;
    if (isStreamOnly(castFrom))
      return trap("fetch", "the table holds " + getName(castFrom) +
                               ", which no memory does");
  }
  if (!machine.canFetchCast(castFrom, fetch.to))
    return trap("fetch", "machine '" + machine.name + "' cannot convert " +
                             getName(castFrom) + " to " + getName(fetch.to));
  bool contracts =
      exec.contract || std::holds_alternative<config::ToTrfStage>(exec.sink);
  if (isStreamOnly(fetch.to) && !contracts)
    return trap("fetch", "a stream of " + getName(fetch.to) +
                             " is for the contraction engine or the TRF, and "
                             "the pass has neither");
  if (castFrom != fetch.to)
    fillCycles += machine.fetchCastFillCycles;

  // Zero points (SIL-24).
  if (fetch.zeroPoints.empty())
    return llvm::Error::success();
  if (llvm::Error error =
          between("fetch", "number of zero points", fetch.zeroPoints.size(), 1,
                  tcp_isa::kInterleavedTensors))
    return error;
  int64_t bits = getValueBits(fetch.to);
  if (isFloat(fetch.to) || bits <= getValueBits(castFrom))
    return trap("fetch", "zero points need a conversion to a wider integer, "
                         "found " +
                             getName(castFrom) + " to " + getName(fetch.to));
  int64_t limit = int64_t(1) << (bits - 1);
  for (int64_t point : fetch.zeroPoints)
    if (llvm::Error error =
            between("fetch", "zero point", point, -limit, limit - 1))
      return error;
  return llvm::Error::success();
}

/// The bytes that the sequencer may read.
llvm::Error ExecCheck::checkFetchRange() {
  const config::Sequencer &sequencer = exec.fetch.sequencer;
  int64_t bits = getBitWidth(exec.fetch.from);
  auto bytesOf = [&](llvm::ArrayRef<Loop> loops, __int128 firstBit) {
    Extent extent = extentOf(loops, 0, bits, bits);
    extent.begin += firstBit;
    extent.end += firstBit;
    __int128 base = sequencer.baseAddress;
    return Extent{extent.begin < 0 ? base - (7 - extent.begin) / 8
                                   : base + extent.begin / 8,
                  base + (extent.end + 7) / 8};
  };
  Extent whole = bytesOf(sequencer.entries, 0);
  if (llvm::Error error =
          inside("fetch", whole, "the DM of a slice", machine.dmBytesPerSlice))
    return error;
  plan.fetchBegin = static_cast<int64_t>(whole.begin);
  plan.fetchEnd = static_cast<int64_t>(whole.end);

  // A loop that steps over everything inside it, as one between two tensors
  // does, touches separate ranges.
  constexpr int64_t kMostRanges = 8;
  llvm::SmallVector<Loop, 8> inner(sequencer.entries);
  auto far = llvm::max_element(inner, [](const Loop &a, const Loop &b) {
    return (a.size > 1 ? std::abs(a.stride) : 0) <
           (b.size > 1 ? std::abs(b.stride) : 0);
  });
  if (far == inner.end()) {
    addAccess(Space::Dm, false, plan.fetchBegin, plan.fetchEnd);
    return llvm::Error::success();
  }
  Loop step = *far;
  inner.erase(far);
  Extent part = bytesOf(inner, 0);
  __int128 stepBits = static_cast<__int128>(step.stride) * bits;
  bool separate =
      step.size > 1 && step.size <= kMostRanges &&
      (stepBits < 0 ? -stepBits : stepBits) / 8 > part.end - part.begin;
  if (!separate) {
    addAccess(Space::Dm, false, plan.fetchBegin, plan.fetchEnd);
    return llvm::Error::success();
  }
  for (int64_t i = 0; i < step.size; ++i) {
    Extent range = bytesOf(inner, i * stepBits);
    addAccess(Space::Dm, false, static_cast<int64_t>(range.begin),
              static_cast<int64_t>(range.end));
  }
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
  if (packetBits / accessBits != fetch.fetchesPerPacket)
    return trap("fetch", "a packet is batched from " +
                             Twine(fetch.fetchesPerPacket) + " accesses of " +
                             Twine(fetch.accessBytes) + " bytes, its " +
                             Twine(packetBits / 8) + " bytes need " +
                             Twine(packetBits / accessBits));
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
  llvm::ArrayRef<Loop> all = exec.fetch.sequencer.entries;
  if (!isMain)
    return trap("fetch", "the sub context has no masking");
  if (plan.sourcePacketBytes > machine.fetchMaskBytes)
    return trap("fetch", "packets of " + Twine(plan.sourcePacketBytes) +
                             " bytes are masked, allowed are " +
                             Twine(machine.fetchMaskBytes));
  if (exec.fetch.sequencer.packetEntries == 0)
    return trap("fetch", "the mask needs a packet entry");
  int64_t dims = static_cast<int64_t>(all.size()) - 1;
  if (llvm::Error error =
          between("fetch", "last_dim of the mask", mask.lastDim, 0, dims - 1))
    return error;
  int64_t counts = 1;
  if (mask.countDim) {
    if (llvm::Error error =
            between("fetch", "last_dim_rightmost_valid_count_dim of the mask",
                    *mask.countDim, 0, dims - 1))
      return error;
    counts = all[*mask.countDim].size;
    if (llvm::Error error =
            between("fetch", "size of the entry with valid counts", counts, 1,
                    machine.fetchMaskCounts))
      return error;
  }
  if (static_cast<int64_t>(mask.validCounts.size()) != counts)
    return trap("fetch", "the mask has " + Twine(mask.validCounts.size()) +
                             " valid counts, it needs " + Twine(counts));
  int64_t dim0 = all.back().size;
  if (llvm::Error error =
          between("fetch", "left_pad of the mask", mask.leftPad, 0, dim0 - 1))
    return error;
  // As many elements as the largest packet less one (FET-13).
  int64_t most = std::min(
      dim0, machine.fetchMaskBytes * 8 / getBitWidth(exec.fetch.from) - 1);
  for (int64_t valid : mask.validCounts)
    if (llvm::Error error =
            between("fetch", "valid count of the mask", valid, 0, most))
      return error;
  return llvm::Error::success();
}
