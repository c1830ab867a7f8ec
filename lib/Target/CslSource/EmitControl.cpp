//===- EmitControl.cpp - Variables, calls, returns ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

void CodeEmitter::bindSlot(Value value, const std::string &slot) {
  const void *root = slotRoot(slot);
  privateRoots.insert(root);
  Expression held = leaf(slot);
  // Who shares a variable may be of the other sign.
  if (auto type = slotTypes.find(slot);
      type != slotTypes.end() && value.getType().isIntOrIndex())
    held = convert(held, type->second, intType(value));
  if (auto type = slotPointers.find(slot);
      type != slotPointers.end() && type->second != typeOf(value))
    held = castPointer(held, typeOf(value));
  defineLeaf(value, held, Effects::reading(root));
  saveEscaping(value, slot);
}

void CodeEmitter::saveEscaping(Value value, StringRef holder) {
  auto found = escapeSlots.find(value);
  if (found == escapeSlots.end() || found->second == holder)
    return;
  Bound &held = leaves[value];
  current.add(held.effects);
  assign(leaf(found->second), held.expression,
         Effects::writing(slotRoot(found->second)));
  bindSlot(value, found->second);
}

std::string CodeEmitter::declareSlot(Value value, Value init) {
  std::string name = freshName(value);
  if (hasSign(value.getType()) && value.getType().isIntOrIndex())
    slotTypes[name] = intType(value);
  bool isPointer = isa<csl::PtrType>(value.getType());
  if (isPointer)
    slotPointers[name] = typeOf(value);
  if (!init) {
    out->line("var " + name + ": " + typeOf(value) + ";");
    return name;
  }
  bool isInteger = hasSign(value.getType()) && value.getType().isIntOrIndex();
  Expression start = isInteger   ? use(init, intType(value))
                     : isPointer ? usePointer(init, typeOf(value))
                                 : use(init);
  // An address of an array alone is a pointer to the array, not to elements.
  bool needsType = start.untyped || isPointer;
  statement("var " + name + (needsType ? ": " + typeOf(value) : std::string()) +
                " = ",
            Doc(start), ";", {});
  return name;
}

/// Expressions are complete before the first variable changes; then they are
/// written in an order in which none reads what has changed.
void CodeEmitter::assignTogether(ArrayRef<std::string> slotNames,
                                 ValueRange values) {
  struct Assignment {
    std::string target;
    Value value;
    Bound bound;
  };
  std::vector<Assignment> left;
  for (auto [slot, value] : llvm::zip(slotNames, values)) {
    if (slot.empty())
      continue;
    bool isInteger = hasSign(value.getType()) && value.getType().isIntOrIndex();
    auto found = slotTypes.find(slot);
    auto pointer = slotPointers.find(slot);
    Expression expression =
        isInteger && found != slotTypes.end() ? use(value, found->second)
        : pointer != slotPointers.end() ? usePointer(value, pointer->second)
                                        : use(value);
    Effects effects = takeEffects();
    if (expression.text == slot)
      continue;
    left.push_back({slot, value, {expression, effects}});
  }
  auto readsOther = [&](size_t which) {
    const void *root = slotRoot(left[which].target);
    for (size_t i = 0; i < left.size(); ++i)
      if (i != which && llvm::is_contained(left[i].bound.effects.reads, root))
        return true;
    return false;
  };
  while (!left.empty()) {
    size_t next = 0;
    while (next < left.size() && readsOther(next))
      ++next;
    if (next == left.size()) {
      // A circle: one value is put aside.
      Assignment &saved = left.back();
      std::string name = program.takeLocal(names, saved.target + "_next");
      out->write("const " + name + " = ", Doc(saved.bound.expression), ";");
      saved.bound = {leaf(name), {}};
      continue;
    }
    Assignment chosen = std::move(left[next]);
    left.erase(left.begin() + next);
    current = chosen.bound.effects;
    const void *root = slotRoot(chosen.target);
    assign(leaf(chosen.target), chosen.bound.expression,
           Effects::writing(root));
  }
}

void CodeEmitter::flushUnless(ValueRange kept) {
  for (size_t i = 0; i < pending.size();) {
    Value value = (pending.begin() + i)->first;
    if (llvm::is_contained(kept, value)) {
      ++i;
      continue;
    }
    Bound bound = (pending.begin() + i)->second;
    pending.erase(value);
    bindConst(value, bound.expression, bound.effects);
    i = 0;
  }
}

