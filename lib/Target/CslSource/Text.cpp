//===- Text.cpp - Lines of CSL --------------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "llvm/ADT/StringExtras.h"

using namespace sequin;
using namespace sequin::csl_to_source;
using llvm::StringRef;

std::string csl_to_source::operandOf(const Expression &expression,
                                     Precedence precedence, bool right) {
  Precedence own = expression.precedence;
  auto isBits = [](Precedence p) {
    return p >= Precedence::BitOr && p <= Precedence::Shift;
  };
  bool bare = own > precedence || (own == precedence && !right);
  if (own < Precedence::Unary) {
    // The same operator in a row reads well, shifts do not.
    if (isBits(precedence))
      bare = own == precedence && !right && own != Precedence::Shift;
    if (isBits(own) && precedence == Precedence::Compare)
      bare = false;
    // Comparisons do not associate.
    if (own == Precedence::Compare && precedence == Precedence::Compare)
      bare = false;
    if (own == Precedence::And && precedence == Precedence::Or)
      bare = false;
  }
  // `- -x`.
  if (own == Precedence::Unary && precedence == Precedence::Unary &&
      expression.text.starts_with("-"))
    bare = false;
  return bare ? expression.text : "(" + expression.text + ")";
}

Expression csl_to_source::leaf(std::string text) {
  Expression result;
  result.text = std::move(text);
  result.leaf = true;
  return result;
}

Expression csl_to_source::comptimeLeaf(std::string text) {
  Expression result = leaf(std::move(text));
  result.comptime = true;
  return result;
}

Expression csl_to_source::binary(const Expression &left, StringRef op,
                                 const Expression &right,
                                 Precedence precedence) {
  Expression result;
  result.left = left.text;
  result.op = op.str();
  result.right = right.text;
  result.text = operandOf(left, precedence) + " " + result.op + " " +
                operandOf(right, precedence, /*right=*/true);
  result.precedence = precedence;
  result.untyped = left.untyped && right.untyped;
  result.comptime = left.comptime && right.comptime;
  return result;
}

Expression csl_to_source::unary(StringRef op, const Expression &operand) {
  Expression result;
  result.text = op.str() + operandOf(operand, Precedence::Unary);
  result.precedence = Precedence::Unary;
  result.untyped = operand.untyped;
  result.comptime = operand.comptime;
  result.inner = operand.text;
  result.innerPrecedence = operand.precedence;
  return result;
}

Expression csl_to_source::opposite(const Expression &condition,
                                   bool isInteger) {
  // `!(a < b)` of integers is `a >= b`; of floats it is not.
  static constexpr std::pair<StringRef, StringRef> kOpposites[] = {
      {"==", "!="}, {"!=", "=="}, {"<", ">="},
      {">=", "<"},  {">", "<="},  {"<=", ">"}};
  if (isInteger && condition.precedence == Precedence::Compare)
    for (auto [from, to] : kOpposites) {
      std::string middle = (" " + from + " ").str();
      size_t place = condition.text.find(middle);
      if (condition.op != from ||
          condition.text.find(middle, place + 1) != std::string::npos)
        continue;
      Expression result = condition;
      result.op = to.str();
      result.text = condition.text.substr(0, place) + (" " + to + " ").str() +
                    condition.text.substr(place + middle.size());
      return result;
    }
  if (condition.precedence == Precedence::Unary &&
      StringRef(condition.text).starts_with("!") && !condition.inner.empty()) {
    Expression result;
    result.text = condition.inner;
    result.precedence = condition.innerPrecedence;
    result.comptime = condition.comptime;
    return result;
  }
  return unary("!", condition);
}

Expression csl_to_source::callOf(StringRef callee,
                                 llvm::ArrayRef<Expression> arguments) {
  Expression result;
  result.text = callee.str() + "(";
  result.comptime = true;
  llvm::ListSeparator comma;
  for (const Expression &argument : arguments) {
    result.text += StringRef(comma);
    result.text += argument.text;
    result.comptime &= argument.comptime;
  }
  result.text += ")";
  return result;
}

//===----------------------------------------------------------------------===//
// Doc
//===----------------------------------------------------------------------===//

Doc Doc::call(std::string callee, std::vector<Doc> arguments) {
  Doc doc;
  doc.open = std::move(callee) + "(";
  doc.items = std::move(arguments);
  doc.close = ")";
  doc.isList = true;
  return doc;
}

