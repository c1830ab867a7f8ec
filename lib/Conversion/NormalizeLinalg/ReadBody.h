//===- ReadBody.h - Bodies in words of 32 bits ----------------------*- C++
//-*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_NORMALIZELINALG_READBODY_H
#define SEQUIN_LIB_CONVERSION_NORMALIZELINALG_READBODY_H

#include "Nest.h"

namespace sequin::normalize_linalg {

/// Rewrites values of a linalg body in the scalar block of a nest. Errors are
/// at the operation that has the body.
class BodyReader {
public:
  BodyReader(Nest &nest, mlir::linalg::GenericOp op) : nest(nest), op(op) {}

  using Value = mlir::Value;

  /// The value in f32 or i32; null after an error.
  Value read(Value value);
  /// And the same as an element of a tensor of `type`.
  Value readAs(Value value, mlir::Type type);
  Value narrow(Value word, mlir::Type from, mlir::Type type);
  /// Values read before may have been replaced by tensors.
  void forget() { known.clear(); }
  mlir::InFlightDiagnostic refuse(mlir::Operation *body);

private:
  Value readArgument(mlir::BlockArgument argument);
  Value readConstant(mlir::Value value, mlir::Attribute attr);
  Value readOp(mlir::Operation *body);
  Value readIntOp(mlir::Operation *body, unsigned width);
  Value readFloatOp(mlir::Operation *body);
  Value readCast(mlir::Operation *body);
  Value readSelect(mlir::arith::SelectOp select);
  Value readFromEnd(mlir::arith::SelectOp select);
  Value readDivision(mlir::Operation *body, unsigned width);
  Value readIndex(mlir::linalg::IndexOp index);
  Value readExtract(mlir::tensor::ExtractOp extract);
  Value fromElement(mlir::BlockArgument element, mlir::Type bodyType);
  mlir::LogicalResult checkType(mlir::Operation *body, mlir::Type type);

  Nest &nest;
  mlir::linalg::GenericOp op;
  llvm::DenseMap<Value, Value> known;
};

/// An affine expression of the loops around a body, if that is what an index in
/// it is; null otherwise.
mlir::AffineExpr getAffineIndex(mlir::Value index);

/// The tensor type's element type where truth values are i8.
mlir::Type storedType(mlir::Type type);

} // namespace sequin::normalize_linalg

#endif // SEQUIN_LIB_CONVERSION_NORMALIZELINALG_READBODY_H
