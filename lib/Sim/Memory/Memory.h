//===- Memory.h - The memories of a simulated system ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is obtained from the host on first use and reads as the machine's
// poison byte until it is written. Addresses are not checked here: the check of
// a command does that before it runs.
//
// The memories of slices lie one after the other, in the order of their first
// use and as long as the program reaches into them, so that the host can back
// several by one of its large pages. It is asked for those where a program
// fills them.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_MEMORY_MEMORY_H
#define SEQUIN_LIB_SIM_MEMORY_MEMORY_H

#include "Plan.h"
#include "sequin/Machine/Machine.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <memory>
#include <vector>

namespace sequin::sim {

/// What of the memories a program reaches.
struct MemoryUse {
  /// Anything.
  explicit MemoryUse(const TcpMachine &machine)
      : dmBytes(machine.dmBytesPerSlice) {}
  MemoryUse(const TcpMachine &machine, llvm::ArrayRef<CommandPlan> plans);

  int64_t dmBytes; ///< of each slice, from address 0
  /// Whether most of what the host's large pages hold is used.
  bool fillsDm = false, fillsTrf = false, fillsHbm = false;
};

class SystemMemory {
public:
  /// HBM is made in these units when something is written there.
  static constexpr int64_t kHbmGranuleBytes = 64 << 10;

  SystemMemory(const TcpMachine &machine, int64_t chips, const MemoryUse &use);
  SystemMemory(const TcpMachine &machine, int64_t chips)
      : SystemMemory(machine, chips, MemoryUse(machine)) {}

  void readHbm(int64_t chip, int64_t address, uint8_t *to, int64_t bytes);
  void writeHbm(int64_t chip, int64_t address, const uint8_t *from,
                int64_t bytes);
  void zeroHbm(int64_t chip, int64_t address, int64_t bytes);

  /// DM of a slice (0 .. clusters * slices - 1 in the chip), for accesses in
  /// [begin, end). Returns where address 0 is.
  uint8_t *dm(int64_t chip, int64_t slice, int64_t begin, int64_t end) {
    return dms[chip].touch(slice, begin, end, false);
  }
  /// The same for a caller that writes all of [begin, end).
  uint8_t *dmForWrite(int64_t chip, int64_t slice, int64_t begin, int64_t end) {
    return dms[chip].touch(slice, begin, end, true);
  }
  /// As TrfLayout::hostOffset places it.
  uint8_t *trf(int64_t chip, int64_t slice, ElementType type);
  uint8_t *vrf(int64_t chip, int64_t slice);
  /// The scratchpads of a chip, one after the other.
  uint8_t *spm(int64_t chip);
  /// Nobody reads what is in the memories of a slice any more.
  void forgetSlice(int64_t chip, int64_t slice);

private:
  /// Uninitialised memory.
  struct FreePages {
    int64_t align;
    void operator()(uint8_t *pages) const;
  };
  using Pages = std::unique_ptr<uint8_t[], FreePages>;
  static Pages allocatePages(int64_t bytes, bool large);

  /// Units of equal size. A granule of a unit is filled with poison when
  /// somebody could see it, which is not before a write that covers it.
  class Units {
  public:
    Units(int64_t count, int64_t bytes, uint8_t poison, bool large);
    /// Where byte 0 of a unit is, for accesses in [begin, end).
    uint8_t *touch(int64_t unit, int64_t begin, int64_t end, bool overwrites);
    uint8_t *touchAll(int64_t unit) { return touch(unit, 0, bytes, false); }
    void forget(int64_t unit);

  private:
    void makeReady(int64_t place, int64_t granule, bool overwritten);

    int64_t count, bytes;
    uint8_t poison;
    bool large;
    Pages pages;
    /// By unit, where it is, or -1; and places that have been left.
    std::vector<int64_t> placeOf;
    llvm::SmallVector<int64_t, 0> left;
    int64_t placesUsed = 0;
    /// By granule, those of all places.
    int64_t granulesPerUnit;
    std::vector<bool> ready;
    /// By extent; unused with large pages.
    int64_t extentsPerUnit;
    std::vector<bool> faulted;
  };

  /// What a granule of a region of HBM holds.
  enum class Content : uint8_t { Poison, Zero, Data };
  static constexpr int64_t kRegionBytes = 2 << 20;
  struct Region {
    Pages bytes; ///< null before there is data
    std::array<Content, kRegionBytes / kHbmGranuleBytes> contents = {};
  };
  Region *findRegion(int64_t chip, int64_t index);
  Region &makeRegion(int64_t chip, int64_t index);
  /// For a write of all of a granule or of a part.
  uint8_t *writableGranule(Region &region, int64_t granule, bool overwritten);

  const TcpMachine &machine;
  bool fillsHbm;
  std::vector<Units> dms, trfs, wideTrfs, vrfs, spms; ///< by chip
  std::vector<llvm::DenseMap<int64_t, std::unique_ptr<Region>>> hbm;
  /// The region used last.
  int64_t lastChip = -1, lastIndex = -1;
  Region *lastRegion = nullptr;
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_MEMORY_MEMORY_H
