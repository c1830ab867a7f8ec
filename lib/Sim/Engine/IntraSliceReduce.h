//===- IntraSliceReduce.h - Reduction inside a slice ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TCP, Intra-Slice Reduce: a tree of two levels over the four lanes of a
// packet, op(op(a, b), op(c, d)), and accumulator slots that the packets reach
// as the loops say. Without the tree a slot holds four lanes. A slot starts
// with the identity, takes packets in the order of the stream, and leaves with
// its last one. Elements that are not valid count as the identity (SIL-12).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_INTRASLICEREDUCE_H
#define SEQUIN_LIB_SIM_ENGINE_INTRASLICEREDUCE_H

#include "Check/CommandCheck.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace sequin::sim {

class IntraSliceReducer {
public:
  /// A block of whole packets, which the receiver may change.
  using PacketSink = llvm::function_ref<void(llvm::MutableArrayRef<uint32_t>)>;

  virtual ~IntraSliceReducer() = default;
  static std::unique_ptr<IntraSliceReducer>
  create(const config::IntraSliceReduceStage &stage);

  /// The type of the elements it reduces.
  static ElementType typeOf(config::IntraSliceReduceOp op);

  /// At the first packet of a slice.
  virtual void begin() = 0;
  /// Takes whole packets; `valid` has the count of every packet, or is null and
  /// all elements are data.
  virtual void push(llvm::ArrayRef<uint32_t> packets, const uint8_t *valid,
                    PacketSink sink) = 0;
  /// Passes on what is left.
  virtual void finish(PacketSink sink) = 0;
};

/// What the check of a reduction finds out.
struct ReducePlan {
  /// Packets behind the reduction.
  int64_t outputPackets = 0;
  /// Cycles until the first one: all packets of a sum have to come first, one
  /// per cycle (TCP, Intra-Slice Reduce, Latency). 0 without time loops.
  int64_t delay = 0;
};

/// `packets` of elements of `stream` come in.
llvm::Expected<ReducePlan>
checkIntraSliceReduce(const CommandCheck &check,
                      const config::IntraSliceReduceStage &stage,
                      int64_t packets, ElementType stream);

/// `flits` of every slice are counted.
llvm::Error checkValidCount(const CommandCheck &check,
                            const config::ValidCountGenerator &generator,
                            int64_t flits);
/// A trim drops lanes that the packet dim must never count (TCP, Downstream:
/// 4-Way Operations).
llvm::Error checkValidCountTrim(const CommandCheck &check,
                                const config::ValidCountGenerator &generator);

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_INTRASLICEREDUCE_H
