//===- AccumulatorSlots.h - Slots of sums that are open at once -*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_ACCUMULATORSLOTS_H
#define SEQUIN_LIB_SIM_ENGINE_ACCUMULATORSLOTS_H

#include "Check/CommandCheck.h"

namespace sequin::sim {

/// The number of slots that the loops need. Sums that are open at the same time
/// have a slot each: loops inside the outermost reduced one number them, the
/// innermost fastest; the others do not move. Loops of one iteration have no
/// stride to check. The sizes are positive and their product fits.
template <class AccumulatorLoop>
llvm::Expected<int64_t> checkSlots(const CommandCheck &check,
                                   llvm::StringRef name,
                                   llvm::ArrayRef<AccumulatorLoop> loops) {
  const auto *outermost = llvm::find_if(
      loops, [](const AccumulatorLoop &loop) { return loop.reduced; });
  int64_t slots = 1;
  for (const AccumulatorLoop &loop : llvm::reverse(loops)) {
    if (loop.size == 1)
      continue;
    bool numbers = !loop.reduced && &loop > outermost;
    int64_t expected = numbers ? slots : 0;
    if (loop.slotStride != expected)
      return check.trap(name, "loop " + llvm::Twine(&loop - loops.begin()) +
                                  " has slot stride " +
                                  llvm::Twine(loop.slotStride) + ", expected " +
                                  llvm::Twine(expected));
    if (numbers)
      slots *= loop.size;
  }
  return slots;
}

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_ACCUMULATORSLOTS_H
