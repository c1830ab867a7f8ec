//===- sequin-csl.cpp - Formats and shows CSL source ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslSource/Lexer.h"
#include "sequin/CslSource/Parser.h"
#include "sequin/CslSource/Printer.h"
#include "sequin/Support/VerifyDiagnostics.h"
#include "sequin/Tools/ToolMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace sequin;
using namespace sequin::csl_source;
namespace cl = llvm::cl;

namespace {

enum class Action { Format, Check, Tree, Tokens };

void printTokens(FileId file, const SourceManager &sources,
                 Diagnostics &diagnostics, llvm::raw_ostream &os) {
  Lexer lexer(sources.text(file), diagnostics);
  for (Token token = lexer.next(); !token.is(TokenKind::End);
       token = lexer.next()) {
    LineColumn place = sources.lineColumn(token.begin());
    os << place.line << ':' << place.column << ' ' << describe(token) << '\n';
  }
}

struct Options {
  Action action = Action::Format;
  unsigned columns = 80;
  /// Compare the diagnostics with the comments that expect them.
  bool verify = false;
};

/// Reads one file and prints what is asked for; false if it was refused.
bool process(llvm::StringRef path, llvm::StringRef source,
             const Options &options, llvm::raw_ostream &os) {
  SourceManager sources;
  FileId file = sources.add(path, source);
  Diagnostics diagnostics(sources);
  if (options.action == Action::Tokens) {
    printTokens(file, sources, diagnostics, os);
  } else {
    Context context;
    const SourceFile *tree = parse(file, sources, context, diagnostics);
    if (options.action == Action::Tree)
      dump(*tree, sources, os);
    if (options.action == Action::Format && !tree->hadErrors)
      format(*tree, os, {.columns = options.columns});
  }
  if (options.verify)
    return source::verifyDiagnostics(sources, diagnostics, llvm::errs());
  diagnostics.print(llvm::errs(), llvm::errs().has_colors());
  return !diagnostics.hadErrors();
}

} // namespace

int main(int argc, char **argv) {
  ToolInit init(argc, argv);
  cl::OptionCategory category("sequin-csl options");
  cl::opt<std::string> input(cl::Positional, cl::desc("<file>"), cl::init("-"),
                             cl::cat(category));
  cl::opt<std::string> output("o", cl::desc("Output file (default: stdout)"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category));
  cl::opt<bool> inPlace("i", cl::desc("Format the file itself"),
                        cl::cat(category));
  cl::opt<Action> action(
      cl::desc("What to print (default: the formatted source):"),
      cl::values(clEnumValN(Action::Format, "format", "Formatted source"),
                 clEnumValN(Action::Check, "syntax-only", "Errors alone"),
                 clEnumValN(Action::Tree, "tree", "The syntax tree"),
                 clEnumValN(Action::Tokens, "tokens", "The tokens")),
      cl::init(Action::Format), cl::cat(category));
  cl::opt<unsigned> columns("columns",
                            cl::desc("Width to format for (default 80)"),
                            cl::init(80), cl::cat(category));
  cl::opt<bool> verify(
      "verify-diagnostics",
      cl::desc("Compare the diagnostics with comments 'expected-error {{..}}'"),
      cl::cat(category));
  cl::opt<bool> split("split-input-file",
                      cl::desc("Read the parts between lines '// -----' each "
                               "as a file"),
                      cl::cat(category));
  cl::HideUnrelatedOptions(category);
  if (!parseCommandLine(argc, argv, "Formats and shows CSL source\n"))
    return kUsage;
  if (inPlace && (input == "-" || output != "-" || action != Action::Format)) {
    llvm::errs() << "error: -i formats a named file, without -o and without "
                    "another action\n";
    return kUsage;
  }

  return processFile(
      input, inPlace ? input : output,
      [&](std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::raw_ostream &os) {
        std::string path = input == "-" ? "<stdin>" : input.getValue();
        Options options = {action, columns, verify};
        if (!split)
          return process(path, buffer->getBuffer(), options, os);
        bool good = true;
        for (const std::string &part : source::splitInput(buffer->getBuffer()))
          good &= process(path, part, options, os);
        return good;
      });
}
