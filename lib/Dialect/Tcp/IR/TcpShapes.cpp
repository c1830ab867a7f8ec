//===- TcpShapes.cpp - What a stage's mappings imply ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Tcp/IR/TcpShapes.h"
#include "sequin/Machine/TcpIsa.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::tcp_isa;

int64_t tcp::elementsIn(Type type, int64_t bytes) {
  return bytes * 8 / getBitWidth(*getElementKind(type));
}

/// Reports an error of the stream core as one of the operation.
template <typename T>
static FailureOr<T> report(llvm::Expected<T> value, EmitError emitError,
                           StringRef what) {
  if (value)
    return std::move(*value);
  return emitError() << what << ": " << llvm::toString(value.takeError());
}

/// The index at `position` in words: "{A: 1, B: 7}" or "padding".
static std::string describePosition(const Mapping &mapping, int64_t position) {
  if (position >= mapping.size())
    return "nothing";
  std::optional<TensorIndex> index = mapping.at(position);
  if (!index)
    return "padding";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '{';
  llvm::interleaveComma(*index, os, [&](const auto &term) {
    os << term.first << ": " << term.second;
  });
  os << '}';
  return text;
}

/// Fails with the first position at which the two mappings differ.
static LogicalResult requireEqual(const Mapping &found, const Mapping &expected,
                                  EmitError emitError, StringRef what) {
  if (found.isEquivalent(expected))
    return success();
  if (found.size() != expected.size())
    return emitError() << what << " has " << found.size() << " positions ("
                       << found.str() << "), expected " << expected.size()
                       << " (" << expected.str() << ")";
  int64_t position = found.firstDifference(expected).value_or(0);
  return emitError() << what << " is " << found.str() << ", expected "
                     << expected.str() << ": position " << position << " holds "
                     << describePosition(found, position) << " instead of "
                     << describePosition(expected, position);
}

static FailureOr<Mapping> pairOf(const Mapping &major, const Mapping &minor,
                                 EmitError emitError) {
  return report(Mapping::pair(major, minor), emitError, "stream");
}

LogicalResult tcp::verifyBroadcast01(SwitchOp op, EmitError emitError) {
  auto input = cast<StreamType>(op.getInput().getType());
  auto output = cast<StreamType>(op.getResult().getType());
  Mapping slice = input.getGrid().getSliceMapping();
  Mapping time = input.getTimeMapping();
  int64_t slice1 = op.getSlice1(), slice0 = op.getSlice0();
  if (slice0 > slice.size() / slice1)
    return emitError() << "slice1 = " << slice1 << " and slice0 = " << slice0
                       << " make rings larger than the " << slice.size()
                       << " slices";
  int64_t ring = slice1 * slice0;
  Mapping outSlice = output.getGrid().getSliceMapping();
  if (outSlice.size() != slice.size())
    return emitError() << "slice mapping \"" << outSlice.str() << "\" has size "
                       << outSlice.size() << ", the switch connects the "
                       << slice.size() << " slices of \"" << slice.str()
                       << "\"";

  // [slice2, slice1, slice0] and [time1, time0] of the input.
  auto slice2 = report(slice.divide(ring), emitError, "slice");
  auto inner = report(slice.modulo(ring), emitError, "slice");
  auto time1 = report(time.divide(op.getTime0()), emitError, "time");
  auto time0 = report(time.modulo(op.getTime0()), emitError, "time");
  if (failed(slice2) || failed(inner) || failed(time1) || failed(time0))
    return failure();
  auto middle = report(inner->divide(slice0), emitError, "slice");
  auto lowest = report(inner->modulo(slice0), emitError, "slice");
  auto outSlice2 = report(outSlice.divide(ring), emitError, "slice");
  if (failed(middle) || failed(lowest) || failed(outSlice2) ||
      failed(requireEqual(*outSlice2, *slice2, emitError,
                          "outer part of the switched slices")))
    return failure();

  Mapping expected = *time1;
  for (const Mapping &part : {*middle, *time0, *lowest}) {
    auto longer = pairOf(expected, part, emitError);
    if (failed(longer))
      return failure();
    expected = *longer;
  }
  return requireEqual(output.getTimeMapping(), expected, emitError,
                      "switched time");
}

