//===- Order.cpp - Values are computed where they are needed --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources say independent computations in any order, and read a variable before
// or after others are written. Here each operation that does more than compute
// or read memory takes what it needs directly before it, in the order of its
// operands, and theirs before them.
//
//===----------------------------------------------------------------------===//

#include "KeepExceptions.h"
#include "KeepLoops.h"
#include "NormalForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"

using namespace mlir;
using namespace sequin;
using csl_to_wafer::KeepOp;
using csl_to_wafer::RaisingOp;

/// On calls of what reads or writes configuration registers, directly or not,
/// and on accesses by pointers that may. Accesses have different numbers, so
/// that none is taken for another.
static constexpr llvm::StringLiteral kUsesRegisters =
    "csl_to_wafer.uses_registers";

namespace {
/// What an access reads or writes: a variable, an array of the function, or
/// null, which is any of them.
struct Place {
  StringAttr variable;
  memref::AllocaOp array;

  bool isKnown() const { return variable || array; }
  /// Whether only accesses by its name reach it.
  bool isPrivate() const {
    return array && llvm::all_of(array->getUsers(), [](Operation *user) {
             return isa<memref::LoadOp, memref::StoreOp>(user);
           });
  }
  bool mayBe(const Place &other) const {
    if (isKnown() && other.isKnown())
      return variable == other.variable && array == other.array;
    return !isPrivate() && !other.isPrivate();
  }
};

class BlockOrder {
public:
  explicit BlockOrder(Block &block) : block(block) {}
  /// Whether anything has another place.
  bool run();

private:
  struct Writes {
    bool usesRegisters = false;
    llvm::SmallVector<Place> places;
  };

  void demand(Operation *op);
  void demandOperands(Operation *op);
  static Writes findWrites(Operation *anchor);
  static bool mustStayBefore(Operation *op, const Writes &writes);

  Block &block;
  llvm::DenseSet<Operation *> movable, done;
  llvm::SmallVector<Operation *> order;
};
} // namespace

static Place getPlace(Value base) {
  while (Operation *op = base.getDefiningOp()) {
    if (auto get = dyn_cast<csl::GetVarOp>(op))
      return {get.getVarAttr().getAttr(), {}};
    if (auto array = dyn_cast<memref::AllocaOp>(op))
      return {{}, array};
    if (!isa<csl::AddressOfOp, csl::AsMemrefOp, csl::ElementPtrOp,
             csl::FieldPtrOp, csl::PtrCastOp, memref::SubViewOp,
             memref::CastOp>(op))
      return {};
    base = op->getOperand(0);
  }
  return {};
}

static Value getLoaded(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getMemRef();
  if (auto load = dyn_cast<csl::LoadOp>(op))
    return load.getPointer();
  return {};
}

Value csl_to_wafer::getStored(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRef();
  if (auto store = dyn_cast<csl::StoreOp>(op))
    return store.getPointer();
  return {};
}

/// What an operation does that reads of memory may not be moved over.
BlockOrder::Writes BlockOrder::findWrites(Operation *anchor) {
  Writes writes;
  // What is measured between two readings of the clock stays there.
  writes.usesRegisters =
      anchor
          ->walk([](Operation *op) {
            return isa<csl::GetConfigOp, csl::SetConfigOp>(op) ||
                           op->hasAttr(kUsesRegisters)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  auto add = [&](Operation *op) {
    if (getLoaded(op) || isa<KeepOp, RaisingOp>(op) || isMemoryEffectFree(op))
      return;
    Value stored = csl_to_wafer::getStored(op);
    writes.places.push_back(stored ? getPlace(stored) : Place());
  };
  // A choice does what is inside. A loop may wait for what others write.
  if (isa<scf::IfOp, scf::IndexSwitchOp>(anchor))
    anchor->walk([&](Operation *op) {
      if (isa<LoopLikeOpInterface>(op))
        writes.places.push_back(Place());
      else if (!isa<scf::IfOp, scf::IndexSwitchOp>(op))
        add(op);
    });
  else
    add(anchor);
  return writes;
}

/// Whether `op`, computed or read before what `writes`, has to be.
bool BlockOrder::mustStayBefore(Operation *op, const Writes &writes) {
  if (writes.usesRegisters)
    return true;
  Value loaded = getLoaded(op);
  return loaded && llvm::any_of(writes.places, [&](const Place &place) {
           return place.mayBe(getPlace(loaded));
         });
}

void BlockOrder::demandOperands(Operation *op) {
  auto demandValue = [&](Value value) {
    if (Operation *def = value.getDefiningOp();
        def && def->getBlock() == &block)
      demand(def);
  };
  for (Value operand : op->getOperands())
    demandValue(operand);
  if (op->getNumRegions())
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        demandValue(operand);
    });
}

void BlockOrder::demand(Operation *op) {
  if (!movable.contains(op) || !done.insert(op).second)
    return;
  demandOperands(op);
  order.push_back(op);
}

