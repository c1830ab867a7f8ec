//===- Passes.td - From linalg to csl ----------------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_LINALGTOCSL_PASSES
#define SEQUIN_CONVERSION_LINALGTOCSL_PASSES

include "mlir/Pass/PassBase.td"

def LinalgToCsl : Pass<"convert-linalg-to-csl", "::mlir::ModuleOp"> {
  let summary = "Lower linalg on tensors to a csl program on a grid of PEs";
  let description = [{
    Input: a module with one function on static ranked tensors of f32, f16 or bf16,
    i16 and i32, in linalg operations, `tensor.extract_slice`, `tensor.pad` and
    constants. Output: a module of one `csl.layout` and one `csl.program` whose
    exported function has the old name, with `csl.entry` on the module and
    `csl.distribution` on the names of arguments and results. A module without a
    function on tensors is left alone.

    Lowered are elementwise operations with broadcasts, stencils (reads at constant
    offsets), reductions and contractions; see docs/Rationale/WaferLowering.md for
    where everything goes. The axes along which dimensions are cut are chosen by
    estimated cycles among those that fit into the memory of a PE, or pinned:
    `distribution="y,x;x"` cuts the first argument's rows along y and columns along x,
    the second argument along x; `-` leaves a dimension whole and `xy` cuts it along
    both axes.

    Sums are taken in the machine's order: products are fused with the addition,
    blocks are summed locally, then along x and y.

    What cannot be lowered is refused at the operation, with the reason and, where
    memory is the reason, a grid that would do.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::sequin::csl::CslDialect"
  ];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "machine to lower for, if the module names none">,
    Option<"width", "width", "int64_t", "1", "PEs along x">,
    Option<"height", "height", "int64_t", "1", "PEs along y">,
    Option<"entry", "entry", "std::string", "\"\"",
           "function to lower, if there are several">,
    Option<"distribution", "distribution", "std::string", "\"\"",
           "axes of the arguments' dimensions, as in y,x;x">,
    Option<"firstColor", "first-color", "unsigned", "0",
           "colors below it are left to others">
  ];
}

#endif // SEQUIN_CONVERSION_LINALGTOCSL_PASSES
