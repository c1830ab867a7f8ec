//===- BuiltinsDsd.cpp - Making and changing DSDs -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

std::optional<csl::SimdMode> Evaluator::readSimd(const Value &value,
                                                 Span span) {
  static constexpr llvm::StringRef names[] = {
      "simd_32", "simd_64", "simd_32_or_64", "simd_off", "simd_max"};
  // The last two are of WSE-3 (AMB-006).
  auto known = llvm::ArrayRef(names).take_front(session.isWse3() ? 5 : 3);
  std::optional<std::string> name =
      knownChoice(value, span, known, "a SIMD mode");
  return name ? csl::symbolizeSimdMode(*name) : std::nullopt;
}

std::vector<int64_t> Evaluator::readTuple(const Value &value, Span span,
                                          llvm::StringRef what, int64_t least,
                                          int64_t greatest) {
  Value fixed = known(value, span, what);
  std::vector<int64_t> numbers;
  auto add = [&](const Value &part) {
    std::optional<int64_t> number =
        part.isInteger() ? part.integer().small() : std::nullopt;
    if (!number || *number < least || *number > greatest) {
      error(span, what + " has " + part.str() + ", allowed are " +
                      llvm::Twine(least) + " to " + llvm::Twine(greatest));
      return false;
    }
    numbers.push_back(*number);
    return true;
  };
  if (!fixed)
    return {};
  if (!fixed.isAggregate()) {
    if (!add(fixed))
      return {};
    return numbers;
  }
  for (const Value &part : fixed.elements())
    if (!add(part))
      return {};
  return numbers;
}

/// Elements that a memory DSD may go over (DSD-067).
static bool isDsdElement(const Type *type, const Type *fp16) {
  return type->isInt(16) || type->isInt(32) || type == fp16 ||
         (type->is(TypeKind::Float) && !type->isHalf());
}

