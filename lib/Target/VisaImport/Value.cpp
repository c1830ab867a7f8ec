//===- Value.cpp - Types and values of kernels ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Value.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace sequin;
using namespace sequin::visa_import;

llvm::ArrayRef<StringRef> visa_import::parametersOf(StringRef tensor) {
  static constexpr StringRef kHost[] = {"D", "Element"};
  static constexpr StringRef kHbm[] = {"D", "Chip", "Element"};
  static constexpr StringRef kDm[] = {"D", "Chip", "Cluster", "Slice",
                                      "Element"};
  static constexpr StringRef kTrf[] = {"D",     "Chip", "Cluster",
                                       "Slice", "Row",  "Element"};
  static constexpr StringRef kStream[] = {"D",     "Chip", "Cluster",
                                          "Slice", "Time", "Packet"};
  static constexpr StringRef kRows[] = {"D",   "Chip", "Cluster", "Slice",
                                        "Row", "Time", "Packet"};
  if (tensor == "HostTensor")
    return kHost;
  if (tensor.starts_with("HbmTensor"))
    return kHbm;
  if (tensor.starts_with("DmTensor") || tensor == "VrfTensor")
    return kDm;
  if (tensor == "TrfTensor")
    return kTrf;
  if (tensor == "AlignedPair" || tensor == "ContractionTensor")
    return kRows;
  const ast::ApiType *type = ast::findApiType(tensor);
  if (type && type->kind == ast::ApiKind::Stream)
    return kStream;
  return {};
}

TypeRef visa_import::getParameter(const TypeRef &tensor, StringRef parameter) {
  if (!tensor || tensor->kind != Type::Kind::Tensor)
    return nullptr;
  llvm::ArrayRef<StringRef> names = parametersOf(tensor->name);
  const auto *found = llvm::find(names, parameter);
  if (found == names.end())
    return nullptr;
  size_t index = found - names.begin();
  return index < tensor->args.size() ? tensor->args[index] : nullptr;
}

std::optional<StringRef> visa_import::getMapping(const TypeRef &tensor,
                                                 StringRef parameter) {
  TypeRef type = getParameter(tensor, parameter);
  if (type && type->kind == Type::Kind::Mapping)
    return StringRef(type->text);
  return std::nullopt;
}

static std::shared_ptr<Type> make(Type::Kind kind, StringRef name) {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  type->name = name.str();
  return type;
}

TypeRef visa_import::makeScalar(StringRef name) {
  return make(Type::Kind::Scalar, name);
}

TypeRef visa_import::makeMapping(std::string text) {
  std::shared_ptr<Type> type = make(Type::Kind::Mapping, "");
  type->text = std::move(text);
  return type;
}

TypeRef visa_import::makeTensor(StringRef name, std::vector<TypeRef> args) {
  std::shared_ptr<Type> type = make(Type::Kind::Tensor, name);
  type->args = std::move(args);
  return type;
}

std::string visa_import::str(const TypeRef &type) {
  if (!type)
    return "_";
  auto join = [&] {
    std::string text;
    for (const TypeRef &arg : type->args)
      text += (text.empty() ? "" : ", ") + str(arg);
    return text;
  };
  switch (type->kind) {
  case Type::Kind::Mapping:
    return "m![" + type->text + "]";
  case Type::Kind::Tuple:
    return "(" + join() + ")";
  case Type::Kind::Array:
    return "[" + join() + "]";
  case Type::Kind::Tensor:
    return type->name + "<" + join() + ">";
  default:
    return type->name;
  }
}

Value visa_import::makeUnit() {
  Value value;
  value.kind = Value::Kind::Unit;
  return value;
}

Value visa_import::makeBool(bool truth) {
  Value value;
  value.kind = Value::Kind::Bool;
  value.boolean = truth;
  return value;
}

Value visa_import::makeInt(int64_t number, StringRef type) {
  Value value;
  value.kind = Value::Kind::Int;
  value.integer = number;
  value.name = type.str();
  return value;
}

static Value makeList(Value::Kind kind, std::vector<Value> elements) {
  Value value;
  value.kind = kind;
  for (Value &element : elements)
    value.fields.push_back({"", std::make_shared<Value>(std::move(element))});
  return value;
}

Value visa_import::makeTuple(std::vector<Value> elements) {
  return makeList(Value::Kind::Tuple, std::move(elements));
}

Value visa_import::makeArray(std::vector<Value> elements) {
  return makeList(Value::Kind::Array, std::move(elements));
}

std::string visa_import::describe(const Value &value) {
  switch (value.kind) {
  case Value::Kind::Error:
    return "nothing";
  case Value::Kind::Unit:
    return "()";
  case Value::Kind::Bool:
    return "a bool";
  case Value::Kind::Int:
    return value.name.empty() ? "an integer" : "a number of type " + value.name;
  case Value::Kind::Float:
    return value.name.empty() ? "a float" : "a number of type " + value.name;
  case Value::Kind::Text:
    return "a string";
  case Value::Kind::Tuple:
    return "a tuple";
  case Value::Kind::Array:
    return "an array";
  case Value::Kind::Struct:
    return "a struct";
  case Value::Kind::Range:
    return "a range";
  case Value::Kind::Choice:
    return "a " + value.name;
  case Value::Kind::Tensor:
    return "a " + value.buffer->type->name;
  case Value::Kind::View:
    return "a view of a " + value.buffer->type->name;
  case Value::Kind::Stream:
    return "a " + value.name;
  case Value::Kind::Context:
    return "the context '" + value.name + "'";
  case Value::Kind::Closure:
    return "a closure";
  case Value::Kind::Reference:
    return describe(*value.target);
  }
  llvm_unreachable("unknown kind");
}

Value visa_import::makeChoice(StringRef type, StringRef variant) {
  Value value;
  value.kind = Value::Kind::Choice;
  value.name = type.str();
  value.variant = variant;
  return value;
}

Value visa_import::copyOf(const Value &value) {
  Value copy = value;
  if (value.kind != Value::Kind::Reference)
    for (Field &field : copy.fields)
      field.value = std::make_shared<Value>(copyOf(*field.value));
  return copy;
}
