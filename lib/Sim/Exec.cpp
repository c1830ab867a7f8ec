//===- Exec.cpp - One pass through the tensor unit ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines.h"

using namespace sequin;
using namespace sequin::sim;

/// Flits per block, if packets are not larger: the block stays in the cache.
static constexpr int64_t kBlockFlits = 512;

/// What Broadcast01 delivers to every slice of a ring: the members' packets in
/// the order [time1, slice1, time0, slice0]. `fetchMember` reads all `packets`
/// packets of one member, as flits.
static std::vector<uint8_t> gatherRing(
    const config::SwitchStage &stage, int64_t packets, int64_t packetBytes,
    llvm::function_ref<llvm::ArrayRef<uint8_t>(int64_t, int64_t)> fetchMember) {
  std::vector<uint8_t> stream(stage.slice1 * stage.slice0 * packets *
                              packetBytes);
  for (int64_t slice1 = 0; slice1 < stage.slice1; ++slice1)
    for (int64_t slice0 = 0; slice0 < stage.slice0; ++slice0) {
      llvm::ArrayRef<uint8_t> source =
          fetchMember(slice1 * stage.slice0 + slice0, packets);
      for (int64_t packet = 0; packet < packets; ++packet) {
        int64_t time1 = packet / stage.time0, time0 = packet % stage.time0;
        int64_t position =
            ((time1 * stage.slice1 + slice1) * stage.time0 + time0) *
                stage.slice0 +
            slice0;
        std::memcpy(stream.data() + position * packetBytes,
                    source.data() + packet * packetBytes, packetBytes);
      }
    }
  return stream;
}

void sim::runExec(const config::ExecCommand &exec, const CommandPlan &plan,
                  const TcpMachine &machine, SystemMemory &memory) {
  FetchEngine fetch(exec.fetch, plan, machine);
  std::unique_ptr<ContractEngine> contract;
  if (exec.contract)
    contract = ContractEngine::create(*exec.contract, plan, machine);
  std::optional<VectorEngine> vector;
  if (exec.vector)
    vector.emplace(*exec.vector);
  Sink sink(exec, machine);

  auto behindContract = [&](llvm::MutableArrayRef<uint8_t> flits) {
    if (vector)
      vector->apply(flits);
    if (exec.cast)
      castFlits(*exec.cast, machine, flits);
    sink.write(flits);
  };

  // Whole computation packets: an even number of packets if one has an odd
  // number of flits.
  int64_t flitsPerPacket = plan.flits / plan.packets;
  int64_t group = exec.contract ? exec.contract->collectFlits : 1;
  int64_t blockPackets =
      llvm::alignTo(std::max<int64_t>(1, kBlockFlits / flitsPerPacket), group);

  auto runSlice =
      [&](int64_t slice,
          llvm::function_ref<llvm::MutableArrayRef<uint8_t>(int64_t packets)>
              read) {
        if (contract)
          contract->begin(memory.trf(exec.chip, slice));
        if (vector)
          vector->begin(memory.vrf(exec.chip, slice));
        sink.begin(memory, slice, plan);
        for (int64_t done = 0; done < plan.packets; done += blockPackets) {
          llvm::MutableArrayRef<uint8_t> flits =
              read(std::min(blockPackets, plan.packets - done));
          if (contract)
            contract->push(flits, behindContract);
          else
            behindContract(flits);
        }
        if (contract)
          contract->finish(behindContract);
      };

  auto beginFetch = [&](int64_t slice) {
    fetch.begin(memory.dm(exec.chip, slice, plan.fetchBegin, plan.fetchEnd));
  };
  int64_t slices = machine.clustersPerChip * machine.slicesPerCluster;

  if (!exec.broadcast01) {
    for (int64_t slice = 0; slice < slices; ++slice)
      if (takesPart(exec.sliceMask, slice)) {
        beginFetch(slice);
        runSlice(slice, [&](int64_t packets) { return fetch.read(packets); });
      }
    return;
  }

  int64_t ring = exec.broadcast01->slice1 * exec.broadcast01->slice0;
  int64_t packetBytes = flitsPerPacket * machine.flitBytes;
  std::vector<uint8_t> stream, block;
  for (int64_t first = 0; first < slices; first += ring) {
    bool filled = false;
    for (int64_t slice = first; slice < first + ring; ++slice) {
      if (!takesPart(exec.sliceMask, slice))
        continue;
      if (!filled)
        stream = gatherRing(*exec.broadcast01, plan.packets / ring, packetBytes,
                            [&](int64_t member, int64_t packets) {
                              beginFetch(first + member);
                              return fetch.read(packets);
                            });
      filled = true;
      // The engines work in place, so each slice gets a copy.
      size_t taken = 0;
      runSlice(slice, [&](int64_t packets) -> llvm::MutableArrayRef<uint8_t> {
        auto begin = stream.begin() + taken;
        taken += packets * packetBytes;
        block.assign(begin, stream.begin() + taken);
        return block;
      });
    }
  }
}
