//===- Advise.h - What would make a run faster ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates small changes of a program and of its machine, one at a time, and
// ranks them by what they gain. At most kMostChanges runs in timing mode, in a
// fixed order; each can be had again by the flag it names.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_API_ADVISE_H
#define SEQUIN_API_ADVISE_H

#include "sequin/Api/Program.h"

namespace sequin::api {

struct Suggestion {
  std::string what; ///< in words
  std::string flag; ///< of sequin-run: "--what-if=twice-hbm", "--chips=2"
  /// Whether it is a fact of the machine, or of how many there are, and nothing
  /// that the program could change.
  bool ofMachine = false;
  int64_t cycles = 0; ///< of the run with it
};

inline constexpr size_t kMostChanges = 12;

/// The fastest first; what cannot be compiled is left out. `options` are what
/// `program` was compiled from, `run` bounds each simulation.
llvm::Expected<std::vector<Suggestion>> advise(const CompileOptions &options,
                                               const Program &program,
                                               const RunOptions &run);

} // namespace sequin::api

#endif // SEQUIN_API_ADVISE_H
