//===- CslImport.h - CSL source to the csl dialect --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, types and comptime of CSL: evaluates the layout block of a file, makes
// the programs that it places, and emits the csl dialect. docs/Rationale/
// CslFrontEnd.md has the design.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TARGET_CSLIMPORT_CSLIMPORT_H
#define SEQUIN_TARGET_CSLIMPORT_CSLIMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sequin/CslSource/SourceManager.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sequin::csl_source {
class Observations;
} // namespace sequin::csl_source

namespace sequin::csl_import {

/// What the vendor's compiler takes as flags.
struct ImportOptions {
  /// A row of the machine tables.
  std::string arch = "wse2";
  csl::Fp16 fp16 = csl::Fp16::F16;
  /// `--params`, `--colors`: name and value, as given.
  std::vector<std::pair<std::string, std::string>> params, colors;
  /// Searched for `<name>` before the installed library.
  std::vector<std::string> importPaths;
  /// Where the library is; empty: beside the program that runs.
  std::string libraryPath;
  /// `--fabric-dims`, `--fabric-offsets`.
  std::optional<std::pair<int64_t, int64_t>> fabric, offsets;
  bool memcpy = false;
  /// Iterations of one inlined loop (CMP-017).
  uint64_t maxInlinedIterations = 1000000;
  /// Nested comptime calls (CMP-016).
  unsigned comptimeDepthLimit = 1024;
  /// Expressions that comptime evaluation of one program may take: a loop that
  /// never ends is refused.
  uint64_t comptimeStepLimit = 100000000;
  /// Takes the types and values of expressions, for editors; null costs
  /// nothing. With it evaluation goes on after errors as far as it can.
  csl_source::Observations *observations = nullptr;
};

/// A parameter of the top file and its value, for out.json.
using ParamValues = std::vector<std::pair<std::string, std::string>>;

/// A name of @export_name that a PE's code advertises, for out_rpc.json.
struct HostSymbol {
  std::string name;
  /// As CSL writes it; of a function what it returns.
  std::string type;
  /// Functions: name and type of each parameter.
  std::vector<std::pair<std::string, std::string>> inputs;
};

/// Compiles a file with a layout block. Null after an error; all errors and
/// warnings are in `diagnostics`. What @comptime_print prints goes to stderr.
mlir::OwningOpRef<mlir::ModuleOp>
importCsl(llvm::StringRef path, const ImportOptions &options,
          mlir::MLIRContext &context, csl_source::SourceManager &sources,
          csl_source::Diagnostics &diagnostics,
          ParamValues *layoutParams = nullptr,
          std::vector<HostSymbol> *hostSymbols = nullptr);

/// The installed library, relative to the program that runs.
std::string findLibrary();

/// Reads `name:value,name:value`; false, with the reason, if it is wrong.
bool parseBindings(llvm::StringRef text,
                   std::vector<std::pair<std::string, std::string>> &out,
                   std::string &problem);

/// Registers `--import-csl` and its flags with sequin-translate.
void registerTranslation();

} // namespace sequin::csl_import

#endif // SEQUIN_TARGET_CSLIMPORT_CSLIMPORT_H
