//===- Names.h - Identifiers of CSL -----------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLSOURCE_NAMES_H
#define SEQUIN_LIB_TARGET_CSLSOURCE_NAMES_H

#include "llvm/ADT/StringSet.h"
#include <string>

namespace sequin::csl_to_source {

/// Names of one scope and those around it: CSL refuses a name that is visible
/// already (SYN-021).
class Names {
public:
  explicit Names(const Names *outer = nullptr) : outer(outer) {}

  /// `wish`, or the next of `wish_2`, `wish_3`, ... that is free. Characters
  /// that CSL's identifiers do not have become underscores.
  std::string take(llvm::StringRef wish);
  bool isTaken(llvm::StringRef name) const;

private:
  const Names *outer;
  llvm::StringSet<> taken;
};

/// Whether CSL predeclares or reserves `name`.
bool isReserved(llvm::StringRef name);
/// `name` with underscores where CSL has no such character.
std::string asIdentifier(llvm::StringRef name);
/// A string literal.
std::string quote(llvm::StringRef text);

} // namespace sequin::csl_to_source

#endif // SEQUIN_LIB_TARGET_CSLSOURCE_NAMES_H
