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
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"

def Tcp_ConfigOp : Tcp_Op<"config", [Symbol, IsolatedFromAbove, NoTerminator,
                                     SingleBlock]> {
  let summary = "A program as hardware configuration";
  let description = [{
    What `--tcp-to-config` makes of a host function and the kernels it launches:
    the commands in program order. The attributes and the commands' contents are
    those of the configuration's JSON (docs/Spec/Config.md), with sequencers as
    `#stream.sequencer`.

    ```mlir
    tcp.config @main target "rngd" chips 1 header {...} {
      tcp.config_dma "to_dm" {...}
      tcp.config_exec "commit" {...}
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target,
                       ConfinedAttr<I64Attr, [IntPositive]>:$chips,
                       DictionaryAttr:$header);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `target` $target `chips` $chips `header` $header $body
    attr-dict-with-keyword
  }];
  let hasVerifier = 1;
}

class Tcp_ConfigCommandOp<string mnemonic>
    : Tcp_Op<mnemonic, [HasParent<"ConfigOp">]> {
  let arguments = (ins StrAttr:$name, DictionaryAttr:$fields);
  let assemblyFormat = "$name $fields attr-dict-with-keyword";
}

def Tcp_ConfigTransferOp : Tcp_ConfigCommandOp<"config_transfer"> {
  let summary = "Copies an argument or result between host and HBM";
}

def Tcp_ConfigDmaOp : Tcp_ConfigCommandOp<"config_dma"> {
  let summary = "A command for the tensor DMA engines";
}

def Tcp_ConfigExecOp : Tcp_ConfigCommandOp<"config_exec"> {
  let summary = "One pass of the tensor unit";
}

def Tcp_ConfigGenerateOp : Tcp_ConfigCommandOp<"config_generate"> {
  let summary = "One number written by the commit engine";
}

def Tcp_ConfigLoopOp : Tcp_ConfigCommandOp<"config_loop"> {
  let summary = "Commands that run several times";
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPCONFIGOPS
