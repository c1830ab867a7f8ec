//===- CheckExec.cpp - Checks of one tensor unit pass ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/ExecCheck.h"
#include "sequin/Machine/Cycles.h"

using namespace sequin;
using namespace sequin::sim;
using llvm::StringRef;
using llvm::Twine;

llvm::Error ExecCheck::run() {
  plan.resource = isMain ? Resource::Main : Resource::Sub;
  plan.chips = {exec.chip};
  if (llvm::Error error = checkSlices())
    return error;
  if (llvm::Error error = checkSlicesOfStages())
    return error;
  if (llvm::Error error = checkFetch())
    return error;
  plan.fetchPackets = plan.packets;
  if (exec.switching)
    if (llvm::Error error = checkSwitch(*exec.switching))
      return error;
  if (llvm::Error error = checkCollect())
    return error;
  if (!isMain && (exec.contract || exec.vector || exec.cast))
    return trap("collect",
                "the sub context has no contraction, vector or cast engine");
  if (exec.contract)
    if (llvm::Error error = checkContract(*exec.contract))
      return error;
  if (exec.vector)
    if (llvm::Error error = checkVector(*exec.vector))
      return error;
  if (exec.cast)
    if (llvm::Error error = checkCast(*exec.cast))
      return error;
  if (exec.transpose)
    if (llvm::Error error = checkTranspose(*exec.transpose))
      return error;
  if (llvm::Error error = checkSink())
    return error;
  plan.cycles = passCycles(machine, reducedCycles() + fillCycles);

  int64_t perSlice = std::max({plan.fetchPackets, plan.packets, plan.flits,
                               plan.computationSteps, plan.outputFlits});
  plan.steps = perSlice * mostSlices();
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkSlices() {
  if (llvm::Error error = chip("fetch", exec.chip))
    return error;
  int64_t slices = machine.clustersPerChip * machine.slicesPerCluster;
  bool any = false;
  int64_t words = llvm::divideCeil(slices, 64);
  if (static_cast<int64_t>(exec.sliceMask.size()) != words)
    return trap("fetch",
                "the slice masks have " + Twine(exec.sliceMask.size() * 64) +
                    " bits, the slices of a chip are " + Twine(slices));
  for (auto [index, word] : llvm::enumerate(exec.sliceMask)) {
    int64_t first = static_cast<int64_t>(index) * 64;
    uint64_t beyond = first >= slices        ? ~uint64_t(0)
                      : first + 64 <= slices ? 0
                                             : ~uint64_t(0) << (slices - first);
    if (word & beyond)
      return trap("fetch",
                  "the slice mask has a bit beyond slice " + Twine(slices - 1));
    any |= word != 0;
  }
  if (!any)
    return trap("fetch", "the slice mask selects no slice");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Vector and cast
//===----------------------------------------------------------------------===//

llvm::Error ExecCheck::checkVector(const config::VectorStage &stage) {
  constexpr StringRef name = "vector";
  if (llvm::Error error = typeIs(name, stage.type, stream))
    return error;
  if (stream != ElementType::I32 && stream != ElementType::F32)
    return trap(name, "the stream carries " + getName(stream) +
                          ", allowed are i32, f32");
  if (!stage.interSlice && !stage.opsAfter.empty())
    return trap(name, "there are operations behind the inter-slice block and "
                      "no such block");
  if (!stage.ops.empty() && !stage.opsAfter.empty())
    return trap(name, "there are operations before and behind the inter-slice "
                      "block, a pass goes through the intra-slice block once");
  // Without operations nobody passes through the intra-slice block: it is on
  // neither side of the inter-slice block.
  const config::BranchStage &branch = stage.branch;
  if (stage.interSlice && stage.ops.empty() && stage.opsAfter.empty()) {
    StringRef unused =
        stage.unzip ? "unzip"
        : branch.mode != config::BranchMode::Unconditional || branch.logAddress
            ? "branch"
        : stage.validCount       ? "valid_count"
        : stage.intraSliceReduce ? "intra_slice_reduce"
                                 : "";
    if (!unused.empty())
      return meaningless(name, unused + " of a pass without an operation");
  }
  if (!stage.interSlice)
    return checkVectorOps(stage, stage.ops);
  if (!stage.ops.empty())
    if (llvm::Error error = checkVectorOps(stage, stage.ops))
      return error;
  if (llvm::Error error = checkInterSlice(*stage.interSlice))
    return error;
  if (!stage.opsAfter.empty())
    return checkVectorOps(stage, stage.opsAfter);
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkCast(const config::CastStage &stage) {
  if (llvm::Error error = typeIs("cast", stage.from, stream))
    return error;
  if (!machine.canCast(stage.from, stage.to))
    return trap("cast", "machine '" + machine.name + "' cannot convert " +
                            getName(stage.from) + " to " + getName(stage.to));
  stream = stage.to;
  addStage("cast", plan.outputFlits);
  return llvm::Error::success();
}

llvm::Error sim::checkExec(CommandCheck check,
                           const config::ExecCommand &exec) {
  return ExecCheck(check, exec).run();
}
