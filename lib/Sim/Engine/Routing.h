//===- Routing.h - Traffic between the slices of a cluster ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_ROUTING_H
#define SEQUIN_LIB_SIM_ENGINE_ROUTING_H

#include "sequin/Config/Config.h"
#include "sequin/Machine/Machine.h"
#include "llvm/ADT/ArrayRef.h"

namespace sequin::sim {

/// The packets that a slice takes of a source, counted from the first one.
std::vector<int64_t> packetsTaken(const config::Routing &routing);

/// The router settings of a Routing, by slice of the chip.
class RoutingTable {
public:
  explicit RoutingTable(const config::Routing &routing);

  int64_t ringSize() const { return ring; }
  /// The slices of the ring that `slice` takes packets of, ascending, counted
  /// from the first slice of the ring.
  llvm::ArrayRef<int64_t> sources(int64_t slice) const {
    return settingAt(slice).sources;
  }
  int64_t firstPacket(int64_t slice) const {
    return settingAt(slice).firstPacket;
  }
  /// Whether both take the same packets of the same ring.
  bool alike(int64_t a, int64_t b) const {
    return a / ring == b / ring && &settingAt(a) == &settingAt(b);
  }

private:
  struct Setting {
    llvm::SmallVector<int64_t, 8> sources;
    int64_t firstPacket;
  };
  const Setting &settingAt(int64_t slice) const {
    return settings[settingOf[slice % settingOf.size()]];
  }

  int64_t ring;
  std::vector<Setting> settings;
  std::vector<uint32_t> settingOf; ///< by slice
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_ROUTING_H
