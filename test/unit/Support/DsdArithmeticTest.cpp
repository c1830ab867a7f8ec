//===- DsdArithmeticTest.cpp - One element of a DSD operation -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/DsdArithmetic.h"
#include "Row.h"
#include "sequin/Support/Arithmetic.h"
#include <cmath>
#include <random>

using namespace sequin;
using namespace sequin::dsd;

namespace {

constexpr Fp16Format kFormats[] = {Fp16Format::F16, Fp16Format::CB16,
                                   Fp16Format::BF16};

uint32_t apply(DsdOpcode opcode, uint32_t a, uint32_t b = 0, uint32_t x = 0,
               Fp16Format format = Fp16Format::F16) {
  bool carry = false;
  return evaluate(opcode, format, a, b, x, carry);
}
uint32_t f32(float value) { return llvm::bit_cast<uint32_t>(value); }
uint32_t f16(double value) { return encodeFp16(Fp16Format::F16, value); }

TEST(DsdArithmetic, Formats) {
  EXPECT_EQ(encodeFp16(Fp16Format::F16, 6), 0x4600u);
  EXPECT_EQ(encodeFp16(Fp16Format::CB16, 6), 0x5900u);
  EXPECT_EQ(encodeFp16(Fp16Format::BF16, 6), 0x40c0u);
  EXPECT_EQ(decodeFp16(Fp16Format::CB16, 0x5900), 6.0f);
  SEQUIN_ROW("DOP-006");
  for (Fp16Format format : kFormats)
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      float value = decodeFp16(format, bits);
      if (value == value)
        ASSERT_EQ(encodeFp16(format, value), bits) << getName(format).str();
      else
        ASSERT_NE(encodeFp16(format, value) & 0x7fff, 0u);
    }
}

// Against the formats that the rest of the project has, on all f32 that are
// close to a tie and on random ones.
TEST(DsdArithmetic, RoundsAsTheOtherFormats) {
  std::mt19937 random(2);
  for (int i = 0; i < 200000; ++i) {
    float value = llvm::bit_cast<float>(static_cast<uint32_t>(random()));
    if (value != value)
      continue;
    ASSERT_EQ(encodeFp16(Fp16Format::BF16, value),
              encodeFloat(ElementType::BF16, value));
    float small = std::ldexp(value, -100);
    for (float x : {value, small})
      ASSERT_EQ(encodeFp16(Fp16Format::F16, x),
                encodeFloat(ElementType::F16, x))
          << x;
  }
}

/// The exact sum of two doubles of few bits, rounded to `format` by hand: the
/// neighbour that is closer, ties to even.
uint32_t nearest(Fp16Format format, long double exact) {
  uint32_t best = encodeFp16(format, static_cast<double>(exact));
  auto distance = [&](uint32_t bits) {
    return std::fabs(static_cast<long double>(decodeFp16(format, bits)) -
                     exact);
  };
  for (uint32_t other : {best - 1, best + 1})
    if ((other & 0x8000) == (best & 0x8000) &&
        std::isfinite(decodeFp16(format, other)))
      if (distance(other) < distance(best) ||
          (distance(other) == distance(best) && !(other & 1)))
        best = other;
  return best;
}

// fmach rounds once: against the sum in 64 bits of mantissa, which is exact for
// operands of similar size.
TEST(DsdArithmetic, FusedMultiplyAdd) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> some(-8, 8);
  for (Fp16Format format : kFormats)
    for (int i = 0; i < 50000; ++i) {
      uint32_t a = encodeFp16(format, some(random));
      uint32_t b = encodeFp16(format, some(random));
      uint32_t x = encodeFp16(format, some(random));
      long double exact = static_cast<long double>(decodeFp16(format, a)) +
                          static_cast<long double>(decodeFp16(format, b)) *
                              static_cast<long double>(decodeFp16(format, x));
      ASSERT_EQ(apply(DsdOpcode::Fmach, a, b, x, format),
                nearest(format, exact))
          << getName(format).str() << " " << a << " " << b << " " << x;
    }
  // 1 + 2^-11 is a tie that 2^-24 decides; two roundings would lose it.
  uint32_t one = f16(1), tie = f16(0x1.004p0);
  EXPECT_EQ(apply(DsdOpcode::Fmach, one, f16(0x1p-11), tie), 0x3c01u);
  SEQUIN_ROW("DOP-011");
  SEQUIN_ROW("DOP-048");
  for (int i = 0; i < 200000; ++i) {
    float a = static_cast<float>(some(random)),
          b = static_cast<float>(some(random)),
          x = static_cast<float>(some(random));
    ASSERT_EQ(apply(DsdOpcode::Fmacs, f32(a), f32(b), f32(x)),
              f32(std::fma(b, x, a)));
  }
  SEQUIN_ROW("DOP-050");
  EXPECT_EQ(apply(DsdOpcode::Fmachs, f32(1.0f), f16(3), f16(0.5)), f32(2.5f));
  SEQUIN_ROW("DOP-049");
}

TEST(DsdArithmetic, Integers) {
  EXPECT_EQ(apply(DsdOpcode::Add16, 0xffff, 2), 1u);
  SEQUIN_ROW("DOP-019");
  EXPECT_EQ(apply(DsdOpcode::Sub16, 1, 2), 0xffffu);
  SEQUIN_ROW("DOP-024");
  // Two words of a 32-bit sum: the carry goes from element to element.
  bool carry = false;
  EXPECT_EQ(evaluate(DsdOpcode::Addc16, Fp16Format::F16, 0xffff, 1, 0, carry),
            0u);
  EXPECT_TRUE(carry);
  EXPECT_EQ(evaluate(DsdOpcode::Addc16, Fp16Format::F16, 2, 3, 0, carry), 6u);
  EXPECT_FALSE(carry);
  SEQUIN_ROW("DOP-020");
  SEQUIN_ROW("AMB-014");
  EXPECT_EQ(apply(DsdOpcode::And16, 0b011, 0b101), 0b001u);
  SEQUIN_ROW("DOP-021");
  EXPECT_EQ(apply(DsdOpcode::Or16, 0b011, 0b101), 0b111u);
  SEQUIN_ROW("DOP-022");
  EXPECT_EQ(apply(DsdOpcode::Xor16, 0b011, 0b101), 0b110u);
  SEQUIN_ROW("DOP-023");
  EXPECT_EQ(apply(DsdOpcode::Sar16, 0x8000, 4), 0xf800u);
  EXPECT_EQ(apply(DsdOpcode::Sar16, 0x8000, 100), 0xffffu);
  SEQUIN_ROW("DOP-025");
  EXPECT_EQ(apply(DsdOpcode::Sll16, 0x8001, 1), 2u);
  EXPECT_EQ(apply(DsdOpcode::Sll16, 1, 16), 0u);
  SEQUIN_ROW("DOP-026");
  EXPECT_EQ(apply(DsdOpcode::Slr16, 0x8000, 15), 1u);
  EXPECT_EQ(apply(DsdOpcode::Slr16, 0x8000, 16), 0u);
  SEQUIN_ROW("DOP-027");
  EXPECT_EQ(apply(DsdOpcode::Clz, 0x00ff), 8u);
  EXPECT_EQ(apply(DsdOpcode::Clz, 0), 16u);
  SEQUIN_ROW("DOP-028");
  EXPECT_EQ(apply(DsdOpcode::Ctz, 0xff00), 8u);
  EXPECT_EQ(apply(DsdOpcode::Ctz, 0), 16u);
  SEQUIN_ROW("DOP-029");
  EXPECT_EQ(apply(DsdOpcode::Popcnt, 0xf00f), 8u);
  SEQUIN_ROW("DOP-030");
}

TEST(DsdArithmetic, Floats) {
  EXPECT_EQ(apply(DsdOpcode::Mov16, 0x7e01), 0x7e01u);
  EXPECT_EQ(apply(DsdOpcode::Fmovs, 0x7fc00001), 0x7fc00001u);
  EXPECT_EQ(apply(DsdOpcode::Fabsh, f16(-2)), f16(2));
  SEQUIN_ROW("DOP-035");
  EXPECT_EQ(apply(DsdOpcode::Fnegs, f32(0.0f)), f32(-0.0f));
  SEQUIN_ROW("DOP-038");
  EXPECT_EQ(apply(DsdOpcode::Faddh, f16(1), f16(0x1p-11)), f16(1));
  EXPECT_EQ(apply(DsdOpcode::Faddh, f16(0x1.004p0), f16(0x1p-11)),
            f16(0x1.008p0));
  SEQUIN_ROW("DOP-039");
  EXPECT_EQ(apply(DsdOpcode::Faddhs, f32(1.0f), f16(0.5)), f32(1.5f));
  SEQUIN_ROW("DOP-041");
  SEQUIN_ROW("AMB-011");
  EXPECT_EQ(apply(DsdOpcode::Fsubs, f32(1.0f), f32(3.0f)), f32(-2.0f));
  SEQUIN_ROW("DOP-043");
  EXPECT_EQ(apply(DsdOpcode::Fmulh, f16(300), f16(300)), 0x7c00u);
  SEQUIN_ROW("DOP-044");
  EXPECT_EQ(apply(DsdOpcode::Fmaxs, kNanF32, f32(1.0f)), f32(1.0f));
  EXPECT_EQ(apply(DsdOpcode::Fmaxs, f32(-0.0f), f32(0.0f)), f32(0.0f));
  SEQUIN_ROW("DOP-047");
  EXPECT_EQ(apply(DsdOpcode::Fsubs, 0x7f800000, 0x7f800000), kNanF32);
}

