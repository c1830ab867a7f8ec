//===- ThreadsTest.cpp - The same run on any number of threads ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SeenRun.h"
#include "StencilProgram.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;
using ::testing::HasSubstr;
using ::testing::SizeIs;

namespace {

constexpr int64_t kWidth = 7, kHeight = 26;
constexpr unsigned kDepth = 7, kSteps = 2;

/// What one thread gives; that so many others give the same has been checked.
Seen seeOnAll(const Program &program, const Options &options = {},
              unsigned threads = 4, unsigned window = 2) {
  // Parts of a window of w cycles have at least 2 w + 2 rows.
  EXPECT_GE(program.height, threads * (2 * window + 2));
  Seen one = see(program, options, 1, window);
  Seen others = see(program, options, threads, window);
  EXPECT_EQ(one.outcome, others.outcome);
  EXPECT_EQ(one.text, others.text);
  EXPECT_TRUE(one.memory == others.memory);
  return one;
}

/// The PE's router takes nothing that comes from the neighbours' side `side`.
void breakRouter(Program &program, int64_t x, int64_t y, Directions side,
                 bool knowsColor) {
  Pe &pe = program.pes[y * program.width + x];
  Router router = program.routers[pe.router];
  for (auto it = router.colors.begin(); it != router.colors.end();) {
    bool breaks = it->second.positions[0]->rx & side;
    if (breaks && knowsColor)
      it->second.positions[0]->rx = R;
    it = breaks && !knowsColor ? router.colors.erase(it) : std::next(it);
  }
  pe.router = static_cast<uint32_t>(program.routers.size());
  program.routers.push_back(router);
}

TEST(Threads, GiveTheSame) {
  Program program = makeStencil(kWidth, kHeight, kDepth, kSteps);
  EXPECT_EQ(seeOnAll(program).outcome, Outcome::Finished);
  EXPECT_EQ(seeOnAll(program, {}, 6, 1).outcome, Outcome::Finished);
  Options options;
  options.seed = 7;
  options.randomLatency = options.shallowQueues = options.highestTaskFirst =
      true;
  EXPECT_EQ(seeOnAll(program, options).outcome, Outcome::Finished);
}

TEST(Threads, FindTheSameTrap) {
  // PEs that trap in the same cycle, in rows of different threads.
  Program program = makeStencil(kWidth, kHeight, kDepth, kSteps);
  for (int64_t y : {22, 9, 15})
    breakRouter(program, 3, y, N, /*knowsColor=*/false);
  Seen seen = seeOnAll(program);
  EXPECT_EQ(seen.outcome, Outcome::Trapped);
  EXPECT_THAT(seen.text, HasSubstr("(3, 9) a wavelet came from NORTH"));
}

TEST(Threads, FindTheSameHang) {
  Program program = makeStencil(kWidth, kHeight, kDepth, kSteps);
  for (int64_t y : {4, 13})
    breakRouter(program, 5, y, S, /*knowsColor=*/true);
  Seen seen = seeOnAll(program);
  EXPECT_EQ(seen.outcome, Outcome::Hung);
  EXPECT_THAT(seen.text, HasSubstr("cannot move"));
}

TEST(Threads, LogInTheSameOrder) {
  Program program = makeStencil(kWidth, kHeight, kDepth, kSteps);
  for (Code &code : program.codes) {
    Print print;
    print.pieces = {"left ", ""};
    print.values = {{0, Print::Form::Unsigned, 16}};
    code.prints.push_back(print);
    // Before the end of a step.
    Function &step = code.functions[1];
    Instruction put = {Opcode::Print, 0,           kNoRegister,
                       kNoRegister,   kNoRegister, 0};
    step.instructions.insert(step.instructions.end() - 1, put);
    step.locations.push_back(0);
  }
  Seen seen = seeOnAll(program);
  EXPECT_EQ(seen.outcome, Outcome::Finished);
  EXPECT_EQ(llvm::StringRef(seen.text).count("left "),
            size_t(kWidth * kHeight * (kSteps + 1)));
}

} // namespace
