//===- LinalgInterpreter.cpp - What linalg programs mean ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured operations on static tensors, one point of the iteration space
// after the other. Floats carry the largest distance a correct machine may be
// off (ScalarProgram.h); for a sum of K terms in f32, in whatever order, that
// is K * 2^-24 times the sum of their magnitudes, and nothing if all terms are
// integers whose magnitudes add up to no more than 2^24.
//
//===----------------------------------------------------------------------===//

#include "LinalgValue.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sequin/Reference/Interpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

namespace {

/// The offset of an operand's element as a linear function of the loop indices.
struct Access {
  int64_t base = 0;
  SmallVector<int64_t> strides;
};

class LinalgInterpreter {
public:
  explicit LinalgInterpreter(bool flushSubnormals)
      : environment(flushSubnormals),
        flushError(flushSubnormals ? std::ldexp(1.0, -126) : 0) {}

  FailureOr<std::vector<LinalgResult>> run(func::FuncOp function,
                                           ArrayRef<Array> inputs);

private:
  LogicalResult runOp(Operation &op);
  LogicalResult runStructured(linalg::LinalgOp op);
  LogicalResult runElementwise(Operation &op);
  LogicalResult runConstant(arith::ConstantOp op);
  LogicalResult runReshape(Operation &op);
  LogicalResult runMove(Operation &op);
  LogicalResult runCall(func::CallOp op);
  /// The values that it returns; those of its arguments are there.
  FailureOr<SmallVector<LinalgValue>> runBody(func::FuncOp function);

  FailureOr<LinalgValue> emptyOf(Operation *op, Type type);
  FailureOr<const LinalgValue *> get(Operation *op, Value value);

  llvm::DenseMap<Value, LinalgValue> env;
  SmallVector<func::FuncOp> running; ///< functions that are called
  FloatEnvironment environment;
  /// What flushing may take away from a number.
  double flushError;
};

} // namespace

/// Most points of one iteration space.
static constexpr int64_t kMostPoints = int64_t(1) << 36;
static constexpr int64_t kMostElements = int64_t(1) << 28;

FailureOr<LinalgValue> LinalgInterpreter::emptyOf(Operation *op, Type type) {
  LinalgValue value;
  if (auto shaped = dyn_cast<RankedTensorType>(type)) {
    int64_t count = 1;
    for (int64_t size : shaped.getShape()) {
      if (ShapedType::isDynamic(size) || size < 0)
        return op->emitOpError()
               << "has type " << type << ", expected a static shape";
      if (llvm::MulOverflow(count, size, count) || count > kMostElements)
        return op->emitOpError()
               << "has type " << type
               << ", which is too large for the reference interpreter";
    }
    value.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
  }
  std::optional<ElementType> element =
      elementTypeOf(getElementTypeOrSelf(type));
  if (!element)
    return op->emitOpError() << "has type " << type
                             << ", which the reference interpreter does not "
                                "know";
  value.type = *element;
  return value;
}

FailureOr<const LinalgValue *> LinalgInterpreter::get(Operation *op,
                                                      Value value) {
  auto found = env.find(value);
  if (found == env.end())
    return op->emitOpError() << "uses a value that has not been computed";
  return &found->second;
}

//===----------------------------------------------------------------------===//
// Structured operations
//===----------------------------------------------------------------------===//

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

/// Calls `visit(offsets)` at every point of `ranges`, the last loop innermost;
/// `offsets` has one entry per access.
template <typename Visit>
static void forEachPoint(ArrayRef<int64_t> ranges, ArrayRef<Access> accesses,
                         Visit visit) {
  SmallVector<int64_t> offsets;
  for (const Access &access : accesses)
    offsets.push_back(access.base);
  if (llvm::is_contained(ranges, 0))
    return;
  SmallVector<int64_t> index(ranges.size());
  while (true) {
    visit(ArrayRef<int64_t>(offsets));
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
      return;
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
  forEachPoint(outer, accesses, [&](ArrayRef<int64_t> at) {
    visit(at, count, ArrayRef<int64_t>(steps));
  });
}

namespace {
/// Sums of floats, their magnitudes and the errors of their terms.
struct FloatSums {
  std::vector<double> sums, magnitudes, errors;
  /// All terms are integers without error.
  bool integral = true;
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
          magnitude[i * so] += std::fabs(product);
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

/// out += a * b in 32 bits, wrapping.
static void addIntProducts(ArrayRef<int64_t> ranges, ArrayRef<Access> accesses,
                           const LinalgValue &a, const LinalgValue &b,
                           LinalgValue &out) {
  forEachProductRow(
      ranges, accesses,
      [&](ArrayRef<int64_t> at, int64_t n, ArrayRef<int64_t> steps) {
        for (int64_t i = 0; i < n; ++i) {
          int32_t &sum = out.integers[at[2] + i * steps[2]];
          sum = addWrap(sum, mulWrap(a.integers[at[0] + i * steps[0]],
                                     b.integers[at[1] + i * steps[1]]));
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

/// A sum of `terms` terms in f32 in any order.
static Scalar finishSum(double sum, double magnitude, double error,
                        bool integral, double terms, double flushError) {
  Scalar result;
  result.value = sum;
  result.error = error;
  // Products and partial sums on the way may be flushed as well.
  if (!(integral && error == 0 && magnitude <= 16777216.0))
    result.error += terms * (std::ldexp(magnitude, -24) + 2 * flushError);
  return roundTo(ElementType::F32, result);
}

LogicalResult LinalgInterpreter::runStructured(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t points = 1;
  for (int64_t range : ranges)
    if (ShapedType::isDynamic(range) || range < 0 ||
        llvm::MulOverflow(points, range, points) || points > kMostPoints)
      return op.emitOpError()
             << "has an iteration space that is dynamic or too large for the "
                "reference interpreter";
  if (op.getNumDpsInits() != static_cast<int64_t>(op->getNumResults()))
    return op.emitOpError() << "works on buffers, expected tensors";

  SmallVector<const LinalgValue *> operands;
  SmallVector<Access> accesses;
  for (OpOperand &operand : op->getOpOperands()) {
    FailureOr<const LinalgValue *> value = get(op, operand.get());
    if (failed(value))
      return failure();
    FailureOr<Access> access = accessOf(op, op.getMatchingIndexingMap(&operand),
                                        (*value)->shape, ranges);
    if (failed(access))
      return failure();
    operands.push_back(*value);
    accesses.push_back(std::move(*access));
  }
  size_t inputCount = op.getNumDpsInputs(), count = operands.size();
  std::vector<LinalgValue> outputs;
  for (size_t i = inputCount; i < count; ++i)
    outputs.push_back(*operands[i]);

  llvm::DenseMap<Value, Scalar> outside;
  auto capture = [&](Value value) -> const Scalar * {
    auto found = env.find(value);
    if (found == env.end() || !found->second.shape.empty())
      return nullptr;
    return &(outside[value] = found->second.get(0));
  };
  FailureOr<ScalarProgram> program =
      ScalarProgram::build(*op.getBlock(), capture);
  if (failed(program))
    return failure();

  double terms = 1;
  for (auto [iterator, range] : llvm::zip(op.getIteratorTypesArray(), ranges))
    if (iterator == utils::IteratorType::reduction)
      terms *= static_cast<double>(range);
  std::optional<ScalarProgram> term;
  if (op.getNumReductionLoops() > 0 && outputs.size() == 1)
    term = program->termOfSum(inputCount);

  auto factors = term ? term->productOfArguments() : std::nullopt;
  SmallVector<Access, 3> used;
  if (factors)
    used = {accesses[factors->first], accesses[factors->second],
            accesses.back()};
  if (term && !isFloat(outputs.front().type) && factors) {
    addIntProducts(ranges, used, *operands[factors->first],
                   *operands[factors->second], outputs.front());
  } else if (term && isFloat(outputs.front().type)) {
    LinalgValue &out = outputs.front();
    out = flushed(std::move(out));
    FloatSums acc;
    acc.sums = out.values;
    acc.errors = out.errors;
    acc.errors.resize(acc.sums.size());
    for (double sum : acc.sums)
      acc.magnitudes.push_back(std::fabs(sum));
    acc.integral = isIntegral(out);
    if (factors) {
      LinalgValue left = flushed(*operands[factors->first]);
      LinalgValue right = flushed(*operands[factors->second]);
      acc.integral &= isIntegral(left) && isIntegral(right);
      addFloatProducts(ranges, used, left, right, acc);
    } else {
      std::vector<Scalar> slots = term->freshSlots();
      forEachPoint(ranges, accesses, [&](ArrayRef<int64_t> at) {
        for (size_t i = 0; i < inputCount; ++i)
          slots[i] = operands[i]->get(at[i]);
        term->run(slots);
        const Scalar one = flushOperand(slots[term->resultSlot(0)]);
        acc.sums[at.back()] += one.value;
        acc.magnitudes[at.back()] += std::fabs(one.value);
        acc.errors[at.back()] += one.error;
        acc.integral &=
            one.error == 0 && one.value == std::nearbyint(one.value);
      });
    }
    // Beside the terms: the initial value, and the rounding of f32 products.
    for (size_t i = 0; i < acc.sums.size(); ++i)
      out.set(i, finishSum(acc.sums[i], acc.magnitudes[i], acc.errors[i],
                           acc.integral, terms + 2, flushError));
  } else {
    std::vector<Scalar> slots = program->freshSlots();
    forEachPoint(ranges, accesses, [&](ArrayRef<int64_t> at) {
      for (size_t i = 0; i < count; ++i)
        slots[i] = i < inputCount ? operands[i]->get(at[i])
                                  : outputs[i - inputCount].get(at[i]);
      program->run(slots);
      for (size_t i = inputCount; i < count; ++i)
        outputs[i - inputCount].set(at[i],
                                    slots[program->resultSlot(i - inputCount)]);
    });
  }
  for (auto [result, value] : llvm::zip_equal(op->getResults(), outputs))
    env[result] = std::move(value);
  return success();
}

//===----------------------------------------------------------------------===//
// Other operations
//===----------------------------------------------------------------------===//

LogicalResult LinalgInterpreter::runConstant(arith::ConstantOp op) {
  FailureOr<LinalgValue> value = emptyOf(op, op.getType());
  if (failed(value))
    return failure();
  value->allocate();
  auto bad = [&] {
    return op.emitOpError() << "has a value the reference interpreter does "
                               "not know";
  };
  if (!isa<ShapedType>(op.getType())) {
    std::optional<Scalar> scalar = readConstant(op.getValue());
    if (!scalar)
      return bad();
    value->set(0, *scalar);
  } else {
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!dense)
      return bad();
    for (auto [i, element] : llvm::enumerate(dense.getValues<Attribute>())) {
      std::optional<Scalar> scalar = readConstant(element);
      if (!scalar)
        return bad();
      value->set(i, *scalar);
    }
  }
  env[op.getResult()] = std::move(*value);
  return success();
}

LogicalResult LinalgInterpreter::runReshape(Operation &op) {
  FailureOr<const LinalgValue *> source = get(&op, op.getOperand(0));
  FailureOr<LinalgValue> shape = emptyOf(&op, op.getResult(0).getType());
  if (failed(source) || failed(shape))
    return failure();
  LinalgValue value = **source;
  value.shape = shape->shape;
  env[op.getResult(0)] = std::move(value);
  return success();
}

LogicalResult LinalgInterpreter::runMove(Operation &op) {
  FailureOr<LinalgValue> result = emptyOf(&op, op.getResult(0).getType());
  if (failed(result))
    return failure();
  SmallVector<const LinalgValue *> operands;
  for (Value operand : op.getOperands()) {
    FailureOr<const LinalgValue *> value = get(&op, operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  auto scalarOf = [&](Value value) -> const LinalgValue * {
    auto found = env.find(value);
    return found == env.end() ? nullptr : &found->second;
  };
  if (failed(moveElements(&op, operands, scalarOf, *result)))
    return failure();
  env[op.getResult(0)] = std::move(*result);
  return success();
}

LogicalResult LinalgInterpreter::runElementwise(Operation &op) {
  FailureOr<LinalgValue> result = emptyOf(&op, op.getResult(0).getType());
  if (failed(result))
    return failure();
  SmallVector<const LinalgValue *> operands;
  for (Value operand : op.getOperands()) {
    FailureOr<const LinalgValue *> value = get(&op, operand);
    if (failed(value))
      return failure();
    if ((*value)->shape != result->shape)
      return op.emitOpError() << "mixes tensors and scalars";
    operands.push_back(*value);
  }
  FailureOr<ScalarProgram> program = ScalarProgram::build(&op);
  if (failed(program))
    return failure();
  result->allocate();
  std::vector<Scalar> slots = program->freshSlots();
  for (int64_t i = 0, n = result->count(); i < n; ++i) {
    for (auto [slot, operand] : llvm::enumerate(operands))
      slots[slot] = operand->get(i);
    program->run(slots);
    result->set(i, slots[program->resultSlot(0)]);
  }
  env[op.getResult(0)] = std::move(*result);
  return success();
}

LogicalResult LinalgInterpreter::runOp(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return runConstant(constant);
  if (isa<tensor::EmptyOp>(op)) {
    FailureOr<LinalgValue> value = emptyOf(&op, op.getResult(0).getType());
    if (failed(value))
      return failure();
    value->allocate();
    env[op.getResult(0)] = std::move(*value);
    return success();
  }
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return runReshape(op);
  if (movesElements(&op))
    return runMove(op);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return runStructured(structured);
  if (auto call = dyn_cast<func::CallOp>(op))
    return runCall(call);
  if (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
      op.getNumResults() == 1)
    return runElementwise(op);
  return op.emitOpError() << "is not supported by the reference interpreter";
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<LinalgValue>>
LinalgInterpreter::runBody(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "function '" << function.getName() << "' has more than one block";
  for (Operation &op : function.getBody().front()) {
    if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
      SmallVector<LinalgValue> results;
      for (Value operand : returnOp.getOperands()) {
        FailureOr<const LinalgValue *> value = get(&op, operand);
        if (failed(value))
          return failure();
        results.push_back(**value);
      }
      return results;
    }
    if (failed(runOp(op)))
      return failure();
  }
  return function.emitError()
         << "function '" << function.getName() << "' does not return";
}

LogicalResult LinalgInterpreter::runCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee || callee.isExternal())
    return op.emitOpError()
           << "calls '" << op.getCallee() << "', which has no body";
  if (llvm::is_contained(running, callee))
    return op.emitOpError() << "calls '" << op.getCallee() << "' recursively";
  for (auto [argument, operand] :
       llvm::zip_equal(callee.getArguments(), op.getOperands())) {
    FailureOr<const LinalgValue *> value = get(op, operand);
    if (failed(value))
      return failure();
    LinalgValue copy = **value;
    env[argument] = std::move(copy);
  }
  running.push_back(callee);
  FailureOr<SmallVector<LinalgValue>> results = runBody(callee);
  running.pop_back();
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), *results))
    env[result] = std::move(value);
  return success();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

static int64_t arrayBytes(ElementType type, int64_t count) {
  return getBitWidth(type) < 8 ? count : getByteSize(type, count);
}

static LogicalResult load(LinalgValue &value, const Array &array) {
  int64_t count = value.count();
  if (array.type != value.type ||
      array.shape != ArrayRef<int64_t>(value.shape) ||
      static_cast<int64_t>(array.data.size()) != arrayBytes(value.type, count))
    return failure();
  value.allocate();
  bool bytes = getBitWidth(value.type) < 8;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits =
        bytes ? array.data[i] : loadElement(value.type, array.data.data(), i);
    if (isFloat(value.type))
      value.values[i] = decodeFloat(value.type, bits);
    else
      value.integers[i] = decodeInt(value.type, bits);
  }
  return success();
}

static LinalgResult store(const LinalgValue &value) {
  LinalgResult result;
  result.value.type = value.type;
  result.value.shape.assign(value.shape.begin(), value.shape.end());
  int64_t count = value.count();
  result.value.data.resize(arrayBytes(value.type, count));
  uint8_t *data = result.value.data.data();
  for (int64_t i = 0; i < count; ++i) {
    if (!isFloat(value.type)) {
      if (getBitWidth(value.type) < 8)
        data[i] = static_cast<uint8_t>(value.integers[i]);
      else
        storeElement(value.type, data, i,
                     static_cast<uint32_t>(value.integers[i]));
      continue;
    }
    // The value is stored in the result's type; the distance it moves by that
    // counts, and so does a subnormal that the machine flushes.
    Scalar scalar = value.get(i);
    uint32_t bits = encodeFloat(value.type, static_cast<float>(scalar.value));
    storeElement(value.type, data, i, bits);
    double stored = decodeFloat(value.type, bits);
    double moved = std::isfinite(stored) && std::isfinite(scalar.value)
                       ? std::fabs(stored - scalar.value)
                       : 0;
    result.tolerance.push_back(scalar.error + moved + std::ldexp(1.0, -126));
  }
  return result;
}

FailureOr<std::vector<LinalgResult>>
LinalgInterpreter::run(func::FuncOp function, ArrayRef<Array> inputs) {
  if (function.getNumArguments() != inputs.size())
    return function.emitError() << "function '" << function.getName()
                                << "' takes " << function.getNumArguments()
                                << " arguments, given " << inputs.size();
  running.push_back(function);
  for (auto [argument, array] :
       llvm::zip_equal(function.getArguments(), inputs)) {
    FailureOr<LinalgValue> value = emptyOf(function, argument.getType());
    if (failed(value))
      return failure();
    if (failed(load(*value, array)))
      return function.emitError()
             << "argument " << argument.getArgNumber() << " of function '"
             << function.getName() << "' is given an array of another shape "
             << "or type, expected " << argument.getType();
    env[argument] = std::move(*value);
  }
  FailureOr<SmallVector<LinalgValue>> returned = runBody(function);
  if (failed(returned))
    return failure();
  std::vector<LinalgResult> results;
  for (const LinalgValue &value : *returned)
    results.push_back(store(value));
  return results;
}

FailureOr<std::vector<LinalgResult>>
sequin::reference::interpretLinalg(ModuleOp module, StringRef entry,
                                   ArrayRef<Array> inputs,
                                   bool flushSubnormals) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function || function.isExternal())
    return module.emitError()
           << "no function '" << entry << "' with a body in this module";
  return LinalgInterpreter(flushSubnormals).run(function, inputs);
}
