//===- ContractTest.cpp - Stream adapter, MAC array, accumulator ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionProgram.h"
#include <limits>

using namespace sequin;
using namespace sequin::testing;
using config::AccumulateLoop;
using config::AccumulationKind;
using ::testing::HasSubstr;
using enum ElementType;

namespace {

/// RED-11 and RED-13: M=4, N=8, K=64; Time [K / 16, M], Packet K % 16 (32
/// bytes, the upper half zero); K % 4 in the tree, K / 16 in the accumulator.
Contraction partialReduction(AccumulationKind kind) {
  Contraction c;
  c.flits = 16;
  c.bytesPerRow = 128;
  c.stage.collectFlits = 1;
  c.stage.trf.entries = {{4, 16}, {4, 0}};
  c.stage.regReadBytes = 32;
  c.stage.rows = 8;
  c.stage.depth = 2;
  c.stage.columns = 4;
  c.stage.kind = kind;
  c.stage.loops = {{4, 0, true}, {4, 1, false}};
  return c;
}

} // namespace

TEST(Contract, InterleavedOutput) {
  partialReduction(AccumulationKind::Interleaved).check();
  SEQUIN_ROW("RED-10");
  SEQUIN_ROW("RED-11");
  SEQUIN_ROW("ALN-06");
}

TEST(Contract, SequentialOutput) {
  partialReduction(AccumulationKind::Sequential).check();
  SEQUIN_ROW("RED-12");
  SEQUIN_ROW("RED-13");
}

// Both modes hold the same numbers, transposed.
TEST(Contract, SequentialIsInterleavedTransposed) {
  SEQUIN_ROW("RED-07");
  SliceProgram interleaved =
      partialReduction(AccumulationKind::Interleaved).build();
  SliceProgram sequential =
      partialReduction(AccumulationKind::Sequential).build();
  std::vector<float> a = floatsOf(interleaved.outputs()[0]);
  std::vector<float> b = floatsOf(sequential.outputs()[0]);
  ASSERT_EQ(a.size(), 4u * 4 * 8);
  ASSERT_EQ(b.size(), 4u * 8 * 8);
  for (int m = 0; m < 4; ++m)
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column)
        EXPECT_EQ(b[(m * 8 + row) * 8 + column],
                  column < 4 ? a[(m * 4 + column) * 8 + row] : 0);
}

// RED-08: A=2048, B=8; Time [B / 4, A % 8], Packet B % 4: slots 0 to 7 are
// stored, then added to, and come out after packet 15.
TEST(Contract, TemporalTable) {
  Contraction c;
  c.flits = 16;
  c.bytesPerRow = 64;
  c.stage.collectFlits = 1;
  c.stage.rows = 1;
  c.stage.trf.entries = {{2, 16}, {8, 0}};
  c.stage.regReadBytes = 8;
  c.stage.depth = 2;
  c.stage.columns = 1;
  c.stage.loops = {{2, 0, true}, {8, 1, false}};
  EXPECT_EQ(c.steps(), 16);
  EXPECT_EQ(c.emissions(), 8);
  c.check();
  SEQUIN_ROW("RED-08");
}

// Every depth of every type in both modes: the tree adds adjacent pairs, level
// by level, in f32; the result must be the same to the last bit.
TEST(Contract, EveryTreeOfEveryType) {
  for (ElementType type : {BF16, F8E4M3, F8E5M2, I8, I4})
    for (AccumulationKind kind :
         {AccumulationKind::Interleaved, AccumulationKind::Sequential})
      for (int64_t rows : {1, 8}) {
        Contraction c;
        c.type = type;
        c.flits = 12;
        c.bytesPerRow = 192;
        int64_t lanes = c.lanes();
        for (int64_t depth = 0; int64_t(1) << depth <= lanes; ++depth) {
          c.stage.kind = kind;
          c.stage.rows = rows;
          c.stage.depth = depth;
          c.stage.columns = std::min<int64_t>(lanes >> depth, 32);
          c.stage.trf.entries = {{2, 0}, {3, lanes}};
          c.stage.loops = {{2, 0, false}, {3, 0, true}};
          SCOPED_TRACE(getName(type).str() + " depth " + std::to_string(depth));
          c.check();
        }
      }
  SEQUIN_ROW("RED-04");
  SEQUIN_ROW("RED-05");
  SEQUIN_ROW("SIL-10");
}

