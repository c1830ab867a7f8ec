//===- PlanEnums.td - Enumerations of the plan dialect ----- ---*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_PLAN_IR_PLANENUMS
#define SEQUIN_DIALECT_PLAN_IR_PLANENUMS

include "mlir/IR/EnumAttr.td"

class Plan_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::sequin::plan";
}

def Plan_GroupKind : Plan_Enum<"GroupKind", "what a group does", [
  I32EnumAttrCase<"Stream", 0, "stream">,
  I32EnumAttrCase<"Contraction", 1, "contraction">,
  I32EnumAttrCase<"Reduction", 2, "reduction">,
  I32EnumAttrCase<"Gather", 3, "gather">,
  I32EnumAttrCase<"Rows", 4, "rows">,
  I32EnumAttrCase<"Collective", 5, "collective">,
  I32EnumAttrCase<"Scatter", 6, "scatter">,
]>;

def Plan_Combiner : Plan_Enum<"Combiner", "how elements are reduced", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">,
]>;

def Plan_StepKind : Plan_Enum<"StepKind", "what a step does", [
  I32EnumAttrCase<"Arithmetic", 0, "arithmetic">,
  I32EnumAttrCase<"MultiplyAdd", 1, "multiply_add">,
  I32EnumAttrCase<"Function", 2, "function">,
  I32EnumAttrCase<"IntToFloat", 3, "int_to_float">,
  I32EnumAttrCase<"FloatToInt", 4, "float_to_int">,
  I32EnumAttrCase<"Reinterpret", 5, "reinterpret">,
  I32EnumAttrCase<"Narrow", 6, "narrow">,
]>;

def Plan_ArithmeticOp : Plan_Enum<"ArithmeticOp", "arithmetic of two operands", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Sub", 1, "sub">,
  I32EnumAttrCase<"Mul", 2, "mul">,
  I32EnumAttrCase<"Div", 3, "div">,
  I32EnumAttrCase<"Max", 4, "max">,
  I32EnumAttrCase<"Min", 5, "min">,
  I32EnumAttrCase<"And", 6, "and">,
  I32EnumAttrCase<"Or", 7, "or">,
  I32EnumAttrCase<"Xor", 8, "xor">,
  I32EnumAttrCase<"ShiftLeft", 9, "shift_left">,
  I32EnumAttrCase<"ShiftRightSigned", 10, "shift_right_signed">,
  I32EnumAttrCase<"ShiftRightUnsigned", 11, "shift_right_unsigned">,
]>;

#endif // SEQUIN_DIALECT_PLAN_IR_PLANENUMS
