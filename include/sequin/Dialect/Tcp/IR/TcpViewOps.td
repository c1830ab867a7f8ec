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
class Tcp_ViewOp<string mnemonic, list<Trait> traits = []>
    : Tcp_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def Tcp_TileOp : Tcp_ViewOp<"tile",
    [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "A part of a tensor, in place";
  let description = [{
    Manual: `.view().tile::<Dimension, SIZE, Element>(start)`. The view has the
    tensor's memory and its strides: `element` is the tensor's mapping with the
    dimension cut to `size` (`=`) and padded (`#`) to what it was. Coordinates of
    the view count from its start. Tiles may overlap.

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

def Tcp_CommitViewOp : Tcp_ViewOp<"commit_view",
    [AllTypesMatch<["destination", "result"]>]> {
  let summary = "Writes the stream to a part of a DM tensor";
  let description = [{
    Manual: `.commit_view::<Element>(dst)`, where `dst` is a tile as `tcp.tile`
    describes it. The result is the destination with that part replaced, in the
    same memory; the old value must not be used any more. `slices` writes in some
    slices only, as in `tcp.commit`; the others keep what they hold.

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

#endif // SEQUIN_DIALECT_TCP_IR_TCPVIEWOPS
