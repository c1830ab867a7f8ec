//===- LspEvaluator.h - Programs as a language server sees them -*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TOOLS_LSPEVALUATOR_H
#define SEQUIN_TOOLS_LSPEVALUATOR_H

#include "sequin/CslLsp/Programs.h"
#include "sequin/Target/CslImport/CslImport.h"

namespace sequin::tools {

struct LspEvaluatorOptions {
  std::string libraryPath;
  /// The machine; empty: that of the flags found, or WSE-3.
  std::string arch;
  /// Steps of evaluation for one answer. About a second's worth.
  uint64_t stepLimit = 2000000;
};

/// Flags of the compiler for a layout file: those of the last line with `cslc`
/// and the file in the scripts commands*.sh of its folder, or the one above, in
/// the order of their names, that is about `arch`, if that is not empty. Words
/// with shell variables are left out.
csl_import::ImportOptions findCompilerFlags(llvm::StringRef layout,
                                            llvm::StringRef arch);

/// Evaluates by the front end.
csl_lsp::Evaluator makeLspEvaluator(LspEvaluatorOptions options);

} // namespace sequin::tools

#endif // SEQUIN_TOOLS_LSPEVALUATOR_H
