//===- MemoryTest.cpp - The memories of a simulated system ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/Memory.h"
#include "Rngd.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace sequin;
using sequin::testing::rngd;
using namespace sequin::sim;
using ::testing::Each;

/// One for small programs, one for those that fill large pages.
static std::vector<MemoryUse> uses() {
  MemoryUse small(rngd()), large(rngd());
  small.dmBytes = 12345;
  large.fillsDm = large.fillsTrf = large.fillsHbm = true;
  return {small, large};
}

static std::vector<uint8_t> readHbm(SystemMemory &memory, int64_t address,
                                    int64_t bytes) {
  std::vector<uint8_t> data(bytes);
  memory.readHbm(0, address, data.data(), bytes);
  return data;
}

TEST(Memory, HbmKeepsWhatIsWritten) {
  // Against a map of bytes, around the borders of whatever units there are.
  constexpr unsigned kSeed = 3;
  constexpr int64_t kBorder = 16 << 20, kAround = 300 << 10;
  for (const MemoryUse &use : uses()) {
    SystemMemory memory(rngd(), 1, use);
    std::mt19937 random(kSeed);
    std::vector<uint8_t> expected(2 * kAround, rngd().poisonByte);
    for (int round = 0; round < 200; ++round) {
      int64_t begin = random() % expected.size();
      int64_t most = random() % 2 ? 200 : 200 << 10;
      int64_t bytes =
          1 + random() % std::min<int64_t>(most, expected.size() - begin);
      int64_t address = kBorder - kAround + begin;
      switch (random() % 4) {
      case 0:
        memory.zeroHbm(0, address, bytes);
        std::fill_n(expected.begin() + begin, bytes, 0);
        break;
      case 1: {
        std::vector<uint8_t> data(bytes);
        for (uint8_t &byte : data)
          byte = random();
        memory.writeHbm(0, address, data.data(), bytes);
        std::copy(data.begin(), data.end(), expected.begin() + begin);
        break;
      }
      default:
        ASSERT_EQ(readHbm(memory, address, bytes),
                  std::vector<uint8_t>(expected.begin() + begin,
                                       expected.begin() + begin + bytes))
            << "seed " << kSeed << ", round " << round;
      }
    }
    EXPECT_EQ(readHbm(memory, kBorder - kAround, 2 * kAround), expected);
  }
}

TEST(Memory, SlicesReadAsPoisonUntilTheyAreWritten) {
  for (const MemoryUse &use : uses()) {
    SystemMemory memory(rngd(), 2, use);
    // A part of what is touched is written.
    std::memset(memory.dmForWrite(1, 511, 4000, 9000) + 4000, 1, 5000);
    std::vector<uint8_t> found(12345);
    std::memcpy(found.data(), memory.dm(1, 511, 0, 12345), 12345);
    for (int64_t i = 0; i < 12345; ++i)
      ASSERT_EQ(found[i], i >= 4000 && i < 9000 ? 1 : rngd().poisonByte) << i;
    for (auto [chip, slice] : {std::pair<int64_t, int64_t>{0, 511}, {1, 510}}) {
      const uint8_t *other = memory.dm(chip, slice, 0, 12345);
      EXPECT_THAT(std::vector<uint8_t>(other, other + 12345),
                  Each(rngd().poisonByte));
    }
    EXPECT_EQ(memory.trf(0, 7, ElementType::BF16)[65535], rngd().poisonByte);
    EXPECT_EQ(memory.trf(0, 7, ElementType::I9)[131071], rngd().poisonByte);
  }
}

TEST(Memory, WhatIsForgottenIsPoison) {
  for (const MemoryUse &use : uses()) {
    SystemMemory memory(rngd(), 1, use);
    auto fill = [&](int64_t slice, uint8_t value) {
      std::memset(memory.dm(0, slice, 0, 12345), value, 12345);
      memory.trf(0, slice, ElementType::I8)[100] = value;
      memory.vrf(0, slice)[100] = value;
    };
    fill(3, 1);
    fill(4, 2);
    memory.forgetSlice(0, 3);
    memory.forgetSlice(0, 5); // never touched
    // Whichever slice gets the place.
    fill(6, 3);
    for (int64_t slice : {3, 7}) {
      const uint8_t *dm = memory.dm(0, slice, 0, 12345);
      EXPECT_THAT(std::vector<uint8_t>(dm, dm + 12345),
                  Each(rngd().poisonByte));
      EXPECT_EQ(memory.trf(0, slice, ElementType::I8)[100], rngd().poisonByte);
      EXPECT_EQ(memory.vrf(0, slice)[100], rngd().poisonByte);
    }
    for (auto [slice, value] : std::map<int64_t, int>{{4, 2}, {6, 3}}) {
      EXPECT_EQ(memory.dm(0, slice, 0, 12345)[12344], value);
      EXPECT_EQ(memory.trf(0, slice, ElementType::I8)[100], value);
      EXPECT_EQ(memory.vrf(0, slice)[100], value);
    }
  }
}
