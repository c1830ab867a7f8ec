//===- HbmPlace.cpp - Where an address of HBM is --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Machine/HbmPlace.h"
#include <bit>

using namespace sequin;

uint64_t sequin::gatherBits(llvm::ArrayRef<uint64_t> masks, uint64_t address) {
  uint64_t value = 0;
  for (size_t i = 0; i < masks.size(); ++i)
    value |= uint64_t(std::popcount(address & masks[i]) & 1) << i;
  return value;
}

HbmPlace sequin::placeOf(const HbmModel &model, int64_t address) {
  uint64_t bits = address;
  HbmPlace place;
  place.channel = gatherBits(model.stackBits, bits) * model.channelsPerStack +
                  gatherBits(model.channelBits, bits);
  bool high = bits & model.highSliceBit, low = bits & model.sliceBit;
  place.slice = high ? 2 : low ? 1 : 0;
  bool highRow = high ? low : (bits & model.highRowBit) != 0;
  place.row = gatherBits(model.rowBits, bits) | uint64_t(highRow)
                                                    << model.rowBits.size();
  place.bankGroup = gatherBits(model.bankGroupBits, bits);
  place.bank = (place.slice * model.bankGroupsPerSlice + place.bankGroup) *
                   model.banksPerGroup +
               gatherBits(model.bankBits, bits);
  return place;
}
