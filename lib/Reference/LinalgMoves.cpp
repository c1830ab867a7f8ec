//===- LinalgMoves.cpp - Tensor operations that move elements -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

namespace {
/// A box of a tensor's elements: along dimension i, every `steps[i]`-th from
/// `starts[i]` on.
struct Box {
  SmallVector<int64_t> shape; ///< of the tensor
  SmallVector<int64_t> starts, steps;

  static Box whole(ArrayRef<int64_t> shape) {
    return {SmallVector<int64_t>(shape), SmallVector<int64_t>(shape.size(), 0),
            SmallVector<int64_t>(shape.size(), 1)};
  }
  int64_t at(ArrayRef<int64_t> index) const {
    int64_t offset = 0;
    for (auto [i, size] : llvm::enumerate(shape))
      offset = offset * size + starts[i] + index[i] * steps[i];
    return offset;
  }
};
} // namespace

static void copy(const LinalgValue &from, const Box &source, LinalgValue &to,
                 const Box &target, ArrayRef<int64_t> sizes) {
  forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
    to.set(target.at(index), from.get(source.at(index)));
  });
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
struct Slice {
  Box box;
  SmallVector<int64_t> sizes;
};
} // namespace

static FailureOr<Slice> sliceOf(OffsetSizeAndStrideOpInterface op,
                                ArrayRef<int64_t> shape, Lookup lookup) {
  auto starts = numbersOf(op, op.getMixedOffsets(), lookup);
  auto sizes = numbersOf(op, op.getMixedSizes(), lookup);
  auto steps = numbersOf(op, op.getMixedStrides(), lookup);
  if (failed(starts) || failed(sizes) || failed(steps))
    return failure();
  Slice slice{{SmallVector<int64_t>(shape), *starts, *steps}, *sizes};
  for (auto [i, size] : llvm::enumerate(shape)) {
    int64_t count = slice.sizes[i], first = slice.box.starts[i], last;
    if (count <= 0)
      continue;
    if (llvm::MulOverflow(count - 1, slice.box.steps[i], last) ||
        llvm::AddOverflow(last, first, last) || first < 0 || first >= size ||
        last < 0 || last >= size)
      return op->emitOpError()
             << "takes " << count << " elements from index " << first
             << " on of a dimension of size " << size;
  }
  return slice;
}

/// `sizes` without those that the type has dropped.
static SmallVector<int64_t> keptSizes(ArrayRef<int64_t> sizes,
                                      const llvm::SmallBitVector &dropped) {
  SmallVector<int64_t> kept;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!dropped.test(i))
      kept.push_back(size);
  return kept;
}

static FailureOr<LinalgValue> runExtractSlice(tensor::ExtractSliceOp op,
                                              const LinalgValue &source,
                                              Lookup lookup) {
  FailureOr<Slice> slice = sliceOf(op, source.shape, lookup);
  if (failed(slice))
    return failure();
  FailureOr<LinalgValue> result =
      makeValue(op, op.getType(), keptSizes(slice->sizes, op.getDroppedDims()));
  // Dimensions of one element that the result lacks change no order.
  if (succeeded(result))
    copy(source, slice->box, *result, Box::whole(slice->sizes), slice->sizes);
  return result;
}

static FailureOr<LinalgValue> runInsertSlice(tensor::InsertSliceOp op,
                                             const LinalgValue &source,
                                             const LinalgValue &destination,
                                             Lookup lookup) {
  FailureOr<Slice> slice = sliceOf(op, destination.shape, lookup);
  if (failed(slice))
    return failure();
  if (keptSizes(slice->sizes, op.getDroppedDims()) != source.shape)
    return op.emitOpError() << "inserts a tensor of shape [" << source.shape
                            << "] as one of [" << slice->sizes << "]";
  LinalgValue result = destination;
  copy(source, Box::whole(slice->sizes), result, slice->box, slice->sizes);
  return result;
}

//===----------------------------------------------------------------------===//
// Padding, joining, gathering
//===----------------------------------------------------------------------===//

