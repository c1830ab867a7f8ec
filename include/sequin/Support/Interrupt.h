//===- Interrupt.h - Work that its caller can end ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signal ends a program of its own at once. Within Python it sets a flag that
// only the interpreter looks at, so what takes long there asks now and then
// whether it is wanted any more. Once it is not, loops may end anywhere: their
// results are not used, and whoever can fail returns interruptedError().
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_INTERRUPT_H
#define SEQUIN_SUPPORT_INTERRUPT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <chrono>

namespace sequin {

/// While it lives, work of this thread asks `ask`, at most every kPeriod.
class InterruptScope {
public:
  static constexpr std::chrono::milliseconds kPeriod{50};

  explicit InterruptScope(llvm::function_ref<bool()> ask);
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

  bool isInterrupted() const { return answer; }

private:
  friend bool interrupted(unsigned every);
  bool poll(unsigned every);

  llvm::function_ref<bool()> ask;
  std::chrono::steady_clock::time_point next;
  InterruptScope *outer;
  unsigned calls = 0;
  bool answer = false;
};

/// Whether the work of this thread is not wanted any more; never without a
/// scope. `every`: for steps so short that a clock is looked at in some only, a
/// power of two.
bool interrupted(unsigned every = 1);

llvm::Error interruptedError();

/// While it lives, a search goes on whose best result so far is a result too:
/// endSearch() ends it.
class SearchScope {
public:
  SearchScope();
  ~SearchScope();
  SearchScope(const SearchScope &) = delete;
  SearchScope &operator=(const SearchScope &) = delete;
};

/// Ends the searches of this process, of all threads and for good, if one goes
/// on and none was ended before; whether it did. A signal handler may call it.
bool endSearch();
/// Whether a search takes the first result that it has.
bool isSearchEnded();

/// While it lives, the first SIGINT, SIGTERM or SIGUSR1 of a program asks its
/// work to stop at a point from which it can go on, instead of ending it.
class StopScope {
public:
  StopScope();
  ~StopScope();
  StopScope(const StopScope &) = delete;
  StopScope &operator=(const StopScope &) = delete;
};

/// Asks the work under a StopScope to stop; whether there is one that was not
/// asked before. A signal handler may call it.
bool askToStop(int signal);
/// The signal by which the work of this process is asked to stop, or 0.
int stopAsked();

} // namespace sequin

#endif // SEQUIN_SUPPORT_INTERRUPT_H
