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

// Stages of the intra-slice block that a stage may follow (TCP, Intra-Slice
// Block, Quick Reference): every stage can be left out, none comes back.
defvar Tcp_BeforeLogic = ["VectorBranch", "VectorLogic"];
defvar Tcp_BeforeFxp = !listconcat(Tcp_BeforeLogic, ["VectorFxp"]);
defvar Tcp_BeforeNarrow = !listconcat(Tcp_BeforeFxp, ["VectorFxpToFp"]);
defvar Tcp_BeforeFp = ["VectorNarrow", "VectorFp"];
defvar Tcp_BeforeFpDiv = !listconcat(Tcp_BeforeFp, ["VectorIntraSliceReduce"]);
defvar Tcp_BeforeWiden = !listconcat(Tcp_BeforeFpDiv, ["VectorFpDiv"]);
defvar Tcp_BeforeFpToFxp = !listconcat(Tcp_BeforeNarrow, ["VectorWiden"]);
defvar Tcp_BeforeClip = !listconcat(Tcp_BeforeFpToFxp,
                                    ["VectorFpToFxp", "VectorClip"]);
defvar Tcp_BeforeFinal = !listconcat(Tcp_BeforeClip,
    ["VectorFilter", "VectorInterFirst", "VectorIntraFirst"]);

//===----------------------------------------------------------------------===//
// Entry and exit
//===----------------------------------------------------------------------===//

def Tcp_VectorIntraSliceBranchOp : Tcp_StageOp<"vector_intra_slice_branch"> {
  let summary = "Enters the intra-slice block";
  let description = [{
    Manual: `.vector_intra_slice_branch(BranchMode)`. Gives every element a 4-bit
    ExecutionId, by which later operations can be conditioned:

    - `Unconditional`: 0;
    - `AxisToggle axis "A"`: the index of the axis modulo 2;
    - `ValidCount`: 0 for data and 1 for padding, by the valid count generator;
    - `Comparison [#tcp.cmp<Less, 0 : i32>, ...]`: bit i is the result of
      comparison i; up to four;
    - `Vrf, %ids`: ids that tcp.vector_branch_log of another pass wrote, or any
      i4 tensor in the VRF, read by axis names.

    ```mlir
    %b = tcp.vector_intra_slice_branch %v Comparison [#tcp.cmp<Less, 0.0 : f32>]
        : <main vector_init f32, #grid, "A / 8", "A % 8">
    ```
  }];
  let arguments = (ins
      Tcp_StreamFrom<["VectorInit", "VectorInterFirst"],
          "stream after vector_init or an inter-slice reduce that follows "
          "it">:$input,
      Tcp_BranchMode:$mode, OptionalAttr<StrAttr>:$axis,
      OptionalAttr<TypedArrayAttrBase<Tcp_InputCmpAttr, "comparisons">>:$comparisons,
      Optional<Tcp_VrfType>:$ids);
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
      "::sequin::tcp::BranchMode":$mode)>];
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $mode (`axis` $axis^)? ($comparisons^)? (`,` $ids^)? attr-dict `:`
    custom<Stream>(type($input)) (`,` qualified(type($ids))^)?
  }];
}

def Tcp_VectorBranchLogOp : Tcp_Op<"vector_branch_log",
    [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Writes the ExecutionIds to the VRF";
  let description = [{
    The manual's Branch Logger: the ids of the whole stream become an i4 tensor in
    the VRF, in the order of the stream, for branch mode Vrf of later passes. The
    stream goes on unchanged.

    ```mlir
    %s, %ids = tcp.vector_branch_log %b at 256 "A / 8, A % 8"
        : <main vector_branch i32, #grid, "A / 8", "A % 8">
    ```
  }];
  let arguments = (ins
      Tcp_StreamFrom<["VectorBranch"],
                     "stream after vector_intra_slice_branch">:$input,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$address,
      Stream_MappingAttr:$element);
  let results = (outs Tcp_AnyStream:$result, Tcp_VrfType:$ids);
  let assemblyFormat = [{
    $input `at` $address custom<Mapping>($element) attr-dict `:`
    custom<Stream>(type($input))
  }];
  let hasVerifier = 1;
}

def Tcp_VectorIntraSliceUnzipOp : Tcp_StageOp<"vector_intra_slice_unzip"> {
  let summary = "Enters the intra-slice block with two interleaved groups";
  let description = [{
    Manual: `.vector_intra_slice_unzip::<I, TileTime, SplitTime>()`. The axis of
    size 2 is innermost in time; TileTime has `1 # 2` in its place, SplitTime is
    without it. Both groups go through the stages together until a `_zip`
    operation joins them; operations take one operand per group.

    ```mlir
    %p = tcp.vector_intra_slice_unzip %v "I", "1 # 2", "1"
        : <main vector_init i32, #grid, "I", "A % 2 # 8">
    ```
  }];
  let arguments = (ins
      Tcp_StreamFrom<["VectorInit"], "stream after vector_init">:$input,
      StrAttr:$axis, Stream_MappingAttr:$tile_time,
      Stream_MappingAttr:$split_time);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $axis `,` custom<Mapping>($tile_time) `,` custom<Mapping>($split_time)
    attr-dict `:` custom<Stream>(type($input))
  }];
}

def Tcp_VectorStashOp : Tcp_StageOp<"vector_stash"> {
  let summary = "Keeps the stream as an operand of a later stage";
  let description = [{
    Manual: `.vector_stash()`. There is one slot per pass; one later operation on
    the same element type reads it as `(stash)`, at the index of the stream.
  }];
  let arguments = (ins
      Tcp_StreamFrom<["VectorBranch", "VectorLogic", "VectorFxp",
                      "VectorNarrow", "VectorFp", "VectorFpDiv", "VectorClip"],
          "stream after vector_intra_slice_branch, vector_logic, vector_fxp, "
          "vector_split, vector_trim_way4, a float operation, vector_fp_div or "
          "vector_clip">:$input);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = "$input attr-dict `:` custom<Stream>(type($input))";
}

def Tcp_VectorReinterpretOp : Tcp_StageOp<"vector_reinterpret"> {
  let summary = "Reads the bits of the elements as the other type";
  let description = [{
    f32 as i32 or i32 as f32, bit by bit: 1.0 becomes 0x3f800000. It is no stage
    of its own and takes no ALU; what comes behind it works on the other type. A
    stash keeps the type that it was written with.

    ```mlir
    %r = tcp.vector_reinterpret %s : <main vector_branch f32, #grid, "1", "A % 8">
    ```
  }];
  let arguments = (ins
      Tcp_StreamFrom<["VectorBranch", "VectorLogic", "VectorFxp",
                      "VectorFxpToFp", "VectorNarrow", "VectorFp",
                      "VectorIntraSliceReduce", "VectorFpDiv", "VectorWiden",
                      "VectorFpToFxp", "VectorClip"],
          "stream inside the intra-slice block">:$input);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = "$input attr-dict `:` custom<Stream>(type($input))";
}

def Tcp_VectorFilterOp : Tcp_StageOp<"vector_filter"> {
  let summary = "Keeps the elements of some branches";
  let description = [{
    Manual: `.vector_filter(mode)`. Elements with other ExecutionIds are removed,
    the others close up in the order of the stream, slice by slice. The result has
    the static size given; what is behind the kept elements has no value. Keeping
    more than that is an error of the program.

    ```mlir
    %k = tcp.vector_filter %s group Zero "K / 8", "K % 8"
        : <main vector_branch i32, #grid, "E / 8", "E % 8">
    ```
  }];
  let arguments = (ins
      Tcp_StreamFrom<Tcp_BeforeClip,
                     "8-lane stream inside the intra-slice block">:$input,
      OptionalAttr<Tcp_GroupId>:$group, OptionalAttr<DenseI64ArrayAttr>:$branch,
      Stream_MappingAttr:$time, Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input (`group` $group^)? (`branch` $branch^)? custom<Mapping>($time) `,`
    custom<Mapping>($packet) attr-dict `:` custom<Stream>(type($input))
  }];
}

def Tcp_VectorFinalOp : Tcp_StageOp<"vector_final"> {
  let summary = "Leaves the vector engine";
  let arguments = (ins Tcp_StreamFrom<Tcp_BeforeFinal,
      "8-lane stream of the vector engine">:$input);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = "$input attr-dict `:` custom<Stream>(type($input))";
}

//===----------------------------------------------------------------------===//
// Conversions, narrow and widen
//===----------------------------------------------------------------------===//

def Tcp_VectorFxpToFpOp : Tcp_StageOp<"vector_fxp_to_fp"> {
  let summary = "Converts i32 to f32";
  let description = [{
    Manual: `.vector_fxp_to_fp(int_width)`: the value times 2^(int_width - 31).
  }];
  let arguments = (ins
      Tcp_StreamFrom<Tcp_BeforeFxp, "stream after vector_intra_slice_branch, "
                                    "vector_logic or vector_fxp">:$input,
      ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<31>]>:$int_width);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat =
      "$input $int_width attr-dict `:` custom<Stream>(type($input))";
}

