//===- EmitWeightStreams.cpp - Weights that stream past activations -------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group by a plan of weight streams (WeightStream.h):
//
//   activations  from HBM to some slices, around the switch, to the TRF
//   weights      load by load; in each, pass by pass: the pass' scales to the
//                VRF, the weights through the contraction, times the scales,
//                added; the sums to DM
//   result       the sums from DM, added over slices, the steps, to HBM
//
// Where the weights lie across the sum, the activations go to DM, and with each
// load its part of them to the TRF; a pass before the others turns the load:
//
//   [cells, elements, rows] -> [rows, cells, elements]
//
// Loads of what the host has sent come before the store of the group before,
// which waits for the tensor unit; DM is the groups' in halves by turns.
//
//===----------------------------------------------------------------------===//

#include "GroupEmitter.h"
#include "WeightStream.h"
#include <numeric>

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;
using namespace sequin::tcp;

namespace sequin::linalg_to_tcp {

/// Emits the group of a GroupEmitter.
class WeightStreamEmitter {
public:
  explicit WeightStreamEmitter(GroupEmitter &emitter)
      : e(emitter), group(e.group), plan(*group.weightStream),
        machine(e.machine), builder(e.builder), loc(e.loc) {}

  void makeGrids();
  LogicalResult emit();

private:
  // Text.
  std::string name(LoopId loop) const {
    return group.loops[loop].extent == 1 ? "" : group.loops[loop].name;
  }
  /// Digit `(loop / unit) % count` of a loop of `size`.
  static std::string digit(const std::string &loop, int64_t size, int64_t unit,
                           int64_t count);
  std::string cells(int64_t count) const {
    return digit(name(plan.cell), plan.cells, 1, count);
  }
  std::string stepCells() const { return cells(plan.stepCells); }
  std::string cellBlocks(int64_t unit) const {
    return digit(name(plan.cell), plan.cells, unit, plan.cells / unit);
  }
  /// Cells with their elements, `count` of them, `unit` elements at a time:
  /// which ones, and what is in them.
  std::pair<Terms, Terms> cutCells(int64_t count, int64_t unit) const;
  std::string stepRows() const {
    return digit(name(plan.row), plan.rows, 1, plan.stepRows);
  }
  /// The first rows of all, or of a part.
  std::string firstRows(int64_t count, const std::string &of,
                        int64_t size) const;
  std::string passRows() const {
    return firstRows(plan.passRows, name(plan.row), plan.rows);
  }
  int64_t openRows() const;
  std::string scaleCells() const {
    std::string text = name(plan.cell).empty() ? "1" : name(plan.cell);
    return plan.scaleCells == plan.cells ? name(plan.cell)
                                         : text + suffix("#", plan.scaleCells);
  }
  std::string tokens() const { return plan.token ? name(*plan.token) : ""; }
  stream::MappingAttr mapping(const Terms &terms) const {
    return e.mapping(ArrayRef<std::string>(terms));
  }
  static Terms join(std::initializer_list<Terms> lists) {
    Terms all;
    for (const Terms &terms : lists)
      all.append(terms.begin(), terms.end());
    return all;
  }
  Terms sliceTerms() const;
  /// A view of the tensor whose parts lie as far apart as their strides say.
  HbmType
  stridedView(const Access &access,
              ArrayRef<std::tuple<std::string, int64_t, LoopId>> parts) const;

  // Steps.
  Value load(const Access &access, HbmType view, DmType type, int64_t offset,
             int64_t address);
  Value loadScales();
  Value loadWeights(int64_t step);
  Value loadActivations();
  Value takeActivations(int64_t step);
  Value turn(Value weights);
  void emitPass(int64_t step, int64_t pass, Value weights, Value scales);
  void emitTurned(int64_t step, Value weights);
  Value scalesToVrf(Value scales, int64_t firstRow);
  Value multiply(Value weights, Value trf);
  Value scaleAndAdd(Value products, Value vrf);
  Value addSums(Value products);
  int64_t sumsPerWord() const {
    return machine.commitAlignBytes * 8 /
           group.computeType.getIntOrFloatBitWidth();
  }
  DmType sumsType() const;
  Value finish();
  Value emitGathered(Value result);

