//===- Materialize.cpp - Values as operations -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

mlir::Value Evaluator::constantInt(mlir::Type type, int64_t value,
                                   mlir::Location loc) {
  return arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(
          type, llvm::APInt(type.getIntOrFloatBitWidth(), value,
                            /*isSigned=*/true, /*implicitTrunc=*/true)));
}

mlir::Value Evaluator::constantIndex(int64_t value, mlir::Location loc) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

mlir::Value Evaluator::constantBool(bool value, Span span) {
  return constantInt(builder.getI1Type(), value, loc(span));
}

/// What the initial value of a variable, and a parameter, is stored as.
mlir::Attribute Evaluator::attributeOf(const Value &value) {
  const Type *type = value.type();
  if (value.isFloat() && type->is(TypeKind::Float)) {
    if (type->format == FloatFormat::CB16)
      return builder.getF32FloatAttr(value.number());
    return mlir::FloatAttr::get(
        convert(type),
        inFormat(llvm::APFloat(value.number()), getSemantics(type->format)));
  }
  if (!value.isInteger())
    return {};
  const Type *stored = type->is(TypeKind::Enum) ? type->element : type;
  if (stored->is(TypeKind::Int) || stored->is(TypeKind::Bool)) {
    unsigned width = stored->bits();
    return builder.getIntegerAttr(builder.getIntegerType(width),
                                  value.integer().truncated(width));
  }
  if (type->isId() || type->is(TypeKind::Direction))
    return builder.getI16IntegerAttr(value.small());
  return {};
}

mlir::Value Evaluator::zeroOf(mlir::Type type, mlir::Location at) {
  if (llvm::isa<mlir::IntegerType>(type))
    return constantInt(type, 0, at);
  if (auto floatType = llvm::dyn_cast<mlir::FloatType>(type))
    return arith::ConstantOp::create(builder, at,
                                     builder.getFloatAttr(floatType, 0.0));
  if (llvm::isa<csl::CB16Type>(type))
    return csl::ConvertCB16Op::create(builder, at, type,
                                      zeroOf(builder.getF32Type(), at));
  if (llvm::isa<csl::PtrType>(type))
    return csl::IntToPtrOp::create(builder, at, type,
                                   zeroOf(builder.getI16Type(), at));
  if (auto enumType = llvm::dyn_cast<csl::EnumType>(type))
    return csl::ToEnumOp::create(builder, at, type,
                                 zeroOf(enumType.getBaseType(), at));
  if (auto array = llvm::dyn_cast<csl::ArrayType>(type))
    return csl::SplatOp::create(builder, at, array,
                                zeroOf(array.getElementType(), at));
  if (auto aggregate = llvm::dyn_cast<csl::StructType>(type)) {
    llvm::SmallVector<mlir::Value> parts;
    for (mlir::Type field : aggregate.getFieldTypes()) {
      parts.push_back(zeroOf(field, at));
      if (aggregate.getIsUnion())
        break;
    }
    mlir::StringAttr field;
    if (aggregate.getIsUnion() && !parts.empty())
      field = aggregate.getFieldNames()[0];
    return csl::AggregateOp::create(builder, at, type, field, parts);
  }
  // A descriptor of nothing, on a queue that no program has to have.
  if (auto dsd = llvm::dyn_cast<csl::DsdType>(type)) {
    DsdValue empty;
    empty.kind = dsd.getKind();
    empty.extent = makeInt(types.u16(), 0);
    auto zeroId = [&](const Type *id) {
      return makeRuntime(id, zeroOf(convert(id), at));
    };
    switch (dsd.getKind()) {
    case csl::DescriptorKind::Fabin:
      empty.queue = zeroId(types.simple(TypeKind::InputQueue));
      break;
    case csl::DescriptorKind::Fabout:
      empty.queue = zeroId(types.simple(TypeKind::OutputQueue));
      if (!session.isWse3())
        empty.color = zeroId(types.simple(TypeKind::Color));
      break;
    default: {
      mlir::Value base = csl::IntToPtrOp::create(
          builder, at, csl::PtrType::get(builder.getI16Type(), true, false),
          zeroOf(builder.getI16Type(), at));
      empty.base = makeRuntime(types.pointer(types.u16(), true, false), base);
      empty.extents = {0};
      empty.strides = {1};
    }
    }
    return materializeDsd(
        Value(types.dsd(dsd.getKind()),
              std::make_shared<const DsdValue>(std::move(empty))),
        Span());
  }
  return csl::MakeIdOp::create(builder, at, type,
                               zeroOf(builder.getI16Type(), at));
}

//===----------------------------------------------------------------------===//
// Any value
//===----------------------------------------------------------------------===//

mlir::Value Evaluator::materializeAs(const Value &value, const Type *type,
                                     Span span) {
  return materialize(coerce(value, type, span), span);
}

Value Evaluator::asRuntime(const Value &value, Span span) {
  if (!value || value.isRuntime())
    return value;
  mlir::Value number = materialize(value, span);
  return number ? makeRuntime(value.type(), number) : Value();
}

mlir::Value Evaluator::materialize(const Value &value, Span span) {
  if (!value)
    return {};
  if (value.isRuntime())
    return value.runtime();
  if (value.isSymbolic()) {
    unsigned errors = session.diagnostics.numErrors();
    mlir::Value number = materializeSymbolic(value, span);
    // Nothing may be left out of a program without a word.
    if (!number && session.diagnostics.numErrors() == errors)
      error(span, "running code has no value of type '" + value.type()->str() +
                      "' for this expression of parameters that differ "
                      "between PEs; give it a variable of that type");
    return number;
  }
  const Type *type = value.type();
  mlir::Location at = loc(span);
  if (type->is(TypeKind::ComptimeInt) || type->is(TypeKind::ComptimeFloat)) {
    error(span, "value of type '" + type->str() +
                    "' must be comptime-known; give it a type with @as");
    return {};
  }
  mlir::Type target = convert(type, span);
  if (!target)
    return {};
  if (value.isPointer())
    return materializePointer(value, span);
  if (value.isDsd())
    return materializeDsd(value, span);
  if (value.isFifo()) {
    if (!program)
      return {};
    emitGlobal(*value.fifo());
    return csl::GetFifoOp::create(builder, at, target, value.fifo()->symbol);
  }
  if (value.isAggregate())
    return materializeAggregate(value, span);
  if (value.isFloat()) {
    if (type->format == FloatFormat::CB16)
      return csl::ConvertCB16Op::create(
          builder, at, target,
          arith::ConstantOp::create(builder, at,
                                    builder.getF32FloatAttr(value.number())));
    return arith::ConstantOp::create(
        builder, at, llvm::cast<mlir::TypedAttr>(attributeOf(value)));
  }
  if (value.isInteger()) {
    int64_t number = value.small();
    switch (type->kind) {
    case TypeKind::Int:
    case TypeKind::Bool:
      return arith::ConstantOp::create(
          builder, at, llvm::cast<mlir::TypedAttr>(attributeOf(value)));
    case TypeKind::Enum:
      for (const auto &[name, known] : type->cases)
        if (known == number)
          return csl::EnumConstantOp::create(builder, at, target, name);
      return csl::ToEnumOp::create(
          builder, at, target, constantInt(convert(type->element), number, at));
    case TypeKind::Dsr:
      return csl::GetDsrOp::create(builder, at, target, number);
    case TypeKind::Xdsr:
      return csl::GetXdsrOp::create(builder, at, target, number);
    case TypeKind::Sr:
      return csl::GetSrOp::create(builder, at, target, number);
    default:
      // The number of an id was checked when it was made, but a data task id's
      // is a color's or a queue's.
      if (type->is(TypeKind::DataTaskId)) {
        mlir::Type source =
            session.isWse3()
                ? mlir::Type(csl::InputQueueType::get(&session.context))
                : mlir::Type(csl::ColorType::get(&session.context));
        return csl::GetDataTaskIdOp::create(
            builder, at, csl::ConstantOp::create(builder, at, source, number));
      }
      return csl::ConstantOp::create(builder, at, target, number);
    }
  }
  if (!inTypeOf) {
    error(span, "a value of type '" + type->str() +
                    "' cannot be used by running code");
    return {};
  }
  return zeroOf(target, at);
}

mlir::Value Evaluator::materializeAggregate(const Value &value, Span span) {
  const Type *type = value.type();
  mlir::Location at = loc(span);
  mlir::Type target = convert(type);
  const std::vector<Value> &parts = value.elements();
  if (type->isArray()) {
    if (parts.empty()) {
      error(span, "an array without elements is not for running code");
      return {};
    }
    bool isSplat = value.isKnown();
    std::string first = isSplat ? parts.front().key() : std::string();
    for (const Value &part : parts)
      isSplat = isSplat && part.key() == first;
    if (isSplat) {
      mlir::Value element = materialize(parts.front(), span);
      return element ? csl::SplatOp::create(builder, at, target, element)
                           .getResult()
                     : mlir::Value();
    }
    // A long one is a constant in memory.
    constexpr size_t kMaxInline = 16;
    if (value.isKnown() && parts.size() > kMaxInline)
      if (Global *table = tableFor(value, span)) {
        PointerValue pointer;
        pointer.global = table;
        mlir::Value address = materializePointer(
            Value(types.pointer(type, false, true),
                  std::make_shared<const PointerValue>(pointer)),
            span);
        return address ? csl::LoadOp::create(builder, at, target, address)
                             .getResult()
                       : mlir::Value();
      }
  }
  llvm::SmallVector<mlir::Value> values;
  mlir::StringAttr active;
  for (auto [index, part] : llvm::enumerate(parts)) {
    if (type->isStruct() && type->isUnion) {
      if (!part)
        continue;
      active = builder.getStringAttr(type->fields[index].name);
    }
    mlir::Value converted = materialize(part, span);
    if (!converted)
      return {};
    values.push_back(converted);
  }
  return csl::AggregateOp::create(builder, at, target, active, values);
}

mlir::Value Evaluator::materializePointer(const Value &value, Span span) {
  const Type *type = value.type();
  mlir::Location at = loc(span);
  const PointerValue &pointer = value.pointer();
  if (!pointer.global) {
    mlir::Operation *op = emitFunction(pointer.function, {}, span);
    if (!op)
      return {};
    return csl::FunctionAddressOp::create(builder, at, convert(type),
                                          mlir::SymbolTable::getSymbolName(op));
  }
  mlir::Value memref = globalMemref(*pointer.global, span);
  if (!memref)
    return {};
  const Global &global = *pointer.global;
  mlir::Type target = convert(type, span);
  if (!target)
    return {};
  // The address of the place, then the type that is wanted.
  LValue place = placeOfMemref(memref, global.type, !global.isVar);
  for (const PointerValue::Step &step : pointer.path)
    place = step.field.empty() ? elementPlace(place, step.indices, span)
                               : fieldPlace(place, step.field, span);
  if (place.kind == LValue::Kind::Packed) {
    error(span, "address of packed struct field is unsupported");
    return {};
  }
  if (place.kind == LValue::Kind::Error)
    return {};
  auto wanted = llvm::cast<csl::PtrType>(target);
  // Straight to what a pointer to many, or to another type, wants.
  if (place.kind == LValue::Kind::Memref && place.indices.empty() &&
      wanted.getMany() && place.type->isArray() &&
      wanted.getPointee() == convert(place.type->element))
    return csl::AddressOfOp::create(builder, at, target, place.memref,
                                    mlir::ValueRange());
  mlir::Value address = addressValue(place, span);
  if (!address || address.getType() == target)
    return address;
  return csl::PtrCastOp::create(builder, at, target, address);
}

mlir::Value Evaluator::globalMemref(Global &global, Span span) {
  if (!program) {
    error(span, "'" + global.name +
                    "' is a variable of a PE, the layout has "
                    "none");
    return {};
  }
  emitGlobal(global);
  if (global.symbol.empty())
    return {};
  const Type *type = global.type;
  llvm::SmallVector<int64_t> shape;
  if (type->isArray())
    shape.assign(type->shape.begin(), type->shape.end());
  mlir::Type element = convert(type->isArray() ? type->element : type, span);
  if (!element)
    return {};
  return csl::GetVarOp::create(
      builder, loc(span), mlir::MemRefType::get(shape, element), global.symbol);
}

Global *Evaluator::tableFor(const Value &value, Span span) {
  if (!program || program->roots.empty())
    return nullptr;
  if (!convert(value.type(), span))
    return nullptr;
  // One table for equal values.
  ModuleInstance &root = *program->roots.front();
  std::unique_ptr<Global> &table = program->tables[value.key()];
  if (table)
    return table.get();
  table = std::make_unique<Global>();
  table->module = &root;
  table->name = "table";
  table->state = Global::State::Done;
  table->type = value.type();
  table->value = value;
  table->tableSpan = span;
  return table.get();
}

mlir::Value Evaluator::materializeSymbolic(const Value &value, Span span) {
  const SymbolicValue &symbolic = value.symbolic();
  const Type *type = value.type();
  mlir::Location at = loc(span);
  // A comptime_int is carried in 32 bits, or 64 where that is too few.
  auto carrier = [&](const Value &v) -> const Type * {
    if (!v.type()->is(TypeKind::ComptimeInt))
      return v.type();
    const Type *narrow = types.integer(32, true);
    bool fits = v.isSymbolic() ? fitsEverywhere(v, narrow)
                               : v.isInteger() && v.integer().fits(32, true);
    return fits ? narrow : types.integer(64, true);
  };
  switch (symbolic.kind) {
  case SymbolicValue::Kind::Param: {
    ProgramState::Param &param = program->params[symbolic.name];
    mlir::Type target = convert(carrier(value), span);
    if (!target)
      return {};
    if (!param.carrier) {
      param.carrier = carrier(value);
      mlir::OpBuilder::InsertionGuard guard(builder);
      mlir::Block &body = program->op.getBody().front();
      builder.setInsertionPointToStart(&body);
      csl::ParamOp::create(builder, program->op.getLoc(), symbolic.name, target,
                           mlir::TypedAttr());
    }
    return csl::GetParamOp::create(builder, at, target, symbolic.name);
  }
  case SymbolicValue::Kind::Cast: {
    const Value &operand = symbolic.operands[0];
    // A large operand that is alike at all PEs is its value.
    mlir::Value number =
        operand.isSymbolic() ? materializeSymbolic(operand, span)
        : operand.isInteger() && operand.type()->is(TypeKind::ComptimeInt)
            ? materialize(Value(carrier(operand), operand.integer()), span)
            : materialize(operand, span);
    const Type *to = carrier(value);
    if (!number || !convert(to, span))
      return {};
    // A data task's id is that of a color or a queue.
    if (to->is(TypeKind::DataTaskId))
      return csl::GetDataTaskIdOp::create(builder, at, number);
    const Type *from = carrier(operand);
    if (!from->isInteger() && !from->isFloating()) {
      // The number of an id or an enum, as @get_int gives it.
      from = from->is(TypeKind::Enum) ? from->element : types.u16();
      number = csl::GetIntOp::create(builder, at, convert(from), number);
    }
    if (to->isId()) {
      number = convertNumber(number, from, types.u16(), at);
      return csl::MakeIdOp::create(builder, at, convert(to), number);
    }
    return convertNumber(number, from, to, at);
  }
  case SymbolicValue::Kind::Binary: {
    const Type *common = types.integer(32, true);
    for (const Value &operand : symbolic.operands)
      if (carrier(operand)->bits() > common->bits())
        common = carrier(operand);
    // A result may be larger than both, as 1 << n.
    if (type->is(TypeKind::ComptimeInt) &&
        carrier(value)->bits() > common->bits())
      common = carrier(value);
    auto take = [&](const Value &operand) -> Value {
      if (!operand.type()->is(TypeKind::ComptimeInt))
        return makeRuntime(operand.type(), materialize(operand, span));
      if (operand.isInteger())
        return makeRuntime(common,
                           materialize(Value(common, operand.integer()), span));
      return makeRuntime(common,
                         convertNumber(materializeSymbolic(operand, span),
                                       carrier(operand), common, at));
    };
    Value left = take(symbolic.operands[0]), right = take(symbolic.operands[1]);
    if (!left.runtime() || !right.runtime())
      return {};
    Value result = emitBinary(symbolic.op, left, right, span);
    if (!result)
      return {};
    return type->is(TypeKind::ComptimeInt)
               ? convertNumber(result.runtime(), result.type(), carrier(value),
                               at)
               : result.runtime();
  }
  case SymbolicValue::Kind::Element: {
    if (isComptime())
      return materialize(concretize(value), span);
    LValue array = placeOfValue(symbolic.operands[0]);
    array.constant = symbolic.table;
    LValue element = runtimeElement(
        array, llvm::ArrayRef(symbolic.operands).drop_front(), span);
    return materialize(read(element, span), span);
  }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// DSDs
//===----------------------------------------------------------------------===//

mlir::Location Evaluator::placeOfDsd(const DsdValue &dsd, Span used) {
  if (!dsd.made.isValid() || dsd.made.Start == used.Start)
    return loc(used);
  mlir::Location place = session.location(dsd.made.Start);
  return session.isInLibrary(dsd.made.Start)
             ? mlir::Location(mlir::CallSiteLoc::get(place, loc(used)))
             : place;
}

mlir::Value Evaluator::materializeDsd(const Value &value, Span span) {
  const DsdValue &dsd = value.dsd();
  mlir::Location at = placeOfDsd(dsd, span);
  mlir::Type target = convert(value.type());
  bool failed = false;
  auto flag = [&](bool set) {
    return set ? builder.getUnitAttr() : mlir::UnitAttr();
  };
  // A field: an attribute where it is known, else an operand.
  auto field = [&](const Value &part, unsigned bits, bool isSigned,
                   mlir::IntegerAttr &known) -> mlir::Value {
    if (!part)
      return {};
    if (part.isInteger()) {
      known = builder.getI64IntegerAttr(part.small());
      return {};
    }
    mlir::Value number =
        materializeAs(part, types.integer(bits, isSigned), span);
    failed |= !number;
    return number;
  };
  auto operand = [&](const Value &part) -> mlir::Value {
    if (!part)
      return {};
    mlir::Value number = materialize(part, span);
    failed |= !number;
    return number;
  };
  csl::PriorityAttr priority;
  if (dsd.priority)
    priority = csl::PriorityAttr::get(&session.context, *dsd.priority);
  csl::SimdModeAttr simd;
  if (dsd.simd)
    simd = csl::SimdModeAttr::get(&session.context, *dsd.simd);
  // A whole global array as a memref, all else as a pointer.
  auto base = [&]() -> mlir::Value {
    if (dsd.base.isPointer() && dsd.base.pointer().global &&
        dsd.base.pointer().path.empty())
      return globalMemref(*dsd.base.pointer().global, span);
    return materialize(dsd.base, span);
  };
  mlir::IntegerAttr staticExtent, staticStride, staticOffset;
  switch (dsd.kind) {
  case csl::DescriptorKind::Mem1d: {
    mlir::Value memory = base();
    mlir::Value extent = field(dsd.extent, 16, false, staticExtent);
    mlir::Value stride = field(dsd.stride, 8, true, staticStride);
    mlir::Value offset = field(dsd.offset, 16, true, staticOffset);
    if (!memory || failed)
      return {};
    return csl::Mem1dDsdOp::create(
        builder, at, target, memory, extent, stride, offset, staticExtent,
        staticStride, staticOffset, csl::AccessAttr(), flag(dsd.indexOffset));
  }
  case csl::DescriptorKind::Mem4d: {
    mlir::Value memory = base();
    mlir::Value offset = field(dsd.offset, 16, true, staticOffset);
    if (!memory || failed)
      return {};
    return csl::Mem4dDsdOp::create(builder, at, target, memory, offset,
                                   builder.getDenseI64ArrayAttr(dsd.extents),
                                   builder.getDenseI64ArrayAttr(dsd.strides),
                                   staticOffset, csl::AccessAttr(),
                                   flag(dsd.indexOffset));
  }
  case csl::DescriptorKind::Circbuf: {
    mlir::Value memory = base();
    field(dsd.extent, 16, false, staticExtent);
    mlir::IntegerAttr wraparound;
    field(dsd.wraparound, 16, false, wraparound);
    if (!memory || failed)
      return {};
    return csl::CircbufDsdOp::create(builder, at, target, memory, staticExtent,
                                     wraparound);
  }
  case csl::DescriptorKind::Fabin: {
    mlir::Value queue = operand(dsd.queue), color = operand(dsd.color);
    mlir::Value extent = field(dsd.extent, 16, false, staticExtent);
    if (failed)
      return {};
    return csl::FabinDsdOp::create(builder, at, target, queue, color, extent,
                                   staticExtent, priority, simd,
                                   flag(dsd.controlTransform));
  }
  case csl::DescriptorKind::Fabout: {
    mlir::Value queue = operand(dsd.queue), color = operand(dsd.color);
    mlir::Value extent = field(dsd.extent, 16, false, staticExtent);
    if (failed)
      return {};
    csl::ZeroSourceAttr zero;
    if (dsd.zero)
      zero = csl::ZeroSourceAttr::get(&session.context, *dsd.zero);
    return csl::FaboutDsdOp::create(
        builder, at, target, queue, color, extent, staticExtent, priority, simd,
        zero, flag(dsd.control), flag(dsd.indexOffset), flag(dsd.advanceSwitch),
        flag(dsd.controlTransform));
  }
  }
  return {};
}
