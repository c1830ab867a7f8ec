//===- CompareTest.cpp - Comparing results with a reference ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Api/Compare.h"
#include "lib/Api/Arrays.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace sequin;
using namespace sequin::api;

namespace {

std::vector<uint8_t> bytesOf(llvm::ArrayRef<float> values) {
  std::vector<uint8_t> data(values.size() * 4);
  for (size_t i = 0; i < values.size(); ++i)
    storeElement(ElementType::F32, data.data(), i,
                 llvm::bit_cast<uint32_t>(values[i]));
  return data;
}

std::optional<std::string> exactly(llvm::ArrayRef<float> found,
                                   llvm::ArrayRef<float> expected,
                                   std::vector<uint8_t> padding = {}) {
  sim::HostArray ours{ElementType::F32, {2, 2}, bytesOf(found)};
  reference::Array theirs{
      ElementType::F32, {2, 2}, bytesOf(expected), std::move(padding)};
  return compareExactly(ours, theirs);
}

TEST(Compare, NamesTheFirstDifference) {
  EXPECT_EQ(exactly({1, 2, 3, 4}, {1, 2, 3, 4}), std::nullopt);
  EXPECT_EQ(exactly({1, 2, 3, 4}, {1, 2, 3.5, 5}),
            "output 0 at [1, 0]: found 3, expected 3.5");
}

TEST(Compare, OneUnitInTheLastPlaceIsADifference) {
  EXPECT_NE(exactly({1, 2, 3, 4}, {1, 2, 3, std::nextafter(4.0f, 5.0f)}),
            std::nullopt);
}

TEST(Compare, NansAndZerosAreEqual) {
  float nan = std::nanf("");
  EXPECT_EQ(exactly({nan, -0.0f, 0, 1}, {-nan, 0, -0.0f, 1}), std::nullopt);
  EXPECT_NE(exactly({nan, 0, 0, 1}, {0, 0, 0, 1}), std::nullopt);
}

TEST(Compare, PaddingIsSkipped) {
  EXPECT_EQ(exactly({1, 2, 9, 4}, {1, 2, 3, 4}, {0, 0, 1, 0}), std::nullopt);
  EXPECT_NE(exactly({1, 9, 3, 4}, {1, 2, 3, 4}, {0, 0, 1, 0}), std::nullopt);
}

TEST(Compare, ToleranceIsPerElement) {
  sim::HostArray ours{ElementType::F32, {2}, bytesOf({1.25f, 2.25f})};
  reference::LinalgResult theirs{{ElementType::F32, {2}, bytesOf({1, 2}), {}},
                                 {0.25, 0.25}};
  EXPECT_EQ(compareClosely(ours, theirs), std::nullopt);
  theirs.tolerance[1] = 0.125;
  EXPECT_EQ(compareClosely(ours, theirs),
            "output 0 at [1]: found 2.25, expected 2 within 0.125");
}

TEST(Compare, ShapesAndTypesCount) {
  sim::HostArray ours{ElementType::F32, {2}, bytesOf({1, 2})};
  reference::Array theirs{ElementType::I32, {2}, bytesOf({1, 2}), {}};
  EXPECT_EQ(compareExactly(ours, theirs),
            "output 0 is f32 [2], expected i32 [2]");
  EXPECT_EQ(compareExactly(ours, llvm::ArrayRef<reference::Array>()),
            "1 outputs, expected 0");
}

TEST(Arrays, NibblesTakeAByteEach) {
  sim::HostArray array{ElementType::I4, {3}, {0xff, 0x07, 0xf8}};
  NpyArray file = toNpy(array, {3}, /*raw=*/false);
  EXPECT_EQ(file.dtype, "i1");
  EXPECT_EQ(file.data, array.data);
}

TEST(Arrays, NarrowFloatsBecomeFloat32UnlessRaw) {
  sim::HostArray array{ElementType::BF16, {2}, {0x80, 0x3f, 0x20, 0xc0}};
  NpyArray wide = toNpy(array, {2, 1}, /*raw=*/false);
  EXPECT_EQ(wide.dtype, "f4");
  EXPECT_EQ(wide.shape, (llvm::SmallVector<int64_t, 4>{2, 1}));
  EXPECT_EQ(wide.data, bytesOf({1.0f, -2.5f}));
  NpyArray raw = toNpy(array, {2}, /*raw=*/true);
  EXPECT_EQ(raw.dtype, "u2");
  EXPECT_EQ(raw.data, array.data);
}

} // namespace
