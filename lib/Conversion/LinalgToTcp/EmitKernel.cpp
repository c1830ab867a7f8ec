//===- EmitKernel.cpp - Groups as passes of the tensor unit ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitKernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;
using namespace sequin::tcp;
using stream::MappingAttr;

std::string linalg_to_tcp::joinTerms(ArrayRef<std::string> terms) {
  std::string text;
  for (const std::string &term : terms) {
    if (term.empty())
      continue;
    if (!text.empty())
      text += ", ";
    text += term;
  }
  return text.empty() ? "1" : text;
}

static std::string suffix(StringRef op, int64_t n) {
  return (" " + op + " " + Twine(n)).str();
}

//===----------------------------------------------------------------------===//
// Terms of an axis that is cut into parts
//===----------------------------------------------------------------------===//

namespace {

/// The group's view of one axis.
struct Part {
  StringRef name;
  int64_t size, split;

  int64_t local() const { return size / split; }
  /// One slice's share.
  std::string all() const {
    if (local() == 1)
      return "";
    return split == 1 ? name.str() : name.str() + suffix("%", local());
  }
  /// Which packet of `unit` elements inside the share.
  std::string block(int64_t unit) const {
    if (local() == unit)
      return "";
    std::string text = name.str();
    if (unit != 1)
      text += suffix("/", unit);
    return split == 1 ? text : text + suffix("%", local() / unit);
  }
  /// The position inside a packet of `unit` elements.
  std::string inner(int64_t unit) const {
    return size == unit ? name.str() : name.str() + suffix("%", unit);
  }
};

using Terms = SmallVector<std::string, 6>;

/// The stream of a group after its first engines.
struct StreamShape {
  Terms time;
  std::string packet;                   ///< eight lanes
  std::string narrowTime, narrowPacket; ///< the packet as two halves
  bool hasRows = true;
};

} // namespace

namespace sequin::linalg_to_tcp {

/// Emits one group at the builder's position.
class GroupEmitter {
public:
  GroupEmitter(KernelEmitter &kernel, Group &group)
      : kernel(kernel), group(group), machine(*kernel.program.machine),
        builder(kernel.builder), loc(group.root.getLoc()) {
    grid = makeGrid();
  }

  Value emit(int64_t resultAddress);

private:
  Part part(AxisId axis) const {
    const Axis &entry = kernel.program.axes[axis];
    return {entry.name, entry.size, group.split(axis)};
  }
  Terms locals(ArrayRef<AxisId> axes) const {
    Terms terms;
    for (AxisId axis : axes)
      terms.push_back(part(axis).all());
    return terms;
  }
  MappingAttr mapping(ArrayRef<std::string> terms) const {
    return MappingAttr::get(builder.getContext(), joinTerms(terms));
  }
  MappingAttr mapping(const std::string &text) const {
    return MappingAttr::get(builder.getContext(), text);
  }

  GridAttr makeGrid() const;
  Value toDm(const TensorOperand &operand, ArrayRef<std::string> element);
  Value emitContraction(StreamShape &shape);
  Value emitStream(StreamShape &shape);
  Value emitOnes(Value input);
  Value emitWidened(Value input, ArrayRef<AxisId> axes);
  Value toVrf(const TensorOperand &operand);
  Value emitPasses(Value stream, const StreamShape &shape);
  Value emitSteps(Value stream, const StreamShape &shape,
                  const VectorPass &pass);
  int64_t allocateDm(DmType type) {
    int64_t address = dmEnd;
    dmEnd += llvm::alignTo(type.getByteSize(), machine.dmaRequestBytes);
    return address;
  }
  Value commit(Value stream, ArrayRef<std::string> element);

  KernelEmitter &kernel;
  Group &group;
  const TcpMachine &machine;
  OpBuilder &builder;
  Location loc;
  GridAttr grid;
  int64_t dmEnd = 0, vrfEnd = 0;
  DenseMap<Value, Value> vrfs;
};

} // namespace sequin::linalg_to_tcp

/// Spreads the loops, outermost first, over clusters and then slices.
GridAttr GroupEmitter::makeGrid() const {
  int64_t slices = 1;
  for (AxisId axis : group.loops())
    slices *= group.split(axis);
  int64_t clusters = std::max<int64_t>(1, slices / machine.slicesPerCluster);
  Terms clusterTerms, sliceTerms;
  int64_t left = clusters;
  for (AxisId axis : group.loops()) {
    Part p = part(axis);
    if (p.split == 1)
      continue;
    int64_t mine = std::min(left, p.split);
    left /= mine;
    int64_t rest = p.split / mine;
    if (mine > 1)
      clusterTerms.push_back(
          p.name.str() + (p.size == mine ? "" : suffix("/", p.size / mine)));
    if (rest == 1)
      continue;
    std::string term = p.name.str();
    if (p.local() != 1)
      term += suffix("/", p.local());
    if (mine > 1)
      term += suffix("%", rest);
    sliceTerms.push_back(term);
  }
  auto fill = [&](const Terms &terms, int64_t used, int64_t all) {
    std::string text = joinTerms(terms);
    if (used == all)
      return mapping(text);
    if (terms.size() > 1)
      text = "[" + text + "]";
    return mapping(text + suffix("#", all));
  };
  return GridAttr::get(
      builder.getContext(), kernel.axes, kernel.chip,
      fill(clusterTerms, clusters, machine.clustersPerChip),
      fill(sliceTerms, slices / clusters, machine.slicesPerCluster));
}

Value GroupEmitter::toDm(const TensorOperand &operand,
                         ArrayRef<std::string> element) {
  Value source = kernel.getHbm(operand, group);
  auto type = DmType::get(builder.getContext(),
                          cast<HbmType>(source.getType()).getElementType(),
                          grid, mapping(element));
  return ToDmOp::create(builder, loc, type, source, allocateDm(type));
}

Value GroupEmitter::commit(Value stream, ArrayRef<std::string> element) {
  auto input = cast<StreamType>(stream.getType());
  auto type = DmType::get(builder.getContext(), input.getElementType(), grid,
                          mapping(element));
  return CommitOp::create(builder, loc, stream, allocateDm(type),
                          mapping(element));
}

//===----------------------------------------------------------------------===//
// Heads: what the arithmetic steps start from
//===----------------------------------------------------------------------===//

/// A vector of ones in the operands' type, made of what is at hand: every value
/// clamped to 1.
Value GroupEmitter::emitOnes(Value input) {
  Type type = group.factorType;
  Part inner = part(group.k.back());
  Terms time;
  int64_t lanes = machine.outputLanes;
  time.push_back(inner.block(lanes));
  std::string packet = inner.inner(lanes);
  Value stream = BeginOp::create(builder, loc, Context::Main, input);
  stream = FetchOp::create(builder, loc, stream, group.computeType,
                           mapping(time), mapping(packet));
  stream =
      CollectOp::create(builder, loc, stream, mapping(time), mapping(packet));
  stream = VectorInitOp::create(builder, loc, stream);
  stream = VectorIntraSliceBranchOp::create(builder, loc, stream,
                                            BranchMode::Unconditional);
  TypedAttr one = isa<FloatType>(group.computeType)
                      ? TypedAttr(builder.getF32FloatAttr(1.0f))
                      : TypedAttr(builder.getI32IntegerAttr(1));
  for (ClipOp op : {ClipOp::Min, ClipOp::Max})
    stream = VectorClipOp::create(builder, loc, stream, op, one, Value());
  stream = VectorFinalOp::create(builder, loc, stream);
  int64_t flit = machine.flitBytes * 8 / type.getIntOrFloatBitWidth();
  stream = CastOp::create(builder, loc, stream, type,
                          mapping(packet + suffix("#", flit)));
  return commit(stream, inner.all());
}

/// A tensor over `axes` in the type that the contraction engine multiplies.
Value GroupEmitter::emitWidened(Value input, ArrayRef<AxisId> axes) {
  Type type = group.factorType;
  Part inner = part(axes.back());
  int64_t lanes = machine.outputLanes;
  Terms time = locals(axes.drop_back());
  time.push_back(inner.block(lanes));
  std::string packet = inner.inner(lanes);
  Value stream = BeginOp::create(builder, loc, Context::Main, input);
  stream = FetchOp::create(builder, loc, stream, group.computeType,
                           mapping(time), mapping(packet));
  stream =
      CollectOp::create(builder, loc, stream, mapping(time), mapping(packet));
  int64_t flit = machine.flitBytes * 8 / type.getIntOrFloatBitWidth();
  stream = CastOp::create(builder, loc, stream, type,
                          mapping(packet + suffix("#", flit)));
  return commit(stream, locals(axes));
}

