//===- ToolMain.cpp - What the file-to-file tools share -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Tools/ToolMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileUtilities.h"

using namespace llvm;
using namespace sequin;

bool sequin::parseCommandLine(int argc, char **argv, StringRef overview) {
  // LLVM's parser ends the process with 1 unless it is given a stream.
  std::string reasons;
  raw_string_ostream os(reasons);
  if (cl::ParseCommandLineOptions(argc, argv, overview, &os))
    return true;
  errs() << "error: " << StringRef(reasons).trim() << '\n';
  return false;
}

static int refuse(StringRef what, StringRef path, const Twine &why) {
  errs() << "error: cannot " << what << " '" << path << "': " << why << '\n';
  return kRefused;
}

int sequin::writeText(StringRef text, StringRef output) {
  // Beside the final name first, then renamed; devices are written in place.
  if (Error error = writeToOutput(output, [&](raw_ostream &os) -> Error {
        os << text;
        return Error::success();
      }))
    return refuse("write", output, toString(std::move(error)));
  return kSuccess;
}

int sequin::processFile(
    StringRef input, StringRef output,
    function_ref<bool(std::unique_ptr<MemoryBuffer>, raw_ostream &)> process) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFileOrSTDIN(input, /*IsText=*/true);
  if (!buffer)
    return refuse("open", input, buffer.getError().message());
  std::string text;
  raw_string_ostream os(text);
  if (!process(std::move(*buffer), os)) {
    // What precedes an error is still worth reading on a terminal, e.g. the
    // output of -verify-diagnostics or of an analysis.
    if (output == "-")
      outs() << text;
    return kRefused;
  }
  return writeText(text, output);
}
