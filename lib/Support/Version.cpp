//===- Version.cpp - What --version prints --------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/Version.h"
#include "Revision.inc"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sequin;

llvm::StringRef sequin::version() { return SEQUIN_VERSION; }

llvm::StringRef sequin::revision() {
#ifdef SEQUIN_REVISION
  return SEQUIN_REVISION;
#else
  return {};
#endif
}

std::string sequin::versionText() {
  llvm::StringRef commit = revision();
  return llvm::formatv("Sequin {0}\ncommit {1}\nLLVM {2}\n", version(),
                       commit.empty() ? "unknown" : commit,
                       LLVM_VERSION_STRING);
}
