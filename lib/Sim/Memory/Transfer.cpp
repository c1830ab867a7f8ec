//===- Transfer.cpp - Host transfers --------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No element is moved twice, so they may be moved in any order: in runs that
// are dense on both sides, or in tiles where the device is dense along one loop
// and the host along another.
//
//===----------------------------------------------------------------------===//

#include "Engine/Engines.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Support/Interrupt.h"

using namespace sequin;
using namespace sequin::sim;

/// Elements of a tile along the host's dense loop, a line of the host's cache
/// or more, and along the device's.
static constexpr int64_t kTileRows = 32, kTileColumns = 512;
/// Of one element, to be written at a time.
static constexpr int64_t kCopies = 1 << 14;

namespace {
class TransferRunner {
public:
  TransferRunner(const config::Transfer &transfer, SystemMemory &memory,
                 llvm::ArrayRef<HostArray> inputs,
                 llvm::ArrayRef<config::Constant> constants,
                 llvm::MutableArrayRef<HostArray> outputs);
  void run();

private:
  /// Strides in elements.
  using Entry = config::Transfer::Entry;

  /// Takes out the loops that continue a run; its elements.
  int64_t foldRun();
  /// Calls visit(host element, device element) for every iteration.
  template <class Visit> void forEach(Visit &&visit) const;
  void moveNibbles();
  void moveRuns(int64_t elements);
  /// Runs of one element.
  void moveCopies(int64_t elements);
  /// `rows` is dense on the host, `columns` on the device; they are not among
  /// the loops any more.
  template <class Element>
  void moveTiles(const Entry &rows, const Entry &columns);
  int64_t addressOf(int64_t element) const {
    return transfer.deviceAddress + element * hostBytes;
  }

  const config::Transfer &transfer;
  SystemMemory &memory;
  bool toDevice;
  int64_t hostBytes;                 ///< of an element
  llvm::ArrayRef<uint8_t> source;    ///< to the device
  uint8_t *destination = nullptr;    ///< to the host
  bool repeats;                      ///< the source is one element for all
  llvm::SmallVector<Entry, 8> loops; ///< outermost first
};
} // namespace

TransferRunner::TransferRunner(const config::Transfer &transfer,
                               SystemMemory &memory,
                               llvm::ArrayRef<HostArray> inputs,
                               llvm::ArrayRef<config::Constant> constants,
                               llvm::MutableArrayRef<HostArray> outputs)
    : transfer(transfer), memory(memory),
      toDevice(transfer.direction == config::Transfer::Direction::ToDevice),
      hostBytes(std::max<int64_t>(1, getBitWidth(transfer.type) / 8)) {
  if (!toDevice)
    destination = outputs[transfer.argument].data.data();
  else if (transfer.constant)
    source = constants[transfer.argument].data;
  else
    source = inputs[transfer.argument].data;
  repeats =
      transfer.constant && static_cast<int64_t>(source.size()) == hostBytes;
  for (const Entry &entry : transfer.entries)
    if (entry.size != 1)
      loops.push_back(entry);
}

int64_t TransferRunner::foldRun() {
  int64_t run = 1;
  for (;;) {
    auto *next = llvm::find_if(loops, [&](const Entry &loop) {
      return loop.deviceStride == run && (repeats || loop.hostStride == run);
    });
    if (next == loops.end())
      return run;
    run *= next->size;
    loops.erase(next);
  }
}

template <class Visit> void TransferRunner::forEach(Visit &&visit) const {
  llvm::SmallVector<Loop, 8> host, device;
  for (const Entry &loop : loops) {
    host.push_back({loop.size, loop.hostStride});
    device.push_back({loop.size, loop.deviceStride});
  }
  Odometer hostWalk(host), deviceWalk(device);
  for (int64_t i = 0, end = *tripCount(loops);
       i < end && !interrupted(/*every=*/64); ++i) {
    visit(transfer.hostBase + hostWalk.offset(), deviceWalk.offset());
    hostWalk.advance();
    deviceWalk.advance();
  }
}

/// Two elements share a byte in HBM; on the host each has its own.
void TransferRunner::moveNibbles() {
  ElementType type = transfer.type;
  int64_t bits = getBitWidth(type);
  forEach([&](int64_t host, int64_t device) {
    int64_t bit = device * bits;
    int64_t address = transfer.deviceAddress + (bit >> 3);
    int64_t index = (bit & 7) / bits;
    uint8_t byte = 0;
    memory.readHbm(transfer.chip, address, &byte, 1);
    if (toDevice) {
      storeElement(type, &byte, index, source[repeats ? 0 : host]);
      memory.writeHbm(transfer.chip, address, &byte, 1);
    } else {
      destination[host] = static_cast<uint8_t>(
          decodeInt(type, loadElement(type, &byte, index)));
    }
  });
}

void TransferRunner::moveRuns(int64_t elements) {
  if (repeats)
    return moveCopies(elements);
  int64_t bytes = elements * hostBytes;
  forEach([&](int64_t host, int64_t device) {
    if (toDevice)
      memory.writeHbm(transfer.chip, addressOf(device),
                      &source[host * hostBytes], bytes);
    else
      memory.readHbm(transfer.chip, addressOf(device),
                     destination + host * hostBytes, bytes);
  });
}

void TransferRunner::moveCopies(int64_t elements) {
  int64_t most = std::min(elements, kCopies);
  std::vector<uint8_t> copies;
  for (int64_t i = 0; i < most; ++i)
    llvm::append_range(copies, source);
  forEach([&](int64_t, int64_t device) {
    for (int64_t i = 0; i < elements; i += most)
      memory.writeHbm(transfer.chip, addressOf(device + i), copies.data(),
                      std::min(most, elements - i) * hostBytes);
  });
}

template <class Element>
void TransferRunner::moveTiles(const Entry &rows, const Entry &columns) {
  // Rows of a tile do not start at the same place of the cache's sets.
  constexpr int64_t kStride = kTileColumns + 64 / sizeof(Element);
  std::vector<Element> tile(kTileRows * kStride);
  auto moveTile = [&](int64_t host, int64_t device, int64_t rowCount,
                      int64_t columnCount) {
    auto moveRows = [&](auto &&move) {
      for (int64_t row = 0; row < rowCount; ++row)
        move(addressOf(device + row * rows.deviceStride),
             reinterpret_cast<uint8_t *>(tile.data() + row * kStride),
             columnCount * hostBytes);
    };
    if (!toDevice)
      moveRows([&](int64_t address, uint8_t *to, int64_t bytes) {
        memory.readHbm(transfer.chip, address, to, bytes);
      });
    for (int64_t column = 0; column < columnCount; ++column) {
      int64_t at = (host + column * columns.hostStride) * hostBytes;
      Element *inTile = tile.data() + column;
      if (toDevice)
        for (int64_t row = 0; row < rowCount; ++row)
          std::memcpy(inTile + row * kStride, &source[at + row * hostBytes],
                      sizeof(Element));
      else
        for (int64_t row = 0; row < rowCount; ++row)
          std::memcpy(destination + at + row * hostBytes,
                      inTile + row * kStride, sizeof(Element));
    }
    if (toDevice)
      moveRows([&](int64_t address, const uint8_t *from, int64_t bytes) {
        memory.writeHbm(transfer.chip, address, from, bytes);
      });
  };
  forEach([&](int64_t host, int64_t device) {
    for (int64_t row = 0; row < rows.size; row += kTileRows)
      for (int64_t column = 0; column < columns.size; column += kTileColumns)
        moveTile(host + row + column * columns.hostStride,
                 device + row * rows.deviceStride + column,
                 std::min(kTileRows, rows.size - row),
                 std::min(kTileColumns, columns.size - column));
  });
}

void TransferRunner::run() {
  if (transfer.zeroBytes)
    memory.zeroHbm(transfer.chip, transfer.zeroAddress, transfer.zeroBytes);
  if (getBitWidth(transfer.type) < 8)
    return moveNibbles();
  int64_t elements = foldRun();
  auto takeOut = [&](auto &&isDense) {
    Entry entry;
    if (auto *found = llvm::find_if(loops, isDense); found != loops.end()) {
      entry = *found;
      loops.erase(found);
    }
    return entry;
  };
  if (elements > 1 || repeats)
    return moveRuns(elements);
  Entry columns =
      takeOut([](const Entry &loop) { return loop.deviceStride == 1; });
  Entry rows = takeOut([](const Entry &loop) { return loop.hostStride == 1; });
  switch (hostBytes) {
  case 1:
    return moveTiles<uint8_t>(rows, columns);
  case 2:
    return moveTiles<uint16_t>(rows, columns);
  default:
    return moveTiles<uint32_t>(rows, columns);
  }
}

void sim::runTransfer(const config::Transfer &transfer, SystemMemory &memory,
                      llvm::ArrayRef<HostArray> inputs,
                      llvm::ArrayRef<config::Constant> constants,
                      llvm::MutableArrayRef<HostArray> outputs) {
  TransferRunner(transfer, memory, inputs, constants, outputs).run();
}
