//===- MappingMeaning.h - What a mapping expression means -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference interpreter's own reading of mapping expressions: text in, a
// table of tensor indices out (TCP manual, Mapping Expressions: map(i) of every
// constructor). It shares nothing with the stream core, so that an error there
// shows as a difference.
//
// A mapping becomes a list of digits, outermost first. Every digit counts
// through a *base*: an axis, a skewed axis, or an expression: a composite,
// which is a list of digits of its own that a quotient could not take apart
// (`[D, C] / 10` with C = 6), a table lookup, or a sliding combination. What
// several digits, in one or in several mappings of a tensor, add to the same
// base is summed before the base is looked up, so that quotient and remainder
// meet again; a sum past the end of a base is padding.
//
// A position of a sliding combination stands for several indices; allAt() gives
// all of them. Programs are run with mappings of one index per position only.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_MAPPINGMEANING_H
#define SEQUIN_LIB_REFERENCE_MAPPINGMEANING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sequin::reference {

/// Index into Space::bases.
using BaseId = int;
inline constexpr BaseId kNoBase = -1;

/// One digit of a position. Its values [first, first + valid) hold data and add
/// (value - first) * stride + offset to the base.
struct Digit {
  int64_t extent = 1;
  int64_t first = 0;
  int64_t valid = 1;
  BaseId base = kNoBase;
  int64_t stride = 0;
  int64_t offset = 0;

  bool operator==(const Digit &) const = default;
};
using Digits = llvm::SmallVector<Digit, 4>;

/// The number of positions of a list of digits.
int64_t sizeOf(llvm::ArrayRef<Digit> digits);

/// A tensor index: a coordinate per axis of the space.
using Index = llvm::SmallVector<int64_t, 4>;

/// A skewed axis: name = base - by, or base + by, wrapping at the size of base.
struct SkewedAxis {
  std::string name, base, by;
  bool plus = false;
};

/// The entries of a table for lookups.
struct NamedTable {
  std::string name;
  std::vector<int64_t> entries;
};

/// The axes of a program and the expressions that its mappings speak of.
class Space {
public:
  explicit Space(llvm::ArrayRef<std::pair<std::string, int64_t>> axes,
                 llvm::ArrayRef<SkewedAxis> skews = {},
                 llvm::ArrayRef<NamedTable> tables = {});

  int axisCount() const { return axes; }
  int64_t size(BaseId base) const { return bases[base].size; }
  llvm::StringRef axisName(BaseId axis) const { return bases[axis].name; }
  int baseCount() const { return static_cast<int>(bases.size()); }
  /// The axes that a base speaks of.
  llvm::ArrayRef<int> axesOf(BaseId base) const { return bases[base].reaches; }

  /// Reads a mapping. Errors say what was found, with its column.
  llvm::Expected<Digits> read(llvm::StringRef text);
  /// The mapping's top-level terms, each for itself.
  llvm::Expected<std::vector<Digits>> readTerms(llvm::StringRef text);

  // The operators, on lists of digits.
  llvm::Expected<Digits> divide(Digits list, int64_t n);
  llvm::Expected<Digits> modulo(Digits list, int64_t n);
  llvm::Expected<Digits> pad(Digits list, int64_t n, int64_t low);
  llvm::Expected<Digits> view(Digits list, int64_t low, int64_t n);
  llvm::Expected<Digits> lookup(Digits list, llvm::StringRef table);
  struct SlidingTerm {
    Digits digits;
    int64_t stride = 1;
    bool operator==(const SlidingTerm &) const = default;
  };
  llvm::Expected<Digits> sliding(std::vector<SlidingTerm> terms);

  /// The index that the summed contributions to all bases stand for;
  /// std::nullopt for padding. `sums` is used up. A composite that is not
  /// `spoken` of adds nothing, whatever stands at its start.
  std::optional<Index> resolve(llvm::MutableArrayRef<int64_t> sums,
                               llvm::ArrayRef<uint8_t> spoken) const;
  /// Adds what `position` stands for to `sums`; false for padding.
  static bool add(llvm::ArrayRef<Digit> digits, int64_t position,
                  llvm::MutableArrayRef<int64_t> sums);
  /// Which bases `mappings` speak of, directly or through composites.
  std::vector<uint8_t> spokenOf(llvm::ArrayRef<Digits> mappings) const;
  /// The index at one position of one mapping alone, the first of several.
  std::optional<Index> at(llvm::ArrayRef<Digit> digits, int64_t position) const;
  /// All of them, without repetition; those with large positions of the first
  /// term of a sliding combination come first.
  std::vector<Index> allAt(llvm::ArrayRef<Digit> digits,
                           int64_t position) const;
  /// Whether a position may stand for several indices.
  bool slides(llvm::ArrayRef<Digit> digits) const;
  /// "{A: 1, B: 7}", zero coordinates left out.
  std::string describe(llvm::ArrayRef<int64_t> index) const;

  /// Takes the innermost `n` positions of a digit apart, if that needs no
  /// composite: {outer, inner}.
  std::optional<std::pair<Digit, Digit>> split(const Digit &digit,
                                               int64_t n) const;
  /// Joins neighbours that count as one digit and drops digits of one position.
  Digits normalize(llvm::ArrayRef<Digit> list) const;

private:
  friend class Reader;
  enum class Kind { Axis, Skewed, Composite, Lookup, Sliding };
  struct Base {
    Kind kind = Kind::Axis;
    std::string name; ///< of an axis
    int64_t size = 1;
    Digits digits; ///< of an expression; its bases have smaller numbers
    /// Of a lookup, what the digits are at each position.
    llvm::ArrayRef<int64_t> entries;
    std::vector<SlidingTerm> terms; ///< of a sliding combination
    int base = 0, by = 0;           ///< of a skewed axis
    bool plus = false;
    /// Whether position 0 is index 0 and needs no mention.
    bool plain = true;
    llvm::SmallVector<int, 2> reaches;
  };
  using Visit = llvm::function_ref<bool(llvm::ArrayRef<int64_t>)>;

  /// One digit that counts through the whole list.
  Digit composite(llvm::ArrayRef<Digit> list);
  /// Splits one digit that counts through the whole list: {outer, inner}.
  std::pair<Digit, Digit> splitWhole(llvm::ArrayRef<Digit> list, int64_t n);
  /// One digit that counts through an expression.
  Digit express(Base base);
  bool isPlain(const Digit &digit) const;
  bool arePlain(llvm::ArrayRef<Digit> list) const;
  /// Works off the bases from `id` downwards, visiting every index until one
  /// visit returns false.
  bool resolveFrom(BaseId id, llvm::MutableArrayRef<int64_t> sums,
                   llvm::ArrayRef<uint8_t> spoken, Visit visit) const;
  bool slide(const Base &base, size_t term, int64_t rest, BaseId id,
             llvm::MutableArrayRef<int64_t> sums,
             llvm::ArrayRef<uint8_t> spoken, Visit visit) const;
  /// An axis walked as itself and as a skewed one, or skewed in two ways.
  llvm::Error checkSkews(llvm::ArrayRef<Digits> mappings) const;

  std::vector<NamedTable> tables;
  int axes = 0;
  std::vector<Base> bases;
};

/// What every position of a mapping adds to the bases.
struct Table {
  int64_t size = 0;
  llvm::SmallVector<BaseId, 4> bases;
  /// Position-major; only meaningful where `valid`.
  std::vector<int64_t> values;
  std::vector<uint8_t> valid;

  Table() = default;
  explicit Table(llvm::ArrayRef<Digit> digits);
  /// Adds what `position` stands for to `sums`.
  void addTo(llvm::MutableArrayRef<int64_t> sums, int64_t position) const {
    for (size_t i = 0; i < bases.size(); ++i)
      sums[bases[i]] += values[position * bases.size() + i];
  }
};

/// A loop of a reduction over time, see matchLoops.
struct MatchedLoop {
  int64_t size = 1;
  bool kept = false;
};

/// Finds `kept` in `all`: the loops of `all`, outermost first, some left out.
/// Fails if `kept` is no such selection.
std::optional<std::vector<MatchedLoop>> matchLoops(const Space &space,
                                                   llvm::ArrayRef<Digit> all,
                                                   llvm::ArrayRef<Digit> kept);

/// For every step of the loops, the step of the result it goes into.
std::vector<int64_t> resultSteps(llvm::ArrayRef<MatchedLoop> loops);

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_MAPPINGMEANING_H
