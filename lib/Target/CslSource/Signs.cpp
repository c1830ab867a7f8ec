//===- Signs.cpp - Which integers are signed ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signs.h"
#include "CountedLoops.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sequin/Dialect/Csl/IR/ExportSigns.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

bool csl_to_source::hasSign(Type type) {
  if (type.isIndex())
    return true;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() > 1;
  if (auto memref = dyn_cast<BaseMemRefType>(type))
    return hasSign(memref.getElementType());
  if (auto array = dyn_cast<csl::ArrayType>(type))
    return hasSign(array.getElementType());
  if (auto pointer = dyn_cast<csl::PtrType>(type))
    return hasSign(pointer.getPointee());
  return false;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

Signs::Node Signs::find(Node node) const {
  while (classes[node].parent != node)
    node = classes[node].parent;
  return node;
}

Signs::Node Signs::node(Value value) {
  auto [entry, isNew] = values.try_emplace(value, classes.size());
  if (isNew) {
    classes.emplace_back().parent = entry->second;
    classes.back().onlyIndex = value.getType().isIndex();
  }
  return entry->second;
}

Signs::Node Signs::node(Operation *symbol, unsigned part) {
  auto [entry, isNew] = symbols.try_emplace({symbol, part}, classes.size());
  if (isNew) {
    classes.emplace_back().parent = entry->second;
    classes.back().onlyIndex = false;
  }
  return entry->second;
}

Signs::Node Signs::node(csl::StructType type, unsigned field) {
  auto [entry, isNew] =
      fields.try_emplace({type.getAsOpaquePointer(), field}, classes.size());
  if (isNew) {
    classes.emplace_back().parent = entry->second;
    classes.back().onlyIndex = false;
  }
  return entry->second;
}

std::optional<Signs::Node> Signs::lookup(Value value) const {
  auto found = values.find(value);
  if (found == values.end())
    return std::nullopt;
  return find(found->second);
}

void Signs::join(Node left, Node right) {
  left = find(left);
  right = find(right);
  if (left == right)
    return;
  Class &to = classes[left], &from = classes[right];
  // What is fixed on both sides stays two classes with a cast between them.
  if (to.fixed && from.fixed && *to.fixed != *from.fixed)
    return;
  from.parent = left;
  to.votes += from.votes;
  if (from.fixed)
    to.fixed = from.fixed;
  to.onlyIndex &= from.onlyIndex;
}

bool Signs::isLiteral(Value value) {
  return value.getDefiningOp<arith::ConstantOp>() != nullptr;
}

void Signs::join(Value left, Value right) {
  if (!hasSign(left.getType()) || !hasSign(right.getType()) ||
      isLiteral(left) || isLiteral(right))
    return;
  // Between numbers, and between a number and where it is kept, is a cast.
  if (joinsMemory &&
      (left.getType().isIntOrIndex() || right.getType().isIntOrIndex()))
    return;
  join(node(left), node(right));
}

void Signs::vote(Value value, bool isSigned) {
  if (value && !joinsMemory && hasSign(value.getType()) && !isLiteral(value))
    classes[find(node(value))].votes += isSigned ? 1 : -1;
}

void Signs::fix(Node node, bool isSigned) {
  Class &entry = classes[find(node)];
  if (!entry.fixed && !joinsMemory)
    entry.fixed = isSigned;
}

bool Signs::resolve(Node node) const {
  const Class &entry = classes[find(node)];
  if (entry.fixed)
    return *entry.fixed;
  if (entry.votes)
    return entry.votes > 0;
  if (entry.onlyIndex)
    return entry.low < 0 || entry.high > UINT16_MAX;
  return true;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

bool Signs::isSigned(Value value) const {
  std::optional<Node> node = lookup(value);
  return !node || resolve(*node);
}

IntType Signs::of(Value value) const {
  if (auto integer = dyn_cast<IntegerType>(value.getType()))
    return {integer.getWidth(), isSigned(value)};
  std::optional<Node> node = lookup(value);
  if (!node)
    return {32, true};
  const Class &entry = classes[*node];
  bool fitsU16 = entry.low >= 0 && entry.high <= UINT16_MAX;
  bool fitsI16 = entry.low >= INT16_MIN && entry.high <= INT16_MAX;
  bool sign = resolve(*node);
  if (fitsU16 && (!sign || !fitsI16))
    return {16, false};
  if (fitsI16)
    return {16, true};
  return {32, true};
}

bool Signs::isSigned(csl::VarOp var) const {
  auto found = symbols.find({var, 0});
  return found == symbols.end() ? !var.getIsUnsigned() : resolve(found->second);
}

bool Signs::isSigned(csl::ParamOp param) const {
  auto found = symbols.find({param, 0});
  return found == symbols.end() || resolve(found->second);
}

bool Signs::isSigned(csl::StructType type, unsigned field) const {
  auto found = fields.find({type.getAsOpaquePointer(), field});
  return found == fields.end() || resolve(found->second);
}

bool Signs::isSignedResult(FunctionOpInterface function,
                           unsigned result) const {
  auto found = symbols.find({function, result});
  return found == symbols.end() || resolve(found->second);
}

/// What is at the end of a pointer: an element, of an array or alone.
static Type getPointee(Value pointer) {
  Type type = cast<csl::PtrType>(pointer.getType()).getPointee();
  auto array = dyn_cast<csl::ArrayType>(type);
  return array ? array.getElementType() : type;
}

//===----------------------------------------------------------------------===//
// What operations say
//===----------------------------------------------------------------------===//

void Signs::collectArith(Operation *op) {
  auto joinAll = [&] {
    for (Value operand : op->getOperands())
      join(op->getResult(0), operand);
  };
  auto voteOperands = [&](bool isSigned) {
    for (Value operand : op->getOperands())
      vote(operand, isSigned);
  };
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
          arith::OrIOp, arith::XOrIOp, arith::DivSIOp, arith::DivUIOp,
          arith::RemSIOp, arith::RemUIOp, arith::MinSIOp, arith::MaxSIOp,
          arith::MinUIOp, arith::MaxUIOp, math::AbsIOp>(op))
    joinAll();
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::MinSIOp, arith::MaxSIOp,
          math::AbsIOp>(op))
    voteOperands(true);
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::MinUIOp, arith::MaxUIOp>(op))
    voteOperands(false);
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op)) {
    join(op->getResult(0), op->getOperand(0));
    if (!isa<arith::ShLIOp>(op))
      vote(op->getOperand(0), isa<arith::ShRSIOp>(op));
    vote(op->getOperand(1), false);
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    join(select, select.getTrueValue());
    join(select, select.getFalseValue());
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    join(compare.getLhs(), compare.getRhs());
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::eq:
    case arith::CmpIPredicate::ne:
      break;
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::sle:
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::sge:
      // An index that is never negative compares alike; its range decides.
      if (!compare.getLhs().getType().isIndex())
        voteOperands(true);
      break;
    default:
      voteOperands(false);
    }
  }
  if (isa<arith::ExtSIOp>(op)) {
    vote(op->getOperand(0), true);
    vote(op->getResult(0), true);
  }
  if (isa<arith::ExtUIOp>(op))
    vote(op->getOperand(0), false);
  if (isa<arith::SIToFPOp>(op))
    vote(op->getOperand(0), true);
  if (isa<arith::UIToFPOp>(op))
    vote(op->getOperand(0), false);
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    vote(op->getResult(0), isa<arith::FPToSIOp>(op));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    bool isSigned = isa<arith::IndexCastOp>(op);
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    bool narrow = from.isInteger(16) || to.isInteger(16);
    if (narrow)
      join(op->getOperand(0), op->getResult(0));
    if (to.isIndex())
      vote(op->getOperand(0), isSigned);
  }
}

void Signs::collectControl(Operation *op) {
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    for (auto [index, block] : llvm::enumerate(op->getSuccessors())) {
      SuccessorOperands operands = branch.getSuccessorOperands(index);
      for (auto [argument, value] :
           llvm::zip(block->getArguments(), operands.getForwardedOperands()))
        join(argument, value);
    }
  auto program = op->getParentOfType<csl::ProgramOp>();
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    for (auto [index, value] : llvm::enumerate(ret.getOperands()))
      if (hasSign(value.getType()) && !isLiteral(value))
        join(node(value), node(ret->getParentOp(), index));
  auto joinCall = [&](StringAttr name, ValueRange arguments,
                      ResultRange results) {
    auto callee = dyn_cast_or_null<func::FuncOp>(
        SymbolTable::lookupSymbolIn(program, name));
    if (!callee)
      return;
    for (auto [index, value] : llvm::enumerate(results))
      if (hasSign(value.getType()))
        join(node(callee, index), node(value));
    if (callee.isExternal())
      return;
    for (auto [value, argument] : llvm::zip(arguments, callee.getArguments()))
      if (value.getType() == argument.getType())
        join(argument, value);
  };
  if (auto call = dyn_cast<func::CallOp>(op))
    joinCall(call.getCalleeAttr().getAttr(), call.getOperands(),
             call.getResults());
  if (auto map = dyn_cast<csl::MapOp>(op))
    joinCall(map.getCalleeAttr().getAttr(), map.getInputs(), op->getResults());
}

