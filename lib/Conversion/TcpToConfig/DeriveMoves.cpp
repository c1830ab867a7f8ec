//===- DeriveMoves.cpp - Transfers and DMA commands -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Derivation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

/// Several chips need collectives, which this model does not have.
static LogicalResult requireOneChip(Operation *op, const Mapping &chip) {
  if (chip.size() == 1)
    return success();
  return op->emitOpError() << "spreads the tensor over " << chip.size()
                           << " chips (\"" << chip.str()
                           << "\"), programs on one chip are supported";
}

/// Turns distances in elements into bytes. Two i4 share a byte, so a distance
/// of an odd number of them has no byte address.
namespace {
class ByteDistance {
public:
  ByteDistance(Operation *op, Type type)
      : op(op), type(type), bits(getBitWidth(*tcp::getElementKind(type))) {}

  FailureOr<int64_t> operator()(int64_t elements) const {
    int64_t total;
    if (llvm::MulOverflow(elements, bits, total))
      return op->emitOpError() << "moves by " << elements << " elements of "
                               << type << ", whose bits 64 bits cannot count";
    if (total % 8 == 0)
      return total / 8;
    return op->emitOpError() << "moves by " << elements << " elements of "
                             << type << ", which is no whole number of bytes";
  }

private:
  Operation *op;
  Type type;
  int64_t bits;
};
} // namespace

FailureOr<config::Transfer> derivation::deriveTransfer(
    Operation *op, tcp::HostType host, tcp::HbmType hbm, int64_t address,
    config::Transfer::Direction direction, int64_t index) {
  if (failed(requireOneChip(op, hbm.getChipMapping())))
    return failure();
  Mapping hostMapping = host.getElementMapping();
  Mapping hbmMapping = hbm.getElementMapping();
  // The host array is the one that may hold less (`M = 360`), so it is walked
  // in both directions.
  auto pair =
      reportAt(op, derivePair(AddressMap(hbmMapping), AddressMap(hostMapping)),
               "host transfer");
  if (failed(pair))
    return failure();

  config::Transfer transfer;
  transfer.direction = direction;
  transfer.argument = index;
  transfer.type = *tcp::getElementKind(hbm.getElementType());
  transfer.hostBase = pair->destinationBase;
  FailureOr<int64_t> base =
      ByteDistance(op, hbm.getElementType())(pair->sourceBase);
  if (failed(base))
    return failure();
  transfer.deviceAddress = address + *base;
  for (const PairedSequencer::Entry &entry : pair->entries)
    transfer.entries.push_back(
        {entry.size, entry.destinationStride, entry.sourceStride});

  // Positions that HBM holds and the host does not are zero; so is padding that
  // the mapping declares zero. Other padding keeps whatever was there.
  bool zeroPadding = llvm::any_of(hbmMapping.factors(), [](const Factor &f) {
    return f.padding == PaddingKind::Zero && f.valid < f.extent;
  });
  if (direction == config::Transfer::Direction::ToDevice &&
      (zeroPadding || hbmMapping.validSize() > hostMapping.validSize())) {
    transfer.zeroAddress = address;
    transfer.zeroBytes = hbm.getByteSize();
  }
  return transfer;
}

//===----------------------------------------------------------------------===//
// DMA
//===----------------------------------------------------------------------===//

/// The flat DM address space of a chip as the DMA engines see it: slices at a
/// fixed distance, clusters after one another. Strides in elements.
static AddressMap flatDm(tcp::DmType type, const TcpMachine &machine) {
  tcp::GridAttr grid = type.getGrid();
  int64_t slice = machine.dmSliceStride * 8 /
                  getBitWidth(*tcp::getElementKind(type.getElementType()));
  AddressMap map;
  map.append(grid.getClusterMapping(), slice * machine.slicesPerCluster);
  map.append(grid.getSliceMapping(), slice);
  map.append(type.getElementMapping(), 1);
  return map;
}

namespace {
/// Turns one paired sequencer into descriptors that each stay within the slices
/// of one engine.
class EngineSplitter {
public:
  EngineSplitter(const TcpMachine &machine, bool dmIsSource,
                 std::vector<config::DmaDescriptor> &descriptors)
      : machine(machine), dmIsSource(dmIsSource), descriptors(descriptors),
        span(machine.slicesPerEngine * machine.dmSliceStride) {}

  void run(config::DmaDescriptor descriptor) { split(descriptor, 0); }

private:
  /// Unrolls entries from `first` on that leave the span of one engine.
  void split(const config::DmaDescriptor &descriptor, size_t first) {
    for (size_t i = first; i < descriptor.entries.size(); ++i) {
      const config::DmaDescriptor::Entry &entry = descriptor.entries[i];
      int64_t stride =
          dmIsSource ? entry.sourceStride : entry.destinationStride;
      if (stride == 0 || entry.size <= span / stride)
        continue;
      // As many iterations as one engine's slices hold; all of them if the step
      // does not divide the span.
      int64_t group = stride < span && span % stride == 0 ? span / stride : 1;
      for (int64_t start = 0; start < entry.size; start += group) {
        config::DmaDescriptor part = descriptor;
        part.sourceAddress += start * entry.sourceStride;
        part.destinationAddress += start * entry.destinationStride;
        part.entries[i].size = std::min(group, entry.size - start);
        bool single = part.entries[i].size == 1;
        if (single)
          part.entries.erase(part.entries.begin() + i);
        split(part, single ? i : i + 1);
      }
      return;
    }
    config::DmaDescriptor done = descriptor;
    int64_t address = dmIsSource ? done.sourceAddress : done.destinationAddress;
    done.engine = address / span % machine.dmaEngines;
    descriptors.push_back(std::move(done));
  }

