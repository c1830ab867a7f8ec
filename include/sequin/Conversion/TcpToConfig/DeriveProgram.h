//===- DeriveProgram.h - From tcp kernels to a configuration ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_TCPTOCONFIG_DERIVEPROGRAM_H
#define SEQUIN_CONVERSION_TCPTOCONFIG_DERIVEPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "sequin/Config/Config.h"

namespace sequin {

struct DeriveProgramOptions {
  /// Write out every round of a loop instead of a loop command.
  bool unrollLoops = false;
};

/// "file:line:col" of the innermost place in a file, or the name that stands
/// for one (`loc("layer1")`); empty if there is neither.
std::string describeLocation(mlir::Location location);

/// Derives the configuration of the host function `entry` and the kernels it
/// launches: every sequencer, address and opcode, in program order. Errors are
/// emitted at the operation whose mapping has no configuration on the module's
/// machine.
mlir::FailureOr<config::Program>
deriveProgram(mlir::ModuleOp module, llvm::StringRef entry,
              const DeriveProgramOptions &options = {});

} // namespace sequin

#endif // SEQUIN_CONVERSION_TCPTOCONFIG_DERIVEPROGRAM_H
