//===- EmitKernel.h - Groups as passes of the tensor unit -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_EMITKERNEL_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_EMITKERNEL_H

#include "Program.h"

namespace sequin::linalg_to_tcp {

/// "A, B" of terms; empty ones are left out, "1" if there is none.
std::string joinTerms(llvm::ArrayRef<std::string> terms);

/// State of the kernel under construction.
class KernelEmitter {
public:
  KernelEmitter(const Program &program, mlir::OpBuilder &builder,
                stream::AxesAttr axes, stream::MappingAttr chip)
      : program(program), builder(builder), axes(axes), chip(chip) {}

  const Program &program;
  mlir::OpBuilder &builder;
  stream::AxesAttr axes;
  stream::MappingAttr chip;
  /// Kernel arguments, by the function's argument and its layout.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> arguments;
  /// Results of groups in HBM.
  llvm::DenseMap<mlir::Value, mlir::Value> values;

  tcp::HbmType getHbmType(mlir::Type elementType,
                          llvm::ArrayRef<AxisId> layout) const;
  mlir::Value getHbm(const TensorOperand &operand, const Group &group);
  mlir::Value emitGroup(Group &group, int64_t resultAddress);
};

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_EMITKERNEL_H
