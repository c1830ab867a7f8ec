//===- HostCopyBenchmark.cpp - Speed of the host's copies -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What memcpy_h2d and memcpy_d2h do for 16 KB on each of 64 x 64 PEs, 64 MB,
// in both orders: through the back door, with no word simulated.
//
//===----------------------------------------------------------------------===//

#include "WaferBuilder.h"
#include "sequin/WaferHost/CommandQueue.h"
#include "sequin/WaferHost/HostTensor.h"
#include <benchmark/benchmark.h>
#include <numeric>

using namespace sequin;
using namespace sequin::testing;

static constexpr int64_t kSide = 64, kWords = 4096;

static std::unique_ptr<Session> makeSession() {
  Program program = makeProgram("wse3", kSide, kSide);
  program.routers.emplace_back();
  program.codes.emplace_back().variables = {variable("A", 64, 4, kWords)};
  program.setups.push_back(makeSetup(0, {}));
  Symbol symbol;
  symbol.name = "A";
  symbol.elementBytes = 4;
  symbol.places = {{0, 0}};
  program.symbols.push_back(symbol);
  auto session = Session::create(std::move(program));
  if (session)
    return std::move(*session);
  llvm::errs() << llvm::toString(session.takeError()) << '\n';
  return nullptr;
}

static HostTensor tensor(const benchmark::State &state) {
  return {kSide, kSide, kWords, static_cast<MemcpyOrder>(state.range(0)), 4};
}

static bool carryOut(CommandQueue &queue,
                     llvm::Expected<CommandQueue::Task> task) {
  llvm::Error error = task ? queue.wait(*task) : task.takeError();
  if (!error)
    return true;
  llvm::errs() << llvm::toString(std::move(error)) << '\n';
  return false;
}

static void toTheDevice(benchmark::State &state) {
  std::unique_ptr<Session> session = makeSession();
  HostTensor shape = tensor(state);
  std::vector<uint32_t> host(shape.count());
  std::iota(host.begin(), host.end(), 0u);
  CommandQueue queue(*session);
  for (auto _ : state) {
    CommandQueue::Bytes data;
    data.resize_for_overwrite(shape.count() * shape.elementBytes);
    toDevice(shape, host, data);
    if (!carryOut(queue, queue.copyIn("A", {session->all()}, std::move(data))))
      return state.SkipWithError("the copy was refused");
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(4 * shape.count()));
}

static void toTheHost(benchmark::State &state) {
  std::unique_ptr<Session> session = makeSession();
  HostTensor shape = tensor(state);
  std::vector<uint32_t> host(shape.count());
  CommandQueue queue(*session);
  for (auto _ : state)
    if (!carryOut(queue,
                  queue.copyOut("A", {session->all()}, shape.bytesPerPe(),
                                [&](llvm::ArrayRef<uint8_t> data) {
                                  toHost(shape, data, host);
                                })))
      return state.SkipWithError("the copy was refused");
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(4 * shape.count()));
}

// 0 is row-major, 1 column-major.
BENCHMARK(toTheDevice)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(toTheHost)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
