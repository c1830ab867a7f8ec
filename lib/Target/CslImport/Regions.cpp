//===- Regions.cpp - Sets of PEs as rectangles ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Regions.h"
#include <map>

using namespace sequin;
using namespace sequin::csl_import;

namespace {
/// first, first + step, ..., below end.
struct Run {
  int64_t first, end, step;
  auto operator<=>(const Run &) const = default;
};
} // namespace

/// Sorted numbers as few runs.
static std::vector<Run> splitIntoRuns(const std::vector<int64_t> &numbers) {
  std::vector<Run> runs;
  // All of one step, or longest runs from the left.
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    int64_t step = 1;
    if (i + 1 < numbers.size()) {
      step = numbers[i + 1] - numbers[i];
      last = i + 1;
      while (last + 1 < numbers.size() &&
             numbers[last + 1] - numbers[last] == step)
        ++last;
      // Two that are apart are no run, unless nothing else is there.
      if (step != 1 && last == i + 1 && numbers.size() != 2) {
        last = i;
        step = 1;
      }
    }
    runs.push_back({numbers[i], numbers[last] + 1, step});
    i = last + 1;
  }
  return runs;
}

std::vector<csl::RegionAttr>
csl_import::coverRegions(mlir::MLIRContext *context,
                         std::vector<std::pair<int64_t, int64_t>> places) {
  std::map<int64_t, std::vector<int64_t>> rows;
  for (auto [x, y] : places)
    rows[y].push_back(x);
  std::map<Run, std::vector<int64_t>> byRun;
  for (auto &[y, xs] : rows) {
    llvm::sort(xs);
    for (const Run &run : splitIntoRuns(xs))
      byRun[run].push_back(y);
  }
  std::vector<csl::RegionAttr> regions;
  for (const auto &[run, ys] : byRun)
    for (const Run &column : splitIntoRuns(ys))
      regions.push_back(csl::RegionAttr::get(context, run.first, run.end,
                                             run.step, column.first, column.end,
                                             column.step));
  return regions;
}
