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
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace sequin {

/// First in every main(). Signals end the program with 128 + signal and leave
/// no temporary; a pipe that nobody reads, a file that is too large and a
/// standard stream that is closed are errors of what is written or read; memory
/// that is not there ends it with a message and 1, and so does at its end what
/// stdout did not take. --version prints versionText().
class ToolInit {
public:
  ToolInit(int &argc, char **&argv);

private:
  struct Streams {
    Streams();
  } streams;
  llvm::InitLLVM init;
};

/// Parses the command line; false, with the reasons on stderr, if it is wrong.
bool parseCommandLine(int argc, char **argv, llvm::StringRef overview);

/// Leaves the flags that are known so far, which are those of libraries, out of
/// --help.
void hideKnownFlags();

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
