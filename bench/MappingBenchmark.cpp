//===- MappingBenchmark.cpp - Mappings evaluated per second ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search over mappings of one contraction on one core, all of what planning
// does: the products of a layer of Llama-3-70B at 2048 tokens, and at 8.
// Reading the program and its layouts are not measured.
//
//     mappings/s   candidates that were judged; limit_mappings/s is wanted
//     feasible/s   those among them whose whole pipeline was costed
//     mappings     how many there are
//
//===----------------------------------------------------------------------===//

#include "test/unit/Conversion/LoweringProgram.h"
#include <benchmark/benchmark.h>
#include <chrono>

using namespace sequin;
using namespace sequin::linalg_to_tcp;

static constexpr double kMappingsPerSecond = 100e3;

static std::string product(int64_t m, int64_t k, int64_t n,
                           llvm::StringRef element) {
  auto type = [](int64_t rows, int64_t columns, llvm::StringRef of) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "x" + of.str() + ">";
  };
  std::string a = type(m, k, element), b = type(k, n, element),
              c = type(m, n, "f32");
  return "func.func @main(%a: " + a + ", %b: " + b + ") -> " + c +
         " {\n  %z = arith.constant dense<0.0> : " + c +
         "\n  %0 = linalg.matmul ins(%a, %b : " + a + ", " + b +
         ") outs(%z : " + c + ") -> " + c + "\n  return %0 : " + c + "\n}\n";
}

static void searchMappings(benchmark::State &state, llvm::StringRef element,
                           int64_t m, int64_t k, int64_t n) {
  std::string text = product(m, k, n, element);
  LoweringProgram lowering;
  int64_t evaluated = 0, feasible = 0, mappings = 0;
  for (auto _ : state) {
    // A group is planned in place, so each time there is a new one.
    if (mlir::failed(lowering.read(text))) {
      state.SkipWithError(lowering.messages.c_str());
      return;
    }
    fuseGroups(lowering.program);
    chooseLayouts(lowering.program);
    auto start = std::chrono::steady_clock::now();
    if (mlir::failed(planGroups(lowering.program, kDefaultSearchBudget))) {
      state.SkipWithError(lowering.messages.c_str());
      return;
    }
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    state.SetIterationTime(seconds.count());
    const Group &group = lowering.group(0);
    if (!group.record || !group.record->complete) {
      state.SkipWithError("the search has no record, or has not seen all");
      return;
    }
    mappings = group.record->evaluated;
    evaluated += group.record->evaluated;
    feasible += group.record->feasible;
  }
  using benchmark::Counter;
  // Rates are by the time that SetIterationTime says.
  state.counters["mappings/s"] = Counter(evaluated, Counter::kIsRate);
  state.counters["feasible/s"] = Counter(feasible, Counter::kIsRate);
  state.counters["limit_mappings/s"] = kMappingsPerSecond;
  state.counters["mappings"] = mappings;
}

#define SEQUIN_SHAPE(name, element, m, k, n)                                   \
  BENCHMARK_CAPTURE(searchMappings, name, element, m, k, n)                    \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond)

SEQUIN_SHAPE(prefill_q_bf16, "bf16", 2048, 8192, 8192);
SEQUIN_SHAPE(prefill_kv_bf16, "bf16", 2048, 8192, 1024);
SEQUIN_SHAPE(prefill_gate_up_bf16, "bf16", 2048, 8192, 28672);
SEQUIN_SHAPE(prefill_down_bf16, "bf16", 2048, 28672, 8192);
SEQUIN_SHAPE(prefill_gate_up_f8, "f8E4M3FN", 2048, 8192, 28672);
SEQUIN_SHAPE(prefill_512_q_bf16, "bf16", 512, 8192, 8192);
SEQUIN_SHAPE(decode_8_q_bf16, "bf16", 8, 8192, 8192);

BENCHMARK_MAIN();
