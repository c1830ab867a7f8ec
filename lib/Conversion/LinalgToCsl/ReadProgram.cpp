//===- ReadProgram.cpp - What a linalg function computes ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;

namespace {
class Reader {
public:
  explicit Reader(func::FuncOp func) { program.func = func; }
  FailureOr<Program> run();

private:
  FailureOr<RankedTensorType> checkType(Operation *op, Type type);
  FailureOr<unsigned> addStorage(Operation *op, Value value);

  LogicalResult read(Operation &op);
  LogicalResult readConstant(arith::ConstantOp op);
  LogicalResult readSlice(tensor::ExtractSliceOp op);
  LogicalResult readPad(tensor::PadOp op);
  LogicalResult readGeneric(linalg::GenericOp op);
  LogicalResult checkBody(linalg::GenericOp op);
  LogicalResult readReturn(func::ReturnOp op);

  /// What `operand`, indexed by `map`, is to the body.
  LogicalResult readInput(linalg::GenericOp op, OpOperand &operand,
                          Input &input);
  LogicalResult readReduction(LoopNest &op);

  Program program;
  llvm::DenseMap<Value, View> views;
  llvm::DenseMap<Value, TypedAttr> constants;
  llvm::DenseSet<Value> empties;
  Type fp16;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// No wafer has memory for more. Products of sizes fit into 64 bits.
static constexpr int64_t kMostElements = int64_t(1) << 36;

static LogicalResult checkSize(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return success();
  int64_t count = 1;
  for (int64_t size : tensor.getShape()) {
    std::optional<int64_t> product = llvm::checkedMul(count, size);
    if (!product || *product > kMostElements)
      return op->emitOpError()
             << "has a tensor of type " << type << ", of more than "
             << kMostElements << " elements, which no wafer has memory for";
    count = *product;
  }
  return success();
}

FailureOr<RankedTensorType> Reader::checkType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return op->emitOpError() << "has a value of " << type
                             << ", allowed are tensors of static shape";
  Type element = tensor.getElementType();
  if (!element.isF32() && !element.isF16() && !element.isBF16() &&
      !element.isSignlessInteger(16) && !element.isSignlessInteger(32))
    return op->emitOpError() << "has elements of " << element
                             << ", allowed are f32, f16, bf16, i16 and i32";
  if (element.isF16() || element.isBF16()) {
    if (fp16 && fp16 != element)
      return op->emitOpError()
             << "has elements of " << element << " where others are " << fp16
             << ", a program has one 16-bit float format";
    fp16 = element;
  }
  if (tensor.getNumElements() == 0)
    return op->emitOpError() << "has a tensor without elements, " << type;
  return tensor;
}

FailureOr<unsigned> Reader::addStorage(Operation *op, Value value) {
  FailureOr<RankedTensorType> type = checkType(op, value.getType());
  if (failed(type))
    return failure();
  Storage storage;
  storage.value = value;
  storage.element = type->getElementType();
  storage.shape.assign(type->getShape().begin(), type->getShape().end());
  storage.nodes.resize(storage.shape.size());
  unsigned number = program.storages.size();
  storage.name = "v" + std::to_string(number);
  program.storages.push_back(std::move(storage));
  views[value] = {number, SmallVector<int64_t>(type->getRank(), 0)};
  return number;
}

LogicalResult Reader::readConstant(arith::ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return success();
  if (failed(checkType(op, op.getType())))
    return failure();
  if (elements.isSplat()) {
    constants[op] = cast<TypedAttr>(elements.getSplatValue<Attribute>());
    return success();
  }
  FailureOr<unsigned> storage = addStorage(op, op);
  if (failed(storage))
    return failure();
  program.storages[*storage].initial = elements;
  program.storages[*storage].name = "constant" + std::to_string(*storage);
  return success();
}

LogicalResult Reader::readSlice(tensor::ExtractSliceOp op) {
  if (auto constant = constants.lookup(op.getSource())) {
    constants[op] = constant;
    return success();
  }
  auto found = views.find(op.getSource());
  if (found == views.end())
    return op.emitOpError() << "is of a tensor that has no value";
  if (op.getType().getRank() != op.getSourceType().getRank())
    return op.emitOpError() << "drops dimensions; allowed are slices of the "
                               "rank of their source";
  View view = found->second;
  for (auto [d, offset] : llvm::enumerate(op.getStaticOffsets())) {
    if (ShapedType::isDynamic(offset) || op.getStaticStrides()[d] != 1)
      return op.emitOpError() << "has an offset that is not known or a stride, "
                                 "allowed are dense slices at known places";
    view.offsets[d] += offset;
  }
  views[op] = view;
  return success();
}

LogicalResult Reader::readPad(tensor::PadOp op) {
  Value value = op.getConstantPaddingValue();
  TypedAttr constant;
  if (!value || !matchPattern(value, m_Constant(&constant)))
    return op.emitOpError() << "pads with values that are no constant";
  if (op.hasZeroLowPad() && op.hasZeroHighPad()) {
    if (auto known = constants.lookup(op.getSource()))
      constants[op] = known;
    else if (auto found = views.find(op.getSource()); found != views.end())
      views[op] = View(found->second);
    return success();
  }
  if (auto known = constants.lookup(op.getSource())) {
    if (known != constant)
      return op.emitOpError() << "pads a constant tensor with another value";
    constants[op] = known;
    return success();
  }
  auto found = views.find(op.getSource());
  if (found == views.end())
    return op.emitOpError() << "is of a tensor that has no value";
  View view = found->second;
  Storage &storage = program.storages[view.storage];
  if (storage.pad && storage.pad != constant)
    return op.emitOpError()
           << "pads with " << constant << " a tensor that is padded with "
           << storage.pad << " elsewhere; copy it first";
  auto shape = cast<RankedTensorType>(op.getSource().getType()).getShape();
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t low = op.getStaticLow()[d], high = op.getStaticHigh()[d];
    if (ShapedType::isDynamic(low) || ShapedType::isDynamic(high))
      return op.emitOpError() << "pads by amounts that are not known";
    bool cutLow = low && view.offsets[d] > 0;
    bool cutHigh = high && view.offsets[d] + shape[d] < storage.shape[d];
    if (cutLow || cutHigh)
      return op.emitOpError() << "pads a slice in dimension " << d
                              << ", in which it was cut; copy it first";
    view.offsets[d] -= low;
  }
  storage.pad = constant;
  views[op] = view;
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Bodies become scalar code or DSD operations.
LogicalResult Reader::checkBody(linalg::GenericOp op) {
  for (Operation &inner : *op.getBody()) {
    if (isa<linalg::YieldOp>(inner))
      continue;
    if (isa<linalg::IndexOp>(inner))
      return inner.emitOpError() << "is the number of an element, which a PE "
                                    "does not know; pass it as an argument";
    if (!isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) ||
        inner.getNumRegions())
      return inner.emitOpError() << "in a body is not lowered, allowed are "
                                    "operations of arith and math";
    for (Value operand : inner.getOperands()) {
      bool local = isa<BlockArgument>(operand) ||
                   operand.getParentBlock() == op.getBody();
      if (!local && !matchPattern(operand, m_Constant()))
        return inner.emitOpError()
               << "uses a scalar that is no constant; pass it as a tensor";
    }
  }
  return success();
}

LogicalResult Reader::readInput(linalg::GenericOp op, OpOperand &operand,
                                Input &input) {
  input.argument = op.getMatchingBlockArgument(&operand);
  TypedAttr constant;
  if (!isa<ShapedType>(operand.get().getType())) {
    if (!matchPattern(operand.get(), m_Constant(&constant)))
      return op.emitOpError()
             << "takes a scalar that is no constant; pass it as a tensor";
    input.constant = constant;
    return success();
  }
  if (TypedAttr known = constants.lookup(operand.get())) {
    input.constant = known;
    return success();
  }
  auto found = views.find(operand.get());
  if (found == views.end())
    return op.emitOpError() << "reads a tensor that has no value";
  const View &view = found->second;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Access access;
  access.storage = view.storage;
  for (auto [d, expr] : llvm::enumerate(map.getResults())) {
    int64_t offset = view.offsets[d];
    int loop = -1;
    auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
    if (auto fixed = dyn_cast<AffineConstantExpr>(expr)) {
      offset += fixed.getValue();
    } else if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      loop = dim.getPosition();
    } else if (sum && sum.getKind() == AffineExprKind::Add &&
               isa<AffineDimExpr>(sum.getLHS()) &&
               isa<AffineConstantExpr>(sum.getRHS())) {
      loop = cast<AffineDimExpr>(sum.getLHS()).getPosition();
      offset += cast<AffineConstantExpr>(sum.getRHS()).getValue();
    } else {
      std::string text;
      llvm::raw_string_ostream(text) << expr;
      return op.emitOpError()
             << "indexes dimension " << d << " of an operand by " << text
             << ", allowed are a loop, a loop plus a constant and a constant";
    }
    // One element wide: an index, not a loop.
    if (loop >= 0 && op.getStaticLoopRanges()[loop] == 1 &&
        program.storages[view.storage].shape[d] == 1)
      loop = -1;
    access.loops.push_back(loop);
    access.offsets.push_back(offset);
  }
  input.access = access;
  return success();
}

static std::optional<Combiner> getCombiner(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Combiner>>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Combiner::Add; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Combiner::Mul; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
          [](auto) { return Combiner::Max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
          [](auto) { return Combiner::Min; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The input behind a widening.
static Value getWidened(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && isa<arith::ExtFOp, arith::ExtSIOp>(op))
    return op->getOperand(0);
  return value;
}

LogicalResult Reader::readReduction(LoopNest &op) {
  linalg::GenericOp generic = op.op;
  BlockArgument out = generic.getBody()->getArguments().back();
  Operation *combine =
      generic.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  std::optional<Combiner> combiner =
      combine ? getCombiner(combine) : std::nullopt;
  if (!combiner || !out.hasOneUse() || *out.user_begin() != combine)
    return generic.emitOpError()
           << "reduces by what is no sum, product, maximum or minimum of the "
              "element and a value";
  op.kind = OpKind::Reduce;
  op.combiner = *combiner;
  op.combinerOp = combine;
  op.expression = combine->getOperand(combine->getOperand(0) == out ? 1 : 0);

  // The start.
  Input start;
  OpOperand &init = generic.getDpsInitsMutable()[0];
  if (empties.contains(init.get()))
    return generic.emitOpError() << "starts from a tensor that has no value";
  if (failed(readInput(generic, init, start)))
    return failure();
  op.start = start.access;
  op.startConstant = start.constant;

  // A product of two inputs that between them have every loop.
  Operation *product = op.expression.getDefiningOp();
  if (op.combiner != Combiner::Add || !product ||
      !isa<arith::MulFOp, arith::MulIOp>(product) || op.resultLoops.empty())
    return success();
  std::optional<unsigned> factors[2];
  for (auto [i, input] : llvm::enumerate(op.inputs))
    for (unsigned side : {0u, 1u})
      if (input.access &&
          getWidened(product->getOperand(side)) == input.argument)
        factors[side] = i;
  if (!factors[0] || !factors[1] || *factors[0] == *factors[1])
    return success();
  for (size_t loop = 0; loop < op.sizes.size(); ++loop) {
    unsigned in = 0;
    for (std::optional<unsigned> factor : factors)
      in += llvm::count(op.inputs[*factor].access->loops, int(loop));
    if (in == 0 || (op.reduced[loop] && in != 2) || in > 2)
      return success();
  }
  op.kind = OpKind::Contract;
  op.left = *factors[0];
  op.right = *factors[1];
  return success();
}

LogicalResult Reader::readGeneric(linalg::GenericOp generic) {
  if (!generic.hasPureTensorSemantics())
    return generic.emitOpError() << "is on memrefs, allowed are tensors";
  if (failed(checkBody(generic)))
    return failure();
  LoopNest op;
  op.op = generic;
  op.sizes = generic.getStaticLoopRanges();
  bool reduces = false;
  for (utils::IteratorType type : generic.getIteratorTypesArray()) {
    op.reduced.push_back(type == utils::IteratorType::reduction);
    reduces |= op.reduced.back();
    if (type != utils::IteratorType::reduction &&
        type != utils::IteratorType::parallel)
      return generic.emitOpError() << "has a window iterator";
  }
  if (llvm::any_of(op.sizes, ShapedType::isDynamic))
    return generic.emitOpError() << "has loops whose length is not known";
  op.nodes.resize(op.sizes.size());
  for (OpOperand *operand : generic.getDpsInputOperands()) {
    Input input;
    if (failed(readInput(generic, *operand, input)))
      return failure();
    op.inputs.push_back(std::move(input));
  }
  if (reduces && generic.getNumDpsInits() != 1)
    return generic.emitOpError() << "reduces to " << generic.getNumDpsInits()
                                 << " tensors, allowed is one";
  for (auto [number, init] : llvm::enumerate(generic.getDpsInitsMutable())) {
    LoopNest part = op;
    AffineMap map = generic.getMatchingIndexingMap(&init);
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || llvm::is_contained(part.resultLoops, dim.getPosition()))
        return generic.emitOpError()
               << "writes its result by a map that is no permutation of loops";
      part.resultLoops.push_back(dim.getPosition());
    }
    if (!reduces) {
      if (part.resultLoops.size() != op.sizes.size())
        return generic.emitOpError() << "writes elements more than once";
      part.expression = generic.getBody()->getTerminator()->getOperand(number);
      BlockArgument old = generic.getMatchingBlockArgument(&init);
      if (!old.use_empty()) {
        if (empties.contains(init.get()))
          return generic.emitOpError()
                 << "reads a result that has no value before";
        Input input;
        if (failed(readInput(generic, init, input)))
          return failure();
        part.inputs.push_back(std::move(input));
      }
    } else if (failed(readReduction(part))) {
      return failure();
    }
    FailureOr<unsigned> storage =
        addStorage(generic, generic.getResult(number));
    if (failed(storage))
      return failure();
    part.result = *storage;
    program.ops.push_back(std::move(part));
  }
  return success();
}

