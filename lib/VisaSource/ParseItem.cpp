//===- ParseItem.cpp - Items and attributes -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;
using llvm::Twine;

void Parser::parseItems(Nodes<Item> &items) {
  while (!atEnd() && !at(TokenKind::RBrace)) {
    size_t before = position;
    if (const Item *item = parseItem())
      items.push_back(item);
    if (recovering)
      skipItem();
    if (position == before)
      take();
  }
}

const Item *Parser::parseItem() {
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  Loc start = begin();
  if (takeIf(TokenKind::Semi))
    return nullptr;
  ItemHead head;
  head.attributes = parseAttributes(/*inner=*/false);
  head.visibility = parseVisibility();
  return parseItemKind(start, head);
}

const Item *Parser::parseItemKind(Loc start, ItemHead &head) {
  switch (token().kind) {
  case TokenKind::KwMod:
    return parseMod(start, head);
  case TokenKind::KwUse:
    return parseUse(start, head);
  case TokenKind::KwExtern:
    if (at(TokenKind::KwCrate, 1))
      return parseExternCrate(start, head);
    return refuseItem("'extern'");
  case TokenKind::KwConst:
    if (!at(TokenKind::KwFn, 1) && !at(TokenKind::KwAsync, 1) &&
        !at(TokenKind::KwUnsafe, 1))
      return parseConst(start, head);
    return parseFn(start, head);
  case TokenKind::KwUnsafe:
    if (!at(TokenKind::KwFn, 1))
      return refuseItem("'unsafe " + token(1).text + "'");
    return parseFn(start, head);
  case TokenKind::KwFn:
  case TokenKind::KwAsync:
    return parseFn(start, head);
  case TokenKind::KwType:
    return parseTypeItem(start, head);
  case TokenKind::KwStruct:
    return parseStruct(start, head);
  case TokenKind::KwEnum:
    return parseEnum(start, head);
  case TokenKind::KwImpl:
    return parseImpl(start, head);
  case TokenKind::KwTrait:
    return refuseItem("'trait'");
  case TokenKind::KwStatic:
    return refuseItem("'static'");
  default:
    if (atName("union") && at(TokenKind::Name, 1))
      return refuseItem("'union'");
    if (atName("axes") && atMacro())
      return parseAxes(start, head);
    if (atSegment())
      return parseMacroItem(start, head);
    errorExpected("an item");
    return nullptr;
  }
}

const Item *Parser::refuseItem(const Twine &what) {
  refuse(what);
  return nullptr;
}

Visibility Parser::parseVisibility() {
  if (!takeIf(TokenKind::KwPub))
    return Visibility::Private;
  // `pub (A, B)` is a field of a tuple struct.
  if (!at(TokenKind::LParen) || !at(TokenKind::RParen, 2)) {
    if (at(TokenKind::LParen) && at(TokenKind::KwIn, 1))
      refuse("'pub(in ...)'");
    return Visibility::Public;
  }
  Visibility result = Visibility::Public;
  if (at(TokenKind::KwCrate, 1))
    result = Visibility::Crate;
  else if (at(TokenKind::KwSuper, 1))
    result = Visibility::Super;
  else if (at(TokenKind::KwSelf, 1))
    result = Visibility::Private;
  else
    return result;
  take();
  take();
  take();
  return result;
}

//===----------------------------------------------------------------------===//
// Modules and uses
//===----------------------------------------------------------------------===//

const Item *Parser::parseMod(Loc start, ItemHead &head) {
  take();
  ModItem node;
  head.name = parseName("a module");
  node.head = head;
  if (recovering || takeIf(TokenKind::Semi))
    return make(start, node);
  Token opening = token();
  if (!expect(TokenKind::LBrace, "or ';' after the name of a module"))
    return make(start, node);
  node.hasBody = true;
  node.inner = parseAttributes(/*inner=*/true);
  Nodes<Item> items;
  parseItems(items);
  node.items = list(items);
  expectClosing(TokenKind::RBrace, opening, "a module");
  return make(start, node);
}

const Item *Parser::parseUse(Loc start, ItemHead &head) {
  take();
  UseItem node;
  node.head = head;
  node.tree = parseUseTree();
  expectSemi("after a use");
  return make(start, node);
}

const UseTree *Parser::parseUseTree() {
  Loc start = begin();
  UseTree node;
  Nesting nesting(*this);
  if (!nesting)
    return make(start, node);
  node.global = takeIf(TokenKind::ColonColon);
  llvm::SmallVector<Ident, 4> prefix;
  for (;;) {
    Token opening = token();
    if (takeIf(TokenKind::Star)) {
      node.useKind = UseKind::Glob;
      break;
    }
    if (takeIf(TokenKind::LBrace)) {
      node.useKind = UseKind::Group;
      Nodes<UseTree> children;
      parseList(TokenKind::RBrace, opening, "the list of a use",
                [&] { children.push_back(parseUseTree()); });
      node.children = list(children);
      break;
    }
    if (!atSegment()) {
      errorExpected("a name of a use");
      break;
    }
    prefix.push_back(identOf(take()));
    if (takeIf(TokenKind::ColonColon))
      continue;
    if (takeIf(TokenKind::KwAs)) {
      if (at(TokenKind::Underscore))
        node.alias = identOf(take());
      else
        node.alias = parseName("a use");
    }
    break;
  }
  node.prefix = list(prefix);
  return make(start, node);
}

