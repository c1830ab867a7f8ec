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
// only read (TCP, Scheduling). Beside that, banks of data memory are shared
// (TCP, Memory Performance, Bank Starvation):
//
//   - main goes before sub: where both need a bank, sub gets the cycles that
//     main leaves;
//   - DMA comes last. A pass that takes one bank too often in a row must occupy
//     the DMA engines; a configuration that lets it run beside DMA traps. Where
//     main and sub together reach the limit, the later command waits.
//
// On machines whose row says so, a command starts some cycles after the end of
// one that it waits for if what is between them has to do with several
// clusters: bytes of memory that the chip shares, or bytes of data memory that
// one of them has from another cluster's.
//
// Time goes from one end of a command to the next, or to such a start.
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "sequin/Support/Interrupt.h"
#include "sequin/Support/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <optional>

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

static bool shareSlices(const Access &a, const Access &b) {
  for (auto [x, y] : llvm::zip(a.slices, b.slices))
    if (x & y)
      return true;
  return false;
}

static bool overlap(const Access &a, const Access &b) {
  if (a.space != b.space || a.chip != b.chip || a.begin >= b.end ||
      b.begin >= a.end)
    return false;
  return a.space == Space::Hbm || a.space == Space::Spm || shareSlices(a, b);
}

/// "RAW on dm[0, 4096) by 'x'" if `later` must wait for `earlier`, else "".
static std::string hazard(const CommandPlan &later, const CommandPlan &earlier,
                          size_t earlierIndex, llvm::StringRef earlierName) {
  auto isRelieved = [&](const Access &second) {
    return later.relief && earlierIndex >= later.relief->second &&
           second.write && second.space == Space::Dm &&
           second.begin == later.relief->first;
  };
  for (const Access &second : later.accesses)
    for (const Access &first : earlier.accesses)
      if ((first.write || second.write) && overlap(first, second) &&
          !isRelieved(second))
        return llvm::formatv("{0} on {1}[{2}, {3}) by '{4}'",
                             !first.write   ? "WAR"
                             : second.write ? "WAW"
                                            : "RAW",
                             getName(first.space),
                             std::max(first.begin, second.begin),
                             std::min(first.end, second.end), earlierName)
            .str();
  return "";
}

/// The clusters of all chips that a command works in, a bit each.
static uint64_t clustersOf(const config::Command &command,
                           const CommandPlan &plan, const TcpMachine &machine) {
  uint64_t clusters = 0;
  for (const Access &access : plan.accesses)
    for (int64_t cluster = 0; cluster < machine.clustersPerChip; ++cluster) {
      int64_t first = cluster * machine.slicesPerCluster;
      for (int64_t slice = first; slice < first + machine.slicesPerCluster;
           ++slice)
        if (takesPart(access.slices, slice)) {
          clusters |= uint64_t(1)
                      << (access.chip * machine.clustersPerChip + cluster);
          break;
        }
    }
  if (const auto *dma = std::get_if<config::DmaCommand>(&command.body))
    for (const config::DmaDescriptor &descriptor : dma->descriptors)
      clusters |= uint64_t(1)
                  << (descriptor.sourceChip * machine.clustersPerChip +
                      descriptor.engine * machine.clustersPerChip /
                          machine.dmaEngines);
  return clusters;
}

/// Whether a DMA command copies between the data memories of two clusters.
static bool copiesBetweenClusters(const config::Command &command,
                                  const TcpMachine &machine) {
  const auto *dma = std::get_if<config::DmaCommand>(&command.body);
  if (!dma || dma->source != config::Memory::Dm ||
      dma->destination != config::Memory::Dm)
    return false;
  int64_t bytes = machine.dmSliceStride * machine.slicesPerCluster;
  return llvm::any_of(dma->descriptors, [&](const config::DmaDescriptor &d) {
    return d.sourceChip != d.destinationChip ||
           d.sourceAddress / bytes != d.destinationAddress / bytes;
  });
}

/// Whether both use data memory of the same slices.
static bool shareDm(const CommandPlan &a, const CommandPlan &b) {
  for (const Access &x : a.accesses)
    for (const Access &y : b.accesses)
      if (x.space == Space::Dm && y.space == Space::Dm && x.chip == y.chip &&
          shareSlices(x, y))
        return true;
  return false;
}

namespace {

class Scheduler {
public:
  Scheduler(const config::UnrolledProgram &program,
            llvm::ArrayRef<CommandPlan> plans, const TcpMachine &machine);

  llvm::Expected<std::vector<CommandTiming>> run();

private:
  static constexpr int64_t kResources = 3;
  static constexpr size_t kNone = ~size_t(0);

  /// The commands of one resource of one chip.
  struct Cell {
    Resource resource;
    std::vector<size_t> queue;
    size_t head = 0;
    int64_t freeAt = 0;
  };
  struct State {
    llvm::SmallVector<int64_t, 2> cells;
    bool atHead = false, running = false, done = false;
    /// What it was seen to wait for.
    size_t blocker = kNone;
    /// No command before this one stands in its way any more.
    size_t checked = 0;
    double left = 0; ///< cycles of work
    double rate = 1; ///< work per cycle
    uint64_t clusters = 0;
    bool copiesBetweenClusters = false;
  };

  llvm::Error startAll();
  bool reachesHead(size_t i);
  llvm::Expected<bool> start(size_t i);
  bool waitsFor(size_t i, size_t j, std::string reason);
  bool waitsForHazard(size_t i);
  bool dependsAcrossClusters(size_t i, size_t j) const;
  bool waitsForClusters(size_t i);
  llvm::Expected<bool> waitsForBanks(size_t i);
  llvm::Error checkStarvation(size_t dma, size_t pass) const;
  void setRates();
  void finishNext();

  llvm::ArrayRef<CommandPlan> plans;
  const TcpMachine &machine;
  std::vector<CommandTiming> timings;
  std::vector<State> states;
  std::vector<Cell> cells;
  std::vector<size_t> running;
  size_t firstOpen = 0; ///< all commands before it are done
  /// All commands before it have been done for so long that none in another
  /// cluster waits for them.
  size_t firstRecent = 0;
  int64_t now = 0;
  /// When the first command starts that waits for nothing but time.
  std::optional<int64_t> wakeAt;
};

} // namespace

Scheduler::Scheduler(const config::UnrolledProgram &program,
                     llvm::ArrayRef<CommandPlan> plans,
                     const TcpMachine &machine)
    : plans(plans), machine(machine), timings(plans.size()),
      states(plans.size()), cells(program.getProgram().chips * kResources) {
  for (size_t cell = 0; cell < cells.size(); ++cell)
    cells[cell].resource = static_cast<Resource>(cell % kResources);
  for (size_t i = 0; i < plans.size(); ++i) {
    const CommandPlan &plan = plans[i];
    CommandTiming &timing = timings[i];
    timing.id = i;
    const config::Command &command = program.getWritten(i);
    timing.name = program.getName(i);
    timing.location = command.location;
    timing.context = name(plan.resource).str();
    timing.stages = plan.stages;
    timing.chips.assign(plan.chips.begin(), plan.chips.end());
    timing.hbmBytes = plan.hbmBytesRead + plan.hbmBytesWritten;
    timing.engineMacs = plan.engineMacs;
    // Before and after the clock runs.
    if (plan.resource == Resource::Host) {
      states[i].done = true;
      continue;
    }
    states[i].left = static_cast<double>(plan.cycles);
    if (machine.clusterDependencyCycles > 0) {
      config::Command made;
      const config::Command &here = program.getCommand(i, made);
      states[i].clusters = clustersOf(here, plan, machine);
      states[i].copiesBetweenClusters = copiesBetweenClusters(here, machine);
    }
    for (int64_t chip : plan.chips) {
      auto occupy = [&](Resource resource) {
        states[i].cells.push_back(chip * kResources +
                                  static_cast<int64_t>(resource));
      };
      occupy(plan.resource);
      if (plan.alsoSub)
        occupy(Resource::Sub);
      if (plan.occupiesDma)
        occupy(Resource::Dma);
    }
    for (int64_t cell : states[i].cells)
      cells[cell].queue.push_back(i);
  }
}

