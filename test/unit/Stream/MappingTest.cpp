//===- MappingTest.cpp - Mapping expressions of the manual ----------------===//
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

const char *const eightBy512 = "A=8,B=512";

TEST(AxisSizes, Parse) {
  AxisSizes axes = axesOf(" A = 8, B'=512 ,T_0=3");
  EXPECT_EQ(axes.str(), "A=8,B'=512,T_0=3");
  EXPECT_EQ(axesOf(axes.str()), axes);
  EXPECT_EQ(axes.lookup("B'"), 512);
  EXPECT_FALSE(axes.lookup("B").has_value());
  EXPECT_TRUE(axesOf("").axes().empty());
  SEQUIN_ROW("ERR-10");
}

TEST(AxisSizes, Refusals) {
  auto error = [](llvm::StringRef text) {
    auto axes = AxisSizes::parse(text);
    return axes ? "accepted" : llvm::toString(axes.takeError());
  };
  EXPECT_EQ(error("A=8,A=9"), "axis 'A' is named twice");
  EXPECT_EQ(error("A"), "size of axis 'A' is '', expected a positive integer");
  EXPECT_EQ(error("A=x"),
            "size of axis 'A' is 'x', expected a positive integer");
  EXPECT_EQ(error("A=0"), "size of axis 'A' is 0, must be at least 1");
  EXPECT_EQ(error("A=-3"), "size of axis 'A' is -3, must be at least 1");
  EXPECT_EQ(error("A=9223372036854775807"), "accepted");
  EXPECT_EQ(error("A=9223372036854775808"),
            "size of axis 'A' is '9223372036854775808', which does not fit in "
            "64 bits");
  EXPECT_EQ(error("a=3"),
            "'a=3' is not an axis size; expected NAME=SIZE with a name that "
            "starts with an upper-case letter");
}

TEST(Mapping, LayoutsOfAMatrix) {
  auto order = [](const char *text) {
    std::string letters(48, '?');
    Mapping mapping = mappingOf(text, "H=6,W=8");
    mapping.forEach([&](int64_t position, int64_t linear) {
      letters[position] = linear < 16 ? static_cast<char>('a' + linear) : '.';
    });
    return letters;
  };
  EXPECT_EQ(order("H, W").substr(0, 16), "abcdefghijklmnop");
  EXPECT_EQ(order("W, H").substr(0, 14), "ai....bj....ck");
  EXPECT_EQ(order("H / 2, W / 2, H % 2, W % 2").substr(0, 12), "abijcdklefmn");
  SEQUIN_ROW("MAP-01");
}

TEST(Mapping, PairOfTwoAxes) {
  Mapping mapping = mappingOf("A, B", eightBy512);
  EXPECT_EQ(mapping.size(), 4096);
  EXPECT_EQ(show(mapping.at(0)), "{}");
  EXPECT_EQ(show(mapping.at(511)), "{B: 511}");
  EXPECT_EQ(show(mapping.at(512)), "{A: 1}");
  SEQUIN_ROW("MAP-02");
  EXPECT_EQ(show(mapping.at(519)), "{A: 1, B: 7}");
  EXPECT_EQ(show(mapping.at(1031)), "{A: 2, B: 7}");
  EXPECT_FALSE(mapping.at(4096).has_value());
  EXPECT_FALSE(mapping.at(-1).has_value());
  for (int64_t i = 0; i < 4096; ++i) {
    std::map<std::string, int64_t> expected;
    if (i / 512)
      expected["A"] = i / 512;
    if (i % 512)
      expected["B"] = i % 512;
    ASSERT_EQ(meaningOf(mapping.at(i)), Meaning(expected));
  }
  SEQUIN_ROW("MAP-04");
  // Chips are one more outer mapping: chip i, element j holds A = i, B = j.
  EXPECT_EQ(show(mapping.at(3 * 512 + 5)), "{A: 3, B: 5}");
  SEQUIN_ROW("MAP-23");
  SEQUIN_ROW("MAP-29");
}

TEST(Mapping, Symbol) {
  Mapping mapping = mappingOf("A", "A=8");
  for (int64_t i = 1; i < 8; ++i)
    EXPECT_EQ(show(mapping.at(i)), "{A: " + std::to_string(i) + "}");
  EXPECT_EQ(show(mapping.at(0)), "{}");
  EXPECT_FALSE(mapping.at(8).has_value());
  SEQUIN_ROW("MAP-03");
}

TEST(Mapping, PairIsAssociative) {
  const char *axes = "A=2,B=3,C=5,D=7";
  Mapping plain = mappingOf("A, B, C, D", axes);
  for (const char *text :
       {"A, [B, [C, D]]", "[A, B], [C, D]", "[[A, B], C], D", "[A, B, C, D]"}) {
    EXPECT_TRUE(mappingOf(text, axes).isEquivalent(plain)) << text;
    EXPECT_EQ(mappingOf(text, axes).terms().size(), 4u);
  }
  SEQUIN_ROW("MAP-05");
  // A named part escapes into brackets.
  EXPECT_TRUE(
      mappingOf("[A], [B]", axes).isEquivalent(mappingOf("A, B", axes)));
  SEQUIN_ROW("MAP-17");
}

TEST(Mapping, Identity) {
  Mapping one = mappingOf("1", "A=8");
  EXPECT_EQ(one.size(), 1);
  EXPECT_EQ(show(one.at(0)), "{}");
  EXPECT_FALSE(one.at(1).has_value());
  for (const char *text : {"1, A", "A, 1", "A"})
    EXPECT_TRUE(mappingOf(text, "A=8").isEquivalent(mappingOf("A", "A=8")));
  EXPECT_TRUE(Mapping().isEquivalent(one));
  SEQUIN_ROW("MAP-06");
}

TEST(Mapping, Padding) {
  Mapping mapping = mappingOf("C, D # 64", "C=13,D=61");
  EXPECT_EQ(mapping.size(), 832);
  EXPECT_EQ(mapping.validSize(), 13 * 61);
  EXPECT_EQ(show(mapping.at(0)), "{}");
  EXPECT_EQ(show(mapping.at(60)), "{D: 60}");
  for (int64_t p : {61, 62, 63})
    EXPECT_FALSE(mapping.at(p).has_value());
  EXPECT_EQ(show(mapping.at(64)), "{C: 1}");
  SEQUIN_ROW("MAP-07");
  SEQUIN_ROW("ERR-86");
  EXPECT_EQ(mappingOf("D # 61", "D=61").size(), 61);
  EXPECT_EQ(mappingError("D # 60", "D=61"),
            "cannot pad 'D' at column 3 to 60: its size is already 61");
  SEQUIN_ROW("MAP-08");
  SEQUIN_ROW("SIL-15");
  EXPECT_EQ(mappingError("S # 16", "S=64"),
            "cannot pad 'S' at column 3 to 16: its size is already 64");
  SEQUIN_ROW("ERR-66");
}

TEST(Mapping, PaddingBelowAndZero) {
  Mapping mapping = mappingOf("D # 8 @ 2", "D=5");
  EXPECT_FALSE(mapping.at(1).has_value());
  EXPECT_EQ(show(mapping.at(2)), "{}");
  EXPECT_EQ(show(mapping.at(6)), "{D: 4}");
  EXPECT_FALSE(mapping.at(7).has_value());
  EXPECT_EQ(mappingError("D # 8 @ 4", "D=5"),
            "low padding 4 of 'D' at column 3 exceeds the padding of 3 "
            "positions");
  Mapping zero = mappingOf("D #z 8", "D=5");
  ASSERT_EQ(zero.factors().size(), 1u);
  EXPECT_EQ(zero.factors()[0].padding, PaddingKind::Zero);
  EXPECT_EQ(zero.str(), "D #z 8");
  EXPECT_EQ(zero.normalStr(), "D #z 8");
  // The kind of padding is no part of what a position holds.
  EXPECT_TRUE(zero.isEquivalent(mappingOf("D # 8", "D=5")));
  // Kinds are kept apart.
  Mapping both = mappingOf("D # 6 #z 8", "D=5");
  EXPECT_EQ(both.size(), 8);
  EXPECT_TRUE(both.isEquivalent(zero));
}

TEST(Mapping, Resize) {
  Mapping mapping = mappingOf("C, D = 2", "C=2,D=3");
  const char *expected[] = {"{}", "{D: 1}", "{C: 1}", "{C: 1, D: 1}"};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(show(mapping.at(i)), expected[i]);
  EXPECT_FALSE(mapping.at(4).has_value());
  SEQUIN_ROW("MAP-09");
  EXPECT_EQ(mappingError("D = 4", "D=3"),
            "cannot keep 4 positions of 'D' at column 3: its size is 3");
  EXPECT_EQ(mappingError("D @ 2 = 2", "D=3"),
            "cannot keep 2 positions from 2 of 'D' at column 3: its size is 3");
  SEQUIN_ROW("SIL-15");
}

