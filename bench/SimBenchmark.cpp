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

#include "Engine/Engines.h"
#include "Engine/VectorOps.h"
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

/// One pass of the contraction engine on 64 slices, on whatever memory holds:
/// 24576 flits per slice through a stage with eight rows (one for reduce-max).
/// Reports elements of the stream per second, and products.
static void contraction(benchmark::State &state, ElementType type,
                        config::ContractStage stage) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  constexpr int64_t kFlits = 3 << 13, kSlices = 64, kOut = 1 << 18;
  int64_t perFlit = machine.flitBytes * 8 / getBitWidth(type);
  auto exec = [&](int64_t flits, int64_t stride) {
    config::ExecCommand command;
    command.sliceMask = firstSlices(kSlices);
    command.fetch.sequencer = {0, {{flits, stride}, {perFlit, 1}}, 1};
    command.fetch.from = command.fetch.to = type;
    command.fetch.packetElements = perFlit;
    command.fetch.accessBytes = 8;
    command.fetch.fetchesPerPacket = machine.flitBytes / 8;
    command.collect = {machine.flitBytes, 1};
    return command;
  };
  config::ExecCommand load = exec(2 * stage.rows, perFlit);
  load.context = config::Context::Sub;
  load.sink = config::ToTrfStage{config::TrfAddress::Full, stage.rows,
                                 machine.macWidthBytes};
  config::ExecCommand pass = exec(kFlits, 0);
  int64_t steps = kFlits / stage.collectFlits * (stage.shifts + 1);
  stage.type = type;
  stage.trf.entries = {{steps / 64, 0}, {64, 0}};
  stage.loops = {{64, 0, false}, {steps / 64, 0, true}};
  int64_t out = 64 * (stage.kind == config::AccumulationKind::Interleaved
                          ? stage.columns
                          : stage.rows * ((stage.columns + 7) / 8));
  pass.contract = stage;
  pass.sink =
      config::CommitStage{isFloat(type) ? ElementType::F32 : ElementType::I32,
                          {kOut, {{out, 8}, {8, 1}}, 1},
                          32,
                          32};
  config::Program program;
  program.target = machine.name.str();
  program.name = "contraction";
  program.commands = {{"load", "", load, {}}, {"pass", "", pass, {}}};
  double seconds = 0;
  for (auto _ : state) {
    llvm::Expected<sim::Result> result = sim::run(program, machine, {});
    if (!result) {
      state.SkipWithError(llvm::toString(result.takeError()).c_str());
      return;
    }
    seconds += result->report.wallSeconds;
  }
  seconds /= state.iterations();
  double elements = static_cast<double>(kFlits) * perFlit * kSlices;
  state.counters["elements/s"] = elements / seconds;
  state.counters["MAC/s"] = static_cast<double>(steps) * kSlices * stage.rows *
                            machine.lanes(type) / seconds;
}

static void BM_Contract(benchmark::State &state, ElementType type) {
  config::ContractStage stage;
  stage.depth = type == ElementType::BF16 ? 5 : 6;
  contraction(state, type, stage);
}
BENCHMARK_CAPTURE(BM_Contract, i8, ElementType::I8)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Contract, bf16, ElementType::BF16)
    ->Unit(benchmark::kMillisecond);

/// A convolution of stride 2: three flits make two packets.
static void BM_ShiftReuse(benchmark::State &state, ElementType type) {
  config::ContractStage stage;
  stage.collectFlits = 3;
  stage.shifts = 1;
  stage.shiftStride = 2;
  stage.depth = 1;
  stage.columns = 16;
  stage.kind = config::AccumulationKind::Sequential;
  contraction(state, type, stage);
}
BENCHMARK_CAPTURE(BM_ShiftReuse, i8, ElementType::I8)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_ShiftReuse, bf16, ElementType::BF16)
    ->Unit(benchmark::kMillisecond);

static void BM_ReduceMax(benchmark::State &state, ElementType type) {
  config::ContractStage stage;
  stage.reduceOp = config::ReduceOp::Max;
  stage.rows = 1;
  contraction(state, type, stage);
}
BENCHMARK_CAPTURE(BM_ReduceMax, i8, ElementType::I8)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_ReduceMax, bf16, ElementType::BF16)
    ->Unit(benchmark::kMillisecond);

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

