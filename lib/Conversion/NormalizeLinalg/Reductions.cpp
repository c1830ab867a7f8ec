//===- Reductions.cpp - Reductions ---------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every result of a reduction is computed by itself: the body is a combiner of
// the running value and of terms that do not depend on it. The exception is the
// position of a maximum, whose comparison refers to another result.
//
//===----------------------------------------------------------------------===//

#include "MatchReduction.h"
#include "Rewrites.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

namespace {

class ReductionRewriter {
public:
  ReductionRewriter(linalg::GenericOp op, const Options &options)
      : op(op), options(options), nest(op, op.getStaticLoopRanges()),
        reader(nest, op), matcher(op) {}

  LogicalResult run();

private:
  FailureOr<Value> rewrite(unsigned result);
  FailureOr<Value> rewriteSum(const Reduction &reduction, const Output &output);
  FailureOr<Value> rewriteExtremum(const Reduction &reduction,
                                   const Output &output);
  FailureOr<Value> rewriteTree(const Reduction &reduction,
                               const Output &output);
  FailureOr<Value> rewritePosition(const Position &position,
                                   const Output &output);
  Type accumulatorOf(Type type) {
    return isa<FloatType>(type) ? Type(nest.builder().getF32Type())
                                : Type(nest.builder().getI32Type());
  }
  /// The extremum of a root, over the loops of the output that it has, which
  /// are not all that it has.
  std::pair<Value, LoopIds> extremum(unsigned root, Combiner kind,
                                     const Output &output,
                                     Value *init = nullptr,
                                     bool skipsNan = false);
  Value wideInit(const Output &output);
  Value initWord(const Output &output) {
    if (Value word = constantWord(getSplat(output.init));
        word && !output.type.isInteger(1))
      return word;
    Value element = nest.addLeaf(output.init, output.loops);
    if (!output.type.isInteger(1))
      return element;
    nest.scalars().ranges[elementOf(element)] = {0, 1};
    return nest.scalars().sub(nest.scalars().constant(0), element);
  }
  Value constantWord(Attribute splat);
  /// Whether a root has loops that the output has not.
  bool isReduced(unsigned root, const Output &output) {
    return !llvm::all_of(
        nest.loopsOf(nest.getRootValue(root)),
        [&](unsigned loop) { return llvm::is_contained(output.loops, loop); });
  }
  /// A word as the result, in its type and shape.
  FailureOr<Value> finish(Value word, const Output &output);

  linalg::GenericOp op;
  const Options &options;
  Nest nest;
  BodyReader reader;
  ReductionMatcher matcher;
};

} // namespace

FailureOr<Value> ReductionRewriter::finish(Value word, const Output &output) {
  Type stored = output.stored;
  if (output.type.isIndex() || output.type.isInteger(64)) {
    // Such a tensor is kept in i32; the caller made sure that it fits.
    stored = nest.builder().getI32Type();
  }
  ScalarBuilder &s = nest.scalars();
  if (auto integer = dyn_cast<IntegerType>(stored);
      integer && !output.type.isInteger(1))
    word = s.wrap(word, integer.getWidth());
  word = reader.narrow(word, output.type, stored);
  Value tensor = nest.materializeRoot(nest.addRoot(word), output.loops);
  return addUnitDims(nest.builder(), nest.getLoc(), tensor, output.units);
}

/// Null if it is no number of at most 32 bits.
Value ReductionRewriter::constantWord(Attribute splat) {
  ScalarBuilder &s = nest.scalars();
  if (auto number = dyn_cast_or_null<FloatAttr>(splat)) {
    APFloat value = number.getValue();
    bool losesInfo;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return losesInfo ? Value() : s.constant(value.convertToFloat());
  }
  auto number = dyn_cast_or_null<IntegerAttr>(splat);
  if (!number || !number.getValue().isSignedIntN(32))
    return {};
  return s.constant(static_cast<int32_t>(number.getValue().getSExtValue()));
}

