//===- BuiltinsTasks.cpp - Ids, tasks, queues -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

//===----------------------------------------------------------------------===//
// Ids
//===----------------------------------------------------------------------===//

Value Evaluator::makeId(const BuiltinCall &call, const Type *type,
                        int64_t least, int64_t greatest,
                        std::optional<int64_t> tolerated) {
  if (!expectArgs(call, 1, 1))
    return Value();
  Value number = eval(arg(call, 0));
  if (!number)
    return Value();
  Span span = arg(call, 0).span();
  if (!number.type()->isInteger())
    return error(span, "@" + call.name().text +
                           " is of an integer, found type '" +
                           number.type()->str() + "'");
  if (number.isSymbolic()) {
    bool fits = fitsEverywhere(number, types.u16());
    if (fits) {
      const auto &range = *number.symbolic().range;
      if (range.first.small().value_or(-1) >= least &&
          range.second.small().value_or(-1) <= greatest)
        return symbolicCast(number, type);
    }
    number = concretize(number);
  }
  if (number.isInteger()) {
    std::optional<int64_t> value = number.integer().small();
    if (!value ||
        ((*value < least || *value > greatest) && *value != tolerated))
      return error(span, type->str() + " " + number.integer().str() +
                             " does not exist, " +
                             llvm::StringRef(session.machine.name) + " has " +
                             llvm::Twine(least) + " to " +
                             llvm::Twine(greatest));
    return makeInt(type, *value);
  }
  if (!number.isRuntime())
    return Value(type);
  if (type->is(TypeKind::InputQueue) || type->is(TypeKind::OutputQueue))
    return error(span, "the number of a queue must be comptime-known");
  if (number.type() != types.u16())
    return error(span, "a number that is not comptime-known is a u16, found "
                       "type '" +
                           number.type()->str() + "'");
  return makeRuntime(type,
                     csl::MakeIdOp::create(builder, loc(call.span()),
                                           convert(type), number.runtime()));
}

/// Up to release 1.2 this number stood for no color, which programs ask for
/// with
/// @get_int.
static constexpr int64_t kNoColor = 32;

Value Evaluator::builtinGetColor(const BuiltinCall &call, const Type *) {
  Value made = makeId(call, types.simple(TypeKind::Color), 0,
                      session.machine.colors - 1, kNoColor);
  if (made.isInteger() && made.small() >= session.machine.colors)
    warnFormer(arg(call, 0).span(),
               "color " + llvm::Twine(made.small()) + " for no color", "1.2",
               "1.3",
               "no color is '{}', found by '@type_of(c) == void', and colors "
               "are 0 to " +
                   llvm::Twine(session.machine.colors - 1));
  return made;
}

bool Evaluator::checkColor(const Value &color, Span span) {
  if (!color.isInteger() || color.small() < session.machine.colors)
    return true;
  error(span, "color " + color.integer().str() + " does not exist, " +
                  llvm::StringRef(session.machine.name) + " has 0 to " +
                  llvm::Twine(session.machine.colors - 1));
  return false;
}
Value Evaluator::builtinGetInputQueue(const BuiltinCall &call, const Type *) {
  return makeId(call, types.simple(TypeKind::InputQueue), 0,
                session.machine.inputQueues() - 1);
}
Value Evaluator::builtinGetOutputQueue(const BuiltinCall &call, const Type *) {
  return makeId(call, types.simple(TypeKind::OutputQueue), 0,
                session.machine.outputQueues() - 1);
}
Value Evaluator::builtinGetLocalTaskId(const BuiltinCall &call, const Type *) {
  return makeId(call, types.simple(TypeKind::LocalTaskId),
                session.machine.firstLocalTask, session.machine.lastLocalTask);
}
Value Evaluator::builtinGetControlTaskId(const BuiltinCall &call,
                                         const Type *) {
  return makeId(call, types.simple(TypeKind::ControlTaskId), 0,
                session.machine.controlTasks - 1);
}
Value Evaluator::builtinGetUtId(const BuiltinCall &call, const Type *) {
  if (!session.machine.explicitMicrothreads)
    return error(call.span(), "@get_ut_id is not for " +
                                  llvm::StringRef(session.machine.name));
  return makeId(call, types.simple(TypeKind::UtId), 0,
                session.machine.microthreads - 1);
}

