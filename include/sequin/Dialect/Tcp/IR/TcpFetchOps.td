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

def Tcp_FetchOp : Tcp_StageOp<"fetch"> {
  let summary = "Reads the tensor from DM as a stream of packets";
  let description = [{
    Manual: `.fetch::<D2, Time, Packet>()`. The packet, in the output type, is a
    multiple of 8 bytes; the element type may be widened on the way. The sequencer
    is derived from the tensor's mapping and the stream's.

    ```mlir
    %1 = tcp.fetch %0 i32 "1", "A % 8" : <main begin i32, #grid, "1", "A % 8">
    ```
  }];
  let arguments = (ins Tcp_StreamFrom<["Begin"], "stream after begin">:$input,
                       TypeAttr:$element_type, Stream_MappingAttr:$time,
                       Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $element_type custom<Mapping>($time) `,` custom<Mapping>($packet)
    attr-dict `:` custom<Stream>(type($input))
  }];
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPFETCHOPS
