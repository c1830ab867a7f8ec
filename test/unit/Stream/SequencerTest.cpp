//===- SequencerTest.cpp - Readings and limits of descriptors -------------===//
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

llvm::Expected<Derivation>
derivedOf(llvm::StringRef buffer, llvm::StringRef time, llvm::StringRef packet,
          llvm::StringRef axes, const DeriveOptions &options) {
  AxisSizes table = axesOf(axes);
  return derive(AddressMap(mappingOf(buffer, table)), mappingOf(time, table),
                mappingOf(packet, table), options);
}

DeriveOptions limitsOf(unsigned entries, int64_t size, int64_t segments = 1) {
  DeriveOptions options;
  options.limits = {entries, size, accessSizes};
  options.maxSegments = segments;
  return options;
}

std::string shown(const llvm::Expected<Derivation> &result) {
  if (result->segments.empty())
    return result->sequencer.str();
  std::string text;
  for (const Sequencer &part : result->segments)
    text += (text.empty() ? "" : " ") + part.str();
  return text;
}

std::string derived(llvm::StringRef buffer, llvm::StringRef time,
                    llvm::StringRef packet, llvm::StringRef axes,
                    const DeriveOptions &options) {
  auto result = derivedOf(buffer, time, packet, axes, options);
  return result ? shown(result) : llvm::toString(result.takeError());
}

//===----------------------------------------------------------------------===//
// Readings
//===----------------------------------------------------------------------===//

TEST(Sequencer, VisitsWithNegativeStrides) {
  Sequencer sequencer;
  sequencer.base = 7;
  sequencer.entries = {{2, -4, {}}, {3, -1, {}}};
  EXPECT_EQ(sequencer.visits(), (std::vector<int64_t>{7, 6, 5, 3, 2, 1}));
  EXPECT_EQ(sequencer.visitCount(), 6);
  EXPECT_EQ(sequencer.contiguousElements(), 1);
  EXPECT_EQ(sequencer.str(), "[2:-4, 3:-1]:1 @ 7");
  // The run ends where the loops turn around.
  sequencer.entries = {{2, -8, {}}, {2, 4, {}}, {4, 1, {}}};
  EXPECT_EQ(sequencer.contiguousElements(), 8);
}

TEST(Sequencer, ContiguousElements) {
  SEQUIN_ROW("SEQ-14");
  auto run = [](std::initializer_list<std::pair<int64_t, int64_t>> loops) {
    Sequencer sequencer;
    for (auto [size, stride] : loops)
      sequencer.entries.push_back({size, stride, {}});
    return sequencer.contiguousElements();
  };
  EXPECT_EQ(run({}), 1);
  EXPECT_EQ(run({{4, 8}, {8, 1}}), 32);
  EXPECT_EQ(run({{4, 9}, {8, 1}}), 8);
  EXPECT_EQ(run({{4, 8}, {8, 2}}), 1);
  EXPECT_EQ(run({{4, 0}, {8, 0}}), 32);
  // The addresses of the inner loops do not fit in 64 bits.
  EXPECT_EQ(run({{4, 1}, {int64_t(1) << 40, int64_t(1) << 40}}), 1);
}

//===----------------------------------------------------------------------===//
// DMA requests
//===----------------------------------------------------------------------===//

PairedSequencer::Requests requestsOf(int64_t packets, int64_t run,
                                     ElementType type = ElementType::I8) {
  PairedSequencer pair;
  pair.entries = {{packets, 2 * run, 4 * run, ""}, {run, 1, 1, ""}};
  pair.contiguousElements = run;
  auto result = pair.requests(type);
  EXPECT_TRUE(bool(result));
  return *result;
}

TEST(PairedSequencer, RunsSplitIntoPacketsAndRequests) {
  // Every run from 1 byte to past the largest packet, against the definition.
  for (int64_t run = 1; run <= 3 * 4096; ++run) {
    auto result = requestsOf(3, run);
    int64_t stride0 = 0;
    for (int64_t bytes = 1; bytes <= std::min<int64_t>(run, 4096); ++bytes)
      if (run % bytes == 0)
        stride0 = bytes;
    ASSERT_EQ(result.stride0, stride0) << run;
    ASSERT_EQ(result.packets, 3 * (run / stride0)) << run;
    int64_t requests = 0;
    for (int64_t from = 0; from < stride0; from += 256)
      ++requests;
    ASSERT_EQ(result.requests, result.packets * requests) << run;
  }
}

TEST(PairedSequencer, LimitsOfStride0) {
  EXPECT_EQ(requestsOf(1, 1).stride0, 1);
  EXPECT_EQ(requestsOf(1, 4095).stride0, 4095);
  EXPECT_EQ(requestsOf(1, 4096).stride0, 4096);
  EXPECT_EQ(requestsOf(1, 4096).requests, 16);
  // One past, a prime.
  EXPECT_EQ(requestsOf(1, 4097).stride0, 241); // 17 * 241
  EXPECT_EQ(requestsOf(1, 4099).stride0, 1);   // a prime
  EXPECT_EQ(requestsOf(1, 4099).packets, 4099);
  EXPECT_EQ(requestsOf(1, 256).requests, 1);
  EXPECT_EQ(requestsOf(1, 257).requests, 2);
  // Elements of several bytes, and of less than one.
  EXPECT_EQ(requestsOf(5, 2048, ElementType::BF16).stride0, 4096);
  EXPECT_EQ(requestsOf(5, 8192, ElementType::I4).stride0, 4096);
  PairedSequencer odd;
  odd.entries = {{3, 1, 1, ""}};
  odd.contiguousElements = 3;
  auto refused = odd.requests(ElementType::I4);
  EXPECT_EQ(llvm::toString(refused.takeError()),
            "a run of 3 elements is not a whole number of bytes");
  PairedSequencer none;
  EXPECT_EQ(none.requests(ElementType::I8)->requests, 1);
  PairedSequencer huge;
  huge.contiguousElements = int64_t(1) << 62;
  auto tooMany = huge.requests(ElementType::I16);
  EXPECT_FALSE(bool(tooMany));
  llvm::consumeError(tooMany.takeError());
}

//===----------------------------------------------------------------------===//
// Limits: inside, at, one past
//===----------------------------------------------------------------------===//

TEST(SequencerLimits, Entries) {
  SEQUIN_ROW("SEQ-15");
  // Reversed axes: no two loops merge.
  auto loops = [](int count, int64_t segments) {
    std::string axes, buffer, time;
    for (int i = 0; i < count; ++i) {
      std::string name(1, static_cast<char>('A' + i));
      axes += (i ? "," : "") + name + "=2";
      buffer += (i ? ", " : "") + name;
      time = name + (i ? ", " : "") + time;
    }
    return derived(buffer, time, "1", axes, limitsOf(8, 65536, segments));
  };
  EXPECT_EQ(loops(7, 1), "[2:1, 2:2, 2:4, 2:8, 2:16, 2:32, 2:64]:1");
  EXPECT_EQ(loops(8, 1), "[2:1, 2:2, 2:4, 2:8, 2:16, 2:32, 2:64, 2:128]:1");
  EXPECT_EQ(loops(9, 1),
            "the stream needs 9 sequencer entries after merging, at most 8 are "
            "allowed: [I 2:1, H 2:2, G 2:4, F 2:8, E 2:16, D 2:32, C 2:64, B "
            "2:128, A 2:256]");
  EXPECT_EQ(loops(9, 2),
            "[2:2, 2:4, 2:8, 2:16, 2:32, 2:64, 2:128, 2:256]:1 "
            "[2:2, 2:4, 2:8, 2:16, 2:32, 2:64, 2:128, 2:256]:1 @ 1");
  // Ten loops need four segments.
  EXPECT_NE(loops(10, 3).find("needs 10 sequencer entries"), std::string::npos);
  EXPECT_EQ(loops(10, 4).find("needs"), std::string::npos);
}

