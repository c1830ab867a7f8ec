//===- sequin-opt.cpp - The pass driver -----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "sequin/InitAllDialects.h"
#include "sequin/InitAllPasses.h"
#include "sequin/Pipelines/Pipelines.h"
#include "sequin/Support/MlirText.h"
#include "sequin/Tools/ToolMain.h"
#include "llvm/Support/CommandLine.h"

/// Whether the command line asks for the list of options.
static bool asksForHelp(llvm::ArrayRef<char *> arguments) {
  return llvm::any_of(arguments, [](llvm::StringRef argument) {
    return argument == "--help" || argument == "-help" || argument == "-h";
  });
}

int main(int argc, char **argv) {
  sequin::ToolInit init(argc, argv);
  sequin::hideKnownFlags();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  sequin::registerAllDialects(registry);
  sequin::registerAllPasses();
  // Among the hundreds of upstream's they are hard to find.
  if (asksForHelp(llvm::ArrayRef(argv, argc))) {
    llvm::outs() << "SEQUIN'S PASSES AND PIPELINES:\n\n";
    mlir::printRegisteredPasses();
    llvm::outs() << "\nPipelines:\n";
    for (llvm::StringRef name : sequin::kPipelineNames)
      llvm::outs() << "  --" << name << " - "
                   << mlir::PassPipelineInfo::lookup(name)->getPassDescription()
                   << '\n';
    llvm::outs() << '\n';
  }
  mlir::registerAllPasses();

  static llvm::cl::opt<std::string> input(llvm::cl::Positional,
                                          llvm::cl::desc("<input file>"),
                                          llvm::cl::init("-"));
  static llvm::cl::opt<std::string> output(
      "o", llvm::cl::desc("Output filename"), llvm::cl::value_desc("filename"),
      llvm::cl::init("-"));
  static llvm::cl::opt<bool> allowsBytecode(
      "allow-bytecode",
      llvm::cl::desc("Read MLIR bytecode too, whose reader trusts its input"));
  mlir::MlirOptMainConfig::registerCLOptions(registry);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  if (!sequin::parseCommandLine(argc, argv, "Sequin optimizer driver\n"))
    return sequin::kUsage;

  mlir::MlirOptMainConfig config =
      mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects()) {
    for (llvm::StringRef name : registry.getDialectNames())
      llvm::outs() << name << '\n';
    return sequin::kSuccess;
  }
  if (config.shouldListPasses()) {
    mlir::printRegisteredPasses();
    return sequin::kSuccess;
  }
  return sequin::processFile(
      input, output,
      [&](std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::raw_ostream &os) {
        llvm::SourceMgr sources;
        sources.AddNewSourceBuffer(
            llvm::MemoryBuffer::getMemBuffer(buffer->getMemBufferRef()),
            llvm::SMLoc());
        if (auto fault = sequin::findMlirTextFault(sources, allowsBytecode)) {
          fault->print(nullptr, llvm::errs());
          return false;
        }
        return mlir::succeeded(
            mlir::MlirOptMain(os, std::move(buffer), registry, config));
      });
}
