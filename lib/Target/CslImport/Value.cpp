//===- Value.cpp - What an expression evaluates to ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Value.h"
#include "Module.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace sequin;
using namespace sequin::csl_import;

std::vector<Value> &Value::mutableElements() {
  Elements &elements = std::get<Elements>(data);
  if (elements.use_count() > 1)
    elements = std::make_shared<std::vector<Value>>(*elements);
  return *elements;
}

const Value *Value::field(llvm::StringRef name) const {
  if (!isAggregate() || !type()->isStruct())
    return nullptr;
  std::optional<unsigned> index = type()->fieldIndex(name);
  return index && *index < elements().size() ? &elements()[*index] : nullptr;
}

bool Value::isComptime() const {
  if (isRuntime())
    return false;
  if (isAggregate())
    return llvm::all_of(elements(),
                        [](const Value &part) { return part.isComptime(); });
  if (isPointer())
    return llvm::all_of(pointer().path, [](const PointerValue::Step &step) {
      return llvm::all_of(
          step.indices, [](const Value &index) { return index.isComptime(); });
    });
  return true;
}

bool Value::isKnown() const {
  if (isRuntime() || isSymbolic())
    return false;
  if (isAggregate())
    return llvm::all_of(elements(),
                        [](const Value &part) { return part.isKnown(); });
  return isComptime();
}

std::string PointerValue::str() const {
  std::string text =
      "&" + (global ? global->symbol : function.decl->name().text.str());
  for (const Step &step : path) {
    if (!step.field.empty()) {
      text += "." + step.field;
      continue;
    }
    text += "[";
    for (const Value &index : step.indices)
      text += index.str() + ",";
    text.back() = ']';
  }
  return text;
}

std::string Value::str() const {
  if (isError())
    return "<error>";
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isInteger()) {
    if (type()->is(TypeKind::Bool))
      return truth() ? "true" : "false";
    if (type()->is(TypeKind::Enum))
      for (const auto &[name, value] : type()->cases)
        if (Integer(value) == integer())
          return type()->name + "." + name;
    if (type()->is(TypeKind::Direction))
      return csl::stringifyDirection(csl::Direction(small())).str();
    if (type()->isId() || type()->isRegister())
      return type()->str() + " " + integer().str();
    return integer().str();
  }
  if (isFloat()) {
    double value = number();
    if (std::isnan(value))
      return "nan";
    llvm::SmallString<32> digits;
    llvm::APFloat(value).toString(digits);
    os << digits;
    return text;
  }
  if (isString())
    return string();
  if (isType())
    return asType()->str();
  if (isFunction())
    return function().decl->name().text.str();
  if (isModule())
    return "module " + module()->path;
  if (isFifo())
    return "fifo " + fifo()->symbol;
  if (isPointer())
    return pointer().str();
  if (isSymbolic())
    return symbolic().key;
  if (isRuntime())
    return "<runtime " + type()->str() + ">";
  if (isDsd()) {
    const DsdValue &d = dsd();
    os << csl::stringifyDescriptorKind(d.kind) << "_dsd{";
    auto put = [&](llvm::StringRef name, const Value &value) {
      if (value)
        os << " ." << name << " = " << value.str();
    };
    put("base_address", d.base);
    put("extent", d.extent);
    put("stride", d.stride);
    put("offset", d.offset);
    if (!d.extents.empty()) {
      os << " .extent = ";
      llvm::interleaveComma(d.extents, os);
      os << " .stride = ";
      llvm::interleaveComma(d.strides, os);
    }
    put("queue", d.queue);
    put("fabric_color", d.color);
    put("wraparound", d.wraparound);
    os << " " << unsigned(d.indexOffset) << unsigned(d.control)
       << unsigned(d.advanceSwitch) << unsigned(d.controlTransform) << " }";
    return text;
  }
  if (isAggregate()) {
    os << '{';
    bool named = type()->isStruct() && !type()->isTuple;
    for (auto [index, part] : llvm::enumerate(elements())) {
      os << (index ? ", " : "");
      if (named && index < type()->fields.size())
        os << type()->fields[index].name << " = ";
      os << part.str();
    }
    os << '}';
    return text;
  }
  return type()->isVoid() ? "{}" : "<" + type()->str() + ">";
}

std::string Value::key() const {
  if (isError())
    return "!";
  std::string text;
  llvm::raw_string_ostream os(text);
  auto identity = [&](char sort, const void *place) {
    os << sort << reinterpret_cast<uintptr_t>(place) << ';';
  };
  identity('t', type());
  if (isString()) {
    os << string().size() << ':' << string();
  } else if (isType()) {
    identity('T', asType());
  } else if (isFunction()) {
    identity('f', function().decl);
    identity('m', function().module);
  } else if (isModule()) {
    identity('m', module());
  } else if (isFifo()) {
    identity('g', fifo());
  } else if (isRuntime()) {
    identity('r', runtime().getAsOpaquePointer());
  } else if (isPointer()) {
    const PointerValue &p = pointer();
    identity('g', p.global);
    identity('f', p.function.decl);
    identity('m', p.function.module);
    for (const PointerValue::Step &step : p.path) {
      os << '.' << step.field;
      for (const Value &index : step.indices)
        os << '[' << index.key() << ']';
    }
  } else if (isDsd()) {
    const DsdValue &d = dsd();
    os << unsigned(d.kind);
    for (const Value *part : {&d.base, &d.extent, &d.stride, &d.offset,
                              &d.wraparound, &d.queue, &d.color})
      os << ',' << part->key();
    for (const std::vector<int64_t> &numbers : {d.strides, d.extents}) {
      os << '[';
      llvm::interleaveComma(numbers, os);
      os << ']';
    }
    auto choice = [&](const auto &given) {
      os << ',';
      if (given)
        os << unsigned(*given);
    };
    choice(d.priority);
    choice(d.simd);
    choice(d.zero);
    os << ',' << d.indexOffset << d.control << d.advanceSwitch
       << d.controlTransform;
  } else if (isAggregate()) {
    os << '{';
    for (const Value &part : elements())
      os << part.key() << ',';
    os << '}';
  } else {
    os << str();
  }
  return text;
}
