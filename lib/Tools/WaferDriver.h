//===- WaferDriver.h - What sequin-run does on a wafer ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads a wafer program, copies every input to its symbol, launches functions
// in the order given, runs to the end and copies every output back
// (docs/Guides/RunningOnAWafer.md).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TOOLS_WAFERDRIVER_H
#define SEQUIN_LIB_TOOLS_WAFERDRIVER_H

#include "sequin/Page/Document.h"
#include "sequin/Tools/RunDriver.h"

namespace sequin::tools {

/// Prints why something is not done.
ExitCode refuse(llvm::raw_ostream &log, const llvm::Twine &what);
/// Prints an error of any class; the exit code that it asks for.
ExitCode refuse(llvm::raw_ostream &log, llvm::Error error);

/// Whether these options run a program on a wafer: the target says so, or
/// without one the program.
bool isForWafer(const RunOptions &options);

/// What no program for a wafer could make right; "" if nothing.
std::string findWaferUsageError(const RunOptions &options);

/// What a page of this run says above all.
page::Heading describeRun(const RunOptions &options);

ExitCode runOnWafer(const RunOptions &options, llvm::raw_ostream &log);

} // namespace sequin::tools

#endif // SEQUIN_LIB_TOOLS_WAFERDRIVER_H
