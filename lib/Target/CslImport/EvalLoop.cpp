//===- EvalLoop.cpp - for and while ---------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is run by the compiler (in comptime code), written out (inline), or
// emitted as blocks: a header that asks for the next round, the body, and what
// comes between two rounds.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "sequin/Dialect/Csl/Transforms/RunningConstants.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;
namespace arith = mlir::arith;
namespace cf = mlir::cf;

//===----------------------------------------------------------------------===//
// Emitted loops
//===----------------------------------------------------------------------===//

void Evaluator::emitLoop(Target &target, Span span,
                         llvm::function_ref<Value()> condition,
                         llvm::function_ref<void()> body,
                         llvm::function_ref<void()> next) {
  mlir::Location at = loc(span);
  mlir::Block *header = makeBlock();
  cf::BranchOp::create(builder, at, header);
  startBlock(header);
  variables.open(header);
  frame->targets.push_back(&target);
  ++depth;
  Value goesOn = condition();
  bool isEndless = goesOn && goesOn.isInteger() && goesOn.truth();
  if (!left && !isEndless) {
    mlir::Value number = goesOn ? materialize(goesOn, span) : mlir::Value();
    if (!number)
      number = constantBool(false, span);
    mlir::Block *first = makeBlock();
    target.exits.block = makeBlock();
    cf::CondBranchOp::create(builder, at, number, first, mlir::ValueRange(),
                             target.exits.block, mlir::ValueRange());
    branchTo(target.exits, 1, makeVoid());
    startBlock(first);
  }
  if (!left) {
    body();
    if (endRound(target))
      next();
  }
  if (!left)
    cf::BranchOp::create(builder, at, header);
  variables.seal(header);
  --depth;
  frame->targets.pop_back();
  close(target.exits, span);
}

bool Evaluator::endRound(Target &target) {
  if (!target.continues.ways.empty()) {
    if (!left)
      goTo(target.continues, makeVoid());
    close(target.continues, target.span);
    target.continues = Join();
  }
  return !left;
}

void Evaluator::leaveLoop(Target &target) {
  frame->targets.pop_back();
  if (target.exits.ways.empty())
    return;
  if (!left)
    goTo(target.exits, makeVoid());
  close(target.exits, target.span);
}

namespace {
/// What comes of a round of a loop that the compiler goes round.
enum class Round : uint8_t { Next, Last, Failed };
} // namespace

Value Evaluator::evalWhile(const WhileExpr &expr) {
  size_t scope = beginScope();
  Target target;
  target.kind = Target::Kind::Loop;
  target.label = expr.label().text;
  target.span = expr.span();
  auto checkCondition = [&](Value value) -> Value {
    if (!value || left)
      return Value();
    if (value.type()->is(TypeKind::Bool))
      return value;
    return error(expr.condition()->span(),
                 "the condition of 'while' is of bool, found type '" +
                     value.type()->str() + "'" +
                     (value.type()->isInteger() ? "; write 'x != 0'" : ""));
  };
  if (!isComptime() && expr.mode() == LoopMode::Plain) {
    emitLoop(
        target, expr.span(),
        [&] { return checkCondition(eval(*expr.condition())); },
        [&] { eval(*expr.body()); },
        [&] {
          if (expr.step())
            eval(*expr.step());
        });
    endScope(scope);
    return left ? Value() : makeVoid();
  }
  Phase inner = expr.mode() == LoopMode::Comptime && !isComptime()
                    ? Phase::Comptime
                    : phase;
  PhaseScope phaseScope(*this, inner);
  frame->targets.push_back(&target);
  uint64_t iterations = 0;
  auto run = [&] {
    if (!step(expr.span()))
      return Round::Failed;
    Value condition = checkCondition(eval(*expr.condition()));
    if (left)
      return Round::Last;
    if (condition)
      condition = known(condition, expr.condition()->span(),
                        "the condition of an inline loop");
    if (!condition || !condition.isInteger())
      return Round::Failed;
    if (!condition.truth())
      return Round::Last;
    if (!isComptime() && ++iterations > session.options.maxInlinedIterations) {
      error(expr.span(), "exceeded the maximum of " +
                             llvm::Twine(session.options.maxInlinedIterations) +
                             " inlined iterations");
      return Round::Failed;
    }
    size_t bodyScope = beginScope();
    unsigned errors = session.diagnostics.numErrors();
    uint64_t assignments = session.assignments;
    eval(*expr.body());
    endScope(bodyScope);
    if (!endRound(target))
      return Round::Last;
    if (session.diagnostics.numErrors() != errors)
      return Round::Failed;
    if (expr.step())
      eval(*expr.step());
    if (left)
      return Round::Last;
    // The next round is as this one.
    if (isComptime() && session.assignments == assignments) {
      error(expr.span(),
            "this loop never ends: nothing in it changes a variable");
      return Round::Failed;
    }
    return Round::Next;
  };
  Round round;
  do
    round = run();
  while (round == Round::Next);
  leaveLoop(target);
  endScope(scope);
  return round == Round::Failed || left ? Value() : makeVoid();
}

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

namespace {
/// Known start, stop and step.
struct KnownRange {
  Integer start, stop, step;
  bool isLast(const Integer &value) const {
    return step.isNegative() ? compare(value, stop) <= 0
                             : compare(value, stop) >= 0;
  }
};
} // namespace

static bool isRangeKnown(const Value &range) {
  return range.isAggregate() && range.isKnown();
}

Value Evaluator::evalFor(const ForExpr &expr) {
  bool unroll = isComptime() || expr.mode() != LoopMode::Plain;
  // An array is walked where it is.
  LValue array = evalPlace(*expr.iterable(), /*forWrite=*/false);
  if (left || array.kind == LValue::Kind::Error)
    return Value();
  const Type *type = array.type;
  bool isRange = type->is(TypeKind::Range);
  bool isTuple = type->isStruct() && (type->isTuple || type->fields.empty());
  if (!isRange && !type->isArray() && !isTuple)
    return error(expr.iterable()->span(),
                 "'for' goes over a range or an array, found type '" +
                     type->str() + "'");
  if (type->isArray() && type->shape.size() != 1)
    return error(expr.iterable()->span(),
                 "'for' goes over an array of one dimension, found type '" +
                     type->str() + "'");
  if (!mayDeclare(expr.element()->name().text, expr.element()->span()) ||
      (expr.index() &&
       !mayDeclare(expr.index()->name().text, expr.index()->span())))
    return Value();
  size_t scope = beginScope();
  Target target;
  target.kind = Target::Kind::Loop;
  target.label = expr.label().text;
  target.span = expr.span();
  auto bind = [&](Value element, Value index) {
    Local &item = addLocal(expr.element()->name().text, expr.element()->span());
    item.isConst = true;
    item.type = element.type();
    item.value = std::move(element);
    if (!isComptime() && !item.type->isComptimeOnly() &&
        frame->isAddressTaken(item.name, item.type))
      keepInMemory(item, item.span);
    if (session.options.observations)
      observeLocal(item, expr.element()->name().span);
    if (!expr.index())
      return;
    Local &counter = addLocal(expr.index()->name().text, expr.index()->span());
    counter.isConst = true;
    counter.type = types.u16();
    counter.value = std::move(index);
    if (session.options.observations)
      observeLocal(counter, expr.index()->name().span);
  };

  if (unroll) {
    bool comptimeLoop = expr.mode() == LoopMode::Comptime && !isComptime();
    PhaseScope phaseScope(*this, comptimeLoop ? Phase::Comptime : phase);
    Value value;
    std::optional<KnownRange> range;
    int64_t count = 0;
    if (isRange) {
      value =
          known(read(array, expr.iterable()->span()), expr.iterable()->span(),
                "the range of an inline loop", expr.iterable());
      if (!value || !isRangeKnown(value)) {
        endScope(scope);
        return Value();
      }
      range = KnownRange{value.elements()[0].integer(),
                         value.elements()[1].integer(),
                         value.elements()[2].integer()};
    } else {
      count = isTuple ? type->fields.size() : type->shape[0];
    }
    frame->targets.push_back(&target);
    int64_t iteration = 0;
    Integer current = range ? range->start : Integer(0);
    auto run = [&] {
      if (range ? range->isLast(current) : iteration >= count)
        return Round::Last;
      if (!step(expr.span()))
        return Round::Failed;
      if (!isComptime() &&
          uint64_t(iteration) >= session.options.maxInlinedIterations) {
        error(expr.span(),
              "exceeded the maximum of " +
                  llvm::Twine(session.options.maxInlinedIterations) +
                  " inlined iterations");
        return Round::Failed;
      }
      Value element =
          range ? Value(type->element, current)
                : read(elementPlace(array, makeInt(types.u16(), iteration),
                                    expr.iterable()->span()),
                       expr.iterable()->span());
      if (!element)
        return Round::Failed;
      size_t bodyScope = beginScope();
      unsigned errors = session.diagnostics.numErrors();
      bind(std::move(element), makeInt(types.u16(), iteration));
      eval(*expr.body());
      endScope(bodyScope);
      ++iteration;
      if (range)
        current = *add(current, range->step);
      if (!endRound(target))
        return Round::Last;
      return session.diagnostics.numErrors() != errors ? Round::Failed
                                                       : Round::Next;
    };
    Round round;
    do
      round = run();
    while (round == Round::Next);
    leaveLoop(target);
    endScope(scope);
    return round == Round::Failed || left ? Value() : makeVoid();
  }
  if (isTuple) {
    endScope(scope);
    return error(expr.iterable()->span(),
                 "elements of a tuple may differ in type: go over it with "
                 "'inline for'");
  }
  emitFor(expr, target, array, bind);
  endScope(scope);
  return left ? Value() : makeVoid();
}

