//===- ProgressTest.cpp - What is said of long work -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/Progress.h"
#include "gtest/gtest.h"

using namespace sequin;

TEST(Progress, ShareAndTimeLeft) {
  Progress progress{"simulate", "", 3'700'000, 9'000'364, "cycles"};
  EXPECT_EQ(describe(progress, 0.5),
            "simulate 41 %, 3,700,000 of 9,000,364 cycles");
  EXPECT_EQ(describe(progress, 10),
            "simulate 41 %, 3,700,000 of 9,000,364 cycles, 370,000 per second, "
            "14 s left");
}

TEST(Progress, NobodyKnowsTheEnd) {
  EXPECT_EQ(describe({"compile", "linalg-to-tcp"}, 5),
            "compile: linalg-to-tcp");
  EXPECT_EQ(describe({"simulate", "", 1200, 0, "cycles"}, 5),
            "simulate, 1,200 cycles, 240 per second");
}

TEST(Progress, MoreThanThereWas) {
  EXPECT_EQ(describe({"read", "", 7, 5, "arrays"}, 0),
            "read 100 %, 7 of 5 arrays");
}

TEST(Progress, ControlCharactersOfNames) {
  EXPECT_EQ(describe({"import", "a\x1b[2J\nb"}, 0), "import: a?[2J?b");
}

TEST(Progress, Modes) {
  EXPECT_EQ(parseProgressMode("auto"), ProgressMode::Auto);
  EXPECT_EQ(parseProgressMode("always"), ProgressMode::Always);
  EXPECT_EQ(parseProgressMode("never"), ProgressMode::Never);
  EXPECT_EQ(parseProgressMode("often"), std::nullopt);
}
