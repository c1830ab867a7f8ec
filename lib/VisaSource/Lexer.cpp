//===- Lexer.cpp - Kernel source to tokens --------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/VisaSource/Lexer.h"

#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;
using llvm::Twine;

std::string visa_source::describe(TokenKind kind) {
  switch (kind) {
#define VISA_TOKEN(NAME, TEXT)                                                 \
  case TokenKind::NAME:                                                        \
    return TEXT;
#define VISA_PUNCTUATION(NAME, TEXT)                                           \
  case TokenKind::NAME:                                                        \
    return "'" TEXT "'";
#define VISA_KEYWORD(NAME, TEXT) VISA_PUNCTUATION(NAME, TEXT)
#include "sequin/VisaSource/Tokens.def"
  }
  llvm_unreachable("unknown token");
}

std::string visa_source::describe(const Token &token) {
  switch (token.kind) {
  case TokenKind::End:
  case TokenKind::Invalid:
  case TokenKind::Underscore:
    return describe(token.kind);
  case TokenKind::Name:
    return "name '" + excerpt(token.text) + "'";
  case TokenKind::Lifetime:
    return "lifetime " + excerpt(token.text);
  case TokenKind::Integer:
  case TokenKind::Float:
    return "number " + excerpt(token.text);
  case TokenKind::String:
  case TokenKind::ByteString:
    return "a string";
  case TokenKind::Char:
  case TokenKind::Byte:
    return excerpt(token.text);
  default:
    return "'" + token.text.str() + "'";
  }
}

Lexer::Lexer(StringRef text, Diagnostics &diagnostics)
    : diagnostics(diagnostics), place(text.begin()), limit(text.end()) {
  // A byte order mark, and a line for the shell.
  if (text.starts_with("\xEF\xBB\xBF"))
    place += 3;
  if (peek() == '#' && peek(1) == '!' && peek(2) == '/')
    while (!atEnd() && *place != '\n')
      ++place;
}

void Lexer::error(const char *from, const Twine &message) {
  if (!tokenError)
    diagnostics.error(
        Span(Loc::getFromPointer(from), Loc::getFromPointer(place)), message);
  tokenError = true;
}

static bool startsName(char c) {
  return llvm::isAlpha(c) || c == '_' || (unsigned char)c >= 0x80;
}

bool Lexer::atNameStart(size_t ahead) const { return startsName(peek(ahead)); }

void Lexer::skipNameRest() {
  while (!atEnd() && (startsName(*place) || llvm::isDigit(*place)))
    ++place;
}

void Lexer::skipBlanks() {
  while (!atEnd()) {
    char c = *place;
    if (c == '\n') {
      lineStart = true;
      ++place;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++place;
    } else if (c == '/' && peek(1) == '/') {
      const char *start = place;
      while (!atEnd() && *place != '\n')
        ++place;
      commentList.emplace_back(start, size_t(place - start));
    } else if (c == '/' && peek(1) == '*') {
      skipBlockComment();
    } else {
      return;
    }
  }
}

void Lexer::skipBlockComment() {
  const char *start = place;
  place += 2;
  for (unsigned depth = 1; depth != 0;) {
    if (atEnd()) {
      const char *end = place;
      place = start + 2;
      error(start, "comment has no end");
      place = end;
      return;
    }
    if (*place == '/' && peek(1) == '*') {
      ++depth;
      place += 2;
    } else if (*place == '*' && peek(1) == '/') {
      --depth;
      place += 2;
    } else {
      lineStart |= *place == '\n';
      ++place;
    }
  }
  commentList.emplace_back(start, size_t(place - start));
}

Token Lexer::next() {
  // A comment without an end is an error of the end of the file.
  tokenError = false;
  skipBlanks();
  Token token;
  const char *start = place;
  token.startsLine = lineStart;
  token.kind = atEnd() ? TokenKind::End : readToken();
  lineStart = false;
  token.text = StringRef(start, size_t(place - start));
  token.hasError = tokenError;
  behindDot = token.is(TokenKind::Dot);
  return token;
}

static TokenKind kindOfName(StringRef text) {
  return llvm::StringSwitch<TokenKind>(text)
#define VISA_KEYWORD(NAME, TEXT) .Case(TEXT, TokenKind::NAME)
#include "sequin/VisaSource/Tokens.def"
      .Case("_", TokenKind::Underscore)
      .Default(TokenKind::Name);
}

TokenKind Lexer::readToken() {
  const char *start = place;
  char c = *place;
  if (llvm::isDigit(c))
    return readNumber();
  if (c == '"') {
    readString();
    return TokenKind::String;
  }
  if (c == '\'')
    return readQuote();
  if (c == 'r' && (peek(1) == '"' ||
                   (peek(1) == '#' && (peek(2) == '"' || peek(2) == '#')))) {
    ++place;
    readRawString();
    return TokenKind::String;
  }
  if (c == 'r' && peek(1) == '#' && atNameStart(2)) {
    place += 2;
    skipNameRest();
    return TokenKind::Name;
  }
  if (c == 'b' && peek(1) == '\'') {
    ++place;
    readQuote();
    return TokenKind::Byte;
  }
  if (c == 'b' && peek(1) == '"') {
    ++place;
    readString();
    return TokenKind::ByteString;
  }
  if (c == 'b' && peek(1) == 'r' && (peek(2) == '"' || peek(2) == '#')) {
    place += 2;
    readRawString();
    return TokenKind::ByteString;
  }
  if (startsName(c)) {
    skipNameRest();
    StringRef text(start, size_t(place - start));
    if (!llvm::all_of(text, [](char c) { return llvm::isASCII(c); })) {
      error(start, "name '" + excerpt(text) +
                       "' has letters beyond ASCII, kernels use ASCII names");
      return TokenKind::Name;
    }
    return kindOfName(text);
  }
  return readPunctuation();
}

TokenKind Lexer::readNumber() {
  const char *start = place;
  auto digits = [&](auto isDigit) {
    while (!atEnd() && (isDigit(*place) || *place == '_'))
      ++place;
  };
  if (behindDot) {
    digits(llvm::isDigit);
    return TokenKind::Integer;
  }
  bool isFloat = false;
  unsigned radix = 10;
  if (*place == '0' && (peek(1) == 'x' || peek(1) == 'o' || peek(1) == 'b')) {
    radix = peek(1) == 'x' ? 16 : peek(1) == 'o' ? 8 : 2;
    place += 2;
    const char *first = place;
    digits([&](char c) {
      return radix == 16 ? llvm::isHexDigit(c)
                         : llvm::isDigit(c) && unsigned(c - '0') < radix;
    });
    if (StringRef(first, size_t(place - first)).trim('_').empty())
      error(start, "number has no digits");
  } else {
    digits(llvm::isDigit);
    // `1..2` is a range and `1.max(2)` a call.
    if (peek() == '.' && peek(1) != '.' && !atNameStart(1)) {
      isFloat = true;
      ++place;
      digits(llvm::isDigit);
    }
    size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
    if ((peek() == 'e' || peek() == 'E') && llvm::isDigit(peek(sign))) {
      isFloat = true;
      place += sign;
      digits(llvm::isDigit);
    }
  }
  const char *suffixStart = place;
  skipNameRest();
  StringRef suffix(suffixStart, size_t(place - suffixStart));
  if (suffix.empty())
    return isFloat ? TokenKind::Float : TokenKind::Integer;
  if (radix == 10 && (suffix == "f32" || suffix == "f64"))
    return TokenKind::Float;
  bool known = llvm::StringSwitch<bool>(suffix)
                   .Cases({"u8", "u16", "u32", "u64", "u128", "usize"}, true)
                   .Cases({"i8", "i16", "i32", "i64", "i128", "isize"}, true)
                   .Default(false);
  if (isFloat || !known)
    error(start, "number has the unknown suffix '" + excerpt(suffix) + "'");
  return isFloat ? TokenKind::Float : TokenKind::Integer;
}

void Lexer::readEscape(bool isByte) {
  const char *start = place++;
  char c = peek();
  if (!atEnd())
    ++place;
  switch (c) {
  case 'n':
  case 'r':
  case 't':
  case '\\':
  case '0':
  case '\'':
  case '"':
    return;
  case '\n':
    // The next line's indentation is no part of the string.
    return;
  case 'x':
    for (int i = 0; i != 2; ++i)
      if (llvm::isHexDigit(peek()))
        ++place;
      else
        return error(start, "escape '\\x' has two hexadecimal digits");
    return;
  case 'u':
    if (!isByte && peek() == '{') {
      const char *digits = ++place;
      while (llvm::isHexDigit(peek()) || peek() == '_')
        ++place;
      bool any = place != digits && place - digits <= 8;
      if (any && peek() == '}') {
        ++place;
        return;
      }
    }
    return error(start, "escape '\\u' has the form '\\u{1F600}'");
  default:
    return error(start, "unknown escape in a literal");
  }
}