  const TcpMachine &machine;
  bool dmIsSource;
  std::vector<config::DmaDescriptor> &descriptors;
  int64_t span;
};
} // namespace

/// The common part of both directions; checks the alignment rules (DMA-03).
static FailureOr<config::DmaCommand>
deriveDma(Operation *op, const AddressMap &source,
          const AddressMap &destination, int64_t sourceAddress,
          int64_t destinationAddress, Type type, bool dmIsSource,
          const TcpMachine &machine) {
  auto pair = reportAt(op, derivePair(source, destination), "DMA");
  if (failed(pair))
    return failure();

  ByteDistance toBytes(op, type);
  // The innermost entry is the run itself, if there is one; it becomes the
  // packet.
  int64_t run = pair->contiguousElements;
  llvm::ArrayRef<PairedSequencer::Entry> loops = pair->entries;
  if (run > 1) {
    assert(loops.back().size == run && "run is the innermost entry");
    loops = loops.drop_back();
  }
  FailureOr<int64_t> packetBytes = toBytes(run);
  FailureOr<int64_t> sourceBase = toBytes(pair->sourceBase);
  FailureOr<int64_t> destinationBase = toBytes(pair->destinationBase);
  if (failed(packetBytes) || failed(sourceBase) || failed(destinationBase))
    return failure();
  config::DmaDescriptor whole;
  whole.packetBytes = *packetBytes;
  whole.sourceAddress = sourceAddress + *sourceBase;
  whole.destinationAddress = destinationAddress + *destinationBase;
  for (const PairedSequencer::Entry &loop : loops) {
    FailureOr<int64_t> sourceStride = toBytes(loop.sourceStride);
    FailureOr<int64_t> destinationStride = toBytes(loop.destinationStride);
    if (failed(sourceStride) || failed(destinationStride))
      return failure();
    whole.entries.push_back({loop.size, *sourceStride, *destinationStride});
  }
  if (whole.packetBytes > machine.dmaMaxPacketBytes) {
    // The largest part of an aligned run that is aligned itself.
    int64_t step = whole.packetBytes % machine.dmaAlignBytes == 0
                       ? machine.dmaAlignBytes
                       : 1;
    int64_t packet = machine.dmaMaxPacketBytes;
    while (whole.packetBytes % packet != 0)
      packet -= step;
    whole.entries.push_back({whole.packetBytes / packet, packet, packet});
    whole.packetBytes = packet;
  }
  if (!dmIsSource && whole.packetBytes % machine.dmaAlignBytes != 0)
    return op->emitOpError() << "has runs of " << whole.packetBytes
                             << " bytes that are consecutive on both sides, a "
                                "DMA packet from HBM "
                                "to DM is a multiple of "
                             << machine.dmaAlignBytes << " bytes";
  auto misaligned = [&](int64_t value) {
    return !dmIsSource && value % machine.dmaAlignBytes != 0;
  };
  if (misaligned(whole.sourceAddress) || misaligned(whole.destinationAddress))
    return op->emitOpError() << "moves from address " << whole.sourceAddress
                             << " to " << whole.destinationAddress
                             << ", HBM to DM addresses are multiples of "
                             << machine.dmaAlignBytes << " bytes";
  for (const config::DmaDescriptor::Entry &entry : whole.entries)
    if (misaligned(entry.sourceStride) || misaligned(entry.destinationStride))
      return op->emitOpError()
             << "steps by " << entry.sourceStride << " bytes in HBM and "
             << entry.destinationStride
             << " in DM, HBM to DM strides are multiples of "
             << machine.dmaAlignBytes << " bytes";
  if (whole.entries.size() > machine.dma.maxEntries)
    return op->emitOpError()
           << "needs " << whole.entries.size()
           << " loops for one DMA engine after merging, machine \""
           << machine.name << "\" has " << machine.dma.maxEntries;

  config::DmaCommand command;
  command.source = dmIsSource ? config::Memory::Dm : config::Memory::Hbm;
  command.destination = dmIsSource ? config::Memory::Hbm : config::Memory::Dm;
  EngineSplitter(machine, dmIsSource, command.descriptors).run(whole);
  return command;
}

FailureOr<config::DmaCommand>
derivation::deriveToDm(tcp::ToDmOp op, int64_t sourceAddress,
                       const TcpMachine &machine) {
  tcp::HbmType hbm = op.getInput().getType();
  tcp::DmType dm = op.getResult().getType();
  if (failed(requireOneChip(op, hbm.getChipMapping())) ||
      failed(requireOneChip(op, dm.getGrid().getChipMapping())))
    return failure();
  return deriveDma(op, AddressMap(hbm.getElementMapping()), flatDm(dm, machine),
                   sourceAddress, op.getAddress(), dm.getElementType(),
                   /*dmIsSource=*/false, machine);
}

FailureOr<config::DmaCommand>
derivation::deriveFromDm(tcp::ToHbmOp op, int64_t sourceAddress,
                         const TcpMachine &machine) {
  auto dm = cast<tcp::DmType>(op.getInput().getType());
  tcp::HbmType hbm = op.getResult().getType();
  if (failed(requireOneChip(op, hbm.getChipMapping())) ||
      failed(requireOneChip(op, dm.getGrid().getChipMapping())))
    return failure();
  return deriveDma(op, flatDm(dm, machine), AddressMap(hbm.getElementMapping()),
                   sourceAddress, op.getAddress(), dm.getElementType(),
                   /*dmIsSource=*/true, machine);
}
