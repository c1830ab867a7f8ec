//===- Nest.cpp - Loops around scalar code -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nest.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

//===----------------------------------------------------------------------===//
// Dimensions of size one
//===----------------------------------------------------------------------===//

/// Groups of dimensions of the larger shape, one for each that is kept.
static SmallVector<ReassociationIndices> groupUnits(int64_t rank,
                                                    ArrayRef<unsigned> units) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices open;
  bool hasKept = false;
  for (int64_t i = 0; i < rank; ++i) {
    bool isUnit = llvm::is_contained(units, i);
    if (!isUnit && hasKept) {
      groups.push_back(std::move(open));
      open.clear();
    }
    hasKept |= !isUnit;
    open.push_back(i);
  }
  if (hasKept)
    groups.push_back(std::move(open));
  return groups;
}

Value sequin::normalize_linalg::dropUnitDims(OpBuilder &builder, Location loc,
                                             Value tensor,
                                             ArrayRef<unsigned> dims) {
  if (dims.empty())
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  return tensor::CollapseShapeOp::create(builder, loc, tensor,
                                         groupUnits(type.getRank(), dims));
}

Value sequin::normalize_linalg::addUnitDims(OpBuilder &builder, Location loc,
                                            Value tensor,
                                            ArrayRef<unsigned> dims) {
  if (dims.empty())
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank() + dims.size();
  SmallVector<int64_t> shape;
  for (int64_t i = 0, kept = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(dims, i) ? 1 : type.getDimSize(kept++));
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), tensor,
                                       groupUnits(rank, dims));
}

//===----------------------------------------------------------------------===//
// Nest
//===----------------------------------------------------------------------===//

Nest::Nest(Operation *root, ArrayRef<int64_t> sizes)
    : root(root), b(root), sizes(sizes) {
  block = &region.emplaceBlock();
  OpBuilder inside(root->getContext());
  inside.setInsertionPointToEnd(block);
  roots = linalg::YieldOp::create(inside, getLoc(), ValueRange());
  inside.setInsertionPoint(roots);
  s.emplace(inside, getLoc());
}

int64_t Nest::sizeOf(ArrayRef<unsigned> loops) const {
  int64_t size = 1;
  for (unsigned loop : loops)
    size *= sizes[loop];
  return size;
}

SmallVector<int64_t> Nest::shapeOf(ArrayRef<unsigned> loops) const {
  return llvm::map_to_vector(loops, [&](unsigned loop) { return sizes[loop]; });
}

LoopIds Nest::loopsOf(AffineMap map) const {
  LoopIds loops;
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    if (map.isFunctionOfDim(loop))
      loops.push_back(loop);
  return loops;
}

LoopIds Nest::loopsOf(Value value) {
  llvm::SmallBitVector found(sizes.size());
  SmallVector<Value> pending = {value};
  SmallPtrSet<Operation *, 16> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      for (unsigned loop : loopsOf(leafOf(argument).map))
        found.set(loop);
      continue;
    }
    if (seen.insert(next.getDefiningOp()).second)
      llvm::append_range(pending, next.getDefiningOp()->getOperands());
  }
  return LoopIds(found.set_bits_begin(), found.set_bits_end());
}

AffineMap Nest::mapOf(ArrayRef<unsigned> loops) const {
  SmallVector<AffineExpr> exprs;
  for (unsigned loop : loops)
    exprs.push_back(getAffineDimExpr(loop, root->getContext()));
  return AffineMap::get(sizes.size(), 0, exprs, root->getContext());
}

AffineMap Nest::restrict(AffineMap map, ArrayRef<unsigned> order) const {
  SmallVector<AffineExpr> dims(sizes.size(),
                               getAffineConstantExpr(0, root->getContext()));
  for (auto [i, loop] : llvm::enumerate(order))
    dims[loop] = getAffineDimExpr(i, root->getContext());
  return map.replaceDimsAndSymbols(dims, {}, order.size(), 0);
}

/// What the elements of a constant span.
static std::optional<IntRange> rangeOfConstant(Value tensor) {
  DenseIntElementsAttr elements;
  if (!matchPattern(tensor, m_Constant(&elements)) || elements.empty())
    return std::nullopt;
  auto fits = [](const APInt &value) { return value.isSignedIntN(32); };
  IntRange range{INT32_MAX, INT32_MIN};
  auto add = [&](const APInt &value) {
    range.low = std::min(range.low, value.getSExtValue());
    range.high = std::max(range.high, value.getSExtValue());
    return fits(value);
  };
  if (elements.isSplat())
    return add(elements.getSplatValue<APInt>()) ? std::optional(range)
                                                : std::nullopt;
  for (const APInt &value : elements.getValues<APInt>())
    if (!add(value))
      return std::nullopt;
  return range;
}

/// The offset of an expression that is one loop, plus a constant or not.
static std::optional<std::pair<AffineDimExpr, int64_t>>
matchShiftedLoop(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return std::pair(dim, int64_t(0));
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(sum.getLHS());
  auto offset = dyn_cast<AffineConstantExpr>(sum.getRHS());
  if (!dim || !offset)
    return std::nullopt;
  return std::pair(dim, offset.getValue());
}

Value Nest::cutToLoops(Value tensor, SmallVectorImpl<AffineExpr> &exprs) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> offsets, extents,
      strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (auto [size, expr] : llvm::zip(type.getShape(), exprs)) {
    int64_t offset = 0, extent = size;
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      offset = constant.getValue();
      extent = 1;
      expr = getAffineConstantExpr(0, root->getContext());
    } else if (auto shifted = matchShiftedLoop(expr)) {
      offset = shifted->second;
      extent = sizes[shifted->first.getPosition()];
      expr = shifted->first;
    }
    offsets.push_back(b.getIndexAttr(offset));
    extents.push_back(b.getIndexAttr(extent));
    shape.push_back(extent);
  }
  if (shape == type.getShape())
    return tensor;
  return tensor::ExtractSliceOp::create(b, getLoc(), type.clone(shape), tensor,
                                        offsets, extents, strides);
}

BlockArgument Nest::addElement(Value tensor, AffineMap map) {
  // A loop of one iteration adds nothing to a sum.
  SmallVector<AffineExpr> exprs;
  SmallVector<AffineExpr> ones;
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    ones.push_back(sizes[loop] == 1
                       ? getAffineConstantExpr(0, root->getContext())
                       : getAffineDimExpr(loop, root->getContext()));
  for (AffineExpr expr : map.getResults())
    exprs.push_back(isa<AffineDimExpr>(expr) ? expr : expr.replaceDims(ones));
  std::optional<IntRange> range = rangeOfConstant(tensor);
  tensor = cutToLoops(tensor, exprs);
  LoopIds seen;
  SmallVector<unsigned> units;
  SmallVector<AffineExpr> kept;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [i, expr] : llvm::enumerate(exprs)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    bool repeated = dim && llvm::is_contained(seen, dim.getPosition());
    if (dim)
      seen.push_back(dim.getPosition());
    if (type.getDimSize(i) == 1 && (!dim || repeated))
      units.push_back(i);
    else
      kept.push_back(expr);
  }
  tensor = dropUnitDims(b, getLoc(), tensor, units);
  leaves.push_back(
      {tensor, AffineMap::get(sizes.size(), 0, kept, root->getContext())});
  BlockArgument element = block->addArgument(type.getElementType(), getLoc());
  if (range)
    s->ranges[element] = *range;
  return element;
}

Value Nest::widen(Value value) {
  Type type = value.getType();
  if (type.isF32() || type.isInteger(32))
    return value;
  return isa<FloatType>(type) ? s->cast<arith::ExtFOp>(s->f32(), value)
                              : s->cast<arith::ExtSIOp>(s->i32(), value);
}

Value Nest::addLeaf(Value tensor, AffineMap map) {
  return widen(addElement(tensor, map));
}

Value Nest::addLeaf(Value tensor, ArrayRef<unsigned> loops) {
  return addLeaf(tensor, mapOf(loops));
}

unsigned Nest::addRoot(Value value) {
  roots->insertOperands(roots->getNumOperands(), value);
  return roots->getNumOperands() - 1;
}

Value Nest::getRootValue(unsigned index) { return roots->getOperand(index); }

//===----------------------------------------------------------------------===//
// Single operations
//===----------------------------------------------------------------------===//

Value Nest::makeConstant(Type type, Attribute value) {
  return arith::ConstantOp::create(b, getLoc(), cast<TypedAttr>(value));
}

Value Nest::makeFill(ArrayRef<unsigned> loops, TypedAttr value) {
  Value empty =
      tensor::EmptyOp::create(b, getLoc(), shapeOf(loops), value.getType());
  Value constant = arith::ConstantOp::create(b, getLoc(), value);
  return linalg::FillOp::create(b, getLoc(), constant, empty).getResult(0);
}

Value Nest::makeZeros(ArrayRef<unsigned> loops, Type type) {
  return makeFill(loops, b.getZeroAttr(type));
}

linalg::GenericOp
Nest::makeGeneric(ArrayRef<Leaf> inputs, Value init, ArrayRef<unsigned> order,
                  ArrayRef<unsigned> result,
                  function_ref<Value(OpBuilder &, ValueRange)> body) {
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (const Leaf &leaf : inputs) {
    tensors.push_back(leaf.tensor);
    maps.push_back(restrict(leaf.map, order));
  }
  maps.push_back(restrict(mapOf(result), order));
  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop : order)
    iterators.push_back(llvm::is_contained(result, loop)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  return linalg::GenericOp::create(
      b, getLoc(), init.getType(), tensors, init, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(nested, loc, body(nested, arguments));
      });
}

Value Nest::makeCopy(Value tensor, AffineMap map, ArrayRef<unsigned> order) {
  auto type = cast<RankedTensorType>(tensor.getType());
  AffineMap inner = restrict(map, order);
  if (inner.isIdentity())
    return tensor;
  Value empty = tensor::EmptyOp::create(b, getLoc(), shapeOf(order),
                                        type.getElementType());
  return makeGeneric(
             {{tensor, map}}, empty, order, order,
             [](OpBuilder &, ValueRange arguments) { return arguments[0]; })
      .getResult(0);
}

void Nest::resolve(Leaf &leaf) {
  if (leaf.map.isProjectedPermutation())
    return;
  LoopIds loops = loopsOf(leaf.map);
  leaf = {makeCopy(leaf.tensor, leaf.map, loops), mapOf(loops)};
}
