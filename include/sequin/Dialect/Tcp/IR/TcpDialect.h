//===- TcpDialect.h - The tcp dialect ---------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPDIALECT_H
#define SEQUIN_DIALECT_TCP_IR_TCPDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "sequin/Dialect/Stream/IR/StreamDialect.h"
#include "sequin/Machine/Machine.h"

namespace sequin::config {
struct AddressStep;
struct Argument;
struct CastStage;
struct CollectStage;
struct CommitStage;
struct Constant;
struct ContractStage;
struct DmaDescriptor;
struct FetchMask;
struct FetchStage;
struct SwitchStage;
struct ToTrfStage;
struct ToVrfStage;
struct Transfer;
struct TransposeStage;
struct VectorStage;
} // namespace sequin::config

namespace sequin::tcp {
/// A struct of the configuration as an attribute holds it
/// (TcpConfigValue.h).
template <typename T> class ConfigValue;
} // namespace sequin::tcp

#include "sequin/Dialect/Tcp/IR/TcpDialect.h.inc"
#include "sequin/Dialect/Tcp/IR/TcpEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "sequin/Dialect/Tcp/IR/TcpAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "sequin/Dialect/Tcp/IR/TcpTypes.h.inc"
#define GET_OP_CLASSES
#include "sequin/Dialect/Tcp/IR/TcpOps.h.inc"

namespace sequin::tcp {

/// The stream core's name of an MLIR element type; std::nullopt for a type the
/// machine does not have.
std::optional<ElementType> getElementKind(mlir::Type type);
/// Inverse of getElementKind.
mlir::Type getElementType(mlir::MLIRContext *context, ElementType kind);

/// The accumulator's type for operands of `type`: i32 for i4 and i8, f32 for f8
/// and bf16; null if the contraction engine does not take it.
mlir::Type getAccumulatorType(mlir::Type type);

/// The machine of the module around `op`; null (with an error at `op`) if the
/// module names none.
TargetAttr getTarget(mlir::Operation *op);

} // namespace sequin::tcp

#endif // SEQUIN_DIALECT_TCP_IR_TCPDIALECT_H
