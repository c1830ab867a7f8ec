//===- ValueLayout.h - Sizes of csl types in memory and registers -*- C++ -*-=//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In memory: integers take 1, 2, 4 or 8 bytes, bool a word of 2, ids, enums of
// up to 16 bits and pointers 2, DSDs 8. Fields of a struct follow in order,
// each at a multiple of its alignment, which is its size up to 4. A packed
// struct is an integer of all its bits.
//
// In registers: a scalar has a width in bits; an aggregate that is no packed
// struct lives in the frame, and its register holds the address.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_VALUELAYOUT_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_VALUELAYOUT_H

#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Wafer/Program.h"

namespace sequin::csl_to_wafer {

/// Bits of ids, of pointers, and of what `index` is computed in.
inline constexpr unsigned kIdBits = 16, kAddressBits = 16, kIndexBits = 32;

/// Bits of a value in a register; 0 for what registers do not hold: types wider
/// than 64 bits, vectors, tensors.
unsigned getRegisterBits(mlir::Type type);

/// Whether values of `type` live in the frame.
bool isInFrame(mlir::Type type);

struct MemorySize {
  int64_t bytes = 0, align = 1;
};
/// 0 bytes for a type that is not in memory.
MemorySize getMemorySize(mlir::Type type);

/// The offset of a field of a struct that is not packed, in bytes.
int64_t getFieldOffset(csl::StructType type, unsigned field);
/// The lowest bit of a field of a packed struct.
unsigned getFieldBit(csl::StructType type, unsigned field);
/// Bits of an integer, float, enum, pointer or packed struct.
unsigned getPackedBits(mlir::Type type);

/// What hosts see the elements as.
wafer::ElementKind getElementKind(mlir::Type type, bool isUnsigned);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_VALUELAYOUT_H
