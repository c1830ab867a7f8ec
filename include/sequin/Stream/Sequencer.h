//===- Sequencer.h - Nested-loop descriptors from mappings ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is visited by a nest of counted loops, outermost first:
//
//     [8:1, 8:8, 3:64, 4:192]:1      for w < 8, h < 8, c < 3, n < 4:
//                                      element 1 w + 8 h + 64 c + 192 n
//
// (TCP Virtual ISA manual, Sequencer.) derive() finds the nest that visits a
// buffer in the order of a stream: for every position s of the stream that
// holds data, the visited address is a position of the buffer with the same
// tensor index. Positions of the stream that are padding may visit anything
// inside the over-read rule (reads), or are not visited at all (writes).
//
// Three readings stand on one definition: the list of visits (visits()), the
// derived quantities (contiguous run, access size, cycles), and the limits
// (check()). Strides are in elements, signed.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_STREAM_SEQUENCER_H
#define SEQUIN_STREAM_SEQUENCER_H

#include "sequin/Stream/Limits.h"
#include "sequin/Stream/Mapping.h"
#include "sequin/Support/ElementType.h"

namespace sequin {

/// A term of a stream, or the part of one, that a loop walks. The text is made
/// when it is asked for: most derivations never show it.
class LoopTerm {
public:
  /// Part of factor `factor` of the term.
  struct Piece {
    unsigned factor;
    int64_t stride, extent, valid;
    bool operator==(const Piece &other) const {
      return factor == other.factor && stride == other.stride &&
             extent == other.extent;
    }
  };

  /// The whole of term `term` of `mapping`.
  LoopTerm(const Mapping &mapping, unsigned term)
      : mapping(mapping), term(term) {}
  LoopTerm(const Mapping &mapping, unsigned term, Piece piece)
      : mapping(mapping), term(term), pieces{piece} {}
  /// A loop that was given a name, as str() of another makes it.
  explicit LoopTerm(std::string name) : name(std::move(name)) {}
  /// Adds the pieces of `inner`, a part of the same term further in.
  void join(const LoopTerm &inner) {
    pieces.insert(pieces.end(), inner.pieces.begin(), inner.pieces.end());
  }

  bool isWhole() const { return pieces.empty(); }
  /// "C / 2"; the pieces are separated by commas.
  std::string str() const;
  operator std::string() const { return str(); }
  bool operator==(const LoopTerm &other) const {
    return term == other.term && pieces == other.pieces &&
           mapping.terms().data() == other.mapping.terms().data() &&
           name == other.name;
  }

private:
  Mapping mapping;
  unsigned term = 0;
  std::string name; ///< empty for a term of the mapping
  /// None for the whole term.
  std::vector<Piece> pieces;
};

/// One loop of a sequencer.
struct SequencerEntry {
  int64_t size = 1;
  /// Elements to advance per iteration; 0 repeats (broadcast).
  int64_t stride = 0;
  /// The stream terms this loop walks, outermost first ("C / 2", "C % 2").
  llvm::SmallVector<LoopTerm, 1> terms;

  /// "C / 2 * C % 2".
  std::string termsStr() const;

  bool operator==(const SequencerEntry &other) const {
    return size == other.size && stride == other.stride;
  }
};

/// A nest of loops, outermost first.
struct Sequencer {
  /// First element visited (views, left padding); may be negative for reads
  /// under a left pad.
  int64_t base = 0;
  llvm::SmallVector<SequencerEntry, 0> entries;
  /// Elements of the innermost entries that form one packet of the stream. For
  /// a packet of one element this is 1 and no entry belongs to it.
  int64_t packetElements = 1;
  /// How many of the innermost entries walk the packet.
  unsigned packetEntries = 0;

