//===- SimBenchmark.cpp - Speed of the TCP simulator ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Functional simulation of a bf16 GEMM of 512 x 512 x 2048 on all slices of one
// RNGD chip, beside a plain loop over the same numbers in f32. Both report
// multiply-accumulates per second ("MAC/s"); the simulator's run also reports
// its speed as a multiple of the plain loop's ("vs_plain_loop"), measured in
// the same process just before.
//
//===----------------------------------------------------------------------===//

#include "GemmProgram.h"
#include "benchmark/benchmark.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace sequin;
using namespace sequin::testing;

static constexpr GemmShape kShape{16, 32, 32, 16, 2048};

static double macs() {
  return static_cast<double>(kShape.m() * kShape.n() * kShape.k);
}

static std::vector<float> toFloat(const sim::HostArray &array) {
  std::vector<float> values(array.data.size() / 2);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        decodeFloat(array.type, loadElement(array.type, array.data.data(), i));
  return values;
}

/// The product as three loops, one accumulator: what somebody writes first.
static void plainLoop(const std::vector<float> &a, const std::vector<float> &b,
                      std::vector<float> &c) {
  for (int64_t m = 0; m < kShape.m(); ++m)
    for (int64_t n = 0; n < kShape.n(); ++n) {
      float sum = 0;
      for (int64_t k = 0; k < kShape.k; ++k)
        sum += a[m * kShape.k + k] * b[n * kShape.k + k];
      c[m * kShape.n() + n] = sum;
    }
}

static double plainLoopSeconds = 0;

static void BM_PlainLoop(benchmark::State &state) {
  std::vector<float> a = toFloat(integerBf16({kShape.m(), kShape.k}, 4, 1));
  std::vector<float> b = toFloat(integerBf16({kShape.n(), kShape.k}, 4, 2));
  std::vector<float> c(kShape.m() * kShape.n());
  double seconds = 0;
  for (auto _ : state) {
    auto begin = std::chrono::steady_clock::now();
    plainLoop(a, b, c);
    benchmark::DoNotOptimize(c.data());
    seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
  }
  plainLoopSeconds = seconds / state.iterations();
  state.counters["MAC/s"] = macs() / plainLoopSeconds;
}
BENCHMARK(BM_PlainLoop)->Unit(benchmark::kMillisecond);

/// Argument: whether the stream adapter repeats packets or they are fetched
/// again.
static void BM_SimulateGemm(benchmark::State &state) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  config::Program program = makeGemm(kShape, machine, state.range(0));
  std::vector<sim::HostArray> inputs = {
      integerBf16({kShape.m(), kShape.k}, 4, 1),
      integerBf16({kShape.n(), kShape.k}, 4, 2)};
  double seconds = 0;
  sim::Report report;
  for (auto _ : state) {
    llvm::Expected<sim::Result> result = sim::run(program, machine, inputs);
    if (!result) {
      state.SkipWithError(llvm::toString(result.takeError()).c_str());
      return;
    }
    report = std::move(result->report);
    seconds += report.wallSeconds;
  }
  seconds /= state.iterations();
  state.counters["MAC/s"] = macs() / seconds;
  state.counters["sim_cycles"] = report.cycles;
  state.counters["mac_utilization"] = report.macUtilization;
  if (plainLoopSeconds > 0)
    state.counters["vs_plain_loop"] = plainLoopSeconds / seconds;
}
BENCHMARK(BM_SimulateGemm)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// The schedule alone: what --timing-only costs.
static void BM_TimingOnlyGemm(benchmark::State &state) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  config::Program program = makeGemm(kShape, machine, true);
  sim::Options options;
  options.timingOnly = true;
  for (auto _ : state) {
    llvm::Expected<sim::Result> result =
        sim::run(program, machine, {}, options);
    if (!result) {
      state.SkipWithError(llvm::toString(result.takeError()).c_str());
      return;
    }
    benchmark::DoNotOptimize(result->report.cycles);
  }
}
BENCHMARK(BM_TimingOnlyGemm)->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
