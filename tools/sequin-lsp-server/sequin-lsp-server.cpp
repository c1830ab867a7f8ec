//===- sequin-lsp-server.cpp - A language server for CSL ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslLsp/Server.h"
#include "sequin/Tools/ToolMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LSP/Logging.h"
#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace sequin;
namespace cl = llvm::cl;
namespace lsp = llvm::lsp;

/// Where the library is installed, relative to the program.
static std::string findLibrary() {
  static int anchor;
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  llvm::SmallString<128> path(llvm::sys::path::parent_path(program));
  llvm::sys::path::append(path, "..", "share", "sequin", "csl");
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("sequin-lsp-server options");
  cl::opt<bool> delimited(
      "delimited",
      cl::desc("Messages end at a line '// -----' instead of having a length, "
               "and replies are indented"),
      cl::cat(category));
  cl::opt<std::string> library(
      "library", cl::desc("Folder of the modules named '<module>'"),
      cl::value_desc("folder"), cl::cat(category));
  cl::opt<lsp::Logger::Level> level(
      "log", cl::desc("What goes to stderr:"),
      cl::values(clEnumValN(lsp::Logger::Level::Error, "error", "Errors"),
                 clEnumValN(lsp::Logger::Level::Info, "info", "Messages too"),
                 clEnumValN(lsp::Logger::Level::Debug, "verbose",
                            "Their contents too")),
      cl::init(lsp::Logger::Level::Error), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  if (!parseCommandLine(argc, argv,
                        "A language server for CSL on stdin and "
                        "stdout\n"))
    return kUsage;
  lsp::Logger::setLogLevel(level);

  llvm::sys::ChangeStdinToBinary();
  lsp::JSONTransport transport(stdin, llvm::outs(),
                               delimited ? lsp::JSONStreamStyle::Delimited
                                         : lsp::JSONStreamStyle::Standard,
                               /*PrettyOutput=*/delimited);
  if (llvm::Error error = csl_lsp::serve(
          transport, library.empty() ? findLibrary() : library)) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << '\n';
    return kRefused;
  }
  return kSuccess;
}
