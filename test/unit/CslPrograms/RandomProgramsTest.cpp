//===- RandomProgramsTest.cpp - Reference and fabric simulator agree ------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs without races, from the text to the memory of every PE: the
// reference interpreter in both of its orders, and the simulator with and
// without random latencies, queues of one word and another picker, on one rank
// and on several, must leave every variable the same to the bit. With some
// exceptions of floats unmasked all of them trap or none does; which PE and
// thread is first is a matter of time, unless there is only one, which must
// stop at the same operation for the same reason. 500 programs, 60 under the
// sanitizers;
// SEQUIN_TEST_COUNT asks for another number, SEQUIN_TEST_SEED for another seed
// than a fresh one.
//
//===----------------------------------------------------------------------===//

#include "ProgramGenerator.h"
#include "ProgramTest.h"
#include "WaferSim/LocalRanks.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Reference/CslInterpreter.h"
#include "sequin/WaferSim/Simulator.h"
#include "llvm/ADT/StringExtras.h"
#include <random>

using namespace mlir;
using namespace sequin;
using namespace sequin::testing;

namespace {

class RandomPrograms : public ProgramTest {
protected:
  /// The first variable in which a simulated PE differs from the reference.
  static std::string compare(const wafer::Program &program,
                             const wafer::Simulator &simulator,
                             const reference::CslReference &reference) {
    for (int64_t y = 0; y < program.height; ++y)
      for (int64_t x = 0; x < program.width; ++x)
        for (const wafer::Variable &variable :
             program.codeOf(program.at(x, y)).variables) {
          auto expected = reference.variable(variable.name, x, y);
          if (!expected)
            return llvm::toString(expected.takeError());
          ArrayRef<uint8_t> found =
              simulator.memory(x, y).slice(variable.address, variable.bytes());
          if (found == ArrayRef<uint8_t>(*expected))
            continue;
          size_t at = 0;
          while (found[at] == (*expected)[at])
            ++at;
          at -= at % variable.elementBytes;
          return "PE (" + std::to_string(x) + ", " + std::to_string(y) +
                 ") has other bytes in element " +
                 std::to_string(at / variable.elementBytes) + " of '" +
                 variable.name + "': simulator " +
                 llvm::toHex(found.slice(at, variable.elementBytes)) +
                 ", reference " +
                 llvm::toHex(ArrayRef<uint8_t>(*expected).slice(
                     at, variable.elementBytes));
        }
    return "";
  }

  /// Whether the reference stopped where the simulator did: "exception X in
  /// ..." and the line and column.
  static bool isSameStop(const wafer::Program &program, const wafer::Trap &trap,
                         StringRef meant) {
    StringRef found = trap.message;
    // Of what was inlined, the place itself.
    StringRef place =
        StringRef(program.locations[trap.location]).split(" at ").first;
    size_t line = place.rfind(':', place.rfind(':'));
    return meant.contains(found.split(" in ").first.str() + " in ") &&
           meant.contains((place.substr(line) + ")").str());
  }