defvar Tcp_NarrowStream = Tcp_StreamFrom<Tcp_BeforeNarrow,
    "8-lane stream before the narrow stage">;
defvar Tcp_WidenStream = Tcp_StreamFrom<Tcp_BeforeWiden,
    "4-lane stream inside the intra-slice block">;

def Tcp_VectorSplitOp : Tcp_StageOp<"vector_split"> {
  let summary = "Narrows: one 8-lane flit becomes two 4-lane packets";
  let description = [{
    Manual: `.vector_split::<Time, Packet>()`: [T], [P] to [T, P / 4], [P % 4].
  }];
  let arguments = (ins Tcp_NarrowStream:$input, Stream_MappingAttr:$time,
                       Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input custom<Mapping>($time) `,` custom<Mapping>($packet) attr-dict `:`
    custom<Stream>(type($input))
  }];
}

def Tcp_VectorTrimWay4Op : Tcp_StageOp<"vector_trim_way4"> {
  let summary = "Narrows: keeps the lower four lanes";
  let description = [{
    Manual: `.vector_trim_way4::<Packet>()`: [P] to [P = 4]. The upper four lanes
    are padding.
  }];
  let arguments = (ins Tcp_NarrowStream:$input, Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input custom<Mapping>($packet) attr-dict `:` custom<Stream>(type($input))
  }];
}

def Tcp_VectorConcatOp : Tcp_StageOp<"vector_concat"> {
  let summary = "Widens: two 4-lane packets become one 8-lane flit";
  let description = [{
    Manual: `.vector_concat::<Time, Packet>()`, the inverse of the split.
  }];
  let arguments = (ins Tcp_WidenStream:$input, Stream_MappingAttr:$time,
                       Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input custom<Mapping>($time) `,` custom<Mapping>($packet) attr-dict `:`
    custom<Stream>(type($input))
  }];
}

def Tcp_VectorPadWay8Op : Tcp_StageOp<"vector_pad_way8"> {
  let summary = "Widens: adds four lanes without data";
  let description = [{
    Manual: `.vector_pad_way8::<Packet>()`, the inverse of the trim: [P] to [P # 8].
  }];
  let arguments = (ins Tcp_WidenStream:$input, Stream_MappingAttr:$packet);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input custom<Mapping>($packet) attr-dict `:` custom<Stream>(type($input))
  }];
}

def Tcp_VectorFpToFxpOp : Tcp_StageOp<"vector_fp_to_fxp"> {
  let summary = "Converts f32 to i32";
  let description = [{
    Manual: `.vector_fp_to_fxp(int_width)`: the value times 2^(31 - int_width),
    rounded to nearest and saturated. Halves are rounded away from zero, and NaN
    becomes the largest or smallest number by its sign (SIL-2).
  }];
  let arguments = (ins
      Tcp_StreamFrom<Tcp_BeforeFpToFxp,
          "8-lane stream before the fp_to_fxp stage">:$input,
      ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<31>]>:$int_width);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat =
      "$input $int_width attr-dict `:` custom<Stream>(type($input))";
}

//===----------------------------------------------------------------------===//
// Operations with operands
//===----------------------------------------------------------------------===//

/// Operands stand in brackets: a constant of the stream's type, `vrf`, `stash`
/// (what vector_stash kept) or `operand_read` (the operand register of the
/// lane). `vrf` stands for the tensors behind the brackets, one after the other;
/// brackets that would only say `vrf` are left out. In a pair, the operands of
/// group 0 and of group 1 are separated by a bar; `skip` leaves a group alone.
///
/// `group` and `branch` condition the operation on the ExecutionId (the manual's
/// VeBranchOperand::group and OperandRead(branch)): other elements pass
/// unchanged. The same operation several times in a row, each for other ids, is
/// one use of its ALU with an operand for each. `write_operand` keeps the results of some branches in the operand
/// register (WriteOperand), for the next packet's `operand_read`.
class Tcp_VectorOperandOp<string mnemonic, Type from, Attr opAttr,
                          string defaultMode>
    : Tcp_StageOp<mnemonic> {
  let arguments = (ins from:$input, opAttr:$op,
                       DefaultValuedAttr<Tcp_ArgMode,
                           "::sequin::tcp::ArgMode::" # defaultMode>:$mode,
                       OptionalAttr<ArrayAttr>:$sources,
                       Variadic<Tcp_VrfType>:$vrfs,
                       OptionalAttr<Tcp_GroupId>:$group,
                       OptionalAttr<DenseI64ArrayAttr>:$branch,
                       OptionalAttr<DenseI64ArrayAttr>:$write_operand);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $op (`mode` $mode^)? `` custom<VectorOperands>($sources)
    (`,` $vrfs^)? (`group` $group^)? (`branch` $branch^)?
    (`write_operand` $write_operand^)? attr-dict `:`
    custom<Stream>(type($input)) (`,` qualified(type($vrfs))^)?
  }];
}

