//===- Temporaries.h - Files that signals remove ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signal that ends the process removes what is not finished. From the first
// temporary on, signals that would end it without being asked have a handler
// that does so; those that the program handles itself, as Python does SIGINT,
// are left to it. What must not be cut in two is done under a SignalHold.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_TEMPORARIES_H
#define SEQUIN_SUPPORT_TEMPORARIES_H

#include <string>

namespace sequin {

/// Signals that come meanwhile act at the end of the last hold.
class SignalHold {
public:
  SignalHold();
  ~SignalHold();
  SignalHold(const SignalHold &) = delete;
  SignalHold &operator=(const SignalHold &) = delete;
};

/// A file or an empty folder that is to be removed if a signal comes.
void addTemporary(const std::string &path);
/// It has its final name, or is gone.
void dropTemporary(const std::string &path);

/// Removes all of them. Only what a signal handler may do.
void removeTemporaries();

/// For a program of its own: signals end it with exit code 128 + signal.
/// SIGINT and SIGTERM do always, others unless they are ignored. On a terminal
/// the first Ctrl-C during a search only ends that (Interrupt.h).
void exitOnSignals();

} // namespace sequin

#endif // SEQUIN_SUPPORT_TEMPORARIES_H