Value Evaluator::buildMemDsd(DsdValue dsd, const Value &props, Span span) {
  bool is4d = dsd.kind == csl::DescriptorKind::Mem4d;
  bool isRing = dsd.kind == csl::DescriptorKind::Circbuf;
  std::string what = csl::stringifyDescriptorKind(dsd.kind).str() + "_dsd";
  bool good = isRing
                  ? checkFields(props, {"base_address", "extent", "wraparound"},
                                span, "a " + what)
                  : checkFields(props,
                                {"base_address", "extent", "stride", "offset",
                                 "tensor_access", "wavelet_index_offset"},
                                span, "a " + what);
  if (!good)
    return Value();
  // Fields are given one by one or in a tensor access, none twice (DSD-022).
  Value merged = props;
  if (const Value *access = props.field("tensor_access")) {
    if (!access->type()->isStruct() || !access->isAggregate())
      return error(span, "field 'tensor_access' is a tensor access or a "
                         "struct, found type '" +
                             access->type()->str() + "'");
    // All is known but, of an array in a function, where it begins.
    std::vector<Value> parts = access->elements();
    for (auto [part, of] : llvm::zip(parts, access->type()->fields)) {
      if (of.name != "base_address")
        part = known(part, span, "field 'tensor_access'");
      if (!part)
        return Value();
    }
    Value fixed(access->type(), std::move(parts));
    if (!checkFields(fixed, {"base_address", "extent", "stride", "offset"},
                     span, "a tensor access"))
      return Value();
    for (const Type::Field &field : fixed.type()->fields)
      if (props.field(field.name))
        return error(span, "field '" + field.name +
                               "' is given in the tensor access and beside it");
    for (llvm::StringRef beside :
         {"base_address", "extent", "stride", "offset"})
      if (props.field(beside))
        return error(span, "field '" + beside +
                               "' does not stand beside a tensor access");
    merged = fixed;
  }
  const Value *base = merged.field("base_address");
  const Value *extent = merged.field("extent");
  if (!base || !extent)
    return error(span, "a " + what + " has " +
                           (isRing ? "'base_address' and 'extent'"
                                   : "'tensor_access', or 'base_address' and "
                                     "'extent'"));
  const Type *pointer = base->type();
  if (!pointer->isPointer() || pointer->isFunctionPointer())
    return error(span, "field 'base_address' is a pointer, found type '" +
                           pointer->str() + "'");
  const Type *element = pointer->element->isArray() ? pointer->element->element
                                                    : pointer->element;
  if (!isDsdElement(element, types.fp16()))
    return error(span, "a memory DSD goes over elements of i16, u16, i32, "
                       "u32, " +
                           types.fp16()->str() + " and f32, found '" +
                           element->str() + "'");
  dsd.base = *base;
  std::optional<bool> index = knownBool(props, "wavelet_index_offset", span);
  if (!index)
    return Value();
  dsd.indexOffset = *index;
  // A tuple of one stands for its element (DSD-021).
  auto scalar = [&](const Value &value) {
    if (value.isAggregate() && value.elements().size() == 1)
      return value.elements()[0];
    return value;
  };
  auto field = [&](const Value *value, const Type *type, Value &out) {
    if (!value)
      return true;
    if (value->isAggregate() && value->elements().size() > 1) {
      error(span, "a " + what + " has one dimension, found " +
                      llvm::Twine(value->elements().size()));
      return false;
    }
    out = coerce(scalar(*value), type, span);
    return bool(out);
  };
  if (isRing) {
    Value size;
    if (!field(extent, types.u16(), dsd.extent) ||
        !field(props.field("wraparound"), types.u16(), dsd.wraparound))
      return Value();
    dsd.extent = known(dsd.extent, span, "field 'extent'");
    if (dsd.wraparound)
      dsd.wraparound = known(dsd.wraparound, span, "field 'wraparound'");
    if (!base->isComptime())
      return error(span, "field 'base_address' of a circbuf_dsd must be "
                         "comptime-known");
    bool isTensor = pointer->element->isArray();
    if (!dsd.wraparound && props.field("wraparound"))
      return Value();
    if (!dsd.wraparound && !isTensor)
      return error(span, "a circbuf_dsd of a pointer to a scalar has a field "
                         "'wraparound'");
    if (dsd.wraparound && isTensor &&
        dsd.wraparound.small() > pointer->element->numElements())
      return error(
          span, "field 'wraparound' is " + dsd.wraparound.integer().str() +
                    ", the array has " +
                    llvm::Twine(pointer->element->numElements()) + " elements");
    if (!dsd.extent)
      return Value();
  } else if (is4d) {
    dsd.extents = readTuple(*extent, span, "field 'extent'", 0, 65535);
    if (dsd.extents.empty())
      return Value();
    if (const Value *stride = merged.field("stride"))
      dsd.strides = readTuple(*stride, span, "field 'stride'", -32768, 32767);
    else
      dsd.strides.assign(dsd.extents.size(), 1);
    if (dsd.strides.empty())
      return Value();
    if (dsd.strides.size() != dsd.extents.size() || dsd.extents.size() > 4)
      return error(span, "a mem4d_dsd has 1 to 4 dimensions and as many "
                         "strides, found " +
                             llvm::Twine(dsd.extents.size()) + " extents and " +
                             llvm::Twine(dsd.strides.size()) + " strides");
    if (!field(merged.field("offset"), types.i16(), dsd.offset))
      return Value();
  } else if (!field(extent, types.u16(), dsd.extent) ||
             !field(merged.field("stride"), types.integer(8, true),
                    dsd.stride) ||
             !field(merged.field("offset"), types.i16(), dsd.offset)) {
    return Value();
  }
  const Type *type = types.dsd(dsd.kind);
  bool isComptimeDsd = dsd.base.isComptime() &&
                       (!dsd.extent || dsd.extent.isComptime()) &&
                       (!dsd.stride || dsd.stride.isComptime()) &&
                       (!dsd.offset || dsd.offset.isComptime());
  Value value(type, std::make_shared<const DsdValue>(std::move(dsd)));
  if (isComptimeDsd)
    return value;
  mlir::Value number = materializeDsd(value, span);
  return number ? makeRuntime(type, number) : Value();
}

Value Evaluator::buildFabricDsd(DsdValue dsd, const Value &props, Span span) {
  bool isIn = dsd.kind == csl::DescriptorKind::Fabin;
  bool wse3 = session.isWse3();
  std::string what = csl::stringifyDescriptorKind(dsd.kind).str() + "_dsd";
  llvm::SmallVector<llvm::StringRef> allowed = {
      "extent", isIn ? "input_queue" : "output_queue", "fabric_color",
      "simd_mode", "control_transform"};
  if (wse3)
    allowed.push_back("priority");
  if (!isIn)
    allowed.append(
        {"control", "wavelet_index_offset", "zero", "advance_switch"});
  if (!checkFields(props, allowed, span,
                   "a " + what + " of " +
                       llvm::StringRef(session.machine.name)))
    return Value();
  const Value *extent = props.field("extent");
  if (!extent)
    return error(span, "a " + what + " needs a field 'extent'");
  Value length = *extent;
  if (length.isAggregate() && length.elements().size() == 1)
    length = length.elements()[0];
  dsd.extent = coerce(length, types.u16(), span);
  if (!dsd.extent)
    return Value();
  const Value *queue = props.field(isIn ? "input_queue" : "output_queue");
  const Value *color = props.field("fabric_color");
  TypeKind queueKind = isIn ? TypeKind::InputQueue : TypeKind::OutputQueue;
  if (queue && !queue->type()->is(queueKind))
    return error(span, "field '" + llvm::Twine(isIn ? "in" : "out") +
                           "put_queue' is of " +
                           types.simple(queueKind)->str() + ", found type '" +
                           queue->type()->str() + "'");
  if (color && !color->type()->is(TypeKind::Color))
    return error(span, "field 'fabric_color' is of color, found type '" +
                           color->type()->str() + "'");
  if (color && !checkColor(*color, span))
    return Value();
  if (color && wse3) {
    warnFormer(span, "field 'fabric_color' on WSE-3", "1.4", "2.10",
               "the color is that of the queue: leave the field out");
    color = nullptr;
  }
  if (!queue && (wse3 || !isIn) && !(color && !wse3))
    return error(span, "a " + what + " needs a field '" +
                           (isIn ? "in" : "out") + "put_queue'");
  if (!queue && !color)
    return error(span, "a " + what + " has a queue or a color");
  if (queue)
    dsd.queue = *queue;
  if (color)
    dsd.color = *color;
  if (const Value *priority = props.field("priority")) {
    dsd.priority = readPriority(*priority, span);
    if (!dsd.priority)
      return Value();
  }
  if (const Value *mode = props.field("simd_mode")) {
    dsd.simd = readSimd(*mode, span);
    if (!dsd.simd)
      return Value();
  }
  if (const Value *zero = props.field("zero")) {
    std::optional<std::string> name = knownChoice(
        *zero, span, {"first_source", "second_source"}, "field 'zero'");
    if (!name)
      return Value();
    dsd.zero = csl::symbolizeZeroSource(*name);
  }
  std::pair<llvm::StringRef, bool *> flags[] = {
      {"control_transform", &dsd.controlTransform},
      {"control", &dsd.control},
      {"wavelet_index_offset", &dsd.indexOffset},
      {"advance_switch", &dsd.advanceSwitch}};
  for (auto [name, place] : flags) {
    std::optional<bool> set = knownBool(props, name, span);
    if (!set)
      return Value();
    *place = *set;
  }
  const Type *type = types.dsd(dsd.kind);
  bool isComptimeDsd = dsd.extent.isComptime() &&
                       (!dsd.queue || dsd.queue.isComptime()) &&
                       (!dsd.color || dsd.color.isComptime());
  Value value(type, std::make_shared<const DsdValue>(std::move(dsd)));
  if (isComptimeDsd)
    return value;
  mlir::Value number = materializeDsd(value, span);
  return number ? makeRuntime(type, number) : Value();
}

Value Evaluator::builtinGetDsd(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2))
    return Value();
  const Type *type = evalType(arg(call, 0));
  Value props = evalConfig(call, 1);
  if (!type || !props)
    return Value();
  if (!type->is(TypeKind::Dsd))
    return error(arg(call, 0).span(), "@get_dsd makes a mem1d_dsd, mem4d_dsd, "
                                      "circbuf_dsd, fabin_dsd or fabout_dsd, "
                                      "found '" +
                                          type->str() + "'");
  DsdValue dsd;
  dsd.kind = type->dsd;
  dsd.made = call.span();
  bool isFabric = dsd.kind == csl::DescriptorKind::Fabin ||
                  dsd.kind == csl::DescriptorKind::Fabout;
  return isFabric ? buildFabricDsd(std::move(dsd), props, call.span())
                  : buildMemDsd(std::move(dsd), props, call.span());
}

//===----------------------------------------------------------------------===//
// Setters
//===----------------------------------------------------------------------===//

/// The DSD that a setter changes; null with an error.
static bool isDsdOf(const Value &value,
                    llvm::ArrayRef<csl::DescriptorKind> kinds) {
  return value.type()->is(TypeKind::Dsd) &&
         llvm::is_contained(kinds, value.type()->dsd);
}

Value Evaluator::builtinSetDsdBaseAddr(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2))
    return Value();
  Value dsd = eval(arg(call, 0));
  // An array stands for its address.
  LValue target = evalPlace(arg(call, 1), /*forWrite=*/false);
  if (!dsd || target.kind == LValue::Kind::Error)
    return Value();
  Value base = target.type->isArray() ? addressOf(target, arg(call, 1).span())
                                      : read(target, arg(call, 1).span());
  if (!base)
    return Value();
  if (!isDsdOf(dsd, {csl::DescriptorKind::Mem1d, csl::DescriptorKind::Mem4d}))
    return error(arg(call, 0).span(), "@set_dsd_base_addr is of a mem1d_dsd or "
                                      "mem4d_dsd, found type '" +
                                          dsd.type()->str() + "'");
  if (!base.type()->isPointer())
    return error(arg(call, 1).span(), "a base address is an array or a "
                                      "pointer, found type '" +
                                          base.type()->str() + "'");
  if (dsd.isDsd() && base.isComptime()) {
    DsdValue changed = dsd.dsd();
    changed.base = base;
    changed.offset = Value();
    return Value(dsd.type(),
                 std::make_shared<const DsdValue>(std::move(changed)));
  }
  mlir::Value input = materialize(dsd, call.span());
  mlir::Value address = materialize(base, call.span());
  if (!input || !address)
    return Value();
  return makeRuntime(dsd.type(), csl::SetDsdBaseAddrOp::create(
                                     builder, loc(call.span()),
                                     convert(dsd.type()), input, address));
}

