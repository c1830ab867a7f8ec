//===- Scalars.cpp - Scalar code of the vector engine --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

bool sequin::normalize_linalg::isConstant(Value value) {
  return value.getDefiningOp<arith::ConstantOp>() != nullptr;
}

BlockArgument sequin::normalize_linalg::elementOf(Value value) {
  if (auto cast = value.getDefiningOp<arith::BitcastOp>())
    value = cast.getIn();
  if (Operation *widen = value.getDefiningOp();
      isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(widen))
    value = widen->getOperand(0);
  return dyn_cast<BlockArgument>(value);
}

Value ScalarBuilder::constant(float value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

Value ScalarBuilder::constant(int32_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

Value ScalarBuilder::makeOp(StringRef name, Type type, ValueRange operands) {
  // Constants are made anew each time, so they are compared by value.
  auto sameOperand = [](Value x, Value y) {
    if (x == y)
      return true;
    auto c = x.getDefiningOp<arith::ConstantOp>();
    auto d = y.getDefiningOp<arith::ConstantOp>();
    return c && d && c.getValue() == d.getValue();
  };
  Value anchor;
  for (Value operand : operands)
    if (!isConstant(operand))
      anchor = operand;
  if (anchor)
    for (Operation *user : anchor.getUsers())
      if (user->getName().getStringRef() == name &&
          user->getResultTypes() == TypeRange(type) &&
          user->getNumOperands() == operands.size() &&
          llvm::all_of(llvm::zip(user->getOperands(), operands), [&](auto p) {
            return sameOperand(std::get<0>(p), std::get<1>(p));
          }))
        return user->getResult(0);
  OperationState state(loc, name, operands, type);
  Operation *op = b.create(state);
  SmallVector<Value, 1> folded;
  if (succeeded(b.tryFold(op, folded)) && !folded.empty()) {
    op->erase();
    return folded[0];
  }
  return op->getResult(0);
}

std::optional<float> ScalarBuilder::constantF(Value x) {
  FloatAttr attr;
  if (!matchPattern(x, m_Constant(&attr)))
    return std::nullopt;
  return attr.getValue().convertToFloat();
}

std::optional<int32_t> ScalarBuilder::constantI(Value x) {
  IntegerAttr attr;
  if (!matchPattern(x, m_Constant(&attr)))
    return std::nullopt;
  return static_cast<int32_t>(attr.getInt());
}

Value ScalarBuilder::bitAnd(Value x, Value y) {
  if (constantI(x) == -1)
    return y;
  return make<arith::AndIOp>(x, y);
}

Value ScalarBuilder::shiftLeft(Value x, int32_t count) {
  return count == 0 ? x : make<arith::ShLIOp>(x, constant(count));
}

Value ScalarBuilder::shiftRight(Value x, int32_t count) {
  return count == 0 ? x : make<arith::ShRSIOp>(x, constant(count));
}

Value ScalarBuilder::wrap(Value x, unsigned width) {
  if (width >= 32 || range(x).fits(width))
    return x;
  return shiftRight(shiftLeft(x, 32 - width), 32 - width);
}

Value ScalarBuilder::bits(Value x) {
  if (auto back = x.getDefiningOp<arith::BitcastOp>())
    return back.getIn();
  return cast<arith::BitcastOp>(i32(), x);
}

Value ScalarBuilder::number(Value x) {
  if (auto back = x.getDefiningOp<arith::BitcastOp>())
    return back.getIn();
  return cast<arith::BitcastOp>(f32(), x);
}

Value ScalarBuilder::absF(Value x) {
  return number(bitAnd(bits(x), constant(INT32_MAX)));
}

Value ScalarBuilder::roundTo(Type type, Value x) {
  if (type.isF32())
    return x;
  if (auto widen = x.getDefiningOp<arith::ExtFOp>();
      widen && widen.getIn().getType() == type)
    return x;
  return cast<arith::ExtFOp>(f32(), cast<arith::TruncFOp>(type, x));
}
