//===- VisaQuery.h - Kernel source with its names resolved ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_API_VISAQUERY_H
#define SEQUIN_API_VISAQUERY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace sequin::api {

/// The JSON of a crate (VisaSource/Json.h) by the file of its root, or by its
/// text under that name. `libraries` are the crates that it names, each as
/// "name=file". Errors of syntax and of names are a Refusal.
llvm::Expected<std::string> readVisa(llvm::StringRef path,
                                     const std::optional<std::string> &text,
                                     llvm::ArrayRef<std::string> libraries);

} // namespace sequin::api

#endif // SEQUIN_API_VISAQUERY_H
