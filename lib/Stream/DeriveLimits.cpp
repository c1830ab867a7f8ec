//===- DeriveLimits.cpp - Loops within the limits of a machine ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeriveLimits.h"
#include "Checked.h"
#include "Materialize.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace sequin;
using llvm::ArrayRef;
using llvm::Twine;

Sequencer sequin::sequencerOf(const Nest &nest, int64_t lanes,
                              ArrayRef<PositionRange> ranges) {
  Sequencer sequencer;
  sequencer.base = nest.base;
  for (const NestLoop &loop : nest.loops)
    sequencer.entries.push_back({loop.size, loop.stride, {}});
  int64_t inner = 1;
  sequencer.packetElements = lanes == 1 ? 1 : 0;
  for (size_t i = sequencer.entries.size(); i-- > 0;) {
    SequencerEntry &entry = sequencer.entries[i];
    int64_t outer = inner * entry.size;
    for (const PositionRange &range : ranges)
      if (range.inner < outer && inner < range.outer)
        for (const LoopTerm &term : range.terms)
          if (!llvm::is_contained(entry.terms, term))
            entry.terms.push_back(term);
    if (sequencer.packetElements == 0) {
      ++sequencer.packetEntries;
      if (outer % lanes == 0)
        sequencer.packetElements = outer;
    }
    inner = outer;
  }
  return sequencer;
}

namespace {

/// "[4:16, 2:8, 8:1]" with the terms, for messages about too many entries.
std::string show(ArrayRef<SequencerEntry> entries) {
  std::string result = "[";
  for (const SequencerEntry &entry : entries) {
    if (result.size() > 1)
      result += ", ";
    result += entry.termsStr() + " " + std::to_string(entry.size) + ":" +
              std::to_string(entry.stride);
  }
  return result + "]";
}

bool isContiguous(const SequencerEntry &outer, const SequencerEntry &inner) {
  return checked::mul(inner.size, inner.stride) == outer.stride;
}

class LimitFitter {
public:
  LimitFitter(Derivation &result, const DeriveOptions &options,
              const AddressMap &buffer, int64_t packetSize,
              DataVisits dataVisits)
      : result(result), options(options), buffer(buffer),
        packetSize(packetSize), dataVisits(dataVisits) {}

  llvm::Error run() {
    Sequencer &sequencer = result.sequencer;
    bool small =
        llvm::all_of(result.initial.entries, [&](const SequencerEntry &entry) {
          return entry.size <= options.limits.maxSize;
        });
    llvm::Error tooLarge = llvm::Error::success();
    if (!small) {
      sequencer = result.initial;
      tooLarge = splitEntries(sequencer);
    }
    const Sequencer &plain = small ? result.initial : sequencer;
    if (!tooLarge && fits(plain) && !options.minimal) {
      if (small)
        sequencer = result.initial;
      return llvm::Error::success();
    }
    if (!tooLarge) {
      sequencer = merged(plain);
      result.merged = true;
      if (fits(sequencer) && !options.minimal)
        return llvm::Error::success();
    }
    auto smallest = refactor(/*limited=*/true);
    if (smallest &&
        (tooLarge || smallest->entries.size() < sequencer.entries.size())) {
      llvm::consumeError(std::move(tooLarge));
      tooLarge = llvm::Error::success();
      sequencer = std::move(*smallest);
      result.merged = result.refactored = true;
    }
    if (!tooLarge && fits(sequencer))
      return llvm::Error::success();
    if (options.maxSegments > 1 && segment()) {
      llvm::consumeError(std::move(tooLarge));
      return llvm::Error::success();
    }
    if (tooLarge)
      return tooLarge;
    return llvm::createStringError(
        "the stream needs " + Twine(sequencer.entries.size()) +
        " sequencer entries after merging, at most " +
        Twine(options.limits.maxEntries) +
        " are allowed: " + show(sequencer.entries));
  }

private:
  /// Splits entries that are too large.
  llvm::Error splitEntries(Sequencer &sequencer) {
    int64_t limit = options.limits.maxSize;
    for (size_t i = 0; i < sequencer.entries.size(); ++i) {
      SequencerEntry &entry = sequencer.entries[i];
      if (entry.size <= limit)
        continue;
      auto factors = splitSize(entry.size, limit);
      if (factors.empty())
        return llvm::createStringError(
            "entry '" + entry.termsStr() + "' has size " + Twine(entry.size) +
            ", at most " + Twine(limit) +
            " are allowed, and no divisor to split it by");
      if (i + sequencer.packetEntries >= sequencer.entries.size())
        sequencer.packetEntries += factors.size() - 1;
      // Innermost first.
      int64_t stride = entry.stride;
      llvm::SmallVector<SequencerEntry, 4> parts;
      for (int64_t size : factors) {
        parts.push_back({size, stride, entry.terms});
        auto next = checked::mul(stride, size);
        if (!next)
          return llvm::createStringError("the addresses of '" + buffer.str() +
                                         "' do not fit in 64 bits");
        stride = *next;
      }
      entry = parts.pop_back_val();
      while (!parts.empty())
        sequencer.entries.insert(sequencer.entries.begin() + ++i,
                                 parts.pop_back_val());
    }
    return llvm::Error::success();
  }