/// What to write instead, at the end of a message.
static std::string describeDataTaskSource(const BuiltinCall &call,
                                          const Value &source) {
  // The color that programs up to release 1.0 give to @rpc.
  const auto *member =
      llvm::dyn_cast<MemberExpr>(call.arguments()[0]->ignoreParens());
  if (member && member->member().text == "LAUNCH")
    return ": leave @rpc out, the memcpy library serves the calls";
  if (source.type()->is(TypeKind::Color))
    return ": write the queue that @initialize_queue gives the color";
  return "";
}

Value Evaluator::builtinGetDataTaskId(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1))
    return Value();
  Value source = eval(arg(call, 0));
  if (!source)
    return Value();
  TypeKind wanted = session.isWse3() ? TypeKind::InputQueue : TypeKind::Color;
  if (!source.type()->is(wanted))
    return error(
        arg(call, 0).span(),
        "@get_data_task_id is of " +
            llvm::Twine(session.isWse3() ? "an input_queue" : "a color") +
            " on " + llvm::StringRef(session.machine.name) + ", found type '" +
            source.type()->str() + "'" + describeDataTaskSource(call, source));
  const Type *type = types.simple(TypeKind::DataTaskId);
  if (source.isSymbolic())
    return symbolicCast(source, type);
  if (source.isInteger()) {
    if (source.type()->is(TypeKind::Color) &&
        !checkColor(source, arg(call, 0).span()))
      return Value();
    source.setType(type);
    return source;
  }
  if (!source.isRuntime())
    return Value(type);
  return makeRuntime(type, csl::GetDataTaskIdOp::create(
                               builder, loc(call.span()), source.runtime()));
}

/// How an id of kind `wanted` is written where something else was given: the
/// end of a message, or nothing.
static std::string idToWrite(TypeKind wanted, const Value &given, bool isWse3) {
  const Type *type = given.type();
  if (given.isFunction() && given.function().decl->isTask()) {
    std::string name = given.function().decl->name().text.str();
    return ": write the id that '" + name + "' is bound to";
  }
  std::string number =
      given.isInteger() && type->isInteger() ? given.str() : "n";
  bool isNumber = type->isInteger() || type->is(TypeKind::Color);
  if (wanted == TypeKind::LocalTaskId && isNumber)
    return ": write @get_local_task_id(" + number + ")";
  if (wanted == TypeKind::ControlTaskId && isNumber)
    return ": write @get_control_task_id(" + number + ")";
  if (wanted != TypeKind::DataTaskId)
    return "";
  if (isWse3)
    return ": write @get_data_task_id of an input queue";
  return ": write @get_data_task_id of a color";
}

//===----------------------------------------------------------------------===//
// Activation
//===----------------------------------------------------------------------===//

Value Evaluator::builtinActivate(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1) ||
      !expectPhase(call, {Phase::Runtime, Phase::TopComptime}))
    return Value();
  Value id = eval(arg(call, 0));
  if (!id)
    return Value();
  if (!id.type()->is(TypeKind::LocalTaskId))
    return error(arg(call, 0).span(),
                 "@activate is of a local_task_id, found "
                 "type '" +
                     id.type()->str() + "'" +
                     idToWrite(TypeKind::LocalTaskId, id, session.isWse3()));
  SetupScope setup(*this);
  if (mlir::Value number = materialize(id, call.span()))
    csl::ActivateOp::create(builder, loc(call.span()), number);
  return makeVoid();
}

/// What @block and @unblock take.
static bool isBlockable(const Type *type, bool isWse3) {
  return type->is(TypeKind::DataTaskId) || type->is(TypeKind::LocalTaskId) ||
         (isWse3 ? type->is(TypeKind::InputQueue) || type->is(TypeKind::UtId)
                 : type->is(TypeKind::Color));
}

