//===- Plan.h - What the check of a command finds out -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every command is checked before the first one runs. The check traps on
// whatever the machine forbids and leaves behind what the rest needs: how often
// each stage works (functional model), what is read and written (schedule), and
// how long each stage takes (timing).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_PLAN_H
#define SEQUIN_LIB_SIM_PLAN_H

#include "sequin/Config/BankRuns.h"
#include "sequin/Config/UnrolledProgram.h"
#include "sequin/Sim/Simulator.h"

namespace sequin::sim {

/// Whether bit `slice` of a slice mask is set; a mask may end early.
inline bool takesPart(llvm::ArrayRef<uint64_t> mask, int64_t slice) {
  size_t word = slice / 64;
  return word < mask.size() && (mask[word] >> (slice % 64) & 1);
}

enum class Resource : uint8_t { Main, Sub, Dma, Host };

struct CommandPlan {
  Resource resource = Resource::Host;
  /// A pass in the main context that holds the sub context too.
  bool alsoSub = false;
  /// Chips whose `resource` the command occupies.
  llvm::SmallVector<int64_t, 2> chips;
  std::vector<Access> accesses;
  /// Cycles per stage, in pipeline order, and of the whole command.
  std::vector<std::pair<std::string, int64_t>> stages;
  int64_t cycles = 0;
  /// Of a double buffer that is supposed (WhatIf): what it writes in data
  /// memory from this address on waits for no command from this number on.
  std::optional<std::pair<int64_t, size_t>> relief;
  int64_t hbmBytesRead = 0, hbmBytesWritten = 0;
  /// What happened besides, by name: cache misses, slots in use.
  std::vector<std::pair<std::string, int64_t>> counters;
  /// Work for the step limit: of the functional model, and of what comes before
  /// it, which walks through nothing but the requests of the DMA engines.
  int64_t steps = 0, timingSteps = 0;

  // Exec only: how it shares the banks of data memory.
  config::BankRuns banks;
  /// What a load leaves in the register file.
  std::optional<ElementType> trfType;
  bool occupiesDma = false; ///< holds the DMA engines of its chips too

  // Exec only: how much each stage sees.
  int64_t fetchPackets = 0;      ///< of each slice that fetches
  int64_t packets = 0;           ///< behind the switch
  int64_t sourcePacketBytes = 0; ///< before the conversion
  int64_t streamPacketBytes = 0; ///< after it
  int64_t flits = 0;             ///< collect
  int64_t computationSteps = 0;  ///< contract, after time broadcast
  int64_t engineMacs = 0;        ///< of all slices, padding included
  int64_t outputFlits = 0;       ///< what the vector, cast and sink stages see
  /// DM that fetch and commit touch in each slice, as [begin, end).
  int64_t fetchBegin = 0, fetchEnd = 0;
  int64_t commitBegin = 0, commitEnd = 0;
  int64_t countBegin = 0, countEnd = 0; ///< counts of a packing commit
};

/// Checks all of `program`; a Trap if something is forbidden, or if it takes
/// more steps than the options allow.
llvm::Expected<std::vector<CommandPlan>>
checkProgram(const config::UnrolledProgram &program, const TcpMachine &machine,
             const Options &options);

/// What the plans of a program are with `change`.
void changePlans(const config::UnrolledProgram &program, const WhatIf &change,
                 std::vector<CommandPlan> &plans);

/// The trap of a program that `command` makes too long.
llvm::Error makeStepTrap(llvm::StringRef command, int64_t maxSteps);

/// Start, end and wait of every command; a Trap if a pass starves DMA.
llvm::Expected<std::vector<CommandTiming>>
schedule(const config::UnrolledProgram &program,
         llvm::ArrayRef<CommandPlan> plans, const TcpMachine &machine);

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_PLAN_H
