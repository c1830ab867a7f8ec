//===- LinalgBodiesTest.cpp - What bodies of linalg operations compute ----===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgProgram.h"

using namespace sequin;
using namespace sequin::reference;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

/// "%r = arith.OP %x, %y : TYPE".
std::string binary(const std::string &op, const std::string &type) {
  return "%r = " + op + " %x, %y : " + type;
}

/// One operation on two vectors.
std::vector<double> values(const std::string &op, const std::string &type,
                           const Array &x, const Array &y) {
  Outcome outcome = run(
      elementwise(x.shape[0], {type, type}, type, binary(op, type)), {x, y});
  EXPECT_THAT(outcome.messages, IsEmpty()) << op;
  return outcome.values;
}

//===----------------------------------------------------------------------===//
// Indices and elements that they name
//===----------------------------------------------------------------------===//

TEST(LinalgBodies, Index) {
  auto outcome = run(R"(
func.func @main() -> tensor<2x3xi32> {
  %e = tensor.empty() : tensor<2x3xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x3xi32>) {
  ^bb0(%out: i32):
    %ten = arith.constant 10 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.muli %i, %ten : index
    %1 = arith.addi %0, %j : index
    %2 = arith.index_cast %1 : index to i32
    linalg.yield %2 : i32
  } -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
})",
                     {});
  EXPECT_THAT(outcome.values, ElementsAre(0, 1, 2, 10, 11, 12))
      << outcome.messages;
}

TEST(LinalgBodies, IndexOfASum) {
  // Elements weighed by the loop that is summed.
  auto outcome = run(R"(
func.func @main(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.splat %zero : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x3xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%x: f32, %out: f32):
    %j = linalg.index 1 : index
    %0 = arith.index_cast %j : index to i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = arith.mulf %x, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
})",
                     {count({2, 3})});
  EXPECT_THAT(outcome.values, ElementsAre(5, 14)) << outcome.messages;
}

const char *const kLookUp = R"(
func.func @main(%table: tensor<3x2xf32>, %i: tensor<4xi64>)
    -> tensor<4x2xf32> {
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  %e = tensor.empty() : tensor<4x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<4xi64>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%in: i64, %out: f32):
    ASSERT
    %row = arith.index_cast %in : i64 to index
    %j = linalg.index 1 : index
    %x = tensor.extract %table[%row, %j] : tensor<3x2xf32>
    linalg.yield %x : f32
  } -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
})";

std::string lookUp(const std::string &assertion) {
  std::string text = kLookUp;
  return text.replace(text.find("ASSERT"), 6, assertion);
}

TEST(LinalgBodies, ExtractsElements) {
  EXPECT_THAT(run(lookUp(""), {count({3, 2}), integers({2, 0, 2, 1})}).values,
              ElementsAre(4, 5, 0, 1, 4, 5, 2, 3));
  EXPECT_THAT(
      run(lookUp(""), {count({3, 2}), integers({2, 0, 3, 1})}).messages,
      HasSubstr("'tensor.extract' op has index 3, dimension 0 has size 3"));
  EXPECT_THAT(
      run(lookUp(""), {count({3, 2}), integers({2, 0, -1, 1})}).messages,
      HasSubstr("'tensor.extract' op has index -1, dimension 0 has size 3"));
}

TEST(LinalgBodies, Assertions) {
  std::string text = lookUp("%inside = arith.cmpi slt, %in, %c3 : i64\n"
                            "cf.assert %inside, \"index too large\"");
  EXPECT_THAT(run(text, {count({3, 2}), integers({2, 0, 2, 1})}).values,
              ElementsAre(4, 5, 0, 1, 4, 5, 2, 3));
  EXPECT_THAT(run(text, {count({3, 2}), integers({2, 0, 3, 1})}).messages,
              HasSubstr("'cf.assert' op does not hold: index too large"));
}

TEST(LinalgBodies, BranchesThatAreNotTakenDoNothing) {
  // The second tensor ends where the first one begins to be read.
  auto outcome = run(R"(
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<5xf32> {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%e : tensor<5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %0 = arith.cmpi ult, %i, %c2 : index
    %1 = scf.if %0 -> (f32) {
      %x = tensor.extract %a[%i] : tensor<2xf32>
      scf.yield %x : f32
    } else {
      %j = arith.subi %i, %c2 : index
      %x = tensor.extract %b[%j] : tensor<3xf32>
      %y = arith.negf %x : f32
      scf.yield %y : f32
    }
    linalg.yield %1 : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
})",
                     {count({2}), count({3})});
  EXPECT_THAT(outcome.values, ElementsAre(0, 1, 0, -1, -2)) << outcome.messages;
}

//===----------------------------------------------------------------------===//
// Truth values and 64 bits
//===----------------------------------------------------------------------===//

TEST(LinalgBodies, TruthValuesAreBytesOutside) {
  auto bools = [](const std::vector<double> &list) {
    int64_t size = list.size();
    return array(ElementType::I8, {size}, list);
  };
  std::string both = elementwise(4, {"i1", "i1"}, "i1",
                                 "%t = arith.constant true\n"
                                 "%n = arith.xori %y, %t : i1\n"
                                 "%r = arith.andi %x, %n : i1");
  auto outcome = run(both, {bools({0, 0, 1, 1}), bools({0, 1, 0, 1})});
  EXPECT_THAT(outcome.values, ElementsAre(0, 0, 1, 0)) << outcome.messages;
  EXPECT_EQ(outcome.type, ElementType::I8);
  EXPECT_THAT(outcome.tolerance, IsEmpty());
  EXPECT_THAT(run(both, {bools({0, 2, 1, 1}), bools({0, 1, 0, 1})}).messages,
              HasSubstr("argument 0 of function 'main' is given 2 at [1], a "
                        "truth value is 0 or 1"));
}

TEST(LinalgBodies, OneBitIsAllOfAnInteger) {
  // As a signed number true is -1, as an unsigned one 1.
  auto given = array(ElementType::I8, {2}, {0, 1});
  auto widened = [&](const std::string &op) {
    return run(elementwise(2, {"i1"}, "i32",
                           "%r = arith." + op + " %x : i1 to i32"),
               {given})
        .values;
  };
  EXPECT_THAT(widened("extsi"), ElementsAre(0, -1));
  EXPECT_THAT(widened("extui"), ElementsAre(0, 1));
  auto converted = [&](const std::string &op) {
    return run(elementwise(2, {"i1"}, "f32",
                           "%r = arith." + op + " %x : i1 to f32"),
               {given})
        .values;
  };
  EXPECT_THAT(converted("sitofp"), ElementsAre(0, -1));
  EXPECT_THAT(converted("uitofp"), ElementsAre(0, 1));
  auto compared = [&](const std::string &predicate) {
    return run(elementwise(2, {"i1"}, "i1",
                           "%t = arith.constant true\n%r = arith.cmpi " +
                               predicate + ", %x, %t : i1"),
               {given})
        .values;
  };
  EXPECT_THAT(compared("eq"), ElementsAre(0, 1));
  EXPECT_THAT(compared("ult"), ElementsAre(1, 0));
  EXPECT_THAT(compared("sgt"), ElementsAre(1, 0));
  // A comparison's result is such a number, too.
  auto outcome = run(elementwise(3, {"i32"}, "i1",
                                 "%0 = arith.constant 0 : i32\n"
                                 "%t = arith.constant true\n"
                                 "%c = arith.cmpi sgt, %x, %0 : i32\n"
                                 "%r = arith.cmpi eq, %c, %t : i1"),
                     {integers({-1, 0, 5})});
  EXPECT_THAT(outcome.values, ElementsAre(0, 0, 1)) << outcome.messages;
}

TEST(LinalgBodies, SixtyFourBitsAre32Outside) {
  // Beyond 32 bits on the way, not in the end.
  std::string text = elementwise(3, {"i64"}, "i64",
                                 "%c = arith.constant 3000000000 : i64\n"
                                 "%0 = arith.muli %x, %c : i64\n"
                                 "%1 = arith.divsi %0, %c : i64\n"
                                 "%r = arith.addi %1, %x : i64");
  auto outcome = run(text, {integers({7, -1000000000, 1073741823})});
  EXPECT_THAT(outcome.values, ElementsAre(14, -2000000000, 2147483646))
      << outcome.messages;
  EXPECT_EQ(outcome.type, ElementType::I32);
  EXPECT_THAT(run(text, {integers({7, -5, 1073741824})}).messages,
              HasSubstr("result 0 of function 'main' is 2147483648 at [2], i64 "
                        "is i32 in results and that holds -2147483648 to "
                        "2147483647"));
}

TEST(LinalgBodies, TermsOf64BitsDoNotWrapAt32) {
  // (2^31 - 1)^2 / 2^32 is 2^30 - 1.
  std::string text = reduction(2, "i32", "i64",
                               "%c = arith.constant 32 : i64\n"
                               "%0 = arith.extsi %x : i32 to i64\n"
                               "%1 = arith.muli %0, %0 : i64\n"
                               "%2 = arith.shrsi %1, %c : i64\n"
                               "%r = arith.addi %out, %2 : i64");
  auto init = array(ElementType::I32, {}, {-5});
  EXPECT_THAT(run(text, {integers({2147483647, 2147483647}), init}).values,
              ElementsAre(2147483641));
}

TEST(LinalgBodies, F64IsForConstants) {
  // 0.1 is rounded once; in f32 the sum would be 0.70000005.
  std::string before = "%a = arith.constant 0.1 : f64\n"
                       "%b = arith.constant 0.6 : f64\n";
  auto outcome = run(elementwise(1, {"f32"}, "f32",
                                 "%0 = arith.addf %a, %b : f64\n"
                                 "%1 = arith.truncf %0 : f64 to f32\n"
                                 "%r = arith.addf %x, %1 : f32",
                                 before),
                     {floats({0})});
  EXPECT_THAT(outcome.values, ElementsAre(DoubleEq(0.7f))) << outcome.messages;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

TEST(LinalgBodies, DivisionsRoundAsTheirNamesSay) {
  auto x = integers({7, -7, 7, -7, 6, 0});
  auto y = integers({2, 2, -2, -2, 3, 5});
  EXPECT_THAT(values("arith.divsi", "i32", x, y),
              ElementsAre(3, -3, -3, 3, 2, 0));
  EXPECT_THAT(values("arith.floordivsi", "i32", x, y),
              ElementsAre(3, -4, -4, 3, 2, 0));
  EXPECT_THAT(values("arith.ceildivsi", "i32", x, y),
              ElementsAre(4, -3, -3, 4, 2, 0));
  EXPECT_THAT(values("arith.remsi", "i32", x, y),
              ElementsAre(1, -1, 1, -1, 0, 0));
  // -7 is 4294967289 without a sign.
  EXPECT_THAT(values("arith.divui", "i32", x, y),
              ElementsAre(3, 2147483644, 0, 0, 2, 0));
  EXPECT_THAT(values("arith.ceildivui", "i32", x, y),
              ElementsAre(4, 2147483645, 1, 1, 2, 0));
  EXPECT_THAT(values("arith.remui", "i32", x, y),
              ElementsAre(1, 1, 7, -7, 0, 0));
}

TEST(LinalgBodies, DivisionsThatMeanNothing) {
  std::string text =
      elementwise(2, {"i32", "i32"}, "i32", binary("arith.divsi", "i32"));
  EXPECT_THAT(run(text, {integers({1, 2}), integers({1, 0})}).messages,
              HasSubstr("'arith.divsi' op divides by zero"));
  EXPECT_THAT(
      run(text, {integers({1, -2147483648.0}), integers({1, -1})}).messages,
      HasSubstr("'arith.divsi' op divides -2147483648 by -1, which i32 does "
                "not hold"));
  EXPECT_THAT(values("arith.remsi", "i32", integers({-2147483648.0, 5}),
                     integers({-1, -1})),
              ElementsAre(0, 0));
}

TEST(LinalgBodies, UnsignedOrder) {
  auto bytes = [](const std::vector<double> &list) {
    return array(ElementType::I8, {3}, list);
  };
  EXPECT_THAT(
      values("arith.maxui", "i8", bytes({-1, 5, -128}), bytes({1, 6, 127})),
      ElementsAre(-1, 6, -128));
  EXPECT_THAT(
      values("arith.minui", "i8", bytes({-1, 5, -128}), bytes({1, 6, 127})),
      ElementsAre(1, 5, 127));
}

TEST(LinalgBodies, NarrowIntegersWrap) {
  auto x = array(ElementType::I8, {4}, {127, -128, 100, -3});
  auto y = array(ElementType::I8, {4}, {1, -1, 3, 7});
  EXPECT_THAT(values("arith.addi", "i8", x, y), ElementsAre(-128, 127, 103, 4));
  EXPECT_THAT(values("arith.subi", "i8", x, y),
              ElementsAre(126, -127, 97, -10));
  EXPECT_THAT(values("arith.muli", "i8", x, y),
              ElementsAre(127, -128, 44, -21));
  EXPECT_THAT(values("arith.shrui", "i8", x, y), ElementsAre(63, 0, 12, 1));
  EXPECT_THAT(values("arith.shrsi", "i8", x, y), ElementsAre(63, -1, 12, -1));
  EXPECT_THAT(values("arith.shli", "i8", x, y), ElementsAre(-2, 0, 32, -128));
  auto outcome = run(elementwise(4, {"i8"}, "i8", "%r = math.absi %x : i8"), x);
  EXPECT_THAT(outcome.values, ElementsAre(127, -128, 100, 3));
}

TEST(LinalgBodies, Conversions) {
  auto x = integers({-1, 300, 128, -2147483648.0});
  auto one = [&](const std::string &to, const std::string &body) {
    return run(elementwise(4, {"i32"}, to, body), x).values;
  };
  EXPECT_THAT(one("i8", "%r = arith.trunci %x : i32 to i8"),
              ElementsAre(-1, 44, -128, 0));
  EXPECT_THAT(one("f32", "%r = arith.uitofp %x : i32 to f32"),
              ElementsAre(4294967296.0, 300, 128, 2147483648.0));
  EXPECT_THAT(one("i64", "%0 = arith.extui %x : i32 to i64\n"
                         "%c = arith.constant 1 : i64\n"
                         "%r = arith.shrui %0, %c : i64"),
              ElementsAre(2147483647, 150, 64, 1073741824));
  EXPECT_THAT(one("i32", "%0 = arith.index_castui %x : i32 to index\n"
                         "%c = arith.constant 4 : index\n"
                         "%1 = arith.divui %0, %c : index\n"
                         "%r = arith.index_cast %1 : index to i32"),
              ElementsAre(1073741823, 75, 32, 536870912));
}

TEST(LinalgBodies, FloatsToIntegers) {
  auto x = floats({2.75, -2.75, 200, 3e9});
  auto to = [&](const std::string &op, const std::string &type) {
    return run(elementwise(4, {"f32"}, type,
                           "%r = arith." + op + " %x : f32 to " + type),
               x);
  };
  EXPECT_THAT(to("fptosi", "i32").values, ElementsAre(2, -2, 200, 2147483647));
  EXPECT_THAT(to("fptosi", "i32").tolerance, IsEmpty());
  // 3e9 without a sign.
  EXPECT_EQ(to("fptoui", "i32").values[3], 3e9 - 4294967296.0);
  // What i8 does not hold means nothing: any result is right.
  Outcome narrow = to("fptosi", "i8");
  EXPECT_THAT(llvm::ArrayRef(narrow.values).take_front(2), ElementsAre(2, -2));
  EXPECT_THAT(narrow.tolerance, ElementsAre(0, 0, 256, 256));
}

TEST(LinalgBodies, BitsOfFloats) {
  auto outcome =
      run(elementwise(3, {"f32"}, "i32", "%r = arith.bitcast %x : f32 to i32"),
          floats({1, -2, 0x1p-149}));
  EXPECT_THAT(outcome.values, ElementsAre(0x3f800000, -0x40000000, 1))
      << outcome.messages;
  outcome = run(
      elementwise(2, {"i16"}, "bf16", "%r = arith.bitcast %x : i16 to bf16"),
      array(ElementType::I16, {2}, {0x3fc0, -0x4000}));
  EXPECT_THAT(outcome.values, ElementsAre(1.5, -2)) << outcome.messages;
}

TEST(LinalgBodies, SelectionByOneCondition) {
  auto outcome = run(R"(
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %true = arith.constant false
  %r = arith.select %true, %a, %b : tensor<2xf32>
  return %r : tensor<2xf32>
})",
                     {floats({1, 2}), floats({3, 4})});
  EXPECT_THAT(outcome.values, ElementsAre(3, 4)) << outcome.messages;
}

//===----------------------------------------------------------------------===//
// Functions of floats
//===----------------------------------------------------------------------===//

TEST(LinalgBodies, FunctionsOfSeveralNumbers) {
  auto x = floats({2, -3, 0.5, 9});
  auto y = floats({3, -0.0, -2, 0.5});
  auto two = [&](const std::string &op) {
    return run(elementwise(4, {"f32", "f32"}, "f32",
                           "%r = math." + op + " %x, %y : f32"),
               {x, y})
        .values;
  };
  EXPECT_THAT(two("copysign"), ElementsAre(2, -3, -0.5, 9));
  EXPECT_THAT(two("powf"), ElementsAre(8, 1, 4, 3));
  EXPECT_THAT(run(elementwise(4, {"f32", "i32"}, "f32",
                              "%r = math.fpowi %x, %y : f32, i32"),
                  {x, integers({3, 3, -2, 0})})
                  .values,
              ElementsAre(8, -27, 4, 1));
  EXPECT_THAT(run(elementwise(4, {"f32"}, "f32",
                              "%l = arith.constant -1.0 : f32\n"
                              "%h = arith.constant 2.5 : f32\n"
                              "%r = math.clampf %x to [%l, %h] : f32"),
                  x)
                  .values,
              ElementsAre(2, -1, 0.5, 2.5));
}

