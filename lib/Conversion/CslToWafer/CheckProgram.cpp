//===- CheckProgram.cpp - What would hang a csl program -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerRpc.h"
#include "NormalForm.h"
#include "ProgramCheck.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Threading.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Conversion/CslToWafer/Passes.h"
#include "sequin/Dialect/Csl/IR/CslRouteAttrs.h"
#include "sequin/Machine/CslMessages.h"
#include "sequin/Machine/CslRegisters.h"
#include "llvm/ADT/StringExtras.h"

namespace sequin {
#define GEN_PASS_DEF_CSLCHECKPROGRAM
#include "sequin/Conversion/CslToWafer/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

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

/// Whether a place of `op` is in the file that `program` is made of.
static bool namesFileOf(Operation *op, csl::ProgramOp program) {
  auto file = dyn_cast<FileLineColLoc>(program->getLoc());
  bool found = false;
  op->getLoc()->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    found |= file && place && place.getFilename() == file.getFilename();
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
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
    // A program of CSL text is its file.
    auto code = dyn_cast_or_null<csl::ProgramOp>(finding.other);
    if (finding.other && !(ofSource && code && namesFileOf(finding.op, code)))
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
        if (!toHost && !op->hasAttr(csl::kMayLeaveAttrName))
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
  uint32_t queued = 0;
  for (const wafer::Queue &queue : here.setup.inputQueues)
    if (queue.color)
      queued |= 1u << *queue.color;
  uint32_t read = hearing[here.setup.code] | queued;
  if (machine.generation == 2)
    for (const wafer::Task &task : here.setup.tasks)
      if (task.kind == wafer::TaskKind::Data)
        read |= 1u << task.id;
  // Control tasks take wavelets of any color that is not blocked there.
  if (machine.generation == 2 &&
      llvm::any_of(here.setup.tasks, [](const wafer::Task &task) {
        return task.kind == wafer::TaskKind::Control;
      })) {
    uint32_t unblocked = ~here.setup.blockedTasks;
    for (const wafer::Task &task : here.setup.tasks)
      if (task.kind == wafer::TaskKind::Local)
        unblocked &= ~(1u << task.id);
    read |= unblocked | unblocking[here.setup.code];
  }
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
    // That a local task makes the color one which is not blocked may be meant
    // for control tasks; a queue loses wavelets by it.
    auto local = llvm::find_if(here.setup.tasks, [&](const wafer::Task &task) {
      return machine.generation == 2 && (queued >> color & 1) &&
             task.kind == wafer::TaskKind::Local && task.id == color;
    });
    if (local != here.setup.tasks.end())
      report(
          Severity::Warning, here.setupOps.tasks.find({0, local->id})->second,
          "binds local task id " + Twine(unsigned(color)) +
              ", and an input queue reads color " + Twine(unsigned(color)) +
              ": on " + machine.name + " they are one, another id is needed",
          x, y, here.getConfigOp(color), "the color's configuration is here");
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

bool csl_to_wafer::isPlaceholder(Operation *op) {
  auto extent = op->getAttrOfType<IntegerAttr>("static_extent");
  return extent && extent.getInt() == 0;
}

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
  // Queues that descriptors name and nothing initialises.
  std::vector<uint32_t> inputs(operations.size()), outputs(operations.size());
  for (auto [number, setup] : llvm::enumerate(program.setups)) {
    for (auto [queue, op] : derivation.setupOps[number].inputQueues)
      inputs[setup.code] |= 1u << queue;
    for (auto [queue, op] : derivation.setupOps[number].outputQueues)
      outputs[setup.code] |= 1u << queue;
  }
  for (auto [code, ops] : llvm::enumerate(operations))
    for (Operation *op : ops) {
      if (isPlaceholder(op))
        continue;
      auto in = dyn_cast<csl::FabinDsdOp>(op);
      auto out = dyn_cast<csl::FaboutDsdOp>(op);
      std::optional<int64_t> queue = csl::getKnownId(in    ? in.getQueue()
                                                     : out ? out.getQueue()
                                                           : Value());
      if (queue && in)
        warn(op, "input queue", *queue, taken.inputQueues & ~inputs[code]);
      if (queue && out)
        warn(op, "output queue", *queue, taken.outputQueues & ~outputs[code]);
    }
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

/// A queue may get another color then, and a DSD comes from elsewhere.
void ProgramCheck::writeRegister(size_t code, std::optional<uint64_t> word) {
  const CslRegisterInfo *info = word ? lookupCslRegister(*word) : nullptr;
  bool isInput = info && info->kind == CslRegister::InputQueue;
  if (word && !isInput && !(info && info->kind == CslRegister::OutputQueue))
    return;
  passesDsds[code] = true;
  uint32_t queues = !word ? ~0u : isInput ? 1u << (*word - info->address) : 0;
  taking[code] |= queues;
  configured[code] |= queues;
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
  unblocking.resize(count);
  auto find = [&](size_t code) {
    derivation.programs[code].walk([&](Operation *op) {
      // Calls and branches hand queues on as well.
      for (Value operand : op->getOperands())
        if (isa<csl::InputQueueType>(operand.getType()) &&
            !isa<csl::InitializeQueueOp>(op)) {
          std::optional<int64_t> queue = csl::getKnownId(operand);
          taking[code] |= queue ? 1u << *queue : ~0u;
        }
      // What a store by a number reaches may be a register.
      if (Value stored = getStored(op);
          machine.generation == 2 && stored && csl::getPlaceNumber(stored)) {
        auto number = stored.getDefiningOp<csl::IntToPtrOp>();
        APInt at;
        if (!number || !matchPattern(number.getAddress(), m_ConstantInt(&at)))
          writeRegister(code, std::nullopt);
        else if (auto word = configWordAt(machine, at.getZExtValue()))
          writeRegister(code, *word);
      }
      if (!isa<csl::CslDialect>(op->getDialect()))
        return;
      operations[code].push_back(op);
      if (auto out = dyn_cast<csl::FaboutDsdOp>(op)) {
        senders[code].push_back(out);
        if (out.getAdvanceSwitch())
          advancing[code].push_back(out);
      }
      if (auto in = dyn_cast<csl::FabinDsdOp>(op); in && in.getColor()) {
        std::optional<int64_t> color = csl::getKnownId(in.getColor());
        hearing[code] |= color ? 1u << *color : ~0u;
      }
      if (auto set = dyn_cast<csl::SetConfigOp>(op)) {
        APInt at;
        bool isKnown = matchPattern(set.getAddress(), m_ConstantInt(&at));
        writeRegister(code, isKnown ? std::optional<uint64_t>(at.getZExtValue())
                                    : std::nullopt);
      }
      auto unblocks = [&](Value id) {
        std::optional<int64_t> known = csl::getKnownId(id);
        if (id && !isa<csl::LocalTaskIdType>(id.getType()))
          unblocking[code] |= known ? 1u << *known : ~0u;
      };
      if (auto unblock = dyn_cast<csl::UnblockOp>(op))
        unblocks(unblock.getId());
      if (auto async = dyn_cast<csl::AsyncOpInterface>(op)) {
        unblocks(async.getUnblock());
        unblocks(async.getControlTarget());
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
