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

    For convolutions the stream adapter shifts: of one to three flits that hold a
    sliding combination it makes several packets, each the shift stride further
    on. The windows are the time axes next to the collected packet, and the packet
    says which of its lanes are wanted.

    ```mlir
    // $(W:1, Fw:1) of 32 elements, W = 30, Fw = 3: two shifts by one element.
    %a = tcp.align %c, %w "H, K, Fw", "W # 32"
      : <main collect bf16, #g, "H, K, $(W:1, Fw:1) / 16", "$(W:1, Fw:1) % 16">,
        !tcp.trf<bf16, #g, "C", "K, Fw">
    ```
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
    the packet; the element type widens to i32 (i4, i8) or f32 (f8, bf16). With
    `max`, tree and accumulator keep the largest product instead of the sum, and
    there is one row only (reduce-max).

    ```mlir
    %t = tcp.contract %a max "1" : <main align bf16, #g, row "1", "M", "K">
    ```
  }];
  let arguments = (ins Tcp_StreamFrom<["Align"], "stream after align">:$input,
                       UnitAttr:$max, Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input (`max` $max^)? custom<Mapping>($packet) attr-dict `:`
    custom<Stream>(type($input))
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
