//===- VisaQuery.cpp - Kernel source with its names resolved --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Api/VisaQuery.h"
#include "sequin/Api/Program.h"
#include "sequin/VisaSource/Json.h"

using namespace sequin;
using namespace sequin::api;

static Message::Severity severityOf(source::Severity severity) {
  switch (severity) {
  case source::Severity::Error:
    return Message::Severity::Error;
  case source::Severity::Warning:
    return Message::Severity::Warning;
  case source::Severity::Note:
    return Message::Severity::Note;
  }
  llvm_unreachable("a severity");
}

static Message toMessage(const source::Diagnostic &diagnostic,
                         const source::SourceManager &sources) {
  Message message;
  message.severity = severityOf(diagnostic.severity);
  message.text = diagnostic.message;
  if (source::FileId file = sources.fileOf(diagnostic.loc)) {
    source::LineColumn place = sources.lineColumn(diagnostic.loc);
    message.file = sources.path(file).str();
    message.line = place.line;
    message.column = place.column;
  }
  for (const source::Diagnostic &note : diagnostic.notes)
    message.notes.push_back(toMessage(note, sources));
  return message;
}

llvm::Expected<std::string>
api::readVisa(llvm::StringRef path, const std::optional<std::string> &text,
              llvm::ArrayRef<std::string> libraries) {
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  visa_source::Context nodes;
  visa_source::Crates program(sources, nodes, diagnostics);
  if (text)
    sources.add(path, *text);
  for (llvm::StringRef library : libraries) {
    auto [name, file] = library.split('=');
    program.addLibrary(name, file);
  }
  const visa_source::Module *root = program.load(path);
  if (!root || diagnostics.hadErrors()) {
    std::string printed;
    llvm::raw_string_ostream os(printed);
    diagnostics.print(os);
    std::vector<Message> messages;
    for (const source::Diagnostic &diagnostic : diagnostics.all())
      messages.push_back(toMessage(diagnostic, sources));
    return llvm::make_error<Refusal>(Refusal::Kind::Program, printed,
                                     std::move(messages));
  }
  std::string json;
  llvm::raw_string_ostream os(json);
  visa_source::writeJson(program, sources, os);
  return json;
}
