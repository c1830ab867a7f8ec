//===- Text.h - Lines of CSL ------------------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions with their precedence, lists that break over lines when they are
// too wide, and the indented lines of a file.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLSOURCE_TEXT_H
#define SEQUIN_LIB_TARGET_CSLSOURCE_TEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace sequin::csl_to_source {

/// Lines are broken where this is possible to stay within it.
inline constexpr size_t kColumns = 80;

/// From loose to tight (AMB-024).
enum class Precedence : uint8_t {
  Conditional, ///< if (c) a else b
  Or,
  And,
  Compare,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Sum,
  Product,
  Unary,
  Postfix
};

/// An expression on one line.
struct Expression {
  std::string text;
  Precedence precedence = Precedence::Postfix;
  /// A literal, or made of nothing else: comptime_int or comptime_float until
  /// its surroundings give it a type.
  bool untyped = false;
  /// A name or a literal: writing it twice costs and changes nothing.
  bool leaf = false;
  /// Known when the program is compiled: literals, parameters, ids.
  bool comptime = false;
  /// Of an address `&place`: the place.
  std::string place;
  /// Of a sum, product, ...: its parts, so that `x = x + y` becomes `x += y`.
  std::string left, op, right;
  /// Of `!inner`.
  std::string inner;
  Precedence innerPrecedence = Precedence::Postfix;
};

Expression leaf(std::string text);
/// A name of something comptime-known.
Expression comptimeLeaf(std::string text);
/// `left op right`.
Expression binary(const Expression &left, llvm::StringRef op,
                  const Expression &right, Precedence precedence);
Expression unary(llvm::StringRef op, const Expression &operand);
/// `!condition`, with the opposite relation if it compares integers.
Expression opposite(const Expression &condition, bool isInteger);
/// `callee(arguments)`, known at compile time where all arguments are.
Expression callOf(llvm::StringRef callee, llvm::ArrayRef<Expression> arguments);

/// `expression` as an operand of an operator of `precedence`. Bit operators,
/// shifts and comparisons have their operators in parentheses even where the
/// order of precedence would do without: nobody remembers it.
std::string operandOf(const Expression &expression, Precedence precedence,
                      bool right = false);

/// Text that may hold lists: `@f(a, .{ .x = 1 })`.
struct Doc {
  Doc() = default;
  Doc(std::string text) : open(std::move(text)) {}
  Doc(const char *text) : open(text) {}
  Doc(const Expression &expression) : open(expression.text) {}

  /// `callee(arguments)`.
  static Doc call(std::string callee, std::vector<Doc> arguments);
  /// `type{ fields }`; an empty type makes an anonymous one.
  static Doc braces(std::string type, std::vector<Doc> fields);
  /// `.name = value`.
  static Doc field(llvm::StringRef name, Doc value);

  std::string flat() const;

  std::string open;
  std::vector<Doc> items;
  std::string close;
  /// Blanks inside of the brackets.
  bool spaced = false;
  bool isList = false;
  /// Many small items: as many to a line as fit.
  bool fill = false;
};

/// A file that grows line by line.
class Text {
public:
  explicit Text(unsigned step = 2) : step(step) {}
  /// Lines that will be put one level deeper than the next of this.
  Text inner() const {
    Text text(step);
    text.shift = shift + step * (depth + 1);
    return text;
  }

  void line(llvm::StringRef content);
  void blank();
  /// `prefix` `doc` `suffix`, over several lines if need be.
  void write(llvm::StringRef prefix, const Doc &doc, llvm::StringRef suffix);
  /// A line that ends in an opening brace, and what follows indented.
  void open(llvm::StringRef content) {
    line(content);
    ++depth;
  }
  /// `head(items) tail`, which ends in an opening brace.
  void openList(llvm::StringRef head, std::vector<Doc> items,
                llvm::StringRef tail);
  void close(llvm::StringRef content = "}");
  /// The next line belongs to what is around again.
  void leave() { --depth; }
  /// Closes a body and opens the next: `} else {`.
  void reopen(llvm::StringRef content) {
    --depth;
    open(content);
  }
  /// On as many lines as it takes; what is no printed character is a blank.
  void comment(llvm::StringRef text);
  /// The line, where there is one.
  std::optional<std::string> getOnlyLine() const;

  bool empty() const { return lines.empty(); }
  /// Where lines are put in later; a body with nothing in it.
  size_t size() const { return lines.size(); }
  void append(const Text &other);
  std::string str() const;

private:
  std::string indentation() const { return std::string(step * depth, ' '); }
  void writeBroken(std::string prefix, const Doc &doc, llvm::StringRef suffix);

  unsigned step;
  unsigned depth = 0;
  /// Columns that are in front of the lines when they are put in.
  size_t shift = 0;
  std::vector<std::string> lines;
};

} // namespace sequin::csl_to_source

#endif // SEQUIN_LIB_TARGET_CSLSOURCE_TEXT_H
