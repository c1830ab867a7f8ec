//===- WhatIf.cpp - A run with something changed --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Sim/WhatIf.h"
#include "Plan.h"
#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/STLExtras.h"

using namespace sequin;
using namespace sequin::sim;
using llvm::StringRef;

llvm::Expected<WhatIf> sim::parseWhatIf(llvm::ArrayRef<std::string> texts) {
  WhatIf change;
  for (StringRef text : texts) {
    auto [key, value] = text.split('=');
    int64_t address = 0;
    if (text == "no-startup")
      change.noStartup = true;
    else if (text == "twice-hbm")
      change.twiceHbm = true;
    else if (key == "double-buffer" && !value.getAsInteger(10, address) &&
             address >= 0)
      change.doubled.push_back(address);
    else if (key == "wider-fetch" && !value.empty())
      change.wider.push_back(value.str());
    else
      return llvm::createStringError(
          "--what-if '" + excerpt(text) +
          "' is unknown, known are double-buffer=ADDRESS, "
          "wider-fetch=LOCATION, no-startup and twice-hbm");
  }
  return change;
}

TcpMachine sim::changed(const TcpMachine &machine, const WhatIf &change) {
  TcpMachine other = machine;
  if (change.noStartup)
    other.dmaStartupCycles = other.dmaStoreDescriptorCycles =
        other.engineFillCycles = 0;
  if (change.twiceHbm)
    for (int64_t *rate :
         {&other.hbmBytesPerCycle, &other.hbmUtilizationBytesPerCycle,
          &other.hbm.controllerBytes, &other.hbmToDmClusterBytesPerCycle,
          &other.hbmToDmChipBytesPerCycle})
      *rate *= 2;
  return other;
}

/// Of every command that writes the buffer, the hazards with what came since
/// the one before wrote it.
static void doubleBuffer(int64_t address, std::vector<CommandPlan> &plans) {
  std::optional<size_t> before;
  for (auto [index, plan] : llvm::enumerate(plans)) {
    bool writes = llvm::any_of(plan.accesses, [&](const Access &access) {
      return access.write && access.space == Space::Dm &&
             access.begin == address;
    });
    if (!writes)
      continue;
    if (before)
      plan.relief = {address, *before};
    before = index;
  }
}

/// Halves the fetch of a pass, whose longest stage is what it takes.
static void widenFetch(CommandPlan &plan) {
  auto longest = [&] {
    int64_t cycles = 0;
    for (const auto &[stage, taken] : plan.stages)
      cycles = std::max(cycles, taken);
    return cycles;
  };
  int64_t before = longest();
  for (auto &[stage, taken] : plan.stages)
    if (stage == "fetch")
      taken = llvm::divideCeil(taken, 2);
  plan.cycles -= before - longest();
}

void sim::changePlans(const config::UnrolledProgram &program,
                      const WhatIf &change, std::vector<CommandPlan> &plans) {
  for (int64_t address : change.doubled)
    doubleBuffer(address, plans);
  if (change.wider.empty())
    return;
  for (auto [index, plan] : llvm::enumerate(plans)) {
    const config::Command &command = program.getWritten(index);
    if (llvm::is_contained(change.wider, command.location) &&
        std::holds_alternative<config::ExecCommand>(command.body))
      widenFetch(plan);
  }
}