Value GroupEmitter::emitContraction(StreamShape &shape) {
  Type type = group.factorType;
  int64_t bits = type.getIntOrFloatBitWidth();
  int64_t flit = machine.flitBytes * 8 / bits;
  int64_t lanes = machine.macWidthBytes * 8 / bits;
  int64_t rows = machine.rowsPerSlice;
  shape.hasRows = !group.n.empty();

  Terms batch = locals(group.batch), k = locals(group.k);
  // The part of the sum that the stationary operand has.
  AxisList storedAxes;
  llvm::copy_if(group.k, std::back_inserter(storedAxes),
                [&](AxisId axis) { return contains(group.rhs.axes, axis); });
  Terms storedK = locals(storedAxes);
  Part inner = part(group.k.back());
  auto with = [](Terms terms, const Terms &more) {
    terms.append(more.begin(), more.end());
    return terms;
  };
  Terms streamed = with(batch, locals(group.m));

  // The stationary operand: rows outermost, then what a row holds.
  std::string row = "1";
  Terms blocks, stored = batch;
  if (shape.hasRows) {
    Part n = part(group.n.back());
    row = n.inner(rows);
    blocks = locals(ArrayRef<AxisId>(group.n).drop_back());
    stored.append(blocks.begin(), blocks.end());
    blocks.push_back(n.block(rows));
    stored.push_back(n.all());
  }
  // It comes first: it is stored while the streamed one still arrives.
  Value rhs = toDm(group.rhs, with(stored, storedK));
  if (group.isPlainSum)
    rhs = emitOnes(rhs);
  Terms element = with(batch, blocks);
  Terms loadTime = element;
  if (shape.hasRows)
    loadTime.insert(loadTime.begin(), row);
  /// `time` followed by the packets of `unit` elements that a sum has.
  auto cut = [&](Terms time, const Terms &sum, int64_t unit) {
    time.append(sum.begin(), sum.end() - 1);
    time.push_back(inner.block(unit));
    return mapping(time);
  };
  Value stream = BeginOp::create(builder, loc, Context::Sub, rhs);
  stream = FetchOp::create(builder, loc, stream, type, mapping(loadTime),
                           mapping(storedK));
  stream = CollectOp::create(builder, loc, stream, cut(loadTime, storedK, flit),
                             mapping(inner.inner(flit)));
  Value trf = ToTrfOp::create(builder, loc, stream, TrfAddress::Full,
                              mapping(row), mapping(with(element, storedK)));

  // The vector engine's operands are loaded in the sub context too.
  for (const VectorPass &pass : group.passes)
    for (const PlacedStep &placed : pass.steps)
      if (placed.step->operand.tensor)
        toVrf(placed.step->operand);
  // A result without dimensions has an axis that its operands have not.
  AxisList own = group.layoutOf(group.lhs);
  Value lhs = toDm(group.lhs, locals(own));
  if (type != elementTypeOf(group.lhs.tensor))
    lhs = emitWidened(lhs, own);

  shape.time = with(streamed, blocks);
  shape.packet = shape.hasRows ? row : "1" + suffix("#", machine.outputLanes);
  stream = BeginOp::create(builder, loc, Context::Main, lhs);
  stream = FetchOp::create(builder, loc, stream, type, mapping(shape.time),
                           mapping(k));
  stream = CollectOp::create(builder, loc, stream, cut(shape.time, k, flit),
                             mapping(inner.inner(flit)));
  stream = AlignOp::create(builder, loc, stream, trf, cut(shape.time, k, lanes),
                           mapping(inner.inner(lanes)));
  stream = ContractOp::create(builder, loc, stream, /*max=*/UnitAttr(),
                              mapping("1"));
  return AccumulateOp::create(builder, loc, stream,
                              AccumulationKind::Interleaved,
                              mapping(shape.time), mapping(shape.packet));
}

