//===- Recorder.h - What happened in a run ----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps what a run does, for the report and the three traces
// (docs/Guides/RunningOnAWafer.md): a timeline of every PE, a log of every
// wavelet's hops, a picture of the fabric.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFERHOST_RECORDER_H
#define SEQUIN_WAFERHOST_RECORDER_H

#include "sequin/WaferHost/Session.h"
#include "sequin/WaferSim/Observer.h"
#include <map>

namespace sequin::wafer {

/// One PE's share of a run, in cycles and wavelets.
struct PeStatistics {
  uint64_t mainCycles = 0;   ///< its main thread was at work
  uint64_t issueCycles = 0;  ///< an operation on queues or FIFOs did elements
  uint64_t routerCycles = 0; ///< its router moved a wavelet
  uint64_t sent = 0;         ///< wavelets from its compute element
  uint64_t received = 0;     ///< wavelets to its compute element
  /// Wavelets that left by each link.
  std::array<uint64_t, kDirections> links = {};
};

/// What a line of the program took, over all PEs.
struct SourceStatistics {
  Location location = 0;
  /// "@fmacs" of a DSD operation, the function's name of a task.
  std::string operation;
  bool isTask = false;
  uint64_t count = 0;
  /// Of an operation from its start to its end, waiting included; of a task
  /// those in which the main thread was at work.
  uint64_t cycles = 0;
};

/// How busy parts of the fabric were over time. The number of bins is bounded:
/// when a run gets longer than they reach, two become one.
class Activity {
public:
  static constexpr int64_t kMostBins = 128, kMostTiles = 4096;
  Activity(int64_t width, int64_t height);

  void works(const Moment &at, uint64_t cycles);
  void hops(const Moment &at, uint64_t count);

  /// PEs are added up in squares of so many by so many.
  int64_t tileSize() const { return tile; }
  int64_t columns() const { return across; }
  int64_t rows() const { return down; }
  uint64_t binCycles() const { return width; }
  /// By bin, then by tile row by row: cycles of work, wavelets moved.
  llvm::ArrayRef<uint32_t> work() const { return workOf; }
  llvm::ArrayRef<uint32_t> moved() const { return movedIn; }

private:
  size_t slot(const Moment &at, uint64_t cycle) const {
    return (cycle / width) * (across * down) + (at.y / tile) * across +
           at.x / tile;
  }
  void reach(uint64_t cycle);

  int64_t tile = 1, across, down;
  uint64_t width = 16; ///< of a bin, cycles
  std::vector<uint32_t> workOf, movedIn;
};

struct RecorderOptions {
  bool timeline = false, wavelets = false;
  bool activity = false;
  /// PEs whose events are kept; statistics are of all.
  std::optional<Rectangle> region;
};

class Recorder : public Observer {
public:
  Recorder(const Program &program, const RecorderOptions &options);

  llvm::ArrayRef<PeStatistics> statistics() const { return pes; }
  /// Wavelets that a PE's router moved, by color.
  llvm::ArrayRef<std::array<uint32_t, 32>> colors() const { return byColor; }

  /// What is kept of a run at most, some hundred bytes each; a trace that would
  /// have more ends there.
  static constexpr size_t kMostSpans = size_t(1) << 24;
  static constexpr size_t kMostHops = size_t(1) << 23;
  bool endsTimelineEarly() const { return leavesSpans; }
  bool endsWaveletsEarly() const { return leavesHops; }

  /// Chrome trace events: a process for the host and one for each PE, a track
  /// for each thread, one microsecond per cycle.
  void writeTimeline(llvm::raw_ostream &os, const Session &session) const;
  /// A line per hop, fixed columns, in the order of cycles, rows and columns.
  std::string waveletText() const;
  llvm::json::Value waveletJson() const;
  /// The fabric as SVG: routes by color, how busy each PE was.
  std::string picture(const Session &session) const;

  /// A task or an operation.
  struct Span {
    uint32_t pe = 0;
    uint8_t thread = kMainThread;
    uint64_t begin = 0, end = 0;
    uint64_t issued = 0;                ///< cycles in which it did elements
    const Function *function = nullptr; ///< a task
    llvm::StringRef kind;               ///< of the task
    DsdOpcode opcode = DsdOpcode::Mov16;
    uint32_t length = 0;
    Location location = 0;
  };
  llvm::ArrayRef<Span> timeline() const { return spans; }
  /// Whether a span of the timeline goes on at the end of the run.
  bool isOpen(const Span &span) const;
  const Activity *activity() const { return overTime ? &*overTime : nullptr; }
  /// In the order of locations and names.
  std::vector<SourceStatistics> sources() const;

  /// What it has counted, for a run that goes on from a checkpoint. Timelines,
  /// logs of wavelets and activity are of whole runs. `of`: the program that is
  /// simulated.
  void save(llvm::raw_ostream &os, const Program &of) const;
  llvm::Error load(llvm::ArrayRef<uint8_t> bytes, const Program &of);

  void hop(const Moment &at, const Hop &hop) override;
  void taskStarts(const Moment &at, llvm::StringRef kind,
                  const Function &function) override;
  void taskEnds(const Moment &at) override;
  void operationStarts(const Moment &at, unsigned thread, DsdOpcode opcode,
                       uint32_t length, Location location) override;
  void operationEnds(const Moment &at, unsigned thread) override;
  void issues(const Moment &at, unsigned thread) override;
  void works(const Moment &at, uint64_t cycles) override;

protected:
  uint32_t peOf(const Moment &at) const {
    return static_cast<uint32_t>(at.y * program.width + at.x);
  }

private:
  struct KeptHop {
    Moment at;
    Hop hop;
  };
  bool keeps(const Moment &at) const;
  /// A span that begins and is open; null if there are too many.
  Span *addSpan(const Moment &at, unsigned slot);
  std::vector<KeptHop> sortedHops() const;
  template <typename A> void transfer(A &a, const Program &of);
  void writeEvents(llvm::json::OStream &out, const Session &session) const;

  const Program &program;
  RecorderOptions options;
  std::vector<PeStatistics> pes;
  std::vector<uint64_t> lastHop; ///< cycle + 1
  std::vector<std::array<uint32_t, 32>> byColor;
  std::vector<KeptHop> hops;
  std::vector<Span> spans;
  std::optional<Activity> overTime;
  /// What a PE is at.
  struct Running {
    struct Operation {
      uint64_t begin;
      Location location;
      DsdOpcode opcode;
    };
    std::array<std::optional<Operation>, kMainThread + 1> threads;
    const Function *task = nullptr;
  };
  struct Sum {
    uint64_t count = 0, cycles = 0;
  };
  std::vector<Running> running;
  std::map<std::pair<Location, DsdOpcode>, Sum> byOperation;
  std::map<const Function *, Sum> byTask;
  bool leavesHops = false, leavesSpans = false;
  /// Index + 1 of the span that is open: a PE's threads, then its task.
  std::vector<std::array<uint32_t, kMainThread + 2>> open;
};

} // namespace sequin::wafer

#endif // SEQUIN_WAFERHOST_RECORDER_H
