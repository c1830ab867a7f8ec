//===- TcpCommitShapes.cpp - What commit and transpose mappings imply -----===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"
#include "sequin/Machine/TcpIsa.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::tcp_isa;

int64_t tcp::countLeading(const Mapping &packet) {
  int64_t count = packet.size();
  while (count > 1 && !packet.at(count - 1))
    --count;
  return count;
}

Mapping tcp::takeLeading(const Mapping &packet, int64_t count) {
  return llvm::cantFail(Mapping::parse(
      "[" + packet.str() + "] = " + std::to_string(count), packet.axes()));
}

//===----------------------------------------------------------------------===//
// Commit
//===----------------------------------------------------------------------===//

/// How the stream walks the tensor, of each packet `packet`. The limits of a
/// machine are checked when it is configured.
static llvm::Expected<Derivation>
deriveWrite(StreamType input, const Mapping &packet, const Mapping &buffer) {
  DeriveOptions options;
  options.direction = Direction::Write;
  options.elementType = *getElementKind(input.getElementType());
  options.limits = {~0u, INT64_MAX, {}};
  return derive(AddressMap(buffer), input.getTimeMapping(), packet, options);
}

/// `kept`, unless a commit cannot keep so many elements (COM-03).
static FailureOr<int64_t> checkKept(StreamType input,
                                    stream::MappingAttr element, int64_t kept,
                                    EmitError emitError) {
  int64_t bytes =
      ::sequin::getByteSize(*getElementKind(input.getElementType()), kept);
  if (bytes % kCommitUnitBytes == 0)
    return kept;
  return emitError() << "commit to element \"" << element.getText()
                     << "\" keeps " << bytes << " bytes of packet \""
                     << input.getPacket().getText()
                     << "\", a commit keeps a multiple of " << kCommitUnitBytes
                     << " leading bytes";
}

static Mapping bufferOf(StreamType input, stream::MappingAttr element) {
  return llvm::cantFail(
      Mapping::parse(element.getText(), input.getGrid().getAxes().getTable()));
}

static FailureOr<Derivation>
deriveCommit(StreamType input, const Mapping &buffer, EmitError emitError) {
  Mapping packet = input.getPacketMapping();
  Type type = input.getElementType();
  int64_t flit = elementsIn(type, kFlitBytes);
  if (packet.size() != flit)
    return emitError() << "commit packet \"" << input.getPacket().getText()
                       << "\" has " << packet.size() << " elements of " << type
                       << ", one flit of " << kFlitBytes << " bytes holds "
                       << flit;
  return report(deriveWrite(input, packet, buffer), emitError, "commit");
}

FailureOr<int64_t> tcp::inferCommitElements(StreamType input,
                                            stream::MappingAttr element,
                                            EmitError emitError) {
  auto derived = deriveCommit(input, bufferOf(input, element), emitError);
  if (failed(derived))
    return failure();
  return checkKept(input, element, derived->initial.packetElements, emitError);
}

int64_t tcp::getPaddedElement(CommitViewOp view, int64_t kept) {
  Mapping whole = view.getDestination().getType().getElementMapping();
  llvm::Expected<Mapping> block = whole.modulo(kept);
  if (!block) {
    llvm::consumeError(block.takeError());
    return 1;
  }
  return block->validSize() == 1 ? kept : 1;
}

FailureOr<int64_t> tcp::inferViewElements(StreamType input, CommitViewOp view,
                                          EmitError emitError) {
  stream::MappingAttr element = view.getElement();
  Mapping buffer = bufferOf(input, element);
  auto derived = deriveCommit(input, buffer, emitError);
  if (failed(derived))
    return failure();
  int64_t kept = derived->initial.packetElements;
  Mapping packet = input.getPacketMapping();
  int64_t leading = countLeading(packet);
  // Padding of the part may belong to the rest of the tensor: where writing it
  // is more than the part holds, the data alone is.
  if (leading < kept && derived->initial.visitCount() !=
                            buffer.validSize() * getPaddedElement(view, kept)) {
    auto alone = deriveWrite(input, takeLeading(packet, leading), buffer);
    if (!alone)
      llvm::consumeError(alone.takeError());
    else if (alone->initial.visitCount() == buffer.validSize())
      kept = leading;
  }
  return checkKept(input, element, kept, emitError);
}

LogicalResult tcp::checkCommitSlices(GridAttr grid, stream::MappingAttr slices,
                                     EmitError emitError) {
  Mapping all = grid.getSliceMapping();
  auto part =
      report(Mapping::parse(slices.getText(), grid.getAxes().getTable()),
             emitError, "slices");
  if (failed(part))
    return failure();
  if (part->size() != all.size())
    return emitError() << "commits to slices \"" << slices.getText()
                       << "\", which are " << part->size()
                       << ", the stream has " << all.size();
  bool any = false;
  for (int64_t slice = 0; slice < all.size(); ++slice) {
    auto held = part->at(slice);
    any |= held.has_value();
    if (held && held != all.at(slice))
      return emitError() << "commits to slices \"" << slices.getText()
                         << "\", the stream has \"" << all.str()
                         << "\": they differ in slice " << slice;
  }
  if (!any)
    return emitError() << "commits to slices \"" << slices.getText()
                       << "\", which are none";
  return success();
}

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

