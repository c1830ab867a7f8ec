//===- TcpAttrs.td - Attributes of the tcp dialect ---------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPATTRS
#define SEQUIN_DIALECT_TCP_IR_TCPATTRS

include "sequin/Dialect/Stream/IR/StreamAttrs.td"
include "sequin/Dialect/Tcp/IR/TcpDialect.td"
include "sequin/Dialect/Tcp/IR/TcpEnums.td"
include "mlir/IR/AttrTypeBase.td"

class Tcp_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TcpDialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Tcp_TargetAttr : Tcp_Attr<"Target", "target"> {
  let summary = "The machine a module is for";
  let description = [{
    Names a row of the machine tables and how many chips the program spans, as
    the manual's `#[device(chip = N)]`. `mode = unit` drops the rules that the
    cluster and slice mappings fill the machine exactly; the manual's per-engine
    snippets need it, a kernel does not.

    ```mlir
    module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} { ... }
    ```
  }];
  let parameters = (ins StringRefParameter<"machine name">:$machine,
      DefaultValuedParameter<"int64_t", "1">:$chips,
      DefaultValuedParameter<"::sequin::tcp::Mode",
                             "::sequin::tcp::Mode::Kernel">:$mode);
  let assemblyFormat = [{
    `<` $machine (`,` struct($chips, $mode)^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The machine table's row; never null on a verified attribute.
    const ::sequin::TcpMachine *getRow() const;
  }];
}

def Tcp_GridAttr : Tcp_Attr<"Grid", "grid"> {
  let summary = "How a tensor spreads over chips, clusters and slices";
  let description = [{
    The spatial part of every on-chip tensor and stream: the manual's
    `type Chip`, `type Cluster` and `type Slice` in one attribute, with the axes
    they are written in.

    ```mlir
    #grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
    ```
  }];
  let parameters = (ins "::sequin::stream::AxesAttr":$axes,
                        "::sequin::stream::MappingAttr":$chip,
                        "::sequin::stream::MappingAttr":$cluster,
                        "::sequin::stream::MappingAttr":$slice);
  let assemblyFormat = [{
    `<` qualified($axes) `,` `chip` custom<Mapping>($chip) `,` `cluster`
    custom<Mapping>($cluster) `,` `slice` custom<Mapping>($slice) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The mappings with axes resolved; they parse, the verifier saw to it.
    ::sequin::Mapping getChipMapping() const;
    ::sequin::Mapping getClusterMapping() const;
    ::sequin::Mapping getSliceMapping() const;
  }];
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPATTRS
