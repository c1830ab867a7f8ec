//===- Passes.h - From csl to the wafer program -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_CSLTOWAFER_PASSES_H
#define SEQUIN_CONVERSION_CSLTOWAFER_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace sequin {

#define GEN_PASS_DECL_CSLCHECKPROGRAM
#include "sequin/Conversion/CslToWafer/Passes.h.inc"

namespace csl_to_wafer {
#define GEN_PASS_REGISTRATION
#include "sequin/Conversion/CslToWafer/Passes.h.inc"
} // namespace csl_to_wafer

} // namespace sequin

#endif // SEQUIN_CONVERSION_CSLTOWAFER_PASSES_H
