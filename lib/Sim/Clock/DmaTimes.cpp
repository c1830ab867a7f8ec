//===- DmaTimes.cpp - DMA commands that take equally long -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands of a loop often differ by their addresses alone, and then often
// by an exclusive or: all HBM addresses of the one are those of the other with
// the same bits flipped. Every component of a place in HBM is an exclusive or
// of address bits, so flipped bits put other channels, banks and rows in place
// of the first ones, one for one, and nothing in the time of HBM depends on
// which they are (Hbm.h). The bit that tells the high slice is an exception,
// because two other components change their meaning with it: it must be the
// same.
//
// Data memory counts slices alone, and where in the slice does not matter.
//
//===----------------------------------------------------------------------===//

#include "Check/CommandCheck.h"
#include <bit>
#include <optional>

using namespace sequin;
using namespace sequin::sim;
using config::DmaCommand;
using config::DmaDescriptor;
using config::Memory;

/// The address bits from `low` to `high` - 1.
static uint64_t bitRange(unsigned low, unsigned high) {
  return (uint64_t(1) << high) - (uint64_t(1) << low);
}

namespace {
/// Terms of a sum that takes up the bits from `low` to `high` - 1 of an address
/// and never carries out of them.
struct Field {
  unsigned low, high;
  uint64_t most; ///< the sum of the terms' largest values

  void add(uint64_t term, uint64_t base) {
    most += term;
    unsigned before;
    do {
      before = high;
      uint64_t sum = most + (base & bitRange(low, high));
      high = std::max<unsigned>(high, std::bit_width(sum));
    } while (high > before);
  }
};

/// Appends what the time of one command depends on.
class KeyMaker {
public:
  KeyMaker(const TcpMachine &machine, std::vector<int64_t> &key)
      : machine(machine), key(key) {}
  void add(const DmaCommand &dma);

private:
  void addSide(Memory memory, int64_t address, llvm::ArrayRef<Loop> loops,
               int64_t packetBytes);
  void addHbm(int64_t address, llvm::ArrayRef<Loop> loops, int64_t packetBytes);

  const TcpMachine &machine;
  std::vector<int64_t> &key;
  /// The bits of the first HBM address that stay as they are.
  std::optional<uint64_t> first;
};
} // namespace

/// The address as bits that change from packet to packet, and those that do
/// not, relative to the first address of the command.
void KeyMaker::addHbm(int64_t address, llvm::ArrayRef<Loop> loops,
                      int64_t packetBytes) {
  uint64_t base = address;
  llvm::SmallVector<std::pair<unsigned, uint64_t>, 8> terms;
  for (const Loop &loop : loops) {
    if (loop.size == 1 || loop.stride == 0)
      continue;
    int64_t reach = (loop.size - 1) * loop.stride;
    if (reach < 0)
      base += reach;
    uint64_t stride = std::abs(loop.stride);
    terms.push_back({std::countr_zero(stride), std::abs(reach)});
  }
  llvm::sort(terms);
  uint64_t changing = 0;
  // HBM is accessed in units.
  Field field{0,
              static_cast<unsigned>(
                  std::bit_width(uint64_t(machine.hbm.unitBytes - 1))),
              0};
  field.add(packetBytes - 1, base);
  for (auto [low, most] : terms) {
    if (low >= field.high) {
      changing |= bitRange(field.low, field.high);
      field = {low, low, 0};
    }
    field.add(most, base);
  }
  changing |= bitRange(field.low, field.high);
  uint64_t constant = base & ~changing;
  if (!first) {
    first = constant;
    key.push_back(constant & machine.hbm.highSliceBit);
  }
  key.push_back(changing);
  key.push_back(base & changing);
  key.push_back(constant ^ *first);
}

void KeyMaker::addSide(Memory memory, int64_t address,
                       llvm::ArrayRef<Loop> loops, int64_t packetBytes) {
  switch (memory) {
  case Memory::Hbm:
    return addHbm(address, loops, packetBytes);
  case Memory::Dm:
    return key.push_back(address / machine.dmSliceStride);
  case Memory::Spm:
    return key.push_back(address);
  }
}

void KeyMaker::add(const DmaCommand &dma) {
  key.push_back(static_cast<int64_t>(dma.source));
  key.push_back(static_cast<int64_t>(dma.destination));
  for (const DmaDescriptor &descriptor : dma.descriptors) {
    llvm::append_values(key, descriptor.engine, descriptor.sourceChip,
                        descriptor.destinationChip, descriptor.packetBytes,
                        static_cast<int64_t>(descriptor.entries.size()));
    llvm::SmallVector<Loop, 8> source, destination;
    for (const DmaDescriptor::Entry &entry : descriptor.entries) {
      llvm::append_values(key, entry.size, entry.sourceStride,
                          entry.destinationStride);
      source.push_back({entry.size, entry.sourceStride});
      destination.push_back({entry.size, entry.destinationStride});
    }
    addSide(dma.source, descriptor.sourceAddress, source,
            descriptor.packetBytes);
    addSide(dma.destination, descriptor.destinationAddress, destination,
            descriptor.packetBytes);
  }
}

void DmaTimes::add(const CommandCheck &check, const DmaCommand &dma) {
  bool isIndirect =
      llvm::any_of(dma.descriptors, [](const DmaDescriptor &descriptor) {
        return descriptor.indirection.has_value();
      });
  if (isIndirect)
    return timeDma(check, dma);
  std::vector<int64_t> key;
  KeyMaker(check.machine, key).add(dma);
  CommandPlan &plan = check.plan;
  auto [known, isNew] = times.try_emplace(std::move(key));
  if (isNew) {
    timeDma(check, dma);
    known->second = {plan.stages, plan.cycles};
    return;
  }
  plan.stages = known->second.stages;
  plan.cycles = known->second.cycles;
}
