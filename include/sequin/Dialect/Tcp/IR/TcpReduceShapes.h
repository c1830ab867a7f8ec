//===- TcpReduceShapes.h - What a reduction's mappings imply ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPREDUCESHAPES_H
#define SEQUIN_DIALECT_TCP_IR_TCPREDUCESHAPES_H

#include "sequin/Dialect/Tcp/IR/TcpShapes.h"
#include "sequin/Stream/ValidCount.h"

namespace sequin::tcp {

/// Intra-slice reduce (ISR-01, ISR-08).
struct IntraSliceReduceShape {
  struct Loop {
    int64_t size;
    /// In slots; 0 for reduced loops and those outside the outermost of them.
    int64_t slotStride;
    bool reduced;
  };
  /// Over the 4-lane packets, outermost first.
  llvm::SmallVector<Loop, 6> loops;
  int64_t slots = 1;
  /// Whether the axis is in the packet, whose lanes the tree reduces.
  bool tree = false;
  /// Set if padding of the axis has to be told from data.
  std::optional<ValidCountConfig> validCount;
};

/// `limits` are the valid count generator's; its lanes are not asked for.
llvm::FailureOr<IntraSliceReduceShape>
inferIntraSliceReduce(VectorIntraSliceReduceOp op, ValidCountLimits limits,
                      EmitError emitError);

/// The stream of 8-lane flits that enters the intra-slice block in which `op`
/// stands: what the valid count generator counts. Null if the operations up to
/// there are not all known.
StreamType getIntraSliceEntry(mlir::Operation *op);

/// The limits that the Virtual ISA states, for every machine.
ValidCountLimits isaValidCountLimits();

} // namespace sequin::tcp

#endif // SEQUIN_DIALECT_TCP_IR_TCPREDUCESHAPES_H
