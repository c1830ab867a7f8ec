//===- EvalPlain.cpp - Methods of numbers and iterators -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace sequin;
using namespace sequin::visa_import;
using Kind = Value::Kind;

std::optional<std::vector<Value>> Evaluator::elementsOf(const Value &value,
                                                        Span place) {
  std::vector<Value> elements;
  if (value.kind == Kind::Range) {
    int64_t first = value.fields[0].value->integer;
    int64_t last = value.fields[1].value->integer;
    if (last - first > 1 << 20) {
      fail(place, "a range of " + llvm::Twine(last - first) +
                      " elements is too long to go over");
      return std::nullopt;
    }
    for (int64_t i = first; i < last; ++i)
      elements.push_back(makeInt(i));
    return elements;
  }
  if (value.kind == Kind::Array) {
    for (const Field &field : value.fields)
      elements.push_back(*field.value);
    return elements;
  }
  fail(place,
       describe(value) + " cannot be gone over; a range or an array can");
  return std::nullopt;
}

Value Evaluator::callNumber(StringRef name, const Value &self,
                            const std::vector<Value> &args, Span place) {
  auto integer = [&](std::optional<int64_t> number) {
    if (!number)
      return fail(place, "'" + name + "' has no value here");
    return checkRange(makeInt(*number, self.name), place);
  };
  bool hasOne = args.size() == 1 && args[0].kind == self.kind;
  if (self.kind == Kind::Int) {
    int64_t a = self.integer, b = hasOne ? args[0].integer : 0;
    if (hasOne) {
      if (name == "min")
        return integer(std::min(a, b));
      if (name == "max")
        return integer(std::max(a, b));
      if (name == "div_ceil")
        return integer(b > 0 && a >= 0 ? std::optional(llvm::divideCeil(a, b))
                                       : std::nullopt);
      if (name == "next_multiple_of")
        return integer(b > 0 && a >= 0
                           ? std::optional(llvm::divideCeil(a, b) * b)
                           : std::nullopt);
      if (name == "is_multiple_of")
        return b == 0 ? makeBool(a == 0) : makeBool(a % b == 0);
      if (name == "rem_euclid" && b > 0)
        return integer(((a % b) + b) % b);
      if (name == "saturating_sub")
        return integer(std::max<int64_t>(
            a - b, self.name.empty() || self.name[0] == 'u' ? 0 : a - b));
      if (name == "abs_diff")
        return integer(a > b ? a - b : b - a);
      if (name == "pow") {
        std::optional<int64_t> power = 1;
        for (int64_t i = 0; power && i < b; ++i)
          power = llvm::checkedMul(*power, a);
        return integer(b < 0 ? std::nullopt : power);
      }
      if (name == "wrapping_add" || name == "wrapping_mul" ||
          name == "wrapping_sub")
        return binary(name == "wrapping_add"   ? ast::BinaryOp::Add
                      : name == "wrapping_mul" ? ast::BinaryOp::Mul
                                               : ast::BinaryOp::Sub,
                      self, args[0], place);
    }
    if (args.empty()) {
      if (name == "abs")
        return integer(a < 0 ? -a : a);
      if (name == "is_power_of_two")
        return makeBool(a > 0 && llvm::isPowerOf2_64(a));
      if (name == "next_power_of_two")
        return integer(a <= 1 ? 1 : int64_t(llvm::PowerOf2Ceil(a)));
      if (name == "ilog2" || name == "trailing_zeros")
        return a > 0 ? makeInt(name == "ilog2" ? llvm::Log2_64(a)
                                               : llvm::countr_zero(uint64_t(a)),
                               "u32")
                     : integer(std::nullopt);
    }
  }
  if (self.kind == Kind::Float && args.empty()) {
    Value result = self;
    if (name == "sqrt" || name == "exp" || name == "abs" || name == "recip" ||
        name == "ln") {
      double x = self.number;
      result.number = name == "sqrt"    ? std::sqrt(x)
                      : name == "exp"   ? std::exp(x)
                      : name == "abs"   ? std::fabs(x)
                      : name == "recip" ? 1 / x
                                        : std::log(x);
      if (self.name != "f64")
        result.number = double(float(result.number));
      return result;
    }
  }
  if (self.kind == Kind::Float && hasOne && (name == "min" || name == "max")) {
    Value result = self;
    result.number = name == "min" ? std::fmin(self.number, args[0].number)
                                  : std::fmax(self.number, args[0].number);
    return result;
  }
  return fail(place,
              describe(self) + " has no method '" + name + "' in a kernel");
}

Value Evaluator::callList(StringRef name, const Value &self,
                          const std::vector<Value> &args, Span place) {
  if (name == "is_empty" || name == "len" || name == "count") {
    int64_t length =
        self.kind == Kind::Array
            ? int64_t(self.fields.size())
            : std::max<int64_t>(0, self.fields[1].value->integer -
                                       self.fields[0].value->integer);
    return name == "is_empty" ? makeBool(length == 0)
                              : makeInt(length, "usize");
  }
  if (name == "contains" && args.size() == 1 && self.kind == Kind::Range &&
      args[0].kind == Kind::Int)
    return makeBool(args[0].integer >= self.fields[0].value->integer &&
                    args[0].integer < self.fields[1].value->integer);
  auto elements = elementsOf(self, place);
  if (!elements)
    return {};
  size_t count = elements->size();
  bool hasNumber =
      args.size() == 1 && args[0].kind == Kind::Int && args[0].integer >= 0;
  size_t number = hasNumber ? size_t(args[0].integer) : 0;
  if (llvm::is_contained({"iter", "iter_mut", "into_iter", "copied", "cloned",
                          "collect", "to_vec", "as_slice"},
                         name))
    return makeArray(std::move(*elements));
  if (name == "enumerate") {
    for (auto [index, element] : llvm::enumerate(*elements))
      element = makeTuple({makeInt(index, "usize"), element});
    return makeArray(std::move(*elements));
  }
  if (name == "rev") {
    std::reverse(elements->begin(), elements->end());
    return makeArray(std::move(*elements));
  }
  if (name == "step_by" && hasNumber && number > 0) {
    std::vector<Value> kept;
    for (size_t i = 0; i < count; i += number)
      kept.push_back((*elements)[i]);
    return makeArray(std::move(kept));
  }
  if ((name == "take" || name == "skip") && hasNumber) {
    size_t at = std::min(number, count);
    if (name == "take")
      elements->resize(at);
    else
      elements->erase(elements->begin(), elements->begin() + at);
    return makeArray(std::move(*elements));
  }
  if ((name == "zip" || name == "chain") && args.size() == 1) {
    auto others = elementsOf(args[0], place);
    if (!others)
      return {};
    if (name == "chain") {
      elements->insert(elements->end(), others->begin(), others->end());
      return makeArray(std::move(*elements));
    }
    std::vector<Value> pairs;
    for (auto [left, right] : llvm::zip(*elements, *others))
      pairs.push_back(makeTuple({left, right}));
    return makeArray(std::move(pairs));
  }
  if ((name == "chunks" || name == "windows") && hasNumber && number > 0) {
    std::vector<Value> parts;
    size_t step = name == "chunks" ? number : 1;
    for (size_t i = 0; i < count; i += step) {
      if (name == "windows" && i + number > count)
        break;
      parts.push_back(
          makeArray({elements->begin() + i,
                     elements->begin() + std::min(count, i + number)}));
    }
    return makeArray(std::move(parts));
  }
  bool hasClosure = args.size() == 1 && args[0].kind == Kind::Closure;
  if (hasClosure &&
      llvm::is_contained(
          {"map", "filter", "for_each", "flat_map", "all", "any"}, name)) {
    std::vector<Value> results;
    for (const Value &element : *elements) {
      if (!spend(place))
        return {};
      Value result = strip(callClosure(args[0], {element}, place));
      if (result.isError())
        return {};
      if (name == "map") {
        results.push_back(result);
      } else if (name == "filter") {
        if (result.kind == Kind::Bool && result.boolean)
          results.push_back(element);
      } else if (name == "flat_map") {
        auto inner = elementsOf(result, place);
        if (!inner)
          return {};
        llvm::append_range(results, *inner);
      } else if (name != "for_each" && result.kind == Kind::Bool &&
                 result.boolean == (name == "any")) {
        return result;
      }
    }
    if (name == "all" || name == "any")
      return makeBool(name == "all");
    return name == "for_each" ? makeUnit() : makeArray(std::move(results));
  }
  if (name == "fold" && args.size() == 2 && args[1].kind == Kind::Closure) {
    Value sum = args[0];
    for (const Value &element : *elements) {
      sum = callClosure(args[1], {sum, element}, place);
      if (sum.isError())
        return {};
    }
    return sum;
  }
  if (args.empty() && (name == "sum" || name == "product")) {
    bool isSum = name == "sum";
    Value result = makeInt(isSum ? 0 : 1);
    for (const Value &element : *elements)
      result = result.isError() ? Value()
               : &element == &elements->front()
                   ? element
                   : binary(isSum ? ast::BinaryOp::Add : ast::BinaryOp::Mul,
                            result, element, place);
    return result;
  }
  if (args.empty() && count > 0 &&
      llvm::is_contained({"min", "max", "first", "last"}, name)) {
    if (name == "first")
      return elements->front();
    if (name == "last")
      return elements->back();
    return *std::min_element(elements->begin(), elements->end(),
                             [&](const Value &a, const Value &b) {
                               return name == "min" ? a.integer < b.integer
                                                    : a.integer > b.integer;
                             });
  }
  return fail(place,
              describe(self) + " has no method '" + name + "' in a kernel");
}

std::optional<Value> Evaluator::callPlain(const ast::MethodCall &expr,
                                          const Value &self,
                                          const std::vector<Value> &args) {
  StringRef name = expr.name.text;
  bool isOption = self.kind == Kind::Choice && self.name == "Option";
  if (isOption && name == "unwrap")
    return callOption(expr, self, args);
  if (args.empty() &&
      llvm::is_contained({"clone", "into", "to_owned", "unwrap", "as_ref",
                          "as_mut", "borrow", "try_into"},
                         name))
    return self;
  switch (self.kind) {
  case Kind::Choice:
    return self.name == "Option" ? callOption(expr, self, args) : std::nullopt;
  case Kind::Int:
  case Kind::Float:
    return callNumber(name, self, args, expr.name.span);
  case Kind::Array:
  case Kind::Range:
    return callList(name, self, args, expr.name.span);
  default:
    return std::nullopt;
  }
}
