//===- BuiltinsHost.cpp - Exports, registers, random numbers --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "sequin/Machine/CslRegisters.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

//===----------------------------------------------------------------------===//
// What the host sees
//===----------------------------------------------------------------------===//

Value Evaluator::builtinExportSymbol(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 2) || !expectPhase(call, {Phase::TopComptime}))
    return Value();
  Span span = arg(call, 0).span();
  LValue target = evalPlace(arg(call, 0), /*forWrite=*/false);
  if (target.kind == LValue::Kind::Error)
    return Value();
  Global *global = target.constant;
  if (target.kind == LValue::Kind::Known && target.value.pointer().path.empty())
    global = target.value.pointer().global;
  FunctionRef function;
  if (target.kind == LValue::Kind::Value && target.value.isFunction())
    function = target.value.function();
  if (!global && !function.decl)
    return error(span, "@export_symbol is of a global variable or function");
  std::string name =
      function.decl ? function.decl->name().text.str() : global->name.str();
  if (call.arguments().size() == 2) {
    Value text =
        evalKnown(arg(call, 1), "the name of a symbol", types.string());
    if (!text)
      return Value();
    name = text.string();
  }
  auto [entry, isNew] = program->exportedNames.try_emplace(name, call.span());
  if (!isNew) {
    Diagnostic &diagnostic =
        report(call.span(), "name '" + name + "' is exported twice");
    note(diagnostic, entry->second, "first here");
    return Value();
  }
  const ExportName *declared = nullptr;
  for (const ExportName &candidate : session.layout.exports)
    if (candidate.name == name)
      declared = &candidate;
  if (!declared) {
    Diagnostic &diagnostic =
        report(call.span(), "name '" + name +
                                "' was not declared during layout evaluation: "
                                "the layout block needs @export_name(\"" +
                                name + "\", ...)");
    if (!diagnostic.suggests)
      return Value();
    llvm::SmallVector<llvm::StringRef> names;
    for (const ExportName &candidate : session.layout.exports)
      names.push_back(candidate.name);
    if (auto close = suggestName(name, names))
      note(diagnostic, call.span(), "did you mean '" + *close + "'?");
    return Value();
  }
  const Type *type = function.decl ? functionType(function) : global->type;
  if (!type)
    return Value();
  if (type != declared->type) {
    Diagnostic &diagnostic =
        report(call.span(), "exported symbol type mismatch. Expected type: '" +
                                declared->type->str() + "', got '" +
                                type->str() + "'");
    note(diagnostic, declared->span, "declared here");
    if (type->isArray() && declared->type->isPointer())
      note(diagnostic, call.span(),
           "an array is exported by a pointer: 'var p: " +
               declared->type->str() + " = &" + global->name + ";'");
    return Value();
  }
  if (!function.decl && declared->isMutable != global->isVar) {
    Diagnostic &diagnostic =
        report(call.span(),
               "name '" + name + "' is " +
                   (declared->isMutable
                        ? "mutable, the symbol it is given is constant"
                        : "immutable, the symbol it is given is a variable"));
    note(diagnostic, declared->span, "declared here");
    note(diagnostic, global->decl->name().span,
         declared->isMutable ? "write 'var' here, or 'false' there"
                             : "write 'const' here, or 'true' there");
    return Value();
  }
  std::string symbol;
  if (function.decl) {
    mlir::Operation *op = emitFunction(function, {}, span);
    if (!op)
      return Value();
    symbol = mlir::SymbolTable::getSymbolName(op).getValue().str();
  } else {
    emitGlobal(*global);
    symbol = global->symbol;
    if (symbol.empty())
      return Value();
  }
  program->advertised.push_back(
      {global, function, declared - session.layout.exports.data()});
  SetupScope setup(*this);
  csl::ExportSymbolOp::create(builder, loc(call.span()), symbol,
                              symbol == name ? mlir::StringAttr()
                                             : builder.getStringAttr(name));
  return makeVoid();
}

