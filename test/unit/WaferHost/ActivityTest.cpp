//===- ActivityTest.cpp - The fabric over time ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/Recorder.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace sequin::wafer;

static uint64_t sum(llvm::ArrayRef<uint32_t> values) {
  return std::accumulate(values.begin(), values.end(), uint64_t(0));
}

TEST(Activity, WorkIsSpreadOverBins) {
  Activity activity(2, 1);
  activity.works({8, 0, 0}, 16);
  EXPECT_EQ(activity.binCycles(), 16u);
  EXPECT_EQ(activity.work()[0], 8u);
  EXPECT_EQ(activity.work()[2], 8u);
  EXPECT_EQ(activity.work()[1], 0u);
}

TEST(Activity, LongRunsJoinBins) {
  Activity activity(2, 2);
  uint64_t cycles = 0;
  for (uint64_t at = 0; at < 100000; at += 100) {
    activity.works({at, 1, 1}, 40);
    activity.hops({at, 0, 1}, 3);
    cycles += 40;
  }
  EXPECT_EQ(sum(activity.work()), cycles);
  EXPECT_EQ(sum(activity.moved()), 3000u);
  EXPECT_EQ(activity.binCycles(), 1024u);
  // Even, but for the ends.
  for (uint64_t bin = 0; bin < 97; ++bin)
    EXPECT_NEAR(activity.work()[bin * 4 + 3], 1024 * 0.4, 50) << bin;
}

TEST(Activity, LargeFabricsHaveTiles) {
  Activity activity(750, 994);
  EXPECT_LE(activity.columns() * activity.rows(), Activity::kMostTiles);
  EXPECT_GE(activity.columns() * activity.tileSize(), 750);
  activity.works({0, 749, 993}, 1);
  EXPECT_EQ(activity.work()[activity.columns() * activity.rows() - 1], 1u);
}
