//===- sequin-translate.cpp - Translations and machine tables -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Machine/CslMachine.h"
#include "sequin/Machine/Machine.h"
#include "sequin/Support/MlirText.h"
#include "sequin/Target/CslImport/CslImport.h"
#include "sequin/Target/CslSource/EmitSource.h"
#include "sequin/Target/Tcp/ConfigTranslation.h"
#include "sequin/Target/VisaImport/VisaImport.h"
#include "sequin/Tools/ToolMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"

using namespace sequin;

/// The machine's row as JSON.
static int dumpMachine(llvm::StringRef name, llvm::StringRef output) {
  std::optional<llvm::json::Value> row;
  if (const TcpMachine *machine = lookupTcpMachine(name))
    row = toJSON(*machine);
  else if (const CslMachine *machine = lookupCslMachine(name))
    row = toJSON(*machine);
  if (!row) {
    llvm::errs() << "error: --dump-machine: unknown machine '" << name
                 << "', known are " << knownMachineNames() << ", "
                 << knownCslMachineNames() << '\n';
    return kRefused;
  }
  return writeText(llvm::formatv("{0:2}\n", *row).str(), output);
}

/// Runs one translation on one file, errors with their place in it.
static bool translate(const mlir::Translation &translation, bool readsMlir,
                      bool allowsBytecode,
                      std::unique_ptr<llvm::MemoryBuffer> buffer,
                      llvm::raw_ostream &os) {
  mlir::MLIRContext context;
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  if (readsMlir) {
    if (auto fault = findMlirTextFault(*sources, allowsBytecode)) {
      fault->print(nullptr, llvm::errs());
      return false;
    }
  }
  mlir::SourceMgrDiagnosticHandler handler(*sources, &context);
  return mlir::succeeded(translation(sources, os, &context));
}

/// The translations that read text of their own.
static bool readsMlir(llvm::StringRef translation) {
  return translation != "json-to-tcp" && translation != "import-csl" &&
         translation != "import-visa";
}

/// The name that `chosen` was registered under.
static llvm::StringRef nameOf(mlir::TranslationParser &parser,
                              const mlir::Translation *chosen) {
  for (unsigned i = 0; i < parser.getNumOptions(); ++i) {
    auto &value =
        static_cast<const llvm::cl::OptionValue<const mlir::Translation *> &>(
            parser.getOptionValue(i));
    if (value.hasValue() && value.getValue() == chosen)
      return parser.getOption(i);
  }
  return {};
}

int main(int argc, char **argv) {
  ToolInit init(argc, argv);
  mlir::registerAsmPrinterCLOptions();
  hideKnownFlags();
  tcp::registerConfigTranslations();
  csl_import::registerTranslation();
  visa_import::registerTranslation();
  csl_to_source::registerTranslations();
  csl_to_wafer::registerTranslations();

  static llvm::cl::opt<std::string> input(llvm::cl::Positional,
                                          llvm::cl::desc("<input file>"),
                                          llvm::cl::init("-"));
  static llvm::cl::opt<std::string> output(
      "o", llvm::cl::desc("Output filename"), llvm::cl::value_desc("filename"),
      llvm::cl::init("-"));
  static llvm::cl::opt<std::string> machine(
      "dump-machine", llvm::cl::desc("Print a machine's table as JSON"),
      llvm::cl::value_desc("name"));
  static llvm::cl::opt<const mlir::Translation *, false,
                       mlir::TranslationParser>
      translation("", llvm::cl::desc("Translation to perform"));
  static llvm::cl::opt<bool> allowsBytecode(
      "allow-bytecode",
      llvm::cl::desc("Read MLIR bytecode too, whose reader trusts its input"));
  if (!parseCommandLine(argc, argv, "Sequin translation driver\n"))
    return kUsage;

  bool dumps = machine.getNumOccurrences() > 0;
  if (dumps == (translation.getNumOccurrences() > 0)) {
    llvm::errs()
        << "error: name one translation or --dump-machine, see --help\n";
    return kUsage;
  }
  if (dumps)
    return dumpMachine(machine, output);
  return processFile(
      input, output,
      [&](std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::raw_ostream &os) {
        return translate(
            *translation.getValue(),
            readsMlir(nameOf(translation.getParser(), translation.getValue())),
            allowsBytecode, std::move(buffer), os);
      });
}