Value Evaluator::builtinExport(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2) || !expectPhase(call, {Phase::TopComptime}))
    return Value();
  Value pointer = eval(arg(call, 0)), config = evalConfig(call, 1);
  if (!pointer || !config ||
      !checkFields(config, {"name"}, arg(call, 1).span(), "@export"))
    return Value();
  const Value *name = config.field("name");
  if (!name || !name->isString())
    return error(arg(call, 1).span(), "@export needs a field 'name', a "
                                      "comptime_string");
  if (!pointer.isPointer() || !pointer.pointer().path.empty())
    return error(arg(call, 0).span(), "@export is of a pointer to a global "
                                      "variable or function");
  if (Global *global = pointer.pointer().global) {
    if (!global->exportName.empty())
      return error(call.span(), "'" + global->name + "' is exported twice");
    global->exportName = name->string();
    if (global->emitted && !global->symbol.empty()) {
      if (auto op = llvm::dyn_cast_or_null<csl::VarOp>(
              mlir::SymbolTable::lookupSymbolIn(program->op, global->symbol)))
        op.setExportName(name->string());
    } else {
      emitGlobal(*global);
    }
  } else {
    const FunctionRef &function = pointer.pointer().function;
    if (Global *global = function.module->findDeclaration(*function.decl)) {
      if (!global->exportName.empty())
        return error(call.span(), "'" + global->name + "' is exported twice");
      global->exportName = name->string();
    }
    emitFunction(function, {}, arg(call, 0).span());
  }
  return makeVoid();
}

Value Evaluator::builtinRpc(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1) || !expectPhase(call, {Phase::TopComptime}))
    return Value();
  Value id = eval(arg(call, 0));
  if (!id)
    return Value();
  if (!id.type()->is(TypeKind::DataTaskId))
    return error(arg(call, 0).span(), "@rpc is of a data_task_id, found type "
                                      "'" +
                                          id.type()->str() + "'");
  if (session.options.memcpy)
    warnFormer(call.span(), "@rpc in a program with memcpy", "1.0", "1.1",
               "the library serves the host's calls");
  SetupScope setup(*this);
  if (mlir::Value number = materialize(id, call.span()))
    csl::RpcOp::create(builder, loc(call.span()), number);
  return makeVoid();
}

Value Evaluator::builtinGetSymbolId(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1) ||
      !expectPhase(call, {Phase::Runtime, Phase::TopComptime, Phase::Comptime,
                          Phase::Initializer}))
    return Value();
  LValue target = evalPlace(arg(call, 0), /*forWrite=*/false);
  if (target.kind == LValue::Kind::Error)
    return Value();
  FunctionRef function;
  Global *global = nullptr;
  if (target.kind == LValue::Kind::Value && target.value.isFunction())
    function = target.value.function();
  else
    global = target.kind == LValue::Kind::Known ? target.value.pointer().global
                                                : target.constant;
  if (!program)
    return error(call.span(), "@get_symbol_id is of a symbol of a PE, the "
                              "layout has none");
  needExports();
  const ProgramState::Advertised *found = nullptr;
  for (const ProgramState::Advertised &entry : program->advertised)
    if (!found && (function.decl ? entry.function == function
                                 : global && entry.global == global))
      found = &entry;
  if (!found)
    return error(arg(call, 0).span(),
                 "@get_symbol_id is of a global variable or function that "
                 "@export_symbol advertises");
  if (phase != Phase::Runtime)
    return makeInt(types.u16(), found->id);
  std::string symbol;
  if (function.decl) {
    mlir::Operation *op = emitFunction(function, {}, arg(call, 0).span());
    if (!op)
      return Value();
    symbol = mlir::SymbolTable::getSymbolName(op).getValue().str();
  } else {
    symbol = global->symbol;
  }
  return makeRuntime(types.u16(),
                     csl::GetSymbolIdOp::create(builder, loc(call.span()),
                                                builder.getI16Type(), symbol));
}

Value Evaluator::builtinGetSymbolValue(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2) || !expectPhase(call, {Phase::Runtime}))
    return Value();
  const Type *type = evalType(arg(call, 0));
  Value id = eval(arg(call, 1), types.u16());
  if (!type || !id)
    return Value();
  mlir::Type target = convert(type, call.span());
  mlir::Value number = materializeAs(id, types.u16(), arg(call, 1).span());
  if (!target || !number)
    return Value();
  return makeRuntime(type, csl::GetSymbolValueOp::create(
                               builder, loc(call.span()), target, number));
}

Value Evaluator::builtinGetTensorPtr(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1) || !expectPhase(call, {Phase::Runtime}))
    return Value();
  Value id = eval(arg(call, 0), types.u16());
  if (!id)
    return Value();
  mlir::Value number = materializeAs(id, types.u16(), arg(call, 0).span());
  if (!number)
    return Value();
  const Type *type = types.pointer(types.u16(), true, false);
  return makeRuntime(type,
                     csl::GetTensorPtrOp::create(builder, loc(call.span()),
                                                 convert(type), number));
}

Value Evaluator::builtinHasExportedTensors(const BuiltinCall &call,
                                           const Type *) {
  if (!expectArgs(call, 0, 0) ||
      !expectPhase(call, {Phase::Runtime, Phase::Comptime, Phase::Initializer}))
    return Value();
  if (!program)
    return error(call.span(), "@has_exported_tensors is for code of a PE");
  needExports();
  return makeBool(llvm::any_of(program->advertised, [](const auto &entry) {
    return entry.global && entry.global->type->isPointer();
  }));
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

Value Evaluator::builtinRandom16(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 0, 0) || !expectPhase(call, {Phase::Runtime}))
    return Value();
  return makeRuntime(
      types.u16(),
      csl::Random16Op::create(builder, loc(call.span()), builder.getI16Type()));
}

Value Evaluator::builtinSetActivePrng(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1) || !expectPhase(call, {Phase::Runtime}))
    return Value();
  Value id = eval(arg(call, 0), types.u16());
  if (mlir::Value number = materializeAs(id, types.u16(), arg(call, 0).span()))
    csl::SetActivePrngOp::create(builder, loc(call.span()), number);
  return makeVoid();
}

//===----------------------------------------------------------------------===//
// Configuration registers
//===----------------------------------------------------------------------===//

/// The address and the ranges that it is promised to be in, from argument
/// `rangesAt` on.
bool Evaluator::configAddress(const BuiltinCall &call, Value &address,
                              mlir::DenseI64ArrayAttr &ranges, bool checked) {
  bool isSet = call.name().text.starts_with("set");
  unsigned rangesAt = isSet ? 2 : 1;
  if (!expectArgs(call, rangesAt, rangesAt + checked) ||
      !expectPhase(call, {Phase::Runtime, Phase::TopComptime}))
    return false;
  Span span = arg(call, 0).span();
  address = eval(arg(call, 0), types.u16());
  if (address)
    address = coerce(address, types.u16(), span);
  if (!address)
    return false;
  auto isInside = [&](int64_t value) {
    return value >= kFirstConfigAddress && value <= kLastConfigAddress;
  };
  if (address.isInteger()) {
    int64_t value = address.small();
    if (!isInside(value)) {
      error(span, "configuration registers are at " +
                      llvm::Twine(kFirstConfigAddress) + " to " +
                      llvm::Twine(kLastConfigAddress) + ", found " +
                      llvm::Twine(value));
      return false;
    }
    const CslRegisterInfo *info = lookupCslRegister(uint16_t(value));
    if (checked && info && info->reserved && isComptime() &&
        !frame->module->isLibrary) {
      error(span, "register " + llvm::Twine(value) + " ('" + info->name +
                      "') is reserved for the compiler");
      return false;
    }
  }
  if (call.arguments().size() <= rangesAt)
    return true;
  Value given = evalKnown(arg(call, rangesAt), "the range of an address");
  if (!given)
    return false;
  std::vector<int64_t> bounds;
  auto addPair = [&](const Value &pair) {
    if (!pair.isAggregate() || pair.elements().size() != 2 ||
        !pair.elements()[0].isInteger() || !pair.elements()[1].isInteger())
      return false;
    bounds.push_back(pair.elements()[0].small());
    bounds.push_back(pair.elements()[1].small());
    return bounds[bounds.size() - 2] <= bounds.back();
  };
  bool good = given.isAggregate() && !given.elements().empty();
  if (good && given.elements()[0].isInteger())
    good = addPair(given);
  else if (good)
    for (const Value &pair : given.elements())
      good = good && addPair(pair);
  if (!good) {
    error(arg(call, rangesAt).span(),
          "the range of an address is .{first, last}, or a tuple of those");
    return false;
  }
  if (address.isInteger()) {
    bool inSome = false;
    for (size_t i = 0; i < bounds.size(); i += 2)
      inSome |=
          address.small() >= bounds[i] && address.small() <= bounds[i + 1];
    if (!inSome) {
      error(span, "address " + llvm::Twine(address.small()) +
                      " is in none of the ranges given");
      return false;
    }
  }
  ranges = builder.getDenseI64ArrayAttr(bounds);
  return true;
}

Value Evaluator::builtinGetConfig(const BuiltinCall &call, const Type *) {
  bool checked = !call.name().text.ends_with("unchecked");
  Value address;
  mlir::DenseI64ArrayAttr ranges;
  if (!configAddress(call, address, ranges, checked))
    return Value();
  // At comptime: what was written before, or the default.
  if (isComptime()) {
    Value fixed = known(address, call.span(), "the address");
    if (!fixed)
      return Value();
    auto written = program->registers.find(fixed.small());
    if (written != program->registers.end())
      return written->second;
    const CslRegisterInfo *info = lookupCslRegister(uint16_t(fixed.small()));
    if (!info)
      return error(call.span(), "register " + llvm::Twine(fixed.small()) +
                                    " was not written before and has no "
                                    "default");
    return makeInt(types.u16(), info->reset);
  }
  mlir::Value number = materialize(address, call.span());
  if (!number)
    return Value();
  return makeRuntime(types.u16(),
                     csl::GetConfigOp::create(
                         builder, loc(call.span()), builder.getI16Type(),
                         number, ranges,
                         checked ? mlir::UnitAttr() : builder.getUnitAttr()));
}

Value Evaluator::builtinSetConfig(const BuiltinCall &call, const Type *) {
  bool checked = !call.name().text.ends_with("unchecked");
  Value address;
  mlir::DenseI64ArrayAttr ranges;
  if (!configAddress(call, address, ranges, checked))
    return Value();
  Value value = eval(arg(call, 1), types.u16());
  if (value)
    value = coerce(value, types.u16(), arg(call, 1).span());
  if (!value)
    return Value();
  if (isComptime()) {
    address = known(address, call.span(), "the address");
    if (!address)
      return Value();
    program->registers[address.small()] = value;
  }
  SetupScope setup(*this);
  mlir::Value at = materialize(address, call.span());
  mlir::Value number = materialize(value, call.span());
  if (at && number)
    csl::SetConfigOp::create(builder, loc(call.span()), at, number, ranges,
                             checked ? mlir::UnitAttr()
                                     : builder.getUnitAttr());
  return makeVoid();
}

Value Evaluator::builtinGetConfigUnchecked(const BuiltinCall &call,
                                           const Type *hint) {
  return builtinGetConfig(call, hint);
}
Value Evaluator::builtinSetConfigUnchecked(const BuiltinCall &call,
                                           const Type *hint) {
  return builtinSetConfig(call, hint);
}

//===----------------------------------------------------------------------===//
// For the library
//===----------------------------------------------------------------------===//

/// @sequin_former("form", "until", "since", "instead"): what the library was
/// given is of former releases.
Value Evaluator::builtinSequinFormer(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 4, 4))
    return Value();
  std::string texts[4];
  for (auto [number, text] : llvm::enumerate(texts)) {
    Value known = evalKnown(arg(call, number), "the text", types.string());
    if (!known)
      return Value();
    text = known.string();
  }
  sayFormer(texts[0], texts[1], texts[2], texts[3]);
  return makeVoid();
}

Value Evaluator::builtinSequinUnblock(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 0, 0) || !expectPhase(call, {Phase::Runtime}))
    return Value();
  csl::UnblockCmdStreamOp::create(builder, loc(call.span()));
  return makeVoid();
}

/// @sequin_register("name"[, index]): the address of a register.
Value Evaluator::builtinSequinRegister(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 2))
    return Value();
  Value name =
      evalKnown(arg(call, 0), "the name of a register", types.string());
  if (!name)
    return Value();
  const CslRegisterInfo *info = lookupCslRegister(name.string());
  if (!info)
    return error(arg(call, 0).span(),
                 "unknown register '" + name.string() + "'");
  Value index = makeInt(types.u16(), 0);
  if (call.arguments().size() == 2) {
    index = eval(arg(call, 1), types.u16());
    if (index)
      index = coerce(index, types.u16(), arg(call, 1).span());
    if (!index)
      return Value();
  }
  if (index.isInteger())
    return makeInt(types.u16(), info->address + index.small());
  return binary(BinaryOp::Add, makeInt(types.u16(), info->address), index,
                call.span());
}

