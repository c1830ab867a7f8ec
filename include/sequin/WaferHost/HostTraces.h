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
// are kept where the log of landings is asked for (SIM-017, SIM-023).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFERHOST_HOSTTRACES_H
#define SEQUIN_WAFERHOST_HOSTTRACES_H

#include "sequin/WaferHost/Recorder.h"

namespace sequin::wafer {

class HostTraces : public Recorder {
public:
  HostTraces(const Program &program, bool timeline, bool landings)
      : Recorder(program, {.timeline = timeline, .region = {}}),
        program(program), landings(landings) {}

  /// A line for every arrival of a wavelet at a router, as the vendor's
  /// simulator logs it, in the order of cycles, rows and columns:
  ///
  ///     @53 P6.1 (hwtile) landing C3 from link R, ctrl=0, idx=0000, data=3c00
  ///     (+1.000(0)), half=0, ident=0000000000000000, lf=0
  ///
  /// Coordinates are those of the fabric, 16-bit data also as a float.
  std::vector<std::string> landingLog() const;
  /// Whether the timeline has ended before the run.
  bool isCut() const { return spans >= kMostSpans; }

  void hop(const Moment &at, const Hop &hop) override;
  void taskStarts(const Moment &at, llvm::StringRef kind,
                  const Function &function) override;
  void operationStarts(const Moment &at, unsigned thread, DsdOpcode opcode,
                       uint32_t length, Location location) override;

  static constexpr uint64_t kMostSpans = uint64_t(1) << 18;
  static constexpr size_t kMostLandings = size_t(1) << 23;

private:
  const Program &program;
  bool landings;
  uint64_t spans = 0;
  std::vector<std::pair<Moment, Hop>> landed;
};

} // namespace sequin::wafer

#endif // SEQUIN_WAFERHOST_HOSTTRACES_H
