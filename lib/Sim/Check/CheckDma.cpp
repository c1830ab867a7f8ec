//===- CheckDma.cpp - Checks of DMA commands and transfers ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of one descriptor after the other; CheckDmaRaces.cpp has those of a
// whole command, DmaTime.cpp its cycles.
//
//===----------------------------------------------------------------------===//

#include "Check/CommandCheck.h"

using namespace sequin;
using namespace sequin::sim;
using config::DmaCommand;
using config::DmaDescriptor;
using config::DmaIndirection;
using config::Memory;
using llvm::StringRef;
using llvm::Twine;

namespace {
/// One side of a descriptor.
struct Side {
  StringRef name; ///< "source" or "destination"
  Memory memory;
  int64_t chip;
  int64_t address;
  llvm::SmallVector<Loop, 8> loops;
  bool write;
};
} // namespace

static llvm::Error checkHbmSide(const CommandCheck &check, const Side &side,
                                int64_t packetBytes) {
  Extent extent = extentOf(side.loops, side.address, 1, packetBytes);
  if (llvm::Error error = check.inside("dma", extent, "the HBM of a chip",
                                       check.machine.hbmBytes))
    return error;
  check.plan.accesses.push_back({Space::Hbm,
                                 side.write,
                                 side.chip,
                                 static_cast<int64_t>(extent.begin),
                                 static_cast<int64_t>(extent.end),
                                 {}});
  return llvm::Error::success();
}

static llvm::Error checkSpmSide(const CommandCheck &check, const Side &side,
                                int64_t packetBytes) {
  Extent extent = extentOf(side.loops, side.address, 1, packetBytes);
  if (llvm::Error error = check.inside("dma", extent, "the SPM of a chip",
                                       check.machine.spmBytesPerChip()))
    return error;
  check.plan.accesses.push_back({Space::Spm,
                                 side.write,
                                 side.chip,
                                 static_cast<int64_t>(extent.begin),
                                 static_cast<int64_t>(extent.end),
                                 {}});
  return llvm::Error::success();
}

/// A stride of the flat DM address space as a step over slices and a step
/// inside a slice. Two legal addresses differ by less than half a slice stride
/// in the second part, which makes the split unique.
static void splitStride(int64_t stride, int64_t sliceStride, int64_t &slices,
                        int64_t &offset) {
  slices = stride / sliceStride;
  offset = stride % sliceStride;
  if (offset > sliceStride / 2) {
    offset -= sliceStride;
    ++slices;
  } else if (offset < -sliceStride / 2) {
    offset += sliceStride;
    --slices;
  }
}

/// The slices that base + sum of index * stride visits; all are in range.
static std::vector<uint64_t> visitedSlices(llvm::ArrayRef<Loop> loops,
                                           int64_t base, int64_t count) {
  std::vector<bool> visited(count, false);
  visited[base] = true;
  for (const Loop &loop : loops) {
    if (loop.stride == 0)
      continue;
    std::vector<bool> next = visited;
    for (int64_t from = 0; from < count; ++from)
      if (visited[from])
        for (int64_t i = 1; i < loop.size; ++i) {
          int64_t to = from + i * loop.stride;
          if (to < 0 || to >= count)
            break; // not of a combination that occurs
          next[to] = true;
        }
    visited = std::move(next);
  }
  std::vector<uint64_t> mask((count + 63) / 64, 0);
  for (int64_t slice = 0; slice < count; ++slice)
    if (visited[slice])
      mask[slice / 64] |= uint64_t(1) << (slice % 64);
  return mask;
}

