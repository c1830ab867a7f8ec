//===- Mapping.h - Mapping expressions over named axes ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mapping says which tensor index sits at each position of a linear buffer:
//
//     position  ->  tensor index {axis: coordinate, ...}, or padding
//
// It is an expression over named axes whose sizes are given once. With A = 8
// and B = 512:
//
//     expression       size   position p holds
//     A                   8   {A: p}
//     A, B             4096   {A: p / 512, B: p % 512}
//     B / 64              8   {B: 64 p}
//     B % 64             64   {B: p}
//     B # 600           600   {B: p} for p < 512, then padding
//     A = 3               3   {A: p}
//     1                   1   {}
//     4                   4   {}, an anonymous broadcast axis
//     $(A:2, B:1)       526   {A: a, B: b} for every a, b with 2 a + b = p
//     A ? t               3   {A: t[p]}, with a table t of three entries
//
// (TCP Virtual ISA manual, Mapping Expressions.) Operators are postfix and bind
// left to right: `B / 32 % 2` is `(B / 32) % 2`.
//
// Several indices. A position of a sliding combination may hold several
// indices, or none (padding). allAt() gives all of them; at() the canonical
// one, whose first term is as large as possible, then its second term, and so
// on: position 4 of `$(N:1, F:2)` holds {N: 4}, then {N: 2, F: 1}, then {F: 2}.
// forEach() visits canonical indices. The terms may be any mappings; where two
// of them, or one and a part outside, name one axis, their coordinates add up,
// and the sum has to stay below the size of the axis whatever the position.
//
// Tables. `E ? t` is E at the positions that the table t lists: as many
// positions as t has entries, each at least 0 and less than the size of E.
//
// Skewed axes. `B' = B - A`, declared with the axes, names the diagonals of B:
// in a mapping that walks B', the coordinate of B is (B' + A) mod B.size, where
// A is 0 if the mapping does not walk A; `B' = B + A` likewise gives (B' - A)
// mod B.size. Indices are always of base axes. A mapping walks B' if a factor
// of its normal form does, even one of a single position (a view). It cannot
// walk B beside B', nor skew A at the same time.
//
// The normal form is a list of factors, outermost first. A factor is one digit
// of the position in a mixed-radix number; it advances one base by a constant
// step:
//
//     p = sum over factors of digit * (product of the extents further in)
//     base index = sum over the factors of that base of
//                    (digit - first) * stride + offset
//
// A base is an axis, an inner expression whose factors cannot be told apart (a
// composite, e.g. `[D, C] / 4` with C = 6), a sliding combination, a table
// lookup, or nothing (padding and broadcast). Quotients and remainders of one
// base are recombined to the base's linear index before that index is looked
// up, and an index past the end of the base is padding; so `E` and
// `E / n, E % n` agree for every E, also for padded ones.
//
// Laws, for all mappings A, B, C, E (== is isEquivalent, that is, the same
// indices at every position; MappingLawsTest walks them on random mappings).
// E[p] is what position p of E holds.
//
//   positions, without conditions:
//     (A, B)[p]  ==  A[p / B.size] + B[p % B.size]   coordinates add; padding
//     of
//                                                    either is padding
//     (E / n)[p]  ==  E[n p]            (E % n)[p]  ==  E[p]
//     (E # m @ l)[p]  ==  E[p - l]      (E @ k = n)[p]  ==  E[p + k]
//     (E ? t)[p]  ==  E[t[p]]
//   identities, without conditions:
//     E, 1  ==  1, E  ==  E             [A, B], C  ==  A, [B, C]
//     E / n, E % n  ==  E               (n divides E.size, also 1 and E.size)
//     E / 1  ==  E # E.size  ==  E = E.size  ==  E % E.size  ==  E
//     E / m / n  ==  E / (m n)          E % (m n) % n  ==  E % n
//     E % (m n) / n  ==  E / n % m      (m n divides E.size)
//     E # m # n  ==  E # n              E # m @ k # n @ l  ==  E # n @ (k + l)
//     E @ j = m @ k = n  ==  E @ (j + k) = n
//     [E # m @ l] @ l = E.size  ==  E   E % n  ==  E = n
//     [E # (m n)] / n  ==  E / n # m    (n divides E.size)
//     E ? identity  ==  E               E ? s ? t  ==  E ? (s after t)
//     $(E:1)  ==  E                     $(A:B.size, B:1)  ==  A, B
//     $(A:n, 1:m)  ==  $(A:n)           $($(A:m, B:n):k, C:l)  ==
//     $(A:n, B:m)  ==  $(B:m, A:n)         $(A:(m k), B:(n k), C:l)
//   where position 0 of B, of A, of E holds index 0 and they walk no skewed
//   axis (always so without padding below, views at an offset and tables that
//   begin elsewhere):
//     [A, B] / B.size  ==  A            [A, B] % B.size  ==  B
//     E % 1  ==  1
//   for B' = B - A as above:
//     [A, B'] / n, [A, B'] % n  ==  A, B'    B'  ==  B
//
// `E / n` and `E % n` belong to each other where they stand in one mapping:
// they add up in E's own positions, so that what E has at its position 0
// (padding, an offset) counts once: with B = 16, `[B @ 11 = 4] / 4` is {B: 11}
// and `[B @ 11 = 4] / 4, [B @ 11 = 4] % 4` is `B @ 11 = 4`. With E =
// `1 # 3 @ 1`, position 0 is padding and so is `E / 3` alone, while
// `E / 3, E % 3` is E. In a pair, E / n may therefore be replaced by an
// equivalent mapping only where E's position 0 is index 0. For the same reason
// a mapping that walks one part of a group twice, as in `E / n, E / n, E % n`,
// adds positions of E, past whose end is padding; brackets that separate the
// parts then matter, and quotients and remainders of such a mapping are only
// its positions, not its parts.
//
// For derivations (sequencers, DMA): placedFactors() gives the factors with the
// distance in positions that one step of each covers. A sliding combination
// that stands whole is affine: its terms stand side by side there, `$(W:2,
// F:1)` as W with stride 2 and F with stride 1, and positions of several
// indices are simply reached from several sides. Lookups, and quotients or
// remainders of a sliding combination that cut through its strides, are refused
// there by name. checkSkews() says whether mappings that are to be matched use
// skewed axes in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_STREAM_MAPPING_H
#define SEQUIN_STREAM_MAPPING_H

#include "sequin/Stream/MappingExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sequin {

/// Names and sizes of axes, in the order they were declared, with the skewed
/// axes made from them and the tables for lookups.
class AxisSizes {
public:
  /// A derived axis: name = base - by, or base + by; as many positions as base.
  struct Skew {
    std::string name, base, by;
    bool plus = false;
    bool operator==(const Skew &other) const {
      return name == other.name && base == other.base && by == other.by &&
             plus == other.plus;
    }
  };
  struct Table {
    std::string name;
    std::shared_ptr<const std::vector<int64_t>> values;
    bool operator==(const Table &other) const {
      return name == other.name && *values == *other.values;
    }
  };

  /// Parses "A=8,B=512,B'=B-A". Names are an upper-case letter followed by
  /// letters, digits, underscores or primes; sizes are positive. An axis named
  /// twice, a size that is not a positive integer, a skew by an axis that has
  /// no size, by itself, or of a skewed axis (skews do not chain): an error
  /// naming it. A skew may stand before its axes.
  static llvm::Expected<AxisSizes> parse(llvm::StringRef text);

  /// Adds an axis; false if the name is taken.
  bool add(llvm::StringRef name, int64_t size);
  llvm::Error addSkew(const Skew &skew);
  /// Adds a table of one or more entries, all at least 0.
  llvm::Error addTable(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  /// Adds the table written "t=3,1,4".
  llvm::Error parseTable(llvm::StringRef text);

  /// The size of a base axis.
  std::optional<int64_t> lookup(llvm::StringRef name) const;
  const Skew *lookupSkew(llvm::StringRef name) const;
  const Table *lookupTable(llvm::StringRef name) const;

  /// The base axes; skewed axes are not among them.
  llvm::ArrayRef<std::pair<std::string, int64_t>> axes() const { return list; }
  llvm::ArrayRef<Skew> skews() const { return skewList; }
  llvm::ArrayRef<Table> tables() const { return tableList; }
  /// The product of all sizes, std::nullopt if it does not fit in 64 bits.
  std::optional<int64_t> linearSize() const;
  /// The axes, skews and tables of both, those of `this` first; an error names
  /// what is declared in two ways.
  llvm::Expected<AxisSizes> unionWith(const AxisSizes &other) const;

  /// "A=8,B=512,B'=B-A"; parse(str()) gives an equal declaration, tables aside.
  std::string str() const;
  bool operator==(const AxisSizes &other) const {
    return list == other.list && skewList == other.skewList &&
           tableList == other.tableList;
  }

private:
  llvm::SmallVector<std::pair<std::string, int64_t>, 4> list;
  std::vector<Skew> skewList;
  std::vector<Table> tableList;
};

/// A tensor index: coordinates by axis name in the order of the AxisSizes it
/// was evaluated with; zero coordinates are left out, as i![A: 0] is i![].
using TensorIndex = llvm::SmallVector<std::pair<std::string, int64_t>, 4>;

/// What the positions of a factor that hold no data are.
enum class PaddingKind : uint8_t {
  /// Any value: `X # n`.
  DontCare,
  /// Zero: `X #z n`.
  Zero,
};

struct CompositeBase;

/// One digit of the normal form; see the file comment. Positions
/// [first, first + valid) of [0, extent) hold data, the others are padding.
struct Factor {
  enum class Kind : uint8_t {
    /// Advances the axis `base` by `stride` per position.
    Axis,
    /// Advances the linear index of the expression `composite`.
    Composite,
    /// Names no axis: its valid positions have the empty index. valid == extent
    /// is
    /// an anonymous broadcast axis, valid == 1 is padding only.
    Broadcast,
    /// Advances the position in the sliding combination `composite`, which has
    /// several indices at one position, or none.
    Sliding,
    /// Advances the position in the table `composite`.
    Lookup,
  };
  Kind kind = Kind::Axis;
  /// The axis name, or the text of the composite expression in brackets; empty
  /// for Broadcast.
  std::string base;
  /// Whether the axis is a skewed one: then coordinate 0 is not nothing.
  bool skewed = false;
  /// Of Composite, Sliding and Lookup.
  std::shared_ptr<const CompositeBase> composite;
  /// Size of the base: coordinates at or past it are padding.
  int64_t baseSize = 1;
  /// Advance of the base's linear index per position.
  int64_t stride = 0;
  int64_t extent = 1;
  int64_t first = 0;
  int64_t valid = 1;
  /// The base's linear index at position `first` (tile and offset views).
  int64_t offset = 0;
  PaddingKind padding = PaddingKind::DontCare;

