//===- EmitBuiltins.cpp - Ids, tasks, queues, host, registers -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeEmitter.h"
#include "sequin/Machine/CslRegisters.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

bool CodeEmitter::emitTask(Operation &op) {
  auto call = [&](StringRef builtin, std::vector<Doc> arguments) {
    statement("", Doc::call(builtin.str(), std::move(arguments)), ";",
              Effects::acting());
    return true;
  };
  auto named = [&](FlatSymbolRefAttr name) {
    return Doc(program.nameOf(program.lookup(name)));
  };
  if (auto activate = dyn_cast<csl::ActivateOp>(op))
    return call("@activate", {Doc(use(activate.getId()))});
  if (isa<csl::BlockOp, csl::UnblockOp>(op))
    return call(isa<csl::BlockOp>(op) ? "@block" : "@unblock",
                {Doc(use(op.getOperand(0)))});
  if (auto flush = dyn_cast<csl::QueueFlushOp>(op))
    return call("@queue_flush", {Doc(use(flush.getQueue()))});
  if (auto bind = dyn_cast<csl::BindDataTaskOp>(op))
    return call("@bind_data_task",
                {named(bind.getTaskAttr()), Doc(use(bind.getId()))});
  if (auto bind = dyn_cast<csl::BindLocalTaskOp>(op))
    return call("@bind_local_task",
                {named(bind.getTaskAttr()), Doc(use(bind.getId()))});
  if (auto bind = dyn_cast<csl::BindControlTaskOp>(op)) {
    if (bind.getTable().value_or(0)) {
      refuse(&op, "binds a task in control task table " +
                      Twine(*bind.getTable()) +
                      ", and @bind_control_task has no word for a table");
      return true;
    }
    return call("@bind_control_task",
                {named(bind.getTaskAttr()), Doc(use(bind.getId()))});
  }
  if (auto bind = dyn_cast<csl::BindRotatingTasksOp>(op)) {
    std::vector<Doc> fields{
        Doc::field("limit", std::to_string(bind.getLimit()))};
    if (bind.getInit())
      fields.push_back(Doc::field("init", std::to_string(*bind.getInit())));
    return call("@bind_rotating_tasks",
                {named(bind.getMainAttr()), named(bind.getAlternativeAttr()),
                 Doc(use(bind.getId())), Doc::braces("", fields)});
  }
  if (auto table = dyn_cast<csl::SetControlTaskTableOp>(op)) {
    std::vector<Doc> fields;
    if (table.getInstructions() != 4)
      fields.push_back(
          Doc::field("instructions", std::to_string(table.getInstructions())));
    if (table.getStride() != 1)
      fields.push_back(Doc::field("stride", std::to_string(table.getStride())));
    return call("@set_control_task_table",
                fields.empty() ? std::vector<Doc>()
                               : std::vector<Doc>{Doc::braces("", fields)});
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Before the start
//===----------------------------------------------------------------------===//

bool CodeEmitter::emitSetup(Operation &op) {
  auto call = [&](StringRef builtin, std::vector<Doc> arguments) {
    statement("", Doc::call(builtin.str(), std::move(arguments)), ";",
              Effects::acting());
    return true;
  };
  auto named = [&](FlatSymbolRefAttr name) {
    return Doc(program.nameOf(program.lookup(name)));
  };
  if (auto typed = dyn_cast<csl::InitializeQueueOp>(op)) {
    Doc queue(use(typed.getQueue()));
    std::vector<Doc> fields;
    if (typed.getColor())
      fields.push_back(Doc::field("color", Doc(use(typed.getColor()))));
    if (typed.getPriority())
      fields.push_back(
          Doc::field("priority", spellPriority(*typed.getPriority())));
    if (typed.getCtrlTableId())
      fields.push_back(
          Doc::field("ctrl_table_id", std::to_string(*typed.getCtrlTableId())));
    if (typed.getDenseMode())
      fields.push_back(Doc::field("dense_mode", "true"));
    std::vector<Doc> arguments{queue};
    if (!fields.empty())
      arguments.push_back(Doc::braces("", std::move(fields)));
    return call("@initialize_queue", std::move(arguments));
  }
  if (auto typed = dyn_cast<csl::LocalColorConfigOp>(op)) {
    Doc color(use(typed.getColor()));
    return call(
        "@set_local_color_config",
        {color, spellColorConfig(typed.getRoutes(), typed.getSwitchesAttr(),
                                 typed.getFilterAttr(), typed.getTeardown())});
  }
  if (auto typed = dyn_cast<csl::SetTeardownHandlerOp>(op))
    return call("@set_teardown_handler",
                {named(typed.getFunctionAttr()), Doc(use(typed.getColor()))});
  if (auto typed = dyn_cast<csl::SetEmptyQueueHandlerOp>(op))
    return call("@set_empty_queue_handler",
                {named(typed.getFunctionAttr()), Doc(use(typed.getQueue()))});
  if (auto typed = dyn_cast<csl::RpcOp>(op))
    return call("@rpc", {Doc(use(typed.getId()))});
  if (auto typed = dyn_cast<csl::ExportSymbolOp>(op)) {
    Operation *symbol = program.lookup(typed.getSymbolAttr());
    std::string name = program.exportedName(symbol);
    std::vector<Doc> arguments{Doc(name)};
    if (typed.getAdvertisedName() != name)
      arguments.emplace_back(quote(typed.getAdvertisedName()));
    return call("@export_symbol", std::move(arguments));
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Ids, host, registers
//===----------------------------------------------------------------------===//

/// The builtin that makes an id of a number.
static StringRef getIdBuiltin(Type type) {
  if (isa<csl::ColorType>(type))
    return "@get_color";
  if (isa<csl::InputQueueType>(type))
    return "@get_input_queue";
  if (isa<csl::OutputQueueType>(type))
    return "@get_output_queue";
  if (isa<csl::LocalTaskIdType>(type))
    return "@get_local_task_id";
  if (isa<csl::ControlTaskIdType>(type))
    return "@get_control_task_id";
  if (isa<csl::UtIdType>(type))
    return "@get_ut_id";
  return "";
}

/// `.{ lo, hi }`, or a tuple of those.
static Doc spellRanges(ArrayRef<int64_t> ranges) {
  std::vector<Doc> pairs;
  for (size_t i = 0; i + 1 < ranges.size(); i += 2)
    pairs.push_back(Doc::braces("", {Doc(std::to_string(ranges[i])),
                                     Doc(std::to_string(ranges[i + 1]))}));
  return pairs.size() == 1 ? pairs.front() : Doc::braces("", pairs);
}

bool CodeEmitter::emitBuiltin(Operation &op) {
  // Ids.
  if (auto id = dyn_cast<csl::ConstantOp>(op)) {
    int64_t number = id.getValueAttr().getValue().getZExtValue();
    defineLeaf(id, comptimeLeaf(program.idOf(id.getType(), number)));
    return true;
  }
  if (auto get = dyn_cast<csl::GetParamOp>(op)) {
    Operation *param = program.lookup(get.getParamAttr());
    defineLeaf(get, comptimeLeaf(program.nameOf(param)));
    return true;
  }
  if (auto made = dyn_cast<csl::MakeIdOp>(op)) {
    StringRef builtin = getIdBuiltin(made.getType());
    if (builtin.empty()) {
      refuse(&op, "makes an id of a kind that CSL makes of another one");
      return true;
    }
    define(made, callOf(builtin, {use(made.getNumber(), {16, false})}));
    return true;
  }
  if (auto get = dyn_cast<csl::GetDataTaskIdOp>(op)) {
    Expression source = use(get.getSource());
    Effects effects = takeEffects();
    Expression made = callOf("@get_data_task_id", {source});
    if (source.comptime && effects.reads.empty()) {
      std::string wish = program.wishFor(get);
      for (Operation *user : get->getUsers())
        if (auto bind = dyn_cast<csl::BindDataTaskOp>(user))
          wish = bind.getTask().str() + "_id";
      if (wish.size() < 3)
        wish = source.text + "_task_id";
      defineLeaf(get, comptimeLeaf(program.constantOf(Doc(made), wish, true)));
      return true;
    }
    current = effects;
    define(get, made);
    return true;
  }
  if (auto get = dyn_cast<csl::GetIntOp>(op)) {
    define(get, callOf("@get_int", {use(get.getValue())}));
    return true;
  }
  if (auto same = dyn_cast<csl::SameOp>(op)) {
    Expression left = use(same.getLeft()), right = use(same.getRight());
    define(same, binary(left, "==", right, Precedence::Compare));
    return true;
  }
  if (auto name = dyn_cast<csl::TaskIdOp>(op)) {
    // Where it is an option the task's name stands for it.
    bool allOptions = llvm::all_of(name->getUses(), [&](OpOperand &use) {
      auto async = dyn_cast<csl::AsyncOpInterface>(use.getOwner());
      return async &&
             (async.getActivate() == name || async.getUnblock() == name ||
              async.getControlTarget() == name);
    });
    defineLeaf(
        name,
        comptimeLeaf(allOptions
                         ? program.nameOf(program.lookup(name.getTaskAttr()))
                         : program.boundIdOf(&op, name.getTaskAttr())));
    return true;
  }
  if (auto get = dyn_cast<csl::GetFilterIdOp>(op)) {
    define(get, callOf("@get_filter_id", {use(get.getColor())}));
    return true;
  }

  // The host's view.
  if (isa<csl::UnblockCmdStreamOp>(op)) {
    statement("", Doc(program.sysModule() + ".unblock_cmd_stream()"), ";",
              Effects::acting());
    return true;
  }
  if (auto get = dyn_cast<csl::GetSymbolIdOp>(op)) {
    Operation *symbol = program.lookup(get.getSymbolAttr());
    define(get, callOf("@get_symbol_id",
                       {comptimeLeaf(program.exportedName(symbol))}));
    return true;
  }
  if (auto get = dyn_cast<csl::GetSymbolValueOp>(op)) {
    define(get,
           callOf("@get_symbol_value",
                  {leaf(typeOf(get)), use(get.getId(), {16, false})}),
           Effects::reading(nullptr));
    return true;
  }
  if (auto get = dyn_cast<csl::GetTensorPtrOp>(op)) {
    define(get, callOf("@get_tensor_ptr", {use(get.getId(), {16, false})}),
           Effects::reading(nullptr));
    return true;
  }
  if (auto print = dyn_cast<csl::SimPrintOp>(op)) {
    // Whether a decimal number has a sign is known by its type.
    std::vector<Doc> values;
    std::string format;
    for (StringRef rest = print.getFormat(); !rest.empty();) {
      bool isBrace = rest.starts_with("{{");
      size_t size = isBrace ? 2 : rest.starts_with("{") ? 3 : 1;
      bool isDecimal = rest.starts_with("{d}") || rest.starts_with("{u}");
      format += isDecimal ? "{d}" : rest.take_front(size);
      if (size == 3) {
        Value value = print.getValues()[values.size()];
        if (isDecimal && hasSign(value.getType())) {
          IntType type = intType(value).withSign(rest[1] == 'd');
          Expression number = use(value, type);
          values.emplace_back(
              number.untyped ? callOf("@as", {comptimeLeaf(type.str()), number})
                             : number);
        } else {
          values.emplace_back(useTyped(value));
        }
      }
      rest = rest.drop_front(size);
    }
    statement(
        "",
        Doc::call(program.library("simprint") +
                      (print.getPartial() ? ".fmt_no_nl" : ".fmt"),
                  {Doc(quote(format)), Doc::braces("", std::move(values))}),
        ";", Effects::acting());
    return true;
  }

  // The PE.
  if (auto size = dyn_cast<csl::GetRectangleOp>(op)) {
    static constexpr StringRef kFields[] = {"width",         "height",
                                            "fabric.width",  "fabric.height",
                                            "offsets.width", "offsets.height"};
    for (auto [result, field] : llvm::zip(op.getResults(), kFields))
      defineLeaf(result, comptimeLeaf(("@get_rectangle()." + field).str()));
    return true;
  }
  if (auto place = dyn_cast<csl::CoordinateOp>(op)) {
    Expression call;
    call.text =
        program.library("layout") +
        (place.getAxis() == csl::Axis::X ? ".get_x_coord()" : ".get_y_coord()");
    define(place, call);
    return true;
  }
  if (auto random = dyn_cast<csl::Random16Op>(op)) {
    Expression call = callOf("@random16", {});
    call.comptime = false;
    define(random, call, Effects::acting());
    return true;
  }
  if (auto choose = dyn_cast<csl::SetActivePrngOp>(op)) {
    Doc id(use(choose.getId(), {16, false}));
    statement("", Doc::call("@set_active_prng", {id}), ";", Effects::acting());
    return true;
  }
  if (auto name = dyn_cast<csl::RegisterAddressOp>(op)) {
    uint16_t address = lookupCslRegister(name.getName())->address;
    Expression base =
        comptimeLeaf(program.registerAddress(name.getName(), address));
    if (!name.getIndex())
      defineLeaf(name, base);
    else
      define(name, binary(base, "+", use(name.getIndex(), {16, false}),
                          Precedence::Sum));
    return true;
  }
  if (auto get = dyn_cast<csl::GetConfigOp>(op)) {
    Expression address = use(get.getAddress(), {16, false});
    std::string text =
        get.getUnchecked() ? "@get_config_unchecked(" : "@get_config(";
    text += address.text;
    if (get.getRanges())
      text += ", " + spellRanges(*get.getRanges()).flat();
    Expression call;
    call.text = text + ")";
    define(get, call, Effects::acting());
    return true;
  }
  if (auto set = dyn_cast<csl::SetConfigOp>(op)) {
    std::vector<Doc> arguments;
    arguments.emplace_back(use(set.getAddress(), {16, false}));
    arguments.emplace_back(use(set.getValue(), {16, false}));
    if (set.getRanges())
      arguments.push_back(spellRanges(*set.getRanges()));
    statement(
        "",
        Doc::call(set.getUnchecked() ? "@set_config_unchecked" : "@set_config",
                  std::move(arguments)),
        ";", Effects::acting());
    return true;
  }
  return false;
}
