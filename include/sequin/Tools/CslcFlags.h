//===- CslcFlags.h - The command line of cslc -------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TOOLS_CSLCFLAGS_H
#define SEQUIN_TOOLS_CSLCFLAGS_H

#include "sequin/Tools/CslcDriver.h"
#include "llvm/ADT/ArrayRef.h"

namespace sequin::tools {

/// Reads the flags: `--flag=value` and `--flag value`, `-o out` and `-o=out`,
/// lists repeated. Returns an exit code if there is nothing more to do.
std::optional<int> parseCslcFlags(llvm::ArrayRef<char *> arguments,
                                  CslcOptions &options, llvm::raw_ostream &err);

} // namespace sequin::tools

#endif // SEQUIN_TOOLS_CSLCFLAGS_H
