//===- ArrayNumber.h - Elements of NumPy arrays -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One element of an array of any dtype, and what it is in the type of a
// program: rounded once, to nearest even, or refused.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_ARRAYNUMBER_H
#define SEQUIN_SUPPORT_ARRAYNUMBER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace sequin {

/// Integers are kept apart: a double does not hold all.
struct Number {
  bool isFloat = false;
  double real = 0;
  bool negative = false;
  uint64_t magnitude = 0;
};

/// The element at `data`, of an NpyArray's dtype ("f4", "u2", "i8", ...).
Number loadNumber(llvm::StringRef dtype, const uint8_t *data);
/// The shortest text that reads back as the number.
std::string numberText(const Number &number);

/// The double that has a one in its last place if it is not exact: rounding it
/// once more gives what rounding the number itself would.
double toOddDouble(const Number &number);
/// The same from double to float. The results' exponents are the target's.
float toOddFloat(double value);

/// The two's complement of up to 64 bits, floats rounded to nearest even;
/// std::nullopt if the number is out of range.
std::optional<uint64_t> toInteger(const Number &number, unsigned bits,
                                  bool isSigned);

/// "[512, 2048]".
std::string shapeText(llvm::ArrayRef<int64_t> shape);
/// "[1, 7]": the index of element `i` in row-major order.
std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t i);

} // namespace sequin

#endif // SEQUIN_SUPPORT_ARRAYNUMBER_H
