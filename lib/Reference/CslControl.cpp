//===- CslControl.cpp - Calls, branches, loops of csl programs ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslState.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// The values of operands `begin` to `end` of a step.
static llvm::SmallVector<Val> values(Activation &frame, const Step &step,
                                     unsigned begin, unsigned end) {
  llvm::SmallVector<Val> result;
  for (unsigned i = begin; i < end; ++i)
    result.push_back(operand(frame, step, i));
  return result;
}

/// Goes to the beginning of `block` in the innermost region.
static void jump(Activation &frame, BlockCode *block,
                 llvm::ArrayRef<Val> arguments) {
  for (auto [slot, value] : llvm::zip(block->arguments, arguments))
    frame.slots[slot] = value;
  frame.cursors.back().block = block;
  frame.cursors.back().next = 0;
}

static void enter(Activation &frame, const Step &owner, BlockCode *block,
                  llvm::ArrayRef<Val> arguments) {
  Cursor cursor;
  cursor.owner = &owner;
  frame.cursors.push_back(cursor);
  jump(frame, block, arguments);
}

/// Leaves the innermost region with the results of its operation.
static void leave(Activation &frame, llvm::ArrayRef<Val> results) {
  const Step &owner = *frame.cursors.back().owner;
  frame.cursors.pop_back();
  for (auto [slot, value] : llvm::zip(owner.results, results))
    frame.slots[slot] = value;
}

//===----------------------------------------------------------------------===//
// Structured
//===----------------------------------------------------------------------===//

static void runIf(CslMachineState &, Pe &, Activation &frame,
                  const Step &step) {
  BlockCode *block = step.blocks[operand(frame, step, 0).bits ? 0 : 1];
  if (block)
    enter(frame, step, block, {});
}

static void runFor(CslMachineState &machine, Pe &pe, Activation &frame,
                   const Step &step) {
  auto loop = cast<scf::ForOp>(step.op);
  unsigned bits = bitsOf(loop.getInductionVar().getType());
  uint64_t low = operand(frame, step, 0).bits,
           high = operand(frame, step, 1).bits,
           stride = operand(frame, step, 2).bits;
  uint64_t distance = 0;
  if (loop.getUnsignedCmp()) {
    distance = low < high ? high - low : 0;
  } else {
    int64_t a = signedOf(low, bits), b = signedOf(high, bits);
    distance = a < b ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a) : 0;
    if (signedOf(stride, bits) <= 0)
      return machine.trap(pe, "the step of a loop is not positive", step.op);
  }
  if (!stride)
    return machine.trap(pe, "the step of a loop is zero", step.op);
  auto inits = values(frame, step, 3, step.operands.size());
  uint64_t iterations = distance / stride + (distance % stride != 0);
  if (!iterations) {
    for (auto [slot, value] : llvm::zip(step.results, inits))
      frame.slots[slot] = value;
    return;
  }
  inits.insert(inits.begin(), Val{low});
  enter(frame, step, step.blocks[0], inits);
  Cursor &cursor = frame.cursors.back();
  cursor.iterations = iterations - 1;
  cursor.value = low;
  cursor.step = stride;
}

static void runWhile(CslMachineState &, Pe &, Activation &frame,
                     const Step &step) {
  enter(frame, step, step.blocks[0],
        values(frame, step, 0, step.operands.size()));
}

static void runCondition(CslMachineState &, Pe &, Activation &frame,
                         const Step &step) {
  auto passed = values(frame, step, 1, step.operands.size());
  if (!operand(frame, step, 0).bits)
    return leave(frame, passed);
  jump(frame, frame.cursors.back().owner->blocks[1], passed);
}

static void runIndexSwitch(CslMachineState &, Pe &, Activation &frame,
                           const Step &step) {
  auto chosen = cast<scf::IndexSwitchOp>(step.op);
  int64_t value = signedOf(operand(frame, step, 0).bits, 32);
  unsigned region = 0; // the default
  for (auto [index, known] : llvm::enumerate(chosen.getCases()))
    if (known == value)
      region = index + 1;
  enter(frame, step, step.blocks[region], {});
}

static void runExecuteRegion(CslMachineState &, Pe &, Activation &frame,
                             const Step &step) {
  enter(frame, step, step.blocks[0], {});
}

static void runYield(CslMachineState &, Pe &, Activation &frame,
                     const Step &step) {
  auto results = values(frame, step, 0, step.operands.size());
  Cursor &cursor = frame.cursors.back();
  Operation *owner = cursor.owner->op;
  if (isa<scf::WhileOp>(owner))
    return jump(frame, cursor.owner->blocks[0], results);
  if (!isa<scf::ForOp>(owner) || !cursor.iterations)
    return leave(frame, results);
  --cursor.iterations;
  cursor.value =
      (cursor.value + cursor.step) &
      maskOf(bitsOf(cast<scf::ForOp>(owner).getInductionVar().getType()));
  results.insert(results.begin(), Val{cursor.value});
  jump(frame, cursor.owner->blocks[0], results);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static void runBranch(CslMachineState &, Pe &, Activation &frame,
                      const Step &step) {
  jump(frame, step.blocks[0], values(frame, step, 0, step.operands.size()));
}

static void runCondBranch(CslMachineState &, Pe &, Activation &frame,
                          const Step &step) {
  auto branch = cast<cf::CondBranchOp>(step.op);
  unsigned taken = branch.getNumTrueOperands();
  if (operand(frame, step, 0).bits)
    jump(frame, step.blocks[0], values(frame, step, 1, 1 + taken));
  else
    jump(frame, step.blocks[1],
         values(frame, step, 1 + taken, step.operands.size()));
}

static void runSwitch(CslMachineState &, Pe &, Activation &frame,
                      const Step &step) {
  auto chosen = cast<cf::SwitchOp>(step.op);
  uint64_t flag = operand(frame, step, 0).bits;
  unsigned target = 0;
  if (DenseIntElementsAttr cases = chosen.getCaseValuesAttr())
    for (auto [index, value] : llvm::enumerate(cases.getValues<APInt>()))
      if (!target && value.getZExtValue() == flag)
        target = index + 1;
  OperandRange passed =
      target ? chosen.getCaseOperands(target - 1) : chosen.getDefaultOperands();
  unsigned begin = passed.empty() ? 0 : passed.getBeginOperandIndex();
  jump(frame, step.blocks[target],
       values(frame, step, begin, begin + passed.size()));
}

static void runAssert(CslMachineState &machine, Pe &pe, Activation &frame,
                      const Step &step) {
  if (!operand(frame, step, 0).bits)
    machine.trap(pe, cast<cf::AssertOp>(step.op).getMsg(), step.op);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static void runCall(CslMachineState &machine, Pe &pe, Activation &frame,
                    const Step &step) {
  StringRef name = cast<func::CallOp>(step.op).getCallee();
  FunctionCode *code = machine.functionAt(pe, name);
  if (!code)
    return machine.trap(pe, "a call of '" + name + "', which has no body",
                        step.op);
  machine.call(pe, code, values(frame, step, 0, step.operands.size()), &step,
               false);
}

/// Function pointers are numbers from here on.
static constexpr uint64_t kFunctionPointers = 0x4000;

static void runFunctionAddress(CslMachineState &machine, Pe &pe,
                               Activation &frame, const Step &step) {
  StringRef name = cast<csl::FunctionAddressOp>(step.op).getFunction();
  FunctionCode *code = machine.functionAt(pe, name);
  if (!code)
    return machine.trap(pe, "a pointer to '" + name + "', which has no body",
                        step.op);
  result(frame, step) = {kFunctionPointers + code->number};
}

static void runCallIndirect(CslMachineState &machine, Pe &pe, Activation &frame,
                            const Step &step) {
  uint64_t number = operand(frame, step, 0).bits - kFunctionPointers;
  if (number >= pe.code->functions.size())
    return machine.trap(pe, "a call through a pointer to no function", step.op);
  const FunctionCode *code = pe.code->functions[number].get();
  if (code->type !=
      cast<csl::PtrType>(step.op->getOperand(0).getType()).getPointee())
    return machine.trap(pe,
                        "a call of '" + code->name +
                            "' through a pointer to another kind of function",
                        step.op);
  machine.call(pe, code, values(frame, step, 1, step.operands.size()), &step,
               false);
}

static void runReturn(CslMachineState &machine, Pe &pe, Activation &frame,
                      const Step &step) {
  machine.finishCall(pe, values(frame, step, 0, step.operands.size()));
}

Step::Handler reference::findControlHandler(Operation *op) {
  if (isa<scf::IfOp>(op))
    return runIf;
  if (isa<scf::ForOp>(op))
    return runFor;
  if (isa<scf::WhileOp>(op))
    return runWhile;
  if (isa<scf::ConditionOp>(op))
    return runCondition;
  if (isa<scf::IndexSwitchOp>(op))
    return runIndexSwitch;
  if (isa<scf::ExecuteRegionOp>(op))
    return runExecuteRegion;
  if (isa<scf::YieldOp>(op))
    return runYield;
  if (isa<cf::BranchOp>(op))
    return runBranch;
  if (isa<cf::CondBranchOp>(op))
    return runCondBranch;
  if (isa<cf::SwitchOp>(op))
    return runSwitch;
  if (isa<cf::AssertOp>(op))
    return runAssert;
  if (isa<func::CallOp>(op))
    return runCall;
  if (isa<csl::FunctionAddressOp>(op))
    return runFunctionAddress;
  if (isa<csl::CallIndirectOp>(op))
    return runCallIndirect;
  if (isa<func::ReturnOp, csl::ReturnOp>(op))
    return runReturn;
  return nullptr;
}
