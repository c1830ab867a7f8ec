//===- Schedule.cpp - When commands run -----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commands keep their order on each resource (main, sub and DMA of each chip)
// and wait for every earlier command that touches what they touch, unless both
// only read (TCP, Scheduling).
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sequin;
using namespace sequin::sim;

static llvm::StringRef name(Resource resource) {
  switch (resource) {
  case Resource::Main:
    return "main";
  case Resource::Sub:
    return "sub";
  case Resource::Dma:
    return "dma";
  case Resource::Host:
    break;
  }
  return "host";
}

static llvm::StringRef name(Space space) {
  switch (space) {
  case Space::Hbm:
    return "hbm";
  case Space::Dm:
    return "dm";
  case Space::Trf:
    return "trf";
  case Space::Vrf:
    break;
  }
  return "vrf";
}

static bool overlap(const Access &a, const Access &b) {
  if (a.space != b.space || a.chip != b.chip || a.begin >= b.end ||
      b.begin >= a.end)
    return false;
  if (a.space == Space::Hbm)
    return true;
  for (auto [x, y] : llvm::zip(a.slices, b.slices))
    if (x & y)
      return true;
  return false;
}

/// "RAW on dm[0, 4096) by 'x'" if `later` must wait for `earlier`, else "".
static std::string hazard(const CommandPlan &later, const CommandPlan &earlier,
                          llvm::StringRef earlierName) {
  for (const Access &second : later.accesses)
    for (const Access &first : earlier.accesses)
      if ((first.write || second.write) && overlap(first, second))
        return llvm::formatv("{0} on {1}[{2}, {3}) by '{4}'",
                             !first.write   ? "WAR"
                             : second.write ? "WAW"
                                            : "RAW",
                             name(first.space),
                             std::max(first.begin, second.begin),
                             std::min(first.end, second.end), earlierName)
            .str();
  return "";
}

std::vector<CommandTiming> sim::schedule(const config::Program &program,
                                         llvm::ArrayRef<CommandPlan> plans,
                                         const TcpMachine &machine) {
  std::vector<CommandTiming> timings(plans.size());
  // When each resource of each chip is free.
  constexpr int64_t kResources = 3;
  std::vector<int64_t> freeAt(program.chips * kResources, 0);
  auto cell = [&](const CommandPlan &plan, int64_t chip) -> int64_t & {
    return freeAt[chip * kResources + static_cast<int64_t>(plan.resource)];
  };

  for (size_t i = 0; i < plans.size(); ++i) {
    const CommandPlan &plan = plans[i];
    CommandTiming &timing = timings[i];
    timing.id = i;
    timing.name = program.commands[i].name;
    timing.context = name(plan.resource).str();
    timing.stages = plan.stages;
    // Before and after the clock runs.
    if (plan.resource == Resource::Host)
      continue;
    for (int64_t chip : plan.chips)
      if (cell(plan, chip) > timing.start) {
        timing.start = cell(plan, chip);
        timing.wait = timing.context + " busy";
      }
    // Only a command that ends later than all known reasons can be one.
    for (size_t j = 0; j < i; ++j) {
      if (timings[j].end <= timing.start)
        continue;
      std::string reason = hazard(plan, plans[j], timings[j].name);
      if (reason.empty())
        continue;
      timing.start = timings[j].end;
      timing.wait = std::move(reason);
    }
    timing.end = timing.start + plan.cycles;
    for (int64_t chip : plan.chips)
      cell(plan, chip) = timing.end;
  }
  return timings;
}
