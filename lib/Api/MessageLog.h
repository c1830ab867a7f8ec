//===- MessageLog.h - What MLIR says about a program ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a program's text and keeps every diagnostic of a context, as it would
// be printed and one by one.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_API_MESSAGELOG_H
#define SEQUIN_LIB_API_MESSAGELOG_H

#include "mlir/IR/MLIRContext.h"
#include "sequin/Api/Program.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir {
class ScopedDiagnosticHandler;
class SourceMgrDiagnosticHandler;
} // namespace mlir

namespace sequin::api {

class MessageLog {
public:
  explicit MessageLog(mlir::MLIRContext &context);
  ~MessageLog();
  MessageLog(const MessageLog &) = delete;
  MessageLog &operator=(const MessageLog &) = delete;

  /// Opens the file `path`, or `text` under that name.
  llvm::LogicalResult open(llvm::StringRef path,
                           const std::optional<std::string> &text);
  /// Refuses what MLIR's parser must not be given.
  llvm::LogicalResult checkText();
  /// Listens from here on. After open(), so that messages show source lines.
  void listen();
  llvm::SourceMgr &sources() { return manager; }

  /// What has been said since the last call, printed and one by one.
  std::pair<std::string, std::vector<Message>> takeMessages();
  llvm::Error takeRefusal(Refusal::Kind kind);
  /// Adds an error about no place in the text.
  llvm::LogicalResult fail(const llvm::Twine &what);

private:
  mlir::MLIRContext &context;
  std::string printed;
  llvm::raw_string_ostream stream;
  std::vector<Message> messages;
  llvm::SourceMgr manager;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> printer;
  std::unique_ptr<mlir::ScopedDiagnosticHandler> recorder;
};

} // namespace sequin::api

#endif // SEQUIN_LIB_API_MESSAGELOG_H
