//===- Hygiene.cpp - Names that a macro declares --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variable that the body of a macro declares is another than one of the same
// name at the call. The text of an expansion cannot say so: where a call gives
// the macro a name that its body declares, the body's is written anew.
//
//===----------------------------------------------------------------------===//

#include "Hygiene.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;
using Tokens = llvm::ArrayRef<Token>;

static bool isAt(Tokens tokens, size_t i, TokenKind kind) {
  return i < tokens.size() && tokens[i].is(kind);
}

static bool opens(const Token &token) {
  return getClosing(token.kind) != TokenKind::End;
}

static bool closes(const Token &token) {
  return token.is(TokenKind::RParen) || token.is(TokenKind::RSquare) ||
         token.is(TokenKind::RBrace);
}

/// Whether a token of a pattern declares a variable: no fragment of the call,
/// no path, no field with a pattern of its own.
static bool declares(Tokens tokens, size_t i) {
  if (!tokens[i].is(TokenKind::Name) ||
      (i > 0 && isAt(tokens, i - 1, TokenKind::Dollar)))
    return false;
  bool isPath = isAt(tokens, i + 1, TokenKind::ColonColon) ||
                isAt(tokens, i + 1, TokenKind::LParen) ||
                isAt(tokens, i + 1, TokenKind::LBrace) ||
                (i > 0 && isAt(tokens, i - 1, TokenKind::ColonColon));
  return !isPath && !llvm::isUpper(tokens[i].text.front());
}

/// The variables of a pattern that begins at `i`, up to one of `stops` outside
/// of its brackets; where it ends.
static size_t addPattern(Tokens tokens, size_t i,
                         llvm::ArrayRef<TokenKind> stops,
                         llvm::StringSet<> &names) {
  int depth = 0;
  for (; i < tokens.size(); ++i) {
    if (depth == 0 && llvm::is_contained(stops, tokens[i].kind))
      break;
    if (closes(tokens[i]) && --depth < 0)
      break;
    depth += opens(tokens[i]);
    // `S { field: x }`
    bool isField = depth > 0 && isAt(tokens, i + 1, TokenKind::Colon);
    if (!isField && declares(tokens, i))
      names.insert(tokens[i].text);
  }
  return i;
}

/// Where the pattern of a match's arm begins whose arrow is at `arrow`.
static size_t armBegin(Tokens tokens, size_t arrow) {
  int depth = 0;
  for (size_t i = arrow; i > 0; --i) {
    const Token &token = tokens[i - 1];
    if (closes(token)) {
      // The body of the arm before.
      if (depth == 0 && token.is(TokenKind::RBrace))
        return i;
      ++depth;
    } else if (opens(token)) {
      if (depth == 0)
        return i;
      --depth;
    } else if (depth == 0 && token.is(TokenKind::Comma)) {
      return i;
    }
  }
  return 0;
}

/// `a: T, b: U` of a closure or function, up to its end.
static void addParameters(Tokens tokens, size_t i, TokenKind end,
                          llvm::StringSet<> &names) {
  while (i < tokens.size() && !tokens[i].is(end)) {
    size_t after =
        addPattern(tokens, i, {TokenKind::Colon, TokenKind::Comma, end}, names);
    // The type.
    int depth = 0;
    for (; after < tokens.size(); ++after) {
      if (depth == 0 &&
          (tokens[after].is(TokenKind::Comma) || tokens[after].is(end)))
        break;
      depth += opens(tokens[after]) || tokens[after].is(TokenKind::Less);
      depth -= (closes(tokens[after]) && !tokens[after].is(end)) ||
               tokens[after].is(TokenKind::Greater);
    }
    i = isAt(tokens, after, TokenKind::Comma) ? after + 1 : after;
    if (after >= tokens.size())
      return;
  }
}

llvm::StringSet<> visa_source::declaredNames(Tokens body) {
  using enum TokenKind;
  llvm::StringSet<> names;
  for (size_t i = 0; i < body.size(); ++i) {
    switch (body[i].kind) {
    case KwLet:
      addPattern(body, i + 1, {Equal, Colon, Semi}, names);
      break;
    case KwFor:
      if (!isAt(body, i + 1, Less))
        addPattern(body, i + 1, {KwIn, LBrace}, names);
      break;
    case FatArrow:
      addPattern(body, armBegin(body, i), {FatArrow, KwIf}, names);
      break;
    case KwFn: {
      size_t at = i + 1;
      while (at < body.size() && !body[at].is(LParen) && !body[at].is(LBrace))
        ++at;
      if (isAt(body, at, LParen))
        addParameters(body, at + 1, RParen, names);
      break;
    }
    case Or: {
      bool begins = i == 0 || opens(body[i - 1]) || body[i - 1].is(Comma) ||
                    body[i - 1].is(Equal) || body[i - 1].is(KwMove) ||
                    body[i - 1].is(FatArrow) || body[i - 1].is(Semi) ||
                    body[i - 1].is(KwReturn);
      if (begins) {
        addParameters(body, i + 1, Or, names);
        // Behind the closing bar.
        do
          ++i;
        while (i < body.size() && !body[i].is(Or));
      }
      break;
    }
    default:
      break;
    }
  }
  return names;
}

llvm::StringMap<std::string> visa_source::freshNames(Tokens body,
                                                     Tokens input) {
  llvm::StringSet<> given, known;
  for (const Token &token : input)
    if (token.is(TokenKind::Name))
      given.insert(token.text);
  llvm::StringMap<std::string> fresh;
  llvm::StringSet<> declared = declaredNames(body);
  for (StringRef name : declared.keys()) {
    if (!given.contains(name))
      continue;
    if (known.empty()) {
      known = given;
      for (const Token &token : body)
        known.insert(token.text);
    }
    std::string other;
    for (unsigned i = 1; other.empty() || known.contains(other); ++i)
      other = (name + "_" + llvm::Twine(i)).str();
    known.insert(other);
    fresh[name] = other;
  }
  return fresh;
}

std::string
visa_source::writtenAnew(Tokens body, size_t i,
                         const llvm::StringMap<std::string> &fresh) {
  auto found =
      body[i].is(TokenKind::Name) ? fresh.find(body[i].text) : fresh.end();
  if (found == fresh.end())
    return body[i].text.str();
  using enum TokenKind;
  // A field, a method, a part of a path, a macro.
  bool isMember =
      i > 0 && (isAt(body, i - 1, Dot) || isAt(body, i - 1, ColonColon));
  bool isPath = isAt(body, i + 1, ColonColon) || isAt(body, i + 1, Not);
  if (isMember || isPath)
    return body[i].text.str();
  // Inside of the braces of a struct?
  size_t open = i;
  int depth = 0;
  while (open > 0) {
    const Token &token = body[open - 1];
    if (opens(token) && depth-- == 0)
      break;
    depth += closes(token);
    --open;
  }
  bool isStruct = open > 1 && body[open - 1].is(LBrace) &&
                  body[open - 2].is(Name) &&
                  llvm::isUpper(body[open - 2].text.front());
  bool begins = isAt(body, i - 1, LBrace) || isAt(body, i - 1, Comma);
  if (isStruct && begins && isAt(body, i + 1, Colon))
    return body[i].text.str();
  if (isStruct && begins &&
      (isAt(body, i + 1, Comma) || isAt(body, i + 1, RBrace)))
    return (body[i].text + ": " + found->second).str();
  return found->second;
}
