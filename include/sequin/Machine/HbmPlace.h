//===- HbmPlace.h - Where an address of HBM is ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Channels, banks and rows by address (TCP, Memory Performance, HBM; MEM-12).
// The simulator counts their time; the compiler keeps what is moved at the same
// time in different banks.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_MACHINE_HBMPLACE_H
#define SEQUIN_MACHINE_HBMPLACE_H

#include "sequin/Machine/Machine.h"

namespace sequin {

/// Where a unit is.
struct HbmPlace {
  int64_t channel = 0; ///< stack * channels of a stack + channel
  int64_t bankGroup = 0, slice = 0;
  int64_t bank = 0; ///< of the channel: (slice, bank group, bank in the group)
  int64_t row = 0;
};

/// The place of a byte address.
HbmPlace placeOf(const HbmModel &model, int64_t address);

/// The number whose bit i is the exclusive or of the bits in masks[i].
uint64_t gatherBits(llvm::ArrayRef<uint64_t> masks, uint64_t address);

} // namespace sequin

#endif // SEQUIN_MACHINE_HBMPLACE_H
