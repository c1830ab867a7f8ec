//===- CheckContract.cpp - Checks of the contraction ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/ExecCheck.h"
#include "Engine/AccumulatorSlots.h"
#include "Engine/ContractPlan.h"
#include "Memory/TrfCache.h"
#include "llvm/ADT/bit.h"

using namespace sequin;
using namespace sequin::sim;
using config::AccumulationKind;
using llvm::StringRef;
using llvm::Twine;

llvm::Error ExecCheck::checkContract(const config::ContractStage &stage) {
  constexpr StringRef name = "contract";
  if (llvm::Error error = typeIs(name, stage.type, stream))
    return error;
  int64_t lanes = machine.lanes(stage.type);
  if (lanes == 0)
    return trap(name, "machine '" + machine.name + "' cannot contract " +
                          getName(stage.type));
  if (llvm::Error error = oneOf(name, "number of collected flits",
                                stage.collectFlits, machine.collectFlits))
    return error;
  if (plan.flits % stage.collectFlits)
    return trap(name, "the stream has " + Twine(plan.flits) +
                          " flits, packets take " + Twine(stage.collectFlits) +
                          " each");
  if (llvm::Error error =
          between(name, "time broadcast", stage.timeBroadcast, 1, kMaxCount))
    return error;
  if (llvm::Error error = checkShifts(stage))
    return error;
  llvm::Expected<int64_t> steps =
      count(name, "computation packets",
            tripCount(std::initializer_list<Loop>{
                {plan.flits / stage.collectFlits, 0},
                {stage.shifts + 1, 0},
                {stage.timeBroadcast, 0}}));
  if (!steps)
    return steps.takeError();
  plan.computationSteps = *steps;
  if (llvm::Error error =
          oneOf(name, "number of rows", stage.rows, machine.rowCounts))
    return error;
  if (stage.reduceOp == config::ReduceOp::Max)
    if (llvm::Error error = between(name, "number of rows of reduce-max",
                                    stage.rows, 1, machine.maxReduceRows))
      return error;
  if (llvm::Error error = between(name, "depth of the adder tree", stage.depth,
                                  0, llvm::Log2_64(lanes)))
    return error;
  int64_t slices = 0;
  for (uint64_t word : exec.sliceMask)
    slices += llvm::popcount(word);
  plan.engineMacs = *steps * stage.rows * lanes * slices;
  int64_t columns = std::min(lanes >> stage.depth, machine.accumulatorColumns);
  if (llvm::Error error =
          between(name, "number of columns", stage.columns, 1, columns))
    return error;
  if (llvm::Error error = checkTrf(stage, lanes))
    return error;
  addStage(name, plan.computationSteps);
  addStage("tree", stage.depth * machine.treeLevelCycles);
  stagesToContract = plan.stages.size();
  TrfReads reads = countTrfReads(stage, machine);
  plan.counters.push_back({"trf_cache_hits", reads.hits});
  plan.counters.push_back({"trf_cache_misses", reads.misses});
  return checkAccumulate(stage);
}

/// Shift-reuse: every packet holds at least one element that was collected.
llvm::Error ExecCheck::checkShifts(const config::ContractStage &stage) {
  constexpr StringRef name = "contract";
  int64_t collected = stage.collectFlits * machine.flitBytes;
  if (collected > machine.flitBufferBytes)
    return trap(name, "the stream adapter collects " + Twine(collected) +
                          " bytes, its buffer holds " +
                          Twine(machine.flitBufferBytes));
  if (stage.shifts == 0) {
    if (collected > machine.macWidthBytes)
      return trap(name, "the stream adapter collects " + Twine(collected) +
                            " bytes without shifts, a packet takes " +
                            Twine(machine.macWidthBytes));
    if (stage.shiftStride != 0)
      return meaningless(name, "shift_stride without shifts");
    return llvm::Error::success();
  }
  int64_t elements = collected * 8 / getBitWidth(stage.type);
  if (llvm::Error error =
          between(name, "number of shifts", stage.shifts, 0, elements - 1))
    return error;
  return between(name, "shift stride", stage.shiftStride, 1,
                 (elements - 1) / stage.shifts);
}

/// The manual gives a latency for the tree, and one packet per cycle for the
/// accumulator: what comes behind a reduction over time waits for its last
/// packet (TCP, Reducer, Performance). So does what comes behind a reduction
/// inside a slice (TCP, Intra-Slice Reduce, Latency).
int64_t ExecCheck::reducedCycles() const {
  int64_t cycles = 0, wait = 0;
  for (auto [index, stage] : llvm::enumerate(plan.stages)) {
    if (exec.contract && index == stagesToContract)
      wait += firstResult > 1 ? firstResult : 0;
    if (index == stagesToReduce)
      wait += reduceDelay;
    cycles = std::max(cycles, wait + stage.second);
  }
  if (!exec.contract)
    return cycles;
  cycles += exec.contract->depth * machine.treeLevelCycles;
  if (exec.contract->shifts > 0)
    cycles += machine.shiftReuseFillCycles;
  return cycles;
}

/// A short command knows one address and one length (TRF-04).
llvm::Error ExecCheck::checkShortCommand() const {
  constexpr StringRef name = "to_trf";
  const config::FetchStage &fetch = exec.fetch;
  if (!makeByteNest(fetch.sequencer.entries, getBitWidth(fetch.from))
           .loops.empty())
    return trap(name, "a short command loads contiguous bytes, the fetch "
                      "sequencer does not (TRF-04)");
  if (fetch.from != fetch.to || fetch.mask || fetch.table ||
      !fetch.zeroPoints.empty() || exec.switching)
    return trap(name, "a short command cannot change or move elements");
  if (fetch.dualChannel)
    return trap(name, "a short command bypasses the channels of the tensor "
                      "unit, the load has dual_channel (TRF-04)");
  if (exec.collect.packetBytes % machine.flitBytes != 0)
    return trap(name, "a short command loads whole flits, packets have " +
                          Twine(exec.collect.packetBytes) + " bytes");
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkTrf(const config::ContractStage &stage,
                                int64_t lanes) {
  constexpr StringRef name = "contract";
  const config::Sequencer &trf = stage.trf;
  if (llvm::Error error = entries(name, trf.entries, machine.trf))
    return error;
  if (llvm::Error error = between(name, "number of TRF packet entries",
                                  trf.packetEntries, 0, 0))
    return error;
  llvm::Expected<int64_t> steps =
      count(name, "TRF steps", tripCount(trf.entries));
  if (!steps)
    return steps.takeError();
  if (*steps != plan.computationSteps)
    return trap(name, "the TRF sequencer makes " + Twine(*steps) +
                          " steps, the stream has " +
                          Twine(plan.computationSteps) +
                          " computation packets");
  if (llvm::Error error = oneOf(name, "TRF read size", stage.regReadBytes,
                                machine.trf.accessBytes))
    return error;
  int64_t bits = getBitWidth(stage.type);
  if (llvm::Error error = multipleOf(name, "TRF read size in bits",
                                     stage.regReadBytes * 8, bits))
    return error;
  TrfLayout layout(machine, stage.trfAddress, stage.rows);
  int64_t rowBytes = layout.bytesPerRow();
  if (llvm::Error error =
          between(name, "TRF base address", trf.baseAddress, 0, rowBytes - 1))
    return error;
  // A full-width read spans both bank columns and must not cross them askew;
  // shorter ones start at any byte.
  int64_t align =
      stage.regReadBytes == machine.macWidthBytes ? machine.macWidthBytes : 1;
  if (llvm::Error error =
          multipleOf(name, "TRF base address", trf.baseAddress, align))
    return error;
  Extent range = extentOf(trf.entries, 0, bits, 0);
  for (const Loop &entry : trf.entries)
    if (entry.size > 1) {
      if (entry.stride > rowBytes * 8 || entry.stride < -rowBytes * 8)
        return trap(name, "TRF stride is " + Twine(entry.stride) +
                              ", which leaves the row");
      if (llvm::Error error = multipleOf(name, "TRF stride in bits",
                                         entry.stride * bits, align * 8))
        return error;
    }
  range.begin = range.begin / 8 + trf.baseAddress;
  range.end = range.end / 8 + trf.baseAddress + stage.regReadBytes;
  if (llvm::Error error =
          inside(name, range, "the row's part of the TRF", rowBytes))
    return error;
  addAccess(Space::Trf, false, layout.bankBegin(),
            layout.bankBegin() + layout.bankBytes());
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkAccumulate(const config::ContractStage &stage) {
  constexpr StringRef name = "accumulate";
  bool interleaved = stage.kind == AccumulationKind::Interleaved;
  int64_t reducedSteps = 1;
  for (auto [index, loop] : llvm::enumerate(stage.loops))
    if (llvm::Error error = between(name, "size of loop " + Twine(index),
                                    loop.size, 1, kMaxCount))
      return error;
  llvm::Expected<int64_t> steps =
      count(name, "iterations", tripCount(stage.loops));
  if (!steps)
    return steps.takeError();
  if (*steps != plan.computationSteps)
    return trap(name,
                "the loops make " + Twine(*steps) + " steps, the stream has " +
                    Twine(plan.computationSteps) + " computation packets");
  // The first sum is complete when every reduced loop is at its last iteration
  // and all others are at their first.
  firstResult = 1;
  int64_t stepsInside = 1;
  for (const config::AccumulateLoop &loop : llvm::reverse(stage.loops)) {
    if (loop.reduced) {
      reducedSteps *= loop.size;
      firstResult += (loop.size - 1) * stepsInside;
    }
    stepsInside *= loop.size;
  }

  // Registers that the slots need, of those one row (interleaved) or all rows
  // together (sequential) have.
  llvm::Expected<int64_t> slots =
      checkSlots<config::AccumulateLoop>(*this, name, stage.loops);
  if (!slots)
    return slots.takeError();
  int64_t perSlot = interleaved ? stage.columns : stage.rows;
  int64_t capacity =
      interleaved ? machine.accumulatorColumns * machine.accumulatorRegisters
                  : machine.rowsPerSlice * machine.accumulatorRegisters;
  if (*slots * perSlot > capacity)
    return trap(name, "the slots need " + Twine(*slots * perSlot) +
                          (interleaved ? " columns" : " vectors") +
                          ", allowed are " + Twine(capacity));

  // Slots in registers: those with results, those that are taken (rows or
  // columns without results among them), and all.
  int64_t columns = machine.accumulatorColumns, rows = machine.rowsPerSlice;
  plan.counters.push_back(
      {"accumulator_used", *slots * stage.rows * stage.columns});
  plan.counters.push_back(
      {"accumulator_taken", interleaved ? *slots * rows * stage.columns
                                        : *slots * stage.rows * columns});
  plan.counters.push_back(
      {"accumulator_slots", rows * columns * machine.accumulatorRegisters});

  int64_t flitsPerEmission =
      interleaved
          ? stage.columns
          : stage.rows * llvm::divideCeil(stage.columns, machine.outputLanes);
  plan.outputFlits = *steps / reducedSteps * flitsPerEmission;
  addStage(name, plan.outputFlits);
  stream = isFloat(stage.type) ? ElementType::F32 : ElementType::I32;
  return llvm::Error::success();
}
