//===- SumOfProducts.cpp - Bodies of contractions -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction is a sum of products, each factor widened or not.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// The block argument that a factor of the product is, widened or not.
static BlockArgument getFactor(Value value) {
  if (Operation *widen = value.getDefiningOp();
      isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(widen))
    value = widen->getOperand(0);
  return dyn_cast<BlockArgument>(value);
}

std::optional<SumOfProducts>
linalg_to_tcp::matchSumOfProducts(linalg::LinalgOp op) {
  Block *block = op.getBlock();
  BlockArgument sum = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  Operation *add = block->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add) ||
      add->getBlock() != block)
    return std::nullopt;
  Value product =
      add->getOperand(0) == sum ? add->getOperand(1) : add->getOperand(0);
  if (add->getOperand(0) != sum && add->getOperand(1) != sum)
    return std::nullopt;
  SmallVector<BlockArgument, 2> arguments;
  if (Operation *mul = product.getDefiningOp();
      isa_and_nonnull<arith::MulFOp, arith::MulIOp>(mul))
    arguments = {getFactor(mul->getOperand(0)), getFactor(mul->getOperand(1))};
  else
    arguments = {getFactor(product)};
  for (BlockArgument argument : arguments)
    if (!argument || argument.getOwner() != block || argument == sum)
      return std::nullopt;
  if (op.getNumDpsInputs() != static_cast<int64_t>(arguments.size()) ||
      (arguments.size() == 2 && arguments[0] == arguments[1]))
    return std::nullopt;
  SumOfProducts result;
  for (BlockArgument argument : arguments)
    result.factors.push_back(op.getMatchingOpOperand(argument));
  result.type = sum.getType();
  return result;
}
