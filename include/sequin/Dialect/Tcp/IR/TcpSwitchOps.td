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

#endif // SEQUIN_DIALECT_TCP_IR_TCPSWITCHOPS
