//===- PlanDialect.cpp - The plan dialect ---------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Plan/IR/PlanDialect.h"
#include "PlanFields.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::plan;

#include "sequin/Dialect/Plan/IR/PlanDialect.cpp.inc"
#include "sequin/Dialect/Plan/IR/PlanEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "sequin/Dialect/Plan/IR/PlanAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "sequin/Dialect/Plan/IR/PlanOps.cpp.inc"

void PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sequin/Dialect/Plan/IR/PlanAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "sequin/Dialect/Plan/IR/PlanOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Programs and tensors
//===----------------------------------------------------------------------===//

LogicalResult TensorOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  size_t rank = type.getRank();
  if (getArgument() && getValues())
    return emitOpError() << "is an argument and a constant";
  // Of a constant that chips have in blocks the host has all.
  auto isWhole = [&](auto sizes) {
    auto [i, all, size] = sizes;
    return all == size || (getLayout() && getLayout()->getValue().chipDim == i);
  };
  if (getValues() &&
      (getValues()->getShapedType().getRank() != type.getRank() ||
       !llvm::all_of(llvm::enumerate(getValues()->getShapedType().getShape(),
                                     type.getShape()),
                     isWhole)))
    return emitOpError() << "has type " << type << ", its values "
                         << getValues()->getShapedType();
  if (std::optional<int64_t> argument = getArgument()) {
    FunctionType function =
        cast<ProgramOp>((*this)->getParentOp()).getFunctionType();
    if (*argument < 0 || *argument >= function.getNumInputs())
      return emitOpError() << "is argument " << *argument
                           << ", the program has " << function.getNumInputs();
  }
  if (!getLayout())
    return success();
  const Layout &layout = getLayout()->getValue();
  auto refuse = [&](const char *what, auto found) {
    return emitOpError() << "has a layout with " << what << " " << found
                         << " for rank " << rank;
  };
  llvm::SmallBitVector seen(rank);
  for (unsigned dim : layout.order) {
    if (dim >= rank || seen.test(dim))
      return refuse("an order that is no permutation, at dimension", dim);
    seen.set(dim);
  }
  if (!layout.order.empty() && layout.order.size() != rank)
    return refuse("an order of length", layout.order.size());
  if (layout.inner && *layout.inner >= rank)
    return refuse("the inner dimension", *layout.inner);
  if (layout.chipDim && *layout.chipDim >= rank)
    return refuse("blocks of dimension", *layout.chipDim);
  if (!layout.strides.empty() && layout.strides.size() != rank)
    return refuse("strides of length", layout.strides.size());
  if (!layout.allocated.empty() && layout.allocated.size() != rank)
    return refuse("allocated positions of length", layout.allocated.size());
  for (auto [size, allocated] : llvm::zip(type.getShape(), layout.allocated))
    if (allocated < size)
      return emitOpError() << "allocates " << allocated
                           << " positions for a dimension of " << size;
  for (const Layout::Digit &digit : layout.digits)
    if (digit.dim >= rank || digit.count < 1 || digit.allocated < digit.count)
      return refuse("a digit of dimension", digit.dim);
  return success();
}

/// Tensors with addresses that are there at the same time lie apart.
static LogicalResult verifyAddresses(ProgramOp program) {
  struct Placed {
    TensorOp op;
    int64_t begin, end;
    int first, last;
  };
  llvm::StringMap<std::pair<int, int>> uses;
  int groups = 0;
  for (auto group : program.getBody().getOps<GroupOp>()) {
    auto use = [&](FlatSymbolRefAttr tensor) {
      auto [it, isNew] = uses.try_emplace(tensor.getValue(), groups, groups);
      it->second.second = groups;
    };
    group.walk([&](ReadOp op) { use(op.getTensorAttr()); });
    group.walk([&](WriteOp op) { use(op.getTensorAttr()); });
    ++groups;
  }
  SmallVector<Placed> placed;
  for (auto op : program.getBody().getOps<TensorOp>()) {
    auto found = uses.find(op.getSymName());
    if (!op.getLayout() || found == uses.end())
      continue;
    const Layout &layout = op.getLayout()->getValue();
    Type type = cast<RankedTensorType>(op.getType()).getElementType();
    int64_t bytes =
        llvm::divideCeil(layout.size * type.getIntOrFloatBitWidth(), 8);
    if (bytes == 0)
      continue;
    auto [first, last] = found->second;
    // Arguments are there from the start, results until the end.
    bool isSent = op.getArgument() || op.getValues();
    bool isResult = llvm::is_contained(
        program.getOutputs(), FlatSymbolRefAttr::get(op.getSymNameAttr()));
    placed.push_back({op, layout.address, layout.address + bytes,
                      isSent ? 0 : first, isSent || isResult ? groups : last});
  }
  for (auto [i, one] : llvm::enumerate(placed))
    for (Placed other : ArrayRef(placed).take_front(i))
      if (one.begin < other.end && other.begin < one.end &&
          one.first <= other.last && other.first <= one.last) {
        InFlightDiagnostic diag =
            one.op.emitOpError()
            << "has bytes " << one.begin << " to " << one.end
            << " of HBM, where '" << other.op.getSymName() << "' has "
            << other.begin << " to " << other.end << " at the same time";
        diag.attachNote(other.op.getLoc()) << "the other tensor";
        return diag;
      }
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<TensorOp, GroupOp>(op))
      return op.emitOpError() << "stands in a plan.program, which has tensors "
                                 "and groups";
  for (auto output : getOutputs().getAsRange<FlatSymbolRefAttr>())
    if (!isa_and_nonnull<TensorOp>(lookupSymbol(output.getAttr())))
      return emitOpError() << "returns " << output << ", which is no tensor";
  if (getOutputs().size() != getFunctionType().getNumResults())
    return emitOpError() << "returns " << getOutputs().size()
                         << " tensors, its type has "
                         << getFunctionType().getNumResults() << " results";
  return verifyAddresses(*this);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Every loop that an attribute names is one of the group's.
template <class Attr>
static LogicalResult verifyLoops(GroupOp op, std::optional<Attr> attr) {
  if (!attr)
    return success();
  LogicalResult result = success();
  visitFields(attr->getValue(), [&](StringRef name, auto &field, auto isLoop) {
    if constexpr (decltype(isLoop)::value) {
      using Field = std::remove_cvref_t<decltype(field)>;
      LoopList named;
      if constexpr (std::is_same_v<Field, LoopList>)
        named = field;
      else if constexpr (std::is_same_v<Field, LoopId>)
        named.push_back(field);
      else if (field)
        named.push_back(*field);
      for (LoopId loop : named)
        if (succeeded(result) && loop >= op.getLoops().size())
          result = op.emitOpError()
                   << "names loop d" << loop << " as '" << name << "' of its "
                   << Attr::getMnemonic() << ", it has " << op.getLoops().size()
                   << " loops";
    }
  });
  return result;
}

LogicalResult GroupOp::verify() {
  SmallVector<Loop> loops;
  for (auto attr : getLoops().getAsRange<LoopAttr>())
    loops.push_back(attr.getValue());
  for (auto [i, loop] : llvm::enumerate(loops)) {
    if (loop.extent < 1 || loop.tile < 1 || loop.parts < 1 || loop.local < 1)
      return emitOpError() << "has a loop d" << i << " of "
                           << std::min({loop.extent, loop.tile, loop.parts,
                                        loop.local})
                           << " iterations, tiles or parts; 1 is the least";
    if (loop.tile != loop.parts * loop.local)
      return emitOpError() << "has tiles of " << loop.tile << " for loop d" << i
                           << ", which are not " << loop.parts << " parts of "
                           << loop.local;
  }
  if (failed(verifyLoops(*this, getTiling())) ||
      failed(verifyLoops(*this, getRing())) ||
      failed(verifyLoops(*this, getWeightStream())) ||
      failed(verifyLoops(*this, getCollective())))
    return failure();
  if (getRing() && getWeightStream())
    return emitOpError() << "runs as rings and as weight streams";
  if ((getRing() || getWeightStream()) && getKind() != GroupKind::Contraction)
    return emitOpError() << "is a " << stringifyGroupKind(getKind())
                         << ", only a contraction runs as rings or weight "
                            "streams";
  if ((getRing() || getWeightStream()) &&
      (!getTiling() || getTiling()->getValue().n.empty() ||
       getTiling()->getValue().k.empty()))
    return emitOpError() << "runs as rings or weight streams, but its tiling "
                            "names no rows 'n' or no sum 'k'";
  if (getRing()) {
    const RingPlan &ring = getRing()->getValue();
    if (ring.spreads && ring.ringTurns * ring.ringSums != ring.ring)
      return emitOpError() << "has rings of " << ring.ring << " slices, which "
                           << "are not " << ring.ringTurns << " turns of "
                           << ring.ringSums << " parts of the sum";
    if (ring.summed && (ring.spreads || ring.slices.empty() ||
                        ring.slices.back() != *ring.summed))
      return emitOpError() << "has parts of the sum on slices, which must be "
                           << "the innermost, without a stream that rings pass "
                           << "around";
    int64_t pieces = ring.pieces ? loops[*ring.pieces].extent : 1;
    int64_t places = ring.refills ? pieces : std::min<int64_t>(pieces, 2);
    if (ring.resultPlaces < places)
      return emitOpError() << "has " << ring.resultPlaces
                           << " places for pieces of the result, it needs "
                           << places;
    int64_t chunks = 0;
    for (int64_t load : ring.loads)
      chunks += load;
    if (ring.loads.empty() || chunks != ring.chunks)
      return emitOpError() << "loads " << chunks
                           << " chunks of the sum, it has " << ring.chunks;
    int64_t steps = ring.loads.size();
    for (LoopId loop : ring.order)
      steps *= loops[loop].tiles();
    if (steps != ring.steps)
      return emitOpError() << "has " << ring.steps << " steps, its loops over "
                           << "tiles and its loads make " << steps;
    for (int64_t load : ring.loads)
      if (load != 1 && llvm::none_of(ring.chunkLoops, [&](LoopId loop) {
            return loops[loop].extent == load;
          }))
        return emitOpError() << "loads " << load << " chunks at once, which no "
                             << "loop of that extent counts";
  }
  return success();
}

