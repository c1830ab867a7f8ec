//===- SliceWork.cpp - Commands that run slice by slice -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/SliceWork.h"
#include "Engine/Nest.h"
#include "Memory/ByteMap.h"
#include "sequin/Support/Interrupt.h"

using namespace sequin;
using namespace sequin::sim;
using config::DmaDescriptor;

/// Commands at a time: each has buffers of its own.
static constexpr size_t kMaxCommands = 64;
/// Copies of a DMA command that are sorted by slice; with more of them it runs
/// by itself.
static constexpr int64_t kMaxCopies = 1 << 18;

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

/// Whether the loop stays in a slice. Two places in one slice are less than
/// half a slice stride apart.
static bool staysInSlice(const DmaDescriptor::Entry &entry, bool loads,
                         const TcpMachine &machine) {
  int64_t stride = loads ? entry.destinationStride : entry.sourceStride;
  return std::abs(stride) < machine.dmSliceStride / 2;
}

namespace {
/// Plain copies from or to HBM, sorted by slice.
class SliceCopies final : public SliceWork {
public:
  SliceCopies(const config::DmaCommand &dma, const TcpMachine &machine,
              SystemMemory &memory);
  void run(int64_t chip, int64_t slice) override;
  void forEachStore(
      llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) const override;
  llvm::Error finish() override { return llvm::Error::success(); }

private:
  /// Runs of a descriptor in one slice; offsets are from the first run.
  struct Form {
    int64_t chip; ///< of HBM
    int64_t runs, bytes;
    Odometer hbm, dm;
  };
  /// Its first run: the address in HBM, the offset in the slice.
  struct Copy {
    size_t form;
    int64_t address, offset;
  };
  /// Calls visit(chip, address, offset, bytes) for every run.
  template <class Visit> void forEachRun(const Copy &copy, Visit &&visit) const;

  bool loads;
  int64_t slices; ///< of a chip
  SystemMemory &memory;
  std::vector<Form> forms;
  std::vector<std::vector<Copy>> copies; ///< by slice, chip after chip
};
} // namespace

SliceCopies::SliceCopies(const config::DmaCommand &dma,
                         const TcpMachine &machine, SystemMemory &memory)
    : loads(dma.source == config::Memory::Hbm),
      slices(machine.clustersPerChip * machine.slicesPerCluster),
      memory(memory) {
  for (const DmaDescriptor &descriptor : dma.descriptors) {
    // No byte is written twice, so the copies may come in any order: what is
    // contiguous on both sides is one.
    llvm::SmallVector<DmaDescriptor::Entry, 8> entries(descriptor.entries);
    int64_t bytes = foldRun(entries, descriptor.packetBytes);
    llvm::SmallVector<Loop, 8> loops[2][2]; // of a slice or not; HBM or DM
    for (const DmaDescriptor::Entry &entry : entries) {
      bool inSlice = staysInSlice(entry, loads, machine);
      loops[inSlice][!loads].push_back({entry.size, entry.sourceStride});
      loops[inSlice][loads].push_back({entry.size, entry.destinationStride});
    }
    int64_t hbmChip = descriptor.sourceChip;
    int64_t dmChip = descriptor.destinationChip;
    int64_t address = descriptor.sourceAddress;
    int64_t flat = descriptor.destinationAddress;
    if (!loads) {
      std::swap(hbmChip, dmChip);
      std::swap(address, flat);
    }
    forms.push_back({hbmChip, *tripCount(loops[true][0]), bytes,
                     Odometer(loops[true][0]), Odometer(loops[true][1])});
    Odometer hbm(loops[false][0]), dm(loops[false][1]);
    for (int64_t i = 0, end = *tripCount(loops[false][0]); i < end; ++i) {
      int64_t place = flat + dm.offset();
      size_t unit = dmChip * slices + place / machine.dmSliceStride;
      if (unit >= copies.size())
        copies.resize(unit + 1);
      copies[unit].push_back({forms.size() - 1, address + hbm.offset(),
                              place % machine.dmSliceStride});
      hbm.advance();
      dm.advance();
    }
  }
}

template <class Visit>
void SliceCopies::forEachRun(const Copy &copy, Visit &&visit) const {
  const Form &form = forms[copy.form];
  Odometer hbm = form.hbm, dm = form.dm;
  for (int64_t i = 0; i < form.runs; ++i) {
    visit(form.chip, copy.address + hbm.offset(), copy.offset + dm.offset(),
          form.bytes);
    hbm.advance();
    dm.advance();
  }
}

void SliceCopies::run(int64_t chip, int64_t slice) {
  size_t unit = chip * slices + slice;
  if (unit >= copies.size())
    return;
  for (const Copy &copy : copies[unit])
    forEachRun(copy, [&](int64_t hbmChip, int64_t address, int64_t offset,
                         int64_t bytes) {
      int64_t end = offset + bytes;
      if (loads)
        memory.readHbm(hbmChip, address,
                       memory.dmForWrite(chip, slice, offset, end) + offset,
                       bytes);
      else
        memory.writeHbm(hbmChip, address,
                        memory.dm(chip, slice, offset, end) + offset, bytes);
    });
}

void SliceCopies::forEachStore(
    llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) const {
  if (loads)
    return;
  for (const std::vector<Copy> &list : copies)
    for (const Copy &copy : list)
      forEachRun(copy, [&](int64_t chip, int64_t address, int64_t,
                           int64_t bytes) { visit(chip, address, bytes); });
}

std::unique_ptr<SliceWork> sim::makeSliceWork(const config::DmaCommand &dma,
                                              const TcpMachine &machine,
                                              SystemMemory &memory) {
  using config::Memory;
  bool loads = dma.source == Memory::Hbm && dma.destination == Memory::Dm;
  bool stores = dma.source == Memory::Dm && dma.destination == Memory::Hbm;
  if (!loads && !stores)
    return nullptr;
  int64_t count = 0;
  for (const DmaDescriptor &descriptor : dma.descriptors) {
    if (descriptor.indirection)
      return nullptr;
    int64_t inSlices = 1;
    for (const DmaDescriptor::Entry &entry : descriptor.entries)
      if (!staysInSlice(entry, loads, machine))
        inSlices *= entry.size;
    count += inSlices;
  }
  if (count > kMaxCopies)
    return nullptr;
  return std::make_unique<SliceCopies>(dma, machine, memory);
}

namespace {
/// What a sequence of commands reads and writes in HBM. Running it slice by
/// slice changes the order of accesses of different slices, so no two commands
/// may meet there. Bounding ranges settle most; the bytes of two that both
/// write are ticked off, because results are often written in turns.
class HbmTraffic {
public:
  /// Whether the command may join the sequence; if so, it does.
  bool admit(const CommandPlan &plan, const SliceWork &work);

private:
  static bool overlaps(const Access &a, const Access &b) {
    return a.chip == b.chip && a.begin < b.end && b.begin < a.end;
  }
  bool tickOff(const SliceWork &work);

  std::vector<const Access *> reads, writes;
  /// Those that write, and how many of them are in the map.
  std::vector<const SliceWork *> writers;
  size_t mapped = 0;
  ByteMap map;
};
} // namespace

bool HbmTraffic::admit(const CommandPlan &plan, const SliceWork &work) {
  auto meets = [](llvm::ArrayRef<const Access *> others, const Access &access) {
    return llvm::any_of(
        others, [&](const Access *other) { return overlaps(*other, access); });
  };
  llvm::SmallVector<const Access *, 8> newReads, newWrites;
  bool mayRewrite = false;
  for (const Access &access : plan.accesses) {
    if (access.space != Space::Hbm)
      continue;
    if (meets(access.write ? reads : writes, access))
      return false;
    mayRewrite |= access.write && meets(writes, access);
    (access.write ? newWrites : newReads).push_back(&access);
  }
  if (!newWrites.empty())
    writers.push_back(&work);
  if (mayRewrite)
    for (; mapped < writers.size(); ++mapped)
      if (!tickOff(*writers[mapped]))
        return false;
  llvm::append_range(reads, newReads);
  llvm::append_range(writes, newWrites);
  return true;
}

/// Whether nothing that `work` writes has been ticked off before.
bool HbmTraffic::tickOff(const SliceWork &work) {
  bool isNew = true;
  work.forEachStore([&](int64_t chip, int64_t address, int64_t bytes) {
    isNew &= !map.set(chip, address, bytes);
  });
  return isNew;
}

/// Whether the command may touch the memories of slices.
static bool usesSlices(const config::Command &command) {
  using config::Memory;
  if (const auto *dma = std::get_if<config::DmaCommand>(&command.body))
    return dma->source == Memory::Dm || dma->destination == Memory::Dm;
  return !std::holds_alternative<config::Transfer>(command.body);
}

int64_t sim::findLastUseOfSlices(const config::UnrolledProgram &program) {
  int64_t last = program.size() - 1;
  while (last >= 0 && !usesSlices(program.getWritten(last)))
    --last;
  return last;
}

llvm::Expected<int64_t>
sim::runSliceBySlice(const config::UnrolledProgram &program, int64_t first,
                     int64_t last, llvm::ArrayRef<CommandPlan> plans,
                     const TcpMachine &machine, SystemMemory &memory) {
  std::vector<std::unique_ptr<SliceWork>> works;
  // Work looks at its command until it is done.
  std::vector<std::unique_ptr<config::Command>> made;
  HbmTraffic traffic;
  for (int64_t i = first; i < program.size() && works.size() < kMaxCommands;
       ++i) {
    made.push_back(std::make_unique<config::Command>());
    const config::Command &command = program.getCommand(i, *made.back());
    std::unique_ptr<SliceWork> work;
    if (const auto *exec = std::get_if<config::ExecCommand>(&command.body))
      work = makeSliceWork(command.name, *exec, plans[i], machine, memory);
    else if (const auto *dma = std::get_if<config::DmaCommand>(&command.body))
      work = makeSliceWork(*dma, machine, memory);
    if (!work || !traffic.admit(plans[i], *work))
      break;
    works.push_back(std::move(work));
  }
  int64_t count = works.size(), chips = program.getProgram().chips;
  bool isLast = last < first + count;
  int64_t slices = machine.clustersPerChip * machine.slicesPerCluster;
  if (!works.empty())
    for (int64_t chip = 0; chip < chips; ++chip)
      for (int64_t slice = 0; slice < slices; ++slice) {
        if (interrupted())
          return interruptedError();
        for (const std::unique_ptr<SliceWork> &work : works)
          work->run(chip, slice);
        if (isLast)
          memory.forgetSlice(chip, slice);
      }
  // The first command in the program's order that went wrong.
  for (const std::unique_ptr<SliceWork> &work : works)
    if (llvm::Error error = work->finish())
      return std::move(error);
  return count;
}
