//===- Passes.td - From tcp to the configuration -----------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_TCPTOCONFIG_PASSES
#define SEQUIN_CONVERSION_TCPTOCONFIG_PASSES

include "mlir/Pass/PassBase.td"

def TcpDeriveSequencers : Pass<"tcp-derive-sequencers", "::mlir::func::FuncOp"> {
  let summary = "Derive the loops by which tcp operations visit their memories";
  let description = [{
    Input: functions of `tcp`, checked by `--tcp-check-machine`. Output: the same,
    with the loops of every operation that visits a memory as an attribute. Nothing
    is limited yet and nothing depends on addresses.

    A fetch, a commit, an align (its register file) and a vector operation that
    reads the VRF get `tcp.sequencers`, a list of `#stream.sequencer`s: one loop per
    term of the stream, named by it, with the stride that the term has in the memory
    (TCP Virtual ISA, Sequencer). Where terms give no loops a search over the
    addresses finds them. A DMA operation gets `tcp.transfers`, a list of
    `#stream.transfer`s that walk both sides together.

    The attributes may be edited: what follows takes them as they are.
  }];
  let dependentDialects = ["::sequin::tcp::TcpDialect"];
}

def StreamMergeEntries : Pass<"stream-merge-entries", "::mlir::func::FuncOp"> {
  let summary = "Fit derived loops to the limits of their engines";
  let description = [{
    Input: what `--tcp-derive-sequencers` makes. Output: sequencers that their
    engines can take, each with the rule that it was found by (`by fit`, `split`,
    `merge` or `refactor`, see `#stream.sequencer`); the masks of fetches whose
    padding matters (`tcp.mask`); and for DMA operations, instead of transfers, the
    descriptors of the engines (`tcp.descriptors`): runs joined, loops dealt out
    over chips and engines, packets chosen, addresses relative to the tensors.

    A sequencer within the limits stays as it is. Otherwise loops that are too long
    are two, contiguous pairs are one (TCP Virtual ISA, Sequencer, Merging), and
    where that is not enough the nest of the fewest entries that visits the same is
    searched for. The loops of a packet stay apart from those around it. What does
    not fit is an error at the operation.
  }];
  let dependentDialects = ["::sequin::tcp::TcpDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "say at each operation what became of its loops, and by which rule">
  ];
}

def TcpToConfig : Pass<"convert-tcp-to-config", "::mlir::ModuleOp"> {
  let summary = "Put the hardware configuration of a tcp program together";
  let description = [{
    Input: a module with `tcp.target`, a host function and the kernels it launches,
    with the loops that `--tcp-derive-sequencers` and `--stream-merge-entries` attach.
    Output: the module with one `tcp.config` in their place; no mapping expression
    is left.

    Addresses are added to the loops, and every engine gets its settings from the
    shapes of its operation; what it cannot do is an error at the operation
    concerned.

    A loop (`scf.for`) with known bounds is one loop command whose addresses advance
    affinely. Its body is one round, or as many as it takes until buffers that change
    places are where they were; rounds that differ otherwise are written out. All
    run in the same cycles.
  }];
  let dependentDialects = ["::sequin::tcp::TcpDialect"];
  let options = [
    Option<"entry", "entry", "std::string", "\"main\"", "host function to run">,
    Option<"unrollLoops", "unroll-loops", "bool", "false",
           "write out every round of a loop instead of a loop command">
  ];
}

#endif // SEQUIN_CONVERSION_TCPTOCONFIG_PASSES
