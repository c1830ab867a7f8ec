//===- Observe.cpp - What an editor is told about expressions -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "sequin/CslSource/Observations.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

/// Characters of a value that are shown, about, and elements of an aggregate.
static constexpr size_t kMaxText = 240, kMaxTypeText = 160;
static constexpr size_t kShownElements = 8, kMaxParts = 256;
/// PEs that are asked for the value of a symbolic expression, and answers.
static constexpr size_t kMaxPes = 64, kMaxAnswers = 4;

static bool preview(const Value &value, std::string &text);

/// As the source would write the address.
static void previewPointer(const PointerValue &pointer, std::string &text) {
  text += "&";
  text += pointer.global ? pointer.global->name
                         : pointer.function.decl->name().text;
  for (const PointerValue::Step &step : pointer.path) {
    if (!step.field.empty()) {
      text += "." + step.field;
      continue;
    }
    text += "[";
    for (auto [i, index] : llvm::enumerate(step.indices)) {
      text += i == 0 ? "" : ", ";
      preview(index, text);
    }
    text += "]";
  }
}

/// The fields that were given.
static void previewDsd(const DsdValue &dsd, std::string &text) {
  text += (csl::stringifyDescriptorKind(dsd.kind) + "_dsd {").str();
  llvm::StringRef separator = " ";
  auto put = [&](llvm::StringRef name, const Value &value) {
    std::string part;
    if (!value || !preview(value, part))
      return;
    text += (separator + "." + name + " = " + part).str();
    separator = ", ";
  };
  auto putList = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> list) {
    if (list.empty())
      return;
    text += (separator + "." + name + " = {").str();
    for (auto [i, number] : llvm::enumerate(list))
      text += (i == 0 ? "" : ", ") + std::to_string(number);
    text += "}";
    separator = ", ";
  };
  put("base_address", dsd.base);
  put("extent", dsd.extent);
  put("stride", dsd.stride);
  put("offset", dsd.offset);
  putList("extent", dsd.extents);
  putList("stride", dsd.strides);
  put("wraparound", dsd.wraparound);
  put("queue", dsd.queue);
  put("fabric_color", dsd.color);
  for (auto [name, isSet] : {std::pair<llvm::StringRef, bool>{
                                 "wavelet_index_offset", dsd.indexOffset},
                             {"control", dsd.control},
                             {"advance_switch", dsd.advanceSwitch},
                             {"control_transform", dsd.controlTransform}})
    if (isSet) {
      text += (separator + "." + name + " = true").str();
      separator = ", ";
    }
  text += " }";
}

/// As the source would write it, of bounded length; false if there is nothing
/// to show.
static bool preview(const Value &value, std::string &text) {
  if (text.size() > kMaxText) {
    text += "...";
    return true;
  }
  if (!value || value.isRuntime() || value.isFunction() || value.isModule())
    return false;
  if (value.isString()) {
    llvm::StringRef string = value.string();
    text += '"';
    text += string.take_front(kMaxText);
    text += string.size() > kMaxText ? "...\"" : "\"";
    return true;
  }
  if (value.isAggregate()) {
    const Type *type = value.type();
    bool isNamed = type->isStruct() && !type->isTuple;
    text += isNamed ? ".{" : "{";
    for (auto [index, part] : llvm::enumerate(value.elements())) {
      text += index == 0 ? " " : ", ";
      if (index == kShownElements) {
        text += "...";
        break;
      }
      if (isNamed && index < type->fields.size())
        text += "." + type->fields[index].name + " = ";
      if (!preview(part, text))
        text += part ? part.isVoid() ? "{}" : "<" + part.type()->str() + ">"
                     : "undefined";
    }
    text += " }";
    return true;
  }
  if (value.isPointer()) {
    previewPointer(value.pointer(), text);
    return true;
  }
  if (value.isDsd()) {
    previewDsd(value.dsd(), text);
    return true;
  }
  if (value.isSymbolic()) {
    text += "<differs between PEs>";
    return true;
  }
  if (!value.isInteger() && !value.isFloat() && !value.isType() &&
      !value.isFifo())
    return false;
  text += llvm::StringRef(value.str()).take_front(kMaxText);
  return true;
}

/// Whether what is shown of a value differs between PEs. Parts may be shared: a
/// value is larger than what made it.
static bool differs(const Value &value, size_t &parts) {
  if (parts == 0)
    return false;
  --parts;
  if (!value || !value.isAggregate())
    return value && value.isSymbolic();
  return llvm::any_of(
      llvm::ArrayRef(value.elements()).take_front(kShownElements),
      [&](const Value &part) { return differs(part, parts); });
}

std::string Evaluator::observedValue(const Value &value) {
  std::string text;
  if (inTypeOf)
    return text;
  // The cost does not grow with the value, which may be seen in every iteration
  // of a loop.
  bool isSmall =
      !value.isAggregate() || value.elements().size() <= kShownElements;
  size_t parts = kMaxParts;
  if (!isSmall || !differs(value, parts) || !program || !program->pes ||
      !session.layout.rectangle)
    return preview(value, text) ? text : "";
  // The PEs that share the code have different values.
  llvm::SmallVector<std::string> answers;
  int64_t width = session.layout.rectangle->first;
  for (size_t pe = 0; pe < std::min(program->peCount, kMaxPes); ++pe) {
    std::string answer;
    if (!preview(evaluateAt(value, pe), answer) ||
        llvm::is_contained(answers, answer))
      continue;
    if (answers.size() == kMaxAnswers)
      return text + ", ...";
    int64_t at = (*program->pes)[pe];
    text +=
        llvm::formatv("{0}{1} at PE ({2}, {3})", answers.empty() ? "" : ", ",
                      answer, at % width, at / width);
    answers.push_back(answer);
  }
  return answers.size() == 1 ? answers.front() : text;
}

void Evaluator::observe(Span span, const Type *type, const Value *value) {
  if (!type || type->isError() || !span.isValid() ||
      type->is(TypeKind::NoReturn) || type->isVoid() ||
      (value && (value->isFunction() || value->isModule())))
    return;
  Observations::Entry *entry = session.options.observations->open(span);
  if (!entry)
    return;
  std::string shown = value ? observedValue(*value) : "";
  std::string typeText = type->str(kMaxTypeText);
  if (entry->has(typeText, shown))
    return;
  if (entry->found.size() == Observations::kMaxPerPlace) {
    entry->more = true;
    return;
  }
  std::string where = "the layout";
  if (program && program->pes && session.layout.rectangle) {
    int64_t width = session.layout.rectangle->first;
    int64_t pe = (*program->pes)[program->representative];
    where = llvm::formatv("PE ({0}, {1})", pe % width, pe / width);
  }
  if (frame && frame->module && !frame->module->prefix.empty())
    where += ", module '" +
             llvm::StringRef(frame->module->prefix).rtrim('.').str() + "'";
  if (frame && frame->callSpan.isValid())
    where +=
        ", called at line " +
        std::to_string(session.sources.lineColumn(frame->callSpan.Start).line);
  entry->found.push_back({std::move(typeText), std::move(shown), where});
}

void Evaluator::observeLocal(const Local &local, Span name) {
  bool isKnown =
      local.kind == Local::Kind::Const || local.kind == Local::Kind::Comptime;
  observe(name, local.type, isKnown ? &local.value : nullptr);
}
