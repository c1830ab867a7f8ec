//===- ParseStmt.cpp - Statements of CSL ----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "sequin/Support/Excerpt.h"

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;
using llvm::Twine;

/// Whether an expression in the form of a statement ends with a brace, so that
/// no semicolon follows.
static bool endsWithBlock(const Expr *e) {
  for (;;) {
    switch (e->kind()) {
    case NodeKind::BlockExpr:
    case NodeKind::SwitchExpr:
      return true;
    case NodeKind::IfExpr: {
      const auto *branch = llvm::cast<IfExpr>(e);
      e = branch->otherwise() ? branch->otherwise() : branch->then();
      break;
    }
    case NodeKind::ForExpr:
      e = llvm::cast<ForExpr>(e)->body();
      break;
    case NodeKind::WhileExpr:
      e = llvm::cast<WhileExpr>(e)->body();
      break;
    default:
      return false;
    }
  }
}

const BlockExpr *Parser::parseBlock(Ident label) {
  Loc start = label.empty() ? begin() : label.span.Start;
  llvm::SmallVector<const Stmt *, 16> statements;
  auto finish = [&] {
    return make<BlockExpr>(start, label,
                           list(llvm::ArrayRef<const Stmt *>(statements)));
  };
  Nesting nesting(*this);
  if (!nesting)
    return finish();
  if (!at(TokenKind::LBrace)) {
    errorExpected("'{'");
    return finish();
  }
  llvm::SaveAndRestore<Literals> saved(literals, Literals::All);
  LabelScope scope(*this, label, /*isLoop=*/false);
  Token open = take();
  while (!at(TokenKind::RBrace) && !atEnd()) {
    size_t before = position;
    if (const Stmt *stmt = parseStmt())
      statements.push_back(stmt);
    if (position == before)
      take();
  }
  expectClosing(TokenKind::RBrace, open, "the block");
  return finish();
}

const Stmt *Parser::parseStmt() {
  Loc start = begin();
  switch (token().kind) {
  case TokenKind::Semi:
    take();
    return nullptr;
  case TokenKind::KwConst:
  case TokenKind::KwVar:
  case TokenKind::KwParam: {
    Modifiers none;
    none.start = start;
    const VarDecl *var = parseVar(none, {}, /*isLocal=*/true, false);
    return make<DeclStmt>(start, var);
  }
  case TokenKind::KwComptime:
    if (at(TokenKind::KwConst, 1) || at(TokenKind::KwVar, 1) ||
        at(TokenKind::KwParam, 1)) {
      Modifiers none;
      none.start = start;
      take();
      const VarDecl *var = parseVar(none, {}, /*isLocal=*/true, true);
      return make<DeclStmt>(start, var);
    }
    break;
  case TokenKind::KwFn:
  case TokenKind::KwTask:
    if (!at(TokenKind::Name, 1))
      break;
    [[fallthrough]];
  case TokenKind::KwExport:
  case TokenKind::KwNoInline:
  case TokenKind::KwLayout: {
    errorHere(describe(token()) +
              " inside of a block, functions, tasks, storage classes and "
              "layout blocks belong to the top level of a file");
    llvm::SaveAndRestore<JumpScope> outer(jumps);
    parseTopLevel();
    return nullptr;
  }
  default:
    break;
  }
  if (at(TokenKind::Name) && !at(TokenKind::Semi, 1) &&
      (at(TokenKind::Name, 1) || at(TokenKind::LBrace, 1))) {
    StringRef word = token().text;
    bool isDefer = word == "defer" || word == "errdefer";
    if (isDefer || word == "let" || word == "auto") {
      errorHere(isDefer ? "CSL has no '" + word +
                              "': write the statement before every way out of "
                              "the block"
                        : "a variable is declared with 'var', a constant with "
                          "'const', not with '" +
                              word + "'");
      skipStatement();
      return nullptr;
    }
  }
  bool needsSemi = true;
  size_t before = position;
  const Expr *expr = parseStmtExpr(needsSemi);
  const Stmt *stmt = make<ExprStmt>(start, expr);
  if (needsSemi) {
    // One error per statement: what follows the first is skipped.
    if (llvm::isa<ErrorExpr>(expr) && errorPosition != SIZE_MAX &&
        errorPosition >= before)
      skipStatement();
    else
      expectSemi("the statement");
  } else {
    takeIf(TokenKind::Semi);
  }
  return stmt;
}

const Expr *Parser::parseStmtExpr(bool &needsSemi) {
  Loc start = begin();
  const Expr *expr = nullptr;
  switch (token().kind) {
  case TokenKind::LBrace:
    expr = parseBlock({});
    break;
  case TokenKind::KwIf:
    expr = parseIfStmt();
    break;
  case TokenKind::KwSwitch:
    expr = parseSwitch();
    break;
  case TokenKind::KwFor:
  case TokenKind::KwWhile:
  case TokenKind::KwInline:
    expr = parseLoop({});
    break;
  case TokenKind::KwComptime:
    if (at(TokenKind::KwFor, 1) || at(TokenKind::KwWhile, 1)) {
      expr = parseLoop({});
      break;
    }
    if (at(TokenKind::KwIf, 1) || at(TokenKind::KwSwitch, 1)) {
      take();
      const Expr *branch = parseStmtExpr(needsSemi);
      return make<ComptimeExpr>(start, branch);
    }
    if (at(TokenKind::LBrace, 1) ||
        (at(TokenKind::Name, 1) && at(TokenKind::Colon, 2))) {
      take();
      const Expr *block =
          at(TokenKind::LBrace) ? parseBlock({}) : parseLabelled();
      needsSemi = false;
      return make<ComptimeExpr>(start, block);
    }
    break;
  case TokenKind::Name:
    if (at(TokenKind::Colon, 1))
      expr = parseLabelled();
    break;
  default:
    break;
  }
  if (!expr)
    return parseSimple();
  needsSemi = !endsWithBlock(expr);
  return expr;
}

const Expr *Parser::parseLabelled() {
  Loc start = begin();
  Ident label = identOf(take());
  take();
  switch (token().kind) {
  case TokenKind::LBrace:
    return parseBlock(label);
  case TokenKind::KwFor:
  case TokenKind::KwWhile:
  case TokenKind::KwInline:
    return parseLoop(label);
  case TokenKind::KwComptime:
    if (at(TokenKind::KwFor, 1) || at(TokenKind::KwWhile, 1))
      return parseLoop(label);
    break;
  default:
    break;
  }
  errorExpected("a block or a loop after label '" + excerpt(label.text) + "'");
  return errorExpr(start);
}

const Expr *Parser::parseLoop(Ident label) {
  Nesting nesting(*this);
  Loc start = label.empty() ? begin() : label.span.Start;
  if (!nesting)
    return errorExpr(start);
  LoopMode mode = LoopMode::Plain;
  if (takeIf(TokenKind::KwInline))
    mode = LoopMode::Inline;
  else if (takeIf(TokenKind::KwComptime))
    mode = LoopMode::Comptime;
  if (at(TokenKind::KwFor))
    return parseFor(label, mode, start);
  if (at(TokenKind::KwWhile))
    return parseWhile(label, mode, start);
  errorExpected("'for' or 'while' after 'inline'");
  return errorExpr(start);
}

const Expr *Parser::parseCondition(const Twine &what, bool mayHoldLiteral) {
  if (!at(TokenKind::LParen)) {
    Loc start = begin();
    errorExpected("'(' after " + what);
    // The condition without its parentheses, unless a body stands here.
    if (at(TokenKind::LBrace) || atEnd())
      return errorExpr(start);
    llvm::SaveAndRestore<Literals> saved(literals, Literals::None);
    return parseExpr();
  }
  // In the head itself only what can be no body, so that in `if (c {` the brace
  // is the body's; a `for` may run over any literal.
  llvm::SaveAndRestore<Literals> saved(
      literals, mayHoldLiteral ? Literals::All : Literals::Clear);
  Token open = take();
  const Expr *condition = parseExpr();
  expectClosing(TokenKind::RParen, open, "the head of " + what);
  return condition;
}

