//===- WaferCourse.h - A run on a wafer and its checkpoints -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out a plan: copies in, launches, runs. With --checkpoint the state of
// all is written every so many cycles and when a signal asks to stop; with
// --resume the plan goes on from where a file says.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TOOLS_WAFERCOURSE_H
#define SEQUIN_LIB_TOOLS_WAFERCOURSE_H

#include "WaferPlan.h"
#include "sequin/WaferHost/Recorder.h"

namespace sequin::tools {

/// What is wrong with the flags of checkpoints; "" if nothing.
std::string findCheckpointUsageError(const RunOptions &options);

class Course {
public:
  /// `recorder` may be null.
  Course(const RunOptions &options, const Plan &plan, wafer::Session &session,
         wafer::Recorder *recorder);
  llvm::Error run();
  /// The signal that ended run() with an error, after a checkpoint; or 0.
  int stoppedBy() const { return signal; }

private:
  llvm::Error copyIn();
  llvm::Error runOn();
  llvm::Error write();
  llvm::Error resume();

  const RunOptions &options;
  const Plan &plan;
  wafer::Session &session;
  wafer::Recorder *recorder;
  /// The launch that runs; behind the last one, what runs without any.
  uint64_t position = 0;
  /// What a checkpoint begins with, made for the first one.
  std::vector<uint8_t> identity;
  int signal = 0;
};

} // namespace sequin::tools

#endif // SEQUIN_LIB_TOOLS_WAFERCOURSE_H
