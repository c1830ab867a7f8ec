//===- LinalgInterpreterTest.cpp - linalg programs by their meaning -------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "sequin/Reference/Interpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace sequin;
using namespace sequin::reference;

namespace {

class LinalgInterpreterTest : public ::testing::Test {
protected:
  LinalgInterpreterTest() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::linalg::LinalgDialect,
                        mlir::tensor::TensorDialect>();
    context.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &diagnostic) {
          messages += diagnostic.str() + "\n";
        });
  }

  mlir::FailureOr<std::vector<LinalgResult>> run(const std::string &text,
                                                 llvm::ArrayRef<Array> inputs) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return mlir::failure();
    return interpretLinalg(*module, "main", inputs, flushSubnormals);
  }

  mlir::MLIRContext context;
  std::string messages;
  bool flushSubnormals = true;
};

Array make(ElementType type, const llvm::SmallVector<int64_t, 4> &shape,
           const std::function<double(int64_t)> &value) {
  Array array{type, shape, {}, {}};
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  array.data.resize(count * std::max(1u, getBitWidth(type) / 8));
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits = isFloat(type)
                        ? encodeFloat(type, static_cast<float>(value(i)))
                        : encodeInt(type, static_cast<int32_t>(value(i)));
    if (type == ElementType::I4)
      array.data[i] = static_cast<uint8_t>(bits);
    else
      storeElement(type, array.data.data(), i, bits);
  }
  return array;
}

double floatAt(const Array &array, int64_t i) {
  return decodeFloat(array.type, loadElement(array.type, array.data.data(), i));
}

int32_t intAt(const Array &array, int64_t i) {
  return decodeInt(array.type, loadElement(array.type, array.data.data(), i));
}

const char *const kMatmul = R"(
func.func @main(%a: tensor<3x16xbf16>, %b: tensor<16x4xbf16>)
    -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>)
      -> tensor<3x4xf32>
  %c = linalg.matmul ins(%a, %b : tensor<3x16xbf16>, tensor<16x4xbf16>)
      outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %c : tensor<3x4xf32>
}
)";

TEST_F(LinalgInterpreterTest, MatmulOnIntegersIsExact) {
  auto value = [](int64_t i) { return double(i % 7 - 3); };
  auto results = run(kMatmul, {make(ElementType::BF16, {3, 16}, value),
                               make(ElementType::BF16, {16, 4}, value)});
  ASSERT_TRUE(mlir::succeeded(results)) << messages;
  const LinalgResult &c = results->front();
  EXPECT_EQ(c.value.shape, (llvm::SmallVector<int64_t, 4>{3, 4}));
  for (int64_t m = 0; m < 3; ++m)
    for (int64_t n = 0; n < 4; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < 16; ++k)
        sum += value(m * 16 + k) * value(k * 4 + n);
      EXPECT_EQ(floatAt(c.value, m * 4 + n), sum);
      EXPECT_LT(c.tolerance[m * 4 + n], 1e-30);
    }
}

TEST_F(LinalgInterpreterTest, ToleranceCoversEveryOrderOfSummation) {
  auto a = [](int64_t i) { return std::sin(double(i)) * 30; };
  auto b = [](int64_t i) { return std::cos(double(7 * i)); };
  Array left = make(ElementType::BF16, {3, 16}, a);
  Array right = make(ElementType::BF16, {16, 4}, b);
  auto results = run(kMatmul, {left, right});
  ASSERT_TRUE(mlir::succeeded(results)) << messages;
  const LinalgResult &c = results->front();
  for (int64_t m = 0; m < 3; ++m)
    for (int64_t n = 0; n < 4; ++n) {
      float forward = 0, backward = 0;
      double magnitude = 0;
      for (int64_t k = 0; k < 16; ++k) {
        float product = static_cast<float>(floatAt(left, m * 16 + k) *
                                           floatAt(right, k * 4 + n));
        forward += product;
        magnitude += std::fabs(product);
      }
      for (int64_t k = 15; k >= 0; --k)
        backward += static_cast<float>(floatAt(left, m * 16 + k) *
                                       floatAt(right, k * 4 + n));
      double value = floatAt(c.value, m * 4 + n);
      double tolerance = c.tolerance[m * 4 + n];
      EXPECT_LE(std::fabs(forward - value), tolerance);
      EXPECT_LE(std::fabs(backward - value), tolerance);
      // And it is no wider than the stated bound asks for.
      EXPECT_LE(tolerance, 20 * std::ldexp(magnitude, -24));
      EXPECT_GT(tolerance, 0);
    }
}

TEST_F(LinalgInterpreterTest, IntegerMatmulWraps) {
  auto results = run(
      R"(
func.func @main(%a: tensor<2x2xi8>, %b: tensor<2x2xi8>, %c: tensor<2x2xi32>)
    -> tensor<2x2xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<2x2xi8>, tensor<2x2xi8>)
      outs(%c : tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
)",
      {make(ElementType::I8, {2, 2}, [](int64_t i) { return double(i) - 128; }),
       make(ElementType::I8, {2, 2}, [](int64_t i) { return double(-i) - 1; }),
       make(ElementType::I32, {2, 2}, [](int64_t) { return 2147483647.0; })});
  ASSERT_TRUE(mlir::succeeded(results)) << messages;
  const LinalgResult &c = results->front();
  EXPECT_TRUE(c.tolerance.empty());
  for (int64_t m = 0; m < 2; ++m)
    for (int64_t n = 0; n < 2; ++n) {
      int32_t sum = INT32_MAX;
      for (int64_t k = 0; k < 2; ++k)
        sum = addWrap(
            sum, static_cast<int32_t>((m * 2 + k - 128) * (-(k * 2 + n) - 1)));
      EXPECT_EQ(intAt(c.value, m * 2 + n), sum);
    }
}

TEST_F(LinalgInterpreterTest, ElementwiseRoundsAsTheTypesSay) {
  auto results = run(
      R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xbf16>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<2x3xf32>, tensor<3xf32>)
      outs(%e : tensor<2x3xbf16>) {
  ^bb0(%in: f32, %bias: f32, %out: bf16):
    %s = arith.addf %in, %bias : f32
    %p = arith.maximumf %s, %zero : f32
    %r = arith.truncf %p : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x3xbf16>
  return %0 : tensor<2x3xbf16>
}
)",
      {make(ElementType::F32, {2, 3},
            [](int64_t i) { return double(i) * 1.37 - 3; }),
       make(ElementType::F32, {3}, [](int64_t i) { return 0.1 * double(i); })});
  ASSERT_TRUE(mlir::succeeded(results)) << messages;
  const LinalgResult &r = results->front();
  for (int64_t i = 0; i < 6; ++i) {
    float sum = static_cast<float>(double(i) * 1.37 - 3) +
                static_cast<float>(0.1 * double(i % 3));
    EXPECT_EQ(floatAt(r.value, i),
              bf16ToFloat(floatToBf16(std::max(sum, 0.0f))));
    EXPECT_LT(r.tolerance[i], 1e-30);
  }
}

TEST_F(LinalgInterpreterTest, NarrowingLeavesAnErrorAtTiesOnly) {
  auto value = [](int64_t i) { return std::sin(double(i)) * 30; };
  std::string text = kMatmul;
  auto replace = [&](const std::string &from, const std::string &to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("-> tensor<3x4xf32> {", "-> tensor<3x4xbf16> {");
  replace("return %c : tensor<3x4xf32>",
          "%n = arith.truncf %c : tensor<3x4xf32> to tensor<3x4xbf16>\n"
          "  return %n : tensor<3x4xbf16>");
  auto results = run(text, {make(ElementType::BF16, {3, 16}, value),
                            make(ElementType::BF16, {16, 4}, value)});
  ASSERT_TRUE(mlir::succeeded(results)) << messages;
  const LinalgResult &c = results->front();
  auto wide = run(kMatmul, {make(ElementType::BF16, {3, 16}, value),
                            make(ElementType::BF16, {16, 4}, value)});
  ASSERT_TRUE(mlir::succeeded(wide)) << messages;
  for (int64_t i = 0; i < 12; ++i) {
    // What rounding makes of both ends of the sum's error.
    double sum = floatAt(wide->front().value, i);
    double error = wide->front().tolerance[i];
    EXPECT_GT(error, 0x1p-30);
    double most = 0;
    for (double end : {sum + error, sum - error}) {
      double rounded = bf16ToFloat(floatToBf16(static_cast<float>(end)));
      most = std::max(most, std::fabs(rounded - floatAt(c.value, i)));
    }
    EXPECT_EQ(floatAt(c.value, i),
              bf16ToFloat(floatToBf16(static_cast<float>(sum))));
    EXPECT_NEAR(c.tolerance[i], most, 1e-30);
    EXPECT_EQ(most, 0); // none of these sums is near a tie
  }
}

TEST_F(LinalgInterpreterTest, OtherReductions) {
  auto results =
      run(R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<2x5xf32>, %init: tensor<2xf32>) -> tensor<2xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x5xf32>) outs(%init : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %out : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
)",
          {make(ElementType::F32, {2, 5},
                [](int64_t i) { return double((i * 7) % 11); }),
           make(ElementType::F32, {2}, [](int64_t) { return -1.0; })});
  ASSERT_TRUE(mlir::succeeded(results)) << messages;
  EXPECT_EQ(floatAt(results->front().value, 0), 10);
  EXPECT_EQ(floatAt(results->front().value, 1), 9);
}

TEST_F(LinalgInterpreterTest, WhatItDoesNotKnowIsAnError) {
  EXPECT_TRUE(mlir::failed(
      run(R"(
func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  return %x : tensor<4xf64>
}
)",
          make(ElementType::F32, {4}, [](int64_t i) { return double(i); }))));
  EXPECT_NE(messages.find("tensor<4xf64>"), std::string::npos) << messages;
  messages.clear();
  EXPECT_TRUE(
      mlir::failed(run(kMatmul, make(ElementType::BF16, {3, 16},
                                     [](int64_t i) { return double(i); }))));
  EXPECT_NE(messages.find("takes 2 arguments, given 1"), std::string::npos)
      << messages;
}

/// One elementwise operation on two vectors.
std::string binary(const std::string &op, const std::string &type) {
  return "func.func @main(%a: tensor<6x" + type + ">, %b: tensor<6x" + type +
         ">) -> tensor<6x" + type + "> {\n  %r = arith." + op +
         " %a, %b : tensor<6x" + type + ">\n  return %r : tensor<6x" + type +
         ">\n}\n";
}

TEST_F(LinalgInterpreterTest, MaximumKeepsNanAndMaxnumDropsIt) {
  double a[] = {NAN, 1, NAN, -0.0, 0.0, 2};
  double b[] = {1, NAN, NAN, 0.0, -0.0, 3};
  auto x = make(ElementType::F32, {6}, [&](int64_t i) { return a[i]; });
  auto y = make(ElementType::F32, {6}, [&](int64_t i) { return b[i]; });
  auto resultOf = [&](const char *op) {
    auto result = run(binary(op, "f32"), {x, y});
    EXPECT_TRUE(succeeded(result)) << messages;
    std::vector<double> values(6);
    for (int64_t i = 0; i < 6; ++i)
      values[i] = floatAt(result->front().value, i);
    return values;
  };
  for (const char *op : {"maximumf", "minimumf"}) {
    std::vector<double> values = resultOf(op);
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(std::isnan(values[i])) << op << " " << i;
  }
  for (const char *op : {"maxnumf", "minnumf"}) {
    std::vector<double> values = resultOf(op);
    EXPECT_EQ(values[0], 1) << op;
    EXPECT_EQ(values[1], 1) << op;
    EXPECT_TRUE(std::isnan(values[2])) << op;
  }
  for (const char *op : {"maximumf", "maxnumf"}) {
    std::vector<double> values = resultOf(op);
    EXPECT_FALSE(std::signbit(values[3])) << op;
    EXPECT_FALSE(std::signbit(values[4])) << op;
    EXPECT_EQ(values[5], 3) << op;
  }
  for (const char *op : {"minimumf", "minnumf"}) {
    std::vector<double> values = resultOf(op);
    EXPECT_TRUE(std::signbit(values[3])) << op;
    EXPECT_TRUE(std::signbit(values[4])) << op;
    EXPECT_EQ(values[5], 2) << op;
  }
}

TEST_F(LinalgInterpreterTest, SubnormalsAreFlushedIfAsked) {
  // Subnormal operands, and a subnormal result of normal ones.
  double a[] = {1e-38, 1e-38, -1e-38, 1.5e-38, 1, 0};
  double b[] = {-1e-38, 0, 0, -1.3e-38, 1e-38, 1e-38};
  for (auto [type, name] : {std::pair(ElementType::F32, "f32"),
                            std::pair(ElementType::BF16, "bf16")}) {
    auto x = make(type, {6}, [&](int64_t i) { return a[i]; });
    auto y = make(type, {6}, [&](int64_t i) { return b[i]; });
    flushSubnormals = true;
    auto sum = run(binary("addf", name), {x, y});
    ASSERT_TRUE(succeeded(sum)) << messages;
    for (int64_t i : {0, 1, 2, 3, 5})
      EXPECT_EQ(floatAt(sum->front().value, i), 0) << name << " " << i;
    auto quotient = run(binary("divf", name), {x, y});
    ASSERT_TRUE(succeeded(quotient)) << messages;
    EXPECT_TRUE(std::isnan(floatAt(quotient->front().value, 0)));
    EXPECT_EQ(floatAt(quotient->front().value, 4), INFINITY);

    flushSubnormals = false;
    sum = run(binary("addf", name), {x, y});
    ASSERT_TRUE(succeeded(sum)) << messages;
    for (int64_t i : {1, 2, 3, 5})
      EXPECT_NE(floatAt(sum->front().value, i), 0) << name << " " << i;
    quotient = run(binary("divf", name), {x, y});
    ASSERT_TRUE(succeeded(quotient)) << messages;
    EXPECT_EQ(floatAt(quotient->front().value, 0), -1);
  }
}

TEST_F(LinalgInterpreterTest, SubnormalFactorsOfASumAreZero) {
  // 2^100 times 2^-130 is not negligible, but the machine sees 2^100 times 0.
  auto a = make(ElementType::BF16, {3, 16}, [](int64_t) { return 0x1p100; });
  auto b = make(ElementType::BF16, {16, 4}, [](int64_t) { return 0x1p-130; });
  auto result = run(kMatmul, {a, b});
  ASSERT_TRUE(succeeded(result)) << messages;
  EXPECT_EQ(floatAt(result->front().value, 0), 0);
  flushSubnormals = false;
  result = run(kMatmul, {a, b});
  ASSERT_TRUE(succeeded(result)) << messages;
  EXPECT_EQ(floatAt(result->front().value, 0), 0x1p-26);
}

} // namespace
