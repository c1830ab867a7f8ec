//===- RingPlanner.h - The search over mappings by rings --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PlanRings.cpp goes over the mappings, RingSizes.cpp knows the sizes that they
// may have, RingCosts.cpp says what each costs.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_RINGPLANNER_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_RINGPLANNER_H

#include "Program.h"

namespace sequin::linalg_to_tcp {

/// Which loops over tiles change first; the others stay as long as they can.
enum class Order { Stream, Rows, NotOperands };

/// What is chosen; everything else follows.
struct Choice {
  std::optional<LoopId> cluster;
  int64_t batchParts = 1, streamParts = 1, sumParts = 1; ///< slices
  int64_t rowParts = 0;   ///< slices that differ in rows; 0: all of a ring
  int64_t rows = 8;       ///< of the stationary operand, in each slice
  int64_t refillRows = 8; ///< of these in the register file at once
  int64_t tile = 1;       ///< iterations of the streamed loop, of each ring
  int64_t packets = 1;    ///< of the sum, padded
  int64_t chunks = 1;     ///< of the sum
  int64_t mostChunks = 1; ///< of these, in a step
  bool spreads = false;
  Order order = Order::Stream;

  /// All but the order and what is loaded at once.
  bool hasSizesOf(const Choice &other) const {
    return cluster == other.cluster && batchParts == other.batchParts &&
           streamParts == other.streamParts && sumParts == other.sumParts &&
           rowParts == other.rowParts && rows == other.rows &&
           refillRows == other.refillRows && tile == other.tile &&
           packets == other.packets && chunks == other.chunks &&
           spreads == other.spreads;
  }
  int64_t refills() const { return rows / refillRows; }
};

/// Iterations by loop: of a cluster, of a step, and on how many slices.
struct Sizes {
  llvm::SmallVector<int64_t, 6> extent, tile, parts;
  int64_t local(LoopId loop) const { return tile[loop] / parts[loop]; }
  int64_t tiles(LoopId loop) const { return extent[loop] / tile[loop]; }
};

/// What a pass takes of a step.
struct PassSizes {
  int64_t piece = 1;    ///< iterations of the streamed loop
  int64_t together = 1; ///< of these, accumulated side by side
  int64_t ringTurns = 1, ringSums = 1;
  int64_t gathered = 1;  ///< slices that put their rows side by side
  int64_t exchanged = 1; ///< slices that bring rows for each other
  /// Slices that are the innermost loop over slices.
  int64_t beside() const { return std::max(gathered, exchanged); }
  bool vrfInHalves = false;
};

/// Cycles.
struct StepCosts {
  int64_t startup = 0, lhsLoad = 0, rhsLoad = 0; ///< of a chunk, by DMA
  llvm::SmallVector<int64_t, 2> operandLoads;
  int64_t trfLoad = 0, trfSubLoad = 0; ///< of a refill, by either context
  /// Of a chunk of the stationary operand: by the sub and by the main context.
  int64_t exchange = 0, turn = 0;
  int64_t pass = 0;
  int64_t lastPasses = 0; ///< what passes behind that of the products take
  /// The vector engine's operands of a pass, by either context, and its sums so
  /// far.
  int64_t vrfLoad = 0, vrfSubLoad = 0, partialLoad = 0;
  int64_t gather = 0, store = 0; ///< of a piece
};

/// What choices have in common that differ in the order of tiles and in loads.
struct PreparedChoice {
  Choice choice;
  bool fits = false;
  RingPlan plan; ///< without order, steps and passes
  PassSizes pass;
  StepCosts costs;
};

struct Candidate {
  Choice choice;
  RingPlan plan;
  PassSizes pass;
  int64_t charged = 0; ///< cycles by which mappings are compared
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
  int64_t lanes() const { return machine.lanes(group.lhs.tensor->kind()); }

  // Sizes.
  /// Slices to which the same part of the stream may be passed: a power of two.
  int64_t ringOf(const Choice &choice) const {
    return llvm::bit_floor<uint64_t>(machine.slicesPerCluster /
                                     choice.streamParts / choice.batchParts /
                                     choice.sumParts);
  }
  /// Of these, slices that differ in rows of the stationary operand.
  int64_t rowPartsOf(const Choice &choice) const {
    return choice.rowParts > 0 ? choice.rowParts : ringOf(choice);
  }
  /// Slices of a cluster that work; those behind them hold nothing.
  int64_t usedSlices(const Choice &choice) const {
    return choice.batchParts * choice.streamParts * choice.sumParts *
           rowPartsOf(choice);
  }
  /// What engines move, if each had as much as the one with most slices.
  int64_t unevenly(const Choice &choice, int64_t count) const {
    return llvm::divideCeil(count * machine.slicesPerCluster,
                            usedSlices(choice));
  }
  void findPadding();
  std::optional<int64_t> alignExtent(LoopId loop, int64_t extent,
                                     int64_t unit) const;
  llvm::SmallVector<int64_t> tileCountsOf(LoopId loop, int64_t count) const;
  bool deal(Sizes &sizes, llvm::ArrayRef<LoopId> loops, int64_t rows,
            int64_t parts) const;
  std::optional<Sizes> sizesOf(const Choice &choice) const;
  bool loadsWords(const Sizes &sizes) const;
  llvm::SmallVector<std::pair<int64_t, int64_t>>
  chunksOf(const Choice &choice) const;
  bool isPadded(const Choice &choice, const Sizes &sizes) const;
  int64_t leastPasses(const Sizes &sizes) const;
  std::optional<int64_t> leastPackets(const Choice &choice) const;
  bool mayFit(const Choice &choice, const Sizes &sizes) const;
  bool keepsPins(const Choice &choice, const Sizes &sizes) const;
  llvm::ArrayRef<VectorPass> passesOf(const Choice &choice) const {
    return choice.chunks > 1 ? chunkPasses : passes;
  }