Doc Doc::braces(std::string type, std::vector<Doc> fields) {
  Doc doc;
  doc.open = type.empty() ? ".{" : std::move(type) + "{";
  doc.items = std::move(fields);
  doc.close = "}";
  doc.spaced = doc.isList = true;
  return doc;
}

Doc Doc::field(StringRef name, Doc value) {
  value.open = ("." + name + " = ").str() + value.open;
  return value;
}

std::string Doc::flat() const {
  std::string text = open;
  if (spaced && !items.empty())
    text += ' ';
  llvm::ListSeparator comma;
  for (const Doc &item : items) {
    text += StringRef(comma);
    text += item.flat();
  }
  if (spaced && !items.empty())
    text += ' ';
  return text + close;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void Text::line(StringRef content) {
  lines.push_back(indentation() + content.str());
}

void Text::openList(StringRef head, std::vector<Doc> items, StringRef tail) {
  write("", Doc::call(head.str(), std::move(items)), (" " + tail).str());
  ++depth;
}

void Text::close(StringRef content) {
  --depth;
  // A body with nothing in it.
  if (!lines.empty() && StringRef(lines.back()).ends_with("{") &&
      StringRef(lines.back())
              .take_while([](char c) { return c == ' '; })
              .size() == step * depth)
    lines.back() += content;
  else
    line(content);
}

void Text::blank() {
  if (!lines.empty() && !lines.back().empty())
    lines.emplace_back();
}

void Text::comment(StringRef text) {
  // What is behind the end of a line would be code.
  std::string words = text.str();
  for (char &c : words)
    if (static_cast<unsigned char>(c) < ' ')
      c = ' ';
  StringRef content = words;
  std::string prefix = indentation() + "// ";
  while (!content.empty()) {
    size_t room = kColumns - std::min(kColumns - 1, shift + prefix.size());
    StringRef piece = content;
    if (piece.size() > room) {
      size_t space = content.take_front(room + 1).rfind(' ');
      piece =
          content.take_front(space == StringRef::npos || !space ? room : space);
    }
    lines.push_back(prefix + piece.str());
    content = content.drop_front(piece.size()).ltrim(' ');
  }
}

void Text::write(StringRef prefix, const Doc &doc, StringRef suffix) {
  std::string flat = prefix.str() + doc.flat() + suffix.str();
  if (shift + step * depth + flat.size() <= kColumns || !doc.isList ||
      doc.items.empty())
    return line(flat);
  writeBroken(prefix.str(), doc, suffix);
}

void Text::writeBroken(std::string prefix, const Doc &doc, StringRef suffix) {
  std::string head = prefix + doc.open;
  // All but a last list on the first line: `@f(a, b, .{`.
  if (!doc.spaced && doc.items.back().isList &&
      !doc.items.back().items.empty()) {
    std::string first = head;
    for (const Doc &item : llvm::ArrayRef(doc.items).drop_back())
      first += item.flat() + ", ";
    if (shift + step * depth + first.size() + doc.items.back().open.size() <=
        kColumns)
      return writeBroken(first, doc.items.back(), doc.close + suffix.str());
  }
  open(head);
  if (doc.fill) {
    std::string row;
    for (const Doc &item : doc.items) {
      std::string next = item.flat() + ",";
      if (!row.empty() &&
          shift + step * depth + row.size() + 1 + next.size() > kColumns) {
        line(row);
        row.clear();
      }
      row += (row.empty() ? "" : " ") + next;
    }
    line(row);
  } else {
    for (const auto &[index, item] : llvm::enumerate(doc.items)) {
      // CSL takes a comma behind the last item; the call's arguments read
      // better without.
      bool last = index + 1 == doc.items.size();
      write("", item, last && !doc.spaced ? "" : ",");
    }
  }
  close(doc.close + suffix.str());
}

void Text::append(const Text &other) {
  for (const std::string &content : other.lines)
    lines.push_back(content.empty() ? content : indentation() + content);
}

std::optional<std::string> Text::getOnlyLine() const {
  if (lines.size() != 1)
    return std::nullopt;
  return StringRef(lines.front()).ltrim(' ').str();
}

std::string Text::str() const {
  std::string text;
  size_t end = lines.size();
  while (end && lines[end - 1].empty())
    --end;
  for (size_t i = 0; i < end; ++i)
    text += lines[i] + "\n";
  return text;
}
