//===- TcpVectorRules.cpp - Rules of the vector engine --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamAssembly.h"
#include "sequin/Dialect/Tcp/IR/TcpVectorOperands.h"
#include "sequin/Machine/TcpIsa.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::tcp_isa;

//===----------------------------------------------------------------------===//
// Entry and exit
//===----------------------------------------------------------------------===//

static LogicalResult verifyType(Operation *op, Type found, Type expected,
                                StringRef what) {
  if (found == expected)
    return success();
  return op->emitOpError() << what << " has type " << found << ", the stream "
                           << expected;
}

/// A tensor in the VRF is spread as the stream is.
static LogicalResult verifySpread(Operation *op, VrfType vrf,
                                  StreamType stream) {
  if (vrf.getGrid() == stream.getGrid())
    return success();
  return op->emitOpError() << "VRF tensor is spread as " << vrf.getGrid()
                           << ", the stream as " << stream.getGrid();
}

LogicalResult VectorInitOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  if (failed(verifyMainContext(*this, input)))
    return failure();
  Type type = input.getElementType();
  if (!type.isInteger(32) && !type.isF32())
    return emitOpError() << "stream has element type " << type
                         << ", the vector engine works on i32 and f32";
  if (input.getPacketMapping().size() != kLanes)
    return emitOpError() << "packet \"" << input.getPacket().getText()
                         << "\" has " << input.getPacketMapping().size()
                         << " elements, the vector engine has " << kLanes
                         << " lanes";
  return success();
}

LogicalResult
InputCmpAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     InputCompare compare, TypedAttr constant) {
  if ((compare == InputCompare::Never) == static_cast<bool>(constant))
    return emitError() << "comparison " << stringifyInputCompare(compare)
                       << (constant ? " takes no constant"
                                    : " needs a constant");
  if (constant && !isa<IntegerAttr, FloatAttr>(constant))
    return emitError() << "compares with " << constant << ", expected a number";
  return success();
}

LogicalResult VectorIntraSliceBranchOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  auto belongs = [&](bool given, BranchMode mode,
                     StringRef what) -> LogicalResult {
    if (given == (getMode() == mode))
      return success();
    return emitOpError() << "branch mode " << stringifyBranchMode(getMode())
                         << (given ? " takes no " : " needs ") << what;
  };
  if (failed(
          belongs(getAxisAttr() != nullptr, BranchMode::AxisToggle, "axis")) ||
      failed(belongs(getComparisonsAttr() != nullptr, BranchMode::Comparison,
                     "comparisons")) ||
      failed(belongs(getIds() != nullptr, BranchMode::Vrf, "ExecutionIds")))
    return failure();
  if (auto axis = getAxisAttr();
      axis && !input.getGrid().getAxes().getTable().lookup(axis.getValue()))
    return emitOpError() << "toggles axis \"" << axis.getValue()
                         << "\", the stream has axes "
                         << input.getGrid().getAxes().getTable().str();
  if (ArrayAttr comparisons = getComparisonsAttr()) {
    if (static_cast<int64_t>(comparisons.size()) > kBranchComparisons)
      return emitOpError() << "has " << comparisons.size()
                           << " comparisons, an ExecutionId has "
                           << kBranchComparisons << " bits";
    for (auto comparison : comparisons.getAsRange<InputCmpAttr>())
      if (TypedAttr constant = comparison.getConstant())
        if (failed(verifyType(*this, constant.getType(), input.getElementType(),
                              "comparison")))
          return failure();
  }
  if (!getIds())
    return success();
  VrfType ids = getIds().getType();
  if (!ids.getElementType().isInteger(kExecutionIdBits))
    return emitOpError() << "ExecutionIds have element type "
                         << ids.getElementType() << ", expected i"
                         << kExecutionIdBits;
  return verifySpread(*this, ids, input);
}

LogicalResult VectorBranchLogOp::verify() {
  if (isPaired(getInput()))
    return emitOpError() << "has a pair of groups, which has no ExecutionIds";
  return verifyStored(*this, cast<StreamType>(getInput().getType()), Mapping(),
                      getIds().getType().getElementMapping());
}

LogicalResult VectorIntraSliceUnzipOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  const AxisSizes &axes = input.getGrid().getAxes().getTable();
  std::optional<int64_t> size = axes.lookup(getAxis());
  if (size != 2)
    return emitOpError() << "axis \"" << getAxis() << "\" "
                         << (size ? "has size " + std::to_string(*size)
                                  : std::string("does not exist"))
                         << ", groups are two";
  auto expect = [&](StringRef inner, llvm::Expected<Mapping> found,
                    StringRef what) -> LogicalResult {
    if (!found)
      return emitOpError() << what << " is no mapping: "
                           << llvm::toString(found.takeError());
    llvm::Expected<Mapping> last = Mapping::parse(inner, axes);
    if (!last)
      return emitOpError() << llvm::toString(last.takeError());
    llvm::Expected<Mapping> expected = Mapping::pair(
        cast<StreamType>(getResult().getType()).getTimeMapping(), *last);
    if (!expected)
      return emitOpError() << llvm::toString(expected.takeError());
    if (found->isEquivalent(*expected))
      return success();
    return emitOpError() << what << " is \"" << found->str()
                         << "\", expected \"" << expected->str() << "\"";
  };
  // The groups alternate, so the axis is innermost (SIL-31).
  if (failed(expect(getAxis(), input.getTimeMapping(), "time")))
    return failure();
  return expect("1 # 2", Mapping::parse(getTileTime().getText(), axes),
                "tile time");
}

/// The vector operations of this pass before `op`, the nearest first.
static SmallVector<Operation *> operationsBefore(Operation *op) {
  SmallVector<Operation *> before;
  // No pass is longer; the bound also ends on a cycle, which is refused only
  // after the verifiers.
  constexpr size_t kMostStages = 64;
  Operation *current = op->getOperand(0).getDefiningOp();
  while (current && before.size() < kMostStages &&
         isa_and_nonnull<TcpDialect>(current->getDialect()) &&
         !isa<VectorInitOp>(current) && current->getNumOperands() > 0) {
    before.push_back(current);
    current = current->getOperand(0).getDefiningOp();
  }
  return before;
}

static LogicalResult verifyNotInTwoGroupMode(Operation *op) {
  for (Operation *before : operationsBefore(op))
    if (isa<VectorIntraSliceUnzipOp>(before)) {
      InFlightDiagnostic diag = op->emitOpError()
                                << "is not available in two-group mode, also "
                                   "not behind the zip";
      diag.attachNote(before->getLoc()) << "two-group mode begins here";
      return diag;
    }
  return success();
}

static LogicalResult verifyNotPaired(Operation *op) {
  if (!isPaired(op->getOperand(0)))
    return success();
  return op->emitOpError() << "has a pair of groups, a zip operation must join "
                              "them before";
}

LogicalResult VectorFinalOp::verify() { return verifyNotPaired(*this); }

LogicalResult VectorStashOp::verify() {
  for (Operation *before : operationsBefore(*this))
    if (isa<VectorStashOp>(before)) {
      InFlightDiagnostic diag =
          emitOpError() << "is the second stash of the pass, there is one slot";
      diag.attachNote(before->getLoc()) << "first stash here";
      return diag;
    }
  return verifyNotInTwoGroupMode(*this);
}

LogicalResult VectorReinterpretOp::verify() {
  Type from = cast<StreamType>(getInput().getType()).getElementType();
  if (from.isF32() || from.isInteger(32))
    return success();
  return emitOpError() << "reads the bits of f32 or i32, found a stream of "
                       << from;
}

static LogicalResult verifyIds(Operation *op, GroupIdAttr group,
                               DenseI64ArrayAttr branch, StringRef what) {
  constexpr int64_t ids = int64_t(1) << kExecutionIdBits;
  if (group && branch)
    return op->emitOpError() << "is conditioned on a group and on branches";
  if (!branch)
    return success();
  for (int64_t id : branch.asArrayRef())
    if (id < 0 || id >= ids)
      return op->emitOpError() << what << " names ExecutionId " << id
                               << ", allowed are 0 to " << ids - 1;
  return success();
}

/// The operation that gave the elements their ExecutionIds.
static VectorIntraSliceBranchOp branchOf(Operation *op) {
  for (Operation *before : operationsBefore(op))
    if (auto branch = dyn_cast<VectorIntraSliceBranchOp>(before))
      return branch;
  return {};
}

LogicalResult VectorFilterOp::verify() {
  if (failed(verifyNotInTwoGroupMode(*this)) ||
      failed(verifyIds(*this, getGroupAttr(), getBranchAttr(), "branch")))
    return failure();
  if (!getGroupAttr() && !getBranchAttr())
    return emitOpError() << "needs a group or branches to keep";
  auto input = cast<StreamType>(getInput().getType());
  auto output = cast<StreamType>(getResult().getType());
  if (output.getPacketMapping().size() != kLanes)
    return emitOpError() << "packet \"" << output.getPacket().getText()
                         << "\" has " << output.getPacketMapping().size()
                         << " elements, expected " << kLanes;
  auto sizeOf = [](StreamType type) {
    return type.getTimeMapping().size() * type.getPacketMapping().size();
  };
  if (sizeOf(output) > sizeOf(input))
    return emitOpError() << "keeps " << sizeOf(output)
                         << " elements of a stream of " << sizeOf(input);
  // Elements without a value have any ExecutionId, unless it says that they are
  // invalid.
  VectorIntraSliceBranchOp branch = branchOf(*this);
  if (branch && branch.getMode() == BranchMode::ValidCount)
    return success();
  auto isPadded = [](const Mapping &mapping) {
    return mapping.validSize() != mapping.size();
  };
  if (isPadded(input.getTimeMapping()) || isPadded(input.getPacketMapping()))
    return emitOpError() << "stream \"" << input.getTime().getText() << "\", \""
                         << input.getPacket().getText()
                         << "\" has padding, which only branch mode ValidCount "
                            "tells from data";
  return success();
}

//===----------------------------------------------------------------------===//
// Conversions, narrow and widen
//===----------------------------------------------------------------------===//

static LogicalResult verifyStreamType(Operation *op, StreamType input,
                                      bool wantFloat) {
  if (wantFloat == input.getElementType().isF32())
    return success();
  return op->emitOpError() << "works on " << (wantFloat ? "f32" : "i32")
                           << ", found a stream of " << input.getElementType();
}

LogicalResult VectorFxpToFpOp::verify() {
  return verifyStreamType(*this, cast<StreamType>(getInput().getType()),
                          /*wantFloat=*/false);
}

LogicalResult VectorFpToFxpOp::verify() {
  return verifyStreamType(*this, cast<StreamType>(getInput().getType()),
                          /*wantFloat=*/true);
}

static LogicalResult verifyLanes(Operation *op, StreamType output,
                                 int64_t lanes) {
  if (output.getPacketMapping().size() == lanes)
    return success();
  return op->emitOpError() << "packet \"" << output.getPacket().getText()
                           << "\" has " << output.getPacketMapping().size()
                           << " elements, expected " << lanes;
}

/// Split and concat keep the order of elements and change the packet to
/// `lanes`.
static LogicalResult verifyRegrouped(Operation *op, StreamType input,
                                     StreamType output, int64_t lanes) {
  if (failed(verifyLanes(op, output, lanes)))
    return failure();
  llvm::Expected<Mapping> before =
      Mapping::pair(input.getTimeMapping(), input.getPacketMapping());
  if (!before)
    return op->emitOpError() << llvm::toString(before.takeError());
  llvm::Expected<Mapping> after =
      Mapping::pair(output.getTimeMapping(), output.getPacketMapping());
  if (!after)
    return op->emitOpError() << llvm::toString(after.takeError());
  if (!after->isEquivalent(*before))
    return op->emitOpError()
           << "result holds \"" << after->str() << "\", the stream \""
           << before->str() << "\", first different at position "
           << after->firstDifference(*before).value_or(0);
  return success();
}

LogicalResult VectorSplitOp::verify() {
  return verifyRegrouped(*this, cast<StreamType>(getInput().getType()),
                         cast<StreamType>(getResult().getType()), kNarrowLanes);
}

LogicalResult VectorConcatOp::verify() {
  return verifyRegrouped(*this, cast<StreamType>(getInput().getType()),
                         cast<StreamType>(getResult().getType()), kLanes);
}

/// `wide` is `narrow` with padding in the upper lanes.
static LogicalResult verifyPadded(Operation *op, StreamType narrow,
                                  StreamType wide, StreamType output,
                                  int64_t lanes) {
  if (failed(verifyLanes(op, output, lanes)))
    return failure();
  llvm::Expected<Mapping> padded = narrow.getPacketMapping().pad(kLanes);
  if (!padded)
    return op->emitOpError() << llvm::toString(padded.takeError());
  std::optional<int64_t> difference =
      wide.getPacketMapping().firstDifference(*padded);
  if (!difference)
    return success();
  return op->emitOpError() << "packet \"" << wide.getPacket().getText()
                           << "\" is not \"" << narrow.getPacket().getText()
                           << "\" and padding: lane " << *difference
                           << (*difference >= kNarrowLanes ? " holds data"
                                                           : " differs");
}

