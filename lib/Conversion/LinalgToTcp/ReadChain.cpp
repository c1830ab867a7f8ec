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
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

Type linalg_to_tcp::elementTypeOf(Value tensor) {
  return getElementTypeOrSelf(tensor.getType());
}

size_t linalg_to_tcp::rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

std::pair<int64_t, size_t> linalg_to_tcp::extentOf(Value tensor) {
  return {cast<RankedTensorType>(tensor.getType()).getNumElements(),
          rankOf(tensor)};
}

ElementType linalg_to_tcp::elementKindOf(Value tensor) {
  return *tcp::getElementKind(elementTypeOf(tensor));
}

Type linalg_to_tcp::computeTypeOf(Type type) {
  Builder builder(type.getContext());
  return isa<FloatType>(type) ? Type(builder.getF32Type())
                              : Type(builder.getI32Type());
}

bool linalg_to_tcp::contains(ArrayRef<AxisId> list, AxisId axis) {
  return llvm::is_contained(list, axis);
}

namespace {

/// A constant in the type that the vector engine computes in.
TypedAttr toComputeType(Attribute attr, Type elementType) {
  Builder builder(elementType.getContext());
  if (auto value = dyn_cast<FloatAttr>(attr))
    return builder.getF32FloatAttr(
        static_cast<float>(value.getValueAsDouble()));
  if (auto value = dyn_cast<IntegerAttr>(attr))
    return builder.getI32IntegerAttr(
        static_cast<int32_t>(value.getValue().sextOrTrunc(32).getSExtValue()));
  return {};
}

/// Values an i32 can take, where known: a narrowing must not lose any.
struct Range {
  int64_t low = INT32_MIN, high = INT32_MAX;
};

class ChainReader {
public:
  ChainReader(const Program &program, linalg::LinalgOp op,
              function_ref<bool(OpOperand &)> preferred)
      : program(program), op(op), preferred(preferred) {}

  FailureOr<Chain> read();

private:
  /// The tensor operand whose element `value` is, directly or widened.
  OpOperand *getElement(Value value);
  TypedAttr getConstant(Value value);
  LogicalResult readArithmetic(Operation *body, ArithmeticOp arithmetic,
                               Value &next);
  LogicalResult readNarrow(Operation *body, Type type);
  LogicalResult checkRanges(Type start);
  TensorOperand makeOperand(OpOperand &operand);
  InFlightDiagnostic refuse(Operation *body);

  const Program &program;
  linalg::LinalgOp op;
  function_ref<bool(OpOperand &)> preferred;
  Chain chain;
};

} // namespace

InFlightDiagnostic ChainReader::refuse(Operation *body) {
  return op.emitOpError() << "body computes '" << body->getName() << "'";
}

OpOperand *ChainReader::getElement(Value value) {
  if (Operation *widen = value.getDefiningOp();
      isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(widen))
    value = widen->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  return isa<RankedTensorType>(operand->get().getType()) ? operand : nullptr;
}

TypedAttr ChainReader::getConstant(Value value) {
  Type type = value.getType();
  if (Operation *widen = value.getDefiningOp();
      isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(widen))
    value = widen->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    Value source = program.canonical(operand->get());
    if (TypedAttr constant = program.constants.lookup(source))
      return toComputeType(constant, type);
    if (isa<ShapedType>(source.getType()))
      return {};
    value = source;
  }
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return {};
  return toComputeType(attr, type);
}

TensorOperand ChainReader::makeOperand(OpOperand &operand) {
  Value source = program.canonical(operand.get());
  return {source, program.dims.lookup(source)};
}

