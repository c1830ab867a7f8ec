//===- DmaSides.h - The two ends of a DMA operation -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a tensor lies as the DMA engines see it, and the loops that walk two
// such places together. A tensor whose axes do not divide evenly over slices or
// engines is walked in several pieces (TCP, DMA Engine, Example 6).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_TCPTOCONFIG_DMASIDES_H
#define SEQUIN_LIB_CONVERSION_TCPTOCONFIG_DMASIDES_H

#include "Derivation.h"

namespace sequin::derivation {

/// A memory tensor as terms with distances: chips, clusters, slices and the
/// buffer in one flat address space.
struct DmaSide {
  struct Part {
    Mapping mapping;
    int64_t stride; ///< elements per position
  };
  config::Memory memory = config::Memory::Hbm;
  llvm::SmallVector<Part, 8> parts;
  int64_t base = 0; ///< elements, of parts that are views

  AddressMap map() const;
};

/// The place of `type`. Every part is one term of its mappings.
DmaSide dmaSideOf(mlir::Type type, const TcpMachine &machine);
/// The memory that `type` lies in.
config::Memory getMemory(mlir::Type type);

/// The tensors that a DMA operation moves between.
struct DmaEnds {
  mlir::Type source, destination, element;
  stream::AxesAttr axes; ///< of the destination
  /// Stated streams, or none.
  mlir::ArrayAttr streams;
  /// Of tcp.gather and tcp.scatter: the list that finds one side along `axis`,
  /// which has `indexCount` places.
  mlir::Value indices;
  llvm::StringRef axis;
  config::DmaIndirection::Side indexedSide =
      config::DmaIndirection::Side::Source;
  int64_t indexCount = 0;
  /// Whether every chip is a move of its own, from one chip to one chip.
  bool isPerChip = false;
};
DmaEnds getDmaEnds(mlir::Operation *op);

/// Where a tensor is on chips, as text to compare.
std::string describeChips(mlir::Type type, const TcpMachine &machine);

/// The loops of a piece, outermost first, in elements.
struct DmaLoops {
  struct Loop {
    int64_t size;
    int64_t source, destination; ///< strides
    int64_t index = 0;           ///< of the list of indices
    int64_t stream = 0;          ///< of the stream
    std::string term = {};       ///< what it walks
  };
  llvm::SmallVector<Loop, 8> loops;
  int64_t sourceBase = 0, destinationBase = 0;
  int64_t indexBase = 0, streamBase = 0;
  int64_t step = 0; ///< elements per index

  int64_t elements() const;
};

/// The loops of an attribute, which go along a stream or along indices.
DmaLoops readTransfer(stream::TransferAttr transfer, bool followsStream);

/// All of the destination, found in the source, in the order of the
/// destination; in pieces where the axes do not divide.
llvm::Expected<std::vector<DmaLoops>> walkPair(const DmaSide &source,
                                               const DmaSide &destination);

/// Rows of a tensor in HBM, `size` elements and padding behind them, of which a
/// run begins at `begin`.
struct PaddedRow {
  int64_t begin = 0, size = 0, pitch = 1;
};

/// Lengthens the runs of a walk that is the whole of a move to what the DMA
/// engines write into data memory, where both sides have room for that: the
/// destination padding behind every run, the source anything of its own
/// (SIL-14), and the runs end with the `row`, if there is one. Leaves the loops
/// alone otherwise. `bits` are those of an element.
void extendRuns(const DmaSide &source, const DmaSide &destination, int64_t bits,
                const TcpMachine &machine, std::optional<PaddedRow> row,
                DmaLoops &loops);

/// What `stream` walks, in its order.
llvm::Expected<DmaLoops> walkStream(const DmaSide &source,
                                    const DmaSide &destination,
                                    const AddressMap &stream);

/// All of `direct` in its order, found along `axis` of `indexed` by the list of
/// indices. The loops' source is `indexed` without the axis, their destination
/// `direct`.
llvm::Expected<DmaLoops> walkIndexed(const DmaSide &indexed,
                                     const DmaSide &direct,
                                     const DmaSide &indices,
                                     llvm::StringRef axis);

} // namespace sequin::derivation

#endif // SEQUIN_LIB_CONVERSION_TCPTOCONFIG_DMASIDES_H