Value Evaluator::builtinBlock(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1) ||
      !expectPhase(call, {Phase::Runtime, Phase::TopComptime}))
    return Value();
  Value id = eval(arg(call, 0));
  if (!id)
    return Value();
  if (!isBlockable(id.type(), session.isWse3()))
    return error(arg(call, 0).span(),
                 "@" + call.name().text + " is of " +
                     (session.isWse3()
                          ? "an input_queue, data_task_id, local_task_id or "
                            "ut_id"
                          : "a color, data_task_id or local_task_id") +
                     " on " + llvm::StringRef(session.machine.name) +
                     ", found type '" + id.type()->str() + "'" +
                     idToWrite(TypeKind::LocalTaskId, id, session.isWse3()));
  SetupScope setup(*this);
  mlir::Value number = materialize(id, call.span());
  if (!number)
    return Value();
  if (call.name().text == "block")
    csl::BlockOp::create(builder, loc(call.span()), number);
  else
    csl::UnblockOp::create(builder, loc(call.span()), number);
  return makeVoid();
}

Value Evaluator::builtinUnblock(const BuiltinCall &call, const Type *hint) {
  return builtinBlock(call, hint);
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

namespace {
struct BindForm {
  csl::TaskKind kind;
  TypeKind id;
};
} // namespace

static BindForm getBindForm(llvm::StringRef name) {
  if (name == "bind_data_task")
    return {csl::TaskKind::Data, TypeKind::DataTaskId};
  if (name == "bind_local_task")
    return {csl::TaskKind::Local, TypeKind::LocalTaskId};
  return {csl::TaskKind::Control, TypeKind::ControlTaskId};
}

Value Evaluator::builtinBindDataTask(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2) || !expectPhase(call, {Phase::TopComptime}))
    return Value();
  BindForm form = getBindForm(call.name().text);
  Value task = eval(arg(call, 0)), id = eval(arg(call, 1));
  if (!task || !id)
    return Value();
  if (!task.isFunction() || !task.function().decl->isTask())
    return error(arg(call, 0).span(), "@" + call.name().text +
                                          " binds a task, found type '" +
                                          task.type()->str() + "'");
  if (!id.type()->is(form.id))
    return error(arg(call, 1).span(),
                 "@" + call.name().text + " binds to a " +
                     types.simple(form.id)->str() + ", found type '" +
                     id.type()->str() + "'" +
                     idToWrite(form.id, id, session.isWse3()));
  csl::TaskOp op = emitTask(task.function(), form.kind, arg(call, 0).span());
  if (!op)
    return Value();
  SetupScope setup(*this);
  mlir::Value number = materialize(id, call.span());
  if (!number)
    return Value();
  mlir::Location at = loc(call.span());
  if (form.kind == csl::TaskKind::Data)
    csl::BindDataTaskOp::create(builder, at, op.getSymName(), number);
  else if (form.kind == csl::TaskKind::Local)
    csl::BindLocalTaskOp::create(builder, at, op.getSymName(), number);
  else
    csl::BindControlTaskOp::create(builder, at, op.getSymName(), number,
                                   mlir::IntegerAttr());
  return makeVoid();
}

Value Evaluator::builtinBindLocalTask(const BuiltinCall &call,
                                      const Type *hint) {
  return builtinBindDataTask(call, hint);
}
Value Evaluator::builtinBindControlTask(const BuiltinCall &call,
                                        const Type *hint) {
  return builtinBindDataTask(call, hint);
}

Value Evaluator::builtinBindRotatingTasks(const BuiltinCall &call,
                                          const Type *) {
  if (!expectArgs(call, 4, 4) || !expectPhase(call, {Phase::TopComptime}))
    return Value();
  if (!session.machine.rotatingTasks)
    return error(call.span(), "@bind_rotating_tasks is not for " +
                                  llvm::StringRef(session.machine.name));
  Value main = eval(arg(call, 0)), other = eval(arg(call, 1)),
        id = eval(arg(call, 2)), config = evalConfig(call, 3);
  if (!main || !other || !id || !config ||
      !checkFields(config, {"limit", "init"}, arg(call, 3).span(),
                   "a pair of rotating tasks"))
    return Value();
  for (const Value &task : {main, other})
    if (!task.isFunction() || !task.function().decl->isTask())
      return error(call.span(), "@bind_rotating_tasks binds tasks, found type "
                                "'" +
                                    task.type()->str() + "'");
  if (!id.type()->is(TypeKind::DataTaskId))
    return error(arg(call, 2).span(), "@bind_rotating_tasks binds to a "
                                      "data_task_id, found type '" +
                                          id.type()->str() + "'");
  std::optional<int64_t> limit, init;
  if (!knownInteger(config, "limit", arg(call, 3).span(), limit) ||
      !knownInteger(config, "init", arg(call, 3).span(), init))
    return Value();
  if (!limit)
    return error(arg(call, 3).span(), "a pair of rotating tasks has a limit");
  csl::TaskOp mainOp =
      emitTask(main.function(), csl::TaskKind::Data, arg(call, 0).span());
  csl::TaskOp otherOp =
      emitTask(other.function(), csl::TaskKind::Control, arg(call, 1).span());
  if (!mainOp || !otherOp)
    return Value();
  SetupScope setup(*this);
  mlir::Value number = materialize(id, call.span());
  if (!number)
    return Value();
  csl::BindRotatingTasksOp::create(
      builder, loc(call.span()), mainOp.getSymName(), otherOp.getSymName(),
      number, *limit,
      init ? builder.getI64IntegerAttr(*init) : mlir::IntegerAttr());
  return makeVoid();
}

Value Evaluator::builtinSetControlTaskTable(const BuiltinCall &call,
                                            const Type *) {
  if (!expectArgs(call, 0, 1) || !expectPhase(call, {Phase::TopComptime}))
    return Value();
  if (!session.machine.separateControlTable)
    return error(call.span(), "@set_control_task_table is not for " +
                                  llvm::StringRef(session.machine.name));
  Value config = evalConfig(call, 0);
  if (!config || !checkFields(config, {"instructions", "stride"}, call.span(),
                              "a control task table"))
    return Value();
  std::optional<int64_t> instructions = 4, stride = 1;
  if (!knownInteger(config, "instructions", call.span(), instructions) ||
      !knownInteger(config, "stride", call.span(), stride))
    return Value();
  SetupScope setup(*this);
  csl::SetControlTaskTableOp::create(builder, loc(call.span()), *instructions,
                                     *stride);
  return makeVoid();
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

std::optional<csl::Priority> Evaluator::readPriority(const Value &value,
                                                     Span span) {
  std::optional<std::string> name =
      knownChoice(value, span, {"high", "medium", "low"}, "a priority");
  return name ? csl::symbolizePriority(*name) : std::nullopt;
}

Value Evaluator::builtinInitializeQueue(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 2) || !expectPhase(call, {Phase::TopComptime}))
    return Value();
  Value queue = eval(arg(call, 0)), config = evalConfig(call, 1);
  if (!queue || !config)
    return Value();
  bool isInput = queue.type()->is(TypeKind::InputQueue);
  if (!isInput && !queue.type()->is(TypeKind::OutputQueue))
    return error(arg(call, 0).span(), "@initialize_queue is of an input_queue "
                                      "or output_queue, found type '" +
                                          queue.type()->str() + "'");
  llvm::SmallVector<llvm::StringRef> allowed;
  bool wse3 = session.isWse3();
  if (wse3 || isInput)
    allowed.push_back("color");
  if (wse3) {
    if (isInput)
      allowed.push_back("ctrl_table_id");
    allowed.push_back("dense_mode");
  } else if (isInput) {
    allowed.push_back("priority");
  }
  Span span = call.arguments().size() > 1 ? arg(call, 1).span() : call.span();
  if (!checkFields(config, allowed, span,
                   "an " + queue.type()->str() + " of " +
                       llvm::StringRef(session.machine.name)))
    return Value();
  const Value *color = config.field("color");
  if (!color && llvm::is_contained(allowed, "color"))
    return error(span, "an " + queue.type()->str() + " of " +
                           llvm::StringRef(session.machine.name) +
                           " is initialised with a color");
  if (color && !color->type()->is(TypeKind::Color))
    return error(span, "field 'color' is of color, found type '" +
                           color->type()->str() + "'");
  csl::PriorityAttr priority;
  if (const Value *given = config.field("priority")) {
    std::optional<csl::Priority> level = readPriority(*given, span);
    if (!level)
      return Value();
    priority = csl::PriorityAttr::get(&session.context, *level);
  }
  if (color && !checkColor(*color, span))
    return Value();
  mlir::IntegerAttr table;
  std::optional<int64_t> tableId;
  if (!knownInteger(config, "ctrl_table_id", span, tableId))
    return Value();
  if (tableId)
    table = builder.getI64IntegerAttr(*tableId);
  std::optional<bool> dense = knownBool(config, "dense_mode", span);
  if (!dense)
    return Value();
  SetupScope setup(*this);
  mlir::Value queueValue = materialize(queue, call.span());
  mlir::Value colorValue =
      color ? materialize(*color, call.span()) : mlir::Value();
  if (!queueValue || (color && !colorValue))
    return Value();
  csl::InitializeQueueOp::create(
      builder, loc(call.span()), queueValue, colorValue, priority, table,
      *dense ? builder.getUnitAttr() : mlir::UnitAttr());
  return makeVoid();
}

