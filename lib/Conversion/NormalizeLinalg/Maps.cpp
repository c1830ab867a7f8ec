//===- Maps.cpp - Elementwise operations ---------------------------------===//
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

Attribute sequin::normalize_linalg::getSplat(Value tensor) {
  Attribute attr;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.value(), m_Constant(&attr)) ? attr : Attribute();
  if (!matchPattern(tensor, m_Constant(&attr)))
    return {};
  auto splat = dyn_cast<SplatElementsAttr>(attr);
  return splat ? splat.getSplatValue<Attribute>() : Attribute();
}

bool sequin::normalize_linalg::isZero(Attribute attr) {
  if (auto value = dyn_cast_or_null<FloatAttr>(attr))
    return value.getValue().isZero();
  auto value = dyn_cast_or_null<IntegerAttr>(attr);
  return value && value.getValue().isZero();
}

FailureOr<Output> sequin::normalize_linalg::readOutput(Nest &nest,
                                                       linalg::GenericOp op,
                                                       unsigned index) {
  OpOperand *operand = op.getDpsInitOperand(index);
  AffineMap map = op.getMatchingIndexingMap(operand);
  auto type = dyn_cast<RankedTensorType>(operand->get().getType());
  if (!type)
    return op.emitOpError() << "has a result that is no ranked tensor";
  Output output;
  output.type = op.getMatchingBlockArgument(operand).getType();
  output.stored = storedType(output.type);
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && !llvm::is_contained(output.loops, dim.getPosition()))
      output.loops.push_back(dim.getPosition());
    else if (type.getDimSize(i) == 1)
      output.units.push_back(i);
    else
      return op.emitOpError()
             << "writes its result by " << AffineMapAttr::get(map)
             << ", each dimension of a result must be a loop of its own";
  }
  output.init =
      dropUnitDims(nest.builder(), nest.getLoc(), operand->get(), output.units);
  return output;
}

LogicalResult sequin::normalize_linalg::rewriteMap(linalg::GenericOp op) {
  Nest nest(op, op.getStaticLoopRanges());
  BodyReader reader(nest, op);
  SmallVector<std::pair<Output, unsigned>> outputs;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    FailureOr<Output> output = readOutput(nest, op, i);
    if (failed(output))
      return failure();
    for (auto [loop, size] : llvm::enumerate(nest.getSizes()))
      if (size > 1 && !llvm::is_contained(output->loops, loop))
        return op.emitOpError()
               << "writes its result once per iteration of loop " << loop
               << ", which does not index it: call the loop a reduction";
    Value value = op.getBody()->getTerminator()->getOperand(i);
    Value word = reader.read(value);
    if (!word)
      return failure();
    Type stored = output->stored;
    if (output->type.isIndex() || output->type.isInteger(64))
      stored = nest.builder().getI32Type();
    outputs.push_back(
        {*output, nest.addRoot(reader.narrow(word, output->type, stored))});
  }
  for (auto [result, output] : llvm::zip(op->getResults(), outputs)) {
    Value tensor = nest.materializeRoot(output.second, output.first.loops);
    result.replaceAllUsesWith(
        addUnitDims(nest.builder(), nest.getLoc(), tensor, output.first.units));
  }
  op.erase();
  return success();
}
