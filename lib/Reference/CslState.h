//===- CslState.h - State of the csl reference ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CslCode: a csl.program with its functions numbered once, used by all PEs that
// have it. Pe: what one PE has of its own. CslMachineState: all PEs, the
// network and the order in which they act.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_CSLSTATE_H
#define SEQUIN_LIB_REFERENCE_CSLSTATE_H

#include "CslMemory.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Machine/CslMessages.h"
#include "sequin/Machine/CslRegisters.h"
#include "sequin/Reference/CslInterpreter.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <deque>
#include <map>
#include <set>

namespace sequin::reference {

class CslMachineState;
struct Pe;
struct Activation;
struct Step;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The bytes of an aggregate value.
using Bytes = std::shared_ptr<const std::vector<uint8_t>>;

/// An SSA value. Numbers have zeros above their width; a memref is the address
/// of its first element; a DSD a number into CslMachineState::dsds.
struct Val {
  uint64_t bits = 0;
  Bytes bytes = {};
};

/// A DSD as the manual describes it.
struct Dsd {
  enum class Kind : uint8_t {
    None,
    Mem1d,
    Mem4d,
    Circbuf,
    Fabin,
    Fabout,
    Fifo
  };
  Kind kind = Kind::None;
  uint16_t base = 0;
  uint16_t extent = 0;     ///< all but Mem4d
  uint16_t wraparound = 0; ///< Circbuf: elements
  /// Innermost first, as stored strides (DSD-029). Mem1d: the first stride.
  uint8_t rank = 0;
  std::array<uint16_t, 4> extents = {};
  std::array<int32_t, 4> strides = {};
  bool indexOffset = false;
  // Fabric: numbers or -1.
  int8_t queue = -1, color = -1;
  std::optional<csl::SimdMode> simd = {};
  std::optional<csl::ZeroSource> zero = {};
  bool control = false, advance = false, transform = false;
  uint16_t fifo = 0; ///< Fifo: into CslCode::fifos

