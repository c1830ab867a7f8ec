//===- Workspace.cpp - What an editor asks about CSL files ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslLsp/Workspace.h"

#include "sequin/CslSource/Names.h"
#include "sequin/CslSource/Printer.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace sequin;
using namespace sequin::csl_lsp;
using namespace sequin::csl_source;
using llvm::StringRef;

/// Steps from alias to alias, or module to module, that are followed.
static constexpr unsigned kMaxSteps = 64;
/// Widest number that is worked out for a hover.
static constexpr unsigned kMaxValueBits = 256;

//===----------------------------------------------------------------------===//
// Document
//===----------------------------------------------------------------------===//

Document::Document(StringRef path, StringRef text)
    : reported(sources), file(sources.add(path, text)),
      parsed(parse(file, sources, context, reported)) {}

/// Bytes of the UTF-8 sequence at the start of a text, and the UTF-16 units it
/// stands for; a byte that starts none counts as one.
static std::pair<unsigned, unsigned> firstSequence(StringRef text) {
  const auto *bytes = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  if (!llvm::isLegalUTF8Sequence(bytes, end))
    return {1, 1};
  unsigned length = llvm::getNumBytesForUTF8(*bytes);
  return {length, length == 4 ? 2 : 1};
}

Document::Position Document::position(Loc loc) const {
  LineColumn place = sources.lineColumn(loc);
  if (place.line == 0)
    return {};
  StringRef before(loc.getPointer() - (place.column - 1), place.column - 1);
  Position result{place.line - 1, 0};
  while (!before.empty()) {
    auto [bytes, units] = firstSequence(before);
    before = before.drop_front(bytes);
    result.column += units;
  }
  return result;
}

Loc Document::loc(Position position) const {
  Loc start = sources.locOf(file, position.line + 1, 1);
  if (!start.isValid())
    return Loc::getFromPointer(text().end());
  StringRef line(start.getPointer(), size_t(text().end() - start.getPointer()));
  line = line.take_until([](char c) { return c == '\n'; });
  unsigned column = 0;
  while (!line.empty() && column < position.column) {
    auto [bytes, units] = firstSequence(line);
    line = line.drop_front(bytes);
    column += units;
  }
  return Loc::getFromPointer(line.begin());
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

/// Visits what a node declares for the nodes inside of it, as of a place.
static void forEachDeclared(const Node &scope, Loc loc,
                            llvm::function_ref<void(const Decl &)> visit) {
  auto consider = [&](const Decl *decl) {
    if (decl && !decl->name().empty() && !decl->name().isDiscard())
      visit(*decl);
  };
  if (const auto *block = llvm::dyn_cast<BlockExpr>(&scope)) {
    for (const Stmt *stmt : block->statements())
      if (const auto *local = llvm::dyn_cast<DeclStmt>(stmt))
        if (local->decl()->name().span.Start.getPointer() <= loc.getPointer())
          consider(local->decl());
  } else if (const auto *loop = llvm::dyn_cast<ForExpr>(&scope)) {
    consider(loop->element());
    consider(loop->index());
  } else if (const auto *access = llvm::dyn_cast<TensorAccess>(&scope)) {
    for (const CaptureDecl *variable : access->variables())
      consider(variable);
  } else if (const auto *fn = llvm::dyn_cast<FnDecl>(&scope)) {
    for (const FnParam *param : fn->params())
      consider(param);
  }
}

static const Decl *globalNamed(const SourceFile &file, StringRef name) {
  for (const Decl *decl : file.decls)
    if (!name.empty() && decl->name().text == name)
      return decl;
  return nullptr;
}

const Decl *csl_lsp::lookup(const SourceFile &file, StringRef name, Loc loc) {
  const Decl *found = nullptr;
  auto path = nodesAt(file, loc);
  for (const Node *scope : llvm::reverse(path)) {
    forEachDeclared(*scope, loc, [&](const Decl &decl) {
      if (decl.name().text == name)
        found = &decl;
    });
    if (found)
      return found;
  }
  return globalNamed(file, name);
}

std::vector<const Decl *> csl_lsp::visibleAt(const SourceFile &file, Loc loc) {
  std::vector<const Decl *> result;
  auto path = nodesAt(file, loc);
  for (const Node *scope : llvm::reverse(path))
    forEachDeclared(*scope, loc,
                    [&](const Decl &decl) { result.push_back(&decl); });
  for (const Decl *decl : file.decls)
    if (!decl->name().empty())
      result.push_back(decl);
  return result;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

const Document &Workspace::open(StringRef path, StringRef text) {
  auto &slot = opened[path];
  slot = std::make_unique<Document>(path, text);
  replaced.clear();
  layouts.erase(path.str());
  if (slot->hasLayout())
    layouts.insert(path.str());
  return *slot;
}

void Workspace::close(StringRef path) {
  opened.erase(path);
  layouts.erase(path.str());
}

const Document *Workspace::find(StringRef path) {
  if (auto known = opened.find(path); known != opened.end())
    return known->second.get();
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status) ||
      !llvm::sys::fs::is_regular_file(status) ||
      status.getSize() > kMaxFileBytes)
    return nullptr;
  OnDisk &slot = onDisk[path];
  if (!slot.document || slot.modified != status.getLastModificationTime()) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return nullptr;
    if (slot.document)
      replaced.push_back(std::move(slot.document));
    slot.document = std::make_unique<Document>(path, (*buffer)->getBuffer());
    slot.modified = status.getLastModificationTime();
  }
  return slot.document.get();
}

std::vector<std::string> Workspace::openPaths() const {
  std::vector<std::string> paths;
  for (const auto &entry : opened)
    paths.push_back(entry.first().str());
  llvm::sort(paths);
  return paths;
}

bool Workspace::isLibrary(StringRef path) const {
  return path.starts_with(libraryPath) &&
         path.drop_front(libraryPath.size()).starts_with("/");
}

const Document *Workspace::imported(const Document &importer, StringRef name) {
  llvm::SmallString<128> path;
  if (name.size() > 2 && name.starts_with("<") && name.ends_with(">")) {
    path = libraryPath;
    llvm::sys::path::append(path, name.drop_front().drop_back());
  } else if (llvm::sys::path::is_absolute(name)) {
    path = name;
  } else {
    path = llvm::sys::path::parent_path(importer.path());
    llvm::sys::path::append(path, name);
  }
  // As the editor names the file.
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  if (const Document *found = find(path))
    return found;
  path += ".csl";
  return find(path);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The file that a call imports or places; null if it does neither.
static const StringLiteral *importedFile(const BuiltinCall &call) {
  size_t index = call.name().text == "import_module"   ? 0
                 : call.name().text == "set_tile_code" ? 2
                                                       : SIZE_MAX;
  if (index >= call.arguments().size())
    return nullptr;
  return llvm::dyn_cast<StringLiteral>(call.arguments()[index]);
}

bool Document::hasLayout() const {
  return llvm::any_of(tree().decls, [](const Decl *decl) {
    return llvm::isa<LayoutDecl>(decl);
  });
}

llvm::ArrayRef<StringRef> Document::imports() const {
  if (importNames)
    return *importNames;
  importNames.emplace();
  auto visit = [&](auto &self, const Node &node) -> void {
    if (const auto *call = llvm::dyn_cast<BuiltinCall>(&node))
      if (const StringLiteral *file = importedFile(*call))
        importNames->push_back(file->value());
    forEachChild(node, [&](const Node &child) { self(self, child); });
  };
  for (const Decl *decl : tree().decls)
    visit(visit, *decl);
  return *importNames;
}

std::vector<const Document *> Workspace::importedBy(const Document &document) {
  std::vector<const Document *> result;
  for (StringRef name : document.imports())
    if (const Document *found = imported(document, name))
      result.push_back(found);
  return result;
}

std::optional<Meaning> Workspace::resolve(const Document &document,
                                          const Expr &expr, unsigned depth) {
  if (depth > kMaxSteps)
    return std::nullopt;
  const Expr &e = *expr.ignoreParens();
  if (const auto *name = llvm::dyn_cast<NameExpr>(&e)) {
    const Decl *decl = lookup(document.tree(), name->name(), e.begin());
    if (!decl)
      return std::nullopt;
    return Meaning{&document, decl, "", e.span()};
  }
  if (const auto *select = llvm::dyn_cast<MemberExpr>(&e)) {
    auto base = resolve(document, *select->base(), depth + 1);
    if (!base)
      return std::nullopt;
    return member(*base, select->member().text, depth + 1);
  }
  if (const auto *call = llvm::dyn_cast<BuiltinCall>(&e))
    if (const StringLiteral *file = importedFile(*call))
      if (const Document *found = imported(document, file->value()))
        return Meaning{found, nullptr, "", e.span()};
  // The element has the fields; so has what a pointer points to.
  if (const auto *index = llvm::dyn_cast<IndexExpr>(&e))
    return resolve(document, *index->base(), depth + 1);
  if (const auto *deref = llvm::dyn_cast<DerefExpr>(&e))
    return resolve(document, *deref->pointer(), depth + 1);
  return std::nullopt;
}

/// The type inside of pointers and arrays.
static const Expr *innermostType(const Expr *type) {
  for (;;) {
    type = type->ignoreParens();
    if (const auto *pointer = llvm::dyn_cast<PointerType>(type))
      type = pointer->pointee();
    else if (const auto *array = llvm::dyn_cast<ArrayType>(type))
      type = array->element();
    else
      return type;
  }
}

std::optional<Meaning> Workspace::owner(const Meaning &base, unsigned depth) {
  if (depth > kMaxSteps)
    return std::nullopt;
  if (!base.decl)
    return base;
  const Expr *type = nullptr;
  if (const auto *var = llvm::dyn_cast<VarDecl>(base.decl)) {
    const Expr *init = var->init() ? var->init()->ignoreParens() : nullptr;
    // The declaration names a type itself.
    if (llvm::isa_and_nonnull<StructType, EnumType>(init))
      return base;
    type = var->type();
    // A value whose literal says its type.
    if (const auto *literal = llvm::dyn_cast_or_null<StructInit>(init))
      type = type ? type : literal->type();
    if (!type && init) {
      auto alias = resolve(*base.document, *init, depth + 1);
      return alias ? owner(*alias, depth + 1) : std::nullopt;
    }
  } else if (const auto *param = llvm::dyn_cast<FnParam>(base.decl)) {
    type = param->type();
  } else if (const auto *field = llvm::dyn_cast<FieldDecl>(base.decl)) {
    type = field->type();
  } else if (llvm::isa<CaptureDecl>(base.decl)) {
    // An element of what the loop runs over.
    for (const Node *node : nodesAt(base.document->tree(), base.decl->begin()))
      if (const auto *loop = llvm::dyn_cast<ForExpr>(node))
        if (loop->element() == base.decl) {
          auto whole = resolve(*base.document, *loop->iterable(), depth + 1);
          return whole ? owner(*whole, depth + 1) : std::nullopt;
        }
  }
  if (!type)
    return std::nullopt;
  auto named = resolve(*base.document, *innermostType(type), depth + 1);
  return named ? owner(*named, depth + 1) : std::nullopt;
}

std::vector<const Decl *> Workspace::membersOf(const Meaning &owner) {
  if (!owner.decl)
    return owner.document->tree().decls.vec();
  std::vector<const Decl *> result;
  const Expr *type = llvm::cast<VarDecl>(owner.decl)->init()->ignoreParens();
  if (const auto *record = llvm::dyn_cast<StructType>(type))
    result.assign(record->fields().begin(), record->fields().end());
  else if (const auto *names = llvm::dyn_cast<EnumType>(type))
    result.assign(names->members().begin(), names->members().end());
  return result;
}

std::optional<Meaning> Workspace::member(const Meaning &base, StringRef name,
                                         unsigned depth) {
  auto found = owner(base, depth);
  if (!found || name.empty())
    return std::nullopt;
  for (const Decl *decl : membersOf(*found))
    if (decl->name().text == name)
      return Meaning{found->document, decl, "", base.span};
  return std::nullopt;
}

std::vector<std::pair<StringRef, const Decl *>>
Workspace::members(const Document &document, Loc point) {
  std::vector<std::pair<StringRef, const Decl *>> result;
  // The expression that ends at the point, in a tree that may have an error
  // right here: the names and points before it.
  StringRef before(document.text().begin(),
                   size_t(point.getPointer() - document.text().begin()));
  size_t start = before.size();
  while (start != 0 && (llvm::isAlnum(before[start - 1]) ||
                        before[start - 1] == '_' || before[start - 1] == '.'))
    --start;
  llvm::SmallVector<StringRef> names;
  before.drop_front(start).split(names, '.');
  std::optional<Meaning> base;
  for (auto [i, name] : llvm::enumerate(names)) {
    if (i != 0) {
      base = member(*base, name, 0);
    } else if (const Decl *decl = lookup(document.tree(), name, point)) {
      base = Meaning{&document, decl, "", Span()};
    }
    if (!base)
      return result;
  }
  if (auto found = owner(*base, 0))
    for (const Decl *decl : membersOf(*found))
      if (!decl->name().empty())
        result.emplace_back(decl->name().text, decl);
  return result;
}

std::optional<Meaning> Workspace::meaning(const Document &document, Loc loc) {
  if (auto found = meaningOn(document, loc))
    return found;
  // Behind the last character of a name is still on it.
  if (loc.getPointer() == document.text().begin())
    return std::nullopt;
  Loc last = Loc::getFromPointer(loc.getPointer() - 1);
  char c = *last.getPointer();
  return llvm::isAlnum(c) || c == '_' ? meaningOn(document, last)
                                      : std::nullopt;
}

std::optional<Meaning> Workspace::meaningOn(const Document &document, Loc loc) {
  auto path = nodesAt(document.tree(), loc);
  if (path.empty())
    return std::nullopt;
  const Node &node = *path.back();
  auto on = [&](Span span) {
    return span.isValid() && span.Start.getPointer() <= loc.getPointer() &&
           loc.getPointer() <= span.End.getPointer();
  };
  auto at = [](std::optional<Meaning> found, Span span) {
    if (found)
      found->span = span;
    return found;
  };
  // The name of a declaration is its own.
  for (const Node *ancestor : llvm::reverse(path))
    if (const auto *decl = llvm::dyn_cast<Decl>(ancestor))
      if (!decl->name().empty() && on(decl->name().span))
        return Meaning{&document, decl, "", decl->name().span};
  if (const auto *select = llvm::dyn_cast<MemberExpr>(&node)) {
    if (!on(select->member().span))
      return std::nullopt;
    return at(resolve(document, *select, 0), select->member().span);
  }
  if (const auto *call = llvm::dyn_cast<BuiltinCall>(&node)) {
    auto signature = builtinSignature(call->name().text);
    if (!on(call->name().span) || !signature)
      return std::nullopt;
    return Meaning{nullptr, nullptr,
                   ("@" + call->name().text + *signature).str(),
                   call->name().span};
  }
  if (llvm::isa<StringLiteral>(node) && path.size() > 1)
    if (const auto *call = llvm::dyn_cast<BuiltinCall>(path[path.size() - 2]))
      if (const StringLiteral *file = importedFile(*call); file == &node)
        if (const Document *found = imported(document, file->value()))
          return Meaning{found, nullptr, "", node.span()};
  const auto *name = llvm::dyn_cast<NameExpr>(&node);
  if (!name)
    return std::nullopt;
  if (auto found = resolve(document, *name, 0))
    return found;
  if (isTypeName(name->name()))
    return Meaning{nullptr, nullptr, (name->name() + ": a type").str(),
                   node.span()};
  if (isDirectionName(name->name()))
    return Meaning{nullptr, nullptr, (name->name() + ": direction").str(),
                   node.span()};
  return std::nullopt;
}

std::vector<const Document *> Workspace::around(const Document &document,
                                                bool withClosed) {
  std::vector<const Document *> documents;
  auto consider = [&](const Document *other) {
    if (other && !llvm::is_contained(documents, other))
      documents.push_back(other);
  };
  consider(&document);
  for (const std::string &path : openPaths())
    consider(find(path));
  if (withClosed) {
    // Programs are in one folder, or one above its parts.
    constexpr size_t kMostFiles = 512;
    std::vector<std::string> beside;
    StringRef folder = llvm::sys::path::parent_path(document.path());
    for (StringRef place : {folder, llvm::sys::path::parent_path(folder)}) {
      std::error_code failed;
      for (llvm::sys::fs::directory_iterator entry(place, failed), end;
           !failed && entry != end && beside.size() < kMostFiles;
           entry.increment(failed))
        if (StringRef(entry->path()).ends_with(".csl"))
          beside.push_back(entry->path());
    }
    llvm::sort(beside);
    for (const std::string &path : beside)
      consider(find(path));
  }
  for (size_t i = 0; i < documents.size(); ++i)
    for (const Document *other : importedBy(*documents[i]))
      consider(other);
  return documents;
}

std::vector<std::pair<const Document *, Span>>
Workspace::references(const Document &document, const Decl &decl) {
  return referencesIn(around(document, /*withClosed=*/false), document, decl);
}

std::vector<std::pair<const Document *, Span>>
Workspace::referencesIn(llvm::ArrayRef<const Document *> files,
                        const Document &document, const Decl &decl) {
  std::vector<std::pair<const Document *, Span>> result{
      {&document, decl.name().span}};
  StringRef name = decl.name().text;
  auto add = [&](const Document &where, Loc loc) {
    auto found = meaning(where, loc);
    if (found && found->decl == &decl &&
        found->span.Start != decl.name().span.Start)
      result.emplace_back(&where, found->span);
  };
  auto visit = [&](auto &self, const Document &where,
                   const Node &node) -> void {
    if (const auto *use = llvm::dyn_cast<NameExpr>(&node)) {
      if (use->name() == name)
        add(where, use->begin());
    } else if (const auto *select = llvm::dyn_cast<MemberExpr>(&node)) {
      if (select->member().text == name)
        add(where, select->member().span.Start);
    }
    forEachChild(node, [&](const Node &child) { self(self, where, child); });
  };
  for (const Document *where : files)
    for (const Decl *top : where->tree().decls)
      visit(visit, *where, *top);
  return result;
}

//===----------------------------------------------------------------------===//
// Hover
//===----------------------------------------------------------------------===//

std::optional<llvm::APSInt> Workspace::value(const Document &document,
                                             const Expr &expr, Constants &known,
                                             unsigned depth) {
  using llvm::APSInt;
  if (depth > kMaxSteps)
    return std::nullopt;
  const Expr &e = *expr.ignoreParens();
  // Wide enough that no operator on small numbers overflows.
  auto number = [](llvm::APInt value) -> std::optional<APSInt> {
    if (value.getActiveBits() > kMaxValueBits / 4)
      return std::nullopt;
    return APSInt(value.zextOrTrunc(kMaxValueBits), /*isUnsigned=*/false);
  };
  if (const auto *literal = llvm::dyn_cast<IntLiteral>(&e))
    return number(literal->value());
  if (const auto *character = llvm::dyn_cast<CharLiteral>(&e))
    return number(llvm::APInt(33, character->value()));
  if (const auto *prefix = llvm::dyn_cast<ComptimeExpr>(&e))
    return value(document, *prefix->operand(), known, depth + 1);
  if (const auto *unary = llvm::dyn_cast<UnaryExpr>(&e)) {
    auto operand = value(document, *unary->operand(), known, depth + 1);
    if (!operand || unary->op() != UnaryOp::Neg)
      return std::nullopt;
    return -*operand;
  }
  if (llvm::isa<NameExpr, MemberExpr>(e)) {
    auto named = resolve(document, e, depth + 1);
    const auto *var =
        named ? llvm::dyn_cast_or_null<VarDecl>(named->decl) : nullptr;
    if (!var || !var->isConst() || !var->init())
      return std::nullopt;
    auto found = known.find(var);
    if (found == known.end()) {
      auto init = value(*named->document, *var->init(), known, depth + 1);
      found = known.insert({var, init}).first;
    }
    return found->second;
  }
  const auto *binary = llvm::dyn_cast<BinaryExpr>(&e);
  if (!binary)
    return std::nullopt;
  auto left = value(document, *binary->left(), known, depth + 1);
  auto right = value(document, *binary->right(), known, depth + 1);
  if (!left || !right)
    return std::nullopt;
  APSInt result;
  switch (binary->op()) {
  case BinaryOp::Add:
    result = *left + *right;
    break;
  case BinaryOp::Sub:
    result = *left - *right;
    break;
  case BinaryOp::Mul:
    result = *left * *right;
    break;
  case BinaryOp::Div:
  case BinaryOp::Rem:
    if (right->isZero())
      return std::nullopt;
    result = binary->op() == BinaryOp::Div ? *left / *right : *left % *right;
    break;
  case BinaryOp::Shl:
    if (right->isNegative() || right->ugt(64))
      return std::nullopt;
    result = *left << unsigned(right->getZExtValue());
    break;
  default:
    return std::nullopt;
  }
  // Keep operands so small that the next operator fits.
  if (result.getSignificantBits() > kMaxValueBits / 4)
    return std::nullopt;
  return result;
}

StringRef Workspace::evaluated(const Document &document, Loc loc) {
  auto textAt = [&](Loc at) -> StringRef {
    auto path = nodesAt(document.tree(), at);
    for (const Node *node : llvm::reverse(path)) {
      if (const auto *decl = llvm::dyn_cast<Decl>(node)) {
        Span name = decl->name().span;
        return !decl->name().empty() &&
                       name.Start.getPointer() <= at.getPointer() &&
                       at.getPointer() < name.End.getPointer()
                   ? SourceManager::textOf(name)
                   : StringRef();
      }
      if (llvm::isa<BlockExpr>(node))
        return "";
      if (const auto *expr = llvm::dyn_cast<Expr>(node))
        return SourceManager::textOf(expr->ignoreParens()->span());
    }
    return "";
  };
  StringRef found = textAt(loc);
  if (found.empty() && loc.getPointer() != document.text().begin())
    found = textAt(Loc::getFromPointer(loc.getPointer() - 1));
  return found;
}

std::string Workspace::outline(const Decl &decl) {
  std::string text = toString(decl);
  // The body is not part of what a function looks like from outside.
  if (const auto *fn = llvm::dyn_cast<FnDecl>(&decl); fn && fn->body())
    text.resize(text.size() - toString(*fn->body()).size() - 1);
  return text;
}

std::string Workspace::hover(const Document &document, const Meaning &meaning,
                             StringRef evaluated) {
  if (!meaning.predeclared.empty())
    return "```csl\n" + meaning.predeclared + "\n```\n" + evaluated.str();
  if (!meaning.decl)
    return "module `" + meaning.document->path().str() + "`\n";
  const Decl &decl = *meaning.decl;
  std::string text = outline(decl);
  if (text.size() > 400)
    text = text.substr(0, 400) + "...";
  std::string result = "```csl\n" + text + "\n```\n" + evaluated.str();
  if (const auto *var = llvm::dyn_cast<VarDecl>(&decl))
    if (evaluated.empty() && var->isConst() && var->init() &&
        !llvm::isa<IntLiteral>(var->init()->ignoreParens())) {
      Constants known;
      if (auto number = value(*meaning.document, *var->init(), known, 0)) {
        llvm::SmallString<32> digits;
        number->toString(digits);
        result += ("= " + digits + "\n").str();
      }
    }
  for (StringRef line : decl.docs())
    result += ("\n" + line.trim() + "\n").str();
  if (meaning.document != &document)
    result += "\nfrom `" +
              llvm::sys::path::filename(meaning.document->path()).str() + "`\n";
  return result;
}
