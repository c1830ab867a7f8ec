//===- ToolMain.cpp - What the file-to-file tools share -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Tools/ToolMain.h"
#include "sequin/Support/OutputFile.h"
#include "sequin/Support/Temporaries.h"
#include "sequin/Support/Version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <unistd.h>

using namespace llvm;
using namespace sequin;

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

/// The last thing before the streams are gone, whoever ends the program.
static void checkStandardStreams() {
  outs().flush();
  std::error_code code = outs().error();
  outs().clear_error();
  if (code)
    errs() << "error: cannot write to stdout: " << code.message() << '\n';
  // There is nobody to tell.
  errs().clear_error();
  if (code)
    _exit(kRefused);
}

[[noreturn]] static void endForLack(StringRef what) {
  static constexpr StringLiteral kBegin = "error: out of ";
  (void)!write(STDERR_FILENO, kBegin.data(), kBegin.size());
  (void)!write(STDERR_FILENO, what.data(), what.size());
  removeTemporaries();
  _exit(kRefused);
}

static void onBadAlloc(void *, const char *, bool) { endForLack("memory\n"); }

/// LLVM takes it for an error of the program if there can be no more threads.
static void onFatalError(void *, const char *reason, bool) {
  if (StringRef(reason).starts_with("pthread_create failed"))
    endForLack("memory or threads\n");
  errs() << "LLVM ERROR: " << reason << '\n';
}

/// Signals that come while libraries are initialised, which for MLIR's takes as
/// long as many a run, and memory that ends then. Nothing has been written.
__attribute__((no_sanitize("address", "undefined"))) static void
exitEarly(int, char **, char **) {
  for (int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int which) { _exit(128 + which); });
  std::set_new_handler([] { endForLack("memory\n"); });
}

/// Runs before the constructors of libraries.
__attribute__((section(".preinit_array"),
               used)) static void (*const beforeLibraries)(int, char **,
                                                           char **) = exitEarly;

/// A closed stream would be the number of the next file that is opened. One
/// that cannot be used is an error where it is; messages for a closed stderr go
/// nowhere.
ToolInit::Streams::Streams() {
  for (auto [descriptor, mode] :
       {std::pair(STDIN_FILENO, O_WRONLY), std::pair(STDOUT_FILENO, O_RDONLY),
        std::pair(STDERR_FILENO, O_WRONLY)})
    if (fcntl(descriptor, F_GETFD) < 0)
      (void)open("/dev/null", mode);
}

ToolInit::ToolInit(int &argc, char **&argv)
    : init(argc, argv, /*InstallPipeSignalExitHandler=*/false) {
  outs();
  errs();
  cl::SetVersionPrinter([](raw_ostream &os) { os << versionText(); });
  std::atexit(checkStandardStreams);
  exitOnSignals();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  install_bad_alloc_error_handler(onBadAlloc);
  install_fatal_error_handler(onFatalError);
  sys::AddSignalHandler([](void *) { removeTemporaries(); }, nullptr);
}

void sequin::hideKnownFlags() {
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (!name.starts_with("help") && name != "version")
      option->setHiddenFlag(cl::ReallyHidden);
}

bool sequin::parseCommandLine(int argc, char **argv, StringRef overview) {
  // LLVM's parser ends the process with 1 unless it is given a stream.
  std::string reasons;
  raw_string_ostream os(reasons);
  if (cl::ParseCommandLineOptions(argc, argv, overview, &os))
    return true;
  errs() << "error: " << StringRef(reasons).trim() << '\n';
  return false;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

int sequin::writeText(StringRef text, StringRef output) {
  if (Error error = writeOutput(output, text)) {
    errs() << "error: " << toString(std::move(error)) << '\n';
    return kRefused;
  }
  return kSuccess;
}

int sequin::processFile(
    StringRef input, StringRef output,
    function_ref<bool(std::unique_ptr<MemoryBuffer>, raw_ostream &)> process) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFileOrSTDIN(input, /*IsText=*/true);
  if (!buffer) {
    errs() << "error: cannot open '" << input
           << "': " << buffer.getError().message() << '\n';
    return kRefused;
  }
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
