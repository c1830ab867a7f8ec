//===- FetchTest.cpp - The fetch adapter and interleaved fetches ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceProgram.h"

using namespace sequin;
using namespace sequin::testing;
using config::CommitStage;
using config::FetchMask;
using config::FetchTable;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using enum ElementType;

/// What a pass over `data`, at address 0, commits to memory. Packets are whole
/// flits.
template <class T>
static std::vector<int32_t> fetched(const config::ExecCommand &fetch,
                                    const std::vector<T> &data) {
  SliceProgram program;
  program.input(arrayOf(fetch.fetch.from, data), 0);
  config::ExecCommand exec = fetch;
  ElementType to = exec.fetch.to;
  int64_t packets = 1;
  for (const config::Loop &entry :
       llvm::ArrayRef(exec.fetch.sequencer.entries)
           .drop_back(exec.fetch.sequencer.packetEntries))
    packets *= entry.size;
  int64_t lanes = 32 * 8 / getBitWidth(to);
  int64_t flits = packets * exec.collect.flitsPerPacket;
  exec.sink = CommitStage{to, {65536, {{flits, lanes}, {lanes, 1}}, 1}, 32, 32};
  program.exec(exec);
  program.output(to == F32 ? I32 : to == BF16 ? I16 : to, flits * lanes, 65536);
  return intsOf(program.outputs()[0]);
}

/// The error of a pass that fetches only.
static std::string errorOf(config::ExecCommand exec, bool sub = false) {
  SliceProgram program;
  if (sub)
    exec.context = config::Context::Sub;
  int64_t packets = 1;
  for (const config::Loop &entry :
       llvm::ArrayRef(exec.fetch.sequencer.entries)
           .drop_back(exec.fetch.sequencer.packetEntries))
    packets *= entry.size;
  exec.sink = config::ToVrfStage{0, 32 * exec.collect.flitsPerPacket * packets};
  program.exec(exec);
  return program.error();
}

//===----------------------------------------------------------------------===//
// Masking
//===----------------------------------------------------------------------===//

TEST(FetchMask, TheEndOfTheLastPacket) {
  SEQUIN_ROW("FET-12");
  // 63 of 64 elements.
  config::ExecCommand exec = makeExec({0, {{2, 32}, {32, 1}}, 1}, I8, I8, 32);
  exec.fetch.mask = FetchMask{0, 0, {31}, std::nullopt, 0};
  std::vector<int> expected = iota(64, 1);
  expected[63] = 0;
  EXPECT_THAT(fetched(exec, iota(64, 1)), ElementsAreArray(expected));
  // Padding takes any value of the type.
  exec.fetch.mask->padValue = -128;
  expected[63] = -128;
  EXPECT_THAT(fetched(exec, iota(64, 1)), ElementsAreArray(expected));
}

/// The rows of B' = 2 + B + 4 with B = 90, in `stream` order: 0 where masked.
static std::vector<int32_t> paddedRows(const std::vector<int> &data,
                                       bool blocksOutside) {
  std::vector<int32_t> stream;
  for (int i = 0; i < 32 * 3; ++i) {
    int row = blocksOutside ? i % 32 : i / 3;
    int block = blocksOutside ? i / 32 : i % 3;
    for (int b = block * 32; b < block * 32 + 32; ++b)
      stream.push_back(b < 2 || b >= 92 ? 0 : data[row * 96 + b - 2]);
  }
  return stream;
}