/// A handler: a function without parameters and result.
Value Evaluator::builtinSetTeardownHandler(const BuiltinCall &call,
                                           const Type *) {
  bool isTeardown = call.name().text == "set_teardown_handler";
  if (!expectArgs(call, 2, 2) || !expectPhase(call, {Phase::TopComptime}))
    return Value();
  if (!isTeardown && !session.machine.queueFlush)
    return error(call.span(), "@set_empty_queue_handler is not for " +
                                  llvm::StringRef(session.machine.name));
  Value function = eval(arg(call, 0)), target = eval(arg(call, 1));
  if (!function || !target)
    return Value();
  if (!function.isFunction() || function.function().decl->isTask())
    return error(arg(call, 0).span(), "a handler is a function, found type '" +
                                          function.type()->str() + "'");
  const Type *type = functionType(function.function());
  if (!type || !type->params.empty() || !type->element->isVoid())
    return error(arg(call, 0).span(),
                 "a handler has type 'fn() void', found '" +
                     (type ? type->str() : std::string("a generic function")) +
                     "'");
  bool fits = isTeardown ? target.type()->is(TypeKind::Color)
                         : target.type()->is(TypeKind::InputQueue) ||
                               target.type()->is(TypeKind::OutputQueue);
  if (!fits)
    return error(arg(call, 1).span(), "@" + call.name().text + " is of " +
                                          (isTeardown ? "a color" : "a queue") +
                                          ", found type '" +
                                          target.type()->str() + "'");
  mlir::Operation *op =
      emitFunction(function.function(), {}, arg(call, 0).span());
  if (!op)
    return Value();
  SetupScope setup(*this);
  mlir::Value number = materialize(target, call.span());
  if (!number)
    return Value();
  llvm::StringRef name = mlir::SymbolTable::getSymbolName(op).getValue();
  if (isTeardown)
    csl::SetTeardownHandlerOp::create(builder, loc(call.span()), name, number);
  else
    csl::SetEmptyQueueHandlerOp::create(builder, loc(call.span()), name,
                                        number);
  return makeVoid();
}

Value Evaluator::builtinSetEmptyQueueHandler(const BuiltinCall &call,
                                             const Type *hint) {
  return builtinSetTeardownHandler(call, hint);
}

Value Evaluator::builtinQueueFlush(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1) || !expectPhase(call, {Phase::Runtime}))
    return Value();
  if (!session.machine.queueFlush)
    return error(call.span(), "@queue_flush is not for " +
                                  llvm::StringRef(session.machine.name));
  Value queue = eval(arg(call, 0));
  if (!queue)
    return Value();
  if (!queue.type()->is(TypeKind::InputQueue) &&
      !queue.type()->is(TypeKind::OutputQueue))
    return error(arg(call, 0).span(), "@queue_flush is of a queue, found type "
                                      "'" +
                                          queue.type()->str() + "'");
  if (mlir::Value number = materialize(queue, call.span()))
    csl::QueueFlushOp::create(builder, loc(call.span()), number);
  return makeVoid();
}
