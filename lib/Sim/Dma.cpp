//===- Dma.cpp - DMA engines and host transfers ---------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines.h"
#include "sequin/Support/Arithmetic.h"

using namespace sequin;
using namespace sequin::sim;
using config::DmaDescriptor;
using config::Memory;

/// One packet; a DM address is flat over the slices. `buffer` has room for it.
static void copyPacket(const config::DmaCommand &dma,
                       const DmaDescriptor &descriptor, int64_t from,
                       int64_t to, const TcpMachine &machine,
                       SystemMemory &memory, uint8_t *buffer) {
  int64_t bytes = descriptor.packetBytes, stride = machine.dmSliceStride;
  uint8_t *source = buffer;
  if (dma.source == Memory::Dm)
    source = memory.dm(descriptor.sourceChip, from / stride, from % stride,
                       from % stride + bytes) +
             from % stride;
  uint8_t *destination = nullptr;
  if (dma.destination == Memory::Dm)
    destination = memory.dmForWrite(descriptor.destinationChip, to / stride,
                                    to % stride, to % stride + bytes) +
                  to % stride;
  if (dma.source == Memory::Hbm)
    memory.readHbm(descriptor.sourceChip, from,
                   destination ? destination : buffer, bytes);
  else if (destination)
    std::memmove(destination, source, bytes);
  if (!destination)
    memory.writeHbm(descriptor.destinationChip, to, source, bytes);
}

void sim::runDma(const config::DmaCommand &dma, const TcpMachine &machine,
                 SystemMemory &memory) {
  std::vector<uint8_t> buffer(machine.dmaMaxPacketBytes);
  for (const DmaDescriptor &descriptor : dma.descriptors) {
    llvm::SmallVector<Loop, 8> source, destination;
    for (const DmaDescriptor::Entry &entry : descriptor.entries) {
      source.push_back({entry.size, entry.sourceStride});
      destination.push_back({entry.size, entry.destinationStride});
    }
    Odometer from(source), to(destination);
    for (int64_t i = 0, end = *tripCount(source); i < end; ++i) {
      copyPacket(dma, descriptor, descriptor.sourceAddress + from.offset(),
                 descriptor.destinationAddress + to.offset(), machine, memory,
                 buffer.data());
      from.advance();
      to.advance();
    }
  }
}

void sim::runTransfer(const config::Transfer &transfer, SystemMemory &memory,
                      llvm::ArrayRef<HostArray> inputs,
                      llvm::MutableArrayRef<HostArray> outputs) {
  bool toDevice = transfer.direction == config::Transfer::Direction::ToDevice;
  if (transfer.zeroBytes)
    memory.zeroHbm(transfer.chip, transfer.zeroAddress, transfer.zeroBytes);

  // The innermost entry in one piece where it is dense on both sides.
  ElementType type = transfer.type;
  int64_t bits = getBitWidth(type);
  int64_t hostBytes = std::max<int64_t>(1, bits / 8);
  llvm::SmallVector<Loop, 8> host, device;
  for (const config::Transfer::Entry &entry : transfer.entries) {
    host.push_back({entry.size, entry.hostStride});
    device.push_back({entry.size, entry.deviceStride});
  }
  int64_t run = 1;
  while (bits >= 8 && !host.empty() &&
         (host.back().size == 1 ||
          (host.back().stride == run && device.back().stride == run))) {
    run *= host.back().size;
    host.pop_back();
    device.pop_back();
  }
  Odometer hostWalk(host), deviceWalk(device);
  for (int64_t i = 0, end = *tripCount(host); i < end; ++i) {
    int64_t hostIndex = (transfer.hostBase + hostWalk.offset()) * hostBytes;
    int64_t deviceBit = deviceWalk.offset() * bits;
    int64_t address = transfer.deviceAddress + (deviceBit >> 3);
    if (bits < 8) {
      // Two elements share a byte in HBM; on the host each has its own.
      uint8_t byte = 0;
      int64_t index = (deviceBit & 7) / bits;
      memory.readHbm(transfer.chip, address, &byte, 1);
      if (toDevice) {
        storeElement(type, &byte, index,
                     inputs[transfer.argument].data[hostIndex]);
        memory.writeHbm(transfer.chip, address, &byte, 1);
      } else {
        outputs[transfer.argument].data[hostIndex] = static_cast<uint8_t>(
            decodeInt(type, loadElement(type, &byte, index)));
      }
    } else if (toDevice) {
      memory.writeHbm(transfer.chip, address,
                      &inputs[transfer.argument].data[hostIndex],
                      run * hostBytes);
    } else {
      memory.readHbm(transfer.chip, address,
                     &outputs[transfer.argument].data[hostIndex],
                     run * hostBytes);
    }
    hostWalk.advance();
    deviceWalk.advance();
  }
}
