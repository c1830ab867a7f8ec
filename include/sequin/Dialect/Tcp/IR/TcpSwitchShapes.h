//===- TcpSwitchShapes.h - What moves between slices ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counterpart of TcpShapes.h for the operations that change the slices:
// which slice takes which packets follows from the mappings on both sides.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPSWITCHSHAPES_H
#define SEQUIN_DIALECT_TCP_IR_TCPSWITCHSHAPES_H

#include "sequin/Dialect/Tcp/IR/TcpShapes.h"

namespace sequin::tcp {

/// Who listens to whom.
struct RoutingShape {
  struct Router {
    /// Slices of the input, ascending; none if the slice has no data.
    llvm::SmallVector<int64_t, 4> sources;
    /// The packet of each source that is taken first.
    int64_t firstPacket = 0;
  };
  int64_t ringSize = 1;
  std::vector<Router> routers; ///< by slice of the result
  /// Loops over the packets taken of a source, outermost first: size, distance.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> packets;
};

struct SwitchShape {
  RoutingShape routing;
  /// The ring's turns: see config::SwitchStage.
  int64_t groupSlices = 1, groupPackets = 1;
  /// The routers' bitmaps have to be written.
  bool custom = false;
};
/// Switch: the mappings follow the topology's rule (SWI-04 to SWI-18).
llvm::FailureOr<SwitchShape> inferSwitchShape(SwitchOp op, EmitError emitError);

/// Collect: flits per packet. The result must be [time, outer part of the
/// padded packet] x [one flit] (COL-01).
llvm::FailureOr<int64_t> inferCollectFlits(CollectOp op, EmitError emitError);

/// Inter-slice reduce: a factor of the slices is gone; a new axis, a dummy or
/// a part of time may have its place (INT-03).
llvm::FailureOr<RoutingShape> inferInterSliceShape(VectorInterSliceReduceOp op,
                                                   EmitError emitError);

} // namespace sequin::tcp

#endif // SEQUIN_DIALECT_TCP_IR_TCPSWITCHSHAPES_H
