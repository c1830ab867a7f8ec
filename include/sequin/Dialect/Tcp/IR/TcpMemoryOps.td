//===- TcpMemoryOps.td - Moves between memories, launch ----*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPMEMORYOPS
#define SEQUIN_DIALECT_TCP_IR_TCPMEMORYOPS

include "sequin/Dialect/Tcp/IR/TcpOpBase.td"
include "mlir/IR/SymbolInterfaces.td"

class Tcp_MoveOp<string mnemonic, list<Trait> traits = []>
    : Tcp_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

/// Moves a tensor by the tensor DMA engine: the tensor is the same, its place
/// and layout change.
class Tcp_DmaMoveOp<string mnemonic, list<Type> inputs, Type output>
    : Tcp_MoveOp<mnemonic> {
  let arguments = (ins AnyTypeOf<inputs>:$input,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$address,
                       OptionalAttr<Tcp_DmaStreamsAttr>:$streams);
  let results = (outs output:$result);
  let assemblyFormat = [{
    $input `at` $address (`stream` $streams^)? attr-dict `:`
    qualified(type($input)) `->` qualified(type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
                                 "int64_t":$address), [{
    build($_builder, $_state, result, input, address, ::mlir::ArrayAttr());
  }]>];
}

def Tcp_ToHbmOp : Tcp_DmaMoveOp<"to_hbm",
    [Tcp_HostType, Tcp_DmType, Tcp_HbmType, Tcp_SpmType], Tcp_HbmType> {
  let summary = "Moves a tensor to HBM";
  let description = [{
    From the host by the PCIe DMA engine, from DM, HBM or SPM by the tensor DMA
    engine (manual: `.to_hbm(&mut ctx.pdma, addr)`, `.to_hbm(&mut ctx.tdma, addr)`).
    The tensor is the same; its layout may change, also over clusters and chips.
    `stream` says which engine moves what in which order; without it the compiler
    chooses.

    ```mlir
    %out = tcp.to_hbm %result at 268435456
        : !tcp.dm<i32, #grid, "A % 8"> -> !tcp.hbm<i32, #axes, "1", "A">
    ```
  }];
}

def Tcp_ToDmOp : Tcp_DmaMoveOp<"to_dm",
    [Tcp_HbmType, Tcp_DmType, Tcp_SpmType], Tcp_DmType> {
  let summary = "Moves a tensor to data memory";
  let description = [{
    By the tensor DMA engine (manual: `.to_dm::<Cluster, Slice, Element>(&mut
    ctx.tdma, addr)`). Slice axes that the tensor does not have are broadcast over.

    ```mlir
    %dm = tcp.to_dm %in at 0
        : !tcp.hbm<i32, #axes, "1", "A"> -> !tcp.dm<i32, #grid, "A % 8">
    ```
  }];
}

def Tcp_ToSpmOp : Tcp_DmaMoveOp<"to_spm",
    [Tcp_HbmType, Tcp_DmType, Tcp_SpmType], Tcp_SpmType> {
  let summary = "Moves a tensor to scratchpad memory";
  let description = [{
    By the tensor DMA engine, from memory of the same chip (manual, DMA Engine:
    all nine pairs of DM, SPM and HBM; SPM is restricted to same-chip transfers).

    ```mlir
    %spm = tcp.to_spm %in at 0
        : !tcp.hbm<i32, #axes, "1", "A"> -> !tcp.spm<i32, #axes, "1", "A">
    ```
  }];
}

def Tcp_ChipShuffleOp : Tcp_MoveOp<"chip_shuffle",
    [AllTypesMatch<["input", "result"]>]> {
  let summary = "Moves the parts of a tensor between chips";
  let description = [{
    The manual's `ChipShuffle(p0, p1, ...)` (Kernel Examples, Chip/Cluster
    Reduce): chip i receives what chip `sources[i]` holds. The place in each chip
    and the type stay; the tensor changes, as the indices along the chip mapping
    are exchanged. A DMA operation, over PCIe between chips.

    ```mlir
    %t1 = tcp.chip_shuffle %t0 [1, 2, 3, 0] at 4096
        : !tcp.hbm<i8, #axes, "A", "B">
    ```
  }];
  let arguments = (ins AnyTypeOf<[Tcp_HbmType, Tcp_DmType]>:$input,
                       DenseI64ArrayAttr:$sources,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$address);
  let results = (outs AnyTypeOf<[Tcp_HbmType, Tcp_DmType]>:$result);
  let assemblyFormat = [{
    $input $sources `at` $address attr-dict `:` qualified(type($input))
  }];
}

def Tcp_GatherOp : Tcp_MoveOp<"gather"> {
  let summary = "Reads a table at positions given by an index tensor";
  let description = [{
    The manual's `gather(index, table)` (Kernel Examples, Embedding): the result is
    the table with its axis `axis` replaced by the axes of the index tensor,
    `result[s, d] = table[axis = indices[s], d]`. The tensor DMA engine reads the
    i32 indices from HBM; an index outside the axis traps.

    ```mlir
    %x = tcp.gather %table [%tokens] "V" at 0
        : !tcp.hbm<bf16, #axes, "1", "V, D">, !tcp.hbm<i32, #axes, "1", "S">
        -> !tcp.dm<bf16, #grid, "D">
    ```
  }];
  let arguments = (ins Tcp_HbmType:$table, Tcp_HbmType:$indices, StrAttr:$axis,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$address);
  let results = (outs AnyTypeOf<[Tcp_HbmType, Tcp_DmType]>:$result);
  let assemblyFormat = [{
    $table `[` $indices `]` $axis `at` $address attr-dict `:`
    qualified(type($table)) `,` qualified(type($indices)) `->`
    qualified(type($result))
  }];
}

def Tcp_ScatterOp : Tcp_MoveOp<"scatter",
    [AllTypesMatch<["destination", "result"]>]> {
  let summary = "Writes a tensor to positions given by an index tensor";
  let description = [{
    The manual's dispatch (Kernel Examples, Mixture of Experts):
    `result[axis = indices[s], d] = input[s, d]`, elsewhere the destination, in
    whose memory the result is; the old value must not be used any more. Where the
    destination has an axis of the indices, as that of chips, rows stay at its
    position. An index outside the axis, or one that occurs twice there, traps.

    ```mlir
    %y = tcp.scatter %x [%places] "P" into %blocks
        : !tcp.dm<bf16, #grid, "D">, !tcp.hbm<i32, #axes, "1", "S">,
          !tcp.hbm<bf16, #axes, "1", "P, D">
    ```
  }];
  let arguments = (ins AnyTypeOf<[Tcp_HbmType, Tcp_DmType]>:$input,
                       Tcp_HbmType:$indices, StrAttr:$axis,
                       Tcp_HbmType:$destination);
  let results = (outs Tcp_HbmType:$result);
  let assemblyFormat = [{
    $input `[` $indices `]` $axis `into` $destination attr-dict `:`
    qualified(type($input)) `,` qualified(type($indices)) `,`
    qualified(type($destination))
  }];
}

def Tcp_ToHostOp : Tcp_MoveOp<"to_host"> {
  let summary = "Moves a tensor from HBM to the host";
  let description = [{
    By the PCIe DMA engine (manual: `.to_host::<Element>(&mut ctx.pdma)`).
  }];
  let arguments = (ins Tcp_HbmType:$input);
  let results = (outs Tcp_HostType:$result);
  let assemblyFormat = [{
    $input attr-dict `:` qualified(type($input)) `->` qualified(type($result))
  }];
}

def Tcp_ConstantOp : Tcp_MoveOp<"constant"> {
  let summary = "A host tensor with its data";
  let description = [{
    A tensor that the host function brings along: `tcp.to_hbm` moves it like an
    argument. The elements are those of the host array in row-major order,
    whatever the shape of `value`.

    ```mlir
    %c = tcp.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
        : !tcp.host<f32, #axes, "A, B">
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Tcp_HostType:$result);
  let assemblyFormat = [{
    $value attr-dict `:` qualified(type($result))
  }];
}

def Tcp_LaunchOp
    : Tcp_Op<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel";
  let description = [{
    Runs the function `callee` on the device (manual: `launch(kernel, ...)`). Its
    arguments and results are HBM tensors.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Tcp_HbmType>:$inputs);
  let results = (outs Variadic<Tcp_HbmType>:$outputs);
  let assemblyFormat = [{
    $callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)
  }];
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPMEMORYOPS
