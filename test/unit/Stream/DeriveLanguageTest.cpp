//===- DeriveLanguageTest.cpp - Loops of sliding, tables, skews -----------===//
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

const int64_t accessSizes[] = {1, 2, 4, 8, 16, 32};

std::string derived(llvm::StringRef buffer, llvm::StringRef time,
                    llvm::StringRef packet, const AxisSizes &axes,
                    Direction direction = Direction::Read) {
  DeriveOptions options;
  options.direction = direction;
  options.limits = {8, 65536, accessSizes};
  auto result = derive(AddressMap(mappingOf(buffer, axes)),
                       mappingOf(time, axes), mappingOf(packet, axes), options);
  return result ? result->sequencer.str() : llvm::toString(result.takeError());
}

std::string derived(llvm::StringRef buffer, llvm::StringRef time,
                    llvm::StringRef packet, llvm::StringRef axes,
                    Direction direction = Direction::Read) {
  return derived(buffer, time, packet, axesOf(axes), direction);
}

/// The unit stride of the outer part of a buffer in two parts.
constexpr int64_t outerStride = 1000;

std::string copied(const AddressMap &from, const AddressMap &to) {
  auto pair = derivePair(from, to);
  if (!pair)
    return llvm::toString(pair.takeError());
  std::string result;
  for (const PairedSequencer::Entry &entry : pair->entries)
    result += (result.empty() ? "" : ", ") + std::to_string(entry.size) + ":" +
              std::to_string(entry.sourceStride) + "/" +
              std::to_string(entry.destinationStride);
  return result;
}

std::string copied(llvm::StringRef from, llvm::StringRef to,
                   const AxisSizes &axes) {
  return copied(AddressMap(mappingOf(from, axes)),
                AddressMap(mappingOf(to, axes)));
}

AxisSizes withTable(llvm::StringRef axes, llvm::StringRef table) {
  AxisSizes result = axesOf(axes);
  llvm::cantFail(result.parseTable(table));
  return result;
}

//===----------------------------------------------------------------------===//
// Groups across time and packet
//===----------------------------------------------------------------------===//

/// What a group of the stream holds at all its positions is a part of what is
/// written, also where the buffer does not name it.
TEST(DeriveGroups, WritesOfConstantsInAGroup) {
  auto written = [](const char *buffer, const char *group, const char *by,
                    const char *axes) {
    return derived(buffer, std::string(group) + " / " + by,
                   std::string(group) + " % " + by, axes, Direction::Write);
  };
  // Index 1 of B is not where the buffer holds index 0.
  EXPECT_EQ(written("A", "[B @ 1 = 1, A]", "4", "A=8,B=2"),
            "write leaves the tensor: 'B @ 1 = 1' of the stream's '[B @ 1 = 1, "
            "A] % 4' does not begin at index 0, and the buffer 'A' does not "
            "hold it");
  EXPECT_EQ(written("A", "[B = 1, A]", "4", "A=8,B=2"), "[2:4, 4:1]:4");
  // Padding alone.
  EXPECT_EQ(written("A", "[C # 4 @ 2 = 1, A]", "2", "A=36,C=1"),
            "the stream's '[1 # 2 @ 1 = 1, A] % 2' holds no data to write");
}

/// The lanes that are kept are the first, also where they are padding.
TEST(DeriveGroups, WritesOfLeadingPadding) {
  EXPECT_EQ(
      derived("A % 3", "1", "A % 9 / 3, A / 9 # 7 @ 1, A % 3", "A=36",
              Direction::Write),
      "write of padding: the buffer 'A % 3' has room for the first 1 of 7 "
      "lanes of 'A / 9 # 7 @ 1' only, which hold no data");
  EXPECT_EQ(derived("A % 3", "1", "A / 9, A % 9 / 3, A % 3", "A=36",
                    Direction::Write),
            "[3:1]:3");
}

//===----------------------------------------------------------------------===//
// Sliding combinations
//===----------------------------------------------------------------------===//

