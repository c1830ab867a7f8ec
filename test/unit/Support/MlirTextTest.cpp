//===- MlirTextTest.cpp - What MLIR's parser must not be given ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/MlirText.h"
#include <gtest/gtest.h>

using namespace sequin;

static std::string repeat(llvm::StringRef text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += text;
  return result;
}

static bool isGood(const std::string &text) {
  return !findMlirTextFault(text).has_value();
}

TEST(MlirText, Depth) {
  EXPECT_TRUE(isGood(repeat("(", 256)));
  auto fault = findMlirTextFault(repeat("<", 257));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->offset, 256u);
  // Side by side is not inside.
  EXPECT_TRUE(isGood(repeat("tuple<tuple<i1>>, ", 1000)));
  // Comparisons and arrows open and close nothing.
  EXPECT_TRUE(isGood(repeat("(d0 >= 0) -> (d0 <= 1) ", 1000)));
  EXPECT_TRUE(isGood(repeat("() -> ", 1000)));
  EXPECT_TRUE(isGood("\"" + repeat("(", 1000) + "\""));
  EXPECT_TRUE(isGood("// " + repeat("(", 1000) + "\n"));
  EXPECT_TRUE(isGood("\"a \\\" " + repeat("(", 1000) + "\""));
  // Each part of a split file is a program of its own.
  EXPECT_TRUE(isGood(repeat("((((\n// -----\n", 1000)));
}

TEST(MlirText, Aliases) {
  std::string deep = "!a0 = tuple<i1>\n", wide = deep;
  for (int i = 1; i < 64; ++i) {
    std::string name = "!a" + std::to_string(i),
                before = "!a" + std::to_string(i - 1);
    deep += name + " = tuple<" + before + ">\n";
    wide += name + " = tuple<" + before + ", " + before + ">\n";
  }
  EXPECT_TRUE(isGood(deep + "func.func private @f(!a63)"));
  EXPECT_FALSE(isGood(wide));
  // Nothing that follows a definition belongs to it.
  std::string program = "#m = affine_map<(i) -> (i)>\nfunc.func @f() {\n" +
                        repeat("  %0 = x.y {m = #m}\n", 100000) + "}\n";
  EXPECT_TRUE(isGood(program));
  EXPECT_TRUE(isGood(repeat(program + "// -----\n", 2)));
  // Locations are printed by name.
  std::string locations = "#loc0 = loc(unknown)\n";
  for (int i = 1; i < 64; ++i)
    locations += "#loc" + std::to_string(i) + " = loc(callsite(#loc" +
                 std::to_string(i - 1) + " at #loc" + std::to_string(i - 1) +
                 "))\n";
  EXPECT_TRUE(isGood(locations));
}

TEST(MlirText, AffineMaps) {
  auto map = [](int operators) {
    return "affine_map<(i) -> (" + repeat("i + ", operators) + "i)>";
  };
  EXPECT_TRUE(isGood(map(1024)));
  EXPECT_FALSE(isGood(map(1025)));
  EXPECT_TRUE(isGood(map(1000) + map(1000)));
  EXPECT_FALSE(isGood("affine_map<(i) -> (" + repeat("-", 1025) + "i)>"));
}

TEST(MlirText, DenseArrays) {
  EXPECT_TRUE(isGood("array<i64: 1>"));
  EXPECT_TRUE(isGood("array<i1>"));
  EXPECT_TRUE(isGood("!llvm.array<4 x i8>, !llvm.struct<(array<4 x i8>)>"));
  EXPECT_FALSE(isGood("array<index: 1>"));
  EXPECT_FALSE(isGood("array < index>"));
  EXPECT_FALSE(isGood("!t = index\narray<!t: 1>"));
}

TEST(MlirText, VectorsInNamedOperations) {
  EXPECT_FALSE(isGood("%0 = linalg.batch_matmul ins(%a, %b : "
                      "tensor<63x5x7xvector<63xf32>>, tensor<63x7x4xf32>)"));
  EXPECT_FALSE(isGood("linalg.exp ins(%a : tensor<vector<2xf32>>)"));
  EXPECT_FALSE(isGood("!v = vector<2xf32>\n!t = tensor<4x!v>\n"
                      "func.func @f(%a: !t) {\n  linalg.exp ins(%a : !t)"));
  EXPECT_TRUE(isGood("!v = vector<2xf32>\nfunc.func @f(%a: tensor<4x!v>) {\n"
                     "  linalg.exp ins(%b : tensor<4xf32>)\n"
                     "  func.return %a : tensor<4x!v>"));
  EXPECT_TRUE(isGood("linalg.pooling_nhwc_sum {strides = dense<1> : "
                     "vector<2xi64>} ins(%a : tensor<1x4x4x1xf32>)"));
  EXPECT_FALSE(
      isGood("linalg.pooling_nhwc_sum {strides = dense<1> : "
             "vector<2xi64>} ins(%a : tensor<1x4x4x1xvector<2xf32>>)"));
  EXPECT_TRUE(isGood("linalg.generic {} ins(%a : tensor<4xvector<2xf32>>)"));
  EXPECT_TRUE(isGood("%0 = vector.load %a[%i] : memref<4xf32>, vector<2xf32>"));
}

TEST(MlirText, IndicesAndFloatsInNamedOperations) {
  EXPECT_FALSE(isGood("linalg.matmul ins(%a, %a : tensor<2x2xindex>, "
                      "tensor<2x2xindex>) outs(%c : tensor<2x2xf32>)"));
  EXPECT_FALSE(isGood("!t = tensor<2xindex>\n"
                      "%0 = linalg.add ins(%a, %b : !t, tensor<2xbf16>)"));
  // Integers are cast, and names are no types.
  EXPECT_TRUE(isGood("linalg.matmul ins(%a, %a : tensor<2x2xindex>, "
                     "tensor<2x2xindex>) outs(%xf32 : tensor<2x2xi32>)"));
  EXPECT_TRUE(isGood("linalg.matmul ins(%a : tensor<2x2xindex>) "
                     "outs(%c : tensor<2x2xi32>)\n"
                     "%0 = arith.constant 0.0 : f32"));
  EXPECT_TRUE(isGood("linalg.generic {} ins(%a : tensor<4xindex>) "
                     "outs(%c : tensor<4xf32>)"));
}

TEST(MlirText, OperandsThatAreNoTensors) {
  std::string reduce = "linalg.reduce { arith.maxsi } ";
  EXPECT_FALSE(isGood(reduce + "ins(%a : i4) outs(%b : tensor<14xi32>)"));
  EXPECT_FALSE(isGood(reduce + "ins(%a : tensor<4xi4>) outs(%b : i4)"));
  EXPECT_FALSE(isGood(
      "linalg.map { arith.addf } ins(%a, %b : tensor<2xf32>, complex<f32>)"));
  EXPECT_FALSE(isGood("!s = f32\n" + reduce + "ins(%a : !s)"));
  EXPECT_TRUE(isGood("!u = tensor<4xf32>\n!s = !u\nfunc.func @f() {\n" +
                     reduce +
                     "ins(%a#1, %b : !s, memref<4x(f32)>) "
                     "outs(%c : tensor<4xf32>)"));
  // Only of these operations, and in time that grows with the text.
  EXPECT_TRUE(isGood("linalg.fill ins(%a : f32) outs(%b : tensor<4xf32>)"));
  EXPECT_TRUE(isGood(reduce + repeat("linalg.map ins(%a, ) ", 100000)));
}

TEST(MlirText, ListsOfIntegers) {
  for (const char *list :
       {"[1, 0]", "[]", "[-1]", "[0x10]", "[9223372036854775807]"})
    for (const char *op : {"linalg.transpose ins() outs() permutation = ",
                           "linalg.reduce {arith.addf} dimensions = "})
      EXPECT_TRUE(isGood(std::string(op) + list)) << list;
  for (const char *list : {"[1,, 0]", "[1 0]", "[,]", "[1", "1", "[a]", "",
                           "[9223372036854775808]", "[1.5]", "[1,]"})
    EXPECT_FALSE(isGood(std::string("linalg.broadcast dimensions = ") + list))
        << list;
  // Other attributes of the name.
  EXPECT_TRUE(isGood("x.y {permutation = affine_map<(i) -> (i)>}"));
}

TEST(MlirText, Bytecode) {
  std::string bytecode = "ML\xefR\x0d";
  EXPECT_FALSE(isGood(bytecode));
  EXPECT_FALSE(findMlirTextFault(bytecode, /*allowsBytecode=*/true));
}

// Bodies that the parser makes for what they cannot be.
TEST(MlirText, NamedLinalgOperations) {
  auto isGoodIn = [](const std::string &dict, const std::string &a,
                     const std::string &b) {
    return isGood("%0 = linalg.matmul " + dict + " ins(%a, %b : tensor<4x4x" +
                  a + ">, tensor<4x4x" + b + ">) outs(%c : tensor<4x4x" + a +
                  ">)");
  };
  for (const char *dict : {"", "{a = 1}", "{sequin.pin = {b.c, d = 1}}"}) {
    EXPECT_TRUE(isGoodIn(dict, "f32", "f32"));
    EXPECT_TRUE(isGoodIn(dict, "complex<f32>", "complex<f32>"));
    EXPECT_FALSE(isGoodIn(dict, "complex<f32>", "f32"));
    EXPECT_FALSE(isGoodIn(dict, "f32", "complex<i16>"));
    EXPECT_FALSE(isGoodIn(dict, "vector<2xf32>", "vector<2xf32>"));
    EXPECT_FALSE(isGoodIn(dict, "index", "f32"));
  }
  // Another operation may mix them.
  EXPECT_TRUE(isGood("linalg.fill ins(%a : tensor<4xf32>)\n"
                     "x.y %b : tensor<4xcomplex<f32>>"));
}
