//===- Scatters.cpp - Scatters as lists of rows, or as gathers -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of one dimension are scattered by the DMA engine. Of several dimensions,
// every place of the result looks for the index that names it, of which there
// is at most one: the largest position whose index is the place, -1 if there is
// none. Then the place reads that row of the source, or keeps what it has.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

/// The dimensions from `first` on as single ones, those before as one.
static Value collapseLeading(RewriterBase &b, Location loc, Value tensor,
                             int64_t first) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (first == 1)
    return tensor;
  if (first == 0)
    return addUnitDims(b, loc, tensor, {0});
  SmallVector<ReassociationIndices> groups(1);
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i < first)
      groups[0].push_back(i);
    else
      groups.push_back({i});
  return tensor::CollapseShapeOp::create(b, loc, tensor, groups);
}

/// An index of any type as i32.
static Value toWord(OpBuilder &b, Location loc, Value index) {
  Type type = index.getType(), i32 = b.getI32Type();
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, i32, index);
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 32)
    return arith::ExtSIOp::create(b, loc, i32, index);
  return width == 32 ? index : arith::TruncIOp::create(b, loc, i32, index);
}

/// Rows of one dimension: their positions as one list of i32.
static bool listRows(RewriterBase &b, tensor::ScatterOp op) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> dims = op.getScatterDims();
  RankedTensorType indices = op.getIndicesType();
  int64_t count = indices.getNumElements(), leading = indices.getRank() - 1;
  if (dims.size() != 1 || !op.getUnique() ||
      !whyNotScattered(op.getDestType(), dims[0], count).empty())
    return false;
  Value list = collapseLeading(b, loc, op.getIndices(), leading);
  if (!indices.getElementType().isInteger(32)) {
    Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{count, 1},
                                          b.getI32Type());
    AffineMap identity = b.getMultiDimIdentityMap(2);
    SmallVector<utils::IteratorType> kinds(2, utils::IteratorType::parallel);
    list =
        linalg::GenericOp::create(
            b, loc, empty.getType(), list, empty, {identity, identity}, kinds,
            [](OpBuilder &n, Location at, ValueRange arguments) {
              linalg::YieldOp::create(n, at, toWord(n, at, arguments[0]));
            })
            .getResult(0);
  }
  b.replaceOpWithNewOp<tensor::ScatterOp>(
      op, op.getType(), collapseLeading(b, loc, op.getSource(), leading),
      op.getDest(), list, dims, /*unique=*/true);
  return true;
}

/// For each place of the scattered dimensions the row that goes there, or -1.
static Value findRows(RewriterBase &b, tensor::ScatterOp op, Value indices) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> dims = op.getScatterDims();
  unsigned count = dims.size();
  Type i32 = b.getI32Type();
  SmallVector<int64_t> shape;
  for (int64_t dim : dims)
    shape.push_back(op.getDestType().getDimSize(dim));
  // Loops over places, then one over rows.
  SmallVector<AffineMap> maps;
  for (unsigned i = 0; i < count; ++i)
    maps.push_back(AffineMap::get(
        count + 1, 0, {b.getAffineDimExpr(count), b.getAffineConstantExpr(i)},
        b.getContext()));
  maps.push_back(AffineMap::getMultiDimIdentityMap(count + 1, b.getContext())
                     .dropResult(count));
  SmallVector<utils::IteratorType> kinds(count, utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  Value none = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(-1));
  Value empty = tensor::EmptyOp::create(b, loc, shape, i32);
  Value init = linalg::FillOp::create(b, loc, none, empty).getResult(0);
  return linalg::GenericOp::create(
             b, loc, init.getType(), SmallVector<Value>(count, indices), init,
             maps, kinds,
             [&](OpBuilder &n, Location at, ValueRange arguments) {
               Value row = linalg::IndexOp::create(n, at, count);
               Value found = toWord(n, at, row);
               for (unsigned i = 0; i < count; ++i) {
                 Value place = linalg::IndexOp::create(n, at, i);
                 Value isHere = arith::CmpIOp::create(
                     n, at, arith::CmpIPredicate::eq,
                     toWord(n, at, arguments[i]), toWord(n, at, place));
                 found = arith::SelectOp::create(n, at, isHere, found, none);
               }
               found = arith::MaxSIOp::create(n, at, found, arguments.back());
               linalg::YieldOp::create(n, at, found);
             })
      .getResult(0);
}

void sequin::normalize_linalg::expandScatter(RewriterBase &b,
                                             tensor::ScatterOp op) {
  if (listRows(b, op))
    return;
  Location loc = op.getLoc();
  ArrayRef<int64_t> dims = op.getScatterDims();
  int64_t leading = op.getIndicesType().getRank() - 1;
  auto destType = op.getDestType();
  int64_t rank = destType.getRank();
  bool keepsDims = op.getSourceType().getRank() == leading + rank;
  Value rows =
      findRows(b, op, collapseLeading(b, loc, op.getIndices(), leading));
  Value source = collapseLeading(b, loc, op.getSource(), leading);

  SmallVector<AffineExpr> places;
  for (int64_t dim : dims)
    places.push_back(b.getAffineDimExpr(dim));
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps = {
      AffineMap::get(rank, 0, places, b.getContext()), identity, identity};
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value empty = tensor::EmptyOp::create(b, loc, destType.getShape(),
                                        destType.getElementType());
  auto generic = linalg::GenericOp::create(
      b, loc, destType, ValueRange{rows, op.getDest()}, empty, maps, kinds,
      [&](OpBuilder &n, Location at, ValueRange arguments) {
        Value row = arith::MaxSIOp::create(n, at, arguments[0], zero);
        SmallVector<Value> position = {
            arith::IndexCastOp::create(n, at, n.getIndexType(), row)};
        for (int64_t dim = 0; dim < rank; ++dim) {
          bool isPlace = llvm::is_contained(dims, dim);
          if (isPlace && keepsDims)
            position.push_back(arith::ConstantIndexOp::create(n, at, 0));
          else if (!isPlace)
            position.push_back(linalg::IndexOp::create(n, at, dim));
        }
        Value element = tensor::ExtractOp::create(n, at, source, position);
        Value isKept = arith::CmpIOp::create(n, at, arith::CmpIPredicate::slt,
                                             arguments[0], zero);
        Value result =
            arith::SelectOp::create(n, at, isKept, arguments[1], element);
        linalg::YieldOp::create(n, at, result);
      });
  b.replaceOp(op, generic.getResults());
}
