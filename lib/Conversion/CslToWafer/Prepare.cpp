//===- Prepare.cpp - Functions in the form that bytecode is made from -----===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"
#include "KeepExceptions.h"
#include "NormalForm.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Dialect/Csl/Transforms/KeepFloats.h"
#include "sequin/Dialect/Csl/Transforms/RunningConstants.h"
#include "sequin/Dialect/Csl/Transforms/SayInCsl.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

namespace {
/// Quotients that round up or down, from those that truncate. The other
/// expansions of arith lose what the bytecode has: the minimum of -0 and +0,
/// and canonical NaNs.
struct ExpandDivisions : public PassWrapper<ExpandDivisions, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandDivisions)

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    arith::populateCeilFloorDivExpandOpsPatterns(all);
    patterns = std::move(all);
    return success();
  }

  void runOnOperation() override {
    // Few functions have any.
    WalkResult none = getOperation()->walk([](Operation *op) {
      return isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(
                 op)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!none.wasInterrupted())
      return markAllAnalysesPreserved();
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config)))
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};

/// Blocks that do the same become one.
struct MergeBlocks : public PassWrapper<MergeBlocks, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeBlocks)

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    bool changed = false;
    while (succeeded(simplifyRegions(rewriter, getOperation()->getRegions(),
                                     /*mergeBlocks=*/true)))
      changed = true;
    if (!changed)
      markAllAnalysesPreserved();
  }
};

/// What a function does not say itself, and what MLIR's canonicalisation would
/// take for something else.
struct MarkProgram
    : public PassWrapper<MarkProgram, OperationPass<csl::ProgramOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkProgram)

  void runOnOperation() override {
    csl::ProgramOp program = getOperation();
    markRegisterAccesses(program);
    markConstants(program);
    program.walk([](scf::ForOp loop) {
      if (!csl::staysInType(loop))
        csl::countFromZero(loop);
    });
    csl::foldIndices(program);
    for (auto function : program.getOps<FunctionOpInterface>()) {
      csl::hideNeutralFloats(function);
      csl::sayInCsl(function);
    }
  }
};

/// Memory is read, and addresses cost nothing, before what is computed, so that
/// no float operation waits for the result of the one before it where something
/// else could be done.
struct ReadEarly : public PassWrapper<ReadEarly, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReadEarly)

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (!isa<memref::LoadOp, csl::LoadOp, arith::IndexCastOp,
               arith::IndexCastUIOp, arith::ExtUIOp>(op))
        return;
      auto mayPass = [&](Operation *before) {
        return before && isMemoryEffectFree(before) &&
               !llvm::is_contained(before->getUsers(), op);
      };
      Operation *place = op;
      while (mayPass(place->getPrevNode()))
        place = place->getPrevNode();
      if (place != op)
        op->moveBefore(place);
    });
  }
};

/// Numbers and operations that were hidden from the passes before.
struct ShowFloats : public PassWrapper<ShowFloats, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShowFloats)

  void runOnOperation() override {
    csl::showNeutralFloats(cast<FunctionOpInterface>(getOperation()));
    showRaisingFloats(getOperation());
  }
};
} // namespace

LogicalResult csl_to_wafer::prepare(ModuleOp module) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  OpPassManager &programs = manager.nest<csl::ProgramOp>();
  programs.addPass(std::make_unique<MarkProgram>());
  bool hasAffine = false;
  module.walk([&](Operation *op) {
    hasAffine |= op->getName().getDialectNamespace() == "affine";
  });
  auto patterns = std::make_shared<CanonicalPatterns>();
  auto createSimplifyFunctionPass = [&] {
    return csl_to_wafer::createSimplifyFunctionPass(patterns);
  };
  auto addToCalls = [&](OpPassManager &functions) {
    if (hasAffine)
      functions.addPass(createLowerAffinePass());
    functions.addPass(createSCFToControlFlowPass());
    functions.addPass(createLowerSwitchesPass());
    // Before anything is folded, since MLIR's folders take 64 bits.
    functions.addPass(createIndexAsIntegerPass(patterns));
    functions.addPass(std::make_unique<ExpandDivisions>());
    functions.addPass(createKeepInRegistersPass());
    functions.addPass(createSimplifyFunctionPass());
    functions.addPass(createNormalFormPass());
    functions.addPass(createSimplifyFunctionPass());
    functions.addPass(createCSEPass());
    functions.addPass(std::make_unique<MergeBlocks>());
    functions.addPass(createSimplifyFunctionPass());
  };
  auto addFromCalls = [&](OpPassManager &functions) {
    functions.addPass(createNormalFormPass());
    functions.addPass(createCSEPass());
    functions.addPass(createThreadBranchesPass(patterns));
    functions.addPass(createNormalFormPass());
    functions.addPass(createCSEPass());
    functions.addPass(createThreadBranchesPass(patterns));
    functions.addPass(createSimplifyFunctionPass());
    functions.addPass(std::make_unique<ReadEarly>());
    functions.addPass(std::make_unique<ShowFloats>());
  };
  addToCalls(programs.nest<func::FuncOp>());
  addToCalls(programs.nest<csl::TaskOp>());
  programs.addPass(createInlineCallsPass());
  addFromCalls(programs.nest<func::FuncOp>());
  addFromCalls(programs.nest<csl::TaskOp>());
  // Codes of one program have one name.
  manager.enableVerifier(false);
  return manager.run(module);
}
