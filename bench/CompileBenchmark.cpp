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
// --cse` on the same file. All run in every iteration; `ratio` is Sequin's time
// over the baseline's, `limit_seconds` what is allowed.
//
//     gemm/...   one matrix product
//     llama/...  a layer of Llama-3-70B (examples/models/llama)
//     chain/n    n operations in a row: products, sums with what came before,
//                and narrowings, which stay apart because sums are used twice
//
// At the end the exponent of the time over n is fitted to the chains: of the
// whole time, and of the time without that of an empty program.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cmath>
#include <map>

using namespace llvm;

static constexpr double kGemmSeconds = 0.5, kLayerSeconds = 10;
static constexpr double kExponent = 1.1;
static constexpr int kChains[] = {10, 30, 100, 300, 1000};

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static std::string gemm(int m, int k, int n) {
  return formatv(R"mlir(
func.func @main(%a: tensor<{0}x{1}xbf16>, %b: tensor<{1}x{2}xbf16>) -> tensor<{0}x{2}xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<{0}x{2}xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<{0}x{2}xf32>) -> tensor<{0}x{2}xf32>
  %c = linalg.matmul ins(%a, %b : tensor<{0}x{1}xbf16>, tensor<{1}x{2}xbf16>)
                     outs(%init : tensor<{0}x{2}xf32>) -> tensor<{0}x{2}xf32>
  return %c : tensor<{0}x{2}xf32>
}
)mlir",
                 m, k, n);
}

/// sum = sum + x w, x = narrow(sum), and so on.
static std::string chain(int operations) {
  std::string text;
  raw_string_ostream os(text);
  constexpr const char *wide = "tensor<128x128xf32>";
  constexpr const char *narrow = "tensor<128x128xbf16>";
  os << formatv("func.func @main(%sum0: {0}, %x0: {1}", wide, narrow);
  for (int i = 0; i < operations; i += 3)
    os << formatv(", %w{0}: {1}", i / 3, narrow);
  os << formatv(") -> {0} {{\n"
                "  %zero = arith.constant 0.0 : f32\n"
                "  %e = tensor.empty() : {0}\n"
                "  %n = tensor.empty() : {1}\n"
                "  %z = linalg.fill ins(%zero : f32) outs(%e : {0}) -> {0}\n",
                wide, narrow);
  std::string last = "%sum0";
  for (int i = 0; i < operations; ++i) {
    int layer = i / 3;
    if (i % 3 == 0)
      os << formatv("  {0} = linalg.matmul ins(%x{1}, %w{1} : {3}, {3})"
                    " outs(%z : {2}) -> {2}\n",
                    last = "%y" + std::to_string(layer), layer, wide, narrow);
    else if (i % 3 == 1)
      os << formatv("  {0} = linalg.add ins(%y{1}, %sum{1} : {2}, {2})"
                    " outs(%e : {2}) -> {2}\n",
                    last = "%sum" + std::to_string(layer + 1), layer, wide);
    else
      os << formatv("  %x{0} = linalg.map {{ arith.truncf } ins(%sum{0} : {1})"
                    " outs(%n : {2})\n",
                    layer + 1, wide, narrow);
  }
  os << formatv("  return {0} : {1}\n}\n", last, wide);
  return text;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

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

namespace {
/// Files that go with it.
class TemporaryFile {
public:
  TemporaryFile(StringRef prefix, StringRef suffix) {
    failed = bool(sys::fs::createTemporaryFile(prefix, suffix, path));
  }
  ~TemporaryFile() { sys::fs::remove(path); }
  TemporaryFile(const TemporaryFile &) = delete;

  operator StringRef() const { return path; }
  bool write(StringRef text) const {
    std::error_code error;
    raw_fd_ostream os(path, error);
    os << text;
    return !error && !failed;
  }

private:
  SmallString<128> path;
  bool failed = false;
};

/// Least seconds of every benchmark that ran, by name.
std::map<std::string, double> least;
} // namespace

static void measure(benchmark::State &state, const std::string &name,
                    StringRef source, double limit) {
  TemporaryFile lowered("config", "mlir"), json("config", "json");
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
      return;
    }
    double seconds = lower + write;
    ours += seconds;
    baseline += upstream;
    auto [entry, isNew] = least.try_emplace(name, seconds);
    entry->second = std::min(entry->second, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["ratio"] = ours / baseline;
  if (limit > 0)
    state.counters["limit_seconds"] = limit;
}

static void addText(const std::string &name, const std::string &text,
                    double limit = 0) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State &state) {
                                 TemporaryFile source("program", "mlir");
                                 if (!source.write(text))
                                   return state.SkipWithError(
                                       "no temporary file");
                                 measure(state, name, source, limit);
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

static void addLayer(const std::string &name,
                     std::vector<std::string> options) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State &state) {
        TemporaryFile source("layer", "mlir");
        SmallVector<StringRef> command = {SEQUIN_PYTHON,
                                          SEQUIN_MODELS "/llama/make_layer.py"};
        command.append(options.begin(), options.end());
        command.append({"-o", source});
        if (runProcess(command) < 0)
          return state.SkipWithError("make_layer.py failed");
        measure(state, name, source, kLayerSeconds);
      })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

/// The slope of a line through (log n, log seconds) of the chains, by least
/// squares; `start` is taken off every time.
static std::optional<double> fitExponent(double start) {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int n : kChains) {
    auto found = least.find("chain/" + std::to_string(n));
    if (found == least.end() || found->second <= start)
      return std::nullopt;
    double a = std::log(n), b = std::log(found->second - start);
    ++count;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  addText("gemm/512x2048x512", gemm(512, 2048, 512), kGemmSeconds);
  addText("gemm/2048x2048x2048", gemm(2048, 2048, 2048), kGemmSeconds);
  addText("gemm/8192x8192x8192", gemm(8192, 8192, 8192), kGemmSeconds);
  addText("gemm/512x8192x28672", gemm(512, 8192, 28672), kGemmSeconds);
  addLayer("llama/decode", {});
  addLayer("llama/prefill_512", {"--tokens", "512"});
  addLayer("llama/prefill_2048", {"--tokens", "2048"});
  addText("empty", "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
                   "  return %a : tensor<8xf32>\n}\n");
  for (int n : kChains)
    addText("chain/" + std::to_string(n), chain(n));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();

  auto empty = least.find("empty");
  std::optional<double> whole = fitExponent(0);
  if (!whole || empty == least.end())
    return 0;
  outs() << "growth of chain: n^" << format("%.2f", *whole);
  if (std::optional<double> own = fitExponent(empty->second))
    outs() << ", without the time of an empty program n^"
           << format("%.2f", *own);
  outs() << "; allowed is n^" << format("%.1f", kExponent) << "\n";
  return 0;
}
