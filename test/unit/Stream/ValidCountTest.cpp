//===- ValidCountTest.cpp - Tests of the valid count derivation -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "ValidCountFormula.h"

using namespace sequin;
using namespace sequin::testing;
using Placement = ValidCountPlacement;
using llvm::StringRef;

namespace {

/// Mappings of a stream as text.
struct Text {
  const char *axes, *slice, *time, *packet;
};

ValidCountStream streamOf(const Text &text) {
  AxisSizes axes = llvm::cantFail(AxisSizes::parse(text.axes));
  auto parse = [&](const char *mapping) {
    return llvm::cantFail(Mapping::parse(mapping, axes));
  };
  return {parse("1"), parse("1"), parse(text.slice), parse(text.time),
          parse(text.packet)};
}

llvm::Expected<ValidCountDerivation>
derive(const Text &text, llvm::ArrayRef<StringRef> axes = {"R"}) {
  return deriveValidCount(axes, streamOf(text), limitsOfRngd());
}

/// The configuration of a stream that must have one, with the counts compared
/// to what the mappings say.
ValidCountDerivation accepted(const Text &text,
                              llvm::ArrayRef<StringRef> axes = {"R"}) {
  llvm::Expected<ValidCountDerivation> result = derive(text, axes);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  ValidCountStream stream = streamOf(text);
  Counts found = countsOf(result->config, stream);
  Counts needed = neededCounts(stream, axes);
  for (int64_t s = 0; s < stream.slice.size(); ++s)
    if (takesPart(stream, s))
      EXPECT_EQ(found[s], needed[s])
          << "slice " << s << " of " << text.slice << " | " << text.time
          << " | " << text.packet;
  return std::move(*result);
}

std::string refused(const Text &text, llvm::ArrayRef<StringRef> axes = {"R"}) {
  llvm::Expected<ValidCountDerivation> result = derive(text, axes);
  if (result)
    return "accepted";
  return llvm::toString(result.takeError());
}

void expectGate(const ValidCountDerivation &found, int64_t mask, int64_t match,
                int64_t valid, bool transposed = false) {
  ASSERT_EQ(found.config.gates.size(), 1u);
  EXPECT_EQ(found.config.gates[0],
            (ValidCountConfig::Gate{mask, match, valid, transposed}));
}

/// The counts of the slices of one value of what is outside of R.
std::vector<std::vector<int64_t>> firstSlices(const Text &text, int64_t n) {
  Counts counts = countsOf(accepted(text).config, streamOf(text));
  return {counts.begin(), counts.begin() + n};
}

using Rows = std::vector<std::vector<int64_t>>;

} // namespace

TEST(ValidCount, SupportTable) {
  // The ten placements of the manual's quick reference, in its order.
  struct Row {
    Text text;
    bool supported;
  };
  const Row table[] = {
      {{"R=17,A=4,X=32", "X, R # 24 / 3", "R # 24 % 3", "A # 8"}, true},
      {{"R=12,A=8,X=64", "X, A / 2", "R # 16", "A % 2 # 8"}, true},
      {{"R=5,X=64", "X, R # 8 % 4", "R # 8 / 4", "1 # 8"}, true},
      {{"R=14,X=64", "X, R # 20 % 4", "R # 20 / 4", "1 # 8"}, false},
      {{"R=13,X=32", "X, R # 16 / 2 % 4, R # 16 / 8", "R # 16 % 2", "1 # 8"},
       false},
      {{"R=3,A=8,X=64", "X, A / 2", "1", "R # 8"}, true},
      {{"R=19,A=8,X=64", "X, A / 2", "R # 24 / 8", "R # 24 % 8"}, true},
      {{"R=19,A=8,X=64", "X, A / 2", "R # 24 % 8", "R # 24 / 8 # 8"}, false},
      {{"R=19,A=2,X=256", "X", "R # 24 / 4", "R # 24 % 4, A"}, false},
      {{"R=2045", "R # 2048 / 8", "1", "R # 2048 % 8"}, false},
  };
  SEQUIN_ROW("VCG-01");
  for (const Row &row : table) {
    if (row.supported)
      accepted(row.text);
    else
      EXPECT_NE(refused(row.text), "accepted") << row.text.slice;
  }
}

TEST(ValidCount, Modes) {
  SEQUIN_ROW("VCG-02");
  // R in Packet: a count from 0 to 8 by the packet dim, no gate.
  ValidCountDerivation packet =
      accepted({"R=19,X=64", "X", "R # 32 / 8", "R # 32 % 8"});
  EXPECT_TRUE(packet.config.gates.empty());
  EXPECT_EQ(firstSlices({"R=19,X=64", "X", "R # 32 / 8", "R # 32 % 8"}, 1),
            (Rows{{8, 8, 3, 0}}));
  // R not in Packet: whole flits or none, by a gate.
  ValidCountDerivation time = accepted({"R=3,X=64", "X", "R # 4", "1 # 8"});
  ASSERT_EQ(time.config.gates.size(), 1u);
  for (const ValidCountConfig::Counter &counter : time.config.counters)
    EXPECT_NE(counter.dim, ValidCountConfig::kPacketDim);
  EXPECT_EQ(firstSlices({"R=3,X=64", "X", "R # 4", "1 # 8"}, 1),
            (Rows{{8, 8, 8, 0}}));
}

TEST(ValidCount, SliceParts) {
  SEQUIN_ROW("VCG-04");
  Text text = {"R=13,X=32", "R # 16 / 8, X, R # 16 / 2 % 4", "R # 16 % 2",
               "1 # 8"};
  ValidCountDerivation found = accepted(text);
  expectGate(found, 0b10000011, 0b10000010, 1);
  EXPECT_EQ(found.placements[0], Placement::SliceTime);
  // S0 to S5 valid, S6 one of two, S7 none; X is in the bits between.
  Counts counts = countsOf(found.config, streamOf(text));
  for (int64_t x : {0, 31}) {
    for (int64_t s = 0; s < 8; ++s) {
      std::vector<int64_t> steps = s < 6    ? std::vector<int64_t>{8, 8}
                                   : s == 6 ? std::vector<int64_t>{8, 0}
                                            : std::vector<int64_t>{0, 0};
      EXPECT_EQ(counts[s / 4 * 128 + x * 4 + s % 4], steps) << s;
    }
  }
}

TEST(ValidCount, SliceAndTime) {
  SEQUIN_ROW("VCG-05");
  Text text = {"R=17,A=4,X=32", "X, R # 24 / 3", "R # 24 % 3", "A # 8"};
  expectGate(accepted(text), 0b111, 5, 2);
  EXPECT_EQ(firstSlices(text, 8), (Rows{{8, 8, 8},
                                        {8, 8, 8},
                                        {8, 8, 8},
                                        {8, 8, 8},
                                        {8, 8, 8},
                                        {8, 8, 0},
                                        {0, 0, 0},
                                        {0, 0, 0}}));
}

TEST(ValidCount, TransposedRule) {
  // Supported if and only if p / s == ceil(R / s), over a grid of sizes.
  int supported = 0, refusals = 0;
  SEQUIN_ROW("VCG-06");
  for (int64_t s : {2, 4, 8})
    for (int64_t size = 2; size < 34; ++size)
      for (int64_t p = (size + s - 1) / s * s; p <= 40; p += s) {
        if (p == size || p / s == 1)
          continue;
        std::string axes = "R=" + std::to_string(size) + ",X=4";
        std::string padded = "R # " + std::to_string(p);
        std::string slice = "X, " + padded + " % " + std::to_string(s);
        std::string time = padded + " / " + std::to_string(s);
        Text text = {axes.c_str(), slice.c_str(), time.c_str(), "1 # 8"};
        bool expected = p / s == (size + s - 1) / s;
        ++(expected ? supported : refusals);
        if (expected)
          accepted(text);
        else
          EXPECT_NE(refused(text), "accepted") << slice << " | " << time;
      }
  EXPECT_GT(supported, 20);
  EXPECT_GT(refusals, 100);
}

TEST(ValidCount, Transposed) {
  SEQUIN_ROW("VCG-07");
  Text text = {"R=5,X=64", "X, R # 8 % 4", "R # 8 / 4", "1 # 8"};
  ValidCountDerivation found = accepted(text);
  expectGate(found, 0b11, 1, 1, true);
  EXPECT_EQ(found.placements[0], Placement::SliceTimeTransposed);
  EXPECT_EQ(firstSlices(text, 4), (Rows{{8, 8}, {8, 0}, {8, 0}, {8, 0}}));

  SEQUIN_ROW("VCG-08");
  EXPECT_EQ(
      refused({"R=14,X=64", "X, R # 20 % 4", "R # 20 / 4", "1 # 8"}),
      "the padding of axis 'R' (size 14) in Slice 'X, R # 20 % 4' + Time "
      "'R # 20 / 4' cannot be told from data: transposed, it has 5 time steps "
      "where its size needs 4; the valid count generator supports Time, Slice, "
      "Slice (outer part) + Time (inner part), Slice (inner part) + Time "
      "(outer part) without spare time steps, Packet, and Time + Packet "
      "(innermost part)");
  Text fixed = {"R=14,X=64", "X, R # 16 % 4", "R # 16 / 4", "1 # 8"};
  EXPECT_EQ(firstSlices(fixed, 4),
            (Rows{{8, 8, 8, 8}, {8, 8, 8, 8}, {8, 8, 8, 0}, {8, 8, 8, 0}}));
}

TEST(ValidCount, TimeOnly) {
  SEQUIN_ROW("VCG-09");
  Text text = {"R=12,A=8,X=64", "X, A / 2", "R # 16", "A % 2 # 8"};
  ValidCountDerivation found = accepted(text);
  expectGate(found, 0, 0, 12);
  EXPECT_EQ(found.placements[0], Placement::Time);
  EXPECT_EQ(firstSlices(text, 1),
            (Rows{{8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0}}));
}

TEST(ValidCount, NotOuterInner) {
  SEQUIN_ROW("VCG-10");
  Text wrong = {"R=13,X=32", "X, R # 16 / 2 % 4, R # 16 / 8", "R # 16 % 2",
                "1 # 8"};
  // Valid steps 2,2,2,2,2,1,2,0: the last but one is not below the one before.
  Counts needed = neededCounts(streamOf(wrong), {"R"});
  std::vector<int64_t> steps;
  for (int64_t s = 0; s < 8; ++s)
    steps.push_back((needed[s][0] + needed[s][1]) / 8);
  EXPECT_EQ(steps, (std::vector<int64_t>{2, 2, 2, 2, 2, 1, 2, 0}));
  EXPECT_NE(refused(wrong).find("do not ascend from the inside out"),
            std::string::npos);
  accepted(
      {"R=13,X=32", "X, R # 16 / 8, R # 16 / 2 % 4", "R # 16 % 2", "1 # 8"});

  SEQUIN_ROW("VCG-11");
  Text between = {"R=13,X=64", "X, R # 16 / 2 % 4", "R # 16 / 8, R # 16 % 2",
                  "1 # 8"};
  needed = neededCounts(streamOf(between), {"R"});
  steps.clear();
  for (int64_t s = 0; s < 4; ++s)
    steps.push_back(
        (needed[s][0] + needed[s][1] + needed[s][2] + needed[s][3]) / 8);
  EXPECT_EQ(steps, (std::vector<int64_t>{4, 4, 3, 2}));
  EXPECT_NE(refused(between).find("more than one threshold"),
            std::string::npos);
  accepted({"R=13,X=64", "X, R # 16 / 4", "R # 16 % 4", "1 # 8"});
}

TEST(ValidCount, Distribution) {
  SEQUIN_ROW("VCG-03");
  // Slice: ascending from the inside out, and contiguous.
  accepted(
      {"R=13,X=4", "R # 16 / 8, X, R # 16 / 4 % 2", "R # 16 % 4", "1 # 8"});
  EXPECT_NE(refused({"R=13,X=4", "R # 16 / 4 % 2, X, R # 16 / 8", "R # 16 % 4",
                     "1 # 8"})
                .find("do not ascend"),
            std::string::npos);
  EXPECT_NE(refused({"R=9,X=4", "X, R # 16 / 8, R # 16 / 2 % 2", "R # 16 % 2",
                     "1 # 8"})
                .find("leave a gap at stride 4"),
            std::string::npos);
  // Time: in any order, other axes between.
  for (const char *time : {"R # 16 / 8, X, R # 16 / 2 % 4, R # 16 % 2",
                           "R # 16 % 2, X, R # 16 / 8, R # 16 / 2 % 4",
                           "X, R # 16 / 2 % 4, R # 16 % 2, R # 16 / 8"})
    accepted({"R=13,X=4", "1", time, "1 # 8"});
  // Packet: the innermost part, a prefix, padded to eight.
  accepted({"R=13,X=4", "X", "R # 16 / 4", "R # 16 % 4 # 8"});
  EXPECT_NE(refused({"R=13,X=4", "X", "R # 16 % 4", "R # 16 / 4 # 8"})
                .find("not its innermost part"),
            std::string::npos);
  EXPECT_EQ(refused({"R=13,X=4", "X", "R # 16 / 4", "R # 16 % 4"}),
            "packet 'R # 16 % 4' has 4 elements, the valid count generator "
            "counts flits of 8");
}

TEST(ValidCount, TimeInAnyOrder) {
  SEQUIN_ROW("VCG-12");
  SEQUIN_ROW("ERR-70");
  Text text = {"R=45,X=2,Y=256", "Y", "R # 48 / 8 % 2, X, R # 48 / 8 / 2",
               "R # 48 % 8"};
  EXPECT_EQ(firstSlices(text, 1), (Rows{{8, 8, 8, 8, 8, 8, 8, 8, 5, 8, 8, 5}}));
}

TEST(ValidCount, PacketOnly) {
  SEQUIN_ROW("VCG-13");
  Text text = {"R=3,A=8,X=64", "X, A / 2", "A % 2", "R # 8"};
  ValidCountDerivation found = accepted(text);
  EXPECT_EQ(found.placements[0], Placement::Packet);
  for (const auto &slice : countsOf(found.config, streamOf(text)))
    EXPECT_EQ(slice, (std::vector<int64_t>{3, 3}));
}

TEST(ValidCount, TimeAndPacket) {
  SEQUIN_ROW("VCG-14");
  Text text = {"R=19,A=8,X=64", "X, A / 2", "R # 24 / 8", "R # 24 % 8"};
  ValidCountDerivation found = accepted(text);
  EXPECT_EQ(found.placements[0], Placement::TimePacket);
  for (const auto &slice : countsOf(found.config, streamOf(text)))
    EXPECT_EQ(slice, (std::vector<int64_t>{8, 8, 3}));

  SEQUIN_ROW("VCG-15");
  SEQUIN_ROW("ERR-73");
  Text outer = {"R=19,A=8,X=64", "X, A / 2", "R # 24 % 8", "R # 24 / 8 # 8"};
  EXPECT_EQ(neededCounts(streamOf(outer), {"R"})[0],
            (std::vector<int64_t>{3, 3, 3, 2, 2, 2, 2, 2}));
  EXPECT_NE(refused(outer).find("not its innermost part"), std::string::npos);

  SEQUIN_ROW("VCG-16");
  Text narrow = {"R=7,A=8,X=64", "X, A / 2", "R # 8 / 4", "R # 8 % 4 # 8"};
  found = accepted(narrow);
  EXPECT_EQ(firstSlices(narrow, 1), (Rows{{4, 3}}));
  ASSERT_EQ(found.config.counters.size(), 1u);
  EXPECT_EQ(found.config.counters[0],
            (ValidCountConfig::Counter{2, ValidCountConfig::kPacketDim, 4}));

  SEQUIN_ROW("VCG-17");
  SEQUIN_ROW("ERR-74");
  EXPECT_NE(refused({"R=19,A=2,X=256", "X", "R # 24 / 4", "R # 24 % 4, A"})
                .find("Packet holds 'A' too"),
            std::string::npos);
  EXPECT_NE(
      refused({"R=19,A=2,X=256", "X", "R # 24 / 4", "[R # 24 % 4, A] # 8"})
          .find("Packet holds 'A' too"),
      std::string::npos);

  SEQUIN_ROW("VCG-18");
  ValidCountDerivation aligned =
      accepted({"R=24,A=8,X=64", "X, A / 2", "R / 8", "R % 8"});
  EXPECT_FALSE(aligned.isNeeded());
  EXPECT_EQ(aligned.placements[0], Placement::NoPadding);
}

TEST(ValidCount, SliceAndPacket) {
  SEQUIN_ROW("VCG-19");
  Text wrong = {"R=2045", "R # 2048 / 8", "1", "R # 2048 % 8"};
  Counts needed = neededCounts(streamOf(wrong), {"R"});
  EXPECT_EQ(needed[254][0], 8);
  EXPECT_EQ(needed[255][0], 5);
  EXPECT_NE(refused(wrong).find(
                "slices would need packets of 8 and of 5 elements at the same "
                "time step"),
            std::string::npos);
  // The manual's two ways out.
  accepted({"R=2045,A=4", "R # 2048 / 8", "R # 2048 % 8", "A # 8"});
  EXPECT_FALSE(accepted({"R=2048", "R / 8", "1", "R % 8"}).isNeeded());

  SEQUIN_ROW("VCG-33");
  EXPECT_NE(refused({"R=10", "R # 16 / 8", "1", "R # 16 % 8"})
                .find("packets of 8 and of 2"),
            std::string::npos);
  // Whole packets: a gate alone. One packet: the packet dim, in slice 0 alone.
  Text whole = {"R=24", "R # 32 / 8", "1", "R # 32 % 8"};
  EXPECT_EQ(accepted(whole).placements[0], Placement::SlicePacket);
  EXPECT_EQ(firstSlices(whole, 4), (Rows{{8}, {8}, {8}, {0}}));
  EXPECT_EQ(firstSlices({"R=5", "R # 32 / 8", "1", "R # 32 % 8"}, 4),
            (Rows{{5}, {0}, {0}, {0}}));

  SEQUIN_ROW("VCG-34");
  SEQUIN_ROW("ERR-68");
  Text three = {"R=13", "R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4 # 8"};
  EXPECT_EQ(neededCounts(streamOf(three), {"R"}),
            (Counts{{4, 4}, {4, 1}, {0, 0}, {0, 0}}));
  EXPECT_NE(refused(three).find("packets of 4 and of 1"), std::string::npos);
  Text degenerate = {"R=12", "R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4 # 8"};
  EXPECT_EQ(accepted(degenerate).placements[0], Placement::SliceTimePacket);
  EXPECT_EQ(firstSlices(degenerate, 4), (Rows{{4, 4}, {4, 0}, {0, 0}, {0, 0}}));
}

TEST(ValidCount, SeveralAxes) {
  SEQUIN_ROW("VCG-29");
  Text text = {"H=5,C=5,W=19", "H # 8 / 2, C # 8 / 2",
               "H # 8 % 2, C # 8 % 2, W # 24 / 8", "W # 24 % 8"};
  ValidCountDerivation found = accepted(text, {"C", "H", "W"});
  using Counter = ValidCountConfig::Counter;
  EXPECT_EQ(llvm::ArrayRef(found.config.counters),
            llvm::ArrayRef<Counter>({{3, 0, 8}, {2, 1, 1}, {2, 2, 1}}));
  EXPECT_EQ(found.config.packetValid, 19);
  using Gate = ValidCountConfig::Gate;
  EXPECT_EQ(llvm::ArrayRef(found.config.gates),
            llvm::ArrayRef<Gate>(
                {{0b0011, 2, 1, false}, {0b1100, 0b1000, 1, false}}));
  // 16 slices x 12 flits equal to what the mappings say: compared in accepted.
  EXPECT_EQ(countsOf(found.config, streamOf(text)).size(), 16u);

  SEQUIN_ROW("VCG-35");
  // One packet dim and three gates; axes without padding are free.
  Text full = {"A=3,B=3,C=3,R=5,U=4", "A # 4, U", "B # 4, C # 4, R # 8 / 4",
               "R # 8 % 4 # 8"};
  found = accepted(full, {"A", "B", "C", "R", "U"});
  EXPECT_EQ(found.config.gates.size(), 3u);
  EXPECT_EQ(found.placements[4], Placement::NoPadding);
  EXPECT_EQ(refused({"A=3,B=3,C=3,D=3,R=5", "A # 4",
                     "B # 4, C # 4, D # 4, R # 8 / 4", "R # 8 % 4 # 8"},
                    {"A", "B", "C", "D", "R"}),
            "axis 'D' is padded axis 4 outside Packet, the valid count "
            "generator has 3 gates");
  // The packet dim of a stream whose packets are never partly filled can stand
  // in for a gate over time.
  found = accepted({"A=3,B=3,C=3,D=3", "A # 4", "B # 4, C # 4, D # 4", "1 # 8"},
                   {"A", "B", "C", "D"});
  EXPECT_EQ(found.config.gates.size(), 3u);
  EXPECT_EQ(found.config.packetValid, 24);
  EXPECT_NE(refused({"A=3,B=3,C=3,D=3,E=3", "A # 4",
                     "B # 4, C # 4, D # 4, E # 4", "1 # 8"},
                    {"A", "B", "C", "D", "E"})
                .find("has 3 gates"),
            std::string::npos);
  EXPECT_NE(refused({"A=3,R=5", "1", "1", "[A # 4, R # 8 % 2]"}, {"A", "R"}),
            "accepted");
}

TEST(ValidCount, SliceBits) {
  // SIL-50: what stands below a counted factor of the slice number, and the
  // factor itself unless it is the outermost, are powers of two.
  SEQUIN_ROW("SIL-50");
  EXPECT_NE(refused({"R=17,X=3", "R # 24 / 3, X", "R # 24 % 3", "1 # 8"})
                .find("not bits of the slice number"),
            std::string::npos);
  EXPECT_NE(refused({"R=17,X=4", "X, R # 18 / 3", "R # 18 % 3", "1 # 8"})
                .find("not bits of the slice number"),
            std::string::npos);
  expectGate(accepted({"R=17,X=4", "R # 18 / 3, X", "R # 18 % 3", "1 # 8"}),
             0b11100, 5 << 2, 2);
  expectGate(accepted({"R=17,X=4", "X, R # 24 / 3", "R # 24 % 3", "1 # 8"}),
             0b111, 5, 2);
  // Time alone asks for no bits.
  expectGate(accepted({"R=3,X=3", "X", "R # 4", "1 # 8"}), 0, 0, 3);
  // Slices beyond the mapping take no part.
  expectGate(accepted({"R=17", "R # 24 / 3 # 256", "R # 24 % 3", "1 # 8"}),
             0xff, 5, 2);
}

TEST(ValidCount, OtherPlacements) {
  EXPECT_EQ(accepted({"R=5,X=4", "R # 8", "X", "1 # 8"}).placements[0],
            Placement::Slice);
  // Sizes of which a part holds nothing at all.
  accepted({"R=3,X=4", "X", "R # 8 / 4", "R # 8 % 4 # 8"});
  accepted({"R=3,X=4", "X", "R # 16 / 4", "R # 16 % 4 # 8"});
  // A view that begins inside the axis.
  accepted({"R=13,X=4", "X", "[R # 16] @ 8 = 8", "1 # 8"});
  accepted({"R=12,X=4", "X", "R @ 4 = 8 # 16", "1 # 8"});
  EXPECT_NE(refused({"R=12,X=4", "X", "R # 16 @ 2", "1 # 8"}), "accepted");
  // Brackets around what another axis stands beside.
  accepted({"R=13,X=4", "[X, R # 16 / 4] # 256", "R # 16 % 4", "1 # 8"});
  EXPECT_NE(
      refused({"R=13,X=3", "1", "[R, X] # 40 / 5, [R, X] # 40 % 5", "1 # 8"})
          .find("is not the axis padded at its end and then split"),
      std::string::npos);
  EXPECT_EQ(refused({"X=3", "1", "X", "1 # 8"}), "the stream has no axis 'R'");

  // What a group holds at its position 0 counts once, though two dimensions
  // have parts of it.
  expectGate(accepted({"R=12,X=2", "R @ 1 = 4 / 4, X",
                       "R / 3, R @ 1 = 4 # 20 % 4", "1 # 8"}),
             0, 0, 11);
  expectGate(accepted({"R=12,X=2", "X", "R @ 2 = 9 # 15 / 3", "1 # 8"}), 0, 0,
             3);
  // Data may end where a view does, between the ends of its parts.
  expectGate(
      accepted({"R=12,X=2", "X, R = 6 # 8 / 4", "R = 6 # 8 % 4", "1 # 8"}), 1,
      1, 2);
  expectGate(accepted({"R=20,X=2", "X", "R / 5, R % 5 # 6 / 2, R % 5 # 6 % 2",
                       "1 # 8"}),
             0, 0, 5);
  EXPECT_NE(refused({"R=18,X=2", "X", "R # 20 / 5, R # 20 % 5 # 6", "1 # 8"})
                .find("a part in Time is padded after it was split off"),
            std::string::npos);
  EXPECT_NE(
      refused({"R=18,X=2", "X",
               "R # 20 / 5, R # 20 % 5 # 6 / 2, R # 20 % 5 # 6 % 2", "1 # 8"})
          .find("a view that was split ends inside the stream, and so "
                "does the rest of it"),
      std::string::npos);
  // Padding in front.
  EXPECT_NE(refused({"R=1,X=2", "X", "R # 3 @ 1", "1 # 8"}), "accepted");
  EXPECT_NE(refused({"R=5,X=2", "1 # 2 @ 1, R # 6", "1", "1 # 8"}), "accepted");
  EXPECT_NE(refused({"R=5,X=2", "X", "R # 6 / 2", "1 # 4 @ 1, R # 6 % 2"}),
            "accepted");

  // Over clusters only where everything is data.
  Text text = {"R=24", "1", "1", "1 # 8"};
  AxisSizes axes = llvm::cantFail(AxisSizes::parse("R=24"));
  ValidCountStream stream = streamOf(text);
  stream.cluster = llvm::cantFail(Mapping::parse("R # 32 / 16", axes));
  stream.time = llvm::cantFail(Mapping::parse("R # 32 % 16", axes));
  auto result = deriveValidCount({"R"}, stream, limitsOfRngd());
  ASSERT_FALSE(static_cast<bool>(result));
  EXPECT_NE(
      llvm::toString(result.takeError()).find("spread over chips or clusters"),
      std::string::npos);
  stream.cluster = llvm::cantFail(Mapping::parse("R / 12", axes));
  stream.time = llvm::cantFail(Mapping::parse("R % 12", axes));
  result = deriveValidCount({"R"}, stream, limitsOfRngd());
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_FALSE(result->isNeeded());
}

TEST(ValidCount, Limits) {
  // Counters: eight, and one more than there are.
  SEQUIN_ROW("VCG-22");
  std::string axes = "R=13,A=2,B=2,C=2,D=2,E=2";
  Text eight = {axes.c_str(), "1",
                "A, R # 16 / 8, B, R # 16 / 4 % 2, C, R # 16 / 2 % 2, D, "
                "R # 16 % 2",
                "1 # 8"};
  EXPECT_EQ(accepted(eight).config.counters.size(), 8u);
  EXPECT_EQ(refused({axes.c_str(), "1",
                     "A, R # 16 / 8, B, R # 16 / 4 % 2, C, R # 16 / 2 % 2, D, "
                     "R # 16 % 2, E",
                     "1 # 8"}),
            "time 'A, R # 16 / 8, B, R # 16 / 4 % 2, C, R # 16 / 2 % 2, D, "
            "R # 16 % 2, E' needs 9 counters to be counted, the valid count "
            "generator has 8");
  // Neighbours that count as one, and axes nobody counts, share a counter.
  EXPECT_EQ(accepted({"R=13,A=2,B=3,C=3", "1",
                      "A, B, R # 16 / 4, R # 16 % 4, C", "1 # 8"})
                .config.counters.size(),
            3u);
  // A counter ends at the limit of a loop; a longer one is cut in two.
  int64_t most = limitsOfRngd().maxSize;
  auto counters = [&](int64_t size) {
    std::string axes = "R=" + std::to_string(size - 1);
    std::string time = "R # " + std::to_string(size);
    auto found = derive({axes.c_str(), "1", time.c_str(), "1 # 8"});
    return found ? found->config.counters.size() : 0;
  };
  EXPECT_EQ(counters(most), 1u);
  EXPECT_EQ(counters(2 * most), 2u);
  EXPECT_EQ(counters(65537), 0u); // a prime past the limit
}
