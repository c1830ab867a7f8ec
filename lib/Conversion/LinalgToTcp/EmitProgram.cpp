//===- EmitProgram.cpp - The kernel and the host function -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupEmitter.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;
using namespace sequin::tcp;
using stream::MappingAttr;

namespace {

class ProgramEmitter {
public:
  ProgramEmitter(const Program &program, OpBuilder &builder)
      : program(program), builder(builder), loc(program.loc),
        kernel(program, builder, makeChip()) {}

  FailureOr<func::FuncOp> emit();

private:
  MappingAttr makeChip();
  HbmType getResultType(const Tensor &tensor);
  HostType getHostType(const Tensor &tensor);
  HostType getArgumentType(unsigned argument);
  LogicalResult emitKernel(StringRef name);
  func::FuncOp emitHost(StringRef kernelName);

  const Program &program;
  OpBuilder &builder;
  Location loc;
  KernelEmitter kernel;
  /// What the host sends, in the order of the kernel's arguments.
  SmallVector<Tensor *> inputs;
  /// What the kernel returns, each once.
  SmallVector<Tensor *> outputs;
  func::FuncOp kernelFunc;
};

} // namespace

MappingAttr ProgramEmitter::makeChip() {
  std::string text = program.chipsUsed == 1 ? "1" : "C";
  if (program.chips != program.chipsUsed)
    text += " # " + std::to_string(program.chips);
  return MappingAttr::get(builder.getContext(), text);
}

/// Of a tensor that is the same on all chips the host gets that of the first
/// one.
HbmType ProgramEmitter::getResultType(const Tensor &tensor) {
  HbmType type = kernel.typeOf(tensor);
  if (program.chipsUsed == 1 || tensor.chipDim)
    return type;
  return HbmType::get(
      builder.getContext(), type.getElementType(), type.getAxes(),
      MappingAttr::get(builder.getContext(), "1" + suffix("#", program.chips)),
      type.getElement());
}

/// The dimensions in order; one that has padding is cut to what the program
/// has.
HostType ProgramEmitter::getHostType(const Tensor &tensor) {
  Terms terms;
  for (auto [i, size] : llvm::enumerate(tensor.type.getShape())) {
    std::string term = "D" + std::to_string(i);
    if (program.chipsUsed == 1 && size != tensor.allocated[i])
      term += " = " + std::to_string(size);
    terms.push_back(term);
  }
  return HostType::get(
      builder.getContext(), tensor.elementType(), kernel.axesOf(tensor),
      MappingAttr::get(builder.getContext(), joinTerms(terms)));
}

HostType ProgramEmitter::getArgumentType(unsigned argument) {
  for (Tensor *tensor : inputs)
    if (tensor->origin == Tensor::Origin::Argument &&
        tensor->argument == argument)
      return getHostType(*tensor);
  Tensor unused;
  unused.type = cast<RankedTensorType>(program.type.getInput(argument));
  unused.allocated.assign(unused.type.getShape().begin(),
                          unused.type.getShape().end());
  return getHostType(unused);
}

LogicalResult ProgramEmitter::emitKernel(StringRef name) {
  SmallVector<Type> inputTypes, outputTypes;
  for (Tensor *tensor : inputs)
    inputTypes.push_back(kernel.typeOf(*tensor));
  for (Tensor *tensor : outputs)
    outputTypes.push_back(getResultType(*tensor));
  kernelFunc = func::FuncOp::create(
      builder, loc, name, builder.getFunctionType(inputTypes, outputTypes));
  Block *entry = kernelFunc.addEntryBlock();
  for (auto [tensor, argument] : llvm::zip(inputs, entry->getArguments()))
    kernel.values[tensor] = argument;

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(entry);
  for (auto &group : program.groups)
    if (failed(kernel.emitGroup(*group)))
      return failure();
  kernel.flushStore();
  SmallVector<Value> results;
  for (Tensor *tensor : outputs)
    if (Value value = kernel.values.lookup(tensor);
        value.getType() == getResultType(*tensor))
      results.push_back(value);
    else
      results.push_back(
          ViewOp::create(builder, loc, getResultType(*tensor), value));
  func::ReturnOp::create(builder, loc, results);
  return success();
}

func::FuncOp ProgramEmitter::emitHost(StringRef kernelName) {
  SmallVector<Type> inputTypes, outputTypes;
  for (unsigned i = 0; i < program.type.getNumInputs(); ++i)
    inputTypes.push_back(getArgumentType(i));
  for (Tensor *tensor : program.results)
    outputTypes.push_back(getHostType(*tensor));
  auto host =
      func::FuncOp::create(builder, loc, program.name,
                           builder.getFunctionType(inputTypes, outputTypes));
  if (program.visibility)
    host.setSymVisibilityAttr(program.visibility);
  host->setAttr(TcpDialect::kMacsAttrName,
                builder.getI64IntegerAttr(program.macs));
  Block *entry = host.addEntryBlock();

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(entry);
  SmallVector<Value> sent;
  for (Tensor *tensor : inputs) {
    Value array;
    if (tensor->origin == Tensor::Origin::Argument)
      array = entry->getArgument(tensor->argument);
    else
      array = ConstantOp::create(builder, loc, getHostType(*tensor),
                                 tensor->values);
    sent.push_back(ToHbmOp::create(builder, loc, kernel.typeOf(*tensor), array,
                                   tensor->address));
  }
  ValueRange device;
  if (!program.groups.empty())
    device = LaunchOp::create(
                 builder, loc, kernelFunc.getFunctionType().getResults(),
                 FlatSymbolRefAttr::get(builder.getContext(), kernelName), sent)
                 .getOutputs();
  SmallVector<Value> results;
  for (auto [tensor, type] : llvm::zip(program.results, outputTypes)) {
    size_t output = llvm::find(outputs, tensor) - outputs.begin();
    results.push_back(ToHostOp::create(builder, loc, type, device[output]));
  }
  func::ReturnOp::create(builder, loc, results);
  return host;
}

FailureOr<func::FuncOp> ProgramEmitter::emit() {
  SymbolTable symbols(builder.getBlock()->getParentOp());
  std::string name = program.name.getValue().str();
  std::string kernelName = name + "_kernel";
  for (unsigned i = 1; symbols.lookup(kernelName); ++i)
    kernelName = name + "_kernel" + std::to_string(i);
  DenseSet<Tensor *> read;
  for (auto &group : program.groups) {
    for (Access *access : group->reads())
      read.insert(access->tensor);
    // What a scatter does not write is as it was.
    read.insert(group->result.tensor);
  }
  for (auto &tensor : program.tensors)
    if (tensor->origin != Tensor::Origin::Computed &&
        read.contains(tensor.get()))
      inputs.push_back(tensor.get());
  for (Tensor *tensor : program.results)
    if (!llvm::is_contained(outputs, tensor))
      outputs.push_back(tensor);
  if (!program.groups.empty() && failed(emitKernel(kernelName)))
    return failure();
  return emitHost(kernelName);
}

FailureOr<func::FuncOp> linalg_to_tcp::emitProgram(const Program &program,
                                                   OpBuilder &builder) {
  return ProgramEmitter(program, builder).emit();
}
