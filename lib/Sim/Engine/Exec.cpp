//===- Exec.cpp - One pass through the tensor unit ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Engines.h"
#include "Engine/SliceWork.h"
#include "sequin/Support/Interrupt.h"

using namespace sequin;
using namespace sequin::sim;

/// Flits per block, if packets are not larger: the block stays in the cache.
static constexpr int64_t kBlockFlits = 512;

namespace {

/// A pass is a pipeline per slice, cut where slices exchange data:
///
///     fetch -> | switch | -> collect, contract, vector -> | inter-slice | ->
///     vector, cast, sink
///
/// Between the cuts a slice runs to its end in blocks of flits before the next
/// one begins; a pass without exchanges is one pipeline.
class Pass {
public:
  Pass(const config::ExecCommand &exec, const CommandPlan &plan,
       const TcpMachine &machine, SystemMemory &memory);
  void run();
  /// The pass of one slice, without exchanges.
  void runSlice(int64_t slice) { runUnit(slice, 1); }
  const std::string &problem() const { return sink.problem(); }
  std::string vectorProblem() const {
    std::string before = vector ? vector->problem() : "";
    return !before.empty() || !vectorAfter ? before : vectorAfter->problem();
  }

private:
  void runUnit(int64_t first, int64_t unit);
  void runFront(int64_t slice, FlitSink sink);
  void runBack(int64_t slice);
  void passOn(llvm::MutableArrayRef<uint8_t> flits);
  void beginFetch(int64_t slice) {
    fetch.begin(memory.dm(exec.chip, slice, plan.fetchBegin, plan.fetchEnd));
  }

  const config::ExecCommand &exec;
  const CommandPlan &plan;
  const TcpMachine &machine;
  SystemMemory &memory;
  std::unique_ptr<ContractEngine> contract;
  /// Without repetitions that the contraction makes by itself: `repetition`
  /// times shorter.
  config::FetchStage fetchStage;
  int64_t repetition = 1;
  FetchEngine fetch;
  std::optional<SwitchEngine> switching;
  std::optional<VectorEngine> vector; ///< before the inter-slice block
  std::optional<InterSliceEngine> interSlice;
  std::optional<VectorEngine> vectorAfter;
  std::optional<TransposeEngine> transpose;
  Sink sink;
  /// Nothing happens between fetch and sink.
  bool isCopy;
  int64_t flitsPerPacket, blockPackets;
  /// The slices between switch and inter-slice block.
  std::vector<uint64_t> frontMask;
  std::vector<uint8_t> block;
};

} // namespace

/// Whether packets of the stream are what the sequencer reads, the same element
/// always becoming the same, without padding.
static bool isPlain(const config::ExecCommand &exec, const CommandPlan &plan,
                    const TcpMachine &machine) {
  const config::FetchStage &fetch = exec.fetch;
  return !exec.switching && !fetch.mask && fetch.zeroPoints.size() < 2 &&
         plan.flits * machine.flitBytes ==
             plan.packets * plan.streamPacketBytes;
}

static std::unique_ptr<ContractEngine>
makeContract(const config::ExecCommand &exec, const CommandPlan &plan,
             const TcpMachine &machine) {
  if (!exec.contract)
    return nullptr;
  return ContractEngine::create(*exec.contract, plan, machine,
                                isPlain(exec, plan, machine) ? &exec.fetch
                                                             : nullptr,
                                exec.switching.has_value());
}

Pass::Pass(const config::ExecCommand &exec, const CommandPlan &plan,
           const TcpMachine &machine, SystemMemory &memory)
    : exec(exec), plan(plan), machine(machine), memory(memory),
      contract(makeContract(exec, plan, machine)), fetchStage(exec.fetch),
      repetition(contract ? contract->shorten(fetchStage) : 1),
      fetch(fetchStage, plan, machine), sink(exec, machine),
      isCopy(!exec.switching && !exec.contract && !exec.vector && !exec.cast &&
             !exec.transpose),
      flitsPerPacket(plan.flits / plan.packets), frontMask(exec.sliceMask) {
  if (exec.switching)
    switching.emplace(*exec.switching, fetch.packetBytes());
  if (exec.vector) {
    const config::VectorStage &stage = *exec.vector;
    if (!stage.interSlice || !stage.ops.empty())
      vector.emplace(stage, stage.ops, machine);
    if (stage.interSlice) {
      interSlice.emplace(*stage.interSlice, machine);
      if (!stage.opsAfter.empty())
        vectorAfter.emplace(stage, stage.opsAfter, machine);
    }
  }
  if (exec.transpose)
    transpose.emplace(*exec.transpose, machine);
  // Whole computation packets: an even number of packets if one has an odd
  // number of flits.
  int64_t group = exec.contract ? exec.contract->collectFlits : 1;
  blockPackets =
      llvm::alignTo(std::max<int64_t>(1, kBlockFlits / flitsPerPacket), group);
}

void Pass::run() {
  int64_t slices = machine.clustersPerChip * machine.slicesPerCluster;
  if (interSlice) {
    frontMask.assign(llvm::divideCeil(slices, 64), 0);
    const RoutingTable &table = interSlice->routing();
    for (int64_t slice = 0; slice < slices; ++slice) {
      if (!takesPart(exec.sliceMask, slice))
        continue;
      int64_t first = slice / table.ringSize() * table.ringSize();
      for (int64_t source : table.sources(slice))
        frontMask[(first + source) / 64] |= uint64_t(1)
                                            << ((first + source) % 64);
    }
  }
  // Rings of both kinds divide the cluster; the larger one holds whole smaller
  // ones because both are powers of two, as the cluster is.
  int64_t unit =
      std::max(switching ? switching->routing().ringSize() : int64_t(1),
               interSlice ? interSlice->routing().ringSize() : int64_t(1));
  for (int64_t first = 0; first < slices && !interrupted(); first += unit)
    runUnit(first, unit);
}

