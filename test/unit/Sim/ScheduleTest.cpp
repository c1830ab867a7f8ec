//===- ScheduleTest.cpp - Overlap, hazards and reports -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceProgram.h"
#include <functional>

using namespace sequin;
using namespace sequin::testing;
using config::Context;
using ::testing::HasSubstr;
using enum ElementType;

namespace {

/// A pass that copies `flits` flits inside DM: reads and commits one per cycle
/// in the main context, four cycles each in the sub context.
config::ExecCommand copyPass(int64_t flits, int64_t from, int64_t to,
                             Context context = Context::Main,
                             int64_t slice = 0) {
  config::ExecCommand exec = makeExec({from, {{flits, 32}, {32, 1}}, 1}, I8, I8,
                                      context == Context::Main ? 32 : 8);
  exec.context = context;
  exec.sliceMask.assign(8, 0);
  exec.sliceMask[slice / 64] = uint64_t(1) << (slice % 64);
  exec.sink = config::CommitStage{I8,
                                  {to, {{flits, 32}, {32, 1}}, 1},
                                  32,
                                  context == Context::Main ? 32 : 8};
  return exec;
}

/// HBM to DM of slice 0: 500 cycles, and two for every request but the last.
config::DmaCommand load(int64_t hbm, int64_t dm, int64_t bytes) {
  config::DmaDescriptor descriptor;
  descriptor.sourceAddress = hbm;
  descriptor.destinationAddress = dm;
  descriptor.packetBytes = 256;
  descriptor.entries = {{bytes / 256, 256, 256}};
  return {config::Memory::Hbm, config::Memory::Dm, {descriptor}};
}
config::DmaCommand store(int64_t dm, int64_t hbm, int64_t bytes) {
  config::DmaCommand command = load(hbm, dm, bytes);
  config::DmaDescriptor &descriptor = command.descriptors[0];
  std::swap(command.source, command.destination);
  std::swap(descriptor.sourceAddress, descriptor.destinationAddress);
  return command;
}

using Body = decltype(config::Command::body);

config::Program makeProgram(std::vector<Body> bodies) {
  config::Program program;
  program.target = "rngd";
  for (Body &body : bodies) {
    config::Command command;
    command.name = "c" + std::to_string(program.commands.size());
    command.body = std::move(body);
    program.commands.push_back(std::move(command));
  }
  return program;
}

sim::Report reportOf(const config::Program &program) {
  llvm::Expected<sim::Result> result =
      sim::run(program, *lookupTcpMachine("rngd"), {}, {.timingOnly = true});
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  return result->report;
}

std::vector<sim::CommandTiming> timingsOf(std::vector<Body> bodies) {
  sim::Report report = reportOf(makeProgram(bodies));
  report.commands.resize(bodies.size());
  return report.commands;
}

} // namespace

TEST(Schedule, IndependentCommandsOverlap) {
  SEQUIN_ROW("SCH-02");
  std::vector<sim::CommandTiming> t = timingsOf(
      {copyPass(100, 0, 8192), copyPass(100, 16384, 32768, Context::Sub),
       load(0, 65536, 256)});
  for (const sim::CommandTiming &timing : t) {
    EXPECT_EQ(timing.start, 0);
    EXPECT_EQ(timing.wait, "");
  }
  EXPECT_EQ(t[0].end, 100);
  EXPECT_EQ(t[1].end, 400);
  EXPECT_EQ(t[2].end, 501);
  EXPECT_EQ(t[0].context, "main");
  EXPECT_EQ(t[1].context, "sub");
  EXPECT_EQ(t[2].context, "dma");
}

TEST(Schedule, OneCommandPerResource) {
  SEQUIN_ROW("SCH-01");
  SEQUIN_ROW("SCH-02");
  std::vector<sim::CommandTiming> t =
      timingsOf({copyPass(100, 0, 8192), copyPass(50, 16384, 32768),
                 load(0, 65536, 256), load(0, 131072, 256)});
  EXPECT_EQ(t[1].start, 100);
  EXPECT_EQ(t[1].wait, "main busy");
  EXPECT_EQ(t[1].end, 150);
  EXPECT_EQ(t[3].start, 501);
  EXPECT_EQ(t[3].wait, "dma busy");
}

// t0 -> t2 -> t4 -> t5 and t1 -> t3, as the manual's six operations: what is
// written first runs first, also where a later one could go ahead.
TEST(Schedule, TextualOrder) {
  SEQUIN_ROW("SCH-01");
  std::vector<sim::CommandTiming> t =
      timingsOf({load(0, 4096, 4096), load(8192, 16384, 256),
                 copyPass(8, 4096, 32768), copyPass(8, 16384, 36864),
                 copyPass(8, 32768, 40960), copyPass(8, 40960, 45056)});
  // O2 needs O0, O3 needs O1 only.
  EXPECT_EQ(t[2].start, t[0].end);
  EXPECT_EQ(t[1].start, t[0].end);
  EXPECT_EQ(t[3].start, t[1].end);
  EXPECT_EQ(t[4].start, t[3].end);
  EXPECT_EQ(t[4].wait, "main busy");
  EXPECT_EQ(t[5].start, t[4].end);
  for (size_t i = 1; i < t.size(); ++i)
    EXPECT_LE(t[i - 1].start, t[i].start);
}

TEST(Schedule, DifferentSlicesStillShareTheContext) {
  std::vector<sim::CommandTiming> t =
      timingsOf({copyPass(100, 0, 8192, Context::Main, 0),
                 copyPass(50, 0, 8192, Context::Main, 100)});
  EXPECT_EQ(t[1].start, 100);
}

TEST(Schedule, ReadAfterWrite) {
  SEQUIN_ROW("SCH-03");
  SEQUIN_ROW("SCH-04");
  std::vector<sim::CommandTiming> t = timingsOf(
      {load(0, 4096, 512), copyPass(16, 4096, 8192),
       copyPass(16, 8192 + 256, 65536, Context::Sub), store(65536, 4096, 512)});
  EXPECT_EQ(t[1].start, 503);
  EXPECT_EQ(t[1].wait, "RAW on dm[4096, 4608) by 'c0'");
  EXPECT_EQ(t[2].start, 519);
  EXPECT_EQ(t[2].wait, "RAW on dm[8448, 8704) by 'c1'");
  EXPECT_EQ(t[3].start, t[2].end);
  EXPECT_EQ(t[3].wait, "RAW on dm[65536, 66048) by 'c2'");
}

TEST(Schedule, WriteAfterReadAndWriteAfterWrite) {
  SEQUIN_ROW("SCH-03");
  std::vector<sim::CommandTiming> war =
      timingsOf({copyPass(100, 4096, 65536), load(0, 4096, 256)});
  EXPECT_EQ(war[1].start, 100);
  EXPECT_EQ(war[1].wait, "WAR on dm[4096, 4352) by 'c0'");
  std::vector<sim::CommandTiming> waw =
      timingsOf({copyPass(100, 4096, 65536), load(0, 65536, 256)});
  EXPECT_EQ(waw[1].start, 100);
  EXPECT_EQ(waw[1].wait, "WAW on dm[65536, 65792) by 'c0'");
}

TEST(Schedule, TouchingIsNotOverlapping) {
  SEQUIN_ROW("SIL-19");
  std::vector<sim::CommandTiming> t =
      timingsOf({load(0, 4096, 256), copyPass(8, 4096 + 256, 65536)});
  EXPECT_EQ(t[1].start, 0);
  // The same addresses in another slice are other memory.
  t = timingsOf(
      {load(0, 4096, 256), copyPass(8, 4096, 65536, Context::Main, 1)});
  EXPECT_EQ(t[1].start, 0);
}

TEST(Schedule, ReadersDoNotWaitForReaders) {
  std::vector<sim::CommandTiming> t = timingsOf(
      {copyPass(100, 4096, 65536), copyPass(8, 4096, 131072, Context::Sub)});
  EXPECT_EQ(t[1].start, 0);
}

TEST(Schedule, HbmHazards) {
  config::DmaCommand first = store(0, 4096, 256);
  config::DmaCommand second = load(4096, 1024, 256);
  std::vector<sim::CommandTiming> t = timingsOf({first, second});
  EXPECT_EQ(t[1].start, t[0].end);
  // On different chips neither the engine nor the memory is shared.
  config::Program program = makeProgram({first, second});
  program.chips = 2;
  auto &other = std::get<config::DmaCommand>(program.commands[1].body);
  other.descriptors[0].sourceChip = other.descriptors[0].destinationChip = 1;
  EXPECT_EQ(reportOf(program).commands[1].start, 0);
}

TEST(Schedule, HalvesOfTheTrfAreDoubleBuffers) {
  SEQUIN_ROW("SIL-37");
  SEQUIN_ROW("HEL-14");
  auto fill = [](config::TrfAddress address) {
    config::ExecCommand exec =
        makeExec({0, {{2, 16}, {16, 1}}, 1}, BF16, BF16, 8);
    exec.context = Context::Sub;
    exec.sink = config::ToTrfStage{address, 1, 64};
    return exec;
  };
  auto use = [](config::TrfAddress address) {
    config::ExecCommand exec =
        makeExec({4096, {{200, 16}, {16, 1}}, 1}, BF16, BF16, 32);
    exec.contract.emplace();
    exec.contract->rows = 1;
    exec.contract->trfAddress = address;
    exec.contract->trf.entries = {{100, 0}};
    exec.contract->loops = {{100, 0, true}};
    exec.sink = config::CommitStage{F32, {65536, {{8, 1}}, 1}, 32, 32};
    return exec;
  };
  using enum config::TrfAddress;
  std::vector<sim::CommandTiming> t =
      timingsOf({fill(FirstHalf), use(FirstHalf), fill(SecondHalf),
                 fill(FirstHalf), use(SecondHalf), use(Full)});
  EXPECT_EQ(t[0].end, 8);
  EXPECT_EQ(t[1].start, 8);
  EXPECT_EQ(t[1].wait, "RAW on trf[0, 4096) by 'c0'");
  EXPECT_EQ(t[2].start, 8); // beside the use of the other half
  EXPECT_EQ(t[2].wait, "sub busy");
  EXPECT_EQ(t[3].start, t[1].end);
  EXPECT_EQ(t[3].wait, "WAR on trf[0, 4096) by 'c1'");
  EXPECT_EQ(t[4].start, t[1].end);
  EXPECT_EQ(t[4].wait, "main busy");
}

TEST(Schedule, VrfHazards) {
  config::ExecCommand fill = makeExec({0, {{8, 1}}, 1}, I32, I32, 8);
  fill.context = Context::Sub;
  fill.sink = config::ToVrfStage{32, 32};
  config::ExecCommand use = copyPass(1, 4096, 65536);
  use.fetch.sequencer = {4096, {{8, 1}}, 1};
  use.fetch.from = use.fetch.to = I32;
  use.fetch.packetElements = 8;
  config::VectorOp op;
  op.operand.kind = config::VectorOperand::Kind::Vrf;
  op.operand.vrf = {32, {{8, 1}}, 1};
  use.vector.emplace();
  use.vector->ops = {op};
  use.sink = config::CommitStage{I32, {65536, {{8, 1}}, 1}, 32, 32};
  std::vector<sim::CommandTiming> t = timingsOf({fill, use});
  EXPECT_EQ(t[1].wait, "RAW on vrf[32, 64) by 'c0'");
  use.vector->ops[0].operand.vrf.baseAddress = 64;
  EXPECT_EQ(timingsOf({fill, use})[1].start, 0);
}

TEST(Schedule, PassTakesTheSlowestStage) {
  SEQUIN_ROW("SIL-42");
  config::ExecCommand exec = copyPass(10, 0, 4096);
  exec.fetch.accessBytes = 4;
  exec.fetch.fetchesPerPacket = 8;
  sim::Report report = reportOf(makeProgram({exec}));
  ASSERT_EQ(report.commands.size(), 1u);
  EXPECT_EQ(report.commands[0].end, 80);
  using Stage = std::pair<std::string, int64_t>;
  EXPECT_EQ(
      report.commands[0].stages,
      (std::vector<Stage>{{"fetch", 80}, {"collect", 10}, {"commit", 10}}));
  // The fill latency is a parameter of the machine.
  TcpMachine slow = *lookupTcpMachine("rngd");
  slow.engineFillCycles = 7;
  llvm::Expected<sim::Result> result =
      sim::run(makeProgram({exec}), slow, {}, {.timingOnly = true});
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result->report.cycles, 87);
}

TEST(Report, Utilisation) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  config::Program gemm = makeGemm({2, 2, 8, 16, 64}, machine, true);
  sim::Report report = reportOf(gemm);
  EXPECT_EQ(report.macs, 16 * 32 * 64);
  EXPECT_EQ(report.peakMacsPerCycle, 131072);
  EXPECT_DOUBLE_EQ(report.macUtilization,
                   16.0 * 32 * 64 / (report.cycles * 131072.0));
  // A comes to both columns of tiles, B to both rows.
  EXPECT_EQ(report.hbmBytesRead, 2 * (16 * 64 * 2) + 2 * (32 * 64 * 2));
  EXPECT_EQ(report.hbmBytesWritten, 16 * 32 * 2);
  EXPECT_DOUBLE_EQ(report.hbmUtilization,
                   (report.hbmBytesRead + report.hbmBytesWritten) /
                       (report.cycles * 1500.0));
  EXPECT_DOUBLE_EQ(report.seconds, report.cycles * 1e-9);
  int64_t last = 0;
  for (const sim::CommandTiming &command : report.commands)
    last = std::max(last, command.end);
  EXPECT_EQ(report.cycles, last);
}

