//===- Excerpt.h - The user's text in messages ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_EXCERPT_H
#define SEQUIN_SUPPORT_EXCERPT_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace sequin {

/// Most characters of the user's text that a message repeats.
inline constexpr size_t kMostExcerptCharacters = 120;

/// `text` as a message shows it: cut, with "..." for the rest, and with '?' for
/// what does not print. File names are shown whole instead.
inline std::string excerpt(llvm::StringRef text) {
  std::string result = text.substr(0, kMostExcerptCharacters).str();
  for (char &c : result)
    if (!llvm::isPrint(c))
      c = '?';
  if (text.size() > kMostExcerptCharacters)
    result += "...";
  return result;
}

} // namespace sequin

#endif // SEQUIN_SUPPORT_EXCERPT_H
