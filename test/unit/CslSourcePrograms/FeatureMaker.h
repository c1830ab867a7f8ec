//===- FeatureMaker.h - What makes a program's features ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each kind of feature; SourceFeatures.cpp has those of types
// and modules, VectorFeatures.cpp those on descriptors, LanguageFeatures.cpp
// what the language does with functions and numbers, DataFeatures.cpp records,
// pointers, libraries and what PEs differ in.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_FEATUREMAKER_H
#define SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_FEATUREMAKER_H

#include "SourceFeatures.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace sequin::testing::model {

inline constexpr int64_t kVector = 8;

using Meaning = std::function<void(Scope &)>;

/// Lines of source.
inline StmtPtr source(std::string text, Meaning meaning) {
  auto made = std::make_shared<Stmt>();
  made->kind = Stmt::Kind::Source;
  made->text = std::move(text);
  made->meaning = std::move(meaning);
  return made;
}

inline std::shared_ptr<Expr> makeExpr(Expr::Kind kind, Ty type,
                                      std::string text,
                                      std::vector<ExprPtr> operands = {}) {
  auto made = std::make_shared<Expr>();
  made->kind = kind;
  made->type = type;
  made->text = std::move(text);
  made->operands = std::move(operands);
  return made;
}

/// An expression beside an operator.
inline std::string bracketed(const ExprPtr &expression) {
  return "(" + expression->str() + ")";
}

/// The low bits of an expression, which then fit a smaller type.
inline ExprPtr masked(ExprPtr operand, int64_t mask) {
  auto limit = makeExpr(Expr::Kind::Literal, operand->type, "");
  limit->value = mask;
  Ty type = operand->type;
  return makeExpr(Expr::Kind::Binary, type, "&", {std::move(operand), limit});
}

inline int64_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float floatOf(int64_t bits) {
  auto word = static_cast<uint32_t>(bits);
  float value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

inline int64_t roll(std::mt19937_64 &random, int64_t low, int64_t high) {
  return low +
         static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

/// A format of 16-bit floats; a program has one (DOP-006).
struct HalfFormat {
  const char *name;
  int mantissa, bias;
};

/// In the order of csl::Fp16.
inline constexpr HalfFormat kHalfFormats[] = {
    {"f16", 10, 15}, {"cb16", 9, 42}, {"bf16", 7, 127}};

/// A number that the format has exactly, as its bits.
inline int64_t halfOf(const HalfFormat &format, double value) {
  int64_t bits = std::signbit(value) ? 0x8000 : 0;
  if (value == 0)
    return bits;
  int exponent = 0;
  double fraction = std::frexp(std::fabs(value), &exponent);
  int64_t digits = int64_t(1) << format.mantissa;
  return bits | int64_t(exponent - 1 + format.bias) << format.mantissa |
         (static_cast<int64_t>(fraction * 2 * static_cast<double>(digits)) &
          (digits - 1));
}

/// The elements of a window of an array that an operation takes one by one.
struct Window {
  std::string array;
  int64_t offset = 0, stride = 1, extent = 1;

  int64_t at(int64_t i) const { return offset + stride * i; }
  std::string str() const {
    return "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{" +
           std::to_string(extent) + "} -> " + array + "[" +
           std::to_string(stride) + " * i + " + std::to_string(offset) + "] })";
  }
};

/// A window of some elements of an array with `size`, forwards or backwards.
inline Window windowOf(std::mt19937_64 &random, const std::string &array,
                       int64_t size, int64_t extent) {
  Window window{array, 0, 1, extent};
  int64_t step =
      extent > 1 ? std::min<int64_t>(3, (size - 1) / (extent - 1)) : 3;
  window.stride = roll(random, 1, step);
  int64_t last = window.stride * (extent - 1);
  window.offset = roll(random, 0, size - 1 - last);
  if (random() % 3 == 0) {
    window.offset += last;
    window.stride = -window.stride;
  }
  return window;
}

class FeatureMaker {
public:
  FeatureMaker(std::mt19937_64 &random,
               const std::function<std::string(const std::string &)> &fresh)
      : random(random), fresh(fresh) {}

  Feature run() {
    if (random() % 3 == 0)
      out.fp16 = static_cast<unsigned>(1 + random() % 2);
    half = kHalfFormats[out.fp16];
    void (FeatureMaker::*const kinds[])() = {
        &FeatureMaker::structure,   &FeatureMaker::enumeration,
        &FeatureMaker::pointers,    &FeatureMaker::floats,
        &FeatureMaker::smalls,      &FeatureMaker::modules,
        &FeatureMaker::fifo,        &FeatureMaker::registers,
        &FeatureMaker::descriptors, &FeatureMaker::grids,
        &FeatureMaker::integers,    &FeatureMaker::floatVectors,
        &FeatureMaker::maps,        &FeatureMaker::rings,
        &FeatureMaker::recursion,   &FeatureMaker::generics,
        &FeatureMaker::callbacks,   &FeatureMaker::packed,
        &FeatureMaker::widths,      &FeatureMaker::specials,
        &FeatureMaker::arrayValues, &FeatureMaker::prongs,
        &FeatureMaker::unrolled,    &FeatureMaker::records,
        &FeatureMaker::references,  &FeatureMaker::library,
        &FeatureMaker::places};
    for (auto kind : kinds)
      if (random() % 3 == 0)
        (this->*kind)();
    return std::move(out);
  }

private:
  int64_t between(int64_t low, int64_t high) { return roll(random, low, high); }
  int64_t small(Ty type) {
    return type == Ty::Bool ? between(0, 1)
                            : between(isSigned(type) ? -20 : 0, 20);
  }
  static std::string literal(Ty type, int64_t value) {
    return type == Ty::Bool ? (value ? "true" : "false")
                            : std::to_string(value);
  }
  std::vector<int64_t> row(Ty type) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < kVector; ++i)
      values.push_back(small(type));
    return values;
  }
  static std::string rowLiteral(Ty type, const std::vector<int64_t> &values) {
    std::string text = "[8]" + nameOf(type) + " { ";
    for (size_t i = 0; i < values.size(); ++i)
      text += (i ? ", " : "") + std::to_string(values[i]);
    return text + " }";
  }
  void declare(const std::string &line) { out.declarations += line + "\n"; }
  /// A place that is copied into a variable of its own at the end.
  void cell(const std::string &text, Ty type, std::vector<int64_t> initial,
            bool isFree = true) {
    bool isArray = initial.size() > 1;
    std::string variable = fresh("end");
    declare("var " + variable + ": " + (isArray ? "[8]" : "") + nameOf(type) +
            (isArray            ? " = @zeros([8]" + nameOf(type) + ")"
             : type == Ty::Bool ? " = false"
                                : " = 0") +
            ";");
    out.cells.push_back({text, type, std::move(initial), isArray, isFree});
    out.outputs.push_back({variable, text});
    out.ending += "  " + variable + " = " + text + ";\n";
  }
  /// A variable that is its own output.
  void variable(const std::string &text, Ty type, std::vector<int64_t> initial,
                bool isFree = true) {
    bool isArray = initial.size() > 1;
    out.cells.push_back({text, type, std::move(initial), isArray, isFree,
                         /*isVariable=*/true});
    out.outputs.push_back({text, text, true});
  }
  void statement(std::function<StmtPtr(const Giver &)> make) {
    out.statements.push_back(std::move(make));
  }

  /// An array that only statements of its kind name.
  std::string array(const std::string &stem, Ty type,
                    const std::vector<int64_t> &values) {
    std::string name = fresh(stem), list;
    for (int64_t value : values)
      list += (list.empty() ? "" : ", ") + std::to_string(value);
    declare("var " + name + " = [" + std::to_string(values.size()) + "]" +
            nameOf(type) + " { " + list + " };");
    variable(name, type, values, false);
    return name;
  }
  /// The same of what `type` is the bits of.
  std::string array(const std::string &stem, const std::string &element,
                    Ty type, const std::vector<int64_t> &numbers,
                    const std::function<int64_t(double)> &encode) {
    std::string name = fresh(stem), list;
    std::vector<int64_t> bits;
    for (int64_t number : numbers) {
      list += (list.empty() ? "" : ", ") + std::to_string(number) + ".0";
      bits.push_back(encode(static_cast<double>(number)));
    }
    declare("var " + name + " = [" + std::to_string(numbers.size()) + "]" +
            element + " { " + list + " };");
    variable(name, type, bits, false);
    return name;
  }
  /// A number that only statements of its kind name.
  std::string number(const std::string &stem, Ty type, int64_t value) {
    std::string name = fresh(stem);
    declare("var " + name + ": " + nameOf(type) + " = " +
            std::to_string(value) + ";");
    variable(name, type, {value}, false);
    return name;
  }
  /// What the model remembers and no variable holds.
  void remember(const std::string &key, int64_t value) {
    out.cells.push_back({key, Ty::I32, {value}, false, false});
  }

  void structure();
  void enumeration();
  void pointers();
  void floats();
  void smalls();
  void modules();
  void fifo();
  void registers();
  // VectorFeatures.cpp
  void descriptors();
  void grids();
  void integers();
  void floatVectors();
  void maps();
  void rings();
  // LanguageFeatures.cpp
  void recursion();
  void generics();
  void callbacks();
  void packed();
  void widths();
  void specials();
  void arrayValues();
  void prongs();
  void unrolled();
  // DataFeatures.cpp
  void records();
  void references();
  void library();
  void places();

  std::mt19937_64 &random;
  const std::function<std::string(const std::string &)> &fresh;
  HalfFormat half = kHalfFormats[0];
  Feature out;
};

} // namespace sequin::testing::model

#endif // SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_FEATUREMAKER_H
