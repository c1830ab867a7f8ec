//===- Expand.cpp - Macros that a crate declares --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expand.h"

#include "Hygiene.h"
#include "sequin/VisaSource/Lexer.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;

/// Characters of one expansion.
static constexpr size_t kMaxExpansion = size_t(1) << 20;
/// Repetitions inside of each other.
static constexpr unsigned kMaxRepetitions = 32;

namespace {

using Tokens = llvm::ArrayRef<Token>;

/// What a `$name` of a rule stands for: text, or one for each repetition.
struct Binding {
  std::string text;
  bool repeats = false;
  std::vector<Binding> each;
};
using Bindings = std::map<std::string, Binding>;

/// `$( inner ) separator op`.
struct Repetition {
  Tokens inner;
  std::optional<Token> separator;
  TokenKind op = TokenKind::Star;
  /// Tokens of it all.
  size_t length = 0;
};

} // namespace

static std::vector<Token> read(StringRef text) {
  // What is read here has been read once, without errors.
  SourceManager none;
  Diagnostics ignored(none);
  Lexer lexer(text, ignored);
  std::vector<Token> tokens;
  for (Token token = lexer.next(); !token.is(TokenKind::End);
       token = lexer.next())
    tokens.push_back(token);
  return tokens;
}

/// Tokens of the tree that begins here: one, or all up to the closing bracket.
static size_t treeLength(Tokens tokens) {
  if (tokens.empty())
    return 0;
  if (getClosing(tokens.front().kind) == TokenKind::End)
    return 1;
  size_t depth = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (getClosing(tokens[i].kind) != TokenKind::End)
      ++depth;
    else if (tokens[i].is(TokenKind::RParen) ||
             tokens[i].is(TokenKind::RSquare) ||
             tokens[i].is(TokenKind::RBrace))
      if (--depth == 0)
        return i + 1;
  }
  return tokens.size();
}

static std::optional<Repetition> repetitionAt(Tokens tokens) {
  if (tokens.size() < 4 || !tokens[0].is(TokenKind::Dollar) ||
      !tokens[1].is(TokenKind::LParen))
    return std::nullopt;
  Repetition result;
  size_t length = treeLength(tokens.drop_front());
  result.inner = tokens.slice(2, length - 2);
  size_t at = 1 + length;
  auto isOp = [&](size_t i) {
    return i < tokens.size() &&
           (tokens[i].is(TokenKind::Star) || tokens[i].is(TokenKind::Plus) ||
            tokens[i].is(TokenKind::Question));
  };
  if (!isOp(at) && at < tokens.size())
    result.separator = tokens[at++];
  if (!isOp(at))
    return std::nullopt;
  result.op = tokens[at].kind;
  result.length = at + 1;
  return result;
}

