//===- VectorLanes.h - Blocks of elements in the vector engine --*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_VECTORLANES_H
#define SEQUIN_LIB_SIM_ENGINE_VECTORLANES_H

#include "Engine/Nest.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace sequin::sim {

/// Elements of one block; results go to the other of two buffers, so that no
/// operation writes what it reads.
class Lanes {
public:
  void set(uint32_t *elements, int64_t count) {
    values = elements;
    size = count;
  }
  uint32_t *data() const { return values; }
  int64_t count() const { return size; }

  /// Room for `count` elements that is not data().
  uint32_t *room(int64_t count) {
    std::vector<uint32_t> &buffer = buffers[values == buffers[0].data()];
    if (static_cast<int64_t>(buffer.size()) < count)
      buffer.resize(count);
    return buffer.data();
  }
  /// What was written to room() is the data now.
  void accept(int64_t count) {
    values = buffers[values == buffers[0].data()].data();
    size = count;
  }

private:
  uint32_t *values = nullptr;
  int64_t size = 0;
  std::vector<uint32_t> buffers[2];
};

/// Cuts what arrives into blocks of at most kBlock elements, all but the last a
/// multiple of kGranule: two flits, so that pairs of flits stay together.
class BlockCutter {
public:
  static constexpr int64_t kBlock = 4096;
  static constexpr int64_t kGranule = 16;
  using Run = llvm::function_ref<void(uint32_t *, int64_t)>;

  void push(uint32_t *data, int64_t count, Run run) {
    if (!rest.empty()) {
      int64_t missing = kGranule - static_cast<int64_t>(rest.size()) % kGranule;
      int64_t taken = std::min(missing, count);
      rest.insert(rest.end(), data, data + taken);
      data += taken;
      count -= taken;
      if (taken < missing)
        return;
      run(rest.data(), rest.size());
      rest.clear();
    }
    for (int64_t block; count >= kGranule; data += block, count -= block) {
      block = std::min(count - count % kGranule, kBlock);
      run(data, block);
    }
    rest.assign(data, data + count);
  }
  void finish(Run run) {
    if (!rest.empty())
      run(rest.data(), rest.size());
    rest.clear();
  }

private:
  std::vector<uint32_t> rest;
};

/// Reads elements of 32 bits along a nest, block by block.
class WordStream {
public:
  WordStream() = default;
  /// Strides in elements, outermost first.
  explicit WordStream(llvm::ArrayRef<Loop> entries) {
    llvm::SmallVector<Loop, 8> outer;
    for (const Loop &loop : llvm::reverse(entries)) {
      if (loop.size == 1)
        continue;
      if (outer.empty() && inner.size == 1)
        inner = loop;
      else if (outer.empty() && loop.stride == inner.size * inner.stride)
        inner.size *= loop.size;
      else
        outer.push_back(loop);
    }
    std::reverse(outer.begin(), outer.end());
    odometer = Odometer(outer);
  }

  void reset() {
    odometer.reset();
    position = 0;
  }

  /// Calls visit(first address, stride, count) for the next `count` elements.
  template <class Visit> void visit(int64_t count, Visit &&visit) {
    while (count > 0) {
      int64_t piece = std::min(count, inner.size - position);
      visit(odometer.offset() + position * inner.stride, inner.stride, piece);
      count -= piece;
      position += piece;
      if (position == inner.size) {
        odometer.advance();
        position = 0;
      }
    }
  }

  void read(const uint8_t *base, uint32_t *to, int64_t count) {
    visit(count, [&](int64_t address, int64_t stride, int64_t piece) {
      constexpr int64_t bytes = sizeof(uint32_t);
      const uint8_t *from = base + address * bytes;
      if (stride == 1)
        std::memcpy(to, from, piece * bytes);
      else
        for (int64_t i = 0; i < piece; ++i)
          std::memcpy(to + i, from + i * stride * bytes, bytes);
      to += piece;
    });
  }

private:
  Odometer odometer;
  Loop inner;
  int64_t position = 0;
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_VECTORLANES_H
