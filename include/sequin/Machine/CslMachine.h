//===- CslMachine.h - Facts about the wafer-scale engines -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machines that CSL programs run on, as Machine.h does for the TCP. Sources
// are pages of the Cerebras SDK manual.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_MACHINE_CSLMACHINE_H
#define SEQUIN_MACHINE_CSLMACHINE_H

#include "sequin/Stream/Dsd.h"
#include "llvm/Support/JSON.h"

namespace sequin {

/// One wafer-scale engine.
struct CslMachine {
  llvm::StringLiteral name; ///< what `--arch` of the vendor's compiler takes

  // The fabric of the whole machine, in PEs; a simulated one may be smaller.
  int64_t fabricWidth, fabricHeight;
  /// Code, data, stack and tables of one PE.
  int64_t memoryBytesPerPe;

  DsdLimits dsd;

  // Timing, in cycles.
  int64_t hopCycles; ///< a wavelet from one router to the next
  /// What an fmacs on N memory elements takes beyond N, DSRs loaded.
  int64_t fmacsStartCycles;

  int64_t pes() const { return fabricWidth * fabricHeight; }
};

/// The row called `name` or nullptr.
const CslMachine *lookupCslMachine(llvm::StringRef name);
/// All rows in a fixed order.
llvm::ArrayRef<const CslMachine *> cslMachines();
/// "wse2, wse3": for messages about an unknown name.
std::string knownCslMachineNames();

llvm::json::Value toJSON(const CslMachine &machine);

} // namespace sequin

#endif // SEQUIN_MACHINE_CSLMACHINE_H
