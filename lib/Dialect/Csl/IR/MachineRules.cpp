//===- MachineRules.cpp - Ranges and features of a machine ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineRules.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl;

LogicalResult csl::checkRange(Operation *op, const Twine &what, int64_t found,
                              int64_t low, int64_t high, StringRef who) {
  if (found >= low && found <= high)
    return success();
  return op->emitOpError() << what << " is " << found << ", " << who
                           << " allows " << low << " to " << high;
}

LogicalResult csl::checkId(Operation *op, Type type, int64_t number) {
  if (isa<DirectionType>(type))
    return checkRange(op, "direction", number, 0, getMaxEnumValForDirection(),
                      "a router");
  const CslMachine *machine = lookupMachine(op);
  if (!machine)
    return success();
  auto check = [&](StringRef what, int64_t low, int64_t high) {
    return checkRange(op, what, number, low, high, machine->name);
  };
  if (isa<UtIdType>(type) && failed(checkGeneration(op, 3, "a microthread id")))
    return failure();
  if (isa<ControlTaskIdType>(type) && number == machine->noControlTask)
    return op->emitOpError() << "control task id is " << number
                             << ", which means no task in a control wavelet";
  return TypeSwitch<Type, LogicalResult>(type)
      .Case<ColorType>(
          [&](Type) { return check("color", 0, machine->colors - 1); })
      .Case<InputQueueType>([&](Type) {
        return check("input queue", 0, machine->inputQueues() - 1);
      })
      .Case<OutputQueueType>([&](Type) {
        return check("output queue", 0, machine->outputQueues() - 1);
      })
      .Case<DataTaskIdType>([&](Type) {
        return check("data task id", 0, machine->dataTasks - 1);
      })
      .Case<LocalTaskIdType>([&](Type) {
        return check("local task id", machine->firstLocalTask,
                     machine->lastLocalTask);
      })
      .Case<ControlTaskIdType>([&](Type) {
        return check("control task id", 0, machine->controlTasks - 1);
      })
      .Case<UtIdType>([&](Type) {
        return check("microthread", 0, machine->microthreads - 1);
      })
      .Default([](Type) { return success(); });
}

LogicalResult csl::checkGeneration(Operation *op, unsigned generation,
                                   const Twine &what) {
  const CslMachine *machine = lookupMachine(op);
  if (!machine || machine->generation == generation)
    return success();
  return op->emitOpError() << "has " << what << ", which " << machine->name
                           << " does not have";
}

LogicalResult csl::checkBlockable(Operation *op, Value id, const Twine &what) {
  const CslMachine *machine = lookupMachine(op);
  if (!machine)
    return success();
  Type type = id.getType();
  bool legal =
      TypeSwitch<Type, bool>(type)
          .Case<ColorType>([&](Type) { return machine->generation == 2; })
          .Case<InputQueueType, UtIdType>(
              [&](Type) { return machine->generation == 3; })
          .Default([](Type) { return true; });
  if (legal)
    return success();
  return op->emitOpError() << what << " is of type " << type << ", "
                           << machine->name << " takes "
                           << (machine->generation == 2 ? "!csl.color"
                                                        : "!csl.input_queue")
                           << ", !csl.data_task_id or !csl.local_task_id"
                           << (isa<UnblockOp, BlockOp>(op) &&
                                       machine->generation == 3
                                   ? ", or !csl.ut_id"
                                   : "");
}

LogicalResult csl::checkColorConfig(Operation *op, std::optional<int64_t> color,
                                    RoutesAttr routes, SwitchesAttr switches) {
  const CslMachine *machine = lookupMachine(op);
  if (!machine)
    return success();
  if (color && failed(checkRange(op, "color", *color, 0, machine->colors - 1,
                                 machine->name)))
    return failure();
  if ((routes.getSwapX() || routes.getSwapY()) && !machine->colorSwap)
    return op->emitOpError()
           << "swaps colors, which " << machine->name << " does not do";
  if (!switches)
    return success();
  if (color && !machine->isSwitchable(*color)) {
    InFlightDiagnostic error = op->emitOpError();
    error << "has switches on color " << *color << ", " << machine->name
          << " has them on colors";
    for (unsigned c = 0; c < machine->colors; ++c)
      if (machine->isSwitchable(c))
        error << " " << c;
    return error;
  }
  if (machine->switchRxAndTx)
    return success();
  PositionAttr positions[] = {switches.getPos1(), switches.getPos2(),
                              switches.getPos3()};
  uint32_t rx = routes.getRx(), tx = routes.getTx();
  for (auto [index, position] : llvm::enumerate(positions)) {
    if (!position)
      continue;
    uint32_t newRx = position.getRx().value_or(rx);
    uint32_t newTx = position.getTx().value_or(tx);
    // The hardware replaces one side; a vector that repeats the other is the
    // same (AMB-016).
    if (newRx != rx && newTx != tx)
      return op->emitOpError()
             << "has pos" << index + 1
             << " with other rx and other tx than the position before, "
             << machine->name << " replaces one of them";
    rx = newRx;
    tx = newTx;
  }
  return success();
}
