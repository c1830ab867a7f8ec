//===- LinalgToCsl.cpp - The pass convert-linalg-to-csl -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "sequin/Conversion/LinalgToCsl/Passes.h"

namespace sequin {
#define GEN_PASS_DEF_LINALGTOCSL
#include "sequin/Conversion/LinalgToCsl/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;

namespace {

struct LinalgToCslPass : public sequin::impl::LinalgToCslBase<LinalgToCslPass> {
  using LinalgToCslBase::LinalgToCslBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp func;
    for (auto candidate : module.getOps<func::FuncOp>()) {
      if (candidate.isExternal() || !takesTensors(candidate))
        continue;
      if (!entry.empty() && candidate.getName() != entry)
        continue;
      if (func) {
        candidate.emitOpError()
            << "is a second function on tensors besides '" << func.getName()
            << "', a program has one; choose with the option entry";
        return signalPassFailure();
      }
      func = candidate;
    }
    if (!func) {
      if (entry.empty())
        return; // lowered already
      module.emitError() << "no function '" << entry << "' on tensors";
      return signalPassFailure();
    }
    csl::TargetAttr machine = getTarget(module, func);
    if (!machine || failed(prepare(func)) || failed(lower(func, machine)))
      return signalPassFailure();
    module->setAttr(csl::CslDialect::kTargetAttrName, machine);
    // Functions that it does not call would be left in a module of programs.
    for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      other.erase();
  }

private:
  static bool takesTensors(func::FuncOp func) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    return llvm::any_of(func.getArgumentTypes(), isTensor) ||
           llvm::any_of(func.getResultTypes(), isTensor);
  }

  /// The machine, with the 16-bit float format that the function uses.
  csl::TargetAttr getTarget(ModuleOp module, func::FuncOp func) {
    auto named = module->getAttrOfType<csl::TargetAttr>(
        csl::CslDialect::kTargetAttrName);
    if (!named && target.empty())
      return csl::getTarget(module);
    if (named && !target.empty() && named.getMachine() != target) {
      module.emitError() << "module is for machine \"" << named.getMachine()
                         << "\", the option target asks for \"" << target
                         << "\"";
      return {};
    }
    if (named)
      return named;
    auto format = csl::Fp16::F16;
    func.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (getElementTypeOrSelf(type).isBF16())
          format = csl::Fp16::BF16;
      for (Type type : op->getOperandTypes())
        if (getElementTypeOrSelf(type).isBF16())
          format = csl::Fp16::BF16;
    });
    return csl::TargetAttr::getChecked([&] { return module.emitError(); },
                                       &getContext(), StringRef(target), format,
                                       /*memcpy=*/true);
  }

  /// One form for all: named operations become linalg.generic, chains of
  /// elementwise operations one.
  LogicalResult prepare(func::FuncOp func) {
    IRRewriter rewriter(func.getContext());
    SmallVector<linalg::LinalgOp> named;
    func.walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp, linalg::FillOp>(op))
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op)))
        return op->emitOpError() << "has no form as linalg.generic";
    }
    widenSums(rewriter, func);
    RewritePatternSet patterns(func.getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) {
          auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
          Operation *producer = operand->get().getDefiningOp();
          return consumer && producer && producer->hasOneUse() &&
                 consumer.getNumParallelLoops() == consumer.getNumLoops();
        });
    return applyPatternsGreedily(func, std::move(patterns));
  }

  LogicalResult lower(func::FuncOp func, csl::TargetAttr machine) {
    if (width < 1 || height < 1 || width > machine.getRow()->fabricWidth ||
        height > machine.getRow()->fabricHeight)
      return func.emitError()
             << "grid of " << int64_t(width) << " x " << int64_t(height)
             << " PEs, allowed are 1 x 1 to " << machine.getRow()->fabricWidth
             << " x " << machine.getRow()->fabricHeight;
    FailureOr<Program> program = readProgram(func);
    if (failed(program))
      return failure();
    PlanOptions options;
    options.grid = {width, height};
    options.pin = distribution;
    FailureOr<Plan> plan = planProgram(*program, options, machine);
    if (failed(plan))
      return failure();
    return emitProgram(*program, *plan, machine, {firstColor});
  }
};

} // namespace
