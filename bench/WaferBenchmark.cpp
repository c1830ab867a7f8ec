//===- WaferBenchmark.cpp - Speed of the fabric simulator -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulated PE-cycles per second of one core: PEs of the rectangle times
// cycles of the run. `active` is the part of them in which the PE issued
// something or moved a wavelet. Memory that nothing has written is not tracked
// in the stencil; it is in `fullMemory`.
//
//===----------------------------------------------------------------------===//

#include "ReduceProgram.h"
#include "StencilProgram.h"
#include "sequin/Api/WaferModule.h"
#include "sequin/WaferHost/Session.h"
#include "llvm/Support/Endian.h"
#include <benchmark/benchmark.h>
#include <sys/resource.h>

using namespace sequin;
using namespace sequin::testing;

static void report(benchmark::State &state, const Simulator &simulator,
                   int64_t pes, double &total) {
  const Counters &counters = simulator.counters();
  double cycles =
      static_cast<double>(counters.cycles) * static_cast<double>(pes);
  total += cycles;
  state.counters["cycles"] = static_cast<double>(counters.cycles);
  state.counters["steps/PE-cycle"] =
      static_cast<double>(counters.steps) / cycles;
  state.counters["active"] = static_cast<double>(counters.active) / cycles;
  state.counters["hops/PE-cycle"] = static_cast<double>(counters.hops) / cycles;
}

static Options untracked() {
  Options options;
  options.poison = Poison::Off;
  return options;
}

/// range(2) x range(2) PEs, columns of range(0) elements, range(1) threads.
static void stencil(benchmark::State &state) {
  int64_t side = state.range(2);
  unsigned depth = static_cast<unsigned>(state.range(0));
  Program program = makeStencil(side, side, depth, 512 / depth);
  Options options = untracked();
  options.threads = static_cast<unsigned>(state.range(1));
  double total = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto simulator = simulate(program, options);
    state.ResumeTiming();
    if (simulator->run() != Outcome::Finished)
      state.SkipWithError("did not finish");
    report(state, *simulator, side * side, total);
    state.PauseTiming();
    simulator.reset();
    state.ResumeTiming();
  }
  state.counters["PE-cycles/s"] =
      benchmark::Counter(total, benchmark::Counter::kIsRate);
}
BENCHMARK(stencil)
    ->ArgNames({"depth", "threads", "side"})
    ->ArgsProduct({{8, 128}, {1, 2}, {64, 128}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// 4096 elements on 512 PEs in groups of range(0).
static void reduce(benchmark::State &state) {
  Program program = makeReduce(512, state.range(0), 4096);
  double total = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto simulator = simulate(program);
    state.ResumeTiming();
    if (simulator->run() != Outcome::Finished)
      state.SkipWithError("did not finish");
    report(state, *simulator, 512, total);
    state.PauseTiming();
    simulator.reset();
    state.ResumeTiming();
  }
  state.counters["PE-cycles/s"] =
      benchmark::Counter(total, benchmark::Counter::kIsRate);
}
BENCHMARK(reduce)->Arg(512)->Arg(32)->Unit(benchmark::kMillisecond);

/// A lone PE at work on a wafer of range(0) squared: idle PEs cost nothing.
static void idleWafer(benchmark::State &state) {
  int64_t side = state.range(0);
  Program program = makeReduce(64, 64, 1024);
  // The busy row and idle rows below it.
  program.width = program.fabricWidth = side;
  program.height = program.fabricHeight = side;
  wafer::Setup idle = program.setups[0];
  idle.activeTasks = 0;
  program.setups.push_back(idle);
  std::vector<Pe> row = std::move(program.pes);
  program.pes.assign(side * side, {});
  for (Pe &pe : program.pes)
    pe.setup = static_cast<uint32_t>(program.setups.size() - 1);
  std::move(row.begin(), row.end(), program.pes.begin());
  double total = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto simulator = simulate(program);
    state.ResumeTiming();
    if (simulator->run() != Outcome::Finished)
      state.SkipWithError("did not finish");
    report(state, *simulator, side * side, total);
    state.PauseTiming();
    simulator.reset();
    state.ResumeTiming();
  }
  state.counters["PE-cycles/s"] =
      benchmark::Counter(total, benchmark::Counter::kIsRate);
}
BENCHMARK(idleWafer)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

/// The product of two matrices of 56 x 56 f32 on 4 x 4 PEs (examples/csl):
/// copies in, the run, and the copy out.
static void gemm(benchmark::State &state) {
  sequin::api::WaferOptions options;
  options.path = SEQUIN_EXAMPLES "/csl/wse3/gemm_summa.mlir";
  auto module = sequin::api::WaferModule::load(options);
  if (!module)
    return state.SkipWithError(llvm::toString(module.takeError()).c_str());
  std::vector<uint8_t> block(16 * 14 * 14 * sizeof(float));
  for (size_t i = 0; i < block.size(); i += 4)
    llvm::support::endian::write32le(&block[i], 0x3f800000);
  double total = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto session = Session::create((*module)->program());
    state.ResumeTiming();
    if (!session)
      return state.SkipWithError(llvm::toString(session.takeError()).c_str());
    Session &host = **session;
    llvm::Error error = llvm::Error::success();
    for (llvm::StringRef symbol : {"A", "B", "C"})
      if (!error)
        error = host.copyIn(symbol, host.all(), block);
    if (!error)
      error = host.launch("multiply", host.all());
    if (!error)
      error = host.finish();
    if (error)
      return state.SkipWithError(llvm::toString(std::move(error)).c_str());
    auto product = host.copyOut("C", host.all(), 14 * 14 * sizeof(float));
    if (!product)
      return state.SkipWithError(llvm::toString(product.takeError()).c_str());
    benchmark::DoNotOptimize(product->data());
    report(state, host.simulator(), 16, total);
    state.PauseTiming();
    session->reset();
    state.ResumeTiming();
  }
  state.counters["PE-cycles/s"] =
      benchmark::Counter(total, benchmark::Counter::kIsRate);
}
BENCHMARK(gemm)->Unit(benchmark::kMillisecond);

/// A wafer of range(0) squared on which every PE writes 40 KB. `GB`: the most
/// memory that the process had.
static void fullMemory(benchmark::State &state) {
  int64_t side = state.range(0);
  constexpr unsigned kElements = 10 * 1024;
  Program program = makeProgram("wse3", side, side);
  Code &code = program.codes.emplace_back();
  code.variables = {variable("data", 0x100, 4, kElements)};
  FunctionBuilder main(code, "main");
  main.run(makeOp(DsdOpcode::Fmovs, main.operand(mem1d(0x100, kElements)),
                  main.scalar(0x3f800000)));
  uint32_t function = main.finish();
  program.setups.push_back(makeSetup(0, {{25, function}}));
  program.routers.emplace_back();
  double total = 0;
  for (auto _ : state) {
    auto simulator = simulate(program);
    if (simulator->run() != Outcome::Finished)
      state.SkipWithError("did not finish");
    report(state, *simulator, side * side, total);
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  state.counters["GB"] = static_cast<double>(usage.ru_maxrss) / (1 << 20);
}
BENCHMARK(fullMemory)->Arg(256)->Unit(benchmark::kMillisecond)->Iterations(1);

/// Collectives of other sizes than the published ones, in cycles, beside what
/// the model says of them: PEs, group (all of them: a chain), elements.
static void collective(benchmark::State &state) {
  int64_t pes = state.range(0), group = state.range(1);
  unsigned elements = static_cast<unsigned>(state.range(2));
  Program program = makeReduce(pes, group, elements);
  double cycles = 0;
  for (auto _ : state) {
    auto simulator = simulate(program, untracked());
    if (simulator->run() != Outcome::Finished)
      state.SkipWithError("did not finish");
    cycles = static_cast<double>(simulator->counters().lastElement + 1 -
                                 simulator->counters().firstWavelet);
  }
  double b = static_cast<double>(elements), p = static_cast<double>(pes),
         s = static_cast<double>(group);
  double model = group == pes ? b + 6 * (p - 1)
                              : 2 * b + (p - 1) + 5 * ((s - 1) + (p / s - 1));
  state.counters["cycles"] = cycles;
  state.counters["model"] = model;
  state.counters["off %"] = 100 * (cycles - model) / model;
}
BENCHMARK(collective)
    ->ArgNames({"pes", "group", "elements"})
    ->ArgsProduct({{64, 128}, {8, 64}, {256, 1024}})
    ->ArgsProduct({{128}, {128}, {256, 1024}})
    ->Args({512, 512, 4096})
    ->Args({512, 32, 4096})
    ->Iterations(1);

BENCHMARK_MAIN();
