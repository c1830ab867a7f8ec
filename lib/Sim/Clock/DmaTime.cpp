//===- DmaTime.cpp - How long a DMA command takes -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requests of all engines, one by one, each to the memories it touches. A
// command takes as long as the slowest of (docs/Decisions):
//
//     engines  an engine works through its descriptors, each with its start-up
//              and a cycle per request; a copy inside one memory reads and
//              writes one after the other, and so does DM to HBM (the manual's
//              Examples 1, 3 and 6; ERR-36). Requests of what is written to HBM
//              end where its units do (MEM-14)
//     dm       a data memory network moves 128 bytes per cycle, so a request of
//              256 takes it for two, and full speed needs two networks in turn;
//              two requests at most wait at a slice; a machine's row may limit
//              what goes in and out of a cluster
//     hbm      channels, banks and rows (Hbm.h)
//     outstanding
//              where a machine's row limits the requests of an engine that HBM
//              has not served (HbmService.h)
//     spm      128 bytes per cycle and cluster
//     pcie     30 bytes per cycle into a chip, and out of it
//     path     what a machine's row allows from HBM into the data memory of a
//              cluster, and of a chip
//
//===----------------------------------------------------------------------===//

#include "Check/CommandCheck.h"
#include "Clock/Hbm.h"
#include "Clock/HbmService.h"
#include "sequin/Support/Interrupt.h"

using namespace sequin;
using namespace sequin::sim;
using config::DmaCommand;
using config::DmaDescriptor;
using config::DmaIndirection;
using config::Memory;

namespace {

/// Data memory of all chips as the DMA engines see it, without the tensor
/// unit.
class DmNetworks {
public:
  DmNetworks(const TcpMachine &machine, int64_t chips)
      : machine(machine),
        slicesPerChip(machine.clustersPerChip * machine.slicesPerCluster),
        freeAt(chips * machine.dmnsPerChip(), 0),
        leaves(chips * slicesPerChip * machine.dmQueueEntries, 0),
        next(chips * slicesPerChip, 0) {}

  /// A request that its engine has ready at `time`; moves `time` to when the
  /// slice's queue takes it and returns when the network begins with it.
  int64_t request(int64_t chip, int64_t address, int64_t bytes, int64_t &time) {
    // One slice after the other many times: divisions are worth avoiding.
    if (address < sliceBegin || address >= sliceBegin + machine.dmSliceStride ||
        chip != sliceChip) {
      int64_t inChip = address / machine.dmSliceStride;
      sliceBegin = inChip * machine.dmSliceStride;
      sliceChip = chip;
      slice = chip * slicesPerChip + inChip;
      sliceNetwork = slice / machine.slicesPerDmn;
    }
    if (bytes != lastBytes) {
      lastBytes = bytes;
      lastCycles = llvm::divideCeil(bytes, machine.dmnBytesPerCycle);
    }
    int64_t &leaving = leaves[slice * machine.dmQueueEntries + next[slice]];
    if (++next[slice] == machine.dmQueueEntries)
      next[slice] = 0;
    time = std::max(time, leaving);
    int64_t &network = freeAt[sliceNetwork];
    int64_t begin = std::max(time, network);
    leaving = begin;
    network = begin + lastCycles;
    return begin;
  }

private:
  const TcpMachine &machine;
  int64_t slicesPerChip;
  std::vector<int64_t> freeAt; ///< by network
  /// By slice, when the requests that hold a queue entry leave it: when their
  /// network begins with them.
  std::vector<int64_t> leaves;
  std::vector<uint8_t> next;
  /// Of the last request.
  int64_t slice = 0, sliceChip = -1, sliceBegin = 0, sliceNetwork = 0;
  int64_t lastBytes = -1, lastCycles = 0;
};

/// Walks the requests of one engine.
class Engine {
public:
  /// Where HBM is written, requests may end at the boundaries of its units.
  Engine(const TcpMachine &machine, int64_t startup, bool endsAtUnits)
      : machine(machine), startup(startup), endsAtUnits(endsAtUnits) {}

  void add(const DmaDescriptor &descriptor, int64_t step) {
    work.push_back({&descriptor, step});
    if (work.size() == 1)
      begin();
  }
  bool done() const { return current == work.size(); }
  const DmaDescriptor &descriptor() const { return *work[current].descriptor; }
  int64_t step() const { return work[current].step; }

  int64_t source() const {
    return descriptor().sourceAddress + from.offset() + inPacket + indexed(0);
  }
  int64_t destination() const {
    return descriptor().destinationAddress + to.offset() + inPacket +
           indexed(1);
  }
  /// Of the request.
  int64_t bytes() const {
    int64_t bytes =
        std::min(machine.dmaRequestBytes, descriptor().packetBytes - inPacket);
    int64_t unit = machine.hbm.unitBytes;
    return endsAtUnits ? std::min(bytes, unit - destination() % unit) : bytes;
  }
  void advance() {
    busy += step();
    inPacket += bytes();
    if (inPacket < descriptor().packetBytes)
      return;
    inPacket = 0;
    from.advance();
    to.advance();
    ++packet;
    if (--packetsLeft > 0)
      return;
    if (++current < work.size())
      begin();
  }

  int64_t time = 0; ///< when the next request is ready
  int64_t end = 0;  ///< when the last one began
  int64_t busy = 0; ///< with start-ups and requests, without waiting
  /// When HBM has served the requests that were outstanding last; the oldest is
  /// replaced first.
  llvm::SmallVector<int64_t, 16> served;
  size_t oldest = 0;

private:
  void begin() {
    llvm::SmallVector<Loop, 8> source, destination;
    for (const DmaDescriptor::Entry &entry : descriptor().entries) {
      source.push_back({entry.size, entry.sourceStride});
      destination.push_back({entry.size, entry.destinationStride});
    }
    from = Odometer(source);
    to = Odometer(destination);
    packetsLeft = *tripCount(source);
    packet = 0;
    time = end = std::max(time, end) + startup;
    busy += startup;
  }
  /// Cycles must not depend on data, so index i counts as i.
  int64_t indexed(int side) const {
    const auto &indirection = descriptor().indirection;
    if (!indirection || static_cast<int>(indirection->side) != side)
      return 0;
    return packet % indirection->count * indirection->step;
  }

  const TcpMachine &machine;
  int64_t startup; ///< of a descriptor
  bool endsAtUnits;
  struct Work {
    const DmaDescriptor *descriptor;
    int64_t step;
  };
  std::vector<Work> work;
  size_t current = 0;
  Odometer from, to;
  int64_t packetsLeft = 0, packet = 0, inPacket = 0;
};

class DmaTimer {
public:
  DmaTimer(const CommandCheck &check, const DmaCommand &dma)
      : check(check), dma(dma), machine(check.machine),
        chips(check.program.chips),
        startup(machine.dmaStartupCycles +
                (dma.destination == Memory::Hbm
                     ? machine.dmaStoreDescriptorCycles
                     : 0)),
        networks(machine, chips), hbm(chips),
        engines(chips * machine.dmaEngines,
                Engine(machine, startup,
                       dma.destination == Memory::Hbm &&
                           !machine.hbm.mergesPartialWrites)),
        service(chips), spmBytes(chips * machine.clustersPerChip, 0),
        dmBytes(chips * machine.clustersPerChip, 0),
        pathBytes(chips * machine.clustersPerChip, 0), linkIn(chips, 0),
        linkOut(chips, 0) {}

  void run();

private:
  bool uses(Memory memory) const {
    return dma.source == memory || dma.destination == memory;
  }
  int64_t cyclesPerRequest(const DmaDescriptor &descriptor) const;
  void touch(Memory memory, int64_t chip, int64_t address, int64_t bytes,
             bool write, Engine &engine);
  Hbm &hbmOf(int64_t chip) {
    if (!hbm[chip])
      hbm[chip] = std::make_unique<Hbm>(machine.hbm, machine.clockMHz);
    return *hbm[chip];
  }
  /// Whether engines wait for HBM to serve what they asked for.
  bool isOutstandingLimited() const {
    return machine.dmaOutstandingRequests > 0 && uses(Memory::Hbm);
  }
  void serve(int64_t chip, int64_t address, int64_t bytes, bool write,
             Engine &engine);
  bool isPathLimited() const {
    return dma.source == Memory::Hbm && dma.destination == Memory::Dm &&
           (machine.hbmToDmClusterBytesPerCycle > 0 ||
            machine.hbmToDmChipBytesPerCycle > 0);
  }
  int64_t pathCycles() const;
  void addStage(llvm::StringRef name, int64_t cycles) {
    check.plan.stages.push_back({name.str(), cycles});
    check.plan.cycles = std::max(check.plan.cycles, cycles);
  }

  const CommandCheck &check;
  const DmaCommand &dma;
  const TcpMachine &machine;
  int64_t chips;
  int64_t startup; ///< of a descriptor
  DmNetworks networks;
  std::vector<std::unique_ptr<Hbm>> hbm; ///< by chip
  std::vector<Engine> engines;
  std::vector<std::unique_ptr<HbmService>> service; ///< by chip
  int64_t lastServed = 0;
  std::vector<int64_t> spmBytes;  ///< by cluster
  std::vector<int64_t> dmBytes;   ///< in and out, by cluster
  std::vector<int64_t> pathBytes; ///< from HBM, by cluster
  std::vector<int64_t> linkIn, linkOut;
};

} // namespace

/// Two where reading and writing cannot overlap.
int64_t DmaTimer::cyclesPerRequest(const DmaDescriptor &descriptor) const {
  if (dma.destination == Memory::Hbm && dma.source != Memory::Hbm)
    return 2;
  if (dma.source != dma.destination ||
      descriptor.sourceChip != descriptor.destinationChip)
    return 1;
  // Clusters have data memories of their own.
  int64_t cluster = machine.dmSliceStride * machine.slicesPerCluster;
  bool otherCluster =
      dma.source == Memory::Dm && descriptor.sourceAddress / cluster !=
                                      descriptor.destinationAddress / cluster;
  return otherCluster ? 1 : 2;
}

void DmaTimer::touch(Memory memory, int64_t chip, int64_t address,
                     int64_t bytes, bool write, Engine &engine) {
  switch (memory) {
  case Memory::Hbm:
    hbmOf(chip).access(address, bytes, write);
    if (isOutstandingLimited())
      serve(chip, address, bytes, write, engine);
    return;
  case Memory::Dm: {
    if (isPathLimited() || machine.dmClusterBytesPerCycle > 0) {
      int64_t cluster =
          chip * machine.clustersPerChip +
          address / machine.dmSliceStride / machine.slicesPerCluster;
      dmBytes[cluster] += bytes;
      pathBytes[cluster] += write ? bytes : 0;
    }
    // A write in turn with its read is the second half of the step.
    engine.end = std::max(engine.end,
                          networks.request(chip, address, bytes, engine.time) +
                              (write ? engine.step() % 2 : engine.step()));
    return;
  }
  case Memory::Spm: {
    int64_t perCluster = machine.spmBytesPerChip() / machine.clustersPerChip;
    spmBytes[chip * machine.clustersPerChip + address / perCluster] += bytes;
    return;
  }
  }
}

/// The request takes the place of the oldest one of its engine.
void DmaTimer::serve(int64_t chip, int64_t address, int64_t bytes, bool write,
                     Engine &engine) {
  if (!service[chip])
    service[chip] = std::make_unique<HbmService>(machine.hbm, machine.clockMHz);
  int64_t end = service[chip]->serve(engine.time, address, bytes, write);
  lastServed = std::max(lastServed, end);
  engine.served.resize(machine.dmaOutstandingRequests, 0);
  int64_t &place = engine.served[engine.oldest];
  place = std::max(place, end);
}

int64_t DmaTimer::pathCycles() const {
  auto cyclesOf = [](int64_t bytes, int64_t rate) {
    return rate > 0 ? llvm::divideCeil(bytes, rate) : 0;
  };
  int64_t cycles = 0;
  for (int64_t chip = 0; chip < chips; ++chip) {
    int64_t all = 0;
    for (int64_t cluster = 0; cluster < machine.clustersPerChip; ++cluster) {
      int64_t bytes = pathBytes[chip * machine.clustersPerChip + cluster];
      cycles = std::max<int64_t>(
          cycles, cyclesOf(bytes, machine.hbmToDmClusterBytesPerCycle));
      all += bytes;
    }
    cycles = std::max<int64_t>(cycles,
                               cyclesOf(all, machine.hbmToDmChipBytesPerCycle));
  }
  return cycles;
}

