//===- CslSetup.cpp - Comptime blocks of csl programs ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comptime block is interpreted at every PE, and its operations act on the
// PE. What depends on all of them (which ids start blocked, numbers of filters,
// registers) is decided at the end, in CslLoad.cpp.
//
//===----------------------------------------------------------------------===//

#include "CslState.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

using Handler = Step::Handler;

/// The number of an id, in the range of its type; traps if it is not.
static std::optional<uint64_t> idOf(CslMachineState &machine, Pe &pe,
                                    Activation &frame, const Step &step,
                                    Value value) {
  uint64_t number = find(frame, step, value)->bits;
  if (succeeded(
          csl::checkId(step.op, value.getType(), static_cast<int64_t>(number))))
    return number;
  machine.trap(pe, "an id is out of range", step.op);
  return std::nullopt;
}

static void bind(CslMachineState &machine, Pe &pe, Activation &frame,
                 const Step &step, csl::TaskKind kind, StringRef name,
                 Value id) {
  std::optional<uint64_t> number = idOf(machine, pe, frame, step, id);
  if (!number)
    return;
  BoundTask task{machine.functionAt(pe, name), step.op, kind};
  if (!pe.tasks.emplace(static_cast<uint8_t>(*number), task).second)
    machine.trap(pe, "task id " + Twine(*number) + " is bound already",
                 step.op);
}

static void runBindData(CslMachineState &machine, Pe &pe, Activation &frame,
                        const Step &step) {
  auto op = cast<csl::BindDataTaskOp>(step.op);
  bind(machine, pe, frame, step, csl::TaskKind::Data, op.getTask(), op.getId());
}
static void runBindLocal(CslMachineState &machine, Pe &pe, Activation &frame,
                         const Step &step) {
  auto op = cast<csl::BindLocalTaskOp>(step.op);
  bind(machine, pe, frame, step, csl::TaskKind::Local, op.getTask(),
       op.getId());
}

static void runBindControl(CslMachineState &machine, Pe &pe, Activation &frame,
                           const Step &step) {
  auto op = cast<csl::BindControlTaskOp>(step.op);
  std::optional<uint64_t> number = idOf(machine, pe, frame, step, op.getId());
  if (!number)
    return;
  BoundTask task{machine.functionAt(pe, op.getTask()), step.op,
                 csl::TaskKind::Control};
  uint8_t table = static_cast<uint8_t>(op.getTable().value_or(0));
  if (!pe.controlTasks
           .emplace(std::pair(table, static_cast<uint8_t>(*number)), task)
           .second)
    machine.trap(pe, "control task id " + Twine(*number) + " is bound already",
                 step.op);
}

static void runBindRotating(CslMachineState &machine, Pe &pe, Activation &frame,
                            const Step &step) {
  auto op = cast<csl::BindRotatingTasksOp>(step.op);
  bind(machine, pe, frame, step, csl::TaskKind::Data, op.getMain(), op.getId());
  Rotating rotating;
  rotating.id = static_cast<uint8_t>(find(frame, step, op.getId())->bits);
  rotating.alternative = machine.functionAt(pe, op.getAlternative());
  rotating.limit = static_cast<uint16_t>(op.getLimit());
  rotating.counter = static_cast<uint16_t>(op.getInit().value_or(0));
  pe.rotating.push_back(rotating);
}

static void runControlTable(CslMachineState &, Pe &pe, Activation &,
                            const Step &) {
  pe.separateControl = true;
}

static void runInitializeQueue(CslMachineState &machine, Pe &pe,
                               Activation &frame, const Step &step) {
  auto op = cast<csl::InitializeQueueOp>(step.op);
  std::optional<uint64_t> number =
      idOf(machine, pe, frame, step, op.getQueue());
  if (!number)
    return;
  std::optional<uint64_t> color;
  if (op.getColor()) {
    color = idOf(machine, pe, frame, step, op.getColor());
    if (!color)
      return;
  }
  unsigned queue = *number & 7;
  bool isWse2 = machine.machine->generation == 2;
  bool isInput = isa<csl::InputQueueType>(op.getQueue().getType());
  bool again = !isInput ? pe.outputBound[queue]
               : isWse2 ? pe.queueColor[queue] >= 0
                        : pe.inputs[static_cast<uint8_t>(queue)].bound;
  // Saying the same again changes nothing.
  uint8_t sameColor = static_cast<uint8_t>(color.value_or(0));
  uint8_t sameTable = static_cast<uint8_t>(op.getCtrlTableId().value_or(0));
  const auto &bound = pe.inputs[static_cast<uint8_t>(queue)];
  if (again &&
      (!isInput ? pe.outputColor[queue] == sameColor &&
                      pe.outputDense[queue] == op.getDenseMode()
       : isWse2 ? pe.queueColor[queue] == static_cast<int8_t>(sameColor)
                : bound.color == sameColor && bound.table == sameTable &&
                      bound.dense == op.getDenseMode()))
    return;
  if (again)
    return machine.trap(
        pe, "queue " + Twine(queue) + " is initialised a second time", step.op);
  if (!isInput) {
    pe.outputBound[queue] = true;
    pe.outputColor[queue] = static_cast<uint8_t>(color.value_or(0));
    pe.outputDense[queue] = op.getDenseMode();
    return;
  }
  uint8_t table = static_cast<uint8_t>(op.getCtrlTableId().value_or(0));
  if (isWse2) {
    pe.queueColor[queue] = static_cast<int8_t>(color.value_or(0));
    pe.inputs[static_cast<uint8_t>(color.value_or(0))].bound = true;
    return;
  }
  InputQueue &input = pe.inputs[static_cast<uint8_t>(queue)];
  input.bound = true;
  input.color = static_cast<uint8_t>(color.value_or(0));
  input.table = table;
  input.dense = op.getDenseMode();
}

