//===- DeriveTest.cpp - Sequencers of the manual's examples ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamTestSupport.h"

using namespace sequin;
using namespace sequin::testing;
using llvm::StringRef;

namespace {

// Limits of this test's engines; the machines' rows are in Machine.h.
const int64_t readSizes[] = {1, 2, 4, 8, 16, 32};
const int64_t writeSizes[] = {8, 16, 24, 32};
constexpr unsigned entryLimit = 8;
constexpr int64_t sizeLimit = 65536;

struct Case {
  StringRef axes, buffer, time, packet;
  ElementType type = ElementType::I8;
  Direction direction = Direction::Read;
  bool minimal = false;
};

llvm::Expected<Derivation> run(const Case &c) {
  AxisSizes axes = axesOf(c.axes);
  DeriveOptions options;
  options.direction = c.direction;
  options.elementType = c.type;
  options.minimal = c.minimal;
  options.limits = {entryLimit, sizeLimit,
                    c.direction == Direction::Read
                        ? llvm::ArrayRef<int64_t>(readSizes)
                        : llvm::ArrayRef<int64_t>(writeSizes)};
  return derive(AddressMap(mappingOf(c.buffer, axes)), mappingOf(c.time, axes),
                mappingOf(c.packet, axes), options);
}

Derivation derived(const Case &c) {
  auto result = run(c);
  if (!result) {
    ADD_FAILURE() << c.buffer.str() << " -> " << c.time.str() << " | "
                  << c.packet.str() << ": "
                  << llvm::toString(result.takeError());
    return Derivation();
  }
  return *result;
}

std::string refused(const Case &c) {
  auto result = run(c);
  return result ? "accepted: " + result->sequencer.str()
                : llvm::toString(result.takeError());
}

std::vector<std::string> termsOf(const Sequencer &sequencer) {
  std::vector<std::string> result;
  for (const SequencerEntry &entry : sequencer.entries) {
    std::string text;
    for (const LoopTerm &term : entry.terms)
      text += (text.empty() ? "" : " * ") + term.str();
    result.push_back(text);
  }
  return result;
}

using Terms = std::vector<std::string>;

TEST(Derive, StridedReadAndWrite) {
  SEQUIN_ROW("SEQ-01");
  SEQUIN_ROW("ERR-17");
  Case c{"A=8,B=512", "A, B", "A, B / 32", "B % 32", ElementType::BF16};
  Derivation d = derived(c);
  EXPECT_EQ(d.sequencer.str(), "[8:512, 16:32, 32:1]:32");
  EXPECT_EQ(termsOf(d.sequencer), (Terms{"A", "B / 32", "B % 32"}));
  // A packet of 64 bytes is fetched in two accesses of 32.
  EXPECT_EQ(d.accessBytes, 32);
  EXPECT_EQ(d.cycles, 256);
  c.direction = Direction::Write;
  EXPECT_EQ(derived(c).sequencer.str(), "[8:512, 16:32, 32:1]:32");
}

TEST(Derive, AxisReordering) {
  SEQUIN_ROW("SEQ-02");
  SEQUIN_ROW("SEQ-07");
  Case c{"N=4,C=3,H=8,W=8", "N, C, H, W", "W, H, C, N", "1", ElementType::BF16};
  Derivation d = derived(c);
  EXPECT_EQ(d.sequencer.str(), "[8:1, 8:8, 3:64, 4:192]:1");
  EXPECT_EQ(termsOf(d.sequencer), (Terms{"W", "H", "C", "N"}));
  EXPECT_EQ(d.contiguousBytes, 2);
  EXPECT_EQ(d.accessBytes, 2);
  EXPECT_EQ(d.cycles, 768);
  std::vector<int64_t> visits = d.sequencer.visits();
  size_t i = 0;
  for (int w = 0; w < 8; ++w)
    for (int h = 0; h < 8; ++h)
      for (int ch = 0; ch < 3; ++ch)
        for (int n = 0; n < 4; ++n)
          ASSERT_EQ(visits[i++], w + 8 * h + 64 * ch + 192 * n);
  c.direction = Direction::Write;
  d = derived(c);
  EXPECT_EQ(d.sequencer.str(), "[8:1, 8:8, 3:64, 4:192]:1");
  // The sequencer exists; a commit of 2 bytes does not.
  EXPECT_FALSE(d.accessSupported);
  EXPECT_EQ(d.accessBytes, 2);
}

TEST(Derive, TilingReadAndWrite) {
  Case c{"A=8,B=512,C=3", "A, B, C # 8", "A % 2, B % 4, A / 2, B / 4",
         "C # 32"};
  EXPECT_EQ(derived(c).sequencer.str(),
            "[2:4096, 4:8, 4:8192, 128:32, 32:1]:32");
  SEQUIN_ROW("SEQ-03");
  c.direction = Direction::Write;
  Derivation d = derived(c);
  EXPECT_EQ(d.sequencer.str(), "[2:4096, 4:8, 4:8192, 128:32, 8:1]:8");
  EXPECT_EQ(d.accessBytes, 8);
  SEQUIN_ROW("SEQ-04");
  SEQUIN_ROW("ERR-18");
  SEQUIN_ROW("KER-16");
}

TEST(Derive, Broadcasts) {
  Case c{"A=16,T=4,P=4", "A", "T, A", "P"};
  Derivation d = derived(c);
  EXPECT_EQ(d.sequencer.str(), "[4:0, 16:1, 4:0]:4");
  EXPECT_EQ(termsOf(d.sequencer), (Terms{"T", "A", "P"}));
  EXPECT_EQ(d.accessBytes, 4);
  SEQUIN_ROW("SEQ-05");
  SEQUIN_ROW("SEQ-12");
  // Copies behind padding, in the buffer as in the stream.
  EXPECT_EQ(
      derived({"A=2", "3 # 5 @ 2, A", "1", "3 # 5 @ 2, A"}).sequencer.base, 0);
  c.direction = Direction::Write;
  EXPECT_EQ(refused(c), "write broadcast: the buffer 'A' does not hold 'T' of "
                        "the stream, so it would write one cell 4 times");
  SEQUIN_ROW("SEQ-06");
  SEQUIN_ROW("ERR-19");
}

TEST(Derive, RearrangingAxes) {
  Derivation d = derived({"A=8,B=8,C=8", "A, B, C # 32", "B, A", "C # 16"});
  EXPECT_EQ(d.sequencer.str(), "[8:32, 8:256, 16:1]:16");
  EXPECT_EQ(termsOf(d.sequencer), (Terms{"B", "A", "C # 16"}));
  EXPECT_EQ(d.accessBytes, 16);
  SEQUIN_ROW("SEQ-09");
}

TEST(Derive, SplittingAxes) {
  Derivation d = derived(
      {"A=8,B=8,C=4", "A, B, C # 8", "A % 2, B % 4, A / 2, B / 4", "C # 32"});
  EXPECT_EQ(d.sequencer.str(), "[2:64, 4:8, 4:128, 2:32, 32:1]:32");
  EXPECT_EQ(d.accessBytes, 32);
  // Reads run past the buffer of 512 elements by the padding of the packet.
  auto visits = d.sequencer.visits();
  EXPECT_EQ(*llvm::max_element(visits), 535);
  SEQUIN_ROW("SEQ-10");
}

TEST(Derive, SlicingAxes) {
  Derivation d = derived(
      {"A=16,B=8,C=8", "A, B, C", "A / 4, A % 4 = 3, B / 4, B % 4 = 2", "C"});
  EXPECT_EQ(d.sequencer.str(), "[4:256, 3:64, 2:32, 2:8, 8:1]:8");
  EXPECT_EQ(termsOf(d.sequencer),
            (Terms{"A / 4", "A % 4 = 3", "B / 4", "B % 4 = 2", "C"}));
  EXPECT_EQ(d.accessBytes, 8);
  SEQUIN_ROW("SEQ-11");
}

TEST(Derive, MergesNineEntriesToSix) {
  Case c{"N=8,C=8,H=8,W=32", "N, C, H, W",
         "W / 16, H % 2, H / 2, C / 2, C % 2, N / 2, N % 2, W / 8 % 2",
         "W % 8"};
  Derivation d = derived(c);
  EXPECT_EQ(d.initial.str(), "[2:16, 2:32, 4:64, 4:512, 2:256, 4:4096, "
                             "2:2048, 2:8, 8:1]:8");
  EXPECT_EQ(d.sequencer.str(), "[2:16, 2:32, 4:64, 8:256, 8:2048, 16:1]:16");
  EXPECT_TRUE(d.merged);
  EXPECT_EQ(termsOf(d.sequencer),
            (Terms{"W / 16", "H % 2", "H / 2", "C / 2 * C % 2", "N / 2 * N % 2",
                   "W / 8 % 2 * W % 8"}));
  EXPECT_EQ(d.initial.visits(), d.sequencer.visits());
  EXPECT_EQ(d.accessBytes, 16);
  EXPECT_EQ(d.cycles, 1024);
  SEQUIN_ROW("SEQ-13");
  SEQUIN_ROW("SEQ-14");
}

TEST(Derive, MergesOnlyWhereNeededUnlessAsked) {
  Case c{"A=8,B=8,C=8", "A, B, C", "A, B", "C"};
  EXPECT_EQ(derived(c).sequencer.str(), "[8:64, 8:8, 8:1]:8");
  EXPECT_FALSE(derived(c).merged);
  c.minimal = true;
  EXPECT_EQ(derived(c).sequencer.str(), "[512:1]:512");
  EXPECT_TRUE(derived(c).merged);
}

TEST(Derive, EntryLimit) {
  // Eight loops stand as they are, nine that do not merge are refused.
  Case eight{"A=2,B=2,C=2,D=2,E=2,F=2,G=2,H=2", "A, B, C, D, E, F, G, H",
             "H, G, F, E, D, C, B", "A"};
  EXPECT_EQ(derived(eight).sequencer.entries.size(), 8u);
  Case nine{"A=2,B=2,C=2,D=2,E=2,F=2,G=2,H=2,I=2", "A, B, C, D, E, F, G, H, I",
            "I, H, G, F, E, D, C, B", "A"};
  EXPECT_EQ(refused(nine),
            "the stream needs 9 sequencer entries after merging, at most 8 are "
            "allowed: [I 2:1, H 2:2, G 2:4, F 2:8, E 2:16, D 2:32, C 2:64, "
            "B 2:128, A 2:256]");
  SEQUIN_ROW("SEQ-15");
}

TEST(Derive, SizeLimit) {
  EXPECT_EQ(derived({"A=65536", "A", "A", "1"}).sequencer.str(), "[65536:1]:1");
  // One past is prime times small: split where it divides.
  EXPECT_EQ(derived({"A=65538", "A", "A", "1"}).sequencer.str(),
            "[2:32769, 32769:1]:1");
  EXPECT_EQ(derived({"A=131072", "A", "1", "A"}).sequencer.str(),
            "[2:65536, 65536:1]:131072");
  EXPECT_EQ(refused({"A=65537", "A", "A", "1"}),
            "entry 'A' has size 65537, at most 65536 are allowed, and no "
            "divisor to split it by");
  SEQUIN_ROW("ERR-20");
  SEQUIN_ROW("SEQ-15");
}

TEST(Derive, InsufficientInput) {
  EXPECT_EQ(refused({"N=2048", "N % 512", "N / 512", "N % 512"}),
            "insufficient input: the stream walks 'N / 512, N % 512' but the "
            "buffer holds only 'N % 512' of N");
  EXPECT_EQ(refused({"N=2048", "N = 512", "N = 513", "1"}),
            "insufficient input: the stream walks 'N = 513' but the buffer "
            "holds only 'N % 512' of N");
  EXPECT_EQ(derived({"N=2048", "N = 512", "N = 511", "1"}).sequencer.str(),
            "[511:1]:1");
  EXPECT_NE(refused({"N=8", "N @ 4 = 4", "1", "N = 2"}).find("insufficient"),
            std::string::npos);
  // A buffer that starts past index 0 does not hold what a stream without the
  // axis asks for.
  EXPECT_NE(refused({"N=8,C=4", "N @ 4 = 4, C", "1", "C"}).find("insufficient"),
            std::string::npos);
  SEQUIN_ROW("SEQ-16");
}

TEST(Derive, IncompatibleShapes) {
  EXPECT_EQ(refused({"A=15", "A % 5, A / 5", "1", "A % 3, A / 3"}),
            "incompatible shapes: the buffer holds A as 'A % 5, A / 5' and the "
            "stream walks it as 'A % 3, A / 3', which have no common "
            "refinement");
  EXPECT_EQ(
      derived({"A=15", "A % 5, A / 5", "1", "A % 5, A / 5"}).sequencer.str(),
      "[5:3, 3:1]:15");
  EXPECT_EQ(derived({"A=15", "A % 5, A / 5", "1", "A"}).sequencer.str(),
            "[3:1, 5:3]:15");
  SEQUIN_ROW("SEQ-17");
}

TEST(Derive, SixTwoAgainstThreeTwo) {
  // 12 = (2, 6) in the buffer and (4, 3) in the stream meet in (2, 2, 3).
  EXPECT_EQ(derived({"A=12", "A % 6, A / 6", "A / 3", "A % 3"}).sequencer.str(),
            "[2:1, 2:6, 3:2]:3");
  EXPECT_EQ(
      termsOf(derived({"A=12", "A % 6, A / 6", "A / 3", "A % 3"}).sequencer),
      (Terms{"A / 6", "A / 3 % 2", "A % 3"}));
  // (3, 4) does not meet (2, 6): 4 does not divide 6.
  EXPECT_NE(
      refused({"A=12", "A % 6, A / 6", "A / 4", "A % 4"}).find("incompatible"),
      std::string::npos);
}

TEST(Derive, Contiguity) {
  StringRef axes = "N=4,C=3,H=4,W=8", buffer = "N, C, H, W";
  Derivation d = derived({axes, buffer, "N, C, H", "W"});
  EXPECT_EQ(d.sequencer.str(), "[4:96, 3:32, 4:8, 8:1]:8");
  EXPECT_EQ(d.contiguousBytes, 384);
  EXPECT_EQ(d.accessBytes, 8);
  EXPECT_EQ(d.cycles, 48);
  SEQUIN_ROW("FET-04");
  SEQUIN_ROW("FET-05");
  SEQUIN_ROW("FET-25");
  SEQUIN_ROW("ERR-28");

  d = derived({axes, buffer, "C", "N, H, W"});
  EXPECT_EQ(d.sequencer.str(), "[3:32, 4:96, 4:8, 8:1]:128");
  EXPECT_EQ(d.contiguousBytes, 32);
  EXPECT_EQ(d.accessBytes, 32);
  EXPECT_EQ(d.cycles, 12);
  SEQUIN_ROW("FET-06");
  SEQUIN_ROW("ERR-21");

  d = derived({axes, buffer, "1", "N, H, C, W"});
  EXPECT_EQ(d.sequencer.str(), "[4:96, 4:8, 3:32, 8:1]:384");
  EXPECT_EQ(d.contiguousBytes, 8);
  EXPECT_EQ(d.accessBytes, 8);
  EXPECT_EQ(d.cycles, 48);
  SEQUIN_ROW("FET-07");
}

TEST(Derive, FetchBatches) {
  StringRef axes = "N=4,C=3,H=4,W=8", buffer = "N, C, H, W";
  Derivation d = derived({axes, buffer, "N, C, H / 2", "H % 2, W"});
  EXPECT_EQ(d.sequencer.str(), "[4:96, 3:32, 2:16, 2:8, 8:1]:16");
  EXPECT_EQ(d.accessBytes, 16);
  EXPECT_EQ(d.cycles, 24);
  SEQUIN_ROW("FET-26");
  d = derived({axes, buffer, "N, C", "H, W"});
  EXPECT_EQ(d.accessBytes, 32);
  EXPECT_EQ(d.cycles, 12);
  SEQUIN_ROW("FET-27");
  d = derived({axes, buffer, "N", "C, H, W"});
  EXPECT_EQ(d.sequencer.packetElements, 96);
  EXPECT_EQ(d.accessBytes, 32);
  EXPECT_EQ(d.cycles, 12);
  SEQUIN_ROW("FET-28");
  SEQUIN_ROW("SEQ-08");
}

TEST(Derive, PaddedPackets) {
  StringRef axes = "A=3,B=5,C=2", buffer = "A, B, C";
  Derivation d = derived({axes, buffer, "A, B", "C", ElementType::F8E4M3});
  EXPECT_EQ(d.accessBytes, 2);
  EXPECT_EQ(d.cycles, 15);
  d = derived({axes, buffer, "A", "[B, C] # 16", ElementType::F8E4M3});
  EXPECT_EQ(d.sequencer.str(), "[3:10, 16:1]:16");
  EXPECT_EQ(d.accessBytes, 16);
  EXPECT_EQ(d.cycles, 3);
  d = derived({axes, buffer, "1", "[A, B, C] # 32", ElementType::F8E4M3});
  EXPECT_EQ(d.sequencer.str(), "[32:1]:32");
  EXPECT_EQ(d.accessBytes, 32);
  EXPECT_EQ(d.cycles, 1);
  SEQUIN_ROW("FET-08");
  // The last packet of three reads up to 2 * 10 + 15.
  d = derived({axes, buffer, "A", "[B, C] # 16", ElementType::F8E4M3});
  EXPECT_EQ(d.sequencer.visits().back(), 35);
}

TEST(Derive, CommitTruncation) {
  StringRef axes = "M=4,K=2,W=8,N=16,J=64";
  auto commit = [&](StringRef buffer, StringRef time, StringRef packet,
                    ElementType type) {
    return derived({axes, buffer, time, packet, type, Direction::Write});
  };
  Derivation d = commit("M, K, W", "M, K", "W # 32", ElementType::I8);
  EXPECT_EQ(d.sequencer.str(), "[4:16, 2:8, 8:1]:8");
  EXPECT_EQ(d.contiguousBytes, 64);
  EXPECT_EQ(d.accessBytes, 8);
  SEQUIN_ROW("COM-04");
  SEQUIN_ROW("COM-09");

  d = commit("M, K, W = 4", "M, K", "W", ElementType::F32);
  EXPECT_EQ(d.sequencer.str(), "[4:8, 2:4, 4:1]:4");
  EXPECT_EQ(d.contiguousBytes, 128);
  EXPECT_EQ(d.accessBytes, 16);
  SEQUIN_ROW("COM-05");

  d = commit("K, M, N = 8", "M, K", "N", ElementType::BF16);
  EXPECT_EQ(d.sequencer.str(), "[4:8, 2:32, 8:1]:8");
  EXPECT_EQ(d.contiguousBytes, 16);
  EXPECT_EQ(d.accessBytes, 16);
  SEQUIN_ROW("COM-06");
  SEQUIN_ROW("COM-11");

  d = commit("K, M, J", "M, K", "J", ElementType::I4);
  EXPECT_EQ(d.sequencer.str(), "[4:64, 2:256, 64:1]:64");
  EXPECT_EQ(d.accessBytes, 32);
  SEQUIN_ROW("COM-07");

  d = commit("K, M, W", "M, K", "W", ElementType::F32);
  EXPECT_EQ(d.sequencer.str(), "[4:8, 2:32, 8:1]:8");
  EXPECT_EQ(d.contiguousBytes, 32);
  EXPECT_EQ(d.accessBytes, 32);
  SEQUIN_ROW("COM-10");

  d = commit("K, M, W # 16", "K", "M, W", ElementType::I8);
  EXPECT_EQ(d.sequencer.str(), "[2:64, 4:16, 8:1]:32");
  EXPECT_EQ(d.contiguousBytes, 8);
  EXPECT_EQ(d.accessBytes, 8);
  EXPECT_EQ(d.cycles, 8);
  std::vector<int64_t> visits = d.sequencer.visits();
  for (int write = 0; write < 4; ++write)
    EXPECT_EQ(visits[8 * write], 16 * write);
  SEQUIN_ROW("COM-08");
  SEQUIN_ROW("COM-12");
}

TEST(Derive, CommitAccessSizes) {
  // 24 bytes are a commit size and no fetch size.
  Case c{"A=24,B=2", "B, A", "B", "A"};
  EXPECT_EQ(derived(c).accessBytes, 8);
  c.direction = Direction::Write;
  EXPECT_EQ(derived(c).accessBytes, 24);
  SEQUIN_ROW("ERR-89");
  SEQUIN_ROW("COM-08");
}

TEST(Derive, KernelExamples) {
  ElementType f8 = ElementType::F8E4M3;
  auto commit = [&](StringRef axes, StringRef buffer, StringRef time,
                    StringRef packet) {
    return derived({axes, buffer, time, packet, f8, Direction::Write});
  };
  StringRef axes = "A=3,B=5,C=2";
  EXPECT_EQ(derived({axes, "A, B, C", "A, B", "C # 8", f8}).sequencer.str(),
            "[3:10, 5:2, 8:1]:8");
  Derivation d = commit(axes, "B, A, C # 8", "A, B", "C # 32");
  EXPECT_EQ(d.sequencer.str(), "[3:8, 5:24, 8:1]:8");
  EXPECT_EQ(d.cycles, 15);
  auto visits = d.sequencer.visits();
  const int64_t starts[] = {0, 24, 48, 72, 96, 8, 32};
  for (size_t i = 0; i < std::size(starts); ++i)
    EXPECT_EQ(visits[8 * i], starts[i]);
  SEQUIN_ROW("KER-14");

  d = commit(axes, "A, [B, C] # 32", "A", "[B, C] # 32");
  EXPECT_EQ(d.sequencer.str(), "[3:32, 32:1]:32");
  EXPECT_EQ(termsOf(d.sequencer), (Terms{"A", "[B, C] # 32"}));
  EXPECT_EQ(d.accessBytes, 32);
  EXPECT_EQ(d.cycles, 3);
  SEQUIN_ROW("KER-15");
  SEQUIN_ROW("ERR-87");

  axes = "A=65,B=2";
  d = commit(axes, "B, A # 72", "B, A # 72 / 24", "A # 72 % 24 # 32");
  EXPECT_EQ(d.sequencer.str(), "[2:72, 3:24, 24:1]:24");
  EXPECT_EQ(d.accessBytes, 24);
  EXPECT_EQ(d.cycles, 6);
  SEQUIN_ROW("KER-17");
  SEQUIN_ROW("ERR-86");
  SEQUIN_ROW("ERR-88");
  d = commit(axes, "B, A # 80", "B, A # 80 / 16", "A # 80 % 16 # 32");
  EXPECT_EQ(d.sequencer.str(), "[2:80, 5:16, 16:1]:16");
  EXPECT_EQ(d.cycles, 10);
  SEQUIN_ROW("KER-18");
  SEQUIN_ROW("ERR-90");
  d = commit(axes, "B, A # 88", "B, A # 88 / 8", "A # 88 % 8 # 32");
  EXPECT_EQ(d.sequencer.str(), "[2:88, 11:8, 8:1]:8");
  EXPECT_EQ(d.cycles, 22);
  SEQUIN_ROW("KER-19");
  d = commit(axes, "B, A # 96", "B, A # 96 / 32", "A # 96 % 32");
  EXPECT_EQ(d.sequencer.str(), "[2:96, 3:32, 32:1]:32");
  EXPECT_EQ(d.cycles, 6);
  SEQUIN_ROW("KER-20");

  EXPECT_EQ(refused({axes, "B, A # 88", "B, A # 96 / 32", "A # 96 % 32", f8,
                     Direction::Write}),
            "write leaves the tensor: the stream walks 96 positions of A, the "
            "buffer 'B, A # 88' has room for 88");
  SEQUIN_ROW("KER-21");
}

TEST(Derive, CommitOfTheGemmKernel) {
  // The accumulator's eight columns padded to a flit.
  Derivation d = derived({"I=512,J=512", "I % 32, J % 32", "I % 32, J / 8 % 4",
                          "J % 8 # 16", ElementType::BF16, Direction::Write});
  EXPECT_EQ(d.sequencer.str(), "[32:32, 4:8, 8:1]:8");
  EXPECT_EQ(d.accessBytes, 16);
  SEQUIN_ROW("HEL-13");
}

TEST(Derive, PaddingWithoutData) {
  // One result and its padding, as the dot product commits it.
  Derivation d = derived(
      {"A=8", "1 # 8", "1", "1 # 16", ElementType::BF16, Direction::Write});
  EXPECT_EQ(d.sequencer.str(), "[8:1]:8");
  EXPECT_EQ(d.accessBytes, 16);
  // Reading it back over-reads the padding.
  d = derived({"A=8", "1 # 8", "1", "1 # 16", ElementType::BF16});
  EXPECT_EQ(d.sequencer.str(), "[16:1]:16");
  // Padding of a time loop reads the same cell again, and is never written.
  d = derived({"A=8", "A", "1 # 4", "A"});
  EXPECT_EQ(d.sequencer.str(), "[4:0, 8:1]:8");
  EXPECT_NE(
      refused({"A=8", "A", "1 # 4", "A", ElementType::I8, Direction::Write})
          .find("write broadcast"),
      std::string::npos);
}

TEST(Derive, WritesFillTheBuffer) {
  auto write = [](StringRef axes, StringRef buffer, StringRef time,
                  StringRef packet) {
    return refused(
        {axes, buffer, time, packet, ElementType::I8, Direction::Write});
  };
  EXPECT_EQ(write("A=4,B=8", "A, B", "1", "B"),
            "write does not fill the buffer: it holds 'A' and the stream walks "
            "nothing of A");
  EXPECT_EQ(write("A=4,B=8", "A, B", "A = 2", "B"),
            "write does not fill the buffer: it holds 'A' and the stream walks "
            "'A % 2'");
  EXPECT_EQ(write("A=4,B=8", "A = 2, B", "A", "B"),
            "write leaves the tensor: the stream walks 'A' but the buffer "
            "holds only 'A % 2' of A");
  EXPECT_NE(write("N=2048", "N % 512", "N / 512", "N % 512").find("write"),
            std::string::npos);
  EXPECT_NE(write("A=4", "A, 3", "1", "A").find("anonymous axis of size 3"),
            std::string::npos);
  // The buffer holds B = 0, the stream brings B = 3.
  EXPECT_EQ(
      write("A=4,B=8", "A", "B @ 3 = 1", "A"),
      "write leaves the tensor: the stream's 'B @ 3 = 1' starts at index 3 "
      "of B, the buffer 'A' holds index 0 alone");
  // Lanes in the middle of a packet cannot be dropped.
  EXPECT_NE(write("M=4,W=8", "M, W", "1", "M, W # 16").find("in the middle"),
            std::string::npos);
  // Time steps that hold padding only have to stay inside.
  EXPECT_NE(write("A=5,B=8", "A, B", "A # 8", "B").find("leaves the tensor"),
            std::string::npos);
  EXPECT_EQ(derived({"A=5,B=8", "A # 8, B", "A # 8", "B", ElementType::I8,
                     Direction::Write})
                .sequencer.str(),
            "[8:8, 8:1]:8");
}

TEST(Derive, PaddedDestinationOfASplitAxis) {
  // The padding of A % 8 # 16 is the packet's own; A / 8 follows behind it.
  Derivation d = derived({"A=32", "A / 8, A % 8 # 16", "A / 8", "A % 8 # 16",
                          ElementType::I8, Direction::Write});
  EXPECT_EQ(d.sequencer.str(), "[4:16, 16:1]:16");
  d = derived(
      {"A=32", "A", "A / 8", "A % 8 # 16", ElementType::I8, Direction::Write});
  EXPECT_EQ(d.sequencer.str(), "[4:8, 8:1]:8");
}

TEST(Derive, Offsets) {
  EXPECT_EQ(derived({"A=16", "A", "A @ 4 = 3", "1"}).sequencer.str(),
            "[3:1]:1 @ 4");
  EXPECT_EQ(derived({"A=16", "A @ 2 = 8", "A @ 4 = 3", "1"}).sequencer.str(),
            "[3:1]:1 @ 2");
  EXPECT_EQ(derived({"A=16", "A # 20 @ 4", "A", "1"}).sequencer.str(),
            "[16:1]:1 @ 4");
  // Low padding of a stream starts before the buffer.
  EXPECT_EQ(derived({"A=16", "A", "1", "A # 20 @ 4"}).sequencer.str(),
            "[20:1]:20 @ -4");
  EXPECT_EQ(
      derived({"A=16,B=4", "B, A", "B @ 1 = 2, A @ 4 = 8 / 4", "A @ 4 = 8 % 4"})
          .sequencer.str(),
      "[2:16, 2:4, 4:1]:4 @ 20");
}

TEST(Derive, GroupsOfTheBuffer) {
  // The stream walks the parts of a padded group.
  EXPECT_EQ(derived({"B=5,C=2", "[B, C] # 16", "C", "B"}).sequencer.str(),
            "[2:1, 5:2]:5");
  EXPECT_EQ(derived({"B=5,C=2", "[B, C] # 13", "C", "B"}).sequencer.str(),
            "[2:1, 5:2]:5");
  // And the group as a whole, in pieces that no axis has.
  EXPECT_EQ(derived({"D=5,C=6", "D, C", "[D, C] / 10", "[D, C] % 10"})
                .sequencer.str(),
            "[3:10, 10:1]:10");
  EXPECT_EQ(
      derived({"D=5,C=6", "C, D", "[D, C] / 6", "[D, C] % 6"}).sequencer.str(),
      "[5:1, 6:5]:6");
  EXPECT_NE(refused({"D=5,C=6", "C, D", "[D, C] / 10", "[D, C] % 10"})
                .find("incompatible"),
            std::string::npos);
}

TEST(Derive, AnonymousAxes) {
  EXPECT_EQ(derived({"A=4", "A, 3", "3, A", "1"}).sequencer.str(),
            "[3:1, 4:3]:1");
  EXPECT_EQ(derived({"A=4", "A", "3, A", "1"}).sequencer.str(), "[3:0, 4:1]:1");
  EXPECT_EQ(
      derived({"A=4", "A, 3", "A", "3", ElementType::I8, Direction::Write})
          .sequencer.str(),
      "[4:3, 3:1]:3");
}

TEST(Derive, SubByteAccesses) {
  EXPECT_EQ(refused({"A=8", "A", "A", "1", ElementType::I4}),
            "accesses of 4 bits (packet of 4 bits, contiguous run of 32 bits) "
            "are not whole bytes");
  EXPECT_EQ(
      derived({"A=8", "A", "A / 2", "A % 2", ElementType::I4}).accessBytes, 1);
}

TEST(Derive, Overflow) {
  EXPECT_NE(refused({"A=1099511627776,B=1099511627776", "A", "A", "B"})
                .find("does not fit in 64 bits"),
            std::string::npos);
}

} // namespace
