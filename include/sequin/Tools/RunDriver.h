//===- RunDriver.h - What sequin-run does -----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a program on a simulated machine: reads it, lowers what is not lowered
// yet, converts the input arrays, simulates, compares with the reference
// interpreter if asked, and writes results and report. Files appear under their
// final names only when everything has succeeded.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TOOLS_RUNDRIVER_H
#define SEQUIN_TOOLS_RUNDRIVER_H

#include "sequin/Api/Program.h"
#include "sequin/Support/Progress.h"
#include "sequin/Tools/ExitCode.h"
#include "sequin/WaferSim/Exchange.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace sequin::tools {

/// What only a program for a wafer takes.
struct WaferFlags {
  std::string grid;                  ///< "4,3"
  std::vector<std::string> launches; ///< "f(1, 2.5)" or "f@0,0,1,1", in order
  std::string fabricPicture;         ///< SVG path
  std::string waveletLog; ///< JSON if it ends in .json, text otherwise
  std::string tracePes;   ///< "x,y,width,height"
  // Other machines that a program must run on as well (wafer::Options).
  bool randomLatency = false, shallowQueues = false, highestTaskFirst = false;
  int64_t seed = 0;
  /// Of the simulator, at least 1; all that a run gives is the same.
  int64_t threads = 1;
  std::string checkpoint; ///< path; empty: none
  std::string resume;     ///< path of a checkpoint to go on from
  std::optional<int64_t> checkpointEvery; ///< cycles
};

struct RunOptions {
  /// What to run, and for which machine; `path` is the program's.
  api::CompileOptions compile;
  api::RunOptions run;
  /// .npy paths in order; for a wafer each after "SYMBOL=".
  std::vector<std::string> inputs, outputs;
  std::string report, timeline; ///< JSON paths; empty: none
  std::string page;             ///< HTML path; empty: none
  /// The command line, for who wants to run it again; argv[0] first.
  std::vector<std::string> arguments;
  ProgressMode progress = ProgressMode::Auto;
  bool advise = false;
  std::vector<std::string> whatIf; ///< sim::parseWhatIf
  std::string reportMapping;       ///< JSON if it ends in .json, text otherwise
  bool raw = false; ///< results in the bits of the program's type
  WaferFlags wafer;
  /// The processes that run it, of which this is one; null: alone.
  wafer::Exchange *exchange = nullptr;
};

/// Runs; everything that is said goes to `log`.
ExitCode run(const RunOptions &options, llvm::raw_ostream &log);

} // namespace sequin::tools

#endif // SEQUIN_TOOLS_RUNDRIVER_H
