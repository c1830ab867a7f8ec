//===- ParseMapping.cpp - Mappings and macros -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/StringSwitch.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;

static TokenKind closingOf(Bracket bracket) {
  return bracket == Bracket::Paren    ? TokenKind::RParen
         : bracket == Bracket::Square ? TokenKind::RSquare
                                      : TokenKind::RBrace;
}

static Bracket bracketOf(TokenKind opening) {
  return opening == TokenKind::LParen    ? Bracket::Paren
         : opening == TokenKind::LSquare ? Bracket::Square
                                         : Bracket::Brace;
}

//===----------------------------------------------------------------------===//
// m![...] and axes![...]
//===----------------------------------------------------------------------===//

const Type *Parser::parseMappingType() {
  Loc start = begin();
  take();
  take();
  Token opening = take();
  TokenKind closing = closingOf(bracketOf(opening.kind));
  MappingType node;
  if (!at(closing))
    node.mapping = parseMapping(closing);
  // An error inside is over where the brackets close.
  if (recovering)
    skipElements(closing);
  expectClosing(closing, opening, "a mapping");
  return make(start, node);
}

const Mapping *Parser::parseMapping(TokenKind closing) {
  Loc start = begin();
  Nesting nesting(*this);
  if (!nesting)
    return make(start, ErrorMapping());
  const Mapping *first = parseMapTerm();
  if (!at(TokenKind::Comma))
    return first;
  Nodes<Mapping> elements{first};
  while (!recovering && takeIf(TokenKind::Comma) && !at(closing))
    elements.push_back(parseMapTerm());
  MapList node;
  node.elements = list(elements);
  return make(start, node);
}

const Mapping *Parser::parseMapTerm() {
  Loc start = begin();
  const Mapping *left = parseMapAtom();
  while (!recovering) {
    MapOp node;
    node.left = left;
    switch (token().kind) {
    case TokenKind::Slash:
      node.op = MappingOp::Stride;
      break;
    case TokenKind::Percent:
      node.op = MappingOp::Modulo;
      break;
    case TokenKind::Equal:
      node.op = MappingOp::Resize;
      break;
    case TokenKind::Hash:
      node.op = MappingOp::Pad;
      // The kind of the padding, but `# { N }` pads to a constant.
      if (at(TokenKind::LBrace, 1) && at(TokenKind::RBrace, 3)) {
        if (at(TokenKind::Star, 2))
          node.op = MappingOp::PadTop;
        else if (at(TokenKind::Not, 2))
          node.op = MappingOp::PadBottom;
        else if (at(TokenKind::Integer, 2) && token(2).text == "0")
          node.op = MappingOp::PadZero;
      }
      break;
    default:
      return left;
    }
    for (int i = node.op == MappingOp::Pad || node.op < MappingOp::Pad ? 1 : 4;
         i != 0; --i)
      take();
    node.amount = parseMapAmount();
    left = make(start, node);
  }
  return left;
}

const Expr *Parser::parseMapAmount() {
  if (at(TokenKind::Integer))
    return parseInteger();
  if (at(TokenKind::LBrace)) {
    llvm::SaveAndRestore head(inHead, false);
    return parseBlock("a constant of a mapping");
  }
  Loc start = begin();
  errorExpected("a number, or a constant in braces, behind an operator of a "
                "mapping");
  return errorExpr(start);
}

const Mapping *Parser::parseMapAtom() {
  Loc start = begin();
  switch (token().kind) {
  case TokenKind::Name: {
    MapAxis node;
    node.name = identOf(take());
    return make(start, node);
  }
  case TokenKind::Integer: {
    MapNumber node;
    if (const auto *number = llvm::dyn_cast<IntLiteral>(parseInteger()))
      node.value = number->value;
    return make(start, node);
  }
  case TokenKind::LBrace: {
    Token opening = take();
    MapEscape node;
    node.type = parseType();
    expectClosing(TokenKind::RBrace, opening, "an escape of a mapping");
    return make(start, node);
  }
  case TokenKind::LParen:
  case TokenKind::LSquare: {
    Token opening = take();
    TokenKind closing = closingOf(bracketOf(opening.kind));
    MapGroup node;
    node.square = opening.is(TokenKind::LSquare);
    node.inner = parseMapping(closing);
    expectClosing(closing, opening, "a group of a mapping");
    return make(start, node);
  }
  default:
    errorExpected("an axis, a number or '{' in a mapping");
    return make(start, ErrorMapping());
  }
}

