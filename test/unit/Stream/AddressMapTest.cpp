//===- AddressMapTest.cpp - Address spaces and DMA pairs ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamTestSupport.h"

using namespace sequin;
using namespace sequin::testing;

namespace {

/// Stands for the distance from slice to slice.
constexpr int64_t sliceStride = 1 << 20;

AddressMap sliced(llvm::StringRef slice, llvm::StringRef element,
                  const AxisSizes &axes) {
  AddressMap map;
  map.append(mappingOf(slice, axes), sliceStride);
  map.append(mappingOf(element, axes), 1);
  return map;
}

std::string show(const llvm::Expected<PairedSequencer> &pair) {
  std::string result;
  for (const PairedSequencer::Entry &entry : pair->entries)
    result += (result.empty() ? "" : ", ") + std::to_string(entry.size) + ":" +
              std::to_string(entry.sourceStride) + "/" +
              std::to_string(entry.destinationStride);
  result += " run " + std::to_string(pair->contiguousElements);
  if (pair->sourceBase || pair->destinationBase)
    result += " @ " + std::to_string(pair->sourceBase) + "/" +
              std::to_string(pair->destinationBase);
  return result;
}

std::string pairOf(const AddressMap &from, const AddressMap &to) {
  auto pair = derivePair(from, to);
  return pair ? show(pair) : llvm::toString(pair.takeError());
}

TEST(AddressMap, FactorsAndExtent) {
  AxisSizes axes = axesOf("A=2048");
  AddressMap map = sliced("A / 8 # 256", "A % 8", axes);
  ASSERT_EQ(map.factors().size(), 2u);
  EXPECT_EQ(map.factors()[0].addressStride, sliceStride);
  EXPECT_EQ(map.factors()[1].addressStride, 1);
  EXPECT_EQ(map.extent(), 255 * sliceStride + 8);
  EXPECT_EQ(AddressMap(mappingOf("A # 4096", axes)).extent(), 2048);
  EXPECT_FALSE(map.overflowed());
  AddressMap huge;
  huge.append(mappingOf("A", axes), int64_t(1) << 60);
  EXPECT_TRUE(huge.overflowed());
  EXPECT_NE(pairOf(huge, map).find("do not fit in 64 bits"), std::string::npos);
}

TEST(DerivePair, RowsToSlices) {
  AxisSizes axes = axesOf("A=2048");
  EXPECT_EQ(pairOf(AddressMap(mappingOf("A", axes)),
                   sliced("A / 8 # 256", "A % 8", axes)),
            "256:8/1048576, 8:1/1 run 8");
  SEQUIN_ROW("HEL-04");
  EXPECT_EQ(pairOf(sliced("A / 8 # 256", "A % 8", axes),
                   AddressMap(mappingOf("A", axes))),
            "256:1048576/8, 8:1/1 run 8");
}

TEST(DerivePair, BroadcastOverAbsentAxes) {
  // GEMM: A is copied to all slices that work on other columns of the result.
  AxisSizes axes = axesOf("I=512,J=512,K=64");
  EXPECT_EQ(pairOf(AddressMap(mappingOf("I, K", axes)),
                   sliced("I / 32, J / 32", "I % 32, K", axes)),
            "16:2048/16777216, 16:0/1048576, 2048:1/1 run 2048");
}

TEST(DerivePair, PaddingOfTheDestinationIsNotWritten) {
  AxisSizes axes = axesOf("C=13,D=61");
  EXPECT_EQ(pairOf(AddressMap(mappingOf("C, D", axes)),
                   AddressMap(mappingOf("C, D # 64", axes))),
            "13:61/64, 61:1/1 run 61");
  EXPECT_EQ(pairOf(AddressMap(mappingOf("C, D # 64", axes)),
                   AddressMap(mappingOf("C, D", axes))),
            "13:64/61, 61:1/1 run 61");
  EXPECT_EQ(pairOf(AddressMap(mappingOf("C, D", axes)),
                   AddressMap(mappingOf("C, D # 64 @ 2", axes))),
            "13:61/64, 61:1/1 run 61 @ 0/2");
  // Brackets that end inside a step hold padding too.
  EXPECT_EQ(pairOf(AddressMap(mappingOf("C # 16", axes)),
                   AddressMap(mappingOf("[C, 1 # 64] # 900", axes))),
            "13:1/64 run 1");
  EXPECT_EQ(pairOf(AddressMap(mappingOf("C, D", axes)),
                   AddressMap(mappingOf("[C, D = 7 # 192] # 2600", axes))),
            "13:61/192, 7:1/1 run 7");
  // Two clusters of which one works.
  AddressMap clusters;
  clusters.append(mappingOf("1 # 2", axes), 4 * sliceStride);
  clusters.append(mappingOf("C, D", axes), 1);
  EXPECT_EQ(pairOf(AddressMap(mappingOf("C, D", axes)), clusters),
            "793:1/1 run 793");
}

TEST(DerivePair, PartlyValidParts) {
  AxisSizes axes = axesOf("A=2044");
  AddressMap to = sliced("A # 2048 / 8", "A # 2048 % 8", axes);
  EXPECT_EQ(pairOf(AddressMap(mappingOf("A", axes)), to),
            "the last part of A is only partly valid: the destination walks "
            "2048 positions of A, the source 'A' holds 2044 including padding");
  EXPECT_EQ(pairOf(AddressMap(mappingOf("A # 2048", axes)), to),
            "256:8/1048576, 8:1/1 run 8");
}

TEST(DerivePair, LayoutTransformation) {
  AxisSizes axes = axesOf("N=4,C=3,H=8,W=8");
  EXPECT_EQ(pairOf(AddressMap(mappingOf("N, C, H, W", axes)),
                   AddressMap(mappingOf("H, C, N, W", axes))),
            "8:8/96, 3:64/32, 4:192/8, 8:1/1 run 8");
  SEQUIN_ROW("DMA-04");
  EXPECT_EQ(pairOf(AddressMap(mappingOf("N, C, H, W", axes)),
                   AddressMap(mappingOf("N, H, W, C", axes))),
            "4:192/192, 64:1/3, 3:64/1 run 1");
  SEQUIN_ROW("DMA-02");
}

TEST(DerivePair, Refusals) {
  AxisSizes axes = axesOf("A=15,B=4");
  EXPECT_NE(pairOf(AddressMap(mappingOf("A % 5, A / 5", axes)),
                   AddressMap(mappingOf("A % 3, A / 3", axes)))
                .find("incompatible shapes"),
            std::string::npos);
  EXPECT_NE(pairOf(AddressMap(mappingOf("A = 10", axes)),
                   AddressMap(mappingOf("A", axes)))
                .find("insufficient input"),
            std::string::npos);
}

} // namespace
