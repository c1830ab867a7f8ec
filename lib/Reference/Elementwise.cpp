//===- Elementwise.cpp - Operations on every element ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace sequin;
using namespace sequin::reference;

template <int32_t (*Operation)(int32_t, int32_t)>
static uint32_t onInts(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(
      Operation(static_cast<int32_t>(a), static_cast<int32_t>(b)));
}

template <float (*Operation)(float, float)>
static uint32_t onFloats(uint32_t a, uint32_t b) {
  return encodeFloat(ElementType::F32, Operation(llvm::bit_cast<float>(a),
                                                 llvm::bit_cast<float>(b)));
}

static int32_t minInt(int32_t a, int32_t b) { return std::min(a, b); }
static int32_t maxInt(int32_t a, int32_t b) { return std::max(a, b); }
static float addF(float a, float b) { return a + b; }
static float subF(float a, float b) { return a - b; }
static float mulF(float a, float b) { return a * b; }
static float divF(float a, float b) { return a / b; }

std::optional<BinaryOperation>
sequin::reference::parseBinaryOperation(llvm::StringRef name, bool isFloat) {
  using Found = std::optional<BinaryOperation>;
  if (isFloat)
    return llvm::StringSwitch<Found>(name)
        .Cases({"AddF", "Add"}, onFloats<addF>)
        .Case("SubF", onFloats<subF>)
        .Cases({"MulF0", "MulF1"}, onFloats<mulF>)
        .Case("DivF", onFloats<divF>)
        .Case("Min", onFloats<minNum>)
        .Case("Max", onFloats<maxNum>)
        .Default(std::nullopt);
  return llvm::StringSwitch<Found>(name)
      .Case("AddFxp", onInts<addWrap>)
      .Case("AddFxpSat", onInts<addSat>)
      .Case("SubFxp", onInts<subWrap>)
      .Case("SubFxpSat", onInts<subSat>)
      .Case("LeftShift", onInts<leftShift>)
      .Case("LeftShiftSat", onInts<leftShiftSat>)
      .Case("MulFxp", onInts<mulFxp>)
      .Case("MulInt", onInts<mulWrap>)
      .Case("LogicRightShift", onInts<logicRightShift>)
      .Case("ArithRightShift", onInts<arithRightShift>)
      .Case("ArithRightShiftRound", onInts<arithRightShiftRound>)
      .Case("Min", onInts<minInt>)
      .Case("Max", onInts<maxInt>)
      .Default(std::nullopt);
}

Tensor sequin::reference::combine(const Space &space, BinaryOperation operation,
                                  const Tensor &stream, const Tensor &operand,
                                  bool swapped) {
  Tensor result;
  result.type = stream.type;
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (llvm::is_contained(stream.axes, axis) ||
        llvm::is_contained(operand.axes, axis))
      result.axes.push_back(axis);
  int64_t count = result.count(space);
  auto bits = std::make_shared<std::vector<uint32_t>>(count);
  auto present = std::make_shared<std::vector<uint8_t>>(count);
  llvm::SmallVector<int64_t, 4> left = stream.strides(space);
  llvm::SmallVector<int64_t, 4> right = operand.strides(space);
  Index index(space.axisCount());
  bool all = true;
  int64_t a = 0, b = 0;
  for (int64_t offset = 0; offset < count; ++offset) {
    if ((!stream.present || (*stream.present)[a]) &&
        (!operand.present || (*operand.present)[b])) {
      uint32_t x = (*stream.bits)[a], y = (*operand.bits)[b];
      (*bits)[offset] = swapped ? operation(y, x) : operation(x, y);
      (*present)[offset] = true;
    } else {
      all = false;
    }
    for (int axis : llvm::reverse(result.axes)) {
      a += left[axis];
      b += right[axis];
      if (++index[axis] < space.size(axis))
        break;
      a -= left[axis] * index[axis];
      b -= right[axis] * index[axis];
      index[axis] = 0;
    }
  }
  result.bits = std::move(bits);
  if (!all)
    result.present = std::move(present);
  return result;
}

/// `tensor` with every element replaced.
template <typename Function>
static Tensor mapElements(const Tensor &tensor, ElementType type,
                          Function function) {
  auto bits = std::make_shared<std::vector<uint32_t>>(tensor.bits->size());
  std::transform(tensor.bits->begin(), tensor.bits->end(), bits->begin(),
                 function);
  Tensor result = tensor;
  result.type = type;
  result.bits = std::move(bits);
  return result;
}

Tensor sequin::reference::convert(const Tensor &tensor, ElementType type) {
  if (tensor.type == type)
    return tensor;
  ElementType from = tensor.type;
  if (isFloat(type))
    return mapElements(tensor, type, [=](uint32_t bits) {
      return encodeFloat(type, decodeFloat(from, bits));
    });
  return mapElements(tensor, type, [=](uint32_t bits) {
    return encodeInt(type, decodeInt(from, bits));
  });
}

Tensor sequin::reference::fxpToFloat(const Tensor &tensor, int64_t intWidth) {
  return mapElements(tensor, ElementType::F32, [=](uint32_t bits) {
    return encodeFloat(ElementType::F32,
                       fxpToFp(static_cast<int32_t>(bits), intWidth));
  });
}

Tensor sequin::reference::floatToFxp(const Tensor &tensor, int64_t intWidth) {
  return mapElements(tensor, ElementType::I32, [=](uint32_t bits) {
    return static_cast<uint32_t>(
        fpToFxp(llvm::bit_cast<float>(bits), intWidth));
  });
}
