//===- Packed.cpp - Packed structs as numbers -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packed struct is an integer in which the fields stand one after the other,
// the first in the lowest bits (SYN-069); the fields of a packed union all
// begin at bit 0.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

Value Evaluator::packedBits(const Value &value, Span span) {
  const Type *type = value.type();
  const Type *whole = types.integer(type->bits(), /*isSigned=*/false);
  // Any field of a union has all of its bits; of a known one there is only the
  // field that was set.
  size_t first = 0, end = type->fields.size();
  if (type->isUnion) {
    if (value.isAggregate())
      while (first + 1 < end && value.elements()[first].isError())
        ++first;
    end = first + 1;
  }
  Value result = makeInt(whole, 0);
  unsigned at = 0;
  for (size_t i = first; i < end; ++i) {
    const Type::Field &field = type->fields[i];
    unsigned width = field.type->bits();
    Value part = bitcastTo(types.integer(width, /*isSigned=*/false),
                           getMember(value, field.name, span), span);
    part = castTo(whole, std::move(part), span);
    if (!part)
      return Value();
    if (at)
      part = binary(BinaryOp::Shl, std::move(part), makeInt(whole, at), span);
    result = i == first ? std::move(part)
                        : binary(BinaryOp::BitOr, std::move(result),
                                 std::move(part), span);
    at += width;
  }
  return result;
}

Value Evaluator::packedFromBits(const Type *type, const Value &bits,
                                Span span) {
  std::vector<Value> parts(type->fields.size());
  unsigned at = 0;
  for (auto [field, part] : llvm::zip(type->fields, parts)) {
    unsigned width = field.type->bits();
    Value shifted = bits;
    if (at)
      shifted = binary(BinaryOp::Shr, bits, makeInt(bits.type(), at), span);
    if (width < bits.type()->bits()) {
      Integer mask = Integer::fromBits(
          llvm::APInt::getLowBitsSet(bits.type()->bits(), width),
          /*isSigned=*/false);
      shifted = binary(BinaryOp::BitAnd, std::move(shifted),
                       Value(bits.type(), mask), span);
      shifted = castTo(types.integer(width, /*isSigned=*/false),
                       std::move(shifted), span);
    }
    part = bitcastTo(field.type, std::move(shifted), span);
    if (!part)
      return Value();
    if (type->isUnion)
      break;
    at += width;
  }
  return Value(type, std::move(parts));
}
