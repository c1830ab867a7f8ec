//===- HangReport.cpp - What everybody waits for --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wafer.h"
#include "sequin/Wafer/RpcServer.h"
#include "llvm/ADT/SmallSet.h"

using namespace sequin;
using namespace sequin::wafer;

static std::string place(const Core &core) { return getPeName(core.x, core.y); }

static std::string mainName(const Core &core) {
  if (core.frames.empty())
    return "main thread";
  const Function &function =
      core.code->code->functions[core.frames.front().function];
  return std::string("main thread in ") + core.taskKind + " '" + function.name +
         "'";
}

/// "fadds has 3 of 10 elements left".
static std::string progress(const LiveOp &op) {
  std::string name = getInfo(op.opcode).name.str();
  if (op.unbounded)
    return name + " without end";
  return name + " has " + std::to_string(op.remaining) + " of " +
         std::to_string(op.length) + " elements left";
}

static const Walk *inputOf(const LiveOp &op) {
  for (const Walk &walk : op.source)
    if (walk.kind == Walk::Kind::FabricIn)
      return &walk;
  return nullptr;
}

static std::string waitsFor(const Core &core, const LiveOp &op) {
  auto queue = [&](const Walk &walk, const char *what) {
    return std::string(what) + " queue " +
           std::to_string(core.rings[walk.ring].id) + ", color " +
           std::to_string(walk.color);
  };
  auto fifo = [&](bool write) {
    for (const Walk *walk : {&op.dest, &op.source[0], &op.source[1]})
      if (walk->kind == Walk::Kind::Fifo && (walk == &op.dest) == write)
        return "'" + core.setup->setup->fifos[walk->fifo].name + "'";
    return std::string();
  };
  switch (op.stall) {
  case Stall::Input:
    if (const Walk *walk = inputOf(op))
      return "waits for a wavelet on " + queue(*walk, "input");
    return "waits for input";
  case Stall::Output:
    return "waits for room in " + queue(op.dest, "output");
  case Stall::FifoEmpty:
    return "waits for data in FIFO " + fifo(false);
  case Stall::FifoFull:
    return "waits for room in FIFO " + fifo(true);
  case Stall::Blocked:
    return "is blocked";
  case Stall::None:
    break;
  }
  return "is at work";
}

/// "; task 'f' (id 9) is active but blocked" for each that is.
static std::string blockedTasks(const Core &core) {
  std::string text;
  for (uint32_t ids = core.active & core.blocked; ids; ids &= ids - 1) {
    unsigned id = llvm::countr_zero(ids);
    text += "; task ";
    if (const Task *task = core.setup->tasks[id])
      text += "'" + core.code->code->functions[task->function].name + "' ";
    text += "(id " + std::to_string(id) + ") is active but blocked";
  }
  return text;
}

