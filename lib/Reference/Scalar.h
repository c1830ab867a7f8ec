//===- Scalar.h - Numbers and how far a machine may be off ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A float is a double and the largest distance that a correct machine's value
// may have from it. As long as the distance is 0, every operation is rounded to
// its type, as the machine does; afterwards the double is left alone and the
// rounding to f32, half a unit in the last place, is added to the distance. A
// narrower type has few numbers: rounding to it makes the distance 0 again
// where everything inside of it becomes the same number. Subnormals are flushed
// before and after every operation if the FloatEnvironment says so (SIL-7).
// Numbers that are only passed on are known to be equal, so that a maximum is
// found among the elements that it is the maximum of.
//
// An integer is exact unless it depends on a float that is not, by a comparison
// or a conversion; then it has a distance as well.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_SCALAR_H
#define SEQUIN_LIB_REFERENCE_SCALAR_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "sequin/Support/ElementType.h"

namespace sequin::reference {

struct Scalar {
  double value = 0;    ///< of a float
  double error = 0;    ///< largest distance of the machine's value
  int64_t integer = 0; ///< of an integer, sign-extended from its width
  /// Of a float with an error: two that have the same one, other than 0, are
  /// the same number on the machine, whatever it is.
  uint64_t origin = 0;
};

/// The element type of a type that the machine has; std::nullopt for others.
std::optional<ElementType> elementTypeOf(mlir::Type type);

/// Whether programs may compute with numbers of `type`: those of the machine,
/// integers of at most 64 bits, index and f64.
bool isNumber(mlir::Type type);

/// The bits of an integer type, of which index has 64.
unsigned integerWidth(mlir::Type type);

/// What floats are rounded to; std::nullopt is f64, which is a double.
using FloatRounding = std::optional<ElementType>;

/// Of a float type.
inline FloatRounding roundingOf(mlir::Type type) { return elementTypeOf(type); }

/// Half a unit in the last place of `type` for values up to `magnitude`.
double halfUlp(ElementType type, double magnitude);
/// Signed zero for a value that is subnormal in f32 (and so in bf16) while a
/// flushing FloatEnvironment is alive: what an operation sees of its operand.
double flushOperand(double value);
/// The same; a value whose error leaves that open may be off by the smallest
/// normal number.
Scalar flushOperand(Scalar scalar);
/// `scalar` after an operation of `type`: see the file comment.
Scalar roundTo(FloatRounding type, Scalar scalar);

/// The value of an element's bits, and the bits of an f32, with subnormals as
/// they are although a flushing FloatEnvironment is alive.
double decodeExactly(ElementType type, uint32_t bits);
uint32_t bitsOfF32(double value);

/// A constant's value; fails for attributes that are no number.
std::optional<Scalar> readConstant(mlir::Attribute attribute);
Scalar readConstant(const llvm::APFloat &value);

//===----------------------------------------------------------------------===//
// Floats, rounded to `type`
//===----------------------------------------------------------------------===//

Scalar addFloats(FloatRounding type, const Scalar &a, const Scalar &b);
Scalar subtractFloats(FloatRounding type, const Scalar &a, const Scalar &b);
Scalar multiplyFloats(FloatRounding type, const Scalar &a, const Scalar &b);
Scalar divideFloats(FloatRounding type, const Scalar &a, const Scalar &b);
/// a * b + c, rounded once.
Scalar fuseFloats(FloatRounding type, const Scalar &a, const Scalar &b,
                  const Scalar &c);

/// Whether both are the same number on the machine although it is not known.
bool areSame(const Scalar &a, const Scalar &b);

enum class Extremum : uint8_t { Largest, Smallest };

/// The larger or the smaller operand, -0 being less than +0; of a NaN and a
/// number the NaN if `keepsNan`.
Scalar pickFloat(Extremum which, bool keepsNan, const Scalar &a,
                 const Scalar &b);

/// One of two values, which one `condition` says.
Scalar select(const Scalar &condition, const Scalar &a, const Scalar &b);

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_SCALAR_H
