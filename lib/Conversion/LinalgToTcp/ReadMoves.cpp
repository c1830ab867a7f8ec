//===- ReadMoves.cpp - Operations that move elements ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramReader.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

//===----------------------------------------------------------------------===//
// Slices and reshapes
//===----------------------------------------------------------------------===//

LogicalResult ProgramReader::readExtractSlice(tensor::ExtractSliceOp op) {
  if (TypedAttr constant = constants.lookup(op.getSource())) {
    constants[op] = constant;
    return success();
  }
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<Index, 4> indices;
  unsigned dim = 0;
  for (auto [i, offset, stride] :
       llvm::enumerate(op.getStaticOffsets(), op.getStaticStrides())) {
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(stride))
      return op.emitOpError() << "has offsets that are not constants";
    indices.push_back(dropped[i] ? Index{offset, {}}
                                 : multipleOf(dim++, stride, offset));
  }
  FailureOr<Access> source = access(op, op.getSource(), indices);
  if (failed(source))
    return failure();
  views[op] = std::move(*source);
  return success();
}

LogicalResult ProgramReader::readInsertSlice(tensor::InsertSliceOp op) {
  Tensor *tensor = nullptr;
  Value into = op.getDest();
  auto found = views.find(into);
  bool fresh = into.getDefiningOp<tensor::EmptyOp>();
  if (fresh) {
    tensor = program.addTensor(op.getType());
  } else if (found != views.end() && into.hasOneUse() &&
             found->second.tensor->origin == Tensor::Origin::Computed &&
             into.getDefiningOp() &&
             isa<tensor::InsertSliceOp, tensor::PadOp>(into.getDefiningOp())) {
    tensor = found->second.tensor;
  } else {
    FailureOr<Tensor *> copied = copy(op, into);
    if (failed(copied))
      return failure();
    tensor = *copied;
  }
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Access result;
  result.tensor = tensor;
  SmallVector<Index, 4> loops;
  unsigned dim = 0;
  for (auto [i, offset, stride] :
       llvm::enumerate(op.getStaticOffsets(), op.getStaticStrides())) {
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(stride))
      return op.emitOpError() << "has offsets that are not constants";
    if (dropped[i]) {
      result.dims.push_back({offset, {}});
      continue;
    }
    loops.push_back(multipleOf(dim, 1));
    result.dims.push_back(multipleOf(dim++, stride, offset));
  }
  FailureOr<Access> source = access(op, op.getSource(), loops);
  if (failed(source))
    return failure();
  Group &group = addGroup(Group::Kind::Stream, op);
  addLoops(group, op.getSourceType().getShape());
  group.stream = std::move(*source);
  group.computeType = op.getType().getElementType();
  define(op, group, std::move(result));
  return success();
}

LogicalResult ProgramReader::readPad(tensor::PadOp op) {
  Value value = op.getConstantPaddingValue();
  Attribute attr;
  if (!value || !matchPattern(value, m_Constant(&attr)))
    return op.emitOpError() << "pads with a value that is not a constant";
  Tensor *tensor = program.addTensor(op.getResultType());
  auto type = RankedTensorType::get({}, tensor->elementType());
  Group &fill = addGroup(Group::Kind::Stream, op);
  addLoops(fill, tensor->type.getShape());
  fill.stream.tensor =
      addConstant(DenseElementsAttr::get(type, ArrayRef<Attribute>(attr)));
  fill.computeType = tensor->elementType();
  fill.result = wholeOf(tensor);

  SmallVector<Index, 4> loops;
  Access result;
  result.tensor = tensor;
  for (auto [i, low] : llvm::enumerate(op.getStaticLow())) {
    if (ShapedType::isDynamic(low))
      return op.emitOpError() << "pads by amounts that are not constants";
    loops.push_back(multipleOf(i, 1));
    result.dims.push_back(multipleOf(i, 1, low));
  }
  FailureOr<Access> source = access(op, op.getSource(), loops);
  if (failed(source))
    return failure();
  Group &group = addGroup(Group::Kind::Stream, op);
  addLoops(group, op.getSourceType().getShape());
  group.stream = std::move(*source);
  group.computeType = tensor->elementType();
  define(op, group, std::move(result));
  return success();
}

LogicalResult ProgramReader::readExpand(tensor::ExpandShapeOp op) {
  if (TypedAttr constant = constants.lookup(op.getSrc())) {
    constants[op] = constant;
    return success();
  }
  SmallVector<Index, 4> indices;
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  for (const ReassociationIndices &dims : op.getReassociationIndices()) {
    Index &index = indices.emplace_back();
    int64_t stride = 1;
    for (int64_t dim : llvm::reverse(dims)) {
      if (shape[dim] != 1)
        index.terms.push_back({static_cast<unsigned>(dim), stride});
      stride *= shape[dim];
    }
  }
  FailureOr<Access> source = access(op, op.getSrc(), indices);
  if (failed(source))
    return failure();
  views[op] = std::move(*source);
  return success();
}

/// Written at joint indices; a view only where at most one dimension of those
/// that are joined has a size.
LogicalResult ProgramReader::readCollapse(tensor::CollapseShapeOp op) {
  if (TypedAttr constant = constants.lookup(op.getSrc())) {
    constants[op] = constant;
    return success();
  }
  ArrayRef<int64_t> shape = op.getSrcType().getShape();
  bool joins = false;
  SmallVector<Index, 4> whole(shape.size()), dims(shape.size());
  Access result;
  for (auto [i, joined] : llvm::enumerate(op.getReassociationIndices())) {
    Index &index = result.dims.emplace_back();
    int64_t stride = 1, sized = 0;
    for (int64_t dim : llvm::reverse(joined)) {
      unsigned loop = dim;
      whole[dim] = multipleOf(loop, 1);
      if (shape[dim] != 1) {
        index.terms.push_back({loop, stride});
        dims[dim] = multipleOf(i, 1);
        ++sized;
      }
      stride *= shape[dim];
    }
    joins |= sized > 1;
  }
  FailureOr<Access> source = access(op, op.getSrc(), joins ? whole : dims);
  if (failed(source))
    return failure();
  if (!joins) {
    views[op] = std::move(*source);
    return success();
  }
  Group &group = addGroup(Group::Kind::Stream, op);
  addLoops(group, shape);
  group.stream = std::move(*source);
  result.tensor = program.addTensor(op.getResultType());
  group.computeType = result.tensor->elementType();
  define(op, group, std::move(result));
  return success();
}

