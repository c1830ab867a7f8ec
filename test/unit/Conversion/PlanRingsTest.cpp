//===- PlanRingsTest.cpp - Contractions on all slices ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a plan by rings must keep, recomputed from its loops, over many sizes,
// also those that are padded; and what has none.
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

TEST_F(PlanRingsTest, KeepsTheMachinesLimits) {
  const Sizes shapes[] = {
      {2048, 1024, 1024},  {2048, 8192, 1024},  {512, 8192, 512},
      {96, 1024, 1024},    {3, 512, 8192},      {512, 128, 512, 16},
      {24, 1024, 1024, 8}, {1024, 4096, 1024},  {2048, 512, 28672},
      {256, 256, 16384},   {1024, 1600, 6400},  {1000, 3000, 5000},
      {997, 1009, 1013},   {300, 700, 900, 12}, {737, 5697, 3538}};
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
    // All slices differ, those of more than half of the networks; parts of the
    // sum are innermost.
    int64_t slices = 1, rows = 1;
    for (LoopId loop : ring.slices) {
      EXPECT_EQ(group.loops[loop].reduced, loop == ring.summed);
      slices *= group.loops[loop].parts;
      if (!group.lhs.uses(loop))
        rows *= group.loops[loop].parts;
    }
    EXPECT_LE(slices, m.slicesPerCluster);
    EXPECT_GT(2 * slices, m.slicesPerCluster);
    EXPECT_EQ(slices % m.slicesPerDmn, 0);
    if (ring.summed) {
      EXPECT_EQ(ring.slices.back(), *ring.summed);
      EXPECT_FALSE(ring.spreads);
    }
    EXPECT_LE(rows, ring.ring);
    EXPECT_TRUE(rows == ring.ring || slices < m.slicesPerCluster);
    // Loops divide what the product has; those that count chunks of a step are
    // beside it.
    int64_t all = 1;
    for (LoopId i = 0; i < group.loops.size(); ++i) {
      const Loop &loop = group.loops[i];
      EXPECT_EQ(loop.parts * loop.local, loop.tile);
      EXPECT_EQ(loop.extent % loop.tile, 0);
      if (!loop.countsTiles)
        all *= loop.extent;
    }
    int64_t useful =
        sizes.m * sizes.k * sizes.n * std::max<int64_t>(1, sizes.batch);
    EXPECT_GE(all, useful);
    // Nothing is padded by half.
    EXPECT_LE(all, useful * 3 / 2);
    ASSERT_TRUE(ring.cluster);
    EXPECT_EQ(group.loops[*ring.cluster].extent, m.clustersPerChip);
    // Whole packets of the sum, whole arrays of rows.
    const Loop &sum = group.loops[group.k.back()];
    const Loop &row = group.loops[group.n.back()];
    EXPECT_EQ(sum.tile % m.lanes(ElementType::BF16), 0);
    EXPECT_EQ(sum.tiles(), ring.chunks);
    EXPECT_EQ(row.tile % m.rowsPerSlice, 0);
    // The rows of a refill are in the register file, eighths of them in each; a
    // half of it, if the other half is loaded meanwhile.
    constexpr int64_t kBytes = 2, kSumBytes = 4;
    int64_t blocks = row.tile / m.rowsPerSlice;
    EXPECT_LE(blocks * sum.tile * kBytes,
              m.trfBytesPerRow / (ring.trfInHalves ? 2 : 1));
    if (ring.trfInHalves)
      EXPECT_LE(blocks * m.macWidthBytes,
                m.trfCacheDepth * m.trfBankColumns * m.trfCellBytes);
    // What meets a packet has an accumulator.
    EXPECT_LE(blocks * ring.together,
              m.accumulatorColumns * m.accumulatorRegisters);
    // Sums so far of a pass are in the vector engine's register file.
    int64_t piece = ring.streamed ? group.loops[*ring.streamed].tile : 1;
    if (ring.chunks > 1)
      EXPECT_LE(piece * row.tile * kSumBytes,
                m.vrfBytesPerSlice / (ring.vrfInHalves ? 2 : 1));
    EXPECT_EQ(piece % ring.together, 0);
    // A ring has a packet or more of the stream in each slice.
    if (ring.spreads) {
      EXPECT_EQ(ring.ringTurns * ring.ringSums, ring.ring);
      EXPECT_EQ(ring.together % ring.ringTurns, 0);
      EXPECT_EQ(sum.tile % (ring.ringSums * m.lanes(ElementType::BF16)), 0);
    }
    // Stores are of whole units of HBM.
    int64_t side = row.tile * kSumBytes;
    if (ring.refills)
      side *= group.loops[*ring.refills].extent;
    if (ring.gathered)
      side *= group.loops[*ring.gathered].extent;
    EXPECT_EQ(side % m.hbm.unitBytes, 0);
    // Every chunk is loaded once for each tile.
    int64_t chunks = 0, tiles = 1;
    for (int64_t load : ring.loads)
      chunks += load;
    EXPECT_EQ(chunks, ring.chunks);
    for (LoopId loop : ring.order)
      tiles *= group.loops[loop].tiles();
    EXPECT_EQ(tiles * static_cast<int64_t>(ring.loads.size()), ring.steps);
    EXPECT_GE(ring.lhsPlaces, 1);
    EXPECT_LE(ring.rhsPlaces, 2);
    // The slower of two that work side by side bounds it.
    EXPECT_GE(ring.cycles, std::max(ring.dmaCycles, ring.tensorUnitCycles));
    EXPECT_GE(ring.leadCycles, 0);
    EXPECT_GE(ring.tailCycles, 0);
  }
  EXPECT_GE(found, 14);
}

