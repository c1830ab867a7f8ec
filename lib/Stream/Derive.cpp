//===- Derive.cpp - Sequencers from buffer and stream mappings ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps follow the manual (Sequencer, Configuration Examples): one entry
// per term of the stream, its stride being the volume that the term occupies in
// the buffer; then merging where the entry limit asks for it; then the limits.
//
//===----------------------------------------------------------------------===//

#include "AddressTable.h"
#include "Checked.h"
#include "Materialize.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <deque>
#include <numeric>

using namespace sequin;
using checked::ceilDiv;
using checked::saturatingAdd;
using checked::saturatingMul;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// A factor of the stream and the term it comes from.
struct StreamFactor {
  /// As it is walked; another than the original if it is truncated.
  const Factor *factor;
  /// As the mapping has it.
  const Factor *original;
  const Mapping *mapping;
  const Mapping::Term *term;
  bool inPacket;

  unsigned termIndex() const {
    return static_cast<unsigned>(term - mapping->terms().data());
  }
  LoopTerm whole() const { return LoopTerm(*mapping, termIndex()); }
  LoopTerm part(int64_t stride, int64_t extent, int64_t valid) const {
    return LoopTerm(*mapping, termIndex(),
                    {static_cast<unsigned>(original - term->factors.data()),
                     stride, extent, valid});
  }
};

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

class Deriver {
public:
  Deriver(const AddressMap &buffer, const Mapping &time, const Mapping &packet,
          const DeriveOptions &options)
      : buffer(buffer), time(time), packet(packet), options(options) {}

  llvm::Expected<Derivation> run() {
    if (!checked::mul(time.size(), packet.size()))
      return llvm::createStringError("the size of the stream '" + time.str() +
                                     "' times '" + packet.str() +
                                     "' does not fit in 64 bits");
    if (!(time.axes() == packet.axes())) {
      auto axes = time.axes().unionWith(packet.axes());
      if (!axes)
        return axes.takeError();
    }
    collect(time, /*inPacket=*/false);
    collect(packet, /*inPacket=*/true);
    if (llvm::Error error = byTerms()) {
      if (!search())
        return error;
      llvm::consumeError(std::move(error));
    }
    if (llvm::Error error = fitLimits())
      return error;
    if (llvm::Error error = accesses())
      return error;
    return std::move(result);
  }

private:
  void collect(const Mapping &mapping, bool inPacket) {
    for (const Mapping::Term &term : mapping.terms())
      for (const Factor &f : term.factors)
        stream.push_back({&f, &f, &mapping, &term, inPacket});
  }

  /// The lanes of one factor of a write's packet that the buffer takes.
  llvm::Expected<int64_t> keptLanes(const StreamFactor &entry, bool innermost) {
    const Factor &f = *entry.factor;
    if (table->names(f)) {
      auto room = table->room(f);
      if (!room)
        return room.takeError();
      return std::min(f.extent, std::max<int64_t>(*room, 1));
    }
    if (f.isPaddingOnly() && f.first == 0)
      return innermost ? std::min(f.extent, table->innermostPadding()) : 1;
    return f.extent;
  }

  /// Drops the lanes at the end of the packet that the buffer has no room for
  /// (TCP manual, Commit Engine, Truncating: leading elements are kept).
  llvm::Error truncatePacket() {
    size_t begin =
        llvm::find_if(
            stream, [](const StreamFactor &entry) { return entry.inPacket; }) -
        stream.begin();
    // Whether all lanes so far have digit 0 in the factors further out.
    bool alone = true;
    for (size_t i = begin; i < stream.size(); ++i) {
      StreamFactor &entry = stream[i];
      auto kept = keptLanes(entry, i + 1 == stream.size());
      if (!kept)
        return kept.takeError();
      if (*kept < entry.factor->extent) {
        if (!alone)
          return llvm::createStringError(
              "write of packet '" + packet.str() + "' drops lanes of '" +
              entry.factor->str() +
              "' in the middle of the packet; only lanes at its end can be "
              "truncated (the buffer '" +
              buffer.str() + "' has room for " + Twine(*kept) + " of " +
              Twine(entry.factor->extent) + ")");
        Factor &shorter = truncated.emplace_back(*entry.factor);
        shorter.extent = *kept;
        shorter.valid = std::min(shorter.valid, *kept);
        entry.factor = &shorter;
      }
      alone &= *kept == 1;
    }
    return llvm::Error::success();
  }