TEST(LinalgBodies, FunctionsMadeOfOthers) {
  std::vector<double> points = {0.25, 0.75};
  double (*expected[])(double) = {std::tan,   std::sinh,  std::cosh,
                                  std::asinh, std::atanh, std::erfc,
                                  std::expm1, std::log1p};
  const char *const names[] = {"tan",   "sinh", "cosh",  "asinh",
                               "atanh", "erfc", "expm1", "log1p"};
  for (auto [name, function] : llvm::zip(names, expected)) {
    auto outcome =
        run(elementwise(2, {"f32"}, "f32",
                        std::string("%r = math.") + name + " %x : f32"),
            floats(points));
    ASSERT_EQ(outcome.values.size(), 2u) << name << outcome.messages;
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(outcome.values[i], function(points[i]), 1e-7) << name;
      EXPECT_GT(outcome.tolerance[i], 1e-7) << name;
      EXPECT_LT(outcome.tolerance[i], 3e-6) << name;
    }
  }
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

TEST(LinalgBodies, UnknownOperationsAndTypes) {
  EXPECT_THAT(
      run(elementwise(2, {"f32", "f32"}, "f32", "%r = math.atan2 %x, %y : f32"),
          {floats({1, 2}), floats({1, 2})})
          .messages,
      HasSubstr("'math.atan2' op is not supported by the reference "
                "interpreter"));
  EXPECT_THAT(run(elementwise(2, {"i32"}, "i32",
                              "%0 = arith.extsi %x : i32 to i96\n"
                              "%r = arith.trunci %0 : i96 to i32"),
                  integers({1, 2}))
                  .messages,
              HasSubstr("'arith.extsi' op computes with 'i96', which the "
                        "reference interpreter does not know"));
  EXPECT_THAT(run(R"(
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
})",
                  floats({1}))
                  .messages,
              HasSubstr("expected a static shape"));
  EXPECT_THAT(run(R"(
func.func @main(%a: tensor<2xindex>) -> tensor<2xindex> {
  return %a : tensor<2xindex>
})",
                  integers({1, 2}))
                  .messages,
              HasSubstr("argument 0 of function 'main' is given an array of "
                        "another shape or type, expected 'tensor<2xindex>'"));
  EXPECT_THAT(run(R"(
func.func @main(%a: tensor<2xi32>) -> tensor<2xindex> {
  %r = arith.index_cast %a : tensor<2xi32> to tensor<2xindex>
  return %r : tensor<2xindex>
})",
                  integers({1, 2}))
                  .messages,
              HasSubstr("result 0 of function 'main' has elements of index, of "
                        "which no machine has arrays"));
  EXPECT_THAT(run(R"(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %a) -> tensor<2xf32> {
    scf.yield %x : tensor<2xf32>
  }
  return %r : tensor<2xf32>
})",
                  floats({1, 2}))
                  .messages,
              HasSubstr("'scf.for' op is not supported by the reference "
                        "interpreter"));
}

} // namespace