static FailureOr<LinalgValue> runPad(tensor::PadOp op,
                                     const LinalgValue &source, Lookup lookup) {
  auto low = numbersOf(op, op.getMixedLowPad(), lookup);
  auto high = numbersOf(op, op.getMixedHighPad(), lookup);
  if (failed(low) || failed(high))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [size, before, after] :
       llvm::zip_equal(source.shape, *low, *high)) {
    if (before < 0 || after < 0)
      return op.emitOpError()
             << "pads by " << std::min(before, after) << " elements";
    shape.push_back(size + before + after);
  }
  Value padding = op.getConstantPaddingValue();
  Attribute constant;
  std::optional<Scalar> filler;
  if (padding && matchPattern(padding, m_Constant(&constant)))
    filler = readConstant(constant);
  else if (const LinalgValue *scalar = padding ? lookup(padding) : nullptr)
    filler = scalar->get(0);
  if (!filler)
    return op.emitOpError() << "pads with what is no constant";
  FailureOr<LinalgValue> result = makeValue(op, op.getType(), shape);
  if (failed(result))
    return failure();
  for (int64_t i = 0, n = result->count(); i < n; ++i)
    result->set(i, *filler);
  Box target = Box::whole(shape);
  target.starts = *low;
  copy(source, Box::whole(source.shape), *result, target, source.shape);
  return result;
}

static FailureOr<LinalgValue> runConcat(tensor::ConcatOp op,
                                        ArrayRef<const LinalgValue *> parts) {
  SmallVector<int64_t> shape = parts.front()->shape;
  int64_t &joined = shape[op.getDim()], total = 0;
  for (const LinalgValue *part : parts) {
    joined = part->shape[op.getDim()];
    if (shape != part->shape)
      return op.emitOpError()
             << "joins tensors of shapes [" << parts.front()->shape << "] and ["
             << part->shape << "]";
    total += joined;
  }
  joined = total;
  FailureOr<LinalgValue> result = makeValue(op, op.getType(), shape);
  if (failed(result))
    return failure();
  Box target = Box::whole(shape);
  for (const LinalgValue *part : parts) {
    copy(*part, Box::whole(part->shape), *result, target, part->shape);
    target.starts[op.getDim()] += part->shape[op.getDim()];
  }
  return result;
}

/// Calls visit(box, sizes, isSure) for every list of coordinates that `indices`
/// hold: the box of the slice of `shape` that they name along `dims`, and
/// whether rounding can not change them. The slices have `elements` in all.
template <typename OpTy, typename Visit>
static LogicalResult
forEachPlace(OpTy op, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims,
             const LinalgValue &indices, int64_t elements, Visit visit) {
  SmallVector<int64_t> sizes(shape);
  for (int64_t dim : dims)
    sizes[dim] = 1;
  Box box = Box::whole(shape);
  int64_t count = indices.count() / static_cast<int64_t>(dims.size());
  int64_t each = 1;
  for (int64_t size : sizes)
    each *= size;
  if (count * each != elements)
    return op.emitOpError() << "has " << count << " slices of " << each
                            << " elements for " << elements;
  for (int64_t i = 0; i < count; ++i) {
    bool isSure = true;
    for (auto [k, dim] : llvm::enumerate(dims)) {
      Scalar place = indices.get(i * dims.size() + k);
      bool isInside = place.integer >= 0 && place.integer < shape[dim];
      if (!isInside && place.error == 0)
        return op.emitOpError()
               << "has index " << place.integer << ", dimension " << dim
               << " has size " << shape[dim];
      isSure &= place.error == 0;
      box.starts[dim] = isInside ? place.integer : 0;
    }
    visit(box, ArrayRef<int64_t>(sizes), isSure);
  }
  return success();
}

