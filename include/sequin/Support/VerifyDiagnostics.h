//===- VerifyDiagnostics.h - Expected diagnostics of tests ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of diagnostics say in a comment what must be reported and where:
//
//   const x: i16;  // expected-error {{has no initialiser}}
//   // expected-note@-1 {{...}}  // expected-warning@+2 {{...}}
//
// The text must be part of the message of a diagnostic on that line; each
// expectation is for one diagnostic, and every diagnostic but notes must be
// expected.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_VERIFYDIAGNOSTICS_H
#define SEQUIN_SUPPORT_VERIFYDIAGNOSTICS_H

#include "sequin/Support/SourceManager.h"

namespace sequin::source {

/// Compares what was reported with the comments of all files. Prints each
/// difference to `os`; true without one.
bool verifyDiagnostics(const SourceManager &sources,
                       const Diagnostics &diagnostics, llvm::raw_ostream &os);

/// The parts of a test file between lines `// -----`, each with as many empty
/// lines before it as make its line numbers those of the file.
std::vector<std::string> splitInput(llvm::StringRef text);

} // namespace sequin::source

#endif // SEQUIN_SUPPORT_VERIFYDIAGNOSTICS_H
