//===- TensorOps.cpp - Operations that move elements ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

static Type withElement(Type type, Type element) {
  return cast<RankedTensorType>(type).clone(element);
}

static Type elementOfTensor(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

/// A constant in the type its tensor is kept in: truth values in i8, i64 and
/// index in i32 if all of them fit.
static TypedAttr storedConstant(ElementsAttr elements) {
  auto type = dyn_cast<RankedTensorType>(elements.getType());
  if (!type || !type.getElementType().isIntOrIndex())
    return {};
  auto dense = dyn_cast<DenseIntElementsAttr>(elements);
  unsigned width = type.getElementType().isIndex()
                       ? 64
                       : type.getElementType().getIntOrFloatBitWidth();
  if (!dense || (width != 1 && width != 64))
    return {};
  unsigned stored = width == 1 ? 8 : 32;
  auto fits = [&](const APInt &value) {
    return width == 1 || value.isSignedIntN(stored);
  };
  // A splat has any number of elements.
  if (dense.isSplat() ? !fits(dense.getSplatValue<APInt>())
                      : !llvm::all_of(dense.getValues<APInt>(), fits))
    return {};
  return dense.mapValues(
      IntegerType::get(type.getContext(), stored), [&](const APInt &value) {
        return width == 1 ? value.zext(stored) : value.trunc(stored);
      });
}

static LogicalResult rewriteConstant(arith::ConstantOp op) {
  auto elements = dyn_cast<ElementsAttr>(op.getValue());
  if (!elements)
    return success();
  if (TypedAttr stored = storedConstant(elements)) {
    OpBuilder b(op);
    Value constant = arith::ConstantOp::create(b, op.getLoc(), stored);
    op.replaceAllUsesWith(constant);
    op.erase();
  }
  return success();
}

/// A slice of the rank of what it is cut from; dimensions of size one go in an
/// operation of their own.
static LogicalResult rewriteExtract(tensor::ExtractSliceOp op) {
  if (!llvm::all_of(op.getStaticOffsets(), ShapedType::isStatic) ||
      !llvm::all_of(op.getStaticSizes(), ShapedType::isStatic) ||
      !llvm::all_of(op.getStaticStrides(), ShapedType::isStatic))
    return op.emitOpError()
           << "has offsets, sizes or strides that are computed, "
              "only constant ones can be lowered: gather "
              "instead, or unroll the loop around it";
  OpBuilder b(op);
  Type element = elementOfTensor(op.getSource());
  auto full = RankedTensorType::get(op.getStaticSizes(), element);
  Value slice = tensor::ExtractSliceOp::create(
      b, op.getLoc(), full, op.getSource(), op.getMixedOffsets(),
      op.getMixedSizes(), op.getMixedStrides());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  slice = dropUnitDims(b, op.getLoc(), slice,
                       SmallVector<unsigned>(dropped.set_bits()));
  op.replaceAllUsesWith(slice);
  op.erase();
  return success();
}

static LogicalResult rewriteInsert(tensor::InsertSliceOp op) {
  if (!llvm::all_of(op.getStaticOffsets(), ShapedType::isStatic) ||
      !llvm::all_of(op.getStaticSizes(), ShapedType::isStatic) ||
      !llvm::all_of(op.getStaticStrides(), ShapedType::isStatic))
    return op.emitOpError()
           << "has offsets, sizes or strides that are computed, "
              "only constant ones can be lowered: unroll the "
              "loop around it";
  OpBuilder b(op);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Value source = addUnitDims(b, op.getLoc(), op.getSource(),
                             SmallVector<unsigned>(dropped.set_bits()));
  Value result = tensor::InsertSliceOp::create(
      b, op.getLoc(), source, op.getDest(), op.getMixedOffsets(),
      op.getMixedSizes(), op.getMixedStrides());
  op.replaceAllUsesWith(result);
  op.erase();
  return success();
}

static LogicalResult rewritePad(tensor::PadOp op) {
  auto constants = [](ArrayRef<int64_t> list) {
    return llvm::all_of(list, ShapedType::isStatic);
  };
  if (!constants(op.getStaticLow()) || !constants(op.getStaticHigh()))
    return op.emitOpError() << "pads by a computed amount, only constant ones "
                               "can be lowered";
  Attribute attr;
  Value value = op.getConstantPaddingValue();
  if (!value || !matchPattern(value, m_Constant(&attr)))
    return op.emitOpError()
           << "pads with something else than a constant: insert slices of the "
              "tensor instead";
  OpBuilder b(op);
  Type element = elementOfTensor(op.getSource());
  if (element != value.getType()) {
    int64_t number = cast<IntegerAttr>(attr).getInt();
    if (value.getType().isInteger(1))
      number &= 1;
    attr = b.getIntegerAttr(element, number);
  }
  Value constant =
      arith::ConstantOp::create(b, op.getLoc(), cast<TypedAttr>(attr));
  Value result = tensor::PadOp::create(
      b, op.getLoc(), withElement(op.getResultType(), element), op.getSource(),
      op.getMixedLowPad(), op.getMixedHighPad(), constant);
  op.replaceAllUsesWith(result);
  op.erase();
  return success();
}

static LogicalResult rewriteReshape(tensor::ReshapeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!type || !type.hasStaticShape())
    return success(); // refused for its type
  OpBuilder b(op);
  Value value = op.getSource();
  auto source = cast<RankedTensorType>(value.getType());
  auto groupsOf = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups(1);
    for (int64_t i = 0; i < rank; ++i)
      groups[0].push_back(i);
    return groups;
  };
  Type element = source.getElementType();
  if (source.getRank() == 0)
    value = addUnitDims(b, op.getLoc(), value, {0});
  else if (source.getRank() > 1)
    value = tensor::CollapseShapeOp::create(b, op.getLoc(), value,
                                            groupsOf(source.getRank()));
  if (type.getRank() == 0)
    value = dropUnitDims(b, op.getLoc(), value, {0});
  else if (type.getRank() > 1)
    value = tensor::ExpandShapeOp::create(b, op.getLoc(),
                                          withElement(type, element), value,
                                          groupsOf(type.getRank()));
  op.replaceAllUsesWith(value);
  op.erase();
  return success();
}

static LogicalResult rewriteFill(linalg::FillOp op) {
  if (op->getNumResults() != 1)
    return success();
  Attribute attr;
  if (!matchPattern(op.value(), m_Constant(&attr)))
    return success();
  Type element = elementOfTensor(op.getOutputs()[0]);
  if (element == op.value().getType())
    return success();
  OpBuilder b(op);
  APInt number = cast<IntegerAttr>(attr).getValue();
  if (number.getBitWidth() > 32 && !number.isSignedIntN(32))
    return op.emitOpError() << "fills with " << number.getSExtValue()
                            << ", integers are at most i32 on the machine";
  int64_t word =
      number.getBitWidth() == 1 ? number.getZExtValue() : number.getSExtValue();
  Value constant = arith::ConstantOp::create(b, op.getLoc(),
                                             b.getIntegerAttr(element, word));
  Value result =
      linalg::FillOp::create(b, op.getLoc(), constant, op.getOutputs()[0])
          .getResult(0);
  op->getResult(0).replaceAllUsesWith(result);
  op.erase();
  return success();
}

static LogicalResult rewriteGather(tensor::GatherOp op) {
  Type index = elementOfTensor(op.getIndices());
  if (!index.isInteger(32) && !index.isInteger(16) && !index.isInteger(8))
    return op.emitOpError() << "has indices of " << index
                            << ", whose values are not known to fit in i32, "
                               "the DMA engine's indices: use i32";
  auto indices = op.getIndicesType();
  SmallVector<unsigned> dims(op.getGatherDims().begin(),
                             op.getGatherDims().end());
  OpBuilder b(op);
  // Coordinates as one position each.
  SmallVector<int64_t> nestSizes(indices.getShape().drop_back());
  Nest nest(op, nestSizes);
  SmallVector<int64_t> sizes;
  SmallVector<Value> words;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop = 0; loop < nestSizes.size(); ++loop)
      exprs.push_back(b.getAffineDimExpr(loop));
    exprs.push_back(b.getAffineConstantExpr(i));
    AffineMap map = AffineMap::get(nestSizes.size(), 0, exprs, b.getContext());
    words.push_back(nest.addLeaf(op.getIndices(), map));
    sizes.push_back(op.getSourceType().getDimSize(dim));
  }
  Value row = rowOf(nest.scalars(), sizes, words);
  if (!row)
    return op.emitOpError() << "gathers from " << op.getSourceType()
                            << ", whose positions are not numbers of i32";
  IntRange range = nest.scalars().range(row);
  LoopIds loops = llvm::to_vector<6>(llvm::seq<unsigned>(nestSizes.size()));
  Value list = nest.materializeRoot(nest.addRoot(row), loops);
  Value rows = gather(nest, op.getSource(), dims, list, range);
  auto type = op.getResultType();
  if (type.getRank() != cast<RankedTensorType>(rows.getType()).getRank()) {
    // The gathered dimensions stay, with size one.
    SmallVector<unsigned> units;
    for (unsigned dim : dims)
      units.push_back(nestSizes.size() + dim);
    rows = addUnitDims(b, op.getLoc(), rows, units);
  }
  op.replaceAllUsesWith(rows);
  op.erase();
  return success();
}

