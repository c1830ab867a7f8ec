//===- ParsePattern.cpp - Patterns ----------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace sequin;
using namespace sequin::visa_source;

const Pattern *Parser::parsePattern() {
  Loc start = begin();
  takeIf(TokenKind::Or);
  const Pattern *first = parseOnePattern();
  if (!at(TokenKind::Or))
    return first;
  Nodes<Pattern> alternatives{first};
  while (!recovering && takeIf(TokenKind::Or))
    alternatives.push_back(parseOnePattern());
  OrPattern node;
  node.alternatives = list(alternatives);
  return make(start, node);
}

const Pattern *Parser::parseOnePattern() {
  Loc start = begin();
  Nesting nesting(*this);
  if (!nesting)
    return make(start, ErrorPattern());
  return parseOnePatternOf();
}

List<Pattern> Parser::parsePatterns(TokenKind closing, const llvm::Twine &what,
                                    bool &comma) {
  Token opening = take();
  Nodes<Pattern> elements;
  comma = parseList(closing, opening, what,
                    [&] { elements.push_back(parsePattern()); });
  return list(elements);
}

const Pattern *Parser::parseOnePatternOf() {
  Loc start = begin();
  bool comma = false;
  switch (token().kind) {
  case TokenKind::Underscore:
    take();
    return make(start, WildcardPattern());
  case TokenKind::DotDot:
    take();
    return make(start, RestPattern());
  case TokenKind::And:
  case TokenKind::AndAnd: {
    takeFirst(TokenKind::And);
    RefPattern node;
    node.isMut = takeIf(TokenKind::KwMut);
    node.inner = parseOnePattern();
    return make(start, node);
  }
  case TokenKind::LParen: {
    List<Pattern> elements =
        parsePatterns(TokenKind::RParen, "a tuple pattern", comma);
    if (elements.size() == 1 && !comma &&
        !llvm::isa<RestPattern>(elements.front())) {
      ParenPattern node;
      node.inner = elements.front();
      return make(start, node);
    }
    TuplePattern node;
    node.elements = elements;
    return make(start, node);
  }
  case TokenKind::LSquare: {
    SlicePattern node;
    node.elements = parsePatterns(TokenKind::RSquare, "a slice pattern", comma);
    return make(start, node);
  }
  case TokenKind::KwRef:
  case TokenKind::KwMut: {
    NamePattern node;
    node.isRef = takeIf(TokenKind::KwRef);
    node.isMut = takeIf(TokenKind::KwMut);
    node.name = parseName("a pattern");
    if (takeIf(TokenKind::At))
      node.inner = parseOnePattern();
    return make(start, node);
  }
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::String:
  case TokenKind::ByteString:
  case TokenKind::Char:
  case TokenKind::Byte:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
  case TokenKind::Minus:
    return parseLiteralPattern();
  default:
    if (atSegment() || at(TokenKind::ColonColon) || atFirst(TokenKind::Less))
      return parsePathPattern();
    errorExpected("a pattern");
    return make(start, ErrorPattern());
  }
}

const Pattern *Parser::parseLiteralPattern() {
  Loc start = begin();
  auto number = [&]() -> const Expr * {
    Loc numberStart = begin();
    if (!takeIf(TokenKind::Minus))
      return parseLiteral();
    UnaryExpr negative;
    negative.op = UnaryOp::Neg;
    negative.operand = parseLiteral();
    return make(numberStart, negative);
  };
  const Expr *value = number();
  if (!at(TokenKind::DotDot) && !at(TokenKind::DotDotEqual)) {
    LiteralPattern node;
    node.value = value;
    return make(start, node);
  }
  RangePattern node;
  node.first = value;
  node.inclusive = take().is(TokenKind::DotDotEqual);
  if (at(TokenKind::Integer) || at(TokenKind::Minus) || at(TokenKind::Float) ||
      at(TokenKind::Char))
    node.last = number();
  return make(start, node);
}

const Pattern *Parser::parsePathPattern() {
  Loc start = begin();
  if (at(TokenKind::Name) && !at(TokenKind::ColonColon, 1) &&
      !at(TokenKind::LParen, 1) && !at(TokenKind::LBrace, 1)) {
    if (atMacro()) {
      refuse("a macro as a pattern");
      return make(start, ErrorPattern());
    }
    NamePattern node;
    node.name = identOf(take());
    if (takeIf(TokenKind::At))
      node.inner = parseOnePattern();
    return make(start, node);
  }
  const Path *path = parsePath(PathMode::Expr);
  if (at(TokenKind::LParen)) {
    TupleStructPattern node;
    node.path = path;
    bool comma;
    node.elements = parsePatterns(TokenKind::RParen, "a pattern", comma);
    return make(start, node);
  }
  if (!at(TokenKind::LBrace)) {
    PathPattern node;
    node.path = path;
    return make(start, node);
  }
  StructPattern node;
  node.path = path;
  Token opening = take();
  Nodes<FieldPattern> fields;
  parseList(TokenKind::RBrace, opening, "a struct pattern", [&] {
    if (takeIf(TokenKind::DotDot)) {
      node.hasRest = true;
      return;
    }
    Loc fieldStart = begin();
    FieldPattern field;
    if (at(TokenKind::Name) && at(TokenKind::Colon, 1)) {
      field.name = identOf(take());
      take();
      field.pattern = parsePattern();
    } else {
      field.shorthand = true;
      NamePattern name;
      name.isRef = takeIf(TokenKind::KwRef);
      name.isMut = takeIf(TokenKind::KwMut);
      name.name = field.name = parseName("a field");
      field.pattern = make(fieldStart, name);
    }
    fields.push_back(make(fieldStart, field));
  });
  node.patterns = list(fields);
  return make(start, node);
}
