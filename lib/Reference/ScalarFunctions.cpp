//===- ScalarFunctions.cpp - Functions of one number ----------------------===//
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
static constexpr ScalarFunction expFunction{std::exp, 4, 0, true};
static constexpr ScalarFunction exp2Function{std::exp2, 4, 1, true};
static constexpr ScalarFunction logFunction{std::log, 4, 0, true};
static constexpr ScalarFunction log2Function{std::log2, 6, 0, true};
static constexpr ScalarFunction log10Function{std::log10, 6, 0, true};
static constexpr ScalarFunction rsqrtFunction{rsqrt, 8, 0, true};
static constexpr ScalarFunction sinFunction{std::sin, 4, 0, false};
static constexpr ScalarFunction sqrtFunction{std::sqrt, 4, 0, true};
static constexpr ScalarFunction tanhFunction{std::tanh, 4, 0, true};

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
      .Case([](math::ExpOp) { return &expFunction; })
      .Case([](math::Exp2Op) { return &exp2Function; })
      .Case([](math::LogOp) { return &logFunction; })
      .Case([](math::Log2Op) { return &log2Function; })
      .Case([](math::Log10Op) { return &log10Function; })
      .Case([](math::RsqrtOp) { return &rsqrtFunction; })
      .Case([](math::SinOp) { return &sinFunction; })
      .Case([](math::SqrtOp) { return &sqrtFunction; })
      .Case([](math::TanhOp) { return &tanhFunction; })
      .Default(nullptr);
}

Scalar sequin::reference::apply(const ScalarFunction &function,
                                ElementType type, Scalar argument) {
  Scalar result;
  result.value = function.value(argument.value);
  double around =
      argument.error + function.argumentUlps * 2 *
                           halfUlp(ElementType::F32, std::fabs(argument.value));
  if (around != 0) {
    double most = around;
    if (function.monotone) {
      double above = function.value(argument.value + around);
      double below = function.value(argument.value - around);
      most = std::max(std::fabs(above - result.value),
                      std::fabs(below - result.value));
    }
    // An end outside of the function's domain bounds nothing.
    result.error = std::isnan(most) ? INFINITY : most;
  }
  if (function.ulps == 0 && around == 0)
    return result;
  if (std::isfinite(result.value))
    result.error +=
        function.ulps * 2 * halfUlp(ElementType::F32, std::fabs(result.value));
  return roundTo(type, result);
}
