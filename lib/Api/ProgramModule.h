//===- ProgramModule.h - Programs in MLIR -----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module, finds out how far it is lowered, lowers the rest, and can run
// what it was before on the reference interpreters. Not for several threads at
// a time.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_API_PROGRAMMODULE_H
#define SEQUIN_LIB_API_PROGRAMMODULE_H

#include "MessageLog.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "sequin/Api/Program.h"
#include "llvm/ADT/StringMap.h"

namespace sequin::api {

/// CompileOptions::argumentLayout.
inline constexpr llvm::StringLiteral kRowMajor = "row-major";

class ProgramModule {
public:
  explicit ProgramModule(CompileOptions options);
  ~ProgramModule();

  /// Reads the program or builds the einsum. Like everything here that fails,
  /// it has said why: takeRefusal().
  mlir::LogicalResult load();
  /// Lowers the program.
  mlir::FailureOr<config::Program> lower();

  /// The shapes that the program's author knows, if the program was given on
  /// tensors: those of arguments and of results.
  using Shapes = std::vector<llvm::SmallVector<int64_t, 4>>;
  const std::optional<std::pair<Shapes, Shapes>> &shapes() const {
    return givenShapes;
  }
  /// Whether the argument has elements of f4E2M1FN, of which the lowered
  /// program takes the codes.
  bool takesE2m1(size_t index) const {
    return index < argumentElements.size() &&
           mlir::isa<mlir::Float4E2M1FNType>(argumentElements[index]);
  }
  /// Whether it has truth values, which the lowered program takes as i8.
  bool takesTruthValues(size_t index) const {
    return index < argumentElements.size() &&
           argumentElements[index].isInteger(1);
  }

  /// The name of the given program's operation at a place (describeLocation):
  /// "linalg.matmul"; of several at one place that of the first.
  std::string operationAt(llvm::StringRef location) const {
    return operations.lookup(location);
  }

  /// How many products of digits lower() has added.
  int64_t digitProducts() const { return addedProducts; }
  /// How lower() has mapped the program.
  const llvm::json::Array &mappings() const { return recordedMappings; }

  /// Where the program was when it was read.
  enum class Level : uint8_t { Linalg, Tcp, Config };
  Level givenLevel() const { return level; }

  /// Compares with the reference interpreters: the program as given, and for
  /// linalg the tcp program it became. The text of the success line.
  mlir::FailureOr<std::string> verify(llvm::ArrayRef<sim::HostArray> inputs,
                                      llvm::ArrayRef<sim::HostArray> outputs);

  /// The module as it was read, if that was kept, or as it is now.
  std::string print(bool asGiven);

  /// What has been said since the last call, printed and one by one.
  std::pair<std::string, std::vector<Message>> takeMessages() {
    return log.takeMessages();
  }
  llvm::Error takeRefusal(Refusal::Kind kind) { return log.takeRefusal(kind); }
  mlir::LogicalResult fail(const llvm::Twine &what) { return log.fail(what); }

private:
  mlir::LogicalResult importKernel();
  mlir::LogicalResult lowerTosa();
  mlir::LogicalResult findLevel();
  mlir::LogicalResult checkTarget();
  void findShapes();
  void nameOperations();

  CompileOptions options;
  mlir::MLIRContext context;
  MessageLog log;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< lowered to tcp by lower()
  mlir::OwningOpRef<mlir::ModuleOp> given;  ///< linalg, kept for verify()
  /// What verify() compares with in place of `given`: rounded as was allowed.
  mlir::OwningOpRef<mlir::ModuleOp> rounded;
  llvm::StringMap<std::string> operations;
  int64_t addedProducts = 0;
  llvm::json::Array recordedMappings;
  Level level = Level::Linalg;
  std::optional<std::pair<Shapes, Shapes>> givenShapes;
  /// Of a program that was given on tensors.
  std::vector<mlir::Type> argumentElements;
};

/// Texts, numbers, truth values, lists and dictionaries.
llvm::json::Value toJSON(mlir::Attribute attribute);

/// `program` as a module with one `tcp.config`, as text.
std::string printConfig(const config::Program &program);

} // namespace sequin::api

#endif // SEQUIN_LIB_API_PROGRAMMODULE_H
