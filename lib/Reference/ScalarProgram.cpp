//===- ScalarProgram.cpp - The body of a structured operation -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarProgram.h"
#include "LinalgValue.h"
#include "ScalarFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

std::optional<ScalarProgram::Code> ScalarProgram::codeOf(Operation *op) {
  if (lookupFunction(op))
    return Code::Function;
  return TypeSwitch<Operation *, std::optional<Code>>(op)
      .Case([](arith::AddFOp) { return Code::AddF; })
      .Case([](arith::SubFOp) { return Code::SubF; })
      .Case([](arith::MulFOp) { return Code::MulF; })
      .Case([](arith::DivFOp) { return Code::DivF; })
      .Case([](arith::MaximumFOp) { return Code::MaximumF; })
      .Case([](arith::MinimumFOp) { return Code::MinimumF; })
      .Case([](arith::MaxNumFOp) { return Code::MaxNumF; })
      .Case([](arith::MinNumFOp) { return Code::MinNumF; })
      .Case([](arith::NegFOp) { return Code::NegF; })
      .Case([](arith::TruncFOp) { return Code::RoundF; })
      .Case([](arith::ExtFOp) { return Code::WidenF; })
      .Case([](math::FmaOp) { return Code::Fma; })
      .Case([](math::ClampFOp) { return Code::Clamp; })
      .Case([](math::CopySignOp) { return Code::CopySign; })
      .Case([](math::PowFOp) { return Code::Power; })
      .Case([](math::FPowIOp) { return Code::PowerOfInt; })
      .Case([](math::TanOp) { return Code::Tangent; })
      .Case([](arith::AddIOp) { return Code::AddI; })
      .Case([](arith::SubIOp) { return Code::SubI; })
      .Case([](arith::MulIOp) { return Code::MulI; })
      .Case([](arith::MaxSIOp) { return Code::MaxS; })
      .Case([](arith::MinSIOp) { return Code::MinS; })
      .Case([](arith::MaxUIOp) { return Code::MaxU; })
      .Case([](arith::MinUIOp) { return Code::MinU; })
      .Case([](math::AbsIOp) { return Code::AbsI; })
      .Case([](arith::AndIOp) { return Code::And; })
      .Case([](arith::OrIOp) { return Code::Or; })
      .Case([](arith::XOrIOp) { return Code::Xor; })
      .Case([](arith::ShLIOp) { return Code::Shl; })
      .Case([](arith::ShRSIOp) { return Code::ShrS; })
      .Case([](arith::ShRUIOp) { return Code::ShrU; })
      .Case([](arith::DivSIOp) { return Code::DivS; })
      .Case([](arith::DivUIOp) { return Code::DivU; })
      .Case([](arith::FloorDivSIOp) { return Code::FloorDivS; })
      .Case([](arith::CeilDivSIOp) { return Code::CeilDivS; })
      .Case([](arith::CeilDivUIOp) { return Code::CeilDivU; })
      .Case([](arith::RemSIOp) { return Code::RemS; })
      .Case([](arith::RemUIOp) { return Code::RemU; })
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(
          [](auto) { return Code::ResizeS; })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [](auto) { return Code::ResizeU; })
      .Case([](arith::SIToFPOp) { return Code::IntToFloatS; })
      .Case([](arith::UIToFPOp) { return Code::IntToFloatU; })
      .Case([](arith::FPToSIOp) { return Code::FloatToIntS; })
      .Case([](arith::FPToUIOp) { return Code::FloatToIntU; })
      .Case([](arith::BitcastOp) { return Code::Bitcast; })
      .Case([](arith::CmpFOp) { return Code::CompareF; })
      .Case([](arith::CmpIOp) { return Code::CompareI; })
      .Case([](arith::SelectOp) { return Code::Select; })
      .Default(std::nullopt);
}

namespace sequin::reference {

class ProgramBuilder {
public:
  using Code = ScalarProgram::Code;
  using Step = ScalarProgram::Step;

  explicit ProgramBuilder(ScalarProgram::Capture capture) : capture(capture) {}

