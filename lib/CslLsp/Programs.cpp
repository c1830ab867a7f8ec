//===- Programs.cpp - Files of an editor as parts of programs -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslLsp/Programs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace sequin;
using namespace sequin::csl_lsp;
using namespace sequin::csl_source;
using llvm::StringRef;

/// Programs that one file is asked about in, and files of a folder that are
/// looked at for a layout.
static constexpr size_t kMaxPrograms = 3;
static constexpr size_t kMaxFolderFiles = 256;

//===----------------------------------------------------------------------===//
// Which programs
//===----------------------------------------------------------------------===//

bool Programs::leadsTo(const Document &from, StringRef path) {
  llvm::StringSet<> seen;
  std::vector<const Document *> pending{&from};
  seen.insert(from.path());
  while (!pending.empty()) {
    const Document *document = pending.back();
    pending.pop_back();
    if (document->path() == path)
      return true;
    for (const Document *next : workspace.importedBy(*document))
      if (seen.insert(next->path()).second)
        pending.push_back(next);
  }
  return false;
}

std::vector<std::string> Programs::rootsOf(const Document &document) {
  if (document.hasLayout())
    return {document.path().str()};
  std::vector<std::string> roots;
  auto consider = [&](StringRef path, size_t limit) {
    const Document *candidate =
        roots.size() < limit ? workspace.find(path) : nullptr;
    if (candidate && candidate->hasLayout() &&
        leadsTo(*candidate, document.path()))
      roots.push_back(candidate->path().str());
  };
  for (const std::string &path : workspace.openLayouts())
    consider(path, kMaxPrograms);
  StringRef folder = llvm::sys::path::parent_path(document.path());
  for (unsigned level = 0; level != 2 && roots.empty() && !folder.empty();
       ++level, folder = llvm::sys::path::parent_path(folder)) {
    std::vector<std::string> files;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator entry(folder, error), end;
         !error && entry != end && files.size() != kMaxFolderFiles;
         entry.increment(error))
      if (llvm::sys::path::extension(entry->path()) == ".csl")
        files.push_back(entry->path());
    llvm::sort(files);
    for (const std::string &path : files)
      consider(path, 1);
  }
  return roots;
}

std::vector<Programs::EvaluatedProgram *>
Programs::of(const Document &document) {
  std::vector<EvaluatedProgram *> result;
  auto covers = [&](const EvaluatedProgram &program) {
    const SourceManager &sources = program.evaluation.sources;
    for (FileId file = 1; file <= sources.numFiles(); ++file)
      if (sources.path(file) == document.path())
        return program.evaluation.observations.isParsed(file);
    return false;
  };
  for (const std::string &root : rootsOf(document))
    if (EvaluatedProgram &program = evaluate(root, /*isAlone=*/false);
        covers(program))
      result.push_back(&program);
  if (result.empty())
    result.push_back(&evaluate(document.path(), /*isAlone=*/true));
  return result;
}