TEST(Report, TimingOnlyGivesTheSameCycles) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  config::Program gemm = makeGemm({2, 2, 8, 16, 64}, machine, false);
  llvm::Expected<sim::Result> full =
      sim::run(gemm, machine,
               {integerBf16({16, 64}, 4, 1), integerBf16({32, 64}, 4, 2)});
  ASSERT_TRUE(static_cast<bool>(full)) << llvm::toString(full.takeError());
  sim::Report timing = reportOf(gemm);
  full->report.wallSeconds = timing.wallSeconds = 0;
  full->report.macsPerSecond = timing.macsPerSecond = 0;
  EXPECT_EQ(toJSON(full->report), toJSON(timing));
}

TEST(Report, Json) {
  sim::Report report =
      reportOf(makeProgram({load(0, 4096, 512), copyPass(16, 4096, 8192)}));
  llvm::json::Value value = toJSON(report);
  const llvm::json::Object &object = *value.getAsObject();
  for (const char *key :
       {"target", "chips", "cycles", "seconds", "macs", "peak_macs_per_cycle",
        "mac_utilization", "hbm_bytes_read", "hbm_bytes_written",
        "hbm_utilization", "commands", "sim"})
    EXPECT_NE(object.get(key), nullptr) << key;
  EXPECT_EQ(object.getInteger("cycles"), 519);
  const llvm::json::Object &command =
      *(*object.getArray("commands"))[1].getAsObject();
  for (const char *key : {"id", "name", "context", "start", "end", "stages"})
    EXPECT_NE(command.get(key), nullptr) << key;
  EXPECT_EQ(command.getObject("stages")->getInteger("commit"), 16);
  EXPECT_NE(object.getObject("sim")->get("wall_seconds"), nullptr);
  EXPECT_NE(object.getObject("sim")->get("macs_per_second"), nullptr);
}

static llvm::json::Value chromeTraceOf(const sim::Report &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  sim::writeChromeTrace(os, report);
  return llvm::cantFail(llvm::json::parse(text));
}

TEST(Report, ChromeTraceNestsStages) {
  sim::Report report =
      reportOf(makeProgram({load(0, 4096, 512), copyPass(16, 4096, 8192)}));
  llvm::json::Value value = chromeTraceOf(report);
  const llvm::json::Array &events =
      *value.getAsObject()->getArray("traceEvents");
  int slices = 0, stages = 0, waits = 0;
  std::vector<std::string> names;
  int64_t outerEnd = 0, outerTrack = -1;
  for (const llvm::json::Value &event : events) {
    const llvm::json::Object &object = *event.getAsObject();
    if (object.getString("ph") == "M") {
      names.push_back(object.getObject("args")->getString("name")->str());
      continue;
    }
    int64_t end = *object.getInteger("ts") + *object.getInteger("dur");
    if (object.getString("cat") == "stage") {
      ++stages;
      EXPECT_EQ(object.getInteger("tid"), outerTrack);
      EXPECT_LE(end, outerEnd);
    } else if (object.getString("cat") == "wait") {
      ++waits;
      EXPECT_EQ(object.getString("name"),
                "wait: RAW on dm[4096, 4608) by 'c0'");
      EXPECT_EQ(object.getInteger("ts"), 0);
      EXPECT_EQ(end, 503);
    } else {
      ++slices;
      outerEnd = end;
      outerTrack = *object.getInteger("tid");
    }
  }
  EXPECT_THAT(names, ::testing::ElementsAre("chip 0", "main", "sub", "dma"));
  EXPECT_EQ(slices, 2);
  EXPECT_EQ(waits, 1);
  EXPECT_EQ(stages, 3 + 3); // engines, dm, hbm; fetch, collect, commit
}

TEST(Report, ChromeTraceHasAProcessPerChip) {
  config::Program program =
      makeProgram({load(0, 4096, 256), load(0, 4096, 256)});
  program.chips = 2;
  auto &across = std::get<config::DmaCommand>(program.commands[1].body);
  across.descriptors[0].destinationChip = 1;
  llvm::json::Value value = chromeTraceOf(reportOf(program));
  std::vector<std::pair<std::string, int64_t>> seen;
  for (const llvm::json::Value &event :
       *value.getAsObject()->getArray("traceEvents")) {
    const llvm::json::Object &object = *event.getAsObject();
    if (object.getString("cat") == "dma")
      seen.push_back(
          {object.getString("name")->str(), *object.getInteger("pid")});
  }
  // The move between chips occupies the engines of both.
  EXPECT_THAT(seen,
              ::testing::ElementsAre(std::pair("c0", 0), std::pair("c1", 0),
                                     std::pair("c1", 1)));
}
