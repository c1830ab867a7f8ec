//===- BuiltinsOps.cpp - Operations on DSDs, @map -------------------------===//
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
// Settings
//===----------------------------------------------------------------------===//

/// The id of what completion activates or unblocks: an id, or a task's name.
mlir::Value Evaluator::taskTarget(const Value &value, Span span,
                                  llvm::StringRef what, bool localOnly) {
  if (value.isFunction() && value.function().decl->isTask()) {
    // A task that unblocking names may be a data task.
    bool isData = !localOnly && !value.function().decl->params().empty();
    csl::TaskOp task =
        emitTask(value.function(),
                 isData ? csl::TaskKind::Data : csl::TaskKind::Local, span);
    if (!task)
      return {};
    mlir::Type type =
        isData ? mlir::Type(csl::DataTaskIdType::get(&session.context))
               : mlir::Type(csl::LocalTaskIdType::get(&session.context));
    return csl::TaskIdOp::create(builder, loc(span), type, task.getSymName());
  }
  const Type *type = value.type();
  bool fits =
      type->is(TypeKind::LocalTaskId) ||
      (!localOnly &&
       (type->is(TypeKind::DataTaskId) ||
        type->is(session.isWse3() ? TypeKind::InputQueue : TypeKind::Color)));
  if (!fits) {
    error(span,
          "field '" + what + "' is " +
              (localOnly ? "a local_task_id or a task"
               : session.isWse3()
                   ? "an input_queue, data_task_id, local_task_id or a task"
                   : "a color, data_task_id, local_task_id or a task") +
              ", found type '" + type->str() + "'");
    return {};
  }
  return materialize(value, span);
}

bool Evaluator::readOptions(const Value &config, Span span, bool isLoad,
                            bool isDfilt, OpOptions &options) {
  bool wse3 = session.isWse3();
  llvm::SmallVector<llvm::StringRef> allowed = {"async", "activate", "unblock"};
  if (!isDfilt)
    allowed.push_back("on_control");
  if (!isDfilt && !isLoad)
    allowed.push_back("index");
  if (wse3)
    allowed.push_back("ut_id");
  else if (!isLoad)
    allowed.push_back("priority");
  if (isLoad)
    allowed.append({"save_address", "single_step"});
  if (!checkFields(config, allowed, span,
                   "an operation of " + llvm::StringRef(session.machine.name)))
    return false;
  std::optional<bool> async = knownBool(config, "async", span);
  std::optional<bool> save = knownBool(config, "save_address", span);
  std::optional<bool> single = knownBool(config, "single_step", span);
  if (!async || !save || !single)
    return false;
  options.async = *async;
  options.saveAddress = *save;
  options.singleStep = *single;
  if (const Value *value = config.field("activate")) {
    options.activate = taskTarget(*value, span, "activate", true);
    if (!options.activate)
      return false;
  }
  if (const Value *value = config.field("unblock")) {
    options.unblock = taskTarget(*value, span, "unblock", false);
    if (!options.unblock)
      return false;
  }
  if (options.activate && options.unblock) {
    error(span, "an operation activates or unblocks, found both");
    return false;
  }
  if (const Value *value = config.field("on_control")) {
    if (!value->isAggregate() || value->type()->fields.size() != 1) {
      error(span, "field 'on_control' is one of .terminate, .activate and "
                  ".unblock");
      return false;
    }
    const std::string &name = value->type()->fields[0].name;
    const Value &part = value->elements()[0];
    std::optional<csl::OnControl> action = csl::symbolizeOnControl(name);
    if (!action) {
      error(span, "field 'on_control' has no field '" + name +
                      "', allowed are .terminate, .activate and .unblock");
      return false;
    }
    if (*action == csl::OnControl::Terminate) {
      std::optional<bool> set = knownBool(*value, name, span);
      if (!set)
        return false;
      if (*set)
        options.onControl = csl::OnControlAttr::get(&session.context, *action);
    } else {
      options.controlTarget =
          taskTarget(part, span, name, *action == csl::OnControl::Activate);
      if (!options.controlTarget)
        return false;
      options.onControl = csl::OnControlAttr::get(&session.context, *action);
    }
  }
  if (const Value *value = config.field("index")) {
    options.index = materializeAs(*value, types.u16(), span);
    if (!options.index)
      return false;
  }
  if (const Value *value = config.field("priority")) {
    std::optional<csl::Priority> level = readPriority(*value, span);
    if (!level)
      return false;
    options.priority = csl::PriorityAttr::get(&session.context, *level);
  }
  if (const Value *value = config.field("ut_id")) {
    if (!value->isComptime()) {
      error(span, "DSD op setting must be comptime: field 'ut_id'");
      return false;
    }
    Value number = concretize(*value);
    if (!number.type()->is(TypeKind::UtId)) {
      error(span, "field 'ut_id' is of ut_id, found type '" +
                      number.type()->str() + "'");
      return false;
    }
    options.utId = builder.getI64IntegerAttr(number.small());
  }
  return true;
}