namespace {
/// The stream in memory order of its matrices, and what became of it.
struct TransposeSides {
  Mapping input;  ///< time, then the elements of a packet that count
  Mapping output; ///< time, packet
  int64_t time, outTime;
  const TransposeFormat &format;
};
} // namespace

/// Whether matrices of rows x columns turn the input into the output.
static bool transposesBy(const TransposeSides &sides, int64_t rows,
                         int64_t columns, int64_t outRows) {
  int64_t matrix = rows * columns;
  std::string whole = "[" + sides.input.str() + "]";
  auto number = [](int64_t n) { return std::to_string(n); };
  std::string text = whole + " / " + number(matrix) + ", " + whole + " % " +
                     number(columns) + " = " + number(outRows) + ", [" + whole +
                     " / " + number(columns) + " % " + number(rows) + "] # " +
                     number(sides.format.outputAlignment);
  llvm::Expected<Mapping> expected = Mapping::parse(text, sides.input.axes());
  if (!expected) {
    llvm::consumeError(expected.takeError());
    return false;
  }
  return expected->isEquivalent(sides.output);
}

/// The sizes of a matrix, whatever they are: the limits are checked afterwards
/// so that a message can name them.
static std::optional<TransposeShape>
findTranspose(const TransposeSides &sides) {
  int64_t packet = sides.format.elementsPerPacket;
  int64_t most = sides.format.outputAlignment;
  for (int64_t packets = 1; packets <= sides.time && packets <= most; ++packets)
    for (int64_t rows = 1; rows <= sides.time && rows <= most; ++rows) {
      if (sides.time % (rows * packets) != 0)
        continue;
      int64_t matrices = sides.time / (rows * packets);
      if (sides.outTime % matrices != 0)
        continue;
      int64_t outRows = sides.outTime / matrices, columns = packets * packet;
      if (outRows <= columns && transposesBy(sides, rows, columns, outRows))
        return TransposeShape{rows, columns, outRows};
    }
  return std::nullopt;
}

FailureOr<TransposeShape> tcp::inferTranspose(TransposeOp op,
                                              EmitError emitError) {
  auto input = cast<StreamType>(op.getInput().getType());
  auto output = cast<StreamType>(op.getResult().getType());
  Type type = input.getElementType();
  ElementType kind = *getElementKind(type);
  int64_t bits = getBitWidth(kind);
  const auto *format =
      llvm::find_if(kTransposeFormats, [&](const TransposeFormat &candidate) {
        return candidate.bits == bits;
      });
  // i5 and i9 are on their way to the contraction.
  if (format == std::end(kTransposeFormats) || kind == ElementType::I5 ||
      kind == ElementType::I9)
    return emitError() << "transposes " << type
                       << ", the transpose engine takes elements of 4, 8, 16 "
                          "and 32 bits";
  for (auto [name, stream] :
       {std::pair("input", input), std::pair("output", output)})
    if (stream.getPacketMapping().size() != format->outputAlignment)
      return emitError() << name << " packet \"" << stream.getPacket().getText()
                         << "\" has " << stream.getPacketMapping().size()
                         << " elements of " << type << ", one flit of "
                         << kFlitBytes << " bytes holds "
                         << format->outputAlignment;
  // Unpack: what does not count has to be padding.
  Mapping packet = input.getPacketMapping();
  for (int64_t i = format->elementsPerPacket; i < packet.size(); ++i)
    if (packet.at(i))
      return emitError() << "packet \"" << input.getPacket().getText()
                         << "\" holds data at element " << i
                         << ", the transpose engine takes the first "
                         << format->elementsPerPacket << " elements of " << type
                         << " of each packet";
  Mapping counting = takeLeading(packet, format->elementsPerPacket);
  auto before = pairOf(input.getTimeMapping(), counting, emitError);
  if (failed(before))
    return failure();
  auto after =
      pairOf(output.getTimeMapping(), output.getPacketMapping(), emitError);
  if (failed(after))
    return failure();
  TransposeSides sides{*before, *after, input.getTimeMapping().size(),
                       output.getTimeMapping().size(), *format};
  std::optional<TransposeShape> shape = findTranspose(sides);
  if (!shape)
    return emitError() << "turns time \"" << input.getTime().getText()
                       << "\", packet \"" << input.getPacket().getText()
                       << "\" into time \"" << op.getTime().getText()
                       << "\", packet \"" << op.getPacket().getText()
                       << "\", which no exchange of the innermost time with "
                          "the packet does";
  if (shape->inRows > format->maxRows)
    return emitError() << "in_rows is " << shape->inRows
                       << ", the transpose engine takes at most "
                       << format->maxRows << " rows of " << type;
  if (!llvm::is_contained(format->columns, shape->inColumns)) {
    std::string allowed;
    for (int64_t columns : format->columns)
      if (columns)
        allowed += (allowed.empty() ? "" : ", ") + std::to_string(columns);
    return emitError() << "in_cols is " << shape->inColumns << ", allowed for "
                       << type << " are " << allowed;
  }
  if (after->validSize() < before->validSize())
    return emitError() << "trims to " << shape->outRows << " of "
                       << shape->inColumns
                       << " columns, which leaves out data: "
                       << after->validSize() << " of " << before->validSize()
                       << " elements remain";
  return *shape;
}
