//===- Dma.cpp - DMA engines ----------------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Engines.h"
#include "Memory/ByteMap.h"
#include "sequin/Support/Interrupt.h"

using namespace sequin;
using namespace sequin::sim;
using config::DmaDescriptor;
using config::DmaIndirection;
using config::Memory;

namespace {
/// Runs the descriptors of one command.
class DmaRunner {
public:
  DmaRunner(llvm::StringRef name, const config::DmaCommand &dma,
            const TcpMachine &machine, SystemMemory &memory)
      : name(name), dma(dma), machine(machine), memory(memory),
        buffer(machine.dmaMaxPacketBytes) {}

  llvm::Error run();

private:
  /// Calls visit(source address, destination address, address of the index)
  /// for every packet, with the indices as they are now.
  template <class Visit>
  llvm::Error forEachPacket(const DmaDescriptor &descriptor, Visit &&visit);
  /// No byte is written twice, or read and written.
  llvm::Error checkRaces();
  static bool scatters(const DmaDescriptor &descriptor) {
    return descriptor.indirection &&
           descriptor.indirection->side == DmaIndirection::Side::Destination;
  }
  void copyPacket(const DmaDescriptor &descriptor, int64_t from, int64_t to);
  llvm::Expected<int64_t> readIndex(const DmaIndirection &indirection,
                                    int64_t address);
  llvm::Error trap(const llvm::Twine &what) const {
    return llvm::make_error<Trap>(name.str(), "dma", what.str());
  }

  llvm::StringRef name;
  const config::DmaCommand &dma;
  const TcpMachine &machine;
  SystemMemory &memory;
  std::vector<uint8_t> buffer;
};
} // namespace

/// Flat addresses over slices and networks; `buffer` has room for a packet.
void DmaRunner::copyPacket(const DmaDescriptor &descriptor, int64_t from,
                           int64_t to) {
  int64_t bytes = descriptor.packetBytes, stride = machine.dmSliceStride;
  uint8_t *source = buffer.data();
  if (dma.source == Memory::Dm)
    source = memory.dm(descriptor.sourceChip, from / stride, from % stride,
                       from % stride + bytes) +
             from % stride;
  else if (dma.source == Memory::Spm)
    source = memory.spm(descriptor.sourceChip) + from;
  uint8_t *destination = nullptr;
  if (dma.destination == Memory::Dm)
    destination = memory.dmForWrite(descriptor.destinationChip, to / stride,
                                    to % stride, to % stride + bytes) +
                  to % stride;
  else if (dma.destination == Memory::Spm)
    destination = memory.spm(descriptor.destinationChip) + to;
  if (dma.source == Memory::Hbm)
    memory.readHbm(descriptor.sourceChip, from,
                   destination ? destination : buffer.data(), bytes);
  else if (destination)
    std::memmove(destination, source, bytes);
  if (!destination)
    memory.writeHbm(descriptor.destinationChip, to, source, bytes);
}

llvm::Expected<int64_t> DmaRunner::readIndex(const DmaIndirection &indirection,
                                             int64_t address) {
  int32_t index = 0;
  memory.readHbm(indirection.chip, address, reinterpret_cast<uint8_t *>(&index),
                 sizeof(index));
  if (index >= 0 && index < indirection.count)
    return index;
  return trap("index at address " + llvm::Twine(address) + " of chip " +
              llvm::Twine(indirection.chip) + " is " + llvm::Twine(index) +
              ", allowed are 0 to " + llvm::Twine(indirection.count - 1));
}

template <class Visit>
llvm::Error DmaRunner::forEachPacket(const DmaDescriptor &descriptor,
                                     Visit &&visit) {
  llvm::SmallVector<Loop, 8> source, destination, indices;
  for (const DmaDescriptor::Entry &entry : descriptor.entries) {
    source.push_back({entry.size, entry.sourceStride});
    destination.push_back({entry.size, entry.destinationStride});
  }
  const auto &indirection = descriptor.indirection;
  if (indirection)
    for (auto [entry, stride] :
         llvm::zip_equal(descriptor.entries, indirection->strides))
      indices.push_back({entry.size, stride});
  Odometer from(source), to(destination), list(indices);
  for (int64_t i = 0, end = *tripCount(source); i < end; ++i) {
    if (interrupted(/*every=*/1024))
      return interruptedError();
    int64_t read = descriptor.sourceAddress + from.offset();
    int64_t write = descriptor.destinationAddress + to.offset();
    int64_t listed = 0;
    if (indirection) {
      listed = indirection->address + list.offset();
      llvm::Expected<int64_t> index = readIndex(*indirection, listed);
      if (!index)
        return index.takeError();
      (scatters(descriptor) ? write : read) += *index * indirection->step;
      list.advance();
    }
    if (llvm::Error error = visit(read, write, listed))
      return error;
    from.advance();
    to.advance();
  }
  return llvm::Error::success();
}

llvm::Error DmaRunner::checkRaces() {
  ByteMap written;
  for (const DmaDescriptor &descriptor : dma.descriptors)
    if (llvm::Error error = forEachPacket(
            descriptor, [&](int64_t, int64_t write, int64_t) -> llvm::Error {
              auto twice = written.set(descriptor.destinationChip, write,
                                       descriptor.packetBytes);
              if (!twice)
                return llvm::Error::success();
              return trap("destination address " + llvm::Twine(*twice) +
                          " of chip " +
                          llvm::Twine(descriptor.destinationChip) +
                          " is written twice");
            }))
      return error;
  auto checkRead = [&](int64_t chip, int64_t address,
                       int64_t bytes) -> llvm::Error {
    auto both = written.find(chip, address, bytes);
    if (!both)
      return llvm::Error::success();
    return trap("address " + llvm::Twine(*both) + " of chip " +
                llvm::Twine(chip) + " is read and written by one command");
  };
  for (const DmaDescriptor &descriptor : dma.descriptors)
    if (llvm::Error error = forEachPacket(
            descriptor,
            [&](int64_t read, int64_t, int64_t listed) -> llvm::Error {
              if (dma.source == dma.destination)
                if (llvm::Error error = checkRead(descriptor.sourceChip, read,
                                                  descriptor.packetBytes))
                  return error;
              if (descriptor.indirection && dma.destination == Memory::Hbm)
                return checkRead(descriptor.indirection->chip, listed,
                                 machine.dmaIndexBytes);
              return llvm::Error::success();
            }))
      return error;
  return llvm::Error::success();
}

llvm::Error DmaRunner::run() {
  // Without a scatter, the check of the command has seen all of this.
  if (llvm::any_of(dma.descriptors, scatters))
    if (llvm::Error error = checkRaces())
      return error;
  for (const DmaDescriptor &descriptor : dma.descriptors)
    if (llvm::Error error = forEachPacket(
            descriptor, [&](int64_t read, int64_t write, int64_t) {
              copyPacket(descriptor, read, write);
              return llvm::Error::success();
            }))
      return error;
  return llvm::Error::success();
}

llvm::Error sim::runDma(llvm::StringRef name, const config::DmaCommand &dma,
                        const TcpMachine &machine, SystemMemory &memory) {
  return DmaRunner(name, dma, machine, memory).run();
}