LogicalResult ProgramReader::readGather(tensor::GatherOp op) {
  RankedTensorType table = op.getSourceType(), indices = op.getIndicesType();
  if (op.getGatherDims() != ArrayRef<int64_t>{0} || indices.getRank() == 0 ||
      indices.getShape().back() != 1 || !indices.getElementType().isInteger(32))
    return op.emitOpError()
           << "gathers dimensions [" << op.getGatherDims() << "] by " << indices
           << ", the DMA engine gathers rows, the first dimension, by i32 "
              "indices in a tensor whose last dimension is 1";
  // Loops: those of the indices without the last one, then those of a row.
  unsigned first = indices.getRank() - 1;
  SmallVector<Index, 4> row(1), place;
  for (unsigned i = 1; i < table.getRank(); ++i)
    row.push_back(multipleOf(first + i - 1, 1));
  for (unsigned i = 0; i < first; ++i)
    place.push_back(multipleOf(i, 1));
  place.push_back({});
  // Rows as they lie in memory, and places one by one.
  auto isPlain = [](const Access &access) {
    return llvm::all_of(access.dims, [](const Index &index) {
      return index.loop() || (index.terms.empty() && index.offset == 0);
    });
  };
  auto resolve = [&](Value value, ArrayRef<Index> at,
                     bool whole) -> FailureOr<Access> {
    FailureOr<Access> read = access(op, value, at);
    if (failed(read))
      return failure();
    // A row is one of the tensor's own, not of a transposition of it.
    if (isPlain(*read) && (!whole || (read->tensor->type == value.getType() &&
                                      llvm::equal(read->dims, at))))
      return read;
    FailureOr<Tensor *> copied = copy(op, value);
    if (failed(copied))
      return failure();
    return wholeOf(*copied).substitute(at);
  };
  FailureOr<Access> rows = resolve(op.getSource(), row, true),
                    places = resolve(op.getIndices(), place, false);
  if (failed(rows) || failed(places))
    return failure();
  Group &group = addGroup(Group::Kind::Gather, op);
  addLoops(group, indices.getShape().drop_back());
  addLoops(group, table.getShape().drop_front());
  group.stream = std::move(*rows);
  group.rhs = std::move(*places);
  group.computeType = table.getElementType();
  // The result may keep the gathered dimension as one of size 1.
  Access result;
  result.tensor = program.addTensor(op.getResultType());
  bool keeps =
      op.getResultType().getRank() == indices.getRank() - 1 + table.getRank();
  for (unsigned i = 0; i < op.getResultType().getRank(); ++i) {
    if (keeps && i == first)
      result.dims.push_back({});
    else
      result.dims.push_back(multipleOf(keeps && i > first ? i - 1 : i, 1));
  }
  define(op, group, std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// Whether the value is all of its tensor, dimension by dimension.
static bool isWhole(const Access &access, Type type) {
  return access.tensor->type == type &&
         llvm::all_of(llvm::enumerate(access.dims), [](auto entry) {
           return entry.value().loop() == entry.index();
         });
}

std::string ProgramReader::findObstacle(tensor::ScatterOp op) const {
  Value into = op.getDest();
  auto found = views.find(into);
  if (found == views.end() || !isWhole(found->second, into.getType()))
    return "the old value is no tensor of its own";
  const Tensor *tensor = found->second.tensor;
  if (tensor->origin == Tensor::Origin::Constant)
    return "the old value is a constant";
  if (tensor->origin == Tensor::Origin::Computed)
    // What it is computed by has no other name; views have.
    return into.hasOneUse() &&
                   isa<tensor::InsertSliceOp, tensor::PadOp, tensor::ScatterOp>(
                       into.getDefiningOp())
               ? ""
               : "the old value is computed by the program";
  // All names that the old value has so far.
  Block *block = op->getBlock();
  for (const auto &[value, access] : views)
    if (access.tensor == tensor)
      for (Operation *user : value.getUsers()) {
        Operation *at = block->findAncestorOpInBlock(*user);
        if (at != op && !at->isBeforeInBlock(op))
          return "the old value is read afterwards";
      }
  return "";
}

FailureOr<Access> ProgramReader::readMoved(tensor::ScatterOp op, Value value,
                                           ArrayRef<Index> at,
                                           const Tensor *destination) {
  FailureOr<Access> read = access(op, value, at);
  if (failed(read))
    return failure();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  bool isPlain = read->tensor != destination &&
                 llvm::all_of(read->dims,
                              [](const Index &index) {
                                return index.loop() || index == Index();
                              }) &&
                 llvm::all_of(llvm::zip(at, shape), [&](const auto &entry) {
                   auto [index, size] = entry;
                   return !index.loop() || size == 1 ||
                          read->countDims(*index.loop()) == 1;
                 });
  if (isPlain)
    return read;
  FailureOr<Tensor *> copied = copy(op, value);
  if (failed(copied))
    return failure();
  return wholeOf(*copied).substitute(at);
}

LogicalResult ProgramReader::readScatter(tensor::ScatterOp op) {
  RankedTensorType type = op.getDestType(), source = op.getSourceType(),
                   indices = op.getIndicesType();
  ArrayRef<int64_t> dims = op.getScatterDims();
  Type element = type.getElementType();
  if (dims.size() != 1 || indices.getRank() != 2 ||
      indices.getDimSize(1) != 1 || !indices.getElementType().isInteger(32) ||
      element.getIntOrFloatBitWidth() < 8 || type.getDimSize(dims[0]) < 2)
    return op.emitOpError()
           << "scatters " << element << " along dimensions [" << dims << "] of "
           << type << " by " << indices
           << ", the DMA engine scatters rows of whole bytes along one "
              "dimension, of two rows or more, by i32 indices in a tensor of "
              "[rows, 1]";
  unsigned rowDim = dims[0];
  // Loops: one over rows, then those of the other dimensions.
  bool keepsDim = source.getRank() == type.getRank() + 1;
  SmallVector<Index, 4> row{multipleOf(0, 1)};
  SmallVector<int64_t> shape{indices.getDimSize(0)};
  Access result;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    if (dim == rowDim) {
      if (keepsDim)
        row.push_back({});
      result.dims.push_back({});
      continue;
    }
    row.push_back(multipleOf(shape.size(), 1));
    result.dims.push_back(multipleOf(shape.size(), 1));
    shape.push_back(type.getDimSize(dim));
  }
  std::string obstacle = findObstacle(op);
  auto old = views.find(op.getDest());
  Tensor *tensor = obstacle.empty() ? old->second.tensor : nullptr;
  FailureOr<Access> rows = readMoved(op, op.getSource(), row, tensor),
                    places = readMoved(op, op.getIndices(),
                                       {multipleOf(0, 1), Index()}, tensor);
  if (failed(rows) || failed(places))
    return failure();
  if (!tensor) {
    FailureOr<Tensor *> copied = copy(op, op.getDest());
    if (failed(copied))
      return failure();
    tensor = *copied;
  }
  Group &group = addGroup(Group::Kind::Scatter, op);
  addLoops(group, shape);
  group.stream = std::move(*rows);
  group.rhs = std::move(*places);
  group.computeType = element;
  group.note = StringAttr::get(op.getContext(),
                               !obstacle.empty() ? "into a copy: " + obstacle
                               : tensor->origin == Tensor::Origin::Argument
                                   ? "in the memory of argument " +
                                         std::to_string(tensor->argument)
                                   : "in place");
  if (tensor->origin == Tensor::Origin::Argument)
    written.insert(tensor);
  result.tensor = tensor;
  define(op, group, std::move(result));
  return success();
}
