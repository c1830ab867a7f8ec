//===- ScalarFunctions.cpp - Functions of numbers -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

static double rsqrt(double x) { return 1 / std::sqrt(x); }

static constexpr ScalarFunction absFunction{std::fabs, 0, 0, false};
static constexpr ScalarFunction ceilFunction{std::ceil, 0, 0, true};
static constexpr ScalarFunction floorFunction{std::floor, 0, 0, true};
static constexpr ScalarFunction roundFunction{std::round, 0, 0, true};
static constexpr ScalarFunction roundEvenFunction{std::nearbyint, 0, 0, true};
static constexpr ScalarFunction truncFunction{std::trunc, 0, 0, true};
static constexpr ScalarFunction cosFunction{std::cos, 4, 0, false};
static constexpr ScalarFunction erfFunction{std::erf, 4, 0, true};
static constexpr ScalarFunction exp2Function{std::exp2, 4, 1, true};
static constexpr ScalarFunction logFunction{std::log, 4, 0, true};
static constexpr ScalarFunction log2Function{std::log2, 6, 0, true};
static constexpr ScalarFunction log10Function{std::log10, 6, 0, true};
static constexpr ScalarFunction rsqrtFunction{rsqrt, 8, 0, true};
static constexpr ScalarFunction sinFunction{std::sin, 4, 0, false};
static constexpr ScalarFunction sqrtFunction{std::sqrt, 4, 0, true};
static constexpr ScalarFunction tanhFunction{std::tanh, 4, 0, true};
static constexpr ScalarFunction erfcFunction{std::erfc, 6, 0, true, 1};
static constexpr ScalarFunction expm1Function{std::expm1, 12, 0, true};
static constexpr ScalarFunction log1pFunction{std::log1p, 12, 0, true};
static constexpr ScalarFunction sinhFunction{std::sinh, 8, 0, true, 1};
static constexpr ScalarFunction coshFunction{std::cosh, 8, 0, true, 1};
static constexpr ScalarFunction asinhFunction{std::asinh, 8, 0, true, 1};
static constexpr ScalarFunction acoshFunction{std::acosh, 8, 0, true, 1};
static constexpr ScalarFunction atanhFunction{std::atanh, 8, 0, true, 1};

const ScalarFunction sequin::reference::kExponential{std::exp, 4, 0, true};

const ScalarFunction *sequin::reference::lookupFunction(Operation *op) {
  return TypeSwitch<Operation *, const ScalarFunction *>(op)
      .Case([](math::AbsFOp) { return &absFunction; })
      .Case([](math::CeilOp) { return &ceilFunction; })
      .Case([](math::FloorOp) { return &floorFunction; })
      .Case([](math::RoundOp) { return &roundFunction; })
      .Case([](math::RoundEvenOp) { return &roundEvenFunction; })
      .Case([](math::TruncOp) { return &truncFunction; })
      .Case([](math::CosOp) { return &cosFunction; })
      .Case([](math::ErfOp) { return &erfFunction; })
      .Case([](math::ExpOp) { return &kExponential; })
      .Case([](math::Exp2Op) { return &exp2Function; })
      .Case([](math::LogOp) { return &logFunction; })
      .Case([](math::Log2Op) { return &log2Function; })
      .Case([](math::Log10Op) { return &log10Function; })
      .Case([](math::RsqrtOp) { return &rsqrtFunction; })
      .Case([](math::SinOp) { return &sinFunction; })
      .Case([](math::SqrtOp) { return &sqrtFunction; })
      .Case([](math::TanhOp) { return &tanhFunction; })
      .Case([](math::ErfcOp) { return &erfcFunction; })
      .Case([](math::ExpM1Op) { return &expm1Function; })
      .Case([](math::Log1pOp) { return &log1pFunction; })
      .Case([](math::SinhOp) { return &sinhFunction; })
      .Case([](math::CoshOp) { return &coshFunction; })
      .Case([](math::AsinhOp) { return &asinhFunction; })
      .Case([](math::AcoshOp) { return &acoshFunction; })
      .Case([](math::AtanhOp) { return &atanhFunction; })
      .Default(nullptr);
}

Scalar sequin::reference::apply(const ScalarFunction &function,
                                FloatRounding type, Scalar argument) {
  Scalar result;
  result.value = function.value(argument.value);
  double around = argument.error;
  if (std::isfinite(argument.value))
    around += function.argumentUlps * 2 *
              halfUlp(ElementType::F32, std::fabs(argument.value));
  if (around != 0) {
    double most = around;
    if (function.boundedByEnds) {
      double above = function.value(argument.value + around);
      double below = function.value(argument.value - around);
      most = std::max(std::fabs(above - result.value),
                      std::fabs(below - result.value));
      // std::max passes over a NaN on one side.
      if (std::isnan(above) || std::isnan(below))
        most = INFINITY;
    }
    // An end outside of the function's domain bounds nothing.
    result.error = std::isnan(most) ? INFINITY : most;
  }
  if (function.ulps == 0 && around == 0)
    return result;
  if (std::isfinite(result.value))
    result.error +=
        function.ulps * 2 *
        halfUlp(ElementType::F32,
                std::max(std::fabs(result.value), function.leastMagnitude));
  return roundTo(type, result);
}

Scalar sequin::reference::tangent(FloatRounding type, const Scalar &argument) {
  Scalar result =
      divideFloats(type, apply(sinFunction, ElementType::F32, argument),
                   apply(cosFunction, ElementType::F32, argument));
  result.value = std::tan(argument.value);
  return result;
}

Scalar sequin::reference::power(FloatRounding type, const Scalar &base,
                                const Scalar &exponent, bool isKnown) {
  if (isKnown && exponent.value == 1)
    return roundTo(type, base);
  if (isKnown && exponent.value == 2)
    return multiplyFloats(type, base, base);
  Scalar result;
  result.value = std::pow(base.value, exponent.value);
  if (!std::isfinite(result.value) && base.error == 0 && exponent.error == 0)
    return result;
  // A power rises or falls in either operand, except around a base of zero.
  if (base.error != 0 || exponent.error != 0) {
    if (std::fabs(base.value) <= base.error)
      result.error = INFINITY;
    for (double b : {base.value - base.error, base.value + base.error})
      for (double e :
           {exponent.value - exponent.error, exponent.value + exponent.error}) {
        double distance = std::fabs(std::pow(b, e) - result.value);
        result.error =
            std::isnan(distance) ? INFINITY : std::max(result.error, distance);
      }
  }
  // The logarithm and its product with the exponent may be off by five units,
  // which the exponential makes relative, and is off by some itself; a few
  // products lose one unit each.
  double logarithm = std::log(std::fabs(base.value));
  double ulps = 8;
  if (std::isfinite(logarithm))
    ulps += 5 * std::fabs(exponent.value * logarithm) +
            std::min(std::fabs(exponent.value), 16.0);
  result.error += ulps * 2 * halfUlp(ElementType::F32, std::fabs(result.value));
  return roundTo(type, result);
}

Scalar sequin::reference::copySign(const Scalar &magnitude,
                                   const Scalar &sign) {
  Scalar result = magnitude;
  result.value = std::copysign(magnitude.value, sign.value);
  result.origin = 0;
  if (sign.error != 0 && std::fabs(sign.value) <= sign.error)
    result.error += 2 * std::fabs(magnitude.value);
  return result;
}
