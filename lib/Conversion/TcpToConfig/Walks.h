//===- Walks.h - How operations visit their memories ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The derivation of the tensor unit's sequencers in two steps, with the loops
// as attributes of the operations in between:
//
//   deriveSequencers   one loop per term of the stream, from the mapping of the
//                      memory and the mapping of the stream
//   mergeEntries       the same within the limits of the engine, and what says
//                      how: `by merge`
//
// Both know every memory that an operation visits as a Walk. An operation has
// one, but for vector operations, which have one for each tensor in the VRF
// that they read, in the order of their operands.
//
// Nothing here depends on addresses; offsets are from the start of the tensor.
// The distance between the two tensors of tcp.begin_interleaved is the one that
// does, so it is kInterleaved elements until the configuration is put together.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_TCPTOCONFIG_WALKS_H
#define SEQUIN_LIB_CONVERSION_TCPTOCONFIG_WALKS_H

#include "Derivation.h"
#include "sequin/Dialect/Tcp/IR/TcpConfigValue.h"

namespace sequin::derivation {

/// Elements from one interleaved tensor to the next while the loops are
/// derived: farther than any loop reaches, so that the step stays a loop of its
/// own.
inline constexpr int64_t kInterleaved = int64_t(1) << 40;

/// A memory that an operation visits in the order of its stream.
struct Walk {
  /// For messages: "fetch sequencer".
  llvm::StringRef what;
  AddressMap buffer;
  Mapping time, packet;
  DeriveOptions options;
  /// Elements of a packet that are read or written; its loops stay apart from
  /// those around them, because engines pad packet by packet.
  int64_t packetElements = 1;
};

/// The walks of an operation; none if it visits no memory or is outside of a
/// pass.
llvm::FailureOr<llvm::SmallVector<Walk, 1>>
findWalks(mlir::Operation *op, const TcpMachine &machine);

/// One loop per term.
llvm::FailureOr<Derivation> deriveLoops(mlir::Operation *op, const Walk &walk);

/// Masks the padding of a fetch, if something fits; `sequencer` may change for
/// it. An error if somebody relies on the padding and nothing does.
llvm::FailureOr<std::optional<config::FetchMask>>
maskPadding(tcp::FetchOp op, const TcpMachine &machine, Sequencer &sequencer);

/// The limits of the sequencer that fetches for `op`.
SequencerLimits getFetchLimits(tcp::FetchOp op, const TcpMachine &machine);

/// Whether the sub context runs the pass that `stage` belongs to.
bool isSubContext(mlir::Operation *stage);

/// The loops of walk number `index`, as they were attached to `op`; an error if
/// they are missing or not within the limits yet.
llvm::FailureOr<Sequencer> takeSequencer(mlir::Operation *op,
                                         unsigned index = 0);

/// Removes what was attached to an operation.
void dropDerived(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// DMA operations (DeriveDma.cpp, SplitTransfers.cpp)
//===----------------------------------------------------------------------===//

/// The pieces of a move, as `#stream.transfer`s.
llvm::FailureOr<llvm::SmallVector<mlir::Attribute>>
deriveTransfers(mlir::Operation *op, const TcpMachine &machine);

/// The descriptors for the pieces, each on one chip and engine and within its
/// limits, as DescriptorAttrs with addresses relative to the tensors.
llvm::FailureOr<llvm::SmallVector<mlir::Attribute>>
splitTransfers(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> transfers,
               const TcpMachine &machine);

} // namespace sequin::derivation

#endif // SEQUIN_LIB_CONVERSION_TCPTOCONFIG_WALKS_H
