//===- ProgramTest.cpp - Programs and mappings as tools use them ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the command lines and the Python package do not show by themselves: the
// classes of errors, messages with their places, and use by several threads.
//
//===----------------------------------------------------------------------===//

#include "sequin/Api/Program.h"
#include "sequin/Api/MappingQuery.h"
#include "gtest/gtest.h"
#include <thread>

using namespace sequin;
using namespace sequin::api;

namespace {

constexpr char kTranspose[] = R"(
func.func @main(%a: tensor<4x8xi8>) -> tensor<8x4xi8> {
  %empty = tensor.empty() : tensor<8x4xi8>
  %t = linalg.transpose ins(%a : tensor<4x8xi8>)
      outs(%empty : tensor<8x4xi8>) permutation = [1, 0]
  return %t : tensor<8x4xi8>
}
)";

CompileOptions fromText(std::string text) {
  CompileOptions options;
  options.path = "text";
  options.text = std::move(text);
  options.target = "rngd";
  return options;
}

/// The refusal, with its kind checked.
std::vector<Message> refusalOf(llvm::Error error, Refusal::Kind kind) {
  std::vector<Message> messages;
  llvm::handleAllErrors(std::move(error), [&](const Refusal &refusal) {
    EXPECT_EQ(refusal.getKind(), kind);
    messages = refusal.getMessages();
  });
  EXPECT_FALSE(messages.empty());
  if (messages.empty())
    messages.emplace_back();
  return messages;
}

NpyArray bytes(int64_t rows, int64_t columns) {
  NpyArray array{"i1", {rows, columns}, {}};
  for (int64_t i = 0; i < rows * columns; ++i)
    array.data.push_back(static_cast<uint8_t>(i));
  return array;
}

TEST(Program, RunsManyTimes) {
  auto program = Program::compile(fromText(kTranspose));
  ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
  EXPECT_EQ((*program)->describeInputs().substr(0, 9), "1 input (");
  for (int round = 0; round < 2; ++round) {
    auto input = (*program)->toInput(0, bytes(4, 8), "a");
    ASSERT_TRUE(bool(input)) << llvm::toString(input.takeError());
    RunOptions options;
    options.verify = true;
    auto result = (*program)->run(*input, options);
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    NpyArray output = (*program)->toOutput(0, result->outputs[0], false);
    EXPECT_EQ(output.dtype, "i1");
    EXPECT_EQ(output.shape, (llvm::SmallVector<int64_t, 4>{8, 4}));
    EXPECT_EQ(output.data[1], 8);
    EXPECT_FALSE(result->verified.empty());
  }
}

TEST(Program, RefusalsHaveTheirPlace) {
  auto program = Program::compile(fromText("module {\n  what\n}"));
  ASSERT_FALSE(bool(program));
  std::vector<Message> messages =
      refusalOf(program.takeError(), Refusal::Kind::Program);
  EXPECT_EQ(messages[0].file, "text");
  EXPECT_EQ(messages[0].line, 2);
  EXPECT_GT(messages[0].column, 0);
  EXPECT_EQ(getName(messages[0].severity), "error");
}

TEST(Program, InputsAreRefusedByName) {
  auto program = Program::compile(fromText(kTranspose));
  ASSERT_TRUE(bool(program));
  auto input = (*program)->toInput(0, bytes(8, 4), "b");
  ASSERT_FALSE(bool(input));
  std::vector<Message> messages =
      refusalOf(input.takeError(), Refusal::Kind::Input);
  EXPECT_EQ(messages[0].text.substr(0, 22), "'b': shape is [8, 4], ");
  EXPECT_EQ(messages[0].line, 0);
}

TEST(Program, WithoutTheGivenProgramItStillRuns) {
  CompileOptions options = fromText(kTranspose);
  options.keepGiven = false;
  auto program = Program::compile(options);
  ASSERT_TRUE(bool(program));
  RunOptions runOptions;
  runOptions.timingOnly = true;
  auto result = (*program)->run({}, runOptions);
  ASSERT_TRUE(bool(result));
  EXPECT_FALSE(result->report.commands.empty());
  EXPECT_TRUE(result->outputs.empty());
}

TEST(Program, ConfigurationsAreReadAsTextToo) {
  auto program = Program::compile(fromText(kTranspose));
  ASSERT_TRUE(bool(program));
  CompileOptions options = fromText((*program)->json());
  auto lowered = Program::compile(options);
  ASSERT_TRUE(bool(lowered)) << llvm::toString(lowered.takeError());
  EXPECT_EQ((*lowered)->json(), (*program)->json());
  refusalOf((*lowered)->checkVerifiable(), Refusal::Kind::Input);
  auto tcp = (*lowered)->mlir(Level::Tcp);
  ASSERT_FALSE(bool(tcp));
  refusalOf(tcp.takeError(), Refusal::Kind::Input);

  options.target = "rngd-s";
  auto other = Program::compile(options);
  ASSERT_FALSE(bool(other));
  EXPECT_EQ(refusalOf(other.takeError(), Refusal::Kind::Program)[0].text,
            "the program is for machine 'rngd', --target is 'rngd-s'");
}

TEST(Program, SeveralThreadsAtATime) {
  auto shared = Program::compile(fromText(kTranspose));
  ASSERT_TRUE(bool(shared));
  std::vector<std::thread> threads;
  std::vector<uint8_t> right(4, 0);
  for (uint8_t &mine : right)
    threads.emplace_back([&] {
      auto own = Program::compile(fromText(kTranspose));
      for (const Program *program : {own->get(), shared->get()}) {
        auto input = program->toInput(0, bytes(4, 8), "a");
        RunOptions options;
        options.verify = true;
        auto result = program->run(*input, options);
        mine += result && result->outputs[0].data[1] == 8 &&
                bool(program->mlir(Level::Tcp));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, std::vector<uint8_t>(4, 2));
}

TEST(MappingQuery, DifferencesInWords) {
  AxisSizes axes = llvm::cantFail(parseAxes("A=6,B=4", {}));
  Mapping left = llvm::cantFail(Mapping::parse("A, B", axes));
  Mapping right = llvm::cantFail(Mapping::parse("B, A", axes));
  EXPECT_EQ(llvm::cantFail(findDifference(left, left)), std::nullopt);
  auto position = llvm::cantFail(findDifference(left, right));
  ASSERT_EQ(position, 1);
  EXPECT_EQ(describeDifference(left, right, *position),
            "position 1 holds {B: 1} in 'A, B' (size 24) and {A: 1} in 'B, A' "
            "(size 24)");
}

TEST(MappingQuery, ErrorsNameTheFlag) {
  EXPECT_EQ(llvm::toString(parseAxes("A=0", {}).takeError()).substr(0, 11),
            "in --axes: ");
  EXPECT_EQ(llvm::toString(parseAxes("A=2", {"t="}).takeError()).substr(0, 12),
            "in --table: ");
  AxisSizes axes = llvm::cantFail(parseAxes("A=6", {}));
  DeriveRequest request;
  request.buffer = "B";
  EXPECT_EQ(llvm::toString(derive(request, axes).takeError()).substr(0, 13),
            "in --buffer: ");
}

} // namespace
