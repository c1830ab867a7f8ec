//===- EvalJump.cpp - Jumps, and where ways meet --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;
namespace cf = mlir::cf;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

mlir::Block *Evaluator::makeBlock() {
  auto *block = new mlir::Block();
  builder.getInsertionBlock()->getParent()->push_back(block);
  return block;
}

void Evaluator::startBlock(mlir::Block *block) {
  mlir::Region &region = *block->getParent();
  block->moveBefore(&region, region.end());
  builder.setInsertionPointToEnd(block);
}

void Evaluator::goTo(Join &join, const Value &value) {
  join.ways.push_back({builder.getInsertionBlock(), std::nullopt, value, depth,
                       session.assignments});
  left = true;
}

void Evaluator::branchTo(Join &join, unsigned successor, const Value &value) {
  join.ways.push_back({builder.getInsertionBlock(), successor, value, depth,
                       session.assignments});
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

static bool isSame(const Value &a, const Value &b) {
  if (a.isRuntime() && b.isRuntime())
    return a.runtime() == b.runtime();
  return a.type() == b.type() && a.isComptime() && b.isComptime() &&
         a.key() == b.key();
}

const Type *Evaluator::findJoinType(llvm::ArrayRef<Way> ways, const Type *hint,
                                    Span span) {
  for (const Way &way : ways)
    if (hint && !tryCoerceQuiet(way.value, hint))
      hint = nullptr;
  // What trying emits is thrown away.
  mlir::OpBuilder::InsertionGuard insertion(builder);
  mlir::Block scratch;
  builder.setInsertionPointToStart(&scratch);
  Value joined = ways.front().value;
  const Type *own = joined.type();
  for (const Way &way : ways.drop_front()) {
    own = peer(joined, way.value);
    if (!own && !hint)
      error(span, "expected type '" + joined.type()->str() + "', got: '" +
                      way.value.type()->str() + "'");
    if (!own)
      break;
    if (own != joined.type())
      joined = own == way.value.type() ? way.value : Value(own);
  }
  scratch.dropAllReferences();
  scratch.clear();
  // Numbers have the type of the ways: what an operand is part of does not
  // change how it wraps. Literals take what is wanted.
  bool isNumber = own && own->isNumber() && !own->isComptimeOnly();
  return isNumber || !hint ? own : hint;
}

Value Evaluator::joinValues(llvm::ArrayRef<Way> ways, const Type *type,
                            const Type *hint, Span span,
                            llvm::SmallVectorImpl<mlir::Value> &operands) {
  const Value &first = ways.front().value;
  if (llvm::any_of(ways, [](const Way &way) { return !way.value; }))
    return Value();
  for (const Way &way : ways)
    if (way.value.isVoid() != first.isVoid())
      return error(span, "expected type '" + first.type()->str() + "', got: '" +
                             way.value.type()->str() + "'");
  if (first.isVoid() || llvm::all_of(ways.drop_front(), [&](const Way &way) {
        return isSame(way.value, first);
      }))
    return first;
  if (!type)
    type = findJoinType(ways, hint, span);
  if (!type)
    return Value();
  for (const Way &way : ways) {
    if (way.successor)
      builder.setInsertionPoint(way.from->getTerminator());
    else
      builder.setInsertionPointToEnd(way.from);
    mlir::Value number = materializeAs(way.value, type, span);
    if (!number) {
      operands.clear();
      return Value();
    }
    operands.push_back(number);
  }
  return Value(type);
}

Value Evaluator::close(Join &join, Span span, const Type *type,
                       const Type *hint) {
  llvm::ArrayRef<Way> ways = join.ways;
  left = ways.empty();
  if (left)
    return Value();
  Value result = ways.front().value;
  if (ways.size() == 1) {
    if (ways.front().successor)
      startBlock(join.block);
    else if (builder.getInsertionBlock() != ways.front().from)
      builder.setInsertionPointToEnd(ways.front().from);
  } else {
    // Of comptime variables that were assigned on some ways only, no value is
    // known.
    for (Local &local : frame->locals)
      if (local.kind == Local::Kind::Comptime &&
          local.assigned > ways.front().assignments)
        local.isUncertain = true;
    // What is brought along becomes an argument where it differs.
    llvm::SmallVector<mlir::Value> operands;
    result = joinValues(ways, type, hint, span, operands);
    mlir::Block *block = join.block;
    if (!block) {
      builder.setInsertionPointToEnd(ways.front().from);
      block = makeBlock();
    }
    if (!operands.empty())
      result = makeRuntime(
          result.type(),
          block->addArgument(operands.front().getType(), loc(span)));
    for (auto [index, way] : llvm::enumerate(ways)) {
      mlir::ValueRange operand(llvm::ArrayRef(operands).slice(
          operands.empty() ? 0 : index, operands.empty() ? 0 : 1));
      if (way.successor) {
        llvm::cast<mlir::BranchOpInterface>(way.from->getTerminator())
            .getSuccessorOperands(*way.successor)
            .append(operand);
        continue;
      }
      builder.setInsertionPointToEnd(way.from);
      cf::BranchOp::create(builder, loc(span), block, operand);
    }
    startBlock(block);
  }
  // Which way was taken is not known, so a number is not, even if it is equal.
  bool isUnknown = ways.size() > 1 || ways.front().depth != depth;
  const Type *found = result.type();
  if (isUnknown && result &&
      (found->is(TypeKind::Int) || found->is(TypeKind::Bool) ||
       found->is(TypeKind::Float)))
    return asRuntime(result, span);
  return result;
}

//===----------------------------------------------------------------------===//
// Jumps
//===----------------------------------------------------------------------===//

void Evaluator::leave(Target &target, bool isContinue, Value value, Span span) {
  if (target.kind == Target::Kind::Loop) {
    value = makeVoid();
  } else if (value) {
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
      value = error(span, "expected type '" + target.seen->str() + "', got: '" +
                              value.type()->str() + "'");
    if (value && (!target.seen || !(target.seen = join())))
      target.seen = value.type();
  }
  goTo(isContinue ? target.continues : target.exits, value);
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
      goTo(target.exits, Value());
      return Value();
    }
  }
  if (value.isVoid() && target.type && !target.type->isVoid()) {
    error(expr.span(),
          "expected type '" + target.type->str() + "', got: 'void'");
    goTo(target.exits, Value());
  } else {
    leave(target, false, value,
          expr.value() ? expr.value()->span() : expr.span());
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
      goTo(target->exits, Value());
      return Value();
    }
  }
  leave(*target, false, value, expr.span());
  return Value(types.simple(TypeKind::NoReturn));
}

Value Evaluator::evalContinue(const ContinueExpr &expr) {
  Target *target = findTarget(expr.label().text, true);
  if (!target)
    return error(expr.span(), "'continue' is outside of a loop");
  leave(*target, true, Value(), expr.span());
  return Value(types.simple(TypeKind::NoReturn));
}
