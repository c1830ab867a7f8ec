//===- TcpTypes.td - Tensors and streams of the TCP --------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPTYPES
#define SEQUIN_DIALECT_TCP_IR_TCPTYPES

include "sequin/Dialect/Tcp/IR/TcpAttrs.td"
include "mlir/IR/AttrTypeBase.td"

class Tcp_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<TcpDialect, name, traits> {
  let mnemonic = typeMnemonic;
  let genVerifyDecl = 1;
}

def Tcp_HostType : Tcp_Type<"Host", "host"> {
  let summary = "A tensor in host memory";
  let description = [{
    `!tcp.host<i32, #axes, "A">`: a flat buffer of the mapping's size. As an
    argument or result of the program it is a row-major array whose dimensions are
    the top-level terms of the mapping.
  }];
  let parameters = (ins "::mlir::Type":$elementType,
                        "::sequin::stream::AxesAttr":$axes,
                        "::sequin::stream::MappingAttr":$element);
  let assemblyFormat = [{
    `<` $elementType `,` qualified($axes) `,` custom<Mapping>($element) `>`
  }];
  let extraClassDeclaration = [{
    ::sequin::Mapping getElementMapping() const;
  }];
}

def Tcp_HbmType : Tcp_Type<"Hbm", "hbm"> {
  let summary = "A tensor in HBM, spread over chips";
  let description = [{
    `!tcp.hbm<bf16, #axes, "1", "A, B">`: chip mapping, then the mapping of each
    chip's buffer (TCP manual, HBM and SRAM).
  }];
  let parameters = (ins "::mlir::Type":$elementType,
                        "::sequin::stream::AxesAttr":$axes,
                        "::sequin::stream::MappingAttr":$chip,
                        "::sequin::stream::MappingAttr":$element);
  let assemblyFormat = [{
    `<` $elementType `,` qualified($axes) `,` custom<Mapping>($chip) `,`
    custom<Mapping>($element) `>`
  }];
  let extraClassDeclaration = [{
    ::sequin::Mapping getChipMapping() const;
    ::sequin::Mapping getElementMapping() const;
    int64_t getByteSize() const;
  }];
}

def Tcp_SpmType : Tcp_Type<"Spm", "spm"> {
  let summary = "A tensor in scratchpad memory, spread over chips";
  let description = [{
    `!tcp.spm<bf16, #axes, "1", "A, B">`: chip mapping, then the mapping of each
    chip's buffer in the flat address space of the chip's scratchpads, one data
    memory network after the other (TCP manual, DMA Engine, Structural
    Requirements).
  }];
  let parameters = (ins "::mlir::Type":$elementType,
                        "::sequin::stream::AxesAttr":$axes,
                        "::sequin::stream::MappingAttr":$chip,
                        "::sequin::stream::MappingAttr":$element);
  let assemblyFormat = [{
    `<` $elementType `,` qualified($axes) `,` custom<Mapping>($chip) `,`
    custom<Mapping>($element) `>`
  }];
  let extraClassDeclaration = [{
    ::sequin::Mapping getChipMapping() const;
    ::sequin::Mapping getElementMapping() const;
    int64_t getByteSize() const;
  }];
}

class Tcp_GridTensorType<string name, string typeMnemonic, string memory>
    : Tcp_Type<name, typeMnemonic> {
  let summary = "A tensor in " # memory;
  let parameters = (ins "::mlir::Type":$elementType,
                        "::sequin::tcp::GridAttr":$grid,
                        "::sequin::stream::MappingAttr":$element);
  let assemblyFormat = [{
    `<` $elementType `,` qualified($grid) `,` custom<Mapping>($element) `>`
  }];
  let extraClassDeclaration = [{
    ::sequin::Mapping getElementMapping() const;
    /// Bytes per slice.
    int64_t getByteSize() const;
  }];
}

def Tcp_DmType : Tcp_GridTensorType<"Dm", "dm", "data memory"> {
  let description = [{
    `!tcp.dm<i32, #grid, "A % 8">`: the working memory, one buffer per slice. A
    tensor at address `a` occupies `a .. a + size` in every slice.
  }];
}

def Tcp_VrfType : Tcp_GridTensorType<"Vrf", "vrf", "the vector register file"> {
  let description = [{
    `!tcp.vrf<i32, #grid, "A % 8">`: operands of the vector engine, one buffer
    per slice.
  }];
}

def Tcp_TrfType : Tcp_Type<"Trf", "trf"> {
  let summary = "A tensor in the tensor register file";
  let description = [{
    `!tcp.trf<bf16, #grid, "J % 8", "J / 8 % 4, K">`: the stationary operand of a
    contraction; one buffer per row of the MAC array.
  }];
  let parameters = (ins "::mlir::Type":$elementType,
                        "::sequin::tcp::GridAttr":$grid,
                        "::sequin::stream::MappingAttr":$row,
                        "::sequin::stream::MappingAttr":$element);
  let assemblyFormat = [{
    `<` $elementType `,` qualified($grid) `,` custom<Mapping>($row) `,`
    custom<Mapping>($element) `>`
  }];
  let extraClassDeclaration = [{
    ::sequin::Mapping getRowMapping() const;
    ::sequin::Mapping getElementMapping() const;
    /// Bytes per row.
    int64_t getByteSize() const;
  }];
}

def Tcp_StreamType : Tcp_Type<"Stream", "stream"> {
  let summary = "A tensor in motion between two engines";
  let description = [{
    `!tcp.stream<main fetch i32, #grid, "1", "A % 8">`: the context it flows in,
    the engine it comes from, the element type, the grid, the mapping over time and
    the mapping inside one packet. After `tcp.align` and `tcp.contract` the stream
    has rows too: `!tcp.stream<main align bf16, #grid, row "1", "A / 32",
    "A % 32">`.
  }];
  let parameters = (ins "::sequin::tcp::Context":$executionContext,
                        "::sequin::tcp::Stage":$stage,
                        "::mlir::Type":$elementType,
                        "::sequin::tcp::GridAttr":$grid,
                        OptionalParameter<"::sequin::stream::MappingAttr">:$row,
                        "::sequin::stream::MappingAttr":$time,
                        "::sequin::stream::MappingAttr":$packet);
  let assemblyFormat = [{
    `<` custom<StreamBody>($executionContext, $stage, $elementType, $grid, $row,
                           $time, $packet) `>`
  }];
  let extraClassDeclaration = [{
    ::sequin::Mapping getTimeMapping() const;
    ::sequin::Mapping getPacketMapping() const;
    /// The identity if there are no rows.
    ::sequin::Mapping getRowMapping() const;
    int64_t getPacketBytes() const;
  }];
}

/// Streams that come from one of `stages`.
class Tcp_StreamFrom<list<string> stages, string what>
    : Type<And<[CPred<"::llvm::isa<::sequin::tcp::StreamType>($_self)">,
                Or<!foreach(stage, stages,
                   CPred<"::llvm::cast<::sequin::tcp::StreamType>($_self)"
                         ".getStage() == ::sequin::tcp::Stage::" # stage>)>]>,
           what, "::sequin::tcp::StreamType">;

def Tcp_AnyStream : Type<CPred<"::llvm::isa<::sequin::tcp::StreamType>($_self)">,
                         "stream", "::sequin::tcp::StreamType">;

#endif // SEQUIN_DIALECT_TCP_IR_TCPTYPES
