//===- Nest.h - The smallest nest for a list of addresses -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest over n positions is a chain of divisors 1 = P0 | P1 | ... | Pk = n,
// innermost first, and a stride per link: position p has digit p / Pi % (Pi+1 /
// Pi) in loop i. Folding the innermost loop (size s, stride t) of a list of
// addresses gives a list that is s times shorter: the addresses at which each
// group of s begins, provided that all groups agree on t.
//
// Where every address is given, the step to an address, seen from the one
// before, depends on the loops that wrap around there and on nothing else. With
// v the step at P and G the greatest common divisor of all multiples of P with
// another step than v, loop by loop out of P may end at any multiple of P that
// divides G, and an end before G leaves the same G to the next loop. So every
// chain passes through the chain of the Gs: that chain is the shortest, and a
// limit on the sizes only asks how each of its links is split best.
//
// Where some positions may visit anything, groups can agree in several ways.
// The shortest chain is then found by a breadth-first search over the folds. A
// stride that the groups folded so far leave open stays open, and is solved for
// together with the strides further out, over the integers.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_STREAM_NEST_H
#define SEQUIN_LIB_STREAM_NEST_H

#include "sequin/Stream/Sequencer.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <limits>

namespace sequin {

/// A position that may visit anything.
inline constexpr int64_t anyAddress = std::numeric_limits<int64_t>::min();

struct NestLoop {
  int64_t size, stride;
};

/// Outermost loop first.
struct Nest {
  int64_t base = 0;
  llvm::SmallVector<NestLoop, 8> loops;
};

struct NestOptions {
  unsigned maxLoops = std::numeric_limits<unsigned>::max();
  int64_t maxSize = std::numeric_limits<int64_t>::max();
  /// A number of positions at which one loop has to end; 1 for none.
  int64_t boundary = 1;
  /// A loop may also begin inside the boundary and end at a multiple of it.
  bool spanBoundary = false;
  /// Steps of the search before it gives up. A list without anyAddress is
  /// always decided.
  int64_t budget = int64_t(1) << 26;
  /// Prefer padding positions that move on to ones that stay in place (writes).
  bool spread = false;
};

/// The nest of the fewest loops that visits `addresses`; of several that
/// `accept` takes, the one with the longest contiguous run. None if there is
/// none within the options.
std::optional<Nest> findNest(llvm::ArrayRef<int64_t> addresses,
                             const NestOptions &options,
                             llvm::function_ref<bool(const Nest &)> accept);

/// The fewest factors of `size`, none above `limit`; empty if there are none.
llvm::SmallVector<int64_t, 4> splitSize(int64_t size, int64_t limit);

} // namespace sequin

#endif // SEQUIN_LIB_STREAM_NEST_H
