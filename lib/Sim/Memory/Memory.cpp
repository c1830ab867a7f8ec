//===- Memory.cpp - The memories of a simulated system --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/Memory.h"
#include "sequin/Sim/TrfLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>
#include <new>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

using namespace sequin;
using namespace sequin::sim;

/// Unit in which memories of slices are filled with poison.
static constexpr int64_t kGranuleBytes = 4 << 10;

/// Unit in which the host is asked for pages: one request is much cheaper than
/// a page fault for each page of it.
static constexpr int64_t kExtentBytes = 64 << 10;
static constexpr int64_t kHostPageBytes = 4 << 10;
/// The host's large pages, on most hosts; on others asking for them does
/// nothing, or they are larger still.
static constexpr int64_t kLargePageBytes = 2 << 20;
/// From this size on they are asked for.
static constexpr int64_t kManyBytes = 2 * kLargePageBytes;

//===----------------------------------------------------------------------===//
// What a program reaches
//===----------------------------------------------------------------------===//

namespace {
/// Ranges of bytes, in each of a number of slices.
struct Reach {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  std::vector<uint64_t> slices;

  void add(const Access &access) {
    ranges.push_back({access.begin, access.end});
    slices.resize(std::max(slices.size(), access.slices.size()));
    for (auto [all, some] : llvm::zip(slices, access.slices))
      all |= some;
  }
  /// The bytes in any of the ranges.
  int64_t bytes() {
    llvm::sort(ranges);
    int64_t sum = 0, last = 0;
    for (auto [begin, end] : ranges) {
      sum += std::max<int64_t>(0, end - std::max(begin, last));
      last = std::max(last, end);
    }
    return sum;
  }
  /// Whether this is many bytes, and more than half of `each` bytes per slice.
  bool fills(int64_t each) {
    int64_t used = bytes(), count = 0;
    for (uint64_t word : slices)
      count += llvm::popcount(word);
    return used * count >= kManyBytes && 2 * used >= each;
  }
};
} // namespace

MemoryUse::MemoryUse(const TcpMachine &machine,
                     llvm::ArrayRef<CommandPlan> plans)
    : dmBytes(0) {
  Reach dm, trf, hbm;
  int64_t written = 0;
  for (const CommandPlan &plan : plans) {
    for (const Access &access : plan.accesses) {
      if (access.space == Space::Dm) {
        dm.add(access);
        dmBytes = std::max(dmBytes, access.end);
      } else if (access.space == Space::Trf) {
        trf.add(access);
      } else if (access.space == Space::Hbm && access.write) {
        hbm.add(access);
        if (plan.resource == Resource::Host)
          written += access.end - access.begin;
      }
    }
    written += plan.hbmBytesWritten;
    dmBytes = std::max({dmBytes, plan.fetchEnd, plan.commitEnd, plan.countEnd});
  }
  fillsDm = dm.fills(dmBytes);
  // Filled with poison as a whole.
  trf.ranges = {{0, TrfLayout::hostBytes(machine, ElementType::I8)}};
  fillsTrf = trf.fills(trf.ranges.front().second);
  fillsHbm = written >= kManyBytes && 2 * written >= hbm.bytes();
}

//===----------------------------------------------------------------------===//
// Pages of the host
//===----------------------------------------------------------------------===//

SystemMemory::Pages SystemMemory::allocatePages(int64_t bytes, bool large) {
  int64_t align = large ? kLargePageBytes : kHostPageBytes;
  auto *pages = static_cast<uint8_t *>(operator new[](
      bytes, static_cast<std::align_val_t>(align)));
#ifdef MADV_HUGEPAGE
  if (large) // a hint
    (void)madvise(pages, bytes, MADV_HUGEPAGE);
#endif
  return Pages(pages, FreePages{align});
}

void SystemMemory::FreePages::operator()(uint8_t *pages) const {
  operator delete[](pages, static_cast<std::align_val_t>(align));
}

/// A hint; without it the pages come one by one.
static void prefault(uint8_t *begin, int64_t bytes) {
#ifdef MADV_POPULATE_WRITE
  (void)madvise(begin, bytes, MADV_POPULATE_WRITE);
#endif
}

//===----------------------------------------------------------------------===//
// Memories of slices
//===----------------------------------------------------------------------===//

SystemMemory::Units::Units(int64_t count, int64_t bytes, uint8_t poison,
                           bool large)
    : count(count), bytes(llvm::alignTo(bytes, kGranuleBytes)), poison(poison),
      large(large), granulesPerUnit(this->bytes / kGranuleBytes),
      extentsPerUnit(llvm::divideCeil(this->bytes, kExtentBytes)) {}

uint8_t *SystemMemory::Units::touch(int64_t unit, int64_t begin, int64_t end,
                                    bool overwrites) {
  if (!pages) {
    pages = allocatePages(count * bytes, large);
    placeOf.assign(count, -1);
    ready.assign(count * granulesPerUnit, false);
    faulted.assign(large ? 0 : count * extentsPerUnit, false);
  }
  int64_t &place = placeOf[unit];
  if (place < 0)
    place = left.empty() ? placesUsed++ : left.pop_back_val();
  for (int64_t granule = begin / kGranuleBytes; granule * kGranuleBytes < end;
       ++granule)
    if (!ready[place * granulesPerUnit + granule]) {
      int64_t first = granule * kGranuleBytes;
      makeReady(place, granule,
                overwrites && begin <= first && first + kGranuleBytes <= end);
    }
  return pages.get() + place * bytes;
}

void SystemMemory::Units::makeReady(int64_t place, int64_t granule,
                                    bool overwritten) {
  ready[place * granulesPerUnit + granule] = true;
  uint8_t *memory = pages.get() + place * bytes;
  int64_t first = granule * kGranuleBytes;
  if (!large) {
    int64_t extent = first / kExtentBytes, begin = extent * kExtentBytes;
    if (!faulted[place * extentsPerUnit + extent])
      prefault(memory + begin, std::min(kExtentBytes, bytes - begin));
    faulted[place * extentsPerUnit + extent] = true;
  }
  if (!overwritten)
    std::memset(memory + first, poison, kGranuleBytes);
}

void SystemMemory::Units::forget(int64_t unit) {
  if (!pages || placeOf[unit] < 0)
    return;
  auto first = ready.begin() + placeOf[unit] * granulesPerUnit;
  std::fill(first, first + granulesPerUnit, false);
  left.push_back(placeOf[unit]);
  placeOf[unit] = -1;
}

SystemMemory::SystemMemory(const TcpMachine &machine, int64_t chips,
                           const MemoryUse &use)
    : machine(machine), fillsHbm(use.fillsHbm), hbm(chips) {
  int64_t slices = machine.clustersPerChip * machine.slicesPerCluster;
  auto add = [&](std::vector<Units> &memories, int64_t count, int64_t bytes,
                 bool large) {
    memories.emplace_back(count, bytes, machine.poisonByte, large);
  };
  for (int64_t chip = 0; chip < chips; ++chip) {
    add(dms, slices, use.dmBytes, use.fillsDm);
    add(trfs, slices, TrfLayout::hostBytes(machine, ElementType::I8),
        use.fillsTrf);
    add(wideTrfs, slices, TrfLayout::hostBytes(machine, ElementType::I9),
        use.fillsTrf);
    add(vrfs, slices, machine.vrfBytesPerSlice, false);
    add(spms, 1, machine.spmBytesPerChip(), false);
  }
}

uint8_t *SystemMemory::trf(int64_t chip, int64_t slice, ElementType type) {
  bool wide = TrfLayout::hostScale(type) > 1;
  return (wide ? wideTrfs : trfs)[chip].touchAll(slice);
}

uint8_t *SystemMemory::vrf(int64_t chip, int64_t slice) {
  return vrfs[chip].touchAll(slice);
}

uint8_t *SystemMemory::spm(int64_t chip) { return spms[chip].touchAll(0); }

void SystemMemory::forgetSlice(int64_t chip, int64_t slice) {
  for (std::vector<Units> *memories : {&dms, &trfs, &wideTrfs, &vrfs})
    (*memories)[chip].forget(slice);
}

//===----------------------------------------------------------------------===//
// HBM
//===----------------------------------------------------------------------===//

/// Calls visit(region, granule of it, offset in the granule, bytes) for every
/// granule touched.
template <class Visit>
static void forEachGranule(int64_t address, int64_t bytes, int64_t regionBytes,
                           int64_t granuleBytes, Visit &&visit) {
  while (bytes > 0) {
    int64_t offset = address % granuleBytes;
    int64_t piece = std::min(bytes, granuleBytes - offset);
    visit(address / regionBytes, address % regionBytes / granuleBytes, offset,
          piece);
    address += piece;
    bytes -= piece;
  }
}

/// Null if nothing has been written there.
SystemMemory::Region *SystemMemory::findRegion(int64_t chip, int64_t index) {
  if (chip == lastChip && index == lastIndex)
    return lastRegion;
  auto found = hbm[chip].find(index);
  if (found == hbm[chip].end())
    return nullptr;
  lastChip = chip;
  lastIndex = index;
  return lastRegion = found->second.get();
}

SystemMemory::Region &SystemMemory::makeRegion(int64_t chip, int64_t index) {
  if (Region *region = findRegion(chip, index))
    return *region;
  hbm[chip][index] = std::make_unique<Region>();
  return *findRegion(chip, index);
}

uint8_t *SystemMemory::writableGranule(Region &region, int64_t granule,
                                       bool overwritten) {
  if (!region.bytes)
    region.bytes = allocatePages(kRegionBytes, fillsHbm);
  uint8_t *bytes = region.bytes.get() + granule * kHbmGranuleBytes;
  Content &content = region.contents[granule];
  if (content == Content::Data)
    return bytes;
  if (!fillsHbm)
    prefault(bytes, kHbmGranuleBytes);
  if (!overwritten)
    std::memset(bytes, content == Content::Zero ? 0 : machine.poisonByte,
                kHbmGranuleBytes);
  content = Content::Data;
  return bytes;
}

void SystemMemory::readHbm(int64_t chip, int64_t address, uint8_t *to,
                           int64_t bytes) {
  forEachGranule(
      address, bytes, kRegionBytes, kHbmGranuleBytes,
      [&](int64_t index, int64_t granule, int64_t offset, int64_t n) {
        Region *region = findRegion(chip, index);
        Content content = region ? region->contents[granule] : Content::Poison;
        if (content == Content::Data)
          std::memcpy(
              to, region->bytes.get() + granule * kHbmGranuleBytes + offset, n);
        else
          std::memset(to, content == Content::Zero ? 0 : machine.poisonByte, n);
        to += n;
      });
}

void SystemMemory::writeHbm(int64_t chip, int64_t address, const uint8_t *from,
                            int64_t bytes) {
  forEachGranule(
      address, bytes, kRegionBytes, kHbmGranuleBytes,
      [&](int64_t index, int64_t granule, int64_t offset, int64_t n) {
        uint8_t *data = writableGranule(makeRegion(chip, index), granule,
                                        n == kHbmGranuleBytes);
        std::memcpy(data + offset, from, n);
        from += n;
      });
}

void SystemMemory::zeroHbm(int64_t chip, int64_t address, int64_t bytes) {
  forEachGranule(
      address, bytes, kRegionBytes, kHbmGranuleBytes,
      [&](int64_t index, int64_t granule, int64_t offset, int64_t n) {
        Region &region = makeRegion(chip, index);
        if (n == kHbmGranuleBytes)
          region.contents[granule] = Content::Zero;
        else
          std::memset(writableGranule(region, granule, false) + offset, 0, n);
      });
}
