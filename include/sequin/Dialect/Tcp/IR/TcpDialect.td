//===- TcpDialect.td - Definition of the tcp dialect -------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPDIALECT
#define SEQUIN_DIALECT_TCP_IR_TCPDIALECT

include "mlir/IR/OpBase.td"

def TcpDialect : Dialect {
  let name = "tcp";
  let summary = "The Virtual ISA of the Tensor Contraction Processor";
  let description = [{
    Kernels for FuriosaAI's Tensor Contraction Processor, written as the vendor's
    Virtual ISA manual writes them: one operation per engine, the mapping of the
    tensor at every point in the types.

    Above it is linalg on tensors (`--linalg-to-tcp`); below it is the hardware
    configuration (`--tcp-to-config`), in which no mapping is left.

    A module names its machine in the attribute `tcp.target`. A program is a host
    function that moves arrays (`tcp.to_hbm`, `tcp.to_host`) and launches kernels;
    a kernel is a `func.func` on HBM tensors. Streams between engines are values
    used exactly once: an engine has one successor.

    Operation and type verifiers check what the manual's types check. Limits of the
    machine (sizes of memories, slice counts, overlapping addresses) are checked by
    `--tcp-check-machine`, rules about a derived configuration when it is derived.
  }];
  let cppNamespace = "::sequin::tcp";
  let dependentDialects = ["::sequin::stream::StreamDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Module attribute that names the machine (a TargetAttr).
    static constexpr ::llvm::StringLiteral kTargetAttrName = "tcp.target";
    /// Function attribute: useful multiply-accumulates of the program as given,
    /// for utilisation figures (an i64).
    static constexpr ::llvm::StringLiteral kMacsAttrName = "tcp.macs";
    /// How an operation visits its memories, a `#stream.sequencer` for each: what
    /// `--tcp-derive-sequencers` attaches and `--stream-merge-entries` fits to
    /// the limits.
    static constexpr ::llvm::StringLiteral kSequencersAttrName =
        "tcp.sequencers";
    /// The mask that goes with a fetch's sequencer (a MaskAttr).
    static constexpr ::llvm::StringLiteral kMaskAttrName = "tcp.mask";
    /// The pieces of a move, a `#stream.transfer` for each, and the descriptors
    /// that the DMA engines get for them (DescriptorAttrs, addresses relative to
    /// the tensors).
    static constexpr ::llvm::StringLiteral kTransfersAttrName = "tcp.transfers";
    static constexpr ::llvm::StringLiteral kDescriptorsAttrName =
        "tcp.descriptors";

  private:
    void registerAttributes();
    void registerTypes();

  public:
  }];
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPDIALECT
