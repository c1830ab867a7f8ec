//===- CheckProgram.cpp - What would hang a csl program -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Derivation.h"
#include "FunctionEmitter.h"
#include "LowerRpc.h"
#include "NormalForm.h"
#include "Sharing.h"
#include "ValueLayout.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Threading.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Conversion/CslToWafer/Passes.h"
#include "sequin/Machine/CslMessages.h"
#include "sequin/Machine/CslRegisters.h"
#include "sequin/Support/FormerRelease.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

namespace sequin {
#define GEN_PASS_DEF_CSLCHECKPROGRAM
#include "sequin/Conversion/CslToWafer/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

namespace {
/// What one PE looks like to its neighbours and to its own code.
struct PeView {
  const wafer::Pe &pe;
  const wafer::Setup &setup;
  const wafer::Router &router;
  const SetupOps &setupOps;
  ArrayRef<std::pair<int64_t, Operation *>> routerOps;

  Operation *getConfigOp(int64_t color) const {
    for (auto [number, op] : routerOps)
      if (number == color)
        return op;
    return nullptr;
  }
};

class ProgramCheck {
public:
  /// Of a program that was CSL text, which has no operations: messages name
  /// builtins then, and errors are warnings, since the text is compiled anyway.
  explicit ProgramCheck(Derivation &derivation, bool ofSource = false)
      : derivation(derivation), program(derivation.program),
        machine(*lookupCslMachine(program.target)), ofSource(ofSource) {}

  LogicalResult run();
  /// After run(): whether there is an error in a program of CSL text too.
  bool foundCertain() const {
    return llvm::any_of(findings, [](const Finding &finding) {
      return finding.severity == Severity::Certain;
    });
  }

private:
  PeView view(int64_t x, int64_t y) const;

  void checkRoutes(int64_t x, int64_t y);
  void checkRamp(int64_t x, int64_t y);
  void checkMessages(int64_t x, int64_t y);
  void checkReserved();
  void checkTargets();
  void checkFabricDsds();
  StringRef getSource(csl::ProgramOp code) const;
  void checkSharing();
  void checkOperands();
  void checkSenders();
  void checkCircles();
  void checkMicrothreads();
  void checkRegisters();

  /// One finding, many PEs: reported once with the first of them. What is
  /// certain is an error of CSL text too.
  enum class Severity { Warning, Error, Certain };
  void report(Severity severity, Operation *op, const Twine &text, int64_t x,
              int64_t y, Operation *other = nullptr, StringRef note = "");
  void flush();

  struct Finding {
    Severity severity;
    Operation *op, *other;
    std::string text, note;
    int64_t x, y, count;
  };
  std::vector<Finding> findings;
  std::map<std::tuple<const void *, std::string, const void *>, size_t> known;

  /// By code: the operations of the dialect, in order, operations inside one
  /// before it.
  std::vector<std::vector<Operation *>> operations;
  void findOperations();

  /// By code: its fabout_dsds, those that advance a switch, and whether it
  /// hands DSDs or queues around in a way that is not followed.
  std::vector<llvm::SmallVector<csl::FaboutDsdOp>> senders, advancing;
  std::vector<char> passesDsds;     ///< bool
  std::vector<uint32_t> sending;    ///< colors, by setup
  std::vector<uint32_t> taking;     ///< input queues that a code uses
  std::vector<uint32_t> configured; ///< and whose registers it may write
  std::vector<uint32_t> hearing;    ///< colors that its fabin DSDs name
  /// Whether anything at such a PE takes from the queue.
  bool takesFrom(const wafer::Setup &setup, unsigned queue) const;
  /// A server for @rpc beside memcpy's, which the host does not talk to.
  bool isServedByMemcpy(Operation *op) const;

