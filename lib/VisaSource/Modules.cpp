//===- Modules.cpp - Modules and files of a crate of kernels --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expand.h"
#include "Resolver.h"
#include "sequin/Support/Excerpt.h"
#include "sequin/VisaSource/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::dyn_cast;
using llvm::StringRef;
using llvm::Twine;

/// Files of modules inside of each other.
static constexpr unsigned kMaxModuleDepth = 64;
/// Macros inside of each other.
static constexpr unsigned kMaxExpansions = 64;

bool Module::isInside(const Module &other) const {
  for (const Module *m = this; m; m = m->parent)
    if (m == &other)
      return true;
  return false;
}

Module *Resolver::makeModule(const Module *parent, StringRef name,
                             const SourceFile *file, List<Item> items,
                             bool isBlock) {
  auto &module = *program.allModules.emplace_back(std::make_unique<Module>());
  module.name = name;
  module.parent = parent;
  module.home = isBlock ? parent->home : &module;
  module.path = isBlock  ? parent->path
                : parent ? parent->home->path + "::" + name.str()
                         : name.str();
  module.file = file;
  module.items = items;
  module.isOpaque = file->hadErrors;
  return &module;
}

Module *Resolver::readCrate(StringRef path, StringRef name) {
  llvm::Expected<FileId> file = program.sources.open(path);
  if (!file) {
    diagnostics.error(Loc(), llvm::toString(file.takeError()));
    return nullptr;
  }
  const SourceFile *parsed =
      parse(*file, program.sources, program.context, diagnostics);
  Module *root = makeModule(nullptr, name, parsed, parsed->items,
                            /*isBlock=*/false);
  folders[root] = llvm::sys::path::parent_path(path).str();
  declare(*root);
  return root;
}

void Resolver::declare(Module &module) {
  // What is declared in here is known behind it only if it says so.
  llvm::StringMap<const MacroRulesItem *> outside = macros;
  llvm::SmallVector<const Item *, 8> items;
  for (const Item *item : module.items)
    declareOrExpand(module, *item, items);
  module.items = copy(items);
  module.macros = macros;
  macros = std::move(outside);
}

/// The name of the macro that is called.
static StringRef macroName(const Path &path) {
  return path.segments.empty() ? StringRef() : path.segments.back()->name.text;
}

void Resolver::declareOrExpand(Module &module, const Item &item,
                               llvm::SmallVectorImpl<const Item *> &items) {
  if (const auto *rules = dyn_cast<MacroRulesItem>(&item))
    macros[rules->head.name.text] = program.macros[rules->head.name.text] =
        rules;
  if (const auto *call = dyn_cast<MacroItem>(&item)) {
    const MacroRulesItem *rules = macros.lookup(macroName(*call->path));
    // By a `use`, or by its path.
    if (!rules)
      rules = program.macros.lookup(macroName(*call->path));
    if (rules) {
      const SourceFile *file =
          expand(*rules, call->tokens, call->span(), "", "");
      if (!file || file->hadErrors) {
        module.isOpaque = true;
        return;
      }
      ++expansionDepth;
      for (const Item *inner : file->items)
        declareOrExpand(module, *inner, items);
      --expansionDepth;
      return;
    }
  }
  items.push_back(&item);
  declareItem(module, item);
}

const SourceFile *Resolver::expand(const MacroRulesItem &rules, StringRef input,
                                   Span place, StringRef before,
                                   StringRef behind) {
  StringRef name = rules.head.name.text;
  if (expansionDepth >= kMaxExpansions ||
      ++expansionCount > kMaxExpansions * 64) {
    diagnostics.error(place,
                      "'" + excerpt(name) +
                          "!' stands for itself without end, or for more "
                          "than can be read");
    return nullptr;
  }
  std::string error;
  std::optional<std::string> text = expandMacro(rules.tokens, input, error);
  if (!text) {
    Diagnostic &report =
        diagnostics.error(place, "'" + excerpt(name) + "!': " + error);
    Diagnostics::note(report, rules.head.name.span, "declared here");
    return nullptr;
  }
  LineColumn at = program.sources.lineColumn(place.Start);
  std::string label =
      (program.sources.path(program.sources.fileOf(place.Start)) + " (" + name +
       "! of line " + Twine(at.line) + ":" + Twine(at.column) + ")")
          .str();
  FileId file =
      program.sources.add(label, (before + *text + behind + "\n").str());
  return parse(file, program.sources, program.context, diagnostics);
}

