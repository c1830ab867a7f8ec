//===- DeriveProgram.h - From tcp kernels to a configuration ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_TCPTOCONFIG_DERIVEPROGRAM_H
#define SEQUIN_CONVERSION_TCPTOCONFIG_DERIVEPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "sequin/Config/Config.h"

namespace sequin {

struct DeriveProgramOptions {
  /// Write out every round of a loop instead of a loop command.
  bool unrollLoops = false;
};

/// Attaches to every operation of `function` that visits a memory its loops,
/// one per term of its stream (`tcp.sequencers`, `tcp.transfers`). Errors are
/// emitted at the operation.
mlir::LogicalResult deriveSequencers(mlir::func::FuncOp function);

/// Fits what deriveSequencers() attached to the limits of the engines
/// (`tcp.sequencers`, `tcp.mask`, `tcp.descriptors`). `remarks` say at each
/// operation what became of its loops.
mlir::LogicalResult mergeEntries(mlir::func::FuncOp function,
                                 bool remarks = false);

/// Puts the configuration of the host function `entry` and the kernels it
/// launches together from these attributes: every sequencer, address and
/// opcode, in program order. Errors are emitted at the operation that has no
/// configuration on the module's machine.
mlir::FailureOr<config::Program>
assembleProgram(mlir::ModuleOp module, llvm::StringRef entry,
                const DeriveProgramOptions &options = {});

/// All three, one after the other.
mlir::FailureOr<config::Program>
deriveProgram(mlir::ModuleOp module, llvm::StringRef entry,
              const DeriveProgramOptions &options = {});

} // namespace sequin

#endif // SEQUIN_CONVERSION_TCPTOCONFIG_DERIVEPROGRAM_H
