//===- PlanRingsTest.cpp - Contractions on all slices ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a plan by rings must keep, recomputed from its loops, over many sizes;
// and which sizes have none.
//
//===----------------------------------------------------------------------===//

#include "LoweringProgram.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

struct Sizes {
  int64_t m, k, n, batch = 0;
};

std::string product(const Sizes &sizes, StringRef element = "bf16",
                    StringRef attributes = "") {
  bool isInt = element.starts_with("i");
  StringRef sum = isInt ? "i32" : "f32";
  auto type = [&](int64_t rows, int64_t columns, StringRef of) {
    std::string text = "tensor<";
    if (sizes.batch)
      text += std::to_string(sizes.batch) + "x";
    return text + std::to_string(rows) + "x" + std::to_string(columns) + "x" +
           of.str() + ">";
  };
  std::string a = type(sizes.m, sizes.k, element),
              b = type(sizes.k, sizes.n, element),
              c = type(sizes.m, sizes.n, sum);
  return "func.func @main(%a: " + a + ", %b: " + b + ") -> " + c + " {\n" +
         "  %z = arith.constant dense<" + (isInt ? "0" : "0.0") + "> : " + c +
         "\n  %0 = linalg." + (sizes.batch ? "batch_matmul" : "matmul") + " " +
         attributes.str() + " ins(%a, %b : " + a + ", " + b +
         ") outs(%z : " + c + ") -> " + c + "\n  return %0 : " + c + "\n}\n";
}

class PlanRingsTest : public ::testing::Test {
protected:
  /// Plans the product; its group.
  const Group &plan(const std::string &text,
                    int64_t budget = kDefaultSearchBudget) {
    lowering.emplace();
    EXPECT_TRUE(succeeded(lowering->read(text))) << lowering->messages;
    fuseGroups(lowering->program);
    chooseLayouts(lowering->program);
    EXPECT_TRUE(succeeded(planGroups(lowering->program, budget)))
        << lowering->messages;
    return lowering->group(0);
  }
  bool hasRing(const Sizes &sizes, StringRef element = "bf16") {
    return plan(product(sizes, element)).ring.has_value();
  }
  const TcpMachine &machine() { return lowering->machine; }

  std::optional<LoweringProgram> lowering;
};

/// Iterations of a slice, and of everybody at once, over the loops that
/// `access` names.
struct Share {
  int64_t local = 1, tile = 1;
};
Share shareOf(const Group &group, const Access &access) {
  Share share;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (access.uses(i)) {
      share.local *= group.loops[i].local;
      share.tile *= group.loops[i].tile;
    }
  return share;
}

TEST_F(PlanRingsTest, KeepsTheMachinesLimits) {
  const Sizes shapes[] = {{2048, 1024, 1024},  {2048, 8192, 1024},
                          {512, 8192, 512},    {96, 1024, 1024},
                          {8, 4096, 4096},     {33, 1024, 1536},
                          {512, 128, 512, 16}, {24, 1024, 1024, 8},
                          {1024, 4096, 1024},  {2048, 512, 28672}};
  int found = 0;
  for (const Sizes &sizes : shapes) {
    SCOPED_TRACE(std::to_string(sizes.m) + " x " + std::to_string(sizes.k) +
                 " x " + std::to_string(sizes.n));
    const Group &group = plan(product(sizes));
    if (!group.ring)
      continue;
    ++found;
    const RingPlan &ring = *group.ring;
    const TcpMachine &m = machine();
    // All slices: of the batch, of the sum and of the rows; promotion deals
    // out those of the sum once more.
    int64_t batch = 1, sum = 1, rows = 1, stream = 1, packet = 1, held = 1;
    for (LoopId i = 0; i < group.loops.size(); ++i) {
      const Loop &loop = group.loops[i];
      if (i == ring.cluster)
        continue;
      int64_t &parts = llvm::is_contained(group.batch, i) ? batch
                       : loop.reduced                     ? sum
                       : group.rhs.uses(i)                ? rows
                                                          : stream;
      parts *= loop.parts;
      // A tile is dealt out and loops are whole tiles.
      EXPECT_EQ(loop.parts * loop.local, loop.tile);
      EXPECT_EQ(loop.extent % loop.tile, 0);
      if (loop.reduced) {
        // The last one may come in chunks.
        EXPECT_EQ(loop.tile * (i == group.k.back() ? ring.chunks : int64_t(1)),
                  loop.extent);
        packet = loop.local;
      }
      if (group.rhs.uses(i) && !loop.reduced)
        held *= loop.local;
    }
    EXPECT_EQ(batch * sum * rows, m.slicesPerCluster);
    EXPECT_EQ(sum, ring.sumParts);
    EXPECT_EQ(rows, ring.ring);
    EXPECT_EQ(stream, ring.promotes ? ring.sumParts : 1);
    ASSERT_TRUE(ring.cluster);
    EXPECT_EQ(group.loops[*ring.cluster].extent, m.clustersPerChip);
    // Whole packets of the sum, whole arrays of rows.
    EXPECT_EQ(packet % m.lanes(ElementType::BF16), 0);
    EXPECT_EQ(held % m.rowsPerSlice, 0);
    // The rows of a slice are in its register files, eighths of them in each.
    constexpr int64_t kBytes = 2, kResultBytes = 4;
    Share rhs = shareOf(group, group.rhs), lhs = shareOf(group, group.lhs),
          result = shareOf(group, group.result);
    EXPECT_LE(rhs.local * kBytes, m.rowsPerSlice * m.trfBytesPerRow);
    // Operands and two results in DM.
    int64_t lhsLocal = lhs.local;
    if (ring.promotes)
      lhsLocal *= ring.sumParts;
    if (ring.spreads) {
      EXPECT_EQ(lhsLocal % ring.ring, 0);
      lhsLocal /= ring.ring;
    }
    int64_t head = ring.head ? group.loops[*ring.head].local : 1;
    EXPECT_LE(ring.lhsPlaces * lhsLocal * kBytes +
                  ring.rhsPlaces * rhs.local * kBytes +
                  2 * result.local / head * kResultBytes,
              m.dmBytesPerSlice);
    EXPECT_GE(ring.lhsPlaces, 1);
    // No places that nothing needs.
    int64_t lhsTiles = 1, rhsTiles = 1, steps = 1;
    for (LoopId loop : ring.order) {
      steps *= group.loops[loop].tiles();
      if (group.lhs.uses(loop))
        lhsTiles *= group.loops[loop].tiles();
      if (group.rhs.uses(loop))
        rhsTiles *= group.loops[loop].tiles();
    }
    EXPECT_EQ(steps, ring.steps);
    EXPECT_EQ(ring.rhsPlaces, std::min<int64_t>(2, rhsTiles));
    EXPECT_TRUE(ring.lhsPlaces == lhsTiles ||
                ring.lhsPlaces == std::min<int64_t>(2, lhsTiles));
    // The slower of two that work side by side bounds it, ends added.
    EXPECT_GE(ring.cycles, std::max(ring.dmaCycles, ring.tensorUnitCycles));
    EXPECT_GE(ring.leadCycles, 0);
    EXPECT_GE(ring.tailCycles, 0);
  }
  EXPECT_GE(found, 9);
}

TEST_F(PlanRingsTest, NeedsWholePacketsOfTheSum) {
  // 32 lanes of bf16, 64 of i8.
  EXPECT_TRUE(hasRing({512, 1024, 512}));
  EXPECT_FALSE(hasRing({512, 1025, 512}));
  EXPECT_FALSE(hasRing({512, 1024 + 16, 512}));
  EXPECT_TRUE(hasRing({512, 1024 + 64, 2048}));
  EXPECT_TRUE(hasRing({512, 1024, 1024}, "i8"));
  EXPECT_FALSE(hasRing({512, 1024 + 32, 1024}, "i8"));
}

TEST_F(PlanRingsTest, NeedsWholeArraysOfRows) {
  EXPECT_TRUE(hasRing({512, 2048, 512}));
  EXPECT_FALSE(hasRing({512, 2048, 512 + 4}));
  // 129 arrays of rows and 32 packets: no power of two makes 256 slices.
  EXPECT_FALSE(hasRing({512, 1024, 8 * 129}));
  // 64 packets and 4 x 43 arrays make them.
  EXPECT_TRUE(hasRing({512, 2048, 8 * 4 * 43}));
}

TEST_F(PlanRingsTest, DealsAnOddSumToNobody) {
  // 33 packets cannot be parted, so all slices differ in rows.
  const Group &group = plan(product({256, 33 * 32, 4096}));
  ASSERT_TRUE(group.ring);
  EXPECT_EQ(group.ring->sumParts, 1);
  EXPECT_EQ(group.ring->ring, 256);
  EXPECT_FALSE(group.ring->promotes);
}

TEST_F(PlanRingsTest, PassesAroundWhatDividesByTheRing) {
  // A prime stream is in every slice.
  const Group &prime = plan(product({7, 2048, 1024}));
  ASSERT_TRUE(prime.ring);
  EXPECT_FALSE(prime.ring->spreads);
  EXPECT_FALSE(prime.ring->promotes);
  const Group &even = plan(product({512, 1024, 512}));
  ASSERT_TRUE(even.ring);
  EXPECT_TRUE(even.ring->spreads);
  EXPECT_TRUE(even.ring->promotes);
  const Loop &stream = even.loops[*even.ring->streamed];
  EXPECT_EQ(stream.tile % even.ring->sumParts, 0);
  EXPECT_EQ(stream.tile % even.ring->ring, 0);
}

TEST_F(PlanRingsTest, PromotesWhereEverySliceOfTheRingGetsRows) {
  // Eight rows, 256 slices: whatever the ring, slices that have added are more
  // than there are rows for all of them.
  const Group &few = plan(product({8, 4096, 4096}));
  ASSERT_TRUE(few.ring);
  EXPECT_GT(few.ring->sumParts, 1);
  EXPECT_FALSE(few.ring->promotes);
}

TEST_F(PlanRingsTest, KeepsPins) {
  const Group &parts =
      plan(product({512, 1024, 512}, "bf16",
                   "{sequin.pin = {parts = array<i64: 0, 0, 16>}}"));
  ASSERT_TRUE(parts.ring);
  EXPECT_EQ(parts.ring->sumParts, 16);
  const Group &tiles =
      plan(product({512, 1024, 512}, "bf16",
                   "{sequin.pin = {tiles = array<i64: 256, 0, 0>}}"));
  ASSERT_TRUE(tiles.ring);
  int64_t tile = 1;
  for (LoopId i = 0; i < tiles.loops.size(); ++i)
    if (tiles.lhs.uses(i) && !tiles.loops[i].reduced)
      tile *= tiles.loops[i].tile;
  EXPECT_EQ(tile, 256);
}

TEST_F(PlanRingsTest, SearchesWithinItsBudget) {
  std::string text = product({512, 1024, 512});
  MappingRecord all = *plan(text).record;
  EXPECT_EQ(all.kind, "rings");
  EXPECT_TRUE(all.complete);
  EXPECT_GT(all.feasible, 0);
  EXPECT_LT(all.feasible, all.evaluated);
  EXPECT_FALSE(all.runnerUp.empty());
  // What is not chosen may be 2 per mille faster, if it has more steps.
  EXPECT_GE(all.runnerUpCycles * 1000, all.cycles * 998 - 1000);

  // Exactly enough; one less; one.
  EXPECT_TRUE(plan(text, all.evaluated).record->complete);
  MappingRecord less = *plan(text, all.evaluated - 1).record;
  EXPECT_FALSE(less.complete);
  EXPECT_EQ(less.evaluated, all.evaluated - 1);
  EXPECT_NE(lowering->messages.find("search over mappings ends after"),
            std::string::npos)
      << lowering->messages;
  MappingRecord one = *plan(text, 1).record;
  EXPECT_FALSE(one.complete);
  EXPECT_EQ(one.evaluated, 1);
  EXPECT_GE(one.cycles, all.cycles);
}

TEST_F(PlanRingsTest, MoreBudgetIsNeverWorse) {
  std::string text = product({256, 2048, 1024});
  int64_t before = plan(text, 1).record->cycles;
  for (int64_t budget : {10, 100, 400, 1000, 3000, 100000}) {
    int64_t cycles = plan(text, budget).record->cycles;
    // The slack for shorter programs.
    EXPECT_LE(cycles * 997, before * 1000) << budget;
    before = cycles;
  }
}

TEST_F(PlanRingsTest, IsDeterministic) {
  std::string text = product({96, 1024, 1024});
  MappingRecord first = *plan(text).record, second = *plan(text).record;
  EXPECT_EQ(first.mapping, second.mapping);
  EXPECT_EQ(first.runnerUp, second.runnerUp);
  EXPECT_EQ(first.cycles, second.cycles);
  EXPECT_EQ(first.evaluated, second.evaluated);
}

} // namespace
