//===- TrfTest.cpp - The tensor register file -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionProgram.h"
#include "sequin/Sim/TrfLayout.h"
#include <set>

using namespace sequin;
using namespace sequin::testing;
using config::Loop;
using config::TrfAddress;
using sim::TrfLayout;
using sim::TrfLocation;
using ::testing::HasSubstr;
using enum ElementType;

namespace {

const TcpMachine &rngd() { return *lookupTcpMachine("rngd"); }

/// Loads one half, then contracts it `steps` times while the other half is
/// loaded. `entries` walk the first half.
struct DoubleBuffer {
  int64_t regReadBytes = 64;
  llvm::SmallVector<Loop, 8> entries;
  TrfAddress second = TrfAddress::SecondHalf;
  sim::Report report{};

  static constexpr int64_t kSteps = 4096, kBytesPerRow = 1024;

  void run() {
    SliceProgram program;
    constexpr int64_t kData = 1 << 17, kOut = 1 << 18;
    program.input(arrayOf(BF16, iota(32)), 0);
    program.input(arrayOf(BF16, iota(8 * kBytesPerRow / 2)), kData);
    auto load = [&](TrfAddress address) {
      config::ExecCommand exec = makeExec(
          {kData, {{8 * kBytesPerRow / 32, 16}, {16, 1}}, 1}, BF16, BF16, 8);
      exec.context = config::Context::Sub;
      exec.sink = config::ToTrfStage{address, 8, kBytesPerRow};
      return exec;
    };
    program.exec(load(TrfAddress::FirstHalf), "first");
    config::ExecCommand exec =
        makeExec({0, {{2, 16}, {16, 1}}, 1}, BF16, BF16, 32);
    config::ContractStage &stage = exec.contract.emplace();
    stage.trfAddress = TrfAddress::FirstHalf;
    stage.timeBroadcast = kSteps;
    stage.trf.entries = entries;
    stage.regReadBytes = regReadBytes;
    stage.loops = {{kSteps, 0, true}};
    exec.sink = config::CommitStage{F32, {kOut, {{1, 8}, {8, 1}}, 1}, 32, 32};
    program.exec(exec, "contract");
    program.exec(load(second), "second");
    program.output(F32, 8, kOut);
    program.outputs();
    report = program.report;
  }

  const sim::CommandTiming &at(llvm::StringRef name) const {
    for (const sim::CommandTiming &timing : report.commands)
      if (timing.name == name)
        return timing;
    return report.commands.front();
  }
  int64_t counter(llvm::StringRef command, llvm::StringRef name) const {
    for (const auto &[key, count] : at(command).counters)
      if (key == name)
        return count;
    return 0;
  }
};

} // namespace

TEST(Trf, FieldsOfTheIndex) {
  SEQUIN_ROW("TRF-05");
  TrfLayout full(rngd(), TrfAddress::Full, 8);
  EXPECT_EQ(full.rowBits(), 3u);
  EXPECT_EQ(full.rowInBankBits(), 7u);
  EXPECT_EQ(full.columnBits(), 1u);
  EXPECT_EQ(full.slotBits(), 6u);
  EXPECT_EQ(full.bytesPerRow() * 8, 64 << 10);
  TrfLayout half(rngd(), TrfAddress::FirstHalf, 8);
  EXPECT_EQ(half.rowInBankBits(), 6u);
  EXPECT_EQ(half.bytesPerRow(), full.bytesPerRow() / 2);
  // bf16: 16 elements per cell, the next one in the other column.
  EXPECT_EQ(full.index(BF16, 0, 1), 4);
  EXPECT_EQ(full.index(BF16, 0, 16), 1 << 6);
  EXPECT_EQ(full.index(BF16, 0, 32), 1 << 7);
  EXPECT_EQ(full.index(BF16, 1, 0), 1 << 14);
  EXPECT_EQ(full.index(BF16, 7, 4095), (1 << 17) - 4);
  EXPECT_EQ(half.index(BF16, 1, 0), 1 << 13);
  // 128 rows of a bank, 64 of a half, from row 64 on in the second.
  EXPECT_EQ(full.locate(BF16, 7, 4095), (TrfLocation{7, 127, 1, 60}));
  EXPECT_EQ(half.locate(BF16, 7, 2047), (TrfLocation{7, 63, 1, 60}));
  TrfLayout second(rngd(), TrfAddress::SecondHalf, 8);
  EXPECT_EQ(second.locate(BF16, 2, 0), (TrfLocation{2, 64, 0, 0}));
  EXPECT_EQ(second.locate(BF16, 2, 2047), (TrfLocation{2, 127, 1, 60}));
}

TEST(Trf, EveryElementHasAPlaceOfItsOwn) {
  for (ElementType type : {I4, I5, I8, I9, F8E4M3, F8E5M2, BF16})
    for (TrfAddress address :
         {TrfAddress::FirstHalf, TrfAddress::SecondHalf, TrfAddress::Full}) {
      TrfLayout layout(rngd(), address, 8);
      int64_t elements = layout.bytesPerRow() * 8 / getBitWidth(type);
      std::set<int64_t> indices, places;
      for (int64_t row = 0; row < 8; ++row)
        for (int64_t e = 0; e < elements; ++e) {
          indices.insert(layout.index(type, row, e));
          TrfLocation at = layout.locate(type, row, e);
          ASSERT_EQ(at.bank, row);
          ASSERT_LT(at.rowInBank, 128);
          ASSERT_LE(at.slot + rngd().trfSlots(type), 64);
          places.insert(((at.bank * 128 + at.rowInBank) * 2 + at.column) * 64 +
                        at.slot);
        }
      EXPECT_EQ(static_cast<int64_t>(indices.size()), 8 * elements);
      EXPECT_EQ(static_cast<int64_t>(places.size()), 8 * elements);
      EXPECT_LT(*indices.rbegin(),
                address == TrfAddress::Full ? 1 << 17 : 1 << 16);
    }
  SEQUIN_ROW("TRF-05");
}

// A row of a bank is 320 bits: 64, 32, 32 or 16 elements.
TEST(Trf, RegTypes) {
  SEQUIN_ROW("TRF-06");
  SEQUIN_ROW("ERR-59");
  TrfLayout layout(rngd(), TrfAddress::Full, 8);
  auto perCell = [&](ElementType type) {
    int64_t count = 0;
    while (layout.locate(type, 0, count).column == 0)
      ++count;
    return count;
  };
  auto row = [&](ElementType type) {
    int64_t slots = rngd().trfSlots(type);
    EXPECT_EQ(perCell(type) * slots * 5, 320);
    return std::tuple(rngd().regType(type), slots * 5, perCell(type));
  };
  using Row = std::tuple<int64_t, int64_t, int64_t>;
  EXPECT_EQ(row(I4), Row(0, 5, 64));
  EXPECT_EQ(row(I5), Row(0, 5, 64));
  EXPECT_EQ(row(I8), Row(1, 10, 32));
  EXPECT_EQ(row(I9), Row(1, 10, 32));
  EXPECT_EQ(row(F8E4M3), Row(2, 10, 32));
  EXPECT_EQ(row(F8E5M2), Row(2, 10, 32));
  EXPECT_EQ(row(BF16), Row(3, 20, 16));
  for (ElementType type : {I16, I32, F16, F32})
    EXPECT_EQ(rngd().regType(type), -1);
}

// With fewer rows than banks, bits move from the row to the row in bank; RNGD
// does not do this (ERR-14), and 8 KB per row stay the limit.
TEST(Trf, RowsExtendTheirBanks) {
  SEQUIN_ROW("TRF-07");
  SEQUIN_ROW("ERR-14");
  TcpMachine machine = rngd();
  EXPECT_EQ(TrfLayout(machine, TrfAddress::Full, 4).rowInBankBits(), 7u);
  EXPECT_EQ(TrfLayout(machine, TrfAddress::Full, 4).bytesPerRow(), 8192);
  machine.trfRowsExtend = true;
  for (auto [rows, bits] : {std::pair{8, 7u}, {4, 8u}, {2, 9u}, {1, 10u}}) {
    TrfLayout layout(machine, TrfAddress::Full, rows);
    EXPECT_EQ(layout.rowInBankBits(), bits);
    EXPECT_EQ(layout.rowBits() + bits, 10u);
    EXPECT_EQ(layout.bytesPerRow() * rows, 64 << 10);
    EXPECT_EQ(layout.index(BF16, 1, 0), int64_t(1) << (bits + 7));
  }
  EXPECT_EQ(TrfLayout(machine, TrfAddress::Full, 4).locate(BF16, 1, 4096),
            (TrfLocation{3, 0, 0, 0}));

  // 12 KB per row: refused as RNGD is, and the right numbers where it goes.
  Contraction c;
  c.flits = 2 * 192;
  c.bytesPerRow = 12288;
  c.stage.rows = 4;
  c.stage.trf.entries = {{192, 32}};
  c.stage.loops = {{192, 0, true}};
  EXPECT_THAT(c.error(), HasSubstr("number of bytes per row is 12288, allowed "
                                   "are 32 to 8192"));
  SliceProgram program = c.build();
  llvm::Expected<sim::Result> result =
      sim::run(program.program, machine, program.inputs);
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(floatsOf(result->outputs[0]), c.expected<float>());
}

TEST(Trf, ReadSizes) {
  SEQUIN_ROW("TRF-02");
  for (int64_t bytes : {1, 2, 4, 8, 16, 32, 64}) {
    Contraction c;
    c.type = I8;
    c.flits = 8;
    c.bytesPerRow = 64 * 4;
    c.stage.depth = 6;
    c.stage.regReadBytes = bytes;
    c.stage.trf.entries = {{4, bytes}};
    c.stage.loops = {{4, 0, false}};
    c.check();
  }
  for (int64_t bytes : {0, 3, 24, 48, 128}) {
    Contraction c;
    c.type = I8;
    c.stage.depth = 6;
    c.stage.regReadBytes = bytes;
    c.stage.trf.entries = {{1, 0}};
    c.stage.loops = {{1, 0, false}};
    EXPECT_THAT(c.error(),
                HasSubstr("TRF read size is " + std::to_string(bytes)));
  }
}

TEST(Trf, SequencerLimits) {
  SEQUIN_ROW("TRF-09");
  auto errorOf = [](llvm::SmallVector<Loop, 8> entries) {
    Contraction c;
    int64_t steps = 1;
    for (const Loop &entry : entries)
      steps *= entry.size;
    c.bytesPerRow = 512;
    c.stage.timeBroadcast = steps;
    c.stage.trf.entries = entries;
    c.stage.loops = {{steps, 0, true}};
    return c.error();
  };
  using Loops = llvm::SmallVector<Loop, 8>;
  EXPECT_EQ(errorOf(Loops(7, {2, 0})), "no error");
  EXPECT_EQ(errorOf(Loops(8, {2, 0})), "no error");
  EXPECT_THAT(errorOf(Loops(9, {2, 0})), HasSubstr("9"));
  EXPECT_EQ(errorOf({{65535, 0}}), "no error");
  EXPECT_EQ(errorOf({{65536, 0}}), "no error");
  EXPECT_THAT(errorOf({{65537, 0}}), HasSubstr("65537"));
  // Strides are signed.
  Contraction c;
  c.flits = 8;
  c.bytesPerRow = 256;
  c.stage.trf.baseAddress = 192;
  c.stage.trf.entries = {{4, -32}};
  c.stage.loops = {{4, 0, false}};
  c.check();
  c.stage.trf.baseAddress = 128;
  EXPECT_THAT(c.error(), HasSubstr("the row's part of the TRF"));
}

// The cache: four cells per column and row, direct mapped.
TEST(Trf, Cache) {
  SEQUIN_ROW("TRF-10");
  EXPECT_EQ(rngd().rowsPerSlice * rngd().trfCacheDepth * rngd().trfBankColumns *
                rngd().trfCellBytes,
            2048);
  auto reads = [](int64_t bytes, llvm::SmallVector<Loop, 8> entries) {
    Contraction c;
    c.bytesPerRow = 1024;
    int64_t steps = 1;
    for (const Loop &entry : entries)
      steps *= entry.size;
    c.stage.timeBroadcast = steps;
    c.stage.regReadBytes = bytes;
    c.stage.trf.entries = entries;
    c.stage.loops = {{steps, 0, true}};
    SliceProgram program = c.build();
    program.outputs();
    std::pair<int64_t, int64_t> result;
    for (const sim::CommandTiming &timing : program.report.commands)
      for (const auto &[name, count] : timing.counters) {
        if (name == "trf_cache_misses")
          result.first = count;
        if (name == "trf_cache_hits")
          result.second = count;
      }
    return result;
  };
  using Reads = std::pair<int64_t, int64_t>; // misses, hits
  // One place: missed once in each column.
  EXPECT_EQ(reads(64, {{100, 0}}), Reads(2, 198));
  EXPECT_EQ(reads(32, {{100, 0}}), Reads(1, 99));
  // Four places fit, five share the first set: it always holds the other one.
  EXPECT_EQ(reads(64, {{10, 0}, {4, 32}}), Reads(8, 72));
  EXPECT_EQ(reads(64, {{10, 0}, {5, 32}}), Reads(10 + 9 * 4, 9 * 6));
  EXPECT_EQ(reads(64, {{10, 0}, {8, 32}}), Reads(160, 0));
  // Repeated in place, nothing is lost.
  EXPECT_EQ(reads(64, {{8, 32}, {10, 0}}), Reads(16, 144));
  // Reads of 32 bytes in one column, and alternating.
  EXPECT_EQ(reads(32, {{10, 0}, {8, 32}}), Reads(80, 0));
  EXPECT_EQ(reads(32, {{10, 0}, {8, 16}}), Reads(8, 72));
  // Small reads stay in a cell.
  EXPECT_EQ(reads(8, {{10, 0}, {16, 4}}), Reads(4, 156));
}

// A miss keeps its column from a load that runs beside it.
TEST(Trf, ReadsBeatWrites) {
  SEQUIN_ROW("TRF-10");
  DoubleBuffer hits{64, {{4096, 0}}};
  hits.run();
  int64_t contractEnd = hits.at("contract").end;
  EXPECT_EQ(hits.at("second").start, hits.at("first").end);
  EXPECT_LT(hits.at("second").end, contractEnd);
  EXPECT_EQ(hits.counter("second", "trf_write_stalls"), 0);
  int64_t alone = hits.at("second").end - hits.at("second").start;

  // All reads miss in both columns: the load ends behind the contraction.
  DoubleBuffer both{64, {{512, 0}, {8, 32}}};
  both.run();
  EXPECT_EQ(both.counter("contract", "trf_cache_misses"), 8192);
  EXPECT_GE(both.at("second").end, both.at("contract").start + 4096);
  EXPECT_EQ(both.at("second").end - both.at("second").start,
            alone + both.counter("second", "trf_write_stalls"));

  // Reads that alternate between the columns leave each free every other cycle.
  DoubleBuffer alternating{32, {{256, 0}, {16, 16}}};
  alternating.run();
  EXPECT_EQ(alternating.counter("contract", "trf_cache_misses"), 4096);
  EXPECT_LE(alternating.counter("second", "trf_write_stalls"), 1);

  // Reads in one column hold up the flits for it.
  DoubleBuffer column{32, {{512, 0}, {8, 32}}};
  column.run();
  EXPECT_EQ(column.counter("contract", "trf_cache_misses"), 4096);
  EXPECT_GE(column.at("second").end, column.at("contract").start + 4096);

  // One miss in eight reads.
  DoubleBuffer seldom{64, {{64, 0}, {8, 32}, {8, 0}}};
  seldom.run();
  EXPECT_EQ(seldom.counter("contract", "trf_cache_misses"), 1024);
  EXPECT_LT(seldom.at("second").end, contractEnd);
}

// One half is read while the other is written; the same half has to wait.
TEST(Trf, HalvesAreIndependent) {
  SEQUIN_ROW("TRF-08");
  SEQUIN_ROW("SIL-37");
  DoubleBuffer other{64, {{4096, 0}}};
  other.run();
  EXPECT_LT(other.at("second").start, other.at("contract").end);
  for (TrfAddress address : {TrfAddress::FirstHalf, TrfAddress::Full}) {
    DoubleBuffer same{64, {{4096, 0}}, address};
    same.run();
    EXPECT_EQ(same.at("second").start, same.at("contract").end);
    EXPECT_THAT(same.at("second").wait, HasSubstr("WAR on trf[0, 4096)"));
  }
  auto errorOf = [](TrfAddress address, int64_t bytesPerRow) {
    Contraction c;
    c.bytesPerRow = bytesPerRow;
    c.stage.trfAddress = address;
    c.stage.trf.entries = {{1, 0}};
    c.stage.loops = {{1, 0, false}};
    return c.error();
  };
  for (TrfAddress half : {TrfAddress::FirstHalf, TrfAddress::SecondHalf}) {
    EXPECT_EQ(errorOf(half, 4064), "no error");
    EXPECT_EQ(errorOf(half, 4096), "no error");
    EXPECT_THAT(errorOf(half, 4128), HasSubstr("allowed are 32 to 4096"));
  }
  EXPECT_EQ(errorOf(TrfAddress::Full, 8192), "no error");
  EXPECT_THAT(errorOf(TrfAddress::Full, 8224),
              HasSubstr("allowed are 32 to 8192"));
}

