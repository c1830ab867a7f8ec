//===- TcpVectorReduceOps.td - Reduction inside a slice ----*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPVECTORREDUCEOPS
#define SEQUIN_DIALECT_TCP_IR_TCPVECTORREDUCEOPS

include "sequin/Dialect/Tcp/IR/TcpEnums.td"
include "sequin/Dialect/Tcp/IR/TcpOpBase.td"

def Tcp_IntraSliceReduceKind
    : Tcp_Enum<"IntraSliceReduceKind", "operation of an intra-slice reduce", [
  I32EnumAttrCase<"AddSat", 0>,
  I32EnumAttrCase<"Add", 1>,
  I32EnumAttrCase<"Max", 2>,
  I32EnumAttrCase<"Min", 3>,
]>;

def Tcp_VectorIntraSliceReduceOp : Tcp_StageOp<"vector_intra_slice_reduce"> {
  let summary = "Reduces an axis over time and the lanes of a packet";
  let description = [{
    Manual: `.vector_intra_slice_reduce::<R, OTime, OPacket>(op)` (Intra-Slice
    Reduce). All parts of the axis in time and packet are reduced; what of it is
    spread over slices stays. The result has the other parts of time, and as
    packet either the input's or, if the axis was in it, the one element
    `"1 # 4"`. AddSat, Max and Min on i32; Add, Max and Min on f32.

    A sum that is open while others run needs one of eight accumulator slots: the
    kept parts of time inside the outermost reduced one multiply to at most eight.

    Padding of the axis is told from data by the valid count generator, from where
    the axis is in the flits that enter the intra-slice block. `prefilled` says
    that it holds the identity of the operation already (the fetch engine's pad
    value) and is reduced like data; this is for placements that the generator
    does not support.

    ```mlir
    %r = tcp.vector_intra_slice_reduce %x AddSat "R" "1", "A % 2 # 4"
        : <main vector_narrow i32, #grid, "R", "A % 2 # 4">
    ```
  }];
  let arguments = (ins
      Tcp_StreamFrom<["VectorNarrow", "VectorFp"],
          "4-lane stream after vector_split, vector_trim_way4 or a float "
          "operation">:$input,
      Tcp_IntraSliceReduceKind:$op, StrAttr:$axis,
      Stream_MappingAttr:$time, Stream_MappingAttr:$packet,
      UnitAttr:$prefilled);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $op $axis custom<Mapping>($time) `,` custom<Mapping>($packet)
    (`prefilled` $prefilled^)? attr-dict `:` custom<Stream>(type($input))
  }];
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPVECTORREDUCEOPS
