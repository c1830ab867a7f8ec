//===- ToolMain.h - What the file-to-file tools share -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TOOLS_TOOLMAIN_H
#define SEQUIN_TOOLS_TOOLMAIN_H

#include "sequin/Tools/ExitCode.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace sequin {

/// Parses the command line; false, with the reasons on stderr, if it is wrong.
bool parseCommandLine(int argc, char **argv, llvm::StringRef overview);

/// Opens `input`, calls `process(buffer, output)` and writes what it printed to
/// `output` ("-": stdout) once it has succeeded. Returns the exit code.
int processFile(llvm::StringRef input, llvm::StringRef output,
                llvm::function_ref<bool(std::unique_ptr<llvm::MemoryBuffer>,
                                        llvm::raw_ostream &)>
                    process);

/// Writes `text` to `output` ("-": stdout). Returns the exit code.
int writeText(llvm::StringRef text, llvm::StringRef output);

} // namespace sequin

#endif // SEQUIN_TOOLS_TOOLMAIN_H