const Item *Parser::parseAxes(Loc start, ItemHead &head) {
  take();
  take();
  Token opening = take();
  AxesItem node;
  node.head = head;
  Nodes<AxisDecl> axes;
  parseList(closingOf(bracketOf(opening.kind)), opening, "the axes of 'axes!'",
            [&] {
              Loc axisStart = begin();
              AxisDecl axis;
              axis.name = parseName("an axis");
              expect(TokenKind::Equal, "and a size after the name of an axis");
              axis.size = parseExpr();
              axes.push_back(make(axisStart, axis));
            });
  node.axes = list(axes);
  if (!opening.is(TokenKind::LBrace))
    expectSemi("after 'axes!'");
  return make(start, node);
}

//===----------------------------------------------------------------------===//
// Macros as expressions
//===----------------------------------------------------------------------===//

const Expr *Parser::parseIndexMacro(Loc start) {
  Token opening = take();
  TokenKind closing = closingOf(bracketOf(opening.kind));
  IndexMacro node;
  Nodes<IndexTerm> terms;
  parseList(closing, opening, "an index", [&] {
    Loc termStart = begin();
    IndexTerm term;
    term.mapping = parseMapping(TokenKind::Colon);
    expect(TokenKind::Colon, "after the mapping of an index");
    term.value = parseExpr();
    terms.push_back(make(termStart, term));
  });
  node.terms = list(terms);
  return make(start, node);
}

/// Macros whose arguments are expressions.
static bool takesExpressions(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"vec", "assert", "assert_eq", "assert_ne", "debug_assert"}, true)
      .Cases({"debug_assert_eq", "debug_assert_ne", "panic", "todo"}, true)
      .Cases({"unimplemented", "unreachable", "print", "println"}, true)
      .Cases({"eprint", "eprintln", "format", "write", "writeln"}, true)
      .Cases({"include_bytes", "include_str", "concat", "env", "dbg"}, true)
      .Default(false);
}

const Expr *Parser::parseMacro(Loc start, const Path *path) {
  StringRef name = path->segments.back()->name.text;
  llvm::SaveAndRestore head(inHead, false);
  if (name == "m" || name == "axes") {
    errorAt(path->span(),
            name == "m"
                ? "'m!' is a type, its members are written '<m![...]>::SIZE'"
                : "'axes!' stands where an item does");
    recovering = true;
    return errorExpr(start);
  }
  take();
  if (name == "i")
    return parseIndexMacro(start);
  MacroExpr node;
  node.path = path;
  if (!takesExpressions(name)) {
    node.tokens = parseTokens(node.bracket);
    return make(start, node);
  }
  Token opening = take();
  node.bracket = bracketOf(opening.kind);
  TokenKind closing = closingOf(node.bracket);
  node.form = MacroForm::List;
  Nodes<Expr> args;
  if (name == "vec" && !at(closing)) {
    args.push_back(parseExpr());
    if (takeIf(TokenKind::Semi)) {
      node.form = MacroForm::Repeat;
      args.push_back(parseExpr());
      node.args = list(args);
      expectClosing(closing, opening, "'vec!'");
      return make(start, node);
    }
    if (!recovering && !takeIf(TokenKind::Comma) && !at(closing))
      errorExpected("',', ';' or " + describe(closing) + " in 'vec!'");
    if (recovering) {
      skipElement(closing);
      takeIf(TokenKind::Comma);
    }
  }
  parseList(closing, opening, "the arguments of '" + name + "!'",
            [&] { args.push_back(parseExpr()); });
  node.args = list(args);
  return make(start, node);
}

StringRef Parser::parseTokens(Bracket &bracket) {
  Token opening = token();
  bracket = bracketOf(opening.kind);
  if (!atOpening()) {
    errorExpected("'(', '[' or '{' of a macro");
    return {};
  }
  TokenKind closing = closingOf(bracket);
  skipBalanced();
  const Token &last = tokens[position - 1];
  if (!last.is(closing) || &last == &opening) {
    if (Diagnostic *error =
            errorExpected(describe(closing) + " at the end of a macro"))
      Diagnostics::note(*error, opening.span(),
                        "to match this '" + opening.text + "'");
    return {};
  }
  const char *from = opening.end().getPointer();
  return {from, size_t(last.begin().getPointer() - from)};
}
