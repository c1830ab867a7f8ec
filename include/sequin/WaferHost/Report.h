//===- Report.h - What a run on a wafer cost --------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFERHOST_REPORT_H
#define SEQUIN_WAFERHOST_REPORT_H

#include "sequin/WaferHost/Recorder.h"

namespace sequin::wafer {

struct Report {
  std::string target;
  int64_t width = 0, height = 0;
  uint64_t cycles = 0;
  double seconds = 0;
  uint64_t macs = 0;
  int64_t peakMacsPerCycle = 0; ///< of all PEs together
  double macUtilization = 0;
  Counters counters;
  std::vector<Command> commands;
  /// By PE, row by row; empty if nobody watched.
  std::vector<PeStatistics> pes;
  /// By line of the program, with the text of the location.
  std::vector<std::pair<std::string, SourceStatistics>> sources;
  double wallSeconds = 0;
};

/// What the session has done so far. `wallSeconds`: what the simulation took.
Report makeReport(const Session &session, double wallSeconds,
                  const Recorder *recorder = nullptr);

/// Keys as docs/Guides/RunningOnAWafer.md explains them.
llvm::json::Value toJSON(const Report &report);

} // namespace sequin::wafer

#endif // SEQUIN_WAFERHOST_REPORT_H
