//===- TcpContractOps.td - Aligner and contraction engine --*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPCONTRACTOPS
#define SEQUIN_DIALECT_TCP_IR_TCPCONTRACTOPS

include "sequin/Dialect/Tcp/IR/TcpOpBase.td"

def Tcp_ToTrfOp : Tcp_StageOp<"to_trf"> {
  let summary = "Stores a stream in the tensor register file";
  let description = [{
    Manual: `.to_trf::<Row, Element>(address)`. The outermost part of the stream
    becomes the rows, the rest the buffer of each row.

    ```mlir
    %w = tcp.to_trf %c Full "J % 8", "J / 8 % 4, K" : <sub collect bf16, ...>
    ```
  }];
  let arguments = (ins Tcp_StreamFrom<["Collect"], "stream after collect">:$input,
                       Tcp_TrfAddress:$address, Stream_MappingAttr:$row,
                       Stream_MappingAttr:$element);
  let results = (outs Tcp_TrfType:$result);
  let assemblyFormat = [{
    $input $address custom<Mapping>($row) `,` custom<Mapping>($element) attr-dict
    `:` custom<Stream>(type($input))
  }];
}

def Tcp_AlignOp : Tcp_StageOp<"align"> {
  let summary = "Pairs a stream with a stationary operand";
  let description = [{
    Manual: `.align::<Time, Packet, _, _>(&trf)`. The stream adapter collects one
    or two flits into a 64-byte packet and repeats it over time axes that only the
    stationary operand has (innermost in time); the TRF sequencer brings the other
    operand into the same order.
  }];
  let arguments = (ins Tcp_StreamFrom<["Collect"], "stream after collect">:$input,
                       Tcp_TrfType:$trf, Stream_MappingAttr:$time,
                       Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input `,` $trf custom<Mapping>($time) `,` custom<Mapping>($packet) attr-dict
    `:` custom<Stream>(type($input)) `,` qualified(type($trf))
  }];
}

def Tcp_ContractOp : Tcp_StageOp<"contract"> {
  let summary = "Multiplies and reduces inside the packet";
  let description = [{
    Manual: `.contract::<Packet>()`. The adder tree sums the innermost 2^n lanes of
    the packet; the element type widens to i32 (i4, i8) or f32 (f8, bf16).
  }];
  let arguments = (ins Tcp_StreamFrom<["Align"], "stream after align">:$input,
                       Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input custom<Mapping>($packet) attr-dict `:` custom<Stream>(type($input))
  }];
}

def Tcp_AccumulateOp : Tcp_StageOp<"accumulate"> {
  let summary = "Reduces over time and orders the rows";
  let description = [{
    Manual: `.accumulate::<Time, Packet>(kind)`. Time axes that are absent from the
    result are summed. Interleaved: the packet is the rows, padded to 8, and what
    is left of the packet moves to the end of time. Sequential: the rows move to
    time and the packet holds 8 of its columns.
  }];
  let arguments = (ins Tcp_StreamFrom<["Contract"], "stream after contract">:$input,
                       Tcp_AccumulationKind:$kind, Stream_MappingAttr:$time,
                       Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $kind custom<Mapping>($time) `,` custom<Mapping>($packet) attr-dict `:`
    custom<Stream>(type($input))
  }];
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPCONTRACTOPS
