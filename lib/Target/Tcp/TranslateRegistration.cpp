//===- TranslateRegistration.cpp - sequin-translate's translations --------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "sequin/Support/Excerpt.h"
#include "sequin/Target/Tcp/ConfigTranslation.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace sequin;

/// Writes the one `tcp.config` of a module as JSON.
static LogicalResult exportJson(Operation *root, raw_ostream &os) {
  auto module = dyn_cast<ModuleOp>(root);
  if (!module)
    return root->emitOpError() << "is not a module";
  auto configs = llvm::to_vector(module.getOps<tcp::ConfigOp>());
  if (configs.size() != 1)
    return module.emitError()
           << "module has " << configs.size()
           << " tcp.config operations, expected one; --tcp-to-config of "
              "sequin-opt makes it";
  config::writeJSON(os, tcp::readConfigOp(configs.front()));
  return success();
}

/// Reads a configuration file into a module with one `tcp.config`.
static OwningOpRef<Operation *> importJson(llvm::SourceMgr &sourceManager,
                                           MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sourceManager.getMemoryBuffer(sourceManager.getMainFileID());
  Location loc =
      FileLineColLoc::get(context, buffer->getBufferIdentifier(), 1, 1);
  llvm::Expected<config::Program> program =
      config::fromJSONText(buffer->getBuffer());
  if (!program) {
    mlir::emitError(loc) << llvm::toString(program.takeError());
    return {};
  }
  if (!lookupTcpMachine(program->target)) {
    mlir::emitError(loc) << "target: found '" << excerpt(program->target)
                         << "', allowed are " << knownMachineNames();
    return {};
  }
  context->loadDialect<tcp::TcpDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  if (failed(tcp::buildConfigOp(builder, loc, *program)))
    return {};
  return OwningOpRef<Operation *>(module.release());
}

void tcp::registerConfigTranslations() {
  static TranslateFromMLIRRegistration toJson(
      "tcp-to-json", "write a TCP configuration as JSON", exportJson,
      [](DialectRegistry &registry) {
        registry.insert<stream::StreamDialect, tcp::TcpDialect,
                        func::FuncDialect>();
      });
  static TranslateToMLIRRegistration fromJson(
      "json-to-tcp", "read a TCP configuration from JSON", importJson,
      [](DialectRegistry &registry) { registry.insert<tcp::TcpDialect>(); });
}
