//===- CslSourceCheck.h - Any text as CSL source ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fuzzer, the test of its corpus and the test of mutated programs
// share.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_FUZZ_CSLSOURCECHECK_H
#define SEQUIN_TEST_FUZZ_CSLSOURCECHECK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace sequin::fuzz {

/// Parses the input. Returns what is wrong in one sentence, nothing if all is
/// well: spans lie in each other, errors are reported, and a program without
/// one is formatted to the same program with the same comments, in a form that
/// formatting keeps.
std::string checkCslSource(llvm::StringRef input);

/// The program after `count` changes of its tokens (one deleted, doubled,
/// exchanged, moved, replaced by or followed by one of CSL's or of a donor's),
/// which follow from the seed alone.
std::string mutateCslTokens(llvm::StringRef program,
                            llvm::ArrayRef<std::string> donors, unsigned count,
                            uint64_t seed);

} // namespace sequin::fuzz

#endif // SEQUIN_TEST_FUZZ_CSLSOURCECHECK_H
