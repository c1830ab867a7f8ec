//===- Stream.td - The stream dialect ----------------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_STREAM_IR_STREAM
#define SEQUIN_DIALECT_STREAM_IR_STREAM

include "sequin/Dialect/Stream/IR/StreamDialect.td"
include "sequin/Dialect/Stream/IR/StreamAttrs.td"

#endif // SEQUIN_DIALECT_STREAM_IR_STREAM
