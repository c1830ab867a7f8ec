//===- SplitTransfers.cpp - Transfers as descriptors of engines -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops over all chips are cut into descriptors that each stay on one chip
// and, where data memory is involved, within the slices of one engine, and get
// a packet. A move that states its streams keeps their order; otherwise it
// follows HBM, and packets alternate between the two networks of an engine
// (TCP, DMA Engine, Implementation Details). Engines that read the same bytes
// many times begin in different bank groups.
//
//===----------------------------------------------------------------------===//

#include "DmaSides.h"
#include "Walks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;
using config::DmaDescriptor;
using config::DmaIndirection;
using config::Memory;

/// Descriptors of one operation.
static constexpr size_t kMostDrafts = 1 << 16;

namespace {

/// A descriptor on its way: addresses are relative to the tensors, those of all
/// chips side by side.
struct Draft {
  DmaDescriptor descriptor;
  /// Parallel to the descriptor's entries; bytes and stream positions.
  llvm::SmallVector<int64_t, 8> index, stream;
  int64_t indexAddress = 0;
  int64_t streamPosition = 0;

  void select(size_t entry, int64_t start, int64_t size) {
    DmaDescriptor::Entry &loop = descriptor.entries[entry];
    descriptor.sourceAddress += start * loop.sourceStride;
    descriptor.destinationAddress += start * loop.destinationStride;
    indexAddress += start * index[entry];
    streamPosition += start * stream[entry];
    loop.size = size;
    if (size == 1)
      erase(entry);
  }
  void erase(size_t entry) {
    descriptor.entries.erase(descriptor.entries.begin() + entry);
    index.erase(index.begin() + entry);
    stream.erase(stream.begin() + entry);
  }
  void insert(size_t place, const DmaDescriptor::Entry &entry,
              int64_t indexStride, int64_t streamStride) {
    descriptor.entries.insert(descriptor.entries.begin() + place, entry);
    index.insert(index.begin() + place, indexStride);
    stream.insert(stream.begin() + place, streamStride);
  }
  /// Makes entry `i` two, the inner one of `inner` iterations.
  void split(size_t i, int64_t inner) {
    DmaDescriptor::Entry &loop = descriptor.entries[i];
    DmaDescriptor::Entry in = loop;
    in.size = inner;
    loop.size /= inner;
    loop.sourceStride *= inner;
    loop.destinationStride *= inner;
    int64_t indexStride = index[i], streamStride = stream[i];
    index[i] *= inner;
    stream[i] *= inner;
    insert(i + 1, in, indexStride, streamStride);
  }
};

class TransferSplitter {
public:
  TransferSplitter(Operation *op, const TcpMachine &machine);

  LogicalResult add(stream::TransferAttr transfer, unsigned number);
  FailureOr<SmallVector<Attribute>> take();

private:
  FailureOr<Draft> toDraft(stream::TransferAttr transfer);
  LogicalResult checkAlignment(const Draft &draft);
  LogicalResult choosePacket(const Draft &draft, int64_t run);
  void splitChips(const Draft &draft, size_t first);
  void splitEngines(const Draft &draft, size_t first);
  void followHbm(Draft &draft) const;
  void alternateNetworks(Draft &draft);
  void alternateBankGroups();
  LogicalResult limitSizes(Draft draft, size_t first);
  LogicalResult finish(Draft draft);

  bool hasDm() const { return source == Memory::Dm || toDm(); }
  bool toDm() const { return destination == Memory::Dm; }
  bool fromHbmToDm() const { return source == Memory::Hbm && toDm(); }
  /// Whose slices decide about the engine.
  bool enginesOfSource() const { return source == Memory::Dm; }

  Operation *op;
  const TcpMachine &machine;
  DmaEnds ends;
  Memory source, destination;
  ByteDistance toBytes;
  std::vector<Draft> drafts; ///< each on one chip and engine
  bool crossesChips;
  std::vector<DmaDescriptor> descriptors;
  std::optional<DmaIndirection> indirection;
  /// Of a stated stream: positions that one engine walks, engines of a cluster
  /// and clusters of a chip, and the packet.
  struct Stated {
    int64_t positions, slices, clusters;
    int64_t packet; ///< positions
  };
  std::optional<Stated> stated;
};

} // namespace

TransferSplitter::TransferSplitter(Operation *op, const TcpMachine &machine)
    : op(op), machine(machine), ends(getDmaEnds(op)),
      source(getMemory(ends.source)), destination(getMemory(ends.destination)),
      toBytes(op, ends.element),
      crossesChips(!ends.isPerChip && !ends.indices &&
                   describeChips(ends.source, machine) !=
                       describeChips(ends.destination, machine)) {}

/// Bytes instead of elements; the longest run that is contiguous on both sides
/// is no loop any more.
FailureOr<Draft> TransferSplitter::toDraft(stream::TransferAttr transfer) {
  DmaLoops loops = readTransfer(transfer, stated.has_value());
  Draft draft;
  auto bytes = [&](int64_t elements, int64_t &result) -> LogicalResult {
    FailureOr<int64_t> value = toBytes(elements);
    if (failed(value))
      return failure();
    result += *value;
    return success();
  };
  DmaDescriptor &descriptor = draft.descriptor;
  if (failed(bytes(loops.sourceBase, descriptor.sourceAddress)) ||
      failed(bytes(loops.destinationBase, descriptor.destinationAddress)))
    return failure();
  draft.streamPosition = loops.streamBase;
  draft.indexAddress = loops.indexBase * machine.dmaIndexBytes;

  // The longest run that is contiguous on both sides, however many loops it is
  // written in, is moved in one piece.
  llvm::ArrayRef<DmaLoops::Loop> outer = loops.loops;
  int64_t run = 1;
  while (!outer.empty() && outer.back().source == run &&
         outer.back().destination == run && outer.back().index == 0 &&
         (!stated || run * outer.back().size <= stated->packet)) {
    run *= outer.back().size;
    outer = outer.drop_back();
  }
  if (failed(bytes(run, descriptor.packetBytes)))
    return failure();
  for (const DmaLoops::Loop &loop : outer) {
    DmaDescriptor::Entry entry{loop.size, 0, 0};
    if (failed(bytes(loop.source, entry.sourceStride)) ||
        failed(bytes(loop.destination, entry.destinationStride)))
      return failure();
    descriptor.entries.push_back(entry);
    draft.index.push_back(loop.index * machine.dmaIndexBytes);
    draft.stream.push_back(loop.stream);
  }
  return draft;
}

/// DMA-03: HBM to DM in whole words on both sides, writes to DM on theirs; here
/// of what does not depend on the addresses.
LogicalResult TransferSplitter::checkAlignment(const Draft &draft) {
  const DmaDescriptor &descriptor = draft.descriptor;
  int64_t align = machine.dmaAlignBytes;
  bool both = fromHbmToDm();
  if (!both && !toDm())
    return success();
  if (descriptor.packetBytes % align != 0)
    return op->emitOpError() << "has runs of " << descriptor.packetBytes
                             << " bytes that are consecutive on both sides, a "
                                "DMA packet "
                             << (both ? "from HBM to DM" : "to DM")
                             << " is a multiple of " << align << " bytes";
  for (const DmaDescriptor::Entry &entry : descriptor.entries)
    if ((both && entry.sourceStride % align != 0) ||
        entry.destinationStride % align != 0)
      return op->emitOpError()
             << "steps by " << entry.sourceStride << " bytes in "
             << (both ? "HBM" : "the source") << " and "
             << entry.destinationStride << " in DM, "
             << (both ? "HBM to DM" : "DM destination")
             << " strides are multiples of " << align << " bytes";
  return success();
}

/// Packets of at most the limit: a divisor of the run, or, where that makes far
/// more requests than a second descriptor's start-up costs, most of the run and
/// the rest (DMA-06).
LogicalResult TransferSplitter::choosePacket(const Draft &draft, int64_t run) {
  int64_t limit = machine.dmaMaxPacketBytes;
  if (run <= limit) {
    splitChips(draft, 0);
    return success();
  }
  // The largest part of whole requests, or else one that is aligned as the run
  // is. A packet that ends inside a unit of HBM writes that one in two parts
  // (MEM-14).
  int64_t unit = machine.hbm.unitBytes;
  bool writesUnits =
      destination == Memory::Hbm && !machine.hbm.mergesPartialWrites;
  int64_t step = run % machine.dmaRequestBytes == 0 ? machine.dmaRequestBytes
                 : writesUnits && run % unit == 0   ? unit
                 : run % machine.dmaAlignBytes == 0 ? machine.dmaAlignBytes
                                                    : 1;
  int64_t packet = limit;
  while (run % packet != 0)
    packet -= step;
  auto requests = [&](int64_t bytes) {
    int64_t partial =
        writesUnits && bytes % unit != 0 ? machine.hbm.partialWriteFactor : 0;
    return llvm::divideCeil(bytes, machine.dmaRequestBytes) + partial;
  };
  int64_t packets = 1;
  for (const DmaDescriptor::Entry &entry : draft.descriptor.entries)
    packets = llvm::SaturatingMultiply<uint64_t>(packets, entry.size);
  uint64_t inOne = llvm::SaturatingMultiply<uint64_t>(
      packets, run / packet * requests(packet));
  int64_t head = run / limit * limit;
  uint64_t inTwo = llvm::SaturatingMultiply<uint64_t>(
                       packets, requests(head) + requests(run - head)) +
                   machine.dmaStartupCycles;
  auto withPacket = [&](int64_t offset, int64_t bytes, int64_t size) {
    Draft part = draft;
    DmaDescriptor &descriptor = part.descriptor;
    descriptor.sourceAddress += offset;
    descriptor.destinationAddress += offset;
    descriptor.packetBytes = size;
    if (bytes > size)
      part.insert(descriptor.entries.size(), {bytes / size, size, size}, 0, 0);
    splitChips(part, 0);
  };
  if (inTwo < inOne) {
    withPacket(0, head, limit);
    withPacket(head, run - head, run - head);
  } else {
    withPacket(0, run, packet);
  }
  return success();
}

/// Unrolls the entries that go from chip to chip.
void TransferSplitter::splitChips(const Draft &draft, size_t first) {
  if (drafts.size() > kMostDrafts)
    return;
  for (size_t i = first; i < draft.descriptor.entries.size(); ++i) {
    const DmaDescriptor::Entry &entry = draft.descriptor.entries[i];
    if (entry.sourceStride < kChipSpan && entry.destinationStride < kChipSpan)
      continue;
    for (int64_t start = 0; start < entry.size; ++start) {
      Draft part = draft;
      part.select(i, start, 1);
      splitChips(part, i);
    }
    return;
  }
  Draft done = draft;
  DmaDescriptor &descriptor = done.descriptor;
  descriptor.sourceChip = descriptor.sourceAddress / kChipSpan;
  descriptor.destinationChip = descriptor.destinationAddress / kChipSpan;
  descriptor.sourceAddress %= kChipSpan;
  descriptor.destinationAddress %= kChipSpan;
  splitEngines(done, 0);
}

/// Unrolls the entries that leave what one engine does.
void TransferSplitter::splitEngines(const Draft &draft, size_t first) {
  if (drafts.size() > kMostDrafts)
    return;
  const DmaDescriptor &descriptor = draft.descriptor;
  if (stated) {
    for (size_t i = first; i < descriptor.entries.size(); ++i) {
      if (draft.stream[i] < stated->positions)
        continue;
      for (int64_t start = 0, end = descriptor.entries[i].size; start < end;
           ++start) {
        Draft part = draft;
        part.select(i, start, 1);
        splitEngines(part, i);
      }
      return;
    }
    Draft done = draft;
    int64_t engine = draft.streamPosition / stated->positions;
    int64_t inCluster = engine % stated->slices;
    int64_t cluster = engine / stated->slices % stated->clusters;
    int64_t perCluster = machine.dmaEngines / machine.clustersPerChip;
    // Data memory has an engine of its own, which is the one that the manual's
    // streams name.
    if (hasDm())
      done.descriptor.engine =
          (enginesOfSource() ? descriptor.sourceAddress
                             : descriptor.destinationAddress) /
          (machine.slicesPerEngine * machine.dmSliceStride) %
          machine.dmaEngines;
    else
      done.descriptor.engine =
          (cluster * perCluster + inCluster) % machine.dmaEngines;
    drafts.push_back(std::move(done));
    return;
  }
  if (!hasDm() && crossesChips) {
    // A link is slower than an engine, so each gets an engine of its own and
    // pays for one start-up.
    Draft done = draft;
    done.descriptor.engine = descriptor.destinationChip % machine.dmaEngines;
    drafts.push_back(std::move(done));
    return;
  }
  if (!hasDm()) {
    // Any engine does; the outermost loop is dealt out.
    size_t i = 0;
    int64_t size = descriptor.entries.empty() ? 1 : descriptor.entries[i].size;
    int64_t engines = std::min(size, machine.dmaEngines);
    int64_t start = 0;
    for (int64_t engine = 0; engine < engines; ++engine) {
      int64_t count = (size - start) / (engines - engine);
      Draft part = draft;
      if (size > 1)
        part.select(i, start, count);
      part.descriptor.engine = engine;
      start += count;
      drafts.push_back(std::move(part));
    }
    return;
  }
  int64_t span = machine.slicesPerEngine * machine.dmSliceStride;
  for (size_t i = first; i < descriptor.entries.size(); ++i) {
    const DmaDescriptor::Entry &entry = descriptor.entries[i];
    int64_t stride =
        enginesOfSource() ? entry.sourceStride : entry.destinationStride;
    if (stride == 0 || entry.size <= span / stride)
      continue;
    // As many iterations as one engine's slices hold; all of them if the step
    // does not divide the span.
    int64_t group = stride < span && span % stride == 0 ? span / stride : 1;
    for (int64_t start = 0; start < entry.size; start += group) {
      int64_t size = std::min(group, entry.size - start);
      Draft part = draft;
      part.select(i, start, size);
      splitEngines(part, size == 1 ? i : i + 1);
    }
    return;
  }
  Draft done = draft;
  int64_t address = enginesOfSource() ? descriptor.sourceAddress
                                      : descriptor.destinationAddress;
  done.descriptor.engine = address / span % machine.dmaEngines;
  followHbm(done);
  alternateNetworks(done);
  drafts.push_back(std::move(done));
}

/// Walks HBM by ascending addresses: each of its rows is opened once (MEM-15),
/// and parts of a unit that are written meet in the queue of a machine that
/// merges them. What is read several times comes again when another bank group
/// has had its turn.
void TransferSplitter::followHbm(Draft &draft) const {
  bool reads = source == Memory::Hbm;
  if (!reads && destination != Memory::Hbm)
    return;
  const auto &entries = draft.descriptor.entries;
  int64_t again = machine.hbm.unitBytes * machine.hbm.channels() * 2;
  auto distance = [&](size_t i) {
    int64_t stride = std::abs(reads ? entries[i].sourceStride
                                    : entries[i].destinationStride);
    return stride == 0 ? again : stride;
  };
  SmallVector<size_t, 8> order =
      llvm::to_vector<8>(llvm::seq<size_t>(0, entries.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(-distance(a), a) < std::pair(-distance(b), b);
  });
  Draft sorted = draft;
  for (auto [to, from] : llvm::enumerate(order)) {
    sorted.descriptor.entries[to] = entries[from];
    sorted.index[to] = draft.index[from];
    sorted.stream[to] = draft.stream[from];
  }
  draft = std::move(sorted);
}

/// A network takes more than a cycle for a large request, so requests go to the
/// engine's two networks in turn (DMA-15): the loop over networks becomes the
/// innermost one. DM to HBM is slower anyway (ERR-36).
void TransferSplitter::alternateNetworks(Draft &draft) {
  DmaDescriptor &descriptor = draft.descriptor;
  if (descriptor.packetBytes <= machine.dmnBytesPerCycle ||
      destination == Memory::Hbm)
    return;
  int64_t request = machine.dmaRequestBytes;
  bool cut = descriptor.packetBytes > request;
  if (cut && descriptor.packetBytes % request != 0)
    return;
  int64_t network = machine.slicesPerDmn * machine.dmSliceStride;
  for (size_t i = 0; i < descriptor.entries.size(); ++i) {
    DmaDescriptor::Entry entry = descriptor.entries[i];
    int64_t stride =
        enginesOfSource() ? entry.sourceStride : entry.destinationStride;
    if (stride < machine.dmSliceStride || network % stride != 0 ||
        entry.size != 2 * (network / stride))
      continue;
    Draft changed = draft;
    auto &entries = changed.descriptor.entries;
    if (entry.size > 2)
      changed.split(i, entry.size / 2);
    DmaDescriptor::Entry pair = entries[i];
    int64_t index = changed.index[i];
    changed.erase(i);
    if (cut) {
      int64_t packet = descriptor.packetBytes, count = packet / request;
      // The packets themselves may follow each other.
      if (!entries.empty() && entries.back().sourceStride == packet &&
          entries.back().destinationStride == packet &&
          changed.index.back() == 0) {
        count *= entries.back().size;
        changed.erase(entries.size() - 1);
      }
      changed.insert(entries.size(), {count, request, request}, 0, 0);
      changed.descriptor.packetBytes = request;
    }
    changed.insert(entries.size(), pair, index, 0);
    if (entries.size() <= machine.dma.maxEntries)
      draft = std::move(changed);
    return;
  }
}

/// Takes the parts of HBM that a loop goes over in pairs, the second one first:
/// parts that are an odd number of `bytes` apart, as few as there are.
static void swapBankGroups(Draft &draft, int64_t bytes, size_t maxEntries) {
  const auto &entries = draft.descriptor.entries;
  struct Pairs {
    int64_t distance = 0;
    int64_t inner = 1; ///< iterations of the loop in a part
    size_t entry = 0;
  };
  std::optional<Pairs> best;
  for (auto [i, entry] : llvm::enumerate(entries))
    for (int64_t inner = 1;
         entry.sourceStride > 0 && entry.size % (2 * inner) == 0; inner *= 2)
      if (int64_t distance = entry.sourceStride * inner;
          distance % (2 * bytes) == bytes &&
          (!best || distance < best->distance))
        best = {distance, inner, i};
  if (!best)
    return;
  Draft swapped = draft;
  size_t place = best->entry;
  if (best->inner > 1)
    swapped.split(place, best->inner);
  if (swapped.descriptor.entries[place].size > 2)
    swapped.split(place++, 2);
  DmaDescriptor &descriptor = swapped.descriptor;
  if (descriptor.entries.size() > maxEntries)
    return;
  DmaDescriptor::Entry &pair = descriptor.entries[place];
  descriptor.sourceAddress += pair.sourceStride;
  descriptor.destinationAddress += pair.destinationStride;
  pair.sourceStride = -pair.sourceStride;
  pair.destinationStride = -pair.destinationStride;
  draft = std::move(swapped);
}

/// A unit that is read so often that the queue of its channel holds nothing
/// else keeps one bank group busy, at half of the rate (TCP, Column-to-Column
/// Delay). The other bank group has the next unit of the channel, behind one of
/// every channel; so of the engines that read the same, every other one is
/// there.
void TransferSplitter::alternateBankGroups() {
  if (!fromHbmToDm() || stated || indirection)
    return;
  const HbmModel &hbm = machine.hbm;
  int64_t queued = hbm.queueEntries * hbm.controllerBytes / hbm.unitBytes;
  // Engines by what they read, and in which order.
  auto keyOf = [](const DmaDescriptor &descriptor) {
    SmallVector<int64_t, 16> key{descriptor.sourceChip,
                                 descriptor.sourceAddress,
                                 descriptor.packetBytes};
    for (const DmaDescriptor::Entry &entry : descriptor.entries)
      llvm::append_values(key, entry.size, entry.sourceStride);
    return key;
  };
  std::map<SmallVector<int64_t, 16>, llvm::SmallSetVector<int64_t, 8>> engines;
  for (const Draft &draft : drafts)
    engines[keyOf(draft.descriptor)].insert(draft.descriptor.engine);
  for (Draft &draft : drafts) {
    const auto &readers = engines[keyOf(draft.descriptor)];
    int64_t reads = static_cast<int64_t>(readers.size());
    for (const DmaDescriptor::Entry &entry : draft.descriptor.entries)
      if (entry.sourceStride == 0)
        reads *= entry.size;
    int64_t place =
        llvm::find(readers, draft.descriptor.engine) - readers.begin();
    if (reads >= queued && place % 2 != 0)
      swapBankGroups(draft, hbm.unitBytes * hbm.channels(),
                     machine.dma.maxEntries);
  }
}

