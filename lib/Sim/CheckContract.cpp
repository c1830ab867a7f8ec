//===- CheckContract.cpp - Checks of the contraction ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractPlan.h"
#include "ExecCheck.h"

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
  llvm::Expected<int64_t> steps = count(
      name, "computation packets",
      tripCount(std::initializer_list<Loop>{
          {plan.flits / stage.collectFlits, 0}, {stage.timeBroadcast, 0}}));
  if (!steps)
    return steps.takeError();
  plan.computationSteps = *steps;
  if (llvm::Error error =
          oneOf(name, "number of rows", stage.rows, machine.rowCounts))
    return error;
  if (llvm::Error error = between(name, "depth of the adder tree", stage.depth,
                                  0, llvm::Log2_64(lanes)))
    return error;
  int64_t columns = std::min(lanes >> stage.depth, machine.accumulatorColumns);
  if (llvm::Error error =
          between(name, "number of columns", stage.columns, 1, columns))
    return error;
  if (llvm::Error error = checkTrf(stage, lanes))
    return error;
  addStage(name, plan.computationSteps);
  return checkAccumulate(stage);
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
  if (llvm::Error error = between(name, "TRF base address", trf.baseAddress, 0,
                                  machine.trfBytesPerRow - 1))
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
      if (entry.stride > machine.trfBytesPerRow * 8 ||
          entry.stride < -machine.trfBytesPerRow * 8)
        return trap(name, "TRF stride is " + Twine(entry.stride) +
                              ", which leaves the row");
      if (llvm::Error error = multipleOf(name, "TRF stride in bits",
                                         entry.stride * bits, align * 8))
        return error;
    }
  range.begin = range.begin / 8 + trf.baseAddress;
  range.end = range.end / 8 + trf.baseAddress + stage.regReadBytes;
  TrfPart part = trfPart(machine, stage.trfAddress);
  if (llvm::Error error =
          inside(name, range, "the row's part of the TRF", part.bytes))
    return error;
  addAccess(Space::Trf, false, part.begin, part.begin + part.bytes);
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkAccumulate(const config::ContractStage &stage) {
  constexpr StringRef name = "accumulate";
  bool interleaved = stage.kind == AccumulationKind::Interleaved;
  int64_t reducedSteps = 1;
  llvm::SmallVector<Loop, 8> slots;
  for (auto [index, loop] : llvm::enumerate(stage.loops)) {
    if (llvm::Error error = between(name, "size of loop " + Twine(index),
                                    loop.size, 1, kMaxCount))
      return error;
    if (loop.reduced && loop.slotStride != 0)
      return trap(name, "reduced loop " + Twine(index) + " has slot stride " +
                            Twine(loop.slotStride) + ", allowed is 0");
    slots.push_back({loop.size, loop.slotStride});
  }
  llvm::Expected<int64_t> steps =
      count(name, "iterations", tripCount(stage.loops));
  if (!steps)
    return steps.takeError();
  if (*steps != plan.computationSteps)
    return trap(name,
                "the loops make " + Twine(*steps) + " steps, the stream has " +
                    Twine(plan.computationSteps) + " computation packets");
  for (const config::AccumulateLoop &loop : stage.loops)
    if (loop.reduced)
      reducedSteps *= loop.size;

  // Registers that slots 0 .. last need, of those one row (interleaved) or all
  // rows together (sequential) have.
  Extent range = extentOf(slots, 0, 1, 1);
  int64_t perSlot = interleaved ? stage.columns : stage.rows;
  int64_t capacity =
      interleaved ? machine.accumulatorColumns * machine.accumulatorRegisters
                  : machine.rowsPerSlice * machine.accumulatorRegisters;
  if (range.begin < 0)
    return trap(name, "the slot strides reach below slot 0");
  if (range.end * perSlot > capacity)
    return trap(name,
                llvm::formatv("the slots need {0} {1}, allowed are {2}",
                              range.end > kMaxCount
                                  ? std::string("too many")
                                  : std::to_string(static_cast<int64_t>(
                                        range.end * perSlot)),
                              interleaved ? "columns" : "vectors", capacity)
                    .str());

  int64_t flitsPerEmission =
      interleaved
          ? stage.columns
          : stage.rows * llvm::divideCeil(stage.columns, machine.outputLanes);
  plan.outputFlits = *steps / reducedSteps * flitsPerEmission;
  addStage(name, plan.outputFlits);
  stream = isFloat(stage.type) ? ElementType::F32 : ElementType::I32;
  return llvm::Error::success();
}
