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

#endif // SEQUIN_CONVERSION_CSLTOWAFER_PASSES
