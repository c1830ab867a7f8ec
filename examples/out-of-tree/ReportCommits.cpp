//===- ReportCommits.cpp - A pass on the tcp dialect ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportCommits.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"

namespace {

struct ReportCommits
    : mlir::PassWrapper<ReportCommits,
                        mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReportCommits)

  llvm::StringRef getArgument() const final { return "report-commits"; }
  llvm::StringRef getDescription() const final {
    return "Say where each tcp.commit writes to";
  }
  void runOnOperation() final {
    getOperation().walk([](sequin::tcp::CommitOp commit) {
      commit.emitRemark() << "commits to address " << commit.getAddress();
    });
    markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<mlir::Pass> commit_report::createReportCommitsPass() {
  return std::make_unique<ReportCommits>();
}
