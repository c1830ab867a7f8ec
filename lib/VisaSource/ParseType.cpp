//===- ParseType.cpp - Paths, generics and types --------------------------===//
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

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

const Path *Parser::parsePath(PathMode mode) {
  Loc start = begin();
  Path path;
  Nodes<PathSegment> segments;
  if (takeFirst(TokenKind::Less)) {
    path.self = parseType();
    if (takeIf(TokenKind::KwAs))
      path.trait = parsePath(PathMode::Type);
    if (!takeFirst(TokenKind::Greater))
      errorExpected("'>' after the type of a path");
    expect(TokenKind::ColonColon, "after the type of a path");
  } else {
    path.global = takeIf(TokenKind::ColonColon);
  }
  do {
    if (!atSegment()) {
      errorExpected("a name in a path");
      break;
    }
    segments.push_back(parseSegment(mode));
  } while (!recovering && takeIf(TokenKind::ColonColon));
  path.segments = list(segments);
  return make(start, path);
}

const PathSegment *Parser::parseSegment(PathMode mode) {
  Loc start = begin();
  PathSegment segment;
  segment.name = identOf(take());
  bool isFn = segment.name.text == "Fn" || segment.name.text == "FnMut" ||
              segment.name.text == "FnOnce";
  bool turbofish = at(TokenKind::ColonColon) &&
                   (at(TokenKind::Less, 1) || at(TokenKind::Shl, 1));
  if (turbofish)
    take();
  if (turbofish || (mode == PathMode::Type && atFirst(TokenKind::Less) &&
                    !at(TokenKind::LessEqual))) {
    segment.args = parseGenericArgs();
  } else if (mode == PathMode::Type && isFn && at(TokenKind::LParen)) {
    Loc argsStart = begin();
    GenericArgs args;
    args.parenthesised = true;
    Token opening = take();
    Nodes<GenericArg> list;
    parseList(TokenKind::RParen, opening, "the parameters of a function type",
              [&] {
                Loc argStart = begin();
                GenericArg arg;
                arg.type = parseType();
                list.push_back(make(argStart, arg));
              });
    args.args = this->list(list);
    args.result = parseResult();
    segment.args = make(argsStart, args);
  }
  return make(start, segment);
}

//===----------------------------------------------------------------------===//
// Generic arguments and parameters
//===----------------------------------------------------------------------===//

const GenericArgs *Parser::parseGenericArgs() {
  Loc start = begin();
  Token opening = token();
  takeFirst(TokenKind::Less);
  GenericArgs node;
  Nodes<GenericArg> args;
  while (!atFirst(TokenKind::Greater) && !atEnd() && !recovering) {
    args.push_back(parseGenericArg());
    if (!takeIf(TokenKind::Comma))
      break;
  }
  node.args = list(args);
  if (!takeFirst(TokenKind::Greater))
    if (Diagnostic *error = errorExpected("',' or '>' in generic arguments"))
      Diagnostics::note(*error, opening.span(), "to match this '<'");
  return make(start, node);
}

const GenericArg *Parser::parseGenericArg() {
  Loc start = begin();
  GenericArg node;
  switch (token().kind) {
  case TokenKind::Lifetime:
    node.lifetime = identOf(take());
    break;
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Char:
  case TokenKind::String:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
  case TokenKind::Minus:
  case TokenKind::LBrace: {
    llvm::SaveAndRestore head(inHead, false);
    node.value = parseUnary();
    break;
  }
  case TokenKind::Name:
    if (at(TokenKind::Equal, 1)) {
      node.binding = identOf(take());
      take();
    } else if (at(TokenKind::Colon, 1)) {
      refuse("a bound in generic arguments");
    }
    [[fallthrough]];
  default:
    node.type = parseType();
  }
  return make(start, node);
}

Parser::Nodes<GenericParam> Parser::parseGenericParams() {
  Nodes<GenericParam> params;
  Token opening = token();
  if (!takeFirst(TokenKind::Less))
    return params;
  while (!atFirst(TokenKind::Greater) && !atEnd() && !recovering) {
    params.push_back(parseGenericParam());
    if (!takeIf(TokenKind::Comma))
      break;
  }
  if (!takeFirst(TokenKind::Greater))
    if (Diagnostic *error = errorExpected("',' or '>' in generic parameters"))
      Diagnostics::note(*error, opening.span(), "to match this '<'");
  return params;
}

const GenericParam *Parser::parseGenericParam() {
  Loc start = begin();
  GenericParam node;
  if (at(TokenKind::Lifetime)) {
    node.paramKind = GenericParamKind::Lifetime;
    node.name = identOf(take());
    if (takeIf(TokenKind::Colon))
      node.bounds = parseBounds();
    return make(start, node);
  }
  if (takeIf(TokenKind::KwConst)) {
    node.paramKind = GenericParamKind::Const;
    node.name = parseName("a generic constant");
    expect(TokenKind::Colon, "and a type after the name of a generic constant");
    node.type = parseType();
    if (takeIf(TokenKind::Equal))
      node.value = parseUnary();
    return make(start, node);
  }
  node.name = parseName("a generic parameter");
  if (takeIf(TokenKind::Colon))
    node.bounds = parseBounds();
  if (takeIf(TokenKind::Equal))
    node.type = parseType();
  return make(start, node);
}

