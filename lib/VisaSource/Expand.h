//===- Expand.h - Macros that a crate declares ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `macro_rules!` (Rust reference, "Macros By Example"): the text that a call of
// a macro stands for. Fragments are told apart by tokens and brackets, not by
// parsing them; names are not hygienic.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_VISASOURCE_EXPAND_H
#define SEQUIN_LIB_VISASOURCE_EXPAND_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace sequin::visa_source {

/// The text of a call with the tokens `input` of a macro with the rules
/// `rules`, both without their outer brackets. None, and why in `error`, if no
/// rule fits or the rules are none.
std::optional<std::string>
expandMacro(llvm::StringRef rules, llvm::StringRef input, std::string &error);

} // namespace sequin::visa_source

#endif // SEQUIN_LIB_VISASOURCE_EXPAND_H
