//===- ReadBody.cpp - Bodies in words of 32 bits -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadBody.h"
#include "Rewrites.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace sequin::normalize_linalg;

Type sequin::normalize_linalg::storedType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

/// Bits of an integer type; index counts as i64.
static unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

static bool isWide(Type type) { return widthOf(type) > 32; }

InFlightDiagnostic BodyReader::refuse(Operation *body) {
  return op.emitOpError() << "body computes '" << body->getName() << "'";
}

LogicalResult BodyReader::checkType(Operation *body, Type type) {
  if (isa<ShapedType>(type) || !type.isIntOrIndexOrFloat())
    return refuse(body) << " on " << type
                        << ", the vector engine works on numbers";
  if (auto type64 = dyn_cast<FloatType>(type); type64 && widthOf(type) > 32)
    return refuse(body) << " on " << type
                        << ", the vector engine computes floats in f32: "
                           "narrow the operands to f32 first";
  return success();
}

Value BodyReader::read(Value value) {
  if (Value found = known.lookup(value))
    return found;
  Value result;
  Attribute attr;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    result = readArgument(argument);
  } else if (matchPattern(value, m_Constant(&attr))) {
    result = readConstant(value, attr);
  } else {
    result = readOp(value.getDefiningOp());
  }
  if (result)
    known[value] = result;
  return result;
}

Value BodyReader::readConstant(Value value, Attribute attr) {
  ScalarBuilder &s = nest.scalars();
  if (auto number = dyn_cast<FloatAttr>(attr)) {
    APFloat f32 = number.getValue();
    bool losesInfo;
    f32.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &losesInfo);
    return s.constant(f32.convertToFloat());
  }
  auto number = cast<IntegerAttr>(attr).getValue();
  if (!number.isSignedIntN(32)) {
    op.emitOpError() << "computes with the constant " << number.getSExtValue()
                     << ", integers are i32 on the vector engine";
    return {};
  }
  return s.constant(static_cast<int32_t>(number.getSExtValue()));
}

Value BodyReader::fromElement(BlockArgument element, Type bodyType) {
  ScalarBuilder &s = nest.scalars();
  Type type = element.getType();
  if (bodyType.isInteger(1) && !type.isInteger(1)) {
    s.ranges[element] = {0, 1};
    return s.sub(s.constant(0), nest.widen(element));
  }
  if (!isa<FloatType>(type) && widthOf(type) > 32) {
    op.emitOpError() << "reads elements of " << type
                     << ", whose values are not known to fit in i32: use i32";
    return {};
  }
  if (isa<FloatType>(type) && widthOf(type) > 32) {
    op.emitOpError() << "reads elements of " << type
                     << ", the machine's widest float is f32: use f32";
    return {};
  }
  return nest.widen(element);
}

Value BodyReader::readArgument(BlockArgument argument) {
  if (argument.getOwner() != op.getBody()) {
    op.emitOpError()
        << "uses an argument of type " << argument.getType()
        << " that is no tensor: pass it as a tensor of one element";
    return {};
  }
  OpOperand *operand = op.getMatchingOpOperand(argument);
  if (!isa<RankedTensorType>(operand->get().getType()))
    return read(operand->get());
  if (Attribute splat = getSplat(operand->get());
      isa_and_nonnull<FloatAttr, IntegerAttr>(splat)) {
    if (argument.getType().isInteger(1))
      return nest.scalars().constant(isZero(splat) ? 0 : -1);
    return readConstant(argument, splat);
  }
  return fromElement(
      nest.addElement(operand->get(), op.getMatchingIndexingMap(operand)),
      argument.getType());
}

Value BodyReader::readAs(Value value, Type type) {
  Value word = read(value);
  return word ? narrow(word, value.getType(), type) : Value();
}

Value BodyReader::narrow(Value word, Type from, Type type) {
  ScalarBuilder &s = nest.scalars();
  if (type.isF32() || type.isInteger(32))
    return word;
  if (from.isInteger(1))
    return s.cast<arith::TruncIOp>(type, s.bitAnd(word, s.constant(1)));
  // An element that was widened, or a value that was rounded.
  if (Operation *widen = word.getDefiningOp();
      isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(widen) &&
      widen->getOperand(0).getType() == type)
    return widen->getOperand(0);
  return isa<FloatType>(type) ? s.cast<arith::TruncFOp>(type, word)
                              : s.cast<arith::TruncIOp>(type, word);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Value BodyReader::readOp(Operation *body) {
  if (auto index = dyn_cast<linalg::IndexOp>(body))
    return readIndex(index);
  if (auto extract = dyn_cast<tensor::ExtractOp>(body))
    return readExtract(extract);
  if (body->getNumResults() != 1) {
    refuse(body) << ", which is no single number";
    return {};
  }
  Type type = body->getResult(0).getType();
  if (failed(checkType(body, type)))
    return {};
  if (auto select = dyn_cast<arith::SelectOp>(body))
    return readSelect(select);
  // Constants are rounded to f32.
  for (Value operand : body->getOperands())
    if (!matchPattern(operand, m_Constant()) &&
        failed(checkType(body, operand.getType())))
      return {};
  if (isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncFOp,
          arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp,
          arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp,
          arith::BitcastOp>(body))
    return readCast(body);
  if (auto compare = dyn_cast<arith::CmpFOp>(body)) {
    Value x = read(compare.getLhs()), y = x ? read(compare.getRhs()) : x;
    return y ? nest.scalars().compare(compare.getPredicate(), x, y) : Value();
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(body)) {
    using P = arith::CmpIPredicate;
    P p = compare.getPredicate();
    bool isUnsigned = p == P::ult || p == P::ule || p == P::ugt || p == P::uge;
    Value x = read(compare.getLhs()), y = x ? read(compare.getRhs()) : x;
    return y ? nest.scalars().compare(p, x, y, isUnsigned) : Value();
  }
  return isa<FloatType>(type) ? readFloatOp(body)
                              : readIntOp(body, widthOf(type));
}

Value BodyReader::readFloatOp(Operation *body) {
  ScalarBuilder &s = nest.scalars();
  SmallVector<Value, 3> in;
  for (Value operand : body->getOperands()) {
    Value value = read(operand);
    if (!value)
      return {};
    in.push_back(value);
  }
  bool isPick = false; // one of the operands or its negative: nothing to round
  float inverseLn2 = 1.44269504f, ln2 = 0.693147181f, log10 = 0.434294482f;
  Value result =
      llvm::TypeSwitch<Operation *, Value>(body)
          .Case([&](arith::AddFOp) { return s.addF(in[0], in[1]); })
          .Case([&](arith::SubFOp) { return s.subF(in[0], in[1]); })
          .Case([&](arith::MulFOp) { return s.mulF(in[0], in[1]); })
          .Case([&](arith::DivFOp) { return s.divF(in[0], in[1]); })
          .Case([&](arith::NegFOp) {
            isPick = true;
            return s.negateF(in[0]);
          })
          .Case([&](math::AbsFOp) {
            isPick = true;
            return s.absF(in[0]);
          })
          .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
                arith::MinNumFOp>([&](auto) {
            isPick = true;
            return s.makeOp(body->getName().getStringRef(), s.f32(), in);
          })
          .Case([&](math::CopySignOp) {
            isPick = true;
            Value sign = s.bitAnd(s.bits(in[1]), s.constant(INT32_MIN));
            return s.number(s.bitOr(s.bits(s.absF(in[0])), sign));
          })
          .Case([&](math::FmaOp) {
            return s.makeOp(math::FmaOp::getOperationName(), s.f32(), in);
          })
          .Case<math::ExpOp, math::SqrtOp, math::TanhOp, math::ErfOp,
                math::LogOp, math::SinOp, math::CosOp>([&](auto) {
            return s.makeOp(body->getName().getStringRef(), s.f32(), in);
          })
          .Case([&](math::Exp2Op) {
            return s.make<math::ExpOp>(s.mulF(in[0], s.constant(ln2)));
          })
          .Case([&](math::Log2Op) {
            return s.mulF(s.make<math::LogOp>(in[0]), s.constant(inverseLn2));
          })
          .Case([&](math::Log10Op) {
            return s.mulF(s.make<math::LogOp>(in[0]), s.constant(log10));
          })
          .Case([&](math::ErfcOp) {
            return s.subF(s.constant(1.0f), s.make<math::ErfOp>(in[0]));
          })
          .Case([&](math::RsqrtOp) {
            return s.divF(s.constant(1.0f), s.make<math::SqrtOp>(in[0]));
          })
          .Case([&](math::Log1pOp) { return s.log1p(in[0]); })
          .Case([&](math::ExpM1Op) { return s.expm1(in[0]); })
          .Case([&](math::PowFOp) { return s.power(in[0], in[1]); })
          .Case([&](math::FPowIOp) { return s.powerOfInt(in[0], in[1]); })
          .Case([&](math::SinhOp) { return s.sinh(in[0]); })
          .Case([&](math::CoshOp) { return s.cosh(in[0]); })
          .Case([&](math::AsinhOp) { return s.asinh(in[0]); })
          .Case([&](math::AcoshOp) { return s.acosh(in[0]); })
          .Case([&](math::AtanhOp) { return s.atanh(in[0]); })
          .Case([&](math::ClampFOp) {
            isPick = true;
            return s.make<arith::MinimumFOp>(
                s.make<arith::MaximumFOp>(in[0], in[1]), in[2]);
          })
          .Case([&](math::RoundEvenOp) { return s.roundEven(in[0]); })
          .Case([&](math::TruncOp) { return s.truncate(in[0]); })
          .Case([&](math::FloorOp) { return s.floor(in[0]); })
          .Case([&](math::CeilOp) { return s.ceil(in[0]); })
          .Case([&](math::RoundOp) { return s.roundAway(in[0]); })
          .Default([](Operation *) { return Value(); });
  if (!result) {
    refuse(body) << ", which the vector engine does not and which is not made "
                    "of what it does: exp, log, sqrt, tanh, erf, sin, cos and "
                    "arithmetic";
    return {};
  }
  return isPick ? result : s.roundTo(body->getResult(0).getType(), result);
}

Value BodyReader::readIntOp(Operation *body, unsigned width) {
  ScalarBuilder &s = nest.scalars();
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(body))
    return readDivision(body, width);
  SmallVector<Value, 3> in;
  for (Value operand : body->getOperands()) {
    Value value = read(operand);
    if (!value)
      return {};
    in.push_back(value);
  }
  // What a wider type would hold must fit in i32.
  auto fits = [&](IntRange exact) {
    if (width <= 32 || exact.fits(32))
      return true;
    refuse(body) << " in " << body->getResult(0).getType()
                 << ", of values that may not fit in i32, the vector engine's "
                    "integers: use i32";
    return false;
  };
  // Of an operand with zeros above its width.
  auto zeroExtend = [&](Value value) {
    return width >= 32 || s.range(value).low >= 0
               ? value
               : s.bitAnd(value, s.constant((int32_t(1) << width) - 1));
  };
  auto flip = [&](Value value) {
    return width < 32 ? zeroExtend(value)
                      : s.bitXor(value, s.constant(INT32_MIN));
  };
  auto rangeOf = [&](unsigned i) { return s.range(in[i]); };
  return llvm::TypeSwitch<Operation *, Value>(body)
      .Case([&](arith::AddIOp) {
        return fits(rangeOf(0) + rangeOf(1))
                   ? s.wrap(s.add(in[0], in[1]), width)
                   : Value();
      })
      .Case([&](arith::SubIOp) {
        return fits(rangeOf(0) - rangeOf(1))
                   ? s.wrap(s.sub(in[0], in[1]), width)
                   : Value();
      })
      .Case([&](arith::MulIOp) {
        return fits(rangeOf(0) * rangeOf(1))
                   ? s.wrap(s.mul(in[0], in[1]), width)
                   : Value();
      })
      .Case<arith::MaxSIOp, arith::MinSIOp, arith::AndIOp, arith::OrIOp,
            arith::XOrIOp>([&](auto) {
        return s.makeOp(body->getName().getStringRef(), s.i32(), in);
      })
      .Case<arith::MaxUIOp, arith::MinUIOp>([&](auto) {
        bool isMax = isa<arith::MaxUIOp>(body);
        Value x = flip(in[0]), y = flip(in[1]);
        Value picked =
            isMax ? s.make<arith::MaxSIOp>(x, y) : s.make<arith::MinSIOp>(x, y);
        return width < 32 ? s.wrap(picked, width)
                          : s.bitXor(picked, s.constant(INT32_MIN));
      })
      .Case([&](math::AbsIOp) {
        return s.wrap(
            s.make<arith::MaxSIOp>(in[0], s.sub(s.constant(0), in[0])), width);
      })
      .Case([&](arith::ShLIOp) {
        IntRange count = rangeOf(1);
        if (width > 32 &&
            !(count.low >= 0 && count.high < 32 &&
              fits(rangeOf(0) * IntRange{1, int64_t(1) << count.high}))) {
          if (!(count.low >= 0 && count.high < 32))
            fits({INT64_MIN, INT64_MAX});
          return Value();
        }
        return s.wrap(s.make<arith::ShLIOp>(in[0], in[1]), width);
      })
      .Case(
          [&](arith::ShRSIOp) { return s.make<arith::ShRSIOp>(in[0], in[1]); })
      .Case([&](arith::ShRUIOp) {
        if (width > 32 && rangeOf(0).low < 0) {
          fits({INT64_MIN, INT64_MAX});
          return Value();
        }
        return s.wrap(s.make<arith::ShRUIOp>(zeroExtend(in[0]), in[1]), width);
      })
      .Default([&](Operation *) {
        refuse(body) << ", which the vector engine does not; integers are "
                        "added, subtracted, multiplied, shifted, compared and "
                        "combined bitwise";
        return Value();
      });
}

