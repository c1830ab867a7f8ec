//===- Program.h - A program for a rectangle of PEs -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The wafer program: what the compiler hands to the fabric, and all that the
// fabric simulator sees. No MLIR and no names to resolve: numbers into the
// tables of this file. docs/Rationale/Wafer.md says why it is cut this way;
// the structs mirror the JSON one to one (docs/Spec/Wafer.md).
//
//     Program --- locations, symbols, streams
//        |---- codes    memory map and bytecode       (few)
//        |---- setups   what comptime blocks left      (few, each of one code)
//        |---- routers  colors and filters of a PE     (some)
//        '---- pes      row by row: {code, setup, router, parameters, patches}
//
// Conventions: addresses and sizes in bytes, PE memory from 0 to the machine's
// memoryBytesPerPe; task ids in one number space of data tasks (= color on
// WSE-2, = input queue on WSE-3) and local tasks; control ids apart; x grows
// east, y south. Directions as bits: see Direction.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFER_PROGRAM_H
#define SEQUIN_WAFER_PROGRAM_H

#include "sequin/Wafer/Bytecode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <map>

namespace sequin::wafer {

/// Format version written to and required of JSON files.
inline constexpr int64_t kFormatVersion = 1;

//===----------------------------------------------------------------------===//
// Router
//===----------------------------------------------------------------------===//

/// The links of a router, in the order of the bits of @set_color_config's
/// vectors (FAB-011).
enum class Direction : uint8_t { West, East, South, North, Ramp };
inline constexpr unsigned kDirections = 5;
/// "WEST", ...: CSL's spelling.
llvm::StringRef getName(Direction direction);
/// "PE (3, 0)", as messages and logs name a PE.
std::string getPeName(int64_t x, int64_t y);
std::optional<Direction> parseDirection(llvm::StringRef name);

/// A set of directions: bit d for Direction d.
using Directions = uint8_t;
constexpr Directions bit(Direction direction) {
  return static_cast<Directions>(1u << static_cast<unsigned>(direction));
}

/// Where wavelets of a color come from and go to. Several inputs are legal and
/// must not deliver at the same time (FAB-014: reported as a race); several
/// outputs all get the wavelet, which moves on when all accept it (FAB-015).
struct Routes {
  Directions rx = 0, tx = 0;
  /// `before` with the sides that these give: of a switch position and the one
  /// before it.
  Routes over(Routes before) const {
    return {rx ? rx : before.rx, tx ? tx : before.tx};
  }
  bool operator==(const Routes &other) const = default;
};

/// When the first command of a control wavelet is taken out before it is passed
/// on (FAB-035 to FAB-038).
enum class PopMode : uint8_t { NoPop, AlwaysPop, OnAdvance, OnAdvanceNop };
llvm::StringRef getName(PopMode mode);

/// The commands of control wavelets (FAB-026 to FAB-031).
enum class SwitchCommand : uint8_t { Nop, Advance, Reset, Teardown };

/// Switching and routing of one color at one PE.
struct ColorConfig {
  /// One per switch position: [0] are `.routes`, [1] to [3] what pos1 to pos3
  /// give; a side of no direction is not given. None: invalid (FAB-027).
  std::array<std::optional<Routes>, 4> positions = {};
  /// Positions accumulate: a side that one does not give is that of the
  /// position before it.
  Routes routesAt(unsigned position) const {
    Routes routes;
    for (unsigned p = 0; p <= position; ++p)
      if (positions[p])
        routes = positions[p]->over(routes);
    return routes;
  }
  uint8_t position = 0;     ///< initial
  bool hasSwitches = false; ///< commands act only where a switch is configured
  bool ring = false;
  PopMode pop = PopMode::NoPop;
  bool teardown = false;             ///< starts in teardown (FAB-064)
  bool swapX = false, swapY = false; ///< FAB-072; WSE-2
  /// Index into Router::filters; on the way to the RAMP only.
  std::optional<uint8_t> filter = {};
  Location location = 0;
  bool operator==(const ColorConfig &other) const = default;
};

enum class FilterKind : uint8_t { Counter, SparseCounter, Range };
llvm::StringRef getName(FilterKind kind);

/// Of what reaches the RAMP (FAB-050 to FAB-060). The index is filter id as
/// @get_filter_id gives it.
///
/// Counter: a wavelet passes iff counter <= maxCounter, tested before counting;
/// then, if it is of a kind that counts, the counter goes up, after limit1 to 0
/// (a period of limit1 + 1). With filterControl only control wavelets that come
/// at counter == maxCounter pass.
/// Sparse: the same until limit1 has been reached; then limit2 replaces it, or
/// without it (and the second time) the filter ends and all pass.
/// Range: data passes iff minIndex <= index <= maxIndex, control always.
struct Filter {
  FilterKind kind = FilterKind::Counter;
  bool countData = false, countControl = false;
  bool filterControl = false;
  uint16_t counter = 0; ///< init_counter
  std::optional<uint16_t> limit1 = {}, limit2 = {};
  uint16_t maxCounter = 0;
  uint16_t minIndex = 0, maxIndex = 0;
  Location location = 0;
  bool operator==(const Filter &other) const = default;
};

/// All of a PE's router. Colors without a configuration are not in `colors`: a
/// wavelet that arrives on one traps (FAB-019, AMB-031).
struct Router {
  std::map<uint8_t, ColorConfig> colors = {};
  std::vector<Filter> filters = {};
  bool operator==(const Router &other) const = default;
};

//===----------------------------------------------------------------------===//
// Setup: what the top-level comptime blocks left
//===----------------------------------------------------------------------===//

enum class TaskKind : uint8_t { Data, Local, Control };
llvm::StringRef getName(TaskKind kind);

/// A function bound to an id. Arguments are cut from the wavelet: one of 16
/// bits is the low half, one of 32 all of it, two of 16 the low half and the
/// index (TSK-020, TSK-024).
struct Task {
  TaskKind kind = TaskKind::Local;
  uint8_t id = 0;
  /// Control tasks: which of the per-queue tables (TSK-047); else 0.
  uint8_t table = 0;
  uint32_t function = 0; ///< index into Code::functions
  llvm::SmallVector<uint8_t, 2> argumentBits = {};
  Location location = 0; ///< of the binding
  bool operator==(const Task &other) const = default;
};

/// @bind_rotating_tasks (TSK-048, AMB-035): when the data task `id` starts and
/// the counter is at `limit`, `alternative` runs instead and the counter is 0;
/// else the counter goes up.
struct RotatingTask {
  uint8_t id = 0;
  uint32_t alternative = 0; ///< index into Code::functions
  uint16_t limit = 0, counter = 0;
  bool operator==(const RotatingTask &other) const = default;
};

/// @initialize_queue.
struct Queue {
  uint8_t id = 0;
  /// WSE-2 output queues have none: the fabout names it.
  std::optional<uint8_t> color = {};
  Priority priority = Priority::Default; ///< WSE-2 input; then High (ASY-032)
  uint8_t controlTable = 0;              ///< WSE-3 input
  bool dense = false; ///< WSE-3: 16-bit data travel as half wavelets
  Location location = 0;
  bool operator==(const Queue &other) const = default;
};

/// What happens at a full or empty FIFO (FIF-013 to FIF-016).
enum class FifoAction : uint8_t { TestOrSuspend, Terminate, Suspend, Fault };
llvm::StringRef getName(FifoAction action);

/// @allocate_fifo.
struct Fifo {
  std::string name = {};
  uint16_t address = 0;
  uint16_t elements = 0; ///< all of them usable (AMB-044)
  uint8_t elementBytes = 2;
  FifoAction emptyAction = FifoAction::TestOrSuspend;
  FifoAction fullAction = FifoAction::TestOrSuspend;
  std::optional<uint8_t> activatePop = {},
                         activatePush = {}; ///< local task ids
  Priority priority = Priority::Default;    ///< WSE-3
  SimdMode simd = SimdMode::Default;        ///< WSE-2
  /// Explicit registers (FIF-023): operations may name them as DSRs of the
  /// files Dest and Source1; `number` is that of both.
  std::optional<uint8_t> dsr = {};
  Location location = 0;
  bool operator==(const Fifo &other) const = default;
};

/// A DSR loaded before the program starts. Registers of `load.options` are
/// kNoRegister; the targets are these ids instead.
struct InitialDsr {
  DsrLoad load = {};
  Descriptor descriptor = {};
  uint8_t completionTarget = 0, onControlTarget = 0;
  bool operator==(const InitialDsr &other) const = default;
};

struct Setup {
  uint32_t code = 0; ///< index into Program::codes
  /// At most one task per (id) of data and local tasks, and one per (table,
  /// id) of control tasks.
  std::vector<Task> tasks = {};
  std::vector<RotatingTask> rotating = {};
  /// Bit i: id i starts blocked, active. Data ids without a data task start
  /// blocked (TSK-032); that is already in here.
  uint32_t blockedTasks = 0, activeTasks = 0;
  uint8_t blockedMicrothreads = 0;
  std::vector<Queue> inputQueues = {}, outputQueues = {};
  std::vector<Fifo> fifos = {}; ///< as many for every setup of a code
  std::vector<InitialDsr> dsrs = {};
  /// color -> function: run by the teardown task when the color has entered
  /// teardown (FAB-065).
  std::map<uint8_t, uint32_t> teardownHandlers = {};
  /// queue -> function, input and output: run by the teardown task when a
  /// @queue_flush is done (BLT-076).
  std::map<uint8_t, uint32_t> emptyInputHandlers = {}, emptyOutputHandlers = {};
  /// Registers written before the start, in order: word address, value.
  std::vector<std::pair<uint16_t, uint16_t>> registers = {};
  bool operator==(const Setup &other) const = default;
};

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// What the elements of a variable are, for host arrays and debuggers.
enum class ElementKind : uint8_t {
  Bool,
  Signed,
  Unsigned,
  Float,   ///< 32 bits, or 16 in the program's format
  Pointer, ///< byte address
  Id,      ///< color, queue, task id, microthread
  Dsd,     ///< packed descriptor
  Bytes,   ///< a struct or union
};
llvm::StringRef getName(ElementKind kind);

struct Variable {
  std::string name = {};
  uint16_t address = 0;
  ElementKind kind = ElementKind::Unsigned;
  uint16_t elementBytes = 2;
  /// Row-major; empty for a scalar.
  llvm::SmallVector<int64_t, 3> shape = {};
  bool constant = false;
  /// Initial bytes: all of them, or none for a variable without initialiser,
  /// which reads as zero (AMB-037) and is reported when read before it is
  /// written.
  std::vector<uint8_t> data = {};
  Location location = 0;
  bool operator==(const Variable &other) const = default;

  int64_t elements() const {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  }
  int64_t bytes() const { return elements() * elementBytes; }
};

struct Code {
  std::string name = {}; ///< of the program in the dialect
  /// No two overlap; all within the memory.
  std::vector<Variable> variables = {};
  /// Estimates for the memory map; they hold nothing the simulator reads.
  /// [textAddress, textAddress + textBytes) is code and tables.
  uint16_t textAddress = 0, textBytes = 0;
  /// Frames of calls grow upwards from here; more than stackBytes is a trap.
  uint16_t stackAddress = 0, stackBytes = 0;

  std::vector<Function> functions = {};
  std::vector<Operation> operations = {};
  std::vector<DsrLoad> dsrLoads = {};
  std::vector<Descriptor> descriptors = {};
  std::vector<Shape> shapes = {};
  std::vector<uint64_t> constants = {};
  std::vector<std::string> messages = {}; ///< of Assert and Trap
  std::vector<Print> prints = {};
  unsigned stepSlots = 0; ///< slots that StepLoad uses: 0 to this - 1
  /// Values of Pe::parameters, in order, for messages.
  std::vector<std::string> parameters = {};
  bool operator==(const Code &other) const = default;
};

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

/// A name that PEs advertise (@export_name with @export_symbol). The same name
/// may be at different places in different codes.
struct Symbol {
  enum class Kind : uint8_t {
    Tensor,   ///< the variable is the array
    Pointer,  ///< the variable holds the address of the array
    Scalar,   ///< the variable is one value
    Function, ///< may be launched
  };
  /// Where one code has it.
  struct Definition {
    uint32_t code = 0;
    /// Index into Code::variables, or Code::functions.
    uint32_t index = 0;
    bool operator==(const Definition &other) const = default;
  };
  std::string name = {};
  Kind kind = Kind::Tensor;
  bool writable = true; ///< `isMutable`
  bool toConst = false; ///< what the pointer points to is const
  /// Whether the host may write: `isMutable` is about the variable, and behind
  /// a pointer, `[*]T`, is other memory.
  bool isWritableByHost() const {
    return writable || (kind == Kind::Pointer && !toConst);
  }
  /// What the pointer points to, or the tensor's elements.
  ElementKind element = ElementKind::Unsigned;
  uint16_t elementBytes = 2;
  /// Functions: bits of each argument; they arrive in registers 0, 1, ....
  llvm::SmallVector<uint8_t, 4> argumentBits = {};
  std::vector<ElementKind> argumentKinds = {};
  std::vector<Definition> places = {};
  bool operator==(const Symbol &other) const = default;
};

/// Wavelets between host and fabric.
///
/// PerPe (memcpy's streaming colors): what the host sends to a PE arrives at
/// its RAMP on `color`, what the PE sends on `color` is the host's; the color
/// has no configuration in any router. Edge (SdkLayout's ports): the link of PE
/// (x, y) in `side` leads to the host.
struct Stream {
  enum class Kind : uint8_t { PerPe, Edge };
  std::string name = {};
  Kind kind = Kind::PerPe;
  uint8_t color = 0;
  bool toDevice = true;
  int64_t x = 0, y = 0; ///< Edge
  Direction side = Direction::West;
  bool operator==(const Stream &other) const = default;
};

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

/// Initial bytes that this PE has and others of its code do not.
struct Patch {
  uint16_t address = 0;
  std::vector<uint8_t> data = {};
  bool operator==(const Patch &other) const = default;
};

struct Pe {
  uint32_t setup = 0, router = 0;
  std::vector<uint64_t> parameters = {};
  std::vector<Patch> patches = {};
  bool operator==(const Pe &other) const = default;
};

struct Program {
  std::string target = {}; ///< machine row: "wse2", "wse3"
  Fp16Format fp16 = Fp16Format::F16;
  /// The rectangle, in PEs.
  int64_t width = 0, height = 0;
  /// The fabric around it and where the rectangle begins: for coordinates in
  /// messages and registers.
  int64_t fabricWidth = 0, fabricHeight = 0;
  int64_t offsetX = 0, offsetY = 0;
  /// Compiled with the memcpy library: its ids are taken, and launches block
  /// the command stream until it is unblocked.
  bool memcpy = false;

  std::vector<Code> codes = {};
  std::vector<Setup> setups = {};
  std::vector<Router> routers = {};
  std::vector<Pe> pes = {}; ///< width * height, row by row from the north
  std::vector<Symbol> symbols = {};
  std::vector<Stream> streams = {};
  /// "file:line:col"; a call chain as "inner at outer". [0] is "".
  std::vector<std::string> locations = {""};

  const Pe &at(int64_t x, int64_t y) const { return pes[y * width + x]; }
  const Code &codeOf(const Pe &pe) const {
    return codes[setups[pe.setup].code];
  }
  bool operator==(const Program &other) const = default;
};

/// Everything that a reader may rely on: numbers within their tables, registers
/// within frames, jump targets within functions, ids within the machine's
/// ranges, variables within memory and apart, one task per id, functions that
/// do not fall through. The simulator refuses what this refuses.
llvm::Error check(const Program &program, const CslMachine &machine);

llvm::json::Value toJSON(const Program &program);
/// Errors name the path of the value.
llvm::Expected<Program> fromJSON(const llvm::json::Value &value);
llvm::Expected<Program> fromJSONText(llvm::StringRef text);
/// A number by which programs are told apart: of their JSON.
uint64_t fingerprint(const Program &program);

/// Bytecode and tables as text, for tests and people.
void print(llvm::raw_ostream &os, const Code &code);
void print(llvm::raw_ostream &os, const Program &program);

} // namespace sequin::wafer

#endif // SEQUIN_WAFER_PROGRAM_H
