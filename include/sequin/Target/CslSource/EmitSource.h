//===- EmitSource.h - The csl dialect as CSL source -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a module of the csl dialect as the files that a person would have
// written: layout.csl, one file per program, the host's run.py and the command
// lines that compile and run them.
//
// The dialect is CSL after comptime, so some of what a person writes has to be
// found again:
//
//   integers   have no sign here and one there: each value gets the sign that
//              most of its uses ask for, the others cast (Signs.h).
//   index      becomes the narrowest integer that holds all its values.
//   expressions  a pure value with one use stands where it is used; a value
//              read from memory only as long as nothing between may have
//              written there.
//   variables  what a loop carries and what an if yields is a `var`.
//   DSDs, ids  known before the program starts become global constants.
//   regions    become loops over coordinates, values per PE become tables.
//
// What CSL cannot say is an error that names the operation. Nothing is printed
// that means something else.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TARGET_CSLSOURCE_EMITSOURCE_H
#define SEQUIN_TARGET_CSLSOURCE_EMITSOURCE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include <string>
#include <vector>

namespace sequin::csl_to_source {

/// A file of the program.
struct SourceFile {
  std::string name;
  std::string text;
  bool executable = false;
};

/// What values are called where the module was read; others are named after
/// their location (NameLoc) or what they are.
using ValueNames = llvm::DenseMap<mlir::Value, std::string>;

/// The files of a verified module, layout.csl first, in a fixed order; failure
/// after errors.
mlir::FailureOr<std::vector<SourceFile>>
emitSource(mlir::ModuleOp module, const ValueNames &names = ValueNames());

/// Registers --csl-to-source with mlir-translate's driver. On a stream the
/// files follow each other, each after a line `// -----// name`;
/// `--output-directory` writes them as files instead.
void registerTranslations();

} // namespace sequin::csl_to_source

#endif // SEQUIN_TARGET_CSLSOURCE_EMITSOURCE_H