/// The DMA engine takes rows and indices as they lie in memory.
static LogicalResult verifyScatterReads(GroupOp group, HeadOp head) {
  if (!head.getInputs()[1].getType().isInteger(32))
    return head.emitOpError()
           << "of a scatter has indices of " << head.getInputs()[1].getType()
           << ", allowed is i32";
  for (Operation &op : group.getBody().front()) {
    if (isa<StepOp>(op))
      return op.emitOpError() << "stands in a scatter, which moves rows as "
                                 "they are";
    auto read = dyn_cast<ReadOp>(op);
    if (read && !llvm::all_of(read.getMap().getResults(), [](AffineExpr expr) {
          auto constant = dyn_cast<AffineConstantExpr>(expr);
          return isa<AffineDimExpr>(expr) ||
                 (constant && constant.getValue() == 0);
        }))
      return op.emitOpError()
             << "of a scatter has indices " << AffineMapAttr::get(read.getMap())
             << ", each must be a loop or 0";
  }
  return success();
}

LogicalResult GroupOp::verifyRegions() {
  int64_t heads = 0, writes = 0, stages = 0;
  for (Operation &op : getBody().front()) {
    heads += isa<HeadOp>(op);
    writes += isa<WriteOp>(op);
    stages += isa<GroupOp>(op);
    if (!isa<ReadOp, HeadOp, StepOp, WriteOp, GroupOp, arith::ConstantOp>(op))
      return op.emitOpError() << "stands in a plan.group";
  }
  if (getKind() == GroupKind::Rows)
    return stages && !heads && !writes
               ? success()
               : emitOpError() << "is of rows, which have stages alone";
  if (stages || heads != 1 || writes != 1)
    return emitOpError() << "has " << heads << " heads, " << writes
                         << " writes and " << stages
                         << " stages; one head and one write are needed";
  auto head = *getBody().getOps<HeadOp>().begin();
  auto [least, most] =
      getKind() == GroupKind::Contraction ? std::pair(2, 3)
      : getKind() == GroupKind::Gather || getKind() == GroupKind::Scatter
          ? std::pair(2, 2)
          : std::pair(1, 1);
  int64_t inputs = head.getInputs().size();
  if (inputs < least || inputs > most ||
      llvm::any_of(head.getInputs(),
                   [](Value v) { return !v.getDefiningOp<ReadOp>(); }))
    return head.emitOpError()
           << "of a " << stringifyGroupKind(getKind()) << " combines " << inputs
           << " values, it needs " << least << " to " << most
           << " that plan.read has read";
  if (getKind() == GroupKind::Scatter &&
      failed(verifyScatterReads(*this, head)))
    return failure();
  // Each step takes what the one before has left, the write the last of them.
  Value stream = head;
  for (Operation &op : getBody().front()) {
    if (!isa<StepOp, WriteOp>(op))
      continue;
    if (op.getOperand(0) != stream)
      return op.emitOpError() << "does not continue the chain of steps";
    if (isa<StepOp>(op))
      stream = op.getResult(0);
  }
  return success();
}

