//===- Rename.cpp - Another name for a declaration ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program with another name in it means the same or is not made. Names that
// others know stay what they are: `@export_symbol(x)` becomes
// `@export_symbol(y, "x")`. Uses that are not found by scopes (fields, names in
// strings, parameters whose values come in a struct from elsewhere) refuse the
// whole. In the end the edits are made on copies of the files, and the uses of
// the new name there have to be those of the old one.
//
//===----------------------------------------------------------------------===//

#include "sequin/CslLsp/Workspace.h"
#include "sequin/CslSource/Names.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace sequin;
using namespace sequin::csl_lsp;
using namespace sequin::csl_source;
using llvm::StringRef;

static llvm::Error refuse(const llvm::Twine &reason) {
  return llvm::createStringError(reason);
}

/// "pe.csl:3" for a message; lines from 1.
static std::string placeOf(const Document &document, Loc loc) {
  StringRef path = document.path();
  return (path.substr(path.rfind('/') + 1) + ":" +
          llvm::Twine(document.position(loc).line + 1))
      .str();
}

static bool isGlobal(const Document &document, const Decl &decl) {
  return llvm::is_contained(document.tree().decls, &decl);
}

static void visitAll(const Document &document,
                     llvm::function_ref<void(const Node &)> visit) {
  auto walk = [&](auto &self, const Node &node) -> void {
    visit(node);
    forEachChild(node, [&](const Node &child) { self(self, child); });
  };
  for (const Decl *decl : document.tree().decls)
    walk(walk, *decl);
}

/// Another declaration by which the name cannot be taken; null if there is
/// none.
static const Decl *findClash(const Document &document, const Decl &decl,
                             StringRef name) {
  const SourceFile &file = document.tree();
  bool global = isGlobal(document, decl);
  const Decl *clash = nullptr;
  auto sees = [&](const Decl &from, const Decl &other) {
    return llvm::is_contained(visibleAt(file, from.name().span.Start), &other);
  };
  visitAll(document, [&](const Node &node) {
    const auto *other = llvm::dyn_cast<Decl>(&node);
    if (clash || !other || other == &decl || other->name().text != name ||
        llvm::isa<FieldDecl, EnumMember>(other))
      return;
    bool otherGlobal = isGlobal(document, *other);
    // Local names that are visible at once differ (SYN-021), and so do globals.
    if (global == otherGlobal &&
        (global || sees(*other, decl) || sees(decl, *other)))
      clash = other;
  });
  return clash;
}

llvm::Expected<Meaning> Workspace::renamed(const Document &document, Loc loc) {
  auto found = meaning(document, loc);
  if (!found || (!found->decl && found->predeclared.empty()))
    return refuse("there is no name here that a file declares");
  if (!found->decl)
    return refuse("'" + found->predeclared + "' is a name of the language");
  const Decl &decl = *found->decl;
  if (decl.name().empty() || decl.name().isDiscard())
    return refuse("there is no name here that a file declares");
  StringRef old = decl.name().text;
  if (isLibrary(found->document->path()))
    return refuse("'" + old + "' belongs to the library");
  if (llvm::isa<FieldDecl, EnumMember>(decl))
    return refuse("'" + old +
                  "' is a field: which values have it is known to the compiler "
                  "only, which sees one program");
  Storage storage = Storage::None;
  if (const auto *var = llvm::dyn_cast<VarDecl>(&decl)) {
    storage = var->storage();
    if (var->isParam())
      for (const Decl *other : found->document->tree().decls)
        if (llvm::isa<LayoutDecl>(other))
          return refuse("'" + old +
                        "' is a parameter of a layout, which --params of cslc "
                        "names");
  } else if (const auto *function = llvm::dyn_cast<FnDecl>(&decl)) {
    storage = function->storage();
  }
  if (storage != Storage::None)
    return refuse("other modules know '" + old + "' by its name: it is " +
                  (storage == Storage::Export ? "exported" : "extern"));
  return *found;
}

