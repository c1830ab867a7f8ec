//===- EmitArith.cpp - Bytecode of arith and math -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionEmitter.h"
#include "ValueLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;
using wafer::FloatFunction;
using wafer::Opcode;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The instruction of an operation with two operands and one result.
static std::optional<Opcode> getBinary(Operation &op) {
  return llvm::TypeSwitch<Operation *, std::optional<Opcode>>(&op)
      .Case<arith::AddIOp>([](auto) { return Opcode::Add; })
      .Case<arith::SubIOp>([](auto) { return Opcode::Sub; })
      .Case<arith::MulIOp>([](auto) { return Opcode::Mul; })
      .Case<arith::DivSIOp>([](auto) { return Opcode::DivS; })
      .Case<arith::DivUIOp>([](auto) { return Opcode::DivU; })
      .Case<arith::RemSIOp>([](auto) { return Opcode::RemS; })
      .Case<arith::RemUIOp>([](auto) { return Opcode::RemU; })
      .Case<arith::AndIOp>([](auto) { return Opcode::And; })
      .Case<arith::OrIOp>([](auto) { return Opcode::Or; })
      .Case<arith::XOrIOp>([](auto) { return Opcode::Xor; })
      .Case<arith::ShLIOp>([](auto) { return Opcode::ShiftLeft; })
      .Case<arith::ShRSIOp>([](auto) { return Opcode::ShiftRightS; })
      .Case<arith::ShRUIOp>([](auto) { return Opcode::ShiftRightU; })
      .Case<arith::MinSIOp>([](auto) { return Opcode::MinS; })
      .Case<arith::MaxSIOp>([](auto) { return Opcode::MaxS; })
      .Case<arith::MinUIOp>([](auto) { return Opcode::MinU; })
      .Case<arith::MaxUIOp>([](auto) { return Opcode::MaxU; })
      .Case<arith::AddFOp>([](auto) { return Opcode::FloatAdd; })
      .Case<arith::SubFOp>([](auto) { return Opcode::FloatSub; })
      .Case<arith::MulFOp>([](auto) { return Opcode::FloatMul; })
      .Case<arith::DivFOp>([](auto) { return Opcode::FloatDiv; })
      .Case<arith::RemFOp>([](auto) { return Opcode::FloatRem; })
      .Case<arith::MinNumFOp>([](auto) { return Opcode::FloatMinNum; })
      .Case<arith::MaxNumFOp>([](auto) { return Opcode::FloatMaxNum; })
      .Case<arith::MinimumFOp>([](auto) { return Opcode::FloatMinimum; })
      .Case<arith::MaximumFOp>([](auto) { return Opcode::FloatMaximum; })
      .Case<math::CopySignOp>([](auto) { return Opcode::FloatCopySign; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Of an operation with one operand of the type of its result.
static std::optional<Opcode> getUnary(Operation &op) {
  return llvm::TypeSwitch<Operation *, std::optional<Opcode>>(&op)
      .Case<arith::NegFOp>([](auto) { return Opcode::FloatNeg; })
      .Case<math::AbsFOp>([](auto) { return Opcode::FloatAbs; })
      .Case<math::CountLeadingZerosOp>(
          [](auto) { return Opcode::LeadingZeros; })
      .Case<math::CountTrailingZerosOp>(
          [](auto) { return Opcode::TrailingZeros; })
      .Case<math::CtPopOp>([](auto) { return Opcode::PopCount; })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<FloatFunction> getFunction(Operation &op) {
  return llvm::TypeSwitch<Operation *, std::optional<FloatFunction>>(&op)
      .Case<math::SqrtOp>([](auto) { return FloatFunction::Sqrt; })
      .Case<math::RsqrtOp>([](auto) { return FloatFunction::Rsqrt; })
      .Case<math::ExpOp>([](auto) { return FloatFunction::Exp; })
      .Case<math::Exp2Op>([](auto) { return FloatFunction::Exp2; })
      .Case<math::ExpM1Op>([](auto) { return FloatFunction::ExpM1; })
      .Case<math::LogOp>([](auto) { return FloatFunction::Log; })
      .Case<math::Log2Op>([](auto) { return FloatFunction::Log2; })
      .Case<math::Log10Op>([](auto) { return FloatFunction::Log10; })
      .Case<math::Log1pOp>([](auto) { return FloatFunction::Log1P; })
      .Case<math::SinOp>([](auto) { return FloatFunction::Sin; })
      .Case<math::CosOp>([](auto) { return FloatFunction::Cos; })
      .Case<math::TanOp>([](auto) { return FloatFunction::Tan; })
      .Case<math::TanhOp>([](auto) { return FloatFunction::Tanh; })
      .Case<math::ErfOp>([](auto) { return FloatFunction::Erf; })
      .Case<math::AtanOp>([](auto) { return FloatFunction::Atan; })
      .Case<math::Atan2Op>([](auto) { return FloatFunction::Atan2; })
      .Case<math::PowFOp>([](auto) { return FloatFunction::Pow; })
      .Case<math::FloorOp>([](auto) { return FloatFunction::Floor; })
      .Case<math::CeilOp>([](auto) { return FloatFunction::Ceil; })
      .Case<math::TruncOp>([](auto) { return FloatFunction::Trunc; })
      .Case<math::RoundOp>([](auto) { return FloatFunction::Round; })
      .Case<math::RoundEvenOp>([](auto) { return FloatFunction::RoundEven; })
      .Default([](Operation *) { return std::nullopt; });
}

namespace {
/// An integer comparison; `swap` exchanges the sides.
struct Comparison {
  Opcode opcode;
  bool swap;
};
} // namespace

static Comparison getComparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return {Opcode::Equal, false};
  case arith::CmpIPredicate::ne:
    return {Opcode::NotEqual, false};
  case arith::CmpIPredicate::slt:
    return {Opcode::LessS, false};
  case arith::CmpIPredicate::sle:
    return {Opcode::LessEqualS, false};
  case arith::CmpIPredicate::sgt:
    return {Opcode::LessS, true};
  case arith::CmpIPredicate::sge:
    return {Opcode::LessEqualS, true};
  case arith::CmpIPredicate::ult:
    return {Opcode::LessU, false};
  case arith::CmpIPredicate::ule:
    return {Opcode::LessEqualU, false};
  case arith::CmpIPredicate::ugt:
    return {Opcode::LessU, true};
  case arith::CmpIPredicate::uge:
    return {Opcode::LessEqualU, true};
  }
  llvm_unreachable("unknown predicate");
}

/// Relations as FloatCompare has them.
static uint32_t getRelations(arith::CmpFPredicate predicate) {
  enum : uint32_t { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return 0;
  case arith::CmpFPredicate::OEQ:
    return Equal;
  case arith::CmpFPredicate::OGT:
    return Greater;
  case arith::CmpFPredicate::OGE:
    return Greater | Equal;
  case arith::CmpFPredicate::OLT:
    return Less;
  case arith::CmpFPredicate::OLE:
    return Less | Equal;
  case arith::CmpFPredicate::ONE:
    return Less | Greater;
  case arith::CmpFPredicate::ORD:
    return Less | Equal | Greater;
  case arith::CmpFPredicate::UEQ:
    return Unordered | Equal;
  case arith::CmpFPredicate::UGT:
    return Unordered | Greater;
  case arith::CmpFPredicate::UGE:
    return Unordered | Greater | Equal;
  case arith::CmpFPredicate::ULT:
    return Unordered | Less;
  case arith::CmpFPredicate::ULE:
    return Unordered | Less | Equal;
  case arith::CmpFPredicate::UNE:
    return Unordered | Less | Greater;
  case arith::CmpFPredicate::UNO:
    return Unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return Unordered | Less | Equal | Greater;
  }
  llvm_unreachable("unknown predicate");
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

FunctionEmitter::Emitted FunctionEmitter::emitArith(Operation &op) {
  if (!isa<arith::ArithDialect>(op.getDialect()))
    return std::nullopt;
  auto width = [](Value value) { return getRegisterBits(value.getType()); };
  if (auto literal = dyn_cast<arith::ConstantOp>(op)) {
    std::optional<uint64_t> bits =
        getBits(literal.getValue(), literal.getType());
    if (!bits)
      return LogicalResult(op.emitOpError()
                           << "is a constant of type " << literal.getType()
                           << ", which a PE does not hold");
    setNumber(literal, *bits);
    return success();
  }
  if (std::optional<Opcode> opcode = getBinary(op)) {
    emitInteger(*opcode, op.getResult(0), op.getOperand(0), op.getOperand(1));
    return success();
  }
  if (std::optional<Opcode> opcode = getUnary(op)) {
    emit(*opcode, of(op.getResult(0)), of(op.getOperand(0)), kNone, 0,
         width(op.getOperand(0)));
    return success();
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    auto [opcode, swap] = getComparison(compare.getPredicate());
    Value left = compare.getLhs(), right = compare.getRhs();
    emitInteger(opcode, compare, swap ? right : left, swap ? left : right);
    return success();
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    emit(Opcode::FloatCompare, of(compare), of(compare.getLhs()),
         of(compare.getRhs()), getRelations(compare.getPredicate()),
         width(compare.getLhs()));
    return success();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    emit(Opcode::Select, of(select), of(select.getCondition()),
         of(select.getTrueValue()), of(select.getFalseValue()));
    return success();
  }
  if (auto sum = dyn_cast<arith::AddUIExtendedOp>(op)) {
    unsigned bits = width(sum.getLhs());
    emit(Opcode::Add, of(sum.getSum()), of(sum.getLhs()), of(sum.getRhs()), 0,
         bits);
    // It wrapped around iff it is less than a side.
    emit(Opcode::LessU, of(sum.getOverflow()), of(sum.getSum()),
         of(sum.getLhs()), 0, bits);
    return success();
  }
  if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op)) {
    emitInteger(Opcode::Mul, op.getResult(0), op.getOperand(0),
                op.getOperand(1));
    emitInteger(isa<arith::MulSIExtendedOp>(op) ? Opcode::MulHighS
                                                : Opcode::MulHighU,
                op.getResult(1), op.getOperand(0), op.getOperand(1));
    return success();
  }
  if (op.getNumOperands() != 1 || op.getNumResults() != 1)
    return std::nullopt;
  // Conversions.
  Value from = op.getOperand(0), to = op.getResult(0);
  unsigned fromBits = width(from), toBits = width(to);
  auto convert = [&](Opcode opcode, unsigned bits, uint32_t immediate) {
    emit(opcode, of(to), of(from), kNone, immediate, bits);
    return success();
  };
  if (isa<arith::ExtUIOp, arith::BitcastOp>(op) ||
      (isa<arith::IndexCastUIOp>(op) && toBits >= fromBits) ||
      (isa<arith::IndexCastOp>(op) && toBits == fromBits)) {
    rename(to, from);
    return success();
  }
  if (isa<arith::ExtSIOp>(op) ||
      (isa<arith::IndexCastOp>(op) && toBits > fromBits))
    return convert(Opcode::SignExtend, fromBits, toBits);
  if (isa<arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return convert(Opcode::Truncate, fromBits, toBits);
  if (isa<arith::SIToFPOp>(op))
    return convert(Opcode::FloatFromS, toBits, fromBits);
  if (isa<arith::UIToFPOp>(op))
    return convert(Opcode::FloatFromU, toBits, fromBits);
  if (isa<arith::FPToSIOp>(op))
    return convert(Opcode::FloatToS, fromBits, toBits);
  if (isa<arith::FPToUIOp>(op))
    return convert(Opcode::FloatToU, fromBits, toBits);
  if (isa<arith::ExtFOp>(op))
    return convert(Opcode::FloatExtend, 0, 0);
  if (isa<arith::TruncFOp>(op))
    return convert(Opcode::FloatTruncate, 0, 0);
  return std::nullopt;
}

FunctionEmitter::Emitted FunctionEmitter::emitMath(Operation &op) {
  if (!isa<math::MathDialect>(op.getDialect()))
    return std::nullopt;
  Value result = op.getResult(0);
  unsigned width = getRegisterBits(op.getOperand(0).getType());
  if (std::optional<Opcode> opcode = getBinary(op)) {
    emitInteger(*opcode, result, op.getOperand(0), op.getOperand(1));
    return success();
  }
  if (std::optional<Opcode> opcode = getUnary(op)) {
    emit(*opcode, of(result), of(op.getOperand(0)), kNone, 0, width);
    return success();
  }
  if (std::optional<FloatFunction> function = getFunction(op)) {
    emit(Opcode::FloatFunction, of(result), of(op.getOperand(0)),
         op.getNumOperands() > 1 ? of(op.getOperand(1)) : kNone,
         static_cast<uint32_t>(*function), width);
    return success();
  }
  if (auto fma = dyn_cast<math::FmaOp>(op)) {
    emit(Opcode::FloatFma, of(result), of(fma.getA()), of(fma.getB()),
         of(fma.getC()), width);
    return success();
  }
  if (auto magnitude = dyn_cast<math::AbsIOp>(op)) {
    Register value = of(magnitude.getOperand());
    Register negative = emitFresh(Opcode::Sub, constant(0), value, 0, width);
    emit(Opcode::MaxS, of(result), value, negative, 0, width);
    return success();
  }
  return std::nullopt;
}