  /// Product of all sizes: the number of elements visited.
  int64_t visitCount() const;
  /// Every address in order. For tests and small streams.
  std::vector<int64_t> visits() const;
  /// Elements of the innermost run of neighbours: the product of the sizes from
  /// the innermost entry (stride 0 or 1) outwards while outer.stride ==
  /// inner.size * inner.stride; 1 if the innermost entry strides further.
  int64_t contiguousElements() const;
  /// "[8:1, 8:8, 3:64, 4:192]:1".
  std::string str() const;
};

enum class Direction : uint8_t { Read, Write };

/// A piece of an address: a factor of the buffer and how far one step of it
/// moves the address, in elements.
struct AddressFactor {
  Factor factor;
  int64_t addressStride = 0;
};

/// Where tensor indices sit in an address space: the factors of one or several
/// mappings with explicit strides. A DM tensor seen by the DMA engine is
/// [Cluster, Slice, Element] with the strides of the flat DM address space. The
/// parts mean what they mean as one mapping, outermost first.
class AddressMap {
public:
  AddressMap() = default;
  /// A mapping with positions as addresses.
  explicit AddressMap(const Mapping &mapping) { append(mapping, 1); }
  /// Adds `mapping` such that one position moves the address by `unitStride`.
  void append(const Mapping &mapping, int64_t unitStride);
  /// Sliding combinations and tables stand whole.
  llvm::ArrayRef<AddressFactor> factors() const { return list; }
  /// Why some data is not at a sum of strides (a table, a sliding combination
  /// that is cut), Mapping::placedFactors(); empty if all is.
  llvm::StringRef refusal() const { return notAffine; }
  /// Why the parts are no mapping together; empty if they are one. derive() and
  /// derivePair() refuse such a map.
  llvm::StringRef conflict() const { return noMapping; }
  /// One past the highest address that holds data. Not meaningful if
  /// overflowed().
  int64_t extent() const { return bound; }
  /// Whether a stride or the extent does not fit in 64 bits; derive() and
  /// derivePair() refuse such a map.
  bool overflowed() const { return overflow; }
  /// What was appended, in order.
  struct Part {
    Mapping mapping;
    int64_t unitStride;
  };
  llvm::ArrayRef<Part> parts() const { return appended; }
  /// The mappings as they were appended, for messages: "A / 8 # 256 | A % 8".
  std::string str() const;

private:
  void place(llvm::ArrayRef<Factor> factors, std::optional<int64_t> stride);

  llvm::SmallVector<AddressFactor, 8> list;
  llvm::SmallVector<Part, 1> appended;
  std::string notAffine, noMapping;
  int64_t bound = 1;
  bool overflow = false;
};

struct DeriveOptions {
  Direction direction = Direction::Read;
  SequencerLimits limits;
  ElementType elementType = ElementType::I8;
  /// Re-factor to the smallest number of entries even when the plain form fits.
  bool minimal = false;
  /// How many sequencers, executed one after the other, may share a stream that
  /// does not fit one.
  int64_t maxSegments = 1;
};

/// What derive() found.
struct Derivation {
  /// One entry per term, before merging. A write's packet is already truncated.
  Sequencer initial;
  /// Within the limits. Equal to `initial` if that has few enough entries, else
  /// every contiguous pair merged; where that is still too many, or `minimal`
  /// asks for it, the nest of the fewest entries that visits the same
  /// (positions that are padding may then visit other places). The first of
  /// `segments`.
  Sequencer sequencer;
  /// The sequencers to execute one after the other; none if `sequencer` is all.
  std::vector<Sequencer> segments;
  /// Whether `sequencer` is merged, so that an entry may walk several terms and
  /// the packet may have grown by a loop of time.
  bool merged = false;
  /// Whether the boundaries between the loops of `sequencer` moved: its entries
  /// are not those of `initial`, merged.
  bool refactored = false;
  /// Whether no rule about terms gave `initial`, but a search over the
  /// addresses of the stream.
  bool searched = false;
  /// Bytes of the innermost contiguous run, Sequencer::contiguousElements().
  int64_t contiguousBytes = 0;
  /// fetch_size (reads) or commit_size (writes): the largest size the engine
  /// can issue that divides gcd(packet bytes, contiguous bytes). Reads take the
  /// packet of `sequencer`, as the manual's merging does; writes that of
  /// `initial`, because one write never spans two flits.
  int64_t accessBytes = 0;
  /// Whether the engine can issue accessBytes. If no size it can issue divides,
  /// accessBytes is the gcd itself and this is false: fetch and commit refuse
  /// then, a sequencer alone does not mind.
  bool accessSupported = true;
  /// Steps of the stream times accesses per packet.
  int64_t cycles = 0;
  /// Accesses of accessBytes per packet of the stream, rounded up.
  int64_t accessesPerPacket = 0;
  /// Bytes of a write's packet that are kept (commit_in_size); 0 for reads.
  int64_t commitInBytes = 0;
};

/// Derives the sequencer that walks `buffer` in the order of [time, packet].
///
/// Time and packet mean what they mean as one mapping, Mapping::pair(). A
/// position of the stream with several indices visits a position of the buffer
/// that holds them all (and, to write it, no others). A stream axis that is
/// absent from the buffer is a broadcast (stride 0, reads only). A buffer axis
/// that is absent from the stream stays at index 0: `A` is `A, B = 1`. Errors,
/// each naming the term, what was found and what is allowed:
///  - insufficient input: the stream needs indices the buffer does not hold;
///  - incompatible shapes: no common refinement of the two factorisations (both
///    are shown), or skewed axes that the two sides use differently;
///  - a table or a sliding combination that only one side has as it stands;
///  - a write that would visit a cell twice (broadcast; the terms of a sliding
///    combination one by one), or leave the tensor;
///  - more entries than the limit after merging (the best reached is shown);
///  - an entry larger than the limit that cannot be split;
///  - a packet whose accesses are not whole bytes.
/// Where the terms give no loops, a search over the addresses decides (streams
/// and buffers of up to 2^20 positions): any nest within the limits that visits
/// the data in order is found, and a refusal means that there is none. The
/// search takes the first position of what the buffer holds several times.
/// A read may run past the last valid element by the padding of the stream. A
/// write drops lanes at the end of the packet that the buffer does not hold
/// (truncation), writes into the buffer's own padding but never past it, and
/// has to fill the buffer.
llvm::Expected<Derivation> derive(const AddressMap &buffer, const Mapping &time,
                                  const Mapping &packet,
                                  const DeriveOptions &options);

/// derive() in its two steps. The first sets `initial` and `searched` alone.
llvm::Expected<Derivation> deriveLoops(const AddressMap &buffer,
                                       const Mapping &time,
                                       const Mapping &packet,
                                       const DeriveOptions &options);
/// The second: from `derivation.initial`, whoever made it, to loops within the
/// limits and what follows from these.
llvm::Error fitLoops(Derivation &derivation, const AddressMap &buffer,
                     const Mapping &time, const Mapping &packet,
                     const DeriveOptions &options);

/// A loop of a reduction: a (possibly split) factor of the input stream and
/// whether it survives in the output.
struct ReductionLoop {
  Factor factor;
  bool reduced = false;
};

/// Splits the factors of `input` into those that remain in `output`, in order,
/// and those that are reduced away. An error if `output` is not `input` with
/// whole factors removed (naming the first term that does not fit). Broadcast
/// and padding-only factors of `output` of extent 1 are ignored.
llvm::Expected<llvm::SmallVector<ReductionLoop, 4>>
matchReduction(const Mapping &input, const Mapping &output);

/// A pair of sequencers that walk a common refinement of two address maps: what
/// a DMA descriptor holds. Entry i of both has the same size; only elements
/// that both sides hold are visited.
struct PairedSequencer {
  struct Entry {
    int64_t size;
    int64_t sourceStride;
    int64_t destinationStride;
    std::string term;
  };
  int64_t sourceBase = 0, destinationBase = 0;
  /// Outermost first; the innermost may be a contiguous run on both sides.
  llvm::SmallVector<Entry, 8> entries;
  /// Elements of the innermost run that is contiguous on both sides.
  int64_t contiguousElements = 1;

  /// What one DMA descriptor moves at a time (TCP manual, DMA Engine).
  struct Requests {
    /// Bytes per packet: the largest divisor of the run that is at most
    /// `maxStride0` bytes.
    int64_t stride0 = 0;
    /// Packets, and requests of at most `requestBytes` they are split into.
    int64_t packets = 0, requests = 0;
  };
  /// An error if the run is no whole number of bytes.
  llvm::Expected<Requests> requests(ElementType type, int64_t maxStride0 = 4096,
                                    int64_t requestBytes = 256) const;
};

/// Walks every element of `destination` in its own order and finds it in
/// `source`. Axes of the destination absent from the source are broadcast over
/// (source stride 0). Padding of the destination is not written, except where a
/// part is only partly valid and the source has padding to read there; without
/// such padding that is an error. Tables and sliding combinations are copied
/// where both sides have them as they stand; the terms of a sliding combination
/// also one by one, from a source that has it, and to a destination whose
/// positions hold one index each. Contiguous neighbours are merged. Sizes are
/// not limited here.
llvm::Expected<PairedSequencer> derivePair(const AddressMap &source,
                                           const AddressMap &destination);

} // namespace sequin

#endif // SEQUIN_STREAM_SEQUENCER_H
