//===- ArithmeticTest.cpp - Tests of element arithmetic ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/Arithmetic.h"
#include "Row.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>

using namespace sequin;

static constexpr float kInf = std::numeric_limits<float>::infinity();
static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
static constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
static constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

TEST(ElementType, NamesAreReadBack) {
  for (ElementType type :
       {ElementType::I4, ElementType::I5, ElementType::I8, ElementType::I9,
        ElementType::I16, ElementType::I32, ElementType::F8E4M3,
        ElementType::F8E5M2, ElementType::BF16, ElementType::F16,
        ElementType::F32})
    EXPECT_EQ(parseElementType(getName(type)), type);
  EXPECT_EQ(parseElementType("bf17"), std::nullopt);
  EXPECT_EQ(parseElementType(""), std::nullopt);
}

TEST(ElementType, ByteSizeRoundsUp) {
  EXPECT_EQ(getByteSize(ElementType::I4, 3), 2);
  EXPECT_EQ(getByteSize(ElementType::BF16, 3), 6);
  EXPECT_EQ(getByteSize(ElementType::F8E4M3, 0), 0);
}

// Every code of the narrow formats decodes to a value that encodes to the code.
TEST(Arithmetic, NarrowFloatsRoundTrip) {
  struct Format {
    ElementType type;
    unsigned bits;
  };
  for (Format format :
       {Format{ElementType::F8E4M3, 8}, Format{ElementType::F8E5M2, 8},
        Format{ElementType::F16, 16}, Format{ElementType::BF16, 16}})
    for (uint32_t code = 0; code < (1u << format.bits); ++code) {
      float value = decodeFloat(format.type, code);
      if (std::isnan(value))
        continue;
      EXPECT_EQ(encodeFloat(format.type, value), code)
          << getName(format.type).str() << " " << code;
    }
}

// Between neighbouring codes the nearer one wins and the even one at the
// middle.
TEST(Arithmetic, NarrowingRoundsToNearestEven) {
  SEQUIN_ROW("SIL-1");
  for (ElementType type : {ElementType::F8E4M3, ElementType::F8E5M2,
                           ElementType::F16, ElementType::BF16}) {
    uint32_t last = type == ElementType::F8E4M3   ? 0x7e
                    : type == ElementType::F8E5M2 ? 0x7b
                    : type == ElementType::F16    ? 0x7bff
                                                  : 0x7f7f;
    for (uint32_t code = 0; code < last; ++code) {
      double low = decodeFloat(type, code), high = decodeFloat(type, code + 1);
      auto middle = static_cast<float>((low + high) / 2);
      if (std::fpclassify(middle) == FP_SUBNORMAL && type == ElementType::BF16)
        continue;
      uint32_t even = code % 2 ? code + 1 : code;
      EXPECT_EQ(encodeFloat(type, middle), even);
      EXPECT_EQ(encodeFloat(type, std::nextafter(middle, -kInf)), code);
      EXPECT_EQ(encodeFloat(type, std::nextafter(middle, kInf)), code + 1);
      EXPECT_EQ(encodeFloat(type, -middle) & ~(1u << (getBitWidth(type) - 1)),
                even);
    }
  }
}

TEST(Arithmetic, OverflowAndNan) {
  SEQUIN_ROW("SIL-1");
  SEQUIN_ROW("SIL-27");
  EXPECT_EQ(encodeFloat(ElementType::F8E4M3, 1e9f), 0x7eu);
  EXPECT_EQ(encodeFloat(ElementType::F8E4M3, -kInf), 0xfeu);
  EXPECT_EQ(decodeFloat(ElementType::F8E4M3, 0x7e), 448.0f);
  EXPECT_EQ(encodeFloat(ElementType::F8E4M3, 464.0f), 0x7eu);
  EXPECT_EQ(encodeFloat(ElementType::F8E5M2, 1e9f), 0x7cu);
  EXPECT_EQ(encodeFloat(ElementType::F16, 65520.0f), 0x7c00u);
  EXPECT_EQ(encodeFloat(ElementType::F16, 65519.0f), 0x7bffu);
  EXPECT_EQ(encodeFloat(ElementType::BF16, 3.4e38f), 0x7f80u);
  EXPECT_EQ(encodeFloat(ElementType::BF16, kInf), 0x7f80u);
  EXPECT_EQ(encodeFloat(ElementType::F8E4M3, -kNan), 0x7fu);
  EXPECT_EQ(encodeFloat(ElementType::F8E5M2, -kNan), 0x7eu);
  EXPECT_EQ(encodeFloat(ElementType::F16, -kNan), 0x7e00u);
  EXPECT_EQ(encodeFloat(ElementType::BF16, -kNan), 0x7fc0u);
  EXPECT_EQ(encodeFloat(ElementType::F32, -kNan), 0x7fc00000u);
  EXPECT_TRUE(std::isnan(decodeFloat(ElementType::F8E4M3, 0xff)));
  EXPECT_EQ(decodeFloat(ElementType::F8E5M2, 0x7c), kInf);
}

TEST(Arithmetic, IntegersSaturate) {
  EXPECT_EQ(encodeInt(ElementType::I4, 100), 0x7u);
  EXPECT_EQ(encodeInt(ElementType::I4, -100), 0x8u);
  EXPECT_EQ(encodeInt(ElementType::I8, -129), 0x80u);
  EXPECT_EQ(encodeInt(ElementType::I16, 40000), 0x7fffu);
  EXPECT_EQ(encodeInt(ElementType::I9, -300), 0x100u);
  EXPECT_EQ(decodeInt(ElementType::I9, 0x100), -256);
  EXPECT_EQ(decodeInt(ElementType::I5, 0x1f), -1);
  EXPECT_EQ(decodeInt(ElementType::I4, 0x8), -8);
}

TEST(Arithmetic, FourBitElementsPack) {
  SEQUIN_ROW("SIL-26");
  uint8_t bytes[2] = {0, 0};
  storeElement(ElementType::I4, bytes, 0, 0x3);
  storeElement(ElementType::I4, bytes, 1, 0xa);
  storeElement(ElementType::I4, bytes, 3, 0xff);
  EXPECT_EQ(bytes[0], 0xa3);
  EXPECT_EQ(bytes[1], 0xf0);
  EXPECT_EQ(loadElement(ElementType::I4, bytes, 0), 0x3u);
  EXPECT_EQ(loadElement(ElementType::I4, bytes, 1), 0xau);
}

TEST(Arithmetic, WideElementsAreLittleEndian) {
  uint8_t bytes[4] = {0, 0, 0, 0};
  storeElement(ElementType::BF16, bytes, 1, 0x3f80);
  EXPECT_EQ(bytes[2], 0x80);
  EXPECT_EQ(bytes[3], 0x3f);
}

TEST(Arithmetic, Saturation) {
  EXPECT_EQ(addSat(kMax, 1), kMax);
  EXPECT_EQ(addSat(kMin, -1), kMin);
  EXPECT_EQ(subSat(kMin, 1), kMin);
  EXPECT_EQ(subSat(5, 7), -2);
  EXPECT_EQ(addWrap(kMax, 1), kMin);
  EXPECT_EQ(subWrap(kMin, 1), kMax);
  EXPECT_EQ(mulWrap(0x10000, 0x10000), 0);
}

TEST(Arithmetic, FixedPointMultiplication) {
  SEQUIN_ROW("SIL-3");
  EXPECT_EQ(mulFxp(kMin, kMin), kMax);
  EXPECT_EQ(mulFxp(1 << 30, 1 << 30), 1 << 29);
  EXPECT_EQ(mulFxp(1 << 30, 1), 1);  // 0.5 rounds up
  EXPECT_EQ(mulFxp(1 << 30, -1), 0); // -0.5 rounds up
}

TEST(Arithmetic, Shifts) {
  SEQUIN_ROW("SIL-4");
  EXPECT_EQ(leftShift(1, 31), kMin);
  EXPECT_EQ(leftShift(1, 32), 0);
  EXPECT_EQ(leftShiftSat(1, 31), kMax);
  EXPECT_EQ(leftShiftSat(1, 30), 1 << 30);
  EXPECT_EQ(leftShiftSat(-1, 31), kMin);
  EXPECT_EQ(leftShiftSat(-1, 40), kMin);
  EXPECT_EQ(leftShiftSat(0, 40), 0);
  EXPECT_EQ(logicRightShift(-1, 28), 15);
  EXPECT_EQ(logicRightShift(-1, 32), 0);
  EXPECT_EQ(arithRightShift(-5, 1), -3);
  EXPECT_EQ(arithRightShift(-5, 40), -1);
  EXPECT_EQ(arithRightShiftRound(5, 1), 3);
  EXPECT_EQ(arithRightShiftRound(-5, 1), -2);
  EXPECT_EQ(arithRightShiftRound(kMax, 31), 1);
  EXPECT_EQ(arithRightShiftRound(kMin, 32), 0);
  EXPECT_EQ(arithRightShiftRound(-7, 0), -7);
}

TEST(Arithmetic, FixedPointConversions) {
  SEQUIN_ROW("SIL-2");
  EXPECT_EQ(fxpToFp(7, 31), 7.0f);
  EXPECT_EQ(fxpToFp(1 << 30, 0), 0.5f);
  EXPECT_EQ(fxpToFp(0x01000001, 31), 16777216.0f); // to even
  // Halves away from zero, NaN by its sign; and as it may be otherwise.
  ArithmeticRules rules = {}, vendor = {};
  vendor.fixedTiesAway = vendor.fixedNanBySign = true;
  struct Row {
    float value;
    int64_t intWidth;
    int32_t away, even;
  };
  // Below, at and above a half; the largest below it that f32 has.
  const Row rows[] = {{0.49999997f, 31, 0, 0},
                      {0.5f, 31, 1, 0},
                      {0.50000006f, 31, 1, 1},
                      {1.5f, 31, 2, 2},
                      {2.5f, 31, 3, 2},
                      {3.5f, 31, 4, 4},
                      {-0.49999997f, 31, 0, 0},
                      {-0.5f, 31, -1, 0},
                      {-2.5f, 31, -3, -2},
                      {8388607.5f, 31, 8388608, 8388608},
                      {4194302.5f, 31, 4194303, 4194302},
                      {2147483520.0f, 31, 2147483520, 2147483520},
                      {2147483648.0f, 31, kMax, kMax},
                      {-2147483648.0f, 31, kMin, kMin},
                      {0.5f, 0, 1 << 30, 1 << 30},
                      {1.0f, 0, kMax, kMax},
                      {-1.0f, 0, kMin, kMin},
                      {kInf, 31, kMax, kMax},
                      {-kInf, 31, kMin, kMin}};
  for (const Row &row : rows) {
    EXPECT_EQ(fpToFxp(row.value, row.intWidth, vendor), row.away) << row.value;
    EXPECT_EQ(fpToFxp(row.value, row.intWidth, rules), row.even) << row.value;
  }
  EXPECT_EQ(fpToFxp(kNan, 31, vendor), kMax);
  EXPECT_EQ(fpToFxp(-kNan, 31, vendor), kMin);
  EXPECT_EQ(fpToFxp(kNan, 31, rules), 0);
  EXPECT_EQ(fpToFxp(-kNan, 31, rules), 0);
}

TEST(Arithmetic, IntegersWrapInTheCastEngine) {
  SEQUIN_ROW("SIL-1");
  ArithmeticRules wraps = {}, saturates = {};
  wraps.castWraps = true;
  struct Row {
    ElementType type;
    int32_t value, wrapped, saturated;
  };
  using enum ElementType;
  const Row rows[] = {{I4, 7, 7, 7},
                      {I4, 8, -8, 7},
                      {I4, -8, -8, -8},
                      {I4, -9, 7, -8},
                      {I8, 127, 127, 127},
                      {I8, 128, -128, 127},
                      {I8, 129, -127, 127},
                      {I8, -128, -128, -128},
                      {I8, -129, 127, -128},
                      {I16, 32767, 32767, 32767},
                      {I16, 32768, -32768, 32767},
                      {I16, -32769, 32767, -32768},
                      {I8, kMin, 0, -128},
                      {I8, kMax, -1, 127}};
  for (const Row &row : rows) {
    EXPECT_EQ(decodeInt(row.type, narrowInt(row.type, row.value, wraps)),
              row.wrapped)
        << row.value;
    EXPECT_EQ(decodeInt(row.type, narrowInt(row.type, row.value, saturates)),
              row.saturated)
        << row.value;
  }
}

TEST(Arithmetic, Magnitudes) {
  SEQUIN_ROW("SIL-8");
  EXPECT_EQ(ofSmallerMagnitude(-3, 4), -3);
  EXPECT_EQ(ofSmallerMagnitude(4, -3), -3);
  EXPECT_EQ(ofLargerMagnitude(-3, 4), 4);
  EXPECT_EQ(ofLargerMagnitude(3, -4), -4);
  // Equal ones: the first.
  EXPECT_EQ(ofSmallerMagnitude(-5, 5), -5);
  EXPECT_EQ(ofSmallerMagnitude(5, -5), 5);
  EXPECT_EQ(ofLargerMagnitude(-5, 5), -5);
  EXPECT_EQ(ofLargerMagnitude(5, -5), 5);
  // Nothing has a larger magnitude than the most negative number.
  EXPECT_EQ(ofLargerMagnitude(kMin, kMax), kMin);
  EXPECT_EQ(ofLargerMagnitude(kMax, kMin), kMin);
  EXPECT_EQ(ofLargerMagnitude(-kMax, kMin), kMin);
  EXPECT_EQ(ofSmallerMagnitude(kMin, -kMax), -kMax);
  EXPECT_EQ(ofSmallerMagnitude(-2.5f, 3.0f), -2.5f);
  EXPECT_EQ(ofLargerMagnitude(2.5f, -3.0f), -3.0f);
  EXPECT_EQ(ofSmallerMagnitude(-1.0f, 1.0f), -1.0f);
  EXPECT_EQ(ofLargerMagnitude(1.0f, -1.0f), 1.0f);
  EXPECT_TRUE(std::signbit(ofSmallerMagnitude(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(ofLargerMagnitude(0.0f, -0.0f)));
  EXPECT_EQ(ofLargerMagnitude(-kInf, kInf), -kInf);
  EXPECT_EQ(ofSmallerMagnitude(kNan, -2.0f), -2.0f);
  EXPECT_EQ(ofLargerMagnitude(-2.0f, kNan), -2.0f);
}

TEST(Arithmetic, MinimumAndMaximum) {
  SEQUIN_ROW("SIL-7");
  EXPECT_EQ(minNum(kNan, 1.0f), 1.0f);
  EXPECT_EQ(maxNum(1.0f, kNan), 1.0f);
  EXPECT_TRUE(std::isnan(maxNum(kNan, kNan)));
  EXPECT_TRUE(std::signbit(minNum(0.0f, -0.0f)));
  EXPECT_FALSE(std::signbit(maxNum(-0.0f, 0.0f)));
  EXPECT_EQ(minNum(-kInf, 3.0f), -kInf);
}

TEST(FloatEnvironment, FlushesWhileItLives) {
  SEQUIN_ROW("SIL-7");
  // volatile: the compiler knows nothing of the processor's mode.
  volatile float smallest = std::numeric_limits<float>::min();
  volatile float half = 0.5f;
  volatile float subnormal = std::numeric_limits<float>::denorm_min();
  EXPECT_NE(smallest * half, 0.0f);
  {
    FloatEnvironment flush(true);
    EXPECT_EQ(llvm::bit_cast<uint32_t>(-smallest * half), 0x80000000u);
    EXPECT_EQ(subnormal * 1e30f, 0.0f);
    EXPECT_EQ(
        encodeFloat(ElementType::BF16, llvm::bit_cast<float>(0x807f0000u)),
        0x8000u);
    EXPECT_EQ(encodeFloat(ElementType::F32, llvm::bit_cast<float>(1u)), 0u);
    // Formats with a smaller range keep theirs: they are normal f32 values.
    EXPECT_EQ(encodeFloat(ElementType::F16, 5.9604645e-08f), 1u);
    {
      FloatEnvironment keep(false);
      EXPECT_NE(smallest * half, 0.0f);
      EXPECT_EQ(encodeFloat(ElementType::F32, llvm::bit_cast<float>(1u)), 1u);
    }
    EXPECT_EQ(smallest * half, 0.0f);
  }
  EXPECT_NE(smallest * half, 0.0f);
  EXPECT_EQ(encodeFloat(ElementType::F32, llvm::bit_cast<float>(1u)), 1u);
}