/// Joins the two groups of a pair: op(group 0, group 1), or as the mode says.
class Tcp_VectorZipOp<string mnemonic, Type from, Attr opAttr>
    : Tcp_StageOp<mnemonic> {
  let arguments = (ins from:$input, opAttr:$op,
                       DefaultValuedAttr<Tcp_ArgMode,
                           "::sequin::tcp::ArgMode::Mode01">:$mode);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $op (`mode` $mode^)? attr-dict `:` custom<Stream>(type($input))
  }];
}

defvar Tcp_LogicStream = Tcp_StreamFrom<Tcp_BeforeLogic,
    "stream after vector_intra_slice_branch or vector_logic">;
defvar Tcp_FxpStream = Tcp_StreamFrom<Tcp_BeforeFxp,
    "stream after vector_intra_slice_branch, vector_logic or vector_fxp">;
defvar Tcp_FpStream = Tcp_StreamFrom<Tcp_BeforeFp,
    "stream after vector_split, vector_trim_way4 or a float operation">;
defvar Tcp_FpDivStream = Tcp_StreamFrom<Tcp_BeforeFpDiv,
    "4-lane stream before the division stage">;
defvar Tcp_ClipStream = Tcp_StreamFrom<Tcp_BeforeClip,
    "8-lane stream inside the intra-slice block">;

def Tcp_VectorLogicOp
    : Tcp_VectorOperandOp<"vector_logic", Tcp_LogicStream, Tcp_LogicOp, "Mode01"> {
  let summary = "Bitwise operations and shifts";
  let description = [{
    Manual: `.vector_logic(LogicBinaryOp::BitAnd, operand)`. On f32 the patterns are
    combined; shifts are for i32. ALUs: LogicAnd, LogicOr, LogicXor, LogicLshift,
    LogicRshift.
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
      "::sequin::tcp::LogicOp":$op, "::mlir::Attribute":$constant,
      "::mlir::Value":$vrf,
      CArg<"::sequin::tcp::ArgMode", "::sequin::tcp::ArgMode::Mode01">:$mode)>];
}

def Tcp_VectorFxpOp
    : Tcp_VectorOperandOp<"vector_fxp", Tcp_FxpStream, Tcp_FxpOp, "Mode01"> {
  let summary = "Integer and fixed-point arithmetic on i32";
  let description = [{
    Manual: `.vector_fxp(FxpBinaryOp::AddFxp, 1)`. Each of the ALUs FxpAdd,
    FxpLshift, FxpMul and FxpRshift can be used once in a pass.

    ```mlir
    %r = tcp.vector_fxp %s SubFxp mode Mode10 (7 : i32)
        : <main vector_branch i32, #grid, "1", "A % 8">
    ```
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
      "::sequin::tcp::FxpOp":$op, "::mlir::Attribute":$constant,
      "::mlir::Value":$vrf,
      CArg<"::sequin::tcp::ArgMode", "::sequin::tcp::ArgMode::Mode01">:$mode)>];
}

def Tcp_VectorFpUnaryOp : Tcp_StageOp<"vector_fp_unary"> {
  let summary = "Float functions on 4-lane packets";
  let description = [{
    Manual: `.vector_fp_unary(FpUnaryOp::Sigmoid)`. Exp and NegExp (exp(-x)) use the
    ALU FpExp, the others FpFpu. Mode1 computes the function of an operand. In a pair,
    `groups [true, false]` chooses the groups, as the manual's
    `.vector_fp_unary(FpUnaryOp::Exp, true, false)`.

    ```mlir
    %r = tcp.vector_fp_unary %p Exp groups [true, false]
        : <main vector_narrow f32, #grid, "1", "A % 2 # 4">
    ```
  }];
  let arguments = (ins Tcp_FpStream:$input, Tcp_FpUnaryOp:$op,
                       DefaultValuedAttr<Tcp_ArgMode,
                           "::sequin::tcp::ArgMode::Mode0">:$mode,
                       OptionalAttr<ArrayAttr>:$sources,
                       Variadic<Tcp_VrfType>:$vrfs,
                       OptionalAttr<DenseBoolArrayAttr>:$groups,
                       OptionalAttr<Tcp_GroupId>:$group,
                       OptionalAttr<DenseI64ArrayAttr>:$branch);
  let results = (outs Tcp_AnyStream:$result);
  let assemblyFormat = [{
    $input $op (`mode` $mode^)? `` custom<VectorOperands>($sources)
    (`,` $vrfs^)? (`groups` $groups^)? (`group` $group^)? (`branch` $branch^)?
    attr-dict `:` custom<Stream>(type($input))
    (`,` qualified(type($vrfs))^)?
  }];
}

