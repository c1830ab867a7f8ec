//===- FactorList.h - Operators of mappings on normal forms -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each postfix operator of the mapping language as an operation on a list of
// factors, outermost first. Preconditions on sizes (divides, pads up, keeps no
// more than there is) are checked by the caller, who can name the term.
//
// A base that an operator makes is known by its text, and equal texts are one
// base. What says nothing (an axis of one position) is not in a normal form, so
// `A # 3 @ 1` and `B # 3 @ 1` with A = B = 1 have equal ones, and are not parts
// of each other. Therefore every operator is told which axes its operand is
// written with, `axes`; they become part of the text where the normal form
// names none.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_STREAM_FACTORLIST_H
#define SEQUIN_LIB_STREAM_FACTORLIST_H

#include "sequin/Stream/Mapping.h"

namespace sequin::factors {

using FactorList = llvm::SmallVector<Factor, 4>;

/// The deepest nesting of composites that the operators build.
inline constexpr unsigned maxCompositeDepth = 48;

/// Product of the extents; fits, since sizes were checked when the list was
/// built.
int64_t sizeOf(llvm::ArrayRef<Factor> list);

/// How deep composites nest in `list`.
unsigned depthOf(llvm::ArrayRef<Factor> list);

/// Splits `list` at a position stride of n, which divides its size: the digits
/// of position / n stay, the digits of position % n are returned. Each holds
/// alone what `list` holds at the positions of the other's digit 0, and both
/// together in one list hold what `list` holds.
FactorList splitOff(FactorList &list, int64_t n, llvm::StringRef axes);

/// Pads to `size` with `low` of the padding before the first position.
void pad(FactorList &list, int64_t size, int64_t low, PaddingKind kind,
         llvm::StringRef axes);

/// Keeps positions [from, from + size).
void view(FactorList &list, int64_t from, int64_t size, llvm::StringRef axes);

/// `list ? name`: entry p of `table` for position p. The entries are positions
/// of `list`.
void lookup(FactorList &list, llvm::StringRef name,
            std::shared_ptr<const std::vector<int64_t>> table,
            llvm::StringRef axes);

/// What resolving all sliding combinations of one mapping may cost.
struct SlidingBudget {
  /// Positions of terms with padding or groups inside.
  int64_t positions = int64_t(1) << 25;
  /// Entries of tables of decompositions, and steps to fill them.
  int64_t entries = int64_t(1) << 24;
  int64_t steps = int64_t(1) << 27;
};

/// The sliding combination of `terms`. Errors say what is too large.
llvm::Expected<FactorList>
sliding(std::vector<CompositeBase::SlidingTerm> terms, const AxisSizes &axes,
        SlidingBudget &budget, llvm::StringRef axisNames);

/// Joins adjacent digits, drops what says nothing, and replaces composites that
/// are walked whole by their factors; those that do not start at index 0 only
/// if the list is `complete`: their other parts may follow otherwise.
void normalize(FactorList &list, bool complete = false);

/// Whether digit 0 of `f` holds index 0 and no skewed axis.
bool startsAtZero(const Factor &f);

/// Whether the positions of `f` past its valid ones are padding already because
/// the base ends there.
bool isLimitedByBase(const Factor &f);

/// Whether splitting `f` by n gives two digits whose combination holds data
/// exactly where `f` does.
bool canSplit(const Factor &f, int64_t n);

/// Splits f at n, where n divides its extent: f keeps the quotient, the
/// remainder is returned. Requires canSplit.
Factor splitFactor(Factor &f, int64_t n);

/// Whether digits of `f`, the outermost of which steps over `step` positions,
/// are digits of what `f` walks, the outermost with f.first / step positions of
/// padding below.
bool canShift(const Factor &f, int64_t step);

} // namespace sequin::factors

#endif // SEQUIN_LIB_STREAM_FACTORLIST_H
