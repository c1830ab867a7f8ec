//===- Tcp.td - The tcp dialect ----------------------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCP
#define SEQUIN_DIALECT_TCP_IR_TCP

include "sequin/Dialect/Tcp/IR/TcpDialect.td"
include "sequin/Dialect/Tcp/IR/TcpEnums.td"
include "sequin/Dialect/Tcp/IR/TcpAttrs.td"
include "sequin/Dialect/Tcp/IR/TcpConfigAttrs.td"
include "sequin/Dialect/Tcp/IR/TcpTypes.td"
include "sequin/Dialect/Tcp/IR/TcpMemoryOps.td"
include "sequin/Dialect/Tcp/IR/TcpFetchOps.td"
include "sequin/Dialect/Tcp/IR/TcpSwitchOps.td"
include "sequin/Dialect/Tcp/IR/TcpContractOps.td"
include "sequin/Dialect/Tcp/IR/TcpTransposeOps.td"
include "sequin/Dialect/Tcp/IR/TcpCommitOps.td"
include "sequin/Dialect/Tcp/IR/TcpVectorOps.td"
include "sequin/Dialect/Tcp/IR/TcpVectorReduceOps.td"
include "sequin/Dialect/Tcp/IR/TcpInterSliceOps.td"
include "sequin/Dialect/Tcp/IR/TcpViewOps.td"
include "sequin/Dialect/Tcp/IR/TcpConfigOps.td"

#endif // SEQUIN_DIALECT_TCP_IR_TCP
