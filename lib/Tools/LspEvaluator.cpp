//===- LspEvaluator.cpp - Programs as a language server sees them ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Tools/LspEvaluator.h"
#include "mlir/IR/MLIRContext.h"
#include "sequin/Tools/CslcFlags.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace sequin;
using llvm::StringRef;

/// Larger files are no scripts that a person wrote.
static constexpr uint64_t kMaxScriptBytes = 1 << 20;

/// The lines of a script, continued ones joined.
static std::vector<std::string> readLines(StringRef path) {
  uint64_t size = 0;
  if (llvm::sys::fs::file_size(path, size) || size > kMaxScriptBytes)
    return {};
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return {};
  std::vector<std::string> lines(1);
  llvm::SmallVector<StringRef> parts;
  (*buffer)->getBuffer().split(parts, '\n');
  for (StringRef part : parts) {
    part.consume_back("\r");
    bool goesOn = part.consume_back("\\");
    lines.back() += part;
    if (!goesOn)
      lines.emplace_back();
  }
  return lines;
}

/// The flags of a line that compiles `layout`; none if it does not.
static std::optional<csl_import::ImportOptions>
readFlags(StringRef line, StringRef folder, StringRef layout) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> words;
  llvm::cl::TokenizeGNUCommandLine(line, saver, words);
  auto isCompiler = [](const char *word) {
    return llvm::sys::path::filename(word) == "cslc";
  };
  auto found = llvm::find_if(words, isCompiler);
  if (found == words.end() || line.trim().starts_with("#"))
    return std::nullopt;
  std::vector<char *> arguments;
  for (const char *word : llvm::make_range(found + 1, words.end())) {
    StringRef text = word;
    if (text == "&&" || text == ";" || text == "|" || text.starts_with(">"))
      break;
    if (!text.contains('$') && text.ltrim('-') != "help" && text != "-h")
      arguments.push_back(const_cast<char *>(word));
  }
  tools::CslcOptions options;
  if (tools::parseCslcFlags(arguments, options, llvm::nulls()))
    return std::nullopt;
  llvm::SmallString<128> path(options.layout);
  llvm::sys::path::make_absolute(folder, path);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  if (path != layout)
    return std::nullopt;
  for (std::string &folderOfImports : options.import.importPaths) {
    llvm::SmallString<128> absolute(folderOfImports);
    llvm::sys::path::make_absolute(folder, absolute);
    folderOfImports = absolute.str().str();
  }
  return options.import;
}

csl_import::ImportOptions tools::findCompilerFlags(StringRef layout,
                                                   StringRef arch) {
  StringRef folder = llvm::sys::path::parent_path(layout);
  // Beside the layout, or above the folder of the sources.
  for (unsigned level = 0; level != 2 && !folder.empty();
       ++level, folder = llvm::sys::path::parent_path(folder)) {
    std::vector<std::string> scripts;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator entry(folder, error), end;
         !error && entry != end; entry.increment(error))
      if (llvm::sys::path::extension(entry->path()) == ".sh" &&
          llvm::sys::path::filename(entry->path()).starts_with("commands"))
        scripts.push_back(entry->path());
    llvm::sort(scripts);
    std::optional<csl_import::ImportOptions> result;
    for (const std::string &script : scripts)
      for (const std::string &line : readLines(script))
        if (auto flags = readFlags(line, folder, layout))
          if (arch.empty() || flags->arch == arch)
            result = std::move(flags);
    if (result)
      return *result;
  }
  csl_import::ImportOptions options;
  options.arch = arch.empty() ? "wse3" : arch.str();
  options.memcpy = true;
  return options;
}

csl_lsp::Evaluator tools::makeLspEvaluator(LspEvaluatorOptions options) {
  return [options](StringRef path, csl_lsp::Evaluation &evaluation) {
    csl_import::ImportOptions import = findCompilerFlags(path, options.arch);
    import.libraryPath = options.libraryPath;
    import.comptimeStepLimit = options.stepLimit;
    import.observations = &evaluation.observations;
    // The answer is what was observed; the program is not needed.
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    csl_import::importCsl(path, import, context, evaluation.sources,
                          evaluation.diagnostics);
  };
}
