//===- Version.h - What --version prints ------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_VERSION_H
#define SEQUIN_SUPPORT_VERSION_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace sequin {

/// Sequin's version, for example "0.1.0".
llvm::StringRef version();

/// The commit that was built, as git writes it; empty if the sources were not
/// in a git tree.
llvm::StringRef revision();

/// What --version prints: Sequin's version, the commit, and LLVM's version, one
/// fact a line.
std::string versionText();

} // namespace sequin

#endif // SEQUIN_SUPPORT_VERSION_H