llvm::Expected<std::vector<Edit>> Workspace::rename(const Document &document,
                                                    Loc loc, StringRef name) {
  llvm::Expected<Meaning> found = renamed(document, loc);
  if (!found)
    return found.takeError();
  const Decl &decl = *found->decl;
  const Document &home = *found->document;
  StringRef old = decl.name().text;
  bool isName =
      !name.empty() && !llvm::isDigit(name.front()) && name != "_" &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isName)
    return refuse("'" + name +
                  "' is no name: letters, digits and '_', with no digit first");
  if (isKeyword(name) || isTypeName(name) || isDirectionName(name))
    return refuse("'" + name + "' is a name of the language");
  if (name == old)
    return std::vector<Edit>();
  if (const Decl *clash = findClash(home, decl, name))
    return refuse("'" + name + "' is declared already at " +
                  placeOf(home, clash->name().span.Start));
  bool global = isGlobal(home, decl);
  std::vector<const Document *> files = around(home, /*withClosed=*/global);
  auto uses = referencesIn(files, home, decl);
  for (auto [where, span] : uses)
    if (isLibrary(where->path()))
      return refuse("the library uses '" + old + "'");

  // What hosts know a symbol by, and names in strings.
  llvm::DenseMap<const char *, std::string> behind;
  std::string unknown;
  std::vector<Edit> edits;
  const auto *param = llvm::dyn_cast<VarDecl>(&decl);
  bool isParam = param && param->isParam();
  for (const Document *where : files) {
    if (!global)
      break;
    visitAll(*where, [&](const Node &node) {
      const auto *call = llvm::dyn_cast<BuiltinCall>(&node);
      if (!call || call->arguments().empty())
        return;
      StringRef builtin = call->name().text;
      if (builtin == "export_symbol" && call->arguments().size() == 1)
        behind[call->arguments()[0]->ignoreParens()->span().End.getPointer()] =
            (", \"" + old + "\"").str();
      if ((builtin == "field" || builtin == "has_field") &&
          call->arguments().size() > 1)
        if (const auto *text = llvm::dyn_cast<StringLiteral>(
                call->arguments()[1]->ignoreParens());
            text && text->value() == old && unknown.empty())
          unknown = "a string names '" + old.str() + "' at " +
                    placeOf(*where, call->begin());
      bool isImport = builtin == "import_module";
      if (!isParam || (!isImport && builtin != "set_tile_code"))
        return;
      size_t at = isImport ? 0 : 2;
      if (at >= call->arguments().size())
        return;
      const auto *path =
          llvm::dyn_cast<StringLiteral>(call->arguments()[at]->ignoreParens());
      if (!path || imported(*where, path->value()) != &home ||
          at + 1 >= call->arguments().size())
        return;
      const Expr *values = call->arguments()[at + 1]->ignoreParens();
      if (const auto *written = llvm::dyn_cast<StructInit>(values)) {
        for (const FieldInit &field : written->fields())
          if (field.name.text == old)
            edits.push_back({where, field.name.span, name.str()});
      } else if (!llvm::isa<ListInit>(values) && unknown.empty()) {
        unknown = "the value of parameter '" + old.str() +
                  "' comes in a struct at " + placeOf(*where, values->begin());
      }
    });
  }
  if (!unknown.empty())
    return refuse(unknown);
  for (auto [where, span] : uses) {
    auto kept = behind.find(span.End.getPointer());
    edits.push_back(
        {where, span,
         (name + (kept == behind.end() ? "" : kept->second)).str()});
  }

  // The files as they would be.
  llvm::sort(edits, [](const Edit &a, const Edit &b) {
    return std::tuple(a.document->path(), a.span.Start.getPointer()) <
           std::tuple(b.document->path(), b.span.Start.getPointer());
  });
  Workspace after(libraryPath);
  std::map<std::string, std::string> texts;
  for (const Document *file : files)
    texts[file->path().str()] = file->text().str();
  // From the end of each file on, so that places before stay; where the uses
  // will be is counted from its beginning.
  std::map<std::string, std::vector<size_t>> expected;
  std::map<std::string, long> shift;
  llvm::DenseSet<const char *> isUse;
  for (auto [where, span] : uses)
    isUse.insert(span.Start.getPointer());
  size_t declaredAt = 0;
  for (const Edit &edit : edits) {
    std::string path = edit.document->path().str();
    size_t start = edit.span.Start.getPointer() - edit.document->text().begin();
    size_t length = edit.span.End.getPointer() - edit.span.Start.getPointer();
    texts[path].replace(start + shift[path], length, edit.text);
    if (isUse.contains(edit.span.Start.getPointer()))
      expected[path].push_back(start + shift[path]);
    if (edit.span.Start == decl.name().span.Start)
      declaredAt = start + shift[path];
    shift[path] += long(edit.text.size()) - long(length);
  }
  for (const auto &[path, text] : texts)
    if (!isLibrary(path))
      after.open(path, text);
  const Document *homeAfter = after.find(home.path());
  Loc place = Loc::getFromPointer(homeAfter->text().begin() + declaredAt);
  auto again = after.meaning(*homeAfter, place);
  std::map<std::string, std::vector<size_t>> actual;
  if (again && again->decl)
    for (auto [where, span] :
         after.referencesIn(after.around(*homeAfter, /*withClosed=*/false),
                            *homeAfter, *again->decl))
      actual[where->path().str()].push_back(span.Start.getPointer() -
                                            where->text().begin());
  for (auto &[path, places] : actual)
    llvm::sort(places);
  if (actual != expected)
    return refuse("'" + name + "' means something else where '" + old +
                  "' is used, or the other way round");
  return edits;
}
