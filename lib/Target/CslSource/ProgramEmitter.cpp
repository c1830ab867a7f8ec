//===- ProgramEmitter.cpp - One program as a file of CSL ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramEmitter.h"
#include "CodeEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

ProgramEmitter::ProgramEmitter(csl::ProgramOp program, const ModuleInfo &info)
    : program(program), info(info), signs(program, info.layout) {}

void ProgramEmitter::refuse(Operation *op, const Twine &reason) {
  failed = true;
  op->emitOpError() << reason;
}

void ProgramEmitter::expectFailure(Value value) {
  if (failed)
    return;
  failed = true;
  mlir::emitError(value.getLoc())
      << "value of type " << value.getType() << " is used where CSL source "
      << "has no expression for it";
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string ProgramEmitter::takeLocal(Names &scope, StringRef wish) {
  std::string name =
      scope.take(isReserved(wish) ? wish.str() + "_value" : wish);
  localNames.insert(name);
  return name;
}

std::string ProgramEmitter::takeGlobal(StringRef wish) {
  std::string name = globals.take(wish);
  while (localNames.contains(name))
    name = globals.take(wish);
  return name;
}

/// The name in a location, if it is one that a person gave.
static StringRef getLocationName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().getValue();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (auto name = dyn_cast<NameLoc>(part))
        return name.getName().getValue();
  return "";
}

std::string ProgramEmitter::wishFor(Value value) const {
  if (auto found = info.names.find(value); found != info.names.end())
    return found->second;
  StringRef name = getLocationName(value.getLoc());
  return name.empty() ? "" : asIdentifier(name);
}

std::string ProgramEmitter::nameOf(Operation *symbol) {
  if (!symbol)
    return "_";
  return symbolNames.lookup(symbol);
}

Operation *ProgramEmitter::lookup(FlatSymbolRefAttr name) {
  return SymbolTable::lookupSymbolIn(program, name);
}

