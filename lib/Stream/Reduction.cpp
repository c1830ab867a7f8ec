//===- Reduction.cpp - Which loops of a stream a reduction removes --------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FactorList.h"
#include "sequin/Stream/Sequencer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace sequin;
using llvm::ArrayRef;
using llvm::Twine;

namespace {

/// Index strides at which the factors of `base` in `list` begin and end.
llvm::SmallVector<int64_t, 8> boundariesOf(ArrayRef<Factor> list,
                                           const Factor &of) {
  llvm::SmallVector<int64_t, 8> result;
  for (const Factor &f : list) {
    if (f.kind == Factor::Kind::Broadcast || f.kind != of.kind ||
        f.base != of.base)
      continue;
    result.push_back(f.stride);
    if (auto end = llvm::checkedMul(f.stride, f.extent))
      result.push_back(*end);
  }
  llvm::sort(result);
  return result;
}

/// Splits every factor of `list` where a factor of `other` begins or ends.
factors::FactorList refine(ArrayRef<Factor> list, ArrayRef<Factor> other) {
  factors::FactorList result;
  for (Factor f : list) {
    factors::FactorList inner; // innermost first
    for (int64_t boundary : boundariesOf(other, f)) {
      if (f.kind == Factor::Kind::Broadcast || boundary <= f.stride ||
          boundary % f.stride != 0)
        continue;
      int64_t steps = boundary / f.stride;
      if (steps < f.extent && f.extent % steps == 0 &&
          factors::canSplit(f, steps))
        inner.push_back(factors::splitFactor(f, steps));
    }
    result.push_back(std::move(f));
    result.append(inner.rbegin(), inner.rend());
  }
  return result;
}

} // namespace

llvm::Expected<llvm::SmallVector<ReductionLoop, 4>>
sequin::matchReduction(const Mapping &input, const Mapping &output) {
  auto axes = input.axes().unionWith(output.axes());
  if (!axes)
    return axes.takeError();
  factors::FactorList from = refine(input.factors(), output.factors());
  factors::FactorList to = refine(output.factors(), input.factors());
  llvm::SmallVector<ReductionLoop, 4> loops;
  size_t next = 0;
  for (Factor &f : from) {
    bool kept = next < to.size() && to[next] == f;
    next += kept;
    loops.push_back({std::move(f), !kept});
  }
  if (next < to.size())
    return llvm::createStringError(
        "'" + output.str() + "' is not '" + input.str() +
        "' with whole terms reduced: '" + to[next].str() +
        "' has no place in the input");
  return loops;
}
