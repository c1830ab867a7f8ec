//===- NumberMutation.h - Changes of numbers in a text ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_FUZZ_NUMBERMUTATION_H
#define SEQUIN_TEST_FUZZ_NUMBERMUTATION_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace sequin::fuzz {

/// The text after `count` changes, which follow from the seed alone: a number
/// becomes another one, near it, at an edge of a width, or one that stands
/// elsewhere in the text; now and then a line is left out or doubled.
std::string mutateNumbers(llvm::StringRef text, unsigned count, uint64_t seed);

} // namespace sequin::fuzz

#endif // SEQUIN_TEST_FUZZ_NUMBERMUTATION_H
