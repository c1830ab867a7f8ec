//===- CslFabricOps.cpp - Ids, queues and colors inside a program ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineRules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl;

//===----------------------------------------------------------------------===//
// Ids
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  return checkId(*this, getResult().getType(),
                 getValueAttr().getValue().getZExtValue());
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

LogicalResult GetDataTaskIdOp::verify() {
  const CslMachine *machine = lookupMachine(*this);
  Type type = getSource().getType();
  if (machine && isa<ColorType>(type) != (machine->generation == 2))
    return emitOpError() << "takes " << type << ", on " << machine->name
                         << " it takes "
                         << (machine->generation == 2 ? "!csl.color"
                                                      : "!csl.input_queue");
  return success();
}

OpFoldResult GetDataTaskIdOp::fold(FoldAdaptor adaptor) {
  return dyn_cast_or_null<IntegerAttr>(adaptor.getSource());
}

LogicalResult GetIntOp::verify() {
  Type expected = IntegerType::get(getContext(), 16);
  if (auto enumType = dyn_cast<EnumType>(getValue().getType()))
    expected = enumType.getBaseType();
  if (getResult().getType() != expected)
    return emitOpError() << "of " << getValue().getType() << " gives "
                         << getResult().getType() << ", expected " << expected;
  return success();
}

OpFoldResult GetIntOp::fold(FoldAdaptor adaptor) {
  auto number = dyn_cast_or_null<IntegerAttr>(adaptor.getValue());
  return number && number.getType() == getResult().getType() ? number
                                                             : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

/// Tables that `ctrl_table_id` chooses among; a queue has one at most.
static constexpr int64_t kControlTables = 8;

LogicalResult InitializeQueueOp::verify() {
  if (getCtrlTableId() &&
      failed(checkRange(*this, "ctrl_table_id", *getCtrlTableId(), 0,
                        kControlTables - 1, "an input queue")))
    return failure();
  const CslMachine *machine = lookupMachine(*this);
  if (!machine)
    return success();
  bool input = isa<InputQueueType>(getQueue().getType());
  StringRef queue = input ? "an input queue" : "an output queue";
  struct Field {
    StringRef name;
    bool given;
    bool wse2In, wse2Out, wse3In, wse3Out;
  };
  Field fields[] = {
      {"color", bool(getColor()), true, false, true, true},
      {"priority", getPriority().has_value(), true, false, false, false},
      {"ctrl_table_id", getCtrlTableId().has_value(), false, false, true,
       false},
      {"dense_mode", getDenseMode(), false, false, true, true},
  };
  for (const Field &field : fields) {
    bool legal = machine->generation == 2
                     ? (input ? field.wse2In : field.wse2Out)
                     : (input ? field.wse3In : field.wse3Out);
    if (field.given && !legal)
      return emitOpError() << "has " << field.name << ", which " << queue
                           << " of " << machine->name << " does not";
  }
  if (!getColor() && (input || machine->generation == 3))
    return emitOpError() << "has no color, " << queue << " of " << machine->name
                         << " is bound to one";
  return success();
}

LogicalResult LocalColorConfigOp::verify() {
  return checkColorConfig(*this, getKnownId(getColor()), getRoutes(),
                          getSwitches().value_or(SwitchesAttr()));
}

LogicalResult QueueFlushOp::verify() {
  return checkGeneration(*this, 3, "a queue flush");
}

LogicalResult SetEmptyQueueHandlerOp::verify() {
  return checkGeneration(*this, 3, "an empty-queue handler");
}

/// Handlers take and return nothing.
static LogicalResult checkHandler(Operation *op, SymbolTableCollection &table,
                                  FlatSymbolRefAttr name) {
  FailureOr<func::FuncOp> function =
      lookupInProgram<func::FuncOp>(op, table, name, "handler");
  if (failed(function))
    return failure();
  FunctionType type = function->getFunctionType();
  if (type.getNumInputs() == 0 && type.getNumResults() == 0)
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "has handler " << name << " of type " << type
                             << ", a handler takes and returns nothing";
  error.attachNote(function->getLoc()) << "defined here";
  return error;
}

LogicalResult
SetTeardownHandlerOp::verifySymbolUses(SymbolTableCollection &table) {
  return checkHandler(*this, table, getFunctionAttr());
}

LogicalResult
SetEmptyQueueHandlerOp::verifySymbolUses(SymbolTableCollection &table) {
  return checkHandler(*this, table, getFunctionAttr());
}
