//===- Csl.td - The csl dialect ----------------------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSL
#define SEQUIN_DIALECT_CSL_IR_CSL

include "sequin/Dialect/Csl/IR/CslDialect.td"
include "sequin/Dialect/Csl/IR/CslEnums.td"
include "sequin/Dialect/Csl/IR/CslAttrs.td"
include "sequin/Dialect/Csl/IR/CslTypes.td"
include "sequin/Dialect/Csl/IR/CslProgramOps.td"
include "sequin/Dialect/Csl/IR/CslLayoutOps.td"
include "sequin/Dialect/Csl/IR/CslFabricOps.td"
include "sequin/Dialect/Csl/IR/CslTaskOps.td"
include "sequin/Dialect/Csl/IR/CslDsdOps.td"
include "sequin/Dialect/Csl/IR/CslElementOps.td"
include "sequin/Dialect/Csl/IR/CslMemoryOps.td"
include "sequin/Dialect/Csl/IR/CslBuiltinOps.td"

#endif // SEQUIN_DIALECT_CSL_IR_CSL
