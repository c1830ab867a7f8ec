//===- Tenancy.cpp - Bytes that are taken for a while ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/Tenancy.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <queue>

using namespace sequin;

/// Goes through time and keeps those that are there, which share no byte, in
/// the order of their bytes: a new one can only meet its neighbours.
static bool hasOverlap(llvm::ArrayRef<Tenancy> tenancies) {
  std::vector<const Tenancy *> order;
  for (const Tenancy &tenancy : tenancies)
    if (tenancy.begin < tenancy.end && tenancy.first <= tenancy.last)
      order.push_back(&tenancy);
  llvm::sort(order, [](const Tenancy *a, const Tenancy *b) {
    return a->first < b->first;
  });
  using ByBegin = std::map<int64_t, const Tenancy *>;
  ByBegin present;
  using Leaving = std::pair<int64_t, int64_t>; // last, begin
  std::priority_queue<Leaving, std::vector<Leaving>, std::greater<>> leaving;
  for (const Tenancy *tenancy : order) {
    for (; !leaving.empty() && leaving.top().first < tenancy->first;
         leaving.pop())
      present.erase(leaving.top().second);
    auto next = present.lower_bound(tenancy->begin);
    if (next != present.end() && next->first < tenancy->end)
      return true;
    if (next != present.begin() &&
        std::prev(next)->second->end > tenancy->begin)
      return true;
    present.emplace_hint(next, tenancy->begin, tenancy);
    leaving.emplace(tenancy->last, tenancy->begin);
  }
  return false;
}

std::optional<std::pair<size_t, size_t>>
sequin::findOverlap(llvm::ArrayRef<Tenancy> tenancies) {
  if (hasOverlap(tenancies))
    for (size_t late = 1; late < tenancies.size(); ++late)
      for (size_t early = 0; early < late; ++early)
        if (tenancies[early].overlaps(tenancies[late]))
          return std::pair(early, late);
  return std::nullopt;
}
