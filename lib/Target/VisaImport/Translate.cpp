//===- Translate.cpp - --import-visa --------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-translate/Translation.h"
#include "sequin/Target/VisaImport/VisaImport.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace sequin;
namespace cl = llvm::cl;

void visa_import::registerTranslation() {
  static cl::OptionCategory category("Import of Virtual ISA kernels");
  static cl::opt<std::string> entry(
      "entry", cl::desc("Function to import (default: the only kernel)"),
      cl::value_desc("name"), cl::cat(category));
  static cl::opt<std::string> release("visa", cl::desc("Release of the crate"),
                                      cl::value_desc("v0.1|v0.6"),
                                      cl::cat(category));
  static cl::opt<std::string> machine("visa-target",
                                      cl::desc("Machine of the kernel"),
                                      cl::init("rngd"), cl::cat(category));
  static cl::opt<Addresses> addresses(
      "addresses", cl::desc("Addresses of tensors"),
      cl::values(clEnumValN(Addresses::Allocate, "allocate",
                            "assigned by lifetime (default)"),
                 clEnumValN(Addresses::Given, "given", "those in the source")),
      cl::init(Addresses::Allocate), cl::cat(category));
  static cl::list<std::string> libraries(
      "visa-library", cl::desc("A crate that names come from"),
      cl::value_desc("name=file"), cl::cat(category));
  static mlir::TranslateToMLIRRegistration registration(
      "import-visa", "read a kernel of the Virtual ISA manual",
      [](llvm::SourceMgr &manager,
         mlir::MLIRContext *context) -> mlir::OwningOpRef<mlir::Operation *> {
        const llvm::MemoryBuffer *buffer =
            manager.getMemoryBuffer(manager.getMainFileID());
        ImportOptions options;
        options.entry = entry;
        options.release = release;
        options.machine = machine;
        options.addresses = addresses;
        options.libraries.assign(libraries.begin(), libraries.end());
        source::SourceManager sources;
        llvm::StringRef name = buffer->getBufferIdentifier();
        sources.add(name, buffer->getBuffer());
        mlir::OwningOpRef<mlir::ModuleOp> module =
            importVisa(name, options, *context, sources);
        if (!module)
          return {};
        return mlir::OwningOpRef<mlir::Operation *>(module.release());
      });
}
