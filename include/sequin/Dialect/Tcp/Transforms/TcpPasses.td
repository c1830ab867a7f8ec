//===- TcpPasses.td - Passes on the tcp dialect ------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_TRANSFORMS_TCPPASSES
#define SEQUIN_DIALECT_TCP_TRANSFORMS_TCPPASSES

include "mlir/Pass/PassBase.td"

def CheckMachine : Pass<"tcp-check-machine", "::mlir::ModuleOp"> {
  let summary = "Check kernels against the limits of their machine";
  let description = [{
    Input: `tcp` kernels in a module with `tcp.target`. Output: the same IR.

    Checks what depends on the machine: chip, cluster and slice mappings fill it
    (unless `mode = unit`), tensors fit in HBM, DM, TRF and VRF at their addresses,
    tensors that live at the same time do not overlap, every stream has exactly one
    consumer, row counts, element type conversions, accumulator capacity.
  }];
}

#endif // SEQUIN_DIALECT_TCP_TRANSFORMS_TCPPASSES
