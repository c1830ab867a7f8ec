//===- MappingDiagonalTest.cpp - Skewed axes, parts at an offset ----------===//
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

TEST(SkewedAxis, TableOfTheManual) {
  Mapping mapping = mappingOf("A, B' = 4", "A=4,B=4,B'=B-A");
  ASSERT_EQ(mapping.size(), 16);
  for (int64_t a = 0; a < 4; ++a)
    for (int64_t b = 0; b < 4; ++b) {
      std::map<std::string, int64_t> expected;
      if (a)
        expected["A"] = a;
      if ((b + a) % 4)
        expected["B"] = (b + a) % 4;
      EXPECT_EQ(meaningOf(mapping.at(4 * a + b)), Meaning(expected));
    }
  EXPECT_EQ(show(mapping.at(7)), "{A: 1}");
  SEQUIN_ROW("MAP-18");
}

/// Against the definition, in every order and refinement.
TEST(SkewedAxis, Definition) {
  SEQUIN_ROW("MAP-18");
  for (bool plus : {false, true})
    for (int64_t sizeA : {1, 3, 6, 14})
      for (const char *text :
           {"A, B'", "B', A", "A, B' / 2, B' % 2", "B' / 3, A, B' % 3",
            "A # 15, B' # 9 @ 2", "A, B' @ 2 = 3", "A, B' = 1",
            "[A, B'] / 6, [A, B'] % 6", "[A, B'] # 100", "[A, B'] % 6"}) {
        AxisSizes axes = axesOf("A=" + std::to_string(sizeA) + ",B=6,B'=B" +
                                (plus ? "+" : "-") + "A");
        // The same with an axis of its own.
        AxisSizes plain = axesOf("A=" + std::to_string(sizeA) + ",B=6");
        std::string unskewed = text;
        for (size_t at = 0; (at = unskewed.find("B'")) != std::string::npos;)
          unskewed.erase(at + 1, 1);
        Mapping mapping = mappingOf(text, axes);
        Mapping raw = mappingOf(unskewed, plain);
        ASSERT_EQ(mapping.size(), raw.size());
        for (int64_t p = 0; p < raw.size(); ++p) {
          Meaning expected = meaningOf(raw.at(p));
          if (expected) {
            int64_t a = expected->count("A") ? (*expected)["A"] : 0;
            int64_t b = expected->count("B") ? (*expected)["B"] : 0;
            b = ((plus ? b - a : b + a) % 6 + 6) % 6;
            expected->erase("B");
            if (b)
              (*expected)["B"] = b;
          }
          ASSERT_EQ(meaningOf(mapping.at(p)), expected)
              << axes.str() << "  " << text << " at " << p;
        }
        int64_t position = 0;
        mapping.forEach([&](int64_t, int64_t linear) {
          auto index = mapping.at(position++);
          Meaning meaning = meaningOf(index);
          ASSERT_EQ(linear,
                    !meaning ? -1 : (*meaning)["A"] * 6 + (*meaning)["B"])
              << axes.str() << "  " << text << " at " << position - 1;
        });
      }
}

TEST(SkewedAxis, AloneIsItsBase) {
  const char *axes = "A=4,B=6,B'=B-A";
  EXPECT_TRUE(mappingOf("B'", axes).isEquivalent(mappingOf("B", axes)));
  EXPECT_TRUE(mappingOf("B' / 2", axes).isEquivalent(mappingOf("B / 2", axes)));
  EXPECT_EQ(mappingOf("A, B' / 2, B' % 2", axes).normalStr(), "A, B'");
  auto positions = mappingOf("A, B'", axes).positionsOf({{"A", 3}, {"B", 1}});
  ASSERT_TRUE(bool(positions));
  EXPECT_EQ(*positions, std::vector<int64_t>{3 * 6 + 4});
}

TEST(SkewedAxis, Declarations) {
  auto error = [](llvm::StringRef text) {
    auto axes = AxisSizes::parse(text);
    return axes ? axes->str() : llvm::toString(axes.takeError());
  };
  EXPECT_EQ(error("B' = B + A, A=4,B=5"), "A=4,B=5,B'=B+A");
  EXPECT_EQ(axesOf("A=4,B=5,B'=B+A"), axesOf("B'=B+A,A=4,B=5"));
  EXPECT_EQ(error("A=4,B=4,B'=C-A"),
            "skewed axis 'B'' is made from 'C', which is not an axis with a "
            "size");
  EXPECT_EQ(error("A=4,A'=A-A'"), "skewed axis 'A'' is made from itself");
  EXPECT_EQ(error("A=4,A'=A-A"),
            "skewed axis 'A'' is 'A' skewed by itself; expected two different "
            "axes");
  EXPECT_EQ(error("A=4,B=4,B'=B-A,C'=B'-A"),
            "skewed axis 'C'' is made from 'B'' and 'A', one of which is "
            "skewed itself; skews do not chain");
  EXPECT_EQ(error("A=4,B=4,B=B-A"), "axis 'B' is named twice");
  EXPECT_EQ(error("A=4,B=4,B'=B-A,B'=B+A"), "axis 'B'' is named twice");
  EXPECT_EQ(error("A=4,B=4,B'=B-"),
            "skewed axis 'B'' is made from '', which is not an axis with a "
            "size");
  EXPECT_FALSE(
      bool(axesOf("A=4,B=4,B'=B-A").unionWith(axesOf("A=4,B=4,B'=B+A"))));
}