TEST(FetchMask, BothSides) {
  // The tensor begins at 2: the sequencer starts two elements before it.
  std::vector<int> data(32 * 96 + 2), tensor(32 * 96);
  for (int i = 0; i < 32 * 96; ++i)
    data[i + 2] = tensor[i] = i % 127 + 1;
  config::ExecCommand exec =
      makeExec({0, {{32, 96}, {3, 32}, {32, 1}}, 1}, I8, I8, 32);
  SEQUIN_ROW("FET-14");
  exec.fetch.mask = FetchMask{1, 2, {28}, std::nullopt, 0};
  EXPECT_THAT(fetched(exec, data), ElementsAreArray(paddedRows(tensor, false)));
  SEQUIN_ROW("FET-15");
  exec.fetch.sequencer = {0, {{3, 32}, {32, 96}, {32, 1}}, 1};
  exec.fetch.mask->lastDim = 0;
  EXPECT_THAT(fetched(exec, data), ElementsAreArray(paddedRows(tensor, true)));
  SEQUIN_ROW("ERR-25");
}

TEST(FetchMask, OneCountPerIndex) {
  SEQUIN_ROW("FET-16");
  SEQUIN_ROW("ERR-27");
  // B = 97 of f32, padded to 128.
  std::vector<float> data(32 * 128);
  std::vector<int32_t> expected(32 * 128, 0);
  for (int i = 0; i < 32 * 128; ++i) {
    data[i] = i + 1;
    if (i % 128 < 97)
      expected[i] = llvm::bit_cast<int32_t>(data[i]);
  }
  config::ExecCommand exec =
      makeExec({0, {{32, 128}, {8, 16}, {1, 0}, {16, 1}}, 1}, F32, F32, 32);
  exec.fetch.mask = FetchMask{2, 0, {16, 16, 16, 16, 16, 16, 1, 0}, 1, 0};
  EXPECT_THAT(fetched(exec, data), ElementsAreArray(expected));
  // 256 packets of two accesses.
  SliceProgram program;
  exec.sink = CommitStage{F32, {65536, {{512, 8}, {8, 1}}, 1}, 32, 32};
  program.exec(exec);
  EXPECT_EQ(program.stage("exec", "fetch"), 512);
}

TEST(FetchMask, EverySourceType) {
  for (ElementType type : {I4, I8, I16, I32}) {
    int64_t lanes = 32 * 8 / getBitWidth(type);
    config::ExecCommand exec =
        makeExec({0, {{1, 0}, {lanes, 1}}, 1}, type, type, 32);
    exec.fetch.mask = FetchMask{0, 1, {lanes - 3}, std::nullopt, -2};
    std::vector<int> data(lanes, 5), expected = data;
    for (int64_t i : {int64_t(0), lanes - 3, lanes - 2, lanes - 1})
      expected[i] = -2;
    EXPECT_THAT(fetched(exec, data), ElementsAreArray(expected))
        << getName(type).str();
  }
}

TEST(FetchMask, Limits) {
  SEQUIN_ROW("FET-13");
  SEQUIN_ROW("ERR-26");
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  EXPECT_EQ(machine.fetchMaskBytes, 128);
  auto error = [](ElementType type, int64_t elements, int64_t count,
                  int64_t left = 0) {
    config::ExecCommand exec =
        makeExec({0, {{1, 0}, {elements, 1}}, 1}, type, type, 8);
    exec.fetch.mask = FetchMask{0, left, {count}, std::nullopt, 0};
    return errorOf(exec);
  };
  struct Case {
    ElementType type;
    int64_t most;
  };
  for (Case test : {Case{I4, 255}, {I8, 127}, {BF16, 63}, {F32, 31}}) {
    EXPECT_EQ(error(test.type, test.most + 1, test.most / 2), "no error");
    EXPECT_EQ(error(test.type, test.most + 1, test.most), "no error");
    EXPECT_THAT(error(test.type, test.most + 1, test.most + 1),
                HasSubstr("valid count of the mask is " +
                          std::to_string(test.most + 1) +
                          ", allowed are 0 to " + std::to_string(test.most)));
  }
  EXPECT_THAT(error(F32, 34, 10),
              HasSubstr("packets of 136 bytes are masked, allowed are 128"));
  EXPECT_THAT(error(I8, 32, -1), HasSubstr("valid count of the mask is -1"));
  EXPECT_EQ(error(I8, 32, 32, 31), "no error");
  EXPECT_THAT(error(I8, 32, 32, 32),
              HasSubstr("left_pad of the mask is 32, allowed are 0 to 31"));
}

TEST(FetchMask, Dims) {
  SEQUIN_ROW("FET-13");
  auto error = [](FetchMask mask, int64_t blocks = 4) {
    config::ExecCommand exec =
        makeExec({0, {{2, 256}, {blocks, 32}, {32, 1}}, 1}, I8, I8, 32);
    exec.fetch.mask = mask;
    return errorOf(exec);
  };
  EXPECT_EQ(error({1, 0, {20}, std::nullopt, 0}), "no error");
  EXPECT_THAT(error({2, 0, {20}, std::nullopt, 0}),
              HasSubstr("last_dim of the mask is 2, allowed are 0 to 1"));
  EXPECT_THAT(error({-1, 0, {20}, std::nullopt, 0}),
              HasSubstr("last_dim of the mask is -1"));
  EXPECT_EQ(error({0, 0, {32, 32, 3, 0}, 1, 0}), "no error");
  EXPECT_THAT(error({0, 0, {32, 32, 3}, 1, 0}),
              HasSubstr("the mask has 3 valid counts, it needs 4"));
  EXPECT_THAT(error({0, 0, {}, std::nullopt, 0}),
              HasSubstr("the mask has 0 valid counts, it needs 1"));
  EXPECT_THAT(error({0, 0, {32}, 7, 0}),
              HasSubstr("valid_count_dim of the mask is 7"));
  EXPECT_EQ(error({0, 0, {1, 2, 3, 4, 5, 6, 7, 8}, 1, 0}, 8), "no error");
  EXPECT_THAT(error({0, 0, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 0}, 9),
              HasSubstr("size of the entry with valid counts is 9, allowed are "
                        "1 to 8"));
}

//===----------------------------------------------------------------------===//
// Tables, conversions, zero points
//===----------------------------------------------------------------------===//

TEST(FetchTable, ReplacesElements) {
  SEQUIN_ROW("FET-17");
  SEQUIN_ROW("SIL-25");
  // table[x] = 2 x; a negative number is a large index.
  config::ExecCommand exec = makeExec({0, {{32, 1}}, 1}, I8, I8, 32);
  exec.fetch.table.emplace();
  for (int i = 0; i < 256; ++i)
    exec.fetch.table->values.push_back(i < 128 ? 2 * i : 256 - i);
  std::vector<int> data = iota(32);
  data[31] = -5;
  std::vector<int> expected(32);
  for (int i = 0; i < 31; ++i)
    expected[i] = 2 * i;
  expected[31] = 5;
  EXPECT_THAT(fetched(exec, data), ElementsAreArray(expected));

  // i4 to bf16 in two steps to f32, and sixteen bits to thirty-two.
  exec = makeExec({0, {{8, 1}}, 1}, I4, F32, 4);
  exec.fetch.table = FetchTable{BF16, {}};
  for (int i = 0; i < 16; ++i)
    exec.fetch.table->values.push_back(encodeFloat(BF16, 0.5f * i));
  expected.resize(8);
  for (int i = 0; i < 8; ++i)
    expected[i] = llvm::bit_cast<int32_t>(0.5f * ((i - 3) & 15));
  EXPECT_THAT(fetched(exec, iota(8, -3)), ElementsAreArray(expected));
  exec = makeExec({0, {{8, 1}}, 1}, I16, I32, 16);
  exec.fetch.table = FetchTable{I16, {}};
  for (int i = 0; i < 65536; ++i)
    exec.fetch.table->values.push_back(i ^ 0x55);
  for (int i = 0; i < 8; ++i)
    expected[i] = static_cast<int16_t>((i - 3) ^ 0x55);
  EXPECT_THAT(fetched(exec, iota(8, -3)), ElementsAreArray(expected));
  // Down to four bits, two to a byte.
  exec = makeExec({0, {{64, 1}}, 1}, I8, I4, 32);
  exec.fetch.table = FetchTable{I4, {}};
  for (int i = 0; i < 256; ++i)
    exec.fetch.table->values.push_back(i / 16);
  expected.assign(64, 0);
  for (int i = 0; i < 64; ++i)
    expected[i] = i / 16;
  EXPECT_THAT(fetched(exec, iota(64)), ElementsAreArray(expected));
}

