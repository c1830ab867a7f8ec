//===- FetchMask.cpp - Padding of fetched packets -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packet may hold padding (`A # 64` of 63 elements): the sequencer reads past
// the data and the fetch adapter replaces what it read by zero (FET-12).
// Whether an element is padding may depend on time as well: of `K # 64 / 32`
// over time and `K # 64 % 32` in the packet with K = 40, only the second packet
// has padding.
//
//===----------------------------------------------------------------------===//

#include "Derivation.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

namespace {
/// What one axis contributes from time: the coordinate at the last step and the
/// smallest advance.
struct TimePart {
  int64_t last = 0;
  int64_t smallestStride = INT64_MAX;
  SmallVector<unsigned, 2> factors;
};
} // namespace

/// The number of leading positions of `packet` that hold data when the time
/// factors add `offset(axis)`; std::nullopt if the rest is not all padding.
template <typename Offset>
static std::optional<int64_t> validPrefix(const Mapping &packet,
                                          Offset offset) {
  int64_t prefix = -1;
  for (int64_t position = 0, size = packet.size(); position < size;
       ++position) {
    std::optional<TensorIndex> index = packet.at(position);
    bool valid = index.has_value();
    if (valid)
      for (const auto &[axis, extent] : packet.axes().axes()) {
        int64_t coordinate = offset(axis);
        for (const auto &[name, value] : *index)
          if (name == axis)
            coordinate += value;
        valid &= coordinate < extent;
      }
    if (!valid && prefix < 0)
      prefix = position;
    if (valid && prefix >= 0)
      return std::nullopt;
  }
  return prefix < 0 ? packet.size() : prefix;
}

/// The sequencer loops that walk factor `index` of `time`.
static std::optional<SmallVector<int64_t, 2>>
loopsOfFactor(const Mapping &time, unsigned index,
              ArrayRef<SequencerEntry> loops) {
  size_t loop = 0;
  for (auto [i, factor] : llvm::enumerate(time.factors())) {
    SmallVector<int64_t, 2> walked;
    int64_t product = 1;
    while (product < factor.extent && loop < loops.size()) {
      product *= loops[loop].size;
      walked.push_back(loop++);
    }
    if (product != factor.extent)
      return std::nullopt;
    if (i == index)
      return walked;
  }
  return std::nullopt;
}

FailureOr<std::optional<config::FetchMask>>
derivation::deriveFetchMask(tcp::FetchOp op, ArrayRef<SequencerEntry> loops) {
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  Mapping time = output.getTimeMapping(), packet = output.getPacketMapping();

  // Without padding there is nothing to look for, however large the packet is:
  // all digits valid, and no axis that its digits together could leave.
  llvm::StringMap<int64_t> reach;
  bool mayPad = false;
  for (const Mapping &mapping : {time, packet})
    for (const Factor &factor : mapping.factors()) {
      mayPad |= factor.valid < factor.extent ||
                factor.kind == Factor::Kind::Composite;
      if (factor.kind != Factor::Kind::Axis)
        continue;
      int64_t &last = reach[factor.base];
      last += factor.offset + (factor.extent - 1) * factor.stride;
      mayPad |= last >= factor.baseSize;
    }
  if (!mayPad)
    return std::optional<config::FetchMask>();

  llvm::StringMap<TimePart> parts;
  for (auto [index, factor] : llvm::enumerate(time.factors())) {
    if (factor.valid < factor.extent)
      return op.emitOpError()
             << "time \"" << op.getTime().getText()
             << "\" has padding, the fetch adapter masks the end of packets";
    if (factor.kind != Factor::Kind::Axis)
      continue;
    TimePart &part = parts[factor.base];
    part.last += factor.offset + (factor.extent - 1) * factor.stride;
    part.smallestStride = std::min(part.smallestStride, factor.stride);
    part.factors.push_back(index);
  }

  std::optional<int64_t> first =
      validPrefix(packet, [](StringRef) -> int64_t { return 0; });
  std::optional<int64_t> last =
      validPrefix(packet, [&](StringRef axis) -> int64_t {
        auto found = parts.find(axis);
        return found == parts.end() ? 0 : found->second.last;
      });
  auto refuse = [&]() {
    return op.emitOpError()
           << "padding of packet \"" << op.getPacket().getText()
           << "\" over time \"" << op.getTime().getText()
           << "\" is not at the end of every, or of every last, packet";
  };
  if (!first || !last)
    return refuse();
  if (*first == packet.size() && *last == packet.size())
    return std::optional<config::FetchMask>();

  config::FetchMask mask;
  mask.validCount = *last;
  if (*first == *last)
    return std::optional(mask);
  if (*first != packet.size())
    return refuse();
  // Exactly one axis runs out, and only at its very last step.
  for (const auto &[axis, extent] : packet.axes().axes()) {
    auto found = parts.find(axis);
    if (found == parts.end())
      continue;
    const TimePart &part = found->second;
    auto prefixAt = [&](int64_t offset) {
      return validPrefix(packet, [&, &axis = axis](StringRef name) -> int64_t {
        return name == axis ? offset : 0;
      });
    };
    if (prefixAt(part.last) == packet.size())
      continue;
    if (!mask.lastLoops.empty() || prefixAt(part.last) != *last ||
        prefixAt(part.last - part.smallestStride) != packet.size())
      return refuse();
    for (unsigned factor : part.factors) {
      auto walked = loopsOfFactor(time, factor, loops);
      if (!walked)
        return refuse();
      mask.lastLoops.append(walked->begin(), walked->end());
    }
  }
  llvm::sort(mask.lastLoops);
  return std::optional(mask);
}
