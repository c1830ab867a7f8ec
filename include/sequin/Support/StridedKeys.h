//===- StridedKeys.h - Addresses as keys of a DenseMap ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_STRIDEDKEYS_H
#define SEQUIN_SUPPORT_STRIDEDKEYS_H

#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/Hashing.h"
#include <cstdint>

namespace sequin {

/// For addresses and linear indices, whose steps are often a power of two.
/// LLVM's hash of an integer is a multiple of it, which puts such keys into few
/// buckets and makes every look-up a walk over all keys.
struct StridedKeyInfo : llvm::DenseMapInfo<int64_t> {
  static unsigned getHashValue(int64_t key) {
    return static_cast<unsigned>(llvm::hash_value(key));
  }
};

} // namespace sequin

#endif // SEQUIN_SUPPORT_STRIDEDKEYS_H
