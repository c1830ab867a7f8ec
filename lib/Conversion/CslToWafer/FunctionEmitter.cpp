//===- FunctionEmitter.cpp - Bytecode of one function ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionEmitter.h"
#include "KeepLoops.h"
#include "ValueLayout.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

wafer::Register FunctionEmitter::fresh() { return freshRun(1); }

wafer::Register FunctionEmitter::freshRun(unsigned count) {
  Register first = nextRegister;
  // run() refuses a function that has more; the numbers are of no use then.
  nextRegister += count;
  return first;
}

wafer::Register FunctionEmitter::of(Value value) {
  if (auto found = numbers.find(value); found != numbers.end())
    return constant(found->second);
  auto [entry, isNew] = registers.try_emplace(value, 0);
  if (isNew)
    entry->second = fresh();
  return entry->second;
}

wafer::Register FunctionEmitter::inRow(ValueRange values) {
  if (values.empty())
    return kNone;
  Register first = of(values.front());
  bool inOrder = true;
  for (auto [index, value] : llvm::enumerate(values))
    inOrder &= of(value) == first + index;
  if (inOrder)
    return first;
  first = freshRun(values.size());
  for (auto [index, value] : llvm::enumerate(values))
    emit(Opcode::Copy, first + index, of(value));
  return first;
}

wafer::Register FunctionEmitter::constant(uint64_t bits) {
  auto [entry, isNew] = constants.insert({bits, 0});
  if (isNew)
    entry->second = fresh();
  return entry->second;
}

/// Constants are set once per call, before everything else.
void FunctionEmitter::insertConstants() {
  std::vector<wafer::Instruction> prologue;
  for (auto [bits, dest] : constants) {
    bool narrow = llvm::isUInt<32>(bits);
    wafer::Instruction instruction;
    instruction.opcode = narrow ? Opcode::Constant : Opcode::ConstantWide;
    instruction.dest = dest;
    instruction.immediate = narrow ? bits : context.addConstant(bits);
    prologue.push_back(instruction);
  }
  for (auto [instruction, label] : fixups)
    out.instructions[instruction].immediate = labels[label] + prologue.size();
  out.locations.insert(out.locations.begin(), prologue.size(), out.location);
  out.instructions.insert(out.instructions.begin(), prologue.begin(),
                          prologue.end());
}

std::optional<uint64_t> FunctionEmitter::known(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  return getBits(attribute, value.getType());
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void FunctionEmitter::emit(Opcode opcode, Register dest, Register left,
                           Register right, uint32_t immediate, unsigned width) {
  out.instructions.push_back({.opcode = opcode,
                              .width = static_cast<uint8_t>(width),
                              .dest = dest,
                              .left = left,
                              .right = right,
                              .immediate = immediate});
  out.locations.push_back(location);
}

wafer::Register FunctionEmitter::emitFresh(Opcode opcode, Register left,
                                           Register right, uint32_t immediate,
                                           unsigned width) {
  Register dest = fresh();
  emit(opcode, dest, left, right, immediate, width);
  return dest;
}

void FunctionEmitter::emitInteger(Opcode opcode, Value dest, Value left,
                                  Value right) {
  emit(opcode, of(dest), of(left), of(right), 0,
       getRegisterBits(left.getType()));
}

void FunctionEmitter::rename(Value dest, Register source) {
  registers[dest] = source;
}

void FunctionEmitter::rename(Value dest, Value source) {
  if (auto found = numbers.find(source); found != numbers.end())
    setNumber(dest, found->second);
  else
    rename(dest, of(source));
}

FunctionEmitter::Label FunctionEmitter::newLabel() {
  labels.push_back(0);
  return labels.size() - 1;
}

void FunctionEmitter::jump(Opcode opcode, Register condition, Label target) {
  fixups.emplace_back(here(), target);
  emit(opcode, kNone, condition);
}

FunctionEmitter::Label FunctionEmitter::labelOf(Block *block) {
  auto [entry, isNew] = blockLabels.try_emplace(block, 0);
  if (isNew)
    entry->second = newLabel();
  return entry->second;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// Block arguments are assigned at the same time: an argument that another one
/// still has to be read from is saved first. An aggregate is copied, because
/// its place may be used again before the argument is.
void FunctionEmitter::copyOperands(Block *target, ValueRange operands) {
  llvm::SmallVector<std::pair<Register, Register>> moves;
  llvm::SmallVector<std::pair<Value, Register>> aggregates;
  for (auto [argument, operand] : llvm::zip(target->getArguments(), operands)) {
    if (isInFrame(argument.getType()))
      aggregates.emplace_back(argument, of(operand));
    else if (of(argument) != of(operand))
      moves.emplace_back(of(argument), of(operand));
  }
  if (aggregates.size() > 1)
    for (auto &[argument, source] : aggregates)
      source = copyAggregate(argument.getType(), source);
  for (auto [argument, source] : aggregates) {
    MemorySize size = getMemorySize(argument.getType());
    auto [slot, isNew] = argumentSlots.try_emplace(argument, 0);
    if (isNew) {
      slot->second = frameBytes = llvm::alignTo(frameBytes, size.align);
      frameBytes += std::max<int64_t>(size.bytes, 1);
    }
    Register place =
        emitFresh(Opcode::FrameAddress, kNone, kNone, slot->second);
    emit(Opcode::CopyMemory, kNone, place, source, size.bytes);
    emit(Opcode::Copy, of(argument), place);
  }
  for (size_t i = 0; i < moves.size(); ++i)
    for (size_t j = i + 1; j < moves.size(); ++j)
      if (moves[j].second == moves[i].first)
        moves[j].second = emitFresh(Opcode::Copy, moves[j].second);
  for (auto [dest, source] : moves)
    emit(Opcode::Copy, dest, source);
}

void FunctionEmitter::branch(Block *target, ValueRange operands, Block *next) {
  copyOperands(target, operands);
  if (target != next)
    jump(Opcode::Jump, kNone, labelOf(target));
}

FunctionEmitter::Emitted FunctionEmitter::emitControl(Operation &op,
                                                      Block *next) {
  if (auto br = dyn_cast<cf::BranchOp>(op)) {
    branch(br.getDest(), br.getDestOperands(), next);
    return success();
  }
  if (auto br = dyn_cast<cf::CondBranchOp>(op)) {
    Register condition = of(br.getCondition());
    bool plain = br.getTrueDestOperands().empty();
    if (plain && br.getTrueDest() != next) {
      jump(Opcode::JumpIf, condition, labelOf(br.getTrueDest()));
      branch(br.getFalseDest(), br.getFalseDestOperands(), next);
      return success();
    }
    if (br.getFalseDestOperands().empty()) {
      jump(Opcode::JumpIfNot, condition, labelOf(br.getFalseDest()));
      branch(br.getTrueDest(), br.getTrueDestOperands(), next);
      return success();
    }
    Label otherwise = newLabel();
    jump(Opcode::JumpIfNot, condition, otherwise);
    branch(br.getTrueDest(), br.getTrueDestOperands(), nullptr);
    place(otherwise);
    branch(br.getFalseDest(), br.getFalseDestOperands(), next);
    return success();
  }
  if (auto sw = dyn_cast<cf::SwitchOp>(op)) {
    unsigned width = getRegisterBits(sw.getFlag().getType());
    llvm::SmallVector<APInt> values;
    if (DenseIntElementsAttr cases = sw.getCaseValuesAttr())
      values.assign(cases.value_begin<APInt>(), cases.value_end<APInt>());
    for (auto [index, target] : llvm::enumerate(sw.getCaseDestinations())) {
      uint64_t value = values[index].getZExtValue();
      Register equal =
          emitFresh(Opcode::Equal, of(sw.getFlag()), constant(value), 0, width);
      Label other = newLabel();
      jump(Opcode::JumpIfNot, equal, other);
      branch(target, sw.getCaseOperands(index), nullptr);
      place(other);
    }
    branch(sw.getDefaultDestination(), sw.getDefaultOperands(), next);
    return success();
  }
  if (isa<KeepOp>(op))
    return success();
  if (auto check = dyn_cast<cf::AssertOp>(op)) {
    emit(Opcode::Assert, kNone, of(check.getArg()), kNone,
         context.addMessage(check.getMsg()));
    return success();
  }
  if (auto ret = dyn_cast<func::ReturnOp>(op)) {
    emit(Opcode::Return, kNone, inRow(ret.getOperands()));
    return success();
  }
  if (isa<csl::ReturnOp>(op)) {
    emit(Opcode::Return, kNone);
    return success();
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = context.functions.find(call.getCallee());
    if (callee == context.functions.end())
      return op.emitOpError() << "calls '" << call.getCallee()
                              << "', which has no body in this program";
    return emitCall(op, kNone, callee->second, call.getArgOperands());
  }
  if (auto call = dyn_cast<csl::CallIndirectOp>(op))
    return emitCall(op, of(call.getCallee()), std::nullopt, call.getInputs());
  return std::nullopt;
}

LogicalResult FunctionEmitter::emitCall(Operation &op, Register callee,
                                        std::optional<unsigned> number,
                                        ValueRange arguments) {
  Register first = inRow(arguments);
  Register results =
      op.getNumResults() ? freshRun(op.getNumResults()) : Register(kNone);
  if (number)
    emit(Opcode::Call, results, first, kNone, *number);
  else
    emit(Opcode::CallIndirect, results, first, callee, arguments.size());
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    Register source = results + index;
    // What the callee returns is in its frame, which the next call reuses.
    if (isInFrame(result.getType()))
      source = copyAggregate(result.getType(), source);
    registers[result] = source;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

LogicalResult FunctionEmitter::emitOp(Operation &op, Block *next) {
  location = context.locations.get(op.getLoc());
  for (Value value : llvm::concat<Value>(llvm::to_vector(op.getOperands()),
                                         llvm::to_vector(op.getResults())))
    if (!getRegisterBits(value.getType()) &&
        !isa<csl::DsrType, csl::XdsrType, csl::SrType>(value.getType()))
      return op.emitOpError() << "has a value of type " << value.getType()
                              << ", which a PE does not hold";
  if (Emitted done = emitControl(op, next))
    return *done;
  using Method = Emitted (FunctionEmitter::*)(Operation &);
  constexpr Method methods[] = {
      &FunctionEmitter::emitArith,     &FunctionEmitter::emitMath,
      &FunctionEmitter::emitMemref,    &FunctionEmitter::emitPointer,
      &FunctionEmitter::emitAggregate, &FunctionEmitter::emitDescriptor,
      &FunctionEmitter::emitRegister,  &FunctionEmitter::emitDsdOperation,
      &FunctionEmitter::emitBuiltin};
  for (Method method : methods)
    if (Emitted done = (this->*method)(op))
      return *done;
  return op.emitOpError() << "is not for the code of a PE";
}

LogicalResult FunctionEmitter::emitBlock(Block &block, Block *next) {
  place(labelOf(&block));
  for (Operation &op : block)
    if (failed(emitOp(op, next)))
      return failure();
  return success();
}

LogicalResult FunctionEmitter::run() {
  out.name = SymbolTable::getSymbolName(function).getValue().str();
  out.location = context.locations.get(function.getLoc());
  out.arguments = function.getNumArguments();
  out.results = function.getNumResults();
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes()))
    if (!getRegisterBits(type))
      return function->emitOpError()
             << "has type " << type << ", which a PE does not hold";
  Region &body = *function.getCallableRegion();
  for (BlockArgument argument : body.getArguments())
    of(argument);
  // What dominates comes first, so that a value has its register before its
  // uses; blocks that nothing reaches have none.
  llvm::ReversePostOrderTraversal<Block *> traversal(&body.front());
  llvm::SmallVector<Block *> order(traversal.begin(), traversal.end());
  for (auto [index, block] : llvm::enumerate(order)) {
    Block *next = index + 1 < order.size() ? order[index + 1] : nullptr;
    if (failed(emitBlock(*block, next)))
      return failure();
  }
  insertConstants();
  // One short of the number that means none.
  if (nextRegister > wafer::kNoRegister)
    return function->emitOpError()
           << "needs " << nextRegister << " registers, there are "
           << wafer::kNoRegister;
  out.registers = nextRegister;
  frameBytes = llvm::alignTo(frameBytes, 4);
  if (frameBytes > context.machine.memoryBytesPerPe)
    return function->emitOpError()
           << "needs " << frameBytes << " bytes of stack, a PE of "
           << context.machine.name << " has "
           << context.machine.memoryBytesPerPe << " bytes of memory";
  out.frameBytes = frameBytes;
  return success();
}