//===----------------------------------------------------------------------===//
// Traffic between slices
//===----------------------------------------------------------------------===//

/// 256 KiB of each of 256 slices go through the pass and back to memory.
static constexpr int64_t kRingSlices = 256, kRingBytes = 1 << 18;

/// A pass of packets of 64 bytes; `packets` are fetched per slice.
static config::ExecCommand makeRingPass(ElementType type, int64_t packets) {
  int64_t perFlit = 256 / getBitWidth(type), perPacket = 2 * perFlit;
  config::ExecCommand exec;
  exec.sliceMask = firstSlices(kRingSlices);
  exec.fetch.sequencer = {0, {{packets, perPacket}, {perPacket, 1}}, 1};
  exec.fetch.from = exec.fetch.to = type;
  exec.fetch.packetElements = perPacket;
  exec.fetch.accessBytes = 32;
  exec.fetch.fetchesPerPacket = 2;
  exec.collect = {64, 2};
  exec.sink = config::CommitStage{
      type,
      {kRingBytes, {{kRingBytes / 32, perFlit}, {perFlit, 1}}, 1},
      32,
      32};
  return exec;
}

static void runRingPass(benchmark::State &state, config::ExecCommand exec,
                        ElementType type) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  config::Program program;
  program.target = machine.name.str();
  program.commands.push_back({"pass", "", std::move(exec)});
  double seconds = 0;
  for (auto _ : state) {
    llvm::Expected<sim::Result> result = sim::run(program, machine, {});
    if (!result) {
      state.SkipWithError(llvm::toString(result.takeError()).c_str());
      return;
    }
    seconds += result->report.wallSeconds;
  }
  state.counters["elements/s"] = static_cast<double>(kRingSlices) * kRingBytes *
                                 8 / getBitWidth(type) * state.iterations() /
                                 seconds;
}

/// Argument: slices of a ring, all of which take everything.
static void BM_SwitchBroadcast(benchmark::State &state) {
  int64_t ring = state.range(0), packets = kRingBytes / 64 / ring;
  config::SwitchStage stage;
  stage.routing.ringSize = ring;
  config::RouterSetting setting;
  setting.slices = ring;
  setting.sources = firstSlices(ring);
  setting.sources.resize(kRingSlices / 64);
  stage.routing.routers = {std::move(setting)};
  stage.routing.packets = {{packets, 1}};
  stage.groupSlices = ring;
  config::ExecCommand exec = makeRingPass(ElementType::I8, packets);
  exec.switching = std::move(stage);
  runRingPass(state, std::move(exec), ElementType::I8);
}
BENCHMARK(BM_SwitchBroadcast)->Arg(4)->Arg(256)->Unit(benchmark::kMillisecond);

/// Argument: slices of a group, all of which get the sum.
static void BM_InterSliceAdd(benchmark::State &state) {
  int64_t ring = state.range(0), packets = kRingBytes / 64;
  config::InterSliceStage stage;
  stage.type = ElementType::F32;
  stage.routing.ringSize = ring;
  config::RouterSetting setting;
  setting.slices = ring;
  setting.sources = firstSlices(ring);
  setting.sources.resize(kRingSlices / 64);
  stage.routing.routers = {std::move(setting)};
  stage.routing.packets = {{2 * packets, 1}};
  config::ExecCommand exec = makeRingPass(ElementType::F32, packets);
  exec.vector.emplace();
  exec.vector->type = ElementType::F32;
  exec.vector->interSlice = std::move(stage);
  runRingPass(state, std::move(exec), ElementType::F32);
}
BENCHMARK(BM_InterSliceAdd)->Arg(4)->Arg(256)->Unit(benchmark::kMillisecond);

//===----------------------------------------------------------------------===//
// Transpose and commit
//===----------------------------------------------------------------------===//

/// 4,096 flits of eight elements that count.
static void BM_Transpose(benchmark::State &state, ElementType type,
                         int64_t rows, int64_t columns) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  int64_t packet = machine.transposeFormat(type)->elementsPerPacket;
  constexpr int64_t kFlits = 4096;
  std::vector<uint8_t> flits(kFlits * machine.flitBytes, 0x35);
  config::TransposeStage stage{type, rows, columns, columns};
  sim::TransposeEngine engine(stage, machine);
  for (auto _ : state)
    engine.push(flits, [](llvm::MutableArrayRef<uint8_t> result) {
      benchmark::DoNotOptimize(result.data());
    });
  state.counters["elements/s"] = benchmark::Counter(
      static_cast<double>(kFlits * packet * state.iterations()),
      benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(BM_Transpose, i4, ElementType::I4, 16, 16);
BENCHMARK_CAPTURE(BM_Transpose, i8, ElementType::I8, 8, 8);
BENCHMARK_CAPTURE(BM_Transpose, i8_32_columns, ElementType::I8, 8, 32);
BENCHMARK_CAPTURE(BM_Transpose, bf16, ElementType::BF16, 4, 8);
BENCHMARK_CAPTURE(BM_Transpose, f32, ElementType::F32, 2, 8);

/// 4,096 flits of i8, of which `kept` bytes are written `kept` bytes apart.
static void BM_Commit(benchmark::State &state) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  constexpr int64_t kFlits = 4096;
  int64_t kept = state.range(0);
  config::ExecCommand exec;
  exec.sink =
      config::CommitStage{ElementType::I8,
                          {0, {{64, kept}, {64, 64 * kept}, {kept, 1}}, 1},
                          kept,
                          8};
  sim::CommandPlan plan;
  plan.commitEnd = kFlits * kept;
  sim::SystemMemory memory(machine, 1);
  sim::Sink sink(exec, machine);
  std::vector<uint8_t> flits(kFlits * machine.flitBytes, 0x35);
  for (auto _ : state) {
    sink.begin(memory, 0, plan);
    sink.write(flits);
  }
  state.counters["elements/s"] = benchmark::Counter(
      static_cast<double>(kFlits * kept * state.iterations()),
      benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Commit)->Arg(8)->Arg(16)->Arg(24)->Arg(32);

//===----------------------------------------------------------------------===//
// Fetch
//===----------------------------------------------------------------------===//

namespace {
struct FetchCase {
  const char *name;
  ElementType from, to;
  int64_t packet, access; ///< elements, bytes
  bool masked, table, zeroPoints;
};
} // namespace

/// 256 KiB of one slice through sequencer and adapter, as flits.
static void BM_Fetch(benchmark::State &state, const FetchCase &test) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  constexpr int64_t kBytes = 1 << 18, kBlock = 256;
  int64_t elements = kBytes * 8 / getBitWidth(test.from);
  int64_t packets = elements / test.packet;
  config::FetchStage stage;
  stage.sequencer = {
      0,
      {{packets / 4, 4 * test.packet}, {4, test.packet}, {test.packet, 1}},
      1};
  stage.from = test.from;
  stage.to = test.to;
  stage.packetElements = test.packet;
  stage.accessBytes = test.access;
  stage.fetchesPerPacket = getByteSize(test.from, test.packet) / test.access;
  if (test.masked)
    stage.mask = config::FetchMask{1, 0, {test.packet - 3}, std::nullopt, 0};
  if (test.table) {
    stage.table.emplace();
    stage.table->type = test.from;
    for (int64_t i = 0; i < int64_t(1) << getBitWidth(test.from); ++i)
      stage.table->values.push_back(i * 7);
  }
  if (test.zeroPoints)
    stage.zeroPoints = {3, -4};
  sim::CommandPlan plan;
  plan.packets = packets;
  plan.sourcePacketBytes = getByteSize(test.from, test.packet);
  plan.streamPacketBytes = getByteSize(test.to, test.packet);
  plan.flits = packets * ((plan.streamPacketBytes + 31) / 32);
  std::vector<uint8_t> memory(kBytes);
  for (size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<uint8_t>(i * 37 >> 3 & 0x77);
  sim::FetchEngine engine(stage, plan, machine);
  for (auto _ : state) {
    engine.begin(memory.data());
    for (int64_t done = 0; done < packets; done += kBlock)
      benchmark::DoNotOptimize(
          engine.read(std::min(kBlock, packets - done)).data());
  }
  state.counters["elements/s"] =
      benchmark::Counter(static_cast<double>(elements * state.iterations()),
                         benchmark::Counter::kIsRate);
}

static const FetchCase kFetchCases[] = {
    {"i8", ElementType::I8, ElementType::I8, 32, 32, false, false, false},
    {"bf16", ElementType::BF16, ElementType::BF16, 32, 32, false, false, false},
    {"i8_by_8", ElementType::I8, ElementType::I8, 8, 8, false, false, false},
    {"i8_masked", ElementType::I8, ElementType::I8, 32, 32, true, false, false},
    {"i8_to_i32", ElementType::I8, ElementType::I32, 32, 8, false, false,
     false},
    {"i4_to_i32", ElementType::I4, ElementType::I32, 32, 4, false, false,
     false},
    {"i16_to_i32", ElementType::I16, ElementType::I32, 32, 16, false, false,
     false},
    {"bf16_to_f32", ElementType::BF16, ElementType::F32, 32, 16, false, false,
     false},
    {"f16_to_f32", ElementType::F16, ElementType::F32, 32, 16, false, false,
     false},
    {"f8_to_f32", ElementType::F8E4M3, ElementType::F32, 32, 8, false, false,
     false},
    {"f32_to_bf16", ElementType::F32, ElementType::BF16, 32, 32, false, false,
     false},
    {"i8_table", ElementType::I8, ElementType::I8, 32, 32, false, true, false},
    {"i8_to_i32_zero_points", ElementType::I8, ElementType::I32, 32, 8, false,
     false, true},
};
static const bool kFetchRegistered = [] {
  for (const FetchCase &test : kFetchCases)
    benchmark::RegisterBenchmark(
        (std::string("BM_Fetch/") + test.name).c_str(),
        [&test](benchmark::State &state) { BM_Fetch(state, test); });
  return true;
}();

//===----------------------------------------------------------------------===//
// The vector engine alone: elements per second that enter it
//===----------------------------------------------------------------------===//

namespace {
struct VectorCase {
  const char *name;
  bool isFloat;
  bool branches; ///< half of the elements are conditioned out
  std::vector<config::VectorOpcode> opcodes;
};
} // namespace

static void BM_Vector(benchmark::State &state, const VectorCase &test) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  config::VectorStage stage;
  stage.type = test.isFloat ? ElementType::F32 : ElementType::I32;
  if (test.branches) {
    stage.branch.mode = config::BranchMode::Comparison;
    stage.branch.comparisons = {
        {config::InputCompare::Less, test.isFloat ? 0x3f000000u : 50u}};
  }
  for (config::VectorOpcode opcode : test.opcodes) {
    config::VectorOp op;
    op.opcode = opcode;
    const sim::VectorOpcodeInfo &info = sim::infoOf(opcode);
    for (int i = 1; i < info.arity; ++i) {
      config::VectorOperand &operand = i == 1 ? op.operand : op.operand1;
      operand.kind = config::VectorOperand::Kind::Constant;
      operand.constant = test.isFloat ? 0x3f800000u : 3u;
    }
    if (test.branches && info.arity == 2)
      op.ids = 1;
    stage.ops.push_back(std::move(op));
  }
  constexpr int64_t count = 1 << 16;
  std::vector<uint32_t> elements(count);
  for (int64_t i = 0; i < count; ++i)
    elements[i] = test.isFloat ? llvm::bit_cast<uint32_t>(i % 997 * 0.001f)
                               : static_cast<uint32_t>(i % 100);
  std::vector<uint8_t> vrf(machine.vrfBytesPerSlice), block;
  sim::VectorEngine engine(stage, stage.ops, machine);
  uint32_t sum = 0;
  auto sink = [&](llvm::MutableArrayRef<uint8_t> flits) {
    sum += flits.front();
  };
  for (auto _ : state) {
    engine.begin(vrf.data(), 0);
    // Blocks as the pipeline passes them on.
    constexpr int64_t bytes = 512 * 32;
    auto *data = reinterpret_cast<uint8_t *>(elements.data());
    for (int64_t at = 0; at < count * 4; at += bytes) {
      block.assign(data + at, data + at + bytes);
      engine.push(block, sink);
    }
    engine.finish(sink);
    benchmark::DoNotOptimize(sum);
  }
  state.counters["elements/s"] =
      benchmark::Counter(static_cast<double>(count) * state.iterations(),
                         benchmark::Counter::kIsRate);
}

using enum config::VectorOpcode;
static const VectorCase kVectorCases[] = {
    {"i32_add", false, false, {FxpAdd}},
    {"i32_logic_fxp_clip",
     false,
     false,
     {LogicAndI, FxpAdd, FxpMulInt, ClipMaxI}},
    {"i32_add_conditioned", false, true, {FxpAdd}},
    {"f32_max", true, false, {ClipMaxF}},
    {"f32_split_mul", true, false, {Split, FpMul0, Concat}},
    {"f32_fma", true, false, {Split, FpFma, Concat}},
    {"f32_exp", true, false, {Split, FpExp, Concat}},
    {"f32_sigmoid", true, false, {Split, FpSigmoid, Concat}},
    {"f32_tanh", true, false, {Split, FpTanh, Concat}},
    {"f32_erf", true, false, {Split, FpErf, Concat}},
    {"f32_log", true, false, {Split, FpLog, Concat}},
    {"f32_sin", true, false, {Split, FpSin, Concat}},
    {"f32_sqrt_exp", true, false, {Split, FpSqrt, FpExp, Concat}},
};
static const bool kVectorRegistered = [] {
  for (const VectorCase &test : kVectorCases)
    benchmark::RegisterBenchmark(
        (std::string("BM_Vector/") + test.name).c_str(),
        [&test](benchmark::State &state) { BM_Vector(state, test); });
  return true;
}();

/// The DMA engines: 64 MiB from HBM into all slices of one chip, then back, in
/// bytes per second ("elements/s" of i8) and requests per second.
static void BM_SimulateDma(benchmark::State &state) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  constexpr int64_t bytesPerEngine = 8 << 20;
  config::Program program;
  program.target = "rngd";
  for (bool toDm : {true, false}) {
    config::DmaCommand dma;
    dma.source = toDm ? config::Memory::Hbm : config::Memory::Dm;
    dma.destination = toDm ? config::Memory::Dm : config::Memory::Hbm;
    for (int64_t engine = 0; engine < machine.dmaEngines; ++engine) {
      config::DmaDescriptor descriptor;
      descriptor.engine = engine;
      descriptor.sourceAddress = engine * bytesPerEngine;
      descriptor.destinationAddress =
          engine * machine.slicesPerEngine * machine.dmSliceStride;
      int64_t slices = machine.slicesPerDmn, bytes = machine.dmaRequestBytes;
      int64_t perSlice = bytesPerEngine / machine.slicesPerEngine;
      descriptor.entries = {
          {slices, perSlice, machine.dmSliceStride},
          {perSlice / bytes, bytes, bytes},
          {2, slices * perSlice, slices * machine.dmSliceStride}};
      descriptor.packetBytes = bytes;
      if (!toDm) {
        std::swap(descriptor.sourceAddress, descriptor.destinationAddress);
        for (config::DmaDescriptor::Entry &entry : descriptor.entries)
          std::swap(entry.sourceStride, entry.destinationStride);
        descriptor.destinationAddress += int64_t(1) << 30;
      }
      dma.descriptors.push_back(std::move(descriptor));
    }
    config::Command command;
    command.name = toDm ? "load" : "store";
    command.body = std::move(dma);
    program.commands.push_back(std::move(command));
  }
  double seconds = 0;
  for (auto _ : state) {
    llvm::Expected<sim::Result> result = sim::run(program, machine, {});
    if (!result) {
      state.SkipWithError(llvm::toString(result.takeError()).c_str());
      return;
    }
    seconds += result->report.wallSeconds;
  }
  seconds /= state.iterations();
  double bytes = 2.0 * bytesPerEngine * machine.dmaEngines;
  state.counters["elements/s"] = bytes / seconds;
  state.counters["requests/s"] = bytes / machine.dmaRequestBytes / seconds;
}
BENCHMARK(BM_SimulateDma)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
