//===- LoweringPlanTest.cpp - Groups, layouts and tiles
//---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringProgram.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

/// A product of an m x k and a k x n matrix.
std::string matmul(int64_t m, int64_t k, int64_t n) {
  auto type = [](int64_t rows, int64_t columns, StringRef element) {
    return ("tensor<" + Twine(rows) + "x" + Twine(columns) + "x" + element +
            ">")
        .str();
  };
  std::string a = type(m, k, "bf16"), b = type(k, n, "bf16"),
              c = type(m, n, "f32");
  return "func.func @main(%a: " + a + ", %b: " + b + ") -> " + c + " {\n" +
         "  %z = arith.constant dense<0.0> : " + c + "\n" +
         "  %0 = linalg.matmul ins(%a, %b : " + a + ", " + b +
         ") outs(%z : " + c + ") -> " + c + "\n  return %0 : " + c + "\n}\n";
}

class PlanTest : public ::testing::Test, protected LoweringProgram {};

TEST_F(PlanTest, ReadsViewsAsTheTensorBehindThem) {
  // A slice of a transposed tensor; only the result's copy is a group.
  ASSERT_TRUE(succeeded(read(R"(
func.func @main(%a: tensor<10x20xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<20x10xf32>
  %0 = linalg.transpose ins(%a : tensor<10x20xf32>)
      outs(%e : tensor<20x10xf32>) permutation = [1, 0]
  %1 = tensor.extract_slice %0[3, 2] [4, 5] [2, 1]
      : tensor<20x10xf32> to tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
})"))) << messages;
  ASSERT_EQ(program.groups.size(), 1u);
  const Access &stream = group(0).stream;
  EXPECT_EQ(stream.tensor, program.tensors[0].get());
  EXPECT_EQ(stream.dims[0], (Index{2, {{1, 1}}}));
  EXPECT_EQ(stream.dims[1], (Index{3, {{0, 2}}}));
}

TEST_F(PlanTest, ReadsAConstantEverywhereAsOneElement) {
  ASSERT_TRUE(succeeded(read(R"(
func.func @main() -> tensor<40x50xf32> {
  %0 = arith.constant dense<3.0> : tensor<40x50xf32>
  return %0 : tensor<40x50xf32>
})"))) << messages;
  ASSERT_EQ(program.groups.size(), 1u);
  EXPECT_EQ(group(0).stream.tensor->rank(), 0);
  EXPECT_EQ(group(0).stream.tensor->origin, Tensor::Origin::Constant);
}

TEST_F(PlanTest, CountsMultiplications) {
  ASSERT_TRUE(succeeded(read(matmul(6, 7, 8)))) << messages;
  EXPECT_EQ(program.macs, 6 * 7 * 8);
}

TEST_F(PlanTest, FusesOneReaderOnly) {
  const char *text = R"(
func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>) -> RESULTS {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>)
      -> tensor<64xf32>
  %1 = linalg.sub ins(%0, %b : tensor<64xf32>, tensor<64xf32>)
      outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return RETURNED
})";
  auto with = [&](StringRef results, StringRef returned) {
    std::string all = text;
    all.replace(all.find("RESULTS"), 7, results);
    all.replace(all.find("RETURNED"), 8, returned);
    return all;
  };
  ASSERT_TRUE(succeeded(plan(with("tensor<64xf32>", "%1 : tensor<64xf32>"))))
      << messages;
  ASSERT_EQ(program.groups.size(), 1u);
  EXPECT_EQ(group(0).steps.size(), 2u);
  ASSERT_TRUE(succeeded(plan(with("(tensor<64xf32>, tensor<64xf32>)",
                                  "%0, %1 : tensor<64xf32>, tensor<64xf32>"))))
      << messages;
  EXPECT_EQ(program.groups.size(), 2u);
}

TEST_F(PlanTest, GivesEachReaderOfAnArgumentItsLayout) {
  ASSERT_TRUE(succeeded(plan(R"(
func.func @main(%a: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %a : tensor<64x64xbf16>, tensor<64x64xbf16>)
      outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
})"))) << messages;
  const Tensor &lhs = *group(0).lhs.tensor, &rhs = *group(0).rhs.tensor;
  EXPECT_EQ(lhs.argument, rhs.argument);
  // Either is contiguous along the sum.
  for (const Access *access : {&group(0).lhs, &group(0).rhs}) {
    ASSERT_TRUE(access->tensor->inner);
    std::optional<LoopId> loop = access->dims[*access->tensor->inner].finest();
    ASSERT_TRUE(loop);
    EXPECT_TRUE(group(0).loops[*loop].reduced);
  }
  EXPECT_NE(lhs.inner, rhs.inner);
  EXPECT_NE(lhs.address, rhs.address);
}

TEST_F(PlanTest, TakesWordsWhereRowsStartAtOddElements) {
  // Odd columns, and every second row.
  ASSERT_TRUE(succeeded(plan(R"(
func.func @main(%a: tensor<64x64xf32>) -> tensor<8x16xf32> {
  %0 = tensor.extract_slice %a[4, 3] [8, 16] [2, 1]
      : tensor<64x64xf32> to tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
})"))) << messages;
  const Tensor &tensor = *group(0).stream.tensor;
  EXPECT_FALSE(tensor.inner);
  EXPECT_EQ(tensor.strides[1], 2);
  EXPECT_EQ(tensor.strides[0], 128);
}

TEST_F(PlanTest, PadsRowsTo64Bytes) {
  ASSERT_TRUE(succeeded(plan(R"(
func.func @main(%a: tensor<5x20xi8>) -> tensor<5x20xi8> {
  return %a : tensor<5x20xi8>
})"))) << messages;
  const Tensor &tensor = *group(0).stream.tensor;
  EXPECT_EQ(tensor.strides[0] % 64, 0);
  EXPECT_GE(tensor.allocated[1], 20);
}

TEST_F(PlanTest, PutsTensorsThatLiveTogetherApart) {
  ASSERT_TRUE(succeeded(plan(matmul(128, 256, 64)))) << messages;
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (auto &tensor : program.tensors)
    if (tensor->size > 0)
      spans.push_back(
          {tensor->address,
           tensor->address + getByteSize(tensor->kind(), tensor->size)});
  ASSERT_EQ(spans.size(), 3u);
  llvm::sort(spans);
  EXPECT_LE(spans[0].second, spans[1].first);
  EXPECT_LE(spans[1].second, spans[2].first);
}

/// What holds of every plan of a product of matrices.
TEST_F(PlanTest, FitsIntoTheMachine) {
  const int64_t sizes[][3] = {
      {1, 1, 1},        {5, 7, 3},      {8, 64, 8},      {13, 77, 131},
      {512, 1024, 512}, {1, 4096, 1},   {4096, 1, 4096}, {40000, 512, 512},
      {64, 20010, 64},  {3, 100003, 5}, {70001, 33, 9},  {2048, 8192, 2048}};
  for (auto [m, k, n] : sizes) {
    SCOPED_TRACE(testing::Message() << m << " x " << k << " x " << n);
    messages.clear();
    ASSERT_TRUE(succeeded(plan(matmul(m, k, n)))) << messages;
    const Group &product = group(0);
    int64_t slices = 1, columns = 1, sum = 1;
    for (LoopId i = 0; i < product.loops.size(); ++i) {
      const Loop &loop = product.loops[i];
      EXPECT_EQ(loop.tile, loop.parts * loop.local);
      EXPECT_GE(loop.padded(), loop.extent);
      // No tile is outside altogether.
      EXPECT_LT(loop.padded() - loop.tile, loop.extent);
      if (loop.reduced) {
        EXPECT_TRUE(loop.parts == 1 ||
                    (product.ring && product.ring->summed == i));
        if (!loop.countsTiles)
          sum *= loop.local;
      }
      slices *= loop.parts;
      // A refill of the register file at a time.
      if (llvm::is_contained(product.n, i) &&
          (!product.ring || product.ring->refills != i))
        columns *= loop.local;
    }
    EXPECT_LE(slices, machine.slicesPerCluster * machine.clustersPerChip);
    if (product.hasRows)
      columns = llvm::divideCeil(columns, machine.rowsPerSlice);
    EXPECT_LE(columns * sum * 2, machine.trfBytesPerRow);
    // Every tensor has memory for all positions of the tiles.
    for (const Access *access : {&product.lhs, &product.rhs, &product.result})
      for (auto [index, size] :
           llvm::zip(access->dims, access->tensor->allocated))
        if (std::optional<LoopId> loop = index.loop()) {
          EXPECT_GE(size, product.loops[*loop].padded());
        }
  }
}

TEST_F(PlanTest, CutsSumsInWholePacketsButTheLast) {
  ASSERT_TRUE(succeeded(plan(matmul(2048, 20010, 4096)))) << messages;
  const Loop *sum = loop(0, "K");
  ASSERT_TRUE(sum);
  EXPECT_GT(sum->tiles(), 1);
  EXPECT_EQ(sum->tile % machine.lanes(ElementType::BF16), 0);
}

TEST_F(PlanTest, WritesNoFurtherThanASlice) {
  ASSERT_TRUE(succeeded(plan(R"(
func.func @main(%a: tensor<6x20xf32>, %b: tensor<32x48xf32>)
    -> tensor<32x48xf32> {
  %0 = tensor.insert_slice %a into %b[3, 7] [6, 20] [1, 1]
      : tensor<6x20xf32> into tensor<32x48xf32>
  return %0 : tensor<32x48xf32>
})"))) << messages;
  ASSERT_EQ(program.groups.size(), 2u);
  EXPECT_FALSE(group(0).exact);
  EXPECT_TRUE(group(1).exact);
  // The packets' loop may run past its end in DM, others not at all.
  for (LoopId i = 0; i < group(1).loops.size(); ++i)
    if (i != group(1).packet) {
      EXPECT_EQ(group(1).loops[i].padded(), group(1).loops[i].extent);
    }
}

TEST_F(PlanTest, RefusesWhatDoesNotFitIntoHbm) {
  EXPECT_TRUE(failed(plan(R"(
func.func @main(%a: tensor<100000x100000xf32>) -> tensor<100000x100000xf32> {
  return %a : tensor<100000x100000xf32>
})")));
  EXPECT_NE(messages.find("bytes of HBM at once, machine \"rngd\" has"),
            std::string::npos)
      << messages;
}

} // namespace
