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
    Input: functions on static ranked tensors whose bodies are linalg operations:
    sums of products (`linalg.matmul`, `linalg.batch_matmul`, `linalg.contract`,
    `linalg.generic` with such a body, ...) and elementwise arithmetic. Output: for
    every such function a kernel of tcp operations and a host function of the old
    name that moves the arguments, launches the kernel and moves the results back.
    The module names its machine in `tcp.target`, or the option `target` does.

    The program's loops become named axes: loops that run over the same dimension of
    a tensor are one axis. Sizes are padded until packets, rows and slices divide
    them; the transfers from the host fill the difference with zeros.

    A contraction with the elementwise operations that follow it is one pass through
    the tensor unit (more, if an ALU would be needed twice); other elementwise
    operations are passes of their own. Between such groups tensors go through HBM.
    How the loops of a group spread over slices is chosen by
    `chooseContractionMapping` and `chooseElementwiseMapping`.

    A sum of products whose factors share no summed dimension is split into sums and
    their product. Tensors without dimensions have an axis `U` on the device, of which
    the first element counts.

    Sums are taken in f32 (operands bf16, f8) or i32 (i4, i8) and in the machine's
    order. Elementwise arithmetic is in f32 and i32; in a narrower float type each
    result is rounded, as the type says. `arith.maximumf` and `arith.minimumf` become
    the machine's `Max` and `Min`, and with NaN the machine does not do what they say:
    it returns the operand that is not NaN, as `arith.maxnumf` and `arith.minnumf` do,
    where these two return NaN. `sequin-run --verify` reports the difference if a NaN
    occurs.

    Padding is zero in arguments and what the program makes of zero in what it
    computes; a sum over an axis whose padding may not be zero is refused. Elements
    are taken to be finite where an axis is padded.

    What the machine cannot do is refused with one error at the operation.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::sequin::tcp::TcpDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "machine to lower for, if the module names none">,
    Option<"chips", "chips", "int64_t", "1",
           "chips of the machine, with the option target">
  ];
}

#endif // SEQUIN_CONVERSION_LINALGTOTCP_PASSES