static std::string textOf(Tokens tokens) {
  if (tokens.empty())
    return "";
  const char *from = tokens.front().begin().getPointer();
  return std::string(from, tokens.back().end().getPointer());
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Tokens up to what ends an expression or type: the next of `stops` outside of
/// brackets. Angle brackets count as such in types, and behind `::`.
static size_t lengthUntil(Tokens tokens, llvm::ArrayRef<TokenKind> stops,
                          bool isType) {
  int angles = 0;
  size_t at = 0;
  while (at < tokens.size()) {
    TokenKind kind = tokens[at].kind;
    bool opens = kind == TokenKind::Less &&
                 (isType || angles > 0 ||
                  (at > 0 && tokens[at - 1].is(TokenKind::ColonColon)));
    if (opens)
      ++angles;
    else if (angles > 0 && kind == TokenKind::Greater)
      --angles;
    else if (angles > 0 && kind == TokenKind::Shr)
      angles = std::max(0, angles - 2);
    else if (angles == 0 && llvm::is_contained(stops, kind))
      break;
    at += treeLength(tokens.drop_front(at));
  }
  return at;
}

static bool isWord(const Token &token) {
  return token.is(TokenKind::Name) || isKeyword(token.kind);
}

static bool isLiteral(const Token &token) {
  return (token.kind >= TokenKind::Integer &&
          token.kind <= TokenKind::ByteString) ||
         token.is(TokenKind::KwTrue) || token.is(TokenKind::KwFalse);
}

/// Tokens of the fragment at the beginning; none if there is none.
static std::optional<size_t> fragmentLength(StringRef fragment, Tokens tokens) {
  using enum TokenKind;
  if (fragment == "vis") {
    if (tokens.empty() || !tokens[0].is(KwPub))
      return 0;
    return tokens.size() > 1 && tokens[1].is(LParen)
               ? 1 + treeLength(tokens.drop_front())
               : 1;
  }
  if (tokens.empty())
    return std::nullopt;
  auto some = [](size_t length) {
    return length > 0 ? std::optional(length) : std::nullopt;
  };
  if (fragment == "ident")
    return isWord(tokens[0]) ? std::optional<size_t>(1) : std::nullopt;
  if (fragment == "lifetime")
    return tokens[0].is(Lifetime) ? std::optional<size_t>(1) : std::nullopt;
  if (fragment == "tt")
    return treeLength(tokens);
  if (fragment == "block")
    return tokens[0].is(LBrace) ? std::optional(treeLength(tokens))
                                : std::nullopt;
  if (fragment == "literal") {
    if (tokens[0].is(Minus) && tokens.size() > 1 && isLiteral(tokens[1]))
      return 2;
    return isLiteral(tokens[0]) ? std::optional<size_t>(1) : std::nullopt;
  }
  if (fragment == "ty" || fragment == "path")
    return some(lengthUntil(
        tokens, {Comma, FatArrow, Semi, Equal, LBrace, Or, KwAs, KwWhere},
        /*isType=*/true));
  if (fragment == "pat" || fragment == "pat_param")
    return some(
        lengthUntil(tokens, {Comma, FatArrow, Equal, KwIf, KwIn}, false));
  if (fragment == "expr" || fragment == "expr_2021" || fragment == "stmt" ||
      fragment == "meta")
    return some(lengthUntil(tokens, {Comma, FatArrow, Semi}, false));
  if (fragment == "item") {
    // To its semicolon or body.
    size_t at = 0;
    while (at < tokens.size()) {
      bool isLast = tokens[at].is(Semi) || tokens[at].is(LBrace);
      at += treeLength(tokens.drop_front(at));
      if (isLast)
        break;
    }
    return some(at);
  }
  return std::nullopt;
}

static void collectNames(Tokens pattern, llvm::StringSet<> &names) {
  for (size_t i = 0; i + 3 < pattern.size() + 1; ++i)
    if (i + 3 < pattern.size() && pattern[i].is(TokenKind::Dollar) &&
        isWord(pattern[i + 1]) && pattern[i + 2].is(TokenKind::Colon))
      names.insert(pattern[i + 1].text);
}

static std::optional<size_t> match(Tokens pattern, Tokens input, bool isWhole,
                                   Bindings &bindings, unsigned depth);

/// As often as it fits, as the separator or what follows allows.
static std::optional<size_t> matchRepeated(const Repetition &part, Tokens input,
                                           Bindings &bindings, unsigned depth) {
  llvm::StringSet<> names;
  collectNames(part.inner, names);
  for (const auto &name : names.keys())
    bindings[name.str()].repeats = true;
  size_t at = 0, count = 0;
  while (at < input.size()) {
    size_t from = at;
    if (count > 0 && part.separator) {
      if (input[at].text != part.separator->text)
        break;
      ++from;
    }
    Bindings round;
    auto length =
        match(part.inner, input.drop_front(from), false, round, depth);
    if (!length || (*length == 0 && from == at))
      break;
    for (auto &[name, binding] : round)
      bindings[name].each.push_back(std::move(binding));
    at = from + *length;
    ++count;
    if (part.op == TokenKind::Question)
      break;
  }
  if (part.op == TokenKind::Plus && count == 0)
    return std::nullopt;
  return at;
}

static std::optional<size_t> match(Tokens pattern, Tokens input, bool isWhole,
                                   Bindings &bindings, unsigned depth) {
  if (depth > kMaxRepetitions)
    return std::nullopt;
  size_t p = 0, at = 0;
  while (p < pattern.size()) {
    Tokens rest = input.drop_front(at);
    if (auto part = repetitionAt(pattern.drop_front(p))) {
      auto length = matchRepeated(*part, rest, bindings, depth + 1);
      if (!length)
        return std::nullopt;
      at += *length;
      p += part->length;
      continue;
    }
    bool isFragment = pattern[p].is(TokenKind::Dollar) &&
                      p + 3 < pattern.size() && isWord(pattern[p + 1]) &&
                      pattern[p + 2].is(TokenKind::Colon);
    if (isFragment) {
      auto length = fragmentLength(pattern[p + 3].text, rest);
      if (!length)
        return std::nullopt;
      StringRef kind = pattern[p + 3].text;
      std::string text = textOf(rest.take_front(*length));
      // What is put into an expression stays together.
      if (kind.starts_with("expr") && *length > 1)
        text = "(" + text + ")";
      bindings[pattern[p + 1].text.str()].text = std::move(text);
      at += *length;
      p += 4;
      continue;
    }
    if (rest.empty())
      return std::nullopt;
    size_t length = treeLength(pattern.drop_front(p));
    if (length > 1) {
      // A bracket and what it holds.
      if (rest[0].kind != pattern[p].kind)
        return std::nullopt;
      size_t inside = treeLength(rest);
      if (inside < 2 ||
          !match(pattern.slice(p + 1, length - 2), rest.slice(1, inside - 2),
                 true, bindings, depth + 1))
        return std::nullopt;
      at += inside;
      p += length;
      continue;
    }
    if (rest[0].text != pattern[p].text)
      return std::nullopt;
    ++at;
    ++p;
  }
  if (isWhole && at != input.size())
    return std::nullopt;
  return at;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
class ExpansionWriter {
public:
  /// `fresh` has what the variables of the body are called.
  explicit ExpansionWriter(llvm::StringMap<std::string> fresh)
      : fresh(std::move(fresh)) {}

  bool write(Tokens body, const Bindings &bindings, unsigned depth);
  std::string text, error;

private:
  bool fail(const llvm::Twine &message) {
    error = message.str();
    return false;
  }
  void put(const Token &before, StringRef what) {
    text += before.startsLine ? "\n" : " ";
    text += what;
  }
  bool repeat(const Repetition &part, const Bindings &bindings, unsigned depth);

  llvm::StringMap<std::string> fresh;
};
} // namespace

bool ExpansionWriter::repeat(const Repetition &part, const Bindings &bindings,
                             unsigned depth) {
  std::optional<size_t> count;
  llvm::SmallVector<std::string, 4> names;
  for (size_t i = 0; i + 1 < part.inner.size(); ++i) {
    if (!part.inner[i].is(TokenKind::Dollar) || !isWord(part.inner[i + 1]))
      continue;
    auto found = bindings.find(part.inner[i + 1].text.str());
    if (found == bindings.end() || !found->second.repeats)
      continue;
    if (count && *count != found->second.each.size())
      return fail("'$" + found->first + "' repeats " +
                  llvm::Twine(found->second.each.size()) +
                  " times, another name beside it " + llvm::Twine(*count));
    count = found->second.each.size();
    names.push_back(found->first);
  }
  if (!count)
    return fail("a repetition names nothing that repeats");
  for (size_t round = 0; round < *count; ++round) {
    if (round > 0 && part.separator)
      text += part.separator->text;
    Bindings inner = bindings;
    for (const std::string &name : names)
      inner[name] = bindings.at(name).each[round];
    if (!write(part.inner, inner, depth + 1))
      return false;
  }
  return true;
}

bool ExpansionWriter::write(Tokens body, const Bindings &bindings,
                            unsigned depth) {
  if (depth > kMaxRepetitions)
    return fail("repetitions are nested deeper than " +
                llvm::Twine(kMaxRepetitions));
  for (size_t i = 0; i < body.size();) {
    if (text.size() > kMaxExpansion)
      return fail("what the macro stands for is longer than " +
                  llvm::Twine(kMaxExpansion) + " characters");
    if (auto part = repetitionAt(body.drop_front(i))) {
      if (!repeat(*part, bindings, depth))
        return false;
      i += part->length;
      continue;
    }
    bool isName = body[i].is(TokenKind::Dollar) && i + 1 < body.size() &&
                  isWord(body[i + 1]);
    if (!isName) {
      put(body[i], writtenAnew(body, i, fresh));
      ++i;
      continue;
    }
    StringRef name = body[i + 1].text;
    auto found = bindings.find(name.str());
    if (name == "crate")
      put(body[i], "crate");
    else if (found == bindings.end())
      return fail("'$" + name + "' is not among the names of the rule");
    else if (found->second.repeats)
      return fail("'$" + name +
                  "' repeats, and stands outside of a repetition");
    else
      put(body[i], found->second.text);
    i += 2;
  }
  return true;
}

std::optional<std::string>
visa_source::expandMacro(StringRef rules, StringRef input, std::string &error) {
  std::vector<Token> ruleTokens = read(rules), inputTokens = read(input);
  Tokens rest = ruleTokens;
  while (!rest.empty()) {
    // (pattern) => {body};
    size_t length = treeLength(rest);
    size_t arrow = length;
    if (length < 2 || arrow >= rest.size() ||
        !rest[arrow].is(TokenKind::FatArrow)) {
      error = "a rule of a macro is '(pattern) => { body }'";
      return std::nullopt;
    }
    size_t body = treeLength(rest.drop_front(arrow + 1));
    if (body < 2) {
      error = "a rule of a macro ends with its body in brackets";
      return std::nullopt;
    }
    Bindings bindings;
    if (match(rest.slice(1, length - 2), inputTokens, true, bindings, 0)) {
      Tokens meant = rest.slice(arrow + 2, body - 2);
      ExpansionWriter writer(freshNames(meant, inputTokens));
      if (writer.write(meant, bindings, 0))
        return std::move(writer.text);
      error = writer.error;
      return std::nullopt;
    }
    rest = rest.drop_front(arrow + 1 + body);
    if (!rest.empty() && rest.front().is(TokenKind::Semi))
      rest = rest.drop_front();
  }
  error = "no rule of the macro fits what it is called with";
  return std::nullopt;
}
