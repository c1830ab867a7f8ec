//===- E2m1Test.cpp - Codes of f4E2M1FN -----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/E2m1.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

using namespace sequin;

namespace {

constexpr unsigned kCodes = 16;

llvm::APFloat asApFloat(unsigned code) {
  return llvm::APFloat(llvm::APFloat::Float4E2M1FN(), llvm::APInt(4, code));
}

TEST(E2m1Test, DecodesAsApFloat) {
  for (unsigned code = 0; code < kCodes; ++code) {
    EXPECT_EQ(decodeE2m1(code), asApFloat(code).convertToFloat()) << code;
    EXPECT_EQ(std::signbit(decodeE2m1(code)), asApFloat(code).isNegative());
    // Only four bits count.
    EXPECT_EQ(decodeE2m1(code | 0xf0), decodeE2m1(code));
  }
}

TEST(E2m1Test, EncodesItsOwnValues) {
  for (unsigned code = 0; code < kCodes; ++code)
    EXPECT_EQ(encodeE2m1(decodeE2m1(code)), code);
}

TEST(E2m1Test, RoundsAsApFloat) {
  // Every multiple of an eighth, ties among them.
  for (int eighths = -48; eighths <= 48; ++eighths) {
    double value = eighths / 8.0;
    llvm::APFloat rounded(value);
    bool losesInfo;
    rounded.convert(llvm::APFloat::Float4E2M1FN(),
                    llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    EXPECT_EQ(encodeE2m1(value), rounded.bitcastToAPInt().getZExtValue())
        << value;
  }
}

TEST(E2m1Test, SaturatesAtTheLargest) {
  EXPECT_EQ(encodeE2m1(6.1), 7u);
  EXPECT_EQ(encodeE2m1(1e300), 7u);
  EXPECT_EQ(encodeE2m1(-INFINITY), 15u);
  EXPECT_EQ(encodeE2m1(-0.0), 8u);
  EXPECT_EQ(encodeE2m1(-1e-300), 8u);
}

} // namespace