/// @sequin_coordinate("x"): where the PE is in the rectangle.
Value Evaluator::builtinSequinCoordinate(const BuiltinCall &call,
                                         const Type *) {
  if (!expectArgs(call, 1, 1) || !expectPhase(call, {Phase::Runtime}))
    return Value();
  Value axis = evalKnown(arg(call, 0), "the axis", types.string());
  if (!axis)
    return Value();
  return makeRuntime(types.u16(),
                     csl::CoordinateOp::create(
                         builder, loc(call.span()), builder.getI16Type(),
                         axis.string() == "x" ? csl::Axis::X : csl::Axis::Y));
}

/// @sequin_print(format, values...)
Value Evaluator::builtinSequinPrint(const BuiltinCall &call, const Type *) {
  if (call.arguments().empty() || !expectPhase(call, {Phase::Runtime}))
    return Value();
  Value format = evalKnown(arg(call, 0), "the format", types.string());
  if (!format)
    return Value();
  llvm::SmallVector<mlir::Value> values;
  std::vector<Value> parts;
  // What the library prints before the caller's values is not counted.
  size_t ofLibrary = 0;
  for (const Expr *argument : call.arguments().drop_front()) {
    Value value = eval(*argument);
    if (!value)
      return Value();
    ofLibrary = parts.size();
    if (value.isAggregate() && value.type()->isStruct())
      llvm::append_range(parts, value.elements());
    else
      parts.push_back(value);
  }
  // Integers of the dialect have no sign: an unsigned one that is printed in
  // decimal is widened.
  std::string forms;
  llvm::StringRef rest = format.string();
  std::string printed; // with the forms of the dialect
  for (size_t i = 0; i < rest.size(); ++i) {
    llvm::StringRef form = rest.substr(i, 3);
    printed += rest[i];
    if (!form.starts_with("{"))
      continue;
    if (form.starts_with("{{")) {
      printed += rest[++i];
      continue;
    }
    if (form.size() < 3 || form[2] != '}' ||
        !llvm::StringRef("dXbf").contains(form[1]))
      return error(call.span(), "the format has '" + form +
                                    "', allowed are {d}, {X}, {b}, {f} and {{");
    bool isLarge = false;
    if (forms.size() < parts.size()) {
      const Type *type = parts[forms.size()].type();
      isLarge = type->is(TypeKind::Int) && !type->isSigned && type->width > 32;
    }
    forms += form[1];
    printed += form[1] == 'd' && isLarge ? "u}" : form.drop_front().str();
    i += 2;
  }
  if (forms.size() != parts.size())
    return error(call.span(),
                 "the format is for " + llvm::Twine(forms.size() - ofLibrary) +
                     " values, found " + llvm::Twine(parts.size() - ofLibrary));
  for (auto [index, part] : llvm::enumerate(parts)) {
    // A literal needs no type to be printed.
    if (part.isInteger() && part.type()->is(TypeKind::ComptimeInt)) {
      bool isSmall = part.integer().fits(32, true);
      if (isSmall || part.integer().fits(32, false))
        part.setType(types.integer(32, isSmall));
    } else if (part.isFloat() && part.type()->is(TypeKind::ComptimeFloat)) {
      part = coerce(part, types.f32(), call.span());
    }
    const Type *type = part.type();
    if (type->isFloating() != (forms[index] == 'f'))
      return error(call.span(),
                   "value " + llvm::Twine(index - ofLibrary) + " of type '" +
                       type->str() + "' is printed as '{" +
                       llvm::Twine(forms[index]) + "}', which is for " +
                       (forms[index] == 'f' ? "floats" : "integers"));
    mlir::Value number = materialize(part, call.span());
    if (!number)
      return Value();
    if (forms[index] == 'd' && type->is(TypeKind::Int) && !type->isSigned &&
        type->width <= 32)
      number =
          convertNumber(number, type, types.integer(2 * type->width, false),
                        loc(call.span()));
    values.push_back(number);
  }
  csl::SimPrintOp::create(builder, loc(call.span()), printed, values,
                          call.name().text == "sequin_print_partial");
  return makeVoid();
}

Value Evaluator::builtinSequinPrintPartial(const BuiltinCall &call,
                                           const Type *hint) {
  return builtinSequinPrint(call, hint);
}

