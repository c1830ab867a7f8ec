//===- Temporaries.cpp - Files that signals remove ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has such a list too, but its first entry takes over the signals of the
// whole process, which in Python are not ours.
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/Temporaries.h"
#include "sequin/Support/Interrupt.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

using namespace sequin;

namespace {
/// An entry is used again when its path is gone, and never freed, so that a
/// handler can walk the list at any time.
struct Entry {
  std::atomic<char *> path = nullptr;
  Entry *next = nullptr;
};
} // namespace

static std::atomic<Entry *> entries = nullptr;
static std::atomic<int> holds = 0, pending = 0;
static std::atomic<bool> exits = false, endsSearches = false;
static std::atomic<pid_t> owner = 0;

/// What ends a process that has not asked for them.
static constexpr int kSignals[] = {SIGHUP,    SIGINT,  SIGQUIT, SIGALRM,
                                   SIGTERM,   SIGUSR1, SIGUSR2, SIGXCPU,
                                   SIGVTALRM, SIGPROF, SIGIO};

/// Takes each path that is there, so that no other thread frees it meanwhile;
/// whether one was removed.
static bool removeEach(int (*remove)(const char *)) {
  bool removed = false;
  for (Entry *entry = entries; entry; entry = entry->next)
    if (char *path = entry->path.exchange(nullptr)) {
      if (remove(path) == 0)
        removed = true;
      else
        entry->path = path;
    }
  return removed;
}

void sequin::removeTemporaries() {
  int kept = errno;
  removeEach(unlink);
  // Folders when they are empty, whatever their order is.
  while (removeEach(rmdir))
    ;
  errno = kept;
}

static void end(int signal) {
  if (exits)
    _exit(128 + signal);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

static void finish(int signal) {
  removeTemporaries();
  end(signal);
}

static void onSignal(int signal) {
  // The child of a fork has no temporaries of its own.
  if (getpid() != owner)
    return end(signal);
  if (signal == SIGINT && endsSearches && endSearch())
    return;
  if ((signal == SIGINT || signal == SIGTERM || signal == SIGUSR1) &&
      askToStop(signal))
    return;
  pending = signal;
  if (holds == 0)
    finish(signal);
}

static void release() {
  if (--holds == 0)
    if (int signal = pending)
      finish(signal);
}

SignalHold::SignalHold() {
  ++holds;
  if (!pending)
    return;
  // Another thread is about to end the process.
  release();
  while (true)
    pause();
}

SignalHold::~SignalHold() { release(); }

static void handle(int signal) {
  struct sigaction action = {};
  action.sa_handler = onSignal;
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

static bool isDefault(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 &&
         !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

void sequin::exitOnSignals() {
  exits = true;
  endsSearches = isatty(STDERR_FILENO);
  owner = getpid();
  for (int signal : kSignals) {
    struct sigaction action = {};
    bool isIgnored = sigaction(signal, nullptr, &action) == 0 &&
                     !(action.sa_flags & SA_SIGINFO) &&
                     action.sa_handler == SIG_IGN;
    // As LLVM's programs: a shell's background job can be interrupted too.
    if (!isIgnored || signal == SIGINT || signal == SIGTERM)
      handle(signal);
  }
}

static std::mutex mutex;

void sequin::addTemporary(const std::string &path) {
  std::lock_guard<std::mutex> guard(mutex);
  if (owner != getpid()) {
    // Those of the process that this one was forked from are not its own.
    for (Entry *entry = entries; entry; entry = entry->next)
      entry->path = nullptr;
    owner = getpid();
  }
  if (!exits)
    for (int signal : kSignals)
      if (isDefault(signal))
        handle(signal);
  char *copy = strdup(path.c_str());
  if (!copy)
    return;
  Entry *entry = entries;
  while (entry && entry->path)
    entry = entry->next;
  if (!entry) {
    entry = new Entry;
    entry->next = entries;
    entries = entry;
  }
  entry->path = copy;
}

void sequin::dropTemporary(const std::string &path) {
  std::lock_guard<std::mutex> guard(mutex);
  for (Entry *entry = entries; entry; entry = entry->next)
    if (char *found = entry->path; found && path == found) {
      if (entry->path.compare_exchange_strong(found, nullptr))
        std::free(found);
      return;
    }
}
