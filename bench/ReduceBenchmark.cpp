//===- ReduceBenchmark.cpp - Speed of the reduction in a slice ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements per second through the intra-slice reduction, with the valid count
// generator in front, and through the generator alone.
//
//===----------------------------------------------------------------------===//

#include "Engine/IntraSliceReduce.h"
#include "Engine/ValidCount.h"
#include "benchmark/benchmark.h"
#include <random>

using namespace sequin;
using config::IntraSliceReduceOp;

static constexpr int64_t kFlits = 1 << 12, kLanes = 8;

/// Three padded axes: the packet's, and two over slices and time.
static config::ValidCountGenerator makeGenerator() {
  config::ValidCountGenerator generator;
  generator.counters = {{kFlits / 4, 0, 4}, {2, 1, 1}, {2, 2, 1}};
  generator.packetValid = kFlits;
  generator.gates = {{0b0011, 2, 1, false}, {0b1100, 0b1000, 1, false}};
  return generator;
}

static void BM_ValidCount(benchmark::State &state) {
  config::ValidCountGenerator generator = makeGenerator();
  sim::ValidCounter counter(generator, kLanes);
  std::vector<uint8_t> counts(512);
  for (auto _ : state) {
    counter.begin(8);
    for (int64_t flit = 0; flit < kFlits; flit += counts.size())
      counter.next(counts);
    benchmark::DoNotOptimize(counts.data());
  }
  state.SetItemsProcessed(state.iterations() * kFlits * kLanes);
}
BENCHMARK(BM_ValidCount);

/// Arguments: operation, tree, size of the inner loop that is not reduced,
/// counted.
static void BM_IntraSliceReduce(benchmark::State &state) {
  config::IntraSliceReduceStage stage;
  stage.op = static_cast<IntraSliceReduceOp>(state.range(0));
  stage.tree = state.range(1);
  int64_t inner = state.range(2);
  stage.loops = {{kFlits / 64, 0, false},
                 {64 / inner, 0, true},
                 {inner, inner > 1 ? 1 : 0, false}};
  auto reducer = sim::IntraSliceReducer::create(stage);
  std::vector<uint32_t> packets(kFlits * 4);
  std::mt19937 random(1);
  for (uint32_t &element : packets)
    element = 0x3f800000 + (random() & 0xffff);
  std::vector<uint8_t> valid(kFlits, 3);
  const uint8_t *counts = state.range(3) ? valid.data() : nullptr;
  int64_t results = 0;
  for (auto _ : state) {
    reducer->begin();
    auto sink = [&](llvm::MutableArrayRef<uint32_t> out) {
      results += out.size();
    };
    reducer->push(packets, counts, sink);
    reducer->finish(sink);
  }
  benchmark::DoNotOptimize(results);
  state.SetItemsProcessed(state.iterations() * packets.size());
}
BENCHMARK(BM_IntraSliceReduce)
    ->ArgNames({"op", "tree", "inner", "counted"})
    ->ArgsProduct({{0, 1, 3, 4}, {0, 1}, {1, 8}, {0, 1}});

BENCHMARK_MAIN();
