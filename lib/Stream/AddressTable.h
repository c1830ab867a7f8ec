//===- AddressTable.h - Digits of tensor indices and addresses --*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An address map read backwards. For every base the buffer holds, the linear
// index x of the base is cut into digits, and each digit moves the address by a
// constant:
//
//     x - offset = sum of digit_k * stride_k      0 <= digit_k < valid_k
//     address    = constant + sum of digit_k * address_k
//
// A factor of a stream advances x by a constant t. It is a loop of a sequencer
// if its digits do not straddle a boundary between two digits of the buffer;
// where it spans several, it is cut at the boundaries into pieces. That is the
// common refinement of the two factorisations.
//
// Composites are bridged both ways: a composite in the buffer gives digits to
// the axes inside it, and a composite in the stream gets digits from where the
// buffer holds its parts. Digits of an axis with padding below are digits of
// the axis where the padding is a number of steps of the outermost one;
// otherwise a step would begin inside the padding. A sliding combination of the
// buffer that stands whole gives digits to the axes inside it, which then share
// addresses; a table, and a sliding combination that is cut, can only be walked
// as they stand.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_STREAM_ADDRESSTABLE_H
#define SEQUIN_LIB_STREAM_ADDRESSTABLE_H

#include "FactorList.h"
#include "sequin/Stream/Sequencer.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <map>
#include <set>

namespace sequin {

/// A loop that a stream factor gives: part of it within one digit of the
/// buffer.
struct StreamPiece {
  int64_t stride;  ///< advance of the base's linear index
  int64_t extent;  ///< iterations
  int64_t valid;   ///< iterations that hold data, at most
  int64_t address; ///< advance of the address
};

/// The order of names; most differ in their first letter.
struct NameLess {
  using is_transparent = void;
  bool operator()(llvm::StringRef a, llvm::StringRef b) const {
    if (!a.empty() && !b.empty() && a.front() != b.front())
      return a.front() < b.front();
    return a < b;
  }
};

/// Factors shown in a message; the text is made when there is one.
struct FactorTexts {
  llvm::SmallVector<const Factor *, 4> factors;
  /// In place of factors.
  std::string literal;

  void append(const FactorTexts &other) {
    factors.append(other.factors.begin(), other.factors.end());
    if (!other.literal.empty())
      literal = other.literal;
  }
  bool empty() const { return factors.empty() && literal.empty(); }
  std::string str() const;
};

class AddressTable {
public:
  /// What may be visited, and what has to be.
  enum class Mode : uint8_t {
    /// Valid positions of the stream must be held; padding may fall anywhere.
    Read,
    /// Every position must stay inside the buffer or its padding.
    ReadInside,
    /// Every position must stay inside, and every element be visited once.
    Write,
  };

  /// `map` must outlive the table.
  static llvm::Expected<AddressTable> build(const AddressMap &map, Mode mode);

  /// Registers a factor of the stream, all of them before anything is asked:
  /// for messages that show both sides, and for room(). `f` must outlive the
  /// table.
  void noteStream(const Factor &f);

  /// Whether the buffer names `f`'s base (an axis), or a part of it (a
  /// composite). What it does not name it holds for every index: a broadcast.
  bool names(const Factor &f) const;

  /// Whether the buffer names `f`'s base itself and its digits are known.
  bool holdsWhole(const Factor &f) const;

  /// Whether no two positions of the terms have one sum: each step is longer
  /// than all smaller ones together.
  static bool areApart(llvm::ArrayRef<CompositeBase::SlidingTerm> terms);

  /// The loops of `f`, outermost first; empty for a factor that moves nothing.
  /// Adds up how much of each digit is used, for finish(). `f` must be named.
  llvm::Expected<llvm::SmallVector<StreamPiece, 2>> pieces(const Factor &f);

  /// How many iterations of `f` stay inside the buffer and its padding, and
  /// below the next factor of the stream on the same base. `f` must be named.
  llvm::Expected<int64_t> room(const Factor &f);

  /// Matches an anonymous axis of the stream with one of the buffer of the same
  /// size that was not matched yet, and returns its address stride.
  std::optional<int64_t> matchBroadcast(const Factor &f);

  /// Elements of padding-only cells that follow each other at the innermost end
  /// of the buffer, with the one they pad.
  int64_t innermostPadding() const { return tailPadding; }

  /// Checks the sums over all factors of the stream and returns the address of
  /// its first position. Call once, after all pieces() calls.
  llvm::Expected<int64_t> finish();

private:
  struct Digit {
    Digit(int64_t stride, int64_t extent, int64_t valid, int64_t address,
          int64_t low = 0, llvm::StringRef source = {})
        : stride(stride), extent(extent), valid(valid), address(address),
          low(low), source(source) {}
    int64_t stride, extent, valid, address;
    /// Padding of the buffer before digit 0; not part of extent.
    int64_t low;
    /// The composite of the buffer this digit was found in, a key of `bases`;
    /// empty if direct.
    llvm::StringRef source;
    /// Sums over the stream of (iterations - 1) in units of `stride`: of those
    /// that hold data, and of all.
    int64_t usedValid = 0, usedExtent = 0;
    /// Loops of the stream inside this digit: stride and extent.
    llvm::SmallVector<std::pair<int64_t, int64_t>, 2> loops;
  };
  struct Base {
    int64_t size = 1;
    llvm::SmallVector<Digit, 4> digits; ///< ascending strides
    int64_t offset = 0;                 ///< of the buffer
    int64_t start = 0;                  ///< sum of the stream's offsets
    /// Where index 0 of the parts of a composite is.
    int64_t zero = 0;
    bool named = false;  ///< the buffer names it
    bool walked = false; ///< the stream names it
    bool opaque = false; ///< held, but not in digits that can be told apart
    bool hidden = false; ///< a composite that only the whole can walk
    bool shared = false; ///< opaque, since its cells hold several indices
    bool skewed = false; ///< a skewed axis: index 0 is not nothing
    bool overlapping = false; ///< two digits cover the same part
    bool derived = false;     ///< digits of a composite, from its parts
    std::shared_ptr<const CompositeBase> composite;
    /// The composite of the buffer it is part of, if it is named only there.
    llvm::StringRef source;
    /// The parts of `offset` that composites of the buffer contribute.
    llvm::SmallVector<std::pair<llvm::StringRef, int64_t>, 1> offsetsInside;
    /// How the two sides write it, for messages.
    FactorTexts held;
    /// In place of the noted factors.
    std::string walks;
  };
  struct Broadcast {
    int64_t valid, extent, address;
    int64_t low; ///< padding before the data
    bool matched = false;
  };
  enum class Fit : uint8_t { Fits, NotHeld, Straddles };

  explicit AddressTable(Mode mode) : mode(mode) {}
  void addFactor(const Factor &f, int64_t address, llvm::StringRef source,
                 const FactorTexts &text);
  static void sortDigits(Base &base);
  void noteStrides(const Factor &f);
  /// sum += steps * stride, noting an overflow for finish().
  void addTo(int64_t &sum, int64_t steps, int64_t stride);
  void expandComposite(const std::string &name);
  /// The same for a sliding combination and a table.
  void expandSliding(const std::string &name);
  /// Notes that `part` of the composite `name` has no digits.
  void hide(const Factor &part, llvm::StringRef name, const Base &base);
  using Seen = llvm::SmallPtrSetImpl<const CompositeBase *>;
  bool namesInside(const Factor &f, Seen &seen) const;
  std::string walksOf(llvm::StringRef name, const Base &base) const;
  llvm::Expected<Base *> lookup(const Factor &f);
  llvm::Error deriveComposite(const std::string &name, const Factor &f);
  Fit cut(const Base &base, int64_t stride, int64_t extent, int64_t valid,
          llvm::SmallVectorImpl<StreamPiece> &pieces) const;
  bool isWalkedAbove(const Base &base) const { return isWalked(base.source); }
  /// Whether composite `name` of the buffer, or one around it, is walked
  /// itself; false for the empty name.
  bool isWalked(llvm::StringRef name) const;
  static size_t digitAt(const Base &base, int64_t stride);
  llvm::Error misfit(Fit fit, llvm::StringRef name, const Base &base) const;
  std::string explainShift(const Base &base) const;
  llvm::Expected<int64_t> finishBase(const std::string &name, Base &base);
  llvm::Error checkFilled(const std::string &name, const Base &base) const;

  /// The base that `f` names, null if there is none. Factors are asked about
  /// several times in a row, and known by their addresses.
  Base *baseOf(const Factor &f) const;

  Mode mode;
  mutable const Factor *lastFactor = nullptr;
  mutable Base *lastBase = nullptr;
  llvm::SmallVector<const Factor *, 16> noted;
  const AddressMap *map = nullptr;
  /// Ordered, so that messages do not depend on hashes.
  std::map<std::string, Base, NameLess> bases;
  /// Strides of the stream's factors by base; not for Mode::Read.
  std::map<std::string, std::set<int64_t>> streamStrides;
  llvm::SmallVector<Broadcast, 2> broadcasts;
  int64_t constant = 0;
  bool overflow = false;
  int64_t tailPadding = 1;
};

} // namespace sequin

#endif // SEQUIN_LIB_STREAM_ADDRESSTABLE_H
