//===- DmaPadding.cpp - Moves that take padding along ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data memory is written in whole words, and so a row of 65 bytes can be moved
// only together with what follows it; and what is written to HBM costs a
// multiple where it is not whole units. Taking more along is no harm where
// padding follows: padding inside a destination may be written, with any value.
// What is padding of a view may be data of the tensor that it is a part of, so
// there the tensor's rows must end where the runs do.
//
//===----------------------------------------------------------------------===//

#include "DmaSides.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace sequin;
using namespace sequin::derivation;

namespace {
/// The buffer of one slice, or of one chip.
struct Buffer {
  Buffer(const DmaSide &side, const TcpMachine &machine, int64_t bits)
      : unit((side.memory == config::Memory::Dm ? machine.dmSliceStride
                                                : kChipSpan) *
             8 / bits) {
    for (const DmaSide::Part &part : side.parts)
      if (holds(part.stride))
        elements = std::max(elements, part.stride * part.mapping.size());
  }
  /// Whether a step stays in it.
  bool holds(int64_t stride) const { return stride < unit; }

  int64_t unit; ///< elements from one to the next
  int64_t elements = 1;
};
} // namespace

void derivation::extendRuns(const DmaSide &source, const DmaSide &destination,
                            int64_t bits, const TcpMachine &machine,
                            std::optional<PaddedRow> row, DmaLoops &loops) {
  int64_t align =
      (destination.memory == config::Memory::Dm ? machine.dmaAlignBytes
                                                : machine.hbm.unitBytes) *
      8 / bits;
  // The run as it will be moved: the innermost loops, contiguous on both sides.
  llvm::ArrayRef<DmaLoops::Loop> outer = loops.loops;
  int64_t run = 1;
  while (!outer.empty() && outer.back().source == run &&
         outer.back().destination == run && outer.back().index == 0) {
    run *= outer.back().size;
    outer = outer.drop_back();
  }
  int64_t longer = llvm::alignTo(run, align);
  if (longer == run)
    return;
  Buffer from(source, machine, bits), to(destination, machine, bits);
  auto leavesRow = [&](const DmaLoops::Loop &loop) {
    return to.holds(loop.destination) && loop.destination % row->pitch != 0;
  };
  if (row &&
      (row->begin + run < row->size || row->begin + longer > row->pitch ||
       llvm::any_of(outer, leavesRow)))
    return;
  // Padding that has to be zero is data.
  for (const DmaSide::Part &part : destination.parts)
    for (const Factor &factor : part.mapping.factors())
      if (factor.isPadded() && factor.padding == PaddingKind::Zero)
        return;

  // The runs lie side by side in the destination, each before the next.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 8> steps;
  int64_t sourceEnd = loops.sourceBase % from.unit;
  for (const DmaLoops::Loop &loop : outer) {
    if (loop.source < 0 || loop.destination <= 0)
      return;
    if (from.holds(loop.source))
      sourceEnd += (loop.size - 1) * loop.source;
    if (to.holds(loop.destination))
      steps.push_back({loop.destination, loop.size});
  }
  llvm::sort(steps);
  int64_t reach = longer;
  for (auto [stride, size] : steps) {
    if (stride < reach)
      return;
    reach += (size - 1) * stride;
  }
  if (loops.destinationBase % to.unit + reach > to.elements ||
      sourceEnd + longer > from.elements)
    return;
  size_t kept = outer.size();
  loops.loops.truncate(kept);
  loops.loops.push_back({longer, 1, 1});
}
