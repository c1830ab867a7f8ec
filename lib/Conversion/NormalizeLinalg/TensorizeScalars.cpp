//===- TensorizeScalars.cpp - Numbers that the host passes ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sequin/Conversion/NormalizeLinalg/Passes.h"

namespace sequin {
#define GEN_PASS_DEF_TENSORIZESCALARS
#include "sequin/Conversion/NormalizeLinalg/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;

namespace {

struct TensorizeScalars : sequin::impl::TensorizeScalarsBase<TensorizeScalars> {
  void runOnOperation() override;
};

} // namespace

/// Whether the host calls the function, with tensors.
static bool isEntry(func::FuncOp func, ModuleOp module) {
  return !func.isExternal() && SymbolTable::symbolKnownUseEmpty(func, module) &&
         func.getNumResults() > 0 &&
         llvm::all_of(func.getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

void TensorizeScalars::runOnOperation() {
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    if (!isEntry(func, getOperation()))
      continue;
    Block &entry = func.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&entry);
    for (BlockArgument argument : entry.getArguments()) {
      Type type = argument.getType();
      if (!type.isIntOrIndexOrFloat())
        continue;
      Location loc = argument.getLoc();
      Type element = type.isIndex() ? builder.getI32Type() : type;
      argument.setType(RankedTensorType::get({}, element));
      Value number =
          tensor::ExtractOp::create(builder, loc, argument, ValueRange());
      Operation *extract = number.getDefiningOp();
      if (type.isIndex())
        number = arith::IndexCastOp::create(builder, loc, type, number);
      argument.replaceAllUsesExcept(number, extract);
    }
    func.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(),
                                                 func.getResultTypes()));
  }
}
