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
#include "DeriveLimits.h"
#include "FactorList.h"
#include "Materialize.h"
#include "sequin/Support/StridedKeys.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
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

class Deriver {
public:
  Deriver(const AddressMap &buffer, const Mapping &time, const Mapping &packet,
          const DeriveOptions &options)
      : buffer(buffer), time(time), packet(packet), options(options) {}

  /// Sets `initial`, one loop for each term.
  llvm::Expected<Derivation> deriveLoops() {
    if (!checked::mul(time.size(), packet.size()))
      return llvm::createStringError("the size of the stream '" + time.str() +
                                     "' times '" + packet.str() +
                                     "' does not fit in 64 bits");
    if (llvm::Error error = checkAxes())
      return error;
    if (llvm::Error error = collect())
      return error;
    if (llvm::Error error = byTerms()) {
      if (!search())
        return error;
      llvm::consumeError(std::move(error));
    }
    return std::move(result);
  }

  /// Sets the rest of `given`.
  llvm::Error fitLoops(Derivation &given) {
    result = std::move(given);
    if (streamFactors.empty())
      if (llvm::Error error = collect())
        return error;
    auto dataVisits = [&]() -> std::optional<std::vector<int64_t>> {
      if (!mayHavePadding() || !joinStream())
        return std::nullopt;
      auto addresses = result.initial.visits();
      if (!forgetPadding(*stream, addresses))
        return std::nullopt;
      return addresses;
    };
    if (llvm::Error error =
            fitLimits(result, options, buffer, packet.size(), dataVisits))
      return error;
    if (llvm::Error error = accesses())
      return error;
    given = std::move(result);
    return llvm::Error::success();
  }

private:
  /// An axis and a table mean one thing everywhere.
  llvm::Error checkAxes() const {
    AxisSizes all = time.axes();
    auto add = [&](const AxisSizes &axes) -> llvm::Error {
      if (all == axes)
        return llvm::Error::success();
      auto both = all.unionWith(axes);
      if (!both)
        return both.takeError();
      all = std::move(*both);
      return llvm::Error::success();
    };
    if (llvm::Error error = add(packet.axes()))
      return error;
    for (const AddressMap::Part &part : buffer.parts())
      if (llvm::Error error = add(part.mapping.axes()))
        return error;
    return llvm::Error::success();
  }

  /// The pair of time and packet; null if they are no mapping together.
  const Mapping *joinStream() {
    if (!stream) {
      auto pair = Mapping::pair(time, packet);
      if (!pair) {
        streamError = llvm::toString(pair.takeError());
        return nullptr;
      }
      stream = std::move(*pair);
    }
    return &*stream;
  }

  /// The terms of [time, packet] as one mapping: quotients and remainders of
  /// something that does not begin at index 0 meet across the two.
  llvm::Error collect() {
    auto hasGroup = [](const Mapping &mapping) {
      return llvm::any_of(mapping.factors(), [](const Factor &f) {
        return f.composite != nullptr;
      });
    };
    bool meet = !time.startsAtZero() && !packet.startsAtZero();
    bool skews = !time.axes().skews().empty() || !packet.axes().skews().empty();
    if ((meet || skews || hasGroup(time) || hasGroup(packet)) && !joinStream())
      return llvm::createStringError("time '" + time.str() + "' and packet '" +
                                     packet.str() +
                                     "' are no stream: " + streamError);
    size_t timeTerms = time.terms().size();
    auto add = [&](const Mapping &mapping, size_t begin, size_t end,
                   bool inPacket) {
      for (const Mapping::Term &term :
           mapping.terms().slice(begin, end - begin))
        for (const Factor &f : term.factors)
          streamFactors.push_back({&f, &f, &mapping, &term, inPacket});
    };
    if (meet) {
      add(*stream, 0, timeTerms, /*inPacket=*/false);
      add(*stream, timeTerms, stream->terms().size(), /*inPacket=*/true);
    } else {
      add(time, 0, timeTerms, /*inPacket=*/false);
      add(packet, 0, packet.terms().size(), /*inPacket=*/true);
    }
    return llvm::Error::success();
  }

  /// Whether axes as they are named mean the same to buffer and stream.
  llvm::Error checkSkewedAxes() const {
    llvm::SmallVector<Mapping, 4> held;
    bool any = !time.axes().skews().empty() || !packet.axes().skews().empty();
    for (const AddressMap::Part &part : buffer.parts()) {
      held.push_back(part.mapping);
      any |= !part.mapping.axes().skews().empty();
    }
    if (!any)
      return llvm::Error::success();
    if (llvm::Error error = checkSkews(held, {time, packet}))
      return llvm::createStringError(
          "incompatible shapes of the buffer '" + buffer.str() +
          "' and the stream: " + llvm::toString(std::move(error)));
    return llvm::Error::success();
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
    size_t begin = llvm::find_if(streamFactors,
                                 [](const StreamFactor &entry) {
                                   return entry.inPacket;
                                 }) -
                   streamFactors.begin();
    // Whether all lanes so far have digit 0 in the factors further out.
    bool alone = true;
    for (size_t i = begin; i < streamFactors.size(); ++i) {
      StreamFactor &entry = streamFactors[i];
      auto kept = keptLanes(entry, i + 1 == streamFactors.size());
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
        shorter.valid = std::min(shorter.valid, *kept - shorter.first);
        if (shorter.valid <= 0)
          return llvm::createStringError(
              "write of padding: the buffer '" + buffer.str() +
              "' has room for the first " + Twine(*kept) + " of " +
              Twine(entry.factor->extent) + " lanes of '" +
              entry.factor->str() + "' only, which hold no data");
        entry.factor = &shorter;
      }
      alone &= *kept == 1;
    }
    return llvm::Error::success();
  }

  /// The manual's way: one entry per term.
  llvm::Error byTerms() {
    bool write = isWrite();
    if (llvm::Error error = checkSkewedAxes())
      return error;
    auto built = AddressTable::build(buffer, write ? AddressTable::Mode::Write
                                                   : AddressTable::Mode::Read);
    if (!built)
      return built.takeError();
    table = &*built;
    for (const StreamFactor &entry : streamFactors)
      table->noteStream(*entry.original);
    if (write) {
      for (const StreamFactor &entry : streamFactors)
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
    const Mapping *whole = joinStream();
    auto found =
        whole ? materialize(buffer, *whole, options.direction) : std::nullopt;
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
    llvm::DenseSet<int64_t, StridedKeyInfo> data, free;
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
        llvm::DenseSet<int64_t, StridedKeyInfo> seen;
        auto visits = sequencerOf(nest, 1, {}).visits();
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

  void setInitial(const Nest &nest, int64_t lanes) {
    // Terms, innermost first; a truncated packet ends early.
    llvm::SmallVector<PositionRange, 8> ranges;
    int64_t position = 1;
    for (size_t i = streamFactors.size(); i > 0;) {
      const StreamFactor &last = streamFactors[i - 1];
      int64_t outer = position;
      for (; i > 0 && streamFactors[i - 1].term == last.term; --i)
        outer *= streamFactors[i - 1].original->extent;
      if (last.inPacket)
        outer = std::min(outer, lanes);
      ranges.push_back({position, outer, {last.whole()}});
      position = outer;
    }
    std::reverse(ranges.begin(), ranges.end());
    result.initial = sequencerOf(nest, lanes, ranges);
    result.searched = true;
  }

  llvm::Error makeEntries() {
    result.initial.entries.reserve(streamFactors.size() + 2);
    for (size_t i = 0; i < streamFactors.size(); ++i) {
      const Factor &f = *streamFactors[i].factor;
      bool newTerm =
          i == 0 || streamFactors[i - 1].term != streamFactors[i].term;
      if (newTerm)
        termBegin = result.initial.entries.size();
      if (llvm::Error error =
              addFactor(streamFactors[i], i + 1 == streamFactors.size()))
        return error;
      if (streamFactors[i].inPacket)
        result.initial.packetElements *= f.extent;
      bool endOfTerm = i + 1 == streamFactors.size() ||
                       streamFactors[i + 1].term != streamFactors[i].term;
      if (endOfTerm)
        nameEntries(streamFactors[i]);
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
    if (write && f.kind != Factor::Kind::Broadcast && !factors::startsAtZero(f))
      return llvm::createStringError(
          "write leaves the tensor: the stream's '" + entry.term->text +
          "' does not begin at index 0, and the buffer '" + buffer.str() +
          "' does not hold it");
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

  /// Whether some position of the stream is padding, or may be.
  bool mayHavePadding() const {
    std::map<StringRef, int64_t> reach;
    for (const StreamFactor &entry : streamFactors) {
      const Factor &f = *entry.original;
      if (f.isPadded() || f.composite)
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
  llvm::SmallVector<StreamFactor, 16> streamFactors;
  std::optional<Mapping> stream; ///< time and packet, when it is needed
  std::string streamError;
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
  Deriver deriver(buffer, time, packet, options);
  auto derivation = deriver.deriveLoops();
  if (!derivation)
    return derivation;
  if (llvm::Error error = deriver.fitLoops(*derivation))
    return std::move(error);
  return derivation;
}

llvm::Expected<Derivation> sequin::deriveLoops(const AddressMap &buffer,
                                               const Mapping &time,
                                               const Mapping &packet,
                                               const DeriveOptions &options) {
  return Deriver(buffer, time, packet, options).deriveLoops();
}

llvm::Error sequin::fitLoops(Derivation &derivation, const AddressMap &buffer,
                             const Mapping &time, const Mapping &packet,
                             const DeriveOptions &options) {
  return Deriver(buffer, time, packet, options).fitLoops(derivation);
}
