//===- VectorBranch.h - ExecutionIds ----------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The branch unit at the entry of the intra-slice block (TCP, Intra-Slice
// Block, Branch; ruling SIL-34): an id for every element, in the order of the
// stream.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_VECTORBRANCH_H
#define SEQUIN_LIB_SIM_ENGINE_VECTORBRANCH_H

#include "Engine/VectorLanes.h"
#include "sequin/Config/Config.h"

namespace sequin::sim {

class BranchUnit {
public:
  BranchUnit(const config::BranchStage &stage, ElementType type);

  /// Whether ids differ from 0.
  bool isActive() const {
    return stage.mode != config::BranchMode::Unconditional;
  }
  /// At the first element of a slice. The logger writes `vrf`.
  void begin(uint8_t *vrf);
  /// The ids of the next `count` elements. `valid` has the valid count of every
  /// flit of `lanes` elements (mode ValidCount).
  void next(const uint32_t *elements, int64_t count, const uint8_t *valid,
            int64_t lanes, uint8_t *ids);

private:
  void compare(const uint32_t *elements, int64_t count, uint8_t *ids) const;
  void log(const uint8_t *ids, int64_t count);

  const config::BranchStage &stage;
  bool isFloat;
  WordStream walk; ///< of the toggled axis, or of ids in the VRF
  uint8_t *base = nullptr;
  int64_t logged = 0;
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_VECTORBRANCH_H