TEST(FetchTable, Refusals) {
  auto error = [](ElementType from, ElementType entry, size_t entries,
                  bool sub = false) {
    config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, from, entry, 8);
    exec.fetch.table = FetchTable{entry, std::vector<int64_t>(entries)};
    return errorOf(exec, sub);
  };
  SEQUIN_ROW("SIL-25");
  EXPECT_EQ(error(I8, I8, 256), "no error");
  EXPECT_THAT(error(I8, I8, 255), HasSubstr("the table has 255 entries, "
                                            "elements of i8 index 256"));
  EXPECT_THAT(error(I32, I32, 256),
              HasSubstr("elements of at most 16 bits, not by i32"));
  EXPECT_THAT(error(I8, I9, 256), HasSubstr("the table holds i9"));
  SEQUIN_ROW("FET-11");
  EXPECT_THAT(error(I8, I8, 256, true),
              HasSubstr("the sub context has no table indexing"));
}

TEST(FetchAdapter, StagesInOrder) {
  SEQUIN_ROW("FET-11");
  // Masked to 3, looked up as 3 + 50, widened, less 10.
  config::ExecCommand exec =
      makeExec({0, {{2, 16}, {1, 0}, {16, 1}}, 1}, I8, I32, 8);
  exec.fetch.mask = FetchMask{1, 0, {12}, std::nullopt, 3};
  exec.fetch.table.emplace();
  for (int i = 0; i < 256; ++i)
    exec.fetch.table->values.push_back((i + 50) & 0xff);
  exec.fetch.zeroPoints = {10};
  std::vector<int> expected;
  for (int i = 0; i < 32; ++i)
    expected.push_back(i % 16 < 12 ? i + 40 : 43);
  EXPECT_THAT(fetched(exec, iota(32)), ElementsAreArray(expected));
  // Batched from two accesses a packet.
  EXPECT_EQ(exec.fetch.fetchesPerPacket, 2);
}

TEST(FetchAdapter, SubContext) {
  SEQUIN_ROW("FET-11");
  SEQUIN_ROW("ERR-23");
  config::ExecCommand exec = makeExec({0, {{1, 0}, {8, 1}}, 1}, I8, I32, 8);
  exec.fetch.zeroPoints = {7};
  exec.context = config::Context::Sub;
  SliceProgram program;
  program.input(arrayOf(I8, iota(8)), 0);
  exec.sink = CommitStage{I32, {65536, {{8, 1}}, 1}, 32, 8};
  program.exec(exec);
  program.output(I32, 8, 65536);
  EXPECT_THAT(intsOf(program.outputs()[0]), ElementsAreArray(iota(8, -7)));
  exec.fetch.mask = FetchMask{0, 0, {5}, std::nullopt, 0};
  EXPECT_THAT(errorOf(exec, true), HasSubstr("the sub context has no masking"));
  exec.fetch.mask.reset();
  exec.fetch.dualChannel = true;
  EXPECT_THAT(errorOf(exec, true),
              HasSubstr("dual-channel mode belongs to the main context"));
}

/// All bit patterns of a narrow float, and some of a wide one.
static std::vector<uint32_t> patterns(ElementType type) {
  std::vector<uint32_t> bits;
  unsigned width = getBitWidth(type);
  for (uint64_t i = 0; i < uint64_t(1) << std::min(width, 16u); ++i)
    bits.push_back(
        static_cast<uint32_t>(width > 16 ? i * 0x10001 + 0x7fff : i));
  return bits;
}

