//===- HbmBenchmark.cpp - Speed of the HBM model --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests of 256 bytes through the model of one chip's HBM, in order of
// addresses and at random ones: requests per second ("requests/s"), and the
// bandwidth that the model gives them ("B/cycle").
//
//===----------------------------------------------------------------------===//

#include "Clock/Hbm.h"
#include "benchmark/benchmark.h"
#include <random>

using namespace sequin;

static constexpr int64_t kRequests = 1 << 20;

static void run(benchmark::State &state, const std::vector<int64_t> &units) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  sim::Hbm::Statistics statistics;
  for (auto _ : state) {
    sim::Hbm hbm(machine.hbm, machine.clockMHz);
    for (int64_t unit : units)
      hbm.access(unit * machine.hbm.unitBytes, machine.hbm.unitBytes, false);
    statistics = hbm.finish();
    benchmark::DoNotOptimize(statistics.cycles);
  }
  state.counters["requests/s"] =
      benchmark::Counter(static_cast<double>(units.size()) * state.iterations(),
                         benchmark::Counter::kIsRate);
  state.counters["B/cycle"] = static_cast<double>(units.size()) *
                              machine.hbm.unitBytes / statistics.cycles;
}

static void BM_HbmStreaming(benchmark::State &state) {
  std::vector<int64_t> units(kRequests);
  for (int64_t i = 0; i < kRequests; ++i)
    units[i] = i;
  run(state, units);
}
BENCHMARK(BM_HbmStreaming)->Unit(benchmark::kMillisecond);

static void BM_HbmRandom(benchmark::State &state) {
  const HbmModel &model = lookupTcpMachine("rngd")->hbm;
  std::mt19937_64 random(1);
  std::uniform_int_distribution<int64_t> unit(
      0, model.bytes() / model.unitBytes - 1);
  std::vector<int64_t> units(kRequests);
  for (int64_t &u : units)
    u = unit(random);
  run(state, units);
}
BENCHMARK(BM_HbmRandom)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
