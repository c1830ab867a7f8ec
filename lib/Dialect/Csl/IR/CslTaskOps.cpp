//===- CslTaskOps.cpp - Tasks, bindings, activation -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineRules.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl;

//===----------------------------------------------------------------------===//
// TaskOp
//===----------------------------------------------------------------------===//

ParseResult TaskOp::parse(OpAsmParser &parser, OperationState &result) {
  FailureOr<TaskKind> kind = FieldParser<TaskKind>::parse(parser);
  if (failed(kind))
    return failure();
  result.addAttribute(getKindAttrName(result.name),
                      TaskKindAttr::get(parser.getContext(), *kind));
  auto makeType = [](Builder &builder, ArrayRef<Type> inputs,
                     ArrayRef<Type> results,
                     function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), makeType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void TaskOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyEnum(getKind()) << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(
      printer, *this, getArgumentTypes(), /*isVariadic=*/false,
      getResultTypes());
  function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getKindAttrName(), getSymVisibilityAttrName(), getFunctionTypeAttrName(),
       getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

/// Bits of what a wavelet carries for a parameter; 0 for a type it does not.
static unsigned getPayloadBits(Type type) {
  if (type.isSignlessInteger(16) || type.isF16() || type.isBF16() ||
      isa<CB16Type>(type))
    return 16;
  if (type.isSignlessInteger(32) || type.isF32())
    return 32;
  if (auto enumType = dyn_cast<EnumType>(type))
    return getPayloadBits(
        IntegerType::get(type.getContext(), enumType.getBaseType().getWidth()));
  // The size of a packed struct is that of its fields.
  auto aggregate = dyn_cast<StructType>(type);
  if (!aggregate || aggregate.getKind() != AggregateKind::Packed)
    return 0;
  unsigned bits = 0;
  for (Type field : aggregate.getFieldTypes()) {
    unsigned size = field.isIntOrFloat()  ? field.getIntOrFloatBitWidth()
                    : isa<PtrType>(field) ? 16
                                          : getPayloadBits(field);
    bits = aggregate.getIsUnion() ? std::max(bits, size) : bits + size;
  }
  return bits == 16 || bits == 32 ? bits : 0;
}

LogicalResult TaskOp::verify() {
  if (getNumResults())
    return emitOpError() << "returns a value, a task returns nothing";
  ArrayRef<Type> types = getArgumentTypes();
  StringRef kind = stringifyEnum(getKind());
  if (getKind() == TaskKind::Local && !types.empty())
    return emitOpError() << "is local and takes " << types.size()
                         << " arguments, a local task takes none";
  if (getKind() == TaskKind::Data && types.empty())
    return emitOpError() << "is a data task without arguments, it takes what a "
                            "wavelet carries";
  if (types.size() > 2)
    return emitOpError() << "takes " << types.size() << " arguments, a " << kind
                         << " task takes up to 2";
  for (auto [index, type] : llvm::enumerate(types)) {
    unsigned bits = getPayloadBits(type);
    bool wide = bits == 32 && types.size() == 1 && getKind() == TaskKind::Data;
    if (bits != 16 && !wide)
      return emitOpError() << "has argument " << index << " of type " << type
                           << ", a " << kind << " task takes "
                           << (getKind() == TaskKind::Data
                                   ? "one of 16 or 32 bits or two of 16 bits"
                                   : "up to two of 16 bits");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

/// The task called `name`, of `kind`.
static LogicalResult checkTask(Operation *op, SymbolTableCollection &table,
                               FlatSymbolRefAttr name, TaskKind kind) {
  FailureOr<TaskOp> task = lookupInProgram<TaskOp>(op, table, name, "task");
  if (failed(task))
    return failure();
  if (task->getKind() == kind)
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "takes a " << stringifyEnum(kind) << " task, "
                             << name << " is a "
                             << stringifyEnum(task->getKind()) << " task";
  error.attachNote(task->getLoc()) << "defined here";
  return error;
}

LogicalResult BindDataTaskOp::verifySymbolUses(SymbolTableCollection &table) {
  return checkTask(*this, table, getTaskAttr(), TaskKind::Data);
}
LogicalResult BindLocalTaskOp::verifySymbolUses(SymbolTableCollection &table) {
  return checkTask(*this, table, getTaskAttr(), TaskKind::Local);
}
LogicalResult
BindControlTaskOp::verifySymbolUses(SymbolTableCollection &table) {
  return checkTask(*this, table, getTaskAttr(), TaskKind::Control);
}

LogicalResult BindControlTaskOp::verify() {
  return getTable() ? checkGeneration(*this, 3, "a control task table")
                    : success();
}

LogicalResult BindRotatingTasksOp::verify() {
  if (failed(checkGeneration(*this, 3, "rotating tasks")) ||
      failed(
          checkRange(*this, "limit", getLimit(), 0, UINT16_MAX, "a counter")))
    return failure();
  return checkRange(*this, "init", getInit().value_or(0), 0, getLimit(),
                    "the limit");
}

LogicalResult
BindRotatingTasksOp::verifySymbolUses(SymbolTableCollection &table) {
  if (failed(checkTask(*this, table, getMainAttr(), TaskKind::Data)))
    return failure();
  return checkTask(*this, table, getAlternativeAttr(), TaskKind::Control);
}

LogicalResult SetControlTaskTableOp::verify() {
  if (failed(checkGeneration(*this, 3, "a table of control tasks")))
    return failure();
  int64_t instructions = getInstructions();
  if (instructions != 2 && instructions != 4 && instructions != 8)
    return emitOpError() << "has " << instructions
                         << " instructions per entry, allowed are 2, 4 and 8";
  return checkRange(*this, "stride", getStride(), 1, 7, "a table");
}

LogicalResult TaskIdOp::verifySymbolUses(SymbolTableCollection &table) {
  return checkTask(*this, table, getTaskAttr(),
                   isa<LocalTaskIdType>(getResult().getType())
                       ? TaskKind::Local
                       : TaskKind::Data);
}

LogicalResult BlockOp::verify() {
  return checkBlockable(*this, getId(), "the id");
}
LogicalResult UnblockOp::verify() {
  return checkBlockable(*this, getId(), "the id");
}
