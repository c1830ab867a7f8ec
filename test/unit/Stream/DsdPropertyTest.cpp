//===- DsdPropertyTest.cpp - Laws of DSDs on random ones ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is compared with plain nested loops over the induction variables
// and an evaluation of the index expressions at each of their values.
//
//===----------------------------------------------------------------------===//

#include "DsdTestSupport.h"
#include "StreamTestSupport.h"
#include "llvm/ADT/STLExtras.h"

using namespace sequin;
using namespace sequin::testing;

using Numbers = std::vector<int64_t>;

namespace {

class Random {
public:
  explicit Random(uint64_t fallback) : seed(testSeed(fallback)), engine(seed) {
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  }
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }

private:
  uint64_t seed;
  std::mt19937_64 engine;
};

/// Calls `body` with every value of the loop variables, the last one fastest.
template <typename Body> void forEachValue(const Numbers &extents, Body body) {
  Numbers values(extents.size(), 0);
  if (llvm::is_contained(extents, 0))
    return;
  while (true) {
    body(values);
    size_t d = extents.size();
    while (d > 0 && values[d - 1] == extents[d - 1] - 1)
      values[--d] = 0;
    if (d == 0)
      return;
    ++values[d - 1];
  }
}

/// Loops whose number of iterations stays small, extents of 0 and 1 included.
Numbers randomExtents(Random &random, size_t count) {
  Numbers extents;
  int64_t product = 1;
  for (size_t d = 0; d < count; ++d) {
    extents.push_back(random.pick(random.pick(0, 9) == 0 ? 0 : 1, 7));
    product *= std::max<int64_t>(extents.back(), 1);
    if (product > 2000)
      extents.back() = 1;
  }
  return extents;
}

/// An index expression as text, with its value at given loop variables.
struct RandomIndex {
  std::string text;
  std::function<int64_t(const Numbers &)> value;
  bool constant = true;
};

RandomIndex randomIndex(Random &random, size_t variables, int depth) {
  RandomIndex result;
  int64_t choice = random.pick(0, depth > 0 ? 6 : 1);
  if (choice == 0) {
    int64_t number = random.pick(0, 12);
    result.text = std::to_string(number);
    result.value = [number](const Numbers &) { return number; };
    return result;
  }
  if (choice == 1) {
    size_t v = random.pick(0, variables - 1);
    result.text = "v" + std::to_string(v);
    result.value = [v](const Numbers &values) { return values[v]; };
    result.constant = false;
    return result;
  }
  RandomIndex left = randomIndex(random, variables, depth - 1);
  if (choice == 2) {
    result = left;
    result.text = "-(" + left.text + ")";
    result.value = [left](const Numbers &v) { return -left.value(v); };
    return result;
  }
  RandomIndex right = randomIndex(random, variables, depth - 1);
  result.constant = left.constant && right.constant;
  if (choice == 3 && (left.constant || right.constant)) {
    result.text = "(" + left.text + ")*(" + right.text + ")";
    result.value = [=](const Numbers &v) {
      return left.value(v) * right.value(v);
    };
  } else if (choice == 4) {
    result.text = left.text + " - (" + right.text + ")";
    result.value = [=](const Numbers &v) {
      return left.value(v) - right.value(v);
    };
  } else {
    result.text = left.text + "+" + right.text;
    result.value = [=](const Numbers &v) {
      return left.value(v) + right.value(v);
    };
  }
  return result;
}

MemDsd randomDsd(Random &random) {
  MemDsd dsd;
  dsd.kind = DsdKind::Mem4d;
  dsd.offset = random.pick(-50, 50);
  for (int64_t extent : randomExtents(random, random.pick(1, 6))) {
    // Equal neighbours are what simplify() is about.
    int64_t stride = dsd.dimensions.empty() || random.pick(0, 1)
                         ? random.pick(-9, 9)
                         : dsd.dimensions.back().stride;
    dsd.dimensions.push_back({.extent = extent, .stride = stride});
  }
  return dsd;
}

/// The fewest loops that give `visits`: every ordered factorisation of their
/// number is tried, the strides being those the visits dictate.
size_t fewestLoops(const Numbers &visits, MemDsd &prefix, int64_t product) {
  int64_t count = static_cast<int64_t>(visits.size());
  if (product == count)
    return prefix.visits() == visits ? prefix.dimensions.size() : SIZE_MAX;
  size_t fewest = SIZE_MAX;
  for (int64_t extent = 2; product * extent <= count; ++extent) {
    if (count % (product * extent) != 0)
      continue;
    prefix.dimensions.push_back(
        {.extent = extent, .stride = visits[product] - visits[product - 1]});
    fewest = std::min(fewest, fewestLoops(visits, prefix, product * extent));
    prefix.dimensions.pop_back();
  }
  return fewest;
}

} // namespace

TEST(DsdProperty, AccessesVisitWhatTheirLoopsName) {
  Random random(51);
  for (int round = 0; round < 20000; ++round) {
    size_t variables = random.pick(1, 5), rank = random.pick(1, 4);
    Numbers extents = randomExtents(random, variables), shape;
    std::vector<RandomIndex> indices;
    std::string names, lengths, list;
    for (size_t v = 0; v < variables; ++v) {
      names += (v ? "," : "") + ("v" + std::to_string(v));
      lengths += (v ? "," : "") + std::to_string(extents[v]);
    }
    for (size_t d = 0; d < rank; ++d) {
      shape.push_back(random.pick(1, 9));
      indices.push_back(randomIndex(random, variables, random.pick(0, 3)));
      list += (d ? ", " : "") + indices.back().text;
    }
    std::string text = "|" + names + "|{" + lengths + "} -> A[" + list + "]";
    SCOPED_TRACE(text);

    Numbers expected;
    forEachValue(extents, [&](const Numbers &values) {
      int64_t address = 0;
      for (size_t d = 0; d < rank; ++d)
        address = address * shape[d] + indices[d].value(values);
      expected.push_back(address);
    });
    auto access = valueOf(TensorAccess::parse(text));
    MemDsd dsd = valueOf(access.lower(shape));
    ASSERT_EQ(dsd.visits(), expected);
    ASSERT_EQ(dsd.visitCount(), static_cast<int64_t>(expected.size()));
    ASSERT_EQ(dsd.kind, variables == 1 ? DsdKind::Mem1d : DsdKind::Mem4d);

    auto range = valueOf(dsd.range());
    ASSERT_EQ(range.has_value(), !expected.empty());
    if (range) {
      ASSERT_EQ(range->lowest, *llvm::min_element(expected));
      ASSERT_EQ(range->highest, *llvm::max_element(expected));
    }
    // The canonical text is the same access.
    ASSERT_EQ(valueOf(TensorAccess::parse(access.str())).indices,
              access.indices);
  }
  SEQUIN_ROW("DSD-016");
  SEQUIN_ROW("DSD-018");
  SEQUIN_ROW("DSD-029");
  SEQUIN_ROW("DSD-030");
}

TEST(DsdProperty, AbsoluteStridesAreCoefficients) {
  Random random(52);
  for (int round = 0; round < 20000; ++round) {
    MemDsd dsd = randomDsd(random);
    SCOPED_TRACE(dsd.str());
    Numbers absolute = numbersOf(dsd.absolute());
    Numbers inner, stored, outer;
    for (const DsdDimension &dimension : dsd.dimensions) {
      inner.push_back(dimension.extent);
      stored.push_back(dimension.stride);
    }
    outer.assign(inner.rbegin(), inner.rend());
    Numbers expected;
    forEachValue(outer, [&](const Numbers &values) {
      int64_t address = dsd.offset;
      for (size_t d = 0; d < values.size(); ++d)
        address += absolute[d] * values[values.size() - 1 - d];
      expected.push_back(address);
    });
    ASSERT_EQ(dsd.visits(), expected);
    ASSERT_EQ(numbersOf(carryAdjusted(absolute, inner)), stored);
    ASSERT_EQ(numbersOf(absoluteStrides(valueOf(carryAdjusted(stored, inner)),
                                        inner)),
              stored);
    // CSL's tuples and a one-dimensional access say the same.
    ASSERT_EQ(dsdOf(dsd.kind, dsd.offset, stored, outer), dsd);
    auto access = valueOf(toTensorAccess(dsd, "A"));
    ASSERT_EQ(valueOf(access.lower({1}, dsd.kind)), dsd);
    auto again = valueOf(TensorAccess::parse(access.str()));
    ASSERT_EQ(valueOf(again.lower({1}, dsd.kind)), dsd);
  }
  SEQUIN_ROW("DSD-029");
}

