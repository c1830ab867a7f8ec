//===- Integer.cpp - Integers without bound -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Integer.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MathExtras.h"

using namespace sequin::csl_import;
using llvm::APInt;

void Integer::shrink() {
  unsigned width = llvm::alignTo(std::max(bits.getSignificantBits(), 1u), 64);
  if (width != bits.getBitWidth())
    bits = bits.sextOrTrunc(width);
}

std::optional<Integer> Integer::make(APInt value) {
  Integer result(value);
  if (result.bits.getBitWidth() > kMaxBits)
    return std::nullopt;
  return result;
}

double Integer::toDouble(const llvm::fltSemantics &semantics) const {
  llvm::APFloat number(semantics);
  number.convertFromAPInt(bits, /*IsSigned=*/true,
                          llvm::APFloat::rmNearestTiesToEven);
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

namespace sequin::csl_import {

static unsigned widest(const APInt &a, const APInt &b) {
  return std::max(a.getBitWidth(), b.getBitWidth());
}

std::optional<Integer> add(const Integer &a, const Integer &b) {
  if (a.isSmall() && b.isSmall()) {
    int64_t result;
    if (!__builtin_add_overflow(a.bits.getSExtValue(), b.bits.getSExtValue(),
                                &result))
      return Integer(result);
  }
  unsigned width = widest(a.bits, b.bits) + 64;
  return Integer::make(a.widened(width) + b.widened(width));
}
std::optional<Integer> sub(const Integer &a, const Integer &b) {
  if (a.isSmall() && b.isSmall()) {
    int64_t result;
    if (!__builtin_sub_overflow(a.bits.getSExtValue(), b.bits.getSExtValue(),
                                &result))
      return Integer(result);
  }
  unsigned width = widest(a.bits, b.bits) + 64;
  return Integer::make(a.widened(width) - b.widened(width));
}
std::optional<Integer> mul(const Integer &a, const Integer &b) {
  if (a.isSmall() && b.isSmall()) {
    int64_t result;
    if (!__builtin_mul_overflow(a.bits.getSExtValue(), b.bits.getSExtValue(),
                                &result))
      return Integer(result);
  }
  unsigned width = a.bits.getBitWidth() + b.bits.getBitWidth();
  return Integer::make(a.widened(width) * b.widened(width));
}
Integer div(const Integer &a, const Integer &b) {
  unsigned width = widest(a.bits, b.bits) + 64;
  return Integer(a.widened(width).sdiv(b.widened(width)));
}
Integer rem(const Integer &a, const Integer &b) {
  unsigned width = widest(a.bits, b.bits) + 64;
  return Integer(a.widened(width).srem(b.widened(width)));
}
std::optional<Integer> shl(const Integer &a, uint64_t count) {
  if (a.isZero())
    return a;
  if (count > Integer::kMaxBits)
    return std::nullopt;
  return Integer::make(a.widened(a.bits.getBitWidth() + count).shl(count));
}
Integer shr(const Integer &a, uint64_t count) {
  if (count >= a.bits.getBitWidth())
    return Integer(a.isNegative() ? -1 : 0);
  return Integer(a.bits.ashr(count));
}
Integer bitAnd(const Integer &a, const Integer &b) {
  unsigned width = widest(a.bits, b.bits);
  return Integer(a.widened(width) & b.widened(width));
}
Integer bitOr(const Integer &a, const Integer &b) {
  unsigned width = widest(a.bits, b.bits);
  return Integer(a.widened(width) | b.widened(width));
}
Integer bitXor(const Integer &a, const Integer &b) {
  unsigned width = widest(a.bits, b.bits);
  return Integer(a.widened(width) ^ b.widened(width));
}
int compare(const Integer &a, const Integer &b) {
  if (a.isSmall() && b.isSmall()) {
    int64_t left = a.bits.getSExtValue(), right = b.bits.getSExtValue();
    return left < right ? -1 : left != right;
  }
  unsigned width = widest(a.bits, b.bits);
  APInt left = a.widened(width), right = b.widened(width);
  return left.slt(right) ? -1 : left != right;
}

} // namespace sequin::csl_import

std::string Integer::str() const {
  llvm::SmallString<32> text;
  bits.toStringSigned(text);
  return text.str().str();
}
