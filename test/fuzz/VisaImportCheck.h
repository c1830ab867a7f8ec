//===- VisaImportCheck.h - Any text as a kernel -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_FUZZ_VISAIMPORTCHECK_H
#define SEQUIN_TEST_FUZZ_VISAIMPORTCHECK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace sequin::fuzz {

/// How far a kernel came.
struct KernelOutcome {
  /// What is wrong in one sentence; nothing if all is well.
  std::string wrong;
  bool isImported = false;
};

/// Imports the function `entry`, or the only kernel, with a bound on its work:
/// it is refused with an error that has a text, or becomes a module that
/// verifies. The first line may name the entry, `//entry: NAME`.
KernelOutcome checkVisaImport(llvm::StringRef input, llvm::StringRef entry);

/// Changes `count` tokens: drops, doubles, swaps or replaces them, also by
/// tokens of the donors.
std::string mutateVisaTokens(llvm::StringRef input,
                             llvm::ArrayRef<std::string> donors, unsigned count,
                             uint64_t seed);

} // namespace sequin::fuzz

#endif // SEQUIN_TEST_FUZZ_VISAIMPORTCHECK_H
