//===- RoutingJsonTest.cpp - Traffic between slices as JSON ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Config/Config.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::config;
using ::testing::HasSubstr;

static Command makeCommand() {
  ExecCommand exec;
  exec.sliceMask.assign(8, ~uint64_t(0));
  SwitchStage stage;
  stage.routing.ringSize = 256;
  stage.routing.routers = {{255, {0, 0, 0, uint64_t(1) << 63}, 0},
                           {1, {0x9abcdef012345678}, 7}};
  stage.routing.packets = {{2, 4}, {2, 1}};
  stage.groupSlices = 16;
  stage.groupPackets = 4;
  stage.writesBitmaps = true;
  exec.switching = std::move(stage);
  InterSliceStage reduce;
  reduce.opcode = InterSliceOpcode::Mul;
  reduce.type = ElementType::F32;
  reduce.routing.ringSize = 2;
  reduce.routing.routers = {{2, {3}, 0}};
  reduce.routing.period = 2;
  reduce.routing.periodPackets = 8;
  reduce.routing.packets = {{8, 1}};
  exec.vector.emplace().interSlice = std::move(reduce);
  exec.vector->opsAfter.emplace_back();
  exec.sink = CommitStage{};
  Command command;
  command.name = "pass";
  command.body = std::move(exec);
  return command;
}

TEST(RoutingJson, ReadsWhatItWrites) {
  llvm::json::Value json = toJSON(makeCommand());
  llvm::Expected<Command> read = commandFromJSON(json);
  ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(toJSON(*read), json);
  const auto &exec = std::get<ExecCommand>(read->body);
  const Routing &routing = exec.switching->routing;
  EXPECT_EQ(routing.routers[0].sources,
            (std::vector<uint64_t>{0, 0, 0, uint64_t(1) << 63}));
  EXPECT_EQ(routing.routers[1].firstPacket, 7);
  EXPECT_EQ(routing.packets[0].stride, 4);
  EXPECT_TRUE(exec.switching->writesBitmaps);
  EXPECT_EQ(exec.vector->interSlice->opcode, InterSliceOpcode::Mul);
  EXPECT_EQ(exec.vector->interSlice->routing.period, 2);
  EXPECT_EQ(exec.vector->interSlice->routing.periodPackets, 8);
  EXPECT_EQ(routing.period, 0);
  EXPECT_EQ(exec.vector->opsAfter.size(), 1u);
}

TEST(RoutingJson, BitmapsAreShortText) {
  llvm::json::Value json = toJSON(makeCommand());
  const llvm::json::Array &routers =
      *json.getAsObject()->getObject("switch")->getArray("routers");
  EXPECT_EQ(routers[0].getAsObject()->getString("sources"),
            "8" + std::string(63, '0'));
  EXPECT_EQ(routers[1].getAsObject()->getString("sources"), "9abcdef012345678");
  // What is usual is left out.
  EXPECT_FALSE(routers[0].getAsObject()->get("first_packet"));
}

TEST(RoutingJson, NamesWhatIsWrong) {
  auto error = [](auto &&change) {
    llvm::json::Value json = toJSON(makeCommand());
    change(*json.getAsObject());
    llvm::Expected<Command> read = commandFromJSON(json);
    return read ? "no error" : llvm::toString(read.takeError());
  };
  auto router = [](llvm::json::Object &command) -> llvm::json::Object & {
    return *(*command.getObject("switch")->getArray("routers"))[0]
                .getAsObject();
  };
  EXPECT_THAT(error([&](auto &c) { router(c)["sources"] = "0x1"; }),
              HasSubstr("switch.routers[0].sources: found '0x1', expected "
                        "hexadecimal digits"));
  EXPECT_THAT(error([&](auto &c) { router(c)["sources"] = ""; }),
              HasSubstr("expected hexadecimal digits"));
  EXPECT_THAT(error([&](auto &c) { router(c).erase("slices"); }),
              HasSubstr("key 'slices' is missing"));
  EXPECT_THAT(error([](auto &c) { (*c.getObject("switch"))["slice1"] = 4; }),
              HasSubstr("unknown key 'slice1'"));
  EXPECT_THAT(error([](auto &c) {
                (*c.getObject("vector")->getObject("inter_slice"))["opcode"] =
                    "xor";
              }),
              HasSubstr("found 'xor', allowed are add, add_sat, max, min, "
                        "mul"));
}