TEST(FetchAdapter, ConvertsFloats) {
  SEQUIN_ROW("FET-18");
  SEQUIN_ROW("SIL-7");
  for (auto [from, to] : {std::pair{F8E4M3, F32},
                          {F8E5M2, F32},
                          {BF16, F32},
                          {F16, F32},
                          {F32, BF16}}) {
    std::vector<uint32_t> bits = patterns(from);
    sim::HostArray input;
    input.type = from;
    input.shape = {static_cast<int64_t>(bits.size())};
    input.data.resize(getByteSize(from, bits.size()));
    for (size_t i = 0; i < bits.size(); ++i)
      storeElement(from, input.data.data(), i, bits[i]);
    SliceProgram program;
    program.input(input, 0);
    auto packets = static_cast<int64_t>(bits.size()) / 8;
    config::ExecCommand exec =
        makeExec({0, {{packets, 8}, {8, 1}}, 1}, from, to, 8);
    int64_t lanes = 32 * 8 / getBitWidth(to);
    int64_t kept = getByteSize(to, 8);
    exec.sink =
        CommitStage{to, {262144, {{packets, 8}, {8, 1}}, 1}, kept, kept};
    if (bits.size() * 4 > 262144 - 8) // two ranges in one slice
      exec.fetch.sequencer.baseAddress = 0;
    program.exec(exec);
    program.output(to == F32 ? I32 : I16, bits.size(), 262144);
    std::vector<int32_t> found = intsOf(program.outputs()[0]);
    ASSERT_EQ(found.size(), bits.size());
    FloatEnvironment environment(program.machine.flushSubnormals);
    for (size_t i = 0; i < bits.size(); ++i)
      ASSERT_EQ(static_cast<uint32_t>(found[i]) & (to == F32 ? ~0u : 0xffffu),
                encodeFloat(to, decodeFloat(from, bits[i])))
          << getName(from).str() << " " << bits[i];
    (void)lanes;
  }
}

TEST(FetchAdapter, ConvertsIntegers) {
  SEQUIN_ROW("FET-18");
  for (auto [from, low] : {std::pair{I4, -8}, {I8, -128}, {I16, -32768}}) {
    std::vector<int> data;
    for (int value = low; value < -low; value += from == I16 ? 257 : 1)
      data.push_back(value);
    data.resize(data.size() / 8 * 8);
    config::ExecCommand exec =
        makeExec({0, {{static_cast<int64_t>(data.size()) / 8, 8}, {8, 1}}, 1},
                 from, I32, from == I4 ? 4 : 8);
    EXPECT_THAT(fetched(exec, data), ElementsAreArray(data));
  }
}

TEST(FetchAdapter, ZeroPoint) {
  SEQUIN_ROW("FET-21");
  config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, I8, I32, 8);
  exec.fetch.zeroPoints = {10};
  EXPECT_THAT(fetched(exec, iota(8)), ElementsAreArray(iota(8, -10)));
  // The difference saturates.
  exec.fetch.zeroPoints = {INT32_MAX};
  EXPECT_EQ(fetched(exec, iota(8, -2))[0], INT32_MIN);
  exec = makeExec({0, {{8, 1}}, 1}, I16, I32, 16);
  exec.fetch.zeroPoints = {INT32_MIN};
  EXPECT_EQ(fetched(exec, iota(8))[0], INT32_MAX);
  EXPECT_EQ(fetched(exec, iota(8, -8))[0], INT32_MAX - 7);
  exec.fetch.zeroPoints = {-1000};
  EXPECT_THAT(fetched(exec, iota(8)), ElementsAreArray(iota(8, 1000)));
}

TEST(FetchAdapter, ZeroPointLimits) {
  SEQUIN_ROW("FET-29");
  SEQUIN_ROW("SIL-24");
  auto error = [](ElementType from, ElementType to,
                  llvm::SmallVector<int64_t, 2> points, int64_t packets = 2) {
    config::ExecCommand exec =
        makeExec({0, {{packets, 8}, {8, 1}}, 1}, from, to, 8);
    exec.fetch.zeroPoints = std::move(points);
    return errorOf(exec);
  };
  EXPECT_EQ(error(I8, I32, {INT32_MAX}), "no error");
  EXPECT_THAT(error(I8, I32, {int64_t(INT32_MAX) + 1}),
              HasSubstr("zero point is 2147483648, allowed are -2147483648 to "
                        "2147483647"));
  EXPECT_THAT(error(I8, I8, {1}),
              HasSubstr("zero points need a conversion to a wider integer, "
                        "found i8 to i8"));
  EXPECT_THAT(error(BF16, F32, {1}), HasSubstr("found bf16 to f32"));
  EXPECT_THAT(error(I8, I32, {1, 2, 3}),
              HasSubstr("number of zero points is 3, allowed are 1 to 2"));
  EXPECT_EQ(error(I8, I32, {1, 2}), "no error");
  EXPECT_THAT(error(I8, I32, {1, 2}, 3),
              HasSubstr("the number of packets is 3, it must be a multiple of "
                        "2"));
}

/// Sums, by the contraction engine, of what `from` to `to` with `zeroPoint`
/// makes of `data`; one computation packet.
static int32_t sumOf(llvm::StringRef target, ElementType from, ElementType to,
                     int64_t zeroPoint, const std::vector<int> &data) {
  const TcpMachine &machine = *lookupTcpMachine(target);
  int64_t lanes = machine.lanes(to);
  SliceProgram program;
  program.program.target = target.str();
  program.input(arrayOf(from, data), 0);
  program.input(arrayOf(from, std::vector<int>(lanes, 1)), 4096);
  config::ExecCommand load =
      makeExec({4096, {{1, 0}, {lanes, 1}}, 1}, from, to, 8);
  load.sink = config::ToTrfStage{config::TrfAddress::Full, 1, 64};
  program.exec(load, "load");
  config::ExecCommand exec =
      makeExec({0, {{1, 0}, {lanes, 1}}, 1}, from, to, 8);
  if (zeroPoint != 0)
    exec.fetch.zeroPoints = {zeroPoint};
  config::ContractStage &contract = exec.contract.emplace();
  contract.type = to;
  contract.trf = {0, {{1, 0}}, 0};
  contract.rows = 1;
  contract.depth = llvm::Log2_64(lanes);
  contract.loops = {{1, 0, true}};
  exec.sink = CommitStage{I32, {8192, {{1, 0}, {8, 1}}, 1}, 32, 32};
  program.exec(exec);
  program.output(I32, 8, 8192);
  auto result = sim::run(program.program, machine, program.inputs, {});
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return 0;
  }
  return intsOf(result->outputs[0])[0];
}

TEST(FetchAdapter, NineBitsForTheContraction) {
  SEQUIN_ROW("FET-18");
  SEQUIN_ROW("SIL-24");
  // With a zero point of the source type nothing saturates.
  EXPECT_EQ(sumOf("rngd", I8, I9, -128, std::vector<int>(64, 127)), 64 * 255);
  EXPECT_EQ(sumOf("rngd", I8, I9, 127, std::vector<int>(64, -128)), 64 * -255);
  EXPECT_EQ(sumOf("rngd", I4, I5, -8, std::vector<int>(128, 7)), 128 * 15);
  EXPECT_EQ(sumOf("rngd", I4, I5, 7, std::vector<int>(128, -8)), 128 * -15);
  EXPECT_EQ(sumOf("rngd", I8, I9, 0, iota(64, -20)), 64 * -20 + 63 * 32);
  // Beyond the source type it does.
  EXPECT_EQ(sumOf("rngd", I8, I9, 255, std::vector<int>(64, -128)), 64 * -256);
  EXPECT_EQ(sumOf("rngd-s", I4, I9, 100, std::vector<int>(64, 7)), 64 * -93);
  EXPECT_EQ(sumOf("rngd-s", I16, I9, 0, std::vector<int>(64, 300)), 64 * 255);
  config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, I8, I9, 8);
  EXPECT_THAT(errorOf(exec),
              HasSubstr("a stream of i9 is for the contraction engine or the "
                        "TRF, and the pass has neither"));
}

//===----------------------------------------------------------------------===//
// Interleaving
//===----------------------------------------------------------------------===//

TEST(FetchInterleaved, TensorsTakeTurns) {
  SEQUIN_ROW("FET-22");
  // lhs at 0, rhs at 512: one more loop.
  std::vector<int> data(520);
  for (int i = 0; i < 8; ++i)
    data[i] = data[512 + i] = i;
  config::ExecCommand exec = makeExec({0, {{2, 512}, {8, 1}}, 1}, I8, I32, 8);
  exec.fetch.zeroPoints = {100, -100};
  std::vector<int> expected;
  for (int i = 0; i < 8; ++i)
    expected.push_back(i - 100);
  for (int i = 0; i < 8; ++i)
    expected.push_back(i + 100);
  EXPECT_THAT(fetched(exec, data), ElementsAreArray(expected));
}

TEST(FetchInterleaved, WaitsForItsTensorsAlone) {
  SEQUIN_ROW("KER-13");
  // The pass reads [0, 64) and [4096, 4160): what happens between does not
  // concern it.
  config::ExecCommand exec =
      makeExec({0, {{2, 32}, {2, 4096}, {32, 1}}, 1}, I8, I8, 32);
  exec.sink = CommitStage{I8, {65536, {{4, 32}, {32, 1}}, 1}, 32, 32};
  auto startAfterWriteTo = [&](int64_t address) {
    SliceProgram program;
    config::ExecCommand write = makeExec({128, {{8, 1}}, 1}, I8, I8, 8);
    write.context = config::Context::Sub;
    write.sink = CommitStage{I8, {address, {{8, 1}}, 1}, 8, 8};
    program.exec(write, "write");
    program.exec(exec, "read");
    EXPECT_EQ(program.error(), "no error");
    auto result = program.run({.timingOnly = true});
    return llvm::cantFail(std::move(result)).report.commands[1].start;
  };
  EXPECT_EQ(startAfterWriteTo(64), 0);
  EXPECT_EQ(startAfterWriteTo(4088), 0);
  EXPECT_GT(startAfterWriteTo(56), 0);
  EXPECT_GT(startAfterWriteTo(4096), 0);
  EXPECT_GT(startAfterWriteTo(4152), 0);
  EXPECT_EQ(startAfterWriteTo(4160), 0);
}

//===----------------------------------------------------------------------===//
// Batching and cycles
//===----------------------------------------------------------------------===//

TEST(FetchBatching, AddressesAreBytes) {
  SEQUIN_ROW("FET-03");
  for (int64_t base : {1, 7, 33}) {
    config::ExecCommand exec = makeExec({base, {{32, 1}}, 1}, I8, I8, 32);
    EXPECT_THAT(fetched(exec, iota(72)), ElementsAreArray(iota(32, base)));
  }
}

TEST(FetchBatching, PacketsOfSeveralAccesses) {
  SEQUIN_ROW("FET-23");
  // Five accesses of 8 bytes from five places.
  std::vector<int> data = iota(80);
  config::ExecCommand exec =
      makeExec({0, {{1, 0}, {5, 16}, {8, 1}}, 2}, I8, I8, 8);
  EXPECT_EQ(exec.fetch.fetchesPerPacket, 5);
  EXPECT_EQ(exec.collect.packetBytes, 40);
  std::vector<int> expected;
  for (int i = 0; i < 40; ++i)
    expected.push_back(i / 8 * 16 + i % 8);
  // Two flits, the second with 24 bytes of zeros.
  SEQUIN_ROW("FET-30");
  expected.resize(64, 0);
  EXPECT_THAT(fetched(exec, data), ElementsAreArray(expected));
  exec.fetch.fetchesPerPacket = 4;
  EXPECT_THAT(errorOf(exec),
              HasSubstr("a packet is batched from 4 accesses of 8 bytes, its "
                        "40 bytes need 5"));
}

TEST(FetchCycles, DualChannel) {
  SEQUIN_ROW("FET-30");
  SEQUIN_ROW("FET-31");
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  // Of the two networks that one DMA engine serves.
  EXPECT_EQ(machine.dmnBytesPerCycle * machine.slicesPerEngine /
                machine.slicesPerDmn,
            256);
  EXPECT_EQ(machine.dualChannelAccesses * machine.flitBytes, 64);
  // 16 packets of 128 bytes, and of 32: a single access cannot be halved.
  auto cycles = [](int64_t elements, bool dual) {
    SliceProgram program;
    config::ExecCommand exec =
        makeExec({0, {{16, elements}, {elements, 1}}, 1}, I8, I8, 32);
    exec.fetch.dualChannel = dual;
    exec.sink = config::ToVrfStage{0, 16 * elements};
    program.exec(exec);
    return program.stage("exec", "fetch");
  };
  EXPECT_EQ(cycles(128, false), 64);
  EXPECT_EQ(cycles(128, true), 32);
  EXPECT_EQ(cycles(96, true), 32);
  EXPECT_EQ(cycles(32, false), 16);
  EXPECT_EQ(cycles(32, true), 16);

  // The sub context is part of it.
  config::ExecCommand main =
      makeExec({0, {{16, 128}, {128, 1}}, 1}, I8, I8, 32);
  main.sink = config::ToVrfStage{0, 16 * 128};
  config::ExecCommand sub = makeExec({0, {{8, 1}}, 1}, I8, I8, 8);
  sub.context = config::Context::Sub;
  sub.sink = config::ToVrfStage{4096, 32};
  auto start = [&](bool dual) {
    SliceProgram program;
    main.fetch.dualChannel = dual;
    program.exec(main, "main");
    program.exec(sub, "sub");
    auto result = program.run({.timingOnly = true});
    return llvm::cantFail(std::move(result)).report.commands[1].start;
  };
  EXPECT_EQ(start(false), 0);
  EXPECT_GE(start(true), 32);
}

TEST(FetchCycles, ConversionFillsThePipeline) {
  SEQUIN_ROW("FET-31");
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  EXPECT_EQ(machine.fetchCastFillCycles, 2);
  auto cycles = [](ElementType from, const TcpMachine &machine) {
    SliceProgram program;
    config::ExecCommand exec =
        makeExec({0, {{64, 8}, {8, 1}}, 1}, from, I32, 8);
    exec.sink = config::ToVrfStage{0, 64 * 32};
    program.exec(exec);
    auto result = sim::run(program.program, machine, {}, {.timingOnly = true});
    return llvm::cantFail(std::move(result)).report.cycles;
  };
  EXPECT_EQ(cycles(I8, machine), 66);
  EXPECT_EQ(cycles(I32, machine), 64 * 4);
  TcpMachine slow = machine;
  slow.fetchCastFillCycles = 5;
  EXPECT_EQ(cycles(I8, slow), 69);
}

TEST(FetchCycles, CountInputBytes) {
  SEQUIN_ROW("SIL-21");
  SEQUIN_ROW("FET-02");
  // 512 packets of 32 i8 become 128 bytes of i32: accesses of 8 bytes.
  SliceProgram program;
  config::ExecCommand exec = makeExec({0, {{512, 32}, {32, 1}}, 1}, I8, I32, 8);
  EXPECT_EQ(exec.collect.packetBytes, 128);
  exec.sink = CommitStage{I32, {65536, {{2048, 8}, {8, 1}}, 1}, 32, 32};
  program.exec(exec);
  EXPECT_EQ(program.stage("exec", "fetch"), 512 * 4);
  exec.fetch.accessBytes = 16;
  exec.fetch.fetchesPerPacket = 2;
  EXPECT_THAT(errorOf(exec), HasSubstr("one access makes 64 bytes"));
}
