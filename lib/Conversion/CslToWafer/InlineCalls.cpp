//===- InlineCalls.cpp - Functions in the place of their calls ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vendor's compiler is built on LLVM, and programs are written for one that
// inlines: a dozen lines that only give a name to a step cost nothing there.
// Published cycle counts agree with that and not with a call per function
// (docs/Decisions/2026-11-28-cycles-of-scalar-code.md).
//
// On flat control flow, callees first, so that what is inlined is complete. A
// function that nothing calls any more is erased.
//
//===----------------------------------------------------------------------===//

#include "NormalForm.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/InliningUtils.h"
#include "sequin/Conversion/CslToWafer/Passes.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin {
#define GEN_PASS_DEF_CSLINLINECALLS
#include "sequin/Conversion/CslToWafer/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;

/// A function with more accesses of memory, operations on DSDs and the like is
/// inlined only where it is called once. They are counted because arithmetic
/// and branches are what a trip through source may say in other ways.
static constexpr unsigned kMostEffects = 20;

/// How many a program may have in all, so that functions which call the next
/// one twice do not double without end.
static constexpr unsigned kMostEffectsOfProgram = 10000;

namespace {
/// Every operation of a program may stand in any function of it.
struct Inliner : public InlinerInterface {
  using InlinerInterface::InlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool shouldAnalyzeRecursively(Operation *) const final { return false; }
  bool
  allowSingleBlockOptimization(iterator_range<Region::iterator>) const final {
    return true;
  }
  void processInlinedCallBlocks(Operation *,
                                iterator_range<Region::iterator>) const final {}
  Value handleArgument(OpBuilder &, Operation *, Operation *, Value argument,
                       DictionaryAttr) const final {
    return argument;
  }
  Value handleResult(OpBuilder &, Operation *, Operation *, Value result,
                     DictionaryAttr) const final {
    return result;
  }
  void handleTerminator(Operation *op, Block *next) const final {
    auto result = dyn_cast<func::ReturnOp>(op);
    if (!result)
      return;
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), next, result.getOperands());
    op->erase();
  }
  void handleTerminator(Operation *op, ValueRange replaced) const final {
    for (auto [from, to] : llvm::zip_equal(replaced, op->getOperands()))
      from.replaceAllUsesWith(to);
  }
};

struct InlineCalls : public sequin::impl::CslInlineCallsBase<InlineCalls> {
  using CslInlineCallsBase::CslInlineCallsBase;

  void runOnOperation() override {
    csl::ProgramOp program = getOperation();
    callees.clear();
    effects = 0;
    int64_t operation = 0;
    program.walk([&](csl::DsdOpInterface op) {
      op->setAttr(csl_to_wafer::kOrigin,
                  Builder(&getContext()).getI64IntegerAttr(operation++));
    });
    for (auto function : program.getOps<FunctionOpInterface>()) {
      Callee &callee = callees[function.getNameAttr()];
      function.walk([&](Operation *op) {
        callee.hasVariables |= isa<memref::AllocaOp>(op);
        if (!isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>()) {
          ++callee.effects;
          ++effects;
        }
      });
    }
    auto uses = SymbolTable::getSymbolUses(&program.getBody());
    if (!uses)
      return;
    for (const SymbolTable::SymbolUse &use : *uses)
      if (auto found = callees.find(use.getSymbolRef().getRootReference());
          found != callees.end())
        ++found->second.uses;
    for (auto function : llvm::to_vector(program.getOps<FunctionOpInterface>()))
      complete(function);
    eraseUnused(program);
  }

private:
  struct Callee {
    unsigned effects = 0, uses = 0;
    /// Arrays, and what has its address taken, are as new at each call.
    bool hasVariables = false;
    bool isRecursive = false, inlined = false;
    enum { Untouched, Open, Complete } state = Untouched;
  };

  /// Inlines what `function` calls.
  void complete(FunctionOpInterface function) {
    StringAttr name = function.getNameAttr();
    callees[name].state = Callee::Open;
    llvm::SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    auto program = function->getParentOfType<csl::ProgramOp>();
    for (func::CallOp call : calls) {
      auto target = program.lookupSymbol<func::FuncOp>(call.getCallee());
      if (!target || target.isDeclaration())
        continue;
      StringAttr targetName = target.getNameAttr();
      if (callees[targetName].state == Callee::Untouched)
        complete(target);
      Callee &callee = callees[targetName];
      bool isSmall = callee.effects <= kMostEffects &&
                     effects + callee.effects <= kMostEffectsOfProgram;
      callee.isRecursive |= callee.state == Callee::Open;
      if (callee.isRecursive || callee.hasVariables ||
          (callee.uses > 1 && !isSmall))
        continue;
      Inliner inliner(&getContext());
      if (failed(inlineCall(inliner, cloneRegion, call, target,
                            target.getCallableRegion(),
                            /*shouldCloneInlinedRegion=*/true)))
        continue;
      call.erase();
      callee.inlined = true;
      callees[name].effects += callee.effects;
      effects += callee.effects;
    }
    callees[name].state = Callee::Complete;
  }

  /// Functions that were inlined wherever they were called.
  void eraseUnused(csl::ProgramOp program) {
    bool changed = true;
    while (std::exchange(changed, false)) {
      auto uses = SymbolTable::getSymbolUses(&program.getBody());
      llvm::DenseSet<StringAttr> used;
      for (const SymbolTable::SymbolUse &use : *uses)
        used.insert(use.getSymbolRef().getRootReference());
      for (auto function : llvm::to_vector(program.getOps<func::FuncOp>()))
        if (callees[function.getNameAttr()].inlined &&
            !used.contains(function.getNameAttr())) {
          function.erase();
          changed = true;
        }
    }
  }

  static void cloneRegion(OpBuilder &, Region *source, Block *before,
                          Block *after, IRMapping &mapper, bool) {
    source->cloneInto(before->getParent(), after->getIterator(), mapper);
  }

  llvm::DenseMap<StringAttr, Callee> callees;
  unsigned effects = 0;
};
} // namespace