//===----------------------------------------------------------------------===//
// Calls, returns
//===----------------------------------------------------------------------===//

bool CodeEmitter::emitCall(Operation &op) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee =
        dyn_cast_or_null<func::FuncOp>(program.lookup(call.getCalleeAttr()));
    if (!callee) {
      refuse(&op, "calls what is not in this program");
      return true;
    }
    if (op.getNumResults() > 1) {
      refuse(&op, "calls a function of several results");
      return true;
    }
    std::vector<Expression> arguments;
    for (auto [index, operand] : llvm::enumerate(call.getOperands())) {
      bool isNumber =
          hasSign(operand.getType()) && operand.getType().isIntOrIndex();
      IntType type;
      if (isNumber)
        type = callee.isExternal() ? intType(operand).withSign(true)
                                   : intType(callee.getArgument(index));
      // What both sides point to may have got different signs.
      bool isPointer = isa<csl::PtrType>(operand.getType());
      Expression argument =
          isNumber ? use(operand, type)
          : isPointer && !callee.isExternal()
              ? usePointer(operand, typeOf(callee.getArgument(index)))
              : use(operand);
      if (isa<MemRefType>(operand.getType())) {
        argument = addressOf(argument.text);
        if (!callee.isExternal() &&
            (isFlat(operand) ||
             typeOf(operand) != typeOf(callee.getArgument(index))))
          argument = castPointer(
              argument,
              (isOnlyRead(callee.getArgument(index)) ? "*const " : "*") +
                  typeOf(callee.getArgument(index)));
      }
      arguments.push_back(argument);
    }
    Expression expression = callOf(program.nameOf(callee), arguments);
    expression.comptime = false;
    if (op.getNumResults()) {
      define(op.getResult(0), expression, Effects::acting());
    } else {
      std::vector<Doc> items(arguments.begin(), arguments.end());
      statement("", Doc::call(program.nameOf(callee), std::move(items)), ";",
                Effects::acting());
    }
    return true;
  }
  if (auto call = dyn_cast<csl::CallIndirectOp>(op)) {
    if (op.getNumResults() > 1) {
      refuse(&op, "calls a function of several results");
      return true;
    }
    Expression callee = use(call.getCallee());
    if (StringRef(callee.text).starts_with("&"))
      callee = leaf(callee.text.substr(1));
    std::vector<Expression> arguments;
    for (Value operand : call.getInputs())
      arguments.push_back(hasSign(operand.getType()) &&
                                  operand.getType().isIntOrIndex()
                              ? use(operand, intType(operand).withSign(true))
                              : use(operand));
    Expression expression =
        callOf(operandOf(callee, Precedence::Postfix), arguments);
    expression.comptime = false;
    if (op.getNumResults())
      define(op.getResult(0), expression, Effects::acting());
    else
      statement("", Doc(expression), ";", Effects::acting());
    return true;
  }
  return false;
}

void CodeEmitter::emitReturn(Operation &op) {
  if (op.getNumOperands() > 1) {
    refuse(&op, "returns several values, a function of CSL returns one");
    return;
  }
  if (op.getNumOperands() == 0) {
    flushAll();
    return;
  }
  Value value = op.getOperand(0);
  auto function = cast<FunctionOpInterface>(op.getParentOp());
  bool isNumber = hasSign(value.getType()) && value.getType().isIntOrIndex();
  Expression expression =
      value.getType().isIndex() ? use(value, {32, true})
      : isNumber ? use(value, intType(value).withSign(
                                  program.signs.isSignedResult(function, 0)))
                 : useSigned(value, program.signs.isSignedResult(function, 0));
  statement("return ", Doc(expression), ";", {});
}

bool CodeEmitter::emitControl(Operation &op) {
  if (isa<func::ReturnOp, csl::ReturnOp>(op)) {
    emitReturn(op);
    return true;
  }
  if (auto check = dyn_cast<cf::AssertOp>(op)) {
    Doc condition(use(check.getArg()));
    // The message has no place in @assert.
    if (!check.getMsg().empty())
      out->comment(check.getMsg());
    statement("", Doc::call("@assert", {condition}), ";", Effects::acting());
    return true;
  }
  return false;
}
