//===- MlirText.h - MLIR text before it is parsed ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A look at the tokens of MLIR text before MLIR's own parser sees it, at what
// that parser answers by a signal or with memory without bound. Everything else
// about the text is the parser's to judge.
//
// The parser, the verifier and the printer recurse once per level of nesting,
// per name of an alias inside another and per operator of an affine expression;
// a name stands for all of its text again each time it is printed. So these are
// bounded. Beyond that (LLVM 22.1):
//
//   * The custom forms of linalg.reduce, linalg.transpose and linalg.broadcast
//     set `dimensions` or `permutation` to what DenseI64ArrayAttr::parse
//     returned, also when that is null because the list was malformed.
//   * parseDenseArrayAttr asks for the width of any element type that is an
//     integer, a float or `index`; the last has none.
//   * The custom forms of linalg.map and linalg.reduce with an operation for a
//     body take the type of every operand for a shaped one.
//   * The builders of the bodies of linalg's named operations take every
//     element for an integer, a float or a complex number; a vector is none.
//     What they make of an index and a float has no operand.
//   * The reader of bytecode trusts the numbers in it. Bytecode is refused
//     unless its reader was asked for.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_MLIRTEXT_H
#define SEQUIN_SUPPORT_MLIRTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SourceMgr.h"
#include <optional>
#include <string>

namespace sequin {

struct MlirTextFault {
  size_t offset;
  std::string message;
};

/// The first place in `text` that MLIR's parser must not be given.
std::optional<MlirTextFault> findMlirTextFault(llvm::StringRef text,
                                               bool allowsBytecode = false);

/// The same of the main file, as a diagnostic that can be printed.
std::optional<llvm::SMDiagnostic>
findMlirTextFault(const llvm::SourceMgr &sources, bool allowsBytecode = false);

} // namespace sequin

#endif // SEQUIN_SUPPORT_MLIRTEXT_H