  unsigned addSlot(const Scalar &content = Scalar()) {
    program.start.push_back(content);
    return program.start.size() - 1;
  }
  void addArgument(Value argument) {
    slots[argument] = addSlot();
    program.inputs = program.start.size();
  }
  /// All operations but the terminator.
  LogicalResult addBlock(Block &block);
  LogicalResult addOp(Operation &op);
  LogicalResult addResults(Operation *user, ValueRange values);
  ScalarProgram take() { return std::move(program); }

private:
  LogicalResult addIf(scf::IfOp op);
  LogicalResult addBranch(Block &block, unsigned condition,
                          ArrayRef<unsigned> to);
  LogicalResult addExtract(tensor::ExtractOp op);
  LogicalResult addOperands(Step &step, ValueRange values);

  ScalarProgram program;
  ScalarProgram::Capture capture;
  llvm::DenseMap<Value, unsigned> slots;
};

} // namespace sequin::reference

LogicalResult ProgramBuilder::addOperands(Step &step, ValueRange values) {
  for (Value value : values) {
    auto found = slots.find(value);
    if (found == slots.end()) {
      const LinalgValue *outside =
          isa<ShapedType>(value.getType()) ? nullptr : capture(value);
      if (!outside)
        return step.op->emitOpError()
               << "uses a value that is not a scalar here";
      found = slots.try_emplace(value, addSlot(outside->get(0))).first;
    }
    step.operands.push_back(found->second);
  }
  return success();
}

LogicalResult ProgramBuilder::addResults(Operation *user, ValueRange values) {
  Step step{Code::Jump};
  step.op = user;
  if (failed(addOperands(step, values)))
    return failure();
  program.results.assign(step.operands.begin(), step.operands.end());
  return success();
}

LogicalResult ProgramBuilder::addBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(addOp(op)))
      return failure();
  return success();
}

/// What follows `condition`, up to the copies of what the block yields.
LogicalResult ProgramBuilder::addBranch(Block &block, unsigned condition,
                                        ArrayRef<unsigned> to) {
  if (failed(addBlock(block)))
    return failure();
  Step yielded{Code::TakeBranch};
  yielded.op = block.getTerminator();
  if (failed(addOperands(yielded, yielded.op->getOperands())))
    return failure();
  for (auto [source, target] : llvm::zip_equal(yielded.operands, to)) {
    Step step{Code::TakeBranch};
    step.op = yielded.op;
    step.operands = {condition, source};
    step.result = target;
    program.steps.push_back(step);
  }
  return success();
}

LogicalResult ProgramBuilder::addIf(scf::IfOp op) {
  Step jump{Code::JumpIfNot};
  jump.op = op;
  if (failed(addOperands(jump, op.getCondition())))
    return failure();
  unsigned condition = jump.operands[0];
  SmallVector<unsigned> to;
  for (Value result : op.getResults())
    to.push_back(slots[result] = addSlot());
  size_t toElse = program.steps.size();
  program.steps.push_back(jump);
  if (failed(addBranch(*op.thenBlock(), condition, to)))
    return failure();
  size_t toEnd = program.steps.size();
  jump.code = Code::Jump;
  program.steps.push_back(jump);
  program.steps[toElse].target = program.steps.size();
  if (op.elseBlock() && failed(addBranch(*op.elseBlock(), condition, to)))
    return failure();
  program.steps[toEnd].target = program.steps.size();
  return success();
}

LogicalResult ProgramBuilder::addExtract(tensor::ExtractOp op) {
  Step step{Code::Extract};
  step.op = op;
  step.tensor = capture(op.getTensor());
  if (!step.tensor)
    return op.emitOpError() << "reads a tensor that is not computed outside";
  if (failed(addOperands(step, op.getIndices())))
    return failure();
  slots[op.getResult()] = step.result = addSlot();
  program.steps.push_back(step);
  return success();
}

