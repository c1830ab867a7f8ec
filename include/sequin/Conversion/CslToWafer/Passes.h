//===- Passes.h - From csl to the wafer program -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_CSLTOWAFER_PASSES_H
#define SEQUIN_CONVERSION_CSLTOWAFER_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin {

#define GEN_PASS_DECL
#include "sequin/Conversion/CslToWafer/Passes.h.inc"

namespace csl_to_wafer {
/// Brings the functions and tasks of a module's programs into the form that
/// bytecode is made from: canonical, with branches instead of structured
/// control flow. `hasAffine`: whether there is any affine operation.
void buildPreparePipeline(mlir::OpPassManager &manager, bool hasAffine);
#define GEN_PASS_REGISTRATION
#include "sequin/Conversion/CslToWafer/Passes.h.inc"
} // namespace csl_to_wafer

} // namespace sequin

#endif // SEQUIN_CONVERSION_CSLTOWAFER_PASSES_H
