//===- MappingLawsTest.cpp - The laws of Mapping.h at random --------------===//
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
    "A=8,B=12,C=6",  "A=16,B=4,C=3", "A=6,B=6,D=2",    "A=1,B=24,C=5",
    "A=30,B=7",      "A=17,B=9",     "A=36,C=1,D=1",   "A=4,B=4,C=4,D=4",
    "A=13,B=11,C=2", "A=60",         "P=31,Q=8",       "A=2,B=2,C=2,D=2,E=2",
    "A=6,B=3",       "A=101",        "A=8,B=8,B'=B-A", "A=5,B=6,B'=B+A",
};

/// A random mapping E: its text in brackets, resolved.
struct Sample {
  std::string text;
  AxisSizes axes;
  Mapping mapping;
  int64_t size() const { return mapping.size(); }
};

class Laws : public ::testing::Test {
protected:
  void SetUp() override {
    seed = testSeed(std::random_device()());
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    generator.emplace(seed);
  }

  int64_t pick(int64_t low, int64_t high) { return generator->pick(low, high); }

  /// Every kind of mapping: padded, offset, sliding, skewed, looked up.
  Sample sample(unsigned round) {
    AxisSizes axes = axesOf(axisTables[round % std::size(axisTables)]);
    ExpressionGenerator::Options options;
    options.dropOffsets = true;
    options.lowPad = 10;
    options.nested = 35;
    std::string text = generator->mapping(axes, 110, options)->text();
    if (!axes.skews().empty()) // walk the diagonals instead
      for (size_t at = 0; (at = text.find('B', at)) != std::string::npos;
           at += 2)
        text.replace(at, 1, "B'");
    auto plain = Mapping::parse(text, axes);
    EXPECT_TRUE(bool(plain)) << llvm::toString(plain.takeError());
    switch (pick(0, 3)) {
    case 0: {
      cantFail(axes.add("S", pick(1, 5)));
      cantFail(axes.add("T", pick(1, 4)));
      std::string sliding = "$(S:" + std::to_string(pick(1, 3)) + ", [" + text +
                            "]:" + std::to_string(pick(1, 3)) +
                            ", T:" + std::to_string(pick(1, 4)) + ")";
      text = pick(0, 1) ? sliding : "S, " + text + ", $(T # 6:2, 2:3)";
      break;
    }
    case 1: {
      std::vector<int64_t> table(pick(1, 12));
      for (int64_t &entry : table)
        entry = pick(0, plain->size() - 1);
      llvm::cantFail(axes.addTable("t", table));
      text = "[" + text + "] ? t";
      break;
    }
    default:
      break;
    }
    Sample result{"[" + text + "]", axes, Mapping()};
    result.mapping = mappingOf(result.text, axes);
    return result;
  }

  static void cantFail(bool done) { ASSERT_TRUE(done); }

  void expectEqual(const std::string &left, const std::string &right,
                   const AxisSizes &axes) {
    Mapping a = mappingOf(left, axes), b = mappingOf(right, axes);
    auto difference = a.firstDifference(b);
    EXPECT_FALSE(difference.has_value())
        << axes.str() << "  '" << left << "' and '" << right << "' differ at "
        << *difference << ", normal forms " << a.normalStr() << " and "
        << b.normalStr();
    EXPECT_EQ(a.isEquivalent(b), !difference);
  }

  uint64_t seed = 0;
  std::optional<ExpressionGenerator> generator;
};

std::string n(int64_t value) { return std::to_string(value); }

std::vector<int64_t> divisors(int64_t value) {
  std::vector<int64_t> result;
  for (int64_t d = 1; d <= value; ++d)
    if (value % d == 0)
      result.push_back(d);
  return result;
}

std::vector<TensorIndex> sorted(std::vector<TensorIndex> indices) {
  for (TensorIndex &index : indices)
    llvm::sort(index);
  llvm::sort(indices);
  return indices;
}

TEST_F(Laws, Positions) {
  SEQUIN_ROW("MAP-09");
  SEQUIN_ROW("MAP-11");
  SEQUIN_ROW("MAP-14");
  for (unsigned round = 0; round < 150 && !HasFailure(); ++round) {
    Sample e = sample(round);
    std::vector<std::vector<TensorIndex>> all;
    for (int64_t p = 0; p < e.size(); ++p) {
      all.push_back(sorted(e.mapping.allAt(p)));
      auto one = e.mapping.at(p);
      ASSERT_EQ(one.has_value(), !all.back().empty()) << e.text;
      if (one)
        ASSERT_EQ(*one, e.mapping.allAt(p).front()) << e.text;
    }
    auto expectAt = [&](const std::string &text, auto source) {
      Mapping mapping = mappingOf(text, e.axes);
      for (int64_t p = 0; p < mapping.size(); ++p) {
        int64_t from = source(p);
        bool inside = from >= 0 && from < e.size();
        ASSERT_EQ(sorted(mapping.allAt(p)),
                  inside ? all[from] : std::vector<TensorIndex>())
            << e.axes.str() << "  " << text << " at " << p << ", normal form "
            << mapping.normalStr();
      }
    };
    for (int64_t d : divisors(e.size())) {
      expectAt(e.text + " / " + n(d), [&](int64_t p) { return p * d; });
      expectAt(e.text + " % " + n(d), [&](int64_t p) { return p; });
    }
    int64_t low = pick(0, 4), more = e.size() + low + pick(0, 9);
    expectAt(e.text + " # " + n(more) + " @ " + n(low),
             [&](int64_t p) { return p - low; });
    int64_t keep = pick(1, e.size()), from = pick(0, e.size() - keep);
    expectAt(e.text + " @ " + n(from) + " = " + n(keep),
             [&](int64_t p) { return p + from; });
    std::vector<int64_t> table(pick(1, 9));
    for (int64_t &entry : table)
      entry = pick(0, e.size() - 1);
    llvm::cantFail(e.axes.addTable("u", table));
    expectAt(e.text + " ? u", [&](int64_t p) { return table[p]; });
  }
}

TEST_F(Laws, Identities) {
  SEQUIN_ROW("MAP-22");
  SEQUIN_ROW("ERR-11");
  for (unsigned round = 0; round < 80 && !HasFailure(); ++round) {
    Sample s = sample(round);
    const std::string &e = s.text;
    int64_t size = s.size();
    auto expect = [&](const std::string &left, const std::string &right) {
      expectEqual(left, right, s.axes);
    };
    expect(e + ", 1", e);
    expect("1, " + e, e);
    expect(e + " / 1", e);
    expect(e + " # " + n(size), e);
    expect(e + " = " + n(size), e);
    expect(e + " % " + n(size), e);
    for (int64_t m : divisors(size)) {
      expect(e + " / " + n(m) + ", " + e + " % " + n(m), e);
      expect(e + " % " + n(m), e + " = " + n(m));
      for (int64_t k : divisors(size / m)) {
        expect(e + " / " + n(m) + " / " + n(k), e + " / " + n(m * k));
        expect(e + " % " + n(m * k) + " % " + n(m), e + " % " + n(m));
        expect(e + " % " + n(m * k) + " / " + n(m),
               e + " / " + n(m) + " % " + n(k));
      }
      int64_t count = size / m + pick(0, 3);
      expect(e + " # " + n(count * m) + " / " + n(m),
             e + " / " + n(m) + " # " + n(count));
    }
    int64_t k = pick(0, 3), l = pick(0, 3);
    int64_t more = size + k + pick(0, 5), most = more + l + pick(0, 5);
    expect(e + " # " + n(more) + " # " + n(most), e + " # " + n(most));
    expect(e + " # " + n(more) + " @ " + n(k) + " # " + n(most) + " @ " + n(l),
           e + " # " + n(most) + " @ " + n(k + l));
    expect("[" + e + " # " + n(more) + " @ " + n(k) + "] @ " + n(k) + " = " +
               n(size),
           e);
    int64_t keep = pick(1, size), j = pick(0, size - keep);
    int64_t less = pick(1, keep), i = pick(0, keep - less);
    expect(e + " @ " + n(j) + " = " + n(keep) + " @ " + n(i) + " = " + n(less),
           e + " @ " + n(j + i) + " = " + n(less));
    if (s.mapping.startsAtZero())
      expect(e + " % 1", "1");
    // Lookups compose; the identity table is none.
    std::vector<int64_t> same(size), first(pick(1, 9)), second(pick(1, 9)),
        both;
    std::iota(same.begin(), same.end(), 0);
    for (int64_t &entry : first)
      entry = pick(0, size - 1);
    for (int64_t &entry : second) {
      entry = pick(0, first.size() - 1);
      both.push_back(first[entry]);
    }
    llvm::cantFail(s.axes.addTable("same", same));
    llvm::cantFail(s.axes.addTable("first", first));
    llvm::cantFail(s.axes.addTable("second", second));
    llvm::cantFail(s.axes.addTable("both", both));
    expect(e + " ? same", e);
    expect(e + " ? first ? second", e + " ? both");
  }
}