Value GroupEmitter::emitStream(StreamShape &shape) {
  Terms own = locals(group.layoutOf(group.stream));
  for (const VectorPass &pass : group.passes)
    for (const PlacedStep &placed : pass.steps)
      if (placed.step->operand.tensor)
        toVrf(placed.step->operand);
  Value input = toDm(group.stream, own);
  Part inner = part(group.m.back());
  shape.time = locals(ArrayRef<AxisId>(group.m).drop_back());
  shape.time.push_back(inner.block(machine.outputLanes));
  shape.packet = inner.inner(machine.outputLanes);
  Value stream = BeginOp::create(builder, loc, Context::Main, input);
  stream = FetchOp::create(builder, loc, stream, group.computeType,
                           mapping(shape.time), mapping(shape.packet));
  return CollectOp::create(builder, loc, stream, mapping(shape.time),
                           mapping(shape.packet));
}

//===----------------------------------------------------------------------===//
// The vector engine
//===----------------------------------------------------------------------===//

/// Loads a second operand. Its innermost axis is padded to whole flits.
Value GroupEmitter::toVrf(const TensorOperand &operand) {
  Value &vrf = vrfs[operand.tensor];
  if (vrf)
    return vrf;
  AxisList axes = group.layoutOf(operand);
  Terms all = locals(axes);
  Value input = toDm(operand, all);
  Type type = computeTypeOf(elementTypeOf(operand.tensor));

  Part inner = part(axes.back());
  int64_t lanes = machine.outputLanes;
  Terms outer(all.begin(), all.end() - 1);
  std::string packet = all.back().empty() ? "1" : all.back();
  Terms time = outer;
  std::string flit;
  Terms element = outer;
  if (inner.local() % lanes == 0) {
    time.push_back(inner.block(lanes));
    flit = inner.inner(lanes);
    element.push_back(packet);
  } else {
    int64_t padded = llvm::alignTo(inner.local(), lanes);
    flit = packet + suffix("#", padded);
    element.push_back(flit);
    if (padded != lanes) {
      time.push_back(flit + suffix("/", lanes));
      flit += suffix("%", lanes);
    }
  }
  Value stream = BeginOp::create(builder, loc, Context::Sub, input);
  stream = FetchOp::create(builder, loc, stream, type, mapping(outer),
                           mapping(packet));
  stream =
      CollectOp::create(builder, loc, stream, mapping(time), mapping(flit));
  auto load = ToVrfOp::create(builder, loc, stream, vrfEnd, mapping(element));
  vrfEnd += llvm::alignTo(cast<VrfType>(load.getType()).getByteSize(),
                          machine.flitBytes);
  return vrf = load;
}

Value GroupEmitter::emitSteps(Value stream, const StreamShape &shape,
                              const VectorPass &pass) {
  using Stage = PlacedStep::Stage;
  stream = VectorInitOp::create(builder, loc, stream);
  stream = VectorIntraSliceBranchOp::create(builder, loc, stream,
                                            BranchMode::Unconditional);
  Terms split = shape.time;
  split.push_back(shape.narrowTime);
  bool narrow = false;
  auto widen = [&] {
    if (narrow)
      stream = VectorConcatOp::create(builder, loc, stream, mapping(shape.time),
                                      mapping(shape.packet));
    narrow = false;
  };
  for (const PlacedStep &placed : pass.steps) {
    const Step &step = *placed.step;
    Location at = step.source->getLoc();
    Value vrf = step.operand.tensor ? toVrf(step.operand) : Value();
    if (placed.stage == Stage::Float && !narrow) {
      stream = VectorSplitOp::create(builder, at, stream, mapping(split),
                                     mapping(shape.narrowPacket));
      narrow = true;
    }
    if (placed.stage == Stage::Clip)
      widen();
    ArgMode mode = step.swapped && step.op != ArithmeticOp::Add &&
                           step.op != ArithmeticOp::Mul &&
                           step.op != ArithmeticOp::Max &&
                           step.op != ArithmeticOp::Min
                       ? ArgMode::Mode10
                       : ArgMode::Mode01;
    switch (placed.stage) {
    case Stage::Fxp:
      stream =
          VectorFxpOp::create(builder, at, stream, std::get<FxpOp>(placed.op),
                              step.constant, vrf, mode);
      break;
    case Stage::FxpToFp:
      // The value times 2^(31 - 31): a plain integer.
      stream = VectorFxpToFpOp::create(builder, at, stream, 31);
      break;
    case Stage::Float:
      stream = VectorFpBinaryOp::create(builder, at, stream,
                                        std::get<FpBinaryOp>(placed.op),
                                        step.constant, vrf, mode);
      break;
    case Stage::Clip:
      stream =
          VectorClipOp::create(builder, at, stream, std::get<ClipOp>(placed.op),
                               step.constant, vrf, mode);
      break;
    }
  }
  widen();
  return VectorFinalOp::create(builder, loc, stream);
}