void Lexer::readString() {
  const char *start = place++;
  while (!atEnd() && *place != '"') {
    if (*place == '\\')
      readEscape(/*isByte=*/false);
    else
      ++place;
  }
  if (!atEnd()) {
    ++place;
    return;
  }
  // The whole rest of the file is gone; point at the quote.
  place = start + 1;
  error(start, "string has no end");
  place = limit;
}

void Lexer::readRawString() {
  const char *start = place;
  size_t hashes = 0;
  for (; peek() == '#'; ++place)
    ++hashes;
  if (peek() != '"')
    return error(start, "expected '\"' of a raw string");
  std::string close = '"' + std::string(hashes, '#');
  StringRef rest(place + 1, size_t(limit - place) - 1);
  size_t end = rest.find(close);
  if (end == StringRef::npos) {
    error(start, "raw string has no end, '" + excerpt(close) + "'");
    place = limit;
    return;
  }
  place += 1 + end + close.size();
}

TokenKind Lexer::readQuote() {
  const char *start = place++;
  if (peek() == '\\') {
    readEscape(/*isByte=*/false);
  } else if (atNameStart() && (unsigned char)peek() < 0x80 && peek(1) != '\'') {
    skipNameRest();
    return TokenKind::Lifetime;
  } else if (!atEnd() && *place != '\n') {
    // One character, which may be several bytes.
    ++place;
    while (!atEnd() && ((unsigned char)*place & 0xc0) == 0x80)
      ++place;
  }
  if (peek() == '\'')
    ++place;
  else
    error(start, "character literal has no end");
  return TokenKind::Char;
}

TokenKind Lexer::readPunctuation() {
  const char *start = place;
  StringRef rest(place, size_t(limit - place));
#define VISA_PUNCTUATION(NAME, TEXT)                                           \
  if (rest.starts_with(TEXT)) {                                                \
    place += sizeof(TEXT) - 1;                                                 \
    return TokenKind::NAME;                                                    \
  }
#include "sequin/VisaSource/Tokens.def"
  // A run of stray characters is one error.
  while (!atEnd() && *place != '\n' && !llvm::isAlnum(*place) &&
         (unsigned char)*place < 0x80 && !llvm::isSpace(*place) &&
         !llvm::isPunct(*place))
    ++place;
  if (place == start)
    ++place;
  error(start, "'" + excerpt(StringRef(start, size_t(place - start))) +
                   "' begins no token");
  return TokenKind::Invalid;
}

static void appendUtf8(std::string &out, unsigned code) {
  char bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *end = bytes;
  if (llvm::ConvertCodePointToUTF8(code, end))
    out.append(bytes, end);
}

std::string visa_source::unescape(StringRef literal) {
  literal.consume_front("b");
  if (literal.consume_front("r")) {
    size_t hashes = literal.find('"');
    return literal.drop_front(hashes + 1).drop_back(hashes + 1).str();
  }
  StringRef rest = literal;
  if (rest.size() >= 2)
    rest = rest.drop_front().drop_back();
  std::string out;
  while (!rest.empty()) {
    char c = rest.front();
    rest = rest.drop_front();
    if (c != '\\' || rest.empty()) {
      out += c;
      continue;
    }
    char kind = rest.front();
    rest = rest.drop_front();
    unsigned code = 0;
    switch (kind) {
    case 'n':
      out += '\n';
      break;
    case 'r':
      out += '\r';
      break;
    case 't':
      out += '\t';
      break;
    case '0':
      out += '\0';
      break;
    case '\n':
      rest = rest.ltrim();
      break;
    case 'x':
      if (!rest.take_front(2).getAsInteger(16, code))
        out += char(code);
      rest = rest.drop_front(std::min<size_t>(2, rest.size()));
      break;
    case 'u': {
      auto [digits, behind] = rest.drop_front(!rest.empty()).split('}');
      std::string plain = digits.str();
      llvm::erase(plain, '_');
      if (!StringRef(plain).getAsInteger(16, code))
        appendUtf8(out, code);
      rest = behind;
      break;
    }
    default:
      out += kind;
    }
  }
  return out;
}
