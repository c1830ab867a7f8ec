//===- Scalar.cpp - Numbers and how far a machine may be off --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scalar.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

//===----------------------------------------------------------------------===//
// Types and rounding
//===----------------------------------------------------------------------===//

std::optional<ElementType> sequin::reference::elementTypeOf(Type type) {
  return TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](Float32Type) { return ElementType::F32; })
      .Case([](BFloat16Type) { return ElementType::BF16; })
      .Case([](Float16Type) { return ElementType::F16; })
      .Case([](Float8E4M3FNType) { return ElementType::F8E4M3; })
      .Case([](Float8E5M2Type) { return ElementType::F8E5M2; })
      .Case([](IntegerType integer) -> std::optional<ElementType> {
        switch (integer.getWidth()) {
        case 4:
          return ElementType::I4;
        case 8:
          return ElementType::I8;
        case 16:
          return ElementType::I16;
        case 32:
          return ElementType::I32;
        default:
          return std::nullopt;
        }
      })
      .Default(std::nullopt);
}

bool sequin::reference::isNumber(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() >= 1 && integer.getWidth() <= 64;
  return isa<IndexType, Float64Type, Float4E2M1FNType>(type) ||
         elementTypeOf(type);
}

unsigned sequin::reference::integerWidth(Type type) {
  return isa<IndexType>(type) ? 64 : cast<IntegerType>(type).getWidth();
}

namespace {
struct Format {
  int precision;   ///< bits of the significand, the hidden one included
  int minExponent; ///< of the smallest normal number
};
} // namespace

static Format formatOf(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3:
    return {4, -6};
  case ElementType::F8E5M2:
    return {3, -14};
  case ElementType::F16:
    return {11, -14};
  case ElementType::BF16:
    return {8, -126};
  default:
    return {24, -126};
  }
}

double sequin::reference::halfUlp(ElementType type, double magnitude) {
  Format format = formatOf(type);
  if (!std::isfinite(magnitude))
    return magnitude;
  int exponent = magnitude == 0 ? format.minExponent : std::ilogb(magnitude);
  return std::ldexp(1.0,
                    std::max(exponent, format.minExponent) - format.precision);
}

static constexpr double kLeastNormal = 0x1p-126; ///< of f32 and bf16

double sequin::reference::flushOperand(double value) {
  if (std::fabs(value) < kLeastNormal && value != 0 && isFlushingSubnormals())
    return std::copysign(0.0, value);
  return value;
}

Scalar sequin::reference::flushOperand(Scalar scalar) {
  if (scalar.error == 0)
    scalar.value = flushOperand(scalar.value);
  else if (std::fabs(scalar.value) - scalar.error < kLeastNormal &&
           isFlushingSubnormals())
    scalar.error += kLeastNormal;
  return scalar;
}

static double roundExactly(ElementType type, double value) {
  float narrow = flushSubnormal(static_cast<float>(value));
  return type == ElementType::F32
             ? narrow
             : decodeFloat(type, encodeFloat(type, narrow));
}

/// What rounds to an infinity in f32 is one, also to what follows.
static Scalar overflowed(Scalar scalar) {
  constexpr double kLeastInfinite = 0x1.ffffffp127;
  double magnitude = std::fabs(scalar.value);
  if (!std::isfinite(magnitude) || magnitude + scalar.error < kLeastInfinite)
    return scalar;
  if (magnitude - scalar.error < kLeastInfinite)
    scalar.error = INFINITY;
  else
    scalar = {std::copysign(INFINITY, scalar.value)};
  return scalar;
}

Scalar sequin::reference::roundTo(FloatRounding type, Scalar scalar) {
  static thread_local uint64_t lastOrigin = 0;
  scalar.origin = scalar.error == 0 ? 0 : ++lastOrigin;
  if (std::isnan(scalar.error))
    scalar.error = INFINITY;
  if (!type)
    return scalar;
  if (scalar.error == 0) {
    scalar.value = roundExactly(*type, scalar.value);
    return scalar;
  }
  scalar.error +=
      halfUlp(ElementType::F32, std::fabs(scalar.value) + scalar.error);
  scalar = flushOperand(scalar);
  if (std::isnan(scalar.value))
    return scalar;
  if (*type == ElementType::F32)
    return overflowed(scalar);
  // Rounding keeps the order: the machine's value is one of those between.
  double above = roundExactly(*type, scalar.value + scalar.error);
  double below = roundExactly(*type, scalar.value - scalar.error);
  scalar.value = roundExactly(*type, scalar.value);
  scalar.error = 0;
  for (double end : {above, below})
    if (end != scalar.value)
      scalar.error = std::max(scalar.error, std::fabs(end - scalar.value));
  return scalar;
}

/// Subnormals are multiples of this one.
static constexpr double kLeastF32 = 0x1p-149;

