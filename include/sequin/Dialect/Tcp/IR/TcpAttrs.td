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

def Tcp_DmaStreamAttr : Tcp_Attr<"DmaStream", "dma_stream"> {
  let summary = "In which order and by which engines a tensor is moved";
  let description = [{
    The manual's `Stream` of a DMA operation (DMA Engine, Structural
    Requirements): which part an engine moves, by chip, cluster and place in the
    cluster (the manual's SliceInCluster: one engine per 64 slices), and the order
    of its packets.

    ```mlir
    #stream = #tcp.dma_stream<chip "1", cluster "B / 1024", slice "B / 256 % 4",
                              time "B % 256, C / 256, A % 32, A / 32",
                              packet "C % 256">
    ```

    A list of streams is the manual's heterogeneous operation: together they move
    the tensor, each the part that its mappings (views such as `A / 4 @ 3 = 1`)
    walk.
  }];
  let parameters = (ins "::sequin::stream::MappingAttr":$chip,
                        "::sequin::stream::MappingAttr":$cluster,
                        "::sequin::stream::MappingAttr":$slice,
                        "::sequin::stream::MappingAttr":$time,
                        "::sequin::stream::MappingAttr":$packet);
  let assemblyFormat = [{
    `<` `chip` custom<Mapping>($chip) `,` `cluster` custom<Mapping>($cluster) `,`
    `slice` custom<Mapping>($slice) `,` `time` custom<Mapping>($time) `,`
    `packet` custom<Mapping>($packet) `>`
  }];
}
def Tcp_DmaStreamsAttr
    : TypedArrayAttrBase<Tcp_DmaStreamAttr, "streams of a DMA operation">;

def Tcp_InputCmpAttr : Tcp_Attr<"InputCmp", "cmp"> {
  let summary = "A comparison that sets one bit of an ExecutionId";
  let description = [{
    The manual's InputCmp: the bit is set where the element compares so with the
    constant. `#tcp.cmp<Less, 0.0 : f32>`; `#tcp.cmp<Never>` leaves the bit at 0.
  }];
  let parameters = (ins "::sequin::tcp::InputCompare":$compare,
                        OptionalParameter<"::mlir::TypedAttr">:$constant);
  let assemblyFormat = "`<` $compare (`,` $constant^)? `>`";
  let genVerifyDecl = 1;
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPATTRS
