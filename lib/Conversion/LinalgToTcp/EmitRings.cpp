//===- EmitRings.cpp - Contractions by rings ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a ring plan (Program.h), one after the other, and their passes.
// What the next steps read is loaded before the results of this one are stored,
// so that the DMA engines, which keep their order, work while the tensor unit
// does. Operands take turns in places of DM; sums and results are there in
// parts, of which a pass reads or writes one.
//
//===----------------------------------------------------------------------===//

#include "GroupEmitter.h"
#include "MemoryOrder.h"
#include <numeric>

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;
using namespace sequin::tcp;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Digit `(index / unit) % count` of an index of `size`.
static std::string digitOf(std::string text, int64_t size, int64_t unit,
                           int64_t count) {
  if (count == 1)
    return "";
  if (unit != 1)
    text += suffix("/", unit);
  if (unit * count != size)
    text += suffix("%", count);
  return text;
}
static std::string digitOf(const Loop &loop, int64_t unit, int64_t count) {
  return digitOf(loop.name, loop.tile, unit, count);
}

/// One iteration of a loop that a tensor in DM has all of.
static std::string oneOf(const Loop &loop) {
  return loop.name + suffix("=", 1) + suffix("#", loop.extent);
}

/// The grids, which differ in slices only: of what is spread over a ring, of
/// rows that were put side by side, of rows that slices bring for each other,
/// of parts of the sum, and of everything else.
void GroupEmitter::makeRingGrids() {
  const RingPlan &plan = *group.ring;
  std::string cluster = plan.cluster
                            ? group.loops[*plan.cluster].name
                            : "1" + suffix("#", machine.clustersPerChip);
  int64_t used = 1;
  for (LoopId loop : plan.slices)
    used *= group.loops[loop].parts;
  auto gridOf = [&](const Terms &slices, int64_t count) {
    return GridAttr::get(builder.getContext(), axes, kernel.chip,
                         mapping(cluster),
                         fill(slices, count, machine.slicesPerCluster));
  };
  Terms all, outsideRing, notGathered;
  for (LoopId loop : plan.slices) {
    const std::string &name = group.loops[loop].name;
    if (loop == plan.summed)
      continue;
    all.push_back(name);
    if (group.lhs.uses(loop))
      outsideRing.push_back(name);
    if (loop != plan.gathered)
      notGathered.push_back(name);
  }
  // What was added is in the first slice of those that had parts of it.
  Terms added = all, perPart = all;
  if (plan.summed) {
    const Loop &loop = group.loops[*plan.summed];
    added.push_back("1" + suffix("#", loop.extent));
    perPart.push_back(loop.name);
  }
  grid = gatherGrid = gridOf(added, used);
  streamGrid = weightGrid = gridOf(perPart, used);
  if (plan.spreads) {
    const Loop &sum = group.loops[group.k.back()];
    outsideRing.push_back(
        digitOf(sum, sum.tile / plan.ringSums, plan.ringSums));
    outsideRing.push_back(
        digitOf(group.loops[*plan.streamed], 1, plan.ringTurns));
    streamGrid = gridOf(outsideRing, machine.slicesPerCluster);
  }
  if (plan.gathered) {
    int64_t count = group.loops[*plan.gathered].extent;
    if (int64_t turn = gatheredTurn(); turn > 0)
      notGathered.push_back(digitOf(group.loops[*plan.streamed], turn, count));
    else
      notGathered.push_back(std::to_string(count));
    if (plan.summed)
      notGathered.push_back(added.back());
    gatherGrid = gridOf(notGathered, used);
  }
  exchangeGrid = weightGrid;
  if (plan.exchanged) {
    const Loop &sum = group.loops[group.k.back()];
    Terms parts = all;
    parts.back() = digitOf(sum, 1, group.loops[*plan.exchanged].extent);
    exchangeGrid = gridOf(parts, used);
  }
}

/// Iterations of the streamed loop that each of the slices has whose rows were
/// put side by side; 0 if they do not divide and each has all.
int64_t GroupEmitter::gatheredTurn() const {
  const RingPlan &plan = *group.ring;
  int64_t count = group.loops[*plan.gathered].extent;
  int64_t all = plan.streamed ? group.loops[*plan.streamed].tile : 1;
  return plan.streamed && all % count == 0 ? all / count : 0;
}

