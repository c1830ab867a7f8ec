//===- ProgramCheck.h - Checks of whole programs ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What would hang a program, or does not do what it says: CheckProgram.cpp has
// what concerns routes and ids, CheckQueues.cpp queues, microthreads and
// descriptors.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_PROGRAMCHECK_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_PROGRAMCHECK_H

#include "Derivation.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace sequin::csl_to_wafer {
/// What one PE looks like to its neighbours and to its own code.
struct PeView {
  const wafer::Pe &pe;
  const wafer::Setup &setup;
  const wafer::Router &router;
  const SetupOps &setupOps;
  llvm::ArrayRef<std::pair<int64_t, mlir::Operation *>> routerOps;

  mlir::Operation *getConfigOp(int64_t color) const {
    for (auto [number, op] : routerOps)
      if (number == color)
        return op;
    return nullptr;
  }
};

/// Whether a descriptor stands for one where there is none yet: it has no
/// elements.
bool isPlaceholder(mlir::Operation *op);

class ProgramCheck {
public:
  /// Of a program that was CSL text, which has no operations: messages name
  /// builtins then, and errors are warnings, since the text is compiled anyway.
  explicit ProgramCheck(Derivation &derivation, bool ofSource = false)
      : derivation(derivation), program(derivation.program),
        machine(*lookupCslMachine(program.target)), ofSource(ofSource) {}

  mlir::LogicalResult run();
  /// After run(): whether there is an error in a program of CSL text too.
  bool foundCertain() const {
    return llvm::any_of(findings, [](const Finding &finding) {
      return finding.severity == Severity::Certain;
    });
  }

private:
  PeView view(int64_t x, int64_t y) const;

  void checkRoutes(int64_t x, int64_t y);
  void checkRamp(int64_t x, int64_t y);
  void checkMessages(int64_t x, int64_t y);
  void checkReserved();
  void checkTargets();
  void checkFabricDsds();
  llvm::StringRef getSource(csl::ProgramOp code) const;
  void checkSharing();
  void checkOperands();
  void checkSenders();
  void checkCircles();
  void checkMicrothreads();
  void checkRegisters();

  /// One finding, many PEs: reported once with the first of them. What is
  /// certain is an error of CSL text too.
  enum class Severity { Warning, Error, Certain };
  void report(Severity severity, mlir::Operation *op, const llvm::Twine &text,
              int64_t x, int64_t y, mlir::Operation *other = nullptr,
              llvm::StringRef note = "");
  void flush();

  struct Finding {
    Severity severity;
    mlir::Operation *op, *other;
    std::string text, note;
    int64_t x, y, count;
  };
  std::vector<Finding> findings;
  std::map<std::tuple<const void *, std::string, const void *>, size_t> known;

  /// By code: the operations of the dialect, in order, operations inside one
  /// before it.
  std::vector<std::vector<mlir::Operation *>> operations;
  void findOperations();

  /// By code: its fabout_dsds, those that advance a switch, and whether it
  /// hands DSDs or queues around in a way that is not followed.
  std::vector<llvm::SmallVector<csl::FaboutDsdOp>> senders, advancing;
  std::vector<char> passesDsds;     ///< bool
  std::vector<uint32_t> sending;    ///< colors, by setup
  std::vector<uint32_t> taking;     ///< input queues that a code uses
  std::vector<uint32_t> configured; ///< and whose registers it may write
  std::vector<uint32_t> hearing;    ///< colors that its fabin DSDs name
  std::vector<uint32_t> unblocking; ///< task ids, in running code
  /// Takes down that the code writes a word of the configuration space; which
  /// one may not be known.
  void writeRegister(size_t code, std::optional<uint64_t> word);
  /// Whether anything at such a PE takes from the queue.
  bool takesFrom(const wafer::Setup &setup, unsigned queue) const;
  /// A server for @rpc beside memcpy's, which the host does not talk to.
  bool isServedByMemcpy(mlir::Operation *op) const;

  Derivation &derivation;
  const wafer::Program &program;
  const CslMachine &machine;
  const bool ofSource;
};

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_PROGRAMCHECK_H
