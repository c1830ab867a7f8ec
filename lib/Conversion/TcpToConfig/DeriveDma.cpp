//===- DeriveDma.cpp - The loops of DMA operations ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DMA operation is walked as one nest over all chips, in several pieces where
// axes do not divide (DmaSides.h); SplitTransfers.cpp makes descriptors of it.
//
//===----------------------------------------------------------------------===//

#include "DmaSides.h"
#include "Walks.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;
using config::DmaIndirection;

using Pieces = std::vector<DmaLoops>;

//===----------------------------------------------------------------------===//
// Loops as attributes
//===----------------------------------------------------------------------===//

static stream::TransferAttr toAttr(MLIRContext *context, const DmaLoops &loops,
                                   bool followsStream) {
  SmallVector<int64_t> sizes, sources, destinations, alongs;
  SmallVector<StringAttr> terms;
  for (const DmaLoops::Loop &loop : loops.loops) {
    sizes.push_back(loop.size);
    sources.push_back(loop.source);
    destinations.push_back(loop.destination);
    alongs.push_back(followsStream ? loop.stream : loop.index);
    terms.push_back(StringAttr::get(context, loop.term));
  }
  auto isNone = [](auto list, auto isEmpty) {
    return llvm::all_of(list, isEmpty);
  };
  if (isNone(alongs, [](int64_t along) { return along == 0; }))
    alongs.clear();
  if (isNone(terms, [](StringAttr term) { return term.empty(); }))
    terms.clear();
  return stream::TransferAttr::get(
      context, sizes, sources, destinations, alongs, terms, loops.sourceBase,
      loops.destinationBase, followsStream ? loops.streamBase : loops.indexBase,
      loops.step);
}

DmaLoops derivation::readTransfer(stream::TransferAttr transfer,
                                  bool followsStream) {
  DmaLoops loops;
  ArrayRef<int64_t> alongs = transfer.getAlongs();
  for (size_t i = 0; i < transfer.getSizes().size(); ++i) {
    int64_t along = alongs.empty() ? 0 : alongs[i];
    loops.loops.push_back({transfer.getSizes()[i], transfer.getSources()[i],
                           transfer.getDestinations()[i],
                           followsStream ? 0 : along, followsStream ? along : 0,
                           ""});
  }
  loops.sourceBase = transfer.getFrom();
  loops.destinationBase = transfer.getTo();
  (followsStream ? loops.streamBase : loops.indexBase) = transfer.getAlong();
  return loops;
}

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

/// A sequencer has an entry per term of the stream, as the manual's have.
static void keepTerms(DmaLoops &loops, const AddressMap &order) {
  llvm::SmallVector<int64_t> strides;
  for (const AddressMap::Part &part : order.parts()) {
    int64_t stride = part.unitStride * part.mapping.size();
    for (const Mapping::Term &term : part.mapping.terms()) {
      Mapping alone =
          llvm::cantFail(Mapping::parse(term.text, part.mapping.axes()));
      strides.push_back(stride /= alone.size());
    }
  }
  for (int64_t stride : strides)
    for (size_t i = 0; i < loops.loops.size(); ++i) {
      DmaLoops::Loop outer = loops.loops[i], inner = outer;
      if (stride <= outer.stream || stride >= outer.stream * outer.size ||
          stride % outer.stream != 0)
        continue;
      inner.size = stride / outer.stream;
      if (outer.size % inner.size != 0)
        continue;
      outer.size /= inner.size;
      outer.source *= inner.size;
      outer.destination *= inner.size;
      outer.stream = stride;
      loops.loops[i] = outer;
      loops.loops.insert(loops.loops.begin() + i + 1, inner);
      break;
    }
}

/// Where a tensor is on chips, as text.
std::string derivation::describeChips(Type type, const TcpMachine &machine) {
  std::string text;
  for (const DmaSide::Part &part : dmaSideOf(type, machine).parts)
    if (part.stride >= kChipSpan / 8)
      text += part.mapping.str() + " x " + std::to_string(part.stride) + ", ";
  return text;
}

namespace {
/// Derives the loops of one operation.
class TransferDeriver {
public:
  TransferDeriver(Operation *op, const TcpMachine &machine)
      : op(op), machine(machine), ends(getDmaEnds(op)),
        from(dmaSideOf(ends.source, machine)),
        to(dmaSideOf(ends.destination, machine)) {}

  FailureOr<Pieces> run();

private:
  FailureOr<Pieces> move();
  FailureOr<Pieces> followStreams();
  FailureOr<Pieces> shuffle(ArrayRef<int64_t> sources);
  FailureOr<Pieces> indexed();
  LogicalResult fail(llvm::Error error) {
    return op->emitOpError() << "DMA: " << llvm::toString(std::move(error));
  }