void DmaTimer::run() {
  for (const DmaDescriptor &descriptor : dma.descriptors) {
    Engine &engine =
        engines[descriptor.sourceChip * machine.dmaEngines + descriptor.engine];
    int64_t packets = *tripCount(descriptor.entries);
    engine.add(descriptor, cyclesPerRequest(descriptor));
    if (const auto &indirection = descriptor.indirection) {
      // The list of indices is read first.
      int64_t indices = packets;
      for (auto [entry, stride] :
           llvm::zip_equal(descriptor.entries, indirection->strides))
        if (stride == 0)
          indices /= entry.size;
      engine.busy += llvm::divideCeil(indices * machine.dmaIndexBytes,
                                      machine.dmaRequestBytes);
    }
    if (descriptor.sourceChip != descriptor.destinationChip) {
      linkOut[descriptor.sourceChip] += packets * descriptor.packetBytes;
      linkIn[descriptor.destinationChip] += packets * descriptor.packetBytes;
    }
  }

  llvm::SmallVector<Engine *, 8> active;
  for (Engine &engine : engines)
    if (!engine.done())
      active.push_back(&engine);
  int64_t dm = 0;
  while (!active.empty() && !interrupted(/*every=*/1024)) {
    // The earliest goes first, the lower number at the same time.
    size_t first = 0;
    for (size_t i = 1; i < active.size(); ++i)
      if (active[i]->time < active[first]->time)
        first = i;
    Engine &engine = *active[first];
    const DmaDescriptor &descriptor = engine.descriptor();
    int64_t bytes = engine.bytes(), step = engine.step();
    if (isOutstandingLimited() && !engine.served.empty()) {
      // Others go first while it waits.
      int64_t &served = engine.served[engine.oldest];
      if (served > engine.time) {
        engine.time = served;
        continue;
      }
    }
    touch(dma.source, descriptor.sourceChip, engine.source(), bytes, false,
          engine);
    int64_t read = engine.time;
    if (step == 2)
      ++engine.time;
    touch(dma.destination, descriptor.destinationChip, engine.destination(),
          bytes, true, engine);
    engine.time = std::max(engine.time + 1, read + step);
    if (isOutstandingLimited())
      engine.oldest = (engine.oldest + 1) % machine.dmaOutstandingRequests;
    engine.advance();
    dm = std::max(dm, engine.end);
    if (engine.done())
      active.erase(active.begin() + first);
  }

  int64_t busiest = 0;
  for (const Engine &engine : engines)
    busiest = std::max(busiest, engine.busy);
  addStage("engines", busiest);
  if (uses(Memory::Dm)) {
    if (machine.dmClusterBytesPerCycle > 0)
      dm = std::max<int64_t>(
          dm, startup + llvm::divideCeil(*llvm::max_element(dmBytes),
                                         machine.dmClusterBytesPerCycle));
    addStage("dm", dm);
  }
  if (uses(Memory::Hbm)) {
    int64_t cycles = 0;
    for (auto &chip : hbm)
      if (chip)
        cycles = std::max(cycles, chip->finish().cycles);
    addStage("hbm", startup + cycles);
  }
  if (isOutstandingLimited())
    addStage("outstanding", lastServed);
  if (uses(Memory::Spm))
    addStage("spm", startup + llvm::divideCeil(*llvm::max_element(spmBytes),
                                               machine.spmBytesPerCycle));
  if (isPathLimited())
    addStage("path", startup + pathCycles());
  int64_t link =
      std::max(*llvm::max_element(linkIn), *llvm::max_element(linkOut));
  if (link > 0)
    addStage("pcie",
             startup + llvm::divideCeil(link, machine.interChipBytesPerCycle));
}

void sim::timeDma(const CommandCheck &check, const DmaCommand &dma) {
  DmaTimer(check, dma).run();
}
