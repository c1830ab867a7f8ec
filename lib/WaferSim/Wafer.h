//===- Wafer.h - The fabric simulator ---------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All PEs, their host streams and time. A window of cycles is done by one
// stepper, or by several at once, in two rounds (docs/Rationale/Wafer.md,
// Threads): first the rows between borders, in every cycle a row less at each
// border, then what that left out around the borders.
//
// What PEs share is ordered by (cycle, PE) after a window: traps, races, the
// log. So nothing depends on how many steppers there are.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_WAFERSIM_WAFER_H
#define SEQUIN_LIB_WAFERSIM_WAFER_H

#include "Stepper.h"
#include "Team.h"
#include "llvm/ADT/DenseMap.h"
#include <atomic>
#include <chrono>
#include <queue>

namespace sequin::wafer {

class Crew;
class Relay;

/// What ranks tell each other before every window.
struct Agreement {
  uint64_t next = ~uint64_t(0); ///< cycle in which something is planned
  uint64_t steps = 0, instructions = 0, lastStep = 0;
  uint64_t interrupted = 0, trapped = 0, stopped = 0;
};

class Wafer {
public:
  Wafer(const Program &program, const CslMachine &machine,
        const Options &options);
  /// The part of one of several ranks. `watcher`: rank 0's; the others are told
  /// whether there is one.
  static std::unique_ptr<Wafer> makeShared(const Program &program,
                                           const CslMachine &machine,
                                           Options options, bool isObserved,
                                           bool isTraced);
  ~Wafer();

  Outcome run(uint64_t cycles);

  const Program &program;
  const CslMachine &machine;
  const Options options;
  /// The rows of this rank: all of them without others.
  const int64_t firstRow, endRow;
  std::unique_ptr<Crew> crew; ///< there if there are other ranks
  /// Of ranks, if there is an observer: what it is told on its way to rank 0's,
  /// which is the watcher.
  std::unique_ptr<Relay> relay;
  Observer *watcher = nullptr;
  llvm::MutableArrayRef<Core> cores; ///< in the slab
  uint64_t now = 0;
  Counters counters;
  std::optional<Trap> trapped;
  HangReport hangReport;
  std::vector<Race> races, undefined, lostControls;
  std::vector<std::string> log;
  /// For a tracer: by PE and thread, function and number of the instruction
  /// that started the thread's operation.
  std::map<std::pair<uint32_t, unsigned>, std::pair<uint32_t, uint32_t>>
      startedBy;

  std::vector<HostStream> streams;
  /// Numbers of the streams to the device that a PE may have words of: the
  /// per-PE ones, and at some PEs those that enter there as well.
  llvm::SmallVector<unsigned> perPeStreams;
  llvm::DenseMap<uint32_t, llvm::SmallVector<unsigned>> enteringStreams;
  /// Edge streams by PE, color, side and direction.
  std::map<std::tuple<uint32_t, uint8_t, unsigned, bool>, int> edgeStreams;
  int hostStreamOf(uint8_t color, bool toDevice) const;
  uint64_t mostWaitingWords() const;
  int edgeStreamOf(const Core &core, uint8_t color, unsigned side,
                   bool toDevice) const;

  // Host.cpp: what the host does at a PE of this rank.
  bool isForeign(int64_t y) const { return y < firstRow || y >= endRow; }
  uint32_t numberOf(const HostStream &stream) const {
    return static_cast<uint32_t>(&stream - streams.data());
  }
  void launch(Core &core, Core::Launch launch);
  void write(Core &core, uint32_t address, llvm::ArrayRef<uint8_t> data);
  void send(HostStream &stream, Core &core, llvm::ArrayRef<uint32_t> words);
  uint64_t unsent(const HostStream &stream, const Core &core) const;
  void taken(HostStream &stream, int64_t y, uint64_t words);
  /// Of any PE.
  llvm::ArrayRef<uint8_t> read(uint32_t pe, uint32_t address,
                               uint32_t bytes) const;

  /// Plans a step at the host's request.
  void wake(Core &core, uint64_t at);
  /// The host has written bytes of a PE's memory.
  void define(Core &core, uint32_t address, uint32_t bytes);
  Core *neighbour(Core &core, unsigned direction) const;
  uint32_t indexOf(const Core &core) const {
    return static_cast<uint32_t>(&core - cores.data());
  }

  // Checkpoint.cpp: a row of this rank, between two runs.
  void saveRow(int64_t y, Saver &saver);
  bool loadRow(int64_t y, Loader &loader);
  llvm::MutableArrayRef<uint8_t> memoryOfPe(const Core &core) const {
    return {core.memory, static_cast<size_t>(machine.memoryBytesPerPe)};
  }
  llvm::MutableArrayRef<uint8_t> writtenOfPe(const Core &core) const {
    return {reinterpret_cast<uint8_t *>(core.written),
            static_cast<size_t>(machine.memoryBytesPerPe + 7) / 8};
  }

  // For steppers.
  std::vector<CodeInfo> codes;
  std::vector<SetupInfo> setups;
  std::vector<RouterTable> routers;
  Plan plan;
  unsigned bankModulus = 0;
  unsigned independentFloatCycles = 0;
  const uint64_t randomSeed;
  int64_t blockColumns = 1;
  std::atomic<bool> wasInterrupted = false;
  bool started = false;
  uint64_t lastStep = 0;
  bool isTraced() const {
    return options.observer && options.observer->wantsInstructions();
  }
  llvm::MutableArrayRef<Core> rows(int64_t first, int64_t end) const {
    return cores.slice(static_cast<size_t>(first * program.width),
                       static_cast<size_t>((end - first) * program.width));
  }
  /// Its own PEs.
  llvm::MutableArrayRef<Core> ownCores() const {
    return rows(firstRow, endRow);
  }
  /// While `work` goes on there are the PEs of other ranks, bound to their
  /// program and no more.
  void borrowOthers(llvm::function_ref<void()> work);
  Stepper &firstStepper() { return *steppers.front(); }
  bool somethingPends();
  void describeHang();
  void sortFindings();
  void forgetAfter(uint64_t cycle);
  /// Of ranks: what PEs have printed since the run began.
  std::vector<LogLine> newLines;
  uint8_t *memoryOf(uint32_t index) const;
  uint64_t *writtenOf(uint32_t index) const;
  /// Whether there is room for the PEs' memory.
  bool hasMemory() const { return memoryBase; }

private:
  // Wafer.cpp.
  void load();
  void start();
  bool hasBorder() const { return firstRow > 0 || endRow < program.height; }
  uint64_t nextTime();
  void takeDue();
  Agreement agree();
  void tellProgress(const Agreement &all);
  Outcome runOwn(uint64_t cycles);
  void loadImages();
  void runWindow(uint64_t start, int64_t cycles);
  void runBorders(uint64_t start, int64_t cycles, bool all);
  void runParts(uint64_t start, int64_t cycles, const WindowPart &whole);
  void endWindow();
  void takeFar();

  // HangReport.cpp.
  std::string sender(Core &core, uint8_t color, Wait &wait, std::string &cause);

  Slab slab;
  uint8_t *memoryBase = nullptr;
  size_t memorySize = 0;
  uint64_t *writtenBase = nullptr;
  size_t writtenSize = 0;
  size_t firstCore = 0, endCore = 0; ///< those that there are

  std::vector<std::unique_ptr<Stepper>> steppers;
  std::unique_ptr<Team> team; ///< there if there are several steppers
  unsigned window = 1;
  uint64_t base = 0;      ///< no step is planned before
  uint64_t lastSteps = 0; ///< of the last window
  /// The last time that progress was told: when, and how far the run was.
  struct {
    std::chrono::steady_clock::time_point next, begin;
    uint64_t cycle = 0, steps = 0, firstSteps = 0;
  } told;
  using Far = std::pair<uint64_t, uint32_t>;
  std::priority_queue<Far, std::vector<Far>, std::greater<Far>> far;
};

} // namespace sequin::wafer

#endif // SEQUIN_LIB_WAFERSIM_WAFER_H
