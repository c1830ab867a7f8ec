//===- Parsed.h - A text as a tree ------------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_VISASOURCE_PARSED_H
#define SEQUIN_TEST_UNIT_VISASOURCE_PARSED_H

#include "sequin/VisaSource/Parser.h"
#include "sequin/VisaSource/Printer.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <string>

namespace sequin::testing {

/// A parsed text with what it lives on.
struct Parsed {
  explicit Parsed(llvm::StringRef text) : diagnostics(sources) {
    file = visa_source::parse(sources.add("test.rs", text), sources, context,
                              diagnostics);
  }

  std::string errors() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    diagnostics.print(os);
    return text;
  }
  std::string printed() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    visa_source::print(*file, os);
    return text;
  }
  /// Without spans.
  std::string tree() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    visa_source::dump(*file, os);
    return text;
  }

  visa_source::SourceManager sources;
  visa_source::Diagnostics diagnostics;
  visa_source::Context context;
  const visa_source::SourceFile *file = nullptr;
};

/// The text of a file of test/VisaSource/Inputs.
inline std::string readInput(llvm::StringRef name) {
  auto buffer =
      llvm::MemoryBuffer::getFile(SEQUIN_VISA_INPUTS "/" + name.str());
  if (!buffer) {
    ADD_FAILURE() << "no input " << name.str();
    return {};
  }
  return (*buffer)->getBuffer().str();
}

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_VISASOURCE_PARSED_H