LogicalResult ChainReader::readArithmetic(Operation *body,
                                          ArithmeticOp arithmetic,
                                          Value &next) {
  Type type = body->getResult(0).getType();
  bool isFloat = isa<FloatType>(type);
  if (!tcp::getElementKind(type))
    return refuse(body) << " on " << type
                        << ", the vector engine works on f32 and i32";
  if (!isFloat && !type.isInteger(32))
    return refuse(body) << " in " << type
                        << ", the vector engine computes integers in i32: "
                           "widen the operands and narrow the result";

  Value sides[2] = {body->getOperand(0), body->getOperand(1)};
  OpOperand *elements[2];
  TypedAttr constants[2];
  for (int i : {0, 1}) {
    constants[i] = getConstant(sides[i]);
    elements[i] = constants[i] ? nullptr : getElement(sides[i]);
  }
  auto isComputed = [&](int i) { return !constants[i] && !elements[i]; };
  if (isComputed(0) && isComputed(1))
    return refuse(body) << " of two computed values; one of them must be a "
                           "constant or an element of an operand: split the "
                           "operation in two";
  if (constants[0] && constants[1])
    return refuse(body) << " of two constants; run --canonicalize first";
  int stream = 0;
  if (constants[0] || isComputed(1))
    stream = 1;
  else if (elements[0] && elements[1]) {
    // What stays in the vector register file is the smaller one.
    auto weight = [&](int i) {
      return std::pair(preferred(*elements[i]),
                       extentOf(makeOperand(*elements[i]).tensor));
    };
    if (weight(1) > weight(0))
      stream = 1;
  }
  int other = 1 - stream;

  // Narrower floats round after every step; choosing one of two values does
  // not.
  bool picks =
      arithmetic == ArithmeticOp::Max || arithmetic == ArithmeticOp::Min;
  if (isFloat && !type.isF32() && !picks) {
    Step narrow;
    narrow.kind = Step::Kind::Narrow;
    narrow.type = type;
    narrow.source = body;
    chain.steps.push_back(std::move(narrow));
  }
  Step step;
  step.op = arithmetic;
  step.swapped = stream == 1;
  step.type = computeTypeOf(type);
  step.source = op;
  if (constants[other]) {
    step.constant = constants[other];
  } else {
    step.operand = makeOperand(*elements[other]);
    ElementType from = elementKindOf(step.operand.tensor);
    if (!program.machine->canFetchCast(from, *tcp::getElementKind(step.type)))
      return refuse(body) << " on an operand of " << getName(from)
                          << ", which machine \"" << program.machine->name
                          << "\" cannot widen to " << step.type;
  }
  if (arithmetic == ArithmeticOp::ShiftLeft ||
      arithmetic == ArithmeticOp::ShiftRightSigned ||
      arithmetic == ArithmeticOp::ShiftRightUnsigned)
    if (auto count = dyn_cast_or_null<IntegerAttr>(step.constant);
        count && !step.swapped && (count.getInt() < 0 || count.getInt() > 31))
      return refuse(body) << " by " << count.getInt()
                          << ", the shift count must be 0 to 31";
  chain.steps.push_back(std::move(step));
  next = sides[stream];
  return success();
}

LogicalResult ChainReader::readNarrow(Operation *body, Type type) {
  std::optional<ElementType> to = tcp::getElementKind(type);
  Type from = computeTypeOf(type);
  if (!to || !program.machine->canCast(*tcp::getElementKind(from), *to))
    return refuse(body) << " to " << type << ", which the cast engine of \""
                        << program.machine->name << "\" cannot produce";
  if (*to == ElementType::F8E4M3)
    return refuse(body) << " to " << type
                        << ", which the cast engine saturates and arith does "
                           "not; use f8E5M2 or bf16";
  if (getBitWidth(*to) * program.machine->outputLanes <
      program.machine->commitAlignBytes * 8)
    return refuse(body) << " to " << type << ": "
                        << program.machine->outputLanes
                        << " elements are less than the "
                        << program.machine->commitAlignBytes
                        << " bytes that a commit writes; use a wider type";
  Step step;
  step.kind = Step::Kind::Narrow;
  step.type = type;
  step.source = body;
  chain.steps.push_back(std::move(step));
  return success();
}

/// The cast engine saturates where arith.trunci drops bits: they agree on
/// values that fit, which a clamp before the truncation ensures.
LogicalResult ChainReader::checkRanges(Type start) {
  Range range;
  if (auto integer = dyn_cast<IntegerType>(start);
      integer && integer.getWidth() < 32)
    range = {-(int64_t(1) << (integer.getWidth() - 1)),
             (int64_t(1) << (integer.getWidth() - 1)) - 1};
  for (const Step &step : chain.steps) {
    auto integer = dyn_cast<IntegerType>(step.type);
    if (step.kind == Step::Kind::Narrow && integer) {
      int64_t limit = int64_t(1) << (integer.getWidth() - 1);
      if (range.low < -limit || range.high >= limit)
        return refuse(step.source)
               << " to " << step.type
               << " of values that may not fit, which the cast engine "
                  "saturates; clamp them to "
               << -limit << " .. " << limit - 1
               << " with arith.maxsi and arith.minsi first";
      continue;
    }
    auto constant = dyn_cast_or_null<IntegerAttr>(step.constant);
    if (constant && step.op == ArithmeticOp::Max) {
      range.low = std::max(range.low, constant.getInt());
      range.high = std::max(range.high, constant.getInt());
    } else if (constant && step.op == ArithmeticOp::Min) {
      range.low = std::min(range.low, constant.getInt());
      range.high = std::min(range.high, constant.getInt());
    } else {
      range = Range();
    }
  }
  return success();
}

FailureOr<Chain> ChainReader::read() {
  if (op->getNumResults() != 1)
    return op.emitOpError() << "has " << op->getNumResults()
                            << " results, only one is supported: split it";
  Value value = op.getBlock()->getTerminator()->getOperand(0);
  // A value that the program widens may have been narrowed inside the body; the
  // chain is collected from the result backwards.
  while (true) {
    if (getConstant(value))
      return op.emitOpError() << "computes a constant; use linalg.fill";
    if (OpOperand *element = getElement(value)) {
      chain.startOperand = element;
      chain.start = makeOperand(*element);
      break;
    }
    Operation *body = value.getDefiningOp();
    if (!body || body->getBlock() != op.getBlock())
      return op.emitOpError()
             << "uses a scalar from outside that is not a constant; pass it as "
                "a tensor";
    using Kind = ArithmeticOp;
    std::optional<Kind> kind =
        llvm::TypeSwitch<Operation *, std::optional<Kind>>(body)
            .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Kind::Add; })
            .Case<arith::SubFOp, arith::SubIOp>([](auto) { return Kind::Sub; })
            .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Kind::Mul; })
            .Case<arith::DivFOp>([](auto) { return Kind::Div; })
            .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
                [](auto) { return Kind::Max; })
            .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
                [](auto) { return Kind::Min; })
            .Case<arith::ShLIOp>([](auto) { return Kind::ShiftLeft; })
            .Case<arith::ShRSIOp>([](auto) { return Kind::ShiftRightSigned; })
            .Case<arith::ShRUIOp>([](auto) { return Kind::ShiftRightUnsigned; })
            .Default([](Operation *) { return std::nullopt; });
    if (kind) {
      if (failed(readArithmetic(body, *kind, value)))
        return failure();
      continue;
    }
    if (isa<arith::ExtFOp, arith::ExtSIOp>(body)) {
      // Exact: the narrowing that came before is a step of its own.
    } else if (isa<arith::TruncFOp, arith::TruncIOp>(body)) {
      if (failed(readNarrow(body, body->getResult(0).getType())))
        return failure();
    } else if (auto convert = dyn_cast<arith::SIToFPOp>(body);
               convert && convert.getType().isF32()) {
      Step step;
      step.kind = Step::Kind::IntToFloat;
      step.type = convert.getType();
      step.source = body;
      chain.steps.push_back(std::move(step));
    } else if (auto negate = dyn_cast<arith::NegFOp>(body);
               negate && negate.getType().isF32()) {
      Step step;
      step.op = ArithmeticOp::Mul;
      step.type = negate.getType();
      step.constant = Builder(body).getF32FloatAttr(-1.0f);
      step.source = op;
      chain.steps.push_back(std::move(step));
    } else {
      return refuse(body)
             << ", which the vector engine does not; it adds, subtracts, "
                "multiplies, divides, shifts, takes maxima and minima, and "
                "converts i32 to f32 and to narrower types, and f32 to "
                "narrower types";
    }
    value = body->getOperand(0);
  }
  std::reverse(chain.steps.begin(), chain.steps.end());

  // What the chain starts from is widened by the fetch.
  Type startType = elementTypeOf(chain.start.tensor);
  Type first =
      chain.steps.empty() || chain.steps.front().kind == Step::Kind::Narrow
          ? computeTypeOf(startType)
      : chain.steps.front().kind == Step::Kind::IntToFloat
          ? Type(Builder(op).getI32Type())
          : chain.steps.front().type;
  ElementType from = elementKindOf(chain.start.tensor);
  bool converts =
      !chain.steps.empty() || startType != elementTypeOf(op->getResult(0));
  if (converts &&
      !program.machine->canFetchCast(from, *tcp::getElementKind(first)))
    return op.emitOpError()
           << "works on " << getName(from) << ", which machine \""
           << program.machine->name << "\" cannot widen to " << first;
  if (failed(checkRanges(startType)))
    return failure();
  return std::move(chain);
}

FailureOr<Chain>
linalg_to_tcp::readChain(const Program &program, linalg::LinalgOp op,
                         function_ref<bool(OpOperand &)> preferred) {
  return ChainReader(program, op, preferred).read();
}
