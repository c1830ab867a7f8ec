//===- TcpViewOps.td - Parts of tensors in memory ----------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPVIEWOPS
#define SEQUIN_DIALECT_TCP_IR_TCPVIEWOPS

include "sequin/Dialect/Tcp/IR/TcpOpBase.td"

def Tcp_FromAddressOp : Tcp_Op<"from_address"> {
  let summary = "Names memory that has not been written";
  let description = [{
    Manual: `DmTensor::from_addr(address)`. The contents are undefined until
    `tcp.commit_view` or `tcp.to_hbm_view` writes them, part by part.

    ```mlir
    %out = tcp.from_address 4096 : !tcp.dm<i32, #grid, "A, B">
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$address);
  let results = (outs AnyTypeOf<[Tcp_HbmType, Tcp_DmType]>:$result);
  let assemblyFormat = "$address attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

/// Which part of a tensor a view is: `size` elements of one dimension from a
/// start that may follow a loop and differ from chip to chip.
class Tcp_TileBase<string mnemonic, list<Trait> traits = []>
    : Tcp_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def Tcp_TileOp : Tcp_TileBase<"tile",
    [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "A part of a tensor, in place";
  let description = [{
    Manual: `.view().tile::<Dimension, SIZE, Element>(start)`. The view has the
    tensor's memory and its strides: `element` is the tensor's mapping with the
    dimension cut to `size` (`=`) and padded (`#`) to what it was. Coordinates of
    the view count from its start. Tiles may overlap.

    A dimension is an axis or one digit of it (of size 1, too), or a digit of axes
    that count together, as `[A, B] # 64 % 4` where 4 does not divide B.

    The start is a number of elements of the dimension: a constant, an index (of a
    loop around, or computed from it), or both; in brackets, one per chip (the
    manual's asymmetric slice).

    ```mlir
    %t = tcp.tile %in "B / 32" at %i size 2 "A, B / 32 = 2 # 16, B % 32"
        : !tcp.hbm<bf16, #axes, "1", "A, B">
    %s = tcp.tile %dm "B" at [0, 3, 2, 1] size 1 "B = 1 # 4"
        : !tcp.dm<i8, #grid, "B">
    ```
  }];
  let arguments = (ins AnyTypeOf<[Tcp_HbmType, Tcp_DmType]>:$source,
                       Stream_MappingAttr:$dimension, Optional<Index>:$index,
                       DenseI64ArrayAttr:$starts,
                       ConfinedAttr<I64Attr, [IntPositive]>:$size,
                       Stream_MappingAttr:$element);
  let results = (outs AnyTypeOf<[Tcp_HbmType, Tcp_DmType]>:$result);
  let assemblyFormat = [{
    $source custom<Mapping>($dimension) `at` custom<TileStart>($index, $starts)
    `size` $size custom<Mapping>($element) attr-dict `:`
    qualified(type($source))
  }];
}

def Tcp_CommitViewOp : Tcp_TileBase<"commit_view",
    [AllTypesMatch<["destination", "result"]>]> {
  let summary = "Writes the stream to a part of a DM tensor";
  let description = [{
    Manual: `.commit_view::<Element>(dst)`, where `dst` is a tile as `tcp.tile`
    describes it. Padding of the part that is data of the tensor is not written. The
    result is the destination with that part replaced, in the same memory; the old
    value must not be used any more. `slices` writes in some slices only, as in
    `tcp.commit`; the others keep what they hold.

    ```mlir
    %r = tcp.commit_view %f into %out "B / 32" at %i size 1 "A, B / 32 = 1 # 16, B % 32"
        : <main collect i32, #grid, "A", "B % 32">, !tcp.dm<i32, #grid, "A, B">
    ```
  }];
  let arguments = (ins
      Tcp_StreamFrom<
          ["Collect", "Accumulate", "VectorFinal", "Cast", "Transpose"],
          "stream after collect, accumulate, vector_final, cast or transpose">
          :$input,
      Tcp_DmType:$destination,
      Stream_MappingAttr:$dimension, Optional<Index>:$index,
      DenseI64ArrayAttr:$starts, ConfinedAttr<I64Attr, [IntPositive]>:$size,
      Stream_MappingAttr:$element,
      OptionalAttr<Stream_MappingAttr>:$slices);
  let results = (outs Tcp_DmType:$result);
  let assemblyFormat = [{
    $input `into` $destination custom<Mapping>($dimension) `at`
    custom<TileStart>($index, $starts) `size` $size custom<Mapping>($element)
    (`slices` custom<Mapping>($slices)^)? attr-dict `:` custom<Stream>(type($input)) `,`
    qualified(type($destination))
  }];
}

/// A part of an HBM tensor that starts `offset` + sum of index * step positions
/// from its beginning.
class Tcp_HbmViewOp<string mnemonic, list<Trait> traits = []>
    : Tcp_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def Tcp_ViewOp : Tcp_HbmViewOp<"view"> {
  let summary = "Memory of an HBM tensor seen under other axes";
  let description = [{
    Position p of the view's buffer is position offset + p of the source's, on
    every chip: the view names what lies there in axes of its own. That is a
    reshape, or a block of the source whose outer dimensions are padded (`#`) to
    the source's strides. Positions of the view that are padding may lie outside
    the source, all others lie inside. Nothing moves; who moves the view minds
    the rules of the DMA engines.

    The offset, in elements, is a sum of indices (of loops around, or computed
    from them) times constants, and a constant. It is a whole number of bytes.

    ```mlir
    // Rows %i to %i + 3 and columns 8 and 9 of a 100 x 10 matrix.
    %v = tcp.view %t at %i * 16 + 8
        : !tcp.hbm<f32, #matrix, "1", "A, B # 16">
        -> !tcp.hbm<f32, #block, "1", "M, N # 16">
    ```
  }];
  let arguments = (ins Tcp_HbmType:$source, Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$steps, I64Attr:$offset);
  let results = (outs Tcp_HbmType:$result);
  let assemblyFormat = [{
    $source `at` custom<ViewOffset>($indices, $steps, $offset) attr-dict `:`
    qualified(type($source)) `->` qualified(type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result,
                                 "::mlir::Value":$source,
                                 CArg<"int64_t", "0">:$offset), [{
    build($_builder, $_state, result, source, ::mlir::ValueRange(),
          ::llvm::ArrayRef<int64_t>(), offset);
  }]>];
}

def Tcp_ToHbmViewOp : Tcp_HbmViewOp<"to_hbm_view",
    [AllTypesMatch<["destination", "result"]>]> {
  let summary = "Moves a tensor into a part of an HBM tensor";
  let description = [{
    Manual: `.to_hbm_view(&mut ctx.tdma, dst)`, by the tensor DMA engine. The part
    is described as by `tcp.view`: `view` is its type, in the axes of the tensor
    that is moved. The result is the destination with that part replaced, in the
    same memory; the old value must not be used any more. Padding of the view is
    not written.

    ```mlir
    %new = tcp.to_hbm_view %dm into %out at %i * 16 + 8
        as !tcp.hbm<f32, #block, "1", "M, N # 16">
        : !tcp.dm<f32, #grid, "N">, !tcp.hbm<f32, #matrix, "1", "A, B # 16">
    ```
  }];
  let arguments = (ins AnyTypeOf<[Tcp_HbmType, Tcp_DmType]>:$input,
                       Tcp_HbmType:$destination, Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$steps, I64Attr:$offset,
                       TypeAttrOf<Tcp_HbmType>:$view);
  let results = (outs Tcp_HbmType:$result);
  let assemblyFormat = [{
    $input `into` $destination `at`
    custom<ViewOffset>($indices, $steps, $offset) `as` $view attr-dict `:`
    qualified(type($input)) `,` qualified(type($destination))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
                                 "::mlir::Value":$destination,
                                 "::sequin::tcp::HbmType":$view,
                                 CArg<"int64_t", "0">:$offset), [{
    build($_builder, $_state, destination.getType(), input, destination,
          ::mlir::ValueRange(), ::llvm::ArrayRef<int64_t>(), offset, view);
  }]>];
}

def Tcp_BitcastOp : Tcp_Op<"bitcast"> {
  let summary = "A tensor's bits read as another type";
  let description = [{
    Another name of the tensor, in the same memory: the element type is another
    one of the same width, and a DM tensor may have other axes, where chips,
    clusters, slices and elements are as many as before; padding behind the
    elements may be left out. No command comes of it.

    ```mlir
    %bits = tcp.bitcast %x : !tcp.dm<f32, #grid, "A"> -> !tcp.dm<i32, #grid, "A">
    ```
  }];
  let arguments = (ins
      AnyTypeOf<[Tcp_HbmType, Tcp_DmType, Tcp_VrfType]>:$source);
  let results = (outs
      AnyTypeOf<[Tcp_HbmType, Tcp_DmType, Tcp_VrfType]>:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPVIEWOPS
