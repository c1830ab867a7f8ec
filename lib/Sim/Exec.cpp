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

  for (int64_t slice = 0,
               end = static_cast<int64_t>(exec.sliceMask.size()) * 64;
       slice < end; ++slice) {
    if (!(exec.sliceMask[slice / 64] >> (slice % 64) & 1))
      continue;
    fetch.begin(memory.dm(exec.chip, slice, plan.fetchBegin, plan.fetchEnd));
    if (contract)
      contract->begin(memory.trf(exec.chip, slice));
    if (vector)
      vector->begin(memory.vrf(exec.chip, slice));
    sink.begin(memory, slice, plan);
    for (int64_t done = 0; done < plan.packets; done += blockPackets) {
      llvm::MutableArrayRef<uint8_t> flits =
          fetch.read(std::min(blockPackets, plan.packets - done));
      if (contract)
        contract->push(flits, behindContract);
      else
        behindContract(flits);
    }
    if (contract)
      contract->finish(behindContract);
  }
}
