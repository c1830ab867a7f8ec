//===- Elementwise.cpp - Operations on every element ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Support/FloatFunctions.h"
#include "sequin/Support/Interrupt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace sequin;
using namespace sequin::reference;

template <int32_t (*Function)(int32_t, int32_t)>
static uint32_t onInts(uint32_t a, uint32_t b, uint32_t) {
  return static_cast<uint32_t>(
      Function(static_cast<int32_t>(a), static_cast<int32_t>(b)));
}

template <float (*Function)(float)>
static uint32_t onFloat(uint32_t a, uint32_t, uint32_t) {
  return encodeFloat(ElementType::F32, Function(llvm::bit_cast<float>(a)));
}

template <float (*Function)(float, float)>
static uint32_t onFloats(uint32_t a, uint32_t b, uint32_t) {
  return encodeFloat(ElementType::F32, Function(llvm::bit_cast<float>(a),
                                                llvm::bit_cast<float>(b)));
}

static int32_t minInt(int32_t a, int32_t b) { return std::min(a, b); }
static int32_t maxInt(int32_t a, int32_t b) { return std::max(a, b); }
static float addF(float a, float b) { return a + b; }
static float subF(float a, float b) { return a - b; }
static float mulF(float a, float b) { return a * b; }
static float divF(float a, float b) { return a / b; }
static uint32_t bitAnd(uint32_t a, uint32_t b, uint32_t) { return a & b; }
static uint32_t bitOr(uint32_t a, uint32_t b, uint32_t) { return a | b; }
static uint32_t bitXor(uint32_t a, uint32_t b, uint32_t) { return a ^ b; }
static uint32_t fused(uint32_t a, uint32_t b, uint32_t c) {
  return encodeFloat(ElementType::F32,
                     fmaF(llvm::bit_cast<float>(a), llvm::bit_cast<float>(b),
                          llvm::bit_cast<float>(c)));
}

std::optional<ElementFunction>
sequin::reference::parseOperation(llvm::StringRef name, bool isFloat,
                                  const ArithmeticRules &rules) {
  using Found = std::optional<ElementFunction>;
  bool keeps = rules.absKeepsSign;
  Found common = llvm::StringSwitch<Found>(name)
                     .Case("BitAnd", bitAnd)
                     .Case("BitOr", bitOr)
                     .Case("BitXor", bitXor)
                     .Default(std::nullopt);
  if (common)
    return common;
  if (isFloat)
    return llvm::StringSwitch<Found>(name)
        .Cases({"AddF", "Add"}, onFloats<addF>)
        .Case("SubF", onFloats<subF>)
        .Cases({"MulF0", "MulF1", "MaskMulF0", "MaskMulF1"}, onFloats<mulF>)
        .Case("DivF", onFloats<divF>)
        .Case("Min", onFloats<minNum>)
        .Case("Max", onFloats<maxNum>)
        .Case("AbsMin",
              keeps ? onFloats<ofSmallerMagnitude> : onFloats<absMinNum>)
        .Case("AbsMax",
              keeps ? onFloats<ofLargerMagnitude> : onFloats<absMaxNum>)
        .Cases({"FmaF", "MaskFmaF"}, fused)
        .Case("Exp", onFloat<expF>)
        .Case("NegExp", onFloat<negExpF>)
        .Case("Sqrt", onFloat<sqrtF>)
        .Case("Tanh", onFloat<tanhF>)
        .Case("Sigmoid", onFloat<sigmoidF>)
        .Case("Erf", onFloat<erfF>)
        .Case("Log", onFloat<logF>)
        .Case("Sin", onFloat<sinF>)
        .Case("Cos", onFloat<cosF>)
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
      .Case("AbsMin", keeps ? onInts<ofSmallerMagnitude> : onInts<absMin>)
      .Case("AbsMax", keeps ? onInts<ofLargerMagnitude> : onInts<absMax>)
      .Default(std::nullopt);
}

Tensor sequin::reference::evaluate(const Space &space,
                                   ElementFunction operation,
                                   llvm::ArrayRef<const Tensor *> arguments,
                                   const Tensor &stream,
                                   const Condition &condition) {
  // What takes part at an index: the stream, the ids, the arguments.
  llvm::SmallVector<const Tensor *, 5> tensors = {&stream};
  if (condition.ids)
    tensors.push_back(condition.ids);
  tensors.append(arguments.begin(), arguments.end());
  size_t firstArgument = tensors.size() - arguments.size();

  Tensor result;
  result.type = stream.type;
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (llvm::any_of(tensors, [&](const Tensor *tensor) {
          return llvm::is_contained(tensor->axes, axis);
        }))
      result.axes.push_back(axis);
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 5> strides;
  for (const Tensor *tensor : tensors)
    strides.push_back(tensor->strides(space));
  llvm::SmallVector<int64_t, 5> at(tensors.size());
  auto holds = [&](size_t i) {
    return !tensors[i]->present || (*tensors[i]->present)[at[i]];
  };

  int64_t count = result.count(space);
  auto bits = std::make_shared<std::vector<uint32_t>>(count);
  auto present = std::make_shared<std::vector<uint8_t>>(count);
  Index index(space.axisCount());
  bool all = true;
  for (int64_t offset = 0; offset < count && !interrupted(/*every=*/1024);
       ++offset) {
    uint32_t id = 0;
    bool complete = holds(0);
    if (condition.ids) {
      complete &= holds(1);
      id = (*condition.ids->bits)[at[1]];
    }
    uint32_t value = (*stream.bits)[at[0]];
    if (complete && condition.holds(id)) {
      uint32_t values[3] = {};
      for (size_t i = firstArgument; i < tensors.size(); ++i) {
        complete &= holds(i);
        values[i - firstArgument] = (*tensors[i]->bits)[at[i]];
      }
      value = operation(values[0], values[1], values[2]);
    }
    (*bits)[offset] = value;
    (*present)[offset] = complete;
    all &= complete;
    for (int axis : llvm::reverse(result.axes)) {
      bool wrapped = ++index[axis] == space.size(axis);
      for (size_t i = 0; i < tensors.size(); ++i)
        at[i] += strides[i][axis] * (wrapped ? 1 - index[axis] : 1);
      if (!wrapped)
        break;
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

Tensor sequin::reference::narrow(const Tensor &tensor, ElementType type,
                                 const ArithmeticRules &rules) {
  if (isFloat(type))
    return convert(tensor, type);
  ElementType from = tensor.type;
  return mapElements(tensor, type, [=](uint32_t bits) {
    return narrowInt(type, decodeInt(from, bits), rules);
  });
}

Tensor sequin::reference::fxpToFloat(const Tensor &tensor, int64_t intWidth) {
  return mapElements(tensor, ElementType::F32, [=](uint32_t bits) {
    return encodeFloat(ElementType::F32,
                       fxpToFp(static_cast<int32_t>(bits), intWidth));
  });
}

Tensor sequin::reference::floatToFxp(const Tensor &tensor, int64_t intWidth,
                                     const ArithmeticRules &rules) {
  return mapElements(tensor, ElementType::I32, [=](uint32_t bits) {
    return static_cast<uint32_t>(
        fpToFxp(llvm::bit_cast<float>(bits), intWidth, rules));
  });
}
