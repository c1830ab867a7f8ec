//===- FloatBits.h - Floats as bits -----------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_FLOATBITS_H
#define SEQUIN_LIB_SIM_ENGINE_FLOATBITS_H

#include "llvm/ADT/bit.h"
#include <cstdint>

namespace sequin::sim {

/// Of an f32. Compared as signed integers, which all vector units have.
inline bool isNan(uint32_t bits) {
  constexpr int32_t magnitude = 0x7fffffff, infinity = 0x7f800000;
  return static_cast<int32_t>(bits & magnitude) > infinity;
}

/// Results of float operations have the one quiet NaN, so that they do not
/// depend on which operand's NaN the host's processor passes on.
inline uint32_t toBits(float value) {
  return value != value ? 0x7fc00000u : llvm::bit_cast<uint32_t>(value);
}

inline uint32_t toBits(int32_t value) { return static_cast<uint32_t>(value); }

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_FLOATBITS_H