Value BodyReader::readDivision(Operation *body, unsigned width) {
  ScalarBuilder &s = nest.scalars();
  IntegerAttr attr;
  Value x = read(body->getOperand(0));
  if (!x)
    return {};
  if (!matchPattern(body->getOperand(1), m_Constant(&attr)) ||
      !attr.getValue().isPowerOf2() || attr.getValue().getActiveBits() > 31) {
    refuse(body) << ", the vector engine divides integers by constants that "
                    "are powers of two only: divide in f32 if that is exact "
                    "enough";
    return {};
  }
  int32_t count = attr.getValue().logBase2();
  Value low = s.constant((int32_t(1) << count) - 1);
  if (width < 32 &&
      isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(body))
    x = s.bitAnd(x, s.constant((int32_t(1) << width) - 1));
  // Rounds towards zero: negative numbers go up.
  auto biased = [&] {
    return s.range(x).low >= 0 ? x
                               : s.add(x, s.bitAnd(s.shiftRight(x, 31), low));
  };
  auto logicalShift = [&](Value value) {
    return s.make<arith::ShRUIOp>(value, s.constant(count));
  };
  return llvm::TypeSwitch<Operation *, Value>(body)
      .Case([&](arith::DivSIOp) { return s.shiftRight(biased(), count); })
      .Case([&](arith::FloorDivSIOp) { return s.shiftRight(x, count); })
      .Case([&](arith::CeilDivSIOp) {
        // Rounds up without overflow: minus the floor of minus x.
        Value floor = s.shiftRight(s.sub(s.constant(0), x), count);
        return s.sub(s.constant(0), floor);
      })
      .Case([&](arith::RemSIOp) {
        Value whole = s.bitAnd(biased(), s.bitXor(low, s.constant(-1)));
        return s.sub(x, whole);
      })
      .Case([&](arith::DivUIOp) { return s.wrap(logicalShift(x), width); })
      .Case([&](arith::RemUIOp) { return s.wrap(s.bitAnd(x, low), width); })
      .Case([&](arith::CeilDivUIOp) {
        Value less =
            s.add(logicalShift(s.sub(x, s.constant(1))), s.constant(1));
        return s.wrap(s.bitAnd(less, s.negateMask(s.equal(x, s.constant(0)))),
                      width);
      })
      .Default([](Operation *) { return Value(); });
}

