//===- Gathers.cpp - Elements that an index names ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

/// Whether positions of these dimensions are numbers of i32, as indices are.
static bool fitsIndex(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    if (size > INT32_MAX || (count *= size) > INT32_MAX)
      return false;
  return true;
}

/// The row that the machine's gather looks for and has not.
static constexpr int32_t kNoRow = -1;

Value sequin::normalize_linalg::rowOf(ScalarBuilder &s, ArrayRef<int64_t> sizes,
                                      ArrayRef<Value> coordinates) {
  if (!fitsIndex(sizes))
    return {};
  Value row, outside;
  for (auto [size, word] : llvm::zip_equal(sizes, coordinates)) {
    row = row ? s.add(s.mul(row, s.constant(static_cast<int32_t>(size))), word)
              : word;
    IntRange range = s.range(word);
    // The machine looks at rows. What lies past the end of one dimension would
    // be a row of the next.
    if (range.fits({0, size - 1}) || (sizes.size() == 1 && size > 1))
      continue;
    Value last = s.constant(static_cast<int32_t>(size - 1));
    Value bad = s.bitOr(s.less(word, s.constant(0)), s.less(last, word));
    outside = outside ? s.bitOr(outside, bad) : bad;
  }
  return outside ? s.select(outside, s.constant(kNoRow), row) : row;
}

Value sequin::normalize_linalg::gather(Nest &nest, Value source,
                                       ArrayRef<unsigned> dims, Value indices,
                                       IntRange range) {
  OpBuilder &b = nest.builder();
  Location loc = nest.getLoc();
  auto type = cast<RankedTensorType>(source.getType());
  // The dimensions that are indexed become the leading one.
  Nest whole(nest.getRoot(), type.getShape());
  LoopIds order(dims.begin(), dims.end());
  for (unsigned i = 0; i < type.getRank(); ++i)
    if (!llvm::is_contained(dims, i))
      order.push_back(i);
  LoopIds all = llvm::to_vector<6>(llvm::seq<unsigned>(type.getRank()));
  source = whole.makeCopy(source, whole.mapOf(all), order);
  if (dims.size() > 1) {
    SmallVector<ReassociationIndices> groups(1);
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (i < static_cast<int64_t>(dims.size()))
        groups[0].push_back(i);
      else
        groups.push_back({i});
    source = tensor::CollapseShapeOp::create(b, loc, source, groups);
  }
  auto sourceType = cast<RankedTensorType>(source.getType());

  // One list of indices, [n, 1].
  auto indexType = cast<RankedTensorType>(indices.getType());
  int64_t count = indexType.getNumElements(), rank = indexType.getRank();
  auto listType = RankedTensorType::get({count, 1}, indexType.getElementType());
  SmallVector<ReassociationIndices> groups(rank ? 1 : 0);
  for (int64_t i = 0; i < rank; ++i)
    groups[0].push_back(i);
  Value flat = indices;
  if (rank > 1)
    flat = tensor::CollapseShapeOp::create(b, loc, indices, groups);
  SmallVector<ReassociationIndices> unit;
  if (rank)
    unit.push_back({0, 1});
  Value list = tensor::ExpandShapeOp::create(b, loc, listType, flat, unit);

  SmallVector<int64_t> shape = {count};
  llvm::append_range(shape, sourceType.getShape().drop_front());
  Value rows;
  bool isOne = sourceType.getDimSize(0) == 1;
  if (isOne && !range.fits({0, 0})) {
    // The machine gathers from two rows and more.
    SmallVector<OpFoldResult> low(sourceType.getRank(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> high = low;
    high.front() = b.getIndexAttr(1);
    SmallVector<int64_t> padded(sourceType.getShape());
    padded.front() = 2;
    Value zero = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(sourceType.getElementType()));
    source = tensor::PadOp::create(
        b, loc, RankedTensorType::get(padded, sourceType.getElementType()),
        source, low, high, zero);
    isOne = false;
  }
  if (isOne) {
    Nest copies(nest.getRoot(), shape);
    SmallVector<AffineExpr> exprs = {b.getAffineConstantExpr(0)};
    for (unsigned i = 1; i < shape.size(); ++i)
      exprs.push_back(b.getAffineDimExpr(i));
    rows = copies.makeCopy(
        source, AffineMap::get(shape.size(), 0, exprs, b.getContext()),
        llvm::to_vector<6>(llvm::seq<unsigned>(shape.size())));
  } else {
    rows = tensor::GatherOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), source,
        list, ArrayRef<int64_t>{0});
  }
  if (rank == 1)
    return rows;
  SmallVector<int64_t> full(indexType.getShape());
  llvm::append_range(full, sourceType.getShape().drop_front());
  if (rank == 0)
    return dropUnitDims(b, loc, rows, {0});
  for (int64_t i = rank; i < static_cast<int64_t>(full.size()); ++i)
    groups.push_back({i});
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(full, type.getElementType()), rows, groups);
}

