//===- TcpFetchOps.td - Fetch engine -----------------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPFETCHOPS
#define SEQUIN_DIALECT_TCP_IR_TCPFETCHOPS

include "sequin/Dialect/Tcp/IR/TcpOpBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Tcp_BeginOp : Tcp_StageOp<"begin"> {
  let summary = "Starts a pass of the tensor unit";
  let description = [{
    Opens a stream over a DM tensor in the main or the sub context (manual:
    `ctx.main.begin(dm.view())`).

    ```mlir
    %0 = tcp.begin main %dm : !tcp.dm<i32, #grid, "A % 8">
    ```
  }];
  let arguments = (ins Tcp_Context:$execution_context, Tcp_DmType:$input);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = "$execution_context $input attr-dict `:` qualified(type($input))";
}

def Tcp_BeginInterleavedOp : Tcp_StageOp<"begin_interleaved"> {
  let summary = "Starts a pass that alternates between two tensors";
  let description = [{
    Opens one stream over two DM tensors of one type (manual:
    `ctx.main.begin_interleaved::<I, ...>(lhs.view(), rhs.view())`, Fetch Engine,
    Interleaving Tensors). The axis named, of size 2, says which tensor: 0 is the
    first. The fetch that follows has it innermost in time, so the packets come
    in the order lhs, rhs, lhs, rhs. In the hardware it is one more loop of the
    sequencer, from the address of one tensor to that of the other.

    ```mlir
    %0 = tcp.begin_interleaved main "I" %lhs, %rhs : !tcp.dm<i8, #grid, "A, B">
    %1 = tcp.fetch %0 i8 "A, I", "B" : <main begin i8, #grid, "I", "A, B">
    ```
  }];
  let arguments = (ins Tcp_Context:$execution_context, StrAttr:$axis,
                       Variadic<Tcp_DmType>:$inputs);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $execution_context $axis $inputs attr-dict `:`
    custom<SameTypes>(ref($inputs), type($inputs))
  }];
}

/// A number with its type.
def Tcp_NumberAttr
    : Attr<CPred<"::llvm::isa<::mlir::IntegerAttr, ::mlir::FloatAttr>($_self)">,
           "number"> {
  let storageType = "::mlir::TypedAttr";
  let returnType = "::mlir::TypedAttr";
  let convertFromStorage = "$_self";
}

def Tcp_FetchOp : Tcp_StageOp<"fetch"> {
  let summary = "Reads the tensor from DM as a stream of packets";
  let description = [{
    Manual: `.fetch::<D2, Time, Packet>()`, `.fetch_with_table(table)`,
    `.fetch_with_zero_point(z)`, `.fetch_with_zero_points([z, z])` (Fetch
    Engine). The packet, in the output type, is a multiple of 8 bytes. The
    sequencer is derived from the tensor's mapping and the stream's, and so are
    fetch_size, fetches_per_packet and the mask.

    What the adapter does to the elements, in this order:

    - masking: padding of the packet becomes `pad_value` (a constant of the
      tensor's element type; zero if not given). One of the manual's three cases
      has to fit; without a `pad_value` padding that none fits stays what the
      memory holds, which is refused where it would reach a sum.
    - `table`: every element, taken as an unsigned number, is replaced by that
      element of the table, which has 2^bits.
    - type casting to the element type given.
    - `zero_points`, only with a cast to a wider integer: subtracted in that
      type, saturating; one for all packets, or one for each of two interleaved
      tensors.
    - batching of several fetches to one packet.

    Masking and tables exist in the main context only. `dual_channel` joins the
    engines of both contexts, which only a program in the main context can ask
    for: two accesses per cycle and flits of 64 bytes (Fetch Engine and Switch
    Engine Interaction); nothing runs in the sub context meanwhile.

    ```mlir
    %1 = tcp.fetch %0 i32 "1", "A" : <main begin i8, #grid, "1", "A">
    %3 = tcp.fetch %2 i32 "1", "A # 64" pad_value -128 : i8 : <main begin i8, #grid, "1", "A">
    %5 = tcp.fetch %4 i32 "I", "A" zero_points [100, -100] : <main begin i8, #grid, "I", "A">
    ```
  }];
  let arguments = (ins Tcp_StreamFrom<["Begin"], "stream after begin">:$input,
                       TypeAttr:$element_type, Stream_MappingAttr:$time,
                       Stream_MappingAttr:$packet,
                       OptionalAttr<Tcp_NumberAttr>:$pad_value,
                       OptionalAttr<ElementsAttr>:$table,
                       OptionalAttr<DenseI64ArrayAttr>:$zero_points,
                       UnitAttr:$dual_channel);
  let results = (outs Tcp_AnyStream:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Type":$elementType,
                   "::sequin::stream::MappingAttr":$time,
                   "::sequin::stream::MappingAttr":$packet)>
  ];
  let assemblyFormat = [{
    $input $element_type custom<Mapping>($time) `,` custom<Mapping>($packet)
    oilist(`pad_value` $pad_value | `table` $table | `zero_points` custom<Numbers>($zero_points)
           | `dual_channel` $dual_channel)
    attr-dict `:` custom<Stream>(type($input))
  }];
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPFETCHOPS
