//===- DeriveMoves.cpp - Transfers and DMA commands -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DmaSides.h"
#include "sequin/Dialect/Tcp/IR/TcpConfigValue.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

FailureOr<int64_t> ByteDistance::operator()(int64_t elements) const {
  int64_t total;
  if (llvm::MulOverflow(elements, bits, total))
    return op->emitOpError() << "moves by " << elements << " elements of "
                             << type << ", whose bits 64 bits cannot count";
  if (total % 8 == 0)
    return total / 8;
  return op->emitOpError() << "moves by " << elements << " elements of " << type
                           << ", which is no whole number of bytes";
}

namespace {
/// The digits of a chip mapping that the host array does not tell apart: every
/// combination of them holds a copy.
struct Copies {
  llvm::SmallVector<int64_t> chips = {0};
};
} // namespace

static Copies copiesOver(const Mapping &chip, const Mapping &host) {
  auto named = [&](const Factor &factor) {
    return llvm::any_of(host.factors(), [&](const Factor &other) {
      return other.base == factor.base ||
             (other.composite && StringRef(other.base).contains(factor.base));
    });
  };
  Copies copies;
  int64_t stride = chip.size();
  for (const Factor &factor : chip.factors()) {
    stride /= factor.extent;
    bool repeats = factor.kind == Factor::Kind::Broadcast ? factor.valid > 1
                                                          : !named(factor);
    if (!repeats)
      continue;
    llvm::SmallVector<int64_t> more;
    for (int64_t base : copies.chips)
      for (int64_t i = 0; i < factor.valid; ++i)
        more.push_back(base + (factor.first + i) * stride);
    copies.chips = std::move(more);
  }
  return copies;
}

/// One transfer per chip: entries that walk chips are unrolled.
static void splitChips(const config::Transfer &transfer, int64_t chipStride,
                       std::vector<config::Transfer> &result) {
  for (size_t i = 0; i < transfer.entries.size(); ++i) {
    const config::Transfer::Entry &entry = transfer.entries[i];
    if (entry.size == 1 || entry.deviceStride < chipStride)
      continue;
    for (int64_t step = 0; step < entry.size; ++step) {
      config::Transfer part = transfer;
      part.hostBase += step * entry.hostStride;
      part.chip += step * (entry.deviceStride / chipStride);
      part.entries.erase(part.entries.begin() + i);
      splitChips(part, chipStride, result);
    }
    return;
  }
  result.push_back(transfer);
}

/// Runs of positions of an axis.
using Runs = llvm::SmallVector<std::pair<int64_t, int64_t>, 8>;

/// Cuts `[start, start + size)` where digits of the given strides, the largest
/// first, are full: a digit that ends in the middle of an outer one has a run
/// of its own.
static void cutByDigits(int64_t start, int64_t size, ArrayRef<int64_t> strides,
                        Runs &runs) {
  if (size == 0)
    return;
  if (strides.empty() || strides.front() == 1) {
    runs.push_back({start, size});
    return;
  }
  int64_t whole = size / strides.front() * strides.front();
  if (whole > 0)
    runs.push_back({start, whole});
  cutByDigits(start + whole, size - whole, strides.drop_front(), runs);
}

/// An array in host memory whose dimensions end in the middle of a digit of
/// HBM's: pieces that do not. Nothing if it is another kind of mapping, or has
/// no such dimension.
static std::vector<PairedSequencer> derivePieces(const AddressMap &device,
                                                 const Mapping &host) {
  struct Dim {
    Factor factor;
    int64_t stride;
    Runs runs;
  };
  std::vector<Dim> dims;
  int64_t stride = host.size();
  size_t count = 1;
  for (const Factor &factor : host.factors()) {
    stride /= factor.extent;
    if (factor.kind != Factor::Kind::Axis || factor.isPadded() ||
        factor.stride != 1 || factor.offset != 0)
      return {};
    llvm::SmallVector<int64_t, 8> strides;
    for (const AddressFactor &entry : device.factors())
      if (entry.factor.base == factor.base && entry.factor.extent > 1)
        strides.push_back(entry.factor.stride);
    llvm::sort(strides, std::greater<int64_t>());
    Dim &dim = dims.emplace_back(Dim{factor, stride, {}});
    cutByDigits(0, factor.extent, strides, dim.runs);
    count *= dim.runs.size();
  }
  std::vector<PairedSequencer> pieces;
  for (size_t i = 0; i < count; ++i) {
    AddressMap part;
    int64_t base = 0;
    size_t rest = i;
    for (const Dim &dim : dims) {
      auto [start, size] = dim.runs[rest % dim.runs.size()];
      rest /= dim.runs.size();
      std::string text = dim.factor.base;
      if (start != 0 || size != dim.factor.baseSize)
        text += (" @ " + Twine(start) + " = " + Twine(size)).str();
      auto mapping = Mapping::parse(text, host.axes());
      if (!mapping) {
        llvm::consumeError(mapping.takeError());
        return {};
      }
      part.append(*mapping, dim.stride);
      base += start * dim.stride;
    }
    auto pair = derivePair(device, part);
    if (!pair) {
      llvm::consumeError(pair.takeError());
      return {};
    }
    pair->destinationBase += base;
    pieces.push_back(std::move(*pair));
  }
  return pieces;
}

FailureOr<std::vector<config::Transfer>> derivation::deriveTransfer(
    Operation *op, tcp::HostType host, tcp::HbmType hbm, int64_t address,
    config::Transfer::Direction direction, int64_t index) {
  Mapping hostMapping = host.getElementMapping();
  Mapping hbmMapping = hbm.getElementMapping();
  Mapping chipMapping = hbm.getChipMapping();
  int64_t chipStride =
      kChipSpan * 8 / getBitWidth(*tcp::getElementKind(hbm.getElementType()));
  AddressMap device;
  device.append(chipMapping, chipStride);
  device.append(hbmMapping, 1);
  // The host array is the one that may hold less (`M = 360`), so it is walked
  // in both directions.
  std::vector<PairedSequencer> pairs;
  auto whole = derivePair(device, AddressMap(hostMapping));
  if (whole)
    pairs.push_back(std::move(*whole));
  else
    pairs = derivePieces(device, hostMapping);
  if (pairs.empty()) {
    (void)reportAt(op, std::move(whole), "host transfer");
    return failure();
  }
  llvm::consumeError(whole.takeError());

  // Positions that HBM holds and the host does not are zero; so is padding that
  // the mapping declares zero. Other padding keeps whatever was there.
  bool zeroPadding = llvm::any_of(hbmMapping.factors(), [](const Factor &f) {
    return f.padding == PaddingKind::Zero && f.valid < f.extent;
  });
  bool zeroes =
      direction == config::Transfer::Direction::ToDevice &&
      (zeroPadding || hbmMapping.validSize() > hostMapping.validSize());
  // A result is read once, wherever it is held several times.
  Copies copies = copiesOver(chipMapping, hostMapping);
  if (direction == config::Transfer::Direction::ToHost)
    copies.chips.resize(1);
  std::vector<config::Transfer> transfers;
  for (const PairedSequencer &pair : pairs) {
    config::Transfer transfer;
    transfer.direction = direction;
    transfer.argument = index;
    transfer.type = *tcp::getElementKind(hbm.getElementType());
    transfer.hostBase = pair.destinationBase;
    FailureOr<int64_t> base =
        ByteDistance(op, hbm.getElementType())(pair.sourceBase % chipStride);
    if (failed(base))
      return failure();
    transfer.deviceAddress = address + *base;
    if (zeroes) {
      transfer.zeroAddress = address;
      transfer.zeroBytes = hbm.getByteSize();
    }
    for (const PairedSequencer::Entry &entry : pair.entries)
      transfer.entries.push_back(
          {entry.size, entry.destinationStride, entry.sourceStride});
    int64_t first = pair.sourceBase / chipStride;
    for (int64_t chip : copies.chips) {
      transfer.chip = first + chip;
      splitChips(transfer, chipStride, transfers);
    }
  }
  // Memory is zeroed before the first of several pieces, not between them.
  llvm::SmallDenseSet<int64_t> zeroed;
  for (config::Transfer &piece : transfers)
    if (!zeroed.insert(piece.chip).second)
      piece.zeroAddress = piece.zeroBytes = 0;
  return transfers;
}

//===----------------------------------------------------------------------===//
// DMA commands
//===----------------------------------------------------------------------===//

/// The last byte that a side reads or writes, and one.
static int64_t getEnd(const config::DmaDescriptor &descriptor) {
  int64_t end = descriptor.sourceAddress + descriptor.packetBytes;
  for (const config::DmaDescriptor::Entry &entry : descriptor.entries)
    end += (entry.size - 1) * std::max<int64_t>(entry.sourceStride, 0);
  return end;
}

/// What of DMA-03 depends on addresses.
static LogicalResult checkAddresses(Operation *op,
                                    const config::DmaCommand &command,
                                    const TcpMachine &machine) {
  if (command.destination != config::Memory::Dm)
    return success();
  bool both = command.source == config::Memory::Hbm;
  int64_t align = machine.dmaAlignBytes;
  for (const config::DmaDescriptor &descriptor : command.descriptors) {
    if ((both && descriptor.sourceAddress % align != 0) ||
        descriptor.destinationAddress % align != 0)
      return op->emitOpError()
             << "moves from address " << descriptor.sourceAddress << " to "
             << descriptor.destinationAddress << ", "
             << (both ? "HBM to DM" : "DM destination")
             << " addresses are multiples of " << align << " bytes";
    // Runs may have been made longer by padding.
    if (both && getEnd(descriptor) > machine.hbmBytes)
      return op->emitOpError() << "reads up to byte " << getEnd(descriptor)
                               << " of HBM, machine \"" << machine.name
                               << "\" has " << machine.hbmBytes;
  }
  return success();
}

FailureOr<config::DmaCommand>
derivation::deriveDma(Operation *op, const AddressTable &addresses,
                      int64_t viewAddress, ArrayRef<int64_t> chipOffsets,
                      const TcpMachine &machine) {
  auto descriptors =
      op->getAttrOfType<ArrayAttr>(tcp::TcpDialect::kDescriptorsAttrName);
  if (!descriptors)
    return op->emitOpError() << "has no descriptors: --tcp-derive-sequencers "
                                "and --stream-merge-entries derive them";
  DmaEnds ends = getDmaEnds(op);
  config::DmaCommand command;
  command.source = getMemory(ends.source);
  command.destination = getMemory(ends.destination);
  int64_t source = addresses.lookup(op->getOperand(0)), destination;
  if (isa<tcp::ToHbmViewOp>(op))
    destination = viewAddress;
  else if (auto scatter = dyn_cast<tcp::ScatterOp>(op))
    destination = addresses.lookup(scatter.getDestination());
  else
    destination = op->getAttrOfType<IntegerAttr>("address").getInt();
  for (auto attr : descriptors.getAsRange<tcp::DescriptorAttr>()) {
    config::DmaDescriptor descriptor = attr.getValue();
    descriptor.sourceAddress += source;
    descriptor.destinationAddress += destination;
    if (descriptor.indirection)
      descriptor.indirection->address += addresses.lookup(ends.indices);
    if (!chipOffsets.empty())
      descriptor.sourceAddress += chipOffsets[descriptor.sourceChip];
    command.descriptors.push_back(std::move(descriptor));
  }
  if (failed(checkAddresses(op, command, machine)))
    return failure();
  return command;
}
