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
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "sequin/Conversion/CslToWafer/Passes.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Dialect/Csl/Transforms/KeepFloats.h"
#include "sequin/Dialect/Csl/Transforms/RunningConstants.h"
#include "sequin/Dialect/Csl/Transforms/SayInCsl.h"

namespace sequin {
#define GEN_PASS_DEF_CSLEXPANDDIVISIONS
#define GEN_PASS_DEF_CSLMERGEBLOCKS
#define GEN_PASS_DEF_CSLMARKPROGRAM
#define GEN_PASS_DEF_CSLREADEARLY
#define GEN_PASS_DEF_CSLSHOWFLOATS
#include "sequin/Conversion/CslToWafer/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

namespace {
/// Quotients that round up or down, from those that truncate. The other
/// expansions of arith lose what the bytecode has: the minimum of -0 and +0,
/// and canonical NaNs.
struct ExpandDivisions
    : public sequin::impl::CslExpandDivisionsBase<ExpandDivisions> {
  using CslExpandDivisionsBase::CslExpandDivisionsBase;

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
struct MergeBlocks : public sequin::impl::CslMergeBlocksBase<MergeBlocks> {
  using CslMergeBlocksBase::CslMergeBlocksBase;

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
struct MarkProgram : public sequin::impl::CslMarkProgramBase<MarkProgram> {
  using CslMarkProgramBase::CslMarkProgramBase;

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
struct ReadEarly : public sequin::impl::CslReadEarlyBase<ReadEarly> {
  using CslReadEarlyBase::CslReadEarlyBase;

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
struct ShowFloats : public sequin::impl::CslShowFloatsBase<ShowFloats> {
  using CslShowFloatsBase::CslShowFloatsBase;

  void runOnOperation() override {
    csl::showNeutralFloats(cast<FunctionOpInterface>(getOperation()));
    showRaisingFloats(getOperation());
  }
};
} // namespace

void csl_to_wafer::buildPreparePipeline(OpPassManager &manager,
                                        bool hasAffine) {
  OpPassManager &programs = manager.nest<csl::ProgramOp>();
  programs.addPass(createCslMarkProgram());
  auto patterns = std::make_shared<CanonicalPatterns>();
  auto addToCalls = [&](OpPassManager &functions) {
    if (hasAffine)
      functions.addPass(createLowerAffinePass());
    functions.addPass(createSCFToControlFlowPass());
    functions.addPass(createCslLowerSwitches());
    // Before anything is folded, since MLIR's folders take 64 bits.
    functions.addPass(createIndexToI32Pass(patterns));
    functions.addPass(createCslExpandDivisions());
    functions.addPass(createCslMemToReg());
    functions.addPass(createSimplifyFunctionPass(patterns));
    functions.addPass(createCslNormalForm());
    functions.addPass(createSimplifyFunctionPass(patterns));
    functions.addPass(createCSEPass());
    functions.addPass(createCslMergeBlocks());
    functions.addPass(createSimplifyFunctionPass(patterns));
  };
  auto addFromCalls = [&](OpPassManager &functions) {
    functions.addPass(createCslNormalForm());
    functions.addPass(createCSEPass());
    functions.addPass(createThreadBranchesPass(patterns));
    functions.addPass(createCslNormalForm());
    functions.addPass(createCSEPass());
    functions.addPass(createThreadBranchesPass(patterns));
    functions.addPass(createSimplifyFunctionPass(patterns));
    functions.addPass(createCslReadEarly());
    functions.addPass(createCslShowFloats());
  };
  addToCalls(programs.nest<func::FuncOp>());
  addToCalls(programs.nest<csl::TaskOp>());
  programs.addPass(createCslInlineCalls());
  addFromCalls(programs.nest<func::FuncOp>());
  addFromCalls(programs.nest<csl::TaskOp>());
}

LogicalResult csl_to_wafer::prepare(ModuleOp module) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  bool hasAffine = false;
  module.walk([&](Operation *op) {
    hasAffine |= op->getName().getDialectNamespace() == "affine";
  });
  buildPreparePipeline(manager, hasAffine);
  // The layout still names the programs that codes were made of, and these have
  // one name: the programs alone, in names of their own, are a valid module.
  OwningOpRef<ModuleOp> alone = ModuleOp::create(module.getLoc());
  StringRef target = csl::CslDialect::kTargetAttrName;
  (*alone)->setAttr(target, module->getAttr(target));
  SmallVector<std::pair<csl::ProgramOp, StringAttr>> names;
  for (auto program : llvm::to_vector(module.getOps<csl::ProgramOp>())) {
    StringAttr name = program.getSymNameAttr();
    program->moveBefore(alone->getBody(), alone->getBody()->end());
    program.setSymName((name.getValue() + "." + Twine(names.size())).str());
    names.push_back({program, name});
  }
  // The result is verified once: after each pass, as csl-prepare does it in
  // sequin-opt, it takes half as long again.
  manager.enableVerifier(false);
  LogicalResult result = manager.run(*alone);
  if (succeeded(result))
    result = verify(*alone);
  for (auto [program, name] : names) {
    program.setSymNameAttr(name);
    program->moveBefore(module.getBody(), module.getBody()->end());
  }
  return result;
}
