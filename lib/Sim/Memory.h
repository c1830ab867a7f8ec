//===- Memory.h - The memories of a simulated system ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is allocated on first use and reads as the machine's poison byte
// until it is written. Addresses are not checked here: the check of a command
// does that before it runs.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_MEMORY_H
#define SEQUIN_LIB_SIM_MEMORY_H

#include "sequin/Machine/Machine.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <vector>

namespace sequin::sim {

class SystemMemory {
public:
  SystemMemory(const TcpMachine &machine, int64_t chips);

  void readHbm(int64_t chip, int64_t address, uint8_t *to, int64_t bytes);
  void writeHbm(int64_t chip, int64_t address, const uint8_t *from,
                int64_t bytes);
  void zeroHbm(int64_t chip, int64_t address, int64_t bytes);

  /// DM of a slice (0 .. clusters * slices - 1 in the chip), for accesses in
  /// [begin, end). Returns where address 0 would be.
  uint8_t *dm(int64_t chip, int64_t slice, int64_t begin, int64_t end) {
    return touch(dms[chip * slicesPerChip + slice], begin, end, false);
  }
  /// The same for a caller that writes all of [begin, end).
  uint8_t *dmForWrite(int64_t chip, int64_t slice, int64_t begin, int64_t end) {
    return touch(dms[chip * slicesPerChip + slice], begin, end, true);
  }
  /// As TrfLayout::hostOffset places it.
  uint8_t *trf(int64_t chip, int64_t slice, ElementType type);
  uint8_t *vrf(int64_t chip, int64_t slice);
  /// The scratchpads of a chip, one after the other.
  uint8_t *spm(int64_t chip);

private:
  /// Uninitialised memory.
  struct FreePages {
    void operator()(uint8_t *pages) const;
  };
  using Pages = std::unique_ptr<uint8_t[], FreePages>;
  static Pages allocatePages(int64_t bytes);

  /// A granule is filled with poison when somebody could see it, which is not
  /// before a write that covers it.
  struct Dm {
    Pages bytes;
    std::vector<bool> filled;  ///< by granule
    std::vector<bool> faulted; ///< by extent
  };
  /// Without data: all zero.
  struct Page {
    Pages bytes;
  };

  uint8_t *touch(Dm &unit, int64_t begin, int64_t end, bool overwrites);
  uint8_t *poisoned(Pages &bytes, int64_t size);
  uint8_t *writablePage(int64_t chip, int64_t index);
  template <class Visit>
  void forEachPage(int64_t address, int64_t bytes, Visit &&visit);

  const TcpMachine &machine;
  int64_t slicesPerChip;
  std::vector<Dm> dms;
  std::vector<Pages> trfs, wideTrfs, vrfs, spms;
  std::vector<llvm::DenseMap<int64_t, Page>> hbm; ///< by chip
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_MEMORY_H
