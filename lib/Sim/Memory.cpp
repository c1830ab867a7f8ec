//===- Memory.cpp - The memories of a simulated system --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "sequin/Sim/TrfLayout.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>
#include <new>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

using namespace sequin;
using namespace sequin::sim;

/// Unit of allocation of HBM; nothing outside this file can tell.
static constexpr int64_t kPageBytes = 64 << 10;
/// Unit in which DM is filled with poison; divides the size of a slice's DM.
static constexpr int64_t kGranuleBytes = 4 << 10;

/// Unit in which the host is asked for pages: one request is much cheaper than
/// a page fault for each page of it.
static constexpr int64_t kExtentBytes = 64 << 10;
static constexpr std::align_val_t kHostPage{4096};

SystemMemory::Pages SystemMemory::allocatePages(int64_t bytes) {
  return Pages(static_cast<uint8_t *>(operator new[](bytes, kHostPage)));
}

void SystemMemory::FreePages::operator()(uint8_t *pages) const {
  operator delete[](pages, kHostPage);
}

/// A hint; without it the pages come one by one.
static void prefault(uint8_t *begin, int64_t bytes) {
#ifdef MADV_POPULATE_WRITE
  (void)madvise(begin, bytes, MADV_POPULATE_WRITE);
#endif
}

SystemMemory::SystemMemory(const TcpMachine &machine, int64_t chips)
    : machine(machine),
      slicesPerChip(machine.clustersPerChip * machine.slicesPerCluster),
      dms(chips * slicesPerChip), trfs(chips * slicesPerChip),
      wideTrfs(chips * slicesPerChip), vrfs(chips * slicesPerChip), spms(chips),
      hbm(chips) {}

uint8_t *SystemMemory::touch(Dm &unit, int64_t begin, int64_t end,
                             bool overwrites) {
  if (!unit.bytes) {
    unit.bytes = allocatePages(machine.dmBytesPerSlice);
    unit.faulted.assign(llvm::divideCeil(machine.dmBytesPerSlice, kExtentBytes),
                        false);
    unit.filled.assign(llvm::divideCeil(machine.dmBytesPerSlice, kGranuleBytes),
                       false);
  }
  for (int64_t granule = begin / kGranuleBytes; granule * kGranuleBytes < end;
       ++granule) {
    if (unit.filled[granule])
      continue;
    unit.filled[granule] = true;
    int64_t first = granule * kGranuleBytes;
    if (int64_t extent = first / kExtentBytes; !unit.faulted[extent]) {
      unit.faulted[extent] = true;
      prefault(unit.bytes.get() + extent * kExtentBytes,
               std::min(kExtentBytes,
                        machine.dmBytesPerSlice - extent * kExtentBytes));
    }
    if (!overwrites || first < begin || first + kGranuleBytes > end)
      std::memset(unit.bytes.get() + first, machine.poisonByte,
                  std::min(kGranuleBytes, machine.dmBytesPerSlice - first));
  }
  return unit.bytes.get();
}

uint8_t *SystemMemory::poisoned(Pages &bytes, int64_t size) {
  if (!bytes) {
    bytes = allocatePages(size);
    prefault(bytes.get(), size);
    std::memset(bytes.get(), machine.poisonByte, size);
  }
  return bytes.get();
}

uint8_t *SystemMemory::trf(int64_t chip, int64_t slice, ElementType type) {
  bool wide = TrfLayout::hostScale(type) > 1;
  return poisoned((wide ? wideTrfs : trfs)[chip * slicesPerChip + slice],
                  TrfLayout::hostBytes(machine, type));
}

uint8_t *SystemMemory::vrf(int64_t chip, int64_t slice) {
  return poisoned(vrfs[chip * slicesPerChip + slice], machine.vrfBytesPerSlice);
}

uint8_t *SystemMemory::spm(int64_t chip) {
  return poisoned(spms[chip], machine.spmBytesPerChip());
}

/// Calls visit(page index, offset in the page, bytes) for every page touched.
template <class Visit>
void SystemMemory::forEachPage(int64_t address, int64_t bytes, Visit &&visit) {
  while (bytes > 0) {
    int64_t offset = address % kPageBytes;
    int64_t piece = std::min(bytes, kPageBytes - offset);
    visit(address / kPageBytes, offset, piece);
    address += piece;
    bytes -= piece;
  }
}

uint8_t *SystemMemory::writablePage(int64_t chip, int64_t index) {
  auto [it, isNew] = hbm[chip].try_emplace(index);
  Pages &bytes = it->second.bytes;
  if (isNew)
    return poisoned(bytes, kPageBytes);
  if (!bytes) { // a zero page
    bytes = allocatePages(kPageBytes);
    std::memset(bytes.get(), 0, kPageBytes);
  }
  return bytes.get();
}

void SystemMemory::readHbm(int64_t chip, int64_t address, uint8_t *to,
                           int64_t bytes) {
  forEachPage(address, bytes, [&](int64_t index, int64_t offset, int64_t n) {
    auto it = hbm[chip].find(index);
    if (it == hbm[chip].end())
      std::memset(to, machine.poisonByte, n);
    else if (!it->second.bytes)
      std::memset(to, 0, n);
    else
      std::memcpy(to, it->second.bytes.get() + offset, n);
    to += n;
  });
}

void SystemMemory::writeHbm(int64_t chip, int64_t address, const uint8_t *from,
                            int64_t bytes) {
  forEachPage(address, bytes, [&](int64_t index, int64_t offset, int64_t n) {
    std::memcpy(writablePage(chip, index) + offset, from, n);
    from += n;
  });
}

void SystemMemory::zeroHbm(int64_t chip, int64_t address, int64_t bytes) {
  forEachPage(address, bytes, [&](int64_t index, int64_t offset, int64_t n) {
    if (n == kPageBytes)
      hbm[chip][index].bytes.reset();
    else
      std::memset(writablePage(chip, index) + offset, 0, n);
  });
}
