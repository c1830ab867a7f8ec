//===- Saturating.h - Sums and products that stop at the limit --*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index arithmetic meets numbers past 64 bits only where the result is padding
// or a refusal, so that the largest number stands for all of them. Both
// operands are at least 0.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_STREAM_SATURATING_H
#define SEQUIN_LIB_STREAM_SATURATING_H

#include "llvm/Support/CheckedArithmetic.h"
#include <cstdint>
#include <limits>

namespace sequin {

inline int64_t saturatingMul(int64_t a, int64_t b) {
  return llvm::checkedMul(a, b).value_or(std::numeric_limits<int64_t>::max());
}

inline int64_t saturatingAdd(int64_t a, int64_t b) {
  return llvm::checkedAdd(a, b).value_or(std::numeric_limits<int64_t>::max());
}

/// a / b rounded up; b is positive.
inline int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

} // namespace sequin

#endif // SEQUIN_LIB_STREAM_SATURATING_H
