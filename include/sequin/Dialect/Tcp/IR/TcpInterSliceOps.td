//===- TcpInterSliceOps.td - The inter-slice block ---------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPINTERSLICEOPS
#define SEQUIN_DIALECT_TCP_IR_TCPINTERSLICEOPS

include "sequin/Dialect/Tcp/IR/TcpOpBase.td"

def Tcp_InterSliceReduceOp
    : Tcp_Enum<"InterSliceOp", "reduction over slices", [
  I32EnumAttrCase<"Add", 0>,
  I32EnumAttrCase<"AddSat", 1>,
  I32EnumAttrCase<"Max", 2>,
  I32EnumAttrCase<"Min", 3>,
  I32EnumAttrCase<"Mul", 4>,
]>;

def Tcp_VectorInterSliceReduceOp
    : Tcp_StageOp<"vector_inter_slice_reduce"> {
  let summary = "Reduces over slices of a cluster";
  let description = [{
    Manual: `.vector_inter_slice_reduce::<Slice, Time>(InterSliceReduceOpI32::AddSat)`.
    The innermost factors of the slice mapping are reduced away, contiguous and with
    stride 1; the slices are folded in ascending order. In their places the result has

    - a new axis, over which the result is repeated (broadcast),
    - a dummy, `1 # n`: one slice has the result,
    - axes taken out of time, in any order, each all of that axis (promotion),

    or several of these. Axes that stay in time keep their order.

    i32 has Add (wrapping), AddSat, Max and Min; f32 Add, Max, Min and Mul. The block
    comes once in a pass: directly after vector_init, and the intra-slice block may
    follow; or after eight-lane stages of the intra-slice block, and vector_final
    follows.

    ```mlir
    %r = tcp.vector_inter_slice_reduce %v AddSat "A / 8, 1 # 4", "1"
        : <main vector_init i32, #grid, "1", "A % 8">
    ```
  }];
  let arguments = (ins
      Tcp_StreamFrom<["VectorInit", "VectorBranch", "VectorLogic", "VectorFxp",
                      "VectorFxpToFp", "VectorWiden", "VectorFpToFxp",
                      "VectorClip"],
          "stream after vector_init or an 8-lane stage of the intra-slice "
          "block before filter">:$input,
      Tcp_InterSliceReduceOp:$op, Stream_MappingAttr:$slice,
      Stream_MappingAttr:$time);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $op custom<Mapping>($slice) `,` custom<Mapping>($time) attr-dict `:`
    custom<Stream>(type($input))
  }];
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPINTERSLICEOPS
