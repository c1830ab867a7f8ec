//===- FloatExceptionsTest.cpp - What float operations raise --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against two others that count exceptions: LLVM's APFloat for the formats that
// it has, and on x86 the processor. APFloat looks for tiny results in the
// format's own grid and takes one that rounds up to the smallest normal number
// for normal, so such results are left to the processor.
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/FloatExceptions.h"
#include "Row.h"
#include "sequin/Support/DsdArithmetic.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include <cfenv>
#include <random>

using namespace sequin;
using namespace sequin::dsd;
using namespace sequin::dsd::float_exception;
using llvm::APFloat;

namespace {

uint32_t apply(DsdOpcode opcode, uint32_t a, uint32_t b = 0, uint32_t x = 0,
               Fp16Format format = Fp16Format::F16) {
  bool carry = false;
  return evaluate(opcode, format, a, b, x, carry);
}
uint8_t raisedBy(DsdOpcode opcode, uint32_t a, uint32_t b = 0, uint32_t x = 0,
                 Fp16Format format = Fp16Format::F16) {
  return exceptionsOf(opcode, format, a, b, x, apply(opcode, a, b, x, format));
}
uint32_t f32(float value) { return llvm::bit_cast<uint32_t>(value); }

uint8_t fromStatus(int status) {
  return static_cast<uint8_t>(
      (status & APFloat::opUnderflow ? Underflow : 0) |
      (status & APFloat::opOverflow ? Overflow : 0) |
      (status & APFloat::opInexact ? Inexact : 0) |
      (status & APFloat::opInvalidOp ? Invalid : 0) |
      (status & APFloat::opDivByZero ? DivideByZero : 0));
}

struct Format {
  const llvm::fltSemantics &semantics;
  FloatFormat format;
  DsdOpcode add, sub, mul, fma;

  unsigned bits() const { return format.isF32 ? 32 : 16; }
  APFloat number(uint32_t bits) const {
    return APFloat(semantics, llvm::APInt(this->bits(), bits));
  }
  uint32_t encode(double value) const {
    return format.isF32 ? encodeF32(static_cast<float>(value))
                        : encodeFp16(format.half, value);
  }
  double decode(uint32_t bits) const {
    return format.isF32 ? decodeF32(bits) : decodeFp16(format.half, bits);
  }
};

const Format kFormats[] = {{APFloat::IEEEsingle(),
                            {true, Fp16Format::F16},
                            DsdOpcode::Fadds,
                            DsdOpcode::Fsubs,
                            DsdOpcode::Fmuls,
                            DsdOpcode::Fmacs},
                           {APFloat::IEEEhalf(),
                            {false, Fp16Format::F16},
                            DsdOpcode::Faddh,
                            DsdOpcode::Fsubh,
                            DsdOpcode::Fmulh,
                            DsdOpcode::Fmach},
                           {APFloat::BFloat(),
                            {false, Fp16Format::BF16},
                            DsdOpcode::Faddh,
                            DsdOpcode::Fsubh,
                            DsdOpcode::Fmulh,
                            DsdOpcode::Fmach}};

/// Bits of all kinds: any, and often those near zero, one and the ends.
uint32_t draw(std::mt19937 &random, const Format &format) {
  uint32_t any = static_cast<uint32_t>(random());
  unsigned kind = random() % 8;
  unsigned mantissa =
      format.format.isF32 ? 23 : getLayout(format.format.half).mantissaBits;
  uint32_t mask = (1u << mantissa) - 1;
  uint32_t top = format.bits() == 32 ? 0x7f800000 : 0x7fff & ~mask;
  uint32_t sign = format.bits() == 32 ? 0x80000000 : 0x8000;
  switch (kind) {
  case 0:
    return any & (sign | mask); // zero and subnormal
  case 1:
    return (any & (sign | mask)) | (1u + random() % 3) << mantissa;
  case 2:
    return (any & (sign | mask)) | (top - (random() % 3 << mantissa));
  case 3:
    return (any & sign) | (random() % 4 ? top : 0u);
  case 4:
    return (any & sign) | (format.encode(1.0) + (any >> 8) % 5 - 2);
  default:
    return any & (sign | (sign - 1));
  }
}

TEST(FloatExceptions, AgreeWithApFloat) {
  constexpr auto kNearest = APFloat::rmNearestTiesToEven;
  std::mt19937 random(11);
  for (const Format &format : kFormats)
    for (int i = 0; i < 60000; ++i) {
      uint32_t a = draw(random, format), b = draw(random, format),
               c = draw(random, format);
      auto check = [&](const char *what, uint32_t value, uint8_t raised,
                       int status, APFloat meant) {
        uint8_t wanted = fromStatus(status);
        if (std::fabs(format.decode(value)) ==
            std::fabs(APFloat::getSmallestNormalized(format.semantics)
                          .convertToDouble())) {
          wanted &= static_cast<uint8_t>(~Underflow);
          raised &= static_cast<uint8_t>(~Underflow);
        }
        ASSERT_EQ(int(raised), int(wanted))
            << what << " " << format.bits() << " bits " << std::hex << a << " "
            << b << " " << c << " -> " << value;
        if (!meant.isNaN()) {
          ASSERT_EQ(value, meant.bitcastToAPInt().getZExtValue()) << what;
        }
      };
      auto element = [&](const char *what, DsdOpcode opcode, APFloat meant,
                         int status) {
        check(what, apply(opcode, a, b, 0, format.format.half),
              raisedBy(opcode, a, b, 0, format.format.half), status, meant);
      };
      APFloat result = format.number(a);
      int status = result.add(format.number(b), kNearest);
      element("add", format.add, result, status);
      result = format.number(a);
      status = result.subtract(format.number(b), kNearest);
      element("subtract", format.sub, result, status);
      result = format.number(a);
      status = result.multiply(format.number(b), kNearest);
      element("multiply", format.mul, result, status);

      // APFloat's NaN in a product that is one by itself comes first.
      bool anyNan = format.number(a).isNaN() || format.number(b).isNaN() ||
                    format.number(c).isNaN();
      if (!anyNan) {
        result = format.number(b);
        status = result.fusedMultiplyAdd(format.number(c), format.number(a),
                                         kNearest);
        check("fma", apply(format.fma, a, b, c, format.format.half),
              raisedBy(format.fma, a, b, c, format.format.half), status,
              result);
      }
      result = format.number(a);
      status = result.divide(format.number(b), kNearest);
      double x = format.decode(a), y = format.decode(b);
      uint32_t quotient =
          format.format.isF32
              ? encodeF32(static_cast<float>(x) / static_cast<float>(y))
              : format.encode(x / y);
      check("divide", quotient,
            exceptionsOfQuotient(format.format, a, b, quotient), status,
            result);

      llvm::APSInt whole(16, /*isUnsigned=*/false);
      bool isExact;
      status = format.number(a).convertToInteger(whole, APFloat::rmTowardZero,
                                                 &isExact);
      ASSERT_EQ(int(exceptionsToInteger(format.format, a, 16, true)),
                int(fromStatus(status)))
          << std::hex << a;
      llvm::APInt number(32, random() >> random() % 32);
      result = APFloat(format.semantics);
      status = result.convertFromAPInt(number, /*IsSigned=*/true, kNearest);
      uint32_t converted = format.encode(number.getSExtValue());
      ASSERT_EQ(int(exceptionsFromInteger(
                    format.format, static_cast<uint64_t>(number.getSExtValue()),
                    true, converted)),
                int(fromStatus(status)))
          << number.getSExtValue();
      if (format.format.isF32 || format.number(a).isNaN())
        continue;
      // To f32 and from there.
      ASSERT_EQ(int(raisedBy(DsdOpcode::Fh2s, a, 0, 0, format.format.half)), 0);
      uint32_t wide = draw(random, kFormats[0]);
      APFloat narrowed = kFormats[0].number(wide);
      bool loses;
      status = narrowed.convert(format.semantics, kNearest, &loses);
      if (kFormats[0].number(wide).isNaN() || narrowed.isSmallestNormalized() ||
          (-narrowed).isSmallestNormalized())
        continue;
      ASSERT_EQ(int(raisedBy(DsdOpcode::Fs2h, wide, 0, 0, format.format.half)),
                int(fromStatus(status)))
          << std::hex << wide;
    }
}

#if defined(__x86_64__)
uint8_t fromHost() {
  int raised = std::fetestexcept(FE_ALL_EXCEPT);
  return static_cast<uint8_t>((raised & FE_UNDERFLOW ? Underflow : 0) |
                              (raised & FE_OVERFLOW ? Overflow : 0) |
                              (raised & FE_INEXACT ? Inexact : 0) |
                              (raised & FE_INVALID ? Invalid : 0) |
                              (raised & FE_DIVBYZERO ? DivideByZero : 0));
}

// It finds tiny results after rounding, too.
TEST(FloatExceptions, AgreeWithTheProcessor) {
  std::mt19937 random(12);
  const Format &format = kFormats[0];
  for (int i = 0; i < 200000; ++i) {
    uint32_t a = draw(random, format), b = draw(random, format);
    if (i % 4 == 0) {
      // Products and quotients around the smallest normal number.
      a = f32(1.0f) + random() % 64;
      b = (random() & 0x80000000) | (0x00800000u - random() % 128);
    }
    volatile float x = decodeF32(a), y = decodeF32(b);
    auto check = [&](const char *what, auto compute, auto raised) {
      std::feclearexcept(FE_ALL_EXCEPT);
      volatile float result = compute();
      uint8_t wanted = fromHost();
      float value = result;
      ASSERT_EQ(int(raised(encodeF32(value))), int(wanted))
          << what << std::hex << " " << a << " " << b << " -> " << f32(value);
    };
    check(
        "add", [&] { return x + y; },
        [&](uint32_t value) {
          return exceptionsOf(DsdOpcode::Fadds, Fp16Format::F16, a, b, 0,
                              value);
        });
    check(
        "multiply", [&] { return x * y; },
        [&](uint32_t value) {
          return exceptionsOf(DsdOpcode::Fmuls, Fp16Format::F16, a, b, 0,
                              value);
        });
    check(
        "divide", [&] { return x / y; },
        [&](uint32_t value) { return exceptionsOfQuotient({}, a, b, value); });
    check(
        "divide by the first", [&] { return y / x; },
        [&](uint32_t value) { return exceptionsOfQuotient({}, b, a, value); });
    check(
        "sqrt", [&] { return __builtin_sqrtf(x); },
        [&](uint32_t value) {
          return exceptionsOfFunction("sqrt", {}, a, 0, value);
        });
  }
}
#endif

TEST(FloatExceptions, OfComparisons) {
  for (uint32_t bits : {0x7fc00000u, 0x7f800001u, f32(1)}) {
    bool isNan = bits > 0x7f800000, isSignaling = bits == 0x7f800001;
    for (auto [a, b] : {std::pair(bits, f32(2)), std::pair(f32(2), bits)}) {
      EXPECT_EQ(int(exceptionsOfComparison({}, a, b, /*orders=*/true)),
                isNan ? Invalid : 0);
      EXPECT_EQ(int(exceptionsOfComparison({}, a, b, /*orders=*/false)),
                isSignaling ? Invalid : 0);
    }
  }
}

// The smallest normal number of the format without a model elsewhere is 2^-41,
// the largest number (2 - 2^-9) * 2^20.
TEST(FloatExceptions, OfCb16) {
  constexpr Fp16Format kFormat = Fp16Format::CB16;
  auto bits = [](double value) { return encodeFp16(kFormat, value); };
  auto raised = [&](DsdOpcode opcode, double a, double b) {
    return int(raisedBy(opcode, bits(a), bits(b), 0, kFormat));
  };
  EXPECT_EQ(raised(DsdOpcode::Fmulh, 0x1p-21, 0x1p-20), 0);
  EXPECT_EQ(raised(DsdOpcode::Fmulh, 0x1p-25, 0x1p-25), 0); // subnormal, exact
  EXPECT_EQ(raised(DsdOpcode::Fmulh, 0x1p-25, 0x1p-26), Underflow | Inexact);
  EXPECT_EQ(raised(DsdOpcode::Fmulh, 0x1.008p-20, 0x1.008p-22),
            Underflow | Inexact);
  EXPECT_EQ(raised(DsdOpcode::Fmulh, 0x1.008p-20, 0x1.008p-21), Inexact);
  EXPECT_EQ(raised(DsdOpcode::Faddh, 0x1p20, 0x1p20), Overflow | Inexact);
  EXPECT_EQ(raised(DsdOpcode::Faddh, 0x1p20, 0x1.fep19), 0);
  EXPECT_EQ(raised(DsdOpcode::Faddh, 0x1p20, 1.0), Inexact);
  EXPECT_EQ(raised(DsdOpcode::Fsubh, HUGE_VAL, HUGE_VAL), Invalid);
}

TEST(FloatExceptions, OfDsdOperations) {
  constexpr uint32_t kSignaling = 0x7f800001, kQuiet = 0x7fc00001,
                     kInfinity = 0x7f800000;
  // Bits alone.
  for (DsdOpcode opcode : {DsdOpcode::Fmovs, DsdOpcode::Fabss, DsdOpcode::Fnegs,
                           DsdOpcode::Mov32, DsdOpcode::Add16})
    EXPECT_EQ(int(raisedBy(opcode, kSignaling, kSignaling)), 0);
  for (DsdOpcode opcode : {DsdOpcode::Fadds, DsdOpcode::Fmaxs, DsdOpcode::Fs2h,
                           DsdOpcode::Fnorms, DsdOpcode::Fscales}) {
    EXPECT_EQ(int(raisedBy(opcode, kSignaling, f32(1))), Invalid);
    EXPECT_EQ(int(raisedBy(opcode, kQuiet, f32(1))), 0);
  }
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fh2s, 0x7c01)), Invalid);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fs2xp16, f32(40000))), Invalid);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fs2xp16, kQuiet)), Invalid);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fs2xp16, f32(-32768.5f))), Inexact);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fs2xp16, f32(-3))), 0);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fh2xp16, 0x7c00)), Invalid);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Xp162fh, 2049)), Inexact);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Xp162fh, 2050)), 0);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Xp162fs, 0x8001)), 0);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fscales, f32(1), 0, 128)),
            Overflow | Inexact);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fscales, f32(1), 0, 0x8000)),
            Underflow | Inexact);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fscales, f32(1), 0, 0xff6b)), 0); // 2^-149
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fscales, f32(3), 0, 0xff6a)),
            Underflow | Inexact);
  // Mixed: f32 + f16 and f32 + f16 * f16, into f32.
  EXPECT_EQ(int(raisedBy(DsdOpcode::Faddhs, f32(0x1p24f), 0x3c00)), Inexact);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fmachs, f32(1), 0x7bff, 0x7bff)), Inexact);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fmachs, f32(0), 0x7bff, 0x7bff)), 0);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fmacs, kInfinity, f32(2), f32(-3))), 0);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fmacs, kInfinity, kInfinity, f32(-3))),
            Invalid);
  // A NaN that is not of the operation's making.
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fmacs, f32(1), f32(1), kQuiet)), 0);
  EXPECT_EQ(int(raisedBy(DsdOpcode::Fmacs, f32(1), f32(1), kSignaling)),
            Invalid);
}

TEST(FloatExceptions, OfFunctions) {
  auto raised = [](llvm::StringRef name, float x, double value, float y = 0) {
    return int(exceptionsOfFunction(name, {}, f32(x), f32(y),
                                    encodeF32(static_cast<float>(value))));
  };
  EXPECT_EQ(raised("exp", 0, 1), 0);
  EXPECT_EQ(raised("exp", 1, std::exp(1)), Inexact);
  EXPECT_EQ(raised("exp", 100, HUGE_VAL), Overflow | Inexact);
  EXPECT_EQ(raised("exp", -1000, 0), Underflow | Inexact);
  EXPECT_EQ(raised("exp", -HUGE_VALF, 0), 0);
  EXPECT_EQ(raised("exp2", 3, 8), 0);
  EXPECT_EQ(raised("exp2", -149, 0x1p-149), 0);
  EXPECT_EQ(raised("exp2", -151, 0), Underflow | Inexact);
  EXPECT_EQ(raised("exp2", 128, HUGE_VAL), Overflow | Inexact);
  EXPECT_EQ(raised("exp2", 0.5, std::sqrt(2.0)), Inexact);
  EXPECT_EQ(raised("log", 0, -HUGE_VAL), DivideByZero);
  EXPECT_EQ(raised("log", 1, 0), 0);
  EXPECT_EQ(raised("log", -1, NAN), Invalid);
  EXPECT_EQ(raised("log1p", -1, -HUGE_VAL), DivideByZero);
  EXPECT_EQ(raised("log2", 0x1p-149f, -149), 0);
  EXPECT_EQ(raised("log2", 3, std::log2(3)), Inexact);
  EXPECT_EQ(raised("log10", 1000, 3), 0);
  EXPECT_EQ(raised("log10", 0.1f, -1), Inexact);
  EXPECT_EQ(raised("rsqrt", 0, HUGE_VAL), DivideByZero);
  EXPECT_EQ(raised("rsqrt", 16, 0.25), 0);
  EXPECT_EQ(raised("rsqrt", 8, 1 / std::sqrt(8.0)), Inexact);
  EXPECT_EQ(raised("sqrt", -4, NAN), Invalid);
  EXPECT_EQ(raised("sin", HUGE_VALF, NAN), Invalid);
  EXPECT_EQ(raised("atan", HUGE_VALF, std::atan(HUGE_VAL)), Inexact);
  EXPECT_EQ(raised("atan2", 0, 0, 3), 0);
  EXPECT_EQ(raised("atan2", 0, std::atan2(0.0, -1.0), -1), Inexact);
  EXPECT_EQ(raised("floor", 2.5, 2), 0);
  EXPECT_EQ(raised("pow", 3, 9, 2), 0);
  EXPECT_EQ(raised("pow", -3, -27, 3), 0);
  EXPECT_EQ(raised("pow", 2.25, 1.5, 0.5), 0);
  EXPECT_EQ(raised("pow", 2.25, 3.375, 1.5), 0);
  EXPECT_EQ(raised("pow", 3, 1.0 / 9, -2), Inexact);
  EXPECT_EQ(raised("pow", 2, 0.25, -2), 0);
  EXPECT_EQ(raised("pow", 2, std::sqrt(2.0), 0.5), Inexact);
  EXPECT_EQ(raised("pow", 3, std::pow(3.0, 16), 16), Inexact); // 26 bits
  EXPECT_EQ(raised("pow", 0, HUGE_VAL, -1), DivideByZero);
  EXPECT_EQ(raised("pow", -2, NAN, 0.5), Invalid);
  EXPECT_EQ(raised("pow", 10, HUGE_VAL, 40), Overflow | Inexact);
  EXPECT_EQ(raised("pow", 1, 1, 0.3f), 0);
  EXPECT_EQ(raised("pow", 2, 0, -200), Underflow | Inexact);
}

TEST(FloatExceptions, Names) {
  EXPECT_EQ(describeExceptions(DivideByZero), "exception FP_DIV_BY_0");
  EXPECT_EQ(describeExceptions(Underflow | Inexact),
            "exceptions FP_UNDERFLOW and FP_INEXACT");
  SEQUIN_ROW("LIB-040");
}

} // namespace