  Operation *op;
  const TcpMachine &machine;
  DmaEnds ends;
  DmaSide from, to;
};
} // namespace

/// The rows of the tensor that a store is into a part of, in which the part
/// moves by whole rows; nothing if there are none.
static std::optional<PaddedRow> getPaddedRow(tcp::ToHbmViewOp op,
                                             int64_t base) {
  PaddedRow row;
  const Mapping &element =
      cast<tcp::HbmType>(op.getDestination().getType()).getElementMapping();
  for (const Factor &factor : llvm::reverse(element.factors())) {
    int64_t inner = row.pitch;
    row.pitch *= factor.extent;
    if (!factor.isPadded())
      continue;
    row.size = factor.first == 0 ? inner * factor.valid : 0;
    break;
  }
  if (row.size == 0 || llvm::any_of(op.getSteps(), [&](int64_t step) {
        return step % row.pitch != 0;
      }))
    return std::nullopt;
  row.begin = (static_cast<int64_t>(op.getOffset()) + base) % row.pitch;
  return row;
}

FailureOr<Pieces> TransferDeriver::move() {
  auto whole = walkPair(from, to);
  if (!whole)
    return fail(whole.takeError());
  bool isStore =
      from.memory == config::Memory::Dm && to.memory == config::Memory::Hbm;
  if (whole->size() != 1 || (to.memory != config::Memory::Dm && !isStore))
    return std::move(*whole);
  int64_t bits = getBitWidth(*tcp::getElementKind(ends.element));
  std::optional<PaddedRow> row;
  if (auto view = dyn_cast<tcp::ToHbmViewOp>(op); view && isStore) {
    row = getPaddedRow(view,
                       whole->front().destinationBase % (kChipSpan * 8 / bits));
    if (!row)
      return std::move(*whole);
  }
  extendRuns(from, to, bits, machine, row, whole->front());
  return std::move(*whole);
}

FailureOr<Pieces> TransferDeriver::followStreams() {
  auto whole = walkPair(from, to);
  int64_t expected = 0, found = 0;
  bool known = static_cast<bool>(whole);
  if (known)
    for (const DmaLoops &piece : *whole)
      expected += piece.elements();
  else
    llvm::consumeError(whole.takeError());
  AxisSizes table = ends.axes.getTable();
  Pieces pieces;
  for (auto stream : ends.streams.getAsRange<tcp::DmaStreamAttr>()) {
    auto resolve = [&](stream::MappingAttr mapping) {
      return llvm::cantFail(mapping.resolve(table));
    };
    Mapping packet = resolve(stream.getPacket());
    Mapping time = resolve(stream.getTime());
    Mapping slice = resolve(stream.getSlice());
    Mapping cluster = resolve(stream.getCluster());
    int64_t positions = packet.size() * time.size();
    AddressMap order;
    order.append(resolve(stream.getChip()),
                 positions * slice.size() * cluster.size());
    order.append(cluster, positions * slice.size());
    order.append(slice, positions);
    order.append(time, packet.size());
    order.append(packet, 1);
    auto loops = walkStream(from, to, order);
    if (!loops)
      return op->emitOpError() << "stream \"" << stream.getTime().getText()
                               << "\": " << llvm::toString(loops.takeError());
    found += loops->elements();
    keepTerms(*loops, order);
    pieces.push_back(std::move(*loops));
  }
  if (known && found != expected)
    return op->emitOpError() << "has streams of " << found
                             << " elements, the tensor has " << expected;
  return pieces;
}

/// Chip i gets what lies in chip `sources[i]`: a move of its own for each.
FailureOr<Pieces> TransferDeriver::shuffle(ArrayRef<int64_t> sources) {
  auto withoutChips = [](DmaSide side) {
    llvm::erase_if(side.parts, [](const DmaSide::Part &part) {
      return part.stride >= kChipSpan / 8;
    });
    return side;
  };
  auto inChip = walkPair(withoutChips(from), withoutChips(to));
  if (!inChip)
    return fail(inChip.takeError());
  int64_t span =
      kChipSpan * 8 / getBitWidth(*tcp::getElementKind(ends.element));
  Pieces pieces;
  for (auto [chip, source] : llvm::enumerate(sources))
    for (const DmaLoops &piece : *inChip) {
      DmaLoops &moved = pieces.emplace_back(piece);
      moved.sourceBase += source * span;
      moved.destinationBase += static_cast<int64_t>(chip) * span;
    }
  return pieces;
}

