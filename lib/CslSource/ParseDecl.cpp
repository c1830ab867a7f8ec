//===- ParseDecl.cpp - Declarations of CSL --------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "sequin/Support/Excerpt.h"
#include "sequin/Support/FormerRelease.h"

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// The top level
//===----------------------------------------------------------------------===//

const Decl *Parser::parseTopLevel() {
  DocLines docs = takeDocs(CommentKind::Doc);
  Modifiers modifiers = parseModifiers();
  Loc start = modifiers.start;
  auto refuseModifiers = [&](StringRef what) {
    if (modifiers.storageSpan.isValid())
      errorAt(modifiers.storageSpan, what + " has no storage class");
    if (modifiers.inliningSpan.isValid())
      errorAt(modifiers.inliningSpan,
              what + " cannot be 'inline' or 'noinline'");
  };
  switch (token().kind) {
  case TokenKind::KwFn:
  case TokenKind::KwTask:
    return parseFn(modifiers, docs);
  case TokenKind::KwConst:
  case TokenKind::KwVar:
  case TokenKind::KwParam:
    return parseVar(modifiers, docs, /*isLocal=*/false, false);
  case TokenKind::KwLayout: {
    refuseModifiers("a layout block");
    take();
    jumps = JumpScope();
    const BlockExpr *body = parseBlock({});
    return make<LayoutDecl>(start, body);
  }
  case TokenKind::KwComptime: {
    refuseModifiers("a comptime block");
    Token keyword = take();
    if (at(TokenKind::KwVar) || at(TokenKind::KwConst) ||
        at(TokenKind::KwParam)) {
      errorAt(keyword.span(),
              "'comptime' before a global variable, it belongs to variables of "
              "blocks; a global 'const' is comptime-known by itself");
      return parseVar(modifiers, docs, /*isLocal=*/false, false);
    }
    jumps = JumpScope();
    const BlockExpr *body = parseBlock({});
    return make<ComptimeDecl>(start, body);
  }
  case TokenKind::Name:
    if (token().text == "color" && at(TokenKind::Name, 1)) {
      refuseModifiers("a color");
      return parseColor(docs);
    }
    break;
  case TokenKind::Semi:
    if (!modifiers.storageSpan.isValid() && !modifiers.inliningSpan.isValid()) {
      take();
      return nullptr;
    }
    break;
  case TokenKind::RBrace:
    errorHere("'}' closes nothing");
    take();
    return nullptr;
  default:
    break;
  }
  errorExpected("a declaration (const, var, param, fn, task, comptime or "
                "layout)");
  skipStatement();
  return nullptr;
}

Parser::Modifiers Parser::parseModifiers() {
  Modifiers result;
  result.start = begin();
  for (;;) {
    Span &span = at(TokenKind::KwExport) || at(TokenKind::KwExtern)
                     ? result.storageSpan
                     : result.inliningSpan;
    switch (token().kind) {
    case TokenKind::KwExport:
      result.storage = Storage::Export;
      break;
    case TokenKind::KwExtern:
      result.storage = Storage::Extern;
      break;
    case TokenKind::KwInline:
      result.inlining = Inlining::Inline;
      break;
    case TokenKind::KwNoInline:
      result.inlining = Inlining::NoInline;
      break;
    default:
      return result;
    }
    if (span.isValid())
      errorHere("second " +
                StringRef(&span == &result.storageSpan
                              ? "storage class"
                              : "one of 'inline' and 'noinline'") +
                " '" + token().text + "' for one declaration");
    span = take().span();
  }
}

