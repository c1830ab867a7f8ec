//===- LinalgStructured.cpp - What structured operations mean -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One point of the iteration space after the other. A result of a reduction
// that is a sum or a product of floats has the error of f32 in whatever order,
// also if its type is narrower, as accumulators are f32 and rounded once: for a
// sum of K terms that is K * 2^-24 times the sum of their magnitudes, and
// nothing if all terms are integers whose magnitudes add up to no more than
// 2^24.
//
//===----------------------------------------------------------------------===//

#include "LinalgValue.h"
#include "ScalarProgram.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Support/Interrupt.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

/// Most points of one iteration space.
static constexpr int64_t kMostPoints = int64_t(1) << 36;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// The offset of an operand's element as a linear function of the loop indices.
struct Access {
  int64_t base = 0;
  SmallVector<int64_t> strides;
};
} // namespace

static FailureOr<Access> accessOf(Operation *op, AffineMap map,
                                  ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> ranges) {
  Access access;
  access.strides.assign(map.getNumDims(), 0);
  int64_t stride = 1;
  for (int64_t i = static_cast<int64_t>(shape.size()) - 1; i >= 0; --i) {
    SmallVector<int64_t> coefficients;
    AffineExpr expr = map.getResult(i);
    if (map.getNumSymbols() != 0 ||
        failed(
            getFlattenedAffineExpr(expr, map.getNumDims(), 0, &coefficients)) ||
        coefficients.size() != map.getNumDims() + 1)
      return op->emitOpError()
             << "has an indexing map that is not a sum of loop indices: "
             << AffineMapAttr::get(map);
    int64_t least = coefficients.back(), most = least;
    access.base += coefficients.back() * stride;
    for (auto [dim, range] : llvm::enumerate(ranges)) {
      access.strides[dim] += coefficients[dim] * stride;
      (coefficients[dim] < 0 ? least : most) +=
          coefficients[dim] * std::max<int64_t>(range - 1, 0);
    }
    if (least < 0 || most >= shape[i])
      return op->emitOpError() << "reaches index " << (least < 0 ? least : most)
                               << " of a dimension of size " << shape[i];
    stride *= shape[i];
  }
  return access;
}

/// Calls `visit(offsets, index)` at every point of `ranges`, the last loop
/// innermost, until it fails; `offsets` has one entry per access.
template <typename Visit>
static LogicalResult forEachPoint(ArrayRef<int64_t> ranges,
                                  ArrayRef<Access> accesses, Visit visit) {
  SmallVector<int64_t> offsets;
  for (const Access &access : accesses)
    offsets.push_back(access.base);
  if (llvm::is_contained(ranges, 0))
    return success();
  SmallVector<int64_t> index(ranges.size());
  while (true) {
    if (interrupted(/*every=*/64) ||
        failed(visit(ArrayRef<int64_t>(offsets), ArrayRef<int64_t>(index))))
      return failure();
    int64_t dim = static_cast<int64_t>(ranges.size()) - 1;
    for (; dim >= 0; --dim) {
      bool wraps = ++index[dim] == ranges[dim];
      for (auto [offset, access] : llvm::zip(offsets, accesses))
        offset += access.strides[dim] * (wraps ? 1 - ranges[dim] : 1);
      if (!wraps)
        break;
      index[dim] = 0;
    }
    if (dim < 0)
      return success();
  }
}

