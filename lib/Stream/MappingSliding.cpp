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

/// Entries of all tables of one combination, at most.
constexpr int64_t maxTableEntries = int64_t(1) << 22;

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
SlidingSearch::build(std::vector<Term> terms, int64_t size, int64_t &entries,
                     int64_t &steps) {
  auto search = std::make_shared<SlidingSearch>();
  search->terms = std::move(terms);
  search->size = size;
  search->termCount = search->terms.size();
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
  } else if (llvm::Error error = search->tabulate(entries, steps)) {
    return error;
  }
  return std::shared_ptr<const SlidingSearch>(std::move(search));
}

llvm::Error SlidingSearch::tabulate(int64_t &entries, int64_t &steps) {
  auto tooMuch = [] {
    return llvm::createStringError(
        "finding the indices of its positions takes too many steps");
  };
  int64_t needed = saturatingMul(size, static_cast<int64_t>(terms.size()));
  if (needed > maxTableEntries)
    return llvm::createStringError(
        "its " + Twine(terms.size()) + " terms have " + Twine(size) +
        " positions together; beyond " + Twine(maxTableEntries) +
        " positions times terms, only two terms without padding inside are "
        "allowed");
  if ((entries -= needed) < 0)
    return tooMuch();
  best.assign(terms.size(), {});
  next.assign(terms.size(), {});
  below.assign(terms.size(), {});
  for (size_t t = terms.size(); t-- > 0;) {
    const Term &term = terms[t];
    int32_t last = -1;
    for (size_t p = 0; p < term.mask.size(); ++p) {
      last = term.mask[p] ? static_cast<int32_t>(p) : last;
      below[t].push_back(last);
    }
    next[t].resize(size);
    for (int64_t s = size; s-- > 0;) {
      bool reached = t + 1 == terms.size() ? s == 0 : best[t + 1][s] >= 0;
      next[t][s] = static_cast<int32_t>(reached ? s
                                        : term.stride < size - s
                                            ? next[t][s + term.stride]
                                            : size);
    }
    best[t].resize(size);
    for (int64_t s = 0; s < size && steps >= 0; ++s)
      best[t][s] = static_cast<int32_t>(partBelow(t, s, term.high, steps));
    if (steps < 0)
      return tooMuch();
  }
  return llvm::Error::success();
}

/// The largest part <= atMost of term t that holds data and leaves a rest that
/// the terms further on reach; -1 if there is none. Jumps to the next part that
/// holds data, and to the next with a reached rest, until both agree.
int64_t SlidingSearch::partBelow(size_t t, int64_t sum, int64_t atMost,
                                 int64_t &steps) const {
  const Term &term = terms[t];
  int64_t part = std::min(atMost, sum / term.stride);
  while (part >= term.low) {
    if (!below[t].empty() && (part = below[t][part]) < term.low)
      break;
    int64_t rest = next[t][sum - part * term.stride];
    if (rest > sum)
      break;
    int64_t reached = (sum - rest) / term.stride;
    if (reached == part)
      return part;
    part = reached;
    --steps;
  }
  return -1;
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
  int64_t residue = 0;
  if (modulus > 1 && modulus <= int64_t(1) << 31)
    residue = position / gcd % modulus * inverse % modulus;
  else if (modulus > 1)
    residue = static_cast<int64_t>(
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
  int64_t steps = 0; // not bounded here
  for (int64_t part = best[t][rest]; part >= 0;
       part = partBelow(t, rest, part - 1, steps)) {
    parts[t] = part;
    if (!walk(t + 1, rest - part * terms[t].stride, parts, visit))
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

void SlidingSearch::forEachFirst(
    llvm::function_ref<void(int64_t, int64_t, int64_t, ArrayRef<int64_t>)>
        visit) const {
  llvm::SmallVector<int64_t, 4> parts(termCount, 0);
  if (closedForm && termCount == 1) {
    const Term &term = terms[0];
    parts = {term.low};
    if (term.low <= term.high)
      visit(term.low * term.stride, term.high - term.low + 1, term.stride,
            parts);
    return;
  }
  if (!closedForm || termCount == 0) {
    for (int64_t position = 0; position < size; ++position)
      if (first(position, parts))
        visit(position, 1, 1, parts);
    return;
  }
  const Term &a = terms[0], &b = terms[1];
  // (i, j) is a first decomposition unless (i + b / gcd, j - a / gcd) is one.
  int64_t up = b.stride / gcd, down = a.stride / gcd;
  for (int64_t i = a.low; i <= a.high; ++i) {
    bool canRise = i <= a.high - up;
    int64_t high =
        canRise && down <= b.high - b.low ? b.low + down - 1 : b.high;
    if (high < b.low)
      continue;
    parts = {i, b.low};
    visit(i * a.stride + b.low * b.stride, high - b.low + 1, b.stride, parts);
  }
}

std::vector<std::vector<int64_t>> SlidingSearch::tabulateParts() const {
  std::vector<std::vector<int64_t>> result(termCount,
                                           std::vector<int64_t>(size, -1));
  forEachFirst([&](int64_t position, int64_t count, int64_t step,
                   ArrayRef<int64_t> parts) {
    for (size_t t = 0; t < parts.size(); ++t)
      for (int64_t i = 0; i < count; ++i)
        result[t][position + i * step] =
            parts[t] + (t + 1 == parts.size() ? i : 0);
  });
  return result;
}