/// Whether nothing earlier has its resources any more.
bool Scheduler::reachesHead(size_t i) {
  State &state = states[i];
  if (state.atHead)
    return true;
  for (int64_t cell : state.cells)
    if (cells[cell].queue[cells[cell].head] != i)
      return false;
  state.atHead = true;
  for (int64_t cell : state.cells)
    if (const Cell &c = cells[cell]; c.freeAt == now && now > 0) {
      timings[i].wait = (name(c.resource) + " busy").str();
      timings[i].waitedFor = static_cast<int64_t>(c.queue[c.head - 1]);
    }
  return true;
}

bool Scheduler::waitsFor(size_t i, size_t j, std::string reason) {
  states[i].blocker = j;
  timings[i].wait = std::move(reason);
  timings[i].waitedFor = static_cast<int64_t>(j);
  return true;
}

bool Scheduler::waitsForHazard(size_t i) {
  size_t &j = states[i].checked;
  for (j = std::max(j, firstOpen); j < i; ++j) {
    if (states[j].done)
      continue;
    std::string reason = hazard(plans[i], plans[j], j, timings[j].name);
    if (!reason.empty())
      return waitsFor(i, j, std::move(reason));
  }
  return false;
}

bool Scheduler::dependsAcrossClusters(size_t i, size_t j) const {
  bool several = llvm::popcount(states[i].clusters | states[j].clusters) > 1;
  bool copied =
      states[i].copiesBetweenClusters || states[j].copiesBetweenClusters;
  for (const Access &second : plans[i].accesses)
    for (const Access &first : plans[j].accesses) {
      if (!(first.write || second.write) || !overlap(first, second))
        continue;
      bool isShared = first.space == Space::Hbm || first.space == Space::Spm;
      if (isShared ? several : copied)
        return true;
    }
  return false;
}

/// What it waited for is done, but another cluster does not know yet.
bool Scheduler::waitsForClusters(size_t i) {
  int64_t delay = machine.clusterDependencyCycles;
  if (delay == 0)
    return false;
  int64_t start = now;
  size_t last = firstRecent;
  for (size_t j = firstRecent; j < i; ++j) {
    // What the host moves comes before and after the clock runs.
    if (plans[j].resource == Resource::Host || timings[j].end + delay <= start)
      continue;
    if (dependsAcrossClusters(i, j)) {
      start = timings[j].end + delay;
      last = j;
    }
  }
  if (start == now)
    return false;
  timings[i].wait =
      llvm::formatv("'{0}' in another cluster", timings[last].name).str();
  timings[i].waitedFor = static_cast<int64_t>(last);
  wakeAt = std::min(wakeAt.value_or(start), start);
  return true;
}

/// A request of `dma` behind the pass waits for every slice of its network.
llvm::Error Scheduler::checkStarvation(size_t dma, size_t pass) const {
  const config::BankRuns &banks = plans[pass].banks;
  int64_t bank = banks.worstBank();
  if (plans[pass].occupiesDma ||
      banks.longest[bank] <= machine.maxSameBankAccesses())
    return llvm::Error::success();
  return llvm::make_error<Trap>(
      timings[dma].name, "dma",
      llvm::formatv("NoC timeout: '{0}' accesses bank {1} of data memory {2} "
                    "times in a row, allowed beside DMA are at most {3} "
                    "(MEM-06)",
                    timings[pass].name, bank, banks.longest[bank],
                    machine.maxSameBankAccesses())
          .str());
}

llvm::Expected<bool> Scheduler::waitsForBanks(size_t i) {
  bool isDma = plans[i].resource == Resource::Dma;
  llvm::SmallVector<size_t, 4> passes, transfers;
  for (size_t j : running)
    if (shareDm(plans[i], plans[j]))
      (plans[j].resource == Resource::Dma ? transfers : passes).push_back(j);
  if (!isDma && transfers.empty())
    return false;
  for (size_t pass : passes)
    if (isDma)
      if (llvm::Error error = checkStarvation(i, pass))
        return std::move(error);
  if (!isDma)
    if (llvm::Error error = checkStarvation(transfers.front(), i))
      return std::move(error);
  // Two passes and a request of DMA add up.
  if (!isDma)
    passes.push_back(i);
  if (passes.size() < 2)
    return false;
  config::BankRuns sum = plans[passes[0]].banks;
  for (size_t pass : llvm::drop_begin(passes))
    sum += plans[pass].banks;
  int64_t bank = sum.worstBank();
  if (sum.longest[bank] + 1 <= machine.maxSameBankAccesses())
    return false;
  // DMA waits for a pass to end, a pass for DMA.
  return waitsFor(i, isDma ? passes.back() : transfers.front(),
                  llvm::formatv("bank {0} of dm: '{1}' and '{2}' make {3} "
                                "accesses in a row (MEM-07)",
                                bank, timings[passes[0]].name,
                                timings[passes[1]].name, sum.longest[bank])
                      .str());
}

llvm::Expected<bool> Scheduler::start(size_t i) {
  State &state = states[i];
  if (state.running || !reachesHead(i))
    return false;
  if (state.blocker != kNone && !states[state.blocker].done)
    return false;
  if (waitsForHazard(i) || waitsForClusters(i))
    return false;
  llvm::Expected<bool> waits = waitsForBanks(i);
  if (!waits)
    return waits.takeError();
  if (*waits)
    return false;
  timings[i].start = now;
  state.running = true;
  running.push_back(i);
  return true;
}

llvm::Error Scheduler::startAll() {
  wakeAt.reset();
  // In program order: of two commands that could start, the earlier does.
  llvm::SmallVector<size_t, 8> heads;
  for (const Cell &cell : cells)
    if (cell.head < cell.queue.size())
      heads.push_back(cell.queue[cell.head]);
  llvm::sort(heads);
  heads.erase(llvm::unique(heads), heads.end());
  for (size_t i : heads)
    if (llvm::Expected<bool> started = start(i); !started)
      return started.takeError();
  return llvm::Error::success();
}

/// How fast everything that runs gets on (MEM-08).
void Scheduler::setRates() {
  for (size_t i : running) {
    State &state = states[i];
    state.rate = 1;
    if (plans[i].resource != Resource::Sub)
      continue;
    for (size_t j : running) {
      if (plans[j].resource != Resource::Main || !shareDm(plans[i], plans[j]))
        continue;
      for (auto [mine, others] :
           llvm::zip_equal(plans[i].banks.total, plans[j].banks.total)) {
        if (mine == 0)
          continue;
        double need = static_cast<double>(mine) / plans[i].cycles;
        double taken = static_cast<double>(others) / plans[j].cycles;
        state.rate = std::min(state.rate,
                              std::max(0.0, 1 - taken) / std::min(1.0, need));
      }
    }
  }
}

/// To the next end of a command, or to the start of one that waits for time.
void Scheduler::finishNext() {
  setRates();
  int64_t step = wakeAt ? *wakeAt - now : std::numeric_limits<int64_t>::max();
  for (size_t i : running)
    if (states[i].rate > 0)
      step = std::min(step, static_cast<int64_t>(std::ceil(
                                states[i].left / states[i].rate - 1e-6)));
  now += step;
  for (size_t i : running)
    states[i].left -= states[i].rate * static_cast<double>(step);
  llvm::erase_if(running, [&](size_t i) {
    State &state = states[i];
    if (state.left > 1e-6)
      return false;
    state.running = false;
    state.done = true;
    timings[i].end = now;
    for (int64_t cell : state.cells) {
      ++cells[cell].head;
      cells[cell].freeAt = now;
    }
    return true;
  });
  while (firstOpen < states.size() && states[firstOpen].done)
    ++firstOpen;
  while (firstRecent < firstOpen &&
         timings[firstRecent].end + machine.clusterDependencyCycles <= now)
    ++firstRecent;
}

llvm::Expected<std::vector<CommandTiming>> Scheduler::run() {
  if (llvm::Error error = startAll())
    return std::move(error);
  while (!running.empty() || wakeAt) {
    if (interrupted(/*every=*/16))
      return interruptedError();
    reportProgress({"schedule", "", int64_t(firstOpen), int64_t(states.size()),
                    "commands"});
    finishNext();
    if (llvm::Error error = startAll())
      return std::move(error);
  }
  return std::move(timings);
}

llvm::Expected<std::vector<CommandTiming>>
sim::schedule(const config::UnrolledProgram &program,
              llvm::ArrayRef<CommandPlan> plans, const TcpMachine &machine) {
  return Scheduler(program, plans, machine).run();
}
