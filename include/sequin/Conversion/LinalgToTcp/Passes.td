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

def LinalgToTcp : Pass<"convert-linalg-to-tcp", "::mlir::ModuleOp"> {
  let summary = "Lower linalg on tensors to kernels of the tensor unit";
  let description = [{
    Input: functions on static ranked tensors in the core operations that
    `normalize-linalg` leaves: contractions, elementwise chains, reductions, and
    operations that move elements. Output: for every such function a kernel of tcp
    operations and a host function of the old name that moves the arguments,
    launches the kernel and moves the results back. The module names its machine in
    `tcp.target`, or the option `target` does.

    Every operation becomes a group of its own, from HBM to HBM; an elementwise
    operation joins the group whose result it alone reads. What only names elements
    anew (slices, transpositions, diagonals, windows) moves nothing: the reader of
    the result reads the tensor behind it. In HBM one dimension of every tensor is
    contiguous, the others follow in their order; an argument comes in as many
    layouts as its readers like.

    A group runs in tiles that fit into the memories of a slice, each spread over
    the slices; loops of `scf.for` go over the tiles. A sum that does not fit is
    taken in chunks, each added to the one before. The last tile may run past the
    end of a loop, over memory that every tensor has behind its dimensions; what it
    computes there nobody reads.

    Sums are taken in f32 (operands bf16, f8) or i32 (i4, i8) and in the machine's
    order; sums of i32 elements saturate. Elementwise arithmetic is in f32 and i32, as
    many steps in one pass of the vector engine as it has ALUs for; a reinterpretation
    of the bits of a float ends a pass, and the next one reads the tensor through
    `tcp.bitcast`.

    The machine's `Max` and `Min` of a number and NaN are the number, as
    `arith.maxnumf` and `arith.minnumf` say. `arith.maximumf` and `arith.minimumf`,
    which say NaN, become the same two: with a NaN the machine does not do what they
    say, and `sequin-run --verify` reports the difference.

    Results are narrowed by the cast engine. Integers fit: `normalize-linalg` leaves
    no others, so that it does not matter whether the engine wraps or saturates. To
    f8E4M3FN, which has no infinity, it saturates as `arith.truncf` is taken to do.

    What the machine cannot do is refused with one error at the operation.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect",
                           "::sequin::tcp::TcpDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "machine to lower for, if the module names none">,
    Option<"chips", "chips", "int64_t", "1",
           "chips of the machine, with the option target">,
    Option<"argumentLayout", "argument-layout", "::sequin::ArgumentLayout",
           "::sequin::ArgumentLayout::OfMachine", "where arguments lie in HBM",
           [{::llvm::cl::values(
               clEnumValN(::sequin::ArgumentLayout::OfMachine, "of-machine",
                          "what the machine's row says"),
               clEnumValN(::sequin::ArgumentLayout::Chosen, "chosen",
                          "as their readers like"),
               clEnumValN(::sequin::ArgumentLayout::RowMajor, "row-major",
                          "in the order of their dimensions, rows padded to 64 "
                          "bytes"))}]>,
    Option<"searchBudget", "search-budget", "int64_t",
           "::sequin::kDefaultSearchBudget",
           "mappings that are evaluated for one group at most">,
    Option<"recordsMappings", "record-mappings", "bool", "false",
           "attach to the host function how its groups are mapped">
  ];
}

#endif // SEQUIN_CONVERSION_LINALGTOTCP_PASSES
