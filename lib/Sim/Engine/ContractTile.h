//===- ContractTile.h - A tile of results, for one processor ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by ContractKernel.cpp for one instruction set after the other, each
// time in a namespace of its own and with these macros:
//
//     SEQUIN_TILE_WIDE   an attribute for the functions
//     SEQUIN_TILE_BF16   defined if there are dot products of two bf16 pairs,
//                        which are all that is new then
//
// All copies do the same operations, floats in the same order.
//
//===----------------------------------------------------------------------===//

// Vectors are never passed by value: their calling convention differs between
// instruction sets.
#define SEQUIN_VECTOR(TYPE, LANES)                                             \
  __attribute__((vector_size(LANES * sizeof(TYPE)), aligned(4), may_alias))

/// Both halves of a pair for each row in turn.
typedef uint32_t Wide SEQUIN_VECTOR(uint32_t, 16);
typedef float FloatWide SEQUIN_VECTOR(float, 16);
typedef int16_t ShortWide SEQUIN_VECTOR(int16_t, 32);
typedef int32_t Products SEQUIN_VECTOR(int32_t, 32);
/// One number for each row.
typedef uint32_t Half SEQUIN_VECTOR(uint32_t, 8);
typedef float FloatHalf SEQUIN_VECTOR(float, 8);

struct FloatCells {
  /// Whether sums may be taken in any order.
  static constexpr bool kAnyOrder = false;
  static SEQUIN_INLINE void multiply(Wide &product, const Wide &a,
                                     const Wide &b) {
    product = (Wide)((FloatWide)a * (FloatWide)b);
  }
  static SEQUIN_INLINE void add(Wide &sum, const Wide &other) {
    sum = (Wide)((FloatWide)sum + (FloatWide)other);
  }
  static SEQUIN_INLINE void add(Half &sum, const Half &other) {
    sum = (Half)((FloatHalf)sum + (FloatHalf)other);
  }
};

struct IntegerCells {
  static constexpr bool kAnyOrder = true;
  static SEQUIN_INLINE void multiply(Wide &product, const Wide &a,
                                     const Wide &b) {
    product = a * b;
  }
  static SEQUIN_INLINE void add(Wide &sum, const Wide &other) { sum += other; }
  static SEQUIN_INLINE void add(Half &sum, const Half &other) { sum += other; }
};

struct PairCells : IntegerCells {
  static SEQUIN_INLINE void multiply(Wide &product, const Wide &a,
                                     const Wide &b) {
    // One instruction on many processors.
    Products all = __builtin_convertvector((ShortWide)a, Products) *
                   __builtin_convertvector((ShortWide)b, Products);
    product =
        (Wide)(__builtin_shufflevector(all, all, 0, 2, 4, 6, 8, 10, 12, 14, 16,
                                       18, 20, 22, 24, 26, 28, 30) +
               __builtin_shufflevector(all, all, 1, 3, 5, 7, 9, 11, 13, 15, 17,
                                       19, 21, 23, 25, 27, 29, 31));
  }
};

#ifdef SEQUIN_TILE_BF16
/// One rounding instead of three, which is the same where products are exact
/// (see CellKind).
struct Bf16Cells : FloatCells {
  static SEQUIN_INLINE void multiply(Wide &product, const Wide &a,
                                     const Wide &b) {
    // -0 changes no sum, +0 would change that of two negative zeros.
    FloatWide zero = -FloatWide{};
    typedef __bf16 Pairs SEQUIN_VECTOR(__bf16, 32);
    product = (Wide)__builtin_ia32_dpbf16ps_512(zero, (Pairs)a, (Pairs)b);
  }
};
#endif

/// The packets of a tile at one step.
template <int M, int N> struct Packets {
  const uint32_t *activations[M], *weights[N];
};

template <class Cells, int M, int N>
SEQUIN_INLINE void multiplyGroup(Wide (&products)[M * N],
                                 const Packets<M, N> &packets, int group) {
  Wide weights[N];
  for (int n = 0; n < N; ++n)
    weights[n] =
        *reinterpret_cast<const Wide *>(packets.weights[n] + group * 2 * kRows);
  for (int m = 0; m < M; ++m) {
    // The pair as one 64-bit number, which processors broadcast from memory.
    uint64_t pair;
    __builtin_memcpy(&pair, packets.activations[m] + 2 * group, sizeof(pair));
    typedef uint64_t Words SEQUIN_VECTOR(uint64_t, 8);
    Words words = {pair, pair, pair, pair, pair, pair, pair, pair};
    for (int n = 0; n < N; ++n)
      Cells::multiply(products[m * N + n], (Wide)words, weights[n]);
  }
}

/// Sums of 2^Level products each, of the groups from `group` on.
template <class Cells, int M, int N, int Level>
SEQUIN_INLINE void tree(Wide (&sums)[M * N], const Packets<M, N> &packets,
                        int group) {
  if constexpr (Level == 0) {
    multiplyGroup<Cells, M, N>(sums, packets, group);
  } else if constexpr (Cells::kAnyOrder) {
    multiplyGroup<Cells, M, N>(sums, packets, group);
    for (int i = 1; i < 1 << Level; ++i) {
      Wide next[M * N];
      multiplyGroup<Cells, M, N>(next, packets, group + i);
      for (int j = 0; j < M * N; ++j)
        Cells::add(sums[j], next[j]);
    }
  } else {
    Wide right[M * N];
    tree<Cells, M, N, Level - 1>(sums, packets, group);
    tree<Cells, M, N, Level - 1>(right, packets, group + (1 << (Level - 1)));
    for (int i = 0; i < M * N; ++i)
      Cells::add(sums[i], right[i]);
  }
}

template <class Cells>
SEQUIN_INLINE void accumulate(const Half &sum, uint32_t *cell, bool store) {
  auto *target = reinterpret_cast<Half *>(cell);
  Half next = sum;
  if (!store)
    Cells::add(next, *target);
  *target = next;
}

SEQUIN_INLINE void split(const Wide &pair, Half &low, Half &high) {
  low = __builtin_shufflevector(pair, pair, 0, 2, 4, 6, 8, 10, 12, 14);
  high = __builtin_shufflevector(pair, pair, 1, 3, 5, 7, 9, 11, 13, 15);
}

constexpr int log2(int value) { return value == 1 ? 0 : 1 + log2(value / 2); }

template <int M, int N>
SEQUIN_INLINE void locate(Packets<M, N> &packets, const ContractCall &call,
                          const ContractStep &step) {
  for (int m = 0; m < M; ++m)
    packets.activations[m] =
        call.activations + step.activation + m * call.activationStride;
  for (int n = 0; n < N; ++n)
    packets.weights[n] = call.weights + step.weight + n * call.weightStride;
}

/// The last level of a tree over all cells.
template <class Cells>
SEQUIN_INLINE void accumulateHalves(const Wide &sum, uint32_t *cell,
                                    bool store) {
  Half low, high;
  split(sum, low, high);
  Cells::add(low, high);
  accumulate<Cells>(low, cell, store);
}

/// As accumulateHalves() for two sums at once: those of `a` in the lower lanes,
/// those of `b` in the upper ones.
template <class Cells>
SEQUIN_INLINE void foldPair(Wide &folded, const Wide &a, const Wide &b) {
  folded = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                   22, 24, 26, 28, 30);
  Wide high = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
                                      21, 23, 25, 27, 29, 31);
  Cells::add(folded, high);
}

SEQUIN_INLINE void loadPair(Wide &pair, const uint32_t *a, const uint32_t *b) {
  pair = __builtin_shufflevector(*reinterpret_cast<const Half *>(a),
                                 *reinterpret_cast<const Half *>(b), 0, 1, 2, 3,
                                 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
SEQUIN_INLINE void storePair(const Wide &pair, uint32_t *a, uint32_t *b) {
  *reinterpret_cast<Half *>(a) =
      __builtin_shufflevector(pair, pair, 0, 1, 2, 3, 4, 5, 6, 7);
  *reinterpret_cast<Half *>(b) =
      __builtin_shufflevector(pair, pair, 8, 9, 10, 11, 12, 13, 14, 15);
}

/// A tree over all cells for an even number of results, which stay in
/// registers.
template <class Cells, int Depth, int M, int N>
SEQUIN_INLINE void runWholeTree(const ContractCall &call) {
  auto slot = [&](int i) {
    return call.accumulator + i / N * call.accumulatorStrideM +
           i % N * call.accumulatorStrideN;
  };
  Wide results[M * N / 2];
  for (int i = 0; i < M * N / 2; ++i)
    loadPair(results[i], slot(2 * i), slot(2 * i + 1));
  bool store = call.store;
  for (int64_t step = 0; step < call.count; ++step) {
    Packets<M, N> packets;
    locate(packets, call, call.steps[step]);
    Wide sums[M * N];
    tree<Cells, M, N, Depth - 1>(sums, packets, 0);
    for (int i = 0; i < M * N / 2; ++i) {
      Wide folded;
      foldPair<Cells>(folded, sums[2 * i], sums[2 * i + 1]);
      if (!store)
        Cells::add(folded, results[i]);
      results[i] = folded;
    }
    store = false;
  }
  for (int i = 0; i < M * N / 2; ++i)
    storePair(results[i], slot(2 * i), slot(2 * i + 1));
}

template <class Cells, int Count, int Depth, int M, int N>
SEQUIN_INLINE void runTile(const ContractCall &call) {
  constexpr bool isFull = Depth == log2(Count);
  constexpr int groups = Count / 2 >> Depth;
  auto slot = [&](int m, int n) {
    return call.accumulator + m * call.accumulatorStrideM +
           n * call.accumulatorStrideN;
  };
  if constexpr (isFull && Cells::kAnyOrder) {
    Wide sums[M * N] = {};
    for (int64_t i = 0; i < call.count; ++i) {
      Packets<M, N> packets;
      locate(packets, call, call.steps[i]);
#pragma clang loop unroll_count(4)
      for (int group = 0; group < Count / 2; ++group) {
        Wide next[M * N];
        multiplyGroup<Cells, M, N>(next, packets, group);
        for (int j = 0; j < M * N; ++j)
          Cells::add(sums[j], next[j]);
      }
    }
    for (int m = 0; m < M; ++m)
      for (int n = 0; n < N; ++n)
        accumulateHalves<Cells>(sums[m * N + n], slot(m, n), call.store);
    return;
  }
  if constexpr (isFull && M * N % 2 == 0)
    return runWholeTree<Cells, Depth, M, N>(call);
  for (int64_t i = 0; i < call.count; ++i) {
    Packets<M, N> packets;
    locate(packets, call, call.steps[i]);
    bool store = call.store && i == 0;
    if constexpr (isFull) {
      Wide sums[M * N];
      tree<Cells, M, N, Depth - 1>(sums, packets, 0);
      for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n)
          accumulateHalves<Cells>(sums[m * N + n], slot(m, n), store);
    } else {
      for (int group = 0; group < groups && group < call.columns; ++group) {
        Wide sums[M * N];
        tree<Cells, M, N, Depth>(sums, packets, group << Depth);
        for (int m = 0; m < M; ++m)
          for (int n = 0; n < N; ++n) {
            Half low, high;
            split(sums[m * N + n], low, high);
            uint32_t *cell = slot(m, n);
            accumulate<Cells>(low, cell + group * kRows, store);
            if (group + groups < call.columns)
              accumulate<Cells>(high, cell + (group + groups) * kRows, store);
          }
      }
    }
  }
}

template <class Cells, int Count, int Depth, int M, int N>
SEQUIN_TILE_WIDE void run(const ContractCall &call) {
  runTile<Cells, Count, Depth, M, N>(call);
}

template <class Cells, int Count, int Depth, bool Square, bool Long>
ContractKernels makeKernels() {
  ContractKernels kernels;
  kernels.tile[0][0] = &run<Cells, Count, Depth, 1, 1>;
  if constexpr (Square) {
    kernels.tile[0][1] = &run<Cells, Count, Depth, 1, 2>;
    kernels.tile[1][0] = &run<Cells, Count, Depth, 2, 1>;
    kernels.tile[1][1] = &run<Cells, Count, Depth, 2, 2>;
    kernels.square = kernels.tall = kernels.wide = 1;
  }
  if constexpr (Long) {
    kernels.tile[0][2] = &run<Cells, Count, Depth, 1, 4>;
    kernels.tile[2][0] = &run<Cells, Count, Depth, 4, 1>;
    kernels.tall = kernels.wide = 2;
  }
  return kernels;
}

template <class Cells, int Count, bool Square, bool Long, int... Depths>
const ContractKernels *select(int64_t depth,
                              std::integer_sequence<int, Depths...>) {
  static const ContractKernels all[] = {
      makeKernels<Cells, Count, Depths, Square, Long>()...};
  return &all[depth];
}

/// For trees of all depths over packets of two sizes.
template <class Cells, bool Square, bool Long, int Few, int Many>
const ContractKernels *select(int64_t cells, int64_t depth) {
  if (cells == Few)
    return select<Cells, Few, Square, Long>(
        depth, std::make_integer_sequence<int, log2(Few) + 1>());
  return cells == Many
             ? select<Cells, Many, Square, Long>(
                   depth, std::make_integer_sequence<int, log2(Many) + 1>())
             : nullptr;
}

/// Without a tree.
template <bool Square, bool Long>
const ContractKernels *selectIntegers(int64_t cells) {
  std::integer_sequence<int, 0> depth;
  if (cells == 64)
    return select<IntegerCells, 64, Square, Long>(0, depth);
  return cells == 128 ? select<IntegerCells, 128, Square, Long>(0, depth)
                      : nullptr;
}

template <bool HasManyRegisters, bool HasSquares>
const ContractKernels *select(CellKind kind, int64_t cells, int64_t depth) {
  switch (kind) {
  case CellKind::Float:
    // Trees of floats need registers.
    return select<FloatCells, HasManyRegisters, HasManyRegisters, 32, 64>(
        cells, depth);
  case CellKind::Pair:
    return select<PairCells, HasSquares, HasManyRegisters, 32, 64>(cells,
                                                                   depth);
  case CellKind::Integer:
    return selectIntegers<HasSquares, HasManyRegisters>(cells);
#ifdef SEQUIN_TILE_BF16
  case CellKind::Bf16Pair:
    return select<Bf16Cells, true, true, 16, 32>(cells, depth);
#endif
  default:
    return nullptr;
  }
}

#ifndef SEQUIN_TILE_BF16
/// As pairCells() for packets of bf16, with the range of their magnitudes.
void pairBf16(const uint8_t *lanes, int64_t packets, uint32_t *out,
              int16_t &smallest, int16_t &largest) {
  constexpr int16_t kSmallestNormal = 0x0080, kMagnitude = 0x7fff;
  typedef int16_t Lanes SEQUIN_VECTOR(int16_t, 32);
  Lanes low = smallest - Lanes{}, high = largest - Lanes{};
  for (int64_t i = 0; i < packets; ++i) {
    Wide packet;
    __builtin_memcpy(&packet, lanes + i * sizeof(packet), sizeof(packet));
    *reinterpret_cast<Wide *>(out + i * 16) = __builtin_shufflevector(
        packet, packet, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    Lanes bits = (Lanes)packet & kMagnitude;
    Lanes zero = bits < kSmallestNormal;
    Lanes normal = (zero & kMagnitude) | (~zero & bits);
    low = low < normal ? low : normal;
    high = high > bits ? high : bits;
  }
  for (int i = 0; i < 32; ++i) {
    smallest = low[i] < smallest ? low[i] : smallest;
    largest = high[i] > largest ? high[i] : largest;
  }
}
#endif
