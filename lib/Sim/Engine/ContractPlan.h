//===- ContractPlan.h - The loops of a contraction --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all slices of a command share. Stream, register file and accumulator
// each have a nest over the computation packets; here they become one nest,
// whose loops say what they do to each of the three:
//
//     repeats   the packet of the stream is one that was there before
//     weight    bytes in a row of the register file
//     reduced   adds to the same results
//
// The results of the loops that are not reduced do not depend on each other,
// and each is a sum along the reduced loops in their order. As long as that
// order and the order of the results are kept, the steps may run in any order:
// a number of packets of the stream, a *block*, is taken at a time, and in a
// block a tile of packets and weights.
//
// Fetching a packet again is work for the host too. Where the loops inside a
// block repeat packets, the engine wants the stream without these repetitions
// (repeatsInFetch).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_CONTRACTPLAN_H
#define SEQUIN_LIB_SIM_ENGINE_CONTRACTPLAN_H

#include "Engine/ContractKernel.h"
#include "Engine/Nest.h"
#include "sequin/Sim/TrfLayout.h"

namespace sequin::sim {

/// A loop over results in a block; strides are in cells.
struct ResultLoop {
  int64_t size = 1;
  int64_t activation = 0, weight = 0, result = 0;
};

/// The loops of a block.
struct ContractBlock {
  int64_t packets = 0; ///< of the stream
  llvm::SmallVector<ResultLoop, 6> results;
  std::vector<ContractStep> sum;
  int64_t resultCount = 1;
};

class ContractPlan {
public:
  /// A packet has `cells`. `fetch` if repetitions in it can be left out.
  ContractPlan(const config::ContractStage &stage, const TcpMachine &machine,
               int64_t steps, int64_t cells, const config::FetchStage *fetch);

  /// Byte addresses in a row's part of the TRF where weight packets start.
  llvm::ArrayRef<int64_t> weightAddresses() const { return addresses; }
  /// The place of the packet at `address`, of weightCount() places.
  int64_t weightIndex(int64_t address) const {
    return (address - firstAddress) / addressUnit;
  }
  int64_t weightCount() const { return weightPackets; }
  /// Of all places.
  int64_t lowestAddress() const { return firstAddress; }
  int64_t weightBytes() const { return weightPackets * addressUnit; }

  /// Whether there is a nest. Nothing below holds without one.
  bool hasNest() const { return isRegular; }
  /// Results of the block and of all that are open at once.
  int64_t openResults() const { return openCount; }
  /// Entries of the fetch sequencer and by how much the engine wants them
  /// shorter; the stream is repetition() times shorter then.
  llvm::ArrayRef<std::pair<size_t, int64_t>> repeatsInFetch() const {
    return fetchRepeats;
  }
  int64_t repetition() const { return repeated; }
  /// Packets of the largest block.
  int64_t maxPackets() const { return whole.packets; }

  /// Back to the first block.
  void restart();
  const ContractBlock &block() const { return isRest ? rest : whole; }
  /// The block's first packet of weights, in cells, and its first result.
  int64_t weightOffset(int64_t baseAddress) const;
  int64_t firstResult() const;
  /// Whether the block's sums begin, and end, with it.
  bool begins() const;
  bool ends() const;
  void advance();

private:
  /// A loop over packets of the stream. Those of one group of flits stay in one
  /// block.
  struct StreamLoop {
    int64_t size = 1;
    bool repeats = false, canCut = false;
    std::optional<size_t> fetchEntry;
  };
  struct NestLoop {
    int64_t size = 1;
    int64_t weight = 0; ///< bytes
    bool reduced = false, repeats = false, canCut = false;
    std::optional<size_t> fetchEntry = {};
  };
  void makeStream(const config::ContractStage &stage, int64_t steps,
                  int64_t collected, const config::FetchStage *fetch);
  void numberWeights(const config::ContractStage &stage);
  bool makeNest(const config::ContractStage &stage);
  void chooseBlocks();
  ContractBlock makeBlock(int64_t count) const;

  int64_t cells, columns;
  std::vector<StreamLoop> stream; ///< outermost first, as all loops
  std::vector<NestLoop> nest;
  bool isRegular = false;
  std::vector<int64_t> addresses;
  int64_t firstAddress = 0, addressUnit = 1, weightPackets = 1;
  int64_t weightCells; ///< of a packet, all rows
  llvm::SmallVector<std::pair<size_t, int64_t>, 2> fetchRepeats;
  int64_t repeated = 1;

  /// Loop `level` is cut into blocks of `step` iterations; those inside are
  /// whole.
  size_t level = 0;
  int64_t step = 1;
  ContractBlock whole, rest;
  int64_t openCount = 1;
  /// Of the loops up to `level`: where they are, and how far apart the open
  /// results of their iterations are.
  llvm::SmallVector<int64_t, 8> counts, openStrides;
  bool isRest = false;
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_CONTRACTPLAN_H
