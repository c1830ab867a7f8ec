//===- Slices.cpp - Slices at computed offsets ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice that is cut out reads each element at a computed index. Rows that are
// inserted, whole in all dimensions but the one that is computed, are a scatter
// by the list of their positions. Any other slice makes each element of the
// result a choice: that of the slice where the position lies in it, else the
// old one. A row is chosen by a comparison of positions alone, since nothing of
// the slice's own index is computed along a dimension of one element.
//
// A slice that does not lie in its tensor has no meaning; it ends the run, as
// an element that is read outside of its tensor does.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "sequin/Conversion/Attributes.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::normalize_linalg;

/// Numbers between which an index lies, as clamping it says; looks `depth`
/// operations back.
static std::pair<int64_t, int64_t> boundsOf(Value index, unsigned depth = 6) {
  constexpr std::pair<int64_t, int64_t> kUnknown{INT64_MIN, INT64_MAX};
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return {constant.getSExtValue(), constant.getSExtValue()};
  Operation *op = index.getDefiningOp();
  if (depth == 0 ||
      !isa_and_nonnull<arith::IndexCastOp, arith::MaxSIOp, arith::MinSIOp>(op))
    return kUnknown;
  auto x = boundsOf(op->getOperand(0), depth - 1);
  if (isa<arith::IndexCastOp>(op)) {
    // What does not fit is cut.
    unsigned width = index.getType().isIndex()
                         ? 64
                         : index.getType().getIntOrFloatBitWidth();
    bool fits = llvm::isIntN(width, x.first) && llvm::isIntN(width, x.second);
    return fits ? x : kUnknown;
  }
  auto y = boundsOf(op->getOperand(1), depth - 1);
  return isa<arith::MaxSIOp>(op) ? std::pair(std::max(x.first, y.first),
                                             std::max(x.second, y.second))
                                 : std::pair(std::min(x.first, y.first),
                                             std::min(x.second, y.second));
}

/// The table of an offset's values is a constant that the host sends.
constexpr int64_t kMostOffsets = 1 << 24;

/// `offset`, which ends the run if it is none of the first `count` numbers.
/// What comes of it lies between these as its computation says.
static Value checkOffset(OpBuilder &b, Location loc, Value offset,
                         int64_t count) {
  auto [low, high] = boundsOf(offset);
  if (low >= 0 && high < count)
    return offset;
  SmallVector<int32_t> positions;
  for (int64_t i = 0; i < count; ++i)
    positions.push_back(static_cast<int32_t>(i));
  auto type = RankedTensorType::get({count}, b.getI32Type());
  Value table = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef(positions)));
  Value checked = arith::IndexCastOp::create(
      b, loc, b.getIndexType(),
      tensor::ExtractOp::create(b, loc, table, offset));
  checked = arith::MaxSIOp::create(b, loc, checked,
                                   arith::ConstantIndexOp::create(b, loc, 0));
  return arith::MinSIOp::create(
      b, loc, checked, arith::ConstantIndexOp::create(b, loc, count - 1));
}

/// Offsets as values; null where one is a constant.
template <typename SliceOp>
static FailureOr<SmallVector<Value>> readOffsets(SliceOp op) {
  if (!llvm::all_of(op.getStaticSizes(), ShapedType::isStatic) ||
      !llvm::all_of(op.getStaticStrides(), ShapedType::isStatic))
    return failure();
  SmallVector<Value> offsets;
  for (OpFoldResult offset : op.getMixedOffsets())
    offsets.push_back(dyn_cast<Value>(offset));
  return offsets;
}

