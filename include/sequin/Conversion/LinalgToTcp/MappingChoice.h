//===- MappingChoice.h - How loops spread over slices -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one decision of the lowering: how many parts each loop of a group is cut
// into, every part on slices of its own. Everything else (the order of loops,
// the rows, the packets) follows from the operation. A better search replaces
// the two functions below.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_LINALGTOTCP_MAPPINGCHOICE_H
#define SEQUIN_CONVERSION_LINALGTOTCP_MAPPINGCHOICE_H

#include "sequin/Machine/Machine.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

namespace sequin {

/// A loop that can be cut into parts.
struct LoopAxis {
  std::string name; ///< for messages
  int64_t size;     ///< iterations, as far as padding is known
  int64_t unit;     ///< each part is a multiple of this

  /// Iterations after padding for `split` parts.
  int64_t padded(int64_t split) const {
    return llvm::alignTo(size, split * unit);
  }
};

/// A second operand of the vector engine; it stays in the VRF.
struct VectorOperandShape {
  llvm::SmallVector<unsigned, 4> loops; ///< its axes, by index of the loop
  ElementType type;                     ///< in memory
};

/// What the vector engine does to every element, besides the loops.
struct VectorWork {
  llvm::SmallVector<VectorOperandShape, 2> operands;
  /// Element type that each pass writes; at least one pass.
  llvm::SmallVector<ElementType, 2> results;
  /// Passes that go through the four-lane part of the engine.
  unsigned narrowPasses = 0;
};

/// [batch, m, k] x [batch, n, k] -> [batch, m, n]. The n of the stationary
/// operand are rows; without n there is one row.
struct ContractionShape {
  llvm::SmallVector<LoopAxis, 2> batch, m, n;
  int64_t k; ///< elements summed, a multiple of the computation packet
  /// Elements of the sum that the stationary operand has; it is repeated over
  /// the others.
  int64_t storedK;
  ElementType operandType;
  /// In memory, if the operands are widened to `operandType` first.
  std::optional<ElementType> memoryType;
  bool makesOnes = false; ///< the stationary operand is rewritten as ones
  VectorWork vector;
};

struct ElementwiseShape {
  llvm::SmallVector<LoopAxis, 4> loops; ///< outermost first
  VectorOperandShape stream;
  VectorWork vector;
};

struct MappingChoice {
  /// Parts of every loop, in the order of the shape ([batch, m, n]); powers of
  /// two whose product is at most the number of slices of a chip.
  llvm::SmallVector<int64_t, 4> splits;
  /// Estimate for the whole group, HBM to HBM.
  int64_t cycles = 0;
};

/// The cheapest split that fits in the memories of a slice; an error says which
/// memory is too small for every split.
llvm::Expected<MappingChoice>
chooseContractionMapping(const ContractionShape &shape,
                         const TcpMachine &machine);
llvm::Expected<MappingChoice>
chooseElementwiseMapping(const ElementwiseShape &shape,
                         const TcpMachine &machine);

} // namespace sequin

#endif // SEQUIN_CONVERSION_LINALGTOTCP_MAPPINGCHOICE_H
