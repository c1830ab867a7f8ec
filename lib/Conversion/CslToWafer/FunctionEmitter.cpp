//===- FunctionEmitter.cpp - Bytecode of one function ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionEmitter.h"
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

/// What `value` shares its register with.
static Value getNamed(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtUIOp, arith::BitcastOp, csl::AsMemrefOp, csl::PtrCastOp,
             csl::PtrToIntOp, csl::IntToPtrOp, csl::ToEnumOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// A value that is passed on is computed where the callee takes it from, so
/// that the order in which arguments are computed costs nothing. What is passed
/// to two is where the first takes it from.
void FunctionEmitter::reserveRow(Operation &op, ValueRange values) {
  if (values.size() < 2)
    return;
  Register first = rows[&op] = freshRun(values.size());
  for (auto [index, value] : llvm::enumerate(values))
    registers.try_emplace(getNamed(value), first + index);
}

wafer::Register FunctionEmitter::inRow(Operation &op, ValueRange values) {
  if (values.empty())
    return kNone;
  // A function that passes on what it was given.
  bool inOrder = true;
  for (auto [index, value] : llvm::enumerate(values))
    inOrder &= (values.size() == 1 || !numbers.contains(value)) &&
               of(value) == of(values.front()) + index;
  if (inOrder)
    return of(values.front());
  auto row = rows.find(&op);
  for (auto [index, value] : llvm::enumerate(values)) {
    Register place = row->second + index;
    if (auto found = numbers.find(value); found != numbers.end())
      emitConstant(out.instructions, place, found->second);
    else if (of(value) != place)
      emit(Opcode::Copy, place, of(value));
  }
  out.locations.resize(out.instructions.size(), location);
  return row->second;
}

wafer::Register FunctionEmitter::constant(uint64_t bits) {
  auto [entry, isNew] = constants.insert({bits, 0});
  if (isNew)
    entry->second = fresh();
  return entry->second;
}

void FunctionEmitter::emitConstant(std::vector<wafer::Instruction> &where,
                                   Register dest, uint64_t bits) {
  bool narrow = llvm::isUInt<32>(bits);
  wafer::Instruction instruction;
  instruction.opcode = narrow ? Opcode::Constant : Opcode::ConstantWide;
  instruction.dest = dest;
  instruction.immediate = narrow ? bits : context.addConstant(bits);
  where.push_back(instruction);
}

/// Constants are set once per call, before everything else.
void FunctionEmitter::insertConstants() {
  std::vector<wafer::Instruction> prologue;
  for (auto [bits, dest] : constants)
    emitConstant(prologue, dest, bits);
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
/// is read from comes after that. An aggregate is copied, because
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
  while (!moves.empty()) {
    auto *next = llvm::find_if(moves, [&](const auto &move) {
      return llvm::none_of(moves, [&](const auto &other) {
        return &other != &move && other.second == move.first;
      });
    });
    if (next == moves.end()) {
      // They take from each other in a circle.
      next = moves.begin();
      Register saved = emitFresh(Opcode::Copy, next->first);
      for (auto &[dest, source] : moves)
        if (source == next->first)
          source = saved;
    }
    emit(Opcode::Copy, next->first, next->second);
    moves.erase(next);
  }
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
  if (auto check = dyn_cast<cf::AssertOp>(op)) {
    emit(Opcode::Assert, kNone, of(check.getArg()), kNone,
         context.addMessage(check.getMsg()));
    return success();
  }
  if (auto ret = dyn_cast<func::ReturnOp>(op)) {
    emit(Opcode::Return, kNone, inRow(op, ret.getOperands()));
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
  Register first = inRow(op, arguments);
  Register results = op.getNumResults() == 0   ? kNone
                     : op.getNumResults() == 1 ? of(op.getResult(0))
                                               : freshRun(op.getNumResults());
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
  location = context.locations->get(op.getLoc());
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
  out.location = context.locations->get(function.getLoc());
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
  for (Block *block : order)
    for (Operation &op : *block) {
      if (auto call = dyn_cast<func::CallOp>(op))
        reserveRow(op, call.getArgOperands());
      else if (auto call = dyn_cast<csl::CallIndirectOp>(op))
        reserveRow(op, call.getInputs());
      else if (isa<func::ReturnOp>(op))
        reserveRow(op, op.getOperands());
    }
  for (auto [index, block] : llvm::enumerate(order)) {
    Block *next = index + 1 < order.size() ? order[index + 1] : nullptr;
    if (failed(emitBlock(*block, next)))
      return failure();
  }
  insertConstants();
  // One short of the number that means none.
  if (nextRegister > wafer::kNoRegister)
    return function->emitOpError()
           << "is too long: it computes " << nextRegister
           << " values, a function has at most " << wafer::kNoRegister;
  out.registers = nextRegister;
  frameBytes = llvm::alignTo(frameBytes, 4);
  if (frameBytes > context.machine.memoryBytesPerPe) {
    InFlightDiagnostic error = function->emitOpError();
    error << "needs " << frameBytes << " bytes of stack, a PE of "
          << context.machine.name << " has " << context.machine.memoryBytesPerPe
          << " bytes of memory";
    attachFrame(error, function);
    return error;
  }
  out.frameBytes = frameBytes;
  return success();
}
