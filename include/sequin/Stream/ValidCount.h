//===- ValidCount.h - Which elements of a stream are real data --*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The valid count generator (TCP Virtual ISA manual, Valid Count Generator)
// tags every flit of a slice with a number vc: its first vc elements are data,
// the rest is padding. It knows the number s of the slice and counts flits:
//
//     t  ->  counters c0 (fastest), c1, ...        limits L0, L1, ...
//     idx of a dim = sum of c * stride over the counters assigned to it
//     packet_vc    = min(stride_p, max(0, V_p - idx_p))
//     gate         = 1 below the match, idx < V at it, above it 0 (standard) or
//                    idx < V (transposed); compared is s & mask, unshifted
//     vc(s, t)     = packet_vc * gate0 * gate1 * gate2
//
// stride_p is the stride of the innermost counter of the packet dim; without
// one, packet_vc is a whole flit.
//
// deriveValidCount() finds the configuration for padded axes from where their
// parts are. An axis R of size n, padded to p and split, is at
//
//     coordinate = S(slice) + T(time) + lane,        data where it is below n
//
//   Time           gate: mask 0, match 0, V = n, strides as in the mapping; the
//                  parts may stand in any order with other axes between
//   Slice, Slice + Time
//     standard     time is the part inside one slice step w: below n / w all
//                  data, at it T < n % w, above none
//     transposed   the slices of one time step cover w: slices below n % w have
//                  one more time step than the n / w of the others; exact only
//                  if there are no more than ceil(n / w) time steps
//   Packet, Time + Packet
//                  packet dim: V_p = n, stride_p = the lanes R takes
//   Slice + Packet, Slice + Time + Packet
//                  no: packet_vc cannot differ between slices. Where the packet
//                  is never partly filled (lanes divide n, or one packet holds
//                  all of n), what is left is the case without Packet.
//
// One gate compares with one threshold, so the slices' parts of R have to be
// ascending and without gaps from the inside out, and their bits must be bits
// of the slice number alone: powers of two inside of and at them (the outermost
// factor of all may have any extent).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_STREAM_VALIDCOUNT_H
#define SEQUIN_STREAM_VALIDCOUNT_H

#include "sequin/Stream/Limits.h"
#include "sequin/Stream/Mapping.h"

namespace sequin {

struct ValidCountConfig {
  static constexpr int64_t kUnassigned = -1;
  static constexpr int64_t kPacketDim = 0;
  /// Gate g is dim kFirstGate + g.
  static constexpr int64_t kFirstGate = 1;

  struct Counter {
    int64_t limit = 1;
    int64_t dim = kUnassigned;
    int64_t stride = 0;
    bool operator==(const Counter &) const = default;
  };
  struct Gate {
    int64_t mask = 0;
    int64_t match = 1;
    int64_t valid = 0;
    bool transposed = false;
    bool operator==(const Gate &) const = default;
  };

  /// Fastest first.
  llvm::SmallVector<Counter, 8> counters;
  int64_t packetValid = 0; ///< V_p
  llvm::SmallVector<Gate, 3> gates;
};

/// Where the parts of an axis are, as the manual tells the cases apart.
enum class ValidCountPlacement : uint8_t {
  NoPadding, ///< needs no counting
  Time,
  Slice,
  SliceTime,
  SliceTimeTransposed,
  Packet,
  TimePacket,
  SlicePacket,
  SliceTimePacket,
};

/// The flits that enter the vector engine.
struct ValidCountStream {
  Mapping chip, cluster, slice, time, packet;
};

struct ValidCountDerivation {
  ValidCountConfig config;
  /// One per axis asked for.
  llvm::SmallVector<ValidCountPlacement, 4> placements;

  /// Whether some flit is not wholly data of these axes.
  bool isNeeded() const {
    for (ValidCountPlacement placement : placements)
      if (placement != ValidCountPlacement::NoPadding)
        return true;
    return false;
  }
};

/// The configuration that counts the data of all `axes`. Errors name the axis,
/// where it was found, why that cannot be counted, and what can.
llvm::Expected<ValidCountDerivation>
deriveValidCount(llvm::ArrayRef<llvm::StringRef> axes,
                 const ValidCountStream &stream,
                 const ValidCountLimits &limits);

/// The counts of the two 4-lane packets that a flit is split into, and of the
/// flit that two packets are joined to (manual, Downstream: 4-Way Operations).
inline int64_t validCountLow(int64_t count, int64_t lanes) {
  return count < lanes ? count : lanes;
}
inline int64_t validCountHigh(int64_t count, int64_t lanes) {
  return count < lanes ? 0 : count - lanes;
}

} // namespace sequin

#endif // SEQUIN_STREAM_VALIDCOUNT_H