  GroupEmitter &e;
  Group &group;
  const WeightStreamPlan &plan;
  const TcpMachine &machine;
  OpBuilder &builder;
  Location loc;
  Value activations; ///< in the TRF, those of all loads in DM
  Value sums;
  /// Where weights are in DM, and those that have been turned.
  SmallVector<int64_t, 2> weightPlaces;
  std::optional<int64_t> turnedPlace, sumsPlace;
  int64_t passes = 0;
};

} // namespace sequin::linalg_to_tcp

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string WeightStreamEmitter::digit(const std::string &loop, int64_t size,
                                       int64_t unit, int64_t count) {
  if (loop.empty() || count == 1)
    return "";
  std::string text = loop;
  if (unit * count != size)
    text += suffix("%", unit * count);
  if (unit != 1)
    text += suffix("/", unit);
  return text;
}

std::pair<Terms, Terms> WeightStreamEmitter::cutCells(int64_t count,
                                                      int64_t unit) const {
  std::string cell = name(plan.cell), element = name(plan.element);
  if (unit >= plan.cellSize) {
    int64_t inside = unit / plan.cellSize;
    return {{digit(cell, plan.cells, inside, count / inside)},
            {digit(cell, plan.cells, 1, inside), element}};
  }
  return {{digit(cell, plan.cells, 1, count),
           digit(element, plan.cellSize, unit, plan.cellSize / unit)},
          {digit(element, plan.cellSize, 1, unit)}};
}

std::string WeightStreamEmitter::firstRows(int64_t count, const std::string &of,
                                           int64_t size) const {
  return count == size ? of : of + suffix("=", count);
}

/// As the networks of DM take turns.
Terms WeightStreamEmitter::sliceTerms() const {
  Terms terms;
  for (const SliceDigit &part : getSliceOrder(plan, machine)) {
    LoopId loop = part.of == SliceDigit::Of::Cluster   ? plan.cluster
                  : part.of == SliceDigit::Of::SumPart ? plan.sumPart
                                                       : plan.slice;
    terms.push_back(
        digit(name(loop), group.loops[loop].extent, part.unit, part.count));
  }
  return terms;
}

