//===- HoldingsTest.cpp - Who holds which bytes ---------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Holdings.h"
#include <gtest/gtest.h>

using namespace sequin;
using sim::Access;
using sim::Space;

namespace {
class Made {
public:
  /// A command of 10 cycles behind the one before.
  Made &add(std::vector<Access> accesses) {
    sim::CommandTiming command;
    command.id = static_cast<int64_t>(report.commands.size());
    command.context = "dma";
    command.start = 10 * command.id;
    command.end = command.start + 10;
    command.accesses = std::move(accesses);
    report.commands.push_back(std::move(command));
    return *this;
  }
  std::vector<page::Holding> holdings() {
    return page::findHoldings(report, uses);
  }
  sim::Report report;
  std::vector<std::pair<int64_t, int64_t>> uses;
};
} // namespace

static Access access(bool write, int64_t begin, int64_t end,
                     std::vector<uint64_t> slices = {1}) {
  return {Space::Dm, write, 0, begin, end, std::move(slices)};
}

TEST(PageHoldings, FromTheWriterToTheLastReader) {
  Made run;
  run.add({access(true, 0, 64)})
      .add({access(false, 0, 32)})
      .add({})
      .add({access(false, 32, 64)})
      .add({});
  auto all = run.holdings();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].writer, 0);
  EXPECT_EQ(all[0].from, 0);
  EXPECT_EQ(all[0].until, 40);
  EXPECT_EQ(all[0].reads, 2);
  EXPECT_EQ(run.uses,
            (std::vector<std::pair<int64_t, int64_t>>{{1, 0}, {3, 0}}));
}

TEST(PageHoldings, WrittenOver) {
  Made run;
  run.add({access(true, 0, 64)})
      .add({access(true, 0, 64)})
      .add({access(false, 0, 64)});
  auto all = run.holdings();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].until, 10);
  EXPECT_EQ(all[0].reads, 0);
  EXPECT_EQ(all[1].until, 30);
}

TEST(PageHoldings, APartThatIsWrittenOverLeavesTheRest) {
  Made run;
  run.add({access(true, 0, 64)})
      .add({access(true, 0, 32)})
      .add({access(false, 32, 64)});
  auto all = run.holdings();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].reads, 1);
  EXPECT_EQ(all[1].reads, 0);
}

TEST(PageHoldings, SlicesApart) {
  Made run;
  run.add({access(true, 0, 64, {1})})
      .add({access(true, 0, 64, {2})})
      .add({access(false, 0, 64, {1})});
  auto all = run.holdings();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].until, 30);
  EXPECT_EQ(all[1].until, 20);
}

TEST(PageHoldings, ReadBeforeItIsWritten) {
  Made run;
  run.add({}).add({access(false, 0, 8)});
  auto all = run.holdings();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].writer, -1);
  EXPECT_EQ(all[0].from, 0);
}
