//===- PrintedValueTest.cpp - Values as simprint writes them --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/PrintedValue.h"
#include "gtest/gtest.h"
#include <limits>

using namespace sequin;

TEST(PrintedValue, Bits) {
  EXPECT_EQ(printedHex(42, 16), "002A");
  EXPECT_EQ(printedHex(0xdeadbeef, 32), "DEADBEEF");
  EXPECT_EQ(printedHex(1, 1), "1");
  EXPECT_EQ(printedBinary(42, 16), "0000000000101010");
  EXPECT_EQ(printedBinary(0x8001, 16), "1000000000000001");
}

TEST(PrintedValue, Floats) {
  EXPECT_EQ(printedFloat(42), "42.0");
  EXPECT_EQ(printedFloat(-0.0f), "-0.0");
  EXPECT_EQ(printedFloat(0.1f), "0.1");
  EXPECT_EQ(printedFloat(1e30f), "1e+30");
  EXPECT_EQ(printedFloat(std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(printedFloat(std::numeric_limits<float>::quiet_NaN()), "nan");
}