const Item *Parser::parseExternCrate(Loc start, ItemHead &head) {
  take();
  take();
  ExternCrateItem node;
  if (at(TokenKind::KwSelf))
    head.name = identOf(take());
  else
    head.name = parseName("a crate");
  node.head = head;
  if (takeIf(TokenKind::KwAs))
    node.alias = parseName("a crate");
  expectSemi("after an extern crate");
  return make(start, node);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

const Item *Parser::parseFn(Loc start, ItemHead &head) {
  FnItem node;
  node.isConst = takeIf(TokenKind::KwConst);
  node.isAsync = takeIf(TokenKind::KwAsync);
  node.isUnsafe = takeIf(TokenKind::KwUnsafe);
  if (at(TokenKind::KwExtern))
    return refuseItem("'extern' before 'fn'");
  expect(TokenKind::KwFn, "of a function");
  head.name = parseName("a function");
  node.head = head;
  Loc genericsStart = begin();
  Nodes<GenericParam> generics = parseGenericParams();
  Nodes<Param> params;
  Token opening = token();
  if (expect(TokenKind::LParen, "after the name of a function"))
    parseList(TokenKind::RParen, opening, "the parameters of a function",
              [&] { params.push_back(parseParam(params.empty())); });
  node.params = list(params);
  node.result = parseResult();
  node.generics = finishGenerics(genericsStart, generics);
  if (at(TokenKind::Semi)) {
    errorHere("function '" + node.head.name.text + "' has no body");
    return nullptr;
  }
  node.body = parseBlock("the body of a function");
  return make(start, node);
}

const Param *Parser::parseParam(bool isFirst) {
  Loc start = begin();
  Param node;
  if (at(TokenKind::Hash))
    refuse("an attribute of a parameter");
  // self, mut self, &self, &mut self, &'a mut self
  size_t ahead = at(TokenKind::And) ? 1 : 0;
  bool isRef = ahead != 0;
  if (isRef && at(TokenKind::Lifetime, ahead))
    ++ahead;
  bool isMut = at(TokenKind::KwMut, ahead);
  ahead += isMut;
  if (at(TokenKind::KwSelf, ahead)) {
    if (!isFirst)
      errorHere("'self' is the first parameter of a method");
    for (size_t i = 0; i <= ahead; ++i)
      take();
    node.self = isRef ? (isMut ? SelfKind::MutRef : SelfKind::Ref)
                      : (isMut ? SelfKind::MutValue : SelfKind::Value);
    if (at(TokenKind::Colon))
      refuse("a type of 'self'");
    return make(start, node);
  }
  node.pattern = parseOnePattern();
  expect(TokenKind::Colon, "and a type after the name of a parameter");
  node.type = parseType();
  return make(start, node);
}

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

const Item *Parser::parseTypeItem(Loc start, ItemHead &head) {
  take();
  TypeItem node;
  head.name = parseName("a type");
  node.head = head;
  Loc genericsStart = begin();
  Nodes<GenericParam> generics = parseGenericParams();
  node.generics = finishGenerics(genericsStart, generics);
  expect(TokenKind::Equal, "and a type after the name of a type");
  node.type = parseType();
  expectSemi("after a type");
  return make(start, node);
}

const Item *Parser::parseStruct(Loc start, ItemHead &head) {
  take();
  StructItem node;
  head.name = parseName("a struct");
  node.head = head;
  Loc genericsStart = begin();
  Nodes<GenericParam> generics = parseGenericParams();
  if (at(TokenKind::LParen)) {
    node.form = StructForm::Tuple;
    node.members = parseFields(node.form);
    node.generics = finishGenerics(genericsStart, generics);
    expectSemi("after a tuple struct");
    return make(start, node);
  }
  node.generics = finishGenerics(genericsStart, generics);
  if (takeIf(TokenKind::Semi))
    return make(start, node);
  node.form = StructForm::Named;
  node.members = parseFields(node.form);
  return make(start, node);
}

List<FieldDecl> Parser::parseFields(StructForm form) {
  bool named = form == StructForm::Named;
  Token opening = token();
  Nodes<FieldDecl> fields;
  if (!expect(named ? TokenKind::LBrace : TokenKind::LParen,
              "before the fields of a struct"))
    return {};
  parseList(named ? TokenKind::RBrace : TokenKind::RParen, opening,
            "the fields of a struct", [&] {
              Loc start = begin();
              FieldDecl field;
              field.attributes = parseAttributes(/*inner=*/false);
              field.visibility = parseVisibility();
              if (named) {
                field.name = parseName("a field");
                expect(TokenKind::Colon, "after the name of a field");
              }
              field.type = parseType();
              fields.push_back(make(start, field));
            });
  return list(fields);
}

const Item *Parser::parseEnum(Loc start, ItemHead &head) {
  take();
  EnumItem node;
  head.name = parseName("an enum");
  node.head = head;
  Loc genericsStart = begin();
  Nodes<GenericParam> generics = parseGenericParams();
  node.generics = finishGenerics(genericsStart, generics);
  Token opening = token();
  Nodes<Variant> variants;
  if (expect(TokenKind::LBrace, "before the variants of an enum"))
    parseList(TokenKind::RBrace, opening, "the variants of an enum",
              [&] { variants.push_back(parseVariant()); });
  node.variants = list(variants);
  return make(start, node);
}

const Variant *Parser::parseVariant() {
  Loc start = begin();
  Variant node;
  node.attributes = parseAttributes(/*inner=*/false);
  node.name = parseName("a variant");
  if (at(TokenKind::LParen) || at(TokenKind::LBrace)) {
    node.form = at(TokenKind::LParen) ? StructForm::Tuple : StructForm::Named;
    node.members = parseFields(node.form);
  }
  if (takeIf(TokenKind::Equal))
    node.value = parseExpr();
  return make(start, node);
}

const Item *Parser::parseConst(Loc start, ItemHead &head) {
  take();
  ConstItem node;
  head.name =
      at(TokenKind::Underscore) ? identOf(take()) : parseName("a constant");
  node.head = head;
  expect(TokenKind::Colon, "and a type after the name of a constant");
  node.type = parseType();
  expect(TokenKind::Equal, "and a value after the type of a constant");
  node.value = parseExpr();
  expectSemi("after a constant");
  return make(start, node);
}

const Item *Parser::parseImpl(Loc start, ItemHead &head) {
  take();
  ImplItem node;
  node.head = head;
  Loc genericsStart = begin();
  Nodes<GenericParam> generics = parseGenericParams();
  if (at(TokenKind::Not))
    return refuseItem("a negative impl");
  node.self = parseType();
  if (takeIf(TokenKind::KwFor)) {
    if (const auto *path = llvm::dyn_cast<PathType>(node.self))
      node.trait = path->path;
    else
      errorAt(node.self->span(), "expected the path of a trait before 'for'");
    node.self = parseType();
  }
  node.generics = finishGenerics(genericsStart, generics);
  Token opening = token();
  Nodes<Item> items;
  if (expect(TokenKind::LBrace, "before the items of an impl")) {
    parseItems(items);
    expectClosing(TokenKind::RBrace, opening, "an impl");
  }
  node.items = list(items);
  return make(start, node);
}

const Item *Parser::parseMacroItem(Loc start, ItemHead &head) {
  const Path *path = parsePath(PathMode::Expr);
  bool isRules = singleName(*path).text == "macro_rules";
  if (!expect(TokenKind::Not, "after a name where an item stands"))
    return nullptr;
  if (isRules) {
    MacroRulesItem node;
    head.name = parseName("a macro");
    node.head = head;
    Bracket bracket;
    node.tokens = parseTokens(bracket);
    if (bracket != Bracket::Brace)
      expectSemi("after a macro");
    return make(start, node);
  }
  MacroItem node;
  node.head = head;
  node.path = path;
  node.tokens = parseTokens(node.bracket);
  if (node.bracket != Bracket::Brace)
    expectSemi("after a macro");
  return make(start, node);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

List<Attribute> Parser::parseAttributes(bool inner) {
  Nodes<Attribute> attributes;
  while (at(TokenKind::Hash) && at(TokenKind::Not, 1) == inner && !recovering)
    attributes.push_back(parseAttribute(inner));
  return list(attributes);
}

const Attribute *Parser::parseAttribute(bool inner) {
  Loc start = begin();
  Attribute node;
  take();
  node.inner = inner && takeIf(TokenKind::Not);
  Token opening = token();
  if (!expect(TokenKind::LSquare, "of an attribute"))
    return make(start, node);
  parseAttributeBody(node);
  if (recovering)
    skipElements(TokenKind::RSquare);
  expectClosing(TokenKind::RSquare, opening, "an attribute");
  return make(start, node);
}

void Parser::parseAttributeBody(Attribute &attribute) {
  Nesting nesting(*this);
  if (!nesting)
    return;
  if (!atSegment() && !at(TokenKind::ColonColon)) {
    attribute.value = parseExpr();
    return;
  }
  attribute.path = parsePath(PathMode::Expr);
  if (takeIf(TokenKind::Equal)) {
    attribute.value = parseExpr();
    return;
  }
  if (!at(TokenKind::LParen))
    return;
  attribute.hasArgs = true;
  if (!hasPlainArguments()) {
    Bracket bracket;
    attribute.tokens = parseTokens(bracket);
    return;
  }
  Token opening = take();
  Nodes<Attribute> args;
  parseList(TokenKind::RParen, opening, "the arguments of an attribute", [&] {
    Loc start = begin();
    Attribute argument;
    parseAttributeBody(argument);
    args.push_back(make(start, argument));
  });
  attribute.args = list(args);
}

/// Two of these side by side are no argument that is read.
static bool isValueToken(TokenKind kind) {
  switch (kind) {
  case TokenKind::Name:
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Char:
  case TokenKind::String:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
    return true;
  default:
    return false;
  }
}

bool Parser::hasPlainArguments() {
  unsigned open = 0;
  bool wasValue = false;
  TokenKind last = TokenKind::LParen;
  for (size_t i = 0;; ++i) {
    TokenKind kind = token(i).kind;
    bool isValue = isValueToken(kind);
    if (isValue && wasValue)
      return false;
    wasValue = isValue;
    switch (kind) {
    case TokenKind::LParen:
      if (i != 0 && last != TokenKind::Name)
        return false;
      ++open;
      break;
    case TokenKind::RParen:
      if (--open == 0)
        return true;
      break;
    case TokenKind::Minus:
    case TokenKind::Comma:
    case TokenKind::Equal:
    case TokenKind::ColonColon:
      if (last == kind)
        return false;
      break;
    default:
      if (!isValue)
        return false;
    }
    last = kind;
  }
}