static FailureOr<LinalgValue> runGather(tensor::GatherOp op,
                                        const LinalgValue &source,
                                        const LinalgValue &indices) {
  FailureOr<LinalgValue> result = makeValue(op, op.getType());
  if (failed(result))
    return failure();
  int64_t to = 0;
  auto take = [&](const Box &box, ArrayRef<int64_t> sizes, bool isSure) {
    forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
      Scalar element = source.get(box.at(index));
      if (!isSure) { // may be any element
        element.error = INFINITY;
        element.origin = 0;
      }
      result->set(to++, element);
    });
  };
  if (failed(forEachPlace(op, source.shape, op.getGatherDims(), indices,
                          result->count(), take)))
    return failure();
  return result;
}

static FailureOr<LinalgValue> runScatter(tensor::ScatterOp op,
                                         const LinalgValue &source,
                                         const LinalgValue &destination,
                                         const LinalgValue &indices) {
  LinalgValue result = destination;
  std::vector<bool> isTaken(result.count());
  int64_t from = 0;
  bool isUnique = true, isKnown = true;
  auto put = [&](const Box &box, ArrayRef<int64_t> sizes, bool isSure) {
    isKnown &= isSure;
    forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
      int64_t to = box.at(index);
      isUnique &= !isTaken[to] || !isSure;
      isTaken[to] = true;
      result.set(to, source.get(from++));
    });
  };
  if (failed(forEachPlace(op, result.shape, op.getScatterDims(), indices,
                          source.count(), put)))
    return failure();
  if (!isUnique)
    return op.emitOpError() << "has an index twice, they must be unique";
  if (!isKnown) { // any element may have gone anywhere
    result.errors.assign(result.count(), INFINITY);
    result.origins.assign(result.count(), 0);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

namespace {
/// Where the elements of a tensor are in the packed one.
struct Packing {
  SmallVector<int64_t> outer; ///< the dimension that an outer one cuts
  SmallVector<int64_t> inner; ///< the dimension that an inner one is of
  SmallVector<int64_t> tiles; ///< by dimension; 1 for what is not tiled

  /// The position in the tensor, perhaps behind its end.
  SmallVector<int64_t> unpack(ArrayRef<int64_t> packed) const {
    SmallVector<int64_t> index(outer.size());
    for (auto [i, dim] : llvm::enumerate(outer))
      index[dim] = packed[i] * tiles[dim];
    for (auto [i, dim] : llvm::enumerate(inner))
      index[dim] += packed[outer.size() + i];
    return index;
  }
};
} // namespace

/// Of a tensor of rank `rank`, packed in one of shape `packed`.
template <typename OpTy>
static FailureOr<Packing> packingOf(OpTy op, size_t rank,
                                    ArrayRef<int64_t> packed, Lookup lookup) {
  auto tiles = numbersOf(op, op.getMixedTiles(), lookup);
  if (failed(tiles))
    return failure();
  if (packed.drop_front(rank) != ArrayRef<int64_t>(*tiles))
    return op.emitOpError() << "has tiles of [" << *tiles
                            << "] in a tensor of shape [" << packed << "]";
  Packing packing;
  packing.inner.assign(op.getInnerDimsPos().begin(),
                       op.getInnerDimsPos().end());
  packing.tiles.assign(rank, 1);
  for (auto [dim, tile] : llvm::zip_equal(packing.inner, *tiles))
    packing.tiles[dim] = tile;
  packing.outer.assign(op.getOuterDimsPerm().begin(),
                       op.getOuterDimsPerm().end());
  if (packing.outer.empty())
    for (size_t dim = 0; dim < rank; ++dim)
      packing.outer.push_back(static_cast<int64_t>(dim));
  return packing;
}

static bool isInside(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  return llvm::all_of(llvm::zip_equal(index, shape), [](auto pair) {
    return std::get<0>(pair) < std::get<1>(pair);
  });
}

static FailureOr<LinalgValue> runPack(linalg::PackOp op,
                                      const LinalgValue &source,
                                      const LinalgValue &destination,
                                      Lookup lookup) {
  FailureOr<Packing> packing =
      packingOf(op, source.shape.size(), destination.shape, lookup);
  if (failed(packing))
    return failure();
  std::optional<Scalar> filler;
  if (Value padding = op.getPaddingValue()) {
    FailureOr<const LinalgValue *> scalar = find(op, padding, lookup);
    if (failed(scalar))
      return failure();
    filler = (*scalar)->get(0);
  }
  Box from = Box::whole(source.shape);
  LinalgValue result = destination;
  int64_t to = 0;
  bool isFull = true;
  forEachIndex(destination.shape, [&](ArrayRef<int64_t> packed) {
    SmallVector<int64_t> index = packing->unpack(packed);
    if (isInside(index, source.shape))
      result.set(to, source.get(from.at(index)));
    else if (filler)
      result.set(to, *filler);
    else
      isFull = false;
    ++to;
  });
  if (!isFull)
    return op.emitOpError() << "has tiles that reach over the end of its "
                               "source and no padding value";
  return result;
}

static FailureOr<LinalgValue> runUnpack(linalg::UnPackOp op,
                                        const LinalgValue &source,
                                        const LinalgValue &destination,
                                        Lookup lookup) {
  FailureOr<Packing> packing =
      packingOf(op, destination.shape.size(), source.shape, lookup);
  if (failed(packing))
    return failure();
  Box to = Box::whole(destination.shape);
  LinalgValue result = destination;
  int64_t from = 0, filled = 0;
  forEachIndex(source.shape, [&](ArrayRef<int64_t> packed) {
    SmallVector<int64_t> index = packing->unpack(packed);
    if (isInside(index, destination.shape)) {
      result.set(to.at(index), source.get(from));
      ++filled;
    }
    ++from;
  });
  if (filled != result.count())
    return op.emitOpError() << "has " << filled << " elements for a tensor of "
                            << result.count();
  return result;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The elements of `source` in another shape.
static FailureOr<LinalgValue> reshape(Operation *op, const LinalgValue &source,
                                      ArrayRef<int64_t> shape) {
  FailureOr<LinalgValue> checked =
      makeValue(op, op->getResult(0).getType(), shape);
  if (failed(checked))
    return failure();
  if (checked->count() != source.count())
    return op->emitOpError()
           << "makes " << checked->count() << " elements of " << source.count();
  LinalgValue result = source;
  result.shape.assign(shape.begin(), shape.end());
  return result;
}

static SmallVector<int64_t>
collapsedShape(ArrayRef<int64_t> shape, ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> result;
  for (const ReassociationIndices &group : groups) {
    int64_t size = 1;
    for (int64_t dim : group)
      size *= shape[dim];
    result.push_back(size);
  }
  return result;
}

static FailureOr<LinalgValue>
runFromElements(tensor::FromElementsOp op, ArrayRef<const LinalgValue *> in) {
  FailureOr<LinalgValue> result = makeValue(op, op.getType());
  if (failed(result))
    return failure();
  for (auto [i, element] : llvm::enumerate(in))
    result->set(i, element->get(0));
  return result;
}

static FailureOr<LinalgValue> runFilled(Operation *op,
                                        ArrayRef<OpFoldResult> sizes,
                                        const Scalar &filler, Lookup lookup) {
  FailureOr<SmallVector<int64_t>> shape = numbersOf(op, sizes, lookup);
  if (failed(shape))
    return failure();
  FailureOr<LinalgValue> result =
      makeValue(op, op->getResult(0).getType(), *shape);
  if (succeeded(result))
    for (int64_t i = 0, n = result->count(); i < n; ++i)
      result->set(i, filler);
  return result;
}

static FailureOr<LinalgValue> runDim(tensor::DimOp op,
                                     const LinalgValue &source,
                                     const LinalgValue &dimension) {
  int64_t dim = dimension.get(0).integer;
  if (dim < 0 || dim >= static_cast<int64_t>(source.shape.size()))
    return op.emitOpError() << "asks for dimension " << dim
                            << " of a tensor of rank " << source.shape.size();
  FailureOr<LinalgValue> result = makeValue(op, op.getType());
  if (succeeded(result))
    result->integers[0] = source.shape[dim];
  return result;
}

static FailureOr<LinalgValue> runExtract(tensor::ExtractOp op,
                                         ArrayRef<const LinalgValue *> in) {
  SmallVector<Scalar> index;
  for (const LinalgValue *coordinate : in.drop_front())
    index.push_back(coordinate->get(0));
  FailureOr<Scalar> element = extractElement(op, *in.front(), index);
  FailureOr<LinalgValue> result = makeValue(op, op.getType());
  if (failed(element) || failed(result))
    return failure();
  result->set(0, *element);
  return result;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

bool sequin::reference::movesElements(Operation *op) {
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ConcatOp,
             tensor::DimOp, tensor::EmptyOp, tensor::ExpandShapeOp,
             tensor::ExtractOp, tensor::ExtractSliceOp, tensor::FromElementsOp,
             tensor::GatherOp, tensor::InsertSliceOp, tensor::PadOp,
             tensor::ReshapeOp, tensor::ScatterOp, tensor::SplatOp,
             linalg::PackOp, linalg::UnPackOp>(op);
}

FailureOr<LinalgValue> sequin::reference::moveElements(Operation *op,
                                                       Lookup lookup) {
  SmallVector<const LinalgValue *> in;
  for (Value operand : op->getOperands()) {
    FailureOr<const LinalgValue *> value = find(op, operand, lookup);
    if (failed(value))
      return failure();
    in.push_back(*value);
  }
  return TypeSwitch<Operation *, FailureOr<LinalgValue>>(op)
      .Case([&](tensor::CastOp cast) {
        return reshape(cast, *in[0], in[0]->shape);
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        return reshape(
            collapse, *in[0],
            collapsedShape(in[0]->shape, collapse.getReassociationIndices()));
      })
      .Case([&](tensor::ConcatOp concat) { return runConcat(concat, in); })
      .Case([&](tensor::DimOp dim) { return runDim(dim, *in[0], *in[1]); })
      .Case([&](tensor::EmptyOp empty) {
        return runFilled(empty, empty.getMixedSizes(), Scalar(), lookup);
      })
      .Case([&](tensor::ExpandShapeOp expand) -> FailureOr<LinalgValue> {
        auto shape = numbersOf(expand, expand.getMixedOutputShape(), lookup);
        if (failed(shape))
          return failure();
        return reshape(expand, *in[0], *shape);
      })
      .Case([&](tensor::ExtractOp extract) { return runExtract(extract, in); })
      .Case([&](tensor::ExtractSliceOp slice) {
        return runExtractSlice(slice, *in[0], lookup);
      })
      .Case([&](tensor::FromElementsOp list) {
        return runFromElements(list, in);
      })
      .Case([&](tensor::GatherOp gather) {
        return runGather(gather, *in[0], *in[1]);
      })
      .Case([&](tensor::InsertSliceOp slice) {
        return runInsertSlice(slice, *in[0], *in[1], lookup);
      })
      .Case([&](tensor::PadOp pad) { return runPad(pad, *in[0], lookup); })
      .Case([&](tensor::ReshapeOp op) {
        const LinalgValue &sizes = *in[1];
        return reshape(
            op, *in[0],
            SmallVector<int64_t>(sizes.integers.begin(), sizes.integers.end()));
      })
      .Case([&](tensor::ScatterOp scatter) {
        return runScatter(scatter, *in[0], *in[1], *in[2]);
      })
      .Case([&](tensor::SplatOp splat) {
        SmallVector<OpFoldResult> sizes =
            getMixedValues(splat.getType().getShape(), splat.getDynamicSizes(),
                           splat.getContext());
        return runFilled(splat, sizes, in[0]->get(0), lookup);
      })
      .Case([&](linalg::PackOp pack) {
        return runPack(pack, *in[0], *in[1], lookup);
      })
      .Case([&](linalg::UnPackOp unpack) {
        return runUnpack(unpack, *in[0], *in[1], lookup);
      })
      .Default([](Operation *) { return failure(); });
}
