//===- CslImportCheck.cpp - Any files as a CSL program --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslImportCheck.h"

#include "CslSourceCheck.h"
#include "CslTreeMutation.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/CslSource/Observations.h"
#include "sequin/Machine/CslMachine.h"
#include "sequin/Target/CslImport/CslImport.h"
#include <vector>

using namespace sequin;
using llvm::StringRef;

static constexpr StringRef kFile = "//file:", kParams = "//params:";

namespace {
struct Part {
  StringRef name, text;
};
struct Parts {
  StringRef params;
  std::vector<Part> files;
};
} // namespace

static Parts split(StringRef input) {
  Parts result;
  if (input.consume_front(kParams))
    std::tie(result.params, input) = input.split('\n');
  while (true) {
    StringRef name = "input.csl";
    bool isNamed = input.consume_front(kFile);
    if (isNamed)
      std::tie(name, input) = input.split('\n');
    size_t end =
        input.starts_with(kFile) ? 0 : input.find(("\n" + kFile).str());
    size_t next = end == StringRef::npos     ? input.size()
                  : input.starts_with(kFile) ? 0
                                             : end + 1;
    if (isNamed || next != 0 || input.empty())
      result.files.push_back({name.trim(), input.take_front(next)});
    input = input.drop_front(next);
    if (input.empty())
      return result;
  }
}

static std::string join(const Parts &parts) {
  std::string result;
  if (!parts.params.empty())
    result += (kParams + parts.params + "\n").str();
  for (const Part &part : parts.files) {
    if (!result.empty() && result.back() != '\n')
      result += '\n';
    result += (kFile + " " + part.name + "\n" + part.text).str();
  }
  return result;
}

/// PEs of programs that are derived.
static constexpr int64_t kMaxPes = 256;

/// What is wrong with the derivation from a program that the front end took.
static std::string checkModule(mlir::ModuleOp module) {
  if (mlir::failed(mlir::verify(module)))
    return "the front end's module is wrong";
  for (auto layout : module.getOps<csl::LayoutOp>())
    if (int64_t(layout.getWidth()) > kMaxPes ||
        int64_t(layout.getHeight()) > kMaxPes ||
        int64_t(layout.getWidth() * layout.getHeight()) > kMaxPes)
      return "";
  bool hadError = false;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &d) {
        hadError |= d.getSeverity() == mlir::DiagnosticSeverity::Error;
        return mlir::success();
      });
  auto program = csl_to_wafer::deriveCheckedProgram(module);
  if (mlir::failed(program))
    return hadError ? "" : "not derived, without an error";
  const CslMachine *machine = lookupCslMachine(program->target);
  if (llvm::Error error = wafer::check(*program, *machine))
    return "the derived program is refused: " +
           llvm::toString(std::move(error));
  return "";
}

std::string fuzz::checkCslImport(StringRef input, StringRef library,
                                 llvm::ArrayRef<StringRef> archs) {
  Parts parts = split(input);
  for (StringRef arch : archs) {
    csl_import::ImportOptions options;
    options.arch = arch.str();
    options.libraryPath = library.str();
    options.memcpy = input.contains("<memcpy/");
    options.comptimeStepLimit = 200000;
    options.maxInlinedIterations = 1000;
    std::string problem;
    if (!csl_import::parseBindings(parts.params, options.params, problem))
      options.params.clear();
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    csl_source::SourceManager sources;
    for (const Part &part : parts.files)
      sources.add(part.name, part.text);
    csl_source::Diagnostics diagnostics(sources);
    // One of them as editors ask, which goes on after errors.
    csl_source::Observations observations;
    if (options.arch == "wse3")
      options.observations = &observations;
    mlir::OwningOpRef<mlir::ModuleOp> module = csl_import::importCsl(
        parts.files.front().name, options, context, sources, diagnostics);
    bool hadError = false;
    for (const csl_source::Diagnostic &diagnostic : diagnostics.all()) {
      if (diagnostic.message.empty())
        return "a diagnostic without text";
      hadError |= diagnostic.severity == csl_source::Severity::Error;
    }
    if (bool(module) == hadError)
      return hadError ? "a module in spite of errors"
                      : "refused without an error";
    if (!module)
      continue;
    if (std::string wrong = checkModule(*module); !wrong.empty())
      return (arch + ": " + wrong).str();
  }
  return "";
}

std::string fuzz::mutateCslProgram(StringRef input,
                                   llvm::ArrayRef<std::string> donors,
                                   unsigned count, uint64_t seed) {
  Parts parts = split(input);
  Part &part = parts.files[(seed / 16) % parts.files.size()];
  std::vector<std::string> files;
  for (const Part &other : parts.files)
    if (&other != &part)
      files.push_back(other.text.str());
  for (const std::string &donor : donors)
    for (const Part &other : split(donor).files)
      files.push_back(other.text.str());
  std::string text = seed % 4 ? mutateCslTree(part.text, files, count, seed)
                              : mutateCslTokens(part.text, files, count, seed);
  part.text = text;
  return join(parts);
}
