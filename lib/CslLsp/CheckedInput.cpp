//===- CheckedInput.cpp - Messages that can be answered -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslLsp/CheckedInput.h"
#include "sequin/Support/JsonText.h"
#include "llvm/Support/LSP/Protocol.h"

using namespace sequin;
using namespace sequin::csl_lsp;
namespace lsp = llvm::lsp;

bool CheckedInput::accepts(llvm::StringRef json) {
  auto answer = [&](llvm::json::Value id, const llvm::Twine &text,
                    lsp::ErrorCode code) {
    refuse(std::move(id), llvm::make_error<lsp::LSPError>(text.str(), code));
    return false;
  };
  llvm::Expected<llvm::json::Value> value = parseJson(json);
  if (!value)
    return answer(nullptr, llvm::toString(value.takeError()),
                  lsp::ErrorCode::ParseError);
  const llvm::json::Object *message = value->getAsObject();
  if (!message)
    return answer(nullptr,
                  value->getAsArray()
                      ? "a message is an object; send those of a batch one by "
                        "one"
                      : "a message is an object",
                  lsp::ErrorCode::InvalidRequest);
  const llvm::json::Value *id = message->get("id");
  if (message->getString("jsonrpc") != "2.0")
    return answer(id ? *id : nullptr, "'jsonrpc' of a message is \"2.0\"",
                  lsp::ErrorCode::InvalidRequest);
  if (!id && !message->getString("method"))
    return answer(nullptr,
                  "a message has a 'method' or is the answer to an 'id'",
                  lsp::ErrorCode::InvalidRequest);
  return true;
}

llvm::LogicalResult CheckedInput::readStandardMessage(std::string &json) {
  while (llvm::succeeded(inner->readMessage(json)))
    if (accepts(json))
      return llvm::success();
  return llvm::failure();
}
