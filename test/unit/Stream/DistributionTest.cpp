//===- DistributionTest.cpp - Who holds which element of an array ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/Distribution.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace sequin;

namespace {

/// The table of the header.
TEST(Distribution, ShortLastBlock) {
  Distribution d;
  d.dims = {
      {.size = 10, .axis = FabricAxis::X, .block = 4, .low = 1, .extent = 6}};
  ASSERT_FALSE(bool(d.check(3, 1)));
  std::vector<uint8_t> whole = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (uint8_t &value : whole)
    ++value;
  std::vector<uint8_t> local = d.scatter(whole, 1, 3, 1);
  EXPECT_EQ(local, (std::vector<uint8_t>{0, 1, 2, 3, 4, 0, 0, 5, 6, 7, 8, 0, 0,
                                         9, 10, 0, 0, 0}));
  EXPECT_EQ(d.gather(local, 1, 3, 1), whole);
}

TEST(Distribution, OrderInMemory) {
  Distribution d;
  d.dims = {{.size = 2, .axis = FabricAxis::Y, .block = 1, .extent = 1},
            {.size = 3, .extent = 3},
            {.size = 2, .extent = 2}};
  d.order = {2, 1, 0};
  ASSERT_FALSE(bool(d.check(1, 2)));
  std::vector<uint8_t> whole(12);
  for (size_t i = 0; i < whole.size(); ++i)
    whole[i] = i;
  EXPECT_EQ(d.scatter(whole, 1, 1, 2),
            (std::vector<uint8_t>{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11}));
}

TEST(Distribution, Refusals) {
  auto text = [](const Distribution &d, int64_t width, int64_t height) {
    return llvm::toString(d.check(width, height));
  };
  Distribution d;
  d.dims = {{.size = 9, .axis = FabricAxis::X, .block = 4, .extent = 4}};
  EXPECT_EQ(text(d, 2, 5), "dimension 0 of 9 elements from 0 on in blocks of 4 "
                           "needs more than the 2 PEs of the grid");
  EXPECT_EQ(text(d, 3, 1), "");
  d.dims[0].low = 1;
  EXPECT_EQ(text(d, 3, 1), "dimension 0 needs 5 elements of a local array that "
                           "has 4");
  d.dims[0].low = 0;
  d.dims.push_back({.size = 2, .axis = FabricAxis::XY, .block = 1});
  EXPECT_EQ(text(d, 3, 1),
            "dimension 1 is on an axis that another dimension is on");
  d.dims[1].axis = FabricAxis::Y;
  EXPECT_EQ(text(d, 3, 2), "");
  d.order = {0, 0};
  EXPECT_EQ(text(d, 3, 2), "the order is no permutation of the dimensions");
}

/// gather(scatter(a)) == a, and no two elements share a place.
TEST(Distribution, RandomRoundTrips) {
  unsigned seed = 20261122;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    int64_t width = draw(1, 5), height = draw(1, 4);
    Distribution d;
    llvm::SmallVector<FabricAxis> axes = {FabricAxis::X, FabricAxis::Y,
                                          FabricAxis::None};
    if (round % 3 == 0)
      axes = {FabricAxis::XY, FabricAxis::None};
    std::shuffle(axes.begin(), axes.end(), random);
    for (FabricAxis axis : axes) {
      DistributedDim dim;
      dim.axis = axis;
      dim.size = draw(1, 12);
      dim.origin = draw(0, 3);
      dim.low = draw(0, 2);
      int64_t pes = axis == FabricAxis::X    ? width
                    : axis == FabricAxis::Y  ? height
                    : axis == FabricAxis::XY ? width * height
                                             : 1;
      dim.block = (dim.origin + dim.size + pes - 1) / pes + draw(0, 1);
      dim.extent = dim.low + dim.block + draw(0, 2);
      d.dims.push_back(dim);
      d.order.push_back(d.order.size());
    }
    std::shuffle(d.order.begin(), d.order.end(), random);
    ASSERT_EQ(llvm::toString(d.check(width, height)), "");
    std::vector<uint8_t> whole(2 * d.elements());
    for (uint8_t &value : whole)
      value = draw(1, 255);
    std::vector<uint8_t> local = d.scatter(whole, 2, width, height);
    EXPECT_EQ(d.gather(local, 2, width, height), whole);
    EXPECT_EQ(llvm::count_if(local, [](uint8_t v) { return v; }),
              int64_t(whole.size()));
  }
}

} // namespace
