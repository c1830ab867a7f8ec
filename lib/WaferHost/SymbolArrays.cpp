//===- SymbolArrays.cpp - Arrays between NumPy and symbols ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/SymbolArrays.h"
#include "sequin/Support/ArrayNumber.h"
#include "sequin/Support/DsdArithmetic.h"
#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <cmath>

using namespace sequin;
using namespace sequin::wafer;
using llvm::StringRef;
using llvm::Twine;

static bool isNumeric(const SymbolData &data) {
  return data.kind != ElementKind::Bytes && data.kind != ElementKind::Dsd;
}

static StringRef nameOf(Fp16Format format) {
  return format == Fp16Format::F16    ? "f16"
         : format == Fp16Format::CB16 ? "cb16"
                                      : "bf16";
}

std::string wafer::typeText(const SymbolData &data, Fp16Format fp16) {
  std::string bits = std::to_string(8 * data.elementBytes);
  switch (data.kind) {
  case ElementKind::Bool:
    return "bool";
  case ElementKind::Signed:
    return "i" + bits;
  case ElementKind::Unsigned:
    return "u" + bits;
  case ElementKind::Float:
    return data.elementBytes == 4 ? "f32" : nameOf(fp16).str();
  case ElementKind::Pointer:
    return "pointer";
  case ElementKind::Id:
    return "id";
  case ElementKind::Dsd:
  case ElementKind::Bytes:
    return std::to_string(data.elementBytes) + " bytes";
  }
  llvm_unreachable("a kind of element");
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The bits of `number`; std::nullopt if it is out of range.
static std::optional<uint64_t> toBits(const Number &number, ElementKind kind,
                                      unsigned bits, Fp16Format fp16) {
  switch (kind) {
  case ElementKind::Float: {
    double value = toOddDouble(number);
    if (bits == 32)
      return dsd::encodeF32(static_cast<float>(value));
    return dsd::encodeFp16(fp16, value);
  }
  case ElementKind::Bool: {
    auto value = toInteger(number, 64, /*isSigned=*/false);
    return value && *value < 2 ? value : std::nullopt;
  }
  case ElementKind::Signed: {
    auto value = toInteger(number, bits, /*isSigned=*/true);
    if (value && bits < 64)
      *value &= (uint64_t(1) << bits) - 1;
    return value;
  }
  default:
    return toInteger(number, bits, /*isSigned=*/false);
  }
}

/// "-128 to 127".
static std::string rangeText(ElementKind kind, unsigned bits) {
  if (kind == ElementKind::Bool)
    return "0 and 1";
  if (kind == ElementKind::Signed)
    return std::to_string(std::numeric_limits<int64_t>::min() >> (64 - bits)) +
           " to " +
           std::to_string(std::numeric_limits<int64_t>::max() >> (64 - bits));
  return "0 to " +
         std::to_string(std::numeric_limits<uint64_t>::max() >> (64 - bits));
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

static int64_t product(llvm::ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

llvm::Expected<std::vector<uint8_t>>
wafer::toSymbolBytes(const NpyArray &array, StringRef name, StringRef symbol,
                     const SymbolData &data, Fp16Format fp16,
                     const Rectangle &where) {
  int64_t n = shapeOf(data, where)[2];
  llvm::ArrayRef<int64_t> shape = array.shape;
  bool fits = shape.size() >= 2 && shape[0] == where.height &&
              shape[1] == where.width && product(shape.drop_front(2)) == n;
  if (!fits)
    return llvm::createStringError(
        "'" + name + "': shape is " + shapeText(shape) + ", symbol '" + symbol +
        "' on " + Twine(where.width) + " x " + Twine(where.height) +
        " PEs takes " + shapeText({where.height, where.width, n}) +
        ", or more dimensions in the place of the last");
  return toElements(array, name, symbol, data, fp16);
}

llvm::Expected<std::vector<uint8_t>>
wafer::toElements(const NpyArray &array, StringRef name, StringRef symbol,
                  const SymbolData &data, Fp16Format fp16) {
  if (!isNumeric(data)) {
    if (array.dtype != "u1")
      return llvm::createStringError(
          "'" + name + "': dtype is " + array.dtype + ", symbol '" + symbol +
          "' has elements of " + typeText(data, fp16) + " and takes u1");
    return array.data;
  }
  bool isFp16 = data.kind == ElementKind::Float && data.elementBytes == 2;
  if (isFp16 && fp16 != Fp16Format::F16 && array.dtype == "u2")
    return array.data;
  unsigned from = array.elementBytes(), to = data.elementBytes;
  int64_t count = array.elementCount();
  std::vector<uint8_t> bytes(static_cast<size_t>(count) * to);
  for (int64_t i = 0; i < count; ++i) {
    Number number = loadNumber(array.dtype, &array.data[i * from]);
    auto bits = toBits(number, data.kind, 8 * to, fp16);
    if (!bits)
      return llvm::createStringError(
          "'" + name + "': element " + indexText(array.shape, i) + " is " +
          numberText(number) + ", symbol '" + symbol + "' is " +
          typeText(data, fp16) + " and holds " + rangeText(data.kind, 8 * to));
    for (unsigned byte = 0; byte < to; ++byte)
      bytes[i * to + byte] = static_cast<uint8_t>(*bits >> (8 * byte));
  }
  return bytes;
}

llvm::SmallVector<int64_t, 3> wafer::shapeOf(const SymbolData &data,
                                             const Rectangle &where) {
  int64_t n = isNumeric(data) ? data.elementsPerPe : data.bytesPerPe();
  return {where.height, where.width, n};
}

NpyArray wafer::toArray(std::vector<uint8_t> bytes, const SymbolData &data,
                        Fp16Format fp16, llvm::ArrayRef<int64_t> shape,
                        bool raw) {
  NpyArray array;
  array.shape.assign(shape.begin(), shape.end());
  std::string width = std::to_string(data.elementBytes);
  array.data = std::move(bytes);
  if (!isNumeric(data) || data.kind == ElementKind::Bool) {
    array.dtype = isNumeric(data) ? "u" + width : "u1";
    return array;
  }
  if (data.kind == ElementKind::Signed) {
    array.dtype = "i" + width;
    return array;
  }
  if (data.kind != ElementKind::Float) {
    array.dtype = "u" + width;
    return array;
  }
  if (data.elementBytes == 4) {
    array.dtype = "f4";
    return array;
  }
  if (raw) {
    array.dtype = fp16 == Fp16Format::F16 ? "f2" : "u2";
    return array;
  }
  array.dtype = "f4";
  std::vector<uint8_t> wide(2 * array.data.size());
  for (size_t i = 0; 2 * i < array.data.size(); ++i)
    llvm::support::endian::write32le(
        &wide[4 * i],
        llvm::bit_cast<uint32_t>(dsd::decodeFp16(
            fp16, llvm::support::endian::read16le(&array.data[2 * i]))));
  array.data = std::move(wide);
  return array;
}

//===----------------------------------------------------------------------===//
// Streams and arguments
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<uint32_t>> wafer::toWords(const NpyArray &array,
                                                     StringRef name,
                                                     const Stream &stream,
                                                     const Rectangle &where) {
  unsigned from = array.elementBytes();
  if (from > 4)
    return llvm::createStringError("'" + name + "': dtype is " + array.dtype +
                                   ", stream '" + stream.name +
                                   "' takes elements of at most 32 bits");
  if (stream.kind == Stream::Kind::PerPe &&
      (array.shape.size() < 2 || array.shape[0] != where.height ||
       array.shape[1] != where.width))
    return llvm::createStringError(
        "'" + name + "': shape is " + shapeText(array.shape) + ", stream '" +
        stream.name + "' to " + Twine(where.width) + " x " +
        Twine(where.height) + " PEs takes [" + Twine(where.height) + ", " +
        Twine(where.width) + ", n]");
  std::vector<uint32_t> words(static_cast<size_t>(array.elementCount()));
  for (size_t i = 0; i < words.size(); ++i)
    for (unsigned byte = 0; byte < from; ++byte)
      words[i] |= uint32_t(array.data[i * from + byte]) << (8 * byte);
  return words;
}

llvm::Expected<uint64_t> wafer::toArgument(StringRef text, StringRef name,
                                           ElementKind kind, unsigned bits,
                                           Fp16Format fp16) {
  text = text.trim();
  SymbolData data{kind, std::max(1u, bits / 8), 1};
  std::string type = typeText(data, fp16);
  if (kind == ElementKind::Signed || kind == ElementKind::Unsigned)
    type = (kind == ElementKind::Signed ? "i" : "u") + std::to_string(bits);
  auto refuse = [&](const Twine &allowed) {
    return llvm::createStringError(name + " is '" + excerpt(text) + "', " +
                                   allowed);
  };
  if (kind == ElementKind::Bool && (text == "true" || text == "false"))
    return text == "true";
  Number number;
  if (kind == ElementKind::Float) {
    number.isFloat = true;
    if (text.getAsDouble(number.real))
      return refuse(type + " takes a number");
  } else {
    StringRef digits = text;
    number.negative = digits.consume_front("-");
    if (digits.starts_with("-") || digits.getAsInteger(0, number.magnitude))
      return refuse(type + " takes an integer");
  }
  auto value = toBits(number, kind, kind == ElementKind::Bool ? 8 : bits, fp16);
  if (!value)
    return refuse(type + " holds " + rangeText(kind, bits));
  return *value;
}