TEST(Mapping, Tiles) {
  const char *axes = eightBy512;
  // A tile of two elements of B keeps the parent's footprint of 512.
  Mapping parent = mappingOf("A, B", axes);
  for (int64_t start : {0, 2}) {
    Mapping tile =
        mappingOf("A, B @ " + std::to_string(start) + " = 2 # 512", axes);
    EXPECT_EQ(tile.size(), parent.size());
    for (int64_t a = 0; a < 8; ++a)
      for (int64_t b = 0; b < 2; ++b)
        EXPECT_EQ(tile.at(512 * a + b), parent.at(512 * a + start + b));
  }
  SEQUIN_ROW("MAP-10");
  SEQUIN_ROW("SIL-18");
  // With the printed footprint of 4 the rows would move.
  Mapping printed = mappingOf("A, B = 2 # 4", axes);
  EXPECT_NE(printed.size(), parent.size());
  SEQUIN_ROW("ERR-12");
}

TEST(Mapping, BlockTiles) {
  Mapping parent = mappingOf("A, B", eightBy512);
  for (int64_t i = 0; i <= 14; ++i) {
    Mapping tile = mappingOf(
        "A, B / 32 @ " + std::to_string(i) + " = 2 # 16, B % 32", eightBy512);
    ASSERT_EQ(tile.size(), parent.size());
    for (int64_t a = 0; a < 8; ++a)
      for (int64_t p = 0; p < 64; ++p)
        ASSERT_EQ(tile.at(512 * a + p), parent.at(512 * a + 32 * i + p));
  }
  EXPECT_NE(mappingError("B / 32 @ 15 = 2", eightBy512), "accepted");
  EXPECT_TRUE(mappingOf("B / 32 = 1", eightBy512)
                  .isEquivalent(mappingOf("1", eightBy512)));
  SEQUIN_ROW("MAP-16");
}

TEST(Mapping, StrideAndModulo) {
  Mapping quotient = mappingOf("B / 64", eightBy512);
  Mapping remainder = mappingOf("B % 64", eightBy512);
  EXPECT_EQ(quotient.size(), 8);
  EXPECT_EQ(remainder.size(), 64);
  EXPECT_EQ(show(quotient.at(3)), "{B: 192}");
  EXPECT_EQ(show(remainder.at(3)), "{B: 3}");
  EXPECT_FALSE(quotient.at(8).has_value());
  EXPECT_FALSE(remainder.at(64).has_value());
  Mapping both = mappingOf("B / 64, B % 64", eightBy512);
  EXPECT_EQ(show(both.at(130)), "{B: 130}");
  EXPECT_TRUE(both.isEquivalent(mappingOf("B", eightBy512)));
  EXPECT_EQ(both.normalStr(), "B");
  SEQUIN_ROW("MAP-11");

  Mapping table = mappingOf("B / 4, B % 4", "B=16");
  for (int64_t row = 0; row < 4; ++row)
    for (int64_t column = 0; column < 4; ++column)
      EXPECT_EQ(table.at(4 * row + column),
                mappingOf("B", "B=16").at(4 * row + column));
  SEQUIN_ROW("MAP-13");
}

TEST(Mapping, DivisorsMustDivide) {
  EXPECT_EQ(mappingError("A % 24", "A=65"),
            "cannot split 'A' at column 3 by 24: its size 65 is not a multiple "
            "of 24");
  EXPECT_EQ(
      mappingError("C, [A, B # 8] / 10", "A=3,B=5,C=2"),
      "cannot split '[A, B # 8]' at column 15 by 10: its size 24 is not a "
      "multiple of 10");
  EXPECT_EQ(mappingOf("A # 72 % 24", "A=65").size(), 24);
  SEQUIN_ROW("MAP-12");
  SEQUIN_ROW("ERR-88");
}

TEST(Mapping, ModuloAndResize) {
  // Both keep n positions; only the modulo asks that n divides.
  EXPECT_EQ(mappingOf("D % 4", "D=12").size(), 4);
  EXPECT_EQ(mappingOf("D = 5", "D=12").size(), 5);
  EXPECT_NE(mappingError("D % 5", "D=12"), "accepted");
  SEQUIN_ROW("MAP-14");
  SEQUIN_ROW("ERR-13");
}

TEST(Mapping, NestedStride) {
  Mapping mapping = mappingOf("B / 64, B % 32, B / 32 % 2", eightBy512);
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t j = 0; j < 32; ++j)
      for (int64_t k = 0; k < 2; ++k) {
        auto index = mapping.at(64 * i + 2 * j + k);
        ASSERT_TRUE(index.has_value());
        ASSERT_EQ(index->empty() ? 0 : (*index)[0].second, 64 * i + j + 32 * k);
      }
  EXPECT_EQ(show(mapping.at(67)), "{B: 97}");
  EXPECT_FALSE(mapping.at(512).has_value());
  EXPECT_EQ(mapping.normalStr(), "B / 64, B % 32, B / 32 % 2");
  SEQUIN_ROW("MAP-15");
}

TEST(Mapping, StreamOfATensorUnit) {
  const char *axes = "N=4,C=64,H=32,W=32";
  EXPECT_EQ(mappingOf("C / 2", axes).size(), 32);
  EXPECT_EQ(mappingOf("N, H, W", axes).size(), 4096);
  EXPECT_EQ(mappingOf("C % 2", axes).size(), 2);
  SEQUIN_ROW("MAP-28");
}

TEST(Mapping, RecombinesQuotientsAndRemainders) {
  const char *axes = "R=17,D=5,C=6";
  Mapping padded = mappingOf("R # 24", axes);
  Mapping split = mappingOf("R # 24 / 3, R # 24 % 3", axes);
  EXPECT_EQ(show(split.at(16)), "{R: 16}");
  EXPECT_FALSE(split.at(17).has_value());
  EXPECT_TRUE(split.isEquivalent(padded));
  EXPECT_EQ(split.normalStr(), "R # 24");
  Mapping composite = mappingOf("[D, C] / 10, [D, C] % 10", axes);
  EXPECT_EQ(show(composite.at(12)), "{D: 2}");
  EXPECT_TRUE(composite.isEquivalent(mappingOf("D, C", axes)));
  EXPECT_EQ(composite.normalStr(), "D, C");
  // A digit that no other digit completes is still the digit of its group.
  Mapping alone = mappingOf("[D, C] / 10", axes);
  EXPECT_EQ(show(alone.at(1)), "{D: 1, C: 4}");
  EXPECT_EQ(alone.normalStr(), "[D, C / 2] / 5");
  SEQUIN_ROW("ERR-11");
  SEQUIN_ROW("SIL-16");
  // Coordinates that add up past the axis are padding.
  EXPECT_FALSE(mappingOf("C, C", axes).at(6 * 5 + 1).has_value());
}

TEST(Mapping, Equivalence) {
  const char *axes = "A=8,B=512";
  Mapping a = mappingOf("B / 64, B % 64", axes);
  Mapping b = mappingOf("B", axes);
  Mapping c = mappingOf("B % 64, B / 64", axes);
  EXPECT_TRUE(a.isEquivalent(a));
  EXPECT_TRUE(a.isEquivalent(b));
  EXPECT_TRUE(b.isEquivalent(a));
  EXPECT_FALSE(b.isEquivalent(c));
  EXPECT_EQ(b.firstDifference(c), 1);
  EXPECT_EQ(b.firstDifference(mappingOf("B = 100", axes)), 100);
  EXPECT_EQ(mappingOf("B # 513", axes).firstDifference(b), 512);
  SEQUIN_ROW("MAP-21");
  // Axes of the same name and different size, in tables of different order.
  EXPECT_TRUE(
      mappingOf("A, B", "A=2,B=3").isEquivalent(mappingOf("A, B", "B=3,A=2")));
  EXPECT_EQ(mappingOf("A", "A=4").firstDifference(mappingOf("A", "A=5")), 4);
}

TEST(Mapping, EquivalenceOfHugeSizes) {
  const char *axes = "A=1099511627776,B=1024";
  Mapping plain = mappingOf("A", axes);
  EXPECT_TRUE(mappingOf("A / 4096, A % 4096", axes).isEquivalent(plain));
  EXPECT_EQ(mappingOf("A % 4096, A / 4096", axes).firstDifference(plain), 1);
  EXPECT_EQ(mappingOf("A = 1099511627775 # 1099511627776", axes)
                .firstDifference(plain),
            1099511627775);
  // A comparison can be told to give up.
  Mapping left = mappingOf("A / 2, B, A % 2", axes);
  Mapping right = mappingOf("A / 4, A / 2 % 2, B, A % 2 = 2", axes);
  EXPECT_TRUE(left.isEquivalent(right));
}

TEST(Mapping, GrammarAndPrecedence) {
  const char *axes = "A=64,B=6,Abc_1'=4";
  EXPECT_EQ(mappingOf("A/32%2", axes).str(), "A / 32 % 2");
  EXPECT_TRUE(mappingOf("A / 32 % 2", axes)
                  .isEquivalent(mappingOf("[A / 32] % 2", axes)));
  EXPECT_EQ(mappingOf("[A,B]/2#200", axes).str(), "[A, B] / 2 # 200");
  EXPECT_EQ(mappingOf("[A]", axes).str(), "A");
  EXPECT_EQ(mappingOf("Abc_1', 4", axes).size(), 16);
  EXPECT_EQ(show(mappingOf("A, 4", axes).at(7)), "{A: 1}");
  SEQUIN_ROW("SIL-17");
  // An '@' after '#' is low padding; brackets make it a view.
  EXPECT_EQ(mappingOf("B # 9 @ 2 = 4", axes).str(), "B # 9 @ 2 = 4");
  EXPECT_FALSE(mappingOf("B # 9 @ 2 = 4", axes).at(0).has_value());
  EXPECT_EQ(show(mappingOf("[B # 9] @ 2 = 4", axes).at(0)), "{B: 2}");
  EXPECT_EQ(mappingOf("[B # 9] @ 2 = 4", axes).str(), "[B # 9] @ 2 = 4");
  EXPECT_EQ(mappingOf("B # 9 @ 0 @ 2 = 4", axes).str(), "B # 9 @ 0 @ 2 = 4");
  EXPECT_EQ(show(mappingOf("B # 9 @ 0 @ 2 = 4", axes).at(0)), "{B: 2}");
  EXPECT_EQ(mappingOf("[B] @ 2 = 4", axes).str(), "B @ 2 = 4");
}

TEST(Mapping, SyntaxErrors) {
  const char *axes = "A=8,B=512";
  EXPECT_EQ(mappingError("", axes),
            "column 1 of '': expected an axis, a number or '[', found the end "
            "of the text");
  EXPECT_EQ(mappingError("A,", axes),
            "column 3 of 'A,': expected an axis, a number or '[', found the "
            "end of the text");
  EXPECT_EQ(mappingError("A B", axes),
            "column 3 of 'A B': expected ',' or an operator (/ % # = @), found "
            "'B'");
  EXPECT_EQ(mappingError("A * B", axes),
            "column 3 of 'A * B': expected ',' or an operator (/ % # = @), "
            "found '*'");
  EXPECT_EQ(mappingError("[A, B", axes),
            "column 6 of '[A, B': expected ']', ',' or an operator "
            "(/ % # = @), found the end of the text");
  EXPECT_EQ(mappingError("A / 0", axes),
            "column 5 of 'A / 0': a divisor must be at least 1, found 0");
  EXPECT_EQ(mappingError("0", axes),
            "column 1 of '0': a broadcast size must be at least 1, found 0");
  EXPECT_EQ(mappingError("A # x", axes),
            "column 5 of 'A # x': expected a size to pad to, found 'x'");
  EXPECT_EQ(
      mappingError("A @ 2", axes),
      "column 6 of 'A @ 2': expected '=' and a size after the offset of a "
      "view, found the end of the text");
  EXPECT_EQ(mappingError("A # 99999999999999999999", axes),
            "column 5 of 'A # 99999999999999999999': a size to pad to "
            "99999999999999999999 does not fit in 64 bits");
  EXPECT_EQ(mappingError("t[A]", axes),
            "column 1 of 't[A]': axis names start with an upper-case letter, "
            "found 't'; a table stands behind '?', as in 'A ? t'");
  EXPECT_EQ(mappingError(llvm::StringRef("A\x01", 2), axes),
            "column 2 of 'A?': expected ',' or an operator (/ % # = @), found "
            "byte 1");
  EXPECT_EQ(mappingError("C", axes),
            "axis 'C' at column 1 has no size; known axes: A, B");
  EXPECT_EQ(mappingError("C", ""),
            "axis 'C' at column 1 has no size; no axes are declared");
  EXPECT_FALSE(bool(Mapping::checkSyntax("X / 3, Y")));
  EXPECT_NE(llvm::toString(Mapping::checkSyntax("X /")), "");
}

TEST(Mapping, HostileTexts) {
  const char *axes = "A=8";
  std::string deep(64, '['), deeper(65, '[');
  EXPECT_EQ(mappingOf(deep + "A" + std::string(64, ']'), axes).str(), "A");
  EXPECT_NE(mappingError(deeper + "A" + std::string(65, ']'), axes)
                .find("brackets nest deeper than 64 levels"),
            std::string::npos);
  EXPECT_NE(mappingError(std::string(1000000, '['), axes).find("characters"),
            std::string::npos);
  std::string atLimit = "A";
  atLimit.append(MappingExpr::maxTextLength - 1, ' ');
  EXPECT_EQ(mappingOf(atLimit, axes).size(), 8);
  EXPECT_EQ(mappingError(atLimit + " ", axes),
            "mapping has 65537 characters, at most 65536 are allowed");
  // Long chains of operators and of terms.
  std::string chain = "A";
  for (int i = 0; i < 10000; ++i)
    chain += " / 1";
  EXPECT_EQ(mappingOf(chain, axes).size(), 8);
  std::string terms = "A";
  for (int i = 0; i < 20000; ++i)
    terms += ", 1";
  EXPECT_EQ(mappingOf(terms, axes).size(), 8);
  // Each round hides the last one in a group that cannot be told apart.
  std::string nest = "A # 9 @ 1";
  for (int i = 0; i < 60; ++i)
    nest += " / 3 # 9 @ 1";
  EXPECT_NE(mappingError(nest, axes).find("levels deep"), std::string::npos);
}

TEST(Mapping, SizesAreChecked) {
  const char *axes = "A=1099511627776,B=1099511627776";
  EXPECT_EQ(
      mappingError("A, B", axes),
      "the size of 'A, B' does not fit in 64 bits (1099511627776 positions "
      "times 1099511627776 of 'B')");
  Mapping mapping = mappingOf("A / 549755813888, B / 549755813888", axes);
  EXPECT_EQ(show(mapping.at(3)), "{A: 549755813888, B: 549755813888}");
  EXPECT_EQ(mappingOf("A # 9223372036854775807", axes).size(),
            9223372036854775807);
  EXPECT_EQ(
      mappingOf("A / 1099511627776 # 4611686018427387904 / 2", axes).size(),
      2305843009213693952);
}

TEST(Mapping, Operations) {
  AxisSizes axes = axesOf("A=8,B=6");
  Mapping a = mappingOf("A", axes), b = mappingOf("B / 2, B % 2", axes);
  auto pair = Mapping::pair(a, b);
  ASSERT_TRUE(bool(pair));
  EXPECT_EQ(pair->str(), "A, B / 2, B % 2");
  auto padded = b.pad(8);
  ASSERT_TRUE(bool(padded));
  EXPECT_EQ(padded->str(), "[B / 2, B % 2] # 8");
  auto quotient = padded->divide(4);
  ASSERT_TRUE(bool(quotient));
  EXPECT_EQ(quotient->str(), "[B / 2, B % 2] # 8 / 4");
  auto remainder = a.modulo(4);
  ASSERT_TRUE(bool(remainder));
  EXPECT_EQ(remainder->str(), "A % 4");
  EXPECT_EQ(llvm::toString(b.pad(5).takeError()),
            "cannot pad '[B / 2, B % 2]' to 5: its size is already 6");
  EXPECT_EQ(llvm::toString(a.divide(0).takeError()),
            "divisor 0 must be at least 1");
  EXPECT_EQ(llvm::toString(a.modulo(3).takeError()),
            "cannot split 'A' by 3: its size 8 is not a multiple of 3");
  auto other = Mapping::pair(a, mappingOf("A", "A=9"));
  ASSERT_FALSE(bool(other));
  EXPECT_EQ(llvm::toString(other.takeError()),
            "axis 'A' has size 8 in one mapping and 9 in the other");
  // Tables are joined.
  auto joined = Mapping::pair(mappingOf("A", "A=8"), mappingOf("C", "C=2"));
  ASSERT_TRUE(bool(joined));
  EXPECT_EQ(joined->axes().str(), "A=8,C=2");
}

TEST(Mapping, SizeOneAxes) {
  const char *axes = "U=1,A=6";
  EXPECT_TRUE(mappingOf("U, A, U", axes).isEquivalent(mappingOf("A", axes)));
  EXPECT_EQ(mappingOf("U, A / 2, U, A % 2", axes).normalStr(), "A");
  EXPECT_EQ(mappingOf("U # 4", axes).normalStr(), "1 # 4");
}

} // namespace
