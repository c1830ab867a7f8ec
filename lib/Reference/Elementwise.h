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
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/StringRef.h"

namespace sequin::reference {

/// A function of up to three 32-bit elements, in bits.
using ElementFunction = uint32_t (*)(uint32_t, uint32_t, uint32_t);

/// By the manual's name; std::nullopt for a name or type that does not exist.
std::optional<ElementFunction> parseOperation(llvm::StringRef name,
                                              bool isFloat,
                                              const ArithmeticRules &rules);

/// Which elements an operation is for.
struct Condition {
  /// ExecutionIds by index; null while all are 0.
  const Tensor *ids = nullptr;
  /// Bit i for id i.
  uint16_t active = 0xffff;

  bool holds(uint32_t id) const { return active >> id & 1; }
};

/// `operation` of the arguments at every index of `stream`, which keeps its
/// element where the condition does not hold. A tensor is broadcast over the
/// axes it does not have.
Tensor evaluate(const Space &space, ElementFunction operation,
                llvm::ArrayRef<const Tensor *> arguments, const Tensor &stream,
                const Condition &condition);

/// Every element in another type (fetch).
Tensor convert(const Tensor &tensor, ElementType type);
/// The same as the cast engine does it.
Tensor narrow(const Tensor &tensor, ElementType type,
              const ArithmeticRules &rules);
Tensor fxpToFloat(const Tensor &tensor, int64_t intWidth);
Tensor floatToFxp(const Tensor &tensor, int64_t intWidth,
                  const ArithmeticRules &rules);

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_ELEMENTWISE_H
