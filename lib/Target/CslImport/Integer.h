//===- Integer.h - Integers without bound -----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLIMPORT_INTEGER_H
#define SEQUIN_LIB_TARGET_CSLIMPORT_INTEGER_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <optional>
#include <string>

namespace sequin::csl_import {

/// The value of a comptime_int, and of every other integer that the compiler
/// knows: signed, as wide as it has to be, up to kMaxBits.
class Integer {
public:
  /// What does not fit is an overflow: operations return none.
  static constexpr unsigned kMaxBits = 1 << 16;

  Integer(int64_t value = 0) : bits(64, value, /*isSigned=*/true) {}
  /// Of a literal: never negative with its highest bit clear.
  explicit Integer(const llvm::APInt &value) : bits(value) { shrink(); }
  static Integer fromUnsigned(uint64_t value) {
    return Integer(llvm::APInt(65, value));
  }
  /// The low `width` bits of a pattern as a number.
  static Integer fromBits(const llvm::APInt &pattern, bool isSigned) {
    return Integer(isSigned ? pattern
                            : pattern.zext(pattern.getBitWidth() + 1));
  }

  friend std::optional<Integer> add(const Integer &a, const Integer &b);
  friend std::optional<Integer> sub(const Integer &a, const Integer &b);
  friend std::optional<Integer> mul(const Integer &a, const Integer &b);
  /// Towards zero; the divisor is not zero.
  friend Integer div(const Integer &a, const Integer &b);
  friend Integer rem(const Integer &a, const Integer &b);
  friend std::optional<Integer> shl(const Integer &a, uint64_t count);
  friend Integer shr(const Integer &a, uint64_t count);
  friend Integer bitAnd(const Integer &a, const Integer &b);
  friend Integer bitOr(const Integer &a, const Integer &b);
  friend Integer bitXor(const Integer &a, const Integer &b);
  /// Negative, zero or positive.
  friend int compare(const Integer &a, const Integer &b);

  bool isNegative() const { return bits.isNegative(); }
  bool isZero() const { return bits.isZero(); }
  bool fits(unsigned width, bool isSigned) const {
    if (isSigned)
      return bits.isSignedIntN(width);
    return !isNegative() && bits.getActiveBits() <= width;
  }
  /// The low bits as a pattern.
  llvm::APInt truncated(unsigned width) const {
    return bits.sextOrTrunc(width);
  }
  std::optional<int64_t> small() const {
    if (isSmall())
      return bits.getSExtValue();
    if (!bits.isSignedIntN(64))
      return std::nullopt;
    return bits.getSExtValue();
  }
  /// Rounded once, to the nearest of a format that a double holds; ties to
  /// even.
  double toDouble(
      const llvm::fltSemantics &semantics = llvm::APFloat::IEEEdouble()) const;
  std::string str() const;
  bool operator==(const Integer &other) const {
    return compare(*this, other) == 0;
  }

private:
  bool isSmall() const { return bits.getBitWidth() == 64; }
  llvm::APInt widened(unsigned width) const { return bits.sext(width); }
  void shrink();
  static std::optional<Integer> make(llvm::APInt value);

  llvm::APInt bits; ///< a multiple of 64 wide, as few as possible
};

int compare(const Integer &a, const Integer &b);
std::optional<Integer> add(const Integer &a, const Integer &b);
std::optional<Integer> sub(const Integer &a, const Integer &b);
std::optional<Integer> mul(const Integer &a, const Integer &b);
Integer div(const Integer &a, const Integer &b);
Integer rem(const Integer &a, const Integer &b);
std::optional<Integer> shl(const Integer &a, uint64_t count);
Integer shr(const Integer &a, uint64_t count);
Integer bitAnd(const Integer &a, const Integer &b);
Integer bitOr(const Integer &a, const Integer &b);
Integer bitXor(const Integer &a, const Integer &b);

} // namespace sequin::csl_import

#endif // SEQUIN_LIB_TARGET_CSLIMPORT_INTEGER_H
