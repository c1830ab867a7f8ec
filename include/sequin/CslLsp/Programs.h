//===- Programs.h - Files of an editor as parts of programs -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types and values exist in programs, not in files: the code of a PE has its
// parameters from the layout that places it. Here are the programs that a file
// belongs to: those of the layouts that lead to it by @set_tile_code and
// @import_module, among the open files and, if none of these does, the files of
// its folder and the folder above. A file that no layout leads to is evaluated
// alone, as the code of one PE without parameters.
//
// Who evaluates is a function that the server is given, so that nothing here
// needs the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLLSP_PROGRAMS_H
#define SEQUIN_CSLLSP_PROGRAMS_H

#include "sequin/CslLsp/Workspace.h"
#include "sequin/CslSource/Observations.h"
#include <functional>
#include <map>

namespace sequin::csl_lsp {

/// What evaluating a program leaves.
struct Evaluation {
  csl_source::SourceManager sources;
  csl_source::Diagnostics diagnostics{sources};
  csl_source::Observations observations;
};

/// Evaluates the program that begins at a file, which may be one of those that
/// were added to the evaluation's sources.
using Evaluator =
    std::function<void(llvm::StringRef path, Evaluation &evaluation)>;

/// A diagnostic at bytes [begin, end) of a file.
struct Finding {
  enum class Severity : uint8_t { Error, Warning, Information };
  struct Note {
    std::string path;
    size_t begin = 0, end = 0;
    std::string message;
  };
  Severity severity = Severity::Error;
  size_t begin = 0, end = 0;
  std::string message;
  std::vector<Note> notes;
};

class Programs {
public:
  Programs(Workspace &workspace, Evaluator evaluator)
      : workspace(workspace), evaluator(std::move(evaluator)) {}

  /// To be called when a file has changed.
  void invalidate() { programs.clear(); }
  /// What is wrong, by file, in the file and the programs it belongs to. Every
  /// file of the programs has an entry.
  std::map<std::string, std::vector<Finding>> findings(llvm::StringRef path);
  /// Markdown on the type and value of text of a file, as the programs of
  /// `asker` have it; empty if it is not evaluated there.
  std::string describe(const Document &asker, const Document &document,
                       llvm::StringRef text);

private:
  struct EvaluatedProgram {
    std::string root;
    /// Of a file that no layout leads to.
    bool isAlone = false;
    Evaluation evaluation;
    std::vector<std::pair<std::string, llvm::sys::TimePoint<>>> onDisk;
  };

  std::vector<EvaluatedProgram *> of(const Document &document);
  std::vector<std::string> rootsOf(const Document &document);
  bool leadsTo(const Document &from, llvm::StringRef path);
  EvaluatedProgram &evaluate(llvm::StringRef root, bool isAlone);
  void addFindings(const EvaluatedProgram &program,
                   std::map<std::string, std::vector<Finding>> &out);

  Workspace &workspace;
  Evaluator evaluator;
  /// By root; a file evaluated alone has a key of its own.
  std::map<std::string, std::unique_ptr<EvaluatedProgram>> programs;
};

} // namespace sequin::csl_lsp

#endif // SEQUIN_CSLLSP_PROGRAMS_H
