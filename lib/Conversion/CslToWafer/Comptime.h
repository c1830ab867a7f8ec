//===- Comptime.h - What the comptime blocks of a program leave -*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_COMPTIME_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_COMPTIME_H

#include "CodeContext.h"

namespace sequin::csl_to_wafer {

/// Where the parts of a setup were made.
struct SetupOps {
  /// By 0 for data and local tasks or 1 + table for control tasks, and id.
  std::map<std::pair<unsigned, unsigned>, mlir::Operation *> tasks;
  /// By queue.
  std::map<unsigned, mlir::Operation *> inputQueues, outputQueues;
  /// What starts active and who said so.
  std::vector<std::pair<unsigned, mlir::Operation *>> activations;
};

/// The setup of the PEs that give a program's parameters certain values.
struct ComptimeResult {
  wafer::Setup setup;
  SetupOps ops;
  /// Colors that the program configures itself.
  std::vector<std::pair<int64_t, csl::LocalColorConfigOp>> colors;
  /// Bytes that the block stored into variables.
  std::map<uint16_t, uint8_t> memory;
};

/// Evaluates the comptime blocks for `parameters` (bits, as Pe has them).
/// Errors are reported at their operations. Setup::code is left to the caller.
mlir::FailureOr<ComptimeResult>
evaluateComptime(CodeContext &context, llvm::ArrayRef<uint64_t> parameters);

/// Visits the operations of a kind that take effect once: they are in comptime
/// blocks, which are small beside the functions.
template <typename Visit>
void walkComptime(csl::ProgramOp program, Visit &&visit) {
  for (auto block : program.getOps<csl::ComptimeOp>())
    block.walk(visit);
}

/// Numbers of the parameters that comptime blocks read.
llvm::SmallVector<unsigned> getComptimeParameters(CodeContext &context);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_COMPTIME_H
