//===- ExecCheck.h - Checks of one tensor unit pass -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage by stage in pipeline order, each from what the stage before it
// delivers. Cycles of a pass are the maximum over its stages: the manual gives
// no end-to-end latency.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_CHECK_EXECCHECK_H
#define SEQUIN_LIB_SIM_CHECK_EXECCHECK_H

#include "Check/CommandCheck.h"
#include "Engine/Routing.h"
#include "Engine/VectorOps.h"

namespace sequin::sim {

class ExecCheck : CommandCheck {
public:
  ExecCheck(const CommandCheck &check, const config::ExecCommand &exec)
      : CommandCheck(check), exec(exec),
        isMain(exec.context == config::Context::Main) {}

  llvm::Error run();

private:
  llvm::Error checkSlices();
  // CheckFetch.cpp
  llvm::Error checkFetch();
  llvm::Error checkAdapter();
  llvm::Error checkFetchRange();
  llvm::Error checkFetchAccess(int64_t packetBits);
  llvm::Error checkMask();
  // CheckSwitch.cpp
  /// Which slices each part of the pass works in.
  llvm::Error checkSlicesOfStages();
  llvm::Error checkRouters(llvm::StringRef name,
                           const config::Routing &routing);
  /// Checks the routers; the slices that `takers` listen to, and how many each
  /// of them does.
  llvm::Error addSources(llvm::StringRef name, const config::Routing &routing,
                         llvm::ArrayRef<uint64_t> takers,
                         std::vector<uint64_t> &sources, int64_t &count);
  /// How many of the `available` packets a slice takes of every source.
  llvm::Expected<int64_t> takenPackets(llvm::StringRef name,
                                       const config::Routing &routing,
                                       int64_t available);
  llvm::Error checkHeld(llvm::StringRef name, int64_t slices, int64_t flits);
  int64_t flitsPerCycle() const;
  int64_t mostSlices() const;
  llvm::Error checkPredefined(const config::SwitchStage &stage);
  llvm::Error checkSwitch(const config::SwitchStage &stage);
  llvm::Error checkCollect();
  llvm::Error checkReduceGroups(const RoutingTable &table);
  int64_t flitsPassedOn(const RoutingTable &table, int64_t taken) const;
  llvm::Error checkInterSlice(const config::InterSliceStage &stage);

  llvm::Error checkContract(const config::ContractStage &stage);
  llvm::Error checkShifts(const config::ContractStage &stage);
  llvm::Error checkTrf(const config::ContractStage &stage, int64_t lanes);
  llvm::Error checkAccumulate(const config::ContractStage &stage);
  llvm::Error checkVector(const config::VectorStage &stage);
  /// The intra-slice block, before or behind the inter-slice block.
  llvm::Error checkVectorOps(const config::VectorStage &stage,
                             llvm::ArrayRef<config::VectorOp> ops);
  // CheckVector.cpp
  struct VectorState;
  llvm::Error checkVectorBranch(const config::VectorStage &stage,
                                int64_t elements);
  llvm::Error checkBranchFields(const config::VectorStage &stage) const;
  llvm::Error checkVectorFields(const config::VectorOp &op,
                                const VectorOpcodeInfo &info) const;
  llvm::Error checkVectorLog();
  llvm::Error checkVectorReduce(VectorState &state);
  llvm::Error checkVectorOp(const config::VectorOp &op, VectorState &state);
  llvm::Error checkVectorOrder(const config::VectorOp &op,
                               const VectorOpcodeInfo &info,
                               VectorState &state);
  llvm::Error checkVectorGroups(const config::VectorOp &op,
                                const VectorOpcodeInfo &info,
                                VectorState &state);
  llvm::Error checkVectorArguments(const config::VectorOp &op,
                                   const VectorOpcodeInfo &info,
                                   VectorState &state);
  llvm::Error checkVrfOperand(const config::Sequencer &vrf,
                              llvm::StringRef operation,
                              int64_t streamElements);
  llvm::Error checkCast(const config::CastStage &stage);
  llvm::Error checkTranspose(const config::TransposeStage &stage);
  llvm::Error checkSink();
  llvm::Error checkCommit(const config::CommitStage &stage);
  llvm::Error checkCommitAddresses(const config::CommitStage &stage);
  llvm::Error checkSliceBitmap(llvm::ArrayRef<uint64_t> bitmap);
  llvm::Error checkInPlace(const config::CommitStage &stage);
  llvm::Error checkPacking(const config::CommitStage &stage);
  llvm::Error checkToTrf(const config::ToTrfStage &stage);
  llvm::Error checkShortCommand() const;
  llvm::Error checkToVrf(const config::ToVrfStage &stage);

  llvm::Error typeIs(llvm::StringRef stage, ElementType found,
                     ElementType stream) const {
    if (found == stream)
      return llvm::Error::success();
    return trap(stage, "type is " + getName(found) + ", the stream carries " +
                           getName(stream));
  }
  void addStage(llvm::StringRef name, int64_t cycles) {
    plan.stages.push_back({name.str(), cycles});
    plan.cycles = std::max(plan.cycles, cycles);
  }
  /// Cycles of a pass, whose results wait for the contraction and for the
  /// reduction in the vector engine.
  int64_t reducedCycles() const;
  void addAccess(Space space, bool write, int64_t begin, int64_t end) {
    plan.accesses.push_back(
        {space, write, exec.chip, begin, end, active.vec()});
  }

  const config::ExecCommand &exec;
  bool isMain;
  /// Slices that fetch, and that work between the switch and the inter-slice
  /// block; behind it the slice mask holds.
  std::vector<uint64_t> fetchSlices, engineSlices;
  /// Slices that each slice takes packets of.
  int64_t switchSources = 1, interSliceSources = 1;
  /// Slices that the stage being checked works in.
  llvm::ArrayRef<uint64_t> active;
  /// Stages up to the contraction, and the packets behind which its first
  /// result leaves the accumulator.
  size_t stagesToContract = 0;
  int64_t firstResult = 0;
  /// Stages up to the vector engine, and how long the first result of its
  /// reduction takes.
  size_t stagesToReduce = 0;
  int64_t reduceDelay = 0;
  /// What the stages add to the cycles of the pass before the first result.
  int64_t fillCycles = 0;
  /// What the stream carries behind the stage checked last.
  ElementType stream = ElementType::I8;
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_CHECK_EXECCHECK_H
