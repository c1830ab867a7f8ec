//===- MappingParserCheck.h - Any text as a mapping -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fuzzer and the test of its corpus share. An input is text in lines:
// the first declares the axes, a line that starts with a lower-case letter is a
// table, and every other line is a mapping.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_FUZZ_MAPPINGPARSERCHECK_H
#define SEQUIN_TEST_FUZZ_MAPPINGPARSERCHECK_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace sequin::fuzz {

/// Takes the input through the parser and every query of a mapping with bounded
/// work. Returns what is wrong in one sentence, nothing if all is well. A
/// refusal is well if it says something.
std::string checkMappingParser(llvm::StringRef input);

} // namespace sequin::fuzz

#endif // SEQUIN_TEST_FUZZ_MAPPINGPARSERCHECK_H
