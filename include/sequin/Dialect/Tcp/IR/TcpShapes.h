//===- TcpShapes.h - What a stage's mappings imply --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every stage operation states the mapping of its result; how the engine gets
// there (how many flits it collects, how deep the adder tree is, which time
// axes it sums, how many bytes of a flit it keeps) follows from the mappings on
// both sides. The verifiers ask whether a way exists, the derivation of the
// configuration asks which: both ask here.
//
// Each function emits at most one error through `emitError`.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPSHAPES_H
#define SEQUIN_DIALECT_TCP_IR_TCPSHAPES_H

#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "sequin/Stream/Sequencer.h"

namespace sequin::tcp {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Switch, Broadcast01: the result has [slice2, broadcast, broadcast] over
/// slices and [time1, slice1, time0, slice0] over time (SWI-04).
llvm::LogicalResult verifyBroadcast01(SwitchOp op, EmitError emitError);

/// Collect: flits per packet. The result must be [time, outer part of the
/// padded packet] x [one flit] (COL-01).
llvm::FailureOr<int64_t> inferCollectFlits(CollectOp op, EmitError emitError);

/// Align: the stream adapter's parameters (ALN-02, ALN-04).
struct AlignShape {
  int64_t collectFlits;
  int64_t timeBroadcast;
};
llvm::FailureOr<AlignShape> inferAlignShape(AlignOp op, EmitError emitError);

/// Contract: levels of the adder tree, the deepest that fits (RED-04, RED-05).
llvm::FailureOr<int64_t> inferTreeDepth(ContractOp op, EmitError emitError);

/// Accumulate: the time loops in order, and the columns kept per row.
struct AccumulateShape {
  llvm::SmallVector<ReductionLoop, 4> loops;
  int64_t columns;
};
llvm::FailureOr<AccumulateShape> inferAccumulateShape(AccumulateOp op,
                                                      EmitError emitError);

/// Commit: leading elements of each flit that are written (COM-03).
llvm::FailureOr<int64_t> inferCommitElements(CommitOp op, EmitError emitError);

/// Elements of `type` in `bytes` bytes.
int64_t elementsIn(mlir::Type type, int64_t bytes);

} // namespace sequin::tcp

#endif // SEQUIN_DIALECT_TCP_IR_TCPSHAPES_H
