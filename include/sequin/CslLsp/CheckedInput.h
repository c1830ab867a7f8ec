//===- CheckedInput.h - Messages that can be answered ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLLSP_CHECKEDINPUT_H
#define SEQUIN_CSLLSP_CHECKEDINPUT_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Transport.h"

namespace sequin::csl_lsp {

/// Passes on the messages of another input that are requests, notifications or
/// responses. LLVM's transport ends the session at any other, and its parser
/// recurses as deep as a text nests; here they are answered with an error.
class CheckedInput final : public llvm::lsp::JSONTransportInput {
public:
  /// Answers with an error of LSP to the request `id`, null if it has none.
  using Refuse = std::function<void(llvm::json::Value id, llvm::Error error)>;

  CheckedInput(std::unique_ptr<llvm::lsp::JSONTransportInput> inner,
               Refuse refuse)
      : inner(std::move(inner)), refuse(std::move(refuse)) {}

  bool hasError() const final { return inner->hasError(); }
  bool isEndOfInput() const final { return inner->isEndOfInput(); }
  llvm::LogicalResult readStandardMessage(std::string &json) final;
  llvm::LogicalResult readDelimitedMessage(std::string &json) final {
    return readStandardMessage(json);
  }

private:
  bool accepts(llvm::StringRef json);

  std::unique_ptr<llvm::lsp::JSONTransportInput> inner;
  Refuse refuse;
};

} // namespace sequin::csl_lsp

#endif // SEQUIN_CSLLSP_CHECKEDINPUT_H
