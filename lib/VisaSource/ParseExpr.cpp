//===- ParseExpr.cpp - Expressions ----------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/SmallString.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {

/// How strongly operators bind.
enum Precedence : unsigned {
  kOr = 1,
  kAnd,
  kCompare,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kCast
};

struct Operator {
  BinaryOp op;
  /// 0 for a token that is no binary operator.
  unsigned precedence = 0;
};

} // namespace

static Operator operatorOf(TokenKind kind) {
  switch (kind) {
  case TokenKind::OrOr:
    return {BinaryOp::Or, kOr};
  case TokenKind::AndAnd:
    return {BinaryOp::And, kAnd};
  case TokenKind::EqualEqual:
    return {BinaryOp::Eq, kCompare};
  case TokenKind::NotEqual:
    return {BinaryOp::Ne, kCompare};
  case TokenKind::Less:
    return {BinaryOp::Lt, kCompare};
  case TokenKind::Greater:
    return {BinaryOp::Gt, kCompare};
  case TokenKind::LessEqual:
    return {BinaryOp::Le, kCompare};
  case TokenKind::GreaterEqual:
    return {BinaryOp::Ge, kCompare};
  case TokenKind::Or:
    return {BinaryOp::BitOr, kBitOr};
  case TokenKind::Caret:
    return {BinaryOp::BitXor, kBitXor};
  case TokenKind::And:
    return {BinaryOp::BitAnd, kBitAnd};
  case TokenKind::Shl:
    return {BinaryOp::Shl, kShift};
  case TokenKind::Shr:
    return {BinaryOp::Shr, kShift};
  case TokenKind::Plus:
    return {BinaryOp::Add, kSum};
  case TokenKind::Minus:
    return {BinaryOp::Sub, kSum};
  case TokenKind::Star:
    return {BinaryOp::Mul, kProduct};
  case TokenKind::Slash:
    return {BinaryOp::Div, kProduct};
  case TokenKind::Percent:
    return {BinaryOp::Rem, kProduct};
  default:
    return {};
  }
}

/// Whether the token assigns, and with which operator.
static bool isAssignment(TokenKind kind, std::optional<BinaryOp> &op) {
  switch (kind) {
  case TokenKind::Equal:
    op.reset();
    return true;
  case TokenKind::PlusEqual:
    op = BinaryOp::Add;
    return true;
  case TokenKind::MinusEqual:
    op = BinaryOp::Sub;
    return true;
  case TokenKind::StarEqual:
    op = BinaryOp::Mul;
    return true;
  case TokenKind::SlashEqual:
    op = BinaryOp::Div;
    return true;
  case TokenKind::PercentEqual:
    op = BinaryOp::Rem;
    return true;
  case TokenKind::AndEqual:
    op = BinaryOp::BitAnd;
    return true;
  case TokenKind::OrEqual:
    op = BinaryOp::BitOr;
    return true;
  case TokenKind::CaretEqual:
    op = BinaryOp::BitXor;
    return true;
  case TokenKind::ShlEqual:
    op = BinaryOp::Shl;
    return true;
  case TokenKind::ShrEqual:
    op = BinaryOp::Shr;
    return true;
  default:
    return false;
  }
}

const Expr *Parser::parseExpr() {
  Loc start = begin();
  Nesting nesting(*this);
  if (!nesting)
    return errorExpr(start);
  if (at(TokenKind::DotDot) || at(TokenKind::DotDotEqual))
    return parseRangeFrom(nullptr, start);
  const Expr *first = parseBinary(kOr);
  return parseRangeFrom(first, start);
}

const Expr *Parser::parseExprFrom(const Expr *operand, Loc start) {
  operand = parsePostfix(operand, start);
  return parseRangeFrom(parseBinaryFrom(operand, start, kOr), start);
}

/// A range or an assignment, if one follows.
const Expr *Parser::parseRangeFrom(const Expr *first, Loc start) {
  if (recovering)
    return first ? first : errorExpr(start);
  if (at(TokenKind::DotDot) || at(TokenKind::DotDotEqual)) {
    RangeExpr node;
    node.first = first;
    node.inclusive = take().is(TokenKind::DotDotEqual);
    if (atExpr())
      node.last = parseBinary(kOr);
    else if (node.inclusive)
      errorExpected("the last value of a range with '..='");
    return make(start, node);
  }
  AssignExpr node;
  if (!isAssignment(token().kind, node.op))
    return first;
  take();
  node.target = first;
  node.value = parseExpr();
  return make(start, node);
}

bool Parser::atExpr() {
  switch (token().kind) {
  case TokenKind::RParen:
  case TokenKind::RSquare:
  case TokenKind::RBrace:
  case TokenKind::Comma:
  case TokenKind::Semi:
  case TokenKind::FatArrow:
  case TokenKind::Equal:
  case TokenKind::Dot:
  case TokenKind::End:
    return false;
  case TokenKind::LBrace:
    return !inHead;
  default:
    return true;
  }
}

const Expr *Parser::parseBinary(unsigned minPrecedence) {
  Loc start = begin();
  const Expr *left = parseUnary();
  return parseBinaryFrom(left, start, minPrecedence);
}

const Expr *Parser::parseBinaryFrom(const Expr *left, Loc start,
                                    unsigned minPrecedence) {
  bool compared = false;
  while (!recovering) {
    if (at(TokenKind::KwAs)) {
      if (kCast < minPrecedence)
        return left;
      take();
      CastExpr node;
      node.operand = left;
      node.type = parseType();
      left = make(start, node);
      continue;
    }
    Operator found = operatorOf(token().kind);
    if (found.precedence == 0 || found.precedence < minPrecedence)
      return left;
    if (found.precedence == kCompare && compared) {
      errorHere("comparisons cannot be chained, use parentheses");
      return left;
    }
    compared = found.precedence == kCompare;
    take();
    BinaryExpr node;
    node.op = found.op;
    node.left = left;
    node.right = parseBinary(found.precedence + 1);
    left = make(start, node);
  }
  return left;
}

const Expr *Parser::parseUnary() {
  Loc start = begin();
  Nesting nesting(*this);
  if (!nesting)
    return errorExpr(start);
  switch (token().kind) {
  case TokenKind::Minus:
  case TokenKind::Not:
  case TokenKind::Star: {
    UnaryExpr node;
    TokenKind kind = take().kind;
    node.op = kind == TokenKind::Minus ? UnaryOp::Neg
              : kind == TokenKind::Not ? UnaryOp::Not
                                       : UnaryOp::Deref;
    node.operand = parseUnary();
    return make(start, node);
  }
  case TokenKind::And:
  case TokenKind::AndAnd: {
    takeFirst(TokenKind::And);
    RefExpr node;
    node.isMut = takeIf(TokenKind::KwMut);
    node.operand = parseUnary();
    return make(start, node);
  }
  default:
    const Expr *base = parsePrimary();
    return parsePostfix(base, start);
  }
}

//===----------------------------------------------------------------------===//
// What follows an operand
//===----------------------------------------------------------------------===//

List<Expr> Parser::parseExprs(TokenKind closing, const llvm::Twine &what) {
  Token opening = take();
  llvm::SaveAndRestore head(inHead, false);
  Nodes<Expr> args;
  parseList(closing, opening, what, [&] { args.push_back(parseExpr()); });
  return list(args);
}

const Expr *Parser::parsePostfix(const Expr *base, Loc start) {
  while (!recovering) {
    switch (token().kind) {
    case TokenKind::Dot:
      base = parseDot(base, start);
      break;
    case TokenKind::LParen: {
      CallExpr node;
      node.callee = base;
      node.args = parseExprs(TokenKind::RParen, "the arguments of a call");
      base = make(start, node);
      break;
    }
    case TokenKind::LSquare: {
      IndexExpr node;
      node.base = base;
      Token opening = take();
      llvm::SaveAndRestore head(inHead, false);
      node.index = parseExpr();
      expectClosing(TokenKind::RSquare, opening, "an index");
      base = make(start, node);
      break;
    }
    case TokenKind::Question:
      refuse("operator '?'");
      return base;
    default:
      return base;
    }
  }
  return base;
}

const Expr *Parser::parseDot(const Expr *base, Loc start) {
  take();
  if (takeIf(TokenKind::KwAwait)) {
    AwaitExpr node;
    node.operand = base;
    return make(start, node);
  }
  if (at(TokenKind::Integer)) {
    FieldExpr node;
    node.base = base;
    node.name = identOf(take());
    return make(start, node);
  }
  Ident name = parseName("a field or method");
  if (recovering)
    return base;
  const GenericArgs *generics = nullptr;
  if (at(TokenKind::ColonColon)) {
    take();
    if (atFirst(TokenKind::Less))
      generics = parseGenericArgs();
    else
      errorExpected("'<' and generic arguments after '::' of a method");
  }
  if (!at(TokenKind::LParen)) {
    if (generics)
      errorExpected("'(' and the arguments of method '" + name.text + "'");
    FieldExpr node;
    node.base = base;
    node.name = name;
    return make(start, node);
  }
  MethodCall node;
  node.receiver = base;
  node.name = name;
  node.generics = generics;
  node.args = parseExprs(TokenKind::RParen,
                         "the arguments of method '" + name.text + "'");
  return make(start, node);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

const Expr *Parser::parsePrimary() {
  Loc start = begin();
  if (atBlockLike())
    return parseBlockLike();
  switch (token().kind) {
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::String:
  case TokenKind::ByteString:
  case TokenKind::Char:
  case TokenKind::Byte:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
    return parseLiteral();
  case TokenKind::LParen:
    return parseParens();
  case TokenKind::LSquare:
    return parseArray();
  case TokenKind::Or:
  case TokenKind::OrOr:
  case TokenKind::KwMove:
    return parseClosure();
  case TokenKind::KwReturn:
  case TokenKind::KwBreak:
  case TokenKind::KwContinue:
    return parseJump();
  case TokenKind::KwLet: {
    if (!inHead) {
      errorHere("'let' stands in a condition or begins a statement");
      return errorExpr(start);
    }
    take();
    LetExpr node;
    node.pattern = parsePattern();
    expect(TokenKind::Equal, "after the pattern of a let");
    node.value = parseBinary(kCompare);
    return make(start, node);
  }
  case TokenKind::Lifetime:
    refuse("a label");
    return errorExpr(start);
  case TokenKind::KwAsync:
    refuse("an 'async' closure");
    return errorExpr(start);
  case TokenKind::KwUnsafe:
  case TokenKind::KwConst:
  case TokenKind::KwStatic:
  case TokenKind::KwDyn:
    refuse("'" + token().text + "' in an expression");
    return errorExpr(start);
  default:
    if (atSegment() || at(TokenKind::ColonColon) || atFirst(TokenKind::Less))
      return parsePathOrMacro();
    errorExpected("an expression");
    return errorExpr(start);
  }
}

const Expr *Parser::parseInteger() {
  Token t = take();
  IntLiteral node;
  node.text = t.text;
  StringRef digits = t.text;
  unsigned radix = digits.consume_front("0x")   ? 16
                   : digits.consume_front("0o") ? 8
                   : digits.consume_front("0b") ? 2
                                                : 10;
  size_t end = digits.find_if([&](char c) {
    return radix == 16 ? !llvm::isHexDigit(c) && c != '_'
                       : !llvm::isDigit(c) && c != '_';
  });
  node.suffix = end == StringRef::npos ? StringRef() : digits.drop_front(end);
  llvm::SmallString<32> plain;
  for (char c : digits.take_front(end))
    if (c != '_')
      plain += c;
  if (!t.hasError && plain.str().getAsInteger(radix, node.value))
    errorAt(t.span(), "number " + excerpt(t.text) + " takes more than 64 bits");
  return make(t.begin(), node);
}

const Expr *Parser::parseLiteral() {
  Loc start = begin();
  switch (token().kind) {
  case TokenKind::Integer:
    return parseInteger();
  case TokenKind::Float: {
    FloatLiteral node;
    node.text = take().text;
    for (StringRef suffix : {"f32", "f64"})
      if (node.text.consume_back(suffix))
        node.suffix = suffix;
    if (node.text.ends_with("."))
      node.text = context.copy(StringRef((node.text + "0").str()));
    return make(start, node);
  }
  case TokenKind::Char:
  case TokenKind::Byte: {
    CharLiteral node;
    node.text = take().text;
    return make(start, node);
  }
  case TokenKind::String:
  case TokenKind::ByteString: {
    StringLiteral node;
    node.text = take().text;
    node.bytes = context.copy(StringRef(unescape(node.text)));
    return make(start, node);
  }
  case TokenKind::KwTrue:
  case TokenKind::KwFalse: {
    BoolLiteral node;
    node.value = take().is(TokenKind::KwTrue);
    return make(start, node);
  }
  default:
    errorExpected("a literal");
    return errorExpr(start);
  }
}

const Expr *Parser::parsePathOrMacro() {
  Loc start = begin();
  const Path *path = parsePath(PathMode::Expr);
  if (recovering)
    return errorExpr(start);
  if (at(TokenKind::Not) && atOpening(1) && !path->self)
    return parseMacro(start, path);
  if (at(TokenKind::LBrace) && !inHead)
    return parseStructExpr(start, path);
  PathExpr node;
  node.path = path;
  return make(start, node);
}

const Expr *Parser::parseStructExpr(Loc start, const Path *path) {
  StructExpr node;
  node.path = path;
  Token opening = take();
  Nodes<FieldInit> inits;
  parseList(TokenKind::RBrace, opening, "a struct", [&] {
    if (takeIf(TokenKind::DotDot)) {
      node.base = parseExpr();
      return;
    }
    Loc fieldStart = begin();
    FieldInit field;
    field.name =
        at(TokenKind::Integer) ? identOf(take()) : parseName("a field");
    if (takeIf(TokenKind::Colon))
      field.value = parseExpr();
    inits.push_back(make(fieldStart, field));
  });
  node.inits = list(inits);
  return make(start, node);
}

const Expr *Parser::parseParens() {
  Loc start = begin();
  Token opening = take();
  llvm::SaveAndRestore head(inHead, false);
  Nodes<Expr> elements;
  bool comma = parseList(TokenKind::RParen, opening, "parentheses",
                         [&] { elements.push_back(parseExpr()); });
  if (elements.size() == 1 && !comma) {
    ParenExpr node;
    node.inner = elements.front();
    return make(start, node);
  }
  TupleExpr node;
  node.elements = list(elements);
  return make(start, node);
}

const Expr *Parser::parseArray() {
  Loc start = begin();
  Token opening = take();
  llvm::SaveAndRestore head(inHead, false);
  Nodes<Expr> elements;
  if (!at(TokenKind::RSquare)) {
    elements.push_back(parseExpr());
    if (takeIf(TokenKind::Semi)) {
      RepeatExpr node;
      node.element = elements.front();
      node.count = parseExpr();
      expectClosing(TokenKind::RSquare, opening, "an array");
      return make(start, node);
    }
    if (!recovering && !at(TokenKind::RSquare) && !at(TokenKind::Comma))
      errorExpected("',', ';' or ']' in an array");
    if (recovering)
      skipElement(TokenKind::RSquare);
    if (!takeIf(TokenKind::Comma)) {
      expectClosing(TokenKind::RSquare, opening, "an array");
      ArrayExpr node;
      node.elements = list(elements);
      return make(start, node);
    }
  }
  parseList(TokenKind::RSquare, opening, "an array",
            [&] { elements.push_back(parseExpr()); });
  ArrayExpr node;
  node.elements = list(elements);
  return make(start, node);
}

const Expr *Parser::parseClosure() {
  Loc start = begin();
  ClosureExpr node;
  node.isMove = takeIf(TokenKind::KwMove);
  Nodes<Param> params;
  Token opening = token();
  if (!takeIf(TokenKind::OrOr)) {
    expect(TokenKind::Or, "before the parameters of a closure");
    parseList(TokenKind::Or, opening, "the parameters of a closure", [&] {
      Loc paramStart = begin();
      Param param;
      param.pattern = parseOnePattern();
      if (takeIf(TokenKind::Colon))
        param.type = parseType();
      params.push_back(make(paramStart, param));
    });
  }
  node.params = list(params);
  node.result = parseResult();
  node.body = node.result ? parseBlock("the body of a closure") : parseExpr();
  return make(start, node);
}

const Expr *Parser::parseJump() {
  Loc start = begin();
  TokenKind kind = take().kind;
  if (at(TokenKind::Lifetime))
    refuse("a label");
  if (kind == TokenKind::KwContinue)
    return make(start, ContinueExpr());
  const Expr *value = !recovering && atExpr() ? parseExpr() : nullptr;
  if (kind == TokenKind::KwReturn) {
    ReturnExpr node;
    node.value = value;
    return make(start, node);
  }
  BreakExpr node;
  node.value = value;
  return make(start, node);
}
