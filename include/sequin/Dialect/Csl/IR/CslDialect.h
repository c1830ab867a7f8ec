//===- CslDialect.h - The csl dialect ---------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLDIALECT_H
#define SEQUIN_DIALECT_CSL_IR_CSLDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "sequin/Machine/CslMachine.h"
#include "sequin/Stream/Distribution.h"
#include "sequin/Stream/Dsd.h"
#include "sequin/Support/DsdOps.h"

#include "sequin/Dialect/Csl/IR/CslDialect.h.inc"
#include "sequin/Dialect/Csl/IR/CslEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "sequin/Dialect/Csl/IR/CslAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "sequin/Dialect/Csl/IR/CslTypes.h.inc"

#include "sequin/Dialect/Csl/IR/CslInterfaces.h.inc"

namespace sequin::csl {

namespace detail {
llvm::LogicalResult verifyInComptime(mlir::Operation *op);
llvm::LogicalResult verifyAtRuntime(mlir::Operation *op);
} // namespace detail

/// Belongs in a top-level comptime block.
template <typename ConcreteOp>
class InComptime : public mlir::OpTrait::TraitBase<ConcreteOp, InComptime> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyInComptime(op);
  }
};

/// Does not.
template <typename ConcreteOp>
class AtRuntime : public mlir::OpTrait::TraitBase<ConcreteOp, AtRuntime> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyAtRuntime(op);
  }
};

/// The rules of all DSD operations: operand lists, element types, kinds of DSDs
/// and DSRs, FIFOs, settings.
llvm::LogicalResult verifyDsdOperation(DsdOpInterface op);

} // namespace sequin::csl

#define GET_OP_CLASSES
#include "sequin/Dialect/Csl/IR/CslOps.h.inc"

namespace sequin::csl {

/// The `csl.target` of the module around `op`; null if there is none.
TargetAttr lookupTarget(mlir::Operation *op);
/// The same, with an error at `op` for a module that names no machine.
TargetAttr getTarget(mlir::Operation *op);
/// The machine of the module around `op`; nullptr if it names none.
const CslMachine *lookupMachine(mlir::Operation *op);

/// The number that a pointer, or an array behind one, was made of; null if it
/// is the address of something. Such an access may be one of a configuration
/// register (configWordAt()): it is volatile.
mlir::Value getPlaceNumber(mlir::Value place);

/// The number of a color, queue, task id, microthread, direction or register
/// that is a constant.
std::optional<int64_t> getKnownId(mlir::Value value);

/// The number of an id of `type` is in the range of the module's machine; an
/// error at `op` if not. Types that are no ids pass.
llvm::LogicalResult checkId(mlir::Operation *op, mlir::Type type,
                            int64_t number);

/// Whether memory DSDs take elements of `type`: 16- and 32-bit integers and
/// floats (DSD-067).
bool isDsdElement(mlir::Type type);

/// What a base address points to: element type, and the shape where it is that
/// of an array of known size.
struct BaseInfo {
  mlir::Type elementType;
  std::optional<llvm::SmallVector<int64_t>> shape;
  /// Whether it is a pointer to a single element.
  bool scalar = false;
};
BaseInfo getBaseInfo(mlir::Type base);

} // namespace sequin::csl

#endif // SEQUIN_DIALECT_CSL_IR_CSLDIALECT_H
