//===- Arithmetic.cpp - Arithmetic on single elements ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

using namespace sequin;

//===----------------------------------------------------------------------===//
// Subnormals
//===----------------------------------------------------------------------===//

/// What the innermost FloatEnvironment of this thread asked for. The code below
/// that works on bit patterns has no help from the processor's mode.
static thread_local bool flushing = false;

static constexpr unsigned kFlushing = 1u << 31;

#if defined(__x86_64__) || defined(__i386__)
/// MXCSR: results (FTZ, bit 15) and operands (DAZ, bit 6).
static constexpr unsigned kFlushBits = (1u << 15) | (1u << 6);
static unsigned readMode() { return _mm_getcsr(); }
static void writeMode(unsigned mode) { _mm_setcsr(mode); }
#elif defined(__aarch64__)
/// FPCR.FZ covers operands and results of f32.
static constexpr unsigned kFlushBits = 1u << 24;
static unsigned readMode() {
  uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return static_cast<unsigned>(mode);
}
static void writeMode(unsigned mode) {
  asm volatile("msr fpcr, %0" ::"r"(static_cast<uint64_t>(mode)));
}
#else
#error "FloatEnvironment needs the flush-to-zero control of this processor"
#endif

FloatEnvironment::FloatEnvironment(bool flush) {
  unsigned mode = readMode();
  // Bit 31 is reserved (and zero) in both control registers.
  saved = mode | (flushing ? kFlushing : 0);
  flushing = flush;
  writeMode(flush ? mode | kFlushBits : mode & ~kFlushBits);
}

FloatEnvironment::~FloatEnvironment() {
  flushing = (saved & kFlushing) != 0;
  writeMode(saved & ~kFlushing);
}

bool sequin::isFlushingSubnormals() { return flushing; }

float sequin::flushSubnormal(float value) {
  if (!flushing)
    return value;
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  if ((bits & 0x7f800000u) == 0)
    bits &= 0x80000000u;
  return llvm::bit_cast<float>(bits);
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

namespace {
/// A binary floating-point format narrower than f32.
struct SmallFormat {
  int exponentBits;
  int mantissaBits;
  /// f8e4m3 gives its all-ones exponent to numbers: one NaN, no infinity.
  bool hasInfinity;

  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr int minExponent() const { return 1 - bias(); }
  constexpr uint32_t allOnesExponent() const {
    return ((1u << exponentBits) - 1) << mantissaBits;
  }
  constexpr uint32_t nan() const {
    return hasInfinity ? allOnesExponent() | (1u << (mantissaBits - 1))
                       : allOnesExponent() | ((1u << mantissaBits) - 1);
  }
  /// What a value beyond the largest finite one becomes.
  constexpr uint32_t overflow() const {
    return hasInfinity ? allOnesExponent() : nan() - 1;
  }
  constexpr uint32_t signBit() const {
    return 1u << (exponentBits + mantissaBits);
  }
};
} // namespace

static constexpr SmallFormat kF8E4M3{4, 3, false};
static constexpr SmallFormat kF8E5M2{5, 2, true};
static constexpr SmallFormat kF16{5, 10, true};
static constexpr uint32_t kNanF32 = 0x7fc00000u;
static constexpr uint32_t kNanBf16 = 0x7fc0u;

static float decodeSmall(const SmallFormat &format, uint32_t bits) {
  uint32_t sign = (bits & format.signBit()) ? 0x80000000u : 0;
  uint32_t magnitude = bits & (format.signBit() - 1);
  uint32_t exponent = magnitude >> format.mantissaBits;
  uint32_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  if (format.hasInfinity && magnitude >= format.allOnesExponent())
    return llvm::bit_cast<float>(mantissa ? kNanF32 : sign | 0x7f800000u);
  if (!format.hasInfinity && magnitude == format.nan())
    return llvm::bit_cast<float>(kNanF32);
  if (exponent == 0) {
    // Every subnormal of these formats is a normal f32.
    float unit = llvm::bit_cast<float>(
        static_cast<uint32_t>(127 + format.minExponent() - format.mantissaBits)
        << 23);
    float value = static_cast<float>(mantissa) * unit;
    return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(value) | sign);
  }
  uint32_t wide =
      static_cast<uint32_t>(static_cast<int>(exponent) - format.bias() + 127)
      << 23;
  return llvm::bit_cast<float>(sign | wide |
                               (mantissa << (23 - format.mantissaBits)));
}

static uint32_t encodeSmall(const SmallFormat &format, float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 31) ? format.signBit() : 0;
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return format.nan();
  if (magnitude == 0x7f800000u)
    return sign | format.overflow();
  int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent == -127)
    return sign; // f32 subnormals are below half of every smallest value here
  uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  bool subnormal = exponent < format.minExponent();
  int shift = 23 - format.mantissaBits;
  if (subnormal)
    shift += format.minExponent() - exponent;
  if (shift > 24)
    return sign;
  uint32_t quotient = significand >> shift;
  uint32_t rest = significand & ((1u << shift) - 1);
  uint32_t half = 1u << (shift - 1);
  if (rest > half || (rest == half && (quotient & 1)))
    ++quotient;
  // The carry of a rounding runs into the exponent field as it should.
  uint32_t code = quotient;
  if (!subnormal)
    code += static_cast<uint32_t>(exponent + format.bias() - 1)
            << format.mantissaBits;
  return sign | std::min(code, format.overflow());
}

uint16_t sequin::floatToBf16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(flushSubnormal(value));
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return static_cast<uint16_t>(kNanBf16);
  // The carry runs into the exponent and, past the largest value, to infinity.
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

float sequin::decodeFloat(ElementType type, uint32_t bits) {
  switch (type) {
  case ElementType::F8E4M3:
    return decodeSmall(kF8E4M3, bits);
  case ElementType::F8E5M2:
    return decodeSmall(kF8E5M2, bits);
  case ElementType::F16:
    return decodeSmall(kF16, bits);
  case ElementType::BF16:
    return bf16ToFloat(static_cast<uint16_t>(bits));
  case ElementType::F32:
    return llvm::bit_cast<float>(bits);
  default:
    llvm_unreachable("not a floating-point type");
  }
}

uint32_t sequin::encodeFloat(ElementType type, float value) {
  switch (type) {
  case ElementType::F8E4M3:
    return encodeSmall(kF8E4M3, value);
  case ElementType::F8E5M2:
    return encodeSmall(kF8E5M2, value);
  case ElementType::F16:
    return encodeSmall(kF16, value);
  case ElementType::BF16:
    return floatToBf16(value);
  case ElementType::F32: {
    uint32_t bits = llvm::bit_cast<uint32_t>(flushSubnormal(value));
    return (bits & 0x7fffffffu) > 0x7f800000u ? kNanF32 : bits;
  }
  default:
    llvm_unreachable("not a floating-point type");
  }
}

int32_t sequin::decodeInt(ElementType type, uint32_t bits) {
  unsigned shift = 32 - getValueBits(type);
  return static_cast<int32_t>(bits << shift) >> shift;
}

uint32_t sequin::encodeInt(ElementType type, int32_t value) {
  unsigned bits = getValueBits(type);
  int64_t limit = int64_t(1) << (bits - 1);
  int64_t saturated = std::clamp<int64_t>(value, -limit, limit - 1);
  uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  return static_cast<uint32_t>(saturated) & mask;
}

uint32_t sequin::wrapInt(ElementType type, int32_t value) {
  unsigned bits = getValueBits(type);
  uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  return static_cast<uint32_t>(value) & mask;
}

/// Bytes per element of a packed array; 0 for i4, which has two in a byte.
static unsigned slotBytes(ElementType type) {
  switch (type) {
  case ElementType::I4:
    return 0;
  case ElementType::I5:
    return 1;
  case ElementType::I9:
    return 2;
  default:
    return getBitWidth(type) / 8;
  }
}

uint32_t sequin::loadElement(ElementType type, const uint8_t *data,
                             int64_t index) {
  unsigned bytes = slotBytes(type);
  if (bytes == 0)
    return (data[index / 2] >> (index % 2 * 4)) & 0xfu;
  // Assembled byte by byte: the arrays are little-endian on every host.
  uint32_t bits = 0;
  for (unsigned i = 0; i < bytes; ++i)
    bits |= static_cast<uint32_t>(data[index * bytes + i]) << (8 * i);
  return bits;
}

void sequin::storeElement(ElementType type, uint8_t *data, int64_t index,
                          uint32_t bits) {
  unsigned bytes = slotBytes(type);
  if (bytes == 0) {
    unsigned shift = index % 2 * 4;
    uint8_t &cell = data[index / 2];
    cell = static_cast<uint8_t>((cell & ~(0xfu << shift)) |
                                ((bits & 0xfu) << shift));
    return;
  }
  for (unsigned i = 0; i < bytes; ++i)
    data[index * bytes + i] = static_cast<uint8_t>(bits >> (8 * i));
}

//===----------------------------------------------------------------------===//
// Vector engine
//===----------------------------------------------------------------------===//

float sequin::minNum(float a, float b) {
  a = flushSubnormal(a);
  b = flushSubnormal(b);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

float sequin::maxNum(float a, float b) {
  a = flushSubnormal(a);
  b = flushSubnormal(b);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

float sequin::absMinNum(float a, float b) {
  return minNum(std::fabs(a), std::fabs(b));
}

float sequin::absMaxNum(float a, float b) {
  return maxNum(std::fabs(a), std::fabs(b));
}

float sequin::ofSmallerMagnitude(float a, float b) {
  a = flushSubnormal(a);
  b = flushSubnormal(b);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return std::fabs(a) <= std::fabs(b) ? a : b;
}

float sequin::ofLargerMagnitude(float a, float b) {
  a = flushSubnormal(a);
  b = flushSubnormal(b);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return std::fabs(a) >= std::fabs(b) ? a : b;
}
