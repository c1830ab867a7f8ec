//===- DsdAccess.cpp - CSL's tensor access expressions --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/Dsd.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace sequin;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

bool AffineForm::isConstant() const {
  return llvm::all_of(coefficients, [](int64_t c) { return c == 0; });
}

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

namespace {

bool isNameStart(char c) { return llvm::isAlpha(c) || c == '_'; }
bool isNameChar(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The text, shortened so that a message stays readable. Unprintable characters
/// are shown as '?'.
std::string shorten(StringRef text) {
  std::string result = text.substr(0, 200).str();
  for (char &c : result)
    if (!llvm::isPrint(c))
      c = '?';
  if (text.size() > 200)
    result += "...";
  return result;
}

/// A recursive-descent parser that computes affine forms as it goes; only
/// parentheses and signs recurse.
class AccessParser {
public:
  explicit AccessParser(StringRef text) : text(text) {}

  llvm::Expected<TensorAccess> run() {
    if (text.size() > TensorAccess::maxTextLength)
      return llvm::createStringError(
          "tensor access has " + Twine(text.size()) + " characters, at most " +
          Twine(TensorAccess::maxTextLength) + " are allowed");
    if (llvm::Error error = parseVariables())
      return error;
    if (llvm::Error error = parseExtents())
      return error;
    if (!consume("->"))
      return expected("'->'");
    auto array = parseName("the name of an array");
    if (!array)
      return array.takeError();
    access.array = *array;
    if (llvm::Error error = parseIndices())
      return error;
    skipSpace();
    if (pos != text.size())
      return expected("the end of the text");
    return std::move(access);
  }

private:
  llvm::Error fail(size_t at, const Twine &what) const {
    return llvm::createStringError("column " + Twine(at + 1) + " of '" +
                                   shorten(text) + "': " + what);
  }

  llvm::Error expected(const Twine &what) {
    skipSpace();
    std::string found = "the end of the text";
    if (pos < text.size())
      found =
          llvm::isPrint(text[pos])
              ? "'" + std::string(1, text[pos]) + "'"
              : "byte " + std::to_string(static_cast<unsigned char>(text[pos]));
    return fail(pos, "expected " + what + ", found " + found);
  }

  void skipSpace() {
    while (pos < text.size() && llvm::isSpace(text[pos]))
      ++pos;
  }

  bool consume(StringRef token) {
    skipSpace();
    if (!text.substr(pos).starts_with(token))
      return false;
    pos += token.size();
    return true;
  }

  bool peek(char c) {
    skipSpace();
    return pos < text.size() && text[pos] == c;
  }

  llvm::Expected<std::string> parseName(StringRef what) {
    skipSpace();
    if (pos >= text.size() || !isNameStart(text[pos]))
      return expected(what);
    size_t start = pos;
    while (pos < text.size() && isNameChar(text[pos]))
      ++pos;
    return text.slice(start, pos).str();
  }

  llvm::Error parseVariables() {
    if (!consume("|"))
      return expected("'|' and the induction variables");
    do {
      skipSpace();
      size_t start = pos;
      auto name = parseName("an induction variable");
      if (!name)
        return name.takeError();
      if (llvm::is_contained(access.variables, *name))
        return fail(start, "induction variable '" + shorten(*name) +
                               "' is given twice");
      if (access.variables.size() == TensorAccess::maxVariables)
        return fail(start, "more than " + Twine(TensorAccess::maxVariables) +
                               " induction variables");
      access.variables.push_back(std::move(*name));
    } while (consume(",") && !peek('|'));
    if (!consume("|"))
      return expected("',' or '|'");
    return llvm::Error::success();
  }

  llvm::Error parseExtents() {
    if (!consume("{"))
      return expected("'{' and the lengths");
    inLengths = true;
    do {
      skipSpace();
      size_t start = pos;
      auto form = parseSum(0);
      if (!form)
        return form.takeError();
      if (access.extents.size() == access.variables.size())
        return fail(start, "expected " + Twine(access.variables.size()) +
                               " lengths, one per induction variable, found "
                               "more");
      if (form->constant < 0)
        return fail(
            start,
            "length of '" + shorten(access.variables[access.extents.size()]) +
                "' is " + Twine(form->constant) + ", expected at least 0");
      access.extents.push_back(form->constant);
    } while (consume(",") && !peek('}'));
    inLengths = false;
    if (!peek('}'))
      return expected("an operator, ',' or '}'");
    if (access.extents.size() != access.variables.size())
      return fail(pos, "expected " + Twine(access.variables.size()) +
                           " lengths, one per induction variable, found " +
                           Twine(access.extents.size()));
    consume("}");
    return llvm::Error::success();
  }

  llvm::Error parseIndices() {
    if (!consume("["))
      return expected("'[' and the index expressions");
    do {
      auto form = parseSum(0);
      if (!form)
        return form.takeError();
      access.indices.push_back(std::move(*form));
    } while (consume(",") && !peek(']'));
    if (!consume("]"))
      return expected("an operator, ',' or ']'");
    return llvm::Error::success();
  }

  AffineForm constantForm(int64_t value) const {
    AffineForm form;
    form.constant = value;
    form.coefficients.assign(access.variables.size(), 0);
    return form;
  }

  /// Applies a checked operation to every number of two forms; false on
  /// overflow.
  template <typename Operation>
  static bool combine(AffineForm &into, const AffineForm &other,
                      Operation operation) {
    auto apply = [&](int64_t &a, int64_t b) {
      std::optional<int64_t> result = operation(a, b);
      a = result.value_or(0);
      return result.has_value();
    };
    bool fits = apply(into.constant, other.constant);
    for (auto [a, b] : llvm::zip_equal(into.coefficients, other.coefficients))
      fits = apply(a, b) && fits;
    return fits;
  }

  static bool scale(AffineForm &form, int64_t factor) {
    return combine(form, form, [factor](int64_t a, int64_t) {
      return llvm::checkedMul(a, factor);
    });
  }

  llvm::Error overflow(size_t at) const {
    return fail(at, "a number of the expression does not fit in 64 bits");
  }

  llvm::Expected<AffineForm> parseSum(unsigned depth) {
    auto sum = parseProduct(depth);
    while (sum) {
      skipSpace();
      size_t at = pos;
      bool add = consume("+");
      // The arrow of a missing '}' is no operator.
      if (!add && (text.substr(pos).starts_with("->") || !consume("-")))
        return sum;
      auto right = parseProduct(depth);
      if (!right)
        return right.takeError();
      if (!combine(*sum, *right, [add](int64_t a, int64_t b) {
            return add ? llvm::checkedAdd(a, b) : llvm::checkedSub(a, b);
          }))
        return overflow(at);
    }
    return sum;
  }

  llvm::Expected<AffineForm> parseProduct(unsigned depth) {
    auto product = parseFactor(depth);
    while (product) {
      skipSpace();
      size_t at = pos;
      char op = pos < text.size() ? text[pos] : '\0';
      if (op != '*' && op != '/' && op != '%')
        return product;
      ++pos;
      auto right = parseFactor(depth);
      if (!right)
        return right.takeError();
      if (op != '*') {
        if (llvm::Error error = divide(*product, *right, op, at))
          return error;
        continue;
      }
      if (!right->isConstant()) {
        if (!product->isConstant())
          return fail(at, "the index is not affine: both sides of '*' hold an "
                          "induction variable");
        std::swap(*product, *right);
      }
      if (!scale(*product, right->constant))
        return overflow(at);
    }
    return product;
  }

  llvm::Error divide(AffineForm &left, const AffineForm &right, char op,
                     size_t at) {
    if (!left.isConstant() || !right.isConstant())
      return fail(at, "the index is not affine: a side of '" + Twine(op) +
                          "' holds an induction variable");
    if (right.constant == 0)
      return fail(at, "division by zero");
    // The one quotient that does not fit; its remainder is 0.
    if (right.constant == -1) {
      if (op == '%')
        left.constant = 0;
      else if (!scale(left, -1))
        return overflow(at);
      return llvm::Error::success();
    }
    left.constant = op == '/' ? left.constant / right.constant
                              : left.constant % right.constant;
    return llvm::Error::success();
  }

  llvm::Expected<AffineForm> parseFactor(unsigned depth) {
    skipSpace();
    size_t start = pos;
    if (depth > TensorAccess::maxDepth)
      return fail(start, "the expression nests deeper than " +
                             Twine(TensorAccess::maxDepth) + " levels");
    if (pos < text.size() && llvm::isDigit(text[pos]))
      return parseNumber();
    if (pos < text.size() && isNameStart(text[pos])) {
      auto name = parseName("a name");
      if (!name)
        return name.takeError();
      if (inLengths)
        return fail(start, "lengths are constant, found the name '" +
                               shorten(*name) + "'");
      auto *it = llvm::find(access.variables, *name);
      if (it == access.variables.end())
        return fail(start, "'" + shorten(*name) +
                               "' is no induction variable, known are " +
                               shorten(llvm::join(access.variables, ", ")));
      AffineForm form = constantForm(0);
      form.coefficients[it - access.variables.begin()] = 1;
      return form;
    }
    if (consume("-")) {
      auto operand = parseFactor(depth + 1);
      if (operand && !scale(*operand, -1))
        return overflow(start);
      return operand;
    }
    if (consume("(")) {
      auto inner = parseSum(depth + 1);
      if (inner && !consume(")"))
        return expected("an operator or ')'");
      return inner;
    }
    return expected(inLengths ? "a number, '-' or '('"
                              : "a number, an induction variable, '-' or '('");
  }

  llvm::Expected<AffineForm> parseNumber() {
    size_t start = pos;
    while (pos < text.size() && isNameChar(text[pos]))
      ++pos;
    StringRef literal = text.slice(start, pos);
    unsigned radix = 10;
    StringRef digits = literal;
    if (digits.consume_front("0x"))
      radix = 16;
    else if (digits.consume_front("0o"))
      radix = 8;
    else if (digits.consume_front("0b"))
      radix = 2;
    std::string plain;
    for (char c : digits)
      if (c != '_')
        plain += c;
    bool valid = llvm::all_of(plain, [radix](char c) {
      return llvm::hexDigitValue(c) < radix; // ~0U for other characters
    });
    if (plain.empty() || !valid || !llvm::isAlnum(digits.front()) ||
        digits.back() == '_')
      return fail(start, "'" + shorten(literal) + "' is no integer literal");
    int64_t value;
    if (StringRef(plain).getAsInteger(radix, value))
      return fail(start,
                  "number " + shorten(literal) + " does not fit in 64 bits");
    return constantForm(value);
  }

  StringRef text;
  size_t pos = 0;
  bool inLengths = false;
  TensorAccess access;
};

} // namespace

llvm::Expected<TensorAccess> TensorAccess::parse(StringRef text) {
  return AccessParser(text).run();
}

//===----------------------------------------------------------------------===//
// Lowering and back
//===----------------------------------------------------------------------===//

static std::string showShape(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ",") + std::to_string(size);
  return "[" + text + "]";
}

llvm::Expected<MemDsd> TensorAccess::lower(ArrayRef<int64_t> shape,
                                           std::optional<DsdKind> kind) const {
  if (indices.size() != shape.size())
    return llvm::createStringError(
        "the access has " + Twine(indices.size()) +
        " index expressions, expected " + Twine(shape.size()) + " because '" +
        shorten(array) + "' has the shape " + shorten(showShape(shape)));
  // Row-major: a step of the last index moves by one element.
  AffineForm flat;
  flat.coefficients.assign(variables.size(), 0);
  int64_t rowStride = 1;
  auto accumulate = [&](int64_t &into, int64_t value) {
    auto product = llvm::checkedMul(value, rowStride);
    auto sum = product ? llvm::checkedAdd(into, *product) : std::nullopt;
    into = sum.value_or(0);
    return sum.has_value();
  };
  for (size_t d = shape.size(); d-- > 0;) {
    if (!accumulate(flat.constant, indices[d].constant))
      return llvm::createStringError(
          "the offset of the access does not fit in 64 bits");
    for (auto [v, coefficient] : llvm::enumerate(indices[d].coefficients))
      if (!accumulate(flat.coefficients[v], coefficient))
        return llvm::createStringError("the stride of '" +
                                       shorten(variables[v]) +
                                       "' does not fit in 64 bits");
    auto next = llvm::checkedMul(rowStride, shape[d]);
    if (!next)
      return llvm::createStringError("the shape " + shorten(showShape(shape)) +
                                     " has more elements than fit in 64 bits");
    rowStride = *next;
  }

  DsdStrides inner(llvm::reverse(flat.coefficients));
  DsdStrides lengths(llvm::reverse(extents));
  auto stored = carryAdjusted(inner, lengths);
  if (!stored)
    return stored.takeError();
  MemDsd dsd;
  dsd.kind =
      kind ? *kind : (variables.size() == 1 ? DsdKind::Mem1d : DsdKind::Mem4d);
  dsd.offset = flat.constant;
  for (auto [stride, length, variable] :
       llvm::zip_equal(*stored, lengths, llvm::reverse(variables)))
    dsd.dimensions.push_back({length, stride, variable});
  return dsd;
}

llvm::Expected<TensorAccess> sequin::toTensorAccess(const MemDsd &dsd,
                                                    StringRef array) {
  auto strides = dsd.absolute();
  if (!strides)
    return strides.takeError();
  TensorAccess access;
  access.array = array.str();
  AffineForm index;
  index.constant = dsd.offset;
  size_t count = dsd.dimensions.size();
  for (size_t v = 0; v < count; ++v) {
    access.variables.push_back(count <= 4 ? std::string(1, "ijkl"[v])
                                          : "i" + std::to_string(v));
    access.extents.push_back(dsd.dimensions[count - 1 - v].extent);
    index.coefficients.push_back((*strides)[count - 1 - v]);
  }
  access.indices.push_back(std::move(index));
  return access;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void appendTerm(std::string &text, int64_t value, StringRef variable) {
  if (value == 0)
    return;
  std::string magnitude = std::to_string(value);
  if (value < 0)
    magnitude.erase(0, 1);
  if (text.empty())
    text += value < 0 ? "-" : "";
  else
    text += value < 0 ? " - " : " + ";
  if (variable.empty())
    text += magnitude;
  else if (magnitude == "1")
    text += variable;
  else
    text += magnitude + "*" + variable.str();
}

std::string TensorAccess::str() const {
  std::string text = "|" + llvm::join(variables, ",") + "|{";
  for (auto [v, extent] : llvm::enumerate(extents))
    text += (v ? "," : "") + std::to_string(extent);
  text += "} -> " + array + "[";
  for (auto [d, index] : llvm::enumerate(indices)) {
    std::string sum;
    for (auto [coefficient, variable] :
         llvm::zip_equal(index.coefficients, variables))
      appendTerm(sum, coefficient, variable);
    appendTerm(sum, index.constant, "");
    text += (d ? ", " : "") + (sum.empty() ? "0" : sum);
  }
  return text + "]";
}

llvm::Expected<llvm::SmallVector<int64_t, 4>>
sequin::parseArrayShape(StringRef text) {
  llvm::SmallVector<StringRef, 4> parts;
  text.split(parts, ',');
  llvm::SmallVector<int64_t, 4> shape;
  for (StringRef part : parts) {
    int64_t size;
    if (part.trim().getAsInteger(10, size) || size < 1)
      return llvm::createStringError(
          "'" + shorten(part.trim()) +
          "' is no array size, expected a number of at least 1 that fits in "
          "64 bits");
    shape.push_back(size);
  }
  return shape;
}

llvm::Expected<int64_t> sequin::elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    auto product = llvm::checkedMul(count, size);
    if (!product)
      return llvm::createStringError("the shape " + shorten(showShape(shape)) +
                                     " has more elements than fit in 64 bits");
    count = *product;
  }
  return count;
}