LogicalResult ProgramBuilder::addOp(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::optional<Scalar> value = readConstant(constant.getValue());
    if (!value)
      return op.emitOpError() << "has a value that is no number";
    slots[constant.getResult()] = addSlot(*value);
    return success();
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    unsigned slot = addSlot();
    slots[index.getResult()] = slot;
    program.indices.push_back({static_cast<unsigned>(index.getDim()), slot});
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return addIf(branch);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return addExtract(extract);

  Step step{Code::Assert};
  step.op = &op;
  if (isa<cf::AssertOp>(op)) {
    if (failed(addOperands(step, op.getOperands())))
      return failure();
    program.steps.push_back(step);
    return success();
  }
  std::optional<Code> code = ScalarProgram::codeOf(&op);
  if (!code)
    return op.emitOpError() << "is not supported by the reference interpreter";
  step.code = *code;
  step.function = lookupFunction(&op);
  Type type = getElementTypeOrSelf(op.getResult(0).getType());
  Type source = getElementTypeOrSelf(op.getOperand(0).getType());
  for (Type number : {type, source})
    if (!isNumber(number))
      return op.emitOpError() << "computes with " << number
                              << ", which the reference interpreter does not "
                                 "know";
  if (isa<FloatType>(type))
    step.type = roundingOf(type);
  else
    step.width = integerWidth(type);
  if (!isa<FloatType>(source))
    step.sourceWidth = integerWidth(source);
  if (failed(addOperands(step, op.getOperands())))
    return failure();
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    step.predicate = static_cast<uint64_t>(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    step.predicate = static_cast<uint64_t>(compare.getPredicate());
  if (step.code == Code::Power || step.code == Code::PowerOfInt)
    step.isConstantPower = matchPattern(op.getOperand(1), m_Constant());
  slots[op.getResult(0)] = step.result = addSlot();
  program.steps.push_back(step);
  return success();
}

FailureOr<ScalarProgram> ScalarProgram::build(Block &body, Capture capture) {
  ProgramBuilder builder(capture);
  for (BlockArgument argument : body.getArguments())
    builder.addArgument(argument);
  if (body.empty() ||
      !isa<linalg::YieldOp, tensor::YieldOp>(body.getTerminator()))
    return body.getParentOp()->emitOpError() << "body does not yield";
  if (failed(builder.addBlock(body)) ||
      failed(builder.addResults(body.getTerminator(),
                                body.getTerminator()->getOperands())))
    return failure();
  return builder.take();
}

FailureOr<ScalarProgram> ScalarProgram::build(Operation *op) {
  auto nothing = [](Value) -> const LinalgValue * { return nullptr; };
  ProgramBuilder builder(nothing);
  for (Value operand : op->getOperands())
    builder.addArgument(operand);
  if (failed(builder.addOp(*op)) ||
      failed(builder.addResults(op, op->getResults())))
    return failure();
  return builder.take();
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

std::vector<bool> ScalarProgram::dependents(unsigned first) const {
  std::vector<bool> dependent(start.size());
  std::fill(dependent.begin() + first, dependent.begin() + inputs, true);
  for (const Step &step : steps)
    for (unsigned operand : step.operands)
      if (dependent[operand] && step.code != Code::Assert)
        dependent[step.result] = true;
  return dependent;
}

const ScalarProgram::Step *ScalarProgram::definitionOf(unsigned slot) const {
  auto defines = [&](const Step &step) {
    return step.result == slot && step.result >= inputs;
  };
  auto found = llvm::find_if(steps, defines);
  return found == steps.end() ? nullptr : &*found;
}

bool ScalarProgram::hasBranches() const {
  return llvm::any_of(
      steps, [](const Step &step) { return step.code == Code::JumpIfNot; });
}

void ScalarProgram::prune() {
  std::vector<bool> needed(start.size());
  for (unsigned slot : results)
    needed[slot] = true;
  std::vector<Step> kept;
  for (Step &step : llvm::reverse(steps)) {
    if (step.code != Code::Assert && !needed[step.result])
      continue;
    for (unsigned operand : step.operands)
      needed[operand] = true;
    kept.push_back(std::move(step));
  }
  std::reverse(kept.begin(), kept.end());
  steps = std::move(kept);
}

/// Follows `slot` to the value before, on the side that depends on it.
bool ScalarProgram::isAccumulation(unsigned slot, unsigned accumulator,
                                   const std::vector<bool> &dependent,
                                   Accumulation &found) const {
  std::optional<Code> combiner;
  ScalarProgram &terms = found.terms;
  while (slot != accumulator) {
    const Step *step = definitionOf(slot);
    if (!step)
      return false;
    if (step->code == Code::WidenF || step->code == Code::RoundF) {
      slot = step->operands[0];
      continue;
    }
    Code kind = step->code == Code::Fma ? Code::AddF : step->code;
    if ((kind != Code::AddF && kind != Code::MulF) ||
        combiner.value_or(kind) != kind)
      return false;
    combiner = kind;
    if (step->code == Code::Fma) {
      if (dependent[step->operands[0]] || dependent[step->operands[1]])
        return false;
      // The product is rounded with the sum.
      Step product = *step;
      product.code = Code::MulF;
      product.type = std::nullopt;
      product.operands.pop_back();
      product.result = terms.start.size();
      terms.start.emplace_back();
      terms.steps.push_back(product);
      terms.results.push_back(product.result);
      slot = step->operands[2];
      continue;
    }
    unsigned left = step->operands[0], right = step->operands[1];
    if (dependent[left] == dependent[right])
      return false;
    terms.results.push_back(dependent[left] ? right : left);
    slot = dependent[left] ? left : right;
  }
  found.isProduct = combiner == Code::MulF;
  return combiner.has_value();
}

/// `slot` and what it is a product of, in f32.
void ScalarProgram::widenProducts(unsigned slot, FloatRounding type) {
  for (Step &step : steps)
    if (step.result == slot && step.result >= inputs &&
        step.code == Code::MulF && step.type == type) {
      step.type = ElementType::F32;
      for (unsigned operand : step.operands)
        widenProducts(operand, type);
      return;
    }
}

std::optional<ScalarProgram::Accumulation>
ScalarProgram::accumulationOf(unsigned result, unsigned accumulator,
                              unsigned firstAccumulator) const {
  if (hasBranches())
    return std::nullopt;
  Accumulation found;
  found.terms = *this;
  found.terms.results.clear();
  if (!isAccumulation(results[result], accumulator,
                      dependents(firstAccumulator), found))
    return std::nullopt;
  found.terms.prune();
  if (found.isProduct)
    return found;
  ScalarProgram wide = found.terms;
  bool differs = false;
  for (unsigned slot : wide.results)
    if (const Step *step = wide.definitionOf(slot);
        step && step->code == Code::MulF && step->type &&
        step->type != ElementType::F32) {
      wide.widenProducts(slot, step->type);
      differs = true;
    }
  if (differs)
    found.wideTerms = std::move(wide);
  return found;
}

std::optional<ScalarProgram>
ScalarProgram::termOfIntegerSum(unsigned accumulator) const {
  if (results.size() != 1 || hasBranches())
    return std::nullopt;
  const Step *last = definitionOf(results[0]);
  if (!last || last->code != Code::AddI || last->width != 32)
    return std::nullopt;
  std::vector<bool> dependent = dependents(accumulator);
  unsigned left = last->operands[0], right = last->operands[1];
  if (right == accumulator)
    std::swap(left, right);
  if (left != accumulator || dependent[right])
    return std::nullopt;
  ScalarProgram term = *this;
  term.results = {right};
  term.prune();
  return term;
}

std::optional<std::pair<unsigned, unsigned>>
ScalarProgram::productOfArguments() const {
  if (steps.empty() || results.size() != 1)
    return std::nullopt;
  const Step &last = steps.back();
  bool isProduct = (last.code == Code::MulF &&
                    (!last.type || last.type == ElementType::F32)) ||
                   (last.code == Code::MulI && last.width == 32);
  if (last.result != results[0] || !isProduct)
    return std::nullopt;
  size_t widenings = 0;
  auto source = [&](unsigned slot) -> std::optional<unsigned> {
    if (slot < inputs)
      return slot;
    for (const Step &step : steps)
      if (step.result == slot && step.operands[0] < inputs &&
          (step.code == Code::WidenF ||
           (step.code == Code::ResizeS && step.width > step.sourceWidth))) {
        ++widenings;
        return step.operands[0];
      }
    return std::nullopt;
  };
  auto left = source(last.operands[0]), right = source(last.operands[1]);
  if (!left || !right || *left == *right || steps.size() != widenings + 1)
    return std::nullopt;
  return std::pair(*left, *right);
}
