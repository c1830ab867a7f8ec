//===- EinsumTest.cpp - Tests of index notation ---------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Pipelines/Einsum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <optional>

using namespace mlir;
using namespace sequin;

namespace {

std::string describe(llvm::StringRef text) {
  llvm::Expected<Einsum> einsum = parseEinsum(text);
  if (!einsum)
    return "error: " + llvm::toString(einsum.takeError());
  std::string result;
  for (const std::string &operand : einsum->operands)
    result += "[" + operand + "]";
  return result + "->[" + einsum->result + "]";
}

TEST(Einsum, parsesOperandsAndResult) {
  EXPECT_EQ(describe("mk,kn->mn"), "[mk][kn]->[mn]");
  EXPECT_EQ(describe(" b m k , b k n -> b m n "), "[bmk][bkn]->[bmn]");
  EXPECT_EQ(describe("mn->nm"), "[mn]->[nm]");
  EXPECT_EQ(describe("k,k->"), "[k][k]->[]");
  EXPECT_EQ(describe("Kk,k->K"), "[Kk][k]->[K]");
}

TEST(Einsum, withoutArrowKeepsWhatOccursOnce) {
  EXPECT_EQ(describe("kn,mk"), "[kn][mk]->[mn]");
  EXPECT_EQ(describe("nm"), "[nm]->[mn]");
}

TEST(Einsum, refusesByName) {
  EXPECT_EQ(
      describe("ij->jj"),
      "error: result 'jj' has index 'j' twice, each index may occur once");
  EXPECT_EQ(describe("ij->ik"),
            "error: result 'ik' has index 'k', which no operand has");
  EXPECT_EQ(describe("i...->i"),
            "error: operand 'i...' has '.', an index is a letter");
}

TEST(Einsum, parsesSizes) {
  auto sizes = parseEinsumSizes("m=512, k=2048");
  ASSERT_TRUE(static_cast<bool>(sizes));
  ASSERT_EQ(sizes->size(), 2u);
  EXPECT_EQ((*sizes)[1], std::make_pair('k', int64_t(2048)));
  for (const char *text : {"m", "m=", "m=0", "m=-1", "mk=3", "m=3x", "m=2,m=3",
                           "m=2,m=2", "m=2,", ",m=2"})
    EXPECT_TRUE(llvm::errorToBool(parseEinsumSizes(text).takeError())) << text;
}

class EinsumModule : public ::testing::Test {
protected:
  /// The element type and shape of the result, or the error.
  std::string resultOf(llvm::StringRef text, llvm::StringRef sizes,
                       llvm::SmallVector<ElementType, 2> types,
                       std::optional<ElementType> result = std::nullopt) {
    EinsumSpec spec;
    spec.text = text.str();
    spec.sizes = llvm::cantFail(parseEinsumSizes(sizes));
    spec.operandTypes = std::move(types);
    spec.resultType = result;
    auto built = buildEinsumModule(&context, spec);
    if (!built)
      return "error: " + llvm::toString(built.takeError());
    module = std::move(*built);
    auto main = module->lookupSymbol<func::FuncOp>("main");
    std::string type;
    llvm::raw_string_ostream(type) << main.getFunctionType().getResult(0);
    return type;
  }
  template <typename Op> unsigned count() {
    unsigned found = 0;
    module->walk([&](Op) { ++found; });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(EinsumModule, resultHasTheAccumulatorsType) {
  using E = ElementType;
  EXPECT_EQ(resultOf("mk,kn->mn", "m=2,k=3,n=4", {E::BF16}), "tensor<2x4xf32>");
  EXPECT_EQ(count<arith::ExtFOp>(), 2u);
  EXPECT_EQ(count<linalg::FillOp>(), 1u);
  EXPECT_EQ(resultOf("mk,kn->mn", "m=2,k=3,n=4", {E::I8}), "tensor<2x4xi32>");
  EXPECT_EQ(resultOf("mk,kn->mn", "m=2,k=3,n=4", {E::I4, E::I8}),
            "tensor<2x4xi32>");
  EXPECT_EQ(resultOf("mn,mn->nm", "m=2,n=4", {E::F32}), "tensor<4x2xf32>");
  EXPECT_EQ(count<linalg::FillOp>(), 0u);
  EXPECT_EQ(resultOf("k,k->", "k=3", {E::F8E4M3}), "tensor<f32>");
}

TEST_F(EinsumModule, convertsToTheTypeAskedFor) {
  using E = ElementType;
  EXPECT_EQ(resultOf("mk,kn->mn", "m=2,k=3,n=4", {E::BF16}, E::BF16),
            "tensor<2x4xbf16>");
  // The sums are whole before they are rounded.
  EXPECT_EQ(count<linalg::GenericOp>(), 2u);
  EXPECT_EQ(resultOf("mk,kn->mn", "m=2,k=3,n=4", {E::I8}, E::I8),
            "tensor<2x4xi8>");
  EXPECT_EQ(count<arith::MaxSIOp>(), 1u);
  EXPECT_EQ(resultOf("mn,mn->mn", "m=2,n=4", {E::I8}, E::F32),
            "tensor<2x4xf32>");
  EXPECT_EQ(resultOf("mn,mn->mn", "m=2,n=4", {E::F32}, E::I8),
            "error: einsum 'mn,mn->mn' computes in f32, which does not "
            "convert to i8");
}

TEST_F(EinsumModule, refusesByName) {
  using E = ElementType;
  EXPECT_EQ(resultOf("mk,kn->mn", "m=2,k=3", {E::BF16}),
            "error: index 'n' of einsum 'mk,kn->mn' has no size");
  EXPECT_EQ(resultOf("m->m", "m=2,k=3", {E::BF16}),
            "error: size given for index 'k', which einsum 'm->m' does not "
            "have");
  EXPECT_EQ(resultOf("m,m->m", "m=2", {E::BF16, E::I8}),
            "error: einsum 'm,m->m' has integer and float operands, they must "
            "be of one kind");
  EXPECT_EQ(resultOf("m->m", "m=2", {E::BF16, E::BF16}),
            "error: einsum 'm->m' has 1 operands, found 2 element types; give "
            "one for each or one for all");
}

} // namespace
