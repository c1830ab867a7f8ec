//===- ArrayNumber.cpp - Elements of NumPy arrays -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/ArrayNumber.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include <charconv>
#include <cmath>

using namespace sequin;
using llvm::StringRef;

Number sequin::loadNumber(StringRef dtype, const uint8_t *data) {
  Number number;
  char kind = dtype.front();
  unsigned bytes = dtype.back() - '0';
  uint64_t bits = 0;
  for (unsigned i = 0; i < bytes; ++i)
    bits |= static_cast<uint64_t>(data[i]) << (8 * i);
  if (kind == 'f') {
    number.isFloat = true;
    if (bytes == 8)
      number.real = llvm::bit_cast<double>(bits);
    else
      number.real =
          decodeFloat(bytes == 4 ? ElementType::F32 : ElementType::F16,
                      static_cast<uint32_t>(bits));
    return number;
  }
  if (kind == 'i') {
    unsigned shift = 64 - 8 * bytes;
    int64_t value = static_cast<int64_t>(bits << shift) >> shift;
    number.negative = value < 0;
    number.magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : value;
    return number;
  }
  number.magnitude = bits;
  return number;
}

std::string sequin::numberText(const Number &number) {
  if (number.isFloat) {
    // The shortest text that reads back as this number.
    char text[32];
    return std::string(text,
                       std::to_chars(text, std::end(text), number.real).ptr);
  }
  return (number.negative ? "-" : "") + std::to_string(number.magnitude);
}

double sequin::toOddDouble(const Number &number) {
  if (number.isFloat)
    return number.real;
  uint64_t magnitude = number.magnitude;
  unsigned width = 64 - llvm::countl_zero(magnitude);
  if (width > 53) {
    unsigned shift = width - 53;
    bool inexact = magnitude & ((uint64_t(1) << shift) - 1);
    magnitude = (magnitude >> shift | inexact) << shift;
  }
  double value = static_cast<double>(magnitude);
  return number.negative ? -value : value;
}

float sequin::toOddFloat(double value) {
  float nearest = static_cast<float>(value);
  if (!std::isfinite(value) || static_cast<double>(nearest) == value)
    return nearest;
  float toZero = nearest;
  if (!std::isfinite(nearest) ||
      std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    toZero = std::nextafter(nearest, 0.0f);
  return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(toZero) | 1u);
}

std::optional<uint64_t> sequin::toInteger(const Number &number, unsigned bits,
                                          bool isSigned) {
  // A negative number -m fits if m <= 2^(bits-1), another m if it is below
  // 2^(bits-1) or 2^bits.
  bool negative = number.negative;
  uint64_t magnitude = number.magnitude;
  if (number.isFloat) {
    double rounded = std::nearbyint(number.real);
    negative = rounded < 0;
    double size = std::fabs(rounded);
    if (!(size < std::ldexp(1.0, 64)))
      return std::nullopt;
    magnitude = static_cast<uint64_t>(size);
  }
  unsigned valueBits = isSigned ? bits - 1 : bits;
  uint64_t most =
      valueBits >= 64 ? ~uint64_t(0) : (uint64_t(1) << valueBits) - 1;
  if (negative && magnitude)
    most = isSigned ? most + 1 : 0;
  if (magnitude > most)
    return std::nullopt;
  return negative ? 0 - magnitude : magnitude;
}

std::string sequin::shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (int64_t size : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

std::string sequin::indexText(llvm::ArrayRef<int64_t> shape, int64_t i) {
  llvm::SmallVector<int64_t, 4> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; i /= shape[dim])
    index[dim] = i % shape[dim];
  return shapeText(index);
}
