//===- CheckCore.cpp - Whether operations are core ones ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The post-condition of the pass, and what refuses operations that no rewrite
// knows.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

static LogicalResult checkType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return op->emitOpError()
           << "has type " << type
           << ", only ranked tensors with static shapes can be lowered: give "
              "every dimension a size";
  Type element = tensor.getElementType();
  if (isE2m1(element))
    return checkE2m1(op);
  if (element.isInteger(4) || element.isInteger(8) || element.isInteger(16) ||
      element.isInteger(32) ||
      isa<Float8E4M3FNType, Float8E5M2Type, BFloat16Type, Float16Type,
          Float32Type>(element))
    return success();
  return op->emitOpError()
         << "has element type " << element
         << ", the machine has i4, i8, i16, i32, f8E4M3FN, f8E5M2, bf16, f16 "
            "and f32";
}

static bool isWord(Type type) { return type.isF32() || type.isInteger(32); }

/// The element of an input, widened or not; null if it is something else.
static BlockArgument inputOf(Value value) {
  BlockArgument element = elementOf(value);
  return element && !value.getDefiningOp<arith::BitcastOp>() ? element
                                                             : BlockArgument();
}

static bool isContraction(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumReductionLoops() == 0)
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (AffineMap map : maps)
    if (!map.isProjectedPermutation())
      return false;
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool x = maps[0].isFunctionOfDim(loop), y = maps[1].isFunctionOfDim(loop);
    bool reduced = type == utils::IteratorType::reduction;
    if ((reduced && !(x && y)) || !(x || y) ||
        reduced == maps[2].isFunctionOfDim(loop))
      return false;
  }
  Block *body = op.getBody();
  Type type = body->getArgument(0).getType();
  if (type != body->getArgument(1).getType() ||
      !(type.isInteger(4) || type.isInteger(8) || type.isBF16() ||
        isa<Float8E4M3FNType, Float8E5M2Type>(type)))
    return false;
  Operation *add = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add) ||
      add->getOperand(0) != body->getArgument(2) ||
      !isWord(add->getResult(0).getType()))
    return false;
  Operation *mul = add->getOperand(1).getDefiningOp();
  return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(mul) &&
         inputOf(mul->getOperand(0)) == body->getArgument(0) &&
         inputOf(mul->getOperand(1)) == body->getArgument(1);
}

static bool isReduce(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumReductionLoops() == 0)
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Block *body = op.getBody();
  Operation *combine = body->getTerminator()->getOperand(0).getDefiningOp();
  return maps[0].isIdentity() && maps[1].isProjectedPermutation() &&
         isa_and_nonnull<arith::AddFOp, arith::AddIOp, arith::MaximumFOp,
                         arith::MaxNumFOp, arith::MaxSIOp, arith::MinimumFOp,
                         arith::MinNumFOp, arith::MinSIOp>(combine) &&
         isWord(combine->getResult(0).getType()) &&
         combine->getOperand(0) == body->getArgument(1) &&
         inputOf(combine->getOperand(1)) == body->getArgument(0);
}

static bool isParallelOverIdentity(linalg::GenericOp op) {
  return op.getNumReductionLoops() == 0 && op->getNumResults() == 1 &&
         op.getIndexingMapsArray().back().isIdentity() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
}

static bool isWindow(linalg::GenericOp op) {
  return isParallelOverIdentity(op) && op.getNumDpsInputs() == 1 &&
         op.getBody()->getTerminator()->getOperand(0) ==
             op.getBody()->getArgument(0);
}

static bool isScalarOp(Operation *op) {
  if (isa<arith::FPToSIOp>(op))
    return isa_and_nonnull<math::RoundEvenOp, math::RoundOp>(
        op->getOperand(0).getDefiningOp());
  if (isa<math::RoundEvenOp, math::RoundOp>(op))
    return llvm::all_of(op->getUsers(),
                        [](Operation *u) { return isa<arith::FPToSIOp>(u); });
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
             arith::MinNumFOp, math::FmaOp, math::ExpOp, math::SqrtOp,
             math::TanhOp, math::ErfOp, math::LogOp, math::SinOp, math::CosOp,
             arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp, arith::ShLIOp, arith::ShRSIOp,
             arith::ShRUIOp, arith::MaxSIOp, arith::MinSIOp, arith::SIToFPOp,
             arith::BitcastOp>(op);
}

