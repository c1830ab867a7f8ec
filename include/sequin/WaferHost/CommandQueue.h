//===- CommandQueue.h - Commands that overlap -------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command stream of memcpy on top of a Session: every command is a task
// that the host may wait for or not. Commands begin in the order in which they
// were given:
//
//  - a launch queues up behind launches on each PE by itself, and begins when
//    the words of all earlier sends have entered the fabric;
//  - a copy and a send begin when all earlier commands are done;
//  - a receive begins at once: words that come out are kept until it takes
//    them, receives of one stream in order.
//
// "When done" gives way where nothing moves any more: whoever waits may wait
// for what this very command brings. Only a copy is then an error if a launch
// has not unblocked the command stream of its PEs. A send that passes such a
// PE's command stream is a warning: on the machine it would be stuck behind it.
//
// After a task that is waited for, the fabric goes on until nothing moves, but
// not for more than kHostGap cycles: a host is slow, and a program that never
// rests must not stop it for good.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFERHOST_COMMANDQUEUE_H
#define SEQUIN_WAFERHOST_COMMANDQUEUE_H

#include "sequin/WaferHost/Session.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>
#include <set>
#include <utility>

namespace sequin::wafer {

/// PEs of a rectangle in steps: (x + i * stepX, y + j * stepY).
struct PeGrid {
  Rectangle where;
  int64_t stepX = 1, stepY = 1;

  int64_t columns() const { return (where.width - 1) / stepX + 1; }
  int64_t rows() const { return (where.height - 1) / stepY + 1; }
  uint64_t count() const {
    return static_cast<uint64_t>(columns()) * static_cast<uint64_t>(rows());
  }
};

class CommandQueue {
public:
  using Task = uint64_t;
  /// Unlike a vector it can be made without being filled first.
  using Bytes = llvm::SmallVector<uint8_t, 0>;
  /// Gets what a copy or receive brought, PE-major; called while another call
  /// waits.
  using Sink = std::function<void(llvm::ArrayRef<uint8_t>)>;

  /// `session` stays in use.
  explicit CommandQueue(Session &session);
  ~CommandQueue();

  //===--- Commands: checked now, carried out in order. -------------------===//

  llvm::Expected<Task> copyIn(llvm::StringRef symbol, const PeGrid &where,
                              Bytes data);
  llvm::Expected<Task> copyOut(llvm::StringRef symbol, const PeGrid &where,
                               uint64_t bytesPerPe, Sink sink);
  /// On every PE that has the function.
  llvm::Expected<Task> launch(llvm::StringRef function,
                              llvm::ArrayRef<uint64_t> arguments);
  llvm::Expected<Task> send(llvm::StringRef stream, const PeGrid &where,
                            std::vector<uint32_t> words);
  llvm::Expected<Task> receive(llvm::StringRef stream, const Rectangle &where,
                               uint64_t wordsPerPe, Sink sink);

  //===--- Tasks ----------------------------------------------------------===//

  /// Begins what may begin, without time passing.
  llvm::Error poke();
  /// A hang if the task cannot get done.
  llvm::Error wait(Task task);
  /// Lets some time pass if it is not. Asking again where nothing has moved
  /// since is a hang.
  llvm::Expected<bool> isDone(Task task);
  /// Tasks that got done since the last call.
  std::vector<Task> takeDone() { return std::exchange(done, {}); }
  /// Runs until nothing moves, for at most kHostGap cycles.
  llvm::Error run();
  /// Carries out what there is, and runs. A task that cannot get done is a
  /// hang.
  llvm::Error finish();

  /// What is legal here and would not work on the machine; removes it.
  std::vector<std::string> takeWarnings() {
    return std::exchange(warnings, {});
  }

  static constexpr uint64_t kHostGap = uint64_t(1) << 14;

private:
  struct Pending;

  llvm::Error checkCopy(llvm::StringRef symbol, const PeGrid &where, bool in);
  Task add(Pending added);
  Pending *find(Task task) const;
  bool mayBegin(size_t index) const;
  /// Begins every command whose turn it is, at rest also the first other one.
  /// Whether there was any.
  llvm::Expected<bool> begin(bool resting);
  llvm::Error start(Pending &command);
  /// Warns of the first PE where a copy goes beyond the symbol's array, once
  /// for copies of the same size.
  void warnBeyond(const Pending &command);
  /// Takes out what is done.
  llvm::Error settle();
  /// Lets kHostGap cycles pass at most, fewer where it is `enough`. False if
  /// nothing happens any more.
  llvm::Expected<bool> step(llvm::function_ref<bool()> enough);
  llvm::Error hang(const Pending &command) const;

  Session &session;
  std::vector<std::unique_ptr<Pending>> pending; ///< in order
  std::vector<Task> done;
  Task next = 1;
  bool idlePoll = false; ///< isDone() has found that nothing moves
  std::vector<std::string> warnings;
  std::set<std::pair<std::string, uint64_t>> warned; ///< symbols, bytes per PE
  std::set<std::pair<std::string, std::string>> passed; ///< streams, PEs
};

} // namespace sequin::wafer

#endif // SEQUIN_WAFERHOST_COMMANDQUEUE_H