  /// What is wrong with a program; empty if nothing is. If exceptions are
  /// unmasked, `stops` counts whether it ended with one.
  std::string check(const std::string &text, std::mt19937_64 &random,
                    int *stops = nullptr) {
    std::string diagnostics;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      llvm::raw_string_ostream os(diagnostics);
      os << diagnostic.getLocation() << ": " << diagnostic.str() << "\n";
      return success();
    });
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context));
    if (!module)
      return "refused: " + diagnostics;
    FailureOr<wafer::Program> program = csl_to_wafer::deriveProgram(*module);
    if (failed(program))
      return "refused: " + diagnostics;

    std::vector<std::unique_ptr<reference::CslReference>> references;
    bool mustStop = false;
    for (bool other : {false, true}) {
      reference::CslOptions options;
      options.maxSteps = 10'000'000;
      options.otherOrder = other;
      auto made = reference::CslReference::create(*module, options);
      if (failed(made))
        return "refused by the reference: " + diagnostics;
      auto &reference = **made;
      if (llvm::Error error =
              reference.launch("main", 0, 0, program->width, program->height))
        return llvm::toString(std::move(error));
      reference::CslOutcome outcome = reference.run();
      bool stopped = stops && outcome == reference::CslOutcome::Trapped &&
                     reference.message().find("exception") != std::string::npos;
      if (outcome != reference::CslOutcome::Finished && !stopped)
        return "reference, order " + std::to_string(other) + ": " +
               reference.message();
      if (other && stopped != mustStop)
        return "one order of the reference alone stops: " +
               references.front()->message() + reference.message();
      mustStop = stopped;
      references.push_back(std::move(*made));
    }

    if (mustStop)
      ++*stops;
    bool hasOneThread = program->width * program->height == 1 &&
                        text.find("async") == std::string::npos;
    const CslMachine &machine = *lookupCslMachine(program->target);
    for (int way = 0; way < 3; ++way) {
      wafer::Options options;
      options.maxCycles = 10'000'000;
      options.seed = random();
      options.randomLatency = way > 0;
      options.shallowQueues = way > 1;
      options.highestTaskFirst = way > 1;
      // Also on several ranks, where there are rows for them.
      std::optional<LocalRanks> ranks;
      auto size =
          static_cast<unsigned>(std::min<int64_t>(program->height, 1 + way));
      if (size > 1) {
        ranks.emplace(*program, size);
        options.exchange = ranks->exchange();
      }
      auto simulator = wafer::Simulator::create(*program, machine, options);
      if (!simulator)
        return llvm::toString(simulator.takeError());
      std::string name = "simulator, way " + std::to_string(way) + ": ";
      if (llvm::Error error =
              (*simulator)
                  ->launch("main", {0, 0, program->width, program->height}))
        return name + llvm::toString(std::move(error));
      switch ((*simulator)->run()) {
      case wafer::Outcome::Finished:
        if (mustStop)
          return name + "goes on, the reference does not: " +
                 references.front()->message();
        break;
      case wafer::Outcome::Trapped:
        if (mustStop) {
          const wafer::Trap &trap = *(*simulator)->trap();
          if (trap.message.starts_with("exception") &&
              (!hasOneThread ||
               isSameStop(*program, trap, references.front()->message())))
            continue;
          return name + trap.message +
                 ", the reference: " + references.front()->message();
        }
        return name + (*simulator)->trap()->message;
      default:
        return name + (*simulator)->hang().str(*program);
      }
      if (!(*simulator)->races().empty())
        return name + "a race: " + (*simulator)->races().front().message;
      for (auto &reference : references)
        if (std::string difference = compare(*program, **simulator, *reference);
            !difference.empty())
          return name + difference;
    }
    return "";
  }
};

#if __has_feature(address_sanitizer)
constexpr int64_t kUsual = 60; // an order of magnitude slower
#else
constexpr int64_t kUsual = 500;
#endif

/// Calls `check` with generated programs until three are wrong.
template <typename Check> void forEachProgram(int64_t usual, Check check) {
  uint64_t seed = fromEnvironment("SEQUIN_TEST_SEED", std::random_device()());
  int64_t count = fromEnvironment("SEQUIN_TEST_COUNT", usual);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 seeds(seed);
  int wrong = 0;
  for (int64_t i = 0; i < count && wrong < 3; ++i) {
    std::mt19937_64 random(seeds());
    std::string text = generateCslProgram(random);
    std::string problem = check(text, random);
    if (problem.empty())
      continue;
    ++wrong;
    ADD_FAILURE() << "program " << i << " of seed " << seed << ": " << problem
                  << "\n"
                  << text;
  }
}

TEST_F(RandomPrograms, AgreeWithTheReference) {
  forEachProgram(kUsual, [&](std::string &text, std::mt19937_64 &random) {
    return check(text, random);
  });
}

TEST_F(RandomPrograms, StopAtTheSameExceptions) {
  int stops = 0;
  forEachProgram(kUsual / 2, [&](std::string &text, std::mt19937_64 &random) {
    // Inexact alone would stop nearly all.
    uint16_t mask = static_cast<uint16_t>(random() % 8 ? ~(random() & 0xd8)
                                                       : ~(random() & 0xf8));
    std::string start = "func.func @main() {\n";
    std::string set = "      %mask = arith.constant " +
                      std::to_string(static_cast<int16_t>(mask)) +
                      " : i16\n      %at = csl.register_address "
                      "\"exception_mask\"\n      csl.set_config %at, %mask\n";
    for (size_t at = 0; (at = text.find(start, at)) != std::string::npos;) {
      at += start.size();
      text.insert(at, set);
    }
    return check(text, random, &stops);
  });
  EXPECT_GT(stops, 0);
  std::printf("%d stopped\n", stops);
}

} // namespace
