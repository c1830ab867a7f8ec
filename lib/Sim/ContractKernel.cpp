//===- ContractKernel.cpp - The inner loop of the contraction -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractKernel.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <utility>

using namespace sequin::sim;

#define SEQUIN_INLINE inline __attribute__((always_inline))

namespace {

/// Vectors are never passed by value: their calling convention differs between
/// the instruction sets compiled below.
template <class E> struct Vectors {
  typedef E Half
      __attribute__((vector_size(kRows * sizeof(E)), aligned(4), may_alias));
  typedef E Pair __attribute__((vector_size(2 * kRows * sizeof(E)), aligned(4),
                                may_alias));
};

/// Sums of 2^Level products each, for lane group `group` of both halves.
template <class E, int Lanes, int Level>
SEQUIN_INLINE void tree(typename Vectors<E>::Pair &sum, const E *weights,
                        const E *activations, int group) {
  using Pair = typename Vectors<E>::Pair;
  if constexpr (Level == 0) {
    // The pair as one 64-bit number, which processors broadcast from memory.
    uint64_t pair;
    __builtin_memcpy(&pair, activations + 2 * group, sizeof(pair));
    typedef uint64_t Words
        __attribute__((vector_size(2 * kRows * sizeof(E)), may_alias));
    Words words = {pair, pair, pair, pair, pair, pair, pair, pair};
    sum = reinterpret_cast<Pair &>(words) *
          *reinterpret_cast<const Pair *>(weights + group * 2 * kRows);
  } else {
    Pair right;
    tree<E, Lanes, Level - 1>(sum, weights, activations, 2 * group);
    tree<E, Lanes, Level - 1>(right, weights, activations, 2 * group + 1);
    sum = sum + right;
  }
}

template <class E>
SEQUIN_INLINE void accumulate(const typename Vectors<E>::Half &sum, E *slot,
                              bool store) {
  auto *cell = reinterpret_cast<typename Vectors<E>::Half *>(slot);
  *cell = store ? sum : *cell + sum;
}

template <class E>
SEQUIN_INLINE void split(const typename Vectors<E>::Pair &pair,
                         typename Vectors<E>::Half &low,
                         typename Vectors<E>::Half &high) {
  low = __builtin_shufflevector(pair, pair, 0, 2, 4, 6, 8, 10, 12, 14);
  high = __builtin_shufflevector(pair, pair, 1, 3, 5, 7, 9, 11, 13, 15);
}

constexpr int log2(int value) { return value == 1 ? 0 : 1 + log2(value / 2); }

template <class E, int Lanes, int Depth>
SEQUIN_INLINE E *runBlock(const ContractCall<E> &call) {
  using Half = typename Vectors<E>::Half;
  using Pair = typename Vectors<E>::Pair;
  const E *activations = call.activations;
  const ContractStep *steps = call.steps;
  int64_t phase = call.phase;
  int64_t columns = call.columns;
  E *out = call.out;
  for (int64_t i = 0; i < call.count; ++i) {
    ContractStep step = steps[i];
    const E *weights =
        call.weights + static_cast<int64_t>(step.weight) * Lanes * kRows;
    E *slot = call.accumulator + step.slot * columns * kRows;
    if constexpr (Depth == log2(Lanes)) {
      Pair sum;
      Half low, high;
      tree<E, Lanes, Depth - 1>(sum, weights, activations, 0);
      split<E>(sum, low, high);
      low = low + high;
      accumulate<E>(low, slot, step.store);
    } else {
      constexpr int groups = Lanes / 2 >> Depth;
      for (int group = 0; group < groups && group < columns; ++group) {
        Pair sum;
        Half low, high;
        tree<E, Lanes, Depth>(sum, weights, activations, group);
        split<E>(sum, low, high);
        accumulate<E>(low, slot + group * kRows, step.store);
        if (group + groups < columns)
          accumulate<E>(high, slot + (group + groups) * kRows, step.store);
      }
    }
    if (step.emit) {
      for (int64_t j = 0; j < columns * kRows; ++j)
        out[j] = slot[j];
      out += columns * kRows;
    }
    if (++phase == call.timeBroadcast) {
      phase = 0;
      activations += Lanes;
    }
  }
  return out;
}

// One copy per instruction set; all do the same operations in the same order.
template <class E, int Lanes, int Depth>
E *runBaseline(const ContractCall<E> &call) {
  return runBlock<E, Lanes, Depth>(call);
}

#if defined(__x86_64__)
template <class E, int Lanes, int Depth>
__attribute__((target("avx2"))) E *runAvx2(const ContractCall<E> &call) {
  return runBlock<E, Lanes, Depth>(call);
}

// Without a minimum width some compilers halve 512-bit vectors for the sake of
// clock rates of early processors.
#if defined(__clang__)
#define SEQUIN_WIDE __attribute__((min_vector_width(512)))
#else
#define SEQUIN_WIDE
#endif
template <class E, int Lanes, int Depth>
__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq"))) SEQUIN_WIDE E *
runAvx512(const ContractCall<E> &call) {
  return runBlock<E, Lanes, Depth>(call);
}
#endif

template <class E, int Lanes, int... Depths>
ContractKernel<E> select(int64_t depth, std::integer_sequence<int, Depths...>) {
#if defined(__x86_64__)
  static constexpr std::array wide = {&runAvx512<E, Lanes, Depths>...};
  static constexpr std::array medium = {&runAvx2<E, Lanes, Depths>...};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return wide[depth];
  if (__builtin_cpu_supports("avx2"))
    return medium[depth];
#endif
  static constexpr std::array baseline = {&runBaseline<E, Lanes, Depths>...};
  return baseline[depth];
}

template <class E, int Lanes> ContractKernel<E> select(int64_t depth) {
  return select<E, Lanes>(depth,
                          std::make_integer_sequence<int, log2(Lanes) + 1>());
}

} // namespace

template <class E>
ContractKernel<E> sequin::sim::contractKernel(int64_t lanes, int64_t depth) {
  switch (lanes) {
  case 32:
    return select<E, 32>(depth);
  case 64:
    return select<E, 64>(depth);
  case 128:
    return select<E, 128>(depth);
  default:
    return nullptr;
  }
}

template ContractKernel<float> sequin::sim::contractKernel<float>(int64_t,
                                                                  int64_t);
template ContractKernel<uint32_t>
sequin::sim::contractKernel<uint32_t>(int64_t, int64_t);
