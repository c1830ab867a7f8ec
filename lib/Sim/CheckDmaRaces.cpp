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
// off. Destinations found through indices are checked when the data is there
// (Dma.cpp).
//
//===----------------------------------------------------------------------===//

#include "ByteMap.h"
#include "CommandCheck.h"

using namespace sequin;
using namespace sequin::sim;
using config::DmaCommand;
using config::DmaDescriptor;
using config::DmaIndirection;
using llvm::Twine;

namespace {

/// What one side of a descriptor can reach.
struct Box {
  int64_t chip, begin, end;
};

class RaceCheck {
public:
  RaceCheck(const CommandCheck &check, const DmaCommand &dma)
      : check(check), dma(dma) {}

  llvm::Error run();

private:
  static llvm::SmallVector<Loop, 8> loopsOf(const DmaDescriptor &descriptor,
                                            bool destination);
  static Box boxOf(const DmaDescriptor &descriptor, bool destination);
  /// Whether no two packets of the destination share a byte, by the strides
  /// alone.
  static bool isInjective(const DmaDescriptor &descriptor);
  bool mayWriteTwice() const;
  bool mayReadWritten() const;

  template <class Visit>
  llvm::Error forEachPacket(const DmaDescriptor &descriptor, bool destination,
                            Visit &&visit);
  llvm::Error checkTable(const DmaDescriptor &table);
  static bool scatters(const DmaDescriptor &descriptor) {
    return descriptor.indirection &&
           descriptor.indirection->side == DmaIndirection::Side::Destination;
  }

  const CommandCheck &check;
  const DmaCommand &dma;
};

} // namespace

llvm::SmallVector<Loop, 8> RaceCheck::loopsOf(const DmaDescriptor &descriptor,
                                              bool destination) {
  llvm::SmallVector<Loop, 8> loops;
  for (const DmaDescriptor::Entry &entry : descriptor.entries)
    loops.push_back({entry.size, destination ? entry.destinationStride
                                             : entry.sourceStride});
  const auto &indirection = descriptor.indirection;
  if (indirection &&
      destination == (indirection->side == DmaIndirection::Side::Destination))
    loops.push_back({indirection->count, indirection->step});
  return loops;
}

Box RaceCheck::boxOf(const DmaDescriptor &descriptor, bool destination) {
  Extent extent = extentOf(loopsOf(descriptor, destination),
                           destination ? descriptor.destinationAddress
                                       : descriptor.sourceAddress,
                           1, descriptor.packetBytes);
  return {destination ? descriptor.destinationChip : descriptor.sourceChip,
          static_cast<int64_t>(extent.begin), static_cast<int64_t>(extent.end)};
}

bool RaceCheck::isInjective(const DmaDescriptor &descriptor) {
  llvm::SmallVector<Loop, 8> loops = loopsOf(descriptor, true);
  llvm::sort(loops, [](const Loop &a, const Loop &b) {
    return std::abs(a.stride) < std::abs(b.stride);
  });
  int64_t reach = descriptor.packetBytes;
  for (const Loop &loop : loops) {
    if (loop.size == 1)
      continue;
    if (std::abs(loop.stride) < reach)
      return false;
    reach += std::abs(loop.stride) * (loop.size - 1);
  }
  return true;
}

bool RaceCheck::mayWriteTwice() const {
  std::vector<Box> boxes;
  for (const DmaDescriptor &descriptor : dma.descriptors) {
    if (!isInjective(descriptor))
      return true;
    boxes.push_back(boxOf(descriptor, true));
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
  if (dma.source != dma.destination)
    return false;
  // Both lists by place; walk them like a merge.
  struct Mark {
    Box box;
    bool write;
  };
  std::vector<Mark> marks;
  for (const DmaDescriptor &descriptor : dma.descriptors)
    for (bool destination : {false, true})
      marks.push_back({boxOf(descriptor, destination), destination});
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
llvm::Error RaceCheck::forEachPacket(const DmaDescriptor &descriptor,
                                     bool destination, Visit &&visit) {
  llvm::SmallVector<Loop, 8> loops = loopsOf(descriptor, destination);
  int64_t address =
      destination ? descriptor.destinationAddress : descriptor.sourceAddress;
  Odometer odometer(loops);
  for (int64_t i = 0, end = *tripCount(loops); i < end; ++i) {
    if (llvm::Error error = visit(address + odometer.offset()))
      return error;
    odometer.advance();
  }
  return llvm::Error::success();
}

llvm::Error RaceCheck::run() {
  // Where a scatter goes is not known yet; it is checked as it runs.
  if (llvm::any_of(dma.descriptors, scatters))
    return llvm::Error::success();
  bool readWritten = mayReadWritten();
  if (!readWritten && !mayWriteTwice())
    return llvm::Error::success();
  ByteMap written;
  for (const DmaDescriptor &descriptor : dma.descriptors)
    if (llvm::Error error =
            forEachPacket(descriptor, true, [&](int64_t at) -> llvm::Error {
              auto twice = written.set(descriptor.destinationChip, at,
                                       descriptor.packetBytes);
              if (!twice)
                return llvm::Error::success();
              return check.trap("dma", "destination address " + Twine(*twice) +
                                           " of chip " +
                                           Twine(descriptor.destinationChip) +
                                           " is written twice");
            }))
      return error;
  if (!readWritten)
    return llvm::Error::success();
  for (const DmaDescriptor &descriptor : dma.descriptors)
    if (llvm::Error error =
            descriptor.indirection
                ? checkTable(descriptor)
                : forEachPacket(
                      descriptor, false, [&](int64_t at) -> llvm::Error {
                        auto both = written.find(descriptor.sourceChip, at,
                                                 descriptor.packetBytes);
                        if (!both)
                          return llvm::Error::success();
                        return check.trap(
                            "dma", "address " + Twine(*both) + " of chip " +
                                       Twine(descriptor.sourceChip) +
                                       " is read and written by one "
                                       "command");
                      }))
      return error;
  return llvm::Error::success();
}

/// All of a table that indices choose from counts as read.
llvm::Error RaceCheck::checkTable(const DmaDescriptor &table) {
  Box box = boxOf(table, false);
  for (const DmaDescriptor &writer : dma.descriptors) {
    if (writer.destinationChip != box.chip)
      continue;
    if (llvm::Error error =
            forEachPacket(writer, true, [&](int64_t at) -> llvm::Error {
              if (at >= box.end || at + writer.packetBytes <= box.begin)
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