  /// The manual's way: one entry per term.
  llvm::Error byTerms() {
    bool write = isWrite();
    auto built = AddressTable::build(buffer, write ? AddressTable::Mode::Write
                                                   : AddressTable::Mode::Read);
    if (!built)
      return built.takeError();
    table = &*built;
    for (const StreamFactor &entry : stream)
      table->noteStream(*entry.original);
    if (write) {
      for (const StreamFactor &entry : stream)
        if (entry.factor->valid == 0)
          return llvm::createStringError("the stream's '" + entry.term->text +
                                         "' holds no data to write");
      if (llvm::Error error = truncatePacket())
        return error;
    }
    if (llvm::Error error = makeEntries())
      return error;
    auto base = table->finish();
    if (!base)
      return base.takeError();
    result.initial.base = *base;
    return llvm::Error::success();
  }

  bool isWrite() const { return options.direction == Direction::Write; }

  /// The way of last resort: a nest for the addresses that the stream asks for.
  bool search() {
    auto whole = Mapping::pair(time, packet);
    if (!whole) {
      llvm::consumeError(whole.takeError());
      return false;
    }
    auto found = materialize(buffer, *whole, options.direction);
    if (!found)
      return false;
    return isWrite() ? searchWrite(*found) : searchRead(found->addresses);
  }

  bool searchRead(const std::vector<int64_t> &addresses) {
    if (llvm::is_contained(addresses, noAddress))
      return false;
    NestOptions nestOptions;
    nestOptions.maxSize = options.limits.maxSize;
    nestOptions.boundary = packet.size();
    auto nest =
        findNest(addresses, nestOptions, [](const Nest &) { return true; });
    if (nest)
      setInitial(*nest, packet.size());
    return nest.has_value();
  }

  bool searchWrite(const Materialized &found) {
    int64_t lanes = packet.size();
    int64_t needed = 0;
    for (size_t i = 0; i < found.addresses.size(); ++i)
      if (found.addresses[i] != anyAddress && found.addresses[i] != noAddress)
        needed = std::max<int64_t>(needed, static_cast<int64_t>(i) % lanes + 1);
    llvm::DenseSet<int64_t> data, free;
    data.insert_range(found.dataAddresses);
    for (int64_t address : found.allAddresses)
      if (!data.contains(address))
        free.insert(address);
    for (int64_t kept = needed; needed > 0 && kept <= lanes; ++kept) {
      std::vector<int64_t> addresses;
      for (size_t i = 0; i < found.addresses.size(); ++i)
        if (static_cast<int64_t>(i) % lanes < kept)
          addresses.push_back(found.addresses[i]);
      if (llvm::is_contained(addresses, noAddress))
        return false;
      size_t written = addresses.size() - llvm::count(addresses, anyAddress);
      if (written != data.size())
        return false;
      // Each cell once, and padding only where there is room.
      auto accept = [&](const Nest &nest) {
        llvm::DenseSet<int64_t> seen;
        auto visits = sequencerOf(nest).visits();
        for (size_t i = 0; i < visits.size(); ++i) {
          const auto &room = addresses[i] == anyAddress ? free : data;
          if (!room.contains(visits[i]) || !seen.insert(visits[i]).second)
            return false;
        }
        return true;
      };
      NestOptions nestOptions;
      nestOptions.maxSize = options.limits.maxSize;
      nestOptions.boundary = kept;
      nestOptions.spread = true;
      if (auto nest = findNest(addresses, nestOptions, accept)) {
        setInitial(*nest, kept);
        return true;
      }
    }
    return false;
  }

