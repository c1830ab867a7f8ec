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
]>;

def Tcp_SwitchTopology
    : Tcp_Enum<"SwitchTopology", "topology of the switch engine", [
  I32EnumAttrCase<"Broadcast01", 0, "Broadcast01">,
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
]>;

def Tcp_ClipOp : Tcp_Enum<"ClipOp", "clip operation", [
  I32EnumAttrCase<"Min", 0>,
  I32EnumAttrCase<"Max", 1>,
  I32EnumAttrCase<"Add", 2>,
  I32EnumAttrCase<"AddFxp", 3>,
  I32EnumAttrCase<"AddFxpSat", 4>,
]>;

/// Argument mode of a binary vector operation: digit 0 is the stream, digit 1
/// the operand.
def Tcp_ArgMode : Tcp_Enum<"ArgMode", "order of the operands", [
  I32EnumAttrCase<"Mode01", 0>,
  I32EnumAttrCase<"Mode10", 1>,
]>;

#endif // SEQUIN_DIALECT_TCP_IR_TCPENUMS
