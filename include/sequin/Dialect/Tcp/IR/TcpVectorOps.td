//===- TcpVectorOps.td - The vector engine -----------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPVECTOROPS
#define SEQUIN_DIALECT_TCP_IR_TCPVECTOROPS

include "sequin/Dialect/Tcp/IR/TcpOpBase.td"

def Tcp_VectorInitOp : Tcp_StageOp<"vector_init"> {
  let summary = "Enters the vector engine";
  let description = [{
    Manual: `.vector_init()`. The stream is i32 or f32, eight lanes per flit.
  }];
  let arguments = (ins Tcp_StreamFrom<["Collect", "Accumulate"],
                       "stream after collect or accumulate">:$input);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = "$input attr-dict `:` custom<Stream>(type($input))";
}

def Tcp_VectorIntraSliceBranchOp : Tcp_StageOp<"vector_intra_slice_branch"> {
  let summary = "Enters the intra-slice block";
  let arguments = (ins
      Tcp_StreamFrom<["VectorInit"], "stream after vector_init">:$input,
      Tcp_BranchMode:$mode);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = "$input $mode attr-dict `:` custom<Stream>(type($input))";
}

/// A vector operation with one further operand: a constant of the stream's type
/// or a tensor in the VRF, read by axis names (absent axes are broadcast).
class Tcp_VectorBinaryOp<string mnemonic, Type from, Attr opAttr>
    : Tcp_StageOp<mnemonic> {
  let arguments = (ins from:$input, opAttr:$op,
                       OptionalAttr<AnyAttrOf<[I32Attr, F32Attr]>>:$constant,
                       Optional<Tcp_VrfType>:$vrf,
                       DefaultValuedAttr<Tcp_ArgMode,
                           "::sequin::tcp::ArgMode::Mode01">:$mode);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $op (`mode` $mode^)? (`(` $constant^ `)`)? (`,` $vrf^)? attr-dict `:`
    custom<Stream>(type($input)) (`,` qualified(type($vrf))^)?
  }];
}

def Tcp_VectorFxpOp : Tcp_VectorBinaryOp<"vector_fxp",
    Tcp_StreamFrom<["VectorBranch", "VectorFxp"],
                   "stream after vector_intra_slice_branch or vector_fxp">,
    Tcp_FxpOp> {
  let summary = "Integer and fixed-point arithmetic on i32";
  let description = [{
    Manual: `.vector_fxp(FxpBinaryOp::AddFxp, 1)`. Each of the ALUs FxpAdd,
    FxpLshift, FxpMul and FxpRshift can be used once in a pass.
  }];
}

def Tcp_VectorFxpToFpOp : Tcp_StageOp<"vector_fxp_to_fp"> {
  let summary = "Converts i32 to f32";
  let description = [{
    Manual: `.vector_fxp_to_fp(int_width)`: the value times 2^(int_width - 31).
  }];
  let arguments = (ins
      Tcp_StreamFrom<["VectorBranch", "VectorFxp"],
                     "stream after vector_intra_slice_branch or vector_fxp">:$input,
      ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<31>]>:$int_width);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat =
      "$input $int_width attr-dict `:` custom<Stream>(type($input))";
}

def Tcp_VectorSplitOp : Tcp_StageOp<"vector_split"> {
  let summary = "Narrows: one 8-lane flit becomes two 4-lane packets";
  let description = [{
    Manual: `.vector_split::<Time, Packet>()`: [T], [P] to [T, P / 4], [P % 4].
  }];
  let arguments = (ins
      Tcp_StreamFrom<["VectorBranch", "VectorFxp", "VectorFxpToFp"],
          "stream after vector_intra_slice_branch, vector_fxp or "
          "vector_fxp_to_fp">:$input,
      Stream_MappingAttr:$time, Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input custom<Mapping>($time) `,` custom<Mapping>($packet) attr-dict `:`
    custom<Stream>(type($input))
  }];
}

def Tcp_VectorFpBinaryOp : Tcp_VectorBinaryOp<"vector_fp_binary",
    Tcp_StreamFrom<["VectorNarrow", "VectorFp"],
                   "stream after vector_split or vector_fp_binary">,
    Tcp_FpBinaryOp> {
  let summary = "Float arithmetic on 4-lane packets";
  let description = [{
    Manual: `.vector_fp_binary(op, operand)`. MulF0 and MulF1 are the two multiply
    ALUs; AddF and SubF share FpFma, DivF uses FpFpu.
  }];
}

def Tcp_VectorConcatOp : Tcp_StageOp<"vector_concat"> {
  let summary = "Widens: two 4-lane packets become one 8-lane flit";
  let description = [{
    Manual: `.vector_concat::<Time, Packet>()`, the inverse of the split.
  }];
  let arguments = (ins
      Tcp_StreamFrom<["VectorNarrow", "VectorFp"],
                     "stream after vector_split or vector_fp_binary">:$input,
      Stream_MappingAttr:$time, Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input custom<Mapping>($time) `,` custom<Mapping>($packet) attr-dict `:`
    custom<Stream>(type($input))
  }];
}

def Tcp_VectorFpToFxpOp : Tcp_StageOp<"vector_fp_to_fxp"> {
  let summary = "Converts f32 to i32";
  let description = [{
    Manual: `.vector_fp_to_fxp(int_width)`: the value times 2^(31 - int_width),
    rounded to nearest even and saturated.
  }];
  let arguments = (ins
      Tcp_StreamFrom<["VectorBranch", "VectorWiden"],
          "stream after vector_intra_slice_branch or vector_concat">:$input,
      ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<31>]>:$int_width);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat =
      "$input $int_width attr-dict `:` custom<Stream>(type($input))";
}

def Tcp_VectorClipOp : Tcp_VectorBinaryOp<"vector_clip",
    Tcp_StreamFrom<["VectorBranch", "VectorFxp", "VectorFxpToFp", "VectorWiden",
                    "VectorFpToFxp", "VectorClip"],
                   "8-lane stream inside the intra-slice block">,
    Tcp_ClipOp> {
  let summary = "Minimum, maximum and addition at the end of the block";
  let description = [{
    Manual: `.vector_clip(ClipBinaryOpF32::Max, 0.0)`. Min, Max and Add are one ALU
    each. Add is for f32, AddFxp and AddFxpSat for i32.
  }];
}

def Tcp_VectorFinalOp : Tcp_StageOp<"vector_final"> {
  let summary = "Leaves the vector engine";
  let arguments = (ins
      Tcp_StreamFrom<["VectorBranch", "VectorFxp", "VectorFxpToFp", "VectorWiden",
                      "VectorFpToFxp", "VectorClip"],
                     "8-lane stream inside the intra-slice block">:$input);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = "$input attr-dict `:` custom<Stream>(type($input))";
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPVECTOROPS
