//===- WhatIf.h - A run with something changed ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a run would take if the program or the machine were a little different.
// Only times have a meaning then.
//
//   double-buffer=ADDRESS   what writes data memory from this address on writes
//                           another buffer every other time, so that it waits
//                           for the readers before the last ones only
//   wider-fetch=LOCATION    passes of this line fetch twice as much at once
//   no-startup              descriptors and passes begin at once
//   twice-hbm               HBM delivers and takes twice as much
//
// The first two are up to the program, the others are facts of the machine.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SIM_WHATIF_H
#define SEQUIN_SIM_WHATIF_H

#include "sequin/Machine/Machine.h"
#include <vector>

namespace sequin::sim {

struct WhatIf {
  bool noStartup = false, twiceHbm = false;
  std::vector<int64_t> doubled;   ///< addresses in data memory
  std::vector<std::string> wider; ///< config::Command::location
  bool isEmpty() const {
    return !noStartup && !twiceHbm && doubled.empty() && wider.empty();
  }
};

/// "double-buffer=4096", ...; the error lists what is known.
llvm::Expected<WhatIf> parseWhatIf(llvm::ArrayRef<std::string> texts);

/// The machine as `change` has it.
TcpMachine changed(const TcpMachine &machine, const WhatIf &change);

} // namespace sequin::sim

#endif // SEQUIN_SIM_WHATIF_H
