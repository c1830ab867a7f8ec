//===- Branches.cpp - Branches in bodies as choices ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector engine computes both sides of a branch and chooses. So what a side
// computes must be defined where it is not taken too: an element is read at an
// index that may lie outside of its tensor then. Where the index is affine in
// the loops, the tensor is padded as far as it reaches, with zeros that nobody
// chooses; any other index is clamped.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

/// Whether both sides can be computed. Branches inside have become choices.
static bool isChoice(scf::IfOp op) {
  auto canCompute = [](Operation &inner) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      auto type = dyn_cast<RankedTensorType>(extract.getTensor().getType());
      return type && type.hasStaticShape() && type.getNumElements() > 0;
    }
    return isPure(&inner) && inner.getNumRegions() == 0;
  };
  return op.getNumResults() > 0 &&
         llvm::all_of(op.thenBlock()->without_terminator(), canCompute) &&
         llvm::all_of(op.elseBlock()->without_terminator(), canCompute);
}

/// The least and the greatest value of an index that is affine in loops that
/// run to `sizes`.
static std::optional<std::pair<int64_t, int64_t>>
getBounds(AffineExpr expr, ArrayRef<int64_t> sizes) {
  SmallVector<std::optional<int64_t>> least(sizes.size(), 0), greatest;
  for (int64_t size : sizes)
    greatest.push_back(size - 1);
  auto bound = [&](bool isUpper) {
    return getBoundForAffineExpr(expr, sizes.size(), /*numSymbols=*/0, least,
                                 greatest, isUpper);
  };
  std::optional<int64_t> low = bound(false), high = bound(true);
  if (!low || !high)
    return std::nullopt;
  return std::pair(*low, *high);
}

namespace {
/// Elements in front of and behind a dimension.
struct Margin {
  int64_t low = 0, high = 0;
};
} // namespace

/// How far the indices of a read reach beyond each dimension; none where one is
/// not affine. Nothing where the padded tensor would be out of proportion to
/// what is there and what is read.
static SmallVector<std::optional<Margin>>
getMargins(linalg::GenericOp generic, tensor::ExtractOp extract) {
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  SmallVector<int64_t> sizes = generic.getStaticLoopRanges();
  SmallVector<std::optional<Margin>> margins;
  std::optional<int64_t> padded = 1, proportion = type.getNumElements(),
                         read = 1;
  for (auto [size, index] :
       llvm::zip_equal(type.getShape(), extract.getIndices())) {
    std::optional<Margin> &margin = margins.emplace_back();
    AffineExpr expr = getAffineIndex(index);
    auto bounds = expr ? getBounds(expr, sizes) : std::nullopt;
    constexpr int64_t kFarthest = int64_t(1) << 31;
    if (bounds && bounds->first > -kFarthest && bounds->second < kFarthest)
      margin = Margin{std::max<int64_t>(0, -bounds->first),
                      std::max<int64_t>(0, bounds->second - size + 1)};
    if (margin && padded)
      padded = llvm::checkedMul(*padded, margin->low + size + margin->high);
    else if (padded)
      padded = llvm::checkedMul(*padded, size);
  }
  for (int64_t size : sizes)
    if (read)
      read = llvm::checkedMul(*read, size);
  constexpr int64_t kMostTimes = 4;
  if (read)
    proportion = llvm::checkedAdd(*proportion, *read);
  if (!padded || !proportion || *padded / kMostTimes > *proportion)
    margins.assign(margins.size(), std::nullopt);
  return margins;
}

/// Makes a read of an element defined for all iterations of `generic`.
static void makeDefined(RewriterBase &rewriter, linalg::GenericOp generic,
                        tensor::ExtractOp extract) {
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  Location loc = extract.getLoc();
  SmallVector<int64_t> low, high, shape;
  rewriter.setInsertionPoint(extract);
  for (auto [dim, margin] : llvm::enumerate(getMargins(generic, extract))) {
    int64_t size = type.getDimSize(dim);
    Margin beyond = margin.value_or(Margin());
    low.push_back(beyond.low);
    high.push_back(beyond.high);
    shape.push_back(beyond.low + size + beyond.high);
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    Value index = extract.getIndices()[dim], defined = index;
    if (!margin) {
      defined = arith::MaxSIOp::create(rewriter, loc, index, number(0));
      defined =
          arith::MinSIOp::create(rewriter, loc, defined, number(size - 1));
    } else if (beyond.low > 0) {
      defined = arith::AddIOp::create(rewriter, loc, index, number(beyond.low));
    }
    rewriter.modifyOpInPlace(
        extract, [&] { extract.getIndicesMutable()[dim].set(defined); });
  }
  if (shape == type.getShape())
    return;
  rewriter.setInsertionPoint(generic);
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  Value padded = tensor::PadOp::create(
      rewriter, loc, type.clone(shape), extract.getTensor(),
      getAsIndexOpFoldResult(rewriter.getContext(), low),
      getAsIndexOpFoldResult(rewriter.getContext(), high), zero);
  rewriter.modifyOpInPlace(extract,
                           [&] { extract.getTensorMutable().assign(padded); });
}

void sequin::normalize_linalg::flattenBranches(RewriterBase &rewriter,
                                               linalg::GenericOp generic) {
  if (generic.hasDynamicShape())
    return;
  SmallVector<scf::IfOp> branches;
  generic.getBody()->walk([&](scf::IfOp op) { branches.push_back(op); });
  for (scf::IfOp op : branches) {
    if (!isChoice(op))
      continue; // refused by whoever reads the body
    SmallVector<Value> taken = op.thenYield().getResults(),
                       other = op.elseYield().getResults();
    for (Block *side : {op.thenBlock(), op.elseBlock()}) {
      for (auto extract :
           llvm::make_early_inc_range(side->getOps<tensor::ExtractOp>()))
        makeDefined(rewriter, generic, extract);
      rewriter.eraseOp(side->getTerminator());
      rewriter.inlineBlockBefore(side, op);
    }
    rewriter.setInsertionPoint(op);
    SmallVector<Value> chosen;
    for (auto [x, y] : llvm::zip_equal(taken, other))
      chosen.push_back(arith::SelectOp::create(rewriter, op.getLoc(),
                                               op.getCondition(), x, y));
    rewriter.replaceOp(op, chosen);
  }
}