/// What the constants of ids may be called: the name of a value that holds one.
void ProgramEmitter::collectNames() {
  for (Operation &op : program.getBody().front())
    if (auto name =
            op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      symbolNames[&op] = globals.take(name.getValue());
  program.walk([&](csl::ConstantOp op) {
    std::pair<const void *, int64_t> key{
        op.getType().getAsOpaquePointer(),
        static_cast<int64_t>(op.getValueAttr().getValue().getZExtValue())};
    std::string &wish = idWishes[key];
    // A task's id is called like the task.
    for (Operation *user : op->getUsers()) {
      if (auto bind = dyn_cast<csl::BindLocalTaskOp>(user))
        wish = bind.getTask().str() + "_id";
      if (auto bind = dyn_cast<csl::BindControlTaskOp>(user))
        wish = bind.getTask().str() + "_id";
    }
    std::string name = wishFor(op);
    if (name.size() >= 3 && wish.empty())
      wish = name;
  });
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::string ProgramEmitter::structName(Operation *at, csl::StructType type) {
  if (auto found = typeNames.find(type); found != typeNames.end())
    return found->second;
  std::vector<Doc> fields;
  bool isTuple =
      type.getName().empty() && !type.getFieldNames().empty() &&
      llvm::all_of(type.getFieldNames().front().getValue(), llvm::isDigit);
  for (auto [index, name, field] :
       llvm::enumerate(type.getFieldNames(), type.getFieldTypes())) {
    std::string spelled = typeName(at, field, signs.isSigned(type, index));
    // A tuple's type has no name but that of a value.
    fields.emplace_back(isTuple
                            ? "@as(" + spelled + ", 0)"
                            : asIdentifier(name.getValue()) + ": " + spelled);
    if (isTuple && !field.isIntOrFloat())
      refuse(at, "has a tuple type with a field of type that no literal has");
  }
  std::string wish = type.getName().str();
  if (wish.empty())
    wish = isTuple ? "Tuple" : type.getIsUnion() ? "Union" : "Struct";
  std::string name = takeGlobal(wish);
  typeNames[type] = name;
  if (isTuple) {
    types.write("const " + name + " = ",
                Doc::call("@type_of", {Doc::braces("", std::move(fields))}),
                ";");
    return name;
  }
  std::string kind =
      type.getKind() == csl::AggregateKind::Plain
          ? ""
          : csl::stringifyAggregateKind(type.getKind()).str() + " ";
  kind += type.getIsUnion() ? "union " : "struct ";
  types.write("const " + name + " = ", Doc::braces(kind, std::move(fields)),
              ";");
  return name;
}

std::string ProgramEmitter::enumName(csl::EnumType type) {
  if (auto found = typeNames.find(type); found != typeNames.end())
    return found->second;
  bool isSigned = llvm::any_of(type.getCaseValues(),
                               [](int64_t value) { return value < 0; });
  std::vector<Doc> cases;
  for (auto [name, value] :
       llvm::zip(type.getCaseNames(), type.getCaseValues()))
    cases.emplace_back(asIdentifier(name.getValue()) + " = " +
                       std::to_string(value));
  std::string name =
      takeGlobal(type.getName().empty() ? "Enum" : type.getName());
  typeNames[type] = name;
  IntType base{type.getBaseType().getWidth(), isSigned};
  types.write("const " + name + " = ",
              Doc::braces("enum(" + base.str() + ") ", std::move(cases)), ";");
  return name;
}

std::string ProgramEmitter::typeName(Operation *at, Value value) {
  if (value.getType().isIndex())
    return signs.of(value).str();
  return typeName(at, value.getType(), signs.isSigned(value));
}

std::string ProgramEmitter::typeName(Operation *at, Type type, bool isSigned) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() == 1
               ? "bool"
               : IntType{integer.getWidth(), isSigned}.str();
  // Between functions it has the simulator's width.
  if (type.isIndex())
    return "i32";
  auto sizes = [](ArrayRef<int64_t> shape) {
    std::string text = "[";
    for (auto [index, size] : llvm::enumerate(shape))
      text += (index ? ", " : "") + std::to_string(size);
    return text + "]";
  };
  if (auto pointer = dyn_cast<csl::PtrType>(type)) {
    Type pointee = pointer.getPointee();
    std::string prefix = pointer.getMany() ? "[*]" : "*";
    if (pointer.getIsConst())
      prefix += "const ";
    if (isa<NoneType>(pointee))
      return prefix + "anyopaque";
    if (auto function = dyn_cast<FunctionType>(pointee)) {
      std::string text = prefix + "fn(";
      for (auto [index, input] : llvm::enumerate(function.getInputs()))
        text += std::string(index ? ", " : "") +
                (isa<MemRefType>(input) ? "*" : "") + typeName(at, input, true);
      if (function.getNumResults() > 1)
        refuse(at, "has a function type of several results");
      return text + ") " +
             (function.getNumResults() == 1
                  ? typeName(at, function.getResult(0), true)
                  : "void");
    }
    return prefix + typeName(at, pointee, isSigned);
  }
  if (auto array = dyn_cast<csl::ArrayType>(type))
    return sizes(array.getShape()) +
           typeName(at, array.getElementType(), isSigned);
  if (auto memref = dyn_cast<MemRefType>(type)) {
    std::string element = typeName(at, memref.getElementType(), isSigned);
    return memref.getRank() ? sizes(memref.getShape()) + element : element;
  }
  if (auto aggregate = dyn_cast<csl::StructType>(type))
    return structName(at, aggregate);
  if (auto named = dyn_cast<csl::EnumType>(type))
    return enumName(named);
  if (auto dsd = dyn_cast<csl::DsdType>(type))
    return csl::stringifyDescriptorKind(dsd.getKind()).str() + "_dsd";
  if (auto dsr = dyn_cast<csl::DsrType>(type))
    return "dsr_" + csl::stringifyDsrKind(dsr.getKind()).str();
  if (type.isF32())
    return "f32";
  bool isHalf = type.isF16() || type.isBF16() || isa<csl::CB16Type>(type);
  if (isHalf && type == info.target.getFp16Type())
    return csl::stringifyFp16(info.target.getFp16()).str();
  StringRef name =
      llvm::TypeSwitch<Type, StringRef>(type)
          .Case<csl::ColorType>([](Type) { return "color"; })
          .Case<csl::InputQueueType>([](Type) { return "input_queue"; })
          .Case<csl::OutputQueueType>([](Type) { return "output_queue"; })
          .Case<csl::DataTaskIdType>([](Type) { return "data_task_id"; })
          .Case<csl::LocalTaskIdType>([](Type) { return "local_task_id"; })
          .Case<csl::ControlTaskIdType>([](Type) { return "control_task_id"; })
          .Case<csl::UtIdType>([](Type) { return "ut_id"; })
          .Case<csl::DirectionType>([](Type) { return "direction"; })
          .Case<csl::XdsrType>([](Type) { return "xdsr"; })
          .Case<csl::SrType>([](Type) { return "sr"; })
          .Default([](Type) { return ""; });
  if (name.empty()) {
    InFlightDiagnostic error = at->emitOpError()
                               << "has type " << type
                               << ", which CSL does not have at run time";
    if (isHalf)
      error << " with --fp16-format="
            << csl::stringifyFp16(info.target.getFp16());
    failed = true;
    return "_";
  }
  return name.str();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::string ProgramEmitter::literal(Operation *at, Attribute value, Type type,
                                    bool isSigned) {
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    if (type.isInteger(1))
      return number.getValue().isZero() ? "false" : "true";
    if (type.isIntOrIndex())
      return spellInteger(number.getValue(), isSigned);
    if (auto named = dyn_cast<csl::EnumType>(type)) {
      int64_t bits = number.getValue().getZExtValue();
      unsigned width = named.getBaseType().getWidth();
      for (auto [name, value] :
           llvm::zip(named.getCaseNames(), named.getCaseValues()))
        if ((static_cast<uint64_t>(value) ^ bits) << (64 - width) == 0)
          return enumName(named) + "." + asIdentifier(name.getValue());
      return "@as(" + enumName(named) + ", " + std::to_string(bits) + ")";
    }
    // An id by number.
    return idOf(type, number.getValue().getZExtValue());
  }
  if (auto number = dyn_cast<FloatAttr>(value)) {
    APFloat exact = number.getValue();
    if (std::optional<std::string> text = spellFloat(exact))
      return *text;
    if (isa<csl::CB16Type>(type)) {
      refuse(at, "has a cb16 value that no literal has");
      return "_";
    }
    // What no literal has: by its bits.
    APInt bits = exact.bitcastToAPInt();
    return "@bitcast(" + typeName(at, type, true) + ", @as(u" +
           std::to_string(bits.getBitWidth()) + ", 0x" +
           llvm::utohexstr(bits.getZExtValue(), /*LowerCase=*/true) + "))";
  }
  refuse(at, "has a constant that CSL has no literal for");
  return "_";
}

std::string ProgramEmitter::idOf(Type type, int64_t number) {
  if (isa<csl::DirectionType>(type))
    return csl::stringifyDirection(static_cast<csl::Direction>(number)).str();
  auto [entry, isNew] =
      idNames.try_emplace({type.getAsOpaquePointer(), number});
  if (!isNew)
    return entry->second;
  std::string suffix = "_" + std::to_string(number);
  auto [builtin, wish] =
      llvm::TypeSwitch<Type, std::pair<StringRef, StringRef>>(type)
          .Case<csl::ColorType>(
              [](Type) { return std::pair("@get_color", "color"); })
          .Case<csl::InputQueueType>(
              [](Type) { return std::pair("@get_input_queue", "in_queue"); })
          .Case<csl::OutputQueueType>(
              [](Type) { return std::pair("@get_output_queue", "out_queue"); })
          .Case<csl::LocalTaskIdType>([](Type) {
            return std::pair("@get_local_task_id", "local_task");
          })
          .Case<csl::ControlTaskIdType>([](Type) {
            return std::pair("@get_control_task_id", "control_task");
          })
          .Case<csl::UtIdType>(
              [](Type) { return std::pair("@get_ut_id", "ut"); })
          .Default([](Type) { return std::pair("", ""); });
  Doc made = Doc::call(builtin.str(), {Doc(std::to_string(number))});
  if (isa<csl::DataTaskIdType>(type)) {
    // Made of what the wavelets come through.
    bool wse2 = info.target.getRow()->generation == 2;
    Type from = wse2 ? Type(csl::ColorType::get(type.getContext()))
                     : Type(csl::InputQueueType::get(type.getContext()));
    made = Doc::call("@get_data_task_id", {Doc(idOf(from, number))});
    wish = "data_task";
  } else if (builtin.empty()) {
    return "_";
  }
  auto known = idWishes.find({type.getAsOpaquePointer(), number});
  std::string name = takeGlobal(
      known != idWishes.end() && !known->second.empty() ? known->second
                                                        : wish.str() + suffix);
  // The recursion above may have moved nothing: std::map keeps its nodes.
  entry->second = name;
  ids.write("const " + name + " = ", made, ";");
  return name;
}

std::string ProgramEmitter::constantOf(const Doc &value, StringRef wish,
                                       bool isId) {
  auto [entry, isNew] = constants.try_emplace(value.flat());
  if (!isNew)
    return entry->second;
  std::string name = takeGlobal(wish);
  entry->second = name;
  (isId ? ids : descriptors).write("const " + name + " = ", value, ";");
  return name;
}

std::string ProgramEmitter::boundIdOf(Operation *at, FlatSymbolRefAttr task) {
  Value id;
  program.walk([&](Operation *op) {
    if (auto bind = dyn_cast<csl::BindLocalTaskOp>(op);
        bind && bind.getTaskAttr() == task)
      id = bind.getId();
    if (auto bind = dyn_cast<csl::BindDataTaskOp>(op);
        bind && bind.getTaskAttr() == task)
      id = bind.getId();
  });
  if (id)
    if (std::optional<int64_t> number = csl::getKnownId(id))
      return idOf(id.getType(), *number);
  if (auto get = id ? id.getDefiningOp<csl::GetParamOp>() : csl::GetParamOp())
    return nameOf(lookup(get.getParamAttr()));
  refuse(at, "names task '" + task.getValue() +
                 "', which is bound to no id that has a name");
  return "_";
}

std::string ProgramEmitter::library(StringRef name) {
  auto [entry, isNew] = libraries.try_emplace(name);
  if (isNew) {
    entry->second = takeGlobal(isReserved(name) ? name.str() + "_mod" : name);
    imports.line("const " + entry->second + " = @import_module(\"<" +
                 name.str() + ">\");");
  }
  return entry->second;
}

std::string ProgramEmitter::sysModule() {
  if (memcpyName.empty()) {
    memcpy = true;
    memcpyName = takeGlobal("sys_mod");
    paramsName = takeGlobal("memcpy_params");
  }
  return memcpyName;
}

std::string ProgramEmitter::registerAddress(StringRef name, uint16_t address) {
  auto [entry, isNew] = constants.try_emplace(("register " + name).str());
  if (isNew) {
    entry->second = takeGlobal((name + "_address").str());
    ids.line("const " + entry->second + ": u16 = 0x" +
             llvm::utohexstr(address, /*LowerCase=*/true) + ";");
  }
  return entry->second;
}

std::string ProgramEmitter::exportedName(Operation *symbol) {
  auto found = pointerNames.find(symbol);
  return found != pointerNames.end() ? found->second : nameOf(symbol);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

std::string ProgramEmitter::getParamType(csl::ParamOp param) {
  if (auto type = dyn_cast<csl::EnumType>(param.getType())) {
    bool isSigned = llvm::any_of(type.getCaseValues(),
                                 [](int64_t value) { return value < 0; });
    return IntType{type.getBaseType().getWidth(), isSigned}.str();
  }
  return typeName(param, param.getType(), signs.isSigned(param));
}

void ProgramEmitter::emitParams() {
  for (auto param : program.getOps<csl::ParamOp>()) {
    std::string type = getParamType(param), name = nameOf(param), start;
    Type valueType = param.getType();
    if (auto named = dyn_cast<csl::EnumType>(valueType)) {
      // The layout gives a number, because it does not know the type.
      std::string given = takeGlobal(name + "_number");
      types.line("const " + name + " = @as(" + enumName(named) + ", " + given +
                 ");");
      name = given;
      valueType = named.getBaseType();
    }
    if (std::optional<TypedAttr> value = param.getDefaultValue()) {
      auto number = dyn_cast<IntegerAttr>(*value);
      // A parameter stands before the constants.
      if (number && !valueType.isIntOrIndex() &&
          !isa<csl::DirectionType>(valueType))
        start =
            " = " + spellIdInPlace(valueType, number.getValue().getZExtValue());
      else
        start = " = " +
                literal(param, *value, valueType, StringRef(type)[0] != 'u');
    }
    params.line("param " + name + ": " + type + start + ";");
    paramNames[param] = name;
  }
}

std::string ProgramEmitter::spellIdInPlace(Type type, int64_t number) {
  if (isa<csl::DirectionType>(type))
    return csl::stringifyDirection(static_cast<csl::Direction>(number)).str();
  return spellIdBuiltin(type, std::to_string(number));
}

std::string ProgramEmitter::spellIdBuiltin(Type type, const std::string &text) {
  std::string call = "(" + text + ")";
  return llvm::TypeSwitch<Type, std::string>(type)
      .Case<csl::ColorType>([&](Type) { return "@get_color" + call; })
      .Case<csl::InputQueueType>(
          [&](Type) { return "@get_input_queue" + call; })
      .Case<csl::OutputQueueType>(
          [&](Type) { return "@get_output_queue" + call; })
      .Case<csl::LocalTaskIdType>(
          [&](Type) { return "@get_local_task_id" + call; })
      .Case<csl::ControlTaskIdType>(
          [&](Type) { return "@get_control_task_id" + call; })
      .Case<csl::UtIdType>([&](Type) { return "@get_ut_id" + call; })
      .Case<csl::DataTaskIdType>([&](Type) {
        return "@get_data_task_id(" +
               (info.target.getRow()->generation == 2
                    ? "@get_color" + call
                    : "@get_input_queue" + call) +
               ")";
      })
      .Default([](Type) { return std::string("_"); });
}

std::optional<Doc> ProgramEmitter::initialOf(csl::VarOp var, Type type,
                                             bool isSigned,
                                             std::vector<int64_t> &path) {
  const Initials &stored = initials[var];
  if (auto found = stored.find(path); found != stored.end())
    return Doc(found->second);
  std::vector<Doc> items;
  auto addPart = [&](int64_t number, Type part, bool isPartSigned,
                     StringRef name) {
    path.push_back(number);
    std::optional<Doc> item = initialOf(var, part, isPartSigned, path);
    path.pop_back();
    if (item)
      items.push_back(name.empty() ? *item : Doc::field(name, *item));
    return item.has_value();
  };
  if (auto array = dyn_cast<csl::ArrayType>(type)) {
    int64_t count = 1;
    for (int64_t size : array.getShape())
      count *= size;
    for (int64_t i = 0; i < count; ++i)
      if (!addPart(i, array.getElementType(), isSigned, ""))
        return std::nullopt;
    Doc made = Doc::braces(typeName(var, type, isSigned) + " ", items);
    made.fill = true;
    return made;
  }
  if (auto record = dyn_cast<csl::StructType>(type)) {
    auto next = stored.lower_bound(path);
    for (auto [number, field] : llvm::enumerate(record.getFieldTypes())) {
      StringRef name = record.getFieldNames()[number].getValue();
      // A union has the field that is stored.
      if (record.getIsUnion() &&
          (next == stored.end() || next->first.size() <= path.size() ||
           next->first[path.size()] != static_cast<int64_t>(number)))
        continue;
      std::string label =
          llvm::all_of(name, llvm::isDigit) ? "" : asIdentifier(name);
      if (!addPart(number, field, signs.isSigned(record, number), label))
        return std::nullopt;
    }
    bool isAnonymous = record.getName().empty() &&
                       record.getKind() == csl::AggregateKind::Plain &&
                       !record.getIsUnion();
    return Doc::braces(isAnonymous ? "" : typeName(var, type, isSigned) + " ",
                       items);
  }
  if (!type.isIntOrFloat())
    return std::nullopt;
  return Doc(isa<FloatType>(type) ? "0.0" : type.isInteger(1) ? "false" : "0");
}

void ProgramEmitter::emitVar(csl::VarOp var) {
  MemRefType memref = var.getMemRefType();
  Type element = memref.getElementType();
  if (isFlat(var))
    memref = MemRefType::get({memref.getNumElements()}, element);
  bool isSigned = signs.isSigned(var);
  std::string name = nameOf(var);
  std::string type = typeName(var, memref, isSigned);
  std::string attributes;
  if (std::optional<uint64_t> bytes = var.getAlignment())
    attributes += " align(" + std::to_string(*bytes) + ")";
  if (var.getSection())
    attributes += " linksection(" + quote(*var.getSection()) + ")";
  if (var.getLinkName())
    attributes += " linkname(" + quote(*var.getLinkName()) + ")";

  std::string storage;
  if (var.getIsExtern())
    storage = "extern ";
  else if (var.getExportName() && *var.getExportName() == name)
    storage = "export ";
  else if (var.getExportName())
    comptime.write(
        "",
        Doc::call("@export",
                  {Doc("&" + name),
                   Doc::braces(
                       "", {Doc::field("name", quote(*var.getExportName()))})}),
        ";");
  if (var.getIsExtern() && var.getExportName())
    refuse(var, "is extern and exported, which a variable of CSL is not");

  std::string head = storage + (isConst(var) ? "const " : "var ") + name;
  std::optional<ElementsAttr> value = var.getInitialValue();
  if (auto stored = initials.find(var); stored != initials.end()) {
    // Elements that nothing is stored in keep what the variable says.
    int64_t count = memref.getNumElements();
    std::vector<Doc> items;
    // An array that is stored as a whole.
    if (auto whole = stored->second.find({}); whole != stored->second.end()) {
      variables.write(head + ": " + type + attributes + " = ",
                      Doc(whole->second), ";");
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      std::vector<int64_t> path = {i};
      auto next = stored->second.lower_bound(path);
      bool isStored = next != stored->second.end() && next->first[0] == i;
      std::optional<Doc> item;
      if (value && !isStored)
        item =
            literal(var, value->getValues<Attribute>()[i], element, isSigned);
      else
        item = initialOf(var, element, isSigned, path);
      if (!item) {
        refuse(var, "gets an initial value in some elements alone");
        return;
      }
      items.push_back(*item);
    }
    Doc made = memref.getRank() ? Doc::braces(type + " ", items) : items[0];
    made.fill = true;
    variables.write(head + ": " + type + attributes + " = ", made, ";");
    return;
  }
  if (!value) {
    variables.line(head + ": " + type + attributes + ";");
    return;
  }
  auto elementText = [&](Attribute attribute) {
    return literal(var, attribute, element, isSigned);
  };
  if (!memref.getRank()) {
    variables.line(head + ": " + type + attributes + " = " +
                   elementText(*value->getValues<Attribute>().begin()) + ";");
    return;
  }
  // The value says the type.
  Doc made;
  if (value->isSplat()) {
    Attribute splat = value->getSplatValue<Attribute>();
    auto number = dyn_cast<IntegerAttr>(splat);
    auto real = dyn_cast<FloatAttr>(splat);
    bool isZero = (number && number.getValue().isZero() &&
                   element.isIntOrFloat() && !element.isInteger(1)) ||
                  (real && real.getValue().isPosZero());
    made = isZero
               ? Doc::call("@zeros", {Doc(type)})
               : Doc::call("@constants", {Doc(type), Doc(elementText(splat))});
  } else {
    std::vector<Doc> items;
    for (Attribute attribute : value->getValues<Attribute>())
      items.emplace_back(elementText(attribute));
    made = Doc::braces(type + " ", std::move(items));
    made.fill = true;
  }
  variables.write(head + (attributes.empty() ? "" : ": " + type + attributes) +
                      " = ",
                  made, ";");
}

void ProgramEmitter::emitFifo(csl::FifoOp fifo) {
  std::vector<Doc> fields;
  auto choice = [&](StringRef name, std::optional<csl::FifoAction> action) {
    if (action)
      fields.push_back(
          Doc::field(name, spellChoice(csl::stringifyFifoAction(*action))));
  };
  auto task = [&](StringRef name, std::optional<Attribute> id) {
    if (!id)
      return;
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(*id))
      fields.push_back(Doc::field(name, Doc(nameOf(lookup(symbol)))));
    else
      fields.push_back(Doc::field(
          name, Doc(idOf(csl::LocalTaskIdType::get(fifo.getContext()),
                         cast<IntegerAttr>(*id).getInt()))));
  };
  choice("empty_action", fifo.getEmptyAction());
  choice("full_action", fifo.getFullAction());
  task("activate_pop", fifo.getActivatePop());
  task("activate_push", fifo.getActivatePush());
  if (fifo.getPriority())
    fields.push_back(
        Doc::field("priority", spellPriority(*fifo.getPriority())));
  if (fifo.getSimdMode())
    fields.push_back(Doc::field(
        "simd_mode", spellChoice(csl::stringifySimdMode(*fifo.getSimdMode()))));
  if (fifo.getDest()) {
    fields.push_back(Doc::field(
        "dest", "@get_dsr(dsr_dest, " + std::to_string(*fifo.getDest()) + ")"));
    fields.push_back(Doc::field(
        "src", "@get_dsr(dsr_src1, " + std::to_string(*fifo.getSrc1()) + ")"));
    fields.push_back(Doc::field(
        "xdsr", "@get_xdsr(" + std::to_string(*fifo.getXdsr()) + ")"));
  }
  std::vector<Doc> arguments{Doc(nameOf(lookup(fifo.getBufferAttr())))};
  if (!fields.empty())
    arguments.push_back(Doc::braces("", std::move(fields)));
  fifos.write("const " + nameOf(fifo) + " = ",
              Doc::call("@allocate_fifo", std::move(arguments)), ";");
}

void ProgramEmitter::emitFunction(FunctionOpInterface function) {
  auto task = dyn_cast<csl::TaskOp>(function.getOperation());
  if (function.getNumResults() > 1) {
    refuse(function, "returns several values, a function of CSL returns one");
    return;
  }
  std::string result = function.getNumResults()
                           ? typeName(function, function.getResultTypes()[0],
                                      signs.isSignedResult(function, 0))
                           : "void";
  std::string name = nameOf(function);
  if (function.isExternal()) {
    std::string types;
    for (Type type : function.getArgumentTypes())
      types += std::string(types.empty() ? "" : ", ") +
               (isa<MemRefType>(type) ? "*" : "") +
               typeName(function, type, true);
    code.line("extern fn " + name + "(" + types + ") " + result + ";");
    code.blank();
    return;
  }
  Text body = code.inner();
  CodeEmitter emitter(*this, body, globals);
  std::vector<Doc> arguments = emitter.takeParameters(
      function, function.getFunctionBody().getArguments());
  emitter.emitBody(function.getFunctionBody());
  code.openList((task ? "task " : "fn ") + name, arguments, result + " {");
  code.append(body);
  code.close();
  code.blank();
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// Arrays are advertised by pointers to them, which may change where the name
/// says so; other variables themselves.
void ProgramEmitter::collectExports() {
  csl::LayoutOp layout = info.layout;
  llvm::StringSet<> mutableNames;
  if (layout)
    for (auto name : layout.getOps<csl::ExportNameOp>())
      if (name.getIsMutable())
        mutableNames.insert(name.getName());
  llvm::DenseMap<Operation *, llvm::SmallVector<StringRef, 2>> scalars;
  program.walk([&](csl::ExportSymbolOp op) {
    auto var = dyn_cast_or_null<csl::VarOp>(lookup(op.getSymbolAttr()));
    if (!var)
      return;
    if (var.getMemRefType().getRank() && !pointerNames.count(var))
      pointerNames[var] = globals.take(nameOf(var) + "_ptr");
    if (!var.getMemRefType().getRank())
      scalars[var].push_back(op.getAdvertisedName());
    if (mutableNames.contains(op.getAdvertisedName()))
      mutablePointers.insert(var);
  });
  // What comptime blocks store is the initial value.
  llvm::DenseSet<Operation *> initialised, written;
  program.walk([&](csl::GetVarOp get) {
    Operation *var = lookup(get.getVarAttr());
    for (Operation *user : get->getUsers()) {
      if (get->getParentOfType<csl::ComptimeOp>())
        initialised.insert(var);
      else if (!isa<memref::LoadOp>(user))
        written.insert(var);
    }
  });
  for (const auto &[op, names] : scalars) {
    auto var = cast<csl::VarOp>(op);
    if (!mutablePointers.contains(op) && !written.contains(op) &&
        (var.getInitialValue() || initialised.contains(op)))
      unchanged.insert(op);
    if (!isConst(var))
      variableNames.insert(names.begin(), names.end());
  }
}

LogicalResult ProgramEmitter::run() {
  collectNames();
  // The parameters of memcpy declare the streams of the host.
  csl::LayoutOp layout = info.layout;
  if (info.target.getMemcpy() ||
      (layout && !layout.getOps<csl::StreamOp>().empty()))
    sysModule();
  emitParams();
  collectExports();
  // Comptime blocks say initial values.
  comptime = Text().inner();
  for (auto block : program.getOps<csl::ComptimeOp>()) {
    CodeEmitter emitter(*this, comptime, globals, /*isComptime=*/true);
    emitter.emitBody(block.getBody());
  }
  for (auto var : program.getOps<csl::VarOp>())
    emitVar(var);
  for (auto var : program.getOps<csl::VarOp>()) {
    auto pointer = pointerNames.find(var);
    if (pointer == pointerNames.end())
      continue;
    MemRefType memref = var.getMemRefType();
    variables.line((mutablePointers.contains(var) ? "var " : "const ") +
                   pointer->second + ": [*]" +
                   (var.getConstant() ? "const " : "") +
                   typeName(var, memref.getElementType(), signs.isSigned(var)) +
                   " = &" + nameOf(var) + ";");
  }
  for (auto fifo : program.getOps<csl::FifoOp>())
    emitFifo(fifo);
  // Functions first, as they are written.
  for (auto function : program.getOps<FunctionOpInterface>())
    emitFunction(function);
  return failure(failed);
}

std::string ProgramEmitter::str() const {
  Text file;
  auto section = [&](const Text &text) {
    if (text.empty())
      return;
    file.append(text);
    file.blank();
  };
  Text head;
  if (memcpy) {
    head.line("param " + paramsName + ";");
    file.append(head);
  }
  section(params);
  if (memcpy && params.empty())
    file.blank();
  Text modules;
  if (memcpy)
    modules.line("const " + memcpyName +
                 " = @import_module(\"<memcpy/memcpy>\", " + paramsName + ");");
  modules.append(imports);
  section(modules);
  section(types);
  section(ids);
  section(variables);
  section(fifos);
  section(descriptors);
  section(code);
  if (!comptime.empty()) {
    file.open("comptime {");
    file.append(comptime);
    file.close();
  }
  return file.str();
}