double sequin::reference::decodeExactly(ElementType type, uint32_t bits) {
  if (type == ElementType::BF16)
    bits <<= 16;
  else if (type != ElementType::F32)
    return decodeFloat(type, bits);
  if ((bits & 0x7f800000u) != 0)
    return llvm::bit_cast<float>(bits);
  double magnitude = (bits & 0x7fffffu) * kLeastF32;
  return (bits >> 31) != 0 ? -magnitude : magnitude;
}

uint32_t sequin::reference::bitsOfF32(double value) {
  if (!(std::fabs(value) < kLeastNormal))
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  auto magnitude = static_cast<uint32_t>(std::fabs(value) / kLeastF32);
  return magnitude | (std::signbit(value) ? 0x80000000u : 0);
}

Scalar sequin::reference::readConstant(const llvm::APFloat &value) {
  bool lossy;
  llvm::APFloat wide = value;
  wide.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
               &lossy);
  Scalar scalar;
  scalar.value = wide.convertToDouble();
  return scalar;
}

std::optional<Scalar> sequin::reference::readConstant(Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return readConstant(number.getValue());
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number || number.getValue().getSignificantBits() > 64)
    return std::nullopt;
  Scalar scalar;
  scalar.integer = number.getValue().getSExtValue();
  return scalar;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// An infinity that stays one whatever finite number is added to it.
static bool isInfinite(const Scalar &scalar) {
  return std::isinf(scalar.value) && scalar.error == 0;
}

/// Neither zero nor of the other sign.
static bool hasSign(const Scalar &scalar) {
  return std::fabs(scalar.value) > scalar.error;
}

static double errorOfSum(const Scalar &a, const Scalar &b) {
  if ((isInfinite(a) && std::isfinite(b.error)) ||
      (isInfinite(b) && std::isfinite(a.error)))
    return 0;
  return a.error + b.error;
}

static double errorOfProduct(const Scalar &a, const Scalar &b) {
  if ((a.error == 0 && b.error == 0) || (isInfinite(a) && hasSign(b)) ||
      (isInfinite(b) && hasSign(a)))
    return 0;
  return std::fabs(a.value) * b.error + std::fabs(b.value) * a.error +
         a.error * b.error;
}

Scalar sequin::reference::addFloats(FloatRounding type, const Scalar &a,
                                    const Scalar &b) {
  return roundTo(type, {a.value + b.value, errorOfSum(a, b)});
}

bool sequin::reference::areSame(const Scalar &a, const Scalar &b) {
  return a.origin != 0 && a.origin == b.origin;
}

Scalar sequin::reference::subtractFloats(FloatRounding type, const Scalar &a,
                                         const Scalar &b) {
  if (areSame(a, b) && std::isfinite(a.value))
    return Scalar();
  return roundTo(type, {a.value - b.value, errorOfSum(a, b)});
}

Scalar sequin::reference::multiplyFloats(FloatRounding type, const Scalar &a,
                                         const Scalar &b) {
  return roundTo(type, {a.value * b.value, errorOfProduct(a, b)});
}

Scalar sequin::reference::divideFloats(FloatRounding type, const Scalar &a,
                                       const Scalar &b) {
  Scalar result{a.value / b.value};
  double least = std::fabs(b.value) - b.error;
  if ((a.error != 0 || b.error != 0) && !(isInfinite(a) && hasSign(b)))
    result.error = least > 0
                       ? (a.error + std::fabs(result.value) * b.error) / least
                       : INFINITY;
  return roundTo(type, result);
}

Scalar sequin::reference::fuseFloats(FloatRounding type, const Scalar &a,
                                     const Scalar &b, const Scalar &c) {
  Scalar product{a.value * b.value, errorOfProduct(a, b)};
  return roundTo(type,
                 {std::fma(a.value, b.value, c.value), errorOfSum(product, c)});
}

Scalar sequin::reference::pickFloat(Extremum which, bool keepsNan,
                                    const Scalar &a, const Scalar &b) {
  if (std::isnan(a.value) || std::isnan(b.value))
    return std::isnan(a.value) == keepsNan ? a : b;
  bool less =
      a.value < b.value || (a.value == b.value && std::signbit(a.value));
  Scalar result = less == (which == Extremum::Largest) ? b : a;
  double error = a.error + b.error;
  if (error > 0 && std::fabs(a.value - b.value) <= error && !areSame(a, b)) {
    result.error = std::max(a.error, b.error);
    result.origin = 0;
  }
  return result;
}

Scalar sequin::reference::select(const Scalar &condition, const Scalar &a,
                                 const Scalar &b) {
  Scalar result = condition.integer ? a : b;
  if (condition.error == 0)
    return result;
  // Of the two, one has no integer and the other one no value.
  double distance =
      std::fabs(a.value - b.value) + std::fabs(static_cast<double>(a.integer) -
                                               static_cast<double>(b.integer));
  // Equal infinities have no distance.
  if (a.value == b.value && std::isinf(a.value))
    distance = 0;
  result.error = std::max(a.error, b.error) + distance;
  result.origin = 0;
  if (std::isnan(result.error))
    result.error = INFINITY;
  return result;
}
