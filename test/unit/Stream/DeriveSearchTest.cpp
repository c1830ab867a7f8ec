//===- DeriveSearchTest.cpp - Smallest nests against exhaustive search ----===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle tries every factorisation of the number of positions and solves
// for the strides with fractions. It knows neither terms nor folding. What is
// derived may never have more entries than the best it finds, and what is
// refused may not be found at all.
//
//===----------------------------------------------------------------------===//

#include "StreamTestSupport.h"
#include <numeric>
#include <set>

using namespace sequin;
using namespace sequin::testing;

namespace {

const int64_t accessSizes[] = {1, 2, 4, 8, 16, 32};

const char *const axisTables[] = {
    "A=8,B=12", "A=16,B=3", "A=6,B=6",  "A=1,B=24",
    "A=30,B=2", "A=17,B=4", "A=36,C=1", "A=4,B=4,C=4",
    "A=13,B=5", "A=60",     "P=31,Q=2", "A=2,B=2,C=2,D=2,E=2",
    "A=12",     "A=15,B=2", "A=48",     "A=3,B=2,C=5",
    "A=64",     "A=72",     "A=97",     "A=9,B=9",
    "A=2,B=2",  "A=1,B=4",  "A=4,B=3",  "A=2,B=1,C=3",
};

struct Fraction {
  __int128 n = 0, d = 1;
  Fraction(__int128 n = 0, __int128 d = 1) : n(n), d(d) {
    if (this->d < 0) {
      this->n = -this->n;
      this->d = -this->d;
    }
    __int128 a = this->n < 0 ? -this->n : this->n, b = this->d;
    while (b != 0) {
      __int128 r = a % b;
      a = b;
      b = r;
    }
    if (a > 1) {
      this->n /= a;
      this->d /= a;
    }
  }
  Fraction operator-(Fraction o) const { return {n * o.d - o.n * d, d * o.d}; }
  Fraction operator*(Fraction o) const { return {n * o.n, d * o.d}; }
  Fraction operator/(Fraction o) const { return {n * o.d, d * o.n}; }
};

/// Whether loops of `sizes` (outermost first) visit `address` (-1: anything)
/// with integer strides; open strides are 0.
bool solvable(const std::vector<int64_t> &sizes,
              const std::vector<int64_t> &address) {
  size_t k = sizes.size();
  std::vector<std::vector<Fraction>> rows(k); // by pivot, k + 1 long
  auto digitsOf = [&](int64_t p) {
    std::vector<int64_t> digits(k);
    for (size_t i = k; i-- > 0;) {
      digits[i] = p % sizes[i];
      p /= sizes[i];
    }
    return digits;
  };
  int64_t first = -1;
  for (size_t p = 0; p < address.size(); ++p) {
    if (address[p] < 0)
      continue;
    if (first < 0) {
      first = static_cast<int64_t>(p);
      continue;
    }
    auto a = digitsOf(static_cast<int64_t>(p)), b = digitsOf(first);
    std::vector<Fraction> row;
    for (size_t i = 0; i < k; ++i)
      row.push_back(a[i] - b[i]);
    row.push_back(address[p] - address[first]);
    for (size_t i = 0; i < k; ++i) {
      if (row[i].n == 0)
        continue;
      if (rows[i].empty()) {
        Fraction lead = row[i];
        for (Fraction &f : row)
          f = f / lead;
        rows[i] = row;
        row.clear();
        break;
      }
      Fraction lead = row[i];
      for (size_t j = i; j <= k; ++j)
        row[j] = row[j] - lead * rows[i][j];
    }
    if (!row.empty() && row[k].n != 0)
      return false;
  }
  std::vector<Fraction> strides(k);
  for (size_t i = k; i-- > 0;) {
    if (rows[i].empty())
      continue;
    Fraction value = rows[i][k];
    for (size_t j = i + 1; j < k; ++j)
      value = value - rows[i][j] * strides[j];
    if (value.d != 1)
      return false;
    strides[i] = value;
  }
  return true;
}

/// The fewest loops, at most `most`; 0 for none. A loop ends where the packet
/// ends or, if it may span it, at a multiple.
class Exhaustive {
public:
  Exhaustive(const std::vector<int64_t> &address, int64_t packet,
             int64_t maxSize, bool span)
      : address(address), packet(packet), maxSize(maxSize), span(span) {}

