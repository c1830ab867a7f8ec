//===- HostTraces.h - What SdkRuntime keeps of a run ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorder of a runtime that records by default: its timeline ends after
// kMostSpans tasks and operations, so that no run pays much for it. Wavelets
// switches and instructions are kept where their logs are asked for (SIM-017 to
// SIM-026).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFERHOST_HOSTTRACES_H
#define SEQUIN_WAFERHOST_HOSTTRACES_H

#include "sequin/WaferHost/Recorder.h"

namespace sequin::wafer {

/// The logs that SIMFABRIC_DEBUG names.
struct SimLogs {
  bool landing = false, router = false, instructions = false;
  explicit operator bool() const { return landing || router || instructions; }
};

class HostTraces : public Recorder {
public:
  HostTraces(const Program &program, bool timeline, SimLogs logs)
      : Recorder(program,
                 {.timeline = timeline, .activity = timeline, .region = {}}),
        program(program), logs(logs), waiting(program.pes.size()) {}

  /// Everything that was asked for, in the order of cycles, rows and columns.
  std::vector<std::string> simLog() const;

  /// Whether the timeline has ended before the run.
  bool isCut() const { return spans >= kMostSpans; }

  void hop(const Moment &at, const Hop &hop) override;
  void switchMoves(const Moment &at, const SwitchMove &move) override;
  bool wantsInstructions() const override { return logs.instructions; }
  void element(const Moment &at, const TracedElement &element) override;
  void instruction(const Moment &at, const TracedInstruction &traced) override;
  void waits(const Moment &at, WaitKind why, unsigned number) override;
  void queued(const Moment &at, unsigned queue, uint32_t data) override;
  void sent(const Moment &at, unsigned queue, uint32_t data) override;
  void taskStarts(const Moment &at, llvm::StringRef kind,
                  const Function &function) override;
  void operationStarts(const Moment &at, unsigned thread, DsdOpcode opcode,
                       uint32_t length, Location location) override;

  static constexpr uint64_t kMostSpans = uint64_t(1) << 18;
  static constexpr size_t kMostLines = size_t(1) << 22;

private:
  /// A line without its "@<cycle> P<x>.<y>"; what one PE does in a cycle keeps
  /// the order in which it was told.
  struct Line {
    Moment at;
    std::string text;
    bool executed = false; ///< an instruction
  };
  void add(const Moment &at, std::string text);
  void addInstruction(const Moment &at, uint32_t sequence,
                      const std::string &issued, const std::string &executed);
  std::string addressText(const Moment &at, uint32_t function,
                          uint32_t number) const;
  std::string instructionText(const Moment &at, uint32_t instruction,
                              uint32_t sequence, bool executed,
                              const std::string &text) const;
  void addIdleCycles(std::vector<Line> &all) const;
  std::string switchText(const SwitchMove &move, bool output) const;
  void addInitialSwitches(std::vector<Line> &all) const;

  const Program &program;
  SimLogs logs;
  uint64_t spans = 0;
  std::vector<Line> lines;
  /// Of each PE: colors whose wait has been told; instructions so far.
  std::vector<uint32_t> waiting;
  std::map<uint32_t, uint32_t> instructions;
};

} // namespace sequin::wafer

#endif // SEQUIN_WAFERHOST_HOSTTRACES_H