/// The same for numbers of more than 32 bits; what goes round more often than a
/// counter of 32 bits can tell ends nowhere.
Evaluator::TripCount Evaluator::longTripCount(const Type *element,
                                              const Value &range, Span span) {
  mlir::Location at = loc(span);
  const Value &by = range.elements()[2];
  TripCount result;
  result.isLong = result.isUnsigned = true;
  result.start = materializeAs(range.elements()[0], element, span);
  mlir::Value stop = materializeAs(range.elements()[1], element, span);
  result.step = materializeAs(by, element, span);
  if (!result.start || !stop || !result.step)
    return {};
  mlir::Type word = result.start.getType();
  mlir::Value none = constantInt(word, 0, at), unit = constantInt(word, 1, at);
  mlir::Value from = result.start, to = stop, size = result.step;
  if (element->isSigned) {
    mlir::Value isDown = builder.createOrFold<arith::CmpIOp>(
        at, arith::CmpIPredicate::slt, size, none);
    auto choose = [&](mlir::Value yes, mlir::Value no) {
      return builder.createOrFold<arith::SelectOp>(at, isDown, yes, no);
    };
    mlir::Value opposite = builder.createOrFold<arith::SubIOp>(at, none, size);
    size = choose(opposite, size);
    from = choose(stop, result.start);
    to = choose(result.start, stop);
  }
  mlir::Value runs = builder.createOrFold<arith::CmpIOp>(
      at,
      element->isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult,
      from, to);
  // A distance has no sign.
  mlir::Value last = builder.createOrFold<arith::SubIOp>(
      at, builder.createOrFold<arith::SubIOp>(at, to, from), unit);
  mlir::Value count = builder.createOrFold<arith::DivUIOp>(at, last, size);
  mlir::Value most = constantInt(word, UINT32_MAX - 1, at);
  count = builder.createOrFold<arith::MinUIOp>(at, count, most);
  count = builder.createOrFold<arith::AddIOp>(at, count, unit);
  count = builder.createOrFold<arith::SelectOp>(at, runs, count, none);
  result.count = builder.createOrFold<arith::IndexCastUIOp>(
      at, builder.getIndexType(),
      builder.createOrFold<arith::TruncIOp>(at, builder.getI32Type(), count));
  return result;
}

/// How often a loop over a range runs. The numbers of the wafer have 32 bits:
/// a distance between two of them needs all, without a sign.
Evaluator::TripCount Evaluator::tripCount(const LValue &iterable,
                                          const Value &range, Span span) {
  mlir::Location at = loc(span);
  const Type *element = iterable.type->element;
  const Value &first = range.elements()[0], &last = range.elements()[1],
              &by = range.elements()[2];
  auto isShort = [](const Value &value) {
    return value.isInteger() &&
           compare(value.integer(), Integer(INT32_MIN)) >= 0 &&
           compare(value.integer(), Integer(INT32_MAX)) <= 0;
  };
  if (element->width > 32 && !(isShort(first) && isShort(last) && isShort(by)))
    return longTripCount(element, range, span);
  TripCount result;
  result.start = indexValue(first, span);
  mlir::Value stop = indexValue(last, span);
  result.step = indexValue(by, span);
  if (!result.start || !stop || !result.step)
    return {};
  bool isWide = element->width == 32;
  if (first.isInteger() && last.isInteger() && by.isInteger()) {
    int64_t step = by.small();
    int64_t distance =
        step < 0 ? first.small() - last.small() : last.small() - first.small();
    int64_t size = std::abs(step);
    int64_t count = distance <= 0 ? 0 : llvm::divideCeil(distance, size);
    result.count = constantIndex(count, at);
    result.isUnsigned = !llvm::isInt<32>(count);
    return result;
  }
  bool isOne = by.isInteger() && by.integer() == Integer(1);
  if (isOne && first.isInteger() && first.integer().isZero()) {
    result.count = stop;
    result.isUnsigned = isWide && !element->isSigned;
    return result;
  }
  mlir::Type word = builder.getI32Type();
  auto asWord = [&](mlir::Value value) -> mlir::Value {
    return arith::IndexCastOp::create(builder, at, word, value);
  };
  mlir::Value from = asWord(result.start), to = asWord(stop), step;
  if (by.isInteger()) {
    step = constantInt(word, std::abs(by.small()), at);
    if (by.integer().isNegative())
      std::swap(from, to);
  } else {
    step = asWord(result.step);
  }
  mlir::Value count =
      csl::countRounds(builder, at, from, to, step, !element->isSigned);
  result.count =
      arith::IndexCastUIOp::create(builder, at, builder.getIndexType(), count);
  result.isUnsigned = true;
  return result;
}

void Evaluator::emitFor(const ForExpr &expr, Target &target,
                        const LValue &iterable,
                        llvm::function_ref<void(Value, Value)> bind) {
  Span span = expr.iterable()->span();
  mlir::Location at = loc(expr.span());
  const Type *type = iterable.type;
  bool isRange = type->is(TypeKind::Range);
  TripCount trips;
  if (isRange) {
    Value range = read(iterable, span);
    if (!range)
      return;
    if (!range.isAggregate()) {
      error(span, "the bounds of this range are known to running code only: "
                  "write '@range(...)' in the head of the loop");
      return;
    }
    if (type->element->is(TypeKind::ComptimeInt)) {
      error(span, "a range of comptime_int is for comptime code and 'inline "
                  "for'");
      return;
    }
    trips = tripCount(iterable, range, span);
    if (!trips.count)
      return;
  } else {
    trips.count = constantIndex(type->shape[0], at);
  }
  // The values of an iteration from its number.
  auto bindAt = [&](mlir::Value number) {
    Value element;
    mlir::Value position = number;
    if (isRange && trips.isLong) {
      mlir::Value wide = builder.createOrFold<arith::IndexCastUIOp>(
          at, trips.step.getType(), number);
      element = makeRuntime(
          type->element,
          builder.createOrFold<arith::AddIOp>(
              at, builder.createOrFold<arith::MulIOp>(at, wide, trips.step),
              trips.start));
    } else if (isRange) {
      mlir::Value scaled =
          builder.createOrFold<arith::MulIOp>(at, number, trips.step);
      mlir::Value sum =
          builder.createOrFold<arith::AddIOp>(at, scaled, trips.start);
      mlir::Type converted = convert(type->element, span);
      if (!converted)
        return;
      element = makeRuntime(
          type->element,
          type->element->isSigned
              ? arith::IndexCastOp::create(builder, at, converted, sum)
                    .getResult()
              : arith::IndexCastUIOp::create(builder, at, converted, sum)
                    .getResult());
    } else {
      mlir::Value asInt = arith::IndexCastUIOp::create(
          builder, at, builder.getI16Type(), position);
      element = read(
          elementPlace(iterable, makeRuntime(types.u16(), asInt), span), span);
    }
    if (!element)
      return;
    Value index;
    if (expr.index())
      index = makeRuntime(types.u16(),
                          arith::IndexCastUIOp::create(
                              builder, at, builder.getI16Type(), number));
    bind(std::move(element), std::move(index));
  };
  SsaVariables::Variable counter =
      variables.declare(builder.getIndexType(), at);
  auto number = [&] {
    return variables.read(counter, builder.getInsertionBlock());
  };
  auto count = [&](mlir::Value value) {
    variables.write(counter, builder.getInsertionBlock(), value);
  };
  count(constantIndex(0, at));
  emitLoop(
      target, expr.span(),
      [&] {
        return makeRuntime(
            types.boolType(),
            arith::CmpIOp::create(builder, at,
                                  trips.isUnsigned ? arith::CmpIPredicate::ult
                                                   : arith::CmpIPredicate::slt,
                                  number(), trips.count));
      },
      [&] {
        size_t scope = beginScope();
        bindAt(number());
        eval(*expr.body());
        endScope(scope);
      },
      [&] {
        count(
            arith::AddIOp::create(builder, at, number(), constantIndex(1, at)));
      });
}
