//===- Operators.cpp - Arithmetic, comparisons, logic ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------===//
// Known values
//===----------------------------------------------------------------------===//

/// A result of integer arithmetic at comptime: what does not fit its type is an
/// error (AMB-039).
Value Evaluator::wrap(const Type *type, std::optional<Integer> value,
                      std::string *why) {
  if (!value) {
    if (why)
      *why = "the result has more than " + std::to_string(Integer::kMaxBits) +
             " bits";
    return Value();
  }
  if (type->is(TypeKind::Int) && !value->fits(type->width, type->isSigned)) {
    if (why)
      *why = "the result " + value->str() + " does not fit in '" + type->str() +
             "': what is known at compile time does not wrap, use a wider type "
             "and mask, or a variable";
    return Value();
  }
  return Value(type, *value);
}

Value Evaluator::foldBinary(BinaryOp op, const Value &left, const Value &right,
                            std::string *why) {
  const Type *type = left.type();
  auto refuse = [&](llvm::StringRef text) {
    if (why)
      *why = text.str();
    return Value();
  };
  if (isComparison(op)) {
    int order = 0;
    bool unordered = false;
    if (left.isInteger() && right.isInteger())
      order = compare(left.integer(), right.integer());
    else if (left.isFloat() && right.isFloat()) {
      unordered = std::isnan(left.number()) || std::isnan(right.number());
      order = left.number() < right.number()   ? -1
              : left.number() > right.number() ? 1
                                               : 0;
    } else if (left.isString() && right.isString())
      order = left.string().compare(right.string());
    else if (left.isType() && right.isType())
      order = left.asType() != right.asType();
    else
      return refuse("the values cannot be compared");
    switch (op) {
    case BinaryOp::Eq:
      return makeBool(!unordered && order == 0);
    case BinaryOp::Ne:
      return makeBool(unordered || order != 0);
    case BinaryOp::Lt:
      return makeBool(!unordered && order < 0);
    case BinaryOp::Le:
      return makeBool(!unordered && order <= 0);
    case BinaryOp::Gt:
      return makeBool(!unordered && order > 0);
    default:
      return makeBool(!unordered && order >= 0);
    }
  }
  if (left.isFloat() && right.isFloat()) {
    double a = left.number(), b = right.number(), result;
    switch (op) {
    case BinaryOp::Add:
      result = a + b;
      break;
    case BinaryOp::Sub:
      result = a - b;
      break;
    case BinaryOp::Mul:
      result = a * b;
      break;
    case BinaryOp::Div:
      if (b == 0)
        return refuse("division by zero");
      result = a / b;
      break;
    default:
      return refuse("floats have no such operator");
    }
    if (std::isnan(result) && !std::isnan(a) && !std::isnan(b))
      return refuse("the result is not a number");
    if (type->is(TypeKind::Float))
      result = roundTo(type->format, result);
    return Value(type, result);
  }
  if (!left.isInteger() || !right.isInteger())
    return refuse("the values have no such operator");
  const Integer &a = left.integer(), &b = right.integer();
  switch (op) {
  case BinaryOp::Add:
    return wrap(type, add(a, b), why);
  case BinaryOp::Sub:
    return wrap(type, sub(a, b), why);
  case BinaryOp::Mul:
    return wrap(type, mul(a, b), why);
  case BinaryOp::Div:
    if (b.isZero())
      return refuse("division by zero");
    return wrap(type, div(a, b), why);
  case BinaryOp::Rem:
    if (b.isZero())
      return refuse("division by zero");
    return wrap(type, rem(a, b), why);
  case BinaryOp::Shl: {
    if (b.isNegative())
      return refuse("the shift count is negative");
    uint64_t count = b.small().value_or(INT64_MAX);
    if (type->is(TypeKind::Int)) {
      // Bits beyond the type are shifted out, as running code does.
      if (count >= type->width)
        return Value(type, Integer(0));
      return Value(type, Integer::fromBits(a.truncated(type->width).shl(count),
                                           type->isSigned));
    }
    return wrap(type, shl(a, count), why);
  }
  case BinaryOp::Shr:
    if (b.isNegative())
      return refuse("the shift count is negative");
    return Value(type, shr(a, b.small().value_or(INT64_MAX)));
  case BinaryOp::BitAnd:
    return Value(type, bitAnd(a, b));
  case BinaryOp::BitOr:
    return Value(type, bitOr(a, b));
  case BinaryOp::BitXor:
    return Value(type, bitXor(a, b));
  default:
    return refuse("the values have no such operator");
  }
}

