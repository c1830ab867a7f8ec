//===- LoweringProgram.h - Programs for tests of the lowering -----*- C++ -*-
//===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CONVERSION_LOWERINGPROGRAM_H
#define SEQUIN_TEST_UNIT_CONVERSION_LOWERINGPROGRAM_H

#include "lib/Conversion/LinalgToTcp/Program.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace sequin::linalg_to_tcp {

/// The one function of a module, read for the machine "rngd". The text may use
/// `#id1` and `#id2`, identities of one and two dimensions.
class LoweringProgram {
public:
  LoweringProgram();

  /// Reads the text and stops there.
  mlir::LogicalResult read(llvm::StringRef text);
  /// Reads, fuses, chooses layouts and mappings, assigns memory.
  mlir::LogicalResult plan(llvm::StringRef text);

  const Group &group(size_t i) const { return *program.groups[i]; }
  /// The loop of a planned group by its name.
  const Loop *loop(size_t i, llvm::StringRef name) const;

  mlir::MLIRContext context;
  const TcpMachine &machine;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Program program;
  std::string messages;
};

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_TEST_UNIT_CONVERSION_LOWERINGPROGRAM_H
