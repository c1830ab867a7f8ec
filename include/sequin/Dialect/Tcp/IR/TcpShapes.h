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

/// Align: the stream adapter's parameters (ALN-02, ALN-04; shift-reuse: CON-06
/// to CON-10). shiftStride is in elements.
struct AlignShape {
  int64_t collectFlits;
  int64_t shifts;
  int64_t shiftStride;
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

/// Positions of a packet up to the last one that holds data; at least 1.
int64_t countLeading(const Mapping &packet);
/// The first `count` positions of a packet.
Mapping takeLeading(const Mapping &packet, int64_t count);

/// Commit: leading elements of each flit that are written (COM-03), of a stream
/// that is written to a DM tensor mapped as `element`, padding included, or to
/// a part of one, whose padding belongs to others.
llvm::FailureOr<int64_t> inferCommitElements(StreamType input,
                                             stream::MappingAttr element,
                                             EmitError emitError);
llvm::FailureOr<int64_t> inferViewElements(StreamType input, CommitViewOp view,
                                           EmitError emitError);
/// `kept` if the tensor around a view has one element in every block of as many
/// positions, else 1: what is behind each is padding of the tensor itself.
int64_t getPaddedElement(CommitViewOp view, int64_t kept);

/// Commit: fails unless `slices` are those of `grid`, or padding, slice by
/// slice (COM-13).
mlir::LogicalResult checkCommitSlices(GridAttr grid, stream::MappingAttr slices,
                                      EmitError emitError);

/// Transpose: the matrices that the stream is cut into, and the columns that
/// are kept (TRA-01, TRA-04).
struct TransposeShape {
  int64_t inRows;
  int64_t inColumns;
  int64_t outRows;
};
llvm::FailureOr<TransposeShape> inferTranspose(TransposeOp op,
                                               EmitError emitError);

/// A tile: a view of a tensor, cut in one dimension.
struct TileShape {
  /// Positions of the tensor's mapping per element of the dimension.
  int64_t step;
  /// Elements that the dimension has in the tensor.
  int64_t extent;
};
llvm::FailureOr<TileShape> inferTile(const Mapping &tensor,
                                     stream::MappingAttr dimension,
                                     int64_t size, stream::MappingAttr element,
                                     EmitError emitError);
llvm::FailureOr<TileShape> inferTile(TileOp op, EmitError emitError);
llvm::FailureOr<TileShape> inferTile(CommitViewOp op, EmitError emitError);

/// Fails unless the data of `view`, `offset` positions into the buffer of
/// `tensor`, lies inside it and starts at a whole byte: the number of bytes
/// (tcp.view, tcp.to_hbm_view).
llvm::FailureOr<int64_t> checkHbmView(HbmType tensor, HbmType view,
                                      int64_t offset, EmitError emitError);

/// The mapping of a tensor's buffer, and its axes (HBM or DM).
Mapping getElementMapping(mlir::Type type);
stream::AxesAttr getAxes(mlir::Type type);

/// Elements of `type` in `bytes` bytes.
int64_t elementsIn(mlir::Type type, int64_t bytes);

} // namespace sequin::tcp

#endif // SEQUIN_DIALECT_TCP_IR_TCPSHAPES_H
