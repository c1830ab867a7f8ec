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

/// Everything a mapping can be asked, against all choices of all parts.
void checkAgainstMeanings(const Node *root, const AxisSizes &axes,
                          const Mapping &mapping, ExpressionGenerator &random) {
  std::string text =
      axes.str() + "  " + root->text() + ", normal form " + mapping.normalStr();
  ASSERT_EQ(mapping.size(), root->size) << text;
  MeaningsOf meanings(root, axes);
  std::map<std::map<std::string, int64_t>, std::vector<int64_t>> positions;
  std::vector<int64_t> linear;
  for (int64_t p = 0; p < root->size; ++p) {
    Meanings expected = meanings.at(p), found;
    for (const TensorIndex &index : mapping.allAt(p))
      found.insert(*meaningOf(index));
    ASSERT_EQ(found, expected) << text << " at " << p;
    auto one = mapping.at(p);
    ASSERT_EQ(one.has_value(), !expected.empty()) << text << " at " << p;
    linear.push_back(one ? 0 : -1);
    if (one) {
      ASSERT_EQ(*one, mapping.allAt(p).front()) << text << " at " << p;
      for (const auto &[name, size] : axes.axes()) {
        auto it = llvm::find_if(
            *one, [&](const auto &entry) { return entry.first == name; });
        linear.back() =
            linear.back() * size + (it == one->end() ? 0 : it->second);
      }
    }
    for (const auto &index : expected)
      positions[index].push_back(p);
  }
  mapping.forEach([&](int64_t position, int64_t index) {
    ASSERT_EQ(index, linear[position]) << text << " at " << position;
  });
  for (const auto &[index, where] : positions) {
    if (!random.chance(20))
      continue;
    auto found = mapping.positionsOf(TensorIndex(index.begin(), index.end()));
    ASSERT_TRUE(bool(found)) << text << llvm::toString(found.takeError());
    ASSERT_EQ(*found, where) << text;
  }
  ASSERT_EQ(mappingOf(mapping.str(), axes).str(), mapping.str());
  if (!holdsParts(mapping.factors()))
    ASSERT_TRUE(mappingOf(mapping.normalStr(), axes).isEquivalent(mapping))
        << text;
}

/// 10,000 mappings; SEQUIN_TEST_COUNT asks for another number.
TEST(MappingProperty, WholeLanguageAgreesWithTheMeaning) {
  SEQUIN_ROW("MAP-20");
  SEQUIN_ROW("MAP-14");
  uint64_t seed = testSeed(std::random_device()());
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  ExpressionGenerator generator(seed);
  ExpressionGenerator::Options options;
  options.dropOffsets = true;
  options.nested = 90;
  options.number = 10;
  const char *const tables[] = {
      "A=2,B=2",     "A=3,B=2,C=1",     "A=1,B=4",        "A=4,B=3",
      "A=6",         "A=2,B=2,C=2,D=2", "A=5,B=2",        "A=1,B=1,C=3",
      "A=8,B=2,C=3", "A=4,B=4,B'=B-A",  "A=3,B=4,B'=B+A",
  };
  const char *text = std::getenv("SEQUIN_TEST_COUNT");
  int64_t count = text ? std::strtoll(text, nullptr, 10) : 10000;
  int64_t refused = 0;
  std::map<std::string, int64_t> reasons;
  for (int64_t round = 0; round < count && !HasFailure(); ++round) {
    AxisSizes axes = axesOf(tables[round % std::size(tables)]);
    options.skew = axes.skews().empty() ? 0 : 80;
    options.sliding = round % 3 == 0 ? 0 : 30;
    options.lookup = round % 4 == 0 ? 0 : 8;
    generator.clear();
    AxisSizes base;
    for (const auto &[name, size] : axes.axes())
      base.add(name, size);
    const Node *root = generator.mapping(base, 60, options);
    generator.addTables(axes);
    auto mapping = Mapping::parse(root->text(), axes);
    if (!mapping) {
      // Parts that get into each other's way.
      std::string message = llvm::toString(mapping.takeError());
      bool known = false;
      for (const char *reason : {"shares parts of a group", "may add up to",
                                 "is walked both as", "is skewed by axis"}) {
        known |= message.find(reason) != std::string::npos;
        reasons[reason] += message.find(reason) != std::string::npos;
      }
      ASSERT_TRUE(known) << axes.str() << "  " << root->text() << ": "
                         << message;
      ++refused;
      continue;
    }
    checkAgainstMeanings(root, axes, *mapping, generator);
  }
  std::printf("%lld mappings, %lld refused\n", (long long)count,
              (long long)refused);
  if (std::getenv("SEQUIN_TEST_VERBOSE"))
    for (const auto &[reason, times] : reasons)
      std::printf("  %s: %lld\n", reason.c_str(), (long long)times);
  EXPECT_LT(refused, count / 4);
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
