//===- TcpSwitchOps.td - Switch and collect engines --------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPSWITCHOPS
#define SEQUIN_DIALECT_TCP_IR_TCPSWITCHOPS

include "sequin/Dialect/Tcp/IR/TcpOpBase.td"

def Tcp_SwitchOp : Tcp_StageOp<"switch"> {
  let summary = "Redistributes the stream over slices";
  let description = [{
    Manual: `.switch::<Slice, Time>(SwitchConfig::Broadcast01 { slice1, slice0,
    time0 })`. The slices form rings; packets go round their ring and every slice
    takes those that it needs. The parameters cut the slices into
    [slice2, slice1, slice0], slice2 counting the rings, and time into
    [time2, time1, time0]:

    | topology | parameters | slices of the result | time of the result |
    |---|---|---|---|
    | `Broadcast01` | slice1, slice0, time0 | slice2, new, new | time1, slice1, time0, slice0 |
    | `Broadcast1` | slice1, slice0 | slice2, new, slice0 | time, slice1 |
    | `Transpose` | slice1, slice0 | slice2, slice0, slice1 | time |
    | `InterTranspose` | slice1, slice0, time0 | slice2, time1, slice0 | time2, time0, slice1 |
    | `CustomBroadcast` | ring_size | any | time, what has left the slices |

    "new" is an axis that the stream does not have, or padding: the data is
    repeated there. time1 of InterTranspose has the size of slice1. What moves to
    time under CustomBroadcast keeps its order and is innermost; each slice may
    take any slices of its ring, also a part of an axis. ring_size is a power of
    two. Without a switch, collect follows fetch: forwarding.

    ```mlir
    %s = tcp.switch %f Broadcast01 slice1 = 256 slice0 = 1 time0 = 1
        "I", "1 # 256" : <sub fetch bf16, #grid, "1", "J">
    %t = tcp.switch %f CustomBroadcast ring_size = 32
        "A / 2, X, B / 2, Y", "C, A % 2, B % 2" : <main fetch i8, #g, "C", "D, E">
    ```
  }];
  let arguments = (ins Tcp_StreamFrom<["Fetch"], "stream after fetch">:$input,
      Tcp_SwitchTopology:$topology,
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$slice1,
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$slice0,
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$time0,
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$ring_size,
      Stream_MappingAttr:$slice, Stream_MappingAttr:$time);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $topology (`slice1` `=` $slice1^)? (`slice0` `=` $slice0^)?
    (`time0` `=` $time0^)? (`ring_size` `=` $ring_size^)?
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

#endif // SEQUIN_DIALECT_TCP_IR_TCPSWITCHOPS
