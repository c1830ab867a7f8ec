//===- VectorExpression.cpp - Expressions as DSD operations ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorExpression.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;

//===----------------------------------------------------------------------===//
// What has a DSD operation
//===----------------------------------------------------------------------===//

static bool isReal(Type type) { return type.isF32() || isHalf(type); }

/// The reciprocal of a constant divisor that has an exact one.
static FloatAttr getInverse(Operation *op) {
  FloatAttr divisor;
  if (!isa<arith::DivFOp>(op) ||
      !matchPattern(op->getOperand(1), m_Constant(&divisor)))
    return {};
  APFloat inverse(divisor.getValue().getSemantics());
  if (!divisor.getValue().getExactInverse(&inverse))
    return {};
  return FloatAttr::get(divisor.getType(), inverse);
}

/// The DSD operation without the letter of its type.
static std::optional<StringRef> getDsdOp(Operation *op) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  Type type = op->getResult(0).getType();
  using Name = std::optional<StringRef>;
  if (isReal(type))
    return llvm::TypeSwitch<Operation *, Name>(op)
        .Case<arith::AddFOp>([](auto) { return "fadd"; })
        .Case<arith::SubFOp>([](auto) { return "fsub"; })
        .Case<arith::MulFOp>([](auto) { return "fmul"; })
        .Case<arith::MaximumFOp, arith::MaxNumFOp>([](auto) { return "fmax"; })
        .Case<arith::NegFOp>([](auto) { return "fneg"; })
        .Case<math::AbsFOp>([](auto) { return "fabs"; })
        .Case<arith::DivFOp>([](arith::DivFOp op) {
          return getInverse(op) ? Name("fmul") : Name();
        })
        .Case<arith::ExtFOp>([](arith::ExtFOp op) {
          return op.getType().isF32() && isHalf(op.getIn().getType())
                     ? Name("fh2s")
                     : Name();
        })
        .Case<arith::TruncFOp>([](arith::TruncFOp op) {
          return isHalf(op.getType()) && op.getIn().getType().isF32()
                     ? Name("fs2h")
                     : Name();
        })
        .Default([](Operation *) { return Name(); });
  if (type.isInteger(16))
    return llvm::TypeSwitch<Operation *, Name>(op)
        .Case<arith::AddIOp>([](auto) { return "add16"; })
        .Case<arith::SubIOp>([](auto) { return "sub16"; })
        .Case<arith::AndIOp>([](auto) { return "and16"; })
        .Case<arith::OrIOp>([](auto) { return "or16"; })
        .Case<arith::XOrIOp>([](auto) { return "xor16"; })
        .Default([](Operation *) { return Name(); });
  return std::nullopt;
}

/// The operations of the body that `value` depends on.
static void collectNeeded(const LoopNest &op, Value value,
                          llvm::SetVector<Operation *> &needed) {
  Operation *inner = value.getDefiningOp();
  if (!inner || inner->getBlock() != op.op.getBody() ||
      needed.contains(inner) || matchPattern(value, m_Constant()))
    return;
  for (Value operand : inner->getOperands())
    collectNeeded(op, operand, needed);
  needed.insert(inner);
}

bool linalg_to_csl::isVectorExpression(const LoopNest &op) {
  llvm::SetVector<Operation *> needed;
  collectNeeded(op, op.expression, needed);
  if (op.isReduction() &&
      !getCombinerDsdOp(op.combiner, op.combinerOp->getResult(0).getType()))
    return false;
  return llvm::all_of(needed, [](Operation *inner) { return getDsdOp(inner); });
}

/// Whether a value is one number for all iterations.
static bool isScalarValue(const LoopNest &op, Value value) {
  if (matchPattern(value, m_Constant()))
    return true;
  for (const Input &input : op.inputs)
    if (input.argument == value)
      return !input.access || llvm::all_of(input.access->loops,
                                           [](int loop) { return loop < 0; });
  return false;
}

FusedParts linalg_to_csl::getFused(const LoopNest &op, Operation *inner) {
  FusedParts parts;
  if (!isa<arith::AddFOp, arith::SubFOp>(inner))
    return parts;
  for (unsigned side : {1u, 0u}) {
    if (side == 0 && isa<arith::SubFOp>(inner))
      break;
    auto product = inner->getOperand(side).getDefiningOp<arith::MulFOp>();
    Value addend = inner->getOperand(1 - side);
    if (!product || !product->hasOneUse() ||
        product->getBlock() != op.op.getBody() || isScalarValue(op, addend))
      continue;
    for (unsigned which : {1u, 0u}) {
      Value scalar = product->getOperand(which);
      Value factor = product->getOperand(1 - which);
      if (!isScalarValue(op, scalar) || isScalarValue(op, factor))
        continue;
      return {product, addend, factor, scalar, isa<arith::SubFOp>(inner)};
    }
  }
  return parts;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

VectorExpression::VectorExpression(Emitter &emitter, const LoopNest &op,
                                   ArrayRef<unsigned> order)
    : emitter(emitter), op(op), order(order) {
  extents = emitter.extentsOf(op, order);
  for (int64_t extent : extents)
    count *= extent;
}

Elements VectorExpression::contiguous(StringRef name, Type type) const {
  Elements elements{name.str(), type, {}, 0, Value()};
  int64_t stride = count;
  for (int64_t extent : extents) {
    stride /= extent;
    elements.strides.push_back(stride);
  }
  return elements;
}

VectorExpression::Operand VectorExpression::get(Value value) {
  auto known = values.find(value);
  if (known != values.end())
    return known->second;
  Operand operand;
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    operand.scalar = emitter.constantOf(constant);
    return operand;
  }
  for (const Input &input : op.inputs) {
    if (input.argument != value)
      continue;
    if (!input.access) {
      operand.scalar = emitter.constantOf(input.constant);
      return operand;
    }
    Elements elements =
        Emitter::reorder(emitter.elementsOf(op, *input.access), order);
    if (isScalarValue(op, value))
      operand.scalar = emitter.load(elements);
    else
      operand.memory = elements;
    return operand;
  }
  llvm_unreachable("a value that nothing computed");
}

Value VectorExpression::dsd(const Operand &operand) {
  if (operand.scalar)
    return operand.scalar;
  return emitter.dsd(*operand.memory, extents);
}

/// A place for a value of `type`.
VectorExpression::Operand VectorExpression::makeTarget(Type type, bool last) {
  Operand operand;
  if (dest && dest->element == type && (last || !destBusy)) {
    operand.memory = dest;
    operand.inDest = true;
    destBusy = true;
    return operand;
  }
  operand.temporary = emitter.takeTemporary(type, count);
  operand.memory = contiguous(operand.temporary, type);
  return operand;
}

void VectorExpression::drop(Operand &operand) {
  if (operand.inDest)
    destBusy = false;
  if (!operand.temporary.empty())
    emitter.release(operand.temporary);
}

void VectorExpression::collect() {
  llvm::SetVector<Operation *> found;
  collectNeeded(op, op.expression, found);
  needed.assign(found.begin(), found.end());
  for (Operation *inner : needed)
    if (FusedParts parts = getFused(op, inner); parts.product)
      fused.insert(parts.product);
  for (Operation *inner : needed)
    for (Value operand : inner->getOperands())
      ++uses[operand];
}

void VectorExpression::move(const Operand &from, const Elements &to) {
  emitter.dsdOp(getMoveDsdOp(to.element), emitter.dsd(to, extents), dsd(from));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool VectorExpression::emitFused(Operation *inner, bool last) {
  FusedParts parts = getFused(op, inner);
  if (!parts.product)
    return false;
  Operand addend = get(parts.addend), factor = get(parts.factor);
  Value scalar = get(parts.scalar).scalar;
  if (parts.negate)
    scalar = arith::NegFOp::create(emitter.builder, emitter.loc, scalar);
  for (Value value : {parts.addend, parts.factor})
    if (auto known = values.find(value);
        known != values.end() && --uses[value] == 0)
      drop(known->second);
  Type type = inner->getResult(0).getType();
  Operand target = makeTarget(type, last);
  emitter.dsdOp(type.isF32() ? "fmacs" : "fmach", dsd(target),
                {dsd(addend), dsd(factor), scalar});
  values[inner->getResult(0)] = target;
  return true;
}

void VectorExpression::emit(Operation *inner, bool last) {
  if (emitFused(inner, last))
    return;
  SmallVector<Operand, 2> operands;
  for (Value value : inner->getOperands())
    operands.push_back(get(value));
  Type type = inner->getResult(0).getType();
  if (llvm::all_of(operands, [](auto &o) { return o.isScalar(); })) {
    IRMapping mapping;
    for (auto [value, operand] : llvm::zip(inner->getOperands(), operands))
      mapping.map(value, operand.scalar);
    Operand result;
    result.scalar = emitter.builder.clone(*inner, mapping)->getResult(0);
    values[inner->getResult(0)] = result;
    return;
  }
  for (Value value : inner->getOperands())
    if (auto known = values.find(value);
        known != values.end() && --uses[value] == 0)
      drop(known->second);
  Operand target = makeTarget(type, last);
  std::string name = getDsdOp(inner)->str();
  if (isReal(type) && !isa<arith::ExtFOp, arith::TruncFOp>(inner))
    name += type.isF32() ? "s" : "h";
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  if (isa<arith::DivFOp>(inner)) {
    emitter.dsdOp(name, dsd(target),
                  {dsd(operands[0]), emitter.constantOf(getInverse(inner))});
  } else if (operands.size() == 2 && operands[0].isScalar() &&
             isa<arith::SubFOp>(inner)) {
    // s - v = -v + s: the unit takes a value as the second operand only.
    emitter.dsdOp(type.isF32() ? "fnegs" : "fnegh", dsd(target),
                  dsd(operands[1]));
    emitter.dsdOp(type.isF32() ? "fadds" : "faddh", dsd(target),
                  {dsd(target), operands[0].scalar});
  } else if (operands.size() == 2 && operands[0].isScalar() &&
             isa<arith::SubIOp>(inner)) {
    // s - v = ~v + (s + 1).
    emitter.dsdOp("xor16", dsd(target), {dsd(operands[1]), emitter.i16(-1)});
    Value more =
        arith::AddIOp::create(builder, loc, operands[0].scalar, emitter.i16(1));
    emitter.dsdOp("add16", dsd(target), {dsd(target), more});
  } else {
    SmallVector<Value> sources;
    for (const Operand &operand : operands)
      sources.push_back(dsd(operand));
    emitter.dsdOp(name, dsd(target), sources);
  }
  values[inner->getResult(0)] = target;
}

VectorExpression::Operand VectorExpression::finish() {
  collect();
  for (Operation *inner : needed)
    if (!fused.contains(inner))
      emit(inner, inner->getResult(0) == op.expression);
  return get(op.expression);
}

void VectorExpression::emitInto(const Elements &given) {
  dest = given;
  Operand made = finish();
  if (!made.inDest)
    move(made, given);
  if (!made.temporary.empty())
    emitter.release(made.temporary);
}

Elements VectorExpression::emitAnywhere() {
  Operand made = finish();
  if (made.isScalar()) {
    made.temporary = emitter.takeTemporary(op.expression.getType(), count);
    made.memory = contiguous(made.temporary, op.expression.getType());
    move({made.scalar, std::nullopt, "", false}, *made.memory);
  }
  result = made.temporary;
  return *made.memory;
}

Elements VectorExpression::emitIntoTemporary() {
  Operand made = finish();
  if (made.temporary.empty()) {
    Type type = op.expression.getType();
    Operand target;
    target.temporary = emitter.takeTemporary(type, count);
    target.memory = contiguous(target.temporary, type);
    move(made, *target.memory);
    made = target;
  }
  result = made.temporary;
  return *made.memory;
}

void VectorExpression::release() {
  if (!result.empty())
    emitter.release(result);
}
