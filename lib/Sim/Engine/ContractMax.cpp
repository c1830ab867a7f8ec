//===- ContractMax.cpp - The inner loop of reduce-max ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/ContractKernel.h"
#include "llvm/ADT/bit.h"

using namespace sequin::sim;

/// Integers are signed.
static uint32_t larger(uint32_t a, uint32_t b) {
  return static_cast<int32_t>(a) > static_cast<int32_t>(b) ? a : b;
}

/// The operand that is not NaN, if one is; -0 is less than +0 (SIL-7).
static float larger(float a, float b) {
  float equal = llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(a) &
                                      llvm::bit_cast<uint32_t>(b));
  float other = ((a > b) | (b != b)) ? a : b;
  return a == b ? equal : other;
}

/// The largest of a maximum does not depend on the order: halves are compared
/// with each other, which vectorises.
template <class E> static void runMax(const ContractCall &call) {
  constexpr int64_t kMaxLanes = 128;
  E products[kMaxLanes];
  int64_t group = int64_t(1) << call.depth;
  for (int64_t i = 0; i < call.count; ++i) {
    const uint32_t *a = call.activations + call.steps[i].activation;
    const uint32_t *b = call.weights + call.steps[i].weight;
    for (int64_t lane = 0; lane < call.columns * group; ++lane)
      products[lane] = llvm::bit_cast<E>(a[lane]) * llvm::bit_cast<E>(b[lane]);
    for (int64_t column = 0; column < call.columns; ++column) {
      E *lane = products + column * group;
      for (int64_t width = group / 2; width > 0; width /= 2)
        for (int64_t j = 0; j < width; ++j)
          lane[j] = larger(lane[j], lane[j + width]);
      uint32_t &cell = call.accumulator[column * kRows];
      E old = llvm::bit_cast<E>(cell);
      cell = llvm::bit_cast<uint32_t>(
          call.store && i == 0 ? lane[0] : larger(old, lane[0]));
    }
  }
}

ContractFunction sequin::sim::maxFunction(CellKind kind) {
  return kind == CellKind::MaxFloat ? &runMax<float> : &runMax<uint32_t>;
}
