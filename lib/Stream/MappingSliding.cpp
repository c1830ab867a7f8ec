//===- MappingSliding.cpp - Decompositions of sliding positions -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappingSliding.h"

#include "Saturating.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <numeric>

using namespace sequin;
using llvm::ArrayRef;
using llvm::MutableArrayRef;
using llvm::Twine;

namespace {

/// Entries of all tables of one combination, and steps to fill them, at most.
constexpr int64_t maxTableEntries = int64_t(1) << 22;
constexpr int64_t maxTableSteps = int64_t(1) << 27;

/// The inverse of a modulo m; a and m have no common factor.
int64_t inverseModulo(int64_t a, int64_t m) {
  __int128 r0 = m, r1 = a % m, t0 = 0, t1 = 1;
  while (r1 != 0) {
    __int128 q = r0 / r1;
    __int128 r2 = r0 - q * r1, t2 = t0 - q * t1;
    r0 = r1, r1 = r2, t0 = t1, t1 = t2;
  }
  return static_cast<int64_t>(((t0 % m) + m) % m);
}

} // namespace

llvm::Expected<std::shared_ptr<const SlidingSearch>>
SlidingSearch::build(std::vector<Term> terms, int64_t size) {
  auto search = std::make_shared<SlidingSearch>();
  search->terms = std::move(terms);
  search->size = size;
  auto &list = search->terms;
  bool intervals = std::all_of(list.begin(), list.end(), [](const Term &term) {
    return term.mask.empty();
  });
  if (intervals && list.size() <= 2) {
    if (list.size() < 2)
      list.push_back(Term());
    search->closedForm = true;
    search->gcd = std::gcd(list[0].stride, list[1].stride);
    int64_t modulus = list[1].stride / search->gcd;
    search->inverse =
        inverseModulo(list[0].stride / search->gcd % modulus, modulus);
  } else if (llvm::Error error = search->tabulate()) {
    return error;
  }
  return std::shared_ptr<const SlidingSearch>(std::move(search));
}

llvm::Error SlidingSearch::tabulate() {
  if (saturatingMul(size, static_cast<int64_t>(terms.size())) > maxTableEntries)
    return llvm::createStringError(
        "its " + Twine(terms.size()) + " terms have " + Twine(size) +
        " positions together; beyond " + Twine(maxTableEntries) +
        " positions times terms, only two terms without padding inside are "
        "allowed");
  best.assign(terms.size(), {});
  int64_t steps = 0;
  // next[s]: the smallest sum >= s, a multiple of the stride away, that the
  // terms further on reach.
  std::vector<int64_t> next(size);
  for (size_t t = terms.size(); t-- > 0;) {
    const Term &term = terms[t];
    for (int64_t s = size; s-- > 0;) {
      bool reached = t + 1 == terms.size() ? s == 0 : best[t + 1][s] >= 0;
      next[s] = reached                  ? s
                : term.stride < size - s ? next[s + term.stride]
                                         : size;
    }
    best[t].assign(size, -1);
    for (int64_t s = 0; s < size; ++s) {
      int64_t most = std::min(term.high, s / term.stride);
      while (most >= term.low) {
        int64_t rest = next[s - most * term.stride];
        if (rest > s)
          break;
        most = (s - rest) / term.stride;
        if (most < term.low)
          break;
        if (holds(term, most)) {
          best[t][s] = static_cast<int32_t>(most);
          break;
        }
        --most;
        if (++steps > maxTableSteps)
          return llvm::createStringError(
              "finding the indices of its positions takes too many steps");
      }
    }
  }
  return llvm::Error::success();
}

int64_t SlidingSearch::solvePair(int64_t position, int64_t atMost) const {
  const Term &a = terms[0], &b = terms[1];
  if (position % gcd != 0 || b.low > b.high)
    return -1;
  int64_t least = saturatingMul(b.low, b.stride);
  if (least > position)
    return -1;
  int64_t high = std::min({a.high, atMost, (position - least) / a.stride});
  int64_t low = a.low;
  int64_t most = saturatingMul(b.high, b.stride);
  if (position > most)
    low = std::max(low, ceilDiv(position - most, a.stride));
  int64_t modulus = b.stride / gcd;
  int64_t residue = static_cast<int64_t>(
      static_cast<__int128>(position / gcd % modulus) * inverse % modulus);
  if (high < low || high < residue)
    return -1;
  int64_t part = high - (high - residue) % modulus;
  return part < low ? -1 : part;
}

bool SlidingSearch::first(int64_t position,
                          MutableArrayRef<int64_t> parts) const {
  if (position < 0 || position >= size)
    return false;
  if (closedForm) {
    int64_t part = solvePair(position, terms[0].high);
    if (part < 0)
      return false;
    parts[0] = part;
    if (parts.size() > 1)
      parts[1] = (position - part * terms[0].stride) / terms[1].stride;
    return true;
  }
  for (size_t t = 0; t < terms.size(); ++t) {
    int64_t part = best[t][position];
    if (part < 0)
      return false;
    parts[t] = part;
    position -= part * terms[t].stride;
  }
  return true;
}

bool SlidingSearch::walk(
    size_t t, int64_t rest, MutableArrayRef<int64_t> parts,
    llvm::function_ref<bool(ArrayRef<int64_t>)> visit) const {
  if (t == terms.size())
    return visit(parts);
  const Term &term = terms[t];
  for (int64_t part = best[t][rest]; part >= term.low; --part) {
    int64_t left = rest - part * term.stride;
    bool reached = t + 1 == terms.size() ? left == 0 : best[t + 1][left] >= 0;
    if (!reached || !holds(term, part))
      continue;
    parts[t] = part;
    if (!walk(t + 1, left, parts, visit))
      return false;
  }
  return true;
}

void SlidingSearch::forEach(
    int64_t position, llvm::function_ref<bool(ArrayRef<int64_t>)> visit) const {
  if (position < 0 || position >= size)
    return;
  llvm::SmallVector<int64_t, 4> parts(terms.size(), 0);
  if (!closedForm) {
    if (best[0][position] >= 0)
      walk(0, position, parts, visit);
    return;
  }
  for (int64_t part = solvePair(position, terms[0].high); part >= 0;
       part = part == 0 ? -1 : solvePair(position, part - 1)) {
    parts[0] = part;
    parts[1] = (position - part * terms[0].stride) / terms[1].stride;
    if (!visit(parts))
      return;
  }
}
