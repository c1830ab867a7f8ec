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
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "sequin/Dialect/Csl/Transforms/Blocks.h"
#include "sequin/Dialect/Csl/Transforms/KeepFloats.h"
#include "sequin/Dialect/Csl/Transforms/RunningConstants.h"
#include "sequin/Dialect/Csl/Transforms/SayInCsl.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

namespace {
/// Keeps the names of values while operations are replaced.
class NameListener : public RewriterBase::Listener {
public:
  explicit NameListener(ValueNames &names) : names(names) {}

  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    for (auto [result, value] : llvm::zip(op->getResults(), values)) {
      auto name = names.find(result);
      if (name != names.end() && value)
        names.try_emplace(value, std::string(name->second));
    }
  }
  void notifyOperationErased(Operation *op) override {
    for (Value result : op->getResults())
      names.erase(result);
  }

private:
  ValueNames &names;
};

/// A switch asks for a number in the type that it had before it was extended,
/// if that has all cases.
struct SwitchNarrow : public OpRewritePattern<cf::SwitchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(cf::SwitchOp op,
                                PatternRewriter &rewriter) const override {
    Operation *cast = op.getFlag().getDefiningOp();
    if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(
            cast))
      return rewriter.notifyMatchFailure(op, "asks for what is not extended");
    Value flag = cast->getOperand(0);
    if (auto index = flag.getDefiningOp<arith::IndexCastOp>();
        index && isa<arith::IndexCastOp>(cast))
      flag = index.getIn();
    auto type = dyn_cast<IntegerType>(flag.getType());
    if (!type ||
        type.getWidth() >= op.getFlag().getType().getIntOrFloatBitWidth())
      return rewriter.notifyMatchFailure(op, "extends no narrower number");
    bool isUnsigned = isa<arith::ExtUIOp>(cast);
    llvm::SmallVector<APInt> values;
    if (DenseIntElementsAttr cases = op.getCaseValuesAttr())
      for (const APInt &value : cases.getValues<APInt>()) {
        if (isUnsigned ? !value.isIntN(type.getWidth())
                       : !value.isSignedIntN(type.getWidth()))
          return rewriter.notifyMatchFailure(op, "a case is wider");
        values.push_back(value.trunc(type.getWidth()));
      }
    llvm::SmallVector<ValueRange> operands(op.getCaseOperands().begin(),
                                           op.getCaseOperands().end());
    rewriter.replaceOpWithNewOp<cf::SwitchOp>(
        op, flag, op.getDefaultDestination(), op.getDefaultOperands(), values,
        BlockRange(op.getCaseDestinations()), operands);
    return success();
  }
};
} // namespace

static LogicalResult lowerAffine(ModuleOp module) {
  WalkResult hasAffine = module.walk([](Operation *op) {
    return isa<affine::AffineDialect>(op->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (!hasAffine.wasInterrupted())
    return success();
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  OpPassManager &programs = manager.nest<csl::ProgramOp>();
  programs.addNestedPass<func::FuncOp>(createLowerAffinePass());
  programs.addNestedPass<csl::TaskOp>(createLowerAffinePass());
  return manager.run(module);
}

/// Structured control flow becomes branches between blocks.
static LogicalResult lowerStructure(csl::ProgramOp program,
                                    NameListener &listener) {
  MLIRContext *context = program.getContext();
  program.walk([](scf::ForOp loop) {
    if (!csl::staysInType(loop))
      csl::countFromZero(loop);
  });
  // A comptime block of several blocks ends as others do.
  for (auto comptime : program.getOps<csl::ComptimeOp>()) {
    Block &block = comptime.getBody().back();
    if (llvm::any_of(block, [](Operation &op) {
          return isa<scf::SCFDialect>(op.getDialect());
        })) {
      OpBuilder builder = OpBuilder::atBlockEnd(&block);
      csl::ReturnOp::create(builder, comptime.getLoc());
    }
  }
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  ConversionConfig config;
  config.listener = &listener;
  if (failed(
          applyPartialConversion(program, target, std::move(patterns), config)))
    return failure();
  return success();
}

/// A block that only gives a number to another does nothing else.
static void hoistConstants(Region &region) {
  region.walk([&](arith::ConstantOp constant) {
    if (constant->getParentRegion() == &region &&
        constant->getBlock() != &region.front())
      constant->moveBefore(&region.front(), region.front().begin());
  });
}

/// Brings a module into the form that is written: branches between blocks, and
/// operations that CSL has.
static LogicalResult prepare(ModuleOp module, ValueNames &names) {
  module.getContext()
      ->loadDialect<arith::ArithDialect, cf::ControlFlowDialect>();
  NameListener listener(names);
  if (failed(lowerAffine(module)))
    return failure();
  for (auto program : module.getOps<csl::ProgramOp>())
    if (failed(lowerStructure(program, listener)))
      return failure();
  csl::foldIndices(module);
  for (auto program : module.getOps<csl::ProgramOp>())
    for (auto function : program.getOps<FunctionOpInterface>()) {
      csl::hideNeutralFloats(function);
      csl::sayInCsl(function, &listener);
    }
  // What CSL's compiler would compute anyway, and what it would refuse to.
  RewritePatternSet set(module.getContext()), ofBranches(module.getContext());
  csl::populateRunningConstantPatterns(set);
  csl::populateBranchPatterns(ofBranches);
  ofBranches.add<SwitchNarrow>(module.getContext());
  FrozenRewritePatternSet branches(std::move(ofBranches));
  FrozenRewritePatternSet patterns(std::move(set));
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .enableConstantCSE(false)
      .setListener(&listener);
  for (auto program : module.getOps<csl::ProgramOp>()) {
    for (auto function : program.getOps<FunctionOpInterface>())
      // What a block is given may be known once it is given that alone.
      if (!function.isExternal())
        do {
          (void)applyPatternsGreedily(function.getFunctionBody(), patterns,
                                      config);
          hoistConstants(function.getFunctionBody());
        } while (csl::simplifyBranches(function, branches, &listener));
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
    for (auto block : program.getOps<csl::ComptimeOp>()) {
      hoistConstants(block.getBody());
      csl::simplifyBranches(block, branches, &listener);
    }
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
  if (failed(prepare(*copy, copied)))
    return failure();
  return emitFiles(*copy, copied);
}
