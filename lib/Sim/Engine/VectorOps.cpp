//===- VectorOps.cpp - Operations of the vector engine --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One small function per opcode, named after it; the table below does not
// compile without one.
//
//===----------------------------------------------------------------------===//

#include "Engine/VectorOps.h"
#include "Engine/FloatBits.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Support/FloatFunctions.h"
#include <algorithm>
#include <type_traits>

using namespace sequin;
using namespace sequin::sim;
using config::ArgMode;

namespace {
/// Moves elements and computes nothing.
struct NoData {};
/// 32 bits that an operation does not read as a number.
enum class Bits : uint32_t {};
/// The parameter that stands for int_width.
struct IntWidth {
  int64_t value;
  ArithmeticRules rules;
};
} // namespace

static Bits bitwise(uint32_t value) { return Bits{value}; }
static uint32_t raw(Bits value) { return static_cast<uint32_t>(value); }

// Logic stage.
static Bits evalLogicAndI(Bits a, Bits b) { return bitwise(raw(a) & raw(b)); }
static Bits evalLogicOrI(Bits a, Bits b) { return bitwise(raw(a) | raw(b)); }
static Bits evalLogicXorI(Bits a, Bits b) { return bitwise(raw(a) ^ raw(b)); }
static Bits evalLogicAndF(Bits a, Bits b) { return bitwise(raw(a) & raw(b)); }
static Bits evalLogicOrF(Bits a, Bits b) { return bitwise(raw(a) | raw(b)); }
static Bits evalLogicXorF(Bits a, Bits b) { return bitwise(raw(a) ^ raw(b)); }
static int32_t evalLogicLeftShift(int32_t a, int32_t b) {
  return leftShift(a, b);
}
static int32_t evalLogicRightShift(int32_t a, int32_t b) {
  return logicRightShift(a, b);
}
static int32_t evalLogicArithRightShift(int32_t a, int32_t b) {
  return arithRightShift(a, b);
}

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

// Conversions.
static float evalFxpToFp(int32_t a, IntWidth width) {
  return fxpToFp(a, width.value);
}
static int32_t evalFpToFxp(float a, IntWidth width) {
  return fpToFxp(a, width.value, width.rules);
}

// Narrow and widen: Way8 to Way4 and back.
static NoData evalSplit() { return {}; }
static NoData evalTrimWay4() { return {}; }
static NoData evalConcat() { return {}; }
static NoData evalPadWay8() { return {}; }

// Float stage.
static float evalFpExp(float a) { return expF(a); }
static float evalFpNegExp(float a) { return negExpF(a); }
static float evalFpSqrt(float a) { return sqrtF(a); }
static float evalFpTanh(float a) { return tanhF(a); }
static float evalFpSigmoid(float a) { return sigmoidF(a); }
static float evalFpErf(float a) { return erfF(a); }
static float evalFpLog(float a) { return logF(a); }
static float evalFpSin(float a) { return sinSmallF(a); }
static float evalFpCos(float a) { return cosSmallF(a); }
static float evalFpAdd(float a, float b) { return a + b; }
static float evalFpSub(float a, float b) { return a - b; }
static float evalFpMul0(float a, float b) { return a * b; }
static float evalFpMul1(float a, float b) { return a * b; }
static float evalFpMaskMul0(float a, float b) { return a * b; }
static float evalFpMaskMul1(float a, float b) { return a * b; }
static float evalFpDivF(float a, float b) { return a / b; }
static float evalFpFma(float a, float b, float c) { return fmaF(a, b, c); }
static float evalFpMaskFma(float a, float b, float c) { return fmaF(a, b, c); }
static float evalFpDiv(float a, float b) { return a / b; }

// Clip stage.
static int32_t evalClipMinI(int32_t a, int32_t b) { return std::min(a, b); }
static int32_t evalClipMaxI(int32_t a, int32_t b) { return std::max(a, b); }
static int32_t evalClipAbsMinI(int32_t a, int32_t b) { return absMin(a, b); }
static int32_t evalClipAbsMaxI(int32_t a, int32_t b) { return absMax(a, b); }
static int32_t evalOperandAbsMinI(int32_t a, int32_t b) {
  return ofSmallerMagnitude(a, b);
}
static int32_t evalOperandAbsMaxI(int32_t a, int32_t b) {
  return ofLargerMagnitude(a, b);
}
static int32_t evalClipAddFxp(int32_t a, int32_t b) { return addWrap(a, b); }
static int32_t evalClipAddFxpSat(int32_t a, int32_t b) { return addSat(a, b); }
static float evalClipAddF(float a, float b) { return a + b; }

namespace {
/// The order of numbers with -0 below +0, as that of integers.
int32_t orderOf(uint32_t bits) {
  int32_t number = static_cast<int32_t>(bits);
  return number ^ ((number >> 31) & 0x7fffffff);
}
} // namespace

/// Minimum or maximum, the operand that is not NaN winning; `keep` are the bits
/// of the operands that count.
template <bool Max> static Bits choose(uint32_t a, uint32_t b, uint32_t keep) {
  a &= keep;
  b &= keep;
  uint32_t chosen = (orderOf(a) < orderOf(b)) != Max ? a : b;
  chosen = isNan(a) ? b : isNan(b) ? a : chosen;
  return bitwise(isNan(chosen) ? 0x7fc00000u : chosen);
}
/// The operand whose magnitude is smaller or larger, the first of equal ones.
template <bool Max> static Bits chooseOperand(uint32_t a, uint32_t b) {
  constexpr int32_t kMagnitude = 0x7fffffff;
  int32_t first = static_cast<int32_t>(a) & kMagnitude;
  int32_t second = static_cast<int32_t>(b) & kMagnitude;
  uint32_t chosen = (Max ? first >= second : first <= second) ? a : b;
  chosen = isNan(a) ? b : isNan(b) ? a : chosen;
  return bitwise(isNan(chosen) ? 0x7fc00000u : chosen);
}
static Bits evalClipMinF(Bits a, Bits b) {
  return choose<false>(raw(a), raw(b), ~0u);
}
static Bits evalClipMaxF(Bits a, Bits b) {
  return choose<true>(raw(a), raw(b), ~0u);
}
static Bits evalClipAbsMinF(Bits a, Bits b) {
  return choose<false>(raw(a), raw(b), 0x7fffffffu);
}
static Bits evalClipAbsMaxF(Bits a, Bits b) {
  return choose<true>(raw(a), raw(b), 0x7fffffffu);
}
static Bits evalOperandAbsMinF(Bits a, Bits b) {
  return chooseOperand<false>(raw(a), raw(b));
}
static Bits evalOperandAbsMaxF(Bits a, Bits b) {
  return chooseOperand<true>(raw(a), raw(b));
}

// The end of the block, and the snapshot.
static NoData evalFilter() { return {}; }
static NoData evalStash() { return {}; }
static NoData evalReinterpret() { return {}; }

//===----------------------------------------------------------------------===//
// From functions on elements to functions on arrays
//===----------------------------------------------------------------------===//

static uint32_t toBits(Bits value) { return raw(value); }

template <class T> static T fromBits(uint32_t bits) {
  return llvm::bit_cast<T>(bits);
}

template <auto Eval, class R, class A>
static void applyTo(const VectorCall &call, R (*)(A)) {
  uint32_t *__restrict out = call.out;
  const uint32_t *a = call.arguments[0];
  for (int64_t i = 0; i < call.count; ++i)
    out[i] = toBits(Eval(fromBits<A>(a[i])));
}

template <auto Eval, class R, class A>
static void applyTo(const VectorCall &call, R (*)(A, IntWidth)) {
  uint32_t *__restrict out = call.out;
  const uint32_t *a = call.arguments[0];
  IntWidth width{call.intWidth, call.rules};
  for (int64_t i = 0; i < call.count; ++i)
    out[i] = toBits(Eval(fromBits<A>(a[i]), width));
}

template <auto Eval, class R, class A>
static void applyTo(const VectorCall &call, R (*)(A, A)) {
  uint32_t *__restrict out = call.out;
  const uint32_t *a = call.arguments[0], *b = call.arguments[1];
  for (int64_t i = 0; i < call.count; ++i)
    out[i] = toBits(Eval(fromBits<A>(a[i]), fromBits<A>(b[i])));
}

template <auto Eval, class R, class A>
static void applyTo(const VectorCall &call, R (*)(A, A, A)) {
  uint32_t *__restrict out = call.out;
  const uint32_t *a = call.arguments[0], *b = call.arguments[1],
                 *c = call.arguments[2];
  for (int64_t i = 0; i < call.count; ++i)
    out[i] =
        toBits(Eval(fromBits<A>(a[i]), fromBits<A>(b[i]), fromBits<A>(c[i])));
}

template <auto Eval> static void apply(const VectorCall &call) {
  applyTo<Eval>(call, Eval);
}

static uint32_t flushed(uint32_t bits) {
  return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

/// Minimum and maximum work on bits, where the processor's mode does not reach.
template <auto Eval> static void applyFlushed(const VectorCall &call) {
  if (!isFlushingSubnormals())
    return apply<Eval>(call);
  uint32_t *__restrict out = call.out;
  const uint32_t *a = call.arguments[0], *b = call.arguments[1];
  for (int64_t i = 0; i < call.count; ++i)
    out[i] = toBits(Eval(Bits{flushed(a[i])}, Bits{flushed(b[i])}));
}

/// Sine and cosine in a loop for the usual angles, and again for large ones.
template <auto Eval, float (*Any)(float)>
static void applyAngle(const VectorCall &call) {
  apply<Eval>(call);
  const uint32_t *a = call.arguments[0];
  for (int64_t i = 0; i < call.count; ++i)
    if (isLargeAngle(fromBits<float>(a[i])))
      call.out[i] = toBits(Any(fromBits<float>(a[i])));
}

template <auto Eval> static constexpr VectorFunction streamFunction() {
  using Function = decltype(Eval);
  if constexpr (std::is_invocable_v<Function>)
    return nullptr;
  else
    return apply<Eval>;
}
template <> constexpr VectorFunction streamFunction<evalFpSin>() {
  return applyAngle<evalFpSin, sinF>;
}
template <> constexpr VectorFunction streamFunction<evalFpCos>() {
  return applyAngle<evalFpCos, cosF>;
}
template <> constexpr VectorFunction streamFunction<evalClipMinF>() {
  return applyFlushed<evalClipMinF>;
}
template <> constexpr VectorFunction streamFunction<evalClipMaxF>() {
  return applyFlushed<evalClipMaxF>;
}
template <> constexpr VectorFunction streamFunction<evalClipAbsMinF>() {
  return applyFlushed<evalClipAbsMinF>;
}
template <> constexpr VectorFunction streamFunction<evalClipAbsMaxF>() {
  return applyFlushed<evalClipAbsMaxF>;
}

template <class R> static constexpr int arity(R (*)()) { return 0; }
template <class R, class A> static constexpr int arity(R (*)(A)) { return 1; }
template <class R, class A> static constexpr int arity(R (*)(A, A)) {
  return 2;
}
template <class R, class A> static constexpr int arity(R (*)(A, IntWidth)) {
  return 1;
}
template <class R, class A> static constexpr int arity(R (*)(A, A, A)) {
  return 3;
}

template <class F> static constexpr bool isConversion(F *) { return false; }
template <class R, class A>
static constexpr bool isConversion(R (*)(A, IntWidth)) {
  return true;
}

namespace {
/// Spellings of the table's TYPE column.
namespace type {
constexpr std::optional<ElementType> I32 = ElementType::I32;
constexpr std::optional<ElementType> F32 = ElementType::F32;
constexpr std::optional<ElementType> Any = std::nullopt;
} // namespace type
} // namespace

static const VectorOpcodeInfo kInfos[] = {
#define SEQUIN_VECTOR_OPCODE(NAME, TEXT, STAGE, ALU, TYPE)                     \
  {TEXT,                                                                       \
   VectorStageKind::STAGE,                                                     \
   VectorAlu::ALU,                                                             \
   #ALU,                                                                       \
   type::TYPE,                                                                 \
   arity(eval##NAME),                                                          \
   isConversion(eval##NAME),                                                   \
   streamFunction<eval##NAME>()},
#include "sequin/Config/VectorOpcodes.def"
};

const VectorOpcodeInfo &sim::infoOf(config::VectorOpcode opcode) {
  return kInfos[static_cast<unsigned>(opcode)];
}

VectorFunction sim::functionOf(config::VectorOpcode opcode,
                               const ArithmeticRules &rules) {
  if (rules.absKeepsSign) {
    switch (opcode) {
    case config::VectorOpcode::ClipAbsMinI:
      return apply<evalOperandAbsMinI>;
    case config::VectorOpcode::ClipAbsMaxI:
      return apply<evalOperandAbsMaxI>;
    case config::VectorOpcode::ClipAbsMinF:
      return applyFlushed<evalOperandAbsMinF>;
    case config::VectorOpcode::ClipAbsMaxF:
      return applyFlushed<evalOperandAbsMaxF>;
    default:
      break;
    }
  }
  return infoOf(opcode).function;
}

/// The digits of a mode.
static llvm::StringRef digitsOf(ArgMode mode) {
  switch (mode) {
  case ArgMode::Default:
    return "";
  case ArgMode::M0:
    return "0";
  case ArgMode::M1:
    return "1";
  case ArgMode::M00:
    return "00";
  case ArgMode::M01:
    return "01";
  case ArgMode::M10:
    return "10";
  case ArgMode::M11:
    return "11";
  case ArgMode::M012:
    return "012";
  case ArgMode::M002:
    return "002";
  case ArgMode::M102:
    return "102";
  case ArgMode::M112:
    return "112";
  case ArgMode::M020:
    return "020";
  case ArgMode::M021:
    return "021";
  case ArgMode::M120:
    return "120";
  }
  return "";
}

int sim::arityOf(ArgMode mode) { return digitsOf(mode).size(); }

llvm::SmallVector<int, 3> sim::argumentSources(ArgMode mode, int arity) {
  llvm::SmallVector<int, 3> sources;
  for (char digit : mode == ArgMode::Default
                        ? llvm::StringRef("012").take_front(arity)
                        : digitsOf(mode))
    sources.push_back(digit - '0');
  return sources;
}
