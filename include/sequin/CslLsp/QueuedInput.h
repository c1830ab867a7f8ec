//===- QueuedInput.h - Messages that wait to be answered --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLLSP_QUEUEDINPUT_H
#define SEQUIN_CSLLSP_QUEUEDINPUT_H

#include "llvm/Support/LSP/Transport.h"
#include <deque>

namespace sequin::csl_lsp {

/// Messages with their lengths, read from a file descriptor as far as they have
/// come, so that who answers one can see what comes behind it: a text that
/// another one replaces already need not be evaluated.
class QueuedInput final : public llvm::lsp::JSONTransportInput {
public:
  explicit QueuedInput(int descriptor) : descriptor(descriptor) {}

  bool hasError() const final { return failed; }
  bool isEndOfInput() const final { return ended && messages.empty(); }
  llvm::LogicalResult readStandardMessage(std::string &json) final;
  llvm::LogicalResult readDelimitedMessage(std::string &json) final {
    return readStandardMessage(json);
  }

  /// Whether a message that waits changes or closes the file.
  bool replaces(llvm::StringRef path);

private:
  struct Message {
    std::string text;
    /// The file whose text it replaces; "" of any other message.
    std::string path;
  };
  /// Reads what is there; waits for it if `wait`.
  void fill(bool wait);
  void split();

  int descriptor;
  bool failed = false, ended = false;
  std::string bytes;
  std::deque<Message> messages;
};

} // namespace sequin::csl_lsp

#endif // SEQUIN_CSLLSP_QUEUEDINPUT_H
