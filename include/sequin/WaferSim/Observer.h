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
  bool half = false; ///< a half wavelet of a dense queue (FAB-083)
  /// The compute element lets it advance the switch of its router (FAB-084).
  bool flip = false;
};

/// A switch that a control wavelet, or the last of a DSD with advance_switch,
/// moves. `data` is the wavelet's, as it came in.
struct SwitchMove {
  uint8_t color = 0, from = 0, to = 0; ///< positions
  SwitchCommand command = SwitchCommand::Advance;
  bool control = false;
  uint32_t data = 0;
  Routes before, after;
};

/// An operand as a log names it.
struct TracedOperand {
  enum class Kind : uint8_t { None, Memory, Queue, Fifo, Scalar };
  Kind kind = Kind::None;
  uint16_t number = 0; ///< address in bytes, queue, FIFO
};

/// One element of a DSD operation.
struct TracedElement {
  uint8_t thread = kMainThread;
  uint8_t task = 0; ///< the number that logs give its task (SIM-021)
  DsdOpcode opcode = DsdOpcode::Mov16;
  uint32_t number = 0;                   ///< of the element, from 0
  std::array<TracedOperand, 3> operands; ///< destination, sources
  uint32_t source0 = 0, source1 = 0, scalar = 0, value = 0;
  /// The instruction that started the operation, if that is known.
  uint32_t function = ~0u, instruction = 0;
};

/// One instruction of scalar code.
struct TracedInstruction {
  uint8_t task = 0;
  Opcode opcode = Opcode::Constant;
  uint32_t function = 0, number = 0; ///< number within the function
  uint8_t raised = 0; ///< a set of exceptions (Support/FloatExceptions.h)
};

/// Why nothing moves.
enum class WaitKind : uint8_t { Input, Output, Fifo, Link };

class Observer {
public:
  virtual ~Observer();

  virtual void hop(const Moment &at, const Hop &hop);
  virtual void switchMoves(const Moment &at, const SwitchMove &move);

  /// Whether the functions of this block are to be called. What runs in one
  /// piece is then done element by element, with the same cycles.
  virtual bool wantsInstructions() const;
  virtual void element(const Moment &at, const TracedElement &element);
  virtual void instruction(const Moment &at, const TracedInstruction &traced);
  /// A wait begins. `number` is the thread, of a Link the color.
  virtual void waits(const Moment &at, WaitKind why, unsigned number);
  /// A wavelet goes into an output queue, and from there up the ramp.
  virtual void queued(const Moment &at, unsigned queue, uint32_t data);
  virtual void sent(const Moment &at, unsigned queue, uint32_t data);

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
