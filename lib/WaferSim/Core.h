//===- Core.h - State of a PE in the fabric simulator -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is shared by PEs of one code, setup or router (CodeInfo, SetupInfo,
// RouterTable) and what each PE has of its own (Core).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_WAFERSIM_CORE_H
#define SEQUIN_LIB_WAFERSIM_CORE_H

#include "Slab.h"
#include "sequin/Machine/CslRegisters.h"
#include "sequin/Support/DsdArithmetic.h"
#include "sequin/Support/FloatExceptions.h"
#include "sequin/Wafer/Program.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace sequin::wafer {

inline constexpr unsigned kColors = 24;
inline constexpr uint8_t kNone = 0xff;
/// The link to the PE's own core.
inline constexpr unsigned kRamp = static_cast<unsigned>(Direction::Ramp);
/// The thread of the main thread's operation; microthreads are 0 to 7.
inline constexpr unsigned kMain = 8;
/// Words of bits for the rings of a PE: a router buffer per color and link,
/// eight input and eight output queues, WSE-2's queues by color.
inline constexpr unsigned kRingWords = 3;
static_assert(kColors * kDirections + 8 + 8 + kColors <= kRingWords * 64);

//===----------------------------------------------------------------------===//
// Shared tables
//===----------------------------------------------------------------------===//

struct FlatColor {
  std::array<Routes, 4> positions = {}; ///< of settle()
  /// What each position gives: see Program.h's ColorConfig.
  std::array<Routes, 4> given = {};
  uint8_t valid = 0; ///< bit p: position p
  /// Bit p: the select bit of position p in WSE-2's switch register, which an
  /// invalid position has too.
  uint8_t selects = 0;
  bool configured = false, hasSwitches = false, ring = false;
  PopMode pop = PopMode::NoPop;
  uint8_t filter = kNone;
  uint8_t swap = 0; ///< bit 0 x, bit 1 y
  Location location = 0;

  /// Makes the positions of what they give. At an invalid position, which only
  /// a register can move to, the routes are those of the one before.
  void settle();
};

struct RouterTable {
  std::array<FlatColor, kColors> colors;
  /// Bit c: wavelets of color c are heard as another color over some link
  /// (FAB-072): c or its partner swaps.
  uint32_t swapped = 0;
};

/// Colors that hear what comes over link `from` with tag `tag`: itself unless
/// it swaps there, its partner if that does. From the RAMP if both axes swap.
struct Hearers {
  std::array<uint8_t, 2> colors;
  unsigned count = 0;
};
Hearers hearersOf(const RouterTable &table, uint8_t tag, unsigned from);

struct CodeInfo {
  const Code *code = nullptr;
  /// Bit w: the 16-bit word w belongs to a variable or the stack.
  llvm::BitVector mapped;
};

struct SetupInfo {
  const Setup *setup = nullptr;
  std::array<const Task *, 32> tasks = {}; ///< data and local
  /// By table and id.
  std::map<std::pair<uint8_t, uint8_t>, const Task *> control;
  uint32_t boundLocal = 0; ///< bit i: local task i has a function
};

/// Words between the host and the PEs.
struct HostStream {
  const Stream *stream = nullptr;
  struct Row {
    std::map<uint16_t, std::deque<uint32_t>> words; ///< by column
    /// Halo::Fabric: column and word in the order sent. The first enters the
    /// row's link one cycle after `entered`.
    std::deque<std::pair<uint16_t, uint32_t>> link;
    uint64_t entered = 0, delivered = 0;
    /// Halo::Fabric: words that wait for the host.
    uint64_t waiting = 0;
  };
  std::vector<Row> rows;
};

//===----------------------------------------------------------------------===//
// Operations under way
//===----------------------------------------------------------------------===//