LogicalResult VectorTrimWay4Op::verify() {
  auto input = cast<StreamType>(getInput().getType());
  auto output = cast<StreamType>(getResult().getType());
  return verifyPadded(*this, output, input, output, kNarrowLanes);
}

LogicalResult VectorPadWay8Op::verify() {
  auto input = cast<StreamType>(getInput().getType());
  auto output = cast<StreamType>(getResult().getType());
  return verifyPadded(*this, input, output, output, kLanes);
}

//===----------------------------------------------------------------------===//
// Operations with operands
//===----------------------------------------------------------------------===//

/// The ExecutionIds of the elements that an operation with operands works on.
static uint16_t idsOf(Operation *op) {
  return getIds(op->getAttrOfType<GroupIdAttr>("group"),
                op->getAttrOfType<DenseI64ArrayAttr>("branch"));
}

/// Whether an operation is one with the same one in front of it: an operand
/// for each of several sets of ExecutionIds, of which none takes two.
static bool isFurtherOperand(Operation *op, Operation *before) {
  uint16_t taken = 0;
  for (Operation *one = op->getOperand(0).getDefiningOp();
       one && one->getName() == op->getName() &&
       one->getAttr("op") == op->getAttr("op") &&
       one->getAttr("mode") == op->getAttr("mode");
       one = one->getOperand(0).getDefiningOp()) {
    taken |= idsOf(one);
    if (one == before)
      return (taken & idsOf(op)) == 0;
  }
  return false;
}

/// Each ALU works once per pass (VEC-07), in a pair once for both groups.
static LogicalResult verifyAlu(Operation *op) {
  StringRef alu = getAlu(op);
  if (alu.empty()) {
    // The stage has one unit.
    for (Operation *before : operationsBefore(op))
      if (before->getName() == op->getName() && !isFurtherOperand(op, before)) {
        InFlightDiagnostic diag = op->emitOpError()
                                  << "is used twice in one pass";
        diag.attachNote(before->getLoc()) << "already in use here";
        return diag;
      }
    return success();
  }
  for (Operation *before : operationsBefore(op)) {
    if (getAlu(before) != alu || isFurtherOperand(op, before))
      continue;
    InFlightDiagnostic diag = op->emitOpError()
                              << "needs ALU " << alu
                              << ", which can be used once per pass";
    diag.attachNote(before->getLoc()) << "already in use here";
    return diag;
  }
  return success();
}

static LogicalResult verifyMode(Operation *op, ArgMode mode, size_t arity) {
  if (getDigits(mode).size() == arity)
    return success();
  return op->emitOpError() << "has " << arity << " arguments, "
                           << stringifyArgMode(mode) << " is for "
                           << getDigits(mode).size();
}

static bool readsStash(Operation *op) {
  auto operands = op->getAttrOfType<ArrayAttr>("sources");
  return operands && llvm::any_of(operands, [](Attribute attr) {
           auto keyword = dyn_cast<StringAttr>(attr);
           return keyword && keyword.getValue() == "stash";
         });
}

/// What may be read as the stash here (VEC-26).
static LogicalResult verifyStash(Operation *op, StreamType input) {
  bool reduced = false;
  for (Operation *before : operationsBefore(op)) {
    if (readsStash(before)) {
      InFlightDiagnostic diag = op->emitOpError()
                                << "reads the stash, which an operation before "
                                   "it has consumed";
      diag.attachNote(before->getLoc()) << "consumed here";
      return diag;
    }
    auto result = dyn_cast<StreamType>(before->getResult(0).getType());
    if (!result)
      break;
    if (auto stash = dyn_cast<VectorStashOp>(before)) {
      if (result.getElementType() != input.getElementType()) {
        InFlightDiagnostic diag = op->emitOpError() << "reads a stash of "
                                                    << result.getElementType()
                                                    << ", the stream carries "
                                                    << input.getElementType();
        diag.attachNote(stash.getLoc()) << "stashed here";
        return diag;
      }
      if (reduced) {
        InFlightDiagnostic diag =
            op->emitOpError()
            << "reads a stash from before the intra-slice reduction";
        diag.attachNote(stash.getLoc()) << "stashed here";
        return diag;
      }
      return success();
    }
    reduced |= result.getStage() == Stage::VectorIntraSliceReduce;
  }
  return op->emitOpError() << "reads the stash, but nothing is stashed";
}

/// The operands against the mode, the stream and the pair.
static LogicalResult verifyOperands(Operation *op, ArrayAttr operands,
                                    OperandRange vrfs, ArgMode mode,
                                    size_t perGroup) {
  auto input = cast<StreamType>(op->getOperand(0).getType());
  size_t named = 0;
  if (operands)
    for (Attribute attr : operands) {
      if (auto keyword = dyn_cast<StringAttr>(attr)) {
        named += keyword.getValue() == "vrf";
        if (!llvm::is_contained({"vrf", "stash", "operand_read", "skip"},
                                keyword.getValue()))
          return op->emitOpError() << "has operand " << attr
                                   << ", expected a constant, vrf, stash, "
                                      "operand_read or skip";
      } else if (!isa<IntegerAttr, FloatAttr>(attr)) {
        return op->emitOpError() << "has operand " << attr
                                 << ", expected a constant, vrf, stash, "
                                    "operand_read or skip";
      }
    }
  if (operands && named != vrfs.size())
    return op->emitOpError() << "has " << vrfs.size()
                             << " VRF tensors, its operands name " << named;
  SmallVector<VectorOperand, 2> list = readOperands(operands, vrfs);
  bool paired = isPaired(op->getOperand(0));
  size_t expected = perGroup * (paired ? 2 : 1);
  bool readsAny = getDigits(mode).find_first_of("12") != StringRef::npos;
  if (list.size() != expected && (readsAny || !list.empty()))
    return op->emitOpError()
           << "takes " << expected << (expected == 1 ? " operand" : " operands")
           << ", a constant, a VRF tensor, stash or "
              "operand_read each, found "
           << list.size();
  bool stash = false;
  for (const VectorOperand &operand : list) {
    switch (operand.kind) {
    case VectorOperand::Kind::Constant:
      if (failed(verifyType(op, operand.constant.getType(),
                            input.getElementType(), "constant")))
        return failure();
      break;
    case VectorOperand::Kind::Vrf:
      if (operand.vrf.getType().getElementType() != input.getElementType())
        return op->emitOpError() << "VRF tensor has element type "
                                 << operand.vrf.getType().getElementType()
                                 << ", the stream " << input.getElementType();
      if (failed(verifySpread(op, operand.vrf.getType(), input)))
        return failure();
      break;
    case VectorOperand::Kind::Stash:
      stash = true;
      break;
    case VectorOperand::Kind::Register:
      if (paired)
        return op->emitOpError() << "uses the operand register on a pair";
      // A packet without data would change what the next one reads.
      if (input.getTimeMapping().validSize() != input.getTimeMapping().size())
        return op->emitOpError()
               << "uses the operand register over time \""
               << input.getTime().getText() << "\", which has padding";
      break;
    case VectorOperand::Kind::Skip:
      if (!paired)
        return op->emitOpError() << "skips a group, its stream is no pair";
      break;
    }
  }
  return stash ? verifyStash(op, input) : success();
}

/// Everything that operations with operands have in common.
template <typename OpTy>
static LogicalResult verifyOperation(OpTy op, size_t arity) {
  if (failed(verifyMode(op, op.getMode(), arity)) ||
      failed(verifyOperands(op, op.getSourcesAttr(), op.getVrfs(), op.getMode(),
                            arity - 1)) ||
      failed(verifyIds(op, op.getGroupAttr(), op.getBranchAttr(), "branch")) ||
      failed(verifyIds(op, {}, op.getWriteOperandAttr(), "write_operand")))
    return failure();
  if (isPaired(op.getInput()) &&
      (op.getGroupAttr() || op.getBranchAttr() || op.getWriteOperandAttr()))
    return op.emitOpError()
           << "is conditioned on ExecutionIds, a pair has none";
  return verifyAlu(op);
}

/// A negative shift count has no meaning (SIL-4); counts of 32 and more have.
template <typename OpTy> static LogicalResult verifyShift(OpTy op) {
  if (!getAlu(op).ends_with("shift"))
    return success();
  StringRef digits = getDigits(op.getMode());
  for (const VectorOperand &operand :
       readOperands(op.getSourcesAttr(), op.getVrfs()))
    if (auto count = dyn_cast_or_null<IntegerAttr>(operand.constant);
        count && digits[1] == '1' && count.getInt() < 0)
      return op.emitOpError()
             << "shift count is " << count.getInt() << ", must not be negative";
  return success();
}

template <typename OpTy> static LogicalResult verifyLogicType(OpTy op) {
  auto input = cast<StreamType>(op.getInput().getType());
  if (input.getElementType().isF32() && getAlu(op).ends_with("shift"))
    return op.emitOpError() << stringifyLogicOp(op.getOp())
                            << " works on i32, found a stream of f32";
  return success();
}

LogicalResult VectorLogicOp::verify() {
  if (failed(verifyLogicType(*this)) || failed(verifyOperation(*this, 2)))
    return failure();
  return verifyShift(*this);
}

LogicalResult VectorFxpOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  if (failed(verifyStreamType(*this, input, /*wantFloat=*/false)) ||
      failed(verifyOperation(*this, 2)))
    return failure();
  return verifyShift(*this);
}

LogicalResult VectorFpUnaryOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  bool readsOperand = getMode() == ArgMode::Mode1;
  if (failed(verifyStreamType(*this, input, /*wantFloat=*/true)) ||
      failed(verifyMode(*this, getMode(), 1)) ||
      failed(verifyOperands(*this, getSourcesAttr(), getVrfs(), getMode(),
                            readsOperand ? 1 : 0)) ||
      failed(verifyIds(*this, getGroupAttr(), getBranchAttr(), "branch")))
    return failure();
  bool paired = isPaired(getInput());
  if (auto groups = getGroupsAttr()) {
    if (!paired)
      return emitOpError() << "chooses groups, its stream is no pair";
    if (groups.size() != 2)
      return emitOpError() << "chooses among " << groups.size()
                           << " groups, a pair has 2";
  }
  if (paired && (getGroupAttr() || getBranchAttr()))
    return emitOpError() << "is conditioned on ExecutionIds, a pair has none";
  return verifyAlu(*this);
}

template <typename OpTy>
static LogicalResult verifyFloatOperation(OpTy op, size_t arity) {
  auto input = cast<StreamType>(op.getInput().getType());
  if (failed(verifyStreamType(op, input, /*wantFloat=*/true)))
    return failure();
  return verifyOperation(op, arity);
}

LogicalResult VectorFpBinaryOp::verify() {
  return verifyFloatOperation(*this, 2);
}
LogicalResult VectorFpTernaryOp::verify() {
  return verifyFloatOperation(*this, 3);
}
LogicalResult VectorFpDivOp::verify() { return verifyFloatOperation(*this, 2); }

template <typename OpTy> static LogicalResult verifyClipType(OpTy op) {
  auto input = cast<StreamType>(op.getInput().getType());
  bool isFloat = input.getElementType().isF32();
  if (isFloat &&
      (op.getOp() == ClipOp::AddFxp || op.getOp() == ClipOp::AddFxpSat))
    return op.emitOpError() << stringifyClipOp(op.getOp())
                            << " works on i32, found a stream of f32; use Add";
  if (!isFloat && op.getOp() == ClipOp::Add)
    return op.emitOpError() << "Add works on f32, found a stream of i32; use "
                               "AddFxp or AddFxpSat";
  return success();
}

LogicalResult VectorClipOp::verify() {
  if (failed(verifyClipType(*this)))
    return failure();
  return verifyOperation(*this, 2);
}

template <typename OpTy> static LogicalResult verifyZip(OpTy op) {
  if (!isPaired(op.getInput()))
    return op.emitOpError() << "joins a pair, its stream is none";
  if (failed(verifyMode(op, op.getMode(), 2)))
    return failure();
  return verifyAlu(op);
}

LogicalResult VectorLogicZipOp::verify() {
  if (failed(verifyLogicType(*this)))
    return failure();
  return verifyZip(*this);
}

LogicalResult VectorFxpZipOp::verify() {
  if (failed(verifyStreamType(*this, cast<StreamType>(getInput().getType()),
                              /*wantFloat=*/false)))
    return failure();
  return verifyZip(*this);
}

LogicalResult VectorFpZipOp::verify() {
  if (failed(verifyStreamType(*this, cast<StreamType>(getInput().getType()),
                              /*wantFloat=*/true)))
    return failure();
  return verifyZip(*this);
}

LogicalResult VectorClipZipOp::verify() {
  if (failed(verifyClipType(*this)))
    return failure();
  return verifyZip(*this);
}
