//===- CompileBenchmark.cpp - From linalg to JSON, whole processes --------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user waits for: sequin-opt from linalg to the configuration and
// sequin-translate to JSON, as processes, against `mlir-opt --canonicalize
// --cse` on the same file. Both run in every iteration; `ratio` is Sequin's
// time over the baseline's.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <benchmark/benchmark.h>
#include <chrono>

using namespace llvm;

static constexpr StringLiteral kGemm = R"mlir(
func.func @main(%a: tensor<512x2048xbf16>, %b: tensor<2048x512xbf16>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = linalg.matmul ins(%a, %b : tensor<512x2048xbf16>, tensor<2048x512xbf16>)
                     outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %c : tensor<512x512xf32>
}
)mlir";

/// Seconds until the process has ended, or a negative number if it failed.
static double runProcess(ArrayRef<StringRef> arguments) {
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(),
                                          std::nullopt};
  auto start = std::chrono::steady_clock::now();
  int code =
      sys::ExecuteAndWait(arguments[0], arguments, std::nullopt, redirects);
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  return code == 0 ? taken.count() : -1;
}

static void linalgToJson(benchmark::State &state) {
  SmallString<128> source, lowered, json;
  sys::fs::createTemporaryFile("gemm", "mlir", source);
  sys::fs::createTemporaryFile("gemm.config", "mlir", lowered);
  sys::fs::createTemporaryFile("gemm", "json", json);
  {
    std::error_code error;
    raw_fd_ostream os(source, error);
    os << kGemm;
  }
  double ours = 0, baseline = 0;
  for (auto _ : state) {
    double lower = runProcess({SEQUIN_TOOLS "/sequin-opt", source,
                               "--linalg-to-tcp=target=rngd", "--tcp-to-config",
                               "-o", lowered});
    double write = runProcess({SEQUIN_TOOLS "/sequin-translate", lowered,
                               "--tcp-to-json", "-o", json});
    double upstream = runProcess(
        {SEQUIN_LLVM_TOOLS "/mlir-opt", source, "--canonicalize", "--cse"});
    if (lower < 0 || write < 0 || upstream < 0) {
      state.SkipWithError("a process failed");
      break;
    }
    ours += lower + write;
    baseline += upstream;
    state.SetIterationTime(lower + write);
  }
  state.counters["ratio"] = ours / baseline;
  for (StringRef path :
       {StringRef(source), StringRef(lowered), StringRef(json)})
    sys::fs::remove(path);
}
BENCHMARK(linalgToJson)->UseManualTime()->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
