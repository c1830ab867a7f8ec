//===- ContractMax.cpp - The inner loop of reduce-max ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractKernel.h"
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
template <class E> static E *runMax(const ContractCall<E> &call) {
  constexpr int64_t kMaxLanes = 128;
  E products[kMaxLanes];
  const E *activations = call.activations;
  int64_t phase = call.phase, group = int64_t(1) << call.depth;
  E *out = call.out;
  for (int64_t i = 0; i < call.count; ++i) {
    ContractStep step = call.steps[i];
    const E *weights =
        call.weights + static_cast<int64_t>(step.weight) * call.lanes;
    E *slot = call.accumulator + step.slot * call.columns * kRows;
    for (int64_t lane = 0; lane < call.columns * group; ++lane)
      products[lane] = activations[lane] * weights[lane];
    for (int64_t column = 0; column < call.columns; ++column) {
      E *lane = products + column * group;
      for (int64_t width = group / 2; width > 0; width /= 2)
        for (int64_t j = 0; j < width; ++j)
          lane[j] = larger(lane[j], lane[j + width]);
      E &cell = slot[column * kRows];
      cell = step.store ? lane[0] : larger(cell, lane[0]);
    }
    if (step.emit) {
      for (int64_t j = 0; j < call.columns * kRows; ++j)
        out[j] = slot[j];
      out += call.columns * kRows;
    }
    if (++phase == call.timeBroadcast) {
      phase = 0;
      activations += call.lanes;
    }
  }
  return out;
}

template <class E> ContractKernel<E> sequin::sim::maxKernel() {
  return &runMax<E>;
}
template ContractKernel<float> sequin::sim::maxKernel<float>();
template ContractKernel<uint32_t> sequin::sim::maxKernel<uint32_t>();
