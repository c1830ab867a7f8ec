//===- EmitGroup.cpp - Groups as passes of the tensor unit ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One tile of a group: what it reads goes from HBM to DM and from there, if it
// is stationary, to the register files; the stream passes through the engines;
// the result goes from DM to HBM. Loops around that go over the tiles. A sum
// that is cut goes over its chunks inside a tile, each adding to what the one
// before left in DM.
//
//===----------------------------------------------------------------------===//

#include "GroupEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <array>
#include <numeric>

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;
using namespace sequin::tcp;
using stream::AxesAttr;
using stream::MappingAttr;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

MappingAttr GroupEmitter::fill(const Terms &terms, int64_t used,
                               int64_t all) const {
  std::string text = joinTerms(terms);
  if (used == all)
    return mapping(text);
  if (terms.size() > 1)
    text = "[" + text + "]";
  return mapping(text + suffix("#", all));
}

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

std::string linalg_to_tcp::suffix(StringRef op, int64_t n) {
  return (" " + op + " " + Twine(n)).str();
}

void MemoryText::pad(int64_t size) {
  if (size == span)
    return;
  if (text.empty())
    text = "1";
  if (!single)
    text = "[" + text + "]";
  // Cut off is only padding: a step that ends behind the last row.
  text += suffix(size > span ? "#" : "=", size);
  single = true;
  span = size;
}

void MemoryText::add(StringRef name, int64_t size, int64_t stride) {
  pad(stride);
  single = text.empty();
  text = name.str() + (text.empty() ? "" : ", " + text);
  span = stride * size;
}

//===----------------------------------------------------------------------===//
// Axes and slices
//===----------------------------------------------------------------------===//

void GroupEmitter::makeAxes() {
  AxisSizes table;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (isInside(i))
      table.add(group.loops[i].name, group.loops[i].tile);
  kernel.addChipAxis(table);
  axes = AxesAttr::get(builder.getContext(), table);
  tileIndex.resize(group.loops.size());
  tilesPerRound.assign(group.loops.size(), 1);
  first.resize(group.loops.size());
  for (const Loop &loop : group.loops)
    count.push_back(loop.tile);
}

/// Neighbouring iterations of each loop but the dealt one; one loop goes over
/// `clusters`. How many slices of a cluster the loops tell apart.
int64_t GroupEmitter::addBlocks(int64_t clusters, Terms &clusterTerms,
                                Terms &sliceTerms) const {
  int64_t slices = 1;
  for (LoopId loop : group.parallel()) {
    Part p = part(loop);
    if (p.split == 1 || group.dealt == loop)
      continue;
    int64_t mine = p.split % clusters == 0 ? clusters : 1;
    clusters /= mine;
    int64_t rest = p.split / mine;
    slices *= rest;
    if (mine > 1)
      clusterTerms.push_back(
          p.name + (p.size == mine ? "" : suffix("/", p.size / mine)));
    if (rest == 1)
      continue;
    std::string term = p.name;
    if (p.local() != 1)
      term += suffix("/", p.local());
    if (mine > 1)
      term += suffix("%", rest);
    sliceTerms.push_back(term);
  }
  return slices;
}

/// Slices of clusters and DMA engines in turn: the first digit of the iteration
/// is the cluster, the next one the engine, the last one the slice.
void GroupEmitter::makeDealtGrid(int64_t clusters) {
  const Loop &loop = group.loops[*group.dealt];
  int64_t taken = group.dealtUnit;
  auto digit = [&](int64_t count) {
    std::string text = loop.name;
    if (count == 1)
      return std::string();
    if (taken > 1)
      text += suffix("/", taken);
    if (taken * count < loop.tile)
      text += suffix("%", count);
    taken *= count;
    return text;
  };
  int64_t engines = machine.slicesPerCluster / machine.slicesPerEngine;
  int64_t mine = loop.parts % clusters == 0 ? clusters : 1;
  std::string cluster = digit(mine);
  engines = std::gcd(engines, loop.parts / mine);
  std::string engine = digit(engines);
  std::string last = digit(loop.parts / mine / engines);
  Terms clusterTerms{cluster}, slices;
  int64_t used = loop.parts / mine / engines *
                 addBlocks(clusters / mine, clusterTerms, slices);
  slices.push_back(last);
  llvm::erase(slices, std::string());
  llvm::erase(clusterTerms, std::string());
  auto pad = [&](ArrayRef<std::string> terms, int64_t from, int64_t to) {
    std::string text = joinTerms(terms);
    if (from == to)
      return text;
    return (terms.size() > 1 ? "[" + text + "]" : text) + suffix("#", to);
  };
  std::string inEngine = pad(slices, used, machine.slicesPerCluster / engines);
  grid = GridAttr::get(
      builder.getContext(), axes, kernel.chip,
      mapping(pad(clusterTerms, clusters, machine.clustersPerChip)),
      mapping(joinTerms({engine, inEngine})));
}

/// Spreads the parts over slices; one loop goes over the clusters if one
/// cluster is not enough.
void GroupEmitter::makeGrid() {
  int64_t slices = 1;
  for (LoopId loop : group.parallel())
    slices *= group.loops[loop].parts;
  int64_t clusters =
      slices > machine.slicesPerCluster ? machine.clustersPerChip : 1;
  if (group.dealt)
    return makeDealtGrid(clusters);
  Terms clusterTerms, sliceTerms;
  addBlocks(clusters, clusterTerms, sliceTerms);
  grid = GridAttr::get(
      builder.getContext(), axes, kernel.chip,
      fill(clusterTerms, clusters, machine.clustersPerChip),
      fill(sliceTerms, slices / clusters, machine.slicesPerCluster));
}

/// The loop along which memory is contiguous.
std::optional<LoopId> GroupEmitter::innerLoop(const Access &access) const {
  if (!access.tensor->inner)
    return std::nullopt;
  std::optional<LoopId> along = access.dims[*access.tensor->inner].finest();
  return along && isInside(*along) ? along : std::nullopt;
}

MappingAttr GroupEmitter::viewElement(const Access &access, bool cut) const {
  const Tensor &tensor = *access.tensor;
  int64_t word = machine.dmaAlignBytes * 8 / tensor.bits();
  MemoryText text;
  LoopList loops = memoryLoops(access);
  for (LoopId loop : llvm::reverse(loops)) {
    const Loop &l = group.loops[loop];
    std::string name = l.name;
    int64_t size = l.tile;
    if (cut && l.extent < l.tile) {
      size = l.extent;
      name += suffix("=", size);
    }
    text.add(name, size, access.strideOf(loop));
  }
  text.pad(llvm::alignTo(text.size(), word));
  return mapping(text.str());
}

HbmType GroupEmitter::viewType(const Access &access, bool cut) const {
  return HbmType::get(builder.getContext(), access.tensor->elementType(), axes,
                      kernel.chip, viewElement(access, cut));
}

/// The same in the DM of a slice, close together.
Terms GroupEmitter::dmText(const Access &access) const {
  const Tensor &tensor = *access.tensor;
  int64_t word = machine.dmaAlignBytes * 8 / tensor.bits();
  LoopList loops = memoryLoops(access);
  Terms terms = locals(loops);
  if (std::optional<LoopId> inner = innerLoop(access)) {
    int64_t local = part(*inner).local();
    if (local == 1)
      terms.back() = "1" + suffix("#", word);
    else if (local % word != 0)
      terms.back() += suffix("#", llvm::alignTo(local, word));
  } else if (word > 1) {
    terms.push_back("1" + suffix("#", word));
  }
  return terms;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

GroupEmitter::Offset GroupEmitter::offsetOf(const Access &access) const {
  Offset offset;
  for (auto [dim, index] : llvm::enumerate(access.dims)) {
    const Tensor &tensor = *access.tensor;
    offset.constant += tensor.distance(dim, index.offset);
    for (auto [loop, coefficient] : index.terms) {
      int64_t stride = tensor.distance(dim, coefficient);
      offset.constant += tensor.distance(dim, first[loop] * coefficient);
      if (!tileIndex[loop])
        continue;
      offset.indices.push_back(tileIndex[loop]);
      offset.steps.push_back(tilesPerRound[loop] * group.loops[loop].tile *
                             stride);
    }
  }
  return offset;
}

/// Tensors that several steps read are moved once.
Value GroupEmitter::toDm(const Access &access) {
  for (const auto &[other, dm] : moved)
    if (other == access)
      return dm;
  Offset offset = offsetOf(access);
  Value view = ViewOp::create(builder, loc, viewType(access, /*cut=*/false),
                              kernel.values.lookup(access.tensor),
                              offset.indices, offset.steps, offset.constant);
  auto type = DmType::get(builder.getContext(), access.tensor->elementType(),
                          grid, mapping(dmText(access)));
  Value dm =
      ToDmOp::create(builder, loc, type, view,
                     allocateDm(type, getOverrunBytes(group, access, machine)));
  moved.push_back({access, dm});
  return dm;
}

Value GroupEmitter::commit(Value stream, ArrayRef<std::string> element,
                           std::optional<int64_t> address) {
  auto input = cast<StreamType>(stream.getType());
  auto type = DmType::get(builder.getContext(), input.getElementType(), grid,
                          mapping(element));
  return CommitOp::create(builder, loc, stream,
                          address ? *address : allocateDm(type),
                          mapping(element));
}

/// Loads a second operand of the vector engine: whole flits along the packet's
/// loop, or one element for all lanes. `inner` is the loop along which DM is
/// contiguous.
Value GroupEmitter::toVrf(Value dm, const LoopList &loops,
                          std::optional<LoopId> inner, Type from) {
  int64_t lanes = machine.outputLanes;
  LoopList outer = loops;
  bool along = group.packet && llvm::is_contained(loops, *group.packet);
  Terms time, element;
  std::string packet = "1" + suffix("#", lanes);
  if (along)
    llvm::erase(outer, *group.packet);
  time = element = locals(outer);
  Context context = Context::Main;
  if (along) {
    Part p = part(*group.packet);
    time.push_back(p.block(lanes));
    packet = p.inner(lanes);
    element.push_back(p.all());
    if (inner == *group.packet && getBitWidth(*getElementKind(from)) >= 8)
      context = Context::Sub;
  } else {
    element.push_back(packet);
  }
  Value stream = BeginOp::create(builder, loc, context, dm);
  stream = FetchOp::create(builder, loc, stream, computeTypeOf(from),
                           mapping(time), mapping(packet));
  stream =
      CollectOp::create(builder, loc, stream, mapping(time), mapping(packet));
  auto load = ToVrfOp::create(builder, loc, stream, vrfEnd, mapping(element));
  vrfEnd += llvm::alignTo(cast<VrfType>(load.getType()).getByteSize(),
                          machine.flitBytes);
  return load;
}

/// A tensor as elements of `type`, f32 or i32: widened, or its bits.
Value GroupEmitter::toVrf(const Access &access, Type type) {
  Type from = access.tensor->elementType();
  Value vrf = toVrf(toDm(access), memoryLoops(access), innerLoop(access), from);
  if (computeTypeOf(from) == type)
    return vrf;
  auto held = cast<VrfType>(vrf.getType());
  return BitcastOp::create(builder, loc,
                           VrfType::get(builder.getContext(), type,
                                        held.getGrid(), held.getElement()),
                           vrf);
}

/// What is in DM as the result is.
Value GroupEmitter::resultToVrf(Value dm) {
  LoopList loops = outerLoops();
  std::optional<LoopId> inner;
  if (hasLanes()) {
    loops.push_back(*group.packet);
    inner = *group.packet;
  }
  return toVrf(dm, loops, inner, group.computeType);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// One stage after the other; what they load and leave is there for all.
Value GroupEmitter::emitStages() {
  Value result;
  for (auto &stage : group.stages) {
    GroupEmitter emitter(kernel, stage);
    emitter.moved = std::move(moved);
    emitter.dmEnd = dmEnd;
    emitter.tileIndex = tileIndex;
    emitter.tilesPerRound = tilesPerRound;
    emitter.first = first;
    result = emitter.emitTile();
    moved = std::move(emitter.moved);
    moved.push_back({stage.result, result});
    dmEnd = emitter.dmEnd;
  }
  return result;
}

/// The reduced loops that are cut into chunks, the longest one last.
static LoopList getCutLoops(const Group &group) {
  LoopList cut;
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (group.loops[i].reduced && group.loops[i].tiles() > 1)
      cut.push_back(i);
  auto tiles = [&](LoopId id) { return group.loops[id].tiles(); };
  auto *longest = llvm::max_element(
      cut, [&](LoopId a, LoopId b) { return tiles(a) < tiles(b); });
  if (longest != cut.end())
    std::rotate(longest, longest + 1, cut.end());
  return cut;
}

/// All chunks of a tile; the result in DM. Whole chunks of the longest loop are
/// a loop, two per round since sums take turns in two places; the first chunk,
/// the last and a ragged one stand outside.
Value GroupEmitter::emitTile() {
  if (group.kind == Group::Kind::Rows)
    return emitStages();
  LoopList cut = getCutLoops(group);
  if (cut.empty())
    return emitChunk(Chunk());
  LoopId innermost = cut.pop_back_val();
  const Loop &inner = group.loops[innermost];
  int64_t whole = inner.extent / inner.tile, outer = 1;
  for (LoopId loop : cut)
    outer *= group.loops[loop].tiles();
  auto select = [&](LoopId loop, int64_t tile) {
    const Loop &l = group.loops[loop];
    first[loop] = tile * l.tile;
    count[loop] = std::min(l.tile, l.extent - first[loop]);
  };
  Chunk chunk;
  chunk.isLast = false;
  for (int64_t i = 0; i < outer; ++i) {
    int64_t rest = i;
    for (LoopId loop : llvm::reverse(cut)) {
      select(loop, rest % group.loops[loop].tiles());
      rest /= group.loops[loop].tiles();
    }
    bool isLastNest = i + 1 == outer;
    for (int64_t tile = 0; tile < inner.tiles();) {
      int64_t left = std::min(whole, inner.tiles() - isLastNest) - tile;
      if (chunk.sum && left / 2 > 1) {
        select(innermost, tile);
        chunk.sum = emitChunkLoop(chunk, innermost, left / 2);
        tile += left / 2 * 2;
        continue;
      }
      select(innermost, tile++);
      chunk.isLast = isLastNest && tile == inner.tiles();
      chunk.sum = emitChunk(chunk);
      chunk.place = 1 - chunk.place;
    }
  }
  return chunk.sum;
}

/// So many rounds of two chunks along `loop` from its first element on.
Value GroupEmitter::emitChunkLoop(Chunk chunk, LoopId loop, int64_t rounds) {
  OpBuilder::InsertionGuard guard(builder);
  auto constant = [&](int64_t n) {
    return arith::ConstantIndexOp::create(builder, loc, n);
  };
  auto nest = scf::ForOp::create(builder, loc, constant(0), constant(rounds),
                                 constant(1), ValueRange(chunk.sum));
  builder.setInsertionPointToEnd(nest.getBody());
  tileIndex[loop] = nest.getInductionVar();
  tilesPerRound[loop] = 2;
  chunk.sum = nest.getRegionIterArg(0);
  for (int64_t i : {0, 1}) {
    first[loop] += i * group.loops[loop].tile;
    chunk.sum = emitChunk(chunk);
    chunk.place = 1 - chunk.place;
  }
  scf::YieldOp::create(builder, loc, chunk.sum);
  tileIndex[loop] = Value();
  tilesPerRound[loop] = 1;
  return nest.getResult(0);
}

/// What the group does for the elements of one chunk; the sum so far, or the
/// result, in DM.
Value GroupEmitter::emitChunk(const Chunk &chunk) {
  bool isOnly = chunk.isLast && !chunk.sum;
  partial = chunk.sum;
  // Sums so far take turns in two places at the start of DM.
  if (!isOnly) {
    dmEnd = 0;
    moved.clear();
  }
  std::vector<Step> &steps = stepLists.emplace_back();
  if (partial)
    steps.push_back(makePartialStep(group));
  if (chunk.isLast)
    llvm::append_range(steps, group.steps);
  Type type = chunk.isLast ? group.resultType() : group.computeType;
  std::vector<VectorPass> allPasses =
      assignPasses(steps, group.computeType, type);
  ArrayRef<VectorPass> passes = allPasses;
  if (!isOnly) {
    auto sum = DmType::get(builder.getContext(), group.computeType, grid,
                           mapping(resultText(group.computeType)));
    int64_t bytes = dmBytesWithMargin(sum.getByteSize(), machine);
    dmEnd = 2 * bytes;
    // The pass that ends a chunk writes there.
    destination.reset();
    if (!chunk.isLast)
      destination = Destination{chunk.place * bytes, Value(), std::nullopt, 0};
  }
  StreamShape shape;
  Value stream, dm;
  if (group.kind == Group::Kind::Contraction) {
    stream = emitContraction(shape);
  } else if (group.kind == Group::Kind::Stream) {
    stream = emitStream(shape, passes);
  } else {
    dm = emitReduction();
    // As the passes after it read what it left.
    shape = resultStream(machine.outputLanes);
    if (steps.empty() && type == group.computeType && isOnly)
      return dm;
  }
  return emitPasses(stream, shape, passes, group.computeType, dm);
}

LogicalResult GroupEmitter::emit() {
  if (group.movesRows())
    return emitRows();
  if (group.kind == Group::Kind::Collective)
    return emitCollective();
  if (group.ring)
    return emitRings();
  if (group.weightStream)
    return emitWeightStream();
  Tensor *tensor = group.result.tensor;
  Value &value = kernel.values[tensor];
  if (!value)
    value = FromAddressOp::create(builder, loc, kernel.typeOf(*tensor),
                                  tensor->address);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<scf::ForOp, 4> loops;
  Value current = value;
  llvm::SmallBitVector open(group.loops.size());
  for (LoopId i = 0; i < group.loops.size(); ++i)
    if (group.loops[i].tiles() > 1)
      open.set(i);
  bool inChunks = !getCutLoops(group).empty();
  std::optional<LoopId> paired;
  for (LoopId loop : group.parallel()) {
    if (group.loops[loop].tiles() == 1)
      continue;
    // What is the same in all rounds is moved before them.
    for (Access *access : group.reads())
      if (!inChunks && llvm::none_of(open.set_bits(), [&](LoopId id) {
            return access->uses(id);
          }))
        toDm(*access);
    auto constant = [&](int64_t n) {
      return arith::ConstantIndexOp::create(builder, loc, n);
    };
    int64_t rounds = group.loops[loop].tiles();
    if (group.kind == Group::Kind::Rows && open.count() == 1 &&
        rounds % 2 == 0) {
      paired = loop;
      tilesPerRound[loop] = 2;
      rounds /= 2;
    }
    auto nest = scf::ForOp::create(builder, loc, constant(0), constant(rounds),
                                   constant(1), ValueRange(current));
    if (!loops.empty())
      scf::YieldOp::create(builder, loc, nest.getResults());
    loops.push_back(nest);
    open.reset(loop);
    tileIndex[loop] = nest.getInductionVar();
    current = nest.getRegionIterArg(0);
    builder.setInsertionPointToEnd(nest.getBody());
  }
  auto store = [&](Value result) {
    Offset offset = offsetOf(group.result);
    current = ToHbmViewOp::create(
        builder, loc, current.getType(), result, current, offset.indices,
        offset.steps, offset.constant, viewType(group.result, group.exact));
  };
  if (paired) {
    // DMA keeps its order: the second tile is loaded while the tensor unit
    // works on the first.
    int64_t tile = group.loops[*paired].tile;
    auto before = moved;
    std::array<decltype(moved), 2> loaded;
    for (int64_t i : {0, 1}) {
      first[*paired] = i * tile;
      moved = before;
      for (Access *access : group.reads())
        toDm(*access);
      loaded[i] = std::move(moved);
    }
    for (int64_t i : {0, 1}) {
      first[*paired] = i * tile;
      moved = std::move(loaded[i]);
      store(emitTile());
    }
  } else {
    store(emitTile());
  }
  if (loops.empty()) {
    value = current;
    return success();
  }
  scf::YieldOp::create(builder, loc, current);
  value = loops.front().getResult(0);
  return success();
}

/// The DMA engine copies rows from HBM to HBM: of a table that has an axis "V"
/// of rows, or to one. What it writes is the tensor under the names of its own
/// dimensions.
LogicalResult GroupEmitter::emitRows() {
  bool gathers = group.kind == Group::Kind::Gather;
  const Access &table = gathers ? group.stream : group.result;
  unsigned rowDim = gathers ? 0 : getRowDim(group);
  int64_t rowCount = table.tensor->type.getDimSize(rowDim);
  Tensor *tensor = group.result.tensor;
  AxisSizes names;
  names.add("V", rowCount);
  for (const Loop &loop : group.loops)
    if (loop.tile > 1)
      names.add(loop.name, loop.tile);
  kernel.addChipAxis(names);
  axes = AxesAttr::get(builder.getContext(), names);
  auto typeOf = [&](const Access &access) {
    const Tensor &memory = *access.tensor;
    MemoryText text;
    for (unsigned dim : llvm::reverse(memory.order)) {
      for (auto [loop, coefficient] : access.dims[dim].terms)
        if (isInside(loop))
          text.add(group.loops[loop].name, group.loops[loop].tile,
                   memory.strides[dim]);
      if (&access == &table && dim == rowDim)
        text.add("V", rowCount, memory.strides[dim]);
    }
    text.pad(memory.size);
    return HbmType::get(builder.getContext(), memory.elementType(), axes,
                        kernel.chip, mapping(text.str()));
  };
  auto view = [&](const Access &access) {
    return ViewOp::create(builder, loc, typeOf(access),
                          kernel.values.lookup(access.tensor), 0);
  };
  Value rows = view(group.stream), indices = view(group.rhs);
  StringAttr axis = builder.getStringAttr("V");
  Value moved;
  if (gathers)
    moved = GatherOp::create(builder, loc, typeOf(group.result), rows, indices,
                             axis, builder.getI64IntegerAttr(tensor->address));
  else
    moved = ScatterOp::create(builder, loc, typeOf(group.result), rows, indices,
                              axis, view(group.result));
  kernel.values[tensor] =
      ViewOp::create(builder, loc, kernel.typeOf(*tensor), moved, 0);
  return success();
}

/// How often the operations of a group are written one after the other.
static uint64_t unrolledSteps(const Group &group) {
  if (group.ring)
    return group.ring->steps;
  if (group.weightStream)
    return llvm::SaturatingMultiply<uint64_t>(group.weightStream->steps,
                                              group.weightStream->stepRows /
                                                  group.weightStream->passRows);
  LoopList cut = getCutLoops(group);
  uint64_t steps = 1;
  for (LoopId loop : cut)
    // Those outside the longest loop and the two of its round.
    steps = llvm::SaturatingMultiply<uint64_t>(
        steps, loop == cut.back()
                   ? std::min<int64_t>(group.loops[loop].tiles(), 6)
                   : group.loops[loop].tiles());
  for (const auto &stage : group.stages)
    steps = llvm::SaturatingAdd(steps, unrolledSteps(stage));
  return steps;
}

LogicalResult KernelEmitter::emitGroup(const Group &group) {
  uint64_t steps = unrolledSteps(group);
  if (steps > stepsLeft)
    return group.emitOpError()
           << "takes " << steps << " steps of its kernel one after the other; "
           << kMostUnrolledSteps << " are allowed in a program, of which "
           << stepsLeft << " are left: reduce in several operations";
  stepsLeft -= steps;
  if (!group.weightStream) {
    flushStore();
    activations = {};
  }
  return GroupEmitter(*this, group).emit();
}

static constexpr StringLiteral kChipAxis = "C";

void KernelEmitter::addChipAxis(AxisSizes &axes) const {
  if (program.chipsUsed > 1 && !axes.lookup(kChipAxis))
    axes.add(kChipAxis.str(), program.chipsUsed);
}

bool KernelEmitter::isOfHost(const Tensor &tensor) const {
  return tensor.origin != Tensor::Origin::Computed ||
         llvm::is_contained(program.results, &tensor);
}

/// Several copies of an argument have the host's sizes in common, whatever room
/// each of them has.
int64_t KernelEmitter::hostSize(const Tensor &tensor, unsigned dim) const {
  if (program.chipsUsed == 1)
    return tensor.allocated[dim];
  return tensor.type.getDimSize(dim) *
         (tensor.chipDim == dim ? program.chipsUsed : 1);
}

AxesAttr KernelEmitter::axesOf(const Tensor &tensor) const {
  AxisSizes table;
  for (unsigned dim = 0; dim < tensor.rank(); ++dim)
    table.add("D" + std::to_string(dim),
              isOfHost(tensor) ? hostSize(tensor, dim) : tensor.allocated[dim]);
  addChipAxis(table);
  return AxesAttr::get(builder.getContext(), table);
}

/// Chips differ in their block of what the host has, or by an axis of their
/// own.
MappingAttr KernelEmitter::chipOf(const Tensor &tensor) const {
  if (!isOfHost(tensor) || !tensor.chipDim)
    return chip;
  std::string text = "D" + std::to_string(*tensor.chipDim);
  if (int64_t block = tensor.type.getDimSize(*tensor.chipDim); block != 1)
    text += suffix("/", block);
  if (program.chipsUsed != program.chips)
    text += suffix("#", program.chips);
  return MappingAttr::get(builder.getContext(), text);
}

HbmType KernelEmitter::typeOf(const Tensor &tensor) const {
  bool ofHost = program.chipsUsed > 1 && isOfHost(tensor);
  // What one chip has of a dimension.
  auto nameOf = [&](unsigned dim) {
    std::string name = "D" + std::to_string(dim);
    if (ofHost && tensor.chipDim == dim)
      name += suffix("%", tensor.type.getDimSize(dim));
    return name;
  };
  auto sizeOf = [&](unsigned dim) {
    return ofHost ? tensor.type.getDimSize(dim) : tensor.allocated[dim];
  };
  auto typeWith = [&](const std::string &text) {
    return HbmType::get(builder.getContext(), tensor.elementType(),
                        axesOf(tensor), chipOf(tensor),
                        MappingAttr::get(builder.getContext(), text));
  };
  if (!tensor.digits.empty())
    return typeWith(describeDigits(tensor, nameOf));
  MemoryText text;
  for (unsigned dim : llvm::reverse(tensor.order))
    if (sizeOf(dim) > 1) {
      text.add(nameOf(dim), sizeOf(dim), tensor.strides[dim]);
    }
  text.pad(tensor.size);
  return typeWith(text.str());
}
