//===- CheckpointTest.cpp - Simulations that go on elsewhere --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run that is saved after some cycles and goes on in another simulator, on
// another number of ranks, gives what it gives in one go. A state that is cut
// off is refused; one in which bytes are others is refused or runs to some end
// without touching what is not its own, which is for the sanitizers to see.
//
//===----------------------------------------------------------------------===//

#include "LocalRanks.h"
#include "MixtureProgram.h"
#include "ReduceProgram.h"
#include "SeenRun.h"
#include "StencilProgram.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;

namespace {

llvm::ArrayRef<uint8_t> bytesOf(llvm::StringRef text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

std::string save(const Simulator &simulator) {
  std::string text;
  llvm::raw_string_ostream os(text);
  simulator.save(os);
  return text;
}

/// A simulator on so many ranks.
struct Simulated {
  Simulated(const Program &program, Options options, unsigned ranks) {
    if (ranks > 1) {
      others.emplace(program, ranks);
      options.exchange = others->exchange();
    }
    simulator = simulate(program, options);
  }
  std::optional<LocalRanks> others;
  std::unique_ptr<Simulator> simulator;
};

/// Runs in pieces of `cycles`, each in a simulator of its own. `states`: what
/// was saved in between.
Seen seeInPieces(const Program &program, const Options &options,
                 uint64_t cycles, llvm::ArrayRef<unsigned> ranks,
                 std::vector<std::string> &states) {
  for (size_t piece = 0;; ++piece) {
    Simulated here(program, options, ranks[piece % ranks.size()]);
    if (piece)
      if (llvm::Error bad = here.simulator->load(bytesOf(states.back()))) {
        ADD_FAILURE() << llvm::toString(std::move(bad));
        return {};
      }
    Outcome outcome = here.simulator->run(cycles);
    if (outcome != Outcome::Paused)
      return see(program, *here.simulator, outcome);
    states.push_back(save(*here.simulator));
  }
}

void expectTheSame(const Program &program, const Options &options,
                   uint64_t cycles) {
  Seen whole;
  {
    Simulated here(program, options, 1);
    Outcome outcome;
    do
      outcome = here.simulator->run(cycles);
    while (outcome == Outcome::Paused);
    whole = see(program, *here.simulator, outcome);
  }
  std::vector<std::string> ofOne, ofMany;
  Seen pieces = seeInPieces(program, options, cycles, {1}, ofOne);
  EXPECT_EQ(whole.outcome, pieces.outcome);
  EXPECT_EQ(whole.text, pieces.text);
  EXPECT_TRUE(whole.memory == pieces.memory);
  pieces = seeInPieces(program, options, cycles, {2, 1, 3}, ofMany);
  EXPECT_EQ(whole.text, pieces.text);
  EXPECT_TRUE(whole.memory == pieces.memory);
  // Down to the bytes of the states.
  EXPECT_TRUE(ofOne == ofMany);
}

TEST(Checkpoint, GoesOnAsInOneGo) {
  Program program = makeStencil(4, 20, 5, 2);
  Options options;
  expectTheSame(program, options, 20);
  expectTheSame(program, options, 101);
  options.randomLatency = options.shallowQueues = true;
  options.seed = 3;
  expectTheSame(program, options, 20);
  options.poison = Poison::Off;
  expectTheSame(program, options, 64);
}

TEST(Checkpoint, KeepsEverythingThatAPeCanHave) {
  for (const Program &program :
       {transpose(makeReduce(6, 3, 8)), transpose(makeMixture("wse2")),
        transpose(makeMixture("wse3"))})
    for (uint64_t cycles : {1, 7})
      expectTheSame(program, {}, program.height < 3 ? 1000000 : cycles);
}

/// Edited programs, saved in the middle and gone on from there.
TEST(Checkpoint, GoesOnOfEditedPrograms) {
  unsigned ran = 0;
  for (const char *target : {"wse2", "wse3"}) {
    llvm::json::Value original = toJSON(makeMixture(target));
    for (unsigned seed = 0; seed < 300; ++seed) {
      llvm::json::Value changed = original;
      if (seed)
        Mutator(seed).run(changed);
      auto parsed = fromJSON(changed);
      if (!parsed) {
        llvm::consumeError(parsed.takeError());
        continue;
      }
      const CslMachine *machine = lookupCslMachine(parsed->target);
      if (!machine || parsed->pes.size() > 100)
        continue;
      if (llvm::Error bad = check(*parsed, *machine)) {
        llvm::consumeError(std::move(bad));
        continue;
      }
      SCOPED_TRACE("seed " + std::to_string(seed));
      Options options;
      options.maxCycles = 2000;
      options.randomLatency = seed & 1;
      Simulated whole(*parsed, options, 1);
      Outcome outcome;
      do
        outcome = whole.simulator->run(13);
      while (outcome == Outcome::Paused);
      Seen expected = see(*parsed, *whole.simulator, outcome);
      std::vector<std::string> states;
      Seen pieces = seeInPieces(*parsed, options, 13, {1}, states);
      EXPECT_EQ(expected.outcome, pieces.outcome);
      EXPECT_EQ(expected.text, pieces.text);
      EXPECT_TRUE(expected.memory == pieces.memory);
      ++ran;
    }
  }
  EXPECT_GT(ran, 60u);
}

TEST(Checkpoint, CutOffIsRefused) {
  Program program = transpose(makeMixture("wse3"));
  Simulated here(program, {}, 1);
  ASSERT_EQ(here.simulator->run(20), Outcome::Paused);
  std::string state = save(*here.simulator);
  for (unsigned ranks : {1, 2})
    for (size_t size = 0; size < state.size();
         size += ranks == 1 ? 1 + size / 300 : 1 + size / 3) {
      Simulated other(program, {}, ranks);
      llvm::Error bad = other.simulator->load(bytesOf(state).take_front(size));
      ASSERT_TRUE(!!bad) << size;
      EXPECT_EQ(llvm::toString(std::move(bad)), "is cut off or damaged");
    }
}

TEST(Checkpoint, WithOtherBytesIsRefusedOrRuns) {
  unsigned refused = 0, ran = 0;
  for (const char *target : {"wse2", "wse3"}) {
    Program program = makeMixture(target);
    Options options;
    options.maxCycles = 5000;
    options.maxSteps = 50000;
    for (uint64_t cycles : {20, 40}) {
      Simulated here(program, options, 1);
      ASSERT_EQ(here.simulator->run(cycles), Outcome::Paused);
      const std::string state = save(*here.simulator);
      for (unsigned seed = 0; seed < 400; ++seed) {
        std::mt19937 random(seed);
        std::string changed = state;
        for (unsigned i = 0; i <= seed % 3; ++i)
          changed[random() % changed.size()] = static_cast<char>(random());
        Simulated other(program, options, 1);
        if (llvm::Error bad = other.simulator->load(bytesOf(changed))) {
          llvm::consumeError(std::move(bad));
          ++refused;
          continue;
        }
        other.simulator->run();
        other.simulator->hang().str(program);
        ++ran;
      }
    }
  }
  EXPECT_GT(refused, 50u);
  EXPECT_GT(ran, 50u);
}

} // namespace
