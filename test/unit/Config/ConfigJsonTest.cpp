//===- ConfigJsonTest.cpp - Configurations as JSON -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Config/Config.h"
#include "sequin/Support/JsonText.h"
#include "llvm/Support/FormatVariadic.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::config;
using ::testing::HasSubstr;

/// A program in which every field has a value of its own.
static Program everything() {
  Program program;
  program.target = "rngd";
  program.chips = 2;
  program.name = "all";
  program.inputs = {{"a", ElementType::BF16, {2, 3}},
                    {"b", ElementType::F8E4M3, {}}};
  program.outputs = {{"c", ElementType::I4, {7}}};
  program.constants = {{"d", ElementType::I8, {2, 2}, {0, 127, 128, 255}},
                       {"e", ElementType::BF16, {9}, {0x80, 0x3f}}};
  program.macs = int64_t(1) << 40;
  program.macType = ElementType::I8;

  Transfer transfer;
  transfer.direction = Transfer::Direction::ToHost;
  transfer.argument = 1;
  transfer.constant = true;
  transfer.chip = 1;
  transfer.type = ElementType::F16;
  transfer.hostBase = 3;
  transfer.deviceAddress = int64_t(40) << 30;
  transfer.entries = {{2, 3, 4}, {5, -6, 7}};
  transfer.zeroAddress = 8;
  transfer.zeroBytes = 9;
  program.commands.push_back({"t", "a.mlir:1:2", transfer});

  DmaDescriptor descriptor;
  descriptor.engine = 7;
  descriptor.sourceChip = 1;
  descriptor.destinationChip = 0;
  descriptor.sourceAddress = 10;
  descriptor.destinationAddress = 11;
  descriptor.entries = {{12, -13, 14}};
  descriptor.packetBytes = 15;
  descriptor.indirection.emplace();
  descriptor.indirection->side = DmaIndirection::Side::Destination;
  descriptor.indirection->chip = 1;
  descriptor.indirection->address = 16;
  descriptor.indirection->strides = {17};
  descriptor.indirection->step = 18;
  descriptor.indirection->count = 19;
  program.commands.push_back(
      {"d", "", DmaCommand{Memory::Spm, Memory::Hbm, {descriptor, {}}}});

  ExecCommand exec;
  exec.context = Context::Sub;
  exec.occupiesDma = true;
  exec.chip = 1;
  exec.sliceMask = {1, 0, 0, 0x8000000000000000, 0xfedcba9876543210, 5, 6, 7};
  exec.fetch.sequencer = {100, {{2, -3}, {4, 1}}, 1};
  exec.fetch.from = ElementType::I4;
  exec.fetch.to = ElementType::I32;
  exec.fetch.packetElements = 4;
  exec.fetch.accessBytes = 2;
  exec.fetch.mask = FetchMask{1, 2, {3, 0}, 0, -1};
  exec.fetch.table = FetchTable{ElementType::BF16, {5, 6, 7}};
  exec.fetch.zeroPoints = {-8, 9};
  exec.fetch.fetchesPerPacket = 2;
  exec.fetch.dualChannel = true;
  exec.collect = {16, 2};
  ContractStage contract;
  contract.type = ElementType::F8E5M2;
  contract.collectFlits = 1;
  contract.timeBroadcast = 3;
  contract.trfAddress = TrfAddress::SecondHalf;
  contract.trf = {64, {{5, 6}}, 0};
  contract.regReadBytes = 32;
  contract.rows = 4;
  contract.depth = 2;
  contract.columns = 5;
  contract.kind = AccumulationKind::Sequential;
  contract.loops = {{2, 0, true}, {3, 1, false}};
  exec.contract = contract;
  VectorOp constant, vrf, none;
  constant.opcode = VectorOpcode::FpMul1;
  constant.operand.kind = VectorOperand::Kind::Constant;
  constant.operand.constant = 0xffffffff;
  constant.mode = ArgMode::M10;
  vrf.opcode = VectorOpcode::ClipAddFxpSat;
  vrf.operand.kind = VectorOperand::Kind::Vrf;
  vrf.operand.vrf = {4, {{8, 1}}, 1};
  none.opcode = VectorOpcode::FxpToFp;
  none.intWidth = 13;
  VectorOp fused, filter;
  fused.opcode = VectorOpcode::FpFma;
  fused.operand.kind = VectorOperand::Kind::Stash;
  fused.operand1.kind = VectorOperand::Kind::Register;
  fused.mode = ArgMode::M120;
  fused.ids = 0x8001;
  fused.writeIds = 6;
  fused.groups = 2;
  filter.opcode = VectorOpcode::Filter;
  filter.zip = true;
  filter.elements = 24;
  exec.vector =
      VectorStage{ElementType::F32, {constant, vrf, none, fused, filter}};
  exec.vector->unzip = true;
  exec.vector->branch.mode = BranchMode::Vrf;
  exec.vector->branch.toggle = {{3, -1}, {8, 0}};
  exec.vector->branch.comparisons = {{InputCompare::Never, 0},
                                     {InputCompare::GreaterEqual, 7}};
  exec.vector->branch.vrf = {12, {{16, 1}}, 1};
  exec.vector->branch.logAddress = 0;
  exec.cast = CastStage{ElementType::I32, ElementType::I8};
  exec.sink = CommitStage{ElementType::I8, {8, {{1, 2}}, 1}, 24, 8};
  program.commands.push_back({"e", "", exec});
  exec.contract.reset();
  exec.vector.reset();
  exec.cast.reset();
  exec.fetch.mask->countDim.reset();
  exec.fetch.table.reset();
  exec.fetch.zeroPoints.clear();
  exec.fetch.dualChannel = false;
  exec.sink = ToTrfStage{TrfAddress::FirstHalf, 2, 96};
  program.commands.push_back({"f", "", exec});
  exec.sink = ToVrfStage{16, 40};
  program.commands.push_back({"g", "", exec});
  return program;
}

static std::string textOf(const llvm::json::Value &value) {
  return llvm::formatv("{0:2}", value);
}

static std::string errorOf(llvm::StringRef text) {
  llvm::Expected<Program> program = fromJSONText(text);
  return program ? "no error" : llvm::toString(program.takeError());
}

/// The error after `change` has worked on the program's JSON.
static std::string
errorAfter(llvm::function_ref<void(llvm::json::Object &)> change) {
  llvm::json::Value value = toJSON(everything());
  change(*value.getAsObject());
  return errorOf(textOf(value));
}

static llvm::json::Object &command(llvm::json::Object &program, size_t index) {
  return *(*program.getArray("commands"))[index].getAsObject();
}

TEST(ConfigJson, NestingIsLimited) {
  auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  const char *const message = "arrays and objects nest more than 64 deep";
  EXPECT_NE(errorOf(nested(kMaxNesting)), message);
  EXPECT_EQ(errorOf(nested(kMaxNesting + 1)), message);
  EXPECT_EQ(errorOf(std::string(1000000, '[')), message);
  EXPECT_EQ(errorOf("{\"a\": " + nested(kMaxNesting) + "}"), message);
  // Brackets in strings do not nest, whatever is escaped there.
  std::string inString = R"({"a\"[": ")" + std::string(100, '[') + R"(\\"})";
  EXPECT_EQ(errorOf(inString), "key 'version' is missing");
}

TEST(ConfigJson, RoundTrip) {
  llvm::json::Value value = toJSON(everything());
  llvm::Expected<Program> program = fromJSONText(textOf(value));
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  EXPECT_EQ(toJSON(*program), value);
  // Not only the same text: the values arrived.
  const auto &exec = std::get<ExecCommand>(program->commands[2].body);
  EXPECT_EQ(exec.sliceMask[3], 0x8000000000000000);
  EXPECT_EQ(exec.sliceMask[4], 0xfedcba9876543210);
  EXPECT_EQ(exec.contract->loops[1].slotStride, 1);
  EXPECT_TRUE(exec.contract->loops[0].reduced);
  EXPECT_EQ(exec.vector->ops[0].operand.constant, 0xffffffffu);
  EXPECT_EQ(exec.vector->ops[1].operand.vrf.entries[0].size, 8);
  EXPECT_EQ(exec.fetch.sequencer.entries[0].stride, -3);
  EXPECT_EQ(exec.fetch.mask->validCounts[0], 3);
  EXPECT_EQ(exec.fetch.mask->countDim, 0);
  EXPECT_EQ(exec.fetch.table->values[2], 7);
  EXPECT_EQ(exec.fetch.zeroPoints[0], -8);
  EXPECT_TRUE(exec.fetch.dualChannel);
  EXPECT_EQ(std::get<Transfer>(program->commands[0].body).entries[1].hostStride,
            -6);
  EXPECT_EQ(program->commands[0].location, "a.mlir:1:2");
  EXPECT_EQ(program->macs, int64_t(1) << 40);
}

TEST(ConfigJson, DataOfConstants) {
  llvm::json::Value value = toJSON(everything());
  const llvm::json::Array &constants =
      *value.getAsObject()->getArray("constants");
  EXPECT_EQ(constants[0].getAsObject()->getString("data"), "AH+A/w==");
  llvm::Expected<Program> program = fromJSONText(textOf(value));
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  EXPECT_THAT(program->constants[0].data,
              ::testing::ElementsAre(0, 127, 128, 255));
  EXPECT_THAT(program->constants[1].data, ::testing::ElementsAre(0x80, 0x3f));
  EXPECT_TRUE(std::get<Transfer>(program->commands[0].body).constant);

  auto errorOfData = [](llvm::StringRef data) {
    return errorAfter([&](llvm::json::Object &o) {
      (*(*o.getArray("constants"))[1].getAsObject())["data"] = data;
    });
  };
  EXPECT_THAT(errorOfData("AAA"), HasSubstr("constants[1].data: "));
  EXPECT_THAT(errorOfData("AA*A"), HasSubstr("constants[1].data: "));
  EXPECT_EQ(errorOfData(""), "no error"); // the simulator counts
}

TEST(ConfigJson, SlicesAreOneStringPerCluster) {
  llvm::json::Value value = toJSON(everything());
  const llvm::json::Array &slices =
      *command(*value.getAsObject(), 2).getArray("slices");
  ASSERT_EQ(slices.size(), 2u);
  // The highest slice's digit first.
  EXPECT_EQ(slices[0].getAsString(),
            "8000000000000000000000000000000000000000000000000000000000000001");
}

TEST(ConfigJson, EveryOpcodeIsReadBack) {
  for (VectorOpcode opcode : {
#define SEQUIN_VECTOR_OPCODE(NAME, TEXT, STAGE, ALU, TYPE) VectorOpcode::NAME,
#include "sequin/Config/VectorOpcodes.def"
       }) {
    Program program = everything();
    std::get<ExecCommand>(program.commands[2].body).vector->ops[0].opcode =
        opcode;
    llvm::Expected<Program> again = fromJSON(toJSON(program));
    ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
    EXPECT_EQ(
        std::get<ExecCommand>(again->commands[2].body).vector->ops[0].opcode,
        opcode);
  }
}

TEST(ConfigJson, CommandsAlone) {
  for (const Command &command : everything().commands) {
    llvm::json::Value value = toJSON(command);
    llvm::Expected<Command> again = commandFromJSON(value);
    ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
    EXPECT_EQ(toJSON(*again), value);
  }
  llvm::Expected<Command> empty = commandFromJSON(llvm::json::Object{});
  ASSERT_FALSE(static_cast<bool>(empty));
  EXPECT_EQ(llvm::toString(empty.takeError()), "key 'name' is missing");
}

TEST(ConfigJson, TruncatedText) {
  std::string text = textOf(toJSON(everything()));
  for (size_t size : {size_t(0), size_t(1), text.size() / 3, text.size() / 2,
                      text.size() - 1})
    EXPECT_THAT(errorOf(llvm::StringRef(text).take_front(size)),
                HasSubstr("not valid JSON"));
}

TEST(ConfigJson, Version) {
  EXPECT_THAT(errorAfter([](llvm::json::Object &o) { o["version"] = 2; }),
              HasSubstr("version: found 2, allowed is 1"));
  EXPECT_THAT(errorAfter([](llvm::json::Object &o) { o.erase("version"); }),
              HasSubstr("key 'version' is missing"));
  // Of a newer file nothing else is complained about.
  EXPECT_THAT(errorAfter([](llvm::json::Object &o) {
                o["version"] = 2;
                o.erase("target");
              }),
              HasSubstr("version: found 2"));
}

TEST(ConfigJson, UnknownKeys) {
  EXPECT_EQ(errorAfter([](llvm::json::Object &o) { o["targets"] = "x"; }),
            "unknown key 'targets', allowed are version, target, chips, name, "
            "inputs, outputs, constants, macs, mac_type, commands");
  EXPECT_THAT(errorAfter([](llvm::json::Object &o) {
                (*command(o, 2).getObject("fetch"))["stride"] = 1;
              }),
              HasSubstr("commands[2].fetch: unknown key 'stride', allowed are "
                        "sequencer, from, to, packet_elements, access_bytes, "
                        "mask, table, zero_points, fetches_per_packet, "
                        "dual_channel"));
  EXPECT_THAT(errorAfter([](llvm::json::Object &o) {
                command(o, 0)["packet_bytes"] = 1;
              }),
              HasSubstr("commands[0]: unknown key 'packet_bytes'"));
}

TEST(ConfigJson, MissingKeys) {
  EXPECT_EQ(errorAfter([](llvm::json::Object &o) {
              command(o, 2).getObject("fetch")->erase("access_bytes");
            }),
            "commands[2].fetch: key 'access_bytes' is missing");
  EXPECT_EQ(
      errorAfter([](llvm::json::Object &o) { command(o, 2).erase("slices"); }),
      "commands[2]: key 'slices' is missing");
}

TEST(ConfigJson, WrongTypes) {
  struct Case {
    std::function<void(llvm::json::Object &)> change;
    const char *message;
  };
  for (const Case &test : std::vector<Case>{
           {[](auto &o) { o["chips"] = "2"; },
            "chips: expected an integer, found a string"},
           {[](auto &o) { o["chips"] = 1.5; },
            "chips: expected an integer, found a number"},
           {[](auto &o) { o["commands"] = llvm::json::Object{}; },
            "commands: expected an array, found an object"},
           {[](auto &o) { (*o.getArray("commands"))[1] = nullptr; },
            "commands[1]: expected an object, found null"},
           {[](auto &o) { o["mac_type"] = "bf17"; },
            "mac_type: found 'bf17', allowed are i4, i5, i8"},
           {[](auto &o) { command(o, 0)["kind"] = "copy"; },
            "commands[0].kind: found 'copy', allowed are transfer, dma, exec"},
           {[](auto &o) { command(o, 1)["source"] = "sram"; },
            "commands[1].source: found 'sram', allowed are hbm, dm, spm"},
           {[](auto &o) {
              (*command(o, 0).getArray("entries"))[1] = llvm::json::Array{1, 2};
            },
            "commands[0].entries[1]: found an array of 2, expected 3 "
            "integers"},
           {[](auto &o) {
              (*(*command(o, 0).getArray("entries"))[1].getAsArray())[2] = "x";
            },
            "commands[0].entries[1][2]: expected an integer, found a string"},
           {[](auto &o) { command(o, 2)["slices"] = "ff"; },
            "commands[2].slices: expected an array, found a string"},
           {[](auto &o) { command(o, 2)["slices"] = llvm::json::Array{"ff"}; },
            "commands[2].slices: found a string of 2 digits, expected a "
            "multiple of 16"},
           {[](auto &o) {
              command(o, 2)["slices"] = llvm::json::Array{"000000000000000g"};
            },
            "expected hexadecimal digits"},
           {[](auto &o) { command(o, 2)["to_vrf"] = llvm::json::Object{}; },
            "a command has one of 'commit', 'to_trf' and 'to_vrf'"},
           {[](auto &o) {
              llvm::json::Object &op =
                  *(*command(o, 2).getObject("vector")->getArray("ops"))[0]
                       .getAsObject();
              op["operand"] =
                  llvm::json::Object{{"constant", int64_t(1) << 32}};
            },
            "commands[2].vector.ops[0].operand.constant: 4294967296 does not "
            "fit into 32 bits"},
           {[](auto &o) {
              llvm::json::Object &op =
                  *(*command(o, 2).getObject("vector")->getArray("ops"))[0]
                       .getAsObject();
              (*op.getObject("operand"))["vrf"] = llvm::json::Object{};
            },
            "an operand is one of 'constant', 'vrf' and 'source'"},
       })
    EXPECT_THAT(errorAfter(test.change), HasSubstr(test.message));
  EXPECT_EQ(errorOf("[]"), "expected an object, found an array");
}

TEST(ConfigJson, SameInputSameText) {
  EXPECT_EQ(textOf(toJSON(everything())), textOf(toJSON(everything())));
}
