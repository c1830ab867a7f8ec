//===- Arrays.cpp - Arrays between NumPy and programs ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Support/ArrayNumber.h"
#include "sequin/Support/E2m1.h"
#include "sequin/Support/Interrupt.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <cmath>

using namespace sequin;
using namespace sequin::api;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static uint32_t toFloatBits(ElementType type, const Number &number) {
  double value = toOddDouble(number);
  if (type == ElementType::F32)
    return encodeFloat(type, static_cast<float>(value));
  return encodeFloat(type, toOddFloat(value));
}

/// std::nullopt if the number is out of the type's range.
static std::optional<int32_t> toIntegerOf(ElementType type,
                                          const Number &number) {
  std::optional<uint64_t> bits =
      sequin::toInteger(number, getBitWidth(type), /*isSigned=*/true);
  if (!bits)
    return std::nullopt;
  return static_cast<int32_t>(*bits);
}

static bool isRawBits(ElementType type, StringRef dtype) {
  return (type == ElementType::BF16 && dtype == "u2") ||
         ((type == ElementType::F8E4M3 || type == ElementType::F8E5M2) &&
          dtype == "u1");
}

/// Whether elements of `dtype` are the integers that the machine has, so that
/// none is out of range.
static bool isTypeOf(ElementType type, StringRef dtype) {
  switch (type) {
  case ElementType::I32:
    return dtype == "i4";
  case ElementType::I16:
    return dtype == "i2";
  case ElementType::I8:
    return dtype == "i1";
  default:
    return false;
  }
}

static unsigned bytesPerElement(ElementType type) {
  return std::max(1u, getBitWidth(type) / 8);
}

llvm::Expected<sim::HostArray>
api::toHostArray(NpyArray given, StringRef name,
                 const config::Argument &argument) {
  if (given.shape != argument.shape)
    return llvm::createStringError(
        "'" + name + "': shape is " + shapeText(given.shape) + ", argument '" +
        argument.name + "' has shape " + shapeText(argument.shape));

  sim::HostArray array{argument.type, argument.shape, {}};
  if (isRawBits(argument.type, given.dtype) ||
      isTypeOf(argument.type, given.dtype)) {
    array.data = std::move(given.data);
    return array;
  }
  int64_t count = given.elementCount();
  if (argument.type == ElementType::F32 && given.dtype == "f4") {
    array.data = std::move(given.data);
    // Weights, mostly: nothing is rounded, but there is one NaN.
    for (int64_t i = 0; i < count && !interrupted(/*every=*/4096); ++i) {
      uint8_t *at = &array.data[4 * i];
      float value = llvm::bit_cast<float>(llvm::support::endian::read32le(at));
      llvm::support::endian::write32le(at, encodeFloat(argument.type, value));
    }
    return array;
  }
  unsigned from = given.elementBytes(), to = bytesPerElement(argument.type);
  bool floating = isFloat(argument.type);
  array.data.resize(count * to);
  for (int64_t i = 0; i < count && !interrupted(/*every=*/1024); ++i) {
    Number number = loadNumber(given.dtype, &given.data[i * from]);
    uint32_t bits;
    if (floating) {
      bits = toFloatBits(argument.type, number);
    } else {
      std::optional<int32_t> value = toIntegerOf(argument.type, number);
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

llvm::Error api::checkTruthValues(const NpyArray &given, StringRef name,
                                  const config::Argument &argument) {
  int64_t count = given.elementCount();
  unsigned bytes = given.elementBytes();
  for (int64_t i = 0; i < count; ++i) {
    Number number = loadNumber(given.dtype, &given.data[i * bytes]);
    bool isTruth = number.isFloat ? number.real == 0 || number.real == 1
                                  : number.magnitude <= 1 && !number.negative;
    if (!isTruth)
      return llvm::createStringError(
          "'" + name + "': element " + indexText(given.shape, i) + " is " +
          numberText(number) + ", argument '" + argument.name +
          "' holds truth values, 0 and 1");
  }
  return llvm::Error::success();
}

llvm::Expected<sim::HostArray>
api::toE2m1Array(const NpyArray &given, StringRef name,
                 const config::Argument &argument) {
  if (given.shape != argument.shape)
    return llvm::createStringError(
        "'" + name + "': shape is " + shapeText(given.shape) + ", argument '" +
        argument.name + "' has shape " + shapeText(argument.shape));
  int64_t count = given.elementCount();
  unsigned bytes = given.elementBytes();
  sim::HostArray array{argument.type, argument.shape, {}};
  array.data.resize(count);
  for (int64_t i = 0; i < count && !interrupted(/*every=*/1024); ++i) {
    Number number = loadNumber(given.dtype, &given.data[i * bytes]);
    uint32_t code;
    if (given.dtype == "u1") {
      code = given.data[i];
      if (code >= 2 * kE2m1SignBit)
        return llvm::createStringError(
            "'" + name + "': element " + indexText(given.shape, i) + " is " +
            Twine(code) + ", codes of f4E2M1FN are 0 to 15");
    } else {
      double value = toOddDouble(number);
      if (std::isnan(value))
        return llvm::createStringError("'" + name + "': element " +
                                       indexText(given.shape, i) +
                                       " is NaN, which f4E2M1FN has not");
      code = encodeE2m1(value);
    }
    // As an i4.
    array.data[i] = static_cast<uint8_t>(decodeInt(argument.type, code));
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
  for (int64_t i = 0; i < count && !interrupted(/*every=*/1024); ++i)
    llvm::support::endian::write32le(
        &file.data[i * 4], llvm::bit_cast<uint32_t>(decodeFloat(
                               type, loadElement(type, array.data.data(), i))));
  return file;
}
