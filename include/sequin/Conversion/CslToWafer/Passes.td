//===- Passes.td - From csl to the wafer program -----------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_CSLTOWAFER_PASSES
#define SEQUIN_CONVERSION_CSLTOWAFER_PASSES

include "mlir/Pass/PassBase.td"

def CslCheckProgram : Pass<"csl-check-program", "::mlir::ModuleOp"> {
  let summary = "Check a whole csl program for what would hang it";
  let description = [{
    Input: a module with `csl.target`, one `csl.layout` and its programs. Output: the
    same IR.

    An error is what is certain to fail: two configurations of a color at one PE, two
    tasks on an id, a queue initialised twice, more memory than a PE has, an operation
    that activates an id without a task, a data task on a queue without a color, two
    fabric inputs of one operation on WSE-3. A warning is what is legal and likely to
    hang: a route that leads off the rectangle, to nobody or round in a circle, a color
    that is read and never arrives or on which nobody sends, a fabric DSD on a queue
    that is not initialised, operations of one task or of two that may be under way at
    once and share a microthread or a queue, a switch that is advanced and not there,
    a local task whose id is a color that an input queue reads (WSE-2), ids that the
    memcpy library uses (with `memcpy = true`). Notes name the other place; where
    memory is short they rank what takes it.
  }];
}

//===----------------------------------------------------------------------===//
// From functions to what bytecode is made from: the pipeline csl-prepare
//===----------------------------------------------------------------------===//

def CslMarkProgram : Pass<"csl-mark-program", "::sequin::csl::ProgramOp"> {
  let summary = "Say in each function what folders would not know";
  let description = [{
    First of `csl-prepare`. Elements of constants are put on what gets them, accesses
    to configuration registers are numbered, so that none is taken for another, loops
    count from zero, and operations on floats that would be folded to their operand
    are hidden (`csl-show-floats` shows them again).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CslLowerSwitches : Pass<"csl-lower-switches"> {
  let summary = "A switch asks for one value after another, as a row of `if` does";
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def CslIndexToI32 : Pass<"csl-index-to-i32"> {
  let summary = "Arithmetic on `index` becomes arithmetic on 32 bits";
  let description = [{
    An index of a PE has 32 bits, MLIR's folders take 64. What is left of casts is
    folded; what addresses memory stays an index. What that changes is simplified.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CslExpandDivisions : Pass<"csl-expand-divisions"> {
  let summary = "Quotients that round up or down, from those that truncate";
  let description = [{
    The other expansions of arith are left alone: they lose what the bytecode has, the
    minimum of -0 and +0 and canonical NaNs.
  }];
}

def CslMemToReg : Pass<"csl-mem2reg"> {
  let summary = "Variables of a function whose address nobody takes are values";
  let description = [{
    MLIR's promotion, of those variables alone that are written before they are read:
    who reads what nothing has written is to be told.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CslSimplify : Pass<"csl-simplify"> {
  let summary = "Fold and canonicalise a function, and end on every one";
  let description = [{
    The canonicalization patterns of all dialects, those of branches apart from the
    others, so that all operations that are folded are in blocks that the entry
    reaches. MLIR's canonicalizer does not end where a branch on a constant cuts off a
    loop.
  }];
}

def CslNormalForm : Pass<"csl-normal-form"> {
  let summary = "One form for what can be written in several";
  let description = [{
    Constants stand at the beginning of a function; chosen maxima and minima are
    arith's, choices between bools logic; bits that a cast drops are not masked; ids
    that are computed of known numbers are known, and so are elements of constants;
    elements are read and written by their index, what is no element by its pointer.
  }];
}

def CslMergeBlocks : Pass<"csl-merge-blocks"> {
  let summary = "Blocks that do the same become one";
}

def CslInlineCalls : Pass<"csl-inline-calls", "::sequin::csl::ProgramOp"> {
  let summary = "Functions in the place of their calls";
  let description = [{
    As the vendor's compiler has them: of those without arrays of their own the small
    ones, and such as are called once. On flat control flow. Each operation on DSDs
    gets an attribute that is the same on all copies of it.
  }];
}

def CslThreadBranches : Pass<"csl-thread-branches"> {
  let summary = "A branch to a block that only branches goes on to where that leads";
  let description = [{
    Where that is known; and behind a branch its condition is no question any more, so
    conditions that a source keeps in variables cost no time. What that changes is
    simplified.
  }];
}

def CslReadEarly : Pass<"csl-read-early"> {
  let summary = "Hoist loads and addresses above what is computed";
  let description = [{
    Within a block, past operations without effects: no float operation waits for the
    result of the one before it where something else could be done.
  }];
}

def CslShowFloats : Pass<"csl-show-floats"> {
  let summary = "Show the operations on floats that csl-mark-program has hidden";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // SEQUIN_CONVERSION_CSLTOWAFER_PASSES
