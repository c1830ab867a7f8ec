//===- CslcDriver.h - What cslc does ----------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TOOLS_CSLCDRIVER_H
#define SEQUIN_TOOLS_CSLCDRIVER_H

#include "sequin/Target/CslImport/CslImport.h"
#include "llvm/Support/raw_ostream.h"

namespace sequin::tools {

/// The command line of the vendor's compiler.
struct CslcOptions {
  std::string layout;
  std::string output = "out";
  /// Another place for the directory's out.json; empty for none.
  std::string outputJson;
  csl_import::ImportOptions import;
  int64_t channels = 0;
  /// Byte addresses of link sections.
  std::vector<std::pair<std::string, int64_t>> linkSections;
  int64_t westBuffers = 0, eastBuffers = 0;
  bool warningsAsErrors = false;
  bool noWarnings = false; ///< nor errors of them
  bool verbose = false;
};

/// Compiles and writes the output directory. Returns the exit code; messages
/// go to `err`.
int compile(const CslcOptions &options, llvm::raw_ostream &err);

} // namespace sequin::tools

#endif // SEQUIN_TOOLS_CSLCDRIVER_H
