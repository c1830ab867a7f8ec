//===- MappingChoiceTest.cpp - Tests of how loops are spread --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Conversion/LinalgToTcp/MappingChoice.h"
#include "gtest/gtest.h"

using namespace sequin;

namespace {

const TcpMachine &machine = *lookupTcpMachine("rngd");

ContractionShape matmul(int64_t m, int64_t n, int64_t k) {
  ContractionShape shape;
  shape.m = {{"M", m, 1}};
  shape.n = {{"N", n, machine.rowsPerSlice}};
  shape.k = shape.storedK = k;
  shape.operandType = ElementType::BF16;
  shape.vector.results = {ElementType::F32};
  return shape;
}

int64_t slicesOf(const MappingChoice &choice) {
  int64_t product = 1;
  for (int64_t split : choice.splits)
    product *= split;
  return product;
}

/// The memories of a slice, computed from the choice alone.
void expectFits(const ContractionShape &shape, const MappingChoice &choice) {
  ASSERT_EQ(choice.splits.size(), 2u);
  int64_t slices = machine.clustersPerChip * machine.slicesPerCluster;
  EXPECT_LE(slicesOf(choice), slices);
  for (int64_t split : choice.splits)
    EXPECT_TRUE(llvm::isPowerOf2_64(split));
  int64_t m = shape.m[0].padded(choice.splits[0]) / choice.splits[0];
  int64_t n = shape.n[0].padded(choice.splits[1]) / choice.splits[1];
  EXPECT_EQ(n % machine.rowsPerSlice, 0);
  int64_t sum = getByteSize(shape.operandType, shape.k);
  EXPECT_LE(n / machine.rowsPerSlice * sum, machine.trfBytesPerRow);
  EXPECT_LE((m + n) * sum + 4 * m * n, machine.dmBytesPerSlice);
}

TEST(MappingChoice, contractionsFit) {
  for (int64_t m : {1, 7, 360, 512, 5000})
    for (int64_t n : {1, 10, 128, 512, 2048})
      for (int64_t k : {32, 64, 1024, 4096}) {
        ContractionShape shape = matmul(m, n, k);
        auto choice = chooseContractionMapping(shape, machine);
        SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " x " +
                     std::to_string(k));
        if (!choice) {
          // Only the largest operands may be refused.
          EXPECT_NE(llvm::toString(choice.takeError()), "");
          EXPECT_GE(m * n * k, int64_t(512) * 512 * 4096);
          continue;
        }
        expectFits(shape, *choice);
      }
}

TEST(MappingChoice, largeContractionsUseEverySlice) {
  auto choice = chooseContractionMapping(matmul(512, 512, 2048), machine);
  ASSERT_TRUE(static_cast<bool>(choice));
  EXPECT_EQ(slicesOf(*choice),
            machine.clustersPerChip * machine.slicesPerCluster);
}

TEST(MappingChoice, sameShapeSameChoice) {
  auto first = chooseContractionMapping(matmul(360, 128, 64), machine);
  auto second = chooseContractionMapping(matmul(360, 128, 64), machine);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->splits, second->splits);
}

TEST(MappingChoice, secondOperandsBoundTheSplit) {
  // A whole second tensor: each slice's part must fit in the VRF.
  ContractionShape shape = matmul(512, 2048, 64);
  shape.vector.operands = {{{0, 1}, ElementType::F32}};
  auto choice = chooseContractionMapping(shape, machine);
  ASSERT_TRUE(static_cast<bool>(choice));
  EXPECT_LE(int64_t(512) * 2048 * 4 / slicesOf(*choice),
            machine.vrfBytesPerSlice);
}

TEST(MappingChoice, refusesNamingTheMemory) {
  auto text = [](llvm::Expected<MappingChoice> choice) {
    return choice ? std::string("fits") : llvm::toString(choice.takeError());
  };
  EXPECT_EQ(text(chooseContractionMapping(matmul(64, 64, 8192), machine)),
            "needs at least 16384 bytes of tensor register file, which has " +
                std::to_string(machine.trfBytesPerRow) + " per row");
  EXPECT_NE(text(chooseContractionMapping(matmul(1 << 20, 8, 4096), machine))
                .find("bytes of data memory, which has"),
            std::string::npos);
  ContractionShape residual = matmul(4096, 4096, 32);
  residual.vector.operands = {{{0, 1}, ElementType::F32}};
  EXPECT_NE(text(chooseContractionMapping(residual, machine))
                .find("bytes of vector register file, which has"),
            std::string::npos);
}

TEST(MappingChoice, elementwiseSpreadsOutermostFirst) {
  ElementwiseShape shape;
  shape.loops = {{"D0", 4096, 1}, {"D1", 1024, machine.outputLanes}};
  shape.stream = {{0, 1}, ElementType::F32};
  shape.vector.results = {ElementType::F32};
  auto choice = chooseElementwiseMapping(shape, machine);
  ASSERT_TRUE(static_cast<bool>(choice));
  EXPECT_EQ(choice->splits[0],
            machine.clustersPerChip * machine.slicesPerCluster);
  EXPECT_EQ(choice->splits[1], 1);
}

/// Operands that are widened first are in data memory twice.
TEST(MappingChoice, CountsWidenedOperands) {
  ContractionShape shape = matmul(16, 8, 262144);
  shape.n.clear();
  shape.storedK = 64;
  shape.operandType = ElementType::I8;
  llvm::Expected<MappingChoice> plain =
      chooseContractionMapping(shape, machine);
  ASSERT_TRUE(static_cast<bool>(plain)) << llvm::toString(plain.takeError());
  shape.k = 393216;
  llvm::Expected<MappingChoice> longer =
      chooseContractionMapping(shape, machine);
  ASSERT_TRUE(static_cast<bool>(longer)) << llvm::toString(longer.takeError());
  shape.memoryType = ElementType::I4;
  llvm::Expected<MappingChoice> widened =
      chooseContractionMapping(shape, machine);
  ASSERT_FALSE(static_cast<bool>(widened));
  EXPECT_NE(llvm::toString(widened.takeError()).find("data memory"),
            std::string::npos);
}

} // namespace
