//===- StreamPage.td - Source of the stream dialect's page -*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generator of dialect pages wants the class Op, which a dialect without
// operations does not include.
//
//===----------------------------------------------------------------------===//

include "mlir/IR/OpBase.td"
include "sequin/Dialect/Stream/IR/Stream.td"