  bool operator==(const Factor &other) const;

  /// The factor as a term, for messages: "B / 32 % 2", "C # 8", "[D, C] / 4".
  std::string str() const;
  bool isPadded() const { return first != 0 || valid != extent; }
  /// Positions that hold the index 0 of nothing, and padding.
  bool isPaddingOnly() const { return kind == Kind::Broadcast && valid <= 1; }
};

class SlidingSearch;

/// An expression that serves as a base: a normal form of its own.
struct CompositeBase {
  /// A term of a sliding combination.
  struct SlidingTerm {
    llvm::SmallVector<Factor, 2> factors;
    int64_t size = 1;
    int64_t stride = 1;
  };

  /// Of a composite; of a lookup, what the table indexes.
  llvm::SmallVector<Factor, 4> factors;
  int64_t size = 1;
  /// How deep composites nest below this one; bounded by the resolver.
  unsigned depth = 1;
  /// Whether position 0 holds index 0 of every axis, with no skewed axis.
  bool startsAtZero = true;
  /// Of a lookup.
  std::shared_ptr<const std::vector<int64_t>> table;
  /// Of a sliding combination.
  std::vector<SlidingTerm> sliding;
  std::shared_ptr<const SlidingSearch> search;
};

/// A factor, and how many positions of its mapping one step of it covers.
struct PlacedFactor {
  Factor factor;
  int64_t positionStride = 1;
};

/// "B / 64, B % 32": factors as text; "1" for none.
std::string str(llvm::ArrayRef<Factor> factors);

/// A mapping expression with the sizes of its axes resolved. Immutable and
/// cheap to copy.
class Mapping {
public:
  /// The identity `1`.
  Mapping();

  /// Parses `text` and resolves its axes. Errors name the offending term, its
  /// column in `text`, what was found and what is allowed: an unknown axis (the
  /// known ones are listed), a division or modulo that does not divide, a pad
  /// below the size, a resize above it, a size that overflows 64 bits.
  static llvm::Expected<Mapping> parse(llvm::StringRef text,
                                       const AxisSizes &axes);

  /// Checks only that `text` follows the grammar; no axis sizes needed.
  static llvm::Error checkSyntax(llvm::StringRef text);

  /// `major, minor` as one mapping over the axes of both. Errors: an axis with
  /// two sizes, a product of sizes that does not fit in 64 bits.
  static llvm::Expected<Mapping> pair(const Mapping &major,
                                      const Mapping &minor);
  /// `*this # size`; an error if `size` is below this size.
  llvm::Expected<Mapping> pad(int64_t size) const;
  /// `*this / n` and `*this % n`; errors if n does not divide the size.
  llvm::Expected<Mapping> divide(int64_t n) const;
  llvm::Expected<Mapping> modulo(int64_t n) const;

  /// Number of positions.
  int64_t size() const;

  /// The text with canonical spacing; parse(str(), axes()) gives this mapping.
  std::string str() const;
  const AxisSizes &axes() const;

  /// The tensor index at `position`, the canonical one of several, or
  /// std::nullopt for padding.
  std::optional<TensorIndex> at(int64_t position) const;

  /// All indices at `position` without repetition, the canonical one first;
  /// empty for padding.
  std::vector<TensorIndex> allAt(int64_t position) const;

  /// The most indices that a position can have; 1 without sliding combinations.
  int64_t maxIndices() const;

  /// All positions that hold `index`, ascending. An error names an axis that
  /// is not declared, or says that the search would take too many steps.
  llvm::Expected<std::vector<int64_t>>
  positionsOf(const TensorIndex &index) const;

  /// The factors with their position strides, outermost first, sliding
  /// combinations as their terms: what an address map is made of. Errors: a
  /// lookup, a sliding combination that is not affine.
  llvm::Expected<llvm::SmallVector<PlacedFactor, 8>> placedFactors() const;

  /// Whether position 0 holds index 0 of every axis and no skewed axis is
  /// walked: the condition of some laws.
  bool startsAtZero() const;

  /// Calls `visit(position, linear)` for every position in order, where
  /// `linear` is the row-major index over all axes of axes() (first axis
  /// slowest), or -1 for padding. Walks the factors by strides, not the
  /// expression. The product of the axes' sizes must fit in 64 bits
  /// (axes().linearSize()).
  template <typename Visitor> void forEach(Visitor &&visit) const;

  /// The terms of the expression, major to minor, plain brackets flattened:
  /// what a sequencer has one loop for.
  struct Term {
    std::string text;
    llvm::SmallVector<Factor, 2> factors;
  };
  llvm::ArrayRef<Term> terms() const;

