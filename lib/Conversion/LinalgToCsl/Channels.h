//===- Channels.h - Colors, queues and routes -------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The connections that a plan's steps use, each once. Along an axis of P PEs,
// "up" is towards greater coordinates (EAST, SOUTH), "down" towards 0.
//
//  Hop      between neighbours, up or down; two colors by parity of the sender
//  Leap     down from the first PE of a group to that of the group before
//  Spread   from PE 0 to all
//  Panel    from one PE after another, 0 first, to all above or below it
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOCSL_CHANNELS_H
#define SEQUIN_LIB_CONVERSION_LINALGTOCSL_CHANNELS_H

#include "Program.h"

namespace sequin::linalg_to_csl {

struct Channel {
  enum class Kind { Hop, Leap, Spread, Panel };
  Kind kind = Kind::Hop;
  FabricAxis axis = FabricAxis::X; ///< X or Y
  bool up = false;
  int64_t group = 0; ///< PEs per group of a Leap

  unsigned color = 0; ///< the first
  unsigned colors = 1;
  unsigned inputQueue = 0, outputQueue = 0;

  bool isSame(const Channel &other) const {
    return kind == other.kind && axis == other.axis && up == other.up &&
           group == other.group;
  }
  /// "hop_east", "spread_x", ...
  std::string name() const;
};

class ChannelTable {
public:
  /// Numbers the channels of a plan's steps; an error on `op` where the machine
  /// has too few colors.
  static FailureOr<ChannelTable> make(Operation *op, const Plan &plan,
                                      csl::TargetAttr target,
                                      unsigned firstColor);

  /// Why the machine has too few queues for a plan; empty if it has enough.
  static std::string checkQueues(const Plan &plan, csl::TargetAttr target);

  const Channel &get(Channel::Kind kind, FabricAxis axis, bool up,
                     int64_t group = 0) const;
  ArrayRef<Channel> all() const { return channels; }

  /// csl.color_config of every channel.
  void emitRoutes(mlir::OpBuilder &builder, mlir::Location loc, Grid grid,
                  unsigned generation) const;

private:
  void add(Channel channel);
  void collect(const Plan &plan);
  SmallVector<Channel> channels;
};

/// Commands of the control wavelets of a Panel channel (WaferLowering.md).
/// Upward: closes the own router behind a panel and opens the next.
uint32_t getPanelUpControl(const CslMachine &machine, int64_t root);
/// Downward: turns the own router; of the last root resets all.
uint32_t getPanelDownControl(const CslMachine &machine, int64_t root,
                             int64_t pes);

} // namespace sequin::linalg_to_csl

#endif // SEQUIN_LIB_CONVERSION_LINALGTOCSL_CHANNELS_H
