//===- Threads.cpp - Tasks, main thread, microthreads ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stepper.h"
#include <cstring>

using namespace sequin;
using namespace sequin::wafer;

static constexpr const char *kLaunched = kTaskKinds[5];
/// What the vendor's logs call a launched function (SIM-021).
static constexpr uint8_t kLaunchedWse2 = 22, kLaunchedWse3 = 1;

/// Ids of colors, queues and tasks are one number space.
static constexpr unsigned kLastTask = 30;

/// What acts: scalar code of a task or function, or an operation that ends.
static std::string runner(const Core &core, bool inScalarCode) {
  if (!inScalarCode || core.frames.empty())
    return "the end of an operation";
  return "'" + core.code->code->functions[core.frames.front().function].name +
         "'";
}

void Stepper::busy(Core &core, uint64_t cycles) {
  if (options.observer)
    options.observer->works(momentOf(core, now), cycles);
  cycles = std::max<uint64_t>(cycles, 1);
  core.main = MainState::Busy;
  core.until = now + cycles;
  counters.active += cycles;
  wake(core, core.until);
}

void Stepper::activate(Core &core, uint64_t id) {
  if (id > kLastTask)
    return trap(core, "task id " + std::to_string(id) + " is activated by " +
                          runner(core, inScalarCode) + ", the last is " +
                          std::to_string(kLastTask));
  core.active |= 1u << id;
  core.mayStart = true;
  if (core.main == MainState::Idle)
    wake(core, now + 1);
}

void Stepper::block(Core &core, BlockKind kind, uint64_t id, bool on) {
  if (kind == BlockKind::Microthread) {
    if (id >= machine.microthreads)
      return trap(core, "microthread " + std::to_string(id) +
                            " is blocked or unblocked, there are " +
                            std::to_string(machine.microthreads));
    uint8_t bit = static_cast<uint8_t>(1u << id);
    core.blockedMicrothreads =
        on ? core.blockedMicrothreads | bit : core.blockedMicrothreads & ~bit;
  } else {
    if (id > kLastTask)
      return trap(core, "task id " + std::to_string(id) +
                            " is blocked or unblocked by " +
                            runner(core, inScalarCode) + ", the last is " +
                            std::to_string(kLastTask));
    core.blocked = on ? core.blocked | 1u << id : core.blocked & ~(1u << id);
    core.mayStart = true;
  }
  wake(core, now + 1);
}

//===----------------------------------------------------------------------===//
// Ends of operations
//===----------------------------------------------------------------------===//

static void release(Core &core, LiveOp &op) {
  for (const Walk *walk : {&op.dest, &op.source[0], &op.source[1]})
    if (walk->ring != kNone && core.rings[walk->ring].users) {
      if (--core.rings[walk->ring].users == 0)
        core.usedWord(walk->ring / 64) &= ~(uint64_t(1) << walk->ring % 64);
      core.mayStart = true;
    }
}

static unsigned threadOf(const Core &core, const LiveOp &op) {
  for (unsigned i = 0; i < core.ops.size(); ++i)
    if (core.ops[i] == &op)
      return i;
  return kMain;
}

void Stepper::complete(Core &core, LiveOp &op, bool result) {
  op.live = false;
  release(core, op);
  zeroSource(core, op);
  saveAddress(core, op.dest);
  saveAddress(core, op.source[0]);
  saveAddress(core, op.source[1]);
  unsigned thread = threadOf(core, op);
  core.live &= ~(1u << thread);
  countMacs(op.opcode, op.length - op.remaining);
  if (options.observer)
    options.observer->operationEnds(momentOf(core, now + 1), thread);
  if (thread == kMain) {
    if (op.result != kNoRegister)
      core.registers[core.frames.back().registers + op.result] = result;
    // The cycle of the last element belongs to the operation.
    busy(core, 1);
    return;
  }
  if (op.completion == Completion::Activate)
    activate(core, op.completionTarget);
  else if (op.completion == Completion::Unblock)
    block(core, BlockKind::Task, op.completionTarget, false);
  wake(core, now + 1);
}

void Stepper::finishOnControl(Core &core, LiveOp &op) {
  // An end like any other, unless the control wavelet has an action of its own.
  if (op.onControl == OnControl::Terminate)
    return complete(core, op, true);
  Completion normal = op.completion;
  op.completion = Completion::None;
  OnControl action = op.onControl;
  uint8_t target = op.onControlTarget;
  complete(core, op, true);
  op.completion = normal;
  if (action == OnControl::Activate)
    activate(core, target);
  else if (action == OnControl::Unblock)
    block(core, BlockKind::Task, target, false);
}

