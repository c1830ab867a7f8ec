//===- ElementType.h - Element types of the simulated machines --*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that memories hold and streams carry, with the one property
// every layer needs: the width in bits. Arithmetic on them is in Arithmetic.h.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_ELEMENTTYPE_H
#define SEQUIN_SUPPORT_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace sequin {

/// i5 and i9 exist inside a stream only, after a fetch with a zero-point
/// (TCP manual, Fetch Engine, Type Casting); memories never hold them.
enum class ElementType : uint8_t {
  I4,
  I5,
  I8,
  I9,
  I16,
  I32,
  F8E4M3,
  F8E5M2,
  BF16,
  F16,
  F32,
};

/// The width of one element in a memory or in a flit, in bits. i5 and i9 travel
/// in the slots of i4 and i8, whose widths they report.
unsigned getBitWidth(ElementType type);

/// The bits of the element itself, where i5 and i9 have their own.
unsigned getValueBits(ElementType type);

/// Whether memories and host arrays hold no such elements.
inline bool isStreamOnly(ElementType type) {
  return type == ElementType::I5 || type == ElementType::I9;
}

/// Whether `type` is one of the floating-point formats.
bool isFloat(ElementType type);

/// The manual's spelling: "i8", "f8e4m3", "bf16", ...
llvm::StringRef getName(ElementType type);

/// Inverse of getName; std::nullopt for an unknown name.
std::optional<ElementType> parseElementType(llvm::StringRef name);

/// Bytes that `count` elements occupy, rounded up to whole bytes; the largest
/// number there is if they do not fit in 64 bits.
inline int64_t getByteSize(ElementType type, int64_t count) {
  int64_t bits;
  if (__builtin_mul_overflow(count, static_cast<int64_t>(getBitWidth(type)),
                             &bits) ||
      bits > INT64_MAX - 7)
    return INT64_MAX;
  return (bits + 7) / 8;
}

} // namespace sequin

#endif // SEQUIN_SUPPORT_ELEMENTTYPE_H
