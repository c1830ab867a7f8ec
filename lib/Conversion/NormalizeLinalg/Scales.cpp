//===- Scales.cpp - Sums of products with f4E2M1FN weights ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights of four bits share scales, and programs say so in several ways: they
// scale the weights and multiply, with reshapes between the two; they multiply
// and scale the sums of groups; or they do all at once. Each of them is one sum
// of products, found from its end by putting in place of a factor the products
// that it is. Numbers of that sum are rounded in f32 alone: where a program
// rounds scaled weights to a narrower type, that must not lose anything.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

bool sequin::normalize_linalg::isE2m1(Type type) {
  return isa<Float4E2M1FNType>(getElementTypeOrSelf(type));
}

namespace {
/// A factor of a sum: elements of a tensor by the loops.
struct Term {
  Value tensor;
  SmallVector<AffineExpr> exprs;
};

/// A sum of products over loops.
struct Sum {
  SmallVector<int64_t> sizes;
  SmallVector<bool> reduced;
  SmallVector<Term> terms;
  SmallVector<AffineExpr> result;
};

/// Significant bits of a product, in f32 as many as there are.
struct Factors {
  SmallVector<BlockArgument> arguments;
  unsigned bits = 0;
};
} // namespace

static constexpr unsigned kF32Bits = 24;

static unsigned precisionOf(Type type) {
  return APFloat::semanticsPrecision(cast<FloatType>(type).getFloatSemantics());
}

/// The block arguments whose product the value is, if no rounding to less than
/// f32 changes it.
static bool readFactors(Value value, Block *block, Factors &factors) {
  if (!isa<FloatType>(value.getType()))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != block)
      return false;
    factors.arguments.push_back(argument);
    factors.bits = precisionOf(argument.getType());
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::ExtFOp>(op))
    return readFactors(op->getOperand(0), block, factors);
  unsigned precision = precisionOf(value.getType());
  if (isa<arith::TruncFOp>(op))
    return readFactors(op->getOperand(0), block, factors) &&
           (factors.bits <= precision || precision >= kF32Bits);
  if (!isa<arith::MulFOp>(op))
    return false;
  Factors right;
  if (!readFactors(op->getOperand(0), block, factors) ||
      !readFactors(op->getOperand(1), block, right))
    return false;
  factors.arguments.append(right.arguments);
  factors.bits = std::min(kF32Bits, factors.bits + right.bits);
  return factors.bits <= precision || precision >= kF32Bits;
}

/// What a generic yields, without the sum so far if it reduces.
static Value getProduct(linalg::GenericOp op) {
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  if (op.getNumReductionLoops() == 0)
    return yielded;
  auto add = yielded.getDefiningOp<arith::AddFOp>();
  if (!add || !add.getType().isF32())
    return {};
  Value out = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  return add.getLhs() == out   ? add.getRhs()
         : add.getRhs() == out ? add.getLhs()
                               : Value();
}

/// The terms of a generic that is a product or a sum of products; its result's
/// indices are loops.
static std::optional<Sum> readSum(linalg::GenericOp op) {
  if (op->getNumResults() != 1 || !op.hasPureTensorSemantics() ||
      op.hasDynamicShape() || op.hasIndexSemantics())
    return std::nullopt;
  Value product = getProduct(op);
  Factors factors;
  if (!product || !readFactors(product, op.getBody(), factors))
    return std::nullopt;
  AffineMap out = op.getIndexingMapsArray().back();
  if (!out.isProjectedPermutation())
    return std::nullopt;
  Sum sum;
  sum.sizes = op.getStaticLoopRanges();
  for (utils::IteratorType type : op.getIteratorTypesArray())
    sum.reduced.push_back(type == utils::IteratorType::reduction);
  for (unsigned loop = 0; loop < sum.sizes.size(); ++loop)
    if (sum.reduced[loop] == out.isFunctionOfDim(loop))
      return std::nullopt;
  llvm::append_range(sum.result, out.getResults());
  for (BlockArgument argument : factors.arguments) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (operand == op.getDpsInitOperand(0) ||
        !isa<RankedTensorType>(operand->get().getType()))
      return std::nullopt;
    Term &term = sum.terms.emplace_back();
    term.tensor = operand->get();
    llvm::append_range(term.exprs,
                       op.getMatchingIndexingMap(operand).getResults());
  }
  return sum;
}

/// Whether codes are among what the tensor is computed from.
static bool comesFromE2m1(Value tensor, unsigned depth = 0) {
  constexpr unsigned kMostSteps = 8;
  if (isE2m1(tensor.getType()))
    return true;
  Operation *op = tensor.getDefiningOp();
  if (!op || depth == kMostSteps)
    return false;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return comesFromE2m1(collapse.getSrc(), depth + 1);
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && llvm::any_of(generic.getDpsInputs(), [&](Value input) {
           return comesFromE2m1(input, depth + 1);
         });
}

//===----------------------------------------------------------------------===//
// Putting a factor's products in its place
//===----------------------------------------------------------------------===//

namespace {
class SumFolder {
public:
  explicit SumFolder(linalg::GenericOp op) : op(op), b(op) {}
  /// Replaces the operation if it is a sum with codes.
  bool fold();

private:
  bool inlineTerm(size_t index);
  bool inlineCollapse(size_t index, tensor::CollapseShapeOp collapse);
  bool inlineGeneric(size_t index, linalg::GenericOp producer);
  std::optional<unsigned> loopOf(AffineExpr expr) const {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim ? std::optional(dim.getPosition()) : std::nullopt;
  }
  bool splitLoop(unsigned loop, ArrayRef<int64_t> sizes,
                 SmallVectorImpl<AffineExpr> &parts);
  bool dropUnits(Term &term);
  bool emit();

  linalg::GenericOp op;
  OpBuilder b;
  Sum sum;
};
} // namespace

/// Makes several loops of one: `parts` from the outermost. Whoever is indexed
/// by the loop gets as many dimensions.
bool SumFolder::splitLoop(unsigned loop, ArrayRef<int64_t> sizes,
                          SmallVectorImpl<AffineExpr> &parts) {
  if (!sum.reduced[loop])
    return false;
  for (const Term &term : sum.terms)
    for (AffineExpr expr : term.exprs)
      if (expr.isFunctionOfDim(loop) && loopOf(expr) != loop)
        return false;
  for (int64_t size : sizes.drop_back()) {
    parts.push_back(b.getAffineDimExpr(sum.sizes.size()));
    sum.sizes.push_back(size);
    sum.reduced.push_back(true);
  }
  parts.push_back(b.getAffineDimExpr(loop));
  sum.sizes[loop] = sizes.back();
  for (Term &term : sum.terms) {
    auto type = cast<RankedTensorType>(term.tensor.getType());
    SmallVector<ReassociationIndices> groups;
    SmallVector<int64_t> shape;
    SmallVector<AffineExpr> exprs;
    bool splits = false;
    for (auto [dim, expr] : llvm::enumerate(term.exprs)) {
      ReassociationIndices &group = groups.emplace_back();
      if (loopOf(expr) != loop) {
        group.push_back(shape.size());
        shape.push_back(type.getDimSize(dim));
        exprs.push_back(expr);
        continue;
      }
      splits = true;
      for (auto [size, part] : llvm::zip(sizes, parts)) {
        group.push_back(shape.size());
        shape.push_back(size);
        exprs.push_back(part);
      }
    }
    if (!splits)
      continue;
    term.tensor = tensor::ExpandShapeOp::create(
        b, op.getLoc(), RankedTensorType::get(shape, type.getElementType()),
        term.tensor, groups);
    term.exprs = std::move(exprs);
  }
  return true;
}

bool SumFolder::inlineCollapse(size_t index, tensor::CollapseShapeOp collapse) {
  ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
  SmallVector<AffineExpr> exprs(shape.size(), b.getAffineConstantExpr(0));
  // The term itself is not reshaped.
  Term term = std::exchange(sum.terms[index], Term());
  for (auto [group, expr] :
       llvm::zip(collapse.getReassociationIndices(), term.exprs)) {
    SmallVector<int64_t> dims, sizes;
    for (int64_t dim : group)
      if (shape[dim] != 1) {
        dims.push_back(dim);
        sizes.push_back(shape[dim]);
      }
    if (dims.empty())
      continue;
    SmallVector<AffineExpr> parts{expr};
    if (dims.size() > 1) {
      std::optional<unsigned> loop = loopOf(expr);
      parts.clear();
      sum.terms.erase(sum.terms.begin() + index);
      bool splits = loop && splitLoop(*loop, sizes, parts);
      sum.terms.insert(sum.terms.begin() + index, Term());
      if (!splits)
        return false;
    }
    for (auto [dim, part] : llvm::zip(dims, parts))
      exprs[dim] = part;
  }
  sum.terms[index] = {collapse.getSrc(), std::move(exprs)};
  return true;
}

