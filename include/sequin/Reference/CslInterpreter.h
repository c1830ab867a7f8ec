//===- CslInterpreter.h - What csl programs mean, without time --*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The untimed reference of the `csl` dialect: the code of each PE interpreted
// from the IR, and an ideal network between them. It knows no bytecode and
// shares with the fabric simulator the arithmetic of one element alone
// (Support/DsdArithmetic.h, Support/FloatFunctions.h), so that agreement means
// something.
//
// Network: a router has an unbounded queue per color and link. A wavelet at the
// head of one whose link the color receives from at the moment moves on at
// once, with its switch commands, pops, filters, teardown and color swap.
// Input queues are unbounded too, so there is no back-pressure and an output
// queue is always empty.
//
// Order: one PE acts at a time. Its turn: the main thread runs until it ends,
// waits, or has used up a slice of steps (so that a loop that polls memory sees
// what comes in); then every microthread goes as far as it can. After a turn
// all wavelets move that can, and those they reach get a turn in the next
// round. Of several ready tasks the next id after the one that ran last is
// taken; priorities mean nothing. CslOptions turn all of this round: a program
// without races has the same memory for both orders and on the simulator.
//
// Memory: a variable is an array of its own. Its address is a number like
// CSL's, but what is at the end of one variable is never the next one: an
// access beyond a variable, or a DSD that leaves the one in which it began,
// traps. Programs that look at addresses themselves see other numbers than on
// the simulator. The time stamp counter counts steps.
//
// Host: the same commands as the simulator's (WaferSim/Simulator.h).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_REFERENCE_CSLINTERPRETER_H
#define SEQUIN_REFERENCE_CSLINTERPRETER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace sequin::reference {

struct CslOptions {
  /// Operations of scalar code, elements and hops of wavelets, all PEs
  /// together, after which a run ends as Exhausted.
  uint64_t maxSteps = uint64_t(1) << 33;
  /// The other order: microthreads before the main thread, tasks by falling id,
  /// the last PE of a round first.
  bool otherOrder = false;
};

enum class CslOutcome : uint8_t {
  Finished,
  Trapped,   ///< CslReference::message() says why and where
  Hung,      ///< nothing moves and work is pending: who waits for what
  Exhausted, ///< the limit of steps
};

class CslMachineState;

class CslReference {
public:
  /// Loads the one csl.layout of `module`, which has been verified: values of
  /// parameters, comptime blocks, routes. Errors are emitted at operations. A
  /// copy of the module is kept; its context must outlive the result.
  static mlir::FailureOr<std::unique_ptr<CslReference>>
  create(mlir::ModuleOp module, const CslOptions &options = {});
  ~CslReference();

  int64_t width() const;
  int64_t height() const;

  /// Runs until nothing moves. Starts, the first time, what comptime blocks
  /// activated.
  CslOutcome run();
  /// Of a trap: what, at which PE, where in the source. Of a hang: a line for
  /// each thread, queue and stream that waits.
  const std::string &message() const;
  uint64_t steps() const;
  /// What PEs printed, in the order of printing and coordinates of the fabric:
  /// "P5.3: text".
  llvm::ArrayRef<std::string> log() const;

  /// Puts a launch of an exported function on every PE of the rectangle, with
  /// the bits of each argument. It starts at the next run().
  llvm::Error launch(llvm::StringRef symbol, int64_t x, int64_t y,
                     int64_t width, int64_t height,
                     llvm::ArrayRef<uint64_t> arguments = {});
  /// Bytes of a symbol on one PE, from the array's first element on.
  llvm::Error copyIn(llvm::StringRef symbol, int64_t x, int64_t y,
                     llvm::ArrayRef<uint8_t> data, uint64_t offset = 0);
  llvm::Expected<std::vector<uint8_t>> copyOut(llvm::StringRef symbol,
                                               int64_t x, int64_t y,
                                               uint64_t bytes,
                                               uint64_t offset = 0) const;
  /// Words of a stream to a PE, or into an edge link at the stream's place.
  llvm::Error send(llvm::StringRef stream, int64_t x, int64_t y,
                   llvm::ArrayRef<uint32_t> words);
  /// What has come out of a stream at a PE so far, and removes it.
  llvm::Expected<std::vector<uint32_t>> receive(llvm::StringRef stream,
                                                int64_t x, int64_t y);

  /// The bytes of a variable of the program at a PE, exported or not; an error
  /// if it has none of that name. For tests and debuggers.
  llvm::Expected<std::vector<uint8_t>> variable(llvm::StringRef name, int64_t x,
                                                int64_t y) const;

private:
  explicit CslReference(std::unique_ptr<CslMachineState> state);
  std::unique_ptr<CslMachineState> state;
};

} // namespace sequin::reference

#endif // SEQUIN_REFERENCE_CSLINTERPRETER_H
