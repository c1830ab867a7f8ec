//===- ExitCode.h - How the tools end ---------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TOOLS_EXITCODE_H
#define SEQUIN_TOOLS_EXITCODE_H

namespace sequin {

/// Exit codes of every tool (docs/Guides/ExitCodes.md).
enum ExitCode : int {
  kSuccess = 0,
  kRefused = 1, ///< the user's input is wrong
  kUsage = 2,   ///< the command line is wrong
  kTrapped = 3, ///< the simulated program trapped
};

} // namespace sequin

#endif // SEQUIN_TOOLS_EXITCODE_H
