//===- LinalgValue.h - Values of linalg programs ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside a program every type is what it is in MLIR. At the boundary, where
// arrays come in and go out, i64 is i32, i1 is i8 with 0 and 1, and f4E2M1FN is
// i4, its codes, as in the programs that the machine runs.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_LINALGVALUE_H
#define SEQUIN_LIB_REFERENCE_LINALGVALUE_H

#include "Scalar.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"
#include "sequin/Reference/Interpreter.h"
#include "llvm/Support/Error.h"

namespace mlir::cf {
class AssertOp;
} // namespace mlir::cf
namespace mlir::linalg {
class LinalgOp;
class SoftmaxOp;
} // namespace mlir::linalg

namespace sequin::reference {

/// A value of the program: a tensor, or a scalar as a tensor without
/// dimensions.
struct LinalgValue {
  mlir::Type type; ///< of an element
  bool isFloat = false;
  llvm::SmallVector<int64_t> shape;
  std::vector<double> values;    ///< of floats
  std::vector<int64_t> integers; ///< of integers, sign-extended
  std::vector<double> errors;    ///< none means all 0
  std::vector<uint64_t> origins; ///< as many as errors

  LinalgValue() = default;
  /// Zeros.
  LinalgValue(mlir::Type elementType, llvm::ArrayRef<int64_t> shape);

  int64_t count() const { return isFloat ? values.size() : integers.size(); }
  Scalar get(int64_t i) const {
    Scalar scalar;
    if (isFloat)
      scalar.value = values[i];
    else
      scalar.integer = integers[i];
    if (!errors.empty()) {
      scalar.error = errors[i];
      scalar.origin = origins[i];
    }
    return scalar;
  }
  void set(int64_t i, const Scalar &scalar) {
    if (isFloat)
      values[i] = scalar.value;
    else
      integers[i] = scalar.integer;
    if (errors.empty() && scalar.error != 0) {
      errors.resize(count());
      origins.resize(count());
    }
    if (!errors.empty()) {
      errors[i] = scalar.error;
      origins[i] = scalar.origin;
    }
  }
};

/// Finds what has been computed; null for the rest.
using Lookup = llvm::function_ref<const LinalgValue *(mlir::Value)>;

/// The same, with an error at `op` for the rest.
mlir::FailureOr<const LinalgValue *> find(mlir::Operation *op,
                                          mlir::Value value, Lookup lookup);

/// Zeros for a value of `type` that has `shape`; an error at `op` if the type
/// says otherwise, is not known, or if they are too many.
mlir::FailureOr<LinalgValue> makeValue(mlir::Operation *op, mlir::Type type,
                                       llvm::ArrayRef<int64_t> shape);
/// The same for a type with a static shape.
mlir::FailureOr<LinalgValue> makeValue(mlir::Operation *op, mlir::Type type);

/// Offsets, sizes and strides, which are constants or have been computed.
mlir::FailureOr<llvm::SmallVector<int64_t>>
numbersOf(mlir::Operation *op, llvm::ArrayRef<mlir::OpFoldResult> list,
          Lookup lookup);

/// Visits every index below `sizes`, the last dimension innermost.
void forEachIndex(llvm::ArrayRef<int64_t> sizes,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// The element at `index`; an error at `op` if there is none. Where rounding
/// may change the index, the element may be anything.
mlir::FailureOr<Scalar> extractElement(mlir::Operation *op,
                                       const LinalgValue &tensor,
                                       llvm::ArrayRef<Scalar> index);

/// An error if `condition` is false.
mlir::LogicalResult checkAssertion(mlir::cf::AssertOp op,
                                   const Scalar &condition);

/// Whether `op` makes a tensor of elements of others without computing, or
/// gives it another shape.
bool movesElements(mlir::Operation *op);

/// The result of such an operation.
mlir::FailureOr<LinalgValue> moveElements(mlir::Operation *op, Lookup lookup);

/// The results of a structured operation on tensors.
mlir::FailureOr<std::vector<LinalgValue>>
runStructured(mlir::linalg::LinalgOp op, Lookup lookup);

/// The result of linalg.softmax on tensors.
mlir::FailureOr<LinalgValue> runSoftmax(mlir::linalg::SoftmaxOp op,
                                        const LinalgValue &input);

/// A sum of `terms` terms in f32 in any order, rounded to `type`, with the
/// error that it may have. `error` is that of the terms, `magnitude` the sum of
/// the magnitudes of the finite ones; `isIntegral` says that all of them are
/// whole numbers.
Scalar finishSum(FloatRounding type, double sum, double magnitude, double error,
                 bool isIntegral, double terms);

/// Fills `value` from an array as programs on the machine take it.
llvm::Error loadArray(LinalgValue &value, const Array &array);
/// The other way; fails if an integer is out of range there.
llvm::Expected<LinalgResult> storeArray(const LinalgValue &value);

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_LINALGVALUE_H
