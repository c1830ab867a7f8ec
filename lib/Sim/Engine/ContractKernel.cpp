//===- ContractKernel.cpp - The inner loops of the contraction ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/ContractKernel.h"
#include <utility>

using namespace sequin::sim;

#define SEQUIN_INLINE inline __attribute__((always_inline))

#define SEQUIN_VECTOR(TYPE, LANES)                                             \
  __attribute__((vector_size(LANES * sizeof(TYPE)), aligned(4), may_alias))

#define SEQUIN_TILE_WIDE
namespace {
namespace baseline {
#include "Engine/ContractTile.h"
} // namespace baseline
} // namespace

#if defined(__x86_64__) && defined(__clang__)

#pragma clang attribute push(__attribute__((target("avx2"))),                  \
                             apply_to = function)
namespace {
namespace avx2 {
#include "Engine/ContractTile.h"
} // namespace avx2
} // namespace
#pragma clang attribute pop

// Without a minimum width some compilers halve 512-bit vectors for the sake of
// clock rates of early processors.
#undef SEQUIN_TILE_WIDE
#define SEQUIN_TILE_WIDE __attribute__((min_vector_width(512)))

#pragma clang attribute push(                                                  \
    __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq"))),             \
    apply_to = function)
namespace {
namespace avx512 {
#include "Engine/ContractTile.h"
} // namespace avx512
} // namespace
#pragma clang attribute pop

#define SEQUIN_TILE_BF16
#pragma clang attribute push(                                                  \
    __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx512bf16"))),  \
    apply_to = function)
namespace {
namespace avx512bf16 {
#include "Engine/ContractTile.h"
} // namespace avx512bf16
} // namespace
#pragma clang attribute pop

static bool hasAvx512() {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq");
}
#endif

const ContractKernels *
sequin::sim::contractKernels(CellKind kind, int64_t cells, int64_t depth) {
#if defined(__x86_64__) && defined(__clang__)
  if (hasAvx512()) {
    if (kind != CellKind::Bf16Pair)
      return avx512::select<true, true>(kind, cells, depth);
    return __builtin_cpu_supports("avx512bf16")
               ? avx512bf16::select<true, true>(kind, cells, depth)
               : nullptr;
  }
  if (__builtin_cpu_supports("avx2"))
    return avx2::select<false, true>(kind, cells, depth);
#endif
  return baseline::select<false, false>(kind, cells, depth);
}

PairBf16Function sequin::sim::pairBf16Function() {
#if defined(__x86_64__) && defined(__clang__)
  if (hasAvx512())
    return &avx512::pairBf16;
  if (__builtin_cpu_supports("avx2"))
    return &avx2::pairBf16;
#endif
  return &baseline::pairBf16;
}