void Signs::fixTyped(Operation *op) {
  auto fixResults = [&](bool isSigned) {
    for (Value result : op->getResults())
      if (hasSign(result.getType()))
        fix(node(result), isSigned);
  };
  if (auto get = dyn_cast<csl::GetIntOp>(op)) {
    auto type = dyn_cast<csl::EnumType>(get.getValue().getType());
    fixResults(type && llvm::any_of(type.getCaseValues(),
                                    [](int64_t value) { return value < 0; }));
  } else if (isa<csl::CoordinateOp, csl::GetRectangleOp, csl::Random16Op,
                 csl::GetFilterIdOp, csl::GetSymbolIdOp, csl::GetTensorPtrOp,
                 csl::GetConfigOp, csl::RegisterAddressOp>(op)) {
    fixResults(false);
  } else if (isa<csl::CallIndirectOp>(op)) {
    fixResults(true);
  }
}

void Signs::collectCsl(Operation *op) {
  if (auto get = dyn_cast<csl::GetVarOp>(op)) {
    if (hasSign(get.getType()))
      if (Operation *var = SymbolTable::lookupSymbolIn(program, get.getVar()))
        join(node(var, 0), node(get));
  } else if (auto get = dyn_cast<csl::GetParamOp>(op)) {
    if (hasSign(get.getType()))
      if (Operation *param =
              SymbolTable::lookupSymbolIn(program, get.getParam()))
        join(node(param, 0), node(get));
  } else if (isa<memref::LoadOp, memref::CastOp, memref::SubViewOp,
                 memref::ExpandShapeOp, memref::CollapseShapeOp,
                 csl::AddressOfOp, csl::AsMemrefOp, csl::ElementPtrOp,
                 csl::LoadOp, csl::GetElementOp>(op)) {
    join(op->getResult(0), op->getOperand(0));
  } else if (isa<memref::StoreOp, memref::CopyOp, csl::StoreOp>(op)) {
    join(op->getOperand(1), op->getOperand(0));
  } else if (auto same = dyn_cast<csl::PtrCastOp>(op)) {
    if (getPointee(same.getPointer()) == getPointee(same.getResult()))
      join(same.getResult(), same.getPointer());
  } else if (auto set = dyn_cast<csl::SetElementOp>(op)) {
    join(set.getResult(), set.getValue());
    join(set.getResult(), set.getReplacement());
  } else if (isa<csl::SplatOp>(op)) {
    join(op->getResult(0), op->getOperand(0));
  } else if (auto made = dyn_cast<csl::AggregateOp>(op)) {
    if (auto type = dyn_cast<csl::StructType>(made.getType())) {
      for (auto [index, value] : llvm::enumerate(made.getValues())) {
        unsigned field =
            made.getField() ? *type.getFieldIndex(*made.getField()) : index;
        if (hasSign(value.getType()) && !isLiteral(value))
          join(node(type, field), node(value));
      }
    } else {
      for (Value value : made.getValues())
        join(made, value);
    }
  } else if (auto get = dyn_cast<csl::GetFieldOp>(op)) {
    auto type = cast<csl::StructType>(get.getValue().getType());
    if (hasSign(get.getType()))
      join(node(type, *type.getFieldIndex(get.getField())), node(get));
  } else if (auto set = dyn_cast<csl::SetFieldOp>(op)) {
    auto type = cast<csl::StructType>(set.getValue().getType());
    if (hasSign(set.getReplacement().getType()) &&
        !isLiteral(set.getReplacement()))
      join(node(type, *type.getFieldIndex(set.getField())),
           node(set.getReplacement()));
  } else if (auto get = dyn_cast<csl::FieldPtrOp>(op)) {
    auto type = cast<csl::StructType>(get.getPointer().getType().getPointee());
    if (hasSign(get.getType()))
      join(node(type, *type.getFieldIndex(get.getField())), node(get));
  }
  // Fields and arguments of 16 bits without a sign.
  if (auto made = dyn_cast<csl::Mem1dDsdOp>(op)) {
    vote(made.getExtent(), false);
    vote(made.getStride(), true);
    vote(made.getOffset(), true);
  } else if (auto made = dyn_cast<csl::Mem4dDsdOp>(op)) {
    vote(made.getOffset(), true);
  } else if (auto made = dyn_cast<csl::FabinDsdOp>(op)) {
    vote(made.getExtent(), false);
  } else if (auto made = dyn_cast<csl::FaboutDsdOp>(op)) {
    vote(made.getExtent(), false);
  } else if (isa<csl::SetDsdLengthOp, csl::SetFifoReadLengthOp,
                 csl::SetFifoWriteLengthOp, csl::SetDsrLengthOp>(op)) {
    vote(op->getOperand(1), false);
  } else if (isa<csl::SetDsdStrideOp, csl::IncrementDsdOffsetOp>(op)) {
    vote(op->getOperand(1), true);
  } else if (isa<csl::MakeIdOp, csl::SetActivePrngOp, csl::GetConfigOp,
                 csl::SetConfigOp, csl::GetSymbolValueOp, csl::GetTensorPtrOp,
                 csl::RegisterAddressOp>(op)) {
    for (Value operand : op->getOperands())
      vote(operand, false);
  } else if (isa<csl::FscalehOp, csl::FscalesOp>(op)) {
    vote(op->getOperand(2), true);
  } else if (isa<csl::SimPrintOp>(op)) {
    for (Value operand : op->getOperands())
      vote(operand, true);
  }
  if (auto operation = dyn_cast<csl::DsdOpInterface>(op))
    if (Value index = operation.getIndex())
      vote(index, false);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

void Signs::collectSymbols(csl::LayoutOp layout) {
  // The host's names come first: both sides have to have one type.
  program.walk([&](csl::ExportSymbolOp op) {
    if (!layout)
      return;
    for (auto name : layout.getOps<csl::ExportNameOp>()) {
      if (name.getName() != op.getAdvertisedName())
        continue;
      Operation *symbol =
          SymbolTable::lookupSymbolIn(program, op.getSymbolAttr());
      if (auto var = dyn_cast_or_null<csl::VarOp>(symbol)) {
        if (hasSign(var.getMemRefType()))
          fix(node(var, 0), !name.getIsUnsigned());
      } else if (auto function = dyn_cast_or_null<func::FuncOp>(symbol)) {
        for (unsigned i = 0; i < function.getNumResults(); ++i)
          fix(node(function, i),
              !csl::isUnsigned(name, function.getNumArguments() + i));
        if (function.isExternal())
          continue;
        for (auto [index, argument] : llvm::enumerate(function.getArguments()))
          if (hasSign(argument.getType()))
            fix(node(argument), !csl::isUnsigned(name, index));
      }
    }
  });
  for (auto var : program.getOps<csl::VarOp>())
    if (isa<IntegerType>(var.getMemRefType().getElementType()))
      fix(node(var, 0), !var.getIsUnsigned());
  // A function's type, where it is written out, is signed.
  program.walk([&](csl::FunctionAddressOp op) {
    auto function = dyn_cast_or_null<func::FuncOp>(
        SymbolTable::lookupSymbolIn(program, op.getFunctionAttr()));
    if (!function)
      return;
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      fix(node(function, i), true);
    if (!function.isExternal())
      for (Value argument : function.getArguments())
        if (hasSign(argument.getType()))
          fix(node(argument), true);
  });
  for (auto function : program.getOps<func::FuncOp>())
    if (function.isExternal())
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        fix(node(function, i), true);
}

namespace {
/// Ranges of integers, with what is known of loops over a range: a counter
/// passes the last number before its end by one step at most.
class Ranges : public dataflow::IntegerRangeAnalysis {
public:
  Ranges(DataFlowSolver &solver,
         const llvm::DenseMap<Operation *, CountedLoop> &steps)
      : IntegerRangeAnalysis(solver), steps(steps) {}

  LogicalResult visitOperation(
      Operation *op,
      ArrayRef<const dataflow::IntegerValueRangeLattice *> operands,
      ArrayRef<dataflow::IntegerValueRangeLattice *> results) override {
    if (auto step = steps.find(op); step != steps.end())
      return visitStep(op, step->second, results[0]);
    if (!mayDivideByZero(op, operands))
      return IntegerRangeAnalysis::visitOperation(op, operands, results);
    setAllToEntryStates(results);
    return success();
  }

private:
  LogicalResult visitStep(Operation *op, const CountedLoop &loop,
                          dataflow::IntegerValueRangeLattice *result) {
    auto rangeOf = [&](Value value) {
      return getLatticeElementFor(getProgramPointAfter(op), value)->getValue();
    };
    IntegerValueRange low = rangeOf(loop.low), high = rangeOf(loop.high);
    if (low.isUninitialized() || high.isUninitialized())
      return success();
    const APInt &from = low.getValue().smin(), &to = high.getValue().smax();
    bool overflows = false, passes = false;
    APInt first = from.sadd_ov(loop.step, overflows);
    APInt last = to.sadd_ov(loop.step - 1, passes);
    if (overflows || passes || (loop.isUnsigned && from.isNegative()))
      setToEntryState(result);
    else
      propagateIfChanged(
          result, result->join(IntegerValueRange(ConstantIntRanges::fromSigned(
                      first, llvm::APIntOps::smax(first, last)))));
    return success();
  }

  /// Here such a division gives all ones and the dividend as rest; for the
  /// analysis it never happens.
  static bool mayDivideByZero(
      Operation *op,
      ArrayRef<const dataflow::IntegerValueRangeLattice *> operands) {
    if (!isa<arith::DivUIOp, arith::DivSIOp, arith::CeilDivUIOp,
             arith::CeilDivSIOp, arith::FloorDivSIOp, arith::RemUIOp,
             arith::RemSIOp>(op))
      return false;
    const IntegerValueRange &divisor = operands[1]->getValue();
    return !divisor.isUninitialized() && divisor.getValue().umin().isZero();
  }

  const llvm::DenseMap<Operation *, CountedLoop> &steps;
};
} // namespace

/// The counters of loops over a range of indices, by what adds their step.
static llvm::DenseMap<Operation *, CountedLoop>
findSteps(csl::ProgramOp program) {
  llvm::DenseMap<Operation *, CountedLoop> steps;
  for (Operation &function : program.getBody().front())
    for (Region &region : function.getRegions()) {
      if (region.empty() || region.hasOneBlock())
        continue;
      DominanceInfo dominance(&function);
      CFGLoopInfo loops(dominance.getDomTree(&region));
      for (CFGLoop *loop : loops.getLoopsInPreorder())
        if (std::optional<CountedLoop> counted = getCountedLoop(*loop);
            counted && counted->counter.getType().isIndex())
          for (Operation *step : counted->steps)
            steps[step] = *counted;
    }
  return steps;
}

void Signs::collectRanges() {
  llvm::DenseMap<Operation *, CountedLoop> steps = findSteps(program);
  DataFlowSolver solver;
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<Ranges>(steps);
  bool known = succeeded(solver.initializeAndRun(program));
  auto add = [&](Value value) {
    if (!value.getType().isIndex() || isLiteral(value))
      return;
    Class &entry = classes[find(node(value))];
    const auto *state =
        known ? solver.lookupState<dataflow::IntegerValueRangeLattice>(value)
              : nullptr;
    if (!state || state->getValue().isUninitialized()) {
      entry.low = INT64_MIN;
      entry.high = INT64_MAX;
      return;
    }
    const ConstantIntRanges &range = state->getValue().getValue();
    entry.low = std::min(entry.low, range.smin().getSExtValue());
    entry.high = std::max(entry.high, range.smax().getSExtValue());
  };
  program.walk([&](Operation *op) {
    for (Value result : op->getResults())
      add(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          add(argument);
  });
}

void Signs::collect(Operation *op) {
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    collectArith(op);
  else if (isa<csl::CslDialect, memref::MemRefDialect>(op->getDialect()))
    collectCsl(op);
  collectControl(op);
}

Signs::Signs(csl::ProgramOp program, csl::LayoutOp layout) : program(program) {
  collectSymbols(layout);
  // What has one type whatever it goes to, before anything is joined with it.
  program.walk([&](Operation *op) { fixTyped(op); });
  // Pointers have to agree with what they point at, before either agrees with
  // the numbers there.
  for (bool memory : {true, false}) {
    joinsMemory = memory;
    program.walk([&](Operation *op) { collect(op); });
  }
  collectRanges();
}
