//===- Simulator.h - Runs a wafer program -----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fabric simulator. It sees a wafer program and a machine row and nothing
// else. Event driven: a PE costs time only in cycles in which a wavelet or a
// thread of it can move; what a PE does in a cycle does not depend on what the
// others do in the same cycle, so that results do not depend on the order.
// Nothing crosses more than one link per cycle, so that a few cycles of a few
// rows can be simulated in one go while their state is in a cache.
//
// The host acts between runs: copy, launch, run until nothing moves.
//
// Rules of time that the manual leaves open, on top of docs/Rationale/Wafer.md:
//  - an element that an operation reads in cycle t can leave on the ramp in
//    t + 1; with two ramps and a hop a chain of PEs passes an element on every
//    2 * rampCycles + hopCycles + 1 cycles;
//  - a PE issues one DSD operation's cycle per cycle, the highest priority
//    first; scalar code does not keep microthreads from issuing;
//  - the ramp itself holds rampCycles wavelets beyond the depth of a queue.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFERSIM_SIMULATOR_H
#define SEQUIN_WAFERSIM_SIMULATOR_H

#include "sequin/WaferSim/Exchange.h"
#include "sequin/WaferSim/Observer.h"
#include <memory>
#include <tuple>

namespace sequin::wafer {

enum class Poison : uint8_t {
  Off,
  Report, ///< Simulator::undefinedReads() has the first of each PE
  Trap,
};

struct Options {
  /// The run ends as Exhausted when it gets to this cycle.
  uint64_t maxCycles = uint64_t(1) << 40;
  /// The same for the work of a run, which bounds its time: Counters::steps,
  /// and a step for every 16 instructions.
  uint64_t maxSteps = ~uint64_t(0);
  /// The run is thought to come to maxSteps: its progress is measured by them.
  bool isLimited = false;
  /// Seed of what follows. A race-free program gives the same memory for all.
  uint64_t seed = 0;
  /// Every wavelet takes 0 to 7 cycles more on each hop, in order.
  bool randomLatency = false;
  /// Every queue and router buffer holds one wavelet beyond what is under way.
  bool shallowQueues = false;
  /// Ready tasks of one priority take turns: from the highest id down instead
  /// of from the lowest up.
  bool highestTaskFirst = false;
  /// Watches the run; stays in use.
  Observer *observer = nullptr;
  /// What a read of memory that nothing has written leads to (AMB-037: it gives
  /// zero). Written are initial values, what the host copies and what the
  /// program stores; a stack frame is unwritten again at every call.
  Poison poison = Poison::Report;
  /// How words of per-PE streams come to the PEs. BackDoor: each PE takes a
  /// word per cycle as its queue has room. Fabric: those of a row come over one
  /// link in the order sent, one per cycle in all, kHaloColumns routers and
  /// their own column away; a PE that takes nothing holds up the row.
  enum class Halo : uint8_t { BackDoor, Fabric } halo = Halo::BackDoor;
  static constexpr int64_t kHaloColumns = 4;
  /// Overrides CslMachine::bankModulus.
  std::optional<unsigned> bankModulus = {};
  /// Cycles that are simulated of a row before the next; 0: as caches suggest.
  /// Nothing but speed depends on it, except what has no place in time after a
  /// trap or the limit of steps: memory and counters of other PEs are those at
  /// the end of the window. The limit is looked at between windows.
  unsigned windowCycles = 0;
  /// Threads that step PEs, each rows of its own. All that a run gives is the
  /// same for any number; with an observer, or with too few rows, there are
  /// fewer. At least 1.
  unsigned threads = 1;
  /// Steps in a window from which on threads share the next one; below, that
  /// would take longer than it saves.
  uint64_t teamSteps = 4096;
  /// The ranks that simulate the fabric, of which this one is rank 0; the
  /// others serve(). All that a run gives is the same without.
  Exchange *exchange = nullptr;
};

enum class Outcome : uint8_t {
  Finished,
  Trapped,   ///< Simulator::trap() says why
  Hung,      ///< nothing moves and work is pending: Simulator::hang()
  Exhausted, ///< the limit of cycles; hang() says what was going on
  /// As many cycles as were asked for, or a StopScope (Interrupt.h) was told to
  /// stop; run() goes on.
  Paused,
  /// interrupted(): somewhere within a cycle, so that it never goes on.
  Interrupted,
};

struct Trap {
  int64_t x = 0, y = 0; ///< within the program's rectangle
  uint64_t cycle = 0;
  std::string message;
  Location location = 0;
  /// Of an earlier cycle, a row further north, a PE further west.
  bool isBefore(const Trap &other) const {
    return std::tie(cycle, y, x) < std::tie(other.cycle, other.y, other.x);
  }
};

/// One thread, host stream or wavelet that cannot go on.
struct Wait {
  int64_t x = 0, y = 0;
  std::string who;  ///< "main thread in task 'reduce'", "microthread 2"
  std::string what; ///< "fadds waits for 3 wavelets on input queue 2, color 5"
  uint64_t since = 0;
  Location location = 0;
  /// Who would have to act, from the next one back, one line each.
  std::vector<std::string> chain;
  /// The PE that would have to act, x and y, as far as the routes lead.
  std::optional<std::pair<int64_t, int64_t>> on = {};
  /// The likely cause in words; "" if none of the known ones fits.
  std::string cause;
};

struct HangReport {
  uint64_t cycle = 0;
  /// At most kMostWaits, in the order of PEs; `waiting` counts all.
  std::vector<Wait> waits;
  uint64_t waiting = 0;
  /// Of them the microthreads that are only ready for elements nobody has sent:
  /// they have taken none, or take from a FIFO. A server looks so at its end.
  uint64_t armed = 0;
  /// The limit of cycles ended the run; something still moved.
  bool exhausted = false;
  static constexpr size_t kMostWaits = 64;
  /// Several lines.
  std::string str(const Program &program) const;
};

/// What a race-free program does not do; the first of each place is kept.
struct Race {
  int64_t x = 0, y = 0;
  uint64_t cycle = 0;
  std::string message;
};

struct Counters {
  uint64_t cycles = 0;
  uint64_t steps = 0;     ///< (PE, cycle) pairs in which a PE was looked at
  uint64_t hops = 0;      ///< wavelets from router to router
  uint64_t delivered = 0; ///< wavelets from router to compute element
  uint64_t elements = 0;  ///< of DSD operations
  /// Those of fmacs, fmachs and fmach.
  uint64_t macsF32 = 0, macsMixed = 0, macsFp16 = 0;
  uint64_t instructions = 0;
  uint64_t dropped = 0; ///< wavelets that left the rectangle to nobody
  uint64_t filtered = 0;
  /// (PE, cycle) pairs in which a PE issued or moved a wavelet.
  uint64_t active = 0;
  /// Cycles in which the first wavelet left a compute element (0: none has)
  /// and in which an operation on queues last did an element.
  uint64_t firstWavelet = 0, lastElement = 0;
  /// Adds what others did in the same run.
  Counters &operator+=(const Counters &other);
};

/// PEs x to x + width - 1, y to y + height - 1.
struct Rectangle {
  int64_t x = 0, y = 0, width = 1, height = 1;
};

class Wafer;

class Simulator {
public:
  /// `program` stays in use.
  static llvm::Expected<std::unique_ptr<Simulator>>
  create(const Program &program, const CslMachine &machine,
         const Options &options = {});
  ~Simulator();

  /// Does the part of a rank other than 0 in every simulation that rank 0
  /// creates, until it calls endService(). `program` is the same. Fails if this
  /// rank cannot; rank 0 says so too.
  static llvm::Error serve(const Program &program, const CslMachine &machine,
                           Exchange &exchange);
  static void endService(Exchange &exchange);

  /// Runs until nothing moves, or until `cycles` have passed. Starts, the first
  /// time, what comptime blocks activated.
  Outcome run(uint64_t cycles = ~uint64_t(0));

  /// All that there is between two runs. It goes on after load() in a simulator
  /// of the same program and options, on any number of threads and ranks.
  void save(llvm::raw_ostream &os) const;
  /// Before anything else. Trusts nothing; after an error nothing runs.
  llvm::Error load(llvm::ArrayRef<uint8_t> bytes);

  uint64_t now() const;
  const Counters &counters() const;
  const std::optional<Trap> &trap() const;
  const HangReport &hang() const;
  llvm::ArrayRef<Race> races() const;
  /// Control wavelets that operations without `.on_control` took as elements
  /// (AMB-029), which is seldom meant; the first of each PE.
  llvm::ArrayRef<Race> lostControls() const;
  llvm::ArrayRef<Race> undefinedReads() const;
  /// What PEs printed, in coordinates of the fabric: "@35 P5.3: text".
  llvm::ArrayRef<std::string> log() const;

  /// Puts a launch of an exported function on every PE of the rectangle, with
  /// one register per argument. It starts at the next run().
  llvm::Error launch(llvm::StringRef symbol, const Rectangle &where,
                     llvm::ArrayRef<uint64_t> arguments = {});
  /// Whether the PE has a command of the host that is not done: a launch waits
  /// or its function has not unblocked the command stream.
  bool hasCommand(int64_t x, int64_t y) const;
  /// Bytes of a symbol on one PE, from the array's first element on.
  llvm::Error copyIn(llvm::StringRef symbol, int64_t x, int64_t y,
                     llvm::ArrayRef<uint8_t> data, uint64_t offset = 0);
  llvm::Expected<std::vector<uint8_t>> copyOut(llvm::StringRef symbol,
                                               int64_t x, int64_t y,
                                               uint64_t bytes,
                                               uint64_t offset = 0) const;
  /// Words of a stream to a PE (Stream::Kind::PerPe) or into an edge link (x
  /// and y are the stream's). They enter one per cycle as room permits.
  llvm::Error send(llvm::StringRef stream, int64_t x, int64_t y,
                   llvm::ArrayRef<uint32_t> words);
  /// How many words sent to this place have not entered yet.
  uint64_t unsent(llvm::StringRef stream, int64_t x, int64_t y) const;
  /// What has come out of a stream at a PE so far, and removes it.
  llvm::Expected<std::vector<uint32_t>> receive(llvm::StringRef stream,
                                                int64_t x, int64_t y);

  /// A PE's memory, for debuggers and tests. Of several ranks it is that of the
  /// time of the call.
  llvm::ArrayRef<uint8_t> memory(int64_t x, int64_t y) const;
  /// A part of it.
  llvm::ArrayRef<uint8_t> memory(int64_t x, int64_t y, uint32_t address,
                                 uint32_t bytes) const;

private:
  explicit Simulator(std::unique_ptr<Wafer> wafer);
  std::unique_ptr<Wafer> wafer;
};

} // namespace sequin::wafer

#endif // SEQUIN_WAFERSIM_SIMULATOR_H