/// Every product of an element of accesses[0] and one of accesses[1], the loop
/// with the smallest steps innermost: visit(offsets, count, steps) covers
/// `count` products.
template <typename Visit>
static void forEachProductRow(ArrayRef<int64_t> ranges,
                              ArrayRef<Access> accesses, Visit visit) {
  size_t inner = 0;
  int64_t best = std::numeric_limits<int64_t>::max();
  for (size_t dim = 0; dim < ranges.size(); ++dim) {
    // Rows of a few products are not worth their small steps.
    int64_t cost = ranges[dim] < 8 ? int64_t(1) << 40 : 0;
    for (const Access &access : accesses)
      cost += std::abs(access.strides[dim]);
    if (cost < best) {
      best = cost;
      inner = dim;
    }
  }
  SmallVector<int64_t> outer(ranges);
  SmallVector<int64_t, 3> steps(accesses.size());
  int64_t count = 1;
  if (!ranges.empty()) {
    count = ranges[inner];
    outer[inner] = std::min<int64_t>(count, 1);
    for (auto [step, access] : llvm::zip(steps, accesses))
      step = access.strides[inner];
  }
  (void)forEachPoint(outer, accesses,
                     [&](ArrayRef<int64_t> at, ArrayRef<int64_t>) {
                       visit(at, count, ArrayRef<int64_t>(steps));
                       return success();
                     });
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// What flushing may take away from a number.
static double flushError() { return isFlushingSubnormals() ? 0x1p-126 : 0; }

/// Up to here sums and products of whole numbers are exact in f32.
static constexpr double kWholeNumbers = 0x1p24;
static constexpr double kOverflow = 0x1p128;

Scalar sequin::reference::finishSum(FloatRounding type, double sum,
                                    double magnitude, double error,
                                    bool isIntegral, double terms) {
  Scalar result{sum, error};
  bool isExact = isIntegral && error == 0 && magnitude <= kWholeNumbers;
  // Infinities and NaN come out of every order, unless finite terms become
  // infinities on the way.
  if (!type || isExact ||
      (!std::isfinite(sum) && std::isfinite(error) &&
       (std::isnan(sum) || magnitude < kOverflow)))
    terms = 0;
  // Products and partial sums on the way may be flushed, or too large.
  if (terms != 0)
    result.error +=
        magnitude < kOverflow
            ? terms * (std::ldexp(magnitude, -24) + 2 * flushError())
            : INFINITY;
  else if (!std::isfinite(sum))
    result.error = 0;
  if (type)
    result = roundTo(ElementType::F32, result);
  return type == ElementType::F32 ? result : roundTo(type, result);
}

/// What a term adds to the magnitude of a sum, which is of finite terms.
static double magnitudeOf(double term) {
  double magnitude = std::fabs(term);
  return magnitude <= std::numeric_limits<double>::max() ? magnitude : 0;
}

namespace {
/// Sums of floats, their magnitudes and the errors of their terms.
struct FloatSums {
  std::vector<double> sums, magnitudes, errors;
  /// All terms are integers without error.
  bool integral = true;

  explicit FloatSums(const LinalgValue &init)
      : sums(init.values), errors(init.errors) {
    errors.resize(sums.size());
    for (auto [sum, error] : llvm::zip_equal(sums, errors)) {
      magnitudes.push_back(magnitudeOf(sum));
      note({sum, error});
    }
  }
  void note(const Scalar &term) {
    integral &= term.error == 0 && term.value == std::nearbyint(term.value);
  }
  void add(int64_t i, const Scalar &term) {
    sums[i] += term.value;
    magnitudes[i] += magnitudeOf(term.value);
    errors[i] += term.error;
    note(term);
  }
  Scalar finish(FloatRounding type, int64_t i, double terms) const {
    return finishSum(type, sums[i], magnitudes[i], errors[i], integral, terms);
  }
};

/// A product of floats in any order.
struct FloatProduct {
  Scalar product;
  /// Of the factors above and below one: what partial products may reach.
  double largest = 1, smallest = 1;
  bool integral = true;

  explicit FloatProduct(const Scalar &init) : product{1} { multiply(init); }
  void multiply(const Scalar &factor) {
    product = multiplyFloats(std::nullopt, product, factor);
    double magnitude = std::fabs(factor.value);
    largest *= std::max(magnitude, 1.0);
    if (magnitude != 0)
      smallest *= std::min(magnitude, 1.0);
    integral &=
        factor.error == 0 && factor.value == std::nearbyint(factor.value);
  }
  Scalar finish(FloatRounding type, double factors) const {
    Scalar result = product;
    bool isSafe = largest < kOverflow && smallest > 0x1p-126;
    if (!type || (integral && largest <= kWholeNumbers))
      factors = 0;
    if (factors != 0)
      result.error += isSafe
                          ? factors * std::ldexp(std::fabs(result.value), -24)
                          : INFINITY;
    if (type)
      result = roundTo(ElementType::F32, result);
    return type == ElementType::F32 ? result : roundTo(type, result);
  }
};
} // namespace

/// out += a * b, accesses in that order: a, b, out.
static void addFloatProducts(ArrayRef<int64_t> ranges,
                             ArrayRef<Access> accesses, const LinalgValue &a,
                             const LinalgValue &b, FloatSums &out) {
  bool exact = a.errors.empty() && b.errors.empty();
  forEachProductRow(
      ranges, accesses,
      [&](ArrayRef<int64_t> at, int64_t n, ArrayRef<int64_t> steps) {
        int64_t sa = steps[0], sb = steps[1], so = steps[2];
        const double *x = &a.values[at[0]], *y = &b.values[at[1]];
        double *sum = &out.sums[at[2]], *magnitude = &out.magnitudes[at[2]];
        for (int64_t i = 0; i < n; ++i) {
          double product = x[i * sa] * y[i * sb];
          sum[i * so] += product;
          magnitude[i * so] += magnitudeOf(product);
        }
        if (exact)
          return;
        for (int64_t i = 0; i < n; ++i) {
          Scalar left = a.get(at[0] + i * sa), right = b.get(at[1] + i * sb);
          out.errors[at[2] + i * so] += std::fabs(left.value) * right.error +
                                        std::fabs(right.value) * left.error +
                                        left.error * right.error;
        }
      });
}

static std::vector<int32_t> wordsOf(const LinalgValue &value) {
  return {value.integers.begin(), value.integers.end()};
}

/// out += a * b in 32 bits, wrapping.
static void addIntProducts(ArrayRef<int64_t> ranges, ArrayRef<Access> accesses,
                           ArrayRef<int32_t> a, ArrayRef<int32_t> b,
                           std::vector<int32_t> &out) {
  forEachProductRow(
      ranges, accesses,
      [&](ArrayRef<int64_t> at, int64_t n, ArrayRef<int64_t> steps) {
        for (int64_t i = 0; i < n; ++i) {
          int32_t &sum = out[at[2] + i * steps[2]];
          sum = addWrap(
              sum, mulWrap(a[at[0] + i * steps[0]], b[at[1] + i * steps[1]]));
        }
      });
}

/// Whether all elements are integers without error.
static bool isIntegral(const LinalgValue &value) {
  return value.errors.empty() && llvm::all_of(value.values, [](double v) {
           return v == std::nearbyint(v);
         });
}

/// `value` as an operation sees it.
static LinalgValue flushed(LinalgValue value) {
  for (int64_t i = 0, n = value.values.size(); i < n; ++i)
    value.set(i, flushOperand(value.get(i)));
  return value;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

/// One structured operation: its operands, outputs included, and loops.
class StructuredRun {
public:
  StructuredRun(linalg::LinalgOp op, Lookup lookup) : op(op), lookup(lookup) {}

  FailureOr<std::vector<LinalgValue>> run();

private:
  LogicalResult readLoops();
  bool addIntegers(const ScalarProgram &program);
  LogicalResult accumulate(const ScalarProgram::Accumulation &accumulation,
                           unsigned result);
  LogicalResult addTerms(const ScalarProgram::Accumulation &accumulation,
                         unsigned result, FloatRounding type);
  LogicalResult multiplyTerms(const ScalarProgram::Accumulation &accumulation,
                              unsigned result, FloatRounding type);
  LogicalResult runInOrder(const ScalarProgram &program);
  /// Runs `program` at every point; visit(offsets, slots) takes its results.
  template <typename Visit>
  LogicalResult forEach(const ScalarProgram &program, Visit visit);

  linalg::LinalgOp op;
  Lookup lookup;
  SmallVector<const LinalgValue *> operands;
  SmallVector<Access> accesses;
  SmallVector<int64_t> ranges;
  double reduced = 1; ///< points per element of a result
  std::vector<LinalgValue> outputs;
  /// Outputs that have been computed as sums or products.
  std::vector<std::optional<LinalgValue>> finished;
};

} // namespace

LogicalResult StructuredRun::readLoops() {
  if (op.getNumDpsInits() != static_cast<int64_t>(op->getNumResults()))
    return op.emitOpError() << "works on buffers, expected tensors";
  SmallVector<int64_t> sizes;
  for (OpOperand &operand : op->getOpOperands()) {
    FailureOr<const LinalgValue *> value = find(op, operand.get(), lookup);
    if (failed(value))
      return failure();
    operands.push_back(*value);
    llvm::append_range(sizes, (*value)->shape);
  }
  AffineMap toLoops = op.getShapesToLoopsMap();
  if (!toLoops)
    return op.emitOpError() << "has loops that no operand's shape gives";
  ranges = toLoops.compose(sizes);
  int64_t points = 1;
  for (int64_t range : ranges)
    if (range < 0 || llvm::MulOverflow(points, range, points) ||
        points > kMostPoints)
      return op.emitOpError()
             << "has an iteration space that is too large for the reference "
                "interpreter";
  for (auto [operand, value] : llvm::zip_equal(op->getOpOperands(), operands)) {
    FailureOr<Access> access =
        accessOf(op, op.getMatchingIndexingMap(&operand), value->shape, ranges);
    if (failed(access))
      return failure();
    accesses.push_back(std::move(*access));
  }
  for (auto [iterator, range] : llvm::zip(op.getIteratorTypesArray(), ranges))
    if (iterator == utils::IteratorType::reduction)
      reduced *= static_cast<double>(range);
  for (const LinalgValue *value :
       llvm::drop_begin(operands, op.getNumDpsInputs()))
    outputs.push_back(*value);
  finished.resize(outputs.size());
  return success();
}

template <typename Visit>
LogicalResult StructuredRun::forEach(const ScalarProgram &program,
                                     Visit visit) {
  std::vector<Scalar> slots = program.freshSlots();
  size_t inputs = op.getNumDpsInputs(), count = operands.size();
  return forEachPoint(
      ranges, accesses,
      [&](ArrayRef<int64_t> at, ArrayRef<int64_t> index) -> LogicalResult {
        for (size_t i = 0; i < count; ++i)
          slots[i] = i < inputs ? operands[i]->get(at[i])
                                : outputs[i - inputs].get(at[i]);
        for (ScalarProgram::LoopIndex loop : program.loopIndices())
          slots[loop.slot].integer = index[loop.loop];
        if (failed(program.run(slots)))
          return failure();
        visit(at, ArrayRef<Scalar>(slots));
        return success();
      });
}

bool StructuredRun::addIntegers(const ScalarProgram &program) {
  size_t inputs = op.getNumDpsInputs();
  if (outputs.size() != 1 || outputs[0].isFloat || !outputs[0].errors.empty())
    return false;
  std::optional<ScalarProgram> term = program.termOfIntegerSum(inputs);
  auto factors = term ? term->productOfArguments() : std::nullopt;
  if (!factors || factors->first >= inputs || factors->second >= inputs)
    return false;
  const LinalgValue &left = *operands[factors->first];
  const LinalgValue &right = *operands[factors->second];
  if (!left.errors.empty() || !right.errors.empty())
    return false;
  std::vector<int32_t> sums = wordsOf(outputs[0]);
  addIntProducts(
      ranges,
      {accesses[factors->first], accesses[factors->second], accesses.back()},
      wordsOf(left), wordsOf(right), sums);
  LinalgValue result = outputs[0];
  result.integers.assign(sums.begin(), sums.end());
  finished[0] = std::move(result);
  return true;
}

LogicalResult
StructuredRun::addTerms(const ScalarProgram::Accumulation &accumulation,
                        unsigned result, FloatRounding type) {
  size_t inputs = op.getNumDpsInputs();
  const ScalarProgram &terms = accumulation.terms;
  LinalgValue total = flushed(outputs[result]);
  FloatSums sums(total);
  auto factors = terms.productOfArguments();
  if (factors && !accumulation.wideTerms && factors->first < inputs &&
      factors->second < inputs) {
    LinalgValue left = flushed(*operands[factors->first]);
    LinalgValue right = flushed(*operands[factors->second]);
    sums.integral &= isIntegral(left) && isIntegral(right);
    addFloatProducts(ranges,
                     {accesses[factors->first], accesses[factors->second],
                      accesses[inputs + result]},
                     left, right, sums);
  } else {
    std::vector<Scalar> wideSlots;
    if (accumulation.wideTerms)
      wideSlots = accumulation.wideTerms->freshSlots();
    bool isFine = true;
    auto visit = [&](ArrayRef<int64_t> at, ArrayRef<Scalar> slots) {
      if (accumulation.wideTerms) {
        // Arguments and loop indices are the same.
        wideSlots.assign(slots.begin(), slots.end());
        isFine &= succeeded(accumulation.wideTerms->run(wideSlots));
      }
      for (size_t i = 0; i < terms.resultCount(); ++i) {
        Scalar term = flushOperand(slots[terms.resultSlot(i)]);
        if (accumulation.wideTerms)
          term.error +=
              std::fabs(term.value - wideSlots[terms.resultSlot(i)].value);
        sums.add(at[inputs + result], term);
      }
    };
    if (failed(forEach(terms, visit)) || !isFine)
      return failure();
  }
  // Beside the terms: the initial value, and the rounding of f32 products.
  double count = reduced * static_cast<double>(terms.resultCount()) + 2;
  for (int64_t i = 0, n = total.count(); i < n; ++i)
    total.set(i, sums.finish(type, i, count));
  finished[result] = std::move(total);
  return success();
}

LogicalResult
StructuredRun::multiplyTerms(const ScalarProgram::Accumulation &accumulation,
                             unsigned result, FloatRounding type) {
  size_t inputs = op.getNumDpsInputs();
  const ScalarProgram &factors = accumulation.terms;
  LinalgValue total = flushed(outputs[result]);
  std::vector<FloatProduct> products;
  for (int64_t i = 0, n = total.count(); i < n; ++i)
    products.emplace_back(total.get(i));
  auto visit = [&](ArrayRef<int64_t> at, ArrayRef<Scalar> slots) {
    for (size_t i = 0; i < factors.resultCount(); ++i)
      products[at[inputs + result]].multiply(
          flushOperand(slots[factors.resultSlot(i)]));
  };
  if (failed(forEach(factors, visit)))
    return failure();
  double count = reduced * static_cast<double>(factors.resultCount()) + 2;
  for (int64_t i = 0, n = total.count(); i < n; ++i)
    total.set(i, products[i].finish(type, count));
  finished[result] = std::move(total);
  return success();
}

LogicalResult
StructuredRun::accumulate(const ScalarProgram::Accumulation &accumulation,
                          unsigned result) {
  FloatRounding type = roundingOf(outputs[result].type);
  return accumulation.isProduct ? multiplyTerms(accumulation, result, type)
                                : addTerms(accumulation, result, type);
}

LogicalResult StructuredRun::runInOrder(const ScalarProgram &program) {
  size_t inputs = op.getNumDpsInputs();
  return forEach(program, [&](ArrayRef<int64_t> at, ArrayRef<Scalar> slots) {
    for (size_t i = 0; i < outputs.size(); ++i)
      outputs[i].set(at[inputs + i], slots[program.resultSlot(i)]);
  });
}

FailureOr<std::vector<LinalgValue>> StructuredRun::run() {
  if (failed(readLoops()))
    return failure();
  FailureOr<ScalarProgram> program =
      ScalarProgram::build(*op.getBlock(), lookup);
  if (failed(program))
    return failure();
  unsigned inputs = op.getNumDpsInputs();
  if (op.getNumReductionLoops() > 0 && !addIntegers(*program))
    for (unsigned i = 0; i < outputs.size(); ++i) {
      auto accumulation = outputs[i].isFloat
                              ? program->accumulationOf(i, inputs + i, inputs)
                              : std::nullopt;
      if (accumulation && failed(accumulate(*accumulation, i)))
        return failure();
    }
  // Whatever is left takes one value after the other.
  if (!llvm::all_of(finished, [](auto &value) { return value.has_value(); }) &&
      failed(runInOrder(*program)))
    return failure();
  for (auto [output, value] : llvm::zip_equal(outputs, finished))
    if (value)
      output = std::move(*value);
  return std::move(outputs);
}

FailureOr<std::vector<LinalgValue>>
sequin::reference::runStructured(linalg::LinalgOp op, Lookup lookup) {
  return StructuredRun(op, lookup).run();
}
