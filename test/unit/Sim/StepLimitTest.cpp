//===- StepLimitTest.cpp - The bound on the work of a run -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With data everything that moves counts; without, what is walked through
// nevertheless: requests of the DMA engines, elements of outputs that several
// transfers write, and reads of the register file beside a load.

#include "DmaProgram.h"
#include "sequin/Config/Config.h"

using namespace sequin;
using namespace sequin::testing;
using config::Memory;
using ::testing::HasSubstr;
using enum ElementType;

static std::string errorWithin(const config::Program &program, bool timingOnly,
                               int64_t maxSteps) {
  sim::Options options;
  options.timingOnly = timingOnly;
  options.maxSteps = maxSteps;
  llvm::Expected<sim::Result> result =
      sim::run(program, *lookupTcpMachine("rngd"), {}, options);
  return result ? "no error" : llvm::toString(result.takeError());
}

/// Of all DMA commands.
static int64_t requestsOf(const config::Program &program) {
  int64_t requests = 0;
  for (const config::Command &command : program.commands)
    if (const auto *dma = std::get_if<config::DmaCommand>(&command.body))
      for (const config::DmaDescriptor &descriptor : dma->descriptors) {
        int64_t packets = 1;
        for (const auto &entry : descriptor.entries)
          packets *= entry.size;
        requests += packets * llvm::divideCeil(descriptor.packetBytes, 256);
      }
  return requests;
}

TEST(StepLimit, TimingCountsRequestsAlone) {
  config::Program program =
      makeGemm({2, 4, 16, 64, 256}, *lookupTcpMachine("rngd"), false);
  int64_t requests = requestsOf(program);
  // Two rows per packet of 512 bytes.
  EXPECT_EQ(requests, 8 * (64 + 16) * 2 + 8 * 16);
  EXPECT_EQ(errorWithin(program, true, requests), "no error");
  EXPECT_THAT(errorWithin(program, true, requests - 1),
              HasSubstr("trap: command 'store_c' stage 'program': the program "
                        "takes more than " +
                        std::to_string(requests - 1) + " steps"));
  // The first transfer alone has more elements.
  EXPECT_THAT(errorWithin(program, false, requests),
              HasSubstr("trap: command 'in_a' stage 'program': the program "
                        "takes more than " +
                        std::to_string(requests) + " steps"));
}

// 2^36 packets of a contraction, 2^45 steps with data: the time is a formula.
TEST(StepLimit, TimingOfLongPasses) {
  SliceProgram program;
  program.input(arrayOf(BF16, std::vector<int>(64, 1)), 0);
  config::ExecCommand load = makeExec({0, {{32, 1}}, 1}, BF16, BF16, 8);
  load.context = config::Context::Sub;
  load.sink = config::ToTrfStage{config::TrfAddress::FirstHalf, 1, 64};
  program.exec(load, "load");
  config::ExecCommand exec = makeExec({0, {{32, 1}}, 1}, BF16, BF16, 32);
  config::ContractStage &contract = exec.contract.emplace();
  contract.trfAddress = config::TrfAddress::FirstHalf;
  contract.rows = 1;
  contract.timeBroadcast = int64_t(1) << 36;
  contract.trf.entries = {{65536, 0}, {65536, 0}, {16, 0}};
  contract.loops = {{int64_t(1) << 36, 0, true}};
  exec.sink = config::CommitStage{F32, {4096, {{8, 1}}, 1}, 32, 32};
  program.exec(exec, "contract");
  program.output(F32, 8, 4096);
  llvm::Expected<sim::Result> result =
      program.run({.timingOnly = true, .maxSteps = 1000});
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_GT(result->report.cycles, int64_t(1) << 36);
  EXPECT_THAT(program.error(), HasSubstr("the program takes more than"));

  // A load that starts when the contraction runs replays it up to there: here
  // for as long as a DMA command takes, whose data it waits for.
  program.program.commands.pop_back();
  program.program.commands.pop_back();
  program.program.outputs.clear();
  program.input(arrayOf(BF16, std::vector<int>(32, 1)), 8192);
  load.sink = config::ToTrfStage{config::TrfAddress::SecondHalf, 1, 64};
  load.fetch.sequencer.baseAddress = 8192;
  program.exec(load, "beside");
  EXPECT_EQ(errorWithin(program.program, true, 600), "no error");
  EXPECT_THAT(errorWithin(program.program, true, 400),
              HasSubstr("trap: command 'contract' stage 'program': the program "
                        "takes more than 400 steps"));
}

// Two transfers bring back halves of an output; that they are two halves is
// looked up element by element.
TEST(StepLimit, OutputsInParts) {
  config::Program program;
  program.target = "rngd";
  program.outputs = {{"out", I32, {1000}}};
  for (int64_t part : {0, 1}) {
    program.commands.push_back(denseTransfer("out" + std::to_string(part),
                                             false, 0, I32, 500, part * 2000));
    std::get<config::Transfer>(program.commands.back().body).hostBase =
        part * 500;
  }
  EXPECT_EQ(errorWithin(program, true, 1000), "no error");
  EXPECT_THAT(
      errorWithin(program, true, 999),
      HasSubstr("argument 'out' has 1000 elements in several transfers, "
                "more than the steps of this run"));
  program.outputs[0].shape = {500};
  program.commands.pop_back();
  EXPECT_EQ(errorWithin(program, true, 1), "no error");
}

// What a loop makes beyond the commands that are written counts.
TEST(StepLimit, CommandsOfLoops) {
  config::Program program;
  program.target = "rngd";
  config::GenerateCommand generate;
  generate.sliceMask = firstSlices(1);
  config::LoopCommand loop;
  loop.count = 1000;
  loop.body = {{"one", "", generate}, {"two", "", generate}};
  program.commands = {{"loop", "", loop}};
  int64_t steps = 1998 * sim::kStepsOfCommand;
  EXPECT_EQ(errorWithin(program, true, steps), "no error");
  for (bool timingOnly : {false, true})
    EXPECT_THAT(errorWithin(program, timingOnly, steps - 1),
                HasSubstr("the program takes more than 2045951 steps"));
  // Too many to be counted.
  loop.count = INT64_MAX;
  program.commands = {{"loop", "", loop}};
  EXPECT_THAT(errorWithin(program, true, INT64_MAX),
              HasSubstr("the program takes more than"));
}

// Names of rounds are names of commands.
TEST(StepLimit, NamesOfRounds) {
  config::Program program;
  program.target = "rngd";
  config::GenerateCommand generate;
  generate.sliceMask = firstSlices(1);
  program.commands = {
      {"loop", "", config::LoopCommand{4, {{"a", "", generate}}}},
      {"a[4]", "", generate},
      {"b[x]", "", generate}};
  EXPECT_EQ(errorWithin(program, true, INT64_MAX), "no error");
  program.commands[1].name = "a[3]";
  EXPECT_THAT(errorWithin(program, true, INT64_MAX),
              HasSubstr("two commands are called 'a[3]'"));
  // Rounds of two commands, in two loops and in one.
  config::Command inner{"loop", "",
                        config::LoopCommand{2, {{"a", "", generate}}}};
  program.commands = {
      {"outer", "", config::LoopCommand{2, {inner}}},
      {"other", "", config::LoopCommand{5, {{"a[1]", "", generate}}}}};
  EXPECT_THAT(errorWithin(program, true, INT64_MAX),
              HasSubstr("two commands are called 'a[1]'"));
}
