//===- ByteMap.h - Which bytes have been written ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bit per byte, in pages made on demand. Addresses of several chips are kept
// apart by the caller's key.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_MEMORY_BYTEMAP_H
#define SEQUIN_LIB_SIM_MEMORY_BYTEMAP_H

#include "llvm/ADT/DenseMap.h"
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>

namespace sequin::sim {

class ByteMap {
public:
  /// Sets the bytes of a range; the first that was set before, if any.
  std::optional<int64_t> set(int64_t chip, int64_t address, int64_t bytes) {
    return visit(chip, address, bytes, true, [](uint64_t &word, uint64_t mask) {
      uint64_t before = word & mask;
      word |= mask;
      return before;
    });
  }
  /// The first set byte of a range, if any.
  std::optional<int64_t> find(int64_t chip, int64_t address, int64_t bytes) {
    return visit(chip, address, bytes, false,
                 [](uint64_t &word, uint64_t mask) { return word & mask; });
  }

private:
  static constexpr int64_t kPageBytes = 1 << 16, kWordBits = 64;

  template <class Update>
  std::optional<int64_t> visit(int64_t chip, int64_t address, int64_t bytes,
                               bool make, Update &&update) {
    std::optional<int64_t> found;
    for (int64_t end = address + bytes; address < end;) {
      int64_t bit = address % kWordBits;
      int64_t count = std::min(end - address, kWordBits - bit);
      uint64_t mask = count == kWordBits ? ~uint64_t(0)
                                         : ((uint64_t(1) << count) - 1) << bit;
      uint64_t *word = wordOf(chip, address, make);
      uint64_t hits = word ? update(*word, mask) : 0;
      if (hits && !found)
        found = address - bit + std::countr_zero(hits);
      address += count;
    }
    return found;
  }

  /// Null if the page does not exist and is not to be made.
  uint64_t *wordOf(int64_t chip, int64_t address, bool make) {
    int64_t page = chip << 40 | address / kPageBytes;
    if (page != lastPage || !last) {
      auto found = pages.find(page);
      if (found == pages.end()) {
        if (!make)
          return nullptr;
        found = pages
                    .try_emplace(page, std::make_unique<uint64_t[]>(kPageBytes /
                                                                    kWordBits))
                    .first;
      }
      lastPage = page;
      last = found->second.get();
    }
    return last + address % kPageBytes / kWordBits;
  }

  llvm::DenseMap<int64_t, std::unique_ptr<uint64_t[]>> pages;
  int64_t lastPage = 0;
  uint64_t *last = nullptr;
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_MEMORY_BYTEMAP_H
