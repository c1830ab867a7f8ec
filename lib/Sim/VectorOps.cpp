//===- VectorOps.cpp - Operations of the vector engine --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One small function per opcode, named after it; the table below does not
// compile without one. The first parameter is the stream's element.
//
//===----------------------------------------------------------------------===//

#include "VectorOps.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <type_traits>

using namespace sequin;
using namespace sequin::sim;

namespace {
/// Moves no data.
struct NoData {};
} // namespace

// Fixed-point stage.
static int32_t evalFxpAdd(int32_t a, int32_t b) { return addWrap(a, b); }
static int32_t evalFxpAddSat(int32_t a, int32_t b) { return addSat(a, b); }
static int32_t evalFxpSub(int32_t a, int32_t b) { return subWrap(a, b); }
static int32_t evalFxpSubSat(int32_t a, int32_t b) { return subSat(a, b); }
static int32_t evalFxpLeftShift(int32_t a, int32_t b) {
  return leftShift(a, b);
}
static int32_t evalFxpLeftShiftSat(int32_t a, int32_t b) {
  return leftShiftSat(a, b);
}
static int32_t evalFxpMul(int32_t a, int32_t b) { return mulFxp(a, b); }
static int32_t evalFxpMulInt(int32_t a, int32_t b) { return mulWrap(a, b); }
static int32_t evalFxpLogicRightShift(int32_t a, int32_t b) {
  return logicRightShift(a, b);
}
static int32_t evalFxpArithRightShift(int32_t a, int32_t b) {
  return arithRightShift(a, b);
}
static int32_t evalFxpArithRightShiftRound(int32_t a, int32_t b) {
  return arithRightShiftRound(a, b);
}

// Conversions; the second parameter is int_width.
static float evalFxpToFp(int32_t a, int64_t intWidth) {
  return fxpToFp(a, intWidth);
}
static int32_t evalFpToFxp(float a, int64_t intWidth) {
  return fpToFxp(a, intWidth);
}

// Narrow and widen: Way8 to Way4 and back; the order of elements stays.
static NoData evalSplit() { return {}; }
static NoData evalConcat() { return {}; }

// Float stage.
static float evalFpAdd(float a, float b) { return a + b; }
static float evalFpSub(float a, float b) { return a - b; }
static float evalFpMul0(float a, float b) { return a * b; }
static float evalFpMul1(float a, float b) { return a * b; }
static float evalFpDivF(float a, float b) { return a / b; }

// Clip stage.
static int32_t evalClipMinI(int32_t a, int32_t b) { return std::min(a, b); }
static int32_t evalClipMaxI(int32_t a, int32_t b) { return std::max(a, b); }
static int32_t evalClipAddFxp(int32_t a, int32_t b) { return addWrap(a, b); }
static int32_t evalClipAddFxpSat(int32_t a, int32_t b) { return addSat(a, b); }
static float evalClipMinF(float a, float b) { return minNum(a, b); }
static float evalClipMaxF(float a, float b) { return maxNum(a, b); }
static float evalClipAddF(float a, float b) { return a + b; }

//===----------------------------------------------------------------------===//
// From functions on elements to functions on streams
//===----------------------------------------------------------------------===//

/// Results of float operations have the one quiet NaN, so that they do not
/// depend on which operand's NaN the host's processor passes on.
static uint32_t toBits(float value) {
  return value != value ? 0x7fc00000u : llvm::bit_cast<uint32_t>(value);
}
static uint32_t toBits(int32_t value) { return static_cast<uint32_t>(value); }

template <auto Eval, class R, class A, class B>
static void applyTo(const VectorCall &call, R (*)(A, B)) {
  auto value = [](uint32_t bits) { return llvm::bit_cast<A>(bits); };
  uint32_t *stream = call.stream;
  if constexpr (std::is_same_v<B, int64_t>) {
    for (int64_t i = 0; i < call.count; ++i)
      stream[i] = toBits(Eval(value(stream[i]), call.intWidth));
  } else if (!call.operands) {
    A operand = value(call.constant);
    if (call.swapped)
      for (int64_t i = 0; i < call.count; ++i)
        stream[i] = toBits(Eval(operand, value(stream[i])));
    else
      for (int64_t i = 0; i < call.count; ++i)
        stream[i] = toBits(Eval(value(stream[i]), operand));
  } else {
    const uint32_t *operands = call.operands;
    if (call.swapped)
      for (int64_t i = 0; i < call.count; ++i)
        stream[i] = toBits(Eval(value(operands[i]), value(stream[i])));
    else
      for (int64_t i = 0; i < call.count; ++i)
        stream[i] = toBits(Eval(value(stream[i]), value(operands[i])));
  }
}

template <auto Eval> static void apply(const VectorCall &call) {
  applyTo<Eval>(call, Eval);
}

template <class R> static constexpr bool isBinary(R (*)()) { return false; }
template <class R, class A, class B>
static constexpr bool isBinary(R (*)(A, B)) {
  return !std::is_same_v<B, int64_t>;
}

/// Split and Concat have no parameters.
template <auto Eval>
static constexpr bool hasData = !std::is_invocable_v<decltype(Eval)>;

template <auto Eval> static constexpr VectorFunction streamFunction() {
  if constexpr (hasData<Eval>)
    return apply<Eval>;
  else
    return nullptr;
}

static const VectorOpcodeInfo kInfos[] = {
#define SEQUIN_VECTOR_OPCODE(NAME, TEXT, STAGE, ALU, TYPE)                     \
  {TEXT,                                                                       \
   VectorStageKind::STAGE,                                                     \
   VectorAlu::ALU,                                                             \
   #ALU,                                                                       \
   ElementType::TYPE,                                                          \
   isBinary(eval##NAME),                                                       \
   streamFunction<eval##NAME>()},
#include "sequin/Config/VectorOpcodes.def"
};

const VectorOpcodeInfo &sim::infoOf(config::VectorOpcode opcode) {
  return kInfos[static_cast<unsigned>(opcode)];
}