TEST(SequencerLimits, Sizes) {
  SEQUIN_ROW("SEQ-15");
  auto loop = [](int64_t size, int64_t segments = 1) {
    return derived("A", "A", "1", "A=" + std::to_string(size),
                   limitsOf(8, 65536, segments));
  };
  EXPECT_EQ(loop(65535), "[65535:1]:1");
  EXPECT_EQ(loop(65536), "[65536:1]:1");
  // A prime past the limit; a product past it.
  EXPECT_EQ(loop(65537), "entry 'A' has size 65537, at most 65536 are allowed, "
                         "and no divisor to split it by");
  EXPECT_EQ(loop(65538), "[2:32769, 32769:1]:1");
  EXPECT_EQ(loop(65537, 2), "[65536:1]:1 [1:1]:1 @ 65536");
  // A prime past three of them.
  EXPECT_EQ(loop(196613, 3).find("entry 'A' has size 196613"), 0u);
  EXPECT_EQ(loop(196613, 4), "[65536:1]:1 [65536:1]:1 @ 65536 [65536:1]:1 @ "
                             "131072 [5:1]:1 @ 196608");
  EXPECT_EQ(loop(int64_t(65536) * 65536), "[65536:65536, 65536:1]:1");
}

/// Segments visit what the whole stream does, in its order, and never cut a
/// packet.
TEST(SequencerLimits, SegmentsVisitWhatTheStreamDoes) {
  uint64_t seed = testSeed(std::random_device{}());
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  ExpressionGenerator generator(seed);
  ExpressionGenerator::Options options;
  options.number = options.drop = 0;
  const char *const axisTables[] = {"A=8,B=12,C=6", "A=13,B=11", "A=31,B=6",
                                    "A=4,B=4,C=4,D=2"};
  int segmented = 0;
  for (int round = 0; round < 4000; ++round) {
    generator.clear();
    AxisSizes axes =
        axesOf(axisTables[generator.pick(0, std::size(axisTables) - 1)]);
    const Node *buffer = generator.mapping(axes, 1200, options);
    const Node *stream = generator.mapping(axes, 1200, options);
    size_t inTime = generator.pick(0, stream->parts.size());
    auto text = [&](size_t begin, size_t end) {
      std::string list = generator
                             .group({stream->parts.begin() + begin,
                                     stream->parts.begin() + end})
                             ->text();
      return list.empty() ? "1" : list;
    };
    std::string packet = text(inTime, stream->parts.size());
    DeriveOptions whole = limitsOf(64, 65536);
    DeriveOptions limited =
        limitsOf(static_cast<unsigned>(generator.pick(1, 3)),
                 generator.pick(2, 20), generator.pick(2, 40));
    std::string shownText = axes.str() + " '" + buffer->text() + "', '" +
                            text(0, inTime) + "', '" + packet + "'";
    auto plain =
        derivedOf(buffer->text(), text(0, inTime), packet, axes.str(), whole);
    if (!plain) {
      llvm::consumeError(plain.takeError());
      continue;
    }
    auto cut =
        derivedOf(buffer->text(), text(0, inTime), packet, axes.str(), limited);
    if (!cut) {
      llvm::consumeError(cut.takeError());
      continue;
    }
    if (cut->segments.empty())
      continue;
    ++segmented;
    ASSERT_LE(static_cast<int64_t>(cut->segments.size()), limited.maxSegments);
    int64_t lanes = mappingOf(packet, axes).size();
    std::vector<int64_t> visits;
    for (const Sequencer &part : cut->segments) {
      ASSERT_LE(part.entries.size(), limited.limits.maxEntries) << shownText;
      for (const SequencerEntry &entry : part.entries)
        ASSERT_LE(entry.size, limited.limits.maxSize) << shownText;
      auto more = part.visits();
      ASSERT_EQ(static_cast<int64_t>(more.size()) % lanes, 0) << shownText;
      visits.insert(visits.end(), more.begin(), more.end());
    }
    std::vector<int64_t> expected = plain->initial.visits();
    ASSERT_EQ(visits.size(), expected.size()) << shownText;
    for (size_t p = 0; p < visits.size(); ++p)
      if (meaningAt(stream, static_cast<int64_t>(p)))
        ASSERT_EQ(visits[p], expected[p]) << shownText << " at " << p;
  }
  std::printf("%d segmented\n", segmented);
  EXPECT_GT(segmented, 100);
}

} // namespace