LogicalResult Reader::readReturn(func::ReturnOp op) {
  if (!op.getNumOperands())
    return op.emitOpError() << "returns nothing";
  for (Value value : op.getOperands()) {
    auto found = views.find(value);
    if (found == views.end())
      return op.emitOpError() << "returns a tensor that no operation computes";
    const View &view = found->second;
    auto shape = cast<RankedTensorType>(value.getType()).getShape();
    for (auto [d, size] : llvm::enumerate(shape))
      if (view.offsets[d] < 0 ||
          view.offsets[d] + size > program.storages[view.storage].shape[d])
        return op.emitOpError() << "returns a padded tensor, which is nowhere "
                                   "stored; copy it first";
    program.results.push_back(view);
  }
  return success();
}

LogicalResult Reader::read(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return readConstant(constant);
  if (isa<tensor::EmptyOp>(op)) {
    empties.insert(op.getResult(0));
    return success();
  }
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    TypedAttr constant;
    if (!matchPattern(fill.getInputs()[0], m_Constant(&constant)))
      return fill.emitOpError() << "fills with a value that is no constant";
    if (failed(checkType(&op, fill.getResult(0).getType())))
      return failure();
    constants[fill.getResult(0)] = constant;
    return success();
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return readSlice(slice);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return readPad(pad);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return readGeneric(generic);
  if (auto end = dyn_cast<func::ReturnOp>(op))
    return readReturn(end);
  return op.emitOpError()
         << "is not lowered to the wafer, allowed are linalg operations, "
            "tensor.extract_slice, tensor.pad and constants";
}

FailureOr<Program> Reader::run() {
  func::FuncOp func = program.func;
  if (!func.getBody().hasOneBlock())
    return func.emitOpError() << "has several blocks, allowed is one";
  // All operations are read, so that each that is refused by itself is told;
  // what follows from a refused one is not.
  llvm::SmallPtrSet<Value, 8> refused;
  bool isRefused = false;
  for (BlockArgument argument : func.getArguments()) {
    FailureOr<unsigned> storage = failure();
    if (succeeded(checkSize(func, argument.getType())))
      storage = addStorage(func, argument);
    if (failed(storage)) {
      isRefused = true;
      refused.insert(argument);
      continue;
    }
    Storage &added = program.storages[*storage];
    added.argument = argument.getArgNumber();
    added.name = "arg" + std::to_string(argument.getArgNumber());
  }
  for (Operation &op : func.getBody().front()) {
    bool follows = llvm::any_of(op.getOperands(), [&](Value operand) {
      return refused.contains(operand);
    });
    bool fits = follows || llvm::all_of(op.getResultTypes(), [&](Type type) {
                  return succeeded(checkSize(&op, type));
                });
    if (!follows && fits && succeeded(read(op)))
      continue;
    isRefused = true;
    refused.insert_range(op.getResults());
  }
  if (isRefused)
    return failure();
  return std::move(program);
}

FailureOr<Program> linalg_to_csl::readProgram(func::FuncOp func) {
  return Reader(func).run();
}
