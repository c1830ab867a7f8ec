//===- FootprintTest.cpp - What two sequencers have in common -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Config/Footprint.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace sequin;
using namespace sequin::config;

namespace {

std::set<int64_t> bytesOf(const Sequencer &sequencer, int64_t bits) {
  std::set<int64_t> addresses{sequencer.baseAddress * 8};
  for (const Loop &entry : sequencer.entries) {
    std::set<int64_t> next;
    for (int64_t address : addresses)
      for (int64_t i = 0; i < entry.size; ++i)
        next.insert(address + i * entry.stride * bits);
    addresses = std::move(next);
  }
  std::set<int64_t> bytes;
  for (int64_t address : addresses)
    for (int64_t bit = address; bit < address + bits; ++bit)
      bytes.insert(bit >> 3);
  return bytes;
}

TEST(Footprint, InterleavedRowsHaveNothingInCommon) {
  // Even and odd rows of 32 bytes.
  Sequencer even{0, {{8, 16}, {8, 1}}, 1}, odd{32, {{8, 16}, {8, 1}}, 1};
  EXPECT_EQ(findCommonByte(even, 32, odd, 32), std::nullopt);
  EXPECT_EQ(findCommonByte(even, 32, even, 32), 0);
  odd.baseAddress = 31;
  EXPECT_EQ(findCommonByte(even, 32, odd, 32), 31);
}

TEST(Footprint, LongNestsCountAsTheirRange) {
  Sequencer wide{0, {{1 << 13, 1 << 14}, {1 << 13, 2}}, 0};
  Sequencer other{1, {{1, 1}}, 0};
  EXPECT_EQ(findCommonByte(wide, 8, other, 8), 1);
}

TEST(Footprint, AgreesWithBruteForce) {
  std::mt19937_64 random(5);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  int common = 0;
  for (int i = 0; i < 5000; ++i) {
    int64_t bits[2];
    Sequencer sequencers[2];
    for (int k : {0, 1}) {
      bits[k] = std::initializer_list<int64_t>{4, 8, 16, 32}.begin()[below(4)];
      sequencers[k].baseAddress = 100 + below(60);
      for (int64_t loops = below(4); loops > 0; --loops)
        sequencers[k].entries.push_back({1 + below(4), below(13) - 6});
    }
    auto found = findCommonByte(sequencers[0], bits[0], sequencers[1], bits[1]);
    std::set<int64_t> a = bytesOf(sequencers[0], bits[0]),
                      b = bytesOf(sequencers[1], bits[1]);
    bool expected = false;
    for (int64_t byte : a)
      expected |= b.count(byte) > 0;
    ASSERT_EQ(found.has_value(), expected) << i;
    if (found) {
      EXPECT_TRUE(a.count(*found) && b.count(*found)) << i;
      ++common;
    }
  }
  EXPECT_GT(common, 500);
  EXPECT_LT(common, 4500);
}

/// The bytes of the elements that the mask of `fetch` keeps, one by one.
std::set<int64_t> keptBytes(const FetchStage &fetch) {
  const auto &entries = fetch.sequencer.entries;
  const FetchMask &mask = *fetch.mask;
  int64_t bits = getBitWidth(fetch.from);
  std::vector<int64_t> at(entries.size(), 0);
  std::set<int64_t> bytes;
  while (true) {
    int64_t element = at.back(), last = at[mask.lastDim];
    int64_t valid = mask.validCounts[mask.countDim ? at[*mask.countDim] : 0];
    bool isMasked =
        (last == 0 && element < mask.leftPad) ||
        (last == entries[mask.lastDim].size - 1 && element >= valid);
    int64_t address = fetch.sequencer.baseAddress * 8;
    for (size_t i = 0; i < at.size(); ++i)
      address += at[i] * entries[i].stride * bits;
    for (int64_t bit = address; !isMasked && bit < address + bits; ++bit)
      bytes.insert(bit >> 3);
    size_t i = at.size();
    while (i > 0 && ++at[i - 1] == entries[i - 1].size)
      at[--i] = 0;
    if (i == 0)
      return bytes;
  }
}

TEST(Footprint, WhatIsMaskedIsNotRead) {
  // Four rows of six elements, fetched as eight.
  FetchStage fetch;
  fetch.from = ElementType::I32;
  fetch.sequencer = {0, {{4, 6}, {1, 0}, {8, 1}}, 1};
  Sequencer behind{96, {{8, 1}}, 1}, inside{92, {{8, 1}}, 1};
  EXPECT_EQ(findCommonByte(fetch, behind, 32), 96);
  fetch.mask = FetchMask{1, 0, {6}, std::nullopt, 0};
  EXPECT_EQ(findCommonByte(fetch, behind, 32), std::nullopt);
  EXPECT_EQ(findCommonByte(fetch, inside, 32), 92);
}

TEST(Footprint, AgreesWithBruteForceAboutMasks) {
  std::mt19937_64 random(6);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  int common = 0, apart = 0;
  for (int i = 0; i < 5000; ++i) {
    FetchStage fetch;
    ElementType types[] = {ElementType::I4, ElementType::I8, ElementType::F32};
    fetch.from = types[below(3)];
    fetch.sequencer.baseAddress = 100 + below(40);
    int64_t dims = 1 + below(3);
    for (int64_t loops = dims; loops > 0; --loops)
      fetch.sequencer.entries.push_back({1 + below(4), below(25) - 8});
    int64_t rows = 1 + below(8);
    fetch.sequencer.entries.push_back({rows, 1});
    FetchMask mask;
    mask.lastDim = below(dims);
    mask.leftPad = below(rows);
    int64_t counts = 1;
    if (below(2)) {
      mask.countDim = below(dims);
      counts = fetch.sequencer.entries[*mask.countDim].size;
    }
    for (int64_t k = 0; k < counts; ++k)
      mask.validCounts.push_back(below(rows + 1));
    fetch.mask = mask;
    Sequencer written{90 + below(60), {{1 + below(3), below(9)}, {4, 1}}, 1};
    std::set<int64_t> read = keptBytes(fetch), target = bytesOf(written, 16);
    bool expected = false;
    for (int64_t byte : read)
      expected |= target.count(byte) > 0;
    auto found = findCommonByte(fetch, written, 16);
    ASSERT_EQ(found.has_value(), expected) << i;
    ++(found ? common : apart);
  }
  EXPECT_GT(common, 500);
  EXPECT_GT(apart, 500);
}

} // namespace
