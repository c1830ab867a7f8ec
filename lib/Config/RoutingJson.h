//===- RoutingJson.h - Traffic between slices as JSON -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The switch engine and the inter-slice block of the vector engine: both are
// rings whose routers have snoop bitmaps.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONFIG_ROUTINGJSON_H
#define SEQUIN_LIB_CONFIG_ROUTINGJSON_H

#include "JsonFields.h"
#include "sequin/Config/Config.h"
#include <array>

namespace sequin::config {

inline llvm::StringRef toText(InterSliceOpcode opcode) {
  switch (opcode) {
  case InterSliceOpcode::Add:
    return "add";
  case InterSliceOpcode::AddSat:
    return "add_sat";
  case InterSliceOpcode::Max:
    return "max";
  case InterSliceOpcode::Min:
    return "min";
  case InterSliceOpcode::Mul:
    return "mul";
  }
  return "";
}
inline auto valuesOf(InterSliceOpcode) {
  return std::array{InterSliceOpcode::Add, InterSliceOpcode::AddSat,
                    InterSliceOpcode::Max, InterSliceOpcode::Min,
                    InterSliceOpcode::Mul};
}

namespace detail {

/// Hexadecimal without leading zeros, the highest slice's digit first.
inline std::string bitmapToText(llvm::ArrayRef<uint64_t> words) {
  std::string digits;
  for (uint64_t word : llvm::reverse(words))
    for (int shift = 60; shift >= 0; shift -= 4) {
      unsigned digit = word >> shift & 0xf;
      if (digit || !digits.empty())
        digits += llvm::hexdigit(digit, /*LowerCase=*/true);
    }
  return digits.empty() ? "0" : digits;
}

/// False if `text` is not hexadecimal.
inline bool bitmapFromText(llvm::StringRef text, std::vector<uint64_t> &words) {
  words.clear();
  if (text.empty() || !llvm::all_of(text, llvm::isHexDigit))
    return false;
  for (size_t end = text.size(); end > 0;) {
    size_t begin = end > 16 ? end - 16 : 0;
    uint64_t word = 0;
    text.slice(begin, end).getAsInteger(16, word);
    words.push_back(word);
    end = begin;
  }
  return true;
}

} // namespace detail

template <class Io>
  requires Io::isWriter
void describe(Io &io, const RouterSetting &setting) {
  io.field("slices", setting.slices);
  io.field("sources", detail::bitmapToText(setting.sources));
  io.optionalField("first_packet", setting.firstPacket);
}
inline void describe(detail::Reader &io, RouterSetting &setting) {
  io.field("slices", setting.slices);
  std::string text;
  io.field("sources", text);
  if (!detail::bitmapFromText(text, setting.sources))
    io.fail("sources",
            "found '" + excerpt(text) + "', expected hexadecimal digits");
  io.optionalField("first_packet", setting.firstPacket);
}

template <class Io>
void describeRouting(Io &io, detail::Fields<Io, Routing> routing) {
  io.field("ring_size", routing.ringSize);
  io.field("routers", routing.routers);
  io.optionalField("period", routing.period);
  io.optionalField("period_packets", routing.periodPackets);
  io.field("packets", routing.packets);
}

template <class Io>
void describe(Io &io, detail::Fields<Io, SwitchStage> stage) {
  describeRouting(io, stage.routing);
  io.field("group_slices", stage.groupSlices);
  io.field("group_packets", stage.groupPackets);
  io.optionalField("writes_bitmaps", stage.writesBitmaps);
}

template <class Io>
void describe(Io &io, detail::Fields<Io, InterSliceStage> stage) {
  io.field("opcode", stage.opcode);
  io.field("type", stage.type);
  describeRouting(io, stage.routing);
}

} // namespace sequin::config

#endif // SEQUIN_LIB_CONFIG_ROUTINGJSON_H
