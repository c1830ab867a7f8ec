//===- Nest.h - Walking loop nests over bytes -------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one walk that every sequencer of the simulator uses. Loops are outermost
// first.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_NEST_H
#define SEQUIN_LIB_SIM_ENGINE_NEST_H

#include "sequin/Config/Config.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>

namespace sequin::sim {

using config::Loop;

/// The product of the sizes; std::nullopt if it does not fit.
template <class Loops> std::optional<int64_t> tripCount(const Loops &loops) {
  int64_t count = 1;
  for (const auto &loop : loops)
    if (llvm::MulOverflow(count, loop.size, count))
      return std::nullopt;
  return count;
}

/// Counts through a nest and keeps the sum of index * stride.
class Odometer {
public:
  Odometer() = default;
  explicit Odometer(llvm::ArrayRef<Loop> loops) {
    for (const Loop &loop : loops)
      if (loop.size != 1)
        wheels.push_back({loop.size, loop.stride, 0});
  }

  int64_t offset() const { return position; }

  /// To the next iteration; wraps around at the end.
  void advance() {
    for (Wheel *wheel = wheels.end(); wheel != wheels.begin();) {
      --wheel;
      if (++wheel->count < wheel->size) {
        position += wheel->stride;
        return;
      }
      position -= wheel->stride * (wheel->size - 1);
      wheel->count = 0;
    }
  }

  void reset() {
    for (Wheel &wheel : wheels)
      wheel.count = 0;
    position = 0;
  }

private:
  struct Wheel {
    int64_t size, stride, count;
  };
  llvm::SmallVector<Wheel, 8> wheels;
  int64_t position = 0;
};

/// A nest over bytes whose innermost contiguous loops are folded into one run.
struct ByteNest {
  llvm::SmallVector<Loop, 8> loops; ///< strides in bytes
  int64_t runBytes = 0;
};

/// Strides of `entries` are in elements of `elementBits`. The run and all
/// strides are whole bytes (the check has seen to it).
inline ByteNest makeByteNest(llvm::ArrayRef<Loop> entries,
                             int64_t elementBits) {
  int64_t run = elementBits;
  llvm::SmallVector<Loop, 8> outer; // innermost first, strides in bits
  for (const Loop &entry : llvm::reverse(entries)) {
    if (entry.size == 1)
      continue;
    int64_t stride = entry.stride * elementBits;
    if (outer.empty() && stride == run)
      run *= entry.size;
    else if (!outer.empty() &&
             stride == outer.back().size * outer.back().stride)
      outer.back().size *= entry.size;
    else
      outer.push_back({entry.size, stride});
  }
  ByteNest nest;
  nest.runBytes = run / 8;
  for (const Loop &loop : llvm::reverse(outer))
    nest.loops.push_back({loop.size, loop.stride / 8});
  return nest;
}

/// memcpy with the lengths that sequencers use inlined.
inline void copyBytes(uint8_t *to, const uint8_t *from, int64_t bytes) {
  switch (bytes) {
  case 8:
    std::memcpy(to, from, 8);
    break;
  case 16:
    std::memcpy(to, from, 16);
    break;
  case 32:
    std::memcpy(to, from, 32);
    break;
  case 64:
    std::memcpy(to, from, 64);
    break;
  default:
    std::memcpy(to, from, bytes);
  }
}

/// The bytes that a nest visits, one after the other, in pieces of any length.
class ByteStream {
public:
  ByteStream() = default;
  explicit ByteStream(const ByteNest &nest)
      : odometer(nest.loops), runBytes(nest.runBytes) {}

  /// Calls `visit(address, bytes)` for the next `bytes` of the nest.
  template <class Visit> void visit(int64_t bytes, Visit &&visit) {
    while (bytes > 0) {
      int64_t piece = std::min(bytes, runBytes - inRun);
      visit(odometer.offset() + inRun, piece);
      bytes -= piece;
      inRun += piece;
      if (inRun == runBytes) {
        odometer.advance();
        inRun = 0;
      }
    }
  }

  /// The next `bytes` if they are in one run, and null otherwise.
  const uint8_t *view(const uint8_t *base, int64_t bytes) {
    if (bytes > runBytes - inRun)
      return nullptr;
    const uint8_t *begin = base + odometer.offset() + inRun;
    visit(bytes, [](int64_t, int64_t) {});
    return begin;
  }

  /// From memory into `to`; `base` is the address of the nest's start.
  void read(const uint8_t *base, uint8_t *to, int64_t bytes) {
    visit(bytes, [&](int64_t address, int64_t piece) {
      copyBytes(to, base + address, piece);
      to += piece;
    });
  }
  void write(uint8_t *base, const uint8_t *from, int64_t bytes) {
    visit(bytes, [&](int64_t address, int64_t piece) {
      copyBytes(base + address, from, piece);
      from += piece;
    });
  }

  void reset() {
    odometer.reset();
    inRun = 0;
  }

private:
  Odometer odometer;
  int64_t runBytes = 0;
  int64_t inRun = 0;
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_NEST_H
