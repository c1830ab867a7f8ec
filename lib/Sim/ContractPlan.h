//===- ContractPlan.h - Steps of a contraction ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all slices of a command share: which weights and which accumulator slot
// every computation packet meets.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_CONTRACTPLAN_H
#define SEQUIN_LIB_SIM_CONTRACTPLAN_H

#include "ContractKernel.h"
#include "Nest.h"
#include "sequin/Sim/TrfLayout.h"

namespace sequin::sim {

class ContractPlan {
public:
  ContractPlan(const config::ContractStage &stage, const TcpMachine &machine,
               int64_t steps);

  /// Byte addresses in a row's part of the TRF where weight packets start, by
  /// weight index.
  llvm::ArrayRef<int64_t> weightAddresses() const { return addresses; }
  /// Accumulator slots in use: the highest and one.
  int64_t slotCount() const { return slots; }

  /// Back to the first step.
  void restart();
  /// The next steps, at most `count` and at least one; valid until the next
  /// call.
  llvm::ArrayRef<ContractStep> next(int64_t count);

private:
  struct Wheel {
    int64_t size, stride, count;
    bool reduced;
  };
  ContractStep makeStep();

  Odometer trf;
  int64_t trfBase;
  llvm::SmallVector<Wheel, 6> wheels; ///< outermost first
  std::vector<int64_t> addresses;
  std::vector<uint32_t> weightAt; ///< by byte address
  int64_t slots = 1;
  /// All steps if they are few enough to keep, else the block handed out last.
  std::vector<ContractStep> buffer;
  bool keepsAll;
  size_t position = 0;
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_CONTRACTPLAN_H
