//===- CslTasks.cpp - Tasks and threads of the csl reference --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslState.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

/// Steps of scalar code after which others get a turn.
static constexpr unsigned kSlice = 4096;
static constexpr size_t kMostCalls = 1024;
static constexpr unsigned kTaskIds = 32;

void CslMachineState::ready(Pe &pe) {
  if (pe.ready || pe.loading)
    return;
  pe.ready = true;
  readyPes.push_back(pe.number);
}

void CslMachineState::activate(Pe &pe, uint64_t id) {
  if (id + 1 >= kTaskIds)
    return trap(pe, "task id " + Twine(id) + " is activated, the last is 30");
  pe.active |= 1u << id;
  ready(pe);
}

/// A color, queue or task id: one number space.
void CslMachineState::block(Pe &pe, uint64_t id, bool on) {
  if (id + 1 >= kTaskIds)
    return trap(pe, "task id " + Twine(id) +
                        " is blocked or unblocked, the last is 30");
  if (pe.loading)
    return pe.initialBlocks.emplace_back(static_cast<uint8_t>(id), on), void();
  pe.blocked = on ? pe.blocked | 1u << id : pe.blocked & ~(1u << id);
  ready(pe);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void CslMachineState::call(Pe &pe, const FunctionCode *code,
                           ArrayRef<Val> arguments, const Step *from,
                           bool fromMap) {
  if (pe.stack.size() >= kMostCalls)
    return trap(pe, "calls nest deeper than " + Twine(kMostCalls),
                from ? from->op : nullptr);
  Activation frame;
  frame.code = code;
  frame.slots.resize(code->slots);
  for (auto [slot, value] : llvm::zip(code->entry->arguments, arguments))
    frame.slots[slot] = value;
  Cursor cursor;
  cursor.block = code->entry;
  frame.cursors.push_back(cursor);
  frame.call = from;
  frame.fromMap = fromMap;
  frame.objects = pe.memory.depth();
  pe.stack.push_back(std::move(frame));
}

/// The innermost call is over. `results` may be of its slots.
void CslMachineState::finishCall(Pe &pe, ArrayRef<Val> results) {
  llvm::SmallVector<Val> values(results.begin(), results.end());
  const Step *call = pe.stack.back().call;
  bool fromMap = pe.stack.back().fromMap;
  pe.memory.pop(pe.stack.back().objects);
  pe.stack.pop_back();
  if (pe.stack.empty()) {
    pe.main = MainAt::Idle;
    return;
  }
  Activation &caller = pe.stack.back();
  if (fromMap) {
    if (!values.empty())
      caller.map->result = values.front();
    caller.map->at = MapState::At::Write;
    pe.main = MainAt::Map;
    return;
  }
  for (auto [slot, value] : llvm::zip(call->results, values))
    caller.slots[slot] = value;
}

void CslMachineState::startFunction(Pe &pe, const FunctionCode *code,
                                    ArrayRef<Val> arguments,
                                    const Twine &what) {
  pe.task = what.str();
  pe.stack.clear();
  pe.main = MainAt::Running;
  call(pe, code, arguments, nullptr, false);
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

void CslMachineState::startTask(Pe &pe, const BoundTask &task, uint8_t id,
                                const Wavelet *wavelet) {
  const FunctionCode *code = task.function;
  if (!code)
    return serveRpc(pe, wavelet ? wavelet->data : 0);
  if (task.kind == csl::TaskKind::Data)
    for (Rotating &rotating : pe.rotating) {
      if (rotating.id != id)
        continue;
      // Compared, then counted (TSK-048).
      if (rotating.counter == rotating.limit) {
        rotating.counter = 0;
        code = rotating.alternative;
      } else {
        ++rotating.counter;
      }
    }
  // One value is the low half or all of the wavelet; two are its halves.
  llvm::SmallVector<Val, 2> arguments;
  ArrayRef<Type> types = code->type.getInputs();
  for (auto [i, type] : llvm::enumerate(types)) {
    uint64_t data = wavelet ? wavelet->data : 0;
    arguments.push_back({data >> (16 * i) & maskOf(bitsOf(type))});
  }
  startFunction(pe, code, arguments, "task '" + code->name + "'");
}

/// A word for @rpc: the number of an exported name, then its arguments.
void CslMachineState::serveRpc(Pe &pe, uint32_t word) {
  RpcState &rpc = pe.rpc;
  auto functionOf = [&](uint16_t number) -> FunctionCode * {
    if (number >= exportNames.size())
      return nullptr;
    Operation *symbol = pe.code->exports.lookup(exportNames[number].getName());
    auto function = dyn_cast_or_null<FunctionOpInterface>(symbol);
    return function ? functionAt(pe, SymbolTable::getSymbolName(function))
                    : nullptr;
  };
  if (!rpc.missing) {
    rpc.function = static_cast<uint16_t>(word);
    rpc.words.clear();
    FunctionCode *code = functionOf(rpc.function);
    rpc.missing = 0;
    if (code)
      for (Type type : code->type.getInputs())
        rpc.missing += bitsOf(type) > 32 ? 2 : 1;
    if (!code)
      return; // nobody's number: the next word begins a call again
  } else {
    rpc.words.push_back(word);
    --rpc.missing;
  }
  if (rpc.missing)
    return;
  FunctionCode *code = functionOf(rpc.function);
  llvm::SmallVector<Val> arguments;
  const uint32_t *next = rpc.words.data();
  for (Type type : code->type.getInputs()) {
    // The low half comes first.
    uint64_t value = *next++;
    if (bitsOf(type) > 32)
      value |= uint64_t(*next++) << 32;
    arguments.push_back({value & maskOf(bitsOf(type))});
  }
  startFunction(pe, code, arguments, "remote call of '" + code->name + "'");
}

/// What the teardown task does where the program has none: one handler per run.
bool CslMachineState::runHandlers(Pe &pe) {
  auto run = [&](auto &pending, const auto &handlers, StringRef what) {
    while (pending) {
      unsigned number = llvm::countr_zero(pending);
      pending &= pending - 1;
      auto found = handlers.find(static_cast<uint8_t>(number));
      if (found == handlers.end())
        continue;
      startFunction(pe, found->second, {},
                    "handler of " + what + " " + Twine(number));
      return true;
    }
    return false;
  };
  if (run(pe.teardownPending, pe.teardownHandlers, "color") ||
      run(pe.handleInput, pe.emptyInput, "input queue") ||
      run(pe.handleOutput, pe.emptyOutput, "output queue"))
    return true;
  pe.active &= ~(1u << machine->teardownTask);
  return false;
}

/// Starts what is ready; false if nothing is.
bool CslMachineState::pickTask(Pe &pe) {
  if (!pe.launches.empty() && !pe.commandBlocked) {
    Launch launch = std::move(pe.launches.front());
    pe.launches.pop_front();
    pe.commandBlocked = memcpy;
    llvm::SmallVector<Val> arguments;
    for (auto [bits, type] :
         llvm::zip(launch.arguments, launch.function->type.getInputs()))
      arguments.push_back({bits & maskOf(bitsOf(type))});
    startFunction(pe, launch.function, arguments,
                  "launch of '" + launch.function->name + "'");
    return true;
  }
  for (unsigned i = 1; i <= kTaskIds; ++i) {
    unsigned id =
        (options.otherOrder ? pe.lastTask - i : pe.lastTask + i) % kTaskIds;
    if (pe.blocked >> id & 1)
      continue;
    auto task = pe.tasks.find(static_cast<uint8_t>(id));
    if (pe.active >> id & 1) {
      if (task != pe.tasks.end() && task->second.kind == csl::TaskKind::Local) {
        pe.active &= ~(1u << id);
        pe.lastTask = id;
        startTask(pe, task->second, static_cast<uint8_t>(id), nullptr);
        return true;
      }
      if (id == machine->teardownTask && runHandlers(pe))
        return true;
    }
    // A color (WSE-2) or input queue has the number of its data task.
    auto found = pe.inputs.find(static_cast<uint8_t>(id));
    if (found == pe.inputs.end() || found->second.users)
      continue;
    InputQueue &queue = found->second;
    while (!queue.words.empty()) {
      Wavelet wavelet = queue.words.front();
      const BoundTask *chosen = nullptr;
      // The end of a message asks for no task.
      if (wavelet.control && (pe.messageColors >> queue.color & 1)) {
        queue.words.pop_front();
        continue;
      }
      if (!wavelet.control) {
        if (task != pe.tasks.end() && task->second.kind == csl::TaskKind::Data)
          chosen = &task->second;
        else
          break;
      } else {
        unsigned entry = wavelet.data >> 16 & 0x3f;
        if (entry == machine->noControlTask) {
          queue.words.pop_front();
          continue;
        }
        uint8_t table = machine->generation == 2 ? 0 : queue.table;
        auto control =
            pe.controlTasks.find({table, static_cast<uint8_t>(entry)});
        if (control == pe.controlTasks.end()) {
          trap(pe, "a control wavelet asks for control task " + Twine(entry) +
                       ", which is not bound (TSK-037)");
          return false;
        }
        chosen = &control->second;
      }
      queue.words.pop_front();
      pe.lastTask = id;
      startTask(pe, *chosen, static_cast<uint8_t>(id), &wavelet);
      return true;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// Goes on with the main thread; false if it has not moved.
bool CslMachineState::runMain(Pe &pe) {
  bool moved = false;
  for (unsigned left = kSlice; left;) {
    if (hasTrapped || steps >= options.maxSteps)
      return moved;
    switch (pe.main) {
    case MainAt::Idle:
      if (!pickTask(pe))
        return moved;
      moved = true;
      break;
    case MainAt::Operation: {
      bool ended = false, good = true;
      bool went = progress(pe, pe.mainOperation, ended, good);
      moved |= went;
      if (!ended)
        return moved;
      Running op = std::move(pe.mainOperation);
      pe.main = MainAt::Running;
      complete(pe, op);
      if (pe.mainResult != ~0u)
        pe.stack.back().slots[pe.mainResult] = {good};
      break;
    }
    case MainAt::Map:
      if (!progressMap(pe))
        return moved;
      moved = true;
      --left;
      break;
    case MainAt::Running: {
      Activation &frame = pe.stack.back();
      Cursor &cursor = frame.cursors.back();
      moved = true;
      --left;
      ++steps;
      if (cursor.next >= cursor.block->steps.size()) {
        finishCall(pe, {}); // the end of a comptime block
        break;
      }
      const Step &step = cursor.block->steps[cursor.next++];
      step.handler(*this, pe, frame, step);
      if (step.mayRaise && !pe.loading)
        checkStep(pe, frame, step);
      break;
    }
    }
    if (pe.loading && pe.stack.empty())
      return moved;
  }
  return moved;
}

void CslMachineState::checkFlushes(Pe &pe) {
  for (unsigned queue = 0; queue < 8; ++queue) {
    if (!(pe.flushInput >> queue & 1))
      continue;
    int number = static_cast<int>(queue);
    if (machine->generation == 2)
      number = pe.queueColor[queue];
    auto found = pe.inputs.find(static_cast<uint8_t>(number));
    if (number >= 0 && found != pe.inputs.end() && !found->second.words.empty())
      continue;
    pe.flushInput &= ~(1u << queue);
    pe.flushedInput |= 1u << queue;
    pe.handleInput |= 1u << queue;
    activate(pe, machine->teardownTask);
  }
}

void CslMachineState::turn(Pe &pe) {
  bool moved = false;
  hostWords(pe);
  if (pe.flushInput)
    checkFlushes(pe);
  auto runMicrothreads = [&] {
    for (unsigned i = 0; i < pe.microthreads.size(); ++i) {
      unsigned thread = options.otherOrder ? 7 - i : i;
      if (!pe.microthreads[thread] || (pe.blockedMicrothreads >> thread & 1))
        continue;
      bool ended = false, good = true;
      moved |= progress(pe, *pe.microthreads[thread], ended, good);
      if (hasTrapped)
        return;
      if (!ended)
        continue;
      moved = true;
      std::unique_ptr<Running> op = std::move(pe.microthreads[thread]);
      complete(pe, *op);
    }
  };
  if (options.otherOrder)
    runMicrothreads();
  if (!hasTrapped)
    moved |= runMain(pe);
  if (!options.otherOrder && !hasTrapped)
    runMicrothreads();
  if (moved)
    ready(pe);
}
