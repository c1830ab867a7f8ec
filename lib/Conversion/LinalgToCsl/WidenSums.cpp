//===- WidenSums.cpp - Sums of 16-bit floats in f32 -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of f16 or bf16 that is kept in 16 bits rounds after every product: a
// sum of sixty integers is wrong. linalg leaves the order of a sum open, and
// who writes one expects the accumulator of other machines. So the products are
// added in f32 (`fmachs`, half as many a cycle as `fmach`), and the result is
// rounded once.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin::linalg_to_csl;

/// The addition of a reduction of one tensor of 16-bit floats, or null.
static arith::AddFOp matchSum(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return {};
  Block *body = op.getBody();
  BlockArgument out = body->getArguments().back();
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!isHalf(out.getType()) || !sum || !out.hasOneUse() ||
      *out.user_begin() != sum)
    return {};
  return sum;
}

namespace {
class Widener {
public:
  Widener(IRRewriter &rewriter, linalg::GenericOp op)
      : rewriter(rewriter), loc(op.getLoc()), op(op),
        half(getElementTypeOrSelf(op->getResult(0).getType())) {}

  void run(arith::AddFOp sum);

private:
  /// The elements of `tensor` in another float type.
  Value convert(Value tensor, Type element);
  Value wideStart();

  IRRewriter &rewriter;
  Location loc;
  linalg::GenericOp op;
  Type half;
};
} // namespace

Value Widener::convert(Value tensor, Type element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, type.getShape(), element);
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  bool widens = element.isF32();
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), tensor, empty,
             ArrayRef<AffineMap>{identity, identity}, loops,
             [&](OpBuilder &b, Location at, ValueRange arguments) {
               Value value =
                   widens
                       ? arith::ExtFOp::create(b, at, element, arguments[0])
                             .getResult()
                       : arith::TruncFOp::create(b, at, element, arguments[0])
                             .getResult();
               linalg::YieldOp::create(b, at, value);
             })
      .getResult(0);
}

/// What the sum starts from, in f32; a constant remains one.
Value Widener::wideStart() {
  Value start = op.getDpsInits()[0];
  FloatAttr number;
  DenseElementsAttr elements;
  if (auto fill = start.getDefiningOp<linalg::FillOp>())
    (void)matchPattern(fill.getInputs()[0], m_Constant(&number));
  else if (matchPattern(start, m_Constant(&elements)) && elements.isSplat())
    number = dyn_cast<FloatAttr>(elements.getSplatValue<Attribute>());
  Type f32 = rewriter.getF32Type();
  if (!number)
    return convert(start, f32);
  auto type = cast<RankedTensorType>(start.getType());
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), f32);
  Value constant = arith::ConstantOp::create(
      rewriter, loc,
      rewriter.getF32FloatAttr(static_cast<float>(number.getValueAsDouble())));
  return linalg::FillOp::create(rewriter, loc, constant, empty).getResult(0);
}

void Widener::run(arith::AddFOp sum) {
  rewriter.setInsertionPoint(op);
  Type f32 = rewriter.getF32Type();
  Value start = wideStart();
  auto wide = linalg::GenericOp::create(
      rewriter, loc, start.getType(), op.getInputs(), start,
      op.getIndexingMapsArray(), op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location at, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(op.getBody()->getArguments(), arguments);
        auto widen = [&](Value value) -> Value {
          return arith::ExtFOp::create(b, at, f32, value);
        };
        for (Operation &inner : op.getBody()->without_terminator())
          if (&inner != sum.getOperation())
            b.clone(inner, mapping);
        BlockArgument out = op.getBody()->getArguments().back();
        Value added = sum.getLhs() == out ? sum.getRhs() : sum.getLhs();
        // A product is exact in f32.
        auto product = added.getDefiningOp<arith::MulFOp>();
        Value term;
        if (product) {
          Value left = widen(mapping.lookupOrDefault(product.getLhs()));
          Value right = widen(mapping.lookupOrDefault(product.getRhs()));
          Operation *narrow = mapping.lookup(added).getDefiningOp();
          term = arith::MulFOp::create(b, at, left, right);
          if (narrow->use_empty())
            narrow->erase();
        } else {
          term = widen(mapping.lookupOrDefault(added));
        }
        Value next = arith::AddFOp::create(b, at, arguments.back(), term);
        linalg::YieldOp::create(b, at, next);
      });
  rewriter.replaceOp(op, convert(wide.getResult(0), half));
}

void sequin::linalg_to_csl::widenSums(IRRewriter &rewriter, func::FuncOp func) {
  SmallVector<linalg::GenericOp> ops;
  func.walk([&](linalg::GenericOp op) { ops.push_back(op); });
  for (linalg::GenericOp op : ops)
    if (arith::AddFOp sum = matchSum(op))
      Widener(rewriter, op).run(sum);
}
