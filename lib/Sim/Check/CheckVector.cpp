//===- CheckVector.cpp - Checks of the intra-slice block ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/ExecCheck.h"
#include "Engine/IntraSliceReduce.h"
#include "sequin/Machine/TcpIsa.h"

using namespace sequin;
using namespace sequin::sim;
using config::BranchMode;
using config::VectorOpcode;
using llvm::StringRef;
using llvm::Twine;
using tcp_isa::kLanes;
using tcp_isa::kNarrowLanes;
using OperandKind = config::VectorOperand::Kind;

static constexpr StringRef kStage = "vector";

/// Where the stream is on its way through the block.
struct ExecCheck::VectorState {
  const config::VectorStage &stage;
  /// Elements per slice, of each group of a pair.
  int64_t elements;
  VectorStageKind reached = VectorStageKind::Logic;
  bool any = false; ///< whether `reached` was
  bool way4 = false, paired = false;
  bool stashed = false, stashRead = false, reduced = false;
  bool stashedBehindReduction = false;
  ElementType stashType = ElementType::I32;
  llvm::SmallVector<VectorAlu, 16> used = {};
  const config::VectorOp *last = nullptr;
  /// ExecutionIds that it and the same operations in front of it work on.
  config::IdSet taken = 0;
  /// Packets that pass the narrowest place, one per cycle.
  int64_t cycles = 0;
};

/// Fields of other modes, and a generator whose counts nobody asks for.
llvm::Error
ExecCheck::checkBranchFields(const config::VectorStage &stage) const {
  const config::BranchStage &branch = stage.branch;
  auto isOther = [&](BranchMode mode) { return branch.mode != mode; };
  if (isOther(BranchMode::AxisToggle) && !branch.toggle.empty())
    return meaningless(kStage, "toggle of a branch of another mode");
  if (isOther(BranchMode::Comparison) && !branch.comparisons.empty())
    return meaningless(kStage, "comparisons of a branch of another mode");
  const config::Sequencer &vrf = branch.vrf;
  if (isOther(BranchMode::Vrf) &&
      (vrf.baseAddress || !vrf.entries.empty() || vrf.packetEntries))
    return meaningless(kStage, "vrf of a branch of another mode");
  if (stage.validCount && isOther(BranchMode::ValidCount) &&
      !stage.intraSliceReduce)
    return meaningless(kStage, "valid_count of a pass that neither branches by "
                               "it nor reduces inside the slices");
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkVectorBranch(const config::VectorStage &stage,
                                         int64_t elements) {
  const config::BranchStage &branch = stage.branch;
  if (stage.unzip && branch.mode != BranchMode::Unconditional)
    return trap(kStage, "the two-group mode has no branch mode");
  // The generator counts flits at the entry, where those of the groups
  // alternate; behind the zip there are half as many.
  if (stage.unzip && stage.validCount)
    return trap(kStage, "the two-group mode has no valid count generator");
  if (stage.validCount)
    if (llvm::Error error =
            checkValidCount(*this, *stage.validCount, elements / kLanes))
      return error;
  auto covers = [&](StringRef what, llvm::ArrayRef<Loop> loops) -> llvm::Error {
    if (llvm::Error error = entries(kStage, loops, machine.trf))
      return error;
    llvm::Expected<int64_t> found = count(kStage, what, tripCount(loops));
    if (!found)
      return found.takeError();
    if (*found != elements)
      return trap(kStage, "there are " + Twine(*found) + " " + what +
                              ", the stream has " + Twine(elements) +
                              " elements");
    return llvm::Error::success();
  };
  auto vrfBytes = [&](const Extent &extent, bool write) -> llvm::Error {
    if (llvm::Error error = inside(kStage, extent, "the VRF of a slice",
                                   machine.vrfBytesPerSlice))
      return error;
    addAccess(Space::Vrf, write, static_cast<int64_t>(extent.begin),
              static_cast<int64_t>(extent.end));
    return llvm::Error::success();
  };
  if (llvm::Error error = checkBranchFields(stage))
    return error;
  switch (branch.mode) {
  case BranchMode::Unconditional:
    break;
  case BranchMode::AxisToggle:
    if (llvm::Error error = covers("toggles", branch.toggle))
      return error;
    for (auto [index, loop] : llvm::enumerate(branch.toggle)) {
      // The axis' index is counted with 64 bits.
      int64_t most = kMaxCount / std::max<int64_t>(loop.size - 1, 1);
      if (loop.size > 1)
        if (llvm::Error error =
                between(kStage, "stride of toggle loop " + Twine(index),
                        loop.stride, -most, most))
          return error;
    }
    break;
  case BranchMode::ValidCount:
    if (!stage.validCount)
      return trap(kStage, "branch mode ValidCount needs a valid count "
                          "generator");
    break;
  case BranchMode::Comparison:
    if (llvm::Error error =
            between(kStage, "number of comparisons", branch.comparisons.size(),
                    0, tcp_isa::kBranchComparisons))
      return error;
    break;
  case BranchMode::Vrf: {
    if (llvm::Error error = covers("ExecutionIds", branch.vrf.entries))
      return error;
    // Two ids per byte.
    Extent ids = extentOf(branch.vrf.entries, 0, 1, 1);
    Extent bytes{branch.vrf.baseAddress, branch.vrf.baseAddress};
    bytes.begin += (ids.begin - (ids.begin < 0)) / 2;
    bytes.end += (ids.end + 1) / 2;
    if (llvm::Error error = vrfBytes(bytes, false))
      return error;
    break;
  }
  }
  if (!branch.logAddress)
    return llvm::Error::success();
  __int128 begin = *branch.logAddress;
  return vrfBytes({begin, begin + elements / 2}, true);
}

llvm::Error ExecCheck::checkVectorOps(const config::VectorStage &stage,
                                      llvm::ArrayRef<config::VectorOp> ops) {
  int64_t flits = plan.outputFlits;
  VectorState state{stage, flits * kLanes};
  state.cycles = flits;
  if (llvm::Error error = checkVectorBranch(stage, state.elements))
    return error;
  if (stage.unzip) {
    if (stage.interSlice && stage.ops.empty())
      return trap(kStage, "the two-group mode begins at the entry of the "
                          "engine, not behind the inter-slice block");
    if (flits % 2)
      return trap(kStage, "the two-group mode takes pairs of flits, the stream "
                          "has " +
                              Twine(flits));
    state.elements /= 2;
    state.paired = true;
  }
  size_t next = 0;
  for (; next < ops.size(); ++next) {
    VectorStageKind kind = infoOf(ops[next].opcode).stage;
    if (kind > VectorStageKind::IntraSliceReduce &&
        kind != VectorStageKind::Stash)
      break;
    if (llvm::Error error = checkVectorOp(ops[next], state))
      return error;
  }
  if (stage.intraSliceReduce)
    if (llvm::Error error = checkVectorReduce(state))
      return error;
  for (; next < ops.size(); ++next)
    if (llvm::Error error = checkVectorOp(ops[next], state))
      return error;
  if (state.way4)
    return trap(kStage, "the stream leaves in 4-lane packets, Concat or "
                        "PadWay8 is missing");
  if (state.paired)
    return trap(kStage, "the two groups leave as a pair, a zip is missing");
  if (state.elements % kLanes)
    return trap(kStage, "the stream leaves with " + Twine(state.elements) +
                            " elements, which are no whole flits");
  if (llvm::Error error = checkVectorLog())
    return error;
  plan.outputFlits = state.elements / kLanes;
  // One cycle of latency per ALU behind the last packet.
  addStage(kStage, state.cycles + state.used.size() * machine.vectorAluCycles);
  if (state.reduced)
    stagesToReduce = plan.stages.size();
  return llvm::Error::success();
}

/// The logger must not write what the pass still reads.
llvm::Error ExecCheck::checkVectorLog() {
  for (const Access &log : plan.accesses)
    for (const Access &read : plan.accesses)
      if (log.space == Space::Vrf && log.write && read.space == Space::Vrf &&
          !read.write && log.begin < read.end && read.begin < log.end)
        return trap(kStage, "the branch logger writes bytes " +
                                Twine(log.begin) + " to " + Twine(log.end - 1) +
                                " of the VRF, of which the pass reads " +
                                Twine(read.begin) + " to " +
                                Twine(read.end - 1));
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkVectorReduce(VectorState &state) {
  if (!state.way4)
    return trap(kStage, "the intra-slice reduction needs Split or TrimWay4 "
                        "before it");
  if (state.paired)
    return trap(kStage, "the intra-slice reduction is no operation on pairs");
  int64_t packets = state.elements / kNarrowLanes;
  llvm::Expected<ReducePlan> reduction = checkIntraSliceReduce(
      *this, *state.stage.intraSliceReduce, packets, stream);
  if (!reduction)
    return reduction.takeError();
  // One packet per cycle; what comes behind the engine waits.
  addStage("intra_slice_reduce", packets);
  reduceDelay = reduction->delay;
  state.elements = reduction->outputPackets * kNarrowLanes;
  state.reduced = true;
  state.reached = VectorStageKind::IntraSliceReduce;
  state.any = true;
  return llvm::Error::success();
}

/// The place in the order of stages, and that every resource is used once.
llvm::Error ExecCheck::checkVectorOrder(const config::VectorOp &op,
                                        const VectorOpcodeInfo &info,
                                        VectorState &state) {
  if (op.opcode == VectorOpcode::Reinterpret)
    return llvm::Error::success();
  if (info.stage == VectorStageKind::Stash) {
    if (state.stage.unzip)
      return trap(kStage, "Stash is not available in two-group mode");
    if (state.stashed)
      return trap(kStage, "Stash is used twice in one pass, there is one slot");
    using enum VectorStageKind;
    if (state.any &&
        !llvm::is_contained({Logic, Fxp, Narrow, Float, FpDiv, Clip},
                            state.reached))
      return trap(kStage, "Stash is not available at this stage, allowed are "
                          "Branch, Logic, Fxp, Narrow, Float, FpDiv, Clip");
    state.stashed = true;
    state.stashedBehindReduction = state.reduced;
    state.stashType = stream;
    return llvm::Error::success();
  }
  if (info.stage < state.reached)
    return trap(kStage, info.name + " comes after an operation of a later "
                                    "stage of the pipeline");
  // The second half of an operation on a pair, for the other group.
  bool secondHalf = state.paired && state.last && !op.zip && !state.last->zip &&
                    state.last->opcode == op.opcode &&
                    !(state.last->groups & op.groups) && info.arity > 0 &&
                    !info.converts;
  // An operand for elements that the same operation before it left alone.
  bool furtherOperand = !state.paired && state.last && info.arity > 0 &&
                        !info.converts && state.last->opcode == op.opcode &&
                        state.last->mode == op.mode && !(state.taken & op.ids);
  state.taken = furtherOperand ? state.taken | op.ids : op.ids;
  if (!secondHalf && !furtherOperand) {
    if (info.alu == VectorAlu::None && state.any && info.stage == state.reached)
      return trap(kStage, info.name + " is used twice in one pass");
    if (info.alu != VectorAlu::None && llvm::is_contained(state.used, info.alu))
      return trap(kStage, info.name + " needs " + info.aluName +
                              ", which is already in use");
    if (info.alu != VectorAlu::None)
      state.used.push_back(info.alu);
  }
  state.reached = info.stage;
  state.any = true;
  state.last = secondHalf ? nullptr : &op;
  bool needsWay4 = info.stage == VectorStageKind::Float ||
                   info.stage == VectorStageKind::FpDiv ||
                   info.stage == VectorStageKind::Widen;
  if (needsWay4 != state.way4)
    return trap(kStage,
                info.name + (state.way4 ? " needs Concat or PadWay8 before it"
                                        : " needs Split or TrimWay4 before "
                                          "it"));
  return llvm::Error::success();
}

/// Groups, ids and the use of a pair.
llvm::Error ExecCheck::checkVectorGroups(const config::VectorOp &op,
                                         const VectorOpcodeInfo &info,
                                         VectorState &state) {
  bool computes = info.arity > 0 && !info.converts;
  if (op.groups < 1 || op.groups > 3)
    return trap(kStage, "groups of " + info.name + " is " +
                            Twine(static_cast<int>(op.groups)) +
                            ", allowed are 1 to 3");
  if (op.groups != 3 && !(state.paired && computes && !op.zip))
    return trap(kStage, info.name + " has no groups to choose from");
  bool feedsBack = op.writeIds != 0 ||
                   op.operand.kind == OperandKind::Register ||
                   op.operand1.kind == OperandKind::Register;
  if (feedsBack && (state.stage.unzip || !computes))
    return trap(kStage, info.name + " cannot use the operand register");
  if (op.ids != config::kAllIds &&
      (state.stage.unzip ||
       (!computes && info.stage != VectorStageKind::Filter)))
    return trap(kStage, info.name + " cannot depend on ExecutionIds");
  if (op.zip) {
    if (!state.paired)
      return trap(kStage, info.name + " zips a stream that is no pair");
    if (info.arity != 2)
      return trap(kStage, info.name + " has " + Twine(info.arity) +
                              " arguments, a zip has 2");
    if (op.operand.kind != OperandKind::None)
      return trap(kStage, info.name + " zips, it takes no operand");
    state.paired = false;
  }
  return llvm::Error::success();
}

/// Fields that belong to some operations only.
llvm::Error ExecCheck::checkVectorFields(const config::VectorOp &op,
                                         const VectorOpcodeInfo &info) const {
  const config::VectorOp none;
  if (info.converts)
    return between(kStage, "int_width of " + info.name, op.intWidth, 0, 31);
  if (op.intWidth != none.intWidth)
    return meaningless(kStage, "int_width of " + info.name +
                                   ", which is no "
                                   "conversion of integers (SIL-2),");
  if (op.opcode != VectorOpcode::Filter && op.elements != none.elements)
    return meaningless(kStage, "elements of " + info.name +
                                   ", which is no "
                                   "Filter,");
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkVectorOp(const config::VectorOp &op,
                                     VectorState &state) {
  const VectorOpcodeInfo &info = infoOf(op.opcode);
  if (llvm::Error error = checkVectorOrder(op, info, state))
    return error;
  if (info.type)
    if (llvm::Error error = typeIs(kStage, *info.type, stream))
      return error;
  if (llvm::Error error = checkVectorGroups(op, info, state))
    return error;
  if (llvm::Error error = checkVectorArguments(op, info, state))
    return error;
  if (llvm::Error error = checkVectorFields(op, info))
    return error;
  int64_t groups = state.paired ? 2 : 1;
  switch (op.opcode) {
  case VectorOpcode::FxpToFp:
    stream = ElementType::F32;
    break;
  case VectorOpcode::FpToFxp:
    stream = ElementType::I32;
    break;
  case VectorOpcode::Reinterpret:
    stream = stream == ElementType::F32 ? ElementType::I32 : ElementType::F32;
    break;
  case VectorOpcode::TrimWay4:
    if (state.stage.validCount)
      if (llvm::Error error =
              checkValidCountTrim(*this, *state.stage.validCount))
        return error;
    state.elements /= 2;
    state.way4 = true;
    break;
  case VectorOpcode::Split:
    state.way4 = true;
    state.cycles =
        std::max(state.cycles, groups * state.elements / kNarrowLanes);
    break;
  case VectorOpcode::Concat:
    if (state.elements % kLanes)
      return trap(kStage, "Concat joins pairs of packets, the stream has " +
                              Twine(state.elements / kNarrowLanes));
    state.way4 = false;
    break;
  case VectorOpcode::PadWay8:
    state.way4 = false;
    state.elements *= 2;
    break;
  case VectorOpcode::Filter:
    if (state.stage.unzip)
      return trap(kStage, "Filter is not available in two-group mode");
    if (state.stage.interSlice)
      return trap(kStage, "Filter and the inter-slice block are in one pass");
    if (llvm::Error error = between(kStage, "elements behind Filter",
                                    op.elements, 1, state.elements))
      return error;
    if (llvm::Error error =
            multipleOf(kStage, "elements behind Filter", op.elements, kLanes))
      return error;
    state.elements = op.elements;
    break;
  default:
    break;
  }
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkVectorArguments(const config::VectorOp &op,
                                            const VectorOpcodeInfo &info,
                                            VectorState &state) {
  int modeArity = arityOf(op.mode);
  if (modeArity != 0 && (modeArity != info.arity || info.converts))
    return trap(kStage, info.name + " has " + Twine(info.arity) +
                            " arguments, the argument mode is for " +
                            Twine(modeArity));
  llvm::SmallVector<int, 3> sources = argumentSources(op.mode, info.arity);
  bool readsStash = false;
  for (int i : {0, 1}) {
    const config::VectorOperand &operand = i == 0 ? op.operand : op.operand1;
    bool read = llvm::is_contained(sources, i + 1) && !op.zip;
    bool given = operand.kind != OperandKind::None;
    if (info.arity == 0 || info.converts) {
      if (given)
        return trap(kStage, info.name + " takes no operand");
      continue;
    }
    if (read && !given)
      return trap(kStage, info.name + " needs an operand");
    if (given && !read)
      return trap(kStage, "operand " + Twine(i) + " of " + info.name +
                              " is not an argument");
    readsStash |= operand.kind == OperandKind::Stash;
    if (operand.kind == OperandKind::Vrf)
      if (llvm::Error error =
              checkVrfOperand(operand.vrf, info.name, state.elements))
        return error;
    // A shift count is the second argument.
    bool shifts = info.alu == VectorAlu::FxpLshift ||
                  info.alu == VectorAlu::FxpRshift ||
                  info.alu == VectorAlu::LogicLshift ||
                  info.alu == VectorAlu::LogicRshift;
    int32_t value = static_cast<int32_t>(operand.constant);
    if (shifts && operand.kind == OperandKind::Constant &&
        sources[1] == i + 1 && value < 0)
      return trap(kStage, "the shift count of " + info.name + " is " +
                              Twine(value) + ", it must not be negative");
  }
  if (!readsStash)
    return llvm::Error::success();
  if (!state.stashed)
    return trap(kStage, info.name + " reads the stash, which is empty");
  if (state.stashRead)
    return trap(kStage, info.name + " reads the stash, which an operation "
                                    "before it has consumed");
  if (state.stashType != stream)
    return trap(kStage, info.name + " reads a stash of " +
                            getName(state.stashType) + ", the stream carries " +
                            getName(stream));
  if (state.reduced && !state.stashedBehindReduction)
    return trap(kStage, info.name + " reads a stash from before the "
                                    "intra-slice reduction");
  state.stashRead = true;
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkVrfOperand(const config::Sequencer &vrf,
                                       StringRef operation,
                                       int64_t streamElements) {
  // VRF sequencers have the limits of all others.
  if (llvm::Error error = entries(kStage, vrf.entries, machine.trf))
    return error;
  if (llvm::Error error = between(kStage, "number of VRF packet entries",
                                  vrf.packetEntries, 0, vrf.entries.size()))
    return error;
  llvm::Expected<int64_t> elements =
      count(kStage, "VRF elements", tripCount(vrf.entries));
  if (!elements)
    return elements.takeError();
  if (*elements != streamElements)
    return trap(kStage, "the operand of " + operation + " has " +
                            Twine(*elements) + " elements, the stream has " +
                            Twine(streamElements));
  constexpr int64_t bytes = sizeof(uint32_t);
  if (llvm::Error error =
          multipleOf(kStage, "VRF address", vrf.baseAddress, bytes))
    return error;
  Extent range = extentOf(vrf.entries, vrf.baseAddress, bytes, bytes);
  if (llvm::Error error =
          inside(kStage, range, "the VRF of a slice", machine.vrfBytesPerSlice))
    return error;
  addAccess(Space::Vrf, false, static_cast<int64_t>(range.begin),
            static_cast<int64_t>(range.end));
  return llvm::Error::success();
}
