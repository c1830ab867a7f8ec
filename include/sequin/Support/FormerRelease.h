//===- FormerRelease.h - Forms of former releases ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_FORMERRELEASE_H
#define SEQUIN_SUPPORT_FORMERRELEASE_H

#include "llvm/ADT/Twine.h"
#include <string>

namespace sequin {

/// What a warning says of a form that Sequin takes and the present release of
/// CSL does not: up to which release it is one, and what is there since.
/// `until` is empty where it is not known which releases had it.
inline std::string describeFormer(const llvm::Twine &form,
                                  llvm::StringRef until, llvm::StringRef since,
                                  const llvm::Twine &instead) {
  if (until.empty())
    return (form + " is of a former release; now " + instead).str();
  return (form + " is of releases up to " + until + "; since " + since + " " +
          instead)
      .str();
}

} // namespace sequin

#endif // SEQUIN_SUPPORT_FORMERRELEASE_H
