//===- Translate.cpp - Translations of csl modules ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace sequin;

static LogicalResult
derive(Operation *root,
       llvm::function_ref<void(const wafer::Program &)> write) {
  auto module = dyn_cast<ModuleOp>(root);
  if (!module)
    return root->emitOpError() << "is not a module";
  FailureOr<wafer::Program> program = csl_to_wafer::deriveProgram(module);
  if (failed(program))
    return failure();
  write(*program);
  return success();
}

void csl_to_wafer::registerDialects(DialectRegistry &registry) {
  registry.insert<csl::CslDialect, affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect>();
}

void csl_to_wafer::registerTranslations() {
  static TranslateFromMLIRRegistration toJson(
      "csl-to-json", "write the wafer program of a csl module as JSON",
      [](Operation *root, raw_ostream &os) {
        return derive(root, [&](const wafer::Program &program) {
          os << llvm::formatv("{0:2}", wafer::toJSON(program)) << '\n';
        });
      },
      registerDialects);
  static TranslateFromMLIRRegistration toText(
      "csl-to-wafer", "write the wafer program of a csl module as text",
      [](Operation *root, raw_ostream &os) {
        return derive(root, [&](const wafer::Program &program) {
          wafer::print(os, program);
        });
      },
      registerDialects);
}
