//===- TcpToConfig.cpp - The derivation as a pass -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sequin/Conversion/TcpToConfig/DeriveProgram.h"
#include "sequin/Conversion/TcpToConfig/Passes.h"
#include "sequin/Target/Tcp/ConfigTranslation.h"

namespace sequin {
#define GEN_PASS_DEF_TCPTOCONFIG
#include "sequin/Conversion/TcpToConfig/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;

namespace {
struct TcpToConfig : public sequin::impl::TcpToConfigBase<TcpToConfig> {
  using TcpToConfigBase::TcpToConfigBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<config::Program> program =
        assembleProgram(module, entry, {unrollLoops});
    if (failed(program))
      return signalPassFailure();
    Location loc = module.lookupSymbol(entry)->getLoc();
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      function.erase();
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    if (failed(tcp::buildConfigOp(builder, loc, *program)))
      return signalPassFailure();
  }
};
} // namespace
