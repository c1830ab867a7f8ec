//===- Session.h - One compilation of CSL -----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLIMPORT_SESSION_H
#define SEQUIN_LIB_TARGET_CSLIMPORT_SESSION_H

#include "Module.h"
#include "sequin/CslSource/Parser.h"
#include "sequin/Machine/CslMachine.h"
#include "sequin/Target/CslImport/CslImport.h"
#include "llvm/ADT/StringSet.h"

namespace sequin::csl_import {

/// One call of @set_tile_code.
struct TileCode {
  std::string path; ///< of the file, as opened
  Value params;     ///< an anonymous struct, or an error value: none
  csl_source::Span span;
};

/// The configuration of a color, as attributes.
struct ColorConfig {
  csl::RoutesAttr routes;
  csl::SwitchesAttr switches;
  csl::FilterAttr filter;
  bool teardown = false;
  bool mayLeave = false; ///< of the library: off the rectangle, on purpose
  bool operator==(const ColorConfig &) const = default;
};

struct PlacedConfig {
  int64_t x, y, color;
  ColorConfig config;
  mlir::Location loc;
  csl_source::Span span;
};

struct ExportName {
  std::string name;
  const Type *type;
  bool isMutable = false;
  csl_source::Span span;
};

/// A color whose other end is the host.
struct HostStream {
  std::string name;
  int64_t color;
  bool toDevice;
  csl_source::Span span;
};

/// What the layout block says.
struct LayoutState {
  std::optional<std::pair<int64_t, int64_t>> rectangle;
  csl_source::Span rectangleSpan;
  std::vector<std::optional<TileCode>> tiles; ///< row by row
  std::vector<PlacedConfig> configs;
  /// (y * width + x, color) -> index into configs.
  llvm::DenseMap<std::pair<int64_t, int64_t>, unsigned> configAt;
  std::vector<ExportName> exports;
  std::vector<HostStream> streams;
};

/// What all evaluations of one compilation share.
class Session {
public:
  Session(const ImportOptions &options, const CslMachine &machine,
          mlir::MLIRContext &context, csl_source::SourceManager &sources,
          csl_source::Diagnostics &diagnostics)
      : options(options), machine(machine), context(context), sources(sources),
        diagnostics(diagnostics), types(options.fp16),
        stepLimit(options.comptimeStepLimit) {}

  /// Parses a file, once. Null after an error, which was reported.
  const csl_source::SourceFile *parse(llvm::StringRef path,
                                      csl_source::Span from);
  /// The path of a file that `importer` names: `<library>`, or relative to the
  /// folder of `importer`, else to that of the top file. Empty if there is
  /// none; `tried` has the candidates.
  std::string resolve(llvm::StringRef name, llvm::StringRef importer,
                      std::vector<std::string> &tried, bool &isLibrary);

  /// Which module may be meant by the name of one that is not there; empty if
  /// none is near.
  std::string suggestModule(llvm::StringRef name) const;

  mlir::Location location(csl_source::Loc loc);
  bool isInLibrary(csl_source::Loc loc) const;
  bool isWse3() const { return machine.generation >= 3; }
  /// Whether some operation on DSDs may write the file's constant of the name
  /// (WrittenConstants.cpp).
  bool isWritten(const csl_source::SourceFile &file, llvm::StringRef name);

  /// Whether an expression of some file has the name, or a text that is it.
  bool isNamed(llvm::StringRef name);

  const ImportOptions &options;
  const CslMachine &machine;
  mlir::MLIRContext &context;
  csl_source::SourceManager &sources;
  csl_source::Diagnostics &diagnostics;
  TypeContext types;
  LayoutState layout;
  /// The folder of the file with the layout block.
  std::string topFolder;
  /// Files that @set_tile_code named, by module and name.
  llvm::StringMap<std::string> resolved;
  /// Comptime steps so far, and how many there may be: each PE that the layout
  /// gives code or a color's configuration, of which there can be but so many,
  /// allows some more.
  uint64_t steps = 0, stepLimit;
  void allowStepsOfPe() { stepLimit += kStepsOfPe; }
  uint64_t assignments = 0; ///< to comptime variables, so far
  /// Functions that were called while compiling, or have code.
  llvm::DenseSet<const csl_source::FnDecl *> evaluated;
  /// A builtin stood where it may not.
  bool refusedPlace = false;
  /// The deepest the native stack may go (its address), 0 for no limit.
  uintptr_t stackLimit = 0;

private:
  static constexpr uint64_t kStepsOfPe = 10000;

  csl_source::Context nodes;
  /// Of the `scannedPaths` files there were.
  size_t scannedPaths = 0;
  std::vector<const csl_source::SourceFile *> scannedFiles;
  llvm::StringSet<> writtenNames;
  /// Of the `namedPaths` files there were.
  size_t namedPaths = 0;
  llvm::StringSet<> namesUsed;
  llvm::StringMap<const csl_source::SourceFile *> files;
};

} // namespace sequin::csl_import

#endif // SEQUIN_LIB_TARGET_CSLIMPORT_SESSION_H
