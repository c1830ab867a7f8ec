//===- Passes.td - From linalg to tcp ----------------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_LINALGTOTCP_PASSES
#define SEQUIN_CONVERSION_LINALGTOTCP_PASSES

include "mlir/Pass/PassBase.td"

class TcpPlan_Pass<string name> : Pass<"tcp-plan-" # name, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::sequin::plan::PlanDialect",
                           "::sequin::tcp::TcpDialect"];
}

def TcpPlan_ArgumentLayout
    : Option<"argumentLayout", "argument-layout", "::sequin::ArgumentLayout",
             "::sequin::ArgumentLayout::OfMachine", "where arguments lie in HBM",
             [{::llvm::cl::values(
                 clEnumValN(::sequin::ArgumentLayout::OfMachine, "of-machine",
                            "what the machine's row says"),
                 clEnumValN(::sequin::ArgumentLayout::Chosen, "chosen",
                            "as their readers like"),
                 clEnumValN(::sequin::ArgumentLayout::RowMajor, "row-major",
                            "in the order of their dimensions, rows padded to "
                            "64 bytes"))}]>;
def TcpPlan_SearchBudget
    : Option<"searchBudget", "search-budget", "int64_t",
             "::sequin::kDefaultSearchBudget",
             "mappings that are evaluated for one group at most">;

def FormGroups : TcpPlan_Pass<"form-groups"> {
  let summary = "Functions on tensors become plans: groups with loops of their own";
  let description = [{
    Input: functions on static ranked tensors in the core operations that
    `normalize-linalg` leaves: contractions, elementwise chains, reductions, and
    operations that move elements. Output: for every such function a
    `plan.program`. The module names its machine in `tcp.target`, or the option
    `target` does.

    Every operation becomes a group of its own, from HBM to HBM. What only names
    elements anew (slices, transpositions, diagonals, windows) moves nothing: the
    reader of the result reads the tensor behind it. `sequin.pin` becomes
    `pinned_tile`, `pinned_parts` and `pinned_chips` of the group's loops.

    Sums are taken in f32 (operands bf16, f8) or i32 (i4, i8) and in the machine's
    order; sums of i32 elements saturate. Elementwise arithmetic is in f32 and i32.

    The machine's `Max` and `Min` of a number and NaN are the number, as
    `arith.maxnumf` and `arith.minnumf` say. `arith.maximumf` and `arith.minimumf`,
    which say NaN, become the same two: with a NaN the machine does not do what they
    say, and `sequin-run --verify` reports the difference.

    Results are narrowed by the cast engine. Integers fit: `normalize-linalg` leaves
    no others, so that it does not matter whether the engine wraps or saturates. To
    f8E4M3FN, which has no infinity, it saturates as `arith.truncf` is taken to do.

    What the machine cannot do is refused with one error at the operation.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "machine to lower for, if the module names none">,
    Option<"chips", "chips", "int64_t", "1",
           "chips of the machine, with the option target">,
  ];
}

def FuseGroups : TcpPlan_Pass<"fuse-groups"> {
  let summary = "An elementwise group joins the group whose result it alone reads";
  let description = [{
    Input: a plan as `tcp-plan-form-groups` leaves it. Output: the same with fewer
    groups and longer chains of steps. The gate of a network, whose chain reads two
    large products, is divided between these.
  }];
}

def WidenElements : TcpPlan_Pass<"widen-elements"> {
  let summary = "Readers of i4 that cannot take whole bytes read copies of i8";
  let description = [{
    Input: a plan without layouts. Output: the same with groups that copy tensors of
    i4 to i8 in front of groups that read these.
  }];
  let options = [TcpPlan_ArgumentLayout];
}

def ChooseLayouts : TcpPlan_Pass<"choose-layouts"> {
  let summary = "Which dimension of every tensor is contiguous in HBM";
  let description = [{
    Input: a plan without layouts. Output: every tensor has a `#plan.layout` with
    `order` and `inner`, loops that run one by one are `single`. An argument or
    constant is there once for each layout that a reader likes; where arguments are
    `row-major`, readers that would be slow read a copy, which is a group.
  }];
  let options = [TcpPlan_ArgumentLayout, TcpPlan_SearchBudget];
}

def DivideOverChips : TcpPlan_Pass<"divide-over-chips"> {
  let summary = "Divide groups and tensors over the chips";
  let description = [{
    Input: a plan with layouts. Output: the plan of one chip. Tensors of which each
    chip has a block have its shape and `chip_dim`; collectives are groups; `chips`
    of the program is how many do a part. With one chip nothing changes.
  }];
  let options = [TcpPlan_SearchBudget];
}

def FuseRows : TcpPlan_Pass<"fuse-rows"> {
  let summary = "Groups over the same rows become the stages of one";
  let description = [{
    Input: a plan with layouts. Output: the same with groups of `rows`, whose loops
    are cut into tiles already, where that is faster.
  }];
}

def ChooseMappings : TcpPlan_Pass<"choose-mappings"> {
  let summary = "Tiles, parts on slices, rings and weight streams of every group";
  let description = [{
    Input: a plan with layouts. Output: all loops have `tile`, `parts`, `local` and a
    name, groups a `#plan.tiling` and, of contractions, maybe a `#plan.ring` or a
    `#plan.weight_stream`, for which loops are divided; a `#plan.record` says how
    they were found. Pinned loops keep what is pinned.
  }];
  let options = [TcpPlan_SearchBudget];
}

def AssignMemory : TcpPlan_Pass<"assign-memory"> {
  let summary = "Size, order and address of every tensor in HBM";
  let description = [{
    Input: a plan with mappings. Output: layouts are complete: `allocated` positions
    hold what tiles run over, `strides` or `digits`, `size` and `address`.
  }];
}

def RecordMappings : TcpPlan_Pass<"record-mappings"> {
  let summary = "Attach to the program how its groups are mapped";
  let description = [{
    Input: a plan with mappings. Output: the same with the attribute
    `sequin.mappings`, which the host function takes over.
  }];
}

def EmitKernels : TcpPlan_Pass<"emit-kernels"> {
  let summary = "Plans become kernels of the tensor unit and host functions";
  let description = [{
    Input: complete plans. Output: for each a kernel of tcp operations and a host
    function of the plan's name that moves the arguments, launches the kernel and
    moves the results back. Loops of `scf.for` go over tiles; sums in chunks and the
    steps of rings are written one after the other. As many steps of a chain are in
    one pass of the vector engine as it has ALUs for.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect",
                           "::sequin::tcp::TcpDialect"];
}

#endif // SEQUIN_CONVERSION_LINALGTOTCP_PASSES
