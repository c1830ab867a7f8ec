//===- CslInterfaces.td - What csl operations have in common -*- tablegen -*-=//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLINTERFACES
#define SEQUIN_DIALECT_CSL_IR_CSLINTERFACES

include "mlir/IR/OpBase.td"

def Csl_AsyncOpInterface : OpInterface<"AsyncOpInterface"> {
  let cppNamespace = "::sequin::csl";
  let description = [{
    An operation with the settings that start and end a microthread: DSD
    operations and loads of DSRs (manual, Asynchronous DSD Operations).
  }];
  let methods = [
    InterfaceMethod<"Whether `.async = true`.", "bool", "getAsync">,
    InterfaceMethod<"What completion activates; may be null.",
        "::mlir::Value", "getActivate">,
    InterfaceMethod<"What completion unblocks; may be null.",
        "::mlir::Value", "getUnblock">,
    InterfaceMethod<"What a control wavelet does.",
        "std::optional<::sequin::csl::OnControl>", "getOnControl">,
    InterfaceMethod<"What a control wavelet activates or unblocks; may be null.",
        "::mlir::Value", "getControlTarget">,
    InterfaceMethod<"The microthread (WSE-3).",
        "std::optional<uint64_t>", "getUtId">,
  ];
}

def Csl_DsdOpInterface
    : OpInterface<"DsdOpInterface", [Csl_AsyncOpInterface]> {
  let cppNamespace = "::sequin::csl";
  let description = [{
    A DSD operation (manual, Builtins for DSD Operations): one hardware loop
    over the elements of its operands.
  }];
  let methods = [
    InterfaceMethod<"Which operation.", "::sequin::DsdOpcode", "getOpcode">,
    InterfaceMethod<"The destination; null for dfilt.", "::mlir::Value",
        "getDestination">,
    InterfaceMethod<"The operands behind the destination.",
        "::mlir::OperandRange", "getSources">,
    InterfaceMethod<"`.index`; may be null.", "::mlir::Value", "getIndex">,
    InterfaceMethod<"`.priority` (WSE-2).",
        "std::optional<::sequin::csl::Priority>", "getPriority">,
  ];
}

#endif // SEQUIN_DIALECT_CSL_IR_CSLINTERFACES
