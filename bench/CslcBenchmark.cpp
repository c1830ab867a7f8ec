//===- CslcBenchmark.cpp - Compiling CSL source ---------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From source to the output directory, as cslc does it: a program of a thousand
// lines on 64 x 64 PEs. `codes` is the number of distinct codes, for which a
// parameter decides the size of an array and prunes branches; with one code the
// PEs differ in parameters that only running code reads. Time is to be linear
// in the codes: 2 s with 64 of them, 10 s with 4,096 PEs of different data.
//
//===----------------------------------------------------------------------===//

#include "sequin/Target/CslImport/CslImport.h"
#include "sequin/Tools/CslcDriver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <benchmark/benchmark.h>

using namespace sequin;

namespace {

constexpr int64_t kSide = 64;
/// Functions of the PE's program, which make it a thousand lines long.
constexpr unsigned kFunctions = 43;

void write(const std::string &path, const std::string &text) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code)
    os << text;
}

std::string peSource() {
  std::string text = R"(param memcpy_params;
param variant: u16;
param seed: u32;
param weight: f32;
const sys_mod = @import_module("<memcpy/memcpy>", memcpy_params);
const math = @import_module("<math>");
var data = @zeros([16 + variant]f32);
var out = @zeros([1]f32);
var out_ptr: [*]f32 = &out;
)";
  for (unsigned f = 0; f < kFunctions; ++f)
    text += llvm::formatv(R"(
fn step{0}(x: f32, n: u16) f32 {{
  var total: f32 = x * weight;
  if (variant % 2 == {1}) {{
    total += {0}.0;
  } else {{
    total -= {0}.5;
  }
  for (@range(u16, 16)) |i| {{
    if (i < n) {{
      data[i] = total + @as(f32, i + @as(u16, seed & 0xff));
    } else {{
      data[i] *= 0.5;
    }
  }
  const d = @get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{16} -> data[i] });
  @fmacs(d, d, d, total);
  while (total > 100.0) {{
    total = math.sqrt(total) - 1.0;
  }
  return total + data[n];
}
)",
                          f, f % 2);
  text += "\nfn run() void {\n";
  for (unsigned f = 0; f < kFunctions; ++f)
    text += llvm::formatv("  out[0] = step{0}(out[0], {1});\n", f, f % 16);
  text += R"(  sys_mod.unblock_cmd_stream();
}
comptime {
  @export_symbol(out_ptr, "out");
  @export_symbol(run);
}
)";
  return text;
}

std::string layoutSource(int64_t codes) {
  return llvm::formatv(
      R"(const memcpy = @import_module("<memcpy/get_params>", .{{
  .width = {0},
  .height = {0},
});
layout {{
  @set_rectangle({0}, {0});
  for (@range(u16, {0})) |x| {{
    for (@range(u16, {0})) |y| {{
      @set_tile_code(x, y, "pe.csl", .{{
        .memcpy_params = memcpy.get_params(x),
        .variant = (x * {0} + y) % {1},
        .seed = @as(u32, x) * 65521 + @as(u32, y),
        .weight = 1.0 / @as(f32, x + 64 * y + 1),
      });
    }
  }
  @export_name("out", [*]f32, true);
  @export_name("run", fn () void);
}
)",
      kSide, codes);
}

void compileCsl(benchmark::State &state) {
  int64_t codes = state.range(0);
  llvm::SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory("cslc-benchmark", folder)) {
    state.SkipWithError("no folder to work in");
    return;
  }
  std::string pe = peSource();
  write((folder + "/pe.csl").str(), pe);
  write((folder + "/layout.csl").str(), layoutSource(codes));
  tools::CslcOptions options;
  options.layout = (folder + "/layout.csl").str();
  options.output = (folder + "/out").str();
  options.import.arch = "wse3";
  options.import.memcpy = true;
  options.import.libraryPath = SEQUIN_LIBRARY;
  options.channels = 1;
  options.verbose = true;
  std::string said;
  for (auto _ : state) {
    said.clear();
    llvm::raw_string_ostream err(said);
    if (tools::compile(options, err) != 0) {
      state.SkipWithError(said.c_str());
      break;
    }
  }
  state.counters["lines"] = double(llvm::StringRef(pe).count('\n'));
  // "...: 64 x 64 PEs, N codes"
  int64_t found = 0;
  llvm::StringRef last = llvm::StringRef(said).rtrim().rsplit(", ").second;
  if (!state.error_occurred() &&
      (last.consumeInteger(10, found) || found != codes))
    state.SkipWithError(
        ("expected " + std::to_string(codes) + " codes: " + said).c_str());
  state.counters["codes"] = double(found);
  llvm::sys::fs::remove_directories(folder);
}

} // namespace

// The evaluation has a thread of its own.
BENCHMARK(compileCsl)
    ->Arg(1)
    ->Arg(16)
    ->Arg(64)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