/// A function of known numbers, rounded once.
static std::optional<double> foldMath(llvm::StringRef name, double x,
                                      double y) {
  using Function = double (*)(double);
  auto function = llvm::StringSwitch<Function>(name)
                      .Case("sqrt", [](double v) { return std::sqrt(v); })
                      .Case("rsqrt", [](double v) { return 1 / std::sqrt(v); })
                      .Case("exp", [](double v) { return std::exp(v); })
                      .Case("log", [](double v) { return std::log(v); })
                      .Case("sin", [](double v) { return std::sin(v); })
                      .Case("cos", [](double v) { return std::cos(v); })
                      .Case("tanh", [](double v) { return std::tanh(v); })
                      .Case("abs", [](double v) { return std::abs(v); })
                      .Case("floor", [](double v) { return std::floor(v); })
                      .Case("ceil", [](double v) { return std::ceil(v); })
                      .Default(nullptr);
  if (function)
    return function(x);
  if (name == "pow")
    return std::pow(x, y);
  return std::nullopt;
}

/// How a number of comptime is written where a float is wanted.
static std::string floatToWrite(const Type *found) {
  if (found->is(TypeKind::ComptimeInt))
    return ": write the number with a point, as in 2.0";
  return found->is(TypeKind::ComptimeFloat) || found->is(TypeKind::Int)
             ? ": write @as(f32, ...)"
             : "";
}

/// @sequin_math("name", operands...): a function of the math dialect.
Value Evaluator::builtinSequinMath(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 3))
    return Value();
  Value name =
      evalKnown(arg(call, 0), "the name of a function", types.string());
  if (!name)
    return Value();
  if (isComptime()) {
    Value x = evalKnown(arg(call, 1), "the argument"), y = x;
    if (x && call.arguments().size() == 3)
      y = evalKnown(arg(call, 2), "the argument", x.type());
    if (!x || !y)
      return Value();
    if (!x.isFloat() || !y.isFloat())
      return error(call.span(), "expected a float, found type '" +
                                    x.type()->str() + "'" +
                                    floatToWrite(x.type()));
    std::optional<double> result =
        foldMath(name.string(), x.number(), y.number());
    if (!result)
      return error(arg(call, 0).span(),
                   "unknown function '" + name.string() + "'");
    return Value(x.type(), x.type()->is(TypeKind::Float)
                               ? roundTo(x.type()->format, *result)
                               : *result);
  }
  llvm::SmallVector<mlir::Value> operands;
  const Type *type = nullptr;
  mlir::Location at = loc(call.span());
  for (const Expr *argument : call.arguments().drop_front()) {
    Value value = eval(*argument, type);
    if (value && type)
      value = coerce(value, type, argument->span());
    if (!value)
      return Value();
    type = value.type();
    if (!type->is(TypeKind::Float))
      return error(argument->span(), "expected a float, found type '" +
                                         type->str() + "'" +
                                         floatToWrite(type));
    mlir::Value number = materialize(value, argument->span());
    if (!number)
      return Value();
    if (type->format == FloatFormat::CB16)
      number = convertNumber(number, type, types.f32(), at);
    operands.push_back(number);
  }
  namespace math = mlir::math;
  mlir::Value result;
  llvm::StringRef which = name.string();
#define SEQUIN_UNARY(NAME, OP)                                                 \
  if (which == NAME && operands.size() == 1)                                   \
    result = math::OP::create(builder, at, operands[0]);
  SEQUIN_UNARY("sqrt", SqrtOp)
  SEQUIN_UNARY("rsqrt", RsqrtOp)
  SEQUIN_UNARY("exp", ExpOp)
  SEQUIN_UNARY("log", LogOp)
  SEQUIN_UNARY("sin", SinOp)
  SEQUIN_UNARY("cos", CosOp)
  SEQUIN_UNARY("tanh", TanhOp)
  SEQUIN_UNARY("abs", AbsFOp)
  SEQUIN_UNARY("floor", FloorOp)
  SEQUIN_UNARY("ceil", CeilOp)
#undef SEQUIN_UNARY
  if (which == "pow" && operands.size() == 2)
    result = math::PowFOp::create(builder, at, operands[0], operands[1]);
  if (!result)
    return error(arg(call, 0).span(), "unknown function '" + which + "'");
  if (type->format == FloatFormat::CB16)
    result = convertNumber(result, types.f32(), type, at);
  return makeRuntime(type, result);
}