def Tcp_VectorFpBinaryOp
    : Tcp_VectorOperandOp<"vector_fp_binary", Tcp_FpStream, Tcp_FpBinaryOp,
                          "Mode01"> {
  let summary = "Float arithmetic on 4-lane packets";
  let description = [{
    Manual: `.vector_fp_binary(op, operand)`. MulF0 and MulF1 (MulF with
    FpMulAlu::Mul0 or Mul1) are the two multiply ALUs, and so are MaskMulF0 and
    MaskMulF1; AddF and SubF share FpFma, DivF uses FpFpu.
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
      "::sequin::tcp::FpBinaryOp":$op, "::mlir::Attribute":$constant,
      "::mlir::Value":$vrf,
      CArg<"::sequin::tcp::ArgMode", "::sequin::tcp::ArgMode::Mode01">:$mode)>];
}

def Tcp_VectorFpTernaryOp
    : Tcp_VectorOperandOp<"vector_fp_ternary", Tcp_FpStream, Tcp_FpTernaryOp,
                          "Mode012"> {
  let summary = "Fused multiply and add on 4-lane packets";
  let description = [{
    Manual: `.vector_fp_ternary(FpTernaryOp::FmaF, (operand0, operand1))`:
    argument 0 times argument 1 plus argument 2, rounded once. ALU FpFma.
  }];
}

def Tcp_VectorFpDivOp
    : Tcp_VectorOperandOp<"vector_fp_div", Tcp_FpDivStream, Tcp_FpDivOp,
                          "Mode01"> {
  let summary = "Division behind the intra-slice reduction";
  let description = [{
    Manual: `.vector_fp_div(FpDivBinaryOp::DivF, operand)`, a stage of its own.
  }];
}

def Tcp_VectorClipOp
    : Tcp_VectorOperandOp<"vector_clip", Tcp_ClipStream, Tcp_ClipOp, "Mode01"> {
  let summary = "Minimum, maximum and addition at the end of the block";
  let description = [{
    Manual: `.vector_clip(ClipBinaryOpF32::Max, 0.0)`. ClipMin has Min and AbsMin,
    ClipMax Max and AbsMax (the operand of the smaller or larger magnitude, the
    first of equal ones: SIL-8), ClipAdd the additions: Add for
    f32, AddFxp and AddFxpSat for i32.
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
      "::sequin::tcp::ClipOp":$op, "::mlir::Attribute":$constant,
      "::mlir::Value":$vrf,
      CArg<"::sequin::tcp::ArgMode", "::sequin::tcp::ArgMode::Mode01">:$mode)>];
}

def Tcp_VectorLogicZipOp
    : Tcp_VectorZipOp<"vector_logic_zip", Tcp_LogicStream, Tcp_LogicOp> {
  let summary = "Joins a pair by a bitwise operation";
  let description = "Manual: `.vector_logic_zip(op)`.";
}

def Tcp_VectorFxpZipOp
    : Tcp_VectorZipOp<"vector_fxp_zip", Tcp_FxpStream, Tcp_FxpOp> {
  let summary = "Joins a pair by integer arithmetic";
  let description = "Manual: `.vector_fxp_zip_with_mode(op, mode)`.";
}

def Tcp_VectorFpZipOp
    : Tcp_VectorZipOp<"vector_fp_zip", Tcp_FpStream, Tcp_FpBinaryOp> {
  let summary = "Joins a pair by float arithmetic";
  let description = "Manual: `.vector_fp_zip_with_mode(op, mode)`.";
}

def Tcp_VectorClipZipOp
    : Tcp_VectorZipOp<"vector_clip_zip", Tcp_ClipStream, Tcp_ClipOp> {
  let summary = "Joins a pair at the clip stage";
  let description = "Manual: `.vector_clip_zip(op)`.";
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPVECTOROPS
