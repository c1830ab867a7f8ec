//===- ReportCommits.h - A pass on the tcp dialect --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMMITREPORT_REPORTCOMMITS_H
#define COMMITREPORT_REPORTCOMMITS_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace commit_report {

/// --report-commits: a remark at each tcp.commit with the address in DM, in
/// bytes, that it writes to.
std::unique_ptr<mlir::Pass> createReportCommitsPass();

} // namespace commit_report

#endif // COMMITREPORT_REPORTCOMMITS_H
