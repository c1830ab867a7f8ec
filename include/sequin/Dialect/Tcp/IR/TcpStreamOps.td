//===- TcpStreamOps.td - Engines of the tensor unit --------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPSTREAMOPS
#define SEQUIN_DIALECT_TCP_IR_TCPSTREAMOPS

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

def Tcp_SwitchOp : Tcp_StageOp<"switch"> {
  let summary = "Redistributes the stream over slices";
  let description = [{
    Manual: `.switch::<Slice, Time>(SwitchConfig::Broadcast01 { slice1, slice0,
    time0 })`. The slices form rings of `slice1 * slice0`; every slice of a ring
    receives the packets of all of them. With [slice2, slice1, slice0] over slices
    and [time1, time0] over time on the way in, the result has
    [slice2, broadcast, broadcast] over slices and
    [time1, slice1, time0, slice0] over time.

    ```mlir
    %s = tcp.switch %f Broadcast01 slice1 = 256 slice0 = 1 time0 = 1
        "I", "1 # 256" : <sub fetch bf16, #grid, "1", "J">
    ```
  }];
  let arguments = (ins Tcp_StreamFrom<["Fetch"], "stream after fetch">:$input,
                       Tcp_SwitchTopology:$topology,
                       ConfinedAttr<I64Attr, [IntPositive]>:$slice1,
                       ConfinedAttr<I64Attr, [IntPositive]>:$slice0,
                       ConfinedAttr<I64Attr, [IntPositive]>:$time0,
                       Stream_MappingAttr:$slice, Stream_MappingAttr:$time);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $topology `slice1` `=` $slice1 `slice0` `=` $slice0 `time0` `=` $time0
    custom<Mapping>($slice) `,` custom<Mapping>($time) attr-dict `:`
    custom<Stream>(type($input))
  }];
}

def Tcp_CollectOp : Tcp_StageOp<"collect"> {
  let summary = "Normalises packets to 32-byte flits";
  let description = [{
    Manual: `.collect::<Time, Packet>()`. Pads each packet with zeros to whole
    flits; the inner 32 bytes are the new packet, the outer count becomes the
    innermost part of time.
  }];
  let arguments = (ins Tcp_StreamFrom<["Fetch", "Switch"],
                                      "stream after fetch or switch">:$input,
                       Stream_MappingAttr:$time, Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input custom<Mapping>($time) `,` custom<Mapping>($packet) attr-dict `:`
    custom<Stream>(type($input))
  }];
}

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

def Tcp_ToVrfOp : Tcp_StageOp<"to_vrf"> {
  let summary = "Stores a stream in the vector register file";
  let description = [{
    Manual: `.to_vrf(address)`; the address is in bytes.
  }];
  let arguments = (ins Tcp_StreamFrom<["Collect"], "stream after collect">:$input,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$address,
                       Stream_MappingAttr:$element);
  let results = (outs Tcp_VrfType:$result);
  let assemblyFormat = [{
    $input `at` $address custom<Mapping>($element) attr-dict `:`
    custom<Stream>(type($input))
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

def Tcp_CastOp : Tcp_StageOp<"cast"> {
  let summary = "Narrows elements and pads the packet to a flit";
  let description = [{
    Manual: `.cast::<D2, Packet>()`, i32 to i4, i8, i16 and f32 to f8e5m2, f8e4m3,
    f16, bf16.
  }];
  let arguments = (ins
      Tcp_StreamFrom<["Collect", "Accumulate", "VectorFinal"],
                     "stream after collect, accumulate or vector_final">:$input,
      TypeAttr:$element_type, Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $element_type custom<Mapping>($packet) attr-dict `:`
    custom<Stream>(type($input))
  }];
}

def Tcp_CommitOp : Tcp_StageOp<"commit"> {
  let summary = "Writes the stream to DM";
  let description = [{
    Manual: `.commit::<Element>(address)`. Keeps the leading 8, 16, 24 or 32 bytes
    of each flit, as the element mapping asks.

    ```mlir
    %r = tcp.commit %f at 4096 "A % 8" : <main vector_final i32, #grid, "1", "A % 8">
    ```
  }];
  let arguments = (ins
      Tcp_StreamFrom<["Collect", "Accumulate", "VectorFinal", "Cast"],
          "stream after collect, accumulate, vector_final or cast">:$input,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$address,
      Stream_MappingAttr:$element);
  let results = (outs Tcp_DmType:$result);
  let assemblyFormat = [{
    $input `at` $address custom<Mapping>($element) attr-dict `:`
    custom<Stream>(type($input))
  }];
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPSTREAMOPS
