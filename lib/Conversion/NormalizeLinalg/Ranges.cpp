//===- Ranges.cpp - What is known of values ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin::normalize_linalg;

/// Where products stop: sums of two such still fit in 64 bits.
static constexpr int64_t kFar = int64_t(1) << 61;

static int64_t multiply(int64_t x, int64_t y) {
  std::optional<int64_t> product = llvm::checkedMul(x, y);
  if (!product)
    return (x < 0) == (y < 0) ? kFar : -kFar;
  return std::clamp(*product, -kFar, kFar);
}

IntRange IntRange::operator*(IntRange other) const {
  int64_t products[] = {multiply(low, other.low), multiply(low, other.high),
                        multiply(high, other.low), multiply(high, other.high)};
  return {*std::min_element(products, products + 4),
          *std::max_element(products, products + 4)};
}

IntRange IntRange::operator+(IntRange other) const {
  return {std::clamp(low + other.low, -kFar, kFar),
          std::clamp(high + other.high, -kFar, kFar)};
}

IntRange IntRange::operator-(IntRange other) const {
  return {std::clamp(low - other.high, -kFar, kFar),
          std::clamp(high - other.low, -kFar, kFar)};
}

namespace {

/// Definitions are followed to this depth; bodies are rarely deeper, and a
/// value that is used twice at every level would take 2^depth steps.
constexpr unsigned kDepth = 12;

struct RangeReader {
  const DenseMap<Value, IntRange> &known;

  IntRange read(Value value, unsigned depth) const;
  IntRange ofAnd(IntRange x, IntRange y) const {
    if (x.low >= 0 && y.low >= 0)
      return {0, std::min(x.high, y.high)};
    if (x.low >= 0)
      return {0, x.high};
    if (y.low >= 0)
      return {0, y.high};
    return ofBits(x, y);
  }
  /// Both have copies of their sign from some bit on, so has the result.
  IntRange ofBits(IntRange x, IntRange y) const {
    for (unsigned bits = 1; bits < 32; ++bits)
      if (x.fits(bits) && y.fits(bits))
        return x.low >= 0 && y.low >= 0
                   ? IntRange{0, IntRange::ofWidth(bits).high}
                   : IntRange::ofWidth(bits);
    return x.low >= 0 && y.low >= 0 ? IntRange{0, INT32_MAX} : IntRange::all();
  }
};

} // namespace

IntRange RangeReader::read(Value value, unsigned depth) const {
  auto type = dyn_cast<IntegerType>(value.getType());
  IntRange any = type && type.getWidth() <= 32
                     ? IntRange::ofWidth(type.getWidth())
                     : IntRange::all();
  if (auto found = known.find(value); found != known.end())
    return found->second;
  IntegerAttr attr;
  if (matchPattern(value, m_Constant(&attr)))
    return {attr.getValue().getSExtValue(), attr.getValue().getSExtValue()};
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return any;
  auto operand = [&](unsigned i) { return read(op->getOperand(i), depth - 1); };
  auto count = [&]() -> std::optional<int64_t> {
    IntRange r = operand(1);
    if (r.low == r.high && r.low >= 0 && r.low < 32)
      return r.low;
    return std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, IntRange>(op)
      .Case([&](arith::AddIOp) { return (operand(0) + operand(1)).wrapped(); })
      .Case([&](arith::SubIOp) { return (operand(0) - operand(1)).wrapped(); })
      .Case([&](arith::MulIOp) { return (operand(0) * operand(1)).wrapped(); })
      .Case([&](arith::AndIOp) { return ofAnd(operand(0), operand(1)); })
      .Case<arith::OrIOp, arith::XOrIOp>(
          [&](auto) { return ofBits(operand(0), operand(1)); })
      .Case([&](arith::MaxSIOp) {
        IntRange x = operand(0), y = operand(1);
        return IntRange{std::max(x.low, y.low), std::max(x.high, y.high)};
      })
      .Case([&](arith::MinSIOp) {
        IntRange x = operand(0), y = operand(1);
        return IntRange{std::min(x.low, y.low), std::min(x.high, y.high)};
      })
      .Case([&](arith::ShRSIOp) {
        std::optional<int64_t> n = count();
        if (!n)
          return any;
        IntRange x = operand(0);
        return IntRange{x.low >> *n, x.high >> *n};
      })
      .Case([&](arith::ShRUIOp) {
        std::optional<int64_t> n = count();
        IntRange x = operand(0);
        if (!n || (x.low < 0 && *n == 0))
          return any;
        return x.low >= 0 ? IntRange{x.low >> *n, x.high >> *n}
                          : IntRange{0, int64_t(UINT32_MAX) >> *n};
      })
      .Case([&](arith::ShLIOp) {
        std::optional<int64_t> n = count();
        if (!n)
          return any;
        IntRange x = operand(0);
        return (x * IntRange{int64_t(1) << *n, int64_t(1) << *n}).wrapped();
      })
      .Case<arith::ExtSIOp, arith::TruncIOp>([&](auto) { return operand(0); })
      .Default([&](Operation *) { return any; });
}

IntRange
sequin::normalize_linalg::rangeOf(Value value,
                                  const DenseMap<Value, IntRange> &known) {
  return RangeReader{known}.read(value, kDepth);
}

unsigned sequin::normalize_linalg::significantBits(
    Value value, const DenseMap<Value, IntRange> &known) {
  constexpr unsigned kF32 = 24;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp>(op))
    return APFloat::semanticsPrecision(
        cast<FloatType>(op->getOperand(0).getType()).getFloatSemantics());
  if (isa_and_nonnull<arith::SIToFPOp>(op)) {
    IntRange range = rangeOf(op->getOperand(0), known);
    // A power of two at the end of the range needs one bit itself.
    uint64_t magnitude = std::max(-range.low, range.high);
    unsigned bits = magnitude == 0 ? 1 : llvm::Log2_64(magnitude) + 1;
    if (llvm::isPowerOf2_64(magnitude) && bits > 1)
      --bits;
    return std::min(bits, kF32);
  }
  return kF32;
}