/// Runs the passes; between two of them the tensor is in DM. Returns the last
/// one's result there.
Value GroupEmitter::emitPasses(Value stream, const StreamShape &shape) {
  Terms written = shape.hasRows ? locals(group.loops()) : locals(group.batch);
  if (!shape.hasRows)
    written.append(locals(group.m));
  Value result;
  for (const VectorPass &pass : group.passes) {
    if (result) {
      Type before = cast<DmType>(result.getType()).getElementType();
      std::string packet = shape.packet;
      if (!shape.hasRows)
        packet = "1" + suffix("#", machine.commitAlignBytes * 8 /
                                       before.getIntOrFloatBitWidth());
      stream = BeginOp::create(builder, loc, Context::Main, result);
      stream = FetchOp::create(builder, loc, stream, computeTypeOf(before),
                               mapping(shape.time), mapping(packet));
      stream = CollectOp::create(builder, loc, stream, mapping(shape.time),
                                 mapping(shape.packet));
    }
    if (!pass.steps.empty())
      stream = emitSteps(stream, shape, pass);
    int64_t bits = pass.result.getIntOrFloatBitWidth();
    if (pass.result != cast<StreamType>(stream.getType()).getElementType()) {
      std::string packet = shape.hasRows ? shape.packet : "1";
      stream = CastOp::create(
          builder, loc, stream, pass.result,
          mapping(packet + suffix("#", machine.flitBytes * 8 / bits)));
    }
    Terms element = written;
    // One sum per flit: the smallest commit writes padding with it.
    if (!shape.hasRows)
      element.push_back("1" + suffix("#", machine.commitAlignBytes * 8 / bits));
    result = commit(stream, element);
  }
  return result;
}

Value GroupEmitter::emit(int64_t resultAddress) {
  StreamShape shape;
  Value stream =
      group.isContraction ? emitContraction(shape) : emitStream(shape);
  int64_t half = machine.outputLanes / 2;
  if (shape.hasRows) {
    Part inner = part(group.loops().back());
    shape.narrowTime = inner.name.str() + suffix("/", half);
    if (inner.size != machine.outputLanes)
      shape.narrowTime += suffix("%", 2);
    shape.narrowPacket = inner.inner(half);
  } else {
    shape.narrowTime = shape.packet + suffix("/", half);
    shape.narrowPacket = shape.packet + suffix("%", half);
  }
  Value result = emitPasses(stream, shape);
  HbmType type = kernel.getHbmType(group.resultType(), group.loops());
  return ToHbmOp::create(builder, loc, type, result, resultAddress);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

HbmType KernelEmitter::getHbmType(Type elementType,
                                  ArrayRef<AxisId> layout) const {
  Terms terms;
  for (AxisId axis : layout)
    if (program.axes[axis].size != 1)
      terms.push_back(program.axes[axis].name);
  return HbmType::get(builder.getContext(), elementType, axes, chip,
                      MappingAttr::get(builder.getContext(), joinTerms(terms)));
}

Value KernelEmitter::getHbm(const TensorOperand &operand, const Group &group) {
  if (!isa<BlockArgument>(operand.tensor))
    return values.lookup(operand.tensor);
  HbmType type =
      getHbmType(elementTypeOf(operand.tensor), group.layoutOf(operand));
  return arguments.lookup({operand.tensor, type});
}

Value KernelEmitter::emitGroup(Group &group, int64_t resultAddress) {
  Value result = GroupEmitter(*this, group).emit(resultAddress);
  values[group.result] = result;
  return result;
}