TEST(DsdProperty, SimplifyKeepsVisitsAndLimits) {
  const DsdLimits &limits = lookupCslMachine("wse3")->dsd;
  Random random(53);
  int merged = 0;
  for (int round = 0; round < 20000; ++round) {
    MemDsd dsd = randomDsd(random);
    SCOPED_TRACE(dsd.str());
    MemDsd simple = simplify(dsd, limits);
    Numbers visits = dsd.visits();
    ASSERT_EQ(simple.visits(), visits) << simple.str();
    ASSERT_EQ(simplify(simple, limits), simple);
    merged += simple.dimensions.size() < dsd.dimensions.size();
    if (simple.dimensions.size() <= limits.mem4dDimensions)
      ASSERT_FALSE(check(simple, limits));
    if (visits.size() > 1 && visits.size() <= 200) {
      MemDsd prefix;
      prefix.offset = visits[0];
      ASSERT_EQ(simple.dimensions.size(), fewestLoops(visits, prefix, 1));
    }
  }
  EXPECT_GT(merged, 5000);

  // With a narrow extent, merging stops there and visits still agree.
  DsdLimits narrow = limits;
  narrow.extentBits = 4;
  for (int round = 0; round < 5000; ++round) {
    MemDsd dsd = randomDsd(random);
    MemDsd simple = simplify(dsd, narrow);
    ASSERT_EQ(simple.visits(), dsd.visits()) << dsd.str();
    for (const DsdDimension &dimension : simple.dimensions)
      ASSERT_LE(dimension.extent, 15) << dsd.str();
  }
}

TEST(DsdProperty, AnyTextIsAnAccessOrOneError) {
  Random random(54);
  const char *const pieces[] = {
      "|",           "i",  "j",    ",", "{",
      "}",           "->", "A",    "[", "]",
      "+",           "-",  "*",    "/", "%",
      "(",           ")",  "0",    "7", "_",
      " ",           "0x", "\xff", "?", "9223372036854775807",
      "i|{4} -> A[i"};
  std::string valid = "|i, j|{5, 4 * 2} -> A[i + j, -(2 * j + 3), 0x1F]";
  int accepted = 0;
  for (int round = 0; round < 40000; ++round) {
    std::string text;
    if (round % 2) {
      for (int64_t n = random.pick(0, 20); n > 0; --n)
        text += pieces[random.pick(0, std::size(pieces) - 1)];
    } else {
      text = valid;
      for (int64_t n = random.pick(1, 3); n > 0; --n) {
        size_t at = random.pick(0, text.size() - 1);
        std::string piece = pieces[random.pick(0, std::size(pieces) - 1)];
        text.replace(at, random.pick(0, 2), piece);
      }
    }
    auto access = TensorAccess::parse(text);
    if (access) {
      ++accepted;
      ASSERT_EQ(access->variables.size(), access->extents.size()) << text;
      // Any lowering is a DSD or an error as well.
      Numbers shape(access->indices.size(), 1000);
      llvm::consumeError(access->lower(shape).takeError());
      continue;
    }
    std::string message = llvm::toString(access.takeError());
    ASSERT_EQ(message.rfind("column ", 0), 0u) << text;
    ASSERT_EQ(message.find('\n'), std::string::npos) << text;
  }
  EXPECT_GT(accepted, 400);
}