  /// The normal form, outermost first. Factors of extent 1 that carry no offset
  /// are dropped; adjacent factors that are one digit are joined.
  llvm::ArrayRef<Factor> factors() const;

  /// The normal form as text, for messages: "B / 64, B % 32, B / 32 % 2".
  /// parse(normalStr(), axes()) is an equivalent mapping, unless the normal
  /// form holds a part of a group (a Factor::Kind::Composite, at any depth) or
  /// is longer than the parser reads: `[A, B] = 9`, if other parts of [A, B]
  /// stand beside it, would be read as the innermost digits of A, B alone.
  std::string normalStr() const;

  /// Positions that hold data, as a product over factors (an upper bound when
  /// padding depends on several factors).
  int64_t validSize() const;

  /// Whether both have the same size and the same index at every position.
  /// Decided on the normal forms; falls back to comparing position by position
  /// where those differ in shape but composites are involved.
  bool isEquivalent(const Mapping &other) const;

  /// First position at which the two differ, std::nullopt if equivalent.
  /// A size difference is reported at the smaller size.
  std::optional<int64_t> firstDifference(const Mapping &other) const;

  /// The outcome of a comparison that gives up after a number of steps.
  struct Comparison {
    enum class Kind : uint8_t { Equal, Different, Undecided } kind;
    /// The first difference, or how far the comparison came.
    int64_t position = 0;
  };
  /// As firstDifference, but makes about `maxSteps` comparisons at most.
  Comparison compare(const Mapping &other, int64_t maxSteps) const;

private:
  friend class MappingWalker;
  friend llvm::Error checkSkews(llvm::ArrayRef<Mapping> left,
                                llvm::ArrayRef<Mapping> right);
  struct Impl;
  std::shared_ptr<const Impl> impl;

  static llvm::Expected<Mapping>
  resolve(std::shared_ptr<const MappingExpr> expr, const AxisSizes &axes);
  llvm::Expected<Mapping> withOp(MappingOp op) const;
};

/// Whether the pair of `left` (say a buffer) and the pair of `right` (a stream)
/// agree in their use of skewed axes, so that equal coordinates of the axes as
/// named mean equal indices: both walk the same one of B, B' = B - A, ..., and,
/// if that is B', either both or neither walk A. An error names the axis.
llvm::Error checkSkews(llvm::ArrayRef<Mapping> left,
                       llvm::ArrayRef<Mapping> right);

/// Enumerates the positions of a mapping as runs: stretches of padding, or of
/// positions whose linear index advances by a constant.
class MappingWalker {
public:
  /// The positions [position, position + count). `table`, if set, gives the
  /// linear index of the i-th position as linear + table[i * step], padding
  /// where the table says -1.
  struct Run {
    int64_t position = 0;
    int64_t count = 0;
    int64_t linear = 0; ///< of the first position; -1 for padding
    int64_t step = 0;
    const int64_t *table = nullptr;
  };

  /// `mapping` must outlive the walker.
  explicit MappingWalker(const Mapping &mapping);
  ~MappingWalker();
  MappingWalker(const MappingWalker &) = delete;
  MappingWalker &operator=(const MappingWalker &) = delete;

  /// The next run, in the order of positions; false at the end.
  bool next(Run &run);

private:
  struct State;
  std::unique_ptr<State> state;
};

template <typename Visitor> void Mapping::forEach(Visitor &&visit) const {
  MappingWalker walker(*this);
  MappingWalker::Run run;
  while (walker.next(run)) {
    if (run.table) {
      for (int64_t i = 0; i < run.count; ++i) {
        int64_t part = run.table[i * run.step];
        visit(run.position + i, part < 0 ? int64_t(-1) : run.linear + part);
      }
    } else {
      int64_t linear = run.linear;
      for (int64_t i = 0; i < run.count; ++i, linear += run.step)
        visit(run.position + i, linear);
    }
  }
}

} // namespace sequin

#endif // SEQUIN_STREAM_MAPPING_H