  Derivation &derivation;
  const wafer::Program &program;
  const CslMachine &machine;
  const bool ofSource;
};
} // namespace

static bool isRpcServer(Operation *op) {
  auto bind = dyn_cast<csl::BindDataTaskOp>(op);
  return bind && bind.getTask() == kRpcServer;
}

/// How CSL writes an operation.
static std::string getSourceName(Operation *op) {
  if (isa<csl::FabinDsdOp, csl::FaboutDsdOp, csl::Mem1dDsdOp, csl::Mem4dDsdOp>(
          op))
    return "@get_dsd";
  if (isa<csl::ColorConfigOp>(op))
    return "@set_color_config";
  if (isa<csl::LocalColorConfigOp>(op))
    return "@set_local_color_config";
  if (isRpcServer(op))
    return "@rpc";
  StringRef name = op->getName().getStringRef();
  return name.consume_front("csl.") ? ("@" + name).str() : name.str();
}

PeView ProgramCheck::view(int64_t x, int64_t y) const {
  const wafer::Pe &pe = program.at(x, y);
  return {pe, program.setups[pe.setup], program.routers[pe.router],
          derivation.setupOps[pe.setup], derivation.routerOps[pe.router]};
}

bool ProgramCheck::isServedByMemcpy(Operation *op) const {
  return program.memcpy && isRpcServer(op);
}

bool ProgramCheck::takesFrom(const wafer::Setup &setup, unsigned queue) const {
  return (taking[setup.code] >> queue & 1) ||
         (machine.generation == 3 &&
          llvm::any_of(setup.tasks, [&](const wafer::Task &task) {
            return task.kind == wafer::TaskKind::Data && task.id == queue;
          }));
}

/// One place of the source for the copies that a program is divided into.
static const void *placeOf(Operation *op) {
  if (!op)
    return nullptr;
  return isa<UnknownLoc>(op->getLoc()) ? static_cast<const void *>(op)
                                       : op->getLoc().getAsOpaquePointer();
}

void ProgramCheck::report(Severity severity, Operation *op, const Twine &text,
                          int64_t x, int64_t y, Operation *other,
                          StringRef note) {
  auto [entry, isNew] = known.try_emplace(
      {placeOf(op), text.str(), placeOf(other)}, findings.size());
  if (isNew)
    findings.push_back({severity, op, other, text.str(), note.str(), x, y, 1});
  else
    ++findings[entry->second].count;
}

void ProgramCheck::flush() {
  for (const Finding &finding : findings) {
    InFlightDiagnostic message =
        finding.severity == Severity::Certain ||
                (finding.severity == Severity::Error && !ofSource)
            ? finding.op->emitError()
            : finding.op->emitWarning();
    if (ofSource)
      message << getSourceName(finding.op) << ' ' << finding.text;
    else
      message << "'" << finding.op->getName() << "' op " << finding.text;
    if (finding.x >= 0)
      message << " (PE " << finding.x << ", " << finding.y;
    if (finding.x >= 0 && finding.count > 1)
      message << " and " << finding.count - 1 << " more";
    if (finding.x >= 0)
      message << ")";
    if (finding.other)
      message.attachNote(finding.other->getLoc()) << finding.note;
  }
}

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

static wafer::Direction opposite(wafer::Direction direction) {
  switch (direction) {
  case wafer::Direction::West:
    return wafer::Direction::East;
  case wafer::Direction::East:
    return wafer::Direction::West;
  case wafer::Direction::South:
    return wafer::Direction::North;
  case wafer::Direction::North:
    return wafer::Direction::South;
  case wafer::Direction::Ramp:
    return wafer::Direction::Ramp;
  }
  llvm_unreachable("unknown direction");
}

/// All directions of any switch position.
static std::pair<wafer::Directions, wafer::Directions>
getDirections(const wafer::ColorConfig &config) {
  wafer::Directions rx = 0, tx = 0;
  for (const std::optional<wafer::Routes> &position : config.positions)
    if (position) {
      rx |= position->rx;
      tx |= position->tx;
    }
  return {rx, tx};
}

/// The color under which what is sent on `color` may be received over a link in
/// that direction at a router that swaps (FAB-072).
static bool receives(const wafer::Router &router, int64_t color,
                     wafer::Direction from) {
  auto takes = [&](int64_t number) {
    auto found = router.colors.find(number);
    return found != router.colors.end() &&
           (getDirections(found->second).first & wafer::bit(from));
  };
  if (takes(color))
    return true;
  auto partner = router.colors.find(color ^ 1);
  bool horizontal =
      from == wafer::Direction::West || from == wafer::Direction::East;
  return partner != router.colors.end() &&
         (horizontal ? partner->second.swapX : partner->second.swapY) &&
         takes(color ^ 1);
}

void ProgramCheck::checkRoutes(int64_t x, int64_t y) {
  PeView here = view(x, y);
  for (const auto &[color, config] : here.router.colors) {
    Operation *op = here.getConfigOp(color);
    auto [rx, tx] = getDirections(config);
    for (const wafer::Stream &stream : program.streams)
      if (stream.kind == wafer::Stream::Kind::PerPe && stream.color == color)
        report(Severity::Warning, op,
               "configures color " + Twine(unsigned(color)) +
                   ", which the host streams on",
               x, y);
    for (unsigned d = 0; d + 1 < wafer::kDirections; ++d) {
      auto direction = static_cast<wafer::Direction>(d);
      if (!(tx & wafer::bit(direction)))
        continue;
      int64_t nx = x + (direction == wafer::Direction::East) -
                   (direction == wafer::Direction::West);
      int64_t ny = y + (direction == wafer::Direction::South) -
                   (direction == wafer::Direction::North);
      StringRef name = wafer::getName(direction);
      if (nx < 0 || ny < 0 || nx >= program.width || ny >= program.height) {
        bool toHost = llvm::any_of(
            program.streams, [&, color = color](const wafer::Stream &stream) {
              return stream.kind == wafer::Stream::Kind::Edge &&
                     stream.x == x && stream.y == y &&
                     stream.side == direction && stream.color == color;
            });
        if (!toHost)
          report(Severity::Warning, op,
                 "sends color " + Twine(unsigned(color)) + " " + name +
                     ", off the rectangle",
                 x, y);
        continue;
      }
      PeView there = view(nx, ny);
      if (receives(there.router, color, opposite(direction)))
        continue;
      Operation *other = there.getConfigOp(color);
      report(Severity::Warning, op,
             "sends color " + Twine(unsigned(color)) + " " + name +
                 " to a PE that does not receive it from " +
                 wafer::getName(opposite(direction)),
             x, y, other ? other : derivation.programs[there.setup.code],
             other ? "its configuration is here"
                   : "it has this program and no configuration of the color");
    }
  }
}

/// Colors in message mode, which have no routes.
static uint32_t getMessageColors(const wafer::Setup &setup) {
  uint32_t colors = 0;
  unsigned first = getInfo(CslRegister::MessageColors).address;
  for (auto [address, value] : setup.registers)
    if (address == first || address == first + 1) {
      unsigned shift = 16 * (address - first);
      colors = (colors & ~(0xffffu << shift)) | uint32_t(value) << shift;
    }
  return colors;
}

/// The colors that <message_passing> needs, where a PE uses it.
void ProgramCheck::checkMessages(int64_t x, int64_t y) {
  PeView here = view(x, y);
  const CslMessages *facts = messagesOf(machine);
  uint32_t carrying = getMessageColors(here.setup);
  if (!carrying || !facts)
    return;
  auto warn = [&](Operation *op, StringRef what, uint64_t color) {
    if (facts->colors >> color & 1)
      report(Severity::Warning, op,
             what + " color " + Twine(color) +
                 ", which the message_passing library needs",
             x, y);
  };
  for (const auto &[color, config] : here.router.colors)
    warn(here.getConfigOp(color), "configures", color);
  for (const wafer::Queue &queue : here.setup.inputQueues)
    if (queue.color && !(carrying >> *queue.color & 1))
      warn(here.setupOps.inputQueues.find(queue.id)->second, "reads",
           *queue.color);
  for (const wafer::Queue &queue : here.setup.outputQueues)
    if (queue.color && !(carrying >> *queue.color & 1))
      warn(here.setupOps.outputQueues.find(queue.id)->second, "sends on",
           *queue.color);
}

/// What arrives at the ramp and what is read there.
void ProgramCheck::checkRamp(int64_t x, int64_t y) {
  PeView here = view(x, y);
  auto isStream = [&](int64_t color) {
    return llvm::any_of(program.streams, [&](const wafer::Stream &stream) {
      return stream.kind == wafer::Stream::Kind::PerPe &&
             stream.color == color && stream.toDevice;
    });
  };
  // Colors that the code reads: queues, and on WSE-2 data tasks.
  uint32_t read = hearing[here.setup.code];
  for (const wafer::Queue &queue : here.setup.inputQueues)
    if (queue.color)
      read |= 1u << *queue.color;
  if (machine.generation == 2)
    for (const wafer::Task &task : here.setup.tasks)
      if (task.kind == wafer::TaskKind::Data)
        read |= 1u << task.id;
  uint32_t delivered = getMessageColors(here.setup);
  // Code routes anew what is torn down.
  for (const auto &[color, handler] : here.setup.teardownHandlers)
    delivered |= 1u << color;
  for (const auto &[color, config] : here.router.colors) {
    if (config.teardown)
      delivered |= 1u << color;
    if (!(getDirections(config).second & wafer::bit(wafer::Direction::Ramp)))
      continue;
    delivered |= 1u << color;
    if (!(read >> color & 1))
      report(Severity::Warning, here.getConfigOp(color),
             "brings color " + Twine(unsigned(color)) +
                 " to the RAMP of a PE that does not read it",
             x, y, derivation.programs[here.setup.code],
             "the program of the PE is here");
  }
  for (const wafer::Queue &queue : here.setup.inputQueues) {
    if (!queue.color || (delivered >> *queue.color & 1) ||
        isStream(*queue.color) || !takesFrom(here.setup, queue.id))
      continue;
    report(Severity::Warning, here.setupOps.inputQueues.find(queue.id)->second,
           "reads color " + Twine(unsigned(*queue.color)) +
               ", which no route brings to the RAMP",
           x, y, here.getConfigOp(*queue.color),
           "the color's configuration is here");
  }
  for (const wafer::Task &task : here.setup.tasks) {
    if (task.kind != wafer::TaskKind::Data)
      continue;
    Operation *op = here.setupOps.tasks.find({0, task.id})->second;
    if (isServedByMemcpy(op))
      continue;
    if (machine.generation == 2) {
      if (!(delivered >> task.id & 1) && !isStream(task.id))
        report(Severity::Warning, op,
               "waits for color " + Twine(unsigned(task.id)) +
                   ", which no route brings to the RAMP",
               x, y, here.getConfigOp(task.id),
               "the color's configuration is here");
      continue;
    }
    // The manual asks for @initialize_queue (TSK-007); code may do by itself
    // what that does.
    if (!here.setupOps.inputQueues.count(task.id))
      report(Severity::Warning, op,
             "binds a data task to input queue " + Twine(unsigned(task.id)) +
                 ", which is not initialised" +
                 (configured[here.setup.code] >> task.id & 1
                      ? ""
                      : ": the task never runs"),
             x, y);
  }
}

//===----------------------------------------------------------------------===//
// Ids
//===----------------------------------------------------------------------===//

void ProgramCheck::checkReserved() {
  if (!program.memcpy)
    return;
  const MemcpyReservation &taken = machine.memcpy;
  auto warn = [&](Operation *op, StringRef what, uint64_t id, uint64_t set) {
    if (set >> id & 1)
      report(Severity::Warning, op,
             "uses " + what + " " + Twine(id) +
                 ", which the memcpy library needs",
             -1, -1);
  };
  for (auto [number, setup] : llvm::enumerate(program.setups)) {
    const SetupOps &ops = derivation.setupOps[number];
    for (const wafer::Task &task : setup.tasks) {
      bool control = task.kind == wafer::TaskKind::Control;
      Operation *op =
          ops.tasks.find({control ? 1 + task.table : 0, task.id})->second;
      if (control)
        warn(op, "control task id", task.id, taken.controlTasks);
      else if (task.kind == wafer::TaskKind::Local)
        warn(op, "local task id", task.id, taken.localTasks);
    }
    for (auto [queue, op] : ops.inputQueues)
      warn(op, "input queue", queue, taken.inputQueues);
    for (auto [queue, op] : ops.outputQueues)
      warn(op, "output queue", queue, taken.outputQueues);
  }
  for (auto &ops : derivation.routerOps)
    for (auto [color, op] : ops)
      warn(op, "color", color, taken.colors);
}

/// Ids that code activates or unblocks have a task in every setup.
void ProgramCheck::checkTargets() {
  for (auto [number, setup] : llvm::enumerate(program.setups)) {
    uint64_t local = 0, bound = 0;
    for (const wafer::Task &task : setup.tasks) {
      if (task.kind == wafer::TaskKind::Local)
        local |= uint64_t(1) << task.id;
      if (task.kind != wafer::TaskKind::Control)
        bound |= uint64_t(1) << task.id;
    }
    // The teardown task is there whenever a handler is.
    if (!setup.teardownHandlers.empty() || !setup.emptyInputHandlers.empty() ||
        !setup.emptyOutputHandlers.empty())
      local |= uint64_t(1) << machine.teardownTask;
    bound |= local;
    auto activates = [&](Operation *op, Value id) {
      std::optional<int64_t> known = csl::getKnownId(id);
      if (known && !(local >> *known & 1))
        report(Severity::Error, op,
               "activates local task id " + Twine(*known) +
                   ", to which no local task is bound",
               -1, -1, derivation.programs[setup.code], "the program is here");
    };
    auto unblocks = [&](Operation *op, Value id) {
      std::optional<int64_t> known = csl::getKnownId(id);
      if (known &&
          isa<csl::LocalTaskIdType, csl::DataTaskIdType>(id.getType()) &&
          !(bound >> *known & 1))
        report(Severity::Error, op,
               "unblocks task id " + Twine(*known) +
                   ", to which no task is bound",
               -1, -1, derivation.programs[setup.code], "the program is here");
    };
    for (Operation *op : operations[setup.code]) {
      if (auto activate = dyn_cast<csl::ActivateOp>(op))
        activates(op, activate.getId());
      auto async = dyn_cast<csl::AsyncOpInterface>(op);
      if (!async)
        continue;
      if (Value id = async.getActivate())
        activates(op, id);
      if (Value id = async.getUnblock())
        unblocks(op, id);
      if (Value id = async.getControlTarget()) {
        if (async.getOnControl() == csl::OnControl::Activate)
          activates(op, id);
        else
          unblocks(op, id);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Queues and microthreads
//===----------------------------------------------------------------------===//

/// The file of source that a code was made of, or else the name of its program:
/// the codes that parameters divide it into together.
StringRef ProgramCheck::getSource(csl::ProgramOp code) const {
  auto place = dyn_cast<FileLineColLoc>(code.getLoc());
  return place && ofSource ? place.getFilename().getValue() : code.getSymName();
}

/// Fabric DSDs name queues that the program initialises. Where it does so at
/// some PEs only, its parameters say where it uses them, which is not followed.
void ProgramCheck::checkFabricDsds() {
  std::map<StringRef, std::set<int64_t>> inputs, outputs;
  for (auto [number, setup] : llvm::enumerate(program.setups)) {
    StringRef name = getSource(derivation.programs[setup.code]);
    for (auto [queue, op] : derivation.setupOps[number].inputQueues)
      inputs[name].insert(queue);
    for (auto [queue, op] : derivation.setupOps[number].outputQueues)
      outputs[name].insert(queue);
  }
  std::set<std::pair<const void *, int64_t>> formerPlaces;
  // Setups of a code that bind the same queues have the same to say.
  std::vector<std::vector<const wafer::Setup *>> seen(program.codes.size());
  for (const wafer::Setup &setup : program.setups) {
    if (llvm::any_of(seen[setup.code], [&](const wafer::Setup *other) {
          return other->inputQueues == setup.inputQueues;
        }))
      continue;
    seen[setup.code].push_back(&setup);
    csl::ProgramOp code = derivation.programs[setup.code];
    // Wavelets of a color go to one queue.
    const auto &bindings =
        derivation.setupOps[&setup - program.setups.data()].inputQueues;
    std::map<uint8_t, Operation *> queueOf;
    for (const wafer::Queue &queue : setup.inputQueues) {
      auto op = bindings.find(queue.id);
      if (!queue.color || op == bindings.end())
        continue;
      auto [entry, isNew] = queueOf.try_emplace(*queue.color, op->second);
      if (!isNew)
        report(Severity::Warning, op->second,
               "binds input queue " + Twine(unsigned(queue.id)) + " to color " +
                   Twine(unsigned(*queue.color)) +
                   ", which another input queue has",
               -1, -1, entry->second, "bound here");
    }
    auto missing = [&](Operation *op, StringRef what, int64_t id) {
      report(Severity::Warning, op,
             "uses " + what + " " + Twine(id) +
                 ", which the program does not initialise",
             -1, -1, code, "the program is here");
    };
    // Once for a place, wherever it is called from.
    auto former = [&](Operation *op, int64_t queue, const Twine &form,
                      StringRef instead) {
      Location place = op->getLoc();
      while (auto call = dyn_cast<CallSiteLoc>(place))
        place = call.getCallee();
      if (isa<UnknownLoc>(place) ||
          formerPlaces.insert({place.getAsOpaquePointer(), queue}).second)
        report(Severity::Warning, op,
               describeFormer(form, "1.4", "2.10", instead), -1, -1, code,
               "the program is here");
    };
    for (Operation *op : operations[setup.code]) {
      // What stands for a descriptor where there is none yet has no elements.
      if (auto extent = op->getAttrOfType<IntegerAttr>("static_extent");
          extent && extent.getInt() == 0)
        continue;
      if (auto in = dyn_cast<csl::FabinDsdOp>(op)) {
        std::optional<int64_t> queue = csl::getKnownId(in.getQueue());
        std::optional<int64_t> color = csl::getKnownId(in.getColor());
        if (queue && !inputs[getSource(code)].count(*queue)) {
          if (in.getColor())
            former(op, *queue,
                   "with input queue " + Twine(*queue) +
                       " and no @initialize_queue of it",
                   "that gives a queue its color");
          else
            missing(op, "input queue", *queue);
        }
        if (!in.getQueue() && color &&
            llvm::none_of(setup.inputQueues, [&](const wafer::Queue &entry) {
              return entry.color == *color;
            }))
          report(Severity::Warning, op,
                 "reads color " + Twine(*color) +
                     ", to which no input queue is bound",
                 -1, -1, code, "the program is here");
        auto bound = llvm::find_if(setup.inputQueues, [&](const auto &entry) {
          return queue && entry.id == *queue;
        });
        if (machine.generation == 3 && in.getColor())
          report(Severity::Warning, op, "names a color, which the queue has",
                 -1, -1);
        else if (color && bound != setup.inputQueues.end() && bound->color &&
                 *bound->color != *color)
          report(Severity::Warning, op,
                 "names color " + Twine(*color) + " and input queue " +
                     Twine(*queue) + ", which is bound to color " +
                     Twine(unsigned(*bound->color)) + " and counts",
                 -1, -1, bindings.count(*queue) ? bindings.at(*queue) : nullptr,
                 "bound here");
        else if (color && bound != setup.inputQueues.end())
          former(op, *queue, "with a color beside an initialised queue",
                 "the color is the queue's");
      }
      auto out = dyn_cast<csl::FaboutDsdOp>(op);
      if (!out)
        continue;
      std::optional<int64_t> queue = csl::getKnownId(out.getQueue());
      // WSE-2 output queues need no initialisation.
      if (machine.outputQueueColor && queue &&
          !outputs[getSource(code)].count(*queue))
        missing(op, "output queue", *queue);
      if (machine.outputQueueColor && out.getColor())
        report(Severity::Warning, op, "names a color, which the queue has", -1,
               -1);
    }
  }
}

/// Operations that may use a queue or a microthread at once.
void ProgramCheck::checkSharing() {
  // Of a setup its tasks matter.
  std::vector<std::vector<const wafer::Setup *>> seen(program.codes.size());
  for (const wafer::Setup &setup : program.setups) {
    csl::ProgramOp code = derivation.programs[setup.code];
    if (llvm::any_of(seen[setup.code], [&](const wafer::Setup *other) {
          return other->tasks == setup.tasks;
        }))
      continue;
    seen[setup.code].push_back(&setup);
    for (const Overlap &overlap :
         findOverlaps(code, setup, program.codes[setup.code])) {
      bool thread = overlap.of == Overlap::Of::Microthread;
      std::string text = thread ? "runs on microthread "
                         : overlap.of == Overlap::Of::OutputQueue
                             ? "uses output queue "
                             : "uses input queue ";
      text += std::to_string(overlap.number);
      if (overlap.acrossTasks)
        text += thread ? ", on which an operation of another task may run at "
                         "the same time"
                       : ", which an operation of another task may use at the "
                         "same time";
      else
        text += thread ? ", on which an operation started before may still run"
                       : ", which an operation started before may still use";
      text += "; start it when that one completes, or give it a queue of its "
              "own";
      if (machine.outputQueueColor)
        text += " or another ut_id";
      report(Severity::Warning, overlap.second, text, -1, -1, overlap.first,
             "started here");
    }
  }
}

/// Fields that act on a switch or need a machine's other operands.
void ProgramCheck::checkOperands() {
  // Registers that every load fills with a fabin_dsd.
  for (const std::vector<Operation *> &ops : operations) {
    std::map<std::pair<wafer::DsrFile, int64_t>, std::pair<bool, Operation *>>
        loads;
    for (Operation *each : ops) {
      auto op = dyn_cast<csl::LoadToDsrOp>(each);
      if (!op || !csl::getKnownId(op.getDsr()))
        continue;
      wafer::DsrRef ref = getDsrRef(op.getDsr());
      bool fabin = op.getDsd().getDefiningOp<csl::FabinDsdOp>() != nullptr;
      auto [entry, isNew] =
          loads.try_emplace({ref.file, ref.number}, fabin, op);
      entry->second.first &= fabin;
    }
    if (machine.oneFabricInput)
      for (Operation *each : ops) {
        auto op = dyn_cast<csl::DsdOpInterface>(each);
        if (!op)
          continue;
        Operation *first = nullptr;
        for (Value source : op.getSources()) {
          Operation *input = source.getDefiningOp<csl::FabinDsdOp>();
          if (isa<csl::DsrType>(source.getType()) && csl::getKnownId(source)) {
            wafer::DsrRef ref = getDsrRef(source);
            auto found = loads.find({ref.file, ref.number});
            if (found != loads.end() && found->second.first)
              input = found->second.second;
          }
          if (!input)
            continue;
          if (first)
            report(Severity::Error, op,
                   "has two fabric inputs, " + Twine(machine.name) +
                       " allows one",
                   -1, -1, first, "the first is loaded here");
          first = input;
        }
      }
  }
  // advance_switch on a color without switch positions.
  for (int64_t y = 0; y < program.height; ++y)
    for (int64_t x = 0; x < program.width; ++x) {
      PeView here = view(x, y);
      for (csl::FaboutDsdOp out : advancing[here.setup.code]) {
        std::optional<int64_t> color = csl::getKnownId(out.getColor());
        std::optional<int64_t> queue = csl::getKnownId(out.getQueue());
        if (machine.outputQueueColor) {
          color.reset();
          for (const wafer::Queue &entry : here.setup.outputQueues)
            if (queue && entry.id == *queue && entry.color)
              color = *entry.color;
        }
        if (!color)
          continue;
        auto config = here.router.colors.find(*color);
        if (config == here.router.colors.end() || !config->second.hasSwitches)
          report(Severity::Warning, out,
                 "advances the switch of color " + Twine(*color) +
                     ", which has no switch positions here",
                 x, y, here.getConfigOp(*color),
                 "the color's configuration is here");
      }
    }
}

/// Colors that programs read and no program of the rectangle sends on.
void ProgramCheck::checkSenders() {
  for (auto [number, setup] : llvm::enumerate(program.setups)) {
    // Colors that the setup's code sends on; all if one is not known.
    uint32_t sends = 0;
    for (csl::FaboutDsdOp out : senders[setup.code]) {
      std::optional<int64_t> color = csl::getKnownId(out.getColor());
      std::optional<int64_t> queue = csl::getKnownId(out.getQueue());
      if (!machine.outputQueueColor) {
        sends |= color ? 1u << *color : ~0u;
        continue;
      }
      if (!queue)
        sends = ~0u;
      for (const wafer::Queue &entry : setup.outputQueues)
        if (queue && entry.id == *queue && entry.color)
          sends |= 1u << *entry.color;
    }
    if (passesDsds[setup.code])
      sends = ~0u;
    sending.push_back(sends);
  }
  uint32_t sent = 0;
  for (const wafer::Pe &pe : program.pes)
    sent |= sending[pe.setup];
  for (const wafer::Stream &stream : program.streams)
    if (stream.toDevice)
      sent |= 1u << stream.color;
  // Another color's wavelets may be heard as this one.
  for (const wafer::Router &router : program.routers)
    for (const auto &[color, config] : router.colors)
      if (config.swapX || config.swapY)
        sent |= 1u << color | 1u << (color ^ 1);
  for (auto [number, setup] : llvm::enumerate(program.setups)) {
    const SetupOps &ops = derivation.setupOps[number];
    auto missing = [&](Operation *op, unsigned color) {
      if (!(sent >> color & 1))
        report(Severity::Warning, op,
               "waits for color " + Twine(color) +
                   ", on which no program sends",
               -1, -1);
    };
    for (const wafer::Queue &queue : setup.inputQueues)
      if (queue.color && takesFrom(setup, queue.id))
        missing(ops.inputQueues.find(queue.id)->second, *queue.color);
    if (machine.generation == 2)
      for (const wafer::Task &task : setup.tasks)
        if (Operation *op = ops.tasks.find({0, task.id})->second;
            task.kind == wafer::TaskKind::Data && !isServedByMemcpy(op))
          missing(op, task.id);
  }
}

/// Routes that go round without end.
void ProgramCheck::checkCircles() {
  // Per color: 0 not seen, 1 on the way, 2 done.
  std::vector<uint8_t> state;
  for (unsigned color = 0; color < machine.colors; ++color) {
    state.assign(program.pes.size(), 0);
    for (size_t start = 0; start < program.pes.size(); ++start) {
      if (state[start])
        continue;
      // Depth first: a PE and the directions that are left.
      llvm::SmallVector<std::pair<size_t, unsigned>> path = {{start, 0}};
      state[start] = 1;
      while (!path.empty()) {
        auto [pe, direction] = path.back();
        int64_t x = pe % program.width, y = pe / program.width;
        const auto &colors = program.routers[program.pes[pe].router].colors;
        auto config = colors.find(color);
        if (direction >= 4 || config == colors.end() ||
            config->second.hasSwitches) {
          state[pe] = 2;
          path.pop_back();
          continue;
        }
        ++path.back().second;
        auto to = static_cast<wafer::Direction>(direction);
        int64_t nx =
            x + (to == wafer::Direction::East) - (to == wafer::Direction::West);
        int64_t ny = y + (to == wafer::Direction::South) -
                     (to == wafer::Direction::North);
        if (!(config->second.positions[0]->tx & wafer::bit(to)) || nx < 0 ||
            ny < 0 || nx >= program.width || ny >= program.height)
          continue;
        size_t next = ny * program.width + nx;
        const auto &there = program.routers[program.pes[next].router].colors;
        auto other = there.find(color);
        if (other == there.end() ||
            !(other->second.positions[0]->rx & wafer::bit(opposite(to))))
          continue;
        if (state[next] == 1)
          report(Severity::Warning, view(x, y).getConfigOp(color),
                 "closes a circle of routes of color " + Twine(color), x, y,
                 view(nx, ny).getConfigOp(color), "it leads back to here");
        if (state[next])
          continue;
        state[next] = 1;
        path.push_back({next, 0});
      }
    }
  }
}

/// Registers of FIFOs are taken (FIF-023).
void ProgramCheck::checkRegisters() {
  for (auto [index, code] : llvm::enumerate(derivation.programs)) {
    std::map<int64_t, Operation *> dsrs, xdsrs;
    auto take = [&](std::map<int64_t, Operation *> &numbers, StringRef kind,
                    std::optional<uint64_t> number, Operation *fifo) {
      if (!number)
        return;
      auto [entry, isNew] = numbers.try_emplace(*number, fifo);
      if (!isNew)
        report(Severity::Error, fifo,
               "takes " + kind + " " + Twine(*number) +
                   ", which another FIFO has",
               -1, -1, entry->second, "taken here");
    };
    for (auto fifo : code.getOps<csl::FifoOp>()) {
      take(dsrs, "DSR", fifo.getDest(), fifo);
      take(xdsrs, "XDSR", fifo.getXdsr(), fifo);
    }
    auto load = [&](std::map<int64_t, Operation *> &numbers, StringRef kind,
                    Value loaded, Operation *op) {
      std::optional<int64_t> number = csl::getKnownId(loaded);
      auto found = number ? numbers.find(*number) : numbers.end();
      if (found != numbers.end())
        report(Severity::Error, op,
               "loads " + kind + " " + Twine(*number) + ", which a FIFO has",
               -1, -1, found->second, "taken here");
    };
    for (Operation *op : operations[index]) {
      Value dsr, xdsr;
      if (auto simple = dyn_cast<csl::LoadToDsrOp>(op)) {
        dsr = simple.getDsr();
      } else if (auto ring = dyn_cast<csl::LoadToDsrXdsrOp>(op)) {
        dsr = ring.getDsr();
        xdsr = ring.getXdsr();
      } else if (auto box = dyn_cast<csl::LoadToDsrXdsrSrOp>(op)) {
        dsr = box.getDsr();
        xdsr = box.getXdsr();
      }
      if (xdsr)
        load(xdsrs, "XDSR", xdsr, op);
      if (dsr &&
          cast<csl::DsrType>(dsr.getType()).getKind() != csl::DsrKind::Src0)
        load(dsrs, "DSR", dsr, op);
    }
  }
}

/// Microthreads that memcpy keeps for itself.
void ProgramCheck::checkMicrothreads() {
  if (!program.memcpy)
    return;
  for (const std::vector<Operation *> &ops : operations)
    for (Operation *op : ops) {
      auto async = dyn_cast<csl::AsyncOpInterface>(op);
      std::optional<uint64_t> id =
          async ? async.getUtId() : std::optional<uint64_t>();
      if (id && (machine.memcpy.microthreads >> *id & 1))
        report(Severity::Warning, op,
               "uses microthread " + Twine(*id) +
                   ", which the memcpy library needs",
               -1, -1);
    }
}

void ProgramCheck::findOperations() {
  size_t count = derivation.programs.size();
  operations.resize(count);
  senders.resize(count);
  advancing.resize(count);
  passesDsds.resize(count);
  taking.resize(count);
  hearing.resize(count);
  configured.resize(count);
  unsigned firstQueue = getInfo(CslRegister::InputQueue).address;
  auto find = [&](size_t number) {
    derivation.programs[number].walk([&](Operation *op) {
      // Calls and branches hand queues on as well.
      for (Value operand : op->getOperands())
        if (isa<csl::InputQueueType>(operand.getType()) &&
            !isa<csl::InitializeQueueOp>(op)) {
          std::optional<int64_t> queue = csl::getKnownId(operand);
          taking[number] |= queue ? 1u << *queue : ~0u;
        }
      // What a store by a number reaches may be registers.
      if (Value stored = getStored(op);
          machine.generation == 2 && stored && csl::getPlaceNumber(stored)) {
        passesDsds[number] = true;
        taking[number] = configured[number] = ~0u;
      }
      if (!isa<csl::CslDialect>(op->getDialect()))
        return;
      operations[number].push_back(op);
      if (auto out = dyn_cast<csl::FaboutDsdOp>(op)) {
        senders[number].push_back(out);
        if (out.getAdvanceSwitch())
          advancing[number].push_back(out);
      }
      if (auto in = dyn_cast<csl::FabinDsdOp>(op); in && in.getColor()) {
        std::optional<int64_t> color = csl::getKnownId(in.getColor());
        hearing[number] |= color ? 1u << *color : ~0u;
      }
      // A queue may get another color, a DSD may come from elsewhere.
      if (auto set = dyn_cast<csl::SetConfigOp>(op)) {
        passesDsds[number] = true;
        taking[number] = ~0u;
        APInt at;
        bool isKnown = matchPattern(set.getAddress(), m_ConstantInt(&at));
        if (!isKnown)
          configured[number] = ~0u;
        else if (at.getZExtValue() - firstQueue < 32)
          configured[number] |= 1u << (at.getZExtValue() - firstQueue);
      }
    });
  };
  parallelFor(derivation.module->getContext(), 0, count, find);
}

LogicalResult ProgramCheck::run() {
  findOperations();
  for (int64_t y = 0; y < program.height; ++y)
    for (int64_t x = 0; x < program.width; ++x) {
      checkRoutes(x, y);
      checkRamp(x, y);
      checkMessages(x, y);
    }
  checkReserved();
  checkTargets();
  checkFabricDsds();
  checkSharing();
  checkRegisters();
  checkOperands();
  checkSenders();
  checkCircles();
  checkMicrothreads();
  flush();
  return failure(llvm::any_of(findings, [](const Finding &finding) {
    return finding.severity != Severity::Warning;
  }));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct CslCheckProgram
    : public sequin::impl::CslCheckProgramBase<CslCheckProgram> {
  void getDependentDialects(DialectRegistry &registry) const override {
    csl_to_wafer::registerDialects(registry);
  }
  void runOnOperation() override {
    FailureOr<Derivation> derivation = derive(getOperation().clone());
    if (failed(derivation) || failed(ProgramCheck(*derivation).run()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

FailureOr<wafer::Program>
csl_to_wafer::deriveCheckedProgram(OwningOpRef<ModuleOp> module) {
  FailureOr<Derivation> derivation = derive(std::move(module));
  if (failed(derivation))
    return failure();
  // Most of its errors are warnings here.
  ProgramCheck check(*derivation, /*ofSource=*/true);
  (void)check.run();
  if (check.foundCertain())
    return failure();
  return std::move(derivation->program);
}
