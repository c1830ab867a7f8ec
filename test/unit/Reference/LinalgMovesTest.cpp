//===- LinalgMovesTest.cpp - Moves, functions and calls of linalg programs ===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "sequin/Reference/Interpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "gmock/gmock.h"
#include <cmath>

using namespace sequin;
using namespace sequin::reference;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

struct Outcome {
  std::vector<double> values, tolerance;
  std::string messages;
};

Array array(ElementType type, llvm::SmallVector<int64_t, 4> shape,
            std::vector<double> values) {
  Array result{type, std::move(shape), {}, {}};
  result.data.resize(values.size() * 4);
  for (auto [i, value] : llvm::enumerate(values))
    storeElement(type, result.data.data(), i,
                 isFloat(type) ? encodeFloat(type, static_cast<float>(value))
                               : encodeInt(type, static_cast<int32_t>(value)));
  return result;
}

/// 0, 1, 2, ...
Array count(llvm::SmallVector<int64_t, 4> shape) {
  int64_t size = 1;
  for (int64_t dimension : shape)
    size *= dimension;
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 0.0);
  return array(ElementType::F32, std::move(shape), values);
}

Outcome run(const std::string &text, llvm::ArrayRef<Array> inputs) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                      mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                      mlir::tensor::TensorDialect>();
  Outcome outcome;
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
    outcome.messages += diagnostic.str() + "\n";
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return outcome;
  auto results =
      interpretLinalg(*module, "main", inputs, /*flushSubnormals=*/true);
  if (mlir::failed(results))
    return outcome;
  const Array &value = results->front().value;
  for (size_t i = 0; i < value.data.size() / 4; ++i)
    outcome.values.push_back(
        decodeFloat(value.type, loadElement(value.type, value.data.data(), i)));
  outcome.tolerance = results->front().tolerance;
  return outcome;
}

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
