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
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Tcp_CastOp : Tcp_StageOp<"cast"> {
  let summary = "Narrows elements and pads the packet to a flit";
  let description = [{
    Manual: `.cast::<D2, Packet>()`, i32 to i4, i8, i16 and f32 to f8e5m2, f8e4m3,
    f16, bf16. Integers keep their low bits (SIL-1).
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

    `slices` commits the results of some slices only (Commit Engine, Slice
    Bitmap): the slice mapping of the result, which is that of the stream with
    the other slices as padding.

    ```mlir
    %r = tcp.commit %f at 4096 "A % 8" : <main vector_final i32, #grid, "1", "A % 8">
    %s = tcp.commit %g at 4096 "A % 8" slices "I = 1 # 256"
        : <main vector_final i32, #grid, "1", "A % 8">
    ```
  }];
  let arguments = (ins
      Tcp_StreamFrom<
          ["Collect", "Accumulate", "VectorFinal", "Cast", "Transpose"],
          "stream after collect, accumulate, vector_final, cast or transpose">
          :$input,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$address,
      Stream_MappingAttr:$element,
      OptionalAttr<Stream_MappingAttr>:$slices);
  let results = (outs Tcp_DmType:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "int64_t":$address,
                   "::sequin::stream::MappingAttr":$element)>
  ];
  let assemblyFormat = [{
    $input `at` $address custom<Mapping>($element)
    (`slices` custom<Mapping>($slices)^)? attr-dict `:`
    custom<Stream>(type($input))
  }];
}

def Tcp_CommitPackedOp : Tcp_Op<"commit_packed",
    [AllTypesMatch<["destination", "result"]>]> {
  let summary = "Writes the leading elements of each flit, one after the other";
  let description = [{
    Valid count packing (Commit Engine, Sub-Context Operations), in the sub context
    only. Of every flit the first n elements are kept, where n is read from data
    memory when the pass runs: `count` is a tensor of i32, walked by the stream's
    time. What is kept fills the destination from its start without gaps, in the
    order of the stream; behind it the destination keeps what it held. A count
    below 0 or above the elements of a flit is a trap, and so are more elements
    than the destination has.

    ```mlir
    %r = tcp.commit_packed %f count %n into %dst
        : <sub collect i32, #grid, "A / 8", "A % 8">, !tcp.dm<i32, #grid, "A / 8">,
          !tcp.dm<i32, #grid, "K">
    ```
  }];
  let arguments = (ins
      Tcp_StreamFrom<["Collect"], "stream after collect">:$input,
      Tcp_DmType:$count, Tcp_DmType:$destination);
  let results = (outs Tcp_DmType:$result);
  let assemblyFormat = [{
    $input `count` $count `into` $destination attr-dict `:`
    custom<Stream>(type($input)) `,` qualified(type($count)) `,`
    qualified(type($destination))
  }];
  let hasVerifier = 1;
}

def Tcp_ItosOp : Tcp_Op<"itos"> {
  let summary = "Writes one 32-bit value to DM";
  let description = [{
    Generate mode (Commit Engine, Sub-Context Operations): the immediate-to-SRAM
    command. It goes past the tensor unit and writes the same value at `address`
    in every slice of the result's grid. It takes its turn in the sub context.

    ```mlir
    %n = tcp.itos 5 : i32 at 8192 : !tcp.dm<i32, #grid, "1">
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$address);
  let results = (outs Tcp_DmType:$result);
  let assemblyFormat = [{
    $value `at` $address attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPCOMMITOPS
