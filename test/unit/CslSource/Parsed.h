//===- Parsed.h - A text as a tree ------------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CSLSOURCE_PARSED_H
#define SEQUIN_TEST_UNIT_CSLSOURCE_PARSED_H

#include "sequin/CslSource/Parser.h"
#include "sequin/CslSource/Printer.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace sequin::testing {

/// A parsed text with what it lives on.
struct Parsed {
  explicit Parsed(llvm::StringRef text) : diagnostics(sources) {
    file = csl_source::parse(sources.add("test.csl", text), sources, context,
                             diagnostics);
  }

  std::string errors() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    diagnostics.print(os);
    return text;
  }
  std::string formatted(csl_source::FormatOptions options = {}) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    csl_source::format(*file, os, options);
    return text;
  }
  /// The initialiser of the first declaration, a variable; null if there is
  /// none.
  const csl_source::Expr *init() const {
    if (file->decls.empty())
      return nullptr;
    const auto *var = llvm::dyn_cast<csl_source::VarDecl>(file->decls.front());
    return var ? var->init() : nullptr;
  }

  csl_source::SourceManager sources;
  csl_source::Diagnostics diagnostics;
  csl_source::Context context;
  const csl_source::SourceFile *file = nullptr;
};

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_CSLSOURCE_PARSED_H
