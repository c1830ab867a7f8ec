//===- Server.h - The language server protocol for CSL ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLLSP_SERVER_H
#define SEQUIN_CSLLSP_SERVER_H

#include "sequin/CslLsp/Programs.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm::lsp {
class JSONTransport;
} // namespace llvm::lsp

namespace sequin::csl_lsp {

/// Serves until the client ends the session or its stream. An error if the
/// session ended without the client's `shutdown`. `evaluator` evaluates
/// programs for types, values and errors beyond those of the syntax.
/// `isReplaced` says whether a new text of a file waits already: what is wrong
/// with the present one is not worked out then.
llvm::Error
serve(llvm::lsp::JSONTransport &transport, llvm::StringRef libraryPath,
      Evaluator evaluator,
      std::function<bool(llvm::StringRef path)> isReplaced = nullptr);

} // namespace sequin::csl_lsp

#endif // SEQUIN_CSLLSP_SERVER_H