Programs::EvaluatedProgram &Programs::evaluate(StringRef root, bool isAlone) {
  auto modified = [](StringRef path) {
    llvm::sys::fs::file_status status;
    return llvm::sys::fs::status(path, status)
               ? llvm::sys::TimePoint<>()
               : status.getLastModificationTime();
  };
  std::unique_ptr<EvaluatedProgram> &slot =
      programs[(isAlone ? "alone " : "") + root.str()];
  if (slot && llvm::all_of(slot->onDisk, [&](const auto &file) {
        return modified(file.first) == file.second;
      }))
    return *slot;
  slot = std::make_unique<EvaluatedProgram>();
  slot->root = root.str();
  slot->isAlone = isAlone;
  Evaluation &evaluation = slot->evaluation;
  evaluation.sources.overlay =
      [this](StringRef path) -> std::optional<StringRef> {
    if (workspace.isOpen(path))
      return workspace.find(path)->text();
    return std::nullopt;
  };
  std::string top;
  if (isAlone) {
    // One PE that runs the file.
    top = root.str() + ".layout";
    evaluation.sources.add(
        top, ("layout { @set_rectangle(1, 1); @set_tile_code(0, 0, \"" +
              llvm::sys::path::filename(root) + "\", .{}); }\n")
                 .str());
    evaluator(top, evaluation);
  } else {
    evaluator(root, evaluation);
  }
  for (FileId file = 1; file <= evaluation.sources.numFiles(); ++file) {
    StringRef path = evaluation.sources.path(file);
    if (path == top || workspace.isOpen(path))
      continue;
    slot->onDisk.emplace_back(path.str(), modified(path));
  }
  return *slot;
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// The bytes of a file that a diagnostic is about.
static std::pair<size_t, size_t> bytesOf(const SourceManager &sources,
                                         FileId file, Loc loc, Span span) {
  const char *start = sources.text(file).data();
  if (!span.isValid())
    span = Span(loc, loc);
  return {size_t(span.Start.getPointer() - start),
          size_t(span.End.getPointer() - start)};
}

static bool isSame(const Finding &a, const Finding &b) {
  return a.begin == b.begin && a.message == b.message;
}

void Programs::addFindings(const EvaluatedProgram &program,
                           std::map<std::string, std::vector<Finding>> &out) {
  const Evaluation &evaluation = program.evaluation;
  const SourceManager &sources = evaluation.sources;
  for (const Diagnostic &d : evaluation.diagnostics.all()) {
    Finding finding;
    finding.severity = d.severity == Severity::Error
                           ? Finding::Severity::Error
                           : Finding::Severity::Warning;
    // That is about the editor: the compiler is given values and goes on.
    if (evaluation.observations.isUnbound(d.loc) ||
        (d.loc.isValid() && d.loc == evaluation.observations.stopped))
      finding.severity = Finding::Severity::Information;
    finding.message = d.message;
    FileId file = sources.fileOf(d.loc);
    std::string path = file ? sources.path(file).str() : program.root;
    if (file)
      std::tie(finding.begin, finding.end) =
          bytesOf(sources, file, d.loc, d.span);
    bool isForeign = workspace.isLibrary(path);
    for (const Diagnostic &note : d.notes) {
      FileId noteFile = sources.fileOf(note.loc);
      if (!noteFile)
        continue;
      auto [begin, end] = bytesOf(sources, noteFile, note.loc, note.span);
      std::string notePath = sources.path(noteFile).str();
      if (isForeign && !workspace.isLibrary(notePath)) {
        // Where the user can do something about what a library says.
        finding.message =
            llvm::sys::path::filename(path).str() + ": " + finding.message;
        finding.notes.push_back(
            {path, finding.begin, finding.end, "in the library here"});
        path = notePath;
        std::tie(finding.begin, finding.end) = {begin, end};
        isForeign = false;
      }
      finding.notes.push_back({notePath, begin, end, note.message});
    }
    std::vector<Finding> &known = out[path];
    if (llvm::none_of(known, [&](const Finding &other) {
          return isSame(finding, other);
        }))
      known.push_back(std::move(finding));
  }
}

std::map<std::string, std::vector<Finding>> Programs::findings(StringRef path) {
  std::map<std::string, std::vector<Finding>> result;
  const Document *document = workspace.find(path);
  if (!document)
    return result;
  std::vector<Finding> &own = result[document->path().str()];
  // The document has its own places, which are those of every evaluation.
  for (const Diagnostic &d : document->diagnostics()) {
    Finding finding;
    finding.severity = d.severity == Severity::Error
                           ? Finding::Severity::Error
                           : Finding::Severity::Warning;
    finding.message = d.message;
    auto bytes = [&](Loc loc, Span span) {
      const char *start = document->text().data();
      if (!span.isValid())
        span = Span(loc, loc);
      return std::pair<size_t, size_t>(span.Start.getPointer() - start,
                                       span.End.getPointer() - start);
    };
    std::tie(finding.begin, finding.end) = bytes(d.loc, d.span);
    for (const Diagnostic &note : d.notes) {
      auto [begin, end] = bytes(note.loc, note.span);
      finding.notes.push_back({path.str(), begin, end, note.message});
    }
    own.push_back(std::move(finding));
  }
  for (EvaluatedProgram *program : of(*document)) {
    // What a lone file lacks is no mistake in it.
    if (program->isAlone)
      continue;
    const SourceManager &sources = program->evaluation.sources;
    for (FileId file = 1; file <= sources.numFiles(); ++file)
      if (!workspace.isLibrary(sources.path(file)) &&
          program->evaluation.observations.isParsed(file))
        result[sources.path(file).str()];
    addFindings(*program, result);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

static std::string inCode(StringRef text) {
  // A backtick inside would end the code.
  std::string fence = text.contains('`') ? "``" : "`";
  std::string line = text.str();
  llvm::replace(line, '\n', ' ');
  return fence + line + fence;
}

std::string Programs::describe(const Document &asker, const Document &document,
                               StringRef text) {
  size_t begin = size_t(text.begin() - document.text().begin());
  struct Line {
    Observation observation;
    std::string program;
  };
  std::vector<Line> lines;
  bool hasMore = false;
  std::vector<EvaluatedProgram *> asked = of(asker);
  for (EvaluatedProgram *program : asked) {
    const SourceManager &sources = program->evaluation.sources;
    for (FileId file = 1; file <= sources.numFiles(); ++file) {
      if (sources.path(file) != document.path() ||
          sources.text(file) != document.text())
        continue;
      const Observations::Entry *entry = program->evaluation.observations.find(
          sources.text(file).substr(begin, text.size()));
      if (!entry)
        continue;
      hasMore |= entry->more;
      for (const Observation &found : entry->found)
        if (llvm::none_of(lines, [&](const Line &line) {
              return line.observation.type == found.type &&
                     line.observation.value == found.value;
            }))
          lines.push_back({found, program->root});
    }
  }
  // That a type's name is a type is not worth a line.
  llvm::erase_if(lines, [&](const Line &line) {
    return line.observation.type == "type" && line.observation.value == text;
  });
  std::string result;
  for (const Line &line : lines) {
    const Observation &found = line.observation;
    std::string body = inCode(found.type);
    if (!found.value.empty())
      body += " = " + inCode(found.value);
    if (lines.size() == 1 && !hasMore)
      return body + "\n";
    result += "- " + body + " (" + found.where;
    if (asked.size() > 1)
      result += " of " + llvm::sys::path::filename(line.program).str();
    result += ")\n";
  }
  if (hasMore)
    result += "- ...\n";
  return result;
}
