//===- VisaImportCheck.cpp - Any text as a kernel -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VisaImportCheck.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "sequin/Target/VisaImport/VisaImport.h"
#include "sequin/VisaSource/Lexer.h"
#include <random>

using namespace sequin;
using llvm::StringRef;

fuzz::KernelOutcome fuzz::checkVisaImport(StringRef input, StringRef entry) {
  StringRef text = input;
  if (text.consume_front("//entry:"))
    entry = text.take_until([](char c) { return c == '\n'; }).trim();
  visa_import::ImportOptions options;
  options.entry = entry.str();
  options.stepLimit = 20000;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  bool isMute = false;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    errors += d.getSeverity() == mlir::DiagnosticSeverity::Error;
    isMute |= d.str().empty();
    return mlir::success();
  });
  source::SourceManager sources;
  sources.add("input.rs", input);
  KernelOutcome outcome;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      visa_import::importVisa("input.rs", options, context, sources);
  if (isMute)
    outcome.wrong = "a diagnostic without text";
  else if (bool(module) == (errors != 0))
    outcome.wrong =
        module ? "a module in spite of errors" : "refused without an error";
  else if (module && mlir::failed(mlir::verify(*module)))
    outcome.wrong = "the module does not verify";
  outcome.isImported = bool(module) && outcome.wrong.empty();
  return outcome;
}

static std::vector<std::string> tokensOf(StringRef text) {
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  visa_source::Lexer lexer(sources.text(sources.add("input.rs", text)),
                           diagnostics);
  std::vector<std::string> tokens;
  for (visa_source::Token token = lexer.next();
       !token.is(visa_source::TokenKind::End); token = lexer.next())
    tokens.push_back((token.startsLine ? "\n" : " ") + token.text.str());
  return tokens;
}

std::string fuzz::mutateVisaTokens(StringRef input,
                                   llvm::ArrayRef<std::string> donors,
                                   unsigned count, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto below = [&](size_t n) { return size_t(random() % n); };
  std::vector<std::string> tokens = tokensOf(input), others = tokens;
  for (const std::string &donor : donors) {
    std::vector<std::string> more = tokensOf(donor);
    others.insert(others.end(), more.begin(), more.end());
  }
  for (const char *extra : {" 0", " 1", " 3", " 18446744073709551615", " 1e9",
                            " -", " m![1]", " []", " {", " }", " 1 # 2"})
    others.push_back(extra);
  for (; count != 0 && !tokens.empty(); --count) {
    size_t at = below(tokens.size());
    switch (below(5)) {
    case 0:
      tokens.erase(tokens.begin() + at);
      break;
    case 1:
      tokens.insert(tokens.begin() + at, std::string(tokens[at]));
      break;
    case 2:
      std::swap(tokens[at], tokens[below(tokens.size())]);
      break;
    default:
      tokens[at] = others[below(others.size())];
    }
  }
  std::string text;
  for (const std::string &token : tokens)
    text += token;
  return text;
}