const Expr *Parser::parseFor(Ident label, LoopMode mode, Loc start) {
  take();
  if (at(TokenKind::LParen) &&
      (at(TokenKind::KwVar, 1) || at(TokenKind::KwConst, 1))) {
    errorAt(token(1).span(), "a loop with a counter is 'for (@range(i16, n)) "
                             "|i| { }', or 'while (i < n) : (i += 1) { }'");
    errorPosition = position + 1;
  }
  // `for (i in a..b)`, with or without the parentheses.
  unsigned first = at(TokenKind::LParen) ? 1 : 0;
  if (at(TokenKind::Name, first) && at(TokenKind::Name, first + 1) &&
      token(first + 1).text == "in") {
    errorAt(token(first + 1).span(),
            "a loop over numbers is 'for (@range(i16, n)) |" +
                token(first).text + "| { }', one over an array 'for (array) |" +
                token(first).text + "| { }'");
    while (!atEnd() && !at(TokenKind::LBrace) && !at(TokenKind::Semi) &&
           !at(TokenKind::RBrace))
      take();
    errorPosition = position;
    return errorExpr(start);
  }
  const Expr *iterable = parseCondition("'for'", /*mayHoldLiteral=*/true);
  const CaptureDecl *element = nullptr;
  const CaptureDecl *index = nullptr;
  if (expect(TokenKind::Pipe, "and the name of the element after the head of "
                              "'for'")) {
    if (at(TokenKind::Star)) {
      errorHere("an element is a copy: to write it, name its index as in "
                "'|_, i|' and use 'array[i]'");
      take();
    }
    element = parseCapture("an element");
    if (takeIf(TokenKind::Comma)) {
      index = parseCapture("an index");
      if (index->name().text == element->name().text &&
          !index->name().isDiscard() && !index->name().empty())
        errorAt(index->span(), "element and index of a loop are both named '" +
                                   index->name().text + "'");
    }
    expect(TokenKind::Pipe, "after the names of a 'for' loop");
  } else {
    element = make<CaptureDecl>(begin(), Ident());
  }
  LabelScope scope(*this, label, /*isLoop=*/true);
  const Expr *body = parseBody("'for'");
  return make<ForExpr>(start, label, mode, iterable, element, index, body);
}

const Expr *Parser::parseWhile(Ident label, LoopMode mode, Loc start) {
  take();
  const Expr *condition = parseCondition("'while'");
  const Expr *step = nullptr;
  if (takeIf(TokenKind::Colon)) {
    if (at(TokenKind::LParen)) {
      Token open = take();
      step = parseSimple();
      expectClosing(TokenKind::RParen, open, "the step of 'while'");
    } else {
      errorExpected("'(' and the step of 'while' after ':'");
      llvm::SaveAndRestore<Literals> saved(literals, Literals::None);
      step = parseSimple();
    }
  }
  LabelScope scope(*this, label, /*isLoop=*/true);
  const Expr *body = parseBody("'while'");
  return make<WhileExpr>(start, label, mode, condition, step, body);
}

const Expr *Parser::parseIfStmt() {
  Nesting nesting(*this);
  Loc start = begin();
  if (!nesting)
    return errorExpr(start);
  take();
  const Expr *condition = parseCondition("'if'");
  const Expr *then = parseBody("'if'");
  if (at(TokenKind::Semi) && at(TokenKind::KwElse, 1)) {
    errorHere("';' before 'else', one ends the whole 'if'");
    take();
  }
  const Expr *otherwise = nullptr;
  if (takeIf(TokenKind::KwElse)) {
    // `else if {` lacks its condition; read what follows as the else.
    if (at(TokenKind::KwIf) && at(TokenKind::LBrace, 1)) {
      take();
      errorExpected("'(' and a condition after 'else if'");
    }
    otherwise = parseBody("'else'");
  }
  return make<IfExpr>(start, condition, then, otherwise);
}

const Expr *Parser::parseBody(const Twine &what) {
  Nesting nesting(*this);
  Loc start = begin();
  if (!nesting)
    return errorExpr(start);
  switch (token().kind) {
  case TokenKind::KwConst:
  case TokenKind::KwVar:
  case TokenKind::KwParam:
    errorHere("declaration as the whole body of " + what +
              ", put it in a block");
    return errorExpr(start);
  case TokenKind::Semi:
  case TokenKind::RBrace:
    errorExpected("the body of " + what);
    return errorExpr(start);
  default: {
    bool needsSemi;
    return parseStmtExpr(needsSemi);
  }
  }
}