AffineExpr sequin::normalize_linalg::getAffineIndex(Value index) {
  MLIRContext *context = index.getContext();
  IntegerAttr attr;
  if (matchPattern(index, m_Constant(&attr)))
    return getAffineConstantExpr(attr.getValue().getSExtValue(), context);
  Operation *body = index.getDefiningOp();
  if (auto loop = dyn_cast_or_null<linalg::IndexOp>(body))
    return getAffineDimExpr(loop.getDim(), context);
  if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(
          body))
    return getAffineIndex(body->getOperand(0));
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(body))
    return {};
  AffineExpr x = getAffineIndex(body->getOperand(0));
  AffineExpr y = getAffineIndex(body->getOperand(1));
  if (!x || !y)
    return {};
  if (isa<arith::AddIOp>(body))
    return x + y;
  if (isa<arith::SubIOp>(body))
    return x - y;
  if (!isa<AffineConstantExpr>(x) && !isa<AffineConstantExpr>(y))
    return {};
  return x * y;
}

Value BodyReader::readExtract(tensor::ExtractOp extract) {
  Value source = extract.getTensor();
  auto type = dyn_cast<RankedTensorType>(source.getType());
  if (!type || !type.hasStaticShape() ||
      op->isAncestor(source.getParentBlock()->getParentOp())) {
    refuse(extract) << " of " << source.getType()
                    << ", only elements of tensors of static shape that are "
                       "computed outside the body can be read";
    return {};
  }
  SmallVector<AffineExpr> exprs;
  SmallVector<unsigned> dims;
  SmallVector<Value> computed;
  for (auto [i, index] : llvm::enumerate(extract.getIndices())) {
    if (AffineExpr expr = getAffineIndex(index)) {
      exprs.push_back(expr);
    } else {
      dims.push_back(i);
      computed.push_back(index);
    }
  }
  LoopIds loops;
  if (!dims.empty()) {
    // Apart: what is materialized there must not replace values read here.
    Nest apart(op, nest.getSizes());
    BodyReader reader(apart, op);
    SmallVector<int64_t> sizes;
    SmallVector<Value> words;
    for (auto [dim, index] : llvm::zip(dims, computed)) {
      Value word = reader.read(index);
      if (!word)
        return {};
      sizes.push_back(type.getDimSize(dim));
      words.push_back(word);
    }
    Value row = rowOf(apart.scalars(), sizes, words);
    if (!row) {
      refuse(extract) << " of " << type
                      << ", whose positions are not numbers of i32";
      return {};
    }
    IntRange range = apart.scalars().range(row);
    unsigned root = apart.addRoot(row);
    loops = apart.loopsOf(row);
    source =
        gather(apart, source, dims, apart.materializeRoot(root, loops), range);
  }
  SmallVector<AffineExpr> all;
  for (unsigned loop : loops)
    all.push_back(getAffineDimExpr(loop, op.getContext()));
  llvm::append_range(all, exprs);
  AffineMap map =
      AffineMap::get(nest.getSizes().size(), 0, all, op.getContext());
  return fromElement(nest.addElement(source, map),
                     extract.getResult().getType());
}
