//===- RanksTest.cpp - The same run on any number of ranks ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks that are threads of this process give what one rank gives: memory,
// counters, findings, prints, traps, hangs, what an observer is told. Also of
// programs that somebody has edited (MutatedProgramTest), with rows and columns
// exchanged, so that what they do crosses borders.
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
using ::testing::HasSubstr;

namespace {

/// Writes down all that it is told.
class Listener : public Observer {
public:
  explicit Listener(bool isTracer) : isTracer(isTracer) {}
  std::string text;

  bool wantsInstructions() const override { return isTracer; }
  void hop(const Moment &at, const Hop &hop) override {
    put(at, "hop") << unsigned(hop.color) << unsigned(hop.from)
                   << unsigned(hop.to) << hop.control << hop.data << hop.half
                   << hop.flip;
  }
  void switchMoves(const Moment &at, const SwitchMove &move) override {
    put(at, "switch") << unsigned(move.color) << unsigned(move.from)
                      << unsigned(move.to) << move.data
                      << unsigned(move.before.rx) << unsigned(move.after.tx);
  }
  void element(const Moment &at, const TracedElement &element) override {
    put(at, "element") << unsigned(element.thread) << element.number << " "
                       << element.value << " " << element.function << " "
                       << element.instruction;
  }
  void instruction(const Moment &at, const TracedInstruction &one) override {
    put(at, "instruction") << unsigned(one.opcode) << one.function << " "
                           << one.number;
  }
  void waits(const Moment &at, WaitKind why, unsigned number) override {
    put(at, "waits") << unsigned(why) << number;
  }
  void queued(const Moment &at, unsigned queue, uint32_t data) override {
    put(at, "queued") << queue << data;
  }
  void sent(const Moment &at, unsigned queue, uint32_t data) override {
    put(at, "sent") << queue << data;
  }
  void taskStarts(const Moment &at, llvm::StringRef kind,
                  const Function &function) override {
    put(at, "task") << kind << function.name;
  }
  void taskEnds(const Moment &at) override { put(at, "task ends"); }
  void operationStarts(const Moment &at, unsigned thread, DsdOpcode opcode,
                       uint32_t length, Location location) override {
    put(at, "operation") << thread << unsigned(opcode) << length << location;
  }
  void operationEnds(const Moment &at, unsigned thread) override {
    put(at, "operation ends") << thread;
  }
  void issues(const Moment &at, unsigned thread) override {
    put(at, "issues") << thread;
  }
  void works(const Moment &at, uint64_t cycles) override {
    put(at, "works") << cycles;
  }

private:
  llvm::raw_ostream &put(const Moment &at, const char *what) {
    return os << "\n"
              << at.cycle << " " << at.x << " " << at.y << " " << what << " ";
  }
  bool isTracer;
  llvm::raw_string_ostream os{text};
};

/// On so many ranks. `pieces`: cycles that the host runs at a time.
Seen seeOn(unsigned ranks, const Program &program, Options options,
           uint64_t pieces) {
  std::optional<LocalRanks> others;
  if (ranks > 1) {
    others.emplace(program, ranks);
    options.exchange = others->exchange();
  }
  auto simulator = simulate(program, options);
  Outcome outcome;
  do
    outcome = simulator->run(pieces);
  while (outcome == Outcome::Paused);
  return see(program, *simulator, outcome);
}

/// What one rank gives, after it has been compared with others.
Seen seeOnRanks(const Program &program, const Options &options = {},
                llvm::ArrayRef<unsigned> numbers = {2, 3, 5, 16},
                uint64_t pieces = ~uint64_t(0)) {
  Seen one = seeOn(1, program, options, pieces);
  for (unsigned ranks : numbers) {
    if (ranks > program.height)
      continue;
    Seen others = seeOn(ranks, program, options, pieces);
    EXPECT_EQ(one.outcome, others.outcome) << ranks;
    EXPECT_EQ(one.text, others.text) << ranks;
    EXPECT_TRUE(one.memory == others.memory) << ranks;
  }
  return one;
}

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

TEST(Ranks, GiveTheSame) {
  for (int64_t height : {16, 33, 70}) {
    Program program = makeStencil(7, height, 7, 2);
    EXPECT_EQ(seeOnRanks(program).outcome, Outcome::Finished);
    EXPECT_EQ(seeOnRanks(program, {}, {3, 5}, 37).outcome, Outcome::Finished);
    Options options;
    options.seed = 7;
    options.randomLatency = options.shallowQueues = options.highestTaskFirst =
        true;
    EXPECT_EQ(seeOnRanks(program, options).outcome, Outcome::Finished);
    options = {};
    options.threads = 3;
    options.teamSteps = 0;
    options.windowCycles = 2;
    EXPECT_EQ(seeOnRanks(program, options, {2, 3}).outcome, Outcome::Finished);
  }
}

TEST(Ranks, FindTheSameTrap) {
  Program program = makeStencil(7, 26, 7, 2);
  for (int64_t y : {22, 9, 15})
    breakRouter(program, 3, y, N, /*knowsColor=*/false);
  Seen seen = seeOnRanks(program);
  EXPECT_EQ(seen.outcome, Outcome::Trapped);
  EXPECT_THAT(seen.text, HasSubstr("(3, 9) a wavelet came from NORTH"));
}

TEST(Ranks, FindTheSameHang) {
  Program program = makeStencil(7, 26, 7, 2);
  for (int64_t y : {4, 13})
    breakRouter(program, 5, y, S, /*knowsColor=*/true);
  Seen seen = seeOnRanks(program);
  EXPECT_EQ(seen.outcome, Outcome::Hung);
  EXPECT_THAT(seen.text, HasSubstr("cannot move"));
}

TEST(Ranks, EndAtTheSameLimit) {
  Program program = makeStencil(7, 26, 7, 20);
  Options options;
  options.maxCycles = 300;
  EXPECT_EQ(seeOnRanks(program, options).outcome, Outcome::Exhausted);
  options = {};
  options.maxSteps = 5000;
  EXPECT_EQ(seeOnRanks(program, options).outcome, Outcome::Exhausted);
}

TEST(Ranks, LogInTheSameOrder) {
  Program program = makeStencil(7, 26, 7, 2);
  for (Code &code : program.codes) {
    Print print;
    print.pieces = {"left ", ""};
    print.values = {{0, Print::Form::Unsigned, 16}};
    code.prints.push_back(print);
    Function &step = code.functions[1];
    step.instructions.insert(
        step.instructions.end() - 1,
        {Opcode::Print, 0, kNoRegister, kNoRegister, kNoRegister, 0});
    step.locations.push_back(0);
  }
  EXPECT_THAT(seeOnRanks(program, {}, {2, 5}, 37).text, HasSubstr("left "));
}

TEST(Ranks, TellTheObserverTheSame) {
  Program program = makeStencil(5, 12, 5, 2);
  for (bool isTracer : {false, true}) {
    std::string one;
    for (unsigned ranks : {1u, 2u, 5u}) {
      Listener listener(isTracer);
      Options options;
      options.observer = &listener;
      seeOn(ranks, program, options, 37);
      EXPECT_THAT(listener.text, HasSubstr("hop"));
      if (ranks == 1)
        one = listener.text;
      EXPECT_TRUE(one == listener.text) << ranks;
    }
  }
}

TEST(Ranks, AreAtMostRows) {
  Program program = makeStencil(4, 3, 4, 1);
  auto exchanges = makeLocalExchanges(4);
  Options options;
  options.exchange = exchanges[0].get();
  auto simulator =
      Simulator::create(program, *lookupCslMachine("wse2"), options);
  ASSERT_FALSE(simulator);
  EXPECT_EQ(llvm::toString(simulator.takeError()),
            "4 ranks for a fabric of 3 rows, allowed is one rank per row");
}

/// Edited programs of columns, where what happens crosses borders.
TEST(Ranks, GiveTheSameOfEditedPrograms) {
  const Program programs[] = {
      makeStencil(2, 5, 4, 2), transpose(makeReduce(6, 3, 8)),
      transpose(makeMixture("wse2")), transpose(makeMixture("wse3"))};
  unsigned ran = 0;
  std::map<Outcome, unsigned> outcomes;
  for (const Program &program : programs) {
    llvm::json::Value original = toJSON(program);
    for (unsigned seed = 0; seed < 150; ++seed) {
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
      Options options;
      options.maxCycles = 20000;
      options.shallowQueues = seed & 1;
      options.randomLatency = seed & 2;
      SCOPED_TRACE("seed " + std::to_string(seed));
      ++outcomes[seeOnRanks(*parsed, options, {2, 3, 5}).outcome];
      ++ran;
    }
  }
  EXPECT_GT(ran, 100u);
  EXPECT_GT(outcomes[Outcome::Trapped], 10u);
  EXPECT_GT(outcomes[Outcome::Hung], 10u);
  EXPECT_GT(outcomes[Outcome::Finished], 10u);
}

} // namespace