/// Whether something can stand left of `=`.
static bool isPlace(const Expr *e) {
  e = e->ignoreParens();
  switch (e->kind()) {
  case NodeKind::NameExpr:
  case NodeKind::MemberExpr:
  case NodeKind::IndexExpr:
  case NodeKind::DerefExpr:
  case NodeKind::ErrorExpr:
    return true;
  case NodeKind::BuiltinCall:
    return llvm::cast<BuiltinCall>(e)->name().text == "field";
  default:
    return false;
  }
}

static std::optional<std::optional<BinaryOp>> assignmentOf(TokenKind kind) {
  switch (kind) {
  case TokenKind::Equal:
    return std::optional<BinaryOp>();
  case TokenKind::PlusEqual:
    return BinaryOp::Add;
  case TokenKind::MinusEqual:
    return BinaryOp::Sub;
  case TokenKind::StarEqual:
    return BinaryOp::Mul;
  case TokenKind::SlashEqual:
    return BinaryOp::Div;
  case TokenKind::PercentEqual:
    return BinaryOp::Rem;
  case TokenKind::LessLessEqual:
    return BinaryOp::Shl;
  case TokenKind::GreaterGreaterEqual:
    return BinaryOp::Shr;
  case TokenKind::AmpEqual:
    return BinaryOp::BitAnd;
  case TokenKind::PipeEqual:
    return BinaryOp::BitOr;
  case TokenKind::CaretEqual:
    return BinaryOp::BitXor;
  default:
    return std::nullopt;
  }
}

const Expr *Parser::parseSimple() {
  Loc start = begin();
  const Expr *target = parseExpr();
  auto op = assignmentOf(token().kind);
  if (!op)
    return target;
  if (!isPlace(target))
    errorAt(target->span(),
            "cannot assign to '" +
                excerpt(SourceManager::textOf(target->span())) +
                "', allowed are a variable, a member, an element, '.*' and "
                "'@field'");
  Token sign = take();
  const Expr *value = parseExpr();
  return make<AssignExpr>(start, *op, sign.span(), target, value);
}

const Expr *Parser::parseSwitch() {
  Nesting nesting(*this);
  Loc start = begin();
  if (!nesting)
    return errorExpr(start);
  take();
  const Expr *input = parseCondition("'switch'");
  if (!at(TokenKind::LBrace)) {
    errorExpected("'{' and the cases of 'switch'");
    return errorExpr(start);
  }
  llvm::SaveAndRestore<Literals> saved(literals, Literals::All);
  Token open = take();
  llvm::SmallVector<SwitchProng, 8> prongs;
  Span firstElse;
  parseList(TokenKind::RBrace, open, "'switch'", [&] {
    SwitchProng prong = parseProng();
    if (!prong.body)
      return;
    if (prong.isElse()) {
      if (firstElse.isValid()) {
        Diagnostic &error =
            errorAt(prong.elseSpan, "'switch' has a second 'else'");
        noteAt(&error, firstElse, "the first one is here");
      } else {
        firstElse = prong.elseSpan;
      }
    }
    prongs.push_back(prong);
  });
  return make<SwitchExpr>(start, input,
                          list(llvm::ArrayRef<SwitchProng>(prongs)));
}

SwitchProng Parser::parseProng() {
  SwitchProng prong;
  Loc start = begin();
  if (at(TokenKind::KwElse)) {
    prong.elseSpan = take().span();
  } else {
    ExprList values;
    do {
      if (at(TokenKind::FatArrow) && !values.empty())
        break;
      values.push_back(parseExpr());
    } while (takeIf(TokenKind::Comma));
    prong.values = list(llvm::ArrayRef<const Expr *>(values));
  }
  if (!expect(TokenKind::FatArrow,
              prong.isElse() ? "after 'else'" : "after the values of a case"))
    return prong;
  prong.body = parseBody("a case of 'switch'");
  prong.span = since(start);
  return prong;
}
