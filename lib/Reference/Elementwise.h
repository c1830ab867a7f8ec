//===- Elementwise.h - Operations on every element --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector engine and the conversions by their meaning (TCP manual,
// Intra-Slice Block and Cast Engine; rulings SIL-1 to SIL-8).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_ELEMENTWISE_H
#define SEQUIN_LIB_REFERENCE_ELEMENTWISE_H

#include "Tensor.h"
#include "llvm/ADT/StringRef.h"

namespace sequin::reference {

/// A function of two 32-bit elements, in bits.
using BinaryOperation = uint32_t (*)(uint32_t, uint32_t);

/// By the manual's name; std::nullopt for a name or type that does not exist.
std::optional<BinaryOperation> parseBinaryOperation(llvm::StringRef name,
                                                    bool isFloat);

/// operation(stream, operand), or the other way round if `swapped`, at every
/// index; `operand` is broadcast over the axes it does not have.
Tensor combine(const Space &space, BinaryOperation operation,
               const Tensor &stream, const Tensor &operand, bool swapped);

/// Every element in another type (fetch and cast).
Tensor convert(const Tensor &tensor, ElementType type);
Tensor fxpToFloat(const Tensor &tensor, int64_t intWidth);
Tensor floatToFxp(const Tensor &tensor, int64_t intWidth);

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_ELEMENTWISE_H