const Generics *Parser::finishGenerics(Loc start,
                                       const Nodes<GenericParam> &params) {
  Generics node;
  node.params = list(params);
  Nodes<WherePredicate> predicates;
  if (takeIf(TokenKind::KwWhere))
    while (!at(TokenKind::LBrace) && !at(TokenKind::Semi) &&
           !at(TokenKind::Equal) && !atEnd() && !recovering) {
      Loc predicateStart = begin();
      WherePredicate predicate;
      if (at(TokenKind::Lifetime))
        predicate.lifetime = identOf(take());
      else
        predicate.type = parseType();
      if (expect(TokenKind::Colon, "in a where clause"))
        predicate.bounds = parseBounds();
      predicates.push_back(make(predicateStart, predicate));
      if (!takeIf(TokenKind::Comma))
        break;
    }
  node.predicates = list(predicates);
  return make(start, node);
}

List<Bound> Parser::parseBounds() {
  Nodes<Bound> bounds;
  do {
    Loc start = begin();
    Bound bound;
    if (at(TokenKind::KwFor))
      refuse("a bound with 'for'");
    else if (at(TokenKind::Lifetime))
      bound.lifetime = identOf(take());
    else if (atSegment() || at(TokenKind::ColonColon) ||
             at(TokenKind::Question)) {
      bound.maybe = takeIf(TokenKind::Question);
      bound.path = parsePath(PathMode::Type);
    } else {
      break; // Bounds may be empty.
    }
    bounds.push_back(make(start, bound));
  } while (!recovering && takeIf(TokenKind::Plus));
  return list(bounds);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

const Type *Parser::parseResult() {
  return takeIf(TokenKind::Arrow) ? parseType() : nullptr;
}

const Type *Parser::parseType() {
  Nesting nesting(*this);
  if (!nesting)
    return errorType(begin());
  return parseTypeOf();
}

const Type *Parser::parseTypeOf() {
  Loc start = begin();
  switch (token().kind) {
  case TokenKind::And:
  case TokenKind::AndAnd: {
    takeFirst(TokenKind::And);
    RefType node;
    if (at(TokenKind::Lifetime))
      node.lifetime = identOf(take());
    node.isMut = takeIf(TokenKind::KwMut);
    node.target = parseType();
    return make(start, node);
  }
  case TokenKind::LSquare:
    return parseSquareType();
  case TokenKind::LParen:
    return parseParenType();
  case TokenKind::Underscore:
    take();
    return make(start, InferType());
  case TokenKind::Not:
    take();
    return make(start, NeverType());
  case TokenKind::KwImpl: {
    take();
    ImplType node;
    node.bounds = parseBounds();
    return make(start, node);
  }
  case TokenKind::KwFn:
    return parseFnType();
  case TokenKind::KwDyn:
  case TokenKind::KwExtern:
  case TokenKind::KwUnsafe:
  case TokenKind::KwFor:
    refuse("a type with '" + token().text + "'");
    return errorType(start);
  case TokenKind::Star:
    refuse("a raw pointer");
    return errorType(start);
  default:
    break;
  }
  if (at(TokenKind::Name) && atMacro()) {
    if (atName("m"))
      return parseMappingType();
    refuse("macro '" + token().text + "!' as a type");
    return errorType(start);
  }
  if (!atSegment() && !at(TokenKind::ColonColon) && !atFirst(TokenKind::Less)) {
    errorExpected("a type");
    return errorType(start);
  }
  PathType node;
  node.path = parsePath(PathMode::Type);
  return make(start, node);
}

const Type *Parser::parseSquareType() {
  Loc start = begin();
  Token opening = take();
  const Type *element = parseType();
  if (takeIf(TokenKind::Semi)) {
    ArrayType node;
    node.element = element;
    llvm::SaveAndRestore head(inHead, false);
    node.length = parseExpr();
    expectClosing(TokenKind::RSquare, opening, "an array type");
    return make(start, node);
  }
  SliceType node;
  node.element = element;
  expectClosing(TokenKind::RSquare, opening, "a slice type");
  return make(start, node);
}

const Type *Parser::parseParenType() {
  Loc start = begin();
  Token opening = take();
  Nodes<Type> elements;
  bool comma = parseList(TokenKind::RParen, opening, "a tuple type",
                         [&] { elements.push_back(parseType()); });
  if (elements.size() == 1 && !comma) {
    ParenType node;
    node.inner = elements.front();
    return make(start, node);
  }
  TupleType node;
  node.elements = list(elements);
  return make(start, node);
}

const Type *Parser::parseFnType() {
  Loc start = begin();
  take();
  FnType node;
  Nodes<Type> params;
  Token opening = token();
  if (expect(TokenKind::LParen, "of a function type"))
    parseList(TokenKind::RParen, opening, "the parameters of a function type",
              [&] {
                // A name says nothing.
                if ((at(TokenKind::Name) || at(TokenKind::Underscore)) &&
                    at(TokenKind::Colon, 1)) {
                  take();
                  take();
                }
                params.push_back(parseType());
              });
  node.params = list(params);
  node.result = parseResult();
  return make(start, node);
}
