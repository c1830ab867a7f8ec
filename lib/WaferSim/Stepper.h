//===- Stepper.h - Steps PEs cycle by cycle ---------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of a PE in one cycle: router, output queues, threads. A stepper has
// what one thread needs for that and what its PEs have said and counted, which
// Wafer puts together after every window of cycles.
//
// Who wakes whom: a wavelet wakes its receiver at its arrival; taking one from
// a full router buffer wakes the neighbour that fills it in the next cycle; a
// PE that did something looks again in the next cycle. A step reads and writes
// the PE itself and its four neighbours, and nothing else that steppers share.
//
// Order of steps: blocks of PEs in windows of a few cycles, where a PE is
// stepped at cycle t when its neighbours have been stepped at t - 1. Of a
// window a stepper does a part: rows whose bounds move by one row per cycle, so
// that parts that are done at the same time never touch the same PE.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_WAFERSIM_STEPPER_H
#define SEQUIN_LIB_WAFERSIM_STEPPER_H

#include "Core.h"
#include "sequin/Machine/CslMessages.h"
#include "sequin/Machine/CslPipeline.h"
#include "sequin/Machine/CslRegisters.h"
#include "sequin/Support/Archive.h"
#include "sequin/Wafer/ControlWord.h"
#include "sequin/WaferSim/Simulator.h"

namespace sequin::wafer {

/// Rows of a window: in its cycle k those from begin + k * beginSlope to before
/// end + k * endSlope. Slopes are -1, 0 or 1.
struct WindowPart {
  int64_t begin = 0, end = 0;
  int beginSlope = 0, endSlope = 0;
  bool contains(int64_t y, int64_t k) const {
    return y >= begin + k * beginSlope && y < end + k * endSlope;
  }
};

/// What a PE does to its neighbour in another rank's row.
struct Crossing {
  enum class Kind : uint8_t {
    Push,  ///< a wavelet of `color`
    Pop,   ///< one that came from there has moved on
    Probe, ///< looks for room in the router buffer of `color`
    Route, ///< has written `data` >> 16 into the register at the rest
  };
  uint32_t data = 0;
  uint16_t x = 0;
  Kind kind = Kind::Push;
  uint8_t color = 0;
  bool control = false, flip = false, half = false;
  uint8_t sentAs = 0; ///< the color that the wavelet itself has
};

/// What a PE has printed.
struct LogLine {
  uint64_t cycle;
  uint32_t pe, order;
  std::string text;
  bool operator<(const LogLine &other) const {
    return std::tie(cycle, pe, order) <
           std::tie(other.cycle, other.pe, other.order);
  }
};

/// Steps that are planned for the next kNear cycles: by row, cycle % kSlots and
/// word of 64 PEs.
struct Plan {
  static constexpr uint64_t kSlots = 64, kNear = 32;
  std::vector<uint64_t> slots;
  std::vector<uint64_t> masks;     ///< by row: bit c % kSlots has something
  std::vector<uint8_t> activeRows; ///< whose mask may not be empty
  unsigned wordsPerRow = 0;
  void clear() {
    std::fill(slots.begin(), slots.end(), 0);
    std::fill(masks.begin(), masks.end(), 0);
    std::fill(activeRows.begin(), activeRows.end(), 0);
  }
};

class Stepper {
public:
  explicit Stepper(Wafer &wafer);

  /// Puts a PE into the state that the program begins with.
  void loadCore(Core &core);
  /// Cycles from `start` on, as many as `cycles`. Stops within them if the
  /// wafer is interrupted.
  void runWindow(uint64_t start, int64_t cycles, const WindowPart &part);
  /// Puts a PE beside its program: all but state and memory.
  void bindCore(Core &core);
  /// Makes an image of a PE in another rank's row.
  void loadImage(Core &core);
  /// Makes it one of what the PE is now, as its rank has told.
  void takeImage(Core &image, Loader &border, bool south);
  /// What PEs beyond the border to the north (false) or south did in cycle
  /// `now`.
  void takeCrossings(llvm::ArrayRef<Crossing> all, bool south);
  /// Plans a step of `core`.
  void wake(Core &core, uint64_t at);
  void define(Core &core, uint32_t address, uint32_t bytes, bool on = true);

  uint64_t now = 0;
  /// Since the last window.
  Counters counters;
  uint64_t lastStep = 0;
  std::vector<LogLine> lines;
  std::vector<Race> races, undefined, lostControls;
  std::optional<Trap> trapped;
  /// What goes over the borders to other ranks, north and south.
  std::array<std::vector<Crossing>, 2> crossings;
  /// Steps beyond those of the plan: cycle and PE.
  std::vector<std::pair<uint64_t, uint32_t>> far;

private:
  Wafer &wafer;
  const Program &program;
  const CslMachine &machine;
  const Options &options;
  /// Who wants to know every instruction and element, or nobody.
  Observer *const tracer;
  Plan &plan;
  const unsigned bankModulus, independentFloatCycles;
  const uint64_t randomSeed;