TEST(Trf, ShortCommands) {
  SEQUIN_ROW("TRF-04");
  auto errorOf = [](auto change) {
    Contraction c;
    c.stage.trf.entries = {{1, 0}};
    c.stage.loops = {{1, 0, false}};
    SliceProgram program = c.build();
    for (config::Command &command : program.program.commands)
      if (command.name == "weights") {
        auto &exec = std::get<config::ExecCommand>(command.body);
        std::get<config::ToTrfStage>(exec.sink).shortCommand = true;
        change(exec);
      }
    return program.error();
  };
  EXPECT_EQ(errorOf([](config::ExecCommand &) {}), "no error");
  EXPECT_THAT(errorOf([](config::ExecCommand &exec) {
                exec.fetch.sequencer.entries[0].stride = 32;
              }),
              HasSubstr("a short command loads contiguous bytes"));
  EXPECT_THAT(errorOf([](config::ExecCommand &exec) {
                exec.fetch.sequencer.entries = {{32, 4}, {4, 1}};
                exec.fetch.packetElements = 4;
                exec.fetch.fetchesPerPacket = 1;
                exec.collect = {8, 1};
                std::get<config::ToTrfStage>(exec.sink).bytesPerRow = 128;
              }),
              HasSubstr("a short command loads whole flits, packets have 8"));
}

// Types that the register file does not store.
TEST(Trf, RefusesOtherTypes) {
  SliceProgram program;
  program.input(arrayOf(I32, iota(8)), 0);
  config::ExecCommand exec = makeExec({0, {{1, 8}, {8, 1}}, 1}, I32, I32, 8);
  exec.context = config::Context::Sub;
  exec.sink = config::ToTrfStage{TrfAddress::Full, 1, 32};
  program.exec(exec, "weights");
  EXPECT_THAT(program.error(),
              HasSubstr("stage 'to_trf': machine 'rngd' cannot contract i32"));
}

// A contraction reads the type that was loaded last, byte by byte and slice by
// slice.
TEST(Trf, TypesOfLoadAndContraction) {
  auto load = [](ElementType to, TrfAddress address, int64_t bytesPerRow) {
    config::ExecCommand exec =
        makeExec({1 << 17, {{bytesPerRow / 32, 32}, {32, 1}}, 1}, I8, to, 8);
    exec.context = config::Context::Sub;
    exec.sink = config::ToTrfStage{address, 1, bytesPerRow};
    return exec;
  };
  auto contract = [](ElementType type, TrfAddress address, int64_t base) {
    config::ExecCommand exec =
        makeExec({0, {{2, 32}, {32, 1}}, 1}, I8, type, 32);
    config::ContractStage &stage = exec.contract.emplace();
    stage.type = type;
    stage.trfAddress = address;
    stage.rows = 1;
    stage.depth = 6;
    stage.trf.baseAddress = base;
    stage.trf.entries = {{1, 0}};
    stage.loops = {{1, 0, false}};
    exec.sink =
        config::CommitStage{I32, {1 << 18, {{1, 8}, {8, 1}}, 1}, 32, 32};
    return exec;
  };
  auto errorOf = [](std::vector<config::ExecCommand> passes) {
    SliceProgram program;
    program.input(arrayOf(I8, iota(4096)), 0);
    program.input(arrayOf(I8, iota(4096)), 1 << 17);
    for (auto [i, pass] : llvm::enumerate(passes))
      program.exec(pass, "pass" + std::to_string(i));
    return program.error();
  };
  using enum TrfAddress;
  EXPECT_EQ(errorOf({load(I8, Full, 64), contract(I8, Full, 0)}), "no error");
  EXPECT_EQ(errorOf({load(I9, Full, 64), contract(I9, Full, 0)}), "no error");
  EXPECT_THAT(errorOf({load(I8, Full, 64), contract(I9, Full, 0)}),
              HasSubstr("trap: command 'pass1' stage 'contract': reads i9 from "
                        "the TRF, where 'pass0' has loaded i8"));
  EXPECT_THAT(errorOf({load(I9, Full, 64), contract(I8, Full, 0)}),
              HasSubstr("reads i8 from the TRF, where 'pass0' has loaded i9"));
  // The last load counts, as far as it goes.
  EXPECT_EQ(errorOf({load(I9, Full, 128), load(I8, Full, 64),
                     contract(I8, Full, 0), contract(I9, Full, 64)}),
            "no error");
  EXPECT_THAT(
      errorOf({load(I9, Full, 128), load(I8, Full, 64), contract(I9, Full, 0)}),
      HasSubstr("reads i9 from the TRF, where 'pass1' has loaded i8"));
  // The other half, and other slices, are other places.
  EXPECT_EQ(errorOf({load(I8, FirstHalf, 64), load(I9, SecondHalf, 64),
                     contract(I8, FirstHalf, 0), contract(I9, SecondHalf, 0)}),
            "no error");
  config::ExecCommand both = load(I8, Full, 64), one = load(I9, Full, 64);
  both.sliceMask = firstSlices(2);
  config::ExecCommand second = contract(I8, Full, 0);
  second.sliceMask[0] = 2;
  EXPECT_EQ(errorOf({both, one, second, contract(I9, Full, 0)}), "no error");
  EXPECT_THAT(errorOf({both, one, contract(I8, Full, 0)}),
              HasSubstr("reads i8 from the TRF, where 'pass1' has loaded i9"));
  EXPECT_THAT(errorOf({both, one, contract(I9, Full, 0), second,
                       contract(I8, Full, 0)}),
              HasSubstr("command 'pass4'"));
}

