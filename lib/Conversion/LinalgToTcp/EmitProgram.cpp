//===- EmitProgram.cpp - The kernel and the host function -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitKernel.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;
using namespace sequin::tcp;
using stream::AxesAttr;
using stream::MappingAttr;

namespace {

class ProgramEmitter {
public:
  explicit ProgramEmitter(Program &program)
      : program(program), func(program.func), builder(program.func),
        axes(makeAxes()), chip(makeChip()),
        kernel(program, builder, axes, chip) {}

  LogicalResult emit();

private:
  AxesAttr makeAxes();
  MappingAttr makeChip();
  HostType getHostType(Value tensor);
  LogicalResult place(Operation *at, HbmType type, int64_t &address);
  void collectTransfers();
  LogicalResult emitKernel(StringRef name);
  LogicalResult emitHost(StringRef name, StringRef kernelName);

  Program &program;
  func::FuncOp func;
  OpBuilder builder;
  AxesAttr axes;
  MappingAttr chip;
  KernelEmitter kernel;
  /// Kernel arguments: the function's argument and the type it has in HBM.
  llvm::MapVector<std::pair<Value, Type>, int64_t> transfers;
  /// Tensors the kernel returns, in the order of the program's results.
  llvm::MapVector<Value, HbmType> outputs;
  func::FuncOp kernelFunc;
  int64_t hbmEnd = 0;
};

} // namespace

AxesAttr ProgramEmitter::makeAxes() {
  AxisSizes table;
  for (const Axis &axis : program.axes)
    table.add(axis.name, axis.size);
  return AxesAttr::get(func.getContext(), table);
}

MappingAttr ProgramEmitter::makeChip() {
  std::string text = "1";
  if (program.chips != 1)
    text += " # " + std::to_string(program.chips);
  return MappingAttr::get(func.getContext(), text);
}

/// The dimensions in order; a padded axis is cut to what the program has.
HostType ProgramEmitter::getHostType(Value tensor) {
  SmallVector<std::string, 4> terms;
  AxisList dims = program.dims.lookup(tensor);
  for (AxisId id : ArrayRef<AxisId>(dims).take_front(rankOf(tensor))) {
    const Axis &axis = program.axes[id];
    std::string term = axis.name;
    if (axis.size != axis.extent)
      term += " = " + std::to_string(axis.extent);
    terms.push_back(term);
  }
  return HostType::get(func.getContext(), elementTypeOf(tensor), axes,
                       MappingAttr::get(func.getContext(), joinTerms(terms)));
}

/// The next free HBM address, aligned to whole requests of the DMA engine.
LogicalResult ProgramEmitter::place(Operation *at, HbmType type,
                                    int64_t &address) {
  address = hbmEnd;
  hbmEnd += llvm::alignTo(type.getByteSize(), program.machine->dmaRequestBytes);
  if (hbmEnd <= program.machine->hbmBytes)
    return success();
  return at->emitOpError() << "brings the program to " << hbmEnd
                           << " bytes of HBM, machine \""
                           << program.machine->name << "\" has "
                           << program.machine->hbmBytes;
}

void ProgramEmitter::collectTransfers() {
  for (const auto &group : program.groups) {
    auto add = [&](const TensorOperand &operand) {
      if (!operand.tensor || !isa<BlockArgument>(operand.tensor))
        return;
      Type type = kernel.getHbmType(elementTypeOf(operand.tensor),
                                    group->layoutOf(operand));
      transfers.try_emplace({operand.tensor, type}, 0);
    };
    add(group->lhs);
    add(group->rhs);
    add(group->stream);
    for (const Step &step : group->steps)
      add(step.operand);
  }
  for (Value value : func.getBody().front().getTerminator()->getOperands())
    if (const Group *group = program.producer(program.canonical(value)))
      outputs.try_emplace(group->result, kernel.getHbmType(group->resultType(),
                                                           group->loops()));
}

