//===- MappingSliding.h - Decompositions of sliding positions ---*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A position s of `$(E1:n1, ..., Ed:nd)` is reached from every (s1, ..., sd)
// with s = s1 n1 + ... + sd nd whose parts hold data. The search gives them in
// the order of decreasing s1, then s2, and so on.
//
// Two terms whose data lies in one interval are solved in closed form. Anything
// else is tabulated once: for each tail of the terms and each sum, the largest
// position of the tail's first term that reaches it.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_STREAM_MAPPINGSLIDING_H
#define SEQUIN_LIB_STREAM_MAPPINGSLIDING_H

#include "sequin/Stream/Mapping.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace sequin {

class SlidingSearch {
public:
  struct Term {
    int64_t stride = 1;
    /// Positions [low, high] hold data, those with mask[p - low] if there is a
    /// mask. low > high: none.
    int64_t low = 0, high = 0;
    std::vector<bool> mask;
  };

  /// `size` is one past the largest position. The error says why the
  /// combination is too large; the entries of tables and the steps to fill them
  /// are taken off `entries` and `steps`.
  static llvm::Expected<std::shared_ptr<const SlidingSearch>>
  build(std::vector<Term> terms, int64_t size, int64_t &entries,
        int64_t &steps);

  /// The first decomposition; false if there is none.
  bool first(int64_t position, llvm::MutableArrayRef<int64_t> parts) const;

  /// Calls `visit` with every decomposition until it returns false.
  void forEach(int64_t position,
               llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> visit) const;

  /// Calls `visit(position, count, step, parts)` so that every position with a
  /// decomposition comes once: the first decomposition of position + i step has
  /// the given parts, the last of them plus i.
  void forEachFirst(
      llvm::function_ref<void(int64_t position, int64_t count, int64_t step,
                              llvm::ArrayRef<int64_t> parts)>
          visit) const;

  /// The parts of the first decomposition of every position, by term; -1 where
  /// there is none.
  std::vector<std::vector<int64_t>> tabulateParts() const;

private:
  /// Largest s1 <= atMost of a decomposition of the closed form, -1 if none.
  int64_t solvePair(int64_t position, int64_t atMost) const;
  bool walk(size_t term, int64_t rest, llvm::MutableArrayRef<int64_t> parts,
            llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> visit) const;
  int64_t partBelow(size_t term, int64_t sum, int64_t atMost,
                    int64_t &steps) const;
  llvm::Error tabulate(int64_t &entries, int64_t &steps);

  std::vector<Term> terms;
  /// Without the term that makes a pair of a single one.
  size_t termCount = 0;
  int64_t size = 1;
  /// Of the closed form: gcd of the strides and the inverse of stride 0 / gcd
  /// modulo stride 1 / gcd.
  bool closedForm = false;
  int64_t gcd = 1, inverse = 0;
  /// best[t][s]: the largest position of term t in a decomposition of s into
  /// the terms from t on; -1 if there is none.
  std::vector<std::vector<int32_t>> best;
  /// next[t][s]: the smallest sum >= s, a multiple of the stride of term t
  /// away, that the terms behind t reach; the size if there is none.
  std::vector<std::vector<int32_t>> next;
  /// Of a term with a mask: the largest position <= p that holds data, or -1.
  std::vector<std::vector<int32_t>> below;
};

} // namespace sequin

#endif // SEQUIN_LIB_STREAM_MAPPINGSLIDING_H
