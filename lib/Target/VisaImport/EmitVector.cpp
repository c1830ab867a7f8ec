//===- EmitVector.cpp - The vector engine ---------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Evaluator.h"
#include <limits>

using namespace sequin;
using namespace sequin::visa_import;
using Kind = Value::Kind;

/// The result of a stage as a value of the crate's type.
static Value streamOf(ApiCall &call, mlir::Operation *op) {
  if (!op)
    return {};
  Value value;
  value.kind = Kind::Stream;
  value.name = call.row->result.str();
  value.stream = op->getResult(0);
  return value;
}

Value Emitter::vectorPlain(ApiCall &call, StringRef operation) {
  mlir::Value input = call.receiver.stream;
  mlir::Operation *op = operation == "vector_init"
                            ? infer<tcp::VectorInitOp>(call.place, input, {})
                        : operation == "vector_final"
                            ? infer<tcp::VectorFinalOp>(call.place, input, {})
                            : infer<tcp::VectorStashOp>(call.place, input, {});
  return streamOf(call, op);
}

//===----------------------------------------------------------------------===//
// Entering the intra-slice block
//===----------------------------------------------------------------------===//

mlir::Attribute Emitter::comparison(const Value &value, bool ofFloat,
                                    Span place) {
  const Value *inner = &value;
  // InputCmp::I32(InputCmpI32::Less { boundary: 0 })
  if (inner->kind == Kind::Choice && inner->name == "InputCmp" &&
      inner->fields.size() == 1)
    inner = inner->fields[0].value.get();
  if (inner->kind != Kind::Choice ||
      (!StringRef(inner->name).starts_with("InputCmp") &&
       inner->name != "Cmp")) {
    fail(place, "expected a comparison, found " + describe(*inner));
    return nullptr;
  }
  bool isFloat =
      inner->name == "InputCmpF32" || (inner->name == "Cmp" && ofFloat);
  StringRef variant = inner->variant;
  mlir::TypedAttr boundary;
  if (!inner->fields.empty()) {
    const Value &number = *inner->fields[0].value;
    if (isFloat && number.kind == Kind::Float)
      boundary = builder.getF32FloatAttr(float(number.number));
    else if (!isFloat && number.kind == Kind::Int)
      boundary = builder.getI32IntegerAttr(int32_t(number.integer));
    else {
      fail(place,
           "the boundary of an " + inner->name + " is " + describe(number));
      return nullptr;
    }
  }
  using tcp::InputCompare;
  std::optional<InputCompare> compare;
  if (variant == "False") {
    compare = InputCompare::Never;
  } else if (variant == "True") {
    // Every number is at least the smallest; no float is equal to NaN.
    compare = isFloat ? InputCompare::NotEqual : InputCompare::GreaterEqual;
    boundary =
        isFloat
            ? mlir::TypedAttr(builder.getF32FloatAttr(
                  std::numeric_limits<float>::quiet_NaN()))
            : builder.getI32IntegerAttr(std::numeric_limits<int32_t>::min());
  } else {
    compare = tcp::symbolizeInputCompare(variant);
  }
  if (!compare) {
    fail(place, inner->name + "::" + variant +
                    " is not supported; Equal, Less, Greater, LessUnsigned, "
                    "GreaterUnsigned, True and False are");
    return nullptr;
  }
  return tcp::InputCmpAttr::get(&context(), *compare, boundary);
}

Value Emitter::branch(ApiCall &call) {
  const Value &mode = call.args[0];
  std::optional<tcp::BranchMode> known;
  if (mode.kind == Kind::Choice && mode.name == "BranchMode")
    known = tcp::symbolizeBranchMode(mode.variant);
  // Release 0.6 has tags where the manual has branches.
  if (mode.kind == Kind::Choice && mode.name == "TagMode")
    known = mode.variant == "Zero" ? tcp::BranchMode::Unconditional
                                   : tcp::symbolizeBranchMode(mode.variant);
  if (!known)
    return fail(call.argPlaces[0],
                "'" + call.row->name + "' takes a " +
                    (call.row->name == "vector_intra_slice_tag"
                         ? "TagMode"
                         : "BranchMode") +
                    ", found " + describe(mode));
  Attributes attributes = {
      named("mode", tcp::BranchModeAttr::get(&context(), *known))};
  switch (*known) {
  case tcp::BranchMode::Vrf:
    return fail(call.argPlaces[0],
                "BranchMode::Vrf names no tensor of ids; only those that a "
                "branch logger has written exist, which v0.1 does not have");
  case tcp::BranchMode::AxisToggle: {
    const Value *axis =
        mode.fields.empty() ? nullptr : mode.fields[0].value.get();
    if (!axis || (axis->kind != Kind::Text && axis->kind != Kind::Choice))
      return fail(call.argPlaces[0], "BranchMode::AxisToggle names an axis");
    attributes.push_back(named("axis", builder.getStringAttr(axis->name)));
    break;
  }
  case tcp::BranchMode::Comparison: {
    if (mode.fields.size() != 1 || mode.fields[0].value->kind != Kind::Array)
      return fail(call.argPlaces[0],
                  "BranchMode::Comparison takes an array of comparisons");
    llvm::SmallVector<mlir::Attribute, 4> list;
    for (const Field &field : mode.fields[0].value->fields) {
      mlir::Attribute one =
          comparison(*field.value,
                     mlir::cast<tcp::StreamType>(call.receiver.stream.getType())
                         .getElementType()
                         .isF32(),
                     call.argPlaces[0]);
      if (!one)
        return {};
      list.push_back(one);
    }
    attributes.push_back(named("comparisons", builder.getArrayAttr(list)));
    break;
  }
  default:
    break;
  }
  return streamOf(call, infer<tcp::VectorIntraSliceBranchOp>(
                            call.place, call.receiver.stream, attributes));
}

Value Emitter::unzip(ApiCall &call) {
  auto axis = axisArg(call, "I");
  auto tiled = mappingArg(call, "TileTime");
  auto split = mappingArg(call, "SplitTime");
  if (!axis || !tiled || !split)
    return {};
  return streamOf(
      call, infer<tcp::VectorIntraSliceUnzipOp>(
                call.place, call.receiver.stream,
                {named("axis", builder.getStringAttr(*axis)),
                 mapping("tile_time", *tiled), mapping("split_time", *split)}));
}

