//===- DerivePropertyTest.cpp - Random streams against brute force --------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a derived sequencer visits is compared, position by position, with what
// the second meaning of mappings (StreamTestSupport.h) says is there. A refusal
// is held against a search for the strides that the plain loops of the stream
// would need.
//
//===----------------------------------------------------------------------===//

#include "StreamTestSupport.h"
#include <set>

using namespace sequin;
using namespace sequin::testing;

namespace {

const int64_t accessSizes[] = {1, 2, 4, 8, 16, 32};
const SequencerLimits wideLimits{64, int64_t(1) << 40, accessSizes};

const char *const axisTables[] = {
    "A=8,B=12,C=6", "A=16,B=4,C=3", "A=6,B=6,D=2", "A=1,B=24,C=5",
    "A=30,B=7",     "A=17,B=9",     "A=36,C=1",    "A=4,B=4,C=4",
    "A=13,B=11",    "A=60",         "P=31,Q=8",    "A=2,B=2,C=2,D=2,E=2",
    "A=12",         "A=15,B=2",     "A=2,B=2,C=1", "A=4,B=3",
};

/// The axes that `root` holds some index of besides 0. An axis of which it
/// holds index 0 alone says nothing: `A, B = 1` and `A` are equivalent.
std::set<std::string> axesHeld(const Node *root) {
  std::set<std::string> result;
  for (int64_t p = 0; p < root->size; ++p)
    if (Meaning meaning = meaningAt(root, p))
      for (const auto &[axis, value] : *meaning)
        result.insert(axis);
  return result;
}

/// The coordinates of the axes in `held`.
Meaning restrictTo(const Meaning &meaning, const std::set<std::string> &held) {
  if (!meaning)
    return std::nullopt;
  std::map<std::string, int64_t> result;
  for (const auto &[axis, value] : *meaning)
    if (held.count(axis))
      result[axis] = value;
  return result;
}

/// A random subset of the axes, at least one.
AxisSizes subset(ExpressionGenerator &generator, const AxisSizes &axes,
                 int percent) {
  AxisSizes result;
  for (const auto &[name, size] : axes.axes())
    if (generator.chance(percent))
      result.add(name, size);
  if (result.axes().empty())
    result.add(axes.axes().front().first, axes.axes().front().second);
  return result;
}

/// Whether the loops of `extents` with some strides and base visit, at every
/// position, one of the allowed addresses. `address` is the only one or -1 for
/// any; found by solving for the strides at the first positions that tell.
bool plainLoopsExist(const std::vector<int64_t> &extents,
                     const std::vector<int64_t> &address) {
  // Strides from neighbours that differ in one digit.
  std::vector<int64_t> strides(extents.size(), 0);
  std::vector<bool> known(extents.size(), false);
  auto digitsOf = [&](int64_t p) {
    std::vector<int64_t> digits(extents.size());
    for (size_t i = extents.size(); i-- > 0;) {
      digits[i] = p % extents[i];
      p /= extents[i];
    }
    return digits;
  };
  int64_t inner = 1;
  for (size_t i = extents.size(); i-- > 0;) {
    for (int64_t p = 0; p + inner < static_cast<int64_t>(address.size()); ++p) {
      if (digitsOf(p)[i] + 1 >= extents[i] || address[p] < 0 ||
          address[p + inner] < 0)
        continue;
      strides[i] = address[p + inner] - address[p];
      known[i] = true;
      break;
    }
    inner *= extents[i];
  }
  std::optional<int64_t> base;
  for (size_t p = 0; p < address.size(); ++p) {
    if (address[p] < 0)
      continue;
    auto digits = digitsOf(p);
    int64_t offset = 0;
    bool determined = true;
    for (size_t i = 0; i < extents.size(); ++i) {
      offset += digits[i] * strides[i];
      determined &= known[i] || extents[i] == 1;
    }
    if (!determined)
      return false;
    if (!base)
      base = address[p] - offset;
    if (*base + offset != address[p])
      return false;
  }
  return true;
}

struct Counts {
  int derived = 0, refused = 0, missed = 0;
};

void checkReads(uint64_t seed, int rounds,
                const ExpressionGenerator::Options &bufferOptions,
                const ExpressionGenerator::Options &streamOptions,
                Counts &counts) {
  ExpressionGenerator generator(seed);
  for (int round = 0; round < rounds; ++round) {
    AxisSizes axes = axesOf(axisTables[round % std::size(axisTables)]);
    const Node *buffer =
        generator.mapping(subset(generator, axes, 85), 2000, bufferOptions);
    const Node *stream =
        generator.mapping(subset(generator, axes, 85), 2000, streamOptions);
    // The last parts of the stream are the packet.
    size_t packetTerms = generator.pick(0, stream->parts.size());
    std::vector<const Node *> timeParts(stream->parts.begin(),
                                        stream->parts.end() - packetTerms);
    std::vector<const Node *> packetParts(stream->parts.end() - packetTerms,
                                          stream->parts.end());
    std::string time =
        timeParts.empty() ? "1" : generator.group(timeParts)->text();
    std::string packet =
        packetParts.empty() ? "1" : generator.group(packetParts)->text();
    std::string bufferText = buffer->text();
    std::string shown = axes.str() + "  buffer '" + bufferText + "' time '" +
                        time + "' packet '" + packet + "'";

    std::set<std::string> held = axesHeld(buffer);
    std::map<std::map<std::string, int64_t>, std::vector<int64_t>> positions;
    for (int64_t p = 0; p < buffer->size; ++p)
      if (Meaning meaning = meaningAt(buffer, p))
        positions[*meaning].push_back(p);

    DeriveOptions options;
    options.limits = wideLimits;
    options.minimal = generator.chance(30);
    auto result =
        derive(AddressMap(mappingOf(bufferText, axes)), mappingOf(time, axes),
               mappingOf(packet, axes), options);
    if (result) {
      ++counts.derived;
      for (const Sequencer *sequencer :
           {&result->initial, &result->sequencer}) {
        std::vector<int64_t> visits = sequencer->visits();
        ASSERT_EQ(static_cast<int64_t>(visits.size()), stream->size) << shown;
        for (int64_t p = 0; p < stream->size; ++p) {
          Meaning wanted = restrictTo(meaningAt(stream, p), held);
          if (!wanted)
            continue;
          ASSERT_GE(visits[p], 0) << shown << " at " << p;
          ASSERT_LT(visits[p], buffer->size) << shown << " at " << p;
          ASSERT_EQ(meaningAt(buffer, visits[p]), wanted)
              << shown << " at " << p << " of " << sequencer->str();
        }
      }
      continue;
    }
    ++counts.refused;
    std::string message = llvm::toString(result.takeError());
    bool allHeld = true, unique = true;
    std::vector<int64_t> address;
    for (int64_t p = 0; p < stream->size && allHeld; ++p) {
      Meaning wanted = restrictTo(meaningAt(stream, p), held);
      if (!wanted) {
        address.push_back(-1);
        continue;
      }
      auto it = positions.find(*wanted);
      allHeld = it != positions.end();
      unique &= allHeld && it->second.size() == 1;
      address.push_back(allHeld ? it->second.front() : -1);
    }
    if (!allHeld || !unique)
      continue;
    std::vector<int64_t> extents;
    for (const Node *part : stream->parts)
      extents.push_back(part->size);
    if (plainLoopsExist(extents, address)) {
      ++counts.missed;
      if (std::getenv("SEQUIN_TEST_VERBOSE"))
        std::printf("missed: %s: %s\n", shown.c_str(), message.c_str());
    }
  }
}

TEST(DeriveProperty, ReadsVisitWhatTheStreamNames) {
  uint64_t seed = testSeed(31);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Counts counts;
  ExpressionGenerator::Options buffer, stream;
  buffer.drop = 3;
  buffer.view = 4;
  buffer.nested = stream.nested = 30;
  checkReads(seed, 6000, buffer, stream, counts);
  std::printf("%d derived, %d refused, %d refused though plain loops exist\n",
              counts.derived, counts.refused, counts.missed);
  EXPECT_GT(counts.derived, 1000);
}

TEST(DeriveProperty, PlainFactorisationsAreNeverMissed) {
  uint64_t seed = testSeed(32);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Counts counts;
  ExpressionGenerator::Options plain;
  plain.pad = plain.lowPad = plain.view = plain.group = plain.drop = 0;
  checkReads(seed, 4000, plain, plain, counts);
  std::printf("%d derived, %d refused, %d refused though plain loops exist\n",
              counts.derived, counts.refused, counts.missed);
  EXPECT_GT(counts.derived, 1000);
  EXPECT_GT(counts.refused, 100);
  EXPECT_EQ(counts.missed, 0);
}

TEST(DeriveProperty, WritesFillTheBufferOnceAndStayInside) {
  SEQUIN_ROW("KER-16");
  uint64_t seed = testSeed(33);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  ExpressionGenerator generator(seed);
  ExpressionGenerator::Options buffer, stream;
  buffer.drop = stream.drop = 1;
  buffer.view = stream.view = 2;
  buffer.number = stream.number = 0;
  buffer.nested = stream.nested = 30;
  int derivedCount = 0;
  for (int round = 0; round < 6000; ++round) {
    AxisSizes axes = axesOf(axisTables[round % std::size(axisTables)]);
    const Node *to = generator.mapping(axes, 2000, buffer);
    const Node *from = generator.mapping(axes, 2000, stream);
    std::vector<const Node *> timeParts(from->parts.begin(),
                                        from->parts.end() - 1);
    const Node *packet = from->parts.back();
    std::string time =
        timeParts.empty() ? "1" : generator.group(timeParts)->text();
    std::string shown = axes.str() + "  buffer '" + to->text() + "' time '" +
                        time + "' packet '" + packet->text() + "'";
    DeriveOptions options;
    options.direction = Direction::Write;
    options.limits = wideLimits;
    auto result =
        derive(AddressMap(mappingOf(to->text(), axes)), mappingOf(time, axes),
               mappingOf(packet->text(), axes), options);
    if (!result) {
      llvm::consumeError(result.takeError());
      continue;
    }
    ++derivedCount;
    std::vector<int64_t> visits = result->sequencer.visits();
    int64_t lanes = result->initial.packetElements;
    ASSERT_LE(lanes, packet->size) << shown;
    ASSERT_EQ(static_cast<int64_t>(visits.size()),
              from->size / packet->size * lanes)
        << shown;
    std::set<int64_t> seen;
    for (size_t v = 0; v < visits.size(); ++v) {
      ASSERT_TRUE(seen.insert(visits[v]).second)
          << shown << ": writes twice to " << visits[v];
      ASSERT_GE(visits[v], 0) << shown;
      ASSERT_LT(visits[v], to->size) << shown;
      int64_t position = static_cast<int64_t>(v) / lanes * packet->size +
                         static_cast<int64_t>(v) % lanes;
      Meaning value = meaningAt(from, position);
      Meaning cell = meaningAt(to, visits[v]);
      if (cell)
        ASSERT_EQ(cell, value)
            << shown << " at " << position << " of " << result->sequencer.str();
    }
    for (int64_t p = 0; p < to->size; ++p)
      if (meaningAt(to, p))
        ASSERT_TRUE(seen.count(p)) << shown << ": never writes " << p;
  }
  std::printf("%d derived\n", derivedCount);
  EXPECT_GT(derivedCount, 500);
}

TEST(DeriveProperty, PairsCopyEveryElement) {
  uint64_t seed = testSeed(34);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  ExpressionGenerator generator(seed);
  ExpressionGenerator::Options options;
  options.drop = 1;
  options.view = 2;
  options.number = 3;
  options.nested = 30;
  int derivedCount = 0;
  for (int round = 0; round < 4000; ++round) {
    AxisSizes axes = axesOf(axisTables[round % std::size(axisTables)]);
    const Node *from =
        generator.mapping(subset(generator, axes, 90), 1000, options);
    const Node *to = generator.mapping(axes, 1000, options);
    std::string shown =
        axes.str() + "  '" + from->text() + "' -> '" + to->text() + "'";
    auto pair = derivePair(AddressMap(mappingOf(from->text(), axes)),
                           AddressMap(mappingOf(to->text(), axes)));
    if (!pair) {
      llvm::consumeError(pair.takeError());
      continue;
    }
    ++derivedCount;
    std::set<std::string> held = axesHeld(from);
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
      ASSERT_TRUE(seen.insert(writes[i]).second) << shown;
      ASSERT_LT(writes[i], to->size) << shown;
      ASSERT_GE(reads[i], 0) << shown;
      ASSERT_LT(reads[i], from->size) << shown;
      Meaning cell = restrictTo(meaningAt(to, writes[i]), held);
      if (cell)
        ASSERT_EQ(meaningAt(from, reads[i]), cell) << shown << " element " << i;
    }
    for (int64_t p = 0; p < to->size; ++p)
      if (meaningAt(to, p))
        ASSERT_TRUE(seen.count(p)) << shown << ": never writes " << p;
  }
  std::printf("%d derived\n", derivedCount);
  EXPECT_GT(derivedCount, 500);
}

} // namespace
