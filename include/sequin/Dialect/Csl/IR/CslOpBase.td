//===- CslOpBase.td - Base classes of csl operations -------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLOPBASE
#define SEQUIN_DIALECT_CSL_IR_CSLOPBASE

include "sequin/Dialect/Csl/IR/CslAttrs.td"
include "sequin/Dialect/Csl/IR/CslInterfaces.td"
include "sequin/Dialect/Csl/IR/CslTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Csl_Op<string mnemonic, list<Trait> traits = []>
    : Op<CslDialect, mnemonic, traits>;

/// Belongs in a top-level comptime block.
def Csl_InComptime : NativeOpTrait<"InComptime"> {
  let cppNamespace = "::sequin::csl";
}
/// Does not.
def Csl_AtRuntime : NativeOpTrait<"AtRuntime"> {
  let cppNamespace = "::sequin::csl";
}

/// Takes effect once, when the program is loaded.
class Csl_SetupOp<string mnemonic, list<Trait> traits = []>
    : Csl_Op<mnemonic, !listconcat([Csl_InComptime], traits)>;

/// A builtin that only running code may call.
class Csl_RuntimeOp<string mnemonic, list<Trait> traits = []>
    : Csl_Op<mnemonic, !listconcat([Csl_AtRuntime], traits)>;

#endif // SEQUIN_DIALECT_CSL_IR_CSLOPBASE
