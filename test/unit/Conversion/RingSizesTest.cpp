//===- RingSizesTest.cpp - Sizes that loops are padded to -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LinalgToTcp/RingSizes.h"
#include "LoweringProgram.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

using Counts = SmallVector<int64_t>;

TEST(RingSizesTest, FindsAllDivisors) {
  EXPECT_EQ(getDivisors(1), Counts({1}));
  EXPECT_EQ(getDivisors(36), Counts({1, 2, 3, 4, 6, 9, 12, 18, 36}));
  EXPECT_EQ(getDivisors(101), Counts({1, 101}));
}

TEST(RingSizesTest, RoundsUpToPowersOfTwo) {
  EXPECT_EQ(getPaddedCounts(101), Counts({101, 104, 112}));
  // 128 is a third more than 96, and 8 twice as much as 4 are no rounding.
  EXPECT_EQ(getPaddedCounts(96), Counts({96}));
  EXPECT_EQ(getPaddedCounts(64), Counts({64}));
  EXPECT_EQ(getPaddedCounts(13), Counts({13, 16}));
  EXPECT_EQ(getPaddedCounts(1), Counts({1}));
  for (int64_t count = 1; count < 3000; ++count) {
    Counts counts = getPaddedCounts(count);
    EXPECT_EQ(counts.front(), count);
    EXPECT_LE(counts.back() * 4, count * 5);
    EXPECT_TRUE(llvm::is_sorted(counts));
  }
}

TEST(RingSizesTest, CutsEveryCountIntoTilesOfManySizes) {
  for (int64_t count = 1; count < 3000; ++count) {
    Counts tiles = getTileCounts(count);
    EXPECT_EQ(tiles.front(), 1);
    EXPECT_TRUE(llvm::is_contained(tiles, count));
    for (int64_t divisor : getDivisors(count))
      EXPECT_TRUE(llvm::is_contained(tiles, divisor));
    // From one size to the next is no cliff.
    if (count >= 16)
      EXPECT_GE(tiles.size(), 4u) << count;
  }
}

class RingPaddingTest : public ::testing::Test, protected LoweringProgram {
protected:
  void lower(StringRef text) {
    ASSERT_TRUE(succeeded(read(text.str()))) << messages;
    fuseGroups(program);
    chooseLayouts(program);
  }
};

/// The sum of the second product is over what the first one has computed, of
/// which nobody knows what lies behind its end.
TEST_F(RingPaddingTest, AddsZerosOnlyOfTheHost) {
  lower(R"(
func.func @main(%a: tensor<64x40xbf16>, %b: tensor<40x100xbf16>,
                %c: tensor<100x64xbf16>) -> tensor<64x64xf32> {
  %z = arith.constant dense<0.0> : tensor<64x100xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x40xbf16>, tensor<40x100xbf16>)
      outs(%z : tensor<64x100xf32>) -> tensor<64x100xf32>
  %e = tensor.empty() : tensor<64x100xbf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x100xf32>) outs(%e : tensor<64x100xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %y = arith.truncf %x : f32 to bf16
    linalg.yield %y : bf16
  } -> tensor<64x100xbf16>
  %w = arith.constant dense<0.0> : tensor<64x64xf32>
  %2 = linalg.matmul ins(%1, %c : tensor<64x100xbf16>, tensor<100x64xbf16>)
      outs(%w : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
})");
  ASSERT_EQ(program.groups.size(), 2u);
  EXPECT_TRUE(addsZerosBehind(group(0), 2));
  EXPECT_FALSE(addsZerosBehind(group(1), 2));
  // Nor on several chips, where the host's array has what the program has.
  group(0).rhs.tensor->isAlone = false;
  EXPECT_FALSE(addsZerosBehind(group(0), 2));
}

/// Behind a part of a tensor is the rest of it.
TEST_F(RingPaddingTest, AddsNoPartOfATensor) {
  lower(R"(
func.func @main(%a: tensor<64x80xbf16>, %b: tensor<40x64xbf16>)
    -> tensor<64x64xf32> {
  %p = tensor.extract_slice %a[0, 0] [64, 40] [1, 1]
      : tensor<64x80xbf16> to tensor<64x40xbf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = linalg.matmul ins(%p, %b : tensor<64x40xbf16>, tensor<40x64xbf16>)
      outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
})");
  ASSERT_EQ(program.groups.size(), 1u);
  EXPECT_FALSE(addsZerosBehind(group(0), 2));
  EXPECT_TRUE(endsAlone(group(0).lhs, 2));
}

} // namespace
