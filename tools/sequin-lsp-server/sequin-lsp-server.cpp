//===- sequin-lsp-server.cpp - Language servers for CSL and MLIR ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "sequin/CslLsp/CheckedInput.h"
#include "sequin/CslLsp/QueuedInput.h"
#include "sequin/CslLsp/Server.h"
#include "sequin/InitAllDialects.h"
#include "sequin/Tools/LspEvaluator.h"
#include "sequin/Tools/ToolMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/LSP/Logging.h"
#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/Program.h"

using namespace sequin;
namespace cl = llvm::cl;
namespace lsp = llvm::lsp;

/// MLIR's own server, which parses flags of its own, with Sequin's dialects.
static int serveMlir(bool delimited, lsp::Logger::Level level) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  sequin::registerAllDialects(registry);
  std::string log = level == lsp::Logger::Level::Error  ? "--log=error"
                    : level == lsp::Logger::Level::Info ? "--log=info"
                                                        : "--log=verbose";
  std::vector<std::string> words = {"sequin-lsp-server", log};
  if (delimited) {
    words.push_back("--input-style=delimited");
    words.push_back("--pretty");
  }
  llvm::SmallVector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  cl::ResetCommandLineParser();
  return mlir::succeeded(mlir::MlirLspServerMain(int(arguments.size()),
                                                 arguments.data(), registry))
             ? kSuccess
             : kRefused;
}

int main(int argc, char **argv) {
  ToolInit init(argc, argv);
  cl::OptionCategory category("sequin-lsp-server options");
  cl::opt<bool> mlirText(
      "mlir",
      cl::desc("Serve MLIR with Sequin's dialects and MLIR's own (default: "
               "serve CSL)"),
      cl::cat(category));
  cl::opt<bool> delimited(
      "delimited",
      cl::desc("Messages end at a line '// -----' instead of having a length, "
               "and replies are indented"),
      cl::cat(category));
  cl::opt<std::string> library(
      "library", cl::desc("Folder of the modules named '<module>'"),
      cl::value_desc("folder"), cl::cat(category));
  cl::opt<std::string> arch(
      "arch",
      cl::desc("Machine that programs are evaluated for (default: that of the "
               "commands*.sh beside a layout, or wse3)"),
      cl::value_desc("wse2|wse3"), cl::cat(category));
  cl::opt<uint64_t> steps(
      "step-limit", cl::desc("Steps of evaluation for one answer"),
      cl::init(tools::LspEvaluatorOptions().stepLimit), cl::cat(category));
  cl::opt<lsp::Logger::Level> level(
      "log", cl::desc("What goes to stderr:"),
      cl::values(clEnumValN(lsp::Logger::Level::Error, "error", "Errors"),
                 clEnumValN(lsp::Logger::Level::Info, "info", "Messages too"),
                 clEnumValN(lsp::Logger::Level::Debug, "verbose",
                            "Their contents too")),
      cl::init(lsp::Logger::Level::Error), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  if (!parseCommandLine(argc, argv,
                        "A language server for CSL, or MLIR, on stdin and "
                        "stdout\n"))
    return kUsage;
  if (mlirText) {
    for (const cl::Option *option :
         std::initializer_list<const cl::Option *>{&library, &arch, &steps})
      if (option->getNumOccurrences() > 0) {
        llvm::errs() << "error: --" << option->ArgStr
                     << " is for CSL and has no meaning with --mlir\n";
        return kUsage;
      }
    return serveMlir(delimited, level);
  }
  lsp::Logger::setLogLevel(level);

  llvm::sys::ChangeStdinToBinary();
  // Delimited messages are answered one by one.
  std::unique_ptr<lsp::JSONTransportInput> input;
  std::function<bool(llvm::StringRef)> isReplaced;
  if (delimited) {
    input = std::make_unique<lsp::JSONTransportInputOverFile>(
        stdin, lsp::JSONStreamStyle::Delimited);
  } else {
    auto queued = std::make_unique<csl_lsp::QueuedInput>(fileno(stdin));
    isReplaced = [queue = queued.get()](llvm::StringRef path) {
      return queue->replaces(path);
    };
    input = std::move(queued);
  }
  lsp::JSONTransport *answers = nullptr;
  lsp::JSONTransport transport(
      std::make_unique<csl_lsp::CheckedInput>(
          std::move(input),
          [&](llvm::json::Value id, llvm::Error error) {
            answers->reply(std::move(id), std::move(error));
          }),
      llvm::outs(), /*PrettyOutput=*/delimited);
  answers = &transport;
  tools::LspEvaluatorOptions options;
  options.libraryPath = library.empty() ? csl_import::findLibrary() : library;
  options.arch = arch;
  options.stepLimit = steps;
  if (llvm::Error error = csl_lsp::serve(transport, options.libraryPath,
                                         tools::makeLspEvaluator(options),
                                         std::move(isReplaced))) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << '\n';
    return kRefused;
  }
  return kSuccess;
}
