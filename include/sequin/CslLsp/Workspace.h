//===- Workspace.h - What an editor asks about CSL files --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of an editor and the answers about them: what a name means, what to
// show beside it, the outline. Names are followed without types: scopes of
// blocks, loops, functions and files, members of imported modules, fields of
// named types and enumerators. A file with errors is answered for as far as its
// tree goes.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLLSP_WORKSPACE_H
#define SEQUIN_CSLLSP_WORKSPACE_H

#include "sequin/CslSource/Parser.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sequin::csl_lsp {

/// A file parsed once.
class Document {
public:
  Document(llvm::StringRef path, llvm::StringRef text);

  llvm::StringRef path() const { return sources.path(file); }
  llvm::StringRef text() const { return sources.text(file); }
  const csl_source::SourceFile &tree() const { return *parsed; }
  llvm::ArrayRef<csl_source::Diagnostic> diagnostics() const {
    return reported.all();
  }

  bool hasLayout() const;
  /// The names of the files that are imported or placed as code.
  llvm::ArrayRef<llvm::StringRef> imports() const;

  /// A place in the protocol's terms: the line from 0, the column in UTF-16
  /// units.
  struct Position {
    unsigned line = 0;
    unsigned column = 0;
  };
  Position position(csl_source::Loc loc) const;
  /// The place, or the nearest one if there is none.
  csl_source::Loc loc(Position position) const;

private:
  csl_source::SourceManager sources;
  csl_source::Diagnostics reported;
  csl_source::Context context;
  csl_source::FileId file;
  const csl_source::SourceFile *parsed;
  /// Found when first asked for.
  mutable std::optional<std::vector<llvm::StringRef>> importNames;
};

/// What a name at a place means.
struct Meaning {
  /// Where it is declared: the document and the declaration, or, for an
  /// imported file, the document alone.
  const Document *document = nullptr;
  const csl_source::Decl *decl = nullptr;
  /// A builtin or a predeclared name instead, with what there is to say.
  std::string predeclared;
  /// The text that asked.
  csl_source::Span span;
};

/// The function of a call that is being written.
struct CallSignature {
  std::string text;
  std::string documentation;
  /// The parameters, [begin, end) in the text.
  std::vector<std::pair<unsigned, unsigned>> parameters;
  /// The one that an argument is being written for.
  unsigned active = 0;
};

/// New text for part of a document, and where it is.
struct Edit {
  const Document *document = nullptr;
  csl_source::Span span;
  std::string text;
};

class Workspace {
public:
  /// `libraryPath` is where `<name>` is looked for.
  explicit Workspace(std::string libraryPath)
      : libraryPath(std::move(libraryPath)) {}

  /// The editor's text of a file, which counts instead of the disk's.
  const Document &open(llvm::StringRef path, llvm::StringRef text);
  void close(llvm::StringRef path);
  /// The file as the editor or the disk has it; null if it cannot be read.
  const Document *find(llvm::StringRef path);
  /// The files that the editor has open, sorted.
  std::vector<std::string> openPaths() const;
  bool isOpen(llvm::StringRef path) const { return opened.contains(path); }
  /// Those among them that have a layout.
  const std::set<std::string> &openLayouts() const { return layouts; }
  /// Whether a file is one of the library's, which users do not change.
  bool isLibrary(llvm::StringRef path) const;
  /// The files that a file imports or places as code, as far as they are named
  /// by string literals and can be read.
  std::vector<const Document *> importedBy(const Document &document);

