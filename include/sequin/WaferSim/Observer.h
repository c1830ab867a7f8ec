//===- Observer.h - Who watches the fabric simulator ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a run tells to whom Options::observer names, for traces and statistics.
// Watching changes nothing: cycles and memory are the same without.
//
// What concerns one PE comes in the order of cycles; PEs may be some cycles
// apart. Times may lie ahead: what takes a known number of cycles is told at
// its start.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFERSIM_OBSERVER_H
#define SEQUIN_WAFERSIM_OBSERVER_H

#include "sequin/Wafer/Program.h"

namespace sequin::wafer {

/// Threads of a PE: the microthreads by number, then the main thread.
inline constexpr unsigned kMainThread = 8;

/// Where and when; coordinates within the program's rectangle.
struct Moment {
  uint64_t cycle = 0;
  uint16_t x = 0, y = 0;
};

/// A wavelet that a router moves on.
struct Hop {
  uint8_t color = 0;
  Direction from = Direction::Ramp;
  /// The links it leaves by. RAMP is missing where a filter or a control
  /// wavelet's ce_ignore keeps it from the compute element.
  Directions to = 0;
  bool control = false;
  uint32_t data = 0; ///< as it came in
};

class Observer {
public:
  virtual ~Observer();

  virtual void hop(const Moment &at, const Hop &hop);

  /// A task, a handler or a launched function. `kind` is "data task", "launched
  /// function", ...
  virtual void taskStarts(const Moment &at, llvm::StringRef kind,
                          const Function &function);
  virtual void taskEnds(const Moment &at);
  /// A DSD operation takes its thread.
  virtual void operationStarts(const Moment &at, unsigned thread,
                               DsdOpcode opcode, uint32_t length,
                               Location location);
  virtual void operationEnds(const Moment &at, unsigned thread);
  /// An operation on queues or FIFOs did elements in this cycle.
  virtual void issues(const Moment &at, unsigned thread);
  /// The main thread is at work for so many cycles from here on: scalar code,
  /// the start of a task, or an operation on memory.
  virtual void works(const Moment &at, uint64_t cycles);
};

} // namespace sequin::wafer

#endif // SEQUIN_WAFERSIM_OBSERVER_H
