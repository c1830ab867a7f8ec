//===- CheckMachine.cpp - Check kernels against their machine -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules of one kernel op are in its verifier; here is what needs the machine or
// the whole kernel: sizes of the grid, capacities, and tensors that live at the
// same time at overlapping addresses.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "sequin/Dialect/Tcp/Transforms/TcpPasses.h"
#include "sequin/Support/Tenancy.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/MathExtras.h"

namespace sequin::tcp {
#define GEN_PASS_DEF_CHECKMACHINE
#include "sequin/Dialect/Tcp/Transforms/TcpPasses.h.inc"
} // namespace sequin::tcp

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

namespace {

/// A tensor at an address, and the operations between which it must keep its
/// contents (positions in the order in which operations are written).
struct Placement {
  Value value;
  StringRef memory;
  int64_t begin, end;
  unsigned defined, lastUsed;
};

class KernelChecker {
public:
  KernelChecker(func::FuncOp function, TargetAttr target)
      : function(function), target(target), machine(*target.getRow()) {}

  LogicalResult run();

private:
  LogicalResult checkGrid(Operation *op, GridAttr grid);
  LogicalResult checkChip(Operation *op, const Mapping &chip);
  LogicalResult checkCapacity(Operation *op, StringRef memory, int64_t address,
                              int64_t bytes, int64_t limit);
  LogicalResult checkOp(Operation *op);
  LogicalResult checkTrf(ToTrfOp op);
  template <typename OpTy> LogicalResult checkReplaced(OpTy op);
  LogicalResult checkOverlaps();
  void place(Value value, StringRef memory, int64_t address, int64_t bytes);
  /// The last operation that needs `value` or another name of its tensor: a
  /// view, the tensor with a part replaced, what a loop carries.
  unsigned lastUse(Value value, llvm::SmallPtrSetImpl<void *> &seen);
  unsigned sinkPosition(Operation *user);
  /// Inside a loop that `value` is not defined in, a use lasts as long as the
  /// loop: the next round needs it again.
  unsigned endOfLoops(Value value, Operation *user);

  func::FuncOp function;
  TargetAttr target;
  const TcpMachine &machine;
  llvm::DenseMap<Operation *, unsigned> positions;
  /// Of the last operation in the regions of one.
  llvm::DenseMap<Operation *, unsigned> lastInside;
  SmallVector<Placement> placements;
};
} // namespace

LogicalResult KernelChecker::checkChip(Operation *op, const Mapping &chip) {
  if (target.getMode() == Mode::Unit || chip.size() == target.getChips())
    return success();
  return op->emitOpError() << "chip mapping \"" << chip.str() << "\" has size "
                           << chip.size() << ", the program runs on "
                           << target.getChips() << " chips";
}

LogicalResult KernelChecker::checkGrid(Operation *op, GridAttr grid) {
  if (target.getMode() == Mode::Unit)
    return success();
  if (failed(checkChip(op, grid.getChipMapping())))
    return failure();
  std::tuple<StringRef, Mapping, int64_t> levels[] = {
      {"cluster", grid.getClusterMapping(), machine.clustersPerChip},
      {"slice", grid.getSliceMapping(), machine.slicesPerCluster}};
  for (const auto &[name, mapping, count] : levels)
    if (mapping.size() != count)
      return op->emitOpError()
             << name << " mapping \"" << mapping.str() << "\" has size "
             << mapping.size() << ", machine \"" << machine.name << "\" has "
             << count << "; pad it with # " << count;
  return success();
}

LogicalResult KernelChecker::checkCapacity(Operation *op, StringRef memory,
                                           int64_t address, int64_t bytes,
                                           int64_t limit) {
  StringRef unit =
      memory == "HBM" || memory == "SPM" ? " per chip" : " per slice";
  if (bytes > limit)
    return op->emitOpError()
           << memory << " tensor has " << bytes << " bytes, machine \""
           << machine.name << "\" has " << limit << " bytes" << unit;
  if (address > limit - bytes)
    return op->emitOpError()
           << memory << " tensor occupies bytes [" << address << ", "
           << llvm::SaturatingAdd<uint64_t>(address, bytes) << "), machine \""
           << machine.name << "\" has " << limit << " bytes" << unit;
  return success();
}

/// A tensor that a pass of the tensor unit reads is needed until the pass has
/// written its last result.
unsigned KernelChecker::sinkPosition(Operation *user) {
  unsigned last = positions.lookup(user);
  while (user->getNumResults() > 0 &&
         isa<StreamType>(user->getResult(0).getType()) &&
         user->getResult(0).hasOneUse()) {
    user = *user->getResult(0).user_begin();
    last = std::max(last, positions.lookup(user));
  }
  return last;
}

unsigned KernelChecker::endOfLoops(Value value, Operation *user) {
  unsigned end = sinkPosition(user);
  for (Operation *around = user->getParentOp();
       around && around != function.getOperation() &&
       !around->isAncestor(value.getParentBlock()->getParentOp());
       around = around->getParentOp())
    end = std::max(end, lastInside.lookup(around));
  return end;
}

/// Where an operation puts a tensor in data memory; none if its place is
/// another value's.
static std::optional<int64_t> getOwnDmAddress(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<CommitOp, ToDmOp, ItosOp>(op) ||
      !isa<DmType>(value.getType()))
    return std::nullopt;
  return op->getAttrOfType<IntegerAttr>("address").getInt();
}

/// The same, also of what loops leave in the place where they began.
static std::optional<int64_t> getDmAddress(Value value) {
  std::optional<int64_t> place;
  while (auto loop =
             dyn_cast_or_null<LoopLikeOpInterface>(value.getDefiningOp())) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    OperandRange inits = loop.getInits();
    ValueRange yielded = loop.getYieldedValues();
    if (number >= inits.size() || number >= yielded.size())
      return std::nullopt;
    std::optional<int64_t> left = getOwnDmAddress(yielded[number]);
    if (!left || (place && place != left) ||
        inits[number].getType() != yielded[number].getType())
      return std::nullopt;
    place = left;
    value = inits[number];
  }
  std::optional<int64_t> first = getOwnDmAddress(value);
  return place && place != first ? std::nullopt : first;
}

/// Whether all rounds of a loop leave what they carry in the place where it
/// began. Then what a round was given is needed until its last use there, and
/// what it leaves from its definition on.
static bool isCarriedInPlace(LoopLikeOpInterface loop, unsigned number) {
  OperandRange inits = loop.getInits();
  ValueRange yielded = loop.getYieldedValues();
  if (number >= inits.size() || number >= yielded.size())
    return false;
  std::optional<int64_t> address = getDmAddress(inits[number]);
  return address && inits[number].getType() == yielded[number].getType() &&
         getOwnDmAddress(yielded[number]) == address &&
         yielded[number].getParentBlock() ==
             loop.getRegionIterArgs()[number].getOwner();
}

unsigned KernelChecker::lastUse(Value value,
                                llvm::SmallPtrSetImpl<void *> &seen) {
  unsigned last = 0;
  if (!seen.insert(value.getAsOpaquePointer()).second)
    return last;
  auto follow = [&](Value name) { last = std::max(last, lastUse(name, seen)); };
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    last = std::max(last, endOfLoops(value, user));
    if (isa<TileOp, ViewOp, BitcastOp>(user))
      follow(user->getResult(0));
    else if (auto part = dyn_cast<ToHbmViewOp>(user);
             part && use.get() == part.getDestination())
      follow(part.getResult());
    else if (auto commit = dyn_cast<CommitViewOp>(user);
             commit && use.get() == commit.getDestination())
      follow(commit.getResult());
    else if (auto packed = dyn_cast<CommitPackedOp>(user);
             packed && use.get() == packed.getDestination())
      follow(packed.getResult());
    else if (auto scatter = dyn_cast<ScatterOp>(user);
             scatter && use.get() == scatter.getDestination())
      follow(scatter.getResult());
    // Carried values may change places, so each loop result may be any.
    if (auto loop = dyn_cast<LoopLikeOpInterface>(user)) {
      if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use))
        follow(argument);
      OpResult result = loop.getTiedLoopResult(&use);
      if (result && !isCarriedInPlace(loop, result.getResultNumber()))
        follow(result);
    } else if (user->hasTrait<OpTrait::IsTerminator>()) {
      if (auto around = dyn_cast<LoopLikeOpInterface>(user->getParentOp())) {
        unsigned number = use.getOperandNumber();
        if (number < around.getRegionIterArgs().size() &&
            !isCarriedInPlace(around, number))
          follow(around.getRegionIterArgs()[number]);
        if (number < user->getParentOp()->getNumResults())
          follow(user->getParentOp()->getResult(number));
      }
    }
  }
  return last;
}

void KernelChecker::place(Value value, StringRef memory, int64_t address,
                          int64_t bytes) {
  unsigned defined = positions.lookup(value.getDefiningOp());
  llvm::SmallPtrSet<void *, 8> seen;
  unsigned last = std::max(defined, lastUse(value, seen));
  // What a loop carries to its next round is there before its first
  // operation.
  for (void *name : seen)
    if (auto argument =
            dyn_cast<BlockArgument>(Value::getFromOpaquePointer(name)))
      if (Operation *loop = argument.getOwner()->getParentOp())
        defined = std::min(defined, positions.lookup(loop));
  placements.push_back(
      {value, memory, address, address + bytes, defined, last});
}

LogicalResult KernelChecker::checkTrf(ToTrfOp op) {
  TrfType type = op.getResult().getType();
  int64_t rows = type.getRowMapping().size();
  if (!llvm::is_contained(machine.rowCounts, rows))
    return op.emitOpError()
           << "row mapping \"" << type.getRow().getText() << "\" has size "
           << rows << ", the contraction engine uses "
           << llvm::interleaved(machine.rowCounts).str() << " rows";
  bool half = op.getAddress() != TrfAddress::Full;
  int64_t limit = machine.trfBytesPerRow / (half ? 2 : 1);
  int64_t bytes = type.getByteSize();
  if (bytes > limit)
    return op.emitOpError()
           << "element mapping \"" << type.getElement().getText() << "\" has "
           << bytes << " bytes, a row of the "
           << stringifyTrfAddress(op.getAddress()) << " TRF of "
           << "machine \"" << machine.name << "\" holds " << limit;
  // Halves are the unit of allocation (SIL-37).
  int64_t start = op.getAddress() == TrfAddress::SecondHalf ? limit : 0;
  place(op.getResult(), "TRF", start, limit);
  return success();
}

/// The pass writes into the tensor, so nobody may read the old one afterwards.
template <typename OpTy> LogicalResult KernelChecker::checkReplaced(OpTy op) {
  SmallVector<Value> names = {op.getDestination()};
  for (size_t i = 0; i < names.size(); ++i)
    for (Operation *user : names[i].getUsers()) {
      if (user == op)
        continue;
      if (isa<TileOp, ViewOp, BitcastOp>(user)) {
        names.push_back(user->getResult(0));
        continue;
      }
      unsigned last = sinkPosition(user);
      // The pass itself may read what it replaces.
      if (last <= positions.lookup(op))
        continue;
      InFlightDiagnostic diag = op.emitOpError()
                                << "replaces a part of a tensor whose old "
                                   "value is still needed";
      diag.attachNote(user->getLoc()) << "used here";
      return diag;
    }
  return success();
}

LogicalResult KernelChecker::checkOp(Operation *op) {
  for (Value result : op->getResults()) {
    Type type = result.getType();
    if (auto dm = dyn_cast<DmType>(type)) {
      if (failed(checkGrid(op, dm.getGrid())))
        return failure();
    } else if (auto hbm = dyn_cast<HbmType>(type)) {
      if (failed(checkChip(op, hbm.getChipMapping())))
        return failure();
    } else if (auto spm = dyn_cast<SpmType>(type)) {
      if (failed(checkChip(op, spm.getChipMapping())))
        return failure();
    }
    if (isa<StreamType>(type) && !result.hasOneUse())
      return op->emitOpError()
             << "stream has " << llvm::range_size(result.getUses())
             << " consumers, an engine has exactly one successor";
  }
  auto capacity = [&](Value value, StringRef memory, int64_t address,
                      int64_t bytes, int64_t limit) -> LogicalResult {
    if (failed(checkCapacity(op, memory, address, bytes, limit)))
      return failure();
    place(value, memory, address, bytes);
    return success();
  };
  // What is fetched may be the function's argument, which no operation here
  // has placed (FET-01).
  if (auto fetch = dyn_cast<FetchOp>(op))
    return checkGrid(op,
                     cast<StreamType>(fetch.getResult().getType()).getGrid());
  if (isa<ToHbmOp, ToDmOp, ToSpmOp, ChipShuffleOp, GatherOp>(op)) {
    Value value = op->getResult(0);
    int64_t address = op->getAttrOfType<IntegerAttr>("address").getInt();
    if (auto dm = dyn_cast<DmType>(value.getType()))
      return capacity(value, "DM", address, dm.getByteSize(),
                      machine.dmBytesPerSlice);
    if (auto spm = dyn_cast<SpmType>(value.getType()))
      return capacity(value, "SPM", address, spm.getByteSize(),
                      machine.spmBytesPerChip());
    return capacity(value, "HBM", address,
                    cast<HbmType>(value.getType()).getByteSize(),
                    machine.hbmBytes);
  }
  if (auto commit = dyn_cast<CommitOp>(op))
    return capacity(commit.getResult(), "DM", commit.getAddress(),
                    commit.getResult().getType().getByteSize(),
                    machine.dmBytesPerSlice);
  if (auto vrf = dyn_cast<ToVrfOp>(op))
    return capacity(vrf.getResult(), "VRF", vrf.getAddress(),
                    vrf.getResult().getType().getByteSize(),
                    machine.vrfBytesPerSlice);
  if (auto log = dyn_cast<VectorBranchLogOp>(op))
    return capacity(log.getIds(), "VRF", log.getAddress(),
                    log.getIds().getType().getByteSize(),
                    machine.vrfBytesPerSlice);
  if (auto trf = dyn_cast<ToTrfOp>(op))
    return checkTrf(trf);
  if (auto immediate = dyn_cast<ItosOp>(op))
    return capacity(immediate.getResult(), "DM", immediate.getAddress(),
                    immediate.getResult().getType().getByteSize(),
                    machine.dmBytesPerSlice);
  if (auto view = dyn_cast<CommitViewOp>(op))
    return checkReplaced(view);
  if (auto packed = dyn_cast<CommitPackedOp>(op))
    return checkReplaced(packed);
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return checkReplaced(scatter);
  if (auto part = dyn_cast<ToHbmViewOp>(op))
    return checkReplaced(part);
  if (auto memory = dyn_cast<FromAddressOp>(op)) {
    Value value = memory.getResult();
    if (auto dm = dyn_cast<DmType>(value.getType()))
      return capacity(value, "DM", memory.getAddress(), dm.getByteSize(),
                      machine.dmBytesPerSlice);
    return capacity(value, "HBM", memory.getAddress(),
                    cast<HbmType>(value.getType()).getByteSize(),
                    machine.hbmBytes);
  }
  return success();
}

LogicalResult KernelChecker::checkOverlaps() {
  struct Memory {
    std::vector<Tenancy> tenancies;
    std::vector<size_t> numbers; ///< among all placements
  };
  llvm::StringMap<Memory> memories;
  for (auto [number, placement] : llvm::enumerate(placements)) {
    Memory &memory = memories[placement.memory];
    memory.tenancies.push_back({placement.begin, placement.end,
                                placement.defined, placement.lastUsed});
    memory.numbers.push_back(number);
  }
  // The later tensor of the first pair, then the earlier one.
  std::optional<std::pair<size_t, size_t>> first;
  for (const auto &entry : memories) {
    const Memory &memory = entry.second;
    if (auto found = findOverlap(memory.tenancies)) {
      std::pair pair(memory.numbers[found->second],
                     memory.numbers[found->first]);
      if (!first || pair < *first)
        first = pair;
    }
  }
  if (!first)
    return success();
  // A TRF half is rewritten for the next pass once the last pass that reads it
  // has been issued; only values live across the write collide.
  const Placement &a = placements[first->second], &b = placements[first->first];
  InFlightDiagnostic diag = b.value.getDefiningOp()->emitOpError()
                            << b.memory << " tensor at bytes [" << b.begin
                            << ", " << b.end << ") overlaps one at [" << a.begin
                            << ", " << a.end << ") that is still needed";
  diag.attachNote(a.value.getLoc()) << "other tensor placed here";
  return diag;
}

LogicalResult KernelChecker::run() {
  if (function.isExternal())
    return success();
  unsigned position = 0;
  function.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { positions[op] = position++; });
  function.walk<WalkOrder::PostOrder>([&](Operation *op) {
    unsigned &last = lastInside[op->getParentOp()];
    last = std::max({last, positions.lookup(op), lastInside.lookup(op)});
  });
  WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    return WalkResult(op == function ? success() : checkOp(op));
  });
  if (result.wasInterrupted())
    return failure();
  return checkOverlaps();
}

namespace {
struct CheckMachine : public tcp::impl::CheckMachineBase<CheckMachine> {
  void runOnOperation() override {
    TargetAttr target = getTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(KernelChecker(function, target).run()))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
