//===- StreamBenchmark.cpp - How fast streams are derived and walked ------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NineEntries, Factors: mappings are given; an iteration builds the address map
// of the buffer, derives the sequencer and merges it. Walk: an iteration visits
// all of the 16 M positions, or about as many, of a mapping.
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/Sequencer.h"

#include <benchmark/benchmark.h>

using namespace sequin;

namespace {

const int64_t accessSizes[] = {1, 2, 4, 8, 16, 32};

struct Request {
  Mapping buffer, time, packet;
  DeriveOptions options;

  Request(const std::string &axes, const std::string &bufferText,
          const std::string &timeText, const std::string &packetText,
          unsigned maxEntries) {
    AxisSizes sizes = llvm::cantFail(AxisSizes::parse(axes));
    buffer = llvm::cantFail(Mapping::parse(bufferText, sizes));
    time = llvm::cantFail(Mapping::parse(timeText, sizes));
    packet = llvm::cantFail(Mapping::parse(packetText, sizes));
    options.limits = {maxEntries, 65536, accessSizes};
  }

  void run(benchmark::State &state) const {
    for (auto _ : state) {
      auto result = derive(AddressMap(buffer), time, packet, options);
      if (!result) {
        state.SkipWithError(llvm::toString(result.takeError()).c_str());
        return;
      }
      benchmark::DoNotOptimize(result);
    }
  }
};

/// The manual's nine entries, merged to six (SEQ-13).
void NineEntries(benchmark::State &state) {
  Request("N=8,C=8,H=8,W=32", "N, C, H, W",
          "W / 16, H % 2, H / 2, C / 2, C % 2, N / 2, N % 2, W / 8 % 2",
          "W % 8", 8)
      .run(state);
}
BENCHMARK(NineEntries);

/// `count` factors, the halves of count / 2 axes that lie in the buffer in
/// another order: more entries than allowed, until the halves are merged.
Request factors(int64_t count) {
  std::string axes, buffer, time;
  int64_t half = count / 2;
  for (int64_t i = 0; i < half; ++i) {
    std::string name = "A" + std::to_string(i);
    axes += (i ? "," : "") + name + "=4";
    buffer += (i ? ", " : "") + name;
  }
  std::string packet;
  for (int64_t i = 0; i < half; ++i) {
    // From both ends in turn, so that axes do not merge with each other.
    std::string name = "A" + std::to_string(i % 2 ? i / 2 : half - 1 - i / 2);
    time += (i ? ", " : "") + name + " / 2";
    if (i + 1 < half)
      time += ", " + name + " % 2";
    else
      packet = name + " % 2";
  }
  return Request(axes, buffer, time, packet, static_cast<unsigned>(count) - 1);
}

void Factors(benchmark::State &state) {
  factors(state.range(0)).run(state);
  state.SetComplexityN(state.range(0));
}
BENCHMARK(Factors)->DenseRange(4, 40, 4)->Complexity(benchmark::oNLogN);
BENCHMARK(Factors)->Name("FactorsBestFit")->DenseRange(4, 40, 4)->Complexity();

/// A mapping of every kind, all of about 16 M positions.
void walk(benchmark::State &state, const char *axes, const char *text) {
  AxisSizes sizes = llvm::cantFail(AxisSizes::parse(axes));
  std::vector<int64_t> reversed(
      std::min<int64_t>(sizes.axes()[0].second, int64_t(1) << 24));
  for (size_t i = 0; i < reversed.size(); ++i)
    reversed[i] = static_cast<int64_t>(reversed.size() - 1 - i);
  llvm::cantFail(sizes.addTable("t", reversed));
  llvm::cantFail(sizes.addTable("u", {1, 0}));
  Mapping mapping = llvm::cantFail(Mapping::parse(text, sizes));
  for (auto _ : state) {
    int64_t sum = 0;
    mapping.forEach(
        [&](int64_t position, int64_t linear) { sum += position ^ linear; });
    benchmark::DoNotOptimize(sum);
  }
  state.counters["positions"] = static_cast<double>(mapping.size());
}
#define WALK(name, axes, text)                                                 \
  BENCHMARK_CAPTURE(walk, name, axes, text)->Unit(benchmark::kMillisecond)

WALK(transposed, "A=4096,B=4096", "B, A");
WALK(short_loops, "A=4096,B=4096", "B / 2, A / 2, A % 2, B % 2");
WALK(bits, "A=4096,B=4096",
     "B / 2 % 2, A / 2 % 2, B / 4 % 2, A / 4 % 2, B / 8, A / 8, A % 2, B % 2");
WALK(single, "A=16777216,B=1", "A % 2, A / 2");
WALK(padded, "A=4000,B=4000", "A # 4096, B # 4096 @ 50");
WALK(padded_pairs, "A=8388608", "A # 8388609, 1 # 2");
WALK(group, "A=4095,B=4097",
     "[A, B] # 16777216 / 4096, [A, B] # 16777216 % 4096");
WALK(group_short, "A=4095,B=4097",
     "[A, B] # 16777216 % 8388608, [A, B] # 16777216 / 8388608");
WALK(skewed, "A=4096,B=4096,B'=B-A", "A, B'");
WALK(skewed_other, "A=4096,B=4096,B'=B-A", "B', A");
WALK(skewed_short, "A=4096,B=4096,B'=B-A", "B' / 2, A / 2, A % 2, B' % 2");
WALK(skewed_group, "A=4095,B=4097,B'=B-A",
     "[A, B'] # 16777216 / 4096, [A, B'] # 16777216 % 4096");
WALK(sliding, "W=8388608,F=4096", "$(W:2, F:1)");
WALK(sliding_rows, "C=2048,W=4096,F=4", "C, $(W:2, F:1)");
WALK(sliding_many, "R=16,W=262143,F=3,G=2", "R, $(W:4, F:2, G:1)");
WALK(sliding_dilated, "W=8388607,F=3", "$(W:2, F:2)");
WALK(sliding_parts, "W=4096,F=64,H=4096,G=64",
     "$(W:1, F:1) # 4160 / 5, $(H:1, G:1) # 4160 / 5, $(W:1, F:1) # 4160 % 5, "
     "$(H:1, G:1) # 4160 % 5");
WALK(lookup, "A=16777216", "A ? t");
WALK(lookup_rows, "A=4096,B=4096", "B, A ? t");
WALK(lookup_column, "A=4096,B=4096", "A ? t, B");
WALK(lookup_short, "A=4096,B=4096", "B / 2, A ? t / 2, A ? t % 2, B % 2");
WALK(shared_axis, "A=4096,B=4095", "[A / 2, B] # 8388608, A % 2");
WALK(shared_twice, "A=4096,B=5462",
     "[A / 2, B / 2] # 5593089, [A % 2, B % 2] @ 1 = 3");
WALK(shared_short, "A=4096,B=4095",
     "A % 2, [A / 2, B] # 8388608 % 4194304, [A / 2, B] # 8388608 / 4194304");
WALK(shared_lookup, "A=8192,B=2048", "B, A / 4096 ? u, A % 4096");
WALK(shared_skew, "A=4096,B=4096,B'=B-A", "[A / 2, B'] # 8388609, A % 2");

} // namespace

BENCHMARK_MAIN();
