//===- LinalgMovesTest.cpp - Moves, functions and calls of linalg programs ===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgProgram.h"

using namespace sequin;
using namespace sequin::reference;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

TEST(LinalgMoves, Pad) {
  auto outcome = run(R"(
func.func @main(%a: tensor<2x2xf32>) -> tensor<3x4xf32> {
  %filler = arith.constant 9.0 : f32
  %r = tensor.pad %a low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %filler : f32
  } : tensor<2x2xf32> to tensor<3x4xf32>
  return %r : tensor<3x4xf32>
})",
                     {count({2, 2})});
  EXPECT_THAT(outcome.values, ElementsAre(9, 9, 9, 9, 0, 1, 9, 9, 2, 3, 9, 9))
      << outcome.messages;
}

TEST(LinalgMoves, SlicesOfLowerRank) {
  auto outcome = run(R"(
func.func @main(%a: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %s = tensor.extract_slice %a[0, 1, 1] [3, 1, 2] [1, 1, 2]
      : tensor<3x2x4xf32> to tensor<3x2xf32>
  %r = tensor.insert_slice %s into %a[0, 0, 0] [3, 1, 2] [1, 1, 3]
      : tensor<3x2xf32> into tensor<3x2x4xf32>
  return %r : tensor<3x2x4xf32>
})",
                     {count({3, 2, 4})});
  EXPECT_THAT(outcome.values,
              ElementsAre(5, 1, 2, 7, 4, 5, 6, 7, 13, 9, 10, 15, 12, 13, 14, 15,
                          21, 17, 18, 23, 20, 21, 22, 23))
      << outcome.messages;
}

TEST(LinalgMoves, Concat) {
  auto outcome = run(R"(
func.func @main(%a: tensor<2x1xf32>, %b: tensor<2x2xf32>) -> tensor<2x3xf32> {
  %r = tensor.concat dim(1) %a, %b
      : (tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
})",
                     {count({2, 1}), count({2, 2})});
  EXPECT_THAT(outcome.values, ElementsAre(0, 0, 1, 1, 2, 3))
      << outcome.messages;
}

TEST(LinalgMoves, Gather) {
  const char *const text = R"(
func.func @main(%a: tensor<3x2x2xf32>, %i: tensor<2x1xi32>)
    -> tensor<2x3x2xf32> {
  %r = tensor.gather %a[%i] gather_dims([1])
      : (tensor<3x2x2xf32>, tensor<2x1xi32>) -> tensor<2x3x2xf32>
  return %r : tensor<2x3x2xf32>
})";
  auto outcome =
      run(text, {count({3, 2, 2}), array(ElementType::I32, {2, 1}, {1, 0})});
  EXPECT_THAT(outcome.values, ElementsAre(2, 3, 6, 7, 10, 11, 0, 1, 4, 5, 8, 9))
      << outcome.messages;
  outcome =
      run(text, {count({3, 2, 2}), array(ElementType::I32, {2, 1}, {1, 2})});
  EXPECT_THAT(outcome.messages,
              HasSubstr("'tensor.gather' op has index 2, dimension 1 has size "
                        "2"));
}

TEST(LinalgMoves, Scatter) {
  const char *const text = R"(
func.func @main(%a: tensor<2x2xf32>, %into: tensor<3x2xf32>,
                %i: tensor<2x1xi32>) -> tensor<3x2xf32> {
  %r = tensor.scatter %a into %into[%i] scatter_dims([0]) unique
      : (tensor<2x2xf32>, tensor<3x2xf32>, tensor<2x1xi32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
})";
  auto into = array(ElementType::F32, {3, 2}, {10, 11, 12, 13, 14, 15});
  auto scatter = [&](double first, double second) {
    return run(text, {count({2, 2}), into,
                      array(ElementType::I32, {2, 1}, {first, second})});
  };
  EXPECT_THAT(scatter(2, 0).values, ElementsAre(2, 3, 12, 13, 0, 1));
  EXPECT_THAT(scatter(2, -1).messages,
              HasSubstr("has index -1, dimension 0 has size 3"));
  EXPECT_THAT(scatter(1, 1).messages,
              HasSubstr("'tensor.scatter' op has an index twice"));
}

TEST(LinalgMoves, SlicesAtPlacesThatAreComputed) {
  const char *const text = R"(
func.func @main(%a: tensor<4x3xf32>, %n: tensor<i32>) -> tensor<4x3xf32> {
  %c1 = arith.constant 1 : index
  %0 = tensor.extract %n[] : tensor<i32>
  %row = arith.index_cast %0 : i32 to index
  %size = arith.addi %row, %c1 : index
  %s = tensor.extract_slice %a[%row, 0] [%size, 2] [1, 2]
      : tensor<4x3xf32> to tensor<?x2xf32>
  %d = tensor.dim %s, %c1 : tensor<?x2xf32>
  %column = arith.subi %d, %c1 : index
  %r = tensor.insert_slice %s into %a[0, %column] [%size, 2] [1, 1]
      : tensor<?x2xf32> into tensor<4x3xf32>
  return %r : tensor<4x3xf32>
})";
  auto outcome = run(text, {count({4, 3}), array(ElementType::I32, {}, {1})});
  EXPECT_THAT(outcome.values, ElementsAre(0, 3, 5, 3, 6, 8, 6, 7, 8, 9, 10, 11))
      << outcome.messages;
  outcome = run(text, {count({4, 3}), array(ElementType::I32, {}, {2})});
  EXPECT_THAT(outcome.messages,
              HasSubstr("'tensor.extract_slice' op takes 3 elements from index "
                        "2 on of a dimension of size 4"));
}

TEST(LinalgMoves, InsertsRowsAtAPlaceThatIsData) {
  const char *const text = R"(
func.func @main(%a: tensor<3x2xf32>, %rows: tensor<2x2xf32>, %n: tensor<i32>)
    -> tensor<3x2xf32> {
  %0 = tensor.extract %n[] : tensor<i32>
  %row = arith.index_cast %0 : i32 to index
  %r = tensor.insert_slice %rows into %a[%row, 0] [2, 2] [1, 1]
      : tensor<2x2xf32> into tensor<3x2xf32>
  return %r : tensor<3x2xf32>
})";
  auto at = [&](int place) {
    return run(text, {count({3, 2}), count({2, 2}),
                      array(ElementType::I32, {}, {1. * place})});
  };
  EXPECT_THAT(at(1).values, ElementsAre(0, 1, 0, 1, 2, 3));
  for (int place : {-1, 2, 3})
    EXPECT_THAT(at(place).messages,
                HasSubstr("'tensor.insert_slice' op takes 2 elements from "
                          "index " +
                          std::to_string(place) +
                          " on of a dimension of size 3"));
}

TEST(LinalgMoves, Extract) {
  const char *const text = R"(
func.func @main(%a: tensor<2x3xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.extract %i[%c0] : tensor<2xi64>
  %1 = tensor.extract %i[%c1] : tensor<2xi64>
  %row = arith.index_cast %0 : i64 to index
  %column = arith.index_cast %1 : i64 to index
  %x = tensor.extract %a[%row, %column] : tensor<2x3xf32>
  %r = tensor.from_elements %x, %x : tensor<2xf32>
  return %r : tensor<2xf32>
})";
  EXPECT_THAT(run(text, {count({2, 3}), integers({1, 2})}).values,
              ElementsAre(5, 5));
  EXPECT_THAT(run(text, {count({2, 3}), integers({1, 3})}).messages,
              HasSubstr("'tensor.extract' op has index 3, dimension 1 has size "
                        "3"));
  EXPECT_THAT(run(text, {count({2, 3}), integers({-1, 0})}).messages,
              HasSubstr("has index -1, dimension 0 has size 2"));
}

TEST(LinalgMoves, PackPadsAndTransposes) {
  // As NumPy: pad to 4x8, reshape to 2x2x2x4, transpose to 2, 0, 3, 1.
  auto outcome = run(R"(
func.func @main(%a: tensor<3x5xf32>) -> tensor<2x2x4x2xf32> {
  %nine = arith.constant 9.0 : f32
  %e = tensor.empty() : tensor<2x2x4x2xf32>
  %r = linalg.pack %a padding_value(%nine : f32) outer_dims_perm = [1, 0]
      inner_dims_pos = [1, 0] inner_tiles = [4, 2] into %e
      : tensor<3x5xf32> -> tensor<2x2x4x2xf32>
  return %r : tensor<2x2x4x2xf32>
})",
                     {count({3, 5})});
  EXPECT_THAT(outcome.values,
              ElementsAre(0, 5, 1, 6, 2, 7, 3, 8, 10, 9, 11, 9, 12, 9, 13, 9, 4,
                          9, 9, 9, 9, 9, 9, 9, 14, 9, 9, 9, 9, 9, 9, 9))
      << outcome.messages;
}

TEST(LinalgMoves, PackWithoutPaddingMustFit) {
  auto pack = [](const char *rows, llvm::SmallVector<int64_t, 4> shape) {
    return run(std::string("func.func @main(%a: tensor<") + rows + R"(x4xf32>)
    -> tensor<2x4x2xf32> {
  %s = tensor.cast %a : tensor<)" +
                   rows + R"(x4xf32> to tensor<?x4xf32>
  %t = arith.constant 2 : index
  %e = tensor.empty(%t) : tensor<2x4x?xf32>
  %r = linalg.pack %s inner_dims_pos = [0] inner_tiles = [%t] into %e
      : tensor<?x4xf32> -> tensor<2x4x?xf32>
  %c = tensor.cast %r : tensor<2x4x?xf32> to tensor<2x4x2xf32>
  return %c : tensor<2x4x2xf32>
})",
               count(std::move(shape)));
  };
  EXPECT_THAT(pack("4", {4, 4}).values, ElementsAre(0, 4, 1, 5, 2, 6, 3, 7, 8,
                                                    12, 9, 13, 10, 14, 11, 15));
  EXPECT_THAT(pack("3", {3, 4}).messages,
              HasSubstr("'linalg.pack' op has tiles that reach over the end of "
                        "its source and no padding value"));
}

TEST(LinalgMoves, UnpackDropsPadding) {
  auto outcome = run(R"(
func.func @main(%a: tensor<2x2x4x2xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %r = linalg.unpack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0]
      inner_tiles = [4, 2] into %e : tensor<2x2x4x2xf32> -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
})",
                     {count({2, 2, 4, 2})});
  EXPECT_THAT(outcome.values,
              ElementsAre(0, 2, 4, 6, 16, 1, 3, 5, 7, 17, 8, 10, 12, 14, 24))
      << outcome.messages;
}

TEST(LinalgMoves, OtherShapes) {
  auto outcome = run(R"(
func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %shape = arith.constant dense<[3, 2]> : tensor<2xi32>
  %0 = tensor.reshape %a(%shape)
      : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  %half = arith.constant 0.5 : f32
  %1 = tensor.splat %half : tensor<3x2xf32>
  %2 = arith.addf %0, %1 : tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
})",
                     {count({2, 3})});
  EXPECT_THAT(outcome.values, ElementsAre(0.5, 1.5, 2.5, 3.5, 4.5, 5.5))
      << outcome.messages;
}

TEST(LinalgMoves, Generate) {
  const char *const text = R"(
func.func @main(%a: tensor<5xf32>) -> tensor<2x3xf32> {
  %r = tensor.generate {
  ^bb0(%i: index, %j: index):
    %0 = arith.muli %i, %j : index
    %1 = arith.addi %0, %j : index
    %x = tensor.extract %a[%1] : tensor<5xf32>
    tensor.yield %x : f32
  } : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
})";
  EXPECT_THAT(run(text, {count({5})}).values, ElementsAre(0, 1, 2, 0, 2, 4));
}

TEST(LinalgMoves, FunctionsHaveFourUlps) {
  std::vector<double> points = {0.25, 1.25, 3.5, 100};
  double (*expected[])(double) = {std::exp, std::log, std::sqrt, std::tanh,
                                  std::erf, std::sin, std::floor};
  const char *const names[] = {"exp", "log", "sqrt", "tanh",
                               "erf", "sin", "floor"};
  for (auto [name, function] : llvm::zip(names, expected)) {
    auto outcome =
        run("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %r = "
            "math." +
                std::string(name) +
                " %a : tensor<4xf32>\n  return %r : tensor<4xf32>\n}",
            {array(ElementType::F32, {4}, points)});
    ASSERT_EQ(outcome.values.size(), 4u) << name << outcome.messages;
    for (size_t i = 0; i < 4; ++i) {
      double value = function(points[i]);
      if (!std::isfinite(static_cast<float>(value))) {
        EXPECT_EQ(outcome.values[i], INFINITY) << name;
        continue;
      }
      double ulp = std::ldexp(1.0, std::ilogb(value == 0 ? 1 : value) - 23);
      EXPECT_NEAR(outcome.values[i], value, ulp) << name << " " << i;
      if (std::string(name) == "floor") {
        EXPECT_LT(outcome.tolerance[i], 1e-30);
        continue;
      }
      EXPECT_GE(outcome.tolerance[i], 4 * ulp) << name << " " << i;
      EXPECT_LE(outcome.tolerance[i], 8 * ulp) << name << " " << i;
    }
  }
}

TEST(LinalgMoves, Calls) {
  auto outcome = run(R"(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                     {array(ElementType::F32, {2}, {1.5, -3})});
  EXPECT_THAT(outcome.values, ElementsAre(6, -12)) << outcome.messages;
  outcome = run(R"(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @main(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                {count({2})});
  EXPECT_THAT(outcome.messages,
              HasSubstr("'func.call' op calls 'main' recursively"));
}

} // namespace
