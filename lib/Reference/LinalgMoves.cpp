//===- LinalgMoves.cpp - Tensor operations that move elements -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// Visits every index below `sizes`, the last dimension innermost.
static void forEachIndex(ArrayRef<int64_t> sizes,
                         function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(sizes, 0))
    return;
  SmallVector<int64_t> index(sizes.size());
  while (true) {
    visit(index);
    size_t i = sizes.size();
    while (i > 0 && ++index[i - 1] == sizes[i - 1])
      index[--i] = 0;
    if (i == 0)
      return;
  }
}

static void copy(const LinalgValue &from, const Box &source, LinalgValue &to,
                 const Box &target, ArrayRef<int64_t> sizes) {
  forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
    to.set(target.at(index), from.get(source.at(index)));
  });
}

/// The box of a slice whose numbers are all known.
static FailureOr<Box> boxOf(OffsetSizeAndStrideOpInterface op,
                            ArrayRef<int64_t> shape) {
  for (ArrayRef<int64_t> list :
       {op.getStaticOffsets(), op.getStaticSizes(), op.getStaticStrides()})
    if (llvm::any_of(list, ShapedType::isDynamic))
      return op->emitOpError()
             << "has offsets, sizes or strides that are no constants";
  Box box{SmallVector<int64_t>(shape),
          SmallVector<int64_t>(op.getStaticOffsets()),
          SmallVector<int64_t>(op.getStaticStrides())};
  for (auto [i, size] : llvm::enumerate(shape)) {
    int64_t count = op.getStaticSizes()[i];
    int64_t last = box.starts[i] + (count - 1) * box.steps[i];
    if (count > 0 && (box.starts[i] < 0 || box.starts[i] >= size || last < 0 ||
                      last >= size))
      return op->emitOpError()
             << "reaches index " << last << " of a dimension of size " << size;
  }
  return box;
}

static LogicalResult runPad(tensor::PadOp op, const LinalgValue &source,
                            function_ref<const LinalgValue *(Value)> scalarOf,
                            LinalgValue &result) {
  if (llvm::any_of(op.getStaticLow(), ShapedType::isDynamic) ||
      llvm::any_of(op.getStaticHigh(), ShapedType::isDynamic))
    return op.emitOpError() << "pads by amounts that are no constants";
  Value padding = op.getConstantPaddingValue();
  Attribute constant;
  std::optional<Scalar> filler;
  if (padding && matchPattern(padding, m_Constant(&constant)))
    filler = readConstant(constant);
  else if (const LinalgValue *scalar = padding ? scalarOf(padding) : nullptr)
    filler = scalar->get(0);
  if (!filler)
    return op.emitOpError() << "pads with what is no constant";
  for (int64_t i = 0, n = result.count(); i < n; ++i)
    result.set(i, *filler);
  Box target = Box::whole(result.shape);
  target.starts.assign(op.getStaticLow().begin(), op.getStaticLow().end());
  copy(source, Box::whole(source.shape), result, target, source.shape);
  return success();
}

static LogicalResult runGather(tensor::GatherOp op, const LinalgValue &source,
                               const LinalgValue &indices,
                               LinalgValue &result) {
  ArrayRef<int64_t> dims = op.getGatherDims();
  SmallVector<int64_t> slice = source.shape;
  for (int64_t dim : dims)
    slice[dim] = 1;
  Box box = Box::whole(source.shape);
  int64_t count = indices.count() / static_cast<int64_t>(dims.size()), to = 0;
  for (int64_t i = 0; i < count; ++i) {
    for (auto [k, dim] : llvm::enumerate(dims)) {
      int64_t row = indices.get(i * dims.size() + k).integer;
      if (row < 0 || row >= source.shape[dim])
        return op.emitOpError() << "has index " << row << ", dimension " << dim
                                << " has size " << source.shape[dim];
      box.starts[dim] = row;
    }
    forEachIndex(slice, [&](ArrayRef<int64_t> index) {
      result.set(to++, source.get(box.at(index)));
    });
  }
  return success();
}

bool sequin::reference::movesElements(Operation *op) {
  return isa<tensor::PadOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
             tensor::ConcatOp, tensor::GatherOp>(op);
}

LogicalResult sequin::reference::moveElements(
    Operation *op, ArrayRef<const LinalgValue *> operands,
    function_ref<const LinalgValue *(Value)> scalarOf, LinalgValue &result) {
  result.allocate();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tensor::PadOp pad) {
        return runPad(pad, *operands[0], scalarOf, result);
      })
      .Case([&](tensor::ExtractSliceOp slice) -> LogicalResult {
        FailureOr<Box> box = boxOf(slice, operands[0]->shape);
        if (failed(box))
          return failure();
        // Dimensions of one element that the result lacks change no order.
        ArrayRef<int64_t> sizes = slice.getStaticSizes();
        copy(*operands[0], *box, result, Box::whole(sizes), sizes);
        return success();
      })
      .Case([&](tensor::InsertSliceOp slice) -> LogicalResult {
        FailureOr<Box> box = boxOf(slice, operands[1]->shape);
        if (failed(box))
          return failure();
        result = *operands[1];
        ArrayRef<int64_t> sizes = slice.getStaticSizes();
        copy(*operands[0], Box::whole(sizes), result, *box, sizes);
        return success();
      })
      .Case([&](tensor::ConcatOp concat) {
        Box target = Box::whole(result.shape);
        for (const LinalgValue *part : operands) {
          copy(*part, Box::whole(part->shape), result, target, part->shape);
          target.starts[concat.getDim()] += part->shape[concat.getDim()];
        }
        return success();
      })
      .Case([&](tensor::GatherOp gather) {
        return runGather(gather, *operands[0], *operands[1], result);
      })
      .Default([](Operation *) { return failure(); });
}
