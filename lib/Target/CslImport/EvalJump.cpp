//===- EvalJump.cpp - return, break, continue and what they skip ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluatorControl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

/// Makes the hidden variables of a target: its value, and whether control has
/// left to it. Without a value, a flag is false.
void Evaluator::enterTarget(Target &target) {
  auto hidden = [&](const Type *type) {
    Local &local = addLocal("", target.span);
    local.kind = Local::Kind::Ssa;
    local.type = type;
    return int(frame->locals.size() - 1);
  };
  target.slot = hidden(target.type);
  target.breakFlag = hidden(types.boolType());
  target.continueFlag = hidden(types.boolType());
  frame->targets.push_back(&target);
}

/// Ends a target whose body was evaluated. Whether control left to it; then it
/// goes on behind it.
bool Evaluator::leaveTarget(Target &target) {
  frame->targets.pop_back();
  bool isBroken = left && jump.target == &target;
  for (const Jump &exit : exits)
    if (exit.target == &target) {
      isBroken = true;
      mergeComptime();
    }
  if (isBroken && (!jump.target || jump.target == &target)) {
    left = false;
    jump = {};
  }
  llvm::erase_if(exits,
                 [&](const Jump &exit) { return exit.target == &target; });
  return isBroken;
}

/// Where ways meet, of which only some assigned to a comptime variable.
void Evaluator::mergeComptime() {
  for (Local &local : frame->locals)
    if (local.kind == Local::Kind::Comptime && local.skips > skips)
      local.isUncertain = true;
}

//===----------------------------------------------------------------------===//
// Jumps
//===----------------------------------------------------------------------===//

void Evaluator::leave(Target &target, bool isContinue, Value value, Span span) {
  if (value && !isContinue) {
    Local &slot = frame->locals[target.slot];
    target.hasValue |= !value.isVoid();
    if (target.type && !target.type->is(TypeKind::ComptimeStruct) &&
        (target.kind == Target::Kind::Function ||
         tryCoerceQuiet(value, target.type)))
      value = coerce(value, target.type, span);
    // Of a literal that was seen only the type is known here: whether it fits
    // is said where the ways meet.
    auto join = [&] {
      bool isLiteral = target.seen->is(TypeKind::ComptimeInt);
      return isLiteral && value.type()->isNumber()
                 ? value.type()
                 : peer(Value(target.seen), value);
    };
    if (value && target.kind == Target::Kind::Block && target.seen &&
        !value.isVoid() && !join())
      error(span, "expected type '" + target.seen->str() + "', got: '" +
                      value.type()->str() + "'");
    if (value && (!target.seen || !(target.seen = join())))
      target.seen = value.type();
    // A literal takes its type where branches meet.
    bool isLiteral = value && value.isComptime() &&
                     (value.type()->is(TypeKind::ComptimeInt) ||
                      value.type()->is(TypeKind::ComptimeFloat));
    if (!isComptime() && depth != target.depth && value && !value.isVoid() &&
        !isLiteral)
      value = asRuntime(value, span);
    slot.value = value;
  }
  left = true;
  bool isStatic =
      depth == target.depth && !(target.isRuntimeLoop && !isContinue);
  if (isComptime() || isStatic) {
    jump = {&target, isContinue};
    return;
  }
  int flag = isContinue ? target.continueFlag : target.breakFlag;
  frame->locals[flag].value =
      makeRuntime(types.boolType(), constantBool(true, span));
  jump = {};
  Jump exit{&target, isContinue};
  if (!llvm::is_contained(exits, exit))
    exits.push_back(exit);
}

Target *Evaluator::findTarget(llvm::StringRef label, bool loopsOnly) {
  for (Target *target : llvm::reverse(frame->targets)) {
    if (target->kind == Target::Kind::Function)
      continue;
    if (label.empty() ? target->kind == Target::Kind::Loop
                      : target->label == label &&
                            (!loopsOnly || target->kind == Target::Kind::Loop))
      return target;
  }
  return nullptr;
}

Value Evaluator::evalReturn(const ReturnExpr &expr) {
  if (frame->targets.empty() ||
      frame->targets.front()->kind != Target::Kind::Function)
    return error(expr.span(), "'return' is outside of a function");
  Target &target = *frame->targets.front();
  Value value = makeVoid();
  if (expr.value()) {
    value = eval(*expr.value(), target.type);
    if (left)
      return Value();
    if (!value) {
      // Control goes no further all the same.
      left = true;
      jump = {&target, false};
      return Value();
    }
  }
  if (value.isVoid() && target.type && !target.type->isVoid()) {
    error(expr.span(),
          "expected type '" + target.type->str() + "', got: 'void'");
    left = true;
    jump = {&target, false};
  } else {
    Span span = expr.value() ? expr.value()->span() : expr.span();
    unlessLeft(span, [&] {
      leave(target, false, value, span);
      return Value();
    });
  }
  return Value(types.simple(TypeKind::NoReturn));
}

Value Evaluator::evalBreak(const BreakExpr &expr) {
  Target *target = findTarget(expr.label().text, false);
  if (!target)
    return error(expr.span(),
                 expr.label().empty()
                     ? "'break' is outside of a loop"
                     : "use of undeclared label '" + expr.label().text + "'");
  Value value = makeVoid();
  if (expr.value()) {
    value = eval(*expr.value(), target->type);
    if (left)
      return Value();
    if (!value) {
      left = true;
      jump = {target, false};
      return Value();
    }
  }
  unlessLeft(expr.span(), [&] {
    leave(*target, false, value, expr.span());
    return Value();
  });
  return Value(types.simple(TypeKind::NoReturn));
}

Value Evaluator::evalContinue(const ContinueExpr &expr) {
  Target *target = findTarget(expr.label().text, true);
  if (!target)
    return error(expr.span(), "'continue' is outside of a loop");
  leave(*target, true, Value(), expr.span());
  return Value(types.simple(TypeKind::NoReturn));
}

//===----------------------------------------------------------------------===//
// What follows a jump
//===----------------------------------------------------------------------===//

mlir::Value Evaluator::anyExit(Span span, llvm::ArrayRef<Jump> jumps) {
  mlir::Value any;
  llvm::SmallVector<int> seen;
  for (const Jump &exit : jumps) {
    int flag =
        exit.isContinue ? exit.target->continueFlag : exit.target->breakFlag;
    if (flag < 0 || llvm::is_contained(seen, flag))
      continue;
    seen.push_back(flag);
    const Value &value = frame->locals[flag].value;
    if (!value)
      continue;
    mlir::Value set = value.runtime();
    any = any ? arith::OrIOp::create(builder, loc(span), any, set).getResult()
              : set;
  }
  return any;
}

void Evaluator::guard(Span span, llvm::function_ref<void()> body) {
  (void)unlessLeft(span, [&] {
    body();
    return makeVoid();
  });
}

Value Evaluator::unlessLeft(Span span, llvm::function_ref<Value()> rest) {
  mlir::Value taken =
      isComptime() ? mlir::Value() : anyExit(span, llvm::SmallVector(exits));
  if (!taken)
    return rest();
  // What is known needs no way to here.
  Value known;
  Value result = emitBranch(
      taken, span, nullptr, /*isVoid=*/false,
      [&] {
        left = true; // where it went before
        return Value();
      },
      [&] {
        ++skips;
        // What was assigned where control has not left is certain here.
        for (Local &local : frame->locals)
          local.skips = std::min(local.skips, skips);
        Value value = rest();
        --skips;
        if (!value || !value.isComptime())
          return value;
        known = value;
        return makeVoid();
      });
  return known && result ? known : result;
}

/// Control may have left by an operation that is complete.
void Evaluator::noteExit(mlir::Operation *op) {
  for (ExitPoint *point = exitPoint; point; point = point->outer) {
    point->op = op;
    point->state = saveRegion();
  }
}

/// What a builtin does, rather than gives, is emitted with its operands. Where
/// control may have left in one of them, what was emitted behind that is moved
/// under the condition that it has not.
Value Evaluator::withoutJumps(const BuiltinCall &call,
                              llvm::function_ref<Value()> evaluate) {
  ExitPoint point;
  point.outer = exitPoint;
  exitPoint = &point;
  Value value = evaluate();
  exitPoint = point.outer;
  if (isComptime() || !value || left || exits.empty() || !point.op ||
      !(value.isVoid() || parseDsdOpcode(call.name().text)))
    return value;
  mlir::Block *block = builder.getInsertionBlock();
  mlir::Operation *last = block->findAncestorOpInBlock(*point.op);
  if (!last)
    return error(call.span(), "an operand of @" + call.name().text +
                                  " leaves by a jump; give it its value "
                                  "before, as a constant of its own");
  llvm::SmallVector<mlir::Operation *> moved;
  for (auto it = std::next(last->getIterator());
       it != builder.getInsertionPoint(); ++it)
    moved.push_back(&*it);
  // As it was when control may have left.
  RegionState after = saveRegion();
  restoreRegion(point.state);
  left = false;
  exits = after.exits;
  return unlessLeft(call.span(), [&] {
    for (mlir::Operation *op : moved)
      op->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    restoreRegion(after);
    exits.clear();
    return value;
  });
}