//===----------------------------------------------------------------------===//
// Binary operators
//===----------------------------------------------------------------------===//

static bool isComparable(const Type *type, bool isOrder) {
  if (type->isNumber())
    return true;
  return !isOrder &&
         (type->is(TypeKind::Bool) || type->is(TypeKind::Enum) ||
          type->is(TypeKind::Direction) || type->is(TypeKind::String) ||
          type->is(TypeKind::Type) || type->isId() || type->isRegister());
}

Value Evaluator::evalBinary(const BinaryExpr &expr, const Type *hint) {
  if (expr.op() == BinaryOp::And || expr.op() == BinaryOp::Or)
    return evalShortCircuit(expr);
  if (isComparison(expr.op()))
    hint = nullptr;
  // A block has the type of its values, a shift count a type of its own.
  auto operandHint = [&](const Expr &operand) {
    return llvm::isa<BlockExpr>(operand.ignoreParens()) ? nullptr : hint;
  };
  bool isShift = expr.op() == BinaryOp::Shl || expr.op() == BinaryOp::Shr;
  Value left = eval(*expr.left(), operandHint(*expr.left()));
  Value right =
      eval(*expr.right(), isShift ? nullptr : operandHint(*expr.right()));
  if (this->left || !left || !right)
    return Value();
  return binary(expr.op(), left, right, expr.span(), hint);
}

Value Evaluator::binary(BinaryOp op, Value left, Value right, Span span,
                        const Type *hint) {
  if (!left || !right)
    return Value();
  if (isComparison(op))
    return compareValues(op, left, right, span);
  const Type *a = left.type(), *b = right.type();
  auto refuse = [&](const Type *type) {
    return error(span, "operator '" + spelling(op) + "' is not for type '" +
                           type->str() + "'");
  };
  bool onlyIntegers = op == BinaryOp::Rem || op == BinaryOp::Shl ||
                      op == BinaryOp::Shr || op == BinaryOp::BitAnd ||
                      op == BinaryOp::BitOr || op == BinaryOp::BitXor;
  for (const Type *type : {a, b})
    if (onlyIntegers ? !type->isInteger() : !type->isNumber())
      return refuse(type);
  const Type *type = a;
  if (op == BinaryOp::Shl || op == BinaryOp::Shr) {
    if (b->is(TypeKind::Int) && b->isSigned)
      return error(span,
                   "a shift count is unsigned, found type '" + b->str() + "'");
    if (b->is(TypeKind::ComptimeInt) && right.isKnown() &&
        right.integer().isNegative())
      return error(span, "the shift count is negative");
    if (a->is(TypeKind::ComptimeInt) && !right.isComptime()) {
      if (!hint || !hint->is(TypeKind::Int))
        return error(span, "a comptime_int is shifted by a comptime-known "
                           "count; give it a type with @as");
      left = coerce(left, hint, span);
      type = hint;
    }
  } else {
    type = peer(left, right);
    if (!type) {
      // A literal takes the type of the other side, or shows why it cannot.
      bool literalLeft =
          a->is(TypeKind::ComptimeInt) || a->is(TypeKind::ComptimeFloat);
      if (literalLeft)
        coerce(left, b, span);
      else
        coerce(right, a, span);
      if (literalLeft ? bool(tryCoerce(left, b, nullptr))
                      : bool(tryCoerce(right, a, nullptr)))
        error(span,
              "expected type '" + a->str() + "', got: '" + b->str() + "'");
      return Value();
    }
    left = coerce(left, type, span);
    right = coerce(right, type, span);
  }
  if (!left || !right)
    return Value();
  if (left.isComptime() && right.isComptime()) {
    if (left.isSymbolic() || right.isSymbolic()) {
      SymbolicValue symbolic;
      symbolic.kind = SymbolicValue::Kind::Binary;
      symbolic.op = op;
      symbolic.operands = {left, right};
      Value result = makeSymbolic(std::move(symbolic), type);
      // Where it would overflow at a PE, that PE gets the error.
      if (type->is(TypeKind::ComptimeInt) || fitsEverywhere(result, type) ||
          (type->is(TypeKind::Float) && op != BinaryOp::Div))
        return result;
    }
    left = concretize(left);
    right = concretize(right);
    if (inTypeOf && (!left.isKnown() || !right.isKnown() ||
                     (!left.isInteger() && !left.isFloat()) ||
                     (!right.isInteger() && !right.isFloat())))
      return Value(type);
    std::string why;
    Value result = foldBinary(op, left, right, &why);
    return result ? result : error(span, why);
  }
  return emitBinary(op, left, right, span);
}