TEST_F(PlanRingsTest, PadsTheSumToWholePackets) {
  // 32 lanes of bf16, 64 of i8.
  auto sumOf = [&](int64_t k, StringRef element) {
    const Group &group = plan(product({512, k, 2048}, element));
    EXPECT_TRUE(group.ring) << k;
    EXPECT_EQ(group.ring ? group.ring->sumEnd : 0, 0);
    int64_t sum = 1;
    for (LoopId loop : group.k)
      if (!group.loops[loop].countsTiles)
        sum *= group.loops[loop].extent;
    return sum;
  };
  EXPECT_EQ(sumOf(1024, "bf16"), 1024);
  for (StringRef element : {"bf16", "i8"})
    for (int64_t k : {1025, 1024 + 16, 1024 + 32, 1024 + 63}) {
      int64_t sum = sumOf(k, element);
      EXPECT_GE(sum, k);
      EXPECT_EQ(sum % (element == "i8" ? 64 : 32), 0);
      EXPECT_LE(sum, 1280);
    }
}

TEST_F(PlanRingsTest, PadsRowsToWholeArrays) {
  int64_t even = plan(product({512, 2048, 2048})).ring->cycles;
  for (int64_t n : {2048, 2048 + 4, 2047, 2001}) {
    const Group &group = plan(product({512, 2048, n}));
    ASSERT_TRUE(group.ring) << n;
    // No cliff.
    EXPECT_LE(group.ring->cycles * 4, even * 6) << n;
    EXPECT_EQ(group.loops[group.n.back()].tile % machine().rowsPerSlice, 0);
    int64_t rows = 1;
    for (LoopId loop : group.n)
      rows *= group.loops[loop].extent;
    EXPECT_GE(rows, n);
  }
}

/// Two products, the second of which sums over what the first has computed.
TEST_F(PlanRingsTest, MasksTheEndOfWhatTheProgramHasComputed) {
  constexpr StringLiteral kText = R"(
func.func @main(%a: tensor<512x512xbf16>, %b: tensor<512xNxbf16>,
                %c: tensor<Nx2048xbf16>) -> tensor<512x2048xf32> {
  %z = arith.constant dense<0.0> : tensor<512xNxf32>
  %0 = linalg.matmul ins(%a, %b : tensor<512x512xbf16>, tensor<512xNxbf16>)
      outs(%z : tensor<512xNxf32>) -> tensor<512xNxf32>
  %e = tensor.empty() : tensor<512xNxbf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<512xNxf32>) outs(%e : tensor<512xNxbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %y = arith.truncf %x : f32 to bf16
    linalg.yield %y : bf16
  } -> tensor<512xNxbf16>
  %w = arith.constant dense<0.0> : tensor<512x2048xf32>
  %2 = linalg.matmul ins(%1, %c : tensor<512xNxbf16>, tensor<Nx2048xbf16>)
      outs(%w : tensor<512x2048xf32>) -> tensor<512x2048xf32>
  return %2 : tensor<512x2048xf32>
})";
  for (int64_t n : {1000, 1009, 1024}) {
    std::string text = kText.str();
    for (size_t at; (at = text.find('N')) != std::string::npos;)
      text.replace(at, 1, std::to_string(n));
    plan(text);
    ASSERT_EQ(lowering->program.groups.size(), 2u);
    const Group &group = lowering->group(1);
    ASSERT_TRUE(group.ring) << n;
    const Loop &sum = group.loops[group.k.back()];
    // No packet more than there are, and the end of the last chunk.
    EXPECT_EQ(sum.extent, llvm::alignTo(n, 32));
    EXPECT_EQ(group.ring->sumEnd, n % 32 == 0 ? 0 : n % sum.tile);
    if (group.ring->sumEnd > 0 && group.ring->spreads)
      EXPECT_EQ(group.ring->ringSums, 1);
  }
}

/// Behind the end of an insertion is somebody else's.
TEST_F(PlanRingsTest, PadsNothingThatOthersOwn) {
  constexpr StringLiteral kText = R"(
func.func @main(%a: tensor<256x128xbf16>, %b: tensor<128xNxbf16>,
                %c: tensor<256x4096xf32>) -> tensor<256x4096xf32> {
  %z = arith.constant dense<0.0> : tensor<256xNxf32>
  %0 = linalg.matmul ins(%a, %b : tensor<256x128xbf16>, tensor<128xNxbf16>)
      outs(%z : tensor<256xNxf32>) -> tensor<256xNxf32>
  %1 = tensor.insert_slice %0 into %c[0, 0] [256, N] [1, 1]
      : tensor<256xNxf32> into tensor<256x4096xf32>
  return %1 : tensor<256x4096xf32>
})";
  for (int64_t n : {512, 508}) {
    std::string text = kText.str();
    for (size_t at; (at = text.find('N')) != std::string::npos;)
      text.replace(at, 1, std::to_string(n));
    plan(text);
    for (auto &group : lowering->program.groups)
      if (group->kind == Group::Kind::Contraction && group->exact)
        EXPECT_EQ(group->ring.has_value(), n == 512);
  }
}

/// What does not divide by the ring is in every slice, or padded.
TEST_F(PlanRingsTest, PassesAroundWhatDividesByTheRing) {
  for (int64_t m : {7, 2048}) {
    const Group &group = plan(product({m, 8192, 8192}));
    ASSERT_TRUE(group.ring);
    int64_t stream = 1;
    for (LoopId loop : group.m)
      stream *= group.loops[loop].extent;
    EXPECT_GE(stream, m);
    EXPECT_LE(stream, llvm::alignTo(m, 8));
    if (m == 2048)
      EXPECT_TRUE(group.ring->spreads);
  }
}

/// A long sum of few rows is split over slices, which read each element of a
/// factor once or twice; one that is masked is not.
TEST_F(PlanRingsTest, SplitsLongSumsOverSlices) {
  const Group &group = plan(product({375, 16326, 97}));
  ASSERT_TRUE(group.ring);
  ASSERT_TRUE(group.ring->summed);
  const Loop &parts = group.loops[*group.ring->summed];
  const Loop &sum = group.loops[group.k.back()];
  EXPECT_TRUE(parts.reduced);
  EXPECT_GE(parts.extent, 64);
  // What a slice has of the sum follows each other.
  int64_t step = 0;
  for (const Index &index : group.lhs.dims)
    for (auto [loop, coefficient] : index.terms)
      if (loop == *group.ring->summed)
        step = coefficient;
  EXPECT_EQ(step, sum.extent);
  EXPECT_GE(parts.extent * sum.extent, 16326);
  EXPECT_EQ(sum.extent % machine().lanes(ElementType::BF16), 0);
}

TEST_F(PlanRingsTest, StartsWithFewChunksAndEndsWithFew) {
  const Group &group =
      plan(product({1024, 4096, 512}, "bf16",
                   "{sequin.pin = {tiles = array<i64: 0, 0, 256>}}"));
  ASSERT_TRUE(group.ring);
  ArrayRef<int64_t> loads = group.ring->loads;
  ASSERT_GT(loads.size(), 2u);
  EXPECT_EQ(loads.front(), 1);
  EXPECT_EQ(loads.back(), 1);
  EXPECT_GT(*llvm::max_element(loads), 1);
  for (size_t i = 1; i < loads.size(); ++i)
    EXPECT_LE(std::max(loads[i], loads[i - 1]),
              2 * std::min(loads[i], loads[i - 1]));
}

TEST_F(PlanRingsTest, KeepsPins) {
  const Group &parts =
      plan(product({512, 1024, 512}, "bf16",
                   "{sequin.pin = {parts = array<i64: 16, 0, 0>}}"));
  ASSERT_TRUE(parts.ring);
  int64_t slices = 1;
  for (LoopId i = 0; i < parts.loops.size(); ++i)
    if (parts.lhs.uses(i) && !parts.loops[i].reduced)
      slices *= parts.loops[i].parts;
  EXPECT_EQ(slices, 16);
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
  std::string text = product({512, 1024, 2048});
  MappingRecord all = *plan(text).record;
  EXPECT_EQ(all.kind, "rings");
  EXPECT_TRUE(all.complete);
  EXPECT_GT(all.feasible, 0);
  EXPECT_LT(all.feasible, all.evaluated);
  EXPECT_FALSE(all.runnerUp.empty());
  // What is not chosen may be 2 per mille faster, if it has more passes.
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
  std::string text = product({512, 1024, 2048});
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
