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
//
// (TCP Virtual ISA manual, Mapping Expressions.) Operators are postfix and bind
// left to right: `B / 32 % 2` is `(B / 32) % 2`.
//
// The normal form is a list of factors, outermost first. A factor is one digit
// of the position in a mixed-radix number; it advances one base by a constant
// step:
//
//     p = sum over factors of digit * (product of the extents further in)
//     base index = sum over the factors of that base of (digit - first) *
//     stride
//                                                       + offset
//
// A base is an axis, an inner expression whose factors cannot be told apart (a
// composite, e.g. `[D, C] / 4` with C = 6), or nothing (padding and broadcast).
// Quotients and remainders of one base are recombined to the base's linear
// index before that index is looked up, and an index past the end of the base
// is padding; so `E` and `E / n, E % n` agree for every E, also for padded
// ones.
//
// Laws, for every E, A and B of this language (== is isEquivalent; the tests
// walk them):
//
//     E, 1  ==  1, E  ==  E                  E / n, E % n  ==  E
//     [A, B], C  ==  A, [B, C]               [A, B] / B.size  ==  A      (*)
//     E / 1  ==  E # E.size  ==  E           [A, B] % B.size  ==  B      (*)
//     E = E.size  ==  E                      E % 1  ==  1
//     E # m # n  ==  E # n                   E / m / n  ==  E / (m n)    (*)
//
// (*) for expressions without views at an offset and without low padding, whose
// first position holds something else than index 0. There a quotient drops what
// lies within one of its steps whole, offset and all, so that `E / n, E % n`
// still is E; a cut through the middle of such a part keeps it.
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

/// Names and sizes of axes, in the order they were declared.
class AxisSizes {
public:
  /// Parses "A=8,B=512". Names are an upper-case letter followed by letters,
  /// digits, underscores or primes; sizes are positive. An axis named twice, a
  /// size that is not a positive integer: an error naming it.
  static llvm::Expected<AxisSizes> parse(llvm::StringRef text);

  /// Adds an axis; false if the name is taken.
  bool add(llvm::StringRef name, int64_t size);
  std::optional<int64_t> lookup(llvm::StringRef name) const;
  llvm::ArrayRef<std::pair<std::string, int64_t>> axes() const { return list; }
  /// The product of all sizes, std::nullopt if it does not fit in 64 bits.
  std::optional<int64_t> linearSize() const;
  /// The axes of both, those of `this` first; an error names an axis that has
  /// two sizes.
  llvm::Expected<AxisSizes> unionWith(const AxisSizes &other) const;

  /// "A=8,B=512"; parse(str()) gives an equal table.
  std::string str() const;
  bool operator==(const AxisSizes &other) const { return list == other.list; }

private:
  llvm::SmallVector<std::pair<std::string, int64_t>, 4> list;
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
  };
  Kind kind = Kind::Axis;
  /// The axis name, or the text of the composite expression in brackets; empty
  /// for Broadcast.
  std::string base;
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

/// An expression that serves as a base: a normal form of its own.
struct CompositeBase {
  llvm::SmallVector<Factor, 4> factors;
  int64_t size = 1;
  /// How deep composites nest below this one; bounded by the resolver.
  unsigned depth = 1;
  /// Whether position 0 holds index 0 of every axis.
  bool startsAtZero = true;
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

  /// The tensor index at `position`, or std::nullopt for padding.
  std::optional<TensorIndex> at(int64_t position) const;

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
  /// As firstDifference, but compares at most `maxSteps` runs of positions.
  Comparison compare(const Mapping &other, int64_t maxSteps) const;

private:
  friend class MappingWalker;
  struct Impl;
  std::shared_ptr<const Impl> impl;

  static llvm::Expected<Mapping>
  resolve(std::shared_ptr<const MappingExpr> expr, const AxisSizes &axes);
  llvm::Expected<Mapping> withOp(MappingOp op) const;
};

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
