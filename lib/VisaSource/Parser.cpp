//===- Parser.cpp - Kernel source to syntax trees -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/VisaSource/Parser.h"

#include "ParserImpl.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;
using llvm::Twine;

const SourceFile *visa_source::parse(FileId file, const SourceManager &sources,
                                     Context &context,
                                     Diagnostics &diagnostics) {
  return Parser(file, sources, context, diagnostics).parseFile();
}

Parser::Parser(FileId file, const SourceManager &sources, Context &context,
               Diagnostics &diagnostics)
    : file(file), sources(sources), context(context), diagnostics(diagnostics),
      lexer(sources.text(file), diagnostics) {
  previousEnd = Loc::getFromPointer(sources.text(file).data());
}

const SourceFile *Parser::parseFile() {
  SourceFile *result = context.createFile();
  result->file = file;
  result->attributes = parseAttributes(/*inner=*/true);
  Nodes<Item> items;
  parseItems(items);
  while (!atEnd()) {
    // A brace too many; what follows is read all the same.
    errorExpected("an item");
    take();
    recovering = false;
    parseItems(items);
  }
  result->items = list(items);
  result->comments = context.copy(llvm::ArrayRef<StringRef>(lexer.comments()));
  result->hadErrors = hadErrors;
  return result;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

const Token &Parser::token(size_t ahead) {
  if (stopped)
    return tokens.back();
  while (tokens.size() <= position + ahead) {
    if (!tokens.empty() && tokens.back().is(TokenKind::End))
      return tokens.back();
    tokens.push_back(lexer.next());
    hadErrors |= tokens.back().hasError;
  }
  return tokens[position + ahead];
}

bool Parser::atSegment(size_t ahead) {
  switch (token(ahead).kind) {
  case TokenKind::Name:
  case TokenKind::KwSelf:
  case TokenKind::KwSelfType:
  case TokenKind::KwSuper:
  case TokenKind::KwCrate:
    return true;
  default:
    return false;
  }
}

Token Parser::take() {
  Token result = token();
  if (!result.is(TokenKind::End)) {
    ++position;
    previousEnd = result.end();
  }
  return result;
}

bool Parser::takeIf(TokenKind kind) {
  if (!at(kind))
    return false;
  take();
  return true;
}

/// What a token is without its first character; End if that is no token.
static TokenKind withoutFirst(TokenKind kind) {
  switch (kind) {
  case TokenKind::Shl:
    return TokenKind::Less;
  case TokenKind::ShlEqual:
    return TokenKind::LessEqual;
  case TokenKind::Shr:
    return TokenKind::Greater;
  case TokenKind::ShrEqual:
    return TokenKind::GreaterEqual;
  case TokenKind::GreaterEqual:
    return TokenKind::Equal;
  case TokenKind::AndAnd:
    return TokenKind::And;
  case TokenKind::OrOr:
    return TokenKind::Or;
  default:
    return TokenKind::End;
  }
}

bool Parser::atFirst(TokenKind kind) {
  const Token &t = token();
  return t.is(kind) || (withoutFirst(t.kind) != TokenKind::End &&
                        describe(kind)[1] == t.text.front());
}

bool Parser::takeFirst(TokenKind kind) {
  if (takeIf(kind))
    return true;
  if (!atFirst(kind))
    return false;
  Token &t = tokens[position];
  t.kind = withoutFirst(t.kind);
  t.text = t.text.drop_front();
  t.startsLine = false;
  previousEnd = t.begin();
  return true;
}

Span Parser::since(Loc start) const {
  // A node without a token of its own is empty.
  return Span(start, previousEnd.getPointer() < start.getPointer()
                         ? start
                         : previousEnd);
}

bool Parser::expect(TokenKind kind, const Twine &where) {
  if (takeIf(kind))
    return true;
  errorExpected(describe(kind) + " " + where);
  return false;
}

bool Parser::expectClosing(TokenKind kind, const Token &opening,
                           const Twine &what) {
  if (takeIf(kind))
    return true;
  if (Diagnostic *error =
          errorExpected(describe(kind) + " at the end of " + what))
    Diagnostics::note(*error, opening.span(),
                      "to match this '" + opening.text + "'");
  return false;
}

Ident Parser::identOf(const Token &t) {
  StringRef text = t.text;
  text.consume_front("r#");
  return {text, t.span()};
}

Ident Parser::parseName(const Twine &what) {
  if (at(TokenKind::Name))
    return identOf(take());
  errorExpected("the name of " + what);
  return {};
}

//===----------------------------------------------------------------------===//
// Errors and recovery
//===----------------------------------------------------------------------===//

Diagnostic *Parser::errorHere(const Twine &message) {
  hadErrors = true;
  bool quiet =
      stopped || recovering || position == errorPosition || token().hasError;
  recovering = true;
  errorPosition = position;
  if (quiet)
    return nullptr;
  Diagnostic &result = diagnostics.error(token().span(), message);
  if (diagnostics.numErrors() > Diagnostics::kMaxErrors)
    stop();
  return &result;
}

Diagnostic *Parser::errorExpected(const Twine &what) {
  return errorHere("expected " + what + ", found " + describe(token()));
}

void Parser::refuse(const Twine &what) {
  errorHere(what + " is not part of the language of kernels");
}

void Parser::errorAt(Span span, const Twine &message) {
  hadErrors = true;
  if (!stopped)
    diagnostics.error(span, message);
}

void Parser::stop() {
  if (stopped)
    return;
  stopped = true;
  hadErrors = true;
  Token end;
  end.text = StringRef(sources.text(file).end(), 0);
  tokens.push_back(end);
  position = tokens.size() - 1;
}

void Parser::tooHigh(Loc start) {
  if (stopped)
    return;
  errorAt(Span(start, start), "expression is more than " +
                                  Twine(kMaxTreeHeight) +
                                  " levels high, name a part of it");
  stop();
}

Parser::Nesting::Nesting(Parser &p) : parser(p), allowed(true) {
  if (++parser.depth <= kMaxNesting)
    return;
  allowed = false;
  parser.recovering = false;
  parser.errorHere("more than " + Twine(kMaxNesting) +
                   " levels of nesting, the rest of the file is not read");
  parser.stop();
}

bool Parser::atItemStart(size_t ahead) {
  switch (token(ahead).kind) {
  case TokenKind::KwFn:
    return at(TokenKind::Name, ahead + 1);
  case TokenKind::KwConst:
    return !at(TokenKind::LBrace, ahead + 1);
  case TokenKind::KwUnsafe:
    return !at(TokenKind::LBrace, ahead + 1);
  case TokenKind::KwAsync:
    return at(TokenKind::KwFn, ahead + 1) || at(TokenKind::KwUnsafe, ahead + 1);
  case TokenKind::KwMod:
  case TokenKind::KwUse:
  case TokenKind::KwExtern:
  case TokenKind::KwType:
  case TokenKind::KwStruct:
  case TokenKind::KwEnum:
  case TokenKind::KwImpl:
  case TokenKind::KwTrait:
  case TokenKind::KwStatic:
    return true;
  case TokenKind::KwPub:
    // Not a field.
    return atItemStart(at(TokenKind::LParen, ahead + 1) ? ahead + 4
                                                        : ahead + 1);
  case TokenKind::Name:
    return (token(ahead).text == "union" && at(TokenKind::Name, ahead + 1)) ||
           ((token(ahead).text == "macro_rules" ||
             token(ahead).text == "axes") &&
            at(TokenKind::Not, ahead + 1));
  default:
    return false;
  }
}

bool Parser::beginsStatement() {
  if (!token().startsLine)
    return false;
  if (at(TokenKind::KwImpl) || at(TokenKind::KwUnsafe))
    return false; // a type, or a block
  return at(TokenKind::KwLet) || atItemStart();
}

TokenKind visa_source::getClosing(TokenKind opening) {
  switch (opening) {
  case TokenKind::LParen:
    return TokenKind::RParen;
  case TokenKind::LSquare:
    return TokenKind::RSquare;
  case TokenKind::LBrace:
    return TokenKind::RBrace;
  default:
    return TokenKind::End;
  }
}

void Parser::skipBalanced() {
  // Without recursion: the input may nest deeper than the stack.
  llvm::SmallVector<TokenKind, 16> open;
  do {
    TokenKind kind = take().kind;
    if (TokenKind closing = getClosing(kind); closing != TokenKind::End)
      open.push_back(closing);
    else if (!open.empty() && kind == open.back())
      open.pop_back();
    else if (kind == TokenKind::RBrace)
      // A brace closes whatever was left open inside.
      while (!open.empty() && open.pop_back_val() != kind) {
      }
  } while (!open.empty() && !atEnd());
}

void Parser::skipStatement() {
  recovering = false;
  size_t start = position;
  while (!atEnd()) {
    if (takeIf(TokenKind::Semi) || at(TokenKind::RBrace))
      return;
    if (position != start && beginsStatement())
      return;
    bool brace = at(TokenKind::LBrace);
    skipBalanced();
    // A body ends the statement unless something goes on with it.
    if (brace && token().startsLine && !at(TokenKind::Semi) &&
        !at(TokenKind::KwElse) && !at(TokenKind::Dot))
      return;
  }
}

void Parser::skipItem() {
  recovering = false;
  size_t start = position;
  while (!atEnd()) {
    if (takeIf(TokenKind::Semi) || at(TokenKind::RBrace))
      return;
    if (position != start && token().startsLine &&
        (atItemStart() || at(TokenKind::Hash)))
      return;
    bool brace = at(TokenKind::LBrace);
    skipBalanced();
    if (brace)
      return;
  }
}

void Parser::skipElement(TokenKind closing) {
  recovering = false;
  while (!atEnd() && !at(TokenKind::Comma) && !at(closing) &&
         !at(TokenKind::Semi) && !at(TokenKind::RBrace) &&
         !at(TokenKind::RParen) && !at(TokenKind::RSquare) &&
         !beginsStatement())
    skipBalanced();
}
