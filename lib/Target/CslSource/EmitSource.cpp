//===- EmitSource.cpp - A module as files of CSL --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Target/CslSource/EmitSource.h"
#include "CodeEmitter.h"
#include "LayoutEmitter.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "sequin/Dialect/Csl/Transforms/KeepFloats.h"
#include "sequin/Dialect/Csl/Transforms/RunningConstants.h"
#include "sequin/Dialect/Csl/Transforms/SayInCsl.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

namespace {
/// A choice that is made already: CSL's compiler would not type a literal by
/// the side that it does not take.
struct TakeTheSide : public OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> condition = getConstantIntValue(op.getCondition());
    if (!condition)
      return rewriter.notifyMatchFailure(op, "the condition is not known");
    Region &side = *condition ? op.getThenRegion() : op.getElseRegion();
    if (side.empty()) {
      rewriter.eraseOp(op);
      return success();
    }
    Operation *yield = side.front().getTerminator();
    auto results = llvm::to_vector(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&side.front(), op);
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

/// Affine loops and accesses become scf and memref; what nobody uses goes.
static LogicalResult prepare(ModuleOp module) {
  bool hasAffine = module
                       .walk([](Operation *op) {
                         return isa<affine::AffineDialect>(op->getDialect())
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
  if (hasAffine) {
    PassManager manager(module.getContext(), ModuleOp::getOperationName());
    OpPassManager &programs = manager.nest<csl::ProgramOp>();
    programs.addNestedPass<func::FuncOp>(createLowerAffinePass());
    programs.addNestedPass<csl::TaskOp>(createLowerAffinePass());
    if (failed(manager.run(module)))
      return failure();
  }
  // A loop that writes nothing may still never end, or wait, and takes its
  // time: what looks dead stays, by an operation inside that is not written.
  module.getContext()
      ->loadDialect<arith::ArithDialect, cf::ControlFlowDialect>();
  module.walk([&](LoopLikeOpInterface loop) {
    Block *body = nullptr;
    if (auto repeated = dyn_cast<scf::WhileOp>(*loop))
      body = repeated.getAfterBody();
    else if (auto counted = dyn_cast<scf::ForOp>(*loop))
      body = counted.getBody();
    // All of them: what else in them has effects may not be reached.
    if (!body)
      return;
    OpBuilder builder(body->getTerminator());
    Value yes = arith::ConstantOp::create(builder, loop.getLoc(),
                                          builder.getBoolAttr(true));
    cf::AssertOp::create(builder, loop.getLoc(), yes, "")
        ->setDiscardableAttr(kKeepsLoop, builder.getUnitAttr());
  });
  csl::foldIndices(module);
  csl::countExactly(module);
  for (auto program : module.getOps<csl::ProgramOp>())
    for (auto function : program.getOps<FunctionOpInterface>()) {
      csl::hideNeutralFloats(function);
      csl::sayInCsl(function);
    }
  // What CSL's compiler would compute anyway, and what it would refuse to.
  RewritePatternSet set(module.getContext());
  set.add<TakeTheSide>(module.getContext());
  csl::populateRunningConstantPatterns(set);
  FrozenRewritePatternSet patterns(std::move(set));
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .enableConstantCSE(false);
  for (auto program : module.getOps<csl::ProgramOp>()) {
    for (auto function : program.getOps<FunctionOpInterface>())
      if (!function.isExternal())
        (void)applyPatternsGreedily(function.getFunctionBody(), patterns,
                                    config);
    for (auto function : program.getOps<FunctionOpInterface>())
      csl::showNeutralFloats(function);
    // What else is in a comptime block keeps its names.
    llvm::SmallVector<Operation *> known;
    for (auto block : program.getOps<csl::ComptimeOp>())
      block.walk([&](Operation *op) {
        if (isa<arith::ArithDialect>(op->getDialect()))
          known.push_back(op);
      });
    (void)applyOpPatternsGreedily(known, patterns,
                                  GreedyRewriteConfig(config).setStrictness(
                                      GreedyRewriteStrictness::ExistingOps));
  }
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  return success();
}

static FailureOr<std::vector<SourceFile>> emitFiles(ModuleOp module,
                                                    const ValueNames &names) {
  csl::TargetAttr target = csl::getTarget(module);
  if (!target)
    return failure();
  auto layouts = llvm::to_vector(module.getOps<csl::LayoutOp>());
  if (layouts.size() > 1)
    return layouts[1].emitOpError() << "is the second of the module";
  ModuleInfo info{target, layouts.empty() ? csl::LayoutOp() : layouts.front(),
                  names};

  ProgramFiles programs;
  Names fileNames;
  (void)fileNames.take("layout");
  bool failed = false;
  for (auto program : module.getOps<csl::ProgramOp>()) {
    ProgramFile file;
    file.emitter = std::make_unique<ProgramEmitter>(program, info);
    file.name = fileNames.take(program.getSymName()) + ".csl";
    failed |= mlir::failed(file.emitter->run());
    programs.insert({program, std::move(file)});
  }
  for (Operation &op : *module.getBody())
    if (!isa<csl::LayoutOp, csl::ProgramOp>(op)) {
      op.emitOpError() << "is neither a csl.layout nor a csl.program";
      failed = true;
    }
  std::vector<SourceFile> files;
  bool usesMemcpy = false;
  if (info.layout && !programs.empty()) {
    LayoutEmitter emitter(info, programs);
    FailureOr<std::string> text = emitter.run();
    if (mlir::failed(text))
      return failure();
    files.push_back({"layout.csl", *text});
    usesMemcpy = emitter.usesMemcpy();
  }
  if (failed)
    return failure();
  for (const auto &entry : programs)
    files.push_back({entry.second.name, entry.second.emitter->str()});
  if (info.layout)
    for (SourceFile &file : emitHostFiles(info, programs, usesMemcpy))
      files.push_back(std::move(file));
  return files;
}

FailureOr<std::vector<SourceFile>>
csl_to_source::emitSource(ModuleOp module, const ValueNames &names) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy(
      cast<ModuleOp>(module.getOperation()->clone(mapping)));
  ValueNames copied;
  for (const auto &[value, name] : names)
    if (Value other = mapping.lookupOrNull(value))
      copied[other] = name;
  if (failed(prepare(*copy)))
    return failure();
  return emitFiles(*copy, copied);
}