FailureOr<Pieces> TransferDeriver::indexed() {
  bool gathers = ends.indexedSide == DmaIndirection::Side::Source;
  auto loops =
      walkIndexed(gathers ? from : to, gathers ? to : from,
                  dmaSideOf(ends.indices.getType(), machine), ends.axis);
  if (!loops)
    return fail(loops.takeError());
  if (!gathers) {
    std::swap(loops->sourceBase, loops->destinationBase);
    for (DmaLoops::Loop &loop : loops->loops)
      std::swap(loop.source, loop.destination);
  }
  return Pieces{std::move(*loops)};
}

FailureOr<Pieces> TransferDeriver::run() {
  if (auto chips = dyn_cast<tcp::ChipShuffleOp>(op))
    return shuffle(chips.getSources());
  if (ends.indices)
    return indexed();
  if (ends.streams)
    return followStreams();
  if (!ends.isPerChip)
    return move();
  Mapping chips = cast<tcp::HbmType>(ends.source).getChipMapping();
  return shuffle(llvm::to_vector(llvm::seq<int64_t>(0, chips.validSize())));
}

FailureOr<SmallVector<Attribute>>
derivation::deriveTransfers(Operation *op, const TcpMachine &machine) {
  FailureOr<Pieces> pieces = TransferDeriver(op, machine).run();
  if (failed(pieces))
    return failure();
  bool followsStream = static_cast<bool>(getDmaEnds(op).streams);
  SmallVector<Attribute> attrs;
  for (const DmaLoops &piece : *pieces)
    attrs.push_back(toAttr(op->getContext(), piece, followsStream));
  return attrs;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool derivation::isDmaOp(Operation *op) {
  if (auto move = dyn_cast<tcp::ToHbmOp>(op))
    return !isa<tcp::HostType>(move.getInput().getType());
  return isa<tcp::ToDmOp, tcp::ToSpmOp, tcp::ChipShuffleOp, tcp::GatherOp,
             tcp::ScatterOp, tcp::ToHbmViewOp>(op);
}

static Type elementOf(Type type) {
  return TypeSwitch<Type, Type>(type)
      .Case<tcp::HbmType, tcp::SpmType, tcp::DmType>(
          [](auto tensor) { return tensor.getElementType(); });
}

static stream::AxesAttr axesOf(Type type) {
  if (auto dm = dyn_cast<tcp::DmType>(type))
    return dm.getGrid().getAxes();
  return TypeSwitch<Type, stream::AxesAttr>(type)
      .Case<tcp::HbmType, tcp::SpmType>(
          [](auto tensor) { return tensor.getAxes(); });
}

/// Whether `tensor` starts elsewhere on every chip.
static bool hasChipStarts(Value tensor) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
      if (!init)
        return false;
      tensor = init->get();
      continue;
    }
    auto tile = tensor.getDefiningOp<tcp::TileOp>();
    if (!tile)
      return false;
    if (tile.getStarts().size() > 1)
      return true;
    tensor = tile.getSource();
  }
}

DmaEnds derivation::getDmaEnds(Operation *op) {
  DmaEnds ends;
  ends.source = op->getOperand(0).getType();
  ends.destination = op->getResult(0).getType();
  TypeSwitch<Operation *>(op)
      .Case<tcp::ToHbmOp, tcp::ToDmOp, tcp::ToSpmOp>(
          [&](auto move) { ends.streams = move.getStreamsAttr(); })
      .Case([&](tcp::ToHbmViewOp move) {
        ends.destination = move.getView();
        ends.isPerChip =
            isa<tcp::HbmType>(ends.source) && hasChipStarts(move.getInput());
      })
      .Case([&](tcp::ChipShuffleOp) { ends.isPerChip = true; })
      .Case([&](tcp::GatherOp move) {
        ends.source = move.getTable().getType();
        ends.indices = move.getIndices();
        ends.axis = move.getAxis();
      })
      .Case([&](tcp::ScatterOp move) {
        ends.source = move.getInput().getType();
        ends.destination = move.getDestination().getType();
        ends.indices = move.getIndices();
        ends.indexedSide = DmaIndirection::Side::Destination;
        ends.axis = move.getAxis();
      });
  ends.axes = axesOf(ends.destination);
  ends.element = elementOf(ends.destination);
  // An index names every place of its axis.
  if (ends.indices) {
    bool gathers = ends.indexedSide == DmaIndirection::Side::Source;
    ends.indexCount = *axesOf(gathers ? ends.source : ends.destination)
                           .getTable()
                           .lookup(ends.axis);
  }
  return ends;
}
