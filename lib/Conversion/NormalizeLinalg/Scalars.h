//===- Scalars.h - Scalar code of the vector engine -----------------*- C++
//-*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies are rewritten in words of 32 bits: f32 for every float type, i32 for
// every integer type, sign-extended. A truth value is 0 or -1, which is the
// sign extension of i1, so that masks select by bitwise operations.
//
// The code stands in a block of its own whose arguments are elements of
// tensors; Chains.cpp cuts it into operations.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_NORMALIZELINALG_SCALARS_H
#define SEQUIN_LIB_CONVERSION_NORMALIZELINALG_SCALARS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace sequin::normalize_linalg {

/// Values an integer can take.
struct IntRange {
  int64_t low, high;

  static IntRange ofWidth(unsigned bits) {
    return {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
  }
  static IntRange all() { return ofWidth(32); }
  bool fits(IntRange other) const {
    return other.low <= low && high <= other.high;
  }
  bool fits(unsigned bits) const { return fits(ofWidth(bits)); }
  /// Of exact results; far from zero only roughly.
  IntRange operator+(IntRange other) const;
  IntRange operator-(IntRange other) const;
  IntRange operator*(IntRange other) const;
  /// The range of a computation in i32, which wraps around.
  IntRange wrapped() const { return fits(32) ? *this : all(); }
};

/// Largest magnitude and finest unit a float value has, where that shows
/// how many digits of bf16 hold it exactly; significant bits, 24 if unknown.
unsigned significantBits(mlir::Value value,
                         const llvm::DenseMap<mlir::Value, IntRange> &known);

/// Follows the definition of an i32 (or narrower) value to what is known of the
/// elements it comes from.
IntRange rangeOf(mlir::Value value,
                 const llvm::DenseMap<mlir::Value, IntRange> &known);

class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  using Value = mlir::Value;
  using Type = mlir::Type;

  Type f32() { return b.getF32Type(); }
  Type i32() { return b.getI32Type(); }
  Value constant(float value);
  Value constant(int32_t value);
  Value none() { return constant(int32_t(0)); }

  /// What is known of block arguments.
  llvm::DenseMap<Value, IntRange> ranges;
  IntRange range(Value value) { return rangeOf(value, ranges); }

  /// One operation; folded, or the same one as before where possible.
  template <typename Op> Value make(Value a) {
    return makeOp(Op::getOperationName(), a.getType(), a);
  }
  template <typename Op> Value make(Value a, Value b) {
    return makeOp(Op::getOperationName(), a.getType(), {a, b});
  }
  template <typename Op> Value cast(Type type, Value a) {
    return makeOp(Op::getOperationName(), type, a);
  }
  Value makeOp(llvm::StringRef name, Type type, mlir::ValueRange operands);

  // In i32.
  Value add(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return make<mlir::arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return make<mlir::arith::MulIOp>(x, y); }
  Value bitAnd(Value x, Value y);
  Value bitOr(Value x, Value y) { return make<mlir::arith::OrIOp>(x, y); }
  Value bitXor(Value x, Value y) { return make<mlir::arith::XOrIOp>(x, y); }
  Value shiftLeft(Value x, int32_t count);
  Value shiftRight(Value x, int32_t count);
  /// The low bits, sign-extended.
  Value wrap(Value x, unsigned width);
  Value negateMask(Value mask) { return bitXor(mask, constant(-1)); }

  // In f32.
  Value addF(Value x, Value y) { return make<mlir::arith::AddFOp>(x, y); }
  Value subF(Value x, Value y) { return make<mlir::arith::SubFOp>(x, y); }
  Value mulF(Value x, Value y) { return make<mlir::arith::MulFOp>(x, y); }
  Value divF(Value x, Value y) { return make<mlir::arith::DivFOp>(x, y); }
  Value negateF(Value x) { return mulF(x, constant(-1.0f)); }
  Value absF(Value x);
  Value bits(Value x);   ///< f32 as i32
  Value number(Value x); ///< i32 as f32
  /// An f32 of which only values that `type` has remain.
  Value roundTo(Type type, Value x);

  // Masks (Comparisons.cpp).
  Value less(Value x, Value y);
  Value equal(Value x, Value y);
  Value lessF(Value x, Value y);  ///< false with NaN
  Value equalF(Value x, Value y); ///< false with NaN
  Value ordered(Value x);         ///< not NaN
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y,
                bool isUnsigned);
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y);
  Value select(Value mask, Value x, Value y);

  // Rounding.cpp.
  Value roundEven(Value x);
  Value truncate(Value x);
  Value floor(Value x);
  Value ceil(Value x);
  Value roundAway(Value x);
  Value toInt(Value x, bool isWhole); ///< truncates
  /// As toInt, of [0, 2^32); what is 2^31 and more has the sign bit.
  Value toUnsigned(Value x, bool isWhole);
  Value fromUnsigned(Value x);
  Value power(Value x, Value y);
  Value power(Value x, int64_t exponent);
  /// Of an exponent in i32.
  Value powerOfInt(Value x, Value exponent);
  Value sinh(Value x);
  Value cosh(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);
  Value log1p(Value x);
  Value expm1(Value x);

private:
  Value notLessF(Value x, Value y); ///< x >= y, false with NaN
  Value nonZero(Value x, Value ifZero, Value ifNot);
  std::optional<float> constantF(Value x);
  std::optional<int32_t> constantI(Value x);
  bool neverNan(Value x);
  Value powerOfMagnitude(Value x, Value y);

  mlir::OpBuilder b;
  mlir::Location loc;
};

/// The block argument that `value` is, converted to f32 or i32 or not.
mlir::BlockArgument elementOf(mlir::Value value);
bool isConstant(mlir::Value value);
/// What needs no step: elements and constants.
inline bool isAtom(mlir::Value value) {
  return isConstant(value) || elementOf(value);
}

} // namespace sequin::normalize_linalg

#endif // SEQUIN_LIB_CONVERSION_NORMALIZELINALG_SCALARS_H
