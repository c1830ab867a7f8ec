//===- TenancyTest.cpp - Bytes that are taken for a while -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/Tenancy.h"
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace sequin;

namespace {

using Pair = std::optional<std::pair<size_t, size_t>>;

TEST(Tenancy, BytesAndTimesEndInTheirOwnWays) {
  // Bytes: the end is the first that is free.
  EXPECT_EQ(findOverlap({{0, 8, 0, 9}, {8, 16, 0, 9}}), Pair());
  EXPECT_EQ(findOverlap({{0, 9, 0, 9}, {8, 16, 0, 9}}), Pair({0, 1}));
  // Times: the last is still taken.
  EXPECT_EQ(findOverlap({{0, 8, 0, 4}, {0, 8, 5, 9}}), Pair());
  EXPECT_EQ(findOverlap({{0, 8, 0, 5}, {0, 8, 5, 9}}), Pair({0, 1}));
  // Nothing takes no bytes.
  EXPECT_EQ(findOverlap({{0, 8, 0, 9}, {4, 4, 0, 9}}), Pair());
  EXPECT_EQ(findOverlap({}), Pair());
}

TEST(Tenancy, FindsTheFirstOfAllPairs) {
  std::mt19937 random(20240711);
  auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Tenancy> list(2 + below(12));
    for (Tenancy &tenancy : list) {
      tenancy.begin = below(40);
      tenancy.end = tenancy.begin + below(5);
      tenancy.first = below(40);
      tenancy.last = tenancy.first + below(5);
    }
    Pair expected;
    for (size_t j = 1; j < list.size() && !expected; ++j)
      for (size_t i = 0; i < j && !expected; ++i) {
        const Tenancy &a = list[i], &b = list[j];
        int64_t bytes = 0, times = 0;
        for (int64_t byte = a.begin; byte < a.end; ++byte)
          bytes += b.begin <= byte && byte < b.end;
        for (int64_t time = a.first; time <= a.last; ++time)
          times += b.first <= time && time <= b.last;
        if (bytes && times)
          expected = {i, j};
      }
    EXPECT_EQ(findOverlap(list), expected) << "round " << round;
    found += expected.has_value();
  }
  EXPECT_GT(found, 200);
  EXPECT_LT(found, 1800);
}

} // namespace
