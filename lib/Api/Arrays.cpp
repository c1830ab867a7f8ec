//===- Arrays.cpp - Arrays between NumPy and programs ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <charconv>
#include <cmath>

using namespace sequin;
using namespace sequin::api;
using llvm::StringRef;
using llvm::Twine;

std::string api::shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (int64_t size : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {
/// An element of an array. Integers are kept apart: a double does not hold all.
struct Number {
  bool isFloat = false;
  double real = 0;
  bool negative = false;
  uint64_t magnitude = 0;
};
} // namespace

static Number loadNumber(StringRef dtype, const uint8_t *data) {
  namespace endian = llvm::support::endian;
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

static std::string numberText(const Number &number) {
  if (number.isFloat) {
    // The shortest text that reads back as this number.
    char text[32];
    return std::string(text,
                       std::to_chars(text, std::end(text), number.real).ptr);
  }
  return (number.negative ? "-" : "") + std::to_string(number.magnitude);
}

/// The double that has a one in its last place if it is not exact: rounding it
/// once more gives what rounding the number itself would.
static double toOddDouble(const Number &number) {
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

/// The same from double to float. The results' exponents are the target's.
static float toOddFloat(double value) {
  float nearest = static_cast<float>(value);
  if (!std::isfinite(value) || static_cast<double>(nearest) == value)
    return nearest;
  float toZero = nearest;
  if (!std::isfinite(nearest) ||
      std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    toZero = std::nextafter(nearest, 0.0f);
  return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(toZero) | 1u);
}

static uint32_t toFloatBits(ElementType type, const Number &number) {
  double value = toOddDouble(number);
  if (type == ElementType::F32)
    return encodeFloat(type, static_cast<float>(value));
  return encodeFloat(type, toOddFloat(value));
}

/// std::nullopt if the number is out of the type's range.
static std::optional<int32_t> toInteger(ElementType type,
                                        const Number &number) {
  int64_t limit = int64_t(1) << (getBitWidth(type) - 1);
  int64_t value;
  if (number.isFloat) {
    double rounded = std::nearbyint(number.real);
    if (!(rounded >= -static_cast<double>(limit) &&
          rounded < static_cast<double>(limit)))
      return std::nullopt;
    value = static_cast<int64_t>(rounded);
  } else {
    if (number.magnitude > static_cast<uint64_t>(limit))
      return std::nullopt;
    value = static_cast<int64_t>(number.magnitude);
    value = number.negative ? -value : value;
    if (value == limit)
      return std::nullopt;
  }
  return static_cast<int32_t>(value);
}

static bool isRawBits(ElementType type, StringRef dtype) {
  return (type == ElementType::BF16 && dtype == "u2") ||
         ((type == ElementType::F8E4M3 || type == ElementType::F8E5M2) &&
          dtype == "u1");
}

static unsigned bytesPerElement(ElementType type) {
  return std::max(1u, getBitWidth(type) / 8);
}

/// "[1, 7]": the index of element `i`.
static std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t i) {
  llvm::SmallVector<int64_t, 4> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; i /= shape[dim])
    index[dim] = i % shape[dim];
  return shapeText(index);
}

llvm::Expected<sim::HostArray>
api::toHostArray(const NpyArray &given, StringRef name,
                 const config::Argument &argument) {
  if (given.shape != argument.shape)
    return llvm::createStringError(
        "'" + name + "': shape is " + shapeText(given.shape) + ", argument '" +
        argument.name + "' has shape " + shapeText(argument.shape));

  sim::HostArray array{argument.type, argument.shape, {}};
  if (isRawBits(argument.type, given.dtype)) {
    array.data = given.data;
    return array;
  }
  int64_t count = given.elementCount();
  unsigned from = given.elementBytes(), to = bytesPerElement(argument.type);
  bool floating = isFloat(argument.type);
  array.data.resize(count * to);
  for (int64_t i = 0; i < count; ++i) {
    Number number = loadNumber(given.dtype, &given.data[i * from]);
    uint32_t bits;
    if (floating) {
      bits = toFloatBits(argument.type, number);
    } else {
      std::optional<int32_t> value = toInteger(argument.type, number);
      if (!value) {
        int64_t limit = int64_t(1) << (getBitWidth(argument.type) - 1);
        return llvm::createStringError(
            "'" + name + "': element " + indexText(given.shape, i) + " is " +
            numberText(number) + ", " + getName(argument.type) + " holds " +
            Twine(-limit) + " to " + Twine(limit - 1));
      }
      bits = static_cast<uint32_t>(*value);
    }
    for (unsigned byte = 0; byte < to; ++byte)
      array.data[i * to + byte] = static_cast<uint8_t>(bits >> (8 * byte));
  }
  return array;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

NpyArray api::toNpy(const sim::HostArray &array, llvm::ArrayRef<int64_t> shape,
                    bool raw) {
  NpyArray file;
  file.shape.assign(shape.begin(), shape.end());
  ElementType type = array.type;
  bool asFloat = isFloat(type) && !raw && type != ElementType::F32;
  if (!asFloat) {
    unsigned bytes = bytesPerElement(type);
    char kind = !isFloat(type)                                         ? 'i'
                : type == ElementType::F32 || type == ElementType::F16 ? 'f'
                                                                       : 'u';
    file.dtype = kind + std::to_string(bytes);
    file.data = array.data;
    return file;
  }
  file.dtype = "f4";
  int64_t count = array.data.size() / bytesPerElement(type);
  file.data.resize(count * 4);
  for (int64_t i = 0; i < count; ++i)
    llvm::support::endian::write32le(
        &file.data[i * 4], llvm::bit_cast<uint32_t>(decodeFloat(
                               type, loadElement(type, array.data.data(), i))));
  return file;
}
