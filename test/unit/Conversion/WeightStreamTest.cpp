//===- WeightStreamTest.cpp - Plans by weight streams ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LinalgToTcp/WeightStream.h"
#include "LoweringProgram.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

std::string tensorOf(ArrayRef<int64_t> shape, StringRef element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element.str() + ">";
}

/// `count` sums over g groups of k weights of four bits, each for n rows, of m
/// rows of activations; each has weights and scales of its own.
std::string scaledSums(int64_t m, int64_t n, int64_t g, int64_t k,
                       StringRef activations, int count = 1) {
  std::string x = tensorOf({m, g, k}, activations),
              w = tensorOf({n, g, k}, "f4E2M1FN"),
              s = tensorOf({n, g}, "f8E4M3FN"), o = tensorOf({m, n}, "f32");
  std::string arguments = "%x: " + x, body, names, types;
  for (int i = 0; i < count; ++i) {
    std::string id = std::to_string(i);
    arguments += ", %w" + id + ": " + w + ", %s" + id + ": " + s;
    body += "  %r" + id + R"( = linalg.generic {indexing_maps = [
      affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
      affine_map<(m, n, g, k) -> (n, g)>, affine_map<(m, n, g, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w)" +
            id + ", %s" + id + " : " + x + ", " + w + ", " + s +
            ") outs(%z : " + o + R"() {
    ^bb0(%a: )" +
            activations.str() + R"(, %b: f4E2M1FN, %c: f8E4M3FN, %out: f32):
      %1 = arith.extf %a : )" +
            activations.str() + R"( to f32
      %2 = arith.extf %b : f4E2M1FN to f32
      %3 = arith.mulf %1, %2 : f32
      %4 = arith.extf %c : f8E4M3FN to f32
      %5 = arith.mulf %3, %4 : f32
      %6 = arith.addf %out, %5 : f32
      linalg.yield %6 : f32
    } -> )" +
            o + "\n";
    names += (i ? ", %r" : "%r") + id;
    types += (i ? ", " : "") + o;
  }
  return "func.func @main(" + arguments + ") -> (" + types +
         ") {\n  %z = arith.constant dense<0.0> : " + o + "\n" + body +
         "  return " + names + " : " + types + "\n}\n";
}

class WeightStreamTest : public ::testing::Test, protected LoweringProgram {
protected:
  const WeightStreamPlan &planOf(size_t i) { return *group(i).weightStream; }
};

TEST_F(WeightStreamTest, FillsAllSlicesWithWholeUnits) {
  ASSERT_TRUE(succeeded(plan(scaledSums(1, 15360, 240, 16, "f8E4M3FN"))))
      << messages;
  ASSERT_TRUE(group(0).weightStream);
  const WeightStreamPlan &stream = planOf(0);
  EXPECT_EQ(stream.clusters * stream.sumParts * stream.rowSlots, 512);
  EXPECT_EQ(stream.rowParts, stream.rowSlots);
  EXPECT_EQ(stream.clusters * stream.rowParts * stream.rows, 15360);
  EXPECT_EQ(stream.sumParts * stream.cells, 240);
  EXPECT_TRUE(stream.ordered);
  // Runs of codes and of scales.
  EXPECT_EQ(stream.runRows * stream.runCells * stream.cellSize / 2,
            machine.hbm.unitBytes);
  EXPECT_EQ(stream.scaleRows * stream.scaleCells % machine.hbm.unitBytes, 0);
  EXPECT_EQ(stream.stepRows * stream.steps, stream.rows);
  EXPECT_EQ(stream.stepRows % stream.passRows, 0);
  // Scales of two passes fit into the register file, of one more row not.
  EXPECT_LE(2 * stream.passRows * stream.scaleCells * 4,
            machine.vrfBytesPerSlice);
}

TEST_F(WeightStreamTest, OrdersMemoryByDigits) {
  ASSERT_TRUE(succeeded(plan(scaledSums(1, 4096, 64, 16, "bf16")))) << messages;
  const Tensor &weights = *group(0).rhs.tensor;
  ASSERT_FALSE(weights.digits.empty());
  int64_t positions[3] = {1, 1, 1}, expected = 1;
  for (const Tensor::Digit &digit : llvm::reverse(weights.digits)) {
    EXPECT_EQ(digit.stride, expected);
    expected *= digit.allocated;
    positions[digit.dim] *= digit.count;
  }
  EXPECT_EQ(weights.size, expected);
  for (unsigned dim = 0; dim < 3; ++dim)
    EXPECT_EQ(positions[dim], weights.type.getDimSize(dim));
  // A step over several digits is the sum of theirs.
  auto strideOf = [&](unsigned dim, int64_t unit) {
    for (const Tensor::Digit &digit : weights.digits)
      if (digit.dim == dim && digit.unit == unit && digit.count > 1)
        return digit.stride;
    return int64_t(-1);
  };
  EXPECT_EQ(weights.distance(2, 5), 5);
  EXPECT_EQ(weights.distance(0, 1), strideOf(0, 1));
  const WeightStreamPlan &stream = planOf(0);
  EXPECT_EQ(weights.distance(0, stream.rows + 1),
            strideOf(0, stream.rows) + strideOf(0, 1));
}

TEST_F(WeightStreamTest, LoadsAllAtOnceIfAnotherFollows) {
  ASSERT_TRUE(succeeded(plan(scaledSums(1, 15360, 240, 16, "bf16", 2))))
      << messages;
  ASSERT_EQ(program.groups.size(), 2u);
  EXPECT_EQ(planOf(0).steps, 1);
  EXPECT_GT(planOf(1).steps, 1);
}

TEST_F(WeightStreamTest, LeavesSlicesIdleForFewRows) {
  // 24 rows are three flits of results, one cluster's.
  ASSERT_TRUE(succeeded(plan(scaledSums(2, 24, 16, 16, "bf16")))) << messages;
  const WeightStreamPlan &stream = planOf(0);
  EXPECT_EQ(stream.clusters, 1);
  EXPECT_EQ(stream.rowParts * stream.rows, 24);
  EXPECT_EQ(stream.tokens, 2);
  EXPECT_TRUE(stream.ordered);
}

TEST_F(WeightStreamTest, TakesCellsOfSeveralPackets) {
  ASSERT_TRUE(succeeded(plan(scaledSums(1, 1024, 8, 128, "bf16")))) << messages;
  EXPECT_EQ(planOf(0).columns, 1);
  EXPECT_EQ(planOf(0).cellSize, 128);
}

TEST_F(WeightStreamTest, NamesWhatItDoesNotTake) {
  EXPECT_TRUE(failed(plan(scaledSums(3, 64, 16, 16, "bf16"))));
  EXPECT_NE(messages.find("there are 3 rows of activations"), std::string::npos)
      << messages;
}

TEST_F(WeightStreamTest, PadsRowsAndTheSumInTheHostsOrder) {
  ASSERT_TRUE(succeeded(plan(R"(
func.func @main(%x: tensor<1x4999xbf16>, %w: tensor<4999x7001xbf16>)
    -> tensor<1x7001xf32> {
  %z = arith.constant dense<0.0> : tensor<1x7001xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1x4999xbf16>, tensor<4999x7001xbf16>)
      outs(%z : tensor<1x7001xf32>) -> tensor<1x7001xf32>
  return %0 : tensor<1x7001xf32>
})"))) << messages;
  ASSERT_TRUE(group(0).weightStream);
  const WeightStreamPlan &stream = planOf(0);
  EXPECT_TRUE(stream.ordered);
  int64_t rows = stream.clusters * stream.rowParts * stream.rows,
          sum = stream.sumParts * stream.cells * stream.cellSize;
  EXPECT_GE(rows, 7001);
  EXPECT_LE(rows * sum, 7001 * 4999 * 5 / 4);
  // Memory has room for all of it, and in its order.
  const Tensor &weights = *group(0).rhs.tensor;
  EXPECT_EQ(weights.allocated[0], sum);
  EXPECT_EQ(weights.allocated[1], rows);
  EXPECT_EQ(weights.size, rows * sum);
  EXPECT_EQ(group(0).lhs.tensor->allocated[1], sum);
}

TEST_F(WeightStreamTest, VisitsEveryDigitOfTheSlicesOnce) {
  for (int64_t sumParts = 1; sumParts <= 256; sumParts *= 2) {
    WeightStreamPlan stream;
    stream.clusters = 2;
    stream.sumParts = sumParts;
    stream.rowParts = stream.rowSlots = 256 / sumParts;
    int64_t product = 1, inner = 1;
    SmallVector<SliceDigit, 4> order = getSliceOrder(stream, machine);
    for (const SliceDigit &digit : order)
      product *= digit.count;
    EXPECT_EQ(product, 512) << sumParts;
    // The innermost ones number the 16 networks.
    for (const SliceDigit &digit : llvm::reverse(order)) {
      if (inner == 16)
        break;
      inner *= digit.count;
    }
    EXPECT_EQ(inner, 16) << sumParts;
  }
}

} // namespace