bool BlockOrder::run() {
  llvm::SmallVector<Operation *> all, anchors;
  for (Operation &op : block) {
    all.push_back(&op);
    bool computes = op.getNumOperands() != 0 && op.getNumRegions() == 0 &&
                    !op.hasTrait<OpTrait::IsTerminator>() &&
                    !op.hasAttr(kUsesRegisters) &&
                    (isMemoryEffectFree(&op) || getLoaded(&op));
    if (computes)
      movable.insert(&op);
    else
      anchors.push_back(&op);
  }
  if (movable.empty())
    return false;
  // In which order they would be needed if nothing had to stay before anything.
  for (Operation *anchor : anchors)
    demandOperands(anchor);
  for (Operation *op : all)
    demand(op);
  llvm::DenseMap<Operation *, unsigned> rank;
  for (auto [index, op] : llvm::enumerate(order))
    rank[op] = index;
  order.clear();
  done.clear();
  // Those that stood before an operation that they have to stay before go
  // there.
  llvm::SmallVector<Operation *> passed;
  for (Operation *op : all) {
    if (movable.contains(op)) {
      passed.push_back(op);
      continue;
    }
    bool isTerminator = op->hasTrait<OpTrait::IsTerminator>();
    if (isTerminator || !isMemoryEffectFree(op)) {
      llvm::erase_if(passed,
                     [&](Operation *before) { return done.contains(before); });
      llvm::SmallVector<Operation *> stay;
      Writes writes = findWrites(op);
      for (Operation *before : passed)
        if (mustStayBefore(before, writes))
          stay.push_back(before);
      llvm::sort(stay, [&](Operation *left, Operation *right) {
        return rank[left] < rank[right];
      });
      for (Operation *before : stay)
        demand(before);
    }
    demandOperands(op);
    if (isTerminator) {
      llvm::sort(passed, [&](Operation *left, Operation *right) {
        return rank[left] < rank[right];
      });
      for (Operation *before : passed)
        demand(before);
    }
    order.push_back(op);
  }
  bool changed = false;
  Operation *last = nullptr;
  for (Operation *op : order) {
    Operation *next = last ? last->getNextNode() : &block.front();
    if (op != next) {
      op->moveBefore(next);
      changed = true;
    }
    last = op;
  }
  return changed;
}

namespace {
struct ComputeLate : public PassWrapper<ComputeLate, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ComputeLate)

  void runOnOperation() override {
    auto function = cast<FunctionOpInterface>(getOperation());
    if (function.isExternal())
      return;
    bool changed = false;
    function.getFunctionBody().walk([&](Block *block) {
      if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
        changed |= BlockOrder(*block).run();
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace

namespace {
struct ComputeInChoices
    : public PassWrapper<ComputeInChoices, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ComputeInChoices)

  void runOnOperation() override {
    auto function = cast<FunctionOpInterface>(getOperation());
    if (function.isExternal())
      return;
    DominanceInfo dominance(function);
    size_t moved = 0;
    function->walk<WalkOrder::PreOrder>([&](scf::IfOp choice) {
      llvm::SmallVector<Region *> sides;
      for (Region &side : choice->getRegions())
        if (!side.empty())
          sides.push_back(&side);
      // Constants and addresses are at the beginning: see NormalForm.
      auto computes = [](Operation *op, Region *) {
        return isa<arith::ArithDialect>(op->getDialect()) &&
               op->getNumOperands() != 0 && isMemoryEffectFree(op);
      };
      moved += controlFlowSink(
          sides, dominance, computes, [](Operation *op, Region *side) {
            op->moveBefore(&side->front(), side->front().begin());
          });
    });
    function->walk<WalkOrder::PostOrder>(
        [&](scf::IfOp choice) { moved += computeBefore(choice); });
    if (moved == 0)
      markAllAnalysesPreserved();
  }

private:
  /// A choice of which no side computes more than one number is one of values.
  static bool computeBefore(scf::IfOp choice) {
    if (choice.getNumResults() == 0)
      return false;
    llvm::SmallVector<Operation *, 2> computed;
    for (Region &side : choice->getRegions()) {
      auto before = side.front().without_terminator();
      if (before.empty())
        continue;
      Operation *op = &*before.begin();
      if (!llvm::hasSingleElement(before) ||
          !isa<arith::ArithDialect>(op->getDialect()) || !isPure(op))
        return false;
      computed.push_back(op);
    }
    for (Operation *op : computed)
      op->moveBefore(choice);
    OpBuilder builder(choice);
    for (auto [result, yes, no] :
         llvm::zip(choice.getResults(), choice.thenYield().getOperands(),
                   choice.elseYield().getOperands()))
      result.replaceAllUsesWith(arith::SelectOp::create(
          builder, choice.getLoc(), choice.getCondition(), yes, no));
    choice.erase();
    return true;
  }
};
} // namespace

std::unique_ptr<Pass> csl_to_wafer::createComputeInChoicesPass() {
  return std::make_unique<ComputeInChoices>();
}

void csl_to_wafer::markRegisterUsers(csl::ProgramOp program) {
  llvm::DenseMap<StringRef, llvm::SmallVector<func::CallOp>> callsOf;
  llvm::DenseSet<StringRef> users;
  llvm::SmallVector<StringRef> pending;
  int64_t accesses = 0;
  program.walk([&](Operation *op) {
    Value place = getLoaded(op) ? getLoaded(op) : csl_to_wafer::getStored(op);
    if (place && csl::getPlaceNumber(place) &&
        !op->getParentOfType<csl::ComptimeOp>())
      op->setAttr(kUsesRegisters,
                  Builder(op->getContext()).getI64IntegerAttr(accesses++));
  });
  for (auto function : program.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if ((isa<csl::GetConfigOp, csl::SetConfigOp>(op) ||
           op->hasAttr(kUsesRegisters)) &&
          users.insert(function.getSymName()).second)
        pending.push_back(function.getSymName());
    });
  if (pending.empty())
    return;
  program.walk(
      [&](func::CallOp call) { callsOf[call.getCallee()].push_back(call); });
  while (!pending.empty())
    for (func::CallOp call : callsOf.lookup(pending.pop_back_val())) {
      call->setAttr(kUsesRegisters, UnitAttr::get(call.getContext()));
      if (auto caller = call->getParentOfType<func::FuncOp>())
        if (users.insert(caller.getSymName()).second)
          pending.push_back(caller.getSymName());
    }
}

std::unique_ptr<Pass> csl_to_wafer::createComputeLatePass() {
  return std::make_unique<ComputeLate>();
}