TEST_F(Laws, Pairs) {
  SEQUIN_ROW("MAP-22");
  SEQUIN_ROW("MAP-05");
  for (unsigned round = 0; round < 30 && !HasFailure(); ++round) {
    Sample s = sample(round);
    AxisSizes other = axesOf("X=3,Y=4");
    ExpressionGenerator::Options options;
    options.lowPad = 10;
    std::string b = "[" + generator->mapping(other, 24, options)->text() + "]";
    AxisSizes axes = *s.axes.unionWith(other);
    const std::string &a = s.text;
    Mapping left = mappingOf(a, axes), right = mappingOf(b, axes);
    Mapping pair = mappingOf(a + ", " + b, axes);
    std::string pairText = "[" + a + ", " + b + "]";
    int64_t minor = right.size();
    for (int64_t p = 0; p < pair.size(); ++p) {
      std::vector<TensorIndex> sums;
      for (const TensorIndex &x : left.allAt(p / minor))
        for (const TensorIndex &y : right.allAt(p % minor)) {
          TensorIndex sum = x; // they name different axes
          sum.append(y);
          sums.push_back(sum);
        }
      ASSERT_EQ(sorted(pair.allAt(p)), sorted(sums)) << pair.str();
    }
    expectEqual("[" + a + ", " + b + "], 3", a + ", [" + b + ", 3]", axes);
    if (right.startsAtZero())
      expectEqual(pairText + " / " + n(minor), a, axes);
    if (left.startsAtZero())
      expectEqual(pairText + " % " + n(minor), b, axes);
    for (int64_t d : divisors(pair.size()))
      expectEqual(pairText + " / " + n(d) + ", " + pairText + " % " + n(d),
                  pairText, axes);
  }
}

TEST_F(Laws, Sliding) {
  SEQUIN_ROW("MAP-20");
  for (unsigned round = 0; round < 20 && !HasFailure(); ++round) {
    Sample s = sample(round);
    AxisSizes axes = *s.axes.unionWith(axesOf("X=4,Y=6,Z=3"));
    const std::string &e = s.text;
    ExpressionGenerator::Options options;
    options.lowPad = 10;
    AxisSizes other = axesOf("X=4,Y=6");
    std::string b = "[" + generator->mapping(other, 30, options)->text() + "]";
    int64_t m = pick(1, 4), k = pick(1, 3), l = pick(1, 4), i = pick(1, 4);
    expectEqual("$(" + e + ":1)", e, axes);
    expectEqual("$(" + e + ":" + n(m) + ", 1:" + n(k) + ")",
                "$(" + e + ":" + n(m) + ")", axes);
    expectEqual("$(" + e + ":" + n(mappingOf(b, axes).size()) + ", " + b +
                    ":1)",
                e + ", " + b, axes);
    expectEqual("$(" + e + ":" + n(m) + ", " + b + ":" + n(l) + ")",
                "$(" + b + ":" + n(l) + ", " + e + ":" + n(m) + ")", axes);
    expectEqual("$($(" + e + ":" + n(m) + ", " + b + ":" + n(l) + "):" + n(k) +
                    ", Z:" + n(i) + ")",
                "$(" + e + ":" + n(m * k) + ", " + b + ":" + n(l * k) +
                    ", Z:" + n(i) + ")",
                axes);
  }
}

/// positionsOf() is the inverse of allAt().
TEST_F(Laws, InverseImages) {
  SEQUIN_ROW("MAP-20");
  for (unsigned round = 0; round < 80 && !HasFailure(); ++round) {
    Sample s = sample(round);
    std::map<TensorIndex, std::vector<int64_t>> expected;
    for (int64_t p = 0; p < s.size(); ++p)
      for (const TensorIndex &index : s.mapping.allAt(p))
        expected[index].push_back(p);
    for (const auto &[index, positions] : expected) {
      auto found = s.mapping.positionsOf(index);
      ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
      ASSERT_EQ(*found, positions) << s.axes.str() << "  " << s.text;
    }
  }
}

bool holdsParts(llvm::ArrayRef<Factor> factors) {
  return llvm::any_of(factors, [](const Factor &f) {
    if (!f.composite)
      return false;
    return f.kind == Factor::Kind::Composite ||
           holdsParts(f.composite->factors) ||
           llvm::any_of(f.composite->sliding, [](const auto &term) {
             return holdsParts(term.factors);
           });
  });
}

/// forEach() visits what at() says, also where it tabulates.
TEST_F(Laws, Walks) {
  for (unsigned round = 0; round < 200 && !HasFailure(); ++round) {
    Sample s = sample(round);
    std::string text = s.text;
    for (int64_t d : divisors(s.size()))
      if (d > 1 && d < s.size() && pick(0, 2) == 0)
        text = s.text + " % " + n(d) + ", 2, " + s.text + " / " + n(d);
    Mapping mapping = mappingOf(text, s.axes);
    int64_t next = 0;
    mapping.forEach([&](int64_t position, int64_t linear) {
      ASSERT_EQ(position, next++);
      auto index = mapping.at(position);
      int64_t expected = -1;
      if (index) {
        expected = 0;
        for (const auto &[name, size] : s.axes.axes()) {
          int64_t coordinate = 0;
          for (const auto &[axis, value] : *index)
            if (axis == name)
              coordinate = value;
          expected = expected * size + coordinate;
        }
      }
      ASSERT_EQ(linear, expected)
          << s.axes.str() << "  " << text << " at " << position;
    });
    ASSERT_EQ(next, mapping.size());
    // The normal form as text is the same mapping, unless it holds parts of
    // groups.
    if (!holdsParts(mapping.factors()))
      expectEqual(mapping.normalStr(), text, s.axes);
    ASSERT_EQ(mappingOf(mapping.str(), s.axes).str(), mapping.str());
  }
}

} // namespace
