//===- RunModule.h - Programs in MLIR, for sequin-run -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module, finds out how far it is lowered, lowers the rest, and can run
// what it was before on the reference interpreters.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TOOLS_RUNMODULE_H
#define SEQUIN_LIB_TOOLS_RUNMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "sequin/Config/Config.h"
#include "sequin/Sim/Simulator.h"
#include "sequin/Tools/RunDriver.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir {
class SourceMgrDiagnosticHandler;
} // namespace mlir

namespace sequin::tools {

class ProgramModule {
public:
  explicit ProgramModule(const RunOptions &options, llvm::raw_ostream &log);
  ~ProgramModule();

  /// Reads the program or builds the einsum. Errors have been printed.
  mlir::LogicalResult load();
  /// Lowers the program.
  mlir::FailureOr<config::Program> lower();

  /// The shapes that the program's author knows, if the program was given on
  /// tensors: those of arguments and of results.
  using Shapes = std::vector<llvm::SmallVector<int64_t, 4>>;
  const std::optional<std::pair<Shapes, Shapes>> &shapes() const {
    return givenShapes;
  }

  /// Compares with the reference interpreters: the program as given, and for
  /// linalg the tcp program it became. The text of the success line.
  mlir::FailureOr<std::string> verify(llvm::ArrayRef<sim::HostArray> inputs,
                                      llvm::ArrayRef<sim::HostArray> outputs);

private:
  enum class Level : uint8_t { Linalg, Tcp, Config };

  mlir::LogicalResult findLevel();
  mlir::LogicalResult checkTarget();
  mlir::LogicalResult findShapes();
  mlir::LogicalResult fail(const llvm::Twine &what);

  const RunOptions &options;
  llvm::raw_ostream &log;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< lowered to tcp by lower()
  mlir::OwningOpRef<mlir::ModuleOp> given;  ///< linalg, kept for verify()
  Level level = Level::Linalg;
  std::optional<std::pair<Shapes, Shapes>> givenShapes;
};

} // namespace sequin::tools

#endif // SEQUIN_LIB_TOOLS_RUNMODULE_H
