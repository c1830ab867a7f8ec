//===- TrfCache.cpp - Who uses the banks of the TRF -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/TrfCache.h"
#include <tuple>

using namespace sequin;
using namespace sequin::sim;

/// Reads that are followed one by one; repetitions of a whole nest are not.
static constexpr int64_t kMaxFollowed = int64_t(1) << 22;

TrfCache::TrfCache(const TcpMachine &machine)
    : machine(machine),
      cells(machine.trfBankColumns * machine.trfCacheDepth, -1) {}

unsigned TrfCache::read(int64_t address, int64_t bytes) {
  unsigned busy = 0;
  int64_t last = (address + bytes - 1) / machine.trfCellBytes;
  for (int64_t cell = address / machine.trfCellBytes; cell <= last; ++cell) {
    int64_t column = cell % machine.trfBankColumns;
    int64_t set = cell / machine.trfBankColumns % machine.trfCacheDepth;
    int64_t &held = cells[column * machine.trfCacheDepth + set];
    if (held == cell) {
      ++hitCount;
      continue;
    }
    held = cell;
    ++missCount;
    busy |= 1u << column;
  }
  return busy;
}

/// The sequencer's loops with strides in bytes.
static llvm::SmallVector<Loop, 8>
byteLoops(const config::ContractStage &stage) {
  llvm::SmallVector<Loop, 8> loops;
  for (const Loop &entry : stage.trf.entries)
    if (entry.size > 1)
      loops.push_back({entry.size, entry.stride * getBitWidth(stage.type) / 8});
  return loops;
}

static int64_t baseOf(const config::ContractStage &stage,
                      const TcpMachine &machine) {
  return TrfLayout(machine, stage.trfAddress, stage.rows).bankBegin() +
         stage.trf.baseAddress;
}

namespace {
/// Counts the misses of a nest. A loop that repeats its inside brings the cache
/// back to a state it was in; from there on all rounds are alike.
class ReadCounter {
public:
  ReadCounter(const config::ContractStage &stage, const TcpMachine &machine)
      : cache(machine), loops(byteLoops(stage)), bytes(stage.regReadBytes),
        base(baseOf(stage, machine)) {}

  TrfReads run() {
    TrfReads reads = visit(0, base);
    if (followed > kMaxFollowed)
      return {-1, -1};
    return reads;
  }

private:
  TrfReads visit(size_t level, int64_t address) {
    if (++followed > kMaxFollowed)
      return {};
    if (level == loops.size()) {
      TrfReads before{cache.hits(), cache.misses()};
      cache.read(address, bytes);
      return {cache.hits() - before.hits, cache.misses() - before.misses};
    }
    TrfReads all;
    for (int64_t i = 0; i < loops[level].size && followed <= kMaxFollowed;
         ++i) {
      llvm::SmallVector<int64_t, 8> before(cache.contents());
      TrfReads round = visit(level + 1, address + i * loops[level].stride);
      int64_t rounds = 1;
      if (loops[level].stride == 0 &&
          cache.contents() == llvm::ArrayRef(before))
        rounds = loops[level].size - i;
      all.hits += rounds * round.hits;
      all.misses += rounds * round.misses;
      i += rounds - 1;
    }
    return all;
  }

  TrfCache cache;
  llvm::SmallVector<Loop, 8> loops;
  int64_t bytes, base;
  int64_t followed = 0;
};
} // namespace

TrfReads sim::countTrfReads(const config::ContractStage &stage,
                            const TcpMachine &machine) {
  return ReadCounter(stage, machine).run();
}

TrfReader::TrfReader(const config::ContractStage &stage,
                     const TcpMachine &machine)
    : cache(machine), addresses(byteLoops(stage)), base(baseOf(stage, machine)),
      bytes(stage.regReadBytes) {}

unsigned TrfReader::next() {
  unsigned busy = cache.read(base + addresses.offset(), bytes);
  addresses.advance();
  return busy;
}

namespace {
/// A contraction, replayed up to some cycle.
struct Replay {
  TrfReader reader;
  int64_t rows, next, end; ///< cycles
  unsigned busy = 0;       ///< in the cycle before `next`

  Replay(const config::ContractStage &stage, int64_t start, int64_t steps,
         const TcpMachine &machine)
      : reader(stage, machine), rows(stage.rows), next(start),
        end(start + steps) {}

  void advanceTo(int64_t cycle) {
    for (; next <= cycle && next < end; ++next)
      busy = reader.next();
  }
  bool isBusy(int64_t cycle, int64_t row, int64_t column) {
    advanceTo(cycle);
    return next == cycle + 1 && row < rows && (busy >> column & 1);
  }
};
} // namespace

/// The cycle in which the load, alone from `start` to `end`, has written its
/// last flit if `readers` run beside it.
static int64_t endOfLoad(const config::ToTrfStage &stage, int64_t flits,
                         int64_t start, int64_t end,
                         llvm::MutableArrayRef<Replay> readers,
                         const TcpMachine &machine) {
  auto isBusy = [&](int64_t cycle, int64_t row, int64_t column) {
    bool busy = false;
    for (Replay &reader : readers)
      busy |= reader.isBusy(cycle, row, column);
    return busy;
  };
  int64_t flitsPerRow = stage.bytesPerRow / machine.trfCellBytes;
  int64_t cycle = start - 1;
  for (int64_t flit = 0; flit < flits; ++flit) {
    // Flits arrive evenly, the last one in the last cycle.
    int64_t arrival = start + (flit + 1) * (end - start) / flits - 1;
    cycle = std::max(cycle + 1, arrival);
    int64_t column = flit % flitsPerRow % machine.trfBankColumns;
    while (isBusy(cycle, flit / flitsPerRow, column))
      ++cycle;
  }
  return std::max(end, cycle + 1);
}

static bool shareSlices(const config::ExecCommand &a,
                        const config::ExecCommand &b) {
  for (auto [x, y] : llvm::zip(a.sliceMask, b.sliceMask))
    if (x & y)
      return true;
  return false;
}

namespace {
/// Finds out how much longer loads take, from the earliest to the latest, so
/// that every contraction is replayed once.
class LoadSweep {
public:
  LoadSweep(const config::UnrolledProgram &program,
            llvm::ArrayRef<CommandPlan> plans,
            llvm::ArrayRef<CommandTiming> timings, const TcpMachine &machine);

  /// Calls delay(index, cycles) for every load that takes longer. A Trap before
  /// more than `maxReads` are replayed.
  llvm::Error run(int64_t maxReads,
                  llvm::function_ref<void(size_t, int64_t)> delay);

private:
  struct Reader {
    size_t index;
    int64_t latest; ///< end of this one and all before it
    std::optional<Replay> replay;
  };
  const config::ExecCommand *execAt(size_t index) const {
    return std::get_if<config::ExecCommand>(&program.getWritten(index).body);
  }

  const config::UnrolledProgram &program;
  llvm::ArrayRef<CommandPlan> plans;
  llvm::ArrayRef<CommandTiming> timings;
  const TcpMachine &machine;
  std::vector<size_t> loads;                ///< by start
  std::vector<std::vector<Reader>> readers; ///< of every chip, by start
};
} // namespace

LoadSweep::LoadSweep(const config::UnrolledProgram &program,
                     llvm::ArrayRef<CommandPlan> plans,
                     llvm::ArrayRef<CommandTiming> timings,
                     const TcpMachine &machine)
    : program(program), plans(plans), timings(timings), machine(machine),
      readers(program.getProgram().chips) {
  std::vector<size_t> order;
  for (size_t i = 0; i < plans.size(); ++i)
    if (execAt(i))
      order.push_back(i);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::tie(timings[a].start, a) < std::tie(timings[b].start, b);
  });
  for (size_t i : order) {
    const config::ExecCommand &exec = *execAt(i);
    if (std::holds_alternative<config::ToTrfStage>(exec.sink))
      loads.push_back(i);
    if (!exec.contract)
      continue;
    std::vector<Reader> &all = readers[exec.chip];
    int64_t before = all.empty() ? 0 : all.back().latest;
    all.push_back({i, std::max(before, timings[i].end), std::nullopt});
  }
}

llvm::Error LoadSweep::run(int64_t maxReads,
                           llvm::function_ref<void(size_t, int64_t)> delay) {
  int64_t reads = 0;
  for (size_t i : loads) {
    const config::ExecCommand &load = *execAt(i);
    const CommandTiming &timing = timings[i];
    llvm::SmallVector<Replay, 2> beside;
    std::vector<Reader> &all = readers[load.chip];
    auto first = llvm::partition_point(all, [&](const Reader &reader) {
      return reader.latest <= timing.start;
    });
    for (; first != all.end() && timings[first->index].start < timing.end;
         ++first) {
      const config::ExecCommand &exec = *execAt(first->index);
      if (timings[first->index].end <= timing.start || !shareSlices(load, exec))
        continue;
      if (!first->replay)
        first->replay.emplace(*exec.contract, timings[first->index].start,
                              plans[first->index].computationSteps, machine);
      // Later loads go on from here, not from where this one ends.
      reads += std::max<int64_t>(0, std::min(timing.end, first->replay->end) -
                                        first->replay->next);
      if (reads > maxReads)
        return makeStepTrap(program.getName(first->index), maxReads);
      first->replay->advanceTo(timing.start - 1);
      beside.push_back(*first->replay);
    }
    if (beside.empty())
      continue;
    int64_t end =
        endOfLoad(std::get<config::ToTrfStage>(load.sink), plans[i].flits,
                  timing.start, timing.end, beside, machine);
    if (end != timing.end)
      delay(i, end - timing.end);
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<CommandTiming>>
sim::scheduleWithTrf(const config::UnrolledProgram &program,
                     llvm::ArrayRef<CommandPlan> plans,
                     const TcpMachine &machine, int64_t maxReads) {
  llvm::Expected<std::vector<CommandTiming>> first =
      schedule(program, plans, machine);
  if (!first)
    return first.takeError();
  std::vector<CommandTiming> timings = std::move(*first);
  std::vector<CommandPlan> delayed;
  auto delay = [&](size_t index, int64_t cycles) {
    if (delayed.empty())
      delayed.assign(plans.begin(), plans.end());
    delayed[index].cycles += cycles;
    delayed[index].counters.push_back({"trf_write_stalls", cycles});
  };
  if (llvm::Error error =
          LoadSweep(program, plans, timings, machine).run(maxReads, delay))
    return std::move(error);
  if (!delayed.empty()) {
    llvm::Expected<std::vector<CommandTiming>> second =
        schedule(program, delayed, machine);
    if (!second)
      return second.takeError();
    timings = std::move(*second);
  }
  for (auto [index, timing] : llvm::enumerate(timings))
    timing.counters =
        delayed.empty() ? plans[index].counters : delayed[index].counters;
  return timings;
}