static llvm::Error checkDmSide(const CommandCheck &check, const Side &side,
                               int64_t packetBytes) {
  const TcpMachine &machine = check.machine;
  int64_t slices = machine.clustersPerChip * machine.slicesPerCluster;
  if (side.address < 0)
    return check.trap("dma", side.name + " address is " + Twine(side.address) +
                                 ", it must not be negative");
  int64_t baseSlice = side.address / machine.dmSliceStride;
  int64_t baseOffset = side.address % machine.dmSliceStride;
  llvm::SmallVector<Loop, 8> sliceLoops, offsetLoops;
  for (const Loop &loop : side.loops) {
    int64_t slice = 0, offset = 0;
    // The stride of a single iteration is never taken.
    if (loop.size > 1)
      splitStride(loop.stride, machine.dmSliceStride, slice, offset);
    sliceLoops.push_back({loop.size, slice});
    offsetLoops.push_back({loop.size, offset});
  }
  Extent sliceRange = extentOf(sliceLoops, baseSlice, 1, 1);
  if (sliceRange.begin < 0 || sliceRange.end > slices)
    return check.trap(
        "dma", side.name + " address " + Twine(side.address) +
                   " and its strides leave the slices of the chip, allowed "
                   "are slices 0 to " +
                   Twine(slices - 1));
  Extent range = extentOf(offsetLoops, baseOffset, 1, packetBytes);
  if (llvm::Error error = check.inside("dma", range, "the DM of a slice",
                                       machine.dmBytesPerSlice))
    return error;
  check.plan.accesses.push_back({Space::Dm, side.write, side.chip,
                                 static_cast<int64_t>(range.begin),
                                 static_cast<int64_t>(range.end),
                                 visitedSlices(sliceLoops, baseSlice, slices)});
  return llvm::Error::success();
}

/// 8-byte rules: DM is written in whole words, and HBM to DM reads so too.
static llvm::Error checkAlignment(const CommandCheck &check, const Side &side,
                                  int64_t packetBytes) {
  int64_t align = check.machine.dmaAlignBytes;
  if (llvm::Error error =
          check.multipleOf("dma", "packet size", packetBytes, align))
    return error;
  if (llvm::Error error =
          check.multipleOf("dma", side.name + " address", side.address, align))
    return error;
  for (const Loop &loop : side.loops)
    if (loop.size > 1)
      if (llvm::Error error = check.multipleOf("dma", side.name + " stride",
                                               loop.stride, align))
        return error;
  return llvm::Error::success();
}

static llvm::Error checkSide(const CommandCheck &check, const Side &side,
                             int64_t packetBytes) {
  switch (side.memory) {
  case Memory::Hbm:
    return checkHbmSide(check, side, packetBytes);
  case Memory::Dm:
    return checkDmSide(check, side, packetBytes);
  case Memory::Spm:
    break;
  }
  return checkSpmSide(check, side, packetBytes);
}

/// The list of indices lies in HBM; the side it moves reaches, beside its own
/// loops, `count` places.
static llvm::Error checkIndirection(const CommandCheck &check,
                                    const DmaDescriptor &descriptor,
                                    const DmaIndirection &indirection,
                                    Side (&sides)[2]) {
  if (llvm::Error error = check.chip("dma", indirection.chip))
    return error;
  if (indirection.strides.size() != descriptor.entries.size())
    return check.trap("dma", "the indirection has " +
                                 Twine(indirection.strides.size()) +
                                 " strides, the descriptor has " +
                                 Twine(descriptor.entries.size()) + " entries");
  if (llvm::Error error = check.between("dma", "number of indices",
                                        indirection.count, 1, kMaxCount))
    return error;
  llvm::SmallVector<Loop, 8> loops;
  int64_t bytes = check.machine.dmaIndexBytes;
  for (auto [entry, stride] :
       llvm::zip_equal(descriptor.entries, indirection.strides)) {
    loops.push_back({entry.size, stride});
    if (entry.size > 1)
      if (llvm::Error error =
              check.multipleOf("dma", "stride of the indices", stride, bytes))
        return error;
  }
  if (llvm::Error error = check.multipleOf("dma", "address of the indices",
                                           indirection.address, bytes))
    return error;
  Side list{"index list",        Memory::Hbm,      indirection.chip,
            indirection.address, std::move(loops), false};
  if (llvm::Error error = checkHbmSide(check, list, bytes))
    return error;
  // As a loop over all places that an index can name.
  sides[indirection.side == DmaIndirection::Side::Destination].loops.push_back(
      {indirection.count, indirection.step});
  return llvm::Error::success();
}

