//===- LoweringProgram.cpp - Programs for tests of the lowering
//-------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

LoweringProgram::LoweringProgram() : machine(*lookupTcpMachine("rngd")) {
  context.loadDialect<arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect,
                      tensor::TensorDialect>();
  context.getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { messages += diagnostic.str() + "\n"; });
}

LogicalResult LoweringProgram::read(StringRef text) {
  std::string all = "#id1 = affine_map<(i) -> (i)>\n"
                    "#id2 = affine_map<(i, j) -> (i, j)>\n" +
                    text.str();
  module = parseSourceString<ModuleOp>(all, &context);
  if (!module)
    return failure();
  FailureOr<Program> found =
      readProgram(*module->getOps<func::FuncOp>().begin(), machine, 1);
  if (failed(found))
    return failure();
  program = std::move(*found);
  return success();
}

LogicalResult LoweringProgram::plan(StringRef text) {
  if (failed(read(text)))
    return failure();
  fuseGroups(program);
  chooseLayouts(program);
  if (failed(planGroups(program, kDefaultSearchBudget)))
    return failure();
  return assignMemory(program);
}

const Loop *LoweringProgram::loop(size_t i, StringRef name) const {
  const Loop *found = llvm::find_if(
      group(i).loops, [&](const Loop &loop) { return loop.name == name; });
  return found == group(i).loops.end() ? nullptr : found;
}
