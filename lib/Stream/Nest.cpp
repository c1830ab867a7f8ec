//===- Nest.cpp - The smallest nest for a list of addresses ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nest.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <numeric>

using namespace sequin;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

//===----------------------------------------------------------------------===//
// Splitting one size
//===----------------------------------------------------------------------===//

namespace {

/// The largest divisors first; those of a size whose primes are all small.
SmallVector<int64_t, 32> divisorsUpTo(ArrayRef<int64_t> primes, int64_t limit) {
  SmallVector<int64_t, 32> result{1};
  for (size_t i = 0; i < primes.size();) {
    size_t end = i;
    while (end < primes.size() && primes[end] == primes[i])
      ++end;
    size_t before = result.size();
    int64_t power = 1;
    for (; i < end; ++i) {
      power *= primes[i];
      for (size_t k = 0; k < before && power <= limit; ++k)
        if (result[k] <= limit / power)
          result.push_back(result[k] * power);
    }
  }
  llvm::sort(result, std::greater<>());
  return result;
}

/// Whether `size` is a product of `count` of the divisors from `from` on.
bool splitInto(int64_t size, unsigned count, int64_t limit,
               ArrayRef<int64_t> divisors, SmallVectorImpl<int64_t> &factors) {
  if (size <= limit) {
    factors.push_back(size);
    return true;
  }
  if (count == 1)
    return false;
  for (size_t i = 0; i < divisors.size() && divisors[i] > 1; ++i) {
    if (size % divisors[i] != 0)
      continue;
    // The rest cannot become small enough with smaller factors.
    int64_t rest = size;
    for (unsigned k = 0; k < count && rest > 1; ++k)
      rest = rest / divisors[i] + (rest % divisors[i] != 0);
    if (rest > 1)
      return false;
    factors.push_back(divisors[i]);
    if (splitInto(size / divisors[i], count - 1, limit, divisors.drop_front(i),
                  factors))
      return true;
    factors.pop_back();
  }
  return false;
}

} // namespace

SmallVector<int64_t, 4> sequin::splitSize(int64_t size, int64_t limit) {
  if (size <= limit)
    return {size};
  SmallVector<int64_t, 4> result;
  // A prime factor above the limit stays whole.
  SmallVector<int64_t, 64> primes;
  int64_t rest = size;
  for (int64_t p = 2; p <= limit && p <= rest / p; ++p)
    for (; rest % p == 0; rest /= p)
      primes.push_back(p);
  if (rest > limit)
    return result;
  if (rest > 1)
    primes.push_back(rest);
  llvm::sort(primes);
  auto divisors = divisorsUpTo(primes, limit);
  for (unsigned count = 2; count <= primes.size(); ++count)
    if (splitInto(size, count, limit, divisors, result))
      break;
  return result;
}

//===----------------------------------------------------------------------===//
// Every address given
//===----------------------------------------------------------------------===//

namespace {

/// Elements that the innermost loops visit without a gap.
int64_t contiguousRun(ArrayRef<NestLoop> loops) {
  Sequencer sequencer;
  for (const NestLoop &loop : loops)
    sequencer.entries.push_back({loop.size, loop.stride, {}});
  return sequencer.contiguousElements();
}

/// The steps of the file comment; no limits yet. `loops` innermost first.
bool foldGiven(ArrayRef<int64_t> addresses, SmallVectorImpl<NestLoop> &loops) {
  std::vector<int64_t> list(addresses.begin(), addresses.end());
  while (list.size() > 1) {
    int64_t count = static_cast<int64_t>(list.size());
    int64_t step = list[1] - list[0], group = count;
    for (int64_t m = 2; m < count; ++m)
      if (list[m] - list[m - 1] != step)
        group = std::gcd(group, m);
    if (group == 1)
      return false;
    for (int64_t m = 0; m * group < count; ++m)
      list[m] = list[m * group];
    list.resize(count / group);
    loops.push_back({group, step});
  }
  return true;
}

std::optional<Nest> nestOfGiven(ArrayRef<int64_t> addresses,
                                const NestOptions &options,
                                llvm::function_ref<bool(const Nest &)> accept) {
  SmallVector<NestLoop, 8> loops;
  if (!foldGiven(addresses, loops))
    return std::nullopt;
  Nest nest;
  nest.base = addresses.front();
  SmallVector<NestLoop, 8> innerFirst;
  auto add = [&](int64_t size, int64_t stride) {
    auto factors = splitSize(size, options.maxSize);
    for (int64_t factor : factors) {
      innerFirst.push_back({factor, stride});
      stride *= factor;
    }
    return !factors.empty();
  };
  int64_t inner = 1;
  for (const NestLoop &loop : loops) {
    int64_t outer = inner * loop.size;
    bool cut = inner < options.boundary && options.boundary < outer;
    if (cut && (options.boundary % inner != 0 || outer % options.boundary != 0))
      return std::nullopt;
    cut &= !options.spanBoundary;
    int64_t first = cut ? options.boundary / inner : loop.size;
    if (!add(first, loop.stride) ||
        (cut && !add(loop.size / first, loop.stride * first)))
      return std::nullopt;
    inner = outer;
  }
  nest.loops.assign(innerFirst.rbegin(), innerFirst.rend());
  if (nest.loops.size() > options.maxLoops || !accept(nest))
    return std::nullopt;
  return nest;
}

//===----------------------------------------------------------------------===//
// Some positions free
//===----------------------------------------------------------------------===//

/// The integer solutions of linear equations: a point and a basis.
class IntegerSolutions {
public:
  explicit IntegerSolutions(size_t unknowns)
      : point(unknowns, 0), basis(unknowns) {
    for (size_t i = 0; i < unknowns; ++i) {
      basis[i].assign(unknowns, 0);
      basis[i][i] = 1;
    }
  }

  /// Adds row . x == value; false if no solution is left.
  bool add(ArrayRef<int64_t> row, int64_t value) {
    Wide missing = value - dot(row, point);
    // Unimodular steps until one basis vector alone moves the sum.
    Vector *mover = nullptr;
    Wide moves = 0;
    for (Vector &vector : basis) {
      Wide next = dot(row, vector);
      if (next == 0)
        continue;
      if (!mover) {
        mover = &vector;
        moves = next;
        continue;
      }
      while (next != 0) {
        Wide quotient = moves / next;
        for (size_t i = 0; i < vector.size(); ++i)
          (*mover)[i] -= quotient * vector[i];
        moves -= quotient * next;
        std::swap(*mover, vector);
        std::swap(moves, next);
      }
    }
    if (!mover)
      return missing == 0;
    if (missing % moves != 0)
      return false;
    for (size_t i = 0; i < point.size(); ++i) {
      point[i] += missing / moves * (*mover)[i];
      if (point[i] > limit || point[i] < -limit)
        return false;
    }
    basis.erase(basis.begin() + (mover - basis.data()));
    return true;
  }

  /// Whether row . x is the same for all solutions.
  bool isFixed(ArrayRef<int64_t> row) const {
    return llvm::all_of(
        basis, [&](const Vector &vector) { return dot(row, vector) == 0; });
  }
  bool isUnique() const { return basis.empty(); }
  int64_t at(size_t i) const { return static_cast<int64_t>(point[i]); }
  int64_t valueOf(ArrayRef<int64_t> row) const {
    return static_cast<int64_t>(dot(row, point));
  }

private:
  using Wide = __int128;
  using Vector = SmallVector<Wide, 4>;
  static constexpr Wide limit = Wide(1) << 62;
  static Wide dot(ArrayRef<int64_t> row, const Vector &vector) {
    Wide sum = 0;
    for (size_t i = 0; i < row.size(); ++i)
      sum += row[i] * vector[i];
    return sum;
  }
  Vector point;
  std::vector<Vector> basis;
};

class Search {
public:
  Search(const NestOptions &options,
         llvm::function_ref<bool(const Nest &)> accept)
      : options(options), accept(accept) {}

  std::optional<Nest> run(ArrayRef<int64_t> addresses) {
    State start;
    start.list.assign(addresses.begin(), addresses.end());
    std::vector<State> level;
    level.push_back(std::move(start));
    if (addresses.size() == 1)
      finish(level.front());
    for (unsigned loops = 0;
         !best && loops < options.maxLoops && !level.empty() && budget() > 0;
         ++loops) {
      std::vector<State> next;
      for (const State &state : level)
        expand(state, next);
      level = std::move(next);
    }
    return std::move(best);
  }

private:
  struct State {
    std::vector<int64_t> list;       ///< folded by the loops with a stride
    SmallVector<NestLoop, 8> loops;  ///< innermost first
    SmallVector<int64_t, 2> pending; ///< sizes of loops with an open stride
    int64_t inner = 1;               ///< positions inside, pending included
  };

  int64_t budget() const { return options.budget - work; }

  void expand(const State &state, std::vector<State> &next) {
    int64_t pending = 1;
    for (int64_t size : state.pending)
      pending *= size;
    int64_t left = static_cast<int64_t>(state.list.size()) / pending;
    int64_t boundary = options.boundary;
    for (int64_t size : divisorsOf(left)) {
      if (size > options.maxSize)
        continue;
      int64_t outer = state.inner * size;
      if (state.inner < boundary && boundary % outer != 0 &&
          !(options.spanBoundary && outer % boundary == 0))
        continue;
      if (budget() <= 0)
        return;
      fold(state, size, next);
    }
  }

  /// Largest first, without 1.
  static SmallVector<int64_t, 32> divisorsOf(int64_t n) {
    SmallVector<int64_t, 32> result;
    for (int64_t d = 1; d <= n / d; ++d)
      if (n % d == 0) {
        if (d != n / d)
          result.push_back(d);
        result.push_back(n / d);
      }
    llvm::sort(result, std::greater<>());
    result.pop_back();
    return result;
  }

  void fold(const State &state, int64_t size, std::vector<State> &next) {
    SmallVector<int64_t, 4> sizes(state.pending.begin(), state.pending.end());
    sizes.push_back(size);
    int64_t group = 1;
    for (int64_t n : sizes)
      group *= n;
    auto digitsOf = [&](int64_t position) {
      SmallVector<int64_t, 4> digits;
      for (int64_t n : sizes) {
        digits.push_back(position % n);
        position /= n;
      }
      return digits;
    };
    IntegerSolutions strides(sizes.size());
    int64_t groups = static_cast<int64_t>(state.list.size()) / group;
    std::vector<int64_t> firsts(groups, -1);
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t i = 0; i < group; ++i) {
        ++work;
        int64_t address = state.list[g * group + i];
        if (address == anyAddress)
          continue;
        if (firsts[g] < 0) {
          firsts[g] = i;
          continue;
        }
        int64_t moved = address - state.list[g * group + firsts[g]];
        if (sizes.size() == 1 && strides.isUnique()) {
          if (moved != (i - firsts[g]) * strides.at(0))
            return;
          continue;
        }
        auto row = digitsOf(i), from = digitsOf(firsts[g]);
        for (size_t k = 0; k < row.size(); ++k)
          row[k] -= from[k];
        if (!strides.add(row, moved))
          return;
      }

    State result;
    result.inner = state.inner * size;
    result.loops = state.loops;
    // Strides that are still open matter if the groups begin differently.
    if (!strides.isUnique()) {
      int64_t reference = -1;
      bool fixed = true;
      for (int64_t first : firsts) {
        if (first < 0 || first == reference)
          continue;
        if (reference < 0) {
          reference = first;
          continue;
        }
        auto row = digitsOf(first), from = digitsOf(reference);
        for (size_t k = 0; k < row.size(); ++k)
          row[k] -= from[k];
        fixed = fixed && strides.isFixed(row);
      }
      if (!fixed) {
        result.list = state.list;
        result.pending.assign(sizes.begin(), sizes.end());
        push(std::move(result), next);
        return;
      }
      chooseOpen(state, sizes, strides);
    }
    for (size_t k = 0; k < sizes.size(); ++k)
      result.loops.push_back({sizes[k], strides.at(k)});
    result.list.reserve(groups);
    for (int64_t g = 0; g < groups; ++g)
      result.list.push_back(firsts[g] < 0
                                ? anyAddress
                                : state.list[g * group + firsts[g]] -
                                      strides.valueOf(digitsOf(firsts[g])));
    if (result.list.size() == 1)
      finish(result);
    else
      push(std::move(result), next);
  }

  /// Strides that no address depends on: a packet reads on behind its data;
  /// other loops stay in place, or move on if positions may not meet.
  void chooseOpen(const State &state, ArrayRef<int64_t> sizes,
                  IntegerSolutions &strides) {
    int64_t inner = state.loops.empty()
                        ? 1
                        : state.loops.back().size * state.loops.back().stride;
    for (size_t k = 0; k < sizes.size() && !strides.isUnique(); ++k) {
      SmallVector<int64_t, 4> row(sizes.size(), 0);
      row[k] = 1;
      bool moves = options.spread || (k == 0 && state.loops.empty());
      if (!strides.isFixed(row)) {
        IntegerSolutions chosen = strides;
        if (chosen.add(row, moves ? inner : 0))
          strides = std::move(chosen);
      }
      inner = sizes[k] * strides.at(k);
    }
  }

  void push(State &&state, std::vector<State> &next) {
    // States that differ by a shift have the same nests.
    auto first = llvm::find_if(
        state.list, [](int64_t address) { return address != anyAddress; });
    int64_t shift = first == state.list.end() ? 0 : *first;
    uint64_t key[2] = {uint64_t(state.inner), 0x9e3779b97f4a7c15u};
    auto mix = [&](uint64_t value) {
      key[0] = llvm::hash_combine(key[0], value);
      key[1] = (key[1] ^ value) * 0xff51afd7ed558ccdu;
      key[1] ^= key[1] >> 29;
    };
    for (int64_t size : state.pending)
      mix(size);
    for (int64_t address : state.list)
      mix(address == anyAddress ? address : address - shift);
    work += static_cast<int64_t>(state.list.size());
    if (seen.insert({key[0], key[1]}).second)
      next.push_back(std::move(state));
  }

  void finish(const State &state) {
    Nest nest;
    nest.base = state.list.front() == anyAddress ? 0 : state.list.front();
    nest.loops.assign(state.loops.rbegin(), state.loops.rend());
    if (nest.loops.size() > options.maxLoops)
      return;
    int64_t run = contiguousRun(nest.loops);
    if ((best && run <= bestRun) || !accept(nest))
      return;
    best = std::move(nest);
    bestRun = run;
  }

  const NestOptions &options;
  llvm::function_ref<bool(const Nest &)> accept;
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> seen;
  std::optional<Nest> best;
  int64_t bestRun = 0;
  int64_t work = 0;
};

} // namespace

std::optional<Nest>
sequin::findNest(ArrayRef<int64_t> addresses, const NestOptions &options,
                 llvm::function_ref<bool(const Nest &)> accept) {
  if (!llvm::is_contained(addresses, anyAddress))
    return nestOfGiven(addresses, options, accept);
  return Search(options, accept).run(addresses);
}