  /// Positions of the stream that a term or a loop walks: the digit of position
  /// / inner % (outer / inner).
  struct Range {
    int64_t inner, outer;
    llvm::SmallVector<LoopTerm, 1> terms;
  };

  static Sequencer sequencerOf(const Nest &nest) {
    Sequencer sequencer;
    sequencer.base = nest.base;
    for (const NestLoop &loop : nest.loops)
      sequencer.entries.push_back({loop.size, loop.stride, {}});
    return sequencer;
  }

  /// A nest as a sequencer; its packet has at least `lanes` elements.
  static Sequencer named(const Nest &nest, int64_t lanes,
                         ArrayRef<Range> ranges) {
    Sequencer sequencer = sequencerOf(nest);
    int64_t inner = 1;
    sequencer.packetElements = lanes == 1 ? 1 : 0;
    for (size_t i = sequencer.entries.size(); i-- > 0;) {
      SequencerEntry &entry = sequencer.entries[i];
      int64_t outer = inner * entry.size;
      for (const Range &range : ranges)
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

  void setInitial(const Nest &nest, int64_t lanes) {
    // Terms, innermost first; a truncated packet ends early.
    llvm::SmallVector<Range, 8> ranges;
    int64_t position = 1;
    for (size_t i = stream.size(); i > 0;) {
      const StreamFactor &last = stream[i - 1];
      int64_t outer = position;
      for (; i > 0 && stream[i - 1].term == last.term; --i)
        outer *= stream[i - 1].original->extent;
      if (last.inPacket)
        outer = std::min(outer, lanes);
      ranges.push_back({position, outer, {last.whole()}});
      position = outer;
    }
    std::reverse(ranges.begin(), ranges.end());
    result.initial = named(nest, lanes, ranges);
    result.searched = true;
  }

  llvm::Error makeEntries() {
    result.initial.entries.reserve(stream.size() + 2);
    for (size_t i = 0; i < stream.size(); ++i) {
      const Factor &f = *stream[i].factor;
      bool newTerm = i == 0 || stream[i - 1].term != stream[i].term;
      if (newTerm)
        termBegin = result.initial.entries.size();
      if (llvm::Error error = addFactor(stream[i], i + 1 == stream.size()))
        return error;
      if (stream[i].inPacket)
        result.initial.packetElements *= f.extent;
      bool endOfTerm =
          i + 1 == stream.size() || stream[i + 1].term != stream[i].term;
      if (endOfTerm)
        nameEntries(stream[i]);
    }
    return llvm::Error::success();
  }

  llvm::Error addFactor(const StreamFactor &entry, bool innermost) {
    const Factor &f = *entry.factor;
    bool write = isWrite();
    if (table->names(f)) {
      auto pieces = table->pieces(f);
      if (!pieces)
        return pieces.takeError();
      if (pieces->size() == 1 && entry.term->factors.size() == 1) {
        addEntry(pieces->front().extent, pieces->front().address,
                 entry.whole());
        return llvm::Error::success();
      }
      for (const StreamPiece &piece : *pieces) {
        addEntry(piece.extent, piece.address,
                 entry.part(piece.stride, piece.extent,
                            std::min(piece.valid, piece.extent)));
      }
      return llvm::Error::success();
    }
    if (write && f.offset != 0)
      return llvm::createStringError(
          "write leaves the tensor: the stream's '" + entry.term->text +
          "' starts at index " + llvm::Twine(f.offset) + " of " + f.base +
          ", the buffer '" + buffer.str() + "' holds index 0 alone");
    if (f.extent == 1)
      return llvm::Error::success();
    if (auto stride = table->matchBroadcast(f)) {
      addEntry(f.extent, *stride, entry.part(f.stride, f.extent, f.valid));
    } else if (f.isPaddingOnly()) {
      // Padding behind the packet is read from behind the data. Elsewhere the
      // same data is read again and ignored.
      bool behind = innermost && entry.inPacket && f.first == 0;
      if (write && !behind)
        return llvm::createStringError(
            "write broadcast: the padding of '" + entry.term->text +
            "' would be written over the data of the buffer '" + buffer.str() +
            "'");
      addEntry(f.extent, behind ? 1 : 0,
               entry.part(f.stride, f.extent, f.valid));
    } else if (write) {
      return llvm::createStringError("write broadcast: the buffer '" +
                                     buffer.str() + "' does not hold '" +
                                     entry.term->text +
                                     "' of the stream, so it "
                                     "would write one cell " +
                                     Twine(f.extent) + " times");
    } else {
      addEntry(f.extent, 0, entry.part(f.stride, f.extent, f.valid));
    }
    return llvm::Error::success();
  }

  /// Appends a loop; loops of one term that follow each other are one loop.
  void addEntry(int64_t size, int64_t stride, LoopTerm term) {
    auto &entries = result.initial.entries;
    if (entries.size() > termBegin &&
        checked::mul(size, stride) == entries.back().stride) {
      entries.back().size *= size;
      entries.back().stride = stride;
      entries.back().terms.front().join(term);
      return;
    }
    SequencerEntry &entry = entries.emplace_back();
    entry.size = size;
    entry.stride = stride;
    entry.terms.push_back(std::move(term));
  }

  /// A term that gave one loop gives it its name.
  void nameEntries(const StreamFactor &last) {
    auto &entries = result.initial.entries;
    if (entries.size() == termBegin + 1 &&
        !entries.back().terms.front().isWhole())
      entries.back().terms.front() = last.whole();
    if (last.inPacket)
      result.initial.packetEntries +=
          static_cast<unsigned>(entries.size() - termBegin);
    termBegin = entries.size();
  }

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

  /// Whether some position of the stream is padding, or may be.
  bool mayHavePadding() const {
    std::map<StringRef, int64_t> reach;
    for (const StreamFactor &entry : stream) {
      const Factor &f = *entry.original;
      if (f.isPadded() || f.kind == Factor::Kind::Composite)
        return true;
      if (f.kind == Factor::Kind::Broadcast)
        continue;
      int64_t &last = reach[f.base];
      last = saturatingAdd(
          last, saturatingAdd(f.offset, saturatingMul(f.extent - 1, f.stride)));
      if (last >= f.baseSize)
        return true;
    }
    return false;
  }

  /// The nest of the fewest loops that visits what `initial` does, with or
  /// without regard to the limits.
  std::optional<Sequencer> refactor(bool limited) {
    llvm::SmallVector<Range, 8> ranges;
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
    if (!isWrite() && inner <= maxMaterialized && mayHavePadding()) {
      auto whole = Mapping::pair(time, packet);
      if (!whole) {
        llvm::consumeError(whole.takeError());
        return std::nullopt;
      }
      auto addresses = result.initial.visits();
      nestOptions.boundary = packet.size();
      nestOptions.spanBoundary = true;
      if (forgetPadding(*whole, addresses))
        nest =
            findNest(addresses, nestOptions, [](const Nest &) { return true; });
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
    return named(*nest, result.initial.packetElements, ranges);
  }

  llvm::Error fitLimits() {
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

  llvm::Error accesses() {
    int64_t bits = getBitWidth(options.elementType);
    const Sequencer &shown = options.direction == Direction::Read
                                 ? result.sequencer
                                 : result.initial;
    int64_t run = result.sequencer.contiguousElements();
    for (const Sequencer &part : result.segments)
      run = std::gcd(run, part.contiguousElements());
    auto packetBits = checked::mul(shown.packetElements, bits);
    auto runBits = checked::mul(run, bits);
    auto totalBits = checked::mul(result.initial.visitCount(), bits);
    if (!packetBits || !runBits || !totalBits)
      return llvm::createStringError("the stream '" + time.str() + "' times '" +
                                     packet.str() +
                                     "' has more than 2^63 bits");
    int64_t common = std::gcd(*packetBits, *runBits);
    if (common % 8 != 0)
      return llvm::createStringError(
          "accesses of " + Twine(common) + " bits (packet of " +
          Twine(*packetBits) + " bits, contiguous run of " + Twine(*runBits) +
          " bits) are not whole bytes");
    result.contiguousBytes = *runBits / 8;
    result.accessBytes = common / 8;
    result.accessSupported = false;
    for (int64_t size : options.limits.accessBytes)
      if (result.accessBytes % size == 0)
        supported = size;
    if (supported) {
      result.accessBytes = supported;
      result.accessSupported = true;
    }
    result.cycles = *totalBits / 8 / result.accessBytes;
    int64_t laneBytes = result.initial.packetElements * bits / 8;
    result.accessesPerPacket = ceilDiv(laneBytes, result.accessBytes);
    if (isWrite())
      result.commitInBytes = laneBytes;
    return llvm::Error::success();
  }

  const AddressMap &buffer;
  const Mapping &time;
  const Mapping &packet;
  const DeriveOptions &options;
  AddressTable *table = nullptr;
  llvm::SmallVector<StreamFactor, 16> stream;
  std::deque<Factor> truncated;
  size_t termBegin = 0;
  int64_t supported = 0;
  Derivation result;
};

} // namespace

llvm::Expected<Derivation> sequin::derive(const AddressMap &buffer,
                                          const Mapping &time,
                                          const Mapping &packet,
                                          const DeriveOptions &options) {
  return Deriver(buffer, time, packet, options).run();
}

llvm::Expected<PairedSequencer>
sequin::derivePair(const AddressMap &source, const AddressMap &destination) {
  if (destination.overflowed())
    return llvm::createStringError("the addresses of '" + destination.str() +
                                   "' do not fit in 64 bits");
  auto table = AddressTable::build(source, AddressTable::Mode::ReadInside);
  if (!table)
    return table.takeError();
  for (const AddressFactor &entry : destination.factors())
    table->noteStream(entry.factor);

  PairedSequencer result;
  auto add = [&](int64_t size, int64_t from, int64_t to, const Factor &f) {
    if (size <= 1)
      return;
    if (!result.entries.empty()) {
      PairedSequencer::Entry &outer = result.entries.back();
      if (checked::mul(size, from) == outer.sourceStride &&
          checked::mul(size, to) == outer.destinationStride) {
        outer.size *= size;
        outer.sourceStride = from;
        outer.destinationStride = to;
        outer.term += ", " + f.str();
        return;
      }
    }
    result.entries.push_back({size, from, to, f.str()});
  };
  std::deque<Factor> walked; // the table knows factors by address
  for (const AddressFactor &entry : destination.factors()) {
    // Only the positions that hold data are walked.
    Factor &f = walked.emplace_back(entry.factor);
    auto base =
        checked::mulAdd(f.first, entry.addressStride, result.destinationBase);
    if (!base)
      return llvm::createStringError("the addresses of '" + destination.str() +
                                     "' do not fit in 64 bits");
    result.destinationBase = *base;
    f.first = 0;
    f.extent = f.valid;
    if (f.extent == 0)
      return llvm::createStringError("the destination '" + destination.str() +
                                     "' holds no data");
    if (!table->names(f)) {
      auto from = f.extent > 1 ? table->matchBroadcast(f) : std::nullopt;
      add(f.extent, from.value_or(0), entry.addressStride, f);
      continue;
    }
    auto pieces = table->pieces(f);
    if (!pieces)
      return pieces.takeError();
    for (const StreamPiece &piece : *pieces) {
      Factor part = f;
      part.stride = piece.stride;
      part.extent = part.valid = piece.extent;
      add(piece.extent, piece.address,
          entry.addressStride * (piece.stride / f.stride), part);
    }
  }
  auto base = table->finish();
  if (!base)
    return base.takeError();
  result.sourceBase = *base;
  if (!result.entries.empty()) {
    const PairedSequencer::Entry &inner = result.entries.back();
    if (inner.sourceStride == 1 && inner.destinationStride == 1)
      result.contiguousElements = inner.size;
  }
  return result;
}