bool SumFolder::inlineGeneric(size_t index, linalg::GenericOp producer) {
  std::optional<Sum> inner = readSum(producer);
  if (!inner)
    return false;
  // Sums start from zero.
  bool reduces = llvm::is_contained(inner->reduced, true);
  if (reduces && !isZero(getSplat(producer.getDpsInits()[0])))
    return false;
  Term term = sum.terms[index];
  SmallVector<AffineExpr> loops(inner->sizes.size());
  for (auto [loop, size] : llvm::enumerate(inner->sizes))
    if (inner->reduced[loop]) {
      loops[loop] = b.getAffineDimExpr(sum.sizes.size());
      sum.sizes.push_back(size);
      sum.reduced.push_back(true);
    }
  for (auto [expr, outer] : llvm::zip(inner->result, term.exprs))
    loops[*loopOf(expr)] = outer;
  SmallVector<Term> terms;
  for (Term &factor : inner->terms) {
    Term &moved = terms.emplace_back();
    moved.tensor = factor.tensor;
    for (AffineExpr expr : factor.exprs)
      moved.exprs.push_back(expr.replaceDims(loops));
  }
  sum.terms.erase(sum.terms.begin() + index);
  sum.terms.insert(sum.terms.begin() + index, terms.begin(), terms.end());
  return true;
}

bool SumFolder::inlineTerm(size_t index) {
  Value tensor = sum.terms[index].tensor;
  if (isE2m1(tensor.getType())) {
    // Transposed codes.
    auto generic = tensor.getDefiningOp<linalg::GenericOp>();
    return generic && inlineGeneric(index, generic);
  }
  bool coded = comesFromE2m1(tensor);
  if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>();
      collapse && coded)
    return inlineCollapse(index, collapse);
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  if (!generic)
    return false;
  // Activations and scales that are only widened.
  bool widens = generic.getNumReductionLoops() == 0 &&
                generic.getNumDpsInputs() == 1 &&
                getElementTypeOrSelf(tensor).isF32() &&
                generic.getBody()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::ExtFOp>();
  return (coded || widens) && inlineGeneric(index, generic);
}

//===----------------------------------------------------------------------===//
// The sum as one operation
//===----------------------------------------------------------------------===//

/// Without dimensions of one element; whether all others are loops.
bool SumFolder::dropUnits(Term &term) {
  SmallVector<unsigned> units;
  SmallVector<AffineExpr> exprs;
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [dim, expr] : llvm::enumerate(term.exprs)) {
    std::optional<unsigned> loop = loopOf(expr);
    if (!loop &&
        cast<RankedTensorType>(term.tensor.getType()).getDimSize(dim) == 1)
      units.push_back(dim);
    else if (!loop || !seen.insert(*loop).second)
      return false;
    else
      exprs.push_back(expr);
  }
  term.tensor = dropUnitDims(b, op.getLoc(), term.tensor, units);
  term.exprs = std::move(exprs);
  return true;
}

bool SumFolder::emit() {
  // Activations, weights, scales.
  SmallVector<Term, 3> terms(3);
  for (Term &term : sum.terms)
    if (isE2m1(term.tensor.getType()))
      terms[1] = std::move(term);
    else if (unsigned sums = llvm::count_if(
                 llvm::seq<unsigned>(sum.sizes.size()),
                 [&](unsigned loop) {
                   return sum.reduced[loop] &&
                          llvm::any_of(term.exprs, [&](AffineExpr expr) {
                            return expr.isFunctionOfDim(loop);
                          });
                 });
             sums == static_cast<unsigned>(llvm::count(sum.reduced, true)))
      terms[0] = std::move(term);
    else
      terms[2] = std::move(term);
  if (!terms[0].tensor || !terms[1].tensor)
    return false;
  if (!terms[2].tensor)
    terms.pop_back();
  if (terms.size() != sum.terms.size())
    return false;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto mapOf = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(sum.sizes.size(), 0, exprs, b.getContext());
  };
  for (Term &term : terms) {
    if (!dropUnits(term))
      return false;
    inputs.push_back(term.tensor);
    maps.push_back(mapOf(term.exprs));
  }
  maps.push_back(mapOf(sum.result));
  SmallVector<utils::IteratorType> iterators;
  for (bool reduced : sum.reduced)
    iterators.push_back(reduced ? utils::IteratorType::reduction
                                : utils::IteratorType::parallel);
  Value init = op.getDpsInits()[0];
  auto generic = linalg::GenericOp::create(
      b, op.getLoc(), init.getType(), inputs, init, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        Type f32 = builder.getF32Type();
        Value product;
        for (Value argument : arguments.drop_back()) {
          if (argument.getType() != f32)
            argument = arith::ExtFOp::create(builder, loc, f32, argument);
          product = product
                        ? arith::MulFOp::create(builder, loc, product, argument)
                        : argument;
        }
        Value added =
            arith::AddFOp::create(builder, loc, arguments.back(), product);
        linalg::YieldOp::create(builder, loc, added);
      });
  op->replaceAllUsesWith(generic);
  return true;
}

bool SumFolder::fold() {
  std::optional<Sum> read = readSum(op);
  if (!read || op.getNumReductionLoops() == 0 ||
      llvm::none_of(read->terms, [](const Term &term) {
        return comesFromE2m1(term.tensor);
      }))
    return false;
  sum = std::move(*read);
  constexpr size_t kMostTerms = 8;
  for (size_t i = 0; i < sum.terms.size();) {
    if (sum.terms.size() > kMostTerms)
      return false;
    if (!inlineTerm(i))
      ++i;
  }
  return emit();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Removes what is not used any more.
static void eraseUnused(func::FuncOp func) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (op.use_empty() && isMemoryEffectFree(&op) &&
        !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
}

void sequin::normalize_linalg::foldScales(func::FuncOp func) {
  bool hasCodes = false;
  func.walk([&](Operation *op) {
    for (Type type : op->getOperandTypes())
      hasCodes |= isE2m1(type);
  });
  if (!hasCodes || !func.getBody().hasOneBlock())
    return;
  // From the end: what a sum takes in is not folded by itself.
  SmallVector<linalg::GenericOp> ops(
      func.getBody().front().getOps<linalg::GenericOp>());
  for (linalg::GenericOp op : llvm::reverse(ops))
    if (!op.use_empty() && !isScaledSum(op))
      SumFolder(op).fold();
  eraseUnused(func);
}

bool sequin::normalize_linalg::isScaledSum(linalg::GenericOp op) {
  int64_t inputs = op.getNumDpsInputs();
  if (op->getNumResults() != 1 || inputs < 2 || inputs > 3 ||
      op.getNumReductionLoops() == 0)
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (AffineMap map : maps)
    if (!map.isProjectedPermutation())
      return false;
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool x = maps[0].isFunctionOfDim(loop), y = maps[1].isFunctionOfDim(loop);
    bool reduced = type == utils::IteratorType::reduction;
    if ((reduced && !(x && y)) || !(x || y) ||
        reduced == maps.back().isFunctionOfDim(loop))
      return false;
  }
  Block *body = op.getBody();
  Type type = body->getArgument(0).getType();
  if (!isE2m1(body->getArgument(1).getType()) ||
      !(type.isBF16() || isa<Float8E4M3FNType, Float8E5M2Type>(type)))
    return false;
  auto isFactor = [&](Value value, unsigned index) {
    if (auto widen = value.getDefiningOp<arith::ExtFOp>())
      value = widen.getIn();
    return value == body->getArgument(index);
  };
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || !add.getType().isF32() ||
      add.getLhs() != body->getArgument(inputs))
    return false;
  auto product = add.getRhs().getDefiningOp<arith::MulFOp>();
  if (inputs == 3) {
    if (!product || !isFactor(product.getRhs(), 2))
      return false;
    product = product.getLhs().getDefiningOp<arith::MulFOp>();
  }
  return product && isFactor(product.getLhs(), 0) &&
         isFactor(product.getRhs(), 1);
}

LogicalResult sequin::normalize_linalg::checkE2m1(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  bool isView = isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                    tensor::ExtractSliceOp, arith::ConstantOp>(op);
  auto hasCodes = [](TypeRange types) {
    return llvm::any_of(types, [](Type type) { return isE2m1(type); });
  };
  bool computes =
      hasCodes(op->getOperandTypes()) || hasCodes(op->getResultTypes());
  op->walk([&](Operation *inner) {
    computes |= inner != op && hasCodes(inner->getResultTypes());
  });
  if (isView || (generic && isScaledSum(generic)) || !computes)
    return success();
  return op->emitOpError()
         << "works on f4E2M1FN elements, which are weights of sums only: out + "
            "x * w * scale in f32 with x of f8E4M3FN, f8E5M2 or bf16, or the "
            "same with weights that are scaled before, or sums that are scaled "
            "after";
}