FailureOr<int64_t> tcp::inferCollectFlits(CollectOp op, EmitError emitError) {
  auto input = cast<StreamType>(op.getInput().getType());
  auto output = cast<StreamType>(op.getResult().getType());
  int64_t flit = elementsIn(input.getElementType(), kFlitBytes);
  Mapping packet = output.getPacketMapping();
  if (packet.size() != flit)
    return emitError() << "collect packet \"" << output.getPacket().getText()
                       << "\" has " << packet.size() << " elements of "
                       << output.getElementType() << ", one flit of "
                       << kFlitBytes << " bytes holds " << flit;
  int64_t size = input.getPacketMapping().size();
  int64_t flits = llvm::divideCeil(size, flit);
  auto padded =
      report(input.getPacketMapping().pad(flits * flit), emitError, "collect");
  if (failed(padded))
    return failure();
  auto expected = pairOf(input.getTimeMapping(), *padded, emitError);
  auto found = pairOf(output.getTimeMapping(), packet, emitError);
  if (failed(expected) || failed(found) ||
      failed(requireEqual(*found, *expected, emitError, "collected stream")))
    return failure();
  return flits;
}

FailureOr<AlignShape> tcp::inferAlignShape(AlignOp op, EmitError emitError) {
  auto input = cast<StreamType>(op.getInput().getType());
  auto output = cast<StreamType>(op.getResult().getType());
  int64_t lanes = elementsIn(input.getElementType(), kMacWidthBytes);
  Mapping time = output.getTimeMapping(), packet = output.getPacketMapping();
  if (packet.size() != lanes)
    return emitError() << "align packet \"" << output.getPacket().getText()
                       << "\" has " << packet.size() << " elements of "
                       << output.getElementType()
                       << ", a computation packet of " << kMacWidthBytes
                       << " bytes holds " << lanes;
  auto source =
      pairOf(input.getTimeMapping(), input.getPacketMapping(), emitError);
  if (failed(source))
    return failure();

  // One flit per packet leaves the upper half zero; several flits come from the
  // innermost part of time. What is left over in time repeats the data.
  std::string tried;
  for (int64_t flits = kMaxCollectFlits; flits >= 1; --flits) {
    auto expected = [&]() -> FailureOr<Mapping> {
      if (flits > 1)
        return *source;
      auto padded = input.getPacketMapping().pad(lanes);
      if (!padded)
        return report(std::move(padded), emitError, "align");
      return pairOf(input.getTimeMapping(), *padded, emitError);
    }();
    if (failed(expected))
      return failure();
    int64_t total;
    if (llvm::MulOverflow(time.size(), lanes, total))
      return emitError() << "align time \"" << output.getTime().getText()
                         << "\" has " << time.size()
                         << " steps, more than 64 bits count the elements of";
    if (total % expected->size() != 0)
      continue;
    int64_t repeats = total / expected->size();
    if (time.size() % repeats != 0)
      continue;
    llvm::Expected<Mapping> outer = time.divide(repeats);
    if (!outer) {
      llvm::consumeError(outer.takeError());
      continue;
    }
    auto found = pairOf(*outer, packet, emitError);
    if (failed(found))
      return failure();
    if (found->isEquivalent(*expected))
      return AlignShape{flits, repeats};
  }
  return emitError() << "align to time \"" << output.getTime().getText()
                     << "\", packet \"" << output.getPacket().getText()
                     << "\" is not a collection of 1 to " << kMaxCollectFlits
                     << " flits of time \"" << input.getTime().getText()
                     << "\", packet \"" << input.getPacket().getText()
                     << "\" with axes of the stationary operand innermost in "
                        "time";
}

FailureOr<int64_t> tcp::inferTreeDepth(ContractOp op, EmitError emitError) {
  auto input = cast<StreamType>(op.getInput().getType());
  auto output = cast<StreamType>(op.getResult().getType());
  Mapping packet = input.getPacketMapping(), kept = output.getPacketMapping();
  int64_t lanes = packet.size();
  for (int64_t depth = llvm::Log2_64(lanes); depth >= 0; --depth) {
    int64_t columns = lanes >> depth;
    if (kept.size() > columns)
      continue;
    auto outer =
        report(packet.divide(int64_t(1) << depth), emitError, "contract");
    auto padded = report(kept.pad(columns), emitError, "contract");
    if (failed(outer) || failed(padded))
      return failure();
    if (!padded->isEquivalent(*outer))
      continue;
    if (kept.size() > kAccumulatorColumns)
      return emitError() << "contract keeps " << kept.size()
                         << " columns, the accumulator takes at most "
                         << kAccumulatorColumns;
    return depth;
  }
  return emitError() << "contract packet \"" << output.getPacket().getText()
                     << "\" is not \"" << input.getPacket().getText()
                     << "\" divided by a power of two";
}

FailureOr<AccumulateShape> tcp::inferAccumulateShape(AccumulateOp op,
                                                     EmitError emitError) {
  auto input = cast<StreamType>(op.getInput().getType());
  auto output = cast<StreamType>(op.getResult().getType());
  Mapping columns = input.getPacketMapping(), rows = input.getRowMapping();
  Mapping time = output.getTimeMapping(), packet = output.getPacketMapping();
  if (packet.size() != kLanes)
    return emitError() << "accumulate packet \"" << output.getPacket().getText()
                       << "\" has " << packet.size()
                       << " elements, the output bus has " << kLanes
                       << " lanes";

  // What follows the surviving time axes in the output stream, as one mapping:
  // interleaved [columns][rows # 8], sequential [rows][columns # multiple of
  // 8].
  FailureOr<Mapping> tail;
  if (op.getKind() == AccumulationKind::Interleaved) {
    if (rows.size() > kRows)
      return emitError() << "accumulate has " << rows.size()
                         << " rows, at most " << kRows << " exist";
    auto padded = report(rows.pad(kRows), emitError, "accumulate");
    if (failed(padded))
      return failure();
    tail = pairOf(columns, *padded, emitError);
  } else {
    auto padded = report(columns.pad(llvm::alignTo(columns.size(), kLanes)),
                         emitError, "accumulate");
    if (failed(padded))
      return failure();
    tail = pairOf(rows, *padded, emitError);
  }
  if (failed(tail))
    return failure();
  int64_t inner = tail->size() / kLanes;
  if (time.size() % inner != 0)
    return emitError() << "accumulate time \"" << output.getTime().getText()
                       << "\" has " << time.size() << " steps, which " << inner
                       << " flits per sum do not divide";
  auto outer = report(time.divide(inner), emitError, "accumulate");
  auto innerTime = report(time.modulo(inner), emitError, "accumulate");
  if (failed(outer) || failed(innerTime))
    return failure();
  auto found = pairOf(*innerTime, packet, emitError);
  if (failed(found) ||
      failed(requireEqual(*found, *tail, emitError, "accumulated packet")))
    return failure();
  auto loops = report(matchReduction(input.getTimeMapping(), *outer), emitError,
                      "accumulate");
  if (failed(loops))
    return failure();
  return AccumulateShape{std::move(*loops), columns.size()};
}

FailureOr<int64_t> tcp::inferCommitElements(CommitOp op, EmitError emitError) {
  auto input = cast<StreamType>(op.getInput().getType());
  auto output = cast<DmType>(op.getResult().getType());
  Mapping packet = input.getPacketMapping();
  Type type = input.getElementType();
  int64_t flit = elementsIn(type, kFlitBytes);
  if (packet.size() != flit)
    return emitError() << "commit packet \"" << input.getPacket().getText()
                       << "\" has " << packet.size() << " elements of " << type
                       << ", one flit of " << kFlitBytes << " bytes holds "
                       << flit;
  // The limits of a machine are checked when it is configured.
  DeriveOptions options;
  options.direction = Direction::Write;
  options.elementType = *getElementKind(type);
  options.limits = {~0u, INT64_MAX, {}};
  auto derived = report(derive(AddressMap(output.getElementMapping()),
                               input.getTimeMapping(), packet, options),
                        emitError, "commit");
  if (failed(derived))
    return failure();
  int64_t kept = derived->initial.packetElements;
  int64_t bytes = ::sequin::getByteSize(*getElementKind(type), kept);
  if (bytes % kCommitUnitBytes != 0)
    return emitError() << "commit to element \""
                       << output.getElement().getText() << "\" keeps " << bytes
                       << " bytes of packet \"" << input.getPacket().getText()
                       << "\", a commit keeps a multiple of "
                       << kCommitUnitBytes << " leading bytes";
  return kept;
}
