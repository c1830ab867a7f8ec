//===- LinalgToCslTest.cpp - linalg, lowered and run on a wafer -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every kind of operation, on grids that divide the sizes and grids that do
// not, compared with the linalg interpreter. Data are small integers, so sums
// are exact in any order.
//
//===----------------------------------------------------------------------===//

#include "LinalgToCslRun.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace sequin;

namespace {

using Options = LinalgToCslRun::Options;

/// `$name$` in a text stands for a value.
std::string
fill(std::string text,
     const std::vector<std::pair<std::string, std::string>> &values) {
  for (const auto &[name, value] : values)
    for (size_t at; (at = text.find("$" + name + "$")) != std::string::npos;)
      text.replace(at, name.size() + 2, value);
  return text;
}

std::string matmul(int64_t m, int64_t n, int64_t k, std::string type = "f32") {
  return fill(R"(
func.func @main(%A: tensor<$m$x$k$x$t$>, %B: tensor<$k$x$n$x$t$>)
    -> tensor<$m$x$n$x$t$> {
  %z = arith.constant $zero$ : $t$
  %e = tensor.empty() : tensor<$m$x$n$x$t$>
  %f = linalg.fill ins(%z : $t$) outs(%e : tensor<$m$x$n$x$t$>) -> tensor<$m$x$n$x$t$>
  %c = linalg.matmul ins(%A, %B : tensor<$m$x$k$x$t$>, tensor<$k$x$n$x$t$>)
    outs(%f : tensor<$m$x$n$x$t$>) -> tensor<$m$x$n$x$t$>
  return %c : tensor<$m$x$n$x$t$>
})",
              {{"m", std::to_string(m)},
               {"n", std::to_string(n)},
               {"k", std::to_string(k)},
               {"t", type},
               {"zero", type[0] == 'i' ? "0" : "0.0"}});
}

std::string matvec(int64_t m, int64_t k) {
  return fill(R"(
func.func @main(%A: tensor<$m$x$k$xf32>, %x: tensor<$k$xf32>,
                %y: tensor<$m$xf32>) -> tensor<$m$xf32> {
  %c = linalg.matvec ins(%A, %x : tensor<$m$x$k$xf32>, tensor<$k$xf32>)
    outs(%y : tensor<$m$xf32>) -> tensor<$m$xf32>
  return %c : tensor<$m$xf32>
})",
              {{"m", std::to_string(m)}, {"k", std::to_string(k)}});
}

/// The simulator as it is, with other timing, and the reference interpreter.
void expectGood(const std::string &text, const Options &options,
                unsigned seed) {
  LinalgToCslRun run(text, options);
  std::string where = options.target + " " + std::to_string(options.width) +
                      " x " + std::to_string(options.height) + " seed " +
                      std::to_string(seed) + "\n" + text;
  ASSERT_EQ(run.messages, "") << where;
  EXPECT_EQ(run.check(seed, {}, 2), "") << where << run.text();
  wafer::Options other;
  other.randomLatency = true;
  other.shallowQueues = true;
  other.highestTaskFirst = true;
  other.seed = seed;
  EXPECT_EQ(run.check(seed, other, 2), "") << where;
  EXPECT_EQ(run.checkReference(seed), "") << where;
  EXPECT_EQ(run.checkReference(seed, true), "") << where;
}

TEST(LinalgToCsl, Summa) {
  for (const char *target : {"wse2", "wse3"})
    for (auto [w, h] : {std::pair(2, 2), {3, 3}, {4, 2}, {3, 2}, {4, 4}}) {
      Options options{.target = target, .width = w, .height = h};
      options.distribution = "y,x;y,x";
      expectGood(matmul(8, 12, 12), options, 1);
      expectGood(matmul(7, 5, 13), options, 2);
    }
}

TEST(LinalgToCsl, Matmul) {
  for (const char *target : {"wse2", "wse3"})
    for (auto [w, h] : {std::pair(1, 1), {4, 1}, {1, 3}, {2, 3}})
      for (const char *type : {"f32", "f16", "bf16", "i16", "i32"})
        expectGood(matmul(6, 5, 7, type),
                   {.target = target, .width = w, .height = h}, 3);
}

/// Of a slice only what belongs to it counts, however it is cut.
TEST(LinalgToCsl, ContractsASlice) {
  const char *text = R"(
func.func @main(%a: tensor<7x11xf32>, %b: tensor<13x5xf32>) -> tensor<7x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<7x5xf32>) -> tensor<7x5xf32>
  %s = tensor.extract_slice %a[0, 2] [7, 7] [1, 1] : tensor<7x11xf32> to tensor<7x7xf32>
  %t = tensor.extract_slice %b[$from$, 0] [7, 5] [1, 1] : tensor<13x5xf32> to tensor<7x5xf32>
  %c = linalg.matmul ins(%s, %t : tensor<7x7xf32>, tensor<7x5xf32>)
    outs(%f : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %c : tensor<7x5xf32>
})";
  const char *vector = R"(
func.func @main(%a: tensor<16x16xf32>, %x: tensor<16xf32>) -> tensor<16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %s = tensor.extract_slice %a[0, 0] [16, 8] [1, 1] : tensor<16x16xf32> to tensor<16x8xf32>
  %t = tensor.extract_slice %x[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
  %r = linalg.matvec ins(%s, %t : tensor<16x8xf32>, tensor<8xf32>)
    outs(%f : tensor<16xf32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
})";
  for (auto [w, h] : {std::pair(3, 3), {4, 4}, {1, 4}}) {
    Options options{.target = "wse3", .width = w, .height = h};
    for (const char *from : {"2", "5"})
      expectGood(fill(text, {{"from", from}}), options, 31);
    expectGood(vector, options, 32);
  }
}

/// Sums of more elements than 16 bits can number, which are no DSD operations.
TEST(LinalgToCsl, SumsManyElements) {
  std::string text = R"(
func.func @main(%a: tensor<$n$xi32>) -> tensor<i32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<i32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
    ins(%a : tensor<$n$xi32>) outs(%f : tensor<i32>) {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  return %r : tensor<i32>
})";
  for (const char *n : {"65537", "70001"}) {
    Options options{.target = "wse3", .width = 16, .height = 1};
    LinalgToCslRun run(fill(text, {{"n", n}}), options);
    ASSERT_EQ(run.messages, "");
    EXPECT_EQ(run.check(33), "") << n;
    EXPECT_EQ(run.checkReference(33), "") << n;
  }
}

/// 16-bit factors, sums in f32.
TEST(LinalgToCsl, MixedMatmul) {
  for (std::string type : {"f16", "bf16"}) {
    std::string text = fill(R"(
func.func @main(%A: tensor<9x7x$t$>, %B: tensor<7x11x$t$>, %C: tensor<9x11xf32>)
    -> tensor<9x11xf32> {
  %c = linalg.matmul ins(%A, %B : tensor<9x7x$t$>, tensor<7x11x$t$>)
    outs(%C : tensor<9x11xf32>) -> tensor<9x11xf32>
  return %c : tensor<9x11xf32>
})",
                            {{"t", type}});
    for (const char *target : {"wse2", "wse3"})
      for (const char *pin : {"", "y,x;y,x"}) {
        Options options{.target = target, .width = 2, .height = 3};
        options.distribution = pin;
        expectGood(text, options, 18);
      }
  }
}

TEST(LinalgToCsl, MatvecDistributions) {
  for (const char *target : {"wse2", "wse3"})
    for (const char *distribution :
         {"x,-;-", "-,x;x", "y,-;-", "y,x;x", "x,y;y", ""}) {
      Options options{.target = target, .width = 3, .height = 2};
      options.distribution = distribution;
      expectGood(matvec(12, 18), options, 4);
      expectGood(matvec(11, 7), options, 5);
    }
}

/// Shapes, grids and data by chance; the seed is in what a failure prints.
TEST(LinalgToCsl, RandomShapes) {
  unsigned first = std::random_device()() % 100000;
  for (unsigned seed = first; seed < first + 12; ++seed) {
    std::mt19937 random(seed);
    auto draw = [&](int64_t low, int64_t high) {
      return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    Options options{.target = draw(0, 1) ? "wse3" : "wse2",
                    .width = draw(1, 6),
                    .height = draw(1, 5)};
    int64_t m = draw(1, 17), n = draw(1, 17), k = draw(1, 17);
    if (options.width > 1 && options.height > 1 && std::min({m, n, k}) > 1 &&
        draw(0, 1))
      options.distribution = "y,x;y,x";
    const char *types[] = {"f32", "f32", "f16", "bf16", "i16", "i32"};
    expectGood(matmul(m, n, k, types[draw(0, 5)]), options, seed);
    options.distribution = "";
    expectGood(matvec(m + 1, k + 1), options, seed);
  }
}

//===----------------------------------------------------------------------===//
// Elementwise operations and reductions
//===----------------------------------------------------------------------===//

TEST(LinalgToCsl, ElementwiseChain) {
  // max(a * b - 2 a, bias) / 4, a row and a number broadcast.
  std::string text = R"(
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#one = affine_map<(i, j) -> ()>
func.func @main(%a: tensor<7x10xf32>, %b: tensor<7x10xf32>,
                %bias: tensor<10xf32>, %s: tensor<f32>) -> tensor<7x10xf32> {
  %two = arith.constant 2.0 : f32
  %four = arith.constant 4.0 : f32
  %e = tensor.empty() : tensor<7x10xf32>
  %p = linalg.mul ins(%a, %b : tensor<7x10xf32>, tensor<7x10xf32>)
    outs(%e : tensor<7x10xf32>) -> tensor<7x10xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #row, #one, #id],
                       iterator_types = ["parallel", "parallel"]}
    ins(%p, %a, %bias, %s : tensor<7x10xf32>, tensor<7x10xf32>, tensor<10xf32>, tensor<f32>)
    outs(%e : tensor<7x10xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32, %o: f32):
    %t = arith.mulf %y, %two : f32
    %d = arith.subf %x, %t : f32
    %m = arith.maximumf %d, %z : f32
    %n = arith.subf %w, %m : f32
    %q = arith.divf %n, %four : f32
    linalg.yield %q : f32
  } -> tensor<7x10xf32>
  return %r : tensor<7x10xf32>
})";
  for (const char *target : {"wse2", "wse3"})
    for (auto [w, h] : {std::pair(1, 1), {3, 1}, {1, 3}, {3, 2}, {4, 8}})
      expectGood(text, {.target = target, .width = w, .height = h}, 6);
}

TEST(LinalgToCsl, ElementTypes) {
  std::string text = R"(
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
func.func @main(%a: tensor<5x6x$t$>, %b: tensor<6x5x$t$>) -> tensor<5x6x$t$> {
  %c = arith.constant $c$ : $t$
  %e = tensor.empty() : tensor<5x6x$t$>
  %r = linalg.generic {indexing_maps = [#id, #t, #id],
                       iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : tensor<5x6x$t$>, tensor<6x5x$t$>) outs(%e : tensor<5x6x$t$>) {
  ^bb0(%x: $t$, %y: $t$, %o: $t$):
    %s = arith.sub$f$ %c, %x : $t$
    %d = arith.add$f$ %s, %y : $t$
    linalg.yield %d : $t$
  } -> tensor<5x6x$t$>
  return %r : tensor<5x6x$t$>
})";
  for (const char *target : {"wse2", "wse3"})
    for (std::string type : {"f32", "f16", "bf16", "i16", "i32"})
      expectGood(fill(text, {{"t", type},
                             {"f", type[0] == 'i' ? "i" : "f"},
                             {"c", type[0] == 'i' ? "3" : "3.0"}}),
                 {.target = target, .width = 3, .height = 2}, 7);
}

TEST(LinalgToCsl, ScalarCode) {
  // Division, comparison and a function have no DSD operation.
  std::string text = R"(
#id = affine_map<(i) -> (i)>
func.func @main(%a: tensor<19xf32>, %b: tensor<19xf32>) -> tensor<19xf32> {
  %e = tensor.empty() : tensor<19xf32>
  %five = arith.constant 5.0 : f32
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
    ins(%a, %b : tensor<19xf32>, tensor<19xf32>) outs(%e : tensor<19xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %x5 = arith.addf %x, %five : f32
    %q = arith.divf %y, %x5 : f32
    %c = arith.cmpf olt, %x, %y : f32
    %s = arith.select %c, %q, %x : f32
    %z = math.exp %s : f32
    linalg.yield %z : f32
  } -> tensor<19xf32>
  return %r : tensor<19xf32>
})";
  for (auto [w, h] : {std::pair(1, 1), {3, 1}, {3, 2}}) {
    Options options{.width = w, .height = h};
    options.slack = 1e-6;
    expectGood(text, options, 8);
  }
}

TEST(LinalgToCsl, Reductions) {
  std::string text = R"(
#id = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> ($out$)>
func.func @main(%a: tensor<$m$x$n$x$t$>, %s: tensor<$o$$t$>) -> tensor<$o$$t$> {
  %r = linalg.generic {indexing_maps = [#id, #out],
                       iterator_types = ["$ki$", "$kj$"]}
    ins(%a : tensor<$m$x$n$x$t$>) outs(%s : tensor<$o$$t$>) {
  ^bb0(%x: $t$, %o: $t$):
    %q = arith.$pre$ %x, %x : $t$
    %d = arith.$op$ %o, %q : $t$
    linalg.yield %d : $t$
  } -> tensor<$o$$t$>
  return %r : tensor<$o$$t$>
})";
  struct Kind {
    const char *type, *op, *pre;
  };
  struct Axes {
    const char *out, *ki, *kj;
    bool i, j;
  };
  const char *par = "parallel", *red = "reduction";
  unsigned seed = 10;
  for (Kind kind : {Kind{"f32", "addf", "mulf"},
                    {"f32", "maximumf", "addf"},
                    {"f32", "minimumf", "addf"},
                    {"f16", "addf", "addf"},
                    {"i16", "addi", "addi"},
                    {"i32", "addi", "muli"},
                    {"i32", "maxsi", "addi"}})
    for (Axes axes : {Axes{"", red, red, false, false},
                      {"i", par, red, true, false},
                      {"j", red, par, false, true}})
      for (auto [m, n] : {std::pair(6, 8), {7, 5}})
        for (auto [w, h] : {std::pair(1, 1), {4, 1}, {3, 2}, {2, 4}}) {
          std::string shape;
          if (axes.i)
            shape += std::to_string(m) + "x";
          if (axes.j)
            shape += std::to_string(n) + "x";
          std::string filled = fill(text, {{"m", std::to_string(m)},
                                           {"n", std::to_string(n)},
                                           {"o", shape},
                                           {"t", kind.type},
                                           {"op", kind.op},
                                           {"pre", kind.pre},
                                           {"out", axes.out},
                                           {"ki", axes.ki},
                                           {"kj", axes.kj}});
          Options options{.width = w, .height = h};
          options.target = seed % 2 ? "wse2" : "wse3";
          expectGood(filled, options, ++seed);
        }
}

TEST(LinalgToCsl, TwoPhaseReduction) {
  // Long rows of PEs with little data: groups, the last of them short.
  std::string text = R"(
#id = affine_map<(i) -> (i)>
#out = affine_map<(i) -> ()>
func.func @main(%a: tensor<$n$xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#id, #out], iterator_types = ["reduction"]}
    ins(%a : tensor<$n$xf32>) outs(%f : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %o, %x : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  return %r : tensor<f32>
})";
  for (const char *target : {"wse2", "wse3"})
    for (int64_t pes : {23, 40}) {
      std::string filled = fill(text, {{"n", std::to_string(3 * pes - 1)}});
      Options options{.target = target, .width = pes};
      options.distribution = "x";
      LinalgToCslRun run(filled, options);
      ASSERT_EQ(run.messages, "");
      EXPECT_NE(run.text().find("leap"), std::string::npos) << run.text();
      expectGood(filled, options, 11);
    }
}

//===----------------------------------------------------------------------===//
// Stencils
//===----------------------------------------------------------------------===//

TEST(LinalgToCsl, Stencil5) {
  std::string text = R"(
#c = affine_map<(i, j) -> (i + 2, j + 2)>
#n = affine_map<(i, j) -> (i + 1, j + 2)>
#s = affine_map<(i, j) -> (i + 3, j + 2)>
#w = affine_map<(i, j) -> (i + 2, j + 1)>
#e = affine_map<(i, j) -> (i + 2, j + 3)>
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<13x16xf32>) -> tensor<10x13xf32> {
  %k = arith.constant -4.0 : f32
  %o = tensor.empty() : tensor<10x13xf32>
  %r = linalg.generic {indexing_maps = [#c, #n, #s, #w, #e, #id],
                       iterator_types = ["parallel", "parallel"]}
    ins(%a, %a, %a, %a, %a : tensor<13x16xf32>, tensor<13x16xf32>, tensor<13x16xf32>,
                             tensor<13x16xf32>, tensor<13x16xf32>)
    outs(%o : tensor<10x13xf32>) {
  ^bb0(%c: f32, %n: f32, %s: f32, %w: f32, %e: f32, %out: f32):
    %0 = arith.mulf %c, %k : f32
    %1 = arith.addf %0, %n : f32
    %2 = arith.addf %1, %s : f32
    %3 = arith.addf %2, %w : f32
    %4 = arith.addf %3, %e : f32
    linalg.yield %4 : f32
  } -> tensor<10x13xf32>
  return %r : tensor<10x13xf32>
})";
  for (const char *target : {"wse2", "wse3"})
    for (auto [w, h] : {std::pair(1, 1), {5, 1}, {1, 4}, {3, 3}, {4, 5}})
      expectGood(text, {.target = target, .width = w, .height = h}, 12);
}

/// Slices of a padded field, added; two steps in one function.
TEST(LinalgToCsl, PaddedStencilTwice) {
  std::string step = R"(
  %p$n$ = tensor.pad %$from$ low[0, 1, 1] high[0, 1, 1] {
  ^bb0(%i$n$: index, %j$n$: index, %k$n$: index):
    tensor.yield %pad : f32
  } : tensor<6x7x5xf32> to tensor<6x9x7xf32>
  %w$n$ = tensor.extract_slice %p$n$[0, 0, 1] [6, 7, 5] [1, 1, 1] : tensor<6x9x7xf32> to tensor<6x7x5xf32>
  %e$n$ = tensor.extract_slice %p$n$[0, 2, 1] [6, 7, 5] [1, 1, 1] : tensor<6x9x7xf32> to tensor<6x7x5xf32>
  %d$n$ = tensor.extract_slice %p$n$[0, 1, 0] [6, 7, 5] [1, 1, 1] : tensor<6x9x7xf32> to tensor<6x7x5xf32>
  %u$n$ = tensor.extract_slice %p$n$[0, 1, 2] [6, 7, 5] [1, 1, 1] : tensor<6x9x7xf32> to tensor<6x7x5xf32>
  %x$n$ = linalg.add ins(%w$n$, %e$n$ : tensor<6x7x5xf32>, tensor<6x7x5xf32>) outs(%o : tensor<6x7x5xf32>) -> tensor<6x7x5xf32>
  %y$n$ = linalg.add ins(%x$n$, %d$n$ : tensor<6x7x5xf32>, tensor<6x7x5xf32>) outs(%o : tensor<6x7x5xf32>) -> tensor<6x7x5xf32>
  %z$n$ = linalg.sub ins(%y$n$, %u$n$ : tensor<6x7x5xf32>, tensor<6x7x5xf32>) outs(%o : tensor<6x7x5xf32>) -> tensor<6x7x5xf32>
)";
  for (const char *pad : {"0.0", "2.0"}) {
    std::string text =
        "func.func @main(%a: tensor<6x7x5xf32>) -> tensor<6x7x5xf32> {\n"
        "  %pad = arith.constant " +
        std::string(pad) +
        " : f32\n  %o = tensor.empty() : tensor<6x7x5xf32>\n" +
        fill(step, {{"n", "0"}, {"from", "a"}}) +
        fill(step, {{"n", "1"}, {"from", "z0"}}) +
        "  return %z1 : tensor<6x7x5xf32>\n}\n";
    for (const char *target : {"wse2", "wse3"})
      for (auto [w, h] : {std::pair(1, 1), {3, 2}, {7, 6}, {2, 4}})
        expectGood(text, {.target = target, .width = w, .height = h}, 13);
  }
}

/// Time steps: their fields take turns in two variables.
TEST(LinalgToCsl, Steps) {
  std::string text = R"(
func.func @main(%a: tensor<11x9xf32>) -> tensor<11x9xf32> {
  %pad = arith.constant 1.0 : f32
  %o = tensor.empty() : tensor<11x9xf32>
)";
  std::string from = "a";
  for (int step = 0; step < 6; ++step) {
    text += fill(R"(
  %p$n$ = tensor.pad %$from$ low[1, 1] high[1, 1] {
  ^bb0(%i$n$: index, %j$n$: index):
    tensor.yield %pad : f32
  } : tensor<11x9xf32> to tensor<13x11xf32>
  %w$n$ = tensor.extract_slice %p$n$[0, 1] [11, 9] [1, 1] : tensor<13x11xf32> to tensor<11x9xf32>
  %e$n$ = tensor.extract_slice %p$n$[2, 2] [11, 9] [1, 1] : tensor<13x11xf32> to tensor<11x9xf32>
  %x$n$ = linalg.sub ins(%w$n$, %e$n$ : tensor<11x9xf32>, tensor<11x9xf32>) outs(%o : tensor<11x9xf32>) -> tensor<11x9xf32>
)",
                 {{"n", std::to_string(step)}, {"from", from}});
    from = "x" + std::to_string(step);
  }
  text += "  return %x5 : tensor<11x9xf32>\n}\n";
  for (const char *target : {"wse2", "wse3"}) {
    Options options{.target = target, .width = 3, .height = 4};
    options.distribution = "y,x";
    LinalgToCslRun run(text, options);
    ASSERT_EQ(run.messages, "");
    // The argument, two in turn, and the result.
    EXPECT_EQ(run.text().find("@v4"), std::string::npos) << run.text();
    expectGood(text, options, 17);
  }
}

/// Reads up to four away in three dimensions, more than a block.
TEST(LinalgToCsl, Stencil25) {
  std::string maps, ins, types, arguments, body, last = "%x0";
  for (int axis = 0, n = 0; axis < 3; ++axis)
    for (int offset = -4; offset <= 4; ++offset) {
      if (offset == 0 && axis > 0)
        continue;
      int at[3] = {5, 5, 5};
      at[axis] += offset;
      std::string number = std::to_string(n);
      maps += "affine_map<(i, j, k) -> (i + " + std::to_string(at[0]) +
              ", j + " + std::to_string(at[1]) + ", k + " +
              std::to_string(at[2]) + ")>, ";
      ins += std::string(n ? ", " : "") + "%a";
      types += std::string(n ? ", " : "") + "tensor<14x15x13xf32>";
      arguments += "%x" + number + ": f32, ";
      if (n) {
        body += "  %y" + number + " = arith.addf " + last + ", %x" + number +
                " : f32\n";
        last = "%y" + number;
      }
      ++n;
    }
  std::string text =
      "func.func @main(%a: tensor<14x15x13xf32>) -> tensor<5x6x4xf32> {\n"
      "%e = tensor.empty() : tensor<5x6x4xf32>\n"
      "%r = linalg.generic {indexing_maps = [" +
      maps +
      "affine_map<(i, j, k) -> (i, j, k)>], "
      "iterator_types = [\"parallel\", \"parallel\", \"parallel\"]} ins(" +
      ins + " : " + types + ") outs(%e : tensor<5x6x4xf32>) {\n^bb0(" +
      arguments + "%o: f32):\n" + body + "  linalg.yield " + last +
      " : f32\n} -> tensor<5x6x4xf32>\nreturn %r : tensor<5x6x4xf32>\n}\n";
  for (const char *target : {"wse2", "wse3"})
    for (auto [w, h] : {std::pair(15, 14), {4, 3}, {7, 1}}) {
      Options options{.target = target, .width = w, .height = h};
      options.distribution = h > 1 ? "y,x,-" : "-,x,-";
      expectGood(text, options, 14);
    }
}

//===----------------------------------------------------------------------===//
// Several operations
//===----------------------------------------------------------------------===//

/// relu(A B + bias) C, summed over rows.
TEST(LinalgToCsl, Chain) {
  std::string text = R"(
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @main(%A: tensor<9x8xf32>, %B: tensor<8x10xf32>, %bias: tensor<10xf32>,
                %C: tensor<10x6xf32>) -> (tensor<9x6xf32>, tensor<6xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x10xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<9x10xf32>) -> tensor<9x10xf32>
  %p = linalg.matmul ins(%A, %B : tensor<9x8xf32>, tensor<8x10xf32>)
    outs(%f : tensor<9x10xf32>) -> tensor<9x10xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id],
                       iterator_types = ["parallel", "parallel"]}
    ins(%p, %bias : tensor<9x10xf32>, tensor<10xf32>) outs(%e : tensor<9x10xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.maximumf %s, %z : f32
    linalg.yield %m : f32
  } -> tensor<9x10xf32>
  %e2 = tensor.empty() : tensor<9x6xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<9x6xf32>) -> tensor<9x6xf32>
  %q = linalg.matmul ins(%r, %C : tensor<9x10xf32>, tensor<10x6xf32>)
    outs(%f2 : tensor<9x6xf32>) -> tensor<9x6xf32>
  %e3 = tensor.empty() : tensor<6xf32>
  %f3 = linalg.fill ins(%z : f32) outs(%e3 : tensor<6xf32>) -> tensor<6xf32>
  %t = linalg.reduce ins(%q : tensor<9x6xf32>) outs(%f3 : tensor<6xf32>)
    dimensions = [0] (%in: f32, %o: f32) {
      %s = arith.addf %in, %o : f32
      linalg.yield %s : f32
    }
  return %q, %t : tensor<9x6xf32>, tensor<6xf32>
})";
  for (const char *target : {"wse2", "wse3"})
    for (auto [w, h] :
         {std::pair(1, 1), {2, 2}, {3, 3}, {3, 1}, {1, 2}, {4, 4}})
      expectGood(text, {.target = target, .width = w, .height = h}, 15);
}

/// Two layers of matvec: the vector changes axes without a transposition.
TEST(LinalgToCsl, TwoMatvecs) {
  std::string text = R"(
func.func @main(%A: tensor<9x8xf32>, %B: tensor<7x9xf32>, %x: tensor<8xf32>)
    -> tensor<7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  %y = linalg.matvec ins(%A, %x : tensor<9x8xf32>, tensor<8xf32>)
    outs(%f : tensor<9xf32>) -> tensor<9xf32>
  %e2 = tensor.empty() : tensor<7xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<7xf32>) -> tensor<7xf32>
  %w = linalg.matvec ins(%B, %y : tensor<7x9xf32>, tensor<9xf32>)
    outs(%f2 : tensor<7xf32>) -> tensor<7xf32>
  return %w : tensor<7xf32>
})";
  for (const char *target : {"wse2", "wse3"})
    for (const char *pin : {"", "y,x;x,y;x"}) {
      Options options{.target = target, .width = 3, .height = 2};
      options.distribution = pin;
      expectGood(text, options, 16);
    }
}

} // namespace
