//===- WaferPage.h - The page of a run on a wafer ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_PAGE_WAFERPAGE_H
#define SEQUIN_PAGE_WAFERPAGE_H

#include "sequin/Page/Document.h"
#include "sequin/WaferHost/Report.h"

namespace sequin::page {

struct WaferRun {
  const wafer::Session &session;
  /// With RecorderOptions::timeline and activity.
  const wafer::Recorder &recorder;
  double wallSeconds = 0;
  /// What went wrong, as the tools say it; empty: nothing.
  std::string failure = "";
  /// Whether the failure is that the program hangs, or trapped.
  bool hung = false, trapped = false;
  /// What locations name; files are read besides.
  std::vector<Source> sources = {};
};

void writeWaferPage(llvm::raw_ostream &os, const Heading &heading,
                    const WaferRun &run);

} // namespace sequin::page

#endif // SEQUIN_PAGE_WAFERPAGE_H