TEST(Contract, FewerColumnsThanTheTreeMakes) {
  for (int64_t columns : {1, 2, 3, 5, 7}) {
    Contraction c;
    c.flits = 4;
    c.bytesPerRow = 64;
    c.stage.depth = 2;
    c.stage.columns = columns;
    c.stage.trf.entries = {{2, 0}};
    c.stage.loops = {{2, 0, false}};
    c.check();
  }
}

TEST(Contract, CollectsTwoFlits) {
  // M=32, O=2, L=2, N=8, K=16: Time [M, O], Packet [L, K]; TRF [O, K], 32 bytes
  // read and repeated.
  Contraction c;
  c.flits = 128;
  c.bytesPerRow = 64;
  c.stage.trf.entries = {{32, 0}, {2, 16}};
  c.stage.regReadBytes = 32;
  c.stage.depth = 4;
  c.stage.columns = 2;
  c.stage.loops = {{32, 0, false}, {2, 0, false}};
  c.check();
  SEQUIN_ROW("ALN-02");
  SEQUIN_ROW("ALN-05");
  SEQUIN_ROW("TRF-02");
  SEQUIN_ROW("TRF-12");
}

TEST(Contract, WeightsAreBroadcastOverTime) {
  // M=32, N=8, K=32: one weight packet for all packets.
  Contraction c;
  c.flits = 64;
  c.bytesPerRow = 64;
  c.stage.trf.entries = {{32, 0}};
  c.stage.loops = {{32, 0, false}};
  c.check();
  SEQUIN_ROW("TRF-11");
}

TEST(Contract, TimeBroadcastRepeatsPackets) {
  // M=32, T=5, K=16: the stream has no T.
  Contraction c;
  c.flits = 32;
  c.bytesPerRow = 160;
  c.stage.collectFlits = 1;
  c.stage.timeBroadcast = 5;
  c.stage.trf.entries = {{32, 0}, {5, 16}};
  c.stage.regReadBytes = 32;
  c.stage.depth = 4;
  c.stage.columns = 1;
  c.stage.loops = {{32, 0, false}, {5, 0, false}};
  c.check();
  SEQUIN_ROW("ALN-04");
  SEQUIN_ROW("ALN-07");
}

// More repetitions and steps than any internal block or list.
TEST(Contract, LongStreams) {
  Contraction broadcast;
  broadcast.flits = 6;
  broadcast.stage.timeBroadcast = 700;
  broadcast.stage.trf.entries = {{2100, 0}};
  broadcast.stage.loops = {{3, 0, true}, {700, 1, false}};
  EXPECT_THAT(broadcast.error(), HasSubstr("the slots need 700 columns"));
  broadcast.stage.loops = {{3, 0, false}, {700, 0, true}};
  broadcast.check();

  Contraction wide;
  wide.flits = 128;
  wide.stage.timeBroadcast = 5000;
  wide.stage.trf.entries = {{5000, 0}, {64, 0}};
  wide.stage.rows = 2;
  wide.stage.depth = 5;
  wide.stage.loops = {{32, 0, false}, {10000, 0, true}};
  wide.check();
}

TEST(Contract, AccumulatorLoopsInAnyOrder) {
  // Reduced loops outside and inside of what stays.
  Contraction c;
  c.flits = 48;
  c.bytesPerRow = 256;
  c.stage.trf.entries = {{2, 64}, {3, 0}, {2, 32}, {2, 0}};
  c.stage.loops = {{2, 0, true}, {3, 2, false}, {2, 0, true}, {2, 1, false}};
  c.check();
  c.stage.loops = {{2, 0, false}, {3, 0, false}, {2, 0, true}, {2, 0, true}};
  c.check();
}

TEST(Contract, HalvesOfTheTrf) {
  SEQUIN_ROW("TRF-08");
  for (config::TrfAddress address :
       {config::TrfAddress::FirstHalf, config::TrfAddress::SecondHalf}) {
    Contraction c;
    c.flits = 4;
    c.bytesPerRow = 128;
    c.stage.trfAddress = address;
    c.stage.trf.entries = {{2, 32}};
    c.stage.loops = {{2, 0, true}};
    c.check();
  }
}

TEST(Contract, TrfBaseAddress) {
  Contraction c;
  c.bytesPerRow = 192;
  c.stage.trf.baseAddress = 128;
  c.stage.trf.entries = {{1, 0}};
  c.stage.loops = {{1, 0, false}};
  c.check();
}