/// The operation in the body of a map that is no step of a chain; null if none.
static Operation *findMisfit(linalg::GenericOp op) {
  Value last;
  Operation *terminator = op.getBody()->getTerminator();
  for (Operation &inner : op.getBody()->without_terminator()) {
    bool isAccess =
        isAtom(inner.getResult(0)) || isConstant(inner.getResult(0));
    if (isAccess && terminator->getOperand(0) != inner.getResult(0))
      continue;
    if (isAccess) {
      last = inner.getResult(0);
      continue;
    }
    bool narrows = isa<arith::TruncFOp, arith::TruncIOp>(inner);
    if (narrows ? terminator->getOperand(0) != inner.getResult(0)
                : !isScalarOp(&inner) || !isWord(inner.getResult(0).getType()))
      return &inner;
    bool continues = !last;
    for (Value operand : inner.getOperands()) {
      if (operand == last)
        continues = true;
      else if (!isAtom(operand))
        return &inner;
    }
    if (!continues)
      return &inner;
    last = inner.getResult(0);
  }
  return nullptr;
}

static LogicalResult checkGeneric(linalg::GenericOp op) {
  if (isWindow(op) || isContraction(op) || isReduce(op) || isScaledSum(op))
    return success();
  if (!isParallelOverIdentity(op) ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return op.emitOpError() << "is no contraction, map, reduction or copy of "
                               "windows that the machine does";
  if (Operation *misfit = findMisfit(op))
    return op.emitOpError() << "body computes '" << misfit->getName()
                            << "', which is no step of a chain on the vector "
                               "engine";
  return success();
}

static bool keepsRank(Operation &op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice.getType().getRank() == slice.getSourceType().getRank();
  auto insert = dyn_cast<tensor::InsertSliceOp>(op);
  return !insert ||
         insert.getSourceType().getRank() == insert.getType().getRank();
}

/// Whether the function returns what its type says. What stands for results of
/// refused operations has been told.
static LogicalResult checkReturn(func::ReturnOp op) {
  auto func = op->getParentOfType<func::FuncOp>();
  for (auto [i, value, type] :
       llvm::enumerate(op.getOperands(), func.getResultTypes())) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getArgNumber() >= func.getNumArguments())
      continue;
    if (value.getType() != type)
      return op.emitOpError()
             << "returns value " << i << " as " << value.getType()
             << ", the function says " << type << ": use the former";
  }
  return success();
}

static LogicalResult checkOperation(Operation &op) {
  if (auto end = dyn_cast<func::ReturnOp>(op))
    return checkReturn(end);
  // Constants of bodies.
  if (isa<arith::ConstantOp>(op) && !isa<ShapedType>(op.getResult(0).getType()))
    return success();
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (failed(checkGeneric(generic)))
      return failure();
  } else if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    Attribute attr;
    if (!matchPattern(fill.value(), m_Constant(&attr)))
      return op.emitOpError() << "fills with a value that is not a constant; "
                                 "pass a tensor instead";
  } else if (!isa<arith::ConstantOp, tensor::EmptyOp, tensor::PadOp,
                  tensor::ExtractSliceOp, tensor::InsertSliceOp,
                  tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                  tensor::GatherOp, tensor::ScatterOp>(op)) {
    return op.emitOpError()
           << "cannot be lowered to tcp, only operations of linalg, tensor, "
              "arith and math on tensors can";
  }
  for (Type type : op.getResultTypes())
    if (failed(checkType(&op, type)))
      return failure();
  if (!keepsRank(op))
    return op.emitOpError() << "drops dimensions, which reshapes do";
  return success();
}

LogicalResult sequin::normalize_linalg::checkCore(func::FuncOp func) {
  bool refused = false;
  for (Operation &op : func.getBody().front())
    refused |= failed(checkOperation(op));
  return failure(refused);
}