  /// What the name at or right before a place means; none if nothing is known.
  std::optional<Meaning> meaning(const Document &document, csl_source::Loc loc);
  /// The places that mean a declaration, in the open files and those that they
  /// import, its own name first: the document and the name's text.
  std::vector<std::pair<const Document *, csl_source::Span>>
  references(const Document &document, const csl_source::Decl &decl);
  /// What gives a declaration another name, everywhere that references() finds
  /// and in the files beside it; names that hosts and linkers know stay.
  /// Refused with the reason where the program would not mean the same, or
  /// where it is not known whether it would.
  llvm::Expected<std::vector<Edit>>
  rename(const Document &document, csl_source::Loc loc, llvm::StringRef name);
  /// What rename() would be about at a place; refused as there.
  llvm::Expected<Meaning> renamed(const Document &document,
                                  csl_source::Loc loc);
  /// The function that a place is among the arguments of.
  std::optional<CallSignature> signature(const Document &document,
                                         csl_source::Loc loc);
  /// The declarations that a name followed by a point has, given the place of
  /// the point.
  std::vector<std::pair<llvm::StringRef, const csl_source::Decl *>>
  members(const Document &document, csl_source::Loc point);
  /// The text at a place that an evaluation has something to say about: a
  /// declaration's name, or the innermost expression. Empty if there is none.
  llvm::StringRef evaluated(const Document &document, csl_source::Loc loc);
  /// Markdown about what stands at a place; empty if there is nothing to say.
  /// `evaluated` is what is known of its type and value, if it was evaluated.
  std::string hover(const Document &document, const Meaning &meaning,
                    llvm::StringRef evaluated = "");

private:
  /// A declaration as one line; functions without their body.
  static std::string outline(const csl_source::Decl &decl);
  std::vector<std::pair<const Document *, csl_source::Span>>
  referencesIn(llvm::ArrayRef<const Document *> files, const Document &document,
               const csl_source::Decl &decl);
  /// The open files and those beside a file, with all that they import.
  std::vector<const Document *> around(const Document &document,
                                       bool withClosed);
  /// As meaning(), of the character at the place.
  std::optional<Meaning> meaningOn(const Document &document,
                                   csl_source::Loc loc);
  /// What an expression names, if it names a declaration or a file.
  std::optional<Meaning> resolve(const Document &document,
                                 const csl_source::Expr &expr, unsigned depth);
  std::optional<Meaning> member(const Meaning &base, llvm::StringRef name,
                                unsigned depth);
  /// What has the members of a value, type or module: a document alone, or a
  /// declaration of a struct or enum type.
  std::optional<Meaning> owner(const Meaning &base, unsigned depth);
  static std::vector<const csl_source::Decl *> membersOf(const Meaning &owner);
  /// The file that @import_module or @set_tile_code names.
  const Document *imported(const Document &importer, llvm::StringRef name);
  /// Values of constants, none if they are not known: each is found once,
  /// however often others name it.
  using Constants =
      llvm::DenseMap<const csl_source::VarDecl *, std::optional<llvm::APSInt>>;
  /// The value of an integer expression of literals and constants.
  std::optional<llvm::APSInt> value(const Document &document,
                                    const csl_source::Expr &expr,
                                    Constants &known, unsigned depth);

  struct OnDisk {
    std::unique_ptr<Document> document;
    llvm::sys::TimePoint<> modified;
  };

  std::string libraryPath;
  llvm::StringMap<std::unique_ptr<Document>> opened;
  std::set<std::string> layouts;
  llvm::StringMap<OnDisk> onDisk;
  /// Read again meanwhile; kept until the next text, for who still asks them.
  std::vector<std::unique_ptr<Document>> replaced;
};

/// The declaration that a name means at a place of a file, by scopes alone;
/// null without one.
const csl_source::Decl *lookup(const csl_source::SourceFile &file,
                               llvm::StringRef name, csl_source::Loc loc);

/// All declarations with a name that a place sees, inner ones first.
std::vector<const csl_source::Decl *>
visibleAt(const csl_source::SourceFile &file, csl_source::Loc loc);

/// How a builtin is called, e.g. "@zeros(T: type) T"; none if there is no such
/// builtin here.
std::optional<llvm::StringRef> builtinSignature(llvm::StringRef name);
/// All of them, sorted by name.
std::vector<llvm::StringRef> builtinNames();

} // namespace sequin::csl_lsp

#endif // SEQUIN_CSLLSP_WORKSPACE_H
