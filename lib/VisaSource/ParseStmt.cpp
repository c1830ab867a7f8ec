//===- ParseStmt.cpp - Blocks, statements and control flow ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace sequin;
using namespace sequin::visa_source;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

const BlockExpr *Parser::parseBlock(const llvm::Twine &what) {
  return parseBlockFrom(begin(), BlockMode::Plain, what);
}

const BlockExpr *Parser::parseBlockFrom(Loc start, BlockMode mode,
                                        const llvm::Twine &what) {
  BlockExpr node;
  node.mode = mode;
  Nesting nesting(*this);
  if (!nesting)
    return make(start, node);
  Token opening = token();
  if (!expect(TokenKind::LBrace, "of " + what))
    return make(start, node);
  recovering = false;
  llvm::SaveAndRestore head(inHead, false);
  node.attributes = parseAttributes(/*inner=*/true);
  Nodes<Stmt> statements;
  while (!at(TokenKind::RBrace) && !atEnd()) {
    size_t before = position;
    if (node.tail) {
      // What looked like the block's value has something behind it.
      ExprStmt statement;
      statement.expr = node.tail;
      statements.push_back(context.create(node.tail->span(), statement));
      node.tail = nullptr;
      errorExpected("';' or '}' behind an expression");
    } else {
      parseStmt(statements, node.tail);
    }
    if (recovering)
      skipStatement();
    if (position == before && !at(TokenKind::RBrace))
      take();
  }
  node.statements = list(statements);
  expectClosing(TokenKind::RBrace, opening, what);
  return make(start, node);
}

bool Parser::atBlockLike() {
  switch (token().kind) {
  case TokenKind::KwIf:
  case TokenKind::KwMatch:
  case TokenKind::KwFor:
  case TokenKind::KwWhile:
  case TokenKind::KwLoop:
  case TokenKind::LBrace:
    return true;
  case TokenKind::KwUnsafe:
  case TokenKind::KwConst:
    return at(TokenKind::LBrace, 1);
  case TokenKind::KwAsync:
    return at(TokenKind::LBrace, at(TokenKind::KwMove, 1) ? 2 : 1);
  default:
    return false;
  }
}

void Parser::parseStmt(Nodes<Stmt> &statements, const Expr *&tail) {
  Loc start = begin();
  if (takeIf(TokenKind::Semi))
    return;
  // An item in a block has its attributes itself; find out without taking.
  size_t ahead = 0;
  while (at(TokenKind::Hash, ahead) && at(TokenKind::LSquare, ahead + 1)) {
    unsigned open = 0;
    for (++ahead;; ++ahead) {
      open += at(TokenKind::LSquare, ahead);
      open -= at(TokenKind::RSquare, ahead);
      if (open == 0 || at(TokenKind::End, ahead))
        break;
    }
    ++ahead;
  }
  if (atItemStart(ahead)) {
    ItemStmt node;
    node.item = parseItem();
    if (node.item)
      statements.push_back(make(start, node));
    if (recovering)
      skipItem();
    return;
  }
  List<Attribute> attributes = parseAttributes(/*inner=*/false);
  if (at(TokenKind::KwLet)) {
    statements.push_back(parseLet(start, attributes));
    return;
  }
  Loc exprStart = begin();
  bool blockLike = atBlockLike();
  const Expr *expr = blockLike ? parseBlockLike() : parseExpr();
  if (blockLike && at(TokenKind::Dot)) {
    expr = parseExprFrom(expr, exprStart);
    blockLike = false;
  }
  if (const auto *macro = llvm::dyn_cast<MacroExpr>(expr))
    blockLike = macro->bracket == Bracket::Brace;
  ExprStmt node;
  node.attributes = attributes;
  node.expr = expr;
  node.hasSemi = !recovering && takeIf(TokenKind::Semi);
  if (!node.hasSemi && !recovering && !blockLike && !at(TokenKind::RBrace))
    errorExpected("';' or '}' behind an expression");
  if (!node.hasSemi && at(TokenKind::RBrace) && attributes.empty()) {
    tail = expr;
    return;
  }
  statements.push_back(make(start, node));
}

const Stmt *Parser::parseLet(Loc start, List<Attribute> attributes) {
  take();
  LetStmt node;
  node.attributes = attributes;
  node.pattern = parsePattern();
  if (takeIf(TokenKind::Colon))
    node.type = parseType();
  if (takeIf(TokenKind::Equal))
    node.init = parseExpr();
  if (takeIf(TokenKind::KwElse))
    node.otherwise = parseBlock("the else of a let");
  expectSemi("after a let");
  return make(start, node);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

const Expr *Parser::parseHead() {
  llvm::SaveAndRestore head(inHead, true);
  return parseExpr();
}

const Expr *Parser::parseBlockLike() {
  Loc start = begin();
  switch (token().kind) {
  case TokenKind::KwIf:
    return parseIf();
  case TokenKind::KwMatch:
    return parseMatch();
  case TokenKind::KwFor:
    return parseFor();
  case TokenKind::KwWhile:
    return parseWhile();
  case TokenKind::KwLoop: {
    take();
    LoopExpr node;
    node.body = parseBlock("the body of a loop");
    return make(start, node);
  }
  case TokenKind::KwUnsafe:
    take();
    return parseBlockFrom(start, BlockMode::Unsafe, "an unsafe block");
  case TokenKind::KwConst:
    take();
    return parseBlockFrom(start, BlockMode::Const, "a const block");
  case TokenKind::KwAsync: {
    take();
    BlockMode mode =
        takeIf(TokenKind::KwMove) ? BlockMode::AsyncMove : BlockMode::Async;
    return parseBlockFrom(start, mode, "an async block");
  }
  default:
    return parseBlock("a block");
  }
}

const Expr *Parser::parseIf() {
  Loc start = begin();
  Nesting nesting(*this);
  if (!nesting)
    return errorExpr(start);
  take();
  IfExpr node;
  node.condition = parseHead();
  node.then = parseBlock("the body of an if");
  if (takeIf(TokenKind::KwElse)) {
    if (at(TokenKind::KwIf))
      node.otherwise = parseIf();
    else
      node.otherwise = parseBlock("the else of an if");
  }
  return make(start, node);
}

const Expr *Parser::parseMatch() {
  Loc start = begin();
  take();
  MatchExpr node;
  node.input = parseHead();
  Token opening = token();
  if (!expect(TokenKind::LBrace, "of a match"))
    return make(start, node);
  llvm::SaveAndRestore head(inHead, false);
  Nodes<MatchArm> arms;
  while (!at(TokenKind::RBrace) && !atEnd()) {
    size_t before = position;
    arms.push_back(parseArm());
    const Expr *body = arms.back()->body;
    bool isBlock = body && llvm::isa<BlockExpr>(body);
    if (!recovering && !takeIf(TokenKind::Comma) && !isBlock &&
        !at(TokenKind::RBrace))
      errorExpected("',' or '}' behind an arm of a match");
    if (recovering) {
      skipElement(TokenKind::RBrace);
      if (!takeIf(TokenKind::Comma) && !at(TokenKind::RBrace))
        break;
    }
    if (position == before)
      break;
  }
  node.arms = list(arms);
  expectClosing(TokenKind::RBrace, opening, "a match");
  return make(start, node);
}

const MatchArm *Parser::parseArm() {
  Loc start = begin();
  MatchArm node;
  node.attributes = parseAttributes(/*inner=*/false);
  node.pattern = parsePattern();
  if (takeIf(TokenKind::KwIf))
    node.guard = parseHead();
  if (!expect(TokenKind::FatArrow, "behind the pattern of a match"))
    return make(start, node);
  // `=> { ... }` ends the arm, whatever comes next.
  Loc bodyStart = begin();
  if (at(TokenKind::LBrace)) {
    node.body = parseBlock("an arm of a match");
    if (!at(TokenKind::Comma) && !at(TokenKind::RBrace) && at(TokenKind::Dot))
      node.body = parseExprFrom(node.body, bodyStart);
  } else {
    node.body = parseExpr();
  }
  return make(start, node);
}

const Expr *Parser::parseFor() {
  Loc start = begin();
  take();
  ForExpr node;
  node.pattern = parsePattern();
  expect(TokenKind::KwIn, "after the pattern of a for");
  node.range = parseHead();
  node.body = parseBlock("the body of a for");
  return make(start, node);
}

const Expr *Parser::parseWhile() {
  Loc start = begin();
  take();
  WhileExpr node;
  node.condition = parseHead();
  node.body = parseBlock("the body of a while");
  return make(start, node);
}
