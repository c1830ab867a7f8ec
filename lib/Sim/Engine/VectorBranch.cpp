//===- VectorBranch.cpp - ExecutionIds ------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/VectorBranch.h"
#include "sequin/Support/Arithmetic.h"

using namespace sequin;
using namespace sequin::sim;
using config::BranchMode;
using config::InputCompare;

BranchUnit::BranchUnit(const config::BranchStage &stage, ElementType type)
    : stage(stage), isFloat(sequin::isFloat(type)) {
  if (stage.mode == BranchMode::AxisToggle)
    walk = WordStream(stage.toggle);
  else if (stage.mode == BranchMode::Vrf)
    walk = WordStream(stage.vrf.entries);
}

void BranchUnit::begin(uint8_t *vrf) {
  base = vrf;
  logged = 0;
  walk.reset();
}

/// Sets `bit` of the ids for which `holds(element)`.
template <class T, class Holds>
static void setBit(const uint32_t *elements, int64_t count, int bit,
                   uint8_t *ids, Holds holds) {
  for (int64_t i = 0; i < count; ++i)
    ids[i] |= holds(llvm::bit_cast<T>(elements[i])) << bit;
}

template <class T>
static void setBit(const uint32_t *elements, int64_t count, int bit,
                   uint8_t *ids, const config::InputCmp &comparison) {
  T limit = llvm::bit_cast<T>(comparison.constant);
  switch (comparison.compare) {
  case InputCompare::Never:
    return;
  case InputCompare::Less:
    return setBit<T>(elements, count, bit, ids, [=](T x) { return x < limit; });
  case InputCompare::LessEqual:
    return setBit<T>(elements, count, bit, ids,
                     [=](T x) { return x <= limit; });
  case InputCompare::Equal:
    return setBit<T>(elements, count, bit, ids,
                     [=](T x) { return x == limit; });
  case InputCompare::NotEqual:
    return setBit<T>(elements, count, bit, ids,
                     [=](T x) { return x != limit; });
  case InputCompare::GreaterEqual:
    return setBit<T>(elements, count, bit, ids,
                     [=](T x) { return x >= limit; });
  case InputCompare::Greater:
    return setBit<T>(elements, count, bit, ids, [=](T x) { return x > limit; });
  case InputCompare::LessUnsigned:
  case InputCompare::GreaterUnsigned: {
    uint32_t bits = comparison.constant;
    bool isLess = comparison.compare == InputCompare::LessUnsigned;
    return setBit<uint32_t>(elements, count, bit, ids, [=](uint32_t x) {
      return isLess ? x < bits : x > bits;
    });
  }
  }
}

void BranchUnit::compare(const uint32_t *elements, int64_t count,
                         uint8_t *ids) const {
  std::fill_n(ids, count, 0);
  int bit = 0;
  for (const config::InputCmp &comparison : stage.comparisons) {
    if (isFloat)
      setBit<float>(elements, count, bit, ids, comparison);
    else
      setBit<int32_t>(elements, count, bit, ids, comparison);
    ++bit;
  }
}

void BranchUnit::next(const uint32_t *elements, int64_t count,
                      const uint8_t *valid, int64_t lanes, uint8_t *ids) {
  switch (stage.mode) {
  case BranchMode::Unconditional:
    std::fill_n(ids, count, 0);
    break;
  case BranchMode::AxisToggle: {
    uint8_t *to = ids;
    walk.visit(count, [&](int64_t index, int64_t stride, int64_t piece) {
      for (int64_t i = 0; i < piece; ++i)
        *to++ = (index + i * stride) & 1;
    });
    break;
  }
  case BranchMode::ValidCount:
    for (int64_t i = 0; i < count; ++i)
      ids[i] = i % lanes >= valid[i / lanes];
    break;
  case BranchMode::Comparison:
    compare(elements, count, ids);
    break;
  case BranchMode::Vrf: {
    // Two ids per byte, the even one in the low bits (SIL-26).
    const uint8_t *from = base + stage.vrf.baseAddress;
    uint8_t *to = ids;
    walk.visit(count, [&](int64_t index, int64_t stride, int64_t piece) {
      for (int64_t i = 0; i < piece; ++i, index += stride)
        *to++ = from[index >> 1] >> ((index & 1) * 4) & 0xf;
    });
    break;
  }
  }
  if (stage.logAddress)
    log(ids, count);
}

/// `count` is even: whole flits.
void BranchUnit::log(const uint8_t *ids, int64_t count) {
  uint8_t *to = base + *stage.logAddress + logged / 2;
  for (int64_t i = 0; i < count; i += 2)
    *to++ = static_cast<uint8_t>(ids[i] | ids[i + 1] << 4);
  logged += count;
}
