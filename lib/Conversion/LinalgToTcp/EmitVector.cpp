//===- EmitVector.cpp - Steps on the vector engine ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupEmitter.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;
using namespace sequin::tcp;

/// A product and a sum of the stream and two operands.
Value GroupEmitter::emitMultiplyAdd(Value stream, const Step &step,
                                    ValueRange vrfs) {
  // A third argument that is the stream too comes from the stash.
  bool stashes = !step.second && !step.secondConstant;
  if (stashes)
    stream = VectorStashOp::create(builder, Location(step.loc), stream);
  auto sourceOf = [&](TypedAttr constant, const Access &tensor,
                      Attribute none) -> Attribute {
    if (constant)
      return constant;
    return tensor ? builder.getStringAttr("vrf") : none;
  };
  // The modes that have the stream twice do not look at the first operand.
  Attribute sources[] = {
      sourceOf(step.constant, step.operand, builder.getF32FloatAttr(0)),
      sourceOf(step.secondConstant, step.second,
               builder.getStringAttr("stash"))};
  return VectorFpTernaryOp::create(
      builder, Location(step.loc), stream, FpTernaryOp::FmaF, step.mode,
      builder.getArrayAttr(sources), vrfs, GroupIdAttr(), DenseI64ArrayAttr(),
      DenseI64ArrayAttr());
}

Value GroupEmitter::emitSteps(Value stream, const StreamShape &shape,
                              const VectorPass &pass) {
  using Stage = PlacedStep::Stage;
  SmallVector<SmallVector<Value, 2>, 4> operands;
  for (const PlacedStep &placed : pass.steps) {
    SmallVector<Value, 2> &vrfs = operands.emplace_back();
    for (const Access *tensor : placed.step->tensors())
      vrfs.push_back(toVrf(*tensor, placed.step->type));
    if (placed.step->partial)
      vrfs.push_back(resultToVrf(partial));
    if (placed.step->head)
      vrfs.push_back(resultToVrf(head));
  }
  if (!afterInterSlice)
    stream = VectorInitOp::create(builder, loc, stream);
  afterInterSlice = false;
  stream = VectorIntraSliceBranchOp::create(builder, loc, stream,
                                            BranchMode::Unconditional);
  auto [halves, half] = narrow(shape);
  Terms split = shape.time;
  split.push_back(halves);
  bool isNarrow = false;
  auto widen = [&] {
    if (isNarrow)
      stream = VectorConcatOp::create(builder, loc, stream, mapping(shape.time),
                                      mapping(shape.packet));
    isNarrow = false;
  };
  for (auto [placed, vrfs] : llvm::zip(pass.steps, operands)) {
    const Step &step = *placed.step;
    Location at = Location(step.loc);
    if (placed.stage == Stage::Float && !isNarrow) {
      stream = VectorSplitOp::create(builder, at, stream, mapping(split),
                                     mapping(half));
      isNarrow = true;
    }
    if (placed.stage > Stage::Float)
      widen();
    ArgMode mode = step.mode;
    Value vrf = vrfs.empty() ? Value() : vrfs.front();
    Attribute constant = step.constant;
    switch (placed.stage) {
    case Stage::Logic:
      stream = VectorLogicOp::create(builder, at, stream,
                                     std::get<LogicOp>(placed.op), constant,
                                     vrf, mode);
      break;
    case Stage::Fxp:
      stream = VectorFxpOp::create(
          builder, at, stream, std::get<FxpOp>(placed.op), constant, vrf, mode);
      break;
    case Stage::FxpToFp:
      // The value times 2^(31 - 31): a plain integer.
      stream = VectorFxpToFpOp::create(builder, at, stream, 31);
      break;
    case Stage::FpToFxp:
      stream = VectorFpToFxpOp::create(builder, at, stream, 31);
      break;
    case Stage::Float:
      if (auto *function = std::get_if<FpUnaryOp>(&placed.op))
        stream = VectorFpUnaryOp::create(builder, at, stream, *function,
                                         ArgMode::Mode0, ArrayAttr(),
                                         ValueRange(), DenseBoolArrayAttr(),
                                         GroupIdAttr(), DenseI64ArrayAttr());
      else if (step.kind == Step::Kind::MultiplyAdd)
        stream = emitMultiplyAdd(stream, step, vrfs);
      else
        stream = VectorFpBinaryOp::create(builder, at, stream,
                                          std::get<FpBinaryOp>(placed.op),
                                          constant, vrf, mode);
      break;
    case Stage::Clip:
      stream =
          VectorClipOp::create(builder, at, stream, std::get<ClipOp>(placed.op),
                               constant, vrf, mode);
      break;
    }
  }
  widen();
  return VectorFinalOp::create(builder, loc, stream);
}

/// The result in DM: loops in the order of the result's memory, the packet's
/// innermost.
Terms GroupEmitter::resultText(Type type) const {
  Terms terms = locals(outerLoops());
  if (hasLanes())
    terms.push_back(part(*group.packet).all());
  else
    terms.push_back("1" + suffix("#", machine.commitAlignBytes * 8 /
                                          type.getIntOrFloatBitWidth()));
  return terms;
}

/// With the padding that a store takes along, if it does.
Terms GroupEmitter::storedText(Type type, bool isStored) const {
  Terms terms = resultText(type);
  int64_t unit = machine.hbm.unitBytes * 8 / type.getIntOrFloatBitWidth();
  if (isStored && storesUnits)
    terms.back() +=
        suffix("#", llvm::alignTo(part(*group.packet).local(), unit));
  return terms;
}

Value GroupEmitter::reinterpret(Value dm, Type type) {
  auto held = cast<DmType>(dm.getType());
  return BitcastOp::create(builder, loc,
                           DmType::get(builder.getContext(), type,
                                       held.getGrid(), held.getElement()),
                           dm);
}

/// Eight lanes of the result in its type, where they are less than a commit
/// writes: each flit's elements are committed with padding behind them, and
/// fetched again as packets of a whole commit.
Value GroupEmitter::commitShort(Value stream) {
  auto type = cast<StreamType>(stream.getType()).getElementType();
  int64_t lanes = machine.outputLanes;
  int64_t unit = machine.commitAlignBytes * 8 / type.getIntOrFloatBitWidth();
  Terms all = resultText(type), outer(ArrayRef<std::string>(all).drop_back());
  Part inner = part(*group.packet);
  Terms apart = outer, time = outer;
  apart.append({inner.block(lanes), inner.inner(lanes) + suffix("#", unit)});
  time.push_back(inner.block(unit));
  std::string packet = inner.inner(unit);
  Value dm = commit(stream, apart);
  stream = BeginOp::create(builder, loc, Context::Main, dm);
  stream = FetchOp::create(builder, loc, stream, type, mapping(time),
                           mapping(packet));
  int64_t flit = machine.flitBytes * 8 / type.getIntOrFloatBitWidth();
  stream = CollectOp::create(builder, loc, stream, mapping(time),
                             mapping(packet + suffix("#", flit)));
  return commit(stream, all);
}

/// Runs the passes; between two of them the tensor is in DM, as `dm` is if
/// there is no stream yet.
Value GroupEmitter::emitPasses(Value stream, const StreamShape &shape,
                               ArrayRef<VectorPass> passes, Type before,
                               Value dm) {
  bool lanes = hasLanes();
  Value result = dm;
  // What passes leave for the next one takes turns in two places.
  SmallVector<int64_t, 2> places;
  for (const VectorPass &pass : passes) {
    vrfEnd = vrfBegin;
    if (pass.keepsHead) {
      if (!result) {
        if (std::exchange(afterInterSlice, false))
          stream = VectorFinalOp::create(builder, loc, stream);
        result = commit(stream, resultText(before));
      }
      head = result;
      places.clear();
    }
    if (result && pass.readAs && pass.steps.empty() && before == pass.result) {
      result = reinterpret(result, pass.readAs);
      before = pass.readAs;
      continue;
    }
    if (result) {
      stream = BeginOp::create(builder, loc, Context::Main, result);
      Type compute = pass.steps.empty() && before == pass.result
                         ? before
                         : computeTypeOf(before);
      stream = FetchOp::create(builder, loc, stream, compute,
                               mapping(shape.time), mapping(shape.packet));
      stream = CollectOp::create(builder, loc, stream, mapping(shape.time),
                                 mapping(shape.packet));
    }
    if (!pass.steps.empty())
      stream = emitSteps(stream, shape, pass);
    else if (std::exchange(afterInterSlice, false))
      stream = VectorFinalOp::create(builder, loc, stream);
    int64_t bits = pass.result.getIntOrFloatBitWidth();
    // What is only moved has larger packets.
    bool narrows =
        pass.result != cast<StreamType>(stream.getType()).getElementType();
    if (narrows) {
      std::string packet = lanes ? shape.packet : "1";
      stream = CastOp::create(
          builder, loc, stream, pass.result,
          mapping(packet + suffix("#", machine.flitBytes * 8 / bits)));
    }
    std::optional<int64_t> address;
    bool isLast = &pass == &passes.back();
    if (isLast) {
      if (destination)
        address = destination->address;
    } else if (places.size() < 2) {
      auto widest = DmType::get(builder.getContext(), group.computeType, grid,
                                mapping(resultText(group.computeType)));
      places.push_back(allocateDm(widest));
      address = places.back();
    } else {
      std::swap(places[0], places[1]);
      address = places.back();
    }
    if (lanes && narrows &&
        bits * machine.outputLanes < machine.commitAlignBytes * 8)
      result = commitShort(stream);
    else if (isLast && destination && destination->loop)
      result = commitInto(stream, *destination);
    else
      result = commit(stream, storedText(pass.result, isLast), address);
    before = pass.result;
    if (pass.readAs) {
      result = reinterpret(result, pass.readAs);
      before = pass.readAs;
    }
  }
  return result;
}
