//===- Translate.cpp - --import-csl ---------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-translate/Translation.h"
#include "sequin/Target/CslImport/CslImport.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace sequin;
namespace cl = llvm::cl;

std::string csl_import::findLibrary() {
  // build/bin/tool, or bin/tool of an installation.
  static int anchor;
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  llvm::SmallString<128> folder(llvm::sys::path::parent_path(program));
  if (llvm::sys::path::filename(folder) == "compat")
    llvm::sys::path::remove_filename(folder);
  llvm::sys::path::append(folder, "..", "share", "sequin", "csl");
  llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
  return folder.str().str();
}

bool csl_import::parseBindings(
    llvm::StringRef text, std::vector<std::pair<std::string, std::string>> &out,
    std::string &problem) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    auto [name, value] = part.split(':');
    if (name.empty() || value.empty()) {
      problem = "expected name:value, found '" + part.str() + "'";
      return false;
    }
    name = name.trim();
    value = value.trim();
    for (const auto &[other, known] : out)
      if (other == name && known != value) {
        problem = ("'" + name + "' has two values, '" + known + "' and '" +
                   value + "'; give it one")
                      .str();
        return false;
      }
    out.emplace_back(name.str(), value.str());
  }
  return true;
}

void csl_import::registerTranslation() {
  static cl::OptionCategory category("Import of CSL");
  static cl::opt<std::string> arch("arch", cl::desc("Machine: wse2 or wse3"),
                                   cl::init("wse2"), cl::cat(category));
  static cl::list<std::string> params(
      "params", cl::desc("Parameters of the layout: name:value,..."),
      cl::cat(category));
  static cl::list<std::string> colors(
      "colors", cl::desc("Colors of the layout: name:value,..."),
      cl::cat(category));
  static cl::list<std::string> importPaths(
      "import-path", cl::desc("Folder to search for <name>"),
      cl::cat(category));
  static cl::opt<std::string> format("fp16-format",
                                     cl::desc("f16, cb16 or bf16"),
                                     cl::init("f16"), cl::cat(category));
  static cl::opt<bool> memcpy("memcpy", cl::desc("Add memcpy support"),
                              cl::cat(category));
  static cl::opt<uint64_t> inlined(
      "max-inlined-iterations", cl::desc("Iterations of an inlined loop"),
      cl::init(ImportOptions().maxInlinedIterations), cl::cat(category));
  static cl::opt<unsigned> depth(
      "comptime-func-depth-limit", cl::desc("Nested calls at comptime"),
      cl::init(ImportOptions().comptimeDepthLimit), cl::cat(category));
  static mlir::TranslateToMLIRRegistration registration(
      "import-csl",
      "read a CSL program that begins at a file with a layout "
      "block",
      [](llvm::SourceMgr &manager,
         mlir::MLIRContext *context) -> mlir::OwningOpRef<mlir::Operation *> {
        const llvm::MemoryBuffer *buffer =
            manager.getMemoryBuffer(manager.getMainFileID());
        ImportOptions options;
        options.arch = arch;
        options.memcpy = memcpy;
        options.maxInlinedIterations = inlined;
        options.comptimeDepthLimit = depth;
        options.importPaths.assign(importPaths.begin(), importPaths.end());
        options.libraryPath = findLibrary();
        std::string problem;
        bool good = true;
        auto parse = [&](const cl::list<std::string> &list, auto &out) {
          for (const std::string &text : list)
            if (!parseBindings(text, out, problem)) {
              llvm::errs() << "error: --" << list.ArgStr << ": " << problem
                           << '\n';
              good = false;
            }
        };
        parse(params, options.params);
        parse(colors, options.colors);
        std::optional<csl::Fp16> fp16 = csl::symbolizeFp16(format);
        if (!fp16) {
          llvm::errs() << "error: --fp16-format: unknown format '" << format
                       << "', known are f16, cb16, bf16\n";
          good = false;
        }
        if (!good)
          return {};
        options.fp16 = *fp16;
        csl_source::SourceManager sources;
        csl_source::Diagnostics diagnostics(sources);
        // Standard input is a file too; its modules are in the working folder.
        llvm::StringRef name = buffer->getBufferIdentifier();
        sources.add(name, buffer->getBuffer());
        mlir::OwningOpRef<mlir::ModuleOp> module =
            importCsl(name, options, *context, sources, diagnostics);
        diagnostics.print(llvm::errs());
        if (!module)
          return {};
        return mlir::OwningOpRef<mlir::Operation *>(module.release());
      });
}
