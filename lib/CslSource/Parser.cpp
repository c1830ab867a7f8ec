//===- Parser.cpp - CSL text to syntax trees ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslSource/Parser.h"

#include "ParserImpl.h"
#include "sequin/CslSource/Names.h"
#include "sequin/Support/Excerpt.h"
#include "sequin/Support/FormerRelease.h"

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;
using llvm::Twine;

const SourceFile *csl_source::parse(FileId file, const SourceManager &sources,
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
  token();
  result->docs = takeDocs(CommentKind::InnerDoc);
  llvm::SmallVector<const Decl *, 32> decls;
  while (!atEnd()) {
    size_t before = position;
    if (const Decl *decl = parseTopLevel())
      decls.push_back(decl);
    if (position == before)
      take();
  }
  result->decls = list(llvm::ArrayRef<const Decl *>(decls));
  warnAboutDocs();
  llvm::SmallVector<Comment, 32> comments;
  for (const LexedComment &comment : lexer.comments())
    comments.push_back({comment.span(), comment.text, comment.ownLine});
  result->comments = list(llvm::ArrayRef<Comment>(comments));
  result->hadErrors = hadErrors;
  return result;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

const Token &Parser::token(size_t ahead) {
  if (stopped) {
    static const Token kEnd;
    return tokens.empty() ? kEnd : tokens.back();
  }
  while (tokens.size() <= position + ahead) {
    if (!tokens.empty() && tokens.back().is(TokenKind::End))
      return tokens.back();
    tokens.push_back(lexer.next());
    hadErrors |= tokens.back().hasError;
  }
  return tokens[position + ahead];
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

Span Parser::since(Loc start) const {
  // A node without a token of its own is empty.
  return Span(start,
              lastEnd().getPointer() < start.getPointer() ? start : lastEnd());
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
  Diagnostic *error = errorExpected(describe(kind) + " at the end of " + what);
  noteAt(error, opening.span(), "to match this '" + opening.text + "'");
  if (at(TokenKind::Equal))
    noteAt(error, token().span(), "'=' assigns, '==' compares");
  // Close here if the bracket comes before the statement ends or a body begins.
  while (!atEnd() && !at(kind) && !at(TokenKind::Semi) &&
         !at(TokenKind::LBrace) && !at(TokenKind::RBrace) &&
         !at(TokenKind::RParen) && !at(TokenKind::RSquare) &&
         !beginsStatement())
    skipBalanced();
  return takeIf(kind);
}

void Parser::expectSemi(const Twine &what) {
  if (takeIf(TokenKind::Semi))
    return;
  if (token().startsLine || atEnd()) {
    // The mistake is at the end of the line before.
    if (position != errorPosition) {
      errorAt(Span(lastEnd(), lastEnd()),
              "expected ';' after " + what + ", found " + describe(token()));
      errorPosition = position;
    }
    if (beginsStatement() || at(TokenKind::RBrace))
      return;
  } else {
    errorExpected("';' after " + what);
  }
  skipStatement();
}

Ident Parser::parseName(const Twine &what) {
  if (at(TokenKind::Name)) {
    Ident name = identOf(take());
    // A type called range is only ever the result of @range; programs name
    // variables so. The registers called sr are younger than many programs.
    if (name.text == "sr")
      diagnostics.warning(name.span, describeFormer(what + " 'sr'", "1.4",
                                                    "2.10", "it is a type"));
    else if ((isTypeName(name.text) && name.text != "range") ||
             isDirectionName(name.text))
      errorAt(name.span, what + " '" + name.text +
                             "' shadows the predeclared " +
                             (isTypeName(name.text) ? "type" : "direction") +
                             " of that name");
    return name;
  }
  if (isKeyword(token().kind)) {
    errorExpected("the name of " + what);
    // A keyword in the place of a name is taken for one, unless it begins the
    // next line's statement.
    if (!token().startsLine)
      return identOf(take());
    return {};
  }
  errorExpected("the name of " + what);
  if (token().hasError && !token().startsLine)
    return identOf(take());
  return {};
}

//===----------------------------------------------------------------------===//
// Errors and recovery
//===----------------------------------------------------------------------===//

Diagnostic *Parser::errorHere(const Twine &message) {
  hadErrors = true;
  if (stopped || position == errorPosition || token().hasError)
    return nullptr;
  errorPosition = position;
  Diagnostic &result = diagnostics.error(token().span(), message);
  if (diagnostics.numErrors() > Diagnostics::kMaxErrors)
    stop();
  return &result;
}

Diagnostic *Parser::errorExpected(const Twine &what) {
  return errorHere("expected " + what + ", found " + describe(token()));
}

Diagnostic &Parser::errorAt(Span span, const Twine &message) {
  hadErrors = true;
  if (stopped)
    return unsaid = Diagnostic();
  return diagnostics.error(span, message);
}

void Parser::noteAt(Diagnostic *to, Span span, const Twine &message) {
  if (to)
    Diagnostics::note(*to, span, message);
}

void Parser::stop() {
  if (stopped)
    return;
  stopped = true;
  hadErrors = true;
  Token end;
  const StringRef text = sources.text(file);
  end.text = StringRef(text.end(), 0);
  tokens.push_back(end);
  position = tokens.size() - 1;
}

void Parser::tooHigh(Loc start) {
  if (stopped)
    return;
  errorAt(Span(start, start), "expression or statement is more than " +
                                  Twine(kMaxTreeHeight) +
                                  " levels high, name a part of it");
  stop();
}

Parser::Nesting::Nesting(Parser &p) : parser(p), allowed(true) {
  if (++parser.depth <= kMaxNesting)
    return;
  allowed = false;
  parser.errorHere("more than " + Twine(kMaxNesting) +
                   " levels of nesting, the rest of the file is not read");
  parser.stop();
}

bool Parser::beginsStatement() {
  if (!token().startsLine)
    return false;
  switch (token().kind) {
  case TokenKind::KwFn:
  case TokenKind::KwTask:
    // Not a type.
    return at(TokenKind::Name, 1);
  case TokenKind::KwExtern:
    return !at(TokenKind::KwStruct, 1) && !at(TokenKind::KwUnion, 1);
  case TokenKind::KwConst:
  case TokenKind::KwVar:
  case TokenKind::KwParam:
  case TokenKind::KwLayout:
  case TokenKind::KwExport:
  case TokenKind::KwInline:
  case TokenKind::KwNoInline:
  case TokenKind::KwFor:
  case TokenKind::KwWhile:
  case TokenKind::KwReturn:
  case TokenKind::KwBreak:
  case TokenKind::KwContinue:
    return true;
  default:
    return false;
  }
}

static TokenKind closingOf(TokenKind opening) {
  switch (opening) {
  case TokenKind::LParen:
    return TokenKind::RParen;
  case TokenKind::LSquare:
    return TokenKind::RSquare;
  case TokenKind::LBrace:
  case TokenKind::DotLBrace:
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
    if (TokenKind closing = closingOf(kind); closing != TokenKind::End)
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
  size_t start = position;
  while (!atEnd()) {
    if (takeIf(TokenKind::Semi) || at(TokenKind::RBrace))
      return;
    if (position != start && beginsStatement())
      return;
    bool brace = at(TokenKind::LBrace);
    skipBalanced();
    // A body ends the statement unless something goes on with it.
    if (brace && !at(TokenKind::Semi) && !at(TokenKind::KwElse) &&
        token().startsLine)
      return;
  }
}

void Parser::skipElement(TokenKind closing) {
  while (!atEnd() && !at(TokenKind::Comma) && !at(closing) &&
         !at(TokenKind::Semi) && !at(TokenKind::RBrace) &&
         !at(TokenKind::RParen) && !at(TokenKind::RSquare) &&
         !beginsStatement())
    skipBalanced();
}

//===----------------------------------------------------------------------===//
// Doc comments
//===----------------------------------------------------------------------===//

DocLines Parser::takeDocs(CommentKind kind) {
  token();
  const auto &comments = lexer.comments();
  docUsed.resize(comments.size());
  llvm::SmallVector<StringRef, 4> lines;
  // Reading ahead may have read later comments too.
  while (docsSeen != comments.size() &&
         comments[docsSeen].tokensBefore < position)
    ++docsSeen;
  for (size_t i = docsSeen;
       i != comments.size() && comments[i].tokensBefore == position; ++i)
    if (comments[i].kind == kind) {
      docUsed[i] = true;
      lines.push_back(comments[i].text.drop_front(3));
    }
  return list(llvm::ArrayRef<StringRef>(lines));
}

void Parser::warnAboutDocs() {
  const auto &comments = lexer.comments();
  docUsed.resize(comments.size());
  if (hadErrors)
    return;
  for (size_t i = 0; i != comments.size(); ++i) {
    bool again = i != 0 && comments[i - 1].kind == comments[i].kind &&
                 comments[i - 1].tokensBefore == comments[i].tokensBefore;
    if (comments[i].kind == CommentKind::Plain || docUsed[i] || again)
      continue;
    diagnostics.warning(
        comments[i].span(),
        comments[i].kind == CommentKind::Doc
            ? "doc comment '///' documents nothing here, it stands before a "
              "top-level declaration or a member of a type"
            : "doc comment '//!' documents nothing here, it stands at the top "
              "of a file or after the '{' of a type");
  }
}

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

const Parser::Label *Parser::findLabel(StringRef name) {
  for (const Label &label : jumps.labels)
    if (label.name.text == name)
      return &label;
  return nullptr;
}

Parser::LabelScope::LabelScope(Parser &p, const Ident &label, bool isLoop)
    : parser(p), pushed(!label.empty()), isLoop(isLoop) {
  parser.jumps.loops += isLoop;
  if (!pushed)
    return;
  if (const Label *other = parser.findLabel(label.text)) {
    Diagnostic &error =
        parser.errorAt(label.span, "label '" + label.text +
                                       "' is defined again inside of "
                                       "what it names");
    parser.noteAt(&error, other->name.span, "defined here first");
  }
  parser.jumps.labels.push_back({label, isLoop});
}

Parser::LabelScope::~LabelScope() {
  parser.jumps.loops -= isLoop;
  if (pushed)
    parser.jumps.labels.pop_back();
}
