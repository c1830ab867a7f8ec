//===- Names.h - Keywords and predeclared names of CSL ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLSOURCE_NAMES_H
#define SEQUIN_CSLSOURCE_NAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace sequin::csl_source {

/// Widest integer type (SYN-075).
inline constexpr unsigned kMaxIntegerBits = 16777215;

/// An integer type's name: `i16` is {16, true}.
struct IntegerTypeName {
  unsigned bits = 0;
  bool isSigned = false;
};
/// `i` or `u` and decimal digits; the width may be beyond kMaxIntegerBits and
/// is then saturated.
std::optional<IntegerTypeName> integerTypeName(llvm::StringRef name);

/// Whether the name is a predeclared type (SYN-074: `void`, `i16`, `color`,
/// `mem1d_dsd`, any integer width). It cannot be declared again.
bool isTypeName(llvm::StringRef name);
/// The predeclared types but the integers, sorted.
llvm::ArrayRef<llvm::StringRef> typeNames();

/// NORTH, SOUTH, EAST, WEST, RAMP: predeclared values.
bool isDirectionName(llvm::StringRef name);

/// Reserved words (SYN-005), sorted.
bool isKeyword(llvm::StringRef name);
llvm::ArrayRef<llvm::StringRef> keywords();

} // namespace sequin::csl_source

#endif // SEQUIN_CSLSOURCE_NAMES_H