HbmType WeightStreamEmitter::stridedView(
    const Access &access,
    ArrayRef<std::tuple<std::string, int64_t, LoopId>> parts) const {
  const Tensor &tensor = *access.tensor;
  SmallVector<std::tuple<int64_t, std::string, int64_t>> sorted;
  for (const auto &[text, size, loop] : parts)
    if (size > 1 && access.uses(loop))
      sorted.push_back({access.strideOf(loop), text, size});
  llvm::sort(sorted);
  MemoryText text;
  for (const auto &[stride, term, size] : sorted)
    text.add(term, size, stride);
  text.pad(
      llvm::alignTo(text.size(), machine.dmaAlignBytes * 8 / tensor.bits()));
  return HbmType::get(builder.getContext(), tensor.elementType(), e.axes,
                      e.kernel.chip, e.mapping(text.str()));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

void WeightStreamEmitter::makeGrids() {
  auto gridOf = [&](Terms slices) {
    std::string cluster = name(plan.cluster);
    if (plan.clusters != machine.clustersPerChip)
      cluster = "1" + suffix("#", machine.clustersPerChip);
    return GridAttr::get(builder.getContext(), e.axes, e.kernel.chip,
                         e.mapping(cluster.empty() ? "1" : cluster),
                         mapping(slices));
  };
  std::string sums = name(plan.sumPart), rows = name(plan.slice);
  if (plan.rowParts != plan.rowSlots)
    rows = (rows.empty() ? "1" : rows) + suffix("#", plan.rowSlots);
  std::string added = sums.empty() ? "" : "1" + suffix("#", plan.sumParts);
  e.weightGrid = gridOf({rows, sums});
  e.grid = gridOf({rows, added});
  e.gatherGrid = gridOf(
      {digit(rows, plan.rowParts, plan.gathered, plan.rowParts / plan.gathered),
       plan.gathered == 1 ? "" : std::to_string(plan.gathered), added});
  e.streamGrid = e.weightGrid;
  if (plan.spreadCells > 0) {
    int64_t slices = plan.cells / plan.spreadCells;
    std::string part = cellBlocks(plan.spreadCells);
    if (slices != plan.rowParts)
      part = (part.empty() ? "1" : part) + suffix("#", plan.rowParts);
    e.streamGrid = gridOf({part, sums});
  }
}

void GroupEmitter::makeWeightGrids() { WeightStreamEmitter(*this).makeGrids(); }

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value WeightStreamEmitter::load(const Access &access, HbmType view, DmType type,
                                int64_t offset, int64_t address) {
  for (auto [dim, index] : llvm::enumerate(access.dims))
    offset += access.tensor->distance(dim, index.offset);
  Value source =
      ViewOp::create(builder, loc, view, e.kernel.values.lookup(access.tensor),
                     ValueRange(), ArrayRef<int64_t>(), offset);
  return ToDmOp::create(builder, loc, type, source, address);
}

Value WeightStreamEmitter::loadScales() {
  const Access &access = group.scale;
  std::string row = name(plan.row);
  HbmType view;
  if (plan.ordered) {
    Terms terms = join(
        {{digit(row, plan.rows, plan.scaleRows, plan.rows / plan.scaleRows)},
         sliceTerms(),
         {digit(row, plan.rows, 1, plan.scaleRows), scaleCells()}});
    view = HbmType::get(builder.getContext(), access.tensor->elementType(),
                        e.axes, e.kernel.chip, mapping(terms));
  } else {
    auto whole = [&](LoopId loop) {
      return std::tuple(name(loop), group.loops[loop].extent, loop);
    };
    view = stridedView(access,
                       {whole(plan.cluster), whole(plan.slice), whole(plan.row),
                        whole(plan.sumPart), whole(plan.cell)});
  }
  auto type = DmType::get(builder.getContext(), access.tensor->elementType(),
                          e.weightGrid, mapping({row, scaleCells()}));
  return load(access, view, type, 0, e.allocateDm(type));
}

Value WeightStreamEmitter::loadWeights(int64_t step) {
  const Access &access = group.rhs;
  Type type = access.tensor->elementType();
  std::string row = name(plan.row), element = name(plan.element);
  HbmType view;
  Terms inDm;
  if (plan.ordered) {
    Terms outer{cellBlocks(plan.runCells), digit(row, plan.rows, plan.runRows,
                                                 plan.stepRows / plan.runRows)},
        inner{digit(row, plan.rows, 1, plan.runRows), cells(plan.runCells),
              element};
    view = HbmType::get(builder.getContext(), type, e.axes, e.kernel.chip,
                        mapping(join({outer, sliceTerms(), inner})));
    inDm = {cellBlocks(plan.runCells), stepRows(), cells(plan.runCells),
            element};
  } else {
    auto whole = [&](LoopId loop) {
      return std::tuple(name(loop), group.loops[loop].extent, loop);
    };
    view = stridedView(access, {whole(plan.cluster),
                                whole(plan.slice),
                                {stepRows(), plan.stepRows, plan.row},
                                whole(plan.sumPart),
                                {stepCells(), plan.stepCells, plan.cell},
                                whole(plan.element)});
    inDm = plan.across ? Terms{stepCells(), element, row}
                       : Terms{stepRows(), name(plan.cell), element};
  }
  auto dm =
      DmType::get(builder.getContext(), type, e.weightGrid, mapping(inDm));
  if (weightPlaces.empty())
    for (int64_t i = 0; i < std::min<int64_t>(2, plan.steps); ++i)
      weightPlaces.push_back(e.allocateDm(dm));
  int64_t offset = 0;
  for (auto [dim, index] : llvm::enumerate(access.dims))
    for (auto [loop, coefficient] : index.terms)
      if (loop == (plan.across ? plan.cell : plan.row))
        offset = access.tensor->distance(
            dim, coefficient * step *
                     (plan.across ? plan.stepCells : plan.stepRows));
  return load(access, view, dm, offset,
              weightPlaces[step % weightPlaces.size()]);
}

/// To the register file of all slices, unless the group before has left them
/// there; to their DM if each load takes its part of them.
Value WeightStreamEmitter::loadActivations() {
  const Access &access = group.lhs;
  Type type = access.tensor->elementType();
  auto whole = [&](LoopId loop) {
    return std::tuple(name(loop), group.loops[loop].extent, loop);
  };
  SmallVector<std::tuple<std::string, int64_t, LoopId>> parts{
      whole(plan.sumPart), whole(plan.cell), whole(plan.element)};
  if (plan.token)
    parts.push_back(whole(*plan.token));
  int64_t held = plan.spreadCells ? plan.spreadCells : plan.cells;
  std::string element = name(plan.element);
  auto dm = DmType::get(builder.getContext(), type, e.streamGrid,
                        mapping({tokens(), cells(held), element}));
  int64_t flit = machine.flitBytes * 8 / access.tensor->bits();
  // All cells, and what pads them to the slices that pass them around.
  int64_t all = plan.spreadCells ? plan.spreadCells * plan.rowParts : held;
  std::string stored = name(plan.cell);
  if (all != plan.cells)
    stored = (stored.empty() ? "1" : stored) + suffix("#", all);
  std::string row = tokens();
  Terms inRow{stored, element};
  KernelEmitter::Activations &last = e.kernel.activations;
  if (!plan.across && last.trf && last.access == access && last.type == dm)
    return last.trf;

  Value source =
      load(access, stridedView(access, parts), dm, 0, e.allocateDm(dm));
  if (plan.across && plan.spreadCells == 0)
    return source;
  Value stream = BeginOp::create(builder, loc, Context::Sub, source);
  auto [outer, inner] = cutCells(held, flit);
  if (plan.spreadCells == 0) {
    stream = FetchOp::create(builder, loc, stream, type,
                             mapping(join({{row}, outer})), mapping(inner));
    stream = CollectOp::create(builder, loc, stream,
                               mapping(join({{row}, outer})), mapping(inner));
  } else {
    stream = FetchOp::create(builder, loc, stream, type, mapping({row}),
                             mapping({cells(held), element}));
    std::string turn = cellBlocks(plan.spreadCells);
    if (all != plan.cells)
      turn = (turn.empty() ? "1" : turn) + suffix("#", plan.rowParts);
    auto number = [&](int64_t n) { return builder.getI64IntegerAttr(n); };
    stream = SwitchOp::create(builder, loc, stream, SwitchTopology::Broadcast1,
                              number(plan.rowParts), number(plan.sumParts),
                              IntegerAttr(), IntegerAttr(),
                              e.weightGrid.getSlice(), mapping({row, turn}));
    stream =
        CollectOp::create(builder, loc, stream,
                          mapping(join({{row, turn}, outer})), mapping(inner));
  }
  if (plan.across) {
    auto all = DmType::get(builder.getContext(), type, e.weightGrid,
                           mapping({row, name(plan.cell), element}));
    return CommitOp::create(builder, loc, stream, e.allocateDm(all),
                            all.getElement());
  }
  Value trf = ToTrfOp::create(builder, loc, stream, TrfAddress::Full,
                              mapping({row}), mapping(inRow));
  last = {access, dm, trf};
  return trf;
}

/// Those of a load along the sum, to the register file.
Value WeightStreamEmitter::takeActivations(int64_t step) {
  Type type = group.lhs.tensor->elementType();
  int64_t flit = machine.flitBytes * 8 / group.lhs.tensor->bits();
  Value part = activations;
  if (plan.steps > 1) {
    std::string block = cellBlocks(plan.stepCells);
    part = TileOp::create(
        builder, loc, part, e.mapping(block), Value(),
        builder.getDenseI64ArrayAttr({step}), builder.getI64IntegerAttr(1),
        mapping({tokens(), block + suffix("=", 1) + suffix("#", plan.steps),
                 stepCells(), name(plan.element)}));
  }
  auto [outer, inner] = cutCells(plan.stepCells, flit);
  Terms time = join({{tokens()}, outer});
  Value stream = BeginOp::create(builder, loc, Context::Sub, part);
  stream = FetchOp::create(builder, loc, stream, type, mapping(time),
                           mapping(inner));
  stream =
      CollectOp::create(builder, loc, stream, mapping(time), mapping(inner));
  return ToTrfOp::create(
      builder, loc, stream,
      step % 2 ? TrfAddress::SecondHalf : TrfAddress::FirstHalf,
      mapping({tokens()}), mapping({stepCells(), name(plan.element)}));
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// A load whose rows are contiguous, along the sum.
Value WeightStreamEmitter::turn(Value weights) {
  const Tensor &tensor = *group.rhs.tensor;
  Type type = tensor.elementType();
  const tcp_isa::TransposeFormat &format =
      *machine.transposeFormat(tensor.kind());
  int64_t rows = format.maxRows, packet = format.elementsPerPacket;
  int64_t columns = 2 * packet;
  if (plan.rows % columns != 0)
    columns = packet;
  int64_t flit = machine.flitBytes * 8 / tensor.bits();
  std::string row = name(plan.row), element = name(plan.element);
  auto padded = [&](const std::string &text, int64_t size, int64_t to) {
    return size == to ? text : (text.empty() ? "1" : text) + suffix("#", to);
  };
  Terms outer{stepCells(),
              digit(element, plan.cellSize, rows, plan.cellSize / rows),
              digit(row, plan.rows, columns, plan.rows / columns)};
  Terms time = join({outer,
                     {digit(element, plan.cellSize, 1, rows),
                      digit(row, plan.rows, packet, columns / packet)}});
  std::string inPacket = digit(row, plan.rows, 1, packet);
  Value stream = BeginOp::create(builder, loc, Context::Main, weights);
  stream = FetchOp::create(builder, loc, stream, type, mapping(time),
                           e.mapping(inPacket));
  stream = CollectOp::create(builder, loc, stream, mapping(time),
                             e.mapping(padded(inPacket, packet, flit)));
  stream = TransposeOp::create(
      builder, loc, stream,
      mapping(join({outer, {digit(row, plan.rows, 1, columns)}})),
      e.mapping(padded(digit(element, plan.cellSize, 1, rows), rows, flit)));
  // Rows that follow each other begin in banks that do.
  int64_t sum = plan.stepCells * plan.cellSize;
  Terms along{stepCells(), element};
  auto dm = DmType::get(
      builder.getContext(), type, e.weightGrid,
      mapping({row, "[" + joinTerms(along) + "]" + suffix("#", sum + flit)}));
  if (!turnedPlace)
    turnedPlace = e.allocateDm(dm);
  return CommitOp::create(builder, loc, stream, *turnedPlace, dm.getElement());
}

/// The scales of some rows, as f32.
Value WeightStreamEmitter::scalesToVrf(Value scales, int64_t firstRow) {
  std::string row = name(plan.row), all = scaleCells();
  if (plan.passRows != plan.rows)
    scales =
        TileOp::create(builder, loc, scales, e.mapping(row), Value(),
                       builder.getDenseI64ArrayAttr({firstRow}),
                       builder.getI64IntegerAttr(plan.passRows),
                       mapping({passRows() + suffix("#", plan.rows), all}));
  int64_t lanes = machine.outputLanes;
  bool one = plan.scaleCells == lanes;
  std::string base = all.empty() ? "1" : all;
  Terms time{passRows(), one ? "" : base + suffix("/", lanes)};
  std::string packet = one ? base : base + suffix("%", lanes);
  Value stream = BeginOp::create(builder, loc, Context::Sub, scales);
  stream = FetchOp::create(builder, loc, stream, builder.getF32Type(),
                           mapping(time), e.mapping(packet));
  stream =
      CollectOp::create(builder, loc, stream, mapping(time), e.mapping(packet));
  // Two passes take turns.
  int64_t place = passes % 2 * (machine.vrfBytesPerSlice / 2);
  return ToVrfOp::create(builder, loc, stream, place,
                         mapping({passRows(), all}));
}

/// Codes of f4E2M1FN as numbers of another type, which has all of them.
static ElementsAttr makeE2m1Table(Type type) {
  SmallVector<Attribute> numbers;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  constexpr unsigned kCodes = 16, kBits = 4;
  for (unsigned code = 0; code < kCodes; ++code) {
    llvm::APFloat number(llvm::APFloat::Float4E2M1FN(),
                         llvm::APInt(kBits, code));
    bool losesInfo;
    number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    numbers.push_back(FloatAttr::get(type, number));
  }
  return DenseElementsAttr::get(RankedTensorType::get({kCodes}, type), numbers);
}

/// Rows of a pass whose sums are open at the same time: a divisor of all of
/// them, and no more than the accumulator holds.
int64_t WeightStreamEmitter::openRows() const {
  int64_t held = machine.accumulatorRegisters * machine.accumulatorColumns;
  int64_t rows = std::clamp<int64_t>(held / plan.tokens, 1, plan.passRows);
  while (plan.passRows % rows != 0)
    --rows;
  return rows;
}

/// The products of rows and activations: sums of cells, or of all.
Value WeightStreamEmitter::multiply(Value weights, Value trf) {
  Type type = group.lhs.tensor->elementType();
  int64_t flit = machine.flitBytes * 8 / group.lhs.tensor->bits();
  int64_t all = machine.lanes(group.lhs.tensor->kind());
  int64_t lanes = std::min(all, plan.columns * plan.cellSize);
  auto [packets, packet] = cutCells(plan.stepCells, lanes);
  auto [flits, inFlit] = cutCells(plan.stepCells, flit);
  Terms time = join({{passRows()}, packets}),
        flitTime = join({{passRows()}, flits});
  // Runs of rows follow each other in DM: rows that change first keep no
  // channel at one bank, beside which DMA could not work (MEM-06).
  if (plan.ordered && !group.scale && lanes % plan.cellSize == 0 &&
      lanes % flit == 0) {
    int64_t open = openRows();
    time = open == plan.passRows ? join({packets, {passRows()}})
                                 : join({{passRows() + suffix("/", open)},
                                         packets,
                                         {passRows() + suffix("%", open)}});
    flitTime = join({time, cutCells(lanes / plan.cellSize, flit).first});
  }
  // Packets of one flit are half empty.
  std::string full = joinTerms(packet);
  if (all != lanes)
    full = "[" + full + "]" + suffix("#", all);
  Value stream = BeginOp::create(builder, loc, Context::Main, weights);
  // The sub context has little to bring: its fetch engine helps.
  stream = FetchOp::create(
      builder, loc, stream, type, mapping(time), mapping(packet), TypedAttr(),
      group.rhs.tensor->isE2m1 ? makeE2m1Table(type) : ElementsAttr(),
      DenseI64ArrayAttr(), /*dual_channel=*/true);
  stream = CollectOp::create(builder, loc, stream, mapping(flitTime),
                             mapping(inFlit));
  stream = AlignOp::create(builder, loc, stream, trf, mapping(time),
                           e.mapping(full));
  if (!group.scale) {
    stream = ContractOp::create(builder, loc, stream, /*max=*/UnitAttr(),
                                e.mapping("1"));
    std::string row = tokens().empty() ? "1" : tokens();
    if (plan.tokens != machine.outputLanes)
      row += suffix("#", machine.outputLanes);
    return AccumulateOp::create(builder, loc, stream,
                                AccumulationKind::Interleaved,
                                mapping({passRows()}), e.mapping(row));
  }
  std::string columns = plan.columns == 1 ? "1" : cells(plan.columns);
  stream = ContractOp::create(builder, loc, stream, /*max=*/UnitAttr(),
                              e.mapping(columns));
  return AccumulateOp::create(
      builder, loc, stream, AccumulationKind::Sequential,
      mapping({passRows(), cellBlocks(plan.columns), tokens()}),
      e.mapping(columns + suffix("#", machine.outputLanes)));
}

/// Every sum of a cell times its scale, added over the cells.
Value WeightStreamEmitter::scaleAndAdd(Value products, Value vrf) {
  int64_t half = machine.outputLanes / 2;
  std::string columns = plan.columns == 1 ? "1" : cells(plan.columns);
  if (plan.columns != half)
    columns += suffix("#", half);
  Value stream = VectorInitOp::create(builder, loc, products);
  stream = VectorIntraSliceBranchOp::create(builder, loc, stream,
                                            BranchMode::Unconditional);
  stream = VectorTrimWay4Op::create(builder, loc, stream, e.mapping(columns));
  stream = VectorFpBinaryOp::create(builder, loc, stream, FpBinaryOp::MulF0,
                                    Attribute(), vrf);
  if (plan.cells > 1)
    stream = VectorIntraSliceReduceOp::create(
        builder, loc, stream, IntraSliceReduceKind::Add,
        group.loops[plan.cell].name, mapping({passRows(), tokens()}),
        e.mapping("1" + suffix("#", half)));
  stream = VectorPadWay8Op::create(
      builder, loc, stream, e.mapping("1" + suffix("#", machine.outputLanes)));
  return VectorFinalOp::create(builder, loc, stream);
}

/// The sums of the loads before, in the VRF, are added to those of this one.
Value WeightStreamEmitter::addSums(Value products) {
  std::string row = name(plan.row);
  int64_t rows = machine.outputLanes / plan.tokens;
  Terms time{digit(row, plan.rows, rows, plan.rows / rows)},
      packet{digit(row, plan.rows, 1, rows), tokens()};
  // The sub context picks no words apart.
  Context context = plan.tokens == 1 ? Context::Main : Context::Sub;
  Value before = BeginOp::create(builder, loc, context, sums);
  before = FetchOp::create(builder, loc, before, group.computeType,
                           mapping(time), mapping(packet));
  before =
      CollectOp::create(builder, loc, before, mapping(time), mapping(packet));
  before = ToVrfOp::create(builder, loc, before, 0, mapping({row, tokens()}));
  Value stream = VectorInitOp::create(builder, loc, products);
  stream = VectorIntraSliceBranchOp::create(builder, loc, stream,
                                            BranchMode::Unconditional);
  stream = VectorClipOp::create(builder, loc, stream, ClipOp::Add, Attribute(),
                                before);
  return VectorFinalOp::create(builder, loc, stream);
}

/// Of all rows; each in whole words.
DmType WeightStreamEmitter::sumsType() const {
  Terms terms{name(plan.row), tokens()};
  if (group.scale || plan.tokens == 1)
    terms.push_back("1" + suffix("#", sumsPerWord()));
  return DmType::get(builder.getContext(), group.computeType, e.weightGrid,
                     mapping(terms));
}

void WeightStreamEmitter::emitPass(int64_t step, int64_t pass, Value weights,
                                   Value scales) {
  int64_t first = step * plan.stepRows + pass * plan.passRows;
  Value vrf;
  if (scales)
    vrf = scalesToVrf(scales, first);
  std::string row = name(plan.row), rows = stepRows();
  if (plan.passRows != plan.stepRows) {
    std::string cut =
        rows + suffix("=", plan.passRows) + suffix("#", plan.stepRows);
    Terms element = plan.ordered
                        ? Terms{cellBlocks(plan.runCells), cut,
                                cells(plan.runCells), name(plan.element)}
                        : Terms{cut, name(plan.cell), name(plan.element)};
    weights = TileOp::create(
        builder, loc, weights, e.mapping(rows), Value(),
        builder.getDenseI64ArrayAttr({pass * plan.passRows}),
        builder.getI64IntegerAttr(plan.passRows), mapping(element));
  }
  Value stream = multiply(weights, activations);
  if (scales)
    stream = scaleAndAdd(stream, vrf);
  ++passes;
  DmType dm = sumsType();
  if (!sums)
    sums = FromAddressOp::create(builder, loc, dm, e.allocateDm(dm));
  if (plan.passRows == plan.rows) {
    auto place = sums.getDefiningOp<FromAddressOp>();
    sums = CommitOp::create(builder, loc, stream, place.getAddress(),
                            dm.getElement());
    place.erase();
    return;
  }
  std::string text = dm.getElement().getText().str();
  Terms element{passRows() + suffix("#", plan.rows) + text.substr(row.size())};
  sums = CommitViewOp::create(builder, loc, dm, stream, sums, e.mapping(row),
                              Value(), builder.getDenseI64ArrayAttr({first}),
                              builder.getI64IntegerAttr(plan.passRows),
                              mapping(element), stream::MappingAttr());
}

/// All rows of a load along the sum.
void WeightStreamEmitter::emitTurned(int64_t step, Value weights) {
  Value stream = multiply(turn(weights), takeActivations(step));
  if (sums)
    stream = addSums(stream);
  DmType dm = sumsType();
  if (!sumsPlace)
    sumsPlace = e.allocateDm(dm);
  sums = CommitOp::create(builder, loc, stream, *sumsPlace, dm.getElement());
}

/// The sums, over slices too, through the steps; the result in DM.
Value WeightStreamEmitter::finish() {
  StreamShape shape = e.resultStream(machine.outputLanes);
  Value stream = BeginOp::create(builder, loc, Context::Main, sums);
  stream = FetchOp::create(builder, loc, stream, group.computeType,
                           e.mapping(shape.time), e.mapping(shape.packet));
  stream = CollectOp::create(builder, loc, stream, e.mapping(shape.time),
                             e.mapping(shape.packet));
  if (plan.sumParts > 1) {
    stream = VectorInitOp::create(builder, loc, stream);
    stream = VectorInterSliceReduceOp::create(
        builder, loc, stream, InterSliceOp::Add, e.grid.getSlice(),
        e.mapping(shape.time));
    e.afterInterSlice = true;
  }
  std::vector<VectorPass> list =
      assignPasses(group.steps, group.computeType, group.resultType());
  Value result = e.emitPasses(stream, shape, list, group.computeType, Value());
  return plan.gathered > 1 ? emitGathered(result) : result;
}

/// Rows of neighbouring slices side by side, in each of these slices.
Value WeightStreamEmitter::emitGathered(Value result) {
  Type type = group.resultType();
  int64_t flit = machine.flitBytes * 8 / type.getIntOrFloatBitWidth();
  int64_t packet = std::gcd(flit, plan.rows);
  std::string row = name(plan.row);
  std::string block = digit(row, plan.rows, packet, plan.rows / packet);
  std::string side = digit(name(plan.slice), plan.rowParts, 1, plan.gathered);
  std::string inPacket = digit(row, plan.rows, 1, packet);
  auto number = [&](int64_t n) { return builder.getI64IntegerAttr(n); };
  Value stream = BeginOp::create(builder, loc, Context::Main, result);
  stream = FetchOp::create(builder, loc, stream, type,
                           mapping({tokens(), block}), e.mapping(inPacket));
  stream = SwitchOp::create(
      builder, loc, stream, SwitchTopology::Broadcast1, number(plan.gathered),
      number(plan.sumParts), IntegerAttr(), IntegerAttr(),
      e.gatherGrid.getSlice(), mapping({tokens(), block, side}));
  if (packet != flit)
    inPacket += suffix("#", flit);
  stream =
      CollectOp::create(builder, loc, stream, mapping({tokens(), block, side}),
                        e.mapping(inPacket));
  auto dm = DmType::get(builder.getContext(), type, e.gatherGrid,
                        mapping({tokens(), side, row}));
  return CommitOp::create(builder, loc, stream, e.allocateDm(dm),
                          dm.getElement());
}

//===----------------------------------------------------------------------===//
// The group
//===----------------------------------------------------------------------===//

LogicalResult WeightStreamEmitter::emit() {
  KernelEmitter &kernel = e.kernel;
  Tensor *tensor = group.result.tensor;
  if (!kernel.values[tensor])
    kernel.values[tensor] = FromAddressOp::create(
        builder, loc, kernel.typeOf(*tensor), tensor->address);
  e.dmEnd = kernel.usesSecondHalf ? machine.dmBytesPerSlice / 2 : 0;
  kernel.usesSecondHalf = !kernel.usesSecondHalf;

  // What is there from the start comes before the last store.
  bool waits = kernel.pendingStore != nullptr;
  if (waits &&
      (group.rhs.tensor->origin == Tensor::Origin::Computed ||
       (group.scale && group.scale.tensor->origin == Tensor::Origin::Computed)))
    kernel.flushStore();
  if (!waits)
    activations = loadActivations();
  Value scales = group.scale ? loadScales() : Value();
  Value next = loadWeights(0);
  kernel.flushStore();
  if (!activations)
    activations = loadActivations();
  auto loadOperands = [&] {
    for (const Step &step : group.steps)
      for (const Access *access : step.tensors())
        e.toDm(*access);
  };
  if (plan.steps == 1)
    loadOperands();
  for (int64_t step = 0; step < plan.steps; ++step) {
    Value weights = next;
    if (step + 2 == plan.steps)
      loadOperands();
    if (step + 1 < plan.steps)
      next = loadWeights(step + 1);
    if (plan.across) {
      emitTurned(step, weights);
      continue;
    }
    for (int64_t pass = 0; pass < plan.stepRows / plan.passRows; ++pass)
      emitPass(step, pass, weights, scales);
  }
  Value result = finish();
  // What it writes into is not what the register files hold.
  if (kernel.activations.access.tensor == tensor)
    kernel.activations = {};
  GroupEmitter::Offset offset = e.offsetOf(group.result);
  HbmType view = e.viewType(group.result, group.exact);
  kernel.pendingStore = [&kernel, tensor, result, offset, view, at = loc]() {
    Value &value = kernel.values[tensor];
    value = ToHbmViewOp::create(kernel.builder, at, value.getType(), result,
                                value, offset.indices, offset.steps,
                                offset.constant, view);
  };
  return success();
}

LogicalResult GroupEmitter::emitWeightStream() {
  return WeightStreamEmitter(*this).emit();
}