  uint32_t indexOf(const Core &core) const;
  Core *neighbour(Core &core, unsigned direction) const;
  Moment momentOf(const Core &core, uint64_t cycle) const {
    return {cycle, core.x, core.y};
  }
  void trap(Core &core, std::string message, Location location = 0);
  void race(Core &core, std::string message);
  /// A control wavelet that an operation takes as an element.
  void loseControl(Core &core, const LiveOp &op);
  void countMacs(DsdOpcode opcode, uint64_t elements);

  // Border.cpp: neighbours in other ranks' rows.
  std::vector<Crossing> &crossingsTo(const Core &other);
  void pushOver(Core &core, Core &other, uint8_t channel, Wavelet wavelet);
  void tellRoutes(const Core &core, uint16_t address, uint16_t value);

  // Stepper.cpp: time.
  void stepRow(uint32_t y, int64_t begin, int64_t end);
  void prefetchRow(int64_t y, unsigned ahead, int64_t begin, int64_t end) const;
  void step(Core &core);

  // Fabric.cpp: router and queues.
  /// Something that a stuck wavelet may have waited for has changed.
  static void retry(Core &core) {
    core.stuckRings[0] = core.stuckRings[1] = 0;
    if (core.hasLateRings())
      core.late.stuck = 0;
  }
  /// The same from the next cycle on: this one may be behind the PE or not.
  void retryNext(Core &core) {
    core.retries |= 1u << (now + 1) % 8;
    wake(core, now + 1);
  }
  /// Takes the first wavelet of an input queue.
  void popInput(Core &core, Ring &ring) {
    ring.pop(now);
    retry(core);
  }
  uint8_t newRing(Core &core, unsigned capacity, uint8_t color, uint8_t id);
  void newChannel(Core &core, uint8_t color, unsigned from);
  uint8_t findChannel(Core &core, uint8_t color, unsigned from);
  uint8_t channelOf(Core &core, uint8_t color, unsigned from) {
    uint8_t channel = core.channel[color][from];
    return channel != kNone ? channel : findChannel(core, color, from);
  }
  uint8_t inputRingOfColor(Core &core, uint8_t color);
  void bindInputQueue(Core &core, unsigned queue, uint8_t color);
  uint8_t outputRingOfQueue(Core &core, uint8_t queue);
  void stepRouter(Core &core);
  bool forward(Core &core, uint8_t ring, uint8_t &usedLinks,
               uint32_t &movedColors);
  void countWavelet(Core &core, uint8_t filter, const Wavelet &wavelet);
  void applyCommand(Core &core, uint8_t color, SwitchCommand command,
                    const Wavelet &wavelet, bool &advanced);
  void enterTeardown(Core &core, uint8_t color);
  void leaveTeardown(Core &core, uint8_t color);
  void popChannel(Core &core, uint8_t ring);
  void stepOutputs(Core &core);
  void stepHost(Core &core);
  void stepHalo(Core &first, HostStream &stream, HostStream::Row &row);
  uint64_t arrival(const Core &core, uint8_t index, uint64_t latency);
  void sendTo(Core &core, uint8_t ring, Wavelet wavelet, uint64_t latency);
  void sendDown(Core &core, uint8_t queue, Wavelet wavelet);
  RouterTable &editRouter(Core &core);
  bool checkColor(Core &core, unsigned color, Location location = 0);

  // Messages.cpp: colors in message mode.
  void setMessageColors(Core &core, uint32_t colors);
  bool forwardMessage(Core &core, uint8_t ring, uint8_t &usedLinks,
                      uint32_t &movedColors);
  bool labelWavelet(Core &core, Wavelet &wavelet);
  bool dropHeader(Core &core, LiveOp &op);
  bool endsMessage(const Core &core, const LiveOp &op) const;

  // Threads.cpp: main thread, tasks, microthreads.
  void stepThreads(Core &core);
  void pickTask(Core &core);
  void startTask(Core &core, const Task &task, const Wavelet *wavelet);
  void startFunction(Core &core, uint32_t function,
                     llvm::ArrayRef<uint64_t> arguments);
  bool runTeardownHandlers(Core &core);
  void activate(Core &core, uint64_t id);
  void complete(Core &core, LiveOp &op, bool result);
  void finishOnControl(Core &core, LiveOp &op);
  void busy(Core &core, uint64_t cycles);
  void block(Core &core, BlockKind kind, uint64_t id, bool on);
  void queueFlush(Core &core, unsigned queue, bool output);
  void checkFlushes(Core &core);

  // Scalar.cpp: bytecode.
  void runMain(Core &core);
  enum class Machine : uint8_t { Continue, Stop };
  Machine runMachine(Core &core, Frame &frame, const Instruction &instruction);
  void print(Core &core, const Print &print, const uint64_t *registers);

  // Latch.cpp and Issue.cpp: DSD operations.
  Machine startDsd(Core &core, const Operation &operation, uint64_t *registers,
                   Register result, Location location);
  bool latch(Core &core, Walk &walk, const Descriptor &descriptor,
             unsigned bytes, uint32_t &length, uint16_t index,
             Location location);
  bool latchOperand(Core &core, LiveOp &op, Walk &walk, const Operand &operand,
                    unsigned bytes, const uint64_t *registers, uint16_t index,
                    uint32_t &length, bool isDest);
  bool checkRange(Core &core, const Walk &walk, uint32_t count,
                  Location location);
  bool checkRole(Core &core, const Walk &walk, bool isDest, Location location);
  bool bankConflict(const LiveOp &op) const;
  int64_t bulkCycles(const LiveOp &op) const;
  unsigned rateOf(const LiveOp &op) const;
  bool issue(Core &core, LiveOp &op);
  template <bool Watched> bool issueWord(Core &core, LiveOp &op);
  bool movesWords(const Core &core, const LiveOp &op) const;
  enum class Gate : uint8_t { Open, Closed, Ended };
  Gate gateOfSource(Core &core, LiveOp &op, Walk &walk, unsigned taken,
                    unsigned done);
  Gate gateOfDest(Core &core, LiveOp &op, unsigned sent, unsigned done);
  Gate fifoGate(Core &core, LiveOp &op, unsigned number, unsigned count,
                unsigned done, bool write);
  Gate fifoStops(Core &core, LiveOp &op, unsigned fifo, unsigned needed,
                 bool write);
  uint32_t fetch(Core &core, LiveOp &op, Walk &walk, unsigned &taken);
  void store(Core &core, LiveOp &op, uint32_t value, unsigned &sent);
  uint32_t elementOf(const Core &core, const Walk &walk,
                     const Wavelet &wavelet) const;
  void putWavelet(Core &core, Walk &walk, uint32_t value, bool last);
  void runBulk(Core &core, LiveOp &op);
  void runWatched(Core &core, LiveOp &op, uint64_t start);
  TracedElement traced(const Core &core, const LiveOp &op) const;
  void traceStart(const Core &core, unsigned thread);
  void traceElement(const Core &core, TracedElement element, uint64_t cycle,
                    uint32_t x, uint32_t y, uint32_t value);
  void traceWait(Core &core, const LiveOp &op, Stall stall);
  void traceInstruction(const Core &core, uint64_t cycle,
                        const Instruction &instruction);
  void saveAddress(Core &core, const Walk &walk);
  void zeroSource(Core &core, LiveOp &op);
  uint32_t readMemory(Core &core, Walk &walk);
  void writeMemory(Core &core, Walk &walk, uint32_t value);

  // Exceptions.cpp: what stops the PE if it is unmasked.
  bool raises(Core &core, const LiveOp &op, uint32_t x, uint32_t y,
              uint32_t value);
  bool raises(Core &core, const Instruction &instruction, uint64_t left,
              uint64_t right, uint64_t third, uint64_t value);
  void setExceptionMask(Core &core, uint16_t mask);

  // Poison.cpp.
  void useMemory(Core &core, uint32_t address, uint32_t bytes);
  void useWalk(Core &core, Walk walk, uint32_t count, bool write);
  void useOperation(Core &core, const LiveOp &op);
  void moveDefined(Core &core, uint32_t to, uint32_t from, uint32_t bytes);
  uint32_t popFifo(Core &core, unsigned fifo);
  void pushFifo(Core &core, unsigned fifo, uint32_t value);
  void loadDsr(Core &core, const DsrLoad &load, uint64_t descriptor,
               uint8_t completion, uint8_t onControl);
  DsrState &dsrOf(Core &core, unsigned file, unsigned number);
  LiveOp &opOf(Core &core, unsigned thread);
  Machine runStep(Core &core, const Instruction &instruction,
                  uint64_t *registers, Location location);

  // Registers.cpp.
  void writeRoutes(Core &core, CslRegister kind, unsigned word, uint16_t value);
  uint16_t readConfig(Core &core, uint16_t address);
  void writeConfig(Core &core, uint16_t address, uint16_t value);
  std::optional<uint16_t> registerAt(uint64_t address, uint64_t bytes) const;
  void accessRegisters(Core &core, bool write, uint16_t word, uint64_t bytes,
                       uint64_t &value);

  Slab slab;
  std::vector<uint16_t> planned; ///< columns of the row that is stepped
  bool stopped = false;          ///< this step has trapped
  /// Scalar code of the stepped PE is at work: a trap is at its instruction.
  bool inScalarCode = false;
  Location inOperation = 0; ///< of the operation that issues
  bool stepping = false; ///< a row is stepped; nothing may be planned for `now`
};

/// The stride of `walk`'s loops in elements, for SIMD limits.
int64_t strideOf(const Walk &walk);

/// The DSRs of a PE, none of them loaded.
llvm::MutableArrayRef<DsrState> newDsrs(const CslMachine &machine, Slab &slab);

/// Of the instruction that scalar code is at.
Location currentLocation(const Core &core);

} // namespace sequin::wafer

#endif // SEQUIN_LIB_WAFERSIM_STEPPER_H
