//===- TcpVectorOperands.h - Operands of vector operations ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPVECTOROPERANDS_H
#define SEQUIN_DIALECT_TCP_IR_TCPVECTOROPERANDS_H

#include "sequin/Dialect/Tcp/IR/TcpDialect.h"

namespace sequin::tcp {

/// One operand of a vector operation, beside the stream.
struct VectorOperand {
  enum class Kind : uint8_t { Constant, Vrf, Stash, Register, Skip };
  Kind kind = Kind::Skip;
  mlir::TypedAttr constant;
  mlir::TypedValue<VrfType> vrf;
};

/// The operands in order; those of a pair group after group. Of a verified
/// operation.
llvm::SmallVector<VectorOperand, 2> readOperands(mlir::ArrayAttr operands,
                                                 mlir::OperandRange vrfs);

/// "01" of Mode01: where each argument comes from.
llvm::StringRef getDigits(ArgMode mode);

/// ExecutionIds by `group` or `branch`, bit i for id i; all if neither is
/// given.
uint16_t getIds(GroupIdAttr group, mlir::DenseI64ArrayAttr branch);

/// Whether a stream is two groups, between vector_intra_slice_unzip and a zip.
bool isPaired(mlir::Value stream);

/// The ALU that a vector operation occupies; empty if its stage has one unit.
llvm::StringRef getAlu(mlir::Operation *op);

} // namespace sequin::tcp

#endif // SEQUIN_DIALECT_TCP_IR_TCPVECTOROPERANDS_H
