//===- TcpConfigAttrs.td - Parts of the configuration ------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each attribute holds a struct of Config/Config.h and is written as its JSON is
// (docs/Spec/Config.md): `<key = value, ...>`, where structs inside are written
// the same way, enumerators stand without quotes, and sequencers are
// `#stream.sequencer`. The names of the keys are Config's alone.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPCONFIGATTRS
#define SEQUIN_DIALECT_TCP_IR_TCPCONFIGATTRS

include "sequin/Dialect/Tcp/IR/TcpDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Tcp_ConfigParameter<string struct>
    : AttrParameter<"::sequin::tcp::ConfigValue<::sequin::config::" # struct # ">",
                    "the struct", "const ::sequin::config::" # struct # " &">;

class Tcp_ConfigAttr<string name, string attrMnemonic, string struct, string what>
    : AttrDef<TcpDialect, name> {
  let mnemonic = attrMnemonic;
  let summary = what;
  let parameters = (ins Tcp_ConfigParameter<struct>:$value);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser &parser, ::mlir::Type) {
      return parseConfig<$cppClass, ::sequin::config::}] # struct # [{>(parser);
    }
    void $cppClass::print(::mlir::AsmPrinter &printer) const {
      printConfig(printer, getContext(), getValue());
    }
    ::llvm::LogicalResult $cppClass::verify(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ConfigValue<::sequin::config::}] # struct # [{> value) {
      return verifyConfig(emitError, value.get());
    }
  }];
}

def Tcp_ArgumentAttr
    : Tcp_ConfigAttr<"Argument", "argument", "Argument",
                     "A host array that a program takes or returns">;
def Tcp_ProgramConstantAttr
    : Tcp_ConfigAttr<"ProgramConstant", "program_constant", "Constant",
                     "A host array that a program brings along">;
def Tcp_HostTransferAttr
    : Tcp_ConfigAttr<"HostTransfer", "host_transfer", "Transfer",
                     "A copy between a host array and HBM">;
def Tcp_DescriptorAttr
    : Tcp_ConfigAttr<"Descriptor", "descriptor", "DmaDescriptor",
                     "The work of one DMA engine">;
def Tcp_FetchAttr
    : Tcp_ConfigAttr<"Fetch", "fetch", "FetchStage",
                     "How the fetch engine reads data memory">;
def Tcp_MaskAttr
    : Tcp_ConfigAttr<"Mask", "mask", "FetchMask",
                     "What the fetch adapter sets to a value">;
def Tcp_SwitchAttr
    : Tcp_ConfigAttr<"Switch", "switch", "SwitchStage",
                     "How the switch engine routes packets">;
def Tcp_CollectAttr
    : Tcp_ConfigAttr<"Collect", "collect", "CollectStage",
                     "How packets are cut into flits">;
def Tcp_ContractAttr
    : Tcp_ConfigAttr<"Contract", "contract", "ContractStage",
                     "How the contraction engine multiplies and adds">;
def Tcp_VectorAttr
    : Tcp_ConfigAttr<"Vector", "vector", "VectorStage",
                     "What the vector engine computes">;
def Tcp_CastAttr
    : Tcp_ConfigAttr<"Cast", "cast", "CastStage", "The cast engine's types">;
def Tcp_TransposeAttr
    : Tcp_ConfigAttr<"Transpose", "transpose", "TransposeStage",
                     "The matrices that the transpose engine turns">;
def Tcp_CommitAttr
    : Tcp_ConfigAttr<"Commit", "commit", "CommitStage",
                     "How the commit engine writes data memory">;
def Tcp_ToTrfAttr
    : Tcp_ConfigAttr<"ToTrf", "to_trf", "ToTrfStage",
                     "What is written into the tensor register file">;
def Tcp_ToVrfAttr
    : Tcp_ConfigAttr<"ToVrf", "to_vrf", "ToVrfStage",
                     "What is written into the vector register file">;
def Tcp_StepAttr
    : Tcp_ConfigAttr<"Step", "step", "AddressStep",
                     "How far a loop advances an address of a command">;

#endif // SEQUIN_DIALECT_TCP_IR_TCPCONFIGATTRS
