//===- JsonText.h - JSON from files of anybody ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_JSONTEXT_H
#define SEQUIN_SUPPORT_JSONTEXT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace sequin {

/// Deepest nesting of arrays and objects that is read; LLVM's parser recurses.
inline constexpr int64_t kMaxNesting = 64;

/// The value that `text` is; of what nests too deep an error.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

/// Writes `fields` and one more, the array `list`, as one object: indented by
/// two, keys in order, a line end at its end. writeElements writes the values
/// of the array one by one, so that a long one is never held as JSON values,
/// which take many times the room of their text.
void writeWithList(
    llvm::raw_ostream &os, const llvm::json::Object &fields,
    llvm::StringRef list,
    llvm::function_ref<void(llvm::json::OStream &)> writeElements);

} // namespace sequin

#endif // SEQUIN_SUPPORT_JSONTEXT_H
