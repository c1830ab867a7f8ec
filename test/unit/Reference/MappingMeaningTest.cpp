//===- MappingMeaningTest.cpp - Mappings as the manual defines them -------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/MappingMeaning.h"
#include "Row.h"
#include "sequin/Stream/Mapping.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cstdlib>
#include <random>

using namespace sequin::reference;

namespace {

using Axes = std::vector<std::pair<std::string, int64_t>>;

/// A mapping read on its own.
struct Read {
  Read(const Axes &axes, llvm::StringRef text) : space(axes) {
    auto read = space.read(text);
    if (read)
      digits = *read;
    else
      error = llvm::toString(read.takeError());
  }
  int64_t size() const { return sizeOf(digits); }
  /// "{A: 1}" or "padding".
  std::string at(int64_t position) const {
    auto index = space.at(digits, position);
    return index ? space.describe(*index) : "padding";
  }

  Space space;
  Digits digits;
  std::string error;
};

/// Whether two mappings are the same function.
::testing::AssertionResult equivalent(const Axes &axes, llvm::StringRef a,
                                      llvm::StringRef b) {
  Read left(axes, a), right(axes, b);
  if (!left.error.empty() || !right.error.empty())
    return ::testing::AssertionFailure() << left.error << right.error;
  if (left.size() != right.size())
    return ::testing::AssertionFailure()
           << a.str() << " has size " << left.size() << ", " << b.str() << " "
           << right.size();
  for (int64_t i = 0; i < left.size(); ++i)
    if (left.at(i) != right.at(i))
      return ::testing::AssertionFailure()
             << "position " << i << ": " << left.at(i) << " and "
             << right.at(i);
  return ::testing::AssertionSuccess();
}

TEST(MappingMeaning, Symbol) {
  Read a({{"A", 8}}, "A");
  EXPECT_EQ(a.size(), 8);
  EXPECT_EQ(a.at(0), "{}");
  EXPECT_EQ(a.at(5), "{A: 5}");
  EXPECT_EQ(a.at(8), "padding");
  SEQUIN_ROW("MAP-03");
}

TEST(MappingMeaning, Pair) {
  Axes axes = {{"A", 8}, {"B", 512}};
  Read pair(axes, "A, B");
  EXPECT_EQ(pair.size(), 4096);
  EXPECT_EQ(pair.at(511), "{B: 511}");
  EXPECT_EQ(pair.at(512), "{A: 1}");
  EXPECT_EQ(pair.at(519), "{A: 1, B: 7}");
  EXPECT_EQ(pair.at(1031), "{A: 2, B: 7}");
  EXPECT_EQ(pair.at(4096), "padding");
  SEQUIN_ROW("MAP-02");
  SEQUIN_ROW("MAP-04");
}

TEST(MappingMeaning, Identity) {
  Axes axes = {{"A", 8}};
  Read one(axes, "1");
  EXPECT_EQ(one.size(), 1);
  EXPECT_EQ(one.at(0), "{}");
  EXPECT_EQ(one.at(1), "padding");
  EXPECT_TRUE(equivalent(axes, "1, A", "A"));
  EXPECT_TRUE(equivalent(axes, "A, 1", "A"));
  SEQUIN_ROW("MAP-06");
}

TEST(MappingMeaning, Padding) {
  Read padded({{"C", 13}, {"D", 61}}, "C, D # 64");
  EXPECT_EQ(padded.size(), 832);
  EXPECT_EQ(padded.at(60), "{D: 60}");
  for (int64_t position : {61, 62, 63})
    EXPECT_EQ(padded.at(position), "padding");
  EXPECT_EQ(padded.at(64), "{C: 1}");
  SEQUIN_ROW("MAP-07");
}

TEST(MappingMeaning, PaddingBelow) {
  Read padded({{"A", 5}}, "A # 8 @ 2");
  EXPECT_EQ(padded.at(1), "padding");
  EXPECT_EQ(padded.at(2), "{}");
  EXPECT_EQ(padded.at(6), "{A: 4}");
  EXPECT_EQ(padded.at(7), "padding");
}

TEST(MappingMeaning, PaddingBelowTheSizeIsRefused) {
  Read padded({{"A", 8}}, "A # 6");
  EXPECT_NE(padded.error.find("size 8 does not fit into 6"), std::string::npos)
      << padded.error;
}

TEST(MappingMeaning, Resize) {
  Read resized({{"C", 2}, {"D", 3}}, "C, D = 2");
  EXPECT_EQ(resized.at(0), "{}");
  EXPECT_EQ(resized.at(1), "{D: 1}");
  EXPECT_EQ(resized.at(2), "{C: 1}");
  EXPECT_EQ(resized.at(3), "{C: 1, D: 1}");
  EXPECT_EQ(resized.at(4), "padding");
  SEQUIN_ROW("MAP-09");
}

TEST(MappingMeaning, OffsetView) {
  Read view({{"B", 16}}, "B / 4 @ 1 = 2, B % 4");
  EXPECT_EQ(view.size(), 8);
  EXPECT_EQ(view.at(0), "{B: 4}");
  EXPECT_EQ(view.at(7), "{B: 11}");
}

TEST(MappingMeaning, StrideAndModulo) {
  Axes axes = {{"B", 512}};
  EXPECT_EQ(Read(axes, "B / 64").at(3), "{B: 192}");
  EXPECT_EQ(Read(axes, "B / 64").at(8), "padding");
  EXPECT_EQ(Read(axes, "B % 64").at(3), "{B: 3}");
  EXPECT_EQ(Read(axes, "B / 64, B % 64").at(130), "{B: 130}");
  EXPECT_TRUE(equivalent(axes, "B / 64, B % 64", "B"));
  SEQUIN_ROW("MAP-11");
}

TEST(MappingMeaning, StrideMustDivide) {
  Read odd({{"A", 65}}, "A % 24");
  EXPECT_NE(odd.error.find("size 65 is not divisible by 24"), std::string::npos)
      << odd.error;
  EXPECT_FALSE(Read({{"A", 65}}, "A / 24").error.empty());
  SEQUIN_ROW("MAP-12");
}

TEST(MappingMeaning, ModuloIsNotResize) {
  Axes axes = {{"D", 6}};
  EXPECT_EQ(Read(axes, "D % 3").size(), 3);
  EXPECT_EQ(Read(axes, "D = 4").size(), 4);
  EXPECT_FALSE(Read(axes, "D % 4").error.empty());
  SEQUIN_ROW("MAP-14");
}

TEST(MappingMeaning, NestedStride) {
  Read nested({{"B", 512}}, "B / 64, B % 32, B / 32 % 2");
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t j = 0; j < 32; ++j)
      for (int64_t k = 0; k < 2; ++k) {
        int64_t b = 64 * i + j + 32 * k;
        EXPECT_EQ(nested.at(64 * i + 2 * j + k),
                  b ? "{B: " + std::to_string(b) + "}" : "{}");
      }
  EXPECT_EQ(nested.at(67), "{B: 97}");
  SEQUIN_ROW("MAP-15");
}

TEST(MappingMeaning, PaddedQuotientAndRemainderMeet) {
  // The 17th position is past the end of R, although neither part is.
  Read split({{"R", 17}}, "R # 24 / 3, R # 24 % 3");
  EXPECT_EQ(split.at(16), "{R: 16}");
  EXPECT_EQ(split.at(17), "padding");
  EXPECT_TRUE(equivalent({{"R", 17}}, "R # 24 / 3, R # 24 % 3", "R # 24"));
}

TEST(MappingMeaning, CompositeQuotientAndRemainderMeet) {
  Axes axes = {{"D", 5}, {"C", 6}};
  EXPECT_TRUE(equivalent(axes, "[D, C] / 10, [D, C] % 10", "D, C"));
  EXPECT_EQ(Read(axes, "[D, C] / 10, [D, C] % 10").at(12), "{D: 2}");
}

TEST(MappingMeaning, Equivalences) {
  Axes axes = {{"A", 12}, {"B", 8}, {"R", 17}};
  for (const char *text :
       {"A", "A, B", "A % 6", "A / 3", "R # 24", "[A, R] # 216", "A = 6",
        "[A, B] / 16", "B # 12 @ 2", "A / 3 @ 1 = 2", "R # 20 / 5, B"}) {
    std::string e = std::string("[") + text + "]";
    int64_t size = Read(axes, text).size();
    std::string n = std::to_string(size);
    EXPECT_TRUE(equivalent(axes, e + ", 1", text)) << text;
    EXPECT_TRUE(equivalent(axes, "1, " + e, text)) << text;
    EXPECT_TRUE(equivalent(axes, e + " / 1", text)) << text;
    EXPECT_TRUE(equivalent(axes, e + " # " + n, text)) << text;
    EXPECT_TRUE(equivalent(axes, e + " = " + n, text)) << text;
    // A remainder is the mapping's first positions, whatever they hold.
    bool startsAtZero = Read(axes, text).at(0) == "{}";
    EXPECT_TRUE(equivalent(axes, e + " % 1", startsAtZero ? "1" : e + " = 1"))
        << text;
    for (int64_t divisor = 2; divisor <= size; ++divisor) {
      if (size % divisor != 0)
        continue;
      std::string d = std::to_string(divisor);
      EXPECT_TRUE(equivalent(axes, e + " / " + d + ", " + e + " % " + d, text))
          << text << " by " << divisor;
    }
  }
  EXPECT_TRUE(equivalent(axes, "[R, B] / 8", "R"));
  EXPECT_TRUE(equivalent(axes, "[R, B] % 8", "B"));
  EXPECT_TRUE(equivalent(axes, "R, B, A", "[R, B], A"));
  EXPECT_TRUE(equivalent(axes, "R, B, A", "R, [B, A]"));
  SEQUIN_ROW("MAP-21");
  SEQUIN_ROW("MAP-22");
}

TEST(MappingMeaning, SeparateMappingsOfOneTensorMeet) {
  // Chip, slice and element each hold a part of A.
  Space space(Axes{{"A", 20}});
  llvm::SmallVector<Digits, 3> parts;
  for (const char *text : {"A # 24 / 12", "A # 24 / 3 % 4", "A # 24 % 3"})
    parts.push_back(llvm::cantFail(space.read(text)));
  std::vector<uint8_t> spoken = space.spokenOf(parts);
  Table tables[] = {Table(parts[0]), Table(parts[1]), Table(parts[2])};
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 4; ++j)
      for (int64_t k = 0; k < 3; ++k) {
        std::vector<int64_t> sums(space.baseCount());
        tables[0].addTo(sums, i);
        tables[1].addTo(sums, j);
        tables[2].addTo(sums, k);
        auto index = space.resolve(sums, spoken);
        int64_t a = 12 * i + 3 * j + k;
        ASSERT_EQ(index.has_value(), a < 20) << a;
        if (index)
          EXPECT_EQ((*index)[0], a);
      }
  SEQUIN_ROW("MAP-29");
}

TEST(MappingMeaning, ReductionLoops) {
  Space space(Axes{{"I", 32}, {"J", 32}, {"K", 64}});
  auto read = [&](llvm::StringRef text) {
    return llvm::cantFail(space.read(text));
  };
  auto loops = matchLoops(space, read("I, J / 8, K / 16"), read("I, J / 8"));
  ASSERT_TRUE(loops);
  ASSERT_EQ(loops->size(), 3u);
  EXPECT_TRUE((*loops)[0].kept && (*loops)[1].kept && !(*loops)[2].kept);
  EXPECT_EQ((*loops)[2].size, 4);

  // The kept part of an axis may be its inner or its outer part.
  loops = matchLoops(space, read("K"), read("K / 8"));
  ASSERT_TRUE(loops && loops->size() == 2);
  EXPECT_TRUE((*loops)[0].kept && !(*loops)[1].kept);
  loops = matchLoops(space, read("K"), read("K % 8"));
  ASSERT_TRUE(loops && loops->size() == 2);
  EXPECT_TRUE(!(*loops)[0].kept && (*loops)[1].kept);

  EXPECT_FALSE(matchLoops(space, read("I, J"), read("J, I")));
  EXPECT_FALSE(matchLoops(space, read("I"), read("K")));
}

TEST(MappingMeaning, SkewedAxis) {
  Space space(Axes{{"A", 4}, {"B", 4}},
              {{"B'", "B", "A", false}, {"C", "B", "A", true}});
  Digits digits = llvm::cantFail(space.read("A, B' = 4"));
  for (int64_t a = 0; a < 4; ++a)
    for (int64_t b = 0; b < 4; ++b)
      EXPECT_EQ(space.at(digits, 4 * a + b), (Index{a, (b + a) % 4}));
  digits = llvm::cantFail(space.read("A, C"));
  EXPECT_EQ(space.at(digits, 4 * 3 + 1), (Index{3, 2}));
  for (const char *text : {"B / 2, B' % 2", "B', C"}) {
    auto refused = space.read(text);
    ASSERT_FALSE(bool(refused)) << text;
    EXPECT_NE(llvm::toString(refused.takeError()).find("is walked both as"),
              std::string::npos);
  }
  SEQUIN_ROW("MAP-18");
}

TEST(MappingMeaning, Lookup) {
  Space space(Axes{{"A", 8}}, {}, {{"t", {3, 1, 4}}, {"far", {8}}});
  Digits digits = llvm::cantFail(space.read("A ? t"));
  EXPECT_EQ(sizeOf(digits), 3);
  EXPECT_EQ(space.at(digits, 0), Index{3});
  EXPECT_EQ(space.at(digits, 2), Index{4});
  auto refused = space.read("A ? far");
  ASSERT_FALSE(bool(refused));
  EXPECT_NE(llvm::toString(refused.takeError())
                .find("entry 8 of table 'far' is past the size 8"),
            std::string::npos);
  SEQUIN_ROW("MAP-19");
}

TEST(MappingMeaning, Sliding) {
  Space space(Axes{{"N", 5}, {"F", 3}});
  Digits digits = llvm::cantFail(space.read("$(N:1, F:2)"));
  EXPECT_EQ(sizeOf(digits), 9);
  EXPECT_EQ(space.allAt(digits, 4),
            (std::vector<Index>{{4, 0}, {2, 1}, {0, 2}}));
  EXPECT_TRUE(space.slides(digits));
  EXPECT_FALSE(space.slides(llvm::cantFail(space.read("N, F"))));
  SEQUIN_ROW("MAP-20");
}

//===----------------------------------------------------------------------===//
// Against the stream core, which shares no code
//===----------------------------------------------------------------------===//

/// Random texts over all of the language.
class Texts {
public:
  explicit Texts(uint64_t seed) : random(seed) {}

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  /// A term over one or two axes, each of which no other term walks.
  std::string term(llvm::ArrayRef<std::string> axes, int depth) {
    std::string text;
    if (axes.size() == 1) {
      text = axes[0];
    } else if (pick(0, 2) == 0) {
      text = "$(" + term(axes.take_front(), depth + 1) + ":" +
             std::to_string(pick(1, 4)) + ", " +
             term(axes.drop_front(), depth + 1) + ":" +
             std::to_string(pick(1, 4)) + ")";
    } else {
      text = "[" + term(axes.take_front(), depth + 1) + ", " +
             term(axes.drop_front(), depth + 1) + "]";
    }
    for (int64_t i = pick(0, depth == 0 ? 3 : 2); i > 0; --i)
      text = "[" + text + "]" + op();
    return text;
  }

private:
  std::string op() {
    std::string n = std::to_string(pick(1, 12));
    switch (pick(0, 6)) {
    case 0:
      return " / " + n;
    case 1:
      return " % " + n;
    case 2:
      return " # " + std::to_string(pick(1, 40));
    case 3:
      return " # " + std::to_string(pick(8, 40)) + " @ " +
             std::to_string(pick(0, 3));
    case 4:
      return " = " + n;
    case 5:
      return " @ " + std::to_string(pick(0, 3)) + " = " + n;
    default:
      return " ? t";
    }
  }

