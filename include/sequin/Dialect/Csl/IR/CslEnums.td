//===- CslEnums.td - Enumerations of the csl dialect -------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLENUMS
#define SEQUIN_DIALECT_CSL_IR_CSLENUMS

include "sequin/Dialect/Csl/IR/CslDialect.td"
include "mlir/IR/EnumAttr.td"

class Csl_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::sequin::csl";
}

// In the order of the bits of @set_color_config.
def Csl_Direction : Csl_Enum<"Direction", "link of a router", [
  I32EnumAttrCase<"West", 0, "WEST">,
  I32EnumAttrCase<"East", 1, "EAST">,
  I32EnumAttrCase<"South", 2, "SOUTH">,
  I32EnumAttrCase<"North", 3, "NORTH">,
  I32EnumAttrCase<"Ramp", 4, "RAMP">,
]>;

def Csl_DsdKind : Csl_Enum<"DescriptorKind", "kind of a DSD", [
  I32EnumAttrCase<"Mem1d", 0, "mem1d">,
  I32EnumAttrCase<"Mem4d", 1, "mem4d">,
  I32EnumAttrCase<"Circbuf", 2, "circbuf">,
  I32EnumAttrCase<"Fabin", 3, "fabin">,
  I32EnumAttrCase<"Fabout", 4, "fabout">,
]>;

def Csl_DsrKind : Csl_Enum<"DsrKind", "file of a DSR", [
  I32EnumAttrCase<"Dest", 0, "dest">,
  I32EnumAttrCase<"Src0", 1, "src0">,
  I32EnumAttrCase<"Src1", 2, "src1">,
  I32EnumAttrCase<"FifoDest", 3, "fifo_dest">,
  I32EnumAttrCase<"FifoSrc1", 4, "fifo_src1">,
]>;

def Csl_AggregateKind : Csl_Enum<"AggregateKind", "layout of a struct", [
  I32EnumAttrCase<"Plain", 0, "plain">,
  I32EnumAttrCase<"Extern", 1, "extern">,
  I32EnumAttrCase<"Packed", 2, "packed">,
]>;

def Csl_TaskKind : Csl_Enum<"TaskKind", "what activates a task", [
  I32EnumAttrCase<"Data", 0, "data">,
  I32EnumAttrCase<"Local", 1, "local">,
  I32EnumAttrCase<"Control", 2, "control">,
]>;

def Csl_Priority : Csl_Enum<"Priority", "priority of a microthread", [
  I32EnumAttrCase<"Low", 0, "low">,
  I32EnumAttrCase<"Medium", 1, "medium">,
  I32EnumAttrCase<"High", 2, "high">,
]>;

def Csl_SimdMode : Csl_Enum<"SimdMode", "16-bit elements per wavelet", [
  I32EnumAttrCase<"Off", 0, "simd_off">,
  I32EnumAttrCase<"Simd32", 1, "simd_32">,
  I32EnumAttrCase<"Simd64", 2, "simd_64">,
  I32EnumAttrCase<"Simd32Or64", 3, "simd_32_or_64">,
  I32EnumAttrCase<"Max", 4, "simd_max">,
]>;

def Csl_ZeroSource : Csl_Enum<"ZeroSource", "source that a fabout clears", [
  I32EnumAttrCase<"First", 0, "first_source">,
  I32EnumAttrCase<"Second", 1, "second_source">,
]>;

def Csl_OnControl : Csl_Enum<"OnControl", "what a control wavelet does", [
  I32EnumAttrCase<"Terminate", 0, "terminate">,
  I32EnumAttrCase<"Activate", 1, "activate">,
  I32EnumAttrCase<"Unblock", 2, "unblock">,
]>;

def Csl_PopMode : Csl_Enum<"PopMode", "when a command is popped", [
  I32EnumAttrCase<"NoPop", 0, "no_pop">,
  I32EnumAttrCase<"AlwaysPop", 1, "always_pop">,
  I32EnumAttrCase<"OnAdvance", 2, "pop_on_advance">,
  I32EnumAttrCase<"OnAdvanceNop", 3, "pop_on_advance_nop">,
]>;

def Csl_FilterKind : Csl_Enum<"FilterKind", "kind of a filter", [
  I32EnumAttrCase<"Counter", 0, "counter">,
  I32EnumAttrCase<"SparseCounter", 1, "sparse_counter">,
  I32EnumAttrCase<"Range", 2, "range">,
]>;

def Csl_FifoAction : Csl_Enum<"FifoAction", "what a full or empty FIFO does", [
  I32EnumAttrCase<"TestOrSuspend", 0, "test_or_suspend">,
  I32EnumAttrCase<"Terminate", 1, "terminate">,
  I32EnumAttrCase<"Suspend", 2, "suspend">,
  I32EnumAttrCase<"Fault", 3, "fault">,
]>;

def Csl_Axis : Csl_Enum<"Axis", "axis of the fabric", [
  I32EnumAttrCase<"X", 0, "x">,
  I32EnumAttrCase<"Y", 1, "y">,
]>;

// Mirrors FabricAxis of Stream/Distribution.h.
def Csl_Split : Csl_Enum<"Split", "axes that a dimension is cut along", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"X", 1, "x">,
  I32EnumAttrCase<"Y", 2, "y">,
  I32EnumAttrCase<"XY", 3, "xy">,
]>;

def Csl_StreamDirection : Csl_Enum<"StreamDirection", "way of a host stream", [
  I32EnumAttrCase<"ToDevice", 0, "to_device">,
  I32EnumAttrCase<"ToHost", 1, "to_host">,
]>;

// Mirrors Fp16Format of Support/DsdOps.h.
def Csl_Fp16 : Csl_Enum<"Fp16", "16-bit float format of a program", [
  I32EnumAttrCase<"F16", 0, "f16">,
  I32EnumAttrCase<"CB16", 1, "cb16">,
  I32EnumAttrCase<"BF16", 2, "bf16">,
]>;

#endif // SEQUIN_DIALECT_CSL_IR_CSLENUMS