LogicalResult ProgramEmitter::emitKernel(StringRef name) {
  SmallVector<Type> inputTypes, outputTypes;
  for (auto &[key, address] : transfers) {
    inputTypes.push_back(key.second);
    if (failed(place(func, cast<HbmType>(key.second), address)))
      return failure();
  }
  for (auto &[value, type] : outputs)
    outputTypes.push_back(type);
  kernelFunc =
      func::FuncOp::create(builder, func.getLoc(), name,
                           builder.getFunctionType(inputTypes, outputTypes));
  Block *entry = kernelFunc.addEntryBlock();
  for (auto [i, transfer] : llvm::enumerate(transfers))
    kernel.arguments[transfer.first] = entry->getArgument(i);

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(entry);
  for (auto &group : program.groups) {
    int64_t address = 0;
    HbmType type = kernel.getHbmType(group->resultType(), group->loops());
    if (failed(place(group->root, type, address)))
      return failure();
    kernel.emitGroup(*group, address);
  }
  SmallVector<Value> results;
  for (auto &[value, type] : outputs)
    results.push_back(kernel.values.lookup(value));
  func::ReturnOp::create(builder, func.getLoc(), results);
  return success();
}

LogicalResult ProgramEmitter::emitHost(StringRef name, StringRef kernelName) {
  Operation *terminator = func.getBody().front().getTerminator();
  SmallVector<Type> inputTypes, outputTypes;
  for (BlockArgument argument : func.getArguments())
    inputTypes.push_back(getHostType(argument));
  for (Value value : terminator->getOperands())
    outputTypes.push_back(getHostType(value));
  auto host =
      func::FuncOp::create(builder, func.getLoc(), name,
                           builder.getFunctionType(inputTypes, outputTypes));
  host.setVisibility(func.getVisibility());
  host->setAttr(TcpDialect::kMacsAttrName,
                builder.getI64IntegerAttr(program.macs));
  Block *entry = host.addEntryBlock();

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(entry);
  Location loc = func.getLoc();
  SmallVector<Value> inputs;
  for (auto &[key, address] : transfers) {
    auto argument = cast<BlockArgument>(key.first);
    inputs.push_back(
        ToHbmOp::create(builder, loc, key.second,
                        entry->getArgument(argument.getArgNumber()), address));
  }
  DenseMap<Value, Value> device;
  if (!program.groups.empty()) {
    auto launch = LaunchOp::create(
        builder, loc, kernelFunc.getFunctionType().getResults(),
        FlatSymbolRefAttr::get(builder.getContext(), kernelName), inputs);
    for (auto [output, result] : llvm::zip(outputs, launch.getOutputs()))
      device[output.first] = result;
  }
  SmallVector<Value> results;
  for (auto [value, type] : llvm::zip(terminator->getOperands(), outputTypes)) {
    Value source = program.canonical(value);
    if (auto argument = dyn_cast<BlockArgument>(source)) {
      // Every result comes from the device, also one that nothing was done to.
      HbmType hbm = kernel.getHbmType(elementTypeOf(argument),
                                      program.dims.lookup(argument));
      int64_t address = 0;
      if (failed(place(terminator, hbm, address)))
        return failure();
      Value input = entry->getArgument(argument.getArgNumber());
      input = ToHbmOp::create(builder, loc, hbm, input, address);
      input = ToHostOp::create(builder, loc, type, input);
      results.push_back(input);
      continue;
    }
    results.push_back(
        ToHostOp::create(builder, loc, type, device.lookup(source)));
  }
  func::ReturnOp::create(builder, loc, results);
  return success();
}

LogicalResult ProgramEmitter::emit() {
  auto module = func->getParentOfType<ModuleOp>();
  std::string name = func.getName().str();
  SymbolTable symbols(module);
  std::string kernelName = name + "_kernel";
  for (unsigned i = 1; symbols.lookup(kernelName); ++i)
    kernelName = name + "_kernel" + std::to_string(i);
  collectTransfers();
  if (!program.groups.empty() && failed(emitKernel(kernelName)))
    return failure();
  if (failed(emitHost(name, kernelName)))
    return failure();
  func.erase();
  return success();
}

LogicalResult linalg_to_tcp::emitProgram(Program &program) {
  return ProgramEmitter(program).emit();
}
