//===- SourceManager.h - Source files, places and diagnostics ---*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of one compilation, and what is said about them. A place is an
// llvm::SMLoc, that is a pointer into a file's buffer, and a span an
// llvm::SMRange (end exclusive); both stay valid as long as the SourceManager.
//
// Diagnostics are collected as data and printed at the end in clang's form
// (file:line:col: error: text, the source line, a caret), so that a
// language server and a compiler share them.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_SOURCEMANAGER_H
#define SEQUIN_SUPPORT_SOURCEMANAGER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SMLoc.h"
#include "llvm/Support/SourceMgr.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sequin::source {

using Loc = llvm::SMLoc;
using Span = llvm::SMRange;

/// Names a file of a SourceManager; 0 is none.
using FileId = unsigned;

/// Largest file that is read, in bytes.
inline constexpr uint64_t kMaxFileBytes = 16u << 20;

/// A place as a person reads it, both counted from 1; the column in bytes.
struct LineColumn {
  unsigned line = 0;
  unsigned column = 0;
};

/// The files of one compilation. A file is read once: opening it again gives
/// the same FileId, so that a module imported many times is parsed once.
class SourceManager {
public:
  SourceManager() = default;
  SourceManager(const SourceManager &) = delete;
  SourceManager &operator=(const SourceManager &) = delete;

  /// Reads a file, or finds it among those read and overlaid.
  llvm::Expected<FileId> open(llvm::StringRef path);
  /// A file of the given name whose text is not on disk (tests, an editor's
  /// unsaved buffer). A later open() of that name finds it.
  FileId add(llvm::StringRef path, llvm::StringRef text);
  /// Asked by open() for the text of a file before the disk is.
  std::function<std::optional<llvm::StringRef>(llvm::StringRef path)> overlay;

  /// The name a file was opened by, as diagnostics print it.
  llvm::StringRef path(FileId file) const;
  /// The whole text; the byte after the end is NUL.
  llvm::StringRef text(FileId file) const;
  unsigned numFiles() const { return sources.getNumBuffers(); }

  /// The file a place is in; 0 for an invalid place.
  FileId fileOf(Loc loc) const;
  LineColumn lineColumn(Loc loc) const;
  /// The place of a line and column; none if the file has no such line. A
  /// column past the end of the line gives the line's end.
  Loc locOf(FileId file, unsigned line, unsigned column) const;
  /// The text a span covers.
  static llvm::StringRef textOf(Span span) {
    if (!span.isValid())
      return {};
    return {span.Start.getPointer(),
            size_t(span.End.getPointer() - span.Start.getPointer())};
  }

  const llvm::SourceMgr &sourceMgr() const { return sources; }

private:
  llvm::SourceMgr sources;
  llvm::StringMap<FileId> byPath;
};

/// A note belongs to the error or warning before it.
enum class Severity : uint8_t { Error, Warning, Note };

/// One sentence about a place. A message is lower case without a full stop and
/// names the thing, what was found and what is allowed.
struct Diagnostic {
  Severity severity = Severity::Error;
  Loc loc;
  /// Underlined beside the caret; may be invalid.
  Span span;
  std::string message;
  /// The notes, in order: other places, import and instantiation chains.
  std::vector<Diagnostic> notes;
  /// Whether a similar name is worth looking for, which takes a walk over all
  /// names: for the first diagnostics only.
  bool suggests = false;
};

/// Collects diagnostics. After kMaxErrors errors further ones are counted but
/// not kept. Two errors at one place with one text are kept once, so that code
/// analysed several times reports once.
class Diagnostics {
public:
  explicit Diagnostics(const SourceManager &sources) : sources(sources) {}

  static constexpr unsigned kMaxErrors = 50;

  /// Returns the diagnostic, to which notes can be added until the next call.
  Diagnostic &error(Span span, const llvm::Twine &message) {
    return add(Severity::Error, span.Start, span, message);
  }
  Diagnostic &error(Loc loc, const llvm::Twine &message) {
    return add(Severity::Error, loc, Span(), message);
  }
  Diagnostic &warning(Span span, const llvm::Twine &message) {
    return add(Severity::Warning, span.Start, span, message);
  }
  /// Adds a note to a diagnostic that error() or warning() just returned.
  static void note(Diagnostic &to, Span span, const llvm::Twine &message);

  unsigned numErrors() const { return errors; }
  bool hadErrors() const { return errors != 0; }
  llvm::ArrayRef<Diagnostic> all() const { return kept; }
  void clear();
  /// Runs a function whose errors count as warnings.
  void demoteErrors(llvm::function_ref<void()> function);

  /// All of them in the order they were reported, then how many errors were
  /// left out.
  void print(llvm::raw_ostream &os, bool colors = false) const;

private:
  Diagnostic &add(Severity severity, Loc loc, Span span,
                  const llvm::Twine &message);

  const SourceManager &sources;
  std::vector<Diagnostic> kept;
  /// Those of `kept` at a place.
  llvm::DenseMap<const char *, llvm::SmallVector<unsigned, 1>> byPlace;
  /// Takes the notes of diagnostics that are not kept.
  Diagnostic dropped;
  unsigned errors = 0;
  bool demotes = false;
};

/// The candidate that a misspelled name most likely means: the one of least
/// edit distance, if that is at most a third of the name's length; the first
/// of several.
std::optional<llvm::StringRef>
suggestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace sequin::source

#endif // SEQUIN_SUPPORT_SOURCEMANAGER_H