Value Evaluator::builtinIncrementDsdOffset(const BuiltinCall &call,
                                           const Type *) {
  if (!expectArgs(call, 3, 3))
    return Value();
  Value dsd = eval(arg(call, 0)), offset = eval(arg(call, 1), types.i16());
  const Type *element = evalType(arg(call, 2));
  if (!dsd || !offset || !element)
    return Value();
  if (!isDsdOf(dsd, {csl::DescriptorKind::Mem1d, csl::DescriptorKind::Mem4d}))
    return error(arg(call, 0).span(), "@increment_dsd_offset is of a mem1d_dsd "
                                      "or mem4d_dsd, found type '" +
                                          dsd.type()->str() + "'");
  if (!isDsdElement(element, types.fp16()))
    return error(arg(call, 2).span(),
                 "elements are of i16, u16, i32, u32, " + types.fp16()->str() +
                     " and f32, found '" + element->str() + "'");
  offset = coerce(offset, types.i16(), arg(call, 1).span());
  if (!offset)
    return Value();
  if (dsd.isDsd() && offset.isInteger()) {
    DsdValue changed = dsd.dsd();
    const Type *pointee = changed.base.type()->element;
    if (pointee->isArray())
      pointee = pointee->element;
    int64_t bytes = offset.small() * (element->bits() / 8);
    int64_t size = pointee->bits() / 8;
    bool isPlain = !changed.offset || changed.offset.isInteger();
    if (isPlain && size && bytes % size == 0) {
      int64_t sum =
          (changed.offset ? changed.offset.small() : 0) + bytes / size;
      if (sum >= INT16_MIN && sum <= INT16_MAX) {
        changed.offset = makeInt(types.i16(), sum);
        return Value(dsd.type(),
                     std::make_shared<const DsdValue>(std::move(changed)));
      }
    }
  }
  if (isComptime() && !inTypeOf)
    return error(call.span(), "the offset of this DSD is not known at "
                              "comptime");
  mlir::Value input = materialize(dsd, call.span());
  mlir::Value number = materialize(offset, call.span());
  if (!input || !number)
    return Value();
  return makeRuntime(
      dsd.type(), csl::IncrementDsdOffsetOp::create(builder, loc(call.span()),
                                                    convert(dsd.type()), input,
                                                    number, convert(element)));
}

Value Evaluator::builtinSetDsdLength(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2))
    return Value();
  bool isLength = call.name().text == "set_dsd_length";
  const Type *type = isLength ? types.u16() : types.integer(8, true);
  Value dsd = eval(arg(call, 0)), number = eval(arg(call, 1), type);
  if (!dsd || !number)
    return Value();
  using Kind = csl::DescriptorKind;
  bool fits = isLength ? isDsdOf(dsd, {Kind::Mem1d, Kind::Circbuf, Kind::Fabin,
                                       Kind::Fabout})
                       : isDsdOf(dsd, {Kind::Mem1d});
  if (!fits)
    return error(arg(call, 0).span(),
                 "@" + call.name().text + " is of " +
                     (isLength ? "a DSD other than mem4d_dsd" : "a mem1d_dsd") +
                     ", found type '" + dsd.type()->str() + "'");
  number = coerce(number, type, arg(call, 1).span());
  if (!number)
    return Value();
  if (dsd.isDsd() && number.isComptime()) {
    DsdValue changed = dsd.dsd();
    (isLength ? changed.extent : changed.stride) = number;
    return Value(dsd.type(),
                 std::make_shared<const DsdValue>(std::move(changed)));
  }
  mlir::Value input = materialize(dsd, call.span());
  mlir::Value value = materialize(number, call.span());
  if (!input || !value)
    return Value();
  mlir::Type result = convert(dsd.type());
  mlir::Location at = loc(call.span());
  return makeRuntime(
      dsd.type(),
      isLength ? csl::SetDsdLengthOp::create(builder, at, result, input, value)
                     .getResult()
               : csl::SetDsdStrideOp::create(builder, at, result, input, value)
                     .getResult());
}

Value Evaluator::builtinSetDsdStride(const BuiltinCall &call,
                                     const Type *hint) {
  return builtinSetDsdLength(call, hint);
}
