//===- MemoryOrder.h - Tensors in the order they are read -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the host sends for one reader lies in HBM as that reader's requests
// follow each other, so that DMA engines cross rows of HBM together and reach
// its peak. The order is one of digits of the reader's loops. Requests move all
// of the units that they touch, so runs are whole units where rows make them.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_MEMORYORDER_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_MEMORYORDER_H

#include "Program.h"

namespace sequin::linalg_to_tcp {

/// Digit `(loop / unit) % count` of a loop.
struct LoopDigit {
  LoopId loop = 0;
  int64_t unit = 1, count = 1;
};

/// Digits of what an access reads, added outermost first.
class MemoryOrder {
public:
  explicit MemoryOrder(const Access &access) : access(access) {}
  /// Nothing if the access has no such loop. With room for `allocated`.
  void add(LoopDigit digit, int64_t allocated = 0);
  /// Whether they are all that is allocated; where that is more, since another
  /// reader runs further past the end, there is one more digit for it, outside
  /// of all that this one reads.
  bool fits();
  llvm::ArrayRef<Tensor::Digit> getDigits() const { return digits; }
  void apply() const { access.tensor->digits = digits; }

private:
  const Access &access;
  llvm::SmallVector<Tensor::Digit, 10> digits;
};

/// Units of HBM that a run of so many bytes touches which begins anywhere, as
/// far as its own length says.
int64_t countTouchedUnits(const TcpMachine &machine, int64_t bytes);
/// What slices have by turns of memory that is in the order of requests:
/// `elements` of what is contiguous in a row, or whole rows, `rows` of them.
struct RequestRun {
  int64_t elements = 1, rows = 1;
};
/// What HBM moves for a run of so many bytes in such memory, on average: each
/// request moves all units that it touches, and runs begin at multiples of
/// their length.
int64_t hbmBytesOfRun(const TcpMachine &machine, int64_t bytes);
/// Cycles that an engine is busy with a run: a slice's network takes longer for
/// a request than the engine, and the slice has a short queue.
int64_t engineCyclesOfRun(const TcpMachine &machine, int64_t bytes);
/// A part of the row that requests divide by, if there is one, else the rows of
/// `count` of which there is least to read.
RequestRun getRequestRun(const Tensor &tensor, int64_t contiguous,
                         int64_t count, const TcpMachine &machine);
/// A factor of a contraction by rings, of one step: in the order of its
/// requests, outermost first.
llvm::SmallVector<LoopDigit, 10> getRingOrder(const Group &group,
                                              const Access &access,
                                              const TcpMachine &machine);
/// When all groups are planned: the order of what rings read. What has other
/// readers is copied for those that want it in another order.
void orderRingMemory(Program &program);

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_MEMORYORDER_H
