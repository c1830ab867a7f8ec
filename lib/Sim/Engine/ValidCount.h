//===- ValidCount.h - The valid count generator at work ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vc(s, t) of TCP, Valid Count Generator's Implementation, for the flits of a
// slice in order. Counters are advanced, not decomposed from t: no division per
// flit.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_VALIDCOUNT_H
#define SEQUIN_LIB_SIM_ENGINE_VALIDCOUNT_H

#include "sequin/Config/Config.h"

namespace sequin::sim {

class ValidCounter {
public:
  /// `lanes`: elements of a flit.
  ValidCounter(const config::ValidCountGenerator &generator, int64_t lanes);

  /// Starts at flit 0 of a slice, numbered within its cluster.
  void begin(int64_t slice);
  /// The counts of the next counts.size() flits; after the last one the
  /// counters start again.
  void next(llvm::MutableArrayRef<uint8_t> counts);

private:
  struct Wheel {
    int64_t limit, stride, dim;
    int64_t count;
  };
  struct Gate {
    config::ValidCountGenerator::Gate config;
    enum class State : uint8_t { Open, Counting, Shut } state;
  };

  void advance();
  uint8_t packetCount() const {
    int64_t left = packetValid - index[config::ValidCountGenerator::kPacketDim];
    return static_cast<uint8_t>(left < 0              ? 0
                                : left < packetStride ? left
                                                      : packetStride);
  }

  llvm::SmallVector<Wheel, 8> wheels;
  llvm::SmallVector<Gate, 3> gates;
  /// Per dim, and one that nobody reads for counters that are assigned to none.
  llvm::SmallVector<int64_t, 8> index;
  int64_t packetValid, packetStride;
  bool shut = false;
};

/// Counts of 8-lane flits as those of 4-lane packets, two per flit (split) or
/// the leading one (trim), and back (concat joins pairs; a padded packet keeps
/// its count). `narrow` is the lanes of a packet.
void splitCounts(llvm::ArrayRef<uint8_t> flits, int64_t narrow,
                 llvm::MutableArrayRef<uint8_t> packets);
void trimCounts(llvm::ArrayRef<uint8_t> flits, int64_t narrow,
                llvm::MutableArrayRef<uint8_t> packets);
void concatCounts(llvm::ArrayRef<uint8_t> packets,
                  llvm::MutableArrayRef<uint8_t> flits);

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_VALIDCOUNT_H
