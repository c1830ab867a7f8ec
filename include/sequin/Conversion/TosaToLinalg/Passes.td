//===- Passes.td - TOSA to linalg --------------------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_TOSATOLINALG_PASSES
#define SEQUIN_CONVERSION_TOSATOLINALG_PASSES

include "mlir/Pass/PassBase.td"

def LowerTosa : Pass<"lower-tosa", "::mlir::ModuleOp"> {
  let summary = "Rewrite TOSA programs in linalg on tensors";
  let description = [{
    Input: functions on static ranked tensors in the dialect `tosa`. Output: the same
    functions in linalg, tensor, arith, math and scf, by the conversions that MLIR has, and
    in the forms that `normalize-linalg` takes: the position of a greatest element by
    `maximumf` or `maxsi` beside a comparison, the high half of a product of i32 by products
    of its halves, padding by attributes. A module without `tosa` stays as it is.

    What MLIR does not convert is refused with an error at the operation.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::tosa::TosaDialect"
  ];
}

#endif // SEQUIN_CONVERSION_TOSATOLINALG_PASSES
