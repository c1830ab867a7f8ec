//===- Mappings.cpp - How a program was mapped ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramModule.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::api;

llvm::json::Value api::toJSON(Attribute attribute) {
  using llvm::json::Value;
  return TypeSwitch<Attribute, Value>(attribute)
      .Case([](BoolAttr value) { return Value(value.getValue()); })
      .Case([](IntegerAttr value) { return Value(value.getInt()); })
      .Case([](StringAttr value) { return Value(value.getValue().str()); })
      .Case([](ArrayAttr list) {
        llvm::json::Array array;
        for (Attribute element : list)
          array.push_back(toJSON(element));
        return Value(std::move(array));
      })
      .Case([](DictionaryAttr fields) {
        llvm::json::Object object;
        for (NamedAttribute field : fields)
          object[field.getName().strref()] = toJSON(field.getValue());
        return Value(std::move(object));
      })
      .Default([](Attribute) { return Value(nullptr); });
}

std::string api::describeMappings(const llvm::json::Array &mappings) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [index, value] : llvm::enumerate(mappings)) {
    const llvm::json::Object &group = *value.getAsObject();
    auto string = [](const llvm::json::Object &object, StringRef name) {
      return object.getString(name).value_or("");
    };
    auto number = [](const llvm::json::Object &object, StringRef name) {
      return object.getInteger(name).value_or(0);
    };
    os << index << ": " << string(group, "group");
    if (StringRef location = string(group, "location"); !location.empty())
      os << " at " << location;
    os << "\n   " << string(group, "kind") << ": " << string(group, "mapping")
       << "\n";
    if (int64_t cycles = number(group, "cycles"); cycles > 0) {
      os << "   " << cycles << " cycles by the cost model";
      if (StringRef bound = string(group, "bound_by"); !bound.empty())
        os << ", bound by " << bound;
      os << "\n";
    }
    if (int64_t evaluated = number(group, "evaluated"); evaluated > 0)
      os << "   " << evaluated << " mappings evaluated, "
         << number(group, "feasible") << " feasible, "
         << (group.getBoolean("complete").value_or(false)
                 ? "all that there are"
                 : "the search has ended early")
         << "\n";
    if (const llvm::json::Object *next = group.getObject("runner_up"))
      os << "   runner-up: " << string(*next, "mapping") << "\n   "
         << number(*next, "cycles")
         << " cycles: " << string(*next, "lost_because") << "\n";
  }
  return text;
}