/// Follows a color from `core` against its direction to where it is fed. Fills
/// `wait.chain` and `wait.on`; returns what the feeder is doing and sets the
/// cause.
std::string Wafer::sender(Core &core, uint8_t color, Wait &wait,
                          std::string &cause) {
  std::vector<std::string> &chain = wait.chain;
  Core *at = &core;
  llvm::SmallSet<uint32_t, 32> seen;
  unsigned hops = 0;
  if (carriesMessages(core, color)) {
    cause = "no message came";
    return "any PE may send a message to " + place(core);
  }
  for (;;) {
    wait.on = {at->x, at->y};
    if (!seen.insert(indexOf(*at)).second) {
      cause = "the routes of color " + std::to_string(color) + " form a loop";
      return "the routes lead in a circle";
    }
    const FlatColor &config = at->router->colors[color];
    Directions rx = config.positions[at->position[color]].rx;
    int host = config.configured ? -1 : hostStreamOf(color, true);
    if (host >= 0) {
      cause = "the host has not sent enough words";
      return "the host must send on stream '" + streams[host].stream->name +
             "'";
    }
    if (!config.configured || !rx) {
      cause =
          "color " + std::to_string(color) + " has no route into " + place(*at);
      return place(*at) + " takes color " + std::to_string(color) +
             " from no link";
    }
    if (at->teardown >> color & 1) {
      cause = "color " + std::to_string(color) + " is in teardown at " +
              place(*at) + " and nothing has ended it";
      return place(*at) + " holds color " + std::to_string(color) +
             " in teardown";
    }
    if (rx >> kRamp & 1)
      break;
    // Of several links one over which the color comes as the switches stand.
    unsigned from = llvm::countr_zero(rx);
    bool leads = false;
    for (unsigned links = rx; links; links &= links - 1) {
      unsigned d = llvm::countr_zero(links);
      Core *feeder = neighbour(*at, d);
      bool feeds = edgeStreamOf(*at, color, d, true) >= 0;
      if (feeder) {
        const FlatColor &routes = feeder->router->colors[color];
        feeds = routes.positions[feeder->position[color]].tx >> (d ^ 1) & 1;
      }
      if (feeds && leads)
        chain.push_back("color " + std::to_string(color) + " comes to " +
                        place(*at) + " from " +
                        getName(static_cast<Direction>(d)).str() + " too");
      else if (feeds)
        from = d;
      leads |= feeds;
    }
    Core *next = neighbour(*at, from);
    if (!next) {
      if (edgeStreamOf(*at, color, from, true) >= 0)
        return "the host must send into " + place(*at);
      cause = "color " + std::to_string(color) +
              " comes from beyond the edge "
              "at " +
              place(*at);
      return place(*at) + " takes color " + std::to_string(color) + " from " +
             getName(static_cast<Direction>(from)).str() +
             ", the edge of the rectangle";
    }
    const FlatColor &before = next->router->colors[color];
    Directions tx = before.positions[next->position[color]].tx;
    if (!(tx >> (from ^ 1) & 1)) {
      bool other = false;
      for (unsigned p = 0; p < 4; ++p)
        other |= (before.valid >> p & 1) &&
                 (before.positions[p].tx >> (from ^ 1) & 1);
      cause = other ? "the switch of color " + std::to_string(color) + " at " +
                          place(*next) + " stands at position " +
                          std::to_string(next->position[color]) +
                          " and was never advanced to the one that leads on"
                    : place(*next) + " does not send color " +
                          std::to_string(color) + " towards " + place(*at);
      return place(*next) + " does not pass color " + std::to_string(color) +
             " on";
    }
    at = next;
    if (++hops <= 8)
      chain.push_back("color " + std::to_string(color) + " comes through " +
                      place(*at));
  }
  std::string who = place(*at) + " must send on color " + std::to_string(color);
  for (unsigned t = 0; t < 9; ++t) {
    if (!(at->live >> t & 1))
      continue;
    LiveOp &op = *at->ops[t];
    if (op.dest.kind != Walk::Kind::FabricOut || op.dest.color != color)
      continue;
    chain.push_back(who + ": its " + progress(op) + " and " +
                    waitsFor(*at, op));
    if (at != &core && op.stall != Stall::None)
      cause = place(*at) + ", which sends color " + std::to_string(color) +
              ", waits itself";
    return "";
  }
  if (at->main != MainState::Idle)
    chain.push_back(who + ": its " + mainName(*at) + " is elsewhere");
  else if (at->active & at->blocked)
    chain.push_back(
        who + ": idle; task " +
        std::to_string(llvm::countr_zero(at->active & at->blocked)) +
        " is active but blocked");
  else
    chain.push_back(who + ": idle, no task is ready");
  return "";
}

/// Whether `op` keeps the program from being over.
static bool matters(const LiveOp &op) { return op.live && !op.unbounded; }

/// Words of an @rpc server's memory of the call under way; null where a PE has
/// none.
static const uint8_t *rpcStateOf(const Core &core) {
  for (const Variable &variable : core.code->code->variables)
    if (variable.name == kRpcState)
      return core.memory + variable.address;
  return nullptr;
}

static unsigned rpcWord(const uint8_t *state, RpcStateWord word) {
  return state[2 * word] | state[2 * word + 1] << 8;
}

/// Calls over the fabric with fewer arguments than the function has (RPC-017).
static bool lacksArguments(const Core &core) {
  const uint8_t *state = rpcStateOf(core);
  return state && rpcWord(state, kRpcMissing);
}

bool Wafer::somethingPends() {
  for (HostStream &stream : streams)
    if (stream.stream->toDevice)
      for (HostStream::Row &row : stream.rows)
        if (!row.link.empty() || llvm::any_of(row.words, [](auto &at) {
              return !at.second.empty();
            }))
          return true;
  for (Core &core : ownCores()) {
    if (lacksArguments(core))
      return true;
    if (core.main != MainState::Idle || !core.launches.empty() ||
        core.commandBlocked || core.outputBusy ||
        (core.busyRings[0] | core.busyRings[1] | core.late.busy))
      return true;
    for (unsigned t = 0; core.live >> t; ++t)
      if ((core.live >> t & 1) && matters(*core.ops[t]))
        return true;
  }
  return false;
}

void Wafer::describeHang() {
  hangReport = {};
  hangReport.cycle = now;
  auto add = [&](Core &core, std::string who, std::string what, uint64_t since,
                 Location location) -> Wait * {
    ++hangReport.waiting;
    if (hangReport.waits.size() >= HangReport::kMostWaits)
      return nullptr;
    hangReport.waits.push_back({core.x,
                                core.y,
                                std::move(who),
                                std::move(what),
                                since,
                                location,
                                {},
                                {},
                                {}});
    return &hangReport.waits.back();
  };

  for (Core &core : cores) {
    /// A color for the RAMP that no queue takes.
    int unbound = -1;
    for (Ring &ring : core.rings) {
      bool buffer = ring.color < kColors && !ring.empty() &&
                    core.channel[ring.color][ring.id % kDirections] ==
                        &ring - core.rings.data();
      if (!buffer)
        continue;
      const FlatColor &config = core.router->colors[ring.color];
      const Routes &routes = config.positions[core.position[ring.color]];
      std::string color = "color " + std::to_string(ring.color);
      Wait *wait = add(
          core, "router",
          std::to_string(ring.size()) + " wavelets of " + color + " from " +
              getName(static_cast<Direction>(ring.id)).str() + " cannot move",
          ring.lastArrival(), config.location);
      bool ramp = routes.tx >> kRamp & 1;
      bool taken = routes.rx >> ring.id & 1;
      bool held = false;
      if (carriesMessages(core, ring.color)) {
        unsigned to = linkOfMessage(
            core, static_cast<uint8_t>(&ring - core.rings.data()));
        ramp = to == kRamp;
        taken = true;
        held = ring.front().flip && to < kDirections &&
               core.messages->owner[ring.color][to] != kNone;
      }
      // What ce_ignore or a filter keeps from the RAMP needs no queue.
      Wavelet first = ring.front();
      bool down =
          ramp && (carriesMessages(core, ring.color) ||
                   (!(first.control && ControlWord{first.data}.ignoredByCe()) &&
                    passes(core, config, first)));
      uint8_t queue = core.inputOfColor[ring.color];
      std::string cause;
      if (core.teardown >> ring.color & 1)
        cause = color + " is in teardown here and nothing has ended it";
      else if (held)
        cause = "another message has the link and does not end";
      else if (!taken && !config.hasSwitches)
        cause = "the routes of " + color + " do not take this link here";
      else if (!taken)
        cause = "the switch stands at position " +
                std::to_string(core.position[ring.color]) +
                ", which does not take this link, and was never advanced";
      else if (down && queue == kNone) {
        unbound = ring.color;
        cause = "no input queue of this PE is bound to " + color;
      } else if (down && core.rings[queue].full()) {
        unsigned id =
            machine.generation == 2 ? ring.color : core.rings[queue].id;
        bool hasTask = core.setup->tasks[id % 32] &&
                       core.setup->tasks[id % 32]->kind == TaskKind::Data;
        cause =
            "the input queue of " + color + " is full and " +
            (core.rings[queue].users ? "its reader waits for something else"
             : hasTask && (core.blocked >> id & 1) ? "its data task is blocked"
             : hasTask ? "its data task cannot start while the main thread "
                         "is busy"
                       : "nothing reads it");
      } else {
        cause = "the next router is full";
      }
      if (wait)
        wait->cause = std::move(cause);
    }

    for (unsigned t = 0; t < 9; ++t) {
      if (!(core.live >> t & 1) || !matters(*core.ops[t]))
        continue;
      LiveOp &op = *core.ops[t];
      hangReport.armed +=
          t != kMain && (op.stall == Stall::FifoEmpty ||
                         (op.stall == Stall::Input &&
                          (op.unbounded || op.remaining == op.length)));
      Wait *wait = add(
          core,
          t == kMain ? mainName(core) : "microthread " + std::to_string(t),
          progress(op) + " and " + waitsFor(core, op), op.since, op.location);
      if (!wait)
        continue;
      const Walk *input = inputOf(op);
      if (op.stall == Stall::Input && input) {
        std::string cause;
        std::string end = sender(core, input->color, *wait, cause);
        if (!end.empty())
          wait->chain.push_back(end);
        // Where a route leads here that says more than another color.
        bool routed = core.router->colors[input->color].configured;
        if (unbound >= 0 && unbound != input->color &&
            (cause.empty() || !routed))
          cause = "wavelets of color " + std::to_string(unbound) +
                  " are there, but the queue is bound to color " +
                  std::to_string(input->color);
        else if (cause.empty() && op.remaining < op.length)
          cause = "the extents do not match: " +
                  std::to_string(op.length - op.remaining) + " of " +
                  std::to_string(op.length) + " elements came";
        else if (cause.empty())
          cause = "nothing was sent";
        wait->cause = std::move(cause);
      } else if (op.stall == Stall::FifoFull) {
        wait->cause = "nothing takes elements out of the FIFO";
      } else if (op.stall == Stall::FifoEmpty) {
        wait->cause = "nothing puts elements into the FIFO";
      } else if (op.stall == Stall::Blocked) {
        wait->cause = "the microthread was never unblocked";
      } else if (op.stall == Stall::Output) {
        int host = core.router->colors[op.dest.color].configured
                       ? -1
                       : hostStreamOf(op.dest.color, false);
        wait->cause = host < 0
                          ? "the receivers do not take the wavelets"
                          : "the host does not receive from stream '" +
                                streams[host].stream->name +
                                "', and its link holds " +
                                std::to_string(mostWaitingWords()) + " words";
      }
    }
    if (core.main == MainState::Step && core.stepRing != kNone) {
      const Ring &ring = core.rings[core.stepRing];
      bool input = core.stepStall == Stall::Input;
      Wait *wait = add(core, mainName(core),
                       std::string("an @map step waits for ") +
                           (input ? "a wavelet on input" : "room in output") +
                           " queue " + std::to_string(ring.id) + ", color " +
                           std::to_string(ring.color),
                       core.mainSince, 0);
      if (wait && input) {
        std::string cause;
        std::string end = sender(core, ring.color, *wait, cause);
        if (!end.empty())
          wait->chain.push_back(end);
        wait->cause =
            cause.empty() ? "nothing more was sent" : std::move(cause);
      } else if (wait) {
        wait->cause = "the receivers do not take the wavelets";
      }
    }
    if (lacksArguments(core)) {
      const uint8_t *state = rpcStateOf(core);
      unsigned function = rpcWord(state, kRpcFunction),
               there = rpcWord(state, kRpcThere),
               all = there + rpcWord(state, kRpcMissing);
      std::string name = function < program.symbols.size()
                             ? program.symbols[function].name
                             : std::to_string(function);
      if (Wait *wait =
              add(core, "server of remote calls",
                  "a call of '" + name + "' has " + std::to_string(there) +
                      " of " + std::to_string(all) + " words of arguments",
                  core.mainSince, 0))
        wait->cause = "the call does not match the number of arguments";
    }
    if (core.main == MainState::Busy)
      add(core, mainName(core), "is at work", core.mainSince,
          currentLocation(core));
    if (core.commandBlocked && core.main == MainState::Idle) {
      if (Wait *wait =
              add(core, "command stream",
                  core.launches.empty() ? "the next command of the host waits"
                                        : "a launch of the host waits",
                  core.until, 0))
        wait->cause =
            "the kernel never called unblock_cmd_stream" + blockedTasks(core);
    }
  }
  auto findsNoRoom = [&](const HostStream &stream, size_t y, size_t x,
                         size_t words) {
    return add(cores[y * program.width + x], "host",
               std::to_string(words) + " words of stream '" +
                   stream.stream->name + "' find no room",
               now, 0);
  };
  for (HostStream &stream : streams) {
    if (!stream.stream->toDevice)
      continue;
    for (auto [y, row] : llvm::enumerate(stream.rows))
      for (auto &[x, words] : row.words) {
        if (words.empty())
          continue;
        Wait *wait = findsNoRoom(stream, y, x, words.size());
        if (!wait)
          continue;
        const Core &core = cores[y * program.width + x];
        uint8_t color = stream.stream->color;
        uint8_t ring = core.inputOfColor[color];
        unsigned id = machine.generation == 2 || ring == kNone
                          ? color
                          : core.rings[ring].id;
        const Task *task = core.setup->tasks[id];
        wait->cause = ring == kNone ? "no input queue is bound to its color"
                      : !task || task->kind != TaskKind::Data
                          ? "nothing reads its color"
                      : core.blocked >> id & 1
                          ? "the data task of the color is blocked"
                          : "the data task of the color cannot start while the "
                            "main thread is busy";
      }
  }
  for (HostStream &stream : streams)
    for (auto [y, row] : llvm::enumerate(stream.rows))
      if (!row.link.empty())
        if (Wait *wait =
                findsNoRoom(stream, y, row.link.front().first, row.link.size()))
          wait->cause =
              "the PE at the head of the row's link does not take its "
              "word";
}

std::string HangReport::str(const Program &program) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (exhausted)
    os << "not over at the limit of " << cycle << " cycles; " << waiting;
  else
    os << "nothing moves since cycle " << cycle << "; " << waiting;
  os << (waiting == 1 ? " thing waits" : " things wait") << '\n';
  for (const Wait &wait : waits) {
    os << "PE (" << wait.x << ", " << wait.y << ") " << wait.who << ": "
       << wait.what << ", since cycle " << wait.since;
    if (wait.location && wait.location < program.locations.size())
      os << " [" << program.locations[wait.location] << ']';
    os << '\n';
    for (const std::string &line : wait.chain)
      os << "    " << line << '\n';
    if (!wait.cause.empty())
      os << "    likely cause: " << wait.cause << '\n';
  }
  if (waiting > waits.size())
    os << "and " << waiting - waits.size() << " more\n";
  return text;
}
