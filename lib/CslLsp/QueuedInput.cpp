//===- QueuedInput.cpp - Messages that wait to be answered ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslLsp/QueuedInput.h"
#include "sequin/Support/JsonText.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/LSP/Protocol.h"
#include <poll.h>
#include <unistd.h>

using namespace sequin;
using namespace sequin::csl_lsp;
using llvm::StringRef;
namespace lsp = llvm::lsp;

/// Longest message, and longest header of one.
static constexpr size_t kMostBytes = size_t(1) << 30;
static constexpr size_t kMostHeaderBytes = size_t(1) << 16;

void QueuedInput::fill(bool wait) {
  char block[1 << 16];
  char *into = block;
  while (!ended && !failed) {
    pollfd asked{descriptor, POLLIN, 0};
    if (!wait && llvm::sys::RetryAfterSignal(-1, poll, &asked, 1, 0) <= 0)
      return;
    ssize_t count =
        llvm::sys::RetryAfterSignal(-1, ::read, descriptor, into, sizeof block);
    failed = count < 0;
    ended = count <= 0;
    if (count > 0)
      bytes.append(block, size_t(count));
    split();
    if (wait)
      return;
  }
}

/// The file whose text a message replaces.
static std::string replacedPath(StringRef text) {
  if (!text.contains("textDocument/did"))
    return "";
  llvm::Expected<llvm::json::Value> value = parseJson(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return "";
  }
  const llvm::json::Object *message = value->getAsObject();
  std::optional<StringRef> method =
      message ? message->getString("method") : std::nullopt;
  const llvm::json::Object *params =
      method && (*method == "textDocument/didChange" ||
                 *method == "textDocument/didClose")
          ? message->getObject("params")
          : nullptr;
  const llvm::json::Object *document =
      params ? params->getObject("textDocument") : nullptr;
  std::optional<StringRef> name =
      document ? document->getString("uri") : std::nullopt;
  if (!name)
    return "";
  llvm::Expected<lsp::URIForFile> uri = lsp::URIForFile::fromURI(*name);
  if (uri)
    return uri->file().str();
  llvm::consumeError(uri.takeError());
  return "";
}

/// Takes the messages that are complete off the bytes.
void QueuedInput::split() {
  size_t begin = 0;
  while (true) {
    StringRef rest = StringRef(bytes).drop_front(begin);
    size_t length = 0, header = 0;
    bool hasHeader = false;
    while (!hasHeader) {
      size_t end = rest.find('\n', header);
      if (end == StringRef::npos)
        break;
      StringRef line = rest.slice(header, end).rtrim('\r');
      header = end + 1;
      if (line.consume_front_insensitive("content-length:") &&
          line.trim().getAsInteger(10, length))
        length = 0;
      // Lines between messages are none.
      hasHeader = line.empty() && length != 0;
    }
    if (length > kMostBytes || (!hasHeader && header > kMostHeaderBytes)) {
      failed = ended = true;
      break;
    }
    if (!hasHeader || rest.size() - header < length)
      break;
    Message &message = messages.emplace_back();
    message.text = rest.substr(header, length).str();
    message.path = replacedPath(message.text);
    begin += header + length;
  }
  bytes.erase(0, begin);
}

llvm::LogicalResult QueuedInput::readStandardMessage(std::string &json) {
  fill(/*wait=*/false);
  while (messages.empty() && !ended)
    fill(/*wait=*/true);
  if (messages.empty())
    return llvm::failure();
  json = std::move(messages.front().text);
  messages.pop_front();
  return llvm::success();
}

bool QueuedInput::replaces(StringRef path) {
  fill(/*wait=*/false);
  return llvm::any_of(
      messages, [&](const Message &message) { return message.path == path; });
}
