//===- LoweringAccessTest.cpp - Indices and text of mappings
//----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LinalgToTcp/EmitGroup.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

Index term(LoopId loop, int64_t coefficient, int64_t offset = 0) {
  return {offset, {{loop, coefficient}}};
}

TEST(AccessTest, SubstitutesOffsetsAndCoefficients) {
  // [3 + 2 * d0, d1] with d0 = 5 + 4 * l1 and d1 = l0.
  Access access;
  access.dims = {term(0, 2, 3), term(1, 1)};
  Access result = access.substitute({term(1, 4, 5), term(0, 1)});
  ASSERT_EQ(result.dims.size(), 2u);
  EXPECT_EQ(result.dims[0], term(1, 8, 13));
  EXPECT_EQ(result.dims[1], term(0, 1));
}

TEST(AccessTest, AddsUpTermsOfOneLoop) {
  // d0 + d1 with both the same loop is twice that loop, and d0 - d1 is nothing.
  Access access;
  access.dims = {{0, {{0, 1}, {1, 1}}}, {7, {{0, 1}, {1, -1}}}};
  Access result = access.substitute({term(2, 1), term(2, 1)});
  EXPECT_EQ(result.dims[0], term(2, 2));
  EXPECT_EQ(result.dims[1], (Index{7, {}}));
}

TEST(AccessTest, OfAConstantIndexHasNoLoop) {
  Access access;
  access.dims = {term(0, 3, 1)};
  Access result = access.substitute({Index{5, {}}});
  EXPECT_EQ(result.dims[0], (Index{16, {}}));
  EXPECT_FALSE(result.uses(0));
}

TEST(AccessTest, IsALoopOnlyWithoutOffsetAndFactor) {
  EXPECT_EQ(term(4, 1).loop(), 4u);
  EXPECT_EQ(term(4, 2).loop(), std::nullopt);
  EXPECT_EQ(term(4, 1, 1).loop(), std::nullopt);
  EXPECT_EQ((Index{0, {{0, 1}, {1, 1}}}).loop(), std::nullopt);
  EXPECT_EQ((Index{0, {}}).loop(), std::nullopt);
}

TEST(LoopTest, CountsTilesAndWhatRunsPastTheEnd) {
  Loop loop;
  loop.extent = 100;
  loop.tile = 48;
  EXPECT_EQ(loop.tiles(), 3);
  EXPECT_EQ(loop.padded(), 144);
  loop.tile = 50;
  EXPECT_EQ(loop.tiles(), 2);
  EXPECT_EQ(loop.padded(), 100);
}

TEST(MemoryTextTest, IsOneWithoutLoops) {
  MemoryText text;
  EXPECT_EQ(text.str(), "1");
  text.pad(4);
  EXPECT_EQ(text.str(), "1 # 4");
  EXPECT_EQ(text.size(), 4);
}

TEST(MemoryTextTest, PadsWhereStridesAreLarger) {
  // 20 columns in rows of 32, six of them in a block of 200.
  MemoryText text;
  text.add("N", 20, 1);
  EXPECT_EQ(text.str(), "N");
  text.add("M", 6, 32);
  EXPECT_EQ(text.str(), "M, N # 32");
  EXPECT_EQ(text.size(), 192);
  text.add("B", 2, 200);
  EXPECT_EQ(text.str(), "B, [M, N # 32] # 200");
  EXPECT_EQ(text.size(), 400);
}

TEST(MemoryTextTest, StartsWithPaddingInsideTheFirstStride) {
  // Every second element.
  MemoryText text;
  text.add("N", 8, 2);
  EXPECT_EQ(text.str(), "N, 1 # 2");
  EXPECT_EQ(text.size(), 16);
}

TEST(MemoryTextTest, NeedsNoBracketsForDenseLoops) {
  MemoryText text;
  text.add("C", 4, 1);
  text.add("B", 3, 4);
  text.add("A", 2, 12);
  text.pad(24);
  EXPECT_EQ(text.str(), "A, B, C");
}

TEST(MemoryTextTest, CutsPaddingBehindTheLastStep) {
  MemoryText text;
  text.add("N", 8, 4);
  text.pad(30);
  EXPECT_EQ(text.str(), "[N, 1 # 4] = 30");
  EXPECT_EQ(text.size(), 30);
}

TEST(JoinTermsTest, LeavesOutEmptyOnes) {
  EXPECT_EQ(joinTerms({}), "1");
  EXPECT_EQ(joinTerms({"", ""}), "1");
  EXPECT_EQ(joinTerms({"M", "", "N % 8"}), "M, N % 8");
}

TEST(MarginTest, ReservesAPacketBehindATensor) {
  // The packet that is read past the end is 64 bytes, requests are 256.
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  EXPECT_EQ(dmBytesWithMargin(0, machine), 256);
  EXPECT_EQ(dmBytesWithMargin(192, machine), 256);
  EXPECT_EQ(dmBytesWithMargin(193, machine), 512);
}

} // namespace
