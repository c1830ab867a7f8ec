//===- SliceReductionTest.cpp - Tests of the reduction in a slice ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/SliceReduction.h"
#include "Row.h"
#include "llvm/ADT/bit.h"
#include <limits>

using namespace sequin;
using namespace sequin::reference;

namespace {

/// R = 5 over slices, time and packet, and A = 2 kept in time.
struct Example {
  Space space{{{"A", 2}, {"R", 5}}};

  Digits read(const char *text) { return llvm::cantFail(space.read(text)); }

  /// The result's elements at A = 0 and A = 1.
  template <typename T>
  std::vector<T> run(SliceReductionKind kind, ElementType type,
                     const std::vector<T> &values, const char *time,
                     const char *outTime) {
    SliceReductionShape shape;
    shape.grid = {read("1"), read("1"), read("1")};
    shape.time = read(time);
    shape.packet = read("R # 8 % 4");
    shape.outTime = read(outTime);
    shape.outPacket = read("1 # 4");
    shape.axis = 1;
    shape.kind = kind;
    Tensor tensor;
    tensor.type = type;
    tensor.axes = {0, 1};
    auto bits = std::make_shared<std::vector<uint32_t>>();
    for (T value : values)
      bits->push_back(llvm::bit_cast<uint32_t>(value));
    tensor.bits = bits;
    Tensor result = llvm::cantFail(reduceInSlices(space, shape, tensor));
    EXPECT_EQ(result.axes, (llvm::SmallVector<int, 4>{0}));
    std::vector<T> found;
    for (uint32_t element : *result.bits)
      found.push_back(llvm::bit_cast<T>(element));
    return found;
  }
};

} // namespace

TEST(SliceReduction, Meaning) {
  Example example;
  std::vector<int32_t> values = {1, 2, 3, 4, 5, 60, 70, 80, 90, 100};
  SEQUIN_ROW("ISR-01");
  // Padding past R = 5 counts as the identity, wherever A stands.
  for (const char *time : {"A, R # 8 / 4", "R # 8 / 4, A"}) {
    EXPECT_EQ(example.run(SliceReductionKind::Add, ElementType::I32, values,
                          time, "A"),
              (std::vector<int32_t>{15, 400}));
    EXPECT_EQ(example.run(SliceReductionKind::Max, ElementType::I32, values,
                          time, "A"),
              (std::vector<int32_t>{5, 100}));
    EXPECT_EQ(example.run(SliceReductionKind::Min, ElementType::I32, values,
                          time, "A"),
              (std::vector<int32_t>{1, 60}));
  }
}

TEST(SliceReduction, Order) {
  Example example;
  SEQUIN_ROW("SIL-12");
  // ((a + b) + (c + d)) + e, from the left: 2^24 + 1 is 2^24.
  EXPECT_EQ(example.run<float>(SliceReductionKind::Add, ElementType::F32,
                               {0x1p24f, 0, 1, 1, 0, 0x1p24f, 1, 1, 0, 1},
                               "A, R # 8 / 4", "A"),
            (std::vector<float>{0x1p24f + 2, 0x1p24f}));
  // Addition saturates at every step.
  constexpr int32_t most = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(example.run<int32_t>(SliceReductionKind::Add, ElementType::I32,
                                 {most, 1, 0, 0, -1, most, 0, 1, -1, 0},
                                 "A, R # 8 / 4", "A"),
            (std::vector<int32_t>{most - 1, most}));
}

TEST(SliceReduction, Identities) {
  using Kind = SliceReductionKind;
  using enum ElementType;
  auto number = [](float value) { return llvm::bit_cast<uint32_t>(value); };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  SEQUIN_ROW("ISR-03");
  EXPECT_EQ(identityOf(Kind::Add, I32), 0u);
  EXPECT_EQ(identityOf(Kind::Max, I32), 0x80000000u);
  EXPECT_EQ(identityOf(Kind::Min, I32), 0x7fffffffu);
  EXPECT_EQ(identityOf(Kind::Add, F32), 0u);
  EXPECT_EQ(identityOf(Kind::Max, F32), number(-infinity));
  EXPECT_EQ(identityOf(Kind::Min, F32), number(infinity));
}
