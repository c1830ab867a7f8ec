//===- CommandQueue.cpp - Commands that overlap ---------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/CommandQueue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace sequin;
using namespace sequin::wafer;
using llvm::StringRef;
using llvm::Twine;

struct CommandQueue::Pending {
  Command::Kind kind = Command::Kind::Launch;
  std::string name;
  PeGrid where;
  Bytes data = {};
  std::vector<uint32_t> words = {};
  std::vector<uint64_t> arguments = {};
  uint64_t amount = 0; ///< bytes or words per PE
  Sink sink = {};
  Task task = 0;
  bool begun = false, finished = false;

  bool isCopy() const {
    return kind == Command::Kind::CopyIn || kind == Command::Kind::CopyOut;
  }
};

CommandQueue::CommandQueue(Session &session) : session(session) {}
CommandQueue::~CommandQueue() = default;

/// Calls `visit(x, y)` row by row; stops at the first false.
template <typename Visit>
static bool forEachPe(const PeGrid &grid, Visit visit) {
  const Rectangle &where = grid.where;
  for (int64_t y = where.y; y < where.y + where.height; y += grid.stepY)
    for (int64_t x = where.x; x < where.x + where.width; x += grid.stepX)
      if (!visit(x, y))
        return false;
  return true;
}

/// The same for what can fail.
template <typename Visit>
static llvm::Error tryEachPe(const PeGrid &grid, Visit visit) {
  std::optional<llvm::Error> failed;
  forEachPe(grid, [&](int64_t x, int64_t y) {
    if (llvm::Error bad = visit(x, y))
      failed = std::move(bad);
    return !failed;
  });
  return failed ? std::move(*failed) : llvm::Error::success();
}

static bool overlap(const Rectangle &a, const Rectangle &b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
         b.y < a.y + a.height;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

CommandQueue::Task CommandQueue::add(Pending added) {
  added.task = next++;
  idlePoll = false;
  pending.push_back(std::make_unique<Pending>(std::move(added)));
  return pending.back()->task;
}

static llvm::Error checkGrid(const Session &session, const PeGrid &grid) {
  if (grid.stepX < 1 || grid.stepY < 1)
    return llvm::createStringError("strides are " + Twine(grid.stepX) +
                                   " and " + Twine(grid.stepY) +
                                   ", expected at least 1");
  return session.checkInside(grid.where);
}

/// Every PE of a grid gets as much as the others.
static llvm::Error checkShares(uint64_t amount, StringRef unit,
                               const PeGrid &grid) {
  if (amount % grid.count() == 0)
    return llvm::Error::success();
  return llvm::createStringError(Twine(amount) + " " + unit +
                                 " are no equal shares for " +
                                 Twine(grid.count()) + " PEs");
}

llvm::Error CommandQueue::checkCopy(StringRef name, const PeGrid &where,
                                    bool in) {
  auto symbol = session.symbol(name);
  if (!symbol)
    return symbol.takeError();
  if ((*symbol)->kind == Symbol::Kind::Function)
    return llvm::createStringError("'" + name +
                                   "' is a function, it has no data to copy");
  if (in && !(*symbol)->isWritableByHost())
    return llvm::createStringError(
        "'" + name + "' is exported as not mutable, the host can only read it");
  if (llvm::Error bad = checkGrid(session, where))
    return bad;
  std::string missing;
  uint64_t count = 0;
  forEachPe(where, [&](int64_t x, int64_t y) {
    if (!session.has(**symbol, x, y) && !count++)
      missing = getPeName(x, y);
    return true;
  });
  if (count == where.count())
    return llvm::createStringError(
        missing + " does not export '" + name + "'" +
        (count > 1 ? ", nor does any other PE of the copy" : ""));
  // RPC-008 leaves open what comes of it.
  if (count && warned.emplace(name.str(), ~uint64_t(in)).second)
    warnings.push_back(
        "'" + name.str() + "' is not exported by " + missing +
        (count > 1 ? " and " + std::to_string(count - 1) + " more" : "") +
        (in ? ", nothing is copied there" : ", zeros come from there"));
  return llvm::Error::success();
}

llvm::Expected<CommandQueue::Task>
CommandQueue::copyIn(StringRef symbol, const PeGrid &where, Bytes data) {
  if (llvm::Error bad = checkCopy(symbol, where, /*in=*/true))
    return std::move(bad);
  Pending command{Command::Kind::CopyIn, symbol.str(), where, std::move(data)};
  if (llvm::Error bad = checkShares(command.data.size(), "bytes", where))
    return std::move(bad);
  command.amount = command.data.size() / where.count();
  return add(std::move(command));
}

llvm::Expected<CommandQueue::Task> CommandQueue::copyOut(StringRef symbol,
                                                         const PeGrid &where,
                                                         uint64_t bytesPerPe,
                                                         Sink sink) {
  if (llvm::Error bad = checkCopy(symbol, where, /*in=*/false))
    return std::move(bad);
  Pending command{Command::Kind::CopyOut, symbol.str(), where};
  command.amount = bytesPerPe;
  command.sink = std::move(sink);
  return add(std::move(command));
}

llvm::Expected<CommandQueue::Task>
CommandQueue::launch(StringRef function, llvm::ArrayRef<uint64_t> arguments) {
  auto symbol = session.symbol(function);
  if (!symbol)
    return symbol.takeError();
  if ((*symbol)->kind != Symbol::Kind::Function)
    return llvm::createStringError("'" + function +
                                   "' is no function, it cannot be launched");
  if ((*symbol)->argumentBits.size() != arguments.size())
    return llvm::createStringError(
        "'" + function + "' takes " + Twine((*symbol)->argumentBits.size()) +
        " arguments, found " + Twine(arguments.size()));
  Pending command{Command::Kind::Launch, function.str(), PeGrid{session.all()}};
  command.arguments = arguments.vec();
  return add(std::move(command));
}

/// An edge stream is at one place.
static PeGrid gridOf(const Stream &stream, const PeGrid &where) {
  if (stream.kind == Stream::Kind::PerPe)
    return where;
  return {{stream.x, stream.y, 1, 1}};
}

llvm::Expected<CommandQueue::Task>
CommandQueue::send(StringRef name, const PeGrid &where,
                   std::vector<uint32_t> words) {
  auto stream = session.stream(name, /*toDevice=*/true);
  if (!stream)
    return stream.takeError();
  PeGrid place = gridOf(**stream, where);
  if (llvm::Error bad = checkGrid(session, place))
    return std::move(bad);
  Pending command{Command::Kind::Send, name.str(), place};
  if (llvm::Error bad = checkShares(words.size(), "words", place))
    return std::move(bad);
  command.amount = words.size() / place.count();
  command.words = std::move(words);
  return add(std::move(command));
}

llvm::Expected<CommandQueue::Task> CommandQueue::receive(StringRef name,
                                                         const Rectangle &where,
                                                         uint64_t wordsPerPe,
                                                         Sink sink) {
  auto stream = session.stream(name, /*toDevice=*/false);
  if (!stream)
    return stream.takeError();
  PeGrid place = gridOf(**stream, PeGrid{where});
  if (llvm::Error bad = checkGrid(session, place))
    return std::move(bad);
  Pending command{Command::Kind::Receive, name.str(), place};
  command.amount = wordsPerPe;
  command.sink = std::move(sink);
  return add(std::move(command));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

bool CommandQueue::mayBegin(size_t index) const {
  const Pending &command = *pending[index];
  for (size_t i = 0; i < index; ++i) {
    const Pending &earlier = *pending[i];
    bool passed = earlier.finished;
    if (earlier.kind == Command::Kind::Receive)
      passed |= !command.isCopy();
    if (earlier.kind == Command::Kind::Launch &&
        command.kind == Command::Kind::Launch)
      passed |= earlier.begun;
    if (!passed)
      return false;
  }
  return true;
}

llvm::Expected<bool> CommandQueue::begin(bool resting) {
  bool any = false, passed = true;
  for (size_t i = 0; i < pending.size(); ++i) {
    Pending &command = *pending[i];
    if (command.begun)
      continue;
    if (command.kind == Command::Kind::Receive) {
      command.begun = true;
      continue;
    }
    if (!passed)
      continue;
    // At rest the first one goes on, and the fabric decides about the next.
    passed = mayBegin(i) || (resting && !any);
    if (!passed)
      continue;
    any = command.begun = true;
    if (llvm::Error bad = start(command)) {
      command.finished = true;
      return std::move(bad);
    }
  }
  return any;
}

void CommandQueue::warnBeyond(const Pending &command) {
  const Symbol *symbol = llvm::cantFail(session.symbol(command.name));
  std::pair<std::string, uint64_t> key(command.name, command.amount);
  if (warned.count(key))
    return;
  forEachPe(command.where, [&](int64_t x, int64_t y) {
    std::string beyond = session.beyond(*symbol, x, y, command.amount);
    if (beyond.empty())
      return true;
    warnings.push_back("a copy goes beyond the array: " + beyond);
    warned.insert(key);
    return false;
  });
}

llvm::Error CommandQueue::start(Pending &command) {
  const Rectangle &where = command.where.where;
  bool dense = command.where.stepX == 1 && command.where.stepY == 1;
  switch (command.kind) {
  case Command::Kind::Launch:
    return session.launch(command.name, where, command.arguments,
                          Session::Missing::Skip);
  case Command::Kind::Send: {
    std::string stuck;
    forEachPe(command.where, [&](int64_t x, int64_t y) {
      if (session.simulator().hasCommand(x, y))
        stuck = getPeName(x, y);
      return stuck.empty();
    });
    if (!stuck.empty() && passed.emplace(command.name, stuck).second)
      warnings.push_back(
          "words of stream '" + command.name + "' pass the command stream of " +
          stuck +
          ", which a launch has not unblocked; on the machine they would wait "
          "behind it: call unblock_cmd_stream before the words are needed");
    llvm::ArrayRef<uint32_t> words = command.words;
    if (dense)
      return session.send(command.name, where, words);
    return tryEachPe(command.where, [&](int64_t x, int64_t y) {
      llvm::ArrayRef<uint32_t> part = words.take_front(command.amount);
      words = words.drop_front(command.amount);
      return session.send(command.name, {x, y, 1, 1}, part);
    });
  }
  case Command::Kind::CopyIn: {
    command.finished = true;
    llvm::ArrayRef<uint8_t> data = command.data;
    llvm::Error bad =
        dense
            ? session.copyIn(command.name, where, data, Session::Missing::Skip)
            : tryEachPe(command.where, [&](int64_t x, int64_t y) {
                llvm::ArrayRef<uint8_t> part = data.take_front(command.amount);
                data = data.drop_front(command.amount);
                return session.copyIn(command.name, {x, y, 1, 1}, part,
                                      Session::Missing::Skip);
              });
    if (!bad)
      warnBeyond(command);
    return bad;
  }
  case Command::Kind::CopyOut: {
    command.finished = true;
    auto data = session.copyOut(command.name, where, command.amount,
                                Session::Missing::Skip);
    if (!data)
      return data.takeError();
    warnBeyond(command);
    command.sink(*data);
    return llvm::Error::success();
  }
  case Command::Kind::Receive:
    return llvm::Error::success();
  }
  llvm_unreachable("a kind of command");
}

llvm::Error CommandQueue::settle() {
  for (size_t i = 0; i < pending.size(); ++i) {
    Pending &command = *pending[i];
    if (!command.begun || command.finished)
      continue;
    if (command.kind == Command::Kind::Launch) {
      command.finished = forEachPe(command.where, [&](int64_t x, int64_t y) {
        return !session.simulator().hasCommand(x, y);
      });
    } else if (command.kind == Command::Kind::Send) {
      command.finished = forEachPe(command.where, [&](int64_t x, int64_t y) {
        return !session.simulator().unsent(command.name, x, y);
      });
    } else {
      // Receives of one place take words in their order.
      bool first = llvm::none_of(
          llvm::make_range(pending.begin(), pending.begin() + i),
          [&](const std::unique_ptr<Pending> &earlier) {
            return !earlier->finished && earlier->kind == command.kind &&
                   earlier->name == command.name &&
                   overlap(earlier->where.where, command.where.where);
          });
      if (!first)
        continue;
      bool all = true;
      llvm::Error failed =
          tryEachPe(command.where, [&](int64_t x, int64_t y) -> llvm::Error {
            auto words = session.received(command.name, x, y);
            if (!words)
              return words.takeError();
            all &= *words >= command.amount;
            return llvm::Error::success();
          });
      if (failed)
        return failed;
      if (!all)
        continue;
      command.finished = true;
      auto words =
          session.receive(command.name, command.where.where, command.amount);
      if (!words)
        return words.takeError();
      command.sink({reinterpret_cast<const uint8_t *>(words->data()),
                    words->size() * sizeof(uint32_t)});
    }
  }
  llvm::erase_if(pending, [&](const std::unique_ptr<Pending> &command) {
    if (command->finished)
      done.push_back(command->task);
    return command->finished;
  });
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

CommandQueue::Pending *CommandQueue::find(Task task) const {
  auto found = llvm::lower_bound(
      pending, task, [](const std::unique_ptr<Pending> &command, Task number) {
        return command->task < number;
      });
  return found != pending.end() && (*found)->task == task ? found->get()
                                                          : nullptr;
}

llvm::Expected<bool> CommandQueue::step(llvm::function_ref<bool()> enough) {
  auto began = begin(/*resting=*/false);
  if (!began)
    return began.takeError();
  if (llvm::Error bad = settle())
    return std::move(bad);
  if (enough())
    return true;
  auto moving = session.runFor(kHostGap);
  if (!moving)
    return moving.takeError();
  if (llvm::Error bad = settle())
    return std::move(bad);
  if (*moving || enough())
    return true;
  // What is done by now may let others begin.
  began = begin(/*resting=*/true);
  if (!began)
    return began.takeError();
  if (llvm::Error bad = settle())
    return std::move(bad);
  return *began;
}

llvm::Error CommandQueue::run() {
  auto moving = session.runFor(kHostGap);
  if (!moving)
    return moving.takeError();
  return settle();
}

llvm::Error CommandQueue::poke() {
  auto began = begin(/*resting=*/false);
  if (!began)
    return began.takeError();
  return settle();
}

llvm::Error CommandQueue::wait(Task task) {
  auto isDone = [&] { return !find(task); };
  while (!isDone()) {
    bool copies = find(task)->isCopy();
    auto progress = step(isDone);
    if (!progress)
      return progress.takeError();
    if (isDone())
      return copies ? llvm::Error::success() : run();
    if (!*progress)
      return hang(*find(task));
  }
  return llvm::Error::success();
}

llvm::Expected<bool> CommandQueue::isDone(Task task) {
  auto isDone = [&] { return !find(task); };
  if (isDone())
    return true;
  auto progress = step(isDone);
  if (!progress)
    return progress.takeError();
  if (isDone())
    return true;
  if (!*progress && idlePoll)
    return hang(*find(task));
  idlePoll = !*progress;
  return false;
}

llvm::Error CommandQueue::finish() {
  auto allDone = [&] { return pending.empty(); };
  while (!allDone()) {
    auto progress = step(allDone);
    if (!progress)
      return progress.takeError();
    if (!*progress && !allDone())
      return hang(*pending.front());
  }
  return run();
}

llvm::Error CommandQueue::hang(const Pending &command) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "hang: ";
  switch (command.kind) {
  case Command::Kind::Launch: {
    std::string stuck;
    forEachPe(command.where, [&](int64_t x, int64_t y) {
      if (session.simulator().hasCommand(x, y))
        stuck = getPeName(x, y);
      return stuck.empty();
    });
    os << "the launch of '" << command.name << "' does not end: " << stuck
       << " does not call unblock_cmd_stream()";
    break;
  }
  case Command::Kind::Send:
    os << "the words sent to stream '" << command.name
       << "' do not all enter the fabric";
    break;
  case Command::Kind::Receive: {
    os << "the host waits for " << command.amount << " words of stream '"
       << command.name << "' from each PE";
    forEachPe(command.where, [&](int64_t x, int64_t y) {
      auto words = session.received(command.name, x, y);
      if (!words) {
        llvm::consumeError(words.takeError());
        return false;
      }
      if (*words < command.amount)
        os << ", " << getPeName(x, y) << " has sent " << *words;
      return *words >= command.amount;
    });
    break;
  }
  case Command::Kind::CopyIn:
  case Command::Kind::CopyOut:
    os << "the copy of '" << command.name << "' does not begin";
    break;
  }
  os << ", and nothing moves any more";
  if (session.simulator().hang().waiting)
    os << '\n'
       << StringRef(session.simulator().hang().str(session.program())).rtrim();
  return llvm::make_error<RunFailure>(RunFailure::Kind::Hang, std::move(text));
}