TEST(DeriveSliding, TermsShareAddresses) {
  // Windows of four columns, every second one.
  EXPECT_EQ(derived("$(W:2, F:1)", "W", "F", "W=15,F=4"), "[15:2, 4:1]:4");
  EXPECT_EQ(derived("$(W:2, F:1)", "F / 2, W", "F % 2", "W=15,F=4"),
            "[2:2, 15:2, 2:1]:2");
  // Dilated.
  EXPECT_EQ(derived("$(W:1, F:2)", "F", "W", "W=27,F=3"), "[3:2, 27:1]:27");
  // With rows around and channels inside.
  EXPECT_EQ(derived("$(H:1, R:1), $(W:2, F:1), C", "R, F, H, W", "C",
                    "H=5,R=3,W=4,F=2,C=8"),
            "[3:64, 2:8, 5:64, 4:16, 8:1]:8");
  // Far more positions than a search looks at.
  EXPECT_EQ(derived("$(W:3, F:1) # 40000000, C", "F, W # 16777216", "C",
                    "W=10000001,F=5,C=64"),
            "[5:64, 256:12582912, 65536:192, 64:1]:64");
  EXPECT_EQ(derived("$(W:3, F:1), C", "F, W / 1000, W % 1000", "C",
                    "W=10000000,F=5,C=64"),
            "[5:64, 10000:192000, 1000:192, 64:1]:64");
}

TEST(DeriveSliding, WholeOnBothSides) {
  EXPECT_EQ(derived("$(W:2, F:1) # 40", "1", "$(W:2, F:1)", "W=15,F=4"),
            "[32:1]:32");
  EXPECT_EQ(derived("C, $(W:2, F:1)", "$(W:2, F:1) / 4, C", "$(W:2, F:1) % 4",
                    "W=15,F=4,C=3"),
            "[8:4, 3:32, 4:1]:4");
  EXPECT_EQ(derived("W, F", "1", "$(W:2, F:1)", "W=15,F=4"),
            "the stream's '$(W:2, F:1)' may hold several indices at one "
            "position, and the buffer 'W, F' does not hold it as it stands");
  // Each position holds one index or none.
  EXPECT_EQ(derived("W, F", "$(W:4, F:1) # 20 / 4", "$(W:4, F:1) # 20 % 4",
                    "W=5,F=3"),
            "[5:3, 4:1]:4");
}

TEST(DeriveSliding, Offsets) {
  // Padding below, around the combination and inside of it.
  EXPECT_EQ(derived("$(W:2, F:1) # 40 @ 3", "W", "F", "W=15,F=4"),
            "[15:2, 4:1]:4 @ 3");
  EXPECT_EQ(derived("$(W # 20 @ 2:2, F:1)", "W", "F", "W=15,F=4"),
            "[15:2, 4:1]:4 @ 4");
  EXPECT_EQ(derived("$(W @ 3 = 9:2, F:1)", "W @ 5 = 4", "F", "W=15,F=4"),
            "[4:2, 4:1]:4 @ 4");
  EXPECT_EQ(derived("$(W @ 3 = 9:2, F:1)", "W = 4", "F", "W=15,F=4"),
            "insufficient input: the stream walks 'W = 4' but the buffer holds "
            "only '$(W @ 3 = 9:2, F:1)' of W");
}

TEST(DeriveSliding, Writes) {
  auto write = [](const char *buffer, const char *time, const char *packet) {
    return derived(buffer, time, packet, "W=15,F=4", Direction::Write);
  };
  EXPECT_EQ(write("$(W:2, F:1)", "W", "F"),
            "write broadcast: '$(W:2, F:1)' of the buffer holds several "
            "indices in one cell, and the stream walks 'F' alone, so it would "
            "write one cell several times");
  EXPECT_EQ(write("$(W:2, F:1)", "1", "$(W:2, F:1)"), "[32:1]:32");
  EXPECT_EQ(write("$(W:2, F:1) # 64", "$(W:2, F:1) / 8", "$(W:2, F:1) % 8"),
            "[4:8, 8:1]:8");
  // Cells of one index each, with gaps that are not written.
  EXPECT_EQ(write("$(W:6, F:1)", "W", "F"), "[15:6, 4:1]:4");
  EXPECT_EQ(write("$(W:6, F:1)", "W", "F = 3").substr(0, 27),
            "write does not fill the buf");
}

TEST(DeriveSliding, CutCombinationsAreWalkedAsTheyStand) {
  EXPECT_EQ(derived("$(W:2, F:1) # 2000004 / 4", "W", "1", "W=1000000,F=4"),
            "incompatible shapes: the stream walks 'W' and the buffer holds W "
            "inside '$(W:2, F:1) # 2000004 / 4'; '$(W:2, F:1) # 2000004 / 4' "
            "is not affine: only a whole sliding combination is a sum of "
            "loops");
  EXPECT_EQ(derived("$(W:2, F:1) # 2000004 / 4", "1",
                    "$(W:2, F:1) # 2000004 / 4", "W=1000000,F=4"),
            "entry '$(W:2, F:1) # 2000004 / 4' has size 500001, at most 65536 "
            "are allowed, and no divisor to split it by");
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

TEST(DeriveTables, AsTheyStandOrBySearch) {
  AxisSizes axes = withTable("A=10,B=4", "t=3,1,4,1");
  EXPECT_EQ(derived("A ? t, B", "B", "A ? t", axes), "[4:1, 4:4]:4");
  EXPECT_EQ(derived("A, B", "B", "A ? t", axes),
            "the stream's 'A ? t' takes its indices from a table, and the "
            "buffer 'A, B' does not hold it as it stands");
  EXPECT_EQ(derived("A ? t, B", "B", "A = 4", axes),
            "incompatible shapes: the stream walks 'A = 4' and the buffer "
            "holds A inside 'A ? t'; 'A ? t' is not affine: a table has no "
            "strides");
  // Index 1 is held twice, so the first position counts.
  EXPECT_EQ(derived("A ? t, B", "B", "A @ 3 = 2", axes), "[4:1, 2:8]:2");
  // The buffer does not hold B there.
  EXPECT_EQ(derived("A", "B", "A ? t / 2", axes), "[4:0, 2:1]:2 @ 3");
}

TEST(DeriveTables, NegativeStrides) {
  AxisSizes axes = withTable("A=8,B=4", "t=7,6,5,4,3,2,1,0");
  EXPECT_EQ(derived("A, B", "A ? t", "B", axes), "[8:-4, 4:1]:4 @ 28");
  EXPECT_EQ(derived("A ? t, B", "A", "B", axes), "[8:-4, 4:1]:4 @ 28");
  EXPECT_EQ(derived("A, B", "A ? t", "B", axes, Direction::Write),
            "[8:-4, 4:1]:4 @ 28");
}

//===----------------------------------------------------------------------===//
// Skewed axes
//===----------------------------------------------------------------------===//

TEST(DeriveSkews, SameUseOnBothSides) {
  const char *axes = "A=4,B=4,B'=B-A";
  EXPECT_EQ(derived("A, B'", "B'", "A", axes), "[4:1, 4:4]:4");
  EXPECT_EQ(derived("A, B'", "B'", "A", axes, Direction::Write),
            "[4:1, 4:4]:4");
  // A diagonal of the plain buffer.
  EXPECT_EQ(derived("A, B", "A", "B' = 1", axes), "[4:5]:1");
  EXPECT_EQ(derived("A, B", "A = 2", "B' = 3", axes), "[2:5, 3:1]:3");
  EXPECT_EQ(derived("A, B", "A", "B'", axes),
            "incompatible shapes of the buffer 'A, B' and the stream: axis 'B' "
            "is walked as 'B'' in one mapping and not so in another");
  // Index 0 of B is no row of the skewed buffer.
  EXPECT_EQ(derived("A, B'", "A", "1", axes),
            "incompatible shapes: the buffer 'A, B'' walks B', a skewed axis, "
            "and the stream does not");
  EXPECT_EQ(derived("A", "A", "B' = 1", axes, Direction::Write),
            "write leaves the tensor: the stream's 'B' = 1' does not begin at "
            "index 0, and the buffer 'A' does not hold it");
  EXPECT_EQ(derived("A, B", "B", "B'", axes),
            "time 'B' and packet 'B'' are no stream: in 'B, B'': axis 'B' is "
            "walked both as 'B'' and as 'B'");
}

//===----------------------------------------------------------------------===//
// Groups that do not begin at index 0
//===----------------------------------------------------------------------===//

TEST(DeriveGroups, TimeAndPacketAreOneMapping) {
  // The offset counts once.
  EXPECT_EQ(derived("B", "[B @ 4 = 8] / 4", "[B @ 4 = 8] % 4", "B=16"),
            "[2:4, 4:1]:4 @ 4");
  EXPECT_EQ(derived("B", "[B @ 4 = 8] / 4", "1", "B=16"), "[2:4]:1 @ 4");
  EXPECT_EQ(derived("B", "1", "[B @ 4 = 8] % 4", "B=16"), "[4:1]:4 @ 4");
  EXPECT_EQ(derived("B", "[B # 16 @ 4] / 4", "[B # 16 @ 4] % 4", "B=8"),
            "[4:4, 4:1]:4 @ -4");
}

/// What the positions of the parts of a mapping hold, by address.
class Cells {
public:
  Cells(const Node *root, size_t outerParts, const AxisSizes &axes)
      : inner(1), of(root, axes) {
    for (size_t i = outerParts; i < root->parts.size(); ++i)
      inner *= root->parts[i]->size;
    for (int64_t p = 0; p < root->size; ++p) {
      contents.push_back(of.at(p));
      for (const auto &index : contents.back())
        for (const auto &[axis, value] : index)
          held.insert(axis);
    }
  }
  int64_t addressOf(int64_t position) const {
    return position / inner * outerStride + position % inner;
  }
  /// Null outside.
  const Meanings *at(int64_t address) const {
    int64_t position = address / outerStride * inner + address % outerStride;
    if (address < 0 || address % outerStride >= inner ||
        position >= static_cast<int64_t>(contents.size()))
      return nullptr;
    return &contents[position];
  }
  bool reads(int64_t address, const Meanings &asked) const {
    const Meanings *cell = at(address);
    for (auto index : asked) {
      for (auto it = index.begin(); it != index.end();)
        it = held.count(it->first) ? std::next(it) : index.erase(it);
      if (!cell || !cell->count(index))
        return false;
    }
    return true;
  }
  AddressMap map(const Node *root, size_t outerParts,
                 const AxisSizes &axes) const {
    AddressMap result;
    auto text = [&](size_t begin, size_t end) {
      std::string list;
      for (; begin < end; ++begin) {
        const Node *part = root->parts[begin];
        list += (list.empty() ? "" : ", ") + (part->kind == Node::Group
                                                  ? "[" + part->text() + "]"
                                                  : part->text());
      }
      return list.empty() ? "1" : list;
    };
    result.append(mappingOf(text(0, outerParts), axes), outerStride);
    result.append(mappingOf(text(outerParts, root->parts.size()), axes), 1);
    return result;
  }

  int64_t inner;
  std::vector<Meanings> contents;

private:
  MeaningsOf of;
  std::set<std::string> held;
};

class RandomLanguage {
public:
  RandomLanguage(uint64_t seed) : generator(seed) {
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  }

  /// Two mappings over the same axes; false if they are no mappings.
  bool draw() {
    const char *const tables[] = {"A=6,B=6", "A=4,B=4,C=3", "A=8,B=12",
                                  "A=7,B=5", "A=1,B=24",    "A=12,B=2,C=2"};
    generator.clear();
    axes = axesOf(tables[generator.pick(0, std::size(tables) - 1)]);
    AxisSizes plain = axes;
    ExpressionGenerator::Options options;
    options.drop = 3;
    options.view = options.lowPad = 10;
    options.number = 0;
    options.sliding = 30;
    options.lookup = 4;
    if (generator.chance(30)) {
      options.skew = 50;
      llvm::cantFail(axes.addSkew({"B'", "B", "A", false}));
    }
    first = generator.mapping(plain, 150, options);
    if (generator.chance(50)) {
      second = generator.rearranged(first, options);
    } else {
      options.sliding = options.lookup = 0;
      second = generator.mapping(plain, 300, options);
    }
    generator.addTables(axes);
    firstOuter = generator.pick(0, first->parts.size());
    secondOuter = generator.pick(0, second->parts.size());
    // The whole and what it is cut into: a sliding combination that is refused
    // by itself may be a mapping with what stands beside it.
    auto isMapping = [&](const std::string &text) {
      auto mapping = Mapping::parse(text.empty() ? "1" : text, axes);
      if (!mapping)
        llvm::consumeError(mapping.takeError());
      return static_cast<bool>(mapping);
    };
    for (auto [root, outer] :
         {std::pair(first, firstOuter), std::pair(second, secondOuter)}) {
      auto begin = root->parts.begin(), cut = begin + outer;
      if (!isMapping(root->text()) ||
          !isMapping(generator.group({begin, cut})->text()) ||
          !isMapping(generator.group({cut, root->parts.end()})->text()))
        return false;
    }
    return second->size <= 400;
  }

  std::string shown() const {
    std::string text = axes.str() + " '" + first->text() + "' cut at " +
                       std::to_string(firstOuter) + ", '" + second->text() +
                       "' cut at " + std::to_string(secondOuter);
    for (const AxisSizes::Table &table : axes.tables()) {
      text += " " + table.name + "=";
      for (int64_t value : *table.values)
        text += std::to_string(value) + ",";
    }
    return text;
  }

  ExpressionGenerator generator;
  AxisSizes axes;
  const Node *first = nullptr, *second = nullptr;
  size_t firstOuter = 0, secondOuter = 0;
};

/// The buffer in two parts with a distance between them, as DM tensors are.
TEST(DeriveGroups, BuffersInPartsAgainstBruteForce) {
  RandomLanguage random(testSeed(std::random_device{}()));
  int reads = 0, writes = 0;
  for (int round = 0; round < 20000; ++round) {
    if (!random.draw())
      continue;
    Cells cells(random.first, random.firstOuter, random.axes);
    const auto &parts = random.second->parts;
    auto text = [&](size_t begin, size_t end) {
      std::string result =
          random.generator.group({parts.begin() + begin, parts.begin() + end})
              ->text();
      return result.empty() ? "1" : result;
    };
    std::string packetText = text(random.secondOuter, parts.size());
    Mapping time = mappingOf(text(0, random.secondOuter), random.axes);
    Mapping packet = mappingOf(packetText, random.axes);
    DeriveOptions options;
    options.direction = round % 3 == 2 ? Direction::Write : Direction::Read;
    options.limits = {64, 65536, accessSizes};
    options.minimal = round % 5 == 0;
    auto result =
        derive(cells.map(random.first, random.firstOuter, random.axes), time,
               packet, options);
    if (!result) {
      llvm::consumeError(result.takeError());
      continue;
    }
    auto visits = result->sequencer.visits();
    MeaningsOf stream(random.second, random.axes);
    if (options.direction == Direction::Read) {
      ++reads;
      ASSERT_EQ(static_cast<int64_t>(visits.size()), random.second->size);
      for (int64_t p = 0; p < random.second->size; ++p)
        if (Meanings asked = stream.at(p); !asked.empty())
          ASSERT_TRUE(cells.reads(visits[p], asked))
              << random.shown() << " at " << p << " of "
              << result->sequencer.str();
      continue;
    }
    ++writes;
    std::set<int64_t> seen;
    int64_t lanes = result->initial.packetElements;
    for (size_t v = 0; v < visits.size(); ++v) {
      const Meanings *cell = cells.at(visits[v]);
      ASSERT_TRUE(cell && seen.insert(visits[v]).second)
          << random.shown() << " to " << visits[v];
      int64_t position = static_cast<int64_t>(v) / lanes * packet.size() +
                         static_cast<int64_t>(v) % lanes;
      ASSERT_TRUE(cell->empty() || *cell == stream.at(position))
          << random.shown() << " at " << position << " of "
          << result->sequencer.str();
    }
    for (size_t p = 0; p < cells.contents.size(); ++p)
      ASSERT_TRUE(cells.contents[p].empty() || seen.count(cells.addressOf(p)))
          << random.shown() << ": never writes " << p;
  }
  std::printf("%d reads, %d writes\n", reads, writes);
  EXPECT_GT(reads, 1000);
  EXPECT_GT(writes, 200);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TEST(DerivePair, AllOfTheLanguage) {
  AxisSizes axes = withTable("W=15,F=4,A=10", "t=3,1,4,1");
  llvm::cantFail(axes.addSkew({"F'", "F", "W", false}));
  // Windows are laid out one by one, from rows that share their elements.
  EXPECT_EQ(copied("$(W:2, F:1)", "W, F", axes), "15:2/4, 4:1/1");
  EXPECT_EQ(copied("$(W:2, F:1), A", "A, $(W:2, F:1)", axes),
            "10:1/32, 32:10/1");
  EXPECT_EQ(copied("W, F", "$(W:6, F:1)", axes), "15:4/6, 4:1/1");
  EXPECT_EQ(copied("W, F", "$(W:2, F:1)", axes),
            "the stream's '$(W:2, F:1)' may hold several indices at one "
            "position, and the buffer 'W, F' does not hold it as it stands");
  EXPECT_EQ(copied("A ? t, F", "F, A ? t", axes), "4:1/4, 4:4/1");
  EXPECT_EQ(copied("A, F", "F, A ? t", axes),
            "the stream's 'A ? t' takes its indices from a table, and the "
            "buffer 'A, F' does not hold it as it stands");
  EXPECT_EQ(copied("W, F'", "F', W", axes), "4:1/15, 15:4/1");
  EXPECT_EQ(copied("W, F", "F', W", axes),
            "incompatible shapes of the source 'W, F' and the destination "
            "'F', W': axis 'F' is walked as 'F'' in one mapping and not so in "
            "another");
}

/// Digits of an axis with padding below are digits of the axis, where the
/// outermost steps over a divisor of the padding.
TEST(DerivePair, DigitsAbovePadding) {
  AxisSizes axes = axesOf("A=16,B=8");
  // 4 of 20 positions are padding: one step of A # 20 @ 4 / 4, of which there
  // are 5.
  EXPECT_EQ(copied("A # 20 @ 4 % 4, A # 20 @ 4 / 4", "A", axes),
            "4:1/4, 4:5/1");
  EXPECT_EQ(copied("A", "A # 20 @ 4 % 4, A # 20 @ 4 / 4", axes),
            "4:1/5, 4:4/1");
  EXPECT_EQ(copied("A", "A # 24 @ 4 % 2, B, A # 24 @ 4 / 2 % 2, A # 24 @ 4 / 4",
                   axesOf("A=16,B=1")),
            "2:1/12, 2:2/6, 4:4/1");
  auto firstOf = [&](const char *from, const char *to) {
    auto pair = derivePair(AddressMap(mappingOf(from, axes)),
                           AddressMap(mappingOf(to, axes)));
    return pair ? std::to_string(pair->sourceBase) + "/" +
                      std::to_string(pair->destinationBase)
                : llvm::toString(pair.takeError());
  };
  EXPECT_EQ(firstOf("A # 20 @ 4 % 4, A # 20 @ 4 / 4", "A"), "1/0");
  EXPECT_EQ(firstOf("A", "A # 20 @ 4 % 4, A # 20 @ 4 / 4"), "0/1");
  // Both sides, with other digits.
  EXPECT_EQ(copied("A # 20 @ 4 % 4, A # 20 @ 4 / 4",
                   "A # 24 @ 8 % 2, A # 24 @ 8 / 2", axes),
            "2:5/12, 4:1/2, 2:10/1");
  // Where it does not divide, a step would begin inside the padding.
  EXPECT_EQ(copied("A # 20 @ 2 % 4, A # 20 @ 2 / 4", "A", axes),
            "incompatible shapes: the buffer holds A as 'A # 20 @ 2 % 4, "
            "A # 20 @ 2 / 4' and the stream walks it as 'A', which have no "
            "common refinement: the 2 positions of padding below are no "
            "multiple of the 4 that the outermost part steps");
  EXPECT_EQ(copied("A", "A # 20 @ 2 % 4, A # 20 @ 2 / 4", axes),
            "write leaves the tensor: 'A # 20 @ 2' starts 2 positions before "
            "the data, the buffer 'A' has 0 positions of padding there");
  // A third part of the same positions, inside a group, adds to them.
  EXPECT_EQ(copied("B, A",
                   "B # 4 @ 1 / 2 # 4 % 2, B # 4 @ 1 % 2, "
                   "[A % 3, B # 4 @ 1 / 2 # 4 / 2] @ 3 = 3",
                   axesOf("A=12,B=2")),
            "write leaves the tensor: 'B # 4 @ 1' starts 1 positions before "
            "the data, the buffer 'B, A' has 0 positions of padding there");
  // An offset is that of all digits.
  EXPECT_EQ(copied("A @ 2 = 6 % 2, A @ 2 = 6 / 2", "A @ 2 = 6", axes),
            "3:1/2, 2:3/1");
  EXPECT_EQ(copied("A @ 2 = 6", "A @ 2 = 6 % 2, A @ 2 = 6 / 2", axes),
            "2:1/3, 3:2/1");
  EXPECT_EQ(copied("A % 8, A / 8", "A @ 2 = 6 % 2, A @ 2 = 6 / 2", axes),
            "2:2/3, 3:4/1");
  EXPECT_EQ(firstOf("A % 8, A / 8", "A @ 2 = 6 % 2, A @ 2 = 6 / 2"), "4/0");
  EXPECT_EQ(copied("A @ 2 = 6 # 10 @ 4 % 2, A @ 2 = 6 # 10 @ 4 / 2",
                   "A @ 4 = 2", axes),
            "2:5/1");
  EXPECT_EQ(
      firstOf("A @ 2 = 6 # 10 @ 4 % 2, A @ 2 = 6 # 10 @ 4 / 2", "A @ 4 = 2"),
      "3/0");
  EXPECT_EQ(copied("A @ 2 = 6 % 2, A @ 2 = 6 / 2", "A = 6", axes).substr(0, 18),
            "insufficient input");
  // Data that ends inside a step has no whole number of them.
  EXPECT_EQ(copied("A = 7 # 12 @ 4 % 4, A = 7 # 12 @ 4 / 4", "A = 7", axes)
                .substr(0, 19),
            "incompatible shapes");
}

TEST(DerivePair, AllOfTheLanguageAgainstBruteForce) {
  RandomLanguage random(testSeed(std::random_device{}()));
  int copies = 0;
  for (int round = 0; round < 20000; ++round) {
    if (!random.draw())
      continue;
    Cells from(random.first, random.firstOuter, random.axes);
    Cells to(random.second, random.secondOuter, random.axes);
    auto pair =
        derivePair(from.map(random.first, random.firstOuter, random.axes),
                   to.map(random.second, random.secondOuter, random.axes));
    if (!pair) {
      llvm::consumeError(pair.takeError());
      continue;
    }
    ++copies;
    Sequencer source, destination;
    source.base = pair->sourceBase;
    destination.base = pair->destinationBase;
    for (const PairedSequencer::Entry &entry : pair->entries) {
      source.entries.push_back({entry.size, entry.sourceStride, {}});
      destination.entries.push_back({entry.size, entry.destinationStride, {}});
    }
    std::vector<int64_t> reads = source.visits(), writes = destination.visits();
    std::set<int64_t> seen;
    for (size_t i = 0; i < reads.size(); ++i) {
      const Meanings *cell = to.at(writes[i]);
      ASSERT_TRUE(cell && seen.insert(writes[i]).second) << random.shown();
      ASSERT_TRUE(from.at(reads[i])) << random.shown();
      ASSERT_TRUE(from.reads(reads[i], *cell))
          << random.shown() << " element " << i;
    }
    for (size_t p = 0; p < to.contents.size(); ++p)
      ASSERT_TRUE(to.contents[p].empty() || seen.count(to.addressOf(p)))
          << random.shown() << ": never writes " << p;
  }
  std::printf("%d copies\n", copies);
  EXPECT_GT(copies, 1000);
}

//===----------------------------------------------------------------------===//
// What the stream does not name
//===----------------------------------------------------------------------===//

/// `A` is `A, B = 1`: both name index 0 of B.
TEST(DeriveGroups, AxesThatTheStreamDoesNotNameStayAtIndexZero) {
  const char *axes = "A=8,B=4";
  EXPECT_EQ(derived("A, B", "A", "1", axes), "[8:4]:1");
  EXPECT_EQ(derived("A, B", "A", "B = 1", axes), "[8:4]:1");
  EXPECT_EQ(derived("A, B # 6 @ 2", "A", "1", axes), "[8:6]:1 @ 2");
  EXPECT_EQ(derived("A, B @ 1 = 2", "A", "1", axes).substr(0, 18),
            "insufficient input");
  // A write has to fill the buffer.
  EXPECT_EQ(derived("A, B", "A", "1", axes, Direction::Write).substr(0, 30),
            "write does not fill the buffer");
}

} // namespace