/// Loops that only the stream has, as a pass goes over them: iterations that
/// are accumulated one group after the other, and those of a group, unless
/// these are one.
std::pair<Terms, Terms> GroupEmitter::streamTerms(bool spread) const {
  const RingPlan &plan = *group.ring;
  Terms outer, inner;
  for (LoopId id : group.m) {
    const Loop &loop = group.loops[id];
    if (!isInside(id) || loop.parts > 1)
      continue;
    if (id != plan.streamed) {
      outer.push_back(part(id).all());
      continue;
    }
    int64_t turns = spread ? plan.ringTurns : 1;
    outer.push_back(digitOf(loop, plan.together, loop.tile / plan.together));
    inner.push_back(digitOf(loop, turns, plan.together / turns));
  }
  return {outer, inner};
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// The sum of a chunk, and zeros behind its end if it is the last one and is to
/// be masked.
std::string GroupEmitter::ringSum(bool isLast) const {
  const Loop &sum = group.loops[group.k.back()];
  int64_t end = group.ring->sumEnd;
  return isLast && end > 0 ? sum.name + suffix("=", end) + suffix("#", sum.tile)
                           : sum.name;
}

/// Rows lie packet by packet: what one packet of the stream meets is together.
Value GroupEmitter::emitStationary(Value dm, Context context,
                                   TrfAddress address, bool isLast) {
  Type type = group.rhs.tensor->elementType();
  int64_t bits = group.rhs.tensor->bits();
  int64_t flit = machine.flitBytes * 8 / bits;
  int64_t lanes = machine.macWidthBytes * 8 / bits;
  Part rows = part(group.n.back()), inner = part(group.k.back());
  inner.name = ringSum(isLast);
  std::string row = rows.inner(machine.rowsPerSlice);
  std::string packet = inner.inner(lanes);
  Terms packets = locals(ArrayRef(group.k).drop_back());
  packets.push_back(inner.block(lanes));
  packets.push_back(rows.block(machine.rowsPerSlice));
  Terms time = packets, flits, element = packets;
  time.insert(time.begin(), row);
  flits = time;
  flits.push_back(digitOf(packet, lanes, flit, lanes / flit));
  element.push_back(packet);
  Value stream = BeginOp::create(builder, loc, context, dm);
  stream = FetchOp::create(builder, loc, stream, type, mapping(time),
                           mapping(inner.inner(lanes)));
  stream = CollectOp::create(builder, loc, stream, mapping(flits),
                             mapping(inner.inner(flit)));
  return ToTrfOp::create(builder, loc, stream, address, mapping(row),
                         mapping(element));
}

/// The products of one pass; `shape` is that of the result.
Value GroupEmitter::emitRingContraction(Value dm, Value trf, bool isLast,
                                        StreamShape &shape) {
  const RingPlan &plan = *group.ring;
  Type type = group.lhs.tensor->elementType();
  int64_t bits = group.lhs.tensor->bits();
  int64_t flit = machine.flitBytes * 8 / bits;
  int64_t lanes = machine.macWidthBytes * 8 / bits;
  Part rows = part(group.n.back()), inner = part(group.k.back());
  inner.name = ringSum(isLast);
  const Loop &sum = group.loops[group.k.back()];
  std::string block = rows.block(machine.rowsPerSlice);
  std::string packet = inner.inner(lanes);
  // What slices of a ring have of the sum comes around first.
  int64_t parts = group.k.size() > 1 ? plan.ringSums : 1;
  auto timeOf = [&](bool spread) {
    auto [time, together] = streamTerms(spread);
    if (!spread)
      time.push_back(digitOf(sum, sum.tile / parts, parts));
    llvm::append_range(time, locals(ArrayRef(group.k).drop_back()));
    int64_t packets = sum.tile / lanes / (spread ? plan.ringSums : parts);
    time.push_back(digitOf(inner.name, sum.tile, lanes, packets));
    llvm::append_range(time, together);
    return time;
  };
  Terms all = timeOf(false);
  Value stream = BeginOp::create(builder, loc, Context::Main, dm);
  stream = FetchOp::create(builder, loc, stream, type,
                           mapping(timeOf(plan.spreads)), mapping(packet));
  if (plan.spreads) {
    int64_t packets = sum.tile / lanes / plan.ringSums;
    for (LoopId loop : ArrayRef(group.k).drop_back())
      packets *= part(loop).local();
    auto number = [&](int64_t n) { return builder.getI64IntegerAttr(n); };
    stream = SwitchOp::create(builder, loc, stream, SwitchTopology::Broadcast01,
                              number(plan.ringSums), number(plan.ringTurns),
                              number(packets * plan.together / plan.ringTurns),
                              IntegerAttr(), grid.getSlice(), mapping(all));
  }
  Terms flits = all;
  flits.push_back(digitOf(packet, lanes, flit, lanes / flit));
  stream = CollectOp::create(builder, loc, stream, mapping(flits),
                             mapping(inner.inner(flit)));
  Terms aligned = all;
  aligned.push_back(block);
  stream = AlignOp::create(builder, loc, stream, trf, mapping(aligned),
                           mapping(packet));
  stream = ContractOp::create(builder, loc, stream, /*max=*/UnitAttr(),
                              mapping("1"));
  shape.packet = rows.inner(machine.rowsPerSlice);
  shape.time.clear();
  for (LoopId loop : group.m)
    if (isInside(loop))
      shape.time.push_back(part(loop).all());
  shape.time.push_back(block);
  stream =
      AccumulateOp::create(builder, loc, stream, AccumulationKind::Interleaved,
                           mapping(shape.time), mapping(shape.packet));
  if (!plan.summed)
    return stream;
  stream = VectorInitOp::create(builder, loc, stream);
  afterInterSlice = true;
  return VectorInterSliceReduceOp::create(builder, loc, stream,
                                          InterSliceOp::Add, grid.getSlice(),
                                          mapping(shape.time));
}

/// Slices side by side in a ring change rows for iterations of the stream, or
/// get all rows of each other: each then has all of these rows. The sub context
/// moves them while the main one computes (TCP, Scheduling).
Value GroupEmitter::emitGathered(Value dm, int64_t address) {
  const RingPlan &plan = *group.ring;
  Type type = group.resultType();
  int64_t flit = machine.flitBytes * 8 / type.getIntOrFloatBitWidth();
  const std::string &side = group.loops[*plan.gathered].name;
  int64_t count = group.loops[*plan.gathered].extent, turn = gatheredTurn();
  Part rows = part(group.n.back());
  int64_t packet = std::gcd(flit, rows.size);
  // Time before and after, and what is in DM then.
  Terms from, to, element;
  int64_t inside = turn;
  bool isInside = false;
  for (LoopId id : memoryLoops(group.result)) {
    if (turn > 0 && id == *plan.streamed) {
      const Loop &loop = group.loops[id];
      std::string stays = digitOf(loop, 1, turn);
      from.append({digitOf(loop, turn, count), stays});
      to.push_back(stays);
      element.push_back(stays);
      isInside = true;
      continue;
    }
    element.push_back(id == *plan.gathered ? side : part(id).all());
    std::string text =
        id == group.n.back() ? rows.block(packet) : part(id).all();
    from.push_back(text);
    to.push_back(text);
    if (isInside)
      inside *= id == group.n.back() ? rows.size / packet : part(id).local();
  }
  to.push_back(side);
  std::string inPacket = rows.inner(packet);
  auto number = [&](int64_t n) { return builder.getI64IntegerAttr(n); };
  int64_t sums = plan.summed ? group.loops[*plan.summed].extent : 1;
  Value stream = BeginOp::create(builder, loc, Context::Sub, dm);
  stream = FetchOp::create(builder, loc, stream, type, mapping(from),
                           mapping(inPacket));
  if (turn > 0)
    stream =
        SwitchOp::create(builder, loc, stream, SwitchTopology::InterTranspose,
                         number(count), number(sums), number(inside),
                         IntegerAttr(), gatherGrid.getSlice(), mapping(to));
  else if (sums > 1)
    stream =
        SwitchOp::create(builder, loc, stream, SwitchTopology::Broadcast1,
                         number(count), number(sums), IntegerAttr(),
                         IntegerAttr(), gatherGrid.getSlice(), mapping(to));
  else
    stream =
        SwitchOp::create(builder, loc, stream, SwitchTopology::Broadcast01,
                         number(count), number(1), number(1), IntegerAttr(),
                         gatherGrid.getSlice(), mapping(to));
  if (packet != flit)
    inPacket += suffix("#", flit);
  stream =
      CollectOp::create(builder, loc, stream, mapping(to), mapping(inPacket));
  return CommitOp::create(builder, loc, stream, address, mapping(element));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

DmType GroupEmitter::operandType(const Access &access, GridAttr where) const {
  const RingPlan &plan = *group.ring;
  Terms terms = dmText(access);
  if (&access == &group.lhs && plan.spreads) {
    const Loop &loop = group.loops[*plan.streamed];
    const Loop &sum = group.loops[group.k.back()];
    for (auto [id, term] : llvm::zip(memoryLoops(access), terms))
      if (id == *plan.streamed)
        term = digitOf(loop, plan.ringTurns, loop.tile / plan.ringTurns);
      else if (id == group.k.back())
        term = digitOf(sum, 1, sum.tile / plan.ringSums);
  }
  if (&access == &group.rhs && plan.exchanged) {
    const Loop &sum = group.loops[group.k.back()];
    const Loop &side = group.loops[*plan.exchanged];
    for (auto [id, term] : llvm::zip(memoryLoops(access), terms))
      if (id == *plan.exchanged)
        term = side.name;
      else if (id == group.k.back())
        term = digitOf(sum, side.extent, sum.tile / side.extent);
  }
  return DmType::get(builder.getContext(), access.tensor->elementType(), where,
                     mapping(terms));
}

Value GroupEmitter::bringOperand(const Access &access, DmType type,
                                 int64_t address) {
  Offset offset = offsetOf(access);
  HbmType memory = viewType(access, /*cut=*/false);
  if (!access.tensor->digits.empty()) {
    Terms terms;
    for (LoopDigit digit : getRingOrder(group, access, machine))
      terms.push_back(
          digitOf(group.loops[digit.loop], digit.unit, digit.count));
    memory = HbmType::get(builder.getContext(), access.tensor->elementType(),
                          axes, kernel.chip, mapping(terms));
  }
  Value view =
      ViewOp::create(builder, loc, memory, kernel.values.lookup(access.tensor),
                     offset.indices, offset.steps, offset.constant);
  return ToDmOp::create(builder, loc, type, view, address);
}

/// The tensor's element text with one iteration of the loop.
static std::string withOne(DmType type, const Loop &loop) {
  SmallVector<StringRef, 8> terms;
  type.getElement().getText().split(terms, ',');
  Terms texts;
  for (StringRef term : terms)
    texts.push_back(term.trim() == loop.name ? oneOf(loop) : term.trim().str());
  return joinTerms(texts);
}

/// One iteration of a loop inside the tile, where it lies.
Value GroupEmitter::tileAt(Value dm, std::optional<LoopId> loop, int64_t at) {
  auto type = cast<DmType>(dm.getType());
  if (!loop)
    return dm;
  const Loop &l = group.loops[*loop];
  return TileOp::create(builder, loc, dm, mapping(l.name), Value(),
                        builder.getDenseI64ArrayAttr({at}),
                        builder.getI64IntegerAttr(1),
                        mapping(withOne(type, l)));
}

Value GroupEmitter::commitInto(Value stream, const Destination &to) {
  auto type = cast<DmType>(to.tensor.getType());
  const Loop &loop = group.loops[*to.loop];
  return CommitViewOp::create(
      builder, loc, type, stream, to.tensor, mapping(loop.name), Value(),
      builder.getDenseI64ArrayAttr({to.at}), builder.getI64IntegerAttr(1),
      mapping(withOne(type, loop)), stream::MappingAttr());
}

namespace sequin::linalg_to_tcp {

/// Emits the group of a GroupEmitter that has a ring plan.
class RingEmitter {
public:
  explicit RingEmitter(GroupEmitter &emitter)
      : e(emitter), group(e.group), plan(*group.ring), machine(e.machine),
        builder(e.builder), loc(e.loc) {}

  LogicalResult emit();

private:
  /// One operand and its places in DM.
  struct Operand {
    const Access *access = nullptr;
    GridAttr where;
    SmallVector<int64_t, 8> addresses;
    int64_t next = 0;
    /// The tile in each place.
    struct Held {
      SmallVector<int64_t, 6> tile;
      Value dm;
    };
    SmallVector<Held, 8> held;
  };

  int64_t count(std::optional<LoopId> loop) const {
    return loop ? group.loops[*loop].extent : 1;
  }
  /// Of loops that passes go over, the text has one iteration or all.
  /// The loop that counts the chunks of a step, if there are several.
  std::optional<LoopId> chunkLoop(int64_t step) const {
    return chunkLoopOf(plan.loads[plan.loadOf(step)]);
  }
  std::optional<LoopId> chunkLoopOf(int64_t chunks) const {
    for (LoopId loop : plan.chunkLoops)
      if (group.loops[loop].extent == chunks)
        return loop;
    return std::nullopt;
  }
  void setInside(std::optional<LoopId> loop, bool isInside) {
    if (loop)
      group.loops[*loop].tile = isInside ? group.loops[*loop].extent : 1;
  }
  void allocate();
  void allocateTurned();
  std::string refillTerm() const {
    return plan.refills ? group.loops[*plan.refills].name : "";
  }
  DmType resultType();
  DmType exchangedType(std::optional<LoopId> chunks) const;
  DmType turnedType(std::optional<LoopId> chunks) const;
  void addOperand(const Access &access, GridAttr where, int64_t places);
  void moveTo(int64_t step);
  void bring(int64_t step);
  void bringUpTo(int64_t step);
  /// A refill of the register file: of a chunk of a step's.
  struct Refill {
    int64_t step = 0, chunk = 0, refill = 0;
  };
  /// Whether it is the last chunk of the sum.
  bool isLastChunk(const Refill &at) const {
    return plan.finishesSums(at.step) &&
           at.chunk + 1 == plan.loads[plan.loadOf(at.step)];
  }
  Value exchange(int64_t step);
  Value turn(Value dm, std::optional<LoopId> chunks, int64_t place);
  Value rowsOf(int64_t step);
  Value stationaryFor(const Refill &at);
  void loadAhead(Refill at);
  void emitPass(const Refill &at, int64_t piece, Value trf);
  /// Which of the places for results a piece has.
  int64_t placeOf(int64_t step, int64_t piece) const {
    int64_t tile = step / static_cast<int64_t>(plan.loads.size());
    return (tile * count(plan.pieces) + piece) %
           static_cast<int64_t>(resultAddresses.size());
  }
  void gather(int64_t step, int64_t piece);
  void store(int64_t step, int64_t piece);

  GroupEmitter &e;
  Group &group;
  const RingPlan &plan;
  const TcpMachine &machine;
  OpBuilder &builder;
  Location loc;
  std::vector<Operand> operands;
  /// The operands of each step so far.
  std::vector<std::vector<Value>> brought;
  /// Sums so far, by refill; results, by piece.
  SmallVector<Value, 8> sums, results;
  SmallVector<int64_t, 8> sumAddresses, resultAddresses;
  SmallVector<int64_t, 8> gatherAddresses;
  /// Stationary tiles as they came and as they were turned, by place.
  SmallVector<std::pair<Value, Value>, 2> turned;
  SmallVector<int64_t, 2> turnedAddresses;
  std::pair<Value, Value> exchanged;
  int64_t exchangedAddress = 0, turns = 0;
  int64_t behind = 0, passes = 0;
  /// What the register file holds: a tile in DM and a refill of it, by half.
  struct Stationary {
    Value dm;
    int64_t chunk = 0, refill = 0;
    Value trf;
  };
  Stationary trfs[2];
  int64_t half = 1;
  std::vector<VectorPass> firstPasses, nextPasses, lastPasses;
  std::vector<Step> chunkSteps;
  Value current;
};

} // namespace sequin::linalg_to_tcp

void RingEmitter::addOperand(const Access &access, GridAttr where,
                             int64_t places) {
  Operand &operand = operands.emplace_back();
  operand.access = &access;
  bool isFactor = operands.size() <= 2;
  // Places are for the largest load.
  std::optional<LoopId> largest;
  if (isFactor)
    largest = chunkLoopOf(*llvm::max_element(plan.loads));
  setInside(largest, true);
  DmType type = e.operandType(access, where);
  setInside(largest, false);
  operand.where = where;
  bool moves =
      (isFactor && plan.loads.size() > 1) ||
      llvm::any_of(plan.order, [&](LoopId loop) { return access.uses(loop); });
  for (int64_t i = 0; i < (moves ? places : 1); ++i)
    operand.addresses.push_back(e.allocateDm(type));
  operand.held.resize(operand.addresses.size());
}

/// A piece of the result as passes leave it. Where it is moved once more before
/// it is stored, each refill has its rows together: what it commits one after
/// the other would be in the same banks otherwise, which DMA then waits for.
DmType RingEmitter::resultType() {
  e.storesUnits = plan.unitRows;
  Terms terms = e.storedText(group.resultType(), /*isStored=*/true);
  e.storesUnits = false;
  if (plan.gathered && plan.refills) {
    llvm::erase(terms, refillTerm());
    terms.insert(terms.begin(), refillTerm());
  }
  return DmType::get(builder.getContext(), group.resultType(), e.grid,
                     e.mapping(terms));
}

/// What a slice has of a stationary tile before it is turned.
DmType RingEmitter::exchangedType(std::optional<LoopId> chunks) const {
  Terms element{chunks ? group.loops[*chunks].name : "",
                group.loops[group.k.back()].name, refillTerm(),
                group.loops[group.n.back()].name};
  return DmType::get(builder.getContext(), group.rhs.tensor->elementType(),
                     e.grid, e.mapping(element));
}

/// A stationary tile that lies along the sum. Rows that follow each other begin
/// in banks that do, so that DMA can work beside the pass that turns them.
DmType RingEmitter::turnedType(std::optional<LoopId> chunks) const {
  Type type = group.rhs.tensor->elementType();
  const Loop &sum = group.loops[group.k.back()];
  int64_t flit = machine.flitBytes * 8 / type.getIntOrFloatBitWidth();
  Terms element{refillTerm(), group.loops[group.n.back()].name,
                chunks ? group.loops[*chunks].name : "",
                sum.name + suffix("#", sum.tile + flit)};
  return DmType::get(builder.getContext(), type, e.grid, e.mapping(element));
}

void RingEmitter::allocateTurned() {
  std::optional<LoopId> largest = chunkLoopOf(*llvm::max_element(plan.loads));
  setInside(largest, true);
  if (plan.exchanged)
    exchangedAddress = e.allocateDm(exchangedType(largest));
  for (int64_t i = 0; i < plan.rhsPlaces; ++i)
    turnedAddresses.push_back(e.allocateDm(turnedType(largest)));
  setInside(largest, false);
  turned.resize(plan.rhsPlaces);
}

void RingEmitter::allocate() {
  addOperand(group.rhs, e.exchangeGrid, plan.rhsPlaces);
  if (plan.turns)
    allocateTurned();
  addOperand(group.lhs, e.streamGrid, plan.lhsPlaces);
  for (const Step &step : group.steps)
    for (const Access *access : step.tensors())
      if (llvm::none_of(
              llvm::drop_begin(operands, 2),
              [&](const Operand &other) { return *other.access == *access; }))
        addOperand(*access, e.grid, 2);
  auto typeOf = [&](Type type) {
    return DmType::get(builder.getContext(), type, e.grid,
                       e.mapping(e.resultText(type)));
  };
  setInside(plan.refills, false);
  if (plan.chunks > 1)
    for (int64_t i = 0; i < count(plan.refills); ++i) {
      DmType type = typeOf(group.computeType);
      sumAddresses.push_back(e.allocateDm(type));
      sums.push_back(plan.pieces ? FromAddressOp::create(builder, loc, type,
                                                         sumAddresses.back())
                                       .getResult()
                                 : Value());
    }
  setInside(plan.refills, true);
  setInside(plan.pieces, false);
  DmType type = resultType();
  results.resize(count(plan.pieces));
  for (int64_t i = 0; i < plan.resultPlaces; ++i) {
    resultAddresses.push_back(e.allocateDm(type));
    if (!plan.gathered)
      continue;
    int64_t copies =
        e.gatheredTurn() > 0 ? 1 : group.loops[*plan.gathered].extent;
    gatherAddresses.push_back(e.allocateDm(
        type, (copies - 1) * static_cast<int64_t>(type.getByteSize())));
  }
  setInside(plan.pieces, true);
  behind = e.dmEnd;
}

/// Where the tiles of a step are.
void RingEmitter::moveTo(int64_t step) {
  int64_t load = plan.loadOf(step), chunk = 0;
  for (int64_t i = 0; i < load; ++i)
    chunk += plan.loads[i];
  e.first[group.k.back()] = chunk * group.loops[group.k.back()].tile;
  step /= static_cast<int64_t>(plan.loads.size());
  for (LoopId loop : llvm::reverse(plan.order)) {
    const Loop &l = group.loops[loop];
    e.first[loop] = step % l.tiles() * l.tile;
    step /= l.tiles();
  }
}

void RingEmitter::bring(int64_t step) {
  moveTo(step);
  std::vector<Value> values;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    // The steps' operands meet whole sums.
    bool isFactor = i < 2;
    if (!isFactor && !plan.finishesSums(step)) {
      values.push_back(Value());
      continue;
    }
    SmallVector<int64_t, 6> tile{isFactor ? plan.loadOf(step) : 0};
    for (LoopId loop : plan.order)
      tile.push_back(operand.access->uses(loop) ? e.first[loop] : 0);
    auto *found = llvm::find_if(operand.held, [&](const Operand::Held &held) {
      return held.dm && held.tile == tile;
    });
    if (found == operand.held.end()) {
      int64_t place = operand.next++ % operand.held.size();
      found = operand.held.begin() + place;
      std::optional<LoopId> chunks = isFactor ? chunkLoop(step) : std::nullopt;
      setInside(chunks, true);
      DmType type = e.operandType(*operand.access, operand.where);
      *found = {tile, e.bringOperand(*operand.access, type,
                                     operand.addresses[place])};
      setInside(chunks, false);
    }
    values.push_back(found->dm);
  }
  brought.push_back(std::move(values));
}

void RingEmitter::bringUpTo(int64_t step) {
  while (static_cast<int64_t>(brought.size()) <= std::min(step, plan.steps - 1))
    bring(brought.size());
}

/// Slices side by side, each with some elements of the sum of the rows of all,
/// give each other their rows.
Value RingEmitter::exchange(int64_t step) {
  Value dm = brought[step][0];
  if (!plan.exchanged || exchanged.first == dm)
    return plan.exchanged ? exchanged.second : dm;
  std::optional<LoopId> chunks = chunkLoop(step);
  setInside(chunks, true);
  Type type = group.rhs.tensor->elementType();
  const Loop &sum = group.loops[group.k.back()];
  const Loop &side = group.loops[*plan.exchanged];
  int64_t count = side.extent;
  int64_t flit = machine.flitBytes * 8 / type.getIntOrFloatBitWidth();
  Part rows = e.part(group.n.back());
  int64_t packet = std::gcd(flit, rows.size);
  Terms outer{chunks ? group.loops[*chunks].name : "",
              digitOf(sum, count, sum.tile / count)};
  Terms inner{refillTerm(), rows.block(packet)};
  Terms from = outer, to = outer;
  from.push_back(side.name);
  llvm::append_range(from, inner);
  llvm::append_range(to, inner);
  to.push_back(digitOf(sum, 1, count));
  int64_t inside = this->count(plan.refills) * (rows.size / packet);
  std::string inPacket = rows.inner(packet);
  auto number = [&](int64_t n) { return builder.getI64IntegerAttr(n); };
  Value stream = BeginOp::create(builder, loc, Context::Sub, dm);
  stream = FetchOp::create(builder, loc, stream, type, e.mapping(from),
                           e.mapping(inPacket));
  stream =
      SwitchOp::create(builder, loc, stream, SwitchTopology::InterTranspose,
                       number(count), number(1), number(inside), IntegerAttr(),
                       e.grid.getSlice(), e.mapping(to));
  if (packet != flit)
    inPacket += suffix("#", flit);
  stream = CollectOp::create(builder, loc, stream, e.mapping(to),
                             e.mapping(inPacket));
  Value given = CommitOp::create(builder, loc, stream, exchangedAddress,
                                 exchangedType(chunks).getElement());
  setInside(chunks, false);
  exchanged = {dm, given};
  return given;
}

/// A stationary tile along the sum, from one along its rows.
Value RingEmitter::turn(Value dm, std::optional<LoopId> chunks, int64_t place) {
  const Tensor &tensor = *group.rhs.tensor;
  Type type = tensor.elementType();
  const tcp_isa::TransposeFormat &format =
      *machine.transposeFormat(tensor.kind());
  const Loop &sum = group.loops[group.k.back()];
  int64_t taken = format.maxRows, packet = format.elementsPerPacket;
  int64_t flit = machine.flitBytes * 8 / tensor.bits();
  Part rows = e.part(group.n.back());
  Terms outer{chunks ? group.loops[*chunks].name : "",
              digitOf(sum, taken, sum.tile / taken), refillTerm(),
              rows.block(packet)};
  Terms time = outer, turnedTime = outer;
  time.push_back(digitOf(sum, 1, taken));
  std::string inPacket = rows.inner(packet);
  turnedTime.push_back(inPacket);
  auto padded = [&](std::string text, int64_t size) {
    return size == flit ? text : text + suffix("#", flit);
  };
  Value stream = BeginOp::create(builder, loc, Context::Main, dm);
  stream = FetchOp::create(builder, loc, stream, type, e.mapping(time),
                           e.mapping(inPacket));
  stream = CollectOp::create(builder, loc, stream, e.mapping(time),
                             e.mapping(padded(inPacket, packet)));
  stream =
      TransposeOp::create(builder, loc, stream, e.mapping(turnedTime),
                          e.mapping(padded(digitOf(sum, 1, taken), taken)));
  return CommitOp::create(builder, loc, stream, turnedAddresses[place],
                          turnedType(chunks).getElement());
}

/// The stationary tile of a step along the sum, turned if it is not yet.
Value RingEmitter::rowsOf(int64_t step) {
  Value dm = brought[step][0];
  if (!plan.turns)
    return dm;
  for (auto [from, to] : turned)
    if (from == dm)
      return to;
  int64_t place = turns++ % static_cast<int64_t>(turned.size());
  Value rows = exchange(step);
  std::optional<LoopId> chunks = chunkLoop(step);
  setInside(chunks, true);
  turned[place] = {dm, turn(rows, chunks, place)};
  setInside(chunks, false);
  return turned[place].second;
}

/// The rows of a refill in the register file, loaded if they are not there.
Value RingEmitter::stationaryFor(const Refill &at) {
  Value dm = rowsOf(at.step);
  for (auto [i, held] : llvm::enumerate(trfs))
    if (held.dm == dm && held.chunk == at.chunk && held.refill == at.refill) {
      half = i;
      return held.trf;
    }
  bool isFirst = !trfs[half].dm;
  half = plan.trfInHalves ? 1 - half : 0;
  // The sub context has no masks.
  bool isMasked = plan.sumEnd > 0 && isLastChunk(at);
  Context context =
      plan.trfInHalves && !isFirst && !isMasked ? Context::Sub : Context::Main;
  TrfAddress address = !plan.trfInHalves ? TrfAddress::Full
                       : half == 0       ? TrfAddress::FirstHalf
                                         : TrfAddress::SecondHalf;
  Value rows = e.tileAt(dm, chunkLoop(at.step), at.chunk);
  rows = e.tileAt(rows, plan.refills, at.refill);
  Value trf = e.emitStationary(rows, context, address, isLastChunk(at));
  trfs[half] = {dm, at.chunk, at.refill, trf};
  return trf;
}

/// The rows of the next refill, beside the passes of this one.
void RingEmitter::loadAhead(Refill at) {
  if (++at.refill == count(plan.refills)) {
    at.refill = 0;
    ++at.chunk;
  }
  if (at.chunk == plan.loads[plan.loadOf(at.step)]) {
    at.chunk = 0;
    ++at.step;
  }
  if (!plan.trfInHalves || at.step == plan.steps)
    return;
  int64_t now = half;
  stationaryFor(at);
  half = now;
}

void RingEmitter::emitPass(const Refill &at, int64_t piece, Value trf) {
  auto [step, chunkInStep, refill] = at;
  bool isFirst = plan.loadOf(step) == 0 && chunkInStep == 0;
  bool finishes = isLastChunk(at);
  e.moved.clear();
  for (auto [operand, dm] :
       llvm::drop_begin(llvm::zip(operands, brought[step]), 2)) {
    if (!dm)
      continue;
    Value part = dm;
    if (plan.pieces && operand.access->uses(*plan.pieces))
      part = e.tileAt(part, plan.pieces, piece);
    if (plan.refills && operand.access->uses(*plan.refills))
      part = e.tileAt(part, plan.refills, refill);
    e.moved.push_back({*operand.access, part});
  }
  if (plan.vrfInHalves)
    e.vrfBegin = passes % 2 * (machine.vrfBytesPerSlice / 2);
  ++passes;
  e.dmEnd = behind;
  Value stream = e.tileAt(brought[step][1], chunkLoop(step), chunkInStep);
  if (plan.pieces)
    stream = e.tileAt(stream, plan.pieces, piece);
  setInside(plan.pieces, false);
  setInside(plan.refills, false);
  StreamShape shape;
  Value products = e.emitRingContraction(stream, trf, finishes, shape);
  e.partial = Value();
  if (!isFirst)
    e.partial = e.tileAt(sums[refill], plan.pieces, piece);
  if (!finishes) {
    e.destination = {sumAddresses[refill], sums[refill], plan.pieces, piece};
    sums[refill] =
        e.emitPasses(products, shape, isFirst ? firstPasses : nextPasses,
                     group.computeType, Value());
  } else {
    int64_t address = resultAddresses[placeOf(step, piece)];
    Value &result = results[piece];
    if (plan.refills && refill == 0) {
      setInside(plan.refills, true);
      DmType type = resultType();
      setInside(plan.refills, false);
      result = FromAddressOp::create(builder, loc, type, address);
    }
    e.destination = {address, result, plan.refills, refill};
    e.storesUnits = plan.unitRows;
    result =
        e.emitPasses(products, shape, lastPasses, group.computeType, Value());
    e.storesUnits = false;
  }
  e.destination.reset();
  setInside(plan.pieces, true);
  setInside(plan.refills, true);
}

void RingEmitter::gather(int64_t step, int64_t piece) {
  if (!plan.gathered)
    return;
  setInside(plan.pieces, false);
  results[piece] =
      e.emitGathered(results[piece], gatherAddresses[placeOf(step, piece)]);
  setInside(plan.pieces, true);
}

void RingEmitter::store(int64_t step, int64_t piece) {
  moveTo(step);
  setInside(plan.pieces, false);
  Value result = results[piece];
  if (plan.pieces)
    e.first[*plan.pieces] = piece;
  GroupEmitter::Offset offset = e.offsetOf(group.result);
  current = ToHbmViewOp::create(
      builder, loc, current.getType(), result, current, offset.indices,
      offset.steps, offset.constant, e.viewType(group.result, group.exact));
  if (plan.pieces)
    e.first[*plan.pieces] = 0;
  setInside(plan.pieces, true);
}

LogicalResult RingEmitter::emit() {
  Tensor *tensor = group.result.tensor;
  Value &value = e.kernel.values[tensor];
  if (!value)
    value = FromAddressOp::create(builder, loc, e.kernel.typeOf(*tensor),
                                  tensor->address);
  current = value;
  for (LoopId loop : plan.chunkLoops)
    setInside(loop, false);
  // Behind the products of the first chunk, of the last one, and of others.
  chunkSteps = getChunkSteps(group);
  firstPasses = assignPasses({}, group.computeType, group.computeType);
  nextPasses = assignPasses(ArrayRef(chunkSteps).take_front(),
                            group.computeType, group.computeType);
  lastPasses = assignPasses(plan.chunks > 1 ? chunkSteps : group.steps,
                            group.computeType, group.resultType());
  allocate();
  bringUpTo(0);
  int64_t refills = count(plan.refills), pieces = count(plan.pieces);
  for (int64_t step = 0; step < plan.steps; ++step) {
    bringUpTo(step + 1);
    int64_t chunks = plan.loads[plan.loadOf(step)];
    // Stores wait for the tensor unit, and DMA keeps its order: what the step
    // after the next one reads comes before them, if results can wait.
    bool storesLater = step + 1 < plan.steps &&
                       static_cast<int64_t>(resultAddresses.size()) >= pieces;
    for (int64_t i = 0; i < chunks * refills; ++i) {
      Refill at{step, i / refills, i % refills};
      bool isLast = plan.finishesSums(step) && i + 1 == chunks * refills;
      Value trf = stationaryFor(at);
      for (int64_t piece = 0; piece < pieces; ++piece) {
        moveTo(step);
        emitPass(at, piece, trf);
        // Loads of the next step go on as long as they can.
        int64_t all = chunks * refills * pieces;
        if (i * pieces + piece + 1 ==
                std::max<int64_t>(1, all - plan.exchangeAhead) &&
            step + 1 < plan.steps)
          exchange(step + 1);
        // As late as it can be: the sub context keeps its order, and what it
        // loads for passes must not wait for DMA of the next step.
        if (piece == std::max<int64_t>(0, pieces - plan.trfAhead))
          loadAhead(at);
        // What the sub context puts side by side comes behind what it loads for
        // the next pass.
        if (isLast && piece > 0)
          gather(step, piece - 1);
        if (isLast && piece > 0 && !storesLater)
          store(step, piece - 1);
      }
      if (!isLast)
        continue;
      gather(step, pieces - 1);
      bringUpTo(step + 2);
      for (int64_t piece = storesLater ? 0 : pieces - 1; piece < pieces;
           ++piece)
        store(step, piece);
    }
  }
  value = current;
  return success();
}

LogicalResult GroupEmitter::emitRings() { return RingEmitter(*this).emit(); }
