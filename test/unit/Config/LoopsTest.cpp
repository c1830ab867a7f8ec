//===- LoopsTest.cpp - Loops of commands ----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Config/UnrolledProgram.h"
#include "gtest/gtest.h"

using namespace sequin;
using namespace sequin::config;

namespace {

constexpr int64_t kMany = int64_t(1) << 20;

Command exec(std::string name, int64_t fetch, int64_t commit) {
  ExecCommand body;
  body.fetch.sequencer.baseAddress = fetch;
  CommitStage sink;
  sink.sequencer.baseAddress = commit;
  body.sink = sink;
  Command command;
  command.name = std::move(name);
  command.body = std::move(body);
  return command;
}

Command dma(std::string name, int64_t source, int64_t destination) {
  DmaCommand body;
  body.descriptors.resize(2);
  for (DmaDescriptor &descriptor : body.descriptors) {
    descriptor.sourceAddress = source;
    descriptor.destinationAddress = destination++;
  }
  Command command;
  command.name = std::move(name);
  command.body = std::move(body);
  return command;
}

Command loop(int64_t count, std::vector<Command> body) {
  Command command;
  command.name = "for";
  command.body = LoopCommand{count, std::move(body)};
  return command;
}

std::vector<std::string> flat(std::vector<Command> commands) {
  Program program;
  program.commands = std::move(commands);
  auto result = UnrolledProgram::get(program);
  if (!result)
    return {"error: " + llvm::toString(result.takeError())};
  std::vector<std::string> lines;
  for (int64_t i = 0; i < result->size(); ++i) {
    Command made, command = result->getCommand(i, made);
    EXPECT_TRUE(command.steps.empty());
    EXPECT_EQ(command.name, result->getName(i));
    std::string line = command.name;
    forEachAddress(command, [&](const std::string &, int64_t &address) {
      line += " " + std::to_string(address);
    });
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Loops, NestedLoopsAdvanceAddresses) {
  Command inner = exec("pass", 100, 1000);
  inner.steps = {{"fetch.sequencer", 0, 10}, {"commit.sequencer", 1, 1}};
  EXPECT_EQ(
      flat({loop(2, {dma("load", 5, 7), loop(3, {inner})})}),
      (Lines{"load[0] 5 7 5 8", "pass[0][0] 100 1000", "pass[0][1] 100 1001",
             "pass[0][2] 100 1002", "load[1] 5 7 5 8", "pass[1][0] 110 1000",
             "pass[1][1] 110 1001", "pass[1][2] 110 1002"}));
}

TEST(Loops, ZeroRoundsAndEmptyBodies) {
  EXPECT_EQ(flat({loop(0, {exec("a", 0, 0)}), exec("b", 1, 2)}),
            (Lines{"b 1 2"}));
  EXPECT_EQ(flat({loop(kMany, {})}), Lines{});
}

// Loops that make no command run none, however often.
TEST(Loops, RoundsWithoutCommands) {
  Command nothing = loop(kMany, {loop(kMany, {loop(kMany, {loop(0, {})})})});
  EXPECT_EQ(flat({nothing, exec("b", 1, 2), nothing}), (Lines{"b 1 2"}));
  std::vector<Command> round(20, nothing);
  round[7] = exec("a", 0, 0);
  EXPECT_EQ(flat({loop(2, round)}), (Lines{"a[0] 0 0", "a[1] 0 0"}));
}

// No round is walked to find a command.
TEST(Loops, ManyRounds) {
  Command inner = exec("pass", 100, 1000);
  inner.steps = {{"fetch.sequencer", 0, -8}, {"fetch.sequencer", 1, 1}};
  Program program;
  program.commands = {exec("a", 1, 2), loop(kMany, {loop(kMany, {inner})}),
                      exec("b", 3, 4)};
  auto result = UnrolledProgram::get(program);
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->size(), kMany * kMany + 2);
  Command made;
  const Command &last = result->getCommand(kMany * kMany, made);
  EXPECT_EQ(last.name, "pass[1048575][1048575]");
  EXPECT_EQ(std::get<ExecCommand>(last.body).fetch.sequencer.baseAddress,
            100 - 7 * (kMany - 1));
  EXPECT_EQ(&result->getWritten(kMany * kMany),
            &std::get<LoopCommand>(
                 std::get<LoopCommand>(program.commands[1].body).body[0].body)
                 .body[0]);
  EXPECT_EQ(result->getName(kMany * kMany + 1), "b");
  // More than anybody can count.
  program.commands = {loop(INT64_MAX, {loop(INT64_MAX, {exec("a", 0, 0)})})};
  result = UnrolledProgram::get(program);
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->size(), int64_t(1) << 62);
}

TEST(Loops, Refusals) {
  auto refused = [](Command command) {
    Lines lines = flat({std::move(command)});
    return lines.size() == 1 ? lines.front() : "accepted";
  };
  Command step = exec("pass", 0, 0);
  step.steps = {{"fetch.sequencer", 1, 8}};
  EXPECT_EQ(refused(loop(2, {step})),
            "error: command 'pass' has a step of loop 1, loops 0 to 0 are "
            "around it");
  EXPECT_EQ(refused(step),
            "error: command 'pass' has a step of loop 1, no loop is around it");
  step.steps = {{"descriptors[0].source_address", 0, 8}};
  EXPECT_EQ(
      refused(loop(2, {step})),
      "error: command 'pass' has a step of 'descriptors[0].source_address"
      "', which is no address of it; its addresses are 'fetch.sequencer', "
      "'commit.sequencer'");
  Command many = dma("load", 0, 0);
  std::get<DmaCommand>(many.body).descriptors.resize(5);
  many.steps = {{"address", 0, 8}};
  EXPECT_EQ(
      refused(loop(2, {many})),
      "error: command 'load' has a step of 'address', which is no address "
      "of it; its addresses are 'descriptors[0].source_address', "
      "'descriptors[0].destination_address', "
      "'descriptors[1].source_address', "
      "'descriptors[1].destination_address', "
      "'descriptors[2].source_address', "
      "'descriptors[2].destination_address', "
      "'descriptors[3].source_address', "
      "'descriptors[3].destination_address', ...");
  step.steps = {{"fetch.sequencer", 0, 8}, {"fetch.sequencer", 0, 8}};
  EXPECT_EQ(refused(loop(2, {step})),
            "error: command 'pass' has two steps of 'fetch.sequencer' of loop "
            "0, allowed is one");
  // Of two loops, each has its own.
  step.steps = {{"fetch.sequencer", 0, 8}, {"fetch.sequencer", 1, 1}};
  EXPECT_EQ(flat({loop(2, {loop(2, {step})})}),
            (Lines{"pass[0][0] 0 0", "pass[0][1] 1 0", "pass[1][0] 8 0",
                   "pass[1][1] 9 0"}));
  step.steps = {{"fetch.sequencer", 0, INT64_MAX}};
  EXPECT_EQ(refused(loop(3, {step})),
            "error: command 'pass' steps 'fetch.sequencer' past 2^63");
  EXPECT_EQ(refused(loop(-1, {step})),
            "error: command 'for' runs -1 times, allowed are 0 to 2^63 - 1");
  Command stepped = loop(2, {exec("pass", 0, 0)});
  stepped.steps = {{"fetch.sequencer", 0, 8}};
  EXPECT_EQ(refused(stepped),
            "error: command 'for' is a loop and has steps, which belong to the "
            "commands inside");
}

TEST(Loops, JsonKeepsLoops) {
  Program program;
  program.target = "rngd";
  Command inner = exec("pass", 100, 1000);
  inner.steps = {{"fetch.sequencer", 1, 10}};
  program.commands = {loop(2, {loop(3, {inner})})};
  llvm::json::Value value = toJSON(program);
  auto again = fromJSON(value);
  ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(toJSON(*again), value);
  EXPECT_EQ(flat(again->commands), flat(program.commands));
}

} // namespace
