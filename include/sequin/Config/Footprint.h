//===- Footprint.h - What two sequencers have in common ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass of the tensor unit streams: it writes its first results while it still
// reads. What it writes must therefore not be among what it reads; the
// compiler refuses such a pass and the simulator traps on one.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONFIG_FOOTPRINT_H
#define SEQUIN_CONFIG_FOOTPRINT_H

#include "sequin/Config/Config.h"

namespace sequin::config {

/// A byte that both touch, with strides in elements of that many bits;
/// std::nullopt if there is none. Where a sequencer makes more than 2^24 runs
/// of neighbours, the whole range between its ends counts. Addresses must fit
/// in 60 bits.
std::optional<int64_t> findCommonByte(const Sequencer &a, int64_t aBits,
                                      const Sequencer &b, int64_t bBits);

/// The same for what a fetch lets through: elements that its mask replaces may
/// be read from anywhere.
std::optional<int64_t> findCommonByte(const FetchStage &fetch,
                                      const Sequencer &written, int64_t bits);

} // namespace sequin::config

#endif // SEQUIN_CONFIG_FOOTPRINT_H
