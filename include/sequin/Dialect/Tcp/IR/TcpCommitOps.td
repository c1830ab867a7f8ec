//===- TcpCommitOps.td - Cast and commit engines, VRF ------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPCOMMITOPS
#define SEQUIN_DIALECT_TCP_IR_TCPCOMMITOPS

include "sequin/Dialect/Tcp/IR/TcpOpBase.td"

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

#endif // SEQUIN_DIALECT_TCP_IR_TCPCOMMITOPS
