//===- ReduceGroupsTest.cpp - Slices that reduce together -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Machine/ReduceGroups.h"
#include "../Row.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <vector>

using namespace sequin;
using ::testing::HasSubstr;

using Lists = std::vector<std::vector<int64_t>>;

static std::string explain(const Lists &sources) {
  return explainReduceGroups(
      static_cast<int64_t>(sources.size()),
      [&](int64_t slice) { return llvm::ArrayRef(sources[slice]); });
}

/// Blocks of `block` slices whose first `count`, `stride` apart, are folded
/// into the first `takers` of them.
static Lists blocks(int64_t slices, int64_t block, int64_t count,
                    int64_t takers, int64_t stride = 1) {
  Lists lists(slices);
  for (int64_t slice = 0; slice < slices; ++slice)
    if (slice % block < takers)
      for (int64_t i = 0; i < count; ++i)
        lists[slice].push_back(slice / block * block + i * stride);
  return lists;
}

TEST(ReduceGroups, NeighboursOfStrideOne) {
  SEQUIN_ROW("INT-03");
  EXPECT_EQ(explain(blocks(16, 4, 2, 4)), "");
  EXPECT_EQ(explain(blocks(16, 4, 4, 4)), "");
  EXPECT_EQ(explain(blocks(15, 5, 5, 5)), "");
  EXPECT_EQ(explain(blocks(16, 16, 16, 1)), "");
  EXPECT_THAT(explain(blocks(16, 4, 2, 4, 2)),
              HasSubstr("slice 0 reduces slice 0 and then slice 2"));
  EXPECT_THAT(explain({{0, 1, 3}, {}, {}, {}}),
              HasSubstr("slice 0 reduces slice 1 and then slice 3"));
}

TEST(ReduceGroups, BlocksDoNotOverlap) {
  // Three, four and five slices of blocks that begin four apart.
  EXPECT_EQ(explain(blocks(16, 4, 3, 4)), "");
  EXPECT_EQ(explain(blocks(16, 4, 4, 4)), "");
  EXPECT_THAT(explain(blocks(16, 4, 5, 4)),
              HasSubstr("slice 0 reduces slices 0 to 4, and blocks of slices "
                        "begin 4 apart"));
}

TEST(ReduceGroups, ResultsLieInTheirBlock) {
  // The last place of a block, and the first one behind it.
  EXPECT_EQ(explain({{0, 1}, {0, 1}, {2, 3}, {2, 3}}), "");
  EXPECT_THAT(explain({{0, 1}, {0, 1}, {0, 1}, {2, 3}}),
              HasSubstr("slice 2 reduces slices 0 to 1 and is not in their "
                        "block"));
  EXPECT_THAT(explain({{}, {2, 3}, {2, 3}, {2, 3}}),
              HasSubstr("slice 1 reduces slices 2 to 3 and is not in their "
                        "block"));
}

TEST(ReduceGroups, SlicesWithoutAResult) {
  EXPECT_EQ(explain({{}, {}, {}, {}}), "");
  EXPECT_EQ(explain({{}, {0, 1}, {2, 3}, {}}), "");
}
