//===- Lexer.cpp - CSL text to tokens -------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslSource/Lexer.h"

#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Tokens in messages
//===----------------------------------------------------------------------===//

std::string csl_source::describe(TokenKind kind) {
  switch (kind) {
#define CSL_TOKEN(NAME, TEXT)                                                  \
  case TokenKind::NAME:                                                        \
    return TEXT;
#define CSL_PUNCTUATION(NAME, TEXT)                                            \
  case TokenKind::NAME:                                                        \
    return "'" TEXT "'";
#define CSL_KEYWORD(NAME, TEXT) CSL_PUNCTUATION(NAME, TEXT)
#include "sequin/CslSource/Tokens.def"
  }
  llvm_unreachable("unknown token");
}

std::string csl_source::describe(const Token &token) {
  switch (token.kind) {
  case TokenKind::Name:
    return "name '" + excerpt(token.text) + "'";
  case TokenKind::Builtin:
    return "builtin '" + excerpt(token.text) + "'";
  case TokenKind::Int:
  case TokenKind::Float:
    return "number '" + excerpt(token.text) + "'";
  case TokenKind::Char:
    return "character " + excerpt(token.text);
  case TokenKind::String:
    return "string " + excerpt(token.text);
  default:
    if (isKeyword(token.kind))
      return "keyword " + describe(token.kind);
    return describe(token.kind);
  }
}

static TokenKind keywordKind(StringRef text) {
  return llvm::StringSwitch<TokenKind>(text)
#define CSL_KEYWORD(NAME, TEXT) .Case(TEXT, TokenKind::NAME)
#include "sequin/CslSource/Tokens.def"
      .Default(TokenKind::Name);
}

//===----------------------------------------------------------------------===//
// Lexer
//===----------------------------------------------------------------------===//

static bool startsName(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool continuesName(char c) { return llvm::isAlnum(c) || c == '_'; }

Lexer::Lexer(StringRef text, Diagnostics &diagnostics)
    : diagnostics(diagnostics), place(text.begin()), limit(text.end()) {
  // A byte order mark.
  if (text.starts_with("\xef\xbb\xbf"))
    place += 3;
}

void Lexer::error(const char *from, const llvm::Twine &message) {
  tokenError = true;
  diagnostics.error(Span(Loc::getFromPointer(from), Loc::getFromPointer(place)),
                    message);
}

void Lexer::readComment() {
  const char *start = place;
  while (!atEnd() && *place != '\n')
    ++place;
  const char *end = place;
  if (end != start && end[-1] == '\r')
    --end;
  StringRef text(start, size_t(end - start));
  CommentKind kind = CommentKind::Plain;
  if (text.starts_with("//!"))
    kind = CommentKind::InnerDoc;
  else if (text.starts_with("///") && !text.starts_with("////"))
    kind = CommentKind::Doc;
  commentList.push_back({text, kind, lineStart, tokens});
}

void Lexer::skipBlanks() {
  while (!atEnd()) {
    switch (*place) {
    case '\n':
      lineStart = true;
      ++place;
      break;
    case ' ':
    case '\t':
    case '\r':
      ++place;
      break;
    case '/':
      if (peek(1) != '/')
        return;
      readComment();
      break;
    default:
      return;
    }
  }
}

Token Lexer::next() {
  skipBlanks();
  Token token;
  token.startsLine = lineStart;
  tokenError = false;
  const char *start = place;
  token.kind = atEnd() ? TokenKind::End : readToken();
  token.text = StringRef(start, size_t(place - start));
  token.hasError = tokenError;
  lineStart = false;
  ++tokens;
  return token;
}

TokenKind Lexer::readToken() {
  char c = *place;
  if (startsName(c)) {
    const char *start = place;
    while (!atEnd() && continuesName(*place))
      ++place;
    return keywordKind(StringRef(start, size_t(place - start)));
  }
  if (llvm::isDigit(c))
    return readNumber();
  if (c == '"')
    return readString();
  if (c == '\'')
    return readChar();
  if (c == '@' && startsName(peek(1))) {
    ++place;
    while (!atEnd() && continuesName(*place))
      ++place;
    return TokenKind::Builtin;
  }
  return readPunctuation();
}

TokenKind Lexer::readNumber() {
  const char *start = place;
  unsigned base = 10;
  if (*place == '0')
    base = llvm::StringSwitch<unsigned>(StringRef(place + 1, peek(1) ? 1 : 0))
               .Case("x", 16)
               .Case("o", 8)
               .Case("b", 2)
               .Default(10);
  if (base != 10)
    place += 2;
  bool isFloat = false;
  const char *badDigit = nullptr;
  const char *badSeparator = nullptr;
  // Digits with separators, each of which stands between two digits.
  auto readDigits = [&](unsigned radix) {
    unsigned count = 0;
    bool separator = false;
    for (; !atEnd(); ++place) {
      unsigned digit = llvm::hexDigitValue(*place);
      if (*place == '_') {
        if (count == 0 || separator)
          badSeparator = badSeparator ? badSeparator : place;
        separator = true;
        continue;
      }
      if (digit >= 16 || (radix <= 10 && digit >= 10))
        break;
      if (digit >= radix && !badDigit)
        badDigit = place;
      separator = false;
      ++count;
    }
    if (separator)
      badSeparator = badSeparator ? badSeparator : place - 1;
    return count;
  };
  auto finish = [&]() { return isFloat ? TokenKind::Float : TokenKind::Int; };
  auto fail = [&](const char *from, const llvm::Twine &message) {
    while (!atEnd() && continuesName(*place))
      ++place;
    error(from, message);
    return finish();
  };
  if (readDigits(base) == 0)
    return fail(start, "number '" + StringRef(start, 2) + "' has no digits");
  if ((base == 10 || base == 16) && peek() == '.' &&
      llvm::hexDigitValue(peek(1)) < base) {
    isFloat = true;
    ++place;
    readDigits(base);
  } else if (peek() == '.' && peek(1) != '*' && peek(1) != '{' &&
             !startsName(peek(1))) {
    isFloat = true;
    ++place;
    if (peek() == '.') {
      while (peek() == '.')
        ++place;
      return fail(start, "CSL has no '" +
                             StringRef(start, size_t(place - start)) +
                             "': a loop goes over @range(i16, first, end, 1), "
                             "a case lists its values, a part of an array is a "
                             "DSD");
    }
    return fail(start, "number '" + StringRef(start, size_t(place - start)) +
                           "' ends with its point, a digit is needed on both "
                           "sides");
  }
  char exponent = llvm::toLower(peek());
  if ((base == 10 && exponent == 'e') || (base == 16 && exponent == 'p')) {
    isFloat = true;
    ++place;
    if (peek() == '+' || peek() == '-')
      ++place;
    if (!llvm::isDigit(peek()))
      return fail(start, "number '" + StringRef(start, size_t(place - start)) +
                             "' has no digits in its exponent");
    readDigits(10);
  }
  if (!atEnd() && continuesName(*place)) {
    const char *suffix = place;
    while (!atEnd() && continuesName(*place))
      ++place;
    StringRef whole(start, size_t(place - start));
    if (base == 10 && !isFloat)
      return fail(start, "'" + excerpt(whole) +
                             "' is neither a number nor a name: a name starts "
                             "with a letter or '_'");
    return fail(start, "number '" + excerpt(whole) + "' is followed by '" +
                           excerpt(StringRef(suffix, size_t(place - suffix))) +
                           "', which is no digit of base " + llvm::Twine(base));
  }
  StringRef whole(start, size_t(place - start));
  if (badDigit)
    return fail(start, "number '" + excerpt(whole) + "' has digit '" +
                           StringRef(badDigit, 1) + "', allowed in base " +
                           llvm::Twine(base) + " are 0 to " +
                           llvm::Twine(base - 1));
  if (badSeparator)
    return fail(start, "number '" + excerpt(whole) +
                           "' has a '_' that is not between two digits");
  if (whole.size() > kMaxNumberLength)
    return fail(start, "number has " + llvm::Twine(whole.size()) +
                           " characters, at most " +
                           llvm::Twine(kMaxNumberLength) + " are read");
  return finish();
}

void Lexer::readEscape() {
  const char *start = place++;
  char c = peek();
  unsigned digits = 0;
  switch (c) {
  case 'n':
  case 'r':
  case 't':
  case '\\':
  case '\'':
  case '"':
    ++place;
    return;
  case 'x':
    digits = 2;
    break;
  case 'u':
    digits = 4;
    break;
  case 'U':
    digits = 6;
    break;
  default:
    if (!atEnd() && c != '\n')
      ++place;
    error(start, "unknown escape '" +
                     excerpt(StringRef(start, size_t(place - start))) +
                     "', allowed are \\n, \\r, \\t, \\\\, \\', \\\", \\x and "
                     "two, \\u and four, \\U and six hexadecimal digits");
    return;
  }
  ++place;
  uint32_t value = 0;
  for (unsigned i = 0; i != digits; ++i, ++place) {
    unsigned digit = llvm::hexDigitValue(peek());
    if (atEnd() || digit >= 16)
      return error(start, "escape '" + StringRef(start, size_t(place - start)) +
                              "' has " + llvm::Twine(i) +
                              " hexadecimal digits, needed are " +
                              llvm::Twine(digits));
    value = value * 16 + digit;
  }
  if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
    error(start, "escape '" + StringRef(start, size_t(place - start)) +
                     "' is no Unicode character");
}

TokenKind Lexer::readString() {
  const char *start = place++;
  while (!atEnd() && *place != '\n' && *place != '"') {
    if (*place == '\\')
      readEscape();
    else
      ++place;
  }
  if (peek() != '"' || atEnd()) {
    if (place != start && place[-1] == '\r')
      --place;
    error(start, "string has no closing '\"' on its line");
    return TokenKind::String;
  }
  ++place;
  return TokenKind::String;
}

/// Length of the UTF-8 sequence that starts here, 1 if it is none.
static unsigned sequenceLength(const char *place, const char *limit) {
  const auto *bytes = reinterpret_cast<const llvm::UTF8 *>(place);
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(limit);
  return llvm::isLegalUTF8Sequence(bytes, end)
             ? llvm::getNumBytesForUTF8(*bytes)
             : 1;
}

TokenKind Lexer::readChar() {
  const char *start = place++;
  unsigned count = 0;
  bool valid = true;
  while (!atEnd() && *place != '\n' && *place != '\'') {
    ++count;
    if (*place == '\\') {
      readEscape();
    } else {
      unsigned length = sequenceLength(place, limit);
      valid &= length > 1 || llvm::isASCII(*place);
      place += length;
    }
  }
  if (atEnd() || *place != '\'') {
    if (place[-1] == '\r')
      --place;
    error(start, "character has no closing ' on its line");
    return TokenKind::Char;
  }
  ++place;
  if (count != 1)
    error(start, "character literal holds " + llvm::Twine(count) +
                     " characters, needed is 1" +
                     (count > 1 ? "; strings have double quotes" : ""));
  else if (!valid)
    error(start, "character literal is no valid UTF-8");
  return TokenKind::Char;
}

TokenKind Lexer::readPunctuation() {
  static constexpr std::pair<StringRef, TokenKind> kPunctuation[] = {
#define CSL_PUNCTUATION(NAME, TEXT) {TEXT, TokenKind::NAME},
#include "sequin/CslSource/Tokens.def"
  };
  StringRef rest(place, size_t(limit - place));
  const std::pair<StringRef, TokenKind> *longest = nullptr;
  for (const auto &entry : kPunctuation)
    if (rest.starts_with(entry.first) &&
        (!longest || entry.first.size() > longest->first.size()))
      longest = &entry;
  if (!longest)
    return readStray();
  if (rest.starts_with("/*")) {
    const char *start = place;
    size_t end = rest.find("*/");
    place = end == StringRef::npos ? limit : place + end + 2;
    // Underline the opening alone: the comment may be long.
    diagnostics.error(
        Span(Loc::getFromPointer(start), Loc::getFromPointer(start + 2)),
        "there are no block comments, comments start with '//'");
    tokenError = true;
    return TokenKind::Invalid;
  }
  place += longest->first.size();
  return longest->second;
}

TokenKind Lexer::readStray() {
  // A run of strange bytes is one mistake.
  const char *start = place;
  unsigned char c = static_cast<unsigned char>(*place);
  if (llvm::isASCII(*place)) {
    ++place;
    if (c == '@')
      error(start, "'@' is not followed by the name of a builtin");
    else if (llvm::isPrint(*start))
      error(start,
            "unexpected character '" + StringRef(start, 1) + "'" +
                (c == '?' ? "; a choice is 'if (condition) a else b'" : ""));
    else
      error(start, "unexpected byte 0x" + llvm::utohexstr(c, true, 2));
    return TokenKind::Invalid;
  }
  while (!atEnd() && !llvm::isASCII(*place))
    ++place;
  error(start, "unexpected character that is not ASCII, allowed only in "
               "strings and comments");
  return TokenKind::Invalid;
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

std::string csl_source::unescape(StringRef literal) {
  std::string bytes;
  StringRef rest = literal.drop_front();
  if (rest.ends_with(literal.take_front()))
    rest = rest.drop_back();
  while (!rest.empty()) {
    size_t next = rest.find('\\');
    bytes += rest.substr(0, next);
    rest = next == StringRef::npos ? StringRef() : rest.drop_front(next + 1);
    if (rest.empty())
      break;
    char c = rest.front();
    rest = rest.drop_front();
    unsigned digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 6 : 0;
    if (digits == 0) {
      bytes += c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
      continue;
    }
    uint32_t value = 0;
    if (rest.size() < digits || rest.take_front(digits).getAsInteger(16, value))
      continue;
    rest = rest.drop_front(digits);
    if (c == 'x') {
      bytes += static_cast<char>(value);
      continue;
    }
    char encoded[4];
    char *end = encoded;
    if (llvm::ConvertCodePointToUTF8(value, end))
      bytes.append(encoded, end);
  }
  return bytes;
}