  // What fits.
  int64_t trfBytes(const Choice &choice, const Sizes &sizes) const;
  int64_t vrfBytes(const Choice &choice, const Sizes &sizes,
                   int64_t piece) const;
  bool spread(const Choice &choice, const Sizes &sizes, PassSizes &pass) const;
  std::optional<PassSizes> passSizesOf(const Choice &choice,
                                       const Sizes &sizes) const;
  void setOrder(RingPlan &plan, const Choice &choice, const Sizes &sizes) const;
  bool takesTurns() const;
  static llvm::SmallVector<int64_t, 2>
  resultPlacesOf(const Choice &choice, int64_t pieces, int64_t tiles);
  bool setPlaces(RingPlan &plan, const Choice &choice, const Sizes &sizes,
                 const PassSizes &pass) const;
  bool hasUnitRows(const Choice &choice, const Sizes &sizes) const;
  int64_t storedRows(const RingPlan &plan, const Choice &choice) const;
  int64_t gatheredSlices(const Choice &choice, const Sizes &sizes) const;
  int64_t exchangedSlices(const Choice &choice, const Sizes &sizes) const;
  int64_t elements(const Access &access, const Sizes &sizes) const;
  int64_t passElements(const Access &access, const Choice &choice,
                       const Sizes &sizes, int64_t piece) const;

  // What it costs.
  int64_t innerRows(const Access &access, const Choice &choice,
                    const Sizes &sizes, const PassSizes &pass) const;
  int64_t sharedSlowdown(const Access &access, const Choice &choice,
                         const Sizes &sizes) const;
  int64_t loadCycles(const Access &access, const Choice &choice,
                     const Sizes &sizes, const RingPlan &plan,
                     const PassSizes &pass) const;
  int64_t storeCycles(const RingPlan &plan, const Choice &choice,
                      const Sizes &sizes, const PassSizes &pass) const;
  int64_t operandCycles(const Access &operand, const Choice &choice,
                        const Sizes &sizes) const;
  StepCosts costsOf(const Sizes &sizes, const RingPlan &plan,
                    const Choice &choice, const PassSizes &pass) const;
  int64_t leastCycles(const RingPlan &plan, const Choice &choice,
                      const Sizes &sizes, const StepCosts &costs) const;
  void runPipeline(const Sizes &sizes, RingPlan &plan, const Choice &choice,
                   const StepCosts &costs) const;
  const PreparedChoice &prepare(const Choice &choice, const Sizes &sizes);
  std::optional<Candidate> evaluate(const Choice &choice, const Sizes &sizes,
                                    int64_t most);

  // The search.
  template <class Callback>
  bool forEachCut(Choice choice, llvm::ArrayRef<int64_t> tiles,
                  Callback &callback) const;
  template <class Callback>
  bool forEachRows(Choice choice, int64_t extent, llvm::ArrayRef<int64_t> tiles,
                   Callback &callback) const;
  template <class Callback> bool forEachChoice(Callback &&callback) const;
  int64_t mostSumParts(int64_t slices) const;
  template <class Callback>
  bool forEachPartOfSlices(Choice choice, int64_t stream, int64_t rows,
                           Callback &callback) const;
  bool hasOrders(const Sizes &sizes) const;
  static llvm::SmallVector<int64_t, 8> loadsOf(int64_t chunks, int64_t most);
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
  /// Loops that may run past their end.
  llvm::SmallBitVector padded;
  /// Whether the last packet of the sum ends in it and needs a mask.
  bool masksSum = false;
  /// Cycles of the best mapping so far, with slack.
  int64_t bound = INT64_MAX;
  /// Where the stationary operand lies along its rows: how it is turned.
  const tcp_isa::TransposeFormat *turns = nullptr;
  std::optional<PreparedChoice> prepared;
  std::optional<Candidate> best;
  MappingRecord found;
};

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_RINGPLANNER_H
