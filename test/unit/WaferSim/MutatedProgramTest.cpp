//===- MutatedProgramTest.cpp - Wafer programs that somebody has edited ---===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of a program's JSON are replaced at random: what comes of it is
// refused, or runs to an end, a trap, a hang or the limit of cycles. That it
// does so without touching what is not its own is for the sanitizers to see.
//
//===----------------------------------------------------------------------===//

#include "MixtureProgram.h"
#include "ReduceProgram.h"
#include "StencilProgram.h"
#include "gtest/gtest.h"

using namespace sequin;
using namespace sequin::testing;

namespace {

TEST(MutatedProgram, IsRefusedOrRuns) {
  const Program programs[] = {makeStencil(3, 2, 4, 2), makeReduce(6, 3, 8),
                              makeMixture("wse2"), makeMixture("wse3")};
  unsigned ran = 0, refused = 0;
  for (auto [number, program] : llvm::enumerate(programs)) {
    llvm::json::Value original = toJSON(program);
    // The unchanged program is one that runs.
    auto plain = simulate(program);
    ASSERT_TRUE(plain) << number;
    EXPECT_NE(plain->run(200000), Outcome::Trapped) << plain->trap()->message;
    for (unsigned seed = 0; seed < 400; ++seed) {
      llvm::json::Value changed = original;
      Mutator(seed).run(changed);
      auto parsed = fromJSON(changed);
      if (!parsed) {
        llvm::consumeError(parsed.takeError());
        ++refused;
        continue;
      }
      // A rectangle of the size of a wafer is fine, but not for a test.
      if (parsed->pes.size() > 100)
        continue;
      Options options;
      options.maxCycles = 20000;
      options.shallowQueues = seed & 1;
      options.randomLatency = seed & 2;
      options.bankModulus = seed & 4;
      const CslMachine *machine = lookupCslMachine(parsed->target);
      if (!machine)
        continue;
      auto simulator = Simulator::create(*parsed, *machine, options);
      if (!simulator) {
        llvm::consumeError(simulator.takeError());
        ++refused;
        continue;
      }
      (*simulator)->run();
      (*simulator)->hang().str(*parsed);
      ++ran;
    }
  }
  EXPECT_GT(ran, 300u);
  EXPECT_GT(refused, 300u);
}

} // namespace
