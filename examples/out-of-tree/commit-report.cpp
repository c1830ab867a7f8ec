//===- commit-report.cpp - A pass driver with a pass of its own -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportCommits.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "sequin/InitAllDialects.h"
#include "sequin/InitAllPasses.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::linalg::LinalgDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect>();
  sequin::registerAllDialects(registry);
  sequin::registerAllPasses();
  mlir::registerPass(commit_report::createReportCommitsPass);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Says where programs commit to\n", registry));
}
