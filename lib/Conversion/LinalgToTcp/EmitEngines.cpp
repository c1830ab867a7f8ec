//===- EmitEngines.cpp - Heads of passes: contractions, streams, reductions
//===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From DM through the fetch engine to where the vector engine's steps begin.
//
//===----------------------------------------------------------------------===//

#include "GroupEmitter.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;
using namespace sequin::tcp;

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

Value GroupEmitter::emitContraction(StreamShape &shape) {
  Type type = group.lhs.tensor->elementType();
  int64_t bits = group.lhs.tensor->bits();
  int64_t flit = machine.flitBytes * 8 / bits;
  int64_t lanes = machine.macWidthBytes * 8 / bits;
  int64_t rows = machine.rowsPerSlice;
  auto inside = [&](const LoopList &loops) {
    LoopList list;
    llvm::copy_if(loops, std::back_inserter(list),
                  [&](LoopId loop) { return isInside(loop); });
    return list;
  };
  auto with = [](Terms terms, const Terms &more) {
    terms.append(more.begin(), more.end());
    return terms;
  };

  // The sum: loops outside the packets, then the packets' one.
  LoopList k = inside(group.k);
  std::string inner = "1";
  int64_t innerSize = 1;
  Terms outerLeft, outerRight;
  bool ragged = true;
  if (!k.empty()) {
    LoopId last = k.pop_back_val();
    innerSize = count[last];
    inner = group.loops[last].name;
    if (innerSize != group.loops[last].tile)
      inner += suffix("=", innerSize);
    ragged = innerSize % lanes != 0;
    for (LoopId loop : k) {
      if (group.lhs.uses(loop))
        outerLeft.push_back(part(loop).all());
      if (group.rhs.uses(loop))
        outerRight.push_back(part(loop).all());
    }
  }
  int64_t padded = llvm::alignTo(innerSize, lanes);
  std::string all = inner;
  if (ragged)
    all += suffix("#", padded);
  auto blockOf = [&](int64_t unit) {
    return padded == unit ? std::string() : all + suffix("/", unit);
  };
  auto packetOf = [&](int64_t unit) {
    return padded == unit ? all : all + suffix("%", unit);
  };
  auto cut = [&](Terms time, const Terms &outer, int64_t unit) {
    time.append(outer.begin(), outer.end());
    time.push_back(blockOf(unit));
    return mapping(time);
  };

  // The stationary operand: rows, then what a row holds.
  LoopList batch = inside(group.batch), m = inside(group.m),
           n = inside(group.n);
  std::string row = "1";
  Terms blocks;
  if (group.hasRows && !n.empty()) {
    Part p = part(n.pop_back_val());
    row = p.inner(rows);
    blocks = locals(n);
    blocks.push_back(p.block(rows));
  } else {
    blocks = locals(n);
  }
  Value rhs = toDm(group.rhs);
  Terms element = with(locals(batch), blocks);
  Terms loadTime = element;
  if (row != "1")
    loadTime.insert(loadTime.begin(), row);
  // The sub context reads whole words as they are.
  std::optional<LoopId> along = innerLoop(group.rhs);
  bool plain = along && !group.k.empty() && *along == group.k.back() && !ragged;
  Value stream =
      BeginOp::create(builder, loc, plain ? Context::Sub : Context::Main, rhs);
  stream = FetchOp::create(builder, loc, stream, type,
                           cut(loadTime, outerRight, lanes),
                           mapping(packetOf(lanes)));
  stream =
      CollectOp::create(builder, loc, stream, cut(loadTime, outerRight, flit),
                        mapping(packetOf(flit)));
  Terms stored = with(element, outerRight);
  stored.push_back(all);
  Value trf = ToTrfOp::create(builder, loc, stream, TrfAddress::Full,
                              mapping(row), mapping(stored));

  Value lhs = toDm(group.lhs);
  shape.time = with(with(locals(batch), locals(m)), blocks);
  shape.packet = row != "1" ? row : "1" + suffix("#", machine.outputLanes);
  // Loops of the sum that the streamed operand does not have repeat it.
  Terms outer = locals(k);
  stream = BeginOp::create(builder, loc, Context::Main, lhs);
  stream =
      FetchOp::create(builder, loc, stream, type, cut(shape.time, outer, lanes),
                      mapping(packetOf(lanes)));
  stream = CollectOp::create(builder, loc, stream, cut(shape.time, outer, flit),
                             mapping(packetOf(flit)));
  stream =
      AlignOp::create(builder, loc, stream, trf, cut(shape.time, outer, lanes),
                      mapping(packetOf(lanes)));
  stream = ContractOp::create(builder, loc, stream, /*max=*/UnitAttr(),
                              mapping("1"));
  return AccumulateOp::create(builder, loc, stream,
                              AccumulationKind::Interleaved,
                              mapping(shape.time), mapping(shape.packet));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

Value GroupEmitter::emitStream(StreamShape &shape,
                               ArrayRef<VectorPass> &passes) {
  Value input = toDm(group.stream);
  Type type = group.computeType;
  // A chain that starts with the bits of what is in DM.
  const VectorPass &first = passes.front();
  if (passes.size() > 1 && first.steps.empty() && first.readAs &&
      first.result == group.stream.tensor->elementType()) {
    type = first.readAs;
    input = reinterpret(input, type);
    passes = passes.drop_front();
  }
  bool raw = group.computeType == group.stream.tensor->elementType() &&
             group.steps.empty() && group.computeType == group.resultType();
  int64_t flit = machine.flitBytes * 8 / group.stream.tensor->bits();
  int64_t lanes = machine.outputLanes;
  if (raw)
    lanes = hasLanes() ? group.lanes : flit;
  shape = resultStream(lanes);
  Value stream = BeginOp::create(builder, loc, Context::Main, input);
  stream = FetchOp::create(builder, loc, stream, type, mapping(shape.time),
                           mapping(shape.packet));
  if (raw && lanes < flit)
    shape.packet += suffix("#", flit);
  return CollectOp::create(builder, loc, stream, mapping(shape.time),
                           mapping(shape.packet));
}

StreamShape GroupEmitter::resultStream(int64_t lanes) const {
  StreamShape shape;
  shape.time = locals(outerLoops());
  shape.packet = "1" + suffix("#", lanes);
  if (hasLanes()) {
    Part p = part(*group.packet);
    shape.time.push_back(p.block(lanes));
    shape.packet = p.inner(lanes);
  }
  return shape;
}

/// The packet as two halves: the loop of the halves, and one of them.
std::pair<std::string, std::string>
GroupEmitter::narrow(const StreamShape &shape) const {
  int64_t half = machine.outputLanes / 2;
  if (!group.packet || !isInside(*group.packet))
    return {shape.packet + suffix("/", half), shape.packet + suffix("%", half)};
  Part inner = part(*group.packet);
  std::string time = inner.name + suffix("/", half);
  if (inner.size != machine.outputLanes)
    time += suffix("%", 2);
  return {time, inner.inner(half)};
}

/// One loop after the other, each in a pass of its own; the tensor that they
/// leave is in DM.
Value GroupEmitter::emitReduction() {
  LoopList kept = outerLoops(), reduced;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (group.loops[i].reduced && isInside(i))
      reduced.push_back(i);
  bool lanes = hasLanes();
  Value dm = toDm(group.stream);
  Type type = group.computeType;
  auto kind = group.combiner == Combiner::Max   ? IntraSliceReduceKind::Max
              : group.combiner == Combiner::Min ? IntraSliceReduceKind::Min
              : type.isF32()                    ? IntraSliceReduceKind::Add
                                                : IntraSliceReduceKind::AddSat;
  auto name = [&](LoopId loop) {
    std::string text = part(loop).all();
    if (count[loop] != group.loops[loop].tile)
      text += suffix("=", count[loop]);
    return text;
  };
  do {
    std::optional<LoopId> loop;
    if (!reduced.empty())
      loop = reduced.pop_back_val();
    StreamShape shape;
    Terms after = locals(kept);
    for (LoopId other : reduced)
      after.push_back(name(other));
    Terms element = after;
    shape.packet = "1" + suffix("#", machine.outputLanes);
    if (lanes) {
      Part p = part(*group.packet);
      after.push_back(p.block(machine.outputLanes));
      shape.packet = p.inner(machine.outputLanes);
      element.push_back(p.all());
    } else {
      element.push_back("1" + suffix("#", machine.dmaAlignBytes * 8 / 32));
    }
    shape.time = after;
    if (loop)
      shape.time.push_back(name(*loop));
    Value stream = BeginOp::create(builder, loc, Context::Main, dm);
    stream = FetchOp::create(builder, loc, stream, type, mapping(shape.time),
                             mapping(shape.packet));
    stream = CollectOp::create(builder, loc, stream, mapping(shape.time),
                               mapping(shape.packet));
    if (loop) {
      stream = VectorInitOp::create(builder, loc, stream);
      stream = VectorIntraSliceBranchOp::create(builder, loc, stream,
                                                BranchMode::Unconditional);
      if (lanes) {
        auto [halves, half] = narrow(shape);
        Terms split = shape.time, left = after;
        split.push_back(halves);
        left.push_back(halves);
        stream = VectorSplitOp::create(builder, loc, stream, mapping(split),
                                       mapping(half));
        stream = VectorIntraSliceReduceOp::create(builder, loc, stream, kind,
                                                  group.loops[*loop].name,
                                                  mapping(left), mapping(half));
        stream = VectorConcatOp::create(builder, loc, stream, mapping(after),
                                        mapping(shape.packet));
      } else {
        std::string half = "1" + suffix("#", machine.outputLanes / 2);
        stream = VectorTrimWay4Op::create(builder, loc, stream, mapping(half));
        stream = VectorIntraSliceReduceOp::create(
            builder, loc, stream, kind, group.loops[*loop].name, mapping(after),
            mapping(half));
        stream = VectorPadWay8Op::create(builder, loc, stream,
                                         mapping(shape.packet));
      }
      stream = VectorFinalOp::create(builder, loc, stream);
    }
    dm = commit(stream, element);
  } while (!reduced.empty());
  return dm;
}
