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

#ifndef SEQUIN_LIB_SIM_EXECCHECK_H
#define SEQUIN_LIB_SIM_EXECCHECK_H

#include "CommandCheck.h"
#include "VectorOps.h"

namespace sequin::sim {

class ExecCheck : CommandCheck {
public:
  ExecCheck(const CommandCheck &check, const config::ExecCommand &exec)
      : CommandCheck(check), exec(exec),
        isMain(exec.context == config::Context::Main) {}

  llvm::Error run();

private:
  llvm::Error checkSlices();
  llvm::Error checkFetch();
  llvm::Error checkFetchAccess(int64_t packetBits);
  llvm::Error checkMask();
  llvm::Error checkBroadcast(const config::SwitchStage &stage);
  llvm::Error checkCollect();
  llvm::Error checkContract(const config::ContractStage &stage);
  llvm::Error checkTrf(const config::ContractStage &stage, int64_t lanes);
  llvm::Error checkAccumulate(const config::ContractStage &stage);
  llvm::Error checkVector(const config::VectorStage &stage);
  llvm::Error checkVectorOperand(const config::VectorOp &op,
                                 const VectorOpcodeInfo &info);
  llvm::Error checkCast(const config::CastStage &stage);
  llvm::Error checkSink();
  llvm::Error checkCommit(const config::CommitStage &stage);
  llvm::Error checkCommitAddresses(const config::CommitStage &stage);
  llvm::Error checkToTrf(const config::ToTrfStage &stage);
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
  void addAccess(Space space, bool write, int64_t begin, int64_t end) {
    plan.accesses.push_back(
        {space, write, exec.chip, begin, end, exec.sliceMask});
  }

  const config::ExecCommand &exec;
  bool isMain;
  /// What the stream carries behind the stage checked last.
  ElementType stream = ElementType::I8;
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_EXECCHECK_H
