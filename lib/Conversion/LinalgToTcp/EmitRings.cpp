//===- EmitRings.cpp - Contractions by rings ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a ring plan (Program.h), one after the other. What the next step
// reads is loaded before the result of this one is stored, so that the DMA
// engines, which keep their order, work while the tensor unit does. Operands
// and results take turns in places of DM.
//
//===----------------------------------------------------------------------===//

#include "GroupEmitter.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;
using namespace sequin::tcp;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Which part of the loop a slice has.
std::string GroupEmitter::sliceTerm(LoopId loop) const {
  Part p = part(loop);
  if (p.split == 1)
    return "";
  return p.name + (p.local() == 1 ? "" : suffix("/", p.local()));
}

/// The grids of the three tensors, which differ in slices only.
void GroupEmitter::makeRingGrids() {
  const RingPlan &plan = *group.ring;
  Terms batch, sum, rows;
  auto add = [&](Terms &terms, const LoopList &loops) {
    for (LoopId loop : loops)
      if (loop != plan.cluster)
        terms.push_back(sliceTerm(loop));
  };
  add(batch, group.batch);
  add(sum, group.k);
  add(rows, group.n);
  std::string cluster = plan.cluster
                            ? group.loops[*plan.cluster].name
                            : "1" + suffix("#", machine.clustersPerChip);
  auto gridOf = [&](std::initializer_list<Terms> lists) {
    Terms slices;
    for (const Terms &terms : lists)
      slices.append(terms.begin(), terms.end());
    return GridAttr::get(builder.getContext(), axes, kernel.chip,
                         mapping(cluster), mapping(slices));
  };
  weightGrid = streamGrid = gridOf({sum, batch, rows});
  if (plan.spreads) {
    const Loop &loop = group.loops[*plan.streamed];
    std::string ring = loop.name;
    if (loop.tile != plan.ring)
      ring += suffix("%", plan.ring);
    streamGrid = gridOf({sum, batch, {ring}});
  }
  Terms added;
  if (plan.promotes)
    add(added, group.m);
  else if (plan.sumParts > 1)
    added.push_back("1" + suffix("#", plan.sumParts));
  grid = gridOf({added, batch, rows});
}

/// The loop that is spread or promoted, if it has more than one iteration.
std::optional<LoopId> GroupEmitter::streamedLoop() const {
  std::optional<LoopId> loop = group.ring->streamed;
  return loop && isInside(*loop) ? loop : std::nullopt;
}

/// All iterations of a loop that only the stream has, or those of one slice
/// before the ring passes them around.
std::string GroupEmitter::streamTerm(LoopId id, bool spread) const {
  const Loop &loop = group.loops[id];
  if (id != streamedLoop() || !spread || !group.ring->spreads)
    return loop.name;
  if (loop.tile == group.ring->ring)
    return "";
  return loop.name + suffix("/", group.ring->ring);
}

Terms GroupEmitter::streamTerms(bool spread) const {
  Terms terms;
  for (LoopId id : group.m)
    if (isInside(id) && id != group.ring->cluster)
      if (std::string term = streamTerm(id, spread); !term.empty())
        terms.push_back(std::move(term));
  return terms;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

Value GroupEmitter::emitStationary(Value dm, Context context,
                                   TrfAddress address) {
  Type type = group.rhs.tensor->elementType();
  int64_t bits = group.rhs.tensor->bits();
  int64_t flit = machine.flitBytes * 8 / bits;
  int64_t lanes = machine.macWidthBytes * 8 / bits;
  Part rows = part(group.n.back()), inner = part(group.k.back());
  std::string row = rows.inner(machine.rowsPerSlice);
  Terms element{rows.block(machine.rowsPerSlice)};
  for (LoopId loop : ArrayRef(group.k).drop_back())
    element.push_back(part(loop).all());
  Terms time = element;
  time.insert(time.begin(), row);
  auto cut = [&](int64_t unit) {
    Terms terms = time;
    terms.push_back(inner.block(unit));
    return mapping(terms);
  };
  element.push_back(inner.all());
  Value stream = BeginOp::create(builder, loc, context, dm);
  stream = FetchOp::create(builder, loc, stream, type, cut(lanes),
                           mapping(inner.inner(lanes)));
  stream = CollectOp::create(builder, loc, stream, cut(flit),
                             mapping(inner.inner(flit)));
  return ToTrfOp::create(builder, loc, stream, address, mapping(row),
                         mapping(element));
}

/// The products of one step, added over slices; `shape` is that of the result.
Value GroupEmitter::emitRingContraction(Value dm, Value trf,
                                        StreamShape &shape) {
  const RingPlan &plan = *group.ring;
  Type type = group.lhs.tensor->elementType();
  int64_t bits = group.lhs.tensor->bits();
  int64_t flit = machine.flitBytes * 8 / bits;
  int64_t lanes = machine.macWidthBytes * 8 / bits;
  Part rows = part(group.n.back()), inner = part(group.k.back());
  std::string block = rows.block(machine.rowsPerSlice);
  auto timeOf = [&](Terms terms, int64_t unit) {
    for (LoopId loop : ArrayRef(group.k).drop_back())
      terms.push_back(part(loop).all());
    terms.push_back(inner.block(unit));
    return terms;
  };
  Terms spread = streamTerms(true), all = streamTerms(false);
  Value stream = BeginOp::create(builder, loc, Context::Main, dm);
  stream = FetchOp::create(builder, loc, stream, type,
                           mapping(timeOf(spread, lanes)),
                           mapping(inner.inner(lanes)));
  if (plan.spreads) {
    int64_t packets = inner.local() / lanes;
    for (LoopId loop : ArrayRef(group.k).drop_back())
      packets *= part(loop).local();
    auto number = [&](int64_t n) { return builder.getI64IntegerAttr(n); };
    stream = SwitchOp::create(builder, loc, stream, SwitchTopology::Broadcast01,
                              number(plan.ring), number(1), number(packets),
                              IntegerAttr(), weightGrid.getSlice(),
                              mapping(timeOf(all, lanes)));
  }
  stream = CollectOp::create(builder, loc, stream, mapping(timeOf(all, flit)),
                             mapping(inner.inner(flit)));
  Terms aligned = timeOf(all, lanes);
  aligned.push_back(block);
  stream = AlignOp::create(builder, loc, stream, trf, mapping(aligned),
                           mapping(inner.inner(lanes)));
  stream = ContractOp::create(builder, loc, stream, /*max=*/UnitAttr(),
                              mapping("1"));
  shape.packet = rows.inner(machine.rowsPerSlice);
  shape.time = all;
  shape.time.push_back(block);
  stream =
      AccumulateOp::create(builder, loc, stream, AccumulationKind::Interleaved,
                           mapping(shape.time), mapping(shape.packet));
  if (plan.sumParts == 1)
    return stream;
  for (LoopId loop : group.m)
    if (isInside(loop) && loop != plan.cluster)
      for (std::string &term : shape.time)
        if (term == group.loops[loop].name)
          term = part(loop).all();
  stream = VectorInitOp::create(builder, loc, stream);
  afterInterSlice = true;
  return VectorInterSliceReduceOp::create(builder, loc, stream,
                                          InterSliceOp::Add, grid.getSlice(),
                                          mapping(shape.time));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

DmType GroupEmitter::operandType(const Access &access, GridAttr where) const {
  Terms terms = dmText(access);
  if (&access == &group.lhs) {
    for (auto [loop, term] : llvm::zip(memoryLoops(access), terms))
      if (loop != group.ring->cluster && llvm::is_contained(group.m, loop))
        term = streamTerm(loop, /*spread=*/true);
  }
  return DmType::get(builder.getContext(), access.tensor->elementType(), where,
                     mapping(terms));
}

Value GroupEmitter::bringOperand(const Access &access, DmType type,
                                 int64_t address) {
  Offset offset = offsetOf(access);
  Value view = ViewOp::create(builder, loc, viewType(access, /*cut=*/false),
                              kernel.values.lookup(access.tensor),
                              offset.indices, offset.steps, offset.constant);
  return ToDmOp::create(builder, loc, type, view, address);
}

namespace {
/// One operand and its places in DM.
struct Operand {
  const Access *access = nullptr;
  DmType type;
  SmallVector<int64_t, 8> addresses;
  int64_t next = 0;
  /// The tile in each place.
  struct Held {
    SmallVector<int64_t, 6> tile;
    Value dm;
  };
  SmallVector<Held, 8> held;
};
} // namespace

LogicalResult GroupEmitter::emitRings() {
  const RingPlan &plan = *group.ring;
  Tensor *tensor = group.result.tensor;
  Value &value = kernel.values[tensor];
  if (!value)
    value = FromAddressOp::create(builder, loc, kernel.typeOf(*tensor),
                                  tensor->address);

  std::vector<Operand> operands;
  auto addOperand = [&](const Access &access, GridAttr where, int64_t places) {
    Operand &operand = operands.emplace_back();
    operand.access = &access;
    operand.type = operandType(access, where);
    bool moves = llvm::any_of(plan.order,
                              [&](LoopId loop) { return access.uses(loop); });
    for (int64_t i = 0; i < (moves ? places : 1); ++i)
      operand.addresses.push_back(allocateDm(operand.type));
    operand.held.resize(operand.addresses.size());
  };
  addOperand(group.rhs, weightGrid, plan.rhsPlaces);
  addOperand(group.lhs, streamGrid, plan.lhsPlaces);
  for (const Step &step : group.steps)
    for (const Access *access : step.tensors())
      if (llvm::none_of(
              llvm::drop_begin(operands, 2),
              [&](const Operand &other) { return *other.access == *access; }))
        addOperand(*access, grid, 2);
  // The sums so far of a sum in chunks.
  SmallVector<int64_t, 16> sumAddresses;
  SmallVector<Value, 16> sums(plan.chunks > 1 ? plan.sums : 0);
  for (size_t i = 0; i < sums.size(); ++i)
    sumAddresses.push_back(
        allocateDm(DmType::get(builder.getContext(), group.computeType, grid,
                               mapping(resultText(group.computeType)))));
  // Results of two steps are in DM at once.
  const int64_t resultsBegin = dmEnd;
  int64_t work[] = {resultsBegin, 0}, turn = 0;

  // Where the tiles of a step are.
  auto moveTo = [&](int64_t step) {
    for (LoopId loop : llvm::reverse(plan.order)) {
      const Loop &l = group.loops[loop];
      first[loop] = step % l.tiles() * l.tile;
      step /= l.tiles();
    }
  };
  auto tileOf = [&](const Access &access) {
    SmallVector<int64_t, 6> tile;
    for (LoopId loop : plan.order)
      tile.push_back(access.uses(loop) ? first[loop] : 0);
    return tile;
  };
  // The operands of each step so far.
  std::vector<std::vector<Value>> brought;
  auto bring = [&](int64_t step) {
    std::vector<Value> values;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      // The steps' operands meet whole sums.
      if (i >= 2 && !plan.finishesSums(step)) {
        values.push_back(Value());
        continue;
      }
      moveTo(i == 0 ? std::min(step + plan.trfAhead, plan.steps - 1) : step);
      SmallVector<int64_t, 6> tile = tileOf(*operand.access);
      auto *found = llvm::find_if(operand.held, [&](const Operand::Held &held) {
        return held.dm && held.tile == tile;
      });
      if (found != operand.held.end()) {
        values.push_back(found->dm);
        continue;
      }
      int64_t place = operand.next++ % operand.addresses.size();
      // The pieces of the first tile come one by one.
      Value dm;
      if (step > 0 || !plan.head || operand.access != &group.lhs)
        dm = bringOperand(*operand.access, operand.type,
                          operand.addresses[place]);
      operand.held[place] = {tile, dm};
      values.push_back(dm);
    }
    brought.push_back(std::move(values));
  };
  auto bringUpTo = [&](int64_t step) {
    while (static_cast<int64_t>(brought.size()) <=
           std::min(step, plan.steps - 1))
      bring(brought.size());
  };

  // Behind the products of the first chunk, of the last one, and of others.
  std::vector<Step> chunkSteps = getChunkSteps(group);
  std::vector<VectorPass> firstPasses =
      assignPasses({}, group.computeType, group.computeType);
  std::vector<VectorPass> nextPasses = assignPasses(
      ArrayRef(chunkSteps).take_front(), group.computeType, group.computeType);
  std::vector<VectorPass> passes =
      assignPasses(plan.chunks > 1 ? chunkSteps : group.steps,
                   group.computeType, group.resultType());
  Value trfs[2], trfSource, current = value;
  std::optional<SmallVector<int64_t, 6>> trfTile;
  int64_t trfLoads = 0, trfUses = 0;
  auto loadStationary = [&](Value dm) {
    if (std::exchange(trfSource, dm) == dm)
      return;
    Context context = Context::Main;
    TrfAddress address = TrfAddress::Full;
    if (plan.trfInHalves) {
      context = trfLoads > 0 ? Context::Sub : Context::Main;
      address =
          trfLoads % 2 == 0 ? TrfAddress::FirstHalf : TrfAddress::SecondHalf;
    }
    trfs[trfLoads++ % 2] = emitStationary(dm, context, address);
  };
  auto compute = [&](Value stream, int64_t step) {
    if (plan.vrfInHalves)
      vrfBegin = step % 2 * (machine.vrfBytesPerSlice / 2);
    StreamShape shape;
    Value products =
        emitRingContraction(stream, trfs[(trfUses - 1) % 2], shape);
    bool isFirst = step / plan.sums % plan.chunks == 0;
    int64_t place = step % plan.sums;
    partial = isFirst ? Value() : sums[place];
    if (!plan.finishesSums(step)) {
      chunkAddress = sumAddresses[place];
      sums[place] =
          emitPasses(products, shape, isFirst ? firstPasses : nextPasses,
                     group.computeType, Value());
      chunkAddress.reset();
      return;
    }
    dmEnd = work[turn % 2];
    Value result =
        emitPasses(products, shape, passes, group.computeType, Value());
    if (turn++ == 0)
      work[1] = dmEnd;
    Offset offset = offsetOf(group.result);
    current = ToHbmViewOp::create(
        builder, loc, current.getType(), result, current, offset.indices,
        offset.steps, offset.constant, viewType(group.result, group.exact));
  };
  // The first tile in pieces, which leave their results where they are added.
  auto computePieces = [&] {
    Operand &operand = operands[1];
    Loop &head = group.loops[*plan.head], &inner = group.loops[*plan.streamed];
    int64_t pieces = std::exchange(head.tile, 1);
    int64_t headParts = std::exchange(head.parts, 1);
    int64_t innerParts = std::exchange(inner.parts, 1);
    bool promotes = std::exchange(group.ring->promotes, false);
    makeRingGrids();
    DmType type = operandType(group.lhs, streamGrid);
    auto bringPiece = [&](int64_t piece) {
      first[*plan.head] = piece;
      return bringOperand(group.lhs, type,
                          operand.addresses[0] + piece * type.getByteSize());
    };
    // What follows may want the only place.
    bool prefetches = operand.addresses.size() > 1;
    auto bringNext = [&] {
      head.tile = pieces;
      first[*plan.head] = 0;
      bringUpTo(1);
      moveTo(0);
      head.tile = 1;
    };
    SmallVector<Value, 8> streams;
    for (int64_t piece = 0; piece < pieces; ++piece)
      streams.push_back(bringPiece(piece));
    if (prefetches)
      bringNext();
    for (auto [piece, stream] : llvm::enumerate(streams)) {
      first[*plan.head] = piece;
      // Each has a place for its results.
      compute(stream, 0);
      work[0] = work[1] = dmEnd;
    }
    work[0] = resultsBegin;
    if (!prefetches)
      bringNext();
    head.tile = pieces;
    head.parts = headParts;
    inner.parts = innerParts;
    group.ring->promotes = promotes;
    first[*plan.head] = 0;
    makeRingGrids();
    // From here on they are results of whole tiles.
    turn = 0;
  };

  bringUpTo(0);
  for (int64_t step = 0; step < plan.steps; ++step) {
    bool pieces = step == 0 && plan.head;
    if (!pieces)
      bringUpTo(step + plan.loadsAhead);
    std::vector<Value> values = std::move(brought[step]);
    moveTo(step);
    moved.clear();
    for (auto [operand, dm] : llvm::drop_begin(llvm::zip(operands, values), 2))
      if (dm)
        moved.push_back({*operand.access, dm});
    loadStationary(values[0]);
    if (SmallVector<int64_t, 6> tile = tileOf(group.rhs); tile != trfTile) {
      trfTile = std::move(tile);
      ++trfUses;
    }
    if (pieces)
      computePieces();
    else
      compute(values[1], step);
  }
  value = current;
  return success();
}
