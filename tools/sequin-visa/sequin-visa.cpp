//===- sequin-visa.cpp - Check and show kernel source ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/VerifyDiagnostics.h"
#include "sequin/Tools/ToolMain.h"
#include "sequin/VisaSource/Json.h"
#include "sequin/VisaSource/Parser.h"
#include "sequin/VisaSource/Printer.h"
#include "sequin/VisaSource/Resolve.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include <functional>

using namespace sequin;
using namespace sequin::visa_source;
namespace cl = llvm::cl;

namespace {

enum class Action { Print, Check, Tree, Names, Json, Api };

struct Options {
  Action action = Action::Print;
  /// Compare the diagnostics with the comments that expect them.
  bool verify = false;
  /// Of Action::Names and Action::Json: `name=file` of each.
  std::vector<std::string> libraries;
};

/// The table of the crate, one row a line, columns between tabs.
void printApi(llvm::raw_ostream &os) {
  for (const ApiType &type : apiTypes())
    os << "type\t" << type.name << '\t' << type.section << '\n';
  for (const ApiMethod &m : apiMethods())
    os << "method\t" << m.type << '\t' << m.name << '\t'
       << (includes(m.releases, Releases::V01) ? "0.1" : "") << '\t'
       << (includes(m.releases, Releases::V06) ? "0.6" : "") << '\t'
       << m.generics << '\t' << m.params << '\t' << m.result << '\t'
       << stringify(m.backing) << '\t' << m.operation << '\t' << m.section
       << '\n';
}

/// Prints what each path of a crate's root stands for.
void printNames(const Module &root, const Crates &program,
                const SourceManager &sources, llvm::raw_ostream &os) {
  std::function<void(const Node &)> visit = [&](const Node &node) {
    if (Meaning meaning = program.meaningOf(node)) {
      LineColumn place = sources.lineColumn(node.begin());
      os << place.line << ':' << place.column << ' ' << toString(node) << ": "
         << stringify(meaning.kind);
      if (meaning.rest != 0)
        os << " and " << meaning.rest << " more";
      os << '\n';
    }
    forEachChild(node, visit);
  };
  for (const Item *item : root.items)
    visit(*item);
}

/// Finds the names of a crate and prints them, or all of it as JSON.
void processCrate(FileId file, SourceManager &sources, Context &context,
                  Diagnostics &diagnostics, const Options &options,
                  llvm::raw_ostream &os) {
  Crates program(sources, context, diagnostics);
  for (llvm::StringRef library : options.libraries)
    program.addLibrary(library.split('=').first, library.split('=').second);
  const Module *root = program.load(sources.path(file));
  if (!root)
    return;
  if (options.action == Action::Json)
    writeJson(program, sources, os);
  else
    printNames(*root, program, sources, os);
}

/// Reads one file and prints what is asked for; false if it was refused.
bool process(llvm::StringRef path, llvm::StringRef text, const Options &options,
             llvm::raw_ostream &os) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  Context context;
  FileId id = sources.add(path, text);
  if (options.action == Action::Names || options.action == Action::Json) {
    processCrate(id, sources, context, diagnostics, options, os);
  } else {
    const SourceFile *file = parse(id, sources, context, diagnostics);
    if (options.action == Action::Tree)
      dump(*file, os, &sources);
    if (options.action == Action::Print && !file->hadErrors)
      print(*file, os);
  }
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
      cl::values(
          clEnumValN(Action::Print, "print", "The source"),
          clEnumValN(Action::Check, "syntax-only", "Errors alone"),
          clEnumValN(Action::Tree, "tree", "The syntax tree"),
          clEnumValN(Action::Names, "names",
                     "What the paths of a crate's root stand for"),
          clEnumValN(Action::Json, "json",
                     "The tree of a crate with its names, as JSON"),
          clEnumValN(Action::Api, "api", "The table of the manual's crate")),
      cl::init(Action::Print), cl::cat(category));
  cl::opt<bool> verify(
      "verify-diagnostics",
      cl::desc("Compare the diagnostics with comments 'expected-error {{..}}'"),
      cl::cat(category));
  cl::opt<bool> split("split-input-file",
                      cl::desc("Read the parts between lines '// -----' each "
                               "as a file"),
                      cl::cat(category));
  cl::list<std::string> libraries(
      "library", cl::desc("A crate that the names of this one come from"),
      cl::value_desc("name=file"), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  if (!parseCommandLine(argc, argv,
                        "Checks and shows source of Virtual ISA kernels\n"))
    return kUsage;

  for (llvm::StringRef library : libraries)
    if (!library.contains('=')) {
      llvm::errs() << "error: --library=" << library
                   << " has not the form name=file\n";
      return kUsage;
    }
  if (action == Action::Api) {
    std::string table;
    llvm::raw_string_ostream os(table);
    printApi(os);
    return writeText(table, output);
  }

  return processFile(
      input, output,
      [&](std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::raw_ostream &os) {
        std::string path = input == "-" ? "<stdin>" : input.getValue();
        Options options = {action, verify, libraries};
        if (!split)
          return process(path, buffer->getBuffer(), options, os);
        bool good = true;
        for (const std::string &part : source::splitInput(buffer->getBuffer()))
          good &= process(path, part, options, os);
        return good;
      });
}
