//===- CslTreeMutation.h - Changes of a CSL program's tree ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_FUZZ_CSLTREEMUTATION_H
#define SEQUIN_TEST_FUZZ_CSLTREEMUTATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace sequin::fuzz {

/// The text after `count` changes of its syntax tree: an expression, a
/// statement or a declaration replaced by another one of its own or of a
/// donor's, left out, doubled, exchanged with another one, put into an `if`, a
/// loop, a cast; a number at an edge of its type; now and then some tokens
/// too. Follows from the seed alone. Most changes keep the grammar, so that
/// what comes after the parser has something to read.
std::string mutateCslTree(llvm::StringRef program,
                          llvm::ArrayRef<std::string> donors, unsigned count,
                          uint64_t seed);

} // namespace sequin::fuzz

#endif // SEQUIN_TEST_FUZZ_CSLTREEMUTATION_H