bool sequin::normalize_linalg::expandSlice(RewriterBase &b,
                                           tensor::ExtractSliceOp op) {
  FailureOr<SmallVector<Value>> offsets = readOffsets(op);
  RankedTensorType type = op.getType(), source = op.getSourceType();
  if (failed(offsets) || llvm::none_of(*offsets, [](Value v) { return !!v; }) ||
      !type.hasStaticShape() || !source.hasStaticShape())
    return false;
  Location loc = op.getLoc();
  for (auto [dim, offset] : llvm::enumerate(*offsets))
    if (offset) {
      int64_t reach = (op.getStaticSize(dim) - 1) * op.getStaticStride(dim);
      int64_t count = source.getDimSize(dim) - reach;
      if (op.getStaticStride(dim) < 1 || count < 1 || count > kMostOffsets)
        return false;
      offset = checkOffset(b, loc, offset, count);
    }
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange(), empty,
      {b.getMultiDimIdentityMap(type.getRank())}, kinds,
      [&](OpBuilder &n, Location at, ValueRange) {
        SmallVector<Value> position;
        unsigned loop = 0;
        for (int64_t dim = 0; dim < source.getRank(); ++dim) {
          Value index = (*offsets)[dim];
          if (!index)
            index =
                arith::ConstantIndexOp::create(n, at, op.getStaticOffset(dim));
          if (!dropped.test(dim)) {
            Value step = linalg::IndexOp::create(n, at, loop++);
            if (int64_t stride = op.getStaticStride(dim); stride != 1)
              step = arith::MulIOp::create(
                  n, at, step, arith::ConstantIndexOp::create(n, at, stride));
            index = arith::AddIOp::create(n, at, index, step);
          }
          position.push_back(index);
        }
        Value element =
            tensor::ExtractOp::create(n, at, op.getSource(), position);
        linalg::YieldOp::create(n, at, element);
      });
  b.replaceOp(op, generic.getResults());
  return true;
}

StringRef sequin::normalize_linalg::whyNotScattered(RankedTensorType into,
                                                    unsigned dim,
                                                    int64_t count) {
  Type element = into.getElementType();
  int64_t bits =
      element.isIndex() ? 64 : storedType(element).getIntOrFloatBitWidth();
  int64_t rows = into.getDimSize(dim);
  if (bits < 8)
    return "elements are half a byte";
  if (rows < 2)
    return "there is one row only";
  if (rows > INT32_MAX)
    return "positions are no numbers of i32";
  // Writes of a few bytes follow each other: of very many the choice is faster.
  constexpr int64_t kShortBytes = 64, kMostShortRows = 64;
  int64_t run = bits / 8;
  for (int64_t size : into.getShape().drop_front(dim + 1))
    run = std::min(kShortBytes, run * std::min(kShortBytes, size));
  return run < kShortBytes && count > kMostShortRows ? "rows are short and many"
                                                     : "";
}

/// Why the slice is no rows of one dimension at a computed position; nothing if
/// it is, of dimension `rows`.
static StringRef whyNoRows(tensor::InsertSliceOp op, ArrayRef<Value> offsets,
                           unsigned &rows) {
  int64_t computed = 0;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    if (offset) {
      rows = dim;
      ++computed;
    } else if (op.getStaticOffset(dim) != 0 ||
               op.getStaticSize(dim) != op.getType().getDimSize(dim)) {
      return "it is a part of rows";
    }
  }
  return computed > 1
             ? "positions are computed in several dimensions"
             : whyNotScattered(op.getType(), rows, op.getStaticSize(rows));
}

/// What is inserted in the dimensions of the result, those along `rows` first,
/// as a scatter takes it.
static Value moveRowsFirst(RewriterBase &b, tensor::InsertSliceOp op,
                           unsigned rows) {
  Location loc = op.getLoc();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Value source = addUnitDims(b, loc, op.getSource(),
                             SmallVector<unsigned>(dropped.set_bits()));
  if (rows > 0) {
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> order{rows}, shape{type.getDimSize(rows)};
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (dim != rows) {
        order.push_back(dim);
        shape.push_back(type.getDimSize(dim));
      }
    Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
    source = linalg::TransposeOp::create(b, loc, source, empty, order)
                 .getResult()[0];
  }
  return source;
}

/// Rows of dimension `rows` go where a list of positions says, one after the
/// other; the scatter ends the run where one of them is none of the tensor.
static void insertRows(RewriterBase &b, tensor::InsertSliceOp op, Value offset,
                       unsigned rows) {
  Location loc = op.getLoc();
  int64_t count = op.getStaticSize(rows);
  Type i32 = b.getI32Type();
  Value empty =
      tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{count, 1}, i32);
  SmallVector<utils::IteratorType> kinds(2, utils::IteratorType::parallel);
  auto places = linalg::GenericOp::create(
      b, loc, empty.getType(), ValueRange(), empty,
      {b.getMultiDimIdentityMap(2)}, kinds,
      [&](OpBuilder &n, Location at, ValueRange) {
        Value place = arith::IndexCastOp::create(n, at, i32, offset);
        if (count > 1)
          place = arith::AddIOp::create(
              n, at, place,
              arith::IndexCastOp::create(n, at, i32,
                                         linalg::IndexOp::create(n, at, 0)));
        linalg::YieldOp::create(n, at, place);
      });
  b.replaceOpWithNewOp<tensor::ScatterOp>(
      op, op.getType(), moveRowsFirst(b, op, rows), op.getDest(),
      places.getResult(0), ArrayRef<int64_t>{rows}, /*unique=*/true);
}

bool sequin::normalize_linalg::expandSlice(RewriterBase &b,
                                           tensor::InsertSliceOp op) {
  FailureOr<SmallVector<Value>> offsets = readOffsets(op);
  RankedTensorType type = op.getType(), source = op.getSourceType();
  if (failed(offsets) || llvm::none_of(*offsets, [](Value v) { return !!v; }) ||
      !type.hasStaticShape() || !source.hasStaticShape() ||
      llvm::any_of(op.getStaticStrides(), [](int64_t s) { return s != 1; }))
    return false;
  unsigned rows = 0;
  StringRef why = whyNoRows(op, *offsets, rows);
  if (why.empty()) {
    insertRows(b, op, (*offsets)[rows], rows);
    return true;
  }
  Location loc = op.getLoc();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, offset] : llvm::enumerate(*offsets)) {
    int64_t count = type.getDimSize(dim) - op.getStaticSize(dim) + 1;
    if (offset && (count < 1 || count > kMostOffsets))
      return false;
    if (offset)
      offset = checkOffset(b, loc, offset, count);
  }
  int64_t rank = type.getRank();
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange{op.getDest()}, empty, {identity, identity},
      kinds, [&](OpBuilder &n, Location at, ValueRange arguments) {
        using P = arith::CmpIPredicate;
        auto constant = [&](int64_t number) -> Value {
          return arith::ConstantIndexOp::create(n, at, number);
        };
        Value inside;
        auto require = [&](P predicate, Value x, Value y) {
          Value holds = arith::CmpIOp::create(n, at, predicate, x, y);
          inside = inside ? arith::AndIOp::create(n, at, inside, holds) : holds;
        };
        SmallVector<Value> position;
        for (int64_t dim = 0; dim < rank; ++dim) {
          Value index = linalg::IndexOp::create(n, at, dim);
          int64_t size = op.getStaticSize(dim);
          Value offset = (*offsets)[dim];
          bool isWhole = !offset && size == type.getDimSize(dim);
          if (!offset)
            offset = constant(op.getStaticOffset(dim));
          Value own = index;
          if (size == 1) {
            own = constant(0);
            if (!isWhole)
              require(P::eq, index, offset);
          } else if (!isWhole) {
            own = arith::SubIOp::create(n, at, index, offset);
            require(P::sge, own, constant(0));
            require(P::slt, own, constant(size));
          }
          if (!dropped.test(dim))
            position.push_back(own);
        }
        auto read = [&](OpBuilder &r, Location where) {
          Value element =
              tensor::ExtractOp::create(r, where, op.getSource(), position);
          scf::YieldOp::create(r, where, element);
        };
        auto keep = [&](OpBuilder &r, Location where) {
          scf::YieldOp::create(r, where, arguments[0]);
        };
        auto choice = scf::IfOp::create(n, at, inside, read, keep);
        linalg::YieldOp::create(n, at, choice.getResult(0));
      });
  generic->setAttr(kNoteAttrName,
                   b.getStringAttr("a choice for every element: " + why));
  b.replaceOp(op, generic.getResults());
  return true;
}
