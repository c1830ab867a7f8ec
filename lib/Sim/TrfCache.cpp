//===- TrfCache.cpp - Who uses the banks of the TRF -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrfCache.h"

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

int64_t sim::endOfLoad(const config::ToTrfStage &stage, int64_t flits,
                       int64_t start, int64_t end,
                       llvm::ArrayRef<RunningContraction> readers,
                       const TcpMachine &machine) {
  struct Running {
    TrfReader reader;
    int64_t rows, next, end; ///< cycles
    unsigned busy = 0;       ///< in the cycle before `next`
  };
  llvm::SmallVector<Running, 2> running;
  for (const RunningContraction &reader : readers)
    running.push_back({TrfReader(*reader.stage, machine), reader.stage->rows,
                       reader.start, reader.start + reader.steps});
  auto isBusy = [&](int64_t cycle, int64_t row, int64_t column) {
    bool busy = false;
    for (Running &r : running) {
      for (; r.next <= cycle && r.next < r.end; ++r.next)
        r.busy = r.reader.next();
      busy |= r.next == cycle + 1 && row < r.rows && (r.busy >> column & 1);
    }
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

llvm::Expected<std::vector<CommandTiming>>
sim::scheduleWithTrf(const config::Program &program,
                     llvm::ArrayRef<CommandPlan> plans,
                     const TcpMachine &machine) {
  llvm::Expected<std::vector<CommandTiming>> first =
      schedule(program, plans, machine);
  if (!first)
    return first.takeError();
  std::vector<CommandTiming> timings = std::move(*first);
  std::vector<CommandPlan> delayed;
  for (size_t i = 0; i < plans.size(); ++i) {
    const auto *load =
        std::get_if<config::ExecCommand>(&program.commands[i].body);
    if (!load || !std::holds_alternative<config::ToTrfStage>(load->sink))
      continue;
    llvm::SmallVector<RunningContraction, 2> readers;
    for (size_t j = 0; j < plans.size(); ++j) {
      const auto *reader =
          std::get_if<config::ExecCommand>(&program.commands[j].body);
      if (!reader || !reader->contract || reader->chip != load->chip ||
          timings[j].end <= timings[i].start ||
          timings[i].end <= timings[j].start)
        continue;
      bool together = false;
      for (auto [a, b] : llvm::zip(load->sliceMask, reader->sliceMask))
        together |= (a & b) != 0;
      if (together)
        readers.push_back(
            {&*reader->contract, timings[j].start, plans[j].computationSteps});
    }
    if (readers.empty())
      continue;
    int64_t end =
        endOfLoad(std::get<config::ToTrfStage>(load->sink), plans[i].flits,
                  timings[i].start, timings[i].end, readers, machine);
    if (end == timings[i].end)
      continue;
    if (delayed.empty())
      delayed.assign(plans.begin(), plans.end());
    delayed[i].cycles += end - timings[i].end;
    delayed[i].counters.push_back({"trf_write_stalls", end - timings[i].end});
  }
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