  std::mt19937_64 random;
};

TEST(MappingMeaning, AgreesWithTheStreamCore) {
  const char *given = std::getenv("SEQUIN_TEST_SEED");
  uint64_t seed = given ? std::strtoull(given, nullptr, 0) : 20240707;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Texts texts(seed);
  int compared = 0, several = 0;
  for (int round = 0; round < 60000; ++round) {
    int64_t a = texts.pick(1, 12), b = texts.pick(1, 8), c = texts.pick(1, 6);
    bool plus = texts.pick(0, 1);
    std::vector<int64_t> entries(texts.pick(1, 6));
    for (int64_t &entry : entries)
      entry = texts.pick(0, 5);
    std::string walked = texts.pick(0, 1) ? "B" : "B'";
    std::string text;
    switch (texts.pick(0, 3)) {
    case 0:
      text = texts.term({"A", walked}, 0) + ", " + texts.term({"C"}, 0);
      break;
    case 1:
      text = texts.term({"A"}, 0) + ", " + texts.term({"C", walked}, 0);
      break;
    case 2:
      text = texts.term({"A", "C", walked}, 0);
      break;
    default: {
      // Quotient and remainder of one term, with others between.
      std::string group = texts.term({walked, "A"}, 0);
      std::string n = std::to_string(texts.pick(1, 6));
      text = "[" + group + "] / " + n + ", C, [" + group + "] % " + n;
    }
    }
    sequin::AxisSizes axes;
    axes.add("A", a);
    axes.add("B", b);
    axes.add("C", c);
    llvm::cantFail(axes.addSkew({"B'", "B", "A", plus}));
    llvm::cantFail(axes.addTable("t", entries));
    Space space(Axes{{"A", a}, {"B", b}, {"C", c}}, {{"B'", "B", "A", plus}},
                {{"t", entries}});
    auto core = sequin::Mapping::parse(text, axes);
    auto read = space.read(text);
    ASSERT_EQ(bool(core), bool(read))
        << axes.str() << "  " << text << ": "
        << (core ? std::string() : llvm::toString(core.takeError()))
        << (read ? std::string() : llvm::toString(read.takeError()));
    if (!core) {
      llvm::consumeError(core.takeError());
      llvm::consumeError(read.takeError());
      continue;
    }
    ASSERT_EQ(core->size(), sizeOf(*read)) << text;
    ++compared;
    for (int64_t p = 0; p < core->size(); ++p) {
      std::vector<Index> expected;
      for (const sequin::TensorIndex &index : core->allAt(p)) {
        Index values(3, 0);
        for (const auto &[axis, value] : index)
          values[axis == "A" ? 0 : axis == "B" ? 1 : 2] = value;
        expected.push_back(values);
      }
      std::vector<Index> found = space.allAt(*read, p);
      several += found.size() > 1;
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, expected) << axes.str() << "  " << text << " at " << p
                                 << ", normal form " << core->normalStr();
    }
  }
  EXPECT_GT(compared, 3000);
  EXPECT_GT(several, 1000);
}

TEST(MappingMeaning, BadTextIsAnError) {
  Axes axes = {{"A", 8}};
  for (const char *text :
       {"", "A,", "[A", "A]", "A /", "A / 0", "A % 99999999999999999999", "b",
        "Q", "A @ 3", "A # 4 @ 9", "A = 9", "A @ 5 = 4", "$(A:0)", "$(A)",
        "$(A:2", "$A", "A ? t", "1099511627776, 2"})
    EXPECT_FALSE(Read(axes, text).error.empty()) << text;
  EXPECT_FALSE(Read(axes, std::string(1000, '[')).error.empty());
}

} // namespace