const Decl *Parser::parseColor(DocLines docs) {
  Loc start = begin();
  Token keyword = take();
  Ident name = parseName("a color");
  diagnostics.warning(
      keyword.span(),
      describeFormer("'color " + name.text + ";'", "", "",
                     "it is 'param " + name.text + ": color;'"));
  const Decl *decl = make<ColorDecl>(start, name, docs);
  expectSemi("the declaration of '" + name.text + "'");
  return decl;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

bool Parser::atAttribute() {
  return at(TokenKind::KwAlign) || at(TokenKind::KwLinkSection) ||
         at(TokenKind::KwLinkName);
}

void Parser::parseAttributes(DeclAttributes &attributes) {
  while (atAttribute()) {
    const Expr *&slot = at(TokenKind::KwAlign)         ? attributes.align
                        : at(TokenKind::KwLinkSection) ? attributes.linkSection
                                                       : attributes.linkName;
    if (slot)
      errorHere("second '" + token().text + "' for one declaration");
    Token keyword = take();
    if (!at(TokenKind::LParen)) {
      errorExpected("'(' after '" + keyword.text + "'");
      return;
    }
    llvm::SaveAndRestore<Literals> saved(literals, Literals::All);
    Token open = take();
    slot = parseExpr();
    expectClosing(TokenKind::RParen, open, "'" + keyword.text + "'");
  }
}

const VarDecl *Parser::parseVar(const Modifiers &modifiers, DocLines docs,
                                bool isLocal, bool isComptime) {
  Token keyword = take();
  VarDecl::Parts parts;
  parts.kind = keyword.is(TokenKind::KwConst) ? VarKind::Const
               : keyword.is(TokenKind::KwVar) ? VarKind::Var
                                              : VarKind::Param;
  parts.storage = modifiers.storage;
  parts.isComptime = isComptime;
  StringRef noun = parts.kind == VarKind::Const ? "a constant"
                   : parts.kind == VarKind::Var ? "a variable"
                                                : "a parameter";
  Ident name = parseName(noun);
  bool failed = name.empty();
  if (name.isDiscard())
    errorAt(name.span, "'_' cannot be declared");
  if (takeIf(TokenKind::Colon)) {
    parts.type = parseType();
    failed |= llvm::isa<ErrorExpr>(parts.type);
  }
  parseAttributes(parts.attributes);
  bool hasInit = takeIf(TokenKind::Equal);
  if (hasInit) {
    llvm::SaveAndRestore<Literals> saved(literals, Literals::All);
    parts.init = parseExpr();
    failed |= llvm::isa<ErrorExpr>(parts.init);
  }
  // Something was not read that may have been the initialiser.
  failed |= !at(TokenKind::Semi) && !token().startsLine;
  if (!failed)
    checkVar(name, parts, keyword.span(), modifiers, isLocal);
  const VarDecl *decl = make<VarDecl>(modifiers.start, name, docs, parts);
  expectSemi("the declaration of '" + excerpt(name.text) + "'");
  return decl;
}

void Parser::checkVar(const Ident &name, const VarDecl::Parts &parts,
                      Span keyword, const Modifiers &modifiers, bool isLocal) {
  std::string quoted = "'" + excerpt(name.text) + "'";
  if (modifiers.inliningSpan.isValid())
    errorAt(modifiers.inliningSpan,
            "variable " + quoted + " cannot be 'inline' or 'noinline'");
  if (parts.kind == VarKind::Param) {
    if (isLocal)
      errorAt(keyword, "parameter " + quoted +
                           " inside of a block, parameters belong to the top "
                           "level of a file");
    if (parts.storage != Storage::None)
      errorAt(modifiers.storageSpan,
              "parameter " + quoted + " has no storage class");
  }
  if (parts.kind == VarKind::Const && parts.storage != Storage::Extern &&
      !parts.init)
    errorAt(name.span, "constant " + quoted +
                           " has no initialiser, which only 'var', 'param' and "
                           "'extern const' may lack");
  if (parts.storage == Storage::Extern && parts.init)
    errorAt(parts.init->span(), "extern variable " + quoted +
                                    " has an initialiser, which belongs to "
                                    "its definition");
  if (!parts.type && !parts.init &&
      (parts.kind == VarKind::Var || parts.storage == Storage::Extern))
    errorAt(name.span,
            "variable " + quoted + " has neither a type nor an initialiser");
  if (!isLocal)
    return;
  const DeclAttributes &attributes = parts.attributes;
  if (const Expr *e =
          attributes.linkSection ? attributes.linkSection : attributes.linkName)
    errorAt(e->span(),
            "'" + Twine(attributes.linkSection ? "linksection" : "linkname") +
                "' of local variable " + quoted +
                ", it belongs to globals and functions");
}

//===----------------------------------------------------------------------===//
// Functions and tasks
//===----------------------------------------------------------------------===//

const FnParam *Parser::parseParam(bool mayBeUnnamed) {
  Loc start = begin();
  bool isComptime = false;
  bool isNamed = at(TokenKind::Name) && at(TokenKind::Colon, 1);
  if (at(TokenKind::KwComptime) && at(TokenKind::Name, 1) &&
      (at(TokenKind::Colon, 2) || !mayBeUnnamed)) {
    take();
    isComptime = true;
    isNamed = true;
  }
  // `name)` and `name,` lack a type where names are needed.
  if (!mayBeUnnamed)
    isNamed = true;
  Ident name;
  if (isNamed) {
    name = parseName("a parameter of the function");
    if (!takeIf(TokenKind::Colon)) {
      if (name.empty())
        return make<FnParam>(start, name, isComptime, errorExpr(start));
      errorExpected("':' and the type of parameter '" + excerpt(name.text) +
                    "'");
      return make<FnParam>(start, name, isComptime, errorExpr(lastEnd()));
    }
  }
  if (takeIf(TokenKind::KwAnytype))
    return make<FnParam>(start, name, isComptime, nullptr);
  llvm::SaveAndRestore<Literals> saved(literals, Literals::All);
  const Expr *type = parseExpr();
  return make<FnParam>(start, name, isComptime, type);
}

llvm::ArrayRef<const FnParam *> Parser::parseParams(bool mayBeUnnamed,
                                                    const Twine &what) {
  std::string text = what.str();
  llvm::SmallVector<const FnParam *, 8> params;
  if (!at(TokenKind::LParen)) {
    errorExpected("'(' after " + text);
    return {};
  }
  Token open = take();
  parseList(TokenKind::RParen, open, "the parameters of " + text, [&] {
    params.push_back(parseParam(mayBeUnnamed));
    const Ident &name = params.back()->name();
    if (name.empty() || name.isDiscard())
      return;
    for (const FnParam *other :
         llvm::ArrayRef<const FnParam *>(params).drop_back())
      if (other->name().text == name.text) {
        Diagnostic &error =
            errorAt(name.span, "parameter '" + name.text + "' is named twice");
        noteAt(&error, other->name().span, "named here first");
      }
  });
  return list(llvm::ArrayRef<const FnParam *>(params));
}

const Decl *Parser::parseFn(const Modifiers &modifiers, DocLines docs) {
  Loc start = modifiers.start;
  FnDecl::Parts parts;
  parts.isTask = take().is(TokenKind::KwTask);
  parts.storage = modifiers.storage;
  parts.inlining = modifiers.inlining;
  StringRef noun = parts.isTask ? "task" : "function";
  Ident name = parseName(parts.isTask ? "a task" : "a function");
  std::string quoted = (noun + " '" + excerpt(name.text) + "'").str();
  if (name.empty() && !at(TokenKind::LParen)) {
    skipStatement();
    return make<FnDecl>(start, name, docs, parts);
  }
  parts.params = parseParams(parts.storage == Storage::Extern, quoted);

  parseAttributes(parts.attributes);
  if (!at(TokenKind::LBrace) && !at(TokenKind::Semi) && !atEnd()) {
    parts.result = parseType();
    const auto *named = llvm::dyn_cast<NameExpr>(parts.result->ignoreParens());
    if (parts.isTask && !llvm::isa<ErrorExpr>(parts.result) &&
        !(named && named->name() == "void"))
      errorAt(parts.result->span(),
              quoted + " returns nothing: its type is 'void', or left out");
    parseAttributes(parts.attributes);
  } else if (!parts.isTask) {
    errorHere("expected the type that " + quoted + " returns, found " +
              describe(token()) + "; one that returns nothing says 'void'");
  }

  const DeclAttributes &attributes = parts.attributes;
  if (parts.isTask) {
    if (modifiers.storageSpan.isValid())
      errorAt(modifiers.storageSpan, quoted + " has no storage class");
    if (modifiers.inliningSpan.isValid())
      errorAt(modifiers.inliningSpan,
              quoted + " cannot be 'inline' or 'noinline'");
    for (const Expr *e :
         {attributes.align, attributes.linkSection, attributes.linkName})
      if (e)
        errorAt(e->span(), quoted + " has no attributes, those are of "
                                    "functions and variables");
  } else if (parts.inlining != Inlining::None) {
    StringRef word = parts.inlining == Inlining::Inline ? "inline" : "noinline";
    if (parts.storage != Storage::None)
      errorAt(modifiers.storageSpan,
              "'" + word + "' " + quoted + " cannot have a storage class");
    if (parts.inlining == Inlining::Inline && attributes.linkName)
      errorAt(attributes.linkName->span(),
              "'inline' " + quoted + " cannot have a linkname");
  }

  if (at(TokenKind::LBrace)) {
    Token brace = token();
    if (parts.storage == Storage::Extern && !parts.isTask) {
      errorAt(brace.span(), "extern " + quoted +
                                " has a body, which belongs to its "
                                "definition");
    }
    jumps = JumpScope();
    jumps.inFunction = true;
    parts.body = parseBlock({});
    jumps = JumpScope();
    return make<FnDecl>(start, name, docs, parts);
  }
  const Decl *decl = make<FnDecl>(start, name, docs, parts);
  if (at(TokenKind::Semi)) {
    if (parts.storage != Storage::Extern)
      errorHere(quoted + " has no body, which only extern functions lack");
    take();
    return decl;
  }
  errorExpected(parts.storage == Storage::Extern
                    ? "';' after extern " + quoted
                    : "'{' and the body of " + quoted);
  skipStatement();
  return decl;
}

//===----------------------------------------------------------------------===//
// Types with members
//===----------------------------------------------------------------------===//

const Expr *Parser::parseFnType() {
  Nesting nesting(*this);
  Loc start = begin();
  if (!nesting)
    return errorExpr(start);
  Token keyword = take();
  if (at(TokenKind::Name)) {
    errorHere("'" + keyword.text + " " + excerpt(token().text) +
              "' as an expression, functions and tasks are declared at the "
              "top level of a file");
    return errorExpr(start);
  }
  auto params = parseParams(/*mayBeUnnamed=*/true, "'" + keyword.text + "'");
  const Expr *result = parseType();
  return make<FnType>(start, keyword.is(TokenKind::KwTask), params, result);
}

const Expr *Parser::parseStruct() {
  Nesting nesting(*this);
  Loc start = begin();
  if (!nesting)
    return errorExpr(start);
  StructLayout layout = StructLayout::Auto;
  if (takeIf(TokenKind::KwExtern))
    layout = StructLayout::Extern;
  else if (takeIf(TokenKind::KwPacked))
    layout = StructLayout::Packed;
  bool isUnion = at(TokenKind::KwUnion);
  if (!isUnion && !at(TokenKind::KwStruct)) {
    errorExpected("'struct' or 'union'");
    return errorExpr(start);
  }
  StringRef noun = take().text;
  if (!at(TokenKind::LBrace)) {
    errorExpected("'{' and the fields of the " + noun);
    return errorExpr(start);
  }
  llvm::SaveAndRestore<Literals> saved(literals, Literals::All);
  Token open = take();
  DocLines inner = takeDocs(CommentKind::InnerDoc);
  llvm::SmallVector<const FieldDecl *, 8> fields;
  llvm::StringMap<Span> names;
  parseList(TokenKind::RBrace, open, "the " + noun, [&] {
    DocLines docs = takeDocs(CommentKind::Doc);
    Loc fieldStart = begin();
    if (!at(TokenKind::Name)) {
      errorExpected("the name of a field");
      return;
    }
    Ident name = identOf(take());
    auto [known, isNew] = names.try_emplace(name.text, name.span);
    if (!isNew) {
      Diagnostic &error =
          errorAt(name.span, "field '" + name.text + "' is named twice");
      noteAt(&error, known->second, "named here first");
    }
    if (!expect(TokenKind::Colon,
                "and the type of field '" + excerpt(name.text) + "'"))
      return;
    const Expr *type = parseExpr();
    fields.push_back(make<FieldDecl>(fieldStart, name, docs, type));
  });
  return make<StructType>(start, isUnion, layout,
                          list(llvm::ArrayRef<const FieldDecl *>(fields)),
                          inner);
}

const Expr *Parser::parseEnum() {
  Nesting nesting(*this);
  Loc start = begin();
  if (!nesting)
    return errorExpr(start);
  take();
  llvm::SaveAndRestore<Literals> saved(literals, Literals::All);
  const Expr *base = nullptr;
  if (at(TokenKind::LParen)) {
    Token open = take();
    base = parseExpr();
    expectClosing(TokenKind::RParen, open, "the enum's type");
  }
  if (!at(TokenKind::LBrace)) {
    errorExpected("'{' and the names of the enum");
    return errorExpr(start);
  }
  Token open = take();
  DocLines inner = takeDocs(CommentKind::InnerDoc);
  llvm::SmallVector<const EnumMember *, 8> members;
  llvm::StringMap<Span> names;
  parseList(TokenKind::RBrace, open, "the enum", [&] {
    DocLines docs = takeDocs(CommentKind::Doc);
    Loc memberStart = begin();
    if (!at(TokenKind::Name)) {
      errorExpected("a name of the enum");
      return;
    }
    Ident name = identOf(take());
    auto [known, isNew] = names.try_emplace(name.text, name.span);
    if (!isNew) {
      Diagnostic &error =
          errorAt(name.span, "enumerator '" + name.text + "' is named twice");
      noteAt(&error, known->second, "named here first");
    }
    const Expr *value = takeIf(TokenKind::Equal) ? parseExpr() : nullptr;
    members.push_back(make<EnumMember>(memberStart, name, docs, value));
  });
  return make<EnumType>(
      start, base, list(llvm::ArrayRef<const EnumMember *>(members)), inner);
}
