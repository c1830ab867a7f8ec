//===- RingPlanner.h - The search over mappings by rings --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PlanRings.cpp goes over the mappings, RingCosts.cpp says what each costs.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_RINGPLANNER_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_RINGPLANNER_H

#include "Program.h"

namespace sequin::linalg_to_tcp {

constexpr int64_t kMaxHead = 8;

/// Which loops over tiles change first; the others stay as long as they can.
enum class Order { Stream, Rows, NotOperands };

/// What is chosen; everything else follows.
struct Choice {
  std::optional<LoopId> cluster;
  int64_t batchParts = 1, sumParts = 1, rows = 8, tile = 1, head = 1;
  int64_t chunks = 1;
  bool spreads = false;
  Order order = Order::Stream;

  int64_t piece() const { return tile / head; }
};

/// Iterations by loop.
struct Sizes {
  llvm::SmallVector<int64_t, 6> extent, tile, parts;
  int64_t local(LoopId loop) const { return tile[loop] / parts[loop]; }
  int64_t tiles(LoopId loop) const { return extent[loop] / tile[loop]; }
};

/// Cycles of one step of each kind.
struct StepCosts {
  int64_t lhsLoad, lhsPieceLoad, rhsLoad;
  llvm::SmallVector<int64_t, 2> operandLoads;
  int64_t trfLoad, trfSubLoad, pass, piecePass;
  /// The vector engine's operands, by either context, and the sum so far.
  int64_t vrfLoad = 0, vrfSubLoad = 0, partialLoad = 0;
  int64_t store, pieceStore;
};

struct Candidate {
  Choice choice;
  RingPlan plan;
};

class RingPlanner {
public:
  RingPlanner(Group &group, const TcpMachine &machine)
      : group(group), machine(machine),
        passes(
            assignPasses(group.steps, group.computeType, group.resultType())),
        chunkSteps(getChunkSteps(group)),
        chunkPasses(
            assignPasses(chunkSteps, group.computeType, group.resultType())) {}

  bool isEligible();
  bool search(int64_t limit, int64_t budget);
  void apply();
  MappingRecord takeRecord() { return std::move(found); }

private:
  bool hasPlainDims(const Access &access) const;
  bool hasOperands() const {
    return llvm::any_of(
        group.steps, [](const Step &step) { return !step.tensors().empty(); });
  }
  bool operandsUse(LoopId loop) const {
    return llvm::any_of(group.steps, [&](const Step &step) {
      return llvm::any_of(step.tensors(), [&](const Access *access) {
        return access->uses(loop);
      });
    });
  }
  static bool deal(Sizes &sizes, LoopId loop, int64_t iterations, int64_t unit,
                   int64_t &parts);
  std::optional<Sizes> sizesOf(const Choice &choice) const;
  bool keepsPins(const Choice &choice, const Sizes &sizes) const;
  std::optional<RingPlan> evaluate(const Choice &choice, Sizes sizes) const;
  llvm::ArrayRef<VectorPass> passesOf(const Choice &choice) const {
    return choice.chunks > 1 ? chunkPasses : passes;
  }
  std::optional<int64_t> getVrfBytes(const Choice &choice,
                                     const Sizes &sizes) const;
  int64_t trfBytes(const Choice &choice, const Sizes &sizes) const;
  void setOrder(RingPlan &plan, const Choice &choice, const Sizes &sizes) const;
  bool setPlaces(RingPlan &plan, const Choice &choice,
                 const Sizes &sizes) const;
  int64_t elements(const Access &access, const Sizes &sizes) const;
  StepCosts costsOf(const Sizes &sizes, const RingPlan &plan,
                    const Choice &choice) const;
  void runPipeline(const Sizes &sizes, RingPlan &plan, const Choice &choice,
                   const StepCosts &costs) const;
  template <class Callback>
  bool forEachTile(Choice choice, llvm::ArrayRef<int64_t> tiles,
                   Callback &callback) const;
  template <class Callback> bool forEachChoice(Callback &&callback) const;
  std::string describe(const Candidate &candidate) const;
  void record(const Candidate &chosen, llvm::ArrayRef<Candidate> candidates);

  Group &group;
  const TcpMachine &machine;
  /// Behind the products; and behind those of the last chunk of a sum.
  std::vector<VectorPass> passes;
  std::vector<Step> chunkSteps;
  std::vector<VectorPass> chunkPasses;
  LoopId rowLoop = 0;
  std::optional<LoopId> streamLoop;
  std::optional<Candidate> best;
  MappingRecord found;
};

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_RINGPLANNER_H
