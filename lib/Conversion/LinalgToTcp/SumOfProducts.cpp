//===- SumOfProducts.cpp - Bodies of contractions -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction is a sum of products. If its factors have no summed dimension
// in common, the contraction engine has nothing to pair: the sum over i and j
// of a[i, m] * b[j, n] is the sum of a times the sum of b, so the sums become
// operations of their own and their product an elementwise one.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

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

//===----------------------------------------------------------------------===//
// Factors without a common summed dimension
//===----------------------------------------------------------------------===//

namespace {

Value widen(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return isa<FloatType>(type)
             ? arith::ExtFOp::create(builder, loc, type, value).getResult()
             : arith::ExtSIOp::create(builder, loc, type, value).getResult();
}

template <typename FloatOp, typename IntOp>
Value compute(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  return isa<FloatType>(lhs.getType())
             ? FloatOp::create(builder, loc, lhs, rhs).getResult()
             : IntOp::create(builder, loc, lhs, rhs).getResult();
}

/// One operation that is replaced.
class Splitter {
public:
  Splitter(linalg::LinalgOp op, const SumOfProducts &sum)
      : op(op), builder(op), loc(op.getLoc()), sum(sum),
        ranges(op.getStaticLoopRanges()) {
    for (auto [i, type] : llvm::enumerate(op.getIteratorTypesArray()))
      if (type == utils::IteratorType::reduction)
        reduced.push_back(i);
    for (OpOperand *factor : sum.factors)
      factors.push_back({factor->get(), loopsOf(factor)});
  }

  bool applies();
  void run();

private:
  using Loops = SmallVector<unsigned, 4>;
  struct Factor {
    Value tensor;
    Loops loops; ///< by dimension
  };

  Loops loopsOf(OpOperand *operand) {
    Loops loops;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
      loops.push_back(cast<AffineDimExpr>(expr).getPosition());
    return loops;
  }
  static bool has(const Factor &factor, unsigned loop) {
    return llvm::is_contained(factor.loops, loop);
  }
  bool isSummed(const Factor &factor) const {
    return llvm::any_of(reduced, [&](unsigned loop) {
      return ranges[loop] > 1 && has(factor, loop);
    });
  }
  /// The map of a tensor over `loops` in a nest of `nest`.
  AffineMap mapOf(ArrayRef<unsigned> loops, ArrayRef<unsigned> nest) {
    SmallVector<AffineExpr, 4> exprs;
    for (unsigned loop : loops)
      exprs.push_back(
          builder.getAffineDimExpr(llvm::find(nest, loop) - nest.begin()));
    return AffineMap::get(nest.size(), 0, exprs, builder.getContext());
  }
  Factor sumUp(const Factor &factor);

  linalg::LinalgOp op;
  OpBuilder builder;
  Location loc;
  const SumOfProducts &sum;
  SmallVector<int64_t, 4> ranges;
  Loops reduced;
  SmallVector<Factor, 2> factors;
};

} // namespace

/// Something is summed, no two factors over the same, and the contraction
/// engine could not multiply the sum by what remains.
bool Splitter::applies() {
  if (factors.size() != 2)
    return false;
  Loops result = loopsOf(op.getDpsInitOperand(0));
  if (result.size() + reduced.size() != ranges.size() ||
      llvm::any_of(result, [&](unsigned loop) {
        return llvm::is_contained(reduced, loop);
      }))
    return false;
  for (unsigned loop : reduced)
    if (ranges[loop] > 1 && has(factors[0], loop) && has(factors[1], loop))
      return false;
  bool first = isSummed(factors[0]), second = isSummed(factors[1]);
  if (!first && !second)
    return false;
  if (first && second)
    return true;
  // Only one factor is summed: the other one must not bring loops of its own.
  const Factor &summed = factors[first ? 0 : 1],
               &other = factors[first ? 1 : 0];
  return llvm::any_of(other.loops, [&](unsigned loop) {
    return !llvm::is_contained(reduced, loop) && !has(summed, loop);
  });
}

Splitter::Factor Splitter::sumUp(const Factor &factor) {
  Loops kept;
  // In the order of the result: all sums are multiplied in one order then.
  llvm::copy_if(loopsOf(op.getDpsInitOperand(0)), std::back_inserter(kept),
                [&](unsigned loop) { return has(factor, loop); });
  SmallVector<int64_t, 4> shape;
  for (unsigned loop : kept)
    shape.push_back(ranges[loop]);
  SmallVector<utils::IteratorType, 4> iterators;
  for (unsigned loop : factor.loops)
    iterators.push_back(llvm::is_contained(reduced, loop)
                            ? utils::IteratorType::reduction
                            : utils::IteratorType::parallel);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sum.type));
  Value init = tensor::EmptyOp::create(builder, loc, shape, sum.type);
  init = linalg::FillOp::create(builder, loc, zero, init).getResult(0);
  auto body = [&](OpBuilder &nested, Location at, ValueRange args) {
    Value value = widen(nested, at, args[0], sum.type);
    value = compute<arith::AddFOp, arith::AddIOp>(nested, at, args[1], value);
    linalg::YieldOp::create(nested, at, value);
  };
  auto added = linalg::GenericOp::create(
      builder, loc, init.getType(), factor.tensor, init,
      {mapOf(factor.loops, factor.loops), mapOf(kept, factor.loops)}, iterators,
      body);
  return {added.getResult(0), std::move(kept)};
}

void Splitter::run() {
  for (Factor &factor : factors)
    if (llvm::any_of(reduced, [&](unsigned loop) { return has(factor, loop); }))
      factor = sumUp(factor);

  Value init = op.getDpsInitOperand(0)->get();
  Loops nest = loopsOf(op.getDpsInitOperand(0));
  auto type = cast<RankedTensorType>(init.getType());
  SmallVector<Value, 3> inputs;
  SmallVector<AffineMap, 4> maps;
  for (Factor &factor : factors) {
    inputs.push_back(factor.tensor);
    maps.push_back(mapOf(factor.loops, nest));
  }
  // What the sums start from, if it is not zero.
  if (auto fill = init.getDefiningOp<linalg::FillOp>();
      !fill || !(matchPattern(fill.value(), m_AnyZeroFloat()) ||
                 matchPattern(fill.value(), m_Zero()))) {
    inputs.push_back(init);
    maps.push_back(mapOf(nest, nest));
  }
  maps.push_back(mapOf(nest, nest));
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  auto body = [&](OpBuilder &nested, Location at, ValueRange args) {
    Value value = compute<arith::MulFOp, arith::MulIOp>(
        nested, at, widen(nested, at, args[0], sum.type),
        widen(nested, at, args[1], sum.type));
    if (inputs.size() == 3)
      value = compute<arith::AddFOp, arith::AddIOp>(nested, at, value, args[2]);
    linalg::YieldOp::create(nested, at, value);
  };
  SmallVector<utils::IteratorType, 4> iterators(nest.size(),
                                                utils::IteratorType::parallel);
  auto product = linalg::GenericOp::create(builder, loc, type, inputs, empty,
                                           maps, iterators, body);
  op->replaceAllUsesWith(product);
  op->erase();
}

void linalg_to_tcp::splitSums(func::FuncOp func) {
  SmallVector<linalg::LinalgOp> sums;
  for (Operation &op : func.getBody().front())
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      sums.push_back(linalgOp);
  for (linalg::LinalgOp op : sums) {
    // Everything else about them is checked, and refused, by readProgram.
    if (op.getNumReductionLoops() == 0 || op->getNumResults() != 1 ||
        !op.hasPureTensorSemantics() || op.hasDynamicShape() ||
        op.hasIndexSemantics() ||
        !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
          return map.isProjectedPermutation();
        }))
      continue;
    std::optional<SumOfProducts> sum = matchSumOfProducts(op);
    if (!sum || !(sum->type.isF32() || sum->type.isInteger(32)))
      continue;
    if (Splitter splitter(op, *sum); splitter.applies())
      splitter.run();
  }
}
