//===- ReadChain.cpp - Bodies of elementwise operations -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector engine takes one stream; every step has one further operand, a
// constant or a tensor in the VRF. A body is therefore read from its result
// backwards: at each operation one side continues the chain, the other must be
// a constant or an element of a tensor.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

Type linalg_to_tcp::computeTypeOf(Type type) {
  Builder builder(type.getContext());
  return isa<FloatType>(type) ? Type(builder.getF32Type())
                              : Type(builder.getI32Type());
}

namespace {

/// A constant in the type that the vector engine computes in.
TypedAttr toComputeType(Attribute attr) {
  Builder builder(attr.getContext());
  if (auto value = dyn_cast<FloatAttr>(attr))
    return builder.getF32FloatAttr(
        static_cast<float>(value.getValueAsDouble()));
  if (auto value = dyn_cast<IntegerAttr>(attr))
    return builder.getI32IntegerAttr(
        static_cast<int32_t>(value.getValue().sextOrTrunc(32).getSExtValue()));
  return {};
}

/// A constant with its bits read as the other type.
TypedAttr reinterpret(TypedAttr attr) {
  Builder builder(attr.getContext());
  if (auto value = dyn_cast<FloatAttr>(attr))
    return builder.getI32IntegerAttr(
        static_cast<int32_t>(value.getValue().bitcastToAPInt().getSExtValue()));
  return builder.getFloatAttr(
      builder.getF32Type(),
      APFloat(APFloat::IEEEsingle(), cast<IntegerAttr>(attr).getValue()));
}

class ChainReader {
public:
  ChainReader(const TcpMachine &machine, const Constants &constants,
              linalg::LinalgOp op, function_ref<Access(OpOperand &)> operandOf)
      : machine(machine), constants(constants), op(op), operandOf(operandOf) {}

  FailureOr<Chain> read();

private:
  /// The tensor operand whose element `value` is: as it is, widened, or the
  /// bits of that.
  OpOperand *getElement(Value value);
  TypedAttr getConstant(Value value);
  bool isSame(Value a, Value b);
  FailureOr<Value> chooseStream(Operation *body);
  LogicalResult setOperand(Operation *body, Value value, TypedAttr &constant,
                           Access &tensor);
  LogicalResult readArithmetic(Operation *body, ArithmeticOp arithmetic,
                               Value &next);
  LogicalResult readMultiplyAdd(math::FmaOp body, Value &next);
  LogicalResult readNarrow(Operation *body);
  /// Reads what computes `value`; `next` is what the chain continues with.
  LogicalResult readStep(Operation *body, Value &next);
  InFlightDiagnostic refuse(Operation *body);
  Step &addStep(Step::Kind kind, Type type) {
    Step &step = chain.steps.emplace_back();
    step.kind = kind;
    step.type = type;
    step.loc = op.getLoc();
    return step;
  }

  const TcpMachine &machine;
  const Constants &constants;
  linalg::LinalgOp op;
  function_ref<Access(OpOperand &)> operandOf;
  Chain chain;
};

} // namespace

InFlightDiagnostic ChainReader::refuse(Operation *body) {
  return op.emitOpError() << "body computes '" << body->getName() << "'";
}

/// What `value` widens; itself if it does not.
static Value widened(Value value) {
  Operation *widen = value.getDefiningOp();
  return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(widen)
             ? widen->getOperand(0)
             : value;
}

OpOperand *ChainReader::getElement(Value value) {
  if (auto bits = value.getDefiningOp<arith::BitcastOp>())
    value = bits.getIn();
  auto argument = dyn_cast<BlockArgument>(widened(value));
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  return isa<RankedTensorType>(operand->get().getType()) ? operand : nullptr;
}

TypedAttr ChainReader::getConstant(Value value) {
  if (auto bits = value.getDefiningOp<arith::BitcastOp>()) {
    TypedAttr constant = getConstant(bits.getIn());
    return constant ? reinterpret(constant) : constant;
  }
  value = widened(value);
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBlock()) {
    value = op.getMatchingOpOperand(argument)->get();
    if (TypedAttr constant = constants.lookup(value))
      return toComputeType(constant);
    if (isa<ShapedType>(value.getType()))
      return {};
  }
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return {};
  return toComputeType(attr);
}

/// Whether two values are one, or one element.
bool ChainReader::isSame(Value a, Value b) {
  if (a == b)
    return true;
  OpOperand *x = getElement(a), *y = getElement(b);
  return x && y && x->get() == y->get() && a.getType() == b.getType() &&
         op.getMatchingIndexingMap(x) == op.getMatchingIndexingMap(y) &&
         bool(a.getDefiningOp<arith::BitcastOp>()) ==
             bool(b.getDefiningOp<arith::BitcastOp>());
}

/// Elements that an access reads; a large one is better streamed than stored.
static int64_t weightOf(OpOperand &operand) {
  return cast<RankedTensorType>(operand.get().getType()).getNumElements();
}

/// The operand that continues the chain: the computed one, or the largest.
FailureOr<Value> ChainReader::chooseStream(Operation *body) {
  Value computed, element, filled;
  for (Value operand : body->getOperands()) {
    OpOperand *found = getElement(operand);
    if (getConstant(operand)) {
      if (found)
        filled = operand;
    } else if (!found) {
      if (computed && computed != operand) {
        refuse(body) << " of two computed values; one of them must be a "
                        "constant or an element of an operand: split the "
                        "operation in two";
        return failure();
      }
      computed = operand;
    } else if (!element || weightOf(*found) > weightOf(*getElement(element))) {
      element = operand;
    }
  }
  for (Value value : {computed, element, filled})
    if (value)
      return value;
  refuse(body) << " of constants; run --canonicalize first";
  return failure();
}

LogicalResult ChainReader::setOperand(Operation *body, Value value,
                                      TypedAttr &constant, Access &tensor) {
  if ((constant = getConstant(value)))
    return success();
  OpOperand *element = getElement(value);
  tensor = operandOf(*element);
  Type type = getElementTypeOrSelf(element->get());
  ElementType from = *tcp::getElementKind(type);
  if (machine.canFetchCast(from, *tcp::getElementKind(computeTypeOf(type))))
    return success();
  return refuse(body) << " on an operand of " << getName(from)
                      << ", which machine \"" << machine.name
                      << "\" cannot widen to " << computeTypeOf(type);
}

LogicalResult ChainReader::readArithmetic(Operation *body,
                                          ArithmeticOp arithmetic,
                                          Value &next) {
  Type type = body->getResult(0).getType();
  if (!type.isF32() && !type.isInteger(32))
    return refuse(body) << " in " << type
                        << ", the vector engine computes in f32 and i32; run "
                           "--normalize-linalg first";
  FailureOr<Value> stream = chooseStream(body);
  if (failed(stream))
    return failure();
  next = *stream;
  Step &step = addStep(Step::Kind::Arithmetic, type);
  step.op = arithmetic;
  bool isFirst = isSame(body->getOperand(0), *stream);
  if (isFirst && isSame(body->getOperand(1), *stream)) {
    step.mode = tcp::ArgMode::Mode00;
    return success();
  }
  bool isCommutative = body->hasTrait<OpTrait::IsCommutative>();
  if (!isFirst && !isCommutative)
    step.mode = tcp::ArgMode::Mode10;
  if (failed(setOperand(body, body->getOperand(isFirst ? 1 : 0), step.constant,
                        step.operand)))
    return failure();
  bool isShift = arithmetic == ArithmeticOp::ShiftLeft ||
                 arithmetic == ArithmeticOp::ShiftRightSigned ||
                 arithmetic == ArithmeticOp::ShiftRightUnsigned;
  auto count = dyn_cast_or_null<IntegerAttr>(step.constant);
  if (isShift && isFirst && count &&
      (count.getInt() < 0 || count.getInt() > 31))
    return refuse(body) << " by " << count.getInt()
                        << ", the shift count must be 0 to 31";
  return success();
}

LogicalResult ChainReader::readMultiplyAdd(math::FmaOp body, Value &next) {
  if (!body.getType().isF32())
    return refuse(body) << " in " << body.getType()
                        << ", the vector engine computes in f32";
  FailureOr<Value> stream = chooseStream(body);
  if (failed(stream))
    return failure();
  next = *stream;
  Step &step = addStep(Step::Kind::MultiplyAdd, body.getType());
  Value factor = body.getA(), other = body.getB(), summand = body.getC();
  if (isSame(other, *stream))
    std::swap(factor, other);
  auto setFirst = [&](Value value) {
    return setOperand(body, value, step.constant, step.operand);
  };
  auto setSecond = [&](Value value) {
    return setOperand(body, value, step.secondConstant, step.second);
  };
  bool adds = isSame(summand, *stream);
  if (!isSame(factor, *stream)) {
    step.mode = tcp::ArgMode::Mode120;
    return success(succeeded(setFirst(factor)) && succeeded(setSecond(other)));
  }
  if (isSame(other, *stream)) {
    step.mode = tcp::ArgMode::Mode002;
    return adds ? success() : setSecond(summand);
  }
  if (adds) {
    step.mode = tcp::ArgMode::Mode020;
    return setSecond(other);
  }
  step.mode = tcp::ArgMode::Mode012;
  return success(succeeded(setFirst(other)) && succeeded(setSecond(summand)));
}

/// The cast engine may saturate integers where arith.trunci drops bits. Both
/// are the same here: the normal form truncates only values that fit.
LogicalResult ChainReader::readNarrow(Operation *body) {
  Type type = body->getResult(0).getType();
  std::optional<ElementType> to = tcp::getElementKind(type);
  if (!to || !machine.canCast(*tcp::getElementKind(computeTypeOf(type)), *to))
    return refuse(body) << " to " << type << ", which the cast engine of \""
                        << machine.name << "\" cannot produce";
  addStep(Step::Kind::Narrow, type);
  return success();
}

static std::optional<tcp::FpUnaryOp> getFunction(Operation *body) {
  using Function = tcp::FpUnaryOp;
  return llvm::TypeSwitch<Operation *, std::optional<Function>>(body)
      .Case<math::ExpOp>([](auto) { return Function::Exp; })
      .Case<math::SqrtOp>([](auto) { return Function::Sqrt; })
      .Case<math::TanhOp>([](auto) { return Function::Tanh; })
      .Case<math::ErfOp>([](auto) { return Function::Erf; })
      .Case<math::LogOp>([](auto) { return Function::Log; })
      .Case<math::SinOp>([](auto) { return Function::Sin; })
      .Case<math::CosOp>([](auto) { return Function::Cos; })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<ArithmeticOp> getArithmetic(Operation *body) {
  using Kind = ArithmeticOp;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(body)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Kind::Add; })
      .Case<arith::SubFOp, arith::SubIOp>([](auto) { return Kind::Sub; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Kind::Mul; })
      .Case<arith::DivFOp>([](auto) { return Kind::Div; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
          [](auto) { return Kind::Max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
          [](auto) { return Kind::Min; })
      .Case<arith::AndIOp>([](auto) { return Kind::And; })
      .Case<arith::OrIOp>([](auto) { return Kind::Or; })
      .Case<arith::XOrIOp>([](auto) { return Kind::Xor; })
      .Case<arith::ShLIOp>([](auto) { return Kind::ShiftLeft; })
      .Case<arith::ShRSIOp>([](auto) { return Kind::ShiftRightSigned; })
      .Case<arith::ShRUIOp>([](auto) { return Kind::ShiftRightUnsigned; })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult ChainReader::readStep(Operation *body, Value &next) {
  if (std::optional<ArithmeticOp> arithmetic = getArithmetic(body))
    return readArithmetic(body, *arithmetic, next);
  if (auto fma = dyn_cast<math::FmaOp>(body))
    return readMultiplyAdd(fma, next);
  Type type = body->getResult(0).getType();
  next = body->getNumOperands() ? body->getOperand(0) : Value();
  if (isa<arith::TruncFOp, arith::TruncIOp>(body))
    return readNarrow(body);
  if (isa<arith::BitcastOp>(body) && (type.isF32() || type.isInteger(32))) {
    addStep(Step::Kind::Reinterpret, type);
    return success();
  }
  if (isa<arith::SIToFPOp>(body) && type.isF32()) {
    addStep(Step::Kind::IntToFloat, type);
    return success();
  }
  // The rounding of the engine.
  if (isa<arith::FPToSIOp>(body) && type.isInteger(32)) {
    Operation *round = next.getDefiningOp();
    bool isRight = machine.arithmetic.fixedTiesAway
                       ? isa_and_nonnull<math::RoundOp>(round)
                       : isa_and_nonnull<math::RoundEvenOp>(round);
    if (isRight) {
      addStep(Step::Kind::FloatToInt, type);
      next = round->getOperand(0);
      return success();
    }
  }
  if (std::optional<tcp::FpUnaryOp> function = getFunction(body);
      function && type.isF32()) {
    addStep(Step::Kind::Function, type).function = *function;
    return success();
  }
  return refuse(body) << ", which is no step of the vector engine; run "
                         "--normalize-linalg first";
}

FailureOr<Chain> ChainReader::read() {
  Value value = op.getBlock()->getTerminator()->getOperand(0);
  while (true) {
    if (!value.getDefiningOp<arith::BitcastOp>())
      chain.start = getElement(value);
    if (chain.start)
      break;
    if (getConstant(value) && !getElement(value))
      return op.emitOpError() << "computes a constant; use linalg.fill";
    Operation *body = value.getDefiningOp();
    if (!body || body->getBlock() != op.getBlock())
      return op.emitOpError()
             << "uses a scalar from outside that is not a constant; pass it as "
                "a tensor";
    if (failed(readStep(body, value)))
      return failure();
  }
  std::reverse(chain.steps.begin(), chain.steps.end());

  Type from = getElementTypeOrSelf(chain.start->get());
  bool converts =
      !chain.steps.empty() || from != getElementTypeOrSelf(op->getResult(0));
  chain.computeType = converts ? computeTypeOf(from) : from;
  ElementType kind = *tcp::getElementKind(from);
  if (!machine.canFetchCast(kind, *tcp::getElementKind(chain.computeType)))
    return op.emitOpError()
           << "works on " << getName(kind) << ", which machine \""
           << machine.name << "\" cannot widen to " << chain.computeType;
  return std::move(chain);
}

FailureOr<Chain>
linalg_to_tcp::readChain(const TcpMachine &machine, const Constants &constants,
                         linalg::LinalgOp op,
                         function_ref<Access(OpOperand &)> operandOf) {
  return ChainReader(machine, constants, op, operandOf).read();
}
