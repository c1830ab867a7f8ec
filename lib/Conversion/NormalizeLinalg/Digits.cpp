//===- Digits.cpp - Numbers as sums of narrower ones ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

Value sequin::normalize_linalg::mapTensor(
    Operation *root, ValueRange tensors, Type type,
    function_ref<Value(ScalarBuilder &, ValueRange)> code) {
  auto shape = cast<RankedTensorType>(tensors[0].getType()).getShape();
  Nest nest(root, shape);
  LoopIds loops = llvm::to_vector<6>(llvm::seq<unsigned>(shape.size()));
  ScalarBuilder &s = nest.scalars();
  SmallVector<Value> elements;
  for (Value tensor : tensors)
    elements.push_back(nest.addLeaf(tensor, loops));
  Value word = code(s, elements);
  if (type != word.getType())
    word = isa<FloatType>(type) ? s.cast<arith::TruncFOp>(type, word)
                                : s.cast<arith::TruncIOp>(type, word);
  return nest.materializeRoot(nest.addRoot(word), loops);
}

SmallVector<Value> sequin::normalize_linalg::cutDigits(Operation *root,
                                                       const Factor &factor,
                                                       unsigned count) {
  SmallVector<Value> digits;
  OpBuilder builder(root);
  if (isa<FloatType>(factor.type)) {
    // Each is what the ones before leave of the number, rounded.
    if (factor.type.isBF16())
      return {factor.tensor};
    while (digits.size() < count) {
      SmallVector<Value> operands = {factor.tensor};
      llvm::append_range(operands, digits);
      digits.push_back(mapTensor(root, operands, builder.getBF16Type(),
                                 [](ScalarBuilder &s, ValueRange values) {
                                   Value rest = values[0];
                                   for (Value digit : values.drop_front())
                                     rest = s.subF(rest, digit);
                                   return rest;
                                 }));
    }
    return digits;
  }
  if (factor.type.isInteger(8))
    return {factor.tensor};
  if (count == 1 && !factor.range.fits(8)) {
    IntRange i8 = IntRange::ofWidth(8);
    return {mapTensor(root, factor.tensor, builder.getI8Type(),
                      [&](ScalarBuilder &s, ValueRange values) {
                        Value low = s.constant(static_cast<int32_t>(i8.low));
                        Value high = s.constant(static_cast<int32_t>(i8.high));
                        Value x = s.make<arith::MaxSIOp>(values[0], low);
                        return s.make<arith::MinSIOp>(x, high);
                      })};
  }
  // Balanced: what is below digit i is between -128 and 127 of its units, so
  // the number is rounded by half of them.
  constexpr unsigned kBits = 8;
  for (unsigned i = 0; i < count; ++i)
    digits.push_back(
        mapTensor(root, factor.tensor, builder.getI8Type(),
                  [&](ScalarBuilder &s, ValueRange values) {
                    uint32_t half = 0;
                    for (unsigned j = 0; j < i; ++j)
                      half |= uint32_t(1) << (kBits * j + kBits - 1);
                    Value x = values[0];
                    if (half)
                      x = s.add(x, s.constant(static_cast<int32_t>(half)));
                    return s.wrap(s.shiftRight(x, kBits * i), kBits);
                  }));
  return digits;
}
