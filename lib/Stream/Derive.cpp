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

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <numeric>

using namespace sequin;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// A factor of the stream and the term it comes from.
struct StreamFactor {
  Factor factor;
  const Mapping::Term *term;
  bool inPacket;
};

/// "[4:16, 2:8, 8:1]" with the terms, for messages about too many entries.
std::string show(ArrayRef<SequencerEntry> entries) {
  std::string result = "[";
  for (const SequencerEntry &entry : entries) {
    if (result.size() > 1)
      result += ", ";
    result += llvm::join(entry.terms, " * ") + " " +
              std::to_string(entry.size) + ":" + std::to_string(entry.stride);
  }
  return result + "]";
}

bool isContiguous(const SequencerEntry &outer, const SequencerEntry &inner) {
  return llvm::checkedMul(inner.size, inner.stride) == outer.stride;
}

class Deriver {
public:
  Deriver(const AddressMap &buffer, const Mapping &time, const Mapping &packet,
          const DeriveOptions &options)
      : buffer(buffer), time(time), packet(packet), options(options) {}

  llvm::Expected<Derivation> run() {
    if (!llvm::checkedMul(time.size(), packet.size()))
      return llvm::createStringError("the size of the stream '" + time.str() +
                                     "' times '" + packet.str() +
                                     "' does not fit in 64 bits");
    auto axes = time.axes().unionWith(packet.axes());
    if (!axes)
      return axes.takeError();
    collect(time, /*inPacket=*/false);
    collect(packet, /*inPacket=*/true);
    bool write = options.direction == Direction::Write;
    auto built = AddressTable::build(buffer, write ? AddressTable::Mode::Write
                                                   : AddressTable::Mode::Read);
    if (!built)
      return built.takeError();
    table = &*built;
    for (const StreamFactor &entry : stream)
      table->noteStream(entry.factor);
    if (write) {
      for (const StreamFactor &entry : stream)
        if (entry.factor.valid == 0)
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
    result.sequencer = result.initial;
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
        stream.push_back({f, &term, inPacket});
  }

  /// The lanes of one factor of a write's packet that the buffer takes.
  llvm::Expected<int64_t> keptLanes(const StreamFactor &entry, bool innermost) {
    const Factor &f = entry.factor;
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
      if (*kept < entry.factor.extent) {
        if (!alone)
          return llvm::createStringError(
              "write of packet '" + packet.str() + "' drops lanes of '" +
              entry.factor.str() +
              "' in the middle of the packet; only lanes at its end can be "
              "truncated (the buffer '" +
              buffer.str() + "' has room for " + Twine(*kept) + " of " +
              Twine(entry.factor.extent) + ")");
        entry.factor.extent = *kept;
        entry.factor.valid = std::min(entry.factor.valid, *kept);
      }
      alone &= *kept == 1;
    }
    return llvm::Error::success();
  }

  llvm::Error makeEntries() {
    for (size_t i = 0; i < stream.size(); ++i) {
      const Factor &f = stream[i].factor;
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
        nameEntries(*stream[i].term, stream[i].inPacket);
    }
    return llvm::Error::success();
  }

  llvm::Error addFactor(const StreamFactor &entry, bool innermost) {
    const Factor &f = entry.factor;
    bool write = options.direction == Direction::Write;
    if (table->names(f)) {
      auto pieces = table->pieces(f);
      if (!pieces)
        return pieces.takeError();
      for (const StreamPiece &piece : *pieces) {
        Factor part = f;
        part.stride = piece.stride;
        part.extent = piece.extent;
        part.valid = std::min(piece.valid, piece.extent);
        addEntry(piece.extent, piece.address, part.str());
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
      addEntry(f.extent, *stride, f.str());
    } else if (f.isPaddingOnly()) {
      // Padding behind the packet is read from behind the data. Elsewhere the
      // same data is read again and ignored.
      bool behind = innermost && entry.inPacket && f.first == 0;
      if (write && !behind)
        return llvm::createStringError(
            "write broadcast: the padding of '" + entry.term->text +
            "' would be written over the data of the buffer '" + buffer.str() +
            "'");
      addEntry(f.extent, behind ? 1 : 0, f.str());
    } else if (write) {
      return llvm::createStringError("write broadcast: the buffer '" +
                                     buffer.str() + "' does not hold '" +
                                     entry.term->text +
                                     "' of the stream, so it "
                                     "would write one cell " +
                                     Twine(f.extent) + " times");
    } else {
      addEntry(f.extent, 0, f.str());
    }
    return llvm::Error::success();
  }

  /// Appends a loop; loops of one term that follow each other are one loop.
  void addEntry(int64_t size, int64_t stride, std::string name) {
    auto &entries = result.initial.entries;
    SequencerEntry entry{size, stride, {std::move(name)}};
    if (entries.size() > termBegin && isContiguous(entries.back(), entry)) {
      entry.size *= entries.back().size;
      entry.terms.front() =
          entries.back().terms.front() + ", " + entry.terms.front();
      entries.back() = std::move(entry);
      return;
    }
    entries.push_back(std::move(entry));
  }

  /// A term that gave one loop gives it its name.
  void nameEntries(const Mapping::Term &term, bool inPacket) {
    auto &entries = result.initial.entries;
    if (entries.size() == termBegin + 1)
      entries.back().terms.assign(1, term.text);
    if (inPacket)
      result.initial.packetEntries +=
          static_cast<unsigned>(entries.size() - termBegin);
    termBegin = entries.size();
  }

  /// Splits entries that are too large, in halves that divide.
  llvm::Error splitEntries(Sequencer &sequencer) {
    int64_t limit = options.limits.maxSize;
    for (size_t i = 0; i < sequencer.entries.size();) {
      SequencerEntry &entry = sequencer.entries[i];
      if (entry.size <= limit) {
        ++i;
        continue;
      }
      int64_t inner = largestDivisor(entry.size, limit);
      if (inner == 1)
        return llvm::createStringError(
            "entry '" + llvm::join(entry.terms, " * ") + "' has size " +
            Twine(entry.size) + ", at most " + Twine(limit) +
            " are allowed, and no divisor to split it by");
      SequencerEntry outer = entry;
      outer.size = entry.size / inner;
      auto stride = llvm::checkedMul(entry.stride, inner);
      if (!stride)
        return llvm::createStringError("the addresses of '" + buffer.str() +
                                       "' do not fit in 64 bits");
      outer.stride = *stride;
      entry.size = inner;
      if (i + sequencer.packetEntries >= sequencer.entries.size())
        ++sequencer.packetEntries;
      sequencer.entries.insert(sequencer.entries.begin() + i, std::move(outer));
      // The outer part is looked at again.
    }
    return llvm::Error::success();
  }

  static int64_t largestDivisor(int64_t value, int64_t limit) {
    // A machine without a size limit asks for nothing; bound the search anyway.
    limit = std::min<int64_t>(limit, int64_t(1) << 20);
    for (int64_t candidate = limit; candidate > 1; --candidate)
      if (value % candidate == 0)
        return candidate;
    return 1;
  }

  /// Merges every contiguous pair that stays within the size limit.
  void merge(Sequencer &sequencer) {
    llvm::SmallVector<SequencerEntry, 8> merged;
    unsigned packetEntries = sequencer.packetEntries;
    size_t firstPacket = sequencer.entries.size() - packetEntries;
    for (size_t i = 0; i < sequencer.entries.size(); ++i) {
      SequencerEntry &entry = sequencer.entries[i];
      if (merged.empty() || !isContiguous(merged.back(), entry) ||
          merged.back().size > options.limits.maxSize / entry.size) {
        merged.push_back(std::move(entry));
        continue;
      }
      SequencerEntry &outer = merged.back();
      if (i == firstPacket) // a loop of time joins the packet
        sequencer.packetElements *= outer.size;
      else if (i > firstPacket)
        --packetEntries;
      outer.size *= entry.size;
      outer.stride = entry.stride;
      for (std::string &term : entry.terms)
        if (!llvm::is_contained(outer.terms, term))
          outer.terms.push_back(std::move(term));
    }
    sequencer.entries = std::move(merged);
    sequencer.packetEntries = packetEntries;
  }

  llvm::Error fitLimits() {
    Sequencer &sequencer = result.sequencer;
    if (llvm::Error error = splitEntries(sequencer))
      return error;
    if (sequencer.entries.size() <= options.limits.maxEntries &&
        !options.minimal)
      return llvm::Error::success();
    merge(sequencer);
    result.merged = true;
    if (sequencer.entries.size() <= options.limits.maxEntries)
      return llvm::Error::success();
    return llvm::createStringError(
        "the stream needs " + Twine(sequencer.entries.size()) +
        " sequencer entries after merging, at most " +
        Twine(options.limits.maxEntries) +
        " are allowed: " + show(sequencer.entries));
  }

  llvm::Error accesses() {
    int64_t bits = getBitWidth(options.elementType);
    const Sequencer &shown = options.direction == Direction::Read
                                 ? result.sequencer
                                 : result.initial;
    int64_t run = result.sequencer.contiguousElements();
    auto packetBits = llvm::checkedMul(shown.packetElements, bits);
    auto runBits = llvm::checkedMul(run, bits);
    auto totalBits = llvm::checkedMul(result.sequencer.visitCount(), bits);
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
    return llvm::Error::success();
  }

  const AddressMap &buffer;
  const Mapping &time;
  const Mapping &packet;
  const DeriveOptions &options;
  AddressTable *table = nullptr;
  llvm::SmallVector<StreamFactor, 8> stream;
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
      if (llvm::checkedMul(size, from) == outer.sourceStride &&
          llvm::checkedMul(size, to) == outer.destinationStride) {
        outer.size *= size;
        outer.sourceStride = from;
        outer.destinationStride = to;
        outer.term += ", " + f.str();
        return;
      }
    }
    result.entries.push_back({size, from, to, f.str()});
  };
  for (const AddressFactor &entry : destination.factors()) {
    // Only the positions that hold data are walked.
    Factor f = entry.factor;
    auto base = llvm::checkedMulAdd(f.first, entry.addressStride,
                                    result.destinationBase);
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
