//===- Lexer.h - CSL text to tokens -----------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens are found by longest match and read one at a time, so that lexical
// and syntactic errors come in the order of the file. What is no token is
// reported here and becomes one Invalid token (a number or string with a
// mistake keeps its kind, so that no second error follows). Comments go to a
// list of their own.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLSOURCE_LEXER_H
#define SEQUIN_CSLSOURCE_LEXER_H

#include "sequin/CslSource/SourceManager.h"
#include <vector>

namespace sequin::csl_source {

enum class TokenKind : uint8_t {
#define CSL_TOKEN(NAME, TEXT) NAME,
#define CSL_PUNCTUATION(NAME, TEXT) NAME,
#define CSL_KEYWORD(NAME, TEXT) NAME,
#include "sequin/CslSource/Tokens.def"
};

/// As a message says what is expected: `';'`, `'const'`, `a name`.
std::string describe(TokenKind kind);
inline bool isKeyword(TokenKind kind) { return kind >= TokenKind::KwAlign; }

/// Longest number, in characters.
inline constexpr size_t kMaxNumberLength = 4096;

struct Token {
  TokenKind kind = TokenKind::End;
  /// First on its line.
  bool startsLine = false;
  /// The literal has a mistake that was reported.
  bool hasError = false;
  llvm::StringRef text;

  bool is(TokenKind k) const { return kind == k; }
  Loc begin() const { return Loc::getFromPointer(text.data()); }
  Loc end() const { return Loc::getFromPointer(text.data() + text.size()); }
  Span span() const { return Span(begin(), end()); }
};

/// As a message says what was found: `';'`, `name 'x'`, `the end of the file`.
std::string describe(const Token &token);

/// `///` with exactly three slashes documents what follows, `//!` what is
/// around.
enum class CommentKind : uint8_t { Plain, Doc, InnerDoc };

struct LexedComment {
  llvm::StringRef text;
  CommentKind kind = CommentKind::Plain;
  bool ownLine = false;
  /// How many tokens were read before it.
  size_t tokensBefore = 0;

  Span span() const {
    return Span(Loc::getFromPointer(text.data()),
                Loc::getFromPointer(text.data() + text.size()));
  }
};

class Lexer {
public:
  Lexer(llvm::StringRef text, Diagnostics &diagnostics);

  /// The next token; End again and again behind the last one.
  Token next();
  const std::vector<LexedComment> &comments() const { return commentList; }

private:
  void skipBlanks();
  void readComment();
  TokenKind readToken();
  TokenKind readNumber();
  TokenKind readString();
  TokenKind readChar();
  TokenKind readPunctuation();
  TokenKind readStray();
  /// Skips an escape and reports a wrong one.
  void readEscape();
  void error(const char *from, const llvm::Twine &message);

  bool atEnd() const { return place == limit; }
  char peek(size_t ahead = 0) const {
    return size_t(limit - place) > ahead ? place[ahead] : '\0';
  }

  Diagnostics &diagnostics;
  const char *place;
  const char *limit;
  bool lineStart = true;
  bool tokenError = false;
  size_t tokens = 0;
  std::vector<LexedComment> commentList;
};

/// The bytes of a string literal, given with its quotes, after escapes; a wrong
/// escape stands for itself.
std::string unescape(llvm::StringRef literal);

} // namespace sequin::csl_source

#endif // SEQUIN_CSLSOURCE_LEXER_H