  unsigned fewest(unsigned most) {
    for (unsigned count = 0; count <= most; ++count)
      if (tryCount(count, 1))
        return count;
    return most + 1;
  }

private:
  bool tryCount(unsigned count, int64_t inner) {
    int64_t rest = static_cast<int64_t>(address.size()) / inner;
    if (count == 0)
      return rest == 1 && solvable({sizes.rbegin(), sizes.rend()}, address);
    for (int64_t size = 2; size <= std::min(rest, maxSize); ++size) {
      if (rest % size != 0)
        continue;
      int64_t outer = inner * size;
      if (inner < packet && packet % outer != 0 &&
          !(span && outer % packet == 0))
        continue;
      sizes.push_back(size);
      bool found = tryCount(count - 1, outer);
      sizes.pop_back();
      if (found)
        return true;
    }
    return false;
  }

  const std::vector<int64_t> &address;
  int64_t packet, maxSize;
  bool span;
  std::vector<int64_t> sizes; ///< innermost first
};

/// A random triple and what its second meaning says.
struct Triple {
  AxisSizes axes;
  const Node *buffer, *stream, *packet;
  std::string time, packetText;

  std::string shown() const {
    std::string tables;
    for (const AxisSizes::Table &table : axes.tables()) {
      tables += " " + table.name + "=";
      for (int64_t value : *table.values)
        tables += std::to_string(value) + ",";
    }
    return axes.str() + tables + "  buffer '" + buffer->text() + "' time '" +
           time + "' packet '" + packetText + "'";
  }
  /// Whether all three are mappings; parts of sliding combinations may get into
  /// each other's way.
  bool isValid() const {
    for (const std::string &text :
         {buffer->text(), time, packetText, stream->text()})
      if (auto mapping = Mapping::parse(text, axes); !mapping) {
        llvm::consumeError(mapping.takeError());
        return false;
      }
    return true;
  }
  llvm::Expected<Derivation> derive(const DeriveOptions &options) const {
    return sequin::derive(AddressMap(mappingOf(buffer->text(), axes)),
                          mappingOf(time, axes), mappingOf(packetText, axes),
                          options);
  }
};

Triple makeTriple(ExpressionGenerator &generator, int64_t limit, int percent,
                  const ExpressionGenerator::Options &bufferOptions,
                  ExpressionGenerator::Options streamOptions,
                  bool rearrange = false) {
  Triple triple;
  AxisSizes all =
      axesOf(axisTables[generator.pick(0, std::size(axisTables) - 1)]);
  auto subset = [&] {
    AxisSizes result;
    for (const auto &[name, size] : all.axes())
      if (generator.chance(percent))
        result.add(name, size);
    if (result.axes().empty())
      result.add(all.axes().front().first, all.axes().front().second);
    return result;
  };
  triple.axes = all;
  ExpressionGenerator::Options held = bufferOptions;
  if (held.skew && all.lookup("A") && all.lookup("B"))
    llvm::cantFail(
        triple.axes.addSkew({"B'", "B", "A", /*plus=*/generator.chance(30)}));
  else
    held.skew = streamOptions.skew = 0;
  triple.buffer = generator.mapping(subset(), limit, held);
  triple.stream = rearrange ? generator.rearranged(triple.buffer, streamOptions)
                            : generator.mapping(subset(), limit, streamOptions);
  if (triple.stream->size > limit)
    triple.stream = triple.buffer;
  generator.addTables(triple.axes);
  const auto &parts = triple.stream->parts;
  size_t inPacket = generator.pick(0, parts.size());
  triple.packet = generator.group({parts.end() - inPacket, parts.end()});
  const Node *time = generator.group({parts.begin(), parts.end() - inPacket});
  triple.time = time->parts.empty() ? "1" : time->text();
  triple.packetText =
      triple.packet->parts.empty() ? "1" : triple.packet->text();
  return triple;
}

/// What the positions of the stream ask for: -1 for padding. Not held if the
/// buffer has no position that holds it, not unique if it has several.
struct Wanted {
  std::vector<Meanings> meaning, cells;
  std::vector<int64_t> address;
  bool held = true, unique = true;
};

bool holds(const Meanings &cell, const Meanings &asked) {
  return std::includes(cell.begin(), cell.end(), asked.begin(), asked.end());
}

Wanted wantedBy(const Triple &triple, bool write) {
  Wanted result;
  std::set<std::string> axes;
  MeaningsOf buffer(triple.buffer, triple.axes);
  std::map<std::map<std::string, int64_t>, std::vector<int64_t>> positions;
  for (int64_t p = 0; p < triple.buffer->size; ++p) {
    result.cells.push_back(buffer.at(p));
    for (const auto &index : result.cells.back()) {
      positions[index].push_back(p);
      for (const auto &[axis, value] : index)
        axes.insert(axis);
    }
  }
  MeaningsOf stream(triple.stream, triple.axes);
  for (int64_t p = 0; p < triple.stream->size; ++p) {
    Meanings meaning = stream.at(p);
    if (!write) {
      Meanings restricted;
      for (auto index : meaning) {
        for (auto it = index.begin(); it != index.end();)
          it = axes.count(it->first) ? std::next(it) : index.erase(it);
        restricted.insert(std::move(index));
      }
      meaning = std::move(restricted);
    }
    int64_t address = -1;
    if (!meaning.empty()) {
      int found = 0;
      for (int64_t cell : positions[*meaning.begin()])
        if (write ? result.cells[cell] == meaning
                  : holds(result.cells[cell], meaning))
          if (++found == 1)
            address = cell;
      result.held &= found > 0;
      result.unique &= found <= 1;
    }
    result.meaning.push_back(std::move(meaning));
    result.address.push_back(address);
  }
  return result;
}

uint64_t freshSeed() {
  uint64_t seed = testSeed(std::random_device{}());
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

TEST(DeriveSearch, NeverMoreEntriesThanTheBestFactorisation) {
  ExpressionGenerator generator(freshSeed());
  int derived = 0, smaller = 0, none = 0;
  for (int round = 0; round < 6000; ++round) {
    ExpressionGenerator::Options options;
    if (round % 2 == 0)
      options.pad = options.lowPad = 0;
    else
      options.nested = 40;
    Triple triple = makeTriple(generator, 300, 95, options, options);
    const int64_t sizes[] = {4, 6, 8, 12, 24, 65536};
    DeriveOptions request;
    request.limits = {64, sizes[generator.pick(0, 5)], accessSizes};
    request.minimal = true;
    DeriveOptions plain = request;
    plain.limits.maxSize = 65536;
    plain.minimal = false;
    auto initial = triple.derive(plain);
    if (!initial) {
      llvm::consumeError(initial.takeError());
      continue;
    }
    // The addresses of the data are what they are; padding may be anywhere.
    std::vector<int64_t> address = initial->initial.visits();
    ASSERT_EQ(static_cast<int64_t>(address.size()), triple.stream->size);
    for (int64_t p = 0; p < triple.stream->size; ++p)
      if (!meaningAt(triple.stream, p))
        address[p] = -1;
    unsigned best = Exhaustive(address, triple.packet->size,
                               request.limits.maxSize, /*span=*/true)
                        .fewest(16);
    auto result = triple.derive(request);
    if (!result) {
      ++none;
      EXPECT_GT(best, 16u) << triple.shown() << " size limit "
                           << request.limits.maxSize << ": "
                           << llvm::toString(result.takeError());
      continue;
    }
    ++derived;
    ASSERT_LE(result->sequencer.entries.size(), best)
        << triple.shown() << " size limit " << request.limits.maxSize << ": "
        << result->sequencer.str();
    smaller += result->refactored;
    auto visits = result->sequencer.visits();
    ASSERT_EQ(visits.size(), address.size());
    for (size_t p = 0; p < visits.size(); ++p)
      if (address[p] >= 0)
        ASSERT_EQ(visits[p], address[p]) << triple.shown() << " at " << p;
    for (const SequencerEntry &entry : result->sequencer.entries)
      ASSERT_LE(entry.size, request.limits.maxSize);
  }
  std::printf("%d derived, %d beyond merging, %d have no nest\n", derived,
              smaller, none);
  EXPECT_GT(derived, 1000);
  EXPECT_GT(smaller, 10);
  EXPECT_GT(none, 50);
}

/// Reads within random limits: what is derived is right, and what is refused
/// does not exist.
struct SearchCounts {
  int64_t reads = 0, writes = 0, refused = 0, decided = 0, searched = 0,
          mismatches = 0, missed = 0;
};

void checkRead(const Triple &triple, const DeriveOptions &options,
               SearchCounts &counts) {
  Wanted wanted = wantedBy(triple, /*write=*/false);
  auto result = triple.derive(options);
  if (!result) {
    std::string message = llvm::toString(result.takeError());
    ++counts.refused;
    // An access in bits is no question of loops.
    if (!wanted.held || !wanted.unique)
      return;
    ++counts.decided;
    bool exists =
        Exhaustive(wanted.address, triple.packet->size, options.limits.maxSize,
                   /*span=*/true)
            .fewest(options.limits.maxEntries) <= options.limits.maxEntries;
    counts.missed += exists;
    EXPECT_FALSE(exists) << triple.shown() << " entries "
                         << options.limits.maxEntries << " size "
                         << options.limits.maxSize << ": " << message;
    return;
  }
  ++counts.reads;
  counts.searched += result->searched;
  bool right = wanted.held;
  right &= result->sequencer.entries.size() <= options.limits.maxEntries;
  auto visits = result->sequencer.visits();
  right &= static_cast<int64_t>(visits.size()) == triple.stream->size;
  for (size_t p = 0; p < visits.size() && right; ++p) {
    if (wanted.meaning[p].empty())
      continue;
    right = visits[p] >= 0 && visits[p] < triple.buffer->size &&
            holds(wanted.cells[visits[p]], wanted.meaning[p]);
  }
  counts.mismatches += !right;
  EXPECT_TRUE(right) << triple.shown() << ": " << result->sequencer.str();
}

void checkWrite(const Triple &triple, const DeriveOptions &options,
                SearchCounts &counts) {
  auto result = triple.derive(options);
  Wanted wanted = wantedBy(triple, /*write=*/true);
  if (!result) {
    std::string message = llvm::toString(result.takeError());
    ++counts.refused;
    // Decided where every position of the stream has its own cell.
    std::set<int64_t> written(wanted.address.begin(), wanted.address.end());
    size_t data = llvm::count_if(
        wanted.cells, [](const Meanings &cell) { return !cell.empty(); });
    if (!wanted.held || !wanted.unique || written.count(-1) ||
        written.size() != wanted.address.size() || written.size() != data)
      return;
    ++counts.decided;
    bool exists =
        Exhaustive(wanted.address, triple.packet->size, options.limits.maxSize,
                   /*span=*/true)
            .fewest(options.limits.maxEntries) <= options.limits.maxEntries;
    counts.missed += exists;
    EXPECT_FALSE(exists) << "write " << triple.shown() << " entries "
                         << options.limits.maxEntries << " size "
                         << options.limits.maxSize << ": " << message;
    return;
  }
  ++counts.writes;
  counts.searched += result->searched;
  int64_t lanes = result->initial.packetElements;
  auto visits = result->sequencer.visits();
  std::vector<bool> seen(triple.buffer->size, false);
  bool right = static_cast<int64_t>(visits.size()) ==
               triple.stream->size / triple.packet->size * lanes;
  for (size_t v = 0; v < visits.size() && right; ++v) {
    right =
        visits[v] >= 0 && visits[v] < triple.buffer->size && !seen[visits[v]];
    if (!right)
      break;
    seen[visits[v]] = true;
    int64_t position = static_cast<int64_t>(v) / lanes * triple.packet->size +
                       static_cast<int64_t>(v) % lanes;
    if (!wanted.cells[visits[v]].empty())
      right = wanted.cells[visits[v]] == wanted.meaning[position];
  }
  for (int64_t p = 0; p < triple.buffer->size && right; ++p)
    right = seen[p] || wanted.cells[p].empty();
  counts.mismatches += !right;
  EXPECT_TRUE(right) << triple.shown() << ": " << result->sequencer.str();
}

/// 20,000 triples; SEQUIN_TEST_COUNT asks for another number.
TEST(DeriveSearch, RandomTriplesAgreeWithBruteForce) {
  ExpressionGenerator generator(freshSeed());
  const char *text = std::getenv("SEQUIN_TEST_COUNT");
  int64_t count = text ? std::strtoll(text, nullptr, 10) : 20000;
  SearchCounts all[2];
  for (int64_t round = 0;
       round < count && all[0].mismatches + all[1].mismatches < 10; ++round) {
    bool write = round % 4 == 3;
    ExpressionGenerator::Options buffer, stream;
    buffer.drop = 3;
    if (write) {
      buffer.drop = stream.drop = 1;
      buffer.view = stream.view = 2;
      buffer.number = stream.number = 0;
    } else if (round % 4 == 0) {
      buffer.pad = buffer.lowPad = buffer.view = buffer.group = 0;
      stream.pad = stream.lowPad = stream.view = stream.group = 0;
    }
    buffer.nested = stream.nested = generator.pick(0, 1) * 50;
    // Every second triple knows all of the language.
    bool full = round % 8 >= 4;
    bool rearrange = false;
    if (full) {
      buffer.sliding = 45;
      buffer.lookup = buffer.skew = 10;
      stream.sliding = stream.lookup = stream.skew = 8;
      if (generator.chance(20))
        stream.sliding = 45;
      rearrange = generator.chance(write ? 70 : 40);
    }
    generator.clear();
    Triple triple =
        makeTriple(generator, 120, write ? 100 : 90, buffer, stream, rearrange);
    if (full && !triple.isValid())
      continue;
    SearchCounts &counts = all[full];
    const int64_t sizes[] = {5, 8, 16, 65536, 65536, 65536};
    DeriveOptions options;
    options.direction = write ? Direction::Write : Direction::Read;
    options.minimal = generator.chance(30);
    options.limits = {static_cast<unsigned>(generator.pick(2, 8)),
                      sizes[generator.pick(0, 5)], accessSizes};
    if (write)
      checkWrite(triple, options, counts);
    else
      checkRead(triple, options, counts);
  }
  for (bool full : {false, true}) {
    const SearchCounts &counts = all[full];
    std::printf("%s: %lld reads and %lld writes derived, %lld of them by "
                "search; %lld mismatches; %lld refused, %lld of them decided "
                "by brute force, %lld wrongly\n",
                full ? "all of the language" : "without sliding, tables, skews",
                (long long)counts.reads, (long long)counts.writes,
                (long long)counts.searched, (long long)counts.mismatches,
                (long long)counts.refused, (long long)counts.decided,
                (long long)counts.missed);
    EXPECT_EQ(counts.mismatches, 0);
    EXPECT_EQ(counts.missed, 0);
    EXPECT_GT(counts.reads, count / 10);
    EXPECT_GT(counts.writes, count / 200);
  }
}

} // namespace