/// Whether it is a sum of multiples of loops and a constant.
static bool isSumOfLoops(AffineExpr expr) {
  if (isa<AffineDimExpr, AffineConstantExpr>(expr))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || !isSumOfLoops(binary.getLHS()))
    return false;
  return expr.getKind() == AffineExprKind::Add
             ? isSumOfLoops(binary.getRHS())
             : expr.getKind() == AffineExprKind::Mul &&
                   isa<AffineConstantExpr>(binary.getRHS());
}

static LogicalResult verifyAccess(Operation *op, FlatSymbolRefAttr symbol,
                                  AffineMap map, Type element,
                                  SymbolTableCollection &symbols) {
  auto tensor = symbols.lookupNearestSymbolFrom<TensorOp>(op, symbol);
  if (!tensor)
    return op->emitOpError() << "names " << symbol << ", which is no tensor of "
                             << "the program";
  auto type = cast<RankedTensorType>(tensor.getType());
  size_t loops = cast<GroupOp>(op->getParentOp()).getLoops().size();
  if (map.getNumResults() != type.getRank() || map.getNumDims() != loops ||
      map.getNumSymbols() != 0 || !llvm::all_of(map.getResults(), isSumOfLoops))
    return op->emitOpError()
           << "has indices " << AffineMapAttr::get(map) << ", needed are "
           << type.getRank() << " sums of multiples of the group's " << loops
           << " loops";
  if (isa<ReadOp>(op) && element != type.getElementType())
    return op->emitOpError() << "reads " << element << " of a tensor of "
                             << type.getElementType();
  return success();
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAccess(*this, getTensorAttr(), getMap(), getType(), symbols);
}

/// What a scatter writes has one dimension that no loop goes over, that of the
/// rows: the indices are its positions. All else is whole.
static LogicalResult verifyScatter(WriteOp op, RankedTensorType type) {
  auto group = cast<GroupOp>(op->getParentOp());
  Type element = type.getElementType();
  if (element.getIntOrFloatBitWidth() < 8)
    return op.emitOpError() << "of a scatter writes " << element
                            << ", the DMA engine writes whole bytes";
  llvm::SmallBitVector seen(group.getLoops().size());
  int64_t rows = 0;
  for (auto [expr, size] :
       llvm::zip(op.getMap().getResults(), type.getShape())) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    auto loop = dyn_cast<AffineDimExpr>(expr);
    rows += constant && constant.getValue() == 0;
    if (!loop)
      continue;
    if (seen.test(loop.getPosition()) ||
        cast<LoopAttr>(group.getLoops()[loop.getPosition()])
                .getValue()
                .extent != size)
      return op.emitOpError()
             << "of a scatter has loop d" << loop.getPosition()
             << " for a dimension of " << size
             << ", which must be a loop of its own over all of it";
    seen.set(loop.getPosition());
  }
  if (rows == 1 && seen.count() + 1 == op.getMap().getNumResults())
    return success();
  return op.emitOpError()
         << "of a scatter has indices " << AffineMapAttr::get(op.getMap())
         << ", needed are 0 for the dimension of the rows and a loop for each "
            "of the others";
}

LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyAccess(*this, getTensorAttr(), getMap(),
                          getValue().getType(), symbols)))
    return failure();
  auto tensor =
      symbols.lookupNearestSymbolFrom<TensorOp>(*this, getTensorAttr());
  GroupKind kind = cast<GroupOp>((*this)->getParentOp()).getKind();
  if (tensor.getValues() ||
      (tensor.getArgument() && kind != GroupKind::Scatter))
    return emitOpError() << "writes " << getTensorAttr() << ", which is "
                         << (tensor.getValues() ? "a constant"
                                                : "an argument; only a scatter "
                                                  "writes into one");
  return kind == GroupKind::Scatter
             ? verifyScatter(*this, cast<RankedTensorType>(tensor.getType()))
             : success();
}

LogicalResult StepOp::verify() {
  size_t most = getKind() == StepKind::MultiplyAdd  ? 3
                : getKind() == StepKind::Arithmetic ? 2
                                                    : 1;
  size_t least = most == 3 ? 3 : 1;
  if (getInputs().size() < least || getInputs().size() > most)
    return emitOpError() << "has " << getInputs().size() << " operands, "
                         << stringifyStepKind(getKind()) << " takes " << least
                         << " to " << most;
  if (getArithmetic().has_value() != (getKind() == StepKind::Arithmetic) ||
      getFunction().has_value() != (getKind() == StepKind::Function))
    return emitOpError() << "needs an operation if it is arithmetic and a "
                            "function if it is a function";
  return success();
}