  bool isMemory() const {
    return kind == Kind::Mem1d || kind == Kind::Mem4d || kind == Kind::Circbuf;
  }
  auto operator<=>(const Dsd &) const = default;
};

/// The extent that stands for no end (DSD-073).
inline constexpr uint32_t kEndless = 0x7fff;

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

struct BlockCode;

/// One operation, ready to be interpreted.
struct Step {
  using Handler = void (*)(CslMachineState &, Pe &, Activation &, const Step &);
  Handler handler = nullptr;
  mlir::Operation *op = nullptr;
  llvm::SmallVector<uint32_t, 4> operands = {}; ///< slots
  llvm::SmallVector<uint32_t, 2> results = {};
  /// Of structured control flow, the blocks of its regions; of branches, their
  /// targets.
  llvm::SmallVector<BlockCode *, 2> blocks = {};
  /// Bits of the first operand and of the first result.
  uint8_t width = 0, resultWidth = 0;
  bool mayRaise = false; ///< a float operation of running code
};

struct BlockCode {
  llvm::SmallVector<uint32_t, 2> arguments = {};
  std::vector<Step> steps = {};
};

struct FunctionCode {
  mlir::Operation *op = nullptr;
  std::string name = {};
  uint32_t slots = 0;
  std::vector<std::unique_ptr<BlockCode>> blocks = {};
  BlockCode *entry = nullptr;
  mlir::FunctionType type = {}; ///< null: a comptime block
  uint32_t number = 0;          ///< into CslCode::functions
};

/// A csl.fifo.
struct FifoInfo {
  csl::FifoOp op = {};
  uint16_t address = 0, elements = 0;
  uint8_t bytes = 2;
};

struct CslCode {
  csl::ProgramOp op = {};
  MemoryMap memory;
  std::vector<csl::ParamOp> params;
  llvm::StringMap<unsigned> paramNumbers;
  std::vector<std::unique_ptr<FunctionCode>> functions;
  llvm::StringMap<unsigned> functionNumbers;
  std::vector<std::unique_ptr<FunctionCode>> comptime;
  std::vector<FifoInfo> fifos;
  llvm::StringMap<unsigned> fifoNumbers;
  /// Advertised name to the symbol.
  llvm::StringMap<mlir::Operation *> exports;
};

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// A position in a block; of a region, the step that owns it.
struct Cursor {
  BlockCode *block = nullptr;
  uint32_t next = 0;
  const Step *owner = nullptr;
  /// scf.for, scf.parallel: what is left.
  uint64_t iterations = 0;
  uint64_t value = 0, step = 0;
};

/// How far an operand has come.
struct Walk {
  enum class Kind : uint8_t { None, Scalar, Memory, Fabin, Fabout, Fifo };
  Kind kind = Kind::None;
  Dsd dsd = {};
  uint8_t bytes = 2;
  uint32_t value = 0;  ///< Scalar
  int64_t address = 0; ///< Memory: of the next element
  std::array<uint16_t, 4> at = {};
  bool pointer = false; ///< a destination `&x`
  uint16_t index = 0;   ///< of a fabout with wavelet_index_offset
  int8_t queue = -1;    ///< number of the queue or, WSE-2 inputs, color
  uint8_t color = 0;    ///< Fabout
  bool packed = false;  ///< two elements of 16 bits per wavelet
  bool dense = false;   ///< Fabout: a half wavelet per element
  bool half = false;    ///< `value` is the second element of a wavelet
  bool pair = false;    ///< simd_64: waits for two wavelets
  int8_t dsr = -1;      ///< save_address: into Pe::dsrs
  int object = -1;      ///< the variable of the first element; -1: none yet
};

/// A DSD operation under way.
struct Running {
  DsdOpcode opcode = DsdOpcode::Mov16;
  const Step *step = nullptr;
  bool async = false, carry = false, endless = false, accumulate = false;
  uint32_t remaining = 0, length = 0, scalar = 0;
  uint32_t passed = 0; ///< elements of one without end
  unsigned width = 1;  ///< elements per cycle, for FIFO events
  Walk dest, source[2];
  Walk zero;        ///< the source that a fabout clears
  uint32_t old = 0; ///< of a pointer destination
  int activate = -1, unblock = -1;
  std::optional<csl::OnControl> onControl = {};
  int controlTarget = -1;
  std::string waits = {}; ///< what for, if it does
};

/// An @map under way in the main thread.
struct MapState {
  const Step *step = nullptr;
  struct Operand {
    Walk walk = {};
    uint32_t remaining = 0;
    bool endless = false, isElementwise = false;
    int dsr = -1;
  };
  std::vector<Operand> inputs = {};
  Operand output = {};
  std::vector<Val> arguments = {};
  unsigned next = 0; ///< input that is read next
  enum class At : uint8_t { Read, Called, Write } at = At::Read;
  Val result = {};
};

struct Activation {
  const FunctionCode *code = nullptr;
  std::vector<Val> slots;
  std::vector<Cursor> cursors;
  /// Of the call in the activation below, whose results are set.
  const Step *call = nullptr;
  bool fromMap = false;
  std::unique_ptr<MapState> map = {}; ///< the @map that this code is in
  size_t objects = 0;                 ///< of the stack when it began
};

struct Dsr {
  Dsd dsd = {};
  int64_t head = -1; ///< where a saved address goes on; -1: at the base
  bool async = false, save = false, singleStep = false;
  uint32_t remaining = 0; ///< of single steps
  int activate = -1, unblock = -1;
  std::optional<csl::OnControl> onControl = {};
  int controlTarget = -1;
  std::optional<unsigned> microthread = {};
};

//===----------------------------------------------------------------------===//
// Network
//===----------------------------------------------------------------------===//

struct Wavelet {
  uint32_t data = 0;
  bool control = false, flip = false;
  bool half = false; ///< a half wavelet of a queue in dense mode
  bool head = false; ///< the header of a message
};

inline constexpr unsigned kColorCount = 24;
inline constexpr unsigned kLinks = 5; ///< W, E, S, N, RAMP

struct FilterState {
  csl::FilterKind kind = csl::FilterKind::Counter;
  bool countData = false, countControl = false, onlyControl = false;
  bool enabled = true;
  uint16_t counter = 0, maxCounter = 0, minIndex = 0, maxIndex = 0;
  std::optional<uint16_t> limit1 = {}, limit2 = {};
};

/// One color at one router.
struct ColorState {
  bool configured = false, hasSwitches = false, ring = false;
  csl::PopMode pop = csl::PopMode::NoPop;
  /// What a switch position says: the sides that it gives, 0 for one that it
  /// does not; whether WSE-2's register has the bit of the input set.
  struct Side {
    uint8_t rx = 0, tx = 0;
    bool valid = false, input = false;
  };
  std::array<Side, 4> positions = {};
  /// Where wavelets go at the current position: each side as the last position
  /// up to there that gives it.
  Side current() const {
    Side side = positions[0];
    for (unsigned i = 1; i <= position; ++i)
      if (positions[i].valid) {
        side.rx = positions[i].rx ? positions[i].rx : side.rx;
        side.tx = positions[i].tx ? positions[i].tx : side.tx;
      }
    return side;
  }
  uint8_t position = 0;
  bool swapX = false, swapY = false;
  bool teardown = false;
  int filter = -1; ///< into Pe::filters
  csl::FilterAttr filterAttr = {};
  mlir::Operation *op = nullptr;
  std::array<std::deque<Wavelet>, kLinks> links = {};
  /// In message mode, by link: where the message that comes over it goes on;
  /// whether a message is leaving over it; words still to come up the RAMP.
  std::array<std::optional<unsigned>, kLinks> towards = {};
  std::array<bool, kLinks> leaving = {};
  unsigned left = 0;
  bool queued = false; ///< in the network's work list
};

//===----------------------------------------------------------------------===//
// PE
//===----------------------------------------------------------------------===//

struct InputQueue {
  bool bound = false, dense = false;
  uint8_t color = 0;
  uint8_t table = 0;
  std::deque<Wavelet> words = {};
  unsigned users = 0; ///< operations that read it
};

struct BoundTask {
  const FunctionCode *function = nullptr; ///< null: @rpc
  mlir::Operation *op = nullptr;          ///< of the binding
  csl::TaskKind kind = csl::TaskKind::Local;
};

struct Rotating {
  uint8_t id = 0;
  const FunctionCode *alternative = nullptr;
  uint16_t limit = 0, counter = 0;
};

struct FifoState {
  uint16_t head = 0, count = 0, readLength = 0, writeLength = 0;
  uint16_t wantedData = 0, wantedSpace = 0;
  int activatePop = -1, activatePush = -1;
};

struct Launch {
  const FunctionCode *function = nullptr;
  std::vector<uint64_t> arguments;
};

/// The collected words of an @rpc.
struct RpcState {
  uint16_t function = 0, missing = 0;
  std::vector<uint32_t> words;
};

enum class MainAt : uint8_t { Idle, Running, Operation, Map };

struct Pe {
  int64_t x = 0, y = 0;
  unsigned number = 0;
  CslCode *code = nullptr;
  std::vector<uint64_t> params;
  PeMemory memory;
  std::string openLine; ///< printed, and not ended yet

  // Network.
  std::map<uint8_t, ColorState> colors;
  std::vector<FilterState> filters;
  uint32_t teardownPending = 0, teardownLatched = 0;

  // Queues. WSE-2 input queues are by color, WSE-3's by number.
  std::map<uint8_t, InputQueue> inputs;
  /// WSE-2: the color of each initialised input queue.
  std::array<int8_t, 8> queueColor = {-1, -1, -1, -1, -1, -1, -1, -1};
  std::array<bool, 8> outputBound = {};
  std::array<uint8_t, 8> outputColor = {};
  std::array<bool, 8> outputDense = {};
  uint8_t flushInput = 0;
  /// Done and not left; done and without a handler's run.
  uint8_t flushedInput = 0, flushedOutput = 0;
  uint8_t handleInput = 0, handleOutput = 0;

  // Tasks.
  std::map<uint8_t, BoundTask> tasks; ///< data and local
  std::map<std::pair<uint8_t, uint8_t>, BoundTask> controlTasks;
  std::vector<Rotating> rotating;
  uint32_t blocked = 0, active = 0;
  uint8_t blockedMicrothreads = 0;
  /// Of comptime blocks, in order: id, blocked.
  std::vector<std::pair<uint8_t, bool>> initialBlocks;
  std::vector<std::pair<uint16_t, uint16_t>> initialRegisters;
  bool separateControl = false, hasHandler = false;
  std::map<uint8_t, const FunctionCode *> teardownHandlers;
  std::map<uint8_t, const FunctionCode *> emptyInput, emptyOutput;
  unsigned lastTask = 0; ///< tasks take turns by id
  RpcState rpc;

  // Threads.
  MainAt main = MainAt::Idle;
  std::vector<Activation> stack;
  Running mainOperation;
  uint32_t mainResult = ~0u; ///< slot of the result, ~0: none
  std::array<std::unique_ptr<Running>, 8> microthreads;
  std::string task; ///< what the main thread does, for messages

  std::vector<Dsr> dsrs; ///< three files
  std::vector<FifoState> fifos;
  std::deque<Launch> launches;
  bool commandBlocked = false;

  // Registers that nothing else stands for.
  uint16_t transformMask = 0, exceptionMask = 0xffff, mainPriority = 0;
  /// Configuration words that no register is known at: what was written.
  std::map<uint16_t, uint16_t> otherWords;
  uint32_t taskPriority = 0, controlPriority = 0;
  uint32_t messageColors = 0; ///< bit c: color c is in message mode
  bool tscOn = false;
  uint64_t tscBase = 0, tscLatched = 0;
  std::array<uint32_t, 4> random = {};
  unsigned prng = 0;
  bool loading = false;
  bool ready = false; ///< in the list of PEs that get a turn
};

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

struct HostStream {
  csl::StreamOp op;
  std::map<unsigned, std::deque<uint32_t>> words; ///< by PE
};

class CslMachineState {
public:
  CslMachineState(mlir::ModuleOp module, const CslOptions &options)
      : module(module), options(options) {}

  // CslLoad.cpp
  mlir::LogicalResult load();
  // CslInterpreter.cpp
  CslOutcome run();
  std::string describeHang();

  //===--- Services of the handlers ---------------------------------------===//

  /// The run ends with `text`, at a PE and the step that it is in.
  void trap(Pe &pe, const llvm::Twine &text, mlir::Operation *at = nullptr);
  bool trapped() const { return hasTrapped; }
  uint64_t intern(const Dsd &dsd);
  const Dsd &dsd(uint64_t number) const { return dsds[number]; }
  Fp16Format fp16() const { return format; }
  FunctionCode *functionAt(Pe &pe, llvm::StringRef name) const {
    auto found = pe.code->functionNumbers.find(name);
    return found == pe.code->functionNumbers.end()
               ? nullptr
               : pe.code->functions[found->second].get();
  }

  // CslTasks.cpp
  void ready(Pe &pe);
  void turn(Pe &pe);
  void activate(Pe &pe, uint64_t id);
  void block(Pe &pe, uint64_t id, bool on);
  void call(Pe &pe, const FunctionCode *code, llvm::ArrayRef<Val> arguments,
            const Step *from, bool fromMap);
  void finishCall(Pe &pe, llvm::ArrayRef<Val> results);
  bool runMain(Pe &pe);
  bool pickTask(Pe &pe);
  bool runHandlers(Pe &pe);
  void checkFlushes(Pe &pe);
  void startTask(Pe &pe, const BoundTask &task, uint8_t id,
                 const Wavelet *wavelet);
  void startFunction(Pe &pe, const FunctionCode *code,
                     llvm::ArrayRef<Val> arguments, const llvm::Twine &what);
  void serveRpc(Pe &pe, uint32_t word);

  // CslElements.cpp
  void startOperation(Pe &pe, Activation &frame, const Step &step);
  bool progress(Pe &pe, Running &op, bool &ended, bool &result);
  void complete(Pe &pe, Running &op);
  bool checkQueue(Pe &pe, int queue, unsigned queues, mlir::Operation *at);
  bool checkColor(Pe &pe, int color, mlir::Operation *at);
  bool latch(Pe &pe, Walk &walk, const Dsd &dsd, unsigned bytes, uint16_t index,
             uint32_t &length, mlir::Operation *at);
  bool readable(Pe &pe, Running &op, Walk &walk, bool &ended, bool &result);
  bool writable(Pe &pe, Running &op, bool &ended, bool &result);
  bool fifoStops(Pe &pe, Running &op, unsigned fifo, unsigned needed,
                 bool write, bool &ended, bool &result);
  uint32_t fetch(Pe &pe, Walk &walk, uint32_t remaining, bool endless);
  void store(Pe &pe, Walk &walk, uint32_t value, bool last);
  uint32_t popFifo(Pe &pe, unsigned fifo);
  void pushFifo(Pe &pe, unsigned fifo, uint32_t value);
  InputQueue *inputOf(Pe &pe, const Walk &walk);
  void saveAddress(Pe &pe, const Walk &walk);
  bool checkPlace(Pe &pe, Walk &walk, mlir::Operation *at,
                  llvm::StringRef what);
  // CslExceptions.cpp
  void checkStep(Pe &pe, Activation &frame, const Step &step);
  bool checkElement(Pe &pe, const Running &op, uint32_t x, uint32_t y,
                    uint32_t value);
  // CslMap.cpp
  void startMap(Pe &pe, Activation &frame, const Step &step);
  bool progressMap(Pe &pe);

  // CslNetwork.cpp
  void sendUp(Pe &pe, uint8_t color, const Wavelet &wavelet);
  void arrive(Pe &pe, uint8_t color, unsigned link, const Wavelet &wavelet);
  void wakeColor(Pe &pe, uint8_t color);
  void moveWavelets();
  void moveColor(Pe &pe, uint8_t color);
  bool moveOne(Pe &pe, uint8_t color, unsigned link);
  bool moveMessage(Pe &pe, uint8_t color, unsigned link);
  bool label(Pe &pe, uint8_t color, Wavelet &wavelet);
  bool endsMessage(Pe &pe, Running &op);
  bool applyCommand(Pe &pe, uint8_t color, unsigned command);
  void leaveTeardown(Pe &pe, uint8_t color);
  InputQueue *queueOfColor(Pe &pe, uint8_t color);
  Pe *neighbour(Pe &pe, unsigned link);
  void configureColor(Pe &pe, mlir::Operation *op, uint64_t color,
                      csl::RoutesAttr routes, csl::SwitchesAttr switches,
                      csl::FilterAttr filter, bool teardown);
  void hostWords(Pe &pe);
  HostStream *hostStream(uint8_t color, bool toDevice);
  HostStream *edgeStream(const Pe &pe, uint8_t color, unsigned side);

  // CslRegisters.cpp
  uint16_t readConfig(Pe &pe, uint16_t address);
  void writeConfig(Pe &pe, uint16_t address, uint16_t value);

  mlir::ModuleOp module;
  CslOptions options;
  mlir::OwningOpRef<mlir::ModuleOp> own; ///< affine lowered
  csl::LayoutOp layout;
  const CslMachine *machine = nullptr;
  Fp16Format format = Fp16Format::F16;
  bool memcpy = false;
  int64_t width = 0, height = 0, fabricWidth = 0, fabricHeight = 0;
  int64_t offsetX = 0, offsetY = 0;
  std::vector<std::unique_ptr<CslCode>> codes;
  std::vector<std::unique_ptr<Pe>> pes;
  std::vector<HostStream> streams;
  /// Of csl.export_name, in order.
  std::vector<csl::ExportNameOp> exportNames;

  std::vector<Dsd> dsds{Dsd()};
  std::map<Dsd, uint64_t> dsdNumbers;

  uint64_t steps = 0;
  std::string text;
  std::vector<std::string> printed;
  std::deque<unsigned> readyPes;
  std::deque<std::pair<unsigned, uint8_t>> colorWork;

private:
  mlir::FailureOr<CslCode *> loadCode(csl::ProgramOp op);
  mlir::LogicalResult loadPe(CslCode &code, csl::TileCodeOp tile, int64_t x,
                             int64_t y);
  mlir::LogicalResult runComptime(Pe &pe);
  mlir::LogicalResult finishPe(Pe &pe);

  bool hasTrapped = false, started = false;
  friend class CslReference;
};

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

/// The handler of an operation, by the file that has it; nullptr if that file
/// has none.
Step::Handler findScalarHandler(mlir::Operation *op);     // CslScalar.cpp
Step::Handler findControlHandler(mlir::Operation *op);    // CslControl.cpp
Step::Handler findMemoryHandler(mlir::Operation *op);     // CslMemoryOps.cpp
Step::Handler findDescriptorHandler(mlir::Operation *op); // CslDescriptors.cpp
Step::Handler findBuiltinHandler(mlir::Operation *op);    // CslBuiltins.cpp
Step::Handler findSetupHandler(mlir::Operation *op);      // CslSetup.cpp

/// CslScalar.cpp: the format of a float type; nullopt for f32.
std::optional<Fp16Format> formatOf(mlir::Type type);

/// CslExceptions.cpp: of scalar operations.
bool mayRaise(mlir::Operation *op);
class KnownAtComptime {
public:
  std::optional<bool> of(mlir::Value value);

private:
  llvm::DenseMap<mlir::Operation *, std::optional<bool>> values;
};

/// CslCode.cpp: numbers the values of a function, task or comptime block.
/// Emits an error for an operation that no handler is for.
mlir::FailureOr<std::unique_ptr<FunctionCode>> readFunction(mlir::Operation *op,
                                                            mlir::Region &body);

inline Val &operand(Activation &frame, const Step &step, unsigned i) {
  return frame.slots[step.operands[i]];
}
inline Val &result(Activation &frame, const Step &step, unsigned i = 0) {
  return frame.slots[step.results[i]];
}
/// The value in the slot of an operand of `op` that may be missing.
inline const Val *find(Activation &frame, const Step &step, mlir::Value value) {
  for (auto [index, other] : llvm::enumerate(step.op->getOperands()))
    if (other == value)
      return &frame.slots[step.operands[index]];
  return nullptr;
}

/// The number of a DSR: file times registers per file plus number. The value is
/// that of a csl.get_dsr.
unsigned dsrNumber(CslMachineState &machine, mlir::Type type, uint64_t number);

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_CSLSTATE_H
