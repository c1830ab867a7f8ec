//===- cslc.cpp - The vendor's compiler, by name --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Tools/CslcDriver.h"
#include "sequin/Tools/CslcFlags.h"
#include "sequin/Tools/ToolMain.h"

using namespace sequin;

int main(int argc, char **argv) {
  ToolInit init(argc, argv);
  tools::CslcOptions options;
  if (std::optional<int> code = tools::parseCslcFlags(
          llvm::ArrayRef<char *>(argv + 1, argc - 1), options, llvm::errs()))
    return *code;
  return tools::compile(options, llvm::errs());
}
