//===- TcpConfigOps.td - The hardware configuration as IR --*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPCONFIGOPS
#define SEQUIN_DIALECT_TCP_IR_TCPCONFIGOPS

include "sequin/Dialect/Tcp/IR/TcpOpBase.td"
include "sequin/Dialect/Tcp/IR/TcpConfigAttrs.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"

def Tcp_ArgumentsAttr : TypedArrayAttrBase<Tcp_ArgumentAttr, "host arrays">;
def Tcp_ProgramConstantsAttr
    : TypedArrayAttrBase<Tcp_ProgramConstantAttr, "host arrays with their data">;
def Tcp_DescriptorsAttr
    : TypedArrayAttrBase<Tcp_DescriptorAttr, "DMA descriptors">;
def Tcp_StepsAttr : TypedArrayAttrBase<Tcp_StepAttr, "steps of addresses">;

def Tcp_ConfigOp : Tcp_Op<"config", [Symbol, IsolatedFromAbove, NoTerminator,
                                     SingleBlock]> {
  let summary = "A program as hardware configuration";
  let description = [{
    What `--tcp-to-config` makes of a host function and the kernels it launches:
    the commands in program order. The attributes are those of the configuration's
    JSON (docs/Spec/Config.md), each with the type that its struct has.

    ```mlir
    tcp.config @main target "rngd" chips 1 inputs [...] outputs [...] macs 4096 bf16 {
      tcp.config_dma "to_dm" hbm to dm [#tcp.descriptor<...>]
      tcp.config_exec "commit" main chip 0 slices ["..."]
        fetch <sequencer = #stream.sequencer<[...] packet 1 at 0>, from = bf16, ...>
        collect <packet_bytes = 32, flits_per_packet = 1> commit <...>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target,
                       ConfinedAttr<I64Attr, [IntPositive]>:$chips,
                       Tcp_ArgumentsAttr:$inputs, Tcp_ArgumentsAttr:$outputs,
                       OptionalAttr<Tcp_ProgramConstantsAttr>:$constants,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$macs,
                       TypeAttr:$mac_type);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `target` $target `chips` $chips `inputs` $inputs `outputs` $outputs
    (`constants` $constants^)? `macs` $macs $mac_type $body
    attr-dict-with-keyword
  }];
  let hasVerifier = 1;
}

class Tcp_ConfigCommandOp<string mnemonic, dag fields, list<Trait> traits = []>
    : Tcp_Op<mnemonic, [ParentOneOf<["ConfigOp", "ConfigLoopOp"]>] # traits> {
  let arguments = !con((ins StrAttr:$name), fields,
                       (ins OptionalAttr<Tcp_StepsAttr>:$steps));
}

def Tcp_ConfigTransferOp
    : Tcp_ConfigCommandOp<"config_transfer", (ins Tcp_HostTransferAttr:$transfer)> {
  let summary = "Copies an argument or result between host and HBM";
  let assemblyFormat = "$name $transfer (`steps` $steps^)? attr-dict";
}

def Tcp_ConfigDmaOp
    : Tcp_ConfigCommandOp<"config_dma", (ins Tcp_Memory:$source,
                                             Tcp_Memory:$destination,
                                             Tcp_DescriptorsAttr:$descriptors)> {
  let summary = "A command for the tensor DMA engines";
  let assemblyFormat = [{
    $name $source `to` $destination $descriptors (`steps` $steps^)? attr-dict
  }];
}

def Tcp_ConfigExecOp
    : Tcp_ConfigCommandOp<"config_exec",
        (ins Tcp_Context:$execution_context, I64Attr:$chip, StrArrayAttr:$slices,
             UnitAttr:$occupies_dma, Tcp_FetchAttr:$fetch,
             OptionalAttr<Tcp_SwitchAttr>:$switching, Tcp_CollectAttr:$collect,
             OptionalAttr<Tcp_ContractAttr>:$contract,
             OptionalAttr<Tcp_VectorAttr>:$vector, OptionalAttr<Tcp_CastAttr>:$cast,
             OptionalAttr<Tcp_TransposeAttr>:$transpose,
             OptionalAttr<Tcp_CommitAttr>:$commit,
             OptionalAttr<Tcp_ToTrfAttr>:$to_trf,
             OptionalAttr<Tcp_ToVrfAttr>:$to_vrf)> {
  let summary = "One pass of the tensor unit";
  let description = [{
    The engines that the pass goes through, in their order; the last one is the
    commit engine or a register file. `slices` are the slices that take part, one
    bitmap in hexadecimal for each cluster.
  }];
  let assemblyFormat = [{
    $name $execution_context `chip` $chip `slices` $slices (`occupies_dma` $occupies_dma^)?
    `fetch` $fetch (`switch` $switching^)? `collect` $collect
    (`contract` $contract^)? (`vector` $vector^)? (`cast` $cast^)?
    (`transpose` $transpose^)? (`commit` $commit^)? (`to_trf` $to_trf^)?
    (`to_vrf` $to_vrf^)? (`steps` $steps^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Tcp_ConfigGenerateOp
    : Tcp_ConfigCommandOp<"config_generate",
        (ins I64Attr:$chip, StrArrayAttr:$slices, I64Attr:$address,
             I64Attr:$value)> {
  let summary = "One number written by the commit engine";
  let assemblyFormat = [{
    $name `chip` $chip `slices` $slices `at` $address `value` $value
    (`steps` $steps^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Tcp_ConfigLoopOp
    : Tcp_ConfigCommandOp<"config_loop", (ins I64Attr:$count),
                          [NoTerminator, SingleBlock]> {
  let summary = "Commands that run several times";
  let description = [{
    Its commands run `count` times, one round after the other; the `steps` of a
    command say how far each loop around it moves its addresses per round.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `count` $count $body (`steps` $steps^)? attr-dict-with-keyword
  }];
  let hasVerifier = 1;
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPCONFIGOPS
