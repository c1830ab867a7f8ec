//===- EmitBuiltins.cpp - Bytecode of ids, tasks, host, registers ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionEmitter.h"
#include "ValueLayout.h"
#include "sequin/Machine/CslRegisters.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;
using wafer::Opcode;

/// The id that a task is bound to in the comptime blocks of its program, where
/// it is a constant.
static std::optional<int64_t> getBoundId(csl::ProgramOp program,
                                         StringRef task) {
  std::optional<int64_t> id;
  program.walk([&](Operation *op) {
    if (auto bind = dyn_cast<csl::BindLocalTaskOp>(op);
        bind && bind.getTask() == task)
      id = csl::getKnownId(bind.getId());
    if (auto bind = dyn_cast<csl::BindDataTaskOp>(op);
        bind && bind.getTask() == task)
      id = csl::getKnownId(bind.getId());
  });
  return id;
}

/// Pieces between the values, and how each value is written.
static wafer::Print parseFormat(csl::SimPrintOp op) {
  wafer::Print print;
  print.partial = op.getPartial();
  std::string piece;
  StringRef format = op.getFormat();
  size_t used = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '{') {
      piece += format[i];
      continue;
    }
    if (format.substr(i).starts_with("{{")) {
      piece += '{';
      ++i;
      continue;
    }
    // The verifier has seen to it that this is {x} and has a value.
    Type type = op.getValues()[used++].getType();
    wafer::Print::Value value;
    value.width = getRegisterBits(type);
    using Form = wafer::Print::Form;
    bool isFloat = isa<FloatType, csl::CB16Type>(type);
    value.form = isFloat                  ? Form::Float
                 : type.isInteger(1)      ? Form::Bool
                 : format[i + 1] == 'X'   ? Form::Hex
                 : format[i + 1] == 'b'   ? Form::Binary
                 : format[i + 1] == 'u'   ? Form::Unsigned
                 : isa<IntegerType>(type) ? Form::Signed
                                          : Form::Unsigned;
    print.pieces.push_back(std::move(piece));
    piece.clear();
    print.values.push_back(value);
    i += 2;
  }
  print.pieces.push_back(std::move(piece));
  return print;
}

