//===- PlanGroups.h - Tiles, slices and padding -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_PLANGROUPS_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_PLANGROUPS_H

#include "Program.h"

namespace sequin::linalg_to_tcp {

/// What a tiling can be too large for.
enum class Memory { None, Trf, Vrf, Dm };

/// Chooses the tiles and parts of one group: the cheapest, by an estimate, of
/// those that fit into the memories of a slice.
class GroupPlanner {
public:
  GroupPlanner(Group &group, const TcpMachine &machine, int64_t budget);

  mlir::LogicalResult plan();
  /// Whether the group has tiles and parts that it can run in; an error if not.
  mlir::LogicalResult check() const;

private:
  void findRigidLoops();
  void findPacket();
  void findRoles();
  int64_t getDmaWord(const Tensor &tensor) const;
  void setUnits();
  void setExactLoops();
  bool isCopy() const;
  bool transposes() const;
  void setHbmUnits();

  int64_t localElements(const Access &access) const;
  int64_t dmBytes(const Access &access) const;
  int64_t resultElements() const;
  int64_t sumElements() const;
  int64_t chunks() const;
  /// Of one slice, in DM: what the passes of a reduction over several loops
  /// leave for one another.
  int64_t sumsBetweenPassesBytes() const;
  Memory firstExceeded() const;

  void spread(llvm::ArrayRef<LoopId> loops, int64_t &slices);
  void assign(int64_t rowParts);
  int64_t slices() const;
  bool fitsClusters() const;
  bool cut(Memory memory, bool outerFirst);
  int64_t getLeastLanes() const;
  int64_t contractionCycles() const;
  int64_t vectorCycles() const;
  int64_t estimate() const;
  bool isApart(const Access &access) const;
  LoopList dealable() const;
  int64_t transferCycles(const Access &access, bool stores) const;
  bool hasPins() const;
  mlir::LogicalResult checkPins() const;

  Group &group;
  const TcpMachine &machine;
  int64_t budget;
  /// Parallel loops that run inside a tile.
  LoopList used;
  /// What the part of a loop on one slice is a multiple of.
  llvm::SmallVector<int64_t, 6> units;
  /// Iterations of a tile at most.
  llvm::SmallVector<int64_t, 6> limits;
  /// Loops whose tiles divide them.
  llvm::SmallBitVector rigid;
  /// Rigid loops that cannot be cut at all.
  llvm::SmallBitVector whole;
  /// Loops that are not cut into tiles.
  LoopList oneTile;
  /// Of the vector engine, as far as the sum is in one chunk.
  std::vector<VectorPass> passes;
};

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_PLANGROUPS_H