static void runLocalColor(CslMachineState &machine, Pe &pe, Activation &frame,
                          const Step &step) {
  auto op = cast<csl::LocalColorConfigOp>(step.op);
  if (auto color = idOf(machine, pe, frame, step, op.getColor()))
    machine.configureColor(pe, step.op, *color, op.getRoutes(),
                           op.getSwitches().value_or(csl::SwitchesAttr()),
                           op.getFilter().value_or(csl::FilterAttr()),
                           op.getTeardown());
}

static void runTeardownHandler(CslMachineState &machine, Pe &pe,
                               Activation &frame, const Step &step) {
  auto op = cast<csl::SetTeardownHandlerOp>(step.op);
  std::optional<uint64_t> color = idOf(machine, pe, frame, step, op.getColor());
  if (!color)
    return;
  pe.hasHandler = true;
  if (!pe.teardownHandlers
           .emplace(static_cast<uint8_t>(*color),
                    machine.functionAt(pe, op.getFunction()))
           .second)
    machine.trap(pe, "color " + Twine(*color) + " has a handler already",
                 step.op);
}

static void runEmptyHandler(CslMachineState &machine, Pe &pe, Activation &frame,
                            const Step &step) {
  auto op = cast<csl::SetEmptyQueueHandlerOp>(step.op);
  std::optional<uint64_t> queue = idOf(machine, pe, frame, step, op.getQueue());
  if (!queue)
    return;
  pe.hasHandler = true;
  auto &handlers = isa<csl::InputQueueType>(op.getQueue().getType())
                       ? pe.emptyInput
                       : pe.emptyOutput;
  if (!handlers
           .emplace(static_cast<uint8_t>(*queue),
                    machine.functionAt(pe, op.getFunction()))
           .second)
    machine.trap(pe, "queue " + Twine(*queue) + " has a handler already",
                 step.op);
}

static void runRpc(CslMachineState &machine, Pe &pe, Activation &frame,
                   const Step &step) {
  std::optional<uint64_t> id =
      idOf(machine, pe, frame, step, cast<csl::RpcOp>(step.op).getId());
  if (!id)
    return;
  BoundTask task{nullptr, step.op, csl::TaskKind::Data};
  if (!pe.tasks.emplace(static_cast<uint8_t>(*id), task).second)
    machine.trap(pe, "task id " + Twine(*id) + " is bound already", step.op);
}

static void nothing(CslMachineState &, Pe &, Activation &, const Step &) {}

Handler reference::findSetupHandler(Operation *op) {
  return llvm::TypeSwitch<Operation *, Handler>(op)
      .Case<csl::BindDataTaskOp>([](auto) { return runBindData; })
      .Case<csl::BindLocalTaskOp>([](auto) { return runBindLocal; })
      .Case<csl::BindControlTaskOp>([](auto) { return runBindControl; })
      .Case<csl::BindRotatingTasksOp>([](auto) { return runBindRotating; })
      .Case<csl::SetControlTaskTableOp>([](auto) { return runControlTable; })
      .Case<csl::InitializeQueueOp>([](auto) { return runInitializeQueue; })
      .Case<csl::LocalColorConfigOp>([](auto) { return runLocalColor; })
      .Case<csl::SetTeardownHandlerOp>([](auto) { return runTeardownHandler; })
      .Case<csl::SetEmptyQueueHandlerOp>([](auto) { return runEmptyHandler; })
      .Case<csl::RpcOp>([](auto) { return runRpc; })
      .Case<csl::ExportSymbolOp>([](auto) { return nothing; })
      .Default([](Operation *) { return Handler(nullptr); });
}
