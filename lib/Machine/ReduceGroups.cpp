//===- ReduceGroups.cpp - Slices that reduce together ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Machine/ReduceGroups.h"
#include <numeric>

using namespace sequin;

static constexpr const char *kRule =
    "; the reduced factors of Slice are the innermost ones, contiguous, with "
    "stride 1 (INT-03)";

std::string sequin::explainReduceGroups(
    int64_t slices,
    llvm::function_ref<llvm::ArrayRef<int64_t>(int64_t)> sourcesOf) {
  auto text = [](int64_t number) { return std::to_string(number); };
  // Blocks are of one size, which the distances between their first slices are
  // multiples of.
  int64_t block = 0, most = 0;
  for (int64_t slice = 0; slice < slices; ++slice) {
    llvm::ArrayRef<int64_t> sources = sourcesOf(slice);
    for (size_t i = 1; i < sources.size(); ++i)
      if (sources[i] != sources[i - 1] + 1)
        return "slice " + text(slice) + " reduces slice " +
               text(sources[i - 1]) + " and then slice " + text(sources[i]) +
               kRule;
    if (sources.empty())
      continue;
    block = std::gcd(block, sources.front());
    most = std::max<int64_t>(most, sources.size());
  }
  // One block from slice 0 on.
  if (block == 0)
    block = slices;
  for (int64_t slice = 0; slice < slices; ++slice) {
    llvm::ArrayRef<int64_t> sources = sourcesOf(slice);
    if (sources.empty())
      continue;
    std::string range =
        "slices " + text(sources.front()) + " to " + text(sources.back());
    if (most > block)
      return "slice " + text(slice) + " reduces " + range +
             ", and blocks of slices begin " + text(block) + " apart" + kRule;
    if (slice / block != sources.front() / block)
      return "slice " + text(slice) + " reduces " + range +
             " and is not in their block" + kRule;
  }
  return "";
}
