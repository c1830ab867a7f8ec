//===- LinalgErrorsTest.cpp - What a correct machine may be off -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgProgram.h"

using namespace sequin;
using namespace sequin::reference;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Lt;

namespace {

/// %e is e^x with an error of a few units in the last place.
std::string ofExponential(size_t size, const std::string &result,
                          const std::string &body) {
  return elementwise(size, {"f32"}, result, "%e0 = math.exp %x : f32\n" + body);
}

const double kExact = 1e-30; ///< what an exact result may be off

//===----------------------------------------------------------------------===//
// Rounding to narrower types
//===----------------------------------------------------------------------===//

TEST(LinalgErrors, NarrowTypesHideSmallErrors) {
  // e is far from the middle of two bf16, whose distance there is 1/64.
  auto outcome =
      run(ofExponential(1, "bf16", "%r = arith.truncf %e0 : f32 to bf16"),
          floats({1}));
  EXPECT_THAT(outcome.values, ElementsAre(2.71875)) << outcome.messages;
  EXPECT_THAT(outcome.tolerance, Each(Lt(kExact)));
}

TEST(LinalgErrors, ATieMayGoEitherWay) {
  // 1 + 2^-8 is in the middle of 1 and 1 + 2^-7: e^0 + 2^-8 is near it.
  auto outcome = run(ofExponential(1, "bf16",
                                   "%c = arith.constant 0.00390625 : f32\n"
                                   "%s = arith.addf %e0, %c : f32\n"
                                   "%r = arith.truncf %s : f32 to bf16"),
                     floats({0}));
  EXPECT_THAT(outcome.values, ElementsAre(1)) << outcome.messages;
  EXPECT_NEAR(outcome.tolerance[0], 0x1p-7, kExact);
}

TEST(LinalgErrors, WholeNumbersHideSmallErrors) {
  const char *const body = "%w = math.roundeven %e0 : f32\n"
                           "%r = arith.fptosi %w : f32 to i32";
  EXPECT_THAT(run(ofExponential(2, "i32", body), floats({1, 2})).values,
              ElementsAre(3, 7));
  EXPECT_THAT(run(ofExponential(2, "i32", body), floats({1, 2})).tolerance,
              IsEmpty());
  // Truncated, e^0 may be 0 or 1.
  auto outcome =
      run(ofExponential(2, "i32", "%r = arith.fptosi %e0 : f32 to i32"),
          floats({0, 1}));
  EXPECT_THAT(outcome.values, ElementsAre(1, 2));
  EXPECT_THAT(outcome.tolerance, ElementsAre(1, 0));
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

TEST(LinalgErrors, ComparisonsThatAnErrorMayTurn) {
  auto outcome = run(ofExponential(2, "f32",
                                   "%one = arith.constant 1.0 : f32\n"
                                   "%ten = arith.constant 10.0 : f32\n"
                                   "%c = arith.cmpf olt, %e0, %one : f32\n"
                                   "%r = arith.select %c, %ten, %one : f32"),
                     floats({0, 1}));
  EXPECT_THAT(outcome.values, ElementsAre(1, 1)) << outcome.messages;
  EXPECT_GE(outcome.tolerance[0], 9);
  EXPECT_LT(outcome.tolerance[1], kExact);
  // The same by way of a truth value, an integer and one more selection.
  outcome = run(ofExponential(2, "i32",
                              "%one = arith.constant 1.0 : f32\n"
                              "%t = arith.constant true\n"
                              "%five = arith.constant 5 : i32\n"
                              "%c = arith.cmpf olt, %e0, %one : f32\n"
                              "%d = arith.xori %c, %t : i1\n"
                              "%0 = arith.extui %d : i1 to i32\n"
                              "%r = arith.muli %0, %five : i32"),
                floats({0, 1}));
  EXPECT_THAT(outcome.values, ElementsAre(5, 5)) << outcome.messages;
  EXPECT_THAT(outcome.tolerance, ElementsAre(5, 0));
}

TEST(LinalgErrors, TruthValuesThatDecideAlone) {
  // A certain false makes an and certain, whatever the other one is.
  auto outcome = run(ofExponential(1, "i1",
                                   "%one = arith.constant 1.0 : f32\n"
                                   "%f = arith.constant false\n"
                                   "%c = arith.cmpf olt, %e0, %one : f32\n"
                                   "%r = arith.andi %c, %f : i1"),
                     floats({0}));
  EXPECT_THAT(outcome.values, ElementsAre(0)) << outcome.messages;
  EXPECT_THAT(outcome.tolerance, IsEmpty());
}

TEST(LinalgErrors, AMaximumIsOneOfItsElements) {
  // Which element equals the maximum is certain, although none is exact.
  auto outcome = run(R"(
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %out = arith.constant -1.0e+30 : f32
  %x = math.exp %a : tensor<3xf32>
  %e = tensor.empty() : tensor<f32>
  %low = linalg.fill ins(%lowest : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<3xf32>)
      outs(%low : tensor<f32>) dimensions = [0]
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
      affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x, %m : tensor<3xf32>, tensor<f32>)
      outs(%x : tensor<3xf32>) {
  ^bb0(%s: f32, %best: f32, %o: f32):
    %0 = arith.cmpf oge, %s, %best : f32
    %1 = arith.select %0, %out, %s : f32
    linalg.yield %1 : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
})",
                     floats({0, 2, 1}));
  ASSERT_EQ(outcome.values.size(), 3u) << outcome.messages;
  EXPECT_EQ(outcome.values[1], -1e30f);
  EXPECT_THAT(outcome.tolerance, Each(Lt(1e-5)));
  EXPECT_EQ(outcome.values[0], 1);
}

TEST(LinalgErrors, IndicesThatAnErrorMayTurn) {
  // The index is 1 or 2: any element may come out, none is refused.
  auto outcome = run(R"(
func.func @main(%a: tensor<1xf32>, %t: tensor<2xf32>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %x = math.exp %a : tensor<1xf32>
  %two = arith.constant 1.0 : f32
  %0 = tensor.extract %x[%c0] : tensor<1xf32>
  %1 = arith.addf %0, %two : f32
  %2 = arith.fptosi %1 : f32 to i32
  %3 = arith.index_cast %2 : i32 to index
  %4 = tensor.extract %t[%3] : tensor<2xf32>
  %r = tensor.from_elements %4 : tensor<1xf32>
  return %r : tensor<1xf32>
})",
                     {floats({0}), floats({5, 6})});
  ASSERT_EQ(outcome.tolerance.size(), 1u) << outcome.messages;
  EXPECT_EQ(outcome.tolerance[0], INFINITY);
}

//===----------------------------------------------------------------------===//
// Infinities
//===----------------------------------------------------------------------===//

TEST(LinalgErrors, MinusInfinityIsNothingToASum) {
  // A mask adds -infinity to a number with an error; e to that is exactly 0.
  auto outcome = run(ofExponential(2, "f32",
                                   "%m = arith.constant 0xFF800000 : f32\n"
                                   "%s = arith.addf %e0, %m : f32\n"
                                   "%r = math.exp %s : f32"),
                     floats({0, 1}));
  EXPECT_THAT(outcome.values, ElementsAre(0, 0)) << outcome.messages;
  EXPECT_THAT(outcome.tolerance, Each(Lt(kExact)));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Array scalar(ElementType type, double value) {
  return array(type, {}, {value});
}

TEST(LinalgErrors, NarrowSumsAreTakenInF32) {
  // 256 + 1 is no bf16, but 256 + 300 * 1 = 556 rounds to 556.
  Array ones = array(ElementType::BF16, {300}, std::vector<double>(300, 1));
  auto outcome =
      run(reduction(300, "bf16", "bf16", "%r = arith.addf %out, %x : bf16"),
          {ones, scalar(ElementType::BF16, 256)});
  EXPECT_THAT(outcome.values, ElementsAre(556)) << outcome.messages;
  EXPECT_THAT(outcome.tolerance, Each(Lt(kExact)));
}

TEST(LinalgErrors, NarrowProductsMayBeWide) {
  // 1.0078125^2 is rounded to 1.015625 in bf16, and 1.01568604 exactly; the sum
  // of 1000 of them is 1015.625 or 1015.686, both between 1012 and 1016 + 2.
  Array x =
      array(ElementType::BF16, {1000}, std::vector<double>(1000, 1.0078125));
  auto outcome = run(reduction(1000, "bf16", "f32",
                               "%p = arith.mulf %x, %x : bf16\n"
                               "%w = arith.extf %p : bf16 to f32\n"
                               "%r = arith.addf %out, %w : f32"),
                     {x, scalar(ElementType::F32, 0)});
  // Widened after rounding: the product is what the program says.
  EXPECT_THAT(outcome.values, ElementsAre(1015.625)) << outcome.messages;
  EXPECT_LT(outcome.tolerance[0], 0.07 * 0.9);
  outcome = run(reduction(1000, "bf16", "bf16",
                          "%p = arith.mulf %x, %x : bf16\n"
                          "%r = arith.addf %out, %p : bf16"),
                {x, scalar(ElementType::BF16, 0)});
  EXPECT_THAT(outcome.values, ElementsAre(1016)) << outcome.messages;
  EXPECT_THAT(outcome.tolerance, Each(Le(4)));
}

TEST(LinalgErrors, SumsOfSeveralTerms) {
  // Both terms and the product of the fma are added in any order.
  auto outcome = run(reduction(3, "f32", "f32",
                               "%p = arith.addf %out, %x : f32\n"
                               "%q = arith.addf %x, %p : f32\n"
                               "%r = math.fma %x, %x, %q : f32"),
                     {floats({1, 2, 3}), scalar(ElementType::F32, 10)});
  EXPECT_THAT(outcome.values, ElementsAre(36)) << outcome.messages;
  EXPECT_THAT(outcome.tolerance, Each(Lt(kExact)));
  outcome = run(reduction(3, "f32", "f32",
                          "%p = arith.addf %out, %x : f32\n"
                          "%r = math.fma %x, %x, %p : f32"),
                {floats({0.1, 0.2, 0.3}), scalar(ElementType::F32, 0)});
  EXPECT_NEAR(outcome.values[0], 0.74, 1e-7) << outcome.messages;
  // Seven additions and what rounding the products loses.
  EXPECT_GT(outcome.tolerance[0], 3 * 0.74 * 0x1p-24);
  EXPECT_LT(outcome.tolerance[0], 12 * 0.74 * 0x1p-24);
}

TEST(LinalgErrors, SumsWithInfinities) {
  const std::string text =
      reduction(3, "f32", "f32", "%r = arith.addf %out, %x : f32");
  auto of = [&](std::vector<double> terms) {
    return run(text, {floats(std::move(terms)), scalar(ElementType::F32, 0)});
  };
  // One that is given comes out of every order.
  auto certain = of({1, INFINITY, -3e38});
  EXPECT_THAT(certain.values, ElementsAre(INFINITY)) << certain.messages;
  EXPECT_THAT(certain.tolerance, Each(Lt(kExact)));
  // Unless others become the opposite one on the way.
  EXPECT_EQ(of({-3e38, -3e38, INFINITY}).tolerance[0], INFINITY);
  EXPECT_EQ(of({3e38, 3e38, -3e38}).tolerance[0], INFINITY);
}

TEST(LinalgErrors, ProductsInAnyOrder) {
  const std::string text =
      reduction(4, "f32", "f32", "%r = arith.mulf %out, %x : f32");
  auto of = [&](std::vector<double> factors) {
    return run(text, {floats(std::move(factors)), scalar(ElementType::F32, 2)});
  };
  // Whole numbers below 2^24 have no error.
  EXPECT_THAT(of({3, -5, 7, 11}).values, ElementsAre(-2310));
  EXPECT_THAT(of({3, -5, 7, 11}).tolerance, Each(Lt(kExact)));
  auto outcome = of({1.1, 1.2, 1.3, 1.4});
  EXPECT_NEAR(outcome.values[0], 4.8048, 1e-6);
  EXPECT_GT(outcome.tolerance[0], 4 * 4.8 * 0x1p-25);
  EXPECT_LT(outcome.tolerance[0], 8 * 4.9 * 0x1p-24);
  // One order overflows on the way, the other one does not.
  EXPECT_EQ(of({1e30, 1e30, 1e-30, 1e-30}).tolerance[0], INFINITY);
}

TEST(LinalgErrors, SumsBesideOtherResults) {
  // Of two results the sum has an error, the maximum has none.
  auto text = [](const char *result) {
    return std::string(R"(
func.func @main(%a: tensor<3xf32>, %s: tensor<f32>) -> tensor<f32> {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
      affine_map<(i) -> ()>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]} ins(%a : tensor<3xf32>)
      outs(%s, %s : tensor<f32>, tensor<f32>) {
  ^bb0(%x: f32, %sum: f32, %most: f32):
    %0 = arith.addf %sum, %x : f32
    %1 = arith.maximumf %most, %x : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %r#)") +
           result + " : tensor<f32>\n}";
  };
  auto sum =
      run(text("0"), {floats({0.1, 0.7, 0.3}), scalar(ElementType::F32, 0)});
  EXPECT_NEAR(sum.values[0], 1.1, 1e-6) << sum.messages;
  EXPECT_GT(sum.tolerance[0], 1.1 * 0x1p-24);
  auto most =
      run(text("1"), {floats({0.1, 0.7, 0.3}), scalar(ElementType::F32, 0)});
  EXPECT_THAT(most.values, ElementsAre(0.7f)) << most.messages;
  EXPECT_LT(most.tolerance[0], kExact);
}

TEST(LinalgErrors, PositionOfAMaximum) {
  const char *const text = R"(
func.func @main(%a: tensor<2x4xf32>) -> tensor<2xi64> {
  %lowest = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : i64
  %b = tensor.splat %lowest : tensor<2xf32>
  %z = tensor.splat %c0 : tensor<2xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : tensor<2x4xf32>)
      outs(%b, %z : tensor<2xf32>, tensor<2xi64>) {
  ^bb0(%x: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %m = arith.maximumf %x, %best : f32
    %c = arith.cmpf ogt, %x, %best : f32
    %p = arith.select %c, %n, %at : i64
    linalg.yield %m, %p : f32, i64
  } -> (tensor<2xf32>, tensor<2xi64>)
  return %r#1 : tensor<2xi64>
})";
  auto outcome =
      run(text, array(ElementType::F32, {2, 4}, {1, 5, 5, 2, -4, -3, -9, -1}));
  EXPECT_THAT(outcome.values, ElementsAre(1, 3)) << outcome.messages;
  EXPECT_THAT(outcome.tolerance, IsEmpty());
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

TEST(LinalgErrors, Softmax) {
  auto text = [](const char *dimension) {
    return std::string(R"(
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.softmax dimension()") +
           dimension + R"() ins(%a : tensor<2x3xf32>)
      outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
})";
  };
  Array x = array(ElementType::F32, {2, 3}, {1, 2, 4, 0, -INFINITY, 3});
  // exp(x - max) / sum of those, by NumPy.
  std::vector<double> columns = {0.73105858, 1, 0.73105858,
                                 0.26894142, 0, 0.26894142};
  std::vector<double> rows = {0.04201007, 0.11419520, 0.84379473,
                              0.04742587, 0,          0.95257413};
  for (auto [dimension, expected] :
       {std::pair("0", columns), std::pair("1", rows)}) {
    auto outcome = run(text(dimension), x);
    ASSERT_EQ(outcome.values.size(), 6u) << outcome.messages;
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(outcome.values[i], expected[i], 1e-7) << i;
      EXPECT_LT(outcome.tolerance[i], 2e-6) << i;
    }
    EXPECT_GT(outcome.tolerance[0], 1e-8);
  }
}

TEST(LinalgErrors, SoftmaxOfIntegersIsRefused) {
  auto outcome = run(R"(
func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
  %r = linalg.softmax dimension(0) ins(%a : tensor<2xi32>)
      outs(%a : tensor<2xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
})",
                     integers({1, 2}));
  EXPECT_NE(outcome.messages.find("'linalg.softmax' op takes numbers of 'i32', "
                                  "expected floats"),
            std::string::npos)
      << outcome.messages;
}

} // namespace