// A row that does not take part gives zero, even beside an infinity.
TEST(Contract, MissingRowsAreZeroAndNansCanonical) {
  Contraction c;
  c.stage.rows = 1;
  c.stage.trf.entries = {{1, 0}};
  c.stage.loops = {{1, 0, false}};
  SliceProgram program = c.build();
  std::vector<float> values(32, 0.0f);
  values[3] = std::numeric_limits<float>::infinity();
  values[4] = -std::numeric_limits<float>::infinity();
  program.inputs[0] = arrayOf(BF16, values);
  program.inputs[1] = arrayOf(BF16, std::vector<float>(32, 1.0f));
  std::vector<sim::HostArray> outputs = program.outputs();
  EXPECT_EQ(loadElement(F32, outputs[0].data.data(), 0), 0x7fc00000u);
  for (int row = 1; row < 8; ++row)
    EXPECT_EQ(loadElement(F32, outputs[0].data.data(), row), 0u);
}

TEST(Contract, SubnormalProductsVanish) {
  SEQUIN_ROW("SIL-7");
  Contraction c;
  c.stage.trf.entries = {{1, 0}};
  c.stage.loops = {{1, 0, false}};
  SliceProgram program = c.build();
  // 2^-126 / 2 per product: 32 of them would be a normal number.
  program.inputs[0] =
      arrayOf(BF16, std::vector<float>(32, std::ldexp(1.0f, -126)));
  program.inputs[1] = arrayOf(BF16, std::vector<float>(8 * 32, 0.5f));
  EXPECT_EQ(floatsOf(program.outputs()[0])[0], 0.0f);
}

TEST(Contract, IntegersWrap) {
  Contraction c;
  c.type = I8;
  c.flits = 64;
  c.stage.depth = 6;
  c.stage.timeBroadcast = 64;
  c.stage.trf.entries = {{2048, 0}};
  c.stage.loops = {{2048, 0, true}};
  SliceProgram program = c.build();
  program.inputs[0] = arrayOf(I8, std::vector<int>(64 * 32, -128));
  program.inputs[1] = arrayOf(I8, std::vector<int>(8 * 64, -128));
  // 2048 * 64 * 2^14 = 2^31.
  EXPECT_EQ(intsOf(program.outputs()[0])[0],
            std::numeric_limits<int32_t>::min());
}

TEST(Contract, AccumulatorCapacity) {
  auto errorOf = [](AccumulationKind kind, int64_t slots, int64_t rows,
                    int64_t columns) {
    Contraction c;
    c.flits = 4 * slots;
    c.stage.rows = rows;
    c.stage.depth = columns == 1 ? 5 : 4;
    c.stage.columns = columns;
    c.stage.kind = kind;
    c.stage.trf.entries = {{2 * slots, 0}};
    c.stage.loops = {{2, 0, true}, {slots, 1, false}};
    return c.error();
  };
  SEQUIN_ROW("RED-14");
  EXPECT_EQ(errorOf(AccumulationKind::Interleaved, 128, 8, 1), "no error");
  EXPECT_THAT(errorOf(AccumulationKind::Interleaved, 129, 8, 1),
              HasSubstr("stage 'accumulate': the slots need 129 columns, "
                        "allowed are 128"));
  EXPECT_EQ(errorOf(AccumulationKind::Interleaved, 64, 1, 2), "no error");
  EXPECT_THAT(errorOf(AccumulationKind::Interleaved, 65, 1, 2),
              HasSubstr("the slots need 130 columns"));
  SEQUIN_ROW("RED-15");
  EXPECT_EQ(errorOf(AccumulationKind::Sequential, 32, 1, 1), "no error");
  EXPECT_THAT(errorOf(AccumulationKind::Sequential, 33, 1, 1),
              HasSubstr("the slots need 33 vectors, allowed are 32"));
  EXPECT_EQ(errorOf(AccumulationKind::Sequential, 4, 8, 2), "no error");
  EXPECT_THAT(errorOf(AccumulationKind::Sequential, 5, 8, 2),
              HasSubstr("the slots need 40 vectors"));
}

TEST(Contract, OpenSumsDoNotShareSlots) {
  auto errorOf = [](std::initializer_list<AccumulateLoop> loops) {
    Contraction c;
    c.flits = 128;
    c.bytesPerRow = 64;
    c.stage.trf.entries = {{64, 0}};
    c.stage.loops = loops;
    return c.error();
  };
  EXPECT_EQ(errorOf({{2, 0, true}, {8, 4, false}, {4, 1, false}}), "no error");
  EXPECT_EQ(errorOf({{8, 0, false}, {2, 0, true}, {4, 1, false}}), "no error");
  // All 32 sums in one slot, one that is too small, and one past it.
  EXPECT_THAT(errorOf({{2, 0, true}, {32, 0, false}}),
              HasSubstr("stage 'accumulate': loop 1 has slot stride 0, "
                        "expected 1"));
  EXPECT_THAT(errorOf({{2, 0, true}, {8, 3, false}, {4, 1, false}}),
              HasSubstr("loop 1 has slot stride 3, expected 4"));
  EXPECT_THAT(errorOf({{2, 0, true}, {8, 1, false}, {4, 1, false}}),
              HasSubstr("loop 1 has slot stride 1, expected 4"));
  EXPECT_THAT(errorOf({{2, 0, true}, {8, 5, false}, {4, 1, false}}),
              HasSubstr("loop 1 has slot stride 5, expected 4"));
  EXPECT_THAT(errorOf({{8, 4, false}, {2, 0, true}, {4, 1, false}}),
              HasSubstr("loop 0 has slot stride 4, expected 0"));
}

TEST(Contract, Refusals) {
  auto errorOf = [](auto change) {
    Contraction c;
    c.flits = 8;
    c.bytesPerRow = 128;
    c.stage.trf.entries = {{2, 0}, {2, 32}};
    c.stage.loops = {{2, 0, false}, {2, 0, true}};
    change(c);
    return c.error();
  };
  EXPECT_EQ(errorOf([](Contraction &) {}), "no error");
  EXPECT_THAT(errorOf([](Contraction &c) { c.stage.trf.entries = {{3, 0}}; }),
              HasSubstr("the TRF sequencer makes 3 steps, the stream has 4 "
                        "computation packets"));
  EXPECT_THAT(errorOf([](Contraction &c) { c.stage.loops = {{3, 0, true}}; }),
              HasSubstr("the loops make 3 steps, the stream has 4"));
  EXPECT_THAT(
      errorOf([](Contraction &c) { c.stage.trf.entries[1].stride = 16; }),
      HasSubstr("must be a multiple of 512"));
  EXPECT_THAT(errorOf([](Contraction &c) { c.stage.trf.baseAddress = 32; }),
              HasSubstr("TRF base address is 32, it must be a multiple of 64"));
  SEQUIN_ROW("TRF-03");
  EXPECT_THAT(errorOf([](Contraction &c) { c.stage.trf.baseAddress = 8128; }),
              HasSubstr("bytes 8128 to 8255 of the row's part of the TRF"));
  EXPECT_THAT(errorOf([](Contraction &c) { c.stage.regReadBytes = 48; }),
              HasSubstr("TRF read size is 48"));
  EXPECT_THAT(errorOf([](Contraction &c) { c.stage.depth = 6; }),
              HasSubstr("depth of the adder tree is 6, allowed are 0 to 5"));
  EXPECT_THAT(errorOf([](Contraction &c) { c.stage.columns = 2; }),
              HasSubstr("number of columns is 2, allowed are 1 to 1"));
  SEQUIN_ROW("RED-16");
  EXPECT_THAT(errorOf([](Contraction &c) {
                c.type = I8;
                c.stage.depth = 0;
                c.stage.columns = 33;
              }),
              HasSubstr("number of columns is 33, allowed are 1 to 32"));
  EXPECT_THAT(errorOf([](Contraction &c) { c.stage.collectFlits = 4; }),
              HasSubstr("number of collected flits is 4, machine 'rngd' "
                        "allows 1, 2, 3"));
  EXPECT_THAT(errorOf([](Contraction &c) { c.flits = 7; }),
              HasSubstr("the stream has 7 flits, packets take 2 each"));
  EXPECT_THAT(errorOf([](Contraction &c) { c.stage.loops[1].slotStride = 1; }),
              HasSubstr("loop 1 has slot stride 1, expected 0"));
  EXPECT_THAT(errorOf([](Contraction &c) { c.stage.loops[0].slotStride = -1; }),
              HasSubstr("loop 0 has slot stride -1, expected 0"));
  SEQUIN_ROW("CON-12");
  EXPECT_THAT(errorOf([](Contraction &c) { c.type = F32; }),
              HasSubstr("machine 'rngd' cannot contract f32"));
}
