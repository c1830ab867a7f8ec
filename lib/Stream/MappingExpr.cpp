//===- MappingExpr.cpp - Parser and printer of mapping expressions --------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/MappingExpr.h"

#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace sequin;
using llvm::StringRef;
using llvm::Twine;

namespace {

bool isNameStart(char c) { return c >= 'A' && c <= 'Z'; }
bool isNameChar(char c) { return llvm::isAlnum(c) || c == '_' || c == '\''; }

/// A recursive-descent parser; only brackets recurse.
class Parser {
public:
  explicit Parser(StringRef text) : text(text) {}

  llvm::Expected<std::shared_ptr<const MappingExpr>> run() {
    if (text.size() > MappingExpr::maxTextLength)
      return llvm::createStringError(
          "mapping has " + Twine(text.size()) + " characters, at most " +
          Twine(MappingExpr::maxTextLength) + " are allowed");
    auto mapping = parseMapping(0);
    if (!mapping)
      return mapping.takeError();
    skipSpace();
    if (pos != text.size())
      return fail("expected ',' or an operator (/ % # = @), found " + found());
    return mapping;
  }

private:
  llvm::Error fail(const Twine &what) const {
    return llvm::createStringError("column " + Twine(pos + 1) + " of '" +
                                   excerpt(text) + "': " + what);
  }

  std::string found() const {
    if (pos >= text.size())
      return "the end of the text";
    if (!llvm::isPrint(text[pos]))
      return "byte " + std::to_string(static_cast<unsigned char>(text[pos]));
    return "'" + std::string(1, text[pos]) + "'";
  }

  void skipSpace() {
    while (pos < text.size() && llvm::isSpace(text[pos]))
      ++pos;
  }

  bool consume(char c) {
    skipSpace();
    if (pos >= text.size() || text[pos] != c)
      return false;
    ++pos;
    return true;
  }

  /// A decimal number; `least` is 1 for sizes and 0 for offsets.
  llvm::Expected<int64_t> parseNumber(StringRef what, int64_t least) {
    skipSpace();
    size_t start = pos;
    size_t end = pos;
    while (end < text.size() && llvm::isDigit(text[end]))
      ++end;
    if (end == start)
      return fail("expected " + what + ", found " + found());
    StringRef digits = text.slice(start, end);
    int64_t value;
    if (digits.getAsInteger(10, value))
      return fail(what + " " + digits.substr(0, 40) +
                  " does not fit in 64 bits");
    if (value < least)
      return fail(what + " must be at least " + Twine(least) + ", found " +
                  Twine(value));
    pos = end;
    return value;
  }

  llvm::Expected<std::shared_ptr<const MappingExpr>>
  parseMapping(unsigned depth) {
    auto mapping = std::make_shared<MappingExpr>();
    do {
      auto term = parseTerm(depth);
      if (!term)
        return term.takeError();
      mapping->terms.push_back(std::move(*term));
    } while (consume(','));
    return std::shared_ptr<const MappingExpr>(std::move(mapping));
  }

  llvm::Expected<MappingTerm> parseTerm(unsigned depth) {
    MappingTerm term;
    auto atom = parseAtom(depth);
    if (!atom)
      return atom.takeError();
    term.atom = std::move(*atom);
    while (true) {
      skipSpace();
      MappingOp op;
      op.column = static_cast<unsigned>(pos + 1);
      if (consume('/')) {
        op.kind = MappingOp::Kind::Divide;
        if (llvm::Error error = number(op.n, "a divisor"))
          return error;
      } else if (consume('%')) {
        op.kind = MappingOp::Kind::Modulo;
        if (llvm::Error error = number(op.n, "a modulus"))
          return error;
      } else if (consume('#')) {
        bool zero = consume('z');
        op.kind = zero ? MappingOp::Kind::PadZero : MappingOp::Kind::Pad;
        if (llvm::Error error = number(op.n, "a size to pad to"))
          return error;
        if (!zero && consume('@'))
          if (llvm::Error error = number(op.low, "the low padding", 0))
            return error;
      } else if (consume('=')) {
        op.kind = MappingOp::Kind::View;
        if (llvm::Error error = number(op.n, "a size to keep"))
          return error;
      } else if (consume('@')) {
        op.kind = MappingOp::Kind::View;
        if (llvm::Error error = number(op.low, "an offset", 0))
          return error;
        if (!consume('='))
          return fail("expected '=' and a size after the offset of a view, "
                      "found " +
                      found());
        if (llvm::Error error = number(op.n, "a size to keep"))
          return error;
      } else if (consume('?')) {
        op.kind = MappingOp::Kind::Lookup;
        if (llvm::Error error = tableName(op.table))
          return error;
      } else {
        return term;
      }
      term.ops.push_back(op);
    }
  }

  llvm::Error tableName(std::string &into) {
    skipSpace();
    size_t end = pos;
    while (end < text.size() && (llvm::isAlnum(text[end]) || text[end] == '_'))
      ++end;
    if (!isTableName(text.slice(pos, end)))
      return fail("expected the name of a table (a lower-case letter, then "
                  "letters, digits or '_'), found " +
                  found());
    into = text.slice(pos, end).str();
    pos = end;
    return llvm::Error::success();
  }

  llvm::Error number(int64_t &into, StringRef what, int64_t least = 1) {
    auto value = parseNumber(what, least);
    if (!value)
      return value.takeError();
    into = *value;
    return llvm::Error::success();
  }

  llvm::Expected<MappingAtom> parseAtom(unsigned depth) {
    skipSpace();
    MappingAtom atom;
    atom.column = static_cast<unsigned>(pos + 1);
    if (pos < text.size() && isNameStart(text[pos])) {
      size_t end = pos + 1;
      while (end < text.size() && isNameChar(text[end]))
        ++end;
      atom.kind = MappingAtom::Kind::Axis;
      atom.name = text.slice(pos, end).str();
      pos = end;
      return atom;
    }
    if (pos < text.size() && llvm::isDigit(text[pos])) {
      auto value = parseNumber("a broadcast size", 1);
      if (!value)
        return value.takeError();
      atom.number = *value;
      return atom;
    }
    if (consume('$'))
      return parseSliding(std::move(atom), depth);
    if (pos < text.size() && llvm::isLower(text[pos]))
      return fail("axis names start with an upper-case letter, found " +
                  found() + "; a table stands behind '?', as in 'A ? t'");
    if (consume('[')) {
      if (depth >= MappingExpr::maxDepth)
        return tooDeep();
      auto group = parseMapping(depth + 1);
      if (!group)
        return group.takeError();
      if (!consume(']'))
        return fail("expected ']', ',' or an operator (/ % # = @), found " +
                    found());
      atom.kind = MappingAtom::Kind::Group;
      atom.group = std::move(*group);
      return atom;
    }
    return fail("expected an axis, a number or '[', found " + found());
  }

  /// The part of a sliding combination behind the '$'.
  llvm::Expected<MappingAtom> parseSliding(MappingAtom atom, unsigned depth) {
    if (!consume('('))
      return fail("expected '(' after '$', found " + found());
    if (depth >= MappingExpr::maxDepth)
      return tooDeep();
    auto operands = std::make_shared<MappingExpr>();
    do {
      auto term = parseTerm(depth + 1);
      if (!term)
        return term.takeError();
      if (!consume(':'))
        return fail("expected ':' and a stride or an operator (/ % # = @) in "
                    "'$(...)', found " +
                    found());
      auto stride = parseNumber("a stride", 1);
      if (!stride)
        return stride.takeError();
      operands->terms.push_back(std::move(*term));
      atom.strides.push_back(*stride);
    } while (consume(','));
    if (!consume(')'))
      return fail("expected ')' or ',' in '$(...)', found " + found());
    atom.kind = MappingAtom::Kind::Sliding;
    atom.group = std::move(operands);
    return atom;
  }

  llvm::Error tooDeep() const {
    return fail("brackets nest deeper than " + Twine(MappingExpr::maxDepth) +
                " levels");
  }

  StringRef text;
  size_t pos = 0;
};

} // namespace

bool sequin::isAxisName(StringRef name) {
  return !name.empty() && isNameStart(name.front()) &&
         llvm::all_of(name.drop_front(), isNameChar);
}

bool sequin::isTableName(StringRef name) {
  return !name.empty() && llvm::isLower(name.front()) &&
         llvm::all_of(name.drop_front(),
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

llvm::Expected<std::shared_ptr<const MappingExpr>>
MappingExpr::parse(StringRef text) {
  return Parser(text).run();
}

/// Whether the text of `term` ends in `# n`.
static bool endsInPad(const MappingTerm &term) {
  if (!term.ops.empty())
    return term.ops.back().kind == MappingOp::Kind::Pad &&
           term.ops.back().low == 0;
  return term.atom.kind == MappingAtom::Kind::Group &&
         term.atom.group->terms.size() == 1 &&
         endsInPad(term.atom.group->terms.front());
}

std::string MappingTerm::str(size_t opCount) const {
  std::string result;
  switch (atom.kind) {
  case MappingAtom::Kind::Axis:
    result = atom.name;
    break;
  case MappingAtom::Kind::Number:
    result = std::to_string(atom.number);
    break;
  case MappingAtom::Kind::Group: {
    // Brackets around one term say nothing, except between `# n` and `@`, which
    // would read as low padding.
    bool viewFollows = opCount > 0 &&
                       ops.front().kind == MappingOp::Kind::View &&
                       ops.front().low > 0;
    if (atom.group->terms.size() == 1 &&
        !(viewFollows && endsInPad(atom.group->terms.front())))
      result = atom.group->str();
    else
      result = "[" + atom.group->str() + "]";
    break;
  }
  case MappingAtom::Kind::Sliding:
    for (auto [operand, stride] :
         llvm::zip_equal(atom.group->terms, atom.strides))
      result += (result.empty() ? "$(" : ", ") + operand.str() + ":" +
                std::to_string(stride);
    result += ")";
    break;
  }
  for (size_t i = 0; i < opCount; ++i) {
    const MappingOp &op = ops[i];
    bool viewFollows = i + 1 < opCount &&
                       ops[i + 1].kind == MappingOp::Kind::View &&
                       ops[i + 1].low > 0;
    std::string n = std::to_string(op.n);
    switch (op.kind) {
    case MappingOp::Kind::Divide:
      result += " / " + n;
      break;
    case MappingOp::Kind::Modulo:
      result += " % " + n;
      break;
    case MappingOp::Kind::Pad:
      result += " # " + n;
      if (op.low || viewFollows)
        result += " @ " + std::to_string(op.low);
      break;
    case MappingOp::Kind::PadZero:
      result += " #z " + n;
      break;
    case MappingOp::Kind::View:
      if (op.low)
        result += " @ " + std::to_string(op.low);
      result += " = " + n;
      break;
    case MappingOp::Kind::Lookup:
      result += " ? " + op.table;
      break;
    }
  }
  return result;
}

std::string MappingExpr::str() const {
  std::string result;
  for (const MappingTerm &term : terms) {
    if (!result.empty())
      result += ", ";
    result += term.str();
  }
  return result;
}
