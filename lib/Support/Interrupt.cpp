//===- Interrupt.cpp - Work that its caller can end -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/Interrupt.h"
#include <atomic>

using namespace sequin;

static thread_local InterruptScope *current = nullptr;

InterruptScope::InterruptScope(llvm::function_ref<bool()> ask)
    : ask(ask), next(std::chrono::steady_clock::now() + kPeriod),
      outer(current) {
  current = this;
}

InterruptScope::~InterruptScope() { current = outer; }

bool InterruptScope::poll(unsigned every) {
  if (answer || (++calls & (every - 1)) != 0)
    return answer;
  auto now = std::chrono::steady_clock::now();
  if (now < next)
    return false;
  answer = ask();
  // Asking takes time too.
  next = std::chrono::steady_clock::now() + kPeriod;
  return answer;
}

bool sequin::interrupted(unsigned every) {
  return current && current->poll(every);
}

llvm::Error sequin::interruptedError() {
  return llvm::createStringError("interrupted");
}

static std::atomic<int> searches = 0;
static std::atomic<bool> searchEnded = false;
static_assert(std::atomic<int>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

SearchScope::SearchScope() { ++searches; }
SearchScope::~SearchScope() { --searches; }

bool sequin::endSearch() { return searches > 0 && !searchEnded.exchange(true); }

bool sequin::isSearchEnded() { return searchEnded; }

static std::atomic<int> stopScopes = 0, stopSignal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

StopScope::StopScope() { ++stopScopes; }
StopScope::~StopScope() {
  if (--stopScopes == 0)
    stopSignal = 0;
}

bool sequin::askToStop(int signal) {
  int none = 0;
  return stopScopes > 0 && stopSignal.compare_exchange_strong(none, signal);
}

int sequin::stopAsked() { return stopSignal; }
