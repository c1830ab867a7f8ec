//===- JsonText.h - JSON from files of anybody ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_JSONTEXT_H
#define SEQUIN_SUPPORT_JSONTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace sequin {

/// Deepest nesting of arrays and objects that is read; LLVM's parser recurses.
inline constexpr int64_t kMaxNesting = 64;

/// The value that `text` is; of what nests too deep an error.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace sequin

#endif // SEQUIN_SUPPORT_JSONTEXT_H
