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
#include "sequin/Target/CslSource/EmitSource.h"
#include "llvm/Support/raw_ostream.h"
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

namespace {
/// A compilation with what it lives on.
struct Compiled {
  Compiled(StringRef arch, StringRef library)
      : context(mlir::MLIRContext::Threading::DISABLED), diagnostics(sources) {
    options.arch = arch.str();
    options.libraryPath = library.str();
    options.comptimeStepLimit = 200000;
    options.maxInlinedIterations = 1000;
  }
  /// The first file is on top. Returns what is wrong.
  std::string compile(StringRef top) {
    module = csl_import::importCsl(top, options, context, sources, diagnostics);
    bool hadError = false;
    for (const csl_source::Diagnostic &diagnostic : diagnostics.all()) {
      if (diagnostic.message.empty())
        return "a diagnostic without text";
      hadError |= diagnostic.severity == csl_source::Severity::Error;
    }
    if (bool(module) == hadError)
      return hadError ? "a module in spite of errors"
                      : "refused without an error";
    return "";
  }

  csl_import::ImportOptions options;
  mlir::MLIRContext context;
  csl_source::SourceManager sources;
  csl_source::Diagnostics diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Errors at operations while it lives.
class Errors {
public:
  explicit Errors(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &d) {
          if (d.getSeverity() == mlir::DiagnosticSeverity::Error)
            text += d.str() + "\n";
          return mlir::success();
        }) {}
  std::string text;

private:
  mlir::ScopedDiagnosticHandler handler;
};
} // namespace

/// PEs of programs that are derived.
static constexpr int64_t kMaxPes = 256;

static bool isSmall(mlir::ModuleOp module) {
  for (auto layout : module.getOps<csl::LayoutOp>())
    if (int64_t(layout.getWidth()) > kMaxPes ||
        int64_t(layout.getHeight()) > kMaxPes ||
        int64_t(layout.getWidth() * layout.getHeight()) > kMaxPes)
      return false;
  return true;
}

/// What is wrong with the derivation from a program that the front end took.
/// `refused` are the errors of one that may be refused.
static std::string derive(mlir::ModuleOp module, std::string &refused) {
  if (mlir::failed(mlir::verify(module)))
    return "the front end's module is wrong";
  Errors errors(module.getContext());
  auto program = csl_to_wafer::deriveCheckedProgram(module.clone());
  if (mlir::failed(program)) {
    refused = errors.text;
    return refused.empty() ? "not derived, without an error" : "";
  }
  const CslMachine *machine = lookupCslMachine(program->target);
  if (llvm::Error error = wafer::check(*program, *machine))
    return "the derived program is refused: " +
           llvm::toString(std::move(error));
  return "";
}

/// What is wrong with the source that a program is written as.
static std::string checkWritten(mlir::ModuleOp module, StringRef arch,
                                StringRef library, bool &isWritten) {
  auto written = [&] {
    Errors errors(module.getContext());
    auto files = csl_to_source::emitSource(module);
    return mlir::failed(files) && errors.text.empty()
               ? mlir::FailureOr<std::vector<csl_to_source::SourceFile>>(
                     std::vector<csl_to_source::SourceFile>())
               : files;
  }();
  if (mlir::failed(written))
    return "";
  if (written->empty())
    return "not written as source, without an error";
  isWritten = true;
  Compiled back(arch, library);
  std::string all;
  for (const csl_to_source::SourceFile &file : *written)
    if (StringRef(file.name).ends_with(".csl")) {
      back.sources.add(file.name, file.text);
      all += "//file: " + file.name + "\n" + file.text;
    }
  std::string wrong = back.compile(written->front().name), refused;
  if (wrong.empty() && !back.module) {
    llvm::raw_string_ostream os(wrong);
    back.diagnostics.print(os);
  }
  if (wrong.empty())
    wrong = derive(*back.module, refused);
  wrong += refused;
  return wrong.empty() ? "" : "written as source: " + wrong + "\n" + all;
}

fuzz::ImportOutcome fuzz::checkCslImport(StringRef input, StringRef library,
                                         StringRef arch, bool written) {
  Parts parts = split(input);
  ImportOutcome outcome;
  Compiled compiled(arch, library);
  compiled.options.memcpy = input.contains("<memcpy/");
  std::string problem, refused;
  if (!csl_import::parseBindings(parts.params, compiled.options.params,
                                 problem))
    compiled.options.params.clear();
  for (const Part &part : parts.files)
    compiled.sources.add(part.name, part.text);
  // One of the machines as editors ask, which goes on after errors.
  csl_source::Observations observations;
  if (arch == "wse3")
    compiled.options.observations = &observations;
  outcome.wrong = compiled.compile(parts.files.front().name);
  if (!outcome.wrong.empty() || !compiled.module || !isSmall(*compiled.module))
    return outcome;
  outcome.wrong = derive(*compiled.module, refused);
  outcome.isDerived = outcome.wrong.empty() && refused.empty();
  if (outcome.isDerived && written)
    outcome.wrong =
        checkWritten(*compiled.module, arch, library, outcome.isWritten);
  return outcome;
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
