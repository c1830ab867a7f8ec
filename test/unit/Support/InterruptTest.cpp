//===- InterruptTest.cpp - Work that its caller can end -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/Interrupt.h"
#include <gtest/gtest.h>
#include <thread>

using namespace sequin;

namespace {

TEST(Interrupt, NobodyAsksWithoutScope) {
  EXPECT_FALSE(interrupted());
  InterruptScope scope([] { return true; });
  bool other = true;
  std::thread([&] { other = interrupted(); }).join();
  EXPECT_FALSE(other);
}

TEST(Interrupt, AsksOnceInAWhileAndKeepsTheAnswer) {
  unsigned asked = 0;
  auto ask = [&] { return ++asked == 2; };
  InterruptScope scope(ask);
  EXPECT_FALSE(interrupted());
  EXPECT_EQ(asked, 0u); // not before a period is over
  while (!interrupted(/*every=*/64))
    ;
  EXPECT_EQ(asked, 2u);
  EXPECT_TRUE(scope.isInterrupted());
  EXPECT_TRUE(interrupted());
  EXPECT_EQ(asked, 2u);
}

TEST(Interrupt, ScopesNest) {
  auto never = [] { return false; };
  auto always = [] { return true; };
  InterruptScope outer(never);
  {
    InterruptScope inner(always);
    while (!interrupted())
      ;
    EXPECT_FALSE(outer.isInterrupted());
  }
  EXPECT_FALSE(interrupted());
}

TEST(Interrupt, EndsSearchesOnce) {
  EXPECT_FALSE(endSearch()); // there is none
  SearchScope search;
  EXPECT_FALSE(isSearchEnded());
  EXPECT_TRUE(endSearch());
  EXPECT_TRUE(isSearchEnded());
  EXPECT_FALSE(endSearch());
  SearchScope later;
  EXPECT_TRUE(isSearchEnded());
}

} // namespace
