//===- ScalarFunctions.h - Functions of numbers -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_SCALARFUNCTIONS_H
#define SEQUIN_LIB_REFERENCE_SCALARFUNCTIONS_H

#include "Scalar.h"
#include "mlir/IR/Operation.h"

namespace sequin::reference {

/// A function of a float, in f64, and how far a correct machine may be off.
struct ScalarFunction {
  double (*value)(double);
  /// Of the result in f32, in units in the last place: 4 for what the machine
  /// has (ruling SIL-5), more for what is computed by way of others; 0 for
  /// functions whose results need no rounding.
  double ulps;
  /// Of the argument relative to itself: what is lost before a function whose
  /// argument is scaled first.
  double argumentUlps;
  /// Rises or falls everywhere, or is convex, so that its values at the ends of
  /// an interval bound how it changes there; others change by no more than
  /// their argument.
  bool boundedByEnds;
  /// Smaller results have the units of this magnitude: what is computed by way
  /// of numbers of about one is not more exact near zero.
  double leastMagnitude = 0;
};

/// The function that an operation of `math` is; null if it is none.
const ScalarFunction *lookupFunction(mlir::Operation *op);

/// e^x, which softmax is made of.
extern const ScalarFunction kExponential;

/// Applies it to an argument with an error; the result is rounded to `type`.
Scalar apply(const ScalarFunction &function, FloatRounding type,
             Scalar argument);

/// The quotient of sine and cosine.
Scalar tangent(FloatRounding type, const Scalar &argument);

/// By products, or by way of logarithm and exponential; a square is one product
/// if the exponent `isKnown` from the program.
Scalar power(FloatRounding type, const Scalar &base, const Scalar &exponent,
             bool isKnown);

/// `magnitude` with the sign of `sign`.
Scalar copySign(const Scalar &magnitude, const Scalar &sign);

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_SCALARFUNCTIONS_H
