//===- VisaSourceCheck.h - Any text as kernel source ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fuzzer and the test of its corpus share.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_FUZZ_VISASOURCECHECK_H
#define SEQUIN_TEST_FUZZ_VISASOURCECHECK_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace sequin::fuzz {

/// Parses the input and finds its names. Returns what is wrong in one sentence,
/// nothing if all is well: spans lie in the text and in each other, errors are
/// reported, and a file without one is printed as the same tree.
std::string checkVisaSource(llvm::StringRef input);

} // namespace sequin::fuzz

#endif // SEQUIN_TEST_FUZZ_VISASOURCECHECK_H
