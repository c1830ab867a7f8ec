//===- LinalgInterpreter.cpp - What linalg programs mean ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One operation after the other, each by its own meaning: nothing is rewritten
// in terms of others. Floats carry the largest distance a correct machine may
// be off (Scalar.h, LinalgStructured.cpp).
//
//===----------------------------------------------------------------------===//

#include "LinalgValue.h"
#include "ScalarProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sequin/Reference/Interpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Support/Interrupt.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

namespace {

class LinalgInterpreter {
public:
  explicit LinalgInterpreter(bool flushSubnormals)
      : environment(flushSubnormals) {}

  FailureOr<std::vector<LinalgResult>> run(func::FuncOp function,
                                           ArrayRef<Array> inputs);

private:
  LogicalResult runOp(Operation &op);
  FailureOr<std::vector<LinalgValue>> resultsOf(Operation &op);
  FailureOr<LinalgValue> runElementwise(Operation &op);
  FailureOr<LinalgValue> runConstant(arith::ConstantOp op);
  FailureOr<LinalgValue> runGenerate(tensor::GenerateOp op);
  FailureOr<std::vector<LinalgValue>> runCall(func::CallOp op);
  /// The values that it returns; those of its arguments are there.
  FailureOr<std::vector<LinalgValue>> runBody(func::FuncOp function);

  const LinalgValue *lookup(Value value) const {
    auto found = env.find(value);
    return found == env.end() ? nullptr : &found->second;
  }
  FailureOr<const LinalgValue *> get(Operation *op, Value value) const {
    return find(op, value, [&](Value other) { return lookup(other); });
  }

  llvm::DenseMap<Value, LinalgValue> env;
  SmallVector<func::FuncOp> running; ///< functions that are called
  FloatEnvironment environment;
};

} // namespace

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The elements of a constant, one for all if they are the same.
static FailureOr<std::vector<Scalar>> elementsOf(DenseElementsAttr dense) {
  std::vector<Scalar> elements;
  auto add = [&](const APInt &number) {
    Scalar scalar;
    scalar.integer = number.getSExtValue();
    elements.push_back(scalar);
  };
  if (isa<FloatType>(dense.getElementType())) {
    if (dense.isSplat())
      elements.push_back(readConstant(dense.getSplatValue<APFloat>()));
    else
      for (const APFloat &number : dense.getValues<APFloat>())
        elements.push_back(readConstant(number));
    return elements;
  }
  if (!dense.getElementType().isIntOrIndex())
    return failure();
  if (dense.isSplat())
    add(dense.getSplatValue<APInt>());
  else
    for (const APInt &number : dense.getValues<APInt>())
      add(number);
  return elements;
}

FailureOr<LinalgValue> LinalgInterpreter::runConstant(arith::ConstantOp op) {
  FailureOr<LinalgValue> value = makeValue(op, op.getType());
  if (failed(value))
    return failure();
  std::vector<Scalar> elements;
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    if (auto read = elementsOf(dense); succeeded(read))
      elements = std::move(*read);
  } else if (std::optional<Scalar> scalar = readConstant(op.getValue())) {
    elements = {*scalar};
  }
  if (elements.empty() && value->count() != 0)
    return op.emitOpError() << "has a value the reference interpreter does "
                               "not know";
  for (int64_t i = 0, n = value->count(); i < n; ++i)
    value->set(i, elements[elements.size() == 1 ? 0 : i]);
  return value;
}

FailureOr<LinalgValue> LinalgInterpreter::runElementwise(Operation &op) {
  SmallVector<const LinalgValue *> operands;
  SmallVector<int64_t> shape;
  for (Value operand : op.getOperands()) {
    FailureOr<const LinalgValue *> value = get(&op, operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
    if (isa<ShapedType>(operand.getType()))
      shape = (*value)->shape;
  }
  FailureOr<LinalgValue> result =
      makeValue(&op, op.getResult(0).getType(), shape);
  if (failed(result))
    return failure();
  for (auto [operand, value] : llvm::zip_equal(op.getOperands(), operands))
    if (isa<ShapedType>(operand.getType()) && value->shape != result->shape)
      return op.emitOpError() << "has operands of shapes [" << value->shape
                              << "] and [" << result->shape << "]";
  FailureOr<ScalarProgram> program = ScalarProgram::build(&op);
  if (failed(program))
    return failure();
  std::vector<Scalar> slots = program->freshSlots();
  for (int64_t i = 0, n = result->count(); i < n; ++i) {
    // A scalar goes with every element: the condition of a selection.
    for (auto [slot, operand] : llvm::enumerate(operands))
      slots[slot] =
          operand->get(isa<ShapedType>(op.getOperand(slot).getType()) ? i : 0);
    if (failed(program->run(slots)))
      return failure();
    result->set(i, slots[program->resultSlot(0)]);
  }
  return result;
}

FailureOr<LinalgValue> LinalgInterpreter::runGenerate(tensor::GenerateOp op) {
  auto scalars = [&](Value value) { return lookup(value); };
  FailureOr<SmallVector<int64_t>> shape =
      numbersOf(op,
                getMixedValues(op.getType().getShape(), op.getDynamicExtents(),
                               op.getContext()),
                scalars);
  if (failed(shape))
    return failure();
  FailureOr<LinalgValue> result = makeValue(op, op.getType(), *shape);
  FailureOr<ScalarProgram> program =
      ScalarProgram::build(op.getBody().front(), scalars);
  if (failed(result) || failed(program))
    return failure();
  std::vector<Scalar> slots = program->freshSlots();
  int64_t at = 0;
  bool isFine = true;
  forEachIndex(*shape, [&](ArrayRef<int64_t> index) {
    if (!isFine)
      return;
    for (auto [slot, position] : llvm::enumerate(index))
      slots[slot].integer = position;
    isFine = succeeded(program->run(slots));
    result->set(at++, slots[program->resultSlot(0)]);
  });
  if (!isFine)
    return failure();
  return result;
}

static FailureOr<std::vector<LinalgValue>>
single(FailureOr<LinalgValue> value) {
  if (failed(value))
    return failure();
  std::vector<LinalgValue> list;
  list.push_back(std::move(*value));
  return list;
}

FailureOr<std::vector<LinalgValue>>
LinalgInterpreter::resultsOf(Operation &op) {
  auto values = [&](Value value) { return lookup(value); };
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return single(runConstant(constant));
  if (movesElements(&op))
    return single(moveElements(&op, values));
  if (auto generate = dyn_cast<tensor::GenerateOp>(op))
    return single(runGenerate(generate));
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return runStructured(structured, values);
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op)) {
    FailureOr<const LinalgValue *> input = get(&op, softmax.getInput());
    if (failed(input))
      return failure();
    return single(runSoftmax(softmax, **input));
  }
  if (auto call = dyn_cast<func::CallOp>(op))
    return runCall(call);
  if (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
      op.getNumResults() == 1)
    return single(runElementwise(op));
  return op.emitOpError() << "is not supported by the reference interpreter";
}

LogicalResult LinalgInterpreter::runOp(Operation &op) {
  if (interrupted())
    return failure();
  if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    FailureOr<const LinalgValue *> condition = get(&op, assertion.getArg());
    if (failed(condition))
      return failure();
    return checkAssertion(assertion, (*condition)->get(0));
  }
  FailureOr<std::vector<LinalgValue>> values = resultsOf(op);
  if (failed(values))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), *values))
    env[result] = std::move(value);
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FailureOr<std::vector<LinalgValue>>
LinalgInterpreter::runBody(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "function '" << function.getName() << "' has more than one block";
  for (Operation &op : function.getBody().front()) {
    if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
      std::vector<LinalgValue> results;
      for (Value operand : returnOp.getOperands()) {
        FailureOr<const LinalgValue *> value = get(&op, operand);
        if (failed(value))
          return failure();
        results.push_back(**value);
      }
      return results;
    }
    if (failed(runOp(op)))
      return failure();
  }
  return function.emitError()
         << "function '" << function.getName() << "' does not return";
}

FailureOr<std::vector<LinalgValue>>
LinalgInterpreter::runCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee || callee.isExternal())
    return op.emitOpError()
           << "calls '" << op.getCallee() << "', which has no body";
  if (llvm::is_contained(running, callee))
    return op.emitOpError() << "calls '" << op.getCallee() << "' recursively";
  for (auto [argument, operand] :
       llvm::zip_equal(callee.getArguments(), op.getOperands())) {
    FailureOr<const LinalgValue *> value = get(op, operand);
    if (failed(value))
      return failure();
    LinalgValue copy = **value;
    env[argument] = std::move(copy);
  }
  running.push_back(callee);
  FailureOr<std::vector<LinalgValue>> results = runBody(callee);
  running.pop_back();
  return results;
}

FailureOr<std::vector<LinalgResult>>
LinalgInterpreter::run(func::FuncOp function, ArrayRef<Array> inputs) {
  if (function.getNumArguments() != inputs.size())
    return function.emitError() << "function '" << function.getName()
                                << "' takes " << function.getNumArguments()
                                << " arguments, given " << inputs.size();
  running.push_back(function);
  for (auto [argument, array] :
       llvm::zip_equal(function.getArguments(), inputs)) {
    FailureOr<LinalgValue> value = makeValue(function, argument.getType());
    if (failed(value))
      return failure();
    if (llvm::Error error = loadArray(*value, array))
      return function.emitError()
             << "argument " << argument.getArgNumber() << " of function '"
             << function.getName() << "' " << llvm::toString(std::move(error))
             << ", expected " << argument.getType();
    env[argument] = std::move(*value);
  }
  FailureOr<std::vector<LinalgValue>> returned = runBody(function);
  if (failed(returned))
    return failure();
  std::vector<LinalgResult> results;
  for (auto [i, value] : llvm::enumerate(*returned)) {
    llvm::Expected<LinalgResult> result = storeArray(value);
    if (!result)
      return function.emitError()
             << "result " << i << " of function '" << function.getName() << "' "
             << llvm::toString(result.takeError());
    results.push_back(std::move(*result));
  }
  return results;
}

FailureOr<std::vector<LinalgResult>>
sequin::reference::interpretLinalg(ModuleOp module, StringRef entry,
                                   ArrayRef<Array> inputs,
                                   bool flushSubnormals) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function || function.isExternal())
    return module.emitError()
           << "no function '" << entry << "' with a body in this module";
  return LinalgInterpreter(flushSubnormals).run(function, inputs);
}
