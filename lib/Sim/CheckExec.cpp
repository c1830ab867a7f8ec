//===- CheckExec.cpp - Checks of one tensor unit pass ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecCheck.h"

using namespace sequin;
using namespace sequin::sim;
using llvm::StringRef;
using llvm::Twine;

llvm::Error ExecCheck::run() {
  plan.resource = isMain ? Resource::Main : Resource::Sub;
  plan.chips = {exec.chip};
  if (llvm::Error error = checkSlices())
    return error;
  if (llvm::Error error = checkFetch())
    return error;
  if (exec.broadcast01)
    if (llvm::Error error = checkBroadcast(*exec.broadcast01))
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
  if (llvm::Error error = checkSink())
    return error;
  plan.cycles += machine.engineFillCycles;

  int64_t slices = 0;
  for (uint64_t word : exec.sliceMask)
    slices += llvm::popcount(word);
  int64_t perSlice = std::max(
      {plan.packets, plan.flits, plan.computationSteps, plan.outputFlits});
  plan.steps = perSlice * slices;
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkSlices() {
  if (llvm::Error error = chip("fetch", exec.chip))
    return error;
  int64_t slices = machine.clustersPerChip * machine.slicesPerCluster;
  bool any = false;
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
  bool way4 = false, split = false;
  VectorStageKind reached = VectorStageKind::Fxp;
  llvm::SmallVector<VectorAlu, 8> used;
  for (auto [index, op] : llvm::enumerate(stage.ops)) {
    const VectorOpcodeInfo &info = infoOf(op.opcode);
    bool moves = info.stage == VectorStageKind::Narrow ||
                 info.stage == VectorStageKind::Widen;
    if (info.stage < reached)
      return trap(name, info.name + " comes after an operation of a later "
                                    "stage of the pipeline");
    if (info.alu == VectorAlu::None && index > 0 && info.stage == reached)
      return trap(name, info.name + " is used twice in one pass");
    if (info.alu != VectorAlu::None && llvm::is_contained(used, info.alu))
      return trap(name, info.name + " needs " + info.aluName +
                            ", which is already in use");
    reached = info.stage;
    used.push_back(info.alu);
    if (!moves)
      if (llvm::Error error = typeIs(name, info.type, stream))
        return error;
    bool needsWay4 = info.stage == VectorStageKind::Float ||
                     info.stage == VectorStageKind::Widen;
    if (needsWay4 != way4)
      return trap(name, info.name + (way4 ? " needs Concat before it"
                                          : " needs Split before it"));
    if (info.stage == VectorStageKind::Narrow)
      way4 = split = true;
    if (info.stage == VectorStageKind::Widen)
      way4 = false;
    if (llvm::Error error = checkVectorOperand(op, info))
      return error;
    if (info.stage == VectorStageKind::FxpToFp)
      stream = ElementType::F32;
    if (info.stage == VectorStageKind::FpToFxp)
      stream = ElementType::I32;
  }
  if (way4)
    return trap(name, "the stream leaves split, Concat is missing");
  // Behind Split a flit takes two cycles, each half of the lanes.
  addStage(name, plan.outputFlits * (split ? 2 : 1));
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkVectorOperand(const config::VectorOp &op,
                                          const VectorOpcodeInfo &info) {
  constexpr StringRef name = "vector";
  using Kind = config::VectorOperand::Kind;
  if (!info.binary) {
    if (op.operand.kind != Kind::None)
      return trap(name, info.name + " takes no operand");
    return between(name, "int_width of " + info.name, op.intWidth, 0, 31);
  }
  if (op.operand.kind == Kind::None)
    return trap(name, info.name + " needs an operand");
  if (op.operand.kind == Kind::Constant) {
    bool shift =
        info.alu == VectorAlu::FxpLshift || info.alu == VectorAlu::FxpRshift;
    if (shift && !op.swapped && static_cast<int32_t>(op.operand.constant) < 0)
      return trap(name, "the shift count of " + info.name + " is " +
                            Twine(static_cast<int32_t>(op.operand.constant)) +
                            ", it must not be negative");
    return llvm::Error::success();
  }
  const config::Sequencer &vrf = op.operand.vrf;
  // VRF sequencers have the limits of all others.
  if (llvm::Error error = entries(name, vrf.entries, machine.trf))
    return error;
  if (llvm::Error error = between(name, "number of VRF packet entries",
                                  vrf.packetEntries, 0, vrf.entries.size()))
    return error;
  llvm::Expected<int64_t> elements =
      count(name, "VRF elements", tripCount(vrf.entries));
  if (!elements)
    return elements.takeError();
  int64_t streamElements = plan.outputFlits * machine.outputLanes;
  if (*elements != streamElements)
    return trap(name, "the operand of " + info.name + " has " +
                          Twine(*elements) + " elements, the stream has " +
                          Twine(streamElements));
  constexpr int64_t bytes = sizeof(uint32_t);
  if (llvm::Error error =
          multipleOf(name, "VRF address", vrf.baseAddress, bytes))
    return error;
  Extent range = extentOf(vrf.entries, vrf.baseAddress, bytes, bytes);
  if (llvm::Error error =
          inside(name, range, "the VRF of a slice", machine.vrfBytesPerSlice))
    return error;
  addAccess(Space::Vrf, false, static_cast<int64_t>(range.begin),
            static_cast<int64_t>(range.end));
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