/// Runs the slices [first, first + unit), which exchange data with no others.
void Pass::runUnit(int64_t first, int64_t unit) {
  auto toSink = [this](llvm::MutableArrayRef<uint8_t> flits) { passOn(flits); };
  int64_t switchRing = switching ? switching->routing().ringSize() : 1;
  int64_t reduceRing = interSlice ? interSlice->routing().ringSize() : 1;
  for (int64_t slice = first; slice < first + unit; ++slice) {
    if (switching && slice % switchRing == 0)
      switching->load(slice, frontMask, [&](int64_t member) {
        beginFetch(member);
        return llvm::ArrayRef<uint8_t>(fetch.read(plan.fetchPackets));
      });
    if (interSlice && slice % reduceRing == 0)
      interSlice->beginRing(slice, exec.sliceMask);
    if (takesPart(frontMask, slice)) {
      if (!interSlice) {
        sink.begin(memory, slice, plan);
        runFront(slice, toSink);
      } else {
        interSlice->begin(slice);
        runFront(slice, [&](llvm::MutableArrayRef<uint8_t> flits) {
          interSlice->push(flits);
        });
      }
    }
    if (interSlice && (slice + 1) % reduceRing == 0)
      for (int64_t taker = slice + 1 - reduceRing; taker <= slice; ++taker)
        if (takesPart(exec.sliceMask, taker))
          runBack(taker);
  }
}

/// From fetch or switch to the inter-slice block, or to the sink.
void Pass::runFront(int64_t slice, FlitSink next) {
  bool repeats = false;
  if (switching)
    repeats = switching->begin(slice);
  else
    beginFetch(slice);
  if (contract)
    contract->begin(memory.trf(exec.chip, slice, exec.contract->type));
  if (vector)
    vector->begin(memory.vrf(exec.chip, slice), slice);
  auto behindContract = [&](llvm::MutableArrayRef<uint8_t> flits) {
    if (vector)
      vector->push(flits, next);
    else
      next(flits);
  };
  int64_t allPackets = plan.packets / repetition;
  if (repeats && contract && contract->pushAgain(behindContract))
    allPackets = 0;
  for (int64_t done = 0; done < allPackets && !interrupted();
       done += blockPackets) {
    int64_t packets = std::min(blockPackets, allPackets - done);
    if (switching && contract)
      contract->push(switching->read(packets), behindContract);
    else if (contract)
      contract->push(fetch.view(packets), behindContract);
    else if (isCopy)
      sink.write(fetch.view(packets));
    else
      behindContract(switching ? switching->read(packets)
                               : fetch.read(packets));
  }
  if (contract)
    contract->finish(behindContract);
  if (vector)
    vector->finish(next);
}

/// From the inter-slice block to the sink.
void Pass::runBack(int64_t slice) {
  auto toSink = [this](llvm::MutableArrayRef<uint8_t> flits) { passOn(flits); };
  sink.begin(memory, slice, plan);
  if (vectorAfter)
    vectorAfter->begin(memory.vrf(exec.chip, slice), slice);
  llvm::ArrayRef<uint8_t> stream = interSlice->reduce(slice);
  size_t step = kBlockFlits * machine.flitBytes;
  for (; !stream.empty(); stream = stream.drop_front(block.size())) {
    // The engines work in place, and several slices may get this stream.
    block.assign(stream.begin(),
                 stream.begin() + std::min(step, stream.size()));
    if (vectorAfter)
      vectorAfter->push(block, toSink);
    else
      passOn(block);
  }
  if (vectorAfter)
    vectorAfter->finish(toSink);
}

void Pass::passOn(llvm::MutableArrayRef<uint8_t> flits) {
  if (exec.cast)
    castFlits(*exec.cast, machine, flits);
  if (!transpose)
    return sink.write(flits);
  transpose->push(flits, [this](llvm::MutableArrayRef<uint8_t> turned) {
    sink.write(turned);
  });
}

static llvm::Error finishPass(llvm::StringRef name, const Pass &pass) {
  if (!pass.vectorProblem().empty())
    return llvm::make_error<Trap>(name.str(), "vector", pass.vectorProblem());
  if (pass.problem().empty())
    return llvm::Error::success();
  return llvm::make_error<Trap>(name.str(), "commit", pass.problem());
}

llvm::Error sim::runExec(llvm::StringRef name, const config::ExecCommand &exec,
                         const CommandPlan &plan, const TcpMachine &machine,
                         SystemMemory &memory) {
  Pass pass(exec, plan, machine, memory);
  pass.run();
  return finishPass(name, pass);
}

namespace {
class SlicePass final : public SliceWork {
public:
  SlicePass(llvm::StringRef name, const config::ExecCommand &exec,
            const CommandPlan &plan, const TcpMachine &machine,
            SystemMemory &memory)
      : name(name), chip(exec.chip), pass(exec, plan, machine, memory) {}
  void run(int64_t chip, int64_t slice) override {
    if (chip == this->chip)
      pass.runSlice(slice);
  }
  llvm::Error finish() override { return finishPass(name, pass); }

private:
  llvm::StringRef name;
  int64_t chip;
  Pass pass;
};
} // namespace

std::unique_ptr<SliceWork> sim::makeSliceWork(llvm::StringRef name,
                                              const config::ExecCommand &exec,
                                              const CommandPlan &plan,
                                              const TcpMachine &machine,
                                              SystemMemory &memory) {
  if (exec.switching || (exec.vector && exec.vector->interSlice))
    return nullptr;
  return std::make_unique<SlicePass>(name, exec, plan, machine, memory);
}
