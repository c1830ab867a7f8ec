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

def TcpToConfig : Pass<"convert-tcp-to-config", "::mlir::ModuleOp"> {
  let summary = "Derive the hardware configuration of a tcp program";
  let description = [{
    Input: a module with `tcp.target`, a host function and the kernels it launches,
    checked by `--tcp-check-machine`. Output: the module with one `tcp.config` in
    their place; no mapping expression is left.

    Every sequencer is derived from the mapping of a memory and the mapping of a
    stream, merged to the machine's limits, and checked. What cannot be configured
    is an error at the operation concerned.

    A loop (`scf.for`) with known bounds is derived round by round. If the rounds
    differ only in addresses that advance evenly, one loop command stands for them;
    otherwise (buffers that change places, say) they are written out. Both run in
    the same cycles.
  }];
  let dependentDialects = ["::sequin::tcp::TcpDialect"];
  let options = [
    Option<"entry", "entry", "std::string", "\"main\"", "host function to run">,
    Option<"unrollLoops", "unroll-loops", "bool", "false",
           "write out every round of a loop instead of a loop command">
  ];
}

#endif // SEQUIN_CONVERSION_TCPTOCONFIG_PASSES
