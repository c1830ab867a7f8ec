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
// without random latencies, queues of one word and another picker, must leave
// every variable the same to the bit. 500 programs, 60 under the sanitizers;
// SEQUIN_TEST_COUNT asks for another number, SEQUIN_TEST_SEED for another seed
// than a fresh one.
//
//===----------------------------------------------------------------------===//

#include "ProgramGenerator.h"
#include "ProgramTest.h"
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

  /// What is wrong with a program; empty if nothing is.
  std::string check(const std::string &text, std::mt19937_64 &random) {
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
      if (reference.run() != reference::CslOutcome::Finished)
        return "reference, order " + std::to_string(other) + ": " +
               reference.message();
      references.push_back(std::move(*made));
    }

    const CslMachine &machine = *lookupCslMachine(program->target);
    for (int way = 0; way < 3; ++way) {
      wafer::Options options;
      options.maxCycles = 10'000'000;
      options.seed = random();
      options.randomLatency = way > 0;
      options.shallowQueues = way > 1;
      options.highestTaskFirst = way > 1;
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
        break;
      case wafer::Outcome::Trapped:
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

TEST_F(RandomPrograms, AgreeWithTheReference) {
  uint64_t seed = fromEnvironment("SEQUIN_TEST_SEED", std::random_device()());
#if __has_feature(address_sanitizer)
  constexpr int64_t usual = 60; // an order of magnitude slower
#else
  constexpr int64_t usual = 500;
#endif
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

} // namespace
