//===- MappingWalkTest.cpp - Walks of many positions against single ones --===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks evaluate hundreds of positions at a time; mappings here are larger
// than one block.
//
//===----------------------------------------------------------------------===//

#include "StreamTestSupport.h"

using namespace sequin;
using namespace sequin::testing;

namespace {

/// The row-major index of what at() says, -1 for padding.
int64_t linearAt(const Mapping &mapping, int64_t position) {
  auto index = mapping.at(position);
  if (!index)
    return -1;
  int64_t linear = 0;
  for (const auto &[name, size] : mapping.axes().axes()) {
    int64_t coordinate = 0;
    for (const auto &[axis, value] : *index)
      if (axis == name)
        coordinate = value;
    linear = linear * size + coordinate;
  }
  return linear;
}

void expectWalk(const Mapping &mapping, const std::string &note) {
  int64_t next = 0;
  int64_t wrong = -1;
  mapping.forEach([&](int64_t position, int64_t linear) {
    ASSERT_EQ(position, next);
    ++next;
    if (wrong < 0 && linear != linearAt(mapping, position))
      wrong = position;
  });
  EXPECT_EQ(next, mapping.size()) << note;
  EXPECT_EQ(wrong, -1) << note << " at " << wrong;
}

TEST(MappingWalk, EveryKind) {
  AxisSizes axes = axesOf("A=60,B=77,C=12,D=32,B'=B-A,D'=D+C");
  llvm::cantFail(axes.addTable("t", {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}));
  llvm::cantFail(axes.addTable("u", {1, 0}));
  for (const char *text :
       {// Short inner loops, with padding at every level.
        "B # 80 / 2, A / 2, A % 2, B # 80 % 2",
        "A / 2, D # 40 @ 3 / 4, A % 2 # 3 @ 1, B, D # 40 @ 3 % 4",
        "B @ 5 = 70 / 2, D, A # 61 @ 1, B @ 5 = 70 % 2",
        // Digits that cross blocks.
        "A, B, C, D % 2", "D % 2, A, B, C", "3, A # 64 @ 2, B # 90 @ 9, 2",
        // Groups: whole, in parts, of too large a size for a table.
        "[A, B] # 4621, D % 4 = 3",
        "[A, B] # 4700 % 100, C, [A, B] # 4700 / "
        "100",
        "[[A, B] # 4621, C] # 55462 / 11, D % 4",
        // A base that two parts move.
        "[A / 2, B] # 2311, A % 2, C",
        "A % 2, [A / 2, B] # 2312 % 4, C, [A "
        "/ 2, B] # 2312 / 4",
        "[A / 2, C / 2] # 181, B, [A % 2, C % 2] # 5 "
        "@ 1",
        "[A / 2, D / 4, B] # 18481, [A % 2, D % 4] @ 1 = 7",
        "[[A / 4, B] # 1156, C] # 13873 @ 1, A / 2 % 2, A % 2",
        // Skewed axes, also inside groups and beside them.
        "A, B', C", "B' / 7, A / 2, C, B' % 7, A % 2", "[A, B'] # 4621, C",
        "[A / 2, B'] # 2311, A % 2, C", "[C, D'] # 385, B, A",
        "[A, B'] # 4620 / 7, [C, D'] # 385, [A, B'] # 4620 % 7",
        // Tables.
        "B, A, C ? t", "B, C ? t, A / 2", "[A / 6 ? u / 2, B] # 155, A % 6, D",
        "A / 30 ? u, B, A % 30, C ? t / 2, C ? t % 2",
        // Sliding combinations.
        "$(A:2, B:1), D", "D, $(A:3, B:5)", "$(A:4, B:6), C, D",
        "$(A:2, B # 80 @ 1:3, C:1) # 368 / 2, D",
        "$(A / 2:5, B:3, C:1), D, A % 2",
        "$(A / 2:5, B:3) # 380 / 10, D, A % 2, $(A / 2:5, B:3) # 380 % 10",
        "$($(A:2, C:1):3, D:2), B", "$(B':2, D:1), A", "$(A:7), B",
        "$([A / 2, C] # 361:2, A % 2:3), D"}) {
    auto mapping = Mapping::parse(text, axes);
    if (!mapping) {
      // What is refused is none of the walk's business.
      ADD_FAILURE() << text << ": " << llvm::toString(mapping.takeError());
      continue;
    }
    EXPECT_GT(mapping->size(), 2048) << text;
    expectWalk(*mapping, text);
  }
}

TEST(MappingWalk, RandomMappings) {
  uint64_t seed = testSeed(std::random_device()());
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  ExpressionGenerator generator(seed);
  const char *const tables[] = {"A=8,B=12,C=60", "A=36,B=4,C=30",
                                "A=6,B=126,D=20", "A=101,B=7,C=9",
                                "A=4,B=4,C=4,D=4,E=24"};
  for (int round = 0; round < 100 && !::testing::Test::HasFailure(); ++round) {
    AxisSizes axes = axesOf(tables[round % std::size(tables)]);
    ExpressionGenerator::Options options;
    options.dropOffsets = true;
    options.lowPad = 10;
    options.group = 60;
    options.nested = 25;
    std::string text = generator.mapping(axes, 40000, options)->text();
    if (round % 3 == 0)
      text = generator.mapping(axesOf("X=5,Y=12"), 200, options)->text() +
             ", [" + text + "]";
    AxisSizes all = *axes.unionWith(axesOf("X=5,Y=12"));
    expectWalk(mappingOf(text, all), all.str() + "  " + text);
  }
}

/// Sizes with which no table may be made.
TEST(MappingWalk, PartsOfHugeGroups) {
  const char *axes = "A=1073741824,B=1073741823,C=7";
  for (const char *text :
       {"[A, B] # 1152921504606846977 @ 1 = 5000",
        "[A, B] # 1152921504606846977 @ 1073741800 = 5000, C",
        "[A / 2, B] # 1152921504606846977 @ 1073741800 = 3000, A % 2, C",
        "$(A:3, B:5) @ 1073741800 = 3000, C", "$(A:2, B:1) @ 5 = 3000, C"})
    expectWalk(mappingOf(text, axes), text);
}

} // namespace
