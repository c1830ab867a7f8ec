//===- Coerce.cpp - What types become other types -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "sequin/Support/DsdArithmetic.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static Fp16Format getFp16(FloatFormat format) {
  return format == FloatFormat::F16    ? Fp16Format::F16
         : format == FloatFormat::CB16 ? Fp16Format::CB16
                                       : Fp16Format::BF16;
}

/// Rounded to the format; infinite if it is too large.
double csl_import::roundTo(FloatFormat format, double value) {
  if (format == FloatFormat::F32)
    return static_cast<float>(value);
  if (std::isnan(value))
    return value;
  if (format == FloatFormat::CB16) {
    // On the way a float that is odd where digits are lost, so that nothing is
    // rounded twice.
    float between = static_cast<float>(value);
    if (between != value && std::isfinite(between)) {
      if (std::abs(static_cast<double>(between)) > std::abs(value))
        between = std::nextafter(between, 0.0f);
      between = llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(between) | 1);
    }
    return dsd::decodeFp16(getFp16(format),
                           dsd::encodeFp16(getFp16(format), between));
  }
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(getSemantics(format), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

double csl_import::roundInteger(FloatFormat format, const Integer &value) {
  // A double in between would round some integers twice.
  return format == FloatFormat::CB16 ? roundTo(format, value.toDouble())
                                     : value.toDouble(getSemantics(format));
}

/// The largest double has 1,024 bits before the point.
static constexpr unsigned kComptimeBits = 1088;

/// Whether `number` is the value of the integer.
static bool isExact(const Integer &value, double number) {
  if (!std::isfinite(number))
    return false;
  // Where the digits of a double end, zeros follow.
  llvm::APSInt bits(kComptimeBits, /*isUnsigned=*/false);
  bool isWhole;
  llvm::APFloat(number).convertToInteger(bits, llvm::APFloat::rmTowardZero,
                                         &isWhole);
  return isWhole && Integer(bits) == value;
}

//===----------------------------------------------------------------------===//
// Implicit conversions
//===----------------------------------------------------------------------===//

/// Whether `to` holds every value of `from` (SYN-076).
static bool widens(const Type *from, const Type *to) {
  if (from->isSigned == to->isSigned)
    return to->width >= from->width;
  return to->isSigned && to->width > from->width;
}

bool Evaluator::isPointerCoercible(const Type *from, const Type *to) {
  if (from == to)
    return true;
  if (from->isConst && !to->isConst)
    return false;
  const Type *source = from->element, *target = to->element;
  if (target->is(TypeKind::AnyOpaque))
    return !to->isMany;
  if (from->isMany != to->isMany) {
    // *[N]T to [*]T, of arrays of any rank: their elements, row by row.
    return to->isMany && source->isArray() && source->element == target;
  }
  if (source == target)
    return true;
  // *T to *[1]T.
  return !from->isMany && target->isArray() && target->shape.size() == 1 &&
         target->shape[0] == 1 && target->element == source;
}

Value Evaluator::coerceStruct(const Value &value, const Type *type,
                              std::string *why) {
  const Type *from = value.type();
  if (from->fields.size() != type->fields.size()) {
    if (why)
      *why = "expected " + std::to_string(type->fields.size()) +
             " fields, got " + std::to_string(from->fields.size());
    return Value();
  }
  std::vector<Value> parts;
  for (const Type::Field &field : type->fields) {
    std::optional<unsigned> index = from->fieldIndex(field.name);
    if (!index) {
      if (why)
        *why = "field '" + field.name + "' not present in source";
      return Value();
    }
    Value part = value.isAggregate()
                     ? value.elements()[*index]
                     : makeRuntime(from->fields[*index].type,
                                   csl::GetFieldOp::create(
                                       builder, builder.getUnknownLoc(),
                                       convert(from->fields[*index].type),
                                       value.runtime(), field.name));
    Value converted = tryCoerce(part, field.type, nullptr);
    if (!converted) {
      if (why)
        *why = "cannot coerce field '" + field.name + "' from type '" +
               part.type()->str() + "' to type '" + field.type->str() + "'";
      return Value();
    }
    parts.push_back(std::move(converted));
  }
  return Value(type, std::move(parts));
}

Value Evaluator::tryCoerce(const Value &value, const Type *type,
                           std::string *why) {
  if (!value || !type || type->isError())
    return Value();
  const Type *from = value.type();
  if (from == type)
    return value;
  auto retyped = [&] {
    Value result = value;
    result.setType(type);
    return result;
  };
  auto refuse = [&](const llvm::Twine &text) {
    if (why)
      *why = text.str();
    return Value();
  };
  if (from->is(TypeKind::NoReturn))
    return value;
  // A reference to a value that exists only while its type is asked for.
  bool isTypeOnly = inTypeOf && !value.isRuntime() && !value.isKnown();

  if (from->isInteger() && type->isInteger()) {
    if (value.isSymbolic()) {
      if (type->is(TypeKind::ComptimeInt))
        return symbolicCast(value, type);
      if ((from->is(TypeKind::Int) && widens(from, type)) ||
          fitsEverywhere(value, type))
        return symbolicCast(value, type);
      return tryCoerce(concretize(value), type, why);
    }
    if (value.isInteger()) {
      if (type->is(TypeKind::ComptimeInt))
        return retyped();
      if (value.integer().fits(type->width, type->isSigned))
        return retyped();
      // A number of many bits takes long to write.
      return why ? refuse("value " + value.integer().str() +
                          " does not fit in '" + type->str() + "'")
                 : Value();
    }
    if (type->is(TypeKind::ComptimeInt) || from->is(TypeKind::ComptimeInt))
      return isTypeOnly ? retyped() : Value();
    if (!widens(from, type))
      return Value();
    return isTypeOnly
               ? retyped()
               : makeRuntime(type, convertNumber(value.runtime(), from, type,
                                                 builder.getUnknownLoc()));
  }
  if (from->isFloating() && type->isFloating()) {
    if (value.isSymbolic())
      return tryCoerce(concretize(value), type, why);
    if (value.isFloat()) {
      if (type->is(TypeKind::ComptimeFloat))
        return retyped();
      if (from->is(TypeKind::Float) &&
          !(from->isHalf() && type->format == FloatFormat::F32))
        return Value();
      double rounded = roundTo(type->format, value.number());
      if (std::isinf(rounded) && !std::isinf(value.number()))
        return refuse("operand overflowed precision of '" + type->str() + "'");
      return Value(type, rounded);
    }
    if (from->isHalf() && type->is(TypeKind::Float) &&
        type->format == FloatFormat::F32)
      return isTypeOnly
                 ? retyped()
                 : makeRuntime(type, convertNumber(value.runtime(), from, type,
                                                   builder.getUnknownLoc()));
    return Value();
  }
  // comptime_int to a float, where it is exact (AMB-026).
  if (from->is(TypeKind::ComptimeInt) && type->isFloating()) {
    if (value.isSymbolic())
      return tryCoerce(concretize(value), type, why);
    if (!value.isInteger())
      return Value();
    double exact = value.integer().toDouble();
    double rounded = type->is(TypeKind::ComptimeFloat)
                         ? exact
                         : roundTo(type->format, exact);
    if (rounded != exact || !isExact(value.integer(), exact))
      return why ? refuse("value " + value.integer().str() +
                          " is not exactly representable in '" + type->str() +
                          "'")
                 : Value();
    return Value(type, rounded);
  }
  if (from->isPointer() && type->isPointer()) {
    if (!isPointerCoercible(from, type))
      return refuse("cannot coerce '" + from->str() + "' to '" + type->str() +
                    "'");
    if (value.isRuntime()) {
      mlir::Type target = convert(type);
      if (!target)
        return Value();
      return makeRuntime(type, csl::PtrCastOp::create(builder,
                                                      value.runtime().getLoc(),
                                                      target, value.runtime()));
    }
    return retyped();
  }
  // A function's type is made when it is looked at.
  if (value.isFunction() && !from->element)
    from = functionType(value.function());
  if (!from)
    return refuse("a function with comptime or anytype parameters has no "
                  "address");
  if (from == type && value.isFunction())
    return retyped();
  if (from->is(TypeKind::Function) && type->isFunctionPointer() &&
      value.isFunction()) {
    if (value.function().decl->inlining() == Inlining::Inline)
      return refuse("an inline function has no address");
    if (type->element != from)
      return refuse("the function is '" + from->str() + "'");
    PointerValue pointer;
    pointer.function = value.function();
    return Value(type, std::make_shared<const PointerValue>(pointer));
  }
  if (from->isStruct() && from->isAnonymous) {
    if (type->is(TypeKind::ComptimeStruct))
      return value;
    if (type->isStruct() && !type->isUnion)
      return coerceStruct(value, type, why);
    if (type->isStruct() && type->isUnion && from->fields.size() == 1 &&
        value.isAggregate()) {
      std::vector<Value> parts(type->fields.size());
      if (auto index = type->fieldIndex(from->fields[0].name)) {
        parts[*index] =
            tryCoerce(value.elements()[0], type->fields[*index].type, why);
        if (parts[*index])
          return Value(type, std::move(parts));
        return Value();
      }
      return refuse("'" + type->str() + "' has no field '" +
                    from->fields[0].name + "'");
    }
    // A tuple of the right length stands for an array.
    if (type->isArray() && from->isTuple && value.isAggregate()) {
      if (int64_t(from->fields.size()) != type->numElements())
        return refuse("'" + type->str() + "' has " +
                      llvm::Twine(type->numElements()) + " elements, found " +
                      llvm::Twine(from->fields.size()));
      std::vector<Value> parts;
      for (const Value &part : value.elements()) {
        Value converted = tryCoerce(part, type->element, why);
        if (!converted)
          return refuse("cannot coerce element " + llvm::Twine(parts.size()) +
                        " from type '" + part.type()->str() + "' to type '" +
                        type->element->str() + "'");
        parts.push_back(std::move(converted));
      }
      return Value(type, std::move(parts));
    }
    if (type->isVoid() && from->fields.empty())
      return makeVoid();
  }
  // An empty block and an empty struct are both written `{}` or `.{}`.
  if (from->isVoid() && type->isStruct() && type->fields.empty())
    return Value(type, std::vector<Value>());
  return Value();
}

Value Evaluator::coerce(Value value, const Type *type, Span span) {
  if (!value || !type || type->isError())
    return Value();
  if (value.type() == type)
    return value;
  mlir::OpBuilder::InsertionGuard guard(builder);
  std::string why;
  Value result = tryCoerce(value, type, &why);
  if (result)
    return result;
  // The vendor's words for the cases that it has words for.
  if (value.type()->isFloating() && !why.empty()) {
    Diagnostic &diagnostic =
        report(span, "cast from '" + value.type()->str() + "' to '" +
                         type->str() + "' failed");
    note(diagnostic, span, why);
    return Value();
  }
  if (value.type()->isStruct() && !why.empty())
    return error(span, why);
  if (value.type()->isPointer() && type->isPointer())
    return error(span, why + castToWrite(value.type(), type));
  const Type *found = value.type();
  if (value.isFunction() && !found->element)
    if (const Type *whole = functionType(value.function()))
      found = whole;
  Diagnostic &diagnostic = report(
      span, "expected type '" + type->str() + "', got: '" + found->str() + "'" +
                (why.empty() ? castToWrite(found, type) : std::string()));
  if (!why.empty())
    note(diagnostic, span, why);
  return Value();
}

const Type *Evaluator::peer(const Value &left, const Value &right) {
  const Type *a = left.type(), *b = right.type();
  if (a == b)
    return a;
  if (a->is(TypeKind::NoReturn))
    return b;
  if (b->is(TypeKind::NoReturn))
    return a;
  // Numbers widen by their types alone, so that no value decides; literals take
  // the other side's type.
  if (a->is(TypeKind::Int) && b->is(TypeKind::Int))
    return widens(a, b) ? b : widens(b, a) ? a : nullptr;
  if (a->is(TypeKind::ComptimeInt) && b->isNumber())
    return tryCoerce(left, b, nullptr) ? b : nullptr;
  if (b->is(TypeKind::ComptimeInt) && a->isNumber())
    return tryCoerce(right, a, nullptr) ? a : nullptr;
  if (a->is(TypeKind::Float) && b->is(TypeKind::Float))
    return a->isHalf() && !b->isHalf()   ? b
           : b->isHalf() && !a->isHalf() ? a
                                         : nullptr;
  if (a->is(TypeKind::ComptimeFloat) && b->is(TypeKind::Float))
    return b;
  if (b->is(TypeKind::ComptimeFloat) && a->is(TypeKind::Float))
    return a;
  if (a->isPointer() && b->isPointer()) {
    if (isPointerCoercible(a, b))
      return b;
    if (isPointerCoercible(b, a))
      return a;
    bool isConst = a->isConst || b->isConst;
    if (a->element == b->element && a->isMany == b->isMany)
      return types.pointer(a->element, a->isMany, isConst);
    auto element = [](const Type *t) {
      return t->isMany ? t->element
             : t->element->isArray() && t->element->shape.size() == 1
                 ? t->element->element
                 : nullptr;
    };
    if (element(a) && element(a) == element(b))
      return types.pointer(element(a), true, isConst);
    return nullptr;
  }
  if (tryCoerce(left, b, nullptr))
    return b;
  if (tryCoerce(right, a, nullptr))
    return a;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Numbers of running code
//===----------------------------------------------------------------------===//

mlir::Value Evaluator::convertNumber(mlir::Value value, const Type *from,
                                     const Type *to, mlir::Location loc) {
  namespace arith = mlir::arith;
  if (from == to)
    return value;
  mlir::Type type = convert(to);
  if (!type || !value)
    return {};
  // cb16 goes through f32.
  const Type *f32 = types.f32();
  if (from->is(TypeKind::Float) && from->format == FloatFormat::CB16)
    return convertNumber(
        csl::ConvertCB16Op::create(builder, loc, builder.getF32Type(), value),
        f32, to, loc);
  if (to->is(TypeKind::Float) && to->format == FloatFormat::CB16) {
    mlir::Value wide = convertNumber(value, from, f32, loc);
    return wide ? csl::ConvertCB16Op::create(builder, loc, type, wide)
                      .getResult()
                : mlir::Value();
  }
  auto isNumberLike = [](const Type *t) {
    return t->is(TypeKind::Int) || t->is(TypeKind::Bool);
  };
  unsigned fromBits = from->bits(), toBits = to->bits();
  if (isNumberLike(from) && isNumberLike(to)) {
    if (to->is(TypeKind::Bool)) {
      mlir::Value zero = constantInt(value.getType(), 0, loc);
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                   value, zero);
    }
    if (toBits == fromBits)
      return value;
    if (toBits < fromBits)
      return arith::TruncIOp::create(builder, loc, type, value);
    if (from->is(TypeKind::Int) && from->isSigned)
      return arith::ExtSIOp::create(builder, loc, type, value);
    return arith::ExtUIOp::create(builder, loc, type, value);
  }
  if (isNumberLike(from) && to->is(TypeKind::Float)) {
    if (from->is(TypeKind::Int) && from->isSigned)
      return arith::SIToFPOp::create(builder, loc, type, value);
    return arith::UIToFPOp::create(builder, loc, type, value);
  }
  if (from->is(TypeKind::Float) && to->is(TypeKind::Int)) {
    if (to->isSigned)
      return arith::FPToSIOp::create(builder, loc, type, value);
    return arith::FPToUIOp::create(builder, loc, type, value);
  }
  if (from->is(TypeKind::Float) && to->is(TypeKind::Bool)) {
    mlir::Value zero = arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(value.getType(), 0.0));
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, value,
                                 zero);
  }
  if (from->is(TypeKind::Float) && to->is(TypeKind::Float)) {
    if (fromBits == toBits) // f16 and bf16
      return convertNumber(
          arith::ExtFOp::create(builder, loc, builder.getF32Type(), value), f32,
          to, loc);
    if (toBits > fromBits)
      return arith::ExtFOp::create(builder, loc, type, value);
    return arith::TruncFOp::create(builder, loc, type, value);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// @as and @bitcast
//===----------------------------------------------------------------------===//

Value Evaluator::castTo(const Type *type, Value value, Span span) {
  if (!value || !type)
    return Value();
  const Type *from = value.type();
  if (from == type)
    return value;
  auto refuse = [&] {
    return error(span, "cast from '" + from->str() + "' to '" + type->str() +
                           "' failed");
  };
  auto isNumeric = [](const Type *t) {
    return t->isNumber() || t->is(TypeKind::Bool) || t->is(TypeKind::Enum);
  };
  if (!isNumeric(type) || !isNumeric(from) ||
      (type->is(TypeKind::Enum) && from->is(TypeKind::Enum))) {
    Diagnostic &diagnostic =
        report(span, "cast from '" + from->str() + "' to '" + type->str() +
                         "' failed");
    note(diagnostic, span,
         "@as takes numbers, bool and enums, and not one enum to another");
    return Value();
  }
  if (value.isSymbolic()) {
    if (from->isInteger() && type->isInteger() &&
        (type->is(TypeKind::ComptimeInt) || fitsEverywhere(value, type)))
      return symbolicCast(value, type);
    if (from->is(TypeKind::Int) && type->is(TypeKind::Float))
      return symbolicCast(value, type);
    value = concretize(value);
  }
  if (value.isRuntime()) {
    if (type->is(TypeKind::ComptimeInt) || type->is(TypeKind::ComptimeFloat))
      return error(span, "a value of running code cannot become '" +
                             type->str() + "'");
    mlir::Value number = value.runtime();
    if (from->is(TypeKind::Enum)) {
      number = csl::GetIntOp::create(builder, loc(span), convert(from->element),
                                     number);
      from = from->element;
    }
    const Type *target = type->is(TypeKind::Enum) ? type->element : type;
    if (!convert(target, span))
      return Value();
    number = convertNumber(number, from, target, loc(span));
    if (!number)
      return refuse();
    if (type->is(TypeKind::Enum))
      number = csl::ToEnumOp::create(builder, loc(span), convert(type), number);
    return makeRuntime(type, number);
  }
  // Known.
  if (type->is(TypeKind::Bool)) {
    bool truth = value.isFloat() ? value.number() != 0 // NaN is true
                                 : !value.integer().isZero();
    return makeBool(truth);
  }
  if (type->isFloating()) {
    double number =
        value.isFloat() ? value.number() : value.integer().toDouble();
    if (type->is(TypeKind::ComptimeFloat))
      return Value(type, number);
    double rounded = value.isFloat()
                         ? roundTo(type->format, number)
                         : roundInteger(type->format, value.integer());
    // Running code makes the canonical NaN of any.
    if (std::isnan(rounded) && from != type)
      rounded = std::numeric_limits<double>::quiet_NaN();
    if (std::isinf(rounded) && !std::isinf(number)) {
      Diagnostic &diagnostic =
          report(span, "cast from '" + from->str() + "' to '" + type->str() +
                           "' failed");
      note(diagnostic, span,
           "operand overflowed precision of '" + type->str() + "'");
      return Value();
    }
    return Value(type, rounded);
  }
  std::optional<Integer> number;
  if (value.isFloat()) {
    double truncated = std::trunc(value.number());
    if (!std::isfinite(truncated))
      return refuse();
    llvm::APSInt bits(kComptimeBits, /*isUnsigned=*/false);
    bool isExact;
    if (llvm::APFloat(truncated).convertToInteger(
            bits, llvm::APFloat::rmTowardZero, &isExact) ==
        llvm::APFloat::opInvalidOp)
      return refuse();
    number = Integer(bits);
  } else {
    number = value.integer();
  }
  const Type *target = type->is(TypeKind::Enum) ? type->element : type;
  if (target->is(TypeKind::Int) &&
      !number->fits(target->width, target->isSigned)) {
    Diagnostic &diagnostic =
        report(span, "cast from '" + from->str() + "' to '" + type->str() +
                         "' failed");
    note(diagnostic, span,
         "value " + number->str() + " does not fit in '" + target->str() + "'");
    return Value();
  }
  if (type->is(TypeKind::Enum) &&
      llvm::none_of(type->cases, [&](const auto &entry) {
        return Integer(entry.second) == *number;
      })) {
    Diagnostic &diagnostic =
        report(span, "cast from '" + from->str() + "' to '" + type->str() +
                         "' failed");
    note(diagnostic, span, "the enum has no member of value " + number->str());
    return Value();
  }
  return Value(type, *number);
}

Value Evaluator::bitcastTo(const Type *type, Value value, Span span) {
  if (!value || !type)
    return Value();
  const Type *from = value.type();
  auto isNumeric = [](const Type *t) {
    return t->is(TypeKind::Int) || t->is(TypeKind::Float) ||
           t->is(TypeKind::Bool) || t->is(TypeKind::Enum) || t->isPacked();
  };
  bool legal = type->isPointer()
                   ? from->is(TypeKind::Int) || from->is(TypeKind::ComptimeInt)
                   : isNumeric(type);
  legal &=
      isNumeric(from) || from->isPointer() || from->is(TypeKind::ComptimeInt);
  if (!legal)
    return error(
        span, "@bitcast is between numbers, or from an integer to a "
              "pointer; found '" +
                  from->str() + "' to '" + type->str() + "'" +
                  (from->isId() ? ": @get_int gives the number of an id" : ""));
  if (from->is(TypeKind::ComptimeInt)) {
    // A literal has as many bits as it is given.
    const Type *bits = types.integer(
        type->bits(), value.isInteger() && value.integer().isNegative());
    value = coerce(value, bits, span);
    if (!value)
      return Value();
    from = bits;
  }
  if (from->bits() != type->bits())
    return error(span, "expected equal bit width for operands, got: " +
                           llvm::Twine(type->bits()) + " and " +
                           llvm::Twine(from->bits()) + " bit(s)");
  if (from == type)
    return value;
  if (from->isPacked()) {
    value = packedBits(value, span);
    return bitcastTo(type, std::move(value), span);
  }
  if (type->isPacked()) {
    value = bitcastTo(types.integer(type->bits(), /*isSigned=*/false),
                      std::move(value), span);
    return value ? packedFromBits(type, value, span) : Value();
  }
  if (value.isSymbolic() && from->is(TypeKind::Int) && type->is(TypeKind::Int))
    return symbolicCast(value, type);
  if (value.isSymbolic())
    value = concretize(value);
  if (value.isInteger() || value.isFloat()) {
    if (type->is(TypeKind::Int) || type->is(TypeKind::Float) ||
        type->is(TypeKind::Bool)) {
      llvm::APInt bits(from->bits(), 0);
      if (value.isInteger())
        bits = value.integer().truncated(from->bits());
      else if (from->format == FloatFormat::CB16)
        bits =
            llvm::APInt(16, dsd::encodeFp16(Fp16Format::CB16, value.number()));
      else
        bits =
            inFormat(llvm::APFloat(value.number()), getSemantics(from->format))
                .bitcastToAPInt();
      if (type->is(TypeKind::Float)) {
        if (type->format == FloatFormat::CB16)
          return Value(type, double(dsd::decodeFp16(Fp16Format::CB16,
                                                    bits.getZExtValue())));
        return Value(type,
                     inFormat(llvm::APFloat(getSemantics(type->format), bits),
                              llvm::APFloat::IEEEdouble())
                         .convertToDouble());
      }
      return Value(type, Integer::fromBits(bits, type->isSigned));
    }
    if (isComptime())
      return error(span,
                   "@bitcast to '" + type->str() + "' is for running code");
  }
  mlir::Value number = materialize(value, span);
  mlir::Type target = convert(type, span);
  if (!number || !target)
    return Value();
  mlir::Location at = loc(span);
  if (number.getType() == target)
    return makeRuntime(type, number);
  // By way of an integer of the width.
  mlir::Type bits = builder.getIntegerType(from->bits());
  if (llvm::isa<csl::PtrType>(number.getType()))
    number =
        llvm::isa<csl::PtrType>(target)
            ? mlir::Value(csl::PtrCastOp::create(builder, at, target, number))
            : mlir::Value(csl::PtrToIntOp::create(
                  builder, at, builder.getI16Type(), number));
  else if (llvm::isa<csl::CB16Type>(number.getType()))
    number = csl::ConvertCB16Op::create(builder, at, bits, number);
  else if (llvm::isa<mlir::FloatType>(number.getType()))
    number = mlir::arith::BitcastOp::create(builder, at, bits, number);
  else if (llvm::isa<csl::EnumType>(number.getType()))
    number = csl::GetIntOp::create(builder, at, bits, number);
  if (number.getType() == target)
    return makeRuntime(type, number);
  if (llvm::isa<csl::PtrType>(target))
    number = csl::IntToPtrOp::create(builder, at, target, number);
  else if (llvm::isa<csl::CB16Type>(target))
    number = csl::ConvertCB16Op::create(builder, at, target, number);
  else if (llvm::isa<mlir::FloatType>(target))
    number = mlir::arith::BitcastOp::create(builder, at, target, number);
  else if (llvm::isa<csl::EnumType>(target))
    number = csl::ToEnumOp::create(builder, at, target, number);
  else
    llvm_unreachable("bits of an integer have its type");
  return makeRuntime(type, number);
}
