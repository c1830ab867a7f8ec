//===- EvalLoop.cpp - for and while ---------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is run by the compiler (in comptime code), written out (inline), or
// emitted. An emitted loop carries the variables that its body may assign and
// the flags of the jumps that may leave it, which a walk over its tree finds.
//
//===----------------------------------------------------------------------===//

#include "EvaluatorControl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "sequin/Dialect/Csl/Transforms/RunningConstants.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

//===----------------------------------------------------------------------===//
// What a loop carries
//===----------------------------------------------------------------------===//

/// The variable at the root of a place.
static llvm::StringRef rootName(const Expr &place) {
  const Expr *expr = place.ignoreParens();
  while (true) {
    if (const auto *member = llvm::dyn_cast<MemberExpr>(expr))
      expr = member->base()->ignoreParens();
    else if (const auto *index = llvm::dyn_cast<IndexExpr>(expr))
      expr = index->base()->ignoreParens();
    else
      break;
  }
  if (const auto *name = llvm::dyn_cast<NameExpr>(expr))
    return name->name();
  if (const auto *builtin = llvm::dyn_cast<BuiltinCall>(expr);
      builtin && builtin->name().text == "field" &&
      !builtin->arguments().empty())
    return rootName(*builtin->arguments()[0]);
  return {};
}

Evaluator::Carried Evaluator::findCarried(Target &loop,
                                          llvm::ArrayRef<const Expr *> parts) {
  Carried carried;
  auto addLocalNumber = [&](int number) {
    if (number >= 0 && frame->locals[number].kind == Local::Kind::Ssa &&
        !llvm::is_contained(carried.locals, unsigned(number)))
      carried.locals.push_back(number);
  };
  auto addExit = [&](Target *target, bool isContinue, bool hasValue,
                     Span span) {
    if (!target)
      return;
    Jump exit{target, isContinue};
    if (!llvm::is_contained(carried.exits, exit))
      carried.exits.push_back(exit);
    addLocalNumber(isContinue ? target->continueFlag : target->breakFlag);
    if (!hasValue || isContinue)
      return;
    if (!target->type && probing)
      return;
    if (!target->type) {
      error(span, "'break' takes a value out of a loop that running code goes "
                  "round: the variable that gets it needs a type, as in "
                  "'const x: i16 = ...'");
      return;
    }
    if (!target->type->isVoid())
      addLocalNumber(target->slot);
  };
  std::function<void(const Node &, unsigned)> walk = [&](const Node &node,
                                                         unsigned nesting) {
    unsigned inner = nesting;
    if (llvm::isa<ForExpr, WhileExpr>(node))
      ++inner;
    if (const auto *assign = llvm::dyn_cast<AssignExpr>(&node)) {
      llvm::StringRef name = rootName(*assign->target());
      for (size_t i = frame->locals.size(); !name.empty() && i-- > 0;)
        if (frame->locals[i].name == name) {
          addLocalNumber(i);
          break;
        }
    } else if (const auto *jumpOut = llvm::dyn_cast<BreakExpr>(&node)) {
      llvm::StringRef label = jumpOut->label().text;
      if (label.empty() ? nesting == 0 : label == loop.label)
        addExit(&loop, false, false, jumpOut->span());
      else if (!label.empty())
        addExit(findTarget(label, false), false, jumpOut->value(),
                jumpOut->span());
    } else if (const auto *again = llvm::dyn_cast<ContinueExpr>(&node)) {
      llvm::StringRef label = again->label().text;
      if (!label.empty() && label != loop.label)
        addExit(findTarget(label, true), true, false, again->span());
    } else if (const auto *out = llvm::dyn_cast<ReturnExpr>(&node)) {
      if (!frame->targets.empty() &&
          frame->targets.front()->kind == Target::Kind::Function)
        addExit(frame->targets.front(), false, out->value(), out->span());
    }
    forEachChild(node, [&](const Node &child) { walk(child, inner); });
  };
  for (const Expr *part : parts)
    if (part)
      walk(*part, 0);
  llvm::sort(carried.locals);
  return carried;
}

std::vector<mlir::Value> Evaluator::currentValues(const Carried &carried,
                                                  Span span) {
  std::vector<mlir::Value> values;
  for (unsigned number : carried.locals) {
    const Local &local = frame->locals[number];
    mlir::Value value;
    if (local.value)
      value = materializeAs(local.value, local.type, span);
    if (!value)
      if (mlir::Type type = convert(local.type))
        value = zeroOf(type, loc(span));
    values.push_back(value);
  }
  return values;
}

void Evaluator::setValues(const Carried &carried, mlir::ValueRange values) {
  for (auto [number, value] : llvm::zip(carried.locals, values))
    frame->locals[number].value =
        makeRuntime(frame->locals[number].type, value);
}

//===----------------------------------------------------------------------===//
// Emitted loops
//===----------------------------------------------------------------------===//

/// Emits a loop. `parts` is all that may assign or jump; `condition` gives an
/// i1; `next` runs after every iteration.
bool Evaluator::emitLoop(Target &target, Span span,
                         llvm::ArrayRef<const Expr *> parts,
                         llvm::ArrayRef<int> alsoCarried,
                         llvm::function_ref<mlir::Value()> condition,
                         llvm::function_ref<void()> body,
                         llvm::function_ref<void()> next) {
  mlir::Location at = loc(span);
  target.isRuntimeLoop = true;
  target.depth = depth + 1;
  enterTarget(target);
  Carried carried = findCarried(target, parts);
  for (int number : alsoCarried)
    if (!llvm::is_contained(carried.locals, unsigned(number)))
      carried.locals.push_back(number);
  std::vector<mlir::Value> inits = currentValues(carried, span);
  if (llvm::is_contained(inits, mlir::Value())) {
    leaveTarget(target);
    return true;
  }
  llvm::SmallVector<mlir::Type> resultTypes;
  for (mlir::Value init : inits)
    resultTypes.push_back(init.getType());
  llvm::SmallVector<mlir::Location> places(resultTypes.size(), at);
  RegionState before = saveRegion();
  llvm::SmallVector<Jump, 2> fromCondition;
  bool conditionLeaves = false;
  auto op = scf::WhileOp::create(builder, at, resultTypes, inits);
  {
    mlir::OpBuilder::InsertionGuard insertion(builder);
    mlir::Block *first =
        builder.createBlock(&op.getBefore(), {}, resultTypes, places);
    setValues(carried, first->getArguments());
    ++depth;
    exits.clear();
    size_t scope = beginScope();
    // It goes on unless control has left.
    mlir::Value goesOn;
    mlir::Value taken = anyExit(span, carried.exits);
    if (taken) {
      // As `!taken and condition` would be.
      mlir::Value stays =
          arith::XOrIOp::create(builder, at, taken, constantBool(true, span));
      Value both = emitBranch(
          stays, span, types.boolType(), /*isVoid=*/false,
          [&] {
            mlir::Value value = condition();
            return value ? makeRuntime(types.boolType(), value) : Value();
          },
          [&] { return makeBool(false); });
      if (both)
        goesOn = materialize(both, span);
    } else {
      goesOn = condition();
    }
    if (!goesOn)
      goesOn = constantBool(false, span);
    // The condition itself may leave.
    fromCondition = exits;
    conditionLeaves = left;
    left = false;
    if (mlir::Value now = anyExit(span, fromCondition)) {
      mlir::Value stays =
          arith::XOrIOp::create(builder, at, now, constantBool(true, span));
      goesOn = arith::AndIOp::create(builder, at, stays, goesOn);
    }
    scf::ConditionOp::create(builder, at, goesOn, currentValues(carried, span));
    endScope(scope);

    mlir::Block *second =
        builder.createBlock(&op.getAfter(), {}, resultTypes, places);
    restoreRegion(before);
    setValues(carried, second->getArguments());
    frame->locals[target.continueFlag].value = Value();
    exits.clear();
    body();
    endScope(scope);
    // The step runs unless the iteration broke out.
    bool continues = !left || (jump.target == &target && jump.isContinue);
    for (const Jump &exit : exits)
      continues |= exit.target == &target && exit.isContinue;
    left = false;
    jump = {};
    llvm::erase_if(exits, [&](const Jump &exit) {
      return exit.target == &target && exit.isContinue;
    });
    if (continues && next) {
      if (exits.empty())
        next();
      else
        guard(span, next);
      left = false;
      endScope(scope);
    }
    scf::YieldOp::create(builder, at, currentValues(carried, span));
    --depth;
  }
  llvm::SmallVector<Jump, 2> inner = exits;
  restoreRegion(before);
  setValues(carried, op.getResults());
  left |= conditionLeaves;
  bool breaks = false;
  for (const Jump &exit : llvm::concat<const Jump>(inner, fromCondition)) {
    breaks |= exit.target == &target;
    if (exit.target != &target && !llvm::is_contained(exits, exit))
      exits.push_back(exit);
  }
  frame->targets.pop_back();
  if (!inner.empty() || !fromCondition.empty())
    noteExit(op);
  return breaks;
}