const Expr *Resolver::expandExpr(const Module &module, const MacroExpr &call) {
  StringRef name = macroName(*call.path);
  const MacroRulesItem *rules = nullptr;
  for (const Module *around = &module; around && !rules;
       around = around->parent)
    rules = around->macros.lookup(name);
  if (!rules)
    rules = program.macros.lookup(name);
  if (!rules)
    return nullptr;
  const SourceFile *file =
      expand(*rules, call.tokens, call.span(), "fn expansion() {", "}");
  if (!file || file->hadErrors || file->items.empty())
    return nullptr;
  const auto *function = dyn_cast<FnItem>(file->items.front());
  if (!function)
    return nullptr;
  program.expansions[&call] = function->body;
  return function->body;
}

void Resolver::declareName(Module &module, Ident name, Visibility visibility,
                           const Meaning *type, const Meaning *value) {
  if (name.empty() || name.text == "_")
    return;
  ModuleName &entry = module.names[name.text];
  if ((type && entry.type) || (value && entry.value)) {
    Diagnostic &error = diagnostics.error(
        name.span, "'" + name.text + "' is declared twice in this module");
    Diagnostics::note(error, entry.span, "declared here first");
    return;
  }
  entry.name = name.text;
  entry.visibility = visibility;
  entry.span = name.span;
  if (type)
    entry.type = *type;
  if (value)
    entry.value = *value;
}

void Resolver::declareItem(Module &module, const Item &item) {
  const ItemHead &head = headOf(item);
  Meaning meaning{MeaningKind::Item, &item, &module};
  switch (item.kind()) {
  case NodeKind::ModItem:
    return readModule(module, llvm::cast<ModItem>(item));
  case NodeKind::UseItem:
    return declareUse(module, *llvm::cast<UseItem>(item).tree, head.visibility,
                      {}, false);
  case NodeKind::ExternCrateItem: {
    const auto &crate = llvm::cast<ExternCrateItem>(item);
    useCrate(head.name);
    Meaning external = crateMeaning(head.name.text);
    if (head.name.text != "self")
      declareName(module, crate.alias.empty() ? head.name : crate.alias,
                  head.visibility, &external, nullptr);
    return;
  }
  case NodeKind::FnItem:
    if (findAttribute(head.attributes, "device"))
      program.deviceFunctions.push_back(&llvm::cast<FnItem>(item));
    return declareName(module, head.name, head.visibility, nullptr, &meaning);
  case NodeKind::ConstItem:
    return declareName(module, head.name, head.visibility, nullptr, &meaning);
  case NodeKind::TypeItem:
  case NodeKind::EnumItem:
    return declareName(module, head.name, head.visibility, &meaning, nullptr);
  case NodeKind::StructItem: {
    bool hasFields = llvm::cast<StructItem>(item).form == StructForm::Named;
    return declareName(module, head.name, head.visibility, &meaning,
                       hasFields ? nullptr : &meaning);
  }
  case NodeKind::AxesItem:
    // The macro declares them public.
    for (const AxisDecl *axis : llvm::cast<AxesItem>(item).axes) {
      Meaning of{MeaningKind::Axis, axis, &module};
      declareName(module, axis->name, Visibility::Public, &of, nullptr);
    }
    return;
  case NodeKind::MacroItem:
    module.isOpaque = true;
    return;
  default:
    return;
  }
}