Value Emitter::regroup(ApiCall &call, StringRef operation) {
  bool hasTime = operation == "vector_split" || operation == "vector_concat";
  Attributes attributes;
  if (hasTime) {
    auto time = mappingArg(call, "Time");
    if (!time)
      return {};
    attributes.push_back(mapping("time", *time));
  }
  auto packet = mappingArg(call, "Packet");
  if (!packet)
    return {};
  attributes.push_back(mapping("packet", *packet));
  mlir::Value input = call.receiver.stream;
  mlir::Operation *op =
      operation == "vector_split"
          ? infer<tcp::VectorSplitOp>(call.place, input, attributes)
      : operation == "vector_concat"
          ? infer<tcp::VectorConcatOp>(call.place, input, attributes)
      : operation == "vector_trim_way4"
          ? infer<tcp::VectorTrimWay4Op>(call.place, input, attributes)
          : infer<tcp::VectorPadWay8Op>(call.place, input, attributes);
  return streamOf(call, op);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static std::optional<tcp::GroupId> groupOf(const Value &value) {
  if (value.kind != Kind::Choice)
    return std::nullopt;
  if (value.name == "GroupId")
    return tcp::symbolizeGroupId(value.variant);
  if (value.name == "ValidBranchIds" && !value.fields.empty())
    return groupOf(*value.fields[0].value);
  return std::nullopt;
}

bool Emitter::addOperand(ApiCall &call, const Value &operand, Span place,
                         llvm::SmallVectorImpl<mlir::Attribute> &sources,
                         llvm::SmallVectorImpl<mlir::Value> &values,
                         Attributes &attributes) {
  auto type = mlir::cast<tcp::StreamType>(call.receiver.stream.getType());
  bool isFloat = type.getElementType().isF32();
  bool isNumber = operand.kind == Kind::Int || operand.kind == Kind::Float;
  if (isNumber && !operand.dynamic.empty()) {
    fail(place, "an operand of '" + call.row->name +
                    "' stands in the instruction and is a constant; " +
                    operand.dynamic);
    return false;
  }
  switch (operand.kind) {
  case Kind::Unit:
    sources.push_back(builder.getStringAttr("skip"));
    return true;
  case Kind::Int:
    if (isFloat)
      break;
    if (operand.integer < std::numeric_limits<int32_t>::min() ||
        operand.integer > std::numeric_limits<uint32_t>::max()) {
      fail(place, "operand " + llvm::Twine(operand.integer) +
                      " does not fit in 32 bits");
      return false;
    }
    sources.push_back(builder.getI32IntegerAttr(int32_t(operand.integer)));
    return true;
  case Kind::Float:
    if (!isFloat)
      break;
    sources.push_back(builder.getF32FloatAttr(float(operand.number)));
    return true;
  case Kind::Tensor: {
    mlir::Value tensor = read(operand, place);
    if (!tensor)
      return false;
    if (!mlir::isa<tcp::VrfType>(tensor.getType()))
      break;
    sources.push_back(builder.getStringAttr("vrf"));
    values.push_back(tensor);
    return true;
  }
  case Kind::Choice:
    if (operand.name == "Stash") {
      sources.push_back(builder.getStringAttr("stash"));
      return true;
    }
    if (operand.name == "Branched") {
      if (operand.fields.size() != 2) {
        fail(place, "an operation takes one operand here, found " +
                        llvm::Twine(operand.fields.size() / 2));
        return false;
      }
      return addGuard(*operand.fields[0].value, place, attributes) &&
             addOperand(call, *operand.fields[1].value, place, sources, values,
                        attributes);
    }
    if (operand.name == "VeBranchOperand" && operand.variant == "group") {
      auto group = groupOf(*operand.fields[1].value);
      if (!group)
        break;
      attributes.push_back(
          named("group", tcp::GroupIdAttr::get(&context(), *group)));
      return addOperand(call, *operand.fields[0].value, place, sources, values,
                        attributes);
    }
    break;
  case Kind::Array:
    if (operand.fields.size() == 1)
      return addOperand(call, *operand.fields[0].value, place, sources, values,
                        attributes);
    fail(place, "an operation takes one operand here, found " +
                    llvm::Twine(operand.fields.size()));
    return false;
  case Kind::Tuple:
    // An operand and the branch that it is for.
    if (operand.fields.size() == 2)
      if (auto group = groupOf(*operand.fields[1].value)) {
        attributes.push_back(
            named("group", tcp::GroupIdAttr::get(&context(), *group)));
        return addOperand(call, *operand.fields[0].value, place, sources,
                          values, attributes);
      }
    break;
  default:
    break;
  }
  reporter.error(place) << "an operand of '" << call.row->name << "' on "
                        << type.getElementType() << " is a number of it, a "
                        << "VrfTensor or Stash, found " << describe(operand);
  return false;
}

/// The ExecutionIds that a guard of release 0.6 admits, as bits; none if it is
/// no guard.
static std::optional<uint16_t> idsOf(const Value &guard) {
  if (guard.kind != Kind::Choice || guard.name != "TagGuard")
    return std::nullopt;
  if (guard.variant == "all")
    return uint16_t(0xffff);
  if (guard.fields.size() != 1)
    return std::nullopt;
  const Value &what = *guard.fields[0].value;
  // The group is the highest bit.
  if (guard.variant == "group" && what.kind == Kind::Choice)
    return uint16_t(what.variant == "One" ? 0xff00 : 0x00ff);
  if (what.kind != Kind::Array || what.fields.size() != 4)
    return std::nullopt;
  uint16_t ids = 0;
  for (unsigned id = 0; id < 16; ++id) {
    bool matches = true;
    for (unsigned bit = 0; bit < 4; ++bit) {
      StringRef wanted = what.fields[bit].value->variant;
      bool isSet = id >> bit & 1;
      matches &= wanted == "Ignore" || (wanted == "One") == isSet;
    }
    if (matches == (guard.variant == "matches"))
      ids |= uint16_t(1) << id;
  }
  return ids;
}

bool Emitter::addGuard(const Value &guard, Span place, Attributes &attributes) {
  std::optional<uint16_t> ids = idsOf(guard);
  if (!ids) {
    fail(place, "a condition is a TagGuard, found " + describe(guard));
    return false;
  }
  if (*ids == 0) {
    fail(place, "no element has a tag that this guard admits");
    return false;
  }
  addIds(*ids, attributes);
  return true;
}

void Emitter::addIds(uint16_t ids, Attributes &attributes) {
  llvm::SmallVector<int64_t> branch;
  for (int64_t id = 0; id < 16; ++id)
    if (ids >> id & 1)
      branch.push_back(id);
  if (ids != 0xffff)
    attributes.push_back(named("branch", builder.getDenseI64ArrayAttr(branch)));
}

std::optional<std::vector<Emitter::OperandSlot>>
Emitter::slotsOf(const Value &operand, Span place) {
  std::vector<OperandSlot> slots;
  bool isBranched = operand.kind == Kind::Choice && operand.name == "Branched";
  if (isBranched) {
    // An element takes the first operand whose guard admits it.
    constexpr unsigned kImmediates = 3;
    uint16_t taken = 0;
    unsigned immediates = 0;
    bool hasRegister = false;
    for (size_t i = 0; i + 1 < operand.fields.size(); i += 2) {
      std::optional<uint16_t> ids = idsOf(*operand.fields[i].value);
      if (!ids) {
        fail(place, "a condition is a TagGuard, found " +
                        describe(*operand.fields[i].value));
        return std::nullopt;
      }
      if ((*ids & ~taken) == 0) {
        fail(place, "no element takes operand " + llvm::Twine(i / 2 + 1) +
                        " of these: those before it have them all");
        return std::nullopt;
      }
      bool isRegister = operand.fields[i].name == "rf";
      if (hasRegister || (!isRegister && ++immediates > kImmediates)) {
        fail(place, hasRegister
                        ? "an operand of the register file is the last one"
                        : "a pass has 3 registers for constants");
        return std::nullopt;
      }
      hasRegister = isRegister;
      slots.push_back({uint16_t(*ids & ~taken), std::nullopt,
                       operand.fields[i + 1].value.get()});
      taken |= *ids;
    }
    return slots;
  }
  // One for each group.
  for (const Field &field : operand.fields) {
    const Value &one = *field.value;
    bool isGrouped = one.kind == Kind::Choice &&
                     one.name == "VeBranchOperand" && one.variant == "group" &&
                     one.fields.size() == 2;
    auto group = isGrouped ? groupOf(*one.fields[1].value) : std::nullopt;
    if (!group) {
      fail(place,
           "each of several operands is for a group, found " + describe(one));
      return std::nullopt;
    }
    slots.push_back({std::nullopt, group, one.fields[0].value.get()});
  }
  return slots;
}

bool Emitter::operandsOf(ApiCall &call, size_t first, size_t perGroup,
                         llvm::SmallVectorImpl<mlir::Value> &values,
                         Attributes &attributes) {
  llvm::SmallVector<mlir::Attribute, 4> sources;
  for (size_t i = first; i < call.args.size(); ++i) {
    const Value *operand = &call.args[i];
    while (operand->kind == Kind::Array && operand->fields.size() == 1)
      operand = operand->fields[0].value.get();
    Span place = call.argPlaces[i];
    if (perGroup == 1) {
      if (!addOperand(call, *operand, place, sources, values, attributes))
        return false;
      continue;
    }
    if (operand->kind == Kind::Choice && operand->name == "Branched" &&
        operand->fields.size() == 2) {
      if (!addGuard(*operand->fields[0].value, place, attributes))
        return false;
      operand = operand->fields[1].value.get();
    }
    if (operand->kind == Kind::Unit) {
      for (size_t k = 0; k < perGroup; ++k)
        sources.push_back(builder.getStringAttr("skip"));
      continue;
    }
    if (operand->kind != Kind::Tuple || operand->fields.size() != perGroup) {
      fail(place, "'" + call.row->name + "' takes a pair of operands, found " +
                      describe(*operand));
      return false;
    }
    for (const Field &field : operand->fields)
      if (!addOperand(call, *field.value, place, sources, values, attributes))
        return false;
  }
  attributes.push_back(named("sources", builder.getArrayAttr(sources)));
  return true;
}

/// The dialect's name of a variant: MulF has the multiplier in its name.
static std::string nameOfOperation(const Value &choice) {
  std::string name = choice.variant.str();
  if (name == "MulF" || name == "MaskMulF") {
    StringRef alu =
        choice.fields.empty() ? StringRef() : choice.fields[0].value->variant;
    if (alu == "Mul0" || alu == "Mul1")
      name += alu.back();
    else
      name += "::" + alu.str();
  }
  return name;
}

static mlir::Attribute operationAttr(mlir::MLIRContext *context, StringRef base,
                                     StringRef name) {
  auto wrap = [&](auto symbol, auto attr) -> mlir::Attribute {
    using Attr = decltype(attr);
    return symbol ? mlir::Attribute(Attr::get(context, *symbol))
                  : mlir::Attribute();
  };
  base.consume_back("_zip");
  if (base == "vector_logic")
    return wrap(tcp::symbolizeLogicOp(name), tcp::LogicOpAttr());
  if (base == "vector_fxp")
    return wrap(tcp::symbolizeFxpOp(name), tcp::FxpOpAttr());
  if (base == "vector_fp_binary" || base == "vector_fp")
    return wrap(tcp::symbolizeFpBinaryOp(name), tcp::FpBinaryOpAttr());
  if (base == "vector_fp_ternary")
    return wrap(tcp::symbolizeFpTernaryOp(name), tcp::FpTernaryOpAttr());
  if (base == "vector_fp_div")
    return wrap(tcp::symbolizeFpDivOp(name), tcp::FpDivOpAttr());
  if (base == "vector_fp_unary")
    return wrap(tcp::symbolizeFpUnaryOp(name), tcp::FpUnaryOpAttr());
  return wrap(tcp::symbolizeClipOp(name), tcp::ClipOpAttr());
}

Value Emitter::vectorOperation(ApiCall &call, bool isZip) {
  StringRef base = call.row->name;
  bool hasMode = base.consume_back("_with_mode");
  // The division of release 0.6 is one operation and is not named.
  bool isNamed = call.row->paramList().front() == "op";
  const Value operation =
      isNamed ? call.args[0] : makeChoice("FpDivBinaryOp", "DivF");
  if (operation.kind != Kind::Choice)
    return fail(call.argPlaces[0], "'" + call.row->name +
                                       "' takes an operation, found " +
                                       describe(operation));
  std::string name = nameOfOperation(operation);
  mlir::Attribute attr = operationAttr(&context(), base, name);
  if (!attr)
    return fail(call.argPlaces[0], "'" + call.row->name +
                                       "' has no operation " + operation.name +
                                       "::" + name);
  Attributes attributes = {named("op", attr)};
  const Value *mode = hasMode ? &call.args[isNamed] : nullptr;
  if (operation.name == "FpDivOp" && !operation.fields.empty())
    mode = operation.fields[0].value.get();
  if (mode) {
    std::optional<tcp::ArgMode> known;
    if (mode->kind == Kind::Choice)
      known = tcp::symbolizeArgMode(mode->variant);
    if (!known)
      return fail(call.place, "'" + call.row->name + "' takes a mode, found " +
                                  describe(*mode));
    attributes.push_back(
        named("mode", tcp::ArgModeAttr::get(&context(), *known)));
  }
  // Operands for several conditions are the operation once for each.
  size_t first = size_t(isNamed) + hasMode;
  const Value *several = nullptr;
  if (!isZip && call.args.size() == first + 1) {
    const Value &operand = call.args[first];
    bool isBranched =
        operand.kind == Kind::Choice && operand.name == "Branched";
    if (operand.fields.size() > (isBranched ? 2u : 1u) &&
        (isBranched || operand.kind == Kind::Array))
      several = &operand;
  }
  if (several) {
    auto slots = slotsOf(*several, call.argPlaces[first]);
    Value result;
    for (const OperandSlot &slot :
         slots ? *slots : std::vector<OperandSlot>()) {
      ApiCall one = call;
      one.args[first] = *slot.operand;
      slotIds = slot.ids;
      slotGroup = slot.group;
      if (!result.isError())
        one.receiver = result;
      result = vectorOperation(one, isZip);
      slotIds = std::nullopt;
      slotGroup = std::nullopt;
      if (result.isError())
        return {};
    }
    return result;
  }
  if (slotIds)
    addIds(*slotIds, attributes);
  if (slotGroup)
    attributes.push_back(
        named("group", tcp::GroupIdAttr::get(&context(), *slotGroup)));
  llvm::SmallVector<mlir::Value, 4> values = {call.receiver.stream};
  if (!isZip &&
      !operandsOf(call, size_t(isNamed) + hasMode,
                  base == "vector_fp_ternary" ? 2 : 1, values, attributes))
    return {};
  mlir::Operation *op = nullptr;
  Span place = call.place;
  if (base == "vector_logic")
    op = infer<tcp::VectorLogicOp>(place, values, attributes);
  else if (base == "vector_fxp")
    op = infer<tcp::VectorFxpOp>(place, values, attributes);
  else if (base == "vector_fp_binary")
    op = infer<tcp::VectorFpBinaryOp>(place, values, attributes);
  else if (base == "vector_fp_ternary")
    op = infer<tcp::VectorFpTernaryOp>(place, values, attributes);
  else if (base == "vector_fp_div")
    op = infer<tcp::VectorFpDivOp>(place, values, attributes);
  else if (base == "vector_clip")
    op = infer<tcp::VectorClipOp>(place, values, attributes);
  else if (base == "vector_logic_zip")
    op = infer<tcp::VectorLogicZipOp>(place, values, attributes);
  else if (base == "vector_fxp_zip")
    op = infer<tcp::VectorFxpZipOp>(place, values, attributes);
  else if (base == "vector_fp_zip")
    op = infer<tcp::VectorFpZipOp>(place, values, attributes);
  else if (base == "vector_clip_zip")
    op = infer<tcp::VectorClipZipOp>(place, values, attributes);
  else
    return fail(place, "'" + call.row->name + "' is not imported yet");
  return streamOf(call, op);
}

Value Emitter::vectorUnary(ApiCall &call) {
  bool hasMode = call.row->name.ends_with("_with_mode");
  // Release 0.6 has a guard in front of the operation.
  bool isGuarded =
      call.args[0].kind == Kind::Tuple && call.args[0].fields.size() == 2;
  const Value operation =
      isGuarded ? *call.args[0].fields[1].value : call.args[0];
  mlir::Attribute attr;
  if (operation.kind == Kind::Choice)
    attr = operationAttr(&context(), "vector_fp_unary", operation.variant);
  if (!attr)
    return fail(call.argPlaces[0], "'" + call.row->name +
                                       "' takes an FpUnaryOp, found " +
                                       describe(operation));
  Attributes attributes = {named("op", attr)};
  if (isGuarded &&
      !addGuard(*call.args[0].fields[0].value, call.argPlaces[0], attributes))
    return {};
  if (hasMode) {
    auto mode = tcp::symbolizeArgMode(call.args[1].variant);
    if (!mode)
      return fail(call.argPlaces[1], "'" + call.row->name +
                                         "' takes a UnaryArgMode, found " +
                                         describe(call.args[1]));
    attributes.push_back(
        named("mode", tcp::ArgModeAttr::get(&context(), *mode)));
  }
  llvm::SmallVector<bool, 2> groups;
  for (size_t i = hasMode ? 2 : 1; i < call.args.size(); ++i) {
    if (call.args[i].kind != Kind::Bool)
      return fail(call.argPlaces[i],
                  "whether a group takes part is a bool, found " +
                      describe(call.args[i]));
    groups.push_back(call.args[i].boolean);
  }
  if (!groups.empty())
    attributes.push_back(
        named("groups", mlir::DenseBoolArrayAttr::get(&context(), groups)));
  return streamOf(call, infer<tcp::VectorFpUnaryOp>(
                            call.place, call.receiver.stream, attributes));
}

Value Emitter::convert(ApiCall &call) {
  const Value &width = call.args[0];
  if (width.kind != Kind::Int)
    return fail(call.argPlaces[0],
                "a width is an integer, found " + describe(width));
  if (width.integer < 0 || width.integer > 31)
    return fail(call.argPlaces[0], "a width lies between 0 and 31, found " +
                                       llvm::Twine(width.integer));
  auto attribute = named("int_width", builder.getI64IntegerAttr(width.integer));
  mlir::Value input = call.receiver.stream;
  mlir::Operation *op =
      call.row->name == "vector_fxp_to_fp"
          ? infer<tcp::VectorFxpToFpOp>(call.place, input, attribute)
          : infer<tcp::VectorFpToFxpOp>(call.place, input, attribute);
  return streamOf(call, op);
}

Value Emitter::interSliceReduce(ApiCall &call) {
  auto slice = mappingArg(call, "Slice"), time = mappingArg(call, "Time");
  if (!slice || !time)
    return {};
  const Value &operation = call.args[0];
  std::optional<tcp::InterSliceOp> known;
  if (operation.kind == Kind::Choice)
    known = tcp::symbolizeInterSliceOp(operation.variant);
  if (!known)
    return fail(call.argPlaces[0], "'" + call.row->name +
                                       "' takes an operation, found " +
                                       describe(operation));
  return streamOf(
      call, infer<tcp::VectorInterSliceReduceOp>(
                call.place, call.receiver.stream,
                {named("op", tcp::InterSliceOpAttr::get(&context(), *known)),
                 mapping("slice", *slice), mapping("time", *time)}));
}

Value Emitter::intraSliceReduce(ApiCall &call) {
  auto axis = axisArg(call, "Reduce");
  auto time = mappingArg(call, "Time"), packet = mappingArg(call, "Packet");
  if (!axis || !time || !packet)
    return {};
  const Value &operation = call.args[0];
  std::optional<tcp::IntraSliceReduceKind> known;
  if (operation.kind == Kind::Choice)
    known = tcp::symbolizeIntraSliceReduceKind(operation.variant);
  if (!known)
    return fail(call.argPlaces[0], "'" + call.row->name +
                                       "' takes an operation, found " +
                                       describe(operation));
  return streamOf(
      call,
      infer<tcp::VectorIntraSliceReduceOp>(
          call.place, call.receiver.stream,
          {named("op", tcp::IntraSliceReduceKindAttr::get(&context(), *known)),
           named("axis", builder.getStringAttr(*axis)), mapping("time", *time),
           mapping("packet", *packet)}));
}

Value Emitter::filter(ApiCall &call) {
  auto time = mappingArg(call, "Time");
  if (!time)
    return {};
  auto type = mlir::cast<tcp::StreamType>(call.receiver.stream.getType());
  Attributes attributes = {mapping("time", *time),
                           named("packet", type.getPacket())};
  if (call.args[0].kind == Kind::Choice && call.args[0].name == "TagGuard") {
    if (!addGuard(call.args[0], call.argPlaces[0], attributes))
      return {};
  } else if (auto group = groupOf(call.args[0]))
    attributes.push_back(
        named("group", tcp::GroupIdAttr::get(&context(), *group)));
  else if (call.args[0].variant != "ValidAlways")
    return fail(call.argPlaces[0], "'" + call.row->name +
                                       "' takes ValidBranchIds, found " +
                                       describe(call.args[0]));
  return streamOf(call, infer<tcp::VectorFilterOp>(
                            call.place, call.receiver.stream, attributes));
}

Value Emitter::reinterpret(ApiCall &call) {
  mlir::Type wanted = scalarArg(call, "D");
  if (!wanted)
    return {};
  auto type = mlir::cast<tcp::StreamType>(call.receiver.stream.getType());
  if (!wanted.isF32() && !wanted.isInteger(32))
    return fail(call.place,
                "'vector_reinterpret' is between f32 and i32, found "
                "'" +
                    str(call.types.lookup("D")) + "'");
  if (wanted == type.getElementType())
    return call.receiver;
  return streamOf(call, infer<tcp::VectorReinterpretOp>(
                            call.place, call.receiver.stream, {}));
}