/// Whether the last argument of an operation is its settings.
bool Evaluator::isDsdConfig(const Value &value) {
  return value.type()->isStruct() && value.type()->isAnonymous;
}

//===----------------------------------------------------------------------===//
// Operand forms
//===----------------------------------------------------------------------===//

namespace {
/// What stands at one place of a form.
struct Slot {
  enum class Kind : uint8_t { Dest, Source, Scalar, Pointer };
  Kind kind;
  DsdElement element;
};
} // namespace

static llvm::SmallVector<Slot, 4> getSlots(const DsdOpInfo &info,
                                           DsdOpcode opcode, uint16_t form) {
  using namespace dsd_form;
  using Kind = Slot::Kind;
  Slot dest{Kind::Dest, info.dest}, pointer{Kind::Pointer, info.dest};
  Slot first{Kind::Source, info.source0}, second{Kind::Source, info.source1};
  auto value = [](DsdElement element) { return Slot{Kind::Scalar, element}; };
  // The value of a mixed sum is the fp16 side beside a DSD (AMB-011).
  bool isMixed = opcode == DsdOpcode::Faddhs;
  switch (form) {
  case DSS:
    return {dest, first, second};
  case DCS:
    return {dest, value(isMixed ? DsdElement::F16 : info.source0), second};
  case DSC:
    return {dest, first, value(isMixed ? DsdElement::F16 : info.source1)};
  case PCS:
    return {pointer, value(info.source0), second};
  case DS:
    return {dest, first};
  case PS:
    return {pointer, first};
  case DC:
    return {dest, value(info.source0)};
  case PC:
    return {pointer, value(info.source0)};
  case DSSC:
    return {dest, first, second, value(info.scalar)};
  case PCC:
    return {pointer, value(info.source0), value(info.scalar)};
  default:
    return {first};
  }
}

/// Types of CSL that an element may have.
static llvm::SmallVector<const Type *, 2> getTypes(TypeContext &types,
                                                   DsdElement element) {
  switch (element) {
  case DsdElement::I16:
    return {types.i16(), types.u16()};
  case DsdElement::I32:
    return {types.integer(32, true), types.u32()};
  case DsdElement::F16:
    return {types.fp16()};
  case DsdElement::F32:
    return {types.f32()};
  case DsdElement::None:
    break;
  }
  return {};
}

static std::string describeSlot(TypeContext &types, const Slot &slot) {
  switch (slot.kind) {
  case Slot::Kind::Dest:
  case Slot::Kind::Source:
    return "DSD/DSR";
  case Slot::Kind::Scalar:
  case Slot::Kind::Pointer: {
    std::string text;
    for (const Type *type : getTypes(types, slot.element))
      text += (text.empty() ? "" : "|") +
              std::string(slot.kind == Slot::Kind::Pointer ? "*" : "") +
              type->str();
    return text;
  }
  }
  return "";
}

/// Builds the operation of an opcode.
static mlir::Value
createOperation(mlir::OpBuilder &builder, mlir::Location loc, DsdOpcode opcode,
                mlir::Value dest, mlir::ValueRange sources,
                mlir::UnitAttr async, mlir::Value activate, mlir::Value unblock,
                csl::OnControlAttr onControl, mlir::Value controlTarget,
                mlir::Value index, csl::PriorityAttr priority,
                mlir::IntegerAttr utId) {
  mlir::Type result = builder.getI1Type();
  switch (opcode) {
#define SEQUIN_CREATE(NAME)                                                    \
  case DsdOpcode::NAME:                                                        \
    return csl::NAME##Op::create(builder, loc, result, dest, sources, async,   \
                                 activate, unblock, onControl, controlTarget,  \
                                 index, priority, utId)                        \
        .getResult();
    SEQUIN_CREATE(Add16)
    SEQUIN_CREATE(Addc16)
    SEQUIN_CREATE(Sub16)
    SEQUIN_CREATE(And16)
    SEQUIN_CREATE(Or16)
    SEQUIN_CREATE(Xor16)
    SEQUIN_CREATE(Sar16)
    SEQUIN_CREATE(Sll16)
    SEQUIN_CREATE(Slr16)
    SEQUIN_CREATE(Clz)
    SEQUIN_CREATE(Ctz)
    SEQUIN_CREATE(Popcnt)
    SEQUIN_CREATE(Mov16)
    SEQUIN_CREATE(Mov32)
    SEQUIN_CREATE(Fmovh)
    SEQUIN_CREATE(Fmovs)
    SEQUIN_CREATE(Fabsh)
    SEQUIN_CREATE(Fabss)
    SEQUIN_CREATE(Fnegh)
    SEQUIN_CREATE(Fnegs)
    SEQUIN_CREATE(Faddh)
    SEQUIN_CREATE(Fadds)
    SEQUIN_CREATE(Faddhs)
    SEQUIN_CREATE(Fsubh)
    SEQUIN_CREATE(Fsubs)
    SEQUIN_CREATE(Fmulh)
    SEQUIN_CREATE(Fmuls)
    SEQUIN_CREATE(Fmaxh)
    SEQUIN_CREATE(Fmaxs)
    SEQUIN_CREATE(Fmach)
    SEQUIN_CREATE(Fmachs)
    SEQUIN_CREATE(Fmacs)
    SEQUIN_CREATE(Fnormh)
    SEQUIN_CREATE(Fnorms)
    SEQUIN_CREATE(Fscaleh)
    SEQUIN_CREATE(Fscales)
    SEQUIN_CREATE(Fh2s)
    SEQUIN_CREATE(Fs2h)
    SEQUIN_CREATE(Fh2xp16)
    SEQUIN_CREATE(Fs2xp16)
    SEQUIN_CREATE(Xp162fh)
    SEQUIN_CREATE(Xp162fs)
#undef SEQUIN_CREATE
  case DsdOpcode::Dfilt:
    break;
  }
  return {};
}

Value Evaluator::dsdOperation(const BuiltinCall &call, DsdOpcode opcode) {
  const DsdOpInfo &info = getInfo(opcode);
  if (!expectPhase(call, {Phase::Runtime}))
    return Value();
  llvm::SmallVector<Value> values;
  for (const Expr *argument : call.arguments()) {
    // An array is no operand; its name stands for nothing here.
    values.push_back(eval(*argument));
    if (left)
      return Value();
  }
  if (llvm::any_of(values, [](const Value &v) { return !v; }))
    return Value();
  Value config(types.anonymous({}, false), std::vector<Value>());
  Span configSpan = call.span();
  bool isDfilt = opcode == DsdOpcode::Dfilt;
  if (!values.empty() && isDsdConfig(values.back())) {
    config = values.pop_back_val();
    configSpan = call.arguments().back()->span();
    if (!config.isAggregate())
      return error(configSpan, "DSD op setting must be comptime");
  }
  // FIFOs stand behind the first of several sources (FIF-008).
  auto isElementwise = [](const Value &value) {
    return value.type()->is(TypeKind::Dsd) || value.type()->is(TypeKind::Dsr) ||
           value.type()->is(TypeKind::Fifo);
  };
  llvm::SmallVector<llvm::SmallVector<Slot, 4>> forms;
  for (unsigned bit = 0; bit < 16; ++bit)
    if (info.forms >> bit & 1)
      forms.push_back(getSlots(info, opcode, 1 << bit));
  auto matches = [&](const Slot &slot, Value &value, bool convertIt) {
    switch (slot.kind) {
    case Slot::Kind::Dest:
    case Slot::Kind::Source:
      return isElementwise(value);
    case Slot::Kind::Pointer: {
      const Type *type = value.type();
      if (!type->isPointer() || type->isMany)
        return false;
      const Type *pointee = type->element;
      if (pointee->isArray() && pointee->numElements() == 1)
        pointee = pointee->element;
      return llvm::is_contained(getTypes(types, slot.element), pointee);
    }
    case Slot::Kind::Scalar:
      if (isElementwise(value) || value.type()->isPointer())
        return false;
      for (const Type *type : getTypes(types, slot.element))
        // fp16 does not widen here: the operation is another one.
        if (value.type() == type || (!value.type()->is(TypeKind::Float) &&
                                     tryCoerceQuiet(value, type))) {
          if (convertIt)
            value = coerce(value, type, call.span());
          return true;
        }
      return false;
    }
    return false;
  };
  const llvm::SmallVector<Slot, 4> *chosen = nullptr;
  for (const auto &form : forms) {
    if (form.size() != values.size())
      continue;
    bool fits = true;
    for (auto [slot, value] : llvm::zip(form, values))
      fits = fits && matches(slot, value, false);
    if (fits) {
      chosen = &form;
      break;
    }
  }
  if (!chosen) {
    Diagnostic &diagnostic =
        report(call.span(), "operand types do not match expectations");
    std::string got;
    for (const Value &value : values)
      got += (got.empty() ? "" : ", ") + value.type()->str();
    note(diagnostic, call.span(), "got type(s): " + got);
    for (const auto &form : forms) {
      std::string text;
      for (const Slot &slot : form)
        text += (text.empty() ? "" : ", ") + describeSlot(types, slot);
      note(diagnostic, call.span(), "    expected type(s): " + text);
    }
    return Value();
  }
  const Value &dest = values.front();
  const Value &base = dest.isDsd() ? dest.dsd().base : dest;
  if (!isDfilt && base.isPointer())
    if (const Global *global = base.pointer().global;
        global && !global->isVar && !global->isExtern)
      warn(call.arguments().front()->span(),
           "@" + call.name().text + " writes '" + global->name +
               "', which is declared constant");
  llvm::SmallVector<mlir::Value> operands;
  for (auto [slot, value] : llvm::zip(*chosen, values)) {
    matches(slot, value, true);
    mlir::Value operand = materialize(value, call.span());
    if (!operand)
      return Value();
    if (slot.kind == Slot::Kind::Pointer) {
      // The seed's own examples write through a pointer to const (AMB-027).
      mlir::Type plain =
          csl::PtrType::get(convert(value.type()->element->isArray()
                                        ? value.type()->element->element
                                        : value.type()->element),
                            false, false);
      if (operand.getType() != plain)
        operand =
            csl::PtrCastOp::create(builder, loc(call.span()), plain, operand);
    }
    operands.push_back(operand);
  }
  OpOptions options;
  if (!readOptions(config, configSpan, /*isLoad=*/false, isDfilt, options))
    return Value();
  mlir::UnitAttr async =
      options.async ? builder.getUnitAttr() : mlir::UnitAttr();
  mlir::Location at = loc(call.span());
  if (isDfilt) {
    if (!options.async)
      return error(configSpan, "@dfilt is asynchronous: .async = true");
    csl::DfiltOp::create(builder, at, operands[0], async, options.activate,
                         options.unblock, options.priority, options.utId);
    return makeBool(true);
  }
  mlir::Value result = createOperation(
      builder, at, opcode, operands[0], llvm::ArrayRef(operands).drop_front(),
      async, options.activate, options.unblock, options.onControl,
      options.controlTarget, options.index, options.priority, options.utId);
  return makeRuntime(types.boolType(), result);
}

//===----------------------------------------------------------------------===//
// @map
//===----------------------------------------------------------------------===//