Value Evaluator::compareValues(BinaryOp op, Value left, Value right,
                               Span span) {
  bool isOrder = op != BinaryOp::Eq && op != BinaryOp::Ne;
  for (const Type *type : {left.type(), right.type()})
    if (!isComparable(type, isOrder))
      return error(span, "invalid comparison operation for type: '" +
                             type->str() + "'" +
                             (type->isPointer() || type->isFunctionPointer()
                                  ? ": compare their @bitcast(u16, ...)"
                                  : ""));
  const Type *type = peer(left, right);
  // Either side may be a known value that fits the other one's type.
  if (!type && left.isComptime() && tryCoerce(left, right.type(), nullptr))
    type = right.type();
  if (!type) {
    std::string why;
    if (!tryCoerce(right, left.type(), &why)) {
      Diagnostic &diagnostic =
          report(span, "expected type '" + left.type()->str() + "', got: '" +
                           right.type()->str() + "'" +
                           (why.empty() ? castToWrite(right.type(), left.type())
                                        : std::string()));
      if (!why.empty())
        note(diagnostic, span, why);
      return Value();
    }
    type = left.type();
  }
  left = coerce(left, type, span);
  right = coerce(right, type, span);
  if (!left || !right)
    return Value();
  if (left.isComptime() && right.isComptime()) {
    if ((left.isSymbolic() || right.isSymbolic())) {
      SymbolicValue symbolic;
      symbolic.kind = SymbolicValue::Kind::Binary;
      symbolic.op = op;
      symbolic.operands = {left, right};
      return makeSymbolic(std::move(symbolic), types.boolType());
    }
    if (inTypeOf && !left.isInteger() && !left.isFloat() && !left.isString() &&
        !left.isType())
      return Value(types.boolType());
    std::string why;
    Value result = foldBinary(op, left, right, &why);
    return result ? result : error(span, why);
  }
  return emitBinary(op, left, right, span);
}

Value Evaluator::emitBinary(BinaryOp op, const Value &left, const Value &right,
                            Span span) {
  const Type *type = left.type();
  // A count that is a literal has the type of what it shifts.
  bool isShift = op == BinaryOp::Shl || op == BinaryOp::Shr;
  mlir::Value a = materialize(left, span);
  mlir::Value b = isShift && right.type()->is(TypeKind::ComptimeInt)
                      ? materializeAs(right, type, span)
                      : materialize(right, span);
  if (!a || !b)
    return Value();
  mlir::Location at = loc(span);
  if (isShift && !right.type()->is(TypeKind::ComptimeInt)) {
    // A count that the width of what is shifted cannot hold shifts all out.
    if (right.type()->bits() > type->width) {
      unsigned width = type->width;
      b = arith::MinUIOp::create(builder, at, b,
                                 constantInt(b.getType(), width, at));
    }
    b = convertNumber(b, right.type(), types.integer(type->width, false), at);
    if (!b)
      return Value();
  }
  bool isCompare = isComparison(op);
  const Type *resultType = isCompare ? types.boolType() : type;
  if (type->isId() || type->isRegister() || type->is(TypeKind::Enum) ||
      type->is(TypeKind::Direction)) {
    mlir::Value same = csl::SameOp::create(builder, at, a, b);
    if (op == BinaryOp::Ne)
      same = arith::XOrIOp::create(builder, at, same,
                                   constantInt(same.getType(), 1, at));
    return makeRuntime(resultType, same);
  }
  if (type->is(TypeKind::Float)) {
    bool isCB16 = type->format == FloatFormat::CB16;
    if (isCB16) {
      a = convertNumber(a, type, types.f32(), at);
      b = convertNumber(b, type, types.f32(), at);
    }
    mlir::Value result;
    switch (op) {
    case BinaryOp::Add:
      result = arith::AddFOp::create(builder, at, a, b);
      break;
    case BinaryOp::Sub:
      result = arith::SubFOp::create(builder, at, a, b);
      break;
    case BinaryOp::Mul:
      result = arith::MulFOp::create(builder, at, a, b);
      break;
    case BinaryOp::Div:
      result = arith::DivFOp::create(builder, at, a, b);
      break;
    default: {
      using P = arith::CmpFPredicate;
      P predicate = op == BinaryOp::Eq   ? P::OEQ
                    : op == BinaryOp::Ne ? P::UNE
                    : op == BinaryOp::Lt ? P::OLT
                    : op == BinaryOp::Le ? P::OLE
                    : op == BinaryOp::Gt ? P::OGT
                                         : P::OGE;
      return makeRuntime(resultType,
                         arith::CmpFOp::create(builder, at, predicate, a, b));
    }
    }
    if (isCB16)
      result = convertNumber(result, types.f32(), type, at);
    return makeRuntime(type, result);
  }
  bool isSigned = type->is(TypeKind::Int) && type->isSigned;
  mlir::Value result;
  switch (op) {
  case BinaryOp::Add:
    result = arith::AddIOp::create(builder, at, a, b);
    break;
  case BinaryOp::Sub:
    result = arith::SubIOp::create(builder, at, a, b);
    break;
  case BinaryOp::Mul:
    result = arith::MulIOp::create(builder, at, a, b);
    break;
  case BinaryOp::Div:
    result = isSigned ? arith::DivSIOp::create(builder, at, a, b).getResult()
                      : arith::DivUIOp::create(builder, at, a, b).getResult();
    break;
  case BinaryOp::Rem:
    result = isSigned ? arith::RemSIOp::create(builder, at, a, b).getResult()
                      : arith::RemUIOp::create(builder, at, a, b).getResult();
    break;
  case BinaryOp::Shl:
    result = arith::ShLIOp::create(builder, at, a, b);
    break;
  case BinaryOp::Shr:
    result = isSigned ? arith::ShRSIOp::create(builder, at, a, b).getResult()
                      : arith::ShRUIOp::create(builder, at, a, b).getResult();
    break;
  case BinaryOp::BitAnd:
    result = arith::AndIOp::create(builder, at, a, b);
    break;
  case BinaryOp::BitOr:
    result = arith::OrIOp::create(builder, at, a, b);
    break;
  case BinaryOp::BitXor:
    result = arith::XOrIOp::create(builder, at, a, b);
    break;
  default: {
    using P = arith::CmpIPredicate;
    P predicate = op == BinaryOp::Eq   ? P::eq
                  : op == BinaryOp::Ne ? P::ne
                  : op == BinaryOp::Lt ? (isSigned ? P::slt : P::ult)
                  : op == BinaryOp::Le ? (isSigned ? P::sle : P::ule)
                  : op == BinaryOp::Gt ? (isSigned ? P::sgt : P::ugt)
                                       : (isSigned ? P::sge : P::uge);
    result = arith::CmpIOp::create(builder, at, predicate, a, b);
  }
  }
  return makeRuntime(resultType, result);
}

Value Evaluator::evalShortCircuit(const BinaryExpr &expr) {
  bool isAnd = expr.op() == BinaryOp::And;
  auto check = [&](Value value, const Expr &part) -> Value {
    if (!value || value.type()->is(TypeKind::NoReturn))
      return Value();
    if (value.type()->is(TypeKind::Bool))
      return value;
    return error(part.span(), "'" + spelling(expr.op()) +
                                  "' is of bool, found type '" +
                                  value.type()->str() + "'");
  };
  Value first = check(eval(*expr.left()), *expr.left());
  if (!first)
    return Value();
  if (first.isComptime()) {
    first = concretize(first);
    // The other side is not looked at where it does not matter (CMP-018).
    if (inTypeOf && !first.isInteger())
      return Value(types.boolType());
    if (first.truth() != isAnd)
      return first;
    return check(eval(*expr.right()), *expr.right());
  }
  // What is a value already needs no branch.
  if (const auto *name =
          llvm::dyn_cast<NameExpr>(expr.right()->ignoreParens())) {
    const Local *found = nullptr;
    for (const Local &local : frame->locals)
      if (local.name == name->name())
        found = &local;
    if (found && found->kind != Local::Kind::Memory && found->value &&
        found->value.isRuntime() && found->value.type()->is(TypeKind::Bool)) {
      Value second = eval(*expr.right());
      mlir::Location at = loc(expr.span());
      mlir::Value left = first.runtime(), right = second.runtime();
      return makeRuntime(
          types.boolType(),
          isAnd ? arith::AndIOp::create(builder, at, left, right).getResult()
                : arith::OrIOp::create(builder, at, left, right).getResult());
    }
  }
  auto other = [&] { return check(eval(*expr.right()), *expr.right()); };
  llvm::function_ref<Value()> yes = other, no = other;
  (isAnd ? no : yes) = nullptr;
  return emitBranch(first.runtime(), expr.span(), types.boolType(),
                    /*isVoid=*/false, yes, no, makeBool(!isAnd));
}

//===----------------------------------------------------------------------===//
// Unary operators
//===----------------------------------------------------------------------===//

Value Evaluator::evalUnary(const UnaryExpr &expr, const Type *hint) {
  if (expr.op() == UnaryOp::AddressOf)
    return addressOf(evalPlace(*expr.operand(), /*forWrite=*/false),
                     expr.span());
  return unary(expr.op(), eval(*expr.operand(), hint), expr.span());
}

Value Evaluator::unary(UnaryOp op, Value operand, Span span) {
  if (!operand)
    return Value();
  const Type *type = operand.type();
  auto refuse = [&] {
    return error(span, "operator '" + spelling(op) + "' is not for type '" +
                           type->str() + "'");
  };
  mlir::Location at = loc(span);
  switch (op) {
  case UnaryOp::Neg: {
    if (!type->isNumber() || (type->is(TypeKind::Int) && !type->isSigned))
      return refuse();
    if (type->isInteger() && operand.isSymbolic())
      return binary(BinaryOp::Sub, Value(type, Integer(0)), operand, span);
    operand = concretize(operand);
    if (operand.isFloat())
      return Value(type, -operand.number());
    if (operand.isInteger()) {
      std::string why;
      Value result = wrap(type, sub(Integer(0), operand.integer()), &why);
      return result ? result : error(span, why);
    }
    if (!operand.isRuntime())
      return Value(type);
    if (type->isInteger())
      return emitBinary(BinaryOp::Sub, Value(type, Integer(0)), operand, span);
    mlir::Value number = operand.runtime();
    bool isCB16 = type->format == FloatFormat::CB16;
    if (isCB16)
      number = convertNumber(number, type, types.f32(), at);
    number = arith::NegFOp::create(builder, at, number);
    if (isCB16)
      number = convertNumber(number, types.f32(), type, at);
    return makeRuntime(type, number);
  }
  case UnaryOp::Not:
    if (!type->is(TypeKind::Bool))
      return refuse();
    if (operand.isSymbolic())
      return compareValues(BinaryOp::Eq, operand, makeBool(false), span);
    if (operand.isInteger())
      return makeBool(!operand.truth());
    if (!operand.isRuntime())
      return Value(type);
    return makeRuntime(type,
                       arith::XOrIOp::create(builder, at, operand.runtime(),
                                             constantBool(true, span)));
  case UnaryOp::BitNot:
    if (!type->is(TypeKind::Int))
      return refuse();
    operand = concretize(operand);
    if (operand.isInteger())
      return Value(type,
                   Integer::fromBits(~operand.integer().truncated(type->width),
                                     type->isSigned));
    if (!operand.isRuntime())
      return Value(type);
    return makeRuntime(type,
                       arith::XOrIOp::create(
                           builder, at, operand.runtime(),
                           constantInt(operand.runtime().getType(), -1, at)));
  case UnaryOp::AddressOf:
    break;
  }
  return Value();
}
