//===- Contractions.cpp - Sums of products -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of products of any number of factors becomes sums of single factors,
// elementwise products and contractions of two: loops that one factor has
// alone are summed first, then pairs are combined in the cheapest order.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "sequin/Conversion/Attributes.h"
#include <limits>

using namespace mlir;
using namespace sequin::normalize_linalg;

static bool hasLoop(ArrayRef<unsigned> loops, unsigned loop) {
  return llvm::is_contained(loops, loop);
}

Factor ProductSum::makeFactor(unsigned root) {
  ScalarBuilder &s = nest.scalars();
  Value value = nest.getRootValue(root);
  Factor factor;
  if (isFloat())
    factor.bits = significantBits(value, s.ranges);
  else
    factor.range = s.range(value);
  BlockArgument element = elementOf(value);
  if (element && !value.getDefiningOp<arith::BitcastOp>()) {
    const Leaf &leaf = nest.leafOf(element);
    factor.tensor = leaf.tensor;
    factor.map = leaf.map;
    factor.type = element.getType();
    return factor;
  }
  // Computed: in the narrowest type that the engine takes and that holds it.
  Builder &b = nest.builder();
  if (isFloat() &&
      factor.bits <= APFloat::semanticsPrecision(APFloat::BFloat()))
    root = nest.addRoot(s.cast<arith::TruncFOp>(b.getBF16Type(), value));
  else if (!isFloat() && factor.range.fits(8))
    root = nest.addRoot(s.cast<arith::TruncIOp>(b.getI8Type(), value));
  factor.type = nest.getRootValue(root).getType();
  LoopIds loops = nest.loopsOf(value);
  factor.tensor = nest.materializeRoot(root, loops);
  factor.map = nest.mapOf(loops);
  return factor;
}

//===----------------------------------------------------------------------===//
// Single operations
//===----------------------------------------------------------------------===//

Value ProductSum::reduce(const Factor &factor, ArrayRef<unsigned> kept,
                         Combiner kind, Value init, bool skipsNan) {
  Leaf leaf{factor.tensor, factor.map};
  nest.resolve(leaf);
  LoopIds order;
  for (AffineExpr expr : leaf.map.getResults())
    order.push_back(cast<AffineDimExpr>(expr).getPosition());
  bool isFloatSum = isFloat();
  return nest
      .makeGeneric(
          {leaf}, init, order, kept,
          [&](OpBuilder &b, ValueRange arguments) -> Value {
            Location loc = nest.getLoc();
            Value x = arguments[0], out = arguments[1];
            if (x.getType() != accumulator)
              x = isFloatSum ? arith::ExtFOp::create(b, loc, accumulator, x)
                                   .getResult()
                             : arith::ExtSIOp::create(b, loc, accumulator, x)
                                   .getResult();
            auto pick = [&](auto number, auto any, auto integer) -> Value {
              if (!isFloatSum)
                return decltype(integer)::create(b, loc, out, x);
              if (skipsNan)
                return decltype(any)::create(b, loc, out, x);
              return decltype(number)::create(b, loc, out, x);
            };
            if (kind == Combiner::Add)
              return pick(arith::AddFOp(), arith::AddFOp(), arith::AddIOp());
            if (kind == Combiner::Max)
              return pick(arith::MaximumFOp(), arith::MaxNumFOp(),
                          arith::MaxSIOp());
            return pick(arith::MinimumFOp(), arith::MinNumFOp(),
                        arith::MinSIOp());
          })
      .getResult(0);
}

Value ProductSum::sum(const Factor &factor, ArrayRef<unsigned> kept,
                      Value init) {
  if (isFloat())
    return reduce(factor, kept, Combiner::Add, init);
  int64_t count = nest.sizeOf(nest.loopsOf(factor.map)) / nest.sizeOf(kept);
  // Sums of some of the elements, in any order, are between these.
  IntRange all = factor.range * IntRange{0, count};
  Attribute splat = getSplat(init);
  IntRange start = IntRange::all();
  if (auto number = dyn_cast_or_null<IntegerAttr>(splat))
    start = {number.getValue().getSExtValue(),
             number.getValue().getSExtValue()};
  if ((all + start).fits(32))
    return reduce(factor, kept, Combiner::Add, init);
  // Digits of so few bits that no sum leaves i32; the first has the sign.
  unsigned bits = 0;
  while (((int64_t(2) << bits) - 1) * count <= INT32_MAX)
    ++bits;
  if (all.fits(32))
    bits = 32;
  if (bits == 0)
    return reduce(factor, kept, Combiner::Add, init);
  Operation *root = nest.getRoot();
  SmallVector<Value> sums;
  for (unsigned low = 0; low < 32; low += bits) {
    Factor digit = factor;
    if (bits < 32) {
      digit.type = accumulator;
      digit.tensor = mapTensor(
          root, factor.tensor, accumulator,
          [&](ScalarBuilder &s, ValueRange x) {
            Value word = s.shiftRight(x[0], static_cast<int32_t>(low));
            int64_t mask = (int64_t(1) << bits) - 1;
            return low + bits >= 32
                       ? word
                       : s.bitAnd(word, s.constant(static_cast<int32_t>(mask)));
          });
    }
    sums.push_back(
        reduce(digit, kept, Combiner::Add, nest.makeZeros(kept, accumulator)));
  }
  if (!isZero(splat))
    sums.push_back(init);
  return mapTensor(
      root, sums, accumulator, [&](ScalarBuilder &s, ValueRange words) {
        Value total = words[0];
        for (unsigned i = 1; i < words.size(); ++i)
          total = s.add(total,
                        bits * i < 32
                            ? s.shiftLeft(words[i], static_cast<int>(bits * i))
                            : words[i]);
        return total;
      });
}

Factor ProductSum::multiply(const Factor &a, const Factor &b,
                            ArrayRef<unsigned> loops) {
  ScalarBuilder &s = nest.scalars();
  Value x = nest.addLeaf(a.tensor, a.map), y = nest.addLeaf(b.tensor, b.map);
  unsigned root = nest.addRoot(isFloat() ? s.mulF(x, y) : s.mul(x, y));
  Factor product;
  product.tensor = nest.materializeRoot(root, loops);
  product.map = nest.mapOf(loops);
  product.type = accumulator;
  product.bits = std::min(24u, a.bits + b.bits);
  product.range = (a.range * b.range).wrapped();
  return product;
}

Value ProductSum::contractOnce(Factor a, Factor b, ArrayRef<unsigned> kept,
                               Value init) {
  Leaf leaves[] = {{a.tensor, a.map}, {b.tensor, b.map}};
  for (Leaf &leaf : leaves)
    nest.resolve(leaf);
  LoopIds order(kept);
  for (Leaf &leaf : leaves)
    for (unsigned loop : nest.loopsOf(leaf.map))
      if (!hasLoop(order, loop))
        order.push_back(loop);
  bool floats = isFloat();
  return nest
      .makeGeneric(
          leaves, init, order, kept,
          [&](OpBuilder &builder, ValueRange arguments) -> Value {
            Location loc = nest.getLoc();
            Value x, y, out = arguments[2];
            if (floats) {
              x = arith::ExtFOp::create(builder, loc, accumulator,
                                        arguments[0]);
              y = arith::ExtFOp::create(builder, loc, accumulator,
                                        arguments[1]);
              x = arith::MulFOp::create(builder, loc, x, y);
              return arith::AddFOp::create(builder, loc, out, x);
            }
            x = arith::ExtSIOp::create(builder, loc, accumulator, arguments[0]);
            y = arith::ExtSIOp::create(builder, loc, accumulator, arguments[1]);
            x = arith::MulIOp::create(builder, loc, x, y);
            return arith::AddIOp::create(builder, loc, out, x);
          })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Two factors
//===----------------------------------------------------------------------===//

/// Digits of bf16 or i8 that hold the factor.
unsigned ProductSum::digitsOf(const Factor &factor) const {
  if (isFloat()) {
    unsigned precision = APFloat::semanticsPrecision(APFloat::BFloat());
    return options.allowBf16 || options.allowNarrow
               ? 1
               : llvm::divideCeil(factor.bits, precision);
  }
  if (options.allowNarrow)
    return 1;
  // The largest numbers of n balanced digits: 127, 127 * 257, ...
  int64_t low = -128, high = 127;
  for (unsigned count = 1; count < 4; ++count) {
    if (factor.range.fits({low, high}))
      return count;
    low = low * 256 - 128;
    high = high * 256 + 127;
  }
  return 4;
}

Factor ProductSum::contract(const Factor &a, const Factor &b,
                            ArrayRef<unsigned> kept, Value &init) {
  auto isEngineType = [](Type type) {
    return type.isInteger(4) || type.isInteger(8) || type.isBF16() ||
           isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  if (!isEngineType(a.type) || a.type != b.type)
    return contractDigits(a, b, kept, init);
  Value start = init ? init : nest.makeZeros(kept, accumulator);
  init = Value();
  bool fromZero = isZero(getSplat(start));
  Factor result;
  result.tensor = contractOnce(a, b, kept, start);
  result.map = nest.mapOf(kept);
  result.type = accumulator;
  if (!isFloat() && fromZero) {
    int64_t count = 1;
    for (auto [loop, size] : llvm::enumerate(nest.getSizes()))
      if (!hasLoop(kept, loop) && a.map.isFunctionOfDim(loop))
        count *= size;
    result.range = (a.range * b.range * IntRange{count, count}).wrapped();
  }
  return result;
}

Factor ProductSum::contractDigits(const Factor &a, const Factor &b,
                                  ArrayRef<unsigned> kept, Value &init) {
  Builder &builder = nest.builder();
  Type digit =
      isFloat() ? Type(builder.getBF16Type()) : Type(builder.getI8Type());
  SmallVector<Value> x = cutDigits(nest.getRoot(), a, digitsOf(a));
  SmallVector<Value> y = a.tensor == b.tensor && digitsOf(a) == digitsOf(b)
                             ? x
                             : cutDigits(nest.getRoot(), b, digitsOf(b));
  // By the sum of their ranks.
  constexpr unsigned kFloatRanks = 3, kIntRanks = 4, kBits = 8;
  unsigned ranks = std::min<unsigned>(isFloat() ? kFloatRanks : kIntRanks,
                                      x.size() + y.size() - 1);
  unsigned products = 0;
  auto multiplyRank = [&](unsigned rank, Value sum) {
    for (unsigned i = std::min<unsigned>(rank + 1, x.size()); i-- > 0;) {
      unsigned j = rank - i;
      if (j >= y.size())
        continue;
      sum = contractOnce({x[i], a.map, digit}, {y[j], b.map, digit}, kept, sum);
      if (x.size() > 1 || y.size() > 1)
        sum.getDefiningOp()->setAttr(
            kDigitProductAttrName,
            builder.getStringAttr(Twine(i) + "," + Twine(j)));
      ++products;
    }
    return sum;
  };
  Factor result;
  result.map = nest.mapOf(kept);
  result.type = accumulator;
  if (isFloat()) {
    Value start = init ? init : nest.makeZeros(kept, accumulator);
    bool fromZero = isZero(getSplat(start));
    Value sum =
        fromZero || ranks == 1 ? start : nest.makeZeros(kept, accumulator);
    init = Value();
    for (unsigned rank = ranks; rank-- > 1;)
      sum = multiplyRank(rank, sum);
    // Of an infinite number the first digit is infinite and the others are NaN,
    // and so are their products. They must not hide the product of the first
    // digits, to which any number may be added then: the maximum of a number
    // and NaN is the number.
    if (ranks > 1) {
      SmallVector<Value> operands = {sum};
      if (!fromZero)
        operands.push_back(start);
      sum = mapTensor(
          nest.getRoot(), operands, accumulator,
          [](ScalarBuilder &s, ValueRange values) {
            constexpr float kMost = std::numeric_limits<float>::max();
            Value low = s.make<arith::MaxNumFOp>(values[0], s.constant(-kMost));
            Value finite = s.make<arith::MinNumFOp>(low, s.constant(kMost));
            return values.size() > 1 ? s.addF(finite, values[1]) : finite;
          });
    }
    result.tensor = multiplyRank(0, sum);
  } else if (ranks == 1) {
    Value sum = init ? init : nest.makeZeros(kept, accumulator);
    init = Value();
    result.tensor = multiplyRank(0, sum);
  } else {
    SmallVector<Value> sums;
    for (unsigned rank = ranks; rank-- > 0;) {
      Value sum = nest.makeZeros(kept, accumulator);
      if (rank == 0 && init)
        sum = std::exchange(init, Value());
      sums.push_back(multiplyRank(rank, sum));
    }
    result.tensor = mapTensor(nest.getRoot(), sums, accumulator,
                              [&](ScalarBuilder &s, ValueRange values) {
                                Value total = values[0];
                                for (Value value : values.drop_front())
                                  total =
                                      s.add(s.shiftLeft(total, kBits), value);
                                return total;
                              });
  }
  if (products > 1) {
    auto module = nest.getRoot()->getParentOfType<ModuleOp>();
    constexpr StringLiteral kCount = "sequin.digit_products";
    auto before = module->getAttrOfType<IntegerAttr>(kCount);
    module->setAttr(kCount, builder.getI64IntegerAttr(
                                products - 1 + (before ? before.getInt() : 0)));
  }
  return result;
}

Factor ProductSum::combine(const Factor &a, const Factor &b,
                           ArrayRef<unsigned> kept, Value &init) {
  LoopIds mine = nest.loopsOf(a.map), others = nest.loopsOf(b.map), all, own;
  // The order of the result first.
  for (unsigned loop : kept)
    if (hasLoop(mine, loop) || hasLoop(others, loop))
      own.push_back(loop);
  all = own;
  for (const LoopIds &loops : {mine, others})
    for (unsigned loop : loops)
      if (!hasLoop(all, loop))
        all.push_back(loop);
  Value none;
  Value &start = own.size() == kept.size() ? init : none;
  if (nest.sizeOf(all) == nest.sizeOf(own)) {
    // Loops of one iteration go here, too.
    Factor product = multiply(a, b, all);
    if (all.size() == own.size())
      return product;
    Value zero = nest.makeZeros(own, accumulator);
    product.tensor = sum(product, own, zero);
    product.map = nest.mapOf(own);
    return product;
  }
  bool exact = digitsOf(a) == 1 && digitsOf(b) == 1 && a.type != accumulator &&
               b.type != accumulator;
  auto covers = [&](ArrayRef<unsigned> loops) {
    return nest.sizeOf(loops) == nest.sizeOf(all);
  };
  if (!exact && (covers(mine) || covers(others))) {
    Factor product = multiply(a, b, all);
    if (!start)
      start = nest.makeZeros(own, accumulator);
    product.tensor = sum(product, own, std::exchange(start, Value()));
    product.map = nest.mapOf(own);
    product.bits = 24;
    product.range = IntRange::all();
    return product;
  }
  return contract(a, b, own, start);
}

//===----------------------------------------------------------------------===//
// Any number of factors
//===----------------------------------------------------------------------===//

namespace {

/// Chooses which pairs to combine, by the sizes of the nests.
class OrderSearch {
public:
  OrderSearch(Nest &nest, ArrayRef<Factor> factors, ArrayRef<unsigned> kept)
      : nest(nest) {
    for (const Factor &factor : factors)
      loops.push_back(maskOf(nest.loopsOf(factor.map)));
    keptMask = maskOf(kept);
  }

  /// The first pair to combine: two of the factors.
  std::pair<unsigned, unsigned> choose();

private:
  using Mask = uint64_t;
  /// Beyond this, the best pair at each moment is taken.
  static constexpr unsigned kSearched = 6;

  static Mask maskOf(ArrayRef<unsigned> list) {
    Mask mask = 0;
    for (unsigned loop : list)
      mask |= Mask(1) << loop;
    return mask;
  }
  double sizeOf(Mask mask) const {
    double size = 1;
    for (auto [loop, extent] : llvm::enumerate(nest.getSizes()))
      if (mask >> loop & 1)
        size *= extent;
    return size;
  }
  /// What combining i and j leaves, and costs.
  std::pair<Mask, double> combine(ArrayRef<Mask> list, unsigned i,
                                  unsigned j) const {
    Mask needed = keptMask;
    for (auto [k, mask] : llvm::enumerate(list))
      if (k != i && k != j)
        needed |= mask;
    Mask all = list[i] | list[j];
    return {all & needed, sizeOf(all) + sizeOf(all & needed)};
  }
  double costOf(SmallVector<Mask> list,
                std::pair<unsigned, unsigned> *first) const;

  Nest &nest;
  SmallVector<Mask> loops;
  Mask keptMask;
};

} // namespace

double OrderSearch::costOf(SmallVector<Mask> list,
                           std::pair<unsigned, unsigned> *first) const {
  if (list.size() < 2)
    return 0;
  double best = std::numeric_limits<double>::infinity();
  for (unsigned i = 0; i < list.size(); ++i)
    for (unsigned j = i + 1; j < list.size(); ++j) {
      auto [rest, cost] = combine(list, i, j);
      if (cost >= best)
        continue;
      if (list.size() <= kSearched) {
        SmallVector<Mask> next = list;
        next[i] = rest;
        next.erase(next.begin() + j);
        cost += costOf(std::move(next), nullptr);
      }
      if (cost < best) {
        best = cost;
        if (first)
          *first = {i, j};
      }
    }
  return best;
}

std::pair<unsigned, unsigned> OrderSearch::choose() {
  std::pair<unsigned, unsigned> first = {0, 1};
  costOf(loops, &first);
  return first;
}

Factor ProductSum::run(SmallVector<Factor> factors, ArrayRef<unsigned> kept,
                       Value &init) {
  while (true) {
    // Loops that a factor has alone.
    for (auto [i, factor] : llvm::enumerate(factors)) {
      LoopIds mine = nest.loopsOf(factor.map), rest;
      for (unsigned loop : kept)
        if (hasLoop(mine, loop))
          rest.push_back(loop);
      for (auto [j, other] : llvm::enumerate(factors))
        if (i != j)
          for (unsigned loop : nest.loopsOf(other.map))
            if (hasLoop(mine, loop) && !hasLoop(rest, loop))
              rest.push_back(loop);
      if (rest.size() == mine.size())
        continue;
      int64_t count = nest.sizeOf(mine) / nest.sizeOf(rest);
      bool last = factors.size() == 1 && rest.size() == kept.size() && init;
      Value start = last ? std::exchange(init, Value())
                         : nest.makeZeros(rest, accumulator);
      factor.tensor = sum(factor, rest, start);
      factor.map = nest.mapOf(rest);
      factor.type = accumulator;
      if (count > 1 || last) {
        factor.bits = 24;
        factor.range = last ? IntRange::all()
                            : (factor.range * IntRange{count, count}).wrapped();
      }
    }
    if (factors.size() == 1)
      return factors[0];
    auto [i, j] = factors.size() == 2
                      ? std::pair(0u, 1u)
                      : OrderSearch(nest, factors, kept).choose();
    LoopIds needed(kept);
    for (auto [k, other] : llvm::enumerate(factors))
      if (k != i && k != j)
        for (unsigned loop : nest.loopsOf(other.map))
          if (!hasLoop(needed, loop))
            needed.push_back(loop);
    Value none;
    Factor product = combine(factors[i], factors[j], needed,
                             factors.size() == 2 ? init : none);
    factors[i] = std::move(product);
    factors.erase(factors.begin() + j);
  }
}