/// Maxima and minima are written as a comparison and a choice of the same two.
static Value matchExtremum(ScalarBuilder &s, arith::SelectOp select, Value x,
                           Value y) {
  Operation *compare = select.getCondition().getDefiningOp();
  if (!isa_and_nonnull<arith::CmpFOp, arith::CmpIOp>(compare))
    return {};
  bool same = compare->getOperand(0) == select.getTrueValue() &&
              compare->getOperand(1) == select.getFalseValue();
  bool crossed = compare->getOperand(0) == select.getFalseValue() &&
                 compare->getOperand(1) == select.getTrueValue();
  if (!same && !crossed)
    return {};
  std::optional<bool> greater;
  if (auto cmp = dyn_cast<arith::CmpFOp>(compare)) {
    using P = arith::CmpFPredicate;
    switch (cmp.getPredicate()) {
    case P::OGT:
    case P::OGE:
    case P::UGT:
    case P::UGE:
      greater = true;
      break;
    case P::OLT:
    case P::OLE:
    case P::ULT:
    case P::ULE:
      greater = false;
      break;
    default:
      return {};
    }
    return *greater == same ? s.make<arith::MaximumFOp>(x, y)
                            : s.make<arith::MinimumFOp>(x, y);
  }
  using P = arith::CmpIPredicate;
  switch (cast<arith::CmpIOp>(compare).getPredicate()) {
  case P::sgt:
  case P::sge:
    greater = true;
    break;
  case P::slt:
  case P::sle:
    greater = false;
    break;
  default:
    return {};
  }
  return *greater == same ? s.make<arith::MaxSIOp>(x, y)
                          : s.make<arith::MinSIOp>(x, y);
}

/// i + n where i < 0, else i: the sum cannot overflow where it counts.
Value BodyReader::readFromEnd(arith::SelectOp select) {
  Value index = select.getFalseValue();
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  auto sum = select.getTrueValue().getDefiningOp<arith::AddIOp>();
  IntegerAttr count;
  if (!compare || !sum || sum.getLhs() != index || compare.getLhs() != index ||
      compare.getPredicate() != arith::CmpIPredicate::slt ||
      !matchPattern(compare.getRhs(), m_Zero()) ||
      !matchPattern(sum.getRhs(), m_Constant(&count)) ||
      !isWide(index.getType()) || count.getInt() < 0 ||
      count.getInt() > INT32_MAX)
    return {};
  ScalarBuilder &s = nest.scalars();
  Value word = read(index);
  if (!word)
    return {};
  Value wrapped = s.add(word, s.constant(static_cast<int32_t>(count.getInt())));
  return s.select(s.less(word, s.constant(0)), wrapped, word);
}

Value BodyReader::readSelect(arith::SelectOp select) {
  ScalarBuilder &s = nest.scalars();
  if (Value position = readFromEnd(select))
    return position;
  Value x = read(select.getTrueValue());
  Value y = x ? read(select.getFalseValue()) : x;
  if (!y)
    return {};
  if (Value extremum = matchExtremum(s, select, x, y))
    return extremum;
  Value mask = read(select.getCondition());
  if (!mask)
    return {};
  return s.select(mask, x, y);
}

Value BodyReader::readCast(Operation *body) {
  ScalarBuilder &s = nest.scalars();
  Type from = body->getOperand(0).getType(), to = body->getResult(0).getType();
  Value x = read(body->getOperand(0));
  if (!x)
    return {};
  auto doesNotFit = [&](Twine reason) {
    refuse(body) << " to " << to << reason;
    return Value();
  };
  auto zeroExtended = [&] {
    unsigned width = widthOf(from);
    return width >= 32 || s.range(x).low >= 0
               ? x
               : s.bitAnd(x, s.constant(static_cast<int32_t>(
                                 (int64_t(1) << width) - 1)));
  };
  return llvm::TypeSwitch<Operation *, Value>(body)
      .Case<arith::ExtFOp, arith::ExtSIOp>([&](auto) { return x; })
      .Case([&](arith::ExtUIOp) {
        if (widthOf(from) == 32 && isWide(to) && s.range(x).low < 0)
          return doesNotFit(", whose values may not fit in i32");
        return zeroExtended();
      })
      .Case([&](arith::TruncFOp) { return s.roundTo(to, x); })
      .Case([&](arith::TruncIOp) { return s.wrap(x, widthOf(to)); })
      .Case([&](arith::IndexCastOp) { return s.wrap(x, widthOf(to)); })
      .Case([&](arith::IndexCastUIOp) {
        if (!isWide(from) && isWide(to) && s.range(x).low < 0) {
          if (widthOf(from) == 32)
            return doesNotFit(", whose values may not fit in i32");
          return zeroExtended();
        }
        return s.wrap(x, widthOf(to));
      })
      .Case([&](arith::SIToFPOp) {
        return s.roundTo(to, s.cast<arith::SIToFPOp>(s.f32(), x));
      })
      .Case([&](arith::UIToFPOp) {
        if (widthOf(from) < 32)
          return s.roundTo(to,
                           s.cast<arith::SIToFPOp>(s.f32(), zeroExtended()));
        if (isWide(from) && s.range(x).low < 0)
          return doesNotFit(" of values that may be negative in i32");
        return s.roundTo(to, s.fromUnsigned(x));
      })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](auto) {
        Operation *source = body->getOperand(0).getDefiningOp();
        bool isWhole =
            isa_and_nonnull<math::FloorOp, math::CeilOp, math::RoundOp,
                            math::RoundEvenOp, math::TruncOp>(source);
        // A value that does not fit in the result has no meaning.
        if (isa<arith::FPToUIOp>(body) && widthOf(to) == 32)
          return s.toUnsigned(x, isWhole);
        return s.wrap(s.toInt(x, isWhole), widthOf(to));
      })
      .Case([&](arith::BitcastOp) {
        // A bf16 is the upper half of an f32.
        if (from.isBF16() && to.isInteger(16))
          return s.shiftRight(s.bits(x), 16);
        if (from.isInteger(16) && to.isBF16())
          return s.number(s.shiftLeft(x, 16));
        if (widthOf(from) != 32)
          return doesNotFit(" from " + Twine(widthOf(from)) +
                            " bits; the vector engine reinterprets words of 32 "
                            "bits, and bf16 as i16, their halves");
        return isa<FloatType>(to) ? s.number(x) : s.bits(x);
      })
      .Default([](Operation *) { return Value(); });
}

Value BodyReader::readIndex(linalg::IndexOp index) {
  unsigned loop = index.getDim();
  int64_t size = nest.getSizes()[loop];
  ScalarBuilder &s = nest.scalars();
  if (size == 1)
    return s.constant(0);
  // The indices are a constant that the host sends.
  constexpr int64_t kMostIndices = 1 << 24;
  if (size > kMostIndices) {
    refuse(index) << ", the index of a loop of " << size
                  << " iterations; of more than " << kMostIndices
                  << " pass it as a tensor";
    return {};
  }
  SmallVector<int32_t> values;
  for (int64_t i = 0; i < size; ++i)
    values.push_back(static_cast<int32_t>(i));
  auto type = RankedTensorType::get({size}, nest.builder().getI32Type());
  Value tensor =
      arith::ConstantOp::create(nest.builder(), nest.getLoc(),
                                DenseElementsAttr::get(type, ArrayRef(values)));
  BlockArgument element = nest.addElement(tensor, nest.mapOf({loop}));
  s.ranges[element] = {0, size - 1};
  return element;
}
