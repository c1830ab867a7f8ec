//===- Comparisons.cpp - Comparisons as arithmetic -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector engine has no comparison that gives a value. The sign of a
// difference is one: an arithmetic shift by 31 makes a mask of it. Maxima and
// minima return the operand that is not NaN, which turns NaN into a number on
// the way.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include <cmath>

using namespace mlir;
using namespace sequin::normalize_linalg;

static constexpr int32_t kInfinityBits = 0x7f800000;

bool ScalarBuilder::neverNan(Value x) {
  if (std::optional<float> c = constantF(x))
    return !std::isnan(*c);
  return x.getDefiningOp<arith::SIToFPOp>() != nullptr;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value ScalarBuilder::less(Value x, Value y) {
  if ((range(x) - range(y)).fits(32))
    return shiftRight(sub(x, y), 31);
  // The smaller one is not y.
  Value difference = bitXor(make<arith::MinSIOp>(x, y), y);
  return nonZero(difference, constant(0), constant(-1));
}

/// Two constants that differ by one.
Value ScalarBuilder::nonZero(Value x, Value ifZero, Value ifNot) {
  IntRange r = range(x);
  if (r.low >= 0) // -1 for zero
    return constantI(ifZero) == -1 ? shiftRight(sub(x, constant(1)), 31)
                                   : shiftRight(sub(constant(0), x), 31);
  Value sign =
      make<arith::MaxSIOp>(make<arith::MinSIOp>(x, constant(1)), constant(-1));
  Value one = bitAnd(sign, constant(1));
  return constantI(ifZero) == -1 ? sub(one, constant(1))
                                 : sub(constant(0), one);
}

Value ScalarBuilder::equal(Value x, Value y) {
  return nonZero(bitXor(x, y), constant(-1), constant(0));
}

Value ScalarBuilder::compare(arith::CmpIPredicate predicate, Value x, Value y,
                             bool isUnsigned) {
  using P = arith::CmpIPredicate;
  if (isUnsigned && (range(x).low < 0 || range(y).low < 0)) {
    x = bitXor(x, constant(INT32_MIN));
    y = bitXor(y, constant(INT32_MIN));
  }
  switch (predicate) {
  case P::eq:
    return equal(x, y);
  case P::ne:
    return nonZero(bitXor(x, y), constant(0), constant(-1));
  case P::slt:
  case P::ult:
    return less(x, y);
  case P::sgt:
  case P::ugt:
    return less(y, x);
  case P::sle:
  case P::ule:
    return negateMask(less(y, x));
  case P::sge:
  case P::uge:
    return negateMask(less(x, y));
  }
  llvm_unreachable("unknown predicate");
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// -1 for numbers below zero, else 0; NaN and -0 included.
Value ScalarBuilder::lessF(Value x, Value y) {
  std::optional<float> c = constantF(x), d = constantF(y);
  if ((c && std::isnan(*c)) || (d && std::isnan(*d)))
    return none();
  float zero = 0.0f;
  Value difference;
  if (d && *d == 0) {
    difference = addF(x, constant(zero));
  } else {
    difference = subF(x, y);
    // -0 - +0 is -0.
    if (!(c || d))
      difference = addF(difference, constant(zero));
  }
  Value negative = make<arith::MinNumFOp>(difference, constant(zero));
  return shiftRight(bits(negative), 31);
}

Value ScalarBuilder::notLessF(Value x, Value y) {
  std::optional<float> c = constantF(x), d = constantF(y);
  if ((c && std::isnan(*c)) || (d && std::isnan(*d)))
    return none();
  if ((c && std::isfinite(*c)) || (d && std::isfinite(*d))) {
    // No infinity is subtracted from itself: the difference is NaN only if an
    // operand is.
    Value difference = d && *d == 0 ? addF(x, constant(0.0f)) : subF(x, y);
    Value number = make<arith::MaxNumFOp>(difference, constant(-1.0f));
    return negateMask(shiftRight(bits(number), 31));
  }
  Value mask = negateMask(lessF(x, y));
  return bitAnd(ordered(x), bitAnd(ordered(y), mask));
}

Value ScalarBuilder::ordered(Value x) {
  if (neverNan(x))
    return constant(-1);
  Value magnitude = bitAnd(bits(x), constant(INT32_MAX));
  return shiftRight(sub(magnitude, constant(kInfinityBits + 1)), 31);
}

Value ScalarBuilder::equalF(Value x, Value y) {
  if (constantF(x))
    std::swap(x, y);
  if (std::optional<float> c = constantF(y)) {
    if (std::isnan(*c))
      return none();
    Value same = bits(addF(x, constant(0.0f)));
    return equal(same, bits(constant(*c + 0.0f)));
  }
  // Zero for equal ones, for infinities subtracted from themselves and for NaN.
  Value distance = make<arith::MaxNumFOp>(absF(subF(x, y)), constant(0.0f));
  Value mask = shiftRight(sub(bits(distance), constant(1)), 31);
  return bitAnd(ordered(x), bitAnd(ordered(y), mask));
}

Value ScalarBuilder::compare(arith::CmpFPredicate predicate, Value x, Value y) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return none();
  case P::AlwaysTrue:
    return constant(-1);
  case P::OEQ:
    return equalF(x, y);
  case P::UNE:
    return negateMask(equalF(x, y));
  case P::OLT:
    return lessF(x, y);
  case P::OGT:
    return lessF(y, x);
  case P::UGE:
    return negateMask(lessF(x, y));
  case P::ULE:
    return negateMask(lessF(y, x));
  case P::OGE:
    return notLessF(x, y);
  case P::OLE:
    return notLessF(y, x);
  case P::ULT:
    return negateMask(notLessF(x, y));
  case P::UGT:
    return negateMask(notLessF(y, x));
  case P::ONE:
    return bitOr(lessF(x, y), lessF(y, x));
  case P::UEQ:
    return negateMask(bitOr(lessF(x, y), lessF(y, x)));
  case P::ORD:
    return bitAnd(ordered(x), ordered(y));
  case P::UNO:
    return negateMask(bitAnd(ordered(x), ordered(y)));
  }
  llvm_unreachable("unknown predicate");
}

Value ScalarBuilder::select(Value mask, Value x, Value y) {
  if (x == y)
    return x;
  if (std::optional<int32_t> c = constantI(mask))
    return *c ? x : y;
  bool isFloat = isa<FloatType>(x.getType());
  auto word = [&](Value v) { return isFloat ? bits(v) : v; };
  Value result, a = word(x), b = word(y);
  if (constantI(a) && constantI(b))
    result = bitXor(bitAnd(mask, bitXor(a, b)), b);
  else if (constantI(b) == 0)
    result = bitAnd(a, mask);
  else if (constantI(a) == 0)
    result = bitAnd(b, negateMask(mask));
  else if (constantI(a) || (!isAtom(b) && isAtom(a)))
    // What occurs twice is best no computed value.
    result = bitXor(bitAnd(bitXor(b, a), negateMask(mask)), a);
  else
    result = bitXor(bitAnd(bitXor(a, b), mask), b);
  return isFloat ? number(result) : result;
}
