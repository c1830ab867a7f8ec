//===- TcpEnums.td - Enumerations of the tcp dialect -------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPENUMS
#define SEQUIN_DIALECT_TCP_IR_TCPENUMS

include "mlir/IR/EnumAttr.td"

class Tcp_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::sequin::tcp";
}

def Tcp_Mode : Tcp_Enum<"Mode", "which size rules a kernel must meet", [
  I32EnumAttrCase<"Kernel", 0, "kernel">,
  I32EnumAttrCase<"Unit", 1, "unit">,
]>;

def Tcp_Context : Tcp_Enum<"Context", "execution context", [
  I32EnumAttrCase<"Main", 0, "main">,
  I32EnumAttrCase<"Sub", 1, "sub">,
]>;

def Tcp_Memory : Tcp_Enum<"Memory", "memory that DMA engines read or write", [
  I32EnumAttrCase<"Hbm", 0, "hbm">,
  I32EnumAttrCase<"Dm", 1, "dm">,
  I32EnumAttrCase<"Spm", 2, "spm">,
]>;

def Tcp_Stage : Tcp_Enum<"Stage", "engine a stream comes from", [
  I32EnumAttrCase<"Begin", 0, "begin">,
  I32EnumAttrCase<"Fetch", 1, "fetch">,
  I32EnumAttrCase<"Collect", 2, "collect">,
  I32EnumAttrCase<"Align", 3, "align">,
  I32EnumAttrCase<"Contract", 4, "contract">,
  I32EnumAttrCase<"Accumulate", 5, "accumulate">,
  I32EnumAttrCase<"VectorInit", 6, "vector_init">,
  I32EnumAttrCase<"VectorBranch", 7, "vector_branch">,
  I32EnumAttrCase<"VectorFxp", 8, "vector_fxp">,
  I32EnumAttrCase<"VectorFxpToFp", 9, "vector_fxp_to_fp">,
  I32EnumAttrCase<"VectorNarrow", 10, "vector_narrow">,
  I32EnumAttrCase<"VectorFp", 11, "vector_fp">,
  I32EnumAttrCase<"VectorWiden", 12, "vector_widen">,
  I32EnumAttrCase<"VectorFpToFxp", 13, "vector_fp_to_fxp">,
  I32EnumAttrCase<"VectorClip", 14, "vector_clip">,
  I32EnumAttrCase<"VectorFinal", 15, "vector_final">,
  I32EnumAttrCase<"Cast", 16, "cast">,
  I32EnumAttrCase<"Switch", 17, "switch">,
  I32EnumAttrCase<"Transpose", 18, "transpose">,
  // Behind the inter-slice block, by the manual's VeOrder: reached from
  // vector_init, or from the intra-slice block.
  I32EnumAttrCase<"VectorInterFirst", 40, "vector_inter_first">,
  I32EnumAttrCase<"VectorIntraFirst", 41, "vector_intra_first">,
  I32EnumAttrCase<"VectorIntraSliceReduce", 42, "vector_intra_slice_reduce">,
  // Further stages of the intra-slice block.
  I32EnumAttrCase<"VectorLogic", 50, "vector_logic">,
  I32EnumAttrCase<"VectorFpDiv", 52, "vector_fp_div">,
  I32EnumAttrCase<"VectorFilter", 53, "vector_filter">,
]>;

def Tcp_SwitchTopology
    : Tcp_Enum<"SwitchTopology", "topology of the switch engine", [
  I32EnumAttrCase<"Broadcast01", 0, "Broadcast01">,
  I32EnumAttrCase<"Broadcast1", 1, "Broadcast1">,
  I32EnumAttrCase<"Transpose", 2, "Transpose">,
  I32EnumAttrCase<"InterTranspose", 3, "InterTranspose">,
  I32EnumAttrCase<"CustomBroadcast", 4, "CustomBroadcast">,
]>;

def Tcp_TrfAddress : Tcp_Enum<"TrfAddress", "part of the TRF", [
  I32EnumAttrCase<"FirstHalf", 0, "FirstHalf">,
  I32EnumAttrCase<"SecondHalf", 1, "SecondHalf">,
  I32EnumAttrCase<"Full", 2, "Full">,
]>;

def Tcp_AccumulationKind
    : Tcp_Enum<"AccumulationKind", "output order of the accumulator", [
  I32EnumAttrCase<"Interleaved", 0, "Interleaved">,
  I32EnumAttrCase<"Sequential", 1, "Sequential">,
]>;

def Tcp_BranchMode : Tcp_Enum<"BranchMode", "conditional execution", [
  I32EnumAttrCase<"Unconditional", 0, "Unconditional">,
  I32EnumAttrCase<"AxisToggle", 1, "AxisToggle">,
  I32EnumAttrCase<"ValidCount", 2, "ValidCount">,
  I32EnumAttrCase<"Comparison", 3, "Comparison">,
  I32EnumAttrCase<"Vrf", 4, "Vrf">,
]>;

/// Comparisons of the branch unit. The manual names none; Never leaves the bit
/// of the ExecutionId at 0, the unsigned ones compare the bits of either type.
def Tcp_InputCompare : Tcp_Enum<"InputCompare", "comparison of an element", [
  I32EnumAttrCase<"Never", 0>,
  I32EnumAttrCase<"Less", 1>,
  I32EnumAttrCase<"LessEqual", 2>,
  I32EnumAttrCase<"Equal", 3>,
  I32EnumAttrCase<"NotEqual", 4>,
  I32EnumAttrCase<"GreaterEqual", 5>,
  I32EnumAttrCase<"Greater", 6>,
  I32EnumAttrCase<"LessUnsigned", 7>,
  I32EnumAttrCase<"GreaterUnsigned", 8>,
]>;

/// Groups of ExecutionIds: by the lowest bit (SIL-34).
def Tcp_GroupId : Tcp_Enum<"GroupId", "group of ExecutionIds", [
  I32EnumAttrCase<"Zero", 0>,
  I32EnumAttrCase<"One", 1>,
]>;

def Tcp_LogicOp : Tcp_Enum<"LogicOp", "bitwise operation", [
  I32EnumAttrCase<"BitAnd", 0>,
  I32EnumAttrCase<"BitOr", 1>,
  I32EnumAttrCase<"BitXor", 2>,
  I32EnumAttrCase<"LeftShift", 3>,
  I32EnumAttrCase<"LogicRightShift", 4>,
  I32EnumAttrCase<"ArithRightShift", 5>,
]>;

def Tcp_FxpOp : Tcp_Enum<"FxpOp", "integer and fixed-point operation", [
  I32EnumAttrCase<"AddFxp", 0>,
  I32EnumAttrCase<"AddFxpSat", 1>,
  I32EnumAttrCase<"SubFxp", 2>,
  I32EnumAttrCase<"SubFxpSat", 3>,
  I32EnumAttrCase<"LeftShift", 4>,
  I32EnumAttrCase<"LeftShiftSat", 5>,
  I32EnumAttrCase<"MulFxp", 6>,
  I32EnumAttrCase<"MulInt", 7>,
  I32EnumAttrCase<"LogicRightShift", 8>,
  I32EnumAttrCase<"ArithRightShift", 9>,
  I32EnumAttrCase<"ArithRightShiftRound", 10>,
]>;

def Tcp_FpBinaryOp : Tcp_Enum<"FpBinaryOp", "binary float operation", [
  I32EnumAttrCase<"AddF", 0>,
  I32EnumAttrCase<"SubF", 1>,
  I32EnumAttrCase<"MulF0", 2>,
  I32EnumAttrCase<"MulF1", 3>,
  I32EnumAttrCase<"DivF", 4>,
  I32EnumAttrCase<"MaskMulF0", 5>,
  I32EnumAttrCase<"MaskMulF1", 6>,
]>;

def Tcp_FpUnaryOp : Tcp_Enum<"FpUnaryOp", "unary float operation", [
  I32EnumAttrCase<"Exp", 0>,
  I32EnumAttrCase<"NegExp", 1>,
  I32EnumAttrCase<"Sqrt", 2>,
  I32EnumAttrCase<"Tanh", 3>,
  I32EnumAttrCase<"Sigmoid", 4>,
  I32EnumAttrCase<"Erf", 5>,
  I32EnumAttrCase<"Log", 6>,
  I32EnumAttrCase<"Sin", 7>,
  I32EnumAttrCase<"Cos", 8>,
]>;

def Tcp_FpTernaryOp : Tcp_Enum<"FpTernaryOp", "ternary float operation", [
  I32EnumAttrCase<"FmaF", 0>,
  I32EnumAttrCase<"MaskFmaF", 1>,
]>;

def Tcp_FpDivOp : Tcp_Enum<"FpDivOp", "operation of the division stage", [
  I32EnumAttrCase<"DivF", 0>,
]>;

def Tcp_ClipOp : Tcp_Enum<"ClipOp", "clip operation", [
  I32EnumAttrCase<"Min", 0>,
  I32EnumAttrCase<"Max", 1>,
  I32EnumAttrCase<"Add", 2>,
  I32EnumAttrCase<"AddFxp", 3>,
  I32EnumAttrCase<"AddFxpSat", 4>,
  I32EnumAttrCase<"AbsMin", 5>,
  I32EnumAttrCase<"AbsMax", 6>,
]>;

/// Argument modes of vector operations: digit 0 is the stream, 1 the first
/// operand, 2 the second; in a zip 0 and 1 are the groups.
def Tcp_ArgMode : Tcp_Enum<"ArgMode", "order of the arguments", [
  I32EnumAttrCase<"Mode01", 0>,
  I32EnumAttrCase<"Mode10", 1>,
  I32EnumAttrCase<"Mode00", 2>,
  I32EnumAttrCase<"Mode11", 3>,
  I32EnumAttrCase<"Mode0", 4>,
  I32EnumAttrCase<"Mode1", 5>,
  I32EnumAttrCase<"Mode012", 6>,
  I32EnumAttrCase<"Mode002", 7>,
  I32EnumAttrCase<"Mode102", 8>,
  I32EnumAttrCase<"Mode112", 9>,
  I32EnumAttrCase<"Mode020", 10>,
  I32EnumAttrCase<"Mode021", 11>,
  I32EnumAttrCase<"Mode120", 12>,
]>;

#endif // SEQUIN_DIALECT_TCP_IR_TCPENUMS