//===----------------------------------------------------------------------===//
// Task picker
//===----------------------------------------------------------------------===//

void Stepper::startFunction(Core &core, uint32_t function,
                            llvm::ArrayRef<uint64_t> arguments) {
  const Code &code = *core.code->code;
  const Function &callee = code.functions[function];
  if (callee.frameBytes > code.stackBytes)
    return trap(core,
                "the stack of " + std::to_string(code.stackBytes) +
                    " bytes is too small for '" + callee.name + "'",
                callee.location);
  core.frames.clear();
  core.registers.assign(callee.registers, 0);
  for (size_t i = 0; i < arguments.size() && i < callee.arguments; ++i)
    core.registers[i] = arguments[i];
  core.frames.push_back({function, 0, 0, code.stackAddress});
  std::memset(core.memory + code.stackAddress, 0, callee.frameBytes);
  define(core, code.stackAddress, callee.frameBytes, false);
  core.mainSince = now;
  core.bulk = false;
  bool launched = core.taskKind == kLaunched;
  core.taskNumber = !launched                 ? core.taskId
                    : machine.generation == 2 ? kLaunchedWse2
                                              : kLaunchedWse3;
  if (options.observer)
    options.observer->taskStarts(momentOf(core, now), core.taskKind, callee);
  busy(core, machine.taskStartCycles);
}

void Stepper::startTask(Core &core, const Task &task, const Wavelet *wavelet) {
  uint32_t function = task.function;
  bool isAlternative = false;
  if (task.kind == TaskKind::Data)
    for (auto [i, rotating] : llvm::enumerate(core.setup->setup->rotating)) {
      if (rotating.id != task.id)
        continue;
      // Compare, then count (TSK-048, AMB-035).
      uint16_t &counter = core.rotatingCounter[i];
      if (counter == rotating.limit) {
        counter = 0;
        function = rotating.alternative;
        isAlternative = true;
      } else {
        ++counter;
      }
    }
  uint64_t arguments[2] = {0, 0};
  // The alternative is a control task: the halves of the wavelet, as many as it
  // declares (TSK-024).
  size_t count = isAlternative ? core.code->code->functions[function].arguments
                               : task.argumentBits.size();
  if (wavelet && count == 1)
    arguments[0] = !isAlternative && task.argumentBits[0] == 32
                       ? wavelet->data
                       : wavelet->data & 0xffff;
  if (wavelet && count == 2) {
    arguments[0] = wavelet->data & 0xffff;
    arguments[1] = wavelet->data >> 16;
  }
  core.taskKind = task.kind == TaskKind::Data      ? "data task"
                  : task.kind == TaskKind::Control ? "control task"
                                                   : "local task";
  core.taskId = task.id;
  startFunction(core, function, llvm::ArrayRef(arguments, count));
}

/// The teardown task without one of the program's: handlers, one per run.
bool Stepper::runTeardownHandlers(Core &core) {
  const Setup &setup = *core.setup->setup;
  auto run = [&](const std::map<uint8_t, uint32_t> &handlers, unsigned key) {
    auto found = handlers.find(static_cast<uint8_t>(key));
    if (found == handlers.end())
      return false;
    core.taskKind = "teardown handler";
    core.taskId = static_cast<uint8_t>(key);
    startFunction(core, found->second, {});
    return true;
  };
  while (uint32_t colors = core.teardownPending) {
    unsigned color = llvm::countr_zero(colors);
    core.teardownPending &= ~(1u << color);
    if (run(setup.teardownHandlers, color))
      return true;
  }
  while (uint8_t queues = core.handleInput) {
    unsigned queue = llvm::countr_zero(queues);
    core.handleInput &= ~(1u << queue);
    if (run(setup.emptyInputHandlers, queue))
      return true;
  }
  while (uint8_t queues = core.handleOutput) {
    unsigned queue = llvm::countr_zero(queues);
    core.handleOutput &= ~(1u << queue);
    if (run(setup.emptyOutputHandlers, queue))
      return true;
  }
  core.active &= ~(1u << machine.teardownTask);
  return false;
}

/// Where the program has made an input queue.
static Location placeOfQueue(const Setup &setup, unsigned id) {
  for (const Queue &queue : setup.inputQueues)
    if (queue.id == id)
      return queue.location;
  return 0;
}

void Stepper::pickTask(Core &core) {
  const SetupInfo &info = *core.setup;
  // A launch first: it sits in the command task's queue.
  if (!core.launches.empty() && !core.commandBlocked) {
    Core::Launch launch = std::move(core.launches.front());
    core.launches.pop_front();
    core.commandBlocked = program.memcpy;
    core.taskKind = kLaunched;
    core.taskId = 0;
    startFunction(core, launch.function, launch.arguments);
    return;
  }
  // Highest priority, then the next id round from the task of this priority
  // that ran last, so that one that activates itself starves no other. Of
  // WSE-2's queues those of a lower priority come after everything else
  // (ASY-032).
  constexpr unsigned kIds = 32;
  constexpr int kLowest = -2;
  auto turn = [&](int priority, unsigned id) {
    unsigned last = core.lastTask[priority - kLowest];
    return (options.highestTaskFirst ? last - 1 - id : id - last - 1) % kIds;
  };
  int best = kLowest - 1;
  unsigned bestId = 0;
  uint8_t bestRing = kNone;
  const Task *bestTask = nullptr;
  auto offer = [&](int priority, unsigned id, const Task *task, uint8_t ring) {
    if (priority < best ||
        (priority == best && turn(best, id) >= turn(best, bestId)))
      return;
    best = priority;
    bestId = id;
    bestTask = task;
    bestRing = ring;
  };
  uint32_t ready = core.active & ~core.blocked;
  // Without one of the program's the teardown task runs the handlers.
  uint32_t runs = info.boundLocal | 1u << machine.teardownTask;
  for (uint32_t bits = ready & runs; bits; bits &= bits - 1) {
    unsigned id = llvm::countr_zero(bits);
    offer(4 * (core.highPriority >> id & 1), id,
          info.boundLocal >> id & 1 ? info.tasks[id] : nullptr, kNone);
  }
  bool waits = false;
  for (uint8_t index : core.inputs) {
    uint64_t bit = uint64_t(1) << index % 64;
    if (!(core.filledWord(index / 64) & ~core.usedWord(index / 64) & bit))
      continue;
    Ring &ring = core.rings[index];
    if (ring.empty()) {
      core.filledWord(index / 64) &= ~bit;
      continue;
    }
    waits = true;
    int rank = machine.generation == 2 && ring.id < 8 &&
                       core.inputRing[ring.id] == index
                   ? core.inputRank[ring.id]
                   : 0;
    while (ring.ready(now)) {
      unsigned id = machine.generation == 2 ? ring.color : ring.id;
      if (core.blocked >> id & 1)
        break;
      Wavelet wavelet = ring.front();
      // The end of a message is data, not a question for a task.
      if (wavelet.control && carriesMessages(core, ring.color)) {
        popInput(core, ring);
        wake(core, now + 1);
        continue;
      }
      if (!wavelet.control) {
        if (const Task *task = info.tasks[id];
            task && task->kind == TaskKind::Data)
          offer(4 * (core.highPriority >> id & 1) - rank, id, task, index);
        break;
      }
      unsigned entry = ControlWord{wavelet.data}.entry();
      if (entry == machine.noControlTask) {
        popInput(core, ring);
        wake(core, now + 1);
        continue;
      }
      uint8_t table =
          machine.generation == 2 ? 0 : core.controlTable[ring.id & 7];
      auto found = info.control.find({table, static_cast<uint8_t>(entry)});
      if (found == info.control.end())
        return trap(core,
                    "a control wavelet on color " + std::to_string(ring.color) +
                        " asks for control task " + std::to_string(entry) +
                        (table ? " of table " + std::to_string(table) : "") +
                        ", which is not bound (AMB-030)",
                    placeOfQueue(*info.setup, ring.id));
      offer(4 * (core.highControl >> id & 1) - rank, id, found->second, index);
      break;
    }
  }
  if (best < kLowest) {
    core.mayStart = waits;
    return;
  }
  core.lastTask[best - kLowest] = static_cast<uint8_t>(bestId);
  if (!bestTask) {
    // With nothing to handle, others may be ready.
    if (!runTeardownHandlers(core))
      pickTask(core);
    return;
  }
  if (bestRing == kNone) {
    core.active &= ~(1u << bestId);
    return startTask(core, *bestTask, nullptr);
  }
  Wavelet wavelet = core.rings[bestRing].front();
  popInput(core, core.rings[bestRing]);
  wake(core, now + 1);
  startTask(core, *bestTask, &wavelet);
}

//===----------------------------------------------------------------------===//
// One cycle
//===----------------------------------------------------------------------===//

void Stepper::queueFlush(Core &core, unsigned queue, bool output) {
  unsigned queues = output ? machine.outputQueues() : machine.inputQueues();
  if (queue >= queues)
    return trap(core, (output ? "output queue " : "input queue ") +
                          std::to_string(queue) +
                          " does not exist, there are " +
                          std::to_string(queues));
  (output ? core.flushOutput : core.flushInput) |= 1u << queue;
  wake(core, now + 1);
}

void Stepper::checkFlushes(Core &core) {
  auto check = [&](uint8_t &waiting, uint8_t &done, uint8_t &handle,
                   const std::array<uint8_t, 8> &rings) {
    for (unsigned q = 0; q < 8; ++q) {
      if (!(waiting >> q & 1) ||
          (rings[q] != kNone && !core.rings[rings[q]].empty()))
        continue;
      waiting &= ~(1u << q);
      done |= 1u << q;
      handle |= 1u << q;
      activate(core, machine.teardownTask);
    }
  };
  check(core.flushInput, core.flushedInput, core.handleInput, core.inputRing);
  check(core.flushOutput, core.flushedOutput, core.handleOutput,
        core.outputRing);
}

void Stepper::stepThreads(Core &core) {
  if (core.flushInput | core.flushOutput)
    checkFlushes(core);

  // Main thread: scalar code that is done, or an @map step to try again.
  if (core.main == MainState::Step ||
      (core.main == MainState::Busy && now >= core.until)) {
    core.bulk = false;
    inScalarCode = true;
    runMain(core);
    inScalarCode = false;
  } else if (core.main == MainState::Idle && core.mayStart &&
             now >= core.until) {
    pickTask(core);
  }
  if (stopped || !core.live)
    return;

  // One DSD operation issues. Order: rank, then round robin.
  uint32_t tried = 0;
  for (;;) {
    int best = -1;
    unsigned thread = 0;
    // Threads behind the one that issued last, then those up to it.
    uint32_t left = core.live & ~tried;
    left |= left << 9;
    left &= 0x1ffu << (core.lastIssued + 1);
    for (; left; left &= left - 1) {
      unsigned t = llvm::countr_zero(left);
      t = t >= 9 ? t - 9 : t;
      if (core.ranks[t] <= best)
        continue;
      // What has found its queue empty does not look again before it is not.
      uint8_t ring = core.waitRing[t];
      if (ring != kNone && !core.rings[ring].ready(now))
        continue;
      if (now < core.ops[t]->start)
        continue;
      best = core.ranks[t];
      thread = t;
    }
    if (best < 0)
      return;
    // An operation on memory that runs in one piece holds its place.
    if (core.main == MainState::Busy && core.bulk && best < core.mainRank) {
      wake(core, core.until);
      return;
    }
    tried |= 1u << thread;
    LiveOp &op = *core.ops[thread];
    if (thread < 8 && (core.blockedMicrothreads >> thread & 1)) {
      if (op.stall != Stall::Blocked) {
        op.stall = Stall::Blocked;
        op.since = now;
      }
      continue;
    }
    core.waitRing[thread] = kNone;
    inOperation = op.location;
    bool issued = issue(core, op);
    inOperation = 0;
    if (!issued) {
      if (op.stall == Stall::Input)
        core.waitRing[thread] =
            op.source[1].kind == Walk::Kind::FabricIn &&
                    op.source[0].kind != Walk::Kind::FabricIn
                ? op.source[1].ring
                : op.source[0].ring;
      continue;
    }
    if (stopped)
      return;
    core.acted = true;
    core.lastIssued = static_cast<uint8_t>(thread);
    if (options.observer)
      options.observer->issues(momentOf(core, now), thread);
    if (core.main == MainState::Busy && core.bulk && thread < 8) {
      // The main thread's cycle is made up for at its end.
      ++core.until;
      ++counters.active;
      wake(core, core.until);
    }
    wake(core, now + 1);
    return;
  }
}
