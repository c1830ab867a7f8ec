//===- Symbolic.cpp - Expressions over parameters of PEs ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parameter that differs between the PEs of one file stays an expression as
// long as nobody asks for its value. Who does gets the value at one PE, the one
// that the program is being made for, and the question and its answer are kept:
// every PE with the same answers has the same code.
//
// An expression that grows large, as one that a loop doubles, is asked for.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sequin;
using namespace sequin::csl_import;

/// Operands of more expressions than this are made known.
static constexpr size_t kLargeOperand = 256;

static size_t sizeOf(const Value &value) {
  if (value && value.isSymbolic())
    return value.symbolic().size;
  size_t size = 0;
  if (value && value.isAggregate() && !value.isKnown())
    for (const Value &part : value.elements())
      // A table of parameters is no large expression.
      if (size_t inPart = sizeOf(part))
        size += inPart - 1;
  return size;
}

Value Evaluator::makeSymbolic(SymbolicValue value, const Type *type) {
  for (auto [index, operand] : llvm::enumerate(value.operands)) {
    // An array of the program is named, not repeated.
    if (index == 0 && value.table)
      continue;
    if (sizeOf(operand) > kLargeOperand)
      if (Value known = concretize(operand))
        operand = known;
    value.size += sizeOf(operand);
  }
  // What has no value, as a division by zero, is like nothing else.
  if (value.size > 8 * kLargeOperand) {
    value.size = 8 * kLargeOperand;
    value.key = "without a value " + std::to_string(++program->withoutValue);
    return Value(type, std::make_shared<const SymbolicValue>(std::move(value)));
  }
  std::string key;
  switch (value.kind) {
  case SymbolicValue::Kind::Param:
    key = value.name;
    break;
  case SymbolicValue::Kind::Binary:
    key = ("(" + value.operands[0].str() + " " +
           csl_source::spelling(value.op) + " " + value.operands[1].str() + ")")
              .str();
    break;
  case SymbolicValue::Kind::Cast:
    key = value.operands[0].str();
    break;
  case SymbolicValue::Kind::Element:
    // A constant is the same array each time.
    key = value.table ? llvm::formatv("{0}", (const void *)value.table).str()
                      : value.operands[0].str();
    for (const Value &index : llvm::drop_begin(value.operands))
      key += "[" + index.str() + "]";
    break;
  }
  value.key = type->str() + ":" + key;
  return Value(type, std::make_shared<const SymbolicValue>(std::move(value)));
}

Value Evaluator::symbolicCast(const Value &value, const Type *type) {
  if (value.type() == type)
    return value;
  SymbolicValue cast;
  cast.kind = SymbolicValue::Kind::Cast;
  cast.operands = {value};
  return makeSymbolic(std::move(cast), type);
}

Value Evaluator::evaluateAt(const Value &value, size_t pe) {
  if (value.isAggregate()) {
    std::vector<Value> parts;
    for (const Value &part : value.elements())
      parts.push_back(evaluateAt(part, pe));
    return Value(value.type(), std::move(parts));
  }
  if (!value.isSymbolic())
    return value;
  const SymbolicValue &symbolic = value.symbolic();
  switch (symbolic.kind) {
  case SymbolicValue::Kind::Param: {
    auto param = program->params.find(symbolic.name);
    return param == program->params.end() ? Value()
                                          : (*param->second.values)[pe];
  }
  case SymbolicValue::Kind::Binary: {
    Value left = evaluateAt(symbolic.operands[0], pe);
    if (!left)
      return Value();
    Value right = evaluateAt(symbolic.operands[1], pe);
    if (!right)
      return Value();
    return foldBinary(symbolic.op, left, right, nullptr);
  }
  case SymbolicValue::Kind::Cast: {
    Value operand = evaluateAt(symbolic.operands[0], pe);
    const Type *type = value.type();
    if (!operand)
      return Value();
    if (type->is(TypeKind::Float) && operand.isInteger())
      return Value(type, roundInteger(type->format, operand.integer()));
    if (type->is(TypeKind::Int) && operand.isInteger())
      return Value(type,
                   Integer::fromBits(operand.integer().truncated(type->width),
                                     type->isSigned));
    operand.setType(type);
    return operand;
  }
  case SymbolicValue::Kind::Element: {
    const Value &array = symbolic.operands[0];
    int64_t flat = 0;
    for (auto [operand, size] :
         llvm::zip(llvm::drop_begin(symbolic.operands), array.type()->shape)) {
      Value index = evaluateAt(operand, pe);
      if (!index || !index.isInteger() || index.integer().isNegative() ||
          compare(index.integer(), Integer(size)) >= 0)
        return Value();
      flat = flat * size + index.small();
    }
    return evaluateAt(array.elements()[flat], pe);
  }
  }
  return Value();
}

Value Evaluator::concretize(const Value &value) {
  if (value.isAggregate()) {
    if (value.isKnown())
      return value;
    std::vector<Value> parts;
    for (const Value &part : value.elements())
      parts.push_back(part ? concretize(part) : part);
    return Value(value.type(), std::move(parts));
  }
  if (!value.isSymbolic() || !program)
    return value;
  const std::string &key = value.symbolic().key;
  auto [entry, isNew] =
      program->factIndex.try_emplace(key, program->facts.size());
  if (isNew)
    program->facts.emplace_back(value,
                                evaluateAt(value, program->representative));
  return program->facts[entry->second].second;
}

bool Evaluator::fitsEverywhere(const Value &value, const Type *type) {
  if (!type->is(TypeKind::Int) || !value.type()->isInteger())
    return false;
  const SymbolicValue &symbolic = value.symbolic();
  if (!symbolic.range) {
    // Asked once per expression and group of PEs.
    auto known = program->ranges->find(symbolic.key);
    if (known != program->ranges->end())
      symbolic.range = known->second;
  }
  if (!symbolic.range) {
    std::optional<Integer> least, greatest;
    for (size_t pe = 0; pe < program->peCount; ++pe) {
      Value at = evaluateAt(value, pe);
      if (!at || !at.isInteger())
        return false;
      if (!least || compare(at.integer(), *least) < 0)
        least = at.integer();
      if (!greatest || compare(at.integer(), *greatest) > 0)
        greatest = at.integer();
    }
    if (!least)
      return false;
    symbolic.range = {*least, *greatest};
    program->ranges->insert({symbolic.key, *symbolic.range});
  }
  return symbolic.range->first.fits(type->width, type->isSigned) &&
         symbolic.range->second.fits(type->width, type->isSigned);
}
