//===- Relay.h - An observer of several ranks -------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps what a rank would tell its observer in a window. Rank 0 puts those of
// all ranks into the order in which one rank steps PEs and tells them then.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_WAFERSIM_RELAY_H
#define SEQUIN_LIB_WAFERSIM_RELAY_H

#include "sequin/Support/Archive.h"
#include "sequin/WaferSim/Observer.h"

namespace sequin::wafer {

class Wafer;

class Relay : public Observer {
public:
  explicit Relay(bool isTraced) : isTraced(isTraced) {}
  void attach(Wafer &wafer) { of = &wafer; }

  /// What the window that began then has brought, and forgets it.
  std::vector<uint8_t> take(uint64_t begin);
  /// Of every rank what take() gave.
  static void tell(llvm::ArrayRef<std::vector<uint8_t>> all,
                   const Program &program, Observer &to);

  void hop(const Moment &at, const Hop &hop) override;
  void switchMoves(const Moment &at, const SwitchMove &move) override;
  bool wantsInstructions() const override { return isTraced; }
  void element(const Moment &at, const TracedElement &element) override;
  void instruction(const Moment &at, const TracedInstruction &traced) override;
  void waits(const Moment &at, WaitKind why, unsigned number) override;
  void queued(const Moment &at, unsigned queue, uint32_t data) override;
  void sent(const Moment &at, unsigned queue, uint32_t data) override;
  void taskStarts(const Moment &at, llvm::StringRef kind,
                  const Function &function) override;
  void taskEnds(const Moment &at) override;
  void operationStarts(const Moment &at, unsigned thread, DsdOpcode opcode,
                       uint32_t length, Location location) override;
  void operationEnds(const Moment &at, unsigned thread) override;
  void issues(const Moment &at, unsigned thread) override;
  void works(const Moment &at, uint64_t cycles) override;

  struct Event;

private:
  enum class Kind : uint8_t;
  template <typename... T>
  void keep(Kind kind, const Moment &at, const T &...what);

  const bool isTraced;
  Wafer *of = nullptr;
  Saver kept;
  uint64_t count = 0;
};

} // namespace sequin::wafer

#endif // SEQUIN_LIB_WAFERSIM_RELAY_H