Value Evaluator::builtinMap(const BuiltinCall &call, const Type *) {
  if (!expectPhase(call, {Phase::Runtime}))
    return Value();
  if (call.arguments().empty())
    return error(call.span(), "@map has a function, its inputs and an output");
  Value callee = eval(arg(call, 0));
  if (callee.isPointer() && callee.pointer().function.decl)
    callee = Value(types.simple(TypeKind::Function), callee.pointer().function);
  llvm::SmallVector<Value> operands;
  for (const Expr *argument : call.arguments().drop_front())
    operands.push_back(eval(*argument));
  if (!callee || llvm::any_of(operands, [](const Value &v) { return !v; }))
    return Value();
  if (!callee.isFunction() || callee.function().decl->isTask())
    return error(arg(call, 0).span(), "@map calls a function, found type '" +
                                          callee.type()->str() + "'");
  const Type *type = functionType(callee.function());
  if (!type)
    return error(arg(call, 0).span(), "@map calls a function without comptime "
                                      "and anytype parameters");
  bool hasResult = !type->element->isVoid();
  size_t wanted = type->params.size() + hasResult;
  if (operands.size() != wanted) {
    if (hasResult && operands.size() == type->params.size())
      return error(call.span(), "@map of a function that returns '" +
                                    type->element->str() +
                                    "' has an output argument");
    return error(call.span(),
                 "function expects " + llvm::Twine(type->params.size()) +
                     " arguments, " + llvm::Twine(operands.size() - hasResult) +
                     " provided");
  }
  llvm::SmallVector<mlir::Value> inputs;
  mlir::Value output;
  bool hasDsd = false;
  auto isNumber = [&](const Type *t) {
    return t->isInt(16) || t->isInt(32) || t == types.fp16() ||
           t == types.f32();
  };
  for (auto [index, value] : llvm::enumerate(operands)) {
    Span span = arg(call, index + 1).span();
    bool isOutput = hasResult && index + 1 == operands.size();
    const Type *given = value.type();
    if (given->is(TypeKind::Fifo))
      return error(span, "a FIFO is no operand of @map");
    bool isElementwise = given->is(TypeKind::Dsd) || given->is(TypeKind::Dsr);
    hasDsd |= isElementwise;
    const Type *other = isOutput ? type->element : type->params[index];
    if (isElementwise && !isNumber(other))
      return error(span, "the elements of a DSD are i16, u16, i32, u32, " +
                             types.fp16()->str() +
                             " or f32, the function has '" + other->str() +
                             "'");
    if (isElementwise && given->is(TypeKind::Dsd)) {
      if (!isOutput && given->dsd == csl::DescriptorKind::Fabout)
        return error(span, "a fabout_dsd is no input of @map");
      if (isOutput && given->dsd == csl::DescriptorKind::Fabin)
        return error(span, "a fabin_dsd is no output of @map");
    }
    if (isElementwise && given->is(TypeKind::Dsr)) {
      csl::DsrKind kind = isOutput ? csl::DsrKind::Dest : csl::DsrKind::Src1;
      if (given->dsr != kind)
        return error(span, "a DSR of @map is a dsr_" +
                               csl::stringifyDsrKind(kind) + " here, found '" +
                               given->str() + "'");
    }
    if (isOutput && !isElementwise) {
      if (!given->isPointer() || given->isMany || given->isConst ||
          given->element != other)
        return error(span, "the output of @map is a DSD, a dsr_dest or a '*" +
                               other->str() + "', found type '" + given->str() +
                               "'");
    } else if (!isElementwise) {
      value = coerce(value, other, span);
    }
    mlir::Value operand = value ? materialize(value, span) : mlir::Value();
    if (!operand)
      return Value();
    if (isOutput)
      output = operand;
    else
      inputs.push_back(operand);
  }
  if (!hasDsd)
    return error(call.span(), "an operand of @map is a DSD or DSR, found none");
  mlir::Operation *function =
      emitFunction(callee.function(), {}, arg(call, 0).span());
  if (!function)
    return Value();
  csl::MapOp::create(builder, loc(call.span()),
                     mlir::SymbolTable::getSymbolName(function), inputs,
                     output);
  return makeVoid();
}
