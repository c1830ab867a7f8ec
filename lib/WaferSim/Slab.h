//===- Slab.h - Memory that lives as long as the simulator ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every cycle walks over the state of all busy PEs. On pages of 4 KB that walk
// misses the TLB at every step, so that state is put on large pages.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_WAFERSIM_SLAB_H
#define SEQUIN_LIB_WAFERSIM_SLAB_H

#include "Ring.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstddef>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace sequin::wafer {

/// Zeroed address space; nullptr if there is none. `large`: on large pages
/// where the system has them, so that a touched byte takes one.
inline void *mapMemory(size_t bytes, bool large) {
  void *base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return nullptr;
  if (large)
    madvise(base, bytes, MADV_HUGEPAGE);
  return base;
}

/// Hands out cache lines and frees all of them at its end. What is put there is
/// not destroyed.
class Slab {
public:
  Slab() = default;
  Slab(const Slab &) = delete;
  Slab &operator=(const Slab &) = delete;
  ~Slab() {
    for (auto [base, bytes] : chunks)
      munmap(base, bytes);
  }
  void *allocate(size_t bytes) {
    bytes = (bytes + 63) / 64 * 64;
    if (bytes > left) {
      left = bytes > kChunk ? bytes : kChunk;
      next = static_cast<char *>(mapMemory(left, true));
      if (!next)
        llvm::report_bad_alloc_error("no memory for the state of a PE");
      chunks.push_back({next, left});
    }
    void *result = next;
    next += bytes;
    left -= bytes;
    return result;
  }

private:
  // Large pages begin at multiples of their size; of a chunk of few, many bytes
  // would lie outside.
  static constexpr size_t kChunk = size_t(32) << 20;
  std::vector<std::pair<void *, size_t>> chunks;
  char *next = nullptr;
  size_t left = 0;
};

/// The rings of a PE; grows in a slab.
class RingList {
public:
  Ring &operator[](size_t i) { return rings[i]; }
  const Ring &operator[](size_t i) const { return rings[i]; }
  size_t size() const { return count; }
  Ring *begin() { return rings; }
  Ring *end() { return rings + count; }
  const Ring *data() const { return rings; }
  void push(Slab &slab, const Ring &ring) {
    if (count == room) {
      room = room ? 2 * room : 16;
      Ring *larger = static_cast<Ring *>(slab.allocate(room * sizeof(Ring)));
      for (unsigned i = 0; i < count; ++i)
        new (larger + i) Ring(rings[i]);
      rings = larger;
    }
    new (rings + count++) Ring(ring);
  }

private:
  Ring *rings = nullptr;
  uint16_t count = 0, room = 0;
};

} // namespace sequin::wafer

#endif // SEQUIN_LIB_WAFERSIM_SLAB_H
