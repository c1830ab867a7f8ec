//===- MappingSlidingTest.cpp - Sliding combinations and lookups ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamTestSupport.h"
#include <set>

using namespace sequin;
using namespace sequin::testing;

namespace {

std::string showAll(const Mapping &mapping, int64_t position) {
  std::string result;
  for (const TensorIndex &index : mapping.allAt(position))
    result += (result.empty() ? "" : " ") + show(index);
  return result.empty() ? "-" : result;
}

TEST(Sliding, TableOfTheManual) {
  Mapping mapping = mappingOf("$(N:1, F:2)", "N=5,F=3");
  EXPECT_EQ(mapping.size(), 9);
  for (int64_t f = 0; f < 3; ++f)
    for (int64_t i = 0; i < 5; ++i) {
      TensorIndex index;
      if (i)
        index.emplace_back("N", i);
      if (f)
        index.emplace_back("F", f);
      auto positions = mapping.positionsOf(index);
      ASSERT_TRUE(bool(positions));
      EXPECT_EQ(*positions, std::vector<int64_t>{i + 2 * f});
    }
  EXPECT_EQ(showAll(mapping, 4), "{N: 4} {N: 2, F: 1} {F: 2}");
  EXPECT_EQ(show(mapping.at(4)), "{N: 4}");
  EXPECT_EQ(mapping.maxIndices(), 3);
  EXPECT_EQ(mapping.normalStr(), "$(N:1, F:2)");
  SEQUIN_ROW("MAP-20");
  SEQUIN_ROW("ERR-24");
}

TEST(Sliding, SizesOfConvolutions) {
  auto size = [](const char *text, const char *axes) {
    return mappingOf(text, axes).size();
  };
  EXPECT_EQ(size("$(W:1, F:1)", "W=30,F=3"), 32);
  SEQUIN_ROW("CON-06");
  EXPECT_EQ(size("$(W:2, F:1)", "W=15,F=4"), 32);
  SEQUIN_ROW("CON-07");
  EXPECT_EQ(size("$(W:2, F:1)", "W=16,F=4"), 34);
  SEQUIN_ROW("CON-08");
  EXPECT_EQ(size("$(W:1, F:2)", "W=27,F=3"), 31);
  SEQUIN_ROW("CON-09");
  EXPECT_EQ(size("$(W:2, F:2)", "W=14,F=3"), 31);
  EXPECT_EQ(size("$(W:2, F:2) # 32", "W=14,F=3"), 32);
  // Odd positions are reached by nothing.
  EXPECT_FALSE(mappingOf("$(W:2, F:2)", "W=14,F=3").at(5).has_value());
  SEQUIN_ROW("CON-10");
}

/// What a group holds at its position 0 counts once, wherever its parts stand.
TEST(Sliding, PartsOfAnOffsetGroup) {
  auto expectSame = [](const char *text, const char *expected,
                       const char *axes) {
    auto difference =
        mappingOf(text, axes).firstDifference(mappingOf(expected, axes));
    EXPECT_FALSE(difference.has_value())
        << text << " differs at " << *difference;
  };
  expectSame("$([A # 4, B] @ 2 = 6 / 2:2, [A # 4, B] @ 2 = 6 % 2:1)",
             "[A # 4, B] @ 2 = 6", "A=2,B=2");
  expectSame("$([A, B] @ 2 = 2 / 2:2, [A, B] @ 2 = 2 % 2:1)", "[A, B] @ 2 = 2",
             "A=2,B=2");
  expectSame("$([A, B] @ 2 = 2 / 1:3)", "$(A @ 1 = 1:9, B:3)", "A=2,B=2");
  // There is room for both constants in A here.
  expectSame("$([A, B] @ 2 = 2 / 2:2, [A, B] @ 2 = 2 % 2:1), C",
             "[A, B] @ 2 = 2, C", "A=8,B=2,C=3");
  const char *refused = "a term of a sliding combination shares parts of a "
                        "group with what stands outside of it; expected a "
                        "group that one term has alone";
  for (const char *text : {"[A, B] @ 2 = 2 / 2, $([A, B] @ 2 = 2 % 2:2, C:1)",
                           "$([A, B] @ 2 = 2 / 2:1, [A, B] @ 2 = 2 % 2:1)"})
    EXPECT_EQ(mappingError(text, "A=8,B=2,C=3"),
              std::string("in '") + text + "': " + refused);
}

/// Only positions that the terms ask for count against the end of an axis.
TEST(Sliding, SharedAxisWithinAView) {
  Mapping mapping = mappingOf("$(A @ 2 = 4 / 2:2, A % 2:3)", "A=6");
  EXPECT_EQ(showAll(mapping, 0), "{A: 2}");
  EXPECT_EQ(showAll(mapping, 2), "{A: 4}");
  EXPECT_EQ(showAll(mapping, 5), "{A: 5}");
  EXPECT_EQ(mapping.normalStr(), "$(A @ 2 = 4 / 2:2, A % 2:3)");
  EXPECT_NE(mappingError("$(A @ 3 = 3:2, A = 4:3)", "A=6")
                .find("add up to 8, past its size 6"),
            std::string::npos);
}

/// All sums of all terms, against the definition.
TEST(Sliding, AgreesWithEnumeration) {
  SEQUIN_ROW("MAP-20");
  uint64_t seed = testSeed(std::random_device()());
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  ExpressionGenerator generator(seed);
  const char *const parts[] = {
      "A", "B # 7 @ 1",      "C / 2",          "D @ 2 = 3",
      "2", "[E, F # 3] / 3", "[G # 5 @ 2] % 5"};
  AxisSizes axes = axesOf("A=5,B=4,C=6,D=6,E=4,F=2,G=3");
  for (int round = 0; round < 400; ++round) {
    llvm::SmallVector<std::pair<Mapping, int64_t>, 4> terms;
    std::string text = "$(";
    for (const char *part : parts)
      if (terms.size() < 4 && generator.chance(45)) {
        terms.emplace_back(mappingOf(part, axes), generator.pick(1, 5));
        text += (terms.size() > 1 ? ", " : "") + std::string(part) + ":" +
                std::to_string(terms.back().second);
      }
    if (terms.empty())
      continue;
    Mapping mapping = mappingOf(text + ")", axes);
    std::vector<std::pair<int64_t, TensorIndex>> sums{{0, {}}};
    int64_t size = 1;
    for (const auto &[term, stride] : terms) {
      std::vector<std::pair<int64_t, TensorIndex>> next;
      for (const auto &[position, index] : sums)
        // In the order of at(): large positions of early terms first.
        for (int64_t p = term.size(); p-- > 0;)
          if (auto more = term.at(p)) {
            next.emplace_back(position + p * stride, index);
            next.back().second.append(*more);
            llvm::sort(next.back().second);
          }
      sums = std::move(next);
      size += (term.size() - 1) * stride;
    }
    ASSERT_EQ(mapping.size(), size) << text;
    for (int64_t p = 0; p < size; ++p) {
      std::vector<TensorIndex> expected;
      for (const auto &[position, index] : sums)
        if (position == p && !llvm::is_contained(expected, index))
          expected.push_back(index);
      std::vector<TensorIndex> found = mapping.allAt(p);
      for (TensorIndex &index : found)
        llvm::sort(index);
      ASSERT_EQ(found, expected) << text << ") at " << p;
      ASSERT_LE(static_cast<int64_t>(found.size()), mapping.maxIndices());
    }
  }
}

TEST(Sliding, HugeSizesInClosedForm) {
  const char *axes = "A=1099511627776,B=1099511627776,C=3";
  Mapping mapping = mappingOf("$(A:3, B:5)", axes);
  EXPECT_EQ(mapping.size(), 8 * 1099511627775 + 1);
  EXPECT_EQ(show(mapping.at(int64_t(3) * 1000000007 + 5 * 2)),
            "{A: 1000000007, B: 2}");
  EXPECT_FALSE(mapping.at(4).has_value());
  auto positions = mapping.positionsOf({{"A", 7}, {"B", 9}});
  ASSERT_FALSE(bool(positions)); // the search tries all of a group
  EXPECT_NE(llvm::toString(positions.takeError()).find("too many steps"),
            std::string::npos);
  EXPECT_EQ(mappingError("$(A:3, B:5, C:1)", axes),
            "sliding combination '$(A:3, B:5, C:1)' at column 1: its 3 terms "
            "have 8796093022203 positions together; beyond 4194304 positions "
            "times terms, only two terms without padding inside are allowed");
  EXPECT_NE(mappingError("$([C, A # 1099511627777]:1, B:1)", axes)
                .find("has padding or groups inside"),
            std::string::npos);
}

/// Searches take a bounded number of steps, or are refused.
TEST(Sliding, BoundedWork) {
  // Only a few of many parts hold data, and few of these fit the other terms.
  const char *axes = "A=1000,B=2,C=200000,D=3,E=600000,F=30,G=3";
  Mapping sparse = mappingOf("$([B, D # 100000]:1, C:5, G # 4:7)", axes);
  for (int64_t p : {0, 1, 1000000, 1100011, 1200000})
    EXPECT_LE(sparse.allAt(p).size(), 18u);
  auto positions = sparse.positionsOf({{"B", 1}, {"C", 17}});
  ASSERT_FALSE(bool(positions)); // the search tries all of a group
  EXPECT_NE(llvm::toString(positions.takeError()).find("too many steps"),
            std::string::npos);
  // A long first term has to find the few parts that the last one leaves.
  Mapping apart = mappingOf("$(E:1, D # 5 @ 1 % 5:150000, B:1)", axes);
  EXPECT_EQ(show(apart.at(150000)), "{}");
  EXPECT_EQ(apart.allAt(400000).size(), 4u);
  // Decompositions of decompositions are as many as there are ways.
  std::string many = "$(";
  for (int i = 0; i < 12; ++i)
    many += (i ? ", F / 15:" : "F / 15:") + std::to_string(i + 1);
  EXPECT_NE(mappingError(many + ")", axes), "accepted");
  std::string sums = "$(", sumAxes = "T=1";
  for (int i = 0; i < 30; ++i) {
    std::string name = "A" + std::to_string(i);
    sums += (i ? ", " : "") + name + ":1";
    sumAxes += "," + name + "=3";
  }
  auto found = mappingOf(sums + ")", sumAxes).positionsOf({{"A3", 1}});
  ASSERT_FALSE(bool(found));
  EXPECT_NE(llvm::toString(found.takeError()).find("too many steps"),
            std::string::npos);
  // Each would do, all together take too long.
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += std::string(i ? ", " : "") + "$([B, D # 100000]:3, C:2) = 1";
  EXPECT_NE(mappingError(text, axes).find("takes too many steps"),
            std::string::npos)
      << mappingError(text, axes);
}

TEST(Sliding, Refusals) {
  const char *axes = "A=8,B=4";
  EXPECT_EQ(mappingError("$A", axes),
            "column 2 of '$A': expected '(' after '$', found 'A'");
  EXPECT_EQ(mappingError("$()", axes),
            "column 3 of '$()': expected an axis, a number or '[', found ')'");
  EXPECT_EQ(mappingError("$(A)", axes),
            "column 4 of '$(A)': expected ':' and a stride or an operator "
            "(/ % # = @) in '$(...)', found ')'");
  EXPECT_EQ(mappingError("$(A:0)", axes),
            "column 5 of '$(A:0)': a stride must be at least 1, found 0");
  EXPECT_EQ(mappingError("$(A:1", axes),
            "column 6 of '$(A:1': expected ')' or ',' in '$(...)', found the "
            "end of the text");
  EXPECT_EQ(mappingError("$(A:9223372036854775807, B:1)", axes),
            "sliding combination '$(A:9223372036854775807, B:1)' at column 1: "
            "its size does not fit in 64 bits");
  // Coordinates of an axis in two terms add up; they have to fit.
  EXPECT_EQ(mappingError("$(A:1, A:3)", axes),
            "in '$(A:1, A:3)': axis 'A' is walked by a term of a sliding "
            "combination and by another part of the mapping, and their "
            "coordinates may add up to 14, past its size 8");
  EXPECT_EQ(show(mappingOf("$(A / 4:9, A % 4:1)", axes).at(11)), "{A: 6}");
  std::string deep;
  for (int i = 0; i < 70; ++i)
    deep += "$(";
  EXPECT_NE(mappingError(deep, axes).find("nest deeper"), std::string::npos);
  std::string nested = "A";
  for (int i = 0; i < 60; ++i)
    nested = "$(" + nested + ":2)";
  EXPECT_NE(mappingError(nested, axes), "accepted");
}

TEST(Sliding, PlacedFactors) {
  Mapping mapping = mappingOf("C, $(W:2, F:1) # 40 @ 3", "C=2,W=15,F=4");
  auto parts = mapping.placedFactors();
  ASSERT_TRUE(bool(parts)) << llvm::toString(parts.takeError());
  std::string text;
  for (const PlacedFactor &part : *parts)
    text +=
        part.factor.str() + " : " + std::to_string(part.positionStride) + "; ";
  EXPECT_EQ(text, "C : 40; 1 # 40 @ 3 : 1; W : 2; F : 1; ");
  auto refused = [](const char *text) {
    AxisSizes axes = axesOf("A=8,W=15,F=4");
    llvm::cantFail(axes.addTable("t", {1, 0}));
    auto parts = mappingOf(text, axes).placedFactors();
    return parts ? "accepted" : llvm::toString(parts.takeError());
  };
  EXPECT_EQ(refused("$(W:2, F:1) / 4"),
            "'$(W:2, F:1) / 4' is not affine: only a whole sliding combination "
            "is a sum of loops");
  EXPECT_EQ(refused("A ? t"), "'A ? t' is not affine: a table has no strides");
  EXPECT_EQ(refused("[A, A % 1] # 9"), "accepted");
}

TEST(Lookup, ReadsTheTable) {
  AxisSizes axes = axesOf("A=8,B=2");
  llvm::cantFail(axes.parseTable("t = 3, 1,4"));
  Mapping mapping = mappingOf("A ? t, B", axes);
  EXPECT_EQ(mapping.size(), 6);
  EXPECT_EQ(show(mapping.at(0)), "{A: 3}");
  EXPECT_EQ(show(mapping.at(3)), "{A: 1, B: 1}");
  EXPECT_EQ(show(mapping.at(4)), "{A: 4}");
  EXPECT_EQ(mapping.str(), "A ? t, B");
  EXPECT_EQ(mapping.normalStr(), "A ? t, B");
  EXPECT_EQ(mappingOf("[A,B]?t/3", axes).str(), "[A, B] ? t / 3");
  EXPECT_EQ(show(mappingOf("[A, B] ? t", axes).at(0)), "{A: 1, B: 1}");
  // Entries may repeat, so an index may have several positions.
  llvm::cantFail(axes.parseTable("twice=5,5"));
  auto positions = mappingOf("A ? twice", axes).positionsOf({{"A", 5}});
  ASSERT_TRUE(bool(positions));
  EXPECT_EQ(*positions, (std::vector<int64_t>{0, 1}));
  EXPECT_FALSE(
      mappingOf("A ? t", axes).isEquivalent(mappingOf("A ? twice", axes)));
  SEQUIN_ROW("MAP-19");
}

TEST(Lookup, Refusals) {
  auto error = [](llvm::StringRef table, llvm::StringRef text) {
    AxisSizes axes = axesOf("A=4");
    if (llvm::Error error = axes.parseTable(table))
      return llvm::toString(std::move(error));
    auto mapping = Mapping::parse(text, axes);
    return mapping ? "accepted" : llvm::toString(mapping.takeError());
  };
  EXPECT_EQ(error("t=3,4", "A ? t"),
            "entry 1 of table 't' is 4, past the end of 'A' at column 3 of "
            "size 4");
  EXPECT_EQ(error("t=1", "A ? u"),
            "table 'u' at column 3 is not given; known tables: t");
  EXPECT_EQ(error("t=", "A ? t"), "table 't' has no entries");
  EXPECT_EQ(error("t=1,x", "A"),
            "entry 1 of table 't' is 'x', expected an integer");
  EXPECT_EQ(error("t=1,-1", "A"),
            "entry 1 of table 't' is -1, must be at least 0");
  EXPECT_EQ(error("T=1", "A"),
            "'T' is not the name of a table: expected a lower-case letter, "
            "then letters, digits or '_'");
  EXPECT_EQ(error("t", "A"), "'t' is not a table; expected NAME=ENTRY,ENTRY,"
                             "...");
  EXPECT_EQ(error("t=1", "A ? T"),
            "column 5 of 'A ? T': expected the name of a table (a lower-case "
            "letter, then letters, digits or '_'), found 'T'");
  AxisSizes one = axesOf("A=4"), other = axesOf("A=4");
  llvm::cantFail(one.parseTable("t=1"));
  llvm::cantFail(other.parseTable("t=2"));
  auto both = one.unionWith(other);
  ASSERT_FALSE(bool(both));
  EXPECT_EQ(llvm::toString(both.takeError()),
            "table 't' has two different contents");
  EXPECT_FALSE(mappingOf("A ? t", one).isEquivalent(mappingOf("A ? t", other)));
}

} // namespace
