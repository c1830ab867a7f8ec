//===- Checked.h - Checked 64-bit arithmetic on hot paths -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's checked arithmetic goes through APInt, which takes a third of the time
// of a derivation. These are one instruction and a branch.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_STREAM_CHECKED_H
#define SEQUIN_LIB_STREAM_CHECKED_H

#include <cstdint>
#include <limits>
#include <optional>

namespace sequin::checked {

inline std::optional<int64_t> mul(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

inline std::optional<int64_t> add(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

/// a * b + c.
inline std::optional<int64_t> mulAdd(int64_t a, int64_t b, int64_t c) {
  auto product = mul(a, b);
  return product ? add(*product, c) : std::nullopt;
}

/// Numbers past 64 bits as the largest; both operands are at least 0.
inline int64_t saturatingMul(int64_t a, int64_t b) {
  return mul(a, b).value_or(std::numeric_limits<int64_t>::max());
}
inline int64_t saturatingAdd(int64_t a, int64_t b) {
  return add(a, b).value_or(std::numeric_limits<int64_t>::max());
}

/// a / b rounded up; b is positive.
inline int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

} // namespace sequin::checked

#endif // SEQUIN_LIB_STREAM_CHECKED_H
