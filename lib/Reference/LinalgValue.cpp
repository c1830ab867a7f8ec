//===- LinalgValue.cpp - Values of linalg programs ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgValue.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Support/E2m1.h"
#include "sequin/Support/Interrupt.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

static constexpr int64_t kMostElements = int64_t(1) << 28;

static int64_t countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

LinalgValue::LinalgValue(Type elementType, ArrayRef<int64_t> shape)
    : type(elementType), isFloat(isa<FloatType>(elementType)), shape(shape) {
  if (isFloat)
    values.resize(countOf(shape));
  else
    integers.resize(countOf(shape));
}

FailureOr<const LinalgValue *>
sequin::reference::find(Operation *op, Value value, Lookup lookup) {
  if (const LinalgValue *found = lookup(value))
    return found;
  return op->emitOpError() << "uses a value that has not been computed";
}

FailureOr<LinalgValue> sequin::reference::makeValue(Operation *op, Type type,
                                                    ArrayRef<int64_t> shape) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  if (!isNumber(element))
    return op->emitOpError() << "has type " << type
                             << ", which the reference interpreter does not "
                                "know";
  if (tensor && failed(verifyCompatibleShape(tensor.getShape(), shape)))
    return op->emitOpError()
           << "has a result of shape [" << shape << "], its type is " << type;
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0)
      return op->emitOpError()
             << "has a result with a dimension of size " << size;
    if (llvm::MulOverflow(count, size, count) || count > kMostElements)
      return op->emitOpError()
             << "has type " << type
             << ", which is too large for the reference interpreter";
  }
  return LinalgValue(element, shape);
}

FailureOr<LinalgValue> sequin::reference::makeValue(Operation *op, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return makeValue(op, type, ArrayRef<int64_t>());
  if (!shaped.hasStaticShape())
    return op->emitOpError()
           << "has type " << type << ", expected a static shape";
  return makeValue(op, type, shaped.getShape());
}

FailureOr<SmallVector<int64_t>>
sequin::reference::numbersOf(Operation *op, ArrayRef<OpFoldResult> list,
                             Lookup lookup) {
  SmallVector<int64_t> numbers;
  for (OpFoldResult number : list) {
    if (auto constant = dyn_cast<Attribute>(number)) {
      numbers.push_back(cast<IntegerAttr>(constant).getInt());
      continue;
    }
    FailureOr<const LinalgValue *> value =
        find(op, cast<Value>(number), lookup);
    if (failed(value))
      return failure();
    Scalar scalar = (*value)->get(0);
    if (scalar.error != 0)
      return op->emitOpError()
             << "has offsets, sizes or strides that rounding may change";
    numbers.push_back(scalar.integer);
  }
  return numbers;
}

void sequin::reference::forEachIndex(
    ArrayRef<int64_t> sizes, function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(sizes, 0))
    return;
  SmallVector<int64_t> index(sizes.size());
  while (true) {
    visit(index);
    size_t i = sizes.size();
    while (i > 0 && ++index[i - 1] == sizes[i - 1])
      index[--i] = 0;
    if (i == 0 || interrupted(/*every=*/1024))
      return;
  }
}

FailureOr<Scalar> sequin::reference::extractElement(Operation *op,
                                                    const LinalgValue &tensor,
                                                    ArrayRef<Scalar> index) {
  int64_t offset = 0;
  bool isSure = true;
  for (auto [dim, coordinate] : llvm::enumerate(index)) {
    int64_t at = coordinate.integer, size = tensor.shape[dim];
    if ((at < 0 || at >= size) && coordinate.error == 0)
      return op->emitOpError() << "has index " << at << ", dimension " << dim
                               << " has size " << size;
    isSure &= coordinate.error == 0;
    offset = offset * size + at;
  }
  Scalar element;
  if (isSure)
    return tensor.get(offset);
  element.error = INFINITY;
  return element;
}

LogicalResult sequin::reference::checkAssertion(cf::AssertOp op,
                                                const Scalar &condition) {
  if (condition.integer != 0 || condition.error != 0)
    return success();
  return op.emitOpError() << "does not hold: " << op.getMsg();
}

//===----------------------------------------------------------------------===//
// Boundary
//===----------------------------------------------------------------------===//

/// What an array has for elements of `type`; std::nullopt if it cannot.
static std::optional<ElementType> boundaryTypeOf(Type type) {
  if (type.isInteger(1))
    return ElementType::I8;
  if (type.isInteger(64))
    return ElementType::I32;
  return elementTypeOf(type);
}

static int64_t arrayBytes(ElementType type, int64_t count) {
  return getBitWidth(type) < 8 ? count : getByteSize(type, count);
}

static std::string indexText(ArrayRef<int64_t> shape, int64_t offset) {
  SmallVector<int64_t> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; offset /= shape[dim])
    index[dim] = offset % shape[dim];
  std::string text = "[";
  for (int64_t coordinate : index)
    text += (text.size() > 1 ? ", " : "") + std::to_string(coordinate);
  return text + "]";
}

llvm::Error sequin::reference::loadArray(LinalgValue &value,
                                         const Array &array) {
  int64_t count = value.count();
  // Arrays have its codes.
  bool isE2m1 = isa<Float4E2M1FNType>(value.type);
  std::optional<ElementType> type =
      isE2m1 ? ElementType::I4 : boundaryTypeOf(value.type);
  if (!type || array.type != *type ||
      array.shape != ArrayRef<int64_t>(value.shape) ||
      static_cast<int64_t>(array.data.size()) != arrayBytes(*type, count))
    return llvm::createStringError(
        "is given an array of another shape or type");
  bool bytes = getBitWidth(*type) < 8;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits =
        bytes ? array.data[i] : loadElement(*type, array.data.data(), i);
    if (value.isFloat) {
      value.values[i] = isE2m1 ? decodeE2m1(bits) : decodeExactly(*type, bits);
      continue;
    }
    int32_t number = decodeInt(*type, bits);
    if (value.type.isInteger(1)) {
      if (number != 0 && number != 1)
        return llvm::createStringError("is given " + llvm::Twine(number) +
                                       " at " + indexText(value.shape, i) +
                                       ", a truth value is 0 or 1");
      number = -number;
    }
    value.integers[i] = number;
  }
  return llvm::Error::success();
}

llvm::Expected<LinalgResult>
sequin::reference::storeArray(const LinalgValue &value) {
  LinalgResult result;
  std::optional<ElementType> type = boundaryTypeOf(value.type);
  if (!type) {
    std::string text;
    llvm::raw_string_ostream(text) << value.type;
    return llvm::createStringError("has elements of " + text +
                                   ", of which no machine has arrays");
  }
  result.value.type = *type;
  result.value.shape.assign(value.shape.begin(), value.shape.end());
  int64_t count = value.count();
  result.value.data.resize(arrayBytes(*type, count));
  uint8_t *data = result.value.data.data();
  for (int64_t i = 0; i < count; ++i) {
    Scalar scalar = value.get(i);
    if (!value.isFloat) {
      int64_t given =
          value.type.isInteger(1) ? -scalar.integer : scalar.integer;
      int64_t number = std::clamp<int64_t>(given, INT32_MIN, INT32_MAX);
      double moved = std::fabs(static_cast<double>(given - number));
      if (moved > scalar.error)
        return llvm::createStringError(
            "is " + llvm::Twine(given) + " at " + indexText(value.shape, i) +
            ", i64 is i32 in results and that holds -2147483648 to 2147483647");
      if (getBitWidth(*type) < 8)
        data[i] = static_cast<uint8_t>(number);
      else
        storeElement(*type, data, i, static_cast<uint32_t>(number));
      if (!value.errors.empty())
        result.tolerance.push_back(scalar.error + moved);
      continue;
    }
    // The value is stored in the result's type; the distance it moves by that
    // counts, and so does a subnormal that the machine flushes.
    uint32_t bits = encodeFloat(*type, static_cast<float>(scalar.value));
    storeElement(*type, data, i, bits);
    double stored = decodeFloat(*type, bits);
    double moved = std::isfinite(stored) && std::isfinite(scalar.value)
                       ? std::fabs(stored - scalar.value)
                       : 0;
    double error = scalar.error + moved + std::ldexp(1.0, -126);
    result.tolerance.push_back(std::isnan(error) ? INFINITY : error);
  }
  return result;
}
