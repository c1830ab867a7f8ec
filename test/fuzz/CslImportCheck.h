//===- CslImportCheck.h - Any files as a CSL program ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of several files as one text. A line `//file: NAME` begins a file,
// what stands before the first of them is the file input.csl, and the first
// file has the layout block. A first line `//params: NAME:VALUE,...` binds its
// parameters. tools/dev/fuzz-seeds writes programs of the tree in this form.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_FUZZ_CSLIMPORTCHECK_H
#define SEQUIN_TEST_FUZZ_CSLIMPORTCHECK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace sequin::fuzz {

/// How far a program came.
struct ImportOutcome {
  /// What is wrong in one sentence; nothing if all is well.
  std::string wrong;
  /// It is a program that the simulator takes.
  bool isDerived = false;
  /// It was compiled again from the source that it is written as.
  bool isWritten = false;
};

/// Compiles the program for a machine, to the wafer program, with bounds on its
/// size: it is refused with an error that has a text, or becomes a program that
/// the simulator takes and, if it is `written` as source, is so again.
ImportOutcome checkCslImport(llvm::StringRef input, llvm::StringRef library,
                             llvm::StringRef arch, bool written);

/// Changes the tree or, a time out of four, tokens of one of the files.
std::string mutateCslProgram(llvm::StringRef input,
                             llvm::ArrayRef<std::string> donors, unsigned count,
                             uint64_t seed);

} // namespace sequin::fuzz

#endif // SEQUIN_TEST_FUZZ_CSLIMPORTCHECK_H
