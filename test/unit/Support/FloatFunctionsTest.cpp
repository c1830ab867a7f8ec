//===- FloatFunctionsTest.cpp - Functions of the float cluster ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/FloatFunctions.h"
#include "Row.h"
#include "sequin/Support/Arithmetic.h"
#include "gtest/gtest.h"
#include <random>

using namespace sequin;

static constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The distance from the exact value in units of the last place of an f32.
static double ulps(float found, long double exact) {
  float rounded = static_cast<float>(exact);
  if (rounded != rounded || found != found)
    return (rounded != rounded) == (found != found) ? 0 : 1e9;
  if (found == rounded &&
      (std::isinf(found) || std::fpclassify(found) != FP_NORMAL))
    return 0;
  // Subnormal results are not of interest: the machine flushes them.
  if (std::fpclassify(rounded) != FP_NORMAL)
    return std::fabs(found) <= 1.2e-38f || std::isinf(rounded) ? 0 : 1e9;
  int exponent;
  std::frexp(rounded, &exponent);
  return static_cast<double>(std::fabs(found - exact)) /
         std::ldexp(1.0, exponent - 24);
}

/// The largest distance over arguments in [low, high] and over any pattern.
template <class Found, class Exact>
static double worst(Found found, Exact exact, float low, float high) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> inside(low, high);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    float x = i % 2 ? inside(random)
                    : llvm::bit_cast<float>(static_cast<uint32_t>(random()));
    if (x != x || std::fpclassify(x) == FP_SUBNORMAL)
      continue;
    worst = std::max(worst, ulps(found(x), exact(x)));
  }
  return worst;
}

// The header's promise, far inside the ruling's four.
TEST(FloatFunctions, Accuracy) {
  SEQUIN_ROW("SIL-5");
  using Wide = long double;
  constexpr double promise = 0.51;
  EXPECT_LE(worst(expF, [](Wide x) { return std::exp(x); }, -80, 80), promise);
  EXPECT_LE(
      worst(negExpF, [](Wide x) { return std::exp(-x); }, -80, 80), promise);
  EXPECT_LE(worst(sqrtF, [](Wide x) { return std::sqrt(x); }, 0, 80), promise);
  EXPECT_LE(worst(tanhF, [](Wide x) { return std::tanh(x); }, -8, 8), promise);
  EXPECT_LE(
      worst(
          sigmoidF, [](Wide x) { return 1 / (1 + std::exp(-x)); }, -20, 20),
      promise);
  EXPECT_LE(worst(erfF, [](Wide x) { return std::erf(x); }, -4, 4), promise);
  EXPECT_LE(worst(logF, [](Wide x) { return std::log(x); }, 0, 80), promise);
  EXPECT_LE(worst(sinF, [](Wide x) { return std::sin(x); }, -8, 8), promise);
  EXPECT_LE(worst(cosF, [](Wide x) { return std::cos(x); }, -8, 8), promise);
}

TEST(FloatFunctions, SpecialValues) {
  SEQUIN_ROW("SIL-5");
  EXPECT_EQ(expF(-kInfinity), 0.0f);
  EXPECT_EQ(expF(kInfinity), kInfinity);
  EXPECT_EQ(expF(0.0f), 1.0f);
  EXPECT_EQ(negExpF(kInfinity), 0.0f);
  EXPECT_TRUE(std::isnan(sqrtF(-1.0f)));
  EXPECT_TRUE(std::isnan(logF(-1.0f)));
  EXPECT_EQ(logF(0.0f), -kInfinity);
  EXPECT_EQ(logF(kInfinity), kInfinity);
  EXPECT_EQ(tanhF(kInfinity), 1.0f);
  EXPECT_EQ(erfF(-kInfinity), -1.0f);
  EXPECT_EQ(sigmoidF(-kInfinity), 0.0f);
  EXPECT_TRUE(std::isnan(sinF(kInfinity)));
  EXPECT_TRUE(std::isnan(cosF(kInfinity)));
  for (auto *function :
       {expF, negExpF, sqrtF, tanhF, sigmoidF, erfF, logF, sinF, cosF})
    EXPECT_TRUE(std::isnan(function(std::nanf(""))));
  for (auto *function : {sinF, tanhF, erfF, sqrtF}) {
    EXPECT_TRUE(std::signbit(function(-0.0f)));
    EXPECT_FALSE(std::signbit(function(0.0f)));
  }
}

TEST(FloatFunctions, SubnormalsAreFlushed) {
  SEQUIN_ROW("SIL-7");
  FloatEnvironment environment(/*flush=*/true);
  auto expectFlushed = [](const char *name, auto &&function) {
    for (uint32_t bits : {0x00180000u, 0x80180000u, 0x00000001u, 0x807fffffu}) {
      float x = llvm::bit_cast<float>(bits);
      float zero = llvm::bit_cast<float>(bits & 0x80000000u);
      EXPECT_EQ(llvm::bit_cast<uint32_t>(function(x)),
                llvm::bit_cast<uint32_t>(function(zero)))
          << name << " of " << bits;
    }
  };
  expectFlushed("sin", [](float x) { return sinSmallF(x); });
  expectFlushed("sin", [](float x) { return sinF(x); });
  expectFlushed("cos", [](float x) { return cosSmallF(x); });
  expectFlushed("tanh", [](float x) { return tanhF(x); });
  expectFlushed("erf", [](float x) { return erfF(x); });
  expectFlushed("sigmoid", [](float x) { return sigmoidF(x); });
  expectFlushed("exp", [](float x) { return expF(x); });
}

TEST(FloatFunctions, FusedMultiplyAddRoundsOnce) {
  SEQUIN_ROW("VEC-20");
  std::mt19937 random(3);
  for (int i = 0; i < 300000; ++i) {
    // Exponents that meet, and any.
    uint32_t mask = i % 2 ? 0x80ffffffu : ~0u, base = i % 2 ? 0x3f000000u : 0;
    auto next = [&] {
      return llvm::bit_cast<float>((static_cast<uint32_t>(random()) & mask) |
                                   base);
    };
    float a = next(), b = next(), c = next() * (i % 3 ? 1.0f : 0x1p-24f);
    float found = fmaF(a, b, c), expected = std::fma(a, b, c);
    if (expected != expected)
      EXPECT_TRUE(found != found);
    else
      ASSERT_EQ(found, expected) << a << " " << b << " " << c;
  }
  // a * b + c rounded twice would be 0 here.
  EXPECT_EQ(fmaF(1 + 0x1p-23f, 1 + 0x1p-23f, -(1 + 0x1p-22f)), 0x1p-46f);
}