// Loads that run beside one contraction wait for its reads one by one; what
// they see does not depend on how many there were before.
TEST(Trf, ManyLoadsBesideOneContraction) {
  auto stalls = [](llvm::SmallVector<Loop, 8> entries) {
    SliceProgram program;
    program.input(arrayOf(BF16, iota(32)), 0);
    program.input(arrayOf(BF16, iota(8 * 512)), 1 << 17);
    auto load = [&](TrfAddress address, std::string name) {
      config::ExecCommand exec =
          makeExec({1 << 17, {{64, 16}, {16, 1}}, 1}, BF16, BF16, 8);
      exec.context = config::Context::Sub;
      exec.sink = config::ToTrfStage{address, 8, 256};
      program.exec(exec, std::move(name));
    };
    load(TrfAddress::FirstHalf, "first");
    config::ExecCommand exec =
        makeExec({0, {{2, 16}, {16, 1}}, 1}, BF16, BF16, 32);
    config::ContractStage &stage = exec.contract.emplace();
    stage.trfAddress = TrfAddress::FirstHalf;
    stage.timeBroadcast = 65536;
    stage.trf.entries = entries;
    stage.regReadBytes = 32;
    stage.loops = {{65536, 0, true}};
    exec.sink =
        config::CommitStage{F32, {1 << 18, {{1, 8}, {8, 1}}, 1}, 32, 32};
    program.exec(exec, "contract");
    for (int i = 0; i < 32; ++i)
      load(TrfAddress::SecondHalf, "load" + std::to_string(i));
    llvm::Expected<sim::Result> result = program.run({.timingOnly = true});
    std::vector<int64_t> stalls;
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return stalls;
    }
    for (const sim::CommandTiming &timing : result->report.commands)
      if (llvm::StringRef(timing.name).starts_with("load")) {
        stalls.push_back(0);
        for (const auto &[name, count] : timing.counters)
          if (name == "trf_write_stalls")
            stalls.back() += count;
      }
    return stalls;
  };
  // Nothing but hits: no load waits.
  EXPECT_EQ(stalls({{65536, 0}}), std::vector<int64_t>(32, 0));
  // Always the same column: every load waits for the end of the contraction,
  // which is the nearer the later it starts.
  std::vector<int64_t> column = stalls({{8192, 0}, {8, 32}});
  ASSERT_EQ(column.size(), 32u);
  for (int i = 1; i < 32; ++i)
    EXPECT_EQ(column[i - 1] - column[i], column[0] - column[1]) << i;
  EXPECT_GT(column[0], column[1]);
  EXPECT_GT(column[31], 0);
}
