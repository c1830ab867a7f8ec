//===- ChipsTest.cpp - Groups and tensors on several chips ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LinalgToTcp/Chips.h"
#include "LoweringProgram.h"
#include "lib/Conversion/LinalgToTcp/PlanGroups.h"
#include "sequin/Conversion/Attributes.h"
#include "sequin/Machine/Cycles.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

/// Two products, one after the other; the first one has a bias and is rounded.
constexpr StringLiteral kTwoProducts = R"(
func.func @main(%a: tensor<64x512xbf16>, %b: tensor<512x256xbf16>,
                %c: tensor<256x1024xbf16>, %bias: tensor<64x256xf32>)
    -> tensor<64x1024xf32> {
  %z = arith.constant dense<0.0> : tensor<64x256xf32>
  %y = arith.constant dense<0.0> : tensor<64x1024xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x512xbf16>, tensor<512x256xbf16>)
      outs(%z : tensor<64x256xf32>) -> tensor<64x256xf32>
  %e = tensor.empty() : tensor<64x256xbf16>
  %r = linalg.generic {indexing_maps = [#id2, #id2, #id2],
                       iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<64x256xf32>, tensor<64x256xf32>)
      outs(%e : tensor<64x256xbf16>) {
  ^bb0(%in: f32, %more: f32, %out: bf16):
    %1 = arith.addf %in, %more : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<64x256xbf16>
  %q = linalg.matmul ins(%r, %c : tensor<64x256xbf16>, tensor<256x1024xbf16>)
      outs(%y : tensor<64x1024xf32>) -> tensor<64x1024xf32>
  return %q : tensor<64x1024xf32>
})";

class ChipsTest : public ::testing::Test, protected LoweringProgram {
protected:
  void prepare(StringRef text, int64_t chips) {
    ASSERT_TRUE(succeeded(read(text))) << messages;
    program.chips = chips;
    fuseGroups(program);
    chooseLayouts(program);
  }
  std::vector<Division> divisions(size_t group, int64_t chips) {
    return getDivisions(*program.groups[group], chips, /*writers=*/1);
  }
  /// The ways in short: W, B and its loop, S and its loop and dimension.
  std::string ways(size_t group, int64_t chips) {
    std::string text;
    for (const Division &way : divisions(group, chips)) {
      text += text.empty() ? "" : " ";
      if (way.kind == Division::Kind::Whole) {
        text += "W";
        continue;
      }
      text += (way.kind == Division::Kind::Sums ? "S" : "B") +
              std::to_string(way.loop);
      if (way.kind == Division::Kind::Sums && way.result)
        text += "/" + std::to_string(*way.result);
    }
    return text;
  }
  int64_t cyclesOf(Group &group) {
    if (group.kind == Group::Kind::Collective)
      return getCollectiveCycles(group, machine);
    if (failed(GroupPlanner(group, machine, kDefaultSearchBudget).plan()))
      return INT64_MAX / 4;
    return group.ring           ? group.ring->cycles
           : group.weightStream ? group.weightStream->cycles
                                : group.record->cycles;
  }
};

TEST_F(ChipsTest, DividesEveryLoopOfAProduct) {
  prepare(kTwoProducts, 4);
  EXPECT_EQ(ways(0, 4), "W B0 B1 S2 S2/0 S2/1");
  EXPECT_EQ(ways(0, 3), "W");
  // 512 is divided by 512, the result's dimensions are not.
  EXPECT_EQ(ways(0, 512), "W S2");
}

TEST_F(ChipsTest, SaysHowTensorsLie) {
  prepare(kTwoProducts, 4);
  for (const Division &way : divisions(0, 4)) {
    ASSERT_EQ(way.reads.size(), program.groups[0]->reads().size());
    for (auto [access, spread] :
         llvm::zip_equal(program.groups[0]->reads(), way.reads)) {
      bool divided =
          way.kind != Division::Kind::Whole && access->uses(way.loop);
      // What is added behind the sums lies as the result does.
      bool isBias = access->tensor->argument == 3;
      if (isBias && way.kind == Division::Kind::Sums)
        EXPECT_EQ(spread, way.result);
      else
        EXPECT_EQ(spread.has_value(), divided);
      if (spread)
        EXPECT_EQ(access->tensor->type.getDimSize(*spread) % 4, 0);
    }
  }
}

TEST_F(ChipsTest, DividesHeadsButNotWhatIsInsideThem) {
  // 8 heads of 64 columns in a dimension of 512, which become rows.
  prepare(R"(
func.func @main(%a: tensor<16x512xf32>) -> tensor<8x16x64xf32> {
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [16, 8, 64]
      : tensor<16x512xf32> into tensor<16x8x64xf32>
  %e = tensor.empty() : tensor<8x16x64xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(h, t, d) -> (t, h, d)>,
                       affine_map<(h, t, d) -> (h, t, d)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<16x8x64xf32>) outs(%e : tensor<8x16x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %in : f32
    linalg.yield %1 : f32
  } -> tensor<8x16x64xf32>
  return %0 : tensor<8x16x64xf32>
})",
          4);
  EXPECT_EQ(ways(0, 4), "W B0 B1");
  std::vector<Division> found = divisions(0, 4);
  EXPECT_EQ(found[1].reads[0], Spread(1));
  EXPECT_EQ(found[1].result, Spread(0));
  EXPECT_EQ(found[2].reads[0], Spread(0));
  EXPECT_EQ(found[2].result, Spread(1));
}

TEST_F(ChipsTest, KeepsPins) {
  prepare(kTwoProducts, 4);
  program.groups[0]->loops[1].pinnedChips = 4;
  EXPECT_EQ(ways(0, 4), "B1");
  program.groups[0]->loops[1].pinnedChips = 1;
  EXPECT_EQ(ways(0, 4), "W B0 S2 S2/0 S2/1");
  program.groups[0]->loops[1].pinnedChips = 3;
  EXPECT_EQ(ways(0, 4), "");
}

TEST_F(ChipsTest, CountsWhatLinksCarry) {
  prepare(kTwoProducts, 4);
  const Tensor *tensor = program.groups[0]->result.tensor;
  int64_t bytes = 64 * 256 * 2;
  auto cycles = [&](Spread from, Spread to) {
    std::vector<std::unique_ptr<Tensor>> owner;
    ChipTensors tensors(owner, 4);
    return getCollectiveCycles(
        *makeCollective(tensor, from, to, tensors, 4, Group()), machine);
  };
  EXPECT_EQ(cycles(Spread(0), Spread()),
            interChipCycles(machine, bytes / 4 * 3));
  EXPECT_EQ(cycles(Spread(0), Spread(1)),
            interChipCycles(machine, bytes / 16 * 3));
  EXPECT_LT(cycles(Spread(), Spread(1)), cycles(Spread(0), Spread(1)) + 500);
}

/// Dynamic programming against all combinations.
TEST_F(ChipsTest, FindsTheCheapestOfAllCombinations) {
  // Enough rows for all chips.
  std::string text = kTwoProducts.str();
  for (size_t at; (at = text.find("<64x")) != std::string::npos;)
    text.replace(at, 4, "<2048x");
  for (int64_t chips : {2, 4}) {
    prepare(text, chips);
    ASSERT_EQ(program.groups.size(), 2u);
    std::vector<std::unique_ptr<Tensor>> owner;
    ChipTensors tensors(owner, chips);
    auto optionsOf = [&](size_t index) {
      std::vector<std::pair<Division, int64_t>> options;
      for (const Division &way : divisions(index, chips)) {
        int64_t cycles = 0;
        for (auto &part :
             divideGroup(*program.groups[index], way, tensors, chips))
          cycles += cyclesOf(*part);
        options.push_back({way, cycles});
      }
      return options;
    };
    auto first = optionsOf(0), second = optionsOf(1);
    Tensor *between = program.groups[0]->result.tensor;
    auto reads = program.groups[1]->reads();
    int64_t best = INT64_MAX;
    for (auto &[one, cycles] : first)
      for (auto &[other, more] : second) {
        int64_t all = cycles + more;
        for (auto [access, wanted] : llvm::zip_equal(reads, other.reads))
          if (access->tensor == between && wanted != one.result)
            all +=
                getCollectiveCycles(*makeCollective(between, one.result, wanted,
                                                    tensors, chips, Group()),
                                    machine);
        best = std::min(best, all);
      }
    ASSERT_TRUE(succeeded(planChips(program, kDefaultSearchBudget)))
        << messages;
    ASSERT_EQ(program.chipsUsed, chips);
    int64_t found = 0;
    for (auto &group : program.groups)
      found += cyclesOf(*group);
    EXPECT_EQ(found, best) << chips << " chips";
  }
}

/// Copies on every chip are faster, blocks fit.
TEST_F(ChipsTest, DividesWhatHbmDoesNotHold) {
  std::string text = kTwoProducts.str();
  for (size_t at; (at = text.find("<64x")) != std::string::npos;)
    text.replace(at, 4, "<8192x");
  auto sent = [&](const TcpMachine &machine) {
    prepare(text, 4);
    program.machine = &machine;
    EXPECT_TRUE(succeeded(planChips(program, kDefaultSearchBudget)))
        << messages;
    EXPECT_EQ(program.chipsUsed, 4);
    std::map<const Tensor *, int64_t> bytes;
    for (auto &group : program.groups)
      for (Access *access : group->reads())
        if (access->tensor->origin != Tensor::Origin::Computed)
          bytes[access->tensor] = getByteSize(
              access->tensor->kind(), access->tensor->type.getNumElements());
    int64_t all = 0;
    for (auto [tensor, size] : bytes)
      all += size;
    return all;
  };
  TcpMachine small = machine;
  int64_t fast = sent(machine);
  small.hbmBytes = fast - 1;
  EXPECT_LE(sent(small), small.hbmBytes);
}

} // namespace
