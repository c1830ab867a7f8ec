//===- KeepFloats.cpp - Float operations that stay ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Csl/Transforms/KeepFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace sequin;

/// The operand whose constant folds the operation into the other operand.
static OpOperand *findNeutral(Operation *op) {
  auto is = [](Value value, double number) {
    APFloat found(0.0);
    return matchPattern(value, m_ConstantFloat(&found)) &&
           found.bitwiseIsEqual([&] {
             APFloat wanted(number);
             bool loses;
             wanted.convert(found.getSemantics(), APFloat::rmNearestTiesToEven,
                            &loses);
             return wanted;
           }());
  };
  OpOperand *right = op->getNumOperands() == 2 ? &op->getOpOperand(1) : nullptr;
  OpOperand *left = right ? &op->getOpOperand(0) : nullptr;
  bool isNeutral = false;
  if (isa<arith::MulFOp, arith::AddFOp>(op)) {
    double number = isa<arith::MulFOp>(op) ? 1.0 : -0.0;
    if (is(left->get(), number))
      std::swap(left, right);
    isNeutral = is(right->get(), number);
  } else if (isa<arith::DivFOp>(op)) {
    isNeutral = is(right->get(), 1.0);
  } else if (isa<arith::SubFOp>(op)) {
    isNeutral = is(right->get(), 0.0);
  }
  // Of two known numbers the result is known, a canonical NaN or none.
  APFloat other(0.0);
  if (!isNeutral || matchPattern(left->get(), m_ConstantFloat(&other)))
    return nullptr;
  return right;
}

/// Whether a value is known not to be a number.
static bool isKnownNaN(Value value) {
  APFloat number(0.0);
  if (matchPattern(value, m_ConstantFloat(&number)))
    return number.isNaN();
  APInt bits;
  auto type = dyn_cast<FloatType>(value.getType());
  auto cast = value.getDefiningOp<arith::BitcastOp>();
  return type && cast && matchPattern(cast.getIn(), m_ConstantInt(&bits)) &&
         APFloat(type.getFloatSemantics(), bits).isNaN();
}

void csl::hideNeutralFloats(FunctionOpInterface function) {
  function->walk([&](Operation *op) {
    // Folding would keep the operand's bits here too.
    if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
            arith::ExtFOp, arith::TruncFOp>(op) &&
        llvm::any_of(op->getOperands(), isKnownNaN)) {
      if (auto type = dyn_cast<FloatType>(op->getResult(0).getType())) {
        OpBuilder builder(op);
        op->getResult(0).replaceAllUsesWith(arith::ConstantOp::create(
            builder, op->getLoc(),
            builder.getFloatAttr(type,
                                 APFloat::getQNaN(type.getFloatSemantics()))));
        return;
      }
    }
    OpOperand *neutral = findNeutral(op);
    if (!neutral)
      return;
    OpBuilder builder(op);
    auto type = cast<FloatType>(neutral->get().getType());
    APFloat number(0.0);
    (void)matchPattern(neutral->get(), m_ConstantFloat(&number));
    auto bits = arith::ConstantOp::create(
        builder, op->getLoc(),
        builder.getIntegerAttr(builder.getIntegerType(type.getWidth()),
                               number.bitcastToAPInt()));
    auto hidden = UnrealizedConversionCastOp::create(
        builder, op->getLoc(), TypeRange(type), ValueRange(bits));
    neutral->set(hidden.getResult(0));
  });
}

void csl::showNeutralFloats(FunctionOpInterface function) {
  if (function.isExternal())
    return;
  llvm::SmallVector<UnrealizedConversionCastOp> casts;
  function->walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  for (UnrealizedConversionCastOp op : casts) {
    APInt bits;
    auto type = dyn_cast<FloatType>(op.getType(0));
    if (!type || !matchPattern(op.getOperand(0), m_ConstantInt(&bits)))
      continue;
    OpBuilder builder =
        OpBuilder::atBlockBegin(&function.getFunctionBody().front());
    auto shown = arith::ConstantOp::create(
        builder, op.getLoc(),
        builder.getFloatAttr(type, APFloat(type.getFloatSemantics(), bits)));
    op.getResult(0).replaceAllUsesWith(shown);
    Operation *number = op.getOperand(0).getDefiningOp();
    op.erase();
    if (number && number->use_empty())
      number->erase();
  }
}