FunctionEmitter::Emitted FunctionEmitter::emitBuiltin(Operation &op) {
  // A result that is the same number for all PEs of the code.
  auto number = [&](Value result, uint64_t value) {
    setNumber(result, value);
    return success();
  };

  // Ids.
  if (auto id = dyn_cast<csl::ConstantOp>(op))
    return number(id, id.getValueAttr().getValue().getZExtValue());
  if (auto get = dyn_cast<csl::GetParamOp>(op)) {
    emit(Opcode::Parameter, of(get), kNone, kNone,
         context.parameters.lookup(get.getParam()));
    return success();
  }
  if (isa<csl::MakeIdOp, csl::GetDataTaskIdOp>(op)) {
    rename(op.getResult(0), op.getOperand(0));
    return success();
  }
  if (auto get = dyn_cast<csl::GetIntOp>(op)) {
    if (isa<csl::DsrType, csl::XdsrType, csl::SrType>(
            get.getValue().getType())) {
      std::optional<int64_t> id = csl::getKnownId(get.getValue());
      if (!id)
        return LogicalResult(op.emitOpError()
                             << "has a register that is not comptime-known");
      return number(get, *id);
    }
    rename(get, get.getValue());
    return success();
  }
  if (auto same = dyn_cast<csl::SameOp>(op)) {
    if (isa<csl::DsrType, csl::XdsrType, csl::SrType>(
            same.getLeft().getType())) {
      std::optional<int64_t> left = csl::getKnownId(same.getLeft());
      std::optional<int64_t> right = csl::getKnownId(same.getRight());
      if (!left || !right)
        return LogicalResult(op.emitOpError()
                             << "has a register that is not comptime-known");
      return number(same, *left == *right);
    }
    emitInteger(Opcode::Equal, same, same.getLeft(), same.getRight());
    return success();
  }
  if (auto name = dyn_cast<csl::TaskIdOp>(op)) {
    std::optional<int64_t> id = getBoundId(context.program, name.getTask());
    if (!id)
      return LogicalResult(op.emitOpError()
                           << "names task '" << name.getTask()
                           << "', which is bound to no known id: "
                              "@bind_local_task and the like bind it");
    return number(name, *id);
  }
  if (auto get = dyn_cast<csl::GetFilterIdOp>(op)) {
    std::optional<int64_t> color = csl::getKnownId(get.getColor());
    if (!color)
      return LogicalResult(op.emitOpError()
                           << "has a color that is not comptime-known");
    auto found = context.filters.find(*color);
    if (found == context.filters.end())
      return LogicalResult(op.emitOpError() << "asks for the filter of color "
                                            << *color << ", which has none");
    if (found->second < 0)
      return LogicalResult(op.emitOpError()
                           << "asks for the filter of color " << *color
                           << ", which is not the same for all PEs of the "
                              "program");
    return number(get, found->second);
  }

  // Tasks.
  if (auto activate = dyn_cast<csl::ActivateOp>(op)) {
    emit(Opcode::Activate, kNone, of(activate.getId()));
    return success();
  }
  if (isa<csl::BlockOp, csl::UnblockOp>(op)) {
    Value id = op.getOperand(0);
    auto kind = isa<csl::UtIdType>(id.getType()) ? wafer::BlockKind::Microthread
                                                 : wafer::BlockKind::Task;
    emit(isa<csl::BlockOp>(op) ? Opcode::Block : Opcode::Unblock, kNone, of(id),
         kNone, static_cast<uint32_t>(kind));
    return success();
  }
  if (auto flush = dyn_cast<csl::QueueFlushOp>(op)) {
    emit(Opcode::QueueFlush, kNone, of(flush.getQueue()), kNone,
         isa<csl::OutputQueueType>(flush.getQueue().getType()));
    return success();
  }

  // Configuration registers.
  if (auto name = dyn_cast<csl::RegisterAddressOp>(op)) {
    uint16_t address = lookupCslRegister(name.getName())->address;
    if (!name.getIndex())
      return number(name, address);
    emit(Opcode::Add, of(name), constant(address), of(name.getIndex()), 0,
         kIdBits);
    return success();
  }
  if (auto get = dyn_cast<csl::GetConfigOp>(op)) {
    emit(Opcode::GetConfig, of(get), of(get.getAddress()));
    return success();
  }
  if (auto set = dyn_cast<csl::SetConfigOp>(op)) {
    emit(Opcode::SetConfig, kNone, of(set.getAddress()), of(set.getValue()));
    return success();
  }
  if (auto place = dyn_cast<csl::CoordinateOp>(op)) {
    bool isX = place.getAxis() == csl::Axis::X;
    Register onFabric = emitFresh(
        Opcode::GetConfig,
        constant(getInfo(CslRegister::FabricCoordinate).address + !isX));
    emit(Opcode::Sub, of(place), onFabric,
         constant(isX ? context.frame.offsetX : context.frame.offsetY), 0,
         kIdBits);
    return success();
  }
  if (auto size = dyn_cast<csl::GetRectangleOp>(op)) {
    const wafer::Program &frame = context.frame;
    int64_t numbers[] = {frame.width,        frame.height,  frame.fabricWidth,
                         frame.fabricHeight, frame.offsetX, frame.offsetY};
    for (auto [result, value] : llvm::zip(size.getResults(), numbers))
      setNumber(result, value);
    return success();
  }
  if (auto random = dyn_cast<csl::Random16Op>(op)) {
    emit(Opcode::Random16, of(random));
    return success();
  }
  if (auto choose = dyn_cast<csl::SetActivePrngOp>(op)) {
    emit(Opcode::SetPrng, kNone, of(choose.getId()));
    return success();
  }

  // Host.
  if (isa<csl::UnblockCmdStreamOp>(op)) {
    emit(Opcode::UnblockCommandStream, kNone);
    return success();
  }
  if (auto get = dyn_cast<csl::GetSymbolIdOp>(op)) {
    for (const CodeContext::Export &entry : context.exports)
      if (entry.symbol == get.getSymbol())
        return number(get, entry.id);
    return LogicalResult(op.emitOpError() << "names '" << get.getSymbol()
                                          << "', which is not exported");
  }
  if (auto get = dyn_cast<csl::GetSymbolValueOp>(op))
    return emitSymbolValue(op, get.getId(), get.getResult().getType());
  if (auto get = dyn_cast<csl::GetTensorPtrOp>(op))
    return emitSymbolValue(op, get.getId(), Type());
  if (auto print = dyn_cast<csl::SimPrintOp>(op)) {
    wafer::Print form = parseFormat(print);
    for (auto [value, operand] : llvm::zip(form.values, print.getValues()))
      value.value = of(operand);
    emit(Opcode::Print, kNone, kNone, kNone, context.code.prints.size());
    context.code.prints.push_back(std::move(form));
    return success();
  }
  return std::nullopt;
}

/// A chain of comparisons over the symbols of `type` (null: tensor pointers).
LogicalResult FunctionEmitter::emitSymbolValue(Operation &op, Value id,
                                               Type type) {
  Register result = of(op.getResult(0));
  Register none = constant(0);
  emit(Opcode::Copy, result, none);
  unsigned candidates = 0;
  Label end = newLabel();
  for (const CodeContext::Export &entry : context.exports) {
    auto var = dyn_cast<csl::VarOp>(entry.op);
    if (!var)
      continue;
    MemRefType memref = var.getMemRefType();
    Type element = memref.getElementType();
    bool isPointer = memref.getRank() == 0 && isa<csl::PtrType>(element);
    bool isArray = memref.getRank() > 0;
    if (type ? memref.getRank() != 0 || element != type
             : !isPointer && !isArray)
      continue;
    ++candidates;
    Register equal =
        emitFresh(Opcode::Equal, of(id), constant(entry.id), 0, kIdBits);
    Label other = newLabel();
    jump(Opcode::JumpIfNot, equal, other);
    uint32_t address = context.addressOf(entry.symbol);
    if (isArray)
      emit(Opcode::Constant, result, kNone, kNone, address);
    else
      load(element, result, {.immediate = address});
    jump(Opcode::Jump, kNone, end);
    place(other);
  }
  place(end);
  if (!candidates)
    return op.emitOpError() << "asks for a symbol "
                            << (type ? "of its type" : "that is a tensor")
                            << ", none is exported";
  return success();
}
