//===- WaferProgramCheck.h - A bounded run of any wafer program -*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_FUZZ_WAFERPROGRAMCHECK_H
#define SEQUIN_TEST_FUZZ_WAFERPROGRAMCHECK_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace sequin::fuzz {

/// Reads a wafer program, and if the check accepts it does what a host can do
/// with its names and runs it for a while, however that ends. Returns why it
/// was not run; nothing if it was.
std::string runWaferProgram(llvm::StringRef text);

} // namespace sequin::fuzz

#endif // SEQUIN_TEST_FUZZ_WAFERPROGRAMCHECK_H