static llvm::Error checkDescriptor(const CommandCheck &check,
                                   const DmaCommand &dma,
                                   const DmaDescriptor &descriptor) {
  const TcpMachine &machine = check.machine;
  Side sides[2] = {{"source",
                    dma.source,
                    descriptor.sourceChip,
                    descriptor.sourceAddress,
                    {},
                    false},
                   {"destination",
                    dma.destination,
                    descriptor.destinationChip,
                    descriptor.destinationAddress,
                    {},
                    true}};
  for (const DmaDescriptor::Entry &entry : descriptor.entries) {
    sides[0].loops.push_back({entry.size, entry.sourceStride});
    sides[1].loops.push_back({entry.size, entry.destinationStride});
  }
  if (llvm::Error error = check.between("dma", "engine", descriptor.engine, 0,
                                        machine.dmaEngines - 1))
    return error;
  if (llvm::Error error =
          check.between("dma", "packet size", descriptor.packetBytes, 1,
                        machine.dmaMaxPacketBytes))
    return error;
  if (llvm::Error error = check.entries("dma", sides[0].loops, machine.dma))
    return error;
  // Scratchpads are not reached over PCIe (TCP, DMA Engine, Memory-Specific
  // Bandwidth).
  if ((dma.source == Memory::Spm || dma.destination == Memory::Spm) &&
      descriptor.sourceChip != descriptor.destinationChip)
    return check.trap("dma", "moves SPM from chip " +
                                 Twine(descriptor.sourceChip) + " to chip " +
                                 Twine(descriptor.destinationChip) +
                                 ", allowed are moves inside one chip");
  if (descriptor.indirection)
    if (llvm::Error error =
            checkIndirection(check, descriptor, *descriptor.indirection, sides))
      return error;
  bool hbmToDm = dma.source == Memory::Hbm && dma.destination == Memory::Dm;
  for (const Side &side : sides) {
    if (llvm::Error error = check.chip("dma", side.chip))
      return error;
    bool dmWrite = side.write && side.memory == Memory::Dm;
    if (hbmToDm || dmWrite)
      if (llvm::Error error =
              checkAlignment(check, side, descriptor.packetBytes))
        return error;
    if (llvm::Error error = checkSide(check, side, descriptor.packetBytes))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error sim::checkDma(CommandCheck check, const DmaCommand &dma) {
  const TcpMachine &machine = check.machine;
  CommandPlan &plan = check.plan;
  plan.resource = Resource::Dma;
  for (const DmaDescriptor &descriptor : dma.descriptors) {
    if (llvm::Error error = checkDescriptor(check, dma, descriptor))
      return error;
    llvm::Expected<int64_t> packets = check.count(
        "dma", "packets of a descriptor", tripCount(descriptor.entries));
    if (!packets)
      return packets.takeError();
    // A product of two bounded numbers; the sum is bounded below.
    int64_t requests = *packets * llvm::divideCeil(descriptor.packetBytes,
                                                   machine.dmaRequestBytes);
    llvm::Expected<int64_t> total =
        check.count("dma", "requests", plan.steps + requests);
    if (!total)
      return total.takeError();
    plan.steps = plan.timingSteps = *total;
    int64_t bytes = *packets * descriptor.packetBytes;
    if (dma.source == Memory::Hbm)
      plan.hbmBytesRead += bytes;
    if (dma.destination == Memory::Hbm)
      plan.hbmBytesWritten += bytes;
    for (int64_t chip : {descriptor.sourceChip, descriptor.destinationChip})
      if (!llvm::is_contained(plan.chips, chip))
        plan.chips.push_back(chip);
  }
  if (dma.descriptors.empty())
    return check.trap("dma", "the command has no descriptor");
  llvm::sort(plan.chips);
  if (plan.hbmBytesRead > 0)
    plan.counters.push_back({"hbm_bytes_read", plan.hbmBytesRead});
  if (plan.hbmBytesWritten > 0)
    plan.counters.push_back({"hbm_bytes_written", plan.hbmBytesWritten});
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Bytes of zeros that count as a step of the functional model.
static constexpr int64_t kZeroBytesPerStep = 256;

llvm::Error sim::checkTransfer(CommandCheck check,
                               const config::Transfer &transfer) {
  CommandPlan &plan = check.plan;
  bool toDevice = transfer.direction == config::Transfer::Direction::ToDevice;
  constexpr StringRef stage = "transfer";
  if (transfer.constant && !toDevice)
    return check.trap(stage, "brings a constant back to the host");
  std::vector<config::Argument> constants;
  if (transfer.constant)
    for (const config::Constant &constant : check.program.constants)
      constants.push_back({constant.name, constant.type, constant.shape});
  llvm::ArrayRef<config::Argument> arguments =
      transfer.constant ? llvm::ArrayRef(constants)
      : toDevice        ? llvm::ArrayRef(check.program.inputs)
                        : llvm::ArrayRef(check.program.outputs);
  if (llvm::Error error =
          check.between(stage,
                        transfer.constant ? "constant"
                        : toDevice        ? "input"
                                          : "output",
                        transfer.argument, 0, arguments.size() - 1))
    return error;
  const config::Argument &argument = arguments[transfer.argument];
  if (transfer.type != argument.type)
    return check.trap(stage, "type is " + getName(transfer.type) +
                                 ", argument '" + argument.name + "' has " +
                                 getName(argument.type));
  if (isStreamOnly(transfer.type))
    return check.trap(stage, "memories hold no " + getName(transfer.type));
  if (llvm::Error error = check.chip(stage, transfer.chip))
    return error;
  // Tensors start at a multiple of their element size (TCP, Mapping,
  // Alignment).
  if (llvm::Error error =
          check.multipleOf(stage, "address", transfer.deviceAddress,
                           getByteSize(transfer.type, 1)))
    return error;

  llvm::SmallVector<Loop, 8> host, device;
  for (const config::Transfer::Entry &entry : transfer.entries) {
    if (entry.size < 1)
      return check.trap(stage, "size of an entry is " + Twine(entry.size) +
                                   ", it must be positive");
    host.push_back({entry.size, entry.hostStride});
    device.push_back({entry.size, entry.deviceStride});
  }
  llvm::Expected<int64_t> elements =
      check.count(stage, "elements", tripCount(host));
  if (!elements)
    return elements.takeError();
  llvm::Expected<int64_t> hostElements = check.count(
      stage, "elements of the argument", [&]() -> std::optional<int64_t> {
        int64_t count = 1;
        for (int64_t size : argument.shape)
          if (llvm::MulOverflow(count, size, count))
            return std::nullopt;
        return count;
      }());
  if (!hostElements)
    return hostElements.takeError();

  // Every element has one place, on both sides as far as it is written.
  llvm::ArrayRef<Loop> written = toDevice ? device : host;
  if (!isInjective(written, 1))
    return check.trap(stage, toDevice ? "writes one place of HBM several times"
                                      : "writes one element of '" +
                                            argument.name + "' several times");
  Extent hostExtent = extentOf(host, transfer.hostBase, 1, 1);
  if (hostExtent.begin < 0 || hostExtent.end > *hostElements)
    return check.trap(stage, "the host array '" + argument.name + "' has " +
                                 Twine(*hostElements) +
                                 " elements, the entries leave them");
  // In bits from address 0, because i4 has two elements in a byte.
  int64_t bits = getBitWidth(transfer.type);
  Extent extent = extentOf(device, 0, bits, bits);
  extent.begin += static_cast<__int128>(transfer.deviceAddress) * 8;
  extent.end += static_cast<__int128>(transfer.deviceAddress) * 8;
  Extent bytes{extent.begin < 0 ? -1 : extent.begin / 8, (extent.end + 7) / 8};
  if (llvm::Error error = check.inside(stage, bytes, "the HBM of a chip",
                                       check.machine.hbmBytes))
    return error;
  plan.accesses.push_back({Space::Hbm,
                           toDevice,
                           transfer.chip,
                           static_cast<int64_t>(bytes.begin),
                           static_cast<int64_t>(bytes.end),
                           {}});
  if (!transfer.zeroBytes && transfer.zeroAddress)
    return check.meaningless(stage, "zero_address without zero_bytes");
  if (transfer.zeroBytes) {
    Extent zero{transfer.zeroAddress,
                static_cast<__int128>(transfer.zeroAddress) +
                    transfer.zeroBytes};
    if (transfer.zeroBytes < 0)
      return check.trap(stage, "number of bytes to zero is " +
                                   Twine(transfer.zeroBytes) +
                                   ", it must not be negative");
    if (llvm::Error error = check.inside(stage, zero, "the HBM of a chip",
                                         check.machine.hbmBytes))
      return error;
  }
  plan.resource = Resource::Host;
  plan.chips = {transfer.chip};
  plan.steps = *elements + transfer.zeroBytes / kZeroBytesPerStep;
  return llvm::Error::success();
}