TEST(DsdArithmetic, ScaleAndNormalize) {
  EXPECT_EQ(apply(DsdOpcode::Fnorms, f32(-6.0f)), f32(-1.5f));
  EXPECT_EQ(apply(DsdOpcode::Fnorms, f32(0.0f)), f32(0.0f));
  SEQUIN_ROW("DOP-052");
  EXPECT_EQ(apply(DsdOpcode::Fnormh, 0x0001), f16(1));
  SEQUIN_ROW("DOP-051");
  SEQUIN_ROW("AMB-013");
  EXPECT_EQ(apply(DsdOpcode::Fscales, f32(1.5f), 0, uint16_t(-1)), f32(0.75f));
  EXPECT_EQ(apply(DsdOpcode::Fscales, f32(1.0f), 0, uint16_t(-149)), 1u);
  // Half of the smallest subnormal is a tie to zero, a little more is not.
  EXPECT_EQ(apply(DsdOpcode::Fscales, f32(1.0f), 0, uint16_t(-150)), 0u);
  EXPECT_EQ(apply(DsdOpcode::Fscales, f32(1.5f), 0, uint16_t(-150)), 1u);
  EXPECT_EQ(apply(DsdOpcode::Fscales, 1, 0, 0x7fff), 0x7f800000u);
  EXPECT_EQ(apply(DsdOpcode::Fscales, 0x7f7fffff, 0, 0x8000), 0u);
  SEQUIN_ROW("DOP-054");
  EXPECT_EQ(apply(DsdOpcode::Fscaleh, f16(1), 0, 16), 0x7c00u);
  SEQUIN_ROW("DOP-053");
}

TEST(DsdArithmetic, Conversions) {
  EXPECT_EQ(apply(DsdOpcode::Fh2s, f16(-1.5)), f32(-1.5f));
  SEQUIN_ROW("DOP-055");
  EXPECT_EQ(apply(DsdOpcode::Fs2h, f32(65520.0f)), 0x7c00u);
  EXPECT_EQ(apply(DsdOpcode::Fs2h, f32(65519.0f)), f16(65504));
  SEQUIN_ROW("DOP-056");
  EXPECT_EQ(apply(DsdOpcode::Fh2xp16, f16(-10.8)), uint16_t(-10));
  SEQUIN_ROW("DOP-057");
  EXPECT_EQ(apply(DsdOpcode::Fs2xp16, f32(1e9f)), 0x7fffu);
  EXPECT_EQ(apply(DsdOpcode::Fs2xp16, f32(-1e9f)), 0x8000u);
  EXPECT_EQ(apply(DsdOpcode::Fs2xp16, kNanF32), 0u);
  SEQUIN_ROW("DOP-058");
  SEQUIN_ROW("AMB-012");
  EXPECT_EQ(apply(DsdOpcode::Xp162fh, 2049), f16(2048));
  SEQUIN_ROW("DOP-059");
  EXPECT_EQ(apply(DsdOpcode::Xp162fs, 0xffff), f32(-1.0f));
  SEQUIN_ROW("DOP-060");
}

TEST(DsdOps, Table) {
  EXPECT_EQ(parseDsdOpcode("fmacs"), DsdOpcode::Fmacs);
  EXPECT_EQ(parseDsdOpcode("add32"), std::nullopt);
  EXPECT_EQ(parseDsdOpcode("mul16"), std::nullopt);
  SEQUIN_ROW("DOP-063");
  EXPECT_EQ(getInfo(DsdOpcode::Fmachs).source1, DsdElement::F16);
  EXPECT_EQ(getInfo(DsdOpcode::Clz).sources(), 1u);
}

} // namespace
