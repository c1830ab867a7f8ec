//===- ValidCountPropertyTest.cpp - Derivation against all configurations -===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random placements of one axis. Three judges who know nothing of each other:
//
//   - the derivation;
//   - the manual's rules, read off the placement as it was drawn;
//   - a search through every configuration of the packet dim and one gate.
//
// The derivation has to accept what the rules support and nothing else, count
// right whatever it accepts, and the search has to find a configuration for
// everything that is accepted.
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "StreamTestSupport.h"
#include "ValidCountFormula.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <random>
#include <set>

using namespace sequin;
using namespace sequin::testing;

namespace {

/// A factor of a dimension: a part of R, or another axis.
struct Term {
  bool isR = false;
  int64_t stride = 1; ///< of R
  int64_t extent = 1;
};

/// An axis of `size` padded to `padded`, all of its parts placed.
struct Placed {
  int64_t size = 1, padded = 1;
  std::vector<Term> slice, time, packet; ///< outermost first
};

constexpr int64_t kLanes = 8;

std::vector<Term> partsOf(const std::vector<Term> &terms) {
  std::vector<Term> parts;
  for (const Term &term : terms)
    if (term.isR)
      parts.push_back(term);
  return parts;
}

int64_t sizeOf(const std::vector<Term> &terms) {
  int64_t size = 1;
  for (const Term &term : terms)
    size *= term.extent;
  return size;
}

/// What R's coordinate gets from a position.
int64_t coordinateOf(const std::vector<Term> &terms, int64_t position) {
  int64_t coordinate = 0;
  for (const Term &term : llvm::reverse(terms)) {
    coordinate += term.isR ? position % term.extent * term.stride : 0;
    position /= term.extent;
  }
  return coordinate;
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

class Draw {
public:
  explicit Draw(uint64_t seed) : random(seed) {}
  int64_t below(int64_t n) { return random() % n; }

  Placed operator()() {
    for (;;) {
      Placed placed = attempt();
      if (sizeOf(placed.slice) <= 16 && sizeOf(placed.time) <= 16 &&
          sizeOf(placed.packet) <= kLanes &&
          placed.time.size() <= (partsOf(placed.packet).empty() ? 3 : 2))
        return placed;
    }
  }

private:
  Placed attempt() {
    Placed placed;
    int64_t parts = 1 + below(4);
    bool tidy = below(2); // the lowest part in the packet or nothing there
    for (int64_t i = 0; i < parts; ++i) {
      Term term{true, placed.padded, 2 + below(3)};
      if (i == 0 && below(4) == 0)
        term.extent = kLanes;
      placed.padded *= term.extent;
      int64_t where = below(tidy && i ? 2 : 3);
      auto &terms = where == 0   ? placed.slice
                    : where == 1 ? placed.time
                                 : placed.packet;
      // Mostly outermost last: that is the order that is supported.
      terms.insert(below(4) ? terms.begin()
                            : terms.begin() + below(terms.size() + 1),
                   term);
    }
    placed.size = 1 + below(placed.padded);
    if (below(3) == 0) // whole parts are where the special cases are
      placed.size = std::max<int64_t>(1, placed.size / 4 * 4);
    for (auto *terms : {&placed.slice, &placed.time})
      if (below(2))
        terms->insert(terms->begin() + below(terms->size() + 1),
                      Term{false, 1, 2 + below(3) / 2});
    if (below(8) == 0)
      placed.packet.insert(placed.packet.begin() +
                               below(placed.packet.size() + 1),
                           Term{false, 1, 2});
    return placed;
  }

  std::mt19937 random;
};

std::string text(const Placed &placed, const std::vector<Term> &terms,
                 const std::string &other) {
  std::string result;
  for (const Term &term : terms)
    result += (result.empty() ? "" : ", ") +
              (term.isR ? "R # " + std::to_string(placed.padded) + " / " +
                              std::to_string(term.stride) + " % " +
                              std::to_string(term.extent)
                        : other);
  return result.empty() ? "1" : result;
}

ValidCountStream streamOf(const Placed &placed) {
  auto sizeOfOther = [](const std::vector<Term> &terms) {
    int64_t size = 1;
    for (const Term &term : terms)
      if (!term.isR)
        size = term.extent;
    return size;
  };
  AxisSizes axes;
  axes.add("R", placed.size);
  axes.add("X", sizeOfOther(placed.slice));
  axes.add("Y", sizeOfOther(placed.time));
  axes.add("A", sizeOfOther(placed.packet));
  auto parse = [&](const std::string &mapping) {
    return llvm::cantFail(Mapping::parse(mapping, axes));
  };
  std::string packet = "[" + text(placed, placed.packet, "A") + "] # 8";
  if (placed.packet.size() <= 1)
    packet = text(placed, placed.packet, "A") + " # 8";
  return {parse("1"), parse("1"), parse(text(placed, placed.slice, "X")),
          parse(text(placed, placed.time, "Y")), parse(packet)};
}

/// What is needed, from the placement.
Counts needed(const Placed &placed) {
  bool inPacket = !partsOf(placed.packet).empty();
  Counts counts(sizeOf(placed.slice));
  for (int64_t s = 0; s < sizeOf(placed.slice); ++s)
    for (int64_t t = 0; t < sizeOf(placed.time); ++t) {
      int64_t outer =
          coordinateOf(placed.slice, s) + coordinateOf(placed.time, t);
      int64_t count = outer < placed.size ? kLanes : 0;
      if (inPacket)
        for (count = 0;
             count < sizeOf(placed.packet) &&
             outer + coordinateOf(placed.packet, count) < placed.size;)
          ++count;
      counts[s].push_back(count);
    }
  return counts;
}

//===----------------------------------------------------------------------===//
// The manual's rules
//===----------------------------------------------------------------------===//

/// Whether something of R has to be told from data at all.
bool needsCount(const Placed &placed) {
  return placed.size < placed.padded ||
         (!partsOf(placed.packet).empty() && sizeOf(placed.packet) < kLanes);
}

/// "Slice stride order must increase from inner to outer", keeping each range
/// contiguous; the bits of a part can be masked.
bool slicesAreOrdered(const Placed &placed) {
  int64_t position = sizeOf(placed.slice), expected = 0;
  std::vector<std::pair<Term, int64_t>> parts; // innermost first, position
  for (const Term &term : placed.slice) {
    position /= term.extent;
    if (term.isR)
      parts.insert(parts.begin(), {term, position});
  }
  auto isPower = [](int64_t n) { return (n & (n - 1)) == 0; };
  for (const auto &[term, at] : parts) {
    if (expected && term.stride != expected)
      return false;
    expected = term.stride * term.extent;
    bool outermost = at * term.extent == sizeOf(placed.slice);
    if (!isPower(at) || (!outermost && !isPower(at * term.extent)))
      return false;
  }
  return true;
}

bool isSupported(const Placed &placed) {
  std::vector<Term> slice = partsOf(placed.slice), time = partsOf(placed.time),
                    packet = partsOf(placed.packet);
  int64_t size = placed.size, padded = placed.padded, unit = 1;
  if (!packet.empty()) {
    if (placed.packet.size() > 1 || packet[0].stride != 1)
      return false;
    if (slice.empty())
      return true; // Packet, Time + Packet
    // Slice + Packet: the degenerate cases.
    unit = packet[0].extent;
    if (size % unit != 0 && size > unit)
      return false;
    size = (size + unit - 1) / unit;
    padded /= unit;
    if (size == padded)
      return true;
  }
  if (slice.empty())
    return true; // Time
  if (!slicesAreOrdered(placed))
    return false;
  int64_t low = INT64_MAX, all = 1;
  for (const Term &term : slice) {
    low = std::min(low, term.stride / unit);
    all *= term.extent;
  }
  bool inner = true, outer = true;
  for (const Term &term : time) {
    inner &= term.stride / unit < low;
    outer &= term.stride / unit >= low * all;
  }
  if (inner)
    return true; // Slice, Slice + Time
  return outer && padded / all == (size + all - 1) / all;
}

//===----------------------------------------------------------------------===//
// All configurations
//===----------------------------------------------------------------------===//

using Steps = uint32_t; ///< a set of time steps

/// What idx < V can be, and what packet_vc can be, with the counters in
/// `digits` (a bit per time term, outermost bit 0) assigned to the dim.
struct Reachable {
  std::set<Steps> gates;
  std::set<std::vector<int8_t>> packets;
};

/// Calls `visit` with the indices of every step for all strides.
template <typename Visit>
void forStrides(const std::vector<int64_t> &extents, unsigned digits,
                int64_t most, Visit visit) {
  int64_t steps = 1;
  for (int64_t extent : extents)
    steps *= extent;
  std::vector<int64_t> strides(extents.size());
  for (;;) {
    std::vector<int64_t> index(steps);
    for (int64_t t = 0; t < steps; ++t)
      for (int64_t d = extents.size() - 1, rest = t; d >= 0; --d) {
        index[t] += rest % extents[d] * strides[d];
        rest /= extents[d];
      }
    visit(index);
    size_t d = 0;
    for (; d < strides.size(); ++d) {
      if (!(digits >> d & 1))
        continue;
      if (++strides[d] <= most)
        break;
      strides[d] = 0;
    }
    if (d == strides.size())
      return;
  }
}

class Search {
public:
  bool finds(const Placed &placed) {
    Counts counts = needed(placed);
    std::vector<int64_t> extents;
    for (const Term &term : placed.time)
      extents.push_back(term.extent);
    bool inPacket = !partsOf(placed.packet).empty();
    unsigned all = (1u << extents.size()) - 1;
    for (unsigned digits = 0; digits <= (inPacket ? all : 0); ++digits) {
      const Reachable &packet = reachable(extents, digits, inPacket);
      const Reachable &gate = reachable(extents, all & ~digits, false);
      std::set<Steps> tried;
      for (const std::vector<int8_t> &vc : packet.packets) {
        if (!fits(counts, vc))
          continue;
        Steps open = 0;
        for (size_t t = 0; t < vc.size(); ++t)
          open |= Steps(vc[t] > 0) << t;
        if (tried.insert(open).second && findsGate(counts, open, gate.gates))
          return true;
      }
    }
    return false;
  }

private:
  /// Where a slice holds something, it holds what the packet dim says.
  static bool fits(const Counts &counts, const std::vector<int8_t> &vc) {
    for (const std::vector<int64_t> &slice : counts)
      for (size_t t = 0; t < vc.size(); ++t)
        if (slice[t] && slice[t] != vc[t])
          return false;
    return true;
  }

  /// `open`: the steps at which a gate is heard.
  static bool findsGate(const Counts &counts, Steps open,
                        const std::set<Steps> &gates) {
    int64_t slices = counts.size();
    std::vector<Steps> rows;
    for (const std::vector<int64_t> &slice : counts) {
      Steps row = 0;
      for (size_t t = 0; t < slice.size(); ++t)
        row |= Steps(slice[t] > 0) << t;
      rows.push_back(row);
    }
    for (int64_t mask = 0; mask < std::max<int64_t>(2, slices * 2); ++mask)
      for (int64_t match = 0; match <= mask + 1; ++match)
        for (bool transposed : {false, true}) {
          bool possible = true;
          Steps in = 0, out = 0;
          for (int64_t s = 0; s < slices && possible; ++s) {
            int64_t masked = s & mask;
            if (masked < match) {
              possible = (rows[s] & open) == open;
            } else if (masked == match || transposed) {
              in |= rows[s];
              out |= open & ~rows[s];
            } else {
              possible = rows[s] == 0;
            }
          }
          if (!possible || (in & out))
            continue;
          for (Steps gate : gates)
            if ((gate & in) == in && !(gate & out))
              return true;
        }
    return false;
  }

  const Reachable &reachable(const std::vector<int64_t> &extents,
                             unsigned digits, bool packets) {
    auto [entry, isNew] =
        cache.try_emplace({extents, digits, packets}, Reachable());
    Reachable &result = entry->second;
    if (!isNew)
      return result;
    int64_t steps = 1;
    for (int64_t extent : extents)
      steps *= extent;
    if (!packets) {
      result.packets.insert(std::vector<int8_t>(steps, kLanes));
      forStrides(extents, digits, 16, [&](const std::vector<int64_t> &index) {
        std::set<int64_t> thresholds(index.begin(), index.end());
        thresholds.insert(INT64_MAX);
        for (int64_t valid : thresholds) {
          Steps open = 0;
          for (int64_t t = 0; t < steps; ++t)
            open |= Steps(index[t] < valid) << t;
          result.gates.insert(open);
        }
      });
      return result;
    }
    forStrides(extents, digits, 64, [&](const std::vector<int64_t> &index) {
      std::vector<int8_t> vc(steps);
      for (int64_t stride = 1; stride <= kLanes; ++stride)
        for (int64_t valid = 1; valid <= 160; ++valid) {
          for (int64_t t = 0; t < steps; ++t)
            vc[t] = std::min(stride, std::max<int64_t>(0, valid - index[t]));
          result.packets.insert(vc);
        }
    });
    return result;
  }

  std::map<std::tuple<std::vector<int64_t>, unsigned, bool>, Reachable> cache;
};

} // namespace

TEST(ValidCountProperty, RandomPlacements) {
  uint64_t seed = testSeed(std::random_device{}());
  SCOPED_TRACE("seed " + std::to_string(seed));
  Draw draw(seed);
  Search search;
  int accepted = 0, refused = 0, beyondTheRules = 0;
  for (int i = 0; i < 4000; ++i) {
    Placed placed = draw();
    ValidCountStream stream = streamOf(placed);
    auto result = deriveValidCount({"R"}, stream, limitsOfRngd());
    std::string where = "R=" + std::to_string(placed.size) + ": " +
                        stream.slice.str() + " | " + stream.time.str() + " | " +
                        stream.packet.str();
    bool expected = !needsCount(placed) || isSupported(placed);
    // Several parts in the packet are one part for some sizes, which the
    // derivation may see: then only the counts matter.
    bool isOpen = partsOf(placed.packet).size() > 1;
    bool found = !needsCount(placed) || search.finds(placed);
    if (!result) {
      std::string error = llvm::toString(result.takeError());
      ASSERT_TRUE(isOpen || !expected) << where << "\n" << error;
      EXPECT_NE(error.find("axis 'R'"), std::string::npos) << error;
      ++refused;
      beyondTheRules += found;
      continue;
    }
    ++accepted;
    ASSERT_TRUE(isOpen || expected) << where;
    // The search tries strides up to 64.
    ASSERT_TRUE(found || placed.padded > 128) << where;
    if (needsCount(placed))
      ASSERT_EQ(countsOf(result->config, stream), needed(placed)) << where;
    else
      ASSERT_FALSE(result->isNeeded()) << where;
  }
  EXPECT_GT(accepted, 800);
  EXPECT_GT(refused, 800);
  // The rules decide: they also refuse some of what one gate could tell, and a
  // program that relies on them runs wherever they hold (docs/Decisions).
  EXPECT_LT(beyondTheRules, refused);
  std::printf("%d accepted, %d refused, %d of these have a configuration\n",
              accepted, refused, beyondTheRules);
}

static bool mentions(const Mapping &mapping,
                     llvm::ArrayRef<llvm::StringRef> axes) {
  return llvm::any_of(axes, [&](llvm::StringRef axis) {
    return mapping.str().find(axis) != std::string::npos;
  });
}

/// A term of R, of any operators, padded and cut in any order.
static std::string randomTerm(Draw &draw) {
  std::string term = "R";
  for (int64_t ops = draw.below(4); ops > 0; --ops)
    switch (draw.below(6)) {
    case 0:
    case 1:
      term += " # " + std::to_string(2 + draw.below(30));
      break;
    case 2:
      term += " / " + std::to_string(2 + draw.below(4));
      break;
    case 3:
      term += " % " + std::to_string(2 + draw.below(4));
      break;
    case 4:
      term += " = " + std::to_string(1 + draw.below(8));
      break;
    case 5:
      term = "[" + term + "] @ " + std::to_string(draw.below(4)) + " = " +
             std::to_string(1 + draw.below(8));
      break;
    }
  return draw.below(5) == 0 ? "[" + term + "]" : term;
}

/// What became of a stream.
enum class Outcome { Refused, NotNeeded, Counted };

/// Whatever is accepted is counted right in every slice that takes part, by
/// what the mappings say.
static Outcome check(const ValidCountStream &stream,
                     llvm::ArrayRef<llvm::StringRef> axes) {
  auto result = deriveValidCount(axes, stream, limitsOfRngd());
  if (!result) {
    std::string error = llvm::toString(result.takeError());
    EXPECT_NE(error.find("axis '"), std::string::npos) << error;
    return Outcome::Refused;
  }
  const Mapping &slice = stream.slice, &time = stream.time;
  std::string where = slice.axes().str() + ": " + stream.cluster.str() + " | " +
                      slice.str() + " | " + time.str() + " | " +
                      stream.packet.str();
  Counts found = countsOf(result->config, stream);
  Mapping all = llvm::cantFail(Mapping::pair(
      llvm::cantFail(Mapping::pair(stream.cluster,
                                   llvm::cantFail(Mapping::pair(slice, time)))),
      stream.packet));
  for (int64_t c = 0; c < stream.cluster.size(); ++c) {
    if (!stream.cluster.at(c))
      continue;
    Counts needed = neededCounts(stream, axes, c);
    for (int64_t s = 0; s < slice.size(); ++s)
      if (takesPart(stream, s) && found[s] != needed[s]) {
        EXPECT_EQ(found[s], needed[s])
            << where << ", cluster " << c << ", slice " << s;
        return Outcome::Counted;
      }
    // Elements behind the count are no data.
    if (!mentions(stream.packet, axes))
      continue;
    int64_t flit = c * slice.size() * time.size();
    for (const std::vector<int64_t> &counts : needed)
      for (int64_t count : counts) {
        for (int64_t lane = count; lane < kLanes; ++lane)
          if (all.at(flit * kLanes + lane)) {
            ADD_FAILURE() << where << ", flit " << flit << " has data behind "
                          << count << " elements";
            return Outcome::Counted;
          }
        ++flit;
      }
  }
  return result->isNeeded() ? Outcome::Counted : Outcome::NotNeeded;
}

/// The stream of these texts, if it is one and small enough to be walked.
static std::optional<ValidCountStream>
streamOf(const std::string &slice, const std::string &time,
         const std::string &packet, const AxisSizes &axes,
         const std::string &cluster = "1") {
  ValidCountStream stream;
  std::pair<Mapping *, const std::string *> dimensions[] = {
      {&stream.cluster, &cluster},
      {&stream.slice, &slice},
      {&stream.time, &time},
      {&stream.packet, &packet}};
  for (auto [mapping, text] : dimensions) {
    auto parsed = Mapping::parse(*text, axes);
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      return std::nullopt;
    }
    *mapping = std::move(*parsed);
  }
  if (stream.cluster.size() > 8 || stream.slice.size() > 64 ||
      stream.time.size() > 64 || stream.packet.size() != kLanes)
    return std::nullopt;
  return stream;
}

TEST(ValidCountProperty, RandomTerms) {
  // Terms that need not belong together. Whatever is accepted is counted right
  // in every slice that takes part, by what the mappings say.
  uint64_t seed = testSeed(std::random_device{}());
  SCOPED_TRACE("seed " + std::to_string(seed));
  Draw draw(seed);
  int accepted = 0, counted = 0;
  for (int i = 0; i < 60000; ++i) {
    AxisSizes axes;
    axes.add("R", 1 + draw.below(20));
    axes.add("X", 2);
    axes.add("Y", 2 + draw.below(2));
    auto dimension = [&](const char *other) {
      std::string text = draw.below(2) ? other : "";
      for (int64_t terms = draw.below(3); terms > 0; --terms)
        text = draw.below(2) || text.empty()
                   ? randomTerm(draw) + (text.empty() ? "" : ", " + text)
                   : text + ", " + randomTerm(draw);
      return text.empty() ? std::string("1") : text;
    };
    std::string packet =
        (draw.below(2) ? randomTerm(draw) : std::string("1")) + " # 8";
    auto stream = streamOf(dimension("X"), dimension("Y"), packet, axes);
    if (!stream)
      continue;
    Outcome outcome = check(*stream, {"R"});
    accepted += outcome != Outcome::Refused;
    counted += outcome == Outcome::Counted;
    if (HasFailure())
      return;
  }
  EXPECT_GT(counted, 1500);
  std::printf("%d accepted, %d of these counted\n", accepted, counted);
}

/// Parts of one axis, made bottom up: padded, viewed and split in any order, on
/// both sides of a split.
static std::vector<std::string> nestedParts(ExpressionGenerator &generator,
                                            const std::string &axis,
                                            int64_t size) {
  AxisSizes axes;
  axes.add(axis, size);
  ExpressionGenerator::Options options;
  options.number = 0;
  options.lowPad = generator.chance(10) ? 5 : 0;
  options.group = generator.chance(10) ? 25 : 0;
  options.dropOffsets = true;
  const Node *root = generator.nested(axes, 96, options);
  std::vector<std::string> parts;
  for (const Node *part : root->parts)
    parts.push_back(part->kind == Node::Group ? "[" + part->text() + "]"
                                              : part->text());
  return parts;
}

TEST(ValidCountProperty, NestedViews) {
  // Parts that belong together: views inside of splits inside of padding. Where
  // parts of one group are in several dimensions, what the group holds at its
  // position 0 counts once, and the group may end before the axis does.
  uint64_t seed = testSeed(std::random_device{}());
  SCOPED_TRACE("seed " + std::to_string(seed));
  ExpressionGenerator generator(seed);
  int accepted = 0, counted = 0;
  for (int i = 0; i < 20000; ++i) {
    AxisSizes axes;
    axes.add("X", 2);
    axes.add("Y", generator.pick(2, 3));
    std::vector<std::string> cluster, slice, time, packet;
    auto insert = [&](std::vector<std::string> &to, const std::string &term) {
      to.insert(to.end() - generator.pick(0, to.size()), term);
    };
    llvm::SmallVector<llvm::StringRef, 2> names{"R"};
    if (generator.chance(20))
      names.push_back("S");
    for (llvm::StringRef name : names) {
      int64_t size = generator.pick(1, name == "R" ? 24 : 6);
      axes.add(name, size);
      std::vector<std::string> parts = nestedParts(generator, name.str(), size);
      // Mostly outer parts in Slice and inner ones in Packet.
      bool tidy = generator.chance(70);
      int64_t n = parts.size(), first = generator.pick(0, n),
              last = generator.chance(40) ? generator.pick(first, n) : n;
      for (int64_t at = 0; at < n; ++at) {
        int64_t where =
            tidy ? (at >= first) + (at >= last) : generator.pick(0, 2);
        auto &to = where == 1             ? time
                   : where == 2           ? packet
                   : generator.chance(15) ? cluster
                                          : slice;
        if (tidy)
          to.push_back(parts[at]);
        else
          insert(to, parts[at]);
      }
    }
    if (generator.chance(40))
      insert(slice, "X");
    if (generator.chance(40))
      insert(time, "Y");
    for (auto *to : {&slice, &packet})
      if (generator.chance(5))
        insert(*to, generator.chance(50) ? "1 # 2" : "1 # 2 @ 1");
    auto text = [](const std::vector<std::string> &terms) {
      return terms.empty() ? std::string("1") : llvm::join(terms, ", ");
    };
    auto stream = streamOf(
        text(slice), text(time),
        (packet.size() > 1 ? "[" + text(packet) + "]" : text(packet)) + " # 8",
        axes, text(cluster));
    if (!stream)
      continue;
    Outcome outcome = check(*stream, names);
    accepted += outcome != Outcome::Refused;
    counted += outcome == Outcome::Counted;
    if (HasFailure())
      return;
  }
  EXPECT_GT(counted, 3000);
  std::printf("%d accepted, %d of these counted\n", accepted, counted);
}
