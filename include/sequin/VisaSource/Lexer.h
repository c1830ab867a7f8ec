//===- Lexer.h - Kernel source to tokens ------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tokens of Rust (reference, "Tokens"), found by longest match and read one
// at a time, so that lexical and syntactic errors come in the order of the
// file. A character that begins no token, a literal that does not end and a
// wrong escape are errors; each gives one token that `hasError`, so that no
// second error follows from it. C string literals are not read.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_LEXER_H
#define SEQUIN_VISASOURCE_LEXER_H

#include "sequin/VisaSource/Source.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace sequin::visa_source {

enum class TokenKind : uint8_t {
#define VISA_TOKEN(NAME, TEXT) NAME,
#define VISA_PUNCTUATION(NAME, TEXT) NAME,
#define VISA_KEYWORD(NAME, TEXT) NAME,
#include "sequin/VisaSource/Tokens.def"
};

/// As a message says what is expected: `';'`, `'const'`, `a name`.
std::string describe(TokenKind kind);
/// The bracket that closes one that opens; End for everything else.
TokenKind getClosing(TokenKind opening);
inline bool isKeyword(TokenKind kind) { return kind >= TokenKind::KwAs; }

struct Token {
  TokenKind kind = TokenKind::End;
  /// First on its line.
  bool startsLine = false;
  /// A mistake in it was reported.
  bool hasError = false;
  /// As written; of a raw identifier `r#x` with its prefix.
  llvm::StringRef text;

  bool is(TokenKind k) const { return kind == k; }
  Loc begin() const { return Loc::getFromPointer(text.data()); }
  Loc end() const { return Loc::getFromPointer(text.data() + text.size()); }
  Span span() const { return Span(begin(), end()); }
};

/// As a message says what was found: `';'`, `name 'x'`, `the end of the file`.
std::string describe(const Token &token);

class Lexer {
public:
  Lexer(llvm::StringRef text, Diagnostics &diagnostics);

  /// The next token; End again and again behind the last one.
  Token next();
  /// Comments so far, with their slashes, in order.
  const std::vector<llvm::StringRef> &comments() const { return commentList; }

private:
  void skipBlanks();
  void skipBlockComment();
  TokenKind readToken();
  TokenKind readNumber();
  /// A string whose opening quote is the current character.
  void readString();
  /// A raw string whose first `#` or quote is the current character.
  void readRawString();
  TokenKind readQuote();
  void readEscape(bool isByte);
  TokenKind readPunctuation();
  void error(const char *from, const llvm::Twine &message);

  bool atEnd() const { return place == limit; }
  char peek(size_t ahead = 0) const {
    return size_t(limit - place) > ahead ? place[ahead] : '\0';
  }
  bool atNameStart(size_t ahead = 0) const;
  void skipNameRest();

  Diagnostics &diagnostics;
  const char *place;
  const char *limit;
  bool lineStart = true;
  bool tokenError = false;
  /// Behind a single dot: digits are the index of a tuple's field.
  bool behindDot = false;
  std::vector<llvm::StringRef> commentList;
};

/// The bytes of a string, byte string or character literal after escapes; a
/// wrong escape stands for itself.
std::string unescape(llvm::StringRef literal);

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_LEXER_H
