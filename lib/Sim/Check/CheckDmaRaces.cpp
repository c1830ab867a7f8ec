//===- CheckDmaRaces.cpp - Who writes and reads what in a DMA command -----===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Engines work side by side and an engine's reads run ahead of its writes, so
// nothing orders two writes of one byte in one command, or a read and a write.
// Bounding ranges settle most commands; where they overlap, bytes are ticked
// off. Destinations found through indices are checked, against everything else
// in the command, when the data is there (Dma.cpp).
//
//===----------------------------------------------------------------------===//

#include "Check/CommandCheck.h"
#include "Memory/ByteMap.h"

using namespace sequin;
using namespace sequin::sim;
using config::DmaCommand;
using config::DmaDescriptor;
using config::DmaIndirection;
using config::Memory;
using llvm::Twine;

namespace {

/// Packets that a command reads or writes.
struct Packets {
  int64_t chip, address, bytes;
  llvm::SmallVector<Loop, 8> loops;
  bool isTable = false; ///< indices choose from them, all count as read
};

/// What they can reach.
struct Box {
  int64_t chip, begin, end;
};

class RaceCheck {
public:
  RaceCheck(const CommandCheck &check, const DmaCommand &dma);

  llvm::Error run();

private:
  static Box boxOf(const Packets &packets);
  bool mayWriteTwice() const;
  bool mayReadWritten() const;

  template <class Visit>
  static llvm::Error forEachPacket(const Packets &packets, Visit &&visit);
  llvm::Error checkTable(const Packets &table) const;

  const CommandCheck &check;
  /// Writes without those of scatters: where they go is not known before the
  /// command runs. Reads of the memory that is written.
  std::vector<Packets> writes, reads;
};

} // namespace

RaceCheck::RaceCheck(const CommandCheck &check, const DmaCommand &dma)
    : check(check) {
  for (const DmaDescriptor &descriptor : dma.descriptors) {
    Packets source{descriptor.sourceChip,
                   descriptor.sourceAddress,
                   descriptor.packetBytes,
                   {}};
    Packets destination{descriptor.destinationChip,
                        descriptor.destinationAddress,
                        descriptor.packetBytes,
                        {}};
    for (const DmaDescriptor::Entry &entry : descriptor.entries) {
      source.loops.push_back({entry.size, entry.sourceStride});
      destination.loops.push_back({entry.size, entry.destinationStride});
    }
    bool scatters = false;
    if (const auto &indirection = descriptor.indirection) {
      scatters = indirection->side == DmaIndirection::Side::Destination;
      if (!scatters) {
        source.isTable = true;
        source.loops.push_back({indirection->count, indirection->step});
      }
      Packets list{indirection->chip,
                   indirection->address,
                   check.machine.dmaIndexBytes,
                   {}};
      for (auto [entry, stride] :
           llvm::zip_equal(descriptor.entries, indirection->strides))
        list.loops.push_back({entry.size, stride});
      if (dma.destination == Memory::Hbm)
        reads.push_back(std::move(list));
    }
    if (dma.source == dma.destination)
      reads.push_back(std::move(source));
    if (!scatters)
      writes.push_back(std::move(destination));
  }
}

Box RaceCheck::boxOf(const Packets &packets) {
  Extent extent = extentOf(packets.loops, packets.address, 1, packets.bytes);
  return {packets.chip, static_cast<int64_t>(extent.begin),
          static_cast<int64_t>(extent.end)};
}

static __int128 magnitude(int64_t stride) {
  __int128 wide = stride;
  return wide < 0 ? -wide : wide;
}

bool sim::isInjective(llvm::ArrayRef<Loop> nest, int64_t width) {
  // The stride of a single iteration is never taken.
  llvm::SmallVector<Loop, 8> loops;
  llvm::copy_if(nest, std::back_inserter(loops),
                [](const Loop &loop) { return loop.size > 1; });
  llvm::sort(loops, [](const Loop &a, const Loop &b) {
    return magnitude(a.stride) < magnitude(b.stride);
  });
  __int128 reach = width;
  for (const Loop &loop : loops) {
    __int128 stride = magnitude(loop.stride);
    if (stride < reach)
      return false;
    reach += stride * (loop.size - 1);
  }
  return true;
}

bool RaceCheck::mayWriteTwice() const {
  std::vector<Box> boxes;
  for (const Packets &packets : writes) {
    if (!isInjective(packets.loops, packets.bytes))
      return true;
    boxes.push_back(boxOf(packets));
  }
  llvm::sort(boxes, [](const Box &a, const Box &b) {
    return std::tie(a.chip, a.begin) < std::tie(b.chip, b.begin);
  });
  int64_t end = 0;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (i > 0 && boxes[i].chip == boxes[i - 1].chip && boxes[i].begin < end)
      return true;
    end = i > 0 && boxes[i].chip == boxes[i - 1].chip
              ? std::max(end, boxes[i].end)
              : boxes[i].end;
  }
  return false;
}

bool RaceCheck::mayReadWritten() const {
  // Both lists by place; walk them like a merge.
  struct Mark {
    Box box;
    bool write;
  };
  std::vector<Mark> marks;
  for (const Packets &packets : reads)
    marks.push_back({boxOf(packets), false});
  for (const Packets &packets : writes)
    marks.push_back({boxOf(packets), true});
  llvm::sort(marks, [](const Mark &a, const Mark &b) {
    return std::tie(a.box.chip, a.box.begin) <
           std::tie(b.box.chip, b.box.begin);
  });
  int64_t chip = -1, ends[2] = {0, 0};
  for (const Mark &mark : marks) {
    if (mark.box.chip != chip)
      ends[0] = ends[1] = 0;
    chip = mark.box.chip;
    if (mark.box.begin < ends[!mark.write])
      return true;
    ends[mark.write] = std::max(ends[mark.write], mark.box.end);
  }
  return false;
}

template <class Visit>
llvm::Error RaceCheck::forEachPacket(const Packets &packets, Visit &&visit) {
  Odometer odometer(packets.loops);
  for (int64_t i = 0, end = *tripCount(packets.loops); i < end; ++i) {
    if (llvm::Error error = visit(packets.address + odometer.offset()))
      return error;
    odometer.advance();
  }
  return llvm::Error::success();
}

llvm::Error RaceCheck::run() {
  bool readWritten = mayReadWritten();
  if (!readWritten && !mayWriteTwice())
    return llvm::Error::success();
  ByteMap written;
  for (const Packets &packets : writes)
    if (llvm::Error error =
            forEachPacket(packets, [&](int64_t at) -> llvm::Error {
              auto twice = written.set(packets.chip, at, packets.bytes);
              if (!twice)
                return llvm::Error::success();
              return check.trap("dma", "destination address " + Twine(*twice) +
                                           " of chip " + Twine(packets.chip) +
                                           " is written twice");
            }))
      return error;
  if (!readWritten)
    return llvm::Error::success();
  for (const Packets &packets : reads)
    if (llvm::Error error =
            packets.isTable
                ? checkTable(packets)
                : forEachPacket(packets, [&](int64_t at) -> llvm::Error {
                    auto both = written.find(packets.chip, at, packets.bytes);
                    if (!both)
                      return llvm::Error::success();
                    return check.trap("dma", "address " + Twine(*both) +
                                                 " of chip " +
                                                 Twine(packets.chip) +
                                                 " is read and written by one "
                                                 "command");
                  }))
      return error;
  return llvm::Error::success();
}

/// All of a table that indices choose from counts as read.
llvm::Error RaceCheck::checkTable(const Packets &table) const {
  Box box = boxOf(table);
  for (const Packets &writer : writes) {
    Box reach = boxOf(writer);
    if (reach.chip != box.chip || reach.begin >= box.end ||
        reach.end <= box.begin)
      continue;
    if (llvm::Error error =
            forEachPacket(writer, [&](int64_t at) -> llvm::Error {
              if (at >= box.end || at + writer.bytes <= box.begin)
                return llvm::Error::success();
              return check.trap("dma", "address " + Twine(at) + " of chip " +
                                           Twine(box.chip) +
                                           " is written and is in the table "
                                           "that the command reads");
            }))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error sim::checkDmaRaces(const CommandCheck &check,
                               const DmaCommand &dma) {
  return RaceCheck(check, dma).run();
}
