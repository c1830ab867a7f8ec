//===- Builtins.cpp - Calls of builtins -----------------------------------===//
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

/// Builtins that CSL had once, and what stands for them now (BLT-039).
static llvm::StringRef getReplacement(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("get_color_id", "@get_int")
      .Case("bind_task",
            "@bind_data_task, @bind_local_task or @bind_control_task")
      .Default("");
}

/// What CSL has for a builtin of Zig.
static llvm::StringRef getCounterpart(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"intCast", "floatCast", "truncate", "intToFloat", "floatToInt",
              "floatFromInt", "intFromFloat", "enumFromInt", "intToEnum"},
             "@as(type, value)")
      .Cases({"bitCast", "ptrToInt", "intFromPtr"}, "@bitcast(type, value)")
      .Cases({"ptrCast", "alignCast"}, "@ptrcast(type, pointer)")
      .Cases({"enumToInt", "intFromEnum", "boolToInt", "intFromBool"},
             "@get_int or @as(type, value)")
      .Cases({"min", "max", "abs", "sqrt", "exp", "log", "sin", "cos", "floor",
              "ceil", "round"},
             "functions of numbers in @import_module(\"<math>\")")
      .Cases({"mod", "rem"}, "the operator %")
      .Cases({"divTrunc", "divExact", "divFloor"}, "the operator /")
      .Cases(
          {"sizeOf", "bitSizeOf"},
          "@element_count(type) and the sizes in @import_module(\"<types>\")")
      .Cases({"splat", "memset"}, "@constants(type, value)")
      .Cases({"memcpy", "memmove"},
             "@mov16 and @mov32 between DSDs, and '=' of whole arrays")
      .Case("typeOf", "@type_of(value)")
      .Case("import", "@import_module(file, params)")
      .Default("");
}

Value Evaluator::evalBuiltin(const BuiltinCall &call, const Type *hint) {
  static const llvm::StringMap<Handler> handlers = {
#define CSL_BUILTIN(METHOD, NAME) {NAME, &Evaluator::builtin##METHOD},
#include "Builtins.def"
  };
  llvm::StringRef name = call.name().text;
  if (auto found = handlers.find(name); found != handlers.end()) {
    if (name.starts_with("sequin_") && !frame->module->isLibrary)
      return error(call.name().span, "'@" + name + "' is for the library");
    return (this->*found->second)(call, hint);
  }
  if (std::optional<DsdOpcode> opcode = parseDsdOpcode(name))
    return dsdOperation(call, *opcode);
  if (llvm::StringRef now = getReplacement(name); !now.empty())
    return error(call.name().span,
                 "builtin @" + name + " was removed from CSL; use " + now);
  if (llvm::StringRef other = getCounterpart(name); !other.empty())
    return error(call.name().span,
                 "unknown builtin @" + name + ", CSL has " + other);
  Diagnostic &diagnostic = report(call.name().span, "unknown builtin @" + name);
  if (!diagnostic.suggests)
    return Value();
  llvm::SmallVector<llvm::StringRef> names;
  for (const auto &entry : handlers)
    if (!entry.first().starts_with("sequin_"))
      names.push_back(entry.first());
  for (unsigned i = 0; i < kDsdOpcodes; ++i)
    names.push_back(getInfo(DsdOpcode(i)).name);
  llvm::sort(names);
  if (auto close = suggestName(name, names))
    note(diagnostic, call.name().span, "did you mean '@" + *close + "'?");
  return Value();
}

bool Evaluator::expectArgs(const BuiltinCall &call, unsigned least,
                           unsigned most) {
  unsigned count = call.arguments().size();
  if (count >= least && count <= most)
    return true;
  std::string expected = std::to_string(least);
  if (most != least)
    expected += " to " + std::to_string(most);
  error(call.span(), "@" + call.name().text + " expects " + expected +
                         " arguments, " + llvm::Twine(count) + " provided");
  return false;
}

static llvm::StringRef describePhase(Phase phase) {
  switch (phase) {
  case Phase::Layout:
    return "a layout block";
  case Phase::TopComptime:
    return "a top-level comptime block";
  case Phase::Initializer:
    return "the initialiser of a global";
  case Phase::Comptime:
    return "comptime code";
  case Phase::Runtime:
    return "running code";
  }
  return "";
}

bool Evaluator::expectPhase(const BuiltinCall &call,
                            llvm::ArrayRef<Phase> allowed) {
  if (inTypeOf || llvm::is_contained(allowed, phase))
    return true;
  std::string text;
  for (auto [index, entry] : llvm::enumerate(allowed))
    text += (index ? " or " : "") + describePhase(entry).str();
  bool mayMove = phase == Phase::Initializer &&
                 llvm::is_contained(allowed, Phase::Runtime);
  bool isLocal =
      phase == Phase::TopComptime && call.name().text == "set_color_config";
  error(call.span(), "@" + call.name().text + " is for " + text + ", this is " +
                         describePhase(phase) +
                         (mayMove   ? ": set it in a function"
                          : isLocal ? ": write @set_local_color_config(color, "
                                      "config)"
                                    : ""));
  session.refusedPlace = true;
  return false;
}

Value Evaluator::evalConfig(const BuiltinCall &call, unsigned index) {
  if (index >= call.arguments().size())
    return Value(types.anonymous({}, false), std::vector<Value>());
  Value value = eval(arg(call, index));
  if (!value)
    return value;
  if (value.isVoid())
    return Value(types.anonymous({}, false), std::vector<Value>());
  if (!value.type()->isStruct() || !value.isAggregate())
    return error(arg(call, index).span(), "settings of @" + call.name().text +
                                              " are a struct, found type '" +
                                              value.type()->str() + "'");
  return value;
}

bool Evaluator::checkFields(const Value &config,
                            llvm::ArrayRef<llvm::StringRef> allowed, Span span,
                            const llvm::Twine &what) {
  bool good = true;
  for (const Type::Field &field : config.type()->fields) {
    if (llvm::is_contained(allowed, llvm::StringRef(field.name)))
      continue;
    Diagnostic &diagnostic =
        report(span, what + " has no field '" + field.name + "'");
    if (auto close = suggestName(field.name, allowed)) {
      note(diagnostic, span, "did you mean '" + *close + "'?");
    } else {
      std::string list;
      for (llvm::StringRef name : allowed)
        list += (list.empty() ? "'" : ", '") + name.str() + "'";
      note(diagnostic, span,
           list.empty() ? "it takes no fields here" : "allowed are " + list);
    }
    good = false;
  }
  return good;
}

std::optional<bool> Evaluator::knownBool(const Value &config,
                                         llvm::StringRef field, Span span) {
  const Value *value = config.field(field);
  if (!value)
    return false;
  if (!value->isComptime()) {
    error(span, "DSD op setting must be comptime: field '" + field + "'");
    return std::nullopt;
  }
  Value number = concretize(*value);
  if (!number.type()->is(TypeKind::Bool)) {
    error(span, "field '" + field + "' is of bool, found type '" +
                    number.type()->str() + "'");
    return std::nullopt;
  }
  return number.truth();
}

bool Evaluator::knownInteger(const Value &config, llvm::StringRef field,
                             Span span, std::optional<int64_t> &result) {
  const Value *value = config.field(field);
  if (!value)
    return true;
  Value number = known(*value, span, "field '" + field + "'");
  if (!number)
    return false;
  if (!number.isInteger() || !number.type()->isInteger()) {
    error(span, "field '" + field + "' is an integer, found type '" +
                    number.type()->str() + "'");
    return false;
  }
  result = number.integer().small();
  if (!result)
    error(span, "field '" + field + "' is " + number.integer().str() +
                    ", which is out of any range");
  return result.has_value();
}

std::optional<std::string>
Evaluator::knownChoice(const Value &value, Span span,
                       llvm::ArrayRef<llvm::StringRef> names,
                       llvm::StringRef what) {
  std::string list;
  for (llvm::StringRef name : names)
    list += (list.empty() ? "" : ", ") + ("." + name + " = true").str();
  if (!value.isAggregate() || value.type()->fields.size() != 1 ||
      !llvm::is_contained(names,
                          llvm::StringRef(value.type()->fields[0].name))) {
    error(span, what + " is one of " + list);
    return std::nullopt;
  }
  std::string name = value.type()->fields[0].name;
  std::optional<bool> set = knownBool(value, name, span);
  if (!set)
    return std::nullopt;
  if (!*set) {
    error(span, what + " is one of " + list + ", found ." + name + " = false");
    return std::nullopt;
  }
  return name;
}
