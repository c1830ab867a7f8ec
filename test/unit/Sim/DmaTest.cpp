//===- DmaTest.cpp - DMA engines and host transfers ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DmaProgram.h"

using namespace sequin;
using namespace sequin::testing;
using config::DmaCommand;
using config::DmaDescriptor;
using config::Memory;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using enum ElementType;

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

TEST(Dma, PermutesDimensionsInHbm) {
  SEQUIN_ROW("DMA-04");
  config::Program program = oneDma(
      Memory::Hbm, Memory::Hbm,
      {descriptor(1024, 2048, {{8, 8, 96}, {3, 64, 32}, {4, 192, 8}}, 8)});
  program.inputs = {{"in", I8, {768}}};
  program.outputs = {{"out", I8, {768}}};
  program.commands.insert(program.commands.begin(),
                          denseTransfer("in", true, 0, I8, 768, 1024));
  program.commands.push_back(denseTransfer("out", false, 0, I8, 768, 2048));
  std::vector<int> data(768);
  for (int i = 0; i < 768; ++i)
    data[i] = i % 251 - 125;
  llvm::Expected<sim::Result> result =
      sim::run(program, *lookupTcpMachine("rngd"), {arrayOf(I8, data)});
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  std::vector<int> expected(768);
  for (int n = 0; n < 4; ++n)
    for (int c = 0; c < 3; ++c)
      for (int h = 0; h < 8; ++h)
        for (int w = 0; w < 8; ++w)
          expected[h * 96 + c * 32 + n * 8 + w] =
              data[n * 192 + c * 64 + h * 8 + w];
  EXPECT_THAT(intsOf(result->outputs[0]), ElementsAreArray(expected));
  EXPECT_EQ(result->report.hbmBytesRead, 768);
  EXPECT_EQ(result->report.hbmBytesWritten, 768);
}

// A tensor that only exists in some slices: scattered, copied inside DM to
// other slices, gathered; everything else reads as poison.
TEST(Dma, MovesBetweenSlices) {
  config::Program program = oneDma(
      Memory::Hbm, Memory::Dm,
      {descriptor(0, 300 * kSlice + 64, {{4, 16, kSlice}, {2, 8, 8}}, 8)});
  program.inputs = {{"in", I8, {64}}};
  program.outputs = {{"out", I8, {80}}};
  program.commands.insert(program.commands.begin(),
                          denseTransfer("in", true, 0, I8, 64, 0));
  // Slice by slice in reverse order.
  program.commands.push_back(
      {"copy", "",
       DmaCommand{
           Memory::Dm,
           Memory::Dm,
           {descriptor(303 * kSlice + 64, 512, {{4, -kSlice, kSlice}}, 16)}}});
  program.commands.push_back(
      {"gather", "",
       DmaCommand{Memory::Dm,
                  Memory::Hbm,
                  {descriptor(512, 4096, {{5, kSlice, 16}}, 16)}}});
  program.commands.push_back(denseTransfer("out", false, 0, I8, 80, 4096));
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  llvm::Expected<sim::Result> result =
      sim::run(program, machine, {arrayOf(I8, iota(64))});
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  std::vector<int> expected;
  for (int slice : {3, 2, 1, 0})
    for (int i = 0; i < 16; ++i)
      expected.push_back(slice * 16 + i);
  expected.resize(80, static_cast<int8_t>(machine.poisonByte));
  EXPECT_THAT(intsOf(result->outputs[0]), ElementsAreArray(expected));
}

TEST(Dma, BroadcastsToSlices) {
  SEQUIN_ROW("ERR-3");
  config::Program program = oneDma(Memory::Hbm, Memory::Dm,
                                   {descriptor(0, 0, {{256, 0, kSlice}}, 8)});
  program.inputs = {{"in", I8, {8}}};
  program.outputs = {{"out", I8, {16}}};
  program.commands.insert(program.commands.begin(),
                          denseTransfer("in", true, 0, I8, 8, 0));
  program.commands.push_back(
      {"gather", "",
       DmaCommand{Memory::Dm,
                  Memory::Hbm,
                  {descriptor(17 * kSlice, 4096, {{2, 200 * kSlice, 8}}, 8)}}});
  program.commands.push_back(denseTransfer("out", false, 0, I8, 16, 4096));
  llvm::Expected<sim::Result> result =
      sim::run(program, *lookupTcpMachine("rngd"), {arrayOf(I8, iota(8, 1))});
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_THAT(
      intsOf(result->outputs[0]),
      ElementsAreArray({1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Transfer, HostLayoutAndZeroPadding) {
  // A 3 x 5 array as rows of 8 with zeros behind.
  config::Program program;
  program.target = "rngd";
  program.inputs = {{"in", BF16, {3, 5}}};
  program.outputs = {{"out", BF16, {24}}};
  config::Command in = denseTransfer("in", true, 0, BF16, 15, 256);
  auto &transfer = std::get<config::Transfer>(in.body);
  transfer.entries = {{3, 5, 8}, {5, 1, 1}};
  transfer.zeroAddress = 256;
  transfer.zeroBytes = 48;
  program.commands = {in, denseTransfer("out", false, 0, BF16, 24, 256)};
  sim::HostArray array = arrayOf(BF16, iota(15, 1));
  array.shape = {3, 5};
  llvm::Expected<sim::Result> result =
      sim::run(program, *lookupTcpMachine("rngd"), {array});
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_THAT(
      floatsOf(result->outputs[0]),
      ElementsAreArray({1.0f,  2.0f,  3.0f,  4.0f,  5.0f,  0.0f, 0.0f, 0.0f,
                        6.0f,  7.0f,  8.0f,  9.0f,  10.0f, 0.0f, 0.0f, 0.0f,
                        11.0f, 12.0f, 13.0f, 14.0f, 15.0f, 0.0f, 0.0f, 0.0f}));
  EXPECT_EQ(result->report.cycles, 0);
}

TEST(Transfer, FourBitElementsArePackedInHbm) {
  SEQUIN_ROW("SIL-26");
  config::Program program;
  program.target = "rngd";
  program.inputs = {{"in", I4, {5}}};
  program.outputs = {{"bytes", I8, {3}}, {"back", I4, {5}}};
  program.commands = {denseTransfer("in", true, 0, I4, 5, 16),
                      denseTransfer("bytes", false, 0, I8, 3, 16),
                      denseTransfer("back", false, 1, I4, 5, 16)};
  llvm::Expected<sim::Result> result =
      sim::run(program, *lookupTcpMachine("rngd"),
               {arrayOf(I4, std::vector<int>{1, -1, 7, -8, 3})});
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  // The upper half of the last byte keeps its poison.
  EXPECT_THAT(result->outputs[0].data, ElementsAreArray({0xf1, 0x87, 0xf3}));
  EXPECT_THAT(intsOf(result->outputs[1]), ElementsAreArray({1, -1, 7, -8, 3}));
}

TEST(Transfer, ConstantsComeWithTheProgram) {
  // A list, and one value of four bits everywhere.
  config::Program program;
  program.target = "rngd";
  program.constants = {{"list", I16, {2, 2}, {1, 0, 0xfe, 0xff, 3, 0, 4, 0}},
                       {"same", I4, {6}, {0xfd}}};
  program.outputs = {{"out", I16, {4}}, {"nibbles", I4, {6}}};
  config::Command list = denseTransfer("list", true, 0, I16, 4, 64);
  config::Command same = denseTransfer("same", true, 1, I4, 6, 128);
  std::get<config::Transfer>(list.body).constant = true;
  std::get<config::Transfer>(same.body).constant = true;
  program.commands = {list, same, denseTransfer("out", false, 0, I16, 4, 64),
                      denseTransfer("nibbles", false, 1, I4, 6, 128)};
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  llvm::Expected<sim::Result> result = sim::run(program, machine, {});
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_THAT(intsOf(result->outputs[0]), ElementsAreArray({1, -2, 3, 4}));
  EXPECT_THAT(intsOf(result->outputs[1]),
              ElementsAreArray({-3, -3, -3, -3, -3, -3}));

  auto errorOf = [&](auto change) {
    config::Program wrong = program;
    change(wrong);
    llvm::Expected<sim::Result> result = sim::run(wrong, machine, {});
    return result ? "no error" : llvm::toString(result.takeError());
  };
  using P = config::Program;
  auto transfer = [](P &p, int i) -> config::Transfer & {
    return std::get<config::Transfer>(p.commands[i].body);
  };
  EXPECT_THAT(errorOf([](P &p) { p.constants[0].data.pop_back(); }),
              HasSubstr("argument 'list' has 7 bytes of data, expected 8, or "
                        "one element of 2"));
  EXPECT_THAT(errorOf([](P &p) { p.constants[1].data.clear(); }),
              HasSubstr("argument 'same' has 0 bytes of data, expected 6, or "
                        "one element of 1"));
  EXPECT_THAT(errorOf([](P &p) { p.constants[0].shape = {-2, 2}; }),
              HasSubstr("elements of the argument is out of range"));
  EXPECT_THAT(errorOf([&](P &p) { transfer(p, 0).argument = 2; }),
              HasSubstr("constant is 2, allowed are 0 to 1"));
  EXPECT_THAT(errorOf([&](P &p) { transfer(p, 0).hostBase = 1; }),
              HasSubstr("the host array 'list' has 4 elements, the entries "
                        "leave them"));
  EXPECT_THAT(errorOf([&](P &p) { transfer(p, 2).constant = true; }),
              HasSubstr("brings a constant back to the host"));
}

TEST(Transfer, Refusals) {
  auto errorOf = [](auto change) {
    config::Program program;
    program.target = "rngd";
    program.inputs = {{"in", I8, {8}}};
    program.outputs = {{"out", I8, {8}}};
    program.commands = {denseTransfer("in", true, 0, I8, 8, 0),
                        denseTransfer("out", false, 0, I8, 8, 0)};
    change(program, std::get<config::Transfer>(program.commands[0].body),
           std::get<config::Transfer>(program.commands[1].body));
    llvm::Expected<sim::Result> result =
        sim::run(program, *lookupTcpMachine("rngd"), {arrayOf(I8, iota(8))});
    return result ? "no error" : llvm::toString(result.takeError());
  };
  using P = config::Program;
  using T = config::Transfer;
  EXPECT_EQ(errorOf([](P &, T &, T &) {}), "no error");
  EXPECT_THAT(errorOf([](P &, T &in, T &) { in.argument = 1; }),
              HasSubstr("input is 1, allowed are 0 to 0"));
  EXPECT_THAT(errorOf([](P &, T &in, T &) { in.type = I16; }),
              HasSubstr("type is i16, argument 'in' has i8"));
  EXPECT_THAT(errorOf([](P &, T &in, T &) { in.entries = {{9, 1, 1}}; }),
              HasSubstr("the host array 'in' has 8 elements, the entries "
                        "leave them"));
  EXPECT_THAT(errorOf([](P &, T &in, T &) { in.entries = {{0, 1, 1}}; }),
              HasSubstr("size of an entry is 0, it must be positive"));
  EXPECT_THAT(errorOf([](P &, T &in, T &) {
                in.deviceAddress = (int64_t(48) << 30) - 7;
              }),
              HasSubstr("of the HBM of a chip are accessed"));
  EXPECT_THAT(errorOf([](P &, T &in, T &) { in.deviceAddress = -1; }),
              HasSubstr("of the HBM of a chip are accessed"));
  EXPECT_THAT(errorOf([](P &, T &in, T &) { in.zeroBytes = -1; }),
              HasSubstr("number of bytes to zero is -1"));
  EXPECT_THAT(errorOf([](P &, T &, T &out) { out.entries = {{7, 1, 1}}; }),
              HasSubstr("argument 'out' has 8 elements, the transfers bring "
                        "back 7"));
  EXPECT_THAT(errorOf([](P &p, T &, T &) { p.commands[1].name = "in"; }),
              HasSubstr("two commands are called 'in'"));
  EXPECT_THAT(errorOf([](P &p, T &, T &) { p.target = "rngd-s"; }),
              HasSubstr("target is 'rngd-s', the machine is 'rngd'"));
  EXPECT_THAT(errorOf([](P &p, T &, T &) { p.chips = 9; }),
              HasSubstr("number of chips is 9, allowed are 1 to 8"));
  EXPECT_THAT(errorOf([](P &p, T &, T &) { p.inputs[0].shape = {-8}; }),
              HasSubstr("out of range"));
}

TEST(Transfer, InputsAreChecked) {
  config::Program program;
  program.target = "rngd";
  program.inputs = {{"in", I8, {2, 4}}};
  program.commands = {denseTransfer("in", true, 0, I8, 8, 0)};
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  auto errorOf = [&](std::vector<sim::HostArray> inputs) {
    llvm::Expected<sim::Result> result = sim::run(program, machine, inputs);
    return result ? "no error" : llvm::toString(result.takeError());
  };
  sim::HostArray good = arrayOf(I8, iota(8));
  good.shape = {2, 4};
  EXPECT_EQ(errorOf({good}), "no error");
  EXPECT_EQ(errorOf({}), "the program takes 1 inputs, found 0");
  EXPECT_EQ(errorOf({arrayOf(I8, iota(8))}),
            "input 'in' has shape [2, 4], found [8]");
  sim::HostArray type = good;
  type.type = F8E4M3;
  EXPECT_EQ(errorOf({type}), "input 'in' is i8, found f8e4m3");
  sim::HostArray bytes = good;
  bytes.data.pop_back();
  EXPECT_EQ(errorOf({bytes}), "input 'in' has 8 bytes, found 7");
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

TEST(Dma, Alignment) {
  SEQUIN_ROW("DMA-03");
  auto hbmToDm = [](DmaDescriptor d) {
    return errorOf(oneDma(Memory::Hbm, Memory::Dm, {d}));
  };
  auto dmToHbm = [](DmaDescriptor d) {
    return errorOf(oneDma(Memory::Dm, Memory::Hbm, {d}));
  };
  EXPECT_EQ(hbmToDm(descriptor(8, 8, {{2, 8, 8}}, 8)), "no error");
  EXPECT_THAT(hbmToDm(descriptor(4, 8, {}, 8)),
              HasSubstr("source address is 4, it must be a multiple of 8"));
  EXPECT_THAT(hbmToDm(descriptor(8, 4, {}, 8)),
              HasSubstr("destination address is 4, it must be a multiple of "
                        "8"));
  SEQUIN_ROW("ERR-2");
  EXPECT_THAT(hbmToDm(descriptor(8, 8, {}, 2)),
              HasSubstr("packet size is 2, it must be a multiple of 8"));
  EXPECT_THAT(hbmToDm(descriptor(8, 8, {{2, 12, 8}}, 8)),
              HasSubstr("source stride is 12"));
  // A stride that is never taken may be anything.
  EXPECT_EQ(hbmToDm(descriptor(8, 8, {{1, 12, 3}}, 8)), "no error");
  EXPECT_EQ(dmToHbm(descriptor(3, 5, {{2, 1, 1}}, 1)), "no error");
  EXPECT_EQ(errorOf(oneDma(Memory::Hbm, Memory::Hbm,
                           {descriptor(3, 5, {{2, 1, 1}}, 1)})),
            "no error");
  EXPECT_THAT(
      errorOf(oneDma(Memory::Dm, Memory::Dm, {descriptor(3, 5, {}, 8)})),
      HasSubstr("destination address is 5"));
  EXPECT_EQ(errorOf(oneDma(Memory::Dm, Memory::Dm, {descriptor(3, 16, {}, 8)})),
            "no error");
}

TEST(Dma, PacketLimit) {
  SEQUIN_ROW("DMA-08");
  EXPECT_EQ(errorOf(oneDma(Memory::Hbm, Memory::Hbm,
                           {descriptor(0, 1 << 20, {}, 4096)})),
            "no error");
  EXPECT_THAT(errorOf(oneDma(Memory::Hbm, Memory::Hbm,
                             {descriptor(0, 1 << 20, {}, 4097)})),
              HasSubstr("packet size is 4097, allowed are 1 to 4096"));
  EXPECT_THAT(errorOf(oneDma(Memory::Hbm, Memory::Hbm,
                             {descriptor(0, 1 << 20, {}, 0)})),
              HasSubstr("packet size is 0"));
}

TEST(Dma, Ranges) {
  auto toDm = [](int64_t address,
                 llvm::SmallVector<DmaDescriptor::Entry, 8> entries) {
    return errorOf(oneDma(Memory::Hbm, Memory::Dm,
                          {descriptor(0, address, std::move(entries), 8)}));
  };
  EXPECT_EQ(toDm(511 * kSlice + (512 << 10) - 8, {}), "no error");
  EXPECT_THAT(toDm(511 * kSlice + (512 << 10), {}),
              HasSubstr("bytes 524288 to 524295 of the DM of a slice"));
  EXPECT_THAT(toDm(512 * kSlice, {}),
              HasSubstr("leave the slices of the chip, allowed are slices 0 "
                        "to 511"));
  EXPECT_THAT(toDm(0, {{513, 0, kSlice}}), HasSubstr("leave the slices"));
  EXPECT_THAT(toDm(0, {{2, 0, -kSlice}}), HasSubstr("leave the slices"));
  EXPECT_THAT(toDm(kSlice, {{2, 0, -8}}),
              HasSubstr("bytes -8 to 7 of the DM of a slice"));
  EXPECT_EQ(toDm(kSlice + 8, {{2, 0, -8 - kSlice}}), "no error");
  EXPECT_THAT(toDm(-8, {}), HasSubstr("it must not be negative"));
  EXPECT_THAT(toDm(0, {{65536, 0, INT64_MAX / 8 * 8}}),
              HasSubstr("leave the slices"));
  EXPECT_THAT(errorOf(oneDma(Memory::Hbm, Memory::Dm,
                             {descriptor(int64_t(48) << 30, 0, {}, 8)})),
              HasSubstr("of the HBM of a chip are accessed, allowed are 0 to "
                        "51539607551"));
  EXPECT_THAT(errorOf(oneDma(Memory::Hbm, Memory::Dm, {})),
              HasSubstr("the command has no descriptor"));
  DmaDescriptor engine = descriptor(0, 0, {}, 8);
  engine.engine = 8;
  EXPECT_THAT(errorOf(oneDma(Memory::Hbm, Memory::Dm, {engine})),
              HasSubstr("engine is 8, allowed are 0 to 7"));
}
