//===- RandomChainsTest.cpp - Reference and simulator agree ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random kernels, from the text to the result: what the verifiers accept must
// be configured or refused with an error, must not trap, must give the
// reference interpreter's result bit for bit, and the same cycles with and
// without data. 2,000 chains, 200 under the sanitizers; SEQUIN_TEST_COUNT asks
// for another number, SEQUIN_TEST_SEED for another seed than a fresh one,
// SEQUIN_TEST_REASONS=1 for why chains were refused, with an example each.
//
//===----------------------------------------------------------------------===//

#include "ChainGenerator.h"
#include "lib/Api/Compare.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "sequin/Conversion/TcpToConfig/DeriveProgram.h"
#include "sequin/Dialect/Tcp/Transforms/TcpPasses.h"
#include "sequin/InitAllDialects.h"
#include "sequin/Reference/Interpreter.h"
#include "sequin/Sim/Simulator.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/StringMap.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <random>

using namespace mlir;
using namespace sequin;
using namespace sequin::testing;

namespace {

uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  uint64_t number;
  return text && !StringRef(text).getAsInteger(10, number) ? number : otherwise;
}

/// Any bits, but floats mostly of moderate size.
std::vector<uint8_t> randomData(const Chain::Input &input,
                                std::mt19937_64 &random) {
  int64_t count = 1;
  for (int64_t size : input.shape)
    count *= size;
  unsigned bits = getBitWidth(input.type);
  std::vector<uint8_t> data(bits < 8 ? count : getByteSize(input.type, count));
  for (int64_t i = 0; i < count; ++i) {
    uint32_t value = static_cast<uint32_t>(random());
    if (isFloat(input.type) && value % 16 != 0)
      value = encodeFloat(
          input.type,
          static_cast<float>(static_cast<int32_t>(value % 65 - 32)) / 8);
    if (bits < 8)
      data[i] = static_cast<uint8_t>(decodeInt(input.type, value & 15));
    else
      storeElement(input.type, data.data(), i, value);
  }
  return data;
}

struct Tally {
  int64_t agrees = 0, refused = 0;
  /// How often each reason to refuse was given, and the first chain.
  llvm::StringMap<std::pair<int64_t, std::string>> reasons;
};

class RandomChains : public ::testing::Test {
protected:
  RandomChains() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
  }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect>();
    registerAllDialects(registry);
    return registry;
  }

  /// What is wrong with the chain; empty if nothing is.
  std::string check(const Chain &chain, std::mt19937_64 &random, Tally &tally) {
    std::string diagnostics;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "\n";
      return success();
    });
    auto refused = [&] {
      ++tally.refused;
      // Numbers and names aside, which message it was.
      std::string reason = StringRef(diagnostics).split('\n').first.str();
      reason.erase(std::remove_if(reason.begin(), reason.end(), llvm::isDigit),
                   reason.end());
      auto &[times, example] = tally.reasons[StringRef(reason).take_front(60)];
      if (++times == 1)
        example = diagnostics + chain.text;
      return diagnostics.empty() ? std::string("refused without an error")
                                 : std::string();
    };
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(chain.text, ParserConfig(&context));
    if (!module)
      return refused();
    PassManager passes(&context);
    passes.addPass(tcp::createCheckMachine());
    if (failed(passes.run(*module)))
      return refused();
    FailureOr<config::Program> program = deriveProgram(*module, "main");
    if (failed(program))
      return refused();

    std::vector<sim::HostArray> inputs;
    std::vector<reference::Array> arguments;
    for (const Chain::Input &input : chain.inputs) {
      sim::HostArray array{input.type,
                           {input.shape.begin(), input.shape.end()},
                           randomData(input, random)};
      arguments.push_back({array.type, array.shape, array.data, {}});
      inputs.push_back(std::move(array));
    }
    const TcpMachine &machine = *lookupTcpMachine("rngd");
    auto result = sim::run(*program, machine, inputs);
    if (!result)
      return "the simulator: " + llvm::toString(result.takeError());
    sim::Options timing;
    timing.timingOnly = true;
    auto timed = sim::run(*program, machine, {}, timing);
    if (!timed)
      return "timing only: " + llvm::toString(timed.takeError());
    if (timed->report.cycles != result->report.cycles)
      return "cycles " + std::to_string(result->report.cycles) +
             " with data, " + std::to_string(timed->report.cycles) + " without";
    auto expected = reference::interpretTcp(*module, "main", arguments,
                                            machine.flushSubnormals);
    if (failed(expected))
      return "the reference: " + diagnostics;
    if (auto difference = api::compareExactly(result->outputs, *expected))
      return *difference;
    ++tally.agrees;
    return "";
  }

  MLIRContext context;
};

TEST_F(RandomChains, AgreeWithTheReference) {
  uint64_t seed = fromEnvironment("SEQUIN_TEST_SEED", std::random_device()());
#if __has_feature(address_sanitizer)
  constexpr int64_t usual = 200; // an order of magnitude slower
#else
  constexpr int64_t usual = 2000;
#endif
  int64_t count = fromEnvironment("SEQUIN_TEST_COUNT", usual);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 seeds(seed);
  Tally tally;
  int wrong = 0;
  // Refused ones do not count.
  for (int64_t i = 0; tally.agrees < count && i < 4 * count && wrong < 3; ++i) {
    uint64_t own = seeds();
    std::mt19937_64 random(own);
    Chain chain = generateChain(random);
    std::string problem = check(chain, random, tally);
    if (problem.empty())
      continue;
    ++wrong;
    ADD_FAILURE() << "chain " << i << " of seed " << seed << ": " << problem
                  << "\n"
                  << chain.text;
  }
  std::printf("%lld chains agree, %lld refused\n",
              static_cast<long long>(tally.agrees),
              static_cast<long long>(tally.refused));
  if (std::getenv("SEQUIN_TEST_REASONS"))
    for (const auto &[reason, seen] : tally.reasons)
      std::printf("%6lld %s\n%s\n", static_cast<long long>(seen.first),
                  reason.str().c_str(), seen.second.c_str());
  EXPECT_GE(tally.agrees, count) << "too many chains are refused";
}

} // namespace