  /// Every contiguous pair that stays within the size limit merged.
  Sequencer merged(const Sequencer &plain) const {
    Sequencer result;
    result.base = plain.base;
    result.packetElements = plain.packetElements;
    result.packetEntries = plain.packetEntries;
    result.entries.reserve(plain.entries.size());
    size_t firstPacket = plain.entries.size() - plain.packetEntries;
    for (size_t i = 0; i < plain.entries.size(); ++i) {
      const SequencerEntry &entry = plain.entries[i];
      if (result.entries.empty() ||
          !isContiguous(result.entries.back(), entry) ||
          result.entries.back().size > options.limits.maxSize / entry.size) {
        result.entries.push_back(entry);
        continue;
      }
      SequencerEntry &outer = result.entries.back();
      if (i == firstPacket) // a loop of time joins the packet
        result.packetElements *= outer.size;
      else if (i > firstPacket)
        --result.packetEntries;
      outer.size *= entry.size;
      outer.stride = entry.stride;
      for (const LoopTerm &term : entry.terms)
        if (!llvm::is_contained(outer.terms, term))
          outer.terms.push_back(term);
    }
    return result;
  }

  bool fits(const Sequencer &sequencer) const {
    return sequencer.entries.size() <= options.limits.maxEntries;
  }

  /// The nest of the fewest loops that visits what `initial` does, with or
  /// without regard to the limits.
  std::optional<Sequencer> refactor(bool limited) {
    llvm::SmallVector<PositionRange, 8> ranges;
    int64_t inner = 1;
    for (const SequencerEntry &entry : llvm::reverse(result.initial.entries)) {
      ranges.push_back({inner, inner * entry.size, entry.terms});
      inner *= entry.size;
    }
    std::reverse(ranges.begin(), ranges.end());
    int64_t limit = options.limits.maxSize;
    NestOptions nestOptions;
    nestOptions.maxSize = limited ? limit : std::numeric_limits<int64_t>::max();
    std::optional<Nest> nest;
    if (options.direction == Direction::Read && inner <= maxMaterialized) {
      nestOptions.boundary = packetSize;
      nestOptions.spanBoundary = true;
      if (auto addresses = dataVisits())
        nest = findNest(*addresses, nestOptions,
                        [](const Nest &) { return true; });
    }
    if (!nest) {
      // All contiguous pairs merged, then as few parts as the sizes allow: the
      // fewest loops, see Nest.h.
      nest.emplace();
      nest->base = result.initial.base;
      llvm::SmallVector<NestLoop, 8> loops;
      for (const SequencerEntry &entry : result.initial.entries) {
        if (!loops.empty() &&
            checked::mul(entry.size, entry.stride) == loops.back().stride) {
          loops.back().size *= entry.size;
          loops.back().stride = entry.stride;
        } else if (entry.size > 1) {
          loops.push_back({entry.size, entry.stride});
        }
      }
      for (const NestLoop &loop : loops) {
        auto factors = splitSize(loop.size, nestOptions.maxSize);
        if (factors.empty())
          return std::nullopt;
        int64_t size = loop.size;
        for (int64_t factor : llvm::reverse(factors)) {
          size /= factor;
          nest->loops.push_back({factor, loop.stride * size});
        }
      }
    }
    return sequencerOf(*nest, result.initial.packetElements, ranges);
  }

  /// Several sequencers for one stream, in the order of its positions.
  bool segment() {
    Sequencer whole = result.sequencer;
    if (auto smallest = refactor(/*limited=*/true))
      whole = std::move(*smallest);
    else if (auto wide = refactor(/*limited=*/false))
      whole = std::move(*wide);
    std::vector<Sequencer> segments;
    if (!cutInto(whole, segments))
      return false;
    result.segments = std::move(segments);
    result.sequencer = result.segments.front();
    return true;
  }

  bool cutInto(const Sequencer &whole, std::vector<Sequencer> &segments) {
    int64_t limit = options.limits.maxSize;
    if (fits(whole) &&
        llvm::all_of(whole.entries, [&](const SequencerEntry &entry) {
          return entry.size <= limit;
        })) {
      segments.push_back(whole);
      return static_cast<int64_t>(segments.size()) <= options.maxSegments;
    }
    if (whole.entries.size() <= whole.packetEntries)
      return false; // a packet stays whole
    const SequencerEntry &outer = whole.entries.front();
    bool large = outer.size > limit;
    for (int64_t i = 0; i < outer.size; i += large ? limit : 1) {
      Sequencer part = whole;
      part.base += i * outer.stride;
      if (large)
        part.entries.front().size = std::min(limit, outer.size - i);
      else
        part.entries.erase(part.entries.begin());
      if (!cutInto(part, segments))
        return false;
    }
    return true;
  }

  Derivation &result;
  const DeriveOptions &options;
  const AddressMap &buffer;
  int64_t packetSize;
  DataVisits dataVisits;
};

} // namespace

llvm::Error sequin::fitLimits(Derivation &result, const DeriveOptions &options,
                              const AddressMap &buffer, int64_t packetSize,
                              DataVisits dataVisits) {
  return LimitFitter(result, options, buffer, packetSize, dataVisits).run();
}
