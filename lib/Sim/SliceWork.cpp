//===- SliceWork.cpp - Commands that run slice by slice -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceWork.h"
#include "Nest.h"

using namespace sequin;
using namespace sequin::sim;
using config::DmaDescriptor;

/// Commands at a time: each has buffers of its own.
static constexpr size_t kMaxCommands = 64;
/// Runs of a DMA command that are sorted by slice; more are copied as they
/// come.
static constexpr int64_t kMaxRuns = 1 << 18;

/// Takes out of `entries` those that continue a run of `bytes` on both sides;
/// the length of the whole run.
static int64_t foldRun(llvm::SmallVectorImpl<DmaDescriptor::Entry> &entries,
                       int64_t bytes) {
  auto continues = [&](const DmaDescriptor::Entry &entry) {
    return entry.sourceStride == bytes && entry.destinationStride == bytes;
  };
  for (;;) {
    auto *next = llvm::find_if(entries, continues);
    if (next == entries.end())
      return bytes;
    bytes *= next->size;
    entries.erase(next);
  }
}

namespace {
/// Plain copies from HBM, sorted by slice.
class SliceLoads final : public SliceWork {
public:
  SliceLoads(const config::DmaCommand &dma, const TcpMachine &machine,
             SystemMemory &memory);
  void run(int64_t chip, int64_t slice) override;
  llvm::Error finish() override { return llvm::Error::success(); }

private:
  /// `offset` is in the slice.
  struct Copy {
    int64_t chip, address, offset, bytes;
  };
  int64_t slices; ///< of a chip
  SystemMemory &memory;
  std::vector<std::vector<Copy>> copies; ///< by slice, chip after chip
};
} // namespace

SliceLoads::SliceLoads(const config::DmaCommand &dma, const TcpMachine &machine,
                       SystemMemory &memory)
    : slices(machine.clustersPerChip * machine.slicesPerCluster),
      memory(memory) {
  for (const DmaDescriptor &descriptor : dma.descriptors) {
    // No byte is written twice, so the copies may come in any order: what is
    // contiguous on both sides is one.
    llvm::SmallVector<DmaDescriptor::Entry, 8> entries(descriptor.entries);
    int64_t bytes = foldRun(entries, descriptor.packetBytes);
    llvm::SmallVector<Loop, 8> source, destination;
    for (const DmaDescriptor::Entry &entry : entries) {
      source.push_back({entry.size, entry.sourceStride});
      destination.push_back({entry.size, entry.destinationStride});
    }
    Odometer from(source), to(destination);
    for (int64_t i = 0, end = *tripCount(source); i < end; ++i) {
      int64_t flat = descriptor.destinationAddress + to.offset();
      Copy copy{descriptor.sourceChip, descriptor.sourceAddress + from.offset(),
                flat % machine.dmSliceStride, bytes};
      from.advance();
      to.advance();
      size_t unit =
          descriptor.destinationChip * slices + flat / machine.dmSliceStride;
      if (unit >= copies.size())
        copies.resize(unit + 1);
      std::vector<Copy> &list = copies[unit];
      if (!list.empty() && list.back().chip == copy.chip &&
          list.back().address + list.back().bytes == copy.address &&
          list.back().offset + list.back().bytes == copy.offset)
        list.back().bytes += copy.bytes;
      else
        list.push_back(copy);
    }
  }
}

void SliceLoads::run(int64_t chip, int64_t slice) {
  size_t unit = chip * slices + slice;
  if (unit >= copies.size())
    return;
  for (const Copy &copy : copies[unit]) {
    int64_t end = copy.offset + copy.bytes;
    memory.readHbm(copy.chip, copy.address,
                   memory.dmForWrite(chip, slice, copy.offset, end) +
                       copy.offset,
                   copy.bytes);
  }
}

std::unique_ptr<SliceWork> sim::makeSliceWork(const config::DmaCommand &dma,
                                              const TcpMachine &machine,
                                              SystemMemory &memory) {
  if (dma.source != config::Memory::Hbm ||
      dma.destination != config::Memory::Dm)
    return nullptr;
  int64_t runs = 0;
  for (const DmaDescriptor &descriptor : dma.descriptors) {
    if (descriptor.indirection)
      return nullptr;
    llvm::SmallVector<DmaDescriptor::Entry, 8> entries(descriptor.entries);
    foldRun(entries, descriptor.packetBytes);
    runs += *tripCount(entries);
  }
  if (runs > kMaxRuns)
    return nullptr;
  return std::make_unique<SliceLoads>(dma, machine, memory);
}

llvm::Expected<size_t> sim::runSliceBySlice(
    llvm::ArrayRef<config::Command> commands, llvm::ArrayRef<CommandPlan> plans,
    const TcpMachine &machine, int64_t chips, SystemMemory &memory) {
  std::vector<std::unique_ptr<SliceWork>> works;
  for (size_t i = 0; i < commands.size() && works.size() < kMaxCommands; ++i) {
    std::unique_ptr<SliceWork> work;
    if (const auto *exec = std::get_if<config::ExecCommand>(&commands[i].body))
      work = makeSliceWork(commands[i].name, *exec, plans[i], machine, memory);
    else if (const auto *dma =
                 std::get_if<config::DmaCommand>(&commands[i].body))
      work = makeSliceWork(*dma, machine, memory);
    if (!work)
      break;
    works.push_back(std::move(work));
  }
  int64_t slices = machine.clustersPerChip * machine.slicesPerCluster;
  if (!works.empty())
    for (int64_t chip = 0; chip < chips; ++chip)
      for (int64_t slice = 0; slice < slices; ++slice)
        for (const std::unique_ptr<SliceWork> &work : works)
          work->run(chip, slice);
  // The first command in the program's order that went wrong.
  for (const std::unique_ptr<SliceWork> &work : works)
    if (llvm::Error error = work->finish())
      return std::move(error);
  return works.size();
}
