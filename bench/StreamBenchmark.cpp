//===- StreamBenchmark.cpp - How fast sequencers are derived --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mappings are given; an iteration builds the address map of the buffer,
// derives the sequencer and merges it.
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

} // namespace

BENCHMARK_MAIN();
