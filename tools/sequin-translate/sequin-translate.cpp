//===- sequin-translate.cpp - Translations and machine tables -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Machine/Machine.h"
#include "sequin/Target/Tcp/ConfigTranslation.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

/// `--dump-machine=NAME` takes no input and is done before the translations,
/// which want exactly one of themselves on the command line.
static int dumpMachine(llvm::StringRef name) {
  const sequin::TcpMachine *machine = sequin::lookupTcpMachine(name);
  if (!machine) {
    llvm::errs() << "error: --dump-machine: unknown machine '" << name
                 << "', known are " << sequin::knownMachineNames() << '\n';
    return 1;
  }
  llvm::outs() << llvm::formatv("{0:2}", sequin::toJSON(*machine)) << '\n';
  return 0;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument.consume_front("--dump-machine=") ||
        argument.consume_front("-dump-machine="))
      return dumpMachine(argument);
  }
  sequin::tcp::registerConfigTranslations();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "Sequin translation driver"));
}