/// Rows by a list of positions (Slices.cpp), in the types that are stored.
static LogicalResult rewriteScatter(tensor::ScatterOp op) {
  OpBuilder b(op);
  Value result = tensor::ScatterOp::create(
      b, op.getLoc(), op.getDest().getType(), op.getSource(), op.getDest(),
      op.getIndices(), op.getScatterDims(), op.getUnique());
  op.replaceAllUsesWith(result);
  op.erase();
  return success();
}

LogicalResult sequin::normalize_linalg::rewriteTensorOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::ConstantOp>(rewriteConstant)
      .Case<tensor::ExtractSliceOp>(rewriteExtract)
      .Case<tensor::InsertSliceOp>(rewriteInsert)
      .Case<tensor::PadOp>(rewritePad)
      .Case<tensor::ReshapeOp>(rewriteReshape)
      .Case<tensor::GatherOp>(rewriteGather)
      .Case<tensor::ScatterOp>(rewriteScatter)
      .Case<linalg::FillOp>(rewriteFill)
      .Case<tensor::EmptyOp>([](tensor::EmptyOp empty) {
        Type element = empty.getType().getElementType();
        Type i32 = IntegerType::get(empty.getContext(), 32);
        empty.getResult().setType(empty.getType().clone(
            element.isIndex() || element.isInteger(64) ? i32
                                                       : storedType(element)));
        // The result of a fill has the type of what it fills.
        for (Operation *user : empty->getUsers())
          if (auto fill = dyn_cast<linalg::FillOp>(user);
              fill && fill->getNumResults() == 1)
            fill->getResult(0).setType(empty.getType());
        return success();
      })
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>([](auto reshape) {
        reshape.getResult().setType(cast<RankedTensorType>(withElement(
            reshape.getResult().getType(), elementOfTensor(reshape.getSrc()))));
        return success();
      })
      .Case<tensor::CastOp>([](tensor::CastOp cast) {
        auto from = dyn_cast<RankedTensorType>(cast.getSource().getType());
        auto to = dyn_cast<RankedTensorType>(cast.getType());
        if (from && to && from.getShape() == to.getShape()) {
          cast.replaceAllUsesWith(cast.getSource());
          cast.erase();
        }
        return success();
      })
      .Default([](Operation *) { return success(); });
}
