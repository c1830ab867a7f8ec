//===- sequin-visa.cpp - Check and show kernel source ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/VerifyDiagnostics.h"
#include "sequin/Tools/ToolMain.h"
#include "sequin/VisaSource/Parser.h"
#include "sequin/VisaSource/Printer.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace sequin;
using namespace sequin::visa_source;
namespace cl = llvm::cl;

namespace {

enum class Action { Print, Check, Tree };

struct Options {
  Action action = Action::Print;
  /// Compare the diagnostics with the comments that expect them.
  bool verify = false;
};

/// Reads one file and prints what is asked for; false if it was refused.
bool process(llvm::StringRef path, llvm::StringRef text, const Options &options,
             llvm::raw_ostream &os) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  Context context;
  const SourceFile *file =
      parse(sources.add(path, text), sources, context, diagnostics);
  if (options.action == Action::Tree)
    dump(*file, os, &sources);
  if (options.action == Action::Print && !file->hadErrors)
    print(*file, os);
  if (options.verify)
    return source::verifyDiagnostics(sources, diagnostics, llvm::errs());
  diagnostics.print(llvm::errs(), llvm::errs().has_colors());
  return !diagnostics.hadErrors();
}

} // namespace

int main(int argc, char **argv) {
  ToolInit init(argc, argv);
  cl::OptionCategory category("sequin-visa options");
  cl::opt<std::string> input(cl::Positional, cl::desc("<file>"), cl::init("-"),
                             cl::cat(category));
  cl::opt<std::string> output("o", cl::desc("Output file (default: stdout)"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category));
  cl::opt<Action> action(
      cl::desc("What to print (default: the source, without its comments):"),
      cl::values(clEnumValN(Action::Print, "print", "The source"),
                 clEnumValN(Action::Check, "syntax-only", "Errors alone"),
                 clEnumValN(Action::Tree, "tree", "The syntax tree")),
      cl::init(Action::Print), cl::cat(category));
  cl::opt<bool> verify(
      "verify-diagnostics",
      cl::desc("Compare the diagnostics with comments 'expected-error {{..}}'"),
      cl::cat(category));
  cl::opt<bool> split("split-input-file",
                      cl::desc("Read the parts between lines '// -----' each "
                               "as a file"),
                      cl::cat(category));
  cl::HideUnrelatedOptions(category);
  if (!parseCommandLine(argc, argv,
                        "Checks and shows source of Virtual ISA kernels\n"))
    return kUsage;

  return processFile(
      input, output,
      [&](std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::raw_ostream &os) {
        std::string path = input == "-" ? "<stdin>" : input.getValue();
        Options options = {action, verify};
        if (!split)
          return process(path, buffer->getBuffer(), options, os);
        bool good = true;
        for (const std::string &part : source::splitInput(buffer->getBuffer()))
          good &= process(path, part, options, os);
        return good;
      });
}