/// Entries above the largest size become two, or are done in two descriptors.
LogicalResult TransferSplitter::limitSizes(Draft draft, size_t first) {
  int64_t limit = machine.dma.maxSize;
  for (size_t i = first; i < draft.descriptor.entries.size(); ++i) {
    int64_t size = draft.descriptor.entries[i].size;
    if (size <= limit)
      continue;
    int64_t inner = limit;
    while (size % inner != 0)
      --inner;
    if (size / inner <= limit) {
      draft.split(i, inner);
      return limitSizes(std::move(draft), i);
    }
    int64_t head = size / limit * limit;
    Draft tail = draft;
    draft.select(i, 0, head);
    tail.select(i, head, size - head);
    return success(succeeded(limitSizes(std::move(draft), i)) &&
                   succeeded(limitSizes(std::move(tail), i)));
  }
  return finish(std::move(draft));
}

LogicalResult TransferSplitter::finish(Draft draft) {
  DmaDescriptor &descriptor = draft.descriptor;
  if (descriptor.entries.size() > machine.dma.maxEntries)
    return op->emitOpError()
           << "needs " << descriptor.entries.size()
           << " loops for one DMA engine after merging, machine \""
           << machine.name << "\" has " << machine.dma.maxEntries;
  if (indirection) {
    descriptor.indirection = indirection;
    descriptor.indirection->chip = draft.indexAddress / kChipSpan;
    descriptor.indirection->address += draft.indexAddress % kChipSpan;
    descriptor.indirection->strides.assign(draft.index.begin(),
                                           draft.index.end());
  }
  descriptors.push_back(std::move(descriptor));
  return success();
}

LogicalResult TransferSplitter::add(stream::TransferAttr transfer,
                                    unsigned number) {
  stated.reset();
  if (ends.streams) {
    auto stream = cast<tcp::DmaStreamAttr>(ends.streams[number]);
    AxisSizes table = ends.axes.getTable();
    auto sizeOf = [&](stream::MappingAttr mapping) {
      return llvm::cantFail(mapping.resolve(table)).size();
    };
    int64_t packet = sizeOf(stream.getPacket());
    stated = {packet * sizeOf(stream.getTime()), sizeOf(stream.getSlice()),
              sizeOf(stream.getCluster()), packet};
  }
  indirection.reset();
  if (ends.indices) {
    FailureOr<int64_t> step = toBytes(transfer.getStep());
    if (failed(step))
      return failure();
    bool gathers = ends.indexedSide == DmaIndirection::Side::Source;
    if (toDm() && (fromHbmToDm() || !gathers) &&
        *step % machine.dmaAlignBytes != 0)
      return op->emitOpError() << "steps by " << *step
                               << " bytes per index, allowed are multiples of "
                               << machine.dmaAlignBytes;
    indirection.emplace();
    indirection->side = ends.indexedSide;
    indirection->step = *step;
    indirection->count = ends.indexCount;
  }
  FailureOr<Draft> draft = toDraft(transfer);
  if (failed(draft) || failed(checkAlignment(*draft)))
    return failure();
  return choosePacket(*draft, draft->descriptor.packetBytes);
}

FailureOr<SmallVector<Attribute>> TransferSplitter::take() {
  if (drafts.size() > kMostDrafts)
    return op->emitOpError()
           << "needs more than " << kMostDrafts << " DMA descriptors";
  alternateBankGroups();
  for (Draft &draft : drafts)
    if (failed(limitSizes(std::move(draft), 0)))
      return failure();
  SmallVector<Attribute> attrs;
  for (DmaDescriptor &descriptor : descriptors)
    attrs.push_back(
        tcp::DescriptorAttr::get(op->getContext(), std::move(descriptor)));
  return attrs;
}

FailureOr<SmallVector<Attribute>>
derivation::splitTransfers(Operation *op, ArrayRef<Attribute> transfers,
                           const TcpMachine &machine) {
  TransferSplitter splitter(op, machine);
  ArrayAttr streams = getDmaEnds(op).streams;
  if (streams && transfers.size() != streams.size())
    return op->emitOpError() << "has " << transfers.size() << " transfers for "
                             << streams.size() << " streams";
  for (auto [number, transfer] : llvm::enumerate(transfers))
    if (failed(splitter.add(cast<stream::TransferAttr>(transfer), number)))
      return failure();
  return splitter.take();
}
