//===- LinalgValue.h - Values of linalg programs ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_LINALGVALUE_H
#define SEQUIN_LIB_REFERENCE_LINALGVALUE_H

#include "ScalarProgram.h"
#include "mlir/IR/Operation.h"
#include <numeric>

namespace sequin::reference {

/// A value of the program: a tensor, or a scalar as a tensor without
/// dimensions.
struct LinalgValue {
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t> shape;
  std::vector<double> values, errors; ///< of floats; no errors means all 0
  std::vector<int32_t> integers;      ///< of integers

  int64_t count() const {
    return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                           std::multiplies<>());
  }
  Scalar get(int64_t i) const {
    Scalar scalar;
    if (isFloat(type)) {
      scalar.value = values[i];
      scalar.error = errors.empty() ? 0 : errors[i];
    } else {
      scalar.integer = integers[i];
    }
    return scalar;
  }
  void set(int64_t i, const Scalar &scalar) {
    if (!isFloat(type)) {
      integers[i] = static_cast<int32_t>(scalar.integer);
      return;
    }
    values[i] = scalar.value;
    if (errors.empty() && scalar.error != 0)
      errors.resize(values.size());
    if (!errors.empty())
      errors[i] = scalar.error;
  }
  void allocate() {
    if (isFloat(type))
      values.assign(count(), 0);
    else
      integers.assign(count(), 0);
    errors.clear();
  }
};

/// Whether `op` moves elements of tensors without computing: tensor.pad,
/// tensor.extract_slice, tensor.insert_slice, tensor.concat, tensor.gather.
bool movesElements(mlir::Operation *op);

/// Fills `result`, of which type and shape are set, from the operands of such
/// an operation; `scalarOf` finds values from outside of a region.
mlir::LogicalResult
moveElements(mlir::Operation *op, llvm::ArrayRef<const LinalgValue *> operands,
             llvm::function_ref<const LinalgValue *(mlir::Value)> scalarOf,
             LinalgValue &result);

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_LINALGVALUE_H
