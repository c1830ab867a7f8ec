//===- TcpTransposeOps.td - Transpose engine ---------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPTRANSPOSEOPS
#define SEQUIN_DIALECT_TCP_IR_TCPTRANSPOSEOPS

include "sequin/Dialect/Tcp/IR/TcpOpBase.td"

def Tcp_TransposeOp : Tcp_StageOp<"transpose"> {
  let summary = "Exchanges the innermost time with the packet";
  let description = [{
    Manual: `.transpose::<OutTime, OutPacket>()` (Transpose Engine). The stream is
    cut into matrices of in_rows x in_cols elements: in_rows time steps of
    in_cols / elements_per_packet flits each, of which the first
    elements_per_packet elements count (*unpack*). Their columns become the
    flits of the result (*transpose*), columns of padding at the end may be left
    out (*trim*, out_rows <= in_cols), and each flit is padded from in_rows
    elements to 32 bytes (*align*). The three sizes follow from the mappings.

    | type | elements_per_packet | most in_rows | in_cols |
    |---|---|---|---|
    | 4 bits | 16 | 16 | 16, 32 |
    | 8 bits | 8 | 8 | 8, 16, 32 |
    | 16 bits | 8 | 4 | 8, 16, 32 |
    | 32 bits | 8 | 2 | 8, 16, 32 |

    Matrices of at most 16 columns are double-buffered: one enters while the one
    before it leaves.

    ```mlir
    %1 = tcp.transpose %0 "C, E", "D # 32" : <main collect i8, #grid, "C, D", "E # 32">
    ```
  }];
  let arguments = (ins
      Tcp_StreamFrom<["Collect", "Accumulate", "VectorFinal", "Cast"],
          "stream after collect, accumulate, vector_final or cast">:$input,
      Stream_MappingAttr:$time, Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input custom<Mapping>($time) `,` custom<Mapping>($packet) attr-dict `:`
    custom<Stream>(type($input))
  }];
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPTRANSPOSEOPS
