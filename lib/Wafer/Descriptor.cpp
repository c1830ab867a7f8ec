//===- Descriptor.cpp - DSD values as the machine holds them --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Wafer/Descriptor.h"

using namespace sequin;
using namespace sequin::wafer;

namespace {
/// A field of the 64 bits.
struct Field {
  unsigned low, width;
  uint64_t mask() const { return (uint64_t(1) << width) - 1; }
  uint64_t put(uint64_t value) const { return (value & mask()) << low; }
  uint64_t get(uint64_t bits) const { return bits >> low & mask(); }
};
} // namespace

static constexpr Field kKind{0, 3}, kIndex{3, 1}, kControl{4, 1},
    kAdvance{5, 1}, kTransform{6, 1}, kHasQueue{7, 1}, kStride{8, 8},
    kQueue{8, 4}, kZero{12, 2}, kPriority{14, 2}, kExtent{16, 16},
    kBase{32, 16}, kWraparound{48, 16}, kColor{32, 5}, kHasColor{37, 1},
    kSimd{38, 3};

uint64_t Descriptor::pack() const {
  uint64_t bits = kKind.put(static_cast<uint64_t>(kind));
  switch (kind) {
  case DescriptorKind::None:
    return 0;
  case DescriptorKind::Fifo:
    return bits | kExtent.put(fifo);
  case DescriptorKind::Mem1d:
    return bits | kIndex.put(indexOffset) |
           kStride.put(static_cast<uint8_t>(stride)) | kExtent.put(extent) |
           kBase.put(base);
  case DescriptorKind::Mem4d:
    return bits | kIndex.put(indexOffset) | kExtent.put(shape) |
           kBase.put(base);
  case DescriptorKind::Circular:
    return bits | kIndex.put(indexOffset) | kExtent.put(extent) |
           kBase.put(base) | kWraparound.put(wraparound);
  case DescriptorKind::FabricIn:
  case DescriptorKind::FabricOut:
    break;
  }
  return bits | kIndex.put(indexOffset) | kControl.put(control) |
         kAdvance.put(advanceSwitch) | kTransform.put(controlTransform) |
         kHasQueue.put(queue.has_value()) | kQueue.put(queue.value_or(0)) |
         kZero.put(static_cast<uint64_t>(zero)) |
         kPriority.put(static_cast<uint64_t>(priority)) | kExtent.put(extent) |
         kColor.put(color.value_or(0)) | kHasColor.put(color.has_value()) |
         kSimd.put(static_cast<uint64_t>(simd));
}

Descriptor Descriptor::unpack(uint64_t bits) {
  Descriptor result;
  if (kKind.get(bits) > static_cast<uint64_t>(DescriptorKind::Fifo))
    return result;
  result.kind = static_cast<DescriptorKind>(kKind.get(bits));
  if (result.kind == DescriptorKind::Fifo)
    result.fifo = kExtent.get(bits);
  if (result.isMemory()) {
    result.base = kBase.get(bits);
    result.indexOffset = kIndex.get(bits);
    if (result.kind == DescriptorKind::Mem4d)
      result.shape = kExtent.get(bits);
    else
      result.extent = kExtent.get(bits);
    if (result.kind == DescriptorKind::Mem1d)
      result.stride = static_cast<int8_t>(kStride.get(bits));
    if (result.kind == DescriptorKind::Circular)
      result.wraparound = kWraparound.get(bits);
  }
  if (result.isFabric()) {
    result.extent = kExtent.get(bits);
    result.indexOffset = kIndex.get(bits);
    result.control = kControl.get(bits);
    result.advanceSwitch = kAdvance.get(bits);
    result.controlTransform = kTransform.get(bits);
    if (kHasQueue.get(bits))
      result.queue = kQueue.get(bits);
    if (kHasColor.get(bits))
      result.color = kColor.get(bits);
    result.priority = static_cast<Priority>(kPriority.get(bits));
    // Bits that mean no mode or source stand for the default.
    if (kSimd.get(bits) <= static_cast<uint64_t>(SimdMode::Max))
      result.simd = static_cast<SimdMode>(kSimd.get(bits));
    if (kZero.get(bits) <= static_cast<uint64_t>(ZeroSource::Second))
      result.zero = static_cast<ZeroSource>(kZero.get(bits));
  }
  return result;
}
