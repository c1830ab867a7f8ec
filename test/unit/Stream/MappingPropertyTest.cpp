//===- MappingPropertyTest.cpp - Random mappings against a second meaning -===//
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

const char *const axisTables[] = {
    "A=8,B=12,C=6",  "A=16,B=4,C=3", "A=6,B=6,D=2",  "A=1,B=24,C=5",
    "A=30,B=7",      "A=17,B=9",     "A=36,C=1,D=1", "A=4,B=4,C=4,D=4",
    "A=13,B=11,C=2", "A=60",         "P=31,Q=8",     "A=2,B=2,C=2,D=2,E=2",
};

void checkAgainstMeaning(const Node *root, const AxisSizes &axes) {
  std::string text = root->text();
  auto mapping = Mapping::parse(text, axes);
  ASSERT_TRUE(bool(mapping))
      << text << ": " << llvm::toString(mapping.takeError());
  ASSERT_EQ(mapping->size(), root->size) << text;
  // The linear index over all axes, first axis slowest.
  auto linear = [&](const Meaning &meaning) -> int64_t {
    if (!meaning)
      return -1;
    int64_t result = 0;
    for (const auto &[name, size] : axes.axes()) {
      auto it = meaning->find(name);
      result = result * size + (it == meaning->end() ? 0 : it->second);
    }
    return result;
  };
  std::vector<int64_t> walked;
  mapping->forEach([&](int64_t position, int64_t index) {
    ASSERT_EQ(position, static_cast<int64_t>(walked.size()));
    walked.push_back(index);
  });
  ASSERT_EQ(static_cast<int64_t>(walked.size()), root->size) << text;
  for (int64_t p = 0; p < root->size; ++p) {
    Meaning expected = meaningAt(root, p);
    ASSERT_EQ(meaningOf(mapping->at(p)), expected)
        << axes.str() << "  " << text << " at " << p << ", normal form "
        << mapping->normalStr();
    ASSERT_EQ(walked[p], linear(expected))
        << axes.str() << "  " << text << " at " << p << ", normal form "
        << mapping->normalStr();
  }
  // The canonical text is the same mapping.
  auto again = Mapping::parse(mapping->str(), axes);
  ASSERT_TRUE(bool(again)) << mapping->str();
  ASSERT_EQ(again->str(), mapping->str());
  ASSERT_TRUE(again->isEquivalent(*mapping)) << mapping->str();
}

TEST(MappingProperty, AgreesWithTheMeaningByLinearIndices) {
  SEQUIN_ROW("ERR-11");
  SEQUIN_ROW("SIL-16");
  uint64_t seed = testSeed(20240611);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  ExpressionGenerator generator(seed);
  ExpressionGenerator::Options options;
  for (int round = 0; round < 6000; ++round) {
    AxisSizes axes = axesOf(axisTables[round % std::size(axisTables)]);
    options.dropOffsets = round % 2 == 1;
    const Node *root = generator.mapping(axes, 3000, options);
    checkAgainstMeaning(root, axes);
    if (HasFatalFailure())
      return;
  }
}

TEST(MappingProperty, EquivalenceAgreesWithPositions) {
  SEQUIN_ROW("MAP-21");
  uint64_t seed = testSeed(7);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  ExpressionGenerator generator(seed);
  ExpressionGenerator::Options options;
  options.pad = 5;
  options.view = 3;
  int equal = 0;
  for (int round = 0; round < 3000; ++round) {
    AxisSizes axes = axesOf(axisTables[round % std::size(axisTables)]);
    const Node *a = generator.mapping(axes, 500, options);
    const Node *b = generator.mapping(axes, 500, options);
    std::optional<int64_t> expected;
    for (int64_t p = 0; p < std::max(a->size, b->size) && !expected; ++p)
      if (p >= std::min(a->size, b->size) || meaningAt(a, p) != meaningAt(b, p))
        expected = p;
    Mapping x = mappingOf(a->text(), axes), y = mappingOf(b->text(), axes);
    ASSERT_EQ(x.firstDifference(y), expected)
        << a->text() << " | " << b->text();
    ASSERT_EQ(x.isEquivalent(y), !expected);
    equal += !expected;
  }
  EXPECT_GT(equal, 10) << "the generator must also draw equivalent pairs";
}

/// Walks the run interface where no composite can be tabulated.
TEST(MappingProperty, WalkerMatchesEvaluationOnPaddedGroups) {
  for (const char *text :
       {"[A, B] # 100", "[A, B] # 101 / 101, C", "C, [A, B] # 101",
        "[A # 9 @ 1, B] # 111 @ 3", "[[A, B] # 101, C] # 700 @ 7",
        "[A, B] # 98 / 7, C, [A, B] # 98 % 7"}) {
    Mapping mapping = mappingOf(text, "A=8,B=12,C=6");
    mapping.forEach([&](int64_t position, int64_t linear) {
      auto index = mapping.at(position);
      int64_t expected = -1;
      if (index) {
        expected = 0;
        for (const auto &[name, size] : mapping.axes().axes()) {
          int64_t coordinate = 0;
          for (const auto &[axis, value] : *index)
            if (axis == name)
              coordinate = value;
          expected = expected * size + coordinate;
        }
      }
      ASSERT_EQ(linear, expected) << text << " at " << position;
    });
  }
}

} // namespace