Value Evaluator::evalWhile(const WhileExpr &expr) {
  size_t scope = beginScope();
  Target target;
  target.kind = Target::Kind::Loop;
  target.label = expr.label().text;
  target.depth = depth;
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
    bool endless = false;
    bool breaks = emitLoop(
        target, expr.span(), {expr.condition(), expr.step(), expr.body()}, {},
        [&]() -> mlir::Value {
          Value value = checkCondition(eval(*expr.condition()));
          endless = value && value.isInteger() && value.truth();
          return value ? materialize(value, expr.condition()->span())
                       : mlir::Value();
        },
        [&] { eval(*expr.body()); },
        [&] {
          if (expr.step())
            eval(*expr.step());
        });
    endScope(scope);
    // What comes behind a loop that is only left further out never runs.
    if (endless && !breaks && !exits.empty())
      left = true;
    return makeVoid();
  }
  Place inner = expr.mode() == LoopMode::Comptime && !isComptime()
                    ? Place::Comptime
                    : place;
  PlaceScope placeScope(*this, inner);
  enterTarget(target);
  uint64_t iterations = 0;
  bool failed = false;
  writeOut(expr.span(), [&] {
    if (!step(expr.span())) {
      failed = true;
      return false;
    }
    Value condition = checkCondition(eval(*expr.condition()));
    if (condition)
      condition = known(condition, expr.condition()->span(),
                        "the condition of an inline loop");
    if (!condition || !condition.isInteger()) {
      failed = true;
      return false;
    }
    if (!condition.truth())
      return false;
    if (!isComptime() && ++iterations > session.options.maxInlinedIterations) {
      error(expr.span(), "exceeded the maximum of " +
                             llvm::Twine(session.options.maxInlinedIterations) +
                             " inlined iterations");
      failed = true;
      return false;
    }
    size_t bodyScope = beginScope();
    unsigned errors = session.diagnostics.numErrors();
    uint64_t assignments = session.assignments;
    eval(*expr.body());
    endScope(bodyScope);
    if (!endIteration(target))
      return false;
    if (session.diagnostics.numErrors() != errors) {
      failed = true;
      return false;
    }
    if (expr.step())
      eval(*expr.step());
    // The next round is as this one.
    if (isComptime() && session.assignments == assignments) {
      error(expr.span(),
            "this loop never ends: nothing in it changes a variable");
      failed = true;
      return false;
    }
    return true;
  });
  leaveTarget(target);
  endScope(scope);
  return failed ? Value() : makeVoid();
}

/// Emits `round` until it says that there is no next one. What follows a round
/// that may have left runs only if it did not.
void Evaluator::writeOut(Span span, llvm::function_ref<bool()> round) {
  bool more = true;
  unsigned nesting = 0;
  std::function<void()> run = [&] {
    do
      more = round();
    while (more && exits.empty());
    if (nesting == kNestedRests)
      return;
    while (more) {
      ++nesting;
      guard(span, run);
      // All rounds that were inside have closed; the outermost goes on.
      if (--nesting)
        return;
    }
  };
  run();
}

/// After the body of a loop that the compiler goes round; whether there is a
/// next iteration.
bool Evaluator::endIteration(Target &target) {
  auto isNext = [&](const Jump &exit) {
    return exit.target == &target && exit.isContinue;
  };
  if (llvm::any_of(exits, isNext)) {
    llvm::erase_if(exits, isNext);
    mergeComptime();
    // Control may have left everywhere, here and there to the next iteration.
    if (!jump.target)
      left = false;
  }
  if (!left)
    return true;
  if (jump.target == &target && jump.isContinue) {
    left = false;
    jump = {};
    return true;
  }
  return false;
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
  target.depth = depth;
  target.span = expr.span();
  auto bind = [&](Value element, Value index) {
    Local &item = addLocal(expr.element()->name().text, expr.element()->span());
    item.isConst = true;
    item.type = element.type();
    item.value = std::move(element);
    if (!isComptime() && !item.type->isComptimeOnly() &&
        isAddressTaken(frame->addressTaken, item.name, item.type))
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
    PlaceScope placeScope(*this, comptimeLoop ? Place::Comptime : place);
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
    enterTarget(target);
    int64_t iteration = 0;
    Integer current = range ? range->start : Integer(0);
    bool failed = false;
    writeOut(expr.span(), [&] {
      if (range ? range->isLast(current) : iteration >= count)
        return false;
      if (!step(expr.span())) {
        failed = true;
        return false;
      }
      if (!isComptime() &&
          uint64_t(iteration) >= session.options.maxInlinedIterations) {
        error(expr.span(),
              "exceeded the maximum of " +
                  llvm::Twine(session.options.maxInlinedIterations) +
                  " inlined iterations");
        failed = true;
        return false;
      }
      Value element =
          range ? Value(type->element, current)
                : read(elementPlace(array, makeInt(types.u16(), iteration),
                                    expr.iterable()->span()),
                       expr.iterable()->span());
      if (!element) {
        failed = true;
        return false;
      }
      size_t bodyScope = beginScope();
      unsigned errors = session.diagnostics.numErrors();
      bind(std::move(element), makeInt(types.u16(), iteration));
      eval(*expr.body());
      endScope(bodyScope);
      ++iteration;
      if (range)
        current = *add(current, range->step);
      if (!endIteration(target))
        return false;
      failed = session.diagnostics.numErrors() != errors;
      return !failed;
    });
    leaveTarget(target);
    endScope(scope);
    return failed ? Value() : makeVoid();
  }
  if (isTuple) {
    endScope(scope);
    return error(expr.iterable()->span(),
                 "elements of a tuple may differ in type: go over it with "
                 "'inline for'");
  }
  unlessLeft(expr.span(), [&] {
    emitFor(expr, target, array, bind);
    return makeVoid();
  });
  endScope(scope);
  return makeVoid();
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
  Target probe;
  probe.label = target.label;
  target.depth = depth + 1;
  Carried carried = findCarried(probe, expr.body());
  bool jumpsOut = !carried.exits.empty();
  if (jumpsOut) {
    // A counter and the flags.
    Local &hidden = addLocal("", expr.span());
    hidden.kind = Local::Kind::Ssa;
    hidden.type = types.u32();
    hidden.value = makeInt(types.u32(), 0);
    hidden.value = asRuntime(hidden.value, span);
    int number = frame->locals.size() - 1;
    auto asIndex = [&] {
      return arith::IndexCastUIOp::create(
          builder, at, builder.getIndexType(),
          frame->locals[number].value.runtime());
    };
    // The counter is compared as what it is: an index would be another type in
    // source.
    mlir::Value count = builder.createOrFold<arith::IndexCastOp>(
        at, builder.getI32Type(), trips.count);
    std::optional<int64_t> known = mlir::getConstantIntValue(count);
    bool isUnsigned = trips.isUnsigned || (known && *known >= 0);
    emitLoop(
        target, expr.span(), expr.body(), number,
        [&]() -> mlir::Value {
          return arith::CmpIOp::create(builder, at,
                                       isUnsigned ? arith::CmpIPredicate::ult
                                                  : arith::CmpIPredicate::slt,
                                       frame->locals[number].value.runtime(),
                                       count);
        },
        [&] {
          bindAt(asIndex());
          eval(*expr.body());
        },
        [&] {
          frame->locals[number].value = makeRuntime(
              types.u32(),
              arith::AddIOp::create(builder, at,
                                    frame->locals[number].value.runtime(),
                                    constantInt(builder.getI32Type(), 1, at)));
        });
    return;
  }
  enterTarget(target);
  std::vector<mlir::Value> inits = currentValues(carried, expr.span());
  if (llvm::is_contained(inits, mlir::Value())) {
    leaveTarget(target);
    return;
  }
  RegionState before = saveRegion();
  auto op = scf::ForOp::create(builder, at, constantIndex(0, at), trips.count,
                               constantIndex(1, at), inits,
                               /*bodyBuilder=*/nullptr, trips.isUnsigned);
  {
    mlir::OpBuilder::InsertionGuard insertion(builder);
    mlir::Block &block = *op.getBody();
    if (!block.empty())
      block.getTerminator()->erase();
    builder.setInsertionPointToEnd(&block);
    setValues(carried, op.getRegionIterArgs());
    exits.clear();
    ++depth;
    size_t scope = beginScope();
    bindAt(op.getInductionVar());
    eval(*expr.body());
    endScope(scope);
    --depth;
    scf::YieldOp::create(builder, at, currentValues(carried, expr.span()));
  }
  restoreRegion(before);
  setValues(carried, op.getResults());
  frame->targets.pop_back();
}