FailureOr<Value> ReductionRewriter::rewriteSum(const Reduction &reduction,
                                               const Output &output) {
  Type accumulator = accumulatorOf(output.type);
  ScalarBuilder &s = nest.scalars();
  bool isFloat = isa<FloatType>(output.type);
  bool isWide = !isFloat && output.type.getIntOrFloatBitWidth() > 32;
  Attribute splat = getSplat(output.init);
  // What the first contraction or reduction can start from.
  Value init;
  bool hasInit = !isZero(splat);
  if (hasInit &&
      output.init.getType() ==
          RankedTensorType::get(nest.shapeOf(output.loops), accumulator))
    init = output.init;
  std::optional<unsigned> total;
  IntRange exact{0, 0};
  for (const SmallVector<Value, 2> &term : reduction.terms) {
    ProductSum sum(nest, options, accumulator);
    reader.forget();
    SmallVector<unsigned> roots;
    SmallVector<Value, 2> constants;
    for (Value value : term) {
      Value word = reader.read(value);
      if (!word)
        return failure();
      if (isConstant(word))
        constants.push_back(word);
      roots.push_back(nest.addRoot(word));
    }
    SmallVector<Factor> factors;
    IntRange range{1, 1};
    for (unsigned root : roots) {
      if (!isFloat) {
        IntRange r = s.range(nest.getRootValue(root));
        range = (range * r);
      }
      if (!isConstant(nest.getRootValue(root)))
        factors.push_back(sum.makeFactor(root));
    }
    // Loops of the sum that no factor has.
    int64_t count = 1;
    for (auto [loop, size] : llvm::enumerate(nest.getSizes())) {
      unsigned current = loop;
      if (!llvm::is_contained(output.loops, current) &&
          llvm::none_of(factors, [&](const Factor &factor) {
            return factor.map.isFunctionOfDim(current);
          }))
        count *= size;
    }
    int64_t all = 1;
    for (auto [loop, size] : llvm::enumerate(nest.getSizes()))
      if (!llvm::is_contained(output.loops, loop))
        all *= size;
    exact = exact + range * IntRange{all, all};
    Value word;
    bool scales = count > 1 || !constants.empty();
    if (factors.empty()) {
      word = isFloat ? s.constant(1.0f) : s.constant(1);
    } else {
      Value start = scales || total ? Value() : init;
      bool hadStart = static_cast<bool>(start);
      Factor product = sum.run(factors, output.loops, start);
      word = nest.addLeaf(product.tensor, product.map);
      if (hadStart && !start)
        hasInit = false;
    }
    for (Value constant : constants)
      word = isFloat ? s.mulF(word, constant) : s.mul(word, constant);
    if (count > 1)
      word = isFloat ? s.mulF(word, s.constant(static_cast<float>(count)))
                     : s.mul(word, s.constant(static_cast<int32_t>(count)));
    if (total)
      word = isFloat ? s.addF(nest.getRootValue(*total), word)
                     : s.add(nest.getRootValue(*total), word);
    total = nest.addRoot(word);
  }
  if (isWide) {
    if (hasInit || !exact.fits(32))
      return op.emitOpError()
             << "sums in " << output.type
             << " what may not fit in i32, the machine's widest integer: sum "
                "in i32";
  }
  Value word = nest.getRootValue(*total);
  if (hasInit)
    word = isFloat ? s.addF(word, initWord(output))
                   : s.add(word, initWord(output));
  return finish(word, output);
}

std::pair<Value, LoopIds>
ReductionRewriter::extremum(unsigned root, Combiner kind, const Output &output,
                            Value *init, bool skipsNan) {
  Type accumulator = nest.getRootValue(root).getType();
  bool isFloat = isa<FloatType>(accumulator);
  ProductSum sum(nest, options, accumulator);
  Factor factor = sum.makeFactor(root);
  LoopIds kept;
  for (unsigned loop : output.loops)
    if (factor.map.isFunctionOfDim(loop))
      kept.push_back(loop);
  Value start;
  if (init && kept.size() == output.loops.size())
    start = std::exchange(*init, Value());
  if (!start) {
    Builder &b = nest.builder();
    bool isMax = kind == Combiner::Max;
    start = nest.makeFill(
        kept,
        isFloat
            ? TypedAttr(
                  b.getFloatAttr(b.getF32Type(),
                                 APFloat::getInf(APFloat::IEEEsingle(), isMax)))
            : TypedAttr(b.getI32IntegerAttr(isMax ? INT32_MIN : INT32_MAX)));
  }
  return {sum.reduce(factor, kept, kind, start, skipsNan), kept};
}

/// What a maximum or minimum starts from, in the type it is taken in; null if
/// that takes computing.
Value ReductionRewriter::wideInit(const Output &output) {
  Type accumulator = accumulatorOf(output.type);
  if (cast<RankedTensorType>(output.init.getType()).getElementType() ==
      accumulator)
    return output.init;
  Attribute splat = getSplat(output.init);
  Builder &b = nest.builder();
  if (auto number = dyn_cast_or_null<FloatAttr>(splat)) {
    APFloat value = number.getValue();
    bool losesInfo;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return nest.makeFill(output.loops,
                         b.getF32FloatAttr(value.convertToFloat()));
  }
  if (auto number = dyn_cast_or_null<IntegerAttr>(splat);
      number && number.getValue().isSignedIntN(32))
    return nest.makeFill(output.loops, b.getI32IntegerAttr(static_cast<int32_t>(
                                           number.getValue().getSExtValue())));
  return {};
}

/// An infinity, or the end of an integer type.
static bool isNeutralTo(Attribute splat, bool isMax) {
  if (auto number = dyn_cast_or_null<FloatAttr>(splat))
    return number.getValue().isInfinity() &&
           number.getValue().isNegative() == isMax;
  auto number = dyn_cast_or_null<IntegerAttr>(splat);
  return number && (isMax ? number.getValue().isMinSignedValue()
                          : number.getValue().isMaxSignedValue());
}

FailureOr<Value> ReductionRewriter::rewriteExtremum(const Reduction &reduction,
                                                    const Output &output) {
  ScalarBuilder &s = nest.scalars();
  bool isFloat = isa<FloatType>(output.type);
  bool isMask = output.type.isInteger(1);
  bool flips = reduction.isUnsigned && !isMask;
  // Truth values are 0 and -1: all of them is their maximum.
  Combiner kind = reduction.kind == Combiner::And  ? Combiner::Max
                  : reduction.kind == Combiner::Or ? Combiner::Min
                                                   : reduction.kind;
  auto pick = [&](Value x, Value y) {
    bool isMax = kind == Combiner::Max;
    if (!isFloat)
      return isMax ? s.make<arith::MaxSIOp>(x, y)
                   : s.make<arith::MinSIOp>(x, y);
    if (reduction.skipsNan)
      return isMax ? s.make<arith::MaxNumFOp>(x, y)
                   : s.make<arith::MinNumFOp>(x, y);
    return isMax ? s.make<arith::MaximumFOp>(x, y)
                 : s.make<arith::MinimumFOp>(x, y);
  };
  auto flip = [&](Value x) {
    unsigned width = output.type.getIntOrFloatBitWidth();
    if (!flips)
      return x;
    return s.bitXor(x, s.constant(static_cast<int32_t>(
                           ~uint32_t(0) << (std::min(width, 32u) - 1))));
  };
  std::optional<unsigned> term;
  for (const SmallVector<Value, 2> &values : reduction.terms) {
    Value word = reader.read(values.front());
    if (!word)
      return failure();
    word = flip(word);
    term = nest.addRoot(term ? pick(nest.getRootValue(*term), word) : word);
  }
  bool isPlain = !flips && !isMask, usesInit = false;
  Value word;
  if (isReduced(*term, output)) {
    Value init = isPlain ? wideInit(output) : Value();
    bool hasInit = static_cast<bool>(init);
    auto [tensor, kept] = extremum(
        *term, kind, output, hasInit ? &init : nullptr, reduction.skipsNan);
    word = nest.addLeaf(tensor, kept);
    usesInit = hasInit && !init;
  } else {
    word = nest.getRootValue(*term); // of one iteration
  }
  if (!usesInit) {
    // False is nothing to an or, true to an and.
    Attribute splat = getSplat(output.init);
    bool isNeutral = isMask ? splat && isZero(splat) == (kind == Combiner::Min)
                            : !flips && !reduction.skipsNan &&
                                  isNeutralTo(splat, kind == Combiner::Max);
    if (!isNeutral)
      word = pick(word, flip(initWord(output)));
  }
  return finish(flip(word), output);
}

FailureOr<Value> ReductionRewriter::rewriteTree(const Reduction &reduction,
                                                const Output &output) {
  ScalarBuilder &s = nest.scalars();
  bool isFloat = isa<FloatType>(output.type);
  OpBuilder &b = nest.builder();
  Location loc = nest.getLoc();
  auto combine = [&](ScalarBuilder &code, Value x, Value y) -> Value {
    switch (reduction.kind) {
    case Combiner::Mul:
      return isFloat ? code.mulF(x, y) : code.mul(x, y);
    case Combiner::And:
      return code.bitAnd(x, y);
    case Combiner::Or:
      return code.bitOr(x, y);
    default:
      return code.bitXor(x, y);
    }
  };
  Value word;
  for (const SmallVector<Value, 2> &values : reduction.terms) {
    Value term = reader.read(values.front());
    if (!term)
      return failure();
    word = word ? combine(s, word, term) : term;
  }
  // The kept loops, then one dimension of all that is reduced.
  LoopIds order(output.loops);
  int64_t count = 1;
  for (unsigned loop = 0; loop < nest.getSizes().size(); ++loop)
    if (!llvm::is_contained(output.loops, loop)) {
      order.push_back(loop);
      count *= nest.getSizes()[loop];
    }
  size_t rank = output.loops.size();
  Value tensor = nest.materializeRoot(nest.addRoot(word), order);
  if (order.size() > rank + 1) {
    SmallVector<ReassociationIndices> groups;
    for (size_t i = 0; i < rank; ++i)
      groups.push_back({static_cast<int64_t>(i)});
    groups.emplace_back(llvm::to_vector<2>(
        llvm::seq<int64_t>(rank, static_cast<int64_t>(order.size()))));
    tensor = tensor::CollapseShapeOp::create(b, loc, tensor, groups);
  }
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t padded = llvm::PowerOf2Ceil(count);
  if (padded != count) {
    TypedAttr neutral = isFloat ? TypedAttr(b.getF32FloatAttr(1.0f))
                                : TypedAttr(b.getI32IntegerAttr(
                                      reduction.kind == Combiner::Mul   ? 1
                                      : reduction.kind == Combiner::And ? -1
                                                                        : 0));
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = padded;
    SmallVector<OpFoldResult> low(shape.size(), b.getIndexAttr(0)), high = low;
    high.back() = b.getIndexAttr(padded - count);
    Value constant = arith::ConstantOp::create(b, loc, neutral);
    tensor = tensor::PadOp::create(b, loc, type.clone(shape), tensor, low, high,
                                   constant);
  }
  for (int64_t half = padded / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = half;
    SmallVector<OpFoldResult> sizes, offsets(shape.size(), b.getIndexAttr(0)),
        strides(shape.size(), b.getIndexAttr(1));
    for (int64_t size : shape)
      sizes.push_back(b.getIndexAttr(size));
    Value first =
        tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes, strides);
    offsets.back() = b.getIndexAttr(half);
    Value second =
        tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes, strides);
    tensor = mapTensor(op, {first, second}, type.getElementType(),
                       [&](ScalarBuilder &code, ValueRange values) {
                         return combine(code, values[0], values[1]);
                       });
  }
  if (order.size() > rank)
    tensor = dropUnitDims(b, loc, tensor, {static_cast<unsigned>(rank)});
  word = combine(s, nest.addLeaf(tensor, output.loops), initWord(output));
  return finish(word, output);
}

FailureOr<Value> ReductionRewriter::rewritePosition(const Position &position,
                                                    const Output &output) {
  ScalarBuilder &s = nest.scalars();
  std::optional<Reduction> reduction = matcher.match(position.extremum);
  Attribute start = getSplat(op.getDpsInitOperand(position.extremum)->get());
  if (!isNeutralTo(start, reduction->kind == Combiner::Max))
    return op.emitOpError()
           << "chooses by a running maximum or minimum that starts from "
              "something else than the least or the greatest number of its "
              "type: start from that";
  Value element = reader.read(position.element);
  if (!element)
    return failure();
  unsigned elementRoot = nest.addRoot(element);
  Value best = element;
  if (isReduced(elementRoot, output)) {
    auto [tensor, kept] = extremum(elementRoot, reduction->kind, output);
    element = nest.getRootValue(elementRoot);
    best = nest.addLeaf(tensor, kept);
  }
  // No difference; infinities are equal to themselves.
  Value mask;
  if (isa<FloatType>(element.getType())) {
    Value distance = s.make<arith::MaxNumFOp>(s.absF(s.subF(element, best)),
                                              s.constant(0.0f));
    mask = s.shiftRight(s.sub(s.bits(distance), s.constant(1)), 31);
  } else {
    mask = s.equal(element, best);
  }
  unsigned maskRoot = nest.addRoot(mask);
  reader.forget();
  Value value = reader.read(position.value);
  if (!value)
    return failure();
  if (!isa<IntegerType>(value.getType()))
    return op.emitOpError()
           << "chooses a " << value.getType()
           << " by a running maximum or minimum, only integers such as "
              "positions can be chosen: gather by the position";
  Value missing = s.constant(position.takesLast ? INT32_MIN : INT32_MAX);
  Value masked = s.select(nest.getRootValue(maskRoot), value, missing);
  unsigned maskedRoot = nest.addRoot(masked);
  Value word = masked;
  if (isReduced(maskedRoot, output)) {
    auto [chosen, rest] = extremum(
        maskedRoot, position.takesLast ? Combiner::Max : Combiner::Min, output);
    word = nest.addLeaf(chosen, rest);
  }
  return finish(word, output);
}

FailureOr<Value> ReductionRewriter::rewrite(unsigned result) {
  reader.forget();
  FailureOr<Output> output = readOutput(nest, op, result);
  if (failed(output))
    return failure();
  if (output->type.isF64())
    return op.emitOpError() << "reduces in f64, the machine's widest float is "
                               "f32: use f32";
  if (std::optional<Reduction> reduction = matcher.match(result)) {
    switch (reduction->kind) {
    case Combiner::Add:
      return rewriteSum(*reduction, *output);
    case Combiner::Max:
    case Combiner::Min:
      return rewriteExtremum(*reduction, *output);
    case Combiner::And:
    case Combiner::Or:
      if (output->type.isInteger(1))
        return rewriteExtremum(*reduction, *output);
      return rewriteTree(*reduction, *output);
    case Combiner::Mul:
    case Combiner::Xor:
      return rewriteTree(*reduction, *output);
    }
  }
  if (std::optional<Position> position = matcher.matchPosition(result))
    return rewritePosition(*position, *output);
  Value value = op.getBody()->getTerminator()->getOperand(result);
  if (!matcher.dependsOnResults(value))
    return op.emitOpError()
           << "keeps only the last iteration of a loop that is called a "
              "reduction: make the loop parallel or take a slice";
  return op.emitOpError()
         << "reduces by something else than a sum, product, maximum, minimum "
            "or bitwise combination of the running value and of new terms, or "
            "by the position of such a maximum or minimum: write it as several "
            "of these";
}

LogicalResult ReductionRewriter::run() {
  SmallVector<Value> results;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    if (op->getResult(i).use_empty()) {
      results.push_back(Value());
      continue;
    }
    FailureOr<Value> result = rewrite(i);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  for (auto [old, result] : llvm::zip(op->getResults(), results))
    if (result)
      old.replaceAllUsesWith(result);
  op.erase();
  return success();
}

LogicalResult
sequin::normalize_linalg::rewriteReduction(linalg::GenericOp op,
                                           const Options &options) {
  return ReductionRewriter(op, options).run();
}
