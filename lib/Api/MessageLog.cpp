//===- MessageLog.cpp - What MLIR says about a program --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MessageLog.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "sequin/Support/MlirText.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::api;

static Message::Severity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return Message::Severity::Note;
  case DiagnosticSeverity::Warning:
    return Message::Severity::Warning;
  case DiagnosticSeverity::Error:
    return Message::Severity::Error;
  case DiagnosticSeverity::Remark:
    return Message::Severity::Remark;
  }
  llvm_unreachable("a severity of MLIR");
}

static Message toMessage(const Diagnostic &diagnostic) {
  Message message;
  message.severity = severityOf(diagnostic.getSeverity());
  message.text = diagnostic.str();
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
    message.file = place.getFilename().str();
    message.line = place.getLine();
    message.column = place.getColumn();
  }
  for (const Diagnostic &note : diagnostic.getNotes())
    message.notes.push_back(toMessage(note));
  return message;
}

MessageLog::MessageLog(MLIRContext &context)
    : context(context), stream(printed) {}

MessageLog::~MessageLog() = default;

llvm::LogicalResult MessageLog::open(StringRef path,
                                     const std::optional<std::string> &text) {
  if (text) {
    manager.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(*text, path), SMLoc());
    return success();
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (std::error_code code = buffer.getError())
    return fail("cannot read '" + path + "': " + code.message());
  manager.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  return success();
}

llvm::LogicalResult MessageLog::checkText() {
  std::optional<llvm::SMDiagnostic> fault = findMlirTextFault(manager);
  if (!fault)
    return success();
  fault->print(nullptr, stream, /*ShowColors=*/false);
  Message message;
  message.text = fault->getMessage().str();
  message.file = fault->getFilename().str();
  message.line = fault->getLineNo();
  message.column = fault->getColumnNo() + 1;
  messages.push_back(std::move(message));
  return failure();
}

void MessageLog::listen() {
  printer =
      std::make_unique<SourceMgrDiagnosticHandler>(manager, &context, stream);
  recorder = std::make_unique<ScopedDiagnosticHandler>(
      &context, [&](Diagnostic &diagnostic) {
        messages.push_back(toMessage(diagnostic));
        return failure(); // goes on to the printer
      });
}

std::pair<std::string, std::vector<Message>> MessageLog::takeMessages() {
  return {std::exchange(printed, {}), std::exchange(messages, {})};
}

llvm::Error MessageLog::takeRefusal(Refusal::Kind kind) {
  auto [text, list] = takeMessages();
  return llvm::make_error<Refusal>(kind, std::move(text), std::move(list));
}

llvm::LogicalResult MessageLog::fail(const Twine &what) {
  Message message;
  message.text = what.str();
  stream << "error: " << message.text << "\n";
  messages.push_back(std::move(message));
  return failure();
}