TEST(SkewedAxis, MixedUses) {
  const char *axes = "A=4,B=4,B'=B-A,B''=B+A,A'=A-B";
  EXPECT_EQ(mappingError("B / 2, B' % 2", axes),
            "in 'B / 2, B' % 2': axis 'B' is walked both as 'B'' and as 'B'");
  EXPECT_EQ(mappingError("B', B''", axes),
            "in 'B', B''': axis 'B' is walked both as 'B'' and as 'B'''");
  EXPECT_EQ(mappingError("A', B'", axes),
            "in 'A', B'': 'A'' is skewed by axis 'B', which the mapping walks "
            "skewed itself, as 'B''");
  auto agree = [&](const char *left, const char *right) {
    return llvm::toString(
        checkSkews(mappingOf(left, axes), mappingOf(right, axes)));
  };
  EXPECT_EQ(agree("A, B'", "B', A"), "");
  EXPECT_EQ(agree("B'", "B'"), "");
  EXPECT_EQ(agree("A, B", "A, B'"),
            "axis 'B' is walked as 'B'' in one mapping and not so in another");
  EXPECT_EQ(agree("A, B'", "B'"),
            "'B'' is skewed by axis 'A', which only one of the two sides "
            "walks");
}

/// A quotient or remainder alone is a mapping of its own; both together are
/// the whole.
TEST(Offsets, QuotientsOfOnePosition) {
  SEQUIN_ROW("ERR-11");
  const char *axes = "B=16,A=3";
  for (const char *text : {"B @ 11 = 4 / 4", "[B @ 11 = 4] % 1"}) {
    EXPECT_EQ(show(mappingOf(text, axes).at(0)), "{B: 11}") << text;
    EXPECT_TRUE(
        mappingOf(text, axes).isEquivalent(mappingOf("B @ 11 = 1", axes)));
  }
  for (const char *text :
       {"[B # 20 @ 4] % 1", "[B # 20 @ 4] / 20", "[1 # 2 @ 0 # 3 @ 1] / 3"}) {
    Mapping mapping = mappingOf(text, axes);
    EXPECT_EQ(mapping.size(), 1);
    EXPECT_FALSE(mapping.at(0).has_value()) << text;
    EXPECT_EQ(mapping.firstDifference(mappingOf("1", axes)), 0);
  }
  EXPECT_TRUE(
      mappingOf("[1 # 2 @ 0 # 3 @ 1] / 3, [1 # 2 @ 0 # 3 @ 1] % 3", axes)
          .isEquivalent(mappingOf("1 # 3 @ 1", axes)));
  EXPECT_TRUE(mappingOf("[B @ 11 = 4] / 4, [B @ 11 = 4] % 4", axes)
                  .isEquivalent(mappingOf("B @ 11 = 4", axes)));
  EXPECT_TRUE(mappingOf("[B @ 11 = 4] % 1, [B @ 11 = 4] / 1", axes)
                  .isEquivalent(mappingOf("B @ 11 = 4", axes)));
  EXPECT_EQ(mappingOf("[B @ 11 = 4] / 2, [B @ 11 = 4] % 2", axes).normalStr(),
            "B @ 11 = 4");
  EXPECT_EQ(show(mappingOf("[A, B @ 11 = 4] / 4", axes).at(2)),
            "{B: 11, A: 2}");
  EXPECT_EQ(show(mappingOf("[A @ 1 = 2, B] % 16", axes).at(2)), "{B: 2, A: 1}");
}

/// Where constants of one axis add up, data may end earlier.
TEST(Offsets, SumOfConstantsEndsAtTheAxis) {
  EXPECT_EQ(mappingOf("A # 8 / 4, [A # 8 % 4] @ 2 = 1", "A=6").normalStr(),
            "A @ 2 = 1 # 2");
  EXPECT_EQ(mappingOf("A, C # 6 / 2 @ 1 = 1, C # 6 % 2 @ 1 = 1", "A=2,C=3")
                .normalStr(),
            "A, 1 # 2 @ 1 = 1");
  EXPECT_FALSE(mappingOf("C # 6 / 2 @ 1 = 1, C # 6 % 2 @ 1 = 1", "C=3")
                   .at(0)
                   .has_value());
}

/// Groups over different axes of one position are not parts of each other,
/// though nothing of the axes is in their normal forms.
TEST(Offsets, GroupsOfAxesOfOnePosition) {
  const char *axes = "A=1,B=1,C=4";
  // Position 0 of either is padding.
  for (const char *text :
       {"A # 3 @ 1 / 3, B # 3 @ 1 % 3", "A # 3 @ 1 / 3, [C % 1] # 3 @ 1 % 3"})
    for (int64_t p = 0; p < 3; ++p)
      EXPECT_EQ(show(mappingOf(text, axes).at(p)), "-") << text << " at " << p;
  EXPECT_EQ(show(mappingOf("A # 3 @ 1 / 3, A # 3 @ 1 % 3", axes).at(1)), "{}");
  EXPECT_EQ(show(mappingOf("$(A # 3 @ 1:2), $(B # 3 @ 1:2)", axes).at(12)),
            "{}");
  EXPECT_EQ(show(mappingOf("$(A # 3 @ 1:2), $(B # 3 @ 1:2)", axes).at(13)),
            "-");
  AxisSizes tables = axesOf(axes);
  llvm::cantFail(tables.addTable("t", {1, 1}));
  for (int64_t p = 0; p < 4; ++p)
    EXPECT_EQ(show(mappingOf("A # 3 @ 1 ? t, B # 3 @ 1 ? t", tables).at(p)),
              "{}");
  EXPECT_EQ(mappingOf("[A, B] # 3 @ 1 / 3", axes).normalStr(),
            "[A, B, 1 # 3 @ 1] % 1");
}

} // namespace
