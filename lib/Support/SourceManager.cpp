//===- SourceManager.cpp - Source files, places and diagnostics -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/SourceManager.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

using namespace sequin;
using namespace sequin::source;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// SourceManager
//===----------------------------------------------------------------------===//

llvm::Expected<FileId> SourceManager::open(StringRef path) {
  auto known = byPath.find(path);
  if (known != byPath.end())
    return known->second;
  if (overlay)
    if (std::optional<StringRef> text = overlay(path))
      return add(path, *text);
  auto refuse = [&](const llvm::Twine &why) {
    return llvm::createStringError("cannot read '" + path + "': " + why);
  };
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return refuse(error.message());
  if (status.type() == llvm::sys::fs::file_type::directory_file)
    return refuse("it is a directory");
  if (status.getSize() > kMaxFileBytes)
    return refuse("it has " + llvm::Twine(status.getSize()) +
                  " bytes, at most " + llvm::Twine(kMaxFileBytes) +
                  " are read");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/true,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return refuse(buffer.getError().message());
  FileId file = sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  byPath[path] = file;
  return file;
}

FileId SourceManager::add(StringRef path, StringRef text) {
  FileId file = sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, path), llvm::SMLoc());
  byPath[path] = file;
  return file;
}

StringRef SourceManager::path(FileId file) const {
  return sources.getMemoryBuffer(file)->getBufferIdentifier();
}

StringRef SourceManager::text(FileId file) const {
  return sources.getMemoryBuffer(file)->getBuffer();
}

FileId SourceManager::fileOf(Loc loc) const {
  return loc.isValid() ? sources.FindBufferContainingLoc(loc) : 0;
}

LineColumn SourceManager::lineColumn(Loc loc) const {
  FileId file = fileOf(loc);
  if (file == 0)
    return {};
  auto [line, column] = sources.getLineAndColumn(loc, file);
  return {line, column};
}

Loc SourceManager::locOf(FileId file, unsigned line, unsigned column) const {
  if (line == 0 || column == 0)
    return {};
  StringRef rest = text(file);
  for (; line > 1; --line) {
    size_t end = rest.find('\n');
    if (end == StringRef::npos)
      return {};
    rest = rest.drop_front(end + 1);
  }
  rest = rest.take_until([](char c) { return c == '\n'; });
  return Loc::getFromPointer(rest.data() +
                             std::min<size_t>(column - 1, rest.size()));
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

Diagnostic &Diagnostics::add(Severity severity, Loc loc, Span span,
                             const llvm::Twine &message) {
  if (demotes && severity == Severity::Error) {
    severity = Severity::Warning;
    ++errors;
  }
  std::string text = message.str();
  auto dropIt = [&]() -> Diagnostic & {
    dropped = Diagnostic();
    return dropped;
  };
  auto &here = byPlace[loc.getPointer()];
  for (unsigned index : here) {
    Diagnostic &known = kept[index];
    if (known.message != text)
      continue;
    // What was a warning of unused code is an error where the code is used.
    if (severity == Severity::Error && known.severity == Severity::Warning) {
      known.severity = Severity::Error;
      ++errors;
    }
    return dropIt();
  }
  if (severity == Severity::Error && errors++ >= kMaxErrors)
    return dropIt();
  here.push_back(unsigned(kept.size()));
  kept.push_back({severity, loc, span, std::move(text), {}});
  kept.back().suggests = kept.size() <= kMaxErrors;
  return kept.back();
}

void Diagnostics::note(Diagnostic &to, Span span, const llvm::Twine &message) {
  to.notes.push_back({Severity::Note, span.Start, span, message.str(), {}});
}

void Diagnostics::demoteErrors(llvm::function_ref<void()> function) {
  // Inside they count, for what follows from another error is not said.
  llvm::SaveAndRestore restore(demotes, true);
  llvm::SaveAndRestore count(errors);
  function();
}

void Diagnostics::clear() {
  kept.clear();
  byPlace.clear();
  errors = 0;
}

/// Longer lines are not repeated under a message.
static constexpr size_t kLongestShownLine = 400;

static StringRef lineOf(const SourceManager &sources, Loc loc) {
  StringRef text = sources.text(sources.fileOf(loc));
  size_t place = size_t(loc.getPointer() - text.data());
  size_t start = text.rfind('\n', place);
  return text.substr(start == StringRef::npos ? 0 : start + 1)
      .take_until([](char c) { return c == '\n'; });
}

static void printOne(const SourceManager &sources, const Diagnostic &d,
                     llvm::raw_ostream &os, bool colors) {
  auto kind = d.severity == Severity::Error     ? llvm::SourceMgr::DK_Error
              : d.severity == Severity::Warning ? llvm::SourceMgr::DK_Warning
                                                : llvm::SourceMgr::DK_Note;
  StringRef word = d.severity == Severity::Error     ? "error: "
                   : d.severity == Severity::Warning ? "warning: "
                                                     : "note: ";
  if (!d.loc.isValid()) {
    os << word << d.message << '\n';
  } else if (lineOf(sources, d.loc).size() > kLongestShownLine) {
    LineColumn place = sources.lineColumn(d.loc);
    os << sources.path(sources.fileOf(d.loc)) << ':' << place.line << ':'
       << place.column << ": " << word << d.message << '\n';
  } else {
    llvm::SmallVector<Span, 1> ranges;
    if (d.span.isValid())
      ranges.push_back(d.span);
    sources.sourceMgr().PrintMessage(os, d.loc, kind, d.message, ranges, {},
                                     colors);
  }
  for (const Diagnostic &note : d.notes)
    printOne(sources, note, os, colors);
}

void Diagnostics::print(llvm::raw_ostream &os, bool colors) const {
  for (const Diagnostic &d : kept)
    printOne(sources, d, os, colors);
  if (errors > kMaxErrors)
    os << "error: " << errors - kMaxErrors << " more errors are not shown\n";
}

std::optional<StringRef>
source::suggestName(StringRef name, llvm::ArrayRef<StringRef> candidates) {
  // Something of the name has to stay: of one letter all others are near.
  unsigned best =
      std::min(std::max<size_t>(1, name.size() / 3) + 1, name.size());
  std::optional<StringRef> found;
  for (StringRef candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, true, best);
    // Of names as near as each other the one that a letter more or less makes.
    bool isNearer =
        distance < best ||
        (found && distance == best &&
         (name.starts_with(candidate) || candidate.starts_with(name)));
    if (isNearer && candidate != name) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}