void Resolver::declareUse(Module &module, const UseTree &tree,
                          Visibility visibility,
                          llvm::SmallVector<Ident, 4> prefix, bool global) {
  if (prefix.empty()) {
    global = tree.global;
    if (!tree.prefix.empty())
      useCrate(tree.prefix.front());
  }
  prefix.append(tree.prefix.begin(), tree.prefix.end());
  if (tree.useKind == UseKind::Group) {
    for (const UseTree *child : tree.children)
      declareUse(module, *child, visibility, prefix, global);
    return;
  }
  // `a::{self}` is `a`.
  if (prefix.size() > 1 && prefix.back().text == "self")
    prefix.pop_back();
  Module::Import import;
  import.tree = &tree;
  import.path = prefix;
  import.global = global;
  import.visibility = visibility;
  if (tree.useKind == UseKind::Glob) {
    module.globs.push_back(std::move(import));
    return;
  }
  if (prefix.empty())
    return;
  Ident name = tree.alias.empty() ? prefix.back() : tree.alias;
  if (name.text == "_")
    return;
  auto [entry, isNew] = module.imports.insert({name.text, import});
  if (isNew)
    return;
  // Two names of the two namespaces may come by two uses of one name; take the
  // first and report those that are the same.
  bool same = llvm::equal(
      entry->second.path, prefix,
      [](const Ident &a, const Ident &b) { return a.text == b.text; });
  if (same)
    diagnostics.error(name.span, "'" + name.text + "' is used twice");
}

void Resolver::useCrate(Ident crate) {
  std::optional<Releases> release = releaseOfCrate(crate.text);
  if (!release)
    return;
  if (!program.usedRelease) {
    program.usedRelease = release;
    program.releaseSpan = crate.span;
  } else if (program.usedRelease != release) {
    Diagnostic &error = diagnostics.error(
        crate.span, "'" + crate.text + "' is the crate of another release");
    Diagnostics::note(error, program.releaseSpan, "than the one used here");
  }
}

void Resolver::readModule(Module &parent, const ModItem &item) {
  std::string name = item.head.name.text.str();
  if (name.empty())
    return;
  auto enter = [&](const SourceFile *file, List<Item> items,
                   std::string folder) {
    Module *module =
        makeModule(&parent, item.head.name.text, file, items, false);
    folders[module] = std::move(folder);
    Meaning meaning{MeaningKind::Module, &item, module};
    declareName(parent, item.head.name, item.head.visibility, &meaning,
                nullptr);
    ++moduleDepth;
    declare(*module);
    --moduleDepth;
  };
  std::string folder = folders.lookup(parent.home);
  llvm::SmallString<128> below(folder);
  llvm::sys::path::append(below, name);
  if (item.hasBody)
    return enter(parent.file, item.items, below.str().str());
  if (moduleDepth >= kMaxModuleDepth) {
    diagnostics.error(item.span(), "more than " + Twine(kMaxModuleDepth) +
                                       " modules inside of each other");
    return;
  }
  llvm::SmallVector<std::string, 2> candidates;
  std::string childFolder = below.str().str();
  if (const Attribute *at = findAttribute(item.head.attributes, "path")) {
    llvm::SmallString<128> path(
        llvm::sys::path::parent_path(program.sources.path(parent.file->file)));
    if (const auto *text = llvm::dyn_cast_or_null<StringLiteral>(at->value))
      llvm::sys::path::append(path, text->bytes);
    candidates.push_back(path.str().str());
    childFolder = llvm::sys::path::parent_path(candidates.front()).str();
  } else {
    candidates.push_back((below + ".rs").str());
    llvm::SmallString<128> inside(below);
    llvm::sys::path::append(inside, "mod.rs");
    candidates.push_back(inside.str().str());
  }
  for (const std::string &candidate : candidates) {
    llvm::Expected<FileId> file = program.sources.open(candidate);
    if (!file) {
      llvm::consumeError(file.takeError());
      continue;
    }
    for (const Module *m = &parent; m; m = m->parent)
      if (m->file->file == *file) {
        diagnostics.error(item.head.name.span,
                          "module '" + name + "' is the file that it is in");
        return;
      }
    const SourceFile *parsed =
        parse(*file, program.sources, program.context, diagnostics);
    return enter(parsed, parsed->items, childFolder);
  }
  std::string tried = "'" + candidates.front() + "'";
  if (candidates.size() > 1)
    tried += " and '" + candidates.back() + "'";
  diagnostics.error(item.head.name.span, "no file for module '" +
                                             excerpt(name) + "', looked for " +
                                             tried);
  // What it may hold is not reported as well.
  parent.isOpaque = true;
}