/// An operand as the hardware walks it.
struct Walk {
  enum class Kind : uint8_t {
    None,
    Linear, ///< memory with one stride; also Pointer destinations (stride 0)
    Nest,   ///< mem4d
    Circular,
    FabricIn,
    FabricOut,
    Fifo,
    Scalar
  };
  Kind kind = Kind::None;
  uint8_t bytes = 2; ///< of an element
  uint8_t ring = kNone;
  uint8_t color = 0;
  uint8_t queue = 0; ///< that the DSD names, else of the ring
  bool control = false, transform = false, advance = false, pointer = false;
  bool hasIndex = false;
  uint8_t perWavelet = 1, wavelets = 1; ///< elements in one; per cycle
  bool allWavelets = false;             ///< simd_64: not fewer than `wavelets`
  bool half = false;  ///< `value` holds one element of a wavelet of two
  bool dense = false; ///< a half wavelet per element (BLT-054)
  ZeroSource zero = ZeroSource::None;
  uint16_t fifo = 0, index = 0;
  uint8_t dsrFile = kNone, dsr = 0; ///< where save_address goes
  uint32_t value = 0;               ///< Scalar
  int32_t address = 0, step = 0;    ///< bytes
  int32_t begin = 0, end = 0;       ///< Circular; Nest: begin is the base
  const Shape *shape = nullptr;
  std::array<uint16_t, 4> at = {};

  bool isMemory() const {
    return kind == Kind::Linear || kind == Kind::Nest ||
           kind == Kind::Circular || kind == Kind::Scalar || kind == Kind::None;
  }
  bool isFabric() const {
    return kind == Kind::FabricIn || kind == Kind::FabricOut;
  }
  void advanceMemory();
};

enum class Stall : uint8_t {
  None,
  Input,
  Output,
  FifoEmpty,
  FifoFull,
  Blocked
};

/// A line for what concerns all operands, then one for each.
struct alignas(64) LiveOp {
  bool live = false;
  /// Words of 32 bits between queues and memory that the program has: one
  /// element per cycle, whatever else the operation could do.
  bool words = false;
  /// Each element is looked at: for a log, or for what it raises.
  bool watched = false;
  DsdOpcode opcode = DsdOpcode::Mov16;
  bool async = false, carry = false, unbounded = false;
  bool accumulate = false; ///< the result is the next first source
  uint8_t rank = 1;        ///< of the priority
  uint8_t task = 0;        ///< that started it, as logs number it
  uint8_t rate = 1;        ///< elements per cycle at most
  Stall stall = Stall::None;
  Completion completion = Completion::None;
  OnControl onControl = OnControl::None;
  uint8_t completionTarget = 0, onControlTarget = 0;
  uint32_t remaining = 0, length = 0;
  uint32_t passed = 0; ///< elements of an operation without end
  uint32_t scalar = 0;
  uint64_t start = 0; ///< first cycle in which it may issue
  uint64_t since = 0; ///< of the stall
  Register result = kNoRegister;
  Location location = 0;
  uint32_t pointerOld = 0; ///< what a FIFO's early end puts back (FIF-018)
  Walk dest, source[2];
  Walk zero; ///< memory to clear at the end (DSD-057)
};

struct StepSlot {
  Walk walk;
  uint32_t remaining = 0;
  bool unbounded = false;
};

/// A DSR.
struct DsrState {
  uint64_t descriptor = 0;
  int32_t head = -1; ///< where a saved address goes on; -1: at the base
  bool async = false, save = false, singleStep = false, adjusted = false;
  Completion completion = Completion::None;
  OnControl onControl = OnControl::None;
  uint8_t completionTarget = 0, onControlTarget = 0;
  std::optional<uint8_t> microthread;
  /// Where the steps of @map stand; none: at the beginning.
  std::unique_ptr<StepSlot> stepping;
};

struct FifoState {
  uint16_t head = 0, count = 0;
  uint16_t readLength = 0, writeLength = 0;
  /// Elements that the pop (push) that found it empty (full) needs; 0: none.
  uint16_t wantedData = 0, wantedSpace = 0;
};

//===----------------------------------------------------------------------===//
// PE
//===----------------------------------------------------------------------===//

struct Frame {
  uint32_t function = 0;
  uint32_t pc = 0;
  uint32_t registers = 0; ///< first in Core::registers
  uint32_t stack = 0;     ///< address of its stack memory
};

enum class MainState : uint8_t {
  Idle,
  Busy, ///< scalar code, a task that starts, an operation on memory
  Op,   ///< operation 8 is at work
  Step, ///< an @map step waits; the instruction is tried again
};

/// What the main thread can be in.
inline constexpr const char *kTaskKinds[] = {"",
                                             "data task",
                                             "local task",
                                             "control task",
                                             "teardown handler",
                                             "launched function"};

/// A router and its ramp in message mode (CslMessages.h). A wavelet of a
/// message has `flip` if it is the header, `control` if it is the last.
struct Messages {
  Messages() {
    for (auto *links : {&towards, &owner})
      for (auto &ofColor : *links)
        ofColor.fill(kNone);
  }
  /// By color: words of the message on its way up the ramp that have not come.
  std::array<uint8_t, kColors> left = {};
  /// By color and link: where the message that comes over it goes on; the link
  /// from which the message that leaves over it comes. kNone: there is none.
  std::array<std::array<uint8_t, kDirections>, kColors> towards, owner;
};

struct alignas(64) Core {
  // What every step looks at comes first.
  uint64_t busyRings[2] = {0, 0};
  /// Router buffers whose first wavelet has found no room or route. They are
  /// not tried again before retry().
  uint64_t stuckRings[2] = {0, 0};
  /// Input queues: those that may hold something; those that an operation uses,
  /// whose wavelets are not for tasks.
  uint64_t filledRings[2] = {0, 0}, usedRings[2] = {0, 0};
  RingList rings; ///< router buffers and queues
  const RouterTable *router = nullptr;
  uint32_t teardown = 0;
  uint32_t messageColors = 0; ///< bit c: color c is in message mode
  uint16_t live = 0;          ///< bit t: thread t has an operation
  MainState main = MainState::Idle;
  bool bulk = false;      ///< Busy with an operation: it can be outranked
  uint8_t outputBusy = 0; ///< bit q: not empty
  uint8_t lastIssued = 0;
  uint8_t nextChannel = 0; ///< round robin
  uint8_t nextOutput = 0;
  uint64_t until = 0; ///< Busy
  bool dead = false;  ///< it has trapped
  bool hasChannels = false;
  /// A task may be ready: what pickTask() looks at has changed since it found
  /// none, or a wavelet that can start one is still on its way.
  bool mayStart = true;
  bool acted = false;     ///< in this step
  bool hostWords = false; ///< the host has something for it
  bool haloWaits = false; ///< the row's link waits for it
  /// Of each thread: rank of its priority; the input queue's ring that it has
  /// found empty, or kNone.
  std::array<uint8_t, 9> ranks = {};
  std::array<uint8_t, 9> waitRing = {};
  uint8_t flushInput = 0, flushOutput = 0;
  /// Bit c % 8: in cycle c stuckRings are tried again.
  uint8_t retries = 0;
  /// Bit d: the neighbour there is another rank's.
  Directions foreign = 0;
  std::array<LiveOp *, 9> ops = {}; ///< in the slab; none yet: nullptr

  uint16_t x = 0, y = 0;
  uint32_t setupIndex = 0;
  const CodeInfo *code = nullptr;
  const SetupInfo *setup = nullptr;
  std::unique_ptr<RouterTable> ownRouter;
  const Pe *pe = nullptr;
  uint8_t *memory = nullptr;
  uint64_t *written = nullptr; ///< a bit per byte; nullptr: not tracked

  // Router.
  std::array<uint8_t, kColors> position = {};
  uint32_t teardownPending = 0, teardownLatched = 0;
  std::array<std::array<uint8_t, kDirections>, kColors> channel;
  std::vector<Filter> filters;
  uint32_t filtersOff = 0;            ///< sparse counters that ended
  std::unique_ptr<Messages> messages; ///< there if messageColors ever was not 0

  // Queues, by ring.
  std::array<uint8_t, 8> inputRing, outputRing;
  std::array<uint8_t, kColors> inputOfColor; ///< ring
  llvm::SmallVector<uint8_t, 8> inputs;      ///< rings, to look at for tasks
  std::array<uint8_t, 8> controlTable = {};
  /// Flushes that are done and not left; those whose handler is due.
  uint8_t flushedInput = 0, flushedOutput = 0;
  uint8_t handleInput = 0, handleOutput = 0;
  std::array<uint8_t, 8> inputRank = {}; ///< by queue; WSE-2

  // Tasks.
  uint32_t blocked = 0, active = 0, highPriority = 0, highControl = 0;
  uint8_t blockedMicrothreads = 0;
  uint8_t mainRank = 1;
  bool isTraced = false; ///< the next instruction, which waits for a register
  std::vector<uint16_t> rotatingCounter;

  // Threads.
  uint64_t mainSince = 0;
  llvm::SmallVector<Frame, 2> frames;
  llvm::SmallVector<uint64_t, 24> registers;
  const char *taskKind = "";
  uint8_t taskId = 0, taskNumber = 0; ///< the second is for logs (SIM-021)
  /// By priority: id of the last task that the picker chose.
  std::array<uint8_t, 7> lastTask = {31, 31, 31, 31, 31, 31, 31};

  llvm::MutableArrayRef<DsrState> dsrs; ///< three files, dsrsPerFile each
  std::vector<FifoState> fifos;
  std::vector<StepSlot> steps;
  Stall stepStall = Stall::None; ///< MainState::Step
  uint8_t stepRing = kNone;

  /// The third words of busyRings and the others. Few PEs have that many.
  struct {
    uint64_t busy = 0, stuck = 0, filled = 0, used = 0;
  } late;
  bool hasLateRings() const { return rings.size() > 128; }
  uint64_t &busyWord(unsigned word) {
    return word < 2 ? busyRings[word] : late.busy;
  }
  uint64_t &stuckWord(unsigned word) {
    return word < 2 ? stuckRings[word] : late.stuck;
  }
  uint64_t &filledWord(unsigned word) {
    return word < 2 ? filledRings[word] : late.filled;
  }
  uint64_t &usedWord(unsigned word) {
    return word < 2 ? usedRings[word] : late.used;
  }

  // Host.
  struct Launch {
    uint32_t function = 0;
    std::vector<uint64_t> arguments;
  };
  std::deque<Launch> launches;
  bool commandBlocked = false;

  // Registers without a model of their own.
  uint16_t transformMask = 0, exceptionMask = 0xffff;
  /// The float exceptions that stop this PE (Support/FloatExceptions.h).
  uint8_t unmaskedFloats() const {
    return unmaskedFloatExceptions(exceptionMask);
  }
  bool tscOn = false;
  uint64_t tscBase = 0, tscLatched = 0;
  uint64_t random[4] = {};
  uint8_t prng = 0;
  /// What has been reported of this PE: a race, a read of undefined memory, a
  /// control wavelet taken as an element. The first of each counts.
  bool raced = false, readUndefined = false, lostControl = false;
  /// The line that prints have begun. What is left at the end is not printed.
  std::unique_ptr<std::string> openLine;
  /// Words that no register is known at hold what was written.
  std::unique_ptr<std::map<uint16_t, uint16_t>> otherWords;
};

inline bool carriesMessages(const Core &core, unsigned color) {
  return core.messageColors >> color & 1;
}

/// Whether the filter of a color lets a wavelet down the ramp.
bool passes(const Core &core, const FlatColor &color, const Wavelet &wavelet);

/// Where the first wavelet of a router buffer of a color that carries messages
/// goes; kNone: it has no header.
unsigned linkOfMessage(const Core &core, uint8_t ring);

} // namespace sequin::wafer

#endif // SEQUIN_LIB_WAFERSIM_CORE_H
